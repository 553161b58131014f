//! Moves the joints from the coarse embedding to where they fit best.
//!
//! Baran & Popović 2007, section 3.4: the joints minimise an energy that is low when the bones lie near the medial
//! surface or deep inside (S), are not shorter than those of the given skeleton (L), point the same way (A), and are
//! as long as their partners on the other side (Y).
//!
//! The energy of the original has jumps, and its schedule of line searches keeps a first step that climbs; that is
//! [`Descent::LineSearches`]. By default the jumps are smoothed, a bone that points backwards counts as short instead
//! of long, partners are compared in the same measure, and L-BFGS never climbs.

use super::Sphere;
use super::field::DistanceField;
use super::point_tree::PointTree;
use crate::math::{MinimiseOptions, Vec3, acos, cube, minimise, square};
use nalgebra::DVector;

/// The skeleton that is fitted. Everything is indexed by joint; parents come before their children, and the first
/// joint is the root.
#[derive(Debug, Clone, Copy)]
pub struct RestPose<'a> {
    /// Parent of each joint; `None` for the root.
    pub parents: &'a [Option<usize>],
    /// Rest positions, scaled to the size of the character in the unit cube.
    pub positions: &'a [Vec3],
    /// The joint on the other side of the body, named by both.
    pub partners: &'a [Option<usize>],
}

/// How the energy is lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Descent {
    /// L-BFGS on the smoothed energy.
    #[default]
    Smooth,
    /// The original's energy and schedule.
    LineSearches,
}

/// Choices of [`refine`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RefineOptions {
    /// How the energy is lowered.
    pub descent: Descent,
    /// Rounds of the original's schedule, or steps of L-BFGS.
    pub max_steps: usize,
}

impl Default for RefineOptions {
    fn default() -> Self {
        RefineOptions { descent: Descent::Smooth, max_steps: 100 }
    }
}

impl RefineOptions {
    /// The choices of the original.
    pub fn compat() -> RefineOptions {
        RefineOptions { descent: Descent::LineSearches, max_steps: 10 }
    }
}

/// Joints where they fit best.
#[derive(Debug, Clone, PartialEq)]
pub struct Refined {
    /// One position for each joint, in the unit cube.
    pub positions: Vec<Vec3>,
    /// The energy at the start and after each round or step.
    pub energies: Vec<f64>,
}

/// Moves joints from `start` to where the energy is low.
///
/// # Panics
/// If there are not as many start positions as rest positions, parents and partners.
pub fn refine(
    start: &[Vec3],
    rest: &RestPose,
    field: &DistanceField,
    samples: &[Sphere],
    options: &RefineOptions,
) -> Refined {
    let lengths = [rest.parents.len(), rest.positions.len(), rest.partners.len()];
    assert!(lengths.iter().all(|&length| length == start.len()), "one of each for every joint");
    let energy = Energy { rest, field, samples: PointTree::new(samples), descent: options.descent };
    match options.descent {
        Descent::Smooth => descend_smoothly(start, &energy, options.max_steps),
        Descent::LineSearches => descend_by_line_searches(start, &energy, options.max_steps),
    }
}

/// No joint moves further in one step along an axis, so that none jumps into another limb.
const MAX_MOVE: f64 = 0.01;

/// How far single joints are moved where L-BFGS ends. The energy has creases, between the leaves of the field and
/// between medial samples, in which the gradient of the whole points nowhere: on the knight, whose spheres lie on its
/// plane of symmetry, at the very start.
const NUDGES: [f64; 4] = [0.008, 0.004, 0.002, 0.001];

/// Moving single joints ends when it lowers the energy by less than this part of it.
const WORTHWHILE: f64 = 0.002;

fn descend_smoothly(start: &[Vec3], energy: &Energy, max_steps: usize) -> Refined {
    let mut joints = start.to_vec();
    let mut energies = vec![energy.at(&joints, None)];
    while energies.len() <= max_steps {
        let left = max_steps - (energies.len() - 1);
        let options = MinimiseOptions { max_steps: left, max_move: MAX_MOVE, tolerance: 1e-5 };
        let (place, lowered) = minimise(to_flat(&joints), &options, |flat| {
            let mut gradient = vec![Vec3::zeros(); start.len()];
            let value = energy.at(&to_points(flat), Some(&mut gradient));
            (value, to_flat(&gradient))
        });
        joints = to_points(&place);
        energies.extend(&lowered[1..]);
        if energies.len() > max_steps {
            break;
        }
        let mut nudged = joints.clone();
        nudge_joints(&mut nudged, energy);
        let (before, after) = (energies[energies.len() - 1], energy.at(&nudged, None));
        if !(before - after > WORTHWHILE * before) {
            break;
        }
        joints = nudged;
        energies.push(after);
    }
    Refined { positions: joints, energies }
}

fn to_flat(points: &[Vec3]) -> DVector<f64> {
    DVector::from_iterator(3 * points.len(), points.iter().flatten().copied())
}

fn to_points(flat: &DVector<f64>) -> Vec<Vec3> {
    flat.as_slice().chunks_exact(3).map(Vec3::from_column_slice).collect()
}

/// Moves each joint once by each length, if that lowers the energy, down its gradient or along an axis.
fn nudge_joints(joints: &mut [Vec3], energy: &Energy) {
    let bones_by_joint = energy.bones_by_joint();
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    for length in NUDGES {
        for (joint, bones) in bones_by_joint.iter().enumerate() {
            let around = |joints: &[Vec3]| {
                let mut gradient = Vec3::zeros();
                let mut push = |end: usize, derivative: Vec3| {
                    if end == joint {
                        gradient += derivative;
                    }
                };
                let shares =
                    bones.iter().map(|&(end, parent)| energy.of_bone(end, parent, joints, &mut push));
                (shares.sum::<f64>(), gradient)
            };
            let before = joints[joint];
            let (value, gradient) = around(joints);
            let down = gradient.try_normalize(0.0).map(|up| -up);
            let mut ways = down.into_iter().chain(axes.iter().flat_map(|axis| [*axis, -axis]));
            let lower = ways.find(|way| {
                joints[joint] = before + way * length;
                around(joints).0 < value
            });
            joints[joint] = before + lower.unwrap_or_default() * length;
        }
    }
}

/// The original's schedule. In each round, two line searches over all joints, then one for each bone. In the latter
/// the direction is that of a relative change of the coordinates, so it depends on where the character stands.
fn descend_by_line_searches(start: &[Vec3], energy: &Energy, rounds: usize) -> Refined {
    let mut joints = start.to_vec();
    let mut energies = vec![energy.at(&joints, None)];
    let steepest = |joints: &[Vec3]| {
        let mut gradient = vec![Vec3::zeros(); joints.len()];
        energy.at(joints, Some(&mut gradient));
        gradient.iter_mut().for_each(|component| *component = -*component);
        gradient
    };
    for _ in 0..rounds {
        for _ in 0..2 {
            let direction = steepest(&joints);
            search_line(&mut joints, &direction, energy);
        }
        for (joint, parent) in energy.bones() {
            let down = steepest(&joints);
            let mut direction = vec![Vec3::zeros(); joints.len()];
            for moving in [joint, parent] {
                direction[moving] = down[moving].component_mul(&joints[moving]);
            }
            search_line(&mut joints, &direction, energy);
        }
        energies.push(energy.at(&joints, None));
    }
    Refined { positions: joints, energies }
}

/// The original's line search: steps of doubled length as long as the energy falls. The first is kept even if it
/// climbs.
fn search_line(joints: &mut Vec<Vec3>, direction: &[Vec3], energy: &Energy) {
    let squared: f64 = direction.iter().map(|component| component.norm_squared()).sum();
    let mut step = 0.0005 / (0.001 + squared).sqrt();
    let mut lowest = energy.at(joints, None);
    // The cube is left after 12 steps.
    for attempt in 0..30 {
        step *= 2.0;
        let moved: Vec<Vec3> = joints.iter().zip(direction).map(|(joint, way)| joint + way * step).collect();
        let value = energy.at(&moved, None);
        let falls = value < lowest;
        if falls || attempt == 0 {
            *joints = moved;
            lowest = value;
        }
        if !falls {
            break;
        }
    }
}

/// Weights of the terms of the energy.
const CENTERED: f64 = 15000.0;
const LENGTH: f64 = 0.25;
const ANGLE: f64 = 2.0;

/// Bones are looked at in this many places.
const PLACES: usize = 10;

/// A place as deep as this is free of charge, whether or not it is in the middle.
const DEEP: f64 = 0.05;

/// So is one as near as this to a medial sample: the distance between the samples of the original.
const NEAR: f64 = 0.003;

struct Energy<'a> {
    rest: &'a RestPose<'a>,
    field: &'a DistanceField,
    samples: PointTree,
    descent: Descent,
}

/// Vectors of a bone in the character and in the rest pose.
struct Bone {
    way: Vec3,
    rest: Vec3,
}

impl Energy<'_> {
    fn bones(&self) -> impl Iterator<Item = (usize, usize)> {
        self.rest.parents.iter().enumerate().filter_map(|(joint, &parent)| Some((joint, parent?)))
    }

    /// The energy of a placement of the joints; its derivatives are added to `gradient`.
    fn at(&self, joints: &[Vec3], mut gradient: Option<&mut Vec<Vec3>>) -> f64 {
        let mut push = |joint: usize, derivative: Vec3| {
            if let Some(gradient) = gradient.as_deref_mut() {
                gradient[joint] += derivative;
            }
        };
        self.bones().map(|(joint, parent)| self.of_bone(joint, parent, joints, &mut push)).sum()
    }

    /// The share of the bone from `parent` to `joint`; its derivatives are handed to `push`.
    fn of_bone(
        &self,
        joint: usize,
        parent: usize,
        joints: &[Vec3],
        push: &mut impl FnMut(usize, Vec3),
    ) -> f64 {
        let mut total = 0.0;
        for place in 0..PLACES {
            let f = place as f64 / PLACES as f64;
            let point = joints[joint] * (1.0 - f) + joints[parent] * f;
            if let Some((penalty, derivative)) = self.off_center(&point) {
                total += CENTERED / PLACES as f64 * penalty;
                let derivative = derivative * (CENTERED / PLACES as f64);
                push(joint, derivative * (1.0 - f));
                push(parent, derivative * f);
            }
        }

        let rest = self.rest.positions[joint] - self.rest.positions[parent];
        let bone = Bone { way: joints[joint] - joints[parent], rest };
        let (short, short_derivative) = self.shortness(&bone);
        let (turn, turn_derivative) = self.turn(&bone);
        total += LENGTH * short + ANGLE * turn;
        let derivative = short_derivative * LENGTH + turn_derivative * ANGLE;
        push(joint, derivative);
        push(parent, -derivative);

        if let Some((partner, partner_parent)) = self.partner_bone(joint) {
            let partner_way = joints[partner] - joints[partner_parent];
            let (asymmetry, derivative, partner_derivative) = self.asymmetry(&bone, &partner_way);
            total += asymmetry;
            push(joint, derivative);
            push(parent, -derivative);
            push(partner, partner_derivative);
            push(partner_parent, -partner_derivative);
        }
        total
    }

    /// The bone with which that of `joint` is compared: once for each pair, by its second joint.
    fn partner_bone(&self, joint: usize) -> Option<(usize, usize)> {
        let partner = self.rest.partners[joint].filter(|&partner| partner < joint)?;
        Some((partner, self.rest.parents[partner]?))
    }

    /// For each joint, the bones whose share depends on where it is.
    fn bones_by_joint(&self) -> Vec<Vec<(usize, usize)>> {
        let mut bones = vec![Vec::new(); self.rest.parents.len()];
        for (joint, parent) in self.bones() {
            let mut ends = vec![joint, parent];
            ends.extend(self.partner_bone(joint).into_iter().flat_map(|(joint, parent)| [joint, parent]));
            ends.sort_unstable();
            ends.dedup();
            ends.iter().for_each(|&end| bones[end].push((joint, parent)));
        }
        bones
    }

    /// S: how far a place is from the medial samples, or from being deep inside if that is less. `None` if it is free.
    fn off_center(&self, point: &Vec3) -> Option<(f64, Vec3)> {
        let shallow = (DEEP + self.field.value(point)).max(0.0);
        let reach = 0.001 + shallow;
        if reach <= NEAR {
            return None;
        }
        let (distance, derivative) = match self.samples.nearest(point, reach * reach) {
            Some((sample, squared)) => (squared.sqrt(), (point - sample) / squared.sqrt().max(1e-12)),
            None => (reach, self.field_gradient(point)),
        };
        if distance <= NEAR {
            return None;
        }
        let excess = match self.descent {
            Descent::LineSearches => distance,
            // Without the jump from nothing to the square of the limit.
            Descent::Smooth => distance - NEAR,
        };
        Some((excess * excess, derivative * (2.0 * excess)))
    }

    fn field_gradient(&self, point: &Vec3) -> Vec3 {
        match self.descent {
            Descent::LineSearches => self.field.gradient(point),
            // Across the leaves: on a crease between two of them, the gradient of either misleads.
            Descent::Smooth => Vec3::from_fn(|axis, _| {
                let step = Vec3::ith(axis, NEAR);
                (self.field.value(&(point + step)) - self.field.value(&(point - step))) / (2.0 * NEAR)
            }),
        }
    }

    /// L: the squared length in the rest pose over that along the direction of the rest pose; longer bones are free.
    fn shortness(&self, bone: &Bone) -> (f64, Vec3) {
        let (squared, derivative) = self.length_along_rest(bone);
        let ratio = (1e-4 + bone.rest.norm_squared()) / (1e-4 + squared);
        // NaN, the length along a rest bone without length, is free.
        if ratio > 0.5 { (ratio, derivative * (-ratio / (1e-4 + squared))) } else { (0.5, Vec3::zeros()) }
    }

    /// The squared length along the direction of the rest pose.
    fn length_along_rest(&self, bone: &Bone) -> (f64, Vec3) {
        let least = if self.descent == Descent::Smooth { 0.0 } else { -10.0 };
        let along = bone.way.dot(&bone.rest).max(least);
        let squared = bone.rest.norm_squared();
        (along * along / squared, bone.rest * (2.0 * along / squared))
    }

    /// A: the angle between the bone and its rest pose; bones that point backwards cost ten times as much.
    fn turn(&self, bone: &Bone) -> (f64, Vec3) {
        let (length, rest_length) = (bone.way.norm(), bone.rest.norm());
        let (direction, rest) = (bone.way / length, bone.rest / rest_length);
        let cosine = direction.dot(&rest).clamp(-1.0, 1.0);
        // NaN, without a direction, is free.
        if !(square(cosine * length) > 1e-16) {
            return (0.0, Vec3::zeros());
        }
        if !(cosine < 1.0 - 1e-8) {
            return (0.027, Vec3::zeros());
        }
        let angle = acos(cosine);
        let (backwards, backwards_derivative) = self.backwards(angle);
        let base = 0.3 + 0.5 * angle;
        let value = cube(base) * backwards;
        let by_angle = 1.5 * square(base) * backwards + cube(base) * backwards_derivative;
        let by_cosine = -by_angle / (1.0 - cosine * cosine).sqrt().max(1e-6);
        (value, (rest - direction * cosine) * (by_cosine / length))
    }

    /// The factor for bones that point backwards and its derivative by the angle. The original jumps from 1 to 10 at a
    /// right angle; smoothly it rises over the 20° around it.
    fn backwards(&self, angle: f64) -> (f64, f64) {
        let right = std::f64::consts::FRAC_PI_2;
        match self.descent {
            Descent::LineSearches => (if angle > right { 10.0 } else { 1.0 }, 0.0),
            Descent::Smooth => {
                let width = 20f64.to_radians();
                let t = ((angle - right) / width + 0.5).clamp(0.0, 1.0);
                (1.0 + 9.0 * t * t * (3.0 - 2.0 * t), 54.0 * t * (1.0 - t) / width)
            }
        }
    }

    /// Y: the squared lengths of two partners over each other, from 5 % on; the derivatives by either.
    fn asymmetry(&self, bone: &Bone, partner: &Vec3) -> (f64, Vec3, Vec3) {
        let (squared, derivative) = match self.descent {
            Descent::Smooth => (bone.way.norm_squared(), bone.way * 2.0),
            // The original compares a length along the rest pose with a full one.
            Descent::LineSearches => self.length_along_rest(bone),
        };
        let (partner_squared, partner_derivative) = (partner.norm_squared(), partner * 2.0);
        let longer = squared / (0.001 + partner_squared);
        let shorter = partner_squared / (0.001 + squared);
        if longer > 1.05 && longer >= shorter {
            let slope = 1.0 / (0.001 + partner_squared);
            (longer, derivative * slope, partner_derivative * (-longer * slope))
        } else if shorter > 1.05 {
            let slope = 1.0 / (0.001 + squared);
            (shorter, derivative * (-shorter * slope), partner_derivative * slope)
        } else {
            (1.05, Vec3::zeros(), Vec3::zeros())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::field::FieldOptions;
    use crate::embed::medial::{MedialOptions, sample};
    use crate::mesh::{Mesh, TriangleTree, shapes};

    const BOTH: [Descent; 2] = [Descent::Smooth, Descent::LineSearches];

    /// An upright spindle of radius `radius` in the middle of the cube.
    fn spindle(radius: f64) -> (DistanceField, Vec<Sphere>) {
        let mut mesh: Mesh = shapes::uv_sphere(32, 32);
        let size = Vec3::new(radius, 0.4, radius);
        mesh.positions.iter_mut().for_each(|p| *p = Vec3::repeat(0.5) + p.component_mul(&size));
        let tree = TriangleTree::new(&mesh.positions, &mesh.triangles);
        let field = DistanceField::new(&tree, &FieldOptions::default());
        let samples = sample(&field, &MedialOptions::default());
        (field, samples)
    }

    /// A root in the middle with a bone up and two bones down, partners of each other.
    const PARENTS: [Option<usize>; 4] = [None, Some(0), Some(0), Some(0)];
    const PARTNERS: [Option<usize>; 4] = [None, None, Some(3), Some(2)];
    const POSITIONS: [Vec3; 4] = [
        Vec3::new(0.0, 0.0, 0.0),
        Vec3::new(0.0, 0.2, 0.0),
        Vec3::new(-0.05, -0.2, 0.0),
        Vec3::new(0.05, -0.2, 0.0),
    ];
    const REST: RestPose = RestPose { parents: &PARENTS, positions: &POSITIONS, partners: &PARTNERS };

    #[test]
    fn the_gradient_is_that_of_the_energy() {
        // The smooth one looks at the field from a distance, so it is tried where all places are deep enough.
        for (descent, radius) in [(Descent::LineSearches, 0.06), (Descent::Smooth, 0.4)] {
            let (field, _) = spindle(radius);
            let energy = Energy { rest: &REST, field: &field, samples: PointTree::new(&[]), descent };
            let joints = [
                Vec3::new(0.503, 0.507, 0.49),
                Vec3::new(0.521, 0.617, 0.517),
                Vec3::new(0.472, 0.391, 0.513),
                Vec3::new(0.533, 0.263, 0.521),
            ];
            let mut gradient = vec![Vec3::zeros(); 4];
            energy.at(&joints, Some(&mut gradient));
            for (joint, axis) in (0..4).flat_map(|joint| (0..3).map(move |axis| (joint, axis))) {
                let at = |offset: f64| {
                    let mut moved = joints;
                    moved[joint][axis] += offset;
                    energy.at(&moved, None)
                };
                let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
                let error = (gradient[joint][axis] - slope).abs();
                assert!(error < 1e-3 * slope.abs() + 1e-3, "{descent:?} {joint} {axis}: {error} of {slope}");
            }
        }
    }

    #[test]
    fn bones_move_into_the_middle_and_the_energy_never_rises() {
        let (field, samples) = spindle(0.06);
        let start = POSITIONS.map(|p| Vec3::new(0.53, 0.5, 0.52) + p);
        let refined = refine(&start, &REST, &field, &samples, &RefineOptions::default());
        assert!(refined.energies.is_sorted_by(|a, b| a >= b), "{:?}", refined.energies);
        assert!(refined.energies.last() < refined.energies.first());
        for joint in &refined.positions[..2] {
            let off_axis = Vec3::new(joint.x - 0.5, 0.0, joint.z - 0.5).norm();
            assert!(off_axis < 0.015, "{joint}");
        }
    }

    #[test]
    fn no_joint_and_coinciding_joints_are_no_trouble() {
        let (field, samples) = spindle(0.06);
        for descent in BOTH {
            let options = RefineOptions { descent, max_steps: 5 };
            let none = RestPose { parents: &[], positions: &[], partners: &[] };
            assert!(refine(&[], &none, &field, &samples, &options).positions.is_empty());
            let flat = RestPose { positions: &[Vec3::zeros(); 4], ..REST };
            for rest in [REST, flat] {
                let refined = refine(&[Vec3::repeat(0.5); 4], &rest, &field, &samples, &options);
                assert!(refined.positions.iter().flatten().all(|x| x.is_finite()), "{descent:?}");
            }
        }
    }
}
