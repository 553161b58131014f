//! How a body stands that is neither a person nor an animal on four legs, asked again where the shape is about to overrule what the file
//! says.
//!
//! The cues of [`mesh::orientation`](crate::mesh::orientation) were measured on persons and animals. Low, wide bodies such as spiders stand
//! on points, not on soles, and on the thinnest side of their box; snakes and fish do not stand at all. Two pairs of limbs that come down to
//! the ground around the middle of the body hold the axis that the file declares, three pairs, or no limbs at all, also the front. A
//! person has one such pair, a person on its back none.

use crate::Warning;
use crate::embed::census::{Census, EndRole};
use crate::embed::voxels::VoxelVolume;
use crate::mesh::Mesh;
use crate::mesh::orientation::{Orientation, OrientationOptions, OrientationReason};
use crate::mesh::prepare::{PrepareOptions, PreparedMesh, prepare_with_props};
use crate::skeleton::LimbKind;

/// A mesh that stands as its file declares after all.
pub struct Held {
    pub orientation: OrientationOptions,
    pub prepared: PreparedMesh,
    pub warnings: Vec<Warning>,
}

/// Pairs of limbs that must stand on the ground to hold the axis up, and pairs of legs to hold the front.
const PAIRS: usize = 2;
const MANY_PAIRS: usize = 3;

/// The mesh as it was declared, if the shape speaks against that and its limbs for it.
pub fn held(
    mesh: &Mesh,
    is_prop: &[bool],
    options: &PrepareOptions,
    prepared: &PreparedMesh,
) -> Option<Held> {
    let (told, declared) = (options.orientation, mesh.origin.conventions);
    let both = OrientationOptions { up: told.up.or(declared.up), front: told.front.or(declared.front) };
    if !is_overruled(&both, &prepared.placement.orientation) {
        return None;
    }
    let upright = prepared_as(mesh, is_prop, options, both)?;
    let census = Census::of(&VoxelVolume::of(&upright.prepared));
    if census.is_limbless() || census.pairs_of(EndRole::Limb(LimbKind::Leg)) >= MANY_PAIRS {
        return Some(upright);
    }
    let up_alone = OrientationOptions { front: told.front, ..both };
    let stands = both.up != Some(prepared.placement.orientation.up) && census.standing_pairs() >= PAIRS;
    stands.then(|| prepared_as(mesh, is_prop, options, up_alone)).flatten()
}

/// Whether a body was taken to stand otherwise than it was declared.
fn is_overruled(declared: &OrientationOptions, found: &Orientation) -> bool {
    declared.up.is_some_and(|up| up != found.up || declared.front.is_some_and(|front| front != found.front))
}

/// The mesh with an orientation that its file declares.
fn prepared_as(
    mesh: &Mesh,
    is_prop: &[bool],
    options: &PrepareOptions,
    orientation: OrientationOptions,
) -> Option<Held> {
    let mut warnings = Vec::new();
    let declared = PrepareOptions { orientation, ..*options };
    let mut prepared = prepare_with_props(mesh, is_prop, &declared, &mut warnings).ok()?;
    let found = &mut prepared.placement.orientation;
    if options.orientation.up.is_none() {
        found.up_reason = OrientationReason::Declared;
    }
    if options.orientation.front.is_none() && orientation.front.is_some() {
        found.front_reason = OrientationReason::Declared;
    }
    Some(Held { orientation, prepared, warnings })
}
