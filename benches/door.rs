//! The way of a mesh through the door: weld, topology, and everything together.
//!
//! `cargo bench --bench door`

use divan::{Bencher, black_box};
use puppetry::Warning;
use puppetry::stages::io::{Folder, obj};
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::prepare::{PrepareOptions, prepare};
use puppetry::stages::mesh::topology::Topology;
use puppetry::stages::mesh::weld::weld;
use puppetry::stages::mesh::{Mesh, shapes};
use std::fmt::Write;

fn main() {
    divan::main();
}

/// A sphere of about 200,000 vertices.
fn sphere() -> Mesh {
    shapes::uv_sphere(316, 632)
}

/// The same with each vertex twice, as a file with texture seams everywhere would have it.
fn split(mesh: &Mesh) -> Vec<Vec3> {
    mesh.positions.iter().take(100_000).flat_map(|&p| [p, p]).collect()
}

#[divan::bench(sample_count = 20)]
fn weld_200k(bencher: Bencher) {
    let positions = split(&sphere());
    bencher.bench_local(|| weld(black_box(&positions), 1e-5));
}

#[divan::bench(sample_count = 20)]
fn topology_400k_triangles(bencher: Bencher) {
    let mesh = sphere();
    bencher.bench_local(|| Topology::of(&mesh.positions, black_box(&mesh.triangles)));
}

#[divan::bench(sample_count = 20)]
fn prepare_200k(bencher: Bencher) {
    let mesh = sphere();
    bencher.bench_local(|| {
        let mut warnings: Vec<Warning> = Vec::new();
        prepare(black_box(&mesh), &PrepareOptions::default(), &mut warnings)
    });
}

/// From the bytes of an OBJ file with positions and triangles to the surface that the methods work on.
#[divan::bench(sample_count = 20)]
fn whole_door_of_a_200k_obj(bencher: Bencher) {
    let mesh = sphere();
    let mut text = String::new();
    for p in &mesh.positions {
        writeln!(text, "v {:.6} {:.6} {:.6}", p.x, p.y, p.z).unwrap();
    }
    for t in &mesh.triangles {
        writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1).unwrap();
    }
    bencher.bench_local(|| {
        let mut warnings: Vec<Warning> = Vec::new();
        let mesh =
            obj::read(black_box(text.as_bytes()), &Folder::none(), &mut warnings).expect("a good file");
        prepare(&mesh, &PrepareOptions::default(), &mut warnings)
    });
}
