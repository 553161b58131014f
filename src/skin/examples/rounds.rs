//! All of it: poses and weights by turns, and what an example that was left out says about the result.

use super::errors::{ExampleError, SurfaceError, distances};
use super::neighbours::neighbours;
use super::poses::PoseFinder;
use super::rest::fitted_rest;
use super::transforms::{Posable, Rigid, TurnPose};
use super::weights::{Lists, Placed, SMOOTHNESS, WeightProblem, near_joints};
use super::{Example, ExampleSurface, ExamplesRest};
use crate::math::Vec3;
use crate::rig::{MaxInfluences, SkinWeights};

/// What examples make of a skin.
#[derive(Debug, Clone)]
pub struct ExampleFit {
    /// The weights.
    pub weights: SkinWeights,
    /// The vertices at rest, if they were fitted, too.
    pub positions: Option<Vec<Vec3>>,
    /// How far the skin is from each example.
    pub errors: Vec<ExampleError>,
    /// The same for all together.
    pub before: SurfaceError,
    /// With the weights that were found.
    pub after: SurfaceError,
    /// On each example with weights for which it was not used: the honest number. `None` for too few examples, or very many.
    pub left_out: Option<SurfaceError>,
}

/// Rounds of poses and weights. On a person with eight examples whose poses are to be found three leave 0.09 % of the height on other
/// poses, six 0.04; more only take longer. Where rotations are given the place of the root is found anew in each round: with one
/// alone it is that of the weights to start with, and the examples are missed by 0.09 %.
const ROUNDS: usize = 6;
/// Examples from which on each is left out once: with two the other one alone says nothing.
const FEWEST: usize = 3;
/// More examples than this are not left out one after the other, because it takes as many times as long.
const MOST: usize = 12;

/// Finds weights, and poses where they are not given.
///
/// # Panics
/// If an example has not a target for each vertex.
pub fn fit(surface: &ExampleSurface, examples: &[Example], rest: ExamplesRest) -> ExampleFit {
    Fitting::of(surface, examples, rest).run()
}

impl ExampleFit {
    /// Whether it is better than what it began with, on examples that were left out if there are enough.
    pub fn is_better(&self) -> bool {
        self.left_out.unwrap_or(self.after).rms < self.before.rms
    }
}

/// A skin and the poses of examples.
struct State {
    lists: Lists,
    positions: Vec<Vec3>,
    poses: Vec<TurnPose>,
}

struct Fitting<'a> {
    surface: &'a ExampleSurface<'a>,
    examples: &'a [Example],
    rest: ExamplesRest,
    beside: Vec<Vec<u32>>,
    near: [Vec<Vec<usize>>; 2],
    start: Lists,
}

impl<'a> Fitting<'a> {
    fn of(surface: &'a ExampleSurface<'a>, examples: &'a [Example], rest: ExamplesRest) -> Fitting<'a> {
        let start: Lists =
            (0..surface.weights.vertices()).map(|vertex| surface.weights.of(vertex).collect()).collect();
        Fitting {
            surface,
            examples,
            rest,
            beside: neighbours(surface.positions.len(), surface.triangles),
            near: near_joints(surface.rig, &start),
            start,
        }
    }

    fn run(&self) -> ExampleFit {
        let all: Vec<usize> = (0..self.examples.len()).collect();
        let first = self.poses(self.surface.positions, &self.start, None);
        let before = self.errors(self.surface.positions, &self.start, &first);
        let mut state = self.start_in(first);
        for round in 0..ROUNDS {
            if round > 0 {
                state.poses = self.poses(&state.positions, &state.lists, Some(&state.poses));
            }
            (state.lists, state.positions) = self.skin(&state, &all);
        }
        let after = self.errors(&state.positions, &state.lists, &state.poses);
        let is_left_out = (FEWEST..=MOST).contains(&self.examples.len());
        let left_out: Vec<Option<SurfaceError>> =
            all.iter().map(|&example| is_left_out.then(|| self.without(example, &state))).collect();
        self.report(&state, [before, after], &left_out)
    }

    /// The skin to start with, in some poses.
    fn start_in(&self, poses: Vec<TurnPose>) -> State {
        State { lists: self.start.clone(), positions: self.surface.positions.to_vec(), poses }
    }

    fn poses(&self, positions: &[Vec3], lists: &Lists, before: Option<&[TurnPose]>) -> Vec<TurnPose> {
        let finder = self.finder(positions);
        let poses = self.examples.iter().enumerate();
        poses.map(|(index, example)| finder.find(example, lists, before.map(|poses| &poses[index]))).collect()
    }

    fn finder<'p>(&'p self, positions: &'p [Vec3]) -> PoseFinder<'p> {
        let ExampleSurface { rig, root, .. } = self.surface;
        PoseFinder { joints: Posable::of(rig, *root), positions, movers: rig.movers() }
    }

    /// Weights, and vertices at rest if they may move, from some of the examples in their poses.
    fn skin(&self, state: &State, used: &[usize]) -> (Lists, Vec<Vec3>) {
        let joints = Posable::of(self.surface.rig, self.surface.root);
        let transforms: Vec<Vec<Rigid>> = used.iter().map(|&m| joints.transforms(&state.poses[m])).collect();
        let placed = used.iter().zip(&transforms);
        let placed: Vec<Placed> = placed
            .map(|(&m, transforms)| Placed { transforms, targets: &self.examples[m].targets })
            .collect();
        let half = 0.5 * self.surface.height;
        let problem = WeightProblem {
            positions: &state.positions,
            neighbours: &self.beside,
            near: &self.near,
            pull: SMOOTHNESS * half * half,
            most: self.surface.weights.slots(),
            kept: self.surface.kept,
        };
        let lists = problem.solve(&placed, &state.lists);
        let positions = match self.rest {
            ExamplesRest::Keep => state.positions.clone(),
            // Held where the mesh has them, whatever earlier rounds found.
            ExamplesRest::Fit => fitted_rest(self.surface.positions, &lists, &placed, self.surface.kept),
        };
        (lists, positions)
    }

    fn errors(&self, positions: &[Vec3], lists: &Lists, poses: &[TurnPose]) -> Vec<SurfaceError> {
        let joints = Posable::of(self.surface.rig, self.surface.root);
        let examples = self.examples.iter().zip(poses);
        let error = |(example, pose): (&Example, &TurnPose)| {
            let distances = distances(positions, lists, &joints.transforms(pose), &example.targets);
            SurfaceError::of(distances, self.surface.height)
        };
        examples.map(error).collect()
    }

    /// The error on an example with weights from all others, in the poses that were found with it.
    fn without(&self, example: usize, state: &State) -> SurfaceError {
        let others: Vec<usize> = (0..self.examples.len()).filter(|&other| other != example).collect();
        let mut own = self.start_in(state.poses.clone());
        for _ in 0..ROUNDS {
            (own.lists, own.positions) = self.skin(&own, &others);
        }
        let State { lists, positions, poses } = own;
        let pose = self.finder(&positions).find(&self.examples[example], &lists, Some(&poses[example]));
        let joints = Posable::of(self.surface.rig, self.surface.root);
        let targets = &self.examples[example].targets;
        let distances = distances(&positions, &lists, &joints.transforms(&pose), targets);
        SurfaceError::of(distances, self.surface.height)
    }

    fn report(
        &self,
        state: &State,
        [before, after]: [Vec<SurfaceError>; 2],
        left_out: &[Option<SurfaceError>],
    ) -> ExampleFit {
        let max = if self.surface.weights.slots() > 4 { MaxInfluences::Eight } else { MaxInfluences::Four };
        let narrow = |list: &Vec<(usize, f64)>| list.iter().map(|&(joint, w)| (joint as u16, w)).collect();
        let examples = self.examples.iter().zip(before.iter().zip(&after)).zip(left_out);
        let errors = examples.map(|((example, (before, after)), left_out)| ExampleError {
            name: example.name.clone(),
            before: *before,
            after: *after,
            left_out: *left_out,
        });
        let known: Option<Vec<SurfaceError>> = left_out.iter().copied().collect();
        ExampleFit {
            weights: SkinWeights::of_lists(max, state.lists.iter().map(narrow)),
            positions: (self.rest == ExamplesRest::Fit).then(|| state.positions.clone()),
            errors: errors.collect(),
            before: SurfaceError::together(before.iter()),
            after: SurfaceError::together(after.iter()),
            left_out: known
                .filter(|known| !known.is_empty())
                .map(|known| SurfaceError::together(known.iter())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ExamplePose;
    use super::super::transforms::blended;
    use super::*;
    use crate::math::{Quat, cos, sin};
    use crate::rig::{Rig, RigJoint};
    use nalgebra::Isometry3;
    use std::f64::consts::TAU;

    const RINGS: usize = 41;
    const SECTORS: usize = 16;

    /// A tube along Y from 0 to 12 with joints at 0, 4 and 8, whose weights blend over ± `width` around the upper two.
    struct Tube {
        rig: Rig,
        positions: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
    }

    fn tube() -> Tube {
        let joint = |name: &str, parent, y| RigJoint {
            name: name.into(),
            parent,
            rest: Isometry3::translation(0.0, y, 0.0),
        };
        let joints = vec![joint("A", None, 0.0), joint("B", Some(0), 4.0), joint("C", Some(1), 8.0)];
        let mut positions = Vec::new();
        for ring in 0..RINGS {
            let y = 12.0 * ring as f64 / (RINGS - 1) as f64;
            for sector in 0..SECTORS {
                let angle = TAU * sector as f64 / SECTORS as f64;
                positions.push(Vec3::new(sin(angle), y, 0.8 * cos(angle)));
            }
        }
        let at = |ring: usize, sector: usize| (ring * SECTORS + sector % SECTORS) as u32;
        let quads = (0..RINGS - 1).flat_map(|ring| (0..SECTORS).map(move |sector| (ring, sector)));
        let triangles = quads.flat_map(|(ring, sector)| {
            let [a, b] = [at(ring, sector), at(ring, sector + 1)];
            let [c, d] = [at(ring + 1, sector), at(ring + 1, sector + 1)];
            [[a, b, c], [b, d, c]]
        });
        Tube { rig: Rig::of_joints(joints, Vec::new()), positions, triangles: triangles.collect() }
    }

    impl Tube {
        fn lists(&self, width: f64) -> Lists {
            let of = |p: &Vec3| {
                let [upper, top] = [4.0, 8.0].map(|y| ((p.y - y + width) / (2.0 * width)).clamp(0.0, 1.0));
                let all = [(0, 1.0 - upper), (1, upper - top), (2, top)];
                all.into_iter().filter(|(_, weight)| *weight > 0.0).collect()
            };
            self.positions.iter().map(of).collect()
        }

        /// The surface bent by angles at its upper joints, as known weights move it.
        fn example(&self, lists: &Lists, [b, c]: [Vec3; 2], is_known: bool) -> Example {
            let upper = Quat::from_scaled_axis(b);
            let turns = vec![Quat::identity(), upper, upper * Quat::from_scaled_axis(c)];
            let pose = TurnPose { turns: turns.clone(), place: Vec3::new(0.5, 1.0, -2.0) };
            let transforms = Posable::of(&self.rig, 0).transforms(&pose);
            let targets = self.positions.iter().zip(lists).map(|(p, list)| blended(p, list, &transforms));
            let known = ExamplePose::Turns(vec![turns.into_iter().map(Some).collect()]);
            let pose = if is_known { known } else { ExamplePose::Unknown };
            Example { name: "bent".into(), targets: targets.collect(), pose }
        }

        fn surface<'a>(&'a self, weights: &'a SkinWeights) -> ExampleSurface<'a> {
            ExampleSurface {
                rig: &self.rig,
                root: 0,
                positions: &self.positions,
                triangles: &self.triangles,
                weights,
                kept: &[],
                height: 12.0,
            }
        }
    }

    fn narrow(lists: &Lists) -> SkinWeights {
        let lists = lists.iter().map(|list| list.iter().map(|&(joint, w)| (joint as u16, w)).collect());
        SkinWeights::of_lists(MaxInfluences::Four, lists)
    }

    const BENDS: [[Vec3; 2]; 4] = [
        [Vec3::new(0.9, 0.0, 0.2), Vec3::new(-0.7, 0.3, 0.0)],
        [Vec3::new(-0.4, 0.5, 0.8), Vec3::new(0.5, 0.0, -1.0)],
        [Vec3::new(0.3, -0.9, -0.6), Vec3::new(1.1, 0.4, 0.3)],
        [Vec3::new(0.0, 0.2, 1.2), Vec3::new(0.2, -0.8, 0.6)],
    ];

    #[test]
    fn known_weights_come_back_from_three_poses() {
        let tube = tube();
        let truth = tube.lists(1.5);
        let start = narrow(&tube.lists(0.5));
        let surface = tube.surface(&start);
        let examples: Vec<Example> = BENDS[..3].iter().map(|b| tube.example(&truth, *b, true)).collect();
        let fitting = Fitting::of(&surface, &examples, ExamplesRest::Keep);
        let poses = fitting.poses(&tube.positions, &truth, None);
        let all = [0, 1, 2];
        // Without smoothness, and with the places of the root known exactly.
        let joints = Posable::of(&tube.rig, 0);
        let transforms: Vec<Vec<Rigid>> = poses.iter().map(|pose| joints.transforms(pose)).collect();
        let placed: Vec<Placed> = all
            .iter()
            .map(|&m| Placed { transforms: &transforms[m], targets: &examples[m].targets })
            .collect();
        let problem = WeightProblem {
            positions: &tube.positions,
            neighbours: &fitting.beside,
            near: &fitting.near,
            pull: 0.0,
            most: 4,
            kept: &[],
        };
        let found = problem.solve(&placed, &fitting.start);
        for (vertex, (found, truth)) in found.iter().zip(&truth).enumerate() {
            for joint in 0..3 {
                let of = |list: &[(usize, f64)]| {
                    list.iter().filter(|(j, _)| *j == joint).map(|(_, w)| w).sum::<f64>()
                };
                assert!((of(found) - of(truth)).abs() < 1e-6, "{vertex}: {found:?} {truth:?}");
            }
        }
        // With everything to be found in rounds.
        let fit = fitting.run();
        assert!(fit.is_better() && fit.after.rms < 0.02 * fit.before.rms, "{:?} {:?}", fit.before, fit.after);
    }

    #[test]
    fn poses_are_found_with_weights_that_are_known() {
        let tube = tube();
        let truth = tube.lists(1.5);
        let start = narrow(&truth);
        let surface = tube.surface(&start);
        let examples: Vec<Example> = BENDS.iter().map(|b| tube.example(&truth, *b, false)).collect();
        let fitting = Fitting::of(&surface, &examples, ExamplesRest::Keep);
        for (pose, [b, c]) in fitting.poses(&tube.positions, &truth, None).iter().zip(BENDS) {
            let upper = Quat::from_scaled_axis(b);
            assert!((pose.place - Vec3::new(0.5, 1.0, -2.0)).norm() < 1e-4, "{}", pose.place);
            assert!(pose.turns[1].angle_to(&upper) < 1e-4);
            assert!(pose.turns[2].angle_to(&(upper * Quat::from_scaled_axis(c))) < 1e-4);
        }
    }

    #[test]
    fn poses_and_weights_are_found_together() {
        let tube = tube();
        let truth = tube.lists(1.5);
        let start = narrow(&tube.lists(0.4));
        let surface = tube.surface(&start);
        let examples: Vec<Example> = BENDS.iter().map(|b| tube.example(&truth, *b, false)).collect();
        let kept = fit(&surface, &examples, ExamplesRest::Keep);
        assert!(
            kept.is_better() && kept.after.rms < 0.3 * kept.before.rms,
            "{:?} {:?}",
            kept.before,
            kept.after
        );
        assert!(kept.positions.is_none() && kept.left_out.is_some() && kept.errors.len() == 4);
    }

    #[test]
    fn vertices_that_lie_wrong_at_rest_move_to_where_examples_have_them() {
        let tube = tube();
        let truth = tube.lists(1.5);
        let start = narrow(&truth);
        let examples: Vec<Example> = BENDS.iter().map(|b| tube.example(&truth, *b, true)).collect();
        let dented: Vec<Vec3> =
            tube.positions.iter().map(|p| p * (1.0 + 0.02 * sin(3.0 * p.y + p.x))).collect();
        let surface = ExampleSurface { positions: &dented, ..tube.surface(&start) };
        let [kept, fitted] =
            [ExamplesRest::Keep, ExamplesRest::Fit].map(|rest| fit(&surface, &examples, rest));
        assert!(fitted.after.rms < 0.5 * kept.after.rms, "{:?} {:?}", fitted.after, kept.after);
        let off =
            |points: &[Vec3]| points.iter().zip(&tube.positions).map(|(a, b)| (a - b).norm()).sum::<f64>();
        assert!(off(&fitted.positions.unwrap()) < 0.5 * off(&dented));
    }

    #[test]
    fn what_examples_do_not_move_keeps_its_weights() {
        let tube = tube();
        let truth = tube.lists(0.5);
        let start = narrow(&truth);
        let still = tube.example(&truth, [Vec3::zeros(), Vec3::new(0.8, 0.0, 0.0)], true);
        let other = tube.example(&truth, [Vec3::zeros(), Vec3::new(0.0, 0.0, 0.9)], true);
        let kept: Vec<u32> = (300..320).collect();
        let surface = ExampleSurface { kept: &kept, ..tube.surface(&start) };
        let fit = fit(&surface, &[still, other], ExamplesRest::Keep);
        for vertex in 300..320 {
            assert!(fit.weights.of(vertex).eq(start.of(vertex)), "{vertex}");
        }
        // Around the lower joint nothing was seen: the weights of the vertices beside it are as good.
        let bottom: f64 = fit.weights.of(0).filter(|(joint, _)| *joint == 0).map(|(_, w)| w).sum();
        assert!(bottom > 0.9, "{bottom}");
    }
}
