//! The pieces of a character: Bharaj et al. 2012, "Automatically Rigging Multi-component Characters", section 3.2.
//!
//! The pieces are those of [`Topology`](crate::mesh::topology::Topology): what shares a vertex is one piece. Each carries samples whose
//! density does not depend on its tessellation.

use super::MAX_PIECES;
use super::oriented_box::OrientedBox;
use crate::math::{Bounds, Vec3, square};
use crate::mesh::TriangleTree;
use crate::mesh::prepare::PreparedMesh;
use crate::mesh::props::SLIM;
use crate::mesh::samples::{Sample, sample_surface};
use crate::mesh::topology::Component;
use crate::skin::vertices_and_triangles;
use rayon::prelude::*;
use std::ops::RangeInclusive;

/// Distance between neighbouring samples, in parts of the character's diagonal. Much wider, a rim
/// of contact has too few samples for its middle; the time grows with the inverse square.
const SPACING: f64 = 0.006;
/// Samples on the smallest and on the largest piece.
const SAMPLES: RangeInclusive<usize> = 24..=4000;

/// One connected piece of the surface.
pub struct Piece {
    /// Its vertices.
    pub vertices: Vec<u32>,
    /// The corners of its triangles.
    pub corners: Vec<[Vec3; 3]>,
    /// Points spread evenly over it.
    pub samples: Vec<Vec3>,
    /// Surface area.
    pub area: f64,
    /// Center of mass of its surface.
    pub center: Vec3,
    /// The box around it.
    pub bounds: Bounds,
    /// The box along it.
    pub oriented: OrientedBox,
    /// Each of its edges has two triangles.
    pub is_closed: bool,
    /// Share of its edges that have one triangle only, 0 to 1.
    pub open_edges: f64,
    /// Share of it that has another wall of it behind, 0 to 1: all of a body or a sleeve, nothing of a cape or a card of hair.
    pub walled: f64,
    /// Answers what is near.
    pub(super) tree: TriangleTree,
}

/// The pieces of a mesh, in the order of its components; none of a heap of more than [`MAX_PIECES`].
pub fn pieces(mesh: &PreparedMesh) -> Vec<Piece> {
    if mesh.topology.components.len() > MAX_PIECES {
        return Vec::new();
    }
    let corners = mesh.triangles.iter().flatten().map(|&v| &mesh.positions[v as usize]);
    let spacing = SPACING * Bounds::of(corners).diagonal();
    let (vertices, triangles) = vertices_and_triangles(mesh);
    let pieces = vertices.into_par_iter().zip(triangles).zip(&mesh.topology.components);
    pieces
        .map(|((vertices, triangles), component)| {
            Piece::of(component, &mesh.positions, vertices, &triangles, spacing)
        })
        .collect()
}

impl Piece {
    fn of(
        component: &Component,
        positions: &[Vec3],
        vertices: Vec<u32>,
        triangles: &[[u32; 3]],
        spacing: f64,
    ) -> Piece {
        let corners: Vec<[Vec3; 3]> =
            triangles.iter().map(|triangle| triangle.map(|v| positions[v as usize])).collect();
        let area = area(&corners);
        let count = ((area / square(spacing)) as usize).clamp(*SAMPLES.start(), *SAMPLES.end());
        let samples = sample_surface(positions, triangles, count);
        let tree = TriangleTree::new(positions, triangles);
        let walled = walled(&samples, &tree, THIN * area.sqrt());
        let samples: Vec<Vec3> = samples.iter().map(|sample| sample.position).collect();
        let points = vertices.iter().map(|&v| &positions[v as usize]);
        Piece {
            area,
            center: samples.iter().sum::<Vec3>() / count as f64,
            bounds: Bounds::of(points.clone()),
            oriented: OrientedBox::of(points.copied(), &samples),
            is_closed: component.closed,
            open_edges: open_edges(triangles),
            walled,
            tree,
            samples,
            corners,
            vertices,
        }
    }
}

/// A wall that is nearer than this part of the root of the area is the other side of a sheet.
const THIN: f64 = 0.05;
/// Samples of which it is asked what is behind them.
const PROBES: usize = 64;
/// A sheet has walls behind less than this part of it, and at least this part of the surface of the character: smaller ones mislead
/// nobody, and many are rigid: pockets, pauldrons, single cards of hair.
const SHEET: f64 = 0.3;
const LARGE_SHEET: f64 = 0.05;

impl Piece {
    /// Whether it is large and has no inside, as a cape: joints lie in none of it. `total` is the surface of the character.
    pub fn is_sheet(&self, total: f64) -> bool {
        self.walled < SHEET && self.area >= LARGE_SHEET * total
    }

    /// Whether it is as slim as a rod: a pole, a blade.
    pub fn is_slim(&self) -> bool {
        let mut half: [f64; 3] = self.oriented.half.into();
        half.sort_by(f64::total_cmp);
        half[1] <= SLIM * half[2]
    }
}

/// The share of samples with a wall of the piece behind them, at least `thin` away.
fn walled(samples: &[Sample], tree: &TriangleTree, thin: f64) -> f64 {
    let probes = samples.iter().step_by(samples.len().div_ceil(PROBES).max(1));
    let (mut walls, mut count) = (0, 0);
    for probe in probes {
        walls += usize::from(tree.ray(&probe.position, &-probe.normal, thin..=f64::INFINITY).is_some());
        count += 1;
    }
    f64::from(walls as u32) / f64::from(count.max(1) as u32)
}

/// In the unit cube: the areas of the topology are those before the character was rotated upright.
fn area(triangles: &[[Vec3; 3]]) -> f64 {
    0.5 * triangles.iter().map(|[a, b, c]| (b - a).cross(&(c - a)).norm()).sum::<f64>()
}

/// The share of edges with one triangle.
fn open_edges(triangles: &[[u32; 3]]) -> f64 {
    let mut edges: Vec<(u32, u32)> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)].map(|(a, b)| (a.min(b), a.max(b))))
        .collect();
    edges.sort_unstable();
    let (mut open, mut all) = (0, 0);
    for uses in edges.chunk_by(|a, b| a == b) {
        all += 1;
        open += usize::from(uses.len() == 1);
    }
    open as f64 / all as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_is_open_all_around_and_a_tetrahedron_nowhere() {
        assert_eq!(open_edges(&[[0, 1, 2]]), 1.0);
        assert_eq!(open_edges(&[[0, 1, 2], [2, 1, 3]]), 0.8);
        assert_eq!(open_edges(&[[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]), 0.0);
    }
}
