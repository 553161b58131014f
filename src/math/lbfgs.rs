//! A minimiser for smooth functions of some dozens of unknowns.

use super::powi;
use nalgebra::DVector;
use std::collections::VecDeque;

/// Bounds of the work of [`minimise`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MinimiseOptions {
    /// Steps, each of which lowers the value.
    pub max_steps: usize,
    /// No step moves an unknown by more than this.
    pub max_move: f64,
    /// It ends when a step lowers the value by less than this part of it.
    pub tolerance: f64,
}

/// How many steps are remembered for the curvature.
const MEMORY: usize = 8;

/// A step must reach this part of the decrease that the slope promises (Armijo's rule).
const SUFFICIENT: f64 = 1e-4;

/// How often a step is halved before it is given up.
const MAX_HALVINGS: usize = 20;

/// Part of the largest move that the first step tries. Without curvature the gradient says nothing about how far to go:
/// longer steps are halved several times, shorter ones waste evaluations.
const FIRST_STEP: f64 = 0.1;

/// Cosine between a step and its change of the gradient below which it tells no curvature (it crossed a kink).
const CURVED: f64 = 1e-10;

/// Lowers `function`, which gives a value and its gradient, from `start` on: the limited-memory BFGS of Nocedal 1980,
/// "Updating Quasi-Newton Matrices with Limited Storage", with backtracking. Returns the point and the value before
/// the first and after each step, which never rises. Kinks do no harm but may end it early.
pub fn minimise(
    start: DVector<f64>,
    options: &MinimiseOptions,
    mut function: impl FnMut(&DVector<f64>) -> (f64, DVector<f64>),
) -> (DVector<f64>, Vec<f64>) {
    let mut point = start;
    let (mut value, mut gradient) = function(&point);
    let mut values = vec![value];
    let mut memory: VecDeque<(DVector<f64>, DVector<f64>)> = VecDeque::new();
    for _ in 0..options.max_steps {
        let mut direction = -apply_inverse(&memory, &gradient);
        if !(direction.dot(&gradient) < 0.0) {
            memory.clear();
            direction = -gradient.clone();
        }
        let longest = direction.amax();
        if !(longest > 0.0 && longest.is_finite()) {
            break;
        }
        let first = if memory.is_empty() { FIRST_STEP } else { 1.0 };
        direction *= (options.max_move / longest).min(if memory.is_empty() { f64::INFINITY } else { 1.0 });
        let slope = direction.dot(&gradient);
        let found = (0..MAX_HALVINGS).find_map(|halving| {
            let length = first * powi(0.5, halving as i32);
            let next = &point + &direction * length;
            let (lower, new_gradient) = function(&next);
            (lower <= value + SUFFICIENT * length * slope).then_some((next, lower, new_gradient))
        });
        let Some((next, lower, new_gradient)) = found else {
            // The remembered curvature may be that of the other side of a kink: once more without it.
            if memory.is_empty() {
                break;
            }
            memory.clear();
            continue;
        };
        let (step, change) = (&next - &point, &new_gradient - &gradient);
        if step.dot(&change) > CURVED * step.norm() * change.norm() {
            memory.truncate(MEMORY - 1);
            memory.push_front((step, change));
        }
        let gain = value - lower;
        (point, value, gradient) = (next, lower, new_gradient);
        values.push(value);
        if gain <= options.tolerance * value.abs() {
            break;
        }
    }
    (point, values)
}

/// The remembered inverse Hessian times a vector, by the two loops of Nocedal.
fn apply_inverse(memory: &VecDeque<(DVector<f64>, DVector<f64>)>, vector: &DVector<f64>) -> DVector<f64> {
    let mut result = vector.clone();
    let mut shares = Vec::with_capacity(memory.len());
    for (step, change) in memory {
        let share = step.dot(&result) / step.dot(change);
        result.axpy(-share, change, 1.0);
        shares.push(share);
    }
    if let Some((step, change)) = memory.front() {
        result *= step.dot(change) / change.norm_squared();
    }
    for ((step, change), share) in memory.iter().zip(shares).rev() {
        result.axpy(share - change.dot(&result) / step.dot(change), step, 1.0);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: MinimiseOptions = MinimiseOptions { max_steps: 200, max_move: 1.0, tolerance: 0.0 };

    #[test]
    fn finds_the_bottom_of_a_curved_valley() {
        let rosenbrock = |x: &DVector<f64>| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            (a * a + 100.0 * b * b, DVector::from_vec(vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b]))
        };
        let (point, values) = minimise(DVector::from_vec(vec![-1.2, 1.0]), &OPTIONS, rosenbrock);
        assert!((point - DVector::from_vec(vec![1.0, 1.0])).norm() < 1e-6);
        assert!(values.is_sorted_by(|a, b| a >= b));
        assert!(values.len() < 100, "{}", values.len());
    }

    #[test]
    fn never_climbs_where_the_gradient_jumps() {
        let kinked = |x: &DVector<f64>| (x.map(f64::abs).sum() + 0.1 * x.norm_squared(), x.map(f64::signum));
        let (point, values) = minimise(DVector::from_vec(vec![3.0, -0.7, 0.2]), &OPTIONS, kinked);
        assert!(values.is_sorted_by(|a, b| a >= b));
        assert!(point.amax() < 0.5, "{point}");
    }

    #[test]
    fn stays_where_the_function_is_not_a_number() {
        let (point, values) = minimise(DVector::zeros(2), &OPTIONS, |x| (f64::NAN, x.map(|_| f64::NAN)));
        assert_eq!((point, values.len()), (DVector::zeros(2), 1));
    }
}
