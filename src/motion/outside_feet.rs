use super::{Motion, Pose};

/// How near to the end of a leg a foot must stay, on average, in parts of the size of the hierarchy. Where the leg ends
/// with its knee, as in rigs without end sites, that is the length of a shank.
const NEAR: f64 = 0.35;
/// How many times further away every other leaf must be.
const CLEARLY: f64 = 1.3;
/// A body has a handful of feet; a file in which everything hangs on the root and travels is a cloud of markers.
const MOST_FEET: usize = 8;
/// Frames that are looked at.
const SAMPLES: usize = 16;

/// Feet that are no part of their legs, each with the leaf of the leg that it follows.
///
/// Animators' rigs move a foot by itself and let the leg follow. In a file the foot is then a child of the root that
/// travels, and the leg ends at the ankle.
pub fn outside_feet(motion: &Motion) -> Vec<(usize, usize)> {
    let children = motion.joints.children();
    // Deeper ones are ordinary joints with channels for everything, as some programs write them.
    let travelling = motion.translations.joints.iter().copied();
    let feet: Vec<usize> = travelling
        .filter(|&joint| {
            motion.joints[joint].parent == Some(0)
                && children[joint].iter().all(|&child| children[child].is_empty())
        })
        .collect();
    if feet.is_empty() || feet.len() > MOST_FEET || motion.frames == 0 {
        return Vec::new();
    }
    let samples = SAMPLES.min(motion.frames);
    let poses: Vec<Pose> = (0..samples).map(|i| motion.pose(i * motion.frames / samples)).collect();
    let leaves: Vec<usize> = (0..motion.joints.len())
        .filter(|&joint| children[joint].is_empty() && !feet.contains(&joint))
        .filter(|&joint| motion.joints[joint].parent.is_none_or(|parent| !feet.contains(&parent)))
        .collect();
    let size = motion.reach();
    feet.into_iter().filter_map(|foot| Some((foot, end_of_leg(&poses, &leaves, foot, size)?))).collect()
}

/// The leaf that a foot follows, if there is one, and no other is nearly as near.
fn end_of_leg(poses: &[Pose], leaves: &[usize], foot: usize, size: f64) -> Option<usize> {
    let mut near: Vec<(f64, usize)> =
        leaves.iter().map(|&leaf| (mean_distance(poses, foot, leaf), leaf)).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    let &(distance, leaf) = near.first()?;
    let is_clear = near.get(1).is_none_or(|second| second.0 > CLEARLY * distance);
    (distance < NEAR * size && is_clear).then_some(leaf)
}

fn mean_distance(poses: &[Pose], a: usize, b: usize) -> f64 {
    let sum: f64 = poses.iter().map(|pose| (pose.positions[a] - pose.positions[b]).norm()).sum();
    sum / poses.len() as f64
}
