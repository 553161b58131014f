//! The motions that a command is given: by name, as files, or as folders of files.

use anyhow::{Context, Result, bail};
use puppetry::Warning;
use puppetry::io::{self, bvh};
use puppetry::motion::{Motion, built_in};
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

/// A motion that was read.
#[derive(Clone)]
pub struct Footage {
    /// What the clip is called.
    pub name: String,
    /// The file, or the name of a built-in motion.
    pub file: PathBuf,
    pub motion: Motion,
    /// Found in a folder: if it is of no use, the others are still wanted.
    pub is_found: bool,
    pub warnings: Vec<Warning>,
}

/// Files that are no motions.
pub type LeftOut = Vec<(PathBuf, Warning)>;

/// The motions of one place, or a file of a folder that is none.
type Found = Result<Vec<Footage>, (PathBuf, Warning)>;

/// Where a motion comes from.
enum Place {
    BuiltIn(&'static puppetry::motion::BuiltIn),
    File(PathBuf),
    /// A file that was found in a folder: if it cannot be read, the others are still wanted.
    Found(PathBuf),
}

/// Endings of files that are looked for in folders.
const ENDINGS: [&str; 4] = ["bvh", "fbx", "glb", "gltf"];

/// Reads all motions, in the order of the arguments and in folders in that of their names; also warnings about files that
/// were left out.
pub fn load(motions: &[String], names: &[String]) -> Result<(Vec<Footage>, LeftOut)> {
    let mut places = Vec::new();
    for motion in motions {
        places.extend(places_of(motion)?);
    }
    let read: Vec<Result<Found>> = places.into_par_iter().map(read).collect();
    let mut footage = Vec::new();
    let mut left_out = Vec::new();
    for read in read {
        match read? {
            Ok(read) => footage.extend(read),
            Err(warning) => left_out.push(warning),
        }
    }
    if names.len() > footage.len() + left_out.len() {
        bail!(
            "there are {} names for {} motions; give at most one --name for each",
            names.len(),
            footage.len()
        );
    }
    for (footage, name) in footage.iter_mut().zip(names) {
        footage.name = name.clone();
    }
    if footage.is_empty() {
        bail!("none of the motions can be read; give BVH files, or GLB, glTF or FBX files that move");
    }
    Ok((footage, left_out))
}

fn places_of(motion: &str) -> Result<Vec<Place>> {
    if let Some(found) = built_in().iter().find(|known| known.name.eq_ignore_ascii_case(motion)) {
        return Ok(vec![Place::BuiltIn(found)]);
    }
    let path = Path::new(motion);
    if path.is_dir() {
        let mut files = Vec::new();
        search(path, &mut files).with_context(|| format!("cannot look into the folder '{motion}'"))?;
        if files.is_empty() {
            bail!(
                "there is no motion in the folder '{motion}'; it needs files that end in .bvh, .glb, .gltf or .fbx"
            );
        }
        return Ok(files.into_iter().map(Place::Found).collect());
    }
    if !path.exists() {
        let names: Vec<&str> = built_in().iter().map(|known| known.name).collect();
        bail!("there is no motion '{motion}'; give a file, a folder, or one of {}", names.join(", "));
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
fn read(place: Place) -> Result<Found> {
    let (file, read) = match &place {
        Place::BuiltIn(known) => {
            let mut warnings = Vec::new();
            let read = bvh::read(known.bvh.as_bytes(), &mut warnings).map_err(|fault| fault.problem);
            let motion = read.with_context(|| format!("the built-in motion {} is broken", known.name))?;
            (PathBuf::from(known.name), Ok((vec![(known.name.to_owned(), motion)], warnings)))
        }
        Place::File(path) | Place::Found(path) => (path.clone(), io::load_motions(path)),
    };
    match (read, place) {
        (Ok((motions, warnings)), place) => {
            let is_found = matches!(place, Place::Found(_));
            let footage =
                |(name, motion)| Footage { name, file: file.clone(), motion, is_found, warnings: Vec::new() };
            let mut read: Vec<Footage> = motions.into_iter().map(footage).collect();
            // What was found in the file is said once.
            if let Some(first) = read.first_mut() {
                first.warnings = warnings;
            }
            Ok(Ok(read))
        }
        (Err(error), Place::Found(_)) => {
            let reason = error.fault.problem.to_string();
            Ok(Err((file, Warning::MotionLeftOut { reason })))
        }
        (Err(error), _) => Err(error.into()),
    }
}
