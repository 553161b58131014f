//! The space in which skeletons and characters are compared: feet on y = 0, the plane between left and right at x = 0,
//! and the same height for everybody.
//!
//! The original compares in the unit cube, where a character with wide arms is smaller than one with lowered arms, so
//! that one scale of the template cannot fit both.

use super::Sphere;
use super::graph::MedialGraph;
use crate::math::{Bounds, Vec3};
use crate::mesh::prepare::PreparedMesh;

/// Height of every character in body space. The published weights belong to characters that fill the unit cube up to
/// its margins, so this is that height.
pub const HEIGHT: f64 = 0.9;

/// Least height over the longest side: a body that lies flat is compared as if it were this high.
const FLATTEST: f64 = 0.01;

/// Where a character stands in the unit cube.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyFrame {
    /// The point between the feet, in the unit cube.
    pub origin: Vec3,
    /// The character's height in the unit cube, above zero.
    pub height: f64,
}

impl BodyFrame {
    /// The frame of a character whose left and right lie on the two sides of x = `plane` in the unit cube.
    pub fn of(mesh: &PreparedMesh, plane: f64) -> BodyFrame {
        let bounds = Bounds::of(mesh.triangles.iter().flatten().map(|&v| &mesh.positions[v as usize]));
        let height = bounds.extent().y.max(FLATTEST * bounds.extent().max());
        BodyFrame { origin: Vec3::new(plane, bounds.min.y, bounds.center().z), height }
    }

    /// Length in body space over length in the unit cube.
    pub fn scale(&self) -> f64 {
        HEIGHT / self.height
    }

    /// From the unit cube to body space.
    pub fn body_from_unit(&self, point: &Vec3) -> Vec3 {
        (point - self.origin) * self.scale()
    }

    /// From body space to the unit cube.
    pub fn unit_from_body(&self, point: &Vec3) -> Vec3 {
        point / self.scale() + self.origin
    }

    /// The graph in body space.
    pub fn graph(&self, unit: &MedialGraph) -> MedialGraph {
        let spheres = unit.spheres.iter().map(|sphere| Sphere {
            center: self.body_from_unit(&sphere.center),
            radius: sphere.radius * self.scale(),
        });
        MedialGraph::new(spheres.collect(), unit.edges.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::shapes;

    #[test]
    fn the_round_trip_is_the_identity() {
        let mesh = prepare(&shapes::uv_sphere(8, 12), &PrepareOptions::default(), &mut Vec::new()).unwrap();
        let frame = BodyFrame::of(&mesh, 0.5);
        let top = Vec3::new(0.5, 0.95, 0.5);
        assert!((frame.body_from_unit(&top) - Vec3::new(0.0, HEIGHT, 0.0)).norm() < 1e-7);
        assert!((frame.unit_from_body(&frame.body_from_unit(&top)) - top).norm() < 1e-12);
    }
}
