//! A skeleton as data: joints with parents before children.

mod branches;
mod builtin;
pub mod given;
mod mirror;
pub mod naming;
pub mod reduced;
pub mod soles;
mod standing;
mod truth;
mod weights;

pub use branches::{Branches, partners};
pub use builtin::{BuiltIn, built_in};
pub use mirror::{CENTRAL, find_sides, is_mirrored};
pub use reduced::ReducedSkeleton;
pub use soles::{Sole, find_soles};
pub use standing::{Standing, standing};
pub use truth::Truth;
pub use weights::{PENALTIES, PLACEMENT_PENALTIES, PenaltyName, PenaltyWeights};

use crate::math::Vec3;

/// A tree of joints in a rest pose.
///
/// Invariants: parents come before their children, the first joint is the only root, names are unique and not
/// empty, partners are mutual, positions are finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Skeleton {
    /// One word: `human`.
    pub name: String,
    /// What it is for, one sentence.
    pub about: String,
    /// The joints.
    pub joints: Vec<Joint>,
    /// How dear the penalties are when its joints are searched in a character.
    pub weights: PenaltyWeights,
}

/// A joint of a [`Skeleton`].
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// Index of the parent; `None` for the root.
    pub parent: Option<usize>,
    /// Rest position: +Y up, facing +Z, the character's left at +X, ground at y = 0, in parts of the height.
    pub position: Vec3,
    /// The joint on the other side of the body.
    pub partner: Option<usize>,
    /// It stands on the ground.
    pub is_foot: bool,
    /// It lies in a thick part of the body, not in a limb.
    pub is_fat: bool,
    /// It marks the end of a limb: it steers the embedding and is not exported as a joint.
    pub is_tip: bool,
}

impl Skeleton {
    /// The index of the joint of that name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }
}
