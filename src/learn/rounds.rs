//! Learns, searches with the new weights, adds what the search finds, and learns again, until it finds nothing new.

use super::{Dataset, LabelledCharacter, Learned, Margins, MaximiseOptions, TrainingCharacter, maximise};
use rayon::prelude::*;

/// One time around.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// The weights that were learned from what was known before.
    pub learned: Learned,
    /// How many characters had a positive margin then.
    pub separated: usize,
    /// Good and bad embeddings that the search found with them and nobody had seen.
    pub new_examples: usize,
}

/// Adds the characters that a data set does not know, with embeddings to begin with.
pub fn collect(
    data: &mut Dataset,
    training: &mut [TrainingCharacter],
    seed: u64,
    done: impl Fn(&str) + Sync,
) {
    let new: Vec<LabelledCharacter> = training
        .par_iter_mut()
        .filter(|character| data.characters.iter().all(|known| known.name != character.name))
        .map(|character| {
            let weights = character.skeleton.weights;
            let examples = character.first_examples(&weights, seed);
            done(&character.name);
            LabelledCharacter {
                name: character.name.clone(),
                family: character.truth.family.clone(),
                examples,
            }
        })
        .collect();
    data.characters.extend(new);
}

/// Learns from a data set; as long as the search finds new embeddings with what was learned, they are added and it goes
/// on, at most for so many `rounds`. Without meshes there is one round.
pub fn learn(
    data: &mut Dataset,
    training: &mut [TrainingCharacter],
    options: &MaximiseOptions,
    rounds: usize,
    mut done: impl FnMut(&Round),
) -> (Learned, Vec<Round>) {
    let mut history: Vec<Round> = Vec::new();
    loop {
        let learned = maximise(data, options);
        let separated = Margins::of(data).values(&learned.weights.0).filter(|m| *m > 0.0).count();
        let is_last = history.len() + 1 >= rounds.max(1);
        let found: Vec<_> = if is_last {
            Vec::new()
        } else {
            training.par_iter_mut().map(|character| character.new_examples(&learned.weights)).collect()
        };
        let mut new_examples = 0;
        for (character, examples) in training.iter().zip(found) {
            let labelled = data.characters.iter_mut().find(|labelled| labelled.name == character.name);
            new_examples += labelled.map_or(0, |labelled| labelled.add(examples));
        }
        let round = Round { learned: learned.clone(), separated, new_examples };
        done(&round);
        history.push(round);
        if new_examples == 0 {
            return (learned, history);
        }
    }
}
