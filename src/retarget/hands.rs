//! Hands that touch: the other hand, the head, the hips; or that follow the source's paths, for props.
//!
//! Copied rotations keep directions, not positions: hands that clap on one body miss each other on another. Where the source's
//! hand is near to something, inverse kinematics bring the character's as near to the same thing, in lengths of its own arms.

use super::ik_two_bone::{self, TwoBoneRotations};
use super::inertializer::smootherstep;
use super::{NO_DIRECTION, Target};
use crate::math::{Quat, Vec3, atan2};
use crate::motion::Pose;
use crate::skeleton::Figure;
use crate::skeleton::naming::{Limb, Role, Segment, Side};

/// Nearer than this, in leg lengths of the source, a hand touches.
const NEAR: f64 = 0.15;
/// Up to this part of its length an arm reaches exactly.
const SOFT: f64 = 0.97;
/// Below this sine an arm points forwards and has no hinge across.
const FORWARDS: f64 = 1e-3;
/// Twice the area between the bones of an arm, in squares of its length, below which it is straight.
const STRAIGHT: f64 = 0.02;

/// Sine of the bend of an elbow at which its own axis counts as much as that of its rest.
const HARDLY_BENT: f64 = 0.1;
/// Degrees by which an elbow that gives way is bent, at least and at most, unless the source's is.
const LEAST_BEND: f64 = 4.0;
const MOST_BEND: f64 = 145.0;

/// An arm of the character and of the source.
#[derive(Debug, Clone)]
pub(super) struct Arm {
    upper: usize,
    lower: usize,
    hand: usize,
    /// What hangs on the upper arm, with the bone that it moves with: upper arm, lower arm or hand.
    parts: Vec<(usize, usize)>,
    length: f64,
    /// The axis about which the elbow bends, in the axes of the upper arm.
    hinge: Vec3,
    /// The source's wrist, and the length of its arm.
    wrist: usize,
    source_length: f64,
}

/// What hands may touch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Landmark {
    ours: usize,
    theirs: usize,
}

/// Where a hand of the source is in a frame.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HandFrame {
    /// The wrist in the character's size, on the source's path.
    pub path: Vec3,
    /// From each landmark to the wrist, in the source's unit: the other hand, the head, the hips.
    pub from: [Option<Vec3>; 3],
}

/// Both arms, where both figures have them.
pub(super) fn arms(target: &Target, theirs: &Figure) -> Vec<Arm> {
    [Side::Left, Side::Right].into_iter().filter_map(|side| Arm::of(target, theirs, side)).collect()
}

impl Arm {
    /// The joint of the elbow.
    pub(super) fn lower(&self) -> usize {
        self.lower
    }

    /// The joints of shoulder, elbow and wrist.
    pub(super) fn joints(&self) -> [usize; 3] {
        [self.upper, self.lower, self.hand]
    }

    /// From shoulder to wrist, stretched.
    pub(super) fn length(&self) -> f64 {
        self.length
    }

    /// The axis about which the elbow bends in a pose, as a unit vector: that of the bent arm, and in a straight one that of its rest.
    pub(super) fn elbow_hinge(&self, pose: &Pose) -> Vec3 {
        let [upper, lower] = self.bones(pose);
        let carried = pose.rotations[self.upper] * self.hinge;
        let own = upper.cross(&lower) / (upper.norm() * lower.norm()).max(f64::MIN_POSITIVE);
        (own + carried * HARDLY_BENT).try_normalize(NO_DIRECTION).unwrap_or(carried)
    }

    /// Radians by which the elbow may bend further about its hinge, and by how much it may open as a negative number.
    pub(super) fn elbow_limits(&self, pose: &Pose, hinge: &Vec3) -> [f64; 2] {
        let [upper, lower] = self.bones(pose);
        let bend = atan2(hinge.dot(&upper.cross(&lower)), upper.dot(&lower));
        [(LEAST_BEND.to_radians() - bend).min(0.0), (MOST_BEND.to_radians() - bend).max(0.0)]
    }

    fn bones(&self, pose: &Pose) -> [Vec3; 2] {
        let [shoulder, elbow, hand] = self.joints().map(|joint| pose.positions[joint]);
        [elbow - shoulder, hand - elbow]
    }

    fn of(target: &Target, theirs: &Figure, side: Side) -> Option<Arm> {
        let (ours, tree) = (&target.figure, &target.rig.joints);
        let (our_joints, their_joints) = (joints(ours, side)?, joints(theirs, side)?);
        let [upper, lower, hand] = our_joints;
        if !tree.is_below(lower, upper) || !tree.is_below(hand, lower) {
            return None;
        }
        let bone = |joint: usize| [lower, hand].iter().filter(|&&above| tree.is_below(joint, above)).count();
        let parts = tree.subtree(upper).map(|joint| (joint, bone(joint)));
        // Elbows bend forwards.
        let along = (ours.positions[hand] - ours.positions[upper]).try_normalize(NO_DIRECTION)?;
        let hinge = along.cross(&Vec3::z()).try_normalize(FORWARDS).unwrap_or_else(Vec3::y);
        Some(Arm {
            upper,
            lower,
            hand,
            parts: parts.collect(),
            length: length(ours, our_joints),
            hinge: target.rest[upper].inverse() * hinge,
            wrist: their_joints[2],
            source_length: length(theirs, their_joints),
        })
    }
}

/// How much further to the left the hands of a figure rest on the ground than those of the scaled source: half of what its shoulders are
/// wider.
pub(super) fn stances(ours: &Figure, theirs: &Figure, scale: f64) -> [f64; 2] {
    let width = |figure: &Figure| {
        let [left, right] =
            [Side::Left, Side::Right].map(|side| joints(figure, side).map(|joints| joints[0]));
        Some(figure.positions[left?].x - figure.positions[right?].x)
    };
    let (Some(ours), Some(theirs)) = (width(ours), width(theirs)) else { return [0.0; 2] };
    let wider = 0.5 * (ours - scale * theirs);
    [wider, -wider]
}

/// Upper arm, lower arm and hand.
fn joints(figure: &Figure, side: Side) -> Option<[usize; 3]> {
    let [upper, lower, hand] =
        [Segment::Upper, Segment::Lower, Segment::End].map(|segment| figure.limb(Limb::Arm, side, segment));
    Some([upper?, lower?, hand?])
}

fn length(figure: &Figure, joints: [usize; 3]) -> f64 {
    let [a, b, c] = joints.map(|joint| figure.positions[joint]);
    (b - a).norm() + (c - b).norm()
}

/// Head and hips, where both figures have them.
pub(super) fn landmarks(ours: &Figure, theirs: &Figure) -> [Option<Landmark>; 2] {
    [Role::Head, Role::Hips].map(|role| Some(Landmark { ours: ours.find(role)?, theirs: theirs.find(role)? }))
}

/// Where the source's hands are, each relative to what it may touch.
pub(super) fn note(
    arms: &[Arm],
    landmarks: &[Option<Landmark>; 2],
    position: impl Fn(usize) -> Vec3,
    sized: impl Fn(Vec3) -> Vec3,
    frames: &mut [HandFrame],
) {
    for (index, (arm, frame)) in arms.iter().zip(frames.iter_mut()).enumerate() {
        let wrist = position(arm.wrist);
        let other = arms.iter().enumerate().find(|(other, _)| *other != index);
        frame.path = sized(wrist);
        frame.from = [
            other.map(|(_, other)| wrist - position(other.wrist)),
            landmarks[0].map(|mark| wrist - position(mark.theirs)),
            landmarks[1].map(|mark| wrist - position(mark.theirs)),
        ];
    }
}

/// Goals of hands that touch something, and how much they are to be there, from 0 to 1.
pub(super) fn touching(
    arms: &[Arm],
    landmarks: &[Option<Landmark>; 2],
    frames: &[HandFrame],
    pose: &Pose,
    source_leg: f64,
) -> [Option<(Vec3, f64)>; 2] {
    let mut goals = [None; 2];
    for (index, (arm, frame)) in arms.iter().zip(frames).enumerate().take(2) {
        let scale = arm.length / arm.source_length.max(f64::MIN_POSITIVE);
        let hand = pose.positions[arm.hand];
        let (mut sum, mut total, mut most) = (Vec3::zeros(), 0.0, 0.0_f64);
        for (mark, from) in frame.from.iter().enumerate() {
            let Some(from) = from else { continue };
            let weight = smootherstep(2.0 - from.norm() / (0.5 * NEAR * source_leg));
            if weight <= 0.0 {
                continue;
            }
            let wanted = match mark {
                // Both hands meet half-way.
                0 => {
                    let other = pose.positions[arms[1 - index].hand];
                    (hand + other) * 0.5 + from * (0.5 * scale)
                }
                _ => {
                    let Some(mark) = landmarks[mark - 1] else { continue };
                    pose.positions[mark.ours] + from * scale
                }
            };
            sum += wanted * weight;
            total += weight;
            most = most.max(weight);
        }
        if total > 0.0 {
            goals[index] = Some((sum / total, most));
        }
    }
    goals
}

/// How far the shoulder of an arm is too high for its hand to reach a place.
pub(super) fn too_high(arm: &Arm, goal: &Vec3, pose: &Pose) -> f64 {
    let away = pose.positions[arm.upper] - goal;
    let reach = SOFT * arm.length;
    away.y - (reach * reach - away.x * away.x - away.z * away.z).max(0.0).sqrt()
}

/// Where the shoulder of an arm is.
pub(super) fn shoulder(arm: &Arm, pose: &Pose) -> Vec3 {
    pose.positions[arm.upper]
}

/// Where the hand of an arm is.
pub(super) fn hand(arm: &Arm, pose: &Pose) -> Vec3 {
    pose.positions[arm.hand]
}

/// Bends an arm so that its hand is at a goal, or as near as it reaches; the hand keeps its orientation.
pub(super) fn bend(arm: &Arm, goal: &Vec3, weight: f64, target: &Target, pose: &mut Pose) {
    let [shoulder, elbow, hand] = [arm.upper, arm.lower, arm.hand].map(|joint| pose.positions[joint]);
    let goal = hand + (goal - hand) * weight;
    let away = goal - shoulder;
    let most = SOFT * arm.length;
    let goal = if away.norm() > most { shoulder + away * (most / away.norm()) } else { goal };
    let own = (elbow - shoulder).cross(&(hand - elbow));
    let carried = pose.rotations[arm.upper] * arm.hinge;
    let hinge = own.try_normalize(STRAIGHT * arm.length * arm.length).unwrap_or(carried);
    let TwoBoneRotations { upper, lower } = ik_two_bone::solve(&shoulder, &elbow, &hand, &goal, &hinge);
    turn(arm, &[upper, lower, Quat::identity()], target, pose);
}

/// Turns upper arm, forearm and hand, each with all that hangs on it.
pub(super) fn turn(arm: &Arm, rotations: &[Quat; 3], target: &Target, pose: &mut Pose) {
    for &(joint, bone) in &arm.parts {
        pose.rotations[joint] = rotations[bone] * pose.rotations[joint];
        if joint != arm.upper {
            pose.positions[joint] = target.attached(pose, joint);
        }
    }
}
