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
    let identity = |[x, y, z, _]: [f32; 4]| [x, y, z];
    match weights.slots() {
        4 => blend::<4>(weights, &transforms, identity, positions, posed),
        _ => blend::<8>(weights, &transforms, identity, positions, posed),
    }
}

/// Turns unit normals by the transforms of the joints and makes them unit vectors again. Exact where a vertex has one joint
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
    let turns = posed_from_bound.iter().map(|m| {
        let [right, up, front, _]: Columns = m.cast::<f32>().into();
        [right, up, front, [0.0; 4]]
    });
    let turns: Vec<Columns> = turns.collect();
    let unit = |[x, y, z, _]: [f32; 4]| {
        Vector3::new(x, y, z).try_normalize(1e-12).unwrap_or_else(Vector3::zeros).into()
    };
    match weights.slots() {
        4 => blend::<4>(weights, &turns, unit, normals, posed),
        _ => blend::<8>(weights, &turns, unit, normals, posed),
    }
}

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
        "one place for each vertex"
    );
    const PART: f32 = 1.0 / SkinWeights::ONE as f32;
    let (joints, weights) = weights.lists();
    let joints = joints.as_chunks::<SLOTS>().0;
    let weights = weights.as_chunks::<SLOTS>().0;
    let chunks = output.par_chunks_mut(CHUNK).zip(input.par_chunks(CHUNK));
    chunks.zip(joints.par_chunks(CHUNK)).zip(weights.par_chunks(CHUNK)).for_each(
        |(((output, input), joints), weights)| {
            for (((output, input), joints), weights) in output.iter_mut().zip(input).zip(joints).zip(weights)
            {
                let sum = |set: Range<usize>, sum: [f32; 4]| {
                    set.fold(sum, |sum, slot| {
                        let weight = f32::from(weights[slot]) * PART;
                        add(sum, weight, &transforms[usize::from(joints[slot])], input)
                    })
                };
                // One joint alone moves half of the surface. With more, asking slot by slot costs more in wrong
                // guesses of the processor than transforms that count nothing.
                let mut sum_of_sets = sum(0..1, [0.0; 4]);
                if weights[1] > 0 {
                    sum_of_sets = sum(1..4, sum_of_sets);
                }
                if SLOTS > 4 && weights[4] > 0 {
                    sum_of_sets = sum(4..SLOTS, sum_of_sets);
                }
                *output = finish(sum_of_sets);
            }
        },
    );
}

/// `sum` and a part of where a transform takes a point.
#[inline(always)]
fn add(sum: [f32; 4], weight: f32, transform: &Columns, [x, y, z]: &[f32; 3]) -> [f32; 4] {
    let [right, up, front, at] = transform;
    std::array::from_fn(|row| sum[row] + weight * (right[row] * x + up[row] * y + front[row] * z + at[row]))
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
