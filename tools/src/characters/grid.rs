//! Finds the surface of a sculpture on a grid: marching tetrahedra (Doi & Koide 1991, "An efficient method of
//! triangulating equi-valued surfaces by using tetrahedral cells"). Every cube of the grid is cut into six
//! tetrahedra around its diagonal (Kuhn's subdivision), and the result is a manifold whatever the shape; its
//! thin triangles are the remesher's business.
//!
//! Only the half x ≥ 0 is meshed. The first layer of nodes lies on x = 0, so the border of the mesh lies exactly
//! on the plane of symmetry: the seam along which the mirrored half is sewn on.

use super::implicit::Sculpture;
use super::surface::Surface;
use puppetry::stages::math::{Bounds, Vec3};
use rayon::prelude::*;
use std::collections::HashMap;

/// The half surface inside `bounds`.
pub fn polygonise(sculpture: &Sculpture, bounds: &Bounds, cell: f64) -> Surface {
    let samples = Samples::take(sculpture, bounds, cell);
    let mut cut = Cut { samples: &samples, surface: Surface::default(), vertex_of: HashMap::new() };
    let [nx, ny, nz] = samples.size;
    for k in 0..nz - 1 {
        for j in 0..ny - 1 {
            for i in 0..nx - 1 {
                cut.cube([i, j, k]);
            }
        }
    }
    cut.surface
}

/// Distances at the nodes of the grid.
struct Samples {
    origin: Vec3,
    cell: f64,
    size: [usize; 3],
    values: Vec<f64>,
}

/// Nodes along the side of a block that is skipped as a whole when the surface is far from it.
const BLOCK: usize = 8;

impl Samples {
    fn take(sculpture: &Sculpture, bounds: &Bounds, cell: f64) -> Samples {
        let margin = 3.0 * cell;
        let origin = Vec3::new(0.0, bounds.min.y - margin, bounds.min.z - margin);
        let far = bounds.max.add_scalar(margin);
        let size = [0, 1, 2].map(|axis| ((far[axis] - origin[axis]) / cell).ceil() as usize + 1);
        let mut samples = Samples { origin, cell, size, values: Vec::new() };
        let mut values = vec![0.0; size[0] * size[1] * size[2]];
        let layer = size[0] * size[1];
        values.par_chunks_mut(layer * BLOCK).enumerate().for_each(|(slab, values)| {
            for j in (0..size[1]).step_by(BLOCK) {
                for i in (0..size[0]).step_by(BLOCK) {
                    samples.fill_block(sculpture, [i, j, slab * BLOCK], values);
                }
            }
        });
        samples.values = values;
        samples
    }

    /// Fills one block of a slab, by one sample where the surface cannot pass through it.
    fn fill_block(&self, sculpture: &Sculpture, first: [usize; 3], slab: &mut [f64]) {
        let half = 0.5 * BLOCK as f64 * self.cell;
        let middle = sculpture.distance(self.node(first).add_scalar(half));
        // Distances of squashed forms are off by some ten per cent far away: twice the half diagonal is safe.
        let skip = middle.abs() > 2.0 * half * 3f64.sqrt();
        let end = [0, 1].map(|axis| (first[axis] + BLOCK).min(self.size[axis]));
        for k in 0..slab.len() / (self.size[0] * self.size[1]) {
            for j in first[1]..end[1] {
                for i in first[0]..end[0] {
                    let node = [i, j, first[2] + k];
                    slab[(k * self.size[1] + j) * self.size[0] + i] =
                        if skip { middle } else { sculpture.distance(self.node(node)) };
                }
            }
        }
    }

    fn node(&self, [i, j, k]: [usize; 3]) -> Vec3 {
        self.origin + Vec3::new(i as f64, j as f64, k as f64) * self.cell
    }

    fn value(&self, [i, j, k]: [usize; 3]) -> f64 {
        self.values[(k * self.size[1] + j) * self.size[0] + i]
    }
}

struct Cut<'a> {
    samples: &'a Samples,
    surface: Surface,
    /// Vertices by the two nodes of the grid edge that they lie on.
    vertex_of: HashMap<[[usize; 3]; 2], u32>,
}

/// The orders of axes in which Kuhn's tetrahedra walk from the lowest to the highest corner of a cube, and
/// whether the walk is right-handed.
const WALKS: [([usize; 3], bool); 6] = [
    ([0, 1, 2], true),
    ([1, 2, 0], true),
    ([2, 0, 1], true),
    ([0, 2, 1], false),
    ([1, 0, 2], false),
    ([2, 1, 0], false),
];

impl Cut<'_> {
    fn cube(&mut self, lowest: [usize; 3]) {
        let corner =
            |bits: usize| [lowest[0] + (bits & 1), lowest[1] + (bits >> 1 & 1), lowest[2] + (bits >> 2)];
        let inside = (0..8).filter(|&bits| self.samples.value(corner(bits)) < 0.0).count();
        if inside == 0 || inside == 8 {
            return;
        }
        for (axes, right_handed) in WALKS {
            let mut nodes = [lowest; 4];
            for step in 0..3 {
                nodes[step + 1] = nodes[step];
                nodes[step + 1][axes[step]] += 1;
            }
            self.tetrahedron(nodes, right_handed);
        }
    }

    /// The triangles that separate the nodes inside from those outside. The tables list even permutations of
    /// the nodes, so the triangles of a right-handed tetrahedron look outwards.
    fn tetrahedron(&mut self, nodes: [[usize; 3]; 4], right_handed: bool) {
        let inside = nodes.map(|node| self.samples.value(node) < 0.0);
        let count = inside.iter().filter(|&&inside| inside).count();
        let alone = [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]];
        let pairs = [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 2, 0], [2, 3, 0, 1]];
        let mut on_edge = |from: usize, to: usize| self.vertex(nodes[from], nodes[to]);
        let mut triangles = Vec::new();
        if count == 2 {
            for [i, j, k, l] in pairs.into_iter().filter(|pair| inside[pair[0]] && inside[pair[1]]) {
                let [a, b, c, d] = [on_edge(i, k), on_edge(i, l), on_edge(j, l), on_edge(j, k)];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        } else {
            let odd_one = count == 1;
            for [i, j, k, l] in
                alone.into_iter().filter(|order| inside[order[0]] == odd_one && count % 2 == 1)
            {
                let [a, b, c] = [on_edge(i, j), on_edge(i, k), on_edge(i, l)];
                triangles.push(if odd_one { [a, b, c] } else { [a, c, b] });
            }
        }
        for [a, b, c] in triangles {
            self.surface.add_triangle(if right_handed { [a, b, c] } else { [a, c, b] });
        }
    }

    fn vertex(&mut self, from: [usize; 3], to: [usize; 3]) -> u32 {
        let [from, to] = if from < to { [from, to] } else { [to, from] };
        let samples = self.samples;
        *self.vertex_of.entry([from, to]).or_insert_with(|| {
            let (start, end) = (samples.value(from), samples.value(to));
            self.surface.add_point(samples.node(from).lerp(&samples.node(to), start / (start - end)))
        })
    }
}
