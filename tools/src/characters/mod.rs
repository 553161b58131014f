//! The characters of this repository: examples, and hard cases for the tests.
//!
//! Each character is a description in its own file: numbers, joints that follow from them, and flesh around the
//! joints. The road from there to a file is the same for all:
//! implicit (solids as functions) → grid (a first mesh) → remesh (even triangles) → paint (outlines of colours
//! cut in) → model (both halves, a [`puppetry::stages::mesh::Mesh`], statistics) → GLB and truth file.
//! The same bytes come out on every run.

mod beast;
mod body;
mod child;
mod creatures;
mod dog;
mod gingerbread;
mod grid;
mod hard_cases;
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

use model::Character;
use puppetry::stages::io::write_glb;

/// How a character is made.
pub type Make = fn() -> Character;

/// The example characters by the names of their files in `examples/characters`.
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

/// The creatures by the names of their files in `examples/characters/creatures`.
pub const CREATURES: [(&str, Make); 9] = [
    ("bird", creatures::bird),
    ("centaur", creatures::centaur),
    ("dragon", creatures::dragon),
    ("fish", creatures::fish),
    ("fourarms", creatures::fourarms),
    ("hexapod", creatures::hexapod),
    ("raptor", creatures::raptor),
    ("snake", creatures::snake),
    ("spider", creatures::spider),
];

/// The characters of the tests by the names of their files in `tests/data`.
pub const HARD_CASES: [(&str, Make); 6] = [
    ("fused_thighs", hard_cases::fused_thighs),
    ("long_neck", hard_cases::long_neck),
    ("lowered_arms", hard_cases::lowered_arms),
    ("pebbles", hard_cases::pebbles),
    ("robe", hard_cases::robe),
    ("staff", hard_cases::staff),
];

/// The two files of a character, by their endings.
pub fn files(character: &Character) -> anyhow::Result<[(&'static str, Vec<u8>); 2]> {
    let truth = serde_json::to_string_pretty(&character.truth())? + "\n";
    Ok([("glb", write_glb(&character.mesh)?), ("truth.json", truth.into_bytes())])
}
