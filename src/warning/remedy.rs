//! What would help, as data: the command line phrases it as a flag, a page as a button, a binding as an argument.

use super::Warning;
use crate::math::Axis;
use serde::Serialize;

/// What a person can do about a [`Warning`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Remedy {
    /// Give the height in metres, for example this one.
    Height(f64),
    /// Give the up axis, for example this one.
    UpAxis(#[serde(serialize_with = "as_text")] Axis),
    /// Give the axis that it faces, for example this one.
    FrontAxis(#[serde(serialize_with = "as_text")] Axis),
    /// Give both axes.
    BothAxes,
    /// Look at the pictures of the stages; name the skeleton, or give hints.
    CheckJoints,
    /// Say where a joint is.
    Hint {
        /// The joint.
        joint: String,
        /// Where it was placed, in the coordinates of the mesh file.
        position: [f32; 3],
    },
    /// Shorten the steps by a factor below one.
    ShorterStride,
    /// Say which joint of the motion moves which of the character.
    JointMap,
    /// Exchange left and right.
    Mirror,
    /// Choose the name of the clip.
    ClipName,
}

fn as_text<S: serde::Serializer>(axis: &Axis, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(axis)
}

/// A height in metres that is right for a person.
const PERSON: f64 = 1.7;

impl Warning {
    /// What would help, if anything that the caller can choose would.
    pub fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            Warning::UnusualSize { .. } => Remedy::Height(PERSON),
            Warning::OrientationAssumed { what: "front", axis } => Remedy::FrontAxis(axis.opposite()),
            Warning::OrientationAssumed { axis, .. } => Remedy::UpAxis(axis.opposite()),
            Warning::OrientationOverruled { .. } => Remedy::BothAxes,
            Warning::LowConfidence { .. } => Remedy::CheckJoints,
            Warning::DoubtfulJoint { joint, position, .. } => {
                Remedy::Hint { joint: joint.clone(), position: *position }
            }
            Warning::OutOfReach { .. } | Warning::FeetSlide { .. } => Remedy::ShorterStride,
            Warning::NoLegs => Remedy::JointMap,
            Warning::SidesSwapped => Remedy::Mirror,
            Warning::ClipRenamed { .. } => Remedy::ClipName,
            _ => return None,
        })
    }
}
