//! The motions of a library.

use crate::motion::built_in;
use crate::pipeline::MotionSource;
use anyhow::{Context, Error, Result, anyhow, bail};
use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// A motion file, or a built-in motion.
pub struct Entry {
    pub source: MotionSource,
    /// Its path below the folder that was named, with slashes.
    pub shown: String,
    /// The folder part of that, and the name without its ending.
    pub folder: String,
    pub name: String,
    /// A name for files, from its name and a number that belongs to its path.
    pub id: String,
    selection: Selection,
}

/// How a motion came into the library.
#[derive(Clone, Copy, PartialEq)]
enum Selection {
    Named,
    /// It was found in a folder, where files without a motion are no mistake.
    Folder,
}

/// All motions, and folders that could not be looked into.
pub struct Library {
    pub entries: Vec<Entry>,
    pub closed: Vec<(String, Error)>,
}

/// Letters of the name that are part of the id.
const ID_LETTERS: usize = 40;

/// All motions that are named or lie in named folders, in the order of their paths; those built in if none is named. What lies
/// in `except`, the page itself, does not count.
pub fn find(names: &[PathBuf], except: &Path) -> Result<Library> {
    let mut search = Search { seen: except.canonicalize().into_iter().collect(), ..Search::default() };
    if names.is_empty() {
        for known in built_in() {
            search.add_named(MotionSource::BuiltIn(known), known.name.into());
        }
    }
    for name in names {
        let source = MotionSource::of(name);
        if let MotionSource::BuiltIn(known) = source {
            search.add_named(source, known.name.into());
        } else if name.is_dir() {
            // Several folders may hold files of one name.
            let above = (names.len() > 1).then(|| name.file_name()).flatten();
            let above = above.map(|name| name.to_string_lossy().into_owned());
            search.look_into(name, &above.into_iter().collect::<Vec<_>>());
        } else if name.exists() {
            let own = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
            search.add_named(source, own);
        } else {
            bail!("{}", no_such_motion(name));
        }
    }
    if search.entries.is_empty() {
        if let Some((_, error)) = search.closed.pop() {
            return Err(error);
        }
        let folders: Vec<String> = names.iter().map(|name| format!("'{}'", name.display())).collect();
        bail!(
            "there are no motions in {}: no file there ends in .bvh, .fbx, .glb or .gltf",
            folders.join(", ")
        );
    }
    Ok(Library { entries: search.entries, closed: search.closed })
}

pub fn no_such_motion(name: &Path) -> String {
    let known: Vec<&str> = built_in().iter().map(|known| known.name).collect();
    let known = known.join(", ");
    format!("there is no '{}'; name a motion file, a folder of them, or one of {known}", name.display())
}

#[derive(Default)]
struct Search {
    entries: Vec<Entry>,
    closed: Vec<(String, Error)>,
    /// Folders and files, so that links do not lead in a circle and nothing is shown twice.
    seen: BTreeSet<PathBuf>,
    ids: BTreeSet<String>,
}

impl Search {
    /// Adds what lies in a folder, of which `above` are the names below the one that was named.
    fn look_into(&mut self, folder: &Path, above: &[String]) {
        if !folder.canonicalize().is_ok_and(|path| self.seen.insert(path)) {
            return;
        }
        let listed = fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
        let mut listed = match listed {
            Ok(listed) => listed,
            Err(error) => {
                let error = anyhow!("cannot look into '{}': {error}", folder.display());
                return self.closed.push((above.join("/") + "/", error));
            }
        };
        listed.sort_by_key(fs::DirEntry::file_name);
        for item in listed {
            let (path, name) = (item.path(), item.file_name().to_string_lossy().into_owned());
            let here: Vec<String> = above.iter().cloned().chain([name.clone()]).collect();
            // Systems keep notes of their own in files that begin with a dot.
            if name.starts_with('.') {
                continue;
            }
            if path.is_dir() {
                self.look_into(&path, &here);
            } else if MotionSource::has_ending(&path) {
                self.add(MotionSource::File(path), here, Selection::Folder);
            }
        }
    }

    fn add_named(&mut self, source: MotionSource, name: String) {
        self.add(source, vec![name], Selection::Named);
    }

    fn add(&mut self, source: MotionSource, parts: Vec<String>, selection: Selection) {
        let name = match &source {
            MotionSource::BuiltIn(known) => known.name.to_owned(),
            MotionSource::File(path) => {
                if !path.canonicalize().is_ok_and(|path| self.seen.insert(path)) {
                    return;
                }
                path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
            }
        };
        let mut hasher = DefaultHasher::new();
        parts.hash(&mut hasher);
        let plain =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
        let plain: String = plain.take(ID_LETTERS).collect();
        let mut number = hasher.finish() as u32;
        let mut id = format!("{plain}-{number:08x}");
        while !self.ids.insert(id.clone()) {
            number = number.wrapping_add(1);
            id = format!("{plain}-{number:08x}");
        }
        let (shown, folder) = (parts.join("/"), parts[..parts.len() - 1].join("/"));
        self.entries.push(Entry { source, shown, folder, name, id, selection });
    }
}

impl Entry {
    /// Its bytes.
    pub fn content(&self) -> Result<Vec<u8>> {
        match &self.source {
            MotionSource::BuiltIn(known) => Ok(known.bvh.as_bytes().to_vec()),
            MotionSource::File(path) => {
                fs::read(path).with_context(|| format!("cannot read '{}'", path.display()))
            }
        }
    }

    /// Whether it is no mistake if it does not move.
    pub fn may_be_still(&self) -> bool {
        self.selection == Selection::Folder
    }

    /// The id of one of its clips.
    pub fn id_of_clip(&self, number: usize) -> String {
        let (plain, first) = self.id.rsplit_once('-').unwrap_or((&self.id, "0"));
        let first = u32::from_str_radix(first, 16).unwrap_or(0);
        format!("{plain}-{:08x}", first.wrapping_add(number as u32))
    }

    /// The folder of its clips on the page; a file with several is one.
    pub fn folder_of_clips(&self, clips: usize) -> String {
        if clips > 1 { self.shown.clone() } else { self.folder.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(library: &Library) -> Vec<&str> {
        library.entries.iter().map(|entry| entry.shown.as_str()).collect()
    }

    #[test]
    fn motions_are_found_in_folders_but_not_in_the_page() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join("b/deep")).unwrap();
        fs::create_dir_all(root.join("page/models")).unwrap();
        for file in ["z.bvh", "a.BVH", "notes.txt", ".hidden.bvh", "b/deep/a b.fbx", "page/models/x.glb"] {
            fs::write(root.join(file), "").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(root, root.join("b/circle")).unwrap();
        let found = find(&[root.to_owned()], &root.join("page")).unwrap();
        assert_eq!(shown(&found), ["a.BVH", "b/deep/a b.fbx", "z.bvh"]);
        let deep = &found.entries[1];
        assert_eq!((deep.folder.as_str(), deep.name.as_str()), ("b/deep", "a b"));
        assert!(deep.id.starts_with("a-b-") && deep.id.len() == 12);
        let empty = find(&[root.join("page/models")], &root.join("page/models")).map(|_| ()).unwrap_err();
        assert!(empty.to_string().contains("there are no motions in"), "{empty}");
    }

    #[test]
    fn files_of_one_name_stay_apart_and_one_file_is_shown_once() {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["a/x", "b/x"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
            fs::write(dir.path().join(folder).join("walk.bvh"), "").unwrap();
        }
        let [a, b] = ["a/x", "b/x"].map(|folder| dir.path().join(folder));
        let found = find(&[a.clone(), b, a.join("walk.bvh")], &dir.path().join("page")).unwrap();
        assert_eq!(shown(&found), ["x/walk.bvh", "x/walk.bvh"]);
        assert_ne!(found.entries[0].id, found.entries[1].id);
    }

    #[test]
    fn motions_that_are_built_in_have_names() {
        let page = Path::new("page");
        assert_eq!(find(&[], page).unwrap().entries.len(), built_in().len());
        let walk = find(&["walk".into()], page).unwrap();
        assert!(walk.entries[0].source.motions().is_ok() && walk.entries[0].name == "walk");
        assert_eq!(walk.entries[0].id_of_clip(0), walk.entries[0].id);
        assert!(
            find(&["wlak".into()], page).map(|_| ()).unwrap_err().to_string().contains("one of walk, run")
        );
    }
}
