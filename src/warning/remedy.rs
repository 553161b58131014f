//! What would help, as data: the command line phrases it as a flag, a page as a button, a binding as an argument.

use super::Warning;
use crate::math::Axis;
use serde::Serialize;
use std::fmt;

/// What a person can do about a [`Warning`] or an error.
///
/// Its `Display` is the clause with which the sentence of the warning or error ends; callers replace it by one that names their own
/// option.
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
    /// Look at the images of the stages; name the skeleton, or give hints.
    CheckJoints,
    /// Name the skeleton, for example this one.
    Skeleton(String),
    /// Say where a joint is.
    Hint {
        /// The joint.
        joint: String,
        /// Where it was placed, in the coordinates of the mesh file.
        position: [f32; 3],
    },
    /// Shorten the steps: the stride that was tried and helps.
    ShorterStride(f64),
    /// Say which joint of the motion moves which of the character.
    JointMap,
    /// Exchange left and right.
    Mirror,
    /// Choose the name of the clip.
    ClipName,
    /// Give no more names than there are clips.
    FewerClipNames,
    /// Choose one of several characters, each named by one of its skins.
    Skin(Vec<String>),
    /// Say that it is one character, or save each in a file of its own.
    OneCharacter,
    /// Save the character in a pose in which it stands.
    StandingPose,
    /// Say that the floor is a part of the character.
    KeepFloor,
    /// Give a point in the coordinates of the mesh file.
    MeshCoordinates,
    /// Leave out what is a character of its own.
    LeaveOut,
    /// Say which joint carries a prop.
    Attach,
    /// Choose the parts of one character among these.
    Parts(Vec<String>),
    /// Choose other parts of the file, or leave out fewer.
    OtherParts,
    /// Let separate pieces bend.
    SoftParts,
    /// Look at the skin in test poses; let pieces bend, or leave out what is no part of the character.
    CheckSkin,
    /// Choose a motion of the character's kind, or say that any will do.
    AnyBody,
    /// Exchange the start and the end of the range.
    ExchangeRange,
    /// Start earlier.
    EarlierStart,
    /// Rig the mesh, which has no skin.
    Rig,
    /// Rig the mesh anew, which replaces its skin.
    RigAnew,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Remedy::Height(_) => "give its height",
            Remedy::UpAxis(_) | Remedy::FrontAxis(_) => "give it",
            Remedy::BothAxes => "give both axes",
            Remedy::CheckJoints => {
                "look at the joints, and if they are wrong, name the skeleton or give a hint"
            }
            Remedy::Skeleton(name) => return write!(f, "name the skeleton '{name}'"),
            Remedy::Hint { .. } => "correct it",
            Remedy::ShorterStride(_) => "a smaller stride helps",
            Remedy::JointMap => "say which joint moves which",
            Remedy::Mirror => "mirror it",
            Remedy::ClipName => "choose another",
            Remedy::FewerClipNames => "give at most one for each",
            Remedy::Skin(names) => return write!(f, "choose one by its skin: {}", names.join(", ")),
            Remedy::Parts(names) => return write!(f, "choose what belongs to one: {}", names.join(", ")),
            Remedy::OneCharacter => "save each in a file of its own, or say that it is one",
            Remedy::StandingPose => "save it standing, with its arms away from the body",
            Remedy::MeshCoordinates => "give it in the units and axes of the mesh file",
            Remedy::KeepFloor => "keep it if it is a part of the character",
            Remedy::LeaveOut => "leave it out if it is a character of its own",
            Remedy::Attach => "attach to a joint what it carries, or move in place",
            Remedy::OtherParts => "choose another part, or leave out fewer",
            Remedy::SoftParts => "let it bend",
            Remedy::CheckSkin => {
                "look at it in test poses, let its pieces bend, or leave out what is no part of it"
            }
            Remedy::AnyBody => "choose one of its kind, or say that any will do",
            Remedy::ExchangeRange => "exchange them",
            Remedy::EarlierStart => "start earlier",
            Remedy::Rig => "rig it first",
            Remedy::RigAnew => "rig it anew for another",
        })
    }
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
            Warning::LowConfidence { .. } | Warning::MissingLimbs { .. } => Remedy::CheckJoints,
            Warning::Posed { .. } => Remedy::StandingPose,
            Warning::LeftOut { .. } => Remedy::KeepFloor,
            Warning::LeavesProps { .. } => Remedy::Attach,
            Warning::PiecesPart { .. } => Remedy::SoftParts,
            Warning::SkinBleeds { .. } => Remedy::CheckSkin,
            Warning::LargeAccessory { .. } => Remedy::LeaveOut,
            Warning::FarHint { .. } => Remedy::MeshCoordinates,
            Warning::DoubtfulJoint { joint, position, .. } => {
                Remedy::Hint { joint: joint.clone(), position: *position }
            }
            Warning::OutOfReach { stride, .. } | Warning::FeetSlide { stride, .. } => {
                Remedy::ShorterStride((*stride)?)
            }
            Warning::NoLegs => Remedy::JointMap,
            Warning::SidesSwapped => Remedy::Mirror,
            Warning::ClipRenamed { .. } => Remedy::ClipName,
            Warning::SkinKept { .. } => Remedy::RigAnew,
            _ => return None,
        })
    }
}
