//! Where several measurements of a limb meet.
//!
//! Errors of joints have heavy tails: an answer is near the truth, or it speaks of another branch of the body. So each
//! is a measurement with a multivariate Student distribution (Lange, Little & Taylor 1989, "Robust statistical modeling
//! using the t distribution"), and the answer is the likeliest one: what agrees is averaged by the inverse squares of the
//! spreads, what is far from the others loses its weight. A limb is believed or not as a whole.

use crate::math::{Vec3, ln};

/// Where one route has the joints of a limb.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// A position for each joint.
    pub positions: Vec<Vec3>,
    /// How far off each usually is, in the unit of the positions.
    pub spreads: Vec<f64>,
}

/// The likeliest answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Consensus {
    /// A position for each joint.
    pub positions: Vec<Vec3>,
    /// Minus the logarithm of the likelihood, up to a constant.
    pub energy: f64,
}

/// Degrees of freedom of the distribution: how heavy its tails are. From 1 to 10 as many characters of families that were
/// left out pass, above that one wrong measurement in three pulls the answer away.
const FREEDOM: f64 = 3.0;
/// Dimensions of a measurement: joints of a limb err together.
const DIMENSIONS: f64 = 3.0;
/// Steps of the iteration at most, and the movement that ends it, in the unit of the positions.
const STEPS: usize = 50;
const STILL: f64 = 1e-6;

/// The likeliest joints of a limb; `None` without a measurement.
pub fn consensus(measurements: &[Measurement]) -> Option<Consensus> {
    // The likelihood may have a maximum near each measurement.
    let found = measurements.iter().map(|measurement| settle(measurements, measurement.positions.clone()));
    found.min_by(|a, b| a.energy.total_cmp(&b.energy))
}

/// Weighted means, with weights by the distances of the measurements from the last one, until nothing moves.
fn settle(measurements: &[Measurement], start: Vec<Vec3>) -> Consensus {
    let mut positions = start;
    for _ in 0..STEPS {
        let weights = robust_weights(measurements, &positions);
        let next: Vec<Vec3> = (0..positions.len()).map(|joint| mean(measurements, &weights, joint)).collect();
        let moved = next.iter().zip(&positions).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        positions = next;
        if moved < STILL {
            break;
        }
    }
    let energies = measurements.iter().map(|measurement| {
        0.5 * (FREEDOM + DIMENSIONS) * ln(1.0 + distance_squared(measurement, &positions) / FREEDOM)
    });
    let energy = energies.sum();
    let weights = robust_weights(measurements, &positions);
    Consensus {
        positions: (0..positions.len()).map(|joint| mean(measurements, &weights, joint)).collect(),
        energy,
    }
}

/// Of a joint, by what is left of the weight of each measurement.
fn mean(measurements: &[Measurement], weights: &[f64], joint: usize) -> Vec3 {
    let weights = || {
        measurements
            .iter()
            .zip(weights)
            .map(|(own, weight)| weight / (own.spreads[joint] * own.spreads[joint]))
    };
    let sum: Vec3 =
        measurements.iter().zip(weights()).map(|(own, weight)| own.positions[joint] * weight).sum();
    sum / weights().sum::<f64>()
}

/// What is left of each measurement by its distance.
fn robust_weights(measurements: &[Measurement], positions: &[Vec3]) -> Vec<f64> {
    let weight = |measurement| (FREEDOM + DIMENSIONS) / (FREEDOM + distance_squared(measurement, positions));
    measurements.iter().map(weight).collect()
}

/// Mean over the joints of the squared distance, in spreads.
fn distance_squared(measurement: &Measurement, positions: &[Vec3]) -> f64 {
    let joints = measurement.positions.iter().zip(positions).zip(&measurement.spreads);
    let sum: f64 = joints.map(|((own, at), spread)| (own - at).norm_squared() / (spread * spread)).sum();
    sum / positions.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two joints side by side.
    fn measurement(x: f64, spread: f64) -> Measurement {
        Measurement { positions: vec![Vec3::x() * x, Vec3::new(x, 1.0, 0.0)], spreads: vec![spread; 2] }
    }

    fn free(measurements: &[Measurement]) -> Consensus {
        consensus(measurements).unwrap()
    }

    #[test]
    fn one_opinion_is_the_answer() {
        let only = measurement(0.3, 0.05);
        let Consensus { positions, energy, .. } = free(std::slice::from_ref(&only));
        assert_eq!(positions, only.positions);
        assert_eq!(energy, 0.0);
    }

    #[test]
    fn what_agrees_is_averaged_by_the_inverse_squares_of_the_spreads() {
        let answer = free(&[measurement(0.0, 0.1), measurement(0.01, 0.2)]).positions;
        assert!((answer[0].x - 0.002).abs() < 1e-4, "{}", answer[0].x);
    }

    #[test]
    fn one_of_three_that_is_far_off_has_no_say() {
        let answer = free(&[measurement(0.0, 0.03), measurement(0.02, 0.03), measurement(0.6, 0.03)]);
        assert!((answer.positions[1].x - 0.01).abs() < 0.005);
    }

    #[test]
    fn the_order_of_opinions_does_not_matter() {
        let mut three = [measurement(0.0, 0.03), measurement(0.1, 0.02), measurement(0.2, 0.04)];
        let one = free(&three).positions;
        three.reverse();
        let other = free(&three).positions;
        assert!(one.iter().zip(&other).all(|(a, b)| (a - b).norm() < 1e-4));
    }
}
