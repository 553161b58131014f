//! A character that embeddings are proposed for, as often as there are new weights.

use super::features::FeatureMaker;
use super::{Errors, Example, Label};
use crate::embed::candidates::Hint;
use crate::embed::fusion::{is_body_symmetric, make_symmetric};
use crate::embed::search::SearchOptions;
use crate::embed::{EmbedError, EmbedOptions, Route, Stages, embed, fuse};
use crate::math::{Random, Vec3, pow};
use crate::mesh::TriangleTree;
use crate::mesh::prepare::PreparedMesh;
use crate::skeleton::{PENALTIES, PenaltyWeights, ReducedSkeleton, Skeleton, Truth, anatomical_name};
use std::collections::{BTreeMap, BTreeSet};

/// A character with the joints that it really has.
pub struct TrainingCharacter {
    /// The name of its file.
    pub name: String,
    /// What is known about it.
    pub truth: Truth,
    /// The skeleton that its shape asks for.
    pub skeleton: Skeleton,
    /// Its surface.
    pub mesh: PreparedMesh,
    /// What a person says about its embeddings, by their ids.
    pub labels: BTreeMap<String, Label>,
    stages: Stages,
    /// The ids of everything that was proposed.
    seen: BTreeSet<String>,
}

/// What the program would answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The errors of the search by itself.
    pub search: Errors,
    /// The errors of the joints that it gives, from landmarks and search.
    pub combined: Errors,
}

/// Steps of searches for embeddings that are not the best: most need a hundredth.
const STEPS: usize = 4000;
/// How many embeddings a search for runners-up gives, and how far their joints are apart, in the unit cube.
const RUNNERS_UP: usize = 5;
const APART: f64 = 0.06;
/// Perturbed weights are the present ones times or divided by up to this.
const PERTURBATION: f64 = 5.0;
/// A moved hint is this far from where the joint belongs, in parts of the height.
const MOVED: f64 = 0.25;

impl TrainingCharacter {
    /// Reads the body; this is the slow part.
    ///
    /// # Errors
    /// Those of [`embed`].
    pub fn of(
        name: String,
        truth: Truth,
        mesh: PreparedMesh,
        skeletons: &[Skeleton],
    ) -> Result<TrainingCharacter, EmbedError> {
        let tree = TriangleTree::new(&mesh.positions, &mesh.triangles);
        let (embedding, stages) = embed(&mesh, &tree, skeletons, &[], &EmbedOptions::default())?;
        let (labels, seen) = (BTreeMap::new(), BTreeSet::new());
        Ok(TrainingCharacter { name, truth, skeleton: embedding.skeleton, mesh, labels, stages, seen })
    }

    /// Whether an embedding of that id was proposed.
    pub fn has_seen(&self, id: &str) -> bool {
        self.seen.contains(id)
    }

    /// What the program answers with these weights.
    pub fn answer(&mut self, weights: &PenaltyWeights) -> Answer {
        self.stages.search(weights, &EmbedOptions::default());
        let [search, combined] = [Some(Route::Search), None]
            .map(|route| self.errors(&fuse(&self.skeleton, &self.stages, route).positions));
        Answer { search, combined }
    }

    /// Embeddings to begin with: what the search finds with these weights and with others like them, its runners-up, the
    /// truth and near misses of it, and exchanged limbs.
    pub fn first_examples(&mut self, weights: &PenaltyWeights, seed: u64) -> Vec<Example> {
        let mut random = Random::of_name(seed, &self.name);
        let mut proposals = self.found(weights);
        let truth = self.true_hints();
        for template in 0..self.stages.space.templates.len() {
            let mut perturbed = *weights;
            for penalty in 0..PENALTIES.len() {
                perturbed.0[penalty] *= pow(PERTURBATION, random.between(-1.0, 1.0));
            }
            proposals.extend(self.searched("perturbed", template, &perturbed, &[], 1));
            if !truth.is_empty() {
                proposals.extend(self.searched("truth", template, weights, &truth, 2));
                let mut moved = truth.clone();
                let hint = random.index(moved.len());
                let aside = Vec3::from_fn(|_, _| random.between(-1.0, 1.0));
                moved[hint].point += aside.normalize() * MOVED * crate::embed::body::HEIGHT;
                proposals.extend(self.searched("moved", template, weights, &moved, 1));
            }
        }
        if let Some((template, nodes)) = self.best() {
            proposals.extend(self.exchanged(template, &nodes));
        }
        self.examples(proposals)
    }

    /// The embeddings that the search finds with these weights, and its runners-up, as far as they are new.
    pub fn new_examples(&mut self, weights: &PenaltyWeights) -> Vec<Example> {
        let proposals = self.found(weights);
        self.examples(proposals)
    }

    /// The best of every template, and the runners-up of the best template.
    fn found(&mut self, weights: &PenaltyWeights) -> Vec<Proposal> {
        self.stages.search(weights, &EmbedOptions::default());
        let best = self.stages.best;
        let mut proposals = Vec::new();
        for (index, attempt) in self.stages.attempts.iter().enumerate() {
            let Some(template) = self.template(&attempt.template.name) else { continue };
            let origin = if Some(index) == best { "best" } else { "template" };
            proposals.push(Proposal { origin, template, nodes: attempt.found.matches[0].nodes.clone() });
        }
        if let Some((template, _)) = self.best() {
            proposals.extend(self.searched("runner-up", template, weights, &[], RUNNERS_UP));
        }
        proposals
    }

    /// The template and the spheres of the embedding that was found.
    fn best(&self) -> Option<(usize, Vec<u32>)> {
        let best = &self.stages.attempts[self.stages.best?];
        Some((self.template(&best.template.name)?, best.found.matches[0].nodes.clone()))
    }

    fn template(&self, name: &str) -> Option<usize> {
        self.stages.space.templates.iter().position(|template| template.name == name)
    }

    fn searched(
        &self,
        origin: &'static str,
        template: usize,
        weights: &PenaltyWeights,
        hints: &[Hint],
        alternatives: usize,
    ) -> Vec<Proposal> {
        let options =
            SearchOptions { steps: STEPS, alternatives, separation: APART, ..SearchOptions::default() };
        let found = self.stages.space.search(template, weights, hints, &options);
        let matches = found.map(|found| found.matches).unwrap_or_default();
        matches.into_iter().map(|found| Proposal { origin, template, nodes: found.nodes }).collect()
    }

    /// The true positions of key joints, in body space.
    fn true_hints(&self) -> Vec<Hint> {
        let hints = (0..self.skeleton.joints.len()).filter_map(|full| {
            let position = self.truth.joints.get(&anatomical_name(&self.skeleton, full)?)?;
            let unit = self.mesh.unit_from_input.transform_point(&(*position).into()).coords;
            Some(Hint { full, point: self.stages.frame.body_from_unit(&unit) })
        });
        hints.collect()
    }

    /// The embedding with limbs exchanged: left with right, one pair or end with another.
    fn exchanged(&self, template: usize, nodes: &[u32]) -> Vec<Proposal> {
        let reduced = ReducedSkeleton::of(&self.stages.space.templates[template].skeleton);
        let mut exchanges: Vec<Vec<(usize, usize)>> = Vec::new();
        let limbs: Vec<usize> =
            (0..reduced.joints.len()).filter(|&joint| reduced.joints[joint].is_limb).collect();
        for (index, &a) in limbs.iter().enumerate() {
            let partner = reduced.joints[a].partner;
            if let Some(partner) = partner.filter(|&partner| partner > a) {
                exchanges.push(vec![(a, partner)]);
            }
            for &b in limbs[index + 1..].iter().filter(|&&b| Some(b) != partner) {
                match (partner, reduced.joints[b].partner) {
                    // Pairs are exchanged side by side, once.
                    (Some(other), Some(end)) if other > a && end > b => {
                        exchanges.push(vec![(a, b), (other, end)])
                    }
                    (None, None) => exchanges.push(vec![(a, b)]),
                    _ => {}
                }
            }
        }
        let proposals = exchanges.into_iter().map(|pairs| {
            let mut nodes = nodes.to_vec();
            pairs.iter().for_each(|&(a, b)| nodes.swap(a, b));
            Proposal { origin: "exchanged", template, nodes }
        });
        proposals.collect()
    }

    /// Labels what has not been seen before. Joints are judged after the refinement, as the program gives them: before it,
    /// right matches differ from the truth by how paths are divided, which no weights can change.
    fn examples(&mut self, proposals: Vec<Proposal>) -> Vec<Example> {
        let mut makers: Vec<Option<FeatureMaker>> = Vec::new();
        makers.resize_with(self.stages.space.templates.len(), || None);
        let mut examples = Vec::new();
        for Proposal { origin, template, nodes } in proposals {
            let id = id_of(&self.stages.space.templates[template].name, &nodes);
            if self.seen.contains(&id) {
                continue;
            }
            let maker =
                makers[template].get_or_insert_with(|| FeatureMaker::of(&self.stages.space, template));
            let features = maker.features(&nodes);
            let matched = self.stages.space.joints(template, &nodes);
            let pose = &self.stages.space.templates[template];
            let mut joints = self.stages.refine(pose, &matched, &EmbedOptions::default().refine).positions;
            if is_body_symmetric(&self.stages, &self.skeleton) {
                make_symmetric(&self.skeleton, &mut joints, self.stages.plane.x);
            }
            let errors = self.errors(&joints);
            self.seen.insert(id.clone());
            examples.push(Example {
                label: self.labels.get(&id).copied().unwrap_or(errors.label()),
                id,
                origin: origin.to_owned(),
                worst: errors.worst().1,
                mean: errors.mean(),
                features,
                joints,
            });
        }
        examples
    }

    /// The errors of joints in the unit cube.
    fn errors(&self, joints: &[Vec3]) -> Errors {
        let input_from_unit = self.mesh.unit_from_input.inverse();
        let positions: Vec<Vec3> =
            joints.iter().map(|joint| input_from_unit.transform_point(&(*joint).into()).coords).collect();
        Errors::of(&self.skeleton, &positions, &self.truth)
    }
}

/// Spheres for the joints of a template.
struct Proposal {
    origin: &'static str,
    template: usize,
    nodes: Vec<u32>,
}

/// The same for the same spheres and template.
fn id_of(template: &str, nodes: &[u32]) -> String {
    let text = nodes.iter().fold(template.to_owned(), |text, node| format!("{text} {node}"));
    format!("{:08x}", Random::of_name(0, &text).bits() >> 32)
}
