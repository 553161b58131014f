//! A document as files beside each other: its JSON, its buffer and its images.

use super::GltfWriteError;
use super::editor::{Editor, items, number, range_of};
use serde_json::{Value, json};
use std::ops::Range;

impl Editor {
    /// The document, its buffer and its images as files of their own.
    pub fn into_gltf(mut self, stem: &str) -> Result<Vec<(String, Vec<u8>)>, GltfWriteError> {
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
        let ranges: Vec<Range<usize>> = views.iter().map(range_of).collect();
        let mut files = Vec::new();
        let mut gone: Vec<usize> = Vec::new();
        for (index, image) in items(&mut self.json, "images").enumerate() {
            let Some(view) = number(image, "bufferView").filter(|&view| view < views.len()) else { continue };
            let Some(content) = self.bytes.get(ranges[view].clone()) else { continue };
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
        self.remove_views(&gone, &ranges);
        files
    }

    /// Removes buffer views and their bytes, as far as no other view has a part of them.
    fn remove_views(&mut self, gone: &[usize], ranges: &[Range<usize>]) {
        let is_gone: Vec<bool> = (0..ranges.len()).map(|view| gone.binary_search(&view).is_ok()).collect();
        let kept = ranges.iter().zip(&is_gone).filter(|(_, is_gone)| !**is_gone).map(|(range, _)| range);
        let mut cuts: Vec<Range<usize>> = Vec::new();
        for &view in gone {
            let range = ranges[view].clone();
            let is_shared = kept.clone().any(|other| overlap(other, &range));
            if !is_shared && !cuts.iter().any(|other| overlap(other, &range)) {
                // Whole words, so that what comes after stays aligned.
                cuts.push(range.start..range.start + range.len() / 4 * 4);
            }
        }
        cuts.sort_by_key(|cut| cut.start);
        for cut in cuts.iter().rev() {
            self.bytes.drain(cut.clone());
        }
        if let Some(views) = self.json.get_mut("bufferViews").and_then(Value::as_array_mut) {
            for (view, Range { start, .. }) in views.iter_mut().zip(ranges) {
                let cut: usize = cuts.iter().filter(|cut| cut.end <= *start).map(|cut| cut.len()).sum();
                if view.get("byteOffset").is_some() || start - cut != 0 {
                    view["byteOffset"] = json!(start - cut);
                }
            }
            let mut is_gone = is_gone.iter();
            views.retain(|_| is_gone.next() == Some(&false));
        }
        renumber(&mut self.json, &|view| view - gone.partition_point(|&other| other < view));
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
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

/// A file name as a URI reference, percent-encoded.
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
