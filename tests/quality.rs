//! How good the results are, character by character and clip by clip, so that a change of quality is seen in review.
//!
//! `tests/golden/quality.txt` holds the figures; `BLESS=1` writes them anew. A figure may differ by a tolerance.

// Input and expected values, not results: any bits will do.
#![allow(clippy::disallowed_methods)]

mod common;

use common::truth::{joint_errors, reported_joints, truth};
use common::{example_characters, hard_cases, puppetry, root};
use rayon::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A figure may be larger or smaller by this part of itself, or by so many units of its last digit.
const TOLERANCE: f64 = 0.05;
const UNITS: f64 = 2.0;

#[test]
fn no_figure_of_quality_changes_unseen() {
    let characters = [example_characters(), hard_cases()].concat();
    let rows: Vec<Vec<String>> = characters.par_iter().map(|path| rows(path)).collect();
    let text = rows.concat().join("\n") + "\n";
    let golden = root().join("tests/golden/quality.txt");
    if std::env::var_os("BLESS").is_some() {
        return fs::write(golden, text).unwrap();
    }
    let expected = fs::read_to_string(golden).expect("tests/golden/quality.txt");
    let changed: Vec<String> = expected
        .lines()
        .zip(text.lines())
        .filter(|(before, now)| !is_alike(before, now))
        .map(|(before, now)| format!("- {before}\n+ {now}"))
        .collect();
    assert_eq!(expected.lines().count(), text.lines().count(), "lines of tests/golden/quality.txt");
    assert!(changed.is_empty(), "quality has changed (BLESS=1 accepts it):\n{}", changed.join("\n"));
}

/// A line for the rig and the skin of a character, and one for each of its clips.
fn rows(character: &Path) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let name = character.file_stem().unwrap().to_string_lossy().into_owned();
    let (file, truth) = (character.to_string_lossy(), truth(character));
    puppetry(dir.path(), &["rig", &file, "-o", "rigged.glb", "--report", "rig.json"]).exits_with(0);
    let rig = read(&dir.path().join("rig.json"));
    let (mean, worst) = joint_errors(&reported_joints(&rig), &truth);
    let poses = rig["skin"]["test_poses"].as_object().unwrap().values();
    let stretch = poses.map(|pose| pose["worst_stretch"].as_f64().unwrap()).fold(0.0, f64::max);
    let bleeding = 100.0 * rig["skin"]["bleeding"].as_f64().unwrap();
    let confidence = rig["confidence"].as_f64().unwrap();
    let mut rows = vec![format!(
        "{name}: joints mean {mean:.2} worst {worst:.2} % of height, confidence {confidence:.2}, bleeding {bleeding:.2} %, \
         worst stretch {stretch:.2}"
    )];
    let is_animal = truth["morphology"] == "quadruped";
    let motions = if is_animal { ["quad_walk", "quad_gallop"] } else { ["walk", "dance"] };
    for motion in motions {
        let args = ["retarget", "rigged.glb", "--motion", motion, "-o", "moved.glb", "--report", "clip.json"];
        puppetry(dir.path(), &args).exits_with(0);
        let clip = read(&dir.path().join("clip.json"))["clips"][0]["retargeting"].clone();
        let slide = &clip["slide"]["character"]["percent_of_leg_per_second"];
        let [mean, most] =
            ["mean", "most"].map(|of| clip["penetration_percent_of_leg"][of].as_f64().unwrap());
        let slide = slide.as_f64().unwrap();
        rows.push(format!(
            "{name} {motion}: slide {slide:.2} % of leg a second, penetration mean {mean:.2} most {most:.2} % of leg"
        ));
    }
    rows
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Whether two lines have the same words and nearly the same numbers.
fn is_alike(before: &str, now: &str) -> bool {
    let words = |line: &str| -> Vec<String> {
        line.split(' ').map(|word| word.trim_end_matches(',').to_owned()).collect()
    };
    let (before, now) = (words(before), words(now));
    before.len() == now.len()
        && before.iter().zip(&now).all(|(before, now)| match (before.parse::<f64>(), now.parse::<f64>()) {
            (Ok(a), Ok(b)) => (a - b).abs() <= (TOLERANCE * a.abs()).max(UNITS * 0.01),
            _ => before == now,
        })
}
