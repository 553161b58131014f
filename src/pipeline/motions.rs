//! Motions as they are named: by name, as files, or as folders of files.

use super::{Character, ClipOptions, Error};
use crate::Warning;
use crate::io::{self, LoadError, bvh};
use crate::motion::{BuiltInMotion, Motion, built_in};
use crate::retarget::figure_of;
use crate::skeleton::{BodyKind, edit_distance};
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
    /// What was repaired in it.
    pub warnings: Vec<Warning>,
    /// The built-in motion that does the same on four legs.
    pub on_four_legs: Option<&'static BuiltInMotion>,
}

impl InputMotion {
    /// It, or the motion that does the same on a body like the character's: `walk` is another one on four legs. The clip keeps
    /// its name.
    ///
    /// # Errors
    /// If the other motion cannot be read.
    pub fn suited_to(self, character: &Character, options: &ClipOptions) -> Result<InputMotion, Error> {
        let own = self.on_four_legs.filter(|_| wants_own(character, options));
        let Some(own) = own else { return Ok(self) };
        let (mut motions, warnings) = MotionSource::BuiltIn(own).motions()?;
        let motion = motions.swap_remove(0).1;
        Ok(InputMotion { file: own.name.into(), motion, warnings, on_four_legs: None, ..self })
    }
}

/// Whether a character walks as animals do, when nobody says otherwise.
fn wants_own(character: &Character, options: &ClipOptions) -> bool {
    figure_of(&character.rig).body() == Some(BodyKind::FourLegged) && !options.any_body
}

/// A motion that is not used, and why.
#[derive(Debug)]
pub struct LeftOut {
    /// The file, or what was named.
    pub file: PathBuf,
    /// What is wrong with it; boxed, because most motions are used.
    pub error: Box<Error>,
}

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

    /// What is moved onto a character when this is asked for: of a built-in motion the one of its body, as
    /// [`InputMotion::suited_to`] has it.
    #[must_use]
    pub fn suited_to(self, character: &Character, options: &ClipOptions) -> MotionSource {
        let own = match &self {
            MotionSource::BuiltIn(known) => known.four_legged().filter(|_| wants_own(character, options)),
            MotionSource::File(_) => None,
        };
        own.map_or(self, MotionSource::BuiltIn)
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

/// Reads all motions, in the order of the arguments and in folders in that of their names; also those that are of no use. A name
/// belongs to a motion whether it can be read or not.
///
/// # Errors
/// If no motion is left.
pub fn find_motions(motions: &[String], names: &[String]) -> Result<(Vec<InputMotion>, Vec<LeftOut>), Error> {
    let places: Vec<Result<MotionSource, LeftOut>> =
        motions.iter().flat_map(|motion| places_of(motion)).collect();
    let read: Vec<Result<Vec<InputMotion>, LeftOut>> =
        places.into_par_iter().map(|place| place.and_then(read)).collect();
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    let mut names_left = names.iter();
    for read in read {
        match read {
            Ok(motions) => found.extend(motions.into_iter().map(|motion| match names_left.next() {
                Some(name) => InputMotion { name: name.clone(), ..motion },
                None => motion,
            })),
            Err(useless) => {
                names_left.next();
                left_out.push(useless);
            }
        }
    }
    if names_left.next().is_some() {
        return Err(Error::TooManyNames { names: names.len(), motions: found.len() + left_out.len() });
    }
    if found.is_empty() {
        return Err(match left_out.pop() {
            Some(only) if left_out.is_empty() => *only.error,
            last => {
                left_out.extend(last);
                none_of(&left_out)
            }
        });
    }
    Ok((found, left_out))
}

/// So many reasons fit a sentence.
const REASONS: usize = 3;

fn none_of(left_out: &[LeftOut]) -> Error {
    let reasons: Vec<String> =
        left_out.iter().take(REASONS).map(|useless| useless.error.to_string()).collect();
    let more = match left_out.len().saturating_sub(REASONS) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    no_motion(format!("none of the {} motions can be read: {}{more}", left_out.len(), reasons.join("; ")))
}

fn no_motion(reason: String) -> Error {
    Error::NoMotion { reason }
}

/// Mistakes in the name of a motion that are forgiven.
const MISTAKES: usize = 2;

/// The sources of an argument: one, or those of a folder.
fn places_of(motion: &str) -> Vec<Result<MotionSource, LeftOut>> {
    let path = Path::new(motion);
    let useless =
        |reason: String| vec![Err(LeftOut { file: path.to_owned(), error: Box::new(no_motion(reason)) })];
    let source = MotionSource::of(path);
    let is_file = path.exists() && !path.is_dir();
    if is_file || matches!(source, MotionSource::BuiltIn(_)) {
        return vec![Ok(source)];
    }
    if !path.exists() {
        let names: Vec<&str> = built_in().iter().map(|known| known.name).collect();
        let meant = names.iter().find(|known| edit_distance(known, motion) <= MISTAKES);
        let known = names.join(", ");
        return useless(match meant {
            Some(meant) => format!("there is no motion '{motion}'; did you mean {meant}? There are {known}"),
            None => format!("there is no motion '{motion}'; give a file, a folder, or one of {known}"),
        });
    }
    match files_below(path, MotionSource::has_ending) {
        Err(error) => useless(format!("cannot look into the folder '{motion}': {error}")),
        Ok(files) if files.is_empty() => useless(format!(
            "there is no motion in the folder '{motion}'; it needs files that end in .bvh, .glb, .gltf or .fbx"
        )),
        Ok(files) => files.into_iter().map(|file| Ok(MotionSource::File(file))).collect(),
    }
}

/// All files below a folder that are wanted, sorted. Links to folders are not followed, so that there are no circles, and names
/// that begin with a dot are notes of systems.
///
/// # Errors
/// If a folder cannot be looked into.
pub fn files_below(folder: &Path, is_wanted: fn(&Path) -> bool) -> std::io::Result<Vec<PathBuf>> {
    let mut entries = fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            files.extend(files_below(&path, is_wanted)?);
        } else if path.is_file() && is_wanted(&path) {
            files.push(path);
        }
    }
    Ok(files)
}

/// The motions of one place: several, if it is a file with several animations.
fn read(source: MotionSource) -> Result<Vec<InputMotion>, LeftOut> {
    let (file, on_four_legs) = match &source {
        MotionSource::BuiltIn(known) => (PathBuf::from(known.name), known.four_legged()),
        MotionSource::File(path) => (path.clone(), None),
    };
    match source.motions() {
        Ok((motions, _)) if motions.iter().all(|(_, motion)| motion.frames == 0) => {
            let reason = format!(
                "cannot use '{}': the motion has no frames; save it anew, or leave it out",
                file.display()
            );
            Err(LeftOut { file, error: Box::new(no_motion(reason)) })
        }
        Ok((motions, mut warnings)) => {
            let motions = motions.into_iter().map(|(name, motion)| InputMotion {
                name,
                file: file.clone(),
                motion,
                // What was found in the file is said once.
                warnings: std::mem::take(&mut warnings),
                on_four_legs,
            });
            Ok(motions.collect())
        }
        Err(error) => Err(LeftOut { file, error: Box::new(error.into()) }),
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
