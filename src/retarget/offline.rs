//! A whole motion on a character: every frame is pushed through the online retargeter, which is told beforehand at what
//! height the source's feet stand and which way it faces at first.

use super::footing::Footing;
use super::joint_map::{JointMap, NoSuchJoint, map_joints};
use super::metrics::{Comparison, Measurement, Metrics, SLIDES, Slide};
use super::reference::Source;
use super::retargeter::{Heading, RetargetOptions, Retargeter};
use super::target::Target;
use super::treadmill::travelling;
use crate::Warning;
use crate::math::{Bounds, Quat, Vec3};
use crate::motion::{Motion, Override, Pose, with_path};
use crate::rig::Rig;
use thiserror::Error;

/// A motion on a character.
#[derive(Debug, Clone)]
pub struct Performance {
    /// Time from one frame to the next.
    pub frame_seconds: f64,
    /// The joints of the rig in each frame of the motion, in the coordinates of the rig.
    pub poses: Vec<Pose>,
    /// What was done and how well.
    pub report: RetargetReport,
}

/// What [`retarget`] did and how well.
#[derive(Debug, Clone)]
pub struct RetargetReport {
    /// Which joint moves which.
    pub map: JointMap,
    /// How well planted feet stay where they are.
    pub metrics: Metrics,
    /// How the result differs from its source, if [`RetargetOptions::compare`] asks for it.
    pub comparison: Option<Comparison>,
    /// What a person should know.
    pub warnings: Vec<Warning>,
}

/// Why a motion cannot be moved onto a character.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RetargetError {
    /// The user's map names a joint that does not exist.
    #[error(transparent)]
    Map(#[from] NoSuchJoint),
    /// The two have nothing in common.
    #[error(
        "no joint of the motion could be matched to one of the character; say which moves which with --map"
    )]
    NothingMapped,
    /// There is nothing to show.
    #[error("the motion has no frames")]
    NoFrames,
    /// It has no size that could be compared with the character's.
    #[error("all joints of the motion are in one place; export it with the lengths of its bones")]
    NoSize,
}

/// Moves a motion onto a rig.
///
/// # Errors
/// If the motion has no frames or no size, if no joint can be matched, or if `overrides` name joints that do not exist.
pub fn retarget(
    rig: &Rig,
    motion: &Motion,
    source: &Source,
    overrides: &[Override],
    options: &RetargetOptions,
) -> Result<Performance, RetargetError> {
    if motion.frames == 0 {
        return Err(RetargetError::NoFrames);
    }
    if !(source.figure.leg_length() > 0.0) {
        return Err(RetargetError::NoSize);
    }
    let target = Target::of(rig);
    let mut map = map_joints(&target.figure, &source.figure);
    map.apply(overrides, &target.figure, &source.figure)?;
    if map.matches.iter().all(Option::is_none) {
        return Err(RetargetError::NothingMapped);
    }
    // In place no foot is ever still: the figure is moved over ground that is, and back again.
    let velocity = travelling(motion, source);
    let carried = velocity.map(|velocity| with_path(motion, &velocity));
    let moving =
        Measurement { rig, target: &target, motion: carried.as_ref().unwrap_or(motion), source, map: &map };
    let (mut poses, path) = poses(&moving, options, velocity);
    // A root above the hips stays where it is.
    let hips = target.hips.filter(|&hips| hips < rig.joints.len()).unwrap_or(0);
    let stands = map.legs.iter().any(|leg| target.legs.iter().any(|ours| ours.key == leg.target));
    if !stands {
        // No foot says where the ground is: the body begins as high as it was bound.
        let lift = rig.joints[hips].rest.translation.y - poses[0].positions[hips].y;
        let joints = poses.iter_mut().flat_map(|pose| pose.positions.iter_mut().skip(hips));
        joints.for_each(|position| position.y += lift);
    }
    let copy = (options.compare && options.foot_lock && stands)
        .then(|| self::poses(&moving, &RetargetOptions { foot_lock: false, ..*options }, velocity).0);
    let copy = options.compare.then(|| copy.as_deref().unwrap_or(&poses));
    let (metrics, comparison) = moving.take(&poses, copy);
    let origin = if options.heading == Heading::Forward { stands_at(rig, hips) } else { Vec3::zeros() };
    for (frame, pose) in poses.iter_mut().enumerate() {
        let back = path * motion.time(frame) - origin;
        pose.positions.iter_mut().skip(hips).for_each(|position| *position -= back);
    }
    let warnings = warnings(source, stands, options.foot_lock, &metrics);
    let report = RetargetReport { map, metrics, comparison, warnings };
    Ok(Performance { frame_seconds: motion.frame_seconds, poses, report })
}

/// Where a character stands in its scene, along the ground: the origin, if that is anywhere below it.
fn stands_at(rig: &Rig, hips: usize) -> Vec3 {
    let places: Vec<Vec3> = rig.joints[hips..].iter().map(|joint| joint.rest.translation.vector).collect();
    let Bounds { min, max } = Bounds::of(&places);
    let is_above = |axis: usize| min[axis] <= 0.0 && max[axis] >= 0.0;
    if is_above(0) && is_above(2) { Vec3::zeros() } else { Vec3::new(places[0].x, 0.0, places[0].z) }
}

/// A pose of the rig for each frame, and a velocity of the source as one of the character.
fn poses(of: &Measurement, options: &RetargetOptions, velocity: Option<Vec3>) -> (Vec<Pose>, Vec3) {
    let Measurement { rig, motion, source, map, .. } = *of;
    let footing = |leg| Footing::of_motion(motion, source, leg);
    let mut retargeter = Retargeter::new(rig, source, map, footing, motion.frame_seconds, options);
    let mut frames: Vec<Pose> = (0..motion.frames).map(|frame| motion.pose(frame)).collect();
    let second = ((1.0 / motion.frame_seconds).round() as usize).clamp(1, frames.len());
    retargeter.begin(&frames[..second]);
    let mut poses: Vec<Pose> = Vec::with_capacity(motion.frames);
    let is_cycle = options.looping && frames.len() > 2;
    let advance = Advance::between(&frames[0], &frames[frames.len() - 1]);
    if is_cycle {
        // Played three times over, the second time begins and ends as every time does.
        frames.pop();
        for _ in 0..3 {
            for frame in &mut frames {
                poses.extend(retargeter.push(frame).cloned());
                *frame = advance.applied(frame, 0);
            }
        }
    } else {
        for frame in &frames {
            poses.extend(retargeter.push(frame).cloned());
        }
    }
    while let Some(pose) = retargeter.finish() {
        poses.push(pose.clone());
    }
    if is_cycle {
        let count = frames.len();
        let hips = retargeter.hips();
        let (turn, way) = retargeter.advance(&advance.turn, &advance.way);
        let advance = Advance { turn, way };
        let back = advance.inverse();
        poses.drain(..count);
        poses.truncate(count);
        for pose in &mut poses {
            *pose = back.applied(pose, hips);
        }
        let last = advance.applied(&poses[0], hips);
        poses.push(last);
    }
    let way = velocity.map_or(Vec3::zeros(), |velocity| retargeter.way(&velocity));
    (poses, way)
}

/// How a body goes on along the ground from one cycle to the next: a turn about the vertical axis of its root, and a way.
struct Advance {
    turn: Quat,
    way: Vec3,
}

impl Advance {
    /// From a pose to the same pose elsewhere.
    fn between(from: &Pose, to: &Pose) -> Advance {
        let turn = to.rotations[0] * from.rotations[0].inverse();
        Advance { turn, way: to.positions[0] - turn * from.positions[0] }
    }

    fn inverse(&self) -> Advance {
        let turn = self.turn.inverse();
        Advance { turn, way: turn * -self.way }
    }

    /// The pose, as far along, from a joint downwards. A body that does not turn, or stays where it is, does so to the last bit.
    fn applied(&self, pose: &Pose, hips: usize) -> Pose {
        let mut pose = pose.clone();
        // What is above the hips has smaller numbers.
        for joint in hips..pose.positions.len() {
            if self.turn.angle() >= STAYS {
                pose.positions[joint] = self.turn * pose.positions[joint];
                pose.rotations[joint] = self.turn * pose.rotations[joint];
            }
            if self.way.norm() >= STAYS {
                pose.positions[joint] += self.way;
            }
        }
        pose
    }
}

/// A turn in radians or a way, in any unit, that is nothing but rounding.
const STAYS: f64 = 1e-9;

/// A foot that moves farther from the middle of its stance than this, in leg lengths, slides on purpose.
const SLIDING: f64 = 0.12;

fn warnings(source: &Source, stands: bool, foot_lock: bool, metrics: &Metrics) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if source.is_mirrored {
        warnings.push(Warning::SidesSwapped);
    }
    if !stands {
        warnings.push(Warning::NoLegs);
    }
    if let Some(&frame) = metrics.out_of_reach.first().filter(|_| foot_lock) {
        let (count, percent) = (metrics.out_of_reach.len(), 100.0 * metrics.reach_shortfall);
        warnings.push(Warning::OutOfReach { frame, count, percent });
    }
    if foot_lock && metrics.slide.mean > SLIDES {
        let Slide { mean, worst: frame, .. } = metrics.slide;
        warnings.push(Warning::FeetSlide { frame, percent: 100.0 * mean });
    }
    let sliding = || metrics.stances().filter(|stance| stance.drift > SLIDING);
    if let Some(worst) = sliding().max_by(|a, b| a.drift.total_cmp(&b.drift)) {
        let (count, percent) = (sliding().count(), 100.0 * worst.drift);
        warnings.push(Warning::SourceSlides { frame: worst.frames.start, count, percent });
    }
    if let Some((frame, height)) = metrics.highest_step() {
        warnings.push(Warning::StepInGround { frame, percent: 100.0 * height });
    }
    warnings
}
