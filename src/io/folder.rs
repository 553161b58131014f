use super::Problem;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The folder of the file being read, through which readers reach material libraries, buffers and images.
///
/// References come from the file and are not trusted: only files in this folder or below it are opened, so
/// that a downloaded model cannot pull private files of the user into the output.
#[derive(Debug, Clone, Default)]
pub struct Folder {
    root: Option<PathBuf>,
}

impl Folder {
    /// A folder without files, for bytes that did not come from a file.
    pub fn none() -> Folder {
        Folder { root: None }
    }

    /// The folder that contains `file`.
    pub fn of(file: &Path) -> Folder {
        let parent = file.parent().unwrap_or(Path::new(""));
        Folder { root: Some(if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent.into() }) }
    }

    /// Reads the file that `reference` names.
    ///
    /// Percent escapes and backslashes are understood. References written on other machines are usual
    /// (`C:\art\Skin.PNG` for a file `skin.png` beside the mesh), so where the path does not exist, a file of
    /// that name in the folder itself is taken, if need be with other capitals.
    pub fn read(&self, reference: &str) -> Result<Vec<u8>, Problem> {
        let missing = |reason: String| Problem::ReferencedFile { name: reference.to_owned(), reason };
        let Some(root) = &self.root else { return Err(missing("there is no folder to look in".into())) };
        if reference.contains("://") {
            return Err(missing("it is on a network, and nothing is read from there".into()));
        }
        let mut outside = false;
        for spelling in [reference.to_owned(), percent_decoded(reference)] {
            let path = PathBuf::from(spelling.replace('\\', "/"));
            if path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir)) {
                if let Ok(bytes) = fs::read(root.join(&path)) {
                    return Ok(bytes);
                }
            } else {
                outside = true;
            }
            if let Some(found) = path.file_name().and_then(|name| find_ignoring_case(root, name.to_str()?)) {
                return fs::read(&found).map_err(|error| missing(error.to_string()));
            }
        }
        let reason = if outside { "it lies outside the folder of this file" } else { "no such file" };
        Err(missing(reason.into()))
    }
}

/// A file directly in `root` whose name equals `name` but for capitals; an exact match wins.
fn find_ignoring_case(root: &Path, name: &str) -> Option<PathBuf> {
    let exact = root.join(name);
    if exact.is_file() {
        return Some(exact);
    }
    let mut matches: Vec<PathBuf> = fs::read_dir(root)
        .ok()?
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(|n| n.eq_ignore_ascii_case(name)))
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect();
    matches.sort();
    matches.into_iter().next()
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        decoded.push(escaped.unwrap_or(bytes[at]));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_files_by_path_escape_and_foreign_spelling_but_never_outside() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("model");
        fs::create_dir_all(inner.join("textures")).unwrap();
        fs::write(dir.path().join("secret.txt"), "secret").unwrap();
        fs::write(inner.join("my skin.png"), "skin").unwrap();
        fs::write(inner.join("textures/a.png"), "a").unwrap();
        let folder = Folder::of(&inner.join("mesh.gltf"));
        assert_eq!(folder.read("textures/a.png").unwrap(), b"a");
        assert_eq!(folder.read("textures\\a.png").unwrap(), b"a");
        assert_eq!(folder.read("my%20skin.png").unwrap(), b"skin");
        assert_eq!(folder.read("C:\\art\\My Skin.PNG").unwrap(), b"skin");
        for outside in ["../secret.txt", "textures/../../secret.txt", "/etc/passwd", "https://x.org/a.bin"] {
            assert!(folder.read(outside).is_err(), "{outside} was read");
        }
    }
}
