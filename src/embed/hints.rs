//! Hints in the result: hinted joints stand at their hints, and the joints of their chains move along.

use super::candidates::Hint;
use super::fusion::mirrored;
use crate::math::Vec3;
use crate::skeleton::{ReducedSkeleton, Skeleton};

/// Puts hinted joints where the hints say. The joints between a hinted one and the next fixed one (hinted, branching or
/// at an end) move along in proportion; in a symmetric body a hint for one side counts for the other too.
pub(super) fn follow_hints(skeleton: &Skeleton, joints: &mut [Vec3], hints: &[Hint], plane: Option<f64>) {
    let mut moves: Vec<Option<Vec3>> = vec![None; joints.len()];
    for hint in hints {
        moves[hint.full] = Some(hint.point - joints[hint.full]);
    }
    for hint in hints {
        if let (Some(plane), Some(partner)) = (plane, skeleton.joints[hint.full].partner)
            && moves[partner].is_none()
        {
            moves[partner] = Some(mirrored(&hint.point, plane) - joints[partner]);
        }
    }
    if moves.iter().all(Option::is_none) {
        return;
    }
    for chain in chains(skeleton) {
        // A chain begins and ends at joints that stay unless they are hinted themselves.
        let knots: Vec<usize> = (0..chain.len())
            .filter(|&link| link == 0 || link + 1 == chain.len() || moves[chain[link]].is_some())
            .collect();
        for pair in knots.windows(2) {
            let [from, to] = [pair[0], pair[1]];
            let [start, end] = [from, to].map(|link| moves[chain[link]].unwrap_or_default());
            // A hand goes where its wrist goes, but feet stay on the ground when the hips move.
            let goes_along = from > 0 && moves[chain[to]].is_none() && is_leaf(skeleton, chain[to]);
            let end = if goes_along { start } else { end };
            for link in from + 1..=to {
                let t = (link - from) as f64 / (to - from) as f64;
                if moves[chain[link]].is_none() {
                    joints[chain[link]] += start * (1.0 - t) + end * t;
                }
            }
        }
    }
    for (joint, moved) in joints.iter_mut().zip(&moves) {
        *joint += moved.unwrap_or_default();
    }
}

fn is_leaf(skeleton: &Skeleton, joint: usize) -> bool {
    !skeleton.joints.iter().any(|other| other.parent == Some(joint))
}

/// The joints from one branching or end to the next, both included.
fn chains(skeleton: &Skeleton) -> Vec<Vec<usize>> {
    let reduced = ReducedSkeleton::of(skeleton);
    let chains = reduced.joints.iter().filter_map(|joint| {
        let start = reduced.joints[joint.parent?].full;
        Some(std::iter::once(start).chain(joint.chain.iter().map(|link| link.full)).collect())
    });
    chains.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    fn human() -> (Skeleton, Vec<Vec3>) {
        let skeleton = skeleton_file::read(built_in()[0].text).unwrap();
        let positions = skeleton.joints.iter().map(|joint| joint.position + Vec3::x() * 0.5).collect();
        (skeleton, positions)
    }

    #[test]
    fn a_hint_moves_its_chain_in_proportion_and_the_other_side_of_a_symmetric_body() {
        let (skeleton, before) = human();
        let find = |name: &str| skeleton.find(name).unwrap();
        let shift = Vec3::new(0.02, 0.06, 0.0);
        let hint = Hint { full: find("LeftLowerArm"), point: before[find("LeftLowerArm")] + shift };
        for (plane, on_the_right) in [(None, 0.0), (Some(0.5), 1.0)] {
            let mut joints = before.clone();
            follow_hints(&skeleton, &mut joints, &[hint], plane);
            let moved = |name: &str| joints[find(name)] - before[find(name)];
            assert!((moved("LeftLowerArm") - shift).norm() < 1e-12);
            // UpperChest, Shoulder, UpperArm, LowerArm: two of three steps.
            assert!((moved("LeftUpperArm") - shift * 2.0 / 3.0).norm() < 1e-12);
            assert!(
                (moved("LeftHand") - shift).norm() < 1e-12 && (moved("LeftHandTip") - shift).norm() < 1e-12
            );
            assert!(moved("UpperChest").norm() < 1e-12 && moved("Head").norm() < 1e-12);
            assert!((moved("RightHand").y - on_the_right * shift.y).abs() < 1e-12);
            assert!((moved("RightHand").x + on_the_right * shift.x).abs() < 1e-12);
        }
    }

    #[test]
    fn a_hint_for_a_branching_joint_moves_what_hangs_on_it() {
        let (skeleton, before) = human();
        let mut joints = before.clone();
        let shift = Vec3::new(0.0, 0.1, 0.0);
        follow_hints(&skeleton, &mut joints, &[Hint { full: 0, point: before[0] + shift }], None);
        let moved =
            |name: &str| (joints[skeleton.find(name).unwrap()] - before[skeleton.find(name).unwrap()]).y;
        assert!((moved("Hips") - 0.1).abs() < 1e-12);
        // Feet stand on the ground and hands stay where they are.
        assert!(moved("LeftUpperLeg") > moved("LeftLowerLeg") && moved("LeftToeTip").abs() < 1e-12);
        assert_eq!(moved("LeftHand"), 0.0);
    }
}
