use super::Clip;
use crate::math::{Quat, Vec3};
use crate::motion::{Motion, MotionJoint, Pose, Tracks};
use crate::rig::Rig;

impl Clip {
    /// The clip as a motion whose pose of zero channels is the rest of the rig, which is what BVH files hold: joints have the
    /// axes of the world, and ends of bones are end sites.
    pub fn as_motion(&self, rig: &Rig) -> Motion {
        let poses = self.poses(rig);
        let place = |joint: usize| rig.joints[joint].rest.translation.vector;
        let mut joints: Vec<MotionJoint> = (0..rig.joints.len())
            .map(|index| {
                let parent = rig.joints[index].parent;
                let offset = place(index) - parent.map_or(Vec3::zeros(), place);
                MotionJoint { name: rig.joints[index].name.clone(), parent, offset, is_end: false }
            })
            .collect();
        for tip in &rig.tips {
            let offset = tip.position - place(tip.joint);
            joints.push(MotionJoint {
                name: tip.name.clone(),
                parent: Some(tip.joint),
                offset,
                is_end: true,
            });
        }
        // How a joint is turned against its rest, in the axes of the world.
        let turned =
            |pose: &Pose, joint: usize| pose.rotations[joint] * rig.joints[joint].rest.rotation.inverse();
        let local = |pose: &Pose, joint: usize| match rig.joints[joint].parent {
            Some(parent) => turned(pose, parent).inverse() * turned(pose, joint),
            None => turned(pose, joint),
        };
        let rotations: Vec<Quat> = poses
            .iter()
            .flat_map(|pose| (0..rig.joints.len()).map(|joint| local(pose, joint)).collect::<Vec<_>>())
            .collect();
        let travelling: Vec<usize> = self.translations.iter().map(|(joint, _)| *joint).collect();
        let offset = |pose: &Pose, joint: usize| match rig.joints[joint].parent {
            Some(parent) => turned(pose, parent).inverse() * (pose.positions[joint] - pose.positions[parent]),
            None => pose.positions[joint],
        };
        let translations: Vec<Vec3> = poses
            .iter()
            .flat_map(|pose| travelling.iter().map(|&joint| offset(pose, joint)).collect::<Vec<_>>())
            .collect();
        Motion {
            joints: joints.into(),
            rest: None,
            frames: self.frames,
            frame_seconds: self.frame_seconds,
            rotations: Tracks { joints: (0..rig.joints.len()).collect(), values: rotations },
            translations: Tracks { joints: travelling, values: translations },
        }
    }
}
