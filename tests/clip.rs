//! Clips in files: read back by the gltf crate, skinned, and compared; and everything else in the file as it was.

// Input and expected values, not results: any bits will do.
#![allow(clippy::disallowed_methods)]

mod common;

use common::corpus_files;
use nalgebra::{Isometry3, Matrix4, Vector4};
use puppetry::stages::clip::{Clip, bake};
use puppetry::stages::io::gltf_read::GltfFile;
use puppetry::stages::io::{self, GltfCharacter, SkinBinding, rigged_character};
use puppetry::stages::math::{Axis, Quat, Vec3};
use puppetry::stages::mesh::orientation::OrientationOptions;
use puppetry::stages::mesh::placement::Size;
use puppetry::stages::mesh::prepare::{PrepareOptions, prepare};
use puppetry::stages::mesh::{Mesh, shapes};
use puppetry::stages::motion::Pose;
use puppetry::stages::rig::{Rig, RigJoint, SkinWeights};
use serde_json::{Value, json};
use std::path::Path;

/// A root on the floor and a bent chain of four joints above it.
fn chain() -> Rig {
    let joint = |index: usize| RigJoint {
        name: ["Root", "Hips", "Spine", "Neck", "Head"][index].into(),
        parent: index.checked_sub(1),
        rest: match index {
            0 => Isometry3::identity(),
            _ => Isometry3::from_parts(
                Vec3::new(0.05 * index as f64, 0.4 * index as f64, 0.0).into(),
                Quat::from_euler_angles(0.3 * index as f64, 0.1, -0.2),
            ),
        },
    };
    Rig {
        joints: (0..5).map(joint).collect(),
        tips: Vec::new(),
        soles: Vec::new(),
        roles: Vec::new(),
        helpers: Vec::new(),
        outline: Vec::new(),
        girths: Vec::new(),
    }
}

/// Swings at 30 frames a second, the hips travelling.
fn swinging(rig: &Rig, frames: usize) -> Vec<Pose> {
    let pose = |frame: usize| {
        let time = frame as f64 / 30.0;
        let mut pose = Pose { positions: Vec::new(), rotations: Vec::new() };
        for (index, joint) in rig.joints.iter().enumerate() {
            let Some(parent) = joint.parent else {
                pose.positions.push(joint.rest.translation.vector);
                pose.rotations.push(joint.rest.rotation);
                continue;
            };
            let local = rig.joints[parent].rest.inverse() * joint.rest;
            let walk = if index == 1 { Vec3::new(0.1, 0.0, 1.2) * time } else { Vec3::zeros() };
            let turn =
                Quat::from_euler_angles((5.0 * time).sin(), 0.4 * time, 0.2 * index as f64 * time.cos());
            let place = pose.positions[parent] + pose.rotations[parent] * local.translation.vector + walk;
            pose.positions.push(place);
            pose.rotations.push(pose.rotations[parent] * local.rotation * turn);
        }
        pose
    };
    (0..frames).map(pose).collect()
}

fn prepared(mesh: &Mesh) -> puppetry::stages::mesh::prepare::PreparedMesh {
    let orientation = OrientationOptions { up: Some(Axis::PosY), front: Some(Axis::PosZ) };
    let options = PrepareOptions { orientation, size: Size::Keep, ..PrepareOptions::default() };
    prepare(mesh, &options, &mut Vec::new()).expect("it can be prepared")
}

/// The mesh on a chain, all of it moved by one joint.
fn character(mesh: &Mesh, rig: &Rig) -> GltfCharacter {
    let prepared = prepared(mesh);
    let weights = SkinWeights::rigid(prepared.positions.len(), 3);
    let rigging = SkinBinding {
        placement: &prepared.placement,
        joints: &rig.joints,
        weights: &weights,
        welded: &prepared.welded,
        displacements: &[],
    };
    rigged_character(mesh, &rigging).expect("it can be written")
}

fn standing_ball() -> Mesh {
    let mut mesh = shapes::uv_sphere(6, 8);
    mesh.positions.iter_mut().for_each(|p| *p = Vec3::new(0.3 * p.x, p.y + 1.0, 0.3 * p.z));
    mesh
}

fn with_clips(mut character: GltfCharacter, clips: &[Clip]) -> Vec<u8> {
    let clips: Vec<(&Clip, Value)> = clips.iter().map(|clip| (clip, Value::Null)).collect();
    character.add_clips(&clips);
    character.glb().expect("it fits")
}

/// The document and the buffer of a GLB.
fn unpacked(glb: &[u8]) -> (Value, Vec<u8>) {
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let json = serde_json::from_slice(&glb[20..20 + word(12)]).unwrap();
    (json, glb[28 + word(12)..].to_vec())
}

fn packed(json: &Value, buffer: &[u8]) -> Vec<u8> {
    let mut text = serde_json::to_vec(json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut buffer = buffer.to_vec();
    buffer.resize(buffer.len().next_multiple_of(4), 0);
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    glb.extend(((28 + text.len() + buffer.len()) as u32).to_le_bytes());
    for (kind, content) in [(b"JSON", text), (b"BIN\0", buffer)] {
        glb.extend((content.len() as u32).to_le_bytes());
        glb.extend(kind);
        glb.extend(content);
    }
    glb
}

/// World transforms of all nodes at a time, by the gltf crate's reading of an animation.
fn worlds(document: &gltf::Document, blob: &[u8], animation: usize, time: f32) -> Vec<Matrix4<f32>> {
    use gltf::animation::util::ReadOutputs;
    let mut locals: Vec<([f32; 3], [f32; 4], [f32; 3])> =
        document.nodes().map(|node| node.transform().decomposed()).collect();
    for channel in document.animations().nth(animation).unwrap().channels() {
        let reader = channel.reader(|_| Some(blob));
        let times: Vec<f32> = reader.read_inputs().unwrap().collect();
        let after = times.partition_point(|&key| key <= time);
        let (a, b) = (after.saturating_sub(1), after.min(times.len() - 1));
        let t = if a == b { 0.0 } else { (time - times[a]) / (times[b] - times[a]) };
        let local = &mut locals[channel.target().node().index()];
        match reader.read_outputs().unwrap() {
            ReadOutputs::Rotations(values) => {
                let values: Vec<[f32; 4]> = values.into_f32().collect();
                let quat =
                    |v: [f32; 4]| nalgebra::UnitQuaternion::new_normalize(nalgebra::Quaternion::from(v));
                local.1 = quat(values[a]).slerp(&quat(values[b]), t).coords.into();
            }
            ReadOutputs::Translations(values) => {
                let values: Vec<[f32; 3]> = values.collect();
                local.0 = std::array::from_fn(|i| values[a][i] + t * (values[b][i] - values[a][i]));
            }
            _ => panic!("only rotations and translations are keyed"),
        }
    }
    let mut worlds = vec![Matrix4::identity(); locals.len()];
    let mut stack: Vec<(gltf::Node, Matrix4<f32>)> =
        document.default_scene().unwrap().nodes().map(|node| (node, Matrix4::identity())).collect();
    while let Some((node, above)) = stack.pop() {
        let (t, r, s) = locals[node.index()];
        let turn = nalgebra::UnitQuaternion::new_normalize(nalgebra::Quaternion::from(r));
        let local = Matrix4::new_translation(&t.into())
            * turn.to_homogeneous()
            * Matrix4::new_nonuniform_scaling(&s.into());
        worlds[node.index()] = above * local;
        stack.extend(node.children().map(|child| (child, above * local)));
    }
    worlds
}

#[test]
fn the_gltf_crate_skins_the_file_as_we_do() {
    let (mesh, rig) = (standing_ball(), chain());
    let poses = swinging(&rig, 40);
    let clip = bake(&rig, "swing", 1.0 / 30.0, &poses);
    let mut compact = clip.clone();
    compact.name = "compact".into();
    compact.quantize(&rig, &[Quat::identity(); 5], &poses);
    let file = with_clips(character(&mesh, &rig), &[clip, compact]);
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&file).expect("valid for the gltf crate");
    let blob = blob.unwrap();
    let names: Vec<_> = document.animations().map(|animation| animation.name().unwrap().to_owned()).collect();
    assert_eq!(names, ["swing", "compact"]);

    let node = document.nodes().find(|node| node.skin().is_some()).unwrap();
    let skin = node.skin().unwrap();
    let binds: Vec<Matrix4<f32>> =
        skin.reader(|_| Some(&blob)).read_inverse_bind_matrices().unwrap().map(Matrix4::from).collect();
    let joints: Vec<usize> = skin.joints().map(|joint| joint.index()).collect();
    let primitive = node.mesh().unwrap().primitives().next().unwrap();
    let reader = primitive.reader(|_| Some(&blob));
    let positions: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
    let influences: Vec<_> =
        reader.read_joints(0).unwrap().into_u16().zip(reader.read_weights(0).unwrap().into_f32()).collect();
    for (animation, tolerance) in [(0, 1e-5), (1, 3e-4)] {
        for frame in [0usize, 1, 17, 39] {
            let worlds = worlds(&document, &blob, animation, (frame as f64 / 30.0) as f32);
            for (vertex, place) in positions.iter().enumerate() {
                let mut theirs = Vector4::zeros();
                for (&joint, &weight) in influences[vertex].0.iter().zip(&influences[vertex].1) {
                    let joint = usize::from(joint);
                    let point = Vector4::new(place[0], place[1], place[2], 1.0);
                    theirs += worlds[joints[joint]] * binds[joint] * point * weight;
                }
                let own = rig.joints[3].rest.inverse() * nalgebra::Point3::from(mesh.positions[vertex]);
                let ours = poses[frame].positions[3] + poses[frame].rotations[3] * own.coords;
                let off = (theirs.xyz().cast::<f64>() - ours).norm();
                assert!(off < tolerance, "animation {animation}, frame {frame}, vertex {vertex}: {off}");
            }
        }
    }
}

#[test]
fn tracks_with_the_same_keys_share_their_times() {
    let rig = chain();
    let clip = |name: &str, frames| bake(&rig, name, 1.0 / 30.0, &swinging(&rig, frames));
    let file = with_clips(character(&standing_ball(), &rig), &[clip("a", 20), clip("b", 20), clip("c", 10)]);
    let (json, _) = unpacked(&file);
    let mut inputs: Vec<Vec<u64>> = Vec::new();
    for animation in json["animations"].as_array().unwrap() {
        let mut own: Vec<u64> =
            animation["samplers"].as_array().unwrap().iter().map(|s| s["input"].as_u64().unwrap()).collect();
        own.sort_unstable();
        own.dedup();
        inputs.push(own);
    }
    assert_eq!((inputs[0].len(), &inputs[0]), (1, &inputs[1]));
    assert_ne!(inputs[0], inputs[2]);
    let times = &json["accessors"][inputs[0][0] as usize];
    assert_eq!((times["min"][0].as_f64(), times["count"].as_u64()), (Some(0.0), Some(20)));
}

/// A document with everything that must survive, around a character with a skin.
fn rich_document() -> Vec<u8> {
    let (mesh, rig) = (standing_ball(), chain());
    let clip = bake(&rig, "before", 1.0 / 30.0, &swinging(&rig, 5));
    let (mut json, mut buffer) = unpacked(&with_clips(character(&mesh, &rig), &[clip]));
    json["asset"]["generator"] = json!("somebody else");
    json["asset"]["extensions"] = json!({ "KHR_xmp_json_ld": { "packet": 0 } });
    json["extensionsUsed"] =
        json!(["KHR_animation_pointer", "VENDOR_thing", "KHR_materials_unlit", "KHR_xmp_json_ld"]);
    json["extensions"] = json!({ "VENDOR_thing": { "list": [1, 2.5, 1e-9, "x", null] }, "KHR_xmp_json_ld": { "packets": [{}] } });
    json["materials"] =
        json!([{ "name": "skin", "extensions": { "KHR_materials_unlit": {} }, "extras": { "a": 0.1 } }]);
    json["cameras"] = json!([{ "type": "perspective", "perspective": { "yfov": 0.7, "znear": 0.1 } }]);
    let vertices = json["accessors"]
        [json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].as_u64().unwrap() as usize]["count"]
        .as_u64()
        .unwrap();
    // A morph target without displacement.
    let offset = buffer.len();
    buffer.resize(offset + 12 * vertices as usize, 0);
    let view = json["bufferViews"].as_array().unwrap().len();
    json["bufferViews"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": 12 * vertices }));
    let accessor = json["accessors"].as_array().unwrap().len();
    json["accessors"].as_array_mut().unwrap().push(json!({
        "bufferView": view, "componentType": 5126, "count": vertices, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0]
    }));
    json["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": accessor }]);
    json["meshes"][0]["weights"] = json!([0.0]);
    json["meshes"][0]["extras"] = json!({ "targetNames": ["smile"] });
    let nodes = json["nodes"].as_array_mut().unwrap();
    nodes.push(json!({ "name": "lamp", "camera": 0, "extensions": { "VENDOR_thing": { "b": [] } } }));
    let lamp = nodes.len() - 1;
    json["scenes"].as_array_mut().unwrap().push(json!({ "name": "other", "nodes": [lamp] }));
    let input = json["animations"][0]["samplers"][0]["input"].clone();
    json["animations"][0]["samplers"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "input": input, "output": input }));
    let sampler = json["animations"][0]["samplers"].as_array().unwrap().len() - 1;
    json["animations"][0]["channels"].as_array_mut().unwrap().push(json!({
        "sampler": sampler,
        "target": { "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": "/materials/0/alphaCutoff" } } },
    }));
    json["buffers"][0]["byteLength"] = json!(buffer.len());
    packed(&json, &buffer)
}

/// Whether lists only grew at their ends and members were only added.
fn grew(before: &Value, after: &Value, at: &str) -> Result<(), String> {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => before.iter().try_for_each(|(key, value)| {
            let at = format!("{at}/{key}");
            grew(value, after.get(key).ok_or(format!("{at} is gone"))?, &at)
        }),
        (Value::Array(before), Value::Array(after)) if at.matches('/').count() == 1 => {
            before.iter().enumerate().try_for_each(|(index, value)| {
                let at = format!("{at}/{index}");
                grew(value, after.get(index).ok_or(format!("{at} is gone"))?, &at)
            })
        }
        _ if before == after => Ok(()),
        _ => Err(format!("{at} was {before} and is {after}")),
    }
}

#[test]
fn a_file_with_a_skin_is_itself_and_the_clips() {
    let file = rich_document();
    let folder = io::Folder::of(Path::new("none/a.glb"));
    let rigged =
        GltfFile::parse(file.clone(), &folder).unwrap().rigged(None, &mut Vec::new()).expect("it has a skin");
    assert_eq!(
        rigged.rig.joints.iter().map(|joint| joint.name.as_str()).collect::<Vec<_>>(),
        ["Root", "Hips", "Spine", "Neck", "Head"]
    );
    for (found, made) in rigged.rig.joints.iter().zip(&chain().joints) {
        assert!((found.rest.translation.vector - made.rest.translation.vector).norm() < 1e-6);
        assert!(found.rest.rotation.angle_to(&made.rest.rotation) < 1e-3);
    }
    let clip = bake(&rigged.rig, "after", 1.0 / 30.0, &swinging(&rigged.rig, 12));
    let (before, old_bytes) = unpacked(&file);
    let (mut after, new_bytes) = unpacked(&with_clips(rigged.character, &[clip]));
    assert_eq!(after["animations"][1]["name"], "after");
    assert_eq!(
        &new_bytes[..before["buffers"][0]["byteLength"].as_u64().unwrap() as usize],
        &old_bytes[..before["buffers"][0]["byteLength"].as_u64().unwrap() as usize]
    );
    after["buffers"][0]["byteLength"] = before["buffers"][0]["byteLength"].clone();
    grew(&before, &after, "").unwrap();
    for key in [
        "nodes",
        "meshes",
        "skins",
        "scenes",
        "materials",
        "cameras",
        "asset",
        "extensions",
        "extensionsUsed",
    ] {
        assert_eq!(before[key], after[key], "{key}");
    }
}

/// The views of positions, normals and tangents, which are moved with the character.
fn moved_views(json: &Value) -> Vec<u64> {
    let mut views = Vec::new();
    for primitive in
        json["meshes"].as_array().unwrap().iter().flat_map(|mesh| mesh["primitives"].as_array().unwrap())
    {
        for name in ["POSITION", "NORMAL", "TANGENT"] {
            let accessor = primitive["attributes"].get(name).and_then(Value::as_u64);
            views.extend(accessor.and_then(|index| json["accessors"][index as usize]["bufferView"].as_u64()));
        }
    }
    views
}

/// Materials, textures, images and everything that is not the character's own geometry is in the output of every character.
#[test]
fn characters_of_the_corpus_keep_what_they_had() {
    let files = corpus_files(".glb");
    let rig = chain();
    let clip = bake(&rig, "swing", 1.0 / 30.0, &swinging(&rig, 3));
    for file in files.iter().step_by(3) {
        let (mesh, _) = io::load_mesh(file).unwrap();
        let source = mesh.origin.document.clone().unwrap();
        let (after, bytes) = unpacked(&with_clips(character(&mesh, &rig), std::slice::from_ref(&clip)));
        for key in ["asset", "materials", "textures", "samplers", "cameras", "extras", "extensions"] {
            assert_eq!(source.json.get(key), after.get(key), "{}: {key}", file.display());
        }
        // Every accessor and every byte is where it was, images that are parts of the buffer among them; except where the
        // character itself was moved.
        let moved = moved_views(&source.json);
        for (index, accessor) in source.json["accessors"].as_array().unwrap().iter().enumerate() {
            if !moved.contains(&accessor["bufferView"].as_u64().unwrap_or(u64::MAX)) {
                assert_eq!(accessor, &after["accessors"][index], "{}: accessor {index}", file.display());
            }
        }
        for (index, view) in source.json["bufferViews"].as_array().unwrap().iter().enumerate() {
            if !moved.contains(&(index as u64)) {
                assert_eq!(view, &after["bufferViews"][index], "{}: view {index}", file.display());
                let start = view["byteOffset"].as_u64().unwrap_or(0) as usize;
                let range = start..start + view["byteLength"].as_u64().unwrap() as usize;
                assert_eq!(
                    bytes[range.clone()],
                    source.buffers[0][range],
                    "{}: view {index}",
                    file.display()
                );
            }
        }
    }
}

/// A file whose nodes stand in some pose is read as it was bound, even if most joints are turned.
#[test]
fn a_file_saved_in_a_pose_is_read_as_it_was_bound() {
    let (mesh, rig) = (standing_ball(), chain());
    let (mut json, buffer) = unpacked(&character(&mesh, &rig).glb().unwrap());
    let nodes = json["nodes"].as_array_mut().unwrap();
    let root = nodes.iter().position(|node| node["name"] == "Root").unwrap();
    let bend = Quat::from_axis_angle(&Vec3::x_axis(), 0.4);
    for node in [root + 2, root + 3] {
        let bound: [f64; 4] =
            serde_json::from_value(nodes[node]["rotation"].clone()).unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let [i, j, k, w] = bound;
        let bent = bend * Quat::new_normalize(nalgebra::Quaternion::new(w, i, j, k));
        nodes[node]["rotation"] = json!([bent.i, bent.j, bent.k, bent.w]);
    }
    let folder = io::Folder::of(Path::new("none/a.glb"));
    let rigged =
        GltfFile::parse(packed(&json, &buffer), &folder).unwrap().rigged(None, &mut Vec::new()).unwrap();
    for (found, made) in rigged.rig.joints.iter().zip(&rig.joints) {
        let off = (found.rest.translation.vector - made.rest.translation.vector).norm();
        assert!(off < 1e-5, "{}: {off}", found.name);
        assert!(found.rest.rotation.angle_to(&made.rest.rotation) < 1e-3, "{}", found.name);
    }
}

#[test]
fn scaled_armatures_helpers_and_nodes_between_are_understood() {
    let (mesh, rig) = (standing_ball(), chain());
    let (mut json, mut buffer) = unpacked(&character(&mesh, &rig).glb().unwrap());
    // The skeleton hangs on a node that is turned and a hundredth in size; below it everything is a hundred times larger.
    // Between two joints a node is put in.
    let accessor = &json["accessors"][json["skins"][0]["inverseBindMatrices"].as_u64().unwrap() as usize];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let start = view["byteOffset"].as_u64().unwrap() as usize;
    for (index, number) in buffer[start..start + 5 * 64].chunks_mut(4).enumerate() {
        if index % 4 < 3 {
            let larger = 100.0 * f32::from_le_bytes(number.try_into().unwrap());
            number.copy_from_slice(&larger.to_le_bytes());
        }
    }
    let nodes = json["nodes"].as_array_mut().unwrap();
    let root = nodes.iter().position(|node| node["name"] == "Root").unwrap();
    for node in &mut nodes[root..root + 5] {
        for value in node["translation"].as_array_mut().unwrap() {
            *value = json!(100.0 * value.as_f64().unwrap());
        }
    }
    let turn = Quat::from_axis_angle(&Vec3::x_axis(), -std::f64::consts::FRAC_PI_2);
    let back = turn.inverse();
    nodes[root]["rotation"] = json!([back.i, back.j, back.k, back.w]);
    nodes.push(json!({ "name": "Armature", "children": [root], "scale": [0.01, 0.01, 0.01], "rotation": [turn.i, turn.j, turn.k, turn.w] }));
    let armature = nodes.len() - 1;
    let neck = root + 3;
    let place = nodes[neck]["translation"].clone();
    nodes[neck]["translation"] = json!([0.0, 0.0, 0.0]);
    nodes.push(json!({ "name": "between", "translation": place, "children": [neck] }));
    let between = nodes.len() - 1;
    nodes[root + 2]["children"] = json!([between]);
    nodes.push(json!({ "name": "Head_end", "translation": [0.0, 20.0, 0.0] }));
    let end = nodes.len() - 1;
    nodes[root + 4]["children"] = json!([end]);
    let scene = json["scenes"][0]["nodes"].as_array_mut().unwrap();
    scene
        .iter_mut()
        .filter(|node| node.as_u64() == Some(root as u64))
        .for_each(|node| *node = json!(armature));
    let file = packed(&json, &buffer);

    let folder = io::Folder::of(Path::new("none/a.glb"));
    let rigged =
        GltfFile::parse(file, &folder).unwrap().rigged(None, &mut Vec::new()).expect("it has a skin");
    assert_eq!((rigged.rig.joints.len(), rigged.rig.tips[0].name.as_str()), (5, "Head_end"));
    for (found, made) in rigged.rig.joints.iter().zip(&rig.joints) {
        let off = (found.rest.translation.vector - made.rest.translation.vector).norm();
        assert!(off < 1e-5, "{}: {off}", found.name);
        assert!(found.rest.rotation.angle_to(&made.rest.rotation) < 1e-3, "{}", found.name);
    }
    let tip = rig.joints[4].rest * nalgebra::Point3::new(0.0, 0.2, 0.0);
    assert!((rigged.rig.tips[0].position - tip.coords).norm() < 1e-5);

    let poses = swinging(&rigged.rig, 12);
    let clip = bake(&rigged.rig, "swing", 1.0 / 30.0, &poses);
    let file = with_clips(rigged.character, &[clip]);
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&file).unwrap();
    let blob = blob.unwrap();
    for frame in [0usize, 5, 11] {
        let worlds = worlds(&document, &blob, 0, (frame as f64 / 30.0) as f32);
        for (index, joint) in rigged.rig.joints.iter().enumerate() {
            let node = document.nodes().find(|node| node.name() == Some(&joint.name)).unwrap();
            let place = worlds[node.index()].fixed_view::<3, 1>(0, 3).into_owned().cast::<f64>();
            let off = (place - poses[frame].positions[index]).norm();
            assert!(off < 1e-4, "{} at {frame}: {off}", joint.name);
        }
    }
}
