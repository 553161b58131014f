//! Motions as they are named: by name, as files, or as folders of files.

use super::Error;
use crate::Warning;
use crate::io::{self, LoadError, bvh};
use crate::motion::{BuiltInMotion, Motion, built_in};
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

/// A motion that was read.
#[derive(Clone)]
pub struct InputMotion {
    /// What the clip is called.
    pub name: String,
    /// The file, or the name of a built-in motion.
    pub file: PathBuf,
    /// The motion.
    pub motion: Motion,
    /// Found in a folder: if it is of no use, the others are still wanted.
    pub is_found: bool,
    /// What was repaired in it.
    pub warnings: Vec<Warning>,
}

/// Files that are no motions.
pub type LeftOut = Vec<(PathBuf, Warning)>;

/// The motions of one place, or a file of a folder that is none.
type Found = Result<Vec<InputMotion>, (PathBuf, Warning)>;

/// Where a motion comes from.
#[derive(Debug, Clone)]
pub enum MotionSource {
    /// It is part of the program.
    BuiltIn(&'static BuiltInMotion),
    /// A file.
    File(PathBuf),
}

/// Endings of motion files.
const ENDINGS: [&str; 4] = ["bvh", "fbx", "glb", "gltf"];

impl MotionSource {
    /// The built-in motion of a name, or a file.
    pub fn of(name: &Path) -> MotionSource {
        let known = built_in().iter().find(|known| name.to_str().is_some_and(|name| known.is_called(name)));
        known.map_or_else(|| MotionSource::File(name.to_owned()), MotionSource::BuiltIn)
    }

    /// Whether a file is a motion, by its ending.
    pub fn has_ending(path: &Path) -> bool {
        path.extension().is_some_and(|e| ENDINGS.iter().any(|known| e.eq_ignore_ascii_case(known)))
    }

    /// All motions there with their names, and what was repaired.
    ///
    /// # Errors
    /// If the file cannot be read or does not move.
    pub fn motions(&self) -> Result<(io::NamedMotions, Vec<Warning>), LoadError> {
        match self {
            MotionSource::BuiltIn(known) => {
                let mut warnings = Vec::new();
                let motion = bvh::read(known.bvh.as_bytes(), &mut warnings);
                let motion = motion.map_err(|fault| LoadError::new(known.name, fault))?;
                Ok((vec![(known.name.to_owned(), motion)], warnings))
            }
            MotionSource::File(path) => io::load_motions(path),
        }
    }
}

/// A source, and whether it was found in a folder: if it cannot be read then, the others are still wanted.
type Place = (MotionSource, bool);

/// Reads all motions, in the order of the arguments and in folders in that of their names; also warnings about files that
/// were left out.
///
/// # Errors
/// If a name is no motion, a named file cannot be read, or no motion is left.
pub fn find_motions(motions: &[String], names: &[String]) -> Result<(Vec<InputMotion>, LeftOut), Error> {
    let mut places = Vec::new();
    for motion in motions {
        places.extend(places_of(motion)?);
    }
    let read: Vec<Result<Found, Error>> = places.into_par_iter().map(read).collect();
    let mut found = Vec::new();
    let mut left_out = Vec::new();
    for read in read {
        match read? {
            Ok(read) => found.extend(read),
            Err(warning) => left_out.push(warning),
        }
    }
    if names.len() > found.len() + left_out.len() {
        let (names, motions) = (names.len(), found.len());
        return Err(Error::TooManyNames { names, motions });
    }
    for (motion, name) in found.iter_mut().zip(names) {
        motion.name = name.clone();
    }
    if found.is_empty() {
        let reason = "none of the motions can be read; give BVH files, or GLB, glTF or FBX files that move";
        return Err(no_motion(reason.to_owned()));
    }
    Ok((found, left_out))
}

fn no_motion(reason: String) -> Error {
    Error::NoMotion { reason }
}

fn places_of(motion: &str) -> Result<Vec<Place>, Error> {
    let path = Path::new(motion);
    let source = MotionSource::of(path);
    if matches!(source, MotionSource::BuiltIn(_)) {
        return Ok(vec![(source, false)]);
    }
    if path.is_dir() {
        let mut files = Vec::new();
        search(path, &mut files)
            .map_err(|error| no_motion(format!("cannot look into the folder '{motion}': {error}")))?;
        if files.is_empty() {
            return Err(no_motion(format!(
                "there is no motion in the folder '{motion}'; it needs files that end in .bvh, .glb, .gltf or .fbx"
            )));
        }
        return Ok(files.into_iter().map(|file| (MotionSource::File(file), true)).collect());
    }
    if !path.exists() {
        let names: Vec<&str> = built_in().iter().map(|known| known.name).collect();
        let known = names.join(", ");
        return Err(no_motion(format!(
            "there is no motion '{motion}'; give a file, a folder, or one of {known}"
        )));
    }
    Ok(vec![(source, false)])
}

/// All motion files below a folder, sorted. Links to folders are not followed, so that there are no circles.
fn search(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            search(&path, files)?;
        } else if path.is_file() && MotionSource::has_ending(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// The motions of one place: several, if it is a file with several animations.
fn read((source, is_found): Place) -> Result<Found, Error> {
    let file = match &source {
        MotionSource::BuiltIn(known) => PathBuf::from(known.name),
        MotionSource::File(path) => path.clone(),
    };
    match source.motions() {
        Ok((motions, mut warnings)) => {
            let motions = motions.into_iter().map(|(name, motion)| InputMotion {
                name,
                file: file.clone(),
                motion,
                is_found,
                // What was found in the file is said once.
                warnings: std::mem::take(&mut warnings),
            });
            Ok(Ok(motions.collect()))
        }
        Err(error) if is_found => {
            let reason = error.fault.problem.to_string();
            Ok(Err((file, Warning::MotionLeftOut { reason })))
        }
        Err(error) => Err(error.into()),
    }
}

/// Gives every clip a name that all engines take, and that no other animation has.
pub fn name_clips(motions: &mut [InputMotion], mut taken: Vec<String>) {
    for motion in motions {
        let clean = clean_name(&motion.name);
        let mut name = clean.clone();
        let mut reason = "engines take letters, digits and _ only";
        for number in 2.. {
            if !taken.contains(&name) {
                break;
            }
            reason = "another clip has that name";
            name = format!("{clean}_{number}");
        }
        if name != motion.name {
            let from = std::mem::replace(&mut motion.name, name.clone());
            motion.warnings.push(Warning::ClipRenamed { from, to: name.clone(), reason });
        }
        taken.push(name);
    }
}

/// Letters, digits and underscores; runs of anything else become one underscore.
fn clean_name(name: &str) -> String {
    let mut clean = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            clean.push(letter);
        } else if !clean.ends_with('_') {
            clean.push('_');
        }
    }
    let clean = clean.trim_matches('_');
    if clean.is_empty() { "clip".to_owned() } else { clean.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_digits_and_underscores() {
        for (name, clean) in
            [("walk_01", "walk_01"), ("walk (fast).v2", "walk_fast_v2"), ("…", "clip"), ("läuft", "l_uft")]
        {
            assert_eq!(clean_name(name), clean);
        }
    }
}
