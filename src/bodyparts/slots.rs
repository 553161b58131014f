//! The parts of a body, and which joint belongs to which: trunk, head, tail and each limb.

use crate::math::Vec3;
use crate::rig::SkinWeights;
use crate::skeleton::naming::{Limb, Role, Segment, Side};
use std::collections::BTreeMap;
use std::fmt;

/// A part of a body that comes from one character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// Hips, back and collar bones.
    Trunk,
    /// Neck and head.
    Head,
    /// The tail.
    Tail,
    /// A limb from its first bend on, with its fingers.
    Limb(Limb, Side),
}

impl Slot {
    /// The part of a joint that has that role.
    pub fn of_role(role: Role) -> Slot {
        match role {
            Role::Hips | Role::Spine | Role::Limb(_, _, Segment::Girdle) => Slot::Trunk,
            Role::Neck | Role::Head | Role::HeadTip => Slot::Head,
            Role::Tail => Slot::Tail,
            Role::Limb(limb, side, _) => Slot::Limb(limb, side),
            Role::Finger(side, ..) => Slot::Limb(Limb::Arm, side),
        }
    }

    /// The parts that a word names: `trunk`, `head`, `tail`, `left-arm`, or `arms` for both.
    pub fn named(word: &str) -> Vec<Slot> {
        let limbs = [Limb::Arm, Limb::FrontLeg, Limb::Leg].into_iter();
        let limbs = limbs.flat_map(|limb| [Side::Left, Side::Right].map(|side| Slot::Limb(limb, side)));
        let all = [Slot::Trunk, Slot::Head, Slot::Tail].into_iter().chain(limbs);
        let is_meant = |slot: &Slot| {
            let own = slot.to_string();
            let both = own.strip_prefix("left-").or(own.strip_prefix("right-"));
            own == word || both.is_some_and(|limb| word.strip_suffix('s') == Some(limb))
        };
        all.filter(is_meant).collect()
    }

    /// Both limbs of a kind are of one character, as an artist makes them.
    pub fn pair(self) -> Slot {
        match self {
            Slot::Limb(limb, _) => Slot::Limb(limb, Side::Left),
            slot => slot,
        }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Slot::Limb(limb, side) = self else { return f.write_str(&format!("{self:?}").to_lowercase()) };
        let side = format!("{side:?}").to_lowercase();
        let limb = match limb {
            Limb::Arm => "arm",
            Limb::FrontLeg => "front-leg",
            Limb::Leg => "leg",
        };
        write!(f, "{side}-{limb}")
    }
}

/// Joints, surface and weights of one character, of a library or to be rigged.
pub(super) struct Body<'a> {
    /// The parent of each joint, which comes before.
    pub parents: Vec<Option<usize>>,
    /// What each joint is.
    pub roles: Vec<Option<Role>>,
    /// Where each joint is.
    pub places: Vec<Vec3>,
    /// The vertices of the surface.
    pub positions: Vec<Vec3>,
    /// Its triangles.
    pub triangles: &'a [[u32; 3]],
    /// Its weights by the joints.
    pub weights: &'a SkinWeights,
    /// For each joint the nearest one, itself or above, that bears the body; hips for what is above them.
    pub segments: Vec<usize>,
    /// For each joint its part.
    pub slots: Vec<Slot>,
    /// Where joints with roles and ends of limbs are.
    pub tags: BTreeMap<Role, Vec3>,
}

/// Joints, with what they are and where.
pub(super) struct BodyJoints {
    pub parents: Vec<Option<usize>>,
    pub roles: Vec<Option<Role>>,
    pub places: Vec<Vec3>,
}

/// Whether joints of that role bear the body. Fingers move with the hand on characters without any.
fn bears(role: Role) -> bool {
    let is_end = matches!(
        role,
        Role::HeadTip
            | Role::Finger(..)
            | Role::Limb(Limb::Arm, _, Segment::Toes)
            | Role::Limb(_, _, Segment::Tip)
    );
    !is_end
}

impl<'a> Body<'a> {
    /// `None` without hips.
    pub fn of(
        joints: BodyJoints,
        positions: Vec<Vec3>,
        triangles: &'a [[u32; 3]],
        weights: &'a SkinWeights,
    ) -> Option<Body<'a>> {
        let BodyJoints { parents, roles, places } = joints;
        let hips = roles.iter().position(|role| *role == Some(Role::Hips))?;
        let mut segments: Vec<usize> = Vec::with_capacity(roles.len());
        for (joint, role) in roles.iter().enumerate() {
            let own = role.filter(|role| bears(*role)).map(|_| joint);
            let above = parents[joint].map(|parent| segments[parent]);
            segments.push(own.or(above).unwrap_or(hips));
        }
        let slot_of = |joint: &usize| roles[*joint].map_or(Slot::Trunk, Slot::of_role);
        let slots = segments.iter().map(slot_of).collect();
        let mut tags = BTreeMap::new();
        for (role, place) in roles.iter().zip(&places) {
            if let Some(role) = role.filter(|role| bears(*role)) {
                tags.entry(role).or_insert(*place);
            }
        }
        let mut body = Body { parents, roles, places, positions, triangles, weights, segments, slots, tags };
        body.add_tips();
        Some(body)
    }

    /// The first joint with a role.
    pub fn find(&self, role: Role) -> Option<usize> {
        self.roles.iter().position(|found| *found == Some(role))
    }

    /// The parts that it has.
    pub fn parts(&self) -> Vec<Slot> {
        let mut parts: Vec<Slot> =
            self.tags.keys().filter(|role| bears(**role)).map(|role| Slot::of_role(*role)).collect();
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    /// The share of each vertex that moves with the joints of a part.
    pub fn shares(&self, slot: Slot) -> Vec<f64> {
        let share = |vertex| {
            let own = self.weights.of(vertex).filter(|(joint, _)| self.slots[*joint] == slot);
            own.map(|(_, weight)| weight).fold(0.0, |sum, weight| sum + weight)
        };
        (0..self.positions.len()).map(share).collect()
    }

    /// Ends of head, hands and feet, read off the surface: artists put joints there at will, or none.
    fn add_tips(&mut self) {
        let mut tips: Vec<(Role, Vec3)> = Vec::new();
        if let Some(head) = self.tags.get(&Role::Head) {
            tips.extend(self.tip(Role::Head, *head, Vec3::y()).map(|tip| (Role::HeadTip, tip)));
        }
        for (limb, side) in [Limb::Arm, Limb::FrontLeg, Limb::Leg]
            .into_iter()
            .flat_map(|limb| [Side::Left, Side::Right].map(|side| (limb, side)))
        {
            let at = |segment| self.tags.get(&Role::Limb(limb, side, segment)).copied();
            let (Some(lower), Some(end)) = (at(Segment::Lower), at(Segment::End)) else { continue };
            let along = if limb == Limb::Arm { end - lower } else { Vec3::z() };
            let tip = self.tip(Role::Limb(limb, side, Segment::End), end, along);
            tips.extend(tip.map(|tip| (Role::Limb(limb, side, Segment::Tip), tip)));
        }
        self.tags.extend(tips);
    }

    /// How far the vertices of a segment and what hangs on it reach along a direction.
    fn tip(&self, role: Role, from: Vec3, along: Vec3) -> Option<Vec3> {
        let along = along.try_normalize(0.0)?;
        let top = self.find(role)?;
        let mut is_below = vec![false; self.parents.len()];
        for joint in top..self.parents.len() {
            is_below[joint] = joint == top || self.parents[joint].is_some_and(|parent| is_below[parent]);
        }
        let is_own = |vertex: &usize| {
            let own = self.weights.of(*vertex).filter(|(joint, _)| is_below[*joint]);
            own.map(|(_, weight)| weight).fold(0.0, |sum, weight| sum + weight) > 0.5
        };
        let reaches = (0..self.positions.len()).filter(is_own);
        let reach = reaches.map(|vertex| (self.positions[vertex] - from).dot(&along)).fold(0.0, f64::max);
        (reach > 0.0).then(|| from + along * reach)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collar_bones_are_of_the_trunk_and_fingers_of_the_arm() {
        let girdle = Role::Limb(Limb::Arm, Side::Left, Segment::Girdle);
        assert_eq!(Slot::of_role(girdle), Slot::Trunk);
        let finger = Role::Finger(Side::Right, crate::skeleton::naming::Finger::Thumb, 2);
        assert_eq!(Slot::of_role(finger), Slot::Limb(Limb::Arm, Side::Right));
        assert_eq!(Slot::of_role(finger).to_string(), "right-arm");
        assert_eq!(Slot::Trunk.to_string(), "trunk");
    }

    #[test]
    fn words_name_one_part_or_both_of_a_pair() {
        let arms = [Side::Left, Side::Right].map(|side| Slot::Limb(Limb::Arm, side));
        assert_eq!(Slot::named("arms"), arms);
        assert_eq!(Slot::named("left-arm"), arms[..1]);
        assert_eq!((Slot::named("head").len(), Slot::named("front-legs").len()), (1, 2));
        assert!(Slot::named("wing").is_empty() && Slot::named("").is_empty());
    }
}
