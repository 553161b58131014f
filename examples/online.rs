//! Moves a character frame by frame while its motion comes in, as from live motion capture:
//! `cargo run --release --example online -- [MESH [MOTION]]`.

use puppetry::{Pose, RetargetOptions, Retargeter, RigOptions, Silent, Source, SourceOptions};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mesh = arguments.next().unwrap_or_else(|| "examples/characters/gingerbread.glb".into());
    let motion = arguments.next().unwrap_or_else(|| "motions/walk.bvh".into());
    let shown = run(mesh.as_ref(), motion.as_ref())?;
    println!("{shown} poses");
    Ok(())
}

/// The number of poses that were shown.
pub fn run(mesh: &Path, motion: &Path) -> Result<usize, Box<dyn Error>> {
    let (mesh, _) = puppetry::load_mesh(mesh)?;
    let rig = puppetry::rig(&mesh, &RigOptions::default(), &Silent)?.character.rig;
    let (motion, _) = puppetry::load_motion(motion)?;

    // Who moves: the hierarchy and one frame are enough.
    let source = Source::of(&motion, &SourceOptions::default());
    let options = RetargetOptions { look_ahead: 0.05, ..RetargetOptions::default() };
    let mut retargeter = Retargeter::live(&rig, &source, motion.frame_seconds, &options);

    let mut shown = 0;
    for frame in 0..motion.frames {
        // The pose that comes out belongs to the frame 0.05 s ago.
        if let Some(pose) = retargeter.push(&motion.pose(frame)) {
            shown += show(pose);
        }
    }
    while let Some(pose) = retargeter.finish() {
        shown += show(pose);
    }
    Ok(shown)
}

/// Here the joints would go to an engine: a position and a rotation each, in the world.
fn show(pose: &Pose) -> usize {
    usize::from(pose.positions.len() == pose.rotations.len())
}
