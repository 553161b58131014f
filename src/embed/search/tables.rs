//! What placements cost at least, sorted, so that most of them are never looked at.

use super::partial::Partial;
use crate::embed::penalty::{
    ASYMMETRY, DIRECTION, JointPlacement, NodeSet, Penalty, SHARED_PATH, TERM_LIMIT, TERMS, TOO_CLOSE,
    asymmetry, shared_path, too_close,
};
use rayon::prelude::*;

/// What a term above its limit means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Mode {
    /// The placement is refused, as one is whose cost reaches the limit.
    Strict { limit: f64 },
    /// It counts as much as the limit of a term.
    Relaxed,
}

impl Mode {
    /// The weighted term as it is counted. Directions of no length make it NaN, which counts as too much.
    pub fn counted(self, term: f64) -> f64 {
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
pub(super) struct Entry {
    /// The cost if no other joint were placed: the least it can be.
    pub least: f64,
    /// The part of it that does not depend on others.
    fixed: f64,
    /// The direction term for the parent, without its weight.
    direction: f64,
    pub node: u32,
}

/// The least that a joint costs, and the index in its row of the tables.
#[derive(Debug, Clone, Copy)]
pub(super) struct Least {
    pub cost: f64,
    pub index: u32,
}

/// For each joint that can be placed next, the least that it costs; zero for the others. The sum is a lower bound for what
/// is missing in a partial embedding.
pub(super) type Outlook = Vec<Least>;

pub(super) const NOWHERE: u32 = u32::MAX;

/// For each joint and sphere of its parent, the spheres that are left, the cheapest first.
pub(super) struct Tables<'a> {
    pub penalty: &'a Penalty<'a>,
    pub mode: Mode,
    /// For each joint, for each candidate of its parent; one list for the root.
    rows: Vec<Vec<Vec<Entry>>>,
    /// For each joint, where a sphere is in its candidates.
    slots: Vec<Vec<u32>>,
}

impl<'a> Tables<'a> {
    pub fn new(penalty: &'a Penalty<'a>, candidates: &[Vec<u32>], mode: Mode) -> Tables<'a> {
        let rows = (0..candidates.len())
            .map(|joint| {
                let own = &candidates[joint];
                match penalty.skeleton.joints[joint].parent {
                    Some(parent) => candidates[parent]
                        .par_iter()
                        .map(|&node| row(penalty, mode, (joint, node), own))
                        .collect(),
                    // The root has no parent; the cost asks for no sphere of it.
                    None => vec![row(penalty, mode, (joint, own[0]), own)],
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
    pub fn row(&self, joint: usize, matched: &[u32]) -> &[Entry] {
        match self.penalty.skeleton.joints[joint].parent {
            Some(parent) => &self.rows[joint][self.slots[parent][matched[parent] as usize] as usize],
            None => &self.rows[joint][0],
        }
    }

    /// The cost of a placement with regard to all joints that are placed; infinite if it is refused or reaches `enough`.
    pub fn cost(&self, entry: &Entry, partial: &Partial, joint: usize, enough: f64) -> f64 {
        let Some(parent) = self.penalty.skeleton.joints[joint].parent else { return entry.fixed };
        let at = partial.placement(self.penalty, joint, entry.node);
        let siblings = self.penalty.direction_from_siblings(&at, parent);
        let mut cost = entry.fixed + self.counted(DIRECTION, entry.direction + siblings);
        // The shared path is the dearest to find out: it comes last.
        for (term, basis) in [
            (ASYMMETRY, asymmetry as fn(&Penalty, &JointPlacement) -> f64),
            (TOO_CLOSE, too_close),
            (SHARED_PATH, shared_path),
        ] {
            if cost >= enough {
                return f64::INFINITY;
            }
            cost += self.counted(term, basis(self.penalty, &at));
        }
        cost
    }

    /// A term with its weight, as the mode counts it.
    fn counted(&self, term: usize, basis: f64) -> f64 {
        self.mode.counted(self.penalty.weighted(term, basis))
    }

    /// What the joints cost at least that can be placed next; none if the sum exceeds `most`. `before` is the same for
    /// a shorter partial embedding.
    pub fn look_ahead(&self, partial: &Partial, before: &Outlook, most: f64) -> Option<Outlook> {
        let mut outlook = vec![Least { cost: 0.0, index: NOWHERE }; self.rows.len()];
        let mut sum = 0.0;
        for joint in self.open_joints(partial.matched.len()) {
            let row = self.row(joint, &partial.matched);
            let earlier = before[joint];
            let mut least = Least { cost: f64::INFINITY, index: NOWHERE };
            if let Some(entry) = row.get(earlier.index as usize) {
                least = Least { cost: self.cost(entry, partial, joint, f64::INFINITY), ..earlier };
            }
            // Nothing became cheaper since then: where the best sphere costs what it did, it is the best.
            for (index, entry) in row.iter().enumerate() {
                if entry.least >= least.cost || least.cost <= earlier.cost {
                    break;
                }
                let cost = self.cost(entry, partial, joint, least.cost);
                if cost < least.cost {
                    least = Least { cost, index: index as u32 };
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
    pub fn least_of_children(&self, joint: usize, node: u32) -> f64 {
        let slot = self.slots[joint][node as usize] as usize;
        let joints = &self.penalty.skeleton.joints;
        (joint + 1..joints.len())
            .filter(|&child| joints[child].parent == Some(joint))
            .map(|child| least(&self.rows[child][slot]))
            .sum()
    }

    /// The least that the joints cost which can be placed next, whatever else is placed, without the first of them.
    pub fn least_of_others(&self, matched: &[u32]) -> f64 {
        let others = self.open_joints(matched.len()).filter(|&joint| joint > matched.len());
        others.map(|joint| least(self.row(joint, matched))).sum()
    }
}

/// The possible spheres of a joint for a sphere of its parent, the cheapest first.
fn row(penalty: &Penalty, mode: Mode, (joint, parent_node): (usize, u32), candidates: &[u32]) -> Vec<Entry> {
    let taken = NodeSet::new(penalty.graph.spheres.len());
    let entries = candidates.iter().map(|&node| {
        Entry::new(penalty, mode, &JointPlacement { joint, node, parent_node, matched: &[], taken: &taken })
    });
    let mut row: Vec<Entry> = entries.filter(|entry| entry.least < mode.limit()).collect();
    row.sort_unstable_by(|a, b| a.least.total_cmp(&b.least).then(a.node.cmp(&b.node)));
    row
}

/// The least that a row costs.
fn least(row: &[Entry]) -> f64 {
    row.first().map_or(f64::INFINITY, |entry| entry.least)
}

impl Entry {
    fn new(penalty: &Penalty, mode: Mode, at: &JointPlacement) -> Entry {
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
