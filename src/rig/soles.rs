//! The sole of a foot as points of the skinned surface.
//!
//! Feet are planted by their soles, and what touches the ground depends on how the foot and its toes are rotated. The sole
//! is therefore kept as those few vertices that are lowest in some pose of the foot, each with its skin weights: the
//! lowest of them is the lowest of all, to within a millimetre, at the cost of some hundred points.

use super::Rig;
use super::outline::outermost;
use crate::math::{Quat, Vec3};
use crate::motion::Pose;
use std::collections::BTreeMap;

/// A vertex of a sole.
#[derive(Debug, Clone, PartialEq)]
pub struct SolePoint {
    /// Where it is at rest, in the coordinates of the rig.
    pub position: Vec3,
    /// The joints that move it and how much; they sum to one.
    pub weights: Vec<(usize, f64)>,
}

/// The sole of a foot.
#[derive(Debug, Clone, PartialEq)]
pub struct RigSole {
    /// The joint that carries the foot: an ankle, a pastern.
    pub foot: usize,
    /// The vertices that can touch the ground.
    pub points: Vec<SolePoint>,
}

/// A vertex in the axes of a joint that moves it.
#[derive(Debug, Clone, Copy)]
pub struct BoundPoint {
    /// The joint.
    pub joint: usize,
    /// How much it moves the vertex.
    pub weight: f64,
    /// Where the vertex is in its axes.
    pub position: Vec3,
}

impl SolePoint {
    /// The vertex in the axes of each of its joints.
    pub fn bound(&self, rig: &Rig) -> Vec<BoundPoint> {
        let joints = self.weights.iter().map(|&(joint, weight)| {
            let position = (rig.joints[joint].rest.inverse() * nalgebra::Point3::from(self.position)).coords;
            BoundPoint { joint, weight, position }
        });
        joints.collect()
    }
}

impl RigSole {
    /// Its vertices in the axes of their joints.
    pub fn bound(&self, rig: &Rig) -> Vec<Vec<BoundPoint>> {
        self.points.iter().map(|point| point.bound(rig)).collect()
    }
}

/// The height of the lowest of some vertices in a pose, as their skin moves them.
pub fn lowest(vertices: &[Vec<BoundPoint>], pose: &Pose) -> f64 {
    let height = |point: &BoundPoint| {
        point.weight * (pose.positions[point.joint] + pose.rotations[point.joint] * point.position).y
    };
    vertices.iter().map(|points| points.iter().map(height).sum()).fold(f64::INFINITY, f64::min)
}

/// A vertex belongs to a foot that has more than this of its weight.
const OWN: f64 = 0.5;
/// The sole is the lowest part of the foot, up to this many leg lengths above its lowest vertex. Less loses toes that are
/// drawn curled up, more takes in the instep, which only touches the ground where a foot
/// lies on its side: of that the outermost vertices suffice.
pub const SOLE_THICKNESS: f64 = 0.10;
/// Degrees by which a foot is pitched and rolled to see what touches. A foot that is turned further stands on an edge that
/// one of these finds too.
const PITCHES: [f64; 9] = [-60.0, -40.0, -20.0, -8.0, 0.0, 8.0, 20.0, 40.0, 60.0];
const ROLLS: [f64; 5] = [-30.0, -10.0, 0.0, 10.0, 30.0];

/// The sole of the foot that hangs on joint `foot`.
///
/// `belongs` says which joints are the foot and what hangs on it; vertices come with their places at rest and their
/// weights. `None` if no vertex belongs to the foot.
pub fn find_sole<W: IntoIterator<Item = (usize, f64)>>(
    foot: usize,
    belongs: impl Fn(usize) -> bool,
    leg_length: f64,
    vertices: impl Iterator<Item = (Vec3, W)>,
) -> Option<RigSole> {
    let own = vertices_of_foot(belongs, vertices);
    // A foot may land on its side or its back.
    let outermost = outermost(&own);
    let lowest = own.iter().map(|point| point.position.y).fold(f64::INFINITY, f64::min);
    let is_low = |point: &SolePoint| point.position.y <= lowest + SOLE_THICKNESS * leg_length;
    let low: Vec<SolePoint> = own.into_iter().filter(is_low).collect();
    // Foot and toes rotate by different angles, so that each part needs its own lowest vertices.
    let mut groups: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for (index, point) in low.iter().enumerate() {
        groups.entry(main_joints(&point.weights)).or_default().push(index);
    }
    let mut kept: Vec<usize> = groups.values().flat_map(|group| touching(&low, group)).collect();
    kept.sort_unstable();
    kept.dedup();
    let mut points: Vec<SolePoint> = kept.into_iter().map(|index| low[index].clone()).collect();
    points.extend(outermost.into_iter().filter(|point| !is_low(point)));
    (!points.is_empty()).then_some(RigSole { foot, points })
}

/// The vertices that have most of their weight in a foot.
fn vertices_of_foot<W: IntoIterator<Item = (usize, f64)>>(
    belongs: impl Fn(usize) -> bool,
    vertices: impl Iterator<Item = (Vec3, W)>,
) -> Vec<SolePoint> {
    let mut own: Vec<SolePoint> = Vec::new();
    for (position, weights) in vertices {
        let weights: Vec<(usize, f64)> = weights.into_iter().filter(|(_, weight)| *weight > 0.0).collect();
        let share: f64 = weights.iter().filter(|(joint, _)| belongs(*joint)).map(|(_, weight)| weight).sum();
        if share > OWN {
            own.push(SolePoint { position, weights });
        }
    }
    own
}

/// The joints with a fifth of the weight or more.
fn main_joints(weights: &[(usize, f64)]) -> Vec<usize> {
    let mut joints: Vec<usize> =
        weights.iter().filter(|(_, weight)| *weight >= 0.2).map(|(joint, _)| *joint).collect();
    joints.sort_unstable();
    joints
}

/// The vertices of a group that are the lowest one in some orientation.
fn touching(points: &[SolePoint], group: &[usize]) -> Vec<usize> {
    let mut found = Vec::new();
    for pitch in PITCHES {
        for roll in ROLLS {
            let rotation = Quat::from_axis_angle(&Vec3::x_axis(), pitch.to_radians())
                * Quat::from_axis_angle(&Vec3::z_axis(), roll.to_radians());
            let down = rotation.inverse() * -Vec3::y();
            let depth = |index: &usize| points[*index].position.dot(&down);
            found.extend(group.iter().copied().max_by(|a, b| depth(a).total_cmp(&depth(b)).then(b.cmp(a))));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A foot that is a box from heel to ball and a box of toes in front of it.
    fn foot() -> Vec<(Vec3, Vec<(usize, f64)>)> {
        let mut vertices = Vec::new();
        for x in 0..5 {
            for y in 0..6 {
                for z in 0..21 {
                    let place = Vec3::new(0.02 * f64::from(x), 0.02 * f64::from(y), 0.0125 * f64::from(z));
                    let toes = [0.0, 0.5, 1.0][usize::from(z >= 14) + usize::from(z > 14)];
                    vertices.push((place, vec![(3, 1.0 - toes), (4, toes)]));
                }
            }
        }
        vertices.push((Vec3::new(0.0, 0.5, 0.0), vec![(2, 1.0)]));
        vertices
    }

    #[test]
    fn the_lowest_of_the_kept_vertices_is_the_lowest_of_all() {
        let vertices = foot();
        let sole = find_sole(3, |joint| joint == 3 || joint == 4, 0.8, vertices.iter().cloned()).unwrap();
        assert!(sole.points.len() < 60, "{}", sole.points.len());
        for (pitch, bend) in [(0.0, 0.0), (0.4, 0.0), (0.5, -0.5), (-0.3, 0.1), (0.9, -0.9)] {
            let foot = Quat::from_axis_angle(&Vec3::x_axis(), pitch);
            let toes = foot * Quat::from_axis_angle(&Vec3::x_axis(), bend);
            let ball = Vec3::new(0.04, 0.03, 0.175);
            let place = |position: &Vec3, weights: &[(usize, f64)]| -> f64 {
                weights
                    .iter()
                    .map(|&(joint, weight)| {
                        let turn = if joint == 3 { foot } else { toes };
                        weight * (turn * (position - ball)).y
                    })
                    .sum()
            };
            let belongs = vertices.iter().filter(|(_, w)| w[0].0 == 3);
            let all = belongs.map(|(p, w)| place(p, w)).fold(f64::INFINITY, f64::min);
            let kept =
                sole.points.iter().map(|s| place(&s.position, &s.weights)).fold(f64::INFINITY, f64::min);
            assert!((all - kept).abs() < 1e-3, "{pitch} {bend}: {all} {kept}");
        }
    }

    #[test]
    fn without_a_surface_there_is_no_sole() {
        assert_eq!(find_sole(0, |_| true, 1.0, std::iter::empty::<(Vec3, Vec<(usize, f64)>)>()), None);
    }
}
