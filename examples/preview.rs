//! Draws a character that dances, without a graphics card: `cargo run --release --example preview -- [MESH [OUTPUT.png]]`.

use nalgebra::Isometry3;
use puppetry::stages::io::write_png;
use puppetry::stages::preview::{AnimatedCharacter, AnimationOptions, AnimationRenderer, RenderCharacter};
use puppetry::{ClipOptions, Image, Motion, Pose, Rig, RigOptions, Silent};
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

    let (rig, hips) = (&character.rig, character.hips());
    let skinned = character.skinned_mesh()?.into_owned();
    let drawn =
        RenderCharacter::new(skinned.mesh, &skinned.rig_from_mesh, vec![], skinned.weights, rig, hips);
    let animated = AnimatedCharacter {
        character: &drawn,
        frames_per_second: 1.0 / clip.motion.frame_seconds,
        poses: clip.poses.iter().map(|pose| moved(rig, pose)).collect(),
        planted: vec![vec![false; drawn.soles.len()]; clip.poses.len()],
        slide: [0.0; 2],
        in_place_speed: 0.0,
        root: clip.poses.iter().map(|pose| pose.positions[hips]).collect(),
        loops: false,
    };
    let renderer = AnimationRenderer::new(&animated, &AnimationOptions::default());
    let frames: Vec<Image> = (0..8).map(|k| renderer.frame(k * animated.frames() / 8)).collect();
    std::fs::write(output, write_png(&Image::sheet(&frames, 4, 4, [255; 4])))?;
    Ok(())
}

/// What each joint does to the surface that was bound to it at rest.
fn moved(rig: &Rig, pose: &Pose) -> Vec<Isometry3<f64>> {
    let now = pose.positions.iter().zip(&pose.rotations);
    let now = now.map(|(position, rotation)| Isometry3::from_parts((*position).into(), *rotation));
    now.zip(&rig.joints).map(|(now, joint)| now * joint.rest.inverse()).collect()
}
