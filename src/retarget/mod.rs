//! From a motion to a character: what its joints are, how it stands, and when its feet are planted.
//!
//! A **figure** is a hierarchy standing still: the skeleton of a character, or a motion in its **reference pose**
//! ([`mod@reference`]). Each joint gets a **role** ([`roles`]): by its name where names help, else by geometry, matched by
//! dynamic programming against bodies that are known ([`chains`]). Roles of both sides make the **joint map**
//! ([`joint_map`]), bone frames of both the **rest alignment**, and the source's feet the **contacts** ([`contacts`]).

pub mod contacts;
mod envelope;

mod foot;
pub mod footing;
mod hands;
mod human_bones;
pub mod joint_map;
pub mod metrics;
mod offline;
mod quintic;
pub mod rate_control;
pub mod reference;
mod retargeter;

mod soles;
mod target;
mod treadmill;
pub mod two_bone;

pub use human_bones::{NoPerson, human_bones};
pub use joint_map::{JointMap, map_joints};
pub use metrics::{Comparison, Metrics};
pub use offline::{Performance, RetargetError, RetargetReport, retarget};
pub use reference::{Source, SourceOptions};
pub use retargeter::{Hands, Heading, RetargetOptions, Retargeter};
pub use soles::with_soles;
pub use target::figure_of;
pub use treadmill::travelling;
