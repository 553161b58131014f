//! What several test files need. Each uses a part of it.
#![allow(dead_code)]

pub mod golden;
pub mod pinocchio;
pub mod posed;
pub mod stick_figure;
pub mod truth;

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

/// Small characters with features that the examples lack.
pub fn hard_cases() -> Vec<PathBuf> {
    files(&root().join("tests/data"), ".glb")
}

/// A path in the folder of real characters. `PUPPETRY_CORPUS` names that folder, and then everything must be there; else it is
/// looked for beside the repository, and a line says what is skipped where it is not.
pub fn corpus_file(name: &str) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("PUPPETRY_CORPUS") {
        let path = PathBuf::from(folder).join(name);
        assert!(path.exists(), "PUPPETRY_CORPUS: there is no '{}'", path.display());
        return Some(path);
    }
    let path = root().join("../shared/corpus").join(name);
    if !path.exists() {
        say_skipped("what needs real characters; PUPPETRY_CORPUS=DIR names their folder");
        return None;
    }
    Some(path)
}

/// The files of the corpus with an ending, sorted; none where there is no corpus.
pub fn corpus_files(ending: &str) -> Vec<PathBuf> {
    let Some(folder) = corpus_file("") else { return Vec::new() };
    let found = files(&folder, ending);
    assert!(!found.is_empty(), "'{}' has no file that ends in {ending}", folder.display());
    found
}

/// A result of Pinocchio's first release, in the folder `golden` beside the corpus.
pub fn original_result(name: &str) -> Option<PathBuf> {
    corpus_file(&format!("../golden/{name}"))
}

/// Says that a test had nothing to work on; not by `println!`, which a passing test swallows. `PUPPETRY_SKIPPED` names a file
/// that collects these lines.
pub fn say_skipped(why: &str) {
    let line = format!("skipped: {why}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(file) = std::env::var_os("PUPPETRY_SKIPPED") {
        let mut file =
            std::fs::File::options().create(true).append(true).open(file).expect("PUPPETRY_SKIPPED");
        file.write_all(line.as_bytes()).expect("PUPPETRY_SKIPPED");
    }
}
