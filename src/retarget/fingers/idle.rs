//! Fingers of a motion that nobody captured: flat, and still for the whole clip.

use super::is_of_thumb;
use super::palm::{directions, fingers_of};
use crate::motion::{Motion, Pose};
use crate::retarget::reference::Source;
use crate::skeleton::Figure;
use crate::skeleton::naming::{Finger, Limb, Role, Segment, Side};
use crate::skeleton::roles::{BY_TREE, Reason};

/// Poses that are looked at to see whether fingers move.
const SAMPLES: usize = 24;
/// Degrees that fingers turn against the hand at least if they are captured, and by which their last bones are off the palm's length
/// on average in hands that are flat.
const CAPTURED: f64 = 2.0;
const FLAT: f64 = 25.0;

/// Takes the roles of fingers that never move and stand off straight: nobody captured them. Fingers that are closed for the whole clip
/// keep theirs.
pub(in super::super) fn drop_idle_fingers(motion: &Motion, source: &mut Source) {
    if motion.frames == 0 {
        return;
    }
    let samples = SAMPLES.min(motion.frames);
    let poses: Vec<Pose> = (0..samples).map(|i| motion.pose(i * motion.frames / samples)).collect();
    for side in [Side::Left, Side::Right] {
        let Some(hand) = source.figure.palm(side) else { continue };
        let is_own = |role: &Option<Role>| matches!(role, Some(Role::Finger(other, ..)) if *other == side);
        let joints: Vec<usize> = (0..source.figure.names.len())
            .filter(|&joint| is_own(&source.figure.roles.roles[joint]))
            .collect();
        let is_thumb = |joint: &usize| is_of_thumb(&source.figure, *joint);
        // A thumb alone says nothing of a hand: in CMU's captures it is not behind the wrist.
        let has_more = !joints.iter().all(is_thumb);
        let mut asked = joints.iter().filter(|joint| !(has_more && is_thumb(joint)));
        let is_still = asked.all(|&joint| turns_by(&poses, hand, joint) < CAPTURED.to_radians());
        if is_still && is_flat(source, &poses[0], side) {
            forget(&mut source.figure, side, &joints);
        }
    }
}

/// How far a joint turns against the hand.
fn turns_by(poses: &[Pose], hand: usize, joint: usize) -> f64 {
    let in_hand = |pose: &Pose| pose.rotations[hand].inverse() * pose.rotations[joint];
    let first = in_hand(&poses[0]);
    poses.iter().map(|pose| first.angle_to(&in_hand(pose))).fold(0.0, f64::max)
}

/// Whether the fingers of a hand point along the palm in a pose.
fn is_flat(source: &Source, pose: &Pose, side: Side) -> bool {
    let mut figure = source.figure.clone();
    figure.positions.clone_from(&pose.positions);
    let Some(hand) = figure.limb(Limb::Arm, side, Segment::End) else { return true };
    let (mut sum, mut count) = (0.0, 0.0);
    for finger in fingers_of(&figure, side).into_iter().filter(|finger| *finger != Finger::Thumb) {
        let joints = figure.phalanges(side, finger);
        let ahead = figure.positions[joints[0]] - figure.positions[hand];
        if let Some(last) = directions(&figure, &joints, &ahead).last().filter(|last| last.norm() > 0.0) {
            sum += last.angle(&ahead).to_degrees();
            count += 1.0;
        }
    }
    sum <= FLAT * count
}

/// The joints have no role but that of where fingers begin.
fn forget(figure: &mut Figure, side: Side, joints: &[usize]) {
    let ends = [Segment::Toes, Segment::Tip].map(|segment| (segment, figure.limb(Limb::Arm, side, segment)));
    for &joint in joints {
        figure.roles.roles[joint] = None;
        figure.roles.confidence[joint] = 0.0;
        if let Some((segment, _)) = ends.iter().find(|(_, end)| *end == Some(joint)) {
            figure.roles.set(joint, Role::Limb(Limb::Arm, side, *segment), Reason::Tree, BY_TREE);
        }
    }
}
