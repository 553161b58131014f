//! Motions as they are named: by name, as files, or as folders of files.

use super::Error;
use crate::Warning;
use crate::io::{self, LoadError, bvh};
use crate::motion::{BuiltIn, Motion, built_in};
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
    /// What was mended.
    pub warnings: Vec<Warning>,
}

/// Files that are no motions.
pub type LeftOut = Vec<(PathBuf, Warning)>;

/// The motions of one place, or a file of a folder that is none.
type Found = Result<Vec<InputMotion>, (PathBuf, Warning)>;

/// Where a motion comes from.
enum Place {
    BuiltIn(&'static BuiltIn),
    File(PathBuf),
    /// A file that was found in a folder: if it cannot be read, the others are still wanted.
    Found(PathBuf),
}

/// Endings of files that are looked for in folders.
const ENDINGS: [&str; 4] = ["bvh", "fbx", "glb", "gltf"];

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
        return Err(no_motion(format!(
            "there are {names} names for {motions} motions; give at most one --name for each"
        )));
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
    if let Some(found) = built_in().iter().find(|known| known.name.eq_ignore_ascii_case(motion)) {
        return Ok(vec![Place::BuiltIn(found)]);
    }
    let path = Path::new(motion);
    if path.is_dir() {
        let mut files = Vec::new();
        search(path, &mut files)
            .map_err(|error| no_motion(format!("cannot look into the folder '{motion}': {error}")))?;
        if files.is_empty() {
            return Err(no_motion(format!(
                "there is no motion in the folder '{motion}'; it needs files that end in .bvh, .glb, .gltf or .fbx"
            )));
        }
        return Ok(files.into_iter().map(Place::Found).collect());
    }
    if !path.exists() {
        let names: Vec<&str> = built_in().iter().map(|known| known.name).collect();
        let known = names.join(", ");
        return Err(no_motion(format!(
            "there is no motion '{motion}'; give a file, a folder, or one of {known}"
        )));
    }
    Ok(vec![Place::File(path.to_owned())])
}

/// All motion files below a folder, sorted. Links to folders are not followed, so that there are no circles.
fn search(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            search(&path, files)?;
        } else if path.is_file()
            && path.extension().is_some_and(|e| ENDINGS.iter().any(|known| e.eq_ignore_ascii_case(known)))
        {
            files.push(path);
        }
    }
    Ok(())
}

/// The motions of one place: several, if it is a file with several animations.
fn read(place: Place) -> Result<Found, Error> {
    let (file, read) = match &place {
        Place::BuiltIn(known) => (PathBuf::from(known.name), read_built_in(known)),
        Place::File(path) | Place::Found(path) => (path.clone(), io::load_motions(path)),
    };
    let is_found = matches!(place, Place::Found(_));
    match read {
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

fn read_built_in(known: &BuiltIn) -> Result<(io::NamedMotions, Vec<Warning>), LoadError> {
    let mut warnings = Vec::new();
    let motion = bvh::read(known.bvh.as_bytes(), &mut warnings)
        .map_err(|fault| LoadError { file: known.name.into(), fault })?;
    Ok((vec![(known.name.to_owned(), motion)], warnings))
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
