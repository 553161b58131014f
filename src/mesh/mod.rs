//! The surface as data.
//!
//! A [`Mesh`] is what a file holds: every vertex and triangle of it, how it looks, and whatever else must survive until
//! the export; or what [`Mesh::of_arrays`] is given. [`prepare`](prepare::prepare) makes of it the mesh that the methods
//! work on.

mod appearance;
mod arrays;
pub mod characters;
mod invariant;
mod keep_parts;
pub mod limb_tips;
pub mod normals;
pub mod orient_faces;
pub mod orientation;
mod origin;
pub mod placement;
mod polygon;
pub mod prepare;
pub mod props;
pub mod samples;
pub mod separate;
pub mod shapes;
pub mod split_solids;
pub mod surroundings;
pub mod topology;
mod triangle;
mod triangle_tree;
pub mod weld;

pub(crate) use appearance::unit_or_zero;
pub use appearance::{AlphaMode, Appearance, EncodedImage, Material};
pub use arrays::ArrayError;
pub use origin::{Conventions, Format, Origin, PrimitivePlace, SourceDocument};
pub use polygon::Triangulator;
pub use triangle_tree::{Hit, Nearest, TriangleTree};

use crate::math::Vec3;
use std::ops::Range;

/// A surface as its file describes it, in the coordinates of that file's scene (node transforms applied).
///
/// Invariants, kept by every reader: indices of triangles are below `positions.len()`, positions are finite,
/// parts cover all vertices and all triangles in order without overlap, there are at most `u32::MAX` of
/// either. Nothing else is promised: triangles may be degenerate, doubled, flipped or disconnected.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    /// One point for each vertex of the file, unwelded.
    pub positions: Vec<Vec3>,
    /// Three vertices each, counter-clockwise seen from outside if the file is right about it.
    pub triangles: Vec<[u32; 3]>,
    /// Runs of vertices and triangles that belong together: an object or primitive with one material.
    pub parts: Vec<Part>,
    /// Normals, texture coordinates, colours, materials, images.
    pub appearance: Appearance,
    /// The file's format, its conventions, and all of its content that we carry through untouched.
    pub origin: Origin,
}

/// A run of vertices and triangles of a [`Mesh`] with one material.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Part {
    /// Name of the object, group or node; may be empty.
    pub name: String,
    /// Vertices of this part. Its triangles use no others.
    pub vertices: Range<usize>,
    /// Triangles of this part.
    pub triangles: Range<usize>,
    /// Index into [`Appearance::materials`].
    pub material: Option<usize>,
    /// For glTF: the primitive that holds these vertices, in the order of its accessors.
    pub place: Option<PrimitivePlace>,
}
