//! The segments of a body: what moves as one if nothing of it bends.
//!
//! Trunk, head, upper arm, forearm, hand, thigh, shin and foot. Neck and head are one segment, and so are foot and toes: artists move a
//! piece around both with one joint. Collar bones and the bars from the pelvis to the hips lie in the trunk and say nothing: thighs and
//! pauldrons reach into it.

use super::fitted::FittedSkeleton;
use crate::math::Vec3;
use crate::skeleton::naming::{Role, Segment as LimbSegment};
use crate::skeleton::{Joint, Skeleton};
use crate::skin::bones::Bone;

/// A segment of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct BodySegment {
    /// The joint that moves it.
    pub joint: usize,
    /// The segment above it; the trunk has none.
    pub parent: Option<usize>,
    /// Its bones, from the trunk outwards.
    pub bones: Vec<Bone>,
    /// Whether it belongs to an arm or a leg.
    pub is_limb: bool,
}

/// The segments of a fitted skeleton. The first is the trunk.
#[derive(Debug, Clone, PartialEq)]
pub struct Segments {
    /// The segments, parents first.
    pub list: Vec<BodySegment>,
    /// The segment of each joint.
    pub of_joint: Vec<usize>,
}

/// The index of the trunk.
pub const TRUNK: usize = 0;

impl Segments {
    /// Divides a skeleton; limbs of which a joint does not exist are no segments.
    pub fn of(fitted: &FittedSkeleton, exists: impl Fn(usize) -> bool) -> Segments {
        let joints = &fitted.skeleton.joints;
        let mut segments = Segments {
            list: vec![BodySegment { joint: 0, parent: None, bones: Vec::new(), is_limb: false }],
            of_joint: Vec::with_capacity(joints.len()),
        };
        for (index, joint) in joints.iter().enumerate() {
            let above = joint.parent.map_or(TRUNK, |parent| segments.of_joint[parent]);
            let begins = begins_segment(fitted.skeleton, joint) && exists(index);
            let own = if begins { segments.add(index, above, joint) } else { above };
            segments.of_joint.push(own);
        }
        for (index, joint) in joints.iter().enumerate() {
            let Some(parent) = joint.parent else { continue };
            let (from, to): (Vec3, Vec3) = (fitted.joints[parent], fitted.joints[index]);
            if from != to && !is_bar(&joints[parent], joint) {
                segments.list[segments.of_joint[parent]].bones.push(Bone { owner: parent, from, to });
            }
        }
        segments
    }

    /// The first segment of the limb of a segment; itself for the trunk and the head.
    pub fn limb_of(&self, mut index: usize) -> usize {
        while let Some(parent) = self.list[index].parent.filter(|&parent| self.list[parent].is_limb) {
            index = parent;
        }
        index
    }

    /// The second segment of each limb: forearms and shins.
    pub fn middles(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.list.len()).filter(|&index| {
            let first = self.list[index].parent.filter(|&parent| self.list[parent].is_limb);
            self.list[index].is_limb && first.is_some_and(|first| self.limb_of(first) == first)
        })
    }

    fn add(&mut self, index: usize, parent: usize, joint: &Joint) -> usize {
        let is_limb = joint.partner.is_some();
        self.list.push(BodySegment { joint: index, parent: Some(parent), bones: Vec::new(), is_limb });
        self.list.len() - 1
    }
}

/// Whether a segment begins with a joint: elbows, wrists and their kin, the lowest joint of the neck, joints of a tail.
fn begins_segment(skeleton: &Skeleton, joint: &Joint) -> bool {
    if joint.is_tip {
        return false;
    }
    let above = joint.parent.and_then(|parent| skeleton.joints[parent].role);
    match joint.role {
        Some(Role::Limb(_, _, segment)) => {
            !matches!(segment, LimbSegment::Girdle | LimbSegment::Toes | LimbSegment::Tip)
        }
        Some(Role::Neck | Role::Head) => !matches!(above, Some(Role::Neck)),
        Some(Role::Tail) => true,
        Some(Role::Hips | Role::Spine | Role::HeadTip | Role::Finger(..)) => false,
        None => joint.partner.is_some(),
    }
}

/// Whether a bone is a bar from the trunk to where a limb or a tail begins, or a collar bone.
fn is_bar(upper: &Joint, lower: &Joint) -> bool {
    let is_trunk = matches!(upper.role, Some(Role::Hips | Role::Spine) | None) && upper.partner.is_none();
    let is_girdle = matches!(upper.role, Some(Role::Limb(_, _, LimbSegment::Girdle)));
    is_girdle || is_trunk && matches!(lower.role, Some(Role::Limb(..) | Role::Tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_has_fourteen_segments_with_the_trunk_first() {
        let human = Skeleton::human();
        let joints: Vec<Vec3> = human.joints.iter().map(|joint| joint.position).collect();
        let fitted = FittedSkeleton { skeleton: &human, joints: &joints, height: 1.0, plane: None };
        let segments = Segments::of(&fitted, |_| true);
        let names: Vec<&str> = segments.list.iter().map(|s| human.joints[s.joint].name.as_str()).collect();
        assert_eq!(names.len(), 14, "{names:?}");
        let find = |name: &str| segments.of_joint[human.find(name).unwrap()];
        assert_eq!(find("Head"), find("Neck"));
        assert_eq!(find("LeftToes"), find("LeftFoot"));
        assert_eq!((find("UpperChest"), find("LeftShoulder")), (TRUNK, TRUNK));
        assert_eq!(segments.list[find("LeftLowerArm")].parent, Some(find("LeftUpperArm")));
        assert_eq!(segments.list[find("LeftUpperLeg")].parent, Some(TRUNK));
        // The spine, without the bars to hips and shoulders.
        assert_eq!(segments.list[TRUNK].bones.len(), 4);
    }
}
