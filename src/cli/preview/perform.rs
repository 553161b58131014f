//! A motion on a character.

use super::puppet::Puppet;
use anyhow::{Context, Result, bail};
use nalgebra::{Isometry3, Point3, Translation3};
use puppetry::math::{Quat, Vec3};
use puppetry::motion::{Motion, loops};
use puppetry::preview::Performance;
use puppetry::retarget::contacts::{ContactOptions, FootContacts, detect};
use puppetry::retarget::joint_map::Origin;
use puppetry::retarget::reference::rest_alignment;
use puppetry::retarget::{JointMap, Source, map_joints};
use puppetry::skeleton::naming::Role;
use std::path::Path;

/// Lets a character perform a motion.
///
/// Rotations are copied joint by joint, and the hips travel as far as the legs are long against those of the motion.
pub fn perform<'a>(puppet: &'a Puppet, motion: &Motion, source: &Source) -> Result<Performance<'a>> {
    let first = usize::from(source.has_rest_frame && motion.frames > 1);
    if motion.frames <= first {
        bail!("it has no frames");
    }
    let target = &puppet.figure;
    let map = map_joints(target, &source.figure);
    let hips = target.find(Role::Hips).context("the character has no hips")?;
    let Some(Origin::Joint(source_hips)) = map.matches[hips].map(|found| found.origin) else {
        bail!("none of its joints is the hips");
    };
    let aligned = rest_alignment(target, &source.figure, &map);
    let scale = target.leg_length() / source.figure.leg_length().max(f64::MIN_POSITIVE);

    let mut poses = Vec::with_capacity(motion.frames - first);
    let mut root = Vec::with_capacity(motion.frames - first);
    let mut start: Option<Vec3> = None;
    for frame in first..motion.frames {
        let pose = motion.pose(frame).turned(&source.figure_from_file);
        let turned = |from: usize| pose.rotations[from] * source.rotations[from].inverse();
        let mut rotations: Vec<Quat> = Vec::with_capacity(target.names.len());
        let mut places: Vec<Vec3> = Vec::with_capacity(target.names.len());
        for (joint, alignment) in aligned.iter().enumerate() {
            let parent = target.parents[joint];
            let own = match map.matches[joint].map(|found| found.origin) {
                Some(Origin::Joint(from)) => turned(from) * alignment,
                Some(Origin::Between(a, b, share)) => turned(a).slerp(&turned(b), share) * alignment,
                None => parent.map_or_else(Quat::identity, |parent| rotations[parent]),
            };
            let place = match parent {
                Some(parent) if joint != hips => {
                    places[parent] + rotations[parent] * (target.positions[joint] - target.positions[parent])
                }
                _ => {
                    let place = pose.positions[source_hips] * scale;
                    let start = *start.get_or_insert(Vec3::new(place.x, 0.0, place.z));
                    place - start
                }
            };
            rotations.push(own);
            places.push(place);
        }
        root.push(places[hips]);
        poses.push(moves(puppet, &places, &rotations));
    }
    let planted =
        planted(puppet, &map, &detect(motion, source, &ContactOptions::default()), first..motion.frames);
    let mut performance = Performance {
        character: &puppet.character,
        frames_per_second: 1.0 / motion.frame_seconds,
        poses,
        planted,
        root,
        loops: loops(motion, first),
    };
    stand_on_floor(&mut performance);
    Ok(performance)
}

/// The command that bakes a motion onto a character.
pub fn bake_command(character: Option<&Path>, motion: &Path, name: &str) -> String {
    let quoted = |text: &str| {
        let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+".contains(c));
        if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
    };
    let character = character.map_or("CHARACTER.glb".into(), |path| quoted(&path.to_string_lossy()));
    let (motion, output) = (quoted(&motion.to_string_lossy()), quoted(&format!("{name}.glb")));
    format!("puppetry animate {character} {motion} -o {output}")
}

/// For each joint of the character the motion from where it rests.
fn moves(puppet: &Puppet, places: &[Vec3], rotations: &[Quat]) -> Vec<Isometry3<f64>> {
    let mut moves = vec![Isometry3::identity(); puppet.character.joints.len()];
    // Tips share their joint with their parent, which comes first and is the joint itself.
    let mut is_set = vec![false; moves.len()];
    for (joint, &exported) in puppet.exported.iter().enumerate() {
        let exported = usize::from(exported);
        if !std::mem::replace(&mut is_set[exported], true) {
            let shift = places[joint] - rotations[joint] * puppet.figure.positions[joint];
            moves[exported] = Isometry3::from_parts(Translation3::from(shift), rotations[joint]);
        }
    }
    moves
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

/// Moves everything up or down so that the planted soles are on the floor half of the time.
fn stand_on_floor(performance: &mut Performance) {
    let lowest = |frame: usize, is_planted: bool| {
        let soles = (0..performance.character.soles.len())
            .filter(|&sole| !is_planted || performance.planted[frame][sole]);
        soles.flat_map(|sole| performance.sole(frame, sole)).map(|p| p.y).fold(f64::INFINITY, f64::min)
    };
    let heights = |is_planted: bool| -> Vec<f64> {
        (0..performance.frames()).map(|frame| lowest(frame, is_planted)).filter(|y| y.is_finite()).collect()
    };
    let mut heights = [true, false].map(heights).into_iter().find(|h| !h.is_empty()).unwrap_or_default();
    heights.sort_by(f64::total_cmp);
    let floor = heights.get(heights.len() / 2).copied().unwrap_or(0.0);
    let up = Translation3::new(0.0, -floor, 0.0);
    performance.root.iter_mut().for_each(|place| *place = (up * Point3::from(*place)).coords);
    for (joint, pose) in performance.poses.iter_mut().flat_map(|poses| poses.iter_mut().enumerate()) {
        if joint >= performance.character.hips() {
            *pose = up * *pose;
        }
    }
}
