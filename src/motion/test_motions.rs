//! Motions whose every pose is known.

use super::{Motion, MotionJoint, Tracks};
use crate::math::{Quat, Vec3};

/// A root that slides along X by one in a frame and turns about Y by 0.3 rad in a frame, with a bone that is two long.
pub fn sliding(frames: usize, frame_seconds: f64) -> Motion {
    let joints = [("root", None, Vec3::zeros()), ("end", Some(0), Vec3::new(0.0, 2.0, 0.0))];
    Motion {
        joints: joints.map(|(name, parent, offset)| MotionJoint::new(name, parent, offset)).to_vec().into(),
        rest: None,
        frames,
        frame_seconds,
        rotations: Tracks {
            joints: vec![0],
            values: (0..frames).map(|frame| Quat::new(Vec3::y() * 0.3 * frame as f64)).collect(),
        },
        translations: Tracks {
            joints: vec![0],
            values: (0..frames).map(|frame| Vec3::x() * frame as f64).collect(),
        },
    }
}

/// The same with a rest pose, in which it lies on its side, instead of its first frame.
pub fn with_rest(motion: &Motion) -> Motion {
    let mut motion = super::trim(motion, motion.frame_seconds, f64::INFINITY);
    motion.rest = Some(motion.zero_pose().turned(&Quat::new(Vec3::x() * 1.5)));
    motion
}
