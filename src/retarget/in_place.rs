//! In-place detection: the figure stays and the ground goes by, as on a treadmill.
//!
//! Games and stock libraries keep their walks in place. No foot is ever still in them, but all feet that carry go back at
//! one velocity, that of the ground. It is the velocity that most of the low points of the feet share: those of feet
//! that swing differ from each other, and those of feet that stand are zero where the motion is not in place.

use super::contacts::feet;
use super::reference::Source;
use crate::math::Vec3;
use crate::motion::Motion;
use crate::skeleton::naming::Role;
use nalgebra::Vector2;

/// A point is low where it is at most so much above the lowest tenth of its path, in leg lengths.
const LOW: f64 = 0.05;
/// And where it neither rises nor falls faster, in leg lengths a second.
const LEVEL: f64 = 1.0;
/// Velocities are one if they differ by at most this part, or by this many leg lengths a second. The pelvis of a walker
/// is faster and slower by a sixth within a step, and where it is pinned the ground is in its stead.
const SAME_PART: f64 = 0.2;
const SAME: f64 = 0.25;
/// Slower than this, in leg lengths a second, ground stands: feet of captures that stand show up to 0.15.
const STANDS: f64 = 0.4;
/// The part of the low points that must share the velocity. Those of walks are 0.6 to 1, of a captured run 0.4, because feet
/// that swing are low too; a fox that an artist let run has 0.37, and no velocity makes its feet stand.
const SHARED: f64 = 0.4;
/// Parts of the distance at which velocities are one, from which on their mean is taken, in turn.
const NARROWING: [f64; 5] = [1.0, 1.0, 0.5, 0.25, 0.25];
/// The pelvis stays if it goes slower than this part of the ground.
const STAYS: f64 = 0.25;
/// Samples that are compared with each other.
const MOST_SAMPLES: usize = 1000;
/// Fewer frames show no gait.
const LEAST_FRAMES: usize = 4;

/// The velocity at which the figure of a motion in place would travel over ground that stands, in the axes and the unit of
/// the file and in a second. `None` for motions that are not in place or that have no gait.
///
/// Contacts are found after [`crate::motion::with_path`] has added it.
pub fn in_place_velocity(motion: &Motion, source: &Source) -> Option<Vec3> {
    let leg = source.figure.leg_length();
    // Balls, because heels rise while the ball still stands.
    let joints: Vec<usize> = feet(&source.figure).into_iter().map(|foot| foot.points[1]).collect();
    if motion.frames < LEAST_FRAMES || joints.is_empty() || !(leg > 0.0) {
        return None;
    }
    let hips = source.figure.find(Role::Hips).unwrap_or(0);
    let joints: Vec<usize> = joints.into_iter().chain([hips]).collect();
    let mut paths = paths(motion, source, &joints);
    let root = paths.pop()?;
    let velocities: Vec<Vector2<f64>> =
        paths.iter().flat_map(|points| low_velocities(points, motion.frame_seconds)).collect();
    let step = velocities.len().div_ceil(MOST_SAMPLES).max(1);
    let samples: Vec<Vector2<f64>> = velocities.into_iter().step_by(step).collect();
    let ground = shared(&samples)?;
    let seconds = (root.len() - 1) as f64 * motion.frame_seconds;
    let pelvis = (root[root.len() - 1] - root[0]).xz() / seconds;
    if ground.norm() < STANDS || pelvis.norm() > STAYS * ground.norm() {
        return None;
    }
    Some(source.figure_from_file.inverse() * Vec3::new(-ground.x, 0.0, -ground.y) * leg)
}

/// The paths of some joints, upright and in leg lengths.
fn paths(motion: &Motion, source: &Source, joints: &[usize]) -> Vec<Vec<Vec3>> {
    let leg = source.figure.leg_length();
    let mut pose = motion.pose(0);
    let mut paths = vec![Vec::with_capacity(motion.frames); joints.len()];
    for frame in 0..motion.frames {
        motion.pose_into(frame, &mut pose);
        for (path, &joint) in paths.iter_mut().zip(joints) {
            path.push(source.figure_from_file * pose.positions[joint] / leg);
        }
    }
    paths
}

/// How a point moves along the ground while it is low and level.
fn low_velocities(points: &[Vec3], frame_seconds: f64) -> Vec<Vector2<f64>> {
    let mut heights: Vec<f64> = points.iter().map(|point| point.y).collect();
    heights.sort_by(f64::total_cmp);
    let low = heights[heights.len() / 10] + LOW;
    points
        .windows(3)
        .filter(|three| three[1].y < low)
        .map(|three| (three[2] - three[0]) / (2.0 * frame_seconds))
        .filter(|velocity| velocity.y.abs() < LEVEL)
        .map(|velocity| velocity.xz())
        .collect()
}

/// The mean of the velocities around the one that most others are near to, if enough are.
fn shared(samples: &[Vector2<f64>]) -> Option<Vector2<f64>> {
    let mut mean = *samples.iter().max_by_key(|sample| near(samples, sample, 1.0).count())?;
    let count = near(samples, &mean, 1.0).count() as f64;
    if count < SHARED * samples.len() as f64 {
        return None;
    }
    // Feet that roll are slower than the ground, and never faster: narrowing leaves them out, unless the ground itself is
    // faster and slower, where it would leave out half of a step.
    for part in NARROWING {
        let near: Vec<&Vector2<f64>> = near(samples, &mean, part).collect();
        if near.len() as f64 > 0.5 * count {
            mean = near.iter().copied().sum::<Vector2<f64>>() / near.len() as f64;
        }
    }
    Some(mean)
}

/// The velocities that are one with a velocity, or within a part of that distance.
fn near<'a>(
    samples: &'a [Vector2<f64>],
    centre: &Vector2<f64>,
    part: f64,
) -> impl Iterator<Item = &'a Vector2<f64>> + use<'a> {
    let (centre, distance) = (*centre, part * SAME.max(SAME_PART * centre.norm()));
    samples.iter().filter(move |sample| (**sample - centre).norm() < distance)
}

#[cfg(test)]
mod tests {
    use super::super::SourceOptions;
    use super::super::contacts::{ContactOptions, FootContacts, detect};
    use super::*;
    use crate::motion::{built_in, with_path};

    fn load(name: &str) -> (Motion, Source) {
        let motion = Motion::built_in(name).unwrap();
        let source = Source::of(&motion, &SourceOptions::default());
        (motion, source)
    }

    /// The same with its root kept over one place, as many files have it.
    fn pinned(motion: &Motion, up: &Vec3) -> Motion {
        let mut motion = motion.clone();
        let tracks = motion.translations.joints.len();
        motion.translations.values.iter_mut().step_by(tracks).for_each(|place| *place = up * up.dot(place));
        motion
    }

    fn mean_velocity(motion: &Motion, up: &Vec3) -> Vec3 {
        let root = |frame: usize| motion.translations.at(frame)[0];
        let way = root(motion.frames - 1) - root(0);
        (way - up * up.dot(&way)) / ((motion.frames - 1) as f64 * motion.frame_seconds)
    }

    /// The part of the frames of all feet that two detections agree on.
    fn agreement(a: &[FootContacts], b: &[FootContacts]) -> f64 {
        let frames = a[0].heel.len();
        let same = a
            .iter()
            .zip(b)
            .map(|(a, b)| (0..frames).filter(|&frame| a.is_planted(frame) == b.is_planted(frame)).count());
        same.sum::<usize>() as f64 / (a.len() * frames) as f64
    }

    #[test]
    fn walks_in_place_have_the_velocity_and_the_contacts_of_walks() {
        for name in ["walk", "run", "sneak", "quad_walk", "quad_trot", "quad_gallop"] {
            let (motion, source) = load(name);
            let up = source.up.vector();
            let options = ContactOptions::default();
            let contacts = detect(&motion, &source, &options);
            let truth = mean_velocity(&motion, &up);
            for (how, in_place) in
                [("carried", with_path(&motion, &-truth)), ("pinned", pinned(&motion, &up))]
            {
                // A sneaking figure stops at every step: pinned, its ground has no one velocity.
                if (name, how) == ("sneak", "pinned") {
                    continue;
                }
                let again = Source::of(&in_place, &SourceOptions::default());
                let found = in_place_velocity(&in_place, &again);
                let found = found.unwrap_or_else(|| panic!("{name}, {how}: no velocity"));
                let off = (found - truth).norm() / truth.norm();
                let moving = with_path(&in_place, &found);
                let agree = agreement(&contacts, &detect(&moving, &again, &options));
                assert!(off < 0.07, "{name}, {how}: {found:?} for {truth:?}");
                let least = if how == "pinned" { 0.8 } else { 0.97 };
                assert!(agree > least, "{name}, {how}: {agree}");
            }
        }
    }

    #[test]
    fn what_stands_or_travels_is_not_in_place() {
        for file in built_in() {
            let (motion, source) = load(file.name);
            assert_eq!(in_place_velocity(&motion, &source), None, "{}", file.name);
        }
    }

    /// A glider's feet share a velocity too, but the pelvis has it.
    #[test]
    fn gliding_is_not_in_place() {
        let (motion, source) = load("idle");
        assert_eq!(in_place_velocity(&with_path(&motion, &(2.0 * Vec3::z())), &source), None);
    }
}
