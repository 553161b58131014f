//! Packed geometry becomes plain geometry in the source document, so that everything after sees no
//! compression.

use super::meshopt::{self, Filter, Mode};
use crate::io::json_item::Item;
use crate::io::{Fault, Problem};
use crate::mesh::SourceDocument;
use serde_json::Value;

const MESHOPT: [&str; 2] = ["KHR_meshopt_compression", "EXT_meshopt_compression"];
const DRACO: &str = "KHR_draco_mesh_compression";

/// Views may share packed data, so the plain size is not bounded by the file. The honest worst case, long
/// runs of equal elements, is far below this.
const PLAIN_FLOOR: u64 = 64 << 20;
const PLAIN_PER_PACKED: u64 = 64;

/// Unpacks meshopt data and takes both compression extensions out of the document.
pub(super) fn remove(source: &mut SourceDocument) -> Result<(), Fault> {
    if remove_draco(&mut source.json)? {
        forget(&mut source.json, DRACO);
    }
    for name in MESHOPT {
        if unpack(source, name)? {
            forget(&mut source.json, name);
        }
    }
    Ok(())
}

/// Draco itself is not decoded. A file that also has the plain data is read by that. Returns whether there
/// was any.
fn remove_draco(json: &mut Value) -> Result<bool, Fault> {
    let root = Item::root(json);
    let mut found = false;
    for mesh in root.list("meshes")? {
        for primitive in mesh.list("primitives")? {
            if primitive.extension(DRACO).is_none() {
                continue;
            }
            found = true;
            if !has_plain_data(&root, &primitive)? {
                let way_out = "decode it with `npx @gltf-transform/cli copy in.glb out.glb`";
                let feature = "Draco compression (KHR_draco_mesh_compression)".to_owned();
                return Err(Fault::json(primitive.pointer, Problem::Unsupported { feature, way_out }));
            }
        }
    }
    for mesh in list_mut(json, "meshes") {
        for primitive in list_mut(mesh, "primitives") {
            remove_extension(primitive, DRACO);
        }
    }
    Ok(found)
}

fn has_plain_data(root: &Item, primitive: &Item) -> Result<bool, Fault> {
    let positions = primitive.get("attributes").and_then(|attributes| attributes.get("POSITION"));
    for reference in positions.into_iter().chain(primitive.get("indices")) {
        let accessor = reference.target(root, "accessors", "accessor")?;
        if accessor.get("bufferView").is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Unpacks the views whose plain data is not in the file into their placeholder buffers. Returns whether
/// there were packed views at all.
fn unpack(source: &mut SourceDocument, name: &str) -> Result<bool, Fault> {
    let total: u64 = source.buffers.iter().map(|buffer| buffer.len() as u64).sum();
    let limit = (PLAIN_PER_PACKED * total).max(PLAIN_FLOOR);
    let mut unpacked: Vec<(usize, usize, Vec<u8>)> = Vec::new();
    let (mut found, mut size) = (false, 0);
    let root = Item::root(&source.json);
    for (index, view) in root.list("bufferViews")?.iter().enumerate() {
        let Some(packing) = view.extension(name) else { continue };
        found = true;
        let buffer = view.required("buffer")?;
        buffer.target(&root, "buffers", "buffer")?;
        let buffer = buffer.as_whole_number()?;
        if source.buffers.get(buffer).is_some_and(|plain| !plain.is_empty()) {
            continue;
        }
        let count = packing.required_number("count")?;
        let stride = packing.required_number("byteStride")?;
        let declared = (count as u64).saturating_mul(stride as u64);
        size = declared.saturating_add(size);
        if size > limit {
            return Err(Fault::json(
                &packing.pointer,
                Problem::TooMany { what: "bytes when unpacked", limit },
            ));
        }
        let bytes = packed_bytes(&root, &packing, &source.buffers)?;
        let data = meshopt::decode(bytes, count, stride, mode(&packing)?, filter(&packing)?);
        let data = data.ok_or_else(|| packing.invalid("the compressed data", "it cannot be unpacked"))?;
        unpacked.push((index, buffer, data));
    }
    for (view, buffer, data) in unpacked {
        let plain = &mut source.buffers[buffer];
        plain.resize(plain.len().next_multiple_of(4), 0);
        let json = &mut source.json["bufferViews"][view];
        json["byteOffset"] = plain.len().into();
        json["byteLength"] = data.len().into();
        plain.extend(data);
        source.json["buffers"][buffer]["byteLength"] = plain.len().into();
    }
    for list in ["bufferViews", "buffers"] {
        for item in list_mut(&mut source.json, list) {
            remove_extension(item, name);
        }
    }
    Ok(found)
}

fn packed_bytes<'b>(root: &Item, packing: &Item, buffers: &'b [Vec<u8>]) -> Result<&'b [u8], Fault> {
    let reference = packing.required("buffer")?;
    reference.target(root, "buffers", "buffer")?;
    let buffer = buffers.get(reference.as_whole_number()?).map_or(&[][..], Vec::as_slice);
    let offset = packing.whole_number("byteOffset")?.unwrap_or(0);
    let length = packing.required_number("byteLength")?;
    let end = offset.saturating_add(length);
    buffer
        .get(offset..end)
        .ok_or_else(|| packing.truncated("compressed buffer views", end as u64, buffer.len() as u64))
}

fn mode(packing: &Item) -> Result<Mode, Fault> {
    match packing.text("mode") {
        Some("ATTRIBUTES") => Ok(Mode::Attributes),
        Some("TRIANGLES") => Ok(Mode::Triangles),
        Some("INDICES") => Ok(Mode::Indices),
        _ => Err(packing.invalid("the compression mode", "it is none that glTF knows")),
    }
}

fn filter(packing: &Item) -> Result<Filter, Fault> {
    match packing.text("filter") {
        None | Some("NONE") => Ok(Filter::None),
        Some("OCTAHEDRAL") => Ok(Filter::Octahedral),
        Some("QUATERNION") => Ok(Filter::Quaternion),
        Some("EXPONENTIAL") => Ok(Filter::Exponential),
        Some("COLOR") => Ok(Filter::Color),
        Some(_) => Err(packing.invalid("the compression filter", "it is none that glTF knows")),
    }
}

fn list_mut<'v>(value: &'v mut Value, key: &str) -> impl Iterator<Item = &'v mut Value> {
    value.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten()
}

fn remove_extension(item: &mut Value, name: &str) {
    let Some(extensions) = item.get_mut("extensions").and_then(Value::as_object_mut) else { return };
    extensions.shift_remove(name);
    if extensions.is_empty()
        && let Some(item) = item.as_object_mut()
    {
        item.shift_remove("extensions");
    }
}

/// Takes a name out of the lists of extensions; glTF forbids empty lists.
fn forget(json: &mut Value, name: &str) {
    let Some(document) = json.as_object_mut() else { return };
    for key in ["extensionsUsed", "extensionsRequired"] {
        let Some(names) = document.get_mut(key).and_then(Value::as_array_mut) else { continue };
        names.retain(|used| used != name);
        if names.is_empty() {
            document.shift_remove(key);
        }
    }
}
