//! Motion retargeting: from a motion to a character. What the joints of the motion are, how it stands, when its feet are
//! planted, and the same motion on another body, without foot skating.
//!
//! A **figure** is a hierarchy standing still: the skeleton of a character, or a motion in its **reference pose**
//! ([`mod@reference`]). Each joint gets a **role** ([`crate::skeleton::roles`]): by its name where names help, else by geometry, matched by
//! dynamic programming against bodies that are known ([`crate::skeleton::chains`]). Roles of both sides make the **joint map**
//! ([`joint_map`]), bone frames of both the **rest alignment** ([`mod@rest_alignment`]), and the source's feet the
//! **contacts** ([`contacts`]). The [`Retargeter`] then moves a character frame by frame: joints imitate the source's rotations,
//! feet follow a trajectory that is still while they are planted, the pelvis rises and sinks until knees are bent as the source's,
//! and inverse kinematics ([`ik_two_bone`], [`ik_dls`]) bend the legs.

mod body_ground;
mod collars;
mod collisions;
pub mod contact_height;
pub mod contacts;
mod feet_in_air;
mod fingers;
mod foot;
mod found_helpers;
mod girths;
mod hands;
mod human_bones;
pub mod ik_dls;
pub mod ik_two_bone;
mod in_place;
mod inertializer;
pub mod joint_map;
mod limiter;
pub mod metrics;
mod moved_tree;
mod offline;
mod pelvis_height;
pub mod reference;
pub mod rest_alignment;
mod retargeter;
mod separate_feet;
mod soles;
mod target;
mod twist_jumps;

pub use fingers::FingerCount;
pub use found_helpers::with_helpers;
pub use human_bones::{NoPerson, human_bones};
pub use in_place::in_place_velocity;
pub use joint_map::{JointMap, map_joints};
pub use metrics::{Comparison, Metrics};
pub use offline::{RetargetError, RetargetReport, RetargetedMotion, retarget};
pub use reference::{Source, SourceOptions};
pub use retargeter::{Hands, Heading, RetargetOptions, Retargeter};
pub use soles::with_soles;
pub use target::{Target, figure_of};
pub use twist_jumps::without_twist_jumps;

use crate::math::Vec3;
use crate::skeleton::Figure;
use crate::skeleton::naming::{Limb, Segment, Side};

/// Vectors that are shorter, in whatever unit, have no direction.
const NO_DIRECTION: f64 = 1e-9;

/// Where a joint of a limb is.
fn limb_position(figure: &Figure, (limb, side): (Limb, Side), segment: Segment) -> Option<Vec3> {
    figure.limb(limb, side, segment).map(|joint| figure.positions[joint])
}

/// From the beginning of the right one of two limbs to that of the left one.
fn limb_across(figure: &Figure, limb: Limb) -> Option<Vec3> {
    let [left, right] =
        [Side::Left, Side::Right].map(|side| limb_position(figure, (limb, side), Segment::Upper));
    Some(left? - right?)
}
