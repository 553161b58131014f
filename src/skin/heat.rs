//! Heat diffusion on a surface, and bone heat weights.
//!
//! Baran & Popović 2007, section 4, equation 1: for each bone i, −Δwⁱ + H wⁱ = H pⁱ, where H is the heat that a
//! vertex gets from its source, c/d² in the paper, and pⁱ tells whether bone i is that source. The matrix is the same for all
//! bones: it is factored once. In the discrete form used here, K w + A H w = A H p with the cotangent Laplacian K and the area A
//! of each vertex, the original program's weights correspond to c = 3.

use super::bones::Bone;
use super::components::Attachments;
use super::heat_weights::HeatWeights;
use super::laplacian::Laplacian;
use super::sources::HeatSource;
use crate::math::cholesky::{Cholesky, SymbolicCache, graph_matrix};
use rayon::prelude::*;

/// What is attached to others conducts this much worse than they do, in itself as at its stitches, so that it follows and has no
/// say: a shirt would join the parts of the body below it otherwise.
pub(super) const FOLLOWING: f64 = 1e-4;
/// What a vertex that no bone heats receives from its dominant bone all the same, so that the system has a solution whatever
/// is connected to what.
const FAINT: f64 = 1e-6 * FOLLOWING;

/// The system K + A H of a surface, factored once for any number of right-hand sides.
pub(super) struct HeatSystem {
    /// A H: the heat that each vertex takes in for a unit of its source's temperature.
    intake: Vec<f64>,
    /// `None` if the system is beyond floating point.
    cholesky: Option<Cholesky>,
}

impl HeatSystem {
    /// Factors the system of a surface whose vertices take in heat as `intake` tells, all of them some. `symbolic` remembers the
    /// elimination order for the next system with the same edges.
    pub fn new(laplacian: &Laplacian, intake: Vec<f64>, symbolic: &SymbolicCache) -> HeatSystem {
        let cholesky = symbolic.factor(&graph_matrix(&intake, &laplacian.edges));
        HeatSystem { intake, cholesky }
    }

    /// Replaces the heat that flows into each vertex, A H p, by the temperatures in equilibrium; `columns` are vertices × sources.
    pub fn diffuse(&self, columns: &mut [f64]) {
        match &self.cholesky {
            Some(cholesky) => cholesky.solve(columns),
            // Without diffusion every vertex has the temperature of its own source.
            None => {
                for column in columns.chunks_mut(self.intake.len().max(1)) {
                    column.iter_mut().zip(&self.intake).for_each(|(heat, intake)| *heat /= intake);
                }
            }
        }
    }
}

/// Bone heat: the weight of every joint that owns a bone.
pub(super) fn bone_heat(
    laplacian: &Laplacian,
    sources: &[HeatSource],
    bones: &[Bone],
    intake: Vec<f64>,
    symbolic: &SymbolicCache,
) -> HeatWeights {
    let owners = owners(bones);
    let mut columns = inflow(sources, &intake, bones, &owners);
    HeatSystem::new(laplacian, intake, symbolic).diffuse(&mut columns);
    HeatWeights::of_columns(&owners, &columns, sources.len())
}

/// A H of each vertex. Attached vertices receive next to nothing, and vertices without area stand alone.
pub(super) fn intake(
    laplacian: &Laplacian,
    sources: &[HeatSource],
    attachments: &Attachments,
    conductivity: f64,
) -> Vec<f64> {
    let vertices = sources.par_iter().zip(&laplacian.areas).enumerate();
    vertices
        .map(|(vertex, (source, &area))| {
            let heat = conductivity * source.total();
            match area > 0.0 {
                true => area * heat * if attachments.is_attached(vertex) { FAINT } else { 1.0 },
                false => 1.0,
            }
        })
        .collect()
}

/// The joints that own bones, ascending.
fn owners(bones: &[Bone]) -> Vec<u16> {
    let mut owners: Vec<u16> = bones.iter().map(|bone| bone.owner as u16).collect();
    owners.sort_unstable();
    owners.dedup();
    owners
}

/// The right-hand sides A H p: one column for each owner.
fn inflow(sources: &[HeatSource], intake: &[f64], bones: &[Bone], owners: &[u16]) -> Vec<f64> {
    let column_of_bone: Vec<usize> = bones
        .iter()
        .map(|bone| owners.binary_search(&(bone.owner as u16)).expect("every bone has an owner"))
        .collect();
    let mut columns = vec![0.0; owners.len() * sources.len()];
    for (vertex, (source, &intake)) in sources.iter().zip(intake).enumerate() {
        for (bone, heat) in source.bones() {
            columns[column_of_bone[bone] * sources.len() + vertex] += intake * heat / source.total();
        }
    }
    columns
}
