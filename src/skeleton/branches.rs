//! The coarse shape of a tree of joints: what is a limb and what is a bush of fingers at its end.

use crate::math::Vec3;

/// If it reaches no further than this part of the path from the root, everything behind a branch is one end: fingers
/// behind a wrist (0.15), a jaw and eyes behind a skull (0.3). An animal's forelegs reach to 0.55 of the path to its chest.
const BUSH: f64 = 0.4;
/// A child with no more joints than these, all nearer to the bone beside it than this part of its length, shares the twist
/// of that bone or is the goal of a rig, and is no branch.
const HELPER_JOINTS: usize = 3;
const ALONG: f64 = 0.12;
/// Fingers have no more joints in a row than this.
const BUSH_DEPTH: usize = 16;

/// A tree of joints, parents before children, and how far things are in it.
#[derive(Debug, Clone)]
pub struct Branches {
    /// The children of each joint.
    pub children: Vec<Vec<usize>>,
    /// Length of the path from the root to each joint.
    pub root_distance: Vec<f64>,
    /// Length of the longest path from each joint down to a leaf.
    pub below: Vec<f64>,
    /// The child that this longest path leads to.
    pub heir: Vec<Option<usize>>,
    /// Whether a joint is part of the body, not of a bush at its end. Of a bush its longest path is part of the body.
    pub is_body: Vec<bool>,
    /// Whether a joint only follows the bone beside it; it is no part of the body then.
    pub is_helper: Vec<bool>,
}

impl Branches {
    /// Of a tree of joints in one pose.
    pub fn of(parents: &[Option<usize>], positions: &[Vec3]) -> Branches {
        let count = parents.len();
        let lengths: Vec<f64> = offsets(parents, positions).iter().map(Vec3::norm).collect();
        let mut children = vec![Vec::new(); count];
        let mut root_distance = vec![0.0; count];
        for (joint, &parent) in parents.iter().enumerate() {
            if let Some(parent) = parent {
                children[parent].push(joint);
                root_distance[joint] = root_distance[parent] + lengths[joint];
            }
        }
        let mut below = vec![0.0; count];
        let mut heir: Vec<Option<usize>> = vec![None; count];
        for joint in (0..count).rev() {
            for &child in &children[joint] {
                let length = below[child] + lengths[child];
                if heir[joint].is_none() || length > below[joint] {
                    (below[joint], heir[joint]) = (length, Some(child));
                }
            }
        }
        // How far the joints behind each joint are from it, as the crow flies: jaws and tongues fold back.
        let mut spread = vec![0.0f64; count];
        for joint in 0..count {
            let mut above = parents[joint];
            for _ in 0..BUSH_DEPTH {
                let Some(ancestor) = above else { break };
                spread[ancestor] = spread[ancestor].max((positions[joint] - positions[ancestor]).norm());
                above = parents[ancestor];
            }
        }
        let mut is_body = vec![true; count];
        for (joint, &parent) in parents.iter().enumerate() {
            let Some(parent) = parent else { continue };
            let in_bush = children[parent].len() > 1 && spread[parent] < BUSH * root_distance[parent];
            is_body[joint] = is_body[parent] && (!in_bush || heir[parent] == Some(joint));
        }
        let is_helper = vec![false; count];
        let mut branches = Branches { children, root_distance, below, heir, is_body, is_helper };
        branches.leave_out_helpers(positions);
        branches
    }

    fn leave_out_helpers(&mut self, positions: &[Vec3]) {
        for joint in 0..self.children.len() {
            let Some(heir) = self.heir[joint].filter(|_| self.children[joint].len() > 1) else { continue };
            let (start, bone) = (positions[joint], positions[heir] - positions[joint]);
            let off = |joint: usize| {
                let along =
                    (positions[joint] - start).dot(&bone) / bone.norm_squared().max(f64::MIN_POSITIVE);
                (positions[joint] - start - bone * along.clamp(0.0, 1.0)).norm()
            };
            for &child in self.children[joint].iter().filter(|&&child| child != heir) {
                let mut subtree = vec![child];
                let mut next = 0;
                while next < subtree.len() && subtree.len() <= HELPER_JOINTS {
                    subtree.extend(&self.children[subtree[next]]);
                    next += 1;
                }
                if subtree.len() <= HELPER_JOINTS
                    && subtree.iter().all(|&joint| off(joint) <= ALONG * bone.norm())
                {
                    for joint in subtree {
                        (self.is_body[joint], self.is_helper[joint]) = (false, true);
                    }
                }
            }
        }
    }

    /// Takes pairs out of the body where nothing but a bush follows: two eyes are no end of a head.
    pub fn without_paired_ends(mut self, partners: &[Option<usize>]) -> Branches {
        let mut parents = vec![None; self.children.len()];
        for (joint, children) in self.children.iter().enumerate() {
            children.iter().for_each(|&child| parents[child] = Some(joint));
        }
        for joint in 0..self.children.len() {
            let children = &self.children[joint];
            let is_bush = self.has_bush(joint);
            let is_paired = |child: usize| partners[child].is_some_and(|other| parents[other] == Some(joint));
            let end = children.iter().copied().find(|&child| self.is_body[child] && is_paired(child));
            let mut stack: Vec<usize> = end.filter(|_| is_bush).into_iter().collect();
            while let Some(joint) = stack.pop() {
                self.is_body[joint] = false;
                stack.extend(&self.children[joint]);
            }
        }
        self
    }

    /// Whether a bush begins behind a joint: fingers, or a face.
    pub fn has_bush(&self, joint: usize) -> bool {
        self.children[joint].iter().any(|&child| !self.is_body[child] && !self.is_helper[child])
    }

    /// The children that are part of the body.
    pub fn body_children(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        self.children[joint].iter().copied().filter(|&child| self.is_body[child])
    }

    /// The leaf at the end of the longest path down.
    pub fn leaf_below(&self, joint: usize) -> usize {
        std::iter::successors(Some(joint), |&joint| self.heir[joint]).last().unwrap_or(joint)
    }
}

/// From the parent of each joint to the joint; zero for a root.
pub fn offsets(parents: &[Option<usize>], positions: &[Vec3]) -> Vec<Vec3> {
    let joints = parents.iter().zip(positions);
    joints
        .map(|(parent, position)| parent.map_or(Vec3::zeros(), |above| position - positions[above]))
        .collect()
}

/// For each joint the one on the other side of the body: by its name where `partner_name` knows it, else by the shape:
/// below a joint of the middle two branches of equal make belong together.
pub fn partners(
    names: &[&str],
    parents: &[Option<usize>],
    offsets: &[Vec3],
    branches: &Branches,
) -> Vec<Option<usize>> {
    let mut partners = vec![None; names.len()];
    let indices: std::collections::HashMap<&str, usize> =
        names.iter().enumerate().map(|(joint, &name)| (name, joint)).collect();
    for (joint, name) in names.iter().enumerate() {
        partners[joint] = super::naming::mirrored_name(name).and_then(|other| indices.get(&*other).copied());
    }
    // Mutual ones only.
    for joint in 0..names.len() {
        if partners[joint].is_some_and(|other: usize| other == joint || partners[other] != Some(joint)) {
            partners[joint] = None;
        }
    }
    let mut makes = vec![Make::default(); names.len()];
    for joint in (0..names.len()).rev() {
        makes[joint].joints += 1;
        makes[joint].length += offsets[joint].norm();
        if let Some(parent) = parents[joint] {
            let own = makes[joint];
            makes[parent].joints += own.joints;
            makes[parent].length += own.length;
        }
    }
    for joint in 0..names.len() {
        let others = match partners[joint] {
            Some(partner) if partner > joint => partner,
            Some(_) => continue,
            None => joint,
        };
        pair_children(&branches.children[joint], &branches.children[others], &makes, &mut partners);
    }
    partners
}

/// What a branch is made of.
#[derive(Debug, Clone, Copy, Default)]
struct Make {
    joints: usize,
    length: f64,
}

impl Make {
    /// How unlike two branches are: 0 for the same make, `None` if they do not belong together.
    fn unlike(&self, other: &Make) -> Option<f64> {
        let longer = self.length.max(other.length);
        let difference = (self.length - other.length).abs() / longer.max(f64::MIN_POSITIVE);
        // People are not symmetric, and captures measure that: 3 % between the arms of one person were seen.
        (self.joints == other.joints && difference < 0.1 && longer > 0.0).then_some(difference)
    }
}

/// Pairs those children that have no partner yet, the likest first.
fn pair_children(ours: &[usize], theirs: &[usize], makes: &[Make], partners: &mut [Option<usize>]) {
    // A joint with thousands of children is no body.
    const MOST: usize = 64;
    let mut candidates = Vec::new();
    for (i, &a) in ours.iter().take(MOST).enumerate() {
        for (j, &b) in theirs.iter().take(MOST).enumerate() {
            let is_new = if ours == theirs { i < j } else { true };
            if is_new
                && partners[a].is_none()
                && partners[b].is_none()
                && let Some(unlike) = makes[a].unlike(&makes[b])
            {
                candidates.push((unlike, a, b));
            }
        }
    }
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    for (_, a, b) in candidates {
        if partners[a].is_none() && partners[b].is_none() {
            partners[a] = Some(b);
            partners[b] = Some(a);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A trunk with two arms, each with two fingers.
    fn body() -> (Vec<&'static str>, Vec<Option<usize>>, Vec<Vec3>) {
        let mut names = vec!["root", "chest"];
        let mut parents = vec![None, Some(0)];
        let mut offsets = vec![Vec3::zeros(), Vec3::y()];
        for (side, arm) in [(1.0, ["a", "b", "c", "d"]), (-1.0, ["e", "f", "g", "h"])] {
            let first = names.len();
            for (name, parent, length) in
                [(arm[0], 1, 1.0), (arm[1], first, 1.0), (arm[2], first + 1, 0.2), (arm[3], first + 1, 0.3)]
            {
                names.push(name);
                parents.push(Some(parent));
                offsets.push(Vec3::x() * side * length);
            }
        }
        (names, parents, offsets)
    }

    fn placed(parents: &[Option<usize>], offsets: &[Vec3]) -> Vec<Vec3> {
        let mut positions: Vec<Vec3> = Vec::new();
        for (parent, offset) in parents.iter().zip(offsets) {
            positions.push(parent.map_or(Vec3::zeros(), |parent| positions[parent]) + offset);
        }
        positions
    }

    #[test]
    fn fingers_are_a_bush_and_arms_are_not() {
        let (names, parents, offsets) = body();
        let branches = Branches::of(&parents, &placed(&parents, &offsets));
        let outside: Vec<&str> =
            names.iter().zip(&branches.is_body).filter(|(_, is)| !**is).map(|(n, _)| *n).collect();
        assert_eq!(outside, ["c", "g"]);
        assert_eq!(branches.leaf_below(0), 5);
        assert!((branches.below[0] - 3.3).abs() < 1e-12);
    }

    #[test]
    fn twists_along_a_bone_are_no_branches() {
        let (_, mut parents, mut offsets) = body();
        // Beside the elbow "b", half way to it and with an end; and one that leaves the arm.
        for (parent, offset) in [(2, Vec3::x() * 0.5), (10, Vec3::x() * 0.1), (2, Vec3::y() * 0.5)] {
            parents.push(Some(parent));
            offsets.push(offset);
        }
        let branches = Branches::of(&parents, &placed(&parents, &offsets));
        assert_eq!(branches.is_body[10..], [false, false, true]);
    }

    #[test]
    fn partners_are_found_without_names() {
        let (names, parents, offsets) = body();
        let branches = Branches::of(&parents, &placed(&parents, &offsets));
        let partners = partners(&names, &parents, &offsets, &branches);
        assert_eq!(partners[..2], [None, None]);
        for (left, right) in [(2, 6), (3, 7), (4, 8), (5, 9)] {
            assert_eq!((partners[left], partners[right]), (Some(right), Some(left)));
        }
    }
}
