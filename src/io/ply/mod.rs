//! Stanford PLY: ascii, binary little endian, binary big endian.
//!
//! Read are positions, normals, colours, texture coordinates of vertices or (as MeshLab writes them) of the
//! corners of faces, faces as lists of any type, triangle strips, and `comment TextureFile`. All other
//! elements and properties are stepped over. Colours are displayed (sRGB) ones, whatever their type.
//!
//! An own reader rather than the crate ply-rs-bw 4.0: that one takes 2.5 times as long for ascii and 1.3 times
//! for binary files (a sphere of 200,000 vertices), knows no byte offsets, and believes the header: a file of
//! 106 bytes that declares 40 million elements without properties makes it reserve 940 MB. Here each declared
//! count is held against the bytes that are left before anything is reserved.

mod body;
mod header;
mod source;
#[cfg(test)]
mod tests;

use super::text::Text;
use super::{Fault, Folder};
use crate::Warning;
use crate::mesh::Mesh;
use body::Body;
use header::{Encoding, Header};
use source::Binary;

/// Reads a PLY file; its texture comes from `folder`.
///
/// # Errors
/// A `Fault` with the line of an ascii file or the byte offset of a binary one: for broken headers, missing
/// data, vertices that do not exist or are not finite, and if there are no triangles.
pub fn read(bytes: &[u8], folder: &Folder, warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
    let mut text = Text::new(bytes);
    let header = Header::read(&mut text)?;
    let at = text.offset();
    let body = match header.encoding {
        Encoding::Ascii => Body::read(&header, text),
        Encoding::LittleEndian => Body::read(&header, Binary::<true> { bytes, at }),
        Encoding::BigEndian => Body::read(&header, Binary::<false> { bytes, at }),
    }?;
    body.assemble(&header, folder, warnings)
}
