use super::Clip;
use super::bake::rest_position;
use crate::math::{Quat, Vec3};
use crate::motion::{Motion, MotionJoint, Pose, Tracks};
use crate::rig::Rig;

impl Clip {
    /// The clip as a motion whose pose of zero channels is the rest of the rig, which is what BVH files hold: joints have the
    /// axes of the world, and ends of bones are end sites. Joints that only follow others are left out.
    pub fn as_motion(&self, rig: &Rig) -> Motion {
        let poses = self.poses(rig);
        let only_follows = rig.only_following();
        let joints: Vec<usize> = (0..rig.joints.len()).filter(|&joint| !only_follows[joint]).collect();
        let travelling = self.translations.iter().map(|(joint, _)| *joint);
        let travelling: Vec<usize> = travelling.filter(|joint| joints.binary_search(joint).is_ok()).collect();
        let mut rotations = Vec::with_capacity(poses.len() * joints.len());
        let mut translations = Vec::with_capacity(poses.len() * travelling.len());
        for pose in &poses {
            rotations.extend(joints.iter().map(|&joint| local_rotation(rig, pose, joint)));
            translations.extend(travelling.iter().map(|&joint| local_position(rig, pose, joint)));
        }
        Motion {
            joints: motion_joints(rig, &joints).into(),
            rest: None,
            frames: self.frames,
            frame_seconds: self.frame_seconds,
            rotations: Tracks { joints: (0..joints.len()).collect(), values: rotations },
            translations: Tracks {
                joints: travelling.iter().filter_map(|joint| joints.binary_search(joint).ok()).collect(),
                values: translations,
            },
        }
    }
}

/// Some joints of a rig, and the ends of bones on them.
fn motion_joints(rig: &Rig, joints: &[usize]) -> Vec<MotionJoint> {
    let kept = |joint: usize| joints.binary_search(&joint).ok();
    let nodes = rig.nodes().enumerate().filter(|(index, node)| {
        if node.is_end {
            node.parent.is_some_and(|joint| kept(joint).is_some())
        } else {
            kept(*index).is_some()
        }
    });
    let joints = nodes.map(|(_, node)| {
        let above = node.parent.map_or(Vec3::zeros(), |parent| rest_position(rig, parent));
        let (name, offset) = (node.name.to_owned(), node.position - above);
        MotionJoint { name, parent: node.parent.and_then(kept), offset, is_end: node.is_end }
    });
    joints.collect()
}

/// Rotation of a joint against its rest, in the axes of the world.
fn rotation_from_rest(rig: &Rig, pose: &Pose, joint: usize) -> Quat {
    pose.rotations[joint] * rig.joints[joint].rest.rotation.inverse()
}

fn local_rotation(rig: &Rig, pose: &Pose, joint: usize) -> Quat {
    let own = rotation_from_rest(rig, pose, joint);
    match rig.joints[joint].parent {
        Some(parent) => rotation_from_rest(rig, pose, parent).inverse() * own,
        None => own,
    }
}

fn local_position(rig: &Rig, pose: &Pose, joint: usize) -> Vec3 {
    match rig.joints[joint].parent {
        Some(parent) => {
            let offset = pose.positions[joint] - pose.positions[parent];
            rotation_from_rest(rig, pose, parent).inverse() * offset
        }
        None => pose.positions[joint],
    }
}
