//! A run over one or more characters: each for itself, told one by one, summed up at the end.

use super::destination::Destination;
use super::output::{self, JSON, Lines, Output, counted};
use super::record::{self, Fingerprint};
use super::save::{self, folder_of, is_same_file, is_stdout};
use crate::Image;
use crate::io::{self, json_text};
use crate::pipeline::{Character, FileFailure, Jointed, LoadOptions, Loaded, WrittenFile, load};
use crate::preview::{CELL, Portrait, character_sheet, draw_joints};
use anyhow::{Context, Error, Result, bail};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Flags of every run over characters.
#[derive(Debug, Args)]
#[command(next_help_heading = "What is written")]
pub struct BatchArgs {
    /// The same on standard output, one object a line
    #[arg(long)]
    pub json: bool,
    /// Draw all characters on one sheet, with names and confidences
    #[arg(long, value_name = "OUT.png")]
    pub sheet: Option<PathBuf>,
    /// Skip what an earlier run with --resume has made and is up to date
    #[arg(long)]
    resume: bool,
}

impl BatchArgs {
    /// A picture for the sheet of who is refused, if one is asked for: where the joints would be.
    pub fn picture_of_refused(&self, jointed: &Jointed) -> Option<Image> {
        self.sheet.as_ref()?;
        let (embedding, _) = jointed.joints.found()?;
        Some(draw_joints(&jointed.prepared, embedding, CELL))
    }
}

/// A run.
pub struct Batch<'a> {
    pub files: &'a [PathBuf],
    pub args: &'a BatchArgs,
    /// Where the report goes.
    pub report: Option<&'a Path>,
}

/// What became of a character.
pub struct Finished {
    /// For `--report` and `--json`.
    pub report: Value,
    pub verdict: Verdict,
    /// Of its joints, if they were looked for.
    pub confidence: Option<f64>,
    /// What was written of it.
    pub written: Vec<WrittenFile>,
    /// It in a test pose, or if it is refused with its joints; if a sheet is asked for and it can be drawn.
    pub picture: Option<Image>,
}

/// How a character ended.
pub enum Verdict {
    Written,
    /// Written, to be looked at.
    Doubtful,
    /// Written without something that was asked for, which has been told; perhaps doubtful, too.
    Incomplete {
        is_doubtful: bool,
    },
    /// Not written, for that reason.
    Refused(Error),
}

impl Verdict {
    /// Whether what was written should be looked at.
    fn is_doubtful(&self) -> bool {
        matches!(self, Verdict::Doubtful | Verdict::Incomplete { is_doubtful: true })
    }
}

impl Finished {
    pub fn of(report: &impl Serialize, verdict: Verdict, confidence: Option<f64>) -> Result<Finished> {
        let report = serde_json::to_value(report).context("cannot write the report")?;
        Ok(Finished { report, verdict, confidence, written: Vec::new(), picture: None })
    }
}

/// What a run made of a character, for the next one.
#[derive(Serialize, Deserialize)]
struct Made {
    report: Value,
    confidence: Option<f64>,
    is_doubtful: bool,
    /// The files with their hashes.
    files: BTreeMap<PathBuf, String>,
}

impl Made {
    /// What is worth keeping: all that was asked for.
    fn of(finished: &Finished) -> Option<Made> {
        let is_doubtful = match finished.verdict {
            Verdict::Written => false,
            Verdict::Doubtful => true,
            Verdict::Incomplete { .. } | Verdict::Refused(_) => return None,
        };
        let (report, confidence) = (finished.report.clone(), finished.confidence);
        let files = finished.written.iter().map(|file| (file.file.clone().into(), file.sha256.clone()));
        Some(Made { report, confidence, is_doubtful, files: files.collect() })
    }

    /// Whether the files are there as they were written: another run may have written them since.
    fn is_there(&self) -> bool {
        let is_same = |(path, hash): (&PathBuf, &String)| {
            fs::read(path).is_ok_and(|bytes| WrittenFile::new(path, &bytes).sha256 == *hash)
        };
        !self.files.is_empty() && self.files.iter().all(is_same)
    }

    fn finished(self) -> Finished {
        let verdict = if self.is_doubtful { Verdict::Doubtful } else { Verdict::Written };
        Finished {
            report: self.report,
            verdict,
            confidence: self.confidence,
            written: Vec::new(),
            picture: None,
        }
    }
}

/// Raised when the same input gives other files within a version of the program.
const EDITION: u32 = 2;

/// Where the record of a character is: hidden, beside its first output.
fn record_path(destinations: &[Destination]) -> Option<PathBuf> {
    let first = destinations.iter().find(|destination| !destination.is_stdout)?;
    let mut name = OsString::from(".");
    name.push(first.path.file_name()?);
    name.push(".made.json");
    Some(first.path.with_file_name(name))
}

impl Batch<'_> {
    /// A picture of a character for the sheet, if one is asked for and the character can walk.
    pub fn picture(&self, character: &Character) -> Option<Image> {
        self.args.sheet.as_ref()?;
        character.portrait(CELL).ok()
    }

    /// What an earlier run has made, with what this one asks for; `None` if that is not to be had from it.
    fn kept(&self, made: Made, destinations: &[Destination]) -> Option<Finished> {
        let mut kept = made.is_there().then(|| made.finished())?;
        if self.args.sheet.is_some() {
            let read = |destination: &Destination| match load(&destination.path, &LoadOptions::default()) {
                Ok((Loaded::Character(character), _)) => self.picture(&character),
                _ => None,
            };
            kept.picture = Some(destinations.iter().find_map(read)?);
        }
        Some(kept)
    }

    /// What decides the outputs of each character: these options, as text.
    pub fn fingerprint(&self, options: &str) -> Fingerprint {
        let mut fingerprint = Fingerprint::new(EDITION);
        fingerprint.add(&self.wants_report());
        fingerprint.add(options);
        fingerprint
    }

    /// Before any slow work: whether all can be written that goes elsewhere than the characters (report, sheet, and `more`), without
    /// overwriting each other or an input; and what standard output carries.
    pub fn check(
        &self,
        destinations: &[Vec<Destination>],
        more: Option<&Path>,
        output: &mut Output,
    ) -> Result<()> {
        let files = destinations.iter().flatten().filter(|destination| !destination.is_stdout);
        let files: Vec<&Path> = files.map(|destination| destination.path.as_path()).collect();
        let extra = [more, self.report, self.args.sheet.as_deref()];
        let extra: Vec<&Path> = extra.into_iter().flatten().filter(|path| !is_stdout(path)).collect();
        for (index, path) in extra.iter().enumerate() {
            let is_made = files.iter().any(|file| folder_of(file) == folder_of(path));
            if !is_made || folder_of(path).is_dir() {
                save::check(path)?;
            }
            if files.iter().chain(&extra[..index]).any(|other| is_same_file(other, path)) {
                bail!("'{}' is given twice; give each output a name of its own", path.display());
            }
            if self.files.iter().any(|input| is_same_file(input, path)) {
                bail!("'{}' is the character itself; give the output another name", path.display());
            }
        }
        let is_png =
            |path: &&PathBuf| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
        if let Some(sheet) = self.args.sheet.as_ref().filter(|sheet| !is_png(sheet)) {
            bail!("cannot write '{}': a sheet is a PNG picture; end its name in .png", sheet.display());
        }
        if self.args.json {
            output.carry(JSON)?;
        }
        if self.report.is_some_and(is_stdout) {
            output.carry("a report")?;
        }
        Ok(())
    }

    /// Whether somebody reads what is measured for reports alone.
    pub fn wants_report(&self) -> bool {
        self.args.json || self.report.is_some()
    }

    /// Works on one character after the other, by their numbers. One that fails does not stop the others. `options` are all that
    /// decides the outputs besides the character.
    pub fn each(
        &self,
        output: &mut Output,
        destinations: &[Vec<Destination>],
        options: &Fingerprint,
        mut work: impl FnMut(usize, &mut Output) -> Result<Finished>,
    ) -> Result<()> {
        output.start(self.files.len());
        let mut tally = Tally { has_sheet: self.args.sheet.is_some(), ..Tally::default() };
        for (number, file) in self.files.iter().enumerate() {
            let record = self.args.resume.then(|| record_path(&destinations[number])).flatten();
            let record = record.map(|path| (path, character_hash(options, file, &destinations[number])));
            let made = record.as_ref().and_then(|(path, hash)| record::read(path, hash));
            if let Some(kept) = made.and_then(|made| self.kept(made, &destinations[number])) {
                tally.kept += 1;
                output.detail(format_args!("{}\n  up to date", file.display()))?;
                tally.add(file, Ok(kept), output)?;
                output.finish_character();
                continue;
            }
            match work(number, output) {
                // A run that made nothing leaves the report of an earlier one.
                Err(error) if self.files.len() == 1 => {
                    output.record(&failure(file, &error))?;
                    return Err(error);
                }
                finished => {
                    let made = finished.as_ref().ok().and_then(Made::of);
                    tally.add(file, finished, output)?;
                    if let (Some((path, hash)), Some(made)) = (record, made) {
                        save::save_all(&[(path, record::bytes(&hash, made)?)])?;
                    }
                }
            }
            output.finish_character();
        }
        let beside = [self.report.filter(|path| !is_stdout(path)), self.args.sheet.as_deref()];
        beside.into_iter().flatten().try_for_each(save::make_folder_of)?;
        if let Some(path) = self.report {
            output.save(&[(path, tally.report_text(self.files.len()))])?;
        }
        if let Some(path) = &self.args.sheet {
            output.save(&[(path, io::write_png(&character_sheet(&tally.portraits)))])?;
        }
        let is_worth_it = self.files.len() > 1 || tally.kept > 0;
        if is_worth_it { output.summary(tally.lines(self.files.len())) } else { Ok(()) }
    }
}

/// The cell of a character on the sheet.
fn portrait(file: &Path, finished: &Finished) -> Portrait {
    let name = shown_name(file);
    let confidence = finished.confidence.map_or_else(String::new, |confidence| format!("{confidence:.2}"));
    let is_refused = matches!(finished.verdict, Verdict::Refused(_));
    let is_doubtful = is_refused || finished.verdict.is_doubtful();
    let below = if is_refused { format!("refused {confidence}") } else { confidence };
    let Some(image) = finished.picture.clone() else {
        let reason = match &finished.verdict {
            Verdict::Refused(error) => error.root_cause().to_string(),
            _ => "it cannot be drawn walking".to_owned(),
        };
        return Portrait { is_doubtful, ..Portrait::missing(name, &below, &reason) };
    };
    Portrait { image, caption: [name, below], is_doubtful }
}

/// What stands under a picture.
fn shown_name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The hash of all that decides the outputs of a character.
fn character_hash(options: &Fingerprint, file: &Path, destinations: &[Destination]) -> String {
    let mut fingerprint = options.clone();
    fingerprint.add(&format!("{destinations:?}"));
    fingerprint.add_file(file);
    fingerprint.text()
}

fn failure(file: &Path, error: &Error) -> FileFailure {
    FileFailure { file: file.to_string_lossy().into_owned(), error: output::sentence(error) }
}

/// Characters that the summary names, the least sure first.
const NAMED: usize = 5;

/// What became of the characters so far.
#[derive(Default)]
struct Tally {
    reports: Vec<Value>,
    /// All that were looked at and written, with their confidences.
    confidences: Vec<(String, f64)>,
    doubtful: Vec<String>,
    incomplete: usize,
    failed: Vec<String>,
    /// Made by an earlier run.
    kept: usize,
    /// Whether a sheet is asked for, and its cells.
    has_sheet: bool,
    portraits: Vec<Portrait>,
}

impl Tally {
    fn add(&mut self, file: &Path, finished: Result<Finished>, output: &mut Output) -> Result<()> {
        let name = file.display().to_string();
        let finished = match finished {
            Ok(finished) => finished,
            Err(error) => {
                let report = failure(file, &error);
                if self.has_sheet {
                    let reason = error.root_cause().to_string();
                    self.portraits.push(Portrait::missing(shown_name(file), "failed", &reason));
                }
                output.failure(&error);
                output.record(&report)?;
                self.reports.extend(serde_json::to_value(&report));
                self.failed.push(name);
                return Ok(());
            }
        };
        output.record(&finished.report)?;
        if self.has_sheet {
            self.portraits.push(portrait(file, &finished));
        }
        self.reports.push(finished.report);
        if finished.verdict.is_doubtful() {
            output.doubtful();
            self.doubtful.push(name.clone());
        }
        match &finished.verdict {
            Verdict::Written | Verdict::Doubtful => {}
            Verdict::Incomplete { .. } => self.incomplete += 1,
            Verdict::Refused(error) => {
                output.failure(error);
                self.failed.push(name);
                return Ok(());
            }
        }
        self.confidences.extend(finished.confidence.map(|confidence| (name, confidence)));
        Ok(())
    }

    /// The report of one character, or of several.
    fn report_text(&self, characters: usize) -> String {
        match (characters, self.reports.as_slice()) {
            (1, [report]) => json_text::lines(report, 2),
            (_, reports) => json_text::lines(&json!({ "puppetry_report": 1, "characters": reports }), 2),
        }
    }

    fn lines(&self, characters: usize) -> Lines {
        let (doubtful, failed) = (self.doubtful.len(), self.failed.len());
        let mut lines = Lines::about(counted(characters, "character"));
        match self.kept {
            0 => lines.add("written", characters - failed),
            kept => lines.add("written", format_args!("{}, {kept} up to date", characters - failed - kept)),
        }
        if doubtful > 0 {
            lines.add("doubtful", format_args!("{doubtful} of them: {}", self.doubtful.join(", ")));
        }
        if self.incomplete > 0 {
            lines.add("incomplete", format_args!("{} of them, without some motions", self.incomplete));
        }
        if failed > 0 {
            lines.add("failed", format_args!("{failed}: {}", self.failed.join(", ")));
        }
        let mut worst: Vec<&(String, f64)> = self.confidences.iter().collect();
        worst.sort_by(|a, b| a.1.total_cmp(&b.1));
        let worst = worst.iter().take(NAMED).map(|(name, confidence)| format!("{name} {confidence:.2}"));
        let worst: Vec<String> = worst.collect();
        if !worst.is_empty() {
            lines.add("least sure", worst.join(", "));
        }
        lines
    }
}
