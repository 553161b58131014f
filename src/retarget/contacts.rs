//! When the feet of a motion are planted: causal, with a bounded look-ahead.
//!
//! A foot is planted where it is slow and near the ground. Both are judged with hysteresis, in leg lengths and seconds,
//! never in frames or file units. Captured feet that stand show 0.04 to 0.15 leg lengths a second of noise and roll:
//! a threshold below 0.2 cuts stances to pieces, one above 0.6 takes in the swing.

use super::figure::Figure;
use super::reference::Source;
use crate::math::Vec3;
use crate::motion::Motion;
use crate::skeleton::naming::{Limb, Segment, Side};
use std::collections::VecDeque;

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
/// Contacts that are shorter are none; a runner's are short.
const SHORTEST_CONTACT: f64 = 0.080;
const SHORTEST_RUNNING_CONTACT: f64 = 0.050;
/// Leg lengths a second from which on the pelvis runs.
const RUNNING: f64 = 2.5;
/// Gaps that are shorter are bridged.
const SHORTEST_GAP: f64 = 0.040;
/// Time over which speed is measured.
const SPEED_WINDOW: f64 = 0.025;
/// How fast the floor follows the feet that stand on it, in parts a second.
const FLOOR_RATE: f64 = 6.0;

/// Options of the detection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactOptions {
    /// Seconds of motion that are known ahead, from 0 to 0.25. Without them a contact begins up to 25 ms late.
    pub look_ahead: f64,
}

impl Default for ContactOptions {
    /// A tenth of a second.
    fn default() -> ContactOptions {
        ContactOptions { look_ahead: 0.1 }
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

/// The planted feet of a motion. A rest pose in frame 0 takes the state of frame 1.
pub fn detect(motion: &Motion, source: &Source, options: &ContactOptions) -> Vec<FootContacts> {
    let figure = &source.figure;
    let feet: Vec<Foot> = figure.legs().into_iter().filter_map(|leg| Foot::of(figure, leg)).collect();
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
    let mut push = |states: Option<Vec<bool>>| {
        let Some(states) = states else { return };
        for (foot, state) in contacts.iter_mut().zip(states.chunks_exact(2)) {
            foot.heel.push(state[0]);
            foot.ball.push(state[1]);
        }
    };
    let first = usize::from(source.has_rest_frame && motion.frames > 1);
    let mut pose = motion.pose(first);
    for frame in first..motion.frames {
        motion.pose_into(frame, &mut pose);
        let at = |joint: usize| source.figure_from_file * pose.positions[joint];
        let points = feet.iter().flat_map(|foot| foot.points).map(at).collect();
        let pelvis = hips.iter().map(|&joint| at(joint)).sum::<Vec3>() / hips.len() as f64;
        push(detector.push(points, pelvis));
    }
    while let Some(states) = detector.drain() {
        push(Some(states));
    }
    if first == 1 {
        for foot in &mut contacts {
            foot.heel.insert(0, foot.heel[0]);
            foot.ball.insert(0, foot.ball[0]);
        }
    }
    contacts
}

struct Foot {
    leg: (Limb, Side),
    /// Heel and ball.
    points: [usize; 2],
}

impl Foot {
    fn of(figure: &Figure, leg: (Limb, Side)) -> Option<Foot> {
        let joint = |segment: Segment| figure.limb(leg.0, leg.1, segment);
        let heel = joint(Segment::End).or(joint(Segment::Tip)).or(joint(Segment::Lower))?;
        let ball = joint(Segment::Toes).or(joint(Segment::Tip)).unwrap_or(heel);
        Some(Foot { leg, points: [heel, ball] })
    }
}

/// One frame of all points.
struct Sample {
    points: Vec<Vec3>,
    pelvis: Vec3,
}

/// What is known of a point from frame to frame.
#[derive(Clone, Default)]
struct State {
    is_on: bool,
    /// Frames since it became slow, and how many of them it was the lowest point.
    rest: usize,
    lowest: usize,
}

/// Detects contacts frame by frame: what it says of a frame depends on no frame later than the look-ahead.
pub struct Detector {
    /// Height of each point above the ground when it stands.
    standing: Vec<f64>,
    leg_length: f64,
    frame_seconds: f64,
    ahead: usize,
    /// Frames on each side over which speed is measured.
    window: usize,
    /// Samples from `window` frames before the current one to the newest.
    samples: VecDeque<Sample>,
    /// Place of the current frame among the samples.
    current: usize,
    /// Frames that were pushed but not answered.
    waiting: usize,
    states: Vec<State>,
    floor: Option<f64>,
}

impl Detector {
    /// For points that have these heights above the ground when they stand. All lengths are in the unit of `leg_length`.
    pub fn new(
        standing: Vec<f64>,
        leg_length: f64,
        frame_seconds: f64,
        options: &ContactOptions,
    ) -> Detector {
        let states = vec![State::default(); standing.len()];
        Detector {
            standing,
            leg_length: leg_length.max(f64::MIN_POSITIVE),
            frame_seconds,
            ahead: (options.look_ahead.clamp(0.0, 0.25) / frame_seconds).round() as usize,
            window: ((0.5 * SPEED_WINDOW / frame_seconds).round() as usize).max(1),
            samples: VecDeque::new(),
            current: 0,
            waiting: 0,
            states,
            floor: None,
        }
    }

    /// Takes a frame, +Y up; returns the states of the points as many frames ago as it looks ahead, once there are so many.
    pub fn push(&mut self, points: Vec<Vec3>, pelvis: Vec3) -> Option<Vec<bool>> {
        self.samples.push_back(Sample { points, pelvis });
        self.waiting += 1;
        (self.waiting > self.ahead).then(|| self.step())
    }

    /// The states of the next frame after the last push; `None` when all are told.
    pub fn drain(&mut self) -> Option<Vec<bool>> {
        (self.waiting > 0).then(|| self.step())
    }

    fn step(&mut self) -> Vec<bool> {
        let floor = *self.floor.get_or_insert_with(|| {
            let height = |sample: &Sample| lowest(&sample.points, &self.standing);
            self.samples.iter().map(height).fold(f64::INFINITY, f64::min)
        });
        let lowest_now = lowest(&self.samples[self.current].points, &self.standing);
        let is_running = self.pelvis_speed() > RUNNING;
        let shortest = if is_running { SHORTEST_RUNNING_CONTACT } else { SHORTEST_CONTACT };
        let mut floor_moves: Option<f64> = None;
        let mut answer = Vec::with_capacity(self.standing.len());
        for point in 0..self.standing.len() {
            let height = self.height(point, self.current);
            let speed = self.speed(point, self.current);
            let mut state = self.states[point].clone();
            if speed < FAST {
                state.rest += 1;
                state.lowest += usize::from(height < lowest_now + 0.5 * NEAR * self.leg_length);
            } else {
                (state.rest, state.lowest) = (0, 0);
            }
            let above = (height - floor) / self.leg_length;
            let is_resting = state.rest as f64 * self.frame_seconds >= REST_SECONDS
                && state.lowest as f64 >= LOWEST_SHARE * state.rest as f64;
            let wanted = if state.is_on {
                let leaves = speed > FAST || (above > HIGH && !is_resting);
                !leaves || self.is_bridged(point, floor)
            } else {
                let (slow, near) = self.medians_ahead(point, floor, shortest);
                (speed < SLOW && slow < SLOW) && ((above < NEAR && near < NEAR) || is_resting)
            };
            state.is_on = wanted;
            if wanted {
                floor_moves = Some(floor_moves.map_or(height, |other: f64| other.min(height)));
            }
            self.states[point] = state;
            answer.push(wanted);
        }
        if let Some(height) = floor_moves {
            let share = 1.0 - (-FLOOR_RATE * self.frame_seconds).exp();
            self.floor = Some(floor + share * (height - floor));
        }
        self.waiting -= 1;
        self.current += 1;
        if self.current > self.window {
            self.samples.pop_front();
            self.current -= 1;
        }
        answer
    }

    /// Height of a point above where it is when it stands on y = 0.
    fn height(&self, point: usize, sample: usize) -> f64 {
        self.samples[sample].points[point].y - self.standing[point]
    }

    /// Leg lengths a second, over frames on both sides as far as they are known.
    fn speed(&self, point: usize, sample: usize) -> f64 {
        let from = sample.saturating_sub(self.window);
        let to = (sample + self.window).min(self.samples.len() - 1);
        if to == from {
            return 0.0;
        }
        let way = (self.samples[to].points[point] - self.samples[from].points[point]).norm();
        way / ((to - from) as f64 * self.frame_seconds) / self.leg_length
    }

    fn pelvis_speed(&self) -> f64 {
        let from = self.current.saturating_sub(self.window);
        let to = (self.current + self.window).min(self.samples.len() - 1);
        let way = (self.samples[to].pelvis - self.samples[from].pelvis).norm();
        way / ((to - from).max(1) as f64 * self.frame_seconds) / self.leg_length
    }

    /// Medians of speed and height over the frames that a contact must last, as far as they are known.
    fn medians_ahead(&self, point: usize, floor: f64, seconds: f64) -> (f64, f64) {
        let frames = (seconds / self.frame_seconds).ceil() as usize;
        let last = (self.current + frames.min(self.ahead)).min(self.samples.len() - 1);
        let median = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let known = self.current..=last;
        (
            median(known.clone().map(|sample| self.speed(point, sample)).collect()),
            median(known.map(|sample| (self.height(point, sample) - floor) / self.leg_length).collect()),
        )
    }

    /// Whether a point that leaves comes back before the gap counts.
    fn is_bridged(&self, point: usize, floor: f64) -> bool {
        let frames = (SHORTEST_GAP / self.frame_seconds).floor() as usize;
        let last = (self.current + frames.min(self.ahead)).min(self.samples.len() - 1);
        (self.current + 1..=last).any(|sample| {
            self.speed(point, sample) < SLOW && (self.height(point, sample) - floor) / self.leg_length < NEAR
        })
    }
}

/// The height of the lowest point above where it stands.
fn lowest(points: &[Vec3], standing: &[f64]) -> f64 {
    points.iter().zip(standing).map(|(point, standing)| point.y - standing).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A foot that stands for 0.4 s of every second and swings 1 m high and far in between, at a rate.
    fn steps(rate: f64, seconds: f64, noise: f64) -> (Vec<bool>, Vec<bool>) {
        let mut detector = Detector::new(vec![0.0, 0.0], 0.9, 1.0 / rate, &ContactOptions::default());
        let (mut truth, mut found) = (Vec::new(), Vec::new());
        for frame in 0..(seconds * rate) as usize {
            let time = frame as f64 / rate;
            let (step, phase) = (time.floor(), time.fract());
            let swing = ((phase - 0.4) / 0.6).max(0.0);
            let ease = swing * swing * (3.0 - 2.0 * swing);
            let shake = noise * (frame as f64 * 2.4).sin();
            let foot =
                Vec3::new(shake, 0.3 * (std::f64::consts::PI * swing).sin(), step + ease + 0.7 * shake);
            truth.push(phase < 0.4);
            // The other point stays in the air.
            let air = Vec3::new(0.2, 0.5, time * 1.5);
            found.extend(detector.push(vec![foot, air], Vec3::new(0.0, 1.0, time)));
        }
        found.extend(std::iter::from_fn(|| detector.drain()));
        assert!(found.iter().all(|states| !states[1]), "a point in the air is not planted");
        (truth, found.iter().map(|states| states[0]).collect())
    }

    #[test]
    fn steps_are_found_at_every_rate() {
        for rate in [30.0, 60.0, 120.0] {
            let (truth, found) = steps(rate, 4.0, 0.0);
            assert_eq!(truth.len(), found.len());
            let agree = truth.iter().zip(&found).filter(|(a, b)| a == b).count();
            assert!(agree as f64 > 0.88 * truth.len() as f64, "{rate}: {agree} of {}", truth.len());
            let starts = |states: &[bool]| states.windows(2).filter(|pair| !pair[0] && pair[1]).count();
            assert_eq!(starts(&found), starts(&truth), "{rate}");
        }
    }

    #[test]
    fn noise_of_captures_does_not_cut_stances() {
        let (_, clean) = steps(120.0, 4.0, 0.0);
        // 0.3 % of a leg.
        let (_, noisy) = steps(120.0, 4.0, 0.0027 * 0.3);
        let starts = |states: &[bool]| states.windows(2).filter(|pair| !pair[0] && pair[1]).count();
        assert_eq!(starts(&clean), starts(&noisy));
    }

    #[test]
    fn a_jump_has_no_contact_at_its_turning_point() {
        let rate = 60.0;
        let mut detector = Detector::new(vec![0.0, 0.0], 0.9, 1.0 / rate, &ContactOptions::default());
        let mut found = Vec::new();
        for frame in 0..120 {
            let time = f64::from(frame) / rate - 0.7;
            // Up at 0, down at 0.5 s: 0.3 m.
            let height = if (0.0..0.5).contains(&time) { 0.5 * 9.81 * time * (0.5 - time) } else { 0.0 };
            let foot = Vec3::new(0.0, height, 0.0);
            found.extend(detector.push(vec![foot, foot], Vec3::new(0.0, 0.9 + height, 0.0)));
        }
        found.extend(std::iter::from_fn(|| detector.drain()));
        assert!(found[..38].iter().all(|states| states[0]));
        assert!(found[46..68].iter().all(|states| !states[0]));
        assert!(found[78..].iter().all(|states| states[0]));
    }

    #[test]
    fn a_raised_still_foot_is_not_planted_but_one_on_a_step_is() {
        let rate = 60.0;
        let run = |balance: bool| {
            let mut detector = Detector::new(vec![0.0, 0.0], 0.9, 1.0 / rate, &ContactOptions::default());
            let mut found = Vec::new();
            for frame in 0..180 {
                let time = f64::from(frame) / rate;
                // One foot goes up by 0.2 m in the first second and stays; the other follows it, or does not.
                let ease = |t: f64| {
                    let t = t.clamp(0.0, 1.0);
                    t * t * (3.0 - 2.0 * t)
                };
                let raised = Vec3::new(0.1, 0.2 * ease(2.0 * time), 0.3 * ease(2.0 * time));
                let other = if balance { 0.0 } else { ease(2.0 * time - 2.0) };
                let other = Vec3::new(-0.1, 0.25 * other, 0.5 * other);
                found.extend(detector.push(vec![raised, other], Vec3::new(0.0, 1.0, 0.0)));
            }
            found.extend(std::iter::from_fn(|| detector.drain()));
            found
        };
        let balancing = run(true);
        assert!(balancing[60..].iter().all(|states| !states[0] && states[1]));
        let climbing = run(false);
        assert!(climbing[150..].iter().all(|states| states[0]), "the foot on the step carries");
    }
}
