//! Feet of a motion that rest in the air: too high above the other feet to stand beside them, and lower than any step.

use super::contact_height::{ContactHeights, foot_points};
use super::contacts::{HOVERS, LOWEST_STEP};
use super::reference::Source;
use crate::math::Vec3;
use crate::motion::{Motion, Pose};

/// A point slower than this many leg lengths a second rests: the limit of contacts.
const SLOW: f64 = 0.30;
/// Seconds on each side over which speed is measured.
const WINDOW: f64 = 0.025;
/// Seconds that a foot rests in the air before one sees that it stands on nothing. Feet that land or leave pass in a tenth of one.
const HELD: f64 = 0.25;

/// When feet rest in the air.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FeetInAir {
    /// The first frame of the time in which a foot is highest, from 0.
    pub frame: usize,
    /// How many frames there are in which a foot does.
    pub count: usize,
    /// The highest above the lowest foot, in leg lengths.
    pub height: f64,
}

impl FeetInAir {
    /// Of a motion; `None` if every foot that rests is beside the others, on a step or plainly held up.
    pub fn of(motion: &Motion, source: &Source) -> Option<FeetInAir> {
        let feet = Foot::all(motion, source);
        let least = (HELD / motion.frame_seconds).ceil().max(1.0) as usize;
        let mut is_any = vec![false; motion.frames];
        let mut highest: Option<(f64, usize)> = None;
        for foot in &feet {
            let rests = |foot: &Foot, frame: usize| foot.rests(frame, motion.frame_seconds);
            let above = |frame: usize| {
                let standing = feet.iter().filter(|other| rests(other, frame));
                foot.height(frame) - standing.map(|other| other.height(frame)).fold(f64::INFINITY, f64::min)
            };
            let hovers = |frame: usize| rests(foot, frame) && (HOVERS..LOWEST_STEP).contains(&above(frame));
            let mut start = 0;
            while start < motion.frames {
                let end = (start..motion.frames).find(|&frame| !hovers(frame)).unwrap_or(motion.frames);
                if end - start >= least {
                    is_any[start..end].fill(true);
                    let height = (start..end).map(above).fold(0.0, f64::max);
                    if highest.is_none_or(|(most, _)| height > most) {
                        highest = Some((height, start));
                    }
                }
                start = end + 1;
            }
        }
        let count = is_any.into_iter().filter(|is_in_air| *is_in_air).count();
        highest.map(|(height, frame)| FeetInAir { frame, count, height })
    }
}

/// The paths of ankle and ball of a foot, in leg lengths above where they stand.
struct Foot([Vec<Vec3>; 2]);

impl Foot {
    /// The feet that have two points: one that has one rolls over its ball, which nobody sees.
    fn all(motion: &Motion, source: &Source) -> Vec<Foot> {
        let figure = &source.figure;
        let leg_length = figure.leg_length();
        let known = figure.legs().into_iter().filter_map(|leg| {
            let points = foot_points(figure, leg).filter(|[heel, ball]| heel != ball)?;
            Some((points, ContactHeights::of_motion(motion, source, leg)?.heights))
        });
        let known: Vec<([usize; 2], [f64; 2])> = known.collect();
        if known.is_empty() || !(leg_length > 0.0) {
            return Vec::new();
        }
        let mut feet: Vec<Foot> = known.iter().map(|_| Foot([Vec::new(), Vec::new()])).collect();
        let mut pose = Pose::default();
        for frame in 0..motion.frames {
            motion.pose_into(frame, &mut pose);
            for (foot, (points, heights)) in feet.iter_mut().zip(&known) {
                for ((path, &joint), height) in foot.0.iter_mut().zip(points).zip(heights) {
                    let position = source.figure_from_file * pose.positions[joint];
                    path.push((position - Vec3::y() * *height) / leg_length);
                }
            }
        }
        feet
    }

    /// Of its lower point.
    fn height(&self, frame: usize) -> f64 {
        self.0[0][frame].y.min(self.0[1][frame].y)
    }

    fn rests(&self, frame: usize, frame_seconds: f64) -> bool {
        let window = (WINDOW / frame_seconds).round().max(1.0) as usize;
        let (from, to) = (frame.saturating_sub(window), (frame + window).min(self.0[0].len() - 1));
        let limit = SLOW * (to - from) as f64 * frame_seconds;
        self.0.iter().all(|path| (path[to] - path[from]).norm() < limit)
    }
}
