//! The motions that come with puppetry.
//!
//! Nothing is captured. A plan of footsteps says where the feet are, curves with published amplitudes and timings move
//! the rest, inverse kinematics joins the two, and a dialect spells the result as one of the many conventions of BVH:
//!
//! ```text
//! footsteps ─┐
//!            ├─ gait, gestures, jump, steps, quadruped ─ pose (ik, skeleton) ─ dialect ─ bvh
//! curves ────┘
//! ```

mod bvh;
pub mod catalogue;
mod conventions;
mod curves;
mod dialect;
mod floor;
mod footsteps;
mod gait;
mod gestures;
mod ik;
mod jump;
pub mod pose;
mod quadruped;
mod skeleton;
mod standing;
mod steps;
