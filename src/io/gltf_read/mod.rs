//! glTF 2.0, as JSON with its files and as GLB.
//!
//! The document is read as JSON values and kept whole, so that the export puts back what this reader does
//! not know. One file for each step: `container` (bytes to JSON and buffers),
//! `compression` (packed buffers to plain ones), `accessor` (buffers to numbers), `scene` (nodes to world
//! transforms), `skin`, `materials`, and `surface`, which puts the mesh together. `animation` reads the motion instead.

mod accessor;
mod animation;
mod compression;
mod container;
mod joint_tree;
mod materials;
mod meshopt;
mod rigged;
mod scene;
mod skin;
mod surface;
#[cfg(test)]
mod tests;
mod upright;
mod vrm;

use super::json_item::Item;
use super::left_out::dropped;
use super::{Fault, Folder, Problem};
use crate::Warning;
use crate::math::{Axis, Mat4};
use crate::mesh::{Conventions, Format, Mesh, Origin, SourceDocument};
use accessor::Accessors;
pub(super) use rigged::{Rigged, rigged_of};
use serde_json::Value;
use skin::{Influences, SkinMatrices};
use surface::Triangles;

/// Extensions that a file may require without losing anything here: they add looks or metadata, which are
/// kept, or they are read.
const HARMLESS: [&str; 6] =
    ["KHR_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_", "KHR_lights_", "KHR_xmp"];
const UNDERSTOOD: [&str; 4] =
    ["KHR_mesh_quantization", "KHR_node_visibility", "KHR_animation_pointer", "EXT_lights_image_based"];
const INSTANCING: &str = "EXT_mesh_gpu_instancing";

/// A glTF file, parsed: its JSON and the content of its buffers and image files.
pub struct GltfFile {
    format: Format,
    source: SourceDocument,
    /// Image files that are missing.
    missing: Vec<Warning>,
}

impl GltfFile {
    /// Parses a glTF document or a GLB. Files that it refers to are looked up in `folder`.
    pub fn parse(bytes: Vec<u8>, folder: &Folder) -> Result<GltfFile, Fault> {
        let container = container::open(bytes)?;
        let format = container.format;
        check_version(&Item::root(&container.json))?;
        let mut missing = Vec::new();
        let mut source = container::load(container, folder, &mut missing)?;
        compression::remove(&mut source)?;
        Ok(GltfFile { format, source, missing })
    }

    /// Its JSON and buffers.
    pub(super) fn document(&self) -> &SourceDocument {
        &self.source
    }

    /// The surface of the default scene at rest: node transforms, skins and the default weights of morph targets are
    /// applied.
    pub fn into_mesh(mut self, warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
        warnings.append(&mut self.missing);
        mesh_of(self.source, self.format, warnings)
    }
}

/// Reads the mesh of a glTF document or a GLB by [`GltfFile::into_mesh`].
pub fn read(bytes: Vec<u8>, folder: &Folder, warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
    GltfFile::parse(bytes, folder)?.into_mesh(warnings)
}

/// The surface of a document.
pub(super) fn mesh_of(
    source: SourceDocument,
    format: Format,
    warnings: &mut Vec<Warning>,
) -> Result<Mesh, Fault> {
    let mut mesh = Mesh::default();
    let root = Item::root(&source.json);
    warn_of_extensions(&root, warnings)?;
    let accessors = Accessors::new(root.clone(), &source.buffers);
    let scene = scene::read(&root)?;
    let texcoords = materials::read(&root, &source, &accessors, &mut mesh.appearance, warnings)?;
    surface::read(&root, &accessors, &scene, &texcoords, &mut mesh, warnings)?;
    dropped(warnings, "meshes", scene.hidden, "their nodes are invisible");
    if mesh.triangles.is_empty() {
        return Err(Fault::whole(Problem::NoTriangles));
    }
    let front = vrm::Vrm::of(&root).map_or(Axis::PosZ, |vrm| vrm.front());
    let conventions = Conventions { meters_per_unit: Some(1.0), up: Some(Axis::PosY), front: Some(front) };
    mesh.origin = Origin { format, conventions, document: Some(source) };
    Ok(mesh)
}

/// The content of a data URI.
pub(super) fn data_of_uri(uri: &str) -> Option<Vec<u8>> {
    if container::is_data_uri(uri) { Some(container::decode_data_uri(uri)?.1) } else { None }
}

/// From the coordinates of each node to those of the scene.
pub(super) fn world_transforms(json: &Value) -> Result<Vec<Mat4>, Fault> {
    Ok(scene::read(&Item::root(json))?.worlds)
}

/// Where the vertices of a primitive stand: from their own coordinates to those of the scene, by the skin of its node or else by the
/// node itself.
pub(super) fn vertex_transforms(
    source: &SourceDocument,
    worlds: &[Mat4],
    node: usize,
    attributes: &Value,
) -> Result<Vec<Mat4>, Fault> {
    let root = Item::root(&source.json);
    let accessors = Accessors::new(root.clone(), &source.buffers);
    let attributes = Item::root(attributes);
    let positions = attributes.required("POSITION")?;
    let vertices = accessors.open(&positions)?.count;
    if let Some(reference) = root.list("nodes")?.get(node).and_then(|node| node.get("skin")) {
        let skin = SkinMatrices::read(&reference.target(&root, "skins", "skin")?, &accessors, worlds)?;
        if let Some(influences) = Influences::read(&attributes, &accessors, vertices, &skin)? {
            return Ok((0..vertices).map(|vertex| influences.matrix(vertex, &skin)).collect());
        }
    }
    Ok(vec![worlds[node]; vertices])
}

/// From the coordinates of a node to those of its parent.
pub(super) fn local_transform(node: &Value) -> Result<Mat4, Fault> {
    scene::local(&Item::root(node))
}

/// The elements of the accessor that `reference`, an index, names.
pub(super) fn floats<const N: usize>(
    source: &SourceDocument,
    reference: &Value,
) -> Result<Vec<[f32; N]>, Fault> {
    let accessors = Accessors::new(Item::root(&source.json), &source.buffers);
    accessors.open(&Item::root(reference))?.floats()
}

/// The vertices and triangles of a primitive in its own coordinates; `None` if it has no triangles.
pub(super) fn primitive_triangles(
    source: &SourceDocument,
    primitive: &Value,
) -> Result<Option<Triangles>, Fault> {
    let accessors = Accessors::new(Item::root(&source.json), &source.buffers);
    surface::primitive_triangles(&Item::root(primitive), &accessors)
}

/// The bytes of these elements of the accessor that `reference`, an index, names, of so many for each vertex; and the bytes
/// from one to the next, if they are not as close as they can be.
pub(super) fn rows(
    source: &SourceDocument,
    reference: &Value,
    elements: &[u32],
    vertices: usize,
) -> Result<(Vec<u8>, Option<usize>), Fault> {
    let accessors = Accessors::new(Item::root(&source.json), &source.buffers);
    let accessor = accessors.open(&Item::root(reference))?;
    accessor.check_count(vertices)?;
    let row = accessor.size().next_multiple_of(4);
    Ok((accessor.rows(elements), (row != accessor.size()).then_some(row)))
}

/// What every document has: lists of objects, and a version. The major version must be 2, and so must the oldest version that the file says suffices.
fn check_version(root: &Item) -> Result<(), Fault> {
    let Some(members) = root.value.as_object() else { return Err(root.expected("a glTF document")) };
    // What is kept unread is edited later, so that its lists hold objects; only extensions are listed by name.
    for key in members.keys().filter(|key| !key.starts_with("extensions") && *key != "extras") {
        let items = if members[key].is_array() { root.list(key)? } else { Vec::new() };
        if let Some(item) = items.iter().find(|item| !item.value.is_object()) {
            return Err(item.expected("an object"));
        }
    }
    let asset = root.required("asset")?;
    let version = asset.text("version").ok_or_else(|| asset.missing("version"))?;
    if version.split('.').next() != Some("2") {
        return Err(Fault::json("/asset/version", container::old_version(version)));
    }
    match asset.text("minVersion") {
        Some(oldest) if oldest != "2.0" => {
            Err(Fault::json("/asset/minVersion", container::old_version(oldest)))
        }
        _ => Ok(()),
    }
}

fn warn_of_extensions(root: &Item, warnings: &mut Vec<Warning>) -> Result<(), Fault> {
    for item in root.list("extensionsRequired")? {
        let Some(name) = item.value.as_str() else { return Err(item.expected("the name of an extension")) };
        let known = UNDERSTOOD.contains(&name) || HARMLESS.iter().any(|start| name.starts_with(start));
        if !known && name != INSTANCING {
            let effect = "the mesh may lack what it adds";
            warnings.push(Warning::ExtensionIgnored { name: name.to_owned(), effect });
        }
    }
    if root.list("nodes")?.iter().any(|node| node.extension(INSTANCING).is_some()) {
        let effect = "each mesh that it repeats appears once";
        warnings.push(Warning::ExtensionIgnored { name: INSTANCING.to_owned(), effect });
    }
    Ok(())
}
