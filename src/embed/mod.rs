//! Finds a skeleton inside a character.
//!
//! Baran & Popović 2007, "Automatic Rigging and Animation of 3D Characters", section 3.

pub mod candidates;
pub mod graph;
pub mod penalty;
pub mod search;
mod sphere;
pub mod split;

pub use sphere::Sphere;
