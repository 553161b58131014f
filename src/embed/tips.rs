//! The true ends of limbs, beyond their last spheres, and the joints along the path to them.
//!
//! A sphere's centre lies inside the body by its radius, and a limb goes on beyond it. The leaves of our skeletons are
//! the tips of the body, so the path of a merged bone is extended to the surface before its joints are put back.

use super::body::HEIGHT;
use super::graph::MedialGraph;
use super::split::divide;
use crate::math::Vec3;
use crate::skeleton::ReducedSkeleton;
use crate::skeleton::reduced::ReducedJoint;
use rayon::prelude::*;

/// Most that a limb goes on beyond the surface of its last sphere, in body space. Fingers do by half of it; more lets a
/// sword in the hand count as hand.
const REACH: f64 = 0.08 * HEIGHT;

/// Bones shorter than this have no direction.
const NO_LENGTH: f64 = 1e-9;

/// The position of every full joint for the sphere chosen for each joint, in body space as the graph is.
pub fn split_to_tips(
    skeleton: &ReducedSkeleton,
    graph: &MedialGraph,
    nodes: &[u32],
    outline: &Outline,
) -> Vec<Vec3> {
    let mut positions = vec![Vec3::zeros(); skeleton.full_count];
    for (index, joint) in skeleton.joints.iter().enumerate() {
        let node = nodes[index];
        let Some(parent) = joint.parent else {
            positions[joint.full] = graph.center(node);
            continue;
        };
        let mut path: Vec<Vec3> = graph.path(nodes[parent], node).map(|node| graph.center(node)).collect();
        if joint.is_limb {
            let direction = direction_at_end(joint, &path);
            let reach = outline.reach(graph, node, &direction);
            let radius = graph.radius(node);
            path.push(graph.center(node) + direction * reach.clamp(radius, radius + REACH));
        }
        for (link, position) in joint.chain.iter().zip(divide(&path, &joint.chain)) {
            positions[link.full] = position;
        }
    }
    positions
}

/// Where a limb points at its end: hands as they are stretched out, heads and feet as in the rest pose.
fn direction_at_end(joint: &ReducedJoint, path: &[Vec3]) -> Vec3 {
    let at_rest = joint.chain.last().map_or(Vec3::y(), |link| link.bone);
    let along = match path {
        [.., before, end] if joint.partner.is_some() && !joint.is_foot => end - before,
        _ => at_rest,
    };
    along.try_normalize(NO_LENGTH).unwrap_or(Vec3::y())
}

/// Points of the surface, each with the sphere that it is nearest to.
pub struct Outline(Vec<(Vec3, u32)>);

impl Outline {
    /// The outline of a body: points spread over its surface and the spheres inside it, both in body space.
    pub fn of(surface: &[Vec3], graph: &MedialGraph) -> Outline {
        let nearest = surface.par_iter().filter_map(|point| {
            let distances = graph.spheres.iter().map(|sphere| (sphere.center - point).norm() - sphere.radius);
            let (node, _) = (0..).zip(distances).min_by(|a, b| a.1.total_cmp(&b.1))?;
            Some((*point, node))
        });
        Outline(nearest.collect())
    }

    /// How far the points of a sphere reach from its centre in a direction.
    fn reach(&self, graph: &MedialGraph, node: u32, direction: &Vec3) -> f64 {
        let own = self.0.iter().filter(|(_, nearest)| *nearest == node);
        own.map(|(point, _)| (point - graph.center(node)).dot(direction)).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::Sphere;
    use crate::io::skeleton_file;

    #[test]
    fn a_limb_ends_at_the_surface_and_its_joints_divide_the_whole_path() {
        // An arm of spheres along x that ends in a finger of half the reach, and a body that goes on above.
        let centers =
            [(0.0, 0.0, 0.05), (0.1, 0.0, 0.04), (0.2, 0.0, 0.03), (0.0, 0.2, 0.05), (0.0, -0.2, 0.05)];
        let spheres = centers.map(|(x, y, radius)| Sphere { center: Vec3::new(x, y, 0.0), radius }).to_vec();
        let graph = MedialGraph::new(spheres, vec![[0, 1], [1, 2], [0, 3], [0, 4]]);
        let text = "puppetry-skeleton 1\nname t\njoint a - 0 0 0\npair b c a 0.1 0 0\npair d e b 0.2 0 0 tip\n\
                    joint f a 0 0.2 0 tip";
        let skeleton = ReducedSkeleton::of(&skeleton_file::read(text).unwrap());
        let finger = 0.2 + 0.03 + 0.5 * REACH;
        let outline = Outline::of(&[Vec3::new(finger, 0.0, 0.0)], &graph);
        let nodes: Vec<u32> = skeleton.joints.iter().map(|joint| [0, 0, 0, 2, 2, 3][joint.full]).collect();
        let joints = split_to_tips(&skeleton, &graph, &nodes, &outline);
        assert!((joints[3].x - finger).abs() < 1e-9, "{:?}", joints[3]);
        assert!((joints[1].x - 0.5 * finger).abs() < 1e-9, "{:?}", joints[1]);
        // A head goes on by its radius at least, in the direction of the rest pose.
        assert!((joints[5] - Vec3::new(0.0, 0.25, 0.0)).norm() < 1e-9, "{:?}", joints[5]);
    }
}
