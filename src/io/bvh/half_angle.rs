//! Sine and cosine of half an angle in degrees: what a quaternion is made of.
//!
//! Reading a frame costs three sines and cosines a joint, as much as reading its numbers. Reducing the angle in degrees
//! is exact, which reducing radians is not, and leaves an eighth of a circle, where short series reach full precision.

use std::f64::consts::PI;

/// Adding this number rounds to whole numbers, which then stand in the low bits: 1.5 · 2⁵². `f64::round` is a call of
/// the C library unless the build is for new processors.
const ROUNDING: f64 = 6755399441055744.0;
/// In degrees; half of it is a quarter of a circle.
const HALF_CIRCLE: f64 = 180.0;

/// Sine and cosine of `degrees / 2`, for angles below 10¹². There is no branch, so that a loop over angles is vectorised.
#[inline]
pub(super) fn sin_cos(degrees: f64) -> (f64, f64) {
    let shifted = degrees * (1.0 / HALF_CIRCLE) + ROUNDING;
    let x = (degrees - (shifted - ROUNDING) * HALF_CIRCLE) * (PI / (2.0 * HALF_CIRCLE));
    let xx = x * x;
    let sine = x * series(xx, &SINE);
    let cosine = series(xx, &COSINE);
    // The quarter of the circle that the half angle lies in: odd ones swap the two, the second bit turns the sign of
    // the sine, the cosine has its sign from the quarter that follows.
    let quarter = shifted.to_bits();
    let swap = (quarter & 1).wrapping_neg();
    let (s, c) = (sine.to_bits(), cosine.to_bits());
    let difference = (s ^ c) & swap;
    let sine_sign = (quarter & 2) << 62;
    let cosine_sign = (quarter.wrapping_add(1) & 2) << 62;
    (f64::from_bits(s ^ difference ^ sine_sign), f64::from_bits(c ^ difference ^ cosine_sign))
}

/// Taylor's series up to the term that is below 1e-16 at an eighth of a circle.
const SINE: [f64; 8] = taylor(1);
const COSINE: [f64; 9] = taylor(0);

/// 1 / n! for every second n from `first` on, with alternating signs.
const fn taylor<const N: usize>(first: usize) -> [f64; N] {
    let mut terms = [1.0; N];
    let mut term = 1;
    while term < N {
        let n = (first + 2 * term) as f64;
        // The product of whole numbers below 2⁵³ is exact, and so is every factorial here.
        terms[term] = -terms[term - 1] * n * (n - 1.0);
        term += 1;
    }
    while term > 0 {
        term -= 1;
        terms[term] = 1.0 / terms[term];
    }
    terms
}

#[inline]
fn series<const N: usize>(xx: f64, coefficients: &[f64; N]) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * xx + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_sine_and_cosine_of_the_library() {
        for step in -40_000..=40_000 {
            let degrees = f64::from(step) * 0.037;
            let (sine, cosine) = sin_cos(degrees);
            let expected = (degrees.to_radians() / 2.0).sin_cos();
            assert!((sine - expected.0).abs() < 3e-15 && (cosine - expected.1).abs() < 3e-15, "{degrees}");
            assert!((sine * sine + cosine * cosine - 1.0).abs() < 1e-15);
        }
        assert_eq!(sin_cos(180.0), (1.0, 0.0));
        assert_eq!(sin_cos(-180.0), (-1.0, 0.0));
        assert_eq!(sin_cos(540.0), (-1.0, 0.0));
        assert_eq!(sin_cos(360.0), (0.0, -1.0));
        let (sine, cosine) = sin_cos(9.9e11);
        assert!((sine * sine + cosine * cosine - 1.0).abs() < 1e-9);
    }
}
