//! An embedding as a vector of penalties.

use crate::embed::penalty::{FORBIDDEN, Penalty, TERM_LIMIT, TERMS};
use crate::embed::search::placements;
use crate::embed::space::SearchSpace;
use crate::skeleton::{PENALTIES, PLACEMENT_PENALTIES, PenaltyWeights, ReducedSkeleton};

/// The penalties of an embedding, each summed over the joints, without weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features {
    /// One sum for each of [`PENALTIES`].
    pub sums: [f64; PENALTIES.len()],
    /// How many penalties of joints are infinite: placements that the search refuses whatever the weights.
    pub refused: f64,
}

impl Features {
    /// What the embedding costs. A refused placement counts as in a search that has to answer: as much as the limit of a
    /// term.
    pub fn cost(&self, weights: &[f64; PENALTIES.len()]) -> f64 {
        let sum: f64 = self.sums.iter().zip(weights).map(|(sum, weight)| sum * weight).sum();
        sum + TERM_LIMIT * self.refused
    }

    /// Whether an embedding costs at least as much as another for all weights.
    pub fn exceeds(&self, other: &Features) -> bool {
        self.refused >= other.refused && self.sums.iter().zip(&other.sums).all(|(a, b)| a >= b)
    }
}

/// The penalties of embeddings of one template.
pub struct FeatureMaker<'a> {
    space: &'a SearchSpace,
    template: ReducedSkeleton,
    /// For each penalty of the body, for each joint, the cost of each sphere at weight one.
    body: Vec<Vec<Vec<f64>>>,
}

impl FeatureMaker<'_> {
    /// For the template of that number.
    pub fn of(space: &SearchSpace, template: usize) -> FeatureMaker<'_> {
        let alone = (0..PENALTIES.len() - PLACEMENT_PENALTIES)
            .map(|term| std::array::from_fn(|other| if other == term { 1.0 } else { 0.0 }));
        FeatureMaker {
            space,
            template: ReducedSkeleton::of(&space.templates[template].skeleton),
            body: alone.map(|weights| space.guide(template, weights)).collect(),
        }
    }

    /// The penalties of the embedding that has these spheres for the joints.
    pub fn features(&self, nodes: &[u32]) -> Features {
        let mut features = Features { sums: [0.0; PENALTIES.len()], refused: 0.0 };
        let options = SearchSpace::penalty([1.0; PLACEMENT_PENALTIES]);
        let penalty = Penalty::new(&self.template, &self.space.graph, &options);
        for terms in placements(&penalty, nodes) {
            for (sum, &basis) in features.sums.iter_mut().zip(&terms[..TERMS.len()]) {
                // Directions of no length make it NaN, which is refused too.
                if basis < FORBIDDEN {
                    *sum += basis;
                } else {
                    features.refused += 1.0;
                }
            }
        }
        for (sum, costs) in features.sums[PLACEMENT_PENALTIES..].iter_mut().zip(&self.body) {
            *sum = nodes.iter().zip(costs).map(|(&node, costs)| costs[node as usize]).sum();
        }
        features
    }
}

/// Weights that are the defaults of all penalties times these factors.
pub fn in_defaults(factors: &[f64]) -> [f64; PENALTIES.len()] {
    let PenaltyWeights(defaults) = PenaltyWeights::default();
    std::array::from_fn(|penalty| factors[penalty] * defaults[penalty])
}
