//! Loading a GLB against copying its bytes: the reader should be bound by memory, not by its own work.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use puppetry::stages::io::{Folder, gltf_read};
use serde_json::json;

/// Vertices of the generated mesh: a closed grid, two triangles for each, with normals and texture
/// coordinates.
const VERTICES: u32 = 200_000;
const COLUMNS: u32 = 400;

fn main() {
    divan::main();
}

fn glb() -> Vec<u8> {
    let floats = |width: u32| (0..VERTICES * width).flat_map(|i| ((i % 977) as f32 / 977.0).to_le_bytes());
    let corners = (0..VERTICES).flat_map(|v| {
        let [right, below, across] = [1, COLUMNS, COLUMNS + 1].map(|step| (v + step) % VERTICES);
        [v, below, right, right, below, across]
    });
    let mut binary = Vec::new();
    let mut view = |bytes: &mut dyn Iterator<Item = u8>| {
        let offset = binary.len();
        binary.extend(bytes);
        json!({ "buffer": 0, "byteOffset": offset, "byteLength": binary.len() - offset })
    };
    let views = [
        view(&mut floats(3)),
        view(&mut floats(3)),
        view(&mut floats(2)),
        view(&mut corners.flat_map(u32::to_le_bytes)),
    ];
    let accessor = |view: u32, component: u32, kind: &str, count: u32| json!({ "bufferView": view, "componentType": component, "type": kind, "count": count });
    let document = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "mesh": 0, "scale": [2, 2, 2] }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2 }, "indices": 3 }] }],
        "accessors": [
            accessor(0, 5126, "VEC3", VERTICES),
            accessor(1, 5126, "VEC3", VERTICES),
            accessor(2, 5126, "VEC2", VERTICES),
            accessor(3, 5125, "SCALAR", 6 * VERTICES),
        ],
        "bufferViews": views,
        "buffers": [{ "byteLength": binary.len() }],
    });
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes =
        [*b"glTF", 2u32.to_le_bytes(), (28 + (json.len() + binary.len()) as u32).to_le_bytes()].concat();
    for (kind, content) in [(b"JSON", json), (b"BIN\0", binary)] {
        bytes.extend((content.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(content);
    }
    bytes
}

#[divan::bench]
fn memcpy(bencher: Bencher) {
    let bytes = glb();
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| black_box(&bytes).clone());
}

#[divan::bench]
fn load(bencher: Bencher) {
    let bytes = glb();
    bencher
        .counter(BytesCount::of_slice(&bytes))
        .with_inputs(|| bytes.clone())
        .bench_values(|bytes| gltf_read::read(bytes, &Folder::none(), &mut Vec::new()).unwrap());
}
