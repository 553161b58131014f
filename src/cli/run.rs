//! What `animate` and `retarget` have in common: motions onto characters, and files from that.

use super::clip_args::{ClipArgs, MotionArgs};
use super::export::{ExportArgs, files};
use super::output::{Lines, Output};
use super::remedies::error_text;
use super::save;
use crate::Warning;
use crate::io::json_text;
use crate::pipeline::{
    Animated, Character, ClipEntry, ClipOptions, InputMotion, Laps, LeftOut, LeftOutMotion, OutputFile,
    Progress, RigReport, RunReport, WarningReport, WrittenFile, animate_all, find_motions, name_clips,
};
use crate::rig::Rig;
use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde_json::json;
use std::path::{Path, PathBuf};

/// A character, and what is known of how it was rigged.
pub struct InputCharacter {
    pub character: Character,
    /// How it was rigged, if that was done here.
    pub rigging: Option<RigReport>,
    /// The same for people.
    pub how_rigged: Option<Lines>,
    /// The skeleton and the weights as Pinocchio writes them, if it was rigged here.
    pub pinocchio: Option<[String; 2]>,
    pub warnings: Vec<Warning>,
    pub laps: Laps,
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
    /// Moves the motions onto one character after the other. One that fails does not stop the others.
    pub fn all(
        &self,
        output: &mut Output,
        mut character: impl FnMut(&Path, &Output) -> Result<InputCharacter>,
    ) -> Result<()> {
        self.report.map(save::check).transpose()?;
        let paths = self.paths()?;
        let mut options = self.clips.options()?;
        options.retarget.compare = self.report.is_some();
        self.export.complete(&mut options);
        output.start(self.files.len());
        output.begin("reading motions", 0.0);
        let (motions, unreadable) = find_motions(&self.motions.motions, &self.motions.clip_names)?;
        output.warnings_of_files(&unreadable);
        let mut reports = Vec::new();
        for (file, paths) in self.files.iter().zip(&paths) {
            let done = character(file, output)
                .and_then(|input| self.one((file, paths), input, &motions, &options, output));
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
            Some(path) => save::save_all(&[(path, report_text(&reports)?)]),
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

    /// Moves all motions onto the character of a file and writes its outputs.
    fn one(
        &self,
        (file, paths): (&Path, &[PathBuf]),
        mut input: InputCharacter,
        motions: &[InputMotion],
        options: &ClipOptions,
        output: &mut Output,
    ) -> Result<RunReport> {
        let mut laps = input.laps.clone();
        laps.restart();
        let mut motions = motions.to_vec();
        name_clips(&mut motions, input.character.document.animation_names());
        output.begin("moving", 0.7);
        let baked = self.bake_all(file, &mut input, motions, options)?;
        laps.lap("move");
        output.begin("writing", 0.9);
        let mut export_options = self.export.options();
        export_options.provenance = input.rigging.clone();
        export_options.pinocchio = input.pinocchio.take();
        let files = files(paths, &input.character, &baked.clips, &export_options)?;
        save::save_all(&files.iter().map(|file| (&file.path, &file.bytes)).collect::<Vec<_>>())?;
        laps.lap("write");

        let how_rigged = input.how_rigged.take();
        let mut lines = how_rigged.unwrap_or_else(|| about_rig(file, &input.character.rig));
        add_clips(&mut lines, &baked.clips, &files);
        output.summary(lines)?;
        output.laps(&laps.seconds)?;
        output.warnings(file, &input.warnings);
        output.warnings_of_files(&baked.left_out);
        for (motion, animated) in baked.motions.iter().zip(&baked.clips) {
            output.warnings(&motion.file, &motion.warnings);
            output.warnings(&motion.file, &animated.retargeted.warnings);
        }
        let mut report = RunReport::of(self.command, file, &input.character);
        if self.report.is_some() {
            let clips = baked.clips.iter().zip(&baked.motions);
            report.outputs = files.iter().map(WrittenFile::of).collect();
            report.rig = input.rigging;
            report.clips = clips.map(|(clip, motion)| ClipEntry::of(clip, motion)).collect();
            report.motions_left_out = left_out_report(&baked.left_out);
            report.warnings = input.warnings.iter().map(WarningReport::from).collect();
            report.set_seconds(&laps.seconds);
        }
        Ok(report)
    }

    /// Bakes all motions onto a character. One that was found in a folder and cannot be moved is left out, like one that cannot be
    /// read; one that was named must work.
    fn bake_all(
        &self,
        file: &Path,
        input: &mut InputCharacter,
        motions: Vec<InputMotion>,
        options: &ClipOptions,
    ) -> Result<BakedClips> {
        let mut options = options.clone();
        if self.export.verify {
            input.character.measure_whole_surface();
        }
        if !input.character.ensure_root(options.root_motion) {
            options.root_motion = Default::default();
            input.warnings.push(Warning::NoRoot);
        }
        let named = motions.par_iter().map(|motion| (motion.name.as_str(), &motion.motion));
        let tried = animate_all(&input.character, named, &options);
        let mut baked = BakedClips { motions: Vec::new(), clips: Vec::new(), left_out: Vec::new() };
        for (motion, animated) in motions.into_iter().zip(tried) {
            match animated {
                Ok(animated) => {
                    baked.motions.push(motion);
                    baked.clips.push(animated);
                }
                Err(error) if motion.is_found => {
                    let reason = error_text(&error);
                    baked.left_out.push((motion.file, Warning::MotionLeftOut { reason }));
                }
                Err(error) => {
                    let motion = motion.file.display();
                    return Err(error).with_context(|| format!("cannot move '{motion}' onto the character"));
                }
            }
        }
        if baked.clips.is_empty() {
            let first = baked.left_out.first();
            let first = first.map_or(String::new(), |(path, why)| format!("; '{}': {why}", path.display()));
            bail!("none of the motions can be moved onto '{}'{first}", file.display());
        }
        Ok(baked)
    }
}

/// Motions that became clips, and those that did not.
struct BakedClips {
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

/// Clips and files that are listed one by one.
const LISTED: usize = 12;

/// A character that came with its joints.
fn about_rig(file: &Path, rig: &Rig) -> Lines {
    let mut lines = Lines::about(file.display());
    lines.add("joints", format_args!("{}, {} soles", rig.joints.len(), rig.soles.len()));
    lines
}

/// A few lines about clips and the files that they are in.
fn add_clips(lines: &mut Lines, clips: &[Animated], files: &[OutputFile]) {
    for Animated { clip, speed, .. } in clips.iter().take(LISTED) {
        let (name, seconds, rate) = (&clip.name, clip.seconds(), 1.0 / clip.frame_seconds);
        let kilobytes = clip.bytes().1.div_ceil(1000);
        lines.add(
            "clip",
            format_args!("{name}: {seconds:.2} s at {rate:.0} fps, {speed:.2} m/s, {kilobytes} KB"),
        );
    }
    if clips.len() > LISTED {
        lines.add("", format_args!("and {} more clips", clips.len() - LISTED));
    }
    for file in files.iter().take(LISTED) {
        let kilobytes = file.bytes.len().div_ceil(1000);
        lines.add("wrote", format_args!("{} ({kilobytes} KB)", file.path.display()));
    }
    if files.len() > LISTED {
        lines.add("", format_args!("and {} more files", files.len() - LISTED));
    }
    let is_scene =
        |file: &OutputFile| file.path.extension().is_some_and(|ending| ending == "glb" || ending == "gltf");
    if files.iter().any(is_scene) {
        lines.add(
            "open it",
            "drop the file into the folder of your engine's project, or onto any glTF viewer",
        );
    }
}
