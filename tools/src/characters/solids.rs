//! Machine parts: closed meshes with flat faces and sharp edges.

use super::implicit::Ink;
use super::model::Vertex;
use puppetry::stages::math::{Quat, Vec3};
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// A closed mesh.
#[derive(Debug, Clone, Default)]
pub struct Solid {
    points: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

/// Faces that meet at a smaller angle than this are shaded as one curved surface: larger would round the bevels
/// (45°), smaller would show the sides of cylinders (360°/12).
const CREASE: f64 = 0.65;

/// A solid of revolution about the y axis, from its profile as `[radius, height]`: rising, and with radius zero
/// at both ends.
pub fn lathe(sides: u32, profile: &[[f64; 2]]) -> Solid {
    let mut solid = Solid::default();
    let mut ring_at = |&[radius, height]: &[f64; 2]| -> Vec<u32> {
        let count = if radius == 0.0 { 1 } else { sides };
        let point = |side: u32| {
            let angle = TAU * f64::from(side) / f64::from(sides);
            // To the nanometre, so that sines of mirrored angles are exactly opposite.
            let [x, z] = [angle.sin(), angle.cos()].map(|part| (radius * part * 1e9).round() / 1e9);
            Vec3::new(x, height, z)
        };
        (0..count).map(|side| solid.add(point(side))).collect()
    };
    let rings: Vec<Vec<u32>> = profile.iter().map(&mut ring_at).collect();
    for pair in rings.windows(2) {
        for side in 0..sides as usize {
            let at = |ring: usize, side: usize| pair[ring][side % pair[ring].len()];
            let [a, b, c, d] = [at(0, side), at(0, side + 1), at(1, side + 1), at(1, side)];
            // At a pole two corners coincide and one of the triangles vanishes.
            if a != b {
                solid.triangles.push([a, b, c]);
            }
            if c != d {
                solid.triangles.push([a, c, d]);
            }
        }
    }
    solid
}

/// A ball.
pub fn sphere(center: Vec3, radius: f64) -> Solid {
    let steps = 8;
    let profile: Vec<[f64; 2]> = (0..=steps)
        .map(|step| {
            let angle = 0.5 * TAU * f64::from(step) / f64::from(steps);
            let ring = if step % steps == 0 { 0.0 } else { radius * angle.sin() };
            [ring, -radius * angle.cos()]
        })
        .collect();
    lathe(14, &profile).moved(center)
}

/// A cylinder or cone with bevelled rims between two points.
pub fn rod(from: Vec3, to: Vec3, from_radius: f64, to_radius: f64) -> Solid {
    let length = (to - from).norm();
    let bevel = 0.15 * from_radius.min(to_radius).min(length);
    let profile = [
        [0.0, 0.0],
        [from_radius - bevel, 0.0],
        [from_radius, bevel],
        [to_radius, length - bevel],
        [to_radius - bevel, length],
        [0.0, length],
    ];
    let sides = if from_radius.max(to_radius) < 0.02 { 8 } else { 14 };
    lathe(sides, &profile).along(from, to)
}

/// A box with bevelled edges; `half` is from the centre to the faces.
pub fn chamfered_box(center: Vec3, half: Vec3, bevel: f64) -> Solid {
    let mut solid = Solid::default();
    // Each corner of the box becomes a triangle: one point on each of the three faces that meet there.
    for corner in 0..8u32 {
        let sign = Vec3::from_fn(|axis, _| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 });
        for face in 0..3 {
            let mut reach = half.add_scalar(-bevel);
            reach[face] = half[face];
            solid.add(sign.component_mul(&reach));
        }
    }
    let at = |corner: u32, face: u32| corner * 3 + face;
    for axis in 0..3u32 {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        for side in [0, 1 << axis] {
            solid.quad([side, side | u, side | u | v, side | v].map(|corner| at(corner, axis)));
        }
        // The bevels along this axis join the two faces beside it.
        let (face_u, face_v) = ((axis + 1) % 3, (axis + 2) % 3);
        for low in [0, u, v, u | v] {
            let high = low | 1 << axis;
            solid.quad([at(low, face_u), at(low, face_v), at(high, face_v), at(high, face_u)]);
        }
    }
    for corner in 0..8 {
        solid.outward([at(corner, 0), at(corner, 1), at(corner, 2)]);
    }
    solid.moved(center)
}

impl Solid {
    fn add(&mut self, point: Vec3) -> u32 {
        self.points.push(point);
        self.points.len() as u32 - 1
    }

    /// A triangle of a convex solid around the origin, turned to look outwards.
    fn outward(&mut self, [a, b, c]: [u32; 3]) {
        let [p, q, r] = [a, b, c].map(|v| self.points[v as usize]);
        let outwards = (q - p).cross(&(r - p)).dot(&(p + q + r)) > 0.0;
        self.triangles.push(if outwards { [a, b, c] } else { [a, c, b] });
    }

    fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.outward([a, b, c]);
        self.outward([a, c, d]);
    }

    /// The solid moved.
    pub fn moved(mut self, by: Vec3) -> Solid {
        self.points.iter_mut().for_each(|point| *point += by);
        self
    }

    /// The solid turned about the origin.
    pub fn turned(mut self, by: Quat) -> Solid {
        self.points.iter_mut().for_each(|point| *point = by * *point);
        self
    }

    /// The solid with its y axis laid along a line.
    pub fn along(self, from: Vec3, to: Vec3) -> Solid {
        let turn = Quat::rotation_between(&Vec3::y(), &(to - from))
            .unwrap_or_else(|| Quat::from_axis_angle(&Vec3::x_axis(), 0.5 * TAU));
        self.turned(turn).moved(from)
    }

    /// The same on the other side of the body.
    pub fn mirrored(mut self) -> Solid {
        self.points.iter_mut().for_each(|point| point.x = -point.x);
        self.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        self
    }

    /// Vertices with normals, split along sharp edges.
    pub fn shaded(&self, ink: Ink) -> (Vec<Vertex>, Vec<[u32; 3]>) {
        let normals: Vec<Vec3> = self.triangles.iter().map(|triangle| self.area_normal(triangle)).collect();
        let mut faces_at: Vec<Vec<usize>> = vec![Vec::new(); self.points.len()];
        for (face, triangle) in self.triangles.iter().enumerate() {
            triangle.iter().for_each(|&corner| faces_at[corner as usize].push(face));
        }
        let mut numbers = BTreeMap::new();
        let mut vertices = Vec::new();
        let corner = |face: usize, point: u32, vertices: &mut Vec<Vertex>, numbers: &mut BTreeMap<_, u32>| {
            let near: Vec<usize> = faces_at[point as usize]
                .iter()
                .copied()
                .filter(|&other| normals[other].angle(&normals[face]) < CREASE)
                .collect();
            *numbers.entry((point, near.clone())).or_insert_with(|| {
                let normal = near.iter().map(|&other| normals[other]).sum::<Vec3>().normalize();
                vertices.push(Vertex { position: self.points[point as usize], normal, ink });
                vertices.len() as u32 - 1
            })
        };
        let triangles =
            self.triangles.iter().enumerate().map(|(face, triangle)| {
                triangle.map(|point| corner(face, point, &mut vertices, &mut numbers))
            });
        let triangles = triangles.collect();
        (vertices, triangles)
    }

    fn area_normal(&self, triangle: &[u32; 3]) -> Vec3 {
        let [a, b, c] = triangle.map(|v| self.points[v as usize]);
        (b - a).cross(&(c - a))
    }
}
