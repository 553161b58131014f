//! Images of a closed figure of 57k vertices and 114k triangles, 512 × 512 pixels.
//!
//! `RAYON_NUM_THREADS=1 cargo bench --bench preview` gives the time of one core.

// Input and expected values, not results: any bits will do.
#![allow(clippy::disallowed_methods)]

use divan::Bencher;
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::{Format, Mesh, shapes};
use puppetry::stages::preview::{
    Camera, Framing, Ground, Image, Overlay, OverlayShape, RenderOptions, Scene, Surface, render,
    smooth_normals,
};
use std::sync::LazyLock;

fn main() {
    divan::main();
}

/// A sphere drawn out into a head, two arms and two legs, one-sided as a glTF file has it.
static FIGURE: LazyLock<Mesh> = LazyLock::new(|| {
    let limbs = [
        (Vec3::new(0.0, 1.0, 0.0), 0.5, 12.0),
        (Vec3::new(1.0, 0.15, 0.0), 1.0, 40.0),
        (Vec3::new(-1.0, 0.15, 0.0), 1.0, 40.0),
        (Vec3::new(0.35, -1.0, 0.05), 1.3, 30.0),
        (Vec3::new(-0.35, -1.0, 0.05), 1.3, 30.0),
    ];
    let mut mesh = shapes::uv_sphere(240, 240);
    for position in &mut mesh.positions {
        let reach = |&(direction, length, sharpness): &(Vec3, f64, f64)| {
            length * (sharpness * (position.dot(&direction.normalize()) - 1.0)).exp()
        };
        *position *= 0.4 + limbs.iter().map(reach).sum::<f64>();
    }
    mesh.appearance.normals = smooth_normals(&mesh.positions, &mesh.triangles);
    mesh.origin.format = Format::Glb;
    mesh
});

/// The figure, where it is seen from, and the ground it stands on.
static STAGE: LazyLock<(Camera, Ground)> = LazyLock::new(|| {
    let bounds = Surface::of(&FIGURE, &[]).bounds();
    let camera = Camera::framing(&bounds, &Framing::from(Framing::THREE_QUARTER));
    (camera, Ground { height: bounds.min.y, grid: Some(0.5), ..Ground::default() })
});

fn image(has_ground: bool, overlays: Vec<Overlay>, samples: usize) -> Image {
    let (camera, ground) = &*STAGE;
    let scene =
        Scene { surfaces: vec![Surface::of(&FIGURE, &[])], overlays, ground: has_ground.then_some(*ground) };
    render(&scene, camera, &RenderOptions { width: 512, height: 512, samples, ..RenderOptions::default() })
}

#[divan::bench(args = [1, 2, 4])]
fn figure(bencher: Bencher, samples: usize) {
    LazyLock::force(&STAGE);
    bencher.bench_local(|| image(false, vec![], samples));
}

#[divan::bench]
fn figure_on_the_ground_with_grid(bencher: Bencher) {
    LazyLock::force(&STAGE);
    bencher.bench_local(|| image(true, vec![], 2));
}

#[divan::bench]
fn figure_with_100_bones(bencher: Bencher) {
    LazyLock::force(&STAGE);
    let bone = |i: usize| Overlay {
        shape: OverlayShape::Bone { from: FIGURE.positions[i * 500], to: FIGURE.positions[i * 500 + 250] },
        color: [1.0, 0.5, 0.0],
    };
    let overlays: Vec<Overlay> = (0..100).map(bone).collect();
    bencher.bench_local(|| image(false, overlays.clone(), 2));
}

#[divan::bench]
fn normals(bencher: Bencher) {
    LazyLock::force(&FIGURE);
    bencher.bench_local(|| smooth_normals(&FIGURE.positions, &FIGURE.triangles));
}

#[divan::bench]
fn png(bencher: Bencher) {
    let image = image(false, vec![], 2);
    bencher.bench_local(|| puppetry::stages::io::write_png(&image));
}
