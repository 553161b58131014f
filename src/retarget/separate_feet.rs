//! Motions whose feet are bones of their own: which of these feet move, and how far they leave the ends of their legs.

use super::reference::Source;
use crate::math::Vec3;
use crate::motion::{Motion, Pose};
use crate::skeleton::Figure;
use crate::skeleton::naming::{Role, Segment};
use crate::skeleton::roles::Reason;

/// Frames that are looked at to see whether a foot follows its leg.
const SAMPLES: usize = 16;
/// A foot that leaves the end of its leg by more than this part of what that end moves does not follow it: it is a goal that nobody
/// evaluated, and stays behind by all of it. Legs that do not reach their feet are short of them by a tenth.
const FOLLOWS: f64 = 0.5;
/// Ends of legs that move less, in parts of the size of the hierarchy, say nothing.
const STILL: f64 = 0.02;
/// Confidence that the leaf of a leg is its foot.
const LEAF: f64 = 0.8;
/// A leg whose own end is off its foot by less, in leg lengths, reaches it as far as one sees.
const SEEN: f64 = 0.05;

/// Takes the roles of feet from bones beside their legs that do not follow them: programs export the goals of a rig without what
/// makes them move.
pub(super) fn drop_idle_feet(motion: &Motion, figure: &mut Figure) {
    let feet = figure.separate_feet();
    if feet.is_empty() || motion.frames == 0 {
        return;
    }
    let samples = SAMPLES.min(motion.frames);
    let poses: Vec<Pose> = (0..samples).map(|i| motion.pose(i * motion.frames / samples)).collect();
    let (size, hips) = (motion.reach(), figure.find(Role::Hips).unwrap_or(0));
    for (foot, last) in feet {
        // An end at the joint itself says nothing of a shin.
        let is_end_of_shin = |leaf: usize| {
            figure.is_leaf(leaf) && (figure.positions[leaf] - figure.positions[last]).norm() > STILL * size
        };
        let leaf = figure.branches.children[last].iter().copied().find(|&child| is_end_of_shin(child));
        if let Some(leaf) = leaf.filter(|&leaf| !follows(&poses, [foot, leaf, hips], size)) {
            give_back(figure, foot, leaf);
        }
    }
}

/// Whether a foot goes where the leaf of its leg goes, seen from the hips.
fn follows(poses: &[Pose], [foot, leaf, hips]: [usize; 3], size: f64) -> bool {
    let moved = spread(poses.iter().map(|pose| pose.positions[leaf] - pose.positions[hips]));
    let apart = spread(poses.iter().map(|pose| pose.positions[foot] - pose.positions[leaf]));
    moved < STILL * size || apart < FOLLOWS * moved
}

/// Mean distance of some points from their middle.
fn spread(points: impl Iterator<Item = Vec3> + Clone) -> f64 {
    let count = points.clone().count().max(1) as f64;
    let middle = points.clone().sum::<Vec3>() / count;
    points.map(|point| (point - middle).norm()).sum::<f64>() / count
}

/// The leaf of a leg is its foot, and not the bone beside it.
fn give_back(figure: &mut Figure, foot: usize, leaf: usize) {
    let Some((limb, side, _)) = figure.roles.roles[foot].and_then(Role::limb) else { return };
    for segment in [Segment::End, Segment::Toes, Segment::Tip] {
        if let Some(joint) = figure.limb(limb, side, segment) {
            figure.roles.roles[joint] = None;
            figure.roles.confidence[joint] = 0.0;
        }
    }
    if !figure.is_end[leaf] {
        figure.roles.set(leaf, Role::Limb(limb, side, Segment::End), Reason::Tree, LEAF);
    }
}

/// How far feet that are bones of their own leave the ends of their legs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FeetApart {
    /// The frame in which one is farthest, from 0.
    pub frame: usize,
    /// How many frames there are in which one sees it.
    pub count: usize,
    /// The farthest, in leg lengths.
    pub distance: f64,
}

impl FeetApart {
    /// Of a motion; `None` if the legs reach their feet as they are.
    pub fn of(motion: &Motion, source: &Source) -> Option<FeetApart> {
        let feet = source.figure.separate_feet();
        let leg_length = source.figure.leg_length();
        if feet.is_empty() || !(leg_length > 0.0) {
            return None;
        }
        let mut apart = FeetApart { frame: 0, count: 0, distance: 0.0 };
        let mut pose = Pose::default();
        for frame in 0..motion.frames {
            motion.pose_into(frame, &mut pose);
            let distances = feet.iter().map(|&(foot, last)| from_end_of_leg(source, &pose, foot, last));
            let distance = distances.fold(0.0, f64::max) / leg_length;
            apart.count += usize::from(distance > SEEN);
            if distance > apart.distance {
                (apart.frame, apart.distance) = (frame, distance);
            }
        }
        (apart.count > 0).then_some(apart)
    }
}

/// From where a foot would be if it hung on its leg to where it is.
fn from_end_of_leg(source: &Source, pose: &Pose, foot: usize, last: usize) -> f64 {
    let Source { figure, figure_from_file, rotations, .. } = source;
    let shin = rotations[last].inverse() * (figure.positions[foot] - figure.positions[last]);
    let own = pose.rotations[last] * shin;
    let away = pose.positions[foot] - pose.positions[last];
    (figure_from_file * (away - own)).norm()
}
