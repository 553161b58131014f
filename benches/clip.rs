//! From poses to a file: baking, leaving out keys, and writing, without retargeting.
//!
//! A thousand frames of 24 joints on a mesh of 57,000 vertices: at most 60 ms.

// Input and expected values, not results: any bits will do.
#![allow(clippy::disallowed_methods)]

use divan::Bencher;
use nalgebra::Isometry3;
use puppetry::stages::clip::{Clip, SkinExtent, bake};
use puppetry::stages::io::{GltfCharacter, SkinBinding, rigged_character};
use puppetry::stages::math::{Axis, Quat, Vec3};
use puppetry::stages::mesh::orientation::OrientationOptions;
use puppetry::stages::mesh::placement::Size;
use puppetry::stages::mesh::prepare::{PrepareOptions, PreparedMesh, prepare};
use puppetry::stages::mesh::{Mesh, shapes};
use puppetry::stages::motion::Pose;
use puppetry::stages::rig::{Rig, RigJoint, SkinWeights};
use serde_json::Value;

const JOINTS: usize = 24;
const FRAMES: usize = 1000;

fn main() {
    divan::main();
}

/// A chain up the middle of a ball.
fn rig() -> Rig {
    let joint = |index: usize| RigJoint {
        name: format!("j{index}"),
        parent: index.checked_sub(1),
        rest: Isometry3::translation(0.0, 2.0 * index as f64 / JOINTS as f64, 0.0),
    };
    Rig {
        joints: (0..JOINTS).map(joint).collect(),
        tips: Vec::new(),
        soles: Vec::new(),
        roles: Vec::new(),
        helpers: Vec::new(),
        outline: Vec::new(),
        girths: Vec::new(),
    }
}

/// Every joint swings at its own pace, and the second travels.
fn poses(rig: &Rig) -> Vec<Pose> {
    let pose = |frame: usize| {
        let time = frame as f64 / 60.0;
        let mut pose = Pose { positions: vec![Vec3::zeros()], rotations: vec![Quat::identity()] };
        for joint in 1..rig.joints.len() {
            let angle = 0.2 * ((1.0 + 0.3 * joint as f64) * time).sin();
            let turn = Quat::from_euler_angles(angle, 0.5 * angle, -angle);
            let walk = if joint == 1 { Vec3::z() * time } else { Vec3::zeros() };
            let offset = Vec3::y() * (2.0 / JOINTS as f64);
            pose.positions.push(pose.positions[joint - 1] + pose.rotations[joint - 1] * offset + walk);
            pose.rotations.push(pose.rotations[joint - 1] * turn);
        }
        pose
    };
    (0..FRAMES).map(pose).collect()
}

fn ball() -> (Mesh, PreparedMesh) {
    let mesh = shapes::uv_sphere(169, 338);
    let orientation = OrientationOptions { up: Some(Axis::PosY), front: Some(Axis::PosZ) };
    let options = PrepareOptions { orientation, size: Size::Keep, ..PrepareOptions::default() };
    let prepared = prepare(&mesh, &options, &mut Vec::new()).expect("a ball is a mesh");
    (mesh, prepared)
}

fn character(rig: &Rig, mesh: &Mesh, prepared: &PreparedMesh) -> GltfCharacter {
    let weights = SkinWeights::rigid(prepared.positions.len(), 3);
    let rigging = SkinBinding {
        placement: &prepared.placement,
        joints: &rig.joints,
        weights: &weights,
        welded: &prepared.welded,
        displacements: &[],
    };
    rigged_character(mesh, &rigging).expect("it can be written")
}

fn extent(rig: &Rig, prepared: &PreparedMesh) -> SkinExtent {
    let surface: Vec<_> = prepared.positions.iter().map(|place| (*place, vec![(3, 1.0)])).collect();
    SkinExtent::of(rig, &surface)
}

fn baked(rig: &Rig, poses: &[Pose], extent: &SkinExtent, compact: bool) -> Clip {
    let mut clip = bake(rig, "swing", 1.0 / 60.0, poses);
    clip.reduce(extent, 4e-5);
    if compact {
        clip.quantize(rig, &[Quat::identity(); JOINTS], poses);
    }
    std::hint::black_box(extent.error(rig, poses, &clip));
    clip
}

#[divan::bench(args = [false, true])]
fn bake_and_write(bencher: Bencher, compact: bool) {
    let (rig, (mesh, prepared)) = (rig(), ball());
    let (poses, extent) = (poses(&rig), extent(&rig, &prepared));
    let character = character(&rig, &mesh, &prepared);
    bencher.bench(|| {
        let clip = baked(&rig, &poses, &extent, compact);
        let mut character = character.clone();
        character.add_clips(&[(&clip, Value::Null)]);
        character.glb().expect("it fits")
    });
}

#[divan::bench(args = [false, true])]
fn bake_only(bencher: Bencher, compact: bool) {
    let (rig, (_, prepared)) = (rig(), ball());
    let (poses, extent) = (poses(&rig), extent(&rig, &prepared));
    bencher.bench(|| baked(&rig, &poses, &extent, compact));
}

#[divan::bench]
fn bind_and_write(bencher: Bencher) {
    let (rig, (mesh, prepared)) = (rig(), ball());
    bencher.bench(|| character(&rig, &mesh, &prepared).glb().expect("it fits"));
}
