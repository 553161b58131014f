//! How far to trust the places of joints.

use super::Stages;
use super::candidates::Hint;
use super::combine::{Route, is_tail, mean};
use super::penalty::log_ratio;
use super::search::Effort;
use super::template::SIZE;
use crate::math::{Vec3, ln};
use crate::skeleton::Skeleton;

/// What speaks for and against an answer.
pub(super) struct Trust<'a> {
    pub skeleton: &'a Skeleton,
    pub stages: &'a Stages,
    pub route: Route,
    /// For each joint the distance between the two routes, in heights; empty if one answered only.
    pub disagreements: &'a [f64],
}

impl Trust<'_> {
    /// How far to trust the whole: the route's own confidence, how far the other is from it, and whether the joints of the
    /// trunk lie inside the body at all.
    pub fn in_all(&self, positions: &[Vec3]) -> f64 {
        let joints = self.skeleton.joints.iter().enumerate();
        let trunk = joints.filter(|(_, joint)| joint.partner.is_none() && !joint.is_tip);
        let inside = trunk.map(|(joint, _)| insideness(self.outside(&positions[joint]))).fold(1.0, f64::min);
        self.of_route() * agreement(mean(self.disagreements)) * inside
    }

    /// How far to trust each joint.
    pub fn in_joints(&self, positions: &[Vec3], hints: &[Hint], plane: Option<f64>) -> Vec<f64> {
        let is_told = |joint: usize| {
            let partner = self.skeleton.joints[joint].partner.filter(|_| plane.is_some());
            hints.iter().any(|hint| hint.full == joint || Some(hint.full) == partner)
        };
        let trust = |joint: usize| {
            if is_told(joint) {
                return 1.0;
            }
            let own = match self.route {
                Route::Landmarks => self.of_landmark(joint),
                Route::Search => self.of_route(),
            };
            // Tails are the search's alone.
            let apart = self.disagreements.get(joint).copied();
            let apart = apart.filter(|_| !is_tail(self.skeleton, joint)).unwrap_or(0.0);
            own * agreement(apart)
                * insideness(self.outside(&positions[joint]))
                * self.of_length(positions, joint)
        };
        (0..positions.len()).map(trust).collect()
    }

    fn of_route(&self) -> f64 {
        match self.route {
            Route::Landmarks => self.stages.landmarks.as_ref().map_or(0.0, |landmarks| landmarks.confidence),
            Route::Search => search_confidence(self.stages),
        }
    }

    fn of_landmark(&self, joint: usize) -> f64 {
        let landmarks = self.stages.landmarks.as_ref().map_or(&[][..], |landmarks| &landmarks.joints);
        let named = landmarks.iter().find(|landmark| landmark.name == self.skeleton.joints[joint].name);
        named.map_or(0.0, |landmark| landmark.confidence)
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

/// Embeddings whose costs differ by less than this are about equally good.
const CLOSE: f64 = 0.005;

/// How far to trust the search by itself. Of the corpus, matches that cost up to 0.02 are nearly always right, above
/// 0.05 one of three is wrong; those over the limit are guesses. Where the graph was mended over gaps that are wider than
/// an arm, as between the parts of a robot, its ways are not those of the body.
pub(super) fn search_confidence(stages: &Stages) -> f64 {
    let Some(best) = stages.best.map(|best| &stages.attempts[best].found) else { return 0.0 };
    if best.effort != Effort::Optimal {
        return 0.2;
    }
    let by_cost = 1.0 - ((best.matches[0].cost - 0.02) / 0.1).clamp(0.0, 0.6);
    let widest = stages.graph.gaps.iter().map(|gap| gap.length).fold(0.0, f64::max) / stages.frame.height;
    let by_gaps = 1.0 - 0.4 * ((widest - 0.06) / 0.03).clamp(0.0, 1.0);
    let margin = stages.rival_cost().map_or(f64::INFINITY, |rival| rival - best.matches[0].cost);
    let by_margin = if margin < CLOSE { 0.85 } else { 1.0 };
    0.9 * by_cost * by_gaps * by_margin
}

/// What is left of the confidence when the routes differ by a distance in heights: all of it up to the distance by
/// which joints of right answers differ, half of it from where one of the two must be wrong.
fn agreement(distance: f64) -> f64 {
    1.0 - 0.5 * ((distance - 0.06) / 0.12).clamp(0.0, 1.0)
}

/// What is left of the confidence for a joint at a signed distance from the surface in heights: joints lie inside.
fn insideness(distance: f64) -> f64 {
    1.0 - 0.6 * ((distance - 0.01) / 0.04).clamp(0.0, 1.0)
}

/// What is left of the confidence for a bone of this length where another was expected. Bones of a child, a chibi and an
/// adult differ by up to a factor of two and a half; beyond that a joint was probably mistaken for another.
fn proportion(length: f64, expected: f64) -> f64 {
    1.0 - 0.4 * ((log_ratio(length, expected) - ln(2.5)) / std::f64::consts::LN_2).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_falls_with_distance_and_never_to_nothing() {
        for trust in [agreement, insideness] {
            assert_eq!(trust(-1.0), 1.0);
            assert!(trust(0.04) >= trust(0.08) && trust(0.08) >= trust(1.0) && trust(1.0) > 0.3);
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
