//! The weights of Pinocchio's first release, as it computes them, to compare with.
//!
//! Different from [`bind`](super::bind): weights of bones and not of joints, no limit to their number; a vertex whose nearest
//! bone is hidden or seen at a grazing angle has no source of heat; tied bones each give the full heat; slivers are
//! damped by an absolute figure, so that the result depends on the tessellation.

use super::bones::Bone;
use crate::math::cholesky::{Cholesky, signed_graph_matrix};
use crate::math::{Vec3, square};

/// Added to twice the area of a triangle where it divides.
const DAMPING: f64 = 1e-6;
/// Area that every vertex has at least, and distance that every bone has at least.
const MIN_RING_AREA: f64 = 1e-10;
const MIN_DISTANCE: f64 = 1e-8;
/// Weights up to this are zero.
const MIN_WEIGHT: f64 = 1e-8;
/// Cosine of 60 degrees: a bone farther from straight below the surface is seen at a grazing angle.
const GRAZING: f64 = 0.5;
/// Bones whose distances differ by less than this part are looked at, and give heat.
const SEEN: f64 = 1.0001;
const TIED: f64 = 1.00001;
/// Largest value of the field on the line of sight to a bone, and the steps in which it is looked at.
const SKIN: f64 = 0.002;
const STEPS: usize = 100;

/// The weight of every bone at every vertex of a closed surface, vertex by vertex; `field` is the signed distance. All lengths
/// are those of the unit cube. `None` if the system cannot be solved, where the original fails too.
pub fn weights(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    bones: &[Bone],
    field: impl Fn(&Vec3) -> f64,
) -> Option<Vec<Vec<f64>>> {
    let count = positions.len();
    let mut ring_areas = vec![MIN_RING_AREA; count];
    let mut normals = vec![Vec3::zeros(); count];
    let mut edges = Vec::with_capacity(3 * triangles.len());
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| positions[v as usize]);
        let double_area = (b - a).cross(&(c - a));
        for corner in 0..3 {
            let [at, next, last] = [0, 1, 2].map(|step| triangle[(corner + step) % 3]);
            ring_areas[at as usize] += double_area.norm();
            normals[at as usize] += double_area.normalize();
            let [p, q, r] = [at, next, last].map(|v| positions[v as usize]);
            edges.push((next, last, (q - p).dot(&(r - p)) / (DAMPING + double_area.norm())));
        }
    }

    let mut heat = vec![0.0; count];
    let mut columns = vec![0.0; count * bones.len()];
    for (vertex, position) in positions.iter().enumerate() {
        let distances: Vec<f64> =
            bones.iter().map(|bone| (position - bone.nearest(position)).norm()).collect();
        let nearest = distances.iter().copied().fold(f64::INFINITY, f64::min);
        for (bone, &distance) in distances.iter().enumerate() {
            let reached = bones[bone].nearest(position);
            if distance <= SEEN * nearest
                && distance <= TIED * nearest
                && faces(position, &reached, &normals[vertex])
                && sees(position, &reached, &field)
            {
                heat[vertex] += ring_areas[vertex] / square(MIN_DISTANCE + nearest);
                columns[bone * count + vertex] = 1.0;
            }
        }
    }
    for column in columns.chunks_mut(count.max(1)) {
        column.iter_mut().zip(&heat).for_each(|(value, heat)| *value *= heat);
    }
    Cholesky::new(&signed_graph_matrix(&heat, &edges))?.solve(&mut columns);

    Some((0..count).map(|vertex| normalised(columns[vertex..].iter().step_by(count))).collect())
}

/// Weights of one vertex that add up to one, if there are any.
fn normalised<'a>(weights: impl Iterator<Item = &'a f64>) -> Vec<f64> {
    let clipped = weights.map(|weight| if *weight > MIN_WEIGHT { weight.min(1.0) } else { 0.0 });
    let mut weights: Vec<f64> = clipped.collect();
    let total: f64 = weights.iter().sum();
    if total > 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= total);
    }
    weights
}

/// Whether the bone lies within 60 degrees of straight below the surface.
fn faces(vertex: &Vec3, reached: &Vec3, normal: &Vec3) -> bool {
    let away = (vertex - reached).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
    away.dot(&normal.try_normalize(0.0).unwrap_or_else(Vec3::zeros)) > GRAZING
}

fn sees(vertex: &Vec3, reached: &Vec3, field: impl Fn(&Vec3) -> f64) -> bool {
    let step = (reached - vertex) / STEPS as f64;
    let at_end = field(reached);
    for index in 1..=STEPS {
        let value = field(&(vertex + step * index as f64));
        if value > SKIN {
            return false;
        }
        let left = step.norm() * (STEPS - index) as f64;
        if value + at_end + left <= SKIN {
            return true;
        }
    }
    true
}
