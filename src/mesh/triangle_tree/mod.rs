//! One tree over any triangle soup that answers nearest points, rays and winding numbers.
//!
//! Nodes have eight children and leaves eight triangles, stored component by component so that one query tests
//! all eight at once. Decisions during the walk are made in `f32`, with margins; answers are computed in `f64`.

mod build;
mod lanes;
mod nearest;
mod ray;
mod walk;
mod winding;

#[cfg(test)]
mod tests;

pub use nearest::Nearest;
pub use ray::Hit;

use super::triangle::{Corners, corners};
use crate::math::{Bounds, Vec3, exp2, log2};
use build::{Box32, Boxed, Layout, Node};
use nearest::Planes;
use rayon::prelude::*;
use std::ops::Range;
use winding::{Clusters, Faces};

/// Triangles arranged for queries about the surface that they form.
///
/// The triangles may be degenerate, doubled, flipped, crossing, or none at all. The same input gives the same tree
/// and the same answers, bit for bit, whatever the number of threads.
///
/// ```
/// use puppetry::Vec3;
/// use puppetry::stages::mesh::{TriangleTree, shapes};
///
/// let cube = shapes::cube(); // from -1 to 1
/// let tree = TriangleTree::new(&cube.positions, &cube.triangles);
///
/// let nearest = tree.nearest(&Vec3::new(3.0, 0.5, 0.25)).unwrap();
/// assert_eq!(nearest.point, Vec3::new(1.0, 0.5, 0.25));
/// assert_eq!(nearest.distance, 2.0);
///
/// let hit = tree.ray(&Vec3::new(0.1, 0.2, 5.0), &-Vec3::z(), 0.0..=f64::INFINITY).unwrap();
/// assert_eq!(hit.t, 4.0);
/// assert!(tree.is_blocked(&Vec3::zeros(), &Vec3::new(0.0, 2.0, 0.1), 0.0..=1.0));
///
/// // Many points at once, in parallel, answers in the order of the points.
/// let points = [Vec3::zeros(), Vec3::new(0.0, 0.0, 1.5)];
/// assert_eq!(tree.answer_all(&points, TriangleTree::contains), [true, false]);
/// assert_eq!(tree.answer_all(&points, TriangleTree::signed_distance), [Some(-1.0), Some(0.5)]);
/// ```
pub struct TriangleTree {
    space: LocalSpace,
    /// Corners in tree-local coordinates, in the order of the leaves.
    corners: Vec<Corners>,
    /// For each of them, its index in the caller's list.
    order: Vec<u32>,
    nodes: Vec<Node>,
    /// For each node.
    clusters: Vec<Clusters>,
    /// For each leaf: its first index into `corners`, and one more for the end.
    first: Vec<u32>,
    planes: Vec<Planes>,
    faces: Vec<Faces>,
}

impl TriangleTree {
    /// Arranges triangles, given as indices into `positions`. Those with a corner that is not finite are left out.
    ///
    /// # Panics
    /// If an index is not below `positions.len()`, or there are 2³¹ triangles or more.
    pub fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> TriangleTree {
        assert!(triangles.len() < 1 << 31, "a tree holds less than 2³¹ triangles");
        let finite: Vec<u32> = (0..triangles.len())
            .into_par_iter()
            .filter(|&triangle| {
                corners(positions, &triangles[triangle]).iter().flatten().all(|x| x.is_finite())
            })
            .map(|triangle| triangle as u32)
            .collect();
        let bounds = finite
            .par_iter()
            .map(|&triangle| Bounds::of(&corners(positions, &triangles[triangle as usize])))
            .reduce(|| Bounds::EMPTY, |a, b| Bounds { min: a.min.inf(&b.min), max: a.max.sup(&b.max) });
        let space = LocalSpace::of(&bounds);
        let local_corners = |&triangle: &u32| {
            corners(positions, &triangles[triangle as usize]).map(|corner| space.to_local(&corner))
        };

        let boxed = finite.par_iter().map(|triangle| {
            let rounded = local_corners(triangle).map(|p| [p.x as f32, p.y as f32, p.z as f32]);
            Boxed { bounds: Box32::around(&rounded), triangle: *triangle }
        });
        let Layout { nodes, runs, leaves, order } = Layout::of(boxed.collect());
        let corners: Vec<Corners> = order.par_iter().map(local_corners).collect();
        let first = leaves.iter().map(|run| run.start as u32).chain([corners.len() as u32]).collect();
        let planes = leaves.par_iter().map(|run| Planes::of(&corners[run.clone()])).collect();
        let faces = leaves.par_iter().map(|run| Faces::of(&corners[run.clone()])).collect();
        let clusters = runs.par_iter().map(|runs| Clusters::of(&corners, runs)).collect();
        TriangleTree { space, corners, order, nodes, clusters, first, planes, faces }
    }

    /// Whether a point is inside, by a winding number above one half. Holes are closed by what is sensible: the
    /// boundary runs where the surface covers half of the view.
    pub fn contains(&self, point: &Vec3) -> bool {
        self.winding_number(point) > 0.5
    }

    /// Distance to the surface, negative inside; `None` where there is no nearest point.
    pub fn signed_distance(&self, point: &Vec3) -> Option<f64> {
        let distance = self.nearest(point)?.distance;
        Some(if self.contains(point) { -distance } else { distance })
    }

    /// Answers one query for each point, in parallel; the answers are in the order of the points.
    pub fn answer_all<T: Send>(
        &self,
        points: &[Vec3],
        query: impl Fn(&TriangleTree, &Vec3) -> T + Sync,
    ) -> Vec<T> {
        // 64 queries take some 30 to 200 µs, well above the cost of handing a task over.
        points.par_iter().with_min_len(64).map(|point| query(self, point)).collect()
    }

    /// The indices of a leaf's triangles in `corners`.
    fn leaf_run(&self, leaf: usize) -> Range<usize> {
        self.first[leaf] as usize..self.first[leaf + 1] as usize
    }
}

/// The space in which the mesh is centred and spans −1 to 1, so that `f32` has 2⁻²⁴ of its size as resolution and
/// nothing overflows. The scale is a power of two: scaling back and forth is exact.
struct LocalSpace {
    center: Vec3,
    scale: f64,
}

/// The largest exponent of the scale: its inverse is finite too.
const MOST: f64 = 1000.0;

impl LocalSpace {
    fn of(bounds: &Bounds) -> LocalSpace {
        if bounds.is_empty() {
            return LocalSpace { center: Vec3::zeros(), scale: 1.0 };
        }
        // Halves first: the sum and the difference of the largest numbers would overflow.
        let center = bounds.min * 0.5 + bounds.max * 0.5;
        let half_extent = (bounds.max * 0.5 - bounds.min * 0.5).amax();
        let exponent = if half_extent > 0.0 { log2(half_extent).ceil().clamp(-MOST, MOST) } else { 0.0 };
        LocalSpace { center, scale: exp2(-exponent) }
    }

    fn to_local(&self, point: &Vec3) -> Vec3 {
        (point - self.center) * self.scale
    }

    /// The tree-local position of a query; `None` if it is not finite.
    fn locate(&self, query: &Vec3) -> Option<Vec3> {
        Some(self.to_local(query)).filter(|local| local.iter().all(|x| x.is_finite()))
    }

    fn to_world(&self, local: &Vec3) -> Vec3 {
        local / self.scale + self.center
    }
}
