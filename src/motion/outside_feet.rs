use super::{Motion, Pose};

/// How near to the end of a leg a foot must stay, on average, in parts of the size of the hierarchy. Where the leg ends
/// with its knee, as in rigs without end sites, that is the length of a shank.
const NEAR: f64 = 0.35;
/// How many times further away every other leaf must be.
const CLEARLY: f64 = 1.3;
/// Frames that are looked at.
const SAMPLES: usize = 16;

/// Feet that are no part of their legs, each with the leaf of the leg that it follows.
///
/// Animators' rigs move a foot by itself and let the leg follow. In a file the foot is then a child of the root that
/// travels, and the leg ends at the ankle.
pub fn outside_feet(motion: &Motion) -> Vec<(usize, usize)> {
    let children = motion.joints.children();
    let is_leaf = |joint: usize| children[joint].is_empty();
    // Deeper ones are ordinary joints with channels for everything, as some programs write them.
    let feet: Vec<usize> = motion
        .translations
        .joints
        .iter()
        .copied()
        .filter(|&joint| {
            motion.joints[joint].parent == Some(0) && children[joint].iter().all(|&child| is_leaf(child))
        })
        .collect();
    // A body has a handful of feet; a file in which everything hangs on the root and travels is a cloud of markers.
    if feet.is_empty() || feet.len() > 8 || motion.frames == 0 {
        return Vec::new();
    }
    let poses: Vec<Pose> = (0..SAMPLES.min(motion.frames))
        .map(|i| motion.pose(i * motion.frames / SAMPLES.min(motion.frames)))
        .collect();
    let size = motion.reach();
    let in_foot = |joint: usize| {
        feet.contains(&joint) || motion.joints[joint].parent.is_some_and(|p| feet.contains(&p))
    };
    let leaves: Vec<usize> =
        (0..motion.joints.len()).filter(|&joint| is_leaf(joint) && !in_foot(joint)).collect();
    let mut found = Vec::new();
    for &foot in &feet {
        let distance = |leaf: usize| {
            let sum: f64 =
                poses.iter().map(|pose| (pose.positions[foot] - pose.positions[leaf]).norm()).sum();
            sum / poses.len() as f64
        };
        let mut near: Vec<(f64, usize)> = leaves.iter().map(|&leaf| (distance(leaf), leaf)).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let is_clear = near.get(1).is_none_or(|second| second.0 > CLEARLY * near[0].0);
        if let Some(&(distance, leaf)) = near.first()
            && distance < NEAR * size
            && is_clear
        {
            found.push((foot, leaf));
        }
    }
    found
}
