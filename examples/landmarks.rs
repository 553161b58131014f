//! Prints the joints that the shape of characters shows, without any search.
//!
//! `cargo run --release --example landmarks -- FILE... [--json DIR]`: with `--json`, the joints of each file are
//! written to `DIR/NAME.json` in the coordinates of the file.

use puppetry::stages::embed::landmarks::{Landmark, Landmarks, find_landmarks};
use puppetry::stages::io::load_mesh;
use puppetry::stages::math::{Similarity, Vec3};
use puppetry::stages::mesh::prepare::{PrepareOptions, prepare};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folder: Option<PathBuf> = None;
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--json" {
            folder = Some(arguments.next().ok_or("--json needs a folder")?.into());
        } else {
            files.push(argument.into());
        }
    }
    for file in &files {
        let (mesh, mut warnings) = load_mesh(file)?;
        let prepared = prepare(&mesh, &PrepareOptions::default(), &mut warnings)?;
        let start = Instant::now();
        let landmarks = find_landmarks(&prepared, None);
        let seconds = start.elapsed().as_secs_f64();
        let input_from_unit = prepared.unit_from_input.inverse();
        print(file, &landmarks, &input_from_unit, seconds);
        if let Some(folder) = &folder {
            std::fs::create_dir_all(folder)?;
            let name = file.with_extension("json");
            let name = name.file_name().ok_or("a file has a name")?;
            std::fs::write(folder.join(name), json(&landmarks, &input_from_unit))?;
        }
    }
    Ok(())
}

fn in_input(input_from_unit: &Similarity, position: &Vec3) -> Vec3 {
    input_from_unit.transform_point(&(*position).into()).coords
}

fn print(file: &Path, landmarks: &Landmarks, input_from_unit: &Similarity, seconds: f64) {
    println!(
        "{}: {:?} ({:?}), confidence {:.2}, mirror overlap {:.2}, {:.0} ms",
        file.display(),
        landmarks.plan,
        landmarks.plan_reason,
        landmarks.confidence,
        landmarks.plane.overlap,
        seconds * 1e3
    );
    for diagnostic in &landmarks.diagnostics {
        println!("  diagnostic: {diagnostic}");
    }
    for joint in &landmarks.joints {
        let at = in_input(input_from_unit, &joint.position);
        println!("  {:22}{:10.4}{:10.4}{:10.4}   {:.2}", name(joint), at.x, at.y, at.z, joint.confidence);
    }
}

/// Its role, with a number from the second joint of that role on.
fn name(landmark: &Landmark) -> String {
    let number = if landmark.rank == 0 { String::new() } else { (landmark.rank + 1).to_string() };
    format!("{}{number}", landmark.role)
}

fn json(landmarks: &Landmarks, input_from_unit: &Similarity) -> String {
    let joint = |joint: &Landmark| {
        let at = in_input(input_from_unit, &joint.position);
        (name(joint), serde_json::json!([at.x, at.y, at.z]))
    };
    let joints: serde_json::Map<String, serde_json::Value> = landmarks.joints.iter().map(joint).collect();
    format!("{:#}\n", serde_json::json!({ "joints": joints, "confidence": landmarks.confidence }))
}
