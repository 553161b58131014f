//! Where a foot goes: along the source's path while it is free, nowhere while it is planted, and smoothly in between.
//!
//! A foot is free, or it stands on its heel, on its ball, or flat. Each of these is a course of its own. A foot that is about to
//! touch down, as far as the look-ahead knows, follows both courses and goes over from one to the other until it does, so that it is
//! still from then on; the landing of the source is in it as long as it can be. One that leaves the ground, or lands unforeseen,
//! changes at once: the difference is added to the new course and fades ([`super::quintic`]).

use super::envelope::Envelope;
use super::quintic::{Fading, Ramp, smooth};
use super::target::TargetLeg;
use crate::math::{Quat, Vec3, hypot};

/// A foot in one frame as the motion moves it, in the axes and the size of the character.
#[derive(Debug, Clone, Copy)]
pub(super) struct FootFrame {
    /// Place of the ankle if the ground were where the feet of the source rest.
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
    pub fn resting() -> FootFrame {
        FootFrame {
            ankle: Vec3::zeros(),
            points: [Vec3::zeros(); 2],
            rotation: Quat::identity(),
            toes: Quat::identity(),
            depth: 0.0,
            heights: [0.0; 2],
            on: [false; 2],
            extension: 1.0,
        }
    }

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
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
#[derive(Debug, Clone, Copy)]
pub(super) struct FootPose {
    pub ankle: Vec3,
    pub rotation: Quat,
    pub toes: Quat,
}

/// What a foot may know of its frames: those around the current one, as far as the look-ahead goes.
pub(super) struct Window<'a> {
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
    /// Seconds of a landing that nobody saw coming.
    pub landing: f64,
}

/// Lengths that all feet share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ground {
    pub floor: f64,
    pub leg_length: f64,
    /// How far the ground under the source's feet is above where they rest at most times, in the character's size: feet
    /// and pelvis are pressed down by it.
    pub swell: f64,
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
/// Seconds: of the offset after lift-off, and of the heel while the ball stays. Shorter
/// ones jerk the knee, longer ones reach into the next step of a runner.
const LIFT_OFF: f64 = 0.20;
const ROLLING: f64 = 0.10;
/// Depth, in leg lengths, over which a foot that meets the ground is slowed down.
const SOFT: f64 = 0.003;

/// What a foot does in one mode: a trajectory, and what is left of the one before it.
#[derive(Debug, Clone, Copy)]
struct Course {
    mode: Mode,
    /// Where the ankle or the ball is planted; the height is not used.
    anchor: Vec3,
    /// Rotation of a foot that stands flat.
    held: Quat,
    /// Heading of a planted foot when it was planted: its toes keep it.
    heading: Quat,
    /// Height of the ground under it.
    level: f64,
    /// How far the foot is off its trajectory: along the ground, above it, and turned.
    level_offset: Fading,
    height_offset: Fading,
    rotation_offset: Fading,
    elapsed: f64,
}

impl Course {
    /// How a foot is turned on it in a frame: as the source's, or as it stands. The heel of one that stands rises with the
    /// source's.
    fn turned(&self, leg: &TargetLeg, frame: &FootFrame) -> Quat {
        if self.mode != Mode::Flat {
            return frame.rotation;
        }
        let ahead = self.held * leg.ball;
        let Some(axis) = nalgebra::Unit::try_new(Vec3::y().cross(&ahead), 1e-9) else { return self.held };
        let pitch = (frame.rotation * self.held.inverse()).scaled_axis().dot(&axis);
        let [from, width] = RISES.map(f64::to_radians);
        Quat::from_axis_angle(&axis, soft_lift(pitch - from, width)) * self.held
    }

    /// Where the ankle belongs if the foot is turned so.
    fn ankle(
        &self,
        leg: &TargetLeg,
        frame: &FootFrame,
        ground: &Ground,
        lift: f64,
        rotation: &Quat,
        toes: &Quat,
    ) -> Vec3 {
        let pivot = match self.mode {
            Mode::Free => return frame.ankle + ground.shift + Vec3::y() * (lift - ground.swell),
            // Where its heel rises it does so about the ball.
            Mode::Flat => self.turned(leg, frame) * leg.ball - self.held * leg.ball,
            _ => rotation * pivot(self.mode, leg),
        };
        let lowest = leg.sole.lowest(rotation, toes);
        Vec3::new(self.anchor.x - pivot.x, self.level - lowest, self.anchor.z - pivot.z)
    }

    /// Where flat toes point if the foot is turned so: they stay while the foot turns a little above them.
    fn toes_heading(&self, turn: &Quat) -> Quat {
        let yaw = (heading(turn) * self.heading.inverse()).scaled_axis().y;
        let [from, width] = TOES_STAY.map(f64::to_radians);
        let excess = soft_lift(yaw.abs() - from, width) * yaw.signum();
        Quat::from_axis_angle(&Vec3::y_axis(), excess) * self.heading
    }

    /// The rotation so many seconds from now.
    fn rotation_in(&self, seconds: f64, leg: &TargetLeg, frame: &FootFrame) -> Quat {
        Quat::from_scaled_axis(self.rotation_offset.at(self.elapsed + seconds)) * self.turned(leg, frame)
    }

    /// What it is off its trajectory so many seconds from now.
    fn offset_in(&self, seconds: f64) -> Vec3 {
        let elapsed = self.elapsed + seconds;
        self.level_offset.at(elapsed) + self.height_offset.at(elapsed)
    }
}

/// A foot on its way.
#[derive(Debug, Clone)]
pub(super) struct Foot {
    course: Course,
    /// What it comes from while it changes to its course.
    before: Course,
    changed: Ramp,
    /// Where ankle and ball of the source were when it was planted.
    source_anchor: [Vec3; 2],
    /// How far the ground under it is pressed down.
    pub swell: f64,
    toes_flat: Ramp,
    pub planted: Ramp,
    /// How much of its heel is planted.
    pub grounded: Ramp,
    /// Keeps a free foot above the ground.
    lift: Envelope,
    /// How far it was lifted in this frame and in the three before it.
    lifts: [f64; 4],
    /// The last three poses, the newest first.
    past: [FootPose; 3],
}

impl Foot {
    /// Above a floor, with contacts known so many frames ahead.
    pub fn new(floor: f64, lead: usize) -> Foot {
        let pose = FootPose { ankle: Vec3::zeros(), rotation: Quat::identity(), toes: Quat::identity() };
        let course = Course {
            mode: Mode::Free,
            anchor: Vec3::zeros(),
            held: Quat::identity(),
            heading: Quat::identity(),
            level: floor,
            level_offset: Fading::none(),
            height_offset: Fading::none(),
            rotation_offset: Fading::none(),
            elapsed: 0.0,
        };
        Foot {
            course,
            before: course,
            changed: Ramp::resting(1.0),
            source_anchor: [Vec3::zeros(); 2],
            swell: 0.0,
            toes_flat: Ramp::resting(0.0),
            planted: Ramp::resting(0.0),
            grounded: Ramp::resting(0.0),
            lift: Envelope::new(lead),
            lifts: [0.0; 4],
            past: [pose; 3],
        }
    }

    /// Its pose in the current frame.
    pub fn step(&mut self, leg: &TargetLeg, rest: &Rest, window: &Window, ground: &Ground) -> FootPose {
        let depths = (0..=window.lead).map(|ahead| (window.frame)(ahead as isize).depth + ground.swell);
        let deepest = depths.fold(f64::NEG_INFINITY, f64::max);
        let lift = self.lift.step(soft_lift(deepest, SOFT * ground.leg_length));
        self.lifts = [lift, self.lifts[0], self.lifts[1], self.lifts[2]];
        let (next, frames) = self.desired(window);
        if next != self.course.mode || window.past == 0 {
            self.change(next, frames, leg, rest, window, ground);
        }
        self.course.elapsed += window.frame_seconds;
        self.before.elapsed += window.frame_seconds;
        for ramp in [&mut self.changed, &mut self.toes_flat, &mut self.planted, &mut self.grounded] {
            ramp.step(window.frame_seconds);
        }
        let now = (window.frame)(0);
        // Before the touchdown the source is still on its way.
        if now.mode() != Mode::Free {
            self.follow_sliding(&now, ground);
        }
        let mut pose = self.pose_in(0.0, leg, rest, &now, ground);
        // Turned otherwise than its source, the foot may still be in the ground.
        let level = |course: &Course| if course.mode == Mode::Free { ground.floor } else { course.level };
        let (from, to) = (level(&self.before), level(&self.course));
        let level = from + (to - from) * self.changed.value();
        let depth = level - (pose.ankle.y + leg.sole.lowest(&pose.rotation, &pose.toes));
        pose.ankle.y += soft_lift(depth, 0.1 * SOFT * ground.leg_length);
        self.past = [pose, self.past[0], self.past[1]];
        pose
    }

    /// Its pose so many seconds from now, in which the source's foot is as in `frame`.
    fn pose_in(
        &self,
        seconds: f64,
        leg: &TargetLeg,
        rest: &Rest,
        frame: &FootFrame,
        ground: &Ground,
    ) -> FootPose {
        let toes = |rotation: &Quat| {
            let loose = rotation * (frame.rotation.inverse() * frame.toes);
            let flat = self.course.toes_heading(&(rotation * rest.foot.inverse())) * rest.toes;
            slerp(&loose, &flat, self.toes_flat.value_in(seconds))
        };
        let on = |course: &Course| {
            let rotation = course.rotation_in(seconds, leg, frame);
            let toes = toes(&rotation);
            let ankle = course.ankle(leg, frame, ground, self.lifts[0], &rotation, &toes);
            FootPose { ankle: ankle + course.offset_in(seconds), rotation, toes }
        };
        let pose = on(&self.course);
        let changed = self.changed.value_in(seconds);
        if changed >= 1.0 {
            return pose;
        }
        let before = on(&self.before);
        let rotation = slerp(&before.rotation, &pose.rotation, changed);
        let ankle = before.ankle + (pose.ankle - before.ankle) * changed;
        FootPose { ankle, rotation, toes: toes(&rotation) }
    }

    /// What to be now, and how many frames are left until it must be reached.
    fn desired(&self, window: &Window) -> (Mode, usize) {
        let now = (window.frame)(0).mode();
        for ahead in 1..=window.lead {
            let next = (window.frame)(ahead as isize).mode();
            if next != now {
                let settles = ahead as f64 * window.frame_seconds <= window.settling;
                return if now.gains(next) || settles { (next, ahead) } else { (now, 0) };
            }
        }
        (now, 0)
    }

    /// Takes another course, which must be reached in so many frames.
    fn change(
        &mut self,
        next: Mode,
        frames: usize,
        leg: &TargetLeg,
        rest: &Rest,
        window: &Window,
        ground: &Ground,
    ) {
        let before = self.course;
        let course = self.course_to(next, frames, leg, rest, window, ground);
        let is_foreseen = before.mode.gains(next) && frames > 0;
        let seconds = if is_foreseen {
            frames as f64 * window.frame_seconds + window.settling
        } else if before.mode.gains(next) {
            window.landing
        } else if next == Mode::Free {
            LIFT_OFF
        } else {
            ROLLING
        };
        let stands = |is_so: bool| if is_so { 1.0 } else { 0.0 };
        let goals = [
            (&mut self.toes_flat, stands(matches!(next, Mode::Ball | Mode::Flat))),
            (&mut self.planted, stands(next != Mode::Free)),
            // Somebody who rolls off the ball leaves the heel behind.
            (&mut self.grounded, stands(next != Mode::Free && !before.mode.loses(next))),
        ];
        for (ramp, goal) in goals {
            if window.past == 0 {
                *ramp = Ramp::resting(goal);
            } else {
                ramp.go(goal, seconds);
            }
        }
        self.course = if window.past == 0 {
            // The first frame is what it is.
            course
        } else if is_foreseen && self.changed.value() >= 1.0 {
            // It goes on as before and arrives in time.
            self.before = before;
            self.changed = Ramp::resting(0.0);
            self.changed.go(1.0, seconds);
            course
        } else {
            self.changed = Ramp::resting(1.0);
            self.continued(course, seconds, leg, window, ground)
        };
    }

    /// The course in another mode that is reached in so many frames: where it is planted, and how it stands there.
    fn course_to(
        &mut self,
        next: Mode,
        frames: usize,
        leg: &TargetLeg,
        rest: &Rest,
        window: &Window,
        ground: &Ground,
    ) -> Course {
        let before = self.course;
        // What is known of the stance that is deepest in it: there the foot has settled.
        let settled = (frames + (window.ahead - window.lead)).min(window.ahead);
        let sample = (window.frame)(settled as isize);
        let turn = sample.rotation * rest.foot.inverse();
        let mut course = Course {
            mode: next,
            elapsed: 0.0,
            level_offset: Fading::none(),
            height_offset: Fading::none(),
            rotation_offset: Fading::none(),
            ..before
        };
        if before.mode == Mode::Free && next != Mode::Free {
            let [heel, ball] = sample.heights;
            let height = match next {
                Mode::Heel => heel,
                Mode::Ball => ball,
                _ => heel.min(ball),
            };
            let is_step = height.abs() > STEP * ground.leg_length;
            course.level = ground.floor + if is_step { height } else { 0.0 };
            self.swell = if is_step { 0.0 } else { height };
        }
        if next == Mode::Flat {
            let is_level = (turn * Vec3::y()).angle(&Vec3::y()) < FLAT.to_radians();
            course.held = if is_level { heading(&turn) * rest.foot } else { sample.rotation };
        }
        if before.mode == Mode::Free || next == Mode::Flat {
            course.heading = heading(&turn);
        }
        let last = self.past[0];
        // What is left of an offset when the foot touches down again so soon that it would have to rush stays.
        let left = if before.mode == Mode::Free {
            before.level_offset.at(before.elapsed + (frames + 1) as f64 * window.frame_seconds)
        } else {
            Vec3::zeros()
        };
        course.anchor = match (before.mode, next) {
            (_, Mode::Free) => before.anchor,
            (Mode::Free, _) => sample.ankle + ground.shift + sample.rotation * pivot(next, leg) + left,
            // Turned flat, it stays on what it stands on.
            (_, Mode::Flat) => before.anchor - course.held * pivot(before.mode, leg),
            _ => last.ankle + last.rotation * pivot(next, leg),
        };
        if before.mode == Mode::Free {
            self.source_anchor = sample.points.map(|point| point - left);
        }
        course
    }

    /// A course with what the last poses are off it, which fades in so many seconds.
    fn continued(
        &self,
        course: Course,
        seconds: f64,
        leg: &TargetLeg,
        window: &Window,
        ground: &Ground,
    ) -> Course {
        let mut positions = [Vec3::zeros(); 3];
        let mut rotations = [Vec3::zeros(); 3];
        for back in 0..3 {
            // Before there were three frames, the oldest one stands for those before it.
            let known = back.min(window.past - 1);
            let (pose, lift) = (self.past[known], self.lifts[known + 1]);
            let frame = (window.frame)(-(known as isize) - 1);
            let ankle = course.ankle(leg, &frame, ground, lift, &pose.rotation, &pose.toes);
            positions[back] = pose.ankle - ankle;
            rotations[back] = (pose.rotation * course.turned(leg, &frame).inverse()).scaled_axis();
        }
        let heights = positions.map(|offset| Vec3::new(0.0, offset.y, 0.0));
        let levels = positions.map(|offset| Vec3::new(offset.x, 0.0, offset.z));
        let height_offset = Fading::after(heights, window.frame_seconds, seconds);
        Course {
            level_offset: Fading::after(levels, window.frame_seconds, seconds),
            height_offset: match course.mode {
                Mode::Free => height_offset,
                _ => height_offset.without_undershoot(&Vec3::y()),
            },
            rotation_offset: Fading::after(rotations, window.frame_seconds, seconds),
            ..course
        }
    }

    /// Where the ankle will be so many frames from now, for which contacts are known, and how much its heel is planted then.
    pub fn expected(
        &self,
        ahead: usize,
        leg: &TargetLeg,
        rest: &Rest,
        window: &Window,
        ground: &Ground,
    ) -> (Vec3, f64) {
        let seconds = ahead as f64 * window.frame_seconds;
        let ankle = self.pose_in(seconds, leg, rest, &(window.frame)(ahead as isize), ground).ankle;
        // It leaves the ground, or its heel does, which then follows the hip.
        let leaves = (1..=ahead).find(|&ahead| {
            let next = (window.frame)(ahead as isize).mode();
            self.course.mode.loses(next)
        });
        let left =
            leaves.map_or(1.0, |at| 1.0 - smooth((ahead - at) as f64 * window.frame_seconds / ROLLING));
        (ankle, left * self.grounded.value_in(seconds))
    }

    /// Which point of the source it is planted by: the ankle or the ball.
    pub fn point(&self) -> Option<usize> {
        match self.course.mode {
            Mode::Free => None,
            Mode::Heel | Mode::Flat => Some(0),
            Mode::Ball => Some(1),
        }
    }

    /// Height of the ground on which it stands or stood.
    pub fn level(&self) -> f64 {
        self.course.level
    }

    /// Is told where it came to be.
    pub fn correct(&mut self, pose: &FootPose) {
        self.past[0] = *pose;
    }

    /// Takes the planted point along with a foot that cannot stay.
    pub fn drag(&mut self, way: &Vec3) {
        self.course.anchor += way;
        self.past[0].ankle += way;
    }

    /// A planted foot that its source leaves far behind slides or turns on purpose: it follows with what is too much.
    fn follow_sliding(&mut self, now: &FootFrame, ground: &Ground) {
        let moved = |point: usize| {
            let way = now.points[point] - self.source_anchor[point];
            Vec3::new(way.x, 0.0, way.z)
        };
        let away = match self.course.mode {
            Mode::Free => return,
            Mode::Heel => moved(0),
            Mode::Ball => moved(1),
            Mode::Flat => [moved(0), moved(1)]
                .into_iter()
                .min_by(|a, b| a.norm().total_cmp(&b.norm()))
                .unwrap_or_default(),
        };
        let most = SLIDES * ground.leg_length;
        if away.norm() > most {
            let excess = away * (1.0 - most / away.norm());
            self.course.anchor += excess;
            self.source_anchor = self.source_anchor.map(|point| point + excess);
        }
        if self.course.mode == Mode::Flat {
            let held = &mut self.course.held;
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

/// Rotations of a foot at rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest {
    pub foot: Quat,
    pub toes: Quat,
}

/// The turn about the vertical in a rotation.
pub(super) fn heading(turn: &Quat) -> Quat {
    let (w, y) = (turn.w, turn.j);
    let norm = hypot(w, y);
    // Upside down there is no heading.
    if norm < 1e-9 {
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

/// Between two rotations by the shorter way, for any two.
pub(super) fn slerp(a: &Quat, b: &Quat, share: f64) -> Quat {
    if share <= 0.0 {
        return *a;
    }
    if share >= 1.0 {
        return *b;
    }
    let turn = b * a.inverse();
    let turn = if turn.w < 0.0 { Quat::new_unchecked(-turn.into_inner()) } else { turn };
    turn.powf(share) * a
}
