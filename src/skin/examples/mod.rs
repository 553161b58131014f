//! Weights from example poses: the same surface in other poses tells how much each joint moves each vertex.
//!
//! After Mohr & Gleicher, "Building efficient, accurate character skins from examples" (2003): given are the places of all vertices
//! in some poses, wanted are the weights, and where they are not known the poses of the joints. `weights` solves for the weights
//! of each vertex alone, `poses` for the poses; they alternate in `rounds`, which also tells how good the result is on an example
//! that was left out. Derived joints follow as in every pose and get weights like all others.

mod errors;
mod neighbours;
mod poses;
mod rest;
mod rounds;
mod transforms;
mod weights;

pub use errors::{ExampleError, SurfaceError};
pub use rounds::{ExampleFit, fit};

use crate::math::{Quat, Vec3};
use crate::rig::{Rig, SkinWeights};

/// A bound surface whose weights are to be improved, in the coordinates of its rig.
#[derive(Debug, Clone, Copy)]
pub struct ExampleSurface<'a> {
    /// The joints at rest, and what follows them.
    pub rig: &'a Rig,
    /// The joint that carries all others that move the surface.
    pub root: usize,
    /// The vertices at rest.
    pub positions: &'a [Vec3],
    /// The triangles.
    pub triangles: &'a [[u32; 3]],
    /// The weights to start with.
    pub weights: &'a SkinWeights,
    /// Vertices that keep their weights, in increasing order.
    pub kept: &'a [u32],
    /// The height of the body.
    pub height: f64,
}

/// The surface in another pose.
#[derive(Debug, Clone)]
pub struct Example {
    /// What it is called.
    pub name: String,
    /// Where each vertex is.
    pub targets: Vec<Vec3>,
    /// What is known of its pose.
    pub pose: ExamplePose,
}

/// What is known of the pose of an example.
#[derive(Debug, Clone, Default)]
pub enum ExamplePose {
    /// Nothing.
    #[default]
    Unknown,
    /// How far each joint has turned from rest in the coordinates of the rig, in several readings of which the best is taken. A joint
    /// of which nothing is known stands with its parent.
    Turns(Vec<Vec<Option<Quat>>>),
    /// Where some joints are.
    Places(Vec<(usize, Vec3)>),
}

/// What of the surface at rest may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExamplesRest {
    /// Nothing.
    #[default]
    Keep,
    /// Its vertices, as the examples fit best.
    Fit,
}
