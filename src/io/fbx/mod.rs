//! FBX 5000 to 7700, binary and ASCII, through the library ufbx.
//!
//! ufbx sees the bytes only: it opens no files and has bounded memory. Geometry stays in the unit and the
//! axes of the file, which [`Conventions`](crate::mesh::Conventions) states; only a left-handed file is mirrored.
//! One file for each content: `surface` with its `materials`, `rig`, `motion`.

mod materials;
mod motion;
mod rig;
mod surface;
#[cfg(test)]
mod tests;

use super::{Fault, Folder, Problem};
use crate::Warning;
use crate::mesh::Mesh;
use std::sync::OnceLock;
use ufbx::{AllocatorOpts, FileFormat, IndexErrorHandling, LoadOpts};

/// A column of 2 × 2 × 20 centimetres on two joints, Y up; the upper half hangs on the upper joint, which a later pose has
/// turned.
#[cfg(test)]
pub(super) const COLUMN: &str = include_str!("column.fbx");

/// Memory that ufbx may take: arrays are stored deflated, so that the content is larger than the file, but by
/// far less than this. The constant part is for its own tables.
const MEMORY_FLOOR: usize = 256 << 20;
const MEMORY_PER_BYTE: usize = 64;

/// An FBX file. Its surface is parsed at the first question and kept; its animation is parsed apart from it.
pub struct FbxFile {
    bytes: Vec<u8>,
    surface: OnceLock<ufbx::SceneRoot>,
}

impl FbxFile {
    /// A file that is not parsed yet.
    pub fn new(bytes: Vec<u8>) -> FbxFile {
        FbxFile { bytes, surface: OnceLock::new() }
    }

    /// The scene without its animation.
    fn surface(&self) -> Result<&ufbx::Scene, Fault> {
        if let Some(scene) = self.surface.get() {
            return Ok(scene);
        }
        let scene = load(&self.bytes, Parsed::Surface)?;
        Ok(self.surface.get_or_init(|| scene))
    }

    /// Reads the surface. Textures that are not embedded are looked up in `folder`.
    ///
    /// A skinned mesh is read as it was modelled, without its skeleton. Vertex colours are taken as linear, since
    /// FBX does not say what they are.
    pub fn mesh(&self, folder: &Folder, warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
        Ok(surface::read(self.surface()?, self.bytes.len(), folder, warnings)?.0)
    }
}

/// Reads the mesh of an FBX file by [`FbxFile::mesh`].
pub fn read(bytes: &[u8], folder: &Folder, warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
    FbxFile::new(bytes.to_vec()).mesh(folder, warnings)
}

/// What of a file is parsed.
#[derive(Clone, Copy, PartialEq)]
enum Parsed {
    Surface,
    Animation,
}

/// The scene of a file.
fn load(bytes: &[u8], parsed: Parsed) -> Result<ufbx::SceneRoot, Fault> {
    if bytes.is_empty() {
        return Err(Fault::whole(Problem::Empty));
    }
    let memory_limit = bytes.len().saturating_mul(MEMORY_PER_BYTE).saturating_add(MEMORY_FLOOR);
    let options = LoadOpts {
        file_format: FileFormat::Fbx,
        temp_allocator: AllocatorOpts { memory_limit, ..AllocatorOpts::default() },
        result_allocator: AllocatorOpts { memory_limit, ..AllocatorOpts::default() },
        ignore_animation: parsed == Parsed::Surface,
        ignore_geometry: parsed == Parsed::Animation,
        index_error_handling: IndexErrorHandling::NoIndex,
        ..LoadOpts::default()
    };
    ufbx::load_memory(bytes, options).map_err(|error| {
        let text = [&*error.description, error.info()].map(str::trim);
        Fault::whole(Problem::Fbx(text.join(" ").trim_end().to_owned()))
    })
}
