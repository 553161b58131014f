//! What can go wrong, as one type.

use crate::Remedy;
use crate::embed::EmbedError;
use crate::io::{GltfWriteError, LoadError, Problem};
use crate::mesh::prepare::PrepareError;
use crate::parts::PartsError;
use crate::retarget::{NoPerson, RetargetError};
use crate::skeleton::manual_joints::ManualJointsError;
use crate::skeleton::{BodyKind, UnknownJoint};
use thiserror::Error as ThisError;

/// Why something could not be done. Its `Display` is one sentence: what is wrong, and the way out.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A document shows no surface that could be drawn.
    #[error(transparent)]
    Surface(#[from] Problem),
    /// The surface cannot be prepared.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// It has no inside.
    #[error("it is flat, so joints have no place in it; give it a thickness")]
    Flat,
    /// It is not one character.
    #[error("it looks like {count} characters side by side; {}", separation(parts))]
    SeveralCharacters {
        /// How many there are.
        count: usize,
        /// Names of its parts, if there are several from which those of one can be chosen.
        parts: Vec<String>,
    },
    /// A piece of it is a character of its own.
    #[error("{name} has a head, arms and legs of its own, so it is another character; {}", separation(parts))]
    Rider {
        /// Which piece.
        name: String,
        /// Names of its parts, if there are several from which those of one can be chosen.
        parts: Vec<String>,
    },
    /// No skeleton comes into question.
    #[error("there is no skeleton")]
    NoSkeleton,
    /// A hint, or a joint that was given, does not fit the character or the skeletons.
    #[error("{reason}")]
    Hint {
        /// What is wrong with it.
        reason: String,
    },
    /// A name is no joint of the skeleton, or not clearly one.
    #[error(transparent)]
    UnknownJoint(UnknownJoint),
    /// A name is no joint of the skeleton that fits the shape, or not clearly one, but of one of another body.
    #[error("{}f its body is another, {}", begun(unknown), Remedy::Skeleton(skeleton.clone()))]
    UnclearJoint {
        /// What is wrong with it.
        unknown: UnknownJoint,
        /// The skeleton on which it is clear.
        skeleton: String,
    },
    /// A part cannot be attached to a joint.
    #[error("{reason}")]
    Attachment {
        /// Which, and why.
        reason: String,
    },
    /// Examples are not of the same surface, or show nothing.
    #[error("{reason}")]
    Examples {
        /// Which, and why.
        reason: String,
    },
    /// All of it is attached to joints.
    #[error(
        "all of it is attached to joints, so that nothing is left in which they could be; attach only what it carries"
    )]
    NothingLeft,
    /// The joints are not found.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The joints that were given do not fit.
    #[error(transparent)]
    ManualJoints(#[from] ManualJointsError),
    /// It cannot be segmented into rigid parts.
    #[error(transparent)]
    Parts(#[from] PartsError),
    /// A motion cannot be moved onto a character.
    #[error(transparent)]
    Retarget(#[from] RetargetError),
    /// A motion of people for an animal, or the other way round.
    #[error(
        "the motion is of a body on {motion}, and the character stands on {character}; {}",
        Remedy::AnyBody
    )]
    OtherBody {
        /// Who moves in the motion.
        motion: BodyKind,
        /// The character.
        character: BodyKind,
    },
    /// What should be a motion is none.
    #[error("{reason}")]
    NoMotion {
        /// What is wrong, and what to give instead.
        reason: String,
    },
    /// There are more names than clips.
    #[error("there are {names} names for {motions} motions; {}", Remedy::FewerClipNames)]
    TooManyNames {
        /// How many names.
        names: usize,
        /// How many motions.
        motions: usize,
    },
    /// A clip would end before it starts.
    #[error("the start at {start} s is not before the end at {end} s; {}", Remedy::ExchangeRange)]
    Range {
        /// In seconds.
        start: f64,
        /// In seconds.
        end: f64,
    },
    /// A clip would start after the end of its motion.
    #[error("it lasts {seconds:.2} s, so that nothing is left from {start} s on; {}", Remedy::EarlierStart)]
    StartsTooLate {
        /// In seconds.
        start: f64,
        /// How long the motion is.
        seconds: f64,
    },
    /// A format is for people, and the character is none.
    #[error(transparent)]
    NoPerson(#[from] NoPerson),
    /// A format cannot hold what it should.
    #[error("{reason}")]
    Format {
        /// What is wrong, and what to write instead.
        reason: String,
    },
    /// A document cannot be written.
    #[error(transparent)]
    Write(#[from] GltfWriteError),
    /// A library of body parts cannot be made, or used.
    #[error("{reason}")]
    BodyParts {
        /// What is wrong, and the way out.
        reason: String,
    },
    /// The caller asked to stop.
    #[error("it was stopped")]
    Cancelled,
}

impl Error {
    /// What would help, if anything that the caller can choose would.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Error::Load(error) => error.remedy(),
            Error::Surface(problem) => problem.remedy(),
            Error::Prepare(error) => error.remedy(),
            Error::Parts(error) => Some(error.remedy()),
            Error::Retarget(error) => error.remedy(),
            Error::SeveralCharacters { parts, .. } | Error::Rider { parts, .. } => Some(separation(parts)),
            Error::OtherBody { .. } => Some(Remedy::AnyBody),
            Error::UnclearJoint { skeleton, .. } => Some(Remedy::Skeleton(skeleton.clone())),
            Error::TooManyNames { .. } => Some(Remedy::FewerClipNames),
            Error::Range { .. } => Some(Remedy::ExchangeRange),
            Error::StartsTooLate { .. } => Some(Remedy::EarlierStart),
            _ => None,
        }
    }

    /// A stable identifier for scripts and bindings.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Load(_) => "load",
            Error::Surface(_) => "surface",
            Error::Prepare(_) => "prepare",
            Error::Flat => "flat",
            Error::SeveralCharacters { .. } | Error::Rider { .. } => "several-characters",
            Error::NoSkeleton => "no-skeleton",
            Error::Hint { .. } | Error::UnknownJoint(_) | Error::UnclearJoint { .. } => "hint",
            Error::Attachment { .. } | Error::NothingLeft => "attachment",
            Error::Examples { .. } => "examples",
            Error::Embed(_) => "embed",
            Error::ManualJoints(_) => "manual-joints",
            Error::Parts(_) => "parts",
            Error::Retarget(_) => "retarget",
            Error::OtherBody { .. } => "other-body",
            Error::NoMotion { .. } => "no-motion",
            Error::TooManyNames { .. } => "too-many-names",
            Error::Range { .. } | Error::StartsTooLate { .. } => "range",
            Error::NoPerson(_) => "no-person",
            Error::Format { .. } => "format",
            Error::Write(_) => "write",
            Error::BodyParts { .. } => "body-parts",
            Error::Cancelled => "cancelled",
        }
    }
}

/// A sentence that goes on with `if`, up to the first letter of that.
fn begun(unknown: &UnknownJoint) -> String {
    let text = unknown.to_string();
    if text.ends_with('?') { format!("{text} I") } else { format!("{text}; i") }
}

/// How to get one character out of several.
fn separation(parts: &[String]) -> Remedy {
    match parts {
        [] => Remedy::OneCharacter,
        parts => Remedy::Parts(parts.to_vec()),
    }
}
