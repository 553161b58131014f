//! The input of searches: the character in body space, the templates to try, landmarks and hints. Searches in the same
//! space differ by weights and hints only.

use super::body::BodyFrame;
use super::candidates::Hint;
use super::field::DistanceField;
use super::graph::MedialGraph;
use super::guide::{self, BodyWeights};
use super::penalty::PenaltyOptions;
use super::refine::{RefineOptions, Refined, RestSkeleton, refine};
use super::search::{Found, SearchError, SearchOptions, search};
use super::template::{SIZE, Template};
use super::tips::{Outline, split_to_tips};
use super::{Attempt, Sphere};
use crate::math::Vec3;
use crate::skeleton::{PLACEMENT_PENALTIES, PenaltyWeights, ReducedSkeleton};
use rayon::prelude::*;

/// A character and the templates that may fit it.
pub struct SearchSpace {
    /// The poses and proportions in which the skeleton is tried.
    pub templates: Vec<Template>,
    /// Packed spheres and their connections, in body space.
    pub graph: MedialGraph,
    pub(super) frame: BodyFrame,
    pub(super) outline: Outline,
    /// How far the body is its own mirror image.
    pub(super) overlap: f64,
    /// For each joint where the landmarks have it, in body space; or nothing.
    pub(super) landmarks: Vec<Vec3>,
    /// What a person says about joints, in body space.
    pub(super) hints: Vec<Hint>,
}

impl SearchSpace {
    /// One search for each template.
    pub(super) fn attempts(
        &self,
        weights: &PenaltyWeights,
        options: &SearchOptions,
    ) -> Vec<Result<Attempt, SearchError>> {
        let attempts = (0..self.templates.len()).into_par_iter().map(|template| {
            let found = self.search(template, weights, &self.hints, options)?;
            let joints = self.joints(template, &found.matches[0].nodes);
            Ok(Attempt { template: self.templates[template].clone(), found, joints })
        });
        attempts.collect()
    }

    /// Finds embeddings of one template. Hints are in body space; weights and hints of the options do not count.
    ///
    /// # Errors
    /// Those of [`search`].
    pub fn search(
        &self,
        template: usize,
        weights: &PenaltyWeights,
        hints: &[Hint],
        options: &SearchOptions,
    ) -> Result<Found, SearchError> {
        let reduced = ReducedSkeleton::of(&self.templates[template].skeleton);
        let candidates =
            guide::guided_candidates(&reduced, &self.graph, self.overlap, &self.landmarks, hints);
        let penalty = PenaltyOptions {
            guide: self.guide(template, weights.of_body()),
            hints: hints.to_vec(),
            ..SearchSpace::penalty(weights.of_placement())
        };
        search(&reduced, &self.graph, &candidates, &SearchOptions { penalty, ..options.clone() })
    }

    /// What placements of a template cost besides what the body and hints say.
    pub fn penalty(weights: [f64; PLACEMENT_PENALTIES]) -> PenaltyOptions {
        PenaltyOptions { weights, size: SIZE, ..PenaltyOptions::default() }
    }

    /// For each joint of a template the cost of each sphere that the body's ground, sides and middle give.
    pub fn guide(&self, template: usize, weights: BodyWeights) -> Vec<Vec<f64>> {
        let reduced = ReducedSkeleton::of(&self.templates[template].skeleton);
        guide::costs(&reduced, &self.graph, self.overlap, weights)
    }

    /// All joints of an embedding, in the unit cube: paths divided as the template says, limbs extended to their tips.
    pub fn joints(&self, template: usize, nodes: &[u32]) -> Vec<Vec3> {
        let reduced = ReducedSkeleton::of(&self.templates[template].skeleton);
        let joints = split_to_tips(&reduced, &self.graph, nodes, &self.outline);
        joints.iter().map(|joint| self.frame.unit_from_body(joint)).collect()
    }
}

/// Moves the joints of a template, in the unit cube, to where they fit best; those with hints to where these say.
pub fn refine_template(
    template: &Template,
    joints: &[Vec3],
    frame: &BodyFrame,
    (field, medial): (&DistanceField, &[Sphere]),
    hints: &[Hint],
    options: &RefineOptions,
) -> Refined {
    let rest = &template.skeleton.joints;
    let parents: Vec<Option<usize>> = rest.iter().map(|joint| joint.parent).collect();
    let partners: Vec<Option<usize>> = rest.iter().map(|joint| joint.partner).collect();
    let positions: Vec<Vec3> = rest.iter().map(|joint| joint.position / frame.scale()).collect();
    let mut start = joints.to_vec();
    hints.iter().for_each(|hint| start[hint.full] = hint.point);
    let fixed: Vec<usize> = hints.iter().map(|hint| hint.full).collect();
    let rest = RestSkeleton { parents: &parents, positions: &positions, partners: &partners, fixed: &fixed };
    refine(&start, &rest, field, medial, options)
}
