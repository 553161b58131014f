//! Offsets that vanish smoothly: what is left of one trajectory when another one takes over.
//!
//! A switch between trajectories is made invisible by adding their difference to the new one and letting it fade (known in
//! games as inertialisation). A polynomial of the fifth degree takes value, velocity and acceleration to zero in a given
//! time, so that neither the switch nor the end of the fading shows in the accelerations.

use crate::math::{Vec3, cube};

/// An offset that fades to zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fading {
    value: Vec3,
    velocity: Vec3,
    acceleration: Vec3,
    seconds: f64,
}

impl Fading {
    /// No offset at all.
    pub fn none() -> Fading {
        Fading { value: Vec3::zeros(), velocity: Vec3::zeros(), acceleration: Vec3::zeros(), seconds: 1.0 }
    }

    /// Continues an offset known at three frames, the newest first, and is zero after so many seconds.
    pub fn after([newest, before, first]: [Vec3; 3], frame_seconds: f64, seconds: f64) -> Fading {
        let velocity = (newest * 3.0 - before * 4.0 + first) / (2.0 * frame_seconds);
        let acceleration = (newest - before * 2.0 + first) / (frame_seconds * frame_seconds);
        Fading { value: newest, velocity, acceleration, seconds: seconds.max(frame_seconds) }
    }

    /// The same offset, but fading as early as it must so as not to go through zero along an axis on which it is positive. A foot
    /// that comes down fast would be pushed into the ground.
    pub fn without_undershoot(mut self, axis: &Vec3) -> Fading {
        let along = |vector: &Vec3| vector.dot(axis);
        let (value, velocity, acceleration) =
            (along(&self.value), along(&self.velocity), along(&self.acceleration));
        // The polynomial is (1 - x)³ (a + b x + c x²).
        let dips = |seconds: f64| {
            let b = 3.0 * value + velocity * seconds;
            let c = 6.0 * value + 3.0 * velocity * seconds + 0.5 * acceleration * seconds * seconds;
            let lowest = if c > 0.0 { (-0.5 * b / c).clamp(0.0, 1.0) } else { 1.0 };
            value + lowest * (b + lowest * c) < 0.0 || value + b + c < 0.0
        };
        if value > 0.0 {
            let shortest = 0.25 * self.seconds;
            while self.seconds > shortest && dips(self.seconds) {
                self.seconds *= 0.9;
            }
        }
        self
    }

    /// The offset so many seconds after the newest of those frames.
    pub fn at(&self, seconds: f64) -> Vec3 {
        let x = seconds / self.seconds;
        if x >= 1.0 {
            return Vec3::zeros();
        }
        let (x2, x3) = (x * x, x * x * x);
        self.value * (1.0 - x3 * (10.0 - 15.0 * x + 6.0 * x2))
            + self.velocity * (self.seconds * (x - x3 * (6.0 - 8.0 * x + 3.0 * x2)))
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
            *self = Ramp { from: self.value(), to, elapsed: 0.0, seconds: seconds.max(1e-6) };
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
        self.from + (self.to - self.from) * smooth((self.elapsed + seconds) / self.seconds)
    }
}

/// From 0 at 0 to 1 at 1, with no velocity and no acceleration at either end.
pub(super) fn smooth(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_goes_on_as_it_was_and_ends_at_rest() {
        let dt = 1e-4;
        // 1 + 2 s - 3 s², seen at s = 0, -dt, -2 dt.
        let known = |s: f64| Vec3::x() * (1.0 + 2.0 * s - 3.0 * s * s);
        let fading = Fading::after([known(0.0), known(-dt), known(-2.0 * dt)], dt, 0.2);
        assert!((fading.at(dt) - known(dt)).norm() < 1e-7, "{}", fading.at(dt));
        let (velocity, end) = ((fading.at(0.2 - dt) - fading.at(0.2)) / dt, fading.at(0.2));
        assert!(end.norm() < 1e-12 && velocity.norm() < 1e-4);
    }

    #[test]
    fn a_foot_that_comes_down_fast_does_not_dip() {
        let dt = 1e-3;
        // 0.1 high and 4 a second downwards, for a tenth of a second.
        let known = [0.1, 0.104, 0.108].map(|height| Vec3::y() * height);
        let fading = Fading::after(known, dt, 0.1);
        let lowest = |fading: &Fading| {
            (0..100).map(|frame| fading.at(f64::from(frame) * dt).y).fold(f64::INFINITY, f64::min)
        };
        assert!(lowest(&fading) < -0.001);
        assert!(lowest(&fading.without_undershoot(&Vec3::y())) > -1e-12);
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
