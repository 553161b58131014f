//! What an earlier run made, so that what is up to date is not made again: a hash of all that decided it, and what came of it.

use crate::io;
use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// All that decides how outputs look: files, options, the version of the program. A change of any of it makes them anew.
#[derive(Clone)]
pub struct Fingerprint(DefaultHasher);

impl Fingerprint {
    /// `edition` is raised when the same input gives another output within a version.
    pub fn new(edition: u32) -> Fingerprint {
        let mut hasher = DefaultHasher::new();
        (env!("CARGO_PKG_VERSION"), edition).hash(&mut hasher);
        Fingerprint(hasher)
    }

    pub fn add(&mut self, part: &(impl Hash + ?Sized)) {
        part.hash(&mut self.0);
    }

    /// Adds the content of a file and of those that it refers to. One that cannot be read will be missed where it is needed.
    pub fn add_file(&mut self, path: &Path) {
        for file in std::iter::once(path.to_owned()).chain(io::referenced_files(path)) {
            self.add(&fs::read(file).unwrap_or_default());
        }
    }

    pub fn text(&self) -> String {
        format!("{:016x}", self.0.finish())
    }
}

/// What was made, with the fingerprint of what decided it.
#[derive(Serialize, Deserialize)]
struct Record<T> {
    hash: String,
    #[serde(flatten)]
    made: T,
}

/// What an earlier run made, if the same decided it.
pub fn read<T: DeserializeOwned>(path: &Path, hash: &str) -> Option<T> {
    let record: Record<T> = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    (record.hash == hash).then_some(record.made)
}

/// The bytes of a record.
pub fn bytes<T: Serialize>(hash: &str, made: T) -> Result<Vec<u8>> {
    serde_json::to_vec(&Record { hash: hash.to_owned(), made }).context("cannot write a record")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Made {
        clips: Vec<f64>,
    }

    #[test]
    fn a_record_is_read_if_the_same_decided_it() {
        let dir = tempfile::tempdir().unwrap();
        let (path, input) = (dir.path().join("a.made"), dir.path().join("a.obj"));
        let hash = || {
            let mut fingerprint = Fingerprint::new(1);
            fingerprint.add_file(&input);
            fingerprint.text()
        };
        fs::write(&input, "v 0 0 0").unwrap();
        fs::write(&path, bytes(&hash(), Made { clips: vec![0.1, 2.0] }).unwrap()).unwrap();
        assert_eq!(read(&path, &hash()), Some(Made { clips: vec![0.1, 2.0] }));
        fs::write(&input, "v 0 0 1").unwrap();
        assert_eq!(read::<Made>(&path, &hash()), None);
        assert_ne!(Fingerprint::new(1).text(), Fingerprint::new(2).text());
    }
}
