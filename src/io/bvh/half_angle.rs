//! Sine and cosine of half an angle in degrees: what a quaternion is made of.
//!
//! Reading a frame costs three sines and cosines a joint, as much as reading its numbers. Reducing the angle in degrees
//! is exact, which reducing radians is not, and leaves an eighth of a circle, where short series reach full precision.

use std::f64::consts::PI;

/// Sine and cosine of `degrees / 2`.
#[inline]
pub(super) fn sin_cos(degrees: f64) -> (f64, f64) {
    let quarter = (degrees * (1.0 / 180.0)).round();
    let x = (degrees - quarter * 180.0) * (PI / 360.0);
    let xx = x * x;
    let sine = x * series(xx, &SINE);
    let cosine = series(xx, &COSINE);
    // The quarter of the circle that the half angle lies in. Angles too large for whole numbers have lost their
    // meaning anyway.
    match quarter as i64 & 3 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// Taylor's series up to the term that is below 1e-17 at an eighth of a circle.
const SINE: [f64; 9] = [
    1.0,
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5040.0,
    1.0 / 362880.0,
    -1.0 / 39916800.0,
    1.0 / 6227020800.0,
    -1.0 / 1307674368000.0,
    1.0 / 355687428096000.0,
];
const COSINE: [f64; 9] = [
    1.0,
    -1.0 / 2.0,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40320.0,
    -1.0 / 3628800.0,
    1.0 / 479001600.0,
    -1.0 / 87178291200.0,
    1.0 / 20922789888000.0,
];

#[inline]
fn series(xx: f64, coefficients: &[f64; 9]) -> f64 {
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
        assert_eq!(sin_cos(360.0), (0.0, -1.0));
        let (sine, cosine) = sin_cos(1e300);
        assert!(sine.is_finite() && cosine.is_finite());
    }
}
