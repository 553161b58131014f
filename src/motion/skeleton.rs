//! The skeleton that a motion moves, for embedding it into a character.

use super::{Motion, Pose, outside_feet};
use crate::math::{Axis, Bounds, Mat3, Quat, Vec3, rotation_of};
use crate::skeleton::{Branches, Joint, Skeleton, Standing, offsets, partners, standing};

/// Bones shorter than this part of the height are helpers without a direction; their joints are left out.
const SHORTEST: f64 = 2e-3;
/// A leaf this low, in parts of the height, stands on the ground.
const ON_GROUND: f64 = 0.15;
/// A skeleton that lies flat is at least this high, in parts of its diagonal.
const LEAST_HEIGHT: f64 = 1e-3;

/// The skeleton of a motion: its joints as they stand at rest, upright, facing +Z, in parts of the height.
///
/// Joints at the position of their parent are left out, and so are fingers and faces: behind a hand or a head only the
/// longest chain is kept. A foot that is no part of its leg becomes the end of it. The rest is the pose of zero channels, or
/// the rest pose or the first frame where that pose does not stand upright. `None` if all joints are in one place.
pub fn skeleton_of(motion: &Motion) -> Option<Skeleton> {
    let (pose, standing) = rest(motion);
    let positions = pose.turned(&y_up(&standing)).positions;
    let Tree { parents, kept } = tree(motion, &positions)?;

    let bounds = Bounds::of(kept.iter().map(|&joint| &positions[joint]));
    let height = bounds.extent().y.max(LEAST_HEIGHT * bounds.diagonal());
    if !(height > 0.0) {
        return None;
    }
    let middle = Vec3::new(positions[0].x, bounds.min.y, bounds.center().z);
    let kept_positions: Vec<Vec3> = kept.iter().map(|&joint| (positions[joint] - middle) / height).collect();
    let names: Vec<&str> = kept.iter().map(|&joint| motion.joints[joint].name.as_str()).collect();
    let branches = Branches::of(&parents, &kept_positions);
    let partners = partners(&names, &parents, &offsets(&parents, &kept_positions), &branches);
    let head = (0..kept.len())
        .filter(|&joint| partners[joint].is_none() && branches.children[joint].is_empty())
        .max_by(|&a, &b| kept_positions[a].y.total_cmp(&kept_positions[b].y));
    let joints = kept
        .iter()
        .enumerate()
        .map(|(index, &joint)| {
            let is_leaf = branches.children[index].is_empty();
            let is_middle = partners[index].is_none();
            let holds_head = head.is_some_and(|head| parents[head] == Some(index));
            Joint {
                name: names[index].to_owned(),
                parent: parents[index],
                position: kept_positions[index],
                partner: partners[index],
                role: None,
                is_foot: is_leaf && !is_middle && kept_positions[index].y < ON_GROUND,
                is_torso: is_middle && (branches.children[index].len() > 1 || holds_head),
                is_tip: motion.joints[joint].is_end,
            }
        })
        .collect();
    Some(Skeleton {
        name: "motion".into(),
        about: "the hierarchy of a motion".into(),
        joints,
        weights: Default::default(),
    })
}

/// The pose to take the positions from, and how it stands.
fn rest(motion: &Motion) -> (Pose, Option<Standing>) {
    let (names, parents) = (motion.joints.names(), motion.joints.parents());
    let zero = motion.zero_pose();
    let branches = Branches::of(&parents, &zero.positions);
    let partners = partners(&names, &parents, &motion.offsets(), &branches);
    let zero_stands = standing(&names, &branches, &partners, &zero.positions, None);
    if zero_stands.as_ref().is_some_and(|standing| standing.is_upright) || motion.frames == 0 {
        return (zero, zero_stands);
    }
    let first = motion.rest.clone().unwrap_or_else(|| motion.pose(0));
    match standing(&names, &branches, &partners, &first.positions, None) {
        Some(standing) if standing.is_upright => (first, Some(standing)),
        _ => (zero, zero_stands),
    }
}

/// From the axes of the file to +Y up and +Z ahead.
fn y_up(standing: &Option<Standing>) -> Quat {
    let (up, front) = match standing {
        Some(standing) => (standing.up.vector(), standing.front),
        None => (Axis::PosY.vector(), Axis::PosZ.vector()),
    };
    let file_from_world = Mat3::from_columns(&[up.cross(&front), up, front]);
    rotation_of(&file_from_world.transpose())
}

/// The joints that are kept, in order, with their parents among themselves.
struct Tree {
    parents: Vec<Option<usize>>,
    kept: Vec<usize>,
}

fn tree(motion: &Motion, positions: &[Vec3]) -> Option<Tree> {
    let count = motion.joints.len();
    let mut parents = motion.joints.parents();
    let mut is_left_out = vec![false; count];
    // A foot outside of its leg replaces the leg's end.
    for (foot, leaf) in outside_feet(motion) {
        parents[foot] = if motion.joints[leaf].is_end { motion.joints[leaf].parent } else { Some(leaf) };
        is_left_out[leaf] |= motion.joints[leaf].is_end;
    }
    let order = parents_first(&parents)?;
    let size = Bounds::of(positions.iter()).diagonal();
    // Fingers and faces are judged in the new tree.
    let mut rank = vec![0; count];
    order.iter().enumerate().for_each(|(index, &joint)| rank[joint] = index);
    let ordered_parents: Vec<Option<usize>> =
        order.iter().map(|&joint| parents[joint].map(|p| rank[p])).collect();
    let ordered: Vec<Vec3> = order.iter().map(|&joint| positions[joint]).collect();
    let names: Vec<&str> = order.iter().map(|&joint| motion.joints[joint].name.as_str()).collect();
    let offsets: Vec<Vec3> = order.iter().map(|&joint| motion.joints[joint].offset).collect();
    let branches = Branches::of(&ordered_parents, &ordered);
    let partners = partners(&names, &ordered_parents, &offsets, &branches);
    let branches = branches.without_paired_ends(&partners);
    let mut kept: Vec<usize> = Vec::new();
    let mut new_parents = Vec::new();
    // For each joint the kept joint that stands for it.
    let mut stands_for: Vec<Option<usize>> = vec![None; count];
    for (index, &joint) in order.iter().enumerate() {
        let parent = parents[joint];
        let above = parent.and_then(|parent| stands_for[parent]);
        let is_short = parent.is_some()
            && above.is_some_and(|a: usize| (positions[joint] - positions[kept[a]]).norm() < SHORTEST * size);
        if parent.is_some() && (!branches.is_body[index] || is_short || is_left_out[joint]) {
            stands_for[joint] = above;
            continue;
        }
        stands_for[joint] = Some(kept.len());
        new_parents.push(above);
        kept.push(joint);
    }
    (size > 0.0).then_some(Tree { parents: new_parents, kept })
}

/// The joints in an order in which parents come first; `None` if there is a cycle.
fn parents_first(parents: &[Option<usize>]) -> Option<Vec<usize>> {
    let mut children = vec![Vec::new(); parents.len()];
    for (joint, &parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            children[parent].push(joint);
        }
    }
    let mut order = Vec::with_capacity(parents.len());
    let mut stack = vec![0];
    while let Some(joint) = stack.pop() {
        order.push(joint);
        stack.extend(children[joint].iter().rev());
    }
    (order.len() == parents.len()).then_some(order)
}
