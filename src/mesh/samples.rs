//! Points spread evenly over a surface, independent of how it is tessellated.

use super::triangle::{corners, doubled_area_normal};
use crate::math::Vec3;

/// A point on a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Its position.
    pub position: Vec3,
    /// Unit normal of its triangle.
    pub normal: Vec3,
    /// Its triangle.
    pub triangle: usize,
}

/// `count` points on the surface, as many in a triangle as its area deserves: stratified along the cumulated
/// area, and inside a triangle by Roberts' R2 sequence (a two-dimensional golden ratio), so that there is no
/// randomness. Triangles must have positive area.
pub fn sample_surface(positions: &[Vec3], triangles: &[[u32; 3]], count: usize) -> Vec<Sample> {
    if triangles.is_empty() {
        return Vec::new();
    }
    let mut total = 0.0;
    let cumulated: Vec<f64> = triangles
        .iter()
        .map(|triangle| {
            total += doubled_area_normal(&corners(positions, triangle)).norm();
            total
        })
        .collect();
    // Powers of the inverse of the plastic number, the root of x³ = x + 1.
    const STEP: [f64; 2] = [0.754_877_666_246_692_8, 0.569_840_290_998_053_3];
    (0..count)
        .map(|k| {
            let area = (k as f64 + 0.5) / count as f64 * total;
            let triangle = cumulated.partition_point(|&sum| sum < area).min(triangles.len() - 1);
            let corners = corners(positions, &triangles[triangle]);
            let [a, b, c] = corners;
            let [u, v] = STEP.map(|step| (0.5 + step * k as f64).fract());
            // The unit square folded onto the triangle keeps areas.
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            Sample {
                position: a + (b - a) * u + (c - a) * v,
                normal: doubled_area_normal(&corners).normalize(),
                triangle,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_follow_area_and_not_tessellation() {
        // The unit square: its left half is one rectangle, its right half a fan of a thousand slivers.
        let mut positions =
            vec![Vec3::zeros(), Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.5, 1.0, 0.0), Vec3::y()];
        let mut triangles = vec![[0, 1, 2], [0, 2, 3]];
        let apex = positions.len() as u32;
        positions.push(Vec3::new(0.5, 0.0, 0.0));
        positions.extend((0..=1000).map(|i| Vec3::new(1.0, i as f64 / 1000.0, 0.0)));
        positions.push(Vec3::new(0.5, 1.0, 0.0));
        triangles.extend((0..=1000).map(|i| [apex, apex + 1 + i, apex + 2 + i]));
        let samples = sample_surface(&positions, &triangles, 4000);
        for quadrant in 0..4 {
            let (right, upper) = (quadrant % 2 == 1, quadrant / 2 == 1);
            let inside =
                samples.iter().filter(|s| (s.position.x > 0.5) == right && (s.position.y > 0.5) == upper);
            let count = inside.count();
            assert!((960..=1040).contains(&count), "quadrant {quadrant} has {count} of 4000");
        }
        assert!(samples.iter().all(|s| (s.normal - Vec3::z()).norm() < 1e-12));
    }
}
