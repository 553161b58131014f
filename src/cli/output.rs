//! The only place that prints: results to standard output, everything else to standard error.

use crate::math::Axis;
use crate::pipeline::Progress;
use crate::{Remedy, Warning};
use anyhow::Error;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

/// Where a command says what it found.
pub struct Output {
    quiet: bool,
    verbose: bool,
    failed: bool,
    /// Drawn on standard error if that is a terminal, hidden otherwise.
    progress: ProgressBar,
}

/// Steps of the progress bar for each character or file.
const STEPS: f64 = 100.0;

impl Progress for Output {
    fn begin(&self, stage: &'static str, done: f64) -> bool {
        self.stage(stage);
        let whole = (self.progress.position() as f64 / STEPS).floor();
        self.progress.set_position(((whole + done.min(0.99)) * STEPS) as u64);
        true
    }
}

impl Output {
    pub fn new(quiet: bool, verbose: bool) -> Output {
        Output { quiet, verbose, failed: false, progress: ProgressBar::hidden() }
    }

    /// Announces work on so many characters.
    pub fn start(&mut self, characters: usize) {
        self.start_with(characters * STEPS as usize, "{bar:30} {percent} % {wide_msg}");
    }

    /// The work on a character is done.
    pub fn finish_character(&self) {
        let whole = (self.progress.position() as f64 / STEPS).floor();
        self.progress.set_position(((whole + 1.0) * STEPS) as u64);
    }

    /// Announces work of so many steps that takes long enough to ask how long.
    pub fn start_long(&mut self, steps: usize) {
        self.start_with(steps, "{bar:30} {pos}/{len} {eta} left {wide_msg}");
    }

    fn start_with(&mut self, steps: usize, template: &str) {
        let target = if self.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        self.progress = ProgressBar::with_draw_target(Some(steps as u64), target);
        // The template is a constant; should it ever be wrong, the default style serves.
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.progress.set_style(style);
        }
    }

    /// Shows what is being worked on.
    pub fn stage(&self, name: impl fmt::Display) {
        self.progress.set_message(name.to_string());
    }

    /// One step is done.
    pub fn step(&self) {
        self.progress.inc(1);
    }

    /// A result: one or more lines to standard output.
    ///
    /// A closed pipe (`puppetry motions | head -1`) ends the program quietly, as it does other filters.
    pub fn result(&mut self, text: impl fmt::Display) -> Result<(), Error> {
        match self.progress.suspend(|| writeln!(io::stdout().lock(), "{text}")) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
            other => Ok(other?),
        }
    }

    /// What a person likes to read after a file was written; nobody else does.
    pub fn summary(&mut self, text: impl fmt::Display) -> Result<(), Error> {
        if self.quiet { Ok(()) } else { self.result(text) }
    }

    /// Lines that only `--verbose` asks for.
    pub fn detail(&mut self, text: impl fmt::Display) -> Result<(), Error> {
        if self.verbose { self.result(text) } else { Ok(()) }
    }

    /// Warnings about a file.
    pub fn warnings(&mut self, file: &Path, warnings: &[Warning]) {
        if !self.quiet {
            for warning in warnings {
                self.aside(
                    "Warning",
                    "33",
                    format_args!("'{}': {warning}{} [{}].", file.display(), remedy(warning), warning.code()),
                );
            }
        }
    }

    /// An error that concerns one of several inputs; the others go on, and the exit code is 1 in the end.
    pub fn failure(&mut self, error: &Error) {
        self.failed = true;
        // The chain of causes, each said once: outer messages may already contain inner ones.
        let mut sentence = String::new();
        for cause in error.chain().map(ToString::to_string) {
            if !sentence.contains(&cause) {
                let joint = if sentence.is_empty() { "" } else { ": " };
                sentence = sentence + joint + &cause;
            }
        }
        let mut letters = sentence.chars();
        let sentence: String =
            letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
        self.aside("Error", "31", format_args!("{}.", sentence.trim_end_matches('.')));
    }

    /// Reports the outcome of the command and turns it into an exit code.
    pub fn finish(mut self, result: Result<(), Error>) -> u8 {
        self.progress.finish_and_clear();
        if let Err(error) = &result {
            self.failure(error);
        }
        u8::from(self.failed)
    }

    /// A line to standard error, its heading coloured on a terminal. If even that is closed, nobody listens.
    fn aside(&self, heading: &str, color: &str, text: fmt::Arguments<'_>) {
        self.progress.suspend(|| {
            let mut stderr = io::stderr().lock();
            let _ = if stderr.is_terminal() && std::env::var_os("NO_COLOR").is_none() {
                writeln!(stderr, "\x1b[1;{color}m{heading}:\x1b[0m {text}")
            } else {
                writeln!(stderr, "{heading}: {text}")
            };
        });
    }
}

/// What would help, as a flag.
fn remedy(warning: &Warning) -> String {
    match warning.remedy() {
        Some(Remedy::Height(height)) => format!(", for example --height {height}"),
        Some(Remedy::UpAxis(axis)) => format!(", for example --up {}", axis_name(axis)),
        Some(Remedy::FrontAxis(axis)) => format!(", for example --front {}", axis_name(axis)),
        Some(Remedy::BothAxes) => ": --up and --front".to_owned(),
        Some(Remedy::CheckJoints) => ": --stages DIR, --skeleton NAME, --hint JOINT=X,Y,Z".to_owned(),
        Some(Remedy::Hint { joint, position: [x, y, z] }) => format!(": --hint {joint}={x},{y},{z}"),
        Some(Remedy::ShorterStride) => ", for example --stride 0.9".to_owned(),
        Some(Remedy::JointMap) => " with --map".to_owned(),
        Some(Remedy::Mirror) => " with --mirror".to_owned(),
        Some(Remedy::ClipName) => " with --name".to_owned(),
        _ => String::new(),
    }
}

/// An axis as `--up` and `--front` take it.
fn axis_name(axis: Axis) -> String {
    axis.to_string().to_lowercase().trim_start_matches('+').to_owned()
}
