//! Collar bones: where they are while the arms hang.
//!
//! Many captures hold their collar bones far from the rest pose for the whole clip, because of where markers were put or how the rig
//! was drawn. Who copies that shrugs. While the arms hang a body stands as it does by itself: what its collar bones are rotated then, over
//! the clip, is the posture that the character has at rest. What they do besides is kept: a shrug is one.

use super::reference::Source;
use crate::math::{Quat, Vec3, median, sin};
use crate::motion::Motion;
use crate::skeleton::naming::{Limb, Segment, Side};

/// Frames that are looked at, at most.
const FRAMES: usize = 200;
/// Degrees below the level of the shoulders from which on an arm hangs.
const HANGING: f64 = 45.0;
/// Part of the frames in which an arm must hang before they say anything of the posture: a dancer's arms pass there.
const OFTEN: f64 = 0.2;
/// Degrees that a collar bone may be away from the rest pose while the arm hangs: bodies do that. Captures with a rest pose of their
/// own are within 4, foreign rest poses up to 30 off.
const OWN: f64 = 5.0;

/// Takes what collar bones are rotated while the arms hang, beyond what bodies do, into the reference pose.
pub(super) fn settle_collars(motion: &Motion, source: &mut Source) {
    if motion.frames == 0 {
        return;
    }
    for side in [Side::Left, Side::Right] {
        let [girdle, upper, lower] = [Segment::Girdle, Segment::Upper, Segment::Lower]
            .map(|segment| source.figure.limb(Limb::Arm, side, segment));
        let (Some(girdle), Some(upper), Some(lower)) = (girdle, upper, lower) else { continue };
        let Some(chest) = source.figure.parents[girdle] else { continue };
        let arm = CollarChain { chest, girdle, upper, lower };
        if let Some(excess) = arm.excess(motion, source) {
            source.rotations[girdle] = excess * source.rotations[girdle];
        }
    }
}

/// From the chest to the elbow.
struct CollarChain {
    chest: usize,
    girdle: usize,
    upper: usize,
    lower: usize,
}

impl CollarChain {
    /// The median rotation of the collar bone against the chest while the arm hangs, beyond what bodies do; `None` if there is none
    /// or the arm hangs too seldom.
    fn excess(&self, motion: &Motion, source: &Source) -> Option<Quat> {
        let mut pose = motion.pose(0);
        let mut hanging: Vec<Vec3> = Vec::new();
        let mut looked = 0;
        for frame in (0..motion.frames).step_by(motion.frames.div_ceil(FRAMES).max(1)) {
            motion.pose_into(frame, &mut pose);
            let turned = |joint: usize| {
                source.figure_from_file * pose.rotations[joint] * source.rotations[joint].inverse()
            };
            let chest = turned(self.chest).inverse();
            let arm = source.figure_from_file * (pose.positions[self.lower] - pose.positions[self.upper]);
            if (chest * arm).y < -sin(HANGING.to_radians()) * arm.norm() {
                hanging.push((chest * turned(self.girdle)).scaled_axis());
            }
            looked += 1;
        }
        if hanging.is_empty() || (hanging.len() as f64) < OFTEN * f64::from(looked) {
            return None;
        }
        let typical = Vec3::from_fn(|axis, _| {
            let mut along: Vec<f64> = hanging.iter().map(|rotation| rotation[axis]).collect();
            median(&mut along).unwrap_or(0.0)
        });
        let beyond = 1.0 - OWN.to_radians() / typical.norm();
        (beyond > 0.0).then(|| Quat::from_scaled_axis(typical * beyond))
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::SourceOptions;
    use super::*;

    /// The walk with its collar bones raised by so many degrees from frame `from` on.
    fn shrugging(degrees: f64, from: usize) -> (Motion, [usize; 2]) {
        let mut walk = Motion::built_in("walk").unwrap();
        let source = Source::of(&walk, &SourceOptions::default());
        let girdles = [Side::Left, Side::Right]
            .map(|side| source.figure.limb(Limb::Arm, side, Segment::Girdle).unwrap());
        for (girdle, sign) in girdles.into_iter().zip([1.0, -1.0]) {
            let raised = Quat::from_axis_angle(&Vec3::z_axis(), sign * f64::to_radians(degrees));
            let tracks = &mut walk.rotations;
            let (column, width) =
                (tracks.joints.iter().position(|j| *j == girdle).unwrap(), tracks.joints.len());
            let rotations = tracks.values.iter_mut().skip(column).step_by(width);
            rotations.skip(from).for_each(|rotation| *rotation = raised * *rotation);
        }
        (walk, girdles)
    }

    /// How far the left collar bone of a frame is rotated against the chest, beyond the source's reference.
    fn rotation(motion: &Motion, girdle: usize, frame: usize) -> f64 {
        let source = Source::of(motion, &SourceOptions::default());
        let pose = motion.pose(frame);
        let chest = source.figure.parents[girdle].unwrap();
        let turned = |joint: usize| {
            source.figure_from_file * pose.rotations[joint] * source.rotations[joint].inverse()
        };
        (turned(chest).inverse() * turned(girdle)).angle().to_degrees()
    }

    #[test]
    fn collar_bones_that_are_raised_for_the_whole_clip_are_a_posture() {
        for degrees in [0.0, 15.0, 30.0, -25.0] {
            let (motion, [left, _]) = shrugging(degrees, 0);
            for frame in [0, 20, 50] {
                let rotation = rotation(&motion, left, frame);
                assert!(rotation < OWN + 3.0, "{degrees}, frame {frame}: {rotation}");
            }
        }
    }

    #[test]
    fn a_shrug_is_kept() {
        let frames = Motion::built_in("walk").unwrap().frames;
        let (motion, [left, _]) = shrugging(25.0, frames * 2 / 3);
        assert!(rotation(&motion, left, 10) < 3.0);
        assert!(rotation(&motion, left, frames - 5) > 22.0);
    }
}
