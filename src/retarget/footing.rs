//! How a motion's feet stand: the height of ankles and toes above the floor they walk on, and how feet are tilted then.
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
pub struct Footing {
    /// Heights of ankle and ball when they stand, in the axes of the figure and the file's unit.
    pub levels: [f64; 2],
    /// From the foot in the reference pose to the foot that stands flat.
    pub tilt: Quat,
}

/// A point slower than this many leg lengths a second rests.
const SLOW: f64 = 0.30;
/// Of the heights of resting points this part is below the level: feet rest on steps, too.
const LOW: f64 = 0.10;
/// Both points this near to their levels, in leg lengths: the foot stands.
const STANDS: f64 = 0.03;
/// A foot that stands more tilted than that, in degrees, stands on its toes: not a property of the rig.
const MOST_TILT: f64 = 30.0;

/// The joints of a foot that touch the ground: ankle and ball, which are one where the foot has one joint only.
pub(super) fn foot_points(figure: &Figure, leg: (Limb, Side)) -> Option<[usize; 2]> {
    let joint = |segment: Segment| figure.limb(leg.0, leg.1, segment);
    let heel = joint(Segment::End).or(joint(Segment::Tip)).or(joint(Segment::Lower))?;
    Some([heel, joint(Segment::Toes).or(joint(Segment::Tip)).unwrap_or(heel)])
}

impl Footing {
    /// As in the reference pose, when nothing else is known.
    pub fn of_reference(source: &Source, leg: (Limb, Side)) -> Option<Footing> {
        let points = foot_points(&source.figure, leg)?;
        let levels = points.map(|joint| source.figure.positions[joint].y);
        Some(Footing { levels, tilt: Quat::identity() })
    }

    /// As the motion shows it.
    pub fn of_motion(motion: &Motion, source: &Source, leg: (Limb, Side)) -> Option<Footing> {
        let reference = Footing::of_reference(source, leg)?;
        let points = foot_points(&source.figure, leg)?;
        let frames = motion.frames;
        if frames == 0 {
            return Some(reference);
        }
        // A foot that never rests stands where the other one of its pair does.
        let other = foot_points(&source.figure, (leg.0, leg.1.other())).unwrap_or(points);
        let mut others = [Vec::with_capacity(frames), Vec::with_capacity(frames)];
        let mut pose = Pose { positions: Vec::new(), rotations: Vec::new() };
        let mut paths = [Vec::with_capacity(frames), Vec::with_capacity(frames)];
        let mut ups = Vec::with_capacity(frames);
        for frame in 0..frames {
            motion.pose_into(frame, &mut pose);
            for point in 0..2 {
                let place = |joint: usize| source.figure_from_file * pose.positions[joint];
                paths[point].push(place(points[point]));
                others[point].push(place(other[point]).y);
            }
            let delta =
                source.figure_from_file * pose.rotations[points[0]] * source.rotations[points[0]].inverse();
            ups.push(delta.inverse() * Vec3::y());
        }
        let leg_length = source.figure.leg_length();
        let rests = |path: &[Vec3]| -> Vec<bool> {
            let window = (0.0125 / motion.frame_seconds).round().max(1.0) as usize;
            (0..frames)
                .map(|frame| {
                    let (from, to) = (frame.saturating_sub(window), (frame + window).min(frames - 1));
                    let way = (path[to] - path[from]).norm();
                    way < SLOW * leg_length * (to - from) as f64 * motion.frame_seconds
                })
                .collect()
        };
        let resting = [rests(&paths[0]), rests(&paths[1])];
        let level = |point: usize| -> f64 {
            let mut heights: Vec<f64> = (0..frames)
                .filter(|&frame| resting[point][frame])
                .map(|frame| paths[point][frame].y)
                .collect();
            if heights.len() <= 5 {
                heights = paths[point].iter().map(|place| place.y).chain(others[point].clone()).collect();
            }
            heights.sort_by(f64::total_cmp);
            heights[(LOW * (heights.len() - 1) as f64) as usize]
        };
        let levels = [level(0), level(1)];
        let stands = |frame: usize| {
            (0..2).all(|point| {
                resting[point][frame] && (paths[point][frame].y - levels[point]).abs() < STANDS * leg_length
            })
        };
        let up: Vec3 = (0..frames).filter(|&frame| stands(frame)).map(|frame| ups[frame]).sum();
        let tilt = Quat::rotation_between(&Vec3::y(), &up)
            .filter(|tilt| tilt.angle() < MOST_TILT.to_radians())
            .unwrap_or_else(Quat::identity);
        Some(Footing { levels, tilt })
    }
}
