//! Values that leap away for a moment and come back: errors of a capture.

use super::frames::LONGEST_HOLE;
use crate::motion::{Motion, Repair, Tracks};

/// A rotation that changes faster and soon comes back as fast is an error: 90° in 8 ms. No angle is larger than 180°, so that
/// files of few frames a second need a bound of their own: a third of a turn in one frame.
const RADIANS_PER_SECOND: f64 = std::f64::consts::FRAC_PI_2 / 0.008;
const LARGEST_STEP: f64 = 2.0 * std::f64::consts::FRAC_PI_3;
/// The same for a joint that travels, in parts of the size of the hierarchy.
const FARTHEST_STEP: f64 = 0.5;
/// The steps beside a spike are smaller than this part of it. What spins as fast all the time, such as a propeller, is none.
const QUIET: f64 = 0.25;
/// Frames that a spike lasts at most, whatever rate a file claims: time is bounded by them.
const LONGEST: usize = 100;

/// The step from one frame to the next beyond which a rotation may be a spike.
pub(super) fn leap(frame_seconds: f64) -> f64 {
    (RADIANS_PER_SECOND * frame_seconds).min(LARGEST_STEP)
}

/// What leaps away, for a tenth of a second at most, and comes back is replaced by what lies between its neighbours. Rotations
/// are looked at if they leap at all. Returns the frame of the first, and all of them.
pub(super) fn remove(motion: &mut Motion, rotations_leap: bool) -> Option<(usize, Repair)> {
    let longest = ((LONGEST_HOLE / motion.frame_seconds + 1e-6) as usize).clamp(1, LONGEST);
    let far = FARTHEST_STEP * motion.reach();
    let mut spikes = Spikes { longest, frames: motion.frames, count: 0, first: None };
    if far > 0.0 {
        spikes.mend(&mut motion.translations, far, |a, b| (a - b).norm(), |a, b, share| a.lerp(b, share));
    }
    if rotations_leap {
        let leap = leap(motion.frame_seconds);
        spikes.mend(&mut motion.rotations, leap, |a, b| a.angle_to(b), |a, b, share| a.nlerp(b, share));
    }
    let (frame, joint) = spikes.first?;
    let joint = motion.joints[joint].name.clone();
    Some((frame, Repair::Spikes { joint, frame, count: spikes.count }))
}

struct Spikes {
    longest: usize,
    frames: usize,
    count: usize,
    /// Frame and joint.
    first: Option<(usize, usize)>,
}

impl Spikes {
    fn mend<T: Copy>(
        &mut self,
        tracks: &mut Tracks<T>,
        leap: f64,
        distance: impl Fn(&T, &T) -> f64,
        between: impl Fn(&T, &T, f64) -> T,
    ) {
        let width = tracks.joints.len();
        for frame in 1..self.frames {
            for track in 0..width {
                let at = |frame: usize| tracks.values[frame * width + track];
                let step = |to: usize| distance(&at(to - 1), &at(to));
                if step(frame) <= leap {
                    continue;
                }
                let before = at(frame - 1);
                let is_quiet = |to: usize| to == 0 || to == self.frames || step(to) < QUIET * leap;
                let comes_back = |&behind: &usize| {
                    step(behind) > leap && is_quiet(behind + 1) && distance(&before, &at(behind)) < 0.5 * leap
                };
                let behind = frame + 1..self.frames.min(frame + self.longest + 1);
                let Some(end) = behind.into_iter().find(comes_back).filter(|_| is_quiet(frame - 1)) else {
                    continue;
                };
                let after = at(end);
                for spike in frame..end {
                    let share = (spike + 1 - frame) as f64 / (end + 1 - frame) as f64;
                    tracks.values[spike * width + track] = between(&before, &after, share);
                }
                let found = (frame, tracks.joints[track]);
                self.first = Some(self.first.map_or(found, |first| first.min(found)));
                self.count += end - frame;
            }
        }
    }
}
