//! Examples of embeddings, good and bad.

use super::Features;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// What an embedding is an example of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// It should be found.
    Good,
    /// It must not be found.
    Bad,
    /// It may be found or not.
    Unsure,
}

impl Label {
    /// The word for it in files.
    pub fn word(self) -> &'static str {
        match self {
            Label::Good => "good",
            Label::Bad => "bad",
            Label::Unsure => "unsure",
        }
    }

    /// The label of that word.
    pub fn of_word(word: &str) -> Option<Label> {
        [Label::Good, Label::Bad, Label::Unsure].into_iter().find(|label| label.word() == word)
    }
}

/// An embedding of a character.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Tells the embeddings of a character apart: eight hexadecimal digits of its spheres.
    pub id: String,
    /// How it came about, one word.
    pub origin: String,
    /// What it is an example of.
    pub label: Label,
    /// Largest and mean distance of key joints from the truth, in heights; NaN where there is no truth.
    pub worst: f64,
    /// See `worst`.
    pub mean: f64,
    /// Its penalties.
    pub features: Features,
    /// All joints in the unit cube of the character; empty in a data set that was read from a file.
    pub joints: Vec<crate::math::Vec3>,
}

/// A character and its labelled embeddings.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledCharacter {
    /// The name of its file.
    pub name: String,
    /// Where it is from.
    pub family: String,
    /// The embeddings, in the order in which they were found.
    pub examples: Vec<Example>,
}

impl LabelledCharacter {
    /// The examples of a label.
    pub fn of(&self, label: Label) -> impl Iterator<Item = &Example> {
        self.examples.iter().filter(move |example| example.label == label)
    }

    /// Adds examples that are not there yet; gives the number of good and bad ones among them.
    pub fn add(&mut self, examples: Vec<Example>) -> usize {
        let mut added = 0;
        for example in examples {
            if self.examples.iter().all(|known| known.id != example.id) {
                added += usize::from(example.label != Label::Unsure);
                self.examples.push(example);
            }
        }
        added
    }
}

/// What is learned from.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// The skeleton whose embeddings these are.
    pub skeleton: String,
    /// The characters.
    pub characters: Vec<LabelledCharacter>,
}

/// Nothing can be learned from a data set.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum DatasetError {
    /// There is nothing to compare with.
    #[error(
        "there {} to learn from, and weights that fit one fit one only; give folders with more characters that have a truth file",
        if *.0 == 0 { "is no character" } else { "is one character" }
    )]
    TooFew(usize),
    /// A character has nothing that should be found.
    #[error(
        "no embedding is good for {}; correct the truth files, label an embedding, or set these characters aside",
        .0.join(", ")
    )]
    NoGood(Vec<String>),
    /// The same penalties cannot be good and bad.
    #[error(
        "the labels of '{character}' contradict each other: {good} is good and {bad} is bad, and their penalties are the \
         same; correct one of them"
    )]
    Contradiction {
        /// The character.
        character: String,
        /// The good embedding.
        good: String,
        /// The bad one.
        bad: String,
    },
}

impl Dataset {
    /// Refuses what nothing can be learned from.
    ///
    /// # Errors
    /// Too few characters, characters without a good embedding, labels that contradict each other.
    pub fn check(&self) -> Result<(), DatasetError> {
        for character in &self.characters {
            for good in character.of(Label::Good) {
                if let Some(bad) = character.of(Label::Bad).find(|bad| bad.features == good.features) {
                    return Err(DatasetError::Contradiction {
                        character: character.name.clone(),
                        good: good.id.clone(),
                        bad: bad.id.clone(),
                    });
                }
            }
        }
        let hopeless = self.hopeless();
        if !hopeless.is_empty() {
            return Err(DatasetError::NoGood(hopeless));
        }
        if self.characters.len() < 2 {
            return Err(DatasetError::TooFew(self.characters.len()));
        }
        Ok(())
    }

    /// The characters without a good embedding.
    pub fn hopeless(&self) -> Vec<String> {
        let hopeless = self.characters.iter().filter(|character| character.of(Label::Good).next().is_none());
        hopeless.map(|character| character.name.clone()).collect()
    }

    /// All families, sorted.
    pub fn families(&self) -> BTreeSet<&str> {
        self.characters.iter().map(|character| character.family.as_str()).collect()
    }

    /// What is left without a family.
    pub fn without_family(&self, family: &str) -> Dataset {
        let kept = self.characters.iter().filter(|character| character.family != family);
        Dataset { skeleton: self.skeleton.clone(), characters: kept.cloned().collect() }
    }

    /// How many examples have which label.
    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for example in self.characters.iter().flat_map(|character| &character.examples) {
            *counts.entry(example.label.word()).or_default() += 1;
        }
        counts
    }
}
