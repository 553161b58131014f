//! Where the joints of a skeleton lie inside a character, in the unit cube of the prepared mesh. Three routes:
//!
//! * Baran & Popović 2007, "Automatic Rigging and Animation of 3D Characters", section 3, one file for each step, in
//!   this order: [`field`] (with [`outer_shell`] for characters of many shells), [`medial`], [`packing`], [`graph`],
//!   [`template`], [`guide`] and [`candidates`], [`penalty`], [`mod@search`], [`tips`] and [`split`], [`mod@refine`]. It knows
//!   which branch of the body is which.
//! * [`landmarks`] reads joints off the shape: ends of limbs, sections where limbs merge with the trunk, narrow sections,
//!   all found in a volume of [`voxels`]. It knows where on a branch a joint sits.
//! * [`prior`] expects joints where characters like this one have them: a small network that was trained on many. It knows
//!   what artists do.
//!
//! [`embed`] runs all three; the answer is the [`consensus`] of their [`readings`], made by [`fusion`].

pub mod body;
mod bones;
pub mod candidates;
pub mod census;
pub mod confidence;
pub mod consensus;
pub mod field;
mod free;
pub mod fusion;
pub mod graph;
pub mod grid;
pub mod guide;
mod hints;
pub mod landmarks;
mod limb_ends;
pub mod medial;
mod mirror_shift;
pub mod outer_shell;
pub mod packing;
pub mod penalty;
mod pieces;
mod point_tree;
pub mod presence;
pub mod prior;
pub mod readings;
pub mod refine;
pub mod search;
pub mod shape;
mod slice_depth;
pub mod space;
mod sphere;
pub mod split;
pub mod template;
pub mod tips;
pub mod voxels;

pub use free::{FREE, FreeBody};
pub use fusion::{Embedding, RouteReason, fuse};
pub use readings::{Reading, Route};
pub use sphere::Sphere;

use crate::math::Vec3;
use crate::mesh::TriangleTree;
use crate::mesh::prepare::PreparedMesh;
use crate::mesh::samples::sample_surface;
use crate::skeleton::manual_joints::best_fit_of_body;
use crate::skeleton::{PenaltyWeights, Skeleton, UnknownJoint, resolve_joint};
use body::BodyFrame;
use candidates::Hint;
use field::{DistanceField, FieldOptions};
use fusion::is_mirror_image;
use graph::{ConnectOptions, MedialGraph, connect};
use hints::with_mirror_images;
use landmarks::{BodyPlan, Landmarks, PlanReason, SymmetryPlane, find_landmarks};
use medial::MedialOptions;
use packing::{PackingOptions, pack};
use prior::network::Network;
use prior::{Expected, Prior};
use refine::{RefineOptions, Refined};
use search::{Found, SearchError, SearchOptions};
use space::{SearchSpace, refine_template};
use std::time::{Duration, Instant};
use template::{Template, templates};
use thiserror::Error;
use tips::Outline;
use voxels::VoxelVolume;

/// Choices of [`embed`], one group for each step.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbedOptions {
    /// The distance field.
    pub field: FieldOptions,
    /// Samples of the medial surface.
    pub medial: MedialOptions,
    /// The choice of spheres among them; the distance kept by large ones is set by the character's height.
    pub packing: PackingOptions,
    /// The edges between spheres.
    pub connect: ConnectOptions,
    /// The search; its penalties are those of the skeleton, of hints and of the body's symmetry.
    pub search: SearchOptions,
    /// The continuous refinement.
    pub refine: RefineOptions,
    /// Which route decides. `None`: all of them.
    pub route: Option<Route>,
    /// The network of the prior. `None`: the built-in one.
    pub network: Option<Network>,
    /// Hints for one side of a symmetric body count for the other side, too.
    pub mirror_hints: bool,
}

impl Default for EmbedOptions {
    fn default() -> EmbedOptions {
        EmbedOptions {
            field: FieldOptions::default(),
            medial: MedialOptions::default(),
            packing: PackingOptions::default(),
            connect: ConnectOptions::default(),
            search: SearchOptions::default(),
            refine: RefineOptions::default(),
            route: None,
            network: None,
            mirror_hints: true,
        }
    }
}

/// A joint whose position somebody knows.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedHint {
    /// The joint's name in the skeleton, or what people call it: `left_elbow`.
    pub joint: String,
    /// At or near this point, in the unit cube.
    pub point: Vec3,
}

/// Every intermediate value of one run.
pub struct Stages {
    /// What the shape shows by itself; `None` for a skeleton with joints that it does not show.
    pub landmarks: Option<Landmarks>,
    /// What kind of body the prior takes it for.
    pub prior: Prior,
    /// For each joint where the prior expects it, in the unit cube; `None` for a skeleton with joints that it does not know.
    pub expected: Option<Vec<Expected>>,
    /// The plane between left and right.
    pub plane: SymmetryPlane,
    /// What a person says about joints, in the unit cube; in a symmetric body about both sides.
    pub hints: Vec<Hint>,
    /// Where the character stands in the unit cube.
    pub frame: BodyFrame,
    /// Points spread evenly over the surface.
    pub surface: Vec<Vec3>,
    /// The distance to the surface.
    pub field: DistanceField,
    /// Samples of the medial surface, the thickest places first.
    pub medial: Vec<Sphere>,
    /// Packed spheres and their connections, in the unit cube.
    pub graph: MedialGraph,
    /// The same in body space, with the templates to try.
    pub space: SearchSpace,
    /// One search for each template.
    pub attempts: Vec<Attempt>,
    /// The attempt that costs least; `None` if a joint has no candidate.
    pub best: Option<usize>,
    /// Its joints after the continuous refinement.
    pub refined: Option<Refined>,
    /// The time that each step took, in the order in which they were begun.
    pub times: Vec<(&'static str, Duration)>,
}

impl Stages {
    /// Searches with these weights, instead of what was found before: attempts, the best of them and its refinement. Gives
    /// the reason why a template has no embedding, if there is one.
    pub fn search(&mut self, weights: &PenaltyWeights, options: &EmbedOptions) -> Option<SearchError> {
        let (attempts, searched) = timed(|| self.space.attempts(weights, &options.search));
        let failure = attempts.iter().find_map(|attempt| attempt.as_ref().err().cloned());
        self.attempts = attempts.into_iter().flatten().collect();
        let costs = self.attempts.iter().map(Attempt::cost).enumerate();
        self.best = costs.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(attempt, _)| attempt);
        let (refined, settled) = timed(|| {
            let Attempt { template, joints, .. } = &self.attempts[self.best?];
            Some(self.refine(template, joints, &options.refine))
        });
        self.refined = refined;
        for (step, time) in [("search", searched), ("refine", settled)] {
            match self.times.iter_mut().find(|(name, _)| *name == step) {
                Some((_, sum)) => *sum += time,
                None => self.times.push((step, time)),
            }
        }
        failure
    }

    /// Moves the joints of a template, in the unit cube, to where they fit best.
    pub fn refine(&self, template: &Template, joints: &[Vec3], options: &RefineOptions) -> Refined {
        let inside = (&self.field, self.medial.as_slice());
        refine_template(template, joints, &self.frame, inside, &self.hints, options)
    }

    /// What the cheapest embedding costs that has a joint elsewhere than the best one, if any template found one.
    pub fn rival_cost(&self) -> Option<f64> {
        let best = &self.attempts[self.best?];
        let least = RIVAL * self.frame.height;
        let rivals = self
            .attempts
            .iter()
            .filter(|attempt| attempt.joints.iter().zip(&best.joints).any(|(a, b)| (a - b).norm() > least));
        rivals.map(Attempt::cost).min_by(f64::total_cmp)
    }
}

/// Joints farther apart than this, in heights, are different answers.
const RIVAL: f64 = 0.15;

/// The search for one template.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// The skeleton's pose and proportions.
    pub template: Template,
    /// The embeddings found.
    pub found: Found,
    /// All joints for the best of them, in the unit cube: paths divided as the template says, limbs extended to their tips.
    pub joints: Vec<Vec3>,
}

impl Attempt {
    /// The cost of the best embedding.
    pub fn cost(&self) -> f64 {
        self.found.matches[0].cost
    }
}

/// A skeleton cannot be embedded.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EmbedError {
    /// No skeleton was given.
    #[error("there is no skeleton to embed")]
    NoSkeleton,
    /// A hint names a joint that the skeleton does not have.
    #[error(transparent)]
    UnknownJoint(#[from] UnknownJoint),
    /// The body has no inside, and the skeleton has no landmarks.
    #[error(
        "the skeleton {skeleton} finds no place in it: {reason}; give a closed, solid character, or a built-in skeleton"
    )]
    NoPlace {
        /// The skeleton.
        skeleton: String,
        /// What is missing.
        reason: SearchError,
    },
}

/// Points spread over the surface to find the tips of limbs.
const SURFACE_SAMPLES: usize = 6000;
/// Largest distance that a sphere keeps others away, in heights.
const PACKING: f64 = 0.07;

/// Finds the joints of one of the skeletons: of the one that fits the body plan of the shape, if there are several.
///
/// # Errors
/// When a hint names no joint, or a skeleton without landmarks cannot be embedded.
pub fn embed(
    mesh: &PreparedMesh,
    tree: &TriangleTree,
    skeletons: &[Skeleton],
    hints: &[NamedHint],
    options: &EmbedOptions,
) -> Result<(Embedding, Stages), EmbedError> {
    let given = if let [only] = skeletons { BodyPlan::of_skeleton(only) } else { None };
    let network = options.network.clone().unwrap_or_else(Network::built_in);
    let (shape, (field, medial, sampled)) = rayon::join(
        || {
            let (voxels, filled) = timed(|| VoxelVolume::of(mesh));
            let (landmarks, read) = timed(|| find_landmarks(&voxels, given));
            let (prior, expected) = timed(|| Prior::of(&network, mesh, &voxels));
            (voxels, landmarks, prior, [filled + read, expected])
        },
        || {
            let (field, sampled) = timed(|| DistanceField::of_mesh(mesh, tree, &options.field));
            let (medial, traced) = timed(|| medial::sample(&field, &options.medial));
            (field, medial, [sampled, traced])
        },
    );
    let (voxels, landmarks, prior, seen) = shape;
    let plan = body_plan(&landmarks, &prior);
    let fitting = choose_skeleton(skeletons, [plan, landmarks.plan]).ok_or(EmbedError::NoSkeleton)?;
    let names: Vec<&str> = hints.iter().map(|hint| hint.joint.as_str()).collect();
    let skeleton = best_fit_of_body(skeletons, fitting, &names);
    // Where the prior sees another number of legs, or none of the skeletons fits, the body is read again as what it is taken for.
    let landmarks = match BodyPlan::of_skeleton(skeleton) {
        Some(taken) if taken != landmarks.plan => {
            let reason = if taken == plan { PlanReason::Prior } else { PlanReason::Given };
            let plan_margin = (prior.plans[0] - prior.plans[1]).abs();
            Landmarks { plan_reason: reason, plan_margin, ..find_landmarks(&voxels, Some(taken)) }
        }
        _ => landmarks,
    };
    let plane = landmarks.plane;
    let landmarks = landmarks.positions(skeleton).is_some().then_some(landmarks);
    let mut hints = find_hinted(skeleton, hints)?;
    if options.mirror_hints && is_mirror_image(landmarks.as_ref(), &plane) {
        hints = with_mirror_images(skeleton, hints, plane.x);
    }
    let expected = prior.joints_of(skeleton, &voxels);
    let frame = BodyFrame::of(mesh, plane.x);

    let (graph, connected) = timed(|| {
        let packing = PackingOptions { max_distance: PACKING * frame.height, ..options.packing };
        connect(pack(&medial, &packing), |p| field.value(p), &options.connect)
    });
    let (surface, scattered) = timed(|| {
        let samples = sample_surface(&mesh.positions, &mesh.triangles, SURFACE_SAMPLES);
        samples.iter().map(|sample| sample.position).collect::<Vec<Vec3>>()
    });
    let (space, outlined) = timed(|| {
        let surface: Vec<Vec3> = surface.iter().map(|point| frame.body_from_unit(point)).collect();
        let body = frame.graph(&graph);
        // The method of the paper by itself has no landmarks to go by.
        let guide = landmarks.as_ref().filter(|_| options.route != Some(Route::Search));
        let guide = guide.map(|landmarks| landmarks.following(skeleton, &hints));
        let estimated = guide.as_ref().and_then(|landmarks| landmarks.positions(skeleton));
        SearchSpace {
            templates: templates(skeleton, &frame, guide.as_ref()),
            outline: Outline::of(&surface, &body),
            graph: body,
            frame,
            overlap: plane.overlap,
            landmarks: estimated.iter().flatten().map(|position| frame.body_from_unit(position)).collect(),
            hints: hints
                .iter()
                .map(|hint| Hint { point: frame.body_from_unit(&hint.point), ..*hint })
                .collect(),
        }
    });
    let times = vec![
        ("landmarks", seen[0]),
        ("prior", seen[1]),
        ("field", sampled[0]),
        ("medial", sampled[1]),
        ("graph", connected),
        ("search", scattered + outlined),
    ];
    let mut stages = Stages {
        landmarks,
        prior,
        expected,
        plane,
        hints,
        frame,
        surface,
        field,
        medial,
        graph,
        space,
        attempts: Vec::new(),
        best: None,
        refined: None,
        times,
    };
    let failure = stages.search(&skeleton.weights, options);
    let is_mute = stages.best.is_none() && stages.landmarks.is_none() && stages.expected.is_none();
    if let (true, Some(reason)) = (is_mute, failure) {
        return Err(EmbedError::NoPlace { skeleton: skeleton.name.clone(), reason });
    }
    Ok((fuse(skeleton, &stages, options.route), stages))
}

/// The skeleton that fits the shape of a body; `None` if there is none to choose from.
pub fn fitting_skeleton<'a>(mesh: &PreparedMesh, skeletons: &'a [Skeleton]) -> Option<&'a Skeleton> {
    if let [only] = skeletons {
        return Some(only);
    }
    let voxels = VoxelVolume::of(mesh);
    let landmarks = find_landmarks(&voxels, None);
    let prior = Prior::of(&Network::built_in(), mesh, &voxels);
    choose_skeleton(skeletons, [body_plan(&landmarks, &prior), landmarks.plan])
}

/// What the landmarks take a body for, but with as many legs as the prior sees: of characters whose families it was not
/// trained on it has not yet mistaken one.
fn body_plan(landmarks: &Landmarks, prior: &Prior) -> BodyPlan {
    let [two_legs, four_legs, neither] = prior.plans;
    match landmarks.plan {
        BodyPlan::Biped if four_legs > two_legs.max(neither) => BodyPlan::Quadruped,
        BodyPlan::Quadruped | BodyPlan::Horse if two_legs > four_legs.max(neither) => BodyPlan::Biped,
        plan => plan,
    }
}

/// The skeleton of the first body plan that one has; the first one if they have others.
fn choose_skeleton(skeletons: &[Skeleton], plans: [BodyPlan; 2]) -> Option<&Skeleton> {
    let of_plan =
        |plan: &BodyPlan| skeletons.iter().find(|skeleton| BodyPlan::of_skeleton(skeleton) == Some(*plan));
    plans.iter().find_map(of_plan).or(skeletons.first())
}

fn find_hinted(skeleton: &Skeleton, hints: &[NamedHint]) -> Result<Vec<Hint>, UnknownJoint> {
    let found =
        hints.iter().map(|hint| Ok(Hint { full: resolve_joint(skeleton, &hint.joint)?, point: hint.point }));
    found.collect()
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}
