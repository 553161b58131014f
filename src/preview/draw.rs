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

/// All overlays as triangles. `samples` is the number of samples along the side of a pixel.
pub(super) fn strokes(overlays: &[Overlay], view: &View, samples: f64) -> Vec<Stroke> {
    let mut strokes = Vec::new();
    for &Overlay { ref shape, color } in overlays {
        let through = if matches!(shape, OverlayShape::Print { .. }) { 0.0 } else { THROUGH_SURFACE };
        let mut draw =
            |corners: [Projected; 3], color: [f32; 3]| strokes.push(Stroke { corners, color, through });
        match *shape {
            OverlayShape::Line { from, to, width } => {
                line(&from, &to, width * samples, view, |t| draw(t, color))
            }
            OverlayShape::Bone { from, to } => {
                bone(&from, &to, view, |t, light| draw(t, color.map(|c| c * light)))
            }
            OverlayShape::Dot { center, radius } => {
                let center = view.project(&center);
                ring(center, 0.0, radius * samples, |t| draw(t, color));
            }
            OverlayShape::Print { heel, toe } => print(&heel, &toe, view, |t| draw(t, color)),
            OverlayShape::Circle { center, radius, width } => {
                let center = view.project(&center);
                let (radius, half) = (radius * view.samples_per_unit(center[3]), width * samples * 0.5);
                ring(center, (radius - half).max(0.0), radius + half, |t| draw(t, color));
            }
        }
    }
    strokes
}

/// A strip of constant width in the image.
fn line(from: &Vec3, to: &Vec3, width: f64, view: &View, mut draw: impl FnMut([Projected; 3])) {
    let (mut a, mut b) = (view.project(from), view.project(to));
    let near = view.near();
    if a[3] < near && b[3] < near {
        return;
    }
    // The direction in the image needs both ends in front of the eye.
    let cut = |behind: &Projected, before: &Projected| -> Projected {
        let t = (before[3] - near) / (before[3] - behind[3]);
        std::array::from_fn(|axis| before[axis] + (behind[axis] - before[axis]) * t)
    };
    if a[3] < near {
        a = cut(&a, &b);
    } else if b[3] < near {
        b = cut(&b, &a);
    }
    let (dx, dy) = (b[0] / b[3] - a[0] / a[3], b[1] / b[3] - a[1] / a[3]);
    let length = hypot(dx, dy);
    if !(length > 0.0) {
        return;
    }
    let side = [-dy / length * width * 0.5, dx / length * width * 0.5];
    let [a0, a1] = [shifted(a, side), shifted(a, side.map(|s| -s))];
    let [b0, b1] = [shifted(b, side), shifted(b, side.map(|s| -s))];
    draw([a0, a1, b0]);
    draw([b0, a1, b1]);
}

/// A disc with a hole.
fn ring(center: Projected, inner: f64, outer: f64, mut draw: impl FnMut([Projected; 3])) {
    let corners = ((ROUND_PER_ROOT * outer.sqrt()) as usize).clamp(*ROUND.start(), *ROUND.end());
    let at = |corner: usize, radius: f64| {
        let (sin, cos) = sin_cos(TAU * (corner % corners) as f64 / corners as f64);
        shifted(center, [cos * radius, sin * radius])
    };
    for corner in 0..corners {
        let (o0, o1) = (at(corner, outer), at(corner + 1, outer));
        let (i0, i1) = (at(corner, inner), at(corner + 1, inner));
        draw([i0, o0, o1]);
        if inner > 0.0 {
            draw([i0, o1, i1]);
        }
    }
}

/// An oval on the floor around heel and toe.
fn print(heel: &Vec3, toe: &Vec3, view: &View, mut draw: impl FnMut([Projected; 3])) {
    let half = (toe - heel) * (0.5 * PRINT_OVERHANG);
    let (center, side) = ((heel + toe) * 0.5, half.cross(&Vec3::y()) * PRINT_WIDTH);
    let corner = |corner: usize| {
        let (sin, cos) = sin_cos(TAU * corner as f64 / PRINT_CORNERS as f64);
        view.project(&(center + half * cos + side * sin))
    };
    let middle = view.project(&center);
    for i in 0..PRINT_CORNERS {
        draw([middle, corner(i), corner((i + 1) % PRINT_CORNERS)]);
    }
}

/// An octahedron, with a brightness for each face.
fn bone(from: &Vec3, to: &Vec3, view: &View, mut draw: impl FnMut([Projected; 3], f32)) {
    let along = to - from;
    let length = along.norm();
    let Some(direction) = along.try_normalize(0.0) else { return };
    let sideways = if direction.y.abs() < 0.9 { Vec3::y() } else { Vec3::x() };
    let across = direction.cross(&sideways).normalize();
    let other = direction.cross(&across);
    let waist = from + along * BONE_WAIST;
    let corner = |i: usize| waist + [across, other, -across, -other][i % 4] * (BONE_RADIUS * length);
    let towards_viewer = view.camera.camera_from_world.row(2).transpose();
    for i in 0..4 {
        for end in [from, to] {
            let corners = [*end, corner(i), corner(i + 1)];
            let normal = (corners[1] - end).cross(&(corners[2] - end)).try_normalize(0.0).unwrap_or_default();
            // One side or the other faces the viewer, and the upper ones are lighter.
            let sign = normal.dot(&towards_viewer).signum();
            let light = 0.62 + 0.2 * normal.y * sign + 0.25 * normal.dot(&towards_viewer).abs();
            draw(corners.map(|corner| view.project(&corner)), light as f32);
        }
    }
}

/// A projected point moved by samples in the image.
fn shifted(point: Projected, by: [f64; 2]) -> Projected {
    [point[0] + by[0] * point[3], point[1] + by[1] * point[3], point[2], point[3]]
}
