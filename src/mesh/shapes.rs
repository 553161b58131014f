//! Closed surfaces with known answers, for tests, documentation and benchmarks. All turn outwards.

use super::{Mesh, Part};
use crate::math::Vec3;
use std::f64::consts::{PI, TAU};

/// A mesh with one part and nothing but its surface.
pub fn surface(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Mesh {
    let part = Part { vertices: 0..positions.len(), triangles: 0..triangles.len(), ..Part::default() };
    Mesh { positions, triangles, parts: vec![part], ..Mesh::default() }
}

/// The cube from -1 to 1 along each axis: 8 vertices, 12 triangles.
///
/// ```text
///     6-----7
///    /|    /|      bit 0 of a vertex is its side in x,
///   2-----3 |      bit 1 in y, bit 2 in z
///   | 4---|-5
///   |/    |/
///   0-----1
/// ```
pub fn cube() -> Mesh {
    let side = |bit: bool| if bit { 1.0 } else { -1.0 };
    let positions = (0..8).map(|i| Vec3::new(side(i & 1 != 0), side(i & 2 != 0), side(i & 4 != 0))).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    surface(positions, quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

/// The unit sphere, its poles on the y axis: `rings` circles of latitude between them with `segments`
/// vertices each; at least 1 and 3.
pub fn uv_sphere(rings: u32, segments: u32) -> Mesh {
    let (rings, segments) = (rings.max(1), segments.max(3));
    let mut positions = vec![Vec3::y()];
    for ring in 1..=rings {
        let (sin, cos) = (PI * f64::from(ring) / f64::from(rings + 1)).sin_cos();
        for segment in 0..segments {
            let (z, x) = (TAU * f64::from(segment) / f64::from(segments)).sin_cos();
            positions.push(Vec3::new(sin * x, cos, -sin * z));
        }
    }
    positions.push(-Vec3::y());
    let bottom = positions.len() as u32 - 1;
    let at = |ring: u32, segment: u32| 1 + ring * segments + segment % segments;
    let mut triangles = Vec::new();
    for segment in 0..segments {
        triangles.push([0, at(0, segment), at(0, segment + 1)]);
        for ring in 1..rings {
            let [a, b] = [at(ring - 1, segment), at(ring - 1, segment + 1)];
            let [c, d] = [at(ring, segment), at(ring, segment + 1)];
            triangles.extend([[a, c, d], [a, d, b]]);
        }
        triangles.push([at(rings - 1, segment), bottom, at(rings - 1, segment + 1)]);
    }
    surface(positions, triangles)
}

/// The torus around the y axis whose tube of radius `tube` runs along the circle of radius `ring`, with
/// `around` times `across` vertices; at least 3 each.
pub fn torus(ring: f64, tube: f64, around: u32, across: u32) -> Mesh {
    let (around, across) = (around.max(3), across.max(3));
    let mut positions = Vec::new();
    for i in 0..around {
        let (z, x) = (TAU * f64::from(i) / f64::from(around)).sin_cos();
        for j in 0..across {
            let (up, out) = (TAU * f64::from(j) / f64::from(across)).sin_cos();
            let radius = ring + tube * out;
            positions.push(Vec3::new(radius * x, tube * up, -radius * z));
        }
    }
    let at = |i: u32, j: u32| (i % around) * across + j % across;
    let mut triangles = Vec::new();
    for i in 0..around {
        for j in 0..across {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    surface(positions, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Six times the volume is the sum of determinants; positive if the surface turns outwards.
    fn volume(mesh: &Mesh) -> f64 {
        let corner = |i: u32| mesh.positions[i as usize];
        mesh.triangles.iter().map(|&[a, b, c]| corner(a).dot(&corner(b).cross(&corner(c))) / 6.0).sum()
    }

    /// Every directed edge is met by its reverse exactly once.
    fn assert_closed(mesh: &Mesh) {
        assert_eq!(mesh.broken_invariant(), None);
        let mut edges: HashMap<[u32; 2], i32> = HashMap::new();
        for &[a, b, c] in &mesh.triangles {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                *edges.entry([from, to]).or_default() += 1;
            }
        }
        for (&[from, to], &count) in &edges {
            assert_eq!((count, edges.get(&[to, from])), (1, Some(&1)), "edge {from} {to}");
        }
    }

    #[test]
    fn shapes_are_closed_and_have_their_volume() {
        for (mesh, exact, tolerance) in [
            (cube(), 8.0, 1e-12),
            (uv_sphere(100, 200), 4.0 / 3.0 * PI, 0.003),
            (torus(2.0, 0.5, 200, 100), 2.0 * PI * PI * 2.0 * 0.25, 0.01),
        ] {
            assert_closed(&mesh);
            assert!((volume(&mesh) - exact).abs() < tolerance, "{} for {exact}", volume(&mesh));
        }
        assert_closed(&uv_sphere(0, 0));
        assert_closed(&torus(1.0, 0.5, 0, 0));
    }
}
