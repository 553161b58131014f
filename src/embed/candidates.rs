//! The spheres in which a joint may be placed.
//!
//! The public release of Pinocchio narrows the search this way; the paper does not mention it. Ends of limbs are looked for
//! only where the graph does not go on straight, torso joints only among the largest spheres. Hints are those at the end
//! of section 3.4 of Baran & Popović 2007, given as points instead of spheres.

use super::graph::MedialGraph;
use crate::math::Vec3;
use crate::skeleton::ReducedSkeleton;

/// What a person says about a joint: it is at this point, or near it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hint {
    /// The full joint; it need not be one that is kept in the reduced skeleton.
    pub full: usize,
    /// Where it is, in the space of the graph.
    pub point: Vec3,
}

/// Which spheres are considered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CandidateOptions {
    /// How many of the largest spheres are candidates for the torso. With fewer, a big head or a backpack leaves none for
    /// hips and chest; with many more, the search only becomes slower.
    pub torso_count: usize,
}

impl Default for CandidateOptions {
    fn default() -> CandidateOptions {
        CandidateOptions { torso_count: 50 }
    }
}

/// How straight the graph must go on (as a cosine) for a sphere not to be the end of a limb.
const STRAIGHT: f64 = 0.8;
/// A hint outside all spheres admits those at up to this multiple of the distance to the nearest.
const HINT_REACH: f64 = 1.25;

/// For each joint the spheres in which it may be placed, ascending. Where there are none of the kind that a joint needs,
/// it may be placed in any.
pub fn candidates(
    skeleton: &ReducedSkeleton,
    graph: &MedialGraph,
    hints: &[Hint],
    options: &CandidateOptions,
) -> Vec<Vec<u32>> {
    let all: Vec<u32> = (0..graph.spheres.len() as u32).collect();
    let limb: Vec<u32> = all.iter().copied().filter(|&node| is_limb_end(graph, node)).collect();
    let torso = largest(graph, options.torso_count);
    skeleton
        .joints
        .iter()
        .map(|joint| match hints.iter().rfind(|hint| hint.full == joint.full) {
            Some(hint) => near(graph, &hint.point),
            // The head of Pinocchio's human is torso and the end of a limb: torso wins.
            None if joint.is_torso && !torso.is_empty() => torso.clone(),
            None if joint.is_limb && !limb.is_empty() => limb.clone(),
            None => all.clone(),
        })
        .collect()
}

/// Whether the path from one of the neighbours does not go on nearly straight. Neighbours of less than half the radius do
/// not count as going on.
fn is_limb_end(graph: &MedialGraph, node: u32) -> bool {
    let here = graph.center(node);
    graph.neighbors(node).iter().any(|&from| {
        let arriving = (here - graph.center(from)).normalize();
        !graph.neighbors(node).iter().any(|&next| {
            graph.radius(node) <= 2.0 * graph.radius(next)
                && (graph.center(next) - here).normalize().dot(&arriving) > STRAIGHT
        })
    })
}

/// The `count` largest spheres and those as large as the last of them.
fn largest(graph: &MedialGraph, count: usize) -> Vec<u32> {
    let mut radii: Vec<f64> = graph.spheres.iter().map(|sphere| sphere.radius).collect();
    radii.sort_unstable_by(|a, b| b.total_cmp(a));
    let least = match count {
        0 => f64::INFINITY,
        _ => radii.get(count - 1).copied().unwrap_or(0.0),
    };
    (0..graph.spheres.len() as u32).filter(|&node| graph.radius(node) >= least).collect()
}

/// The spheres that contain the point, otherwise the nearest ones.
fn near(graph: &MedialGraph, point: &Vec3) -> Vec<u32> {
    let distances: Vec<f64> = graph.spheres.iter().map(|sphere| (sphere.center - point).norm()).collect();
    let all = 0..graph.spheres.len() as u32;
    let around: Vec<u32> =
        all.clone().filter(|&node| distances[node as usize] <= graph.radius(node)).collect();
    if !around.is_empty() {
        return around;
    }
    let nearest = distances.iter().copied().fold(f64::INFINITY, f64::min);
    all.filter(|&node| distances[node as usize] <= HINT_REACH * nearest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::Sphere;

    /// Three spheres in a row, a fourth beside the last, and one that is alone.
    fn fork() -> MedialGraph {
        let places = [(0.0, 0.0, 0.3), (1.0, 0.0, 0.2), (2.0, 0.0, 0.1), (1.0, 1.0, 0.04), (5.0, 5.0, 0.2)];
        let spheres = places.map(|(x, y, radius)| Sphere { center: Vec3::new(x, y, 0.0), radius }).to_vec();
        MedialGraph::new(spheres, vec![[0, 1], [1, 2], [1, 3]])
    }

    #[test]
    fn a_limb_ends_where_the_graph_does_not_go_on_straight() {
        let graph = fork();
        let ends: Vec<u32> = (0..5).filter(|&node| is_limb_end(&graph, node)).collect();
        // The path from 3 to 1 does not go on straight; 4 has no neighbour.
        assert_eq!(ends, [0, 1, 2, 3]);
        let row = MedialGraph::new(graph.spheres[..3].to_vec(), vec![[0, 1], [1, 2]]);
        let ends: Vec<u32> = (0..3).filter(|&node| is_limb_end(&row, node)).collect();
        assert_eq!(ends, [0, 2]);
    }

    #[test]
    fn a_much_smaller_neighbour_does_not_count() {
        let mut spheres = fork().spheres[..3].to_vec();
        spheres[2].radius = 0.09;
        let row = MedialGraph::new(spheres, vec![[0, 1], [1, 2]]);
        assert!(is_limb_end(&row, 1));
    }

    #[test]
    fn the_largest_include_those_equal_to_the_last() {
        assert_eq!(largest(&fork(), 1), [0]);
        assert_eq!(largest(&fork(), 2), [0, 1, 4]);
        assert_eq!(largest(&fork(), 50), [0, 1, 2, 3, 4]);
        assert_eq!(largest(&fork(), 0), [0; 0]);
    }

    #[test]
    fn a_hint_admits_what_is_around_it_or_nearest() {
        assert_eq!(near(&fork(), &Vec3::new(0.1, 0.0, 0.0)), [0]);
        assert_eq!(near(&fork(), &Vec3::new(1.5, 0.0, 0.0)), [1, 2]);
        assert_eq!(near(&fork(), &Vec3::new(9.0, 9.0, 0.0)), [4]);
    }
}
