//! Linear blend skinning: v' = Σ w T v.
//!
//! In `f32`, as every engine computes it. Each influence transforms the vertex and the results are blended: measured
//! a quarter faster than blending the matrices first.

use crate::math::Mat4;
use crate::rig::SkinWeights;
use nalgebra::Vector3;
use rayon::prelude::*;
use std::ops::Range;

/// A transform as its columns: the images of the axes and of the origin.
type Columns = [[f32; 4]; 4];

/// The unit of weights.
const PART: f32 = 1.0 / SkinWeights::ONE as f32;
/// Vertices of one task: some ten microseconds of work.
const CHUNK: usize = 1024;

/// Moves positions by the transforms of the joints, one `posed_from_bound` for each.
///
/// # Panics
/// If the lengths differ or a joint has no transform.
pub fn deform(
    weights: &SkinWeights,
    posed_from_bound: &[Mat4],
    positions: &[[f32; 3]],
    posed: &mut [[f32; 3]],
) {
    let transforms: Vec<Columns> = posed_from_bound.iter().map(|m| m.cast::<f32>().into()).collect();
    match weights.slots() {
        4 => blend::<4>(weights, &transforms, point, positions, posed),
        _ => blend::<8>(weights, &transforms, point, positions, posed),
    }
}

/// Rotates unit normals by the transforms of the joints and makes them unit vectors again. Exact where a vertex has one joint
/// without shear; between joints it is what engines do.
///
/// # Panics
/// If the lengths differ or a joint has no transform.
pub fn deform_normals(
    weights: &SkinWeights,
    posed_from_bound: &[Mat4],
    normals: &[[f32; 3]],
    posed: &mut [[f32; 3]],
) {
    let rotations = posed_from_bound.iter().map(|m| {
        let [right, up, front, _]: Columns = m.cast::<f32>().into();
        [right, up, front, [0.0; 4]]
    });
    let rotations: Vec<Columns> = rotations.collect();
    match weights.slots() {
        4 => blend::<4>(weights, &rotations, unit, normals, posed),
        _ => blend::<8>(weights, &rotations, unit, normals, posed),
    }
}

fn point([x, y, z, _]: [f32; 4]) -> [f32; 3] {
    [x, y, z]
}

fn unit([x, y, z, _]: [f32; 4]) -> [f32; 3] {
    Vector3::new(x, y, z).try_normalize(SHORTEST).unwrap_or_else(Vector3::zeros).into()
}

/// Normals that cancel out to less than this have no direction.
const SHORTEST: f32 = 1e-12;

fn blend<const SLOTS: usize>(
    weights: &SkinWeights,
    transforms: &[Columns],
    finish: impl Fn([f32; 4]) -> [f32; 3] + Sync,
    input: &[[f32; 3]],
    output: &mut [[f32; 3]],
) {
    assert_eq!(
        (input.len(), output.len()),
        (weights.vertices(), weights.vertices()),
        "one position for each vertex"
    );
    let (joints, weights) = weights.lists();
    let joints = joints.as_chunks::<SLOTS>().0;
    let weights = weights.as_chunks::<SLOTS>().0;
    let chunks = output.par_chunks_mut(CHUNK).zip(input.par_chunks(CHUNK));
    chunks.zip(joints.par_chunks(CHUNK)).zip(weights.par_chunks(CHUNK)).for_each(
        |(((output, input), joints), weights)| {
            for (((output, input), joints), weights) in output.iter_mut().zip(input).zip(joints).zip(weights)
            {
                // One joint alone moves half of the surface. With more, asking slot by slot costs more in wrong
                // guesses of the processor than transforms that count nothing.
                let mut sum = add(0..1, [0.0; 4], joints, weights, transforms, input);
                if weights[1] > 0 {
                    sum = add(1..4, sum, joints, weights, transforms, input);
                }
                if SLOTS > 4 && weights[4] > 0 {
                    sum = add(4..SLOTS, sum, joints, weights, transforms, input);
                }
                *output = finish(sum);
            }
        },
    );
}

/// `sum` and where the joints of some slots take a point, weighted.
#[inline(always)]
fn add<const SLOTS: usize>(
    slots: Range<usize>,
    sum: [f32; 4],
    joints: &[u16; SLOTS],
    weights: &[u16; SLOTS],
    transforms: &[Columns],
    [x, y, z]: &[f32; 3],
) -> [f32; 4] {
    slots.fold(sum, |sum, slot| {
        let weight = f32::from(weights[slot]) * PART;
        let [right, up, front, at] = &transforms[usize::from(joints[slot])];
        std::array::from_fn(|row| {
            sum[row] + weight * (right[row] * x + up[row] * y + front[row] * z + at[row])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::prune::Pruner;
    use super::*;
    use crate::io::skeleton_file;
    use crate::math::{Quat, Vec3};
    use crate::rig::MaxInfluences;
    use crate::skeleton::built_in;

    /// A vertex on joint 0, one on joint 1, one half-way, and one on nine joints.
    fn weights(max: MaxInfluences) -> SkinWeights {
        let mut skin = SkinWeights::new(max);
        let pruner = Pruner::of(&skeleton_file::read(built_in()[0].text).unwrap());
        for list in
            [vec![(0, 1.0)], vec![(1, 1.0)], vec![(0, 0.5), (1, 0.5)], (0..9).map(|j| (j, 1.0)).collect()]
        {
            pruner.prune(&list, 0, &mut skin);
        }
        skin
    }

    #[test]
    fn the_blend_is_the_straight_line_between_what_the_joints_do() {
        let quarter_turn =
            Quat::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2).to_homogeneous();
        let lift = Mat4::new_translation(&Vec3::new(0.0, 0.0, 3.0));
        let transforms: Vec<Mat4> =
            (0..9).map(|joint| if joint == 0 { lift } else { quarter_turn }).collect();
        for max in [MaxInfluences::Four, MaxInfluences::Eight] {
            let skin = weights(max);
            let mut posed = vec![[0.0; 3]; 4];
            deform(&skin, &transforms, &[[1.0, 0.0, 0.0]; 4], &mut posed);
            let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4);
            assert!(near(posed[0], [1.0, 0.0, 3.0]) && near(posed[1], [0.0, 1.0, 0.0]));
            assert!(near(posed[2], [0.5, 0.5, 1.5]), "{:?}", posed[2]);
            deform_normals(&skin, &transforms, &[[1.0, 0.0, 0.0]; 4], &mut posed);
            let diagonal = 0.5f32.sqrt();
            assert!(near(posed[0], [1.0, 0.0, 0.0]) && near(posed[2], [diagonal, diagonal, 0.0]));
        }
    }

    #[test]
    fn joints_at_rest_move_nothing() {
        let skin = weights(MaxInfluences::Eight);
        let mut posed = vec![[0.0; 3]; 4];
        let positions = [[0.1, -2.0, 3.0]; 4];
        deform(&skin, &[Mat4::identity(); 9], &positions, &mut posed);
        for axis in 0..3 {
            assert!((posed[3][axis] - positions[3][axis]).abs() < 1e-6);
        }
    }
}
