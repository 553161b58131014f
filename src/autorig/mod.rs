//! From a surface to a character that can be moved: the page-long function [`autorig`], and the steps that it takes.
//!
//! Whether a body bends or is made of rigid pieces is decided on the way: [`parts`](crate::parts) says which, and why. What comes
//! out is the same.

mod joints;
mod skinned;

pub use joints::{GivenJoints, Joints};
pub use skinned::Skinned;

use crate::embed::{EmbedError, EmbedOptions, NamedHint};
use crate::math::Bounds;
use crate::mesh::bodies::count_bodies;
use crate::mesh::prepare::PreparedMesh;
use crate::parts::{PartsChoice, PartsError, PartsRoute};
use crate::skeleton::Skeleton;
use crate::skeleton::given::GivenError;
use thiserror::Error;

/// A character cannot be rigged.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum AutorigError {
    /// It has no inside.
    #[error("it is flat, so joints have no place in it; give it a thickness")]
    Flat,
    /// It is not one.
    #[error("it looks like {count} characters side by side; save each in a file of its own")]
    Several {
        /// How many there are.
        count: usize,
    },
    /// No skeleton was given.
    #[error("there is no skeleton")]
    NoSkeleton,
    /// The joints are not found.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The joints that were given do not fit.
    #[error(transparent)]
    Given(#[from] GivenError),
    /// It cannot be taken apart.
    #[error(transparent)]
    Parts(#[from] PartsError),
}

/// What is thinner than this part of its longest side has no inside for joints.
const FLAT: f64 = 0.005;

/// Finds the joints of a character and how its pieces move; [`Skinned::of`] then binds it.
/// # Errors
/// If the surface is no single solid body, or no skeleton fits it.
pub fn autorig(
    prepared: &PreparedMesh,
    skeletons: &[Skeleton],
    hints: &[NamedHint],
    options: &EmbedOptions,
    parts: PartsChoice,
) -> Result<(Joints, PartsRoute), AutorigError> {
    check_solid(prepared)?;
    let mut joints = Joints::find(prepared, skeletons, hints, options)?;
    let is_hinted = |name: &str| hints.iter().any(|hint| hint.joint == name);
    let route = joints.take_apart(prepared, parts, is_hinted)?;
    Ok((joints, route))
}

/// Refuses what is not one solid character.
///
/// # Errors
/// If it is flat, or several.
pub fn check_solid(prepared: &PreparedMesh) -> Result<(), AutorigError> {
    let extent = Bounds::of(&prepared.used_positions()).extent();
    if extent.min() < FLAT * extent.max() {
        return Err(AutorigError::Flat);
    }
    match count_bodies(prepared) {
        1 => Ok(()),
        count => Err(AutorigError::Several { count }),
    }
}
