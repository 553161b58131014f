//! Consistent orientation of faces.
//!
//! Files contain flipped faces, mirrored halves and shells that are inside out. The winding number, and with
//! it what is inside a character, needs triangles that run counter-clockwise seen from outside. Triangles are
//! first made to agree across every edge that two of them share; then each patch of agreeing triangles is
//! flipped so that it encloses a positive volume. Inner shells (a hollow print, the inside of a mouth) thereby
//! count as solid, which is what a skeleton needs.

use super::topology::sorted_half_edges;
use super::triangle::{area, corners, signed_volume};
use crate::math::{DisjointSets, Sides, Vec3};
use std::f64::consts::PI;

/// The volume that an open patch must enclose before its sign is believed, in parts of the volume of a sphere
/// of the same area. A hemisphere encloses 1.4, a slightly bent card 0.05: hair cards and capes keep the side
/// that most of their area shows in the file.
const BELIEVABLE_VOLUME: f64 = 0.1;

/// Flips triangles in place; returns how many were flipped. Vertices must be welded.
pub fn orient_faces(positions: &[Vec3], triangles: &mut [[u32; 3]]) -> usize {
    // Agreement: two triangles agree if they run along their common edge in opposite directions.
    let mut patches = DisjointSets::new(triangles.len());
    let mut is_open = vec![false; triangles.len()];
    let half_edges = sorted_half_edges(positions.len(), triangles);
    for edge in half_edges.chunk_by(|a, b| a.edge == b.edge) {
        if let [one, other] = edge {
            // A contradiction (a Möbius strip) is left where it is found.
            let sides = if one.ascending() == other.ascending() { Sides::Opposite } else { Sides::Same };
            patches.union_with_sides(one.triangle(), other.triangle(), sides);
        } else {
            for half_edge in edge {
                is_open[half_edge.triangle() as usize] = true;
            }
        }
    }

    // What is summed over each patch is kept at its representative; an odd triangle runs the other way round.
    let sides: Vec<(u32, bool)> = (0..triangles.len() as u32).map(|t| patches.find(t)).collect();
    let mut sums = vec![Patch::default(); triangles.len()];
    for ((triangle, &(patch, _)), is_open) in triangles.iter().zip(&sides).zip(is_open) {
        let patch = &mut sums[patch as usize];
        patch.corners += 3.0;
        patch.corner_sum += triangle.iter().map(|&v| positions[v as usize]).sum::<Vec3>();
        patch.is_open |= is_open;
    }
    for (triangle, &(patch, odd)) in triangles.iter().zip(&sides) {
        let patch = &mut sums[patch as usize];
        // Any reference point serves a closed patch; for an open one the middle closes its holes with cones.
        let middle = patch.corner_sum / patch.corners;
        let corners = corners(positions, triangle).map(|corner| corner - middle);
        let sign = if odd { -1.0 } else { 1.0 };
        let area = area(&corners);
        patch.volume += sign * signed_volume(&corners);
        patch.area += area;
        patch.area_in_file += sign * area;
    }

    let mut flipped = 0;
    for (triangle, &(patch, odd)) in triangles.iter_mut().zip(&sides) {
        if sums[patch as usize].is_inside_out() != odd {
            triangle.swap(1, 2);
            flipped += 1;
        }
    }
    flipped
}

/// A set of triangles that agree about their sides, as its representative triangle runs.
#[derive(Debug, Clone, Default)]
struct Patch {
    corners: f64,
    corner_sum: Vec3,
    is_open: bool,
    volume: f64,
    area: f64,
    /// Area that runs in the file as the representative does, less the area that runs the other way.
    area_in_file: f64,
}

impl Patch {
    fn is_inside_out(&self) -> bool {
        // A sphere of radius r has the area 4πr² and the volume 4/3 πr³.
        let radius = (self.area / (4.0 * PI)).sqrt();
        let sphere = self.area * radius / 3.0;
        if self.is_open && self.volume.abs() < BELIEVABLE_VOLUME * sphere {
            self.area_in_file < 0.0
        } else {
            self.volume < 0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An octahedron around `center`, running counter-clockwise seen from outside.
    fn octahedron(center: Vec3, first: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let tips = [Vec3::x(), Vec3::y(), Vec3::z(), -Vec3::x(), -Vec3::y(), -Vec3::z()];
        let faces = [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];
        (tips.map(|tip| center + tip).to_vec(), faces.map(|f| f.map(|v| v + first)).to_vec())
    }

    fn oriented(positions: &[Vec3], mut triangles: Vec<[u32; 3]>) -> (Vec<[u32; 3]>, usize) {
        let flipped = orient_faces(positions, &mut triangles);
        // The cyclic rotation does not matter.
        for triangle in &mut triangles {
            let smallest = (0..3).min_by_key(|&k| triangle[k]).unwrap();
            triangle.rotate_left(smallest);
        }
        (triangles, flipped)
    }

    #[test]
    fn every_pattern_of_flipped_faces_is_put_right() {
        let (positions, faces) = octahedron(Vec3::new(3.0, -2.0, 1.0), 0);
        let (right, none) = oriented(&positions, faces.clone());
        assert_eq!(none, 0);
        for mask in 0..256u32 {
            let mut flipped = faces.clone();
            for (k, face) in flipped.iter_mut().enumerate() {
                if mask >> k & 1 == 1 {
                    face.reverse();
                }
            }
            assert_eq!(
                oriented(&positions, flipped),
                (right.clone(), mask.count_ones() as usize),
                "mask {mask:08b}"
            );
        }
    }

    #[test]
    fn an_inner_shell_counts_as_solid_and_a_bowl_opens_outwards() {
        let (mut positions, mut faces) = octahedron(Vec3::zeros(), 0);
        let (inner_positions, inner) = octahedron(Vec3::zeros(), 6);
        positions.extend(inner_positions.iter().map(|p| p * 0.5));
        faces.extend(inner.iter().map(|&[a, b, c]| [a, c, b]));
        assert_eq!(orient_faces(&positions, &mut faces), 8);

        let (positions, faces) = octahedron(Vec3::zeros(), 0);
        let mut bowl: Vec<[u32; 3]> = faces[..4].iter().map(|&[a, b, c]| [a, c, b]).collect();
        assert_eq!(orient_faces(&positions, &mut bowl), 4);
    }

    #[test]
    fn a_flat_card_keeps_the_side_that_most_of_it_shows() {
        let positions: Vec<Vec3> = (0..8).map(|i| Vec3::new((i / 2) as f64, (i % 2) as f64, 0.0)).collect();
        let mut strip: Vec<[u32; 3]> =
            (0..3).flat_map(|i| [[2 * i, 2 * i + 2, 2 * i + 1], [2 * i + 1, 2 * i + 2, 2 * i + 3]]).collect();
        let right = strip.clone();
        strip[3].swap(0, 1);
        assert_eq!(orient_faces(&positions, &mut strip), 1);
        let normal_z = |t: &[u32; 3]| {
            (positions[t[1] as usize] - positions[t[0] as usize])
                .cross(&(positions[t[2] as usize] - positions[t[0] as usize]))
                .z
        };
        assert!(strip.iter().all(|t| normal_z(t) == normal_z(&right[0])));
    }
}
