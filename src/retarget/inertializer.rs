//! Inertialization: the offset between an old trajectory and a new one, which decays smoothly to zero.
//!
//! A switch between trajectories is made invisible by adding their difference to the new one and letting it decay (Bollo 2016,
//! "Inertialization: High-performance animation transitions in Gears of War"). A polynomial of the fifth degree takes value,
//! velocity and acceleration to zero in a given time, so that neither the switch nor the end shows in the accelerations.

use crate::math::{Vec3, cube};

/// The polynomial of the offset's value is `1 - x³ (10 - 15 x + 6 x²)`, that of its velocity `x - x³ (6 - 8 x + 3 x²)`, that of
/// its acceleration `x² (1 - x)³ / 2`.
const VALUE: [f64; 3] = [10.0, 15.0, 6.0];
const VELOCITY: [f64; 3] = [6.0, 8.0, 3.0];
/// `1 / (1 - x)³` is `1 + 3 x + 6 x² + …`.
const SERIES: [f64; 2] = [3.0, 6.0];
/// An offset that would undershoot is shortened step by step by this factor, to no less than this part of its time.
const SHORTER: f64 = 0.9;
const SHORTEST_PART: f64 = 0.25;
/// Seconds of the shortest ramp.
const SHORTEST_RAMP: f64 = 1e-6;

/// An offset that decays to zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Inertializer {
    value: Vec3,
    velocity: Vec3,
    acceleration: Vec3,
    seconds: f64,
}

impl Default for Inertializer {
    /// No offset at all.
    fn default() -> Inertializer {
        let zero = Vec3::zeros();
        Inertializer { value: zero, velocity: zero, acceleration: zero, seconds: 1.0 }
    }
}

impl Inertializer {
    /// Continues an offset known at three frames, the newest first, and is zero after so many seconds.
    pub fn after([newest, before, first]: [Vec3; 3], frame_seconds: f64, seconds: f64) -> Inertializer {
        let velocity = (newest * 3.0 - before * 4.0 + first) / (2.0 * frame_seconds);
        let acceleration = (newest - before * 2.0 + first) / (frame_seconds * frame_seconds);
        Inertializer { value: newest, velocity, acceleration, seconds: seconds.max(frame_seconds) }
    }

    /// The same offset, shortened until it does not go below zero along an axis on which it begins above: a foot that comes
    /// down fast would be pushed into the ground.
    pub fn without_undershoot(mut self, axis: &Vec3) -> Inertializer {
        if self.value.dot(axis) > 0.0 {
            let shortest = SHORTEST_PART * self.seconds;
            while self.seconds > shortest && self.undershoots(axis) {
                self.seconds *= SHORTER;
            }
        }
        self
    }

    /// Whether the offset goes below zero along an axis.
    fn undershoots(&self, axis: &Vec3) -> bool {
        let [a, velocity, acceleration] =
            [self.value, self.velocity, self.acceleration].map(|vector| vector.dot(axis));
        // The polynomial is (1 - x)³ (a + b x + c x²).
        let seconds = self.seconds;
        let b = SERIES[0] * a + velocity * seconds;
        let c = SERIES[1] * a + SERIES[0] * velocity * seconds + 0.5 * acceleration * seconds * seconds;
        let lowest = if c > 0.0 { (-0.5 * b / c).clamp(0.0, 1.0) } else { 1.0 };
        a + lowest * (b + lowest * c) < 0.0 || a + b + c < 0.0
    }

    /// The offset so many seconds after the newest of those frames.
    pub fn at(&self, seconds: f64) -> Vec3 {
        let x = seconds / self.seconds;
        if x >= 1.0 {
            return Vec3::zeros();
        }
        let (x2, x3) = (x * x, x * x * x);
        self.value * (1.0 - x3 * (VALUE[0] - VALUE[1] * x + VALUE[2] * x2))
            + self.velocity * (self.seconds * (x - x3 * (VELOCITY[0] - VELOCITY[1] * x + VELOCITY[2] * x2)))
            + self.acceleration * (0.5 * self.seconds * self.seconds * x2 * cube(1.0 - x))
    }
}

/// A weight that goes from 0 to 1 or back without corners.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ramp {
    from: f64,
    to: f64,
    elapsed: f64,
    seconds: f64,
}

impl Ramp {
    /// A weight that rests.
    pub fn resting(at: f64) -> Ramp {
        Ramp { from: at, to: at, elapsed: 1.0, seconds: 1.0 }
    }

    /// Goes to another value from where it is.
    pub fn go(&mut self, to: f64, seconds: f64) {
        if to != self.to {
            *self = Ramp { from: self.value(), to, elapsed: 0.0, seconds: seconds.max(SHORTEST_RAMP) };
        }
    }

    /// One frame later.
    pub fn step(&mut self, seconds: f64) {
        self.elapsed += seconds;
    }

    /// Where it is.
    pub fn value(&self) -> f64 {
        self.value_in(0.0)
    }

    /// Where it is so many seconds later.
    pub fn value_in(&self, seconds: f64) -> f64 {
        self.from + (self.to - self.from) * smootherstep((self.elapsed + seconds) / self.seconds)
    }
}

/// From 0 at 0 to 1 at 1, with no velocity and no acceleration at either end.
pub(super) fn smootherstep(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * x * (VALUE[0] - VALUE[1] * x + VALUE[2] * x * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_goes_on_as_it_was_and_ends_at_rest() {
        let dt = 1e-4;
        // 1 + 2 s - 3 s², seen at s = 0, -dt, -2 dt.
        let known = |s: f64| Vec3::x() * (1.0 + 2.0 * s - 3.0 * s * s);
        let inertializer = Inertializer::after([known(0.0), known(-dt), known(-2.0 * dt)], dt, 0.2);
        assert!((inertializer.at(dt) - known(dt)).norm() < 1e-7, "{}", inertializer.at(dt));
        let (velocity, end) = ((inertializer.at(0.2 - dt) - inertializer.at(0.2)) / dt, inertializer.at(0.2));
        assert!(end.norm() < 1e-12 && velocity.norm() < 1e-4);
    }

    #[test]
    fn a_foot_that_comes_down_fast_does_not_dip() {
        let dt = 1e-3;
        // 0.1 high and 4 a second downwards, for a tenth of a second.
        let known = [0.1, 0.104, 0.108].map(|height| Vec3::y() * height);
        let inertializer = Inertializer::after(known, dt, 0.1);
        let lowest = |inertializer: &Inertializer| {
            (0..100).map(|frame| inertializer.at(f64::from(frame) * dt).y).fold(f64::INFINITY, f64::min)
        };
        assert!(lowest(&inertializer) < -0.001);
        assert!(lowest(&inertializer.without_undershoot(&Vec3::y())) > -1e-12);
    }

    #[test]
    fn a_ramp_turns_back_from_where_it_is() {
        let mut ramp = Ramp::resting(0.0);
        ramp.go(1.0, 1.0);
        ramp.step(0.5);
        assert_eq!(ramp.value(), 0.5);
        ramp.go(0.0, 1.0);
        assert_eq!(ramp.value(), 0.5);
        ramp.step(1.0);
        assert_eq!(ramp.value(), 0.0);
    }
}
