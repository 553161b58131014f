//! The characters that are learned from.

use crate::console::Console;
use anyhow::{Context, Result, bail};
use puppetry::stages::io::{self, skeleton_file, truth_file};
use puppetry::stages::learn::TrainingCharacter;
use puppetry::stages::mesh::prepare::{PrepareOptions, prepare};
use puppetry::stages::skeleton::{Skeleton, Truth, built_in};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// The characters of all folders.
pub struct Characters {
    /// Those whose shape asks for the skeleton, to learn from.
    pub training: Vec<TrainingCharacter>,
    /// The names of those that the program would give another one.
    pub others: Vec<String>,
    /// The folders, each with the names of its characters.
    pub folders: Vec<(String, Vec<String>)>,
}

const ENDINGS: [&str; 7] = ["glb", "gltf", "obj", "ply", "stl", "off", "fbx"];
const TRUTH: &str = "truth.json";

impl Characters {
    /// Reads every character that has a truth file.
    pub fn load(folders: &[&PathBuf], skeleton: &Skeleton, console: &mut Console) -> Result<Characters> {
        let skeletons = rivals(skeleton)?;
        let mut meshes: Vec<(PathBuf, Truth)> = Vec::new();
        let mut named = Vec::new();
        for folder in folders {
            let own = characters(folder, skeleton)?;
            named.push((folder.display().to_string(), own.iter().map(|(mesh, _)| name_of(mesh)).collect()));
            meshes.extend(own);
        }
        for (index, (mesh, _)) in meshes.iter().enumerate() {
            if let Some((other, _)) =
                meshes[..index].iter().find(|(other, _)| other.file_stem() == mesh.file_stem())
            {
                bail!("'{}' and '{}' have one name; rename one of them", other.display(), mesh.display());
            }
        }
        console.start(meshes.len())?;
        console.stage("reading characters");
        let training: Vec<TrainingCharacter> = meshes
            .into_par_iter()
            .map(|(path, truth)| {
                let character = training_character(&path, truth, &skeletons);
                console.step();
                character
            })
            .collect::<Result<_>>()?;
        let (training, others): (Vec<_>, Vec<_>) =
            training.into_iter().partition(|character| character.skeleton.name == skeleton.name);
        let others = others.into_iter().map(|character| character.name).collect();
        Ok(Characters { training, others, folders: named })
    }
}

/// The skeletons that the program chooses from: a built-in one has the others beside it.
fn rivals(skeleton: &Skeleton) -> Result<Vec<Skeleton>> {
    if !built_in().iter().any(|file| file.name == skeleton.name) {
        return Ok(vec![skeleton.clone()]);
    }
    let read = |text: &str| skeleton_file::read(text).map_err(|fault| fault.problem);
    let mut all = vec![skeleton.clone()];
    for file in built_in().iter().filter(|file| file.name != skeleton.name) {
        all.push(read(file.text).with_context(|| format!("the built-in skeleton {} is broken", file.name))?);
    }
    Ok(all)
}

/// The meshes of a folder that have a truth file of the right kind of body, sorted by name.
fn characters(folder: &Path, skeleton: &Skeleton) -> Result<Vec<(PathBuf, Truth)>> {
    let cannot = || format!("cannot read the folder '{}'", folder.display());
    let mut meshes: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(cannot)? {
        let path = entry.with_context(cannot)?.path();
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
        if ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
            && path.with_extension(TRUTH).is_file()
        {
            meshes.push(path);
        }
    }
    meshes.sort();
    if meshes.is_empty() {
        bail!(
            "there is no mesh with a truth file in '{}'; name it after the mesh: hero.glb and hero.{TRUTH}",
            folder.display()
        );
    }
    let mut characters = Vec::new();
    for mesh in meshes {
        let truth = truth_file::load(&mesh.with_extension(TRUTH))?;
        if suits(skeleton, &truth) {
            characters.push((mesh, truth));
        }
    }
    Ok(characters)
}

/// Built-in skeletons are for one kind of body; one's own is for whatever it is given. Where the hind legs of an animal have
/// a fourth joint, three bones cannot be compared with them: the ankle of one is the hock of the other.
fn suits(skeleton: &Skeleton, truth: &Truth) -> bool {
    let has_four_bones = truth.joints.contains_key("back_left_toe");
    match skeleton.name.as_str() {
        "human" => truth.morphology == "biped",
        "quadruped" => truth.morphology == "quadruped" && !has_four_bones,
        "horse" => truth.morphology == "quadruped" && has_four_bones,
        _ => true,
    }
}

fn training_character(path: &Path, truth: Truth, skeletons: &[Skeleton]) -> Result<TrainingCharacter> {
    let cannot = || format!("cannot learn from '{}'", path.display());
    let (mesh, mut warnings) = io::load_mesh(path)?;
    let prepared = prepare(&mesh, &PrepareOptions::default(), &mut warnings).with_context(cannot)?;
    TrainingCharacter::of(name_of(path), truth, prepared, skeletons).with_context(cannot)
}

fn name_of(mesh: &Path) -> String {
    mesh.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
