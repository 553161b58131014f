//! When the feet of a motion are planted: causal, with a bounded look-ahead.
//!
//! A foot is planted where it is slow and near the ground. Both are judged with hysteresis, in leg lengths and seconds,
//! never in frames or file units. Captured feet that stand show 0.04 to 0.15 leg lengths a second of noise and roll:
//! a threshold below 0.2 cuts stances to pieces, one above 0.6 takes in the swing.

use super::contact_height::foot_points;
use super::reference::Source;
use crate::math::{Vec3, exp};
use crate::motion::Motion;
use crate::skeleton::Figure;
use crate::skeleton::naming::{Limb, Segment, Side};

/// Speeds in leg lengths a second.
const SLOW: f64 = 0.30;
const FAST: f64 = 0.55;
/// Heights above the floor in leg lengths.
const NEAR: f64 = 0.06;
const HIGH: f64 = 0.09;
/// A step of a stair or a low wall carries a foot that rests on it for so long, if it is the lowest of all for this share
/// of its rest. The turning point of a jump is slow for less.
const REST_SECONDS: f64 = 0.15;
const LOWEST_SHARE: f64 = 0.3;
/// Leg lengths a second below which a point is still, and for how long it must rest before. Feet in the air are hardly ever:
/// the turning point of a jump is as slow for 0.03 s.
const STILL: f64 = 0.20;
const STILL_SECONDS: f64 = 0.05;
/// Leg lengths above the floor up to which there may be a step: stairs are 0.2 high, and a dancer's leg is held higher.
const STEP_HIGH: f64 = 0.4;
/// With both points this many leg lengths above another planted foot, and lower than any step, a foot is held in the air: nothing is
/// below it. Feet that stand side by side differ by up to 0.03, and steps are at least 0.11 high.
pub(super) const HOVERS: f64 = 0.045;
pub(super) const LOWEST_STEP: f64 = 0.10;
/// Leg lengths by which the ball is above the heel of a foot that is held out in the air: steps are climbed on flat feet or balls.
const TOES_UP: f64 = 0.05;
/// With all points this many leg lengths above the floor somebody jumps, and at the turning point feet are still.
const FLIGHT: f64 = 0.12;
/// Contacts that are shorter are none; a runner's are short.
const SHORTEST_CONTACT: f64 = 0.080;
const SHORTEST_RUNNING_CONTACT: f64 = 0.050;
/// Leg lengths a second from which on the pelvis runs.
pub(super) const RUNNING: f64 = 2.5;
/// Gaps that are shorter are bridged.
const SHORTEST_GAP: f64 = 0.040;
/// Time over which speed is measured. Half as long, noise of 0.3 % of a leg length cuts stances to pieces; longer, landings and
/// lift-offs are seen late.
const SPEED_WINDOW: f64 = 0.050;
/// How fast the floor follows the feet that stand on it, in parts a second.
const FLOOR_RATE: f64 = 6.0;
/// Frames that are kept at most, so that memory is bounded whatever rate a file claims: a quarter of a second at 4000
/// frames a second, which no camera reaches. Faster motions are looked at over less time.
const MOST_FRAMES: usize = 1000;

/// Seconds that are known ahead at most.
pub(super) const MOST_LOOK_AHEAD: f64 = 0.25;

/// Options of the detection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactOptions {
    /// Seconds of motion that are known ahead, from 0 to 0.25. Without them a contact begins up to 25 ms late.
    pub look_ahead: f64,
    /// Whether a foot that is still counts wherever it is. The first foot on a step is still long before the body follows, and
    /// only then can it be told from one that balances in the air.
    pub still_counts: bool,
}

impl Default for ContactOptions {
    /// A tenth of a second; what is still in the air is not planted.
    fn default() -> ContactOptions {
        ContactOptions { look_ahead: 0.1, still_counts: false }
    }
}

/// A foot of a motion with its two points.
#[derive(Debug, Clone, PartialEq)]
pub struct FootContacts {
    /// The leg.
    pub leg: (Limb, Side),
    /// For each frame whether the heel is planted.
    pub heel: Vec<bool>,
    /// For each frame whether the ball is planted; the same as the heel where the foot has one joint only.
    pub ball: Vec<bool>,
}

impl FootContacts {
    /// Whether anything of the foot is planted.
    pub fn is_planted(&self, frame: usize) -> bool {
        self.heel[frame] || self.ball[frame]
    }
}

/// The planted feet of a motion.
pub fn detect(motion: &Motion, source: &Source, options: &ContactOptions) -> Vec<FootContacts> {
    let figure = &source.figure;
    let feet = feet(figure);
    let mut contacts: Vec<FootContacts> =
        feet.iter().map(|foot| FootContacts { leg: foot.leg, heel: Vec::new(), ball: Vec::new() }).collect();
    if motion.frames == 0 || feet.is_empty() {
        return contacts;
    }
    let hips: Vec<usize> =
        figure.legs().iter().filter_map(|&(limb, side)| figure.limb(limb, side, Segment::Upper)).collect();
    let ground = figure.positions.iter().map(|position| position.y).fold(f64::INFINITY, f64::min);
    let heights: Vec<f64> =
        feet.iter().flat_map(|foot| foot.points).map(|joint| figure.positions[joint].y - ground).collect();
    let mut detector = Detector::new(heights, figure.leg_length(), motion.frame_seconds, options);
    let mut pose = motion.pose(0);
    let mut points = vec![Vec3::zeros(); 2 * feet.len()];
    for frame in 0..motion.frames {
        motion.pose_into(frame, &mut pose);
        for (point, joint) in points.iter_mut().zip(feet.iter().flat_map(|foot| foot.points)) {
            *point = source.figure_from_file * pose.positions[joint];
        }
        let sum: Vec3 = hips.iter().map(|&joint| source.figure_from_file * pose.positions[joint]).sum();
        if let Some(states) = detector.push(&points, sum / hips.len() as f64) {
            record(&mut contacts, states);
        }
    }
    while let Some(states) = detector.drain() {
        record(&mut contacts, states);
    }
    contacts
}

/// Appends the states of heels and balls in a frame.
fn record(contacts: &mut [FootContacts], states: &[bool]) {
    for (foot, state) in contacts.iter_mut().zip(states.chunks_exact(2)) {
        foot.heel.push(state[0]);
        foot.ball.push(state[1]);
    }
}

/// For each frame a number that says which feet are planted: a bit for each foot.
pub fn states(contacts: &[FootContacts]) -> Vec<u32> {
    let frames = contacts.first().map_or(0, |foot| foot.heel.len());
    (0..frames)
        .map(|frame| {
            let feet = contacts.iter().enumerate();
            feet.map(|(bit, foot)| u32::from(foot.is_planted(frame)) << bit).sum()
        })
        .collect()
}

/// The feet on which a figure stands.
pub(super) fn feet(figure: &Figure) -> Vec<ContactPoints> {
    let legs = figure.legs().into_iter();
    legs.filter_map(|leg| Some(ContactPoints { leg, points: foot_points(figure, leg)? })).collect()
}

/// The joints by which a foot touches the ground.
pub(super) struct ContactPoints {
    leg: (Limb, Side),
    /// Heel and ball.
    pub(super) points: [usize; 2],
}

/// What is known of a point from frame to frame.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    is_on: bool,
    /// Frames since it became slow, and how many of them it was the lowest point.
    rest: usize,
    lowest: usize,
}

/// What all points share in the current frame.
struct Now {
    floor: f64,
    lowest: f64,
    is_flying: bool,
    /// Seconds of the shortest contact.
    shortest: f64,
}

/// Detects contacts frame by frame: what it says of a frame depends on no frame later than the look-ahead. It allocates
/// nothing once it is made.
#[derive(Debug, Clone)]
pub struct Detector {
    /// Height of each point above the ground when it stands.
    standing: Vec<f64>,
    leg_length: f64,
    frame_seconds: f64,
    ahead: usize,
    still_counts: bool,
    /// Frames on each side over which speed is measured.
    window: usize,
    samples: Samples,
    /// Place of the current frame among the samples.
    current: usize,
    /// Frames that were pushed but not answered.
    waiting: usize,
    states: Vec<State>,
    floor: Option<f64>,
    /// What is told of the current frame.
    answer: Vec<bool>,
    /// Room to find a median in.
    values: Vec<f64>,
}

/// The latest frames, from `window` before the current one to the newest, in a ring.
#[derive(Debug, Clone)]
struct Samples {
    /// Row by row, in each the points and then the pelvis.
    ring: Vec<Vec3>,
    width: usize,
    rows: usize,
    oldest: usize,
    len: usize,
}

impl Samples {
    fn new(points: usize, rows: usize) -> Samples {
        let width = points + 1;
        Samples { ring: vec![Vec3::zeros(); width * rows], width, rows, oldest: 0, len: 0 }
    }

    fn row(&self, sample: usize) -> &[Vec3] {
        let row = (self.oldest + sample) % self.rows;
        &self.ring[row * self.width..][..self.width]
    }

    fn points(&self, sample: usize) -> &[Vec3] {
        &self.row(sample)[..self.width - 1]
    }

    fn pelvis(&self, sample: usize) -> Vec3 {
        self.row(sample)[self.width - 1]
    }

    fn push(&mut self, points: &[Vec3], pelvis: Vec3) {
        debug_assert!(self.len < self.rows, "a ring holds what is waiting and the window behind it");
        let row = (self.oldest + self.len) % self.rows;
        let row = &mut self.ring[row * self.width..][..self.width];
        row[..self.width - 1].copy_from_slice(points);
        row[self.width - 1] = pelvis;
        self.len += 1;
    }

    fn pop(&mut self) {
        self.oldest = (self.oldest + 1) % self.rows;
        self.len -= 1;
    }
}

impl Detector {
    /// For points that have these heights above the ground when they stand. All lengths are in the unit of `leg_length`.
    pub fn new(
        standing: Vec<f64>,
        leg_length: f64,
        frame_seconds: f64,
        options: &ContactOptions,
    ) -> Detector {
        let [ahead, window] = [options.look_ahead.clamp(0.0, MOST_LOOK_AHEAD), 0.5 * SPEED_WINDOW]
            .map(|seconds| ((seconds / frame_seconds).round() as usize).min(MOST_FRAMES));
        let window = window.max(1);
        let points = standing.len();
        Detector {
            standing,
            leg_length: leg_length.max(f64::MIN_POSITIVE),
            frame_seconds,
            ahead,
            still_counts: options.still_counts,
            window,
            samples: Samples::new(points, window + ahead + 1),
            current: 0,
            waiting: 0,
            states: vec![State::default(); points],
            floor: None,
            answer: vec![false; points],
            values: Vec::with_capacity(ahead + 1),
        }
    }

    /// Frames by which the answers come after the frames that are pushed.
    pub fn latency(&self) -> usize {
        self.ahead
    }

    /// Takes a frame, +Y up; returns the states of the points as many frames ago as it looks ahead, once there are so many.
    ///
    /// # Panics
    /// If there are not as many points as heights were given.
    pub fn push(&mut self, points: &[Vec3], pelvis: Vec3) -> Option<&[bool]> {
        self.samples.push(points, pelvis);
        self.waiting += 1;
        (self.waiting > self.ahead).then(|| self.step())
    }

    /// The states of the next frame after the last push; `None` when all are told.
    pub fn drain(&mut self) -> Option<&[bool]> {
        (self.waiting > 0).then(|| self.step())
    }

    fn step(&mut self) -> &[bool] {
        let floor = *self.floor.get_or_insert_with(|| {
            let heights =
                (0..self.samples.len).map(|sample| lowest(self.samples.points(sample), &self.standing));
            heights.fold(f64::INFINITY, f64::min)
        });
        let lowest = lowest(self.samples.points(self.current), &self.standing);
        let is_running = self.pelvis_speed() > RUNNING;
        let now = Now {
            floor,
            lowest,
            is_flying: lowest > floor + FLIGHT * self.leg_length,
            shortest: if is_running { SHORTEST_RUNNING_CONTACT } else { SHORTEST_CONTACT },
        };
        for point in 0..self.standing.len() {
            self.states[point] = self.next_state(point, &now);
            self.answer[point] = self.states[point].is_on;
        }
        let planted = (0..self.standing.len()).filter(|&point| self.answer[point]);
        let height = planted.map(|point| self.height(point, self.current)).fold(f64::INFINITY, f64::min);
        if height < f64::INFINITY {
            let share = 1.0 - exp(-FLOOR_RATE * self.frame_seconds);
            self.floor = Some(floor + share * (height - floor));
        }
        self.waiting -= 1;
        self.current += 1;
        if self.current > self.window {
            self.samples.pop();
            self.current -= 1;
        }
        &self.answer
    }

    /// The state of a point in the current frame, by its state in the frame before.
    fn next_state(&mut self, point: usize, now: &Now) -> State {
        let (height, speed) = (self.height(point, self.current), self.speed(point, self.current));
        let hovers = self.hovers(point);
        let mut state = self.states[point];
        // What it bore before it left the ground is past.
        if speed < FAST && !hovers {
            state.rest += 1;
            state.lowest += usize::from(height < now.lowest + 0.5 * NEAR * self.leg_length);
        } else {
            (state.rest, state.lowest) = (0, 0);
        }
        let above = (height - now.floor) / self.leg_length;
        let rest_seconds = state.rest as f64 * self.frame_seconds;
        let is_resting =
            rest_seconds >= REST_SECONDS && state.lowest as f64 >= LOWEST_SHARE * state.rest as f64;
        state.is_on = if state.is_on {
            let leaves = speed > FAST || (above > HIGH && !is_resting && !self.still_counts) || hovers;
            !leaves || self.is_bridged(point, now.floor)
        } else {
            // It need not be slow yet if it is about to be.
            let (slow, near) = self.medians_ahead(point, now);
            let is_still = self.still_counts
                && !now.is_flying
                && !self.toes_are_up(point)
                && slow < STILL
                && above < STEP_HIGH
                && rest_seconds >= STILL_SECONDS;
            let limit = if self.ahead > 0 { FAST } else { SLOW };
            let is_near = above < NEAR && near < NEAR;
            !hovers && (speed < limit && slow < SLOW) && (is_near || is_resting || is_still)
        };
        state
    }

    /// Whether the ball of the foot is clearly higher than its heel. Points come in pairs.
    fn toes_are_up(&self, point: usize) -> bool {
        let heel = point & !1;
        self.height(heel + 1, self.current) > self.height(heel, self.current) + TOES_UP * self.leg_length
    }

    /// Whether the foot of a point is too high above another one that is planted to stand beside it, and too low to stand on a step.
    /// A foot that has one point only rolls over its ball, which nobody sees.
    fn hovers(&self, point: usize) -> bool {
        let points = self.samples.points(self.current);
        let (heel, ball) = (point & !1, point | 1);
        if ball >= points.len() || points[heel] == points[ball] {
            return false;
        }
        let height = |point: usize| self.height(point, self.current);
        let others = (0..points.len()).filter(|&other| other | 1 != ball && self.states[other].is_on);
        let support = others.map(height).fold(f64::INFINITY, f64::min);
        (HOVERS..LOWEST_STEP).contains(&((height(heel).min(height(ball)) - support) / self.leg_length))
    }

    /// Height of a point above where it is when it stands on y = 0.
    fn height(&self, point: usize, sample: usize) -> f64 {
        self.samples.points(sample)[point].y - self.standing[point]
    }

    /// Leg lengths a second, over frames on both sides as far as they are known.
    fn speed(&self, point: usize, sample: usize) -> f64 {
        let from = sample.saturating_sub(self.window);
        let to = (sample + self.window).min(self.samples.len - 1);
        if to == from {
            return 0.0;
        }
        // The slope of the straight line that fits best: two points alone would show the noise of the capture.
        let middle = 0.5 * (from + to) as f64;
        let (mut slope, mut squares) = (Vec3::zeros(), 0.0);
        for sample in from..=to {
            let away = sample as f64 - middle;
            slope += self.samples.points(sample)[point] * away;
            squares += away * away;
        }
        (slope / squares).norm() / self.frame_seconds / self.leg_length
    }

    fn pelvis_speed(&self) -> f64 {
        let from = self.current.saturating_sub(self.window);
        let to = (self.current + self.window).min(self.samples.len - 1);
        let distance = (self.samples.pelvis(to) - self.samples.pelvis(from)).norm();
        distance / ((to - from).max(1) as f64 * self.frame_seconds) / self.leg_length
    }

    /// Medians of speed and height over the frames that a contact must last, as far as they are known.
    fn medians_ahead(&mut self, point: usize, now: &Now) -> (f64, f64) {
        let frames = (now.shortest / self.frame_seconds).ceil() as usize;
        let last = (self.current + frames.min(self.ahead)).min(self.samples.len - 1);
        let known = self.current..=last;
        let mut values = std::mem::take(&mut self.values);
        let speed = median(&mut values, known.clone().map(|sample| self.speed(point, sample)));
        let heights = known.map(|sample| (self.height(point, sample) - now.floor) / self.leg_length);
        let height = median(&mut values, heights);
        self.values = values;
        (speed, height)
    }

    /// Whether a point that leaves comes back before the gap counts.
    fn is_bridged(&self, point: usize, floor: f64) -> bool {
        let frames = (SHORTEST_GAP / self.frame_seconds).floor() as usize;
        let last = (self.current + frames.min(self.ahead)).min(self.samples.len - 1);
        (self.current + 1..=last).any(|sample| {
            self.speed(point, sample) < FAST && (self.height(point, sample) - floor) / self.leg_length < NEAR
        })
    }
}

/// The median of some numbers, found in room that is there already.
fn median(room: &mut Vec<f64>, numbers: impl Iterator<Item = f64>) -> f64 {
    room.clear();
    room.extend(numbers);
    let middle = room.len() / 2;
    *room.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// The height of the lowest point above where it stands.
fn lowest(points: &[Vec3], standing: &[f64]) -> f64 {
    points.iter().zip(standing).map(|(point, standing)| point.y - standing).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of two points and a pelvis whose places at each time are given, of somebody with legs of 0.9 m.
    fn detected(
        rate: f64,
        frames: usize,
        options: &ContactOptions,
        points: impl Fn(f64) -> ([Vec3; 2], Vec3),
    ) -> Vec<Vec<bool>> {
        let mut detector = Detector::new(vec![0.0, 0.0], 0.9, 1.0 / rate, options);
        let mut found = Vec::new();
        for frame in 0..frames {
            let (points, pelvis) = points(frame as f64 / rate);
            found.extend(detector.push(&points, pelvis).map(<[bool]>::to_vec));
        }
        found.extend(std::iter::from_fn(|| detector.drain().map(<[bool]>::to_vec)));
        found
    }

    fn ease(t: f64) -> f64 {
        let t = t.clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }

    /// A foot that stands for 0.4 s of every second and swings 1 m high and far in between, at a rate.
    fn steps(rate: f64, seconds: f64, noise: f64) -> (Vec<bool>, Vec<bool>) {
        let frames = (seconds * rate) as usize;
        let truth = (0..frames).map(|frame| (frame as f64 / rate).fract() < 0.4).collect();
        let found = detected(rate, frames, &ContactOptions::default(), |time| {
            let swing = ((time.fract() - 0.4) / 0.6).max(0.0);
            let shake = noise * (time * rate * 2.4).sin();
            let height = 0.3 * (std::f64::consts::PI * swing).sin();
            let foot = Vec3::new(shake, height, time.floor() + ease(swing) + 0.7 * shake);
            // The other point stays in the air.
            ([foot, Vec3::new(0.2, 0.5, time * 1.5)], Vec3::new(0.0, 1.0, time))
        });
        assert!(found.iter().all(|states| !states[1]), "a point in the air is not planted");
        (truth, found.iter().map(|states| states[0]).collect())
    }

    fn starts(states: &[bool]) -> usize {
        states.windows(2).filter(|pair| !pair[0] && pair[1]).count()
    }

    #[test]
    fn steps_are_found_at_every_rate() {
        for rate in [30.0, 60.0, 120.0] {
            let (truth, found) = steps(rate, 4.0, 0.0);
            assert_eq!(truth.len(), found.len());
            let agree = truth.iter().zip(&found).filter(|(a, b)| a == b).count();
            assert!(agree as f64 > 0.88 * truth.len() as f64, "{rate}: {agree} of {}", truth.len());
            assert_eq!(starts(&found), starts(&truth), "{rate}");
        }
    }

    #[test]
    fn noise_of_captures_does_not_cut_stances() {
        // 0.3 % of a leg.
        let [(_, clean), (_, noisy)] = [0.0, 0.0027 * 0.3].map(|noise| steps(120.0, 4.0, noise));
        assert_eq!(starts(&clean), starts(&noisy));
    }

    #[test]
    fn a_jump_has_no_contact_at_its_turning_point() {
        for options in [ContactOptions::default(), ContactOptions { still_counts: true, look_ahead: 0.04 }] {
            let found = detected(60.0, 120, &options, |time| {
                // Up at 0.7 s, down 0.5 s later: 0.3 m.
                let time = time - 0.7;
                let height = if (0.0..0.5).contains(&time) { 0.5 * 9.81 * time * (0.5 - time) } else { 0.0 };
                ([Vec3::y() * height; 2], Vec3::y() * (0.9 + height))
            });
            assert!(found[..38].iter().all(|states| states[0]));
            assert!(found[46..68].iter().all(|states| !states[0]));
            assert!(found[78..].iter().all(|states| states[0]));
        }
    }

    #[test]
    fn a_raised_still_foot_is_not_planted_but_one_on_a_step_is() {
        // One foot goes up by 0.2 m in the first half second and stays; the other follows it, or does not.
        let run = |follows: f64| {
            detected(60.0, 180, &ContactOptions::default(), |time| {
                let raised = Vec3::new(0.1, 0.2 * ease(2.0 * time), 0.3 * ease(2.0 * time));
                let other = follows * ease(2.0 * time - 2.0);
                ([raised, Vec3::new(-0.1, 0.25 * other, 0.5 * other)], Vec3::y())
            })
        };
        assert!(run(0.0)[60..].iter().all(|states| !states[0] && states[1]));
        assert!(run(1.0)[150..].iter().all(|states| states[0]), "the foot on the step carries");
    }

    #[test]
    fn a_foot_that_hovers_beside_one_that_stands_is_not_planted() {
        // Heel and ball of two feet; the first is lifted slowly by a part of a leg, or stands as much higher all the time.
        for (height, stays) in [(0.02, true), (0.08, false)] {
            for still_counts in [false, true] {
                let options = ContactOptions { still_counts, ..ContactOptions::default() };
                let mut detector = Detector::new(vec![0.0; 4], 0.9, 1.0 / 60.0, &options);
                let mut found = Vec::new();
                for frame in 0..180 {
                    let up = Vec3::y() * (0.9 * height * ease(2.0 * (f64::from(frame) / 60.0 - 1.0)));
                    let (heel, ball) = (Vec3::new(0.1, 0.0, 0.0), Vec3::new(0.1, 0.0, 0.15));
                    let points = [heel + up, ball + up, heel - Vec3::x() * 0.2, ball - Vec3::x() * 0.2];
                    found.extend(detector.push(&points, Vec3::y()).map(<[bool]>::to_vec));
                }
                assert!(found[..60].iter().all(|states| states[0] && states[1]), "{height}");
                assert!(
                    found[100..].iter().all(|states| states[0] == stays && states[1] == stays),
                    "{height}"
                );
                assert!(found.iter().all(|states| states[2] && states[3]), "{height}");
            }
        }
    }

    #[test]
    fn memory_is_bounded_whatever_the_rate() {
        for frame_seconds in [1e-300, 1e-9, 1e9] {
            let options = ContactOptions { look_ahead: 0.25, ..ContactOptions::default() };
            let mut detector = Detector::new(vec![0.0; 2], 0.9, frame_seconds, &options);
            assert!(detector.samples.rows <= 2 * MOST_FRAMES + 1);
            let mut told = 0;
            for _ in 0..3 * MOST_FRAMES {
                told += usize::from(detector.push(&[Vec3::zeros(); 2], Vec3::y()).is_some());
            }
            assert_eq!(told, 3 * MOST_FRAMES - detector.latency());
            let drained = std::iter::from_fn(|| detector.drain().map(<[bool]>::len)).count();
            assert_eq!(drained, detector.latency());
        }
    }
}
