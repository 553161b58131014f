//! The basis functions.

use super::{FORBIDDEN, JointPlacement, Penalty};
use crate::math::{Vec3, cube, ln, square};

/// A bone reaches this part of the radii of its spheres beyond their centres.
const BEYOND_CENTERS: f64 = 0.7;
/// Two bones may not meet in a sphere that is smaller than this (part of the unit cube).
const THIN: f64 = 0.02;
/// Added to both lengths that are compared, in parts of the unit cube: tiny bones, as in hips, may be of any length.
pub(super) const TINY: f64 = 0.02;
/// Logarithm of the ratio of lengths above which they are as different as can be: a factor of four and a half.
pub(super) const FARTHEST: f64 = 1.5;
/// Cosine between a bone and its rest direction, seen from the parent: what is beyond a right angle is forbidden, and
/// the square of the difference from one costs this much, less a slack.
const PARENT_SLOPE: f64 = 16.0;
const PARENT_SLACK: f64 = 0.1;
/// The same seen from brothers and sisters, which is forbidden beyond 120 degrees.
const SIBLING_LIMIT: f64 = -0.5;
const SIBLING_SLOPE: f64 = 4.0;
const SIBLING_SLACK: f64 = 0.5;
/// Squared distance of joints in the same position, between which there is no direction.
const COINCIDENT: f64 = 1e-16;
/// Asymmetry: shares of the ratio of lengths between centres, which counts up to the second, and of the more generous one
/// that reaches beyond the centres; the cube of their sum is free up to the last.
const STRICT_SHARE: f64 = 0.2;
const MOST_ASYMMETRIC: f64 = 2.0;
const GENEROUS_SHARE: f64 = 0.8;
const FREE_ASYMMETRY: f64 = 1.2;
/// Added to a length that another is divided by.
const NO_LENGTH: f64 = 1e-8;
/// Cost of a bend per squared length of the bone; beyond a right angle it counts up to six times, from 120 degrees on.
const BEND: f64 = 50.0;
const BACKWARDS: [f64; 2] = [-0.5, 6.0];
/// A limb goes on if its next sphere is in line with these cosines, seen from its start and from its end.
const IN_LINE: f64 = 0.95;
const STRAIGHT_ON: f64 = 0.8;

/// `low` below `from`, `high` above `to`, linear in between.
fn ramp(value: f64, [from, low]: [f64; 2], [to, high]: [f64; 2]) -> f64 {
    if value < from {
        low
    } else if value > to {
        high
    } else {
        low + (value - from) / (to - from) * (high - low)
    }
}

/// The path is too short for the bone. One-sided: cartoon limbs are often longer than the template's.
pub(super) fn too_short(penalty: &Penalty, at: &JointPlacement) -> f64 {
    let length = penalty.skeleton.joints[at.joint].length;
    let (distance, reach) = penalty.lengths(at.node, at.parent_node);
    if distance.is_infinite() || reach < 0.5 * length {
        return FORBIDDEN;
    }
    cube(ramp(length / reach, [0.5, 0.0], [2.0, 3.0]))
}

/// The path is longer or shorter than the bone; twice and half the length cost the same. Not one of the nine: with one
/// template, the original has to let limbs be longer. Here several proportions are tried, and the one that fits shall win.
/// Without it hips slide up the trunk or down into the hem of a skirt, where short legs look longer or straighter.
pub(super) fn another_length(penalty: &Penalty, at: &JointPlacement) -> f64 {
    let joint = &penalty.skeleton.joints[at.joint];
    // A limb goes on to the surface, where the tips of our skeletons are.
    let tip = if joint.is_limb { penalty.graph.radius(at.node) } else { 0.0 };
    let path = penalty.graph.distance(at.node, at.parent_node) + tip;
    square(log_ratio(path, joint.length / penalty.size).min(FARTHEST))
}

/// How many times a length is longer or shorter than another, as a logarithm.
pub(crate) fn log_ratio(length: f64, expected: f64) -> f64 {
    ln((length + TINY) / (expected + TINY)).abs()
}

/// The joint lies elsewhere, seen from its parent, its brothers and sisters, than in the rest pose.
pub(super) fn direction(penalty: &Penalty, at: &JointPlacement) -> f64 {
    match penalty.skeleton.joints[at.joint].parent {
        Some(parent) => {
            penalty.direction_from_parent(at, parent) + penalty.direction_from_siblings(at, parent)
        }
        None => 0.0,
    }
}

/// The bone and its partner on the other side have different lengths.
pub(crate) fn asymmetry(penalty: &Penalty, at: &JointPlacement) -> f64 {
    let joints = &penalty.skeleton.joints;
    let partner = joints[at.joint].partner.filter(|&partner| partner != at.joint);
    let Some((partner, &other)) = partner.and_then(|p| Some((p, at.matched.get(p)?))) else { return 0.0 };
    let Some(other_parent) = joints[partner].parent else { return 0.0 };
    let (d, d_reach) = penalty.lengths(at.node, at.parent_node);
    let (e, e_reach) = penalty.lengths(other, at.matched[other_parent]);
    let strict = (d / (e + NO_LENGTH)).max(e / (d + NO_LENGTH)).min(MOST_ASYMMETRIC);
    let generous = (e / d_reach).max(d / e_reach);
    (cube(STRICT_SHARE * strict + GENEROUS_SHARE * generous) - FREE_ASYMMETRY).max(0.0)
}

/// The bone runs where another one runs already. It costs less the nearer to the parent that is: bones do meet there.
pub(crate) fn shared_path(penalty: &Penalty, at: &JointPlacement) -> f64 {
    if at.matched.is_empty() {
        return 0.0;
    }
    let mut sum = 0.0;
    let mut step = 0.0;
    for node in penalty.graph.path(at.node, at.parent_node) {
        step += 1.0;
        if node != at.parent_node && at.taken.contains(node) {
            if penalty.graph.radius(node) < THIN {
                return FORBIDDEN;
            }
            sum += 0.5 / (step * step);
        }
    }
    if sum > 0.0 { sum + 0.5 } else { 0.0 }
}

/// Feet stand on the ground, which is the height of the lowest sphere.
pub(super) fn foot_height(penalty: &Penalty, at: &JointPlacement) -> f64 {
    let is_foot = penalty.skeleton.joints[at.joint].is_foot;
    if is_foot { penalty.graph.center(at.node).y - penalty.ground } else { 0.0 }
}

/// The joint is in the same sphere as its parent.
pub(super) fn no_length(_: &Penalty, at: &JointPlacement) -> f64 {
    if at.node == at.parent_node { 1.0 } else { 0.0 }
}

/// The bones of the chain, laid along the path, point elsewhere than in the rest pose.
pub(super) fn bend(penalty: &Penalty, at: &JointPlacement) -> f64 {
    if at.node == at.parent_node {
        return 0.0;
    }
    let start = penalty.graph.center(at.parent_node);
    match penalty.skeleton.joints[at.joint].chain.as_slice() {
        [link] => bend_of_bone(&link.bone, penalty.graph.center(at.node) - start),
        chain => penalty.with_chain(at, |points| {
            let starts = std::iter::once(&start).chain(points);
            chain.iter().zip(starts.zip(points)).map(|(link, (a, b))| bend_of_bone(&link.bone, b - a)).sum()
        }),
    }
}

/// What it costs that a bone spans another vector than in the rest pose.
fn bend_of_bone(bone: &Vec3, span: Vec3) -> f64 {
    // A bone of no length, as a joint list may have it, has no direction; Pinocchio finds no embedding then.
    if bone.norm_squared() == 0.0 {
        return 0.0;
    }
    // |bone|² |span|² cos² without two square roots more than needed.
    let cosine = bone.dot(&span) / (bone.norm_squared() * span.norm_squared()).sqrt();
    let strictness = ramp(cosine, BACKWARDS, [0.0, 1.0]);
    BEND * bone.norm_squared() * square((1.0 - cosine) * strictness)
}

/// The limb goes on behind the sphere in which it should end.
pub(super) fn not_at_end(penalty: &Penalty, at: &JointPlacement) -> f64 {
    if !penalty.skeleton.joints[at.joint].is_limb || at.node == at.parent_node {
        return 0.0;
    }
    let graph = penalty.graph;
    let (end, start) = (graph.center(at.node), graph.center(at.parent_node));
    let along_limb = (end - start).normalize();
    let goes_on = graph.neighbors(at.node).iter().any(|&next| {
        graph.radius(at.node) <= 2.0 * graph.radius(next)
            && (graph.center(next) - start).normalize().dot(&along_limb) > IN_LINE
            && (graph.center(next) - end).normalize().dot(&along_limb) > STRAIGHT_ON
    });
    if goes_on { 1.0 } else { 0.0 }
}

/// Joints of different limbs are near each other although the path along the bones is long: they are in one limb.
pub(crate) fn too_close(penalty: &Penalty, at: &JointPlacement) -> f64 {
    let graph = penalty.graph;
    let joints = &penalty.skeleton.joints;
    let mut count = 0.0;
    for (other, &node) in at.matched.iter().enumerate() {
        if joints[at.joint].parent == Some(other) {
            continue;
        }
        let ancestor = at.matched[penalty.ancestor[at.joint * joints.len() + other]];
        let radii = graph.radius(at.node) + graph.radius(node);
        let along_bones = graph.distance(at.node, ancestor) + graph.distance(ancestor, node);
        if along_bones + radii > 2.0 * (graph.distance(at.node, node) + radii) {
            count += 1.0;
        }
    }
    count
}

impl Penalty<'_> {
    /// Length of the path between two spheres, and of the bone, which reaches beyond the centres.
    fn lengths(&self, a: u32, b: u32) -> (f64, f64) {
        let distance = self.graph.distance(a, b);
        (distance, distance + BEYOND_CENTERS * (self.graph.radius(a) + self.graph.radius(b)))
    }

    fn rest_direction(&self, joint: usize, from: usize) -> Vec3 {
        self.rest_direction[joint * self.skeleton.joints.len() + from]
    }

    /// The direction term for the parent alone.
    fn direction_from_parent(&self, at: &JointPlacement, parent: usize) -> f64 {
        match self.agreement(at, at.parent_node, parent) {
            None => 0.0,
            Some(cosine) if cosine < 0.0 => FORBIDDEN,
            Some(cosine) => 0.5 * (PARENT_SLOPE * square(1.0 - cosine) - PARENT_SLACK).max(0.0),
        }
    }

    /// The direction term for the brothers and sisters that are placed.
    pub(crate) fn direction_from_siblings(&self, at: &JointPlacement, parent: usize) -> f64 {
        let mut sum = 0.0;
        for (other, &node) in at.matched.iter().enumerate() {
            if self.skeleton.joints[other].parent == Some(parent) {
                sum += match self.agreement(at, node, other) {
                    None => 0.0,
                    Some(cosine) if cosine < SIBLING_LIMIT => FORBIDDEN,
                    Some(cosine) => 0.5 * (SIBLING_SLOPE * square(1.0 - cosine) - SIBLING_SLACK).max(0.0),
                };
            }
        }
        sum
    }

    /// Cosine between the directions from another joint in the graph and in the rest pose; none if it is in the same
    /// place.
    fn agreement(&self, at: &JointPlacement, other_node: u32, other: usize) -> Option<f64> {
        let span = self.graph.center(at.node) - self.graph.center(other_node);
        let length_squared = span.norm_squared();
        (!(length_squared < COINCIDENT))
            .then(|| span.dot(&self.rest_direction(at.joint, other)) / length_squared.sqrt())
    }
}
