use super::Motion;
use crate::math::{Quat, Vec3};

/// Where all joints of a hierarchy are at one moment, in the axes and the unit of their file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pose {
    /// Position of each joint in the world.
    pub positions: Vec<Vec3>,
    /// Rotation of each joint from its own axes to those of the world.
    pub rotations: Vec<Quat>,
}

impl Motion {
    /// The pose of zero channels: no joint turned, every joint at its offset.
    pub fn zero_pose(&self) -> Pose {
        let mut pose = Pose::default();
        self.posed_into(&mut pose, |_| (None, None));
        pose
    }

    /// The pose at a frame.
    ///
    /// # Panics
    /// If the motion has no such frame.
    pub fn pose(&self, frame: usize) -> Pose {
        let mut pose = Pose::default();
        self.pose_into(frame, &mut pose);
        pose
    }

    /// As [`Motion::pose`], into a pose that exists already.
    pub fn pose_into(&self, frame: usize, pose: &mut Pose) {
        let (rotations, translations) = (self.rotations.at(frame), self.translations.at(frame));
        let (mut turned, mut moved) = (0, 0);
        self.posed_into(pose, |joint| {
            let rotation = (self.rotations.joints.get(turned) == Some(&joint)).then(|| {
                turned += 1;
                rotations[turned - 1]
            });
            let translation = (self.translations.joints.get(moved) == Some(&joint)).then(|| {
                moved += 1;
                translations[moved - 1]
            });
            (rotation, translation)
        });
    }

    /// Forward kinematics: a joint's rotation carries everything below it, its translation replaces its offset.
    fn posed_into(&self, pose: &mut Pose, mut local: impl FnMut(usize) -> (Option<Quat>, Option<Vec3>)) {
        pose.positions.clear();
        pose.rotations.clear();
        for (index, joint) in self.joints.iter().enumerate() {
            let (rotation, translation) = local(index);
            pose.push(joint.parent, translation.unwrap_or(joint.offset), rotation);
        }
    }
}

impl Pose {
    /// Forward kinematics, one joint: appends a joint by its position and rotation relative to its parent. Without a rotation
    /// it has that of the parent.
    pub fn push(&mut self, parent: Option<usize>, offset: Vec3, rotation: Option<Quat>) {
        let (position, above) = match parent {
            Some(parent) => {
                (self.positions[parent] + self.rotations[parent] * offset, self.rotations[parent])
            }
            None => (offset, Quat::identity()),
        };
        self.positions.push(position);
        self.rotations.push(rotation.map_or(above, |rotation| above * rotation));
    }

    /// The position of a joint relative to its parent, in the axes of the parent.
    pub fn offset(&self, joint: usize, parent: Option<usize>) -> Vec3 {
        parent.map_or(self.positions[joint], |parent| {
            self.rotations[parent].inverse() * (self.positions[joint] - self.positions[parent])
        })
    }

    /// The rotation of a joint relative to its parent.
    pub fn local_rotation(&self, joint: usize, parent: Option<usize>) -> Quat {
        parent
            .map_or(self.rotations[joint], |parent| self.rotations[parent].inverse() * self.rotations[joint])
    }

    /// The same pose in other axes.
    #[must_use]
    pub fn turned(&self, turn: &Quat) -> Pose {
        Pose {
            positions: self.positions.iter().map(|position| turn * position).collect(),
            rotations: self.rotations.iter().map(|rotation| turn * rotation).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MotionJoint, Tracks};
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    #[test]
    fn a_bent_arm_is_where_it_must_be() {
        let joint = |name: &str, parent, x| MotionJoint::new(name, parent, Vec3::new(x, 0.0, 0.0));
        let quarter = Quat::from_axis_angle(&Vec3::z_axis(), FRAC_PI_2);
        let motion = Motion {
            joints: vec![joint("root", None, 9.0), joint("elbow", Some(0), 2.0), joint("tip", Some(1), 1.0)]
                .into(),
            rest: None,
            frames: 1,
            frame_seconds: 1.0,
            rotations: Tracks { joints: vec![0, 1], values: vec![quarter, quarter] },
            translations: Tracks { joints: vec![0], values: vec![Vec3::new(1.0, 0.0, 0.0)] },
        };
        assert_eq!(motion.zero_pose().positions[2], Vec3::new(12.0, 0.0, 0.0));
        let pose = motion.pose(0);
        for (joint, expected) in [(0, [1.0, 0.0, 0.0]), (1, [1.0, 2.0, 0.0]), (2, [0.0, 2.0, 0.0])] {
            assert!((pose.positions[joint] - Vec3::from(expected)).norm() < 1e-12, "{joint}");
        }
        assert!((pose.rotations[2].angle() - 2.0 * FRAC_PI_2).abs() < 1e-12);
    }
}
