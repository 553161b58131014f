//! Finds the cheapest place for every joint.
//!
//! Baran & Popović 2007, section 3.4: best-first search (A*) over partial embeddings, one joint after the other, with a
//! lower bound for those that can be placed next. No term becomes smaller when more joints are placed, so the first
//! complete embedding taken from the queue is the best.
//!
//! Different from the original: the search is bounded in counted steps and memory, never by the clock. When it
//! finds nothing, a beam search with finite penalties still gives an answer, and says so. What depends only on a joint,
//! its sphere and its parent's sphere is tabulated and sorted, so that most candidates are never looked at; a partial
//! embedding in the queue is one sphere and a link to the one it extends.

use super::graph::MedialGraph;
use super::penalty::{
    ASYMMETRY, DIRECTION, NodeSet, Penalty, PenaltyOptions, Placement, SHARED_PATH, TERM_COUNT, TERM_LIMIT,
    TERMS, TOO_CLOSE, asymmetry, shared_path, too_close,
};
use crate::skeleton::ReducedSkeleton;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
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
    /// An alternative has a joint that is farther than this from its place in every better one.
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
    pub matches: Vec<Match>,
    /// How they were found.
    pub effort: Effort,
    /// Partial embeddings that were taken from the queue.
    pub steps: usize,
    /// The longest that the queue became.
    pub longest_queue: usize,
}

/// A sphere for each joint.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
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
    let best_first = best_first(&strict, options);
    let (matches, effort) = if !best_first.matches.is_empty() {
        (best_first.matches, Effort::Optimal)
    } else if options.best_effort {
        let relaxed = Tables::new(&penalty, candidates, Mode::Relaxed);
        let effort = if best_first.out_of_bounds { Effort::OutOfBounds } else { Effort::OverLimit };
        (beam(&relaxed, options), effort)
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
fn explain(penalty: &Penalty, mode: Mode, nodes: Vec<u32>) -> Match {
    let terms: Vec<[f64; TERM_COUNT]> =
        placements(penalty, &nodes).into_iter().map(|terms| terms.map(|term| mode.counted(term))).collect();
    Match { nodes, cost: terms.iter().flatten().sum(), terms }
}

/// What a term above its limit means.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    /// The placement is refused, as one is whose cost reaches the limit.
    Strict { limit: f64 },
    /// It counts as much as the limit of a term.
    Relaxed,
}

impl Mode {
    /// The weighted term as it is counted. Directions of no length make it NaN, which counts as too much.
    fn counted(self, term: f64) -> f64 {
        match self {
            _ if term <= TERM_LIMIT => term,
            Mode::Strict { .. } => f64::INFINITY,
            Mode::Relaxed => TERM_LIMIT,
        }
    }

    fn limit(self) -> f64 {
        match self {
            Mode::Strict { limit } => limit,
            Mode::Relaxed => f64::INFINITY,
        }
    }
}

/// What it costs at least to place a joint in a sphere if its parent is in another.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The cost if no other joint were placed: the least it can be.
    least: f64,
    /// The part of it that does not depend on others.
    fixed: f64,
    /// The direction term for the parent, without its weight.
    direction: f64,
    node: u32,
}

/// The least that a joint costs, and where in its row of the tables.
#[derive(Debug, Clone, Copy)]
struct Least {
    cost: f64,
    place: u32,
}

/// For each joint that can be placed next, the least that it costs; zero for the others. The sum is a lower bound for what
/// is missing in a partial embedding.
type Outlook = Vec<Least>;

const NOWHERE: u32 = u32::MAX;

/// For each joint and sphere of its parent, the spheres that are left, the cheapest first.
struct Tables<'a> {
    penalty: &'a Penalty<'a>,
    mode: Mode,
    /// For each joint, for each candidate of its parent; one list for the root.
    rows: Vec<Vec<Vec<Entry>>>,
    /// For each joint, where a sphere is in its candidates.
    slots: Vec<Vec<u32>>,
}

impl<'a> Tables<'a> {
    fn new(penalty: &'a Penalty<'a>, candidates: &[Vec<u32>], mode: Mode) -> Tables<'a> {
        let none = NodeSet::new(penalty.graph.spheres.len());
        let rows = (0..candidates.len())
            .map(|joint| {
                let row = |parent_node: u32| {
                    let mut row: Vec<Entry> = candidates[joint]
                        .iter()
                        .map(|&node| {
                            let at = Placement { joint, node, parent_node, matched: &[], taken: &none };
                            Entry::new(penalty, mode, &at)
                        })
                        .filter(|entry| entry.least < mode.limit())
                        .collect();
                    row.sort_unstable_by(|a, b| a.least.total_cmp(&b.least).then(a.node.cmp(&b.node)));
                    row
                };
                match penalty.skeleton.joints[joint].parent {
                    Some(parent) => candidates[parent].par_iter().map(|&node| row(node)).collect(),
                    // The root has no parent; the cost asks for no sphere of it.
                    None => vec![row(candidates[joint][0])],
                }
            })
            .collect();
        let slots = candidates
            .iter()
            .map(|nodes| {
                let mut slots = vec![u32::MAX; penalty.graph.spheres.len()];
                for (slot, &node) in nodes.iter().enumerate() {
                    slots[node as usize] = slot as u32;
                }
                slots
            })
            .collect();
        Tables { penalty, mode, rows, slots }
    }

    /// The possible spheres of a joint whose parent is matched.
    fn row(&self, joint: usize, matched: &[u32]) -> &[Entry] {
        match self.penalty.skeleton.joints[joint].parent {
            Some(parent) => &self.rows[joint][self.slots[parent][matched[parent] as usize] as usize],
            None => &self.rows[joint][0],
        }
    }

    /// The cost of a placement with regard to all joints that are placed; infinite if it is refused or reaches `enough`.
    fn cost(&self, entry: &Entry, partial: &Partial, joint: usize, enough: f64) -> f64 {
        let Some(parent) = self.penalty.skeleton.joints[joint].parent else { return entry.fixed };
        let at = partial.placement(self.penalty, joint, entry.node);
        let weighted = |term: usize, basis: f64| self.mode.counted(self.penalty.weighted(term, basis));
        let siblings = self.penalty.direction_from_siblings(&at, parent);
        let mut cost = entry.fixed + weighted(DIRECTION, entry.direction + siblings);
        // The shared path is the dearest to find out: it comes last.
        for (term, basis) in [
            (ASYMMETRY, asymmetry as fn(&Penalty, &Placement) -> f64),
            (TOO_CLOSE, too_close),
            (SHARED_PATH, shared_path),
        ] {
            if cost >= enough {
                return f64::INFINITY;
            }
            cost += weighted(term, basis(self.penalty, &at));
        }
        cost
    }

    /// What the joints cost at least that can be placed next; none if the sum exceeds `most`. `before` is the same for
    /// a shorter partial embedding.
    fn look_ahead(&self, partial: &Partial, before: &Outlook, most: f64) -> Option<Outlook> {
        let mut outlook = vec![Least { cost: 0.0, place: NOWHERE }; self.rows.len()];
        let mut sum = 0.0;
        for joint in self.open_joints(partial.matched.len()) {
            let row = self.row(joint, &partial.matched);
            let earlier = before[joint];
            let mut least = Least { cost: f64::INFINITY, place: NOWHERE };
            if let Some(entry) = row.get(earlier.place as usize) {
                least = Least { cost: self.cost(entry, partial, joint, f64::INFINITY), ..earlier };
            }
            // Nothing became cheaper since then: where the best place costs what it did, it is the best.
            for (place, entry) in row.iter().enumerate() {
                if entry.least >= least.cost || least.cost <= earlier.cost {
                    break;
                }
                let cost = self.cost(entry, partial, joint, least.cost);
                if cost < least.cost {
                    least = Least { cost, place: place as u32 };
                }
            }
            sum += least.cost;
            if sum > most {
                return None;
            }
            outlook[joint] = least;
        }
        Some(outlook)
    }

    /// The joints that are not among the first `placed` but whose parents are.
    fn open_joints(&self, placed: usize) -> impl Iterator<Item = usize> {
        let joints = &self.penalty.skeleton.joints;
        (placed..joints.len())
            .filter(move |&joint| joints[joint].parent.is_some_and(|parent| parent < placed))
    }

    /// The least that the children of a joint cost if it is in a sphere, whatever else is placed.
    fn least_of_children(&self, joint: usize, node: u32) -> f64 {
        let slot = self.slots[joint][node as usize] as usize;
        let least = |row: &Vec<Entry>| row.first().map_or(f64::INFINITY, |entry| entry.least);
        let joints = &self.penalty.skeleton.joints;
        (joint + 1..joints.len())
            .filter(|&child| joints[child].parent == Some(joint))
            .map(|child| least(&self.rows[child][slot]))
            .sum()
    }

    /// The least that the joints cost which can be placed next, whatever else is placed, without the first of them.
    fn least_of_others(&self, matched: &[u32]) -> f64 {
        let others = self.open_joints(matched.len()).filter(|&joint| joint > matched.len());
        others.map(|joint| self.row(joint, matched).first().map_or(f64::INFINITY, |entry| entry.least)).sum()
    }
}

impl Entry {
    fn new(penalty: &Penalty, mode: Mode, at: &Placement) -> Entry {
        let guide = mode.counted(penalty.guide(at));
        let mut entry = Entry { least: guide, fixed: guide, direction: 0.0, node: at.node };
        if penalty.skeleton.joints[at.joint].parent.is_none() {
            return entry;
        }
        // In this order a refusal comes before the dear terms.
        for (index, term) in TERMS.iter().enumerate() {
            let basis = (term.basis)(penalty, at);
            let cost = mode.counted(penalty.weighted(index, basis));
            entry.least += cost;
            if index == DIRECTION {
                entry.direction = basis;
            } else {
                entry.fixed += cost;
            }
            if entry.least >= mode.limit() {
                break;
            }
        }
        entry
    }
}

/// The spheres of the first joints.
struct Partial {
    matched: Vec<u32>,
    taken: NodeSet,
    /// The spheres that became taken, and for each joint where its own begin.
    trail: Vec<u32>,
    begins: Vec<usize>,
}

impl Partial {
    fn new(graph: &MedialGraph) -> Partial {
        Partial {
            matched: Vec::new(),
            taken: NodeSet::new(graph.spheres.len()),
            trail: Vec::new(),
            begins: Vec::new(),
        }
    }

    fn of(penalty: &Penalty, nodes: &[u32]) -> Partial {
        let mut partial = Partial::new(penalty.graph);
        partial.set(penalty, nodes);
        partial
    }

    /// A joint that could be placed now.
    fn placement(&self, penalty: &Penalty, joint: usize, node: u32) -> Placement<'_> {
        let parent = penalty.skeleton.joints[joint].parent;
        let parent_node = parent.map_or(node, |parent| self.matched[parent]);
        Placement { joint, node, parent_node, matched: &self.matched, taken: &self.taken }
    }

    /// Places the next joint.
    fn push(&mut self, penalty: &Penalty, node: u32) {
        self.begins.push(self.trail.len());
        if let Some(parent) = penalty.skeleton.joints[self.matched.len()].parent {
            for passed in penalty.graph.path(node, self.matched[parent]) {
                if self.taken.insert(passed) {
                    self.trail.push(passed);
                }
            }
        }
        self.matched.push(node);
    }

    /// Takes the last joint back.
    fn pop(&mut self) {
        let begin = self.begins.pop().expect("a joint is placed");
        self.matched.pop();
        for node in self.trail.drain(begin..) {
            self.taken.remove(node);
        }
    }

    fn set(&mut self, penalty: &Penalty, nodes: &[u32]) {
        while !self.matched.is_empty() && !nodes.starts_with(&self.matched) {
            self.pop();
        }
        for &node in &nodes[self.matched.len()..] {
            self.push(penalty, node);
        }
    }
}

/// A partial embedding in the queue: one more sphere than the one it extends.
struct Link {
    before: u32,
    /// The outlook of the one that it extends.
    outlook: u32,
    node: u32,
    cost: f64,
}

const EMPTY: u32 = u32::MAX;

/// Order of the queue: the smallest bound first, then the most complete, then the oldest.
struct Queued {
    bound: f64,
    placed: u32,
    link: u32,
    /// Whether the bound is that of the look-ahead, or a smaller one that was easier to find.
    is_exact: bool,
}

impl Ord for Queued {
    fn cmp(&self, other: &Queued) -> Ordering {
        other
            .bound
            .total_cmp(&self.bound)
            .then(self.placed.cmp(&other.placed))
            .then(other.link.cmp(&self.link))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Queued) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Queued {
    fn eq(&self, other: &Queued) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Queued {}

/// How a best-first search ended.
struct BestFirst {
    matches: Vec<Vec<u32>>,
    steps: usize,
    longest_queue: usize,
    placed: usize,
    out_of_bounds: bool,
}

/// The look-ahead is left until a partial embedding comes first in the queue: most never do. Until then its bound
/// is what was found for the one that it extends.
fn best_first(tables: &Tables, options: &SearchOptions) -> BestFirst {
    let penalty = tables.penalty;
    let joints = penalty.skeleton.joints.len();
    let mut result =
        BestFirst { matches: Vec::new(), steps: 0, longest_queue: 0, placed: 0, out_of_bounds: false };
    let mut links: Vec<Link> = Vec::new();
    let mut queue = BinaryHeap::from([Queued { bound: 0.0, placed: 0, link: EMPTY, is_exact: true }]);
    let mut outlooks: Vec<Outlook> = vec![vec![Least { cost: 0.0, place: NOWHERE }; joints]];
    let mut partial = Partial::new(penalty.graph);
    while let Some(best) = queue.pop() {
        let nodes = trace(&links, best.link);
        if nodes.len() == joints {
            if is_apart(penalty.graph, &nodes, &result.matches, options.separation) {
                result.matches.push(nodes);
            }
            if result.matches.len() >= options.alternatives.max(1) {
                return result;
            }
            continue;
        }
        if result.steps >= options.steps || links.len() >= options.queue {
            result.out_of_bounds = true;
            return result;
        }
        result.steps += 1;
        partial.set(penalty, &nodes);
        let (cost, before) = match links.get(best.link as usize) {
            Some(link) => (link.cost, link.outlook),
            None => (0.0, 0),
        };
        let outlook = tables.look_ahead(&partial, &outlooks[before as usize], options.limit - cost);
        let Some(outlook) = outlook else { continue };
        let bound = cost + outlook.iter().map(|least| least.cost).sum::<f64>();
        if !best.is_exact && bound > best.bound {
            queue.push(Queued { bound, is_exact: true, ..best });
            continue;
        }
        let joint = nodes.len();
        let others: f64 = outlook[joint + 1..].iter().map(|least| least.cost).sum();
        outlooks.push(outlook);
        for entry in tables.row(joint, &nodes) {
            let room = options.limit - cost - others;
            if entry.least > room {
                break;
            }
            let cost = cost + tables.cost(entry, &partial, joint, options.limit - cost);
            let bound = cost + others + tables.least_of_children(joint, entry.node);
            if cost < options.limit && bound <= options.limit {
                let link = links.len() as u32;
                let outlook = outlooks.len() as u32 - 1;
                links.push(Link { before: best.link, outlook, node: entry.node, cost });
                let placed = joint + 1;
                queue.push(Queued { bound, placed: placed as u32, link, is_exact: placed == joints });
                result.placed = result.placed.max(placed);
            }
        }
        result.longest_queue = result.longest_queue.max(queue.len());
    }
    result
}

/// The spheres of a partial embedding, in the order of the joints.
fn trace(links: &[Link], last: u32) -> Vec<u32> {
    let mut nodes = Vec::new();
    let mut at = last;
    while at != EMPTY {
        nodes.push(links[at as usize].node);
        at = links[at as usize].before;
    }
    nodes.reverse();
    nodes
}

/// True if an embedding differs from all others by a joint that is farther away than `separation`.
fn is_apart(graph: &MedialGraph, nodes: &[u32], others: &[Vec<u32>], separation: f64) -> bool {
    let differs = |a: u32, b: u32| a != b && (graph.center(a) - graph.center(b)).norm() > separation;
    others.iter().all(|other| nodes.iter().zip(other).any(|(&a, &b)| differs(a, b)))
}

/// A way to extend a partial embedding of the beam.
struct Extension {
    /// Lower bound of the complete embedding's cost.
    bound: f64,
    /// What is missing at least when it is extended.
    missing: f64,
    /// The cost so far; that of the shorter embedding as long as only the bound is known.
    cost: f64,
    /// Index of the partial embedding.
    before: u32,
    /// The new sphere, by its place in the row of the tables.
    place: u32,
}

impl Extension {
    /// Ascending by bound; equal ones in the order in which they were found.
    fn order(&self, other: &Extension) -> Ordering {
        self.bound.total_cmp(&other.bound).then((self.before, self.place).cmp(&(other.before, other.place)))
    }
}

/// Always finds complete embeddings: at each joint the best partial ones are kept.
fn beam(tables: &Tables, options: &SearchOptions) -> Vec<Vec<u32>> {
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
                tables.row(joint, nodes).iter().zip(0u32..).map(move |(entry, place)| {
                    let missing = others + tables.least_of_children(joint, entry.node);
                    Extension { bound: cost + entry.least + missing, missing, cost: *cost, before, place }
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
                let entry = &tables.row(joint, &partial.matched)[extension.place as usize];
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
                let node = tables.row(joint, nodes)[extension.place as usize].node;
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
