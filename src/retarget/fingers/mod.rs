//! Fingers: they move as the source's do, and hang relaxed where the source has none.
//!
//! Hands are drawn flat, half closed or with thumbs at any angle, and captured in other poses again. What is the same in all of them
//! is where a bone points against the palm ([`palm`]). A bone of the character points there as the source's does in
//! each frame, whatever both do at rest and however their axes are rolled:
//!
//! `rotation = hand · P_t · (P_s⁻¹ · D · B_s) · B_t⁻¹ · rest`
//!
//! where `P` are the axes of the palms, `B` those of the bones at rest, and `D` how far the source's bone is rotated against its hand.

mod idle;
mod palm;
mod plan;
mod relaxed;
#[cfg(test)]
mod tests;

use super::foot::slerp;
use super::joint_map::JointMap;
use super::reference::Source;
use super::target::Target;
use crate::math::Quat;
use crate::motion::Pose;
use crate::skeleton::Figure;
use crate::skeleton::naming::{Finger, Limb, Role, Segment, Side};
pub(super) use idle::drop_idle_fingers;
use palm::fingers_of;
use plan::Plan;

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

fn is_of_thumb(figure: &Figure, joint: usize) -> bool {
    matches!(figure.roles.roles[joint], Some(Role::Finger(_, Finger::Thumb, _)))
}
