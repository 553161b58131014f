//! The part that `animate` and `retarget` have in common: motions onto characters, and files from that.

use super::clip_args::{ClipArgs, MotionArgs};
use super::export::{ExportArgs, files};
use super::output::Output;
use super::save;
use crate::Warning;
use crate::io::json_text;
use crate::pipeline::{
    Animated, Character, ClipEntry, ClipOptions, InputMotion, Laps, LeftOut, LeftOutMotion, OutputFile,
    Progress, RigReport, Rigged, RunReport, WarningReport, WrittenFile, animate_all, find_motions,
    name_clips,
};
use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde_json::json;
use std::path::{Path, PathBuf};

/// A character, and what is known of how it came to its skin.
pub struct Cast {
    pub character: Character,
    /// How it was rigged, if that was done here.
    pub rigging: Option<RigReport>,
    /// The skeleton and the weights as Pinocchio writes them, if it was rigged here.
    pub pinocchio: Option<[String; 2]>,
    pub warnings: Vec<Warning>,
    pub laps: Laps,
}

impl Cast {
    /// A character that was rigged just now.
    pub fn of_rigged(mut rigged: Rigged, report: RigReport, laps: Laps) -> Cast {
        let pinocchio = Some(rigged.pinocchio());
        let warnings = std::mem::take(&mut rigged.jointed.warnings);
        Cast { character: rigged.character, rigging: Some(report), pinocchio, warnings, laps }
    }
}

/// A run over one or more characters.
pub struct Run<'a> {
    pub command: &'static str,
    pub files: &'a [PathBuf],
    pub export: &'a ExportArgs,
    pub motions: &'a MotionArgs,
    pub clips: &'a ClipArgs,
    pub report: Option<&'a Path>,
}

impl Run<'_> {
    /// Moves the motions onto one character after the other. One that cannot be done does not stop the others.
    pub fn all(
        &self,
        output: &mut Output,
        mut character: impl FnMut(&Path, &Output) -> Result<Cast>,
    ) -> Result<()> {
        let paths = self.paths()?;
        let mut options = self.clips.options()?;
        options.retarget.compare = self.report.is_some();
        self.export.complete(&mut options);
        output.start(self.files.len());
        output.begin("reading motions", 0.0);
        let (motions, unreadable) = find_motions(&self.motions.motions, &self.motions.clip_names)?;
        for (file, warning) in &unreadable {
            output.warnings(file, std::slice::from_ref(warning));
        }
        let mut reports = Vec::new();
        for (file, paths) in self.files.iter().zip(&paths) {
            let done = character(file, output)
                .and_then(|cast| self.one(file, paths, cast, &motions, &options, output));
            match done {
                Ok(mut report) => {
                    report.motions_left_out.splice(0..0, left_out_report(&unreadable));
                    reports.push(report);
                }
                Err(error) if self.files.len() > 1 => output.failure(&error),
                Err(error) => return Err(error),
            }
            output.finish_character();
        }
        match self.report {
            Some(path) => save::save_all(&[(path.to_owned(), report_text(&reports)?.into_bytes())]),
            None => Ok(()),
        }
    }

    /// The outputs of each character.
    fn paths(&self) -> Result<Vec<Vec<PathBuf>>> {
        let mut paths: Vec<Vec<PathBuf>> = Vec::new();
        for file in self.files {
            let own = self.export.paths(file, self.files.len())?;
            if let Some(twice) = own.iter().find(|path| paths.iter().flatten().any(|other| other == *path)) {
                bail!("two characters would be written to '{}'; rename one of them", twice.display());
            }
            paths.push(own);
        }
        Ok(paths)
    }

    /// Moves all motions onto a character and writes its files; returns what there is to tell.
    fn one(
        &self,
        file: &Path,
        paths: &[PathBuf],
        mut cast: Cast,
        motions: &[InputMotion],
        options: &ClipOptions,
        output: &mut Output,
    ) -> Result<RunReport> {
        let mut laps = cast.laps.clone();
        laps.restart();
        let mut motions = motions.to_vec();
        name_clips(&mut motions, cast.character.document.animation_names());
        output.begin("moving", 0.7);
        let moved = self.move_all(file, &mut cast, motions, options)?;
        laps.lap("move");
        output.begin("writing", 0.9);
        let mut export_options = self.export.options();
        export_options.provenance = cast.rigging.clone();
        export_options.pinocchio = cast.pinocchio.take();
        let files = files(paths, &cast.character, &moved.clips, &export_options)?;
        save::save_outputs(&files)?;
        laps.lap("write");

        output.summary(text(file, &cast.character, &moved.clips, &files).trim_end())?;
        for (name, seconds) in &laps.seconds {
            output.detail(format_args!("  {:<14}{name} {:.0} ms", "time", 1000.0 * seconds))?;
        }
        output.warnings(file, &cast.warnings);
        for (file, warning) in &moved.left_out {
            output.warnings(file, std::slice::from_ref(warning));
        }
        for (motion, animated) in moved.motions.iter().zip(&moved.clips) {
            output.warnings(&motion.file, &motion.warnings);
            output.warnings(&motion.file, &animated.retargeted.warnings);
        }
        let mut report = RunReport::of(self.command, file, &cast.character);
        if self.report.is_some() {
            let clips = moved.clips.iter().zip(&moved.motions);
            report.outputs = files.iter().map(WrittenFile::of).collect();
            report.rig = cast.rigging;
            report.clips = clips.map(|(clip, motion)| ClipEntry::of(clip, motion)).collect();
            report.motions_left_out = left_out_report(&moved.left_out);
            report.warnings = cast.warnings.iter().map(WarningReport::from).collect();
            report.set_seconds(&laps.seconds);
        }
        Ok(report)
    }

    /// Moves all motions onto a character. One that was found in a folder and cannot be moved is left out, as one is that cannot be
    /// read; one that was named must do.
    fn move_all(
        &self,
        file: &Path,
        cast: &mut Cast,
        motions: Vec<InputMotion>,
        options: &ClipOptions,
    ) -> Result<Moved> {
        let mut options = options.clone();
        if self.export.verify {
            cast.character.measure_whole_surface();
        }
        if !cast.character.ensure_root(options.root_motion) {
            options.root_motion = Default::default();
            cast.warnings.push(Warning::NoRoot);
        }
        let named = motions.par_iter().map(|motion| (motion.name.as_str(), &motion.motion));
        let tried = animate_all(&cast.character, named, &options);
        let mut moved = Moved { motions: Vec::new(), clips: Vec::new(), left_out: Vec::new() };
        for (motion, animated) in motions.into_iter().zip(tried) {
            match animated {
                Ok(animated) => {
                    moved.motions.push(motion);
                    moved.clips.push(animated);
                }
                Err(error) if motion.is_found => {
                    let reason = error.to_string();
                    moved.left_out.push((motion.file, Warning::MotionLeftOut { reason }));
                }
                Err(error) => {
                    let motion = motion.file.display();
                    return Err(error).with_context(|| format!("cannot move '{motion}' onto the character"));
                }
            }
        }
        if moved.clips.is_empty() {
            let first = moved.left_out.first();
            let first = first.map_or(String::new(), |(path, why)| format!("; '{}': {why}", path.display()));
            bail!("none of the motions can be moved onto '{}'{first}", file.display());
        }
        Ok(moved)
    }
}

/// Motions that became clips, and those that did not.
struct Moved {
    motions: Vec<InputMotion>,
    clips: Vec<Animated>,
    left_out: LeftOut,
}

fn left_out_report(left_out: &LeftOut) -> Vec<LeftOutMotion> {
    let entries = left_out.iter();
    entries
        .map(|(path, why)| LeftOutMotion { file: path.to_string_lossy().into_owned(), text: why.to_string() })
        .collect()
}

/// A report of one run over one or more characters.
fn report_text(reports: &[RunReport]) -> Result<String> {
    let report = match reports {
        [report] => serde_json::to_value(report),
        reports => serde_json::to_value(reports)
            .map(|reports| json!({ "puppetry_report": 1, "characters": reports })),
    };
    Ok(json_text::lines(&report.context("cannot write the report")?, 2))
}

/// A few lines.
fn text(file: &Path, character: &Character, clips: &[Animated], files: &[OutputFile]) -> String {
    /// Clips that are listed one by one.
    const LISTED: usize = 12;
    let mut text = format!("{}\n", file.display());
    let mut line = |heading: &str, content: String| text.push_str(&format!("  {heading:<14}{content}\n"));
    line("joints", format!("{}, {} soles", character.rig.joints.len(), character.rig.soles.len()));
    for animated in clips.iter().take(LISTED) {
        let (_, bytes) = animated.clip.bytes();
        line(
            "clip",
            format!(
                "{}: {:.2} s at {:.0} fps, {:.2} m/s, {} KB",
                animated.clip.name,
                animated.clip.seconds(),
                1.0 / animated.clip.frame_seconds,
                animated.speed,
                bytes.div_ceil(1000)
            ),
        );
    }
    if clips.len() > LISTED {
        line("", format!("and {} more clips", clips.len() - LISTED));
    }
    for file in files.iter().take(LISTED) {
        line("wrote", format!("{} ({} KB)", file.path.display(), file.bytes.len().div_ceil(1000)));
    }
    if files.len() > LISTED {
        line("", format!("and {} more files", files.len() - LISTED));
    }
    let is_scene =
        |file: &OutputFile| file.path.extension().is_some_and(|ending| ending == "glb" || ending == "gltf");
    if files.iter().any(is_scene) {
        line(
            "open it",
            "drop the file into the folder of your engine's project, or onto any glTF viewer".into(),
        );
    }
    text
}
