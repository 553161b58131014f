//! Where the skinned meshes and their joints stand in the scenes of a document.

use super::editor::{Editor, indices, items, narrow, number, push};
use crate::mesh::placement::Placement;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Where `KHR_animation_pointer` has the pointer of a channel, in its target.
const POINTER: &str = "/extensions/KHR_animation_pointer/pointer";

/// Members of a node that say where it stands.
const TRANSFORM: [&str; 4] = ["matrix", "translation", "rotation", "scale"];

impl Editor {
    /// Shows a skinned mesh at the root of the scene; returns the node that does.
    ///
    /// A node that stands there already and has nothing but the mesh gets the skin, and loses its transform, which is baked. Any
    /// other stays for its children, its animation and what is `left_behind`, and a new node takes the mesh over.
    pub fn show(
        &mut self,
        node: usize,
        mesh: usize,
        skin: usize,
        roots: &[usize],
        left_behind: Option<usize>,
    ) -> usize {
        let existing = &self.json["nodes"][node];
        // An extension may be a lamp, which has to stay where it is.
        let is_lamp = has_any(existing, &["extensions"]) && has_any(existing, &TRANSFORM);
        let is_alone = !(has_any(existing, &["children", "camera"]) || is_lamp);
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
                    .iter()
                    .any(|key| existing.contains_key(*key))
                {
                    // Validators warn of a node that does nothing.
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
                let path = pointer.strip_prefix(&format!("/nodes/{node}/"));
                (number(target, "node") == Some(node) && target["path"] != "weights")
                    || path.is_some_and(|path| TRANSFORM.contains(&path))
            })
        })
    }

    /// Nodes at the root of the default scene.
    pub fn scene_roots(&mut self) -> Vec<usize> {
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
    pub fn arrange_scenes(
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
        let rotation = moved.isometry.rotation.coords.map(narrow);
        let scale = narrow(moved.scaling());
        for (number, (scenes, members)) in groups.into_iter().enumerate() {
            let name = if number == 0 { "Placement".into() } else { format!("Placement_{}", number + 1) };
            let above = json!({
                "name": name,
                "translation": [x, y, z],
                "rotation": [rotation.x, rotation.y, rotation.z, rotation.w],
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

fn has_any(object: &Value, keys: &[&str]) -> bool {
    keys.iter().any(|key| object.get(key).is_some())
}
