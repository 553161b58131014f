//! More vertices for a primitive: some of them become several.
//!
//! The copies stand behind the vertices of the primitive, and every attribute and morph target has an element for each,
//! whatever it means.

use super::editor::{ARRAY_BUFFER, Editor, TRIANGLES, number};
use super::replace::{Content, Users};
use crate::io::{Fault, gltf_read};
use crate::mesh::SourceDocument;
use serde_json::{Value, json};

/// The vertices that a primitive gets.
#[derive(Clone, Copy)]
pub struct Copies<'a> {
    /// The document as it was.
    pub source: &'a SourceDocument,
    /// How many vertices the primitive had.
    pub vertices: usize,
    /// The old vertex of each new one: first all old ones, then copies.
    pub sources: &'a [u32],
    /// Three new vertices for each triangle.
    pub corners: &'a [u32],
}

impl Copies<'_> {
    /// Whether there is any vertex more than before.
    pub fn are_there(&self) -> bool {
        self.sources.len() > self.vertices
    }
}

impl Editor {
    /// Gives a primitive its new vertices. Attributes `without` copies are left as they are.
    pub fn add_copies(
        &mut self,
        primitive: &mut Value,
        users: &mut Users,
        copies: Copies,
        without: &[&str],
    ) -> Result<(), Fault> {
        let targets = primitive.get("targets").and_then(Value::as_array).map_or(0, Vec::len);
        let lists = (0..targets).map(|target| format!("/targets/{target}"));
        for list in std::iter::once("/attributes".to_owned()).chain(lists) {
            let Some(attributes) = primitive.pointer_mut(&list).and_then(Value::as_object_mut) else {
                continue;
            };
            for (name, accessor) in attributes {
                if !(list == "/attributes" && without.contains(&name.as_str())) {
                    *accessor = json!(self.copy_elements(accessor, users, copies)?);
                }
            }
        }
        let old = primitive.get("indices").cloned().unwrap_or_default();
        let indices = self.replace_indices(users, &old, copies.corners, copies.sources.len());
        (primitive["indices"], primitive["mode"]) = (json!(indices), json!(TRIANGLES));
        Ok(())
    }

    /// An accessor with an element for each new vertex.
    fn copy_elements(&mut self, accessor: &Value, users: &mut Users, copies: Copies) -> Result<usize, Fault> {
        let Copies { source, vertices, sources, .. } = copies;
        let (bytes, stride) = gltf_read::rows(source, accessor, sources, vertices)?;
        let item = &source.json["accessors"][accessor.as_u64().unwrap_or(0) as usize];
        let content = Content {
            bytes: &bytes,
            target: ARRAY_BUFFER,
            count: sources.len(),
            component: number(item, "componentType").unwrap_or(0) as u32,
            shape: item["type"].as_str().unwrap_or_default(),
            stride,
            is_normalized: item["normalized"] == json!(true),
        };
        let replaced = self.replace(users, accessor, &content);
        // Copies do not change the box.
        for key in ["min", "max"] {
            if let Some(bound) = item.get(key) {
                self.json["accessors"][replaced][key] = bound.clone();
            }
        }
        Ok(replaced)
    }
}
