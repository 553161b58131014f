//! The motion files of a library.

use anyhow::{Context, Result, bail};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// A motion file.
pub struct Entry {
    pub path: PathBuf,
    /// Its path below the folder that was named, with slashes.
    pub shown: String,
    /// The folder part of that, and the name without its ending.
    pub folder: String,
    pub name: String,
    /// A name for files, from its name and a number that belongs to its path.
    pub id: String,
}

/// Endings of motion files.
const ENDINGS: [&str; 4] = ["bvh", "fbx", "glb", "gltf"];
/// Letters of the name that are part of the id.
const ID_LETTERS: usize = 40;
/// Folders within folders that are looked into: links may lead in a circle.
const DEPTH: usize = 16;

/// All motion files that are named or lie in named folders, in the order of their paths. What lies in `except`, the page
/// itself, does not count.
pub fn find(paths: &[PathBuf], except: &Path) -> Result<Vec<Entry>> {
    if paths.is_empty() {
        bail!("name a motion file or a folder of them");
    }
    let except = except.canonicalize().ok();
    let mut entries = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut files = Vec::new();
            collect(path, except.as_deref(), DEPTH, &mut files)?;
            files.sort();
            entries.extend(files.into_iter().map(|file| Entry::new(file, path)));
        } else if path.exists() {
            entries.push(Entry::new(path.clone(), path.parent().unwrap_or(Path::new(""))));
        } else {
            bail!("there is no '{}'; name a motion file or a folder of them", path.display());
        }
    }
    if entries.is_empty() {
        bail!(
            "there are no motions in '{}': no file there ends in .bvh, .fbx, .glb or .gltf",
            paths[0].display()
        );
    }
    Ok(entries)
}

fn collect(folder: &Path, except: Option<&Path>, depth: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    if depth == 0 || except.is_some() && folder.canonicalize().ok().as_deref() == except {
        return Ok(());
    }
    let cannot = || format!("cannot look into '{}'", folder.display());
    for item in fs::read_dir(folder).with_context(cannot)? {
        let path = item.with_context(cannot)?.path();
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if path.is_dir() {
            collect(&path, except, depth - 1, files)?;
        } else if ENDINGS.contains(&ending.as_str()) {
            files.push(path);
        }
    }
    Ok(())
}

impl Entry {
    fn new(path: PathBuf, below: &Path) -> Entry {
        let relative = path.strip_prefix(below).unwrap_or(&path);
        let parts: Vec<String> = relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut hasher = DefaultHasher::new();
        parts.hash(&mut hasher);
        let plain =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
        let plain: String = plain.take(ID_LETTERS).collect();
        Entry {
            shown: parts.join("/"),
            folder: parts[..parts.len().saturating_sub(1)].join("/"),
            id: format!("{plain}-{:08x}", hasher.finish() as u32),
            name,
            path,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motions_are_found_in_folders_but_not_in_the_page() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join("b/deep")).unwrap();
        fs::create_dir_all(root.join("page/models")).unwrap();
        for file in ["z.bvh", "a.BVH", "notes.txt", "b/deep/a b.fbx", "page/models/x.glb"] {
            fs::write(root.join(file), "").unwrap();
        }
        let found = find(&[root.to_owned()], &root.join("page")).unwrap();
        let shown: Vec<&str> = found.iter().map(|entry| entry.shown.as_str()).collect();
        assert_eq!(shown, ["a.BVH", "b/deep/a b.fbx", "z.bvh"]);
        assert_eq!((found[1].folder.as_str(), found[1].name.as_str()), ("b/deep", "a b"));
        assert!(found[1].id.starts_with("a-b-") && found[1].id.len() == 12);
        let empty = find(&[root.join("page/models")], &root.join("page/models")).map(|_| ()).unwrap_err();
        assert!(empty.to_string().contains("there are no motions in"), "{empty}");
    }
}
