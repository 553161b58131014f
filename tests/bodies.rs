//! Motions of people on animals and of animals on people, as the real binary.

mod common;

use common::{corpus_file, puppetry, root};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn example(name: &str) -> String {
    root().join(format!("examples/characters/{name}.glb")).to_string_lossy().into_owned()
}

fn report(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn to_walk_means_on_four_legs_for_an_animal() {
    let dir = tempfile::tempdir().unwrap();
    let dog = example("dog");
    let walks = |motion: &str, out: &str, more: &[&str]| {
        let args = [&["animate", &dog, "--motion", motion, "-o", out, "--report", "r.json"], more].concat();
        puppetry(dir.path(), &args).exits_with(0);
        report(&dir.path().join("r.json"))["clips"][0].clone()
    };
    let own = walks("walk", "walk.glb", &[]);
    assert_eq!(own["name"], "walk");
    let named = walks("quad_walk", "quad_walk.glb", &[]);
    for figure in ["seconds", "frames", "speed_meters_per_second", "bytes"] {
        assert_eq!(own[figure], named[figure], "{figure}");
    }
    // Whoever asks for it gets what was named.
    let on_two = walks("walk", "two.glb", &["--any-body"]);
    assert_ne!(on_two["frames"], named["frames"]);
}

#[test]
fn a_motion_of_another_body_is_refused_unless_it_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let (dog, child) = (example("dog"), example("child"));
    let refused = |character: &str, motion: &str, sentence: &str| {
        puppetry(dir.path(), &["animate", character, "--motion", motion, "-o", "out.glb"])
            .exits_with(1)
            .complains(sentence);
        assert!(!dir.path().join("out.glb").exists());
        puppetry(dir.path(), &["animate", character, "--motion", motion, "-o", "any.glb", "--any-body"])
            .exits_with(0);
        fs::remove_file(dir.path().join("any.glb")).unwrap();
    };
    let on_dog = "the motion is of a body on two legs, and the character stands on four legs; choose one of its kind, or give \
                  --any-body";
    refused(&dog, "dance", on_dog);
    // A file is what it is, whatever its name.
    let walk = root().join("motions/walk.bvh").to_string_lossy().into_owned();
    refused(&dog, &walk, on_dog);
    let on_child = "the motion is of a body on four legs, and the character stands on two legs";
    refused(&child, "quad_trot", on_child);
    for (character, file) in [(&dog, "run_mixamo_names.bvh"), (&child, "quad_fox_run.bvh")] {
        if let Some(path) = corpus_file(file) {
            refused(character, &path.to_string_lossy(), "choose one of its kind, or give --any-body");
        }
    }
}

#[test]
fn a_gallery_leaves_out_what_is_of_another_body_and_says_how_many() {
    let dir = tempfile::tempdir().unwrap();
    let dog = example("dog");
    let arguments = |more: &[&'static str]| -> Vec<String> {
        let fixed = ["preview", "quad_idle", "wave", "sit", "-o", "page", "--size", "64", "--character"];
        fixed.iter().copied().chain([dog.as_str()]).chain(more.iter().copied()).map(str::to_owned).collect()
    };
    for drawn in [1, 0] {
        let arguments = arguments(&[]);
        puppetry(dir.path(), &arguments.iter().map(String::as_str).collect::<Vec<_>>()).exits_with(0).prints(&format!(
            "1 clip, {drawn} of them drawn now, 2 motions of another kind of body left out, 0 could not be shown"
        ));
    }
    puppetry(dir.path(), &["preview", "wave", "-o", "other", "--size", "64", "--character", &dog])
        .exits_with(1)
        .complains("they are of another kind of body than the character; give another one, or --any-body");
}
