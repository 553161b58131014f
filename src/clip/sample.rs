use super::bake::rest_offset;
use super::key::Key;
use super::{Clip, Track};
use crate::math::Vec3;
use crate::motion::Pose;
use crate::rig::Rig;

impl<T: Key> Track<T> {
    /// The value at a frame, as engines interpolate it.
    pub fn at(&self, frame: u32) -> T {
        let after = self.keys.partition_point(|&key| key <= frame);
        if after == 0 || after == self.keys.len() {
            return self.values[after.saturating_sub(1)];
        }
        let (a, b) = (self.keys[after - 1], self.keys[after]);
        self.values[after - 1].interpolate(&self.values[after], f64::from(frame - a) / f64::from(b - a))
    }
}

impl Clip {
    /// The pose of the rig at a frame; `rest` are the offsets of its joints at rest.
    pub fn pose_into(&self, rig: &Rig, rest: &[Vec3], frame: u32, pose: &mut Pose) {
        pose.positions.clear();
        pose.rotations.clear();
        for (joint, data) in rig.joints.iter().enumerate() {
            let travels = self.translations.iter().find(|(other, _)| *other == joint);
            let offset = travels.map_or(rest[joint], |(_, track)| track.at(frame));
            let local = self.rotations[joint].at(frame);
            pose.push(data.parent, offset, Some(local));
        }
    }

    /// The pose of the rig at each frame.
    pub fn poses(&self, rig: &Rig) -> Vec<Pose> {
        let rest: Vec<Vec3> = (0..rig.joints.len()).map(|joint| rest_offset(rig, joint)).collect();
        let frames = (0..self.frames as u32).map(|frame| {
            let mut pose = Pose::default();
            self.pose_into(rig, &rest, frame, &mut pose);
            pose
        });
        frames.collect()
    }
}
