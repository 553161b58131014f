//! Where the joints of a skeleton lie inside a character.
//!
//! Baran & Popović 2007, "Automatic Rigging and Animation of 3D Characters", section 3, one file for each step.
//! All of it happens in the unit cube of the prepared mesh.

pub mod field;
pub mod medial;
pub mod outer_shell;
pub mod packing;
mod point_tree;
pub mod refine;
mod sphere;

pub use sphere::Sphere;
