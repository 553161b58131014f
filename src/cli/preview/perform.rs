//! A motion on a character.

use super::puppet::Puppet;
use anyhow::Result;
use nalgebra::{Isometry3, Translation3};
use puppetry::motion::{Motion, Pose, loops};
use puppetry::preview::Performance;
use puppetry::retarget::contacts::{ContactOptions, FootContacts, detect};
use puppetry::retarget::{JointMap, RetargetOptions, Source, retarget};
use std::path::Path;

/// Lets a character perform a motion.
pub fn perform<'a>(puppet: &'a Puppet, motion: &Motion, source: &Source) -> Result<Performance<'a>> {
    let performance = retarget(&puppet.rig, motion, source, &[], &RetargetOptions::default())?;
    let hips = puppet.character.hips();
    // A rest pose in front of the motion is not shown.
    let first = usize::from(source.has_rest_frame && motion.frames > 1);
    let shown = &performance.poses[first..];
    let moves = |pose: &Pose| -> Vec<Isometry3<f64>> {
        let placed = pose.positions.iter().zip(&pose.rotations);
        let placed = placed.map(|(place, turn)| Isometry3::from_parts(Translation3::from(*place), *turn));
        placed.zip(&puppet.rig.joints).map(|(placed, joint)| placed * joint.rest.inverse()).collect()
    };
    let contacts = detect(motion, source, &ContactOptions::default());
    Ok(Performance {
        character: &puppet.character,
        frames_per_second: 1.0 / motion.frame_seconds,
        poses: shown.iter().map(moves).collect(),
        planted: planted(puppet, &performance.report.map, &contacts, first..motion.frames),
        root: shown.iter().map(|pose| pose.positions[hips]).collect(),
        loops: loops(motion, &source.up.vector()),
    })
}

/// The command that bakes a motion onto a character.
pub fn bake_command(character: Option<&Path>, motion: &Path, name: &str) -> String {
    let quoted = |text: &str| {
        let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+".contains(c));
        if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
    };
    let character = character.map_or("CHARACTER.glb".into(), |path| quoted(&path.to_string_lossy()));
    let (motion, output) = (quoted(&motion.to_string_lossy()), quoted(&format!("{name}.glb")));
    format!("puppetry animate {character} --motion {motion} -o {output}")
}

/// For each frame which soles of the character are planted.
fn planted(
    puppet: &Puppet,
    map: &JointMap,
    contacts: &[FootContacts],
    frames: std::ops::Range<usize>,
) -> Vec<Vec<bool>> {
    let foot_of = |joint: usize| {
        let own = puppet.exported.iter().position(|&exported| usize::from(exported) == joint)?;
        let (limb, side, _) = puppet.figure.roles.roles[own]?.limb()?;
        let leg = map.legs.iter().find(|leg| leg.target == (limb, side))?;
        contacts.iter().find(|contact| contact.leg == leg.source)
    };
    let feet: Vec<Option<&FootContacts>> =
        puppet.character.soles.iter().map(|sole| foot_of(sole.joint)).collect();
    frames
        .map(|frame| feet.iter().map(|foot| foot.is_some_and(|foot| foot.is_planted(frame))).collect())
        .collect()
}
