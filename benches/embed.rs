//! The stages of the embedding that live on the distance field, on example characters, and the field on finer and
//! finer tessellations of one of them: the shape is the same, so the time should hardly grow.

use divan::Bencher;
use puppetry::stages::embed::field::{DistanceField, FieldOptions};
use puppetry::stages::embed::medial::{MedialOptions, sample};
use puppetry::stages::embed::packing::{PackingOptions, pack};
use puppetry::stages::embed::refine::{RefineOptions, RestSkeleton, refine};
use puppetry::stages::embed::{EmbedOptions, Sphere, embed};
use puppetry::stages::io::{load_mesh, skeleton_file};
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::prepare::{PrepareOptions, PreparedMesh, prepare};
use puppetry::stages::mesh::{TriangleTree, shapes};
use puppetry::stages::skeleton::{BuiltIn, Skeleton, built_in};
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

/// From a mesh in memory to its joints, for characters subdivided so and so often: slim has 4.6k, 18k, 73k and 294k
/// vertices, troll 19k and 77k, layers, a character of many shells, 28k and 114k.
#[divan::bench(
    args = [("slim", 0), ("slim", 1), ("slim", 2), ("slim", 3), ("troll", 1), ("troll", 2), ("layers", 1), ("layers", 2)],
    sample_count = 5
)]
fn whole(bencher: Bencher, (name, subdivisions): (&str, usize)) {
    let read = |file: &BuiltIn| skeleton_file::read(file.text).unwrap();
    let skeletons: Vec<Skeleton> = built_in().iter().map(read).collect();
    let prepared = character(name).0;
    let mut mesh = shapes::cube();
    (mesh.positions, mesh.triangles) = (prepared.positions, prepared.triangles);
    for _ in 0..subdivisions {
        mesh.triangles = subdivide(&mut mesh.positions, &mesh.triangles);
    }
    mesh.parts[0].vertices = 0..mesh.positions.len();
    mesh.parts[0].triangles = 0..mesh.triangles.len();
    bencher.bench_local(|| {
        let prepared = prepare(&mesh, &PrepareOptions::default(), &mut Vec::new()).unwrap();
        let tree = TriangleTree::new(&prepared.positions, &prepared.triangles);
        embed(&prepared, &tree, &skeletons, &[], &EmbedOptions::default()).unwrap().0
    });
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
    let rest = RestSkeleton { parents: &parents, positions: &start, partners: &[None; 18], fixed: &[] };
    bencher.bench_local(|| refine(&start, &rest, &field, &samples, &RefineOptions::default()));
}
