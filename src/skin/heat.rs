//! The heat equilibrium on a surface.
//!
//! Baran & Popović 2007, section 4, equation 1: for each bone i, −Δwⁱ + H wⁱ = H pⁱ, where H is the heat that a
//! vertex gets from its source, c/d² in the paper, and pⁱ tells whether bone i is that source. One matrix for all bones: it is factorised
//! once. In the discrete form used here, K w + A H w = A H p with the cotangent stiffness K and the area A of each
//! vertex, the original program's weights correspond to c = 3.

use super::bones::Bone;
use super::islands::FOLLOWING;
use super::laplacian::Conductor;
use super::sources::Source;
use crate::math::cholesky::{Cholesky, graph_matrix};
use rayon::prelude::*;

/// Weights of joints at vertices.
pub(super) struct Equilibrium {
    /// The joints that own bones.
    pub owners: Vec<u16>,
    /// One column for each of them.
    columns: Vec<f64>,
    vertices: usize,
}

impl Equilibrium {
    /// The weights at a vertex that are not zero.
    pub fn at(&self, vertex: usize) -> impl Iterator<Item = (u16, f64)> + '_ {
        let weight = move |column: usize| self.columns[column * self.vertices + vertex];
        let all = self.owners.iter().enumerate().map(move |(column, &owner)| (owner, weight(column)));
        all.filter(|(_, weight)| *weight > 0.0)
    }

    /// The given weights of joints at a single vertex.
    #[cfg(test)]
    pub fn at_one_vertex(weights: &[(u16, f64)]) -> Equilibrium {
        let (owners, columns) = weights.iter().copied().unzip();
        Equilibrium { owners, columns, vertices: 1 }
    }

    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// The part of a vertex's weight on the joints that `belongs` names, from 0 to 1.
    pub fn share(&self, vertex: usize, belongs: impl Fn(usize) -> bool) -> f64 {
        let total: f64 = self.at(vertex).map(|(_, weight)| weight).sum();
        let own: f64 =
            self.at(vertex).filter(|(joint, _)| belongs(usize::from(*joint))).map(|(_, weight)| weight).sum();
        if total > 0.0 { own / total } else { 0.0 }
    }

    /// Multiplies the weight of every joint at a vertex.
    pub fn scale(&mut self, vertex: usize, factor: impl Fn(usize) -> f64) {
        for (column, &owner) in self.columns.chunks_mut(self.vertices).zip(&self.owners) {
            column[vertex] *= factor(usize::from(owner));
        }
    }

    /// Gives some vertices their common mean.
    pub fn level(&mut self, vertices: &[u32], areas: &[f64]) {
        let total: f64 = vertices.iter().map(|&vertex| areas[vertex as usize]).sum();
        for column in self.columns.chunks_mut(self.vertices) {
            let sum: f64 = vertices.iter().map(|&v| column[v as usize] * areas[v as usize]).sum();
            vertices.iter().for_each(|&vertex| column[vertex as usize] = sum / total);
        }
    }
}

/// What a vertex that no bone heats receives from its nearest one all the same, so that the system has a solution whatever
/// is connected to what.
const FAINT: f64 = 1e-6 * FOLLOWING;

/// Solves for the equilibrium. Vertices without area stand alone.
pub(super) fn equilibrium(
    conductor: &Conductor,
    sources: &[Source],
    is_heated: &[bool],
    bones: &[Bone],
    conductivity: f64,
) -> Equilibrium {
    let vertices = sources.len();
    let received: Vec<f64> = sources
        .par_iter()
        .zip(&conductor.areas)
        .zip(is_heated)
        .map(|((source, &area), &is_heated)| {
            let heat = conductivity * total(source);
            match area > 0.0 {
                true => area * heat * if is_heated { 1.0 } else { FAINT },
                false => 1.0,
            }
        })
        .collect();
    let mut owners: Vec<u16> = bones.iter().map(|bone| bone.owner as u16).collect();
    owners.sort_unstable();
    owners.dedup();
    let column_of_bone: Vec<usize> = bones
        .iter()
        .map(|bone| owners.binary_search(&(bone.owner as u16)).expect("every bone has an owner"))
        .collect();
    let mut columns = vec![0.0; owners.len() * vertices];
    for (vertex, (source, &received)) in sources.iter().zip(&received).enumerate() {
        for (bone, heat) in source.bones() {
            columns[column_of_bone[bone] * vertices + vertex] += received * heat / total(source);
        }
    }
    let matrix = graph_matrix(&received, &conductor.edges);
    match Cholesky::new(&matrix) {
        Some(cholesky) => cholesky.solve(&mut columns),
        // Every vertex receives heat, so this is beyond floating point only; then the nearest bones alone decide.
        None => {
            for column in columns.chunks_mut(vertices.max(1)) {
                column.iter_mut().zip(&received).for_each(|(weight, heat)| *weight /= heat);
            }
        }
    }
    Equilibrium { owners, columns, vertices }
}

/// The heat of all bones together, for c = 1.
fn total(source: &Source) -> f64 {
    source.bones().map(|(_, heat)| heat).sum()
}
