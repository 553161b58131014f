//! Other content for accessors that a document has.
//!
//! The old content must not stay in the buffer as unused bytes. An accessor that has one user keeps its number, and
//! its bytes are overwritten where nothing else looks at them; any other stays for its other users, and a new one is made.

use super::GltfWriteError;
use super::editor::{
    ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, Editor, FLOAT, UNSIGNED_INT, UNSIGNED_SHORT, items, number, range_of,
};
use crate::math::Vec3;
use serde_json::{Value, json};
use std::ops::Range;

/// Who reads what in a document.
pub struct Users {
    /// How often each accessor is referred to.
    accessors: Vec<usize>,
    /// Whether more than one thing looks at the bytes of a view.
    shared_views: Vec<bool>,
}

impl Users {
    pub fn of(json: &mut Value) -> Users {
        let mut accessors = vec![0; json.get("accessors").and_then(Value::as_array).map_or(0, Vec::len)];
        for mesh in items(json, "meshes") {
            for primitive in items(mesh, "primitives") {
                count_members(primitive.get("attributes"), &mut accessors);
                count(primitive.get("indices"), &mut accessors);
                items(primitive, "targets").for_each(|target| count_members(Some(target), &mut accessors));
            }
        }
        for animation in items(json, "animations") {
            items(animation, "samplers").for_each(|sampler| count_members(Some(sampler), &mut accessors));
        }
        for skin in items(json, "skins") {
            count(skin.get("inverseBindMatrices"), &mut accessors);
        }
        for node in items(json, "nodes") {
            let instances = node.pointer("/extensions/EXT_mesh_gpu_instancing/attributes");
            count_members(instances, &mut accessors);
        }
        Users { accessors, shared_views: shared_views(json) }
    }
}

/// Counts a reference, if it is one.
fn count(reference: Option<&Value>, users: &mut [usize]) {
    let index = reference.and_then(Value::as_u64);
    if let Some(users) = index.and_then(|index| users.get_mut(index as usize)) {
        *users += 1;
    }
}

/// Counts all references of an object.
fn count_members(object: Option<&Value>, users: &mut [usize]) {
    let members = object.and_then(Value::as_object).into_iter().flat_map(|members| members.values());
    members.for_each(|member| count(Some(member), users));
}

/// Views that several things refer to, or whose bytes are also those of another.
fn shared_views(json: &Value) -> Vec<bool> {
    let views = json.get("bufferViews").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut users = vec![0; views.len()];
    count_views(json, &mut users);
    let mut shared: Vec<bool> = users.into_iter().map(|users| users > 1).collect();
    let ranges: Vec<Range<usize>> = views.iter().map(range_of).collect();
    let mut order: Vec<usize> = (0..views.len()).collect();
    order.sort_by_key(|&view| ranges[view].start);
    let mut farthest: Option<usize> = None;
    for view in order {
        if let Some(other) = farthest.filter(|&other| ranges[view].start < ranges[other].end) {
            (shared[view], shared[other]) = (true, true);
        }
        if farthest.is_none_or(|other| ranges[view].end > ranges[other].end) {
            farthest = Some(view);
        }
    }
    shared
}

/// Counts references to views, by the name that glTF and its extensions have for them.
fn count_views(value: &Value, users: &mut [usize]) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                match member.is_u64() && key == "bufferView" {
                    true => count(Some(member), users),
                    false => count_views(member, users),
                }
            }
        }
        Value::Array(members) => members.iter().for_each(|member| count_views(member, users)),
        _ => {}
    }
}

/// The elements of an accessor as bytes.
pub struct Content<'a> {
    pub bytes: &'a [u8],
    pub target: u32,
    pub count: usize,
    pub component: u32,
    pub shape: &'a str,
    /// Bytes from one element to the next, if they are not as close as they can be.
    pub stride: Option<usize>,
    /// Whether integers stand for fractions.
    pub is_normalized: bool,
}

impl<'a> Content<'a> {
    fn plain(bytes: &'a [u8], target: u32, count: usize, component: u32, shape: &'static str) -> Content<'a> {
        Content { bytes, target, count, component, shape, stride: None, is_normalized: false }
    }
}

impl Editor {
    /// Positions instead of those of accessor `old`; returns the accessor that has them.
    pub fn replace_positions(
        &mut self,
        users: &mut Users,
        old: &Value,
        positions: &[Vec3],
        first_vertex: usize,
    ) -> Result<usize, GltfWriteError> {
        let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        let mut narrow = Vec::with_capacity(positions.len());
        for (vertex, position) in positions.iter().enumerate() {
            let position: [f32; 3] = position.cast::<f32>().into();
            if !position.iter().all(|value| value.is_finite()) {
                return Err(GltfWriteError::BeyondF32 { vertex: first_vertex + vertex });
            }
            for axis in 0..3 {
                min[axis] = min[axis].min(position[axis]);
                max[axis] = max[axis].max(position[axis]);
            }
            narrow.push(position);
        }
        let accessor = self.replace_vectors(users, old, &narrow);
        self.json["accessors"][accessor]["min"] = json!(min);
        self.json["accessors"][accessor]["max"] = json!(max);
        Ok(accessor)
    }

    /// The same for any vectors.
    pub fn replace_vectors<const N: usize>(
        &mut self,
        users: &mut Users,
        old: &Value,
        vectors: &[[f32; N]],
    ) -> usize {
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        let shape = if N == 3 { "VEC3" } else { "VEC4" };
        self.replace(users, old, &Content::plain(&bytes, ARRAY_BUFFER, vectors.len(), FLOAT, shape))
    }

    /// The same for indices of `vertices` vertices, 16 bits wide where that suffices; glTF reserves the last number.
    pub fn replace_indices(
        &mut self,
        users: &mut Users,
        old: &Value,
        corners: &[u32],
        vertices: usize,
    ) -> usize {
        let (component, bytes): (_, Vec<u8>) = match vertices <= usize::from(u16::MAX) {
            true => {
                (UNSIGNED_SHORT, corners.iter().flat_map(|&corner| (corner as u16).to_le_bytes()).collect())
            }
            false => (UNSIGNED_INT, corners.iter().flat_map(|corner| corner.to_le_bytes()).collect()),
        };
        let target = ELEMENT_ARRAY_BUFFER;
        self.replace(users, old, &Content::plain(&bytes, target, corners.len(), component, "SCALAR"))
    }

    /// The same for elements of any kind.
    pub fn replace(&mut self, users: &mut Users, old: &Value, content: &Content) -> usize {
        let Content { bytes, target, count, component, shape, stride, is_normalized } = *content;
        let old = old.as_u64().map(|old| old as usize).filter(|&old| old < users.accessors.len());
        let Some(accessor) = old.filter(|&old| users.accessors[old] == 1) else {
            old.into_iter().for_each(|old| users.accessors[old] = users.accessors[old].saturating_sub(1));
            let view = self.add_view(bytes, Some(target));
            self.set_stride(view, stride);
            return match is_normalized {
                true => self.add_normalized(view, count, component, shape),
                false => self.add_accessor(view, count, component, shape),
            };
        };
        let item = &self.json["accessors"][accessor];
        let own = number(item, "bufferView").filter(|_| item.get("sparse").is_none());
        let own = own.filter(|&view| users.shared_views.get(view) == Some(&false));
        let view = match own {
            Some(view) => {
                self.rewrite_view(view, bytes);
                view
            }
            None => self.add_view(bytes, Some(target)),
        };
        self.set_stride(view, stride);
        if let Some(item) = self.json["accessors"][accessor].as_object_mut() {
            for key in ["byteOffset", "normalized", "sparse", "min", "max"] {
                item.shift_remove(key);
            }
            item.insert("bufferView".into(), json!(view));
            item.insert("componentType".into(), json!(component));
            item.insert("count".into(), json!(count));
            item.insert("type".into(), json!(shape));
            if is_normalized {
                item.insert("normalized".into(), json!(true));
            }
        }
        accessor
    }

    fn set_stride(&mut self, view: usize, stride: Option<usize>) {
        if let Some(stride) = stride {
            self.json["bufferViews"][view]["byteStride"] = json!(stride);
        }
    }

    /// Takes out the bytes that no view looks at.
    pub fn squeeze(&mut self) {
        let Some(views) = self.json.get_mut("bufferViews").and_then(Value::as_array_mut) else { return };
        let ranges: Vec<Range<usize>> = views.iter().map(range_of).collect();
        let mut order: Vec<usize> = (0..views.len()).collect();
        order.sort_by_key(|&view| ranges[view].start);
        let mut kept: Vec<u8> = Vec::with_capacity(self.bytes.len());
        // Up to where the old bytes are in the new buffer, and how far they came forward.
        let (mut done, mut by) = (0, 0);
        for view in order {
            let (from, to) = (ranges[view].start, ranges[view].end.min(self.bytes.len()));
            if from > done {
                // What follows stays as well aligned as it was.
                kept.resize(kept.len() + (from - kept.len()) % 4, 0);
                (done, by) = (from, from - kept.len());
            }
            if to > done {
                kept.extend_from_slice(&self.bytes[done..to]);
                done = to;
            }
            if by > 0 {
                views[view]["byteOffset"] = json!(from - by);
            }
        }
        self.bytes = kept;
    }

    /// Other bytes for a view, where the old ones were if there is room.
    fn rewrite_view(&mut self, view: usize, bytes: &[u8]) {
        let Range { start, end } = range_of(&self.json["bufferViews"][view]);
        let has_room = start.is_multiple_of(4) && end <= self.bytes.len() && bytes.len() <= end - start;
        let start = if has_room {
            self.bytes[start..start + bytes.len()].copy_from_slice(bytes);
            start
        } else {
            self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
            self.bytes.extend_from_slice(bytes);
            self.bytes.len() - bytes.len()
        };
        if let Some(view) = self.json["bufferViews"][view].as_object_mut() {
            if start > 0 || view.contains_key("byteOffset") {
                view.insert("byteOffset".into(), json!(start));
            }
            view.insert("byteLength".into(), json!(bytes.len()));
            view.shift_remove("byteStride");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles of floats: the second shares its view with the third accessor, and the fourth is read twice.
    fn editor() -> Editor {
        let view = |start: usize| json!({ "buffer": 0, "byteOffset": start, "byteLength": 36 });
        let accessor =
            |view: usize| json!({ "bufferView": view, "componentType": FLOAT, "count": 3, "type": "VEC3" });
        let json = json!({
            "bufferViews": [view(0), view(36), view(72)],
            "accessors": [accessor(0), accessor(1), accessor(1), accessor(2)],
            "meshes": [{ "primitives": [
                { "attributes": { "POSITION": 0, "NORMAL": 1 } },
                { "attributes": { "POSITION": 3, "NORMAL": 2 } },
                { "attributes": { "POSITION": 3 } },
            ] }],
        });
        Editor { json, bytes: vec![0; 108] }
    }

    #[test]
    fn gaps_are_closed_and_views_still_see_the_same() {
        let view =
            |start: usize, length: usize| json!({ "buffer": 0, "byteOffset": start, "byteLength": length });
        let views = json!([view(70, 10), view(8, 12), view(12, 20), view(40, 3), view(0, 4)]);
        let mut editor = Editor { json: json!({ "bufferViews": views }), bytes: (0..100).collect() };
        let seen = |editor: &Editor| -> Vec<Vec<u8>> {
            let views = editor.json["bufferViews"].as_array().unwrap().iter();
            let bytes = |v: &Value| {
                editor.bytes[number(v, "byteOffset").unwrap()..][..number(v, "byteLength").unwrap()].to_vec()
            };
            views.map(bytes).collect()
        };
        let before = seen(&editor);
        editor.squeeze();
        assert_eq!(before, seen(&editor));
        assert_eq!(editor.bytes.len(), 4 + 24 + 4 + 2 + 10);
    }

    #[test]
    fn what_nobody_else_reads_is_overwritten_and_the_rest_stays() {
        let mut editor = editor();
        let mut users = Users::of(&mut editor.json);
        let ones = [[1.0f32; 3]; 3];
        assert_eq!(editor.replace_vectors(&mut users, &json!(0), &ones), 0);
        assert_eq!((editor.bytes.len(), &editor.bytes[..4]), (108, &1f32.to_le_bytes()[..]));
        // Its view has another reader, so that the accessor looks elsewhere.
        assert_eq!(editor.replace_vectors(&mut users, &json!(1), &ones), 1);
        assert_eq!(editor.json["accessors"][1]["bufferView"], 3);
        // The first of two users gets an accessor of its own, the last one takes the old one over.
        assert_eq!(editor.replace_vectors(&mut users, &json!(3), &ones), 4);
        assert_eq!(editor.bytes[36..108], [0; 72]);
        assert_eq!(editor.replace_vectors(&mut users, &json!(3), &ones), 3);
        assert_eq!(editor.bytes[72..76], 1f32.to_le_bytes());
        assert_eq!(editor.bytes[36..72], [0; 36]);
    }
}
