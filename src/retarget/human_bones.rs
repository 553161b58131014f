//! The bones of a person, by what its joints are.

use super::figure_of;
use crate::rig::Rig;
use crate::skeleton::Figure;
use crate::skeleton::naming::{Limb, Role, Segment, Side};
use thiserror::Error;

/// A character that is no person.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("VRM is for people, and this character lacks {}; write .glb", missing.join(", "))]
pub struct NoPerson {
    /// Bones that it lacks, by their names in VRM.
    pub missing: Vec<&'static str>,
}

/// Bones without which VRM knows no person.
const REQUIRED: [&str; 15] = [
    "hips",
    "spine",
    "head",
    "leftUpperLeg",
    "leftLowerLeg",
    "leftFoot",
    "rightUpperLeg",
    "rightLowerLeg",
    "rightFoot",
    "leftUpperArm",
    "leftLowerArm",
    "leftHand",
    "rightUpperArm",
    "rightLowerArm",
    "rightHand",
];

/// The bones of a person by their names in VRM, with their joints.
///
/// # Errors
/// If a bone is missing that every person has.
pub fn human_bones(rig: &Rig) -> Result<Vec<(&'static str, usize)>, NoPerson> {
    let figure = figure_of(rig);
    let spine: Vec<usize> = row(&figure, Role::Spine);
    let mut bones: Vec<(&'static str, Option<usize>)> = vec![
        ("hips", figure.find(Role::Hips)),
        ("spine", spine.first().copied()),
        ("chest", spine.get(1).copied()),
        ("upperChest", spine.get(2).copied()),
        ("neck", row(&figure, Role::Neck).first().copied()),
        ("head", figure.find(Role::Head)),
    ];
    let limbs: [(&'static str, Limb, Side, Segment); 16] = [
        ("leftShoulder", Limb::Arm, Side::Left, Segment::Girdle),
        ("leftUpperArm", Limb::Arm, Side::Left, Segment::Upper),
        ("leftLowerArm", Limb::Arm, Side::Left, Segment::Lower),
        ("leftHand", Limb::Arm, Side::Left, Segment::End),
        ("rightShoulder", Limb::Arm, Side::Right, Segment::Girdle),
        ("rightUpperArm", Limb::Arm, Side::Right, Segment::Upper),
        ("rightLowerArm", Limb::Arm, Side::Right, Segment::Lower),
        ("rightHand", Limb::Arm, Side::Right, Segment::End),
        ("leftUpperLeg", Limb::Leg, Side::Left, Segment::Upper),
        ("leftLowerLeg", Limb::Leg, Side::Left, Segment::Lower),
        ("leftFoot", Limb::Leg, Side::Left, Segment::End),
        ("leftToes", Limb::Leg, Side::Left, Segment::Toes),
        ("rightUpperLeg", Limb::Leg, Side::Right, Segment::Upper),
        ("rightLowerLeg", Limb::Leg, Side::Right, Segment::Lower),
        ("rightFoot", Limb::Leg, Side::Right, Segment::End),
        ("rightToes", Limb::Leg, Side::Right, Segment::Toes),
    ];
    bones.extend(limbs.map(|(name, limb, side, segment)| (name, figure.limb(limb, side, segment))));
    let missing: Vec<&'static str> = REQUIRED
        .into_iter()
        .filter(|name| !bones.iter().any(|(bone, joint)| bone == name && joint.is_some()))
        .collect();
    if !missing.is_empty() {
        return Err(NoPerson { missing });
    }
    Ok(bones
        .into_iter()
        .filter_map(|(name, joint)| Some((name, joint.filter(|&joint| joint < rig.joints.len())?)))
        .collect())
}

fn row(figure: &Figure, role: Role) -> Vec<usize> {
    let joints = figure.roles.roles.iter().enumerate();
    joints.filter(|(_, found)| **found == Some(role)).map(|(joint, _)| joint).collect()
}
