//! Skin weights and what they do: which joints move which vertex, and where it goes.

pub mod bones;
pub mod compat;
mod heat;
mod influences;
mod islands;
mod laplacian;
pub mod lbs;
pub mod poses;
pub mod quality;
pub mod rest;
mod sources;

pub use influences::{MaxInfluences, SkinWeights};
pub use islands::IslandReport;

use crate::embed::field::DistanceField;
use crate::math::Vec3;
use crate::mesh::prepare::PreparedMesh;
use crate::skeleton::Skeleton;
use bones::bones;
use influences::prune;
use islands::Islands;
use laplacian::Conductor;
use sources::{Source, sources};

/// Choices of [`bind`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkinOptions {
    /// c of the paper in c/d²: how well the nearest bone heats a vertex, compared with the surface around it.
    pub conductivity: f64,
    /// A unit of way through air counts as this much longer.
    pub air_detour: f64,
    /// How many joints may move a vertex.
    pub max_influences: MaxInfluences,
}

impl Default for SkinOptions {
    fn default() -> Self {
        SkinOptions { conductivity: 4.5, air_detour: 4.0, max_influences: MaxInfluences::Four }
    }
}

/// The weights of a character.
#[derive(Debug, Clone)]
pub struct Skin {
    /// For each welded vertex, by the joints of the skeleton.
    pub weights: SkinWeights,
    /// What was found on the way.
    pub report: SkinReport,
}

/// What [`bind`] found and had to fall back to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SkinReport {
    /// Separate pieces of the surface.
    pub islands: IslandReport,
    /// Vertices that see no bone through the inside of the body; those are heated by the nearest one through the air, or follow
    /// their neighbours.
    pub hidden_vertices: usize,
    /// Share of the surface, from 0 to 1, that moves mostly with a limb that neither is nor meets the limb it is nearest
    /// to through the inside of the body.
    pub bleeding: f64,
}

/// Binds a character to a skeleton whose joints stand at `joints`, in the unit cube of the mesh.
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
    let bones = bones(skeleton, joints);
    let (mut conductor, normals) = Conductor::of(&mesh.positions, &mesh.triangles);
    let sources = sources(&mesh.positions, &normals, &bones, field, options.air_detour);
    let islands = Islands::of(mesh, &conductor, &sources, options.conductivity);
    conductor.edges.extend(&islands.stitches);
    let mut equilibrium =
        heat::equilibrium(&conductor, &sources, &islands.is_heated, &bones, options.conductivity);
    for vertices in &islands.stiff {
        equilibrium.level(vertices, &conductor.areas);
    }
    let owner = |source: &Source| bones[usize::from(source.bones[0])].owner;
    let weights = prune(&equilibrium, skeleton, options.max_influences, |vertex| owner(&sources[vertex]));
    let report = SkinReport {
        islands: islands.report,
        hidden_vertices: sources.iter().filter(|source| !source.is_visible).count(),
        bleeding: bleeding(skeleton, &weights, &conductor.areas, |vertex| owner(&sources[vertex])),
    };
    Skin { weights, report }
}

/// Share of the area whose heaviest joint belongs to a limb that does not meet the limb of `nearest`.
fn bleeding(
    skeleton: &Skeleton,
    weights: &SkinWeights,
    areas: &[f64],
    nearest: impl Fn(usize) -> usize,
) -> f64 {
    let limbs = quality::limbs(skeleton);
    let bleeds = |vertex: usize| {
        let heaviest = weights.of(vertex).next().map_or(0, |(joint, _)| joint);
        !quality::limbs_meet(skeleton, &limbs, limbs[heaviest], limbs[nearest(vertex)])
    };
    let total: f64 = areas.iter().sum();
    let area: f64 =
        areas.iter().enumerate().filter(|(vertex, _)| bleeds(*vertex)).map(|(_, area)| area).sum();
    area / total.max(f64::MIN_POSITIVE)
}
