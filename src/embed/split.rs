//! Puts the joints of merged bones back: knees, elbows and the like, at their fractions of the path through the graph.
//!
//! Baran & Popović 2007, section 3.2 and the beginning of section 3.5. Different from the original, a joint goes where its
//! index says, so that the joints of a chain may stand anywhere in the skeleton.

use super::graph::MedialGraph;
use crate::math::Vec3;
use crate::skeleton::ReducedSkeleton;
use crate::skeleton::reduced::ChainJoint;

/// A joint this little beyond the end of a segment still lies on it; shorter segments than this are not worth a bone.
const SLACK: f64 = 1e-6;

/// The position of every full joint, for the sphere chosen for each joint.
///
/// # Panics
/// If `nodes` has not one sphere of the graph for each joint.
pub fn split(skeleton: &ReducedSkeleton, graph: &MedialGraph, nodes: &[u32]) -> Vec<Vec3> {
    assert_eq!(nodes.len(), skeleton.joints.len(), "one sphere for each joint");
    let mut positions = vec![Vec3::zeros(); skeleton.full_count];
    let mut chain = Vec::new();
    for (joint, &node) in skeleton.joints.iter().zip(nodes) {
        positions[joint.full] = graph.center(node);
        let Some(parent) = joint.parent else { continue };
        along(graph, nodes[parent], node, &joint.chain, &mut chain);
        for (link, position) in joint.chain.iter().zip(&chain) {
            positions[link.full] = *position;
        }
    }
    positions
}

/// Positions of the joints of a chain on the shortest path between two spheres, into `positions`.
pub(super) fn along(
    graph: &MedialGraph,
    from: u32,
    to: u32,
    chain: &[ChainJoint],
    positions: &mut Vec<Vec3>,
) {
    positions.clear();
    let length = graph.distance(from, to);
    divide_into(graph.path(from, to).map(|node| graph.center(node)), length, chain, positions);
}

/// Positions of the joints of a chain at their fractions of a path through given points.
pub(super) fn divide(path: &[Vec3], chain: &[ChainJoint]) -> Vec<Vec3> {
    let length = path.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum();
    let mut positions = Vec::with_capacity(chain.len());
    divide_into(path.iter().copied(), length, chain, &mut positions);
    positions
}

fn divide_into(
    mut path: impl Iterator<Item = Vec3>,
    length: f64,
    chain: &[ChainJoint],
    positions: &mut Vec<Vec3>,
) {
    let Some(start) = path.next() else { return };
    let (mut a, mut before, mut target) = (start, 0.0, 0.0);
    let mut b = path.next();
    for link in chain {
        target += length * link.fraction;
        let position = loop {
            let Some(end) = b else { break a };
            let step = (end - a).norm();
            if before + step + SLACK <= target {
                (a, before, b) = (end, before + step, path.next());
            } else if step > 0.0 {
                break a + (end - a) * ((target - before) / step);
            } else {
                break a;
            }
        };
        positions.push(position);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::Sphere;
    use crate::io::skeleton_file;

    fn point(x: f64, y: f64) -> Vec3 {
        Vec3::new(x, y, 0.0)
    }

    #[test]
    fn joints_lie_at_their_fractions_of_a_bent_path_whatever_their_order() {
        // The chain a-b-c-d is interrupted by the other branch x in the list.
        let text = "puppetry-skeleton 1\nname small\njoint a - 0 0 0\njoint b a 0 1 0\njoint x a 5 0 0\njoint c b 0 2 0\n\
                    joint d c 0 4 0\njoint y a -5 0 0";
        let skeleton = ReducedSkeleton::of(&skeleton_file::read(text).unwrap());
        let centers = [point(0.0, 0.0), point(0.0, 0.5), point(0.5, 0.5), point(9.0, 0.0), point(8.0, 0.0)];
        let spheres = centers.map(|center| Sphere { center, radius: 0.1 }).to_vec();
        let graph = MedialGraph::new(spheres, vec![[0, 1], [1, 2], [0, 3], [0, 4]]);
        let full: Vec<usize> = skeleton.joints.iter().map(|joint| joint.full).collect();
        assert_eq!(full, [0, 2, 4, 5]);
        let joints = split(&skeleton, &graph, &[0, 3, 2, 4]);
        let expected = [
            point(0.0, 0.0),
            point(0.0, 0.25),
            point(9.0, 0.0),
            point(0.0, 0.5),
            point(0.5, 0.5),
            point(8.0, 0.0),
        ];
        for (joint, expected) in joints.iter().zip(expected) {
            assert!((joint - expected).norm() < 1e-12, "{joint} {expected}");
        }
    }

    #[test]
    fn a_path_of_one_node_takes_the_whole_chain() {
        let text = "puppetry-skeleton 1\nname small\njoint a - 0 0 0\njoint b a 0 1 0\njoint c b 0 2 0";
        let skeleton = ReducedSkeleton::of(&skeleton_file::read(text).unwrap());
        let graph = MedialGraph::new(vec![Sphere { center: point(1.0, 2.0), radius: 0.1 }], Vec::new());
        assert_eq!(split(&skeleton, &graph, &[0, 0]), [point(1.0, 2.0); 3]);
    }
}
