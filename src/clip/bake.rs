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
        is_quantized: false,
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::rig::RigJoint;
    use nalgebra::Isometry3;

    /// A root, hips a metre above it, and an arm of two bones, each turned against the one above.
    pub fn arm() -> Rig {
        let joint = |name: &str, parent, place: [f64; 3], turn: f64| RigJoint {
            name: name.into(),
            parent,
            rest: Isometry3::from_parts(
                Vec3::from(place).into(),
                Quat::from_euler_angles(turn, 0.3 * turn, 0.0),
            ),
        };
        let joints = vec![
            joint("Root", None, [0.0; 3], 0.0),
            joint("Hips", Some(0), [0.0, 1.0, 0.0], 0.2),
            joint("Upper", Some(1), [0.2, 1.4, 0.0], -0.4),
            joint("Lower", Some(2), [0.5, 1.4, 0.1], 1.0),
        ];
        Rig { joints: joints.into(), tips: Vec::new(), soles: Vec::new() }
    }

    /// The rig walking along +Z and waving, for a second.
    pub fn waving(rig: &Rig) -> Vec<Pose> {
        (0..61)
            .map(|frame| {
                let time = f64::from(frame) / 60.0;
                let mut pose = Pose { positions: Vec::new(), rotations: Vec::new() };
                for (index, joint) in rig.joints.iter().enumerate() {
                    let Some(parent) = joint.parent else {
                        pose.positions.push(joint.rest.translation.vector);
                        pose.rotations.push(joint.rest.rotation);
                        continue;
                    };
                    let local = rig.joints[parent].rest.inverse() * joint.rest;
                    let angle = index as f64 * (6.0 * time + index as f64).sin();
                    let turn = Quat::from_axis_angle(&Vec3::x_axis(), angle);
                    let walk = if index == 1 {
                        Vec3::new(0.0, 0.02 * (9.0 * time).sin(), 1.3 * time)
                    } else {
                        Vec3::zeros()
                    };
                    let place =
                        pose.positions[parent] + pose.rotations[parent] * local.translation.vector + walk;
                    pose.positions.push(place);
                    pose.rotations.push(pose.rotations[parent] * local.rotation * turn);
                }
                pose
            })
            .collect()
    }

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
        for (joint, place) in rig.joints.iter().zip(&zero.positions) {
            assert!((joint.rest.translation.vector - place).norm() < 1e-12);
        }
        for (frame, pose) in poses.iter().enumerate() {
            for (a, b) in motion.pose(frame).positions.iter().zip(&pose.positions) {
                assert!((a - b).norm() < 1e-9, "{frame}");
            }
        }
    }
}
