//! Online motion retargeting, frame by frame, with feet that stay where they are planted.
//!
//! After Choi & Ko 2000, "Online motion retargetting": every joint imitates the rotation of its source, and inverse kinematics
//! bring the feet onto the paths of the source's feet, scaled to the character. What is new here is the ground: see
//! [`super::foot`].
//!
//! ```text
//! push ──► transfer ──► contacts ──────► foot goals ──► pelvis ──► legs ──► arms ──► pose
//!          frame t      t - detection    t - look-ahead
//! ```
mod legs;
mod pelvis;
mod setup;
mod transfer;

use super::body_ground::{BodyGround, HandGoal, HandMotion, nearness};
use super::collisions::{self, ArmOffset, Collisions};
use super::contact_height::ContactHeights;
use super::contacts::{Detector, RUNNING};
use super::fingers::Fingers;
use super::foot::{Foot, FootContext, FootFrame, FootPose, Ground};
use super::hands::{self, Arm, HandFrame, Landmark};
use super::joint_map::RotationSource;
use super::pelvis_height::PelvisHeight;
use super::target::{Target, TargetLeg};
use crate::math::{Quat, Vec3, hypot};
use crate::motion::Pose;
use crate::rig::HelperDriver;
use pelvis::{Peak, PelvisDrop};

/// Which way a clip faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Heading {
    /// It starts at the origin and along the front of the character.
    #[default]
    Forward,
    /// As the source does, in the axes of its file.
    Source,
}

/// Choices of the [`Retargeter`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetargetOptions {
    /// Seconds of motion that are known ahead, from 0 to 0.25: poses come out so much later. Without any, feet land late by a
    /// fraction of a step.
    pub look_ahead: f64,
    /// Whether planted feet are held, which prevents foot skating. Without it legs imitate the source as arms do.
    pub foot_lock: bool,
    /// Factor on the distance over ground: 1 keeps the source's strides in leg lengths.
    pub stride: f64,
    /// What hands do.
    pub hands: Hands,
    /// Whether hands and forearms are kept out of the rest of the body.
    pub collide: bool,
    /// Which way it faces.
    pub heading: Heading,
    /// The motion is a cycle whose last frame is its first one again, further along: so is what comes out. For whole motions
    /// only; frames that are pushed one by one are what they are.
    pub looping: bool,
    /// Whether the report of a whole motion compares it with its source and with a copy of rotations, which is made for that:
    /// it takes twice as long.
    pub compare: bool,
}

/// What the hands of a character do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hands {
    /// They imitate the orientation of the source's, as every joint does.
    #[default]
    Orientation,
    /// They keep their position relative to what they touch or nearly touch: the other hand, the head, the hips.
    Relative,
    /// They follow the paths of the source's hands, as feet do.
    World,
}

impl Default for RetargetOptions {
    fn default() -> RetargetOptions {
        RetargetOptions {
            look_ahead: 0.1,
            foot_lock: true,
            stride: 1.0,
            hands: Hands::default(),
            collide: true,
            heading: Heading::Forward,
            looping: false,
            compare: false,
        }
    }
}

/// Seconds at both ends of a contact in which a foot settles or comes loose, except for runners, whose contacts are short.
/// Nobody sees a foot slide in them, and the leg has more time to change its pace: without them knees accelerate twice as
/// hard; from 0.04 on walkers slide.
const SETTLING: f64 = 0.025;
/// Seconds of an unforeseen landing; half of it for runners, whose contacts are short. Shorter ones jerk the knee, longer ones
/// slide.
const LANDING: f64 = 0.025;
/// Feet of a character, at most.
pub(super) const MOST_LEGS: usize = 4;
/// Times that an arm is bent to bring the lowest point of its skin onto the ground.
const GROUND_STEPS: usize = 3;

/// A leg of the source.
#[derive(Debug, Clone, Copy)]
struct SourceLeg {
    hip: usize,
    /// Ankle and ball.
    points: [usize; 2],
    length: f64,
    /// From ankle to ball.
    foot_length: f64,
    /// Distance of the hip from the middle of the body in the reference pose.
    half_width: f64,
    /// From where the scaled source puts this foot to where the character's build does, in the axes of the body.
    stance: Vec3,
    contact: ContactHeights,
}

/// What a pair of legs carries: the pelvis, or the chest of an animal.
#[derive(Debug, Clone)]
struct Base {
    /// Joints of the source whose middle is transported.
    joints: Vec<usize>,
    /// Level at which the source's ankles stand and height of the character's.
    source_ankle: f64,
    target_ankle: f64,
    /// Length of these legs, the character's to the source's.
    scale: f64,
}

/// One frame of the source on the character, before feet are planted.
#[derive(Debug, Clone, Default)]
struct Frame {
    /// World rotations of the character's joints if they only imitated.
    rotations: Vec<Quat>,
    /// The middle between the hips, and between the shoulders of an animal.
    pelvis: Vec3,
    chest: Vec3,
    feet: Vec<FootFrame>,
    hands: [HandFrame; 2],
    /// How the arms get out of the body.
    aside: [ArmOffset; 2],
    /// How near trunk, head, thighs, shins and upper arms of the source are to the ground, and how deep in it the character's would be.
    near: Vec<f64>,
    depth: f64,
}

/// Moves a character online. Poses come out as many frames after their source as it looks ahead.
pub struct Retargeter {
    target: Target,
    figure_from_file: Quat,
    reference: Vec<Quat>,
    origins: Vec<Option<RotationSource>>,
    alignment: Vec<Quat>,
    fingers: Fingers,
    legs: Vec<(TargetLeg, SourceLeg)>,
    arms: Vec<Arm>,
    /// How much further to the left each hand rests on the ground by the character's build than the scaled source's.
    hand_stance: [f64; 2],
    landmarks: [Option<Landmark>; 2],
    source_leg_length: f64,
    hips: usize,
    pelvis: Base,
    chest: Option<Base>,
    /// The joints that pitch with the trunk of an animal: all below the hips that are no part of a leg.
    is_trunk: Vec<bool>,
    /// The middle between the character's hips, in the axes of its hips joint.
    pelvis_offset: Vec3,
    /// Width of the hips in leg lengths, the character's to the source's.
    hip_width_ratio: f64,
    /// How much of the pelvis's shift towards one foot the other foot goes along.
    carried: f64,
    scale: f64,
    stride: f64,
    frame_seconds: f64,
    options: RetargetOptions,
    start: Option<Start>,
    detector: Detector,
    ahead: usize,
    ring: Vec<Frame>,
    /// Frames that were pushed, whose contacts are known, and that came out.
    pushed: usize,
    flagged: usize,
    emitted: usize,
    feet: Vec<Foot>,
    /// Ground offset and its velocity.
    ground_offset: [f64; 2],
    /// How far the pelvis is shifted towards planted feet, and how fast along the ground.
    shifted: [Vec3; 2],
    /// How far up it is shifted.
    height: PelvisHeight,
    /// How far it is turned with them, in radians, and how fast.
    twisted: [f64; 2],
    /// Of the pelvis, and of the shoulders: of an animal, and of a person whose hands are on the ground.
    drop: [PelvisDrop; 2],
    points: Vec<Vec3>,
    body: BodyGround,
    /// What keeps hands out of the body, if they are to be.
    collisions: Option<Collisions>,
    /// How far the pelvis is lifted to keep the body out of the ground, and what was left of it in there.
    lift: f64,
    left_in_ground: Peak,
    /// The pose of a frame that is pushed, if it only imitated.
    imitation: Pose,
    pose: Pose,
    /// Turns what follows other joints.
    helpers: HelperDriver,
}

/// Where the clip starts, and the rotation from the axes of the figure to its own.
#[derive(Debug, Clone, Copy)]
struct Start {
    rotation: Quat,
    origin: Vec3,
}

impl Retargeter {
    /// Takes the next frame of the source, in the axes of its file, and returns the pose of the character as many frames ago
    /// as it looks ahead.
    pub fn push(&mut self, frame: &Pose) -> Option<&Pose> {
        self.transfer(frame);
        (self.pushed > self.ahead).then(|| self.emit())
    }

    /// The poses that are left after the last push, one by one.
    pub fn finish(&mut self) -> Option<&Pose> {
        if self.emitted == self.pushed {
            return None;
        }
        self.flag_rest();
        Some(self.emit())
    }

    fn emit(&mut self) -> &Pose {
        let current = self.emitted;
        self.emitted += 1;
        let slots = self.ring.len();
        self.pose.positions.truncate(self.target.joints);
        self.pose.rotations.truncate(self.target.joints);
        self.pose.rotations.copy_from_slice(&self.ring[current % slots].rotations);

        let mut goals = [None; MOST_LEGS];
        let mut hands = [None; 2];
        if self.stands() {
            hands = self.hand_goals(current);
            let deepest = (current..self.pushed).map(|frame| self.frame(frame).depth).fold(0.0, f64::max);
            self.lift = self.body.lift(deepest);
            // Out of the way as long as feet and all the rest are needed at the same time.
            let mut feet = std::mem::take(&mut self.feet);
            for (index, foot) in feet.iter_mut().enumerate() {
                let frame = self.frames_around(current, index);
                goals[index] = Some(foot.step(&self.foot_context(current, index, &frame)));
            }
            self.feet = feet;
            self.follow_ground_offset();
        }

        self.move_pelvis(current, &goals, &hands);
        self.plant_legs(current, &mut goals);
        self.raise_out_of_ground(current, &goals);
        self.bend_arms(current);
        self.reach_ground(&hands);
        self.clear_arms(current, &hands);
        self.ground_arms(&hands);
        for (position, rotation) in self.pose.positions.iter_mut().zip(&mut self.pose.rotations) {
            *position = self.target.world_from_figure * *position;
            *rotation = self.target.world_from_figure * *rotation;
        }
        self.helpers.drive(&mut self.pose);
        &self.pose
    }

    /// Brings the feet to their goals.
    fn plant_legs(&mut self, current: usize, goals: &mut [Option<FootPose>]) {
        for (index, goal) in goals.iter_mut().enumerate().take(self.legs.len()) {
            if let Some(goal) = goal {
                let reach = self.reach(index, current);
                self.raise_heel(index, goal, reach);
                self.drag(index, goal, reach);
                self.bend_leg(index, goal, reach);
            }
        }
    }

    /// Leaves the joints of limbs as they imitate that are pieces of their own bones: who turns helpers afterwards, in a whole clip,
    /// measures the twist on them.
    pub(super) fn leave_own_pieces(&mut self) {
        let own = self.target.own_pieces();
        self.helpers = std::mem::take(&mut self.helpers).except(|joint| own.contains(&joint));
    }

    /// A distance or a velocity along the ground, in the axes of the source's file, as the character's. Known once the first
    /// frame was pushed.
    pub fn scaled(&self, vector: &Vec3) -> Vec3 {
        let rotation = self.start.map_or(Quat::identity(), |start| start.rotation);
        self.target.world_from_figure * (rotation * self.figure_from_file * vector * self.stride)
    }

    /// A rigid motion along the ground, in the axes of the source's file, as the character's.
    pub(super) fn advance(&self, advance: &Advance) -> Advance {
        let start = self.start.unwrap_or(Start { rotation: Quat::identity(), origin: Vec3::zeros() });
        let world_from_file = self.target.world_from_figure * start.rotation * self.figure_from_file;
        let rotation = world_from_file * advance.rotation * world_from_file.inverse();
        let origin = self.target.world_from_figure * (start.rotation * start.origin);
        let translation = (world_from_file * advance.translation - origin + rotation * origin) * self.stride;
        Advance { rotation, translation: Vec3::new(translation.x, 0.0, translation.z) }
    }

    /// What moves with the hips, and they: a root above them stays where it is.
    pub(super) fn carried_joints(&self) -> Vec<usize> {
        self.target.tree.subtree(self.hips).collect()
    }

    /// Whether there is a ground: feet that stand on it tell where it is.
    fn stands(&self) -> bool {
        self.options.foot_lock && !self.legs.is_empty()
    }

    fn frame(&self, frame: usize) -> &Frame {
        &self.ring[frame % self.ring.len()]
    }

    fn ground(&self) -> Ground {
        let shift = self.shifted[0] * self.carried;
        Ground {
            floor: self.target.floor,
            leg_length: self.target.leg_length,
            offset: self.ground_offset[0],
            shift: Vec3::new(shift.x, 0.0, shift.z),
        }
    }

    /// The frames of a foot by their distance from the current one.
    fn frames_around(&self, current: usize, leg: usize) -> impl Fn(isize) -> FootFrame {
        move |offset: isize| self.frame((current as isize + offset).max(0) as usize).feet[leg]
    }

    /// What a foot may know in a frame.
    fn foot_context<'a>(
        &'a self,
        current: usize,
        leg: usize,
        frame: &'a dyn Fn(isize) -> FootFrame,
    ) -> FootContext<'a> {
        let (leg, _) = &self.legs[leg];
        let [settling, landing] =
            if self.speed(current) > RUNNING { [0.0, 0.5 * LANDING] } else { [SETTLING, LANDING] };
        FootContext {
            leg,
            rest: self.target.foot_at_rest(leg),
            frame,
            lead: self.flagged - 1 - current,
            ahead: self.pushed - 1 - current,
            past: current.min(3),
            frame_seconds: self.frame_seconds,
            settling,
            landing,
            ground: self.ground(),
        }
    }

    /// Leg lengths a second of the pelvis around a frame.
    fn speed(&self, frame: usize) -> f64 {
        let (from, to) = (frame.saturating_sub(2), (frame + 2).min(self.pushed - 1));
        let seconds = (to - from).max(1) as f64 * self.frame_seconds;
        let distance = (self.frame(to).pelvis - self.frame(from).pelvis).norm();
        distance / seconds / self.target.leg_length.max(f64::MIN_POSITIVE)
    }

    /// Brings the hands to what they touch, or onto the source's paths.
    fn bend_arms(&mut self, current: usize) {
        let frames = self.frame(current).hands;
        let mut pose = std::mem::take(&mut self.pose);
        self.bring_hands(&frames, &mut pose);
        self.pose = pose;
    }

    fn bring_hands(&self, frames: &[HandFrame; 2], pose: &mut Pose) {
        let goals = match self.options.hands {
            Hands::Orientation => return,
            Hands::Relative => {
                hands::touching(&self.arms, &self.landmarks, frames, pose, self.source_leg_length)
            }
            Hands::World => frames.map(|frame| Some((frame.path - Vec3::y() * self.ground_offset[0], 1.0))),
        };
        for (arm, goal) in self.arms.iter().zip(goals) {
            if let Some((goal, weight)) = goal {
                hands::bend(arm, &goal, weight, &self.target, pose);
            }
        }
    }

    /// Keeps hands and forearms out of the body, but for hands that rest on the ground: they were put down beside it.
    fn clear_arms(&mut self, current: usize, goals: &[Option<HandGoal>]) {
        let Some(mut collisions) = self.collisions.take() else { return };
        for (index, arm) in self.arms.iter().enumerate() {
            let needed = (current..self.pushed).map(|frame| self.frame(frame).aside[index]);
            let free = 1.0 - goals[index].map_or(0.0, |goal| goal.planted);
            let aside = collisions.smoothed(index, needed).scaled(free);
            collisions::give_way(arm, &aside, &self.target, &mut self.pose);
        }
        self.collisions = Some(collisions);
    }

    /// Brings hands where the source's are near the ground.
    fn reach_ground(&mut self, goals: &[Option<HandGoal>]) {
        for (arm, goal) in self.arms.iter().zip(goals) {
            let Some(HandGoal { wrist, near, .. }) = goal else { continue };
            if *near > 0.0 {
                self.fingers.straighten(arm.joints()[2], *near, &self.target, &mut self.pose);
                hands::bend(arm, wrist, *near, &self.target, &mut self.pose);
            }
        }
    }

    /// Lays hands that rest on the ground on it, and keeps forearms and hands out of it.
    fn ground_arms(&mut self, goals: &[Option<HandGoal>]) {
        for (index, (arm, goal)) in self.arms.iter().zip(goals).enumerate() {
            let Some(HandGoal { planted, wrist, .. }) = goal else { continue };
            self.body.note_hand(index, &(hands::hand(arm, &self.pose) - wrist));
            if *planted <= 0.0 && !self.body.may_reach(index, &self.pose, self.target.floor) {
                continue;
            }
            // Turning about shoulder and elbow tilts the hand: what is left after the first time is small.
            for _ in 0..GROUND_STEPS {
                let depth = self.body.arm_depth(index, &self.pose, self.target.floor);
                let up = if depth > 0.0 { depth } else { planted * depth };
                if up == 0.0 {
                    break;
                }
                let goal = hands::hand(arm, &self.pose) + Vec3::y() * up;
                hands::bend(arm, &goal, 1.0, &self.target, &mut self.pose);
            }
        }
    }

    /// Where hands go if they are near the ground.
    fn hand_goals(&mut self, current: usize) -> [Option<HandGoal>; 2] {
        let leg_length = self.target.leg_length;
        let mut goals = [None; 2];
        for (index, goal) in goals.iter_mut().enumerate().take(self.arms.len()) {
            let path = self.hand_path(self.frame(current), index);
            let (before, after) = (current.saturating_sub(1), (current + 1).min(self.pushed - 1));
            // The build moves no hand that rests.
            let along = self.frame(after).hands[index].path - self.frame(before).hands[index].path;
            let seconds = (after - before).max(1) as f64 * self.frame_seconds;
            let speed = hypot(along.x, along.z) / seconds / leg_length;
            let near = self.hand_nearness(&path);
            let hold = self.body.hold(index, &HandMotion { path, speed, near }, self.frame_seconds);
            let wrist = path + hold.offset();
            *goal = self.body.knows(index).then_some(HandGoal { wrist, near, planted: hold.planted() });
        }
        goals
    }

    /// Where the scaled source has a wrist, on the ground of planted feet, as much further aside as the shoulders are by build.
    fn hand_path(&self, Frame { hands, rotations, .. }: &Frame, arm: usize) -> Vec3 {
        let aside = self.left(rotations) * self.hand_stance[arm];
        hands[arm].path + aside - Vec3::y() * self.ground_offset[0]
    }

    /// How near the ground a hand on its path is, from 0 to 1.
    fn hand_nearness(&self, path: &Vec3) -> f64 {
        nearness((path.y - self.target.floor) / self.target.leg_length)
    }

    /// The left of the body along the ground, shorter where it is not level.
    fn left(&self, rotations: &[Quat]) -> Vec3 {
        let left = rotations[self.hips] * (self.target.rest[self.hips].inverse() * Vec3::x());
        Vec3::new(left.x, 0.0, left.z)
    }

    /// Forward kinematics: puts the joints where their rotations take them, with the middle of the hips at `pelvis`.
    fn put_joints(&mut self, pelvis: &Vec3) {
        let mut pose = std::mem::take(&mut self.pose);
        self.place(&mut pose, pelvis);
        self.pose = pose;
    }

    fn place(&self, pose: &mut Pose, pelvis: &Vec3) {
        for &joint in self.target.tree.order() {
            pose.positions[joint] = if joint == self.hips {
                pelvis - pose.rotations[joint] * self.pelvis_offset
            } else {
                self.target.attached(pose, joint)
            };
        }
    }
}

/// A rigid motion along the ground: `position ↦ rotation · position + translation`, with a rotation about the vertical.
pub(super) struct Advance {
    pub rotation: Quat,
    pub translation: Vec3,
}

fn mean(positions: impl Iterator<Item = Vec3>) -> Vec3 {
    let (mut sum, mut count) = (Vec3::zeros(), 0.0);
    for position in positions {
        sum += position;
        count += 1.0;
    }
    if count > 0.0 { sum / count } else { sum }
}
