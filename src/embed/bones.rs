//! Lengths that bones should have, by which hints reach the joints beside them.
//!
//! Somebody who raises an arm misleads a route about all of it: the hand is right, and the shoulder is taken for a place under
//! the elbow. A hint that pins hand and elbow then finds nothing to correct. What shows the error is the length of the bones: it
//! is known better than their places, by the prior and by the other side of the body.

use super::Stages;
use super::fusion::limbs;
use super::penalty::log_ratio;
use crate::math::{Vec3, exp, ln};
use crate::skeleton::Skeleton;

/// Usual deviation of the logarithm of a bone's length from what the prior expects. In 20 people, one of a family, it is 0.20 for
/// upper arms, 0.17 for forearms, 0.13 for thighs and 0.10 for shins. With less, bones of unusual bodies pull joints off their
/// places; with more, a shoulder that was taken for the elbow stays there.
const SPREAD: f64 = 0.2;
/// Usual deviation of the ends of a bone, in heights: the lengths of short bones are less certain.
const ENDS: f64 = 0.02;
/// Degrees of freedom of the deviations: bones far from the usual length are hints that mean something else, and pull less.
const FREEDOM: f64 = 3.0;
/// Bones that deviate by less than this, in usual deviations, say nothing against an answer.
const USUAL: f64 = 2.5;
/// Sweeps over the joints; after twenty nothing moves by a thousandth of the height.
const SWEEPS: usize = 40;
/// Bones shorter than this part of what is expected have no direction.
const POINT: f64 = 1e-3;

/// The length that a bone should have, in the unit cube, and the usual deviation of its logarithm.
#[derive(Clone, Copy)]
struct UsualBone {
    length: f64,
    spread: f64,
}

/// For each joint the bone above it.
pub(super) struct UsualBones(Vec<UsualBone>);

impl UsualBones {
    /// By the prior; by the skeleton at rest, where that knows nothing. Left and right are as long as each other.
    pub fn of(skeleton: &Skeleton, stages: &Stages) -> UsualBones {
        let height = stages.frame.height;
        let expected = |joint: usize| match &stages.expected {
            Some(expected) => expected[joint].position,
            None => skeleton.joints[joint].position * height,
        };
        let least = POINT * height;
        let log = |joint: usize| {
            let parent = skeleton.joints[joint].parent.unwrap_or(joint);
            ln((expected(joint) - expected(parent)).norm().max(least))
        };
        let both = |joint: usize| match skeleton.joints[joint].partner {
            Some(partner) => exp(0.5 * (log(joint) + log(partner))),
            None => exp(log(joint)),
        };
        UsualBones((0..skeleton.joints.len()).map(|joint| UsualBone::of(both(joint), height)).collect())
    }

    /// How far the length of the bone above a joint is from the usual, in usual deviations.
    pub fn strain(&self, skeleton: &Skeleton, positions: &[Vec3], joint: usize) -> f64 {
        let Some(parent) = skeleton.joints[joint].parent else { return 0.0 };
        log_ratio((positions[joint] - positions[parent]).norm(), self.0[joint].length) / self.0[joint].spread
    }

    /// For each joint the greatest strain of the bones of its limb that hints do not pin at both ends; 0 for limbs without
    /// hints. Who takes the elbow for the shoulder has a collar bone that is too long, and an upper arm that may be right.
    pub fn strains(&self, skeleton: &Skeleton, positions: &[Vec3], hinted: &[usize]) -> Vec<f64> {
        let mut strains = vec![0.0; positions.len()];
        for limb in limbs(skeleton).values() {
            if !limb.iter().any(|joint| hinted.contains(joint)) {
                continue;
            }
            let free = limb.iter().copied().filter(|&joint| !is_pinned(skeleton, joint, hinted));
            let worst = free.map(|joint| self.strain(skeleton, positions, joint)).fold(0.0, f64::max);
            limb.iter().for_each(|&joint| strains[joint] = worst);
        }
        strains
    }

    /// The joints of limbs with hints moved so that bones get the lengths that they should have, as far as that is better known
    /// than where the joints are: within `spreads`, in the unit of the positions.
    pub fn settled(
        &self,
        skeleton: &Skeleton,
        positions: Vec<Vec3>,
        spreads: &[f64],
        hinted: &[usize],
    ) -> Vec<Vec3> {
        let limbs = limbs(skeleton);
        let is_hinted = |joint: &usize| hinted.contains(joint);
        let free: Vec<usize> = limbs
            .values()
            .filter(|limb| limb.iter().any(is_hinted))
            .flatten()
            .copied()
            .filter(|joint| !is_hinted(joint) && !skeleton.joints[*joint].is_tip)
            .collect();
        let mut settled = positions.clone();
        for _ in 0..SWEEPS {
            for &joint in &free {
                settled[joint] = self.step(skeleton, &settled, joint, (&positions[joint], spreads[joint]));
            }
        }
        settled
    }

    /// Where a joint goes by a Gauss-Newton step: toward where it was `seen`, and to where its bones have their lengths.
    fn step(&self, skeleton: &Skeleton, positions: &[Vec3], joint: usize, seen: (&Vec3, f64)) -> Vec3 {
        let own = skeleton.joints[joint].parent.map(|parent| (joint, parent));
        let below = (0..positions.len()).filter(|&child| skeleton.joints[child].parent == Some(joint));
        let below = below.filter(|&child| !skeleton.joints[child].is_tip).map(|child| (child, child));
        let at = positions[joint];
        let precision = 1.0 / (seen.1 * seen.1);
        let (mut gradient, mut curvature) = ((at - seen.0) * precision, precision);
        for (bone, other) in own.into_iter().chain(below) {
            let along = at - positions[other];
            let usual = &self.0[bone];
            let length = along.norm().max(POINT * usual.length);
            let strain = ln(length / usual.length) / usual.spread;
            let weight = (FREEDOM + 1.0) / (FREEDOM + strain * strain);
            let slope = 1.0 / (usual.spread * length);
            gradient += along * (weight * strain * slope / length);
            curvature += weight * slope * slope;
        }
        at - gradient / curvature
    }
}

impl UsualBone {
    fn of(length: f64, height: f64) -> UsualBone {
        UsualBone { length, spread: root_of_squares(SPREAD, ENDS * height / length) }
    }
}

/// The root of the sum of two squares, with the same bits on every processor.
pub(super) fn root_of_squares(a: f64, b: f64) -> f64 {
    (a * a + b * b).sqrt()
}

/// Whether nothing is to be found out about the bone above a joint: hints pin both of its ends, or it only ends a limb.
fn is_pinned(skeleton: &Skeleton, joint: usize, hinted: &[usize]) -> bool {
    let data = &skeleton.joints[joint];
    let is_hinted = |joint: usize| hinted.contains(&joint);
    data.is_tip || data.parent.is_none_or(|parent| is_hinted(joint) && is_hinted(parent))
}

/// Factor of a probability for a bone of such a strain.
pub(super) fn plausibility(strain: f64) -> f64 {
    let beyond = (strain - USUAL).max(0.0);
    exp(-0.5 * beyond * beyond)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::naming::{Limb, Role, Segment, Side};

    fn arm() -> (Skeleton, UsualBones, [usize; 3]) {
        let skeleton = Skeleton::human();
        let rest = skeleton.positions();
        let length = |joint: usize| {
            skeleton.joints[joint].parent.map_or(0.0, |parent| (rest[joint] - rest[parent]).norm())
        };
        let usual =
            UsualBones((0..rest.len()).map(|joint| UsualBone::of(length(joint).max(POINT), 1.0)).collect());
        let joint = |segment| skeleton.find_role(Role::Limb(Limb::Arm, Side::Left, segment)).unwrap();
        let joints = [Segment::Upper, Segment::Lower, Segment::End].map(joint);
        (skeleton, usual, joints)
    }

    #[test]
    fn a_shoulder_beside_a_hinted_elbow_gets_its_upper_arm_back() {
        let (skeleton, usual, [shoulder, elbow, wrist]) = arm();
        let mut positions = skeleton.positions();
        positions[shoulder] = positions[elbow].lerp(&positions[shoulder], 0.2);
        let hinted = [elbow, wrist];
        let before = usual.strain(&skeleton, &positions, elbow);
        let spreads = vec![0.1; positions.len()];
        let after = usual.settled(&skeleton, positions.clone(), &spreads, &hinted);
        let strain = usual.strain(&skeleton, &after, elbow);
        assert!(before > 5.0 && strain < 1.0, "{before} {strain}");
        assert_eq!((after[elbow], after[wrist]), (positions[elbow], positions[wrist]));
        assert!(plausibility(before) < 0.05 && plausibility(strain) == 1.0);
        let strains = usual.strains(&skeleton, &positions, &hinted);
        assert_eq!((strains[shoulder], strains[0]), (before, 0.0));
    }

    #[test]
    fn bones_of_the_usual_lengths_stay_where_they_are_seen() {
        let (skeleton, usual, [_, elbow, _]) = arm();
        let rest = skeleton.positions();
        let after = usual.settled(&skeleton, rest.clone(), &vec![0.03; rest.len()], &[elbow]);
        assert!(after.iter().zip(&rest).all(|(a, b)| (a - b).norm() < 1e-9));
    }
}
