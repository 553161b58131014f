//! Binds a character to joints that are given: `cargo run --release --example bind -- MESH JOINTS.json OUT.glb`.
//!
//! Read the mesh and the joints → prepare → distance field → heat weights → skinned GLB at rest.

use anyhow::Context;
use puppetry::embed::field::{DistanceField, FieldOptions};
use puppetry::io::{Rigging, joint_file, load_mesh, skeleton_file, write_rigged_glb};
use puppetry::math::Vec3;
use puppetry::mesh::TriangleTree;
use puppetry::mesh::prepare::{PrepareOptions, prepare};
use puppetry::skeleton::{built_in, given};
use puppetry::skin::rest::rest_joints;
use puppetry::skin::{SkinOptions, bind};
use std::path::PathBuf;
use std::time::Instant;
use std::{env, fs};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [mesh_file, joints_file, output] = &arguments[..] else {
        anyhow::bail!("usage: bind MESH JOINTS.json OUT.glb");
    };
    let (mesh, _) = load_mesh(mesh_file)?;
    let text = fs::read(joints_file).with_context(|| format!("cannot read '{}'", joints_file.display()))?;
    let joints = joint_file::read(&text).map_err(|fault| anyhow::anyhow!("{}{}", fault.problem, fault.at))?;
    let has_front_legs = joints.iter().any(|(name, _)| name.to_lowercase().starts_with("front"));
    let name = if has_front_legs { "quadruped" } else { "human" };
    let skeleton = built_in().iter().find(|skeleton| skeleton.name == name).context("a built-in skeleton")?;
    let skeleton = skeleton_file::read(skeleton.text).map_err(|fault| anyhow::anyhow!("{}", fault.problem))?;

    let prepared = prepare(&mesh, &PrepareOptions::default(), &mut Vec::new())?;
    let in_file = given::complete(&skeleton, &joints, &mesh.positions)?;
    let placed = |transform: &puppetry::math::Similarity| -> Vec<Vec3> {
        in_file.iter().map(|joint| (transform * nalgebra::Point3::from(*joint)).coords).collect()
    };
    let start = Instant::now();
    let tree = TriangleTree::new(&prepared.positions, &prepared.triangles);
    let field = DistanceField::of_mesh(&prepared, &tree, &FieldOptions::default());
    let field_time = start.elapsed();
    let start = Instant::now();
    let mut options = SkinOptions::default();
    if let Some(c) = env::var("C").ok().and_then(|c| c.parse().ok()) { options.conductivity = c; }
    if let Some(c) = env::var("AIR").ok().and_then(|c| c.parse().ok()) { options.air_detour = c; }
    let skin = bind(&prepared, &skeleton, &placed(&prepared.unit_from_input), &field, &options);
    let time = start.elapsed();
    let rest = rest_joints(&skeleton, &placed(&prepared.placement.output_from_input));
    let weights = skin.weights.renamed(&rest.exported);
    let rigging = Rigging {
        placement: &prepared.placement,
        joints: &rest.joints,
        weights: &weights,
        welded: &prepared.welded,
    };
    fs::write(output, write_rigged_glb(&mesh, &rigging)?)?;
    println!("{}: {} vertices, field {field_time:.0?}, skin {time:.0?}", output.display(), prepared.positions.len());
    Ok(())
}
