//! Moves a motion onto a character that has joints and a skin already, and keeps both:
//! `cargo run --release --example retarget -- [CHARACTER [MOTION [OUTPUT]]]`. The example `rig` writes such a character.

use puppetry::{ClipOptions, ExportOptions, LoadOptions, Loaded};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let character = arguments.next().unwrap_or_else(|| "rigged.glb".into());
    let motion = arguments.next().unwrap_or_else(|| "motions/run.bvh".into());
    let output = arguments.next().unwrap_or_else(|| "running.glb".into());
    run(character.as_ref(), motion.as_ref(), output.as_ref())
}

/// Moves the motion of a file onto the character of another.
pub fn run(file: &Path, motion: &Path, output: &Path) -> Result<(), Box<dyn Error>> {
    let (Loaded::Character(character), _) = puppetry::load(file, &LoadOptions::default())? else {
        return Err(format!("'{}' has no skin; rig it first", file.display()).into());
    };
    let (run, warnings) = puppetry::load_motion(motion)?;
    warnings.iter().for_each(|warning| eprintln!("{warning}"));

    let mut options = ClipOptions::default();
    options.looping = true;
    let clip = puppetry::animate(&character, "run", &run, &options)?;
    let slide = clip.report.slide.character.percent_of_leg_per_second;
    println!(
        "{} frames, {:.2} m/s, planted feet slide {slide} % of a leg a second",
        clip.poses.len(),
        clip.speed
    );

    for file in puppetry::export(&character, &[clip], output, &ExportOptions::default())? {
        std::fs::write(&file.path, &file.bytes)?;
    }
    Ok(())
}
