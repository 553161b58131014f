//! A glTF document while it is being edited.
//!
//! The JSON is edited as values, so that all else is preserved. Everything binary is appended to one
//! buffer, so that what was there keeps its bytes.

use super::{GltfWriteError, glb};
use crate::io::gltf_read::data_of_uri;
use crate::io::media_type::media_type;
use crate::math::Mat4;
use crate::mesh::SourceDocument;
use crate::rig::RigJoint;
use serde_json::{Map, Value, json};
use std::ops::Range;

/// A document and the content of its only buffer.
#[derive(Debug, Clone)]
pub struct Editor {
    pub json: Value,
    pub bytes: Vec<u8>,
}

impl Editor {
    /// All buffers become one, as the binary container has it, and image files become parts of it.
    pub fn of_source(source: &SourceDocument) -> Editor {
        let mut json = source.json.clone();
        let mut bytes = Vec::new();
        let mut starts = Vec::new();
        for buffer in &source.buffers {
            starts.push(bytes.len());
            bytes.extend_from_slice(buffer);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        for view in items(&mut json, "bufferViews").filter(|view| view.is_object()) {
            let start = number(view, "buffer").and_then(|buffer| starts.get(buffer).copied()).unwrap_or(0);
            if start > 0 {
                let offset = number(view, "byteOffset").unwrap_or(0);
                view["byteOffset"] = json!(offset.saturating_add(start));
            }
            view["buffer"] = json!(0);
        }
        if let Some(buffers) = json.get_mut("buffers").and_then(Value::as_array_mut) {
            buffers.truncate(1);
            buffers
                .iter_mut()
                .filter_map(Value::as_object_mut)
                .for_each(|buffer| drop(buffer.shift_remove("uri")));
        }
        let mut editor = Editor { json, bytes };
        let images = source.json.get("images").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (index, image) in images.iter().enumerate() {
            let data = image.get("uri").and_then(Value::as_str).and_then(data_of_uri);
            match source.image_files.get(index).and_then(Option::as_deref) {
                Some(file) => editor.take_in_image(index, file),
                None => data.into_iter().for_each(|data| editor.take_in_image(index, &data)),
            }
        }
        editor
    }

    /// The document with its buffer, as a reader has it.
    pub fn document(&self) -> SourceDocument {
        let images = self.json.get("images").and_then(Value::as_array).map_or(0, Vec::len);
        SourceDocument {
            json: self.json.clone(),
            buffers: vec![self.bytes.clone()],
            image_files: vec![None; images],
        }
    }

    /// Makes an image that was a file or a part of the JSON a part of the buffer.
    fn take_in_image(&mut self, index: usize, content: &[u8]) {
        let view = self.add_view(content, None);
        let Some(image) = self.json["images"].get_mut(index).and_then(Value::as_object_mut) else { return };
        image.shift_remove("uri");
        image.insert("bufferView".into(), json!(view));
        image.entry("mimeType").or_insert_with(|| json!(media_type(content, "")));
    }

    pub fn add_accessor(&mut self, view: usize, count: usize, component: u32, shape: &str) -> usize {
        let accessor =
            json!({ "bufferView": view, "componentType": component, "count": count, "type": shape });
        push(&mut self.json, "accessors", accessor)
    }

    /// The same with integers that stand for fractions.
    pub fn add_normalized(&mut self, view: usize, count: usize, component: u32, shape: &str) -> usize {
        let accessor = self.add_accessor(view, count, component, shape);
        self.json["accessors"][accessor]["normalized"] = json!(true);
        accessor
    }

    pub fn add_view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes.extend_from_slice(bytes);
        push(&mut self.json, "bufferViews", view)
    }

    /// Joint nodes, one after the other; returns the first.
    pub fn add_joints(&mut self, joints: &[RigJoint]) -> usize {
        let first = self.json.get("nodes").and_then(Value::as_array).map_or(0, Vec::len);
        for (index, joint) in joints.iter().enumerate() {
            let local = match joint.parent {
                Some(parent) => joints[parent].rest.inverse() * joint.rest,
                None => joint.rest,
            };
            let mut node = Map::new();
            node.insert("name".into(), json!(joint.name));
            let [x, y, z] = <[f64; 3]>::from(local.translation.vector).map(narrow);
            node.insert("translation".into(), json!([x, y, z]));
            let rotation = local.rotation.coords.map(narrow);
            node.insert("rotation".into(), json!([rotation.x, rotation.y, rotation.z, rotation.w]));
            let children: Vec<usize> = (0..joints.len())
                .filter(|&child| joints[child].parent == Some(index))
                .map(|c| first + c)
                .collect();
            if !children.is_empty() {
                node.insert("children".into(), json!(children));
            }
            push(&mut self.json, "nodes", Value::Object(node));
        }
        first
    }

    /// A skin of joints, the first of which is above all others.
    pub fn add_skin(&mut self, nodes: &[usize], inverse_binds: &[Mat4]) -> usize {
        let numbers = inverse_binds.iter().flat_map(|matrix| matrix.iter());
        let bytes: Vec<u8> = numbers.flat_map(|&number| (number as f32).to_le_bytes()).collect();
        let view = self.add_view(&bytes, None);
        let accessor = self.add_accessor(view, nodes.len(), FLOAT, "MAT4");
        let mut skin = json!({ "inverseBindMatrices": accessor, "joints": nodes });
        if let Some(first) = nodes.first() {
            skin["skeleton"] = json!(first);
        }
        push(&mut self.json, "skins", skin)
    }

    pub fn into_glb(mut self) -> Result<Vec<u8>, GltfWriteError> {
        self.close_buffer();
        glb(&serde_json::to_vec(&self.json)?, &self.bytes)
    }

    /// The only buffer is as long as its content.
    pub fn close_buffer(&mut self) {
        let length = json!(self.bytes.len());
        match self.json.get_mut("buffers").and_then(|buffers| buffers.get_mut(0)) {
            Some(buffer) => buffer["byteLength"] = length,
            None if self.bytes.is_empty() => {}
            None => drop(push(&mut self.json, "buffers", json!({ "byteLength": length }))),
        }
    }
}

/// Mode of a primitive whose indices are three for each triangle.
pub const TRIANGLES: u32 = 4;
pub const SHORT: u32 = 5122;
pub const UNSIGNED_BYTE: u32 = 5121;
pub const UNSIGNED_SHORT: u32 = 5123;
pub const UNSIGNED_INT: u32 = 5125;
pub const FLOAT: u32 = 5126;
pub const ARRAY_BUFFER: u32 = 34962;
pub const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// Numbers of the output are 32 bits wide; zeros have no sign.
pub fn narrow(number: f64) -> f32 {
    number as f32 + 0.0
}

pub fn number(item: &Value, key: &str) -> Option<usize> {
    item.get(key)?.as_u64().and_then(|number| usize::try_from(number).ok())
}

/// The bytes of the buffer that a view has.
pub fn range_of(view: &Value) -> Range<usize> {
    let start = number(view, "byteOffset").unwrap_or(0);
    start..start.saturating_add(number(view, "byteLength").unwrap_or(0))
}

/// The node above each node of a document.
pub fn parents_of(json: &Value) -> Vec<Option<usize>> {
    let nodes = json.get("nodes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut parents = vec![None; nodes.len()];
    for (parent, node) in nodes.iter().enumerate() {
        for child in indices(node.get("children")) {
            if let Some(slot) = parents.get_mut(child) {
                *slot = Some(parent);
            }
        }
    }
    parents
}

pub fn indices(list: Option<&Value>) -> Vec<usize> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_u64).map(|index| index as usize).collect()
}

pub fn items<'a>(parent: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> {
    parent.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Appends to a list of the document, which is made if it is not there; returns the index.
pub fn push(json: &mut Value, key: &str, item: Value) -> usize {
    if !json.get(key).is_some_and(Value::is_array) {
        json[key] = json!([]);
    }
    let list = json[key].as_array_mut().expect("it is a list now");
    list.push(item);
    list.len() - 1
}
