//! Logistic regression, with families left out.

use nalgebra::{DMatrix, DVector};
use std::collections::BTreeMap;

/// Examples of a logistic regression: what is known, whether it went well, and the family.
#[derive(Default)]
pub struct Examples {
    pub rows: Vec<Vec<f64>>,
    pub is_right: Vec<bool>,
    pub families: Vec<String>,
}

impl Examples {
    pub fn push(&mut self, row: &[f64], is_right: bool, family: &str) {
        self.rows.push(row.to_vec());
        self.is_right.push(is_right);
        self.families.push(family.to_owned());
    }

    /// A family counts by the root of its size.
    fn weights(&self) -> Vec<f64> {
        let mut sizes: BTreeMap<&str, f64> = BTreeMap::new();
        self.families.iter().for_each(|family| *sizes.entry(family).or_default() += 1.0);
        self.families.iter().map(|family| 1.0 / sizes[family.as_str()].sqrt()).collect()
    }

    /// The mean of a number over those that went well.
    pub fn usual(&self, term: usize) -> f64 {
        let right: Vec<f64> = self
            .rows
            .iter()
            .zip(&self.is_right)
            .filter(|(_, right)| **right)
            .map(|(row, _)| row[term])
            .collect();
        right.iter().sum::<f64>() / right.len().max(1) as f64
    }

    /// Without those of a family.
    fn without(&self, family: &str) -> Examples {
        let mut kept = Examples::default();
        for (row, (is_right, own)) in self.rows.iter().zip(self.is_right.iter().zip(&self.families)) {
            if own != family {
                kept.push(row, *is_right, own);
            }
        }
        kept
    }

    /// Coefficients of the likeliest logistic model, by Newton's method, with a ridge of this strength on all but the first,
    /// whose column is one.
    pub fn fit(&self, ridge: f64) -> DVector<f64> {
        let width = self.rows[0].len();
        let weights = self.weights();
        let ridge =
            DMatrix::from_diagonal(&DVector::from_fn(width, |i, _| if i == 0 { 1e-6 } else { ridge }));
        let mut found = DVector::zeros(width);
        for _ in 0..STEPS {
            let mut gradient = &ridge * &found * -1.0;
            let mut curvature = ridge.clone();
            for ((row, is_right), weight) in self.rows.iter().zip(&self.is_right).zip(&weights) {
                let row = DVector::from_row_slice(row);
                let p = 1.0 / (1.0 + (-row.dot(&found)).exp());
                gradient += &row * (weight * (f64::from(u8::from(*is_right)) - p));
                curvature += &row * row.transpose() * (weight * p * (1.0 - p));
            }
            let Some(step) = curvature.lu().solve(&gradient) else { break };
            found += step;
        }
        found
    }

    /// For each example its logit by a model that has not seen its family.
    pub fn left_out(&self, ridge: f64) -> Vec<f64> {
        let mut models: BTreeMap<&str, DVector<f64>> = BTreeMap::new();
        for family in &self.families {
            models.entry(family).or_insert_with(|| self.without(family).fit(ridge));
        }
        let rows = self.rows.iter().zip(&self.families);
        rows.map(|(row, family)| DVector::from_row_slice(row).dot(&models[family.as_str()])).collect()
    }

    /// The ridge with which families that were left out are the likeliest, of some, and minus the logarithm of that likelihood,
    /// a mean over the examples.
    pub fn best_ridge(&self) -> (f64, f64) {
        let losses = RIDGES.map(|ridge| (ridge, self.loss(&self.left_out(ridge))));
        losses.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((RIDGES[0], f64::NAN))
    }

    fn loss(&self, logits: &[f64]) -> f64 {
        let weights = self.weights();
        let own = logits.iter().zip(&self.is_right).zip(&weights);
        let sum: f64 = own
            .map(|((logit, right), weight)| weight * (if *right { -logit } else { *logit }).exp().ln_1p())
            .sum();
        sum / weights.iter().sum::<f64>()
    }
}

/// Steps of Newton's method.
const STEPS: usize = 30;
/// Strengths of a ridge that are tried. Without any, examples that can be told apart make the coefficients infinite.
const RIDGES: [f64; 6] = [1.0, 0.3, 0.1, 0.03, 0.01, 0.003];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_finds_what_decides() {
        let mut examples = Examples::default();
        for i in 0..200 {
            let x = f64::from(i) / 100.0 - 1.0;
            examples.push(&[1.0, x], x > 0.3, if i % 2 == 0 { "even" } else { "odd" });
        }
        let found = examples.fit(0.3);
        let edge = -found[0] / found[1];
        assert!(found[1] > 2.0 && (edge - 0.3).abs() < 0.1, "{found}");
        let right =
            examples.left_out(0.3).iter().zip(&examples.is_right).filter(|(l, r)| (**l > 0.0) == **r).count();
        assert!(right > 190, "{right}");
        // What is as clear as this wants the weakest ridge.
        assert_eq!(examples.best_ridge().0, RIDGES[RIDGES.len() - 1]);
    }
}
