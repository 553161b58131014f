//! What it costs to place a joint in a sphere.
//!
//! Baran & Popović 2007, section 3.3: nine basis functions, whose weights were learned from examples, by the authors or by
//! [`learn`](crate::stages::learn). The paper only names them; formulas and constants are those of its public release. A function
//! that is infinite there is [`FORBIDDEN`] here, which makes every weighted term that contains it exceed [`TERM_LIMIT`],
//! whatever its weight. A tenth function, the length on either side, is our own.

mod node_set;
mod terms;

pub use node_set::NodeSet;
pub(super) use terms::{asymmetry, log_ratio, shared_path, too_close};

use super::candidates::Hint;
use super::graph::MedialGraph;
use super::split::along;
use crate::math::Vec3;
use crate::skeleton::{PENALTIES, PLACEMENT_PENALTIES, PenaltyWeights, ReducedSkeleton};
use std::cell::RefCell;
use terms::{another_length, bend, direction, foot_height, no_length, not_at_end, too_short};

/// A basis function.
#[derive(Debug, Clone, Copy)]
pub struct Term {
    /// What a person reads in a report.
    pub name: &'static str,
    /// The function.
    pub basis: fn(&Penalty, &JointPlacement) -> f64,
}

/// The nine terms of the paper and one of our own, in the order in which they are evaluated: the first of [`PENALTIES`].
pub const TERMS: [Term; PLACEMENT_PENALTIES] = [
    Term { name: PENALTIES[0].name, basis: too_short },
    Term { name: PENALTIES[1].name, basis: direction },
    Term { name: PENALTIES[2].name, basis: asymmetry },
    Term { name: PENALTIES[3].name, basis: shared_path },
    Term { name: PENALTIES[4].name, basis: foot_height },
    Term { name: PENALTIES[5].name, basis: no_length },
    Term { name: PENALTIES[6].name, basis: bend },
    Term { name: PENALTIES[7].name, basis: not_at_end },
    Term { name: PENALTIES[8].name, basis: too_close },
    Term { name: PENALTIES[9].name, basis: another_length },
];

/// Length of a cost split by term: these, then the guide (hints and what the caller adds).
pub const TERM_COUNT: usize = TERMS.len() + 1;
/// The index of the guide in a cost split by term.
pub const GUIDE: usize = TERMS.len();
/// A weighted term above this rules the placement out.
pub const TERM_LIMIT: f64 = 1.0;
/// Stands for an infinite basis function.
pub const FORBIDDEN: f64 = 1e10;

/// The index of the direction in [`TERMS`], the only term with a part that depends on the parent alone and one that
/// depends on other joints.
pub(super) const DIRECTION: usize = 1;
pub(super) const ASYMMETRY: usize = 2;
pub(super) const SHARED_PATH: usize = 3;
pub(super) const TOO_CLOSE: usize = 8;

/// Cost of a joint that is one unit cube away from its hint. Small against it, other terms overrule the hint; large,
/// a hint that is a little wrong bends the whole chain.
const HINT_COST: f64 = 2.0;

/// What the cost depends on besides skeleton and graph.
#[derive(Debug, Clone, PartialEq)]
pub struct PenaltyOptions {
    /// One weight for each of [`TERMS`].
    pub weights: [f64; TERMS.len()],
    /// Size of the skeleton in parts of the character's: templates are smaller, because bones that are too short are
    /// forbidden.
    pub size: f64,
    /// Joints whose positions are known, more or less.
    pub hints: Vec<Hint>,
    /// For each joint, the additional cost of each sphere, not negative. Empty: none.
    pub guide: Vec<Vec<f64>>,
}

impl Default for PenaltyOptions {
    fn default() -> PenaltyOptions {
        PenaltyOptions {
            weights: PenaltyWeights::of_paper_alone().of_placement(),
            size: 1.0,
            hints: Vec::new(),
            guide: Vec::new(),
        }
    }
}

/// A joint that is about to be placed, and what is placed already.
#[derive(Debug, Clone, Copy)]
pub struct JointPlacement<'a> {
    /// The joint.
    pub joint: usize,
    /// Its sphere.
    pub node: u32,
    /// The sphere of its parent.
    pub parent_node: u32,
    /// The spheres of the joints before it, at least up to its parent; or nothing, for the cost that does not
    /// depend on other joints than the parent.
    pub matched: &'a [u32],
    /// The spheres on the paths of the bones placed already.
    pub taken: &'a NodeSet,
}

/// The cost of placements of one skeleton in one graph.
#[derive(Debug)]
pub struct Penalty<'a> {
    pub(super) skeleton: &'a ReducedSkeleton,
    pub(super) graph: &'a MedialGraph,
    pub(super) weights: [f64; TERMS.len()],
    /// For each joint, the additional cost of each sphere.
    guide: Vec<Vec<f64>>,
    /// For each joint, the hints for joints inside its chain: index in the chain, point, distance to the nearest sphere.
    chain_hints: Vec<Vec<(usize, Vec3, f64)>>,
    /// Height of the lowest sphere.
    ground: f64,
    /// Lowest common ancestor, joints × joints.
    ancestor: Vec<usize>,
    /// Direction from the second to the first joint in the rest pose, joints × joints.
    rest_direction: Vec<Vec3>,
    /// Size of the skeleton in parts of the character's.
    size: f64,
}

impl<'a> Penalty<'a> {
    /// Prepares what all placements have in common.
    ///
    /// # Panics
    /// If the guide is not empty and has not one value for each joint and sphere.
    pub fn new(
        skeleton: &'a ReducedSkeleton,
        graph: &'a MedialGraph,
        options: &PenaltyOptions,
    ) -> Penalty<'a> {
        let count = skeleton.joints.len();
        let mut guide = options.guide.clone();
        guide.resize(count, vec![0.0; graph.spheres.len()]);
        assert!(guide.iter().all(|costs| costs.len() == graph.spheres.len()), "one cost for each sphere");
        let mut chain_hints = vec![Vec::new(); count];
        for hint in &options.hints {
            let distances = graph.spheres.iter().map(|sphere| (sphere.center - hint.point).norm());
            let nearest = distances.clone().fold(f64::INFINITY, f64::min);
            if let Some(joint) = skeleton.joints.iter().position(|joint| joint.full == hint.full) {
                for (cost, distance) in guide[joint].iter_mut().zip(distances) {
                    *cost += HINT_COST * (distance - nearest);
                }
            } else if let Some((joint, link)) = skeleton.find(hint.full) {
                chain_hints[joint].push((link, hint.point, nearest));
            }
        }
        let pairs = (0..count).flat_map(|a| (0..count).map(move |b| (a, b)));
        Penalty {
            skeleton,
            graph,
            weights: options.weights,
            guide,
            chain_hints,
            ground: graph.spheres.iter().map(|sphere| sphere.center.y).fold(1.0, f64::min),
            size: options.size,
            ancestor: pairs.clone().map(|(a, b)| common_ancestor(skeleton, a, b)).collect(),
            rest_direction: pairs
                .map(|(a, b)| (skeleton.joints[a].position - skeleton.joints[b].position).normalize())
                .collect(),
        }
    }

    /// The weighted terms of a placement, as they are: nothing is cut off.
    pub fn terms(&self, placement: &JointPlacement) -> [f64; TERM_COUNT] {
        let mut terms = [0.0; TERM_COUNT];
        if self.skeleton.joints[placement.joint].parent.is_some() {
            for (index, (cost, term)) in terms.iter_mut().zip(&TERMS).enumerate() {
                *cost = self.weighted(index, (term.basis)(self, placement));
            }
        }
        terms[GUIDE] = self.guide(placement);
        terms
    }

    /// A term with its weight. What is forbidden is so even where the weight is zero.
    pub(super) fn weighted(&self, term: usize, basis: f64) -> f64 {
        if basis >= FORBIDDEN { FORBIDDEN } else { self.weights[term] * basis }
    }

    /// The cost of hints and of what the caller added.
    pub(super) fn guide(&self, at: &JointPlacement) -> f64 {
        let mut cost = self.guide[at.joint][at.node as usize];
        let hints = &self.chain_hints[at.joint];
        if !hints.is_empty() {
            self.with_chain(at, |points| {
                for &(link, point, nearest) in hints {
                    cost += HINT_COST * ((points[link] - point).norm() - nearest).max(0.0);
                }
            });
        }
        cost
    }

    /// The joint's chain laid along the shortest path.
    fn with_chain<R>(&self, at: &JointPlacement, use_points: impl FnOnce(&[Vec3]) -> R) -> R {
        thread_local! {
            // Called for every pair of spheres: an allocation each would double the time of the tables.
            static POINTS: RefCell<Vec<Vec3>> = const { RefCell::new(Vec::new()) };
        }
        POINTS.with_borrow_mut(|points| {
            along(self.graph, at.parent_node, at.node, &self.skeleton.joints[at.joint].chain, points);
            use_points(points)
        })
    }
}

fn common_ancestor(skeleton: &ReducedSkeleton, mut a: usize, mut b: usize) -> usize {
    while a != b {
        // Parents come before their children.
        let later = if a > b { &mut a } else { &mut b };
        *later = skeleton.joints[*later].parent.expect("only the first joint is a root");
    }
    a
}

#[cfg(test)]
mod tests {
    use super::terms::{FARTHEST, TINY};
    use super::*;
    use crate::embed::Sphere;
    use crate::io::skeleton_file;

    /// A trunk of length 1 with two legs down to the ground, each of two bones.
    fn skeleton() -> ReducedSkeleton {
        let text = "puppetry-skeleton 1
        name small
            joint chest - 0 2 0
            joint hips chest 0 1 0
            pair lknee rknee hips 0 0.5 0
            pair lfoot rfoot lknee 0 0 0 foot";
        ReducedSkeleton::of(&skeleton_file::read(text).unwrap())
    }

    fn graph(centers: &[(f64, f64)], edges: &[[u32; 2]]) -> MedialGraph {
        let sphere = |&(x, y): &(f64, f64)| Sphere { center: Vec3::new(x, y, 0.0), radius: 0.1 };
        MedialGraph::new(centers.iter().map(sphere).collect(), edges.to_vec())
    }

    /// The bases of placing the joint after `matched`, whose bones have taken `taken`.
    fn bases(graph: &MedialGraph, matched: &[u32], node: u32, taken: &[u32]) -> [f64; TERMS.len()] {
        let skeleton = skeleton();
        let options = PenaltyOptions { weights: [1.0; PLACEMENT_PENALTIES], ..PenaltyOptions::default() };
        let penalty = Penalty::new(&skeleton, graph, &options);
        let joint = matched.len();
        let parent_node = matched[skeleton.joints[joint].parent.unwrap()];
        let mut set = NodeSet::new(graph.spheres.len());
        taken.iter().for_each(|&node| assert!(set.insert(node)));
        let terms = penalty.terms(&JointPlacement { joint, node, parent_node, matched, taken: &set });
        terms[..TERMS.len()].try_into().unwrap()
    }

    #[test]
    fn a_bone_of_its_own_length_and_direction_costs_only_its_length() {
        // 1 / (1 + 0.7 · 0.2) is a little above one half.
        let row = graph(&[(0.0, 2.0), (0.0, 1.0)], &[[0, 1]]);
        let terms = bases(&row, &[0], 1, &[]);
        assert!((terms[0] - f64::powi(2.0 * (1.0 / 1.14 - 0.5), 3)).abs() < 1e-12);
        assert_eq!(terms[1..9], [0.0; 8]);
    }

    #[test]
    fn what_is_forbidden_is_so_whatever_the_weight() {
        // The bone of length one has a path of nearly none.
        let row = graph(&[(0.0, 2.0), (0.0, 1.95)], &[[0, 1]]);
        let skeleton = skeleton();
        let options = PenaltyOptions { weights: [0.0; PLACEMENT_PENALTIES], ..PenaltyOptions::default() };
        let penalty = Penalty::new(&skeleton, &row, &options);
        let taken = NodeSet::new(2);
        let terms = penalty.terms(&JointPlacement {
            joint: 1,
            node: 1,
            parent_node: 0,
            matched: &[0],
            taken: &taken,
        });
        assert!(terms[0] > TERM_LIMIT && terms[1..] == [0.0; TERM_COUNT - 1], "{terms:?}");
    }

    #[test]
    fn half_and_twice_the_length_cost_the_same() {
        // The bone has length one; tiny lengths are added to both.
        let length = |path: f64| {
            let row = graph(&[(0.0, 2.0), (0.0, 2.0 - path)], &[[0, 1]]);
            bases(&row, &[0], 1, &[])[9]
        };
        assert!(length(1.0) < 1e-12);
        let twice = 2.0 * (1.0 + TINY) - TINY;
        let half = 0.5 * (1.0 + TINY) - TINY;
        assert!((length(twice) - 2f64.ln().powi(2)).abs() < 1e-12);
        assert!((length(half) - 2f64.ln().powi(2)).abs() < 1e-12);
        assert_eq!(length(30.0), FARTHEST * FARTHEST);
    }

    #[test]
    fn short_bones_cost_and_long_ones_do_not() {
        let cost = |y: f64| bases(&graph(&[(0.0, 2.0), (0.0, y)], &[[0, 1]]), &[0], 1, &[])[0];
        assert_eq!(cost(-1.0), 0.0);
        assert!((cost(2.0 - 0.86) - 1.0).abs() < 1e-12);
        assert_eq!(cost(2.0 - 0.35), FORBIDDEN);
        let apart = graph(&[(0.0, 2.0), (0.0, 1.0)], &[]);
        assert_eq!(bases(&apart, &[0], 1, &[])[0], FORBIDDEN);
    }

    #[test]
    fn directions_are_those_of_the_rest_pose() {
        let terms = |x: f64, y: f64| bases(&graph(&[(0.0, 2.0), (x, y)], &[[0, 1]]), &[0], 1, &[]);
        // A right angle: cosine 0.
        let aside = terms(1.0, 2.0);
        assert!((aside[1] - 0.5 * 15.9).abs() < 1e-9 && (aside[6] - 50.0).abs() < 1e-9);
        assert_eq!(terms(0.1, 3.0)[1], FORBIDDEN);
        // Opposite: (1 + 1) · 6, squared.
        assert!((terms(0.0, 3.0)[6] - 50.0 * 144.0).abs() < 1e-9);
        // Nothing is asked of the direction of a bone of no length, but it costs.
        let nowhere = bases(&graph(&[(0.0, 2.0)], &[]), &[0], 0, &[]);
        assert_eq!((nowhere[1], nowhere[5], nowhere[6]), (0.0, 1.0, 0.0));
    }

    #[test]
    fn a_second_leg_in_the_first_one_shares_its_path_and_one_beside_it_is_free() {
        let legs = graph(
            &[(0.0, 2.0), (0.0, 1.0), (0.2, 0.5), (0.2, 0.0), (-0.2, 0.5), (-0.2, 0.0)],
            &[[0, 1], [1, 2], [2, 3], [1, 4], [4, 5]],
        );
        let taken = [0, 1, 2, 3];
        let beside = bases(&legs, &[0, 1, 3], 5, &taken);
        assert_eq!((beside[2], beside[3], beside[8]), (0.0, 0.0, 0.0));
        // Both spheres of the leg are taken, counted from its end: 1/2 + 1/8, and 1/2 for sharing at all. The feet are
        // 2 · 1.04 apart along the bones and in one place.
        let same = bases(&legs, &[0, 1, 3], 3, &taken);
        assert!((same[3] - (0.5 + 0.125 + 0.5)).abs() < 1e-12);
        assert_eq!(same[8], 1.0);
        // Half the length of its partner.
        let half = bases(&legs, &[0, 1, 3], 4, &taken);
        assert!(half[2] > 1.0, "{half:?}");
        assert!((half[4] - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_bone_of_no_length_in_the_skeleton_costs_nothing() {
        let text = "puppetry-skeleton 1\nname small\njoint a - 0 2 0\njoint b a 0 2 0\njoint c b 0 1 0";
        let skeleton = ReducedSkeleton::of(&skeleton_file::read(text).unwrap());
        let row = graph(&[(0.0, 2.0), (0.0, 1.0)], &[[0, 1]]);
        let penalty = Penalty::new(&skeleton, &row, &PenaltyOptions::default());
        let taken = NodeSet::new(2);
        let terms = penalty.terms(&JointPlacement {
            joint: 1,
            node: 1,
            parent_node: 0,
            matched: &[0],
            taken: &taken,
        });
        assert_eq!(terms[1..], [0.0; TERM_COUNT - 1]);
    }

    #[test]
    fn a_limb_should_not_end_in_its_middle() {
        let leg = graph(&[(0.0, 2.0), (0.0, 1.0), (0.0, 0.5), (0.0, 0.0)], &[[0, 1], [1, 2], [2, 3]]);
        assert_eq!(bases(&leg, &[0, 1], 2, &[])[7], 1.0);
        assert_eq!(bases(&leg, &[0, 1], 3, &[])[7], 0.0);
    }

    #[test]
    fn the_guide_is_what_the_caller_adds_and_the_distance_from_hints() {
        let skeleton = skeleton();
        let leg = graph(&[(0.0, 2.0), (0.0, 1.0), (0.0, 0.0)], &[[0, 1], [1, 2]]);
        let (knee, foot) = (2, 4);
        let guide = |hints: Vec<Hint>, guide: Vec<Vec<f64>>| {
            let options = PenaltyOptions { hints, guide, ..PenaltyOptions::default() };
            let penalty = Penalty::new(&skeleton, &leg, &options);
            let taken = NodeSet::new(3);
            penalty.terms(&JointPlacement {
                joint: 2,
                node: 2,
                parent_node: 1,
                matched: &[0, 1],
                taken: &taken,
            })[GUIDE]
        };
        assert_eq!(guide(Vec::new(), vec![vec![0.0; 3], vec![0.0; 3], vec![0.1, 0.2, 0.3]]), 0.3);
        // The foot is one unit farther from the hint than the nearest sphere.
        let hint = Hint { full: foot, point: Vec3::new(0.0, 1.0, 0.0) };
        assert_eq!(guide(vec![hint], Vec::new()), HINT_COST);
        // The knee comes to lie at half the path, 0.5 from its hint, which is at 0 from a sphere.
        let hint = Hint { full: knee, point: Vec3::new(0.0, 1.0, 0.0) };
        assert!((guide(vec![hint], Vec::new()) - 0.5 * HINT_COST).abs() < 1e-12);
    }
}
