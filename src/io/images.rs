use super::media_type::media_type;
use super::{Folder, Problem};
use crate::Warning;
use crate::mesh::EncodedImage;
use std::collections::HashMap;
use std::path::PathBuf;

/// Loads the images that a mesh file names, each once.
pub(super) struct Images<'a> {
    folder: &'a Folder,
    /// What each name in the file became.
    names: HashMap<String, Option<usize>>,
    /// What each file became: several names may spell one.
    files: HashMap<PathBuf, usize>,
}

impl<'a> Images<'a> {
    /// Images of files in `folder`.
    pub fn new(folder: &'a Folder) -> Images<'a> {
        Images { folder, names: HashMap::new(), files: HashMap::new() }
    }

    /// The index in `images` of the file called `name`, which is appended at its first use. A file that
    /// cannot be read is one warning.
    pub fn load(
        &mut self,
        name: &str,
        images: &mut Vec<EncodedImage>,
        warnings: &mut Vec<Warning>,
    ) -> Option<usize> {
        self.load_any(&[name], images, warnings)
    }

    /// The same for a file with several names, of which the first that can be read counts.
    pub fn load_any(
        &mut self,
        names: &[&str],
        images: &mut Vec<EncodedImage>,
        warnings: &mut Vec<Warning>,
    ) -> Option<usize> {
        let (&name, others) = names.split_first()?;
        if let Some(&known) = self.names.get(name) {
            return known;
        }
        let mut loaded = self.load_file(name, images);
        for other in others {
            loaded = loaded.or_else(|problem| self.load_file(other, images).map_err(|_| problem));
        }
        let loaded = loaded.map_err(|problem| warnings.push(missing("image", name, problem))).ok();
        self.names.insert(name.to_owned(), loaded);
        loaded
    }

    fn load_file(&mut self, name: &str, images: &mut Vec<EncodedImage>) -> Result<usize, Problem> {
        let path = self.folder.find(name)?;
        if let Some(&known) = self.files.get(&path) {
            return Ok(known);
        }
        images.push(image(name, self.folder.read(name)?));
        self.files.insert(path, images.len() - 1);
        Ok(images.len() - 1)
    }
}

/// The image of a file, called as the file without its folders.
pub(super) fn image(file: &str, bytes: Vec<u8>) -> EncodedImage {
    let name = file.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    EncodedImage { media_type: media_type(&bytes, &name).to_owned(), name, bytes: bytes.into() }
}

/// The warning that a file which the mesh can do without is not there.
pub(super) fn missing(what: &'static str, name: &str, problem: Problem) -> Warning {
    let reason = match problem {
        Problem::ReferencedFile { reason, .. } => reason,
        other => other.to_string(),
    };
    Warning::FileMissing { what, name: name.to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_loaded_once_and_a_missing_one_is_one_warning() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.png"), b"\x89PNG....").unwrap();
        let folder = Folder::of(&dir.path().join("mesh.obj"));
        let mut loader = Images::new(&folder);
        let (mut images, mut warnings) = (vec![], vec![]);
        for _ in 0..2 {
            assert_eq!(loader.load("a.png", &mut images, &mut warnings), Some(0));
            assert_eq!(loader.load("./A.png", &mut images, &mut warnings), Some(0), "another spelling");
            assert_eq!(loader.load("b.png", &mut images, &mut warnings), None);
        }
        assert_eq!(loader.load_any(&["c.png", "art\\a.png"], &mut images, &mut warnings), Some(0));
        assert_eq!((images.len(), images[0].media_type.as_str()), (1, "image/png"));
        assert_eq!(warnings.len(), 1);
        assert_eq!(
            warnings[0].to_string(),
            "the image 'b.png' was left out (no such file); put it next to the mesh file to use it"
        );
    }
}
