//! The cotangent Laplacian of a surface, and the area of each vertex.
//!
//! Cotangent weights (Pinkall & Polthier 1993; Meyer et al. 2003) are summed up triangle by triangle, so that edges with one
//! triangle or with five are edges like all others. Slivers are made harmless twice: by the intrinsic mollification of Sharp &
//! Crane 2020, "A Laplacian for Nonmanifold Triangle Meshes", section 4.5, which lengthens all edges by the same small amount, so
//! that no triangle is degenerate, and by the intrinsic Delaunay triangulation instead of the triangles of the file.

use super::delaunay::IntrinsicTriangles;
use crate::math::Vec3;
use rayon::prelude::*;

/// Edges are lengthened until the two shorter sides of each triangle exceed the longest by this part of the mean edge. Smaller
/// values let the cotangents of needles swamp their neighbours; from about 1e-2 on, the weights of good meshes change.
const MOLLIFICATION: f64 = 1e-4;

/// Two vertices and the weight between them: how well heat flows from one to the other.
pub(super) type WeightedEdge = (u32, u32, f64);

/// The cotangent Laplacian of a surface with lumped areas. It depends on the mesh alone.
#[derive(Clone)]
pub(super) struct Laplacian {
    /// Half cotangents; an edge occurs once for each of its triangles, and weights of the same edge add up.
    pub edges: Vec<WeightedEdge>,
    /// A third of the area of the triangles at each vertex.
    pub areas: Vec<f64>,
}

impl Laplacian {
    /// The Laplacian of a surface.
    pub fn of(positions: &[Vec3], triangles: &[[u32; 3]]) -> Laplacian {
        let mut intrinsic = IntrinsicTriangles::new(triangles, mollified_lengths(positions, triangles));
        intrinsic.make_delaunay(positions.len(), triangles);
        Laplacian { edges: intrinsic.cotangent_edges(), areas: vertex_areas(positions, triangles) }
    }
}

/// The lengths of the three sides of each triangle, mollified.
fn mollified_lengths(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<f64> {
    let mut lengths: Vec<f64> =
        triangles.par_iter().flat_map_iter(|triangle| side_lengths(positions, triangle)).collect();
    let margin = MOLLIFICATION * lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
    let sides = lengths.as_chunks().0.par_iter();
    let missing = sides.map(|sides| margin + triangle_defect(sides)).reduce(|| 0.0, f64::max);
    lengths.iter_mut().for_each(|length| *length += missing);
    lengths
}

fn side_lengths(positions: &[Vec3], triangle: &[u32; 3]) -> [f64; 3] {
    let [a, b, c] = triangle.map(|v| positions[v as usize]);
    [(b - a).norm(), (c - b).norm(), (a - c).norm()]
}

/// How far the longest side exceeds the sum of the two others; negative for a triangle with an area.
fn triangle_defect([a, b, c]: &[f64; 3]) -> f64 {
    (a - b - c).max(b - c - a).max(c - a - b)
}

/// A third of the area of the triangles at each vertex.
pub fn vertex_areas(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<f64> {
    let mut areas = vec![0.0; positions.len()];
    for triangle in triangles {
        let third = double_area(positions, triangle).norm() / 6.0;
        triangle.iter().for_each(|&vertex| areas[vertex as usize] += third);
    }
    areas
}

/// The unit normal of each vertex, weighted by area; zero for vertices without triangles.
pub(super) fn vertex_normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::zeros(); positions.len()];
    for triangle in triangles {
        let double_area = double_area(positions, triangle);
        triangle.iter().for_each(|&vertex| normals[vertex as usize] += double_area);
    }
    normals.iter_mut().for_each(|normal| *normal = normal.try_normalize(0.0).unwrap_or_else(Vec3::zeros));
    normals
}

/// The normal of a triangle, as long as twice its area.
fn double_area(positions: &[Vec3], triangle: &[u32; 3]) -> Vec3 {
    let [a, b, c] = triangle.map(|v| positions[v as usize]);
    (b - a).cross(&(c - a))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_triangle_conducts_along_its_legs() {
        let (positions, triangles) = ([Vec3::zeros(), Vec3::x(), Vec3::y()], [[0, 1, 2]]);
        let laplacian = Laplacian::of(&positions, &triangles);
        for &(a, b, weight) in &laplacian.edges {
            let expected = if a.min(b) == 0 { 0.5 } else { 0.0 };
            assert!((weight - expected).abs() < 1e-3, "{a} {b} {weight}");
        }
        assert!(laplacian.areas.iter().all(|area| (area - 1.0 / 6.0).abs() < 1e-12));
        let normals = vertex_normals(&positions, &triangles);
        assert!(normals.iter().all(|normal| (normal - Vec3::z()).norm() < 1e-12));
    }

    #[test]
    fn a_needle_does_not_conduct_more_than_its_neighbours_by_orders_of_magnitude() {
        let positions = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(0.5, 1e-9, 0.0)];
        let edges = Laplacian::of(&positions, &[[0, 1, 2], [0, 3, 1]]).edges;
        assert!(edges.iter().all(|(_, _, weight)| weight.is_finite() && weight.abs() < 50.0), "{edges:?}");
    }
}
