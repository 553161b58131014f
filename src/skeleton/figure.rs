use super::roles::Roles;
use crate::math::{Bounds, Vec3};
use crate::skeleton::fingers::MOST_PHALANGES;
use crate::skeleton::naming::{Finger, Limb, Role, Segment, Side};
use crate::skeleton::{Branches, Skeleton, offsets, partners};
use std::fmt;

/// Joints nearer than this part of the way from wrist to fingertip are one wrist.
const IN_PLACE: f64 = 0.02;

/// A hierarchy of joints standing still: upright on +Y, facing +Z, its left at +X, in any unit.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The joints' names.
    pub names: Vec<String>,
    /// Parents come before their children.
    pub parents: Vec<Option<usize>>,
    /// Where the joints are.
    pub positions: Vec<Vec3>,
    /// Which joints only mark the end of a bone.
    pub is_end: Vec<bool>,
    /// For each joint the one on the other side of the body.
    pub partners: Vec<Option<usize>>,
    /// The coarse shape.
    pub branches: Branches,
    /// What the joints are.
    pub roles: Roles,
}

/// How somebody stands, by which a motion is of a character's kind or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyKind {
    /// On its hind legs, as people do.
    TwoLegged,
    /// On forelegs and hind legs.
    FourLegged,
}

impl fmt::Display for BodyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BodyKind::TwoLegged => "two legs",
            BodyKind::FourLegged => "four legs",
        })
    }
}

/// A joint of a figure, or the end of a bone.
#[derive(Debug, Clone, Copy)]
pub struct FigureNode<'a> {
    /// Its name.
    pub name: &'a str,
    /// Index of the parent, which comes before.
    pub parent: Option<usize>,
    /// Where it is.
    pub position: Vec3,
    /// It only marks the end of a bone. Such a node has no role but that of a tip or a tail.
    pub is_end: bool,
}

impl Figure {
    /// A skeleton in its rest pose.
    pub fn of_skeleton(skeleton: &Skeleton) -> Figure {
        let nodes = skeleton.joints.iter().map(|joint| FigureNode {
            name: &joint.name,
            parent: joint.parent,
            position: joint.position,
            is_end: joint.is_tip,
        });
        let mut figure = Figure::bare(nodes);
        for (partner, joint) in figure.partners.iter_mut().zip(&skeleton.joints) {
            *partner = joint.partner.or(*partner);
        }
        figure.with_roles()
    }

    /// Joints without roles.
    pub(crate) fn bare<'a>(nodes: impl Iterator<Item = FigureNode<'a>>) -> Figure {
        let nodes: Vec<FigureNode> = nodes.collect();
        let names: Vec<&str> = nodes.iter().map(|node| node.name).collect();
        let parents: Vec<Option<usize>> = nodes.iter().map(|node| node.parent).collect();
        let positions: Vec<Vec3> = nodes.iter().map(|node| node.position).collect();
        let branches = Branches::of(&parents, &positions);
        let partners = partners(&names, &parents, &offsets(&parents, &positions), &branches);
        Figure {
            names: names.into_iter().map(str::to_owned).collect(),
            is_end: nodes.iter().map(|node| node.is_end).collect(),
            branches: branches.without_paired_ends(&partners),
            roles: Roles::none(nodes.len()),
            parents,
            positions,
            partners,
        }
    }

    /// The same joints with the roles that they have by name or by geometry.
    pub(crate) fn with_roles(mut self) -> Figure {
        self.roles = super::roles::recognise(&self);
        self
    }

    /// The same with roles that are known for some joints; those of others follow from them.
    pub(crate) fn with_known_roles(mut self, known: &[(usize, Role)]) -> Figure {
        self.roles = super::roles::complete(&self, known);
        self
    }

    /// The first joint with that role, nearest to the root.
    pub fn find(&self, role: Role) -> Option<usize> {
        self.roles.roles.iter().position(|found| *found == Some(role))
    }

    /// A joint of a limb. The fingers of a hand begin, and end, with those of its longest one where each has its own joints.
    pub fn limb(&self, limb: Limb, side: Side, segment: Segment) -> Option<usize> {
        self.find(Role::Limb(limb, side, segment)).or_else(|| match (limb, segment) {
            (Limb::Arm, Segment::Toes | Segment::Tip) => self.longest_finger(side, segment),
            _ => None,
        })
    }

    /// The first joint of the longest finger, or its last one if that follows.
    fn longest_finger(&self, side: Side, segment: Segment) -> Option<usize> {
        let heir = |joint: usize| self.branches.heir[joint].filter(|&next| self.is_of_finger(next));
        let first = heir(self.find(Role::Limb(Limb::Arm, side, Segment::End))?)?;
        // Where an end is known, that is the tip.
        let is_last = |joint: usize| self.branches.children[joint].is_empty();
        match (segment, is_last(first)) {
            (Segment::Toes, false) | (Segment::Tip, true) => Some(first),
            (Segment::Tip, false) => heir(first).filter(|&next| is_last(next)),
            _ => None,
        }
    }

    /// The joints of a finger from the knuckle outwards.
    pub fn phalanges(&self, side: Side, finger: Finger) -> Vec<usize> {
        (1..=MOST_PHALANGES).map_while(|phalanx| self.find(Role::Finger(side, finger, phalanx))).collect()
    }

    /// The joint that carries the fingers of an arm: the hand, or one behind it in the same place.
    pub fn palm(&self, side: Side) -> Option<usize> {
        let hand = self.find(Role::Limb(Limb::Arm, side, Segment::End))?;
        let knuckle = |finger: &Finger| self.find(Role::Finger(side, *finger, 1));
        let first = Finger::OF_PALM.iter().chain([&Finger::All]).find_map(knuckle);
        let above = first.and_then(|first| self.parents[first]);
        above.filter(|&above| self.is_in_hand(hand, above)).or(Some(hand))
    }

    /// Whether a joint hangs on a hand in the same place.
    pub(super) fn is_in_hand(&self, hand: usize, joint: usize) -> bool {
        let apart = (self.positions[joint] - self.positions[hand]).norm();
        self.parents[joint] == Some(hand)
            && !self.is_leaf(joint)
            && apart < IN_PLACE * self.branches.below[hand]
    }

    /// Whether a joint is one of a finger.
    pub fn is_of_finger(&self, joint: usize) -> bool {
        matches!(self.roles.roles[joint], Some(Role::Finger(..)))
    }

    /// The limbs on which it stands, each by its kind and side: two or four. Legs without length carry nobody.
    pub fn legs(&self) -> Vec<(Limb, Side)> {
        let mut legs = Vec::new();
        for limb in [Limb::FrontLeg, Limb::Leg] {
            for side in [Side::Left, Side::Right] {
                if self.limb(limb, side, Segment::Upper).is_some()
                    && self.limb(limb, side, Segment::Lower).is_some()
                    && self.length_of_leg(limb, side) > 0.0
                {
                    legs.push((limb, side));
                }
            }
        }
        legs
    }

    /// Length of a leg, hip to knee to ankle, the mean over the legs: the unit of all thresholds. Without legs it is what
    /// is above the hips, which of most bodies is as much.
    pub fn leg_length(&self) -> f64 {
        let legs = self.legs();
        if legs.is_empty() {
            let bounds = Bounds::of(&self.positions);
            let half = 0.5 * bounds.extent().y;
            return self
                .find(Role::Hips)
                .map_or(half, |hips| half.max(bounds.max.y - self.positions[hips].y));
        }
        let lengths = legs.iter().map(|&(limb, side)| self.length_of_leg(limb, side));
        lengths.sum::<f64>() / legs.len() as f64
    }

    /// From hip to knee to ankle.
    fn length_of_leg(&self, limb: Limb, side: Side) -> f64 {
        let chain = self.limb_chain(limb, side);
        let is_leg =
            |joint: &usize| (Some(Segment::Upper)..=Some(Segment::End)).contains(&self.segment(*joint));
        let joints: Vec<usize> = chain.into_iter().filter(is_leg).collect();
        joints.windows(2).map(|pair| (self.positions[pair[1]] - self.positions[pair[0]]).norm()).sum()
    }

    /// The joints of a limb from the trunk outwards.
    pub fn limb_chain(&self, limb: Limb, side: Side) -> Vec<usize> {
        let mut chain: Vec<usize> = (0..self.positions.len())
            .filter(|&joint| {
                self.roles.roles[joint].and_then(Role::limb).is_some_and(|(l, s, _)| (l, s) == (limb, side))
            })
            .collect();
        chain.sort_by_key(|&joint| (self.segment(joint), joint));
        chain
    }

    /// Which part of its limb a joint is.
    pub(crate) fn segment(&self, joint: usize) -> Option<Segment> {
        self.roles.roles[joint].and_then(Role::limb).map(|(_, _, segment)| segment)
    }

    /// What kind of body it is. `None` for one that stands on no legs, and for one with arms and forelegs: any motion may be
    /// meant for those.
    pub fn body(&self) -> Option<BodyKind> {
        let has = |limb| self.limb(limb, Side::Left, Segment::Upper).is_some();
        match (has(Limb::Leg), has(Limb::FrontLeg), has(Limb::Arm)) {
            (true, false, _) => Some(BodyKind::TwoLegged),
            (true, true, false) => Some(BodyKind::FourLegged),
            _ => None,
        }
    }

    /// Whether it has forelegs.
    pub fn is_quadruped(&self) -> bool {
        self.find(Role::Limb(Limb::FrontLeg, Side::Left, Segment::Upper)).is_some()
    }
}
