//! The characters of a run: files that are named, and all meshes in folders that are named.

use super::destination::is_folder;
use crate::pipeline::files_below;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Endings of files that may hold a character.
const ENDINGS: [&str; 8] = ["glb", "gltf", "vrm", "fbx", "obj", "ply", "stl", "off"];

/// The files, in the order in which they are named and in folders in that of their names. What lies in an output folder inside of
/// them was made by an earlier run.
///
/// # Errors
/// If a folder cannot be looked into or has no mesh.
pub fn find_meshes(names: &[PathBuf], outputs: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let outputs = outputs.iter().filter(|output| is_folder(output));
    let made: Vec<PathBuf> = outputs.filter_map(|output| output.canonicalize().ok()).collect();
    let mut meshes = Vec::new();
    let mut seen = BTreeSet::new();
    // Who is named and lies in a folder that is named, too, is one character.
    let mut is_new = |file: &PathBuf| file.canonicalize().map_or(true, |file| seen.insert(file));
    for name in names {
        if !name.is_dir() {
            meshes.extend(Some(name.clone()).filter(|name| is_new(name)));
            continue;
        }
        let found = files_below(name, is_mesh)
            .with_context(|| format!("cannot look into the folder '{}'", name.display()))?;
        let here = name.canonicalize().unwrap_or_default();
        let inside = || made.iter().filter(|made| **made != here && made.starts_with(&here));
        let is_input = |file: &PathBuf| {
            let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
            !folder.is_some_and(|folder| inside().any(|made| folder.starts_with(made)))
        };
        let inputs: Vec<PathBuf> = found.into_iter().filter(is_input).collect();
        if inputs.is_empty() {
            bail!(
                "there is no mesh in the folder '{}'; it needs files that end in .{}",
                name.display(),
                ENDINGS.join(", .")
            );
        }
        meshes.extend(inputs.into_iter().filter(|file| is_new(file)));
    }
    Ok(meshes)
}

fn is_mesh(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn folders_give_their_meshes_but_not_those_that_a_run_made() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("in/deep")).unwrap();
        fs::create_dir_all(at("in/out")).unwrap();
        fs::create_dir(at("empty")).unwrap();
        for file in ["in/b.OBJ", "in/a.glb", "in/notes.txt", "in/deep/c.stl", "in/out/a.glb"] {
            fs::write(at(file), "").unwrap();
        }
        let found = find_meshes(&[at("x.glb"), at("in")], &[at("in/out")]).unwrap();
        assert_eq!(found, [at("x.glb"), at("in/a.glb"), at("in/b.OBJ"), at("in/deep/c.stl")]);
        let twice = find_meshes(&[at("in/a.glb"), at("in/deep"), at("in/deep/c.stl")], &[]).unwrap();
        assert_eq!(twice, [at("in/a.glb"), at("in/deep/c.stl")]);
        let into = |folder: &str| find_meshes(&[at("in/deep")], &[at(folder)]).unwrap();
        assert_eq!((into("in"), into("in/deep")), (vec![at("in/deep/c.stl")], vec![at("in/deep/c.stl")]));
        assert!(find_meshes(&[at("empty")], &[]).unwrap_err().to_string().contains("there is no mesh"));
    }
}
