use super::{Clip, Track};
use crate::math::{Quat, Vec3};
use crate::motion::Pose;
use crate::rig::Rig;

/// A joint travels if it leaves its place beside its parent by more than this part of the longest bone. Below are the
/// rounding errors of poses, which would only fill the file.
const TRAVELS: f64 = 1e-6;

/// The clip of a character that stands in `poses`, one for each frame, each with the joints of the rig.
///
/// Bones keep their lengths: of a joint that does not travel, and of every joint but those that carry the whole body, only
/// the rotation is taken. Which joints carry it is seen from the poses: the root, and the first joint below it that travels
/// on every way down.
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
        // Below a joint that travels bones have lengths, whatever the rounding; the root alone may stand above another.
        is_carried[joint] =
            above.is_some_and(|parent| is_carried[parent] || (travels[parent] && parent != 0));
        if is_carried[joint] {
            continue;
        }
        let rest = rest_offset(rig, joint);
        let places: Vec<Vec3> = poses.iter().map(|pose| offset(rig, joint, pose)).collect();
        if places.iter().any(|place| (place - rest).norm() > TRAVELS * longest) {
            travels[joint] = true;
            translations.push((joint, Track::of_frames(places)));
        }
    }
    Clip {
        name: name.to_owned(),
        frame_seconds,
        frames: poses.len(),
        rotations,
        translations,
        is_compact: false,
    }
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
        let own = pose.rotations[joint];
        let local = parent.map_or(own, |parent| pose.rotations[parent].inverse() * own);
        let mut local = Quat::new_normalize(local.into_inner());
        if local.coords.dot(&before.coords) < 0.0 {
            local = Quat::new_unchecked(-local.into_inner());
        }
        values.push(local);
        before = local;
    }
    Track::of_frames(values)
}

/// Place of a joint relative to its parent.
fn offset(rig: &Rig, joint: usize, pose: &Pose) -> Vec3 {
    match rig.joints[joint].parent {
        Some(parent) => pose.rotations[parent].inverse() * (pose.positions[joint] - pose.positions[parent]),
        None => pose.positions[joint],
    }
}

/// Place of a joint relative to its parent at rest.
pub(super) fn rest_offset(rig: &Rig, joint: usize) -> Vec3 {
    let rest = &rig.joints[joint].rest;
    match rig.joints[joint].parent {
        Some(parent) => (rig.joints[parent].rest.inverse() * rest).translation.vector,
        None => rest.translation.vector,
    }
}
