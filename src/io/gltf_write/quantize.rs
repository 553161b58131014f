//! Quantized normals and texture coordinates.
//!
//! `KHR_mesh_quantization` must be required by a file that uses it, and readers that do not know it refuse such a file. Positions stay
//! floats: quantized ones need a scale, which would have to stand in the inverse bind matrices of a skinned mesh, and engines that
//! read the bind pose from them would take it for a scale of the bones.

use super::GltfCharacter;
use super::editor::{ARRAY_BUFFER, FLOAT, UNSIGNED_SHORT, items, number, push};
use super::replace::{Content, Users};
use crate::io::gltf_read;
use crate::mesh::SourceDocument;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const EXTENSION: &str = "KHR_mesh_quantization";
const BYTE: u32 = 5120;

impl GltfCharacter {
    /// Quantizes the normals and tangents of all skinned meshes to 8 bits, and texture coordinates between 0 and 1 to 16.
    pub fn quantize_mesh(&mut self) {
        let editor = &mut self.editor;
        let nodes = items(&mut editor.json, "nodes").filter(|node| node.get("skin").is_some());
        let meshes: BTreeSet<usize> = nodes.filter_map(|node| number(node, "mesh")).collect();
        let before = editor.document();
        let mut users = Users::of(&mut editor.json);
        let mut is_extended = false;
        for mesh in meshes {
            let count = editor.json["meshes"][mesh]["primitives"].as_array().map_or(0, Vec::len);
            for primitive in 0..count {
                let attributes = editor.json["meshes"][mesh]["primitives"][primitive]["attributes"].clone();
                for (name, accessor) in attributes.as_object().into_iter().flatten() {
                    let Some(quantized) = quantized(&before, name, accessor) else { continue };
                    is_extended |= quantized.component == BYTE;
                    let replaced = editor.replace(&mut users, accessor, &quantized.content());
                    editor.json["meshes"][mesh]["primitives"][primitive]["attributes"][name] =
                        json!(replaced);
                }
            }
        }
        for key in ["extensionsUsed", "extensionsRequired"] {
            let names = editor.json.get(key).and_then(Value::as_array);
            if is_extended && !names.is_some_and(|names| names.contains(&json!(EXTENSION))) {
                push(&mut editor.json, key, json!(EXTENSION));
            }
        }
        editor.squeeze();
    }
}

/// The values of an attribute in fewer bits.
struct Quantized {
    bytes: Vec<u8>,
    count: usize,
    component: u32,
    shape: &'static str,
}

impl Quantized {
    fn content(&self) -> Content<'_> {
        let Quantized { bytes, count, component, shape } = self;
        let (target, count, component) = (ARRAY_BUFFER, *count, *component);
        // Elements start at multiples of four bytes.
        let stride = (*shape == "VEC3").then_some(4);
        Content { bytes, target, count, component, shape, stride, is_normalized: true }
    }
}

/// `None` for attributes that are not quantized.
fn quantized(document: &SourceDocument, name: &str, accessor: &Value) -> Option<Quantized> {
    let item = document.json.get("accessors")?.get(accessor.as_u64()? as usize)?;
    if number(item, "componentType") != Some(FLOAT as usize) {
        return None;
    }
    Some(match name {
        "NORMAL" => {
            let values = gltf_read::floats::<3>(document, accessor).ok()?;
            let bytes = values.iter().flat_map(|&[x, y, z]| [byte(x), byte(y), byte(z), 0]).collect();
            Quantized { bytes, count: values.len(), component: BYTE, shape: "VEC3" }
        }
        "TANGENT" => {
            let values = gltf_read::floats::<4>(document, accessor).ok()?;
            let bytes = values.iter().flat_map(|value| value.map(byte)).collect();
            Quantized { bytes, count: values.len(), component: BYTE, shape: "VEC4" }
        }
        _ if name.starts_with("TEXCOORD_") => {
            let values = gltf_read::floats::<2>(document, accessor).ok()?;
            if !values.iter().flatten().all(|value| (0.0..=1.0).contains(value)) {
                return None;
            }
            let bytes =
                values.iter().flatten().flat_map(|&value| unsigned_short(value).to_le_bytes()).collect();
            Quantized { bytes, count: values.len(), component: UNSIGNED_SHORT, shape: "VEC2" }
        }
        _ => return None,
    })
}

/// A number from -1 to 1 as a normalized byte.
fn byte(value: f32) -> u8 {
    (value.clamp(-1.0, 1.0) * f32::from(i8::MAX)).round() as i8 as u8
}

/// A number from 0 to 1 as a normalized unsigned short.
pub(super) fn unsigned_short(value: f32) -> u16 {
    (value * f32::from(u16::MAX)).round() as u16
}
