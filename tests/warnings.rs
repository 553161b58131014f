//! How much is said about ordinary characters: a person who reads ten warnings reads none.

mod common;

use common::{corpus_file, files, puppetry, root, say_skipped};

/// Warnings a character on average. With more, batches end in lists that nobody reads.
const MOST: f64 = 1.0;

#[test]
fn real_characters_get_at_most_one_warning_on_average() {
    let Some(corpus) = corpus_file("") else { return };
    for folder in [corpus.clone(), corpus.join("../corpus2")] {
        let characters = [files(&folder, ".glb"), files(&folder, ".obj")].concat();
        if characters.is_empty() {
            say_skipped(&format!("warnings about the characters of '{}', which has none", folder.display()));
            continue;
        }
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out/").to_string_lossy().into_owned();
        let characters: Vec<&str> = characters.iter().filter_map(|path| path.to_str()).collect();
        let run = puppetry(root(), &[&["rig", "--format", "json", "-o", &out], &characters[..]].concat());
        let warnings = run.stderr().lines().filter(|line| line.starts_with("Warning")).count();
        let average = warnings as f64 / characters.len() as f64;
        assert!(
            average <= MOST,
            "{average:.2} warnings a character of '{}':\n{}",
            folder.display(),
            run.stderr()
        );
    }
}
