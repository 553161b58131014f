//! The beam search.

use super::partial::Partial;
use super::tables::Tables;
use super::{SearchOptions, is_apart};
use rayon::prelude::*;
use std::cmp::Ordering;

/// A partial embedding of the beam with one more sphere.
struct Extension {
    /// Lower bound of the complete embedding's cost.
    bound: f64,
    /// What is missing at least when it is extended.
    missing: f64,
    /// The cost so far; that of the shorter embedding as long as only the bound is known.
    cost: f64,
    /// Index of the partial embedding.
    before: u32,
    /// The new sphere, by its index in the row of the tables.
    index: u32,
}

impl Extension {
    /// Ascending by bound; equal ones in the order in which they were found.
    fn order(&self, other: &Extension) -> Ordering {
        self.bound.total_cmp(&other.bound).then((self.before, self.index).cmp(&(other.before, other.index)))
    }
}

/// Always finds complete embeddings: at each joint the best partial ones are kept.
pub(super) fn search(tables: &Tables, options: &SearchOptions) -> Vec<Vec<u32>> {
    let penalty = tables.penalty;
    let width = options.beam.max(1);
    let mut kept: Vec<(f64, Vec<u32>)> = vec![(0.0, Vec::new())];
    for joint in 0..penalty.skeleton.joints.len() {
        let partials: Vec<Partial> = kept.par_iter().map(|(_, nodes)| Partial::of(penalty, nodes)).collect();
        let mut possible: Vec<Extension> = kept
            .iter()
            .zip(0u32..)
            .flat_map(|((cost, nodes), before)| {
                let others = tables.least_of_others(nodes);
                tables.row(joint, nodes).iter().zip(0u32..).map(move |(entry, index)| {
                    let missing = others + tables.least_of_children(joint, entry.node);
                    Extension { bound: cost + entry.least + missing, missing, cost: *cost, before, index }
                })
            })
            .collect();
        possible.sort_unstable_by(Extension::order);
        // Only those are evaluated whose bound leaves a chance. The chunks do not depend on the number of threads.
        let mut best: Vec<Extension> = Vec::new();
        for chunk in possible.chunks(width) {
            if best.len() == width && chunk[0].bound >= best[width - 1].bound {
                break;
            }
            best.par_extend(chunk.par_iter().map(|extension| {
                let partial = &partials[extension.before as usize];
                let entry = &tables.row(joint, &partial.matched)[extension.index as usize];
                let cost = extension.cost + tables.cost(entry, partial, joint, f64::INFINITY);
                Extension { bound: cost + extension.missing, cost, ..*extension }
            }));
            best.sort_unstable_by(Extension::order);
            best.truncate(width);
        }
        kept = best
            .iter()
            .map(|extension| {
                let nodes = &partials[extension.before as usize].matched;
                let node = tables.row(joint, nodes)[extension.index as usize].node;
                (extension.cost, [nodes.as_slice(), &[node]].concat())
            })
            .collect();
    }
    let mut matches: Vec<Vec<u32>> = Vec::new();
    for (_, nodes) in kept {
        if matches.len() < options.alternatives.max(1)
            && is_apart(penalty.graph, &nodes, &matches, options.separation)
        {
            matches.push(nodes);
        }
    }
    matches
}
