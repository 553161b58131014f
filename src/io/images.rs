use super::{Folder, Problem};
use crate::Warning;
use crate::mesh::Image;
use std::collections::HashMap;

/// Loads the images that a mesh file names, each once.
pub(super) struct Images<'a> {
    folder: &'a Folder,
    known: HashMap<String, Option<usize>>,
}

impl<'a> Images<'a> {
    /// Images of files in `folder`.
    pub fn new(folder: &'a Folder) -> Images<'a> {
        Images { folder, known: HashMap::new() }
    }

    /// The index in `images` of the file called `name`, which is appended at its first use. A file that
    /// cannot be read is one warning.
    pub fn load(
        &mut self,
        name: &str,
        images: &mut Vec<Image>,
        warnings: &mut Vec<Warning>,
    ) -> Option<usize> {
        if let Some(&known) = self.known.get(name) {
            return known;
        }
        let loaded = match self.folder.read(name) {
            Ok(bytes) => {
                images.push(Image {
                    name: name.to_owned(),
                    media_type: media_type(&bytes, name).to_owned(),
                    bytes: bytes.into(),
                });
                Some(images.len() - 1)
            }
            Err(problem) => {
                warnings.push(missing("image", name, problem));
                None
            }
        };
        self.known.insert(name.to_owned(), loaded);
        loaded
    }
}

/// The warning that a file which the mesh can do without is not there.
pub(super) fn missing(what: &'static str, name: &str, problem: Problem) -> Warning {
    let reason = match problem {
        Problem::ReferencedFile { reason, .. } => reason,
        other => other.to_string(),
    };
    Warning::FileMissing { what, name: name.to_owned(), reason }
}

/// The media type of an image by its first bytes; Targa has no signature and is known by its extension.
pub(super) fn media_type(bytes: &[u8], name: &str) -> &'static str {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'B', b'M', ..] => "image/bmp",
        [b'D', b'D', b'S', b' ', ..] => "image/vnd-ms.dds",
        [0xab, b'K', b'T', b'X', b' ', b'2', b'0', ..] => "image/ktx2",
        [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => "image/tiff",
        _ if name.to_ascii_lowercase().ends_with(".tga") => "image/x-tga",
        _ => "application/octet-stream",
    }
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
            assert_eq!(loader.load("b.png", &mut images, &mut warnings), None);
        }
        assert_eq!((images.len(), images[0].media_type.as_str()), (1, "image/png"));
        assert_eq!(warnings.len(), 1);
        assert_eq!(
            warnings[0].to_string(),
            "the image 'b.png' was left out (no such file); put it next to the mesh file to use it"
        );
    }

    #[test]
    fn the_content_decides_the_media_type() {
        assert_eq!(media_type(b"\xff\xd8\xff\xe0", "skin.png"), "image/jpeg");
        assert_eq!(media_type(b"RIFF1234WEBPVP8 ", ""), "image/webp");
        assert_eq!(media_type(&[0; 18], "Skin.TGA"), "image/x-tga");
        assert_eq!(media_type(b"", "skin.png"), "application/octet-stream");
    }
}
