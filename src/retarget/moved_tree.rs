//! What the joints of a character move with.
//!
//! That is the tree of its rig, but for feet that are bones of their own: those go with the leg that they end, wherever they hang.

use crate::skeleton::Figure;

/// Part of a shin within which a leaf of the leg is where the foot is.
const AT_FOOT: f64 = 0.1;

/// For each joint the one that it moves with.
#[derive(Debug, Clone)]
pub(super) struct MovedTree {
    parents: Vec<Option<usize>>,
    order: Vec<usize>,
}

impl MovedTree {
    /// Of the first joints of a figure, those that are no tips.
    pub fn of(figure: &Figure, joints: usize) -> MovedTree {
        let mut parents: Vec<Option<usize>> = figure.parents[..joints].to_vec();
        for (foot, last) in figure.separate_feet() {
            if foot < joints && last < joints {
                parents[foot] = Some(last);
                let at_foot = |leaf: usize| {
                    let shin = figure.positions[foot] - figure.positions[last];
                    (figure.positions[leaf] - figure.positions[foot]).norm() < AT_FOOT * shin.norm()
                };
                // The leaf of the leg is the foot, too, if it moves anything.
                for leaf in (0..joints).filter(|&leaf| figure.parents[leaf] == Some(last)) {
                    if figure.is_leaf(leaf) && at_foot(leaf) {
                        parents[leaf] = Some(foot);
                    }
                }
            }
        }
        let order = parents_first(&parents);
        MovedTree { parents, order }
    }

    /// The joint that a joint moves with.
    pub fn parent(&self, joint: usize) -> Option<usize> {
        self.parents[joint]
    }

    /// All joints, each behind the one that it moves with.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Whether a joint is another one or moves with it.
    pub fn is_below(&self, joint: usize, above: usize) -> bool {
        std::iter::successors(Some(joint), |&joint| self.parents[joint]).any(|ancestor| ancestor == above)
    }

    /// The joint and everything that moves with it, in order.
    pub fn subtree(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        self.order.iter().copied().filter(move |&other| self.is_below(other, joint))
    }
}

/// The joints in the order of their numbers, but each behind its parent.
fn parents_first(parents: &[Option<usize>]) -> Vec<usize> {
    let mut is_placed = vec![false; parents.len()];
    let mut order = Vec::with_capacity(parents.len());
    for joint in 0..parents.len() {
        let above = std::iter::successors(Some(joint), |&joint| parents[joint]);
        let mut waiting: Vec<usize> = above.take_while(|&joint| !is_placed[joint]).collect();
        while let Some(next) = waiting.pop() {
            is_placed[next] = true;
            order.push(next);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_first_and_the_rest_keeps_its_order() {
        assert_eq!(parents_first(&[None, Some(0), Some(1), Some(0)]), [0, 1, 2, 3]);
        assert_eq!(parents_first(&[None, Some(4), Some(1), Some(0), Some(3)]), [0, 3, 4, 1, 2]);
    }
}
