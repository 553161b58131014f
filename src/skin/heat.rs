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
use std::borrow::Cow;

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
    attachments: &Attachments,
    conductivity: f64,
    symbolic: &SymbolicCache,
) -> HeatWeights {
    let (owners, vertices) = (owners(bones), sources.len());
    let mut intake = intake(laplacian, sources, attachments, conductivity);
    let mut columns = inflow(sources, &intake, bones, &owners, attachments);
    let unknowns = Unknowns::of(attachments, vertices);
    unknowns.gather(&mut intake);
    columns.chunks_mut(vertices.max(1)).for_each(|column| unknowns.gather(column));
    // Merged vertices have no edges: they stand alone.
    unknowns.merged().for_each(|vertex| intake[vertex] = 1.0);
    let contracted = unknowns.contract(laplacian);
    HeatSystem::new(&contracted, intake, symbolic).diffuse(&mut columns);
    columns.chunks_mut(vertices.max(1)).for_each(|column| unknowns.spread(column));
    HeatWeights::of_columns(&owners, &columns, vertices)
}

/// Which unknown of the system each vertex is: a rigid component has one, that of its first vertex.
struct Unknowns {
    of_vertex: Vec<u32>,
    has_rigid: bool,
}

impl Unknowns {
    fn of(attachments: &Attachments, vertices: usize) -> Unknowns {
        let mut unknowns = Unknowns { of_vertex: (0..vertices as u32).collect(), has_rigid: false };
        for component in attachments.unknowns() {
            unknowns.has_rigid = true;
            component.iter().for_each(|&vertex| unknowns.of_vertex[vertex as usize] = component[0]);
        }
        unknowns
    }

    /// Vertices that share the unknown of another.
    fn merged(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.of_vertex.len()).filter(|&vertex| self.of_vertex[vertex] as usize != vertex)
    }

    /// Adds what belongs to merged vertices to their unknown.
    fn gather(&self, values: &mut [f64]) {
        for vertex in self.merged() {
            values[self.of_vertex[vertex] as usize] += std::mem::take(&mut values[vertex]);
        }
    }

    /// Gives merged vertices the value of their unknown.
    fn spread(&self, values: &mut [f64]) {
        self.merged().for_each(|vertex| values[vertex] = values[self.of_vertex[vertex] as usize]);
    }

    /// The Laplacian between unknowns.
    fn contract<'l>(&self, laplacian: &'l Laplacian) -> Cow<'l, Laplacian> {
        if !self.has_rigid {
            return Cow::Borrowed(laplacian);
        }
        let edges = laplacian.edges.iter();
        let edges = edges
            .map(|&(a, b, weight)| (self.of_vertex[a as usize], self.of_vertex[b as usize], weight))
            .filter(|(a, b, _)| a != b);
        Cow::Owned(Laplacian { edges: edges.collect(), areas: laplacian.areas.clone() })
    }
}

/// A H of each vertex. Attached vertices receive next to nothing, and vertices without area stand alone.
fn intake(
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
fn inflow(
    sources: &[HeatSource],
    intake: &[f64],
    bones: &[Bone],
    owners: &[u16],
    attachments: &Attachments,
) -> Vec<f64> {
    let column_of_bone: Vec<usize> = bones
        .iter()
        .map(|bone| owners.binary_search(&(bone.owner as u16)).expect("every bone has an owner"))
        .collect();
    let mut columns = vec![0.0; owners.len() * sources.len()];
    for (vertex, (source, &intake)) in sources.iter().zip(intake).enumerate() {
        let only =
            attachments.only_joint(vertex).and_then(|joint| owners.binary_search(&(joint as u16)).ok());
        if let Some(column) = only {
            columns[column * sources.len() + vertex] = intake;
            continue;
        }
        for (bone, heat) in source.bones() {
            columns[column_of_bone[bone] * sources.len() + vertex] += intake * heat / source.total();
        }
    }
    columns
}
