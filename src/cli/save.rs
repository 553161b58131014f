//! Writes files so that a failed run leaves what was there: under a temporary name first, then renamed.

use anyhow::{Context, Result, anyhow, bail};
use std::ffi::OsString;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The path of standard output.
pub const STDOUT: &str = "-";

pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == STDOUT
}

/// Refuses a path that cannot be written, before any slow work.
pub fn check(path: &Path) -> Result<()> {
    if is_stdout(path) {
        return Ok(());
    }
    let shown = path.display();
    if path.is_dir() || path.file_name().is_none() {
        bail!("cannot write '{shown}': it is a folder; add the name of a file");
    }
    if path.metadata().is_ok_and(|data| data.permissions().readonly()) {
        bail!("cannot write '{shown}': it is read-only; allow writing or choose another name");
    }
    let folder = folder_of(path);
    if !folder.is_dir() {
        bail!("cannot write '{shown}': there is no folder '{}'; make it first", folder.display());
    }
    Ok(())
}

/// Refuses FBX, which is not written yet, and says how one gets a file of it.
pub fn refuse_fbx(path: &Path) -> Result<()> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("fbx")) {
        bail!(
            "cannot write '{}': FBX is not written yet; write '{}', which engines read, or import that into Blender and export \
             FBX there",
            path.display(),
            path.with_extension("glb").display()
        );
    }
    Ok(())
}

/// Whether two paths name one file, which need not exist.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    absolute(a).is_ok_and(|a| absolute(b).is_ok_and(|b| a == b))
}

fn absolute(path: &Path) -> std::io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default();
    let in_folder = |_| Ok(folder_of(path).canonicalize()?.join(name));
    path.canonicalize().or_else(in_folder).or_else(|_: std::io::Error| std::path::absolute(path))
}

/// Writes all files, or none. A folder that does not allow it is named.
pub fn save_all<P: AsRef<Path>, B: AsRef<[u8]>>(files: &[(P, B)]) -> Result<()> {
    let mut written = Unfinished(Vec::new());
    for (path, bytes) in files {
        let path = path.as_ref();
        // A device or a pipe has no content that could be lost, and must not be replaced by a file.
        if path.metadata().is_ok_and(|kind| !kind.is_file()) {
            fs::write(path, bytes).map_err(|error| refused(path, error))?;
            continue;
        }
        let temporary = temporary_name(path);
        written.0.push((temporary.clone(), path));
        write_new(&temporary, bytes).map_err(|error| refused(path, error))?;
    }
    while let Some((temporary, path)) = written.0.first() {
        fs::rename(temporary, path).map_err(|error| refused(path, error))?;
        written.0.remove(0);
    }
    Ok(())
}

/// Writes a file that does not exist yet, and waits until the disk has it: a rename must not overtake the content.
fn write_new(path: &Path, bytes: impl AsRef<[u8]>) -> std::io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes.as_ref())?;
    file.sync_all()
}

/// Refuses a folder that is not there and cannot be made: those above it must be there.
pub fn check_folder(folder: &Path) -> Result<()> {
    // Without the slash at its end.
    let folder: PathBuf = folder.components().collect();
    let above = folder_of(&folder);
    if folder.is_dir() || (above.is_dir() && !folder.exists()) {
        return Ok(());
    }
    let shown = folder.display();
    if folder.exists() {
        bail!("cannot write into '{shown}': it is a file; name a folder");
    }
    bail!("cannot make the folder '{shown}': there is no folder '{}'; make it first", above.display());
}

/// Makes the folder of a file, if it is not there. Those above it must be there.
pub fn make_folder_of(file: &Path) -> Result<()> {
    let folder = folder_of(file);
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir(folder).with_context(|| format!("cannot make the folder '{}'", folder.display()))
}

/// Makes a folder and those above it.
pub fn make_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder '{}'", folder.display()))
}

/// Temporary files that are removed unless they were renamed.
struct Unfinished<'a>(Vec<(PathBuf, &'a Path)>);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        for (temporary, _) in &self.0 {
            // It may not exist, and there is nothing else to be done about it.
            let _ = fs::remove_file(temporary);
        }
    }
}

fn refused(path: &Path, error: std::io::Error) -> anyhow::Error {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    let way_out = match error.kind() {
        StorageFull | QuotaExceeded | FileTooLarge => "make room there or choose another place",
        _ => "check that you may write in that folder",
    };
    anyhow!("cannot write '{}': {error}; {way_out}", path.display())
}

pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A name beside the file, so that renaming does not copy. Several machines may write to one folder and number their
/// processes alike, so the name has 128 random bits.
fn temporary_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{:016x}{:016x}.part", random_bits(), random_bits()));
    path.with_file_name(name)
}

/// 64 bits that another process does not have: a hash with the keys that the standard library draws from the system.
fn random_bits() -> u64 {
    RandomState::new().hash_one(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn files_are_replaced_together_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("a"), "old").unwrap();
        save_all(&[(path("a"), "new"), (path("b"), "b")]).unwrap();
        assert_eq!(fs::read(path("a")).unwrap(), b"new");
        assert_eq!(names(dir.path()), ["a", "b"]);

        let error = save_all(&[(path("a"), "newer"), (path("gone/c"), "c")]).unwrap_err();
        assert!(error.to_string().contains("gone/c"), "{error}");
        assert_eq!(fs::read(path("a")).unwrap(), b"new");
        assert_eq!(names(dir.path()), ["a", "b"]);
    }

    #[test]
    fn temporary_names_are_hidden_beside_the_file_and_never_the_same() {
        let names: std::collections::BTreeSet<PathBuf> =
            (0..1000).map(|_| temporary_name(Path::new("folder/a.glb"))).collect();
        assert_eq!(names.len(), 1000);
        for name in names {
            let name = name.to_str().unwrap();
            let bits = name.strip_prefix("folder/.a.glb.").and_then(|rest| rest.strip_suffix(".part"));
            assert!(bits.is_some_and(|bits| bits.len() == 32), "{name}");
        }
    }

    #[test]
    fn what_cannot_be_written_is_known_before() {
        let dir = tempfile::tempdir().unwrap();
        check(&dir.path().join("a.json")).unwrap();
        check(Path::new("a.json")).unwrap();
        for (path, part) in
            [(dir.path().to_owned(), "it is a folder"), (dir.path().join("x/a.json"), "no folder")]
        {
            assert!(check(&path).unwrap_err().to_string().contains(part));
        }
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_and_stay() {
        use std::os::unix::fs::FileTypeExt;
        save_all(&[("/dev/null", "gone")]).unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }
}
