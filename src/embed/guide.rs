//! Candidates and costs of joints that follow from the body's plane of symmetry, its ground and its sides.
//!
//! Joints without a partner belong to the plane between left and right; that keeps a head out of ears and shoulders, and
//! replaces the original's rule of the largest spheres, which takes a big head or a backpack for the trunk. The costs are
//! small against those of a wrong match and zero for a right one.

use super::Sphere;
use super::body::HEIGHT;
use super::candidates::{CandidateOptions, Hint, candidates};
use super::graph::MedialGraph;
use crate::math::Vec3;
use crate::skeleton::reduced::ReducedJoint;
use crate::skeleton::{CENTRAL, PENALTIES, PLACEMENT_PENALTIES, ReducedSkeleton};

/// Overlap with the mirror image below which a body has no plane to speak of.
const HAS_A_PLANE: f64 = 0.6;
/// Half the thickness of the plane, in heights: about half of a trunk. Thinner, the plane of a crooked spine is empty.
const PLANE: f64 = 0.055;
/// Spheres on the plane without which it is not used.
const ENOUGH: usize = 3;
/// Joints of the trunk lie between these heights, in parts of the body's height: above the ankles, below the crown.
const TRUNK: std::ops::Range<f64> = 0.09..0.95;

/// The spheres in which each joint may be placed: those of the paper, for central joints those on the plane, and the
/// one nearest to the joint in `landmarks`, which may be empty. Everything is in body space.
pub fn guided_candidates(
    skeleton: &ReducedSkeleton,
    graph: &MedialGraph,
    overlap: f64,
    landmarks: &[Vec3],
    hints: &[Hint],
) -> Vec<Vec<u32>> {
    let mut candidates = candidates(skeleton, graph, hints, &CandidateOptions::default());
    if overlap >= HAS_A_PLANE {
        keep_central(skeleton, graph, hints, &mut candidates);
    }
    for (joint, nodes) in skeleton.joints.iter().zip(&mut candidates) {
        let Some(landmark) = landmarks.get(joint.full) else { continue };
        if let Some(nearest) = nearest_sphere(graph, landmark)
            && !hints.iter().any(|hint| hint.full == joint.full)
            && let Err(index) = nodes.binary_search(&nearest)
        {
            nodes.insert(index, nearest);
        }
    }
    candidates
}

/// The sphere whose centre is nearest to a point.
fn nearest_sphere(graph: &MedialGraph, point: &Vec3) -> Option<u32> {
    let distances = graph.spheres.iter().map(|sphere| (sphere.center - point).norm()).zip(0..);
    distances.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, node)| node)
}

/// Whether a joint belongs to the plane between left and right: it is there at rest and has no partner.
fn is_central(joint: &ReducedJoint) -> bool {
    joint.partner.is_none() && joint.position.x.abs() < CENTRAL
}

/// Leaves central joints only the spheres on the plane, if there are enough of them.
fn keep_central(
    skeleton: &ReducedSkeleton,
    graph: &MedialGraph,
    hints: &[Hint],
    candidates: &mut [Vec<u32>],
) {
    for (joint, nodes) in skeleton.joints.iter().zip(candidates) {
        if !is_central(joint) || hints.iter().any(|hint| hint.full == joint.full) {
            continue;
        }
        let central: Vec<u32> = (0..graph.spheres.len() as u32)
            .filter(|&node| graph.center(node).x.abs() < PLANE * HEIGHT)
            .filter(|&node| joint.is_limb || TRUNK.contains(&(graph.center(node).y / HEIGHT)))
            .filter(|node| !joint.is_limb || joint.is_torso || nodes.contains(node))
            .collect();
        if central.len() >= ENOUGH {
            *nodes = central;
        }
    }
}

/// Distances that cost nothing: of a sole above the ground, and of a central joint off the plane.
const GROUND_SLACK: f64 = 0.02;
const PLANE_SLACK: f64 = 0.01;
/// Least distance of a paired joint from the plane, on its own side.
const SIDE: f64 = 0.015;

/// What a unit of distance in body space costs: of a sole above the ground, of a joint on the wrong side, of a central
/// joint beside the plane, and of a head below the crown. Zero within the slack above.
pub type BodyWeights = [f64; PENALTIES.len() - PLACEMENT_PENALTIES];

/// For each joint the additional cost of each sphere; the graph is in body space.
pub fn costs(
    skeleton: &ReducedSkeleton,
    graph: &MedialGraph,
    overlap: f64,
    weights: BodyWeights,
) -> Vec<Vec<f64>> {
    let crown = graph
        .spheres
        .iter()
        .filter(|sphere| sphere.center.x.abs() < PLANE * HEIGHT)
        .map(|sphere| sphere.center.y + sphere.radius)
        .fold(0.0, f64::max);
    let highest = skeleton.joints.iter().map(|joint| joint.position.y).fold(0.0, f64::max);
    let body = Body { has_plane: overlap >= HAS_A_PLANE, crown, highest };
    let costs = skeleton
        .joints
        .iter()
        .map(|joint| graph.spheres.iter().map(|sphere| body.cost(joint, sphere, &weights)).collect());
    costs.collect()
}

/// What the costs of joints depend on.
struct Body {
    has_plane: bool,
    /// Height of the highest sphere on the plane.
    crown: f64,
    /// Height of the template's highest joint.
    highest: f64,
}

impl Body {
    fn cost(&self, joint: &ReducedJoint, sphere: &Sphere, weights: &BodyWeights) -> f64 {
        let [off_ground, wrong_side, off_plane, below_crown] = weights;
        let Sphere { center, radius } = sphere;
        let mut cost = 0.0;
        if joint.is_foot {
            cost += off_ground * (center.y - radius - GROUND_SLACK).max(0.0);
        }
        if joint.partner.is_some() {
            cost += wrong_side * (SIDE - joint.position.x.signum() * center.x).max(0.0);
        } else if self.has_plane && is_central(joint) {
            cost += off_plane * (center.x.abs() - PLANE_SLACK).max(0.0);
        }
        // The crown of a standing figure; the head of an animal may hang.
        if joint.is_limb && is_central(joint) && joint.position.y == self.highest {
            cost += below_crown * (self.crown - center.y - radius).max(0.0);
        }
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    /// A human of body height in a graph with a row of spheres up the plane and one at each side.
    fn person() -> (ReducedSkeleton, MedialGraph) {
        let human = skeleton_file::read(built_in()[0].text).unwrap();
        let sphere = |x: f64, y: f64| Sphere { center: Vec3::new(x, y, 0.0) * HEIGHT, radius: 0.05 };
        let mut spheres: Vec<Sphere> = (0..10).map(|k| sphere(0.0, 0.05 + 0.1 * f64::from(k))).collect();
        spheres.extend([sphere(0.4, 0.6), sphere(-0.4, 0.6), sphere(0.1, 0.02), sphere(-0.1, 0.02)]);
        let edges = (0..9).map(|k| [k, k + 1]).chain([[5, 10], [5, 11], [0, 12], [0, 13]]);
        (ReducedSkeleton::of(&human).scaled(HEIGHT), MedialGraph::new(spheres, edges.collect()))
    }

    #[test]
    fn joints_without_a_partner_belong_to_the_plane() {
        let (skeleton, graph) = person();
        let central = guided_candidates(&skeleton, &graph, 1.0, &[], &[]);
        for joint in (0..central.len()).filter(|&joint| is_central(&skeleton.joints[joint])) {
            // Of the ends of limbs too few lie on the plane.
            let is_on_plane = central[joint].iter().all(|&node| node < 10);
            assert_eq!(is_on_plane, !skeleton.joints[joint].is_limb, "{joint}: {:?}", central[joint]);
        }
        // A crooked body has no plane.
        let anywhere = guided_candidates(&skeleton, &graph, 0.3, &[], &[]);
        assert!(anywhere[0].iter().any(|&node| node >= 10));
    }

    #[test]
    fn landmarks_add_their_nearest_sphere_and_hints_exclude_it() {
        let (skeleton, graph) = person();
        let mut landmarks = vec![Vec3::zeros(); skeleton.full_count];
        landmarks[0] = graph.center(11);
        assert!(!guided_candidates(&skeleton, &graph, 1.0, &[], &[])[0].contains(&11));
        assert!(guided_candidates(&skeleton, &graph, 1.0, &landmarks, &[])[0].contains(&11));
        let hint = Hint { full: 0, point: graph.center(4) };
        assert_eq!(guided_candidates(&skeleton, &graph, 1.0, &landmarks, &[hint])[0], [4]);
    }

    #[test]
    fn the_right_spheres_cost_nothing() {
        let (skeleton, graph) = person();
        let costs = costs(&skeleton, &graph, 1.0, [1.0; 4]);
        let named = |full: &str| {
            let human = skeleton_file::read(built_in()[0].text).unwrap();
            skeleton.joints.iter().position(|joint| joint.full == human.find(full).unwrap()).unwrap()
        };
        for (joint, node) in [("Hips", 5), ("HeadTop", 9), ("LeftToeTip", 12), ("LeftHandTip", 10)] {
            assert!(costs[named(joint)][node] < 1e-12, "{joint}");
        }
        assert!(costs[named("LeftToeTip")][13] > 0.1 && costs[named("LeftToeTip")][10] > 0.1);
        assert!(costs[named("HeadTop")][5] > 0.1 && costs[named("Hips")][10] > 0.1);
    }
}
