//! VRM files as characters: their table of bones, the direction they face, and what they say about their licence.

mod common;

use common::{puppetry, root};
use puppetry::stages::io::{RiggedFile, SourceFile};
use puppetry::stages::math::Vec3;
use puppetry::stages::retarget::figure_of;
use puppetry::stages::skeleton::naming::{Limb, Role, Segment, Side};
use puppetry::stages::skeleton::roles::Reason;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The JSON of a GLB and what follows it.
fn parts(path: &Path) -> (Value, Vec<u8>) {
    let bytes = fs::read(path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&bytes[20..20 + length]).unwrap(), bytes[20 + length..].to_vec())
}

fn write_glb(path: &Path, json: &Value, rest: &[u8]) {
    let mut text = serde_json::to_vec(json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let length = (20 + text.len() + rest.len()) as u32;
    let words = [2, length, text.len() as u32].map(u32::to_le_bytes).concat();
    fs::write(path, [b"glTF", &words[..], b"JSON", &text, rest].concat()).unwrap();
}

/// A person as VRM 1.0 whose nodes have names that say nothing.
fn nameless(dir: &Path) -> (Value, Vec<u8>) {
    let slim = root().join("examples/characters/slim.glb").to_string_lossy().into_owned();
    puppetry(dir, &["animate", &slim, "--motion", "wave", "-o", "own.vrm"]).exits_with(0);
    let (mut json, rest) = parts(&dir.join("own.vrm"));
    for (index, node) in json["nodes"].as_array_mut().unwrap().iter_mut().enumerate() {
        node["name"] = json!(format!("n{index}"));
    }
    json["extensions"]["VRMC_vrm"]["meta"] = json!({
        "name": "Nobody", "authors": ["A. Nonymous"], "licenseUrl": "https://vrm.dev/licenses/1.0/",
        "creditNotation": "required", "allowRedistribution": true,
    });
    (json, rest)
}

const META: [(&str, &str); 3] = [("title", "Nobody"), ("author", "A. Nonymous"), ("licenseName", "CC_BY")];

/// The same as VRM 0.x: a table that is a list, and everything turned by half a turn.
fn older(mut json: Value) -> Value {
    let bones = json["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"].clone();
    let bones: Vec<Value> = bones
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, bone)| json!({ "bone": name, "node": bone["node"], "useDefaultValues": true }))
        .collect();
    let meta: serde_json::Map<String, Value> =
        META.iter().map(|(key, value)| ((*key).into(), json!(value))).collect();
    json["extensions"] =
        json!({ "VRM": { "specVersion": "0.0", "meta": meta, "humanoid": { "humanBones": bones } } });
    json["extensionsUsed"] = json!(["VRM"]);
    let turned = json!({ "rotation": [0.0, 1.0, 0.0, 0.0], "children": json["scenes"][0]["nodes"] });
    let top = json["nodes"].as_array().unwrap().len();
    json["nodes"].as_array_mut().unwrap().push(turned);
    json["scenes"][0]["nodes"] = json!([top]);
    json
}

fn rigged(path: &Path) -> RiggedFile {
    SourceFile::open(path).unwrap().rigged(None).unwrap().0
}

#[test]
fn bones_and_front_come_from_the_table_in_both_versions() {
    let dir = tempfile::tempdir().unwrap();
    let (one, rest) = nameless(dir.path());
    write_glb(&dir.path().join("one.vrm"), &one, &rest);
    write_glb(&dir.path().join("zero.vrm"), &older(one), &rest);
    for (file, front) in [("one.vrm", Vec3::z()), ("zero.vrm", -Vec3::z())] {
        let RiggedFile { rig, character, .. } = rigged(&dir.path().join(file));
        assert!(rig.roles.len() >= 17, "{file}: {} bones", rig.roles.len());
        let figure = figure_of(&rig);
        for &(joint, role) in &rig.roles {
            assert_eq!(
                (figure.roles.roles[joint], figure.roles.reasons[joint]),
                (Some(role), Reason::File),
                "{file}"
            );
        }
        assert!((character.front() - front).norm() < 1e-5, "{file} faces {}", character.front());
        // The rig faces +Z, its left at +X, whatever the file does.
        let place = |limb, segment| {
            let joint = figure.find(Role::Limb(limb, Side::Left, segment)).unwrap();
            rig.joints[joint].rest.translation.vector
        };
        assert!(place(Limb::Arm, Segment::End).x > 0.3, "{file}");
        assert!(place(Limb::Leg, Segment::Toes).z > place(Limb::Leg, Segment::End).z + 0.05, "{file}");
    }
}

#[test]
fn what_a_file_says_about_its_licence_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let (one, rest) = nameless(dir.path());
    let meta = one["extensions"]["VRMC_vrm"]["meta"].clone();
    write_glb(&dir.path().join("one.vrm"), &one, &rest);
    write_glb(&dir.path().join("zero.vrm"), &older(one), &rest);
    for command in ["retarget", "animate"] {
        for out in ["out.vrm", "out.glb"] {
            puppetry(dir.path(), &[command, "one.vrm", "--motion", "walk", "-o", out]).exits_with(0);
            assert_eq!(
                parts(&dir.path().join(out)).0["extensions"]["VRMC_vrm"]["meta"],
                meta,
                "{command} {out}"
            );
            // A file of 0.x stays one: it is not turned into a file that claims to be of 1.0.
            puppetry(dir.path(), &[command, "zero.vrm", "--motion", "walk", "-o", out]).exits_with(0);
            let (json, _) = parts(&dir.path().join(out));
            assert!(json["extensions"].get("VRMC_vrm").is_none());
            for (key, value) in META {
                assert_eq!(json["extensions"]["VRM"]["meta"][key], value, "{command} {out}");
            }
        }
    }
}

#[test]
fn what_would_face_the_wrong_way_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (one, rest) = nameless(dir.path());
    write_glb(&dir.path().join("one.vrm"), &one, &rest);
    puppetry(dir.path(), &["retarget", "one.vrm", "--motion", "walk", "-o", "one.vrma"]).exits_with(0);
    let zero = older(one);
    write_glb(&dir.path().join("zero.vrm"), &zero, &rest);
    let refused = "VRM 1.0 and its animations face +Z, and this character faces -Z in its file; turn it there, or write .glb";
    puppetry(dir.path(), &["retarget", "zero.vrm", "--motion", "walk", "-o", "zero.vrma"])
        .exits_with(1)
        .complains(refused);
    // The same person without the table: a GLB that faces -Z cannot become VRM 1.0 either.
    let mut plain = zero;
    plain.as_object_mut().unwrap().remove("extensions");
    plain.as_object_mut().unwrap().remove("extensionsUsed");
    write_glb(&dir.path().join("plain.glb"), &plain, &rest);
    puppetry(dir.path(), &["retarget", "plain.glb", "--motion", "walk", "-o", "plain.vrm"])
        .exits_with(1)
        .complains(refused);
    assert!(!dir.path().join("zero.vrma").exists() && !dir.path().join("plain.vrm").exists());
}
