//! From motions to clips of one character.

use super::character::Character;
use super::clip_args::{ClipArgs, Edited, edited};
use super::clip_report::clip_json;
use super::export::ExportArgs;
use super::footage::Footage;
use anyhow::{Context, Result};
use puppetry::Warning;
use puppetry::clip::{Clip, RootMotion, RootPath, bake};
use puppetry::math::Bounds;
use puppetry::math::atan2;
use puppetry::motion::Override;
use puppetry::retarget::{RetargetOptions, RetargetReport, Source, SourceOptions, figure_of, retarget};
use puppetry::skeleton::naming::Role;
use rayon::prelude::*;
use serde_json::{Value, json};

/// A motion on the character.
pub struct Take {
    pub clip: Clip,
    pub report: RetargetReport,
    /// What was measured, for the report of the run.
    pub measured: Value,
    /// The way that was taken from it, for clips on the spot.
    path: Option<RootPath>,
    /// Metres a second over the floor.
    pub speed: f64,
    /// The farthest that leaving out keys and rounding moves the surface, in metres.
    pub error: f64,
}

impl Take {
    /// What engines may want to know of a clip.
    pub fn extras(&self) -> Value {
        let digits = |number: f64, grain: f64| (number / grain).round() / (1.0 / grain).round();
        let mut extras = json!({
            "fps": digits(1.0 / self.clip.frame_seconds, 1e-3),
            "frames": self.clip.frames,
            "speed_meters_per_second": digits(self.speed, 1e-3),
            "foot_slide_percent_of_leg_per_second": self.measured["slide"]["character"]["percent_of_leg_per_second"],
        });
        if let Some(RootPath(path)) = &self.path {
            // Ten places a second are enough for a path that has no faster parts than one a second.
            let step = (0.1 / self.clip.frame_seconds).round().max(1.0) as usize;
            let place = |step: &nalgebra::Isometry3<f64>| {
                let (x, z) = (step.translation.x, step.translation.z);
                let yaw = 2.0 * atan2(step.rotation.j, step.rotation.w);
                json!([digits(x, 1e-4), digits(z, 1e-4), digits(yaw, 1e-4)])
            };
            extras["root_path"] = json!({
                "seconds": digits(step as f64 * self.clip.frame_seconds, 1e-6),
                "x_z_yaw": path.iter().step_by(step).map(place).collect::<Vec<_>>(),
            });
        }
        json!({ "puppetry": extras })
    }
}

/// Moves every motion onto the character, as far as that can be done. The order is that of the motions, whatever the number of
/// threads.
pub fn takes(
    character: &mut Character,
    footage: &[Footage],
    overrides: &[Override],
    args: &ClipArgs,
    export: &ExportArgs,
) -> Vec<Result<Take>> {
    let mut hips = figure_of(&character.rig).find(Role::Hips).unwrap_or(0);
    let mut root_motion = args.root_motion();
    if root_motion != RootMotion::Keep && !character.document.has_root() {
        root_motion = RootMotion::Keep;
        character.warnings.push(Warning::NoRoot);
    } else if root_motion != RootMotion::Keep && hips == 0 {
        character.document.add_root(&mut character.rig);
        character.reach.add_root();
        hips = 1;
    }
    let stage = Stage { character, hips, root_motion, overrides, args, export };
    footage.par_iter().map(|footage| stage.take(footage)).collect()
}

/// What all takes of a character have in common.
struct Stage<'a> {
    character: &'a Character,
    hips: usize,
    root_motion: RootMotion,
    overrides: &'a [Override],
    args: &'a ClipArgs,
    export: &'a ExportArgs,
}

impl Stage<'_> {
    fn take(&self, footage: &Footage) -> Result<Take> {
        let cannot = || format!("cannot move '{}' onto the character", footage.file.display());
        let rig = &self.character.rig;
        let Edited { motion, no_cycle } = edited(footage, self.args)?;
        let source = Source::of(&motion, &SourceOptions::default());
        let looping = self.args.looping && no_cycle.is_none();
        let options = RetargetOptions { looping, ..self.args.retarget_options() };
        let mut performance =
            retarget(rig, &motion, &source, self.overrides, &options).with_context(cannot)?;
        performance.report.warnings.extend(no_cycle);
        let mut poses = performance.poses;
        if !looping && motion.rest.is_some() {
            // The clip keeps the time of the rest pose and begins with its first pose twice. A cycle has no room for that.
            poses.insert(0, poses[0].clone());
        }
        let path = RootPath::of(rig, self.hips, performance.frame_seconds, &poses);
        match self.root_motion {
            RootMotion::Keep => {}
            RootMotion::Extract => path.extract(rig, self.hips, &mut poses),
            RootMotion::InPlace => path.remove(rig, self.hips, &mut poses),
        }
        let mut clip = bake(rig, &footage.name, performance.frame_seconds, &poses);
        if looping {
            clip.close();
        }
        let places = rig.joints.iter().map(|joint| joint.rest.translation.vector);
        let places: Vec<_> = places.chain(rig.tips.iter().map(|tip| tip.position)).collect();
        let height = Bounds::of(&places).extent().y;
        clip.reduce(&self.character.reach, self.export.key_error * height);
        if self.export.is_compact() {
            clip.quantize(rig, &self.character.document.turns_above(), &poses);
        }
        let error = self.character.reach.error(rig, &poses, &clip);
        Ok(Take {
            speed: path.speed(performance.frame_seconds),
            path: (self.root_motion == RootMotion::InPlace).then_some(path),
            measured: clip_json(&performance.report, rig, &source),
            report: performance.report,
            error,
            clip,
        })
    }
}

/// Gives every clip a name that all engines take, and that no other animation has.
pub fn name_clips(footage: &mut [Footage], mut taken: Vec<String>) {
    for footage in footage {
        let clean = clean_name(&footage.name);
        let mut name = clean.clone();
        let mut reason = "engines take letters, digits and _ only";
        for number in 2.. {
            if !taken.contains(&name) {
                break;
            }
            reason = "another clip has that name";
            name = format!("{clean}_{number}");
        }
        if name != footage.name {
            let from = std::mem::replace(&mut footage.name, name.clone());
            footage.warnings.push(Warning::ClipRenamed { from, to: name.clone(), reason });
        }
        taken.push(name);
    }
}

/// Letters, digits and underscores; runs of anything else become one underscore.
fn clean_name(name: &str) -> String {
    let mut clean = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            clean.push(letter);
        } else if !clean.ends_with('_') {
            clean.push('_');
        }
    }
    let clean = clean.trim_matches('_');
    if clean.is_empty() { "clip".to_owned() } else { clean.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_digits_and_underscores() {
        for (name, clean) in
            [("walk_01", "walk_01"), ("walk (fast).v2", "walk_fast_v2"), ("…", "clip"), ("läuft", "l_uft")]
        {
            assert_eq!(clean_name(name), clean);
        }
    }
}
