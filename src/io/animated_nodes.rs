//! From the animated nodes of a scene file to a motion.
//!
//! Nodes have rest rotations of their own, BVH's joints have none. The motion is written with every joint's axes parallel
//! to the world's while the scene is at rest: the pose of zero rotations is then the rest pose of the scene, and all
//! positions stay what they were. With `B` the world rotation at rest and `R` the local one, a joint turns by
//! `B_parent R B⁻¹` and stands at `B_parent t` from its parent.

use super::{Fault, Problem};
use crate::math::{Quat, Vec3, cbrt};
use crate::motion::{Motion, MotionJoint, Tracks};
use std::collections::HashMap;

/// Translation, rotation and scale of a node in its parent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Local {
    pub translation: Vec3,
    pub rotation: Quat,
    pub scale: Vec3,
}

/// A node of a scene.
#[derive(Clone)]
pub(super) struct Node {
    pub name: String,
    /// Parents come before their children.
    pub parent: Option<usize>,
    pub rest: Local,
    /// It is a joint, or it moves.
    pub is_joint: bool,
}

/// Further away than this nothing is read; sums stay finite.
const FARTHEST: f64 = 1e12;

/// The motion of the joints among some nodes, with everything between them and their common ancestor. `local` gives a
/// node at a frame.
pub(super) fn motion(
    nodes: &[Node],
    frames: usize,
    frame_seconds: f64,
    mut local: impl FnMut(usize, usize) -> Local,
) -> Result<Motion, Fault> {
    let kept = subtree(nodes)?;
    // World rotation and size at rest.
    let mut rest: Vec<(Quat, f64)> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let (turn, size) = node.parent.map_or((Quat::identity(), 1.0), |parent| rest[parent]);
        let scale = node.rest.scale.abs();
        let grown = size * cbrt(scale.x * scale.y * scale.z);
        rest.push((turn * node.rest.rotation, if grown.is_normal() { grown } else { size }));
    }
    let above = |node: usize| nodes[node].parent.map_or((Quat::identity(), 1.0), |parent| rest[parent]);
    let place = |node: usize, translation: Vec3| {
        let (turn, size) = above(node);
        turn * (translation * size)
    };
    let mut names = HashMap::new();
    let mut joints: Vec<MotionJoint> = Vec::with_capacity(kept.len());
    for &node in &kept {
        let base = if nodes[node].name.is_empty() { format!("node{node}") } else { nodes[node].name.clone() };
        let name = free_name(&mut names, base);
        let parent = nodes[node].parent.and_then(|parent| kept.binary_search(&parent).ok());
        let offset = checked(place(node, nodes[node].rest.translation), node)?;
        joints.push(MotionJoint { name, parent, offset, is_end: false });
    }
    let mut rotations: Tracks<Quat> =
        Tracks { joints: (0..kept.len()).collect(), values: Vec::with_capacity(frames * kept.len()) };
    let mut travelling = vec![false; kept.len()];
    let mut places = Vec::with_capacity(frames * kept.len());
    for frame in 0..frames {
        for (joint, &node) in kept.iter().enumerate() {
            let at = local(frame, node);
            let (parent_turn, _) = above(node);
            let mut rotation = parent_turn * at.rotation * rest[node].0.inverse();
            rotation.renormalize();
            if let Some(before) = frame.checked_sub(1)
                && rotations.values[before * kept.len() + joint].coords.dot(&rotation.coords) < 0.0
            {
                rotation = Quat::new_unchecked(-rotation.into_inner());
            }
            rotations.values.push(rotation);
            let position = checked(place(node, at.translation), node)?;
            // Joints that stay at their offset need no track.
            travelling[joint] |= joint == 0
                || (position - joints[joint].offset).norm() > 1e-4 * joints[joint].offset.norm() + 1e-9;
            places.push(position);
        }
    }
    let translations = Tracks {
        joints: (0..kept.len()).filter(|&joint| travelling[joint]).collect(),
        values: places
            .into_iter()
            .enumerate()
            .filter(|(i, _)| travelling[i % kept.len()])
            .map(|(_, p)| p)
            .collect(),
    };
    Ok(Motion { joints: joints.into(), rest: None, frames, frame_seconds, rotations, translations }
        .with_rest_split_off())
}

/// The name, with a number behind it if it is taken. For each name that is taken its next number is known, so that ten
/// thousand nodes of one name are named in as many steps.
fn free_name(names: &mut HashMap<String, usize>, base: String) -> String {
    let mut name = base.clone();
    let mut number = names.get(&base).copied().unwrap_or(2);
    while names.contains_key(&name) {
        name = format!("{base}_{number}");
        number += 1;
    }
    names.insert(name.clone(), 2);
    names.insert(base, number);
    name
}

fn checked(position: Vec3, node: usize) -> Result<Vec3, Fault> {
    if position.iter().all(|x| x.abs() < FARTHEST) {
        return Ok(position);
    }
    Err(Fault::whole(Problem::NotFinite { what: "the place of node", index: node }))
}

/// The nodes at and below the lowest common ancestor of the joints that are joints or have joints below them.
fn subtree(nodes: &[Node]) -> Result<Vec<usize>, Fault> {
    // How many joints are at and below each node.
    let mut below = vec![0usize; nodes.len()];
    for node in (0..nodes.len()).rev() {
        below[node] += usize::from(nodes[node].is_joint);
        if let Some(parent) = nodes[node].parent {
            below[parent] += below[node];
        }
    }
    // The tree with most joints, and in it the lowest node that has them all.
    let root = (0..nodes.len())
        .filter(|&node| nodes[node].parent.is_none() && below[node] > 0)
        .max_by_key(|&node| (below[node], usize::MAX - node));
    let mut root = root.ok_or(Fault::whole(Problem::NoJoints))?;
    while !nodes[root].is_joint {
        match (root + 1..nodes.len())
            .find(|&node| nodes[node].parent == Some(root) && below[node] == below[root])
        {
            Some(next) => root = next,
            None => break,
        }
    }
    let mut is_in = vec![false; nodes.len()];
    is_in[root] = true;
    for node in root + 1..nodes.len() {
        is_in[node] = below[node] > 0 && nodes[node].parent.is_some_and(|parent| is_in[parent]);
    }
    Ok((root..nodes.len()).filter(|&node| is_in[node]).collect())
}

/// Values that even the smallest file may give; five minutes of a hand.
const VALUES_FLOOR: usize = 1 << 20;
const VALUES_PER_BYTE: usize = 4;

/// How many frames a stretch of time has at a rate, and the time between them. Time that the bytes of a file with several
/// motions do not justify is cut: a file of two keys can claim a year.
pub(super) fn frame_count(
    seconds: f64,
    rate: f64,
    nodes: usize,
    bytes: usize,
    motions: usize,
) -> (usize, f64) {
    let rate = if rate.is_finite() && rate >= 1.0 { rate.min(240.0) } else { 30.0 };
    let frame_seconds = crate::motion::snapped(1.0 / rate);
    let wanted = (seconds.max(0.0) / frame_seconds).round();
    let most = (VALUES_FLOOR + bytes.saturating_mul(VALUES_PER_BYTE)) / nodes.max(1) / motions.max(1);
    ((wanted.min(most as f64) as usize) + 1, frame_seconds)
}
