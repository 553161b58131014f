//! The pelvis: it follows the source's, and gives way to feet that are planted elsewhere than the source's.

use super::{Retargeter, mean};
use crate::math::{Quat, Vec3, asin, atan2, exp, hypot, square, tanh};
use crate::retarget::NO_DIRECTION;
use crate::retarget::body_ground::{HandGoal, Levels};
use crate::retarget::foot::{FootPose, STEP, soft_lift};
use crate::retarget::hands;
use crate::retarget::inertializer::smootherstep;
use crate::retarget::limiter::Limiter;
use crate::retarget::pelvis_height::{Asked, MOMENTS};
use crate::retarget::target::{Target, TargetLeg};
use crate::skeleton::naming::Limb;

/// Seconds in which what is not planted follows the ground offset.
const OFFSET_SECONDS: f64 = 0.15;
/// Seconds in which the pelvis comes up again after a drop. In 0.1 the knees of a walker jerk, in 0.3 legs stay bent
/// into the next step.
const RISING_SECONDS: f64 = 0.2;
/// Seconds in which it goes along with planted feet over the ground. In 0.03 the knees of dancers jerk whose hips
/// are wide, in 0.15 the feet of a chibi that dances slide half as much again.
const SHIFT_SECONDS: f64 = 0.07;
/// Seconds in which it turns with them. In 0.07 the hips of one who walks around a bend stay behind by 20 degrees.
const TWIST_SECONDS: f64 = 0.15;
/// Seconds in which that of an animal goes along: at 0.07 the hocks of a trotting horse accelerate 5 % more.
const ANIMAL_SHIFT_SECONDS: f64 = 0.15;
/// Part of a leg's length that its hip is above its foot at least when it should be straighter than it can be: the rest is for the
/// drop. With 0.7 the feet of a chibi slide that turns about them; without it the pelvis leaps where a foot comes out of reach.
const STEEP: f64 = 0.3;
/// Parts of a leg's length that the hip is above the foot from which on the leg stands, and up to which it lies. A crawler's legs are
/// at 0.5: raised until they are as straight as the source's, a crawling troll would hang in the air.
const LIES: f64 = 0.6;
const STANDS: f64 = 0.9;
/// Leg lengths by which the pelvis rises or sinks at most to make legs as straight as the source's. With 0.05 the knees of
/// wide hips bend otherwise than the source's in a pirouette; without it a chibi leaps when it turns about a foot.
const MOST_STRETCHED: f64 = 0.3;
/// Leg lengths: hips that are wider than this turn with their feet where both stand. Without it the hips of a body that is all hips
/// slide off both feet in a turn; at 0.1 the noise of captured feet turns slender hips.
const STIFF: f64 = 0.4;
/// Frames within the look-ahead at which the drop of the pelvis is computed.
const LOOKS: usize = 4;
/// The pelvis drops by at most so many leg lengths to let planted feet reach the ground, and softly within the first ones.
const MOST_DROP: f64 = 0.15;
const SOFT_DROP: f64 = 0.005;
/// Shoulders of a person come down by at most so many leg lengths to let hands reach the ground.
const MOST_BENT: f64 = 0.5;
/// How much farther the head comes down than the shoulders, at most: it is as far from them as half of the trunk.
const HEAD_FARTHER: f64 = 1.5;
/// The trunk of an animal is pitched by at most so many radians, and its shoulders are raised by at most this sine.
const MOST_PITCH: f64 = 0.35;
const MOST_RAISED: f64 = 0.9;
/// Feet that carry less in all carry nothing.
const NO_WEIGHT: f64 = 1e-6;
/// A left side that is less level than this, as a cosine, has no direction on the ground.
const NOT_LEVEL: f64 = 1e-6;

impl Retargeter {
    /// Puts the body where it belongs, with legs that still imitate.
    pub(super) fn move_pelvis(
        &mut self,
        current: usize,
        goals: &[Option<FootPose>],
        hands: &[Option<HandGoal>],
    ) {
        let (wanted, twist) = self.shift(current, goals);
        let seconds = if self.chest.is_some() { ANIMAL_SHIFT_SECONDS } else { SHIFT_SECONDS };
        for axis in [0, 2] {
            let [value, velocity] = self.shifted.map(|shifted| shifted[axis]);
            let after = follow([value, velocity], wanted[axis], seconds, self.frame_seconds);
            [self.shifted[0][axis], self.shifted[1][axis]] = after;
        }
        self.twisted = follow(self.twisted, twist, TWIST_SECONDS, self.frame_seconds);
        if current == 0 {
            // The first frame is what it is.
            (self.shifted, self.twisted) = ([wanted, Vec3::zeros()], [twist, 0.0]);
        }
        self.shifted[0].y = self.height_above_source(current, goals);
        let twist = Quat::from_axis_angle(&Vec3::y_axis(), self.twisted[0]);
        self.pose.rotations[self.hips] = twist * self.pose.rotations[self.hips];
        let shift = self.shifted[0];
        let needed = self.missing(Limb::Leg, current, goals, |leg, frame| {
            let frame = self.frame(frame);
            self.hip(leg, &(frame.pelvis + shift), &(twist * frame.rotations[self.hips]))
        });
        let mut pelvis = self.frame(current).pelvis + shift;
        pelvis.y += self.lift - self.drop[0].step(needed, self.frame_seconds);
        self.put_joints(&pelvis);
        match (self.stands(), self.chest.is_some()) {
            (true, true) => self.pitch_trunk(&pelvis, current, goals),
            (true, false) => self.bend_down(&pelvis, hands),
            (false, _) => {}
        }
    }

    /// Raises a body at once by what is left of it in the ground, and lets it down slowly: its head was lowered with its shoulders, or its
    /// legs bent otherwise than foreseen. Feet stay as far as the legs reach.
    pub(super) fn raise_out_of_ground(&mut self, current: usize, goals: &[Option<FootPose>]) {
        if !self.stands() {
            return;
        }
        let depth = self.body.depth(&self.pose, &self.levels(), &self.frame(current).near);
        let raised = self.left_in_ground.step(depth, self.frame_seconds);
        if !(raised > 0.0) {
            return;
        }
        let hips = self.hips;
        let pelvis = self.pose.positions[hips] + self.pose.rotations[hips] * self.pelvis_offset;
        self.put_joints(&(pelvis + Vec3::y() * raised));
        for (index, goal) in goals.iter().enumerate().take(self.legs.len()) {
            if let Some(goal) = goal {
                self.bend_leg(index, goal, self.reach(index, current));
            }
        }
    }

    pub(super) fn levels(&self) -> Levels {
        Levels { floor: self.target.floor, leg_length: self.target.leg_length }
    }

    /// How far the pelvis is above the scaled source's, so that legs are as straight as its own.
    fn height_above_source(&mut self, current: usize, goals: &[Option<FootPose>]) -> f64 {
        let mut window = [Asked::default(); MOMENTS];
        let step = self.height.step();
        let count = ((self.flagged - 1 - current) / step + 1).min(MOMENTS);
        for (moment, asked) in window.iter_mut().enumerate().take(count) {
            *asked = self.asked(current, moment * step, goals);
        }
        self.height.next(&window[..count])
    }

    /// What the feet ask of the height of the pelvis so many frames from now.
    fn asked(&self, current: usize, ahead: usize, goals: &[Option<FootPose>]) -> Asked {
        let mut asked = Asked::default();
        for (index, goal) in goals.iter().enumerate().take(self.legs.len()) {
            let Some(goal) = goal.filter(|_| self.legs[index].0.key.0 == Limb::Leg) else { continue };
            let foot = &self.feet[index];
            let (ankle, weight) = if ahead == 0 {
                (goal.ankle, foot.planted.value())
            } else {
                let frame = self.frames_around(current, index);
                foot.expected_weight(ahead, &self.foot_context(current, index, &frame))
            };
            asked.heights[index] = self.asked_by(index, current + ahead, &ankle);
            asked.carries[index] = self.carries(index, weight);
        }
        asked
    }

    /// How far above the scaled source's the pelvis is in a frame if an ankle is there and the leg as straight as the source's. A leg
    /// that lies does not become straighter by a pelvis that rises: such a pelvis goes up and down with the foot.
    fn asked_by(&self, index: usize, frame: usize, ankle: &Vec3) -> f64 {
        let (leg, _) = &self.legs[index];
        let frame = self.frame(frame);
        let foot = &frame.feet[index];
        let with_foot = ankle.y - foot.ankle.y;
        if !self.bends_as_source(leg) {
            return with_foot;
        }
        let shift = Vec3::new(self.shifted[0].x, 0.0, self.shifted[0].z);
        let twist = Quat::from_axis_angle(&Vec3::y_axis(), self.twisted[0]);
        let rotation = &frame.rotations[self.hips];
        let away = self.hip(leg, &(frame.pelvis + shift), &(twist * rotation)) - ankle;
        let length = leg.stretched(foot.extension);
        let level = square(away.x) + square(away.z);
        let rise = (square(length) - level).max(square(STEEP * length)).sqrt();
        let upright = self.hip(leg, &frame.pelvis, rotation).y - foot.ankle.y;
        let share = smootherstep((upright / length.max(NO_DIRECTION) - LIES) / (STANDS - LIES));
        let most = MOST_STRETCHED * self.target.leg_length;
        with_foot + share * most * tanh((rise - away.y - with_foot) / most)
    }

    /// Whether the distance from hip to ankle tells how far the knee of a leg is bent.
    pub(super) fn bends_as_source(&self, leg: &TargetLeg) -> bool {
        leg.key.0 == Limb::Leg && leg.hock.is_none() && !leg.is_foot_separate
    }

    /// Lowers shoulders from which hands do not reach the ground that the source's are on: the trunk pitches as far as it is level,
    /// the rest the pelvis sinks.
    fn bend_down(&mut self, pelvis: &Vec3, hands: &[Option<HandGoal>]) {
        let mut needed = 0.0_f64;
        for (arm, hand) in self.arms.iter().zip(hands).filter_map(|(arm, hand)| Some((arm, (*hand)?))) {
            needed = needed.max(hand.near * hands::too_high(arm, &hand.wrist, &self.pose));
        }
        let most = MOST_BENT * self.target.leg_length;
        let drop = most * tanh(self.drop[1].step(needed, self.frame_seconds) / most);
        if !(drop > 0.0) || self.arms.is_empty() {
            return;
        }
        // A head that is larger than the arms are long stays above the ground, and the hands in the air.
        let room = self.body.clearance(&self.pose, self.target.floor) / HEAD_FARTHER;
        let drop = drop.min(room).max(0.0);
        let shoulders = mean(self.arms.iter().map(|arm| hands::shoulder(arm, &self.pose)));
        let trunk = shoulders - pelvis;
        let ahead = hypot(trunk.x, trunk.z);
        let length = trunk.norm().max(NO_DIRECTION);
        let share = square(ahead / length);
        if let Some(axis) = nalgebra::Unit::try_new(Vec3::y().cross(&trunk), NOT_LEVEL) {
            let sine = ((trunk.y - share * drop) / length).clamp(-MOST_RAISED, MOST_RAISED);
            let rotation = Quat::from_axis_angle(&axis, (atan2(trunk.y, ahead) - asin(sine)).max(0.0));
            let hips = self.hips;
            for (joint, _) in
                self.is_trunk.iter().enumerate().filter(|(joint, is_trunk)| **is_trunk && *joint != hips)
            {
                self.pose.rotations[joint] = rotation * self.pose.rotations[joint];
            }
        }
        self.put_joints(&(pelvis - Vec3::y() * ((1.0 - share) * drop)));
    }

    /// Where the hip of a leg is if the middle of the hips is at `pelvis` and the hips are rotated so.
    pub(super) fn hip(&self, leg: &TargetLeg, pelvis: &Vec3, rotation: &Quat) -> Vec3 {
        let Target { figure, rest, .. } = &self.target;
        let offset = figure.positions[leg.hip] - figure.positions[self.hips];
        pelvis + rotation * (rest[self.hips].inverse() * offset - self.pelvis_offset)
    }

    /// How far the pelvis goes along with planted feet that are not where the scaled source's are, so that hip and foot keep the
    /// distance that they have in the source, and by what angle it turns with them: the rigid motion that fits best.
    fn shift(&self, current: usize, goals: &[Option<FootPose>]) -> (Vec3, f64) {
        let (mut sum, mut weights) = (Vec3::zeros(), 0.0);
        for foot in self.carrying_feet(current, goals) {
            sum += foot.away * foot.carries;
            weights += foot.carries;
        }
        let mean = sum / f64::max(weights, NO_WEIGHT);
        let stiffness = STIFF * self.target.leg_length;
        let (mut moment, mut inertia) = (0.0, stiffness * stiffness);
        for CarryingFoot { away, arm, carries } in self.carrying_feet(current, goals) {
            let rest = away - mean;
            moment += carries * (arm.z * rest.x - arm.x * rest.z);
            inertia += carries * (arm.x * arm.x + arm.z * arm.z);
        }
        (sum / f64::max(weights, 1.0), moment / inertia)
    }

    /// The feet on which the pelvis stands.
    fn carrying_feet(
        &self,
        current: usize,
        goals: &[Option<FootPose>],
    ) -> impl Iterator<Item = CarryingFoot> {
        let frame = self.frame(current);
        goals.iter().enumerate().take(self.legs.len()).filter_map(move |(index, goal)| {
            let (leg, _) = &self.legs[index];
            let goal = goal.filter(|_| leg.key.0 == Limb::Leg)?;
            Some(CarryingFoot {
                away: goal.ankle - self.feet[index].dragged - frame.feet[index].ankle,
                arm: self.hip(leg, &Vec3::zeros(), &frame.rotations[self.hips]),
                carries: self.carries(index, self.feet[index].planted.value()),
            })
        })
    }

    /// How much a foot carries that is planted so much: not while another one is planted on lower ground. A leg that is held out
    /// still, or has found the next step, carries nothing yet.
    pub(super) fn carries(&self, index: usize, planted: f64) -> f64 {
        let step = STEP * self.target.leg_length;
        let lower = self.feet.iter().filter(|other| other.level() < self.feet[index].level() - step);
        planted * (1.0 - lower.map(|other| other.planted.value()).fold(0.0, f64::max))
    }

    /// Free feet, hands and the chest of an animal follow the ground offset under planted feet, critically damped.
    pub(super) fn follow_ground_offset(&mut self) {
        let (mut sum, mut weights) = (0.0, 0.0);
        for foot in &self.feet {
            sum += foot.planted.value() * foot.ground_offset;
            weights += foot.planted.value();
        }
        let goal = if weights > NO_WEIGHT { sum / weights } else { self.ground_offset[0] };
        self.ground_offset = follow(self.ground_offset, goal, OFFSET_SECONDS, self.frame_seconds);
    }

    /// How far the base of some legs must come down now and within the look-ahead to let planted feet stay. `hip` says where the
    /// hip of a leg is in a frame.
    fn missing(
        &self,
        limb: Limb,
        current: usize,
        goals: &[Option<FootPose>],
        hip: impl Fn(&TargetLeg, usize) -> Vec3,
    ) -> f64 {
        let known = self.flagged - 1 - current;
        let mut most = 0.0_f64;
        for (index, goal) in goals.iter().enumerate().take(self.legs.len()) {
            let (leg, _) = &self.legs[index];
            let Some(goal) = goal.filter(|_| leg.key.0 == limb) else { continue };
            let foot = &self.feet[index];
            let frame = self.frames_around(current, index);
            let context = self.foot_context(current, index, &frame);
            let away = hip(leg, current) - goal.ankle;
            let carries = self.carries(index, foot.grounded.value());
            most = most.max(carries * too_high(&away, self.reach(index, current).from));
            for ahead in (1..=known).rev().step_by(known.div_ceil(LOOKS).max(1)) {
                let (ankle, planted) = foot.expected(ahead, &context);
                let away = hip(leg, current + ahead) - ankle;
                let carries = self.carries(index, planted);
                most = most.max(carries * too_high(&away, self.reach(index, current + ahead).from));
            }
        }
        let leg_length = self.target.leg_length;
        soft_lift(most, SOFT_DROP * leg_length).min(MOST_DROP * leg_length)
    }

    /// Pitches the trunk of an animal about its pelvis until its shoulders are as high as its forelegs want them.
    fn pitch_trunk(&mut self, pelvis: &Vec3, current: usize, goals: &[Option<FootPose>]) {
        let shoulders = self.legs.iter().filter(|(leg, _)| leg.key.0 == Limb::FrontLeg);
        let chest = mean(shoulders.map(|(leg, _)| self.pose.positions[leg.hip]));
        let wanted = self.frame(current).chest.y - self.ground_offset[0];
        let missing = self.missing(Limb::FrontLeg, current, goals, |leg, frame| {
            self.pose.positions[leg.hip] + Vec3::y() * (wanted - chest.y) + self.frame(frame).chest
                - self.frame(current).chest
        });
        let wanted = wanted - self.drop[1].step(missing, self.frame_seconds);
        let left = self.left(&self.pose.rotations);
        let Some(axis) = nalgebra::Unit::try_new(left, NOT_LEVEL) else { return };
        let trunk = chest - pelvis;
        let ahead = trunk.dot(&axis.cross(&Vec3::y()));
        let length = hypot(ahead, trunk.y);
        let sine = ((wanted - pelvis.y) / length.max(NO_DIRECTION)).clamp(-MOST_RAISED, MOST_RAISED);
        let pitch = asin(sine) - atan2(trunk.y, ahead);
        // An animal that rears or rolls is not held down.
        let pitch = MOST_PITCH * tanh(pitch / MOST_PITCH);
        let rotation = Quat::from_axis_angle(&axis, -pitch);
        for (joint, is_trunk) in self.pose.rotations.iter_mut().zip(&self.is_trunk) {
            if *is_trunk {
                *joint = rotation * *joint;
            }
        }
        self.put_joints(pelvis);
    }
}

/// A foot on which the pelvis stands.
struct CarryingFoot {
    /// From where the scaled source has the ankle to where it was planted. A pelvis that went along with a foot that is dragged behind
    /// it would drag it on and on.
    away: Vec3,
    /// From the pelvis to the hip.
    arm: Vec3,
    /// How much of the body it carries.
    carries: f64,
}

/// How far a hip, `away` from its ankle, is too high for a leg that reaches so far.
fn too_high(away: &Vec3, reach: f64) -> f64 {
    let level = hypot(away.x, away.z);
    away.y - (reach * reach - level * level).max(0.0).sqrt()
}

/// A value and its velocity one frame later, on the way to a goal, critically damped.
fn follow([value, velocity]: [f64; 2], goal: f64, seconds: f64, step: f64) -> [f64; 2] {
    let rate = 2.0 / seconds;
    let decay = exp(-rate * step);
    let slope = velocity + rate * (value - goal);
    [goal + (value - goal + slope * step) * decay, (velocity - rate * slope * step) * decay]
}

/// How far pelvis or shoulders have dropped to let planted feet stay: smoothly and in time as far as the look-ahead goes, up
/// again slowly. Pulled up at once they would jerk both knees.
#[derive(Debug, Clone)]
pub(super) struct PelvisDrop {
    limiter: Limiter,
    peak: Peak,
}

/// What rises at once and sinks slowly: value and velocity.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Peak(Option<[f64; 2]>);

impl Peak {
    /// The peak in the next frame, if so much is needed.
    fn step(&mut self, needed: f64, seconds: f64) -> f64 {
        let mut peak = self.0.map_or([needed, 0.0], |peak| follow(peak, needed, RISING_SECONDS, seconds));
        if peak[0] < needed {
            peak = [needed, 0.0];
        }
        self.0 = Some(peak);
        peak[0]
    }
}

impl PelvisDrop {
    pub(super) fn new(ahead: usize) -> PelvisDrop {
        PelvisDrop { limiter: Limiter::new(ahead), peak: Peak::default() }
    }

    /// The drop in the next frame, if so much is needed from it to the end of the look-ahead.
    fn step(&mut self, needed: f64, seconds: f64) -> f64 {
        self.limiter.step(self.peak.step(needed, seconds))
    }
}
