//! Surfaces of several connected components, and what is attached to what.
//!
//! What a component is, is known before ([`ComponentKind`]). A body with bones of its own needs nothing: the arm of a robot, a coat
//! without a body inside. One that no bone reaches but through another one is attached to that: a shirt to the body below it, a hem that
//! sees no bone at all to what is nearest. It is stitched there (after Frankenrigs, section 6.3), so that heat flows from there, and
//! follows; cloth then keeps to the skin below it. A rigid component is one unknown of the heat system: a part is heated by its own joint
//! alone, an accessory by the place that holds it, not by what its far end passes by.
//!
//! Stitching all components that touch, as Frankenrigs does, was tried: the parts of robots and dolls, which slide on each other,
//! then drag each other along (mean difference from the artist's weights 0.10 without, 0.17 with stitches on the mannequin
//! of the Godot demos, and 0.09 against 0.16 on three.js's robot).

use super::Binder;
use super::heat::FOLLOWING;
use super::laplacian::{Laplacian, WeightedEdge};
use super::sources::{BoneHeat, HeatSource};
use crate::math::{Bounds, Vec3, square};
use crate::mesh::TriangleTree;
use crate::mesh::prepare::PreparedMesh;
use crate::mesh::samples::{Sample, sample_surface};
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

/// Heat flows no better than over this distance, in parts of the box diagonal: half a centimetre for a person.
const TOUCH: f64 = 0.0025;
/// An accessory is held where it is at most this much farther from its carrier than where it is nearest: the first in parts
/// of its own size, the second in parts of the box diagonal, whichever is less. A staff is held where the hand is, two centimetres
/// to both sides of it.
const GRIP_OF_COMPONENT: f64 = 0.25;
const GRIP_OF_BOX: f64 = 0.01;
/// An accessory is held in one place if its grip has no more than this part of its surface. Clothes with two sides have most
/// of it close to the body, a rucksack a third. Crumbs smaller than the second, in parts of the box diagonal, are held as a whole.
const HELD: f64 = 0.4;
const CRUMB: f64 = 0.05;
/// A component has bones of its own if they reach more than this part of its area. At one half the hands of some people hang on their
/// cuffs; at a fiftieth the ears of a rabbit are moved by its arms.
const OWN_BONES: f64 = 0.25;
/// Distance between the samples of a component, in parts of the box diagonal, and how many there are. Vertices would not
/// do: those of a sword are at its ends, and what matters is in the hand.
const SPACING: f64 = 0.01;
const SAMPLES: RangeInclusive<usize> = 16..=256;
/// Others are attached to a component if it has this part of the whole area at least, is among the largest, and sees bones with this
/// part of its own area.
const CARRIER_AREA: f64 = 0.01;
const MAX_CARRIERS: usize = 32;
const CARRIER_VISIBLE: f64 = 0.5;

/// What a component is, before it is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ComponentKind {
    /// It bends: a body, clothes around it, or a trunk.
    #[default]
    Body,
    /// It moves with the joint around whose bone it lies.
    Rigid {
        /// The joint.
        joint: usize,
    },
    /// It is solid or tiny, lies around no bone, and moves with what holds it.
    Accessory,
    /// It is open, lies around no bone, and follows what is below it.
    Cloth,
}

/// What became of the components of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ComponentReport {
    /// Connected components.
    pub count: usize,
    /// Components without bones of their own, which follow the nearest surface.
    pub draped: usize,
    /// Components that move as one: rigid parts, and accessories that are held in one place.
    pub rigid: usize,
    /// Points that were stitched to another component.
    pub stitches: usize,
}

/// The components of a surface. They depend on the mesh alone.
pub(super) struct Components {
    /// How many there are.
    count: usize,
    /// The components; none of a surface that has only one.
    list: Vec<Component>,
    /// Their indices, the largest area first.
    by_area: Vec<usize>,
    /// Area of the surface.
    total_area: f64,
    /// Diagonal of the box.
    size: f64,
}

/// A connected component.
struct Component {
    vertices: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    bounds: Bounds,
    area: f64,
    /// Number of components that are larger.
    rank: usize,
    /// Points spread evenly over it.
    samples: Vec<Sample>,
    tree: OnceLock<TriangleTree>,
}

impl Components {
    /// The components of a surface whose vertices have these areas.
    pub fn of(mesh: &PreparedMesh, areas: &[f64]) -> Components {
        let count = mesh.topology.components.len();
        let mut components =
            Components { count, list: Vec::new(), by_area: Vec::new(), total_area: 0.0, size: 0.0 };
        if count > 1 {
            components.list = split(mesh, areas);
            components.measure(mesh);
        }
        components
    }

    fn measure(&mut self, mesh: &PreparedMesh) {
        self.size = Bounds::of(&mesh.positions).diagonal();
        self.total_area = self.list.iter().map(|component| component.area).sum();
        self.by_area = (0..self.count).collect();
        self.by_area.sort_by(|&a, &b| self.list[b].area.total_cmp(&self.list[a].area).then(a.cmp(&b)));
        for (rank, &index) in self.by_area.iter().enumerate() {
            self.list[index].rank = rank;
            if rank > 0 {
                self.list[index].sample(mesh, SPACING * self.size);
            }
        }
    }

    /// The components to which others may be attached, the largest first.
    fn carriers(&self, laplacian: &Laplacian, sources: &[HeatSource]) -> Vec<&Component> {
        let by_area = self.by_area.iter().map(|&index| &self.list[index]);
        by_area
            .filter(|component| {
                component.rank == 0
                    || component.rank < MAX_CARRIERS
                        && component.area >= CARRIER_AREA * self.total_area
                        && component.visible_area(laplacian, sources) >= CARRIER_VISIBLE * component.area
            })
            .collect()
    }
}

/// The components of a surface, not yet ranked and sampled.
fn split(mesh: &PreparedMesh, areas: &[f64]) -> Vec<Component> {
    let (vertices, triangles) = vertices_and_triangles(mesh);
    let lists = vertices.into_iter().zip(triangles);
    lists
        .map(|(vertices, triangles)| Component {
            bounds: Bounds::of(vertices.iter().map(|&vertex| &mesh.positions[vertex as usize])),
            area: vertices.iter().map(|&vertex| areas[vertex as usize]).sum(),
            rank: 0,
            samples: Vec::new(),
            tree: OnceLock::new(),
            vertices,
            triangles,
        })
        .collect()
}

/// The vertices and the triangles of each component.
pub(crate) fn vertices_and_triangles(mesh: &PreparedMesh) -> (Vec<Vec<u32>>, Vec<Vec<[u32; 3]>>) {
    let components = &mesh.topology.components;
    let mut triangles: Vec<Vec<[u32; 3]>> =
        components.iter().map(|component| Vec::with_capacity(component.triangles)).collect();
    let mut vertices: Vec<Vec<u32>> = vec![Vec::new(); components.len()];
    let mut is_listed = vec![false; mesh.positions.len()];
    for (triangle, &component) in mesh.triangles.iter().zip(&mesh.topology.component_of_triangle) {
        triangles[component as usize].push(*triangle);
        for &vertex in triangle {
            if !std::mem::replace(&mut is_listed[vertex as usize], true) {
                vertices[component as usize].push(vertex);
            }
        }
    }
    (vertices, triangles)
}

impl Component {
    fn sample(&mut self, mesh: &PreparedMesh, spacing: f64) {
        let count = ((self.area / square(spacing)) as usize).clamp(*SAMPLES.start(), *SAMPLES.end());
        self.samples = sample_surface(&mesh.positions, &self.triangles, count);
    }

    /// Built when the first component is attached to this one.
    fn tree(&self, mesh: &PreparedMesh) -> &TriangleTree {
        self.tree.get_or_init(|| TriangleTree::new(&mesh.positions, &self.triangles))
    }

    /// Area whose dominant bone is seen through the inside of the body.
    fn visible_area(&self, laplacian: &Laplacian, sources: &[HeatSource]) -> f64 {
        let visible = self.vertices.iter().filter(|&&vertex| sources[vertex as usize].is_visible);
        visible.fold(0.0, |area, &vertex| area + laplacian.areas[vertex as usize])
    }

    /// The corner of a triangle that is nearest to a sample on it.
    fn nearest_corner(&self, sample: &Sample, mesh: &PreparedMesh) -> u32 {
        let corners = self.triangles[sample.triangle];
        let [a, b, c] =
            corners.map(|vertex| (mesh.positions[vertex as usize] - sample.position).norm_squared());
        match (b < a, c < a.min(b)) {
            (_, true) => corners[2],
            (true, _) => corners[1],
            _ => corners[0],
        }
    }
}

/// How a vertex is moved.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Attachment {
    /// By bones of its own component.
    Free,
    /// By the surface below it, which it follows point by point.
    Draped,
    /// With its whole component, by the surface that holds it.
    Held,
    /// With its whole component, by one joint.
    Rigid {
        /// The joint.
        joint: usize,
    },
}

/// What is attached to what.
pub(super) struct Attachments<'a> {
    components: &'a Components,
    /// Indices of the rigid components.
    rigid: Vec<usize>,
    /// Edges between components.
    stitches: Vec<WeightedEdge>,
    of_vertex: Vec<Attachment>,
    pub report: ComponentReport,
}

impl<'a> Attachments<'a> {
    /// Finds what is attached to what; `sources` heat the vertices.
    pub fn find(
        surface: &'a Binder,
        heat: &BoneHeat,
        sources: &[HeatSource],
        kinds: &[ComponentKind],
        conductivity: f64,
    ) -> Attachments<'a> {
        let components = &surface.components;
        let mut attachments = Attachments {
            components,
            rigid: Vec::new(),
            stitches: Vec::new(),
            of_vertex: vec![Attachment::Free; sources.len()],
            report: ComponentReport { count: components.count, ..ComponentReport::default() },
        };
        let carriers = components.carriers(&surface.laplacian, sources);
        let search = AttachmentSearch { surface, heat, carriers };
        let rigid_body = |index: usize| matches!(kinds.get(index), Some(ComponentKind::Rigid { .. }));
        let is_attached = |index: &usize| components.list[*index].rank > 0 || rigid_body(*index);
        for index in (0..components.list.len()).filter(is_attached) {
            let kind = kinds.get(index).copied().unwrap_or_default();
            let (attachment, stitches) = search.attach(&components.list[index], kind);
            attachments.add(index, attachment);
            attachments.report.stitches += stitches.len();
            let touch = TOUCH * components.size;
            attachments.stitches.extend(stitches.iter().flat_map(|stitch| stitch.edges(conductivity, touch)));
        }
        attachments
    }

    fn add(&mut self, index: usize, attachment: Attachment) {
        let vertices = &self.components.list[index].vertices;
        vertices.iter().for_each(|&vertex| self.of_vertex[vertex as usize] = attachment);
        match attachment {
            Attachment::Free => {}
            Attachment::Draped => self.report.draped += 1,
            Attachment::Held | Attachment::Rigid { .. } => {
                self.report.rigid += 1;
                self.rigid.push(index);
            }
        }
    }

    /// Whether a vertex is moved by another component, and not by bones.
    pub fn is_attached(&self, vertex: usize) -> bool {
        matches!(self.of_vertex[vertex], Attachment::Draped | Attachment::Held)
    }

    /// The joint that alone heats a vertex of a rigid part.
    pub fn only_joint(&self, vertex: usize) -> Option<usize> {
        match self.of_vertex[vertex] {
            Attachment::Rigid { joint } => Some(joint),
            _ => None,
        }
    }

    /// The vertices of each component that is one unknown.
    pub fn unknowns(&self) -> impl Iterator<Item = &[u32]> {
        self.rigid.iter().map(|&index| &self.components.list[index].vertices[..])
    }

    /// The Laplacian of the surface with its components stitched together.
    pub fn stitch<'l>(&self, laplacian: &'l Laplacian) -> Cow<'l, Laplacian> {
        if self.report.draped + self.report.rigid == 0 {
            return Cow::Borrowed(laplacian);
        }
        let mut stitched = laplacian.clone();
        // What is rigid is one unknown; its stitches alone decide.
        let edges = stitched.edges.par_iter_mut();
        edges
            .filter(|edge| self.of_vertex[edge.0 as usize] == Attachment::Draped)
            .for_each(|edge| edge.2 *= FOLLOWING);
        stitched.edges.extend(&self.stitches);
        Cow::Owned(stitched)
    }
}

/// What decides about attachments.
struct AttachmentSearch<'a> {
    surface: &'a Binder<'a>,
    heat: &'a BoneHeat<'a>,
    carriers: Vec<&'a Component>,
}

impl AttachmentSearch<'_> {
    fn attach(&self, component: &Component, kind: ComponentKind) -> (Attachment, Vec<Stitch>) {
        if let ComponentKind::Rigid { joint } = kind {
            return (Attachment::Rigid { joint }, Vec::new());
        }
        let larger = self.carriers.iter().copied().filter(|carrier| carrier.rank < component.rank);
        let carriers: Vec<&Component> = larger.collect();
        if kind == ComponentKind::Accessory {
            let grip = self.grip(component, &carriers);
            if grip.share < HELD || component.bounds.diagonal() < CRUMB * self.surface.components.size {
                return (Attachment::Held, grip.stitches);
            }
        } else if self.has_own_bones(component, &carriers) {
            return (Attachment::Free, Vec::new());
        }
        (Attachment::Draped, self.drape(component, &carriers))
    }

    fn sample_sources(&self, component: &Component) -> Vec<HeatSource> {
        let (points, normals): (Vec<Vec3>, Vec<Vec3>) =
            component.samples.iter().map(|sample| (sample.position, sample.normal)).unzip();
        self.heat.sources(&points, &normals)
    }

    /// Whether bones reach enough of a component without leaving the body and without another component in between.
    fn has_own_bones(&self, component: &Component, carriers: &[&Component]) -> bool {
        let sources = self.sample_sources(component);
        let samples = component.samples.par_iter().zip(&sources);
        let own = samples.filter(|(sample, source)| {
            let from = self.heat.origin(source, &sample.position);
            source.is_visible && !carriers.iter().any(|carrier| self.blocks(carrier, &from, &sample.position))
        });
        own.count() as f64 > OWN_BONES * sources.len() as f64
    }

    /// Whether a carrier lies between two points.
    fn blocks(&self, carrier: &Component, from: &Vec3, to: &Vec3) -> bool {
        let (low, high, bounds) = (from.inf(to), from.sup(to), &carrier.bounds);
        (0..3).all(|axis| low[axis] <= bounds.max[axis] && high[axis] >= bounds.min[axis])
            && carrier.tree(self.surface.mesh).is_blocked(from, to, 0.0..=1.0)
    }

    /// Where an accessory is held: its samples that are nearest to a carrier.
    fn grip(&self, component: &Component, carriers: &[&Component]) -> Grip {
        let samples = &component.samples;
        let contacts: Vec<Option<CarrierPoint>> =
            samples.par_iter().map(|sample| self.nearest(&sample.position, carriers)).collect();
        let closest = contacts.iter().flatten().map(|contact| contact.distance).fold(f64::INFINITY, f64::min);
        let margin =
            (GRIP_OF_COMPONENT * component.bounds.diagonal()).min(GRIP_OF_BOX * self.surface.components.size);
        let area = component.area / samples.len() as f64;
        let mut grip = Grip { stitches: Vec::new(), share: 0.0 };
        for (sample, contact) in samples.iter().zip(contacts) {
            let Some(contact) = contact else { continue };
            let strength = 1.0 - (contact.distance - closest) / margin;
            if strength > 0.0 {
                grip.share += strength / samples.len() as f64;
                let vertex = component.nearest_corner(sample, self.surface.mesh);
                grip.stitches.push(Stitch { vertex, area: strength * area, to: contact });
            }
        }
        grip
    }

    /// Stitches for every vertex of a component that follows the surface below it.
    fn drape(&self, component: &Component, carriers: &[&Component]) -> Vec<Stitch> {
        let (positions, areas) = (&self.surface.mesh.positions, &self.surface.laplacian.areas);
        let vertices = component.vertices.par_iter().with_min_len(64);
        vertices
            .filter_map(|&vertex| {
                let to = self.nearest(&positions[vertex as usize], carriers)?;
                Some(Stitch { vertex, area: areas[vertex as usize], to })
            })
            .collect()
    }

    /// The nearest point of the carriers.
    fn nearest(&self, position: &Vec3, carriers: &[&Component]) -> Option<CarrierPoint> {
        let mut best: Option<CarrierPoint> = None;
        for carrier in carriers {
            let limit = best.as_ref().map_or(f64::INFINITY, |best| best.distance);
            let bounds = &carrier.bounds;
            if (position - position.sup(&bounds.min).inf(&bounds.max)).norm() > limit {
                continue;
            }
            let Some(nearest) = carrier.tree(self.surface.mesh).nearest_within(position, limit) else {
                continue;
            };
            let corners = carrier.triangles[nearest.triangle];
            best =
                Some(CarrierPoint { distance: nearest.distance, corners, barycentric: nearest.barycentric });
        }
        best
    }
}

/// Where an accessory is held.
struct Grip {
    stitches: Vec<Stitch>,
    /// Share of the surface of the component.
    share: f64,
}

/// The nearest point of a carrier.
struct CarrierPoint {
    distance: f64,
    corners: [u32; 3],
    barycentric: [f64; 3],
}

/// A vertex that is held by a point of a carrier.
struct Stitch {
    vertex: u32,
    /// Area for which the vertex stands.
    area: f64,
    to: CarrierPoint,
}

impl Stitch {
    /// Edges to the corners around the point, which together conduct like a bone at the distance of the point.
    fn edges(&self, conductivity: f64, touch: f64) -> impl Iterator<Item = WeightedEdge> + '_ {
        let weight = FOLLOWING * self.area * conductivity / square(self.to.distance.max(touch));
        let corners = self.to.corners.into_iter().zip(self.to.barycentric).filter(|(_, share)| *share > 0.0);
        corners.map(move |(corner, share)| (self.vertex, corner, weight * share))
    }
}
