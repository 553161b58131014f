//! How far a skin is from examples.

use super::transforms::{Rigid, blended};
use crate::math::Vec3;
use rayon::prelude::*;

/// How far a surface is from where it should be, in percent of the height.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SurfaceError {
    /// Root of the mean square over all vertices.
    pub rms: f64,
    /// What one vertex in a thousand exceeds.
    pub of_one_in_a_thousand: f64,
}

/// How far a skin is from an example.
#[derive(Debug, Clone, PartialEq)]
pub struct ExampleError {
    /// The example.
    pub name: String,
    /// With the weights to start with.
    pub before: SurfaceError,
    /// With those that were found.
    pub after: SurfaceError,
    /// With weights for which this example was not used.
    pub left_out: Option<SurfaceError>,
}

/// One vertex in so many exceeds the error that is reported beside the mean.
const RARE: usize = 1000;

/// Errors as people read them.
const PERCENT: f64 = 100.0;

/// The distance of each vertex from its target.
pub(super) fn distances(
    positions: &[Vec3],
    lists: &[Vec<(usize, f64)>],
    transforms: &[Rigid],
    targets: &[Vec3],
) -> Vec<f64> {
    let vertices = positions.par_iter().zip(lists).zip(targets);
    vertices.map(|((point, list), target)| (blended(point, list, transforms) - target).norm()).collect()
}

impl SurfaceError {
    /// Of distances, in percent of a height.
    pub(super) fn of(mut distances: Vec<f64>, height: f64) -> SurfaceError {
        if distances.is_empty() {
            return SurfaceError::default();
        }
        let mean = distances.iter().map(|d| d * d).sum::<f64>() / distances.len() as f64;
        distances.sort_unstable_by(f64::total_cmp);
        let rare = distances[distances.len() - 1 - distances.len() / RARE];
        let percent = PERCENT / height;
        SurfaceError { rms: percent * mean.sqrt(), of_one_in_a_thousand: percent * rare }
    }

    /// Of several surfaces together: the root of the mean square, and the worst of what is rare.
    pub(super) fn together<'e>(errors: impl Iterator<Item = &'e SurfaceError>) -> SurfaceError {
        let (mut squares, mut rare, mut count) = (0.0, 0.0f64, 0usize);
        for error in errors {
            squares += error.rms * error.rms;
            rare = rare.max(error.of_one_in_a_thousand);
            count += 1;
        }
        SurfaceError { rms: (squares / count.max(1) as f64).sqrt(), of_one_in_a_thousand: rare }
    }
}
