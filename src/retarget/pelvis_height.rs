//! How high the pelvis is, by least squares over the frames that are known ahead.
//!
//! A knee that is nearly straight turns by 8 degrees when its hip rises by 1 % of the leg, so that what planted feet ask of the
//! hips must reach them at once, and what two feet ask differently must be shared smoothly. With `x` the distance of the pelvis above
//! the scaled source's and `a` the one at which a planted leg is as straight as the source's,
//!
//! ```text
//! Σ over moments:  Σ feet c (x - a)²  +  r x²  +  T⁴ (s |ẍ|² + Σ feet c |ẍ - ä|²)  +  T² |ẋ|²
//! ```
//!
//! is least: the leg that carries alone is followed with its jitter, since that is in the source's pelvis and foot alike, and changes
//! from leg to leg take the time `T`. The system has two bands beside its diagonal. It is solved anew in every frame, and its first
//! moment is taken.

use super::retargeter::MOST_LEGS;
use crate::math::square;

/// Moments of the window, at most.
pub(super) const MOMENTS: usize = 5;
/// `T`, the seconds of a change from leg to leg. In 0.05 knees jerk when the weight of a walker changes, in 0.12 when a dancer's does,
/// and feet slide more.
const CHANGE: f64 = 0.08;
/// `r`, what draws the pelvis to the scaled source's, in feet that stand. With 0.1 the free knees of one who sneaks are bent otherwise
/// than the source's, with 1 the pelvis of a walker no longer follows the feet that it stands on.
const REST: f64 = 0.3;
/// `s`, what keeps the pelvis from accelerating against the source's, in feet that stand. Without any the equations have no answer in
/// the air; from 1 on a pelvis that lands follows the feet too late, and knees jerk as much as at 0.1.
const STIFFNESS: f64 = 0.5;

/// What the feet ask at one moment.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Asked {
    /// How far above the scaled source's the pelvis is with each leg as straight as the source's.
    pub heights: [f64; MOST_LEGS],
    /// How much of the body each carries.
    pub carries: [f64; MOST_LEGS],
}

impl Asked {
    /// What all ask together, and how much.
    fn sum(&self) -> [f64; 2] {
        let mut sum = [0.0; 2];
        for (height, carries) in self.heights.iter().zip(&self.carries) {
            sum = [sum[0] + carries * height, sum[1] + carries];
        }
        sum
    }

    /// The second difference of what feet ask that carry in all three moments, and how much.
    fn bend(moments: [&Asked; 3]) -> [f64; 2] {
        let mut sum = [0.0; 2];
        for foot in 0..MOST_LEGS {
            let [first, before, now] = moments.map(|asked| asked.heights[foot]);
            let carries = moments.map(|asked| asked.carries[foot]).into_iter().fold(f64::INFINITY, f64::min);
            sum = [sum[0] + carries * (first - 2.0 * before + now), sum[1] + carries];
        }
        sum
    }
}

/// A frame that is done.
#[derive(Debug, Clone, Copy, Default)]
struct Done {
    height: f64,
    asked: Asked,
}

/// The height of the pelvis above the scaled source's.
#[derive(Debug, Clone)]
pub(super) struct PelvisHeight {
    /// The latest frames, in a ring.
    done: Vec<Done>,
    newest: usize,
    is_new: bool,
    /// Frames from one moment of the window to the next.
    step: usize,
    seconds: f64,
}

impl PelvisHeight {
    /// With contacts known so many frames ahead.
    pub fn new(lead: usize, frame_seconds: f64) -> PelvisHeight {
        let step = lead.div_ceil(MOMENTS - 1).max(1);
        PelvisHeight {
            done: vec![Done::default(); 2 * step],
            newest: 0,
            is_new: true,
            step,
            seconds: step as f64 * frame_seconds,
        }
    }

    /// Frames from one moment of the window to the next.
    pub fn step(&self) -> usize {
        self.step
    }

    /// The height now, if the feet ask so now and at the moments that follow. The first frame is what it is.
    pub fn next(&mut self, window: &[Asked]) -> f64 {
        if self.is_new {
            self.is_new = false;
            let [sum, weight] = window[0].sum();
            self.done.fill(Done { height: sum / weight.max(1.0), asked: window[0] });
        }
        let height = self.solved(window);
        self.newest = (self.newest + 1) % self.done.len();
        self.done[self.newest] = Done { height, asked: window[0] };
        height
    }

    /// What was so many moments ago.
    fn ago(&self, moments: usize) -> &Done {
        let count = self.done.len();
        &self.done[(self.newest + 1 + count - moments * self.step) % count]
    }

    fn solved(&self, window: &[Asked]) -> f64 {
        let past = [self.ago(2), self.ago(1)];
        let rate = square(CHANGE / self.seconds);
        let mut system = Banded::default();
        for (moment, asked) in window.iter().enumerate() {
            let [sum, weight] = asked.sum();
            system.pull(moment, weight + REST, sum);
            let before = |moments: usize| match moment.checked_sub(moments) {
                Some(moment) => &window[moment],
                None => &past[moment + 2 - moments].asked,
            };
            let [bend, carries] = Asked::bend([before(2), before(1), asked]);
            let known = past.map(|done| done.height);
            system.bend(moment, square(rate) * (STIFFNESS + carries), square(rate) * bend, known);
            system.slope(moment, rate, known[1]);
        }
        system.first(window.len())
    }
}

/// Normal equations with two bands beside the diagonal.
#[derive(Default)]
struct Banded {
    /// The diagonal, and the entries one and two places before it.
    bands: [[f64; MOMENTS]; 3],
    right: [f64; MOMENTS],
}

impl Banded {
    /// `weight x² - 2 sum x`.
    fn pull(&mut self, moment: usize, weight: f64, sum: f64) {
        self.bands[0][moment] += weight;
        self.right[moment] += sum;
    }

    /// `weight d² - 2 sum d`, with `d` the second difference that ends at a moment. Before the first one are those known.
    fn bend(&mut self, moment: usize, weight: f64, sum: f64, [first, before]: [f64; 2]) {
        let known = match moment {
            0 => first - 2.0 * before,
            1 => before,
            _ => 0.0,
        };
        let sum = sum - weight * known;
        for (back, factor) in [1.0, -2.0, 1.0].into_iter().enumerate().take(moment + 1) {
            self.right[moment - back] += factor * sum;
            self.bands[0][moment - back] += weight * factor * factor;
        }
        if moment > 0 {
            self.bands[1][moment] -= 2.0 * weight;
        }
        if moment > 1 {
            self.bands[1][moment - 1] -= 2.0 * weight;
            self.bands[2][moment] += weight;
        }
    }

    /// `weight d²`, with `d` the difference that ends at a moment.
    fn slope(&mut self, moment: usize, weight: f64, known: f64) {
        self.bands[0][moment] += weight;
        if moment == 0 {
            self.right[0] += weight * known;
        } else {
            self.bands[0][moment - 1] += weight;
            self.bands[1][moment] -= weight;
        }
    }

    /// The first unknown of so many, by elimination from the last one on.
    fn first(mut self, count: usize) -> f64 {
        let [diagonal, near, far] = &mut self.bands;
        for moment in (1..count).rev() {
            let share = near[moment] / diagonal[moment];
            diagonal[moment - 1] -= share * near[moment];
            self.right[moment - 1] -= share * self.right[moment];
            if moment > 1 {
                let farther = far[moment] / diagonal[moment];
                near[moment - 1] -= share * far[moment];
                diagonal[moment - 2] -= farther * far[moment];
                self.right[moment - 2] -= farther * self.right[moment];
            }
        }
        self.right[0] / diagonal[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{SMatrix, SVector};

    fn one_foot(height: f64, carries: f64) -> Asked {
        let mut asked = Asked::default();
        (asked.heights[0], asked.carries[0]) = (height, carries);
        asked
    }

    #[test]
    fn the_bands_have_the_solution_of_the_whole_matrix() {
        let (mut banded, known) = (Banded::default(), [0.3, -0.2]);
        let mut matrix = SMatrix::<f64, MOMENTS, MOMENTS>::zeros();
        let mut right = SVector::<f64, MOMENTS>::zeros();
        // A row of the least squares: coefficients of the unknowns, what is known of it, weight and goal.
        let mut add = |row: SVector<f64, MOMENTS>, offset: f64, weight: f64, goal: f64| {
            matrix += row * row.transpose() * weight;
            right += row * (goal - weight * offset);
        };
        for moment in 0..MOMENTS {
            let [weight, sum] = [1.0 + moment as f64, 0.5 - 0.2 * moment as f64];
            banded.pull(moment, weight, sum);
            banded.bend(moment, 2.0 * weight, 3.0 * sum, known);
            banded.slope(moment, 0.5 * weight, known[1]);
            let (mut bend, mut slope, mut pull) = (SVector::zeros(), SVector::zeros(), SVector::zeros());
            pull[moment] = 1.0;
            let (mut bend_offset, mut slope_offset) = (0.0, 0.0);
            for (back, factor) in [(0, 1.0), (1, -2.0), (2, 1.0)] {
                match moment.checked_sub(back) {
                    Some(at) => bend[at] += factor,
                    None => bend_offset += factor * known[moment + 2 - back],
                }
            }
            for (back, factor) in [(0, 1.0), (1, -1.0)] {
                match moment.checked_sub(back) {
                    Some(at) => slope[at] += factor,
                    None => slope_offset += factor * known[1],
                }
            }
            add(pull, 0.0, weight, sum);
            add(bend, bend_offset, 2.0 * weight, 3.0 * sum);
            add(slope, slope_offset, 0.5 * weight, 0.0);
        }
        let whole = matrix.lu().solve(&right).unwrap();
        assert!((banded.first(MOMENTS) - whole[0]).abs() < 1e-12);
    }

    #[test]
    fn the_first_frame_is_what_it_is_and_rest_comes_in_the_air() {
        let mut height = PelvisHeight::new(4, 1.0 / 60.0);
        let standing = [one_foot(0.1, 1.0); MOMENTS];
        assert!((height.next(&standing) - 0.1).abs() < 0.02);
        let free = [one_foot(0.1, 0.0); MOMENTS];
        let mut last = 0.1;
        for _ in 0..120 {
            let now = height.next(&free);
            assert!(now < last + 1e-12 && now > -0.01, "{now} after {last}");
            last = now;
        }
        assert!(last.abs() < 1e-3, "{last}");
    }

    #[test]
    fn a_leg_that_carries_alone_is_followed_with_its_jitter() {
        let mut height = PelvisHeight::new(2, 1.0 / 30.0);
        let jitter = |frame: i32| 0.05 + if frame % 2 == 0 { 0.01 } else { -0.01 };
        let errors: Vec<f64> = (0..60)
            .map(|frame| {
                let window = [0, 1, 2].map(|ahead| one_foot(jitter(frame + ahead), 1.0));
                height.next(&window) - jitter(frame)
            })
            .collect();
        let bends = errors[30..].windows(3).map(|e| (e[0] - 2.0 * e[1] + e[2]).abs());
        // The jitter alone has bends of 0.04. Fast as it is only accelerations count, of the foot and of the pelvis.
        let left = 0.04 * STIFFNESS / (1.0 + STIFFNESS);
        assert!(bends.fold(0.0, f64::max) < 1.1 * left, "{errors:?}");
    }

    #[test]
    fn a_change_of_legs_is_smooth() {
        let mut height = PelvisHeight::new(4, 1.0 / 60.0);
        let asked = |frame: i32| {
            let mut asked = Asked::default();
            asked.heights[..2].copy_from_slice(&[0.0, 0.05]);
            let share = (f64::from(frame - 30) / 6.0).clamp(0.0, 1.0);
            asked.carries[..2].copy_from_slice(&[1.0 - share, share]);
            asked
        };
        let heights: Vec<f64> =
            (0..90).map(|frame| height.next(&[0, 1, 2, 3, 4].map(|ahead| asked(frame + ahead)))).collect();
        let bends = heights.windows(3).map(|h| (h[0] - 2.0 * h[1] + h[2]).abs());
        // At once it would be 0.05.
        assert!(bends.fold(0.0, f64::max) < 0.004, "{heights:?}");
        assert!(heights[89] > 0.03);
    }
}
