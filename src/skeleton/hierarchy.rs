//! A tree of joints: what skeletons, rigs and motions have in common.

use std::ops::{Deref, DerefMut};

/// A joint of some kind of [`Hierarchy`].
pub trait TreeJoint {
    /// Its name, unique in its hierarchy.
    fn name(&self) -> &str;
    /// Index of the parent, which is smaller; `None` for a root.
    fn parent(&self) -> Option<usize>;
}

/// Joints, parents before children, each with what a skeleton, a rig or a motion knows of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy<J>(Vec<J>);

impl<J: TreeJoint> Hierarchy<J> {
    /// The index of the joint of that name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.iter().position(|joint| joint.name() == name)
    }

    /// Appends a joint, whose parent must be there already; returns its index.
    pub fn push(&mut self, joint: J) -> usize {
        debug_assert!(joint.parent().is_none_or(|parent| parent < self.len()), "parents come first");
        self.0.push(joint);
        self.len() - 1
    }

    /// The parent of each joint.
    pub fn parents(&self) -> Vec<Option<usize>> {
        self.iter().map(TreeJoint::parent).collect()
    }

    /// The names of the joints.
    pub fn names(&self) -> Vec<&str> {
        self.iter().map(TreeJoint::name).collect()
    }

    /// The children of each joint.
    pub fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.len()];
        for (index, joint) in self.iter().enumerate() {
            if let Some(parent) = joint.parent() {
                children[parent].push(index);
            }
        }
        children
    }

    /// The first child of a joint.
    pub fn first_child(&self, joint: usize) -> Option<usize> {
        self.iter().position(|other| other.parent() == Some(joint))
    }

    /// The joint itself and everything above it, up to the root.
    pub fn ancestors(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(joint), |&joint| self[joint].parent())
    }

    /// Whether a joint is another one or hangs on it.
    pub fn is_below(&self, joint: usize, above: usize) -> bool {
        // Parents have smaller indices, so that the walk ends early.
        self.ancestors(joint).take_while(|&ancestor| ancestor >= above).any(|ancestor| ancestor == above)
    }

    /// The joint and everything that hangs on it, in order.
    pub fn subtree(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        (joint..self.len()).filter(move |&other| self.is_below(other, joint))
    }

    /// The lowest joint that each of two is or hangs on; `None` if they are in different trees.
    pub fn common_ancestor(&self, a: usize, b: usize) -> Option<usize> {
        self.ancestors(a).find(|&above| self.is_below(b, above))
    }

    /// Steps along the tree from one joint to another; `None` if they are in different trees.
    pub fn steps_between(&self, a: usize, b: usize) -> Option<usize> {
        let top = self.common_ancestor(a, b)?;
        let steps = |joint: usize| self.ancestors(joint).take_while(|&above| above != top).count();
        Some(steps(a) + steps(b))
    }

    /// What breaks the promises of this type, for the tests of readers.
    pub fn broken_invariant(&self) -> Option<&'static str> {
        let mut names = self.names();
        names.sort_unstable();
        if self.is_empty() {
            Some("there are joints")
        } else if !self.parents().iter().enumerate().all(|(joint, p)| p.map_or(joint == 0, |p| p < joint)) {
            Some("parents come first and there is one root")
        } else if names.windows(2).any(|pair| pair[0] == pair[1]) {
            Some("names are unique")
        } else {
            None
        }
    }
}

impl<J> Default for Hierarchy<J> {
    fn default() -> Hierarchy<J> {
        Hierarchy(Vec::new())
    }
}

impl<J> From<Vec<J>> for Hierarchy<J> {
    fn from(joints: Vec<J>) -> Hierarchy<J> {
        Hierarchy(joints)
    }
}

impl<J> FromIterator<J> for Hierarchy<J> {
    fn from_iter<I: IntoIterator<Item = J>>(joints: I) -> Hierarchy<J> {
        Hierarchy(joints.into_iter().collect())
    }
}

impl<J> Deref for Hierarchy<J> {
    type Target = [J];

    fn deref(&self) -> &[J] {
        &self.0
    }
}

impl<J> DerefMut for Hierarchy<J> {
    fn deref_mut(&mut self) -> &mut [J] {
        &mut self.0
    }
}

impl<'a, J> IntoIterator for &'a Hierarchy<J> {
    type Item = &'a J;
    type IntoIter = std::slice::Iter<'a, J>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a, J> IntoIterator for &'a mut Hierarchy<J> {
    type Item = &'a mut J;
    type IntoIter = std::slice::IterMut<'a, J>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Named(String, Option<usize>);

    impl TreeJoint for Named {
        fn name(&self) -> &str {
            &self.0
        }

        fn parent(&self) -> Option<usize> {
            self.1
        }
    }

    /// 0 ─ 1 ─ 2, 1 ─ 3 ─ 4, 0 ─ 5.
    fn tree() -> Hierarchy<Named> {
        let parents = [None, Some(0), Some(1), Some(1), Some(3), Some(0)];
        parents.iter().enumerate().map(|(index, parent)| Named(format!("j{index}"), *parent)).collect()
    }

    #[test]
    fn a_tree_knows_who_hangs_on_whom() {
        let tree = tree();
        assert_eq!(tree.children(), [vec![1, 5], vec![2, 3], vec![], vec![4], vec![], vec![]]);
        assert_eq!(tree.ancestors(4).collect::<Vec<_>>(), [4, 3, 1, 0]);
        assert_eq!(tree.subtree(1).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert!(tree.is_below(4, 1) && tree.is_below(1, 1) && !tree.is_below(1, 4) && !tree.is_below(5, 1));
        assert_eq!((tree.common_ancestor(2, 4), tree.common_ancestor(4, 5)), (Some(1), Some(0)));
        assert_eq!((tree.common_ancestor(3, 4), tree.steps_between(2, 4)), (Some(3), Some(3)));
        assert_eq!((tree.find("j3"), tree.first_child(1), tree.first_child(2)), (Some(3), Some(2), None));
        assert_eq!(tree.broken_invariant(), None);
    }
}
