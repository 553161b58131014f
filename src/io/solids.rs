//! Solids of a mesh that share vertices, taken apart in the mesh and in its document alike.

use super::gltf_read::world_transforms;
use super::gltf_write::GltfWriteError;
use super::gltf_write::copies::Copies;
use super::gltf_write::editor::Editor;
use super::gltf_write::replace::Users;
use super::props::{as_in_file, own_place};
use crate::math::Vec3;
use crate::mesh::split_solids::SolidsApart;
use crate::mesh::{Mesh, SourceDocument};

/// The mesh with a vertex for each solid that used it; `None` if none was shared. See [`Mesh::with_solids_apart`].
///
/// # Errors
/// If its document contradicts itself.
pub fn take_solids_apart(
    mesh: &Mesh,
    welded: &[u32],
    positions: &[Vec3],
) -> Result<Option<Mesh>, GltfWriteError> {
    let Some(SolidsApart { mesh: mut apart, sources }) = mesh.with_solids_apart(welded, positions) else {
        return Ok(None);
    };
    if let Some(document) = apart.origin.document.take() {
        apart.origin.document = Some(with_copies(&document, mesh, &mut apart, &sources)?);
    }
    Ok(Some(apart))
}

/// The document with the vertices that its primitives have got.
fn with_copies(
    source: &SourceDocument,
    mesh: &Mesh,
    apart: &mut Mesh,
    sources: &[usize],
) -> Result<SourceDocument, GltfWriteError> {
    let worlds = world_transforms(&source.json).map_err(GltfWriteError::Document)?;
    let mut editor = Editor::of_source(source);
    for (index, old) in mesh.parts.iter().enumerate() {
        let part = apart.parts[index].clone();
        let Some(place) = part.place.filter(|_| part.vertices.len() > old.vertices.len()) else { continue };
        let triangles = as_in_file(source, &worlds, place.node, &apart.triangles[part.triangles.clone()]);
        let corners: Vec<u32> =
            triangles.iter().flatten().map(|vertex| vertex - part.vertices.start as u32).collect();
        let own: Vec<u32> = sources[part.vertices.clone()]
            .iter()
            .map(|&vertex| (vertex - old.vertices.start) as u32)
            .collect();
        let place = own_place(&mut editor, &mut apart.parts, place);
        let mut primitive = editor.primitive(&place).clone();
        let mut users = Users::of(&mut editor.json);
        let copies = Copies { source, vertices: old.vertices.len(), sources: &own, corners: &corners };
        editor.add_copies(&mut primitive, &mut users, copies, &[]).map_err(GltfWriteError::Document)?;
        *editor.primitive(&place) = primitive;
    }
    editor.squeeze();
    Ok(editor.document())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Folder, gltf_read};
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::shapes;
    use serde_json::json;
    use std::path::Path;

    /// A welded tower in a document whose node turns it around; `nodes` of them show the same mesh.
    fn tower_of(nodes: usize) -> Mesh {
        let mut tower = shapes::welded_tower();
        super::super::part_choice::carry(&mut tower).unwrap();
        let source = tower.origin.document.unwrap();
        let mut editor = Editor::of_source(&source);
        editor.json["nodes"] = (0..nodes)
            .map(|node| json!({ "mesh": 0, "scale": [-1, 1, 1], "translation": [10 * node, 0, 0] }))
            .collect();
        editor.json["scenes"][0]["nodes"] = (0..nodes).collect();
        read(editor.into_glb().unwrap())
    }

    fn read(file: Vec<u8>) -> Mesh {
        gltf_read::read(file, &Folder::of(Path::new("none/a.glb")), &mut Vec::new()).unwrap()
    }

    #[test]
    fn solids_of_a_document_come_apart_in_it_too() {
        for nodes in [1, 2] {
            let tower = tower_of(nodes);
            let prepared = prepare(&tower, &PrepareOptions::default(), &mut Vec::new()).unwrap();
            let apart = take_solids_apart(&tower, &prepared.welded, &prepared.positions).unwrap().unwrap();
            assert_eq!((tower.positions.len(), apart.positions.len()), (12 * nodes, 16 * nodes));
            let again = read(Editor::of_source(apart.origin.document.as_ref().unwrap()).into_glb().unwrap());
            assert_eq!((&again.positions, &again.triangles), (&apart.positions, &apart.triangles));
            let points = |mesh: &Mesh| -> Vec<Vec3> {
                mesh.triangles.iter().flatten().map(|&vertex| mesh.positions[vertex as usize]).collect()
            };
            assert_eq!(points(&tower), points(&again), "nothing has moved");
        }
    }
}
