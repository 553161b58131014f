//! The pose of the joints in an example, from the places of the vertices and the weights.
//!
//! A first guess fits a rotation to the vertices that each joint moves most (Kabsch 1976), from the root outwards. Then all rotations
//! and the place of the root are refined together by Levenberg and Marquardt's method; bones keep their lengths. A rotation of joint j
//! about its place o_j by a small ω moves a vertex by ω × Σ_k w_k (M_k M̂_k⁻¹ v̂ − o_j), over the joints k at and below j. Derived
//! joints follow in the poses that are compared; in this derivative they move with their parents.

use super::transforms::{Posable, Rigid, TurnPose, blended};
use super::weights::Lists;
use super::{Example, ExamplePose};
use crate::math::{Mat3, Quat, Vec3, rotation_of};
use nalgebra::{DMatrix, DVector};

/// Vertices by which a pose is refined, at most: every k-th by its index. With 1,500 joints are 1.1 degrees off in the median; fewer
/// leave hands and feet without any on large meshes, more only take longer.
const SAMPLES: usize = 1500;
/// Steps of the refinement. It is at rest after some ten; 30 end what does not converge.
const MOST_STEPS: usize = 30;
/// The largest step of a joint in radians: farther off its derivative says nothing.
const LONGEST_STEP: f64 = 0.5;
/// Damping to begin with, and what becomes of it after a good and after a bad step.
const DAMPING: f64 = 1e-4;
const AFTER_GOOD: f64 = 0.2;
const AFTER_BAD: f64 = 10.0;
/// A step that lowers the error by less than this part of it was the last one.
const SETTLED: f64 = 1e-9;
/// A joint moves a vertex most if it has more of its weight.
const MOVES: f64 = 0.5;
/// Vertices from which on a rotation is fitted to them.
const ENOUGH: usize = 6;
/// A second singular value below this part of the first belongs to points on a line, about which any twist is as good.
const ON_A_LINE: f64 = 1e-6;
/// What places of joints that are given weigh beside all vertices together: as much, so that bones of other lengths spoil no pose.
const OF_PLACES: f64 = 1.0;

/// A point of the surface, or of a joint whose place is given.
struct Sample<'a> {
    rest: Vec3,
    list: &'a [(usize, f64)],
    target: Vec3,
    strength: f64,
}

/// Finds poses of examples.
pub(super) struct PoseFinder<'a> {
    pub joints: Posable<'a>,
    pub positions: &'a [Vec3],
    /// For each joint itself, for a derived one the joint that moves its part of the surface without it.
    pub movers: Vec<usize>,
}

impl PoseFinder<'_> {
    /// The pose of an example: as it is given, or as it fits best, beginning with the one of an earlier round.
    pub fn find(&self, example: &Example, lists: &Lists, before: Option<&TurnPose>) -> TurnPose {
        let given = match &example.pose {
            ExamplePose::Turns(readings) => readings.as_slice(),
            ExamplePose::Unknown | ExamplePose::Places(_) => &[],
        };
        let poses = given.iter().map(|turns| self.of_turns(turns, example, lists));
        let rated = poses.map(|(pose, error)| (error, pose));
        if let Some((_, pose)) = rated.min_by(|a, b| a.0.total_cmp(&b.0)) {
            return pose;
        }
        let start = before.cloned().unwrap_or_else(|| self.guess(example, lists));
        let places = match &example.pose {
            ExamplePose::Places(places) => places.as_slice(),
            ExamplePose::Unknown | ExamplePose::Turns(_) => &[],
        };
        self.refined(start, example, lists, places)
    }

    /// The pose of given rotations, with the root where it fits best, and its error.
    fn of_turns(&self, given: &[Option<Quat>], example: &Example, lists: &Lists) -> (TurnPose, f64) {
        let rig = self.joints.rig;
        let mut turns: Vec<Quat> = Vec::with_capacity(rig.joints.len());
        for (joint, data) in rig.joints.iter().enumerate() {
            let above = data.parent.map_or_else(Quat::identity, |parent| turns[parent]);
            turns.push(given.get(joint).copied().flatten().unwrap_or(above));
        }
        let mut pose = TurnPose { turns, place: self.joints.at_rest(self.joints.root) };
        let samples = self.samples(example, lists);
        let off = |pose: &TurnPose| -> Vec<Vec3> {
            let transforms = self.joints.transforms(pose);
            samples.iter().map(|s| s.target - blended(&s.rest, s.list, &transforms)).collect()
        };
        let missing = off(&pose);
        pose.place += missing.iter().sum::<Vec3>() / missing.len().max(1) as f64;
        let error = off(&pose).iter().map(Vec3::norm_squared).sum();
        (pose, error)
    }

    fn samples<'s>(&self, example: &Example, lists: &'s Lists) -> Vec<Sample<'s>> {
        let stride = self.positions.len().div_ceil(SAMPLES).max(1);
        let vertices = (0..self.positions.len()).step_by(stride);
        let sample = |vertex: usize| Sample {
            rest: self.positions[vertex],
            list: &lists[vertex],
            target: example.targets[vertex],
            strength: 1.0,
        };
        vertices.map(sample).collect()
    }

    /// The first guess.
    fn guess(&self, example: &Example, lists: &Lists) -> TurnPose {
        let Posable { rig, root, .. } = &self.joints;
        let mut moved: Vec<Vec<usize>> = vec![Vec::new(); rig.joints.len()];
        for (vertex, list) in lists.iter().enumerate() {
            if let Some(joint) = self.main_mover(list) {
                moved[joint].push(vertex);
            }
        }
        let all: Vec<usize> = (0..lists.len()).collect();
        let whole = self.rotation(&all, example).unwrap_or_else(Quat::identity);
        let mut turns: Vec<Quat> = Vec::with_capacity(rig.joints.len());
        for (joint, data) in rig.joints.iter().enumerate() {
            let above = if joint == *root { whole } else { data.parent.map_or(whole, |above| turns[above]) };
            turns.push(self.rotation(&moved[joint], example).unwrap_or(above));
        }
        let near = if moved[*root].len() >= ENOUGH { &moved[*root] } else { &all };
        let [from, to] = [self.positions, &example.targets].map(|points| middle(near, points));
        TurnPose { place: to + turns[*root] * (self.joints.at_rest(*root) - from), turns }
    }

    /// The joint that moves a vertex most, derived joints counted to those that they follow.
    fn main_mover(&self, list: &[(usize, f64)]) -> Option<usize> {
        let weight = |joint: usize| -> f64 {
            let own = list.iter().filter(|(other, _)| self.movers[*other] == joint);
            own.map(|(_, weight)| weight).sum()
        };
        list.iter().map(|(joint, _)| self.movers[*joint]).find(|&joint| weight(joint) > MOVES)
    }

    /// The rotation that brings some vertices nearest to where they are in an example.
    fn rotation(&self, vertices: &[usize], example: &Example) -> Option<Quat> {
        if vertices.len() < ENOUGH {
            return None;
        }
        let [from, to] = [self.positions, &example.targets].map(|points| middle(vertices, points));
        let products =
            vertices.iter().map(|&v| (example.targets[v] - to) * (self.positions[v] - from).transpose());
        let svd = products.sum::<Mat3>().try_svd(true, true, f64::EPSILON, MOST_SWEEPS)?;
        if !(svd.singular_values[1] > ON_A_LINE * svd.singular_values[0]) {
            return None;
        }
        let (u, v_t) = (svd.u?, svd.v_t?);
        let sign = (u * v_t).determinant().signum();
        Some(rotation_of(&(u * Mat3::from_diagonal(&Vec3::new(1.0, 1.0, sign)) * v_t)))
    }

    /// The pose refined by the vertices, and by places of joints if some are given.
    fn refined(
        &self,
        start: TurnPose,
        example: &Example,
        lists: &Lists,
        places: &[(usize, Vec3)],
    ) -> TurnPose {
        let mut samples = self.samples(example, lists);
        let carriers: Vec<[(usize, f64); 1]> =
            places.iter().map(|&(joint, _)| [(self.carrier(joint), 1.0)]).collect();
        let strength = OF_PLACES * samples.len() as f64 / places.len().max(1) as f64;
        samples.extend(places.iter().zip(&carriers).map(|(&(joint, target), list)| Sample {
            rest: self.joints.at_rest(joint),
            list,
            target,
            strength,
        }));
        let system = System::of(&self.joints, lists);
        let mut best = (self.cost(&samples, &start), start);
        let mut damping = DAMPING;
        for _ in 0..MOST_STEPS {
            let Some(pose) = system.step(&best.1, &samples, damping) else { break };
            let cost = self.cost(&samples, &pose);
            if !(cost < best.0) {
                damping *= AFTER_BAD;
                continue;
            }
            let gain = best.0 - cost;
            let is_settled = gain < SETTLED * best.0;
            best = (cost, pose);
            damping *= AFTER_GOOD;
            if is_settled {
                break;
            }
        }
        best.1
    }

    /// The joint with which the place of a joint moves.
    fn carrier(&self, joint: usize) -> usize {
        let parent = self.joints.rig.joints[joint].parent;
        parent.filter(|_| joint != self.joints.root).unwrap_or(joint)
    }

    fn cost(&self, samples: &[Sample], pose: &TurnPose) -> f64 {
        let transforms = self.joints.transforms(pose);
        let off = |s: &Sample| s.strength * (blended(&s.rest, s.list, &transforms) - s.target).norm_squared();
        samples.iter().map(off).sum()
    }
}

/// Sweeps of a singular value decomposition of three rows; a handful are enough.
const MOST_SWEEPS: usize = 100;

fn middle(vertices: &[usize], points: &[Vec3]) -> Vec3 {
    vertices.iter().map(|&vertex| points[vertex]).sum::<Vec3>() / vertices.len().max(1) as f64
}

/// The normal equations of a step: three unknowns for each joint that moves some of the surface, three for the place of the root.
struct System<'j, 'a> {
    joints: &'j Posable<'a>,
    /// The number of the unknowns of each joint.
    numbers: Vec<Option<usize>>,
    count: usize,
}

impl<'j, 'a> System<'j, 'a> {
    fn of(joints: &'j Posable<'a>, lists: &Lists) -> System<'j, 'a> {
        let rig = joints.rig;
        let mut moves = vec![false; rig.joints.len()];
        lists.iter().flatten().for_each(|(joint, _)| moves[*joint] = true);
        for joint in (0..moves.len()).rev() {
            if let (true, Some(parent)) = (moves[joint], rig.joints[joint].parent) {
                moves[parent] = true;
            }
        }
        rig.helpers.iter().for_each(|helper| moves[helper.joint] = false);
        let mut count = 0;
        let mut number = |joint: usize| {
            (moves[joint] && joints.is_carried[joint]).then(|| {
                count += 1;
                count - 1
            })
        };
        let numbers = (0..moves.len()).map(&mut number).collect();
        System { joints, numbers, count }
    }

    /// The pose after one damped step; `None` if the equations have no solution.
    fn step(&self, pose: &TurnPose, samples: &[Sample], damping: f64) -> Option<TurnPose> {
        let transforms = self.joints.transforms(pose);
        let size = 3 * (self.count + 1);
        let (mut matrix, mut right) = (DMatrix::zeros(size, size), DVector::zeros(size));
        for sample in samples {
            self.add(sample, &transforms, &mut matrix, &mut right);
        }
        let largest = matrix.diagonal().max();
        for index in 0..size {
            // What no sample turns stays where it is.
            matrix[(index, index)] +=
                damping * matrix[(index, index)] + f64::EPSILON * largest + f64::MIN_POSITIVE;
        }
        let step = matrix.cholesky()?.solve(&right);
        let is_known = step.iter().all(|number| number.is_finite());
        is_known.then(|| self.stepped(pose, &step))
    }

    /// Adds Jᵀ J and −Jᵀ r of a sample, with J_k = −[S_k]× for a joint k: J_kᵀ J_l = (S_k · S_l) 1 − S_l S_kᵀ.
    fn add(
        &self,
        sample: &Sample,
        transforms: &[Rigid],
        matrix: &mut DMatrix<f64>,
        right: &mut DVector<f64>,
    ) {
        let (arms, weight) = self.arms(sample, transforms);
        let off = blended(&sample.rest, sample.list, transforms) - sample.target;
        for &(k, a) in &arms {
            for &(l, b) in &arms {
                let block = Mat3::from_diagonal_element(a.dot(&b)) - b * a.transpose();
                add_block(matrix, [k, l], &(block * sample.strength));
            }
            let beside = a.cross_matrix() * (weight * sample.strength);
            add_block(matrix, [k, self.count], &beside);
            add_block(matrix, [self.count, k], &beside.transpose());
            add_part(right, k, &(a.cross(&off) * -sample.strength));
        }
        add_block(matrix, [self.count; 2], &Mat3::from_diagonal_element(weight * weight * sample.strength));
        add_part(right, self.count, &(off * (-weight * sample.strength)));
    }

    /// S_k for each joint k at or above those that move a sample, and the weight of what the root carries.
    fn arms(&self, sample: &Sample, transforms: &[Rigid]) -> (Vec<(usize, Vec3)>, f64) {
        let mut arms: Vec<(usize, Vec3)> = Vec::new();
        let mut carried = 0.0;
        for &(joint, weight) in sample.list {
            let there = transforms[joint].apply(&sample.rest);
            if self.joints.is_carried[joint] {
                carried += weight;
            }
            for above in self.joints.rig.joints.ancestors(joint) {
                let Some(number) = self.numbers[above] else { continue };
                let arm = (there - transforms[above].apply(&self.joints.at_rest(above))) * weight;
                match arms.iter_mut().find(|(other, _)| *other == number) {
                    Some((_, sum)) => *sum += arm,
                    None => arms.push((number, arm)),
                }
            }
        }
        (arms, carried)
    }

    fn stepped(&self, pose: &TurnPose, step: &DVector<f64>) -> TurnPose {
        let rig = self.joints.rig;
        let mut added: Vec<Quat> = Vec::with_capacity(rig.joints.len());
        for (joint, data) in rig.joints.iter().enumerate() {
            let above = data.parent.map_or_else(Quat::identity, |parent| added[parent]);
            let own = self.numbers[joint].map_or_else(Quat::identity, |number| {
                let turn: Vec3 = step.fixed_rows::<3>(3 * number).into_owned();
                Quat::from_scaled_axis(turn.cap_magnitude(LONGEST_STEP))
            });
            added.push(above * own);
        }
        let turns = added.iter().zip(&pose.turns).map(|(added, turn)| added * turn).collect();
        TurnPose { turns, place: pose.place + step.fixed_rows::<3>(3 * self.count) }
    }
}

fn add_block(matrix: &mut DMatrix<f64>, [row, column]: [usize; 2], block: &Mat3) {
    let mut view = matrix.fixed_view_mut::<3, 3>(3 * row, 3 * column);
    view += block;
}

fn add_part(right: &mut DVector<f64>, row: usize, part: &Vec3) {
    let mut view = right.fixed_rows_mut::<3>(3 * row);
    view += part;
}
