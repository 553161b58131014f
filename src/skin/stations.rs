//! Where vertices are along the bones of limbs.

use super::helpers::{BoundLimbs, place};
use super::laplacian::vertex_areas;
use crate::math::Vec3;

/// The pieces of a surface that move as one: all of their vertices have the same weights. They are in one place along a bone; with a
/// place for each vertex a bracelet would be wrung.
#[derive(Debug, Clone, Default)]
pub(super) struct StiffPieces {
    /// The vertices of each, in increasing order.
    pieces: Vec<Vec<usize>>,
    /// The area around each vertex; empty if there are no such pieces.
    areas: Vec<f64>,
}

impl StiffPieces {
    /// Those of a surface.
    pub fn of(limbs: &BoundLimbs) -> StiffPieces {
        let count = limbs.pieces.iter().map(|&piece| piece as usize + 1).max().unwrap_or(0);
        let mut first: Vec<Option<usize>> = vec![None; count];
        let mut is_stiff = vec![true; count];
        for (triangle, &piece) in limbs.triangles.iter().zip(limbs.pieces) {
            let piece = piece as usize;
            let first = *first[piece].get_or_insert(triangle[0] as usize);
            if is_stiff[piece] {
                is_stiff[piece] = triangle.iter().all(|&v| limbs.weights.are_equal(v as usize, first));
            }
        }
        let mut pieces: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (triangle, &piece) in limbs.triangles.iter().zip(limbs.pieces) {
            if is_stiff[piece as usize] {
                pieces[piece as usize].extend(triangle.map(|vertex| vertex as usize));
            }
        }
        pieces.retain(|piece| !piece.is_empty());
        for piece in &mut pieces {
            piece.sort_unstable();
            piece.dedup();
        }
        let areas =
            if pieces.is_empty() { Vec::new() } else { vertex_areas(limbs.positions, limbs.triangles) };
        StiffPieces { pieces, areas }
    }

    /// Where each vertex is along a bone, from 0 to 1; all of a piece that moves with it as one is in one place.
    pub fn stations(&self, limbs: &BoundLimbs, [bone, next]: [usize; 2]) -> Vec<f64> {
        let start = place(limbs.joints, bone);
        let along = place(limbs.joints, next) - start;
        let along = along / along.norm_squared();
        let station = |position: &Vec3| (position - start).dot(&along).clamp(0.0, 1.0);
        let mut stations: Vec<f64> = limbs.positions.iter().map(station).collect();
        let moves = |vertex: usize| limbs.weights.of(vertex).any(|(joint, _)| joint == bone);
        for piece in self.pieces.iter().filter(|piece| moves(piece[0])) {
            let total: f64 = piece.iter().map(|&vertex| self.areas[vertex]).sum();
            let sum: f64 = piece.iter().map(|&vertex| self.areas[vertex] * stations[vertex]).sum();
            let mean = if total > 0.0 { sum / total } else { stations[piece[0]] };
            piece.iter().for_each(|&vertex| stations[vertex] = mean);
        }
        stations
    }
}
