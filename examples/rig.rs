//! Finds the joints of a mesh, binds its skin to them and saves the character:
//! `cargo run --release --example rig -- [MESH [OUTPUT]]`.

use puppetry::{ExportOptions, RigOptions, Silent};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mesh = arguments.next().unwrap_or_else(|| "examples/characters/gingerbread.glb".into());
    let output = arguments.next().unwrap_or_else(|| "rigged.glb".into());
    run(mesh.as_ref(), output.as_ref())
}

/// Rigs the mesh of a file.
pub fn run(file: &Path, output: &Path) -> Result<(), Box<dyn Error>> {
    let (mesh, warnings) = puppetry::load_mesh(file)?;
    warnings.iter().for_each(|warning| eprintln!("{warning}"));

    let rigged = puppetry::rig(&mesh, &RigOptions::default(), &Silent)?;
    for joint in &rigged.character.rig.joints {
        let at = joint.rest.translation;
        println!("{:16} {:7.3} {:7.3} {:7.3} m", joint.name, at.x, at.y, at.z);
    }
    // Without clips: joints and skin at rest. The ending chooses the format.
    for file in puppetry::export(&rigged.character, &[], output, &ExportOptions::default())? {
        std::fs::write(&file.path, &file.bytes)?;
    }
    Ok(())
}
