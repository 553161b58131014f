//! Makes the example characters of this repository: `cargo run --release --example make_characters [-- DIR]`.
//!
//! Each character is a description in its own file: numbers, joints that follow from them, and flesh around the
//! joints. The road from there to a file is the same for all:
//! implicit (solids as functions) → grid (a first mesh) → remesh (even triangles) → paint (outlines of colours
//! cut in) → model (both halves, a [`puppetry::mesh::Mesh`], statistics) → GLB and truth file.
//! The same bytes come out on every run.

mod beast;
mod body;
mod child;
mod dog;
mod gingerbread;
mod grid;
mod horse;
mod implicit;
mod layers;
mod model;
mod paint;
mod remesh;
mod robot;
mod slim;
mod solids;
mod surface;
mod texture;
mod troll;

use anyhow::Context;
use model::Character;
use puppetry::io::write_glb;
use std::path::{Path, PathBuf};
use std::{env, fs};

const CAST: [fn() -> Character; 8] = [
    gingerbread::make,
    slim::make,
    child::make,
    troll::make,
    dog::make,
    horse::make,
    robot::make,
    layers::make,
];

fn main() -> anyhow::Result<()> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/characters");
    let folder = env::args_os().nth(1).map_or_else(beside, PathBuf::from);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder '{}'", folder.display()))?;
    for make in CAST {
        let character = make();
        let glb = write_glb(&character.mesh).with_context(|| format!("cannot write '{}'", character.name))?;
        let truth = serde_json::to_string_pretty(&character.truth())? + "\n";
        println!(
            "{:12} {:6} vertices {:6} triangles {:8} bytes",
            character.name,
            character.mesh.positions.len(),
            character.mesh.triangles.len(),
            glb.len()
        );
        for (ending, bytes) in [("glb", glb), ("truth.json", truth.into_bytes())] {
            let file = folder.join(format!("{}.{ending}", character.name));
            fs::write(&file, bytes).with_context(|| format!("cannot write '{}'", file.display()))?;
        }
    }
    Ok(())
}
