//! When the points of a motion's feet rest on the ground, with the whole motion known.
//!
//! The retargeter decides online; how well it did is measured against this, which looks both ways, delays nothing and
//! shares no code with it.

use crate::math::{Vec3, gaussian_smoothed};
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
/// A point that is slow in fewer frames has its contact height from all of them.
const LEAST_FRAMES: usize = 6;
/// Frames of the narrowest Gaussian that changes anything.
const LEAST_WIDTH: f64 = 0.3;

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
    let points: Vec<Point> = paths.iter().map(|path| Point::of(path, leg_length, frame_seconds)).collect();
    let frames = paths.first().map_or(0, Vec::len);
    let lowest: Vec<f64> = (0..frames)
        .map(|frame| points.iter().map(|point| point.heights[frame]).fold(f64::INFINITY, f64::min))
        .collect();
    points.iter().map(|point| point.stances(&lowest)).collect()
}

/// A point of a foot over time.
struct Point<'a> {
    path: &'a [Vec3],
    leg_length: f64,
    frame_seconds: f64,
    /// Without noise, in leg lengths a second.
    speeds: Vec<f64>,
    /// Contact height, in the unit of the path.
    level: f64,
    /// Above that, without noise and in leg lengths.
    heights: Vec<f64>,
}

impl<'a> Point<'a> {
    fn of(path: &'a [Vec3], leg_length: f64, frame_seconds: f64) -> Point<'a> {
        let smooth = smoothed(path, SMOOTHING / frame_seconds);
        let speeds = speeds(&smooth, leg_length * frame_seconds);
        let level = level(&smooth, &speeds);
        let heights = smooth.iter().map(|position| (position.y - level) / leg_length).collect();
        Point { path, leg_length, frame_seconds, speeds, level, heights }
    }

    /// Its stances, by the height of the lowest point of all in each frame.
    fn stances(&self, lowest: &[f64]) -> Vec<Stance> {
        let frames = self.path.len();
        let mut rests = vec![false; frames];
        for rest in runs(frames, |frame| self.speeds[frame] < FAST) {
            if rest.clone().any(|frame| self.speeds[frame] < SLOW) {
                let is_on_step = self.is_on_step(&rest, lowest);
                for frame in rest {
                    rests[frame] = is_on_step || self.heights[frame] < NEAR;
                }
            }
        }
        for gap in runs(frames, |frame| !rests[frame]) {
            let is_inside = gap.start > 0 && gap.end < frames;
            if is_inside && self.seconds(&gap) < GAP {
                rests[gap].fill(true);
            }
        }
        let stances = runs(frames, |frame| rests[frame]).into_iter();
        stances.filter(|frames| self.seconds(frames) >= SHORTEST).map(|frames| self.stance(frames)).collect()
    }

    fn seconds(&self, frames: &Range<usize>) -> f64 {
        frames.len() as f64 * self.frame_seconds
    }

    fn is_on_step(&self, rest: &Range<usize>, lowest: &[f64]) -> bool {
        rest.clone().all(|frame| self.heights[frame] >= NEAR)
            && self.seconds(rest) >= STEP_SECONDS
            && self.is_level(rest)
            && self.carries(rest, lowest)
    }

    /// Whether a resting point stays at one height while it is slow.
    fn is_level(&self, rest: &Range<usize>) -> bool {
        let slow = rest.clone().filter(|&frame| self.speeds[frame] < SLOW).map(|frame| self.heights[frame]);
        let (low, high) =
            slow.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)));
        high - low < NEAR
    }

    /// Whether a resting point is about the lowest one of the body for long enough.
    fn carries(&self, rest: &Range<usize>, lowest: &[f64]) -> bool {
        let low = rest.clone().filter(|&frame| self.heights[frame] - lowest[frame] < LOWEST).count();
        low as f64 > LOWEST_SHARE * rest.len() as f64
    }

    fn stance(&self, frames: Range<usize>) -> Stance {
        let mut above: Vec<f64> =
            self.path[frames.clone()].iter().map(|position| position.y - self.level).collect();
        let step = quantile(&mut above, 0.5);
        let step = if step > NEAR * self.leg_length { step } else { 0.0 };
        let mut stance = Stance { frames, step, drift: 0.0 };
        stance.drift = drift(&self.path[stance.core(self.frame_seconds)]) / self.leg_length;
        stance
    }
}

/// The farthest that positions are from their middle, along the ground.
pub(super) fn drift(positions: &[Vec3]) -> f64 {
    let middle = positions.iter().sum::<Vec3>() / positions.len().max(1) as f64;
    positions.iter().map(|position| (position - middle).xz().norm()).fold(0.0, f64::max)
}

/// Where a point is when it stands on the floor.
fn level(path: &[Vec3], speeds: &[f64]) -> f64 {
    let mut slow: Vec<f64> =
        path.iter().zip(speeds).filter(|(_, speed)| **speed < SLOW).map(|(position, _)| position.y).collect();
    if slow.len() < LEAST_FRAMES {
        slow = path.iter().map(|position| position.y).collect();
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

/// A path without its fastest changes: a Gaussian of a width in frames.
fn smoothed(path: &[Vec3], width: f64) -> Vec<Vec3> {
    if width < LEAST_WIDTH || path.len() < 3 {
        return path.to_vec();
    }
    gaussian_smoothed(path, width, ((3.0 * width).ceil() as usize).min(path.len() - 1))
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
    fn quantiles_lie_between_values() {
        assert_eq!(quantile(&mut [3.0, 1.0, 2.0, 4.0], 0.5), 2.5);
        assert_eq!(quantile(&mut [5.0], 0.99), 5.0);
        assert_eq!(quantile(&mut [], 0.5), 0.0);
    }
}
