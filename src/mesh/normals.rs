//! Normals of a surface from its triangles: smooth, but for creases.
//!
//! Corners of triangles that meet at a point belong to one group if a fan of triangles leads from one to the other, each
//! joined to the next by an edge that is no crease. A group has one normal, whatever vertices the file has there, so that
//! texture seams do not show. A vertex whose corners are of several groups has to be split.

use super::weld::weld;
use crate::math::{Bounds, DisjointSets, Vec3, atan2, cos};
use std::collections::HashMap;
use std::ops::Range;

/// How normals are made.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct NormalOptions {
    /// Which surfaces get new normals.
    pub normals: Normals,
    /// Smooth surfaces have a hard edge where triangles meet at a larger angle, in degrees.
    pub crease_degrees: f64,
}

/// Which surfaces get new normals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Normals {
    /// Those without normals get smooth ones.
    #[default]
    Missing,
    /// All get smooth ones.
    Smooth,
    /// All get flat ones.
    Flat,
    /// None.
    Keep,
}

impl Default for NormalOptions {
    fn default() -> NormalOptions {
        NormalOptions { normals: Normals::default(), crease_degrees: CREASE }
    }
}

/// In degrees. At 30 the limbs of low-poly characters, prisms with six sides, show their edges; at 90 boxes become round.
const CREASE: f64 = 60.0;
/// The crease of flat surfaces, in degrees: at 0 the two triangles of a quad, equal but for rounding, would not share their
/// vertices; at 5 fine spheres would be smooth.
const FLAT: f64 = 0.5;
/// Vertices closer than this part of the diagonal coincide.
const SEAM: f64 = 1e-6;
/// Triangles at one edge that are compared with each other; without a limit a crowd of doubled ones would take quadratic time.
const CROWD: usize = 16;
/// Shorter sums of normals, which have the length of an angle each, cancel out.
const CANCELLED: f64 = 1e-6;
/// The normal where nothing has a direction.
const UPWARD: [f32; 3] = [0.0, 1.0, 0.0];

impl NormalOptions {
    /// The smallest crease of new normals, in radians; `None` if there are none.
    pub fn crease(&self) -> Option<f64> {
        match self.normals {
            Normals::Keep => None,
            Normals::Flat => Some(FLAT.to_radians()),
            Normals::Missing | Normals::Smooth => Some(self.crease_degrees.to_radians()),
        }
    }

    /// Whether a surface gets new normals.
    pub fn wants(&self, has_normals: bool) -> bool {
        match self.normals {
            Normals::Missing => !has_normals,
            Normals::Smooth | Normals::Flat => true,
            Normals::Keep => false,
        }
    }
}

/// The corners of triangles that share a normal.
pub struct SmoothGroups {
    /// For each corner of each triangle.
    corners: Vec<[u32; 3]>,
    /// The group that a vertex has unless it is split.
    vertices: Vec<u32>,
    /// A unit vector for each group.
    normals: Vec<[f32; 3]>,
}

/// Vertices and triangles of a part whose vertices are split along creases.
#[derive(Debug, PartialEq)]
pub struct SplitPart {
    /// The old vertex of each new one: first all old ones, then copies.
    pub sources: Vec<u32>,
    /// Three new vertices for each triangle.
    pub corners: Vec<u32>,
    /// For each new vertex.
    pub normals: Vec<[f32; 3]>,
}

impl SmoothGroups {
    /// The groups of a surface. Edges where triangles meet at more than `crease`, in radians, are creases.
    pub fn of(positions: &[Vec3], triangles: &[[u32; 3]], crease: f64) -> SmoothGroups {
        let places = weld(positions, SEAM * Bounds::of(positions).diagonal()).welded;
        let weighted: Vec<Option<[Vec3; 3]>> = triangles
            .iter()
            .map(|triangle| weighted_normals(triangle.map(|vertex| positions[vertex as usize])))
            .collect();
        let mut fans = smooth_fans(&places, triangles, &weighted, cos(crease));
        let (labels, count) = fans.labels();
        let mut normals = normals_of(&labels, count, &weighted);
        normals.push(UPWARD);
        let mut corners: Vec<[u32; 3]> = labels.as_chunks().0.to_vec();
        let vertices = vertex_groups(&places, triangles, &weighted, &corners, count as u32);
        // A triangle without an area takes what its vertices have.
        for (triangle, corners) in corners.iter_mut().enumerate() {
            if weighted[triangle].is_none() {
                *corners = triangles[triangle].map(|vertex| vertices[vertex as usize]);
            }
        }
        SmoothGroups { corners, vertices, normals }
    }

    /// Splits the vertices of a part, whose triangles use no others.
    pub fn split(&self, all: &[[u32; 3]], vertices: Range<usize>, triangles: Range<usize>) -> SplitPart {
        let first = vertices.start as u32;
        let mut sources: Vec<u32> = (0..vertices.len() as u32).collect();
        let mut groups = self.vertices[vertices].to_vec();
        let mut copies: HashMap<(u32, u32), u32> = HashMap::new();
        let mut corners = Vec::with_capacity(3 * triangles.len());
        for triangle in triangles {
            for (vertex, &group) in all[triangle].iter().zip(&self.corners[triangle]) {
                let source = vertex - first;
                corners.push(match groups[source as usize] == group {
                    true => source,
                    false => *copies.entry((source, group)).or_insert_with(|| {
                        sources.push(source);
                        groups.push(group);
                        sources.len() as u32 - 1
                    }),
                });
            }
        }
        let normals = groups.iter().map(|&group| self.normals[group as usize]).collect();
        SplitPart { sources, corners, normals }
    }
}

/// The normal of a triangle, weighted by its angle at each corner (Thürmer and Wüthrich 1998, "Computing Vertex Normals from
/// Polygonal Facets"), so that sums do not depend on how a face is cut into triangles. `None` without an area.
pub fn weighted_normals(corners: [Vec3; 3]) -> Option<[Vec3; 3]> {
    let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).try_normalize(0.0)?;
    Some([0, 1, 2].map(|i| {
        let (a, b) = (corners[(i + 1) % 3] - corners[i], corners[(i + 2) % 3] - corners[i]);
        normal * atan2(a.cross(&b).norm(), a.dot(&b))
    }))
}

/// Corners, three for each triangle, joined across the edges that are no creases.
fn smooth_fans(
    places: &[u32],
    triangles: &[[u32; 3]],
    weighted: &[Option<[Vec3; 3]>],
    crease: f64,
) -> DisjointSets {
    let mut fans = DisjointSets::new(3 * triangles.len());
    let mut edges = edges(places, triangles, weighted);
    edges.sort_unstable();
    for same in edges.chunk_by(|a, b| a.places == b.places) {
        for (index, edge) in same.iter().enumerate() {
            for other in same[index + 1..].iter().take(CROWD) {
                let [a, b] =
                    [edge, other].map(|edge| weighted[edge.corners[0] as usize / 3].unwrap_or_default());
                if a[0].dot(&b[0]) > crease * a[0].norm() * b[0].norm() {
                    for end in 0..2 {
                        fans.union(edge.corners[end], other.corners[end]);
                    }
                }
            }
        }
    }
    fans
}

/// An edge of a triangle: the welded vertices at its ends, the smaller first, and the corners there.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    places: [u32; 2],
    corners: [u32; 2],
}

/// The edges of all triangles with an area.
fn edges(places: &[u32], triangles: &[[u32; 3]], weighted: &[Option<[Vec3; 3]>]) -> Vec<Edge> {
    let mut edges = Vec::with_capacity(3 * triangles.len());
    for (index, triangle) in triangles.iter().enumerate().filter(|(index, _)| weighted[*index].is_some()) {
        for [i, j] in [[0, 1], [1, 2], [2, 0]] {
            let [mut a, mut b] = [i, j].map(|i| (places[triangle[i] as usize], (3 * index + i) as u32));
            if a.0 > b.0 {
                (a, b) = (b, a);
            }
            if a.0 != b.0 {
                edges.push(Edge { places: [a.0, b.0], corners: [a.1, b.1] });
            }
        }
    }
    edges
}

/// The mean normal of each of `count` groups; that of its first corner where they cancel out.
fn normals_of(labels: &[u32], count: usize, weighted: &[Option<[Vec3; 3]>]) -> Vec<[f32; 3]> {
    let mut sums = vec![(Vec3::zeros(), Vec3::zeros()); count];
    for (triangle, normals) in weighted.iter().enumerate() {
        for (i, normal) in normals.iter().flatten().enumerate() {
            let (sum, first) = &mut sums[labels[3 * triangle + i] as usize];
            if *first == Vec3::zeros() {
                *first = *normal;
            }
            *sum += normal;
        }
    }
    let unit = |(sum, first): (Vec3, Vec3)| sum.try_normalize(CANCELLED).or(first.try_normalize(0.0));
    sums.into_iter().map(|sums| unit(sums).map_or(UPWARD, |normal| normal.cast::<f32>().into())).collect()
}

/// The group of each vertex: the first of its corners that has a normal, else the first at the same place, else `none`.
fn vertex_groups(
    places: &[u32],
    triangles: &[[u32; 3]],
    weighted: &[Option<[Vec3; 3]>],
    corners: &[[u32; 3]],
    none: u32,
) -> Vec<u32> {
    let mut of_vertex = vec![none; places.len()];
    let mut of_place = vec![none; places.len()];
    for triangle in (0..triangles.len()).filter(|&triangle| weighted[triangle].is_some()) {
        for (&vertex, &group) in triangles[triangle].iter().zip(&corners[triangle]) {
            let (vertex, place) = (vertex as usize, places[vertex as usize] as usize);
            for slot in [&mut of_vertex[vertex], &mut of_place[place]] {
                if *slot == none {
                    *slot = group;
                }
            }
        }
    }
    let groups = of_vertex.iter().zip(places);
    groups.map(|(&group, &place)| if group == none { of_place[place as usize] } else { group }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    fn split(positions: &[Vec3], triangles: &[[u32; 3]], degrees: f64) -> SplitPart {
        let groups = SmoothGroups::of(positions, triangles, degrees.to_radians());
        groups.split(triangles, 0..positions.len(), 0..triangles.len())
    }

    /// The same triangles with three vertices of their own each, as in an STL file.
    fn soup(positions: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let corners = triangles.iter().flatten().map(|&vertex| positions[vertex as usize]).collect();
        (corners, (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
    }

    fn largest_error(part: &SplitPart, expected: impl Fn(usize) -> Vec3) -> f64 {
        let errors =
            part.normals.iter().zip(&part.sources).map(|(normal, &source)| {
                (Vec3::from(normal.map(f64::from)) - expected(source as usize)).norm()
            });
        errors.fold(0.0, f64::max)
    }

    #[test]
    fn a_sphere_is_smooth_whether_its_vertices_are_shared_or_not() {
        let sphere = shapes::uv_sphere(24, 48);
        let shared = split(&sphere.positions, &sphere.triangles, CREASE);
        assert_eq!(shared.sources.len(), sphere.positions.len());
        assert!(largest_error(&shared, |i| sphere.positions[i]) < 0.01);
        let (positions, triangles) = soup(&sphere.positions, &sphere.triangles);
        let apart = split(&positions, &triangles, CREASE);
        assert!(largest_error(&apart, |i| positions[i]) < 0.01);
        // Coinciding vertices have equal normals, to the last bit.
        for (vertex, &corner) in sphere.triangles.iter().flatten().enumerate() {
            assert_eq!(apart.normals[vertex], shared.normals[corner as usize]);
        }
    }

    #[test]
    fn a_cube_is_split_into_its_faces_unless_the_crease_is_beyond_a_right_angle() {
        let cube = shapes::cube();
        let part = split(&cube.positions, &cube.triangles, CREASE);
        assert_eq!(part.sources.len(), 24, "three for each of eight corners");
        let old: Vec<u32> = part.corners.iter().map(|&corner| part.sources[corner as usize]).collect();
        assert_eq!(old, cube.triangles.concat(), "the triangles are the same");
        for (corner, &vertex) in part.corners.iter().enumerate() {
            let [a, b, c] = cube.triangles[corner / 3].map(|vertex| cube.positions[vertex as usize]);
            let face = (b - a).cross(&(c - a)).normalize();
            let normal = Vec3::from(part.normals[vertex as usize].map(f64::from));
            assert!((normal - face).norm() < 1e-6);
        }
        let round = split(&cube.positions, &cube.triangles, 100.0);
        assert_eq!(round.sources.len(), 8);
        assert!(largest_error(&round, |i| cube.positions[i].normalize()) < 1e-6);
    }

    #[test]
    fn one_crease_splits_only_the_vertices_that_lie_inside_of_it() {
        // Two squares at a right angle along the y axis, from 0 to 2: the ridge is (0..3), each square has one row beside it.
        let mut positions = Vec::new();
        for row in [Vec3::zeros(), Vec3::x(), Vec3::z()] {
            positions.extend((0..3).map(|y| row + f64::from(y) * Vec3::y()));
        }
        let strip = |a: u32, b: u32| {
            (0..2).flat_map(move |y| [[a + y, b + y, b + y + 1], [a + y, b + y + 1, a + y + 1]])
        };
        let triangles: Vec<[u32; 3]> = strip(0, 3).chain(strip(6, 0)).collect();
        let part = split(&positions, &triangles, CREASE);
        assert_eq!(part.sources, [0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2]);
        assert_eq!(part.normals[0], [0.0, 0.0, 1.0]);
        assert_eq!(part.normals[9], [1.0, 0.0, 0.0]);
    }

    #[test]
    fn what_has_no_area_gets_a_unit_normal_and_crowds_take_no_time() {
        let mut positions = vec![Vec3::zeros(); 30_000];
        let mut triangles: Vec<[u32; 3]> = (0..10_000).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let part = split(&positions, &triangles, CREASE);
        assert!(part.normals.iter().all(|normal| *normal == UPWARD));
        // A sliver at the corner of a triangle has the normal of that.
        positions.truncate(3);
        (positions[1], positions[2]) = (Vec3::x(), -Vec3::z());
        positions.push(Vec3::x());
        triangles = vec![[0, 1, 2], [0, 1, 3]];
        let part = split(&positions, &triangles, CREASE);
        assert_eq!((part.sources.len(), part.normals[3]), (4, UPWARD));
        assert!(split(&[], &[], CREASE).normals.is_empty());
        let doubled = vec![[0, 1, 2]; 100_000];
        assert_eq!(split(&positions, &doubled, CREASE).sources.len(), 4);
    }
}
