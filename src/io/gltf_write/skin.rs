//! A skin added to a glTF document.
//!
//! Joints become nodes, every primitive of the character gets its joints and weights, and the nodes that show it stand at the
//! root of the scene, where engines want skinned meshes. Node transforms and the placement are baked into the vertices of a
//! primitive where they are not the identity, and nowhere else.

use super::editor::{ARRAY_BUFFER, Editor, TRIANGLES, UNSIGNED_BYTE, UNSIGNED_SHORT, items, number, push};
use super::replace::Users;
use super::{GltfCharacter, GltfWriteError, new_document};
use crate::math::{Mat3, Mat4, Vec3};
use crate::mesh::placement::Placement;
use crate::mesh::{Mesh, Part, PrimitivePlace, unit_or_zero};
use crate::rig::{RigJoint, SkinWeights};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What is added to a mesh.
#[derive(Debug, Clone, Copy)]
pub struct SkinBinding<'a> {
    /// From the coordinates of the file to those of the output.
    pub placement: &'a Placement,
    /// Joints in the coordinates of the output, parents first.
    pub joints: &'a [RigJoint],
    /// For each welded vertex, by the indices of `joints`.
    pub weights: &'a SkinWeights,
    /// The welded vertex of every vertex of the mesh.
    pub welded: &'a [u32],
    /// How far every vertex of the mesh moves from where it is, in the coordinates of the output; empty if none does.
    pub displacements: &'a [Vec3],
}

/// The mesh with a skin, at rest, as a document that takes clips.
///
/// # Errors
/// If the mesh or its document cannot be written.
///
/// # Panics
/// If `welded` does not fit the mesh, or a weight belongs to a joint that does not exist.
pub fn rigged_character(mesh: &Mesh, binding: &SkinBinding) -> Result<GltfCharacter, GltfWriteError> {
    assert_eq!(mesh.positions.len(), binding.welded.len(), "every vertex is welded to one");
    let (mut editor, own): (Editor, Vec<(&Part, PrimitivePlace)>) = match &mesh.origin.document {
        Some(source) => {
            let own = mesh.parts.iter().filter_map(|part| Some((part, part.place?)));
            (Editor::of_source(source), own.collect())
        }
        None => {
            let (editor, places) = Editor::of_new(mesh, binding)?;
            (editor, mesh.parts.iter().filter(|part| !part.triangles.is_empty()).zip(places).collect())
        }
    };
    let mut own = editor.separate_instances(own);
    let left_behind = editor.split_off_lines(&mut own);
    if let Some(source) = &mesh.origin.document {
        editor.bake(source, mesh, binding, &own)?;
    }
    for (part, place) in &own {
        let vertices = part.vertices.clone().map(|vertex| binding.welded[vertex] as usize);
        editor.add_influences(place, &binding.weights.gather(vertices));
    }
    let shown: BTreeMap<usize, usize> = own.iter().map(|(_, place)| (place.node, place.mesh)).collect();
    let roots = editor.scene_roots();
    editor.free_names(binding.joints, &shown);
    let first_joint = editor.add_joints(binding.joints);
    let nodes: Vec<usize> = (first_joint..first_joint + binding.joints.len()).collect();
    let inverse_binds: Vec<Mat4> =
        binding.joints.iter().map(|joint| joint.rest.inverse().to_homogeneous()).collect();
    let skin = editor.add_skin(&nodes, &inverse_binds);
    let skinned: BTreeMap<usize, usize> = shown
        .into_iter()
        .map(|(node, mesh)| (node, editor.show(node, mesh, skin, &roots, left_behind.get(&node).copied())))
        .collect();
    editor.arrange_scenes(binding.placement, &roots, &skinned, first_joint);
    Ok(GltfCharacter::of_nodes(editor, nodes))
}

impl Editor {
    /// A document for a mesh that has none, with its placement applied. Also the primitive of each part that has triangles.
    fn of_new(mesh: &Mesh, binding: &SkinBinding) -> Result<(Editor, Vec<PrimitivePlace>), GltfWriteError> {
        let (placement, mut placed) = (binding.placement, mesh.clone());
        if !placement.is_identity() {
            let output_from_input = placement.output_from_input.to_homogeneous();
            placed.positions.iter_mut().for_each(|position| *position = moved(&output_from_input, position));
            let rotation = linear(&output_from_input);
            for normal in &mut placed.appearance.normals {
                *normal = unit_or_zero((rotation * Vec3::from(normal.map(f64::from))).into());
            }
        }
        for (position, displacement) in placed.positions.iter_mut().zip(binding.displacements) {
            *position += displacement;
        }
        let (json, bytes, places) = new_document(&placed)?;
        Ok((Editor { json, bytes }, places))
    }

    /// A mesh that several nodes show is copied, because each of them stands elsewhere.
    fn separate_instances<'p>(
        &mut self,
        own: Vec<(&'p Part, PrimitivePlace)>,
    ) -> Vec<(&'p Part, PrimitivePlace)> {
        let mut users: HashMap<usize, BTreeSet<usize>> = HashMap::new();
        for (index, node) in items(&mut self.json, "nodes").enumerate() {
            if let Some(mesh) = number(node, "mesh") {
                users.entry(mesh).or_default().insert(index);
            }
        }
        // One of its users keeps the original: one that is not shown, in another scene perhaps, or else the first.
        let shown: BTreeSet<usize> = own.iter().map(|(_, place)| place.node).collect();
        let mut copies: HashMap<usize, usize> = HashMap::new();
        let mut separated = Vec::new();
        for (part, mut place) in own {
            let nodes = users.get(&place.mesh).into_iter().flatten();
            if nodes.min_by_key(|node| shown.contains(node)) != Some(&place.node) {
                place.mesh = *copies.entry(place.node).or_insert_with(|| {
                    let mesh = self.json["meshes"][place.mesh].clone();
                    push(&mut self.json, "meshes", mesh)
                });
            }
            separated.push((part, place));
        }
        separated
    }

    /// Lines and points get no skin. They stay with their node, in a mesh of their own: returns it for
    /// each node that has such.
    fn split_off_lines(&mut self, own: &mut [(&Part, PrimitivePlace)]) -> HashMap<usize, usize> {
        let mut surfaces: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (_, place) in own.iter() {
            surfaces.entry((place.node, place.mesh)).or_default().push(place.primitive);
        }
        let mut left_behind = HashMap::new();
        for ((node, mesh), surfaces) in surfaces {
            let Some(primitives) = self.json["meshes"][mesh]["primitives"].as_array().cloned() else {
                continue;
            };
            if surfaces.len() == primitives.len() {
                continue;
            }
            let (mut kept, mut rest) = (Vec::new(), Vec::new());
            for (index, primitive) in primitives.into_iter().enumerate() {
                if surfaces.contains(&index) { kept.push(primitive) } else { rest.push(primitive) }
            }
            let mut copy = self.json["meshes"][mesh].clone();
            copy["primitives"] = Value::Array(rest);
            left_behind.insert(node, push(&mut self.json, "meshes", copy));
            self.json["meshes"][mesh]["primitives"] = Value::Array(kept);
            for (_, place) in own.iter_mut().filter(|(_, place)| place.node == node) {
                place.primitive = surfaces.iter().filter(|&&other| other < place.primitive).count();
            }
        }
        left_behind
    }

    /// Divides the triangles of a primitive between itself and a new one at the end of its mesh. The corners are numbers of the
    /// primitive's vertices.
    pub fn split_primitive(&mut self, place: &PrimitivePlace, corners: &[Vec<u32>; 2], vertices: usize) {
        let whole = self.primitive(place).clone();
        let mut users = Users::of(&mut self.json);
        // The first list takes the place of the old one, unless others use that.
        let old = whole.get("indices").cloned().unwrap_or_default();
        let [kept, left] = [(&old, &corners[0]), (&Value::Null, &corners[1])].map(|(old, corners)| {
            let mut primitive = whole.clone();
            primitive["indices"] = json!(self.replace_indices(&mut users, old, corners, vertices));
            primitive["mode"] = json!(TRIANGLES);
            primitive
        });
        *self.primitive(place) = kept;
        if let Some(primitives) = self.json["meshes"][place.mesh]["primitives"].as_array_mut() {
            primitives.push(left);
        }
    }

    /// A mesh that no other node shows, to be changed: a copy if others show it too. Returns its number.
    pub fn own_mesh(&mut self, place: &PrimitivePlace) -> usize {
        let nodes = items(&mut self.json, "nodes");
        if nodes.filter(|node| number(node, "mesh") == Some(place.mesh)).count() < 2 {
            return place.mesh;
        }
        let copy = self.json["meshes"][place.mesh].clone();
        let copy = push(&mut self.json, "meshes", copy);
        self.json["nodes"][place.node]["mesh"] = json!(copy);
        copy
    }

    pub fn primitive(&mut self, place: &PrimitivePlace) -> &mut Value {
        &mut self.json["meshes"][place.mesh]["primitives"][place.primitive]
    }

    /// Joints and weights in sets of four; earlier ones are replaced.
    fn add_influences(&mut self, place: &PrimitivePlace, weights: &SkinWeights) {
        let (joints, parts) = weights.lists();
        let largest = joints.iter().copied().max().unwrap_or(0);
        let slots = weights.slots();
        let mut attributes = Map::new();
        for set in 0..slots / 4 {
            let four = 4 * set..4 * set + 4;
            let joints = joints.chunks(slots).flat_map(|list| &list[four.clone()]);
            let parts = parts.chunks(slots).flat_map(|list| &list[four.clone()]);
            let (component, bytes): (_, Vec<u8>) = match u8::try_from(largest) {
                Ok(_) => (UNSIGNED_BYTE, joints.map(|&joint| joint as u8).collect()),
                Err(_) => (UNSIGNED_SHORT, joints.flat_map(|joint| joint.to_le_bytes()).collect()),
            };
            let view = self.add_view(&bytes, Some(ARRAY_BUFFER));
            let accessor = self.add_accessor(view, weights.vertices(), component, "VEC4");
            attributes.insert(format!("JOINTS_{set}"), json!(accessor));
            let bytes: Vec<u8> = parts.flat_map(|part| part.to_le_bytes()).collect();
            let view = self.add_view(&bytes, Some(ARRAY_BUFFER));
            let accessor = self.add_normalized(view, weights.vertices(), UNSIGNED_SHORT, "VEC4");
            attributes.insert(format!("WEIGHTS_{set}"), json!(accessor));
        }
        let Some(existing) = self.primitive(place)["attributes"].as_object_mut() else { return };
        existing.retain(|name, _| !name.starts_with("JOINTS_") && !name.starts_with("WEIGHTS_"));
        existing.extend(attributes);
    }

    /// Nodes that have the name of a joint are renamed, because engines find joints by name.
    fn free_names(&mut self, joints: &[RigJoint], shown: &BTreeMap<usize, usize>) {
        let names: BTreeSet<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
        for (index, node) in items(&mut self.json, "nodes").enumerate() {
            if let Some(name) = node.get("name").and_then(Value::as_str).filter(|name| names.contains(name)) {
                let kind = if shown.contains_key(&index) { "mesh" } else { "node" };
                node["name"] = json!(format!("{name}_{kind}"));
            }
        }
    }
}

pub(super) fn linear(matrix: &Mat4) -> Mat3 {
    matrix.fixed_view::<3, 3>(0, 0).into_owned()
}

pub(super) fn moved(matrix: &Mat4, point: &Vec3) -> Vec3 {
    matrix.transform_point(&(*point).into()).coords
}
