//! Which pieces touch: the contact graph of Bharaj et al. 2012, section 3.2.
//!
//! The paper compares samples with samples, for which its threshold of 0.01 % of the size needs clouds of millions. Here
//! samples and vertices of one piece are compared with the triangles of the other, and where none is near, edges with
//! triangles, so that a wire through a plate is found too. Pieces that touch nothing are bridged to the nearest one.

use super::pieces::Piece;
use crate::math::{Bounds, DisjointSets, Vec3};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Pieces closer than this touch, in parts of the character's diagonal: half a centimetre for a person. Less leaves the rings of a
/// neck apart that a modeller set a millimetre apart by eye; with more, arms touch the trunk.
const REACH: f64 = 0.0025;

/// The most pieces that one is compared with: thousands of shells in one place would be compared each with each. Those left over are
/// bridged to the nearest.
const MAX_NEIGHBOURS: usize = 256;

/// Two pieces that touch, or that are bridged because nothing is nearer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// The pieces, the smaller number first.
    pub pieces: [usize; 2],
    /// The middle of where they touch.
    pub position: Vec3,
    /// How much surface is near the other piece; zero if they do not touch.
    pub area: f64,
    /// How far they are apart, zero if they touch.
    pub gap: f64,
}

/// The contacts of all pieces; everything is connected. Sorted by pieces.
pub fn contacts(pieces: &[Piece]) -> Vec<Contact> {
    let mut whole = Bounds::EMPTY;
    pieces.iter().for_each(|piece| grow(&mut whole, &piece.bounds));
    let reach = REACH * whole.diagonal();
    let mut touching: Vec<Contact> = close_boxes(pieces, reach)
        .into_par_iter()
        .filter_map(|[a, b]| touch([a, b], [&pieces[a], &pieces[b]], reach))
        .collect();
    touching.extend(bridges(pieces, &touching));
    touching.sort_by_key(|contact| contact.pieces);
    touching
}

/// Pairs of pieces whose boxes come within `reach`: upright boxes by a sweep along the longest side, then those along the
/// pieces.
fn close_boxes(pieces: &[Piece], reach: f64) -> Vec<[usize; 2]> {
    let mut whole = Bounds::EMPTY;
    pieces.iter().for_each(|piece| grow(&mut whole, &piece.bounds));
    let axis = whole.extent().imax();
    let starts: Vec<f64> = pieces.iter().map(|piece| piece.bounds.min[axis]).collect();
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by(|&a, &b| starts[a].total_cmp(&starts[b]).then(a.cmp(&b)));
    (0..order.len())
        .into_par_iter()
        .flat_map_iter(|rank| {
            let (starts, a) = (&starts, order[rank]);
            let end = pieces[a].bounds.max[axis] + reach;
            let later = order[rank + 1..].iter().copied().take_while(move |&b| starts[b] <= end);
            let near = later.filter(move |&b| {
                gap(&pieces[a].bounds, &pieces[b].bounds) <= reach
                    && pieces[a].oriented.is_near(&pieces[b].oriented, reach)
            });
            near.take(MAX_NEIGHBOURS).map(move |b| [a.min(b), a.max(b)])
        })
        .collect()
}

/// Where two pieces touch, if they do.
fn touch(numbers: [usize; 2], pieces: [&Piece; 2], reach: f64) -> Option<Contact> {
    let mut hits = Hits::default();
    for [own, other] in [pieces, [pieces[1], pieces[0]]] {
        let share = own.area / own.samples.len() as f64;
        own.samples.iter().filter(|sample| other.is_near(sample, reach)).for_each(|p| hits.add(p, share));
    }
    if hits.area == 0.0 {
        let small = pieces.iter().map(|piece| piece.area).fold(f64::INFINITY, f64::min) * EDGE_AREA;
        for [own, other] in [pieces, [pieces[1], pieces[0]]] {
            for point in own.crossings(other, reach) {
                hits.add(&point, small);
            }
        }
    }
    // What is near on both sides counts once.
    let position = hits.center()?;
    Some(Contact { pieces: numbers, position, area: 0.5 * hits.area, gap: 0.0 })
}

/// Area, in parts of the smaller piece, of a contact at corners and edges, which have none.
const EDGE_AREA: f64 = 1e-9;

/// Points of contact, weighted by area.
#[derive(Default)]
struct Hits {
    sum: Vec3,
    area: f64,
}

impl Hits {
    fn add(&mut self, point: &Vec3, area: f64) {
        self.sum += point * area;
        self.area += area;
    }

    fn center(&self) -> Option<Vec3> {
        (self.area > 0.0).then(|| self.sum / self.area)
    }
}

impl Piece {
    fn is_near(&self, point: &Vec3, reach: f64) -> bool {
        outside(&self.bounds, point) <= reach && self.tree.nearest_within(point, reach).is_some()
    }

    /// Vertices near another piece, and points where edges pass through it.
    fn crossings(&self, other: &Piece, reach: f64) -> Vec<Vec3> {
        let mut found = Vec::new();
        for corners in &self.corners {
            let mut bounds = Bounds::of(corners);
            bounds.min -= Vec3::repeat(reach);
            bounds.max += Vec3::repeat(reach);
            if gap(&bounds, &other.bounds) > 0.0 {
                continue;
            }
            for side in 0..3 {
                let (from, to) = (corners[side], corners[(side + 1) % 3]);
                if other.tree.nearest_within(&from, reach).is_some() {
                    found.push(from);
                } else if let Some(hit) = other.tree.ray(&from, &(to - from), 0.0..=1.0) {
                    found.push(from + (to - from) * hit.t);
                }
            }
        }
        found
    }
}

/// Contacts between groups of pieces that do not touch: each group is bridged to the nearest other one, until there is one group
/// (Borůvka 1926: a minimum spanning tree over the groups).
fn bridges(pieces: &[Piece], touching: &[Contact]) -> Vec<Contact> {
    let mut groups = DisjointSets::new(pieces.len());
    touching.iter().for_each(|contact| groups.union(contact.pieces[0] as u32, contact.pieces[1] as u32));
    let mut bridges = Vec::new();
    loop {
        let (labels, count) = groups.labels();
        if count < 2 {
            return bridges;
        }
        // The largest group need not search: the others find it.
        let mut areas = vec![0.0; count];
        labels.iter().zip(pieces).for_each(|(&label, piece)| areas[label as usize] += piece.area);
        let largest = (0..count).max_by(|&a, &b| areas[a].total_cmp(&areas[b])).unwrap_or(0) as u32;
        let mut nearest: Vec<Option<Contact>> = vec![None; count];
        let found: Vec<(u32, Contact)> = (0..pieces.len())
            .into_par_iter()
            .filter(|&piece| labels[piece] != largest)
            .filter_map(|piece| Some((labels[piece], nearest_other(pieces, &labels, piece)?)))
            .collect();
        for (label, contact) in found {
            let best = &mut nearest[label as usize];
            if best.is_none_or(|best| contact.gap < best.gap) {
                *best = Some(contact);
            }
        }
        for contact in nearest.into_iter().flatten() {
            let [a, b] = contact.pieces.map(|piece| piece as u32);
            if groups.find(a).0 != groups.find(b).0 {
                groups.union(a, b);
                bridges.push(contact);
            }
        }
    }
}

/// The nearest piece of another group, by the samples of this one.
fn nearest_other(pieces: &[Piece], labels: &[u32], own: usize) -> Option<Contact> {
    let piece = &pieces[own];
    let others = (0..pieces.len()).filter(|&other| labels[other] != labels[own]);
    // Gaps are not negative and sort by their bits. Few are looked at, so that sorting all is not worth it.
    let mut others: BinaryHeap<Reverse<(u64, usize)>> =
        others.map(|other| Reverse((gap(&piece.bounds, &pieces[other].bounds).to_bits(), other))).collect();
    let mut best: Option<Contact> = None;
    while let Some(Reverse((distance, other))) = others.pop() {
        if best.is_some_and(|best| f64::from_bits(distance) >= best.gap) {
            break;
        }
        for sample in &piece.samples {
            let limit = best.map_or(f64::INFINITY, |best| best.gap);
            let Some(near) = pieces[other].tree.nearest_within(sample, limit) else { continue };
            if near.distance < limit {
                let pieces = [own.min(other), own.max(other)];
                let position = (sample + near.point) * 0.5;
                best = Some(Contact { pieces, position, area: 0.0, gap: near.distance });
            }
        }
    }
    best
}

/// How far two boxes are apart.
fn gap(a: &Bounds, b: &Bounds) -> f64 {
    (a.min - b.max).sup(&(b.min - a.max)).sup(&Vec3::zeros()).norm()
}

/// How far a point is outside of a box.
fn outside(bounds: &Bounds, point: &Vec3) -> f64 {
    (point - point.sup(&bounds.min).inf(&bounds.max)).norm()
}

fn grow(bounds: &mut Bounds, by: &Bounds) {
    (bounds.min, bounds.max) = (bounds.min.inf(&by.min), bounds.max.sup(&by.max));
}

#[cfg(test)]
mod tests {
    use super::super::pieces::pieces;
    use super::*;
    use crate::math::Axis;
    use crate::mesh::orientation::OrientationOptions;
    use crate::mesh::prepare::{PrepareOptions, PreparedMesh, prepare};
    use crate::mesh::{Mesh, shapes};

    /// Boxes with centers and half sizes.
    fn boxes(boxes: &[(Vec3, Vec3)]) -> PreparedMesh {
        let cube = shapes::cube();
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        for (center, half) in boxes {
            let first = positions.len() as u32;
            positions.extend(cube.positions.iter().map(|p| center + p.component_mul(half)));
            triangles.extend(cube.triangles.iter().map(|triangle| triangle.map(|v| v + first)));
        }
        let mesh: Mesh = shapes::surface(positions, triangles);
        let orientation = OrientationOptions { up: Some(Axis::PosY), front: Some(Axis::PosZ) };
        prepare(&mesh, &PrepareOptions { orientation, ..PrepareOptions::default() }, &mut Vec::new()).unwrap()
    }

    /// The contacts of boxes in the coordinates of the boxes, areas too.
    fn contacts_of(list: &[(Vec3, Vec3)]) -> Vec<Contact> {
        let mesh = boxes(list);
        let (back, scale) = (mesh.unit_from_input.inverse(), mesh.unit_from_input.scaling());
        let contact = |contact: Contact| Contact {
            position: back.transform_point(&contact.position.into()).coords,
            area: contact.area / scale.powi(2),
            gap: contact.gap / scale,
            ..contact
        };
        contacts(&pieces(&mesh)).into_iter().map(contact).collect()
    }

    #[test]
    fn boxes_that_lie_on_each_other_touch_in_the_middle_of_their_faces() {
        let (low, high) = (Vec3::zeros(), Vec3::new(0.5, 1.5, 0.0));
        let found = contacts_of(&[(low, Vec3::repeat(1.0)), (high, Vec3::repeat(0.5))]);
        assert_eq!((found.len(), found[0].pieces, found[0].gap), (1, [0, 1], 0.0));
        assert!((found[0].position - Vec3::new(0.5, 1.0, 0.0)).norm() < 0.05, "{:?}", found[0]);
        assert!((found[0].area - 1.0).abs() < 0.1, "{:?}", found[0]);
    }

    #[test]
    fn a_wire_through_a_plate_touches_it_though_no_sample_is_near() {
        let plate = (Vec3::zeros(), Vec3::new(2.0, 0.001, 2.0));
        let wire = (Vec3::new(0.3, 0.0, 0.4), Vec3::new(0.001, 2.0, 0.001));
        let found = contacts_of(&[plate, wire]);
        assert_eq!((found.len(), found[0].gap), (1, 0.0));
        assert!((found[0].position - Vec3::new(0.3, 0.0, 0.4)).norm() < 0.05, "{:?}", found[0]);
    }

    #[test]
    fn what_floats_is_bridged_to_the_nearest_and_everything_is_connected() {
        let at = |x: f64| (Vec3::new(x, 0.0, 0.0), Vec3::repeat(0.5));
        // Two that touch, one near the second, two far off that are near each other, and a shell around the first.
        let shell = (Vec3::zeros(), Vec3::repeat(0.45));
        let found = contacts_of(&[at(0.0), at(1.01), at(2.21), at(9.0), at(10.1), shell]);
        let pairs: Vec<[usize; 2]> = found.iter().map(|contact| contact.pieces).collect();
        assert_eq!(pairs, [[0, 1], [0, 5], [1, 2], [2, 3], [3, 4]]);
        let gaps: Vec<f64> = found.iter().map(|contact| contact.gap).collect();
        for (gap, expected) in gaps.iter().zip([0.0, 0.05, 0.2, 5.79, 0.1]) {
            assert!((gap - expected).abs() < 1e-6, "{gaps:?}");
        }
    }
}
