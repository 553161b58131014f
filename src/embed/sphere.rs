use crate::math::Vec3;

/// A ball inside the character, in the unit cube.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    /// Where it is.
    pub center: Vec3,
    /// Its distance from the surface.
    pub radius: f64,
}
