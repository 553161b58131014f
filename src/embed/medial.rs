//! Points in the middle of the character: samples of the medial surface.
//!
//! Baran & Popović 2007, section 3.1: a point is medial where the gradient of the distance field turns within a
//! short way. The original looks for turns between the leaves of the octree, at points on their faces; that is
//! [`MedialMethod::GradientTurns`]. It depends on how the leaves lie: a limb along an axis is met by many faces, one
//! askew by few, and on thin limbs two leaves side by side may both be half outside.
//!
//! [`MedialMethod::SeparateFeet`] asks the surface itself: a cube is medial if the nearest points of the surface, as
//! seen from its corners, lie in opposite directions.

use super::field::{DistanceField, Leaf};
use super::sphere::Sphere;
use crate::math::Vec3;
use crate::mesh::TriangleTree;
use rayon::prelude::*;
use std::cmp::Ordering;

/// How medial points are recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MedialMethod {
    /// By the nearest points of the surface.
    #[default]
    SeparateFeet,
    /// By the gradient of the distance field across the faces of its leaves, as the original does.
    GradientTurns,
}

/// Choices of [`sample`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MedialOptions {
    /// How medial points are recognised.
    pub method: MedialMethod,
    /// Distance between samples where the field is coarser than that, in parts of the unit cube.
    pub spacing: f64,
    /// Smallest depth of a sample. Below the field's tolerance its inside is a matter of chance; the original's 0.006
    /// loses fingers and thin tails.
    pub min_radius: f64,
}

impl Default for MedialOptions {
    fn default() -> Self {
        MedialOptions { method: MedialMethod::SeparateFeet, spacing: 0.012, min_radius: 0.003 }
    }
}

impl MedialOptions {
    /// The choices of the original.
    pub fn compat() -> MedialOptions {
        MedialOptions { method: MedialMethod::GradientTurns, spacing: 0.003, min_radius: 0.006 }
    }
}

/// Cosine of the angle between the ways to two feet from which on a cube is medial: 107°. At the paper's 90° every
/// edge of a box is medial down to its corner, and a box robot has several times the spheres; at 120° the medial
/// sheets of flat hands and feet break up.
const SEPARATE: f64 = -0.3;

/// Points in the middle of the character, the thickest places first; ties in the order of their coordinates.
pub fn sample(field: &DistanceField, boundary: &TriangleTree, options: &MedialOptions) -> Vec<Sphere> {
    let mut samples: Vec<Sphere> = field
        .leaves()
        .par_iter()
        .with_min_len(16)
        .filter(|leaf| {
            leaf.greatest_depth() > 0.0 && gradient_turns(field, &leaf.center(), leaf.half_diagonal())
        })
        .flat_map_iter(|leaf| match options.method {
            MedialMethod::SeparateFeet => by_separate_feet(field, boundary, leaf, options),
            MedialMethod::GradientTurns => by_gradient_turns(field, leaf, options),
        })
        .collect();
    samples.par_sort_by(|a, b| {
        let by_place =
            || a.center.iter().zip(&b.center).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
        b.radius.total_cmp(&a.radius).then_with(|| by_place().unwrap_or(Ordering::Equal))
    });
    samples
}

/// Whether two of the gradients at the corners of a cube of half side `reach` are at a right angle or more.
fn gradient_turns(field: &DistanceField, center: &Vec3, reach: f64) -> bool {
    let mut seen = [Vec3::zeros(); 8];
    for corner in 0..8 {
        let gradient = field.gradient(&(center + corner_direction(corner) * reach)).normalize();
        if seen[..corner].iter().any(|other| gradient.dot(other) <= 0.0) {
            return true;
        }
        seen[corner] = gradient;
    }
    false
}

/// From the middle of the cube from −1 to 1 to its corners.
fn corner_direction(corner: usize) -> Vec3 {
    Vec3::from_fn(|axis, _| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 })
}

/// The original's samples: a grid of points on the three low faces of the leaf, of which those are kept where the
/// gradient of the neighbouring leaves turns.
fn by_gradient_turns(field: &DistanceField, leaf: &Leaf, options: &MedialOptions) -> Vec<Sphere> {
    let step = options.spacing;
    let steps = (leaf.side / step) as usize;
    let mut samples = Vec::new();
    for (i, j) in (0..=steps).flat_map(|i| (0..=steps).map(move |j| (i, j))) {
        let (u, v) = (i as f64 * step, j as f64 * step);
        // Points on the edges between two of the faces are met once.
        let on_faces = [
            Some(Vec3::new(u, v, 0.0)),
            (j != 0).then(|| Vec3::new(u, 0.0, v)),
            (i != 0 && j != 0).then(|| Vec3::new(0.0, u, v)),
        ];
        for offset in on_faces.into_iter().flatten() {
            let center = leaf.low + offset;
            let radius = -field.value(&center);
            if radius > options.min_radius && gradient_turns(field, &center, 0.001 * step) {
                samples.push(Sphere { center, radius });
            }
        }
    }
    samples
}

/// The middles of those parts of the leaf whose corners have their feet on opposite sides.
fn by_separate_feet(
    field: &DistanceField,
    boundary: &TriangleTree,
    leaf: &Leaf,
    options: &MedialOptions,
) -> Vec<Sphere> {
    let parts = (leaf.side / options.spacing).ceil().max(1.0) as usize;
    let side = leaf.side / parts as f64;
    let mut samples = Vec::new();
    for part in 0..parts.pow(3) {
        let place =
            Vec3::new((part % parts) as f64, (part / parts % parts) as f64, (part / parts.pow(2)) as f64);
        let center = leaf.low + (place + Vec3::repeat(0.5)) * side;
        if -field.value(&center) > -side {
            samples.extend(separate_feet(field, boundary, &center, side, options.min_radius));
        }
    }
    samples
}

/// The sphere in the middle between the two feet, seen from the corners of a cube, that lie in the most different
/// directions; none if they do not lie in opposite ones.
fn separate_feet(
    field: &DistanceField,
    boundary: &TriangleTree,
    center: &Vec3,
    side: f64,
    min_radius: f64,
) -> Option<Sphere> {
    let corners: [Vec3; 8] = std::array::from_fn(|corner| center + corner_direction(corner) * (0.5 * side));
    let mut ways = [Vec3::zeros(); 8];
    for (way, corner) in ways.iter_mut().zip(&corners) {
        let inward = if field.value(corner) < 0.0 { 1.0 } else { -1.0 };
        *way = (boundary.nearest(corner)?.point - corner) * inward;
    }
    let mut best = (SEPARATE, 0, 0);
    for (a, b) in (0..8).flat_map(|a| (0..a).map(move |b| (b, a))) {
        let cosine = ways[a].normalize().dot(&ways[b].normalize());
        if cosine < best.0 {
            best = (cosine, a, b);
        }
    }
    let (_, a, b) = best;
    if a == b {
        return None;
    }
    let feet = [corners[a] + ways[a], corners[b] + ways[b]];
    // As far from one foot as from the other: linear along the way between the corners.
    let along = corners[b] - corners[a];
    let difference = (corners[a] - feet[0]).norm_squared() - (corners[a] - feet[1]).norm_squared();
    let slope = 2.0 * along.dot(&(feet[1] - feet[0]));
    let t = if slope.abs() > 0.0 { (-difference / slope).clamp(0.0, 1.0) } else { 0.5 };
    let center = corners[a] + along * t;
    let radius = boundary.nearest(&center)?.distance;
    (radius >= min_radius && field.value(&center) < 0.0).then_some(Sphere { center, radius })
}
