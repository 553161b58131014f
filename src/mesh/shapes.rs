//! Closed forms for tests, documentation and benchmarks.
//!
//! Triangles are counter-clockwise seen from outside, and every shape is closed with shared vertices.

use super::{Mesh, Part};
use crate::math::{Vec3, cos, sin};
use std::f64::consts::{PI, TAU};

/// The cube from −1 to 1 along each axis: 8 vertices, 12 triangles.
pub fn cube() -> Mesh {
    // Bit 0, 1, 2 of a corner's number is its x, y, z side; each face is listed counter-clockwise.
    const FACES: [[u32; 4]; 6] =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let positions =
        (0..8u32).map(|corner| Vec3::from_fn(|axis, _| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 }));
    let triangles = FACES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    surface(positions.collect(), triangles.collect())
}

/// The unit sphere around the origin with its poles on the y axis, as `rings` bands of `segments` quadrangles
/// whose first and last band are triangles: `2 · segments · (rings − 1)` triangles.
///
/// # Panics
/// If `rings < 2` or `segments < 3`.
pub fn uv_sphere(rings: u32, segments: u32) -> Mesh {
    assert!(rings >= 2 && segments >= 3, "a sphere needs 2 rings and 3 segments");
    let mut positions = vec![Vec3::y()];
    for ring in 1..rings {
        let polar = PI * f64::from(ring) / f64::from(rings);
        for segment in 0..segments {
            let azimuth = TAU * f64::from(segment) / f64::from(segments);
            positions.push(Vec3::new(sin(polar) * cos(azimuth), cos(polar), -sin(polar) * sin(azimuth)));
        }
    }
    positions.push(-Vec3::y());

    let last = positions.len() as u32 - 1;
    let at = |ring: u32, segment: u32| 1 + (ring - 1) * segments + segment % segments;
    let mut triangles = Vec::new();
    for segment in 0..segments {
        triangles.push([0, at(1, segment), at(1, segment + 1)]);
        for ring in 1..rings - 1 {
            let (a, b) = (at(ring, segment), at(ring, segment + 1));
            let (c, d) = (at(ring + 1, segment + 1), at(ring + 1, segment));
            triangles.extend([[a, d, c], [a, c, b]]);
        }
        triangles.push([last, at(rings - 1, segment + 1), at(rings - 1, segment)]);
    }
    surface(positions, triangles)
}

/// The torus around the y axis whose tube of radius `minor` has its centre line at distance 1 from the axis:
/// `2 · rings · segments` triangles, `rings` around the axis and `segments` around the tube.
///
/// # Panics
/// If `rings < 3` or `segments < 3`.
pub fn torus(minor: f64, rings: u32, segments: u32) -> Mesh {
    assert!(rings >= 3 && segments >= 3, "a torus needs 3 rings and 3 segments");
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    let at = |ring: u32, segment: u32| (ring % rings) * segments + segment % segments;
    for ring in 0..rings {
        let around = TAU * f64::from(ring) / f64::from(rings);
        for segment in 0..segments {
            let tube = TAU * f64::from(segment) / f64::from(segments);
            let radius = 1.0 + minor * cos(tube);
            positions.push(Vec3::new(radius * cos(around), minor * sin(tube), -radius * sin(around)));
            let (a, b) = (at(ring, segment), at(ring + 1, segment));
            let (c, d) = (at(ring + 1, segment + 1), at(ring, segment + 1));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    surface(positions, triangles)
}

/// Several surfaces in one mesh, each a part of its own.
pub fn joined(surfaces: &[Mesh]) -> Mesh {
    let mut all = Mesh::default();
    for Mesh { positions, triangles, .. } in surfaces {
        let (vertex, triangle) = (all.positions.len(), all.triangles.len());
        all.positions.extend(positions);
        all.triangles.extend(triangles.iter().map(|corners| corners.map(|corner| corner + vertex as u32)));
        let (vertices, triangles) = (vertex..all.positions.len(), triangle..all.triangles.len());
        all.parts.push(Part { vertices, triangles, ..Part::default() });
    }
    all
}

/// A mesh with one part and nothing but its surface.
pub fn surface(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Mesh {
    let part = Part { vertices: 0..positions.len(), triangles: 0..triangles.len(), ..Part::default() };
    Mesh { positions, triangles, parts: vec![part], ..Mesh::default() }
}

/// Two cubes that share a face, with one vertex for each corner, as one part.
#[cfg(test)]
pub fn welded_tower() -> Mesh {
    let (cube, mut tower) = (cube(), cube());
    let bounds = crate::math::Bounds::of(&cube.positions);
    let number = |position: Vec3, tower: &mut Mesh| {
        let same = tower.positions.iter().position(|other| (other - position).norm() < 1e-9);
        same.unwrap_or_else(|| {
            tower.positions.push(position);
            tower.positions.len() - 1
        }) as u32
    };
    for triangle in &cube.triangles {
        let above = triangle.map(|v| {
            let position = cube.positions[v as usize] + Vec3::y() * bounds.extent().y;
            number(position, &mut tower)
        });
        tower.triangles.push(above);
    }
    tower.appearance = Default::default();
    tower.parts[0].material = None;
    tower.parts[0].vertices = 0..tower.positions.len();
    tower.parts[0].triangles = 0..tower.triangles.len();
    tower
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six times the volume is the sum of the determinants: positive only if the triangles face outwards.
    fn volume(mesh: &Mesh) -> f64 {
        let at = |index: u32| mesh.positions[index as usize];
        let determinant = |&[a, b, c]: &[u32; 3]| at(a).dot(&at(b).cross(&at(c)));
        mesh.triangles.iter().map(determinant).sum::<f64>() / 6.0
    }

    #[test]
    fn shapes_face_outwards_and_hold_their_volume() {
        assert_eq!(volume(&cube()), 8.0);
        assert!((volume(&uv_sphere(100, 100)) / (4.0 / 3.0 * PI) - 1.0).abs() < 3e-3);
        assert!((volume(&torus(0.25, 100, 100)) / (2.0 * PI * PI * 0.0625) - 1.0).abs() < 3e-3);
    }

    #[test]
    fn shapes_are_closed_and_have_the_promised_number_of_triangles() {
        for (mesh, count) in [(cube(), 12), (uv_sphere(5, 7), 56), (torus(0.3, 4, 5), 40)] {
            assert_eq!(mesh.triangles.len(), count);
            let mut edges: Vec<_> =
                mesh.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]).collect();
            edges.sort_unstable();
            edges.dedup();
            assert_eq!(edges.len(), 3 * count);
            assert!(edges.iter().all(|&(a, b)| edges.binary_search(&(b, a)).is_ok()));
        }
    }
}
