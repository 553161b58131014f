use super::Problem;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The folder of the file being read, through which readers reach material libraries, buffers and images.
///
/// References come from the file and are not trusted: only files in this folder or below it are opened, so
/// that a downloaded model cannot pull private files of the user into the output.
#[derive(Debug, Clone, Default)]
pub struct Folder {
    root: Option<PathBuf>,
    /// The files that were found, for those who ask.
    found: Option<Arc<Mutex<BTreeSet<PathBuf>>>>,
}

impl Folder {
    /// A folder without files, for bytes that did not come from a file.
    pub fn none() -> Folder {
        Folder::default()
    }

    /// The folder that contains `file`.
    pub fn of(file: &Path) -> Folder {
        let parent = file.parent().unwrap_or(Path::new(""));
        let root = if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent.into() };
        Folder { root: Some(root), found: None }
    }

    /// The same folder, which from now on remembers the files that were found in it.
    pub fn remembering(self) -> Folder {
        Folder { found: Some(Arc::default()), ..self }
    }

    /// The files that were found, if it remembers them.
    pub fn found(&self) -> BTreeSet<PathBuf> {
        let found =
            self.found.as_ref().map(|found| found.lock().unwrap_or_else(PoisonError::into_inner).clone());
        found.unwrap_or_default()
    }

    /// Reads the file that `reference` names, as [`Folder::find`] understands it.
    pub fn read(&self, reference: &str) -> Result<Vec<u8>, Problem> {
        fs::read(self.find(reference)?).map_err(|error| missing(reference, &error.to_string()))
    }

    /// The file that `reference` names: one path for each file, however it is spelled.
    ///
    /// Percent escapes and backslashes are understood. References written on other machines are usual
    /// (`C:\art\Skin.PNG` for a file `skin.png` beside the mesh), so where the path does not exist, a file of
    /// that name in the folder itself is taken, if need be with other capitals.
    pub fn find(&self, reference: &str) -> Result<PathBuf, Problem> {
        let Some(root) = &self.root else { return Err(missing(reference, "there is no folder to look in")) };
        if reference.contains("://") {
            return Err(missing(reference, "it is on a network, and nothing is read from there"));
        }
        let root = root.canonicalize().map_err(|error| missing(reference, &error.to_string()))?;
        let mut reason = "no such file";
        let decoded = String::from_utf8(percent_decoded(reference)).ok();
        for spelling in [Some(reference.to_owned()), decoded].into_iter().flatten() {
            let path = PathBuf::from(spelling.replace('\\', "/"));
            let stays_below =
                path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
            let literal = stays_below.then(|| root.join(&path));
            let beside = path.file_name().and_then(|name| find_ignoring_case(&root, name.to_str()?));
            if !stays_below {
                reason = OUTSIDE;
            }
            for path in [literal, beside].into_iter().flatten() {
                match path.canonicalize() {
                    // A symbolic link leads out.
                    Ok(found) if !found.starts_with(&root) => reason = OUTSIDE,
                    // Reading a pipe or a device might never end.
                    Ok(found) if !found.is_file() => reason = "it is not a regular file",
                    Ok(found) => {
                        if let Some(all) = &self.found {
                            all.lock().unwrap_or_else(PoisonError::into_inner).insert(found.clone());
                        }
                        return Ok(found);
                    }
                    Err(_) => {}
                }
            }
        }
        Err(missing(reference, reason))
    }
}

const OUTSIDE: &str = "it lies outside the folder of this file";

fn missing(reference: &str, reason: &str) -> Problem {
    Problem::ReferencedFile { name: reference.to_owned(), reason: reason.to_owned() }
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

/// The bytes of a text in which some are written as `%` and two hexadecimal digits.
pub(super) fn percent_decoded(text: &str) -> Vec<u8> {
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
    decoded
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
        // One file has one path however it is spelled.
        let path = folder.find("my skin.png").unwrap();
        for spelling in ["./my skin.png", "././my%20skin.png", "C:\\My Skin.PNG", "../my skin.png"] {
            assert_eq!(folder.find(spelling).unwrap(), path);
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_out_and_pipes_are_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("model");
        fs::create_dir_all(inner.join("textures")).unwrap();
        fs::write(dir.path().join("secret.txt"), "secret").unwrap();
        fs::write(inner.join("textures/a.png"), "a").unwrap();
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, inner.join(name)).unwrap();
        link("../secret.txt", "link.bin");
        link("..", "up");
        link("textures/a.png", "inside.png");
        link("/dev/zero", "zero.bin");
        let status = std::process::Command::new("mkfifo").arg(inner.join("pipe.bin")).status().unwrap();
        assert!(status.success());
        // Through a link to the folder itself everything is still inside.
        std::os::unix::fs::symlink(&inner, dir.path().join("alias")).unwrap();
        for root in [inner, dir.path().join("alias")] {
            let folder = Folder::of(&root.join("mesh.gltf"));
            assert_eq!(folder.read("inside.png").unwrap(), b"a");
            for (name, reason) in [
                ("link.bin", "outside"),
                ("up/secret.txt", "outside"),
                ("zero.bin", "outside"),
                ("pipe.bin", "not a regular file"),
                ("textures", "not a regular file"),
            ] {
                let problem = folder.read(name).unwrap_err().to_string();
                assert!(problem.contains(reason), "{name}: {problem}");
            }
        }
    }
}
