//! Low-pass filtering of sampled curves.

use std::iter::Sum;
use std::ops::{Add, Div, Mul, Sub};

/// Low-passed with a Gaussian, which has no delay; its standard deviation and its radius are in samples. Beyond its ends the
/// curve goes on point-symmetrically, so that the ends stay where they are; beyond the mirrored part the other end stands.
pub fn gaussian_smoothed<T>(values: &[T], deviation: f64, radius: usize) -> Vec<T>
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T> + Div<f64, Output = T> + Sum,
{
    let weights: Vec<f64> =
        (1..=radius).map(|step| super::exp(-0.5 * super::square(step as f64 / deviation))).collect();
    let total = 1.0 + 2.0 * weights.iter().sum::<f64>();
    let last = values.len().saturating_sub(1);
    let smoothed = values.iter().enumerate().map(|(index, &value)| {
        let pairs = weights.iter().zip(1..).map(|(weight, step)| {
            let before = match index.checked_sub(step) {
                Some(at) => values[at],
                None => values[0] * 2.0 - values[(step - index).min(last)],
            };
            let after = match index + step {
                at if at <= last => values[at],
                at => values[last] * 2.0 - values[(2 * last).saturating_sub(at)],
            };
            (before + after) * *weight
        });
        (value + pairs.sum::<T>()) / total
    });
    smoothed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;

    #[test]
    fn lines_stay_and_noise_goes() {
        let line: Vec<Vec3> = (0..40).map(|t| Vec3::new(2.0, 1.0, 0.5) * f64::from(t) + Vec3::x()).collect();
        for (smooth, exact) in gaussian_smoothed(&line, 1.5, 5).iter().zip(&line) {
            assert!((smooth - exact).norm() < 1e-9);
        }
        let noise: Vec<f64> = (0..40).map(|t| if t % 2 == 0 { 1.0 } else { -1.0 }).collect();
        assert!(gaussian_smoothed(&noise, 1.5, 5)[10..30].iter().all(|value| value.abs() < 0.02));
        assert!((gaussian_smoothed(&[7.0], 2.0, 8)[0] - 7.0).abs() < 1e-12);
    }
}
