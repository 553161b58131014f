//! Contact heights of a motion's feet: how high ankles and balls are while they stand, and how feet are tilted then.
//!
//! Captured floors are neither at zero nor level, and the reference pose stands as somebody drew it. What counts is where the
//! points of a foot are while they rest.

use super::reference::Source;
use crate::math::{Quat, Vec3};
use crate::motion::{Motion, Pose};
use crate::skeleton::Figure;
use crate::skeleton::naming::{Limb, Segment, Side};

/// How a foot of a motion stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactHeights {
    /// Heights of ankle and ball when they stand, in the axes of the figure and the file's unit.
    pub heights: [f64; 2],
    /// From the foot in the reference pose to the foot that stands flat.
    pub tilt: Quat,
}

/// A point slower than this many leg lengths a second rests.
const SLOW: f64 = 0.30;
/// Seconds on each side over which speed is measured.
const WINDOW: f64 = 0.0125;
/// Of the heights of resting points this part is below the contact height: feet rest on steps, too.
const LOW: f64 = 0.10;
/// A point that rests in fewer frames counts as one that never rests.
const LEAST_FRAMES: usize = 6;
/// A foot stands with both points within this many leg lengths of their contact heights.
const STANDS: f64 = 0.03;
/// A foot that stands more tilted than that, in degrees, stands on its toes: not a property of the rig.
const MOST_TILT: f64 = 30.0;

/// The joints of a foot that touch the ground: ankle and ball, which are one where the foot has one joint only.
pub(super) fn foot_points(figure: &Figure, (limb, side): (Limb, Side)) -> Option<[usize; 2]> {
    let [end, toes, tip, lower] = [Segment::End, Segment::Toes, Segment::Tip, Segment::Lower]
        .map(|segment| figure.limb(limb, side, segment));
    let heel = end.or(tip).or(lower)?;
    Some([heel, toes.or(tip).unwrap_or(heel)])
}

impl ContactHeights {
    /// As in the reference pose, when nothing else is known.
    pub fn of_reference(source: &Source, leg: (Limb, Side)) -> Option<ContactHeights> {
        let points = foot_points(&source.figure, leg)?;
        let heights = points.map(|joint| source.figure.positions[joint].y);
        Some(ContactHeights { heights, tilt: Quat::identity() })
    }

    /// As the motion shows them.
    pub fn of_motion(motion: &Motion, source: &Source, leg: (Limb, Side)) -> Option<ContactHeights> {
        if motion.frames == 0 {
            return ContactHeights::of_reference(source, leg);
        }
        let points = foot_points(&source.figure, leg)?;
        // A foot that never rests stands where the other one of its pair does.
        let others = foot_points(&source.figure, (leg.0, leg.1.other())).unwrap_or(points);
        let tracks = FootTracks::of(motion, source, points, others);
        let leg_length = source.figure.leg_length();
        let resting =
            [0, 1].map(|point| resting(&tracks.paths[point], SLOW * leg_length, motion.frame_seconds));
        let heights = [0, 1].map(|point| tracks.contact_height(point, &resting[point]));
        let standing = (0..motion.frames).filter(|&frame| {
            (0..2).all(|point| {
                let above = tracks.paths[point][frame].y - heights[point];
                resting[point][frame] && above.abs() < STANDS * leg_length
            })
        });
        let up: Vec3 = standing.map(|frame| tracks.ups[frame]).sum();
        let tilt = Quat::rotation_between(&Vec3::y(), &up)
            .filter(|tilt| tilt.angle() < MOST_TILT.to_radians())
            .unwrap_or_else(Quat::identity);
        Some(ContactHeights { heights, tilt })
    }
}

/// A foot over time, in the axes of the figure.
#[derive(Default)]
struct FootTracks {
    /// Paths of ankle and ball.
    paths: [Vec<Vec3>; 2],
    /// Heights of ankle and ball of the other foot.
    others: [Vec<f64>; 2],
    /// The vertical, in the axes of the foot as they are in the reference pose.
    ups: Vec<Vec3>,
}

impl FootTracks {
    fn of(motion: &Motion, source: &Source, points: [usize; 2], others: [usize; 2]) -> FootTracks {
        let mut tracks = FootTracks::default();
        let mut pose = Pose::default();
        let [ankle, _] = points;
        for frame in 0..motion.frames {
            motion.pose_into(frame, &mut pose);
            for point in 0..2 {
                tracks.paths[point].push(source.figure_from_file * pose.positions[points[point]]);
                tracks.others[point].push((source.figure_from_file * pose.positions[others[point]]).y);
            }
            let delta = source.figure_from_file * pose.rotations[ankle] * source.rotations[ankle].inverse();
            tracks.ups.push(delta.inverse() * Vec3::y());
        }
        tracks
    }

    fn contact_height(&self, point: usize, resting: &[bool]) -> f64 {
        let path = &self.paths[point];
        let all = path.iter().map(|position| position.y);
        let mut heights: Vec<f64> =
            all.clone().zip(resting).filter(|(_, rests)| **rests).map(|(height, _)| height).collect();
        if heights.len() < LEAST_FRAMES {
            heights = all.chain(self.others[point].iter().copied()).collect();
        }
        heights.sort_by(f64::total_cmp);
        heights[(LOW * (heights.len() - 1) as f64) as usize]
    }
}

/// For each frame whether a point is slower than `speed`, in units a second.
fn resting(path: &[Vec3], speed: f64, frame_seconds: f64) -> Vec<bool> {
    let window = (WINDOW / frame_seconds).round().max(1.0) as usize;
    (0..path.len())
        .map(|frame| {
            let (from, to) = (frame.saturating_sub(window), (frame + window).min(path.len() - 1));
            (path[to] - path[from]).norm() < speed * (to - from) as f64 * frame_seconds
        })
        .collect()
}
