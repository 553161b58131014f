//! The best-first search (A*).

use super::partial::Partial;
use super::tables::{Least, NOWHERE, Outlook, Tables};
use super::{SearchOptions, is_apart};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

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
pub(super) struct BestFirst {
    pub matches: Vec<Vec<u32>>,
    pub steps: usize,
    pub longest_queue: usize,
    pub placed: usize,
    pub out_of_bounds: bool,
}

/// The look-ahead is left until a partial embedding comes first in the queue: most never do. Until then its bound
/// is what was found for the one that it extends.
pub(super) fn search(tables: &Tables, options: &SearchOptions) -> BestFirst {
    let penalty = tables.penalty;
    let joints = penalty.skeleton.joints.len();
    let mut result =
        BestFirst { matches: Vec::new(), steps: 0, longest_queue: 0, placed: 0, out_of_bounds: false };
    let mut links: Vec<Link> = Vec::new();
    let mut queue = BinaryHeap::from([Queued { bound: 0.0, placed: 0, link: EMPTY, is_exact: true }]);
    let mut outlooks: Vec<Outlook> = vec![vec![Least { cost: 0.0, index: NOWHERE }; joints]];
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
