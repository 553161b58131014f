//! Binds a character to joints that are given: `cargo run --release --example bind -- MESH JOINTS.json OUT.glb [SHEET.png]`.
//!
//! Read the mesh and the joints → prepare → distance field → heat weights → skinned GLB at rest, what the test poses do
//! to it, and a picture of them.

use anyhow::Context;
use puppetry::Picture;
use puppetry::embed::field::{DistanceField, FieldOptions};
use puppetry::io::{Rigging, joint_file, load_mesh, skeleton_file, write_png, write_rigged_glb};
use puppetry::math::{Similarity, Vec3};
use puppetry::mesh::TriangleTree;
use puppetry::mesh::prepare::{PrepareOptions, PreparedMesh, prepare};
use puppetry::preview::{Camera, Coat, Framing, RenderOptions, Scene, Surface, render, smooth_normals};
use puppetry::skeleton::{built_in, given};
use puppetry::skin::poses::{TestPose, test_poses};
use puppetry::skin::rest::rest_joints;
use puppetry::skin::{SkinOptions, SkinWeights, bind, lbs, quality};
use std::path::PathBuf;
use std::time::Instant;
use std::{env, fs};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let ([mesh_file, joints_file, output] | [mesh_file, joints_file, output, _]) = &arguments[..] else {
        anyhow::bail!("usage: bind MESH JOINTS.json OUT.glb [SHEET.png]");
    };
    let (mesh, mut warnings) = load_mesh(mesh_file)?;
    let text = fs::read(joints_file).with_context(|| format!("cannot read '{}'", joints_file.display()))?;
    let joints = joint_file::read(&text).map_err(|fault| anyhow::anyhow!("{}{}", fault.problem, fault.at))?;
    let has_front_legs = joints.iter().any(|(name, _)| name.to_lowercase().starts_with("front"));
    let name = if has_front_legs { "quadruped" } else { "human" };
    let skeleton = built_in().iter().find(|skeleton| skeleton.name == name).context("a built-in skeleton")?;
    let skeleton =
        skeleton_file::read(skeleton.text).map_err(|fault| anyhow::anyhow!("{}", fault.problem))?;

    let prepared = prepare(&mesh, &PrepareOptions::default(), &mut warnings)?;
    let in_file = given::complete(&skeleton, &joints, &mesh.positions)?;
    let placed = |transform: &Similarity| -> Vec<Vec3> {
        in_file.iter().map(|joint| transform.transform_point(&(*joint).into()).coords).collect()
    };
    let tree = TriangleTree::new(&prepared.positions, &prepared.triangles);
    let field = DistanceField::of_mesh(&prepared, &tree, &FieldOptions::default());
    let start = Instant::now();
    let skin =
        bind(&prepared, &skeleton, &placed(&prepared.unit_from_input), &field, &SkinOptions::default());
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;

    let rest = rest_joints(&skeleton, &placed(&prepared.placement.output_from_input));
    let weights = skin.weights.renamed(&rest.exported);
    let rigging = Rigging {
        placement: &prepared.placement,
        joints: &rest.joints,
        weights: &weights,
        welded: &prepared.welded,
    };
    fs::write(output, write_rigged_glb(&mesh, &rigging)?)?;

    let in_cube = rest_joints(&skeleton, &placed(&prepared.unit_from_input));
    let poses = test_poses(&in_cube.joints);
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

/// The poses side by side, from the front above and from the side below, every joint in a colour of its own.
fn pose_sheet(prepared: &PreparedMesh, weights: &SkinWeights, poses: &[TestPose]) -> Picture {
    const VIEWS: [Vec3; 2] = [Vec3::new(0.5, 0.2, 1.0), Vec3::new(1.0, 0.1, -0.1)];
    let bound: Vec<[f32; 3]> = prepared.positions.iter().map(|p| p.cast::<f32>().into()).collect();
    let colors: Vec<[f32; 3]> = (0..weights.vertices()).map(|vertex| color(weights, vertex)).collect();
    let options = RenderOptions { width: 360, height: 360, ..RenderOptions::default() };
    let mut pictures = Vec::new();
    for view in VIEWS {
        for pose in poses {
            let mut posed = vec![[0.0; 3]; bound.len()];
            lbs::deform(weights, &pose.posed_from_bound, &bound, &mut posed);
            let posed: Vec<Vec3> = posed.iter().map(|p| Vec3::from(p.map(f64::from))).collect();
            let surface = Surface {
                positions: &posed,
                triangles: &prepared.triangles,
                normals: smooth_normals(&posed, &prepared.triangles).into(),
                coat: Coat::Painted(&colors),
                world_from_own: Similarity::identity(),
            };
            let camera = Camera::framing(&surface.bounds(), &Framing::from(view));
            let scene = Scene { surfaces: vec![surface], ..Scene::default() };
            pictures.push(render(&scene, &camera, &options));
        }
    }
    Picture::sheet(&pictures, poses.len(), 4, [255; 4])
}

/// The colours of a vertex's joints, mixed by weight.
fn color(weights: &SkinWeights, vertex: usize) -> [f32; 3] {
    let mut mixed = [0.0; 3];
    for (joint, weight) in weights.of(vertex) {
        // Steps of the golden ratio around the colour circle: neighbours differ.
        let hue = joint as f64 * 0.618_034 * std::f64::consts::TAU;
        for (channel, value) in mixed.iter_mut().enumerate() {
            let phase = channel as f64 * std::f64::consts::TAU / 3.0;
            *value += (weight * (0.5 + 0.4 * (hue + phase).cos())) as f32;
        }
    }
    mixed
}
