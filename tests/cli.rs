//! The real binary: each command on real files, each known mistake with its sentence.

mod common;

use common::{example_characters, puppetry, root};
use std::fs;
use std::process::{Command, Stdio};

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1.5 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

#[test]
fn inspect_tells_about_every_example_character() {
    let characters = example_characters();
    assert_eq!(characters.len(), 8);
    for character in characters {
        let name = character.to_string_lossy().into_owned();
        puppetry(root(), &["inspect", &name])
            .exits_with(0)
            .prints("up            +Y (as the file says")
            .prints("faces         +Z (as the file says")
            .prints("leave it where it is")
            .warns_of_nothing();
    }
}

#[test]
fn inspect_says_what_will_be_done_about_a_small_tilted_soup() {
    let dir = tempfile::tempdir().unwrap();
    // Millimetres, two triangles that do not share vertices, one vertex alone, one triangle twice.
    let obj = "v 0 0 0\nv 900 0 0\nv 0 1800 0\nv 900 0 0\nv 0 1800 0\nv 900 1800 1\nv 5 5 5\nf 1 2 3\nf 4 6 5\nf 4 6 5\n";
    fs::write(dir.path().join("card.obj"), obj).unwrap();
    puppetry(dir.path(), &["inspect", "card.obj", "--up", "y", "--front", "z"])
        .exits_with(0)
        .prints("OBJ, 1 part")
        .prints("1800 units high = 1.8 m")
        .prints("up            +Y (as told)")
        .prints("vertices      7, 5 after welding")
        .prints("triangles     3, 2 in use")
        .prints("watertight    no")
        .prints("scale it by 0.001 to metres")
        .prints("work without 0 degenerate and 1 duplicate triangles")
        .prints("carry along vertices that no triangle uses: 1");
}

#[test]
fn inspect_writes_one_json_object_a_file_whatever_the_number_of_threads() {
    let names: Vec<String> = example_characters().iter().map(|c| c.to_string_lossy().into_owned()).collect();
    let arguments = |threads| {
        let mut arguments = vec!["inspect", "--json", "--threads", threads];
        arguments.extend(names.iter().map(String::as_str));
        arguments
    };
    let one = puppetry(root(), &arguments("1")).exits_with(0).stdout();
    let two = puppetry(root(), &arguments("2")).exits_with(0).stdout();
    assert_eq!(one, two);
    let objects: Vec<serde_json::Value> =
        one.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), names.len());
    for object in objects {
        assert_eq!(object["kind"], "mesh");
        assert!(object["welded_vertices"].as_u64().unwrap() <= object["vertices"].as_u64().unwrap());
    }
}

#[test]
fn inspect_takes_the_height_unit_and_axes_that_it_is_told() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("tetra.obj"), TETRAHEDRON).unwrap();
    let inspect = |flags: &[&str]| puppetry(dir.path(), &[&["inspect", "tetra.obj"], flags].concat());
    inspect(&["--height", "3", "--up", "y"]).exits_with(0).prints("= 3 m (as told)");
    inspect(&["--unit", "0.1", "--up", "y"])
        .exits_with(0)
        .prints("= 0.15 m (as told)")
        .complains("--height 1.7");
    inspect(&["--keep-size", "--up", "-z", "--front", "x"])
        .exits_with(0)
        .prints("= 1 m")
        .prints("up            -Z");
    inspect(&["--height", "3", "--unit", "2"]).exits_with(2).complains("cannot be used with");
    inspect(&["--height", "-1"]).exits_with(2).complains("above zero");
    inspect(&["--up", "y", "--front", "y"]).exits_with(1).complains("cannot face +Y while +Y is up");
    inspect(&["--up", "y", "--height", "1e-320"]).exits_with(1).complains("beyond reckoning");
    inspect(&["--height", "0"]).exits_with(2).complains("above zero");
    inspect(&["--up", "w"]).exits_with(2).complains("possible values");
}

#[test]
fn each_broken_file_gets_one_sentence_with_its_name_and_the_way_out() {
    let dir = tempfile::tempdir().unwrap();
    let cases: &[(&str, &[u8], &str)] = &[
        ("empty.obj", b"", "the file is empty"),
        ("noise.bin", b"\x00\x01\x02\x03hello", "save it as GLB"),
        ("points.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\n", "no triangles"),
        ("line.obj", b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "none of its 1 triangles has an area"),
        ("nan.obj", b"v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n", "line 2"),
        ("range.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "there are 3"),
        ("huge.obj", b"v 0 0 0\nv 1e308 0 0\nv -1e308 1 0\nf 1 2 3\n", "beyond reckoning"),
        ("cut.glb", b"glTF\x02\x00\x00\x00\xff\x00\x00\x00\x20\x00\x00\x00JSON{}", "cut.glb"),
        ("many.ply", b"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n", "cut off"),
    ];
    for (name, bytes, part) in cases {
        fs::write(dir.path().join(name), bytes).unwrap();
        let run = puppetry(dir.path(), &["inspect", name]).exits_with(1).complains(part).complains(name);
        assert_eq!(run.stderr().lines().count(), 1, "one sentence: {}", run.stderr());
        assert!(run.stderr().starts_with("Error: Cannot ") && run.stdout().is_empty(), "{}", run.stderr());
    }
    puppetry(dir.path(), &["inspect", "absent.glb"])
        .exits_with(1)
        .complains("'absent.glb'")
        .complains("No such file");
    puppetry(dir.path(), &["inspect", "."]).exits_with(1).complains("'.'");
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("good.obj"), TETRAHEDRON).unwrap();
    puppetry(dir.path(), &["inspect", "absent.obj", "good.obj"])
        .exits_with(1)
        .prints("good.obj")
        .complains("absent.obj");
    let json = puppetry(dir.path(), &["inspect", "--json", "absent.obj", "good.obj"]).exits_with(1).stdout();
    let objects: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(objects[0]["error"].as_str().unwrap().contains("absent.obj") && objects[1]["kind"] == "mesh");
}

#[test]
fn motions_and_skeletons_list_what_is_built_in() {
    let motions = puppetry(root(), &["motions"]).exits_with(0).prints("walk").prints("quad_gallop").stdout();
    assert_eq!(motions.lines().count(), common::files(&root().join("motions"), ".bvh").len());
    let skeletons = puppetry(root(), &["skeletons"]).exits_with(0).prints("human        22 joints").stdout();
    assert_eq!(skeletons.lines().count(), common::files(&root().join("skeletons"), ".skeleton").len());
    for command in ["motions", "skeletons"] {
        for line in puppetry(root(), &[command, "--json"]).exits_with(0).stdout().lines() {
            assert!(serde_json::from_str::<serde_json::Value>(line).unwrap()["name"].is_string());
        }
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_puppetry"))
        .arg("motions")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
}
