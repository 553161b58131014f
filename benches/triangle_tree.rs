//! The triangle tree on a closed figure of 108k triangles: build, and 10,000 queries of each kind on one thread
//! (a time in ms is that of one query in units of 0.1 µs), with parry3d for comparison, and in parallel batches.

// Input and expected values, not results: any bits will do.
#![allow(clippy::disallowed_methods)]

use divan::Bencher;
use divan::counter::ItemsCount;
use parry3d::math::Vector;
use parry3d::query::{PointQuery, Ray, RayCast};
use parry3d::shape::TriMesh;
use puppetry::stages::math::{Bounds, Vec3};
use puppetry::stages::mesh::{Mesh, TriangleTree, shapes};
use std::hint::black_box;
use std::sync::LazyLock;

const QUERIES: usize = 10_000;

fn main() {
    divan::main();
}

/// A sphere drawn out into a head, two arms and two legs.
static FIGURE: LazyLock<Mesh> = LazyLock::new(|| {
    let limbs = [
        (Vec3::new(0.0, 1.0, 0.0), 0.5, 12.0),
        (Vec3::new(1.0, 0.15, 0.0), 1.0, 40.0),
        (Vec3::new(-1.0, 0.15, 0.0), 1.0, 40.0),
        (Vec3::new(0.35, -1.0, 0.05), 1.3, 30.0),
        (Vec3::new(-0.35, -1.0, 0.05), 1.3, 30.0),
    ];
    let mut mesh = shapes::uv_sphere(233, 233);
    for position in &mut mesh.positions {
        let reach = |&(direction, length, sharpness): &(Vec3, f64, f64)| {
            length * (sharpness * (position.dot(&direction.normalize()) - 1.0)).exp()
        };
        *position *= 0.4 + limbs.iter().map(reach).sum::<f64>();
    }
    mesh
});
static TREE: LazyLock<TriangleTree> =
    LazyLock::new(|| TriangleTree::new(&FIGURE.positions, &FIGURE.triangles));
static PARRY: LazyLock<TriMesh> = LazyLock::new(|| {
    let points = FIGURE.positions.iter().map(to_parry).collect();
    TriMesh::new(points, FIGURE.triangles.clone()).unwrap()
});

fn to_parry(point: &Vec3) -> Vector {
    Vector::new(point.x as f32, point.y as f32, point.z as f32)
}

/// Numbers from 0 to 1 that look random (the golden-ratio counter of splitmix64).
fn random() -> impl FnMut() -> f64 {
    let mut state = 0u64;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) as f64 / u64::MAX as f64
    }
}

/// Points on the surface, moved by up to 1 % of the diagonal along each axis.
fn near_surface() -> Vec<Vec3> {
    let mut random = random();
    let diagonal = Bounds::of(&FIGURE.positions).diagonal();
    let mut point = || {
        let triangle = FIGURE.triangles[(random() * FIGURE.triangles.len() as f64) as usize];
        let [a, b, c] = triangle.map(|index| FIGURE.positions[index as usize]);
        let (u, v) = (random() * 0.5, random() * 0.5);
        let offset = Vec3::new(random() - 0.5, random() - 0.5, random() - 0.5) * 2.0;
        a * (1.0 - u - v) + b * u + c * v + offset * (0.01 * diagonal)
    };
    (0..QUERIES).map(|_| point()).collect()
}

/// Points anywhere in the box of the figure.
fn in_volume() -> Vec<Vec3> {
    let mut random = random();
    let bounds = Bounds::of(&FIGURE.positions);
    let mut point = || bounds.min + bounds.extent().component_mul(&Vec3::new(random(), random(), random()));
    (0..QUERIES).map(|_| point()).collect()
}

/// Times `query` over all points, one after the other.
fn run<T>(bencher: Bencher, points: Vec<Vec3>, query: impl Fn(&Vec3) -> T) {
    bencher.counter(ItemsCount::new(QUERIES)).bench_local(|| {
        for point in &points {
            black_box(query(point));
        }
    });
}

#[divan::bench(sample_count = 20)]
fn build(bencher: Bencher) {
    LazyLock::force(&FIGURE);
    bencher.bench_local(|| TriangleTree::new(&FIGURE.positions, &FIGURE.triangles));
}

#[divan::bench_group(sample_count = 20)]
mod near_surface {
    use super::*;

    #[divan::bench]
    fn nearest(bencher: Bencher) {
        run(bencher, near_surface(), |point| TREE.nearest(point));
    }

    #[divan::bench]
    fn nearest_by_parry(bencher: Bencher) {
        run(bencher, near_surface(), |point| PARRY.project_local_point(to_parry(point), false));
    }

    #[divan::bench]
    fn winding_number(bencher: Bencher) {
        run(bencher, near_surface(), |point| TREE.winding_number(point));
    }

    #[divan::bench]
    fn signed_distance(bencher: Bencher) {
        run(bencher, near_surface(), |point| TREE.signed_distance(point));
    }

    #[divan::bench]
    fn signed_distance_in_parallel(bencher: Bencher) {
        let points = near_surface();
        bencher
            .counter(ItemsCount::new(QUERIES))
            .bench_local(|| TREE.answer_all(&points, TriangleTree::signed_distance));
    }
}

#[divan::bench_group(sample_count = 20)]
mod in_volume {
    use super::*;

    #[divan::bench]
    fn nearest(bencher: Bencher) {
        run(bencher, in_volume(), |point| TREE.nearest(point));
    }

    #[divan::bench]
    fn nearest_by_parry(bencher: Bencher) {
        run(bencher, in_volume(), |point| PARRY.project_local_point(to_parry(point), false));
    }

    #[divan::bench]
    fn winding_number(bencher: Bencher) {
        run(bencher, in_volume(), |point| TREE.winding_number(point));
    }
}

/// From points in the volume towards the middle of the figure.
#[divan::bench_group(sample_count = 20)]
mod rays {
    use super::*;

    #[divan::bench]
    fn first_hit(bencher: Bencher) {
        run(bencher, in_volume(), |point| TREE.ray(point, &-point, 0.0..=1.0));
    }

    #[divan::bench]
    fn first_hit_by_parry(bencher: Bencher) {
        run(bencher, in_volume(), |point| {
            let ray = Ray::new(to_parry(point), -to_parry(point));
            PARRY.cast_local_ray(&ray, 1.0, false)
        });
    }

    #[divan::bench]
    fn is_blocked(bencher: Bencher) {
        run(bencher, in_volume(), |point| TREE.is_blocked(point, &Vec3::zeros(), 0.0..=1.0));
    }
}
