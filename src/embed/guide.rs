//! What the body's own plane of symmetry, its ground and its sides say about the places of joints.
//!
//! Beside the nine penalties of the paper. Joints without a partner belong to the plane between left and right; that
//! keeps a head out of ears and shoulders, and replaces the rule of the original's "fattest spheres", which takes a big
//! head or a backpack for the trunk. The additional costs are small against a wrong match and zero for a right one.

use super::body::HEIGHT;
use super::candidates::{CandidateOptions, Hint, candidates};
use super::graph::MedialGraph;
use crate::skeleton::ReducedSkeleton;

/// Overlap with the mirror image below which a body has no plane to speak of.
const SYMMETRIC: f64 = 0.6;
/// Half the thickness of the plane, in heights: about half of a trunk. Thinner, the plane of a crooked spine is empty.
const PLANE: f64 = 0.055;
/// Spheres on the plane without which it is not used.
const ENOUGH: usize = 3;
/// Joints of the trunk lie between these heights, in parts of the body's height: above the ankles, below the crown.
const TRUNK: std::ops::Range<f64> = 0.09..0.95;

/// The spheres in which each joint may be placed; the graph is in body space.
pub fn places(
    skeleton: &ReducedSkeleton,
    graph: &MedialGraph,
    overlap: f64,
    hints: &[Hint],
) -> Vec<Vec<u32>> {
    let mut places = candidates(skeleton, graph, hints, &CandidateOptions::default());
    if overlap < SYMMETRIC {
        return places;
    }
    for (joint, places) in skeleton.joints.iter().zip(&mut places) {
        if joint.partner.is_some() || hints.iter().any(|hint| hint.full == joint.full) {
            continue;
        }
        let central: Vec<u32> = (0..graph.spheres.len() as u32)
            .filter(|&node| graph.center(node).x.abs() < PLANE * HEIGHT)
            .filter(|&node| joint.is_limb || TRUNK.contains(&(graph.center(node).y / HEIGHT)))
            .filter(|node| !joint.is_limb || joint.is_fat || places.contains(node))
            .collect();
        if central.len() >= ENOUGH {
            *places = central;
        }
    }
    places
}

/// For each joint the additional cost of each sphere; the graph is in body space.
pub fn costs(skeleton: &ReducedSkeleton, graph: &MedialGraph, overlap: f64) -> Vec<Vec<f64>> {
    let is_central = |x: f64| x.abs() < PLANE * HEIGHT;
    let crown = graph
        .spheres
        .iter()
        .filter(|sphere| is_central(sphere.center.x))
        .map(|sphere| sphere.center.y + sphere.radius)
        .fold(0.0, f64::max);
    let highest = skeleton.joints.iter().map(|joint| joint.position.y).fold(0.0, f64::max);
    let cost = |joint: usize, node: u32| {
        let joint = &skeleton.joints[joint];
        let (place, radius) = (graph.center(node), graph.radius(node));
        let mut cost = 0.0;
        if joint.is_foot {
            cost += (place.y - radius - 0.02).max(0.0);
        }
        if joint.partner.is_some() {
            cost += 2.0 * (0.015 - joint.position.x.signum() * place.x).max(0.0);
        } else if overlap >= SYMMETRIC {
            cost += 0.5 * (place.x.abs() - 0.01).max(0.0);
        }
        // The crown of a standing figure; the head of an animal may hang.
        if joint.is_limb && joint.partner.is_none() && joint.position.y == highest {
            cost += 0.5 * (crown - place.y - radius).max(0.0);
        }
        cost
    };
    let nodes = 0..graph.spheres.len() as u32;
    (0..skeleton.joints.len()).map(|joint| nodes.clone().map(|node| cost(joint, node)).collect()).collect()
}
