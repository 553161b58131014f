//! A character and its clips, as images show them.

use super::{Animated, Character, Error, SkinnedMesh};
use crate::Image;
use crate::io::decode_image;
use crate::mesh::Mesh;
use crate::motion::{Pose, loops};
use crate::preview::{
    AnimatedCharacter, AnimationOptions, AnimationRenderer, BodyJoints, LimbJoints, RenderCharacter, Texture,
};
use crate::retarget::metrics::FootStances;
use crate::retarget::{figure_of, in_place_velocity};
use crate::rig::{Rig, RigJoint};
use crate::skeleton::naming::{Limb, Segment, Side};
use nalgebra::{Isometry3, Translation3};
use std::ops::Range;

/// Draws moments of a clip, evenly from its start to its end, without a graphics card.
///
/// # Errors
/// If the character's own document shows no surface.
pub fn draw(
    character: &Character,
    clip: &Animated,
    moments: usize,
    options: &AnimationOptions,
) -> Result<Vec<Image>, Error> {
    let drawn = drawn(character.skinned_mesh()?.into_owned(), character);
    let animated = in_motion(&drawn, &character.rig, clip);
    let renderer = AnimationRenderer::new(&animated, options);
    Ok((0..moments).map(|moment| renderer.frame(moment * animated.frames() / moments)).collect())
}

/// A skinned surface of a character, ready to be drawn.
pub fn drawn(skinned: SkinnedMesh, character: &Character) -> RenderCharacter {
    let SkinnedMesh { mesh, rig_from_mesh, weights } = skinned;
    let textures = textures(&mesh);
    RenderCharacter::new(mesh, &rig_from_mesh, textures, weights, &character.rig, body_joints(character))
}

fn body_joints(character: &Character) -> BodyJoints {
    let joints = character.rig.body_joints();
    let figure = figure_of(&character.rig);
    let limbs = |limb: Limb| {
        let joint = |side, segment| figure.limb(limb, side, segment).filter(|&joint| joint < joints);
        let ends = [Side::Left, Side::Right].map(|side| {
            Some(LimbJoints { upper: joint(side, Segment::Upper)?, end: joint(side, Segment::End)? })
        });
        ends.into_iter().flatten().collect()
    };
    let hips = Some(character.hips()).filter(|&hips| hips < joints).unwrap_or(0);
    BodyJoints { hips, arms: limbs(Limb::Arm), legs: limbs(Limb::Leg) }
}

fn textures(mesh: &Mesh) -> Vec<Option<Texture>> {
    mesh.appearance.images.iter().map(|image| Texture::new(decode_image(image)?)).collect()
}

/// A character that moves as `animate` has baked it. A rest pose in front of the motion is not shown.
pub fn in_motion<'a>(drawn: &'a RenderCharacter, rig: &Rig, clip: &Animated) -> AnimatedCharacter<'a> {
    let Animated { poses, motion, source, retargeted, .. } = clip;
    let metrics = &retargeted.metrics;
    let shown = &poses[poses.len().saturating_sub(motion.frames)..];
    AnimatedCharacter {
        character: drawn,
        frames_per_second: 1.0 / motion.frame_seconds,
        poses: shown.iter().map(|pose| skinning_transforms(pose, &rig.joints)).collect(),
        planted: planted(drawn, rig, &metrics.feet, motion.number(0)..motion.number(motion.frames)),
        slide: metrics.slide.drift.map(|drift| drift * metrics.leg_length),
        in_place_speed: in_place_velocity(motion, source)
            .map_or(0.0, |velocity| velocity.norm() * metrics.scale),
        leg: metrics.leg_length,
        root: shown.iter().map(|pose| pose.positions[drawn.hips]).collect(),
        loops: loops(motion, &source.up.vector()),
    }
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
fn planted(drawn: &RenderCharacter, rig: &Rig, feet: &[FootStances], frames: Range<usize>) -> Vec<Vec<bool>> {
    let figure = figure_of(rig);
    let stances_of = |joint: usize| {
        let (limb, side) = figure.legs().into_iter().find(|&(limb, side)| {
            let foot = figure.limb(limb, side, Segment::End).or(figure.limb(limb, side, Segment::Lower));
            foot == Some(joint)
        })?;
        feet.iter().find(|foot| foot.leg == (limb, side))
    };
    let feet: Vec<Option<&FootStances>> = drawn.soles.iter().map(|sole| stances_of(sole.joint)).collect();
    frames
        .map(|frame| feet.iter().map(|foot| foot.is_some_and(|foot| is_planted(foot, frame))).collect())
        .collect()
}

fn is_planted(foot: &FootStances, frame: usize) -> bool {
    foot.heel.iter().chain(&foot.ball).any(|stance| stance.frames.contains(&frame))
}
