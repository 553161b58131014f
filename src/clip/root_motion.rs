//! The path over the floor, as a track of its own.
//!
//! Engines move a character by its root. The path is that of the hips, on the floor and averaged over the cycle of the steps,
//! so that what sways with them, as hips turn with each leg, stays with the hips, and a capsule on the root does not shake.

use super::bake::{TRAVELS, rest_offset};
use super::short_path::short_path;
use crate::math::{Quat, Vec3, atan2, exp, square};
use crate::motion::Pose;
use crate::rig::Rig;
use nalgebra::{Isometry3, Vector2};
use std::collections::VecDeque;
use std::f64::consts::{LN_2, PI, TAU};
use std::ops::{Add, Mul};

/// Which joint carries the path over the floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RootMotion {
    /// The root stands still and the hips travel.
    #[default]
    Keep,
    /// The root carries the path and the heading, the hips the rest.
    Extract,
    /// As `Extract`, without the track of the root: the character treads on the spot.
    InPlace,
}

/// How a clip is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Playback {
    /// From its first to its last frame.
    Once,
    /// The last frame is the first one again, somewhere else perhaps.
    Loop,
}

/// What is faster than this stays with the hips; walking around a corner is slower and goes to the root. In hertz.
const CUTOFF: f64 = 1.0;

/// The path of a character over the floor: for each frame from its position at rest to its position then.
#[derive(Debug, Clone, PartialEq)]
pub struct RootPath(pub Vec<Isometry3<f64>>);

impl RootPath {
    /// The path of joint `hips` in `poses`, smoothed without delay: over a cycle of the steps, or as a parabola if they are too few
    /// to repeat themselves.
    pub fn of(rig: &Rig, hips: usize, frame_seconds: f64, poses: &[Pose], playback: Playback) -> RootPath {
        let yaws = headings(rig, hips, poses);
        let feet = feet(rig, hips, poses, &yaws);
        let cycle = step_cycle(&feet, frame_seconds, playback);
        let places = poses.iter().zip(&yaws);
        let places: Vec<Place> =
            places.map(|(pose, &yaw)| Place { yaw, at: pose.positions[hips].xz() }).collect();
        let rest = rig.joints[hips].rest.translation.vector;
        let seconds = poses.len() as f64 * frame_seconds;
        let is_few_steps = playback == Playback::Once && cycle.is_none() && seconds <= CYCLES[1];
        let smooth = (is_few_steps && deviations(&feet).is_some()).then(|| short_path(&places, rest.y));
        let smooth = smooth.flatten().unwrap_or_else(|| {
            let kernel = Kernel::of(LN_2.sqrt() / (TAU * CUTOFF) / frame_seconds, cycle.unwrap_or(0));
            let period = match playback {
                Playback::Loop => Some(poses.len() - 1),
                Playback::Once => cycle,
            };
            averaged(&places, &kernel, period.filter(|&frames| frames > 0))
        });
        // The root stands under the hips as it does at rest; the hips turn about it with the path, not with every step.
        let under = Vec3::new(rest.x, 0.0, rest.z);
        let path = smooth.iter().map(|place| {
            let turn = rotation(place.yaw);
            Isometry3::from_parts((level(place.at) - turn * under).into(), turn)
        });
        RootPath(path.collect())
    }

    /// Metres a second along the path.
    pub fn speed(&self, frame_seconds: f64) -> f64 {
        let steps = self.0.windows(2);
        let length: f64 =
            steps.map(|pair| (pair[1].translation.vector - pair[0].translation.vector).norm()).sum();
        length / (self.0.len().saturating_sub(1) as f64 * frame_seconds).max(frame_seconds)
    }

    /// Gives the path to the root: the poses stay where they are, and the root comes along.
    pub fn extract(&self, rig: &Rig, hips: usize, poses: &mut [Pose]) {
        // What does not go with the hips comes along with the root.
        let goes = goes_with_hips(rig, hips, poses);
        let joints = (0..rig.joints.len()).filter(|&joint| !goes[joint]).collect::<Vec<_>>();
        for (pose, step) in poses.iter_mut().zip(&self.0) {
            carry(pose, &joints, step);
        }
    }

    /// Removes the path: the poses come back to where they stand at rest.
    pub fn remove(&self, rig: &Rig, hips: usize, poses: &mut [Pose]) {
        // What does not go with the hips stands still already.
        let goes = goes_with_hips(rig, hips, poses);
        let joints: Vec<usize> = (0..rig.joints.len()).filter(|&joint| goes[joint]).collect();
        for (pose, step) in poses.iter_mut().zip(&self.0) {
            carry(pose, &joints, &step.inverse());
        }
    }
}

/// For each joint whether it goes where the hips go: it hangs on them, or beside them and travels, as feet that are bones of
/// their own do.
fn goes_with_hips(rig: &Rig, hips: usize, poses: &[Pose]) -> Vec<bool> {
    let size = (1..rig.joints.len()).map(|joint| rest_offset(rig, joint).norm()).fold(0.0, f64::max);
    let mut goes = vec![false; rig.joints.len()];
    for joint in 0..rig.joints.len() {
        let above = rig.joints[joint].parent;
        let travels = || {
            let rest = rest_offset(rig, joint);
            poses.iter().any(|pose| (pose.offset(joint, above) - rest).norm() > TRAVELS * size)
        };
        goes[joint] = joint == hips
            || above.is_some_and(|above| goes[above] || (!rig.joints.is_below(hips, joint) && travels()));
    }
    goes
}

/// Moves some joints of a pose.
fn carry(pose: &mut Pose, joints: &[usize], step: &Isometry3<f64>) {
    for &joint in joints {
        pose.positions[joint] = (step * nalgebra::Point3::from(pose.positions[joint])).coords;
        pose.rotations[joint] = step.rotation * pose.rotations[joint];
    }
}

/// The turn of the hips about the vertical in each frame; whole turns are kept.
fn headings(rig: &Rig, hips: usize, poses: &[Pose]) -> Vec<f64> {
    let rest = rig.joints[hips].rest.rotation;
    let mut yaw = 0.0;
    let turns = poses.iter().map(|pose| {
        let from_rest = pose.rotations[hips] * rest.inverse();
        let twist = 2.0 * atan2(from_rest.j, from_rest.w);
        yaw += (twist - yaw + PI).rem_euclid(TAU) - PI;
        yaw
    });
    turns.collect()
}

/// Where the hips are over the floor, and where they face.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub yaw: f64,
    pub at: Vector2<f64>,
}

impl Place {
    /// The place that follows this one as `to` follows `from`.
    fn continued(&self, from: &Place, to: &Place) -> Place {
        let turn = to.yaw - from.yaw;
        let way = rotation(turn) * level(self.at - from.at);
        Place { yaw: self.yaw + turn, at: to.at + way.xz() }
    }
}

fn level(at: Vector2<f64>) -> Vec3 {
    Vec3::new(at.x, 0.0, at.y)
}

/// The places with `radius` more at both ends: as the motion goes on if it repeats itself after `period` frames, else
/// point-symmetrically, so that the ends stay where they are.
fn extended(places: &[Place], radius: usize, period: Option<usize>) -> Vec<Place> {
    let last = places.len() - 1;
    let mut all = VecDeque::from(places.to_vec());
    for step in 1..=radius {
        let (before, after) = match period {
            Some(period) => {
                let end = all.len() - 1;
                (
                    all[period - 1].continued(&places[period], &places[0]),
                    all[end + 1 - period].continued(&places[last - period], &places[last]),
                )
            }
            None => {
                let [near, far] = [step.min(last), last - step.min(last)].map(|frame| places[frame]);
                (mirrored(&near, &places[0]), mirrored(&far, &places[last]))
            }
        };
        all.push_front(before);
        all.push_back(after);
    }
    all.into()
}

/// The averages of places that repeat themselves after `period` frames, if they do.
fn averaged(places: &[Place], kernel: &Kernel, period: Option<usize>) -> Vec<Place> {
    let places = extended(places, kernel.radius(), period);
    let yaws = kernel.apply(&places.iter().map(|place| place.yaw).collect::<Vec<_>>());
    let at = kernel.apply(&places.iter().map(|place| place.at).collect::<Vec<_>>());
    yaws.into_iter().zip(at).map(|(yaw, at)| Place { yaw, at }).collect()
}

/// The place on the other side of `center`.
fn mirrored(place: &Place, center: &Place) -> Place {
    Place { yaw: 2.0 * center.yaw - place.yaw, at: center.at * 2.0 - place.at }
}

/// Weights of a moving average, from the middle outwards.
struct Kernel(Vec<f64>);

impl Kernel {
    /// A Gaussian, whose deviation is in frames, over the mean of `cycle` frames: of what repeats itself so nothing is left.
    fn of(deviation: f64, cycle: usize) -> Kernel {
        let tail = (4.0 * deviation).ceil() as i64;
        let half = 0.5 * cycle.max(1) as f64;
        let box_radius = half.ceil() as i64;
        let in_box = |step: i64| (half + 0.5 - (step as f64).abs()).clamp(0.0, 1.0);
        let weight = |at: i64| -> f64 {
            let steps = (-box_radius..=box_radius).filter(|step| (at - step).abs() <= tail);
            steps.map(|step| in_box(step) * exp(-0.5 * square((at - step) as f64 / deviation))).sum()
        };
        let weights: Vec<f64> = (0..=box_radius + tail).map(weight).collect();
        let total = weights[0] + 2.0 * weights[1..].iter().sum::<f64>();
        Kernel(weights.into_iter().map(|weight| weight / total).collect())
    }

    fn radius(&self) -> usize {
        self.0.len() - 1
    }

    /// The averages of values, of which there are `radius` more at both ends.
    fn apply<T: Copy + Add<Output = T> + Mul<f64, Output = T>>(&self, values: &[T]) -> Vec<T> {
        let radius = self.radius();
        let average = |middle: usize| {
            (1..=radius).fold(values[middle] * self.0[0], |sum, step| {
                sum + (values[middle - step] + values[middle + step]) * self.0[step]
            })
        };
        (radius..values.len() - radius).map(average).collect()
    }
}

/// Seconds of a step cycle, left foot to left foot: a mouse and an elephant are in between.
const CYCLES: [f64; 2] = [0.25, 2.5];
/// Feet that move by less than this part of their distance from the hips, as a deviation, make no steps.
const STEPS: f64 = 0.05;
/// Correlation of the feet with themselves a cycle later; half-way there it is below the second number. At 0.9 tired walks
/// are no walks; at 0.5 dances are.
const REPEATED: f64 = 0.7;
const OPPOSED: f64 = 0.3;
/// The gap between the ends of a single cycle, in parts of what the feet move: a frame of a run at 30 frames a second is 0.3.
const CLOSED: f64 = 0.35;
/// The longest cycle that is looked for, in parts of a motion, because some of it must be left to compare. At 2/3 one and a half
/// cycles of a run are none; at 0.9 whatever ends as it began is one.
const LONGEST_LAG: f64 = 0.75;
/// Frames that are compared, evenly spread over a motion: lags are as fine as its frames all the same.
const COMPARED: usize = 1000;

/// The feet in each frame, or all joints if none is known to be one, seen from the hips.
fn feet(rig: &Rig, hips: usize, poses: &[Pose], yaws: &[f64]) -> Vec<Vec<Vec3>> {
    let joints: Vec<usize> = match rig.soles.is_empty() {
        true => rig.joints.subtree(hips).collect(),
        false => rig.soles.iter().map(|sole| sole.foot).collect(),
    };
    let frames = poses.iter().zip(yaws).map(|(pose, &yaw)| {
        let back = rotation(-yaw);
        joints.iter().map(|&joint| back * (pose.positions[joint] - pose.positions[hips])).collect()
    });
    frames.collect()
}

/// After how many frames the feet do the same again.
fn step_cycle(feet: &[Vec<Vec3>], frame_seconds: f64, playback: Playback) -> Option<usize> {
    let count = match playback {
        Playback::Loop => feet.len() - 1,
        Playback::Once => feet.len(),
    };
    let feet = deviations(&feet[..count])?;
    let in_frames = CYCLES.map(|seconds| (seconds / frame_seconds).round() as usize);
    let most = match playback {
        Playback::Loop => count,
        Playback::Once => (LONGEST_LAG * count as f64) as usize,
    };
    let correlations: Vec<f64> =
        (0..=in_frames[1].min(most) + 1).map(|lag| correlation(&feet, lag, playback)).collect();
    let opposed = correlations.iter().position(|&value| value < OPPOSED)?;
    let lags = in_frames[0].max(opposed).max(1)..correlations.len().saturating_sub(1);
    let repeated = lags.into_iter().find(|&lag| {
        let [before, here, after] = [lag - 1, lag, lag + 1].map(|lag| correlations[lag]);
        here >= REPEATED && here >= before && here >= after
    });
    repeated.or_else(|| {
        // A single cycle ends as it began, although nothing of it repeats itself.
        let last = count - 1;
        ((in_frames[0]..=in_frames[1]).contains(&last) && is_closed(&feet)).then_some(last)
    })
}

/// Whether the feet are in the last frame where they were in the first, or nearly so if that comes next.
fn is_closed(feet: &[Vec<Vec3>]) -> bool {
    let (Some(first), Some(last)) = (feet.first(), feet.last()) else { return false };
    let gap: f64 = first.iter().zip(last).map(|(a, b)| (a - b).norm_squared()).sum();
    let moved = feet.iter().flatten().map(Vec3::norm_squared).sum::<f64>() / feet.len() as f64;
    gap < square(CLOSED) * moved
}

/// What the feet differ by from their mean; `None` if they stand.
fn deviations(frames: &[Vec<Vec3>]) -> Option<Vec<Vec<Vec3>>> {
    let first = frames.first()?;
    let count = frames.len() as f64;
    let means: Vec<Vec3> =
        (0..first.len()).map(|foot| frames.iter().map(|feet| feet[foot]).sum::<Vec3>() / count).collect();
    let deviations: Vec<Vec<Vec3>> =
        frames.iter().map(|feet| feet.iter().zip(&means).map(|(foot, mean)| foot - mean).collect()).collect();
    let moved: f64 = deviations.iter().flatten().map(Vec3::norm_squared).sum::<f64>() / count;
    let distance: f64 = means.iter().map(Vec3::norm_squared).sum();
    (moved > square(STEPS) * distance).then_some(deviations)
}

/// How alike the feet are to themselves `lag` frames later, from -1 to 1.
fn correlation(feet: &[Vec<Vec3>], lag: usize, playback: Playback) -> f64 {
    let count = feet.len();
    let compared = match playback {
        Playback::Loop => count,
        Playback::Once => count.saturating_sub(lag),
    };
    let (mut product, mut squares) = (0.0, [0.0; 2]);
    for frame in (0..compared).step_by(compared.div_ceil(COMPARED).max(1)) {
        for (now, later) in feet[frame].iter().zip(&feet[(frame + lag) % count]) {
            product += now.dot(later);
            squares[0] += now.norm_squared();
            squares[1] += later.norm_squared();
        }
    }
    product / (squares[0] * squares[1]).sqrt().max(f64::MIN_POSITIVE)
}

fn rotation(yaw: f64) -> Quat {
    Quat::from_axis_angle(&Vec3::y_axis(), yaw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::RigJoint;

    fn rig() -> Rig {
        let hips =
            Isometry3::from_parts(Vec3::new(0.0, 1.0, 0.1).into(), Quat::from_euler_angles(0.1, 0.0, 0.0));
        let joint = |name: &str, parent, rest| RigJoint { name: name.into(), parent, rest };
        Rig::of_joints(
            vec![joint("Root", None, Isometry3::identity()), joint("Hips", Some(0), hips)],
            Vec::new(),
        )
    }

    /// Walks a circle of radius 2 in 8 seconds, swaying twice a second.
    fn circle(rig: &Rig) -> Vec<Pose> {
        (0..480)
            .map(|frame| {
                let time = f64::from(frame) / 60.0;
                let yaw = TAU * time / 8.0;
                let sway = 0.05 * (2.0 * TAU * time).sin();
                let turn = rotation(yaw);
                let path = Isometry3::from_parts((turn * (Vec3::x() * -2.0) + Vec3::x() * 2.0).into(), turn);
                let hips = path * rig.joints[1].rest;
                Pose {
                    positions: vec![Vec3::zeros(), hips.translation.vector + turn * Vec3::x() * sway],
                    rotations: vec![Quat::identity(), hips.rotation],
                }
            })
            .collect()
    }

    #[test]
    fn the_root_takes_the_way_and_the_hips_keep_the_sway() {
        let rig = rig();
        let mut poses = circle(&rig);
        let before = poses.clone();
        let path = RootPath::of(&rig, 1, 1.0 / 60.0, &poses, Playback::Once);
        path.extract(&rig, 1, &mut poses);
        for (frame, (pose, old)) in poses.iter().zip(&before).enumerate().skip(60).take(360) {
            assert_eq!((pose.positions[1], pose.rotations[1]), (old.positions[1], old.rotations[1]));
            let yaw = TAU * frame as f64 / 480.0;
            assert!(pose.rotations[0].angle_to(&rotation(yaw)) < 0.01, "{frame}");
            // On the circle, whose radius smoothing makes smaller by less than a hundredth.
            let from_center = pose.positions[0] - Vec3::x() * 2.0;
            assert!((from_center.norm() - 2.0).abs() < 0.03, "{frame}: {from_center}");
            assert_eq!(pose.positions[0].y, 0.0);
        }
        // Half of a circle's length a second, over 8 seconds.
        assert!((path.speed(1.0 / 60.0) - PI / 2.0).abs() < 0.05);
    }

    #[test]
    fn a_single_cycle_is_known_by_its_ends() {
        let feet = |frames: usize| -> Vec<Vec<Vec3>> {
            let swing = |frame: usize, shift: f64| {
                Vec3::new(0.0, -0.9, 0.3 * (TAU * frame as f64 / 42.0 + shift).sin())
            };
            (0..frames).map(|frame| vec![swing(frame, 0.0), swing(frame, PI)]).collect()
        };
        for (frames, cycle) in [(43, Some(42)), (42, Some(41)), (30, None), (127, Some(42))] {
            assert_eq!(step_cycle(&feet(frames), 1.0 / 60.0, Playback::Once), cycle, "{frames}");
        }
        assert_eq!(step_cycle(&feet(43), 1.0 / 60.0, Playback::Loop), Some(42));
        let standing = vec![vec![Vec3::new(0.1, -0.9, 0.0); 2]; 200];
        assert_eq!(step_cycle(&standing, 1.0 / 60.0, Playback::Once), None);
    }

    #[test]
    fn on_the_spot_the_hips_stay_above_the_root() {
        let rig = rig();
        let mut poses = circle(&rig);
        RootPath::of(&rig, 1, 1.0 / 60.0, &poses, Playback::Once).remove(&rig, 1, &mut poses);
        for pose in &poses {
            assert!((pose.positions[1] - rig.joints[1].rest.translation.vector).norm() < 0.1);
            assert!(pose.rotations[1].angle_to(&rig.joints[1].rest.rotation) < 0.1);
            assert_eq!(pose.positions[0], Vec3::zeros());
        }
    }
}
