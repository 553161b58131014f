//! glTF 2.0, written.
//!
//! A mesh that came from glTF keeps its document: the JSON is edited as values by an [`Editor`](editor::Editor), and what is
//! not touched comes out as it went in. Other meshes get a [`new_document`] first. One file for each thing that is done to a
//! document: `skin` adds joints and weights (with `bake` and `scenes`), `clips` adds animations, `replace`, `copies`,
//! `normals` and `quantize` change accessors, `files` takes it apart into files. [`GltfCharacter`] is a document whose joints can be moved.

mod bake;
mod character;
mod clips;
pub(super) mod copies;
pub(super) mod editor;
mod files;
mod motion;
mod new_document;
mod normals;
mod quantize;
pub(super) mod replace;
mod scenes;
mod skin;
#[cfg(test)]
mod tests;

pub use character::GltfCharacter;
pub(super) use character::JointNode;
pub use motion::write_motion_glb;
pub(super) use new_document::new_document;
pub use new_document::write_glb;
pub use skin::{SkinBinding, rigged_character};

use super::Fault;
use thiserror::Error;

/// Why a mesh cannot be written as glTF.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GltfWriteError {
    /// glTF has no empty meshes.
    #[error("there are no triangles to write")]
    NoTriangles,
    /// glTF stores positions as 32-bit floats.
    #[error("vertex {vertex} lies beyond what a 32-bit number can hold; scale the mesh down")]
    BeyondF32 {
        /// Its index, from 0.
        vertex: usize,
    },
    /// A part names a material, or a material an image, that does not exist.
    #[error("{what} {index} does not exist, there are {count}")]
    IndexOutOfRange {
        /// What is referred to, in the singular.
        what: &'static str,
        /// The index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// Core glTF knows two image formats.
    #[error("image '{name}' is {media_type}, and glTF takes PNG and JPEG only; convert it")]
    ImageFormat {
        /// Name of the image.
        name: String,
        /// Its declared type.
        media_type: String,
    },
    /// The lengths of a GLB are 32-bit numbers.
    #[error("the file would have {bytes} bytes, and a GLB ends at 4 GiB; reduce the mesh or its images")]
    TooLarge {
        /// Length of the whole file.
        bytes: u64,
    },
    /// The document that the mesh came from contradicts itself.
    #[error("the document it came from cannot be read again{}: {}", _0.at, _0.problem)]
    Document(Fault),
    /// The document could not be serialised.
    #[error("the JSON could not be written: {0}")]
    Json(#[from] serde_json::Error),
}

/// The binary container: a header, the JSON padded with spaces, the buffer padded with zeros.
pub(super) fn glb(document: &[u8], buffer: &[u8]) -> Result<Vec<u8>, GltfWriteError> {
    let json_length = document.len().next_multiple_of(4);
    let buffer_length = buffer.len().next_multiple_of(4);
    let total = 12 + 8 + json_length as u64 + 8 + buffer_length as u64;
    let length = u32::try_from(total).map_err(|_| GltfWriteError::TooLarge { bytes: total })?;

    let mut file = Vec::with_capacity(length as usize);
    file.extend_from_slice(b"glTF");
    file.extend_from_slice(&2u32.to_le_bytes());
    file.extend_from_slice(&length.to_le_bytes());
    for (kind, content, padded, filler) in
        [(b"JSON", document, json_length, b' '), (b"BIN\0", buffer, buffer_length, 0)]
    {
        file.extend_from_slice(&(padded as u32).to_le_bytes());
        file.extend_from_slice(kind);
        file.extend_from_slice(content);
        file.resize(file.len() + padded - content.len(), filler);
    }
    Ok(file)
}
