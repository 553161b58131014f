//! The outline of a body: those vertices of its skin that can be the lowest of it in some pose.
//!
//! Somebody who sits, crawls or turns a cartwheel touches the ground with more than feet. What reaches farthest in each of 98 directions
//! stands for the part of a joint, each vertex with its skin weights: some hundreds instead of some ten thousands.

use super::{BoundPoint, Rig, SolePoint};
use crate::math::{Vec3, median};

/// Vertices farther from the bone than so many times the median are cloth: they lie on the ground and are not carried by it.
/// A belly is up to 1.8 times as far.
const FAR: f64 = 2.0;
/// Cells from the middle of the cube of directions to its faces. With 1 the spread fingers of a hand are missed by 1.4 % of the height,
/// with 3 twice as many vertices are looked at for 0.1 %.
const FACE: i32 = 2;

/// The outline of what a joint moves.
#[derive(Debug, Clone, PartialEq)]
pub struct OutlinePart {
    /// The joint.
    pub joint: usize,
    /// The vertices that reach farthest.
    pub points: Vec<SolePoint>,
}

impl OutlinePart {
    /// The outline of what a joint moves, of the vertices that belong to it; `None` if there are none.
    pub fn of(joint: usize, own: &[SolePoint]) -> Option<OutlinePart> {
        let points = outermost(own);
        (!points.is_empty()).then_some(OutlinePart { joint, points })
    }

    /// How far its vertices are from the joint, at most.
    pub fn reach(&self, rig: &Rig) -> f64 {
        let joint = rig.joints[self.joint].rest.translation.vector;
        self.points.iter().map(|point| (point.position - joint).norm()).fold(0.0, f64::max)
    }

    /// Its vertices in the axes of their joints.
    pub fn bound(&self, rig: &Rig) -> Vec<Vec<BoundPoint>> {
        self.points.iter().map(|point| point.bound(rig)).collect()
    }
}

/// The vertices that belong to each of so many joints, each to the one that moves it most; vertices come at rest with their weights.
pub fn vertices_of_joints<W: IntoIterator<Item = (usize, f64)>>(
    joints: usize,
    vertices: impl Iterator<Item = (Vec3, W)>,
) -> Vec<Vec<SolePoint>> {
    let mut own: Vec<Vec<SolePoint>> = vec![Vec::new(); joints];
    for (position, weights) in vertices {
        let weights: Vec<(usize, f64)> = weights.into_iter().filter(|(_, weight)| *weight > 0.0).collect();
        if let Some(&(joint, _)) = weights.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))) {
            own[joint].push(SolePoint { position, weights });
        }
    }
    own
}

/// Leaves out cloth that is far from its bone.
pub fn without_cloth(own: &mut Vec<SolePoint>, bone: &[Vec3; 2]) {
    let mut distances: Vec<f64> = own.iter().map(|point| distance(&point.position, bone)).collect();
    let median = median(&mut distances).unwrap_or(0.0);
    own.retain(|point| distance(&point.position, bone) <= FAR * median);
}

/// The directions from the middle of a cube of cells to those on its faces.
fn directions() -> impl Iterator<Item = Vec3> {
    let side = 2 * FACE + 1;
    let at = move |cell: i32, stride: i32| f64::from(cell / stride % side - FACE);
    let all = (0..side * side * side)
        .map(move |cell| Vec3::new(at(cell, 1), at(cell, side), at(cell, side * side)));
    all.filter(|direction| direction.amax() >= f64::from(FACE)).map(|direction| direction.normalize())
}

/// The vertices that are farthest in one of the directions, each once and in order.
pub(super) fn outermost(points: &[SolePoint]) -> Vec<SolePoint> {
    let mut found: Vec<usize> = directions().filter_map(|direction| farthest(points, &direction)).collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|index| points[index].clone()).collect()
}

/// The vertex that is farthest in a direction.
fn farthest(points: &[SolePoint], direction: &Vec3) -> Option<usize> {
    let along = |index: &usize| points[*index].position.dot(direction);
    (0..points.len()).max_by(|a, b| along(a).total_cmp(&along(b)).then(b.cmp(a)))
}

/// From a point to the bone between two ends.
fn distance(point: &Vec3, [from, to]: &[Vec3; 2]) -> f64 {
    let (bone, away) = (to - from, point - from);
    let along = if bone.norm_squared() > 0.0 { away.dot(&bone) / bone.norm_squared() } else { 0.0 };
    (away - bone * along.clamp(0.0, 1.0)).norm()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_its_corners_and_a_far_hem_is_left_out() {
        let corners =
            (0..8).map(|c| Vec3::new(f64::from(c & 1) - 0.5, f64::from(c >> 1 & 1), f64::from(c >> 2) - 0.5));
        let middles = (1..10).map(|step| Vec3::new(0.3, 0.1 * f64::from(step), 0.2));
        let hem = Vec3::new(5.0, 0.0, 0.0);
        let vertices: Vec<Vec3> = corners.chain(middles).chain([hem]).collect();
        let bound = vertices.iter().map(|vertex| (*vertex, [(3, 0.8), (2, 0.2)]));
        let mut own = vertices_of_joints(4, bound);
        without_cloth(&mut own[3], &[Vec3::zeros(), Vec3::y()]);
        let part = OutlinePart::of(3, &own[3]).unwrap();
        assert_eq!(part.points.len(), 8);
        assert!(part.points.iter().all(|point| point.position != hem && point.weights.len() == 2));
        assert!(OutlinePart::of(2, &own[2]).is_none());
    }
}
