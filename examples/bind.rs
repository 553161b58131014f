//! Binds a character to joints that are given: `cargo run --release --example bind -- MESH JOINTS.json OUT.glb [SHEET.png]`.
//!
//! Read the mesh and the joints → prepare → distance field → heat weights → skinned GLB at rest, what the test poses do
//! to it, and a picture of them.

use anyhow::Context;
use puppetry::stages::embed::field::{DistanceField, FieldOptions};
use puppetry::stages::io::{SkinBinding, load_joints, load_mesh, skeleton_file, write_png, write_rigged_glb};
use puppetry::stages::math::{Similarity, Vec3};
use puppetry::stages::mesh::TriangleTree;
use puppetry::stages::mesh::prepare::{PrepareOptions, prepare};
use puppetry::stages::preview::pose_sheet;
use puppetry::stages::rig::bind_pose;
use puppetry::stages::skeleton::{Skeleton, built_in, manual_joints};
use puppetry::stages::skin::poses::test_poses;
use puppetry::stages::skin::{SkinOptions, bind, quality};
use std::path::PathBuf;
use std::time::Instant;
use std::{env, fs};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let ([mesh_file, joints_file, output] | [mesh_file, joints_file, output, _]) = &arguments[..] else {
        anyhow::bail!("usage: bind MESH JOINTS.json OUT.glb [SHEET.png]");
    };
    let (mesh, mut warnings) = load_mesh(mesh_file)?;
    let joints = load_joints(joints_file)?;
    let skeletons = built_in().iter().map(|file| skeleton_file::read(file.text));
    let skeletons: Vec<Skeleton> =
        skeletons.collect::<Result<_, _>>().map_err(|fault| anyhow::anyhow!("{}", fault.problem))?;
    let skeleton = manual_joints::best_fit(&skeletons, &joints).context("a built-in skeleton")?;

    let prepared = prepare(&mesh, &PrepareOptions::default(), &mut warnings)?;
    let in_file = manual_joints::complete(skeleton, &joints, &mesh.positions)?;
    let placed = |transform: &Similarity| -> Vec<Vec3> {
        in_file.iter().map(|joint| transform.transform_point(&(*joint).into()).coords).collect()
    };
    let tree = TriangleTree::new(&prepared.positions, &prepared.triangles);
    let field = DistanceField::of_mesh(&prepared, &tree, &FieldOptions::default());
    let start = Instant::now();
    let skin = bind(&prepared, skeleton, &placed(&prepared.unit_from_input), &field, &SkinOptions::default());
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;

    let rest = bind_pose(skeleton, &placed(&prepared.placement.output_from_input));
    let weights = skin.weights.remapped(&rest.exported);
    let rigging = SkinBinding {
        placement: &prepared.placement,
        joints: &rest.joints,
        weights: &weights,
        welded: &prepared.welded,
    };
    fs::write(output, write_rigged_glb(&mesh, &rigging)?)?;

    let poses = test_poses(skeleton, &placed(&prepared.unit_from_input));
    let measured = quality::measure(&prepared.positions, &prepared.triangles, &weights, &poses);
    println!(
        "{}: {} vertices, {milliseconds:.1} ms, roughness {:.4}, {:?}",
        output.display(),
        prepared.positions.len(),
        measured.roughness,
        skin.report
    );
    for pose in &measured.poses {
        println!(
            "  {:14} worst stretch {:6.2}, one edge in a thousand {:5.2}, volume {:.3}",
            pose.name, pose.worst_stretch, pose.stretch_999, pose.volume
        );
    }
    if let Some(sheet) = arguments.get(3) {
        fs::write(sheet, write_png(&pose_sheet(&prepared, &weights, &poses)))?;
    }
    Ok(())
}
