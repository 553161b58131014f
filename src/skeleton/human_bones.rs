//! What VRM calls the bones of a person.

use super::naming::{Limb, Role, Segment, Side};

/// The bones of a person: name in VRM, role, which of the joints with that role, and whether VRM demands it.
pub const HUMAN_BONES: [(&str, Role, usize, bool); 22] = [
    ("hips", Role::Hips, 0, true),
    ("spine", Role::Spine, 0, true),
    ("chest", Role::Spine, 1, false),
    ("upperChest", Role::Spine, 2, false),
    ("neck", Role::Neck, 0, false),
    ("head", Role::Head, 0, true),
    ("leftShoulder", Role::Limb(Limb::Arm, Side::Left, Segment::Girdle), 0, false),
    ("leftUpperArm", Role::Limb(Limb::Arm, Side::Left, Segment::Upper), 0, true),
    ("leftLowerArm", Role::Limb(Limb::Arm, Side::Left, Segment::Lower), 0, true),
    ("leftHand", Role::Limb(Limb::Arm, Side::Left, Segment::End), 0, true),
    ("rightShoulder", Role::Limb(Limb::Arm, Side::Right, Segment::Girdle), 0, false),
    ("rightUpperArm", Role::Limb(Limb::Arm, Side::Right, Segment::Upper), 0, true),
    ("rightLowerArm", Role::Limb(Limb::Arm, Side::Right, Segment::Lower), 0, true),
    ("rightHand", Role::Limb(Limb::Arm, Side::Right, Segment::End), 0, true),
    ("leftUpperLeg", Role::Limb(Limb::Leg, Side::Left, Segment::Upper), 0, true),
    ("leftLowerLeg", Role::Limb(Limb::Leg, Side::Left, Segment::Lower), 0, true),
    ("leftFoot", Role::Limb(Limb::Leg, Side::Left, Segment::End), 0, true),
    ("leftToes", Role::Limb(Limb::Leg, Side::Left, Segment::Toes), 0, false),
    ("rightUpperLeg", Role::Limb(Limb::Leg, Side::Right, Segment::Upper), 0, true),
    ("rightLowerLeg", Role::Limb(Limb::Leg, Side::Right, Segment::Lower), 0, true),
    ("rightFoot", Role::Limb(Limb::Leg, Side::Right, Segment::End), 0, true),
    ("rightToes", Role::Limb(Limb::Leg, Side::Right, Segment::Toes), 0, false),
];

/// The role of a bone by its name in VRM, if the body has a role for it: eyes and fingers have none.
pub fn human_role(name: &str) -> Option<Role> {
    HUMAN_BONES.iter().find(|(bone, ..)| *bone == name).map(|&(_, role, ..)| role)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bones_of_the_trunk_share_roles_and_others_have_none() {
        assert_eq!(human_role("upperChest"), Some(Role::Spine));
        assert_eq!(human_role("leftToes"), Some(Role::Limb(Limb::Leg, Side::Left, Segment::Toes)));
        assert_eq!(human_role("leftEye"), None);
    }
}
