//! How well heat flows along the edges of a surface, and how much surface belongs to each vertex.
//!
//! Cotangent weights (Pinkall & Polthier 1993; Meyer et al. 2003) are summed up triangle by triangle, so that edges with one
//! triangle or with five are edges like all others. Slivers are made harmless twice: by the intrinsic mollification of Sharp &
//! Crane 2020, "A Laplacian for Nonmanifold Triangle Meshes", section 4.5, which lengthens all edges by the same small amount, so
//! that no triangle is degenerate, and by taking the Delaunay triangulation of the surface instead of that of the file.

use super::delaunay::IntrinsicTriangles;
use crate::math::Vec3;
use rayon::prelude::*;

/// Sides are lengthened until the two shorter ones exceed the longest by this part of the mean edge. Smaller values
/// let the cotangents of needles swamp their neighbours; from about 1e-2 on, the weights of good meshes change.
const MOLLIFICATION: f64 = 1e-4;

/// A surface as a conductor of heat.
pub(super) struct Conductor {
    /// Vertices and the conductance between them; edges occur once for each of their triangles.
    pub edges: Vec<(u32, u32, f64)>,
    /// A third of the area of the triangles at each vertex.
    pub areas: Vec<f64>,
}

impl Conductor {
    /// The conductor of a surface, with the unit normal of each vertex; zero for vertices without triangles.
    pub fn of(positions: &[Vec3], triangles: &[[u32; 3]]) -> (Conductor, Vec<Vec3>) {
        let lengths = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|v| positions[v as usize]);
            [(b - a).norm(), (c - b).norm(), (a - c).norm()]
        };
        let mut sides: Vec<f64> = triangles.par_iter().flat_map_iter(lengths).collect();
        let margin = MOLLIFICATION * sides.iter().sum::<f64>() / sides.len().max(1) as f64;
        let lack = |[a, b, c]: &[f64; 3]| margin + (a - b - c).max(b - c - a).max(c - a - b);
        let stretch = sides.as_chunks().0.par_iter().map(lack).reduce(|| 0.0, f64::max);
        sides.iter_mut().for_each(|side| *side += stretch);
        let mut intrinsic = IntrinsicTriangles::new(triangles, sides);
        intrinsic.make_delaunay(positions.len(), triangles);
        let edges = intrinsic.conductances();

        let mut areas = vec![0.0; positions.len()];
        let mut normals = vec![Vec3::zeros(); positions.len()];
        for triangle in triangles {
            let [a, b, c] = triangle.map(|v| positions[v as usize]);
            let double_area = (b - a).cross(&(c - a));
            for &vertex in triangle {
                areas[vertex as usize] += double_area.norm() / 6.0;
                normals[vertex as usize] += double_area;
            }
        }
        normals.iter_mut().for_each(|normal| *normal = normal.try_normalize(0.0).unwrap_or_else(Vec3::zeros));
        (Conductor { edges, areas }, normals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_triangle_conducts_along_its_legs() {
        let positions = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let (conductor, normals) = Conductor::of(&positions, &[[0, 1, 2]]);
        for &(a, b, conductance) in &conductor.edges {
            let expected = if a.min(b) == 0 { 0.5 } else { 0.0 };
            assert!((conductance - expected).abs() < 1e-3, "{a} {b} {conductance}");
        }
        assert!(conductor.areas.iter().all(|area| (area - 1.0 / 6.0).abs() < 1e-12));
        assert!(normals.iter().all(|normal| (normal - Vec3::z()).norm() < 1e-12));
    }

    #[test]
    fn a_needle_does_not_conduct_more_than_its_neighbours_by_orders_of_magnitude() {
        let positions = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(0.5, 1e-9, 0.0)];
        let (conductor, _) = Conductor::of(&positions, &[[0, 1, 2], [0, 3, 1]]);
        assert!(
            conductor.edges.iter().all(|(_, _, c)| c.is_finite() && c.abs() < 50.0),
            "{:?}",
            conductor.edges
        );
    }
}
