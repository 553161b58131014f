//! Hands and forearms in the rest of the body.

use super::Measurement;
use crate::motion::Pose;
use crate::retarget::collisions::Collisions;
use crate::retarget::hands;

/// How hands and forearms of a character go through the rest of its body, beyond what they do at rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyOverlap {
    /// The joint of the rig that moves what is deepest.
    pub arm: usize,
    /// The joint of the rig in whose part it is.
    pub body: usize,
    /// Number of the frame in the file.
    pub frame: usize,
    /// In leg lengths.
    pub depth: f64,
    /// The share of frames in which it is seen.
    pub share: f64,
}

/// Parts of the height by which an arm in a body is seen to be in it. Profiles are no more exact: at a third of it chibis are told of arms
/// that only touch, at two thirds a gingerbread man who runs of hands at his thighs; with more, a hand in a belly goes unsaid.
const SEEN: f64 = 0.03;

impl BodyOverlap {
    /// What a character does in some poses; `None` if nothing is in anything, or the surface is not known.
    pub(super) fn of(measured: &Measurement, poses: &[Pose]) -> Option<BodyOverlap> {
        let target = measured.target;
        let leg_length = target.leg_length.max(f64::MIN_POSITIVE);
        let seen_depth = SEEN * target.height();
        let arms = hands::arms(target, &measured.source.figure);
        let mut collisions = Collisions::of(target, &arms, 0, measured.motion.frame_seconds);
        let (mut worst, mut seen) = (None::<BodyOverlap>, 0_usize);
        for (frame, pose) in poses.iter().enumerate() {
            collisions.place(pose);
            let depths =
                arms.iter().enumerate().filter_map(|(index, arm)| collisions.overlap(index, arm, pose));
            let Some(overlap) = depths.max_by(|a, b| a.depth.total_cmp(&b.depth)) else { continue };
            let depth = overlap.depth / leg_length;
            seen += usize::from(overlap.depth > seen_depth);
            if worst.is_none_or(|worst| depth > worst.depth) {
                worst = Some(BodyOverlap { arm: overlap.arm, body: overlap.body, frame, depth, share: 0.0 });
            }
        }
        worst.map(|worst| BodyOverlap { share: seen as f64 / poses.len() as f64, ..worst })
    }
}
