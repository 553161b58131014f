use super::{Clip, Track};
use crate::math::{Quat, Vec3};
use crate::motion::Pose;
use crate::rig::{Follows, Rig};

/// A joint travels if its offset from its parent changes by more than this part of the longest bone. Below are the rounding
/// errors of poses, which would only fill the file.
pub(super) const TRAVELS: f64 = 1e-6;

/// The clip of a character that stands in `poses`, one for each frame, each with the joints of the rig.
///
/// Rotations of joints that follow others are to be written in 16 bits: what they move is the width of a limb away.
/// Bones keep their lengths: translations are taken only of the joints that carry the whole body, which are the root and the
/// first joint that travels on each path down from it, and of muscles.
///
/// # Panics
/// If there is no pose, or one without the joints of the rig.
pub fn bake(rig: &Rig, name: &str, frame_seconds: f64, poses: &[Pose]) -> Clip {
    assert!(!poses.is_empty(), "a clip has a frame");
    let count = rig.joints.len();
    assert!(poses.iter().all(|pose| pose.rotations.len() == count), "poses are those of the rig");
    let rotations = (0..count).map(|joint| rotation_track(rig, joint, poses)).collect();
    let longest = (1..count).map(|joint| rest_offset(rig, joint).norm()).fold(0.0, f64::max);
    let mut travels = vec![false; count];
    let mut is_carried = vec![false; count];
    let mut translations = Vec::new();
    for joint in 0..count {
        let above = rig.joints[joint].parent;
        // Below a joint that travels bones keep their lengths, whatever the rounding; only a root may have another below.
        is_carried[joint] =
            above.is_some_and(|parent| is_carried[parent] || (travels[parent] && parent != 0));
        if is_carried[joint] && !is_muscle(rig, joint) {
            continue;
        }
        let rest = rest_offset(rig, joint);
        let offsets: Vec<Vec3> = poses.iter().map(|pose| pose.offset(joint, above)).collect();
        if offsets.iter().any(|offset| (offset - rest).norm() > TRAVELS * longest) {
            travels[joint] = true;
            translations.push((joint, Track::of_frames(offsets)));
        }
    }
    Clip {
        name: name.to_owned(),
        frame_seconds,
        frames: poses.len(),
        rotations,
        translations,
        in_16_bits: rig.only_following(),
    }
}

/// Muscles stand off their bones, wherever those are.
fn is_muscle(rig: &Rig, joint: usize) -> bool {
    let is_one = |follows: &Follows| matches!(follows, Follows::Bulge { .. });
    rig.helpers.iter().any(|helper| helper.joint == joint && is_one(&helper.follows))
}

/// Rotations relative to the parent, each in the hemisphere of the one before; the first in that of the rest.
fn rotation_track(rig: &Rig, joint: usize, poses: &[Pose]) -> Track<Quat> {
    let parent = rig.joints[joint].parent;
    let rest = match parent {
        Some(parent) => rig.joints[parent].rest.rotation.inverse() * rig.joints[joint].rest.rotation,
        None => rig.joints[joint].rest.rotation,
    };
    let mut before = rest;
    let mut values = Vec::with_capacity(poses.len());
    for pose in poses {
        let mut local = Quat::new_normalize(pose.local_rotation(joint, parent).into_inner());
        if local.coords.dot(&before.coords) < 0.0 {
            local = Quat::new_unchecked(-local.into_inner());
        }
        values.push(local);
        before = local;
    }
    Track::of_frames(values)
}

/// Position of a joint at rest.
pub(super) fn rest_position(rig: &Rig, joint: usize) -> Vec3 {
    rig.joints[joint].rest.translation.vector
}

/// Position of a joint relative to its parent at rest.
pub(super) fn rest_offset(rig: &Rig, joint: usize) -> Vec3 {
    let rest = &rig.joints[joint].rest;
    match rig.joints[joint].parent {
        Some(parent) => (rig.joints[parent].rest.inverse() * rest).translation.vector,
        None => rest.translation.vector,
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_rig::{arm, waving};
    use super::*;

    #[test]
    fn a_clip_gives_back_the_poses_it_was_baked_from() {
        let rig = arm();
        let poses = waving(&rig);
        let clip = bake(&rig, "wave", 1.0 / 60.0, &poses);
        assert_eq!(
            clip.translations.iter().map(|(joint, _)| *joint).collect::<Vec<_>>(),
            [1],
            "hips alone travel"
        );
        for (pose, again) in poses.iter().zip(clip.poses(&rig)) {
            for joint in 0..rig.joints.len() {
                assert!((pose.positions[joint] - again.positions[joint]).norm() < 1e-9);
                assert!(pose.rotations[joint].angle_to(&again.rotations[joint]) < 1e-7);
            }
        }
        for track in &clip.rotations {
            assert!(track.values.windows(2).all(|pair| pair[0].coords.dot(&pair[1].coords) > 0.0));
        }
    }

    #[test]
    fn as_a_motion_it_stands_where_the_rig_does_and_moves_alike() {
        let rig = arm();
        let poses = waving(&rig);
        let motion = bake(&rig, "wave", 1.0 / 60.0, &poses).as_motion(&rig);
        assert_eq!(motion.broken_invariant(), None);
        let zero = motion.zero_pose();
        for (joint, position) in rig.joints.iter().zip(&zero.positions) {
            assert!((joint.rest.translation.vector - position).norm() < 1e-12);
        }
        for (frame, pose) in poses.iter().enumerate() {
            for (a, b) in motion.pose(frame).positions.iter().zip(&pose.positions) {
                assert!((a - b).norm() < 1e-9, "{frame}");
            }
        }
    }
}
