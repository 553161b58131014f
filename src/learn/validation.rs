//! What learned weights are worth for characters that they were not learned from: one family after the other is left out,
//! and found with the weights that the others give.

use super::no_regression::towards;
use super::{
    Answer, Dataset, Label, LabelledCharacter, Learned, MaximiseOptions, TrainingCharacter, maximise,
};
use crate::skeleton::PenaltyWeights;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// A family that was left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Fold {
    /// Its name.
    pub family: String,
    /// What the others taught.
    pub learned: Learned,
    /// How its characters fared with that.
    pub outcomes: Vec<Outcome>,
}

/// How a character fared with weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Its name.
    pub character: String,
    /// Whether the cheapest of the known embeddings is not a bad one.
    pub stored: bool,
    /// What the program answers, where the mesh is there.
    pub answered: Option<Answer>,
}

/// Leaves out one family after the other. As with all of them, the weights go a `share` of the step from the `old` ones to
/// what the others teach.
pub fn leave_one_family_out(
    data: &Dataset,
    training: &mut [TrainingCharacter],
    options: &MaximiseOptions,
    (old, share): (&PenaltyWeights, f64),
    done: impl Fn(&str),
) -> Vec<Fold> {
    // Families of which all characters were set aside are left out as it is.
    let of_training = training.iter().map(|character| character.truth.family.clone());
    let families: BTreeSet<String> =
        data.families().into_iter().map(str::to_owned).chain(of_training).collect();
    let mut folds = Vec::new();
    for family in families {
        let others = data.without_family(&family);
        if others.characters.is_empty() {
            continue;
        }
        let learned = maximise(&others, options);
        let weights = towards(old, &learned.weights, share);
        let outcomes = outcomes(data, training, &weights, |name| name == family);
        done(&family);
        folds.push(Fold { family, learned, outcomes });
    }
    folds
}

/// How the characters of some families fare with weights; those that were set aside count too, where the mesh is there.
pub fn outcomes(
    data: &Dataset,
    training: &mut [TrainingCharacter],
    weights: &PenaltyWeights,
    is_meant: impl Fn(&str) -> bool + Sync,
) -> Vec<Outcome> {
    if training.is_empty() {
        let meant = data.characters.iter().filter(|character| is_meant(&character.family));
        return meant
            .map(|character| Outcome {
                character: character.name.clone(),
                stored: finds_no_bad(character, weights),
                answered: None,
            })
            .collect();
    }
    training
        .par_iter_mut()
        .filter(|character| is_meant(&character.truth.family))
        .map(|character| {
            let labelled = data.characters.iter().find(|labelled| labelled.name == character.name);
            Outcome {
                character: character.name.clone(),
                stored: labelled.is_some_and(|labelled| finds_no_bad(labelled, weights)),
                answered: Some(character.answer(weights)),
            }
        })
        .collect()
}

/// Whether the cheapest of the known embeddings is not a bad one.
fn finds_no_bad(character: &LabelledCharacter, weights: &PenaltyWeights) -> bool {
    let costs = character.examples.iter().map(|example| (example.features.cost(&weights.0), example.label));
    costs.min_by(|a, b| a.0.total_cmp(&b.0)).is_some_and(|(_, label)| label != Label::Bad)
}

#[cfg(test)]
mod tests {
    use super::super::margin::tests::{character, dataset};
    use super::*;

    #[test]
    fn a_family_is_judged_by_what_the_others_teach() {
        let honest = |name: &str, family: &str| {
            character(name, family, &[(Label::Good, [1.0, 0.0, 0.0]), (Label::Bad, [0.0, 1.0, 0.0])])
        };
        let contrary =
            character("c", "odd", &[(Label::Good, [0.0, 1.0, 0.0]), (Label::Bad, [1.0, 0.0, 0.0])]);
        let data = dataset(vec![honest("a", "one"), honest("b", "two"), contrary]);
        let options = MaximiseOptions { cubes: 4, starts: 4, evaluations: 400, ..MaximiseOptions::default() };
        let old = PenaltyWeights::default();
        let folds = leave_one_family_out(&data, &mut [], &options, (&old, 1.0), |_| {});
        let families: Vec<&str> = folds.iter().map(|fold| fold.family.as_str()).collect();
        assert_eq!(families, ["odd", "one", "two"]);
        assert!(folds[0].learned.separates && !folds[0].outcomes[0].stored);
        assert!(folds.iter().all(|fold| fold.outcomes.len() == 1));
    }
}
