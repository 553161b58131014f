//! What `animate` and `retarget` have in common: motions onto characters, and files from that.

use super::batch::{Batch, Finished, Verdict};
use super::clip_args::{ClipArgs, MotionArgs};
use super::destination::{Destination, make_folders};
use super::export::{ExportArgs, files};
use super::output::{Lines, Output, sentence};
use super::save::is_stdout;
use crate::pipeline::{
    Animated, Character, ClipEntry, ClipOptions, InputMotion, Laps, LeftOut, LeftOutMotion, OutputFile,
    Progress, RigReport, RunReport, WarningReport, WrittenFile, animate_all, find_motions, name_clips,
};
use crate::rig::Rig;
use crate::{Image, Warning};
use anyhow::{Error, Result, bail};
use rayon::prelude::*;
use std::collections::BTreeSet;
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
    /// Of the joints, if they were looked for.
    pub confidence: Option<f64>,
    /// Whether its joints should be looked at.
    pub is_doubtful: bool,
    pub laps: Laps,
}

/// A character, or a refusal with what is known about the joints that were found.
pub enum Input {
    Character(Box<InputCharacter>),
    Refused {
        rigging: Box<RigReport>,
        confidence: Option<f64>,
        /// For the sheet, if one is asked for.
        picture: Option<Image>,
        warnings: Vec<Warning>,
        why: Error,
    },
}

impl Input {
    /// A character that came with its skin.
    pub fn rigged(character: Character, warnings: Vec<Warning>, laps: Laps) -> Input {
        Input::Character(Box::new(InputCharacter {
            character,
            rigging: None,
            how_rigged: None,
            pinocchio: None,
            warnings,
            confidence: None,
            is_doubtful: false,
            laps,
        }))
    }
}

/// A run over one or more characters.
pub struct Run<'a> {
    pub command: &'static str,
    pub batch: Batch<'a>,
    pub export: &'a ExportArgs,
    pub motions: &'a MotionArgs,
    pub clips: &'a ClipArgs,
    /// What decides how characters are read and rigged, as text.
    pub how_rigged: String,
}

impl Run<'_> {
    /// Moves the motions onto one character after the other. What can be written is written; what is left out is told, and then the
    /// run has failed.
    pub fn all(
        &self,
        output: &mut Output,
        mut character: impl FnMut(&Path, &Output) -> Result<Input>,
    ) -> Result<()> {
        let destinations = self.export.destinations(self.batch.files)?;
        self.batch.check(&destinations, None, output)?;
        if self.export.streams() {
            output.carry("a file")?;
        }
        let mut options = self.clips.options()?;
        options.retarget.compare = self.batch.wants_report();
        self.export.complete(&mut options);
        output.stage("reading motions");
        let (motions, left_out) = find_motions(&self.motions.motions, &self.motions.clip_names)?;
        let left_out: Vec<_> =
            left_out.into_iter().map(|LeftOut { file, error }| (file, Error::from(*error))).collect();
        left_out.iter().for_each(|(_, error)| output.failure(error));
        motions.iter().for_each(|motion| output.warnings(&motion.file, &motion.warnings));
        let left_out =
            left_out.iter().map(|(file, error)| left_out_report(file, sentence(error))).collect::<Vec<_>>();
        let mut told = Told::new();
        let options_text = format!("{} {options:?} {:?}", self.how_rigged, self.export);
        let mut fingerprint = self.batch.fingerprint(&options_text);
        for motion in &motions {
            fingerprint.add(&motion.name);
            fingerprint.add_file(&motion.file);
        }
        self.batch.each(output, &destinations, &fingerprint, |number, output| {
            let file = &self.batch.files[number];
            match character(file, output)? {
                Input::Refused { rigging, confidence, picture, warnings, why } => {
                    output.warnings_of_refused(file, &warnings);
                    let mut report = RunReport::of(self.command, file, None);
                    report.warnings = warnings.iter().map(WarningReport::from).collect();
                    report.rig = Some(*rigging);
                    report.refused = Some(sentence(&why));
                    let finished = Finished::of(&report, Verdict::Refused(why), confidence)?;
                    Ok(Finished { picture, ..finished })
                }
                Input::Character(input) => {
                    let destinations = &destinations[number];
                    let job =
                        Job { file, destinations, motions: &motions, left_out: &left_out, options: &options };
                    self.one(&job, *input, &mut told, output)
                }
            }
        })
    }

    /// Moves all motions onto the character of a file and writes its outputs.
    fn one(
        &self,
        job: &Job,
        mut input: InputCharacter,
        told: &mut Told,
        output: &mut Output,
    ) -> Result<Finished> {
        let mut laps = input.laps.clone();
        laps.restart();
        let suited = job.motions.iter().map(|motion| motion.clone().suited_to(&input.character, job.options));
        let mut motions = suited.collect::<Result<Vec<_>, _>>()?;
        name_clips(&mut motions, input.character.document.animation_names());
        output.begin("moving", 0.7);
        let baked = self.bake_all(job, &mut input, motions, output)?;
        laps.lap("move");
        output.begin("writing", 0.9);
        let mut export_options = self.export.options();
        export_options.provenance = input.rigging.clone();
        export_options.pinocchio = input.pinocchio.take();
        let files = files(job.destinations, &input.character, &baked.clips, &export_options)?;
        input.warnings.extend(files.iter().find_map(|file| file.warning.clone()));
        make_folders(job.destinations)?;
        output.save(&files.iter().map(|file| (&file.path, &file.bytes)).collect::<Vec<_>>())?;
        laps.lap("write");

        let how_rigged = input.how_rigged.take();
        let mut lines = how_rigged.unwrap_or_else(|| about_rig(job.file, &input.character.rig));
        add_clips(&mut lines, &baked.clips, &files);
        output.summary(lines)?;
        output.laps(&laps.seconds)?;
        output.warnings(job.file, &input.warnings);
        baked.tell(job.file, told, output);
        let verdict = match input.is_doubtful {
            is_doubtful if !baked.left_out.is_empty() => Verdict::Incomplete { is_doubtful },
            true => Verdict::Doubtful,
            false => Verdict::Written,
        };
        let written: Vec<WrittenFile> =
            files.iter().map(|file| WrittenFile::new(&file.path, &file.bytes)).collect();
        let mut report = RunReport::of(self.command, job.file, Some(&input.character));
        if self.batch.wants_report() {
            let clips = baked.clips.iter().zip(&baked.motions);
            report.outputs = written.clone();
            report.rig = input.rigging;
            report.clips = clips.map(|(clip, motion)| ClipEntry::of(clip, motion)).collect();
            let left_out = baked.left_out.iter().map(|(file, error)| left_out_report(file, sentence(error)));
            report.motions_left_out = job.left_out.iter().cloned().chain(left_out).collect();
            report.warnings = input.warnings.iter().map(WarningReport::from).collect();
            report.set_seconds(&laps.seconds);
        }
        let picture = self.batch.picture(&input.character);
        Ok(Finished { written, picture, ..Finished::of(&report, verdict, input.confidence)? })
    }

    /// Bakes all motions onto a character, as far as they can be moved onto it.
    fn bake_all(
        &self,
        job: &Job,
        input: &mut InputCharacter,
        motions: Vec<InputMotion>,
        output: &mut Output,
    ) -> Result<BakedClips> {
        let mut options = job.options.clone();
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
                Err(error) => {
                    let (moved, file) = (motion.file.display(), job.file.display());
                    let error = Error::from(error).context(format!("cannot move '{moved}' onto '{file}'"));
                    baked.left_out.push((motion.file, error));
                }
            }
        }
        match (baked.clips.len(), baked.left_out.len()) {
            (0, 1) => Err(baked.left_out.remove(0).1),
            (0, _) => {
                baked.left_out.iter().for_each(|(_, error)| output.failure(error));
                bail!("none of the motions can be moved onto '{}'", job.file.display())
            }
            _ => Ok(baked),
        }
    }
}

/// What is to be done with a character.
struct Job<'a> {
    file: &'a Path,
    destinations: &'a [Destination],
    motions: &'a [InputMotion],
    /// What was named and is no motion.
    left_out: &'a [LeftOutMotion],
    options: &'a ClipOptions,
}

/// Motions that became clips, and those that did not.
struct BakedClips {
    motions: Vec<InputMotion>,
    clips: Vec<Animated>,
    left_out: Vec<(PathBuf, Error)>,
}

/// What has been told of which motion, whichever character it moved.
type Told = BTreeSet<(PathBuf, String, &'static str)>;

impl BakedClips {
    /// Says what a person should know about the clips of a character. Faults of a motion itself are told once in a run.
    fn tell(&self, file: &Path, told: &mut Told, output: &mut Output) {
        self.left_out.iter().for_each(|(_, error)| output.failure(error));
        for (motion, animated) in self.motions.iter().zip(&self.clips) {
            let subject = format!("'{}' on '{}'", motion.file.display(), file.display());
            // What was found when the motion was read has been told.
            let renamed =
                motion.warnings.iter().filter(|warning| matches!(warning, Warning::ClipRenamed { .. }));
            for warning in renamed.chain(&animated.retargeted.warnings) {
                let of_motion = (motion.file.clone(), motion.name.clone(), warning.code());
                if !warning.is_about_source() {
                    output.warning(&subject, warning);
                } else if told.insert(of_motion) {
                    output.warning(&format!("'{}'", motion.file.display()), warning);
                }
            }
        }
    }
}

fn left_out_report(file: &Path, why: String) -> LeftOutMotion {
    LeftOutMotion { file: file.to_string_lossy().into_owned(), text: why }
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
    for animated @ Animated { clip, speed, .. } in clips.iter().take(LISTED) {
        let legs = animated.legs_a_second();
        let (name, seconds, rate) = (&clip.name, clip.seconds(), 1.0 / clip.frame_seconds);
        let kilobytes = clip.bytes().1.div_ceil(1000);
        lines.add(
            "clip",
            format_args!(
                "{name}: {seconds:.2} s at {rate:.0} fps, {speed:.2} m/s ({legs:.1} legs/s), {kilobytes} KB"
            ),
        );
    }
    if clips.len() > LISTED {
        lines.add("", format_args!("and {} more clips", clips.len() - LISTED));
    }
    // Who reads standard output knows what was written there.
    let files: Vec<&OutputFile> = files.iter().filter(|file| !is_stdout(&file.path)).collect();
    for file in files.iter().take(LISTED) {
        let kilobytes = file.bytes.len().div_ceil(1000);
        lines.add("wrote", format_args!("{} ({kilobytes} KB)", file.path.display()));
    }
    if files.len() > LISTED {
        lines.add("", format_args!("and {} more files", files.len() - LISTED));
    }
    let is_scene =
        |file: &&OutputFile| file.path.extension().is_some_and(|ending| ending == "glb" || ending == "gltf");
    if files.iter().any(is_scene) {
        lines.add(
            "open it",
            "drop the file into the folder of your engine's project, or onto any glTF viewer",
        );
    }
}
