//! How far joints are from the true ones, and whether that is good enough.

use super::Label;
use crate::math::Vec3;
use crate::skeleton::{Skeleton, Truth, anatomical_name};

/// Every key joint within the first of these, in heights, and four of five within the second: then a rig passes.
const WITHIN: [f64; 2] = [0.12, 0.08];
/// An embedding is bad if it fails even with tolerances wider by this factor. In between it is neither good nor bad: its
/// joints are in the right limbs, and which of two such embeddings is nearer to an artist's habit is not for the penalties
/// to say.
const CLEARLY: f64 = 1.25;
/// Key joints without which nothing can be said.
const ENOUGH: usize = 5;

/// Distances of key joints from where they belong, in heights.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Errors(pub Vec<(String, f64)>);

impl Errors {
    /// Of the joints of a skeleton at positions in the coordinates of the character's file.
    pub fn of(skeleton: &Skeleton, positions: &[Vec3], truth: &Truth) -> Errors {
        let errors = positions.iter().enumerate().filter_map(|(joint, position)| {
            let name = anatomical_name(skeleton, joint)?;
            let error = (position - truth.joints.get(&name)?).norm() / truth.height;
            Some((name, error))
        });
        Errors(errors.collect())
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.0.iter().map(|(_, error)| error).sum::<f64>() / self.0.len().max(1) as f64
    }

    /// The largest, and its joint.
    pub fn worst(&self) -> (&str, f64) {
        let all = self.0.iter().map(|(name, error)| (name.as_str(), *error));
        all.fold(("", 0.0), |a, b| if b.1 > a.1 { b } else { a })
    }

    /// Whether a rig with these errors is a good one.
    pub fn pass(&self) -> bool {
        self.pass_with(1.0)
    }

    /// What an embedding with these errors is an example of.
    pub fn label(&self) -> Label {
        match (self.pass(), self.pass_with(CLEARLY)) {
            _ if self.0.len() < ENOUGH => Label::Unsure,
            (true, _) => Label::Good,
            (false, true) => Label::Unsure,
            (false, false) => Label::Bad,
        }
    }

    fn pass_with(&self, factor: f64) -> bool {
        let near = self.0.iter().filter(|(_, error)| *error <= factor * WITHIN[1]).count();
        self.0.len() >= ENOUGH && self.worst().1 <= factor * WITHIN[0] && near * 5 >= self.0.len() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(all: &[f64]) -> Errors {
        Errors(all.iter().map(|&error| (String::new(), error)).collect())
    }

    #[test]
    fn the_rule_has_two_limits_and_a_zone_between_good_and_bad() {
        assert_eq!(errors(&[0.08, 0.08, 0.08, 0.08, 0.12]).label(), Label::Good);
        assert_eq!(errors(&[0.08, 0.08, 0.08, 0.08, 0.13]).label(), Label::Unsure);
        assert_eq!(errors(&[0.08, 0.08, 0.08, 0.09, 0.09]).label(), Label::Unsure);
        assert_eq!(errors(&[0.01, 0.01, 0.01, 0.01, 0.16]).label(), Label::Bad);
        assert_eq!(errors(&[0.01; 4]).label(), Label::Unsure, "too few joints say nothing");
        assert_eq!(errors(&[0.01, 0.03, 0.02]).worst().1, 0.03);
    }
}
