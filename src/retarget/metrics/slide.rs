//! Foot skating: how far planted points slide over the ground.

use super::stances::{Stance, drift};
use crate::math::Vec3;

/// Leg lengths a second above which a planted point slides.
pub(crate) const SLIDES: f64 = 0.10;
/// A stance shorter than this many frames has no drift.
const LEAST_FRAMES: usize = 3;

/// How planted points slide over the ground. Speeds are in leg lengths a second, distances in leg lengths.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Slide {
    /// Speed, on average.
    pub mean: f64,
    /// Share of the steps from frame to frame that are faster than a tenth of a leg length a second.
    pub ratio: f64,
    /// Farthest from the middle of a stance, mean over the stances and most.
    pub drift: [f64; 2],
    /// Number in the file of the first frame of the stance that drifts farthest.
    pub worst: usize,
}

/// Sums over planted points.
#[derive(Default)]
pub(super) struct Tally {
    speed: f64,
    fast: usize,
    steps: usize,
    drift: f64,
    most: f64,
    worst: usize,
    stances: usize,
}

impl Tally {
    /// Adds the path of a point in its stances.
    pub fn add(&mut self, path: &[Vec3], stances: &[Stance], leg_length: f64, frame_seconds: f64) {
        for stance in stances {
            let core = &path[stance.core(frame_seconds)];
            for pair in core.windows(2) {
                let speed = (pair[1] - pair[0]).xz().norm() / leg_length / frame_seconds;
                self.speed += speed;
                self.fast += usize::from(speed > SLIDES);
                self.steps += 1;
            }
            if core.len() >= LEAST_FRAMES {
                let drift = drift(core) / leg_length;
                self.drift += drift;
                if drift > self.most {
                    (self.most, self.worst) = (drift, stance.frames.start);
                }
                self.stances += 1;
            }
        }
    }

    /// Means of the sums.
    pub fn slide(&self) -> Slide {
        Slide {
            mean: mean(self.speed, self.steps),
            ratio: mean(self.fast as f64, self.steps),
            drift: [mean(self.drift, self.stances), self.most],
            worst: self.worst,
        }
    }
}

fn mean(sum: f64, count: usize) -> f64 {
    if count > 0 { sum / count as f64 } else { 0.0 }
}
