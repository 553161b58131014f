//! What is seen when a clip starts over.

use crate::math::{Quat, Vec3};
use crate::motion::{Motion, Pose, loops};
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

impl Seam {
    /// `None` if the motion does not loop.
    pub(super) fn of(
        rig: &Rig,
        motion: &Motion,
        up: &Vec3,
        hips: usize,
        poses: &[Pose],
        leg_length: f64,
    ) -> Option<Seam> {
        if poses.len() < 4 || !loops(motion, up) {
            return None;
        }
        let (begin, end) = (motion.rotations.at(0), motion.rotations.at(motion.frames - 1));
        let mut joints = motion.rotations.joints.iter().zip(begin.iter().zip(end));
        let is_closed =
            joints.all(|(&joint, (a, b))| motion.joints[joint].parent.is_none() || a.angle_to(b) < SAME);
        // In a clip whose first frame comes behind its last one the seam is a step like those beside it.
        let last = poses.len() - 1;
        let leap = |difference: &dyn Fn(&Pose, &Pose) -> f64| {
            let across = difference(&poses[last], &poses[0]);
            let beside = difference(&poses[0], &poses[1]).max(difference(&poses[last - 1], &poses[last]));
            (across - if is_closed { 0.0 } else { beside }).max(0.0)
        };
        let turns = (0..rig.joints.len()).map(|joint| {
            leap(&|a, b| match rig.joints[joint].parent.filter(|_| joint > hips) {
                Some(parent) => {
                    let local =
                        |pose: &Pose| -> Quat { pose.rotations[parent].inverse() * pose.rotations[joint] };
                    local(a).angle_to(&local(b))
                }
                None => {
                    let tilt = |pose: &Pose| pose.rotations[joint].inverse() * Vec3::y();
                    tilt(a).angle(&tilt(b))
                }
            })
        });
        let degrees = turns.fold(0.0, f64::max).to_degrees();
        let height = leap(&|a, b| (a.positions[hips].y - b.positions[hips].y).abs()) / leg_length;
        Some(Seam { degrees, height })
    }
}
