//! Taking characters of many pieces apart: balls in a lattice, each touching six others.

use divan::Bencher;
use puppetry::stages::io::skeleton_file;
use puppetry::stages::math::Vec3;
use puppetry::stages::mesh::prepare::{PrepareOptions, PreparedMesh, prepare};
use puppetry::stages::mesh::shapes;
use puppetry::stages::parts::pieces::pieces;
use puppetry::stages::parts::{FittedSkeleton, Parts};
use puppetry::stages::skeleton::built_in;

fn main() {
    divan::main();
}

/// Balls along each axis, and the rings and segments of each: 567 pieces with 200,000 triangles as the largest model of
/// the paper, and 5,000 pieces.
const LATTICES: [([usize; 3], [u32; 2]); 2] = [([9, 9, 7], [12, 16]), ([20, 25, 10], [6, 8])];

fn lattice([x, y, z]: [usize; 3], [rings, segments]: [u32; 2]) -> PreparedMesh {
    let ball = shapes::uv_sphere(rings, segments);
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for place in 0..x * y * z {
        let center = [place % x, place / x % y, place / (x * y)].map(|i| 1.9 * i as f64);
        let first = positions.len() as u32;
        positions.extend(ball.positions.iter().map(|p| p + Vec3::from(center)));
        triangles.extend(ball.triangles.iter().map(|triangle| triangle.map(|v| v + first)));
    }
    prepare(&shapes::surface(positions, triangles), &PrepareOptions::default(), &mut Vec::new()).unwrap()
}

/// From the prepared mesh to the joint of every piece.
#[divan::bench(args = [0, 1], sample_count = 5)]
fn segment(bencher: Bencher, size: usize) {
    let mesh = lattice(LATTICES[size].0, LATTICES[size].1);
    let skeleton = skeleton_file::read(built_in()[0].text).unwrap();
    let joints: Vec<Vec3> =
        skeleton.joints.iter().map(|joint| Vec3::new(0.5, 0.05, 0.5) + joint.position * 0.9).collect();
    let fitted = FittedSkeleton { skeleton: &skeleton, joints: &joints, height: 0.9, plane: Some(0.5) };
    bencher.bench_local(|| {
        let parts = Parts::of(pieces(&mesh)).unwrap();
        parts.assign(&fitted, &vec![true; joints.len()])
    });
}
