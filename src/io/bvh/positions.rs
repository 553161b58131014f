//! What position channels mean.

use super::repaired;
use crate::Warning;
use crate::motion::Motion;
use crate::skeleton::naming::{Word, parse_name};
use crate::warning::Repair;

/// Position channels of a joint are added to its offset if they stay below this share of it, and if the offset is itself
/// longer than this share of the size of the hierarchy.
const NEAR_ZERO: f64 = 0.1;
const SHORT_OFFSET: f64 = 0.01;
/// Shares are reported as percentages.
const PERCENT: f64 = 100.0;
/// Bones that change their length by less than this share do so by rounding.
const STRETCH: f64 = 0.02;

/// Position channels replace the offset of a joint. Some programs write differences instead: those stay near zero while the
/// offset does not.
pub(super) fn resolve(motion: &mut Motion, lines: &[usize], warnings: &mut Vec<Warning>) {
    let size = motion.reach();
    let count = motion.translations.joints.len();
    let first_second = ((1.0 / motion.frame_seconds).ceil() as usize).clamp(1, motion.frames.max(1));
    let mut worst: Option<(usize, f64)> = None;
    let mut stretching = 0;
    for track in 0..count {
        let joint = motion.translations.joints[track];
        let offset = motion.joints[joint].offset;
        if motion.joints[joint].parent.is_none() || motion.frames == 0 {
            continue;
        }
        let values = motion.translations.values[track..].iter().step_by(count);
        let mean: f64 = values.take(first_second).map(|v| v.norm()).sum::<f64>() / first_second as f64;
        if mean < NEAR_ZERO * offset.norm() && offset.norm() > SHORT_OFFSET * size {
            motion.translations.values[track..].iter_mut().step_by(count).for_each(|v| *v += offset);
            let repair = Repair::AddedPositions { joint: motion.joints[joint].name.clone() };
            warnings.push(repaired(lines[joint], repair));
        }
        let lengths = motion.translations.values[track..].iter().step_by(count).map(|v| v.norm());
        let (shortest, longest) =
            lengths.fold((f64::INFINITY, 0.0f64), |(low, high), length| (low.min(length), high.max(length)));
        let stretch = (longest - shortest) / longest;
        // Hips below a root on the floor travel over it: the offset between them is no bone.
        let is_hips = parse_name(&motion.joints[joint].name).is_some_and(|parts| parts.word == Word::Hips);
        if stretch > STRETCH && longest > SHORT_OFFSET * size && !is_hips {
            stretching += 1;
            if worst.is_none_or(|(_, most)| stretch > most) {
                worst = Some((joint, stretch));
            }
        }
    }
    if let Some((joint, stretch)) = worst {
        let name = motion.joints[joint].name.clone();
        let repair = Repair::Stretches { joint: name, percent: PERCENT * stretch, count: stretching };
        warnings.push(repaired(lines[joint], repair));
    }
}
