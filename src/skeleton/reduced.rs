//! The joints that matter for the embedding, with the map back to all joints.
//!
//! Baran & Popović 2007, section 3.2: bones in a row are merged into one, because the search need not know where a
//! knee is while it looks for a leg. Kept are the root and every joint where the tree ends or branches. Different
//! from the original, the joints of a merged chain may stand anywhere in the list.

use super::Skeleton;
use crate::math::Vec3;

/// A [`Skeleton`] with its chains of bones merged.
///
/// Invariants: the first joint is the root, parents come before their children, joints keep the order that they have
/// in the skeleton.
#[derive(Debug, Clone, PartialEq)]
pub struct ReducedSkeleton {
    /// The kept joints.
    pub joints: Vec<ReducedJoint>,
    /// How many joints the skeleton has.
    pub full_count: usize,
}

/// A joint of a [`ReducedSkeleton`]. "Joint" without a word before it means an index into the reduced joints, "full
/// joint" one into those of the skeleton.
#[derive(Debug, Clone, PartialEq)]
pub struct ReducedJoint {
    /// The full joint.
    pub full: usize,
    /// The nearest kept ancestor; `None` for the root.
    pub parent: Option<usize>,
    /// Rest position, in the space and scale of the skeleton.
    pub position: Vec3,
    /// Length of the merged bone: the sum over its chain.
    pub length: f64,
    /// The full joints from behind the parent up to and including this one; empty for the root.
    pub chain: Vec<ChainJoint>,
    /// The joint on the other side of the body.
    pub partner: Option<usize>,
    /// It stands on the ground.
    pub is_foot: bool,
    /// It lies in a thick part of the body.
    pub is_torso: bool,
    /// It has one neighbour only: the end of a limb.
    pub is_limb: bool,
}

/// A full joint of a merged bone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChainJoint {
    /// The full joint.
    pub full: usize,
    /// Length of the bone that ends here, as a part of the merged bone.
    pub fraction: f64,
    /// From the full joint before it, in the rest pose.
    pub bone: Vec3,
}

impl ReducedSkeleton {
    /// Merges the chains of `skeleton`.
    pub fn of(skeleton: &Skeleton) -> ReducedSkeleton {
        let degree = degrees(skeleton.joints.iter().map(|joint| joint.parent));
        let kept: Vec<usize> = (0..degree.len()).filter(|&full| full == 0 || degree[full] != 2).collect();
        let reduced_of = |full: usize| kept.binary_search(&full).ok();
        let mut joints: Vec<ReducedJoint> = kept
            .iter()
            .map(|&full| {
                let joint = &skeleton.joints[full];
                let (chain, length, parent) = chain_above(skeleton, full, |full| reduced_of(full).is_some());
                ReducedJoint {
                    full,
                    parent: parent.and_then(reduced_of),
                    position: joint.position,
                    length,
                    chain,
                    partner: joint.partner.and_then(reduced_of),
                    is_foot: joint.is_foot,
                    is_torso: joint.is_torso,
                    is_limb: false,
                }
            })
            .collect();
        let neighbors = degrees(joints.iter().map(|joint| joint.parent));
        for (joint, neighbors) in joints.iter_mut().zip(neighbors) {
            joint.is_limb = neighbors == 1;
        }
        ReducedSkeleton { joints, full_count: skeleton.joints.len() }
    }

    /// The same skeleton with all positions and lengths multiplied.
    #[must_use]
    pub fn scaled(&self, scale: f64) -> ReducedSkeleton {
        let mut scaled = self.clone();
        for joint in &mut scaled.joints {
            joint.position *= scale;
            joint.length *= scale;
            joint.chain.iter_mut().for_each(|link| link.bone *= scale);
        }
        scaled
    }

    /// Where a full joint went: the joint whose chain holds it, and its index in the chain. The root is in no chain.
    pub fn find(&self, full: usize) -> Option<(usize, usize)> {
        self.joints.iter().enumerate().find_map(|(joint, reduced)| {
            Some((joint, reduced.chain.iter().position(|link| link.full == full)?))
        })
    }
}

/// How many neighbours each joint has in the tree.
fn degrees(parents: impl ExactSizeIterator<Item = Option<usize>>) -> Vec<usize> {
    let mut degrees = vec![0; parents.len()];
    for (joint, parent) in parents.enumerate().filter_map(|(joint, parent)| Some((joint, parent?))) {
        degrees[joint] += 1;
        degrees[parent] += 1;
    }
    degrees
}

/// The chain that ends in a kept joint, its length, and the kept full joint above it.
fn chain_above(
    skeleton: &Skeleton,
    end: usize,
    is_kept: impl Fn(usize) -> bool,
) -> (Vec<ChainJoint>, f64, Option<usize>) {
    let mut chain = Vec::new();
    let mut full = end;
    let top = loop {
        let joint = &skeleton.joints[full];
        let Some(parent) = joint.parent else { break None };
        chain.push(ChainJoint {
            full,
            fraction: 0.0,
            bone: joint.position - skeleton.joints[parent].position,
        });
        if is_kept(parent) {
            break Some(parent);
        }
        full = parent;
    };
    chain.reverse();
    let length: f64 = chain.iter().map(|link| link.bone.norm()).sum();
    let count = chain.len() as f64;
    for link in &mut chain {
        // A chain without length, as a hand-written file may have it, is divided evenly.
        link.fraction = if length > 0.0 { link.bone.norm() / length } else { 1.0 / count };
    }
    (chain, length, top)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    fn names(skeleton: &Skeleton, reduced: &ReducedSkeleton) -> Vec<String> {
        reduced.joints.iter().map(|joint| skeleton.joints[joint.full].name.clone()).collect()
    }

    #[test]
    fn the_human_has_seven_joints_that_matter() {
        let human = Skeleton::human();
        let reduced = ReducedSkeleton::of(&human);
        assert_eq!(
            names(&human, &reduced),
            ["Hips", "UpperChest", "HeadTop", "LeftHandTip", "RightHandTip", "LeftToeTip", "RightToeTip"]
        );
        let parents: Vec<_> = reduced.joints.iter().map(|joint| joint.parent).collect();
        assert_eq!(parents, [None, Some(0), Some(1), Some(1), Some(1), Some(0), Some(0)]);
        let partners: Vec<_> = reduced.joints.iter().map(|joint| joint.partner).collect();
        assert_eq!(partners, [None, None, None, Some(4), Some(3), Some(6), Some(5)]);
        assert!((reduced.joints[1].length - 0.21).abs() < 1e-12);
        assert_eq!(reduced.joints[3].chain.len(), 5);
        assert_eq!(reduced.find(human.find("LeftLowerLeg").unwrap()), Some((5, 1)));
        assert_eq!(reduced.find(0), None);
    }

    #[test]
    fn every_built_in_joint_is_in_one_chain_and_fractions_sum_to_one() {
        for file in built_in() {
            let skeleton = skeleton_file::read(file.text).unwrap();
            let reduced = ReducedSkeleton::of(&skeleton);
            let mut seen = vec![0; skeleton.joints.len()];
            seen[0] += 1;
            for (index, joint) in reduced.joints.iter().enumerate().skip(1) {
                let parent = &reduced.joints[joint.parent.unwrap()];
                assert!(joint.parent.unwrap() < index);
                assert!((joint.chain.iter().map(|link| link.fraction).sum::<f64>() - 1.0).abs() < 1e-12);
                let span: Vec3 = joint.chain.iter().map(|link| link.bone).sum();
                assert!((parent.position + span - joint.position).norm() < 1e-12);
                joint.chain.iter().for_each(|link| seen[link.full] += 1);
                assert_eq!(joint.is_limb, skeleton.joints[joint.full].is_tip);
            }
            assert!(seen.iter().all(|&count| count == 1), "{}", file.name);
        }
    }

    #[test]
    fn scale_changes_lengths_and_keeps_fractions() {
        let horse = ReducedSkeleton::of(&Skeleton::horse());
        let scaled = horse.scaled(0.5);
        for (joint, half) in horse.joints.iter().zip(&scaled.joints) {
            assert_eq!(half.length, 0.5 * joint.length);
            assert!(joint.chain.iter().zip(&half.chain).all(|(a, b)| a.fraction == b.fraction));
        }
    }

    #[test]
    fn a_chain_without_length_is_divided_evenly() {
        let text = "puppetry-skeleton 1\nname small\njoint a - 0 0 0\njoint b a 0 0 0\njoint c b 0 0 0";
        let reduced = ReducedSkeleton::of(&skeleton_file::read(text).unwrap());
        assert_eq!(reduced.joints.len(), 2);
        assert_eq!(reduced.joints[1].chain[0].fraction, 0.5);
        assert!(reduced.joints[0].is_limb);
    }
}
