//! Boxes that lie along what they contain.

use crate::math::{Mat3, Vec3};

/// A box with axes of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrientedBox {
    /// Its middle.
    pub center: Vec3,
    /// Its unit axes, as columns.
    pub axes: Mat3,
    /// Half of its size along each axis.
    pub half: Vec3,
}

/// The cross product of two unit axes shorter than this is rounding: parallel edges have no axis of their own.
const PARALLEL: f64 = 1e-9;

impl OrientedBox {
    /// The box around `points` along the principal axes of `samples`, which are spread evenly over their surface.
    ///
    /// # Panics
    /// If there are no points or no samples.
    pub fn of(points: impl Iterator<Item = Vec3> + Clone, samples: &[Vec3]) -> OrientedBox {
        let mean = samples.iter().sum::<Vec3>() / samples.len() as f64;
        let covariance: Mat3 = samples.iter().map(|p| (p - mean) * (p - mean).transpose()).sum();
        let axes = covariance.symmetric_eigen().eigenvectors;
        let (mut min, mut max) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for point in points {
            let along = axes.tr_mul(&point);
            (min, max) = (min.inf(&along), max.sup(&along));
        }
        assert!(min.x <= max.x, "a box is around points");
        OrientedBox { center: axes * ((min + max) * 0.5), axes, half: (max - min) * 0.5 }
    }

    /// Whether two boxes come closer than `margin`, by the fifteen axes that can separate boxes (Gottschalk, Lin and
    /// Manocha 1996). Boxes whose corners pass each other diagonally may count as close from a little farther.
    pub fn is_near(&self, other: &OrientedBox, margin: f64) -> bool {
        let own = (0..3).map(|i| self.axes.column(i).into_owned());
        let others = (0..3).map(|i| other.axes.column(i).into_owned());
        let crossed = own.clone().flat_map(|a| (0..3).map(move |i| a.cross(&other.axes.column(i))));
        !own.chain(others).chain(crossed).any(|axis| self.is_separated(other, &axis, margin))
    }

    /// Whether two boxes are farther apart than `margin` along an axis.
    fn is_separated(&self, other: &OrientedBox, axis: &Vec3, margin: f64) -> bool {
        let (length, distance) = (axis.norm(), (other.center - self.center).dot(axis).abs());
        length >= PARALLEL && distance > self.radius(axis) + other.radius(axis) + margin * length
    }

    /// Half of the extent along an axis, times its length.
    fn radius(&self, axis: &Vec3) -> f64 {
        self.axes.tr_mul(axis).abs().dot(&self.half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    /// A box of half sizes 3, 2, 1 that is turned and moved.
    fn boxed(turn: &Quat, shift: &Vec3) -> OrientedBox {
        let corner = |i: usize| {
            let side = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            shift + turn * Vec3::new(3.0 * side(0), 2.0 * side(1), side(2))
        };
        let corners: Vec<Vec3> = (0..8).map(corner).collect();
        OrientedBox::of(corners.iter().copied(), &corners)
    }

    #[test]
    fn a_turned_box_is_as_small_as_a_straight_one() {
        let turn = Quat::from_euler_angles(0.3, 0.8, -0.4);
        let shift = Vec3::new(1.0, 2.0, 3.0);
        let turned = boxed(&turn, &shift);
        let mut half: Vec<f64> = turned.half.iter().copied().collect();
        half.sort_by(f64::total_cmp);
        assert!((turned.center - shift).norm() < 1e-12);
        assert!(half.iter().zip([1.0, 2.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-9), "{half:?}");
    }

    #[test]
    fn boxes_are_near_up_to_the_margin_and_diagonal_ones_where_their_upright_boxes_overlap_are_not() {
        let straight = boxed(&Quat::identity(), &Vec3::zeros());
        let above = |gap: f64| boxed(&Quat::identity(), &Vec3::new(0.5, 4.0 + gap, 0.0));
        assert!(straight.is_near(&above(0.1), 0.11) && !straight.is_near(&above(0.1), 0.09));
        let diagonal = Quat::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_4);
        let (a, b) = (boxed(&diagonal, &Vec3::zeros()), boxed(&diagonal, &Vec3::new(3.0, -3.0, 0.0)));
        assert!(!a.is_near(&b, 0.2) && a.is_near(&b, 0.3));
    }
}
