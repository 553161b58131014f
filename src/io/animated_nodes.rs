//! From the animated nodes of a scene file to a motion.
//!
//! Nodes have rest rotations, joints of BVH have none. In the motion the axes of every joint are parallel to those of the world
//! while the scene is at rest: the pose of zero rotations is then the rest pose of the scene, and all positions stay. With
//! `B` the world rotation at rest, `R` and `t` the local rotation and translation, the rotation of a joint is
//! `B_parent R B⁻¹`, and its position relative to its parent `B_parent t`.

use super::assembly::UniqueNames;
use super::{Fault, Problem};
use crate::math::{Quat, Vec3, cbrt};
use crate::motion::{Motion, MotionJoint, Tracks};

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

/// Which animations of a file are read.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Wanted {
    All,
    Largest,
}

/// Positions farther from the origin are refused, so that sums stay finite.
const FARTHEST: f64 = 1e12;
/// A joint has a track of translations if it moves by more than this share of its offset, or by this many units. Below, the
/// rounding of 32-bit keys gives every joint a track.
const MOVED_SHARE: f64 = 1e-4;
const MOVED: f64 = 1e-9;
/// The rate of a file that names none, and the largest that is read.
pub(super) const DEFAULT_RATE: f64 = 30.0;
pub(super) const LARGEST_RATE: f64 = 240.0;

/// The motion of the joints among some nodes, with everything between them and their common ancestor. `local` gives a
/// node at a frame.
pub(super) fn motion(
    nodes: &[Node],
    frames: usize,
    frame_seconds: f64,
    mut local: impl FnMut(usize, usize) -> Local,
) -> Result<Motion, Fault> {
    let kept = subtree(nodes)?;
    let rest = RestFrames::of(nodes);
    let mut names = UniqueNames::default();
    let mut joints: Vec<MotionJoint> = Vec::with_capacity(kept.len());
    for &node in &kept {
        let base = if nodes[node].name.is_empty() { format!("node{node}") } else { nodes[node].name.clone() };
        let name = names.take(&base);
        let parent = nodes[node].parent.and_then(|parent| kept.binary_search(&parent).ok());
        let offset = rest.position(node, &nodes[node].rest.translation)?;
        joints.push(MotionJoint { name, parent, offset, is_end: false });
    }
    let mut rotations: Tracks<Quat> =
        Tracks { joints: (0..kept.len()).collect(), values: Vec::with_capacity(frames * kept.len()) };
    let mut travelling = vec![false; kept.len()];
    let mut positions = Vec::with_capacity(frames * kept.len());
    for frame in 0..frames {
        for (joint, &node) in kept.iter().enumerate() {
            let at = local(frame, node);
            let mut rotation = rest.above[node].0 * at.rotation * rest.own[node].0.inverse();
            rotation.renormalize();
            if let Some(before) = frame.checked_sub(1)
                && rotations.values[before * kept.len() + joint].coords.dot(&rotation.coords) < 0.0
            {
                rotation = Quat::new_unchecked(-rotation.into_inner());
            }
            rotations.values.push(rotation);
            let position = rest.position(node, &at.translation)?;
            // Joints that stay at their offset need no track.
            let offset = &joints[joint].offset;
            travelling[joint] |=
                joint == 0 || (position - offset).norm() > MOVED_SHARE * offset.norm() + MOVED;
            positions.push(position);
        }
    }
    let translations = Tracks {
        joints: (0..kept.len()).filter(|&joint| travelling[joint]).collect(),
        values: positions
            .into_iter()
            .enumerate()
            .filter(|(i, _)| travelling[i % kept.len()])
            .map(|(_, p)| p)
            .collect(),
    };
    Ok(Motion { joints: joints.into(), rest: None, frames, frame_seconds, rotations, translations }
        .with_rest_split_off())
}

/// World rotation and uniform scale of nodes at rest.
struct RestFrames {
    own: Vec<(Quat, f64)>,
    /// Those of the parent of each node.
    above: Vec<(Quat, f64)>,
}

impl RestFrames {
    fn of(nodes: &[Node]) -> RestFrames {
        let mut frames = RestFrames { own: Vec::new(), above: Vec::new() };
        for node in nodes {
            let (rotation, size) = node.parent.map_or((Quat::identity(), 1.0), |parent| frames.own[parent]);
            let scale = node.rest.scale.abs();
            let grown = size * cbrt(scale.x * scale.y * scale.z);
            frames.above.push((rotation, size));
            frames.own.push((rotation * node.rest.rotation, if grown.is_normal() { grown } else { size }));
        }
        frames
    }

    /// The position of a node relative to its parent, with the axes and the scale of the world.
    fn position(&self, node: usize, translation: &Vec3) -> Result<Vec3, Fault> {
        let (rotation, size) = self.above[node];
        let position = rotation * (translation * size);
        if position.iter().all(|x| x.abs() < FARTHEST) {
            return Ok(position);
        }
        Err(Fault::whole(Problem::NotFinite { what: "the place of node", index: node }))
    }
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

/// Values that even the smallest file may give: five minutes of a hand.
const VALUES_FLOOR: usize = 1 << 20;
const VALUES_PER_BYTE: usize = 4;

/// How many frames `seconds` have at a rate, and the time between them. Frames that the bytes of a file with so many motions do
/// not justify are cut off: a file of two keys can claim a year.
pub(super) fn frame_count(
    seconds: f64,
    rate: f64,
    nodes: usize,
    bytes: usize,
    motions: usize,
) -> (usize, f64) {
    let rate = if rate.is_finite() && rate >= 1.0 { rate.min(LARGEST_RATE) } else { DEFAULT_RATE };
    let frame_seconds = crate::motion::snapped(1.0 / rate);
    let wanted = (seconds.max(0.0) / frame_seconds).round();
    let most = (VALUES_FLOOR + bytes.saturating_mul(VALUES_PER_BYTE)) / nodes.max(1) / motions.max(1);
    ((wanted.min(most as f64) as usize) + 1, frame_seconds)
}
