//! The bones of a person, by what its joints are.

use super::figure_of;
use crate::rig::Rig;
use crate::skeleton::naming::{Limb, Role, Segment, Side};
use thiserror::Error;

/// A character that is no person.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("VRM is for people, and this character lacks {}; write .glb", missing.join(", "))]
pub struct NoPerson {
    /// Bones that it lacks, by their names in VRM.
    pub missing: Vec<&'static str>,
}

/// The bones of a person: name in VRM, role, which of the joints with that role, and whether VRM demands it.
const BONES: [(&str, Role, usize, bool); 22] = [
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

/// The bones of a person by their names in VRM, with their joints.
///
/// # Errors
/// If a bone is missing that every person has.
pub fn human_bones(rig: &Rig) -> Result<Vec<(&'static str, usize)>, NoPerson> {
    let figure = figure_of(rig);
    let (mut bones, mut missing) = (Vec::new(), Vec::new());
    for (name, role, rank, is_required) in BONES {
        match (0..figure.names.len()).filter(|&joint| figure.roles.roles[joint] == Some(role)).nth(rank) {
            Some(joint) => bones.push((name, joint)),
            None if is_required => missing.push((name, role)),
            None => {}
        }
    }
    if missing.is_empty() {
        return Ok(bones);
    }
    // Arms are named last.
    missing.sort_by_key(|(_, role)| matches!(role, Role::Limb(Limb::Arm, ..)));
    Err(NoPerson { missing: missing.into_iter().map(|(name, _)| name).collect() })
}
