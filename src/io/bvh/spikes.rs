//! Spikes: values that leap away for a few frames and return, which are errors of the capture.

use super::frames::LONGEST_HOLE;
use crate::math::{Quat, Vec3};
use crate::motion::{Motion, Tracks};
use crate::warning::Repair;

/// A rotation that changes faster than 90° in 8 ms, and soon returns as fast, is an error. No angle is larger than 180°, so that
/// files with few frames a second need another bound: 120° in one frame.
const RADIANS_PER_SECOND: f64 = std::f64::consts::FRAC_PI_2 / 0.008;
const LARGEST_STEP: f64 = 2.0 * std::f64::consts::FRAC_PI_3;
/// The same for positions, as a share of the size of the hierarchy.
const FARTHEST_STEP: f64 = 0.5;
/// The steps beside a spike are smaller than this share of the bound. What spins as fast all the time, a propeller, is no spike.
const QUIET: f64 = 0.25;
/// Behind a spike a value differs from that before it by less than this share of the bound.
const RETURN: f64 = 0.5;
/// Of a number of frames that should be whole.
const ROUNDING: f64 = 1e-6;
/// Frames that a spike lasts at most, whatever rate a file claims: time is bounded by them.
const LONGEST: usize = 100;

/// The step from one frame to the next beyond which a rotation may be a spike.
pub(super) fn leap(frame_seconds: f64) -> f64 {
    (RADIANS_PER_SECOND * frame_seconds).min(LARGEST_STEP)
}

/// Replaces spikes of at most a tenth of a second by interpolated values.
pub(super) struct Spikes {
    longest: usize,
    frames: usize,
    count: usize,
    /// Frame and joint.
    first: Option<(usize, usize)>,
}

impl Spikes {
    pub fn new(motion: &Motion) -> Spikes {
        let longest = ((LONGEST_HOLE / motion.frame_seconds + ROUNDING) as usize).clamp(1, LONGEST);
        Spikes { longest, frames: motion.frames, count: 0, first: None }
    }

    pub fn remove_translations(&mut self, motion: &mut Motion) {
        let far = FARTHEST_STEP * motion.reach();
        if far > 0.0 {
            let distance = |a: &Vec3, b: &Vec3| (a - b).norm();
            self.mend(&mut motion.translations, far, distance, |a, b, share| a.lerp(b, share));
        }
    }

    pub fn remove_rotations(&mut self, motion: &mut Motion) {
        let leap = leap(motion.frame_seconds);
        self.mend(&mut motion.rotations, leap, Quat::angle_to, |a, b, share| a.nlerp(b, share));
    }

    /// The frame of the first spike, and what was done about all.
    pub fn repair(self, motion: &Motion) -> Option<(usize, Repair)> {
        let (frame, joint) = self.first?;
        let joint = motion.joints[joint].name.clone();
        Some((frame, Repair::Spikes { joint, frame, count: self.count }))
    }

    fn mend<T: Copy>(
        &mut self,
        tracks: &mut Tracks<T>,
        leap: f64,
        distance: impl Fn(&T, &T) -> f64,
        between: impl Fn(&T, &T, f64) -> T,
    ) {
        let width = tracks.joints.len();
        for frame in 1..self.frames {
            for index in 0..width {
                let track = TrackView { tracks, index, distance: &distance };
                if track.step(frame) <= leap {
                    continue;
                }
                let Some(end) = track.end_of_spike(frame, leap, self) else { continue };
                let (before, after) = (track.at(frame - 1), track.at(end));
                for spike in frame..end {
                    let share = (spike + 1 - frame) as f64 / (end + 1 - frame) as f64;
                    tracks.values[spike * width + index] = between(&before, &after, share);
                }
                let found = (frame, tracks.joints[index]);
                self.first = Some(self.first.map_or(found, |first| first.min(found)));
                self.count += end - frame;
            }
        }
    }
}

/// The values of one joint.
struct TrackView<'t, T, D> {
    tracks: &'t Tracks<T>,
    index: usize,
    distance: &'t D,
}

impl<T: Copy, D: Fn(&T, &T) -> f64> TrackView<'_, T, D> {
    fn at(&self, frame: usize) -> T {
        self.tracks.values[frame * self.tracks.joints.len() + self.index]
    }

    /// The change from the frame before.
    fn step(&self, frame: usize) -> f64 {
        (self.distance)(&self.at(frame - 1), &self.at(frame))
    }

    /// The frame in which the value returns after a leap into `frame`, if the steps before and behind are small.
    fn end_of_spike(&self, frame: usize, leap: f64, spikes: &Spikes) -> Option<usize> {
        let before = self.at(frame - 1);
        let mut behind = frame + 1..spikes.frames.min(frame + spikes.longest + 1);
        let end = behind.find(|&end| {
            self.step(end) > leap
                && self.is_quiet(end + 1, leap, spikes.frames)
                && (self.distance)(&before, &self.at(end)) < RETURN * leap
        });
        end.filter(|_| self.is_quiet(frame - 1, leap, spikes.frames))
    }

    fn is_quiet(&self, frame: usize, leap: f64, frames: usize) -> bool {
        frame == 0 || frame == frames || self.step(frame) < QUIET * leap
    }
}
