//! A skin added to a glTF document.
//!
//! A mesh that came from glTF keeps its document: the JSON is edited as values, and what is not touched here comes out as it
//! went in. Other meshes get a new document first. Then, for both alike: joints become nodes, every primitive of
//! the character gets its joints and weights, and the nodes that show it stand at the root of the scene, where engines
//! want skinned meshes. Node transforms and the placement are baked into the primitives' own data where they are
//! not the identity, and nowhere else.

use super::assembly::normal_matrix;
use super::gltf_character::GltfCharacter;
use super::gltf_edit::{
    ARRAY_BUFFER, Editor, UNSIGNED_BYTE, UNSIGNED_SHORT, indices, items, narrow, number, push,
};
use super::gltf_read;
use super::gltf_replace::Users;
use super::gltf_write::{GltfWriteError, new_document};
use crate::math::{Mat3, Mat4, Vec3};
use crate::mesh::placement::Placement;
use crate::mesh::{Carried, Mesh, Part, PrimitivePlace, unit_or_zero};
use crate::rig::{RigJoint, SkinWeights};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Where `KHR_animation_pointer` says what a channel moves, in its target.
const POINTER: &str = "/extensions/KHR_animation_pointer/pointer";

/// What is added to a mesh.
#[derive(Debug, Clone, Copy)]
pub struct Rigging<'a> {
    /// From the coordinates of the file to those of the output.
    pub placement: &'a Placement,
    /// Joints in the coordinates of the output, parents first.
    pub joints: &'a [RigJoint],
    /// For each welded vertex, by the indices of `joints`.
    pub weights: &'a SkinWeights,
    /// The welded vertex of every vertex of the mesh.
    pub welded: &'a [u32],
}

/// The mesh with a skin, at rest, as one GLB file.
///
/// # Errors
/// If the mesh or its document cannot be written.
///
/// # Panics
/// If `welded` does not fit the mesh, or a weight belongs to a joint that does not exist.
pub fn write_rigged_glb(mesh: &Mesh, rigging: &Rigging) -> Result<Vec<u8>, GltfWriteError> {
    rigged_character(mesh, rigging)?.glb()
}

/// The mesh with a skin, at rest, as a document that takes clips.
///
/// # Errors
/// If the mesh or its document cannot be written.
///
/// # Panics
/// If `welded` does not fit the mesh, or a weight belongs to a joint that does not exist.
pub fn rigged_character(mesh: &Mesh, rigging: &Rigging) -> Result<GltfCharacter, GltfWriteError> {
    assert_eq!(mesh.positions.len(), rigging.welded.len(), "every vertex is welded to one");
    let (mut editor, own): (Editor, Vec<(&Part, PrimitivePlace)>) = match &mesh.origin.carried {
        Some(carried) => {
            let own = mesh.parts.iter().filter_map(|part| Some((part, part.place?)));
            (Editor::of_carried(carried), own.collect())
        }
        None => {
            let (editor, places) = Editor::of_new(mesh, rigging.placement)?;
            (editor, mesh.parts.iter().filter(|part| !part.triangles.is_empty()).zip(places).collect())
        }
    };
    let mut own = editor.separate_instances(own);
    let left_behind = editor.split_off_lines(&mut own);
    if let Some(carried) = &mesh.origin.carried {
        editor.bake(carried, mesh, rigging.placement, &own)?;
    }
    for (part, place) in &own {
        let vertices = part.vertices.clone().map(|vertex| rigging.welded[vertex] as usize);
        editor.add_influences(place, &rigging.weights.gather(vertices));
    }
    let shown: BTreeMap<usize, usize> = own.iter().map(|(_, place)| (place.node, place.mesh)).collect();
    let roots = editor.scene_roots();
    editor.free_names(rigging.joints, &shown);
    let first_joint = editor.add_joints(rigging.joints);
    let nodes: Vec<usize> = (first_joint..first_joint + rigging.joints.len()).collect();
    let inverse_binds: Vec<Mat4> =
        rigging.joints.iter().map(|joint| joint.rest.inverse().to_homogeneous()).collect();
    let skin = editor.add_skin(&nodes, &inverse_binds);
    let skinned: BTreeMap<usize, usize> = shown
        .into_iter()
        .map(|(node, mesh)| (node, editor.show(node, mesh, skin, &roots, left_behind.get(&node).copied())))
        .collect();
    editor.arrange_scenes(rigging.placement, &roots, &skinned, first_joint);
    Ok(GltfCharacter::of_nodes(editor, nodes))
}

impl Editor {
    /// A document for a mesh that has none, already in its place.
    /// Also the primitive of each part that has triangles.
    fn of_new(mesh: &Mesh, placement: &Placement) -> Result<(Editor, Vec<PrimitivePlace>), GltfWriteError> {
        let mut placed = mesh.clone();
        if !placement.is_identity() {
            let output_from_input = placement.output_from_input.to_homogeneous();
            placed.positions.iter_mut().for_each(|position| *position = moved(&output_from_input, position));
            let turn = linear(&output_from_input);
            for normal in &mut placed.appearance.normals {
                *normal = unit_or_zero((turn * Vec3::from(normal.map(f64::from))).into());
            }
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
        let keeper = |mesh: usize| {
            users.get(&mesh).and_then(|nodes| nodes.iter().min_by_key(|node| shown.contains(node)))
        };
        let mut copies: HashMap<usize, usize> = HashMap::new();
        let mut separated = Vec::new();
        for (part, mut place) in own {
            if keeper(place.mesh) != Some(&place.node) {
                place.mesh = *copies.entry(place.node).or_insert_with(|| {
                    let mesh = self.json["meshes"][place.mesh].clone();
                    push(&mut self.json, "meshes", mesh)
                });
            }
            separated.push((part, place));
        }
        separated
    }

    /// Lines and points cannot hang on joints beside a surface. They stay with their node, in a mesh of their own: returns it for
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

    /// Moves the primitives of the character to where they are seen in the output.
    fn bake(
        &mut self,
        carried: &Carried,
        mesh: &Mesh,
        placement: &Placement,
        own: &[(&Part, PrimitivePlace)],
    ) -> Result<(), GltfWriteError> {
        let worlds = gltf_read::world_transforms(&carried.json).map_err(GltfWriteError::Document)?;
        let output_from_input = match placement.is_identity() {
            true => Mat4::identity(),
            false => placement.output_from_input.to_homogeneous(),
        };
        let mut users = Users::of(&mut self.json);
        for (part, place) in own {
            let attributes = self.primitive(place)["attributes"].clone();
            let scene_from_own = gltf_read::vertex_transforms(carried, &worlds, place.node, &attributes)
                .map_err(GltfWriteError::Document)?;
            let output_from_own: Vec<Mat4> = scene_from_own.iter().map(|m| output_from_input * m).collect();
            if output_from_own.iter().any(|matrix| *matrix != Mat4::identity()) {
                self.bake_part(carried, mesh, part, place, &output_from_own, &mut users)?;
            }
        }
        Ok(())
    }

    /// Moves a primitive by one transform for each vertex: all the same, or different ones where it hung on joints already.
    /// Morph targets stay what they are, displacements, and are turned.
    fn bake_part(
        &mut self,
        carried: &Carried,
        mesh: &Mesh,
        part: &Part,
        place: &PrimitivePlace,
        output_from_own: &[Mat4],
        users: &mut Users,
    ) -> Result<(), GltfWriteError> {
        let read = |accessor: &Value| -> Result<Vec<Vec3>, GltfWriteError> {
            let floats = gltf_read::floats::<3>(carried, accessor).map_err(GltfWriteError::Document)?;
            Ok(floats.into_iter().map(|value| Vec3::from(value.map(f64::from))).collect())
        };
        let matrices: Vec<Mat3> = output_from_own.iter().map(linear).collect();
        let attributes = self.primitive(place)["attributes"].clone();
        let positions = read(&attributes["POSITION"])?;
        let positions: Vec<Vec3> = output_from_own.iter().zip(&positions).map(|(m, p)| moved(m, p)).collect();
        let accessor =
            self.replace_positions(users, &attributes["POSITION"], &positions, part.vertices.start)?;
        self.primitive(place)["attributes"]["POSITION"] = json!(accessor);
        if matrices.iter().all(|matrix| *matrix == Mat3::identity()) {
            // Directions and displacements are what they were.
            return Ok(());
        }
        let turns: Vec<Mat3> = matrices.iter().map(normal_matrix).collect();
        if let Some(accessor) = attributes.get("NORMAL") {
            let normals = read(accessor)?;
            let unit: Vec<[f32; 3]> =
                turns.iter().zip(&normals).map(|(turn, n)| unit_or_zero((turn * n).into())).collect();
            let replaced = self.replace_vectors(users, accessor, &unit);
            self.primitive(place)["attributes"]["NORMAL"] = json!(replaced);
        }
        if let Some(accessor) = attributes.get("TANGENT") {
            let tangents = gltf_read::floats::<4>(carried, accessor).map_err(GltfWriteError::Document)?;
            let turned = matrices.iter().zip(&tangents).map(|(matrix, &[x, y, z, w])| {
                let [x, y, z] = unit_or_zero((matrix * Vec3::new(x.into(), y.into(), z.into())).into());
                [x, y, z, if matrix.determinant() < 0.0 { -w } else { w }]
            });
            let turned: Vec<[f32; 4]> = turned.collect();
            let replaced = self.replace_vectors(users, accessor, &turned);
            self.primitive(place)["attributes"]["TANGENT"] = json!(replaced);
        }
        let targets = self.primitive(place).get("targets").and_then(Value::as_array).cloned();
        for (index, target) in targets.unwrap_or_default().iter().enumerate() {
            for (name, matrices) in [("POSITION", &matrices), ("NORMAL", &turns), ("TANGENT", &matrices)] {
                let Some(accessor) = target.get(name) else { continue };
                let deltas = read(accessor)?;
                let moved: Vec<Vec3> = matrices.iter().zip(&deltas).map(|(m, delta)| m * delta).collect();
                let replaced = match name {
                    "POSITION" => self.replace_positions(users, accessor, &moved, part.vertices.start)?,
                    _ => {
                        let narrow: Vec<[f32; 3]> = moved.iter().map(|v| v.cast::<f32>().into()).collect();
                        self.replace_vectors(users, accessor, &narrow)
                    }
                };
                self.primitive(place)["targets"][index][name] = json!(replaced);
            }
        }
        // A mirrored node turns its triangles around; without the node the indices have to.
        if matrices.iter().any(|matrix| matrix.determinant() < 0.0) {
            let corners = mesh.triangles[part.triangles.clone()].iter().flatten();
            let corners: Vec<u32> = corners.map(|&v| v - part.vertices.start as u32).collect();
            let old = self.primitive(place).get("indices").cloned().unwrap_or_default();
            let indices = self.replace_indices(users, &old, &corners, part.vertices.len());
            let primitive = self.primitive(place);
            primitive["indices"] = json!(indices);
            primitive["mode"] = json!(4);
        }
        Ok(())
    }

    fn primitive(&mut self, place: &PrimitivePlace) -> &mut Value {
        &mut self.json["meshes"][place.mesh]["primitives"][place.primitive]
    }

    /// Joints and weights in sets of four; earlier ones are replaced.
    fn add_influences(&mut self, place: &PrimitivePlace, weights: &SkinWeights) {
        let (joints, parts) = weights.lists();
        let largest = joints.iter().copied().max().unwrap_or(0);
        let slots = weights.slots();
        let mut attributes = Map::new();
        for set in 0..slots / 4 {
            let of_set = |list: &[u16]| -> Vec<u16> {
                list.chunks(slots).flat_map(|list| list[4 * set..4 * set + 4].to_vec()).collect()
            };
            let (joints, parts) = (of_set(joints), of_set(parts));
            let (component, bytes): (_, Vec<u8>) = match u8::try_from(largest) {
                Ok(_) => (UNSIGNED_BYTE, joints.iter().map(|&joint| joint as u8).collect()),
                Err(_) => (UNSIGNED_SHORT, joints.iter().flat_map(|joint| joint.to_le_bytes()).collect()),
            };
            let view = self.add_view(&bytes, Some(ARRAY_BUFFER));
            let accessor = self.add_accessor(view, weights.vertices(), component, "VEC4", false);
            attributes.insert(format!("JOINTS_{set}"), json!(accessor));
            let bytes: Vec<u8> = parts.iter().flat_map(|part| part.to_le_bytes()).collect();
            let view = self.add_view(&bytes, Some(ARRAY_BUFFER));
            let accessor = self.add_accessor(view, weights.vertices(), UNSIGNED_SHORT, "VEC4", true);
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

    /// Shows a skinned mesh at the root of the scene; returns the node that does.
    ///
    /// A node that stands there already and has nothing but the mesh gets the skin, and loses its transform, which is baked. Any
    /// other stays for its children, its animation and what is `left_behind`, and a new node takes the mesh over.
    fn show(
        &mut self,
        node: usize,
        mesh: usize,
        skin: usize,
        roots: &[usize],
        left_behind: Option<usize>,
    ) -> usize {
        let existing = &mut self.json["nodes"][node];
        let has = |key: &str| existing.get(key).is_some();
        const TRANSFORM: [&str; 4] = ["matrix", "translation", "rotation", "scale"];
        // An extension may be a lamp, which has to stay where it is.
        let is_lamp = has("extensions") && TRANSFORM.into_iter().any(has);
        let is_alone = !(has("children") || has("camera") || is_lamp);
        if is_alone && roots.contains(&node) && left_behind.is_none() && !self.is_moved_by_animation(node) {
            if let Some(existing) = self.json["nodes"][node].as_object_mut() {
                TRANSFORM.iter().for_each(|key| drop(existing.shift_remove(*key)));
                existing.insert("mesh".into(), json!(mesh));
                existing.insert("skin".into(), json!(skin));
            }
            return node;
        }
        let Some(existing) = self.json["nodes"][node].as_object_mut() else { return node };
        let mut taken = Map::new();
        let name = existing.get("name").and_then(Value::as_str).unwrap_or("mesh");
        taken.insert("name".into(), json!(format!("{name}_skinned")));
        if let Some(weights) = existing.get("weights") {
            taken.insert("weights".into(), weights.clone());
        }
        match left_behind {
            Some(rest) => existing["mesh"] = json!(rest),
            None => {
                ["mesh", "skin", "weights"].iter().for_each(|key| drop(existing.shift_remove(*key)));
                if !["children", "camera", "extensions", "extras"]
                    .into_iter()
                    .any(|key| existing.contains_key(key))
                {
                    // Validators wonder about a node that is there for nothing.
                    existing.insert("extras".into(), json!({ "puppetry": { "mesh": taken["name"] } }));
                }
            }
        }
        taken.insert("mesh".into(), json!(mesh));
        taken.insert("skin".into(), json!(skin));
        let new = push(&mut self.json, "nodes", Value::Object(taken));
        for animation in items(&mut self.json, "animations") {
            for channel in items(animation, "channels") {
                let Some(target) = channel.get_mut("target").filter(|target| target.is_object()) else {
                    continue;
                };
                if number(target, "node") == Some(node) && target["path"] == "weights" {
                    target["node"] = json!(new);
                }
                let Some(pointer) = target.pointer_mut(POINTER) else { continue };
                let tail =
                    pointer.as_str().and_then(|text| text.strip_prefix(&format!("/nodes/{node}/weights")));
                if let Some(tail) = tail.filter(|tail| tail.is_empty() || tail.starts_with('/')) {
                    *pointer = json!(format!("/nodes/{new}/weights{tail}"));
                }
            }
        }
        new
    }

    fn is_moved_by_animation(&mut self, node: usize) -> bool {
        items(&mut self.json, "animations").any(|animation| {
            items(animation, "channels").any(|channel| {
                let target = &channel["target"];
                let pointer = target.pointer(POINTER).and_then(Value::as_str).unwrap_or_default();
                let moved = |path: &str| pointer == format!("/nodes/{node}/{path}");
                (number(target, "node") == Some(node) && target["path"] != "weights")
                    || ["translation", "rotation", "scale"].into_iter().any(moved)
            })
        })
    }

    /// Nodes at the root of the default scene.
    fn scene_roots(&mut self) -> Vec<usize> {
        let scene = number(&self.json, "scene").unwrap_or(0);
        match self.json.get("scenes").and_then(|scenes| scenes.get(scene)) {
            Some(scene) => indices(scene.get("nodes")),
            None => {
                let mut has_parent = BTreeSet::new();
                for node in items(&mut self.json, "nodes") {
                    has_parent.extend(indices(node.get("children")));
                }
                let count = self.json.get("nodes").and_then(Value::as_array).map_or(0, Vec::len);
                (0..count).filter(|node| !has_parent.contains(node)).collect()
            }
        }
    }

    /// The character and its skeleton stand at the root of every scene that showed it, and whatever else is there moves along
    /// with them. `skinned` names the new node of each old one.
    fn arrange_scenes(
        &mut self,
        placement: &Placement,
        roots: &[usize],
        skinned: &BTreeMap<usize, usize>,
        skeleton: usize,
    ) {
        let mut default = number(&self.json, "scene").unwrap_or(0);
        if self.json.get("scenes").and_then(|scenes| scenes.get(default)).is_none() {
            default = push(&mut self.json, "scenes", json!({ "nodes": roots }));
            self.json["scene"] = json!(default);
        }
        let children: Vec<Vec<usize>> =
            items(&mut self.json, "nodes").map(|node| indices(node.get("children"))).collect();
        let mut along = Vec::new();
        for (index, scene) in items(&mut self.json, "scenes").enumerate() {
            let mut nodes = indices(scene.get("nodes"));
            let mut reached = BTreeSet::new();
            let mut open = nodes.clone();
            while let Some(node) = open.pop() {
                if reached.insert(node) {
                    open.extend(children.get(node).into_iter().flatten());
                }
            }
            let shown = skinned.iter().filter(|(old, _)| reached.contains(old));
            let shown: Vec<usize> = shown.map(|(_, &new)| new).collect();
            if shown.is_empty() && index != default {
                continue;
            }
            along.extend(nodes.iter().copied().filter(|node| !shown.contains(node)));
            nodes.extend(shown.into_iter().filter(|new| !reached.contains(new)));
            nodes.push(skeleton);
            scene["nodes"] = json!(nodes);
        }
        if !placement.is_identity() {
            self.move_along(placement, &along);
        }
    }

    /// Puts nodes at the root of scenes under a node that moves them as the character was moved. A node has one parent, and a
    /// scene shows all that is below it: nodes that stand in different scenes get different ones.
    fn move_along(&mut self, placement: &Placement, nodes: &[usize]) {
        let mut groups: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for &node in nodes {
            let scenes = items(&mut self.json, "scenes").enumerate();
            let own = scenes.filter(|(_, scene)| indices(scene.get("nodes")).contains(&node));
            let own: Vec<usize> = own.map(|(index, _)| index).collect();
            match groups.iter_mut().find(|(scenes, _)| *scenes == own) {
                Some((_, members)) if members.contains(&node) => {}
                Some((_, members)) => members.push(node),
                None => groups.push((own, vec![node])),
            }
        }
        let moved = placement.output_from_input;
        let [x, y, z] = <[f64; 3]>::from(moved.isometry.translation.vector).map(narrow);
        let turn = moved.isometry.rotation.coords.map(narrow);
        let scale = narrow(moved.scaling());
        for (number, (scenes, members)) in groups.into_iter().enumerate() {
            let name = if number == 0 { "Placement".into() } else { format!("Placement_{}", number + 1) };
            let above = json!({
                "name": name,
                "translation": [x, y, z],
                "rotation": [turn.x, turn.y, turn.z, turn.w],
                "scale": [scale, scale, scale],
                "children": members,
            });
            let above = push(&mut self.json, "nodes", above);
            for scene in scenes {
                let nodes = &mut self.json["scenes"][scene]["nodes"];
                let mut roots = indices(Some(nodes));
                let first = roots.iter().position(|node| members.contains(node)).unwrap_or(0);
                roots[first] = above;
                roots.retain(|node| !members.contains(node));
                *nodes = json!(roots);
            }
        }
    }
}

fn linear(matrix: &Mat4) -> Mat3 {
    matrix.fixed_view::<3, 3>(0, 0).into_owned()
}

fn moved(matrix: &Mat4, point: &Vec3) -> Vec3 {
    matrix.transform_point(&(*point).into()).coords
}

#[cfg(test)]
mod tests {
    use super::super::gltf_write::glb;
    use super::*;
    use crate::io::Folder;
    use crate::mesh::prepare::{PrepareOptions, PreparedMesh, prepare};
    use crate::mesh::shapes;
    use nalgebra::Isometry3;
    use std::path::Path;

    /// Two joints, the second one turned and half-way up.
    fn joints() -> Vec<RigJoint> {
        let turn = nalgebra::UnitQuaternion::from_euler_angles(0.3, 0.2, 0.1);
        let upper = Isometry3::from_parts(Vec3::new(0.1, 1.0, 0.2).into(), turn);
        vec![
            RigJoint { name: "Root".into(), parent: None, rest: Isometry3::identity() },
            RigJoint { name: "Head".into(), parent: Some(0), rest: upper },
        ]
    }

    /// A standing box, two units high.
    fn figure() -> Mesh {
        let mut mesh = shapes::cube();
        mesh.positions.iter_mut().for_each(|p| *p = Vec3::new(0.5 * p.x, p.y + 1.0, 0.3 * p.z));
        mesh
    }

    fn prepared(mesh: &Mesh) -> PreparedMesh {
        let stance = crate::mesh::stance::StanceOptions {
            up: Some(crate::mesh::Axis::PosY),
            front: Some(crate::mesh::Axis::PosZ),
        };
        let size = crate::mesh::placement::Size::Keep;
        let options = PrepareOptions { stance, size, ..PrepareOptions::default() };
        prepare(mesh, &options, &mut Vec::new()).unwrap()
    }

    fn rigged(mesh: &Mesh) -> Vec<u8> {
        let prepared = prepared(mesh);
        let weights = SkinWeights::rigid(prepared.positions.len(), 1);
        let joints = joints();
        let rigging = Rigging {
            placement: &prepared.placement,
            joints: &joints,
            weights: &weights,
            welded: &prepared.welded,
        };
        write_rigged_glb(mesh, &rigging).unwrap()
    }

    fn read(file: Vec<u8>) -> Mesh {
        gltf_read::read(file, &Folder::of(Path::new("none/a.glb")), &mut Vec::new()).unwrap()
    }

    /// The figure as a glTF file whose document was changed.
    fn from_document(change: impl Fn(&mut Value)) -> Mesh {
        let (mut json, bytes, _) = new_document(&figure()).unwrap();
        change(&mut json);
        read(glb(&serde_json::to_vec(&json).unwrap(), &bytes).unwrap())
    }

    fn json_of(file: &[u8]) -> Value {
        let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
        serde_json::from_slice(&file[20..20 + length]).unwrap()
    }

    #[track_caller]
    fn assert_same_places(a: &Mesh, b: &[Vec3]) {
        assert_eq!(a.positions.len(), b.len());
        for (a, b) in a.positions.iter().zip(b) {
            assert!((a - b).norm() < 1e-5, "{a} {b}");
        }
    }

    #[test]
    fn a_new_document_has_a_skin_that_leaves_the_surface_where_it_was() {
        let file = rigged(&figure());
        let document = gltf::Gltf::from_slice(&file).expect("valid for the gltf crate").document;
        let skin = document.skins().next().unwrap();
        assert_eq!(
            skin.joints().map(|joint| joint.name().unwrap().to_owned()).collect::<Vec<_>>(),
            ["Root", "Head"]
        );
        // Our reader poses the skin: the inverse bind matrices and the nodes cancel.
        assert_same_places(&read(file), &figure().positions);
    }

    #[test]
    fn what_is_not_the_characters_stays_as_it_was() {
        let mesh = from_document(|json| {
            json["extras"] = json!({ "studio": [1, 2.5, "x"] });
            json["nodes"][0]["extensions"] = json!({ "VENDOR_thing": { "a": 0.1 } });
            json["materials"] = json!([{ "name": "skin", "extensions": { "VENDOR_sheen": {} } }]);
            json["cameras"] =
                json!([{ "type": "perspective", "perspective": { "yfov": 0.7, "znear": 0.1 } }]);
        });
        let before = mesh.origin.carried.as_ref().unwrap().json.clone();
        let after = json_of(&rigged(&mesh));
        for key in ["asset", "extras", "materials", "cameras"] {
            assert_eq!(before[key], after[key], "{key}");
        }
        assert_eq!(after["nodes"][0]["extensions"], before["nodes"][0]["extensions"]);
        // Nothing needs baking, so the positions are the very same accessor.
        let accessor = |json: &Value| json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
        assert_eq!(accessor(&before), accessor(&after));
        assert_eq!(before["accessors"][0], after["accessors"][0]);
    }

    #[test]
    fn transforms_are_baked_and_the_scene_moves_along() {
        let mesh = from_document(|json| {
            json["nodes"][0]["translation"] = json!([0.0, 5.0, 0.0]);
            json["nodes"][0]["scale"] = json!([-1.0, 1.0, 1.0]);
            json["nodes"][0]["name"] = json!("Head");
            json["nodes"][0]["children"] = json!([1]);
            let lamp = push(json, "nodes", json!({ "name": "lamp", "translation": [1.0, 0.0, 0.0] }));
            assert_eq!(lamp, 1);
        });
        let placement = prepared(&mesh).placement;
        assert_eq!(placement.lift, -5.0);
        let file = rigged(&mesh);
        let after = json_of(&file);
        let names: Vec<&str> =
            after["nodes"].as_array().unwrap().iter().map(|n| n["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["Head_mesh", "lamp", "Root", "Head", "Head_mesh_skinned", "Placement"]);
        assert_eq!(after["nodes"][5]["translation"], json!([0.0, -5.0, 0.0]));
        assert_eq!(after["nodes"][5]["children"], json!([0]));
        assert_eq!(after["scenes"][0]["nodes"], json!([5, 4, 2]));
        let back = read(file);
        let lowered: Vec<Vec3> = mesh.positions.iter().map(|p| p - Vec3::y() * 5.0).collect();
        assert_same_places(&back, &lowered);
        assert_eq!(
            back.triangles, mesh.triangles,
            "a mirrored node turns triangles, and so must the indices"
        );
    }

    #[test]
    fn a_mesh_that_two_nodes_show_is_written_twice() {
        let mesh = from_document(|json| {
            let twin = push(json, "nodes", json!({ "mesh": 0, "translation": [2.0, 0.0, 0.0] }));
            json["scenes"][0]["nodes"] = json!([0, twin]);
        });
        let places = mesh.positions.clone();
        assert_same_places(&read(rigged(&mesh)), &places);
    }

    #[test]
    fn weights_that_were_there_are_replaced() {
        let once = read(rigged(&figure()));
        let twice = json_of(&rigged(&once));
        let attributes = twice["meshes"][0]["primitives"][0]["attributes"].as_object().unwrap();
        assert_eq!(attributes.keys().filter(|name| name.starts_with("JOINTS_")).count(), 1);
        assert_same_places(&read(rigged(&once)), &figure().positions);
    }

    /// A document whose character already hangs on a joint that turns, doubles and moves it, and bulges by a morph target.
    fn posed_and_morphed(weight: f64) -> Mesh {
        from_document(|json| {
            json["meshes"][0]["weights"] = json!([weight]);
            let positions = json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
            json["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": positions }]);
            let joint =
                json!({ "rotation": [0.0, 0.0, 1.0, 0.0], "scale": [2, 2, 2], "translation": [0, 3, 0] });
            let joint = push(json, "nodes", joint);
            json["nodes"][0]["skin"] = json!(0);
            json["skins"] = json!([{ "joints": [joint] }]);
            json["scenes"][0]["nodes"] = json!([0, joint]);
            let count = json["accessors"][positions.as_u64().unwrap() as usize]["count"].clone();
            // Accessors without a view are zeros: joint 0 for all, and no weights, so that it moves the vertices alone.
            let zeros = json!({ "componentType": UNSIGNED_SHORT, "count": count, "type": "VEC4" });
            let zeros = push(json, "accessors", zeros);
            json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] = json!(zeros);
            json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(zeros);
        })
    }

    #[test]
    fn morph_targets_of_a_skinned_character_count_once() {
        for weight in [0.0, 0.5] {
            let mesh = posed_and_morphed(weight);
            let factor = 1.0 + weight;
            let first = figure().positions[0] * factor;
            let expected = Vec3::new(-2.0 * first.x, 3.0 - 2.0 * first.y, 2.0 * first.z);
            assert!((mesh.positions[0] - expected).norm() < 1e-5, "{}", mesh.positions[0]);
            let lift = Vec3::y() * prepared(&mesh).placement.lift;
            let places: Vec<Vec3> = mesh.positions.iter().map(|p| p + lift).collect();
            assert_same_places(&read(rigged(&mesh)), &places);
        }
        // Without the morph the document has what the target would add, turned and doubled as the character is.
        let document = gltf::Gltf::from_slice_without_validation(&rigged(&posed_and_morphed(0.0))).unwrap();
        let blob = document.blob.clone().unwrap();
        let primitive = document.meshes().next().unwrap().primitives().next().unwrap();
        let reader = primitive.reader(|_| Some(&blob));
        let delta = reader.read_morph_targets().next().unwrap().0.unwrap().next().unwrap();
        let first = figure().positions[0];
        assert_eq!(delta, [-2.0 * first.x, -2.0 * first.y, 2.0 * first.z].map(|x| x as f32 + 0.0));
    }

    #[test]
    fn lines_of_the_same_mesh_stay_where_they_were() {
        let mesh = from_document(|json| {
            let mut lines = json["meshes"][0]["primitives"][0].clone();
            lines["mode"] = json!(1);
            json["meshes"][0]["primitives"].as_array_mut().unwrap().insert(0, lines);
            json["nodes"][0]["scale"] = json!([2, 2, 2]);
        });
        let before = mesh.origin.carried.as_ref().unwrap().json.clone();
        let after = json_of(&rigged(&mesh));
        let rest = after["nodes"][0]["mesh"].as_u64().unwrap() as usize;
        assert_eq!(
            after["meshes"][rest]["primitives"],
            json!([before["meshes"][0]["primitives"][0]]),
            "the lines and nothing else"
        );
        assert_eq!(after["nodes"][0]["scale"], json!([2, 2, 2]));
        let surfaces = after["meshes"][0]["primitives"].as_array().unwrap();
        assert!(surfaces.len() == 1 && surfaces[0]["attributes"].get("JOINTS_0").is_some());
        assert_same_places(&read(rigged(&mesh)), &mesh.positions);
    }

    #[test]
    fn other_scenes_show_the_character_too() {
        let mesh = from_document(|json| {
            json["nodes"][0]["translation"] = json!([0, 1, 0]);
            let stage = push(json, "nodes", json!({ "name": "stage", "children": [0] }));
            let empty = push(json, "nodes", json!({ "name": "empty" }));
            json["scenes"] = json!([{ "nodes": [stage] }, { "nodes": [stage, empty] }, { "nodes": [empty] }]);
            json["scene"] = json!(0);
        });
        let after = json_of(&rigged(&mesh));
        let node = |name: &str| {
            after["nodes"].as_array().unwrap().iter().position(|node| node["name"] == name).unwrap()
        };
        let shown = after["nodes"].as_array().unwrap().iter().position(|n| n.get("skin").is_some()).unwrap();
        // The character was lowered, and everything comes along.
        let above = |name: &str| {
            let nodes = after["nodes"].as_array().unwrap();
            nodes.iter().position(|other| indices(other.get("children")).contains(&node(name))).unwrap()
        };
        let nodes = json!([above("stage"), above("empty"), shown, node("Root")]);
        assert_eq!(after["scenes"][1]["nodes"], nodes);
        assert_eq!(after["scenes"][2], json!({ "nodes": [above("empty")] }));
    }

    #[test]
    fn what_stands_in_several_scenes_moves_along_in_each() {
        let mesh = from_document(|json| {
            json["nodes"][0]["translation"] = json!([0, 5, 0]);
            let lamp = push(json, "nodes", json!({ "name": "lamp" }));
            let sun = push(json, "nodes", json!({ "name": "sun" }));
            json["scenes"] =
                json!([{ "nodes": [0, lamp] }, { "nodes": [0, lamp, sun] }, { "nodes": [lamp] }]);
        });
        let after = json_of(&rigged(&mesh));
        let nodes = after["nodes"].as_array().unwrap();
        let parent =
            |child: usize| nodes.iter().position(|node| indices(node.get("children")).contains(&child));
        let node = |name: &str| nodes.iter().position(|node| node["name"] == name).unwrap();
        for (scene, shown) in [(0, &["lamp"][..]), (1, &["lamp", "sun"]), (2, &["lamp"])] {
            let roots = indices(after["scenes"][scene].get("nodes"));
            assert!(roots.iter().all(|&root| parent(root).is_none()), "{after}");
            for name in ["lamp", "sun"] {
                let above = parent(node(name)).unwrap();
                assert_eq!(nodes[above]["translation"], json!([0.0, -5.0, 0.0]));
                assert_eq!(roots.contains(&above), shown.contains(&name), "{name} in scene {scene}");
            }
        }
    }

    #[test]
    fn pointers_to_the_weights_of_a_node_follow_the_mesh() {
        let pointer = |path: &str| {
            let target =
                json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": path } } });
            json!({ "sampler": 0, "target": target })
        };
        let mesh = from_document(|json| {
            json["nodes"][0]["children"] = json!([1]);
            json["nodes"].as_array_mut().unwrap().push(json!({}));
            let channels =
                json!([pointer("/nodes/0/weights"), pointer("/nodes/0/scale"), pointer("/materials/0")]);
            json["animations"] = json!([{ "channels": channels, "samplers": [{ "input": 0, "output": 0 }] }]);
        });
        let after = json_of(&rigged(&mesh));
        let skinned =
            after["nodes"].as_array().unwrap().iter().position(|n| n.get("skin").is_some()).unwrap();
        assert_ne!(skinned, 0);
        let channels = &after["animations"][0]["channels"];
        assert_eq!(channels[0], pointer(&format!("/nodes/{skinned}/weights")));
        assert_eq!((&channels[1], &channels[2]), (&pointer("/nodes/0/scale"), &pointer("/materials/0")));
    }

    #[test]
    fn moving_a_character_leaves_nothing_behind() {
        let mesh = from_document(|json| json["nodes"][0]["translation"] = json!([0, 5, 0]));
        let before = mesh.origin.carried.clone().unwrap();
        let after = json_of(&rigged(&mesh));
        let attributes = |json: &Value| json["meshes"][0]["primitives"][0]["attributes"].clone();
        assert_eq!(attributes(&before.json)["POSITION"], attributes(&after)["POSITION"]);
        let position = attributes(&after)["POSITION"].as_u64().unwrap() as usize;
        assert_eq!(
            before.json["accessors"][position]["bufferView"],
            after["accessors"][position]["bufferView"]
        );
        assert_eq!(after["accessors"][position]["min"][1], json!(0.0));
    }
}
