//! What the program believes of its routes and of its answers, measured: spreads of the routes and coefficients of the
//! confidence.

use super::{Outcome, Way};
use nalgebra::DVector;
use puppetry::stages::embed::confidence::Evidence;
use puppetry_tools::logistic::Examples;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Strength of the ridge of both regressions.
const RIDGE: f64 = 0.3;

/// All that is measured, as text, and the calibration of the confidence, as a picture.
pub fn report(outcomes: &[Outcome]) -> (String, String) {
    let mut text = String::new();
    let _ = writeln!(text, "spreads: six of ten joints are nearer; landmarks, search, prior");
    for (joint, spreads) in spreads(outcomes) {
        let spreads = spreads.map(|spread| format!("{spread:.3}")).join(", ");
        let _ = writeln!(text, "  {joint:<28}[{spreads}]");
    }
    let mut whole = Examples::default();
    for outcome in outcomes {
        if let Some(evidence) = outcome.evidence {
            let is_right = outcome.of(Way::Program).is_some_and(|verdict| verdict.is_pass());
            whole.push(&evidence.0, is_right, &outcome.truth.family);
        }
    }
    let coefficients = whole.fit(RIDGE);
    let _ = writeln!(text, "whole: coefficients, and means of those that pass");
    for (term, name) in Evidence::NAMES.iter().enumerate() {
        let _ = writeln!(text, "  {:>8.3} {:>8.3}  {name}", coefficients[term], whole.usual(term));
    }
    let left_out = whole.left_out(RIDGE);
    let picture = super::calibration::svg(&left_out, &whole.is_right);
    let _ = writeln!(text, "  families left out: {}", quality(&left_out, &whole.is_right));
    let logits: Vec<f64> =
        whole.rows.iter().map(|row| DVector::from_row_slice(row).dot(&coefficients)).collect();
    let _ = writeln!(text, "  fitted: {}", quality(&logits, &whole.is_right));
    let mut joints = Examples::default();
    for (outcome, logit) in outcomes.iter().filter(|outcome| outcome.evidence.is_some()).zip(left_out) {
        for (scatter, is_near) in &outcome.scatters {
            joints.push(&[1.0, scatter.ln(), logit], *is_near, &outcome.truth.family);
        }
    }
    let _ = writeln!(text, "joint: {:.3?}", joints.fit(RIDGE).as_slice());
    let _ = writeln!(text, "  families left out: {}", quality(&joints.left_out(RIDGE), &joints.is_right));
    (text, picture)
}

/// Area under the curve, and how often what is called probable is so.
fn quality(logits: &[f64], is_right: &[bool]) -> String {
    let of = |wanted: bool| -> Vec<f64> {
        logits.iter().zip(is_right).filter(|(_, right)| **right == wanted).map(|(logit, _)| *logit).collect()
    };
    let area = super::table::area_under_curve(&of(true), &of(false)).unwrap_or(f64::NAN);
    let mut text = format!("AUC {area:.3};");
    for (low, high) in [(0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 0.9), (0.9, 1.0)] {
        let inside = |logit: f64| {
            let p = 1.0 / (1.0 + (-logit).exp());
            p >= low && (p < high || high == 1.0)
        };
        let of_bin: Vec<bool> = logits
            .iter()
            .zip(is_right)
            .filter(|(logit, _)| inside(**logit))
            .map(|(_, right)| *right)
            .collect();
        let right = of_bin.iter().filter(|right| **right).count();
        let _ = write!(text, " {low:.2} to {high:.2}: {right} of {};", of_bin.len());
    }
    text
}

/// For each joint the spread of each route.
fn spreads(outcomes: &[Outcome]) -> BTreeMap<String, [f64; 3]> {
    let mut sizes: BTreeMap<&str, f64> = BTreeMap::new();
    outcomes.iter().for_each(|outcome| *sizes.entry(&outcome.truth.family).or_default() += 1.0);
    let mut errors: BTreeMap<String, [Vec<(f64, f64)>; 3]> = BTreeMap::new();
    for outcome in outcomes {
        let weight = 1.0 / sizes[outcome.truth.family.as_str()].sqrt();
        for (place, way) in [Way::Landmarks, Way::Search, Way::Prior].into_iter().enumerate() {
            let Some(verdict) = outcome.of(way) else { continue };
            for (name, error) in &verdict.fair().0 {
                let name = name.replace("left_", "").replace("right_", "");
                let name = format!("{} {name}", outcome.truth.morphology);
                errors.entry(name).or_default()[place].push((*error, weight));
            }
        }
    }
    errors.into_iter().map(|(name, of_ways)| (name, of_ways.map(quantile))).collect()
}

/// The weighted quantile of [`QUANTILE`].
fn quantile(mut errors: Vec<(f64, f64)>) -> f64 {
    errors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = errors.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    for (error, weight) in errors {
        sum += weight;
        if sum >= QUANTILE * total {
            return error;
        }
    }
    f64::NAN
}

/// Of the errors that are called a spread.
const QUANTILE: f64 = 0.6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_a_quantile() {
        assert_eq!(quantile((1..=10).map(|i| (f64::from(i), 1.0)).collect()), 6.0);
    }
}
