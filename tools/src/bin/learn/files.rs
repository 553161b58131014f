//! Checks paths before the slow work, and writes all files or none.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// Refuses a path that cannot be written.
pub fn check(path: &Path) -> Result<()> {
    let shown = path.display();
    if path.is_dir() || path.file_name().is_none() {
        bail!("cannot write '{shown}': it is a folder; add the name of a file");
    }
    let folder = folder_of(path);
    if !folder.is_dir() {
        bail!("cannot write '{shown}': there is no folder '{}'; make it first", folder.display());
    }
    Ok(())
}

/// Writes all files under temporary names, and renames them when all of them are complete.
pub fn write_all(files: &[(PathBuf, Vec<u8>)]) -> Result<()> {
    let written = files.iter().try_for_each(|(path, bytes)| {
        fs::write(temporary(path), bytes).with_context(|| format!("cannot write '{}'", path.display()))
    });
    for (path, _) in files {
        let temporary = temporary(path);
        match &written {
            Ok(()) => {
                fs::rename(temporary, path).with_context(|| format!("cannot write '{}'", path.display()))?
            }
            // It may not exist.
            Err(_) => drop(fs::remove_file(temporary)),
        }
    }
    written
}

/// A name beside the file, so that renaming does not copy.
fn temporary(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
}

/// Whether two paths name one file or folder, whether or not it exists.
pub fn is_same(a: &Path, b: &Path) -> bool {
    absolute(a).is_ok_and(|a| absolute(b).is_ok_and(|b| a == b))
}

fn absolute(path: &Path) -> std::io::Result<PathBuf> {
    path.canonicalize()
        .or_else(|_| Ok(folder_of(path).canonicalize()?.join(path.file_name().unwrap_or_default())))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
