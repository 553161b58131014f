//! Whether something is in the movement that was not in the source: the popping of knees, the jerking of joints.

use super::stances::quantile;
use super::{CHARACTER, SOURCE};
use crate::motion::Pose;

/// The part of the frames in which knees accelerate less than what is reported.
const NEARLY_ALL: f64 = 0.99;
/// Radians in a frame squared or cubed below which nothing moves: rounding makes as much.
const STILL: f64 = 1e-9;

/// Mean angular jerk of joints, given as pairs of one of the character and one of the source.
pub(super) fn angular_jerk_ratio(joints: &[[usize; 2]], theirs: &[Pose], ours: &[Pose]) -> Option<f64> {
    let [ours, theirs] = [(ours, CHARACTER), (theirs, SOURCE)]
        .map(|(poses, whose)| mean_angular_jerk(poses, joints.iter().map(|pair| pair[whose])));
    ratio(ours, theirs)
}

fn mean_angular_jerk(poses: &[Pose], joints: impl Iterator<Item = usize>) -> f64 {
    let (mut sum, mut count) = (0.0, 0_usize);
    for joint in joints {
        for frames in poses.windows(4) {
            let v = [0, 1, 2].map(|frame| {
                let [from, to] = [frame, frame + 1].map(|frame| frames[frame].rotations[joint]);
                (to * from.inverse()).scaled_axis()
            });
            sum += (v[0] - 2.0 * v[1] + v[2]).norm();
            count += 1;
        }
    }
    sum / count.max(1) as f64
}

/// Angular acceleration of knees, each given as hip, knee and ankle of the character and of the source.
pub(super) fn knee_acceleration_ratio(
    knees: &[[[usize; 3]; 2]],
    theirs: &[Pose],
    ours: &[Pose],
) -> Option<f64> {
    let [ours, theirs] = [(ours, CHARACTER), (theirs, SOURCE)]
        .map(|(poses, whose)| high_knee_acceleration(poses, knees.iter().map(|knee| knee[whose])));
    ratio(ours, theirs)
}

fn high_knee_acceleration(poses: &[Pose], knees: impl Iterator<Item = [usize; 3]>) -> f64 {
    let mut values = Vec::new();
    for joints in knees {
        let bends = poses.iter().map(|pose| {
            let [hip, knee, ankle] = joints.map(|joint| pose.positions[joint]);
            (hip - knee).angle(&(ankle - knee))
        });
        let bends: Vec<f64> = bends.collect();
        values.extend(bends.windows(3).map(|bends| (bends[0] - 2.0 * bends[1] + bends[2]).abs()));
    }
    quantile(&mut values, NEARLY_ALL)
}

fn ratio(ours: f64, theirs: f64) -> Option<f64> {
    (theirs > STILL).then(|| ours / theirs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Quat, Vec3};

    /// A leg of two bones whose knee, and what hangs on it, is bent by an angle in each frame.
    fn bending(angle: impl Fn(f64) -> f64) -> Vec<Pose> {
        (0..200)
            .map(|frame| {
                let turn = Quat::new(Vec3::x() * angle(f64::from(frame) / 60.0));
                let knee = Vec3::y();
                let positions = vec![2.0 * Vec3::y(), knee, knee - turn * Vec3::y()];
                Pose { positions, rotations: vec![Quat::identity(), turn, turn] }
            })
            .collect()
    }

    #[test]
    fn twice_the_swing_has_twice_the_acceleration_and_jerk() {
        let once = bending(|t| 1.0 + 0.2 * (3.0 * t).sin());
        let twice = bending(|t| 1.0 + 0.4 * (3.0 * t).sin());
        let knees = [[[0, 1, 2], [0, 1, 2]]];
        let ratio = knee_acceleration_ratio(&knees, &once, &twice).unwrap();
        assert!((ratio - 2.0).abs() < 1e-3, "{ratio}");
        let ratio = angular_jerk_ratio(&[[1, 1]], &once, &twice).unwrap();
        assert!((ratio - 2.0).abs() < 1e-3, "{ratio}");
    }

    #[test]
    fn a_still_source_has_no_ratio() {
        let (still, moving) = (bending(|_| 1.0), bending(|t| t));
        assert_eq!(knee_acceleration_ratio(&[[[0, 1, 2], [0, 1, 2]]], &still, &moving), None);
        assert_eq!(angular_jerk_ratio(&[[1, 1]], &still, &moving), None);
    }
}
