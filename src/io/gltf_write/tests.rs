use super::editor::{UNSIGNED_SHORT, indices, push};
use super::*;
use crate::io::{Folder, gltf_read};
use crate::math::{Axis, Vec3};
use crate::mesh::normals::{NormalOptions, Normals};
use crate::mesh::orientation::OrientationOptions;
use crate::mesh::placement::Size;
use crate::mesh::prepare::{PrepareOptions, PreparedMesh, prepare};
use crate::mesh::{Mesh, shapes};
use crate::rig::{RigJoint, SkinWeights};
use nalgebra::Isometry3;
use serde_json::{Value, json};
use std::path::Path;

/// Two joints, the second one turned and half-way up.
fn joints() -> Vec<RigJoint> {
    let turn = nalgebra::UnitQuaternion::from_euler_angles(0.3, 0.2, 0.1);
    let upper = Isometry3::from_parts(Vec3::new(0.1, 1.0, 0.2).into(), turn);
    vec![
        RigJoint { name: "Root".into(), parent: None, rest: Isometry3::identity() },
        RigJoint { name: "Head".into(), parent: Some(0), rest: upper },
    ]
}

/// A standing box, two units high.
fn figure() -> Mesh {
    let mut mesh = shapes::cube();
    mesh.positions.iter_mut().for_each(|p| *p = Vec3::new(0.5 * p.x, p.y + 1.0, 0.3 * p.z));
    mesh
}

fn prepared(mesh: &Mesh) -> PreparedMesh {
    let orientation = OrientationOptions { up: Some(Axis::PosY), front: Some(Axis::PosZ) };
    let options = PrepareOptions { orientation, size: Size::Keep, ..PrepareOptions::default() };
    prepare(mesh, &options, &mut Vec::new()).unwrap()
}

fn rigged(mesh: &Mesh) -> Vec<u8> {
    let prepared = prepared(mesh);
    let weights = SkinWeights::rigid(prepared.positions.len(), 1);
    let joints = joints();
    let rigging = SkinBinding {
        placement: &prepared.placement,
        joints: &joints,
        weights: &weights,
        welded: &prepared.welded,
        displacements: &[],
    };
    rigged_character(mesh, &rigging).unwrap().glb().unwrap()
}

fn read(file: Vec<u8>) -> Mesh {
    gltf_read::read(file, &Folder::of(Path::new("none/a.glb")), &mut Vec::new()).unwrap()
}

/// The figure as a glTF file whose document was changed.
fn from_document(change: impl Fn(&mut Value)) -> Mesh {
    let (mut json, bytes, _) = new_document(&figure()).unwrap();
    change(&mut json);
    read(glb(&serde_json::to_vec(&json).unwrap(), &bytes).unwrap())
}

fn json_of(file: &[u8]) -> Value {
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&file[20..20 + length]).unwrap()
}

/// The first node of a document that is so.
fn node(json: &Value, is_it: impl Fn(&Value) -> bool) -> usize {
    json["nodes"].as_array().unwrap().iter().position(is_it).unwrap()
}

#[track_caller]
fn assert_same_places(a: &Mesh, b: &[Vec3]) {
    assert_eq!(a.positions.len(), b.len());
    for (a, b) in a.positions.iter().zip(b) {
        assert!((a - b).norm() < 1e-5, "{a} {b}");
    }
}

#[test]
fn a_new_document_has_a_skin_that_leaves_the_surface_where_it_was() {
    let file = rigged(&figure());
    let document = gltf::Gltf::from_slice(&file).expect("valid for the gltf crate").document;
    let skin = document.skins().next().unwrap();
    assert_eq!(
        skin.joints().map(|joint| joint.name().unwrap().to_owned()).collect::<Vec<_>>(),
        ["Root", "Head"]
    );
    // Our reader poses the skin: the inverse bind matrices and the nodes cancel.
    assert_same_places(&read(file), &figure().positions);
}

#[test]
fn what_is_not_the_characters_stays_as_it_was() {
    let mesh = from_document(|json| {
        json["extras"] = json!({ "studio": [1, 2.5, "x"] });
        json["nodes"][0]["extensions"] = json!({ "VENDOR_thing": { "a": 0.1 } });
        json["materials"] = json!([{ "name": "skin", "extensions": { "VENDOR_sheen": {} } }]);
        json["cameras"] = json!([{ "type": "perspective", "perspective": { "yfov": 0.7, "znear": 0.1 } }]);
    });
    let before = mesh.origin.document.as_ref().unwrap().json.clone();
    let after = json_of(&rigged(&mesh));
    for key in ["asset", "extras", "materials", "cameras"] {
        assert_eq!(before[key], after[key], "{key}");
    }
    assert_eq!(after["nodes"][0]["extensions"], before["nodes"][0]["extensions"]);
    // Nothing needs baking, so the positions are the very same accessor.
    let accessor = |json: &Value| json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
    assert_eq!(accessor(&before), accessor(&after));
    assert_eq!(before["accessors"][0], after["accessors"][0]);
}

#[test]
fn transforms_are_baked_and_the_scene_moves_along() {
    let mesh = from_document(|json| {
        json["nodes"][0]["translation"] = json!([0.0, 5.0, 0.0]);
        json["nodes"][0]["scale"] = json!([-1.0, 1.0, 1.0]);
        json["nodes"][0]["name"] = json!("Head");
        json["nodes"][0]["children"] = json!([1]);
        let lamp = push(json, "nodes", json!({ "name": "lamp", "translation": [1.0, 0.0, 0.0] }));
        assert_eq!(lamp, 1);
    });
    let placement = prepared(&mesh).placement;
    assert_eq!(placement.lift, -5.0);
    let file = rigged(&mesh);
    let after = json_of(&file);
    let names: Vec<&str> =
        after["nodes"].as_array().unwrap().iter().map(|n| n["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Head_mesh", "lamp", "Root", "Head", "Head_mesh_skinned", "Placement"]);
    assert_eq!(after["nodes"][5]["translation"], json!([0.0, -5.0, 0.0]));
    assert_eq!(after["nodes"][5]["children"], json!([0]));
    assert_eq!(after["scenes"][0]["nodes"], json!([5, 4, 2]));
    let back = read(file);
    let lowered: Vec<Vec3> = mesh.positions.iter().map(|p| p - Vec3::y() * 5.0).collect();
    assert_same_places(&back, &lowered);
    assert_eq!(back.triangles, mesh.triangles, "a mirrored node turns triangles, and so must the indices");
}

#[test]
fn a_mesh_that_two_nodes_show_is_written_twice() {
    let mesh = from_document(|json| {
        let twin = push(json, "nodes", json!({ "mesh": 0, "translation": [2.0, 0.0, 0.0] }));
        json["scenes"][0]["nodes"] = json!([0, twin]);
    });
    let places = mesh.positions.clone();
    assert_same_places(&read(rigged(&mesh)), &places);
}

#[test]
fn weights_that_were_there_are_replaced() {
    let once = read(rigged(&figure()));
    let twice = json_of(&rigged(&once));
    let attributes = twice["meshes"][0]["primitives"][0]["attributes"].as_object().unwrap();
    assert_eq!(attributes.keys().filter(|name| name.starts_with("JOINTS_")).count(), 1);
    assert_same_places(&read(rigged(&once)), &figure().positions);
}

/// A document whose character already hangs on a joint that turns, doubles and moves it, and bulges by a morph target.
fn posed_and_morphed(weight: f64) -> Mesh {
    from_document(|json| {
        json["meshes"][0]["weights"] = json!([weight]);
        let positions = json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
        json["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": positions }]);
        let joint = json!({ "rotation": [0.0, 0.0, 1.0, 0.0], "scale": [2, 2, 2], "translation": [0, 3, 0] });
        let joint = push(json, "nodes", joint);
        json["nodes"][0]["skin"] = json!(0);
        json["skins"] = json!([{ "joints": [joint] }]);
        json["scenes"][0]["nodes"] = json!([0, joint]);
        let count = json["accessors"][positions.as_u64().unwrap() as usize]["count"].clone();
        // Accessors without a view are zeros: joint 0 for all, and no weights, so that it moves the vertices alone.
        let zeros = json!({ "componentType": UNSIGNED_SHORT, "count": count, "type": "VEC4" });
        let zeros = push(json, "accessors", zeros);
        json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] = json!(zeros);
        json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(zeros);
    })
}

#[test]
fn morph_targets_of_a_skinned_character_count_once() {
    for weight in [0.0, 0.5] {
        let mesh = posed_and_morphed(weight);
        let factor = 1.0 + weight;
        let first = figure().positions[0] * factor;
        let expected = Vec3::new(-2.0 * first.x, 3.0 - 2.0 * first.y, 2.0 * first.z);
        assert!((mesh.positions[0] - expected).norm() < 1e-5, "{}", mesh.positions[0]);
        let lift = Vec3::y() * prepared(&mesh).placement.lift;
        let places: Vec<Vec3> = mesh.positions.iter().map(|p| p + lift).collect();
        assert_same_places(&read(rigged(&mesh)), &places);
    }
    // Without the morph the document has what the target would add, turned and doubled as the character is.
    let document = gltf::Gltf::from_slice_without_validation(&rigged(&posed_and_morphed(0.0))).unwrap();
    let blob = document.blob.clone().unwrap();
    let primitive = document.meshes().next().unwrap().primitives().next().unwrap();
    let reader = primitive.reader(|_| Some(&blob));
    let delta = reader.read_morph_targets().next().unwrap().0.unwrap().next().unwrap();
    let first = figure().positions[0];
    assert_eq!(delta, [-2.0 * first.x, -2.0 * first.y, 2.0 * first.z].map(|x| x as f32 + 0.0));
}

#[test]
fn lines_of_the_same_mesh_stay_where_they_were() {
    let mesh = from_document(|json| {
        let mut lines = json["meshes"][0]["primitives"][0].clone();
        lines["mode"] = json!(1);
        json["meshes"][0]["primitives"].as_array_mut().unwrap().insert(0, lines);
        json["nodes"][0]["scale"] = json!([2, 2, 2]);
    });
    let before = mesh.origin.document.as_ref().unwrap().json.clone();
    let after = json_of(&rigged(&mesh));
    let rest = after["nodes"][0]["mesh"].as_u64().unwrap() as usize;
    assert_eq!(
        after["meshes"][rest]["primitives"],
        json!([before["meshes"][0]["primitives"][0]]),
        "the lines and nothing else"
    );
    assert_eq!(after["nodes"][0]["scale"], json!([2, 2, 2]));
    let surfaces = after["meshes"][0]["primitives"].as_array().unwrap();
    assert!(surfaces.len() == 1 && surfaces[0]["attributes"].get("JOINTS_0").is_some());
    assert_same_places(&read(rigged(&mesh)), &mesh.positions);
}

#[test]
fn other_scenes_show_the_character_too() {
    let mesh = from_document(|json| {
        json["nodes"][0]["translation"] = json!([0, 1, 0]);
        let stage = push(json, "nodes", json!({ "name": "stage", "children": [0] }));
        let empty = push(json, "nodes", json!({ "name": "empty" }));
        json["scenes"] = json!([{ "nodes": [stage] }, { "nodes": [stage, empty] }, { "nodes": [empty] }]);
        json["scene"] = json!(0);
    });
    let after = json_of(&rigged(&mesh));
    let named = |name: &str| node(&after, |node| node["name"] == name);
    let shown = node(&after, |node| node.get("skin").is_some());
    // The character was lowered, and everything comes along.
    let above = |name: &str| node(&after, |other| indices(other.get("children")).contains(&named(name)));
    let nodes = json!([above("stage"), above("empty"), shown, named("Root")]);
    assert_eq!(after["scenes"][1]["nodes"], nodes);
    assert_eq!(after["scenes"][2], json!({ "nodes": [above("empty")] }));
}

#[test]
fn what_stands_in_several_scenes_moves_along_in_each() {
    let mesh = from_document(|json| {
        json["nodes"][0]["translation"] = json!([0, 5, 0]);
        let lamp = push(json, "nodes", json!({ "name": "lamp" }));
        let sun = push(json, "nodes", json!({ "name": "sun" }));
        json["scenes"] = json!([{ "nodes": [0, lamp] }, { "nodes": [0, lamp, sun] }, { "nodes": [lamp] }]);
    });
    let after = json_of(&rigged(&mesh));
    let nodes = after["nodes"].as_array().unwrap();
    let parent = |child: usize| nodes.iter().position(|node| indices(node.get("children")).contains(&child));
    for (scene, shown) in [(0, &["lamp"][..]), (1, &["lamp", "sun"]), (2, &["lamp"])] {
        let roots = indices(after["scenes"][scene].get("nodes"));
        assert!(roots.iter().all(|&root| parent(root).is_none()), "{after}");
        for name in ["lamp", "sun"] {
            let above = parent(node(&after, |node| node["name"] == name)).unwrap();
            assert_eq!(nodes[above]["translation"], json!([0.0, -5.0, 0.0]));
            assert_eq!(roots.contains(&above), shown.contains(&name), "{name} in scene {scene}");
        }
    }
}

#[test]
fn pointers_to_the_weights_of_a_node_follow_the_mesh() {
    let pointer = |path: &str| {
        let target =
            json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": path } } });
        json!({ "sampler": 0, "target": target })
    };
    let mesh = from_document(|json| {
        json["nodes"][0]["children"] = json!([1]);
        json["nodes"].as_array_mut().unwrap().push(json!({}));
        let channels =
            json!([pointer("/nodes/0/weights"), pointer("/nodes/0/scale"), pointer("/materials/0")]);
        json["animations"] = json!([{ "channels": channels, "samplers": [{ "input": 0, "output": 0 }] }]);
    });
    let after = json_of(&rigged(&mesh));
    let skinned = node(&after, |node| node.get("skin").is_some());
    assert_ne!(skinned, 0);
    let channels = &after["animations"][0]["channels"];
    assert_eq!(channels[0], pointer(&format!("/nodes/{skinned}/weights")));
    assert_eq!((&channels[1], &channels[2]), (&pointer("/nodes/0/scale"), &pointer("/materials/0")));
}

#[test]
fn moving_a_character_leaves_nothing_behind() {
    let mesh = from_document(|json| json["nodes"][0]["translation"] = json!([0, 5, 0]));
    let before = mesh.origin.document.clone().unwrap();
    let after = json_of(&rigged(&mesh));
    let attributes = |json: &Value| json["meshes"][0]["primitives"][0]["attributes"].clone();
    assert_eq!(attributes(&before.json)["POSITION"], attributes(&after)["POSITION"]);
    let position = attributes(&after)["POSITION"].as_u64().unwrap() as usize;
    assert_eq!(before.json["accessors"][position]["bufferView"], after["accessors"][position]["bufferView"]);
    assert_eq!(after["accessors"][position]["min"][1], json!(0.0));
}

/// The figure with a morph target, and numbered vertices, in views that others use too.
fn decorated() -> Mesh {
    from_document(|json| {
        let displacement = json["accessors"][0].clone();
        let displacement = push(json, "accessors", displacement);
        let tag = json!({ "bufferView": 1, "componentType": 5121, "count": 8, "type": "SCALAR" });
        let tag = push(json, "accessors", tag);
        let primitive = &mut json["meshes"][0]["primitives"][0];
        primitive["targets"] = json!([{ "POSITION": displacement }]);
        primitive["attributes"]["_TAG"] = json!(tag);
    })
}

fn with_normals(file: &[u8], options: &NormalOptions) -> Vec<u8> {
    let file = gltf_read::GltfFile::parse(file.to_vec(), &Folder::none()).unwrap();
    let mut character = file.rigged(None, &mut Vec::new()).unwrap().character;
    character.add_normals(options).unwrap();
    character.glb().unwrap()
}

fn first_primitive(file: &gltf::Gltf) -> gltf::Primitive<'_> {
    file.meshes().next().unwrap().primitives().next().unwrap()
}

/// The numbers of the vertices of [`decorated`].
fn tags(file: &[u8]) -> Vec<u8> {
    let json = json_of(file);
    let accessor = &json["accessors"]
        [json["meshes"][0]["primitives"][0]["attributes"]["_TAG"].as_u64().unwrap() as usize];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let step = view["byteStride"].as_u64().unwrap_or(1) as usize;
    let bytes = &gltf::Gltf::from_slice(file).unwrap().blob.unwrap()
        [view["byteOffset"].as_u64().unwrap_or(0) as usize..];
    (0..accessor["count"].as_u64().unwrap() as usize).map(|row| bytes[row * step]).collect()
}

#[test]
fn vertices_on_creases_are_split_with_everything_that_they_carry() {
    let before = rigged(&decorated());
    let after = with_normals(&before, &NormalOptions::default());
    let tags = [&before, &after].map(|file| tags(file));
    let [before, after] = [before, after].map(|file| gltf::Gltf::from_slice(&file).unwrap());
    let (old, new) = (first_primitive(&before), first_primitive(&after));
    let (old, new) = (old.reader(|_| before.blob.as_deref()), new.reader(|_| after.blob.as_deref()));
    let positions: Vec<[f32; 3]> = new.read_positions().unwrap().collect();
    assert_eq!(positions.len(), 24, "three for each corner of a box");
    // The first vertices are those of the file, and the triangles are where they were.
    let old_positions: Vec<[f32; 3]> = old.read_positions().unwrap().collect();
    assert_eq!(positions[..8], old_positions[..]);
    let corners: Vec<u32> = new.read_indices().unwrap().into_u32().collect();
    let old_corners: Vec<u32> = old.read_indices().unwrap().into_u32().collect();
    let source = |vertex: usize| {
        let corner = corners.iter().position(|&corner| corner as usize == vertex).unwrap();
        old_corners[corner] as usize
    };
    let normals: Vec<[f32; 3]> = new.read_normals().unwrap().collect();
    let (displacements, _, _) = new.read_morph_targets().next().unwrap();
    let displacements: Vec<[f32; 3]> = displacements.unwrap().collect();
    let joints: Vec<[u16; 4]> = new.read_joints(0).unwrap().into_u16().collect();
    let weights: Vec<[u16; 4]> = new.read_weights(0).unwrap().into_u16().collect();
    let [old_tags, new_tags] = tags;
    for vertex in 0..24 {
        let from = source(vertex);
        assert_eq!(positions[vertex], old_positions[from]);
        assert_eq!(displacements[vertex], old_positions[from]);
        assert_eq!(new_tags[vertex], old_tags[from]);
        assert_eq!((joints[vertex][0], weights[vertex]), (1, [u16::MAX, 0, 0, 0]));
    }
    for (triangle, corners) in corners.chunks(3).enumerate() {
        let [a, b, c] = [0, 1, 2].map(|i| Vec3::from(positions[corners[i] as usize].map(f64::from)));
        let face = (b - a).cross(&(c - a)).normalize();
        for &corner in corners {
            let normal = Vec3::from(normals[corner as usize].map(f64::from));
            assert!((normal - face).norm() < 1e-6, "triangle {triangle}");
        }
    }
}

#[test]
fn normals_of_a_file_stay_unless_others_are_asked_for() {
    let mut mesh = figure();
    mesh.appearance.normals = vec![[0.0, 0.0, 1.0]; 8];
    let file = rigged(&mesh);
    let keep = NormalOptions { normals: Normals::Keep, ..NormalOptions::default() };
    for options in [NormalOptions::default(), keep] {
        assert_eq!(with_normals(&file, &options), file_again(&file));
    }
    assert_eq!(with_normals(&rigged(&figure()), &keep), file_again(&rigged(&figure())));
    for normals in [Normals::Smooth, Normals::Flat] {
        let made = read(with_normals(&file, &NormalOptions { normals, ..NormalOptions::default() }));
        assert_eq!(made.appearance.normals.len(), 24, "{normals:?}");
    }
    let smooth = NormalOptions { normals: Normals::Smooth, crease_degrees: 120.0 };
    let made = read(with_normals(&file, &smooth));
    assert_eq!(made.appearance.normals.len(), 8);
    assert!(made.appearance.normals.iter().all(|normal| normal.iter().all(|x| x.abs() > 0.5)));
}

/// A character as it is written after it was read, with nothing done to it.
fn file_again(file: &[u8]) -> Vec<u8> {
    let file = gltf_read::GltfFile::parse(file.to_vec(), &Folder::none()).unwrap();
    file.rigged(None, &mut Vec::new()).unwrap().character.glb().unwrap()
}

#[test]
fn what_is_not_lit_needs_no_normals_and_tangents_stay_perpendicular() {
    let unlit = rigged(&from_document(|json| {
        json["materials"] = json!([{ "extensions": { "KHR_materials_unlit": {} } }]);
        json["meshes"][0]["primitives"][0]["material"] = json!(0);
    }));
    assert!(read(with_normals(&unlit, &NormalOptions::default())).appearance.normals.is_empty());
    let mut mesh = figure();
    mesh.appearance.colors = vec![[0.5, 0.5, 0.5, 1.0]; 8];
    let (mut json, mut bytes, _) = new_document(&mesh).unwrap();
    let start = bytes.len();
    bytes.extend([[1.0f32, 0.0, 0.0, -1.0]; 8].iter().flatten().flat_map(|x| x.to_le_bytes()));
    json["buffers"][0]["byteLength"] = json!(bytes.len());
    let view = push(&mut json, "bufferViews", json!({ "buffer": 0, "byteOffset": start, "byteLength": 128 }));
    let tangents = json!({ "bufferView": view, "componentType": 5126, "count": 8, "type": "VEC4" });
    let tangents = push(&mut json, "accessors", tangents);
    json["meshes"][0]["primitives"][0]["attributes"]["TANGENT"] = json!(tangents);
    let file = rigged(&read(glb(&serde_json::to_vec(&json).unwrap(), &bytes).unwrap()));
    let after = gltf::Gltf::from_slice(&with_normals(&file, &NormalOptions::default())).unwrap();
    let primitive = after.meshes().next().unwrap().primitives().next().unwrap();
    let reader = primitive.reader(|_| after.blob.as_deref());
    let pairs = reader.read_tangents().unwrap().zip(reader.read_normals().unwrap());
    let mut count = 0;
    for ([x, y, z, w], normal) in pairs {
        let tangent = Vec3::new(x.into(), y.into(), z.into());
        assert!((tangent.norm() - 1.0).abs() < 1e-6 && w == -1.0);
        assert!(tangent.dot(&Vec3::from(normal.map(f64::from))).abs() < 1e-6);
        count += 1;
    }
    assert_eq!(count, 24);
}
