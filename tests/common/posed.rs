//! Characters that do not stand: an example with a moment of a motion baked into its surface.

use nalgebra::{Isometry3, Translation3};
use puppetry::{ClipOptions, Motion, RigOptions, Silent, Vec3};
use std::path::Path;

/// Writes a character as an OBJ in the pose of a built-in motion at a moment from 0 to 1. Gives its joints there.
pub fn write_posed(out: &Path, character: &Path, motion: &str, moment: f64) -> Vec<(String, Vec3)> {
    let (mesh, _) = puppetry::load_mesh(character).unwrap();
    let character = puppetry::rig(&mesh, &RigOptions::default(), &Silent).unwrap().character;
    let motion = Motion::built_in(motion).unwrap();
    let animated = puppetry::animate(&character, "pose", &motion, &ClipOptions::default()).unwrap();
    let pose = &animated.poses[(moment * (animated.poses.len() - 1) as f64) as usize];
    let rests = character.rig.joints.iter().map(|joint| joint.rest);
    let placed = pose.positions.iter().zip(&pose.rotations);
    let posed_from_rest: Vec<Isometry3<f64>> = placed
        .zip(rests)
        .map(|((position, rotation), rest)| {
            Isometry3::from_parts(Translation3::from(*position), *rotation) * rest.inverse()
        })
        .collect();
    let skinned = character.skinned_mesh().unwrap();
    let mut text = String::new();
    for (vertex, position) in skinned.mesh.positions.iter().enumerate() {
        let at_rest = skinned.rig_from_mesh * nalgebra::Point3::from(*position);
        let moved = skinned.weights.of(vertex).fold(Vec3::zeros(), |sum, (joint, weight)| {
            sum + (posed_from_rest[joint] * at_rest).coords * weight
        });
        text += &format!("v {} {} {}\n", moved.x, moved.y, moved.z);
    }
    for [a, b, c] in &skinned.mesh.triangles {
        text += &format!("f {} {} {}\n", a + 1, b + 1, c + 1);
    }
    std::fs::write(out, text).unwrap();
    let names = character.rig.joints.iter().map(|joint| joint.name.clone());
    names.zip(pose.positions.iter().copied()).collect()
}
