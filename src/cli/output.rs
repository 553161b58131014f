//! The only place that prints: results to standard output, everything else to standard error.

use super::remedies::{error_text, warning_text};
use crate::Warning;
use crate::pipeline::Progress;
use anyhow::Error;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Lines about a file, each with a heading.
pub struct Lines(String);

impl Lines {
    /// No lines yet, about something.
    pub fn about(what: impl fmt::Display) -> Lines {
        Lines(format!("{what}\n"))
    }

    pub fn add(&mut self, heading: &str, content: impl fmt::Display) {
        self.0.push_str(&format!("  {heading:<14}{content}\n"));
    }

    /// A text of one or more lines, without a heading.
    pub fn add_text(&mut self, text: &str) {
        self.0.push_str(text);
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.trim_end())
    }
}

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

    /// The time that each part of a run took, if `--verbose` asks for it.
    pub fn laps(&mut self, seconds: &[(&'static str, f64)]) -> Result<(), Error> {
        seconds.iter().try_for_each(|(part, seconds)| self.lap(part, *seconds))
    }

    /// The time that one part took.
    pub fn lap(&mut self, part: &str, seconds: f64) -> Result<(), Error> {
        self.detail(format_args!("  {:<14}{part} {:.0} ms", "time", 1000.0 * seconds))
    }

    /// Warnings about a file.
    pub fn warnings(&mut self, file: &Path, warnings: &[Warning]) {
        if !self.quiet {
            for warning in warnings {
                let (file, text, code) = (file.display(), warning_text(warning), warning.code());
                self.aside("Warning", "33", format_args!("'{file}': {text} [{code}]."));
            }
        }
    }

    /// A warning about each of several files.
    pub fn warnings_of_files(&mut self, warnings: &[(PathBuf, Warning)]) {
        warnings.iter().for_each(|(file, warning)| self.warnings(file, std::slice::from_ref(warning)));
    }

    /// An error that concerns one of several inputs; the others go on, and the exit code is 1 in the end.
    pub fn failure(&mut self, error: &Error) {
        self.failed = true;
        // The chain of causes, each said once: outer messages may already contain inner ones.
        let (mut plain, mut sentence) = (String::new(), String::new());
        for cause in error.chain() {
            let own = cause.to_string();
            if !plain.contains(&own) {
                let separator = if sentence.is_empty() { "" } else { ": " };
                sentence = sentence + separator + &error_text(cause);
                plain.push_str(&own);
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

/// So many of something.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
