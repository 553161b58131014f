//! Every kind of output, with every option that changes bytes: its digest and a line that a person can read.
//!
//! The same input must give the same bytes, from one commit to the next: a change that changes one on purpose
//! blesses `tests/golden/outputs.txt` and says why.

mod common;

use common::golden::assert_golden;
use common::{files, puppetry, root};
use rayon::prelude::*;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;

/// The cases: what is typed, in a folder that has the example characters and motions. Outputs begin with `out`.
const CASES: &[&str] = &[
    // The main job, on every example character.
    "animate child.glb --motion walk -o out.glb --report out.json",
    "animate dog.glb --motion quad_walk --motion quad_trot -o out.glb --report out.json",
    "animate gingerbread.glb --motion walk --motion dance -o out.glb --report out.json",
    "animate horse.glb --motion quad_gallop -o out.glb --report out.json",
    "animate layers.glb --motion run -o out.glb --report out.json",
    "animate robot.glb --motion jump -o out.glb --report out.json",
    "animate slim.glb --motion sneak -o out.glb --report out.json",
    "animate troll.glb --motion wave -o out.glb --report out.json",
    // Kinds of files.
    "animate slim.glb --motion walk -o out.gltf",
    "animate slim.glb --motion walk --motion idle -o out.vrm -o out.vrma -o out.bvh",
    "animate slim.glb --motion walk -o out.skeleton.out -o out.attachment.out",
    "animate child.glb --motion walk --motion run -o out.glb --split",
    "animate child.glb --motion walk -o out.glb --clips-only",
    "animate child.glb dog.glb --motion idle -o out/",
    // What the clip is.
    "animate slim.glb --motion run.bvh --name jog -o out.glb --fps 24 --start 0.25 --end 1.5",
    "animate slim.glb --motion walk -o out.glb --mirror --loop --report out.json",
    "animate slim.glb --motion turn -o out.glb --root-motion extract --heading source",
    "animate slim.glb --motion run -o out.glb --root-motion in-place --loop",
    "animate slim.glb --motion dance -o out.glb --no-foot-lock",
    "animate slim.glb --motion dance -o out.glb --hands relative --stride 0.8 --lookahead 0.05",
    "animate slim.glb --motion sit -o out.glb --hands world --lookahead 0",
    "animate slim.glb --motion walk -o out.glb --map map.txt",
    "animate slim.glb --motion walk -o out.glb --key-error 0.001 --verify --report out.json",
    "animate slim.glb --motion walk -o out.glb --compact",
    "animate slim.glb --motion walk -o out.glb --compact=mesh",
    // What the character is.
    "animate slim.glb --motion walk -o out.vrma --names mixamo --root-motion extract",
    "animate slim.obj --motion walk -o out.glb --up y --front z --unit 0.01",
    "animate slim.obj --motion walk -o out.glb --height 1.2",
    "animate slim.obj --motion walk -o out.glb --keep-size",
    "animate layers.glb --motion walk -o out.glb --exclude hair",
    "rig child.glb -o out.glb -o out.rig.json -o out.skeleton.out --report out.json --pose-sheet out.png",
    "rig dog.glb -o out.glb -o out.rig.json --report out.json --stages out.stages --pose-sheet out.png",
    "rig gingerbread.glb -o out.glb --rest t-pose --names vrm",
    "rig gingerbread.glb -o out.glb --skeleton human --hint LeftHand=0.4,0.6,0 --names unity",
    "rig horse.glb -o out.glb -o out.rig.json --skeleton horse --max-influences 8",
    "rig horse.glb -o out.rig.json --skeleton quadruped",
    "rig layers.glb -o out.glb --parts rigid --names plain --report out.json",
    "rig robot.glb -o out.glb --report out.json --stages out.stages --pose-sheet out.png",
    "rig robot.glb -o out.glb --parts soft --names unreal",
    "rig slim.glb -o out.glb --joints joints.json --report out.json",
    "rig troll.glb -o out.glb -o out.rig.json --report out.json",
    // A character that has a skin already.
    "retarget rigged.glb --motion walk --motion jump -o out.glb --report out.json",
    "retarget rigged.glb --motion walk -o out.vrm -o out.bvh",
    "retarget rigged.json --motion walk -o out.glb",
    "animate rigged.glb --motion walk -o out.glb",
    // Pictures.
    "preview walk.bvh -o out.png",
    "preview walk -o out.webp --size 128",
    "preview quad_walk -o out.apng --size 96 --camera follow --bones",
    "preview run -o out.gif --size 96 --camera fixed --weights",
    "preview jump -o out.png --character rigged.glb",
    "preview --character robot.glb -o out.webp --size 96",
    "preview walk quad_trot -o out --size 96 --film gif",
    "preview wave -o out --size 96 --character troll.glb",
    // What is said.
    "inspect slim.glb slim.obj rigged.glb robot.glb",
    "inspect --json slim.glb rigged.glb walk.bvh",
    "inspect walk.bvh --save-map out.txt",
    "inspect quad_walk.bvh",
    "motions",
    "skeletons",
];

/// Characters, motions and what is made of them.
fn prepare(dir: &Path) {
    for file in files(&root().join("examples/characters"), ".glb") {
        fs::copy(&file, dir.join(file.file_name().unwrap())).unwrap();
    }
    for file in files(&root().join("motions"), ".bvh") {
        fs::copy(&file, dir.join(file.file_name().unwrap())).unwrap();
    }
    fs::write(dir.join("slim.obj"), obj(&dir.join("slim.glb"))).unwrap();
    fs::write(dir.join("map.txt"), "puppetry-map 1\nLeftUpperArm = LeftForeArm\n").unwrap();
    let truth = common::truth::truth(&root().join("examples/characters/slim.glb"));
    fs::write(dir.join("joints.json"), format!("{{\"joints\": {}}}", truth["joints"])).unwrap();
    puppetry(dir, &["rig", "child.glb", "-o", "rigged.glb", "-o", "rigged.json"]).exits_with(0);
}

/// The surface of a GLB as an OBJ in centimetres.
fn obj(glb: &Path) -> String {
    let (document, buffers, _) = gltf::import(glb).unwrap();
    let (mut text, mut first) = (String::new(), 1);
    for primitive in document.meshes().flat_map(|mesh| mesh.primitives()) {
        let reader = primitive.reader(|buffer| Some(&buffers[buffer.index()]));
        let positions: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
        let indices: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
        for [x, y, z] in &positions {
            text.push_str(&format!("v {} {} {}\n", 100.0 * x, 100.0 * y, 100.0 * z));
        }
        for triangle in indices.as_chunks::<3>().0 {
            let [a, b, c] = triangle.map(|index| index + first);
            text.push_str(&format!("f {a} {b} {c}\n"));
        }
        first += positions.len() as u32;
    }
    text
}

#[test]
fn every_output_has_the_bytes_that_it_had() {
    let inputs = tempfile::tempdir().unwrap();
    prepare(inputs.path());
    let sections: Vec<String> = CASES.par_iter().map(|case| section(inputs.path(), case)).collect();
    assert_golden("outputs.txt", &sections.join("\n"));
}

/// What a command prints and writes.
fn section(inputs: &Path, case: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    for file in fs::read_dir(inputs).unwrap().flatten() {
        fs::copy(file.path(), dir.path().join(file.file_name())).unwrap();
    }
    if case.ends_with('/') {
        fs::create_dir(dir.path().join("out")).unwrap();
    }
    let run = puppetry(dir.path(), &case.split(' ').collect::<Vec<_>>());
    let mut lines = vec![format!("$ puppetry {case}")];
    let printed = [("stdout", run.stdout()), ("stderr", run.stderr())];
    run.exits_with(0);
    for (name, text) in printed.iter().filter(|(_, text)| !text.is_empty()) {
        lines.push(format!("{name} {}: {} lines", digest(text.as_bytes()), text.lines().count()));
    }
    let mut outputs = Vec::new();
    list(dir.path(), dir.path(), &mut outputs);
    outputs.sort();
    for name in outputs {
        lines.push(line(&name, &fs::read(dir.path().join(&name)).unwrap()));
    }
    lines.join("\n") + "\n"
}

/// The files below a folder that a case wrote.
fn list(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        match (name.starts_with("out"), path.is_dir()) {
            (true, true) => list(root, &path, found),
            (true, false) => found.push(name),
            _ => {}
        }
    }
}

/// A file in one line: its digest, its name, its size and what it holds.
fn line(name: &str, bytes: &[u8]) -> String {
    let (bytes, holds) = match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "glb" | "vrm" | "vrma" => (bytes.to_vec(), glb_summary(bytes)),
        "gltf" => (bytes.to_vec(), gltf_summary(&serde_json::from_slice(bytes).unwrap())),
        "png" | "apng" => (bytes.to_vec(), png_summary(bytes)),
        "json" if name.starts_with("out/data") => (bytes.to_vec(), "record of a clip".to_owned()),
        "json" => timeless(bytes),
        "bvh" | "out" | "txt" | "js" | "html" => {
            (bytes.to_vec(), format!("{} lines", String::from_utf8_lossy(bytes).lines().count()))
        }
        _ => (bytes.to_vec(), String::new()),
    };
    format!("{} {name}: {} bytes, {holds}", digest(&bytes), bytes.len())
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn glb_summary(bytes: &[u8]) -> String {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    gltf_summary(&serde_json::from_slice(&bytes[20..20 + length]).unwrap())
}

fn gltf_summary(document: &Value) -> String {
    let count = |key: &str| document[key].as_array().map_or(0, Vec::len);
    let joints = document["skins"][0]["joints"].as_array().map_or(0, Vec::len);
    let animations = document["animations"].as_array().into_iter().flatten();
    let clips: Vec<String> = animations
        .map(|clip| {
            let channels = clip["channels"].as_array().map_or(0, Vec::len);
            format!("{} ({channels} channels)", clip["name"].as_str().unwrap_or_default())
        })
        .collect();
    let (nodes, meshes) = (count("nodes"), count("meshes"));
    format!("{nodes} nodes, {meshes} meshes, {joints} joints, clips: {}", clips.join(", "))
}

fn png_summary(bytes: &[u8]) -> String {
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    format!("{} x {} pixels", number(16), number(20))
}

/// A report or rig file without the times, and what it says first.
fn timeless(bytes: &[u8]) -> (Vec<u8>, String) {
    let mut report: Value = serde_json::from_slice(bytes).unwrap();
    for place in ["", "/rig"] {
        report.pointer_mut(place).and_then(Value::as_object_mut).map(|object| object.remove("seconds"));
    }
    let confidence = report.pointer("/rig/confidence").or(report.get("confidence"));
    let route = report.pointer("/rig/route/name").or(report.pointer("/route/name"));
    let summary =
        format!("confidence {}, route {}", confidence.unwrap_or(&Value::Null), route.unwrap_or(&Value::Null));
    (report.to_string().into_bytes(), summary)
}
