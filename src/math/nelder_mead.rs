/// Finds a point where a function without derivatives is small, near `start`: Nelder & Mead 1965, with the coefficients
/// of Gao & Han 2012, which keep the simplex alive in ten and more dimensions. Gives the point and its value after at most
/// about so many `evaluations`.
///
/// # Panics
/// If `start` is empty.
pub fn nelder_mead(
    start: &[f64],
    step: f64,
    evaluations: usize,
    function: impl Fn(&[f64]) -> f64,
) -> (Vec<f64>, f64) {
    let n = start.len();
    assert!(n > 0, "there is something to be varied");
    let count = n as f64;
    // In two dimensions these are the classical 2, 1/2 and 1/2.
    let (expand, contract, shrink) = (1.0 + 2.0 / count, 0.75 - 0.5 / count, 1.0 - 1.0 / count.max(2.0));
    let mut simplex: Vec<(Vec<f64>, f64)> = vec![evaluated(&function, start.to_vec())];
    for axis in 0..n {
        let mut corner = start.to_vec();
        corner[axis] += step;
        simplex.push(evaluated(&function, corner));
    }
    let mut used = n + 1;
    loop {
        // Stable: of equal values the older one stays first.
        simplex.sort_by(|a, b| a.1.total_cmp(&b.1));
        let size = simplex[1..].iter().flat_map(|(corner, _)| corner.iter().zip(&simplex[0].0));
        let size = size.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if used >= evaluations || size < TINY * step {
            return simplex.swap_remove(0);
        }
        let center: Vec<f64> = (0..n)
            .map(|axis| simplex[..n].iter().map(|(corner, _)| corner[axis]).sum::<f64>() / count)
            .collect();
        let (best, second, worst) = (simplex[0].1, simplex[n - 1].1, simplex[n].1);
        let reflected = beyond(&function, &center, &simplex[n].0, 1.0);
        used += 1;
        let new = if reflected.1 < best {
            used += 1;
            let expanded = beyond(&function, &center, &simplex[n].0, expand);
            if expanded.1 < reflected.1 { Some(expanded) } else { Some(reflected) }
        } else if reflected.1 < second {
            Some(reflected)
        } else {
            used += 1;
            let factor = if reflected.1 < worst { contract } else { -contract };
            let contracted = beyond(&function, &center, &simplex[n].0, factor);
            (contracted.1 < reflected.1.min(worst)).then_some(contracted)
        };
        match new {
            Some(new) => simplex[n] = new,
            None => {
                let best = simplex[0].0.clone();
                for (corner, value) in &mut simplex[1..] {
                    corner.iter_mut().zip(&best).for_each(|(x, b)| *x = b + shrink * (*x - b));
                    *value = function(corner);
                }
                used += n;
            }
        }
    }
}

/// The point beyond `center`, seen from the worst corner, `factor` times as far away, and its value.
fn beyond(function: &impl Fn(&[f64]) -> f64, center: &[f64], worst: &[f64], factor: f64) -> (Vec<f64>, f64) {
    evaluated(function, center.iter().zip(worst).map(|(c, w)| c + factor * (c - w)).collect())
}

fn evaluated(function: &impl Fn(&[f64]) -> f64, point: Vec<f64>) -> (Vec<f64>, f64) {
    let value = function(&point);
    (point, value)
}

/// A simplex that has shrunk to this part of its first size has converged.
const TINY: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bowl_in_nine_dimensions_and_a_curved_valley() {
        let bowl = |x: &[f64]| x.iter().enumerate().map(|(i, x)| (x - i as f64).powi(2)).sum::<f64>();
        let (point, value) = nelder_mead(&[0.5; 9], 0.5, 20_000, bowl);
        assert!(value < 1e-9 && (point[8] - 8.0).abs() < 1e-4, "{point:?} {value}");
        let valley = |x: &[f64]| (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2);
        let (point, value) = nelder_mead(&[-1.2, 1.0], 0.5, 2000, valley);
        assert!(value < 1e-9 && (point[0] - 1.0).abs() < 1e-4, "{point:?} {value}");
    }

    #[test]
    fn kinks_do_not_stop_it_and_evaluations_do() {
        let kink = |x: &[f64]| x.iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max);
        let (_, value) = nelder_mead(&[0.0, 3.0, -1.0], 0.5, 5000, kink);
        assert!(value < 1e-3, "{value}");
        let calls = std::cell::Cell::new(0);
        nelder_mead(&[0.0; 5], 1.0, 50, |x| {
            calls.set(calls.get() + 1);
            -x[0]
        });
        assert!(calls.get() <= 60, "{}", calls.get());
    }
}
