//! Overlays as triangles in the image.

use super::camera::{Projected, View};
use super::scene::{Overlay, OverlayShape};
use crate::math::{Vec3, hypot, sin_cos};
use std::f64::consts::TAU;

/// A triangle of an overlay, with its colour.
pub(super) struct Stroke {
    pub corners: [Projected; 3],
    pub color: [f32; 3],
    /// What of it is seen through a surface.
    pub through: f32,
}

/// What remains of an overlay behind a surface. A print lies on the floor: what stands on it hides it.
const THROUGH_SURFACE: f32 = 0.35;

/// Corners of a disc or circle, from tiny to large: with fewer, a ball that fills the image shows them; with so many
/// everywhere, ten thousand dots take seconds.
const ROUND: std::ops::RangeInclusive<usize> = 8..=48;
/// Corners for the root of the radius in samples: the sides stay within a tenth of a sample of the circle.
const ROUND_PER_ROOT: f64 = 6.0;
/// Corners of a footprint, its width in parts of its length, and its length in parts of the sole's.
const PRINT_CORNERS: usize = 20;
const PRINT_WIDTH: f64 = 0.36;
const PRINT_OVERHANG: f64 = 1.12;
/// Thickness of a bone in parts of its length, and where it is thickest.
const BONE_RADIUS: f64 = 0.09;
const BONE_WAIST: f64 = 0.18;

/// Directions closer to the vertical than this cosine take x, not y, as a hint for the sides of a bone.
const STEEP: f64 = 0.9;
/// Brightness of a bone's faces: of all, more of those that face up, and of those that face the viewer.
const BONE_LIGHT: [f64; 3] = [0.62, 0.2, 0.25];

/// All overlays as triangles. `samples` is the number of samples along the side of a pixel.
pub(super) fn strokes(overlays: &[Overlay], view: &View, samples: f64) -> Vec<Stroke> {
    let mut strokes = Vec::new();
    for overlay in overlays {
        let through = if matches!(overlay.shape, OverlayShape::Print { .. }) { 0.0 } else { THROUGH_SURFACE };
        Pen { view, samples, color: overlay.color, through, strokes: &mut strokes }.draw(&overlay.shape);
    }
    strokes
}

/// Draws the triangles of one overlay.
struct Pen<'a> {
    view: &'a View,
    samples: f64,
    color: [f32; 3],
    through: f32,
    strokes: &'a mut Vec<Stroke>,
}

impl Pen<'_> {
    fn draw(&mut self, shape: &OverlayShape) {
        match *shape {
            OverlayShape::Line { from, to, width } => self.line(&from, &to, width * self.samples),
            OverlayShape::Bone { from, to } => self.bone(&from, &to),
            OverlayShape::Dot { center, radius } => {
                self.ring(self.view.project(&center), 0.0, radius * self.samples);
            }
            OverlayShape::Print { heel, toe } => self.print(&heel, &toe),
            OverlayShape::Circle { center, radius, width } => {
                let center = self.view.project(&center);
                let radius = radius * self.view.samples_per_unit(center[3]);
                let half = width * self.samples * 0.5;
                self.ring(center, (radius - half).max(0.0), radius + half);
            }
        }
    }

    fn triangle(&mut self, corners: [Projected; 3]) {
        self.strokes.push(Stroke { corners, color: self.color, through: self.through });
    }

    /// A strip of constant width in the image.
    fn line(&mut self, from: &Vec3, to: &Vec3, width: f64) {
        let Some([a, b]) = self.visible_part(self.view.project(from), self.view.project(to)) else { return };
        let (dx, dy) = (b[0] / b[3] - a[0] / a[3], b[1] / b[3] - a[1] / a[3]);
        let length = hypot(dx, dy);
        if !(length > 0.0) {
            return;
        }
        let side = [-dy / length * width * 0.5, dx / length * width * 0.5];
        let [a0, a1] = [shifted(a, side), shifted(a, side.map(|s| -s))];
        let [b0, b1] = [shifted(b, side), shifted(b, side.map(|s| -s))];
        self.triangle([a0, a1, b0]);
        self.triangle([b0, a1, b1]);
    }

    /// The part of a line in front of the eye: its direction in the image needs both ends there.
    fn visible_part(&self, a: Projected, b: Projected) -> Option<[Projected; 2]> {
        let near = self.view.near();
        match (a[3] < near, b[3] < near) {
            (true, true) => None,
            (true, false) => Some([cut(&a, &b, near), b]),
            (false, true) => Some([a, cut(&b, &a, near)]),
            (false, false) => Some([a, b]),
        }
    }

    /// A disc with a hole.
    fn ring(&mut self, center: Projected, inner: f64, outer: f64) {
        let corners = ((ROUND_PER_ROOT * outer.sqrt()) as usize).clamp(*ROUND.start(), *ROUND.end());
        let circle: Vec<(f64, f64)> =
            (0..corners).map(|corner| sin_cos(TAU * corner as f64 / corners as f64)).collect();
        for corner in 0..corners {
            let (this, next) = (circle[corner], circle[(corner + 1) % corners]);
            let [o0, o1] = [this, next].map(|(sin, cos)| shifted(center, [cos * outer, sin * outer]));
            let [i0, i1] = [this, next].map(|(sin, cos)| shifted(center, [cos * inner, sin * inner]));
            self.triangle([i0, o0, o1]);
            if inner > 0.0 {
                self.triangle([i0, o1, i1]);
            }
        }
    }

    /// An oval on the floor around heel and toe.
    fn print(&mut self, heel: &Vec3, toe: &Vec3) {
        let half = (toe - heel) * (0.5 * PRINT_OVERHANG);
        let (center, side) = ((heel + toe) * 0.5, half.cross(&Vec3::y()) * PRINT_WIDTH);
        let corners: Vec<Projected> = (0..PRINT_CORNERS)
            .map(|corner| {
                let (sin, cos) = sin_cos(TAU * corner as f64 / PRINT_CORNERS as f64);
                self.view.project(&(center + half * cos + side * sin))
            })
            .collect();
        let middle = self.view.project(&center);
        for i in 0..PRINT_CORNERS {
            self.triangle([middle, corners[i], corners[(i + 1) % PRINT_CORNERS]]);
        }
    }

    /// An octahedron, with a brightness for each face.
    fn bone(&mut self, from: &Vec3, to: &Vec3) {
        let along = to - from;
        let length = along.norm();
        let Some(direction) = along.try_normalize(0.0) else { return };
        let sideways = if direction.y.abs() < STEEP { Vec3::y() } else { Vec3::x() };
        let across = direction.cross(&sideways).normalize();
        let other = direction.cross(&across);
        let waist = from + along * BONE_WAIST;
        let ring = [across, other, -across, -other].map(|side| waist + side * (BONE_RADIUS * length));
        let towards_viewer = self.view.camera.camera_from_world.row(2).transpose();
        for i in 0..4 {
            for end in [from, to] {
                let corners = [*end, ring[i], ring[(i + 1) % 4]];
                let normal =
                    (corners[1] - end).cross(&(corners[2] - end)).try_normalize(0.0).unwrap_or_default();
                // One side or the other faces the viewer, and the upper ones are lighter.
                let sign = normal.dot(&towards_viewer).signum();
                let [all, up, facing] = BONE_LIGHT;
                let light = all + up * normal.y * sign + facing * normal.dot(&towards_viewer).abs();
                let color = self.color.map(|c| c * light as f32);
                let corners = corners.map(|corner| self.view.project(&corner));
                self.strokes.push(Stroke { corners, color, through: self.through });
            }
        }
    }
}

/// The point of a line at the near plane, between an end behind the eye and one before it.
fn cut(behind: &Projected, before: &Projected, near: f64) -> Projected {
    let t = (before[3] - near) / (before[3] - behind[3]);
    std::array::from_fn(|axis| before[axis] + (behind[axis] - before[axis]) * t)
}

/// A projected point moved by samples in the image.
fn shifted(point: Projected, by: [f64; 2]) -> Projected {
    [point[0] + by[0] * point[3], point[1] + by[1] * point[3], point[2], point[3]]
}
