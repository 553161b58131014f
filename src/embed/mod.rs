//! Where the joints of a skeleton lie inside a character, in the unit cube of the prepared mesh. Two routes:
//!
//! * Baran & Popović 2007, "Automatic Rigging and Animation of 3D Characters", section 3, one file for each step, in
//!   this order: [`field`] (with [`outer_shell`] for characters of many shells), [`medial`], [`packing`], [`graph`],
//!   [`candidates`], [`penalty`], [`search`], [`split`], [`refine`]. It knows which branch of the body is which.
//! * [`landmarks`] reads joints off the shape: ends of limbs, places where limbs merge with the trunk, narrow sections,
//!   all found in a [`solid`] of voxels. It knows where on a branch a joint sits.

pub mod candidates;
pub mod field;
pub mod graph;
pub mod grid;
pub mod landmarks;
pub mod medial;
pub mod outer_shell;
pub mod packing;
pub mod penalty;
mod point_tree;
pub mod refine;
pub mod search;
pub mod solid;
mod sphere;
pub mod split;

pub use sphere::Sphere;
