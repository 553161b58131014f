//! Learns, searches with the new weights, adds what the search finds, and learns again, until it finds nothing new.

use super::{Character, Dataset, Example, Label, Learned, Margins, MaximiseOptions, Subject, maximise};
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
pub fn collect(data: &mut Dataset, subjects: &mut [Subject], seed: u64, done: impl Fn(&str) + Sync) {
    let is_known = |name: &str| data.characters.iter().any(|character| character.name == name);
    let new: Vec<Character> = subjects
        .par_iter_mut()
        .filter(|subject| !is_known(&subject.name))
        .map(|subject| {
            let weights = subject.skeleton.weights;
            let examples = subject.first_examples(&weights, seed);
            done(&subject.name);
            Character { name: subject.name.clone(), family: subject.truth.family.clone(), examples }
        })
        .collect();
    data.characters.extend(new);
}

/// Learns from a data set; as long as the search finds new embeddings with what was learned, they are added and it goes
/// on, at most for so many `rounds`. Without subjects there is one round.
pub fn learn(
    data: &mut Dataset,
    subjects: &mut [Subject],
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
            subjects.par_iter_mut().map(|subject| subject.new_examples(&learned.weights)).collect()
        };
        let mut new_examples = 0;
        for (subject, examples) in subjects.iter().zip(found) {
            let Some(character) = data.characters.iter_mut().find(|one| one.name == subject.name) else {
                continue;
            };
            let is_new = |example: &&Example| character.examples.iter().all(|known| known.id != example.id);
            new_examples +=
                examples.iter().filter(is_new).filter(|example| example.label != Label::Unsure).count();
            character.add(examples);
        }
        let round = Round { learned: learned.clone(), separated, new_examples };
        done(&round);
        history.push(round);
        if new_examples == 0 {
            return (learned, history);
        }
    }
}
