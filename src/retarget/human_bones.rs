//! The bones of a person, by what its joints are.

use super::figure_of;
use crate::rig::Rig;
use crate::skeleton::human_bones::HUMAN_BONES;
use crate::skeleton::naming::{Limb, Role};
use thiserror::Error;

/// A character that is no person.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("VRM is for people, and this character lacks {}; write .glb", missing.join(", "))]
pub struct NoPerson {
    /// Bones that it lacks, by their names in VRM.
    pub missing: Vec<&'static str>,
}

/// The bones of a person by their names in VRM, with their joints.
///
/// # Errors
/// If a bone is missing that every person has.
pub fn human_bones(rig: &Rig) -> Result<Vec<(&'static str, usize)>, NoPerson> {
    let figure = figure_of(rig);
    let (mut bones, mut missing) = (Vec::new(), Vec::new());
    for &(name, role, rank, is_required) in &HUMAN_BONES {
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
