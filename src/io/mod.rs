//! The only folder that knows file formats.
//!
//! A reader is a pure function from bytes to data: `read(bytes, folder, warnings)`. It never panics, never
//! reserves memory that the bytes present do not justify, and says what is wrong and where by a [`Fault`].
//! [`load_mesh`] recognises the format, calls the reader and adds the file's name.

mod assembly;
mod color;
mod corners;
mod error;
pub mod fbx;
mod folder;
mod format;
pub mod gltf_read;
mod gltf_rig;
mod gltf_write;
mod images;
pub mod joint_file;
mod jpeg;
mod media_type;
pub mod mtl;
pub mod obj;
pub mod off;
pub mod pinocchio;
pub mod ply;
mod png;
pub mod skeleton_file;
pub mod stl;
mod text;
mod textures;

pub use error::{Fault, LoadError, Place, Problem};
pub use folder::Folder;
pub use format::recognise;
pub use gltf_rig::{Rigging, write_rigged_glb};
pub use gltf_write::{GltfWriteError, write_glb};
pub use png::write_png;
pub use textures::decode_image;

use crate::Warning;
use crate::mesh::{Format, Mesh};
use std::fs;
use std::path::Path;

/// Reads a mesh file of any known format, with the files that it refers to, and what was found on the way.
///
/// # Errors
/// A [`LoadError`] with the file's name, the place in it and the reason.
pub fn load_mesh(path: &Path) -> Result<(Mesh, Vec<Warning>), LoadError> {
    let mut warnings = Vec::new();
    match read_mesh(path, &mut warnings) {
        Ok(mesh) => Ok((mesh, warnings)),
        Err(fault) => Err(LoadError { file: path.to_owned(), fault }),
    }
}

fn read_mesh(path: &Path, warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
    let bytes = read_file(path).map_err(Fault::whole)?;
    let folder = Folder::of(path);
    match recognise(&bytes, path).map_err(Fault::whole)? {
        Format::Obj => obj::read(&bytes, &folder, warnings),
        Format::Ply => ply::read(&bytes, &folder, warnings),
        Format::Stl => stl::read(&bytes, warnings),
        Format::Off => off::read(&bytes, warnings),
        Format::Gltf | Format::Glb => gltf_read::read(bytes, &folder, warnings),
        Format::Fbx => fbx::read(&bytes, &folder, warnings),
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, Problem> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_dir() {
        return Err(Problem::IsFolder);
    }
    if !kind.is_file() {
        return Err(Problem::NotRegular);
    }
    let bytes = fs::read(path)?;
    if bytes.is_empty() { Err(Problem::Empty) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_loaded_by_their_content_with_what_they_refer_to() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("m.mtl"), "newmtl m\nPr 0.5").unwrap();
        for (name, content, format) in [
            ("a.stl", "mtllib m.mtl\nv 0 0 0\nusemtl m\nf 1 1 1", Format::Obj),
            ("b", "OFF 1 1 0\n0 0 0\n3 0 0 0", Format::Off),
        ] {
            let path = dir.path().join(name);
            fs::write(&path, content).unwrap();
            let (mesh, warnings) = load_mesh(&path).unwrap();
            assert_eq!((mesh.origin.format, warnings), (format, vec![]));
            assert!(format != Format::Obj || mesh.appearance.materials[0].roughness == 0.5);
        }
    }

    #[test]
    fn errors_name_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let error = |name: &str, content: Option<&str>| {
            let path = dir.path().join(name);
            if let Some(content) = content {
                fs::write(&path, content).unwrap();
            }
            load_mesh(&path).unwrap_err().to_string().replace(&format!("{}", dir.path().display()), "DIR")
        };
        assert_eq!(error("a.obj", Some("")), "cannot read 'DIR/a.obj': the file is empty; export it again");
        assert_eq!(
            error("a.obj", Some("v 0 0 0\nv 0 x 0")),
            "cannot read 'DIR/a.obj', line 2: expected a number, found 'x'; mend it or export the file again"
        );
        assert_eq!(
            error("a.blend", Some("BLENDER-v300")),
            "cannot read 'DIR/a.blend': this is not a format puppetry knows; save it as GLB, glTF, OBJ, PLY, STL, \
             OFF or FBX"
        );
        assert!(error("gone.obj", None).starts_with("cannot read 'DIR/gone.obj': No such file"));
        fs::create_dir(dir.path().join("folder.obj")).unwrap();
        assert_eq!(
            error("folder.obj", None),
            "cannot read 'DIR/folder.obj': it is a folder; name a file in it"
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_never_ends_is_not_read() {
        assert_eq!(
            load_mesh(Path::new("/dev/zero")).unwrap_err().to_string(),
            "cannot read '/dev/zero': it is not a regular file; save it to disk first"
        );
    }
}
