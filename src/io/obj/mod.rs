//! Wavefront OBJ.
//!
//! Where vertices go: a vertex of the mesh is a distinct combination of `v`, `vt` and `vn` within a part, and
//! they are numbered in the order of first use. A part is everything under one object or group name and one
//! material, also if the file comes back to it. A `v` that no face uses is kept: it goes to the part of the
//! first face that follows it (the last part if none does), behind the vertices of that part's faces.
//!
//! Six numbers in a `v` are a position and a displayed (sRGB) colour, seven add alpha; a fourth number alone
//! is the weight of rational curves and means nothing for polygons.

mod assemble;
mod statements;
#[cfg(test)]
mod tests;

use super::{Fault, Folder};
use crate::Warning;
use crate::mesh::Mesh;
use statements::Statements;

/// Reads an OBJ file; its material libraries and images come from `folder`.
///
/// # Errors
/// A `Fault` with its line for what is not OBJ, for vertices that do not exist or are not finite, and if
/// there are no triangles. Normals and texture coordinates that are unusable count as absent.
pub fn read(bytes: &[u8], folder: &Folder, warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
    let mut statements = Statements::read(bytes)?;
    statements.check_references()?;
    Ok(statements.assemble(folder, warnings))
}
