//! How far to trust the positions of joints.

use super::Stages;
use super::candidates::Hint;
use super::fusion::{Route, is_tail, mean};
use super::penalty::log_ratio;
use super::search::Effort;
use super::template::SIZE;
use crate::math::{Vec3, ln};
use crate::skeleton::Skeleton;
use std::f64::consts::LN_2;

/// What the confidences of an answer are computed from.
pub(super) struct Confidence<'a> {
    pub skeleton: &'a Skeleton,
    pub stages: &'a Stages,
    pub route: Route,
    /// For each joint the distance between the two routes, in heights; empty if one answered only.
    pub disagreements: &'a [f64],
}

impl Confidence<'_> {
    /// How far to trust the whole: the route's own confidence, how far the other is from it, and whether the joints of the
    /// trunk lie inside the body at all.
    pub fn overall(&self, positions: &[Vec3]) -> f64 {
        let joints = self.skeleton.joints.iter().enumerate();
        let trunk = joints.filter(|(_, joint)| joint.partner.is_none() && !joint.is_tip);
        let inside = trunk.map(|(joint, _)| OUTSIDE.at(self.outside(&positions[joint]))).fold(1.0, f64::min);
        self.of_route() * DISAGREEMENT.at(mean(self.disagreements)) * inside
    }

    /// How far to trust each joint.
    pub fn per_joint(&self, positions: &[Vec3], hints: &[Hint], plane: Option<f64>) -> Vec<f64> {
        let joints = self.skeleton.joints.iter().enumerate().map(|(joint, data)| {
            let partner = data.partner.filter(|_| plane.is_some());
            let is_hinted = hints.iter().any(|hint| hint.full == joint || Some(hint.full) == partner);
            if is_hinted { 1.0 } else { self.of_joint(positions, joint) }
        });
        joints.collect()
    }

    fn of_joint(&self, positions: &[Vec3], joint: usize) -> f64 {
        let own = match self.route {
            Route::Landmarks => self.of_landmark(joint),
            Route::Search => self.of_route(),
        };
        // Tails are the search's alone.
        let apart = self.disagreements.get(joint).copied();
        let apart = apart.filter(|_| !is_tail(self.skeleton, joint)).unwrap_or(0.0);
        own * DISAGREEMENT.at(apart)
            * OUTSIDE.at(self.outside(&positions[joint]))
            * self.of_length(positions, joint)
    }

    fn of_route(&self) -> f64 {
        match self.route {
            Route::Landmarks => self.stages.landmarks.as_ref().map_or(0.0, |landmarks| landmarks.confidence),
            Route::Search => search_confidence(self.stages),
        }
    }

    fn of_landmark(&self, joint: usize) -> f64 {
        let landmarks = self.stages.landmarks.as_ref();
        let landmark = landmarks.and_then(|landmarks| landmarks.of_joint(self.skeleton, joint));
        landmark.map_or(0.0, |landmark| landmark.confidence)
    }

    /// Signed distance from the surface, in heights; negative inside.
    fn outside(&self, point: &Vec3) -> f64 {
        self.stages.field.value(point) / self.stages.frame.height
    }

    /// By the length of the bone that ends in a joint, compared with that of the template that fits best.
    fn of_length(&self, positions: &[Vec3], joint: usize) -> f64 {
        let template = self.stages.best.map(|best| &self.stages.attempts[best].template.skeleton.joints);
        let (Some(template), Some(parent)) = (template, self.skeleton.joints[joint].parent) else {
            return 1.0;
        };
        let expected = (template[joint].position - template[parent].position).norm() / SIZE;
        let length = (positions[joint] - positions[parent]).norm() * self.stages.frame.scale();
        proportion(length, expected)
    }
}

/// A factor of the confidence that falls from 1 to `1 - loss` as a value rises from `from` by `width`.
struct Falloff {
    from: f64,
    width: f64,
    loss: f64,
}

impl Falloff {
    fn at(&self, value: f64) -> f64 {
        1.0 - self.loss * ((value - self.from) / self.width).clamp(0.0, 1.0)
    }
}

/// Confidence of a search that did not end with the optimum: a guess.
const NOT_OPTIMAL: f64 = 0.2;
/// Confidence of the best search.
const BEST_SEARCH: f64 = 0.9;
/// Cost of a match. Of the corpus, matches that cost up to 0.02 are nearly always right, above 0.05 one of three is wrong.
const COST: f64 = 0.02;
/// Cost above [`COST`] that would take all of the confidence, and the most that is taken.
const COST_WIDTH: f64 = 0.1;
const COST_LOSS: f64 = 0.6;
/// Widest gap that was mended in the graph, in heights. Where it is wider than an arm, as between the parts of a robot,
/// paths in the graph are not those of the body.
const GAPS: Falloff = Falloff { from: 0.06, width: 0.03, loss: 0.4 };
/// Embeddings whose costs differ by less than this are about equally good, and the confidence is multiplied by the second.
const CLOSE: f64 = 0.005;
const CLOSE_FACTOR: f64 = 0.85;
/// Distance between the two routes in heights. Up to 0.06 joints of right answers differ; from 0.18 on one is wrong.
const DISAGREEMENT: Falloff = Falloff { from: 0.06, width: 0.12, loss: 0.5 };
/// Signed distance of a joint from the surface in heights: joints lie inside.
const OUTSIDE: Falloff = Falloff { from: 0.01, width: 0.04, loss: 0.6 };
/// Factor between the lengths of a bone and of its template. Bones of a child, a chibi and an adult differ by up to a
/// factor of two and a half; from twice that on the most is lost, because a joint was probably mistaken for another.
const LENGTH_FACTOR: f64 = 2.5;
const LENGTH_LOSS: f64 = 0.4;

/// How far to trust the search by itself.
pub(super) fn search_confidence(stages: &Stages) -> f64 {
    let Some(best) = stages.best.map(|best| &stages.attempts[best]) else { return 0.0 };
    if best.found.effort != Effort::Optimal {
        return NOT_OPTIMAL;
    }
    let by_cost = 1.0 - ((best.cost() - COST) / COST_WIDTH).clamp(0.0, COST_LOSS);
    let widest = stages.graph.gaps.iter().map(|gap| gap.length).fold(0.0, f64::max) / stages.frame.height;
    let margin = stages.rival_cost().map_or(f64::INFINITY, |rival| rival - best.cost());
    let by_margin = if margin < CLOSE { CLOSE_FACTOR } else { 1.0 };
    BEST_SEARCH * by_cost * GAPS.at(widest) * by_margin
}

/// The factor for a bone of this length where another was expected.
fn proportion(length: f64, expected: f64) -> f64 {
    let falloff = Falloff { from: ln(LENGTH_FACTOR), width: LN_2, loss: LENGTH_LOSS };
    falloff.at(log_ratio(length, expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_falls_with_distance_and_never_to_zero() {
        for falloff in [DISAGREEMENT, OUTSIDE] {
            assert_eq!(falloff.at(-1.0), 1.0);
            assert!(falloff.at(0.04) >= falloff.at(0.08) && falloff.at(0.08) >= falloff.at(1.0));
            assert!(falloff.at(1.0) > 0.3);
        }
    }

    #[test]
    fn bones_may_be_half_or_twice_as_long() {
        assert_eq!(proportion(0.1, 0.2), 1.0);
        assert_eq!(proportion(0.4, 0.2), 1.0);
        assert!(proportion(0.0, 0.2) < 0.7 && proportion(2.0, 0.2) < 0.7);
        assert_eq!(proportion(0.0, 0.0), 1.0);
    }
}
