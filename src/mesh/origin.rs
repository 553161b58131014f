use crate::math::Axis;
use std::fmt;

/// Where a mesh came from, and what of that file is kept for the export.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// The file format.
    pub format: Format,
    /// What the format or the file says about its unit and axes.
    pub conventions: Conventions,
    /// The whole glTF document, for a glTF or GLB file: the export puts it back with our additions.
    pub document: Option<SourceDocument>,
}

/// The mesh file formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Wavefront OBJ. Also the format of meshes built in memory: it promises nothing.
    #[default]
    Obj,
    /// Stanford PLY.
    Ply,
    /// Stereolithography STL.
    Stl,
    /// Object File Format.
    Off,
    /// glTF 2.0 as JSON.
    Gltf,
    /// glTF 2.0 as one binary file.
    Glb,
    /// Autodesk FBX.
    Fbx,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Obj => "OBJ",
            Format::Ply => "PLY",
            Format::Stl => "STL",
            Format::Off => "OFF",
            Format::Gltf => "glTF",
            Format::Glb => "GLB",
            Format::Fbx => "FBX",
        })
    }
}

/// What a format or a file states about its coordinates; `None` where it states nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Conventions {
    /// Length of one unit in metres: 1 for glTF by specification, the declared unit for FBX.
    pub meters_per_unit: Option<f64>,
    /// The declared up axis.
    pub up: Option<Axis>,
    /// The declared direction that a character faces.
    pub front: Option<Axis>,
}

/// A glTF document as it was read: the JSON as values, so that nothing unknown is lost, and its binary data.
#[derive(Debug, Clone, Default)]
pub struct SourceDocument {
    /// The whole document.
    pub json: serde_json::Value,
    /// Content of each entry of `buffers`, whether it came from the binary chunk, a data URI or a file.
    pub buffers: Vec<Vec<u8>>,
    /// Content of each entry of `images` that is a file beside the document; `None` for all others and for
    /// files that are missing.
    pub image_files: Vec<Option<Vec<u8>>>,
}

/// Where the vertices of a part stand in a glTF document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrimitivePlace {
    /// Index of the node that instantiates the mesh.
    pub node: usize,
    /// Index of the mesh.
    pub mesh: usize,
    /// Index of the primitive in the mesh.
    pub primitive: usize,
}
