//! The only place that prints: results to standard output, everything else to standard error.

use super::refusal::is_reason;
use super::remedies::{error_text, warning_text};
use super::save;
use crate::Warning;
use crate::pipeline::Progress;
use anyhow::{Context, Error, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
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

/// What became of a run, the worst last: its exit code tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Done,
    /// Something was written that should be looked at.
    Doubtful,
    Failed,
}

impl Outcome {
    fn exit_code(self) -> u8 {
        match self {
            Outcome::Done => 0,
            Outcome::Doubtful => 3,
            Outcome::Failed => 1,
        }
    }
}

/// Where a command says what it found.
pub struct Output {
    quiet: bool,
    verbose: bool,
    outcome: Outcome,
    /// What standard output carries, if that is data: what people read goes to standard error then.
    carried: Option<&'static str>,
    /// Characters of an unusual height in metres: told at the end, because the files of a folder mostly have one unit.
    unusual_sizes: Vec<(PathBuf, f64)>,
    /// Drawn on standard error if that is a terminal, hidden otherwise.
    progress: ProgressBar,
}

/// What `--json` makes standard output carry.
pub const JSON: &str = "JSON";

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
        Output {
            quiet,
            verbose,
            outcome: Outcome::Done,
            carried: None,
            unusual_sizes: Vec::new(),
            progress: ProgressBar::hidden(),
        }
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

    /// Standard output is to carry data: a file, a report, lines of JSON. It can carry one of them.
    pub fn carry(&mut self, data: &'static str) -> Result<(), Error> {
        match self.carried.replace(data) {
            Some(other) => {
                bail!("standard output cannot carry both {other} and {data}; write one of them to a file")
            }
            None => Ok(()),
        }
    }

    /// Writes all files or none, and then what goes to standard output. A reader that has seen enough is no error.
    pub fn save<P: AsRef<Path>, B: AsRef<[u8]>>(&mut self, files: &[(P, B)]) -> Result<(), Error> {
        let files = files.iter().map(|(path, bytes)| (path.as_ref(), bytes.as_ref()));
        let (streams, files): (Vec<_>, Vec<_>) = files.partition(|(path, _)| save::is_stdout(path));
        save::save_all(&files)?;
        for (_, bytes) in streams {
            let written = self.progress.suspend(|| {
                let mut stdout = io::stdout().lock();
                stdout.write_all(bytes).and_then(|()| stdout.flush())
            });
            unless_closed(written)?;
        }
        Ok(())
    }

    /// A line of JSON, if standard output carries those.
    pub fn record(&mut self, record: &impl Serialize) -> Result<(), Error> {
        if self.carried != Some(JSON) {
            return Ok(());
        }
        let line = serde_json::to_string(record).context("cannot write JSON")?;
        unless_closed(self.print(line))
    }

    /// A result: one or more lines to standard output.
    ///
    /// A closed pipe (`puppetry motions | head -1`) ends the program quietly, as it does other filters.
    pub fn result(&mut self, text: impl fmt::Display) -> Result<(), Error> {
        match self.print(text) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
            other => Ok(other?),
        }
    }

    fn print(&self, text: impl fmt::Display) -> io::Result<()> {
        self.progress.suspend(|| writeln!(io::stdout().lock(), "{text}"))
    }

    /// What a person likes to read after a file was written; nobody else does, and the work goes on without a reader.
    pub fn summary(&mut self, text: impl fmt::Display) -> Result<(), Error> {
        match self.carried {
            _ if self.quiet => Ok(()),
            Some(_) => {
                // If even standard error is closed, nobody listens.
                let _ = self.progress.suspend(|| writeln!(io::stderr().lock(), "{text}"));
                Ok(())
            }
            None => unless_closed(self.print(text)),
        }
    }

    /// Lines that only `--verbose` asks for.
    pub fn detail(&mut self, text: impl fmt::Display) -> Result<(), Error> {
        if self.verbose { self.summary(text) } else { Ok(()) }
    }

    /// The time that each part of a run took, if `--verbose` asks for it.
    pub fn laps(&mut self, seconds: &[(&'static str, f64)]) -> Result<(), Error> {
        seconds.iter().try_for_each(|(part, seconds)| self.lap(part, *seconds))
    }

    /// The time that one part took.
    pub fn lap(&mut self, part: &str, seconds: f64) -> Result<(), Error> {
        self.detail(format_args!("  {:<14}{part} {:.0} ms", "time", 1000.0 * seconds))
    }

    /// Warnings about a file; that of its size is kept for the end.
    pub fn warnings(&mut self, file: &Path, warnings: &[Warning]) {
        for warning in warnings {
            match warning {
                Warning::UnusualSize { height } => self.unusual_sizes.push((file.to_owned(), *height)),
                warning => self.warning(&format!("'{}'", file.display()), warning),
            }
        }
    }

    /// One warning about the sizes of all characters.
    fn warn_of_sizes(&mut self) {
        let sizes = std::mem::take(&mut self.unusual_sizes);
        match sizes.as_slice() {
            [] => {}
            [(file, height)] => {
                self.warning(&format!("'{}'", file.display()), &Warning::UnusualSize { height: *height });
            }
            _ if self.quiet => {}
            [(first, height), ..] => self.aside(
                "Warning",
                "33",
                format_args!(
                    "{} characters are unusually small or large, '{}' {height:.3} m high; if that is not meant, give \
                     their height, for example --height auto [unusual-size].",
                    sizes.len(),
                    first.display(),
                ),
            ),
        }
    }

    /// Warnings about a character that is refused. That its joints are doubtful is why.
    pub fn warnings_of_refused(&mut self, file: &Path, warnings: &[Warning]) {
        let others: Vec<Warning> = warnings.iter().filter(|warning| !is_reason(warning)).cloned().collect();
        self.warnings(file, &others);
    }

    /// A warning about something, as a sentence names it.
    pub fn warning(&mut self, subject: &str, warning: &Warning) {
        if !self.quiet {
            let (text, code) = (warning_text(warning), warning.code());
            self.aside("Warning", "33", format_args!("{subject}: {text} [{code}]."));
        }
    }

    /// What a person should know about flags, not about a character or a motion.
    pub fn remark(&mut self, text: fmt::Arguments<'_>, code: &str) {
        if !self.quiet {
            self.aside("Warning", "33", format_args!("{text} [{code}]."));
        }
    }

    /// Something was written that should be looked at: the exit code is 3 in the end, if nothing fails.
    pub fn doubtful(&mut self) {
        self.outcome = self.outcome.max(Outcome::Doubtful);
    }

    /// An error that concerns one of several inputs; the others go on, and the exit code is 1 in the end.
    pub fn failure(&mut self, error: &Error) {
        self.outcome = Outcome::Failed;
        let sentence = sentence(error);
        let end = if sentence.ends_with('?') { "" } else { "." };
        self.aside("Error", "31", format_args!("{}{end}", sentence.trim_end_matches('.')));
    }

    /// Reports the outcome of the command and turns it into an exit code.
    pub fn finish(mut self, result: Result<(), Error>) -> u8 {
        self.progress.finish_and_clear();
        self.warn_of_sizes();
        if let Err(error) = &result {
            self.failure(error);
        }
        self.outcome.exit_code()
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

/// What was printed, unless the reader has left.
fn unless_closed(printed: io::Result<()>) -> Result<(), Error> {
    match printed {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}

/// An error with its causes, each said once: outer messages may already contain inner ones.
pub fn sentence(error: &Error) -> String {
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
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// So many of something.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
