//! From a posture, authored in angles and places that mean something, to the world rotation of every joint.

use puppetry::stages::math::{Quat, Vec3};

use super::footsteps::{FootPose, pitch, yaw};
use super::ik::two_bone;
use super::skeleton::{Body, Dog, Human};

/// Frames in a second of every clip.
pub const FPS: f64 = 60.0;

/// One frame: where the root is and the world rotation of each joint.
#[derive(Clone)]
pub struct Frame {
    pub root: Vec3,
    pub turns: Vec<Quat>,
    /// The farthest stretched leg, as part of its length.
    pub reach: f64,
}

/// Yaw (left), then pitch (forward), then roll (left side up), in degrees.
pub fn turn(left: f64, forward: f64, left_up: f64) -> Quat {
    yaw(left) * pitch(forward) * roll(left_up)
}

fn roll(degrees: f64) -> Quat {
    Quat::from_axis_angle(&Vec3::z_axis(), degrees.to_radians())
}

/// An arm by its anatomical angles in degrees, relative to the chest; all zero hangs straight down, palm inward.
#[derive(Clone, Copy, Default)]
pub struct Arm {
    /// Forward at the shoulder.
    pub flexion: f64,
    /// Away from the body at the shoulder.
    pub abduction: f64,
    /// Turn of the upper arm about itself, outward.
    pub external: f64,
    pub elbow: f64,
    /// Turn of the forearm about itself, thumb inward.
    pub pronation: f64,
    /// Bend of the hand towards the palm.
    pub wrist: f64,
    /// Bend of the hand towards the little finger.
    pub deviation: f64,
    /// Lift of the collar bone.
    pub shrug: f64,
}

impl Arm {
    /// World rotations of clavicle, upper arm, forearm and hand for the left side of an unturned chest.
    fn turns(&self) -> [Quat; 4] {
        // Beyond a third of its way up the arm takes the shoulder blade and the collar bone along.
        let raised = (self.abduction.max(0.0).hypot(self.flexion.max(0.0)) - 40.0).max(0.0);
        let clavicle = roll(self.shrug + raised * raised / (raised + 60.0) * 0.2);
        let upper = pitch(-self.flexion) * roll(self.abduction - 90.0) * pitch(-self.external);
        let lower = upper * yaw(-self.elbow) * pitch(self.pronation);
        [clavicle, upper, lower, lower * yaw(self.deviation) * roll(-self.wrist)]
    }
}

/// What a human does at one moment. Turns are world turns, so that gaze and trunk are steady unless they are moved.
#[derive(Clone)]
pub struct Posture {
    /// The middle between the hip joints.
    pub pelvis: Vec3,
    pub pelvis_turn: Quat,
    pub chest: Quat,
    pub head: Quat,
    pub arms: [Arm; 2],
    pub feet: [FootPose; 2],
}

/// Solves a human posture.
pub fn human(human: &Human, posture: &Posture) -> Frame {
    let body = &human.body;
    let mut turns = vec![posture.pelvis_turn; body.joints.len()];
    for (i, &joint) in human.spine.iter().enumerate() {
        let part = (i + 1) as f64 / human.spine.len() as f64;
        turns[joint] = posture.pelvis_turn.slerp(&posture.chest, part);
    }
    turns[human.neck] = posture.chest.slerp(&posture.head, 0.5);
    turns[human.head] = posture.head;
    for (side, joints) in human.arms.iter().enumerate() {
        for (&joint, turn) in joints.iter().zip(posture.arms[side].turns()) {
            turns[joint] = posture.chest * if side == 0 { turn } else { mirrored(turn) };
        }
    }
    let root = posture.pelvis + posture.pelvis_turn * (body.rest(0) - body.mid_hip());
    let mut frame = Frame { root, turns, reach: 0.0 };
    for (leg, foot) in posture.feet.iter().enumerate() {
        bend_leg(body, leg, foot, posture.pelvis_turn, &mut frame);
    }
    frame
}

/// What a dog does at one moment; turns are world turns.
#[derive(Clone)]
pub struct DogPosture {
    /// The middle between the hip joints.
    pub pelvis: Vec3,
    pub pelvis_turn: Quat,
    pub chest: Quat,
    pub neck: Quat,
    pub head: Quat,
    /// Turn of each tail joint against the one before it.
    pub tail: Quat,
    /// Hind left, hind right, front left, front right.
    pub feet: [FootPose; 4],
}

/// Solves a dog's posture.
pub fn dog(dog: &Dog, posture: &DogPosture) -> Frame {
    let body = &dog.body;
    let mut turns = vec![posture.pelvis_turn; body.joints.len()];
    turns[dog.spine] = posture.pelvis_turn.slerp(&posture.chest, 0.5);
    turns[dog.chest] = posture.chest;
    turns[dog.neck] = posture.neck;
    turns[dog.head] = posture.head;
    let mut tail = posture.pelvis_turn;
    for joint in dog.tail {
        tail *= posture.tail;
        turns[joint] = tail;
    }
    let root = posture.pelvis + posture.pelvis_turn * (body.rest(0) - body.mid_hip());
    let mut frame = Frame { root, turns, reach: 0.0 };
    for (leg, foot) in posture.feet.iter().enumerate() {
        if leg >= 2 {
            // The shoulder blade swings with its leg, by nearly half of the leg's own angle and up to 30°.
            let blade = dog.blades[leg - 2];
            frame.turns[blade] = posture.chest;
            let pivot = position(body, &frame, blade);
            let line = posture.chest.inverse() * (foot.ankle - pivot);
            let rest = body.rest(body.legs[leg].foot) - body.rest(blade);
            let swing = line.z.atan2(-line.y) - rest.z.atan2(-rest.y);
            frame.turns[blade] = posture.chest * pitch(-30.0 * (0.45 * swing.to_degrees() / 30.0).tanh());
        }
        bend_leg(body, leg, foot, if leg < 2 { posture.pelvis_turn } else { posture.chest }, &mut frame);
    }
    frame
}

/// Turns the four joints of a leg so that its foot is where it should be. The knee points half way between where the
/// trunk and where the foot points.
fn bend_leg(body: &Body, leg: usize, foot: &FootPose, trunk: Quat, frame: &mut Frame) {
    let leg = &body.legs[leg];
    let hip = position(body, frame, leg.upper);
    let trunk_left = trunk * Vec3::x();
    let side = trunk_left.normalize() + yaw(foot.yaw) * Vec3::x();
    let rest = [leg.upper, leg.lower, leg.foot].map(|joint| body.rest(joint));
    let bend = two_bone(rest, hip, foot.ankle, side, leg.bends);
    frame.turns[leg.upper] = bend.upper;
    frame.turns[leg.lower] = bend.lower;
    frame.turns[leg.foot] = foot.foot;
    frame.turns[leg.toes] = foot.toes;
    frame.reach = frame.reach.max(bend.reach);
}

/// World position of a joint.
pub fn position(body: &Body, frame: &Frame, joint: usize) -> Vec3 {
    match body.joints[joint].parent {
        None => frame.root,
        Some(parent) => {
            position(body, frame, parent) + frame.turns[parent] * (body.rest(joint) - body.rest(parent))
        }
    }
}

/// The turn seen in a mirror between left and right.
fn mirrored(turn: Quat) -> Quat {
    Quat::new_unchecked(nalgebra::Quaternion::new(turn.w, turn.i, -turn.j, -turn.k))
}

/// How far a body has to be lowered, in metres, for its legs to reach all its footsteps without stretching beyond
/// `straightest` (as part of their length). `reach` gives the farthest stretch when lowered by its argument.
pub fn lowering(straightest: f64, reach: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-0.15, 0.45);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if reach(middle) > straightest { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_of_the_arm_mean_what_they_say() {
        let hand = |arm: Arm| {
            let [_, upper, lower, _] = arm.turns();
            (upper * Vec3::x(), lower * Vec3::x())
        };
        let close = |a: Vec3, b: Vec3| assert!((a - b).norm() < 1e-9, "{a} {b}");
        close(hand(Arm::default()).0, -Vec3::y());
        close(hand(Arm { flexion: 90.0, ..Arm::default() }).0, Vec3::z());
        close(hand(Arm { abduction: 90.0, ..Arm::default() }).0, Vec3::x());
        close(hand(Arm { elbow: 90.0, ..Arm::default() }).1, Vec3::z());
        close(hand(Arm { abduction: 90.0, external: 90.0, elbow: 90.0, ..Arm::default() }).1, Vec3::y());
    }
}
