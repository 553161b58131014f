//! The pieces of a character: Bharaj et al. 2012, "Automatically Rigging Multi-component Characters", section 3.2.
//!
//! The pieces are those of [`Topology`](crate::mesh::topology::Topology): what shares a vertex is one piece. Each carries samples whose
//! density does not depend on its tessellation.

use super::oriented_box::OrientedBox;
use crate::math::{Bounds, Vec3, square};
use crate::mesh::TriangleTree;
use crate::mesh::prepare::PreparedMesh;
use crate::mesh::samples::sample_surface;
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
    /// Answers what is near.
    pub(super) tree: TriangleTree,
}

/// The pieces of a mesh, in the order of its components.
pub fn pieces(mesh: &PreparedMesh) -> Vec<Piece> {
    let components = &mesh.topology.components;
    let mut triangles: Vec<Vec<[u32; 3]>> =
        components.iter().map(|component| Vec::with_capacity(component.triangles)).collect();
    let mut vertices: Vec<Vec<u32>> = vec![Vec::new(); components.len()];
    let mut is_listed = vec![false; mesh.positions.len()];
    for (triangle, &component) in mesh.triangles.iter().zip(&mesh.topology.component_of_triangle) {
        triangles[component as usize].push(*triangle);
        for &vertex in triangle {
            if !std::mem::replace(&mut is_listed[vertex as usize], true) {
                vertices[component as usize].push(vertex);
            }
        }
    }
    let corners = mesh.triangles.iter().flatten().map(|&v| &mesh.positions[v as usize]);
    let spacing = SPACING * Bounds::of(corners).diagonal();
    let piece = |((component, vertices), triangles): ((usize, Vec<u32>), Vec<[u32; 3]>)| {
        let area = area(&mesh.positions, &triangles);
        let count = ((area / square(spacing)) as usize).clamp(*SAMPLES.start(), *SAMPLES.end());
        let samples = sample_surface(&mesh.positions, &triangles, count);
        let samples: Vec<Vec3> = samples.iter().map(|sample| sample.position).collect();
        let corners = || vertices.iter().map(|&v| mesh.positions[v as usize]);
        Piece {
            area,
            center: samples.iter().sum::<Vec3>() / count as f64,
            bounds: Bounds::of(vertices.iter().map(|&v| &mesh.positions[v as usize])),
            oriented: OrientedBox::of(corners(), &samples),
            is_closed: components[component].closed,
            open_edges: open_edges(&triangles),
            tree: TriangleTree::new(&mesh.positions, &triangles),
            samples,
            corners: triangles.iter().map(|triangle| triangle.map(|v| mesh.positions[v as usize])).collect(),
            vertices,
        }
    };
    let listed: Vec<_> = vertices.into_iter().enumerate().zip(triangles).collect();
    listed.into_par_iter().map(piece).collect()
}

/// In the unit cube: the areas of the topology are those before the character was turned upright.
fn area(positions: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let double = |&triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|v| positions[v as usize]);
        (b - a).cross(&(c - a)).norm()
    };
    0.5 * triangles.iter().map(double).sum::<f64>()
}

/// The share of edges with one triangle.
fn open_edges(triangles: &[[u32; 3]]) -> f64 {
    let mut edges: Vec<(u32, u32)> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)].map(|(a, b)| (a.min(b), a.max(b))))
        .collect();
    edges.sort_unstable();
    let uses = || edges.chunk_by(|a, b| a == b).map(<[(u32, u32)]>::len);
    uses().filter(|&uses| uses == 1).count() as f64 / uses().count() as f64
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
