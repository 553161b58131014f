//! Every stage with its intermediate values, for research and tools.
//!
//! Names and signatures here may change from one version to the next; what stands at the root of the crate does so only with a
//! word in the changelog.

#[path = "bodyparts/mod.rs"]
pub mod bodyparts;
#[path = "clip/mod.rs"]
pub mod clip;
#[path = "embed/mod.rs"]
pub mod embed;
#[path = "io/mod.rs"]
pub mod io;
#[path = "learn/mod.rs"]
pub mod learn;
#[path = "math/mod.rs"]
pub mod math;
#[path = "mesh/mod.rs"]
pub mod mesh;
#[path = "motion/mod.rs"]
pub mod motion;
#[path = "parts/mod.rs"]
pub mod parts;
#[path = "pipeline/mod.rs"]
pub mod pipeline;
#[cfg(feature = "preview")]
#[path = "preview/mod.rs"]
pub mod preview;
#[path = "retarget/mod.rs"]
pub mod retarget;
#[path = "rig/mod.rs"]
pub mod rig;
#[path = "skeleton/mod.rs"]
pub mod skeleton;
#[path = "skin/mod.rs"]
pub mod skin;
