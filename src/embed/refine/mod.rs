//! Moves the joints from the coarse embedding to where they fit best.
//!
//! Baran & Popović 2007, section 3.4: the joints minimise an energy that is low when the bones lie near the medial
//! surface or deep inside (S), are not shorter than those of the given skeleton (L), point the same way (A), and are
//! as long as their partners on the other side (Y).
//!
//! The energy of the original has jumps, and its schedule of line searches keeps a first step that climbs; that is
//! [`Descent::LineSearches`]. By default the jumps are smoothed, a bone that points backwards counts as short instead
//! of long, partners are compared in the same measure, and L-BFGS never climbs.

mod energy;

use super::Sphere;
use super::field::DistanceField;
use super::point_tree::PointTree;
use crate::math::{MinimiseOptions, Vec3, minimise};
use energy::Energy;
use nalgebra::DVector;

/// The skeleton that is fitted. Everything is indexed by joint; parents come before their children, and the first
/// joint is the root.
#[derive(Debug, Clone, Copy)]
pub struct RestSkeleton<'a> {
    /// Parent of each joint; `None` for the root.
    pub parents: &'a [Option<usize>],
    /// Rest positions, scaled to the size of the character in the unit cube.
    pub positions: &'a [Vec3],
    /// The joint on the other side of the body, named by both.
    pub partners: &'a [Option<usize>],
    /// Joints that stay where they start.
    pub fixed: &'a [usize],
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
    rest: &RestSkeleton,
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

/// L-BFGS ends when a step lowers the energy by less than this part of it.
const TOLERANCE: f64 = 1e-5;

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
        let options = MinimiseOptions { max_steps: left, max_move: MAX_MOVE, tolerance: TOLERANCE };
        let (lowest, lowered) = minimise(to_flat(&joints), &options, |flat| {
            let mut gradient = vec![Vec3::zeros(); start.len()];
            let value = energy.at(&to_points(flat), Some(&mut gradient));
            energy.rest.fixed.iter().for_each(|&joint| gradient[joint] = Vec3::zeros());
            (value, to_flat(&gradient))
        });
        joints = to_points(&lowest);
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
            if energy.rest.fixed.contains(&joint) {
                continue;
            }
            let before = joints[joint];
            let (value, gradient) = energy.around(joint, bones, joints);
            let down = gradient.try_normalize(0.0).map(|up| -up);
            let mut directions = down.into_iter().chain(axes.iter().flat_map(|axis| [*axis, -axis]));
            let lower = directions.find(|direction| {
                joints[joint] = before + direction * length;
                energy.around(joint, bones, joints).0 < value
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
    for _ in 0..rounds {
        for _ in 0..2 {
            let direction = energy.steepest(&joints);
            search_line(&mut joints, &direction, energy);
        }
        for (joint, parent) in energy.bones() {
            let down = energy.steepest(&joints);
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

/// Half the length of the first step, and what keeps it finite.
const FIRST_STEP: f64 = 0.0005;
const FIRST_STEP_SLACK: f64 = 0.001;

/// The original's line search: steps of doubled length as long as the energy falls. The first is kept even if it
/// climbs.
fn search_line(joints: &mut Vec<Vec3>, direction: &[Vec3], energy: &Energy) {
    let squared: f64 = direction.iter().map(|component| component.norm_squared()).sum();
    let mut step = FIRST_STEP / (FIRST_STEP_SLACK + squared).sqrt();
    let mut lowest = energy.at(joints, None);
    // The cube is left after 12 steps.
    for attempt in 0..30 {
        step *= 2.0;
        let moved: Vec<Vec3> =
            joints.iter().zip(direction).map(|(joint, direction)| joint + direction * step).collect();
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
    const REST: RestSkeleton =
        RestSkeleton { parents: &PARENTS, positions: &POSITIONS, partners: &PARTNERS, fixed: &[] };

    #[test]
    fn the_gradient_is_that_of_the_energy() {
        // The smooth one looks at the field from a distance, so it is tried where all points are deep enough.
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
            let none = RestSkeleton { parents: &[], positions: &[], partners: &[], fixed: &[] };
            assert!(refine(&[], &none, &field, &samples, &options).positions.is_empty());
            let flat = RestSkeleton { positions: &[Vec3::zeros(); 4], ..REST };
            for rest in [REST, flat] {
                let refined = refine(&[Vec3::repeat(0.5); 4], &rest, &field, &samples, &options);
                assert!(refined.positions.iter().flatten().all(|x| x.is_finite()), "{descent:?}");
            }
        }
    }
}
