//! Finds the places of a skeleton's joints inside a prepared mesh.
//!
//! [`landmarks`] reads them off the shape: ends of limbs, places where limbs merge with the trunk, narrow
//! sections, all found in a [`solid`] of voxels.

pub mod grid;
pub mod landmarks;
pub mod solid;
