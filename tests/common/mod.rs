//! What several test files need. Each uses a part of it.
#![allow(dead_code)]

pub mod golden;
pub mod pinocchio;
pub mod stick_figure;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The real binary, run with `args` in `dir`.
pub fn puppetry(dir: &Path, args: &[&str]) -> Run {
    puppetry_with(dir, args, &[])
}

/// As [`puppetry`], with environment variables.
pub fn puppetry_with(dir: &Path, args: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_puppetry"));
    let output = command.args(args).envs(variables.iter().copied()).current_dir(dir).output();
    Run(output.expect("the binary runs"))
}

/// A finished run, with checks that read as sentences and show everything when they fail.
pub struct Run(Output);

impl Run {
    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    #[track_caller]
    pub fn exits_with(self, code: i32) -> Run {
        assert_eq!(
            self.0.status.code(),
            Some(code),
            "stdout:\n{}\nstderr:\n{}",
            self.stdout(),
            self.stderr()
        );
        self
    }

    #[track_caller]
    pub fn prints(self, part: &str) -> Run {
        assert!(
            self.stdout().contains(part),
            "no '{part}' in stdout:\n{}\nstderr:\n{}",
            self.stdout(),
            self.stderr()
        );
        self
    }

    #[track_caller]
    pub fn complains(self, part: &str) -> Run {
        assert!(self.stderr().contains(part), "no '{part}' in stderr:\n{}", self.stderr());
        self
    }

    #[track_caller]
    pub fn warns_of_nothing(self) -> Run {
        assert_eq!(self.stderr(), "");
        self
    }
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files with an ending in a folder, sorted.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    files
}

/// The example characters.
pub fn example_characters() -> Vec<PathBuf> {
    files(&root().join("examples/characters"), ".glb")
}

/// Real characters beside the repository; empty, with a line that says so, where they are not there.
pub fn corpus_characters() -> Vec<PathBuf> {
    let found = files(&root().join("../shared/corpus"), ".glb");
    if found.is_empty() {
        say_skipped("there is no corpus of real characters beside the repository");
    }
    found
}

/// Says that a test had nothing to work on; not by `println!`, which a passing test swallows.
pub fn say_skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// The truth file beside a character.
pub fn truth(character: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(character.with_extension("truth.json")).expect("a truth file");
    serde_json::from_str(&text).expect("JSON")
}
