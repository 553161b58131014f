//! `animate` and `retarget`, run as a user runs them.

mod common;

use common::{puppetry, root};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A character that is rigged once for all tests.
fn rigged() -> &'static Path {
    static RIGGED: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = RIGGED.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        puppetry(dir.path(), &["rig", &example("gingerbread.glb"), "-o", "rigged.glb"]).exits_with(0);
        let path = dir.path().join("rigged.glb");
        (dir, path)
    });
    path
}

fn example(name: &str) -> String {
    root().join("examples/characters").join(name).display().to_string()
}

fn json_of(glb: &Path) -> Value {
    let file = std::fs::read(glb).unwrap();
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&file[20..20 + length]).unwrap()
}

fn names(json: &Value, list: &str) -> Vec<String> {
    let items = json[list].as_array().map_or(&[][..], Vec::as_slice);
    items.iter().map(|item| item["name"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_mesh_becomes_a_character_that_walks_and_waves() {
    let dir = tempfile::tempdir().unwrap();
    let mesh = example("gingerbread.glb");
    let run = |threads: &str, out: &str| {
        let arguments = [
            "animate",
            &mesh,
            "--motion",
            "walk",
            "--motion",
            "wave",
            "-o",
            out,
            "--names",
            "unreal",
            "--threads",
            threads,
        ];
        puppetry(dir.path(), &arguments).exits_with(0).prints("clip          walk").prints("wrote")
    };
    run("1", "one.glb");
    run("2", "two.glb");
    let bytes = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    assert!(bytes("one.glb") == bytes("two.glb"), "the number of threads does not matter");
    let json = json_of(&dir.path().join("one.glb"));
    assert_eq!(names(&json, "animations"), ["walk", "wave"]);
    let nodes = names(&json, "nodes");
    assert!(["root", "pelvis", "thigh_l", "ball_r"].iter().all(|name| nodes.iter().any(|node| node == name)));
    // Only the hips travel, and nothing is scaled.
    for animation in json["animations"].as_array().unwrap() {
        for channel in animation["channels"].as_array().unwrap() {
            let node = &json["nodes"][channel["target"]["node"].as_u64().unwrap() as usize];
            let is_hips = node["name"] == "pelvis";
            assert!(
                channel["target"]["path"] == "rotation"
                    || (is_hips && channel["target"]["path"] == "translation")
            );
        }
    }
}

#[test]
fn a_character_with_a_skin_keeps_it_and_its_clips() {
    let dir = tempfile::tempdir().unwrap();
    let character = rigged().display().to_string();
    let report = dir.path().join("report.json");
    puppetry(
        dir.path(),
        &[
            "retarget",
            &character,
            "--motion",
            "walk",
            "--motion",
            "walk",
            "-o",
            "a.glb",
            "--report",
            "report.json",
            "--root-motion",
            "extract",
        ],
    )
    .exits_with(0)
    .complains("the clip 'walk' is called 'walk_2' because another clip has that name");
    let (before, after) = (json_of(rigged()), json_of(&dir.path().join("a.glb")));
    assert_eq!(before["meshes"], after["meshes"]);
    assert_eq!(before["skins"], after["skins"]);
    assert_eq!(before["nodes"], after["nodes"]);
    assert_eq!(names(&after, "animations"), ["walk", "walk_2"]);
    let report: Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    assert_eq!(report["clips"][1]["name"], "walk_2");
    assert_eq!(report["outputs"][0]["sha256"].as_str().unwrap().len(), 64);
    assert!(report["clips"][0]["largest_key_error_meters"].as_f64().unwrap() < 1e-4);
    // The root carries the way.
    let channels = after["animations"][0]["channels"].as_array().unwrap();
    let travels = |name: &str| {
        channels.iter().any(|channel| {
            let node = channel["target"]["node"].as_u64().unwrap() as usize;
            channel["target"]["path"] == "translation" && after["nodes"][node]["name"] == name
        })
    };
    assert!(travels("Root") && travels("Hips"));
    // And again: what was written is read, and the names go on.
    puppetry(dir.path(), &["animate", "a.glb", "--motion", "walk", "-o", "b.glb", "--names", "vrm"])
        .exits_with(0)
        .complains("it has a skin, which is kept, so that --names changes nothing");
    assert_eq!(names(&json_of(&dir.path().join("b.glb")), "animations"), ["walk", "walk_2", "walk_3"]);
}

#[test]
fn every_kind_of_file_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let character = rigged().display().to_string();
    let outputs = ["-o", "c.gltf", "-o", "c.bvh", "-o", "c.vrm", "-o", "c.vrma"];
    let arguments = [&["retarget", &character, "--motion", "walk", "--motion", "run"], &outputs[..]].concat();
    puppetry(dir.path(), &arguments).exits_with(0).warns_of_nothing();
    let written = |name: &str| dir.path().join(name).exists();
    for name in ["c.gltf", "c.bin", "c_walk.bvh", "c_run.bvh", "c.vrm", "c_walk.vrma", "c_run.vrma"] {
        assert!(written(name), "{name}");
    }
    assert!(!written("c.bvh") && !written("c.vrma"), "these hold one clip each");
    let vrm = json_of(&dir.path().join("c.vrm"));
    assert_eq!(vrm["extensionsUsed"], serde_json::json!(["VRMC_node_constraint", "VRMC_vrm"]));
    let hips = vrm["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]["hips"]["node"].as_u64().unwrap();
    assert_eq!(vrm["nodes"][hips as usize]["name"], "Hips");
    let (motion, _) = puppetry::stages::io::load_motion(&dir.path().join("c_run.bvh")).unwrap();
    assert_eq!((motion.joints[1].name.as_str(), motion.joints.find("LeftLowerArmTwist1")), ("Hips", None));
    let nodes = names(&json_of(&dir.path().join("c_walk.vrma")), "nodes");
    assert!(!nodes.iter().any(|name| name.contains("Twist")), "neither knows joints that follow: {nodes:?}");
    let twists = |node: &&Value| node["name"].as_str().is_some_and(|name| name.contains("LowerArmTwist"));
    for node in vrm["nodes"].as_array().unwrap().iter().filter(twists) {
        let roll = &node["extensions"]["VRMC_node_constraint"]["constraint"]["roll"];
        let source = &vrm["nodes"][roll["source"].as_u64().unwrap() as usize]["name"];
        assert!(source.as_str().unwrap().ends_with("Hand") && roll["rollAxis"] == "Y", "{node}");
    }
    puppetry(dir.path(), &["inspect", "c.gltf"]).exits_with(0);
    // A file with several animations is as many motions.
    puppetry(dir.path(), &["retarget", &character, "--motion", "c.gltf", "-o", "again.glb"])
        .exits_with(0)
        .prints("clip          walk")
        .prints("clip          run");
    // In whatever order they are asked for: a T-pose for one is none for the others.
    let reversed = ["-o", "r.vrma", "-o", "r.vrm", "-o", "r.gltf"];
    let arguments =
        [&["retarget", &character, "--motion", "walk", "--motion", "run"], &reversed[..]].concat();
    puppetry(dir.path(), &arguments).exits_with(0);
    let bytes = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    assert!(bytes("c.bin") == bytes("r.bin") && bytes("c_run.vrma") == bytes("r_run.vrma"));
    let nodes = |name: &str| serde_json::from_slice::<Value>(&bytes(name)).unwrap()["nodes"].clone();
    assert_eq!(nodes("c.gltf"), nodes("r.gltf"));
    // A buffer that belongs to another document is not replaced.
    std::fs::write(dir.path().join("mine.bin"), "mine").unwrap();
    puppetry(dir.path(), &["retarget", &character, "--motion", "walk", "-o", "mine.gltf"])
        .exits_with(1)
        .complains("mine.bin', which is not its own; choose another name");
    assert_eq!(bytes("mine.bin"), b"mine");

    puppetry(
        dir.path(),
        &[
            "retarget",
            &character,
            "--motion",
            "walk",
            "--motion",
            "run",
            "-o",
            "d.glb",
            "--split",
            "--clips-only",
            "--compact",
        ],
    )
    .exits_with(0);
    for name in ["d_walk.glb", "d_run.glb"] {
        let json = json_of(&dir.path().join(name));
        assert_eq!(
            json["skins"][0]["joints"].as_array().unwrap().len(),
            35,
            "they are joints, not empty nodes"
        );
        assert!(json.get("meshes").is_none() && json["animations"].as_array().unwrap().len() == 1);
        let outputs = json["animations"][0]["samplers"][3]["output"].as_u64().unwrap();
        assert_eq!(json["accessors"][outputs as usize]["componentType"], 5122);
    }
}

#[test]
fn rounded_meshes_are_smaller_and_stand_where_they_stood() {
    let dir = tempfile::tempdir().unwrap();
    let character = rigged().display().to_string();
    for (out, compact) in [("keys.glb", "--compact"), ("mesh.glb", "--compact=mesh")] {
        puppetry(dir.path(), &["retarget", &character, "--motion", "walk", "-o", out, compact]).exits_with(0);
    }
    let size = |name: &str| std::fs::metadata(dir.path().join(name)).unwrap().len();
    assert!(size("mesh.glb") * 10 < size("keys.glb") * 9, "{} {}", size("mesh.glb"), size("keys.glb"));
    let json = json_of(&dir.path().join("mesh.glb"));
    assert_eq!(json["extensionsRequired"], serde_json::json!(["KHR_mesh_quantization"]));
    let load = |name: &str| puppetry::stages::io::load_mesh(&dir.path().join(name)).unwrap().0;
    let (keys, mesh) = (load("keys.glb"), load("mesh.glb"));
    assert_eq!(keys.positions, mesh.positions);
    for (exact, rounded) in keys.appearance.normals.iter().zip(&mesh.appearance.normals) {
        let cosine: f32 = exact.iter().zip(rounded).map(|(a, b)| a * b).sum();
        assert!(cosine > 0.9999, "{exact:?} {rounded:?}");
    }
}

#[test]
fn a_prop_stays_where_it_is() {
    let dir = tempfile::tempdir().unwrap();
    // The example character beside a crate, which an OBJ file has as a group of its own.
    let (mesh, _) = puppetry::stages::io::load_mesh(Path::new(&example("gingerbread.glb"))).unwrap();
    let mut text = String::from("g body\n");
    for place in &mesh.positions {
        text.push_str(&format!("v {} {} {}\n", place.x, place.y, place.z));
    }
    for [a, b, c] in &mesh.triangles {
        text.push_str(&format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    }
    text.push_str(
        "g crate\nv 2 0 0\nv 2.5 0 0\nv 2 0.5 0\nv 2 0 0.5\nf -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1\n",
    );
    std::fs::write(dir.path().join("scene.obj"), text).unwrap();
    // Without new normals, for which vertices would be split.
    let run = |flags: &[&str]| {
        puppetry(dir.path(), &[&["rig", "scene.obj", "-o", "out.glb", "--normals", "keep"], flags].concat())
    };
    run(&["--exclude", "lamp"])
        .exits_with(1)
        .complains("it has no node, object or group 'lamp'; give one of body, crate");
    for flags in [["--exclude", "crate"], ["--node", "body"]] {
        run(&flags).exits_with(0);
        let json = json_of(&dir.path().join("out.glb"));
        for node in json["nodes"].as_array().unwrap().iter().filter(|node| node.get("mesh").is_some()) {
            assert_eq!(node.get("skin").is_some(), node["name"] == "body", "{node}");
        }
        let (written, _) = puppetry::stages::io::load_mesh(&dir.path().join("out.glb")).unwrap();
        assert_eq!(written.positions.len(), mesh.positions.len() + 4, "the crate is there");
    }
}

/// The last key of a cycle is its first, bit for bit, at rates at which a rest pose in front is no longer seen as one.
#[test]
fn a_cycle_closes_at_any_rate() {
    let dir = tempfile::tempdir().unwrap();
    let character = rigged().display().to_string();
    for (motion, fps) in [("run", "60"), ("run", "12"), ("walk", "10")] {
        let flags = ["--loop", "--fps", fps, "--root-motion", "in-place", "--key-error", "0"];
        let args = [&["retarget", &character, "--motion", motion, "-o", "out.glb"][..], &flags].concat();
        puppetry(dir.path(), &args).exits_with(0).warns_of_nothing();
        let json = json_of(&dir.path().join("out.glb"));
        let file = std::fs::read(dir.path().join("out.glb")).unwrap();
        let buffer = 28 + u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
        let samplers = json["animations"][0]["samplers"].as_array().unwrap();
        for sampler in samplers {
            let accessor = &json["accessors"][sampler["output"].as_u64().unwrap() as usize];
            let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
            let offset = |of: &Value| of["byteOffset"].as_u64().unwrap_or(0) as usize;
            let size = match (accessor["type"].as_str(), accessor["componentType"].as_u64()) {
                (Some("VEC4"), Some(5122)) => 8,
                (Some("VEC4"), _) => 16,
                _ => 12,
            };
            let begin = buffer + offset(view) + offset(accessor);
            let end = begin + size * (accessor["count"].as_u64().unwrap() as usize - 1);
            let [first, last] = [begin, end].map(|at| &file[at..at + size]);
            assert_eq!(first, last, "{motion} at {fps}: {accessor}");
        }
    }
}

/// A motion that is of no use is left out and told, wherever it was named; the others are written.
#[test]
fn motions_that_cannot_be_moved_are_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let character = rigged().display().to_string();
    let walk = puppetry::stages::motion::built_in()[0].bvh;
    let (head, rows) = walk.split_at(walk.find("Frames:").unwrap());
    std::fs::create_dir(dir.path().join("library")).unwrap();
    std::fs::write(dir.path().join("library/a_none.bvh"), format!("{head}Frames: 0\nFrame Time: 0.01\n"))
        .unwrap();
    std::fs::write(dir.path().join("library/walk.bvh"), format!("{head}{rows}")).unwrap();
    let run = |motion: &str| {
        puppetry(
            dir.path(),
            &["retarget", &character, "--motion", motion, "-o", "out.glb", "--report", "report.json"],
        )
    };
    run("library").exits_with(1).complains("a_none.bvh': the motion has no frames");
    // It is told once, whoever was to be moved.
    std::fs::copy(&character, dir.path().join("other.glb")).unwrap();
    let two = puppetry(
        dir.path(),
        &["retarget", &character, "other.glb", "--motion", "library", "--motion", "walk", "-o", "two/"],
    );
    assert_eq!(two.stderr().matches("no frames").count(), 1, "{}", two.stderr());
    assert_eq!(names(&json_of(&dir.path().join("out.glb")), "animations"), ["walk"]);
    let report: Value =
        serde_json::from_slice(&std::fs::read(dir.path().join("report.json")).unwrap()).unwrap();
    assert!(report["motions_left_out"][0]["file"].as_str().unwrap().ends_with("a_none.bvh"));
    run("library/a_none.bvh").exits_with(1).complains("the motion has no frames");
}

/// Sides that are named the wrong way round are told, and --mirror puts them right.
#[test]
fn exchanged_sides_are_told_and_put_right() {
    let dir = tempfile::tempdir().unwrap();
    let character = rigged().display().to_string();
    let walk = puppetry::stages::motion::built_in()[0].bvh;
    let swapped = walk.replace("Left", "#").replace("Right", "Left").replace('#', "Right");
    std::fs::write(dir.path().join("walk.bvh"), swapped).unwrap();
    let run = |motion: &str, out: &str, more: &[&str]| {
        let args = [&["retarget", &character, "--motion", motion, "-o", out][..], more].concat();
        puppetry(dir.path(), &args).exits_with(0)
    };
    run("walk.bvh", "told.glb", &[]).complains("mirror it with --mirror [sides-swapped]");
    run("walk.bvh", "right.glb", &["--mirror"]).warns_of_nothing();
    run("walk", "true.glb", &[]);
    let [right, truth] = ["right.glb", "true.glb"].map(|file| std::fs::read(dir.path().join(file)).unwrap());
    assert!(right == truth, "the walk is itself again");
}

#[test]
fn mistakes_are_explained_and_the_old_file_stays() {
    let dir = tempfile::tempdir().unwrap();
    let character = rigged().display().to_string();
    std::fs::write(dir.path().join("out.glb"), "old").unwrap();
    let one_joint = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n";
    std::fs::write(dir.path().join("one.bvh"), one_joint).unwrap();
    std::fs::create_dir(dir.path().join("empty")).unwrap();
    for (motion, out, complaint) in [
        ("walk", "gone/out.glb", "there is no folder 'gone'"),
        ("walk", "out.xyz", "its ending says nothing"),
        ("polka", "out.glb", "there is no motion 'polka'; give a file, a folder, or one of walk, run"),
        ("empty", "out.glb", "there is no motion in the folder 'empty'"),
        ("one.bvh", "out.glb", "cannot move 'one.bvh' onto '"),
        ("walk", "attachment.out", "Pinocchio's files are written for characters that are rigged here"),
    ] {
        puppetry(dir.path(), &["retarget", &character, "--motion", motion, "-o", out])
            .exits_with(1)
            .complains(complaint.split_at(1).1);
    }
    puppetry(dir.path(), &["retarget", &example("troll.glb"), "--motion", "walk", "-o", "out.glb"])
        .exits_with(1)
        .complains("no mesh of it has a skin");
    puppetry(
        dir.path(),
        &["retarget", &character, &example("troll.glb"), "--motion", "walk", "-o", "out.glb"],
    )
    .exits_with(1)
    .complains("give a folder");
    assert_eq!(std::fs::read(dir.path().join("out.glb")).unwrap(), b"old");
}
