//! Fingers: they move as the source's do, and hang relaxed where the source has none.
//!
//! Hands are drawn flat, half closed or with thumbs at any angle, and captured in other poses again. What is the same in all of them
//! is where a bone points against the palm ([`super::palm`]). A bone of the character points there as the source's does in
//! each frame, whatever both do at rest and however their axes are rolled:
//!
//! `rotation = hand · P_t · (P_s⁻¹ · D · B_s) · B_t⁻¹ · rest`
//!
//! where `P` are the axes of the palms, `B` those of the bones at rest, and `D` how far the source's bone is rotated against its hand.

use super::NO_DIRECTION;
use super::foot::slerp;
use super::joint_map::{JointMap, RotationSource};
use super::palm::{Palm, directions, fingers_of};
use super::reference::{PoseKind, Source};
use super::target::Target;
use crate::math::{Quat, Vec3, atan2};
use crate::motion::{Motion, Pose};
use crate::skeleton::Figure;
use crate::skeleton::naming::{Finger, Limb, Role, Segment, Side};
use crate::skeleton::roles::{BY_TREE, Reason};

/// Degrees by which the joints of a hanging hand are bent, from the knuckle outwards, of each finger from the index to the little one.
/// Half of it looks flat, twice as much like a fist; hands that carry nothing close from the index to the little finger.
const RELAXED: [[f64; 3]; 4] =
    [[12.0, 22.0, 14.0], [18.0, 26.0, 16.0], [22.0, 28.0, 18.0], [25.0, 28.0, 18.0]];
/// A hand that is bent by this part of it is drawn relaxed, and stays as it is.
const DRAWN_RELAXED: f64 = 0.6;
/// Degrees by which fingers may be bent backwards on average before the palm is not where it seems.
const BACKWARDS: f64 = 15.0;
/// Degrees between a thumb and the palm's length from which on it is spread, and by which a spread one comes nearer.
const SPREAD: f64 = 35.0;
const DRAWN_IN: f64 = 12.0;
/// Degrees by which a thumb at rest takes over another rest pose: where its first joint is, and how it leads from there, is how a
/// rig was drawn. Beyond, thumbs go through palms.
const OTHER_THUMB: f64 = 30.0;

/// How the fingers of a character move.
#[derive(Debug, Clone, Default)]
pub(super) struct Fingers {
    hands: Vec<Hand>,
}

/// How many joints of fingers move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FingerCount {
    /// As those of the motion.
    pub imitating: usize,
    /// Not: they hang relaxed.
    pub relaxed: usize,
    /// Not: they are as they were bound.
    pub still: usize,
}

/// A hand of the character.
#[derive(Debug, Clone)]
struct Hand {
    joint: usize,
    /// What carries the fingers of the source.
    source: Option<usize>,
    /// What hangs on it, parents first.
    joints: Vec<(usize, Drive)>,
}

/// What rotates a joint behind a hand.
#[derive(Debug, Clone, Copy)]
enum Drive {
    /// The joint that it hangs on.
    Follow(usize),
    /// Nothing: it is rotated by so much from its rest, against the hand.
    Turned(Quat),
    Imitate(Imitation),
}

/// A joint that does as the source's fingers do.
#[derive(Debug, Clone, Copy)]
struct Imitation {
    from: [SourceBone; 2],
    /// From the first to the second one.
    share: f64,
    /// From the axes of the source's hand to those of its palm.
    palm_from_hand: Quat,
    /// The axes of the palm, and from the axes of the bone to those of the joint.
    palm: Quat,
    joint_from_bone: Quat,
}

/// A bone of the source's hand.
#[derive(Debug, Clone, Copy)]
enum SourceBone {
    /// The palm itself.
    Palm,
    /// A joint, and from its axes to those of its bone.
    Bone(usize, Quat),
}

impl Fingers {
    /// Of a character that a motion moves.
    pub fn of(target: &Target, source: &Source, map: &JointMap, alignment: &[Quat]) -> Fingers {
        let hand = |side| {
            let joint = target.figure.limb(Limb::Arm, side, Segment::End)?;
            if joint >= target.joints || fingers_of(&target.figure, side).is_empty() {
                return None;
            }
            Some(Plan { target, source, map, side, hand: joint, alignment: alignment[joint] }.hand())
        };
        Fingers { hands: [Side::Left, Side::Right].into_iter().filter_map(hand).collect() }
    }

    /// How many joints do what; `None` where there are no fingers.
    pub fn count(&self, target: &Target) -> Option<FingerCount> {
        let mut count = FingerCount::default();
        let joints = self.hands.iter().flat_map(|hand| &hand.joints);
        for (_, drive) in joints.filter(|(joint, _)| target.figure.is_of_finger(*joint)) {
            match drive {
                Drive::Follow(_) => count.still += 1,
                Drive::Turned(_) => count.relaxed += 1,
                Drive::Imitate(_) => count.imitating += 1,
            }
        }
        (!self.hands.is_empty()).then_some(count)
    }

    /// Rotates the fingers of hands that are rotated already, for a frame of the source.
    pub fn rotate(&self, source: &Pose, rest: &[Quat], rotations: &mut [Quat]) {
        for hand in &self.hands {
            let from_rest = rotations[hand.joint] * rest[hand.joint].inverse();
            for &(joint, ref drive) in &hand.joints {
                rotations[joint] = match drive {
                    Drive::Follow(above) => rotations[*above] * (rest[*above].inverse() * rest[joint]),
                    Drive::Turned(turn) => from_rest * turn * rest[joint],
                    Drive::Imitate(imitation) => from_rest * hand.imitated(imitation, source),
                };
            }
        }
    }

    /// Straightens what is relaxed of a hand that bears weight: by a share, from 0 to 1.
    pub fn straighten(&self, hand: usize, share: f64, target: &Target, pose: &mut Pose) {
        let Some(hand) = self.hands.iter().find(|other| other.joint == hand) else { return };
        if !hand.joints.iter().any(|(_, drive)| matches!(drive, Drive::Turned(_))) {
            return;
        }
        let from_rest = pose.rotations[hand.joint] * target.rest[hand.joint].inverse();
        for (joint, drive) in &hand.joints {
            if let Drive::Turned(turn) = drive {
                let turn = slerp(turn, &Quat::identity(), share);
                pose.rotations[*joint] = from_rest * turn * target.rest[*joint];
            } else if let Drive::Follow(above) = drive {
                let joint_from_above = target.rest[*above].inverse() * target.rest[*joint];
                pose.rotations[*joint] = pose.rotations[*above] * joint_from_above;
            }
            pose.positions[*joint] = target.attached(pose, *joint);
        }
    }
}

impl Hand {
    /// The rotation of a joint for a hand as it is at rest.
    fn imitated(&self, imitation: &Imitation, source: &Pose) -> Quat {
        let Some(hand) = self.source else { return Quat::identity() };
        let palm = imitation.palm_from_hand * source.rotations[hand].inverse();
        let bone = |bone: &SourceBone| match bone {
            SourceBone::Palm => Quat::identity(),
            SourceBone::Bone(joint, bone) => palm * source.rotations[*joint] * bone,
        };
        let [from, to] = [&imitation.from[0], &imitation.from[1]].map(bone);
        let bone = if imitation.share == 0.0 { from } else { slerp(&from, &to, imitation.share) };
        imitation.palm * bone * imitation.joint_from_bone
    }
}

/// Everything that decides how a hand of the character moves.
struct Plan<'a> {
    target: &'a Target,
    source: &'a Source,
    map: &'a JointMap,
    side: Side,
    hand: usize,
    /// From the hand at rest to the source's in its reference pose.
    alignment: Quat,
}

/// The palms of both.
#[derive(Clone, Copy)]
struct Palms {
    ours: Palm,
    theirs: Palm,
    /// Whether fingers may be compared by where they are spread to: both have several of one name.
    is_exact: bool,
}

/// A joint of the character and the hand of the source that is to move it.
struct Pair {
    joint: usize,
    their_hand: usize,
    palms: Palms,
}

impl Plan<'_> {
    fn hand(&self) -> Hand {
        let figure = &self.target.figure;
        let moved = |joint: usize| figure.is_of_finger(joint) && self.map.matches[joint].is_some();
        let behind: Vec<usize> =
            self.target.tree.subtree(self.hand).filter(|&joint| joint != self.hand).collect();
        let their_hand = self.source.figure.palm(self.side);
        let palms = their_hand.and_then(|_| self.palms());
        let (Some(their_hand), Some(palms), true) =
            (their_hand, palms, behind.iter().any(|&joint| moved(joint)))
        else {
            let is_free = !behind.iter().any(|&joint| moved(joint));
            let turns = if is_free { relaxed(figure, self.side) } else { Vec::new() };
            return Hand { joint: self.hand, source: None, joints: self.resting(&behind, &turns) };
        };
        let joints =
            behind.iter().filter_map(|&joint| Some((joint, self.drive(&Pair { joint, their_hand, palms })?)));
        Hand { joint: self.hand, source: Some(their_hand), joints: joints.collect() }
    }

    /// The palms of both by the fingers that both have; where those say nothing, the source's is where the hands are aligned.
    fn palms(&self) -> Option<Palms> {
        let (ours, theirs) = (&self.target.figure, &self.source.figure);
        let known = fingers_of(theirs, self.side);
        let both: Vec<Finger> =
            fingers_of(ours, self.side).into_iter().filter(|finger| known.contains(finger)).collect();
        let palm = |figure| Palm::of(figure, self.side, &both);
        match (palm(ours), palm(theirs)) {
            (Some(ours), Some(theirs)) => {
                let row = both.iter().filter(|finger| Finger::OF_PALM.contains(finger)).count();
                Some(Palms { ours, theirs, is_exact: row > 1 })
            }
            _ => {
                let ours =
                    Palm::of(ours, self.side, &fingers_of(ours, self.side)).or_else(|| self.any_palm())?;
                Some(Palms { theirs: ours.turned(&self.alignment), ours, is_exact: false })
            }
        }
    }

    /// A hand with one finger has no palm; any axes along the finger do.
    fn any_palm(&self) -> Option<Palm> {
        let figure = &self.target.figure;
        let finger = fingers_of(figure, self.side).into_iter().next()?;
        let knuckle = figure.find(Role::Finger(self.side, finger, 1))?;
        Palm::along(&(figure.positions[knuckle] - figure.positions[self.hand]), self.side)
    }

    /// What rotates joints that nothing of the motion does; those that the user maps are as the map says.
    fn resting(&self, behind: &[usize], turns: &[(usize, Quat)]) -> Vec<(usize, Drive)> {
        let free = behind.iter().copied().filter(|&joint| self.map.matches[joint].is_none());
        let drive = |joint: usize| match turns.iter().find(|(turned, _)| *turned == joint) {
            Some((_, turn)) => Drive::Turned(*turn),
            None => Drive::Follow(self.above(joint)),
        };
        free.map(|joint| (joint, drive(joint))).collect()
    }

    /// The joint that a joint behind the hand hangs on.
    fn above(&self, joint: usize) -> usize {
        self.target.tree.parent(joint).unwrap_or(self.hand)
    }

    /// What rotates a joint; `None` for one that the user maps to something that is no finger.
    fn drive(&self, pair: &Pair) -> Option<Drive> {
        let &Pair { joint, their_hand, .. } = pair;
        let Some(found) = self.map.matches[joint] else { return Some(Drive::Follow(self.above(joint))) };
        let origin = match found.origin {
            RotationSource::Joint(from) => (from, from, 0.0),
            RotationSource::Between(a, b, share) => (a, b, share),
        };
        let palms = self.palms_of_finger(pair, origin.1)?;
        let rotations = &self.source.rotations;
        let bone = |from: usize| {
            if from == their_hand {
                return Some(SourceBone::Palm);
            }
            let axes = bone_axes(&self.source.figure, &palms.theirs, from)?;
            Some(SourceBone::Bone(from, rotations[from].inverse() * axes))
        };
        let from = [bone(origin.0)?, bone(origin.1)?];
        let ours = bone_axes(&self.target.figure, &palms.ours, joint)?;
        let joint_from_bone =
            self.limited(joint, &palms, &from[0]) * ours.inverse() * self.target.rest[joint];
        let palm_from_hand = palms.theirs.axes.inverse() * rotations[their_hand];
        let palm = palms.ours.axes;
        Some(Drive::Imitate(Imitation { from, share: origin.2, palm_from_hand, palm, joint_from_bone }))
    }

    /// The palms by which a finger is compared. Where another finger moves it, or palms are known by one knuckle, each has its own
    /// length as its finger is spread: it keeps that, and bends as the other does.
    fn palms_of_finger(&self, pair: &Pair, from: usize) -> Option<Palms> {
        let finger = |figure: &Figure, joint: usize| figure.roles.roles[joint].and_then(Role::finger);
        let (ours, theirs) = (finger(&self.target.figure, pair.joint)?, finger(&self.source.figure, from)?);
        if ours.1 == Finger::Thumb || (pair.palms.is_exact && ours.1 == theirs.1) {
            return Some(pair.palms);
        }
        let along = |figure: &Figure, palm: &Palm, (side, finger, _)| {
            let joints = figure.phalanges(side, finger);
            directions(figure, &joints, &palm.ahead()).first().map(|first| palm.along_finger(first))
        };
        let Palms { ours: our_palm, theirs: their_palm, .. } = pair.palms;
        Some(Palms {
            ours: along(&self.target.figure, &our_palm, ours)?,
            theirs: along(&self.source.figure, &their_palm, theirs)?,
            is_exact: false,
        })
    }

    /// What brings a thumb back that would leave its own rest by more than thumbs differ. A frame of the motion is no rest.
    fn limited(&self, joint: usize, palms: &Palms, from: &SourceBone) -> Quat {
        let is_thumb = is_of_thumb(&self.target.figure, joint);
        let is_rest = !matches!(self.source.kind, PoseKind::Frame(_));
        let (SourceBone::Bone(from, _), true) = (from, is_thumb && is_rest) else { return Quat::identity() };
        let axes = |figure, palm: &Palm, joint| Some(palm.axes.inverse() * bone_axes(figure, palm, joint)?);
        let both =
            (axes(&self.target.figure, &palms.ours, joint), axes(&self.source.figure, &palms.theirs, *from));
        let (Some(ours), Some(theirs)) = both else { return Quat::identity() };
        let share = OTHER_THUMB.to_radians() / ours.angle_to(&theirs).max(f64::MIN_POSITIVE);
        if share >= 1.0 { Quat::identity() } else { theirs.inverse() * slerp(&ours, &theirs, share) }
    }
}

fn is_of_thumb(figure: &Figure, joint: usize) -> bool {
    matches!(figure.roles.roles[joint], Some(Role::Finger(_, Finger::Thumb, _)))
}

/// The axes of the bone of a finger's joint at rest.
fn bone_axes(figure: &Figure, palm: &Palm, joint: usize) -> Option<Quat> {
    let (side, finger, phalanx) = figure.roles.roles[joint].and_then(Role::finger)?;
    if phalanx == 0 {
        let ahead = figure.positions[figure.find(Role::Finger(side, finger, 1))?] - figure.positions[joint];
        return Some(palm.bone(&ahead.try_normalize(NO_DIRECTION)?, finger));
    }
    let joints = figure.phalanges(side, finger);
    let place = joints.iter().position(|&other| other == joint)?;
    Some(palm.bone(&directions(figure, &joints, &palm.ahead())[place], finger))
}

/// How the joints of a hand are rotated that hangs; nothing if it is drawn so, or does not say where its palm is.
fn relaxed(figure: &Figure, side: Side) -> Vec<(usize, Quat)> {
    let fingers = fingers_of(figure, side);
    let Some(palm) = Palm::of(figure, side, &fingers) else { return Vec::new() };
    let bent: Vec<BentFinger> =
        fingers.iter().filter(|f| **f != Finger::Thumb).map(|&f| BentFinger::of(figure, &palm, f)).collect();
    let count = bent.len() as f64;
    let drawn = bent.iter().map(|finger| finger.drawn.iter().sum::<f64>()).sum::<f64>() / count;
    let wanted = bent.iter().map(|finger| finger.wanted.iter().sum::<f64>()).sum::<f64>() / count;
    if bent.is_empty() || drawn > DRAWN_RELAXED * wanted || drawn < -BACKWARDS.to_radians() {
        return Vec::new();
    }
    bent.iter().flat_map(BentFinger::turns).chain(drawn_in(figure, &palm, side)).collect()
}

/// A finger, how it is drawn, and how it hangs.
struct BentFinger {
    joints: Vec<usize>,
    axis: Vec3,
    /// Radians by which each bone is bent against the one before it, and by which it should be.
    drawn: Vec<f64>,
    wanted: Vec<f64>,
}

impl BentFinger {
    fn of(figure: &Figure, palm: &Palm, finger: Finger) -> BentFinger {
        let joints = figure.phalanges(palm.side(), finger);
        let directions = directions(figure, &joints, &palm.ahead());
        // The axis is across the finger, wherever that is spread to.
        let along = directions.first().copied().unwrap_or_else(|| palm.ahead());
        let flexion = palm.flexion();
        let axis = (flexion - along * along.dot(&flexion)).try_normalize(NO_DIRECTION).unwrap_or(flexion);
        let before = std::iter::once(palm.ahead()).chain(directions.iter().copied());
        let drawn = before.zip(&directions).map(|(before, bone)| bend(&before, bone, &axis)).collect();
        let place = Finger::OF_PALM.iter().position(|&other| other == finger).unwrap_or(1);
        let wanted = divided(RELAXED[place], joints.len());
        BentFinger { joints, axis, drawn, wanted }
    }

    fn turns(&self) -> impl Iterator<Item = (usize, Quat)> + '_ {
        let mut angle = 0.0;
        self.joints.iter().enumerate().map(move |(place, &joint)| {
            angle += (self.wanted[place] - self.drawn[place]).max(0.0);
            (joint, Quat::from_axis_angle(&nalgebra::Unit::new_unchecked(self.axis), angle))
        })
    }
}

/// Radians from one direction to another about an axis.
fn bend(from: &Vec3, to: &Vec3, axis: &Vec3) -> f64 {
    atan2(axis.dot(&from.cross(to)), from.dot(to) - axis.dot(from) * axis.dot(to))
}

/// The bend of three joints, in radians, on any other number: the last one takes what is left.
fn divided(degrees: [f64; 3], joints: usize) -> Vec<f64> {
    let mut bends: Vec<f64> = degrees.iter().take(joints).map(|bend| bend.to_radians()).collect();
    let left: f64 = degrees.iter().skip(joints).map(|bend| bend.to_radians()).sum();
    if let Some(last) = bends.last_mut() {
        *last += 0.5 * left;
    }
    bends.resize(joints, 0.0);
    bends
}

/// A spread thumb comes nearer to the fingers, as it does when a hand hangs. Which way it bends is how its rig was drawn: its other
/// joints stay.
fn drawn_in(figure: &Figure, palm: &Palm, side: Side) -> Vec<(usize, Quat)> {
    let joints = figure.phalanges(side, Finger::Thumb);
    let ahead = palm.ahead();
    let Some(&first) = directions(figure, &joints, &ahead).first() else { return Vec::new() };
    let spread = first.angle(&ahead).to_degrees();
    let Some(axis) = nalgebra::Unit::try_new(first.cross(&ahead), NO_DIRECTION) else { return Vec::new() };
    let turn = Quat::from_axis_angle(&axis, (spread - SPREAD).clamp(0.0, DRAWN_IN).to_radians());
    joints.into_iter().map(|joint| (joint, turn)).collect()
}

/// Poses that are looked at to see whether fingers move.
const SAMPLES: usize = 24;
/// Degrees that fingers turn against the hand at least if they are captured, and by which their last bones are off the palm's length
/// on average in hands that are flat.
const CAPTURED: f64 = 2.0;
const FLAT: f64 = 25.0;

/// Takes the roles of fingers that never move and stand off straight: nobody captured them. Fingers that are closed for the whole clip
/// keep theirs.
pub(super) fn drop_idle_fingers(motion: &Motion, source: &mut Source) {
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

#[cfg(test)]
mod tests {
    use super::super::rest_alignment::bone_frame;
    use super::super::{RetargetOptions, SourceOptions, retarget};
    use super::*;
    use crate::math::{cos, sin};
    use crate::motion::{MotionJoint, Tracks};
    use crate::rig::{Rig, RigJoint, Tip};
    use crate::skeleton::Skeleton;
    use nalgebra::Isometry3;

    struct Node {
        name: String,
        parent: Option<usize>,
        position: Vec3,
        is_end: bool,
    }

    /// Along the arm, across the hand to the thumb, and out of the palm.
    fn axes_of_hand(nodes: &[Node], side: Side) -> [Vec3; 3] {
        let at =
            |name: &str| nodes.iter().find(|node| node.name == format!("{side:?}{name}")).unwrap().position;
        let ahead = (at("Hand") - at("LowerArm")).normalize();
        let across = (Vec3::z() - ahead * ahead.z).normalize();
        let normal = ahead.cross(&across);
        [ahead, across, if side == Side::Left { normal } else { -normal }]
    }

    /// The human with fingers of so many joints, each of which is bent by so many degrees at rest.
    fn person(fingers: &[Finger], joints: usize, bent: f64) -> Vec<Node> {
        let human = Skeleton::human();
        let node = |joint: &crate::skeleton::Joint| Node {
            name: joint.name.clone(),
            parent: joint.parent,
            position: joint.position,
            is_end: joint.is_tip,
        };
        let mut nodes: Vec<Node> = human.joints.iter().map(node).collect();
        for side in [Side::Left, Side::Right] {
            let [ahead, across, palm] = axes_of_hand(&nodes, side);
            let hand = nodes.iter().position(|node| node.name == format!("{side:?}Hand")).unwrap();
            for &finger in fingers {
                let is_thumb = finger == Finger::Thumb;
                let place = finger as usize as f64;
                let from_wrist = if is_thumb {
                    ahead * 0.015 + across * 0.02
                } else {
                    ahead * 0.05 + across * (0.0325 - 0.013 * place)
                };
                let (mut parent, mut position) = (hand, nodes[hand].position + from_wrist);
                for joint in 1..=joints + 1 {
                    let is_end = joint > joints;
                    let name = if is_end {
                        format!("{side:?}{finger}Tip")
                    } else {
                        format!("{side:?}Hand{finger}{joint}")
                    };
                    nodes.push(Node { name, parent: Some(parent), position, is_end });
                    parent = nodes.len() - 1;
                    let angle = (bent * joint as f64).to_radians();
                    let bone = if is_thumb {
                        (ahead + across).normalize()
                    } else {
                        ahead * cos(angle) + palm * sin(angle)
                    };
                    position += bone * 0.02;
                }
            }
        }
        nodes
    }

    /// A rig with axes that are rolled anyhow.
    fn rig(nodes: &[Node]) -> Rig {
        let mut indices = vec![0; nodes.len()];
        let (mut joints, mut tips) = (Vec::new(), Vec::new());
        for (index, node) in nodes.iter().enumerate() {
            let parent = node.parent.map(|parent| indices[parent]);
            if node.is_end {
                tips.push(Tip { name: node.name.clone(), joint: parent.unwrap(), position: node.position });
                continue;
            }
            indices[index] = joints.len();
            let roll = index as f64;
            let rotation = Quat::from_euler_angles(0.7 * roll, 1.3 * roll, 0.4 * roll);
            joints.push(RigJoint {
                name: node.name.clone(),
                parent,
                rest: Isometry3::from_parts(node.position.into(), rotation),
            });
        }
        Rig::of_joints(joints, tips)
    }

    /// Three frames in which the joints of fingers are bent by more and more: by so many degrees in the last one.
    fn bending(nodes: &[Node], degrees: &[f64]) -> Motion {
        let joint = |node: &Node| MotionJoint {
            name: node.name.clone(),
            parent: node.parent,
            offset: node.position - node.parent.map_or(Vec3::zeros(), |parent| nodes[parent].position),
            is_end: node.is_end,
        };
        let joints: Vec<MotionJoint> = nodes.iter().map(joint).collect();
        let turning: Vec<usize> = (0..nodes.len()).filter(|&node| !nodes[node].is_end).collect();
        let mut values = Vec::new();
        for frame in 0..3 {
            for &index in &turning {
                let name = &nodes[index].name;
                let side = if name.starts_with("Left") { Side::Left } else { Side::Right };
                let [ahead, _, palm] = axes_of_hand(nodes, side);
                let number =
                    name.strip_prefix(&format!("{side:?}Hand")).filter(|rest| !rest.starts_with("Thumb"));
                let number = number.and_then(|rest| rest.chars().last()?.to_digit(10));
                let angle =
                    number.map_or(0.0, |number| degrees[number as usize - 1]) * f64::from(frame) / 2.0;
                let axis = nalgebra::Unit::new_normalize(ahead.cross(&palm));
                values.push(Quat::from_axis_angle(&axis, angle.to_radians()));
            }
        }
        Motion {
            joints: joints.into(),
            rest: None,
            frames: 3,
            frame_seconds: 0.1,
            rotations: Tracks { joints: turning, values },
            translations: Tracks { joints: Vec::new(), values: Vec::new() },
        }
    }

    /// The last pose of a motion on a rig, and what its fingers do.
    fn posed(rig: &Rig, motion: &Motion) -> (Pose, FingerCount) {
        let source = Source::of(motion, &SourceOptions::default());
        let result = retarget(&Target::of(rig), motion, &source, &[], &RetargetOptions::default()).unwrap();
        (result.poses.last().unwrap().clone(), result.report.fingers.unwrap())
    }

    /// Degrees by which the bones of a finger are bent against the palm in a pose, and how far they are out of their plane.
    fn bends(rig: &Rig, pose: &Pose, side: Side, finger: Finger) -> Vec<[f64; 2]> {
        let at = |name: &str| rig.find(&format!("{side:?}Hand{name}")).unwrap();
        let place = |joint: usize| pose.positions[joint];
        let hand = at("");
        let row = ["Index1", "Middle1", "Ring1", "Little1"].map(|name| place(at(name)));
        let middle = row.iter().sum::<Vec3>() / 4.0 - place(hand);
        let axes = bone_frame(&middle.normalize(), &(row[0] - row[3]).normalize()).unwrap();
        let sign = if side == Side::Left { 1.0 } else { -1.0 };
        let joints = (1..).map_while(|joint| rig.find(&format!("{side:?}Hand{finger}{joint}")));
        let joints: Vec<usize> = joints.collect();
        let ends = joints[1..].iter().map(|&joint| rig.joints[joint].rest.translation.vector);
        let tip = rig.tips.iter().find(|tip| Some(&tip.joint) == joints.last()).unwrap().position;
        let bend = |(&joint, end): (&usize, Vec3)| {
            let rest = &rig.joints[joint].rest;
            let bone = (pose.rotations[joint] * rest.rotation.inverse() * (end - rest.translation.vector))
                .normalize();
            let bone = axes.transpose() * bone;
            [atan2(sign * bone.z, bone.x).to_degrees(), bone.y]
        };
        joints.iter().zip(ends.chain([tip])).map(bend).collect()
    }

    const BOTH: [Side; 2] = [Side::Left, Side::Right];

    /// Straight hands that close, on hands that are half closed at rest and the other way round, with axes that are rolled: bones
    /// point as the source's do.
    #[test]
    fn fingers_point_in_the_palm_as_the_source_s_do() {
        let degrees = [30.0, 40.0, 20.0];
        for (ours, theirs) in [(0.0, 0.0), (25.0, 0.0), (0.0, 20.0), (15.0, 30.0)] {
            let rig = rig(&person(&Finger::OF_HAND, 3, ours));
            let (pose, count) = posed(&rig, &bending(&person(&Finger::OF_HAND, 3, theirs), &degrees));
            assert_eq!(count, FingerCount { imitating: 30, relaxed: 0, still: 0 });
            for (side, finger) in
                BOTH.into_iter().flat_map(|side| Finger::OF_PALM.map(|finger| (side, finger)))
            {
                let mut expected = 0.0;
                for ([bend, aside], degrees) in bends(&rig, &pose, side, finger).into_iter().zip(degrees) {
                    expected += degrees + theirs;
                    assert!(
                        (bend - expected).abs() < 1e-6 && aside.abs() < 1e-6,
                        "{side:?} {finger:?}: {bend} {aside}"
                    );
                }
            }
        }
    }

    /// Fingers of two joints, or of one, bend those of three as far at the end, and from joint to joint further.
    #[test]
    fn other_numbers_of_joints_share_the_bend() {
        let rig = rig(&person(&Finger::OF_HAND, 3, 10.0));
        for degrees in [&[50.0, 30.0][..], &[60.0][..], &[30.0, 20.0, 20.0, 20.0][..]] {
            let motion = bending(&person(&Finger::OF_HAND, degrees.len(), 0.0), degrees);
            let (pose, _) = posed(&rig, &motion);
            let bends = bends(&rig, &pose, Side::Right, Finger::Ring);
            // The fourth joint is a tip.
            let total: f64 = degrees.iter().take(3).sum();
            assert!(bends.windows(2).all(|pair| pair[0][0] <= pair[1][0] + 1e-6), "{bends:?}");
            assert!(bends[0][0] > 10.0 && (bends[2][0] - total).abs() < 12.0, "{degrees:?}: {bends:?}");
        }
    }

    /// A mitten moves four fingers, and four fingers a mitten.
    #[test]
    fn hands_with_fewer_fingers_take_the_nearest() {
        let whole = person(&Finger::OF_HAND, 3, 0.0);
        let few = person(&[Finger::Thumb, Finger::Index], 2, 0.0);
        let target = rig(&whole);
        let (pose, count) = posed(&target, &bending(&few, &[50.0, 30.0]));
        assert_eq!((count.relaxed, count.still), (0, 0));
        for finger in Finger::OF_PALM {
            let bends = bends(&target, &pose, Side::Left, finger);
            assert!((bends[2][0] - 80.0).abs() < 3.0, "{finger:?}: {bends:?}");
        }
        let (pose, count) = posed(&rig(&few), &bending(&whole, &[30.0, 30.0, 20.0]));
        assert_eq!(count, FingerCount { imitating: 8, relaxed: 0, still: 0 });
        assert!(pose.rotations.iter().all(|rotation| rotation.coords.iter().all(|x| x.is_finite())));
    }

    /// Flat hands hang relaxed, those that are drawn closed stay, and both sides do the same.
    #[test]
    fn flat_hands_relax_where_the_motion_has_no_fingers() {
        let walk = Motion::built_in("walk").unwrap();
        for (bent, is_relaxed) in [(0.0, true), (5.0, true), (14.0, false), (30.0, false)] {
            let rig = rig(&person(&Finger::OF_HAND, 3, bent));
            let (pose, count) = posed(&rig, &walk);
            let expected = if is_relaxed { [0, 30, 0] } else { [0, 0, 30] };
            assert_eq!([count.imitating, count.relaxed, count.still], expected, "{bent}");
            for (place, finger) in Finger::OF_PALM.into_iter().enumerate() {
                let wanted = if is_relaxed { RELAXED[place].iter().sum() } else { 3.0 * bent };
                for side in BOTH {
                    let last = bends(&rig, &pose, side, finger)[2][0];
                    assert!((last - wanted).abs() < 0.1, "{side:?} {finger:?}: {last}, {wanted}");
                }
            }
        }
    }

    /// Flat fingers that never move were not captured; a fist that never opens was.
    #[test]
    fn fingers_that_nobody_captured_count_for_nothing() {
        let rig = rig(&person(&Finger::OF_HAND, 3, 0.0));
        let still = |bent: f64| bending(&person(&Finger::OF_HAND, 3, bent), &[0.0; 3]);
        assert_eq!(posed(&rig, &still(0.0)).1.relaxed, 30);
        let (pose, count) = posed(&rig, &still(40.0));
        assert_eq!(count.imitating, 30);
        assert!((bends(&rig, &pose, Side::Left, Finger::Middle)[2][0] - 120.0).abs() < 1e-6);
    }

    #[test]
    fn odd_hands_do_no_harm() {
        let walk = Motion::built_in("walk").unwrap();
        for fingers in
            [&[Finger::Thumb][..], &[Finger::Little], &[Finger::Index, Finger::Ring], &[Finger::All]]
        {
            for joints in [1, 4] {
                let hand = person(fingers, joints, 0.0);
                let whole = person(&Finger::OF_HAND, 3, 0.0);
                let poses = [
                    posed(&rig(&hand), &walk).0,
                    posed(&rig(&hand), &bending(&whole, &[40.0; 3])).0,
                    posed(&rig(&whole), &bending(&hand, &[40.0; 4])).0,
                ];
                for pose in &poses {
                    assert!(
                        pose.rotations.iter().all(|rotation| rotation.coords.iter().all(|x| x.is_finite()))
                    );
                    assert!(pose.positions.iter().all(|position| position.iter().all(|x| x.is_finite())));
                }
            }
        }
    }
}
