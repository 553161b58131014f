//! Learned weights that make nobody worse.
//!
//! What is best for most may be worse for one, and margins are not everything: the program combines the search with
//! landmarks. Between the weights so far and the learned ones there are others; those are taken that are nearest to the
//! learned ones, leave every guarded character as well off as it was, and find no fewer characters.

use super::{Answer, Subject};
use crate::math::pow;
use crate::skeleton::PenaltyWeights;
use rayon::prelude::*;

/// How far the weights go towards the learned ones, and what that does.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Part of the way, 0 to 1.
    pub share: f64,
    /// The guarded characters that would be worse.
    pub harmed: Vec<String>,
    /// How many of all characters pass by what the program gives, and by the search alone.
    pub passed: [usize; 2],
}

/// The parts of the way that are tried, the whole of it first.
const SHARES: [f64; 4] = [1.0, 0.75, 0.5, 0.25];

/// A mean error may grow by so much, in heights: less than what a table with one digit shows.
const SLACK: f64 = 0.0005;

/// Goes towards the learned weights as far as no guarded character is worse and no fewer characters pass; the last step is
/// the one to take. Its share is zero if every step does harm.
pub fn as_far_as_harmless(
    old: &PenaltyWeights,
    learned: &PenaltyWeights,
    subjects: &mut [Subject],
    is_guarded: impl Fn(&str) -> bool,
) -> Vec<Step> {
    let mut answers = |weights: &PenaltyWeights| -> Vec<(String, Answer)> {
        let all = subjects.par_iter_mut();
        all.map(|subject| (subject.name.clone(), subject.answer(weights))).collect()
    };
    let before = answers(old);
    let mut steps = Vec::new();
    for share in SHARES {
        let after = answers(&towards(old, learned, share));
        let both = before.iter().zip(&after).filter(|((name, _), _)| is_guarded(name));
        let harmed = both.filter(|((_, before), (_, after))| is_worse(before, after));
        let harmed: Vec<String> = harmed.map(|((name, _), _)| name.clone()).collect();
        let passed = passed(&after);
        let is_harmless = harmed.is_empty() && passed >= self::passed(&before);
        steps.push(Step { share, harmed, passed });
        if is_harmless {
            return steps;
        }
    }
    steps.push(Step { share: 0.0, harmed: Vec::new(), passed: passed(&before) });
    steps
}

fn passed(answers: &[(String, Answer)]) -> [usize; 2] {
    let count = |passes: fn(&Answer) -> bool| answers.iter().filter(|(_, answer)| passes(answer)).count();
    [count(|answer| answer.combined.pass()), count(|answer| answer.search.pass())]
}

/// Whether what the program gives is worse.
fn is_worse(before: &Answer, after: &Answer) -> bool {
    let (before, after) = (&before.combined, &after.combined);
    before.pass() && !after.pass() || after.mean() > before.mean() + SLACK
}

/// Weights at a part of the way from old ones to new ones: each by the same power of its ratio. What is left out of the new
/// ones is left out at once.
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
    use crate::learn::Errors;

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
