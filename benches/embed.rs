//! The stages of the embedding that live on the distance field, on example characters, and the field on finer and
//! finer tessellations of one of them: the shape is the same, so the time should hardly grow.

use divan::Bencher;
use puppetry::embed::Sphere;
use puppetry::embed::field::{DistanceField, FieldOptions};
use puppetry::embed::medial::{MedialOptions, sample};
use puppetry::embed::packing::{PackingOptions, pack};
use puppetry::embed::refine::{RefineOptions, RestPose, refine};
use puppetry::io::load_mesh;
use puppetry::math::Vec3;
use puppetry::mesh::TriangleTree;
use puppetry::mesh::prepare::{PrepareOptions, PreparedMesh, prepare};
use std::collections::HashMap;
use std::path::Path;

const CHARACTERS: [&str; 4] = ["slim", "troll", "dog", "layers"];

fn main() {
    divan::main();
}

fn character(name: &str) -> (PreparedMesh, TriangleTree) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/characters");
    let mesh = load_mesh(&folder.join(name).with_extension("glb")).unwrap().0;
    let prepared = prepare(&mesh, &PrepareOptions::default(), &mut Vec::new()).unwrap();
    let tree = TriangleTree::new(&prepared.positions, &prepared.triangles);
    (prepared, tree)
}

/// Each triangle divided into four.
fn subdivide(positions: &mut Vec<Vec3>, triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut middles = HashMap::new();
    let mut middle = |a: u32, b: u32| {
        *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
            positions.push((positions[a as usize] + positions[b as usize]) * 0.5);
            positions.len() as u32 - 1
        })
    };
    let divide = |&[a, b, c]: &[u32; 3]| {
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
    };
    triangles.iter().flat_map(divide).collect()
}

fn field_and_samples(name: &str) -> (DistanceField, Vec<Sphere>) {
    let (mesh, tree) = character(name);
    let field = DistanceField::of_mesh(&mesh, &tree, &FieldOptions::default());
    let samples = sample(&field, &MedialOptions::default());
    (field, samples)
}

#[divan::bench(args = CHARACTERS, sample_count = 10)]
fn field(bencher: Bencher, name: &str) {
    let (mesh, tree) = character(name);
    bencher.bench_local(|| DistanceField::of_mesh(&mesh, &tree, &FieldOptions::default()));
}

/// 4.6k, 18k, 73k and 294k vertices.
#[divan::bench(args = [0, 1, 2, 3], sample_count = 10)]
fn field_of_slim_subdivided(bencher: Bencher, subdivisions: usize) {
    let mut mesh = character("slim").0;
    for _ in 0..subdivisions {
        mesh.triangles = subdivide(&mut mesh.positions, &mesh.triangles);
    }
    let tree = TriangleTree::new(&mesh.positions, &mesh.triangles);
    bencher.bench_local(|| DistanceField::new(&tree, &FieldOptions::default()));
}

#[divan::bench(args = CHARACTERS, sample_count = 10)]
fn medial_samples(bencher: Bencher, name: &str) {
    let (field, _) = field_and_samples(name);
    bencher.bench_local(|| sample(&field, &MedialOptions::default()));
}

#[divan::bench(args = CHARACTERS)]
fn packing(bencher: Bencher, name: &str) {
    let (_, samples) = field_and_samples(name);
    bencher.bench_local(|| pack(&samples, &PackingOptions::default()));
}

/// A chain of 18 joints from the sole to the crown of a character.
#[divan::bench(args = ["slim", "troll"], sample_count = 10)]
fn refining(bencher: Bencher, name: &str) {
    let (field, samples) = field_and_samples(name);
    let start: Vec<Vec3> = (0..18).map(|joint| Vec3::new(0.5, 0.1 + 0.045 * joint as f64, 0.5)).collect();
    let parents: Vec<Option<usize>> = (0..18).map(|joint: usize| joint.checked_sub(1)).collect();
    let rest = RestPose { parents: &parents, positions: &start, partners: &[None; 18] };
    bencher.bench_local(|| refine(&start, &rest, &field, &samples, &RefineOptions::default()));
}
