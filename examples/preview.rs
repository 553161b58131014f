//! Draws a character that dances, without a graphics card: `cargo run --release --example preview -- [MESH [OUTPUT.png]]`.

use puppetry::{AnimationOptions, ClipOptions, Image, Motion, RigOptions, Silent};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mesh = arguments.next().unwrap_or_else(|| "examples/characters/gingerbread.glb".into());
    let output = arguments.next().unwrap_or_else(|| "dance.png".into());
    run(mesh.as_ref(), output.as_ref())
}

/// Draws eight moments of a dance.
pub fn run(file: &Path, output: &Path) -> Result<(), Box<dyn Error>> {
    let (mesh, _) = puppetry::load_mesh(file)?;
    let character = puppetry::rig(&mesh, &RigOptions::default(), &Silent)?.character;
    let dance = Motion::built_in("dance").ok_or("a built-in motion")?;
    let clip = puppetry::animate(&character, "dance", &dance, &ClipOptions::default())?;

    let frames = puppetry::draw(&character, &clip, 8, &AnimationOptions::default())?;
    std::fs::write(output, puppetry::write_png(&Image::sheet(&frames, 4, 4, [255; 4])))?;
    Ok(())
}
