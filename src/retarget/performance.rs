//! A whole motion on a character: baking is pushing everything through the online retargeter.

use super::figure::Figure;
use super::footing::Footing;
use super::joint_map::{JointMap, NoSuchJoint, map_joints};
use super::metrics::{Metrics, measure};
use super::reference::Source;
use super::retargeter::{RetargetOptions, Retargeter};
use super::target::Target;
use crate::Warning;
use crate::motion::{Motion, Override, Pose};
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
    /// How well the character does what the source does.
    pub metrics: Metrics,
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
}

/// Moves a motion onto a rig.
///
/// # Errors
/// If the motion has no frames, if no joint can be matched, or if `overrides` name joints that do not exist.
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
    let figure: Figure = Target::of(rig).figure;
    let mut map = map_joints(&figure, &source.figure);
    map.apply(overrides, &figure, &source.figure)?;
    if map.matches.iter().all(Option::is_none) {
        return Err(RetargetError::NothingMapped);
    }
    let poses = poses(rig, motion, source, &map, options);
    let metrics = if options.foot_lock {
        // What it would look like without planted feet.
        let copy = self::poses(rig, motion, source, &map, &RetargetOptions { foot_lock: false, ..*options });
        measure(rig, motion, source, &map, &poses, &copy)
    } else {
        measure(rig, motion, source, &map, &poses, &poses)
    };
    let warnings = warnings(source, &map, &metrics);
    let report = RetargetReport { map, metrics, warnings };
    Ok(Performance { frame_seconds: motion.frame_seconds, poses, report })
}

/// A pose of the rig for each frame.
fn poses(
    rig: &Rig,
    motion: &Motion,
    source: &Source,
    map: &JointMap,
    options: &RetargetOptions,
) -> Vec<Pose> {
    let footing = |leg| Footing::of_motion(motion, source, leg);
    let mut retargeter = Retargeter::new(rig, source, map, footing, motion.frame_seconds, options);
    let mut poses: Vec<Pose> = Vec::with_capacity(motion.frames);
    // A rest pose in front of the motion is no motion; it keeps its time.
    let first = usize::from(source.has_rest_frame && motion.frames > 1);
    let mut pose = motion.pose(first);
    for frame in first..motion.frames {
        motion.pose_into(frame, &mut pose);
        poses.extend(retargeter.push(&pose).cloned());
    }
    while let Some(pose) = retargeter.finish() {
        poses.push(pose.clone());
    }
    if first == 1 {
        poses.insert(0, poses[0].clone());
    }
    poses
}

/// A foot that moves farther from the middle of its stance than this, in leg lengths, slides on purpose.
const SLIDING: f64 = 0.12;

fn warnings(source: &Source, map: &JointMap, metrics: &Metrics) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if source.is_mirrored {
        warnings.push(Warning::SidesSwapped);
    }
    if map.legs.is_empty() {
        warnings.push(Warning::NoLegs);
    }
    if let Some(&frame) = metrics.out_of_reach.first() {
        let (count, percent) = (metrics.out_of_reach.len(), 100.0 * metrics.reach_shortfall);
        warnings.push(Warning::OutOfReach { frame, count, percent });
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
