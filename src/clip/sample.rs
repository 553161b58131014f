use super::{Clip, Track};
use crate::math::{Quat, Vec3, acos, sin};
use crate::motion::Pose;
use crate::rig::Rig;

impl<T: Copy> Track<T> {
    /// The keys around a frame and the share of the second one.
    fn around(&self, frame: u32) -> (T, T, f64) {
        let after = self.keys.partition_point(|&key| key <= frame);
        if after == 0 || after == self.keys.len() {
            let value = self.values[after.saturating_sub(1)];
            return (value, value, 0.0);
        }
        let (a, b) = (self.keys[after - 1], self.keys[after]);
        (self.values[after - 1], self.values[after], f64::from(frame - a) / f64::from(b - a))
    }
}

impl Track<Quat> {
    /// The rotation at a frame, as engines interpolate it.
    pub fn at(&self, frame: u32) -> Quat {
        let (a, b, share) = self.around(frame);
        if share == 0.0 { a } else { between(&a, &b, share) }
    }
}

impl Track<Vec3> {
    /// The place at a frame.
    pub fn at(&self, frame: u32) -> Vec3 {
        let (a, b, share) = self.around(frame);
        a.lerp(&b, share)
    }
}

/// On the great circle from `a` to `b`, which lie in one hemisphere.
pub(super) fn between(a: &Quat, b: &Quat, share: f64) -> Quat {
    let cosine = a.coords.dot(&b.coords).min(1.0);
    // Nearer together than this the chord and the arc are the same.
    if cosine > 1.0 - 1e-10 {
        return Quat::new_normalize(nalgebra::Quaternion::from(a.coords.lerp(&b.coords, share)));
    }
    let angle = acos(cosine);
    let (from, to) = (sin((1.0 - share) * angle), sin(share * angle));
    Quat::new_normalize(nalgebra::Quaternion::from(a.coords * from + b.coords * to))
}

impl Clip {
    /// Where the joints of the rig are at a frame.
    pub fn pose_into(&self, rig: &Rig, rest: &[Vec3], frame: u32, pose: &mut Pose) {
        pose.positions.clear();
        pose.rotations.clear();
        for (joint, data) in rig.joints.iter().enumerate() {
            let travels = self.translations.iter().find(|(other, _)| *other == joint);
            let offset = travels.map_or(rest[joint], |(_, track)| track.at(frame));
            let turn = self.rotations[joint].at(frame);
            let (place, turn) = match data.parent {
                Some(parent) => {
                    (pose.positions[parent] + pose.rotations[parent] * offset, pose.rotations[parent] * turn)
                }
                None => (offset, turn),
            };
            pose.positions.push(place);
            pose.rotations.push(turn);
        }
    }

    /// Where the joints of the rig are at each frame.
    pub fn poses(&self, rig: &Rig) -> Vec<Pose> {
        let rest: Vec<Vec3> =
            (0..rig.joints.len()).map(|joint| super::bake::rest_offset(rig, joint)).collect();
        (0..self.frames as u32)
            .map(|frame| {
                let mut pose = Pose { positions: Vec::new(), rotations: Vec::new() };
                self.pose_into(rig, &rest, frame, &mut pose);
                pose
            })
            .collect()
    }
}
