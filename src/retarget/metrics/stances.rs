//! When the points of a motion's feet rest on the ground, with the whole motion known.
//!
//! The retargeter decides online; how well it did is measured against this, which looks both ways, delays nothing and
//! shares no code with it.

use crate::math::{Vec3, exp, square};
use std::ops::Range;

/// Seconds of the Gaussian that takes the noise of captures off, alike in both directions of time.
const SMOOTHING: f64 = 0.012;
/// Leg lengths a second: a point rests that is slower than the first somewhere and slower than the second all the while.
const SLOW: f64 = 0.30;
const FAST: f64 = 0.55;
/// A point that is higher above its level than this, in leg lengths, is in the air or on a step.
const NEAR: f64 = 0.07;
/// Of the heights of slow points this part is below the level of the floor.
const LOW: f64 = 0.10;
/// On a step a point rests for so many seconds, and is within this many leg lengths of the lowest point of all for this
/// share of them. The turning point of a jump is shorter, a raised knee is not the lowest.
const STEP_SECONDS: f64 = 0.12;
const LOWEST: f64 = 0.02;
const LOWEST_SHARE: f64 = 0.3;
/// Seconds of the longest gap that is bridged and of the shortest stance.
const GAP: f64 = 0.040;
const SHORTEST: f64 = 0.080;
/// Seconds, and the part of a stance, that are left out at both ends: landing and lifting off are no sliding.
const EDGE: f64 = 0.030;
const EDGE_PART: usize = 4;

/// A point of a foot that rests on the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct Stance {
    /// From the first frame to the one behind the last.
    pub frames: Range<usize>,
    /// Height of the ground there above the floor, in the unit of the paths; zero but for steps.
    pub step: f64,
    /// How far the point moves from its middle in the core, along the ground and in leg lengths.
    pub drift: f64,
}

impl Stance {
    /// The frames in which a foot must not move.
    pub fn core(&self, frame_seconds: f64) -> Range<usize> {
        let edge = ((EDGE / frame_seconds).round() as usize).min(self.frames.len() / EDGE_PART);
        self.frames.start + edge..self.frames.end - edge
    }
}

/// The stances of each of the points of one body, from their paths with +Y up.
pub fn find_stances(paths: &[Vec<Vec3>], leg_length: f64, frame_seconds: f64) -> Vec<Vec<Stance>> {
    let smooth: Vec<Vec<Vec3>> = paths.iter().map(|path| smoothed(path, SMOOTHING / frame_seconds)).collect();
    let speeds: Vec<Vec<f64>> = smooth.iter().map(|path| speeds(path, leg_length * frame_seconds)).collect();
    let heights: Vec<Vec<f64>> = smooth
        .iter()
        .zip(&speeds)
        .map(|(path, speeds)| {
            let level = level(path, speeds);
            path.iter().map(|place| (place.y - level) / leg_length).collect()
        })
        .collect();
    let frames = paths.first().map_or(0, Vec::len);
    let lowest: Vec<f64> = (0..frames)
        .map(|frame| heights.iter().map(|heights| heights[frame]).fold(f64::INFINITY, f64::min))
        .collect();
    let point = |point: usize| {
        let (speeds, heights) = (&speeds[point], &heights[point]);
        let mut rests = vec![false; frames];
        for rest in runs(frames, |frame| speeds[frame] < FAST) {
            if !rest.clone().any(|frame| speeds[frame] < SLOW) {
                continue;
            }
            let is_on_step = rest.clone().all(|frame| heights[frame] >= NEAR)
                && rest.len() as f64 * frame_seconds >= STEP_SECONDS
                && is_level(heights, speeds, &rest)
                && carries(heights, &lowest, &rest);
            for frame in rest {
                rests[frame] = is_on_step || heights[frame] < NEAR;
            }
        }
        for gap in runs(frames, |frame| !rests[frame]) {
            let is_inside = gap.start > 0 && gap.end < frames;
            if is_inside && (gap.len() as f64) * frame_seconds < GAP {
                rests[gap].fill(true);
            }
        }
        let level = level(&smooth[point], speeds);
        let stance = |frames: Range<usize>| {
            let mut above: Vec<f64> =
                paths[point][frames.clone()].iter().map(|place| place.y - level).collect();
            let step =
                Some(quantile(&mut above, 0.5)).filter(|step| *step > NEAR * leg_length).unwrap_or(0.0);
            let mut stance = Stance { frames, step, drift: 0.0 };
            stance.drift = drift(&paths[point][stance.core(frame_seconds)]) / leg_length;
            stance
        };
        let lasts = |frames: &Range<usize>| frames.len() as f64 * frame_seconds >= SHORTEST;
        runs(frames, |frame| rests[frame]).into_iter().filter(lasts).map(stance).collect()
    };
    (0..paths.len()).map(point).collect()
}

/// The farthest that places are from their middle, along the ground.
pub(super) fn drift(places: &[Vec3]) -> f64 {
    let middle = places.iter().sum::<Vec3>() / places.len().max(1) as f64;
    places.iter().map(|place| (place - middle).xz().norm()).fold(0.0, f64::max)
}

/// Whether a resting point stays at one height while it is slow.
fn is_level(heights: &[f64], speeds: &[f64], rest: &Range<usize>) -> bool {
    let slow = rest.clone().filter(|&frame| speeds[frame] < SLOW).map(|frame| heights[frame]);
    let (low, high) =
        slow.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)));
    high - low < NEAR
}

/// Whether a resting point is about the lowest one of the body for long enough.
fn carries(heights: &[f64], lowest: &[f64], rest: &Range<usize>) -> bool {
    let lowest = rest.clone().filter(|&frame| heights[frame] - lowest[frame] < LOWEST).count();
    lowest as f64 > LOWEST_SHARE * rest.len() as f64
}

/// Where a point is when it stands on the floor.
fn level(path: &[Vec3], speeds: &[f64]) -> f64 {
    let mut slow: Vec<f64> =
        path.iter().zip(speeds).filter(|(_, speed)| **speed < SLOW).map(|(place, _)| place.y).collect();
    if slow.len() <= 5 {
        slow = path.iter().map(|place| place.y).collect();
    }
    quantile(&mut slow, LOW)
}

/// The stretches of frames for which something holds.
fn runs(frames: usize, holds: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut found = Vec::new();
    while at < frames {
        let start = at;
        while at < frames && holds(at) {
            at += 1;
        }
        if at > start {
            found.push(start..at);
        }
        at += 1;
    }
    found
}

/// The value below which a part of the values is, between two of them by their distances; zero for none.
pub(super) fn quantile(values: &mut [f64], part: f64) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.sort_unstable_by(f64::total_cmp);
    let at = part * (values.len() - 1) as f64;
    let below = at.floor() as usize;
    let above = (below + 1).min(values.len() - 1);
    values[below] + (values[above] - values[below]) * (at - below as f64)
}

/// A path without its fastest changes: a Gaussian of a width in frames, over ends continued by their point reflection.
fn smoothed(path: &[Vec3], width: f64) -> Vec<Vec3> {
    if width < 0.3 || path.len() < 3 {
        return path.to_vec();
    }
    let last = path.len() - 1;
    let radius = ((3.0 * width).ceil() as usize).min(last);
    let weight = |offset: usize| exp(-0.5 * square(offset as f64 / width));
    let total = 1.0 + 2.0 * (1..=radius).map(weight).sum::<f64>();
    let before = |frame: usize, offset: usize| match frame.checked_sub(offset) {
        Some(at) => path[at],
        None => 2.0 * path[0] - path[offset - frame],
    };
    let behind = |frame: usize, offset: usize| match frame + offset {
        at if at <= last => path[at],
        at => 2.0 * path[last] - path[2 * last - at],
    };
    (0..path.len())
        .map(|frame| {
            let sides = (1..=radius)
                .map(|offset| weight(offset) * (before(frame, offset) + behind(frame, offset)))
                .sum::<Vec3>();
            (path[frame] + sides) / total
        })
        .collect()
}

/// Speeds over both neighbours, in `unit` a frame.
fn speeds(path: &[Vec3], unit: f64) -> Vec<f64> {
    let last = path.len().saturating_sub(1);
    (0..path.len())
        .map(|frame| {
            let (from, to) = (frame.saturating_sub(1), (frame + 1).min(last));
            (path[to] - path[from]).norm() / ((to - from).max(1) as f64 * unit)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A foot that stands for 0.4 s of each second and swings in between, `climb` higher with each step.
    fn walking(fps: usize, climb: f64) -> Vec<Vec3> {
        (0..4 * fps)
            .map(|frame| {
                let time = frame as f64 / fps as f64;
                let (step, swing) = (time.floor(), ((time.fract() - 0.4) / 0.6).max(0.0));
                let way = step + swing * swing * (3.0 - 2.0 * swing);
                Vec3::new(0.0, climb * way + 0.3 * (std::f64::consts::PI * swing).sin(), way)
            })
            .collect()
    }

    #[test]
    fn stances_are_found_where_the_foot_stands_at_every_rate() {
        for fps in [30, 60, 120] {
            let path = walking(fps, 0.0);
            let stances = &find_stances(&[path], 0.9, 1.0 / fps as f64)[0];
            assert_eq!(stances.len(), 4, "{fps}");
            for (step, stance) in stances.iter().enumerate() {
                assert_eq!(stance.step, 0.0);
                let ends =
                    [stance.frames.start, stance.frames.end].map(|f| f as f64 / fps as f64 - step as f64);
                // To within a frame and the width of the smoothing.
                let most = 0.01 + 1.0 / fps as f64;
                assert!(ends[0].abs() < most && (ends[1] - 0.4).abs() < most, "{fps}: {ends:?}");
                let core = stance.core(1.0 / fps as f64);
                assert_eq!(core.start - stance.frames.start, (0.03 * fps as f64).round() as usize);
            }
        }
    }

    #[test]
    fn a_stair_has_steps_and_a_raised_foot_does_not_stand() {
        let stair = walking(60, 0.2);
        // The other foot hangs above it all the time, as still.
        let raised = stair.iter().map(|place| place + Vec3::new(0.2, 0.4, 0.0)).collect();
        let stances = find_stances(&[stair.clone(), raised], 0.9, 1.0 / 60.0);
        let steps: Vec<f64> = stances[0].iter().map(|stance| stance.step).collect();
        assert_eq!(steps.len(), 4);
        for (step, height) in steps.iter().enumerate() {
            assert!((height - 0.2 * step as f64).abs() < 0.02, "{steps:?}");
        }
        let alone = walking(60, 0.0);
        let still = alone.iter().map(|_| Vec3::new(0.2, 0.5, 0.0)).chain([Vec3::zeros(); 30]).collect();
        let mut longer = alone.clone();
        longer.extend([alone[alone.len() - 1]; 30]);
        let stances = find_stances(&[longer, still], 0.9, 1.0 / 60.0);
        assert!(stances[1].iter().all(|stance| stance.frames.start >= alone.len()), "{:?}", stances[1]);
    }

    #[test]
    fn smoothing_keeps_lines_and_takes_off_noise() {
        let line: Vec<Vec3> = (0..40).map(|t| Vec3::new(2.0, 1.0, 0.5) * f64::from(t)).collect();
        for (smooth, exact) in smoothed(&line, 1.5).iter().zip(&line) {
            assert!((smooth - exact).norm() < 1e-9);
        }
        let noise: Vec<Vec3> = (0..40).map(|t| Vec3::x() * if t % 2 == 0 { 1.0 } else { -1.0 }).collect();
        assert!(smoothed(&noise, 1.5)[10..30].iter().all(|place| place.norm() < 0.02));
    }

    #[test]
    fn quantiles_lie_between_values() {
        assert_eq!(quantile(&mut [3.0, 1.0, 2.0, 4.0], 0.5), 2.5);
        assert_eq!(quantile(&mut [5.0], 0.99), 5.0);
        assert_eq!(quantile(&mut [], 0.5), 0.0);
    }
}
