//! glTF: the corpus against its stated counts and an independent reader, and hostile bytes.

mod common;

use common::corpus_files;
use proptest::prelude::*;
use puppetry::stages::io::{Folder, gltf_read};
use puppetry::stages::mesh::Mesh;
use serde_json::{Value, json};
use std::fs;

fn read_gltf(bytes: &[u8]) -> Option<Mesh> {
    let mesh = gltf_read::read(bytes.to_vec(), &Folder::none(), &mut Vec::new()).ok()?;
    assert_eq!(mesh.broken_invariant(), None);
    Some(mesh)
}

#[test]
fn corpus_has_the_counts_of_its_truth_and_is_carried_whole() {
    for file in corpus_files(".glb") {
        let name = file.display();
        let bytes = fs::read(&file).unwrap();
        let mut warnings = Vec::new();
        let mesh = gltf_read::read(bytes.clone(), &Folder::of(&file), &mut warnings).unwrap();
        assert_eq!(mesh.broken_invariant(), None);
        assert_eq!(warnings, [], "{name}");
        let truth: Value =
            serde_json::from_slice(&fs::read(file.with_extension("truth.json")).unwrap()).unwrap();
        assert_eq!(truth["vertices"], mesh.positions.len(), "{name}");
        // The truth counts triangles after merging equal positions.
        let corner = |vertex: u32| mesh.positions[vertex as usize];
        let triangles = mesh.triangles.iter().map(|triangle| triangle.map(corner));
        let triangles = triangles.filter(|[a, b, c]| a != b && b != c && c != a).count();
        assert_eq!(truth["triangles"], triangles, "{name}");
        let glb = gltf::Glb::from_slice(&bytes).unwrap();
        let source = mesh.origin.document.unwrap();
        assert_eq!(source.json, serde_json::from_slice::<Value>(&glb.json).unwrap(), "{name}");
        assert!(glb.bin.unwrap().starts_with(&source.buffers[0]), "{name}");
    }
}

#[test]
fn corpus_positions_agree_with_an_independent_reader() {
    for file in corpus_files(".glb") {
        let bytes = fs::read(&file).unwrap();
        let mesh = read_gltf(&bytes).unwrap();
        let oracle = gltf::Gltf::from_slice(&bytes).unwrap();
        let binary = oracle.blob.as_deref().unwrap();
        let mut expected = Vec::new();
        let mut stack: Vec<_> = oracle.default_scene().unwrap().nodes().map(|n| (n, identity())).collect();
        stack.reverse();
        while let Some((node, parent)) = stack.pop() {
            let world = parent * nalgebra::Matrix4::from(node.transform().matrix()).cast::<f64>();
            for primitive in node.mesh().iter().flat_map(|mesh| mesh.primitives()) {
                for position in primitive.reader(|_| Some(binary)).read_positions().unwrap() {
                    let point = nalgebra::Vector3::from(position).cast::<f64>();
                    expected.push((world * point.push(1.0)).xyz());
                }
            }
            stack.extend(node.children().map(|child| (child, world)));
        }
        assert_eq!(expected.len(), mesh.positions.len());
        for (ours, theirs) in mesh.positions.iter().zip(&expected) {
            assert!((ours - theirs).norm() <= 1e-6 * (1.0 + theirs.norm()), "{}", file.display());
        }
    }
}

fn identity() -> nalgebra::Matrix4<f64> {
    nalgebra::Matrix4::identity()
}

/// A small document that uses most of what the reader knows.
fn rich() -> (Value, Vec<u8>) {
    let mut binary = Vec::new();
    let mut view = |bytes: Vec<u8>| {
        binary.resize(binary.len().next_multiple_of(4), 0);
        let offset = binary.len();
        binary.extend(&bytes);
        json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() })
    };
    let floats = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let matrix: Vec<f32> = (0..16).map(|i| if i % 5 == 0 { 1.0 } else { 0.0 }).collect();
    let views = json!([
        view(floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.5])),
        view(vec![0, 1, 2, 2, 1, 3]),
        view(vec![0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]),
        view(vec![255, 0, 0, 0, 128, 127, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0]),
        view(floats(&[matrix.clone(), matrix].concat())),
        view(vec![1, 0, 3, 0]),
        view(floats(&[0.0, 0.0, 1.0, 0.0, 0.0, 2.0])),
        view(vec![0, 255, 9, 0, 255, 0, 9, 0, 3, 4, 9, 0, 200, 100, 9, 0]),
        view(b"\x89PNG not really".to_vec()),
    ]);
    let document = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 3] }],
        "nodes": [
            { "name": "root", "children": [1, 2], "translation": [0, 1, 0], "rotation": [0, 0, 0.6, 0.8] },
            { "mesh": 0, "matrix": [-1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 3, 1] },
            { "scale": [1, 2, 1] },
            { "mesh": 1, "skin": 0, "weights": [0.5] },
        ],
        "skins": [{ "joints": [0, 2], "inverseBindMatrices": 4 }],
        "meshes": [
            { "primitives": [
                { "attributes": { "POSITION": 0, "NORMAL": 6, "TEXCOORD_0": 8, "COLOR_0": 7 }, "indices": 1, "material": 0 },
                { "attributes": { "POSITION": 0 }, "mode": 5 },
                { "attributes": { "POSITION": 0 }, "mode": 1 },
            ] },
            { "weights": [1], "primitives": [
                { "attributes": { "POSITION": 0, "JOINTS_0": 2, "WEIGHTS_0": 3 }, "targets": [{ "POSITION": 5 }], "mode": 6 },
            ] },
        ],
        "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0,
            "extensions": { "KHR_texture_transform": { "offset": [0.5, 0], "rotation": 1.0 } } } } }],
        "textures": [{ "source": 0 }],
        "images": [{ "bufferView": 8, "mimeType": "image/png" }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3" },
            { "bufferView": 1, "componentType": 5121, "count": 6, "type": "SCALAR" },
            { "bufferView": 2, "componentType": 5121, "count": 4, "type": "VEC4" },
            { "bufferView": 3, "componentType": 5121, "normalized": true, "count": 4, "type": "VEC4" },
            { "bufferView": 4, "componentType": 5126, "count": 2, "type": "MAT4" },
            { "componentType": 5126, "count": 4, "type": "VEC3", "sparse": { "count": 2,
                "indices": { "bufferView": 5, "componentType": 5123 }, "values": { "bufferView": 6 } } },
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3" },
            { "bufferView": 7, "componentType": 5121, "normalized": true, "count": 4, "type": "VEC3", "byteOffset": 0 },
            { "bufferView": 7, "componentType": 5123, "normalized": true, "count": 4, "type": "VEC2" },
        ],
        "bufferViews": views,
        "buffers": [{ "byteLength": binary.len() }],
    });
    let mut document = document;
    document["bufferViews"][7]["byteStride"] = 4.into();
    (document, binary)
}

fn glb(document: &Value, binary: &[u8]) -> Vec<u8> {
    let mut json = serde_json::to_vec(document).unwrap();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((binary.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(binary);
    bytes
}

/// All places of a document that can be replaced.
fn pointers(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| pointers(value, format!("{at}/{key}"), found))
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, value)| pointers(value, format!("{at}/{index}"), found))
        }
        _ => {}
    }
    found.push(at);
}

fn replacement() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (0u64..20).prop_map(Value::from),
        2 => any::<i64>().prop_map(Value::from),
        2 => any::<u32>().prop_map(Value::from),
        2 => any::<f64>().prop_map(Value::from),
        1 => prop::sample::select(vec![json!(null), json!(true), json!("VEC3"), json!("SCALAR"), json!([]), json!({}),
            json!([0, 0, 0]), json!(4294967295u32), json!(5126), json!(5123), json!(5121), json!(u64::MAX), json!(1e308),
            json!("data:,x"), json!({ "KHR_draco_mesh_compression": {} })]),
    ]
}

#[test]
fn the_rich_document_loads() {
    let (document, binary) = rich();
    let mesh = read_gltf(&glb(&document, &binary)).expect("the seed of the mutations is valid");
    assert_eq!((mesh.parts.len(), mesh.positions.len(), mesh.triangles.len()), (3, 12, 6));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300), magic in 0..3) {
        read_gltf(&bytes);
        let start: &[u8] = [&b"glTF\x02\0\0\0"[..], b"glTF\x02\0\0\0\xff\0\0\0\x10\0\0\0JSON", b"{\"asset\":"][magic as usize];
        read_gltf(&[start, &bytes].concat());
    }

    #[test]
    fn documents_with_foreign_values_are_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), replacement()), 1..4),
    ) {
        let (mut document, binary) = rich();
        let mut places = Vec::new();
        pointers(&document, String::new(), &mut places);
        for (place, value) in changes {
            if let Some(old) = document.pointer_mut(&places[place.index(places.len())]) {
                *old = value;
            }
        }
        read_gltf(&glb(&document, &binary));
    }

    #[test]
    fn damaged_files_are_read_or_refused(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        end in any::<prop::sample::Index>(),
        cut in any::<bool>(),
        lie in prop::option::of((0..4usize, any::<u32>())),
    ) {
        let (document, binary) = rich();
        let mut bytes = glb(&document, &binary);
        for (place, value) in flips {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if let Some((field, value)) = lie {
            let at = [4, 8, 12, 16][field];
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        if cut {
            bytes.truncate(end.index(bytes.len()));
        }
        read_gltf(&bytes);
    }
}
