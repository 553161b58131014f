//! How clearly weights tell good embeddings from bad ones.
//!
//! The optimisation margin of the paper: the penalty of the best bad embedding minus that of the best good one. It is
//! positive where the search would find a good one.

use super::{Dataset, Features, Label, LabelledCharacter};
use crate::skeleton::PENALTIES;

type Weights = [f64; PENALTIES.len()];

/// The margin of a character.
#[derive(Debug, Clone, PartialEq)]
pub struct Margin {
    /// Index of the character in the data set.
    pub character: usize,
    /// The best bad penalty minus the best good one.
    pub margin: f64,
    /// Index of the best good embedding among its examples.
    pub good: usize,
    /// Index of the best bad one.
    pub bad: usize,
}

/// Embeddings of all characters that can matter, as numbers only.
///
/// An embedding whose penalties all exceed those of another with the same label never is the best one, and is left out:
/// of hundreds about a dozen remain.
#[derive(Debug, Clone)]
pub struct Margins {
    rivals: Vec<Rivals>,
}

#[derive(Debug, Clone)]
struct Rivals {
    character: usize,
    good: Vec<(usize, Features)>,
    bad: Vec<(usize, Features)>,
}

impl Margins {
    /// Of a data set; characters without a good or without a bad embedding have no margin.
    pub fn of(data: &Dataset) -> Margins {
        let rivals = data.characters.iter().enumerate().filter_map(|(character, labelled)| {
            let [good, bad] =
                [Label::Good, Label::Bad].map(|label| undominated(features_of(labelled, label)));
            (!good.is_empty() && !bad.is_empty()).then_some(Rivals { character, good, bad })
        });
        Margins { rivals: rivals.collect() }
    }

    /// How many characters have a margin.
    pub fn len(&self) -> usize {
        self.rivals.len()
    }

    /// Whether no character has one.
    pub fn is_empty(&self) -> bool {
        self.rivals.is_empty()
    }

    /// The margins alone.
    pub fn values<'a>(&'a self, weights: &'a Weights) -> impl Iterator<Item = f64> + 'a {
        self.rivals
            .iter()
            .map(move |rivals| cheapest(&rivals.bad, weights).1 - cheapest(&rivals.good, weights).1)
    }

    /// The smallest margin.
    pub fn smallest(&self, weights: &Weights) -> f64 {
        self.values(weights).fold(f64::INFINITY, f64::min)
    }

    /// How far the margins are from being at least `room`, on the average: zero if all are, negative else. Where no weights
    /// make all margins positive, the smallest one says nothing about the others; this is the hinge loss of support
    /// vector machines, for optimisation margins.
    pub fn shortfall(&self, weights: &Weights, room: f64) -> f64 {
        let sum: f64 = self.values(weights).map(|margin| (margin - room).min(0.0)).sum();
        sum / self.len().max(1) as f64
    }

    /// Every margin with the pair that it is the distance of, the smallest first.
    pub fn explained(&self, weights: &Weights) -> Vec<Margin> {
        let mut margins: Vec<Margin> = self
            .rivals
            .iter()
            .map(|rivals| {
                let [(good, best), (bad, rival)] =
                    [&rivals.good, &rivals.bad].map(|all| cheapest(all, weights));
                Margin { character: rivals.character, margin: rival - best, good, bad }
            })
            .collect();
        margins.sort_by(|a, b| a.margin.total_cmp(&b.margin));
        margins
    }
}

/// The examples of a label: their indices and features.
fn features_of(character: &LabelledCharacter, label: Label) -> Vec<(usize, Features)> {
    let examples = character.examples.iter().enumerate().filter(|(_, example)| example.label == label);
    examples.map(|(index, example)| (index, example.features)).collect()
}

/// Leaves out what costs at least as much as another with any weights. Of two equal ones the first stays.
fn undominated(all: Vec<(usize, Features)>) -> Vec<(usize, Features)> {
    let kept = all
        .iter()
        .filter(|(a, own)| !all.iter().any(|(b, other)| own.exceeds(other) && (own != other || a > b)));
    kept.copied().collect()
}

/// The cheapest embedding and its cost; the first of equal ones.
fn cheapest(all: &[(usize, Features)], weights: &Weights) -> (usize, f64) {
    let costs = all.iter().map(|(index, features)| (*index, features.cost(weights)));
    costs.fold((0, f64::INFINITY), |a, b| if b.1 < a.1 { b } else { a })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::stages::learn::Example;

    /// A character whose embeddings have the first penalties only.
    pub fn character(name: &str, family: &str, examples: &[(Label, [f64; 3])]) -> LabelledCharacter {
        let example = |(index, &(label, first)): (usize, &(Label, [f64; 3]))| {
            let mut sums = [0.0; PENALTIES.len()];
            sums[..3].copy_from_slice(&first);
            Example {
                id: format!("{index:08x}"),
                origin: "test".into(),
                label,
                worst: 0.1,
                mean: 0.05,
                features: Features { sums, refused: 0.0 },
                joints: Vec::new(),
            }
        };
        let examples = examples.iter().enumerate().map(example).collect();
        LabelledCharacter { name: name.into(), family: family.into(), examples }
    }

    pub fn dataset(characters: Vec<LabelledCharacter>) -> Dataset {
        Dataset { skeleton: "human".into(), characters }
    }

    #[test]
    fn a_margin_is_between_the_best_of_both_kinds() {
        let data = dataset(vec![
            character(
                "a",
                "f",
                &[
                    (Label::Good, [1.0, 0.0, 0.0]),
                    (Label::Good, [0.0, 3.0, 0.0]),
                    (Label::Bad, [0.0, 2.0, 0.0]),
                    (Label::Bad, [4.0, 2.0, 0.0]),
                    (Label::Unsure, [0.0, 0.0, 0.0]),
                ],
            ),
            character("no bad ones", "f", &[(Label::Good, [1.0, 1.0, 1.0])]),
        ]);
        let margins = Margins::of(&data);
        assert_eq!(margins.len(), 1);
        let mut weights = [0.0; PENALTIES.len()];
        (weights[0], weights[1]) = (1.0, 1.0);
        let [margin] = &margins.explained(&weights)[..] else { panic!("one margin") };
        assert_eq!(*margin, Margin { character: 0, margin: 1.0, good: 0, bad: 2 });
        assert_eq!(margins.smallest(&weights), 1.0);
        weights[0] = 4.0;
        assert_eq!(margins.smallest(&weights), -1.0);
        assert_eq!(margins.shortfall(&weights, 0.5), -1.5);
    }

    #[test]
    fn what_never_is_the_best_is_left_out() {
        let data = dataset(vec![character(
            "a",
            "f",
            &[
                (Label::Good, [1.0; 3]),
                (Label::Good, [1.0; 3]),
                (Label::Good, [1.0, 2.0, 1.0]),
                (Label::Bad, [2.0; 3]),
            ],
        )]);
        assert_eq!(Margins::of(&data).rivals[0].good.len(), 1);
    }
}
