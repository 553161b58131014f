//! Least squares on the standard simplex: weights that are not negative and add up to one, of which only a few are above zero.
//!
//! An active set method: solve with the sum as the only constraint, drop the smallest weight while it is negative or there are too
//! many, and solve again. Where columns are nearly combinations of others, as those of a back of many joints, that drops the wrong
//! ones, so that weights outside of the set come in afterwards as long as that lowers the function. Problems have some ten unknowns:
//! each step is a small dense Cholesky factorisation.

use super::Vec3;

/// A quadratic function of weights, wᵀ G w − 2 bᵀ w, to be minimised over weights w ≥ 0 with Σ w = 1.
#[derive(Debug, Clone)]
pub struct SimplexProblem {
    size: usize,
    /// G, row by row.
    gram: Vec<f64>,
    /// b.
    linear: Vec<f64>,
}

/// A pivot below this part of its diagonal entry is a column that depends on those before it; its weight is none. Rounding of
/// dependent columns leaves some 1e-15; below 1e-9 of nearly equal columns large weights of either sign come out.
const DEPENDENT: f64 = 1e-12;
/// Weights that come in one after the other, at most. Without any, joints of the back stand for each other; after four little changes.
const MOST_EXCHANGES: usize = 8;
/// An exchange that lowers the function by less than this part of it is rounding.
const GAIN: f64 = 1e-9;

/// Indices and their weights.
type Weights = Vec<(usize, f64)>;

impl SimplexProblem {
    /// Of so many weights; zero everywhere.
    pub fn new(size: usize) -> SimplexProblem {
        SimplexProblem { size, gram: vec![0.0; size * size], linear: vec![0.0; size] }
    }

    /// Adds |Σ w_j c_j|². Distances from a point y are c_j = x_j − y, because the weights add up to one.
    ///
    /// # Panics
    /// If there is not one column for each weight.
    pub fn add_columns(&mut self, columns: &[Vec3]) {
        assert_eq!(columns.len(), self.size, "one column for each weight");
        for (row, a) in columns.iter().enumerate() {
            for (entry, b) in self.gram[row * self.size..].iter_mut().zip(columns) {
                *entry += a.dot(b);
            }
        }
    }

    /// Adds s |w − w̄|².
    ///
    /// # Panics
    /// If there is not one w̄ for each weight.
    pub fn add_pull(&mut self, strength: f64, towards: &[f64]) {
        assert_eq!(towards.len(), self.size, "one goal for each weight");
        for (index, goal) in towards.iter().enumerate() {
            self.gram[index * self.size + index] += strength;
            self.linear[index] += strength * goal;
        }
    }

    /// The weights above zero with their indices, at most `most` and at least one of them.
    ///
    /// # Panics
    /// If there are no weights.
    pub fn minimise(&self, most: usize) -> Vec<(usize, f64)> {
        let all: Vec<usize> = (0..self.size).collect();
        if most <= 1 {
            return vec![(self.best_alone(&all), 1.0)];
        }
        let mut best = self.without_negative(all, most);
        for _ in 0..MOST_EXCHANGES {
            let cost = self.cost(&best);
            let tried =
                self.entering(&best).into_iter().flat_map(|entering| self.exchanged(&best, entering, most));
            let rated = tried.map(|weights| (self.cost(&weights), weights));
            match rated.min_by(|a, b| a.0.total_cmp(&b.0)) {
                Some((lower, weights)) if lower < cost - GAIN * cost.abs() => best = weights,
                _ => break,
            }
        }
        best
    }

    /// The best weights that are found by leaving out the smallest ones.
    fn without_negative(&self, mut active: Vec<usize>, most: usize) -> Weights {
        loop {
            let weights = self.with_sum_one(&active);
            let Some(dropped) = dropped(&weights, most) else {
                return active.into_iter().zip(weights).filter(|(_, weight)| *weight > 0.0).collect();
            };
            active.remove(dropped);
        }
    }

    fn cost(&self, weights: &[(usize, f64)]) -> f64 {
        weights
            .iter()
            .map(|&(index, weight)| weight * (self.slope(index, weights) - self.linear[index]))
            .sum()
    }

    /// Half of the derivative by a weight.
    fn slope(&self, index: usize, weights: &[(usize, f64)]) -> f64 {
        weights.iter().map(|&(other, weight)| self.entry(index, other) * weight).sum::<f64>()
            - self.linear[index]
    }

    /// The indices that would lower the function if they took weight from those that have it.
    fn entering(&self, weights: &[(usize, f64)]) -> Vec<usize> {
        let level = weights.iter().map(|&(index, weight)| weight * self.slope(index, weights)).sum::<f64>();
        let is_in = |index: usize| weights.iter().any(|(other, _)| *other == index);
        (0..self.size).filter(|&index| !is_in(index) && self.slope(index, weights) < level).collect()
    }

    /// The weights with another index among them, instead of each of those that have weight and, where there is room, beside them.
    fn exchanged(&self, weights: &[(usize, f64)], entering: usize, most: usize) -> Vec<Weights> {
        let with = |left_out: Option<usize>| {
            let kept = weights.iter().map(|(index, _)| *index).filter(|&index| Some(index) != left_out);
            let mut active: Vec<usize> = kept.chain([entering]).collect();
            active.sort_unstable();
            self.without_negative(active, most)
        };
        let beside = (weights.len() < most).then(|| with(None));
        beside.into_iter().chain(weights.iter().map(|(index, _)| with(Some(*index)))).collect()
    }

    /// The index that is best with all of the weight.
    fn best_alone(&self, active: &[usize]) -> usize {
        let cost = |index: usize| self.entry(index, index) - 2.0 * self.linear[index];
        let best = active.iter().copied().min_by(|&a, &b| cost(a).total_cmp(&cost(b)));
        best.expect("there are weights")
    }

    fn entry(&self, row: usize, column: usize) -> f64 {
        self.gram[row * self.size + column]
    }

    /// The minimum over weights of either sign that add up to one. That of the best joint follows from those of the others, so that
    /// the system stays definite where all columns nearly cancel out.
    fn with_sum_one(&self, active: &[usize]) -> Vec<f64> {
        let pivot = self.best_alone(active);
        let others: Vec<usize> = active.iter().copied().filter(|&index| index != pivot).collect();
        let shared = self.entry(pivot, pivot);
        let mut matrix = Vec::with_capacity(others.len() * others.len());
        for &row in &others {
            let own = self.entry(row, pivot);
            matrix.extend(others.iter().map(|&c| self.entry(row, c) - own - self.entry(pivot, c) + shared));
        }
        let right = |row: usize| self.linear[row] - self.linear[pivot] - self.entry(row, pivot) + shared;
        let mut solution: Vec<f64> = others.iter().map(|&row| right(row)).collect();
        solve_definite(&mut matrix, &mut solution);
        let rest = 1.0 - solution.iter().sum::<f64>();
        let place = active.iter().position(|&index| index == pivot).unwrap_or_default();
        solution.insert(place, rest);
        solution
    }
}

/// The smallest weight, if it is negative or there are too many.
fn dropped(weights: &[f64], most: usize) -> Option<usize> {
    let smallest = (0..weights.len()).min_by(|&a, &b| weights[a].total_cmp(&weights[b]))?;
    let is_wrong = weights[smallest] < 0.0 || weights.len() > most;
    (is_wrong && weights.len() > 1).then_some(smallest)
}

/// Solves a symmetric system by Cholesky factorisation, in place. Unknowns whose columns depend on those before them become zero:
/// a pivot of infinity leaves nothing of their rows.
fn solve_definite(matrix: &mut [f64], right: &mut [f64]) {
    let size = right.len();
    for row in 0..size {
        for column in 0..=row {
            let known: f64 = (0..column).map(|k| matrix[row * size + k] * matrix[column * size + k]).sum();
            let left = matrix[row * size + column] - known;
            matrix[row * size + column] = match row == column {
                true if left > DEPENDENT * matrix[row * size + row] => left.sqrt(),
                true => f64::INFINITY,
                false => left / matrix[column * size + column],
            };
        }
        let known: f64 = (0..row).map(|k| matrix[row * size + k] * right[k]).sum();
        right[row] = (right[row] - known) / matrix[row * size + row];
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|k| matrix[k * size + row] * right[k]).sum();
        right[row] = (right[row] - known) / matrix[row * size + row];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The corners of a square, against a point.
    fn square(point: Vec3) -> SimplexProblem {
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let mut problem = SimplexProblem::new(4);
        let columns: Vec<Vec3> = corners.iter().map(|[x, y]| Vec3::new(*x, *y, 0.0) - point).collect();
        problem.add_columns(&columns);
        problem
    }

    fn point_of(weights: &[(usize, f64)]) -> Vec3 {
        let corner = |index: usize| [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]][index];
        let parts = weights.iter().map(|&(index, weight)| {
            let [x, y]: [f64; 2] = corner(index);
            Vec3::new(x, y, 0.0) * weight
        });
        parts.sum()
    }

    #[test]
    fn the_nearest_point_of_a_square_is_found_inside_on_an_edge_and_at_a_corner() {
        for (point, nearest) in [
            (Vec3::new(0.3, 0.6, 0.0), Vec3::new(0.3, 0.6, 0.0)),
            (Vec3::new(0.4, -2.0, 0.0), Vec3::new(0.4, 0.0, 0.0)),
            (Vec3::new(3.0, 2.0, 0.0), Vec3::new(1.0, 1.0, 0.0)),
        ] {
            let weights = square(point).minimise(4);
            assert!((point_of(&weights) - nearest).norm() < 1e-9, "{point} {weights:?}");
            let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
            assert!((sum - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn one_weight_is_the_best_single_joint() {
        assert_eq!(square(Vec3::new(0.7, 0.9, 0.0)).minimise(1), [(2, 1.0)]);
    }

    #[test]
    fn known_weights_come_back() {
        // Four columns in three equations each: two examples tell them apart.
        let known = [0.1, 0.0, 0.65, 0.25];
        let columns = [[1.0, 0.2, 0.0], [0.0, 2.0, 0.5], [0.3, 0.0, 1.0], [-1.0, 0.4, 0.2]];
        let mut problem = SimplexProblem::new(4);
        for turn in 0..3 {
            let example: Vec<Vec3> = columns
                .iter()
                .enumerate()
                .map(|(index, c)| Vec3::new(c[turn], c[(turn + 1) % 3] * (1.0 + index as f64), c[2]))
                .collect();
            let target: Vec3 = example.iter().zip(known).map(|(column, weight)| column * weight).sum();
            problem.add_columns(&example.iter().map(|column| column - target).collect::<Vec<_>>());
        }
        let found = problem.minimise(4);
        for (index, weight) in known.into_iter().enumerate() {
            let own = found.iter().find(|(other, _)| *other == index).map_or(0.0, |(_, weight)| *weight);
            assert!((own - weight).abs() < 1e-9, "{found:?}");
        }
    }

    #[test]
    fn equal_columns_share_no_nonsense() {
        let mut problem = SimplexProblem::new(3);
        let column = Vec3::new(0.2, -0.1, 0.4);
        problem.add_columns(&[column, column, column]);
        let weights = problem.minimise(4);
        assert!(weights.iter().all(|(_, weight)| (0.0..=1.0).contains(weight)), "{weights:?}");
        let pulled = {
            problem.add_pull(0.1, &[0.2, 0.5, 0.3]);
            problem.minimise(4)
        };
        for (index, weight) in [0.2, 0.5, 0.3].into_iter().enumerate() {
            assert!((pulled[index].1 - weight).abs() < 1e-6, "{pulled:?}");
        }
    }

    proptest! {
        #[test]
        fn weights_are_a_short_list_with_sum_one(
            columns in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 1..12),
            most in 1usize..5,
            strength in 0.0f64..0.1,
        ) {
            let mut problem = SimplexProblem::new(columns.len());
            problem.add_columns(&columns.iter().map(|c| Vec3::from(*c)).collect::<Vec<_>>());
            problem.add_pull(strength, &vec![1.0 / columns.len() as f64; columns.len()]);
            let weights = problem.minimise(most);
            prop_assert!(!weights.is_empty() && weights.len() <= most);
            prop_assert!(weights.iter().all(|(_, weight)| *weight > 0.0));
            prop_assert!((weights.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
}
