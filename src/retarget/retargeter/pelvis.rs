//! The pelvis: it follows the source's, and gives way to feet that are planted elsewhere than the source's.

use super::{Retargeter, mean};
use crate::math::{Quat, Vec3, asin, atan2, exp, hypot, square, tanh};
use crate::retarget::envelope::Envelope;
use crate::retarget::foot::{FootPose, STEP, soft_lift};
use crate::retarget::target::{Target, TargetLeg};
use crate::skeleton::naming::Limb;

/// Seconds in which what is not planted follows the swell of the source's floor.
const SWELL_SECONDS: f64 = 0.15;
/// Seconds in which the pelvis comes up again after it had to sink.
const RISING_SECONDS: f64 = 0.1;
/// Seconds in which it goes along with planted feet. In 0.05 the knees of a walker get the noise of captured feet, in 0.2 a dancer's
/// pelvis comes too late.
const SHIFT_SECONDS: f64 = 0.15;
/// Seconds within which a figure trembles. What lasts longer is movement; what is shorter is in one frame at any rate.
const TREMBLE_SECONDS: f64 = 0.015;
/// Leg lengths by which a leg leans more than the source's when the pelvis goes half of the way along.
const LEANING: f64 = 0.03;
/// Leg lengths: hips that are wider than this turn with their feet where both stand. Without it the hips of a body that is all hips
/// slide off both feet in a turn; at 0.1 the noise of captured feet turns slender hips.
const STIFF: f64 = 0.4;
/// Frames within the look-ahead at which it is asked how far the pelvis must sink.
const LOOKS: usize = 4;
/// The pelvis sinks by at most so many leg lengths to let planted feet reach the ground.
const MOST_SINKING: f64 = 0.15;
/// The trunk of an animal is pitched by at most so many radians.
const MOST_PITCH: f64 = 0.35;

impl Retargeter {
    /// Puts the body where it belongs, with legs that still imitate.
    pub(super) fn move_pelvis(&mut self, current: usize, goals: &[Option<FootPose>]) {
        let slots = self.ring.len();
        let (wanted, twist) = self.shift(current, goals);
        for axis in 0..3 {
            let [value, velocity] = self.shifted.map(|shifted| shifted[axis]);
            let after = follow([value, velocity], wanted[axis], SHIFT_SECONDS, self.frame_seconds);
            [self.shifted[0][axis], self.shifted[1][axis]] = after;
        }
        self.twisted = follow(self.twisted, twist, SHIFT_SECONDS, self.frame_seconds);
        if current == 0 {
            // The first frame is what it is.
            (self.shifted, self.twisted) = ([wanted, Vec3::zeros()], [twist, 0.0]);
        }
        let twist = Quat::from_axis_angle(&Vec3::y_axis(), self.twisted[0]);
        self.pose.rotations[self.hips] = twist * self.pose.rotations[self.hips];
        let shift = self.shifted[0] - self.tremble(current);
        let pelvis = |frame: usize| self.ring[frame % slots].pelvis + shift;
        let hip = |leg: &TargetLeg, frame: usize| {
            self.hip(leg, &pelvis(frame), &(twist * self.ring[frame % slots].rotations[self.hips]))
        };
        let needed = self.missing(Limb::Leg, current, goals, hip);
        let mut pelvis = pelvis(current);
        pelvis.y -= self.sinking[0].step(needed, self.frame_seconds);
        self.place(&pelvis);
        if self.chest.is_some() && self.options.foot_lock {
            self.pitch_trunk(&pelvis, current, goals);
        }
    }

    /// Where the hip of a leg is if the middle of the hips is at `pelvis` and the hips are turned so.
    pub(super) fn hip(&self, leg: &TargetLeg, pelvis: &Vec3, turn: &Quat) -> Vec3 {
        let Target { figure, rest, .. } = &self.target;
        let offset = figure.positions[leg.hip] - figure.positions[self.hips];
        pelvis + turn * (rest[self.hips].inverse() * offset - self.pelvis_offset)
    }

    /// How far the pelvis goes along with planted feet that are not where the scaled source's are, so that hip and foot keep the
    /// distance that they have in the source, and by what angle it turns with them: the rigid movement that fits best.
    pub(super) fn shift(&self, current: usize, goals: &[Option<FootPose>]) -> (Vec3, f64) {
        let frame = &self.ring[current % self.ring.len()];
        let carried = || {
            goals.iter().enumerate().take(self.legs.len()).filter_map(|(index, goal)| {
                let (leg, _) = &self.legs[index];
                let goal = goal.filter(|_| leg.key.0 == Limb::Leg)?;
                let carries = self.carries(index, self.feet[index].planted.value());
                let arm = self.hip(leg, &Vec3::zeros(), &frame.rotations[self.hips]);
                Some((goal.ankle - frame.feet[index].ankle, arm, carries))
            })
        };
        let (mut sum, mut weights) = (Vec3::zeros(), 0.0);
        for (away, _, carries) in carried() {
            sum += away * carries;
            weights += carries;
        }
        let height = if weights > 1e-6 { sum.y / weights } else { self.shifted[0].y };
        let mean = sum / f64::max(weights, 1e-6);
        let stiffness = STIFF * self.target.leg_length;
        let (mut moment, mut inertia) = (0.0, stiffness * stiffness);
        for (away, arm, carries) in carried() {
            let rest = away - mean;
            moment += carries * (arm.z * rest.x - arm.x * rest.z);
            inertia += carries * (arm.x * arm.x + arm.z * arm.z);
        }
        let level = sum / f64::max(weights, 1.0);
        let distance = hypot(level.x, level.z);
        let level = level * (distance / (distance + LEANING * self.target.leg_length));
        (Vec3::new(level.x, height, level.z), moment / inertia)
    }

    /// How far the planted points of the source are from where they are on the average of the neighbouring frames. The whole body
    /// of a captured figure trembles with them, which shows in the knees as soon as the feet are held.
    pub(super) fn tremble(&self, current: usize) -> Vec3 {
        let (mut sum, mut weights) = (Vec3::zeros(), 0.0);
        let around = (self.pushed - 1 - current).min(current).min(3);
        for (index, foot) in self.feet.iter().enumerate() {
            let Some(point) = foot.point().filter(|_| self.legs[index].0.key.0 == Limb::Leg) else {
                continue;
            };
            let at = |frame: usize| self.ring[frame % self.ring.len()].feet[index].points[point];
            let (mut mean, mut total) = (at(current), 1.0);
            for away in 1..=around {
                let weight = exp(-0.5 * square(away as f64 * self.frame_seconds / TREMBLE_SECONDS));
                mean += (at(current - away) + at(current + away)) * weight;
                total += 2.0 * weight;
            }
            let carries = self.carries(index, foot.planted.value());
            sum += (at(current) - mean / total) * carries;
            weights += carries;
        }
        sum / f64::max(weights, 1.0)
    }

    /// How much a foot carries that is planted so much: not while another one is planted on lower ground. A leg that is held out
    /// still, or has found the next step, carries nothing yet.
    pub(super) fn carries(&self, index: usize, planted: f64) -> f64 {
        let step = STEP * self.target.leg_length;
        let lower = self.feet.iter().filter(|other| other.level() < self.feet[index].level() - step);
        planted * (1.0 - lower.map(|other| other.planted.value()).fold(0.0, f64::max))
    }

    /// Free feet, hands and the chest of an animal are pressed down by the swell of the ground under planted feet, critically damped.
    pub(super) fn follow_swell(&mut self) {
        let (mut sum, mut weights) = (0.0, 0.0);
        for foot in &self.feet {
            sum += foot.planted.value() * foot.swell;
            weights += foot.planted.value();
        }
        let goal = if weights > 1e-6 { sum / weights } else { self.swell[0] };
        self.swell = follow(self.swell, goal, SWELL_SECONDS, self.frame_seconds);
    }

    /// How far the base of some legs must come down now and within the look-ahead to let planted feet stay. `hip` says where the
    /// hip of a leg is in a frame.
    pub(super) fn missing(
        &self,
        limb: Limb,
        current: usize,
        goals: &[Option<FootPose>],
        hip: impl Fn(&TargetLeg, usize) -> Vec3,
    ) -> f64 {
        let known = self.flagged - 1 - current;
        let ground = self.ground();
        let mut most = 0.0_f64;
        for (index, goal) in goals.iter().enumerate().take(self.legs.len()) {
            let (leg, _) = &self.legs[index];
            let Some(goal) = goal.filter(|_| leg.key.0 == limb) else { continue };
            let foot = &self.feet[index];
            let frame = self.frames_around(current, index);
            let window = self.window(current, &frame);
            let missing = |ahead: usize, ankle: &Vec3, planted: f64| {
                let away = hip(leg, current + ahead) - ankle;
                let (reach, level) = (self.reach(index, current + ahead), hypot(away.x, away.z));
                planted * (away.y - (reach * reach - level * level).max(0.0).sqrt())
            };
            most = most.max(missing(0, &goal.ankle, self.carries(index, foot.grounded.value())));
            for ahead in (1..=known).rev().step_by(known.div_ceil(LOOKS).max(1)) {
                let (ankle, planted) = foot.expected(ahead, leg, &self.rest(leg), &window, &ground);
                most = most.max(missing(ahead, &ankle, self.carries(index, planted)));
            }
        }
        let leg_length = self.target.leg_length;
        soft_lift(most, 0.005 * leg_length).min(MOST_SINKING * leg_length)
    }

    /// Pitches the trunk of an animal about its pelvis until its shoulders are as high as its forelegs want them.
    pub(super) fn pitch_trunk(&mut self, pelvis: &Vec3, current: usize, goals: &[Option<FootPose>]) {
        let is_fore = |leg: &TargetLeg| leg.key.0 == Limb::FrontLeg;
        let shoulders = self.legs.iter().filter(|(leg, _)| is_fore(leg));
        let chest = mean(shoulders.map(|(leg, _)| self.pose.positions[leg.hip]));
        let wanted = self.ring[current % self.ring.len()].chest.y - self.swell[0];
        let carried = |frame: usize| self.ring[frame % self.ring.len()].chest;
        let shoulder = |leg: &TargetLeg, frame: usize| {
            self.pose.positions[leg.hip] + Vec3::y() * (wanted - chest.y) + carried(frame) - carried(current)
        };
        let missing = self.missing(Limb::FrontLeg, current, goals, shoulder);
        let wanted = wanted - self.sinking[1].step(missing, self.frame_seconds);
        let left = self.pose.rotations[self.hips] * (self.target.rest[self.hips].inverse() * Vec3::x());
        let Some(axis) = nalgebra::Unit::try_new(Vec3::new(left.x, 0.0, left.z), 1e-6) else { return };
        let trunk = chest - pelvis;
        let ahead = trunk.dot(&axis.cross(&Vec3::y()));
        let length = hypot(ahead, trunk.y);
        let pitch = asin(((wanted - pelvis.y) / length.max(1e-9)).clamp(-0.9, 0.9)) - atan2(trunk.y, ahead);
        // An animal that rears or rolls is not held down.
        let pitch = MOST_PITCH * tanh(pitch / MOST_PITCH);
        let turn = Quat::from_axis_angle(&axis, -pitch);
        for (rotation, is_trunk) in self.pose.rotations.iter_mut().zip(&self.is_trunk) {
            if *is_trunk {
                *rotation = turn * *rotation;
            }
        }
        self.place(pelvis);
    }
}

/// A value and its velocity one frame later, on the way to a goal, critically damped.
pub(super) fn follow([value, velocity]: [f64; 2], goal: f64, seconds: f64, step: f64) -> [f64; 2] {
    let rate = 2.0 / seconds;
    let decay = exp(-rate * step);
    let slope = velocity + rate * (value - goal);
    [goal + (value - goal + slope * step) * decay, (velocity - rate * slope * step) * decay]
}

/// How far a base has come down to let planted feet stay: smoothly and in time as far as the look-ahead goes, up again slowly.
/// Pulled up at once it would jerk both knees.
#[derive(Debug, Clone)]
pub(super) struct Sinking {
    envelope: Envelope,
    /// Value and velocity.
    peak: Option<[f64; 2]>,
}

impl Sinking {
    pub(super) fn new(ahead: usize) -> Sinking {
        Sinking { envelope: Envelope::new(ahead), peak: None }
    }

    /// What it is in the next frame, if so much is needed from it to the end of the look-ahead.
    pub(super) fn step(&mut self, needed: f64, seconds: f64) -> f64 {
        let mut peak = self.peak.map_or([needed, 0.0], |peak| follow(peak, needed, RISING_SECONDS, seconds));
        if peak[0] < needed {
            peak = [needed, 0.0];
        }
        self.peak = Some(peak);
        self.envelope.step(peak[0])
    }
}
