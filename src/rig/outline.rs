//! The outline of a body: those vertices of its skin that can be the lowest of it in some pose.
//!
//! Somebody who sits, crawls or turns a cartwheel touches the ground with more than feet. What reaches farthest in each of 26 directions
//! stands for the part of a joint, each vertex with its skin weights: some hundreds instead of some ten thousands.

use super::{BoundPoint, Rig, SolePoint};
use crate::math::{Vec3, median};

/// A vertex belongs to the joint that has more than this of its weight.
const OWN: f64 = 0.5;
/// Vertices farther from the bone than so many times the median are cloth and hair: they lie on the ground and are not carried by it.
/// A belly is up to 1.8 times as far.
const FAR: f64 = 2.0;

/// The outline of what a joint moves.
#[derive(Debug, Clone, PartialEq)]
pub struct OutlinePart {
    /// The joint.
    pub joint: usize,
    /// The vertices that reach farthest.
    pub points: Vec<SolePoint>,
}

impl OutlinePart {
    /// The outline of what a joint moves, around its bone; of the vertices that belong to it. `None` if there are none.
    pub fn of(joint: usize, bone: [Vec3; 2], mut own: Vec<SolePoint>) -> Option<OutlinePart> {
        let mut distances: Vec<f64> = own.iter().map(|point| distance(&point.position, &bone)).collect();
        let median = median(&mut distances)?;
        own.retain(|point| distance(&point.position, &bone) <= FAR * median);
        let mut kept: Vec<usize> = directions().filter_map(|direction| farthest(&own, &direction)).collect();
        kept.sort_unstable();
        kept.dedup();
        Some(OutlinePart { joint, points: kept.into_iter().map(|index| own[index].clone()).collect() })
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

/// The vertices that belong to each of so many joints; vertices come at rest with their weights.
pub fn vertices_of_joints<W: IntoIterator<Item = (usize, f64)>>(
    joints: usize,
    vertices: impl Iterator<Item = (Vec3, W)>,
) -> Vec<Vec<SolePoint>> {
    let mut own: Vec<Vec<SolePoint>> = vec![Vec::new(); joints];
    for (position, weights) in vertices {
        let weights: Vec<(usize, f64)> = weights.into_iter().filter(|(_, weight)| *weight > 0.0).collect();
        if let Some(&(joint, _)) = weights.iter().find(|(_, weight)| *weight > OWN) {
            own[joint].push(SolePoint { position, weights });
        }
    }
    own
}

/// The directions from the middle of a cube of 27 to the 26 others.
fn directions() -> impl Iterator<Item = Vec3> {
    let all =
        (0..27).map(|cell| Vec3::new(f64::from(cell % 3), f64::from(cell / 3 % 3), f64::from(cell / 9)));
    all.map(|cell| cell - Vec3::repeat(1.0)).filter(|direction| direction.norm() > 0.0).map(|d| d.normalize())
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
        let part = OutlinePart::of(3, [Vec3::zeros(), Vec3::y()], own.remove(3)).unwrap();
        assert_eq!(part.points.len(), 8);
        assert!(part.points.iter().all(|point| point.position != hem && point.weights.len() == 2));
        assert!(OutlinePart::of(2, [Vec3::zeros(), Vec3::y()], own.remove(2)).is_none());
    }
}
