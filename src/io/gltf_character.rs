//! A glTF document with a character whose joints can be moved: what is done to it between reading or making it and the file.

use super::gltf_edit::{Editor, indices, items, narrow, number, push};
use super::gltf_read::{self, local_transform};
use super::gltf_write::GltfWriteError;
use crate::clip::Clip;
use crate::math::{Mat4, Quat, Similarity, Vec3};
use crate::mesh::Carried;
use crate::motion::Pose;
use crate::rig::{Rig, RigJoint};
use nalgebra::Isometry3;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// A glTF document with a character whose joints can be moved. Clips are added to it, and it is written as a file.
#[derive(Debug, Clone)]
pub struct GltfCharacter {
    pub(super) editor: Editor,
    /// For each joint of the rig.
    pub(super) joints: Vec<JointNode>,
}

/// The node of a joint.
#[derive(Debug, Clone)]
pub(super) struct JointNode {
    /// `None` for a root that was added to a rig whose joints have several.
    pub node: Option<usize>,
    /// From the coordinates of the node above it to those of the parent joint, or of the rig if it has none. Nodes that are
    /// no joints may stand between, and may have a scale.
    pub joint_from_node_above: Similarity,
}

/// The extension by which VRM 1.0 names the bones of a person.
const VRM: &str = "VRMC_vrm";
/// The same for a clip without a person.
const VRM_ANIMATION: &str = "VRMC_vrm_animation";

impl GltfCharacter {
    /// A character whose joints are these nodes, each a child of its parent's node, without scale.
    pub(super) fn of_nodes(editor: Editor, nodes: Vec<usize>) -> GltfCharacter {
        let joint = |node| JointNode { node: Some(node), joint_from_node_above: Similarity::identity() };
        GltfCharacter { editor, joints: nodes.into_iter().map(joint).collect() }
    }

    /// The joints of a rig alone.
    pub fn of_rig(rig: &Rig) -> GltfCharacter {
        let mut editor = Editor::new();
        let first = editor.add_joints(&rig.joints);
        for node in items(&mut editor.json, "nodes").filter(|node| node.get("children").is_none()) {
            node["extras"] = end_of_limb();
        }
        let scene = push(&mut editor.json, "scenes", json!({ "nodes": [first] }));
        editor.json["scene"] = json!(scene);
        GltfCharacter::of_nodes(editor, (first..first + rig.joints.len()).collect())
    }

    /// The document as it would be read back from [`GltfCharacter::glb`].
    pub(super) fn document(&self) -> Carried {
        let mut editor = self.editor.clone();
        editor.close_buffer();
        let images = editor.json.get("images").and_then(Value::as_array).map_or(0, Vec::len);
        Carried { json: editor.json, buffers: vec![editor.bytes], image_files: vec![None; images] }
    }

    /// Names of the animations that are there.
    pub fn animation_names(&self) -> Vec<String> {
        let animations = self.editor.json.get("animations").and_then(Value::as_array).into_iter().flatten();
        animations.filter_map(|animation| Some(animation.get("name")?.as_str()?.to_owned())).collect()
    }

    /// Appends an animation for each clip, in this order, with `extras` that say something about it. What is there already
    /// stays.
    ///
    /// # Panics
    /// If a clip is not of this character's rig.
    pub fn add_clips(&mut self, clips: &[(&Clip, Value)]) {
        // glTF does not let nodes be animated that have a matrix.
        for node in self.joints.iter().filter_map(|joint| joint.node) {
            self.editor.split_matrix(node);
        }
        self.editor.add_clips(&self.joints, clips);
    }

    /// How the axes of each joint in the file are turned against those of its parent joint.
    pub fn turns_above(&self) -> Vec<Quat> {
        self.joints.iter().map(|joint| joint.joint_from_node_above.isometry.rotation).collect()
    }

    /// Lets the nodes stand in another pose than the one in which the character was bound.
    pub fn stand(&mut self, rig: &Rig, pose: &Pose) {
        for (joint, data) in rig.joints.iter().enumerate() {
            let Some(node) = self.joints[joint].node else { continue };
            let world =
                |joint: usize| Isometry3::from_parts(pose.positions[joint].into(), pose.rotations[joint]);
            let local = data.parent.map_or(world(joint), |parent| world(parent).inverse() * world(joint));
            let above = self.joints[joint].joint_from_node_above.inverse();
            self.editor.split_matrix(node);
            let place = above.transform_point(&local.translation.vector.into()).coords;
            self.editor.place(node, &place, &(above.isometry.rotation * local.rotation));
        }
    }

    /// Whether its first joint is a node, which can be animated.
    pub fn has_root(&self) -> bool {
        self.joints[0].node.is_some()
    }

    /// Puts a joint on the floor above all others, which carries the way of the character. Also in the rig, where it becomes the
    /// first one. Nothing happens if the first joint is no node.
    pub fn add_root(&mut self, rig: &mut Rig) {
        let Some(top) = self.joints[0].node else { return };
        let above = self.joints[0].joint_from_node_above;
        let taken: BTreeSet<&str> = rig.joints.iter().map(|joint| joint.name.as_str()).collect();
        let name = ["Root", "root", "puppetry_root"].into_iter().find(|name| !taken.contains(name));
        let name = name.unwrap_or("puppetry_root_2").to_owned();

        // It stands in the node above with the axes of the rig, and has the scale of that node.
        let into = above.inverse();
        let root = Isometry3::from_parts(into.isometry.translation, into.isometry.rotation);
        let new = push(&mut self.editor.json, "nodes", json!({ "name": name, "children": [top] }));
        self.editor.place(new, &root.translation.vector, &root.rotation);
        self.editor.split_matrix(top);
        if let Ok(local) = local_transform(&self.editor.json["nodes"][top]) {
            let local = root.inverse().to_homogeneous() * local;
            let place: Vec3 = local.fixed_view::<3, 1>(0, 3).into_owned();
            let turn = self.editor.rotation(top);
            self.editor.place(top, &place, &(root.rotation.inverse() * turn));
        }
        self.editor.replace_child(top, new);
        let mut joints = vec![RigJoint { name, parent: None, rest: Isometry3::identity() }];
        for joint in &rig.joints {
            joints.push(RigJoint {
                parent: Some(joint.parent.map_or(0, |parent| parent + 1)),
                ..joint.clone()
            });
        }
        rig.joints = joints.into();
        rig.tips.iter_mut().for_each(|tip| tip.joint += 1);
        for sole in &mut rig.soles {
            sole.foot += 1;
            sole.points.iter_mut().flat_map(|point| &mut point.weights).for_each(|(joint, _)| *joint += 1);
        }
        self.joints[0].joint_from_node_above = Similarity::from_scaling(above.scaling());
        self.joints.insert(0, JointNode { node: Some(new), joint_from_node_above: above });
    }

    /// Says that the joints of a document without a mesh are a skeleton. Validators note that nothing uses it, but without it
    /// Blender and Godot would take the joints for empty nodes, and their clips could not be put on a character.
    pub fn add_skeleton(&mut self) {
        if !self.has_root() {
            return;
        }
        let Ok(worlds) = gltf_read::world_transforms(&self.editor.json) else { return };
        let nodes: Vec<usize> = self.joints.iter().filter_map(|joint| joint.node).collect();
        let binds = nodes.iter().map(|&node| worlds[node].try_inverse().unwrap_or_else(Mat4::identity));
        let binds: Vec<Mat4> = binds.collect();
        self.editor.add_skin(&nodes, &binds);
    }

    /// The same joints without anything that is seen, for clips that come without their character.
    #[must_use]
    pub fn without_mesh(&self) -> GltfCharacter {
        let nodes = self.editor.json.get("nodes").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut parents = vec![None; nodes.len()];
        for (parent, node) in nodes.iter().enumerate() {
            for child in indices(node.get("children")) {
                if let Some(slot) = parents.get_mut(child) {
                    *slot = Some(parent);
                }
            }
        }
        let mut kept = BTreeSet::new();
        for node in self.joints.iter().filter_map(|joint| joint.node) {
            let mut at = Some(node);
            while let Some(node) = at.filter(|&node| kept.insert(node)) {
                at = parents[node];
            }
        }
        let kept: Vec<usize> = kept.into_iter().collect();
        let index = |node: usize| kept.binary_search(&node).ok();
        let mut editor = Editor::new();
        for &node in &kept {
            let mut own = Map::new();
            for key in ["name", "translation", "rotation", "scale", "matrix"] {
                if let Some(value) = nodes[node].get(key) {
                    own.insert(key.into(), value.clone());
                }
            }
            let children: Vec<usize> =
                indices(nodes[node].get("children")).into_iter().filter_map(index).collect();
            match children.is_empty() {
                true => own.insert("extras".into(), end_of_limb()),
                false => own.insert("children".into(), json!(children)),
            };
            push(&mut editor.json, "nodes", Value::Object(own));
        }
        let roots: Vec<usize> =
            kept.iter().filter(|&&node| parents[node].is_none()).filter_map(|&node| index(node)).collect();
        push(&mut editor.json, "scenes", json!({ "nodes": roots }));
        editor.json["scene"] = json!(0);
        let joint = |joint: &JointNode| JointNode { node: joint.node.and_then(index), ..joint.clone() };
        GltfCharacter { editor, joints: self.joints.iter().map(joint).collect() }
    }

    /// Whether it says which joints are which bones of a person.
    pub fn is_vrm(&self) -> bool {
        let extensions = self.editor.json.get("extensions");
        [VRM, "VRM"].iter().any(|name| extensions.is_some_and(|all| all.get(name).is_some()))
    }

    /// Says which joints are which bones of a person, as VRM 1.0 does; a document that says so already is left alone.
    pub fn add_vrm(&mut self, name: &str, bones: &[(&str, usize)]) {
        if self.is_vrm() {
            return;
        }
        let extension = json!({
            "specVersion": "1.0",
            "meta": {
                "name": name,
                "authors": ["unknown"],
                "licenseUrl": "https://vrm.dev/licenses/1.0/",
            },
            "humanoid": { "humanBones": self.human_bones(bones) },
        });
        self.editor.add_extension(VRM, extension);
    }

    /// Says which joints are which bones of a person, for a file that holds clips alone.
    pub fn add_vrm_animation(&mut self, bones: &[(&str, usize)]) {
        let extension =
            json!({ "specVersion": "1.0", "humanoid": { "humanBones": self.human_bones(bones) } });
        self.editor.add_extension(VRM_ANIMATION, extension);
    }

    fn human_bones(&self, bones: &[(&str, usize)]) -> Map<String, Value> {
        let bone = |&(name, joint): &(&str, usize)| {
            Some((name.to_owned(), json!({ "node": self.joints[joint].node? })))
        };
        bones.iter().filter_map(bone).collect()
    }

    /// Says in the extras of the document what was done to it, and by whom unless somebody else made it.
    pub fn sign(&mut self, summary: Value) {
        let Some(asset) = self.editor.json["asset"].as_object_mut() else { return };
        let generator = concat!("puppetry ", env!("CARGO_PKG_VERSION"));
        let is_ours =
            asset.get("generator").is_none_or(|by| by.as_str().is_some_and(|by| by.starts_with("puppetry")));
        if is_ours {
            asset.insert("generator".into(), json!(generator));
        }
        let extras = asset.entry("extras").or_insert_with(|| json!({}));
        if let Some(extras) = extras.as_object_mut() {
            extras.insert("puppetry".into(), summary);
        }
    }

    /// The whole as one GLB file.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn glb(self) -> Result<Vec<u8>, GltfWriteError> {
        self.editor.into_glb()
    }

    /// The whole as a document with files beside it, each with its name: first `STEM.gltf`, then its buffer and its images.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn gltf(self, stem: &str) -> Result<Vec<(String, Vec<u8>)>, GltfWriteError> {
        self.editor.into_gltf(stem)
    }
}

impl Editor {
    /// A document with nothing in it.
    fn new() -> Editor {
        let generator = concat!("puppetry ", env!("CARGO_PKG_VERSION"));
        Editor { json: json!({ "asset": { "version": "2.0", "generator": generator } }), bytes: Vec::new() }
    }

    /// Sets the place and the turn of a node. Its scale stays.
    fn place(&mut self, node: usize, place: &Vec3, turn: &Quat) {
        let [x, y, z] = <[f64; 3]>::from(*place).map(narrow);
        let turn = turn.coords.map(narrow);
        self.json["nodes"][node]["translation"] = json!([x, y, z]);
        self.json["nodes"][node]["rotation"] = json!([turn.x, turn.y, turn.z, turn.w]);
    }

    /// The turn of a node without a matrix.
    fn rotation(&self, node: usize) -> Quat {
        let numbers = self.json["nodes"][node].get("rotation").and_then(Value::as_array);
        let numbers: Vec<f64> = numbers.into_iter().flatten().filter_map(Value::as_f64).collect();
        match numbers[..] {
            [x, y, z, w] => Quat::new_normalize(nalgebra::Quaternion::new(w, x, y, z)),
            _ => Quat::identity(),
        }
    }

    /// A node with a matrix gets a translation, a rotation and a scale instead.
    fn split_matrix(&mut self, node: usize) {
        if self.json["nodes"][node].get("matrix").is_none() {
            return;
        }
        let Ok(matrix) = local_transform(&self.json["nodes"][node]) else { return };
        let linear = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        let mut scale = [0, 1, 2].map(|axis| linear.column(axis).norm());
        if linear.determinant() < 0.0 {
            scale[0] = -scale[0];
        }
        let mut axes = linear;
        for (axis, &side) in scale.iter().enumerate() {
            axes.column_mut(axis).unscale_mut(if side == 0.0 { 1.0 } else { side });
        }
        let turn = crate::math::rotation_of(&axes);
        let place: Vec3 = matrix.fixed_view::<3, 1>(0, 3).into_owned();
        if let Some(node) = self.json["nodes"][node].as_object_mut() {
            node.shift_remove("matrix");
        }
        self.place(node, &place, &Quat::new_normalize(turn.into_inner()));
        if scale.iter().any(|side| (side - 1.0).abs() > 1e-6) {
            self.json["nodes"][node]["scale"] = json!(scale.map(narrow));
        }
    }

    /// Whoever has node `old` as a child, scenes among them, gets `new`, except `new` itself.
    fn replace_child(&mut self, old: usize, new: usize) {
        let swap = |list: Option<&mut Value>| {
            for entry in list.and_then(Value::as_array_mut).into_iter().flatten() {
                if entry.as_u64() == Some(old as u64) {
                    *entry = json!(new);
                }
            }
        };
        for (index, node) in items(&mut self.json, "nodes").enumerate() {
            if index != new {
                swap(node.get_mut("children"));
            }
        }
        for scene in items(&mut self.json, "scenes") {
            swap(scene.get_mut("nodes"));
        }
    }

    fn add_extension(&mut self, name: &str, content: Value) {
        let extensions = &mut self.json["extensions"];
        if !extensions.is_object() {
            *extensions = json!({});
        }
        extensions[name] = content;
        push(&mut self.json, "extensionsUsed", json!(name));
    }

    /// The document, its buffer and its images as files of their own.
    fn into_gltf(mut self, stem: &str) -> Result<Vec<(String, Vec<u8>)>, GltfWriteError> {
        let mut files = self.take_images(stem);
        let name = format!("{stem}.bin");
        if !self.bytes.is_empty() {
            self.close_buffer();
            self.json["buffers"][0]["uri"] = json!(uri(&name));
            files.insert(0, (name, self.bytes));
        }
        files.insert(0, (format!("{stem}.gltf"), serde_json::to_vec(&self.json)?));
        Ok(files)
    }

    /// Takes the images out of the buffer and names them as files.
    fn take_images(&mut self, stem: &str) -> Vec<(String, Vec<u8>)> {
        let views = self.json.get("bufferViews").and_then(Value::as_array).cloned().unwrap_or_default();
        let range = |view: &Value| {
            let start = number(view, "byteOffset").unwrap_or(0);
            start..start.saturating_add(number(view, "byteLength").unwrap_or(0))
        };
        let mut files = Vec::new();
        let mut gone: Vec<usize> = Vec::new();
        for (index, image) in items(&mut self.json, "images").enumerate() {
            let Some(view) = number(image, "bufferView").filter(|&view| view < views.len()) else { continue };
            let Some(content) = self.bytes.get(range(&views[view])) else { continue };
            let ending = match image.get("mimeType").and_then(Value::as_str) {
                Some("image/jpeg") => "jpg",
                Some("image/webp") => "webp",
                Some("image/ktx2") => "ktx2",
                _ => "png",
            };
            let name = format!("{stem}_{index}.{ending}");
            files.push((name.clone(), content.to_vec()));
            gone.push(view);
            if let Some(image) = image.as_object_mut() {
                image.shift_remove("bufferView");
                image.insert("uri".into(), json!(uri(&name)));
            }
        }
        gone.sort_unstable();
        gone.dedup();
        self.remove_views(&gone, &views.iter().map(range).collect::<Vec<_>>());
        files
    }

    /// Removes buffer views and their bytes, as far as no other view has a part of them.
    fn remove_views(&mut self, gone: &[usize], ranges: &[std::ops::Range<usize>]) {
        let is_gone = |view: usize| gone.binary_search(&view).is_ok();
        let overlaps =
            |a: &std::ops::Range<usize>, b: &std::ops::Range<usize>| a.start < b.end && b.start < a.end;
        let mut cuts: Vec<std::ops::Range<usize>> = Vec::new();
        for &view in gone {
            let range = ranges[view].clone();
            let is_shared = (0..ranges.len())
                .any(|other| !is_gone(other) && overlaps(&ranges[other], &range))
                || cuts.iter().any(|other| overlaps(other, &range));
            if !is_shared {
                // Whole words, so that what comes after stays aligned.
                cuts.push(range.start..range.start + range.len() / 4 * 4);
            }
        }
        cuts.sort_by_key(|cut| cut.start);
        for cut in cuts.iter().rev() {
            self.bytes.drain(cut.clone());
        }
        let moved = |start: usize| {
            start - cuts.iter().filter(|cut| cut.end <= start).map(|cut| cut.len()).sum::<usize>()
        };
        if let Some(views) = self.json.get_mut("bufferViews").and_then(Value::as_array_mut) {
            for (view, range) in views.iter_mut().zip(ranges) {
                if view.get("byteOffset").is_some() || moved(range.start) != 0 {
                    view["byteOffset"] = json!(moved(range.start));
                }
            }
            let mut index = 0;
            views.retain(|_| {
                index += 1;
                !is_gone(index - 1)
            });
        }
        renumber(&mut self.json, &|view| view - gone.partition_point(|&other| other < view));
    }
}

/// Says why a node is there that neither has children nor shows anything, which validators wonder about.
fn end_of_limb() -> Value {
    json!({ "puppetry": { "joint": true } })
}

/// Renumbers every reference to a buffer view; what applications keep in extras is theirs.
fn renumber(value: &mut Value, number: &impl Fn(usize) -> usize) {
    match value {
        Value::Object(members) => {
            for (key, member) in members.iter_mut().filter(|(key, _)| *key != "extras") {
                match member.as_u64().filter(|_| key == "bufferView") {
                    Some(view) => *member = json!(number(view as usize)),
                    None => renumber(member, number),
                }
            }
        }
        Value::Array(members) => members.iter_mut().for_each(|member| renumber(member, number)),
        _ => {}
    }
}

/// A file name as a reference: what is not plain is escaped.
fn uri(name: &str) -> String {
    let mut text = String::new();
    for &byte in name.as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => text.push(byte as char),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}
