//! Measures of one triangle.

use crate::math::Vec3;

/// The positions of the corners of a triangle.
pub(super) type Corners = [Vec3; 3];

/// The corners of a triangle of indices.
pub(super) fn corners(positions: &[Vec3], triangle: &[u32; 3]) -> Corners {
    triangle.map(|vertex| positions[vertex as usize])
}

/// The normal, as long as twice the area.
pub(super) fn doubled_area_normal([a, b, c]: &Corners) -> Vec3 {
    (b - a).cross(&(c - a))
}

/// The area.
pub(super) fn area(corners: &Corners) -> f64 {
    0.5 * doubled_area_normal(corners).norm()
}

/// The volume of the tetrahedron between the triangle and the origin, positive if the triangle faces away from it.
pub(super) fn signed_volume([a, b, c]: &Corners) -> f64 {
    /// A tetrahedron has a sixth of the volume of the box that its edges span.
    const BOX: f64 = 6.0;
    a.dot(&b.cross(c)) / BOX
}
