//! The path over the floor, as a track of its own.
//!
//! Engines move a character by its root. The path is that of the hips, on the floor and smoothed: what sways within a step
//! stays with the hips.

use crate::math::{Quat, Vec3, atan2, gaussian_smoothed};
use crate::motion::Pose;
use crate::rig::Rig;
use nalgebra::Isometry3;
use std::f64::consts::{LN_2, PI, TAU};

/// Which joint carries the path over the floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RootMotion {
    /// The root stands still and the hips travel.
    #[default]
    Keep,
    /// The root carries the path and the heading, the hips the rest.
    Extract,
    /// As `Extract`, without the track of the root: the character treads on the spot.
    InPlace,
}

/// Steps are faster than this and stay with the hips; walking around a corner is slower and goes to the root. In hertz.
const CUTOFF: f64 = 1.0;

/// The path of a character over the floor: for each frame from its position at rest to its position then.
#[derive(Debug, Clone, PartialEq)]
pub struct RootPath(pub Vec<Isometry3<f64>>);

impl RootPath {
    /// The path of joint `hips` in `poses`, smoothed without delay.
    pub fn of(rig: &Rig, hips: usize, frame_seconds: f64, poses: &[Pose]) -> RootPath {
        let rest = &rig.joints[hips].rest;
        let mut yaw = 0.0;
        let mut yaws = Vec::with_capacity(poses.len());
        for pose in poses {
            let from_rest = pose.rotations[hips] * rest.rotation.inverse();
            // The twist about the vertical; whole turns are kept.
            let twist = 2.0 * atan2(from_rest.j, from_rest.w);
            yaw += (twist - yaw + PI).rem_euclid(TAU) - PI;
            yaws.push(yaw);
        }
        let yaws = smoothed(&yaws, frame_seconds);
        // Under the hips as the root stands under them at rest.
        let under = Vec3::new(rest.translation.x, 0.0, rest.translation.z);
        let [x, z] = [0, 2].map(|axis| {
            let along = poses.iter().zip(&yaws);
            let along = along.map(|(pose, &yaw)| (pose.positions[hips] - rotation(yaw) * under)[axis]);
            smoothed(&along.collect::<Vec<f64>>(), frame_seconds)
        });
        let path = yaws.iter().zip(x.iter().zip(&z));
        let path =
            path.map(|(&yaw, (&x, &z))| Isometry3::from_parts(Vec3::new(x, 0.0, z).into(), rotation(yaw)));
        RootPath(path.collect())
    }

    /// Metres a second along the path.
    pub fn speed(&self, frame_seconds: f64) -> f64 {
        let steps = self.0.windows(2);
        let length: f64 =
            steps.map(|pair| (pair[1].translation.vector - pair[0].translation.vector).norm()).sum();
        length / (self.0.len().saturating_sub(1) as f64 * frame_seconds).max(frame_seconds)
    }

    /// Gives the path to the root: the poses stay where they are, and the root comes along.
    pub fn extract(&self, rig: &Rig, hips: usize, poses: &mut [Pose]) {
        // What does not hang on the hips comes along with the root.
        let joints =
            (0..rig.joints.len()).filter(|&joint| !rig.joints.is_below(joint, hips)).collect::<Vec<_>>();
        for (pose, step) in poses.iter_mut().zip(&self.0) {
            carry(pose, &joints, step);
        }
    }

    /// Removes the path: the poses come back to where they stand at rest.
    pub fn remove(&self, rig: &Rig, hips: usize, poses: &mut [Pose]) {
        // What does not hang on the hips stands still already.
        let joints: Vec<usize> = rig.joints.subtree(hips).collect();
        for (pose, step) in poses.iter_mut().zip(&self.0) {
            carry(pose, &joints, &step.inverse());
        }
    }
}

/// Moves some joints of a pose.
fn carry(pose: &mut Pose, joints: &[usize], step: &Isometry3<f64>) {
    for &joint in joints {
        pose.positions[joint] = (step * nalgebra::Point3::from(pose.positions[joint])).coords;
        pose.rotations[joint] = step.rotation * pose.rotations[joint];
    }
}

/// The slow part of a curve.
fn smoothed(values: &[f64], frame_seconds: f64) -> Vec<f64> {
    let deviation = LN_2.sqrt() / (TAU * CUTOFF) / frame_seconds;
    gaussian_smoothed(values, deviation, (4.0 * deviation).ceil() as usize)
}

fn rotation(yaw: f64) -> Quat {
    Quat::from_axis_angle(&Vec3::y_axis(), yaw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::RigJoint;

    fn rig() -> Rig {
        let hips =
            Isometry3::from_parts(Vec3::new(0.0, 1.0, 0.1).into(), Quat::from_euler_angles(0.1, 0.0, 0.0));
        let joint = |name: &str, parent, rest| RigJoint { name: name.into(), parent, rest };
        Rig {
            joints: vec![joint("Root", None, Isometry3::identity()), joint("Hips", Some(0), hips)].into(),
            tips: Vec::new(),
            soles: Vec::new(),
        }
    }

    /// Walks a circle of radius 2 in 8 seconds, swaying twice a second.
    fn circle(rig: &Rig) -> Vec<Pose> {
        (0..480)
            .map(|frame| {
                let time = f64::from(frame) / 60.0;
                let yaw = TAU * time / 8.0;
                let sway = 0.05 * (2.0 * TAU * time).sin();
                let turn = rotation(yaw);
                let path = Isometry3::from_parts((turn * (Vec3::x() * -2.0) + Vec3::x() * 2.0).into(), turn);
                let hips = path * rig.joints[1].rest;
                Pose {
                    positions: vec![Vec3::zeros(), hips.translation.vector + turn * Vec3::x() * sway],
                    rotations: vec![Quat::identity(), hips.rotation],
                }
            })
            .collect()
    }

    #[test]
    fn the_root_takes_the_way_and_the_hips_keep_the_sway() {
        let rig = rig();
        let mut poses = circle(&rig);
        let before = poses.clone();
        let path = RootPath::of(&rig, 1, 1.0 / 60.0, &poses);
        path.extract(&rig, 1, &mut poses);
        for (frame, (pose, old)) in poses.iter().zip(&before).enumerate().skip(60).take(360) {
            assert_eq!((pose.positions[1], pose.rotations[1]), (old.positions[1], old.rotations[1]));
            let yaw = TAU * frame as f64 / 480.0;
            assert!(pose.rotations[0].angle_to(&rotation(yaw)) < 0.01, "{frame}");
            // On the circle, whose radius smoothing makes smaller by less than a hundredth.
            let from_center = pose.positions[0] - Vec3::x() * 2.0;
            assert!((from_center.norm() - 2.0).abs() < 0.03, "{frame}: {from_center}");
            assert_eq!(pose.positions[0].y, 0.0);
        }
        // Half of a circle's length a second, over 8 seconds.
        assert!((path.speed(1.0 / 60.0) - PI / 2.0).abs() < 0.05);
    }

    #[test]
    fn on_the_spot_the_hips_stay_above_the_root() {
        let rig = rig();
        let mut poses = circle(&rig);
        RootPath::of(&rig, 1, 1.0 / 60.0, &poses).remove(&rig, 1, &mut poses);
        for pose in &poses {
            assert!((pose.positions[1] - rig.joints[1].rest.translation.vector).norm() < 0.1);
            assert!(pose.rotations[1].angle_to(&rig.joints[1].rest.rotation) < 0.1);
            assert_eq!(pose.positions[0], Vec3::zeros());
        }
    }
}
