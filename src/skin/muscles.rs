//! Muscles of upper arms: a joint that stands off the bone as the elbow bends, and its part of the weight.

use super::helpers::{BoundLimbs, place};
use crate::math::{Vec3, pow};

/// The weights of a muscle on a bone.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Muscle {
    /// The joint of the bone, from which it takes.
    pub bone: usize,
    joint: usize,
    /// For each vertex which part it takes.
    shares: Vec<f64>,
}

/// The most that a muscle takes of a vertex. With all of it the skin above it would be cut off from the bone where it twists; with a
/// third it has to stand off three times as far.
const MOST: f64 = 0.6;
/// A muscle reaches so far from its middle, in parts of the bone, and its profile falls with this power. Farther it moves the shoulder
/// and the elbow; with a power of 1 it ends in an edge.
const REACH: f64 = 0.45;
const POWER: f64 = 1.5;
/// Vertices this near to the middle of a bone, in parts of it, tell how thick it is. Nearer, coarse meshes have none; from 0.25 on
/// shoulders count.
const MIDDLE: f64 = 0.15;
/// A vertex with more of its weight on a bone is one of its own.
const OF_BONE: f64 = 0.5;

impl Muscle {
    /// The muscle of a bone on the side to which the next joint bends, and how far it moves for each doubling of its thickness, so that
    /// the surface over its middle moves by what a radius grows; `None` if nothing is there.
    pub fn of(
        limbs: &BoundLimbs,
        [bone, next]: [usize; 2],
        joint: usize,
        along: &[f64],
    ) -> Option<(Muscle, Vec3)> {
        let start = place(limbs.joints, bone);
        let axis = (place(limbs.joints, next) - start).try_normalize(f64::EPSILON)?;
        let bends_to = limbs.joints[next].rest.rotation * Vec3::z();
        let side = (bends_to - axis * bends_to.dot(&axis)).try_normalize(f64::EPSILON)?;
        let across = |vertex: usize| {
            let arm = limbs.positions[vertex] - start;
            arm - axis * arm.dot(&axis)
        };
        let weight = |vertex: usize| limbs.weights.of(vertex).find(|(other, _)| *other == bone);
        let is_middle = |vertex: &usize| {
            (along[*vertex] - 0.5).abs() < MIDDLE && weight(*vertex).is_some_and(|(_, w)| w > OF_BONE)
        };
        let middle: Vec<usize> = (0..along.len()).filter(is_middle).collect();
        let radius = middle.iter().map(|&v| across(v).norm()).sum::<f64>() / middle.len() as f64;
        if middle.is_empty() || !(radius > 0.0) {
            return None;
        }
        let share = |vertex: usize| {
            let towards = across(vertex).try_normalize(f64::EPSILON).map_or(0.0, |arm| arm.dot(&side));
            MOST * profile(along[vertex]) * towards.max(0.0)
        };
        let shares = (0..along.len()).map(|v| if weight(v).is_some() { share(v) } else { 0.0 }).collect();
        Some((Muscle { bone, joint, shares }, side * (radius / MOST)))
    }

    /// Takes its part of what the bone has of a vertex.
    pub fn take(&self, list: &mut Vec<(usize, f64)>, vertex: usize) {
        let Some((_, own)) = list.iter_mut().find(|(joint, _)| *joint == self.bone) else { return };
        let taken = *own * self.shares[vertex];
        *own -= taken;
        if taken > 0.0 {
            list.push((self.joint, taken));
        }
    }
}

/// (1 − ((t − 1/2) / 0.45)²)^1.5, from its middle to where it ends.
fn profile(station: f64) -> f64 {
    let from_middle = (station - 0.5) / REACH;
    pow((1.0 - from_middle * from_middle).max(0.0), POWER)
}
