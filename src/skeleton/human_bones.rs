//! What VRM calls the bones of a person.

use super::naming::{Finger, Limb, Role, Segment, Side};

/// The bones of a person: name in VRM, role, which of the joints with that role, and whether VRM demands it.
pub const HUMAN_BONES: [(&str, Role, usize, bool); 52] = [
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
    ("leftThumbMetacarpal", Role::Finger(Side::Left, Finger::Thumb, 1), 0, false),
    ("leftThumbProximal", Role::Finger(Side::Left, Finger::Thumb, 2), 0, false),
    ("leftThumbDistal", Role::Finger(Side::Left, Finger::Thumb, 3), 0, false),
    ("leftIndexProximal", Role::Finger(Side::Left, Finger::Index, 1), 0, false),
    ("leftIndexIntermediate", Role::Finger(Side::Left, Finger::Index, 2), 0, false),
    ("leftIndexDistal", Role::Finger(Side::Left, Finger::Index, 3), 0, false),
    ("leftMiddleProximal", Role::Finger(Side::Left, Finger::Middle, 1), 0, false),
    ("leftMiddleIntermediate", Role::Finger(Side::Left, Finger::Middle, 2), 0, false),
    ("leftMiddleDistal", Role::Finger(Side::Left, Finger::Middle, 3), 0, false),
    ("leftRingProximal", Role::Finger(Side::Left, Finger::Ring, 1), 0, false),
    ("leftRingIntermediate", Role::Finger(Side::Left, Finger::Ring, 2), 0, false),
    ("leftRingDistal", Role::Finger(Side::Left, Finger::Ring, 3), 0, false),
    ("leftLittleProximal", Role::Finger(Side::Left, Finger::Little, 1), 0, false),
    ("leftLittleIntermediate", Role::Finger(Side::Left, Finger::Little, 2), 0, false),
    ("leftLittleDistal", Role::Finger(Side::Left, Finger::Little, 3), 0, false),
    ("rightThumbMetacarpal", Role::Finger(Side::Right, Finger::Thumb, 1), 0, false),
    ("rightThumbProximal", Role::Finger(Side::Right, Finger::Thumb, 2), 0, false),
    ("rightThumbDistal", Role::Finger(Side::Right, Finger::Thumb, 3), 0, false),
    ("rightIndexProximal", Role::Finger(Side::Right, Finger::Index, 1), 0, false),
    ("rightIndexIntermediate", Role::Finger(Side::Right, Finger::Index, 2), 0, false),
    ("rightIndexDistal", Role::Finger(Side::Right, Finger::Index, 3), 0, false),
    ("rightMiddleProximal", Role::Finger(Side::Right, Finger::Middle, 1), 0, false),
    ("rightMiddleIntermediate", Role::Finger(Side::Right, Finger::Middle, 2), 0, false),
    ("rightMiddleDistal", Role::Finger(Side::Right, Finger::Middle, 3), 0, false),
    ("rightRingProximal", Role::Finger(Side::Right, Finger::Ring, 1), 0, false),
    ("rightRingIntermediate", Role::Finger(Side::Right, Finger::Ring, 2), 0, false),
    ("rightRingDistal", Role::Finger(Side::Right, Finger::Ring, 3), 0, false),
    ("rightLittleProximal", Role::Finger(Side::Right, Finger::Little, 1), 0, false),
    ("rightLittleIntermediate", Role::Finger(Side::Right, Finger::Little, 2), 0, false),
    ("rightLittleDistal", Role::Finger(Side::Right, Finger::Little, 3), 0, false),
];

/// The role of a bone by its name in VRM 1.0, if the body has a role for it: eyes have none.
pub fn human_role(name: &str) -> Option<Role> {
    HUMAN_BONES.iter().find(|(bone, ..)| *bone == name).map(|&(_, role, ..)| role)
}

/// The same by its name in VRM 0.x, which calls the joints of a thumb as those of other fingers.
pub fn human_role_of_old(name: &str) -> Option<Role> {
    let side = match name {
        "leftThumbProximal" | "leftThumbIntermediate" => Side::Left,
        "rightThumbProximal" | "rightThumbIntermediate" => Side::Right,
        _ => return human_role(name),
    };
    Some(Role::Finger(side, Finger::Thumb, if name.ends_with("Proximal") { 1 } else { 2 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bones_of_the_trunk_share_roles_and_others_have_none() {
        assert_eq!(human_role("upperChest"), Some(Role::Spine));
        assert_eq!(human_role("leftToes"), Some(Role::Limb(Limb::Leg, Side::Left, Segment::Toes)));
        assert_eq!(human_role("leftEye"), None);
        for (name, phalanx, of_old) in [("Metacarpal", 1, 1), ("Proximal", 2, 1), ("Distal", 3, 3)] {
            let name = format!("rightThumb{name}");
            let thumb = |phalanx| Some(Role::Finger(Side::Right, Finger::Thumb, phalanx));
            assert_eq!([human_role(&name), human_role_of_old(&name)], [thumb(phalanx), thumb(of_old)]);
        }
    }
}
