//! The few joints that move each vertex.
//!
//! Engines take four or eight joints for each vertex. What a joint too many had goes to those that stay nearest to it in the
//! skeleton: neighbours turn almost alike, so that the deformation changes least.

use super::heat::Equilibrium;
use crate::math::powi;
use crate::rig::{MaxInfluences, SkinWeights};
use crate::skeleton::Skeleton;
use rayon::prelude::*;

/// Weights below this part of one move nothing that can be seen and are given to a neighbour.
const FAINT: f64 = 0.005;
/// A weight that exceeds the largest one left out by this part is kept whole; below, a part is given away, so that nothing
/// jumps from a vertex to the next where the order of two joints changes. With a sharp border the tail of a donkey, which
/// hears from five joints, is torn ten times its length; much wider, weights give away what they need not.
const FADE: f64 = 0.3;
/// The lists of all vertices of an equilibrium; `fallback` names a joint for a vertex that has no weight at all.
pub(super) fn prune(
    equilibrium: &Equilibrium,
    skeleton: &Skeleton,
    max: MaxInfluences,
    fallback: impl Fn(usize) -> usize + Sync,
) -> SkinWeights {
    let heirs = Heirs::of(skeleton);
    let vertices: Vec<usize> = (0..equilibrium.vertices()).collect();
    let runs: Vec<SkinWeights> = vertices
        .par_chunks(1024)
        .map(|run| {
            let mut lists = SkinWeights::new(max);
            for &vertex in run {
                heirs.prune(equilibrium.at(vertex).collect(), fallback(vertex) as u16, &mut lists);
            }
            lists
        })
        .collect();
    let mut all = SkinWeights::new(max);
    for run in runs {
        all.append(run);
    }
    all
}

/// Which joints take over from which.
pub(super) struct Heirs {
    /// For each joint, how near every joint is in the tree.
    nearness: Vec<Vec<f64>>,
}

/// Of two heirs of the same weight, one that is a step farther away in the tree gets this part of what the other gets. The nearest
/// one takes nearly all, unless it is about to be left out itself: the whole to the nearest would make a jump there.
const PER_STEP: f64 = 0.125;

impl Heirs {
    pub fn of(skeleton: &Skeleton) -> Heirs {
        let count = skeleton.joints.len();
        let steps_between = |a: usize, b: usize| {
            // Parents come before children: the later of two different joints is never an ancestor of the other.
            let (mut a, mut b, mut steps) = (a, b, 0);
            while a != b {
                if a < b {
                    std::mem::swap(&mut a, &mut b);
                }
                a = skeleton.joints[a].parent.unwrap_or(0);
                steps += 1;
            }
            steps
        };
        let to_all =
            |joint: usize| (0..count).map(|other| powi(PER_STEP, steps_between(joint, other))).collect();
        Heirs { nearness: (0..count).map(to_all).collect() }
    }

    /// Turns any non-negative weights of joints, each joint once, into the list of a vertex. If all are zero,
    /// `fallback` moves it.
    pub fn prune(&self, mut weights: Vec<(u16, f64)>, fallback: u16, into: &mut SkinWeights) {
        let total: f64 = weights.iter().map(|&(_, weight)| weight).sum();
        if !(total > 0.0 && total.is_finite()) {
            return into.push(&[(fallback, 1.0)]);
        }
        weights.iter_mut().for_each(|(_, weight)| *weight /= total);
        let heaviest_first = |a: &(u16, f64), b: &(u16, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        weights.sort_by(heaviest_first);
        let left_out = weights.get(into.slots()).map_or(FAINT, |(_, weight)| weight.max(FAINT));
        let kept_part = |weight: f64| ((1.0 + 1.0 / FADE) * (weight - left_out)).clamp(0.0, weight);
        let heavy = weights.iter().take(into.slots()).take_while(|(_, weight)| *weight > left_out).count();
        let mut dropped = weights.split_off(heavy.max(1));
        for (joint, weight) in weights.iter_mut().skip(1) {
            dropped.push((*joint, *weight - kept_part(*weight)));
            *weight = kept_part(*weight);
        }
        let kept = weights.clone();
        for (joint, weight) in dropped.into_iter().filter(|(_, weight)| *weight > 0.0) {
            let nearness = &self.nearness[usize::from(joint)];
            let claim = |&(heir, kept): &(u16, f64)| match heir == joint {
                true => 0.0,
                false => kept * nearness[usize::from(heir)],
            };
            let claims: f64 = kept.iter().map(claim).sum();
            for (entry, kept) in weights.iter_mut().zip(&kept).filter(|_| claims > 0.0) {
                entry.1 += weight * claim(kept) / claims;
            }
        }
        weights.sort_by(heaviest_first);
        into.push(&weights);
    }
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
        let weights = weights.iter().map(|&(name, weight)| (joint(name), weight)).collect();
        Heirs::of(&human).prune(weights, 0, &mut skin);
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
            Heirs::of(&human()).prune(nothing, 2, &mut skin);
            assert_eq!(skin.of(0).collect::<Vec<_>>(), [(2, 1.0)]);
        }
    }
}
