//! Rigs and animates every mesh of a folder; a file that cannot be done does not stop the others:
//! `cargo run --release --example batch -- [FOLDER [OUTPUT-FOLDER]]`.

use puppetry::{ClipOptions, Error, ExportOptions, Motion, OutputFile, RigOptions, Silent};
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| "examples/characters".into());
    let output = arguments.next().unwrap_or_else(|| "walking".into());
    let failed = run(folder.as_ref(), output.as_ref())?;
    if failed.is_empty() { Ok(()) } else { Err(format!("{} files are not done", failed.len()).into()) }
}

/// The files that could not be done.
pub fn run(folder: &Path, output: &Path) -> std::io::Result<Vec<PathBuf>> {
    std::fs::create_dir_all(output)?;
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        files.push(entry?.path());
    }
    files.retain(|file| file.extension().is_some_and(|ending| ending == "glb"));
    files.sort();
    let mut failed = Vec::new();
    for file in files {
        match walking(&file, &output.join(file.file_name().unwrap_or_default())) {
            Ok(written) => written.iter().try_for_each(|file| std::fs::write(&file.path, &file.bytes))?,
            // The code is for programs, the sentence for people.
            Err(error) => {
                eprintln!("{} ({}): {error}", file.display(), error.code());
                failed.push(file);
            }
        }
    }
    Ok(failed)
}

fn walking(file: &Path, output: &Path) -> Result<Vec<OutputFile>, Error> {
    let (mesh, _) = puppetry::load_mesh(file)?;
    let character = puppetry::rig(&mesh, &RigOptions::default(), &Silent)?.character;
    let gait = if character.rig.soles.len() > 2 { "quad_walk" } else { "walk" };
    let walk = Motion::built_in(gait).expect("a built-in motion");
    let clip = puppetry::animate(&character, "walk", &walk, &ClipOptions::default())?;
    puppetry::export(&character, &[clip], output, &ExportOptions::default())
}
