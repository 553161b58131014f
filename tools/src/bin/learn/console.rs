//! What the program prints: results to standard output, progress and errors to standard error.

use anyhow::{Error, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Display;
use std::process::ExitCode;

/// Where the program says what it found.
pub struct Console {
    quiet: bool,
    /// Drawn on standard error if that is a terminal, hidden otherwise.
    progress: ProgressBar,
}

impl Console {
    pub fn new(quiet: bool) -> Console {
        Console { quiet, progress: ProgressBar::hidden() }
    }

    /// Announces work of so many steps.
    pub fn start(&mut self, steps: usize) -> Result<()> {
        let target = if self.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {eta} left {wide_msg}")?;
        self.progress = ProgressBar::with_draw_target(Some(steps as u64), target).with_style(style);
        Ok(())
    }

    /// Shows what is being worked on.
    pub fn stage(&self, name: impl Display) {
        self.progress.set_message(name.to_string());
    }

    /// One step is done.
    pub fn step(&self) {
        self.progress.inc(1);
    }

    /// Lines of the result.
    pub fn summary(&self, text: impl Display) {
        if !self.quiet {
            self.progress.suspend(|| println!("{text}"));
        }
    }

    /// Reports an error and turns the result into an exit code.
    pub fn finish(self, result: Result<()>) -> ExitCode {
        self.progress.finish_and_clear();
        match result {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("Error: {}.", sentence(&error));
                ExitCode::FAILURE
            }
        }
    }
}

/// The chain of causes, each said once: outer messages may already contain inner ones.
fn sentence(error: &Error) -> String {
    let mut sentence = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !sentence.contains(&cause) {
            let joint = if sentence.is_empty() { "" } else { ": " };
            sentence = sentence + joint + &cause;
        }
    }
    let mut letters = sentence.trim_end_matches('.').chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}
