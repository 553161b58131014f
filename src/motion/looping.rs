//! Where a motion repeats itself, and how it is closed there.
//!
//! Two moments are alike if the body is in the same pose and goes on in the same way: Kovar, Gleicher & Pighin 2002,
//! Motion Graphs, section 3, compare clouds of points over a few frames so, after bringing both bodies to one position and
//! one facing. Here the cloud is that of the joints, and its velocity stands for the frames around it.

use super::trim::frames;
use super::{Motion, Tracks};
use crate::math::{Quat, Vec3};
use thiserror::Error;

/// Two moments of a motion between which it may be played again and again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cycle {
    /// The first frame.
    pub first: usize,
    /// The frame that is like the first one again. If there are no more frames than this number, it is the frame behind
    /// the last one, as in clips that were made to be repeated.
    pub last: usize,
    /// How unlike the two are, against how much the body moves in between: 0 for moments that are equal.
    pub cost: f64,
}

/// No two moments of a motion are alike enough.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("no two moments of the motion are alike, so that it cannot be repeated without a jump{}", self.told())]
pub struct NoCycle {
    /// The two that are most alike, by their numbers in the file, if there is a pair at all that is far enough apart.
    pub nearest: Option<Cycle>,
}

impl NoCycle {
    fn told(&self) -> String {
        self.nearest.map_or(String::new(), |Cycle { first, last, cost }| {
            const PERCENT: f64 = 100.0;
            format!(
                "; frames {first} and {last} are most alike, and differ by {:.0} % of how much it moves between them",
                PERCENT * cost
            )
        })
    }
}

/// The most that the ends of a cycle may differ. Walks of captures repeat themselves to 0.1 to 0.25, closing which moves no
/// joint visibly; from 0.4 on a body is not in the same phase.
const ALIKE: f64 = 0.3;
/// What a cycle as long as the motion may cost more than a short one, because it shows more.
const LONGER: f64 = 0.05;
/// Seconds of the shortest cycle: a dog gallops three times a second.
const SHORTEST: f64 = 0.25;
/// Seconds by which velocity is turned into a distance: where the joints would be so much later.
const AHEAD: f64 = 0.1;
/// Frames that are compared with each other at first; then those around the best.
const MOST_FRAMES: usize = 400;
/// Frames of a motion at which it is looked at how much velocities change.
const MOST_STEPS: usize = 100;
/// The seam of a whole motion may be off by this part of the steps beside it, and its velocity may leap by so many times as
/// much as it does in the liveliest tenth of the motion: feet hit the ground at seams as elsewhere. Off by this part of
/// the reach of the hierarchy, 3 mm on a person, nobody sees it.
const STEP: f64 = 0.5;
const LEAP: f64 = 2.0;
const UNSEEN: f64 = 0.0025;
/// A root that ends nearer to where it began than this part of the reach of the hierarchy has not travelled.
const STAYS: f64 = 0.1;
/// A body that turns by less degrees in a cycle goes straight.
const STRAIGHT: f64 = 15.0;
/// A body that spreads by less than this part of the reach of the hierarchy does not move, and repeats itself.
const STILL: f64 = 1e-6;
/// A rotation whose part about an axis is shorter has none.
const NO_TWIST: f64 = 1e-9;

/// The whole motion, if it was made to be repeated: the frame behind its last one can be its first, or its last one is its
/// first again. Else the two moments that are most alike, at least a quarter of a second apart.
///
/// `up` has unit length, in the axes of the file. `states` is a number for each frame that says which feet are planted:
/// frames with other numbers are not alike. It may be empty.
///
/// # Errors
/// If no pair is alike enough.
pub fn find_cycle(motion: &Motion, up: &Vec3, states: &[u32]) -> Result<Cycle, NoCycle> {
    if motion.frames < shortest_cycle(motion) + 1 {
        return Err(NoCycle { nearest: None });
    }
    let clouds = Clouds::of(motion, up, MOST_FRAMES);
    if let Some(whole) = clouds.whole().or_else(|| clouds.comes_back()) {
        return Ok(whole);
    }
    let mut search = Search { clouds: &clouds, states, shortest: shortest_cycle(motion), best: None };
    let known: Vec<(usize, &Cloud)> = clouds.frames.iter().copied().zip(&clouds.rows).collect();
    for (index, &first) in known.iter().enumerate() {
        for &last in &known[index + 1..] {
            search.consider(first, last);
        }
    }
    // The frames between those that were compared.
    let step = clouds.frames[1] - clouds.frames[0];
    if let Some(Cycle { first, last, .. }) = search.best.filter(|_| step > 1) {
        let [starts, ends] = [first, last].map(|frame| clouds.around(frame, step));
        for (i, a) in &starts {
            for (j, b) in &ends {
                search.consider((*i, a), (*j, b));
            }
        }
    }
    let best = search.best;
    best.filter(|cycle| cycle.cost < ALIKE)
        .ok_or_else(|| NoCycle { nearest: best.map(|cycle| cycle.numbered(motion)) })
}

/// Frames of the shortest cycle.
fn shortest_cycle(motion: &Motion) -> usize {
    ((SHORTEST / motion.frame_seconds).ceil() as usize).max(2)
}

impl Cycle {
    /// With the numbers that its frames have in the file.
    fn numbered(self, motion: &Motion) -> Cycle {
        Cycle { first: motion.number(self.first), last: motion.number(self.last), ..self }
    }
}

/// The best cycle so far.
struct Search<'a> {
    clouds: &'a Clouds<'a>,
    states: &'a [u32],
    shortest: usize,
    best: Option<Cycle>,
}

impl Search<'_> {
    fn consider(&mut self, (i, a): (usize, &Cloud), (j, b): (usize, &Cloud)) {
        if j < i + self.shortest || self.states.get(i) != self.states.get(j) {
            return;
        }
        let cycle = self.clouds.cycle(i, a, j, b);
        if self.best.is_none_or(|best| self.worth(&cycle) > self.worth(&best)) {
            self.best = Some(cycle);
        }
    }

    fn worth(&self, cycle: &Cycle) -> f64 {
        let motion = self.clouds.motion;
        let part = LONGER * (cycle.last - cycle.first) as f64 / motion.number(motion.frames) as f64;
        part - cycle.cost
    }
}

/// Whether the motion may be played again and again as it is: the frame behind its last one can be its first, or its last
/// frame is its first again. Where the body has come to and where it faces does not count.
pub fn loops(motion: &Motion, up: &Vec3) -> bool {
    if motion.frames < shortest_cycle(motion) + 1 {
        return false;
    }
    let clouds = Clouds::of(motion, up, 2);
    clouds.whole().or_else(|| clouds.comes_back()).is_some()
}

/// The frames of a cycle, closed: in its last frame every joint is as in the first, bit for bit, but for the distance and the
/// rotation along the ground that the body makes in a cycle.
///
/// What is missing to that is spread over the cycle, from minus a half of it at the first frame to a half at the last.
/// A body that hardly travels comes back to its position, one that hardly turns goes straight.
#[must_use]
pub fn close_loop(motion: &Motion, cycle: &Cycle, up: &Vec3) -> Motion {
    let carrier = carrier(motion);
    let end = cycle.last.min(motion.frames - 1);
    let is_virtual = cycle.last > end;
    let mut closed = frames(motion, (cycle.first..=end).chain(is_virtual.then_some(cycle.first)));
    // The axis about which the carrier faces, in the axes of its parent.
    let up =
        motion.joints[carrier].parent.map_or(*up, |above| motion.pose(0).rotations[above].inverse() * up);
    if is_virtual {
        go_on(&mut closed, carrier, &up);
    }
    close_rotations(&mut closed, carrier, &up);
    close_translations(&mut closed, carrier, &up);
    closed
}

fn close_rotations(closed: &mut Motion, carrier: usize, up: &Vec3) {
    let (last, rotations) = (closed.frames - 1, &mut closed.rotations);
    let yaw = rotations
        .track_of(carrier)
        .map(|track| twist(&(rotations.at(last)[track] * rotations.at(0)[track].inverse()), up))
        .filter(|yaw| yaw.angle() >= STRAIGHT.to_radians());
    for track in 0..rotations.joints.len() {
        let yaw = yaw.filter(|_| rotations.joints[track] == carrier);
        let goal = turned(yaw, rotations.at(0)[track]);
        let missing = (rotations.at(last)[track].inverse() * goal).scaled_axis();
        for frame in 0..last {
            rotations.at_mut(frame)[track] *= Quat::new(missing * share(frame, last));
        }
        rotations.at_mut(last)[track] = turned(yaw, rotations.at(0)[track]);
    }
}

fn turned(by: Option<Quat>, rotation: Quat) -> Quat {
    by.map_or(rotation, |by| by * rotation)
}

fn close_translations(closed: &mut Motion, carrier: usize, up: &Vec3) {
    let stays = STAYS * closed.reach();
    let (last, translations) = (closed.frames - 1, &mut closed.translations);
    for track in 0..translations.joints.len() {
        let distance = translations.at(last)[track] - translations.at(0)[track];
        let level = distance - up * up.dot(&distance);
        let travels = translations.joints[track] == carrier && level.norm() > stays;
        let kept = if travels { level } else { Vec3::zeros() };
        for frame in 0..last {
            translations.at_mut(frame)[track] += (kept - distance) * share(frame, last);
        }
        let first = translations.at(0)[track];
        translations.at_mut(last)[track] = if travels { first + kept } else { first };
    }
}

/// From minus a half to a half.
fn share(frame: usize, last: usize) -> f64 {
    frame as f64 / last as f64 - 0.5
}

/// The last frame is a copy of the first: carries it to where the body has come to.
fn go_on(closed: &mut Motion, carrier: usize, up: &Vec3) {
    let last = closed.frames - 1;
    let mut yaw = Quat::identity();
    if let Some(track) = closed.rotations.track_of(carrier) {
        let [first, before, end] = [0, last - 2, last - 1].map(|frame| closed.rotations.at(frame)[track]);
        let next = end * before.inverse() * end;
        yaw = twist(&(next * first.inverse()), up);
        closed.rotations.at_mut(last)[track] = yaw * first;
    }
    if let Some(track) = closed.translations.track_of(carrier) {
        let [first, second, before, end] =
            [0, 1, last - 2, last - 1].map(|frame| closed.translations.at(frame)[track]);
        let step = 0.5 * (end - before + yaw * (second - first));
        let distance = end + step - first;
        closed.translations.at_mut(last)[track] += distance - up * up.dot(&distance);
    }
}

/// The joints at chosen frames, each brought to one position and one facing.
struct Clouds<'m> {
    motion: &'m Motion,
    up: &'m Vec3,
    carrier: usize,
    /// The carrier's axes at first, from which facing is measured.
    start: Quat,
    /// Frames that are known, in increasing order, with their clouds and velocities.
    frames: Vec<usize>,
    rows: Vec<Cloud>,
    /// Sums over the rows before each one: of the positions, and of their squares.
    sums: Vec<Vec<Vec3>>,
    squares: Vec<f64>,
}

/// Positions of all joints, and how far they move within [`AHEAD`] seconds.
struct Cloud {
    positions: Vec<Vec3>,
    moves: Vec<Vec3>,
}

impl<'m> Clouds<'m> {
    /// About so many frames.
    fn of(motion: &'m Motion, up: &'m Vec3, count: usize) -> Clouds<'m> {
        let carrier = carrier(motion);
        let start = motion.pose(0).rotations[carrier].inverse();
        let step = motion.frames.div_ceil(count);
        let frames: Vec<usize> = (0..motion.frames).step_by(step).collect();
        let (sums, squares) = (vec![vec![Vec3::zeros(); motion.joints.len()]], vec![0.0]);
        let mut clouds = Clouds { motion, up, carrier, start, frames, rows: Vec::new(), sums, squares };
        clouds.rows = clouds.frames.iter().map(|&frame| clouds.row(frame)).collect();
        for (index, row) in clouds.rows.iter().enumerate() {
            let sum = clouds.sums[index].iter().zip(&row.positions).map(|(sum, at)| sum + at).collect();
            let square: f64 = row.positions.iter().map(Vec3::norm_squared).sum();
            clouds.sums.push(sum);
            clouds.squares.push(clouds.squares[index] + square);
        }
        clouds
    }

    fn row(&self, frame: usize) -> Cloud {
        let (before, behind) = (frame.saturating_sub(1), (frame + 1).min(self.motion.frames - 1));
        let seconds = (behind - before) as f64 * self.motion.frame_seconds;
        let [before, positions, behind] = self.seen_from([before, frame, behind], frame);
        let moves = before.iter().zip(&behind).map(|(a, b)| (b - a) * (AHEAD / seconds)).collect();
        Cloud { positions, moves }
    }

    /// The frames nearer to a frame than `step`.
    fn around(&self, frame: usize, step: usize) -> Vec<(usize, Cloud)> {
        let frames = (frame + 1).saturating_sub(step)..(frame + step).min(self.motion.frames);
        frames.map(|frame| (frame, self.row(frame))).collect()
    }

    /// The positions of the joints at some frames, as they are from below the carrier at one of them, facing with it.
    fn seen_from<const N: usize>(&self, frames: [usize; N], from: usize) -> [Vec<Vec3>; N] {
        let pose = self.motion.pose(from);
        let under = self.level(&pose.positions[self.carrier]);
        let facing = twist(&(pose.rotations[self.carrier] * self.start), self.up).inverse();
        frames.map(|frame| {
            self.motion.pose(frame).positions.iter().map(|position| facing * (position - under)).collect()
        })
    }

    fn level(&self, v: &Vec3) -> Vec3 {
        v - self.up * self.up.dot(v)
    }

    fn cycle(&self, first: usize, a: &Cloud, last: usize, b: &Cloud) -> Cycle {
        let off: f64 = a
            .positions
            .iter()
            .zip(&b.positions)
            .chain(a.moves.iter().zip(&b.moves))
            .map(|(a, b)| (a - b).norm_squared())
            .sum();
        Cycle { first, last, cost: self.cost(off, first, last) }
    }

    /// The whole motion, if its first frame can come behind its last one: the step between them is about the mean of the
    /// steps on both sides of it.
    fn whole(&self) -> Option<Cycle> {
        let end = self.motion.frames;
        let seam = self.seam(end - 1, 0);
        let travel = self.level(&seam.step(self.carrier));
        let off = rms(seam.gap.iter().enumerate().map(|(joint, gap)| gap - (seam.step(joint) - travel)));
        let cost = self.cost(off * off * seam.gap.len() as f64, 0, end - 1);
        self.is_smooth(&seam, off).then_some(Cycle { first: 0, last: end, cost })
    }

    /// The whole motion, if its last frame is the first again.
    fn comes_back(&self) -> Option<Cycle> {
        let last = self.motion.frames - 1;
        let seam = self.seam(last, 0);
        let off = rms(seam.gap.iter().copied());
        let cost = self.cost(off * off * seam.gap.len() as f64, 0, last);
        self.is_smooth(&seam, off).then_some(Cycle { first: 0, last, cost })
    }

    /// Whether so much of a gap is no more than the motion itself makes, and the velocity leaps no more than it does.
    fn is_smooth(&self, seam: &Seam, off: f64) -> bool {
        let step = rms(seam.into.iter().chain(&seam.out).copied());
        let steps = self.motion.frames.div_ceil(MOST_STEPS);
        let inside = (1..self.motion.frames - 2).step_by(steps);
        let mut leaps: Vec<f64> = inside.map(|frame| self.seam(frame, frame + 1).leap()).collect();
        leaps.sort_by(f64::total_cmp);
        let usual = leaps.get(leaps.len() * 9 / 10).copied().unwrap_or(0.0);
        off < STEP * step + UNSEEN * self.motion.reach()
            && seam.leap() < LEAP * usual + UNSEEN * self.motion.reach()
    }

    /// What is between two frames, the second of which comes behind the first.
    fn seam(&self, last: usize, first: usize) -> Seam {
        let [a1, a] = self.seen_from([last - 1, last], last);
        let [b, b1] = self.seen_from([first, first + 1], first);
        Seam { into: difference(&a1, &a), gap: difference(&a, &b), out: difference(&b, &b1) }
    }

    /// A sum of squares against how much the positions spread around their mean from one frame to another.
    fn cost(&self, off: f64, first: usize, last: usize) -> f64 {
        let from = self.frames.partition_point(|&frame| frame < first);
        let to = self.frames.partition_point(|&frame| frame <= last).max(from + 1);
        let count = (to - from) as f64;
        let sums = self.sums[to].iter().zip(&self.sums[from]);
        let mean_square: f64 = sums.map(|(to, from)| ((to - from) / count).norm_squared()).sum();
        let spread = ((self.squares[to] - self.squares[from]) / count - mean_square).max(0.0);
        off.sqrt() / (spread.sqrt() + STILL * self.motion.reach())
    }
}

/// How the joints move before, between and behind two frames. Between them the carrier stays over its position.
struct Seam {
    into: Vec<Vec3>,
    gap: Vec<Vec3>,
    out: Vec<Vec3>,
}

impl Seam {
    fn step(&self, joint: usize) -> Vec3 {
        0.5 * (self.into[joint] + self.out[joint])
    }

    fn leap(&self) -> f64 {
        rms(self.into.iter().zip(&self.out).map(|(a, b)| b - a))
    }
}

fn difference(a: &[Vec3], b: &[Vec3]) -> Vec<Vec3> {
    b.iter().zip(a).map(|(b, a)| b - a).collect()
}

fn rms(vectors: impl Iterator<Item = Vec3>) -> f64 {
    let (sum, count) = vectors.fold((0.0, 0.0), |(sum, count), v| (sum + v.norm_squared(), count + 1.0));
    f64::sqrt(sum / count)
}

/// The joint that carries the body through the world: the first one that travels, if nothing above it turns.
fn carrier(motion: &Motion) -> usize {
    fn varies<T: PartialEq>(tracks: &Tracks<T>, joint: usize) -> bool {
        let Some(track) = tracks.track_of(joint) else { return false };
        let mut values = tracks.values[track..].iter().step_by(tracks.joints.len());
        let first = values.next();
        values.any(|value| Some(value) != first)
    }
    let Some(joint) = motion.translations.joints.iter().copied().find(|&j| varies(&motion.translations, j))
    else {
        return 0;
    };
    let is_rotated = motion.joints.ancestors(joint).skip(1).any(|above| varies(&motion.rotations, above));
    if is_rotated { 0 } else { joint }
}

/// The part of a rotation about an axis of unit length.
fn twist(rotation: &Quat, axis: &Vec3) -> Quat {
    let along = rotation.imag().dot(axis);
    Quat::try_new(nalgebra::Quaternion::from_parts(rotation.w, axis * along), NO_TWIST)
        .unwrap_or_else(Quat::identity)
}

#[cfg(test)]
mod tests {
    use super::super::{MotionJoint, built_in};
    use super::*;
    use std::f64::consts::TAU;

    /// A body that goes along X, turns a little, and bends two joints with a period of 20 frames; the bend grows by
    /// `drift` in a frame.
    fn walker(frames: usize, drift: f64, turn: f64) -> Motion {
        let joint = |name: &str, parent, y| MotionJoint::new(name, parent, Vec3::new(0.0, y, 0.0));
        let phase = |frame: usize| frame as f64 * TAU / 20.0;
        let mut motion = Motion {
            joints: vec![
                joint("root", None, 0.0),
                joint("hip", Some(0), -0.1),
                joint("knee", Some(1), -1.0),
                joint("end", Some(2), -1.0),
            ]
            .into(),
            rest: None,
            frames,
            frame_seconds: 1.0 / 30.0,
            rotations: Tracks { joints: vec![0, 1, 2], values: Vec::new() },
            translations: Tracks { joints: vec![0], values: Vec::new() },
        };
        for frame in 0..frames {
            let bend = phase(frame).sin() * 0.5 + drift * frame as f64;
            motion.rotations.values.extend([
                Quat::new(Vec3::y() * turn * frame as f64),
                Quat::new(Vec3::z() * bend),
                Quat::new(Vec3::z() * (phase(frame).cos() - 1.0) * 0.4),
            ]);
            let height = 2.0 + 0.05 * (2.0 * phase(frame)).sin() + drift * frame as f64;
            motion.translations.values.push(Vec3::new(0.1 * frame as f64, height, 0.0));
        }
        motion
    }

    #[test]
    fn the_period_is_found_and_the_longest_multiple_of_it_taken() {
        // 50 frames: neither the whole motion nor the frame behind it closes.
        let cycle = find_cycle(&walker(50, 0.0, 0.0), &Vec3::y(), &[0; 50]).unwrap();
        assert_eq!((cycle.last - cycle.first, cycle.cost < 1e-6), (40, true));
        // Planted feet that differ are other moments, however alike the rest is.
        let states: Vec<u32> = (0..50).map(|frame| u32::from(frame < 24)).collect();
        let cycle = find_cycle(&walker(50, 0.0, 0.0), &Vec3::y(), &states).unwrap();
        assert_eq!((cycle.last - cycle.first, states[cycle.first] == states[cycle.last]), (20, true));
        // Made to be repeated: the frame behind the last one is the first.
        let cycle = find_cycle(&walker(60, 0.0, 0.0), &Vec3::y(), &[0; 60]).unwrap();
        assert_eq!((cycle.first, cycle.last), (0, 60));
    }

    #[test]
    fn what_never_comes_back_has_no_cycle() {
        let mut motion = walker(100, 0.0, 0.0);
        for (frame, values) in motion.rotations.values.chunks_exact_mut(3).enumerate() {
            values[1] = Quat::new(Vec3::z() * 0.02 * frame as f64);
            values[2] = Quat::identity();
        }
        let states: Vec<u32> = vec![0; 100];
        let error = find_cycle(&motion, &Vec3::y(), &states).unwrap_err();
        assert!(error.nearest.unwrap().cost > ALIKE);
        assert!(error.to_string().contains("most alike"), "{error}");
        assert_eq!(find_cycle(&motion, &Vec3::y(), &[]), Err(error));
        assert!(!loops(&motion, &Vec3::y()));
        assert_eq!(find_cycle(&walker(4, 0.0, 0.0), &Vec3::y(), &[0; 4]), Err(NoCycle { nearest: None }));
    }

    #[test]
    fn a_cycle_that_drifts_is_closed_bit_for_bit() {
        let motion = walker(50, 0.001, 0.001);
        let cycle = find_cycle(&motion, &Vec3::y(), &[0; 50]).unwrap();
        let closed = close_loop(&motion, &cycle, &Vec3::y());
        assert_eq!(closed.broken_invariant(), None);
        let last = closed.frames - 1;
        assert_eq!(last, cycle.last - cycle.first);
        assert_eq!(closed.rotations.at(0), closed.rotations.at(last));
        let way = closed.translations.at(last)[0] - closed.translations.at(0)[0];
        assert!((way - Vec3::x() * 0.1 * last as f64).norm() < 1e-12 && way.y == 0.0);
        // A half of what was missing at each end, and nothing in the middle.
        for (frame, part) in [(0, 0.5), (last / 2, 0.0)] {
            let moved = closed.rotations.at(frame)[1].angle_to(&motion.rotations.at(cycle.first + frame)[1]);
            assert!((moved - part * 0.001 * last as f64).abs() < 1e-9, "{frame}: {moved}");
        }
    }

    #[test]
    fn turns_are_kept_and_small_ways_are_not() {
        // 0.02 rad in a frame are 46° in 40 frames.
        let mut motion = walker(50, 0.0, 0.02);
        motion.translations.values.iter_mut().for_each(|place| place.x *= 0.01);
        let cycle = find_cycle(&motion, &Vec3::y(), &[0; 50]).unwrap();
        let closed = close_loop(&motion, &cycle, &Vec3::y());
        let last = closed.frames - 1;
        let turn = closed.rotations.at(last)[0] * closed.rotations.at(0)[0].inverse();
        assert!(turn.angle_to(&Quat::new(Vec3::y() * 0.02 * last as f64)) < 1e-9);
        assert_eq!(closed.translations.at(0), closed.translations.at(last));
        assert_eq!(closed.rotations.at(0)[1..], closed.rotations.at(last)[1..]);
    }

    /// Clips that are made to be repeated get the frame that was not written, where their speed takes them.
    #[test]
    fn built_in_loops_are_closed_whole() {
        for file in built_in() {
            let motion = Motion::built_in(file.name).unwrap();
            let source = crate::retarget::Source::of(&motion, &Default::default());
            let up = source.up.vector();
            // Jumping and sitting down end as they begin, at rest, and can be repeated too.
            let may_loop = file.loops || matches!(file.name, "jump" | "sit");
            assert_eq!(loops(&motion, &up), may_loop, "{}", file.name);
            if !file.loops {
                continue;
            }
            let cycle = find_cycle(&motion, &up, &vec![0; motion.frames]).unwrap();
            assert_eq!((cycle.first, cycle.last), (0, motion.frames), "{}", file.name);
            let closed = close_loop(&motion, &cycle, &up);
            assert_eq!(closed.frames, motion.frames + 1);
            assert_eq!(closed.rotations.at(0), closed.rotations.at(motion.frames), "{}", file.name);
            // The last step is as long as the others.
            let root = |frame: usize| closed.translations.at(frame)[0];
            let step = |frame: usize| (root(frame) - root(frame - 1)).norm();
            let mean = (1..=motion.frames).map(step).sum::<f64>() / motion.frames as f64;
            assert!((step(motion.frames) - mean).abs() < 0.3 * mean + 1e-3 * motion.reach(), "{}", file.name);
        }
    }
}
