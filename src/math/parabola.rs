//! The parabola nearest to a sampled curve.

use super::square;
use std::ops::{Add, Mul};

/// The least-squares parabola through values that are one apart, in polynomials that are orthogonal on them: a constant, a
/// line, and what of the square is neither.
#[derive(Debug, Clone, Copy)]
pub struct Parabola<T> {
    middle: f64,
    mean_square: f64,
    mean: T,
    slope: T,
    half_curvature: T,
}

impl<T: Copy + Add<Output = T> + Mul<f64, Output = T>> Parabola<T> {
    /// Less than three values have no curvature, a single one no slope.
    ///
    /// # Panics
    /// If there are no values.
    pub fn through(values: &[T]) -> Parabola<T> {
        let count = values.len() as f64;
        let middle = 0.5 * (count - 1.0);
        let from_middle = |index: usize| index as f64 - middle;
        let mean_square = (0..values.len()).map(|i| square(from_middle(i))).sum::<f64>() / count;
        let part = |basis: &dyn Fn(usize) -> f64| {
            let length: f64 = (0..values.len()).map(|i| square(basis(i))).sum();
            let product = values[1..]
                .iter()
                .zip(1..)
                .fold(values[0] * basis(0), |sum, (&value, i)| sum + value * basis(i));
            product * if length > 0.0 { 1.0 / length } else { 0.0 }
        };
        Parabola {
            middle,
            mean_square,
            mean: part(&|_| 1.0),
            slope: part(&from_middle),
            half_curvature: part(&|i| square(from_middle(i)) - mean_square),
        }
    }

    /// The mean of the values.
    pub fn mean(&self) -> T {
        self.mean
    }

    /// The value at an index.
    pub fn at(&self, index: usize) -> T {
        let from_middle = index as f64 - self.middle;
        let bend = self.half_curvature * (square(from_middle) - self.mean_square);
        self.mean + self.slope * from_middle + bend
    }

    /// The first derivative at an index.
    pub fn slope(&self, index: usize) -> T {
        self.slope + self.half_curvature * (2.0 * (index as f64 - self.middle))
    }

    /// The second derivative.
    pub fn curvature(&self) -> T {
        self.half_curvature * 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;

    #[test]
    fn a_parabola_is_its_own() {
        let at = |i: usize| 3.0 - 2.0 * i as f64 + 0.7 * square(i as f64);
        let parabola = Parabola::through(&(0..9).map(at).collect::<Vec<f64>>());
        assert!((parabola.curvature() - 1.4).abs() < 1e-12);
        for index in 0..9 {
            assert!((parabola.at(index) - at(index)).abs() < 1e-12);
            assert!((parabola.slope(index) - (1.4 * index as f64 - 2.0)).abs() < 1e-12);
        }
    }

    #[test]
    fn few_values_have_no_slope_and_no_curvature() {
        let single = Parabola::through(&[Vec3::x()]);
        assert_eq!(
            (single.at(0), single.slope(0), single.curvature()),
            (Vec3::x(), Vec3::zeros(), Vec3::zeros())
        );
        let pair = Parabola::through(&[1.0, 3.0]);
        assert_eq!((pair.at(0), pair.at(1), pair.curvature()), (1.0, 3.0, 0.0));
    }
}
