//! The part that `animate` and `retarget` have in common: motions onto a character, and files from that.

use super::character::Character;
use super::clip_args::ClipArgs;
use super::clip_report::warning;
use super::clips::{Take, name_clips, takes};
use super::export::ExportArgs;
use super::footage::{Footage, LeftOut};
use super::output::Output;
use super::rig::Clock;
use super::save;
use anyhow::{Result, bail};
use puppetry::Warning;
use puppetry::io::json_text;
use puppetry::motion::Override;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// What all characters of a run do.
pub struct Performance<'a> {
    pub command: &'static str,
    pub footage: &'a [Footage],
    pub overrides: &'a [Override],
    pub clips: &'a ClipArgs,
    pub export: &'a ExportArgs,
    /// Files that are no motions.
    pub unreadable: &'a LeftOut,
    /// Whether somebody wants to know what was done.
    pub is_reported: bool,
}

impl Performance<'_> {
    /// Moves all motions onto a character and writes its files; returns what there is to tell.
    pub fn run(
        &self,
        file: &Path,
        paths: &[PathBuf],
        mut character: Character,
        mut clock: Clock,
        output: &mut Output,
    ) -> Result<Value> {
        let mut footage: Vec<Footage> = self.footage.to_vec();
        name_clips(&mut footage, character.document.animation_names());
        output.stage("moving");
        let (footage, takes, left_out) = self.take_all(file, &mut character, footage)?;
        clock.lap("move");
        output.step();
        output.stage("writing");
        let files = self.export.files(paths, &character, &takes)?;
        save::save_all(&files)?;
        clock.lap("write");
        output.step();

        output.summary(text(file, &character, &footage, &takes, &files).trim_end())?;
        for (name, seconds) in &clock.laps {
            output.detail(format_args!("  {:<14}{name} {:.0} ms", "time", 1000.0 * seconds))?;
        }
        output.warnings(file, &character.warnings);
        for (file, warning) in &left_out {
            output.warnings(file, std::slice::from_ref(warning));
        }
        for (footage, take) in footage.iter().zip(&takes) {
            output.warnings(&footage.file, &footage.warnings);
            output.warnings(&footage.file, &take.report.warnings);
        }
        Ok(match self.is_reported {
            true => self.report(file, &character, (&footage, &takes, &left_out), &files, &clock),
            false => Value::Null,
        })
    }

    /// Moves all motions onto a character. One that was found in a folder and cannot be moved is left out, as one is that cannot be
    /// read; one that was named must do.
    fn take_all(
        &self,
        file: &Path,
        character: &mut Character,
        footage: Vec<Footage>,
    ) -> Result<(Vec<Footage>, Vec<Take>, LeftOut)> {
        let tried = takes(character, &footage, self.overrides, self.clips, self.export);
        let (mut kept, mut takes, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        for (footage, take) in footage.into_iter().zip(tried) {
            match take {
                Ok(take) => {
                    kept.push(footage);
                    takes.push(take);
                }
                Err(error) if footage.is_found => {
                    let reason = error.root_cause().to_string();
                    left_out.push((footage.file, Warning::MotionLeftOut { reason }));
                }
                Err(error) => return Err(error),
            }
        }
        if takes.is_empty() {
            let first = left_out
                .first()
                .map_or(String::new(), |(path, why)| format!("; '{}': {why}", path.display()));
            bail!("none of the motions can be moved onto '{}'{first}", file.display());
        }
        Ok((kept, takes, left_out))
    }

    fn report(
        &self,
        file: &Path,
        character: &Character,
        (footage, takes, left_out): (&[Footage], &[Take], &LeftOut),
        files: &[(PathBuf, Vec<u8>)],
        clock: &Clock,
    ) -> Value {
        let clips = takes.iter().zip(footage).map(|(take, footage)| clip_value(take, footage));
        let seconds = clock
            .laps
            .iter()
            .map(|(name, seconds)| ((*name).to_owned(), json!((seconds * 1e4).round() / 1e4)));
        json!({
            "puppetry_report": 1,
            "command": self.command,
            "file": file.to_string_lossy(),
            "outputs": files.iter().map(|(path, bytes)| {
                json!({ "file": path.to_string_lossy(), "bytes": bytes.len(), "sha256": digest(bytes) })
            }).collect::<Vec<_>>(),
            "joints": character.rig.joints.len(),
            "soles": character.rig.soles.len(),
            "rig": character.rigging,
            "clips": clips.collect::<Vec<_>>(),
            "motions_left_out": self.unreadable.iter().chain(left_out).map(|(path, why)| {
                json!({ "file": path.to_string_lossy(), "text": why.to_string() })
            }).collect::<Vec<_>>(),
            "warnings": character.warnings.iter().map(warning).collect::<Vec<_>>(),
            "seconds": seconds.collect::<Map<_, _>>(),
        })
    }
}

/// By which anybody can tell whether a file is the one that was written.
fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn clip_value(take: &Take, footage: &Footage) -> Value {
    let clip = &take.clip;
    let (before, after) = clip.bytes();
    json!({
        "name": clip.name,
        "file": footage.file.to_string_lossy(),
        "frames": clip.frames,
        "fps": (1e3 / clip.frame_seconds).round() / 1e3,
        "seconds": (clip.seconds() * 1e4).round() / 1e4,
        "speed_meters_per_second": (take.speed * 1e3).round() / 1e3,
        "bytes_of_all_keys": before,
        "bytes": after,
        "largest_key_error_meters": take.error,
        "retargeting": take.measured,
        "warnings": footage.warnings.iter().map(warning).collect::<Vec<_>>(),
    })
}

/// A report of one run over one or more characters.
pub fn report_text(reports: Vec<Value>) -> String {
    match <[Value; 1]>::try_from(reports) {
        Ok([report]) => json_text::lines(&report, 2),
        Err(reports) => json_text::lines(&json!({ "puppetry_report": 1, "characters": reports }), 2),
    }
}

/// A few lines.
fn text(
    file: &Path,
    character: &Character,
    footage: &[Footage],
    takes: &[Take],
    files: &[(PathBuf, Vec<u8>)],
) -> String {
    /// Clips that are listed one by one.
    const LISTED: usize = 12;
    let mut text = format!("{}\n", file.display());
    let mut line = |heading: &str, content: String| text.push_str(&format!("  {heading:<14}{content}\n"));
    line("joints", format!("{}, {} soles", character.rig.joints.len(), character.rig.soles.len()));
    for (take, _) in takes.iter().zip(footage).take(LISTED) {
        let (_, bytes) = take.clip.bytes();
        line(
            "clip",
            format!(
                "{}: {:.2} s at {:.0} fps, {:.2} m/s, {} KB",
                take.clip.name,
                take.clip.seconds(),
                1.0 / take.clip.frame_seconds,
                take.speed,
                bytes.div_ceil(1000)
            ),
        );
    }
    if takes.len() > LISTED {
        line("", format!("and {} more clips", takes.len() - LISTED));
    }
    for (path, bytes) in files.iter().take(LISTED) {
        line("wrote", format!("{} ({} KB)", path.display(), bytes.len().div_ceil(1000)));
    }
    if files.len() > LISTED {
        line("", format!("and {} more files", files.len() - LISTED));
    }
    let is_scene =
        |path: &PathBuf| path.extension().is_some_and(|ending| ending == "glb" || ending == "gltf");
    if files.iter().any(|(path, _)| is_scene(path)) {
        line(
            "open it",
            "drop the file into the folder of your engine's project, or onto any glTF viewer".into(),
        );
    }
    text
}
