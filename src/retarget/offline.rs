//! A whole motion on a character: every frame is pushed through the online retargeter, which is told beforehand at what
//! height the source's feet stand and which way it faces at first.

use super::contact_height::ContactHeights;
use super::feet_in_air::FeetInAir;
use super::fingers::{FingerCount, Fingers};
use super::found_helpers::is_own_piece;
use super::in_place::in_place_velocity;
use super::joint_map::{JointMap, NoSuchJoint, map_joints};
use super::metrics::stances::Stance;
use super::metrics::{Comparison, Measurement, Metrics, SLIDES, Slide};
use super::reference::Source;
use super::rest_alignment::rest_alignment;
use super::retargeter::{Advance, Heading, RetargetOptions, Retargeter};
use super::separate_feet::FeetApart;
use super::target::Target;
use crate::math::{Bounds, Vec3};
use crate::motion::{JointMapOverride, Motion, Pose, with_path};
use crate::rig::Rig;
use crate::{Remedy, Warning};
use std::collections::BTreeSet;
use thiserror::Error;

/// A motion on a character.
#[derive(Debug, Clone)]
pub struct RetargetedMotion {
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
    /// What the fingers of the character do; `None` if it has none.
    pub fingers: Option<FingerCount>,
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
    #[error("no joint of the motion could be matched to one of the character; {}", Remedy::JointMap)]
    NothingMapped,
    /// There is nothing to show.
    #[error("the motion has no frames")]
    NoFrames,
    /// It has no size that could be compared with the character's.
    #[error("all joints of the motion are in one place; export it with the lengths of its bones")]
    NoSize,
}

impl RetargetError {
    /// What would help, if anything that the caller can choose would.
    pub fn remedy(&self) -> Option<Remedy> {
        (*self == RetargetError::NothingMapped).then_some(Remedy::JointMap)
    }
}

/// Moves a motion onto a character.
///
/// # Errors
/// If the motion has no frames or no size, if no joint can be matched, or if `overrides` name joints that do not exist.
pub fn retarget(
    target: &Target,
    motion: &Motion,
    source: &Source,
    overrides: &[JointMapOverride],
    options: &RetargetOptions,
) -> Result<RetargetedMotion, RetargetError> {
    if motion.frames == 0 {
        return Err(RetargetError::NoFrames);
    }
    if !(source.figure.leg_length() > 0.0) {
        return Err(RetargetError::NoSize);
    }
    let (rig, hips) = (&target.rig, target.hips);
    // A root above the hips stays where it is.
    let movable: Vec<usize> = target.tree.subtree(hips).collect();
    let mut map = map_joints(&target.figure, &source.figure);
    map.apply(overrides, &target.figure, &source.figure)?;
    if map.matches.iter().all(Option::is_none) {
        return Err(RetargetError::NothingMapped);
    }
    // In place no foot is ever still: the figure is moved over ground that is, and back again.
    let velocity = in_place_velocity(motion, source);
    let carried = velocity.map(|velocity| with_path(motion, &velocity));
    let moving = Measurement { target, motion: carried.as_ref().unwrap_or(motion), source, map: &map };
    let (mut poses, path) = poses(&moving, options, velocity);
    let stands = map.legs.iter().any(|leg| target.legs.iter().any(|ours| ours.key == leg.target));
    if !stands {
        // No foot says where the ground is: the body begins as high as it was bound.
        let lift = rig.joints[hips].rest.translation.y - poses[0].positions[hips].y;
        poses.iter_mut().for_each(|pose| move_joints(pose, &movable, &(Vec3::y() * lift)));
    }
    let copy = (options.compare && options.foot_lock && stands)
        .then(|| self::poses(&moving, &RetargetOptions { foot_lock: false, ..*options }, velocity).0);
    let copy = options.compare.then(|| copy.as_deref().unwrap_or(&poses));
    let (metrics, comparison) = moving.take(&poses, copy);
    let origin = if options.heading == Heading::Forward { stands_at(rig, hips) } else { Vec3::zeros() };
    for (frame, pose) in poses.iter_mut().enumerate() {
        let back = path * motion.time(frame) - origin;
        move_joints(pose, &movable, &-back);
    }
    let helpers = target.helpers(&map);
    match options.looping && poses.len() > 2 {
        true => helpers.drive_cycle(&mut poses),
        false => helpers.drive_clip(&mut poses),
    }
    let stride = helpful_stride(&moving, &metrics, options, velocity);
    let mut warnings = warnings(source, motion.frames, &metrics, options, stride);
    let deep = metrics.body_depth.filter(|body| options.foot_lock && stands && body.depth > IN_GROUND);
    warnings.extend(deep.map(|body| Warning::BodyInGround {
        joint: rig.joints[body.joint].name.clone(),
        frame: body.frame,
        percent: percent(body.depth),
    }));
    let overlap = metrics.body_overlap.filter(|overlap| options.collide && overlap.share > OVERLAPS);
    warnings.extend(overlap.map(|overlap| Warning::BodyInBody {
        arm: rig.joints[overlap.arm].name.clone(),
        body: rig.joints[overlap.body].name.clone(),
        frame: overlap.frame,
        depth: percent(overlap.depth),
        share: percent(overlap.share),
    }));
    warnings.extend(FeetInAir::of(motion, source).map(|feet| Warning::FeetInAir {
        frame: motion.number(feet.frame),
        count: feet.count,
        percent: percent(feet.height),
    }));
    warnings.extend(FeetApart::of(motion, source).map(|feet| Warning::SeparateFeet {
        frame: motion.number(feet.frame),
        count: feet.count,
        percent: percent(feet.distance),
    }));
    let fingers = finger_count(target, source, &map);
    let follows: BTreeSet<usize> =
        rig.helpers.iter().filter(|helper| !is_own_piece(helper)).map(|helper| helper.joint).collect();
    map.unmatched_targets.retain(|joint| !follows.contains(joint));
    let report = RetargetReport { map, metrics, comparison, fingers, warnings };
    Ok(RetargetedMotion { frame_seconds: motion.frame_seconds, poses, report })
}

/// What the fingers of the character do.
fn finger_count(target: &Target, source: &Source, map: &JointMap) -> Option<FingerCount> {
    let alignment = rest_alignment(&target.figure, &source.figure, source.kind, map);
    Fingers::of(target, source, map, &alignment).count(target)
}

fn move_joints(pose: &mut Pose, joints: &[usize], by: &Vec3) {
    joints.iter().for_each(|&joint| pose.positions[joint] += by);
}

/// Where a character stands in its scene, along the ground: the origin, if that is anywhere below it.
fn stands_at(rig: &Rig, hips: usize) -> Vec3 {
    let positions: Vec<Vec3> = rig.joints[hips..].iter().map(|joint| joint.rest.translation.vector).collect();
    let Bounds { min, max } = Bounds::of(&positions);
    let is_below = [0, 2].into_iter().all(|axis| min[axis] <= 0.0 && max[axis] >= 0.0);
    if is_below { Vec3::zeros() } else { Vec3::new(positions[0].x, 0.0, positions[0].z) }
}

/// A pose of the rig for each frame, and a velocity of the source as one of the character.
fn poses(of: &Measurement, options: &RetargetOptions, velocity: Option<Vec3>) -> (Vec<Pose>, Vec3) {
    let Measurement { target, motion, source, map } = *of;
    let contact_heights = |leg| ContactHeights::of_motion(motion, source, leg);
    let mut retargeter =
        Retargeter::new(target.clone(), source, map, contact_heights, motion.frame_seconds, options);
    let frames: Vec<Pose> = (0..motion.frames).map(|frame| motion.pose(frame)).collect();
    let second = ((1.0 / motion.frame_seconds).round() as usize).clamp(1, frames.len());
    // The whole clip is driven when it is there; a bone's own piece, which is turned itself, only then.
    retargeter.leave_own_pieces();
    retargeter.begin(&frames[..second]);
    let poses = if options.looping && frames.len() > 2 {
        cycle(&mut retargeter, frames)
    } else {
        push_all(&mut retargeter, frames.iter())
    };
    (poses, velocity.map_or(Vec3::zeros(), |velocity| retargeter.scaled(&velocity)))
}

fn push_all<'a>(retargeter: &mut Retargeter, frames: impl Iterator<Item = &'a Pose>) -> Vec<Pose> {
    let mut poses: Vec<Pose> = Vec::new();
    for frame in frames {
        poses.extend(retargeter.push(frame).cloned());
    }
    while let Some(pose) = retargeter.finish() {
        poses.push(pose.clone());
    }
    poses
}

/// The poses of a motion whose last frame is its first one again: played three times over, the second time begins and ends as
/// every time does.
fn cycle(retargeter: &mut Retargeter, mut frames: Vec<Pose>) -> Vec<Pose> {
    let advance = Advance::between(&frames[0], &frames[frames.len() - 1]);
    frames.pop();
    let count = frames.len();
    for frame in 0..2 * count {
        frames.push(advance.applied(&frames[frame], 0..frames[frame].positions.len()));
    }
    let mut poses = push_all(retargeter, frames.iter());
    let (advance, carried) = (retargeter.advance(&advance), retargeter.carried_joints());
    let back = advance.inverse();
    poses.drain(..count);
    poses.truncate(count);
    for pose in &mut poses {
        *pose = back.applied(pose, carried.iter().copied());
    }
    poses.push(advance.applied(&poses[0], carried.into_iter()));
    poses
}

/// A rotation in radians or a distance, in any unit, that is nothing but rounding.
const STAYS: f64 = 1e-9;

impl Advance {
    /// From a pose to the same pose elsewhere.
    fn between(from: &Pose, to: &Pose) -> Advance {
        let rotation = to.rotations[0] * from.rotations[0].inverse();
        Advance { rotation, translation: to.positions[0] - rotation * from.positions[0] }
    }

    fn inverse(&self) -> Advance {
        let rotation = self.rotation.inverse();
        Advance { rotation, translation: rotation * -self.translation }
    }

    /// The pose with some joints as far along. A body that does not turn, or stays where it is, does so to the last bit.
    fn applied(&self, pose: &Pose, joints: impl Iterator<Item = usize>) -> Pose {
        let mut pose = pose.clone();
        for joint in joints {
            if self.rotation.angle() >= STAYS {
                pose.positions[joint] = self.rotation * pose.positions[joint];
                pose.rotations[joint] = self.rotation * pose.rotations[joint];
            }
            if self.translation.norm() >= STAYS {
                pose.positions[joint] += self.translation;
            }
        }
        pose
    }
}

/// Strides that are tried, in parts of the one that was asked for.
const SHORTER: [f64; 2] = [0.9, 0.75];
/// Part of what is wrong that may be left if shorter steps are to help.
const LEFT: f64 = 0.7;

/// The shorter stride with which feet stand on the ground and do not slide, or do so clearly less; `None` if nothing is wrong, or
/// none helps.
fn helpful_stride(
    of: &Measurement,
    metrics: &Metrics,
    options: &RetargetOptions,
    velocity: Option<Vec3>,
) -> Option<f64> {
    let is_out_of_reach = is_out_of_reach(metrics, of.motion.frames);
    if !options.foot_lock || !(is_out_of_reach || slides(metrics)) {
        return None;
    }
    let mut strides = SHORTER.iter().map(|part| part * options.stride);
    strides.find(|&stride| {
        let shorter = of.take(&poses(of, &RetargetOptions { stride, ..*options }, velocity).0, None).0;
        let [high, slide] =
            [(shorter.reach_shortfall, metrics.reach_shortfall), (shorter.slide.mean, metrics.slide.mean)]
                .map(|(after, before)| after <= LEFT * before);
        (!is_out_of_reach || high) && (!slides(metrics) || slide)
    })
}

/// Feet that hang higher than this, in leg lengths, are seen in a single frame; half as high nobody sees them.
const SEEN_AT_ONCE: f64 = 0.03;
/// Lower ones are seen if they hang in more than this part of the frames; with 0 each long step of a long motion is told.
const SEEN_OFTEN: f64 = 0.01;

/// Whether feet that should stand hang above the ground so that one sees it, in a motion of so many frames.
fn is_out_of_reach(metrics: &Metrics, frames: usize) -> bool {
    is_seen(metrics.out_of_reach.len(), metrics.reach_shortfall, frames)
}

/// Whether one sees feet that hang in some of the frames, and at most so high, in leg lengths.
fn is_seen(count: usize, height: f64, frames: usize) -> bool {
    count > 0 && (height > SEEN_AT_ONCE || count as f64 > SEEN_OFTEN * frames as f64)
}

fn slides(metrics: &Metrics) -> bool {
    metrics.slide.mean > SLIDES
}

/// What is deeper in the ground than this, in leg lengths, is seen to be: a hundredth of the height.
const IN_GROUND: f64 = 0.02;
/// A person should know of arms that are in the body in more than this part of the frames. At a hundredth each clip in which a fast
/// hand passes a belly is told.
const OVERLAPS: f64 = 0.05;
/// A foot that moves farther from the middle of its stance than this, in leg lengths, slides on purpose.
const SLIDING: f64 = 0.12;

fn warnings(
    source: &Source,
    frames: usize,
    metrics: &Metrics,
    options: &RetargetOptions,
    stride: Option<f64>,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if source.is_mirrored {
        warnings.push(Warning::SidesSwapped);
    }
    if metrics.feet.is_empty() {
        warnings.push(Warning::NoLegs);
    }
    if options.foot_lock {
        let first = metrics.out_of_reach.first().filter(|_| is_out_of_reach(metrics, frames));
        warnings.extend(first.map(|&frame| Warning::OutOfReach {
            frame,
            count: metrics.out_of_reach.len(),
            percent: percent(metrics.reach_shortfall),
            stride,
        }));
        let Slide { mean, worst: frame, .. } = metrics.slide;
        if slides(metrics) {
            warnings.push(Warning::FeetSlide { frame, percent: percent(mean), stride });
        }
    }
    let sliding: Vec<&Stance> = metrics.stances().filter(|stance| stance.drift > SLIDING).collect();
    if let Some(worst) = sliding.iter().max_by(|a, b| a.drift.total_cmp(&b.drift)) {
        let (frame, count) = (worst.frames.start, sliding.len());
        warnings.push(Warning::SourceSlides { frame, count, percent: percent(worst.drift) });
    }
    if let Some((frame, height)) = metrics.highest_step() {
        warnings.push(Warning::StepInGround { frame, percent: percent(height) });
    }
    warnings
}

fn percent(part: f64) -> f64 {
    const PERCENT: f64 = 100.0;
    PERCENT * part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foot_that_hangs_a_little_in_one_frame_is_not_seen() {
        for (count, height, frames, expected) in [
            (0, 0.0, 300, false),
            (1, 0.01, 300, false),
            (1, 0.05, 300, true),
            (10, 0.01, 300, true),
            (1, 0.01, 30, true),
        ] {
            assert_eq!(is_seen(count, height, frames), expected, "{count} of {frames}, {height}");
        }
    }
}
