//! The tips of the limbs of one piece of a surface: peaks of the path length over it from its middle.
//!
//! Where the superlevel sets of the path length merge as the level falls, the lower peak ends (the merge tree of Morse theory); how far
//! the level has fallen since the peak is the length of its limb. `embed::landmarks` does the same in voxels, where pieces that touch are
//! one; here it is asked what a piece is by itself.

use super::triangle::{area, corners};
use crate::math::{DisjointSets, Vec3};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Where a limb ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimbTip {
    /// The outermost point.
    pub position: Vec3,
    /// How long the limb is, along the surface.
    pub length: f64,
}

/// All tips of a connected surface with at least one triangle, the longest limb first.
pub fn limb_tips(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<LimbTip> {
    let surface = Net::of(positions, triangles);
    let distances = surface.distances(surface.nearest(&middle(positions, triangles)));
    let mut order: Vec<u32> = (0..distances.len() as u32).collect();
    order.sort_by(|&a, &b| distances[b as usize].total_cmp(&distances[a as usize]).then(a.cmp(&b)));
    let mut is_above = vec![false; order.len()];
    let mut sets = DisjointSets::new(order.len());
    let mut peak: Vec<u32> = (0..order.len() as u32).collect();
    let mut tips = Vec::new();
    let tip = |peak: u32, level: f64| LimbTip {
        position: surface.points[peak as usize],
        length: distances[peak as usize] - level,
    };
    for &vertex in &order {
        is_above[vertex as usize] = true;
        for &(other, _) in
            surface.neighbours[vertex as usize].iter().filter(|(other, _)| is_above[*other as usize])
        {
            let (own, its) = (sets.find(vertex).0, sets.find(other).0);
            if own == its {
                continue;
            }
            let [a, b] = [peak[own as usize], peak[its as usize]];
            let (high, low) = if distances[a as usize] >= distances[b as usize] { (a, b) } else { (b, a) };
            tips.push(tip(low, distances[vertex as usize]));
            sets.union(own, its);
            peak[sets.find(own).0 as usize] = high;
        }
    }
    tips.extend(order.first().map(|&highest| tip(highest, 0.0)));
    tips.retain(|tip| tip.length > 0.0);
    tips.sort_by(|a, b| b.length.total_cmp(&a.length));
    tips
}

/// The vertices of a surface and its edges with their lengths.
struct Net {
    points: Vec<Vec3>,
    neighbours: Vec<Vec<(u32, f64)>>,
}

impl Net {
    fn of(positions: &[Vec3], triangles: &[[u32; 3]]) -> Net {
        let mut vertices: Vec<u32> = triangles.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let points: Vec<Vec3> = vertices.iter().map(|&vertex| positions[vertex as usize]).collect();
        let number = |vertex: u32| vertices.partition_point(|&other| other < vertex) as u32;
        let mut neighbours = vec![Vec::new(); points.len()];
        for triangle in triangles {
            let [a, b, c] = triangle.map(number);
            for (from, to) in [(a, b), (b, c), (c, a), (b, a), (c, b), (a, c)] {
                neighbours[from as usize].push((to, (points[to as usize] - points[from as usize]).norm()));
            }
        }
        Net { points, neighbours }
    }

    /// The vertex nearest to a point.
    fn nearest(&self, point: &Vec3) -> usize {
        let distance = |vertex: usize| (self.points[vertex] - point).norm_squared();
        (0..self.points.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    }

    /// The length of the shortest path along edges from a vertex to each (Dijkstra 1959).
    fn distances(&self, source: usize) -> Vec<f64> {
        let mut distances = vec![f64::INFINITY; self.points.len()];
        distances[source] = 0.0;
        // Lengths are not negative, so that their bits are in their order.
        let mut open = BinaryHeap::from([Reverse((0.0_f64.to_bits(), source as u32))]);
        while let Some(Reverse((bits, vertex))) = open.pop() {
            let reached = f64::from_bits(bits);
            if reached > distances[vertex as usize] {
                continue;
            }
            for &(other, length) in &self.neighbours[vertex as usize] {
                if reached + length < distances[other as usize] {
                    distances[other as usize] = reached + length;
                    open.push(Reverse(((reached + length).to_bits(), other)));
                }
            }
        }
        distances
    }
}

/// The middle of a surface.
fn middle(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec3 {
    let (mut sum, mut total) = (Vec3::zeros(), 0.0);
    for triangle in triangles {
        let corners = corners(positions, triangle);
        let area = area(&corners);
        sum += corners.iter().sum::<Vec3>() * area / corners.len() as f64;
        total += area;
    }
    sum / total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cross_of_ribbons_has_four_tips_with_the_lengths_of_its_arms() {
        // A square in the middle, and from each side of it a ribbon of cells.
        const CELLS: [u32; 4] = [8, 6, 6, 4];
        let mut positions = vec![[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
        let mut triangles = vec![[0, 1, 2], [0, 2, 3]];
        for (side, &cells) in CELLS.iter().enumerate() {
            let (mut a, mut b) = (side as u32, (side as u32 + 1) % 4);
            let out = [[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]][side];
            for _ in 0..cells {
                let next = positions.len() as u32;
                for vertex in [a, b] {
                    let [x, y]: [f64; 2] = positions[vertex as usize];
                    positions.push([x + out[0], y + out[1]]);
                }
                triangles.extend([[a, next, b], [b, next, next + 1]]);
                (a, b) = (next, next + 1);
            }
        }
        let positions: Vec<Vec3> = positions.iter().map(|[x, y]| Vec3::new(*x, *y, 0.0)).collect();
        let tips = limb_tips(&positions, &triangles);
        let long: Vec<f64> = tips.iter().map(|tip| tip.length).filter(|length| *length > 2.0).collect();
        assert_eq!(long.len(), CELLS.len(), "{tips:?}");
        for (length, cells) in long.iter().zip(CELLS) {
            assert!((length - f64::from(cells)).abs() < 1.6, "{tips:?}");
        }
    }
}
