use crate::math::Vec3;

/// A ball inside the character that touches its surface: its centre is a place for a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    /// Where it is, in the unit cube.
    pub center: Vec3,
    /// Distance from the centre to the surface.
    pub radius: f64,
}
