//! Plain rotation copy behind the interface of the online retargeter, until that one is here.

use crate::math::{Quat, Vec3};
use crate::motion::{Motion, Override, Pose};
use crate::retarget::joint_map::{NoSuchJoint, Origin};
use crate::retarget::reference::rest_alignment;
use crate::retarget::{Figure, Source, map_joints};
use crate::rig::Rig;
use crate::skeleton::naming::Role;
use crate::skeleton::{Joint, Skeleton};
use thiserror::Error;

/// What happens to hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Hands {
    #[default]
    Orientation,
    Relative,
    World,
}

/// Which way a clip starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Heading {
    #[default]
    Forward,
    Source,
}

/// How a motion is moved.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct RetargetOptions {
    pub look_ahead: f64,
    pub foot_lock: bool,
    pub stride: f64,
    pub hands: Hands,
    pub heading: Heading,
}

impl Default for RetargetOptions {
    fn default() -> Self {
        RetargetOptions {
            look_ahead: 0.1,
            foot_lock: true,
            stride: 1.0,
            hands: Hands::Orientation,
            heading: Heading::Forward,
        }
    }
}

/// What was measured.
#[derive(Debug, Clone, Default)]
pub struct RetargetReport {}

/// The motion on the character.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Performance {
    pub frame_seconds: f64,
    pub poses: Vec<Pose>,
    pub report: RetargetReport,
}

/// Why a motion cannot be moved.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum RetargetError {
    #[error(transparent)]
    Map(#[from] NoSuchJoint),
    #[error("no joint of the motion could be matched to one of the character; give a --map")]
    NothingMapped,
    #[error("the motion has no frames")]
    NoFrames,
}

/// The figure of a rig.
pub fn figure_of(rig: &Rig) -> Figure {
    let joint = |name: &str, parent, position, is_tip| Joint {
        name: name.to_owned(),
        parent,
        position,
        partner: None,
        is_foot: false,
        is_fat: false,
        is_tip,
    };
    let joints = rig.joints.iter().map(|j| joint(&j.name, j.parent, j.rest.translation.vector, false));
    let tips = rig.tips.iter().map(|tip| joint(&tip.name, Some(tip.joint), tip.position, true));
    Figure::of_skeleton(&Skeleton {
        name: String::new(),
        about: String::new(),
        joints: joints.chain(tips).collect(),
    })
}

/// Moves a motion onto a rig.
pub fn retarget(
    rig: &Rig,
    motion: &Motion,
    source: &Source,
    overrides: &[Override],
    _options: &RetargetOptions,
) -> Result<Performance, RetargetError> {
    let target = figure_of(rig);
    let mut map = map_joints(&target, &source.figure);
    map.apply(overrides, &target, &source.figure)?;
    if map.matches.iter().all(Option::is_none) {
        return Err(RetargetError::NothingMapped);
    }
    if motion.frames == 0 {
        return Err(RetargetError::NoFrames);
    }
    let aligned = rest_alignment(&target, &source.figure, &map);
    let hips = target.find(Role::Hips).unwrap_or(0);
    let source_hips = source.figure.find(Role::Hips).unwrap_or(0);
    let scale = target.leg_length() / source.figure.leg_length().max(1e-9);
    let ground = source.figure.positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let start = source.figure_from_file * motion.pose(0).positions[source_hips];
    let mut poses = Vec::new();
    for frame in 0..motion.frames {
        let pose = motion.pose(frame).turned(&source.figure_from_file);
        let delta = |joint: usize| pose.rotations[joint] * source.rotations[joint].inverse();
        let mut own = Pose {
            positions: vec![Vec3::zeros(); rig.joints.len()],
            rotations: vec![Quat::identity(); rig.joints.len()],
        };
        for (joint, data) in rig.joints.iter().enumerate() {
            let turned = map.matches[joint].map(|found| match found.origin {
                Origin::Joint(from) => delta(from),
                Origin::Between(a, b, share) => delta(a).slerp(&delta(b), share),
            });
            let local = match data.parent {
                Some(parent) => rig.joints[parent].rest.inverse() * data.rest,
                None => data.rest,
            };
            let (place, turn) = match data.parent {
                Some(parent) => (
                    own.positions[parent] + own.rotations[parent] * local.translation.vector,
                    own.rotations[parent] * local.rotation,
                ),
                None => (local.translation.vector, local.rotation),
            };
            own.positions[joint] = place;
            own.rotations[joint] = turned.map_or(turn, |t| t * aligned[joint] * data.rest.rotation);
            if joint == hips {
                let mut place = scale * (pose.positions[source_hips] - Vec3::new(start.x, ground, start.z));
                let rest = source.figure.positions[source_hips].y - ground;
                place.y += data.rest.translation.y - scale * rest;
                own.positions[joint] =
                    place + Vec3::new(data.rest.translation.x, 0.0, data.rest.translation.z);
            }
        }
        poses.push(own);
    }
    Ok(Performance { frame_seconds: motion.frame_seconds, poses, report: RetargetReport::default() })
}
