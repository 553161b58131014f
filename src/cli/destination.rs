//! Where outputs go: to files, into folders that need not exist yet, or to standard output.

use super::save::{self, is_same_file, is_stdout};
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// Where one output goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The file. For standard output the name that it would have, which says its format.
    pub path: PathBuf,
    pub is_stdout: bool,
}

impl Destination {
    /// The path as [`save`] and people know it.
    pub fn shown(&self) -> PathBuf {
        if self.is_stdout { save::STDOUT.into() } else { self.path.clone() }
    }
}

/// The outputs of a run as they are typed.
pub struct Outputs<'a> {
    pub outputs: &'a [PathBuf],
    /// The ending of what is written into folders and to standard output.
    pub format: Option<&'a str>,
    /// Whether the ending of a file says what to write.
    pub is_known: fn(&Path) -> bool,
    /// The endings that do, for people.
    pub endings: &'static str,
}

/// The format of what is written into folders and to standard output.
const DEFAULT_FORMAT: &str = "glb";

/// Whether an output names a folder: one that is there, or one to be made, which has no ending or ends in a slash.
pub fn is_folder(output: &Path) -> bool {
    let is_new = output.extension().is_none() && !output.exists() && !is_stdout(output);
    output.is_dir() || is_new || output.to_string_lossy().ends_with(['/', '\\'])
}

impl Outputs<'_> {
    /// The destinations of each character.
    ///
    /// # Errors
    /// If one cannot be written, is given twice, or is a character itself.
    pub fn of_all(&self, characters: &[PathBuf]) -> Result<Vec<Vec<Destination>>> {
        self.check_stdout(characters.len())?;
        let mut all: Vec<Vec<Destination>> = Vec::new();
        for character in characters {
            let own = self.of_one(character, characters.len())?;
            for destination in &own {
                if let Some(first) = all.iter().position(|other| other.contains(destination)) {
                    bail!(
                        "'{}' and '{}' would both be written to '{}'; rename one of them, or give each a run and a folder of its own",
                        characters[first].display(),
                        character.display(),
                        destination.path.display()
                    );
                }
            }
            all.push(own);
        }
        Ok(all)
    }

    /// Standard output takes one file, whose name says nothing.
    fn check_stdout(&self, characters: usize) -> Result<()> {
        let has_ending = |output: &&PathBuf| !is_stdout(output) && !is_folder(output);
        if let (Some(format), true) = (self.format, self.outputs.iter().all(|output| has_ending(&output))) {
            bail!("--format {format} is for '-' and for folders; a file says by its ending what it is");
        }
        if !self.outputs.iter().any(|output| is_stdout(output)) {
            return Ok(());
        }
        match (self.outputs.len(), characters) {
            (1, 1) => Ok(()),
            (1, _) => {
                bail!("cannot write {characters} characters to standard output; give a folder, as in -o out/")
            }
            _ => bail!("'-o -' takes one output to standard output; give either '-' or files"),
        }
    }

    fn of_one(&self, character: &Path, count: usize) -> Result<Vec<Destination>> {
        let mut own: Vec<Destination> = Vec::new();
        for output in self.outputs {
            let destination = self.destination(output, character, count)?;
            let path = &destination.path;
            save::refuse_fbx(path)?;
            let is_named = !destination.is_stdout && !is_folder(output);
            match self.format {
                Some(format) if destination.is_stdout && is_several_files(path) => bail!(
                    "cannot write .{format} to standard output: it is a document with files beside it, and one stream holds one \
                     file; give --format {DEFAULT_FORMAT}"
                ),
                Some(format) if !is_named && !(self.is_known)(path) => {
                    bail!("cannot write .{format}; --format takes {}", self.endings)
                }
                _ => {}
            }
            if !(self.is_known)(path) {
                bail!(
                    "cannot write '{}': its ending says nothing; end it in {}, or give a folder and end it in /",
                    path.display(),
                    self.endings
                );
            }
            if !destination.is_stdout && own.iter().any(|other| is_same_file(&other.path, path)) {
                bail!("'{}' is given twice; give each output a name of its own", path.display());
            }
            if !destination.is_stdout && is_same_file(path, character) {
                bail!("'{}' is the character itself; give the output another name", path.display());
            }
            own.push(destination);
        }
        Ok(own)
    }

    fn destination(&self, output: &Path, character: &Path, count: usize) -> Result<Destination> {
        let mut named = PathBuf::from(character.file_stem().unwrap_or_default());
        // A name may have dots of its own.
        named.as_mut_os_string().push(format!(".{}", self.format.unwrap_or(DEFAULT_FORMAT)));
        if is_stdout(output) {
            return Ok(Destination { path: named, is_stdout: true });
        }
        if is_folder(output) {
            save::check_folder(output)?;
            let path = output.join(named);
            if output.is_dir() {
                save::check(&path)?;
            }
            return Ok(Destination { path, is_stdout: false });
        }
        if count > 1 {
            bail!(
                "cannot write {count} characters to '{}'; give a folder, as in -o {}/",
                output.display(),
                output.with_extension("").display()
            );
        }
        save::check(output)?;
        Ok(Destination { path: output.to_owned(), is_stdout: false })
    }
}

/// Whether a format is a document with its buffer and images in files of their own.
fn is_several_files(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gltf"))
}

/// Makes the folders of outputs that are not there yet.
pub fn make_folders(destinations: &[Destination]) -> Result<()> {
    let files = destinations.iter().filter(|destination| !destination.is_stdout);
    files.into_iter().try_for_each(|destination| save::make_folder_of(&destination.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outputs<'a>(outputs: &'a [PathBuf], format: Option<&'a str>) -> Outputs<'a> {
        let is_known =
            |path: &Path| path.extension().is_some_and(|ending| ending == "glb" || ending == "vrm");
        Outputs { outputs, format, is_known, endings: ".glb or .vrm" }
    }

    #[test]
    fn folders_need_not_exist_but_their_parents() {
        let dir = tempfile::tempdir().unwrap();
        let characters = [PathBuf::from("a.b.obj"), PathBuf::from("c.glb")];
        for name in ["new/", "new"] {
            let folder = [dir.path().join(name)];
            let all = outputs(&folder, None).of_all(&characters).unwrap();
            assert_eq!(all[0][0].path, folder[0].join("a.b.glb"));
            let all = outputs(&folder, Some("vrm")).of_all(&characters).unwrap();
            assert_eq!(all[1][0].path, folder[0].join("c.vrm"));
            assert!(!folder[0].exists(), "nothing is made before there is something to write");
            make_folders(&all[0]).unwrap();
            assert!(folder[0].is_dir());
            std::fs::remove_dir(&folder[0]).unwrap();
        }
        let deep = [dir.path().join("gone/new/")];
        assert!(
            outputs(&deep, None).of_all(&characters).unwrap_err().to_string().contains("there is no folder")
        );
    }

    #[test]
    fn standard_output_takes_one_file() {
        let (stdout, one, two) = ([PathBuf::from("-")], ["a.obj".into()], ["a.obj".into(), "b.obj".into()]);
        let all = outputs(&stdout, Some("glb")).of_all(&one).unwrap();
        assert_eq!((all[0][0].shown(), all[0][0].is_stdout), (PathBuf::from("-"), true));
        let sentence =
            |outputs: Outputs, characters: &[PathBuf]| outputs.of_all(characters).unwrap_err().to_string();
        assert_eq!(outputs(&stdout, None).of_all(&one).unwrap()[0][0].path, PathBuf::from("a.glb"));
        assert!(sentence(outputs(&stdout, Some("glb")), &two).contains("give a folder"));
        assert!(sentence(outputs(&stdout, Some("xyz")), &one).contains("--format takes .glb or .vrm"));
        assert!(sentence(outputs(&stdout, Some("gltf")), &one).contains("one stream holds one file"));
        let both = [PathBuf::from("-"), PathBuf::from("b.glb")];
        assert!(sentence(outputs(&both, Some("glb")), &one).contains("either '-' or files"));
        let file = [PathBuf::from("b.glb")];
        assert!(sentence(outputs(&file, Some("glb")), &one).contains("is for '-' and for folders"));
    }
}
