//! A glTF document with a character whose joints can be moved, between reading or making it and writing the file.

use super::GltfWriteError;
use super::editor::{Editor, indices, items, narrow, parents_of, push};
use super::skin::linear;
use crate::clip::Clip;
use crate::io::gltf_read::{self, local_transform};
use crate::math::{Mat4, Quat, Similarity, Vec3};
use crate::mesh::SourceDocument;
use crate::motion::Pose;
use crate::rig::{Follows, Helper, Rig, RigJoint, TwistFrom};
use nalgebra::Isometry3;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A glTF document with a character whose joints can be moved. Clips are added to it, and it is written as a file.
#[derive(Debug, Clone)]
pub struct GltfCharacter {
    pub(crate) editor: Editor,
    /// For each joint of the rig.
    pub(crate) joints: Vec<JointNode>,
}

/// The node of a joint.
#[derive(Debug, Clone)]
pub(crate) struct JointNode {
    /// `None` for a root that was added to a rig whose joints have several.
    pub node: Option<usize>,
    /// From the coordinates of the node above it to those of the parent joint, or of the rig if it has none. Nodes that are
    /// no joints may stand between, and may have a scale.
    pub joint_from_node_above: Similarity,
}

/// Scales that differ from 1 by less are not written: the rounding of a matrix in a file.
const UNSCALED: f64 = 1e-6;
/// The extension by which VRM 1.0 names the bones of a person.
const VRM: &str = "VRMC_vrm";
/// The extension by which VRM 1.0 lets nodes follow others.
const CONSTRAINT: &str = "VRMC_node_constraint";
/// Cosine of the angle between an axis and a bone from which on a roll about one is a roll about the other.
const ALONG: f64 = 0.999;
/// The same for a clip without a person.
const VRM_ANIMATION: &str = "VRMC_vrm_animation";

impl GltfCharacter {
    /// A character whose joints are these nodes, each a child of its parent's node, without scale.
    pub(super) fn of_nodes(editor: Editor, nodes: Vec<usize>) -> GltfCharacter {
        let joints = nodes.into_iter();
        let joints =
            joints.map(|node| JointNode { node: Some(node), joint_from_node_above: Similarity::identity() });
        GltfCharacter { editor, joints: joints.collect() }
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
    pub(crate) fn document(&self) -> SourceDocument {
        let mut editor = self.editor.clone();
        editor.close_buffer();
        editor.document()
    }

    /// Names of the nodes that show something without a skin, away from the joints: they stay where they are.
    pub fn props(&self) -> Vec<String> {
        let nodes = self.editor.json.get("nodes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let parents = parents_of(&self.editor.json);
        let is_joint = |node: usize| self.joints.iter().any(|joint| joint.node == Some(node));
        let is_carried = |node: usize| {
            std::iter::successors(Some(node), |&node| parents.get(node).copied().flatten()).any(is_joint)
        };
        let json = &self.editor.json;
        let scene = json.get("scene").and_then(Value::as_u64).unwrap_or(0) as usize;
        let roots =
            json.get("scenes").and_then(|scenes| scenes.get(scene)).map(|scene| indices(scene.get("nodes")));
        let is_shown = |node: usize| {
            let top = std::iter::successors(Some(node), |&node| parents.get(node).copied().flatten()).last();
            roots.as_ref().is_none_or(|roots| top.is_some_and(|top| roots.contains(&top)))
        };
        let shown = nodes.iter().enumerate().filter(|(index, node)| {
            node.get("mesh").is_some()
                && node.get("skin").is_none()
                && !is_carried(*index)
                && is_shown(*index)
        });
        let name = |(index, node): (usize, &Value)| match node.get("name").and_then(Value::as_str) {
            Some(name) => name.to_owned(),
            None => format!("node {index}"),
        };
        shown.map(name).collect()
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

    /// The rotation of the axes of each joint's node in the file against those of its parent joint.
    pub fn rotations_above(&self) -> Vec<Quat> {
        self.joints.iter().map(|joint| joint.joint_from_node_above.isometry.rotation).collect()
    }

    /// Puts the nodes into another pose than the one in which the character was bound.
    pub fn set_pose(&mut self, rig: &Rig, pose: &Pose) {
        let positions = pose.positions.iter().zip(&pose.rotations);
        let worlds: Vec<Isometry3<f64>> = positions
            .map(|(&position, &rotation)| Isometry3::from_parts(position.into(), rotation))
            .collect();
        for (joint, data) in rig.joints.iter().enumerate() {
            let Some(node) = self.joints[joint].node else { continue };
            let local = data.parent.map_or(worlds[joint], |parent| worlds[parent].inverse() * worlds[joint]);
            let above = self.joints[joint].joint_from_node_above.inverse();
            self.editor.split_matrix(node);
            let position = above.transform_point(&local.translation.vector.into()).coords;
            self.editor.set_transform(node, &position, &(above.isometry.rotation * local.rotation));
        }
    }

    /// The same without the nodes of some joints, for formats that know none that follow others.
    #[must_use]
    pub fn without_joints(mut self, is_left_out: impl Fn(usize) -> bool) -> GltfCharacter {
        let joints = self.joints.iter_mut().enumerate();
        joints.filter(|(joint, _)| is_left_out(*joint)).for_each(|(_, joint)| joint.node = None);
        self
    }

    /// Whether its first joint is a node, which can be animated.
    pub fn has_root(&self) -> bool {
        self.joints[0].node.is_some()
    }

    /// Adds a root joint on the floor above all others, for the root motion of the character. Also in the rig, where it becomes
    /// the first one. Nothing happens if the first joint is no node.
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
        self.editor.set_transform(new, &root.translation.vector, &root.rotation);
        self.editor.split_matrix(top);
        if let Ok(local) = local_transform(&self.editor.json["nodes"][top]) {
            let local = root.inverse().to_homogeneous() * local;
            let position: Vec3 = local.fixed_view::<3, 1>(0, 3).into_owned();
            let rotation = self.editor.rotation(top);
            self.editor.set_transform(top, &position, &(root.rotation.inverse() * rotation));
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
        for part in &mut rig.outline {
            part.joint += 1;
            part.points.iter_mut().flat_map(|point| &mut point.weights).for_each(|(joint, _)| *joint += 1);
        }
        rig.girths.iter_mut().for_each(|girth| girth.joint += 1);
        rig.roles.iter_mut().for_each(|(joint, _)| *joint += 1);
        rig.helpers.iter_mut().for_each(Helper::shift);
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

    /// The same joints without meshes, for clips that come without their character.
    #[must_use]
    pub fn without_mesh(&self) -> GltfCharacter {
        let nodes = self.editor.json.get("nodes").and_then(Value::as_array).cloned().unwrap_or_default();
        let parents = parents_of(&self.editor.json);
        let mut kept = BTreeSet::new();
        for node in self.joints.iter().filter_map(|joint| joint.node) {
            let mut at = Some(node);
            while let Some(node) = at.filter(|&node| kept.insert(node)) {
                at = parents[node];
            }
        }
        let index: BTreeMap<usize, usize> =
            kept.into_iter().enumerate().map(|(new, old)| (old, new)).collect();
        let mut editor = Editor::new();
        for &node in index.keys() {
            let mut own = Map::new();
            for key in ["name", "translation", "rotation", "scale", "matrix"] {
                if let Some(value) = nodes[node].get(key) {
                    own.insert(key.into(), value.clone());
                }
            }
            let children = indices(nodes[node].get("children"));
            let children: Vec<&usize> = children.iter().filter_map(|child| index.get(child)).collect();
            match children.is_empty() {
                true => own.insert("extras".into(), end_of_limb()),
                false => own.insert("children".into(), json!(children)),
            };
            push(&mut editor.json, "nodes", Value::Object(own));
        }
        let roots = index.iter().filter(|(old, _)| parents[**old].is_none());
        let roots: Vec<&usize> = roots.map(|(_, new)| new).collect();
        push(&mut editor.json, "scenes", json!({ "nodes": roots }));
        editor.json["scene"] = json!(0);
        let mut joints = self.joints.clone();
        for joint in &mut joints {
            joint.node = joint.node.and_then(|node| index.get(&node).copied());
        }
        GltfCharacter { editor, joints }
    }

    /// Whether it names the humanoid bones, as VRM does.
    pub fn is_vrm(&self) -> bool {
        let extensions = self.editor.json.get("extensions");
        [VRM, "VRM"].iter().any(|name| extensions.is_some_and(|all| all.get(name).is_some()))
    }

    /// Where the character faces in its file, of which +Z is the front of the rig.
    pub fn front(&self) -> Vec3 {
        let Some(joint) = self.joints.iter().find(|joint| joint.node.is_some()) else { return Vec3::z() };
        let above = parents_of(&self.editor.json)[joint.node.unwrap_or_default()];
        let worlds = gltf_read::world_transforms(&self.editor.json).unwrap_or_default();
        let scene_from_above =
            above.and_then(|above| worlds.get(above)).map_or_else(Mat4::identity, |world| *world);
        let above_from_rig = joint.joint_from_node_above.isometry.rotation.inverse();
        (linear(&scene_from_above) * (above_from_rig * Vec3::z())).normalize()
    }

    /// Names the humanoid bones, as VRM 1.0 does; a document that names them already is left alone.
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

    /// Lets engines turn twist joints live: those on bones that twist with the next joint roll with that, by their share. What
    /// twists against the joint above would need a negative weight, which the extension does not allow.
    pub fn add_roll_constraints(&mut self, rig: &Rig) {
        let mut is_used = false;
        for helper in &rig.helpers {
            let Follows::Twist { next, share, from: TwistFrom::Below, .. } = helper.follows else { continue };
            let are_siblings = rig.joints[helper.joint].parent == rig.joints[next].parent;
            let nodes = (self.joints[helper.joint].node, self.joints[next].node);
            if let (true, (Some(node), Some(source)), Some(axis)) =
                (are_siblings, nodes, roll_axis(rig, helper))
            {
                let roll = json!({ "source": source, "rollAxis": axis, "weight": narrow(share) });
                let constraint = json!({ "specVersion": "1.0", "constraint": { "roll": roll } });
                let extensions = &mut self.editor.json["nodes"][node]["extensions"];
                if !extensions.is_object() {
                    *extensions = json!({});
                }
                extensions[CONSTRAINT] = constraint;
                is_used = true;
            }
        }
        let used = &self.editor.json["extensionsUsed"];
        if is_used && !used.as_array().is_some_and(|used| used.contains(&json!(CONSTRAINT))) {
            push(&mut self.editor.json, "extensionsUsed", json!(CONSTRAINT));
        }
    }

    /// Names the humanoid bones of a file that holds clips alone.
    pub fn add_vrm_animation(&mut self, bones: &[(&str, usize)]) {
        let extension =
            json!({ "specVersion": "1.0", "humanoid": { "humanBones": self.human_bones(bones) } });
        self.editor.add_extension(VRM_ANIMATION, extension);
    }

    fn human_bones(&self, bones: &[(&str, usize)]) -> Map<String, Value> {
        let named = bones.iter().filter_map(|&(name, joint)| Some((name, self.joints[joint].node?)));
        named.map(|(name, node)| (name.to_owned(), json!({ "node": node }))).collect()
    }

    /// Writes into the extras of the document what was done to it, and the generator unless another program made it.
    pub fn write_provenance(&mut self, summary: Value) {
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

    /// Sets the translation and the rotation of a node. Its scale stays.
    fn set_transform(&mut self, node: usize, translation: &Vec3, rotation: &Quat) {
        let [x, y, z] = <[f64; 3]>::from(*translation).map(narrow);
        let rotation = rotation.coords.map(narrow);
        self.json["nodes"][node]["translation"] = json!([x, y, z]);
        self.json["nodes"][node]["rotation"] = json!([rotation.x, rotation.y, rotation.z, rotation.w]);
    }

    /// The rotation of a node without a matrix.
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
        let rotation = crate::math::rotation_of(&axes);
        let translation: Vec3 = matrix.fixed_view::<3, 1>(0, 3).into_owned();
        if let Some(node) = self.json["nodes"][node].as_object_mut() {
            node.shift_remove("matrix");
        }
        self.set_transform(node, &translation, &Quat::new_normalize(rotation.into_inner()));
        if scale.iter().any(|side| (side - 1.0).abs() > UNSCALED) {
            self.json["nodes"][node]["scale"] = json!(scale.map(narrow));
        }
    }

    /// Whoever has node `old` as a child, scenes among them, gets `new`, except `new` itself.
    fn replace_child(&mut self, old: usize, new: usize) {
        for (index, node) in items(&mut self.json, "nodes").enumerate() {
            if index != new {
                replace_index(node, "children", old, new);
            }
        }
        for scene in items(&mut self.json, "scenes") {
            replace_index(scene, "nodes", old, new);
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
}

/// The axis of a twist joint that runs along its bone, if one does.
fn roll_axis(rig: &Rig, helper: &Helper) -> Option<&'static str> {
    let Follows::Twist { bone, next, .. } = helper.follows else { return None };
    let place = |joint: usize| rig.joints[joint].rest.translation.vector;
    let along = (place(next) - place(bone)).try_normalize(f64::MIN_POSITIVE)?;
    let own = rig.joints[helper.joint].rest.rotation.inverse() * along;
    (own.amax() > ALONG).then(|| ["X", "Y", "Z"][own.iamax()])
}

/// Replaces an index in a list of an object.
fn replace_index(object: &mut Value, list: &str, old: usize, new: usize) {
    for entry in items(object, list).filter(|entry| entry.as_u64() == Some(old as u64)) {
        *entry = json!(new);
    }
}

/// Says what a node without children and mesh is for; validators warn of such nodes.
fn end_of_limb() -> Value {
    json!({ "puppetry": { "joint": true } })
}
