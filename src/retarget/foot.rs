//! Where a foot goes: along the source's path while it is free, nowhere while it is planted, and smoothly in between. This is
//! what prevents foot skating.
//!
//! A foot is free, or it stands on its heel, on its ball, or flat. Each of these has a trajectory of its own. A foot that is
//! about to touch down, as far as the look-ahead knows, blends from one trajectory to the next until it does, so that it is
//! still from then on; the landing of the source is in it as long as it can be. One that leaves the ground, or lands unforeseen,
//! changes at once: the difference is added to the new trajectory and decays ([`super::inertializer`]).

use super::NO_DIRECTION;
use super::inertializer::{Inertializer, Ramp, smootherstep};
use super::limiter::Limiter;
use super::target::TargetLeg;
use crate::math::{Quat, Vec3, hypot};

/// A foot in one frame as the motion moves it, in the axes and the size of the character.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FootFrame {
    /// Position of the ankle if the ground were where the feet of the source rest.
    pub ankle: Vec3,
    /// Ankle and ball of the source, in the character's size.
    pub points: [Vec3; 2],
    pub rotation: Quat,
    pub toes: Quat,
    /// How far its sole would be below the floor.
    pub depth: f64,
    /// Heights of ankle and ball above where they rest.
    pub heights: [f64; 2],
    /// Whether heel and ball are planted.
    pub on: [bool; 2],
    /// Length of the source's leg from hip to ankle, in parts of the stretched leg.
    pub extension: f64,
}

impl FootFrame {
    fn mode(&self) -> Mode {
        match self.on {
            [false, false] => Mode::Free,
            [true, false] => Mode::Heel,
            [false, true] => Mode::Ball,
            [true, true] => Mode::Flat,
        }
    }
}

/// On what a foot stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Mode {
    #[default]
    Free,
    Heel,
    Ball,
    Flat,
}

impl Mode {
    /// Whether something is planted in this one that is not in the other one.
    fn loses(self, next: Mode) -> bool {
        self != Mode::Free && next != self && next != Mode::Flat
    }

    /// Whether something is planted in the other one that is not in this one.
    fn gains(self, next: Mode) -> bool {
        matches!((self, next), (Mode::Free, _) | (Mode::Heel | Mode::Ball, Mode::Flat))
    }
}

/// A foot in the output.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FootPose {
    pub ankle: Vec3,
    pub rotation: Quat,
    pub toes: Quat,
}

/// What a foot may know in one frame: itself, the frames around the current one as far as the look-ahead goes, and the ground.
pub(super) struct FootContext<'a> {
    pub leg: &'a TargetLeg,
    /// World rotations of foot and toes at rest.
    pub rest: [Quat; 2],
    /// A frame by its distance from the current one, negative for the past.
    pub frame: &'a dyn Fn(isize) -> FootFrame,
    /// Frames ahead whose contacts are known.
    pub lead: usize,
    /// Frames ahead that are known at all.
    pub ahead: usize,
    /// Frames before the current one that exist, 3 at most.
    pub past: usize,
    pub frame_seconds: f64,
    /// Seconds at both ends of a contact in which a foot settles or comes loose.
    pub settling: f64,
    /// Seconds of an unforeseen landing.
    pub landing: f64,
    pub ground: Ground,
}

/// Lengths that all feet share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ground {
    pub floor: f64,
    pub leg_length: f64,
    /// Ground offset: how far the ground under the source's feet is above where they rest at most times, in the character's
    /// size. Feet and pelvis are lowered by it.
    pub offset: f64,
    /// How far free feet go along with the pelvis.
    pub shift: Vec3,
}

/// Stances whose level differs by more than this many leg lengths from the floor stand on something.
pub(super) const STEP: f64 = 0.07;
/// A foot that is tilted by more than this, in degrees, stands on its toes on purpose.
const FLAT: f64 = 15.0;
/// Degrees from which on the rising heel of the source takes along one that stands, and over which it begins to. Held down until
/// the heel is fast, it pulls the pelvis down by 7 % of a leg length at every step; from 1 degree on, standing ankles slide.
const RISES: [f64; 2] = [3.0, 2.0];
/// Degrees by which a foot turns above toes that stay, and over which they begin to follow. Turned at once they scrape over the ground
/// when a runner's heel leaves it; from 20 on a dancer's toes trail behind.
const TOES_STAY: [f64; 2] = [8.0, 4.0];
/// Leg lengths and degrees by which the source may leave a planted foot before it is taken to slide on purpose.
const SLIDES: f64 = 0.12;
const TURNS: f64 = 25.0;
/// Seconds in which the offset decays after lift-off, and that of the heel while the ball stays. In 0.15 knees of dancers jerk, in 0.25
/// it reaches into the next step of a runner.
const LIFT_OFF: f64 = 0.22;
const ROLLING: f64 = 0.10;
/// Depth, in leg lengths, over which a foot that meets the ground is slowed down; for the rest that is left in the ground by a
/// foot that is turned otherwise than its source, a tenth of that.
const SOFT: f64 = 0.003;
const SOFT_REST: f64 = 0.1 * SOFT;

/// Trajectory of a foot in one mode, and what is left of the one before it.
#[derive(Debug, Clone, Copy, Default)]
struct FootTrajectory {
    mode: Mode,
    /// Where the ankle or the ball is planted; the height is not used.
    anchor: Vec3,
    /// Rotation of a foot that stands flat.
    held: Quat,
    /// Heading of a planted foot when it was planted: its toes keep it.
    heading: Quat,
    /// Height of the ground under it.
    level: f64,
    /// How far the foot is off its trajectory: along the ground, above it, and in rotation.
    level_offset: Inertializer,
    height_offset: Inertializer,
    rotation_offset: Inertializer,
    elapsed: f64,
}

impl FootTrajectory {
    /// The rotation of the foot in a frame: the source's, or that of a foot that stands, whose heel rises with the source's.
    fn rotation(&self, leg: &TargetLeg, frame: &FootFrame) -> Quat {
        if self.mode != Mode::Flat {
            return frame.rotation;
        }
        let ahead = self.held * leg.ball;
        let Some(axis) = nalgebra::Unit::try_new(Vec3::y().cross(&ahead), NO_DIRECTION) else {
            return self.held;
        };
        let pitch = (frame.rotation * self.held.inverse()).scaled_axis().dot(&axis);
        let [from, width] = RISES.map(f64::to_radians);
        Quat::from_axis_angle(&axis, soft_lift(pitch - from, width)) * self.held
    }

    /// Where the ankle is if foot and toes are rotated so.
    fn ankle(
        &self,
        context: &FootContext,
        frame: &FootFrame,
        lift: f64,
        rotation: &Quat,
        toes: &Quat,
    ) -> Vec3 {
        let (leg, ground) = (context.leg, &context.ground);
        let pivot = match self.mode {
            Mode::Free => return frame.ankle + ground.shift + Vec3::y() * (lift - ground.offset),
            // Where its heel rises it does so about the ball.
            Mode::Flat => self.rotation(leg, frame) * leg.ball - self.held * leg.ball,
            _ => rotation * pivot(self.mode, leg),
        };
        let lowest = leg.sole.lowest(rotation, toes);
        Vec3::new(self.anchor.x - pivot.x, self.level - lowest, self.anchor.z - pivot.z)
    }

    /// Where flat toes point if the foot is rotated so from its rest: they stay while the foot turns a little above them.
    fn toes_heading(&self, from_rest: &Quat) -> Quat {
        let yaw = (heading(from_rest) * self.heading.inverse()).scaled_axis().y;
        let [from, width] = TOES_STAY.map(f64::to_radians);
        let excess = soft_lift(yaw.abs() - from, width) * yaw.signum();
        Quat::from_axis_angle(&Vec3::y_axis(), excess) * self.heading
    }

    /// The rotation so many seconds from now.
    fn rotation_in(&self, seconds: f64, leg: &TargetLeg, frame: &FootFrame) -> Quat {
        Quat::from_scaled_axis(self.rotation_offset.at(self.elapsed + seconds)) * self.rotation(leg, frame)
    }

    /// How far it is off its trajectory so many seconds from now.
    fn offset_in(&self, seconds: f64) -> Vec3 {
        let elapsed = self.elapsed + seconds;
        self.level_offset.at(elapsed) + self.height_offset.at(elapsed)
    }

    /// The height of the ground to which it keeps.
    fn ground_level(&self, floor: f64) -> f64 {
        if self.mode == Mode::Free { floor } else { self.level }
    }
}

/// The state of a foot from frame to frame.
#[derive(Debug, Clone)]
pub(super) struct Foot {
    trajectory: FootTrajectory,
    /// What it blends from while `blend` is below 1.
    before: FootTrajectory,
    blend: Ramp,
    /// Where ankle and ball of the source were when it was planted.
    source_anchor: [Vec3; 2],
    /// Ground offset where it is planted.
    pub ground_offset: f64,
    /// How far it was dragged from where it was planted.
    pub dragged: Vec3,
    toes_flat: Ramp,
    pub planted: Ramp,
    /// How much of its heel is planted.
    pub grounded: Ramp,
    /// Keeps a free foot above the ground.
    lift: Limiter,
    /// How far it was lifted in this frame and in the three before it.
    lifts: [f64; 4],
    /// The last three poses, the newest first.
    past: [FootPose; 3],
}

impl Foot {
    /// Above a floor, with contacts known so many frames ahead.
    pub fn new(floor: f64, lead: usize) -> Foot {
        let trajectory = FootTrajectory { level: floor, ..FootTrajectory::default() };
        Foot {
            trajectory,
            before: trajectory,
            blend: Ramp::resting(1.0),
            source_anchor: [Vec3::zeros(); 2],
            ground_offset: 0.0,
            dragged: Vec3::zeros(),
            toes_flat: Ramp::resting(0.0),
            planted: Ramp::resting(0.0),
            grounded: Ramp::resting(0.0),
            lift: Limiter::new(lead),
            lifts: [0.0; 4],
            past: [FootPose::default(); 3],
        }
    }

    /// Its pose in the current frame.
    pub fn step(&mut self, context: &FootContext) -> FootPose {
        let ground = &context.ground;
        let depths = (0..=context.lead).map(|ahead| (context.frame)(ahead as isize).depth + ground.offset);
        let deepest = depths.fold(f64::NEG_INFINITY, f64::max);
        let lift = self.lift.step(soft_lift(deepest, SOFT * ground.leg_length));
        self.lifts = [lift, self.lifts[0], self.lifts[1], self.lifts[2]];
        let (next, frames) = self.desired(context);
        if next != self.trajectory.mode || context.past == 0 {
            self.change(next, frames, context);
        }
        self.trajectory.elapsed += context.frame_seconds;
        self.before.elapsed += context.frame_seconds;
        for ramp in [&mut self.blend, &mut self.toes_flat, &mut self.planted, &mut self.grounded] {
            ramp.step(context.frame_seconds);
        }
        let now = (context.frame)(0);
        // Before the touchdown the source is still on its way.
        if now.mode() != Mode::Free {
            self.follow_sliding(&now, ground.leg_length);
        }
        let mut pose = self.pose_in(0.0, &now, context);
        // Turned otherwise than its source, the foot may still be in the ground.
        let [from, to] =
            [&self.before, &self.trajectory].map(|trajectory| trajectory.ground_level(ground.floor));
        let level = from + (to - from) * self.blend.value();
        let depth = level - (pose.ankle.y + context.leg.sole.lowest(&pose.rotation, &pose.toes));
        pose.ankle.y += soft_lift(depth, SOFT_REST * ground.leg_length);
        self.past = [pose, self.past[0], self.past[1]];
        pose
    }

    /// Its pose so many seconds from now, in which the source's foot is as in `frame`.
    fn pose_in(&self, seconds: f64, frame: &FootFrame, context: &FootContext) -> FootPose {
        let pose = self.pose_on(&self.trajectory, seconds, frame, context);
        let blend = self.blend.value_in(seconds);
        if blend >= 1.0 {
            return pose;
        }
        let before = self.pose_on(&self.before, seconds, frame, context);
        let rotation = slerp(&before.rotation, &pose.rotation, blend);
        let ankle = before.ankle + (pose.ankle - before.ankle) * blend;
        FootPose { ankle, rotation, toes: self.toes_in(seconds, &rotation, frame, context) }
    }

    /// Its pose on one of its trajectories.
    fn pose_on(
        &self,
        trajectory: &FootTrajectory,
        seconds: f64,
        frame: &FootFrame,
        context: &FootContext,
    ) -> FootPose {
        let rotation = trajectory.rotation_in(seconds, context.leg, frame);
        let toes = self.toes_in(seconds, &rotation, frame, context);
        let ankle = trajectory.ankle(context, frame, self.lifts[0], &rotation, &toes);
        FootPose { ankle: ankle + trajectory.offset_in(seconds), rotation, toes }
    }

    /// Its toes if the foot is rotated so: between those of the source and flat ones.
    fn toes_in(&self, seconds: f64, rotation: &Quat, frame: &FootFrame, context: &FootContext) -> Quat {
        let [foot_at_rest, toes_at_rest] = context.rest;
        let loose = rotation * (frame.rotation.inverse() * frame.toes);
        let flat = self.trajectory.toes_heading(&(rotation * foot_at_rest.inverse())) * toes_at_rest;
        slerp(&loose, &flat, self.toes_flat.value_in(seconds))
    }

    /// What to be now, and how many frames are left until it must be reached.
    fn desired(&self, context: &FootContext) -> (Mode, usize) {
        let now = (context.frame)(0).mode();
        for ahead in 1..=context.lead {
            let next = (context.frame)(ahead as isize).mode();
            if next != now {
                let settles = ahead as f64 * context.frame_seconds <= context.settling;
                return if now.gains(next) || settles { (next, ahead) } else { (now, 0) };
            }
        }
        (now, 0)
    }

    /// Takes another trajectory, which must be reached in so many frames.
    fn change(&mut self, next: Mode, frames: usize, context: &FootContext) {
        let before = self.trajectory;
        let trajectory = self.trajectory_to(next, frames, context);
        let is_foreseen = before.mode.gains(next) && frames > 0;
        let seconds = if is_foreseen {
            frames as f64 * context.frame_seconds + context.settling
        } else if before.mode.gains(next) {
            context.landing
        } else if next == Mode::Free {
            LIFT_OFF
        } else {
            ROLLING
        };
        let goals = [
            (&mut self.toes_flat, matches!(next, Mode::Ball | Mode::Flat)),
            (&mut self.planted, next != Mode::Free),
            // A foot that rolls off its ball leaves the heel behind.
            (&mut self.grounded, next != Mode::Free && !before.mode.loses(next)),
        ];
        for (ramp, is_on) in goals {
            let goal = if is_on { 1.0 } else { 0.0 };
            if context.past == 0 {
                *ramp = Ramp::resting(goal);
            } else {
                ramp.go(goal, seconds);
            }
        }
        self.trajectory = if context.past == 0 {
            // The first frame is what it is.
            trajectory
        } else if is_foreseen && self.blend.value() >= 1.0 {
            // It goes on as before and arrives in time.
            self.before = before;
            self.blend = Ramp::resting(0.0);
            self.blend.go(1.0, seconds);
            trajectory
        } else {
            self.blend = Ramp::resting(1.0);
            self.inertialized(trajectory, seconds, context)
        };
    }

    /// The trajectory in another mode that is reached in so many frames: where it is planted, and how it stands there.
    fn trajectory_to(&mut self, next: Mode, frames: usize, context: &FootContext) -> FootTrajectory {
        let (leg, ground) = (context.leg, &context.ground);
        let before = self.trajectory;
        // What is known of the stance that is deepest in it: there the foot has settled.
        let settled = (frames + (context.ahead - context.lead)).min(context.ahead);
        let sample = (context.frame)(settled as isize);
        let foot_at_rest = context.rest[0];
        let from_rest = sample.rotation * foot_at_rest.inverse();
        let FootTrajectory { anchor, held, heading: kept, level, .. } = before;
        let mut trajectory =
            FootTrajectory { mode: next, anchor, held, heading: kept, level, ..FootTrajectory::default() };
        if before.mode == Mode::Free && next != Mode::Free {
            let [heel, ball] = sample.heights;
            let height = match next {
                Mode::Heel => heel,
                Mode::Ball => ball,
                _ => heel.min(ball),
            };
            let is_step = height.abs() > STEP * ground.leg_length;
            trajectory.level = ground.floor + if is_step { height } else { 0.0 };
            self.ground_offset = if is_step { 0.0 } else { height };
        }
        if next == Mode::Flat {
            let is_level = (from_rest * Vec3::y()).angle(&Vec3::y()) < FLAT.to_radians();
            trajectory.held = if is_level { heading(&from_rest) * foot_at_rest } else { sample.rotation };
        }
        if before.mode == Mode::Free || next == Mode::Flat {
            trajectory.heading = heading(&from_rest);
        }
        let last = self.past[0];
        // What is left of an offset when the foot touches down again so soon that it would have to rush stays.
        let left = if before.mode == Mode::Free {
            before.level_offset.at(before.elapsed + (frames + 1) as f64 * context.frame_seconds)
        } else {
            Vec3::zeros()
        };
        trajectory.anchor = match (before.mode, next) {
            (_, Mode::Free) => before.anchor,
            (Mode::Free, _) => sample.ankle + ground.shift + sample.rotation * pivot(next, leg) + left,
            // Turned flat, it stays on what it stands on.
            (_, Mode::Flat) => before.anchor - trajectory.held * pivot(before.mode, leg),
            _ => last.ankle + last.rotation * pivot(next, leg),
        };
        if before.mode == Mode::Free {
            self.dragged = Vec3::zeros();
            self.source_anchor = sample.points.map(|point| point - left);
        }
        trajectory
    }

    /// A trajectory with the distance of the last poses from it as an offset that decays in so many seconds.
    fn inertialized(
        &self,
        trajectory: FootTrajectory,
        seconds: f64,
        context: &FootContext,
    ) -> FootTrajectory {
        let mut positions = [Vec3::zeros(); 3];
        let mut rotations = [Vec3::zeros(); 3];
        for back in 0..3 {
            // Before there were three frames, the oldest one stands for those before it.
            let known = back.min(context.past - 1);
            let (pose, lift) = (self.past[known], self.lifts[known + 1]);
            let frame = (context.frame)(-(known as isize) - 1);
            let ankle = trajectory.ankle(context, &frame, lift, &pose.rotation, &pose.toes);
            positions[back] = pose.ankle - ankle;
            let rotation = trajectory.rotation(context.leg, &frame);
            rotations[back] = (pose.rotation * rotation.inverse()).scaled_axis();
        }
        let heights = positions.map(|offset| Vec3::new(0.0, offset.y, 0.0));
        let levels = positions.map(|offset| Vec3::new(offset.x, 0.0, offset.z));
        let [level_offset, height_offset, rotation_offset] = [levels, heights, rotations]
            .map(|offsets| Inertializer::after(offsets, context.frame_seconds, seconds));
        let height_offset = match trajectory.mode {
            Mode::Free => height_offset,
            _ => height_offset.without_undershoot(&Vec3::y()),
        };
        FootTrajectory { level_offset, height_offset, rotation_offset, ..trajectory }
    }

    /// Where the ankle will be so many frames from now, for which contacts are known, and how much its heel is planted then.
    pub fn expected(&self, ahead: usize, context: &FootContext) -> (Vec3, f64) {
        let seconds = ahead as f64 * context.frame_seconds;
        let ankle = self.pose_in(seconds, &(context.frame)(ahead as isize), context).ankle;
        // It leaves the ground, or its heel does, which then follows the hip.
        let leaves =
            (1..=ahead).find(|&ahead| self.trajectory.mode.loses((context.frame)(ahead as isize).mode()));
        let left = leaves
            .map_or(1.0, |at| 1.0 - smootherstep((ahead - at) as f64 * context.frame_seconds / ROLLING));
        (ankle, left * self.grounded.value_in(seconds))
    }

    /// Where the ankle will be so many frames from now, for which contacts are known, and how much weight is on the foot then. One that
    /// leaves the ground until then has none.
    pub fn expected_weight(&self, ahead: usize, context: &FootContext) -> (Vec3, f64) {
        let seconds = ahead as f64 * context.frame_seconds;
        let ankle = self.pose_in(seconds, &(context.frame)(ahead as isize), context).ankle;
        let mut frames = (1..=ahead).map(|ahead| (context.frame)(ahead as isize).mode());
        let leaves = frames.any(|mode| self.trajectory.mode.loses(mode));
        (ankle, if leaves { 0.0 } else { self.planted.value_in(seconds) })
    }

    /// Height of the ground on which it stands or stood.
    pub fn level(&self) -> f64 {
        self.trajectory.level
    }

    /// Is told what its pose came to be.
    pub fn correct(&mut self, pose: &FootPose) {
        self.past[0] = *pose;
    }

    /// Drags the planted point of a foot that cannot stay.
    pub fn drag(&mut self, by: &Vec3) {
        self.trajectory.anchor += by;
        self.past[0].ankle += by;
        self.dragged += by;
    }

    /// A planted foot that its source leaves far behind slides or turns on purpose: it follows with what is too much.
    fn follow_sliding(&mut self, now: &FootFrame, leg_length: f64) {
        let [heel, ball] = [0, 1].map(|point| {
            let away = now.points[point] - self.source_anchor[point];
            Vec3::new(away.x, 0.0, away.z)
        });
        let away = match self.trajectory.mode {
            Mode::Free => return,
            Mode::Heel => heel,
            Mode::Ball => ball,
            Mode::Flat if ball.norm() < heel.norm() => ball,
            Mode::Flat => heel,
        };
        let most = SLIDES * leg_length;
        if away.norm() > most {
            let excess = away * (1.0 - most / away.norm());
            self.trajectory.anchor += excess;
            self.source_anchor = self.source_anchor.map(|point| point + excess);
        }
        if self.trajectory.mode == Mode::Flat {
            let held = &mut self.trajectory.held;
            let turned = (now.rotation * held.inverse()).scaled_axis();
            let most = TURNS.to_radians();
            if turned.norm() > most {
                *held = Quat::from_scaled_axis(turned * (1.0 - most / turned.norm())) * *held;
            }
        }
    }
}

/// The point of a foot that stays where it is, in its axes. On its heel a foot turns about the ankle, not about the hind end of
/// the sole: the ankle is slow in sources whose heel is on the ground, and planting the sole's end instead made it slide by
/// 4 % of the leg length a second.
fn pivot(mode: Mode, leg: &TargetLeg) -> Vec3 {
    match mode {
        Mode::Free | Mode::Heel | Mode::Flat => Vec3::zeros(),
        Mode::Ball => leg.ball,
    }
}

/// The rotation about the vertical that is in a rotation.
pub(super) fn heading(rotation: &Quat) -> Quat {
    let (w, y) = (rotation.w, rotation.j);
    let norm = hypot(w, y);
    // Upside down there is no heading.
    if norm < NO_DIRECTION {
        return Quat::identity();
    }
    Quat::new_unchecked(nalgebra::Quaternion::new(w / norm, 0.0, y / norm, 0.0))
}

/// Zero well above the ground, the depth well below it, without a corner in between.
pub(super) fn soft_lift(depth: f64, width: f64) -> f64 {
    if depth <= -width {
        0.0
    } else if depth >= width {
        depth
    } else {
        (depth + width) * (depth + width) / (4.0 * width)
    }
}

/// Between two rotations by the shorter arc, for any two.
pub(super) fn slerp(a: &Quat, b: &Quat, share: f64) -> Quat {
    if share <= 0.0 {
        return *a;
    }
    if share >= 1.0 {
        return *b;
    }
    let arc = b * a.inverse();
    let arc = if arc.w < 0.0 { Quat::new_unchecked(-arc.into_inner()) } else { arc };
    arc.powf(share) * a
}
