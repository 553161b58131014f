//! nalgebra's `f64` types under short names, signed axes, boxes, elementary functions with the same bits everywhere, buckets
//! and disjoint sets, minimisers with and without derivatives, parabolas, random numbers, least squares on the simplex,
//! sparse symmetric systems, the sRGB curve.
//!
//! One vector type serves for points and directions; what a value is, and the space it lives in, is said by its name.

mod axis;
mod bounds;
mod buckets;
pub mod cholesky;
mod digits;
mod disjoint_sets;
mod elementary;
mod lbfgs;
mod median;
mod nelder_mead;
mod parabola;
mod random;
pub mod simplex;
mod smoothing;
mod srgb;

pub use axis::Axis;
pub use bounds::Bounds;
pub use buckets::Buckets;
pub use digits::typed;
pub use disjoint_sets::{DisjointSets, Sides};
pub use elementary::{
    acos, asin, atan2, cbrt, cos, cube, exp, exp2, hypot, ln, log2, log10, pow, powi, sin, sin_cos, square,
    tan, tanh,
};
pub use lbfgs::{MinimiseOptions, minimise};
pub use median::median;
pub use nelder_mead::nelder_mead;
pub use parabola::Parabola;
pub use random::Random;
pub use smoothing::gaussian_smoothed;
pub use srgb::{SrgbTable, srgb_to_linear};

/// A point or a direction.
pub type Vec3 = nalgebra::Vector3<f64>;
/// A 3×3 matrix; columns are the images of the axes.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// A 4×4 matrix acting on column vectors.
pub type Mat4 = nalgebra::Matrix4<f64>;
/// A unit quaternion.
pub type Quat = nalgebra::UnitQuaternion<f64>;
/// Uniform scale, then rotation, then translation.
pub type Similarity = nalgebra::Similarity3<f64>;

/// The rotation that an orthonormal matrix is. `Quat::from_matrix` iterates and does not find half turns.
pub fn rotation_of(matrix: &Mat3) -> Quat {
    Quat::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(*matrix))
}
