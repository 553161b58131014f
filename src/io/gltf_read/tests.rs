//! Documents of a few lines, one for each feature and each complaint.

use super::*;
use crate::io::Location;
use crate::io::gltf_write::editor::push;
use crate::math::{Mat4, Vec3};
use crate::mesh::{AlphaMode, Format, PrimitivePlace};
use base64::Engine;
use serde_json::{Value, json};
use std::f64::consts::FRAC_1_SQRT_2;

/// A document and its one buffer, built step by step.
struct Document {
    json: Value,
    binary: Vec<u8>,
}

const FLOAT: u32 = 5126;
const UBYTE: u32 = 5121;
const USHORT: u32 = 5123;

/// The corner of a cube: four points, of which the first three make the triangle z = 0.
const POINTS: [f32; 12] = [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.];

impl Document {
    fn new() -> Document {
        let json = json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
            "meshes": [{ "primitives": [{ "attributes": {} }] }], "accessors": [], "bufferViews": [],
            "buffers": [{ "byteLength": 0 }],
        });
        Document { json, binary: Vec::new() }
    }

    /// The four points, with indices of one triangle.
    fn triangle() -> Document {
        let mut document = Document::new();
        document.attribute("POSITION", FLOAT, "VEC3", &bytes(&POINTS));
        let indices = document.accessor(UBYTE, "SCALAR", 3, &[0, 1, 2]);
        document.json["meshes"][0]["primitives"][0]["indices"] = indices.into();
        document
    }

    fn with(mut self, pointer: &str, value: Value) -> Document {
        self.set(pointer, value);
        self
    }

    fn set(&mut self, pointer: &str, value: Value) {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = self.json.pointer_mut(parent).expect(pointer);
        match parent {
            Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
            _ => parent[key] = value,
        }
    }

    fn view(&mut self, bytes: &[u8]) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let view = json!({ "buffer": 0, "byteOffset": self.binary.len(), "byteLength": bytes.len() });
        self.binary.extend(bytes);
        self.json["buffers"][0]["byteLength"] = self.binary.len().into();
        push(&mut self.json, "bufferViews", view)
    }

    fn accessor(&mut self, component: u32, kind: &str, count: usize, bytes: &[u8]) -> usize {
        let view = self.view(bytes);
        let accessor =
            json!({ "bufferView": view, "componentType": component, "type": kind, "count": count });
        push(&mut self.json, "accessors", accessor)
    }

    /// An attribute of the first primitive, of as many elements as the bytes hold.
    fn attribute(&mut self, name: &str, component: u32, kind: &str, bytes: &[u8]) -> usize {
        let width = match kind {
            "VEC2" => 2,
            "VEC3" => 3,
            _ => 4,
        };
        let size = match component {
            UBYTE => 1,
            USHORT => 2,
            _ => 4,
        };
        let accessor = self.accessor(component, kind, bytes.len() / (width * size), bytes);
        self.json["meshes"][0]["primitives"][0]["attributes"][name] = accessor.into();
        accessor
    }

    fn without(mut self, pointer: &str, key: &str) -> Document {
        self.json.pointer_mut(pointer).unwrap().as_object_mut().unwrap().remove(key);
        self
    }

    fn glb(&self) -> Vec<u8> {
        let mut json = serde_json::to_vec(&self.json).unwrap();
        json.resize(json.len().next_multiple_of(4), b' ');
        glb_of(&[(b"JSON", &json), (b"BIN\0", &self.binary)])
    }

    fn read(&self) -> Result<(Mesh, Vec<Warning>), Fault> {
        let mut warnings = Vec::new();
        let mesh = read(self.glb(), &Folder::none(), &mut warnings)?;
        assert_eq!(mesh.broken_invariant(), None);
        Ok((mesh, warnings))
    }

    fn mesh(&self) -> Mesh {
        let (mesh, warnings) = self.read().unwrap();
        assert_eq!(warnings, []);
        mesh
    }

    /// The place and the sentence of the refusal.
    fn refusal(&self) -> String {
        let fault = self.read().expect_err("the document must be refused");
        let place = match fault.at {
            Location::Json(pointer) => pointer,
            other => format!("{other:?}"),
        };
        format!("{place}: {}", fault.problem)
    }
}

/// Documents that are refused, each with a part of the place and the sentence.
#[track_caller]
fn assert_refused<const N: usize>(cases: [(Document, &str); N]) {
    for (document, part) in cases {
        let refusal = document.refusal();
        assert!(refusal.contains(part), "{refusal} is not {part}");
    }
}

fn glb_of(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let length: usize = chunks.iter().map(|(_, content)| 8 + content.len()).sum();
    let mut bytes = [*b"glTF", 2u32.to_le_bytes(), (12 + length as u32).to_le_bytes()].concat();
    for (kind, content) in chunks {
        bytes.extend((content.len() as u32).to_le_bytes());
        bytes.extend(*kind);
        bytes.extend(*content);
    }
    bytes
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn read_bytes(bytes: &[u8], folder: &Folder) -> Result<Mesh, Fault> {
    read(bytes.to_vec(), folder, &mut Vec::new())
}

fn points(mesh: &Mesh) -> Vec<[f64; 3]> {
    mesh.positions.iter().map(|&p| p.into()).collect()
}

// ===== Container =====

#[test]
fn a_glb_gives_the_mesh_its_conventions_and_the_whole_document() {
    let document = Document::triangle().with("/asset/extras", json!({ "unknown": [1.5, null, "x"] }));
    let mesh = document.mesh();
    assert_eq!(points(&mesh), [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]]);
    assert_eq!(mesh.triangles, [[0, 1, 2]]);
    assert_eq!((mesh.parts[0].vertices.clone(), mesh.parts[0].triangles.clone()), (0..4, 0..1));
    assert_eq!(mesh.parts[0].place, Some(PrimitivePlace { node: 0, mesh: 0, primitive: 0 }));
    assert_eq!(mesh.origin.format, Format::Glb);
    let conventions = mesh.origin.conventions;
    assert_eq!(conventions.meters_per_unit, Some(1.0));
    assert_eq!((conventions.up, conventions.front), (Some(Axis::PosY), Some(Axis::PosZ)));
    let source = mesh.origin.document.unwrap();
    assert_eq!(source.json, document.json);
    assert_eq!(source.buffers, [document.binary]);
}

#[test]
fn containers_may_have_foreign_chunks_zero_padding_and_a_wrong_total_length() {
    let document = Document::triangle();
    let json = serde_json::to_vec(&document.json).unwrap();
    let padded = [&json[..], &[0; 3]].concat();
    let chunks: [(&[u8; 4], &[u8]); 4] =
        [(b"JSON", &padded), (b"XXXX", b"1234"), (b"BIN\0", &document.binary), (b"YYYY", b"")];
    let mut glb = glb_of(&chunks);
    assert!(read_bytes(&glb, &Folder::none()).is_ok());
    glb[8..12].copy_from_slice(&7u32.to_le_bytes());
    assert!(read_bytes(&glb, &Folder::none()).is_ok());
    glb.extend(b"junk");
    assert!(read_bytes(&glb, &Folder::none()).is_ok());
}

#[test]
fn broken_containers_say_where() {
    let glb = Document::triangle().glb();
    for (bytes, part) in [
        (&b""[..], "empty"),
        (b"glTF\x02\0", "GLB headers need 12 bytes"),
        (b"glTF\x01\0\0\0aaaabbbbcccc", "Offset(4): it uses version 1 of glTF"),
        (b"glTF\x02\0\0\0\x0c\0\0\0", "chunk headers need 8 bytes but only 0"),
        (&glb_of(&[(b"BIN\0", b"12345678")]), "expected the chunk type JSON"),
        (&glb[..glb.len() - 1], "the file is cut off"),
        (b"{\"asset\": }", "its JSON is broken"),
        (&b"[".repeat(100_000), "recursion limit"),
        (b"[]", "expected a glTF document, found '[]'"),
        (b"{}", "'asset' is missing"),
    ] {
        let fault = read_bytes(bytes, &Folder::none()).unwrap_err();
        let refusal = format!("{:?}: {}", fault.at, fault.problem);
        assert!(refusal.contains(part), "{refusal}");
    }
}

#[test]
fn buffers_come_from_data_uris_and_files() {
    let document = Document::triangle();
    let standard = base64::engine::general_purpose::STANDARD.encode(&document.binary);
    let url_safe = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(&document.binary);
    let percent: String = document.binary.iter().map(|byte| format!("%{byte:02x}")).collect();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my data.bin"), &document.binary).unwrap();
    for uri in [
        format!("data:application/octet-stream;base64,{standard}"),
        format!("DATA:;base64,{url_safe}"),
        format!("data:,{percent}"),
        "my%20data.bin".to_owned(),
    ] {
        let mut json = document.json.clone();
        json["buffers"][0]["uri"] = json!(uri);
        let text = [b"\xef\xbb\xbf", json.to_string().as_bytes()].concat();
        let mesh = read_bytes(&text, &Folder::of(&folder.path().join("a.gltf"))).unwrap();
        assert_eq!(mesh.origin.format, Format::Gltf);
        assert_eq!(mesh.origin.document.unwrap().buffers, std::slice::from_ref(&document.binary));
    }
    let with_uri = |uri: &str| Document::triangle().with("/buffers/0/uri", json!(uri));
    assert_refused([
        (with_uri("absent.bin"), "/buffers/0: it refers to 'absent.bin'"),
        (with_uri("data:;base64,???"), "the data URI is invalid"),
    ]);
}

#[test]
fn other_versions_are_refused_with_a_way_out() {
    let version = |version: &str| Document::triangle().with("/asset/version", json!(version));
    assert!(version("2.1").read().is_ok());
    assert_refused([
        (version("1.0"), "gltf-pipeline"),
        (version("3.0"), "/asset/version: it uses version 3.0"),
        (version("2.0").with("/asset/minVersion", json!("2.1")), "/asset/minVersion: it uses version 2.1"),
    ]);
}

// ===== Accessors =====

#[test]
fn quantised_positions_follow_their_component_type() {
    let cases: [(u32, bool, &[u8], [f64; 3]); 9] = [
        (5120, false, &[0x80, 2, 3], [-128., 2., 3.]),
        (5120, true, &[0x80, 127, 0], [-1., 1., 0.]),
        (5121, false, &[1, 2, 255], [1., 2., 255.]),
        (5121, true, &[0, 255, 51], [0., 1., 0.2]),
        (5122, false, &[0xff, 0xff, 2, 0, 0, 1], [-1., 2., 256.]),
        (5122, true, &[0x00, 0x80, 0xff, 0x7f, 0, 0], [-1., 1., 0.]),
        (5123, false, &[1, 0, 0, 1, 0xff, 0xff], [1., 256., 65535.]),
        (5123, true, &[0, 0, 0xff, 0xff, 0x33, 0x33], [0., 1., 0.2]),
        (5125, false, &[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0], [1., 256., 65536.]),
    ];
    for (component, normalized, element, expected) in cases {
        let mut document = Document::new();
        let accessor = document.accessor(component, "VEC3", 3, &element.repeat(3));
        document.json["accessors"][accessor]["normalized"] = normalized.into();
        document.set("/meshes/0/primitives/0/attributes/POSITION", accessor.into());
        for position in document.mesh().positions {
            assert!((position - Vec3::from(expected)).norm() < 1e-7, "{component} {normalized} {position}");
        }
    }
}

#[test]
fn interleaved_and_unaligned_elements_are_found() {
    let mut document = Document::triangle();
    let mut interleaved = vec![9];
    for point in POINTS.as_chunks::<3>().0 {
        interleaved.extend(bytes(point));
        interleaved.extend([7; 5]);
    }
    interleaved.truncate(interleaved.len() - 5);
    let view = document.view(&interleaved);
    document.json["bufferViews"][view]["byteStride"] = 17.into();
    document.set("/accessors/0/bufferView", view.into());
    document.set("/accessors/0/byteOffset", 1.into());
    assert_eq!(document.mesh().positions, Document::triangle().mesh().positions);
}

#[test]
fn sparse_elements_replace_those_of_the_view_or_zeros() {
    for with_view in [true, false] {
        let mut document = Document::triangle();
        let indices = document.view(&[3, 0, 0, 0]);
        let values = document.view(&bytes(&[7., 8., 9., 1., 1., 1.]));
        let sparse = json!({ "count": 2, "indices": { "bufferView": indices, "componentType": USHORT },
            "values": { "bufferView": values } });
        document.set("/accessors/0/sparse", sparse);
        if !with_view {
            document = document.without("/accessors/0", "bufferView");
        }
        let one = f64::from(u8::from(with_view));
        let expected = [[1., 1., 1.], [one, 0., 0.], [0., one, 0.], [7., 8., 9.]];
        assert_eq!(points(&document.mesh()), expected);
        let short = document.with("/accessors/0/count", json!(3));
        assert_refused([(short, "element 3 does not exist, there are 3")]);
    }
}

#[test]
fn accessors_that_promise_more_than_there_is_are_refused() {
    for (pointer, value, part) in [
        ("/accessors/0/count", json!(5), "/accessors/0: accessors need 60 bytes"),
        ("/accessors/0/count", json!(u64::MAX), "/accessors/0: accessors need"),
        ("/accessors/0/byteOffset", json!(u64::MAX), "/accessors/0: accessors need"),
        ("/bufferViews/0/byteOffset", json!(u64::MAX), "/bufferViews/0: buffer views"),
        ("/bufferViews/0/byteLength", json!(1000), "need 1000 bytes but only 51 are left"),
        ("/bufferViews/0/byteStride", json!(4), "overlap"),
        ("/bufferViews/0/buffer", json!(1), "buffer 1 does not exist, there are 1"),
        ("/accessors/0/bufferView", json!(-1), "expected a whole number"),
        ("/accessors/0/componentType", json!(5130), "component type"),
        ("/accessors/0/type", json!("VEC9"), "its type is none"),
        ("/accessors/0/type", json!("VEC2"), "it has 2 components where 3 are needed"),
    ] {
        assert_refused([(Document::triangle().with(pointer, value), part)]);
    }
    let zeros = Document::triangle().with("/accessors/0/count", json!(u32::MAX));
    let zeros = zeros.without("/accessors/0", "bufferView");
    assert_refused([(zeros, "accessors without a buffer view need 4294967295 bytes")]);
}

// ===== Scene =====

#[test]
fn positions_are_those_of_the_scene() {
    let nodes = json!([
        { "translation": [0, 0, 10], "children": [1] },
        { "rotation": [0, 0, FRAC_1_SQRT_2, FRAC_1_SQRT_2], "scale": [2, 1, 1], "children": [2] },
        { "mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1] },
    ]);
    let mesh = Document::triangle().with("/nodes", nodes).mesh();
    // (1, 0, 0) is moved to (2, 0, 0), scaled to (4, 0, 0), turned to (0, 4, 0) and lifted.
    assert!((mesh.positions[1] - Vec3::new(0., 4., 10.)).norm() < 1e-12);
    assert_eq!(mesh.parts[0].place.unwrap().node, 2);
}

#[test]
fn the_scene_is_the_default_one_else_the_first_else_all_roots() {
    let scenes = json!([{ "nodes": [0] }, { "nodes": [1] }]);
    let nodes = json!([{ "mesh": 0, "name": "a" }, { "mesh": 0, "name": "b" }]);
    let mut document =
        Document::triangle().with("/scenes", scenes).with("/nodes", nodes).with("/scene", json!(1));
    let names = |document: &Document| document.mesh().parts.into_iter().map(|p| p.name).collect::<Vec<_>>();
    assert_eq!(names(&document), ["b"]);
    document = document.without("", "scene");
    assert_eq!(names(&document), ["a"]);
    document = document.without("", "scenes");
    assert_eq!(names(&document), ["a", "b"]);
    let mesh = document.mesh();
    assert_eq!((mesh.positions.len(), mesh.triangles[1]), (8, [4, 5, 6]));
    assert_refused([(document.with("/scene", json!(3)), "/scene: scene 3 does not exist")]);
}

#[test]
fn mirrored_nodes_are_wound_the_other_way() {
    let mut document = Document::triangle().with("/nodes/0/scale", json!([-1, 1, 1]));
    document.attribute("NORMAL", FLOAT, "VEC3", &bytes(&[0.6, 0., 0.8].repeat(4)));
    let mesh = document.mesh();
    assert_eq!(mesh.triangles, [[0, 2, 1]]);
    assert_eq!(mesh.appearance.normals[0], [-0.6, 0., 0.8]);
}

#[test]
fn normals_stay_perpendicular_under_uneven_scale() {
    let mut document = Document::triangle().with("/nodes/0/scale", json!([2, 1, 1]));
    document.attribute("NORMAL", FLOAT, "VEC3", &bytes(&[1., 1., 0.].repeat(4)));
    let [x, y, z] = document.mesh().appearance.normals[0];
    assert!((2. * x - y).abs() < 1e-6 && z == 0. && (x * x + y * y - 1.).abs() < 1e-6);
}

#[test]
fn nodes_must_form_trees() {
    let nodes = |nodes: Value| Document::triangle().with("/nodes", nodes);
    let cycle = json!([{ "mesh": 0 }, { "children": [2] }, { "children": [1] }]);
    let shared = json!([{ "children": [2] }, { "children": [2] }, { "mesh": 0 }]);
    let huge = json!([{ "mesh": 0, "scale": [1e308, 1, 1], "translation": [1e308, 0, 0] }]);
    let huger = json!([{ "scale": [1e308, 1, 1], "children": [1] }, { "mesh": 0, "scale": [1e308, 1, 1] }]);
    assert_refused([
        (nodes(cycle), "/nodes/1: the node is invalid: it is its own ancestor"),
        (nodes(json!([{ "mesh": 0, "children": [0] }])), "own ancestor"),
        (nodes(shared), "/nodes/2: the node is invalid: it is a child of node 0 and of node 1"),
        (nodes(json!([{ "mesh": 7 }])), "/nodes/0/mesh: mesh 7 does not exist, there are 1"),
        (nodes(json!([{ "children": [9] }])), "/nodes/0/children/0: node 9 does not exist"),
        (Document::triangle().with("/scenes/0/nodes", json!([0, 0])), "the scene contains it twice"),
        (nodes(huge), "/accessors/0: vertex 1 is not a finite number"),
        (nodes(huger), "/nodes/1: the transform of node 1 is not a finite number"),
    ]);
}

#[test]
fn a_chain_of_a_hundred_thousand_nodes_is_no_danger() {
    let last = 100_000;
    let chain = (0..=last).map(|node| match node {
        _ if node == last => json!({ "mesh": 0 }),
        _ => json!({ "children": [node + 1], "translation": [0, 0.5, 0] }),
    });
    let mesh = Document::triangle().with("/nodes", chain.collect()).mesh();
    assert_eq!(mesh.positions[0], Vec3::new(0., 50_000., 0.));
}

#[test]
fn invisible_nodes_and_their_children_are_left_out() {
    let hidden = json!({ "KHR_node_visibility": { "visible": false } });
    let nodes =
        json!([{ "mesh": 0, "children": [1] }, { "extensions": hidden, "children": [2] }, { "mesh": 0 }]);
    let (mesh, warnings) = Document::triangle().with("/nodes", nodes).read().unwrap();
    assert_eq!(mesh.parts.len(), 1);
    assert!(matches!(warnings[..], [Warning::Dropped { what: "meshes", count: 1, .. }]));
}

#[test]
fn small_files_cannot_multiply_into_large_meshes() {
    let nodes: Vec<Value> = (0..4000).map(|_| json!({ "mesh": 0 })).collect();
    let mut document =
        Document::triangle().with("/nodes", nodes.into()).without("", "scenes").without("", "scene");
    document.attribute("POSITION", UBYTE, "VEC3", &[0; 12_000]);
    assert_refused([(document, "it has more than 8388608 vertices and corners")]);
}

// ===== Surface =====

#[test]
fn strips_and_fans_with_and_without_indices() {
    let triangles = |mode: u32, indices: Option<&[u8]>| {
        let mut document = Document::new().with("/meshes/0/primitives/0/mode", json!(mode));
        document.attribute("POSITION", FLOAT, "VEC3", &bytes(&[POINTS, POINTS].concat()[..15]));
        if let Some(indices) = indices {
            let accessor = document.accessor(UBYTE, "SCALAR", indices.len(), indices);
            document.set("/meshes/0/primitives/0/indices", accessor.into());
        }
        document.read().unwrap().0.triangles
    };
    assert_eq!(triangles(5, None), [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
    assert_eq!(triangles(6, None), [[1, 2, 0], [2, 3, 0], [3, 4, 0]]);
    assert_eq!(triangles(4, None), [[0, 1, 2]]);
    // Two strips joined by repeated corners: the second keeps its winding.
    assert_eq!(triangles(5, Some(&[0, 1, 2, 2, 2, 3, 4])), [[0, 1, 2], [2, 3, 4]]);
    assert_eq!(triangles(6, Some(&[4, 0, 1])), [[0, 1, 4]]);
}

#[test]
fn points_and_lines_are_counted_and_left_out() {
    let attributes = json!({ "POSITION": 0 });
    let primitives = json!([
        { "attributes": attributes, "indices": 1 },
        { "attributes": attributes, "mode": 0 },
        { "attributes": attributes, "mode": 1 },
        { "attributes": attributes, "mode": 2 },
        { "attributes": attributes, "mode": 3 },
        { "attributes": {} },
    ]);
    let document = Document::triangle().with("/meshes/0/primitives", primitives);
    let (mesh, warnings) = document.read().unwrap();
    assert_eq!(mesh.parts.len(), 1);
    let ignored = |what, count| Warning::Ignored { what, count };
    assert_eq!(
        warnings,
        [ignored("points", 4), ignored("lines", 9), ignored("primitives without positions", 1)]
    );
    let only = |mode: u32| Document::triangle().with("/meshes/0/primitives/0/mode", json!(mode));
    assert_refused([(only(0), "it contains no triangles"), (only(7), "its mode is 7")]);
}

#[test]
fn index_accessors_of_all_sizes_and_their_faults() {
    for (component, data) in [
        (UBYTE, vec![2, 1, 0]),
        (USHORT, vec![2, 0, 1, 0, 0, 0]),
        (5125, vec![2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
    ] {
        let mut document = Document::triangle();
        let indices = document.accessor(component, "SCALAR", 3, &data);
        document.set("/meshes/0/primitives/0/indices", indices.into());
        assert_eq!(document.mesh().triangles, [[2, 1, 0]]);
    }
    let mut outside = Document::triangle();
    outside.binary[48] = 4;
    let mut restart = Document::triangle();
    restart.attribute("POSITION", UBYTE, "VEC3", &[0; 3 * 256]);
    restart.binary[48] = 255;
    assert_refused([
        (outside, "/accessors/1: vertex 4 does not exist, there are 4"),
        (Document::triangle().with("/meshes/0/primitives/0/indices", json!(0)), "it holds vectors"),
        (restart, "it contains 255, the restart value"),
    ]);
    let mut odd = Document::triangle();
    let indices = odd.accessor(UBYTE, "SCALAR", 5, &[0, 1, 2, 3, 3]);
    odd.set("/meshes/0/primitives/0/indices", indices.into());
    let (mesh, warnings) = odd.read().unwrap();
    assert_eq!(mesh.triangles.len(), 1);
    assert!(matches!(warnings[..], [Warning::Ignored { count: 2, .. }]));
}

#[test]
fn morph_targets_move_the_mesh_by_their_default_weights() {
    let mut document = Document::triangle();
    let target = document.accessor(FLOAT, "VEC3", 4, &bytes(&[0., 0., 2.].repeat(4)));
    document.set("/meshes/0/primitives/0/targets", json!([{ "POSITION": target }]));
    assert_eq!(document.mesh().positions[0].z, 0.);
    document.set("/meshes/0/weights", json!([0.5]));
    assert_eq!(document.mesh().positions[0].z, 1.);
    document.set("/nodes/0/weights", json!([2]));
    assert_eq!(document.mesh().positions[0].z, 4.);
    let short = document.with("/accessors/2/count", json!(3));
    assert_refused([(short, "/accessors/2: the accessor is invalid: it has 3 elements for 4 vertices")]);
}

/// Joint 1 is moved by (0, 2, 0), joint 2 by (0, 0, 4); the mesh node's own transform must not count.
fn skinned(joints: [u8; 4], weights: [f32; 4]) -> Document {
    let mut document = Document::triangle();
    document.set(
        "/nodes",
        json!([
            { "mesh": 0, "skin": 0, "translation": [100, 0, 0] },
            { "translation": [5, 2, 0] },
            { "translation": [0, 0, 4] },
        ]),
    );
    let bind = [Mat4::new_translation(&Vec3::new(-5., 0., 0.)), Mat4::identity()];
    let floats: Vec<f32> = bind.iter().flat_map(|m| m.iter().map(|&x| x as f32)).collect();
    let accessor = document.accessor(FLOAT, "MAT4", 2, &bytes(&floats));
    document.json["skins"] = json!([{ "joints": [1, 2], "inverseBindMatrices": accessor }]);
    document.attribute("JOINTS_0", UBYTE, "VEC4", &joints.repeat(4));
    document.attribute("WEIGHTS_0", FLOAT, "VEC4", &bytes(&weights.repeat(4)));
    document
}

#[test]
fn skinned_meshes_stand_where_their_joints_put_them() {
    let first = |document: &Document| -> [f64; 3] { document.mesh().positions[1].into() };
    assert_eq!(first(&skinned([0, 0, 0, 0], [1., 0., 0., 0.])), [1., 2., 0.]);
    // Weights that do not sum to one count by their share.
    assert_eq!(first(&skinned([0, 1, 0, 0], [1., 3., 0., 0.])), [1., 0.5, 3.]);
    // Without any weight the first joint holds the vertex; unused joints may be anything.
    assert_eq!(first(&skinned([1, 200, 0, 0], [0.; 4])), [1., 0., 4.]);
    let without_binds = skinned([0, 0, 0, 0], [1., 0., 0., 0.]).without("/skins/0", "inverseBindMatrices");
    assert_eq!(first(&without_binds), [6., 2., 0.]);
    let mirrored = skinned([0, 0, 0, 0], [1., 0., 0., 0.]);
    let mirrored =
        mirrored.with("/nodes/1/scale", json!([1, 1, -1])).with("/nodes/2/scale", json!([1, 1, -1]));
    assert_eq!(mirrored.mesh().triangles, [[0, 2, 1]]);
}

#[test]
fn broken_skins_are_refused() {
    let good = || skinned([0, 1, 0, 0], [0.5, 0.5, 0., 0.]);
    let mut infinite = good();
    let accessor = infinite.accessor(FLOAT, "MAT4", 2, &bytes(&[f32::INFINITY; 32]));
    assert_refused([
        (skinned([0, 2, 0, 0], [0.5, 0.5, 0., 0.]), "joint 2 does not exist, there are 2"),
        (skinned([0; 4], [f32::NAN, 0., 0., 0.]), "the skin weight of vertex 0 is not a finite"),
        (good().with("/skins/0/joints", json!([1, 2, 0])), "3 joints have 2 inverse bind"),
        (good().with("/nodes/0/skin", json!(4)), "/nodes/0/skin: skin 4 does not exist"),
        (infinite.with("/skins/0/inverseBindMatrices", accessor.into()), "inverse bind matrix 0"),
    ]);
}

#[test]
fn numbers_that_are_not_finite() {
    let mut positions = Document::triangle();
    positions.binary[16..20].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_refused([(positions, "/accessors/0: vertex 1 is not a finite number")]);
    let mut looks = Document::triangle();
    let normals = [[f32::NAN, 0., 0.], [f32::NAN, 0., 0.], [0., 0., 1.], [0., 0., 1.]];
    looks.attribute("NORMAL", FLOAT, "VEC3", &bytes(normals.as_flattened()));
    looks.attribute("TEXCOORD_0", FLOAT, "VEC2", &bytes(&[0., f32::INFINITY, 0., 0., 0., 0., 0., 0.5]));
    looks.attribute("COLOR_0", FLOAT, "VEC4", &bytes(&[[f32::NAN; 4].to_vec(), [0.5; 4].repeat(3)].concat()));
    let (mesh, warnings) = looks.read().unwrap();
    assert_eq!(mesh.appearance.normals, [[0., 0., 0.], [0., 0., 0.], [0., 0., 1.], [0., 0., 1.]]);
    assert_eq!((mesh.appearance.texcoords[0], mesh.appearance.texcoords[3]), ([0., 0.], [0., 0.5]));
    assert_eq!((mesh.appearance.colors[0], mesh.appearance.colors[1]), ([1.; 4], [0.5; 4]));
    let reason = "they are not finite numbers";
    let dropped = |(what, count)| Warning::Dropped { what, count, reason };
    assert_eq!(warnings, [("normals", 2), ("texture coordinates", 1), ("colours", 1)].map(dropped));
    let source = mesh.origin.document.unwrap();
    assert_eq!(source.buffers[0], looks.binary, "the document keeps what previews cannot use");
}

// ===== Looks =====

#[test]
fn colours_without_alpha_and_parts_without_colours_are_filled_up() {
    let mut document = Document::triangle();
    document.attribute("COLOR_0", UBYTE, "VEC3", &[255, 0, 51].repeat(4));
    document.set("/accessors/2/normalized", json!(true));
    let colored = document.json["meshes"][0]["primitives"][0].clone();
    let plain = json!({ "attributes": { "POSITION": 0 }, "indices": 1 });
    document.set("/meshes/0/primitives", json!([plain, colored, plain]));
    let colors = document.mesh().appearance.colors;
    assert_eq!(colors.len(), 12);
    assert_eq!((colors[0], colors[4], colors[11]), ([1.; 4], [1., 0., 0.2, 1.], [1.; 4]));
}

#[test]
fn texture_coordinates_are_those_of_the_base_colour_texture() {
    let mut document = Document::triangle();
    document.attribute("TEXCOORD_0", FLOAT, "VEC2", &bytes(&[0.25, 0.5].repeat(4)));
    document.attribute("TEXCOORD_1", FLOAT, "VEC2", &bytes(&[1., 0.].repeat(4)));
    document.set("/meshes/0/primitives/0/material", json!(0));
    document.json["materials"] =
        json!([{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0, "texCoord": 1 } } }]);
    assert_eq!(document.mesh().appearance.texcoords[0], [1., 0.]);
    let transform = json!({ "KHR_texture_transform":
        { "texCoord": 0, "offset": [10, 20], "scale": [4, 2], "rotation": std::f64::consts::FRAC_PI_2 } });
    document.set("/materials/0/pbrMetallicRoughness/baseColorTexture/extensions", transform);
    // Scaled to (1, 1), turned to (1, −1), moved.
    let [u, v] = document.mesh().appearance.texcoords[0];
    assert!((u - 11.).abs() < 1e-5 && (v - 19.).abs() < 1e-5, "{u} {v}");
    let other = document.with("/meshes/0/primitives/0/material", json!(1));
    assert_refused([(other, "/meshes/0/primitives/0/material: material 1 does not exist")]);
}

#[test]
fn materials_and_their_images() {
    let mut document = Document::triangle();
    let png = document.view(b"\x89PNG");
    document.json["images"] = json!([
        { "bufferView": png, "mimeType": "image/png", "name": "skin" },
        { "uri": "data:image/webp;base64,UklGRg==" },
        { "uri": "absent.jpg" },
        { "bufferView": 99 },
    ]);
    document.json["textures"] = json!([
        { "source": 0 },
        { "extensions": { "EXT_texture_webp": { "source": 1 } } },
        { "source": 2 },
    ]);
    document.json["materials"] = json!([
        { "name": "a", "pbrMetallicRoughness": { "baseColorFactor": [0.5, 1, 1, 0.25], "baseColorTexture": { "index": 0 },
            "metallicFactor": 0.5, "roughnessFactor": 0.75 }, "normalTexture": { "index": 1 },
            "emissiveTexture": { "index": 2 }, "emissiveFactor": [1, 0.5, 0], "alphaMode": "MASK", "doubleSided": true,
            "extensions": { "KHR_materials_emissive_strength": { "emissiveStrength": 2 } } },
        { "alphaMode": "BLEND", "extensions": { "KHR_materials_pbrSpecularGlossiness":
            { "diffuseFactor": [0.25, 0.5, 0.75, 1], "diffuseTexture": { "index": 1 }, "glossinessFactor": 0.25 } } },
        {},
    ]);
    let (mesh, warnings) = document.read().unwrap();
    let [a, b, c] = &mesh.appearance.materials[..] else { panic!() };
    assert_eq!(
        (a.name.as_str(), a.base_color, a.metallic, a.roughness),
        ("a", [0.5, 1., 1., 0.25], 0.5, 0.75)
    );
    assert_eq!((a.base_color_image, a.normal_image, a.emissive_image), (Some(0), Some(1), None));
    assert_eq!((a.emissive, a.alpha, a.double_sided), ([2., 1., 0.], AlphaMode::Mask(0.5), true));
    assert_eq!((b.base_color, b.base_color_image), ([0.25, 0.5, 0.75, 1.], Some(1)));
    assert_eq!((b.metallic, b.roughness, b.alpha), (0., 0.75, AlphaMode::Blend));
    assert_eq!((c.base_color, c.metallic, c.roughness), ([1.; 4], 1., 1.), "the defaults of glTF");
    let images = mesh.appearance.images.iter();
    let images: Vec<_> = images.map(|i| (i.name.as_str(), i.media_type.as_str(), &i.bytes[..])).collect();
    assert_eq!(images, [("skin", "image/png", &b"\x89PNG"[..]), ("", "image/webp", b"RIFF")]);
    assert!(matches!(&warnings[..], [Warning::FileMissing { what: "image", name, .. },
        Warning::Dropped { what: "images", count: 1, .. }] if name == "absent.jpg"));
}

#[test]
fn image_files_are_carried() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("skin.jpg"), b"\xff\xd8\xff\xe0").unwrap();
    let mut document = Document::triangle();
    document.json["images"] = json!([{ "uri": "skin.jpg" }]);
    let mesh = read_bytes(&document.glb(), &Folder::of(&folder.path().join("a.glb"))).unwrap();
    assert_eq!(mesh.origin.document.unwrap().image_files, [Some(b"\xff\xd8\xff\xe0".to_vec())]);
    assert_eq!(
        (mesh.appearance.images[0].name.as_str(), mesh.appearance.images[0].media_type.as_str()),
        ("skin.jpg", "image/jpeg")
    );
}

// ===== Extensions and compression =====

#[test]
fn unknown_extensions_are_reported_only_if_required() {
    let mut document = Document::triangle();
    document.json["extensionsUsed"] = json!(["ACME_armour", "KHR_materials_unlit"]);
    assert_eq!(document.read().unwrap().1, []);
    document.json["extensionsRequired"] =
        json!(["ACME_armour", "KHR_mesh_quantization", "KHR_texture_basisu"]);
    let (_, warnings) = document.read().unwrap();
    assert!(matches!(&warnings[..], [Warning::ExtensionIgnored { name, .. }] if name == "ACME_armour"));
    let instanced =
        Document::triangle().with("/nodes/0/extensions", json!({ "EXT_mesh_gpu_instancing": {} }));
    assert!(matches!(&instanced.read().unwrap().1[..], [Warning::ExtensionIgnored { .. }]));
}

#[test]
fn draco_is_refused_unless_the_plain_data_is_there_too() {
    let mut document = Document::triangle();
    document.json["extensionsUsed"] = json!(["KHR_draco_mesh_compression", "KHR_other"]);
    document.set(
        "/meshes/0/primitives/0/extensions",
        json!({ "KHR_draco_mesh_compression": {}, "KHR_other": {} }),
    );
    let source = document.mesh().origin.document.unwrap().json;
    assert_eq!(source["extensionsUsed"], json!(["KHR_other"]));
    assert_eq!(source["meshes"][0]["primitives"][0]["extensions"], json!({ "KHR_other": {} }));
    let refusal = document.without("/accessors/0", "bufferView").refusal();
    assert!(refusal.starts_with("/meshes/0/primitives/0: it uses Draco"), "{refusal}");
    assert!(refusal.contains("npx @gltf-transform/cli copy in.glb out.glb"));
}

/// The triangle with its indices packed: the deltas of 0, 1, 2 in mode 2.
fn packed(extension: &str) -> Document {
    let mut document = Document::triangle();
    let stream = document.view(&[0xd1, 0, 4, 4, 0, 0, 0, 0]);
    let offset = document.json["bufferViews"][stream]["byteOffset"].clone();
    let packing = json!({ "buffer": 0, "byteOffset": offset, "byteLength": 8, "byteStride": 2, "count": 3, "mode": "INDICES" });
    let fallback = json!({ "byteLength": 1000, "extensions": { extension: { "fallback": true } } });
    push(&mut document.json, "buffers", fallback);
    document.set(
        "/bufferViews/1",
        json!({ "buffer": 1, "byteOffset": 994, "byteLength": 6, "extensions": { extension: packing } }),
    );
    document.set("/accessors/1/componentType", json!(USHORT));
    document.json["extensionsUsed"] = json!([extension]);
    document.json["extensionsRequired"] = json!([extension]);
    document
}

#[test]
fn meshopt_data_is_unpacked_into_the_carried_document() {
    for extension in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let mesh = packed(extension).mesh();
        assert_eq!(mesh.triangles, [[0, 1, 2]]);
        let source = mesh.origin.document.unwrap();
        assert_eq!(source.buffers[1], [0, 0, 1, 0, 2, 0]);
        assert_eq!(source.json["bufferViews"][1], json!({ "buffer": 1, "byteOffset": 0, "byteLength": 6 }));
        assert_eq!(source.json["buffers"][1], json!({ "byteLength": 6 }));
        assert!(!source.json.to_string().contains("meshopt"));
    }
}

#[test]
fn meshopt_fallback_data_is_read_as_it_is() {
    let mut document = packed("EXT_meshopt_compression");
    document.set("/bufferViews/1/buffer", json!(0));
    document.set("/bufferViews/1/byteOffset", json!(48));
    document.set("/accessors/1/componentType", json!(UBYTE));
    document.binary[48..51].copy_from_slice(&[2, 1, 0]);
    assert_eq!(document.mesh().triangles, [[2, 1, 0]]);
}

#[test]
fn broken_meshopt_data_is_refused() {
    for (key, value, part) in [
        ("count", json!(4), "the compressed data is invalid: it cannot be unpacked"),
        ("count", json!(u64::MAX), "bytes when unpacked"),
        ("byteLength", json!(u64::MAX), "compressed buffer views need"),
        ("mode", json!("MAGIC"), "compression mode"),
        ("filter", json!("MAGIC"), "compression filter"),
        ("buffer", json!(9), "buffer 9 does not exist"),
    ] {
        let pointer = format!("/bufferViews/1/extensions/EXT_meshopt_compression/{key}");
        assert_refused([(packed("EXT_meshopt_compression").with(&pointer, value), part)]);
    }
}

#[test]
fn normals_have_unit_length_at_any_scale() {
    let mut document = Document::triangle();
    document.attribute("NORMAL", FLOAT, "VEC3", &bytes(&[0.6, 0.0, 0.8].repeat(4)));
    for scale in [1.7e-81, 1.0, 1e70] {
        document.set("/nodes/0/scale", json!([scale, scale, scale]));
        let [x, y, z] = document.mesh().appearance.normals[0];
        assert!((x - 0.6).abs() < 1e-6 && y == 0.0 && (z - 0.8).abs() < 1e-6, "{scale}: {x} {y} {z}");
    }
}
