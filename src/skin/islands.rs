//! Surfaces of several pieces: what hangs on what.
//!
//! A piece with bones of its own needs nothing: the arm of a robot, a body, a coat without a body inside. A piece that no bone
//! reaches but through another one hangs on that: a shirt on the body below it, an ear on the head, a hem that sees no bone at all
//! on what is nearest. It is stitched there (after Frankenrigs, section 6.3), so that heat flows from there, and follows; cloth then
//! keeps to the skin below it. A piece that is small compared with its distance from the bones (an eye, a tooth, a button) is
//! stitched too, and moves as one: the weights around it would shear it, which nothing so small and stiff ever is. So does a solid
//! piece that is held in one place (a sword, a shield, a hat, a rucksack): it follows the place, not what its far end passes by.
//!
//! Stitching all pieces that touch, as Frankenrigs does, was tried: the parts of robots and dolls, which slide on each other,
//! then drag each other along (mean difference from the artist's weights 0.10 without, 0.17 with stitches on the mannequin
//! of the Godot demos, and 0.09 against 0.16 on three.js's robot).

use super::bones::Bone;
use super::laplacian::Conductor;
use super::sources::Source;
use crate::math::{Bounds, Mat3, Vec3, square};
use crate::mesh::TriangleTree;
use crate::mesh::prepare::PreparedMesh;
use crate::mesh::samples::{Sample, sample_surface};
use rayon::prelude::*;
use std::ops::RangeInclusive;

/// Heat flows no better than over this distance, in parts of the box diagonal: half a centimetre for a person.
const TOUCH: f64 = 0.0025;
/// What hangs on others conducts this much worse than they do, in itself as at its stitches, so that it follows and has no say: a
/// shirt would join the parts of the body below it otherwise.
pub(super) const FOLLOWING: f64 = 1e-4;
/// A piece is stiff if its box is smaller than this many times its distance from the bones.
const STIFF: f64 = 1.0;
/// The grip of a stiff piece ends this part of its size farther away than where it is nearest, or this part of the box diagonal if
/// that is less: a staff is held where the hand is, two centimetres to both sides of it.
const FIXED: f64 = 0.25;
const GRIP: f64 = 0.01;
/// A solid piece is held if its grip has no more than this part of its surface. Clothes with two sides have most of it close to the
/// body, a rucksack a third.
const HELD: f64 = 0.4;
/// A piece lies around the bones if the directions to it have a mean shorter than the first and, in the plane of the two
/// in which they differ most, a variance above the second. A ring has 0 and 0.5, half a ring 0.64 and 0.1, a staff held in its middle 0
/// and 0, a shield 0.5.
const AROUND: (f64, f64) = (0.35, 0.15);
/// A piece has bones of its own if they reach more than this part of its area. At one half the hands of some people hang on their cuffs; at
/// a fiftieth the ears of a rabbit are moved by its arms.
const OWN: f64 = 0.25;
/// Distance between the places on a piece that are looked at, in parts of the box diagonal, and how many there are. Vertices would not
/// do: those of a sword are at its ends, and what matters is in the hand.
const SPACING: f64 = 0.01;
const SAMPLES: RangeInclusive<usize> = 16..=256;
/// Others hang on a piece if it has this part of the whole area at least, is among the largest, and sees bones with half of its
/// own area.
const CARRIER_AREA: f64 = 0.01;
const MAX_CARRIERS: usize = 32;

/// What became of the pieces of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IslandReport {
    /// Connected pieces.
    pub pieces: usize,
    /// Pieces without bones of their own, which follow the nearest surface.
    pub hanging: usize,
    /// Pieces that move as one: small ones, and solid ones that are held in one place.
    pub stiff: usize,
    /// Places that were stitched to another piece.
    pub stitches: usize,
}

/// Pieces and the stitches between them.
pub(super) struct Islands {
    /// The vertices of each stiff piece.
    pub stiff: Vec<Vec<u32>>,
    /// Edges between pieces, with their conductance.
    pub stitches: Vec<(u32, u32, f64)>,
    /// For each vertex whether bones heat it.
    pub is_heated: Vec<bool>,
    /// For each vertex whether it belongs to a stiff piece.
    is_stiff: Vec<bool>,
    pub report: IslandReport,
}

/// A connected piece.
struct Piece {
    vertices: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    bounds: Bounds,
    area: f64,
    /// Area that sees a bone.
    seen: f64,
    /// Smallest distance from a bone.
    distance: f64,
}

impl Islands {
    /// `sources_of` tells what heats places on the surface.
    pub fn of(
        mesh: &PreparedMesh,
        conductor: &Conductor,
        sources: &[Source],
        bones: &[Bone],
        conductivity: f64,
        sources_of: impl Fn(&[Sample]) -> Vec<Source>,
    ) -> Islands {
        let count = mesh.topology.components.len();
        let report = IslandReport { pieces: count, ..IslandReport::default() };
        let (is_heated, is_stiff) = (vec![true; mesh.positions.len()], vec![false; mesh.positions.len()]);
        let mut islands = Islands { stiff: Vec::new(), stitches: Vec::new(), is_heated, is_stiff, report };
        if count < 2 {
            return islands;
        }
        let pieces = pieces(mesh, conductor, sources);
        let total: f64 = pieces.iter().map(|piece| piece.area).sum();
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| pieces[b].area.total_cmp(&pieces[a].area).then(a.cmp(&b)));
        let mut rank = vec![0; count];
        order.iter().enumerate().for_each(|(place, &piece)| rank[piece] = place);
        let is_carrier = |piece: usize| {
            rank[piece] == 0
                || rank[piece] < MAX_CARRIERS
                    && pieces[piece].area >= CARRIER_AREA * total
                    && pieces[piece].seen >= 0.5 * pieces[piece].area
        };
        let carriers: Vec<(usize, TriangleTree)> = order
            .iter()
            .copied()
            .filter(|&piece| is_carrier(piece))
            .map(|piece| (piece, TriangleTree::new(&mesh.positions, &pieces[piece].triangles)))
            .collect();
        let size = Bounds::of(&mesh.positions).diagonal();
        let touch = TOUCH * size;

        for (index, piece) in pieces.iter().enumerate() {
            if rank[index] == 0 {
                continue;
            }
            let larger: Vec<&(usize, TriangleTree)> =
                carriers.iter().filter(|(carrier, _)| rank[*carrier] < rank[index]).collect();
            let places = piece.places(mesh, SPACING * size, &sources_of);
            let hangs = !has_own_bones(&places, bones, &pieces, &larger);
            let distance = places.iter().map(|(_, source)| source.distance).fold(piece.distance, f64::min);
            let is_small = piece.bounds.diagonal() < STIFF * distance;
            if !hangs && !is_small {
                continue;
            }
            let grip = (is_small || mesh.topology.components[index].closed)
                .then(|| Grip::of(piece, places.iter().map(|(place, _)| place), mesh, &pieces, &larger, size))
                .filter(|grip| is_small || grip.share < HELD && !lies_around(&places, bones));
            piece.vertices.iter().for_each(|&vertex| islands.is_heated[vertex as usize] = false);
            let flow = |area: f64, contact: &Contact| {
                FOLLOWING * area * conductivity / square(contact.distance.max(touch))
            };
            if let Some(grip) = grip {
                islands.report.stiff += 1;
                piece.vertices.iter().for_each(|&vertex| islands.is_stiff[vertex as usize] = true);
                islands.stiff.push(piece.vertices.clone());
                let area = piece.area / places.len() as f64;
                for (vertex, contact, strength) in &grip.contacts {
                    islands.stitches.extend(contact.stitches(*vertex, flow(strength * area, contact)));
                }
                islands.report.stitches += grip.contacts.len();
                continue;
            }
            islands.report.hanging += 1;
            let contacts: Vec<Option<Contact>> = piece
                .vertices
                .par_iter()
                .with_min_len(64)
                .map(|&vertex| nearest_contact(&mesh.positions[vertex as usize], &pieces, &larger))
                .collect();
            for (&vertex, contact) in piece.vertices.iter().zip(&contacts) {
                let Some(contact) = contact else { continue };
                let flow = flow(conductor.areas[vertex as usize], contact);
                islands.stitches.extend(contact.stitches(vertex, flow));
                islands.report.stitches += 1;
            }
        }
        islands
    }

    /// Stitches the pieces together.
    pub fn stitch(&self, conductor: &mut Conductor) {
        // What is stiff conducts as well as ever, so that its stitches alone decide.
        let yields = |vertex: u32| !self.is_heated[vertex as usize] && !self.is_stiff[vertex as usize];
        conductor.edges.par_iter_mut().filter(|edge| yields(edge.0)).for_each(|edge| edge.2 *= FOLLOWING);
        conductor.edges.extend(&self.stitches);
    }
}

impl Piece {
    /// Places spread evenly over it, and what heats them.
    fn places(
        &self,
        mesh: &PreparedMesh,
        spacing: f64,
        sources_of: impl Fn(&[Sample]) -> Vec<Source>,
    ) -> Vec<(Sample, Source)> {
        let count = ((self.area / square(spacing)) as usize).clamp(*SAMPLES.start(), *SAMPLES.end());
        let samples = sample_surface(&mesh.positions, &self.triangles, count);
        let sources = sources_of(&samples);
        samples.into_iter().zip(sources).collect()
    }
}

/// Where a stiff piece is held.
struct Grip {
    /// Vertices of the piece, what holds them, and how tightly, from 0 to 1.
    contacts: Vec<(u32, Contact, f64)>,
    /// Share of the surface of the piece.
    share: f64,
}

impl Grip {
    fn of<'a>(
        piece: &Piece,
        places: impl Iterator<Item = &'a Sample>,
        mesh: &PreparedMesh,
        pieces: &[Piece],
        larger: &[&(usize, TriangleTree)],
        size: f64,
    ) -> Grip {
        let places: Vec<&Sample> = places.collect();
        let contacts: Vec<Option<Contact>> =
            places.par_iter().map(|place| nearest_contact(&place.position, pieces, larger)).collect();
        let closest = contacts.iter().flatten().map(|contact| contact.distance).fold(f64::INFINITY, f64::min);
        let margin = (FIXED * piece.bounds.diagonal()).min(GRIP * size);
        let mut grip = Grip { contacts: Vec::new(), share: 0.0 };
        for (place, contact) in places.iter().zip(contacts) {
            let Some(contact) = contact else { continue };
            let strength = 1.0 - (contact.distance - closest) / margin;
            if strength > 0.0 {
                grip.share += strength / places.len() as f64;
                let corners = piece.triangles[place.triangle];
                let away = |v: &u32| (mesh.positions[*v as usize] - place.position).norm_squared();
                let nearest = corners.into_iter().min_by(|a, b| away(a).total_cmp(&away(b)));
                grip.contacts.push((nearest.unwrap_or(corners[0]), contact, strength));
            }
        }
        grip
    }
}

/// Whether a piece surrounds the bones that it is nearest to, as a belt does and a skirt.
fn lies_around(places: &[(Sample, Source)], bones: &[Bone]) -> bool {
    let direction = |(place, source): &(Sample, Source)| {
        let away = place.position - bones[source.brightest()].nearest(&place.position);
        away.try_normalize(0.0).unwrap_or_else(Vec3::zeros)
    };
    let count = places.len() as f64;
    let mean = places.iter().map(direction).sum::<Vec3>() / count;
    let products = places.iter().map(direction).map(|d| d * d.transpose()).sum::<Mat3>() / count;
    let mut variances = (products - mean * mean.transpose()).symmetric_eigenvalues();
    variances.as_mut_slice().sort_by(f64::total_cmp);
    mean.norm() < AROUND.0 && variances[1] > AROUND.1
}

fn pieces(mesh: &PreparedMesh, conductor: &Conductor, sources: &[Source]) -> Vec<Piece> {
    let empty = || Piece {
        vertices: Vec::new(),
        triangles: Vec::new(),
        bounds: Bounds::EMPTY,
        area: 0.0,
        seen: 0.0,
        distance: f64::INFINITY,
    };
    let mut pieces: Vec<Piece> = mesh.topology.components.iter().map(|_| empty()).collect();
    let mut is_listed = vec![false; mesh.positions.len()];
    for (triangle, &component) in mesh.triangles.iter().zip(&mesh.topology.component_of_triangle) {
        let piece = &mut pieces[component as usize];
        piece.triangles.push(*triangle);
        for &vertex in triangle {
            let index = vertex as usize;
            if !std::mem::replace(&mut is_listed[index], true) {
                piece.vertices.push(vertex);
                piece.bounds.grow(&mesh.positions[index]);
                piece.area += conductor.areas[index];
                piece.seen += if sources[index].is_visible { conductor.areas[index] } else { 0.0 };
                piece.distance = piece.distance.min(sources[index].distance);
            }
        }
    }
    pieces
}

/// Whether bones reach enough of a piece without leaving the body and without another piece in between.
fn has_own_bones(
    places: &[(Sample, Source)],
    bones: &[Bone],
    pieces: &[Piece],
    larger: &[&(usize, TriangleTree)],
) -> bool {
    let is_own = |(place, source): &&(Sample, Source)| {
        let from = bones[source.brightest()].nearest(&place.position);
        let covers = |carrier: usize, tree: &TriangleTree| {
            meets(&pieces[carrier].bounds, &from, &place.position)
                && tree.is_blocked(&from, &place.position, 0.0..=1.0)
        };
        source.is_visible && !larger.iter().any(|(carrier, tree)| covers(*carrier, tree))
    };
    places.par_iter().filter(is_own).count() as f64 > OWN * places.len() as f64
}

/// Whether the box around a straight way meets another box.
fn meets(bounds: &Bounds, from: &Vec3, to: &Vec3) -> bool {
    let (low, high) = (from.inf(to), from.sup(to));
    (0..3).all(|axis| low[axis] <= bounds.max[axis] && high[axis] >= bounds.min[axis])
}

/// The nearest point of another piece.
struct Contact {
    distance: f64,
    corners: [u32; 3],
    /// Barycentric coordinates.
    shares: [f64; 3],
}

impl Contact {
    /// Edges from a vertex to the point that conduct `flow` together.
    fn stitches(&self, vertex: u32, flow: f64) -> impl Iterator<Item = (u32, u32, f64)> {
        let corners = self.corners.into_iter().zip(self.shares).filter(|(_, share)| *share > 0.0);
        corners.map(move |(corner, share)| (vertex, corner, flow * share))
    }
}

fn nearest_contact(
    position: &Vec3,
    pieces: &[Piece],
    carriers: &[&(usize, TriangleTree)],
) -> Option<Contact> {
    let mut best: Option<Contact> = None;
    for (piece, tree) in carriers {
        let limit = best.as_ref().map_or(f64::INFINITY, |best| best.distance);
        let bounds = &pieces[*piece].bounds;
        let to_box = (position - position.sup(&bounds.min).inf(&bounds.max)).norm();
        if to_box > limit {
            continue;
        }
        let Some(nearest) = tree.nearest_within(position, limit) else { continue };
        let corners = pieces[*piece].triangles[nearest.triangle];
        best = Some(Contact { distance: nearest.distance, corners, shares: nearest.barycentric });
    }
    best
}
