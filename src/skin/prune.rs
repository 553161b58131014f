//! Pruning: the few joints that move each vertex.
//!
//! Engines take four or eight joints for each vertex. The weight of the other joints goes to those that stay and are nearest
//! in the skeleton: neighbours rotate almost alike, so that the deformation changes least.

use super::heat_weights::HeatWeights;
use crate::math::powi;
use crate::rig::{MaxInfluences, SkinWeights};
use crate::skeleton::Skeleton;
use rayon::prelude::*;
use std::cmp::Ordering;

/// Weights below this move nothing that can be seen and are given to a neighbour.
const FAINT: f64 = 0.005;
/// A weight that exceeds the largest dropped one by this part is kept whole; below, a part is given away, so that nothing
/// jumps from a vertex to the next where the order of two joints changes. With a sharp border the tail of a donkey, which
/// has weights of five joints, is torn ten times its length; much wider, weights give away what they need not.
const FADE: f64 = 0.3;
/// Of two joints of the same weight, one that is a step farther away in the skeleton receives this part of what the other receives.
/// The nearest one takes nearly all, unless it is about to be dropped itself: the whole to the nearest would make a jump there.
const PER_STEP: f64 = 0.125;
/// Vertices of one task.
const CHUNK: usize = 1024;

/// Prunes the weights of all vertices; those without any weight move with their joint in `fallback`.
pub(super) fn prune(
    weights: &HeatWeights,
    skeleton: &Skeleton,
    max: MaxInfluences,
    fallback: &[usize],
) -> SkinWeights {
    let pruner = Pruner::of(skeleton);
    let chunks = weights.lists().par_chunks(CHUNK).zip(fallback.par_chunks(CHUNK));
    let pruned: Vec<SkinWeights> = chunks
        .map(|(lists, fallback)| {
            let mut pruned = SkinWeights::new(max);
            for (list, &fallback) in lists.iter().zip(fallback) {
                pruner.prune(list, fallback as u16, &mut pruned);
            }
            pruned
        })
        .collect();
    let mut all = SkinWeights::new(max);
    pruned.into_iter().for_each(|chunk| all.append(chunk));
    all
}

/// A joint and its weight.
type Influence = (u16, f64);

/// Moves weight to the nearest joints.
pub(super) struct Pruner {
    /// For each joint, how near every joint is in the skeleton, from 1 for itself to 0.
    nearness: Vec<Vec<f64>>,
}

impl Pruner {
    pub fn of(skeleton: &Skeleton) -> Pruner {
        let joints = 0..skeleton.joints.len();
        Pruner { nearness: joints.map(|joint| nearness(skeleton, joint)).collect() }
    }

    /// Appends the pruned list of a vertex. `weights` are not negative and name a joint once; if all are zero, `fallback` moves it.
    pub fn prune(&self, weights: &[Influence], fallback: u16, into: &mut SkinWeights) {
        let total: f64 = weights.iter().map(|&(_, weight)| weight).sum();
        if !(total > 0.0 && total.is_finite()) {
            return into.push(&[(fallback, 1.0)]);
        }
        let positive = weights.iter().filter(|(_, weight)| *weight > 0.0);
        let mut kept: Vec<Influence> = positive.map(|&(joint, weight)| (joint, weight / total)).collect();
        kept.sort_by(heaviest_first);
        let dropped = drop_lightest(&mut kept, into.slots());
        self.redistribute(dropped, &mut kept);
        kept.sort_by(heaviest_first);
        into.push(&kept);
    }

    /// Adds what was dropped to the weights that are kept: the nearer and the heavier, the more.
    fn redistribute(&self, dropped: Vec<Influence>, kept: &mut [Influence]) {
        let claims: Vec<Influence> = kept.to_vec();
        for (joint, weight) in dropped.into_iter().filter(|(_, weight)| *weight > 0.0) {
            let shares: Vec<f64> = claims.iter().map(|claim| self.claim(claim, joint)).collect();
            let total: f64 = shares.iter().sum();
            for (entry, share) in kept.iter_mut().zip(shares).filter(|_| total > 0.0) {
                entry.1 += weight * share / total;
            }
        }
    }

    /// What a joint may claim of another's weight.
    fn claim(&self, &(joint, weight): &Influence, of: u16) -> f64 {
        if joint == of { 0.0 } else { weight * self.nearness[usize::from(of)][usize::from(joint)] }
    }
}

/// How near every joint is to a joint.
fn nearness(skeleton: &Skeleton, joint: usize) -> Vec<f64> {
    let steps = (0..skeleton.joints.len()).map(|other| skeleton.joints.steps_between(joint, other));
    steps.map(|steps| steps.map_or(0.0, |steps| powi(PER_STEP, steps as i32))).collect()
}

fn heaviest_first(a: &Influence, b: &Influence) -> Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

/// Takes from `weights`, heaviest first, those that do not fit into the slots, and a part of those that hardly do.
fn drop_lightest(weights: &mut Vec<Influence>, slots: usize) -> Vec<Influence> {
    let threshold = weights.get(slots).map_or(FAINT, |(_, weight)| weight.max(FAINT));
    let heavy = weights.iter().take(slots).take_while(|(_, weight)| *weight > threshold).count();
    let mut dropped = weights.split_off(heavy.max(1));
    for (joint, weight) in weights.iter_mut().skip(1) {
        let kept = ((1.0 + 1.0 / FADE) * (*weight - threshold)).clamp(0.0, *weight);
        dropped.push((*joint, *weight - kept));
        *weight = kept;
    }
    dropped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    fn human() -> Skeleton {
        skeleton_file::read(built_in()[0].text).unwrap()
    }

    fn pruned(weights: &[(&str, f64)], max: MaxInfluences) -> SkinWeights {
        let human = human();
        let joint = |name| human.find(name).unwrap() as u16;
        let mut skin = SkinWeights::new(max);
        let weights: Vec<Influence> = weights.iter().map(|&(name, weight)| (joint(name), weight)).collect();
        Pruner::of(&human).prune(&weights, 0, &mut skin);
        skin
    }

    #[test]
    fn weights_add_up_exactly_and_fall() {
        for weights in
            [&[1.0][..], &[1.0, 1.0, 1.0], &[0.1; 7], &[1e-9, 1.0, 1e300], &[0.2, 0.3, 0.1, 0.15, 0.25]]
        {
            let names = ["Hips", "Spine", "Chest", "Neck", "Head", "LeftHand", "RightHand"];
            let pairs: Vec<_> = names.into_iter().zip(weights.iter().copied()).collect();
            for max in [MaxInfluences::Four, MaxInfluences::Eight] {
                let skin = pruned(&pairs, max);
                let (joints, weights) = skin.lists();
                assert_eq!(weights.iter().map(|&w| u32::from(w)).sum::<u32>(), u32::from(SkinWeights::ONE));
                assert!(weights.is_sorted_by(|a, b| a >= b), "{weights:?}");
                assert_eq!((joints.len(), skin.vertices()), (max.count(), 1));
            }
        }
    }

    #[test]
    fn a_joint_too_many_gives_its_weight_to_its_neighbour() {
        let skin = pruned(
            &[("LeftLowerArm", 0.4), ("Chest", 0.3), ("Hips", 0.15), ("Head", 0.1), ("LeftHand", 0.05)],
            MaxInfluences::Four,
        );
        let heaviest = skin.of(0).next().unwrap();
        assert_eq!(heaviest.0, human().find("LeftLowerArm").unwrap());
        assert!((heaviest.1 - 0.45).abs() < 1e-4);
    }

    #[test]
    fn where_two_joints_change_places_nothing_jumps() {
        let list = |lead: f64| {
            let weights = [
                ("Hips", 0.5),
                ("LeftUpperLeg", 0.14),
                ("RightUpperLeg", 0.14),
                ("LeftLowerLeg", 0.11 + lead),
                ("RightLowerLeg", 0.11 - lead),
            ];
            pruned(&weights, MaxInfluences::Four)
        };
        let weight = |skin: &SkinWeights, joint: usize| {
            skin.of(0).find(|(other, _)| *other == joint).map_or(0.0, |(_, weight)| weight)
        };
        let (before, after) = (list(-1e-3), list(1e-3));
        for joint in 0..human().joints.len() {
            let jump = (weight(&before, joint) - weight(&after, joint)).abs();
            assert!(jump < 0.02, "{}: {jump}", human().joints[joint].name);
        }
    }

    #[test]
    fn no_weights_at_all_are_the_fallback() {
        for nothing in [vec![], vec![(3, 0.0)], vec![(3, f64::NAN)]] {
            let mut skin = SkinWeights::new(MaxInfluences::Four);
            Pruner::of(&human()).prune(&nothing, 2, &mut skin);
            assert_eq!(skin.of(0).collect::<Vec<_>>(), [(2, 1.0)]);
        }
    }
}
