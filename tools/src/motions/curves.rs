//! Curves of time. Everything that moves is built from these, and all but the landing of a foot are twice
//! continuously differentiable: a jump in acceleration is what the eye reads as a pop.

use std::f64::consts::TAU;

/// Minimum-jerk step from 0 to 1 while `t` goes from `start` to `end`; flat outside.
pub fn ease(t: f64, start: f64, end: f64) -> f64 {
    let u = ((t - start) / (end - start)).clamp(0.0, 1.0);
    u * u * u * (10.0 - 15.0 * u + 6.0 * u * u)
}

/// Step from 0 to 1 over `u` in [0, 1]: a minimum-jerk start that takes the part `start`, a stretch of constant speed, a
/// stop that takes the part `stop` and brakes until the very end. A swinging foot moves like this: with a softer stop it
/// would wait at its landing place while the hip is still behind, and the leg would have to be longer than it is.
pub fn glide(u: f64, (start, stop): (f64, f64)) -> f64 {
    // How hard the foot still brakes when it lands; 1 is an even braking, 0 a soft one that ends in an overstretched leg.
    const BRAKE: f64 = 0.7;
    // Distance covered while the speed rises from 0 to 1 over x in [0, 1], starting with the slope `brake`.
    let ramp = |x: f64, brake: f64| {
        x * x
            * (0.5 * brake
                + x * x * ((2.5 - 1.5 * brake) + x * ((1.6 * brake - 3.0) + x * (1.0 - 0.5 * brake))))
    };
    let (started, stopping) = (ramp(1.0, 0.0) * start, ramp(1.0, BRAKE) * stop);
    let speed = 1.0 / (1.0 - start - stop + started + stopping);
    match u.clamp(0.0, 1.0) {
        u if u < start => speed * start * ramp(u / start, 0.0),
        u if u > 1.0 - stop => 1.0 - speed * stop * ramp((1.0 - u) / stop, BRAKE),
        u => speed * (started + u - start),
    }
}

/// Rises from 0 to 1 and falls back while `u` goes from 0 to 1; speed and acceleration are zero at both ends.
/// `apex` is where the top is.
pub fn bump(u: f64, apex: f64) -> f64 {
    let u = u.clamp(0.0, 1.0);
    // Möbius warp of [0, 1] that takes `apex` to the middle.
    let u = u * (1.0 - apex) / (apex + u * (1.0 - 2.0 * apex));
    64.0 * (u * (1.0 - u)).powi(3)
}

/// Cosine that peaks when `cycles` equals `peak`.
pub fn wave(cycles: f64, peak: f64) -> f64 {
    (TAU * (cycles - peak)).cos()
}

/// Sway without a visible rhythm that still closes after one cycle: sines of whole frequencies.
pub fn sway(cycles: f64, seed: f64) -> f64 {
    [(1.0, 0.5), (2.0, 0.3), (3.0, 0.25), (5.0, 0.12)]
        .iter()
        .map(|&(n, amplitude)| amplitude * (TAU * (n * cycles + seed * n * 0.37)).sin())
        .sum()
}

/// The state of a moving value: position, speed, acceleration.
pub type State = (f64, f64, f64);

/// The quintic from one state to another in `duration`, at time `t` after its start.
pub fn quintic(from: State, to: State, duration: f64, t: f64) -> f64 {
    let (d, u) = (duration, t / duration);
    let (p0, v0, a0) = (from.0, from.1 * d, from.2 * d * d);
    let (p1, v1, a1) = (to.0, to.1 * d, to.2 * d * d);
    let jump = p1 - p0;
    let c3 = 10.0 * jump - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1;
    let c4 = -15.0 * jump + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1;
    let c5 = 6.0 * jump - 3.0 * (v0 + v1) - 0.5 * a0 + 0.5 * a1;
    p0 + u * (v0 + u * (0.5 * a0 + u * (c3 + u * (c4 + u * c5))))
}

/// A curve through keys that neither overshoots nor ripples: equal neighbours are a hold, a key higher or lower
/// than both neighbours is an extreme with zero speed, any other key is passed with the harmonic mean of the
/// slopes beside it (Fritsch & Butland 1984). Pieces are quintics with zero acceleration at the keys.
pub struct Curve {
    keys: Vec<(f64, f64, f64)>,
    period: Option<f64>,
}

impl Curve {
    /// Through `(time, value)` keys in order of time, constant before the first and after the last.
    pub fn path(keys: &[(f64, f64)]) -> Self {
        let slope = |i: usize| match i {
            0 => 0.0,
            i if i + 1 == keys.len() => 0.0,
            i => passing_slope(keys[i - 1], keys[i], keys[i + 1]),
        };
        Self { keys: with_slopes(keys, slope), period: None }
    }

    /// Through keys whose times lie in [0, `period`), repeating.
    pub fn cycle(period: f64, keys: &[(f64, f64)]) -> Self {
        let n = keys.len();
        let before = |i: usize| if i == 0 { (keys[n - 1].0 - period, keys[n - 1].1) } else { keys[i - 1] };
        let after = |i: usize| if i + 1 == n { (keys[0].0 + period, keys[0].1) } else { keys[i + 1] };
        let mut keys = with_slopes(keys, |i| passing_slope(before(i), keys[i], after(i)));
        let (time, value, slope) = keys[0];
        keys.push((time + period, value, slope));
        Self { keys, period: Some(period) }
    }

    /// The value at time `t`.
    pub fn at(&self, t: f64) -> f64 {
        let first = self.keys[0];
        let t = self.period.map_or(t, |period| first.0 + (t - first.0).rem_euclid(period));
        let next = self.keys.partition_point(|key| key.0 <= t);
        match (self.keys.get(next.wrapping_sub(1)), self.keys.get(next)) {
            (Some(a), Some(b)) => quintic((a.1, a.2, 0.0), (b.1, b.2, 0.0), b.0 - a.0, t - a.0),
            (Some(last), None) => last.1,
            (None, _) => first.1,
        }
    }
}

fn with_slopes(keys: &[(f64, f64)], slope: impl Fn(usize) -> f64) -> Vec<(f64, f64, f64)> {
    keys.iter().enumerate().map(|(i, &(time, value))| (time, value, slope(i))).collect()
}

fn passing_slope(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> f64 {
    let (before, after) = ((b.1 - a.1) / (b.0 - a.0), (c.1 - b.1) / (c.0 - b.0));
    if before * after <= 0.0 { 0.0 } else { 2.0 * before * after / (before + after) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest change of acceleration from one sample to the next. It halves with the step if the curve is C².
    fn acceleration_jump(curve: &dyn Fn(f64) -> f64, h: f64) -> f64 {
        let acceleration = |t: f64| (curve(t + h) - 2.0 * curve(t) + curve(t - h)) / (h * h);
        let samples = (-0.2 / h) as i32..(1.2 / h) as i32;
        samples
            .map(|i| f64::from(i) * h)
            .map(|t| (acceleration(t + h) - acceleration(t)).abs())
            .fold(0.0, f64::max)
    }

    #[test]
    fn curves_have_no_jump_in_acceleration() {
        let smooth = |curve: &dyn Fn(f64) -> f64| {
            acceleration_jump(curve, 5e-4) < 0.6 * acceleration_jump(curve, 1e-3)
        };
        assert!(smooth(&|t| ease(t, 0.0, 1.0)));
        assert!(smooth(&|t| bump(t, 0.35)));
        assert!(smooth(&|t| glide(0.5 * t, (0.3, 0.2))));
        assert!(!smooth(&|t| glide(t, (0.3, 0.2))), "it brakes until it lands, and the measure sees that");
        let cycle = Curve::cycle(1.0, &[(0.1, 0.0), (0.3, 1.0), (0.5, 1.0), (0.8, -2.0)]);
        assert!(smooth(&|t| cycle.at(t)));
    }

    #[test]
    fn steps_go_from_zero_to_one() {
        for step in [|u| glide(u, (0.3, 0.2)), |u| ease(u, 0.0, 1.0)] as [fn(f64) -> f64; 2] {
            assert_eq!((step(-1.0), step(2.0)), (0.0, 1.0));
            assert!((1..=100).all(|i| step(0.01 * f64::from(i)) > step(0.01 * f64::from(i - 1))));
        }
        assert!((bump(0.3, 0.3) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_hold_is_exactly_still() {
        let curve = Curve::path(&[(0.0, 0.0), (1.0, 3.0), (2.0, 3.0), (3.0, 1.0)]);
        assert!((0..=10).all(|i| (curve.at(1.0 + 0.1 * f64::from(i)) - 3.0).abs() < 1e-12));
        assert_eq!((curve.at(-1.0), curve.at(9.0)), (0.0, 1.0));
    }
}
