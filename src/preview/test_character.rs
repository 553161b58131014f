//! A character for tests.

use super::{AnimatedCharacter, BodyJoints, RenderCharacter};
use crate::math::{Similarity, Vec3};
use crate::mesh::shapes;
use crate::rig::{Rig, RigJoint, RigSole, SkinWeights, SolePoint};
use nalgebra::Isometry3;

/// A ball of radius 1 on the floor, on one joint in its middle below a root on the floor, with one sole below it.
pub fn ball() -> RenderCharacter {
    let mesh = shapes::uv_sphere(16, 24);
    let weights = SkinWeights::rigid(mesh.positions.len(), 1);
    let points = [-0.2, 0.2].map(|z| SolePoint { position: Vec3::new(0.0, 0.0, z), weights: vec![(1, 1.0)] });
    let rig = Rig {
        joints: vec![joint("root", None, 0.0), joint("pelvis", Some(0), 1.0)].into(),
        tips: Vec::new(),
        soles: vec![RigSole { foot: 1, points: points.to_vec() }],
        roles: Vec::new(),
        helpers: Vec::new(),
        outline: Vec::new(),
        girths: Vec::new(),
    };
    let up = Similarity::new(Vec3::y(), Vec3::zeros(), 1.0);
    RenderCharacter::new(
        mesh,
        &up,
        Vec::new(),
        weights,
        &rig,
        BodyJoints { hips: 1, ..BodyJoints::default() },
    )
}

fn joint(name: &str, parent: Option<usize>, y: f64) -> RigJoint {
    RigJoint { name: name.into(), parent, rest: Isometry3::translation(0.0, y, 0.0) }
}

/// The ball at some positions, one a frame, ten frames a second, with its foot on the ground.
pub fn moved<'a>(character: &'a RenderCharacter, positions: &[Vec3]) -> AnimatedCharacter<'a> {
    AnimatedCharacter {
        character,
        frames_per_second: 10.0,
        poses: positions
            .iter()
            .map(|p| vec![Isometry3::identity(), Isometry3::translation(p.x, p.y, p.z)])
            .collect(),
        planted: vec![vec![true]; positions.len()],
        slide: [0.0; 2],
        in_place_speed: 0.0,
        leg: 0.5,
        root: positions.iter().map(|position| position + Vec3::y()).collect(),
        loops: false,
    }
}

/// The same with its foot in the air.
pub fn flying<'a>(character: &'a RenderCharacter, positions: &[Vec3]) -> AnimatedCharacter<'a> {
    let planted = vec![vec![false]; positions.len()];
    AnimatedCharacter { planted, ..moved(character, positions) }
}
