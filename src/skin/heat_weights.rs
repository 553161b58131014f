//! Weights of joints while they are computed: sparse and in double precision.

use rayon::prelude::*;

/// Weights below this are zero: pruning gives away all that is below 0.005, and weights are stored in parts of 65,535.
const NEGLIGIBLE: f64 = 1e-12;

/// Vertices of one task.
const CHUNK: usize = 1024;

/// For each vertex its joints, ascending, with weights that are positive and need not add up to one.
pub(super) struct HeatWeights(Vec<Vec<(u16, f64)>>);

impl HeatWeights {
    /// The weights of `joints` at `vertices`, of which each column holds those of one joint.
    pub fn of_columns(joints: &[u16], columns: &[f64], vertices: usize) -> HeatWeights {
        let lists = (0..vertices).into_par_iter().with_min_len(CHUNK).map(|vertex| {
            let weights = columns[vertex..].iter().step_by(vertices).copied();
            joints.iter().copied().zip(weights).filter(|(_, weight)| *weight > NEGLIGIBLE).collect()
        });
        HeatWeights(lists.collect())
    }

    /// The joints and weights of each vertex.
    pub fn lists(&self) -> &[Vec<(u16, f64)>] {
        &self.0
    }

    /// The part of a vertex's weight on the joints that `belongs` names, from 0 to 1.
    pub fn share(&self, vertex: usize, belongs: impl Fn(usize) -> bool) -> f64 {
        let list = &self.0[vertex];
        let total: f64 = list.iter().map(|(_, weight)| weight).sum();
        let own = list.iter().filter(|(joint, _)| belongs(usize::from(*joint)));
        if total > 0.0 { own.map(|(_, weight)| weight).sum::<f64>() / total } else { 0.0 }
    }

    /// Multiplies the weight of every joint at a vertex by a factor.
    pub fn scale(&mut self, vertex: usize, factor: impl Fn(usize) -> f64) {
        for (joint, weight) in &mut self.0[vertex] {
            *weight *= factor(usize::from(*joint));
        }
    }
}
