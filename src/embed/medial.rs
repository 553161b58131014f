//! Points in the middle of the character: samples of the medial surface.
//!
//! Baran & Popović 2007, section 3.1: a point is medial where the gradient of the distance field rotates by a right
//! angle within next to no distance. Inside a leaf of the field the gradient is smooth, so medial points are looked for on
//! the faces between leaves.
//!
//! We differ in the depth that a sample must have. Asking the surface instead of the field, whether the nearest points
//! of the corners of small cubes lie in opposite directions, was tried: it covers limbs no better, aligned with the
//! axes or not, and takes two to three times as long.

use super::field::{DistanceField, Leaf};
use super::sphere::Sphere;
use crate::math::Vec3;
use rayon::prelude::*;
use std::cmp::Ordering;

/// Choices of [`sample`]. Lengths are in parts of the unit cube.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MedialOptions {
    /// Distance between the points that are looked at, above zero. At 0.005 there are a third as many samples, which pack
    /// as well, but bones are refined towards samples and count as centred within 0.003 of one.
    pub spacing: f64,
    /// Smallest depth of a sample. Below the tolerance of the field it is a matter of chance whether a limb has an
    /// inside. At the 0.006 of the original the end of the rat's tail is 0.11 away from any sphere, here 0.05.
    pub min_radius: f64,
}

impl Default for MedialOptions {
    fn default() -> Self {
        MedialOptions { spacing: 0.003, min_radius: 0.003 }
    }
}

/// The smallest depth of the original.
const COMPAT_RADIUS: f64 = 0.006;

impl MedialOptions {
    /// The choices of the original.
    pub fn compat() -> MedialOptions {
        MedialOptions { min_radius: COMPAT_RADIUS, ..MedialOptions::default() }
    }
}

/// Gradients are compared this far from a point, in spacings: within next to no distance.
const NEXT_TO: f64 = 0.001;

/// Points in the middle of the character, the deepest first; ties in the order of their coordinates.
///
/// # Panics
/// If the spacing is not above zero.
pub fn sample(field: &DistanceField, options: &MedialOptions) -> Vec<Sphere> {
    assert!(options.spacing > 0.0, "the spacing of samples is above zero");
    let mut samples: Vec<Sphere> = field
        .leaves()
        .par_iter()
        .with_min_len(16)
        .filter(|leaf| {
            leaf.greatest_depth() > 0.0 && gradient_rotates(field, &leaf.center(), leaf.half_diagonal())
        })
        .flat_map_iter(|leaf| samples_of(field, leaf, options))
        .collect();
    samples.par_sort_by(|a, b| {
        b.radius.total_cmp(&a.radius).then_with(|| {
            let mut by_position = a.center.iter().zip(&b.center).map(|(a, b)| a.total_cmp(b));
            by_position.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        })
    });
    samples
}

/// Whether two of the gradients at the corners of a cube of half side `reach` are at a right angle or more.
fn gradient_rotates(field: &DistanceField, center: &Vec3, reach: f64) -> bool {
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

/// The medial ones of a grid of points on the three low faces of a leaf; the other faces are those of its neighbours.
fn samples_of(field: &DistanceField, leaf: &Leaf, options: &MedialOptions) -> Vec<Sphere> {
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
            if radius > options.min_radius && gradient_rotates(field, &center, NEXT_TO * step) {
                samples.push(Sphere { center, radius });
            }
        }
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::field::FieldOptions;
    use crate::mesh::{Mesh, TriangleTree, shapes};

    fn samples_in(mesh: &Mesh) -> Vec<Sphere> {
        let tree = TriangleTree::new(&mesh.positions, &mesh.triangles);
        sample(&DistanceField::new(&tree, &FieldOptions::default()), &MedialOptions::default())
    }

    /// An upright capsule of radius 0.1 whose axis runs from y = 0.3 to y = 0.7.
    fn capsule() -> Mesh {
        let mut mesh = shapes::uv_sphere(64, 128);
        for p in &mut mesh.positions {
            let end = if p.y > 1e-9 { 0.7 } else { 0.3 };
            *p = Vec3::new(0.5 + 0.1 * p.x, end + 0.1 * p.y, 0.5 + 0.1 * p.z);
        }
        mesh
    }

    #[test]
    fn samples_of_a_capsule_lie_on_its_axis_with_its_radius() {
        let samples = samples_in(&capsule());
        assert!(samples.len() > 50);
        for Sphere { center, radius } in &samples {
            let on_axis = Vec3::new(0.5, center.y.clamp(0.3, 0.7), 0.5);
            assert!((center - on_axis).norm() < 0.02, "{center}");
            assert!((radius - 0.1).abs() < 0.02, "{radius}");
        }
        for i in 0..=40 {
            let place = Vec3::new(0.5, 0.3 + 0.01 * f64::from(i), 0.5);
            assert!(samples.iter().any(|sample| (sample.center - place).norm() < 0.02), "{place}");
        }
    }

    #[test]
    fn samples_come_thickest_first_for_any_number_of_threads() {
        let with_threads = |count: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
            pool.install(|| samples_in(&capsule()))
        };
        let samples = with_threads(1);
        assert!(samples.is_sorted_by(|a, b| a.radius >= b.radius));
        assert_eq!(samples, with_threads(2));
    }

    #[test]
    fn nothing_has_no_middle() {
        assert_eq!(samples_in(&Mesh::default()), []);
    }
}
