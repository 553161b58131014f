//! A look-ahead limiter: a smooth curve above values that are known a little ahead. It says how far a pelvis drops and how
//! high a foot is lifted.
//!
//! As in audio: of the values within the look-ahead the largest one counts, and the mean is taken of as many of these peaks
//! as have passed. The current value is within all of them, so the mean is nowhere below it; and it is as smooth as the
//! weights of the mean. A curve that reacts only when it must jerks the knees.

use crate::math::square;

/// A look-ahead limiter.
#[derive(Debug, Clone)]
pub(super) struct Limiter {
    /// The latest peaks, in a ring.
    peaks: Vec<f64>,
    weights: Vec<f64>,
    newest: usize,
    is_new: bool,
}

impl Limiter {
    /// For values that are known so many frames ahead.
    pub fn new(ahead: usize) -> Limiter {
        let count = ahead + 1;
        let bumps: Vec<f64> = (1..=count).map(|step| bump(step as f64 / (count + 1) as f64)).collect();
        let total: f64 = bumps.iter().sum();
        let weights = bumps.iter().map(|bump| bump / total).collect();
        Limiter { peaks: vec![0.0; count], weights, newest: 0, is_new: true }
    }

    /// The curve in the next frame, in which this is the largest value within the look-ahead. The first frame is what it is.
    pub fn step(&mut self, peak: f64) -> f64 {
        let count = self.peaks.len();
        if self.is_new {
            self.peaks.fill(peak);
            self.is_new = false;
        }
        self.newest = (self.newest + 1) % count;
        self.peaks[self.newest] = peak;
        // The weights are the same from either end.
        let (after, before) = self.peaks.split_at(self.newest + 1);
        before.iter().chain(after).zip(&self.weights).map(|(peak, weight)| peak * weight).sum()
    }
}

/// Zero at 0 and at 1, with a maximum in between and no slope at either end.
fn bump(x: f64) -> f64 {
    square(x * (1.0 - x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_nowhere_below_and_has_no_corners() {
        let ahead = 12;
        let values: Vec<f64> = (0..200)
            .map(|frame| f64::from(frame) * 0.1)
            .map(|x| x.sin().max(0.0) + if x > 10.0 { 0.5 } else { 0.0 })
            .collect();
        let mut limiter = Limiter::new(ahead);
        let curve: Vec<f64> = (0..values.len())
            .map(|frame| {
                let known = &values[frame..(frame + ahead + 1).min(values.len())];
                limiter.step(known.iter().copied().fold(0.0, f64::max))
            })
            .collect();
        assert!(curve.iter().zip(&values).all(|(curve, value)| *curve > value - 1e-12));
        let bend = |of: &[f64]| of.windows(3).map(|w| (w[0] - 2.0 * w[1] + w[2]).abs()).fold(0.0, f64::max);
        assert!(bend(&curve) < 0.2 * bend(&values), "{} of {}", bend(&curve), bend(&values));
    }

    #[test]
    fn without_look_ahead_it_is_what_it_is_told() {
        let mut limiter = Limiter::new(0);
        assert_eq!([1.0, 0.0, 2.0].map(|value| limiter.step(value)), [1.0, 0.0, 2.0]);
    }
}
