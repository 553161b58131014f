//! Finds the cheapest sphere for every joint.
//!
//! Baran & Popović 2007, section 3.4: best-first search (A*) over partial embeddings, one joint after the other, with a
//! lower bound for those that can be placed next. No term becomes smaller when more joints are placed, so the first
//! complete embedding taken from the queue is the best.
//!
//! Different from the original: the search is bounded in counted steps and memory, never by the clock. When it
//! finds nothing, a beam search with finite penalties still gives an answer, and says so. What depends only on a joint,
//! its sphere and its parent's sphere is tabulated and sorted, so that most candidates are never looked at; a partial
//! embedding in the queue is one sphere and a link to the one it extends.

mod beam;
mod best_first;
mod partial;
mod tables;

use super::graph::MedialGraph;
use super::penalty::{Penalty, PenaltyOptions, TERM_COUNT};
use crate::skeleton::ReducedSkeleton;
use partial::Partial;
use tables::{Mode, Tables};
use thiserror::Error;

/// Bounds of the search, and what it shall give.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchOptions {
    /// Weights, hints and additional costs.
    pub penalty: PenaltyOptions,
    /// Embeddings that cost as much are refused.
    pub limit: f64,
    /// Most partial embeddings that are taken from the queue before the search gives up, at about 10 µs each. A skeleton
    /// that belongs to the character needs ten to some ten thousand; one that does not can use up any number.
    pub steps: usize,
    /// Most partial embeddings that are remembered, about 50 bytes each.
    pub queue: usize,
    /// How many embeddings to give, the best first; fewer if there are not so many, or the bounds are reached.
    pub alternatives: usize,
    /// An alternative has a joint that is farther than this from where every better one has it.
    pub separation: f64,
    /// Whether to answer even when no embedding stays below the limit; `false` is what the original does.
    pub best_effort: bool,
    /// Partial embeddings kept for each joint by the best-effort search. Few miss the best one, many only take time.
    pub beam: usize,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            penalty: PenaltyOptions::default(),
            limit: 1.0,
            steps: 50_000,
            queue: 300_000,
            alternatives: 1,
            separation: 0.0,
            best_effort: true,
            beam: 400,
        }
    }
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// At least one embedding, the best first.
    pub matches: Vec<SearchMatch>,
    /// How they were found.
    pub effort: Effort,
    /// Partial embeddings that were taken from the queue.
    pub steps: usize,
    /// The longest that the queue became.
    pub longest_queue: usize,
}

/// A sphere for each joint.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchMatch {
    /// For each joint its sphere.
    pub nodes: Vec<u32>,
    /// The total cost: the residual that tells good embeddings from bad ones.
    pub cost: f64,
    /// The cost of each joint, split by term.
    pub terms: Vec<[f64; TERM_COUNT]>,
}

/// How an embedding was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// It is the best that exists.
    Optimal,
    /// Nothing stays below the limit; it is the best of a beam with each term counted up to its limit.
    OverLimit,
    /// The search reached its bounds; it is the best of a beam with each term counted up to its limit.
    OutOfBounds,
}

/// There is no embedding.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SearchError {
    /// A joint may not be placed anywhere.
    #[error("there is no place for joint {joint} in a graph of {spheres} spheres")]
    NoCandidates {
        /// The joint.
        joint: usize,
        /// Size of the graph.
        spheres: usize,
    },
    /// No embedding is cheap enough, and none that is not was asked for.
    #[error("no embedding costs less than the limit; at most {placed} of {joints} joints could be placed")]
    NoMatch {
        /// The most joints that were placed.
        placed: usize,
        /// How many there are.
        joints: usize,
        /// Whether the search ended because of its bounds.
        out_of_bounds: bool,
    },
}

/// Finds the cheapest embeddings. `candidates` are the spheres allowed for each joint.
///
/// Tables take at most 32 bytes for each joint, candidate and candidate of its parent, and about 0.3 µs each to fill.
///
/// # Errors
/// [`SearchError::NoCandidates`]; [`SearchError::NoMatch`] only without [`SearchOptions::best_effort`].
///
/// # Panics
/// If `candidates` has not one list for each joint, or names spheres that do not exist.
pub fn search(
    skeleton: &ReducedSkeleton,
    graph: &MedialGraph,
    candidates: &[Vec<u32>],
    options: &SearchOptions,
) -> Result<Found, SearchError> {
    assert_eq!(candidates.len(), skeleton.joints.len(), "one list of candidates for each joint");
    if let Some(joint) = candidates.iter().position(Vec::is_empty) {
        return Err(SearchError::NoCandidates { joint, spheres: graph.spheres.len() });
    }
    let penalty = Penalty::new(skeleton, graph, &options.penalty);
    let strict = Tables::new(&penalty, candidates, Mode::Strict { limit: options.limit });
    let best_first = best_first::search(&strict, options);
    let (matches, effort) = if !best_first.matches.is_empty() {
        (best_first.matches, Effort::Optimal)
    } else if options.best_effort {
        let relaxed = Tables::new(&penalty, candidates, Mode::Relaxed);
        let effort = if best_first.out_of_bounds { Effort::OutOfBounds } else { Effort::OverLimit };
        (beam::search(&relaxed, options), effort)
    } else {
        return Err(SearchError::NoMatch {
            placed: best_first.placed,
            joints: skeleton.joints.len(),
            out_of_bounds: best_first.out_of_bounds,
        });
    };
    let mode = if effort == Effort::Optimal { strict.mode } else { Mode::Relaxed };
    Ok(Found {
        matches: matches.into_iter().map(|nodes| explain(&penalty, mode, nodes)).collect(),
        effort,
        steps: best_first.steps,
        longest_queue: best_first.longest_queue,
    })
}

/// The weighted terms of a complete embedding, joint by joint, as they are: nothing is cut off.
///
/// # Panics
/// If `nodes` has more spheres than the skeleton joints.
pub fn placements(penalty: &Penalty, nodes: &[u32]) -> Vec<[f64; TERM_COUNT]> {
    let mut partial = Partial::new(penalty.graph);
    let terms = nodes.iter().enumerate().map(|(joint, &node)| {
        let terms = penalty.terms(&partial.placement(penalty, joint, node));
        partial.push(penalty, node);
        terms
    });
    terms.collect()
}

/// The cost of a complete embedding, joint by joint and term by term.
fn explain(penalty: &Penalty, mode: Mode, nodes: Vec<u32>) -> SearchMatch {
    let terms: Vec<[f64; TERM_COUNT]> =
        placements(penalty, &nodes).into_iter().map(|terms| terms.map(|term| mode.counted(term))).collect();
    SearchMatch { nodes, cost: terms.iter().flatten().sum(), terms }
}

/// True if an embedding differs from all others by a joint that is farther away than `separation`.
fn is_apart(graph: &MedialGraph, nodes: &[u32], others: &[Vec<u32>], separation: f64) -> bool {
    others.iter().all(|other| {
        let pairs = nodes.iter().zip(other).filter(|(a, b)| a != b);
        pairs.into_iter().any(|(&a, &b)| (graph.center(a) - graph.center(b)).norm() > separation)
    })
}
