//! Makes the example characters of this repository: `cargo run --release --example make_characters [-- DIR]`.
//!
//! Each character is a description in its own file: numbers, joints that follow from them, and flesh around the
//! joints. The road from there to a file is the same for all:
//! implicit (solids as functions) → grid (a first mesh) → remesh (even triangles) → paint (outlines of colours
//! cut in) → model (both halves, a [`puppetry::stages::mesh::Mesh`], statistics) → GLB and truth file.
//! The same bytes come out on every run.

// The committed files were made with these functions.
#![allow(clippy::disallowed_methods)]

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
use puppetry::stages::io::write_glb;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// How a character is made.
pub type Make = fn() -> Character;

/// The characters by the names of their files.
pub const CAST: [(&str, Make); 8] = [
    ("gingerbread", gingerbread::make),
    ("slim", slim::make),
    ("child", child::make),
    ("troll", troll::make),
    ("dog", dog::make),
    ("horse", horse::make),
    ("robot", robot::make),
    ("layers", layers::make),
];

fn main() -> anyhow::Result<()> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/characters");
    let folder = env::args_os().nth(1).map_or_else(beside, PathBuf::from);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder '{}'", folder.display()))?;
    for (name, make) in CAST {
        for (ending, bytes) in files(&make()).with_context(|| format!("cannot make '{name}'"))? {
            let file = folder.join(format!("{name}.{ending}"));
            fs::write(&file, &bytes).with_context(|| format!("cannot write '{}'", file.display()))?;
            println!("{}: {} bytes", file.display(), bytes.len());
        }
    }
    Ok(())
}

/// The two files of a character, by their endings.
pub fn files(character: &Character) -> anyhow::Result<[(&'static str, Vec<u8>); 2]> {
    let truth = serde_json::to_string_pretty(&character.truth())? + "\n";
    Ok([("glb", write_glb(&character.mesh)?), ("truth.json", truth.into_bytes())])
}
