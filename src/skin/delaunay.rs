//! Triangles that conduct well, whatever the triangles of the file are like.
//!
//! Bobenko & Springborn 2007, "A Discrete Laplace–Beltrami Operator for Simplicial Surfaces": an edge whose opposite angles add up to
//! more than π is exchanged for the other diagonal of its two triangles, laid flat, until there is none. The surface keeps its shape,
//! because only lengths are known and no position; what comes out has no negative cotangent sums inside of it. Left as
//! they are, flat triangles count as short circuits along their longest side, as soon as negative sums are cut off.

use super::laplacian::WeightedEdge;
use crate::math::{hypot, square};
use crate::mesh::topology::sorted_half_edges;
use rayon::prelude::*;

/// Triangles by the lengths of their sides.
pub(super) struct IntrinsicTriangles {
    /// Side `3 t + k` of triangle `t` runs from this vertex.
    origins: Vec<u32>,
    lengths: Vec<f64>,
    /// Half of the cotangent of the angle that looks at each side.
    half_cotangents: Vec<f64>,
}

/// No side: an edge with one triangle or with more than two, or whose triangles disagree about what is outside.
const NONE: u32 = u32::MAX;
/// Sums of cotangents that are less negative than this are zero but for rounding: the diagonals of a rectangle.
const ROUNDING: f64 = 1e-9;

/// Most exchanges for each side.
const MAX_FLIPS: usize = 16;

fn next(side: usize) -> usize {
    side - side % 3 + (side + 1) % 3
}

impl IntrinsicTriangles {
    /// Triangles with the lengths of their sides, of which side `k` runs from corner `k` to the next.
    pub fn new(triangles: &[[u32; 3]], lengths: Vec<f64>) -> IntrinsicTriangles {
        let mut half_cotangents = vec![0.0; lengths.len()];
        let origins = triangles.iter().flatten().copied().collect();
        let cotangents = half_cotangents.as_chunks_mut::<3>().0;
        cotangents.par_iter_mut().zip(lengths.as_chunks::<3>().0).with_min_len(1024).for_each(
            |(cotangents, lengths)| {
                *cotangents = half_cotangents_of(*lengths);
            },
        );
        IntrinsicTriangles { origins, lengths, half_cotangents }
    }

    /// Exchanges edges until none has a negative sum of cotangents, except those that do not have two triangles.
    pub fn make_delaunay(&mut self, vertices: usize, triangles: &[[u32; 3]]) {
        let mut twins = twins(vertices, triangles);
        let wrong = (0..twins.len() as u32).filter(|&side| self.is_wrong(side as usize, &twins));
        let mut open: Vec<u32> = wrong.collect();
        // Every exchange makes the surface smoother, so there is an end; rounding could go around in circles.
        let mut left = MAX_FLIPS * twins.len();
        while let Some(side) = open.pop() {
            if left == 0 {
                break;
            }
            if self.is_wrong(side as usize, &twins) {
                left -= 1;
                let around = self.flip(side as usize, &mut twins);
                open.extend(around.map(|side| side as u32));
            }
        }
    }

    fn is_wrong(&self, side: usize, twins: &[u32]) -> bool {
        let twin = twins[side];
        twin != NONE
            && twin as usize / 3 != side / 3
            && self.half_cotangents[side] + self.half_cotangents[twin as usize] < -ROUNDING
    }

    /// Exchanges the edge of `side` for the other diagonal; returns the sides around it.
    ///
    /// ```text
    ///       c                  c
    ///     /   \              / | \
    ///   a ----> b    →     a   |   b
    ///     \   /              \ v /
    ///       d                  d
    /// ```
    fn flip(&mut self, side: usize, twins: &mut [u32]) -> [usize; 4] {
        let twin = twins[side] as usize;
        let (bc, ad) = (next(side), next(twin));
        let (ca, db) = (next(bc), next(ad));
        let diagonal = self.other_diagonal(side, twin);
        let [a, b, c, d] = [side, twin, ca, db].map(|side| self.origins[side]);
        // Where the four outer sides were and where they go.
        let moves = [(db, bc), (bc, ca), (ca, ad), (ad, db)];
        let before = moves.map(|(from, _)| (self.lengths[from], twins[from]));
        for ((_, to), (length, twin)) in moves.into_iter().zip(before) {
            let moved = moves.iter().find(|(from, _)| *from == twin as usize);
            self.lengths[to] = length;
            twins[to] = moved.map_or(twin, |(_, to)| *to as u32);
            if twins[to] != NONE {
                twins[twins[to] as usize] = to as u32;
            }
        }
        (self.lengths[side], self.lengths[twin]) = (diagonal, diagonal);
        for (side, from) in [(side, c), (bc, d), (ca, b), (twin, d), (ad, c), (db, a)] {
            self.origins[side] = from;
        }
        for triangle in [side / 3, twin / 3] {
            let lengths = std::array::from_fn(|k| self.lengths[3 * triangle + k]);
            let cotangents = half_cotangents_of(lengths);
            self.half_cotangents[3 * triangle..][..3].copy_from_slice(&cotangents);
        }
        moves.map(|(_, to)| to)
    }

    /// The distance between the two corners that look at an edge, with its triangles laid flat on both sides of it.
    fn other_diagonal(&self, side: usize, twin: usize) -> f64 {
        let length = self.lengths[side];
        let (bc, ad) = (next(side), next(twin));
        let above = opposite_corner(length, self.lengths[next(bc)], self.lengths[bc]);
        let below = opposite_corner(length, self.lengths[ad], self.lengths[next(ad)]);
        hypot(above.0 - below.0, above.1 + below.1)
    }

    /// Vertices and the half cotangent between them; edges occur once for each of their triangles.
    pub fn cotangent_edges(&self) -> Vec<WeightedEdge> {
        let sides = 0..self.origins.len();
        let edges =
            sides.map(|side| (self.origins[side], self.origins[next(side)], self.half_cotangents[side]));
        // An edge that returns to its vertex, around a spike, carries nothing.
        edges.filter(|(a, b, _)| a != b).collect()
    }
}

/// Where the third corner of a triangle is along its first side and across it, by the lengths of the sides.
fn opposite_corner(length: f64, to_start: f64, to_end: f64) -> (f64, f64) {
    let along = (square(length) + square(to_start) - square(to_end)) / (2.0 * length);
    (along, (square(to_start) - square(along)).max(0.0).sqrt())
}

/// For each side the one that runs along it in the other direction.
fn twins(vertices: usize, triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut twins = vec![NONE; 3 * triangles.len()];
    for edge in sorted_half_edges(vertices, triangles).chunk_by(|a, b| a.edge == b.edge) {
        if let [one, other] = edge
            && one.ascending() != other.ascending()
        {
            (twins[one.side() as usize], twins[other.side() as usize]) = (other.side(), one.side());
        }
    }
    twins
}

/// Half of the cotangent of the angle opposite to each side.
fn half_cotangents_of([a, b, c]: [f64; 3]) -> [f64; 3] {
    let (a2, b2, c2) = (a * a, b * b, c * c);
    // Heron's formula for 16 times the squared area, as a product of positive factors.
    let area16 = (a + b + c) * (b + c - a) * (c + a - b) * (a + b - c);
    let area8 = 2.0 * area16.max(0.0).sqrt().max(f64::MIN_POSITIVE);
    [(b2 + c2 - a2) / area8, (c2 + a2 - b2) / area8, (a2 + b2 - c2) / area8]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::mesh::shapes;

    fn delaunay(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<(u32, u32, f64)> {
        let length = |a: u32, b: u32| (positions[a as usize] - positions[b as usize]).norm();
        let lengths = triangles.iter().flat_map(|&[a, b, c]| [length(a, b), length(b, c), length(c, a)]);
        let mut intrinsic = IntrinsicTriangles::new(triangles, lengths.collect());
        intrinsic.make_delaunay(positions.len(), triangles);
        intrinsic.cotangent_edges()
    }

    fn between(edges: &[(u32, u32, f64)], a: u32, b: u32) -> f64 {
        edges
            .iter()
            .filter(|edge| (edge.0.min(edge.1), edge.0.max(edge.1)) == (a, b))
            .map(|edge| edge.2)
            .sum()
    }

    #[test]
    fn a_flat_rhombus_takes_its_short_diagonal() {
        // Along the long diagonal both angles are wider than a right one.
        let positions = [[-2.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, -1.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
        let edges = delaunay(&positions, &[[0, 1, 2], [1, 0, 3]]);
        assert_eq!(between(&edges, 0, 1), 0.0);
        // Both triangles look at it with an angle whose half has the tangent 1/2: the cotangent is 3/4.
        assert!((between(&edges, 2, 3) - 0.75).abs() < 1e-12);
    }

    #[test]
    fn a_flat_triangle_is_no_short_circuit() {
        // A square whose diagonal has a point next to its middle.
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5 - 1e-6, 0.5 + 1e-6]];
        let positions = corners.map(|[x, y]| Vec3::new(x, y, 0.0));
        let triangles = [[0, 1, 2], [0, 2, 4], [2, 3, 4], [3, 0, 4]];
        let edges = delaunay(&positions, &triangles);
        // What flows if the voltage is the place along x is the area, even if negative sums are cut off.
        let flow = |a: u32, b: u32| {
            let voltage = positions[a as usize].x - positions[b as usize].x;
            between(&edges, a, b).max(0.0) * voltage.powi(2)
        };
        let total: f64 = (0..5).flat_map(|b| (0..b).map(move |a| (a, b))).map(|(a, b)| flow(a, b)).sum();
        assert!((total - 1.0).abs() < 1e-4, "{total}");
    }

    #[test]
    fn no_sum_is_negative_afterwards_on_a_closed_surface() {
        let ball = shapes::uv_sphere(5, 40);
        let flat: Vec<Vec3> =
            ball.positions.iter().map(|p| p.component_mul(&Vec3::new(1.0, 0.1, 3.0))).collect();
        let edges = delaunay(&flat, &ball.triangles);
        let mut sums = std::collections::HashMap::new();
        for (a, b, conductance) in edges {
            *sums.entry((a.min(b), a.max(b))).or_insert(0.0) += conductance;
        }
        assert!(sums.values().all(|&sum| sum > -1e-6), "{sums:?}");
    }
}
