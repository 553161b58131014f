//! Finds the weights with the largest margin.
//!
//! As in the paper: Nelder-Mead from random normalised weights in a cube, then in a smaller cube around the best ones,
//! and so on. Different from it, penalties are measured in their default weights, so that the cube means the same
//! for all of them; weights that make no difference stay at their defaults; and where no weights make every margin
//! positive, the shortfall of all characters is what counts.

use super::features::in_defaults;
use super::{Dataset, Label, Margins};
use crate::math::{Random, ln, nelder_mead, square};
use crate::skeleton::{PENALTIES, PenaltyWeights};
use rayon::prelude::*;

/// How thoroughly to look.
#[derive(Debug, Clone, PartialEq)]
pub struct MaximiseOptions {
    /// Decides where the searches begin.
    pub seed: u64,
    /// How many cubes, each smaller than the one before.
    pub cubes: usize,
    /// Random starts in each cube.
    pub starts: usize,
    /// Evaluations for each start.
    pub evaluations: usize,
    /// Penalties that are not varied keep this factor of their default; `None`: it is varied.
    pub fixed: [Option<f64>; PENALTIES.len()],
}

impl Default for MaximiseOptions {
    fn default() -> MaximiseOptions {
        let fixed = [None; PENALTIES.len()];
        MaximiseOptions { seed: 1, cubes: 5, starts: 8, evaluations: 800, fixed }
    }
}

/// A cube is smaller than the one before by this factor. Nearer to one, twice as many cubes are needed; smaller, the best
/// region is lost when the first cube did not hit it.
const SHRINK: f64 = 0.6;
/// What it costs to move all weights away from their defaults by a factor of e, and four times that for a factor of e²: as
/// much as a sixtieth of the characters just failing. Without it, a penalty that no limiting pair speaks of goes to
/// zero, because others may then be larger; but the next character may need it. Much larger, nothing is learned.
const PRIOR: f64 = 0.0003;
/// Weights stay within this factor of their defaults, before all of them are scaled.
const FARTHEST: f64 = 20.0;
/// Margins of this size are wide enough, in costs: search results whose costs are nearer to each other count as about
/// equally good, and a good embedding costs 0.02.
const ROOM: f64 = 0.01;
/// First step of Nelder-Mead in sides of the cube.
const FIRST_STEP: f64 = 0.25;
/// All weights together are scaled by at most this factor: few good embeddings say little about costs.
const MOST_RESCALED: f64 = 4.0;

/// Weights, and what they achieve.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The weights.
    pub weights: PenaltyWeights,
    /// The smallest margin over all characters.
    pub margin: f64,
    /// Whether all margins are positive.
    pub separates: bool,
}

/// The weights with the largest smallest margin; or with the least shortfall, if that margin is not positive.
pub fn maximise(data: &Dataset, options: &MaximiseOptions) -> Learned {
    let margins = Margins::of(data);
    let options = &with_silent_fixed(data, options);
    let hard = climb(options, |weights| margins.smallest(weights));
    let factors = if margins.smallest(&in_defaults(&hard)) > 0.0 {
        hard
    } else {
        climb(options, |weights| margins.shortfall(weights, ROOM))
    };
    let weights = calibrated(data, &factors, options);
    let margin = margins.smallest(&weights.0);
    Learned { weights, margin, separates: margin > 0.0 }
}

/// The characters that have a bad embedding as the cheapest one whatever the weights: learned from nothing else, they still
/// have no positive margin. Of the others, `weights` is a witness for those that it serves.
pub fn inseparable(data: &Dataset, weights: &PenaltyWeights, options: &MaximiseOptions) -> Vec<String> {
    let failing = Margins::of(data).explained(&weights.0).into_iter().filter(|margin| margin.margin <= 0.0);
    let mut alone: Vec<usize> = failing.map(|margin| margin.character).collect();
    alone.sort_unstable();
    let hopeless = alone.par_iter().map(|&index| &data.characters[index]).filter(|&character| {
        let characters = vec![character.clone()];
        !maximise(&Dataset { skeleton: data.skeleton.clone(), characters }, options).separates
    });
    hopeless.map(|character| character.name.clone()).collect()
}

/// Penalties that are zero in all examples keep their defaults: nothing is known about them.
fn with_silent_fixed(data: &Dataset, options: &MaximiseOptions) -> MaximiseOptions {
    let mut options = options.clone();
    for (penalty, fixed) in options.fixed.iter_mut().enumerate() {
        let mut examples = data.characters.iter().flat_map(|character| &character.examples);
        if examples.all(|example| example.features.sums[penalty] == 0.0) {
            fixed.get_or_insert(1.0);
        }
    }
    options
}

/// The factors to the default weights for which a value is largest.
fn climb(
    options: &MaximiseOptions,
    value: impl Fn(&[f64; PENALTIES.len()]) -> f64 + Sync,
) -> [f64; PENALTIES.len()] {
    let mut random = Random::new(options.seed);
    let mut best = normalised(&[1.0; PENALTIES.len()], options);
    let mut highest = value(&in_defaults(&best)) - prior(&best, options);
    let mut side = 1.0;
    for cube in 0..options.cubes {
        let starts: Vec<Vec<f64>> = (0..options.starts)
            .map(|start| match (cube, start) {
                // What is known already, once more: from there no cube leads down.
                (_, 0) => best.to_vec(),
                (0, _) => (0..PENALTIES.len()).map(|_| random.unit()).collect(),
                _ => best.iter().map(|x| x + side * random.between(-1.0, 1.0)).collect(),
            })
            .collect();
        let reached: Vec<(Vec<f64>, f64)> = starts
            .par_iter()
            .map(|start| {
                nelder_mead(&normalised(start, options), FIRST_STEP * side, options.evaluations, |x| {
                    let factors = normalised(x, options);
                    prior(&factors, options) - value(&in_defaults(&factors))
                })
            })
            .collect();
        for (factors, depth) in reached {
            if -depth > highest {
                (best, highest) = (normalised(&factors, options), -depth);
            }
        }
        side *= SHRINK;
    }
    best
}

/// What it costs to be away from the defaults, see [`PRIOR`].
fn prior(factors: &[f64; PENALTIES.len()], options: &MaximiseOptions) -> f64 {
    let (count, squares) = sum_of_free(factors, options, |factor| square(ln(factor)));
    PRIOR * squares / f64::max(count, 1.0)
}

/// How many penalties are varied, and the sum of a value over their factors.
fn sum_of_free(factors: &[f64], options: &MaximiseOptions, value: impl Fn(f64) -> f64) -> (f64, f64) {
    let free = factors.iter().zip(&options.fixed).filter(|(_, fixed)| fixed.is_none());
    free.fold((0.0, 0.0), |(count, sum), (&factor, _)| (count + 1.0, sum + value(factor)))
}

/// The same direction with the length of the defaults; nothing is negative, or far from the defaults.
fn normalised(factors: &[f64], options: &MaximiseOptions) -> [f64; PENALTIES.len()] {
    let (count, squares) = sum_of_free(factors, options, square);
    let scale = if squares > 0.0 { f64::sqrt(count / squares) } else { 1.0 };
    std::array::from_fn(|penalty| {
        options.fixed[penalty].unwrap_or((scale * factors[penalty].abs()).clamp(1.0 / FARTHEST, FARTHEST))
    })
}

/// Limits, confidences and hints speak of costs: the best good embeddings shall cost on the average what they cost with the
/// default weights of the penalties that count.
fn calibrated(data: &Dataset, factors: &[f64; PENALTIES.len()], options: &MaximiseOptions) -> PenaltyWeights {
    let defaults = in_defaults(&options.fixed.map(|fixed| fixed.unwrap_or(1.0)));
    let [before, after] = [defaults, in_defaults(factors)].map(|weights| cost_of_best(data, &weights));
    let scale = if after > 0.0 { (before / after).clamp(1.0 / MOST_RESCALED, MOST_RESCALED) } else { 1.0 };
    let scaled: [f64; PENALTIES.len()] =
        std::array::from_fn(|penalty| options.fixed[penalty].unwrap_or(scale * factors[penalty]));
    PenaltyWeights(in_defaults(&scaled))
}

/// The sum over all characters of what the best good embedding costs.
fn cost_of_best(data: &Dataset, weights: &[f64; PENALTIES.len()]) -> f64 {
    let best = data.characters.iter().filter_map(|character| {
        let good = character.of(Label::Good).filter(|example| example.features.refused == 0.0);
        good.map(|example| example.features.cost(weights)).min_by(f64::total_cmp)
    });
    best.sum()
}

#[cfg(test)]
mod tests {
    use super::super::margin::tests::{character, dataset};
    use super::*;

    #[test]
    fn weights_that_separate_are_found_and_are_the_same_every_time() {
        // The first penalty lies, the second tells the truth, the third says nothing.
        let honest = |name: &str, a: f64, b: f64| {
            character(name, "f", &[(Label::Good, [1.0 + a, 0.2, 0.5]), (Label::Bad, [a, 1.0 + b, 0.5])])
        };
        let data = dataset(vec![honest("a", 0.5, 0.0), honest("b", 0.1, 0.3), honest("c", 0.0, 0.1)]);
        let options = MaximiseOptions { cubes: 4, starts: 4, evaluations: 600, ..MaximiseOptions::default() };
        let learned = maximise(&data, &options);
        assert!(learned.separates && learned.margin > 0.0, "{learned:?}");
        let PenaltyWeights(defaults) = PenaltyWeights::default();
        let factor = |penalty: usize| learned.weights.0[penalty] / defaults[penalty];
        assert!(factor(0) < 0.2 * factor(1), "{learned:?}");
        assert_eq!(factor(3), 1.0, "what never occurs keeps its default");
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(alone.install(|| maximise(&data, &options)), learned);
    }

    #[test]
    fn where_nothing_separates_all_the_few_do_not_outvote_the_many() {
        let normal = |name: &str| {
            character(name, "f", &[(Label::Good, [0.0, 1.0, 0.0]), (Label::Bad, [1.0, 0.0, 0.0])])
        };
        let odd = character("odd", "f", &[(Label::Good, [1.0, 0.0, 0.0]), (Label::Bad, [0.0, 1.0, 0.0])]);
        let data = dataset(vec![normal("a"), normal("b"), normal("c"), odd]);
        let options = MaximiseOptions { cubes: 4, starts: 4, evaluations: 600, ..MaximiseOptions::default() };
        let learned = maximise(&data, &options);
        assert!(!learned.separates);
        let margins = Margins::of(&data);
        assert_eq!(margins.values(&learned.weights.0).filter(|margin| *margin > 0.0).count(), 3);
    }

    #[test]
    fn who_cannot_be_helped_is_told_from_who_is_outvoted() {
        let outvoted =
            character("outvoted", "f", &[(Label::Good, [1.0, 0.0, 0.0]), (Label::Bad, [0.0, 1.0, 0.0])]);
        // The bad one exceeds the good one in nothing.
        let hopeless =
            character("hopeless", "f", &[(Label::Good, [1.0, 1.0, 0.0]), (Label::Bad, [1.0, 0.5, 0.0])]);
        let data = dataset(vec![outvoted, hopeless]);
        let mut weights = PenaltyWeights::default();
        (weights.0[0], weights.0[1]) = (1.0, 0.1);
        let options = MaximiseOptions { cubes: 3, starts: 4, evaluations: 300, ..MaximiseOptions::default() };
        assert_eq!(inseparable(&data, &weights, &options), ["hopeless"]);
    }

    #[test]
    fn fixed_penalties_stay() {
        let data = dataset(vec![character(
            "a",
            "f",
            &[(Label::Good, [0.0, 1.0, 0.0]), (Label::Bad, [1.0, 0.0, 0.0])],
        )]);
        let mut options =
            MaximiseOptions { cubes: 2, starts: 3, evaluations: 200, ..MaximiseOptions::default() };
        options.fixed[1] = Some(0.0);
        assert_eq!(maximise(&data, &options).weights.0[1], 0.0);
    }
}
