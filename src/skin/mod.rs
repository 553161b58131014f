//! Skin weights and what they do: which joints move which vertex, and where it goes.

pub mod bones;
pub mod compat;
mod components;
mod delaunay;
pub mod examples;
mod feet;
mod heat;
mod heat_weights;
pub mod helpers;
mod laplacian;
pub mod lbs;
mod muscles;
pub mod poses;
mod prune;
pub mod quality;
mod sources;
mod stations;

pub(crate) use components::vertices_and_triangles;
pub use components::{ComponentKind, ComponentReport};
pub(crate) use laplacian::vertex_areas;

use crate::embed::field::DistanceField;
use crate::math::Vec3;
use crate::math::cholesky::SymbolicCache;
use crate::mesh::prepare::PreparedMesh;
use crate::rig::{MaxInfluences, SkinWeights};
use crate::skeleton::Skeleton;
use bones::bones;
use components::{Attachments, Components};
use feet::ground_supports;
use heat::bone_heat;
use laplacian::{Laplacian, vertex_normals};
use prune::prune;
use sources::BoneHeat;

/// Choices of [`bind`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkinOptions {
    /// c of the paper: how well a bone heats a vertex, compared with the surface around it. The original program's choice
    /// is 3 in these terms. The mean difference from artists' weights is flat between 4 and 6; at 3 quadrupeds get worse
    /// (0.24 against 0.22), at 8 people do (0.216 against 0.206).
    pub conductivity: f64,
    /// A unit of length through air counts as this much longer. Flat between 2 and 4; from 8 on a chibi rabbit's head, whose
    /// lines of sight graze the cheeks, is lost to the shoulders in places.
    pub air_penalty: f64,
    /// How many joints may move a vertex.
    pub max_influences: MaxInfluences,
}

impl Default for SkinOptions {
    fn default() -> Self {
        SkinOptions { conductivity: 4.5, air_penalty: 4.0, max_influences: MaxInfluences::Four }
    }
}

/// The weights of a character.
#[derive(Debug, Clone)]
pub struct Skin {
    /// For each welded vertex, by the joints of the skeleton.
    pub weights: SkinWeights,
    /// What was found on the way.
    pub report: SkinReport,
    /// For each component the share of the whole surface that bleeds there.
    pub bleeding: Vec<f64>,
}

impl Skin {
    /// What moves as one with its joint does not bleed, whichever bone it is near to. `movers` has for each component that joint, if it has
    /// one.
    pub fn forgive_solids(&mut self, movers: &[Option<usize>]) {
        let bending = self.bleeding.iter().zip(movers).filter(|(_, mover)| mover.is_none());
        // A sum of nothing is −0.
        self.report.bleeding = bending.fold(0.0, |sum, (bleeding, _)| sum + bleeding);
    }
}

/// What [`bind`] found and had to fall back to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SkinReport {
    /// Connected components of the surface.
    pub components: ComponentReport,
    /// Vertices that see no bone through the inside of the body; those are heated through the air, or follow their neighbours.
    pub hidden_vertices: usize,
    /// Share of the surface, from 0 to 1, of which more than a tenth moves with limbs that neither are nor meet the limb it is
    /// nearest to through the inside of the body.
    pub bleeding: f64,
}

/// Binds a character to a skeleton whose joints are at `joints`, in the unit cube of the mesh, with every component a body.
/// [`Binder`] knows other kinds, and does it again with other joints in less time.
///
/// Every vertex has weights afterwards, whatever the mesh is like.
///
/// # Panics
/// If there is not one position for each joint.
pub fn bind(
    mesh: &PreparedMesh,
    skeleton: &Skeleton,
    joints: &[Vec3],
    field: &DistanceField,
    options: &SkinOptions,
) -> Skin {
    Binder::new(mesh, field).bind(skeleton, joints, &[], options)
}

/// A surface that can be bound again and again: what depends on the mesh alone is computed once, and the elimination order of the
/// heat system is kept as long as its components are attached to each other in the same places.
pub struct Binder<'a> {
    mesh: &'a PreparedMesh,
    field: &'a DistanceField,
    laplacian: Laplacian,
    normals: Vec<Vec3>,
    components: Components,
    symbolic: SymbolicCache,
}

impl<'a> Binder<'a> {
    /// A surface and the distance from it.
    pub fn new(mesh: &'a PreparedMesh, field: &'a DistanceField) -> Binder<'a> {
        let laplacian = Laplacian::of(&mesh.positions, &mesh.triangles);
        let normals = vertex_normals(&mesh.positions, &mesh.triangles);
        let components = Components::of(mesh, &laplacian.areas);
        Binder { mesh, field, laplacian, normals, components, symbolic: SymbolicCache::default() }
    }

    /// As [`bind`], with components of these kinds; those that are not listed are bodies.
    ///
    /// # Panics
    /// If there is not one position for each joint.
    pub fn bind(
        &self,
        skeleton: &Skeleton,
        joints: &[Vec3],
        kinds: &[ComponentKind],
        options: &SkinOptions,
    ) -> Skin {
        let positions = &self.mesh.positions;
        let supports = ground_supports(skeleton, joints, positions);
        let mut bones = bones(skeleton, joints);
        bones.extend(supports.iter().map(|support| support.bone));
        let heat = BoneHeat { bones: &bones, field: self.field, air_penalty: options.air_penalty };
        let sources = heat.sources(positions, &self.normals);
        let attachments = Attachments::find(self, &heat, &sources, kinds, options.conductivity);
        let stitched = attachments.stitch(&self.laplacian);
        let mut weights =
            bone_heat(&stitched, &sources, &bones, &attachments, options.conductivity, &self.symbolic);
        supports.iter().for_each(|support| support.apply(&mut weights, positions));

        let nearest: Vec<usize> = sources.iter().map(|source| heat.owner(source)).collect();
        let weights = prune(&weights, skeleton, options.max_influences, &nearest);
        let bleeding =
            self.by_component(&quality::bleeding(skeleton, &weights, &self.laplacian.areas, &nearest));
        let hidden_vertices = sources.iter().filter(|source| !source.is_visible).count();
        let components = attachments.report;
        let report = SkinReport {
            components,
            hidden_vertices,
            bleeding: bleeding.iter().fold(0.0, |sum, share| sum + share),
        };
        Skin { weights, report, bleeding }
    }

    /// For each component the share of the whole surface that these areas around vertices are.
    fn by_component(&self, areas: &[f64]) -> Vec<f64> {
        let total: f64 = self.laplacian.areas.iter().sum();
        let mut shares = vec![0.0; self.mesh.topology.components.len()];
        let mut is_counted = vec![false; areas.len()];
        let triangles = self.mesh.triangles.iter().zip(&self.mesh.topology.component_of_triangle);
        for (vertex, component) in
            triangles.flat_map(|(triangle, component)| triangle.map(|v| (v as usize, *component)))
        {
            if !std::mem::replace(&mut is_counted[vertex], true) {
                shares[component as usize] += areas[vertex] / total.max(f64::MIN_POSITIVE);
            }
        }
        shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::field::FieldOptions;
    use crate::math::Axis;
    use crate::mesh::orientation::OrientationOptions;
    use crate::mesh::placement::Size;
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::{Mesh, Part, TriangleTree, shapes};
    use crate::skeleton::Joint;

    fn chain(positions: &[Vec3]) -> Skeleton {
        let joint = |(index, position): (usize, &Vec3)| Joint {
            name: format!("j{index}"),
            parent: index.checked_sub(1),
            position: *position,
            is_tip: index + 1 == positions.len(),
            ..Joint::default()
        };
        let joints = positions.iter().enumerate().map(joint).collect();
        Skeleton { name: "chain".into(), about: "a chain".into(), joints, weights: Default::default() }
    }

    /// A mesh of balls, each with its centre and its half axes.
    fn balls(balls: &[(Vec3, Vec3)]) -> Mesh {
        let mut mesh = Mesh::default();
        for (center, axes) in balls {
            let ball = shapes::uv_sphere(24, 32);
            let first = mesh.positions.len() as u32;
            mesh.positions.extend(ball.positions.iter().map(|p| center + p.component_mul(axes)));
            mesh.triangles.extend(ball.triangles.iter().map(|triangle| triangle.map(|v| v + first)));
        }
        let part =
            Part { vertices: 0..mesh.positions.len(), triangles: 0..mesh.triangles.len(), ..Part::default() };
        mesh.parts.push(part);
        mesh
    }

    /// A body that bends in the middle, four times as high as wide, with `more` of one kind beside it.
    fn bound(more: &[(Vec3, Vec3)], kind: ComponentKind) -> (PreparedMesh, Skin) {
        let body = (Vec3::zeros(), Vec3::new(0.25, 1.0, 0.25));
        bound_mesh(&balls(&[&[body], more].concat()), kind)
    }

    fn bound_mesh(mesh: &Mesh, kind: ComponentKind) -> (PreparedMesh, Skin) {
        let (prepared, field) = prepared(mesh);
        let (skeleton, joints) = bent_at(0.0, &prepared);
        let kinds = [ComponentKind::Body, kind];
        let skin = Binder::new(&prepared, &field).bind(&skeleton, &joints, &kinds, &SkinOptions::default());
        (prepared, skin)
    }

    fn prepared(mesh: &Mesh) -> (PreparedMesh, DistanceField) {
        let orientation = OrientationOptions { up: Some(Axis::PosY), front: Some(Axis::PosZ) };
        let options = PrepareOptions { orientation, size: Size::Keep, ..PrepareOptions::default() };
        let prepared = prepare(mesh, &options, &mut Vec::new()).unwrap();
        let tree = TriangleTree::new(&prepared.positions, &prepared.triangles);
        let field = DistanceField::of_mesh(&prepared, &tree, &FieldOptions::default());
        (prepared, field)
    }

    /// Two bones that meet at a height, and their joints in the unit cube.
    fn bent_at(height: f64, mesh: &PreparedMesh) -> (Skeleton, [Vec3; 3]) {
        let joints = [-0.9, height, 0.9].map(|y| Vec3::new(0.0, y, 0.0));
        (chain(&joints), joints.map(|joint| mesh.unit_from_input.transform_point(&joint.into()).coords))
    }

    #[test]
    fn a_second_bind_gives_the_same_bytes_as_a_fresh_one() {
        let body = (Vec3::zeros(), Vec3::new(0.25, 1.0, 0.25));
        let eye = (Vec3::new(0.0, 0.1, 0.26), Vec3::repeat(0.03));
        let belt = (Vec3::zeros(), Vec3::new(0.4, 0.42, 0.4));
        let options = SkinOptions::default();
        let kinds = [ComponentKind::Body, ComponentKind::Accessory, ComponentKind::Body];
        for more in [&[][..], &[eye], &[eye, belt]] {
            let (mesh, field) = prepared(&balls(&[&[body], more].concat()));
            let binder = Binder::new(&mesh, &field);
            // At the end of the body no component is attached to the other as before.
            for height in [0.0, 0.3, 0.85, 0.0] {
                let (skeleton, joints) = bent_at(height, &mesh);
                let again = binder.bind(&skeleton, &joints, &kinds, &options);
                let fresh = Binder::new(&mesh, &field).bind(&skeleton, &joints, &kinds, &options);
                assert_eq!((again.weights, again.report), (fresh.weights, fresh.report));
            }
        }
    }

    fn weight(skin: &Skin, vertex: u32, joint: usize) -> f64 {
        skin.weights.of(vertex as usize).find(|(other, _)| *other == joint).map_or(0.0, |(_, weight)| weight)
    }

    #[test]
    fn two_bones_share_a_body_evenly_and_blend_where_they_meet() {
        let (mesh, skin) = bound(&[], ComponentKind::Body);
        let middle = mesh.unit_from_input.transform_point(&Vec3::zeros().into()).y;
        let scale = mesh.unit_from_input.scaling();
        for (vertex, position) in mesh.positions.iter().enumerate() {
            let height = (position.y - middle) / scale;
            let upper = weight(&skin, vertex as u32, 1);
            match height {
                h if h > 0.4 => assert!(upper > 0.95, "{h}: {upper}"),
                h if h < -0.4 => assert!(upper < 0.05, "{h}: {upper}"),
                h if h.abs() < 1e-6 => assert!((upper - 0.5).abs() < 0.01, "{upper}"),
                _ => {}
            }
        }
        assert_eq!((skin.report.components.count, skin.report.bleeding), (1, 0.0));
    }

    #[test]
    fn an_eye_moves_as_one_with_what_it_touches() {
        let eye = (Vec3::new(0.0, 0.1, 0.26), Vec3::repeat(0.03));
        let (mesh, skin) = bound(&[eye], ComponentKind::Accessory);
        assert_eq!((skin.report.components.count, skin.report.components.rigid), (2, 1));
        let body_vertices = shapes::uv_sphere(24, 32).positions.len();
        let (body, eye) = mesh.welded.split_at(body_vertices);
        let of_eye = weight(&skin, eye[0], 1);
        assert!(eye.iter().all(|&vertex| weight(&skin, vertex, 1) == of_eye), "an eye does not stretch");
        let distance =
            |vertex: u32| (mesh.positions[vertex as usize] - mesh.positions[eye[0] as usize]).norm();
        let nearest = body.iter().min_by(|&&a, &&b| distance(a).total_cmp(&distance(b))).unwrap();
        assert!((weight(&skin, *nearest, 1) - of_eye).abs() < 0.1);
    }

    #[test]
    fn a_body_is_as_without_what_hangs_on_it() {
        let belt = (Vec3::zeros(), Vec3::new(0.4, 0.42, 0.4));
        let ((bare_mesh, bare_skin), (mesh, skin)) =
            (bound(&[], ComponentKind::Body), bound(&[belt], ComponentKind::Body));
        assert_eq!((skin.report.components.draped, skin.report.components.rigid), (1, 0));
        for (bare, dressed) in bare_mesh.welded.iter().zip(&mesh.welded) {
            let difference = (weight(&bare_skin, *bare, 1) - weight(&skin, *dressed, 1)).abs();
            assert!(difference < 0.02, "{difference}");
        }
    }

    #[test]
    fn a_sleeve_follows_the_body_inside() {
        let sleeve = (Vec3::zeros(), Vec3::new(0.28, 1.02, 0.28));
        let (mesh, skin) = bound(&[sleeve], ComponentKind::Body);
        let body_vertices = shapes::uv_sphere(24, 32).positions.len();
        for (inner, outer) in mesh.welded[..body_vertices].iter().zip(&mesh.welded[body_vertices..]) {
            let difference = (weight(&skin, *inner, 1) - weight(&skin, *outer, 1)).abs();
            assert!(difference < 0.05, "{difference}");
        }
    }

    #[test]
    fn a_rigid_part_is_moved_by_its_joint_alone_whatever_is_near() {
        let helmet = (Vec3::new(0.0, 0.2, 0.0), Vec3::new(0.3, 0.5, 0.3));
        let (mesh, skin) = bound(&[helmet], ComponentKind::Rigid { joint: 1 });
        let body_vertices = shapes::uv_sphere(24, 32).positions.len();
        assert!(mesh.welded[body_vertices..].iter().all(|&vertex| weight(&skin, vertex, 1) == 1.0));
    }

    #[test]
    fn an_ear_is_moved_by_the_head_it_grows_from() {
        // It stands beside the lower bone and sees the upper one through the body; it touches the body above the joint.
        let ear = (Vec3::new(0.3, 0.35, 0.0), Vec3::new(0.05, 0.2, 0.05));
        let (mesh, skin) = bound(&[ear], ComponentKind::Accessory);
        assert_eq!((skin.report.components.draped, skin.report.components.rigid), (0, 1));
        let body_vertices = shapes::uv_sphere(24, 32).positions.len();
        assert!(mesh.welded[body_vertices..].iter().all(|&vertex| weight(&skin, vertex, 1) > 0.8));
    }

    #[test]
    fn a_staff_follows_the_place_that_holds_it_and_not_what_it_passes_by() {
        // It leans against the middle of the upper half and reaches down beside the lower one.
        let staff = (Vec3::new(0.331, -0.2, 0.0), Vec3::new(0.01, 1.0, 0.01));
        let lean = |p: Vec3| Vec3::new(p.x - 0.144 * (p.y + 0.2), p.y, p.z);
        let mut mesh = balls(&[(Vec3::zeros(), Vec3::new(0.25, 1.0, 0.25)), staff]);
        let body_vertices = shapes::uv_sphere(24, 32).positions.len();
        mesh.positions[body_vertices..].iter_mut().for_each(|p| *p = lean(*p));
        let (mesh, skin) = bound_mesh(&mesh, ComponentKind::Accessory);
        assert_eq!((skin.report.components.draped, skin.report.components.rigid), (0, 1));
        let of_staff: Vec<f64> =
            mesh.welded[body_vertices..].iter().map(|&vertex| weight(&skin, vertex, 1)).collect();
        assert!(of_staff.iter().all(|&weight| weight == of_staff[0] && weight > 0.8), "{}", of_staff[0]);
    }
}
