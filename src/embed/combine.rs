//! From two answers to one.

use super::candidates::Hint;
use super::{EmbedOptions, Stages};
use crate::math::Vec3;
use crate::skeleton::Skeleton;

/// A place for every joint of a skeleton.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    /// The skeleton that was chosen.
    pub skeleton: Skeleton,
    /// For each joint its place in the unit cube.
    pub positions: Vec<Vec3>,
    /// For each joint how far to trust its place, 0 to 1.
    pub confidences: Vec<f64>,
    /// How far to trust the whole, 0 to 1.
    pub confidence: f64,
    /// Which route decided.
    pub route: Route,
    /// Mean distance between the joints of the two routes, in heights; `None` if there is only one answer.
    pub disagreement: Option<f64>,
    /// Left and right are mirror images.
    pub symmetric: bool,
}

/// The way to an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Read off the shape.
    Landmarks,
    /// Found by the search of the paper.
    Search,
}

/// Decides.
pub(super) fn combine(
    skeleton: &Skeleton,
    stages: &Stages,
    _hints: &[Hint],
    options: &EmbedOptions,
) -> Embedding {
    let searched = stages.best.map(|best| stages.attempts[best].joints.clone());
    let read: Option<Vec<Vec3>> = stages.landmarks.as_ref().map(|landmarks| {
        let place =
            |name: &str| landmarks.joints.iter().find(|joint| joint.name == name).map(|joint| joint.position);
        skeleton.joints.iter().filter_map(|joint| place(&joint.name)).collect()
    });
    let route = options.route.unwrap_or(Route::Landmarks);
    let disagreement = read.as_ref().zip(searched.as_ref()).map(|(a, b)| {
        a.iter().zip(b).map(|(a, b)| (a - b).norm()).sum::<f64>() / a.len() as f64 / stages.frame.height
    });
    let (positions, route) = match (route, read, searched) {
        (Route::Landmarks, Some(read), _) | (_, Some(read), None) => (read, Route::Landmarks),
        (_, _, Some(searched)) => (searched, Route::Search),
        (_, None, None) => unreachable!("one of the routes answered"),
    };
    let confidence = stages.landmarks.as_ref().map_or(0.5, |landmarks| landmarks.confidence);
    Embedding {
        skeleton: skeleton.clone(),
        confidences: vec![confidence; positions.len()],
        positions,
        confidence,
        route,
        disagreement,
        symmetric: stages.landmarks.as_ref().is_some_and(|landmarks| landmarks.symmetric),
    }
}
