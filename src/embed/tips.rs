//! The true ends of limbs, beyond their last spheres, and the joints along the way to them.
//!
//! A sphere's centre lies inside the body by its radius, and a limb goes on beyond it. The leaves of our skeletons are
//! the tips of the body, so the way of a merged bone is extended to the surface before its joints are put back.

use super::body::HEIGHT;
use super::graph::MedialGraph;
use super::split::divide;
use crate::math::Vec3;
use crate::skeleton::ReducedSkeleton;
use crate::skeleton::reduced::ReducedJoint;

/// Most that a limb goes on beyond the surface of its last sphere, in body space. Fingers do by half of it; more lets a
/// sword in the hand count as hand.
const REACH: f64 = 0.08 * HEIGHT;

/// The position of every full joint for the sphere chosen for each joint. `surface` are points spread over the
/// character, in body space as the graph is.
pub fn split_to_tips(
    skeleton: &ReducedSkeleton,
    graph: &MedialGraph,
    nodes: &[u32],
    surface: &[Vec3],
) -> Vec<Vec3> {
    let mut positions = vec![Vec3::zeros(); skeleton.full_count];
    let owned = samples_by_node(graph, nodes, surface);
    for (index, joint) in skeleton.joints.iter().enumerate() {
        let node = nodes[index];
        let Some(parent) = joint.parent else {
            positions[joint.full] = graph.center(node);
            continue;
        };
        let mut way: Vec<Vec3> = graph.path(nodes[parent], node).map(|node| graph.center(node)).collect();
        if joint.is_limb {
            let direction = direction_at_end(joint, &way);
            let reach =
                owned[index].iter().map(|p| (p - graph.center(node)).dot(&direction)).fold(0.0, f64::max);
            let radius = graph.radius(node);
            way.push(graph.center(node) + direction * reach.clamp(radius, radius + REACH));
        }
        for (link, place) in joint.chain.iter().zip(divide(&way, &joint.chain)) {
            positions[link.full] = place;
        }
    }
    positions
}

/// Where a limb points at its end: hands as they are stretched out, heads and feet as in the rest pose.
fn direction_at_end(joint: &ReducedJoint, way: &[Vec3]) -> Vec3 {
    let at_rest = joint.chain.last().map_or(Vec3::y(), |link| link.bone);
    let along = match way {
        [.., before, end] if joint.partner.is_some() && !joint.is_foot => end - before,
        _ => at_rest,
    };
    along.try_normalize(1e-9).unwrap_or(Vec3::y())
}

/// For each joint the points of the surface that are nearer to its sphere than to any other.
fn samples_by_node(graph: &MedialGraph, nodes: &[u32], surface: &[Vec3]) -> Vec<Vec<Vec3>> {
    let mut owned = vec![Vec::new(); nodes.len()];
    for point in surface {
        let distance = |node: u32| (graph.center(node) - point).norm() - graph.radius(node);
        let nearest = (0..graph.spheres.len() as u32).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        for (joint, _) in nodes.iter().enumerate().filter(|(_, node)| Some(**node) == nearest) {
            owned[joint].push(*point);
        }
    }
    owned
}
