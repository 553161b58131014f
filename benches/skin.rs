//! Binding and skinning, on one character at finer and finer tessellations.

use divan::Bencher;
use divan::counter::ItemsCount;
use puppetry::stages::embed::field::{DistanceField, FieldOptions};
use puppetry::stages::io::{joint_file, load_mesh, skeleton_file};
use puppetry::stages::math::{Mat4, Vec3};
use puppetry::stages::mesh::prepare::{PrepareOptions, PreparedMesh, prepare};
use puppetry::stages::mesh::{Mesh, Part, TriangleTree};
use puppetry::stages::skeleton::{Skeleton, built_in, manual_joints};
use puppetry::stages::skin::{Binder, SkinOptions, bind, lbs};
use std::collections::HashMap;
use std::path::Path;

fn main() {
    divan::main();
}

/// Vertices to refine to.
const SIZES: [usize; 3] = [18_000, 57_000, 200_000];

struct Character {
    mesh: PreparedMesh,
    skeleton: Skeleton,
    joints: Vec<Vec3>,
    field: DistanceField,
}

/// A person whose longest edges are halved until there are `vertices`.
fn character(vertices: usize) -> Character {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/characters/slim.glb");
    let (mesh, _) = load_mesh(&path).unwrap();
    let welded = prepare(&mesh, &PrepareOptions::default(), &mut Vec::new()).unwrap();
    let (mut positions, mut triangles) = (welded.positions.clone(), welded.triangles.clone());
    while positions.len() < vertices {
        triangles = split(&mut positions, &triangles, vertices);
    }
    let part = Part { vertices: 0..positions.len(), triangles: 0..triangles.len(), ..Part::default() };
    let fine = Mesh { positions, triangles, parts: vec![part], ..Mesh::default() };
    let options = PrepareOptions { weld_tolerance: 1e-9, ..PrepareOptions::default() };
    let mesh_of_size = prepare(&fine, &options, &mut Vec::new()).unwrap();

    let text = std::fs::read(path.with_extension("truth.json")).unwrap();
    let skeleton = skeleton_file::read(built_in()[0].text).unwrap();
    let joints =
        manual_joints::complete(&skeleton, &joint_file::read(&text).unwrap(), &mesh.positions).unwrap();
    let unit_from_file = mesh_of_size.unit_from_input * welded.unit_from_input;
    let joints = joints.iter().map(|joint| unit_from_file.transform_point(&(*joint).into()).coords).collect();
    let tree = TriangleTree::new(&mesh_of_size.positions, &mesh_of_size.triangles);
    let field = DistanceField::of_mesh(&mesh_of_size, &tree, &FieldOptions::default());
    Character { mesh: mesh_of_size, skeleton, joints, field }
}

/// Halves edges, the longest first, no more than are needed.
fn split(positions: &mut Vec<Vec3>, triangles: &[[u32; 3]], vertices: usize) -> Vec<[u32; 3]> {
    let length = |positions: &[Vec3], a: u32, b: u32| (positions[a as usize] - positions[b as usize]).norm();
    let mut edges: Vec<(u32, u32)> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)].map(|(a, b)| (a.min(b), a.max(b))))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges.sort_by(|x, y| length(positions, y.0, y.1).total_cmp(&length(positions, x.0, x.1)));
    edges.truncate((vertices - positions.len()).min(edges.len() / 3 + 1));
    let mut middle = HashMap::new();
    for (a, b) in edges {
        middle.insert((a, b), positions.len() as u32);
        positions.push((positions[a as usize] + positions[b as usize]) * 0.5);
    }
    let mut parts = Vec::new();
    let mut stack: Vec<[u32; 3]> = triangles.to_vec();
    while let Some([a, b, c]) = stack.pop() {
        let turned = [[a, b, c], [b, c, a], [c, a, b]];
        let found =
            turned.into_iter().find_map(|[a, b, c]| Some(([a, b, c], *middle.get(&(a.min(b), a.max(b)))?)));
        match found {
            Some(([a, b, c], m)) => stack.extend([[a, m, c], [m, b, c]]),
            None => parts.push([a, b, c]),
        }
    }
    parts
}

#[divan::bench(args = SIZES, sample_count = 5)]
fn heat_weights(bencher: Bencher, vertices: usize) {
    let Character { mesh, skeleton, joints, field } = character(vertices);
    bencher.bench_local(|| bind(&mesh, &skeleton, &joints, &field, &SkinOptions::default()));
}

/// A second bind of the same mesh with other joints, as in an editor of joints.
#[divan::bench(args = SIZES, sample_count = 5)]
fn heat_weights_again(bencher: Bencher, vertices: usize) {
    let Character { mesh, skeleton, joints, field } = character(vertices);
    let moved: Vec<Vec3> = joints.iter().map(|joint| joint + Vec3::new(0.0, 0.002, 0.0)).collect();
    let binder = Binder::new(&mesh, &field);
    binder.bind(&skeleton, &joints, &[], &SkinOptions::default());
    bencher.bench_local(|| binder.bind(&skeleton, &moved, &[], &SkinOptions::default()));
}

/// One thread, so that the figure is the cost of a vertex.
#[divan::bench(args = [57_000], sample_count = 50)]
fn blend_positions(bencher: Bencher, vertices: usize) {
    let Character { mesh, skeleton, joints, field } = character(vertices);
    let skin = bind(&mesh, &skeleton, &joints, &field, &SkinOptions::default());
    let transforms = vec![Mat4::new_rotation(Vec3::new(0.1, 0.2, 0.3)); skeleton.joints.len()];
    let positions: Vec<[f32; 3]> = mesh.positions.iter().map(|p| p.cast::<f32>().into()).collect();
    let mut posed = vec![[0.0; 3]; positions.len()];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench_local(|| pool.install(|| lbs::deform(&skin.weights, &transforms, &positions, &mut posed)));
}
