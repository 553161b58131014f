//! The only folder that knows file formats.
//!
//! A reader is a pure function from bytes to data: `read(bytes, folder, warnings)`. It never panics, never
//! reserves memory that the bytes present do not justify, and says what is wrong and where by a [`Fault`].
//! `load_mesh` recognises the format, calls the reader and adds the file's name.

mod error;
mod folder;
mod gltf_write;

pub use error::{Fault, LoadError, Place, Problem};
pub use folder::Folder;
pub use gltf_write::{GltfWriteError, write_glb};
