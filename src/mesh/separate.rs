//! Separating solids that touch.
//!
//! Welding makes one vertex of all at a position, and so joins what only touches there: a thigh and a shin of the same box, or
//! two discs with a vertex in the middle of their faces. A region grows over edges (Bharaj et al. 2012, section 3.2). Where more than
//! two triangles meet at an edge, those belong together that have the inside of one solid between them. Only closed solids
//! come apart again; whatever else is welded stays so.

use super::topology::{HalfEdge, sorted_half_edges};
use super::triangle::{area, corners, signed_volume};
use super::weld::Weld;
use crate::math::{DisjointSets, Vec3, atan2};
use std::f64::consts::TAU;

/// A closed surface encloses at least this part of its area to the power 1.5; a ball has 0.094, a sheet of paper 2e-4. Cloth of two layers
/// encloses nothing and stays one.
const THINNEST: f64 = 1e-6;
/// Triangles at an edge that stand at less than this angle, in radians, lie on each other.
const FOLDED: f64 = 1e-6;

/// Gives touching solids vertices of their own. Returns whether there were any.
pub fn separate(weld: &mut Weld, triangles: &[[u32; 3]]) -> bool {
    // Triangles that welding made lines or points have no sides.
    let (triangles, welded): (Vec<[u32; 3]>, Vec<[u32; 3]>) = triangles
        .iter()
        .map(|&triangle| (triangle, triangle.map(|v| weld.welded[v as usize])))
        .filter(|(_, [a, b, c])| a != b && b != c && c != a)
        .unzip();
    let mut solids = Solids::of(weld, &triangles, &welded);
    let (labels, is_solid) = solids.finish(weld, &triangles, &welded);
    let mut label_of_vertex: Vec<Option<u32>> = vec![None; weld.positions.len()];
    let mut is_used = vec![false; labels.len()];
    triangles.iter().flatten().for_each(|&vertex| is_used[vertex as usize] = true);
    // The first solid at a vertex keeps it; each other gets one of its own.
    let mut copies: Vec<(u32, u32, u32)> = Vec::new();
    for (vertex, &label) in labels.iter().enumerate().filter(|(vertex, _)| is_used[*vertex]) {
        let at = weld.welded[vertex];
        let first = label_of_vertex[at as usize].get_or_insert(label);
        if *first != label && is_solid[label as usize] {
            copies.push((at, label, vertex as u32));
        }
    }
    copies.sort_unstable();
    for same in copies.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let copy = weld.positions.len() as u32;
        weld.positions.push(weld.positions[same[0].0 as usize]);
        same.iter().for_each(|&(_, _, vertex)| weld.welded[vertex as usize] = copy);
    }
    !copies.is_empty()
}

/// Connected vertices of the file, without those that merely touch.
struct Solids {
    sets: DisjointSets,
    /// Vertices at edges that are not between two triangles of one solid.
    open: Vec<u32>,
}

impl Solids {
    fn of(weld: &Weld, triangles: &[[u32; 3]], welded: &[[u32; 3]]) -> Solids {
        let mut sets = DisjointSets::new(weld.welded.len());
        for &[a, b, c] in triangles {
            sets.union(a, b);
            sets.union(b, c);
        }
        let fan = Fan::of(weld, welded);
        let mut open = Vec::new();
        let edges = sorted_half_edges(weld.positions.len(), welded);
        for edge in edges.chunk_by(|a, b| a.edge == b.edge) {
            match edge {
                [one] => open.push(first_vertex(triangles, one)),
                [one, other] => sets.union(first_vertex(triangles, one), first_vertex(triangles, other)),
                many => match fan.pairs(many) {
                    Some(pairs) => pairs.iter().for_each(|pair| {
                        let [one, other] = pair.map(|side| first_vertex(triangles, side));
                        sets.union(one, other);
                    }),
                    None => {
                        let first = first_vertex(triangles, &many[0]);
                        many.iter().for_each(|side| sets.union(first_vertex(triangles, side), first));
                        open.push(first);
                    }
                },
            }
        }
        Solids { sets, open }
    }

    /// The number of the piece of each vertex, and whether it is a solid. What is none stays with all that it is welded to.
    fn finish(&mut self, weld: &Weld, triangles: &[[u32; 3]], welded: &[[u32; 3]]) -> (Vec<u32>, Vec<bool>) {
        let (labels, count) = self.sets.labels();
        let (mut volumes, mut areas) = (vec![0.0; count], vec![0.0; count]);
        for (triangle, original) in welded.iter().zip(triangles) {
            let label = labels[original[0] as usize] as usize;
            volumes[label] += volume(weld, triangle);
            areas[label] += area(&corners(&weld.positions, triangle));
        }
        let measures = volumes.iter().zip(&areas);
        let mut is_solid: Vec<bool> = measures
            .map(|(volume, area): (&f64, &f64)| volume.abs() > THINNEST * area * area.sqrt())
            .collect();
        self.open.iter().for_each(|&vertex| is_solid[labels[vertex as usize] as usize] = false);

        let mut loose: Vec<Option<u32>> = vec![None; weld.positions.len()];
        for &vertex in triangles.iter().flatten() {
            if !is_solid[labels[vertex as usize] as usize] {
                loose[weld.welded[vertex as usize] as usize] = Some(vertex);
            }
        }
        for &vertex in triangles.iter().flatten() {
            if let Some(other) = loose[weld.welded[vertex as usize] as usize] {
                self.sets.union(vertex, other);
            }
        }
        let (merged, count) = self.sets.labels();
        let mut are_solid = vec![true; count];
        for (&old, &new) in labels.iter().zip(&merged) {
            are_solid[new as usize] &= is_solid[old as usize];
        }
        (merged, are_solid)
    }
}

fn first_vertex(triangles: &[[u32; 3]], side: &HalfEdge) -> u32 {
    triangles[side.triangle() as usize][0]
}

/// The signed volume between a triangle and the middle of the unit cube.
fn volume(weld: &Weld, triangle: &[u32; 3]) -> f64 {
    signed_volume(&corners(&weld.positions, triangle).map(|corner| corner - Vec3::repeat(0.5)))
}

/// Triangles around edges that more than two of them share.
struct Fan<'a> {
    positions: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    /// The mesh is inside out as a whole: its insides are on the other side.
    is_inverted: bool,
}

impl<'a> Fan<'a> {
    fn of(weld: &'a Weld, triangles: &'a [[u32; 3]]) -> Fan<'a> {
        let is_inverted = triangles.iter().map(|triangle| volume(weld, triangle)).sum::<f64>() < 0.0;
        Fan { positions: &weld.positions, triangles, is_inverted }
    }

    /// Which triangles at an edge of several solids belong together: each with the next one through the inside.
    /// `None` if there are not as many one way round as the other.
    ///
    /// ```text
    ///        \ |      Around the edge, seen along it: a triangle that runs with the edge has its inside
    ///   inside\|      clockwise of it, one that runs against it anticlockwise. The partner of the former
    ///    ------+      is the next of the latter kind, going clockwise.
    /// ```
    fn pairs<'e>(&self, edge: &'e [HalfEdge]) -> Option<Vec<[&'e HalfEdge; 2]>> {
        let (mut with, mut against) = (Vec::new(), Vec::new());
        for (side, angle) in edge.iter().zip(self.angles(edge)?) {
            let list = if side.ascending() != self.is_inverted { &mut with } else { &mut against };
            list.push((side, angle));
        }
        if with.len() != against.len() {
            return None;
        }
        let mut gaps: Vec<(f64, usize, usize)> = Vec::with_capacity(with.len() * against.len());
        for (i, (_, one)) in with.iter().enumerate() {
            for (j, (_, other)) in against.iter().enumerate() {
                let gap = (one - other).rem_euclid(TAU);
                gaps.push((if gap < FOLDED { TAU } else { gap }, i, j));
            }
        }
        gaps.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let (mut is_paired, mut is_taken) = (vec![false; with.len()], vec![false; against.len()]);
        let mut pairs = Vec::new();
        for (_, i, j) in gaps {
            if !is_paired[i] && !is_taken[j] {
                (is_paired[i], is_taken[j]) = (true, true);
                pairs.push([with[i].0, against[j].0]);
            }
        }
        Some(pairs)
    }

    /// The angles about the edge at which its triangles stand.
    fn angles(&self, edge: &[HalfEdge]) -> Option<Vec<f64>> {
        let (a, b) = edge[0].vertices();
        let from = self.positions[a as usize];
        let axis = (self.positions[b as usize] - from).try_normalize(0.0)?;
        let u = axis.cross(&Vec3::ith(axis.iamin(), 1.0)).normalize();
        let v = axis.cross(&u);
        edge.iter()
            .map(|side| {
                let triangle = self.triangles[side.triangle() as usize];
                let third = triangle.into_iter().find(|&vertex| vertex != a && vertex != b)?;
                let out = self.positions[third as usize] - from;
                Some(atan2(out.dot(&v), out.dot(&u)))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::weld::weld;
    use super::*;
    use crate::mesh::shapes;

    /// How many pieces are left of boxes with centers and half sizes, each turned inside out or not.
    fn pieces(boxes: &[(Vec3, Vec3)], is_inverted: bool) -> usize {
        let cube = shapes::cube();
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        for (center, half) in boxes {
            // Every triangle has vertices of its own, as in STL files and flat glTF.
            for &[a, b, c] in &cube.triangles {
                let first = positions.len() as u32;
                let corners = if is_inverted { [a, c, b] } else { [a, b, c] };
                positions.extend(corners.map(|v| center + cube.positions[v as usize].component_mul(half)));
                triangles.push([first, first + 1, first + 2]);
            }
        }
        count(&positions, &triangles)
    }

    fn count(positions: &[Vec3], triangles: &[[u32; 3]]) -> usize {
        let mut welded = weld(positions, 1e-6);
        separate(&mut welded, triangles);
        let mut sets = DisjointSets::new(welded.positions.len());
        for triangle in triangles {
            let [a, b, c] = triangle.map(|v| welded.welded[v as usize]);
            sets.union(a, b);
            sets.union(b, c);
        }
        sets.labels().1
    }

    #[test]
    fn boxes_that_share_a_face_an_edge_or_a_corner_are_pieces_of_their_own() {
        let unit = Vec3::repeat(0.1);
        let at = |x: f64, y: f64, z: f64| (Vec3::new(x, y, z), unit);
        for is_inverted in [false, true] {
            let pieces = |boxes: &[(Vec3, Vec3)]| pieces(boxes, is_inverted);
            assert_eq!(pieces(&[at(0.5, 0.5, 0.5)]), 1);
            assert_eq!(pieces(&[at(0.5, 0.3, 0.5), at(0.5, 0.5, 0.5), at(0.5, 0.7, 0.5)]), 3, "a tower");
            assert_eq!(pieces(&[at(0.5, 0.3, 0.5), at(0.7, 0.5, 0.5)]), 2, "an edge");
            assert_eq!(pieces(&[at(0.3, 0.3, 0.3), at(0.5, 0.5, 0.5)]), 2, "a corner");
        }
    }

    #[test]
    fn seams_and_sheets_stay_welded() {
        // A cube whose faces share no vertices is one piece, and stays so without its lid.
        let cube = shapes::cube();
        let corners: Vec<Vec3> =
            cube.triangles.iter().flatten().map(|&v| cube.positions[v as usize]).collect();
        let triangles: Vec<[u32; 3]> = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        assert_eq!(count(&corners, &triangles), 1);
        assert_eq!(count(&corners, &triangles[1..]), 1);
        // Cloth of two layers, and three sheets along one edge.
        let [a, b, c, d] =
            [[0.1, 0.1, 0.5], [0.9, 0.1, 0.5], [0.9, 0.9, 0.5], [0.1, 0.9, 0.5]].map(Vec3::from);
        let cloth = [a, b, c, a, c, d, a, c, b, a, d, c];
        assert_eq!(count(&cloth, &[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]), 1);
        let e = Vec3::new(0.5, 0.5, 0.9);
        assert_eq!(count(&[a, b, c, a, c, d, a, c, e], &[[0, 1, 2], [3, 4, 5], [6, 7, 8]]), 1);
    }
}
