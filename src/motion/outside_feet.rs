use super::{Motion, Pose};

/// How near to the end of a leg a foot must stay, on average, in parts of the size of the hierarchy. Where the leg ends
/// with its knee, as in rigs without end sites, that is the length of a shank.
const NEAR: f64 = 0.35;
/// How many times further away every other leaf must be.
const CLEARLY: f64 = 1.3;
/// Or how many times more its distance must vary: a shin keeps its length, and the knee of the other leg passes. What varies by less
/// than this part of the size does so by rounding.
const STEADIER: f64 = 5.0;
const ROUNDING: f64 = 1e-3;
/// A body has a handful of feet; a file in which everything hangs on the root and travels is a cloud of markers.
const MOST_FEET: usize = 8;
/// A foot has toes and ends; what has more joints is a limb.
const MOST_JOINTS: usize = 4;
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
            motion.joints[joint].parent == Some(0) && motion.joints.subtree(joint).count() <= MOST_JOINTS
        })
        .collect();
    if feet.is_empty() || feet.len() > MOST_FEET || motion.frames == 0 {
        return Vec::new();
    }
    let samples = SAMPLES.min(motion.frames);
    let poses: Vec<Pose> = (0..samples).map(|i| motion.pose(i * motion.frames / samples)).collect();
    let is_of_foot = |joint: usize| motion.joints.ancestors(joint).any(|above| feet.contains(&above));
    let leaves: Vec<usize> =
        (0..motion.joints.len()).filter(|&joint| children[joint].is_empty() && !is_of_foot(joint)).collect();
    let size = motion.reach();
    feet.into_iter().filter_map(|foot| Some((foot, end_of_leg(&poses, &leaves, foot, size)?))).collect()
}

/// The leaf that a foot follows, if there is one, and no other is nearly as near.
fn end_of_leg(poses: &[Pose], leaves: &[usize], foot: usize, size: f64) -> Option<usize> {
    let mut near: Vec<(Distance, usize)> =
        leaves.iter().map(|&leaf| (Distance::between(poses, foot, leaf), leaf)).collect();
    near.sort_by(|a, b| a.0.mean.total_cmp(&b.0.mean));
    let &(Distance { mean, spread }, leaf) = near.first()?;
    let is_clear = near.get(1).is_none_or(|(second, _)| {
        second.mean > CLEARLY * mean || second.spread > STEADIER * spread.max(ROUNDING * size)
    });
    (mean < NEAR * size && is_clear).then_some(leaf)
}

/// The distance of two joints over some poses.
struct Distance {
    mean: f64,
    /// How far it is from that on average.
    spread: f64,
}

impl Distance {
    fn between(poses: &[Pose], a: usize, b: usize) -> Distance {
        let distances = || poses.iter().map(|pose| (pose.positions[a] - pose.positions[b]).norm());
        let count = poses.len() as f64;
        let mean = distances().sum::<f64>() / count;
        Distance { mean, spread: distances().map(|distance| (distance - mean).abs()).sum::<f64>() / count }
    }
}
