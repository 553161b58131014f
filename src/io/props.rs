//! Triangles of a mesh that are no part of the character: they stay in its document, where they are.

use super::gltf_read::world_transforms;
use super::gltf_write::GltfWriteError;
use super::gltf_write::editor::Editor;
use super::part_choice::carry;
use crate::math::Mat4;
use crate::mesh::{Mesh, Part, PrimitivePlace, SourceDocument};

/// The mesh without some of its triangles, which stay in its document as props.
///
/// # Errors
/// If the mesh cannot be written as a document.
///
/// # Panics
/// If there is not one mark for each triangle.
pub fn leave_out(mut mesh: Mesh, is_left_out: &[bool]) -> Result<Mesh, GltfWriteError> {
    assert_eq!(mesh.triangles.len(), is_left_out.len(), "every triangle is marked");
    if mesh.origin.document.is_none() {
        carry(&mut mesh)?;
    }
    let Some(source) = &mesh.origin.document else { return Ok(mesh) };
    let worlds = world_transforms(&source.json).map_err(GltfWriteError::Document)?;
    let mut editor = Editor::of_source(source);
    let mut triangles = Vec::with_capacity(mesh.triangles.len());
    let mut is_kept = Vec::with_capacity(mesh.parts.len());
    for index in 0..mesh.parts.len() {
        let part = &mesh.parts[index];
        let (first, own) = (triangles.len(), part.triangles.clone());
        let (mut kept, mut left) = (Vec::new(), Vec::new());
        for triangle in own.clone() {
            if is_left_out[triangle] { &mut left } else { &mut kept }.push(mesh.triangles[triangle]);
        }
        triangles.extend_from_slice(&kept);
        is_kept.push(own.is_empty() || !kept.is_empty());
        if let (Some(place), false, false) = (part.place, kept.is_empty(), left.is_empty()) {
            let left = as_in_file(source, &worlds, place.node, &left);
            let (first, vertices) = (part.vertices.start as u32, part.vertices.len());
            let lists = [kept, left]
                .map(|list| list.into_iter().flatten().map(|vertex| vertex - first).collect::<Vec<u32>>());
            let place = own_place(&mut editor, &mut mesh.parts, place);
            editor.split_primitive(&place, &lists, vertices);
        }
        mesh.parts[index].triangles = first..triangles.len();
    }
    mesh.triangles = triangles;
    mesh.origin.document = Some(editor.document());
    Ok(mesh.keep_parts(&is_kept))
}

/// The triangles as their file has them: a mirrored node turns them around, and they were read as they are seen. Where joints move a
/// primitive its node does nothing.
pub fn as_in_file(
    source: &SourceDocument,
    worlds: &[Mat4],
    node: usize,
    triangles: &[[u32; 3]],
) -> Vec<[u32; 3]> {
    let is_skinned = source.json["nodes"][node].get("skin").is_some();
    let is_mirrored = !is_skinned && worlds.get(node).is_some_and(|world| world.determinant() < 0.0);
    triangles.iter().map(|&[a, b, c]| if is_mirrored { [a, c, b] } else { [a, b, c] }).collect()
}

/// The place of a primitive that is to be changed, in a mesh that no other node shows; the parts beside it go with it.
pub fn own_place(editor: &mut Editor, parts: &mut [Part], place: PrimitivePlace) -> PrimitivePlace {
    let own = editor.own_mesh(&place);
    let siblings = parts.iter_mut().filter_map(|part| part.place.as_mut());
    siblings.filter(|other| other.node == place.node).for_each(|other| other.mesh = own);
    PrimitivePlace { mesh: own, ..place }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    #[test]
    fn what_is_left_out_stays_in_the_document() {
        let (mut both, ball) = (shapes::cube(), shapes::uv_sphere(4, 6));
        let cube = both.triangles.len();
        let first = both.positions.len() as u32;
        both.positions.extend(&ball.positions);
        both.triangles.extend(ball.triangles.iter().map(|triangle| triangle.map(|v| v + first)));
        both.parts[0].vertices = 0..both.positions.len();
        both.parts[0].triangles = 0..both.triangles.len();
        both.appearance = Default::default();
        both.parts[0].material = None;
        let is_left_out: Vec<bool> = (0..both.triangles.len()).map(|triangle| triangle < cube).collect();
        let left = leave_out(both, &is_left_out).unwrap();
        assert_eq!(left.broken_invariant(), None);
        assert_eq!(left.triangles.len(), ball.triangles.len());
        let place = left.parts[0].place.unwrap();
        let document = left.origin.document.as_ref().unwrap();
        let primitives = document.json["meshes"][place.mesh]["primitives"].as_array().unwrap();
        let counts = primitives.iter().map(|primitive| {
            let accessor = primitive["indices"].as_u64().unwrap() as usize;
            document.json["accessors"][accessor]["count"].as_u64().unwrap()
        });
        assert_eq!(counts.collect::<Vec<_>>(), [3 * ball.triangles.len() as u64, 3 * cube as u64]);
    }
}
