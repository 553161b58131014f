//! From a motion to a clip of a character: edit, retarget, bake, reduce.

use super::figure::listed;
use super::report::round;
use super::{Character, ClipReport, Error};
use crate::Warning;
use crate::clip::{Clip, Playback, RootMotion, RootPath, bake};
use crate::math::atan2;
use crate::motion::{
    JointMapOverride, Motion, Pose, close_loop, exchange_sides, find_cycle, mirror, resample, trim,
};
use crate::retarget::contacts::{ContactOptions, detect, states};
use crate::retarget::{
    RetargetOptions, RetargetReport, Source, SourceOptions, Target, retarget, without_twist_jumps,
};
use rayon::prelude::*;
use serde_json::{Value, json};

/// Choices of [`animate`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClipOptions {
    /// Leave out what comes before, in seconds.
    pub start: Option<f64>,
    /// Leave out what comes after, in seconds.
    pub end: Option<f64>,
    /// Keys a second; `None` keeps the rate of the motion.
    pub fps: Option<f64>,
    /// Exchange left and right.
    pub mirror: bool,
    /// Find the cycle of the motion and close it.
    pub looping: bool,
    /// Which joint carries the path over the floor.
    pub root_motion: RootMotion,
    /// How the motion is moved onto the character.
    pub retarget: RetargetOptions,
    /// Joints that are mapped as the user says.
    pub overrides: Vec<JointMapOverride>,
    /// Motions of people are moved onto animals, and those of animals onto people.
    pub any_body: bool,
    /// Keys are left out as long as nothing moves by more than this part of the height; 0 keeps all.
    pub key_error: f64,
    /// What is written in fewer bits.
    pub compact: Option<Compact>,
}

impl Default for ClipOptions {
    fn default() -> ClipOptions {
        ClipOptions {
            start: None,
            end: None,
            fps: None,
            mirror: false,
            looping: false,
            root_motion: RootMotion::Keep,
            retarget: RetargetOptions::default(),
            overrides: Vec::new(),
            any_body: false,
            key_error: KEY_ERROR,
            compact: None,
        }
    }
}

/// A fiftieth of a millimetre on a person. At 1e-4 fingertips jitter visibly in close-ups; below 1e-5 files grow by half.
const KEY_ERROR: f64 = 2e-5;

/// What is written in fewer bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compact {
    /// Rotations are 16-bit numbers.
    Keys,
    /// Also normals and texture coordinates, by `KHR_mesh_quantization`.
    Mesh,
}

/// A motion on a character.
pub struct Animated {
    /// The clip.
    pub clip: Clip,
    /// The joints of the rig in each frame, before keys were left out.
    pub poses: Vec<Pose>,
    /// What was done and how well.
    pub retargeted: RetargetReport,
    /// The same for a report.
    pub report: ClipReport,
    /// Who moves in the motion, and how it stands at rest.
    pub source: Source,
    /// The motion as the options want it.
    pub motion: Motion,
    /// Metres a second over the floor.
    pub speed: f64,
    /// The farthest that leaving out keys and rounding moves the surface, in metres.
    pub key_error: f64,
    /// The path that was taken from it, for clips on the spot.
    path: Option<RootPath>,
}

impl Animated {
    /// Leg lengths a second over the floor: the same for each size of a character.
    pub fn legs_a_second(&self) -> f64 {
        let leg = self.retargeted.metrics.leg_length;
        if leg > 0.0 { self.speed / leg } else { 0.0 }
    }

    /// What engines may want to know of the clip: `extras` of its animation.
    pub fn extras(&self) -> Value {
        let mut extras = json!({
            "fps": round(1.0 / self.clip.frame_seconds, 3),
            "frames": self.clip.frames,
            "speed_meters_per_second": round(self.speed, 3),
            "foot_slide_percent_of_leg_per_second": self.report.slide.character.percent_of_leg_per_second,
        });
        if let Some(RootPath(path)) = &self.path {
            // Ten places a second are enough for a path that has no faster parts than one a second.
            let step = (0.1 / self.clip.frame_seconds).round().max(1.0) as usize;
            let places: Vec<Value> = path.iter().step_by(step).map(x_z_yaw).collect();
            extras["root_path"] =
                json!({ "seconds": round(step as f64 * self.clip.frame_seconds, 6), "x_z_yaw": places });
        }
        json!({ "puppetry": extras })
    }
}

fn x_z_yaw(step: &nalgebra::Isometry3<f64>) -> Value {
    let (x, z) = (step.translation.x, step.translation.z);
    let yaw = 2.0 * atan2(step.rotation.j, step.rotation.w);
    json!([round(x, 4), round(z, 4), round(yaw, 4)])
}

/// A character that goes farther than this part of its height leaves its props.
const LEAVES: f64 = 0.5;

/// Says so if the character leaves props of its file behind.
fn left_props(character: &Character, hips: usize, poses: &[Pose]) -> Option<Warning> {
    let names = character.document.props();
    if names.is_empty() {
        return None;
    }
    let from = character.rig.joints[hips].rest.translation.vector;
    let distances = poses.iter().map(|pose| (pose.positions[hips] - from).xz().norm());
    let meters = distances.fold(0.0, f64::max);
    (meters > LEAVES * character.height()).then(|| Warning::LeavesProps { names: listed(names), meters })
}

/// Moves every motion onto the character, in their order whatever the number of threads. Each may fail by itself.
pub fn animate_all<'m>(
    character: &Character,
    motions: impl IndexedParallelIterator<Item = (&'m str, &'m Motion)>,
    options: &ClipOptions,
) -> Vec<Result<Animated, Error>> {
    let target = Target::of(&character.rig);
    motions.map(|(name, motion)| animate_target(character, &target, name, motion, options)).collect()
}

/// Moves a motion onto a character. A root that should carry the path must be there: [`Character::ensure_root`].
///
/// # Errors
/// If nothing of the motion is left, or it has no joint in common with the character.
pub fn animate(
    character: &Character,
    name: &str,
    motion: &Motion,
    options: &ClipOptions,
) -> Result<Animated, Error> {
    animate_target(character, &Target::of(&character.rig), name, motion, options)
}

/// As [`animate`], with the target that is the same for all motions of a character.
fn animate_target(
    character: &Character,
    target: &Target,
    name: &str,
    motion: &Motion,
    options: &ClipOptions,
) -> Result<Animated, Error> {
    let (rig, hips) = (&character.rig, target.hips());
    let (motion, repairs, no_cycle) = edited(motion, options)?;
    let source = Source::of(&motion, &SourceOptions::default());
    check_body(&source, target, options)?;
    let looping = options.looping && no_cycle.is_none();
    let retarget_options = RetargetOptions { looping, ..options.retarget };
    let mut retargeted = retarget(target, &motion, &source, &options.overrides, &retarget_options)?;
    retargeted.report.warnings.splice(0..0, repairs);
    retargeted.report.warnings.extend(no_cycle);
    let mut poses = retargeted.poses;
    if !looping && motion.rest.is_some() {
        // The clip keeps the time of the rest pose and begins with its first pose twice. A cycle has no room for that.
        poses.insert(0, poses[0].clone());
    }
    let frame_seconds = retargeted.frame_seconds;
    let playback = if looping { Playback::Loop } else { Playback::Once };
    let path = RootPath::of(rig, hips, frame_seconds, &poses, playback);
    if options.root_motion != RootMotion::InPlace {
        retargeted.report.warnings.extend(left_props(character, hips, &poses));
    }
    match options.root_motion {
        RootMotion::Keep => {}
        RootMotion::Extract => path.extract(rig, hips, &mut poses),
        RootMotion::InPlace => path.remove(rig, hips, &mut poses),
    }
    let mut clip = bake(rig, name, frame_seconds, &poses);
    if looping {
        clip.close();
    }
    clip.reduce(&character.extent, options.key_error * character.height());
    let file_axes = character.document.rotations_above();
    match options.compact {
        Some(_) => clip.quantize(rig, &file_axes, &poses),
        None => clip.quantize_some(&file_axes),
    }
    Ok(Animated {
        speed: path.speed(frame_seconds),
        path: (options.root_motion == RootMotion::InPlace).then_some(path),
        key_error: character.extent.error(rig, &poses, &clip),
        report: ClipReport::of(&retargeted.report, rig, &source),
        retargeted: retargeted.report,
        source,
        motion,
        poses,
        clip,
    })
}

/// Refuses a motion of people for an animal and the other way round, unless the caller says that it fits or what moves what.
fn check_body(source: &Source, target: &Target, options: &ClipOptions) -> Result<(), Error> {
    match (source.figure.body(), target.body()) {
        (Some(motion), Some(character))
            if motion != character && !options.any_body && options.overrides.is_empty() =>
        {
            Err(Error::OtherBody { motion, character })
        }
        _ => Ok(()),
    }
}

/// The motion as the options want it: repaired, cut, resampled, mirrored, closed, in this order; also what was repaired, and why it is
/// not closed although it should be.
fn edited(motion: &Motion, options: &ClipOptions) -> Result<(Motion, Vec<Warning>, Option<Warning>), Error> {
    let mut motion = motion.clone();
    let mut repairs = Vec::new();
    // Of the whole file, so that frames have its numbers. Resampled leaps are steep slopes, which are no leaps.
    if let Some((mended, found)) = without_twist_jumps(&motion) {
        (motion, repairs) = (mended, found);
    }
    if options.start.is_some() || options.end.is_some() {
        let (start, end) = (options.start.unwrap_or(0.0), options.end.unwrap_or(f64::INFINITY));
        if start >= end {
            return Err(Error::Range { start, end });
        }
        let seconds = motion.seconds();
        if start > seconds {
            return Err(Error::StartsTooLate { start, seconds });
        }
        motion = trim(&motion, start, end);
    }
    if let Some(fps) = options.fps {
        motion = resample(&motion, fps);
    }
    if options.mirror {
        let source = Source::of(&motion, &SourceOptions::default());
        let (partners, left) = (&source.figure.partners, source.left());
        // What is named the wrong way round is put right; its mirror image would be as wrong.
        motion = match source.is_mirrored {
            true => exchange_sides(&motion, partners),
            false => mirror(&motion, partners, &left),
        };
    }
    if !options.looping {
        return Ok((motion, repairs, None));
    }
    let source = Source::of(&motion, &SourceOptions::default());
    let contacts = detect(&motion, &source, &ContactOptions::default());
    let up = source.up.vector();
    match find_cycle(&motion, &up, &states(&contacts)) {
        Ok(cycle) => Ok((close_loop(&motion, &cycle, &up), repairs, None)),
        Err(reason) => Ok((motion, repairs, Some(Warning::NoCycle { reason: reason.to_string() }))),
    }
}
