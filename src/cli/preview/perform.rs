//! A motion on a character.

use super::puppet::Puppet;
use anyhow::Result;
use nalgebra::{Isometry3, Translation3};
use puppetry::Warning;
use puppetry::motion::{Motion, Pose, loops};
use puppetry::preview::AnimatedCharacter;
use puppetry::retarget::metrics::FootStances;
use puppetry::retarget::{RetargetOptions, Source, figure_of, retarget, travelling};
use puppetry::skeleton::naming::Segment;

/// Lets a character perform a motion; also what a person should know about it.
pub fn perform<'a>(
    puppet: &'a Puppet,
    motion: &Motion,
    source: &Source,
) -> Result<(AnimatedCharacter<'a>, Vec<Warning>)> {
    let performance = retarget(&puppet.rig, motion, source, &[], &RetargetOptions::default())?;
    let metrics = &performance.report.metrics;
    let hips = puppet.character.hips;
    let shown = &performance.poses;
    let moves = |pose: &Pose| -> Vec<Isometry3<f64>> {
        let placed = pose.positions.iter().zip(&pose.rotations);
        let placed = placed.map(|(place, turn)| Isometry3::from_parts(Translation3::from(*place), *turn));
        placed.zip(&puppet.rig.joints).map(|(placed, joint)| placed * joint.rest.inverse()).collect()
    };
    let shown = AnimatedCharacter {
        character: &puppet.character,
        frames_per_second: 1.0 / motion.frame_seconds,
        poses: shown.iter().map(moves).collect(),
        planted: planted(puppet, &metrics.feet, motion.number(0)..motion.number(motion.frames)),
        slide: metrics.slide.drift.map(|drift| drift * metrics.leg_length),
        in_place_speed: travelling(motion, source).map_or(0.0, |velocity| velocity.norm() * metrics.scale),
        root: shown.iter().map(|pose| pose.positions[hips]).collect(),
        loops: loops(motion, &source.up.vector()),
    };
    Ok((shown, performance.report.warnings))
}

/// For each frame which soles of the character are planted.
fn planted(puppet: &Puppet, feet: &[FootStances], frames: std::ops::Range<usize>) -> Vec<Vec<bool>> {
    let figure = figure_of(&puppet.rig);
    let stances_of = |joint: usize| {
        let (limb, side) = figure.legs().into_iter().find(|&(limb, side)| {
            let foot = figure.limb(limb, side, Segment::End).or(figure.limb(limb, side, Segment::Lower));
            foot == Some(joint)
        })?;
        feet.iter().find(|foot| foot.leg == (limb, side))
    };
    let feet: Vec<Option<&FootStances>> =
        puppet.character.soles.iter().map(|sole| stances_of(sole.joint)).collect();
    let stands = |foot: &FootStances, frame: usize| {
        foot.heel.iter().chain(&foot.ball).any(|stance| stance.frames.contains(&frame))
    };
    frames
        .map(|frame| feet.iter().map(|foot| foot.is_some_and(|foot| stands(foot, frame))).collect())
        .collect()
}
