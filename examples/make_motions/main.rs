//! Writes the motions that come with puppetry: `cargo run --release --example make_motions [-- FOLDER]`.
//!
//! Nothing is captured. A plan of footsteps says where the feet are, curves with published amplitudes and timings move
//! the rest, inverse kinematics joins the two, and a dialect spells the result as one of the many conventions of BVH:
//!
//! ```text
//! footsteps ─┐
//!            ├─ gait, gestures, jump, steps, quadruped ─ pose (ik, skeleton) ─ dialect ─ bvh
//! curves ────┘
//! ```

// The committed files were made with these functions.
#![allow(clippy::disallowed_methods)]

mod bvh;
pub(crate) mod catalogue;
mod conventions;
mod curves;
mod dialect;
mod footsteps;
mod gait;
mod gestures;
mod ik;
mod jump;
pub(crate) mod pose;
mod quadruped;
mod skeleton;
mod standing;
mod steps;

use std::path::PathBuf;

use anyhow::Context;

fn main() -> anyhow::Result<()> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/motions");
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| default.into()));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make '{}'", folder.display()))?;
    let clips = catalogue::clips();
    let files = clips.iter().map(|clip| (format!("{}.bvh", clip.name), clip.bvh()));
    for (name, text) in files.chain([("README.md".into(), catalogue::readme(&clips))]) {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write '{}'", path.display()))?;
    }
    Ok(())
}
