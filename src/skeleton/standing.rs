//! How a tree of joints stands and where it faces, seen from the joints alone.
//!
//! Limbs come in pairs. Between the two of a pair lies the left-right axis; from their upper to their lower ends they
//! lead down, because legs are longer than arms and arms do not point up at rest; feet point forward.

use super::Branches;
use super::naming::{Side, mirrored_name, parse_name};
use crate::math::{Axis, Vec3};

/// A pair of branches counts as limbs from this part of the longest path on; ears, eyes and fingers are shorter.
const LIMB: f64 = 0.2;
/// The last part of a leg that may be its foot: human feet take 0.2 of hip to toe.
const FOOT: f64 = 0.18;
/// Leaves that are no higher than this part of the size above the lowest stand on the ground.
const ON_GROUND: f64 = 0.12;
/// Feet that point forward by less than this part of the size say nothing.
const POINTING: f64 = 0.02;

/// How a tree of joints stands in one pose, in the axes of that pose.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// Against gravity.
    pub up: Axis,
    /// Where it faces; of unit length, level.
    pub front: Vec3,
    /// Whether its head is above its feet, as it is in every pose that can be a rest pose.
    pub is_upright: bool,
}

/// How the joints stand. `None` if nothing comes in pairs or everything is at one position. An `up` that is given is used.
pub fn standing(
    names: &[&str],
    branches: &Branches,
    partners: &[Option<usize>],
    positions: &[Vec3],
    up: Option<Axis>,
) -> Option<Standing> {
    let size = branches.below.first().copied().filter(|&size| size > 0.0)?;
    let pairs = limb_pairs(branches, partners, size);
    let (lateral, sides_are_named) = lateral(names, branches, &pairs, positions)?;
    let mut down = Vec3::zeros();
    for &(a, b) in &pairs {
        down += chord(branches, positions, a) + chord(branches, positions, b);
    }
    down -= lateral * lateral.dot(&down);
    let up = up.unwrap_or_else(|| nearest_axis(&-down));
    let level = |v: Vec3| v - up.vector() * up.vector().dot(&v);

    let height = |joint: usize| up.vector().dot(&positions[joint]);
    let leaves = || pairs.iter().flat_map(|&(a, b)| [a, b]).map(|limb| (limb, branches.leaf_below(limb)));
    let lowest = leaves().map(|(_, leaf)| height(leaf)).fold(f64::INFINITY, f64::min);
    let mut toes = Vec3::zeros();
    for (limb, leaf) in leaves().filter(|&(_, leaf)| height(leaf) < lowest + ON_GROUND * size) {
        toes += level(foot(branches, positions, limb, leaf));
    }
    let left = level(lateral).try_normalize(1e-9)?;
    let front = left.cross(&up.vector());
    let points = front.dot(&toes);
    let is_told = points.abs() > POINTING * size;
    // The end of the longest path through the middle of the body: a head, or a tail.
    let head = middle_leaf(branches, partners, positions, &up.vector());
    let ahead = head.map_or(0.0, |head| front.dot(&(positions[head] - positions[0])));
    let is_turned = !sides_are_named && if is_told { points < 0.0 } else { ahead < -POINTING * size };
    Some(Standing {
        up,
        front: if is_turned { -front } else { front },
        is_upright: head.is_none_or(|head| height(head) - height(0) > -0.1 * size),
    })
}

/// Pairs of limbs, each by its first joint.
fn limb_pairs(branches: &Branches, partners: &[Option<usize>], size: f64) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (joint, children) in branches.children.iter().enumerate() {
        if partners[joint].is_some() {
            continue;
        }
        for &a in children {
            let Some(b) = partners[a].filter(|&b| b > a) else { continue };
            if branches.below[a] > LIMB * size {
                pairs.push((a, b));
            }
        }
    }
    pairs
}

fn chord(branches: &Branches, positions: &[Vec3], limb: usize) -> Vec3 {
    positions[branches.leaf_below(limb)] - positions[limb]
}

/// The direction from right to left, of unit length, and whether names say which is which.
fn lateral(
    names: &[&str],
    branches: &Branches,
    pairs: &[(usize, usize)],
    positions: &[Vec3],
) -> Option<(Vec3, bool)> {
    let mut sum = Vec3::zeros();
    let mut named = 0.0;
    for &(a, b) in pairs {
        let (leaf_a, leaf_b) = (branches.leaf_below(a), branches.leaf_below(b));
        let mut across = positions[a] - positions[b] + positions[leaf_a] - positions[leaf_b];
        let side = parse_name(names[a]).and_then(|parts| parts.side).or_else(|| side_of(names[a]));
        let sign = match side {
            Some(Side::Left) => 1.0,
            Some(Side::Right) => -1.0,
            None if sum.dot(&across) < 0.0 => -1.0,
            None => 1.0,
        };
        across *= sign;
        named += if side.is_some() { across.norm() } else { -across.norm() };
        sum += across;
    }
    Some((sum.try_normalize(1e-9)?, named > 0.0))
}

/// The side that a name says by its mirror image alone: `l_bone7` beside `r_bone7`.
fn side_of(name: &str) -> Option<Side> {
    let other = mirrored_name(name)?;
    let difference = name.chars().zip(other.chars()).find(|(a, b)| a != b)?.0;
    match difference.to_ascii_lowercase() {
        'l' => Some(Side::Left),
        'r' => Some(Side::Right),
        _ => None,
    }
}

/// From the heel to the tip, as far as a foot can reach.
fn foot(branches: &Branches, positions: &[Vec3], limb: usize, leaf: usize) -> Vec3 {
    let mut path = std::iter::successors(Some(limb), |&joint| branches.heir[joint]);
    let heel = path.find(|&joint| branches.below[joint] <= FOOT * 1.25 * branches.below[limb]);
    positions[leaf] - positions[heel.unwrap_or(leaf)]
}

/// The highest leaf that has no partner and whose path from the root is not short.
fn middle_leaf(
    branches: &Branches,
    partners: &[Option<usize>],
    positions: &[Vec3],
    up: &Vec3,
) -> Option<usize> {
    let middle = (0..partners.len()).filter(|&joint| partners[joint].is_none());
    let longest = middle.clone().map(|joint| branches.root_distance[joint]).fold(0.0, f64::max);
    middle
        .filter(|&joint| branches.children[joint].is_empty() && branches.root_distance[joint] > 0.5 * longest)
        .max_by(|&a, &b| up.dot(&positions[a]).total_cmp(&up.dot(&positions[b])))
}

/// The axis that a direction is nearest to.
fn nearest_axis(direction: &Vec3) -> Axis {
    let along = |axis: &Axis| axis.vector().dot(direction);
    Axis::ALL.into_iter().max_by(|a, b| along(a).total_cmp(&along(b))).expect("there are six axes")
}
