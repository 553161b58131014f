//! What is seen when a clip starts over.

use super::Measurement;
use crate::math::Vec3;
use crate::motion::{Motion, Pose, loops};
use crate::retarget::Target;
use crate::rig::Rig;

/// How the end of a clip differs from its beginning, but for where the body has come to and where it faces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seam {
    /// Degrees of the joint that leaps most.
    pub degrees: f64,
    /// By how much the hips leap up or down, in leg lengths.
    pub height: f64,
}

/// Rotations that differ by less, in radians, are equal.
const SAME: f64 = 1e-6;
/// Fewer frames have no seam.
const LEAST_FRAMES: usize = 4;

impl Seam {
    /// `None` if the motion does not loop.
    pub(super) fn of(of: &Measurement, poses: &[Pose], leg_length: f64) -> Option<Seam> {
        let Measurement { target: Target { rig, hips, .. }, motion, source, .. } = *of;
        let hips = *hips;
        if poses.len() < LEAST_FRAMES || !loops(motion, &source.up.vector()) {
            return None;
        }
        let is_closed = is_closed(motion);
        let last = poses.len() - 1;
        // In a clip whose first frame comes behind its last one the seam is a step like those beside it.
        let leap = |difference: &dyn Fn(&Pose, &Pose) -> f64| {
            let across = difference(&poses[last], &poses[0]);
            let beside = difference(&poses[0], &poses[1]).max(difference(&poses[last - 1], &poses[last]));
            (across - if is_closed { 0.0 } else { beside }).max(0.0)
        };
        let joints = 0..rig.joints.len();
        let turns = joints.map(|joint| leap(&|a, b| turn_between(rig, hips, joint, [a, b])));
        let degrees = turns.fold(0.0, f64::max).to_degrees();
        let height = leap(&|a, b| (a.positions[hips].y - b.positions[hips].y).abs()) / leg_length;
        Some(Seam { degrees, height })
    }
}

/// Whether the last frame is the first one again, wherever the root has come to.
fn is_closed(motion: &Motion) -> bool {
    let (begin, end) = (motion.rotations.at(0), motion.rotations.at(motion.frames - 1));
    let mut joints = motion.rotations.joints.iter().zip(begin.iter().zip(end));
    joints.all(|(&joint, (a, b))| motion.joints[joint].parent.is_none() || a.angle_to(b) < SAME)
}

/// Radians by which a joint turns from one pose to another: against its parent, or for the hips and what is above them
/// against the vertical.
fn turn_between(rig: &Rig, hips: usize, joint: usize, poses: [&Pose; 2]) -> f64 {
    match rig.joints[joint].parent.filter(|_| joint > hips) {
        Some(parent) => {
            let [a, b] = poses.map(|pose| pose.rotations[parent].inverse() * pose.rotations[joint]);
            a.angle_to(&b)
        }
        None => {
            let [a, b] = poses.map(|pose| pose.rotations[joint].inverse() * Vec3::y());
            a.angle(&b)
        }
    }
}
