//! A motion on a character, as images show it.

use super::characters::DrawnCharacter;
use crate::Warning;
use crate::motion::{Motion, Pose, loops};
use crate::pipeline::{Animated, ClipOptions, animate};
use crate::preview::AnimatedCharacter;
use crate::retarget::metrics::FootStances;
use crate::retarget::{figure_of, in_place_velocity};
use crate::rig::RigJoint;
use crate::skeleton::naming::Segment;
use anyhow::Result;
use nalgebra::{Isometry3, Translation3};

/// A character with a motion as `animate` bakes it, and what a person should know about it.
pub struct MovedCharacter<'a> {
    pub animated: AnimatedCharacter<'a>,
    pub warnings: Vec<Warning>,
}

/// Moves a motion onto a character.
pub fn move_character<'a>(
    character: &'a DrawnCharacter,
    motion: &Motion,
    options: &ClipOptions,
) -> Result<MovedCharacter<'a>> {
    let Animated { poses, motion, source, retargeted, .. } =
        animate(&character.character, "clip", motion, options)?;
    let metrics = &retargeted.metrics;
    let hips = character.drawn.hips;
    // A rest pose in front of the motion is not shown.
    let shown = &poses[poses.len().saturating_sub(motion.frames)..];
    let joints = &character.character.rig.joints;
    let animated = AnimatedCharacter {
        character: &character.drawn,
        frames_per_second: 1.0 / motion.frame_seconds,
        poses: shown.iter().map(|pose| skinning_transforms(pose, joints)).collect(),
        planted: planted(character, &metrics.feet, motion.number(0)..motion.number(motion.frames)),
        slide: metrics.slide.drift.map(|drift| drift * metrics.leg_length),
        in_place_speed: in_place_velocity(&motion, &source)
            .map_or(0.0, |velocity| velocity.norm() * metrics.scale),
        root: shown.iter().map(|pose| pose.positions[hips]).collect(),
        loops: loops(&motion, &source.up.vector()),
    };
    Ok(MovedCharacter { animated, warnings: retargeted.warnings })
}

/// For each joint the transform of the surface that it moves, from rest to the pose.
fn skinning_transforms(pose: &Pose, joints: &[RigJoint]) -> Vec<Isometry3<f64>> {
    let placed = pose
        .positions
        .iter()
        .zip(&pose.rotations)
        .map(|(position, rotation)| Isometry3::from_parts(Translation3::from(*position), *rotation));
    placed.zip(joints).map(|(placed, joint)| placed * joint.rest.inverse()).collect()
}

/// For each frame which soles of the character are planted.
fn planted(
    character: &DrawnCharacter,
    feet: &[FootStances],
    frames: std::ops::Range<usize>,
) -> Vec<Vec<bool>> {
    let figure = figure_of(&character.character.rig);
    let stances_of = |joint: usize| {
        let (limb, side) = figure.legs().into_iter().find(|&(limb, side)| {
            let foot = figure.limb(limb, side, Segment::End).or(figure.limb(limb, side, Segment::Lower));
            foot == Some(joint)
        })?;
        feet.iter().find(|foot| foot.leg == (limb, side))
    };
    let feet: Vec<Option<&FootStances>> =
        character.drawn.soles.iter().map(|sole| stances_of(sole.joint)).collect();
    frames
        .map(|frame| feet.iter().map(|foot| foot.is_some_and(|foot| is_planted(foot, frame))).collect())
        .collect()
}

fn is_planted(foot: &FootStances, frame: usize) -> bool {
    foot.heel.iter().chain(&foot.ball).any(|stance| stance.frames.contains(&frame))
}
