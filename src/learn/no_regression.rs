//! The largest step towards the learned weights without a regression.
//!
//! Weights with larger margins can make single characters worse, because margins judge the search alone and the program
//! fuses it with landmarks. The step taken is the largest one with which no guarded character is worse and no fewer
//! characters pass.

use super::{Answer, TrainingCharacter};
use crate::math::pow;
use crate::skeleton::PenaltyWeights;
use rayon::prelude::*;

/// A step from the old weights towards the learned ones, and what it does.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Share of the distance, 0 to 1.
    pub share: f64,
    /// The guarded characters that would be worse.
    pub harmed: Vec<String>,
    /// How many of all characters pass by what the program gives, and by the search alone.
    pub passed: [usize; 2],
}

/// The shares that are tried, the whole step first.
const SHARES: [f64; 4] = [1.0, 0.75, 0.5, 0.25];

/// A mean error may grow by so much, in heights: less than what a table with one digit shows.
const SLACK: f64 = 0.0005;

/// Goes towards the learned weights as far as no guarded character is worse and no fewer characters pass; the last step is
/// the one to take. Its share is zero if every step does harm.
pub fn largest_safe_step(
    old: &PenaltyWeights,
    learned: &PenaltyWeights,
    training: &mut [TrainingCharacter],
    is_guarded: impl Fn(&str) -> bool,
) -> Vec<Step> {
    let before = answers(training, old);
    let mut steps = Vec::new();
    for share in SHARES {
        let after = answers(training, &towards(old, learned, share));
        let both = before.iter().zip(&after).filter(|((name, _), _)| is_guarded(name));
        let harmed = both.filter(|((_, before), (_, after))| is_worse(before, after));
        let harmed: Vec<String> = harmed.map(|((name, _), _)| name.clone()).collect();
        let passed = passed(&after);
        let is_safe = harmed.is_empty() && passed >= self::passed(&before);
        steps.push(Step { share, harmed, passed });
        if is_safe {
            return steps;
        }
    }
    steps.push(Step { share: 0.0, harmed: Vec::new(), passed: passed(&before) });
    steps
}

/// What the program answers for each character with these weights.
fn answers(training: &mut [TrainingCharacter], weights: &PenaltyWeights) -> Vec<(String, Answer)> {
    training.par_iter_mut().map(|character| (character.name.clone(), character.answer(weights))).collect()
}

/// How many pass by what the program gives, and by the search alone.
fn passed(answers: &[(String, Answer)]) -> [usize; 2] {
    answers.iter().fold([0, 0], |[combined, search], (_, answer)| {
        [combined + usize::from(answer.combined.pass()), search + usize::from(answer.search.pass())]
    })
}

/// Whether what the program gives is worse.
fn is_worse(before: &Answer, after: &Answer) -> bool {
    let (before, after) = (&before.combined, &after.combined);
    before.pass() && !after.pass() || after.mean() > before.mean() + SLACK
}

/// Weights at a share of the step from old ones to new ones, each by the same power of its ratio. Weights that are zero in
/// the new ones are zero at once.
pub fn towards(old: &PenaltyWeights, new: &PenaltyWeights, share: f64) -> PenaltyWeights {
    PenaltyWeights(std::array::from_fn(|penalty| {
        let (from, to) = (old.0[penalty], new.0[penalty]);
        match (from > 0.0, to > 0.0) {
            (true, true) => from * pow(to / from, share),
            (_, false) if share > 0.0 => 0.0,
            _ => from + share * (to - from),
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stages::learn::Errors;

    #[test]
    fn the_way_leads_from_old_to_new() {
        let old = PenaltyWeights::default();
        let mut new = old;
        (new.0[0], new.0[1]) = (4.0 * old.0[0], 0.0);
        assert_eq!(towards(&old, &new, 0.0), old);
        let half = towards(&old, &new, 0.5);
        assert!((half.0[0] - 2.0 * old.0[0]).abs() < 1e-12 && half.0[1] == 0.0);
        assert_eq!(half.0[2], old.0[2]);
        assert!((towards(&old, &new, 1.0).0[0] - new.0[0]).abs() < 1e-12);
    }

    #[test]
    fn a_larger_error_and_a_lost_pass_are_worse() {
        let answer = |error: f64, worst: f64| {
            let mut errors = vec![(String::new(), error); 14];
            errors.push((String::new(), worst));
            let errors = Errors(errors);
            Answer { search: errors.clone(), combined: errors }
        };
        assert!(is_worse(&answer(0.02, 0.1), &answer(0.021, 0.1)));
        assert!(!is_worse(&answer(0.02, 0.1), &answer(0.0202, 0.1)));
        assert!(is_worse(&answer(0.02, 0.1), &answer(0.01, 0.13)));
    }
}
