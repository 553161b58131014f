//! What the limbs of a body do.

use std::fmt;

/// What a limb does, not where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LimbKind {
    /// Carries the body.
    Leg,
    /// Grasps.
    Arm,
    /// Flies, or swims: a sheet.
    Wing,
    /// Trails behind.
    Tail,
    /// Feels: antennae, horns, ears, palps, trunks.
    Feeler,
}

impl LimbKind {
    /// All of them, in the order in which they are told.
    pub const ALL: [LimbKind; 5] =
        [LimbKind::Leg, LimbKind::Arm, LimbKind::Wing, LimbKind::Tail, LimbKind::Feeler];

    /// The word for several.
    pub fn plural(self) -> &'static str {
        match self {
            LimbKind::Leg => "legs",
            LimbKind::Arm => "arms",
            LimbKind::Wing => "wings",
            LimbKind::Tail => "tails",
            LimbKind::Feeler => "feelers",
        }
    }
}

impl fmt::Display for LimbKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LimbKind::Leg => "leg",
            LimbKind::Arm => "arm",
            LimbKind::Wing => "wing",
            LimbKind::Tail => "tail",
            LimbKind::Feeler => "feeler",
        })
    }
}
