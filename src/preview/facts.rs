//! What a motion is like, in numbers and words, for people who look for one.

use super::character::{AnimatedCharacter, on_floor};
use super::motion_tags::{MotionTag, motion_tags};
use crate::math::{Bounds, Vec3, atan2};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Measurements of the motion of a character, as the page of a motion library holds them. Lengths are in metres of the
/// character; numbers are rounded for people, to hundredths if nothing else is said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct PreviewFacts {
    /// Duration.
    pub seconds: f64,
    /// Distance over the floor from its first to its last position.
    pub travel: f64,
    /// Whether it goes anywhere: by more than half the character's height.
    pub travels: bool,
    /// Mean speed over the floor in metres a second; of the floor under a motion that stays in place as on a treadmill.
    pub speed: f64,
    /// The same in leg lengths a second, which compares characters of any size; zero without legs.
    pub speed_legs: f64,
    /// Metres of a leg, by which speeds are divided; zero without legs.
    pub leg: f64,
    /// The highest speed over a quarter of a second.
    pub top_speed: f64,
    /// Net rotation of its front in whole degrees, positive to its left.
    pub turn: f64,
    /// Share of the time without a planted foot, from 0 to 1.
    pub airborne: f64,
    /// Mean distance of a planted foot from the middle of its stance, over the stances, to a tenth.
    #[serde(rename = "slide")]
    pub slide_millimetres: f64,
    /// The same for the worst stance.
    #[serde(rename = "worst_slide")]
    pub worst_slide_millimetres: f64,
    /// Number of stances.
    pub stances: usize,
    /// Path of the hips over the floor, x and z, to a millimetre.
    pub path: Vec<[f64; 2]>,
    /// Height of what carries it at the points of the path, to a millimetre; empty if that is the floor all the time.
    pub ground: Vec<f64>,
    /// Speed over the floor at the points of the path.
    pub speeds: Vec<f64>,
    /// For each foot its stances: begin and end in seconds.
    pub contacts: Vec<Vec<[f64; 2]>>,
    /// What a person should know: what was repaired in the file, where the character falls short.
    pub notes: Vec<String>,
    /// What kind of motion it seems to be.
    pub tags: Vec<MotionTag>,
}

/// The most points of a path or curve.
const POINTS: usize = 96;
/// Seconds over which speed is measured.
const SPEED_WINDOW: f64 = 0.25;
/// Millimetres in a metre.
const MILLIMETRES: f64 = 1e3;

impl PreviewFacts {
    /// Measures an animated character. `notes` are what a person should know about its motion.
    pub fn of(animated: &AnimatedCharacter, notes: Vec<String>) -> PreviewFacts {
        let (frames, rate) = (animated.frames(), animated.frames_per_second);
        let floor: Vec<Vec3> = animated.root.iter().map(on_floor).collect();
        let speeds = speeds(&floor, rate);
        let stances: Vec<Vec<[usize; 2]>> =
            (0..animated.character.soles.len()).map(|sole| stances(animated, sole)).collect();
        let airborne = (0..frames).filter(|&frame| animated.is_airborne(frame)).count();
        let step = frames.div_ceil(POINTS).max(1);
        let speed = match animated.in_place_speed {
            still if still > 0.0 => still,
            _ => speeds.iter().sum::<f64>() / frames as f64,
        };
        let mut facts = PreviewFacts {
            seconds: animated.seconds(),
            travel: (floor[frames - 1] - floor[0]).norm(),
            travels: Bounds::of(&floor).extent().norm() > 0.5 * animated.character.height(),
            speed,
            speed_legs: if animated.leg > 0.0 { speed / animated.leg } else { 0.0 },
            leg: rounded(animated.leg, MILLIMETRES),
            top_speed: speeds.iter().copied().fold(0.0, f64::max),
            turn: net_turn(animated).to_degrees(),
            airborne: airborne as f64 / frames as f64,
            slide_millimetres: animated.slide[0] * MILLIMETRES,
            worst_slide_millimetres: animated.slide[1] * MILLIMETRES,
            stances: stances.iter().map(Vec::len).sum(),
            path: floor.iter().step_by(step).map(|p| [p.x, p.z]).collect(),
            ground: ground_below(animated, step),
            speeds: speeds.into_iter().step_by(step).collect(),
            contacts: stances
                .iter()
                .map(|spans| spans.iter().map(|span| span.map(|frame| frame as f64 / rate)).collect())
                .collect(),
            notes,
            tags: Vec::new(),
        };
        facts.tags = motion_tags(animated, &facts);
        facts.round();
        facts
    }

    /// Rounds all numbers for people.
    fn round(&mut self) {
        let PreviewFacts { seconds, travel, speed, speed_legs, top_speed, airborne, .. } = self;
        let single = [seconds, travel, speed, speed_legs, top_speed, airborne];
        let spans = self.contacts.iter_mut().flatten().flatten();
        single.into_iter().chain(&mut self.speeds).chain(spans).for_each(|x| *x = rounded(*x, 100.0));
        self.turn = self.turn.round();
        for slide in [&mut self.slide_millimetres, &mut self.worst_slide_millimetres] {
            *slide = rounded(*slide, 10.0);
        }
        let heights = self.path.iter_mut().flatten().chain(&mut self.ground);
        heights.for_each(|x| *x = rounded(*x, MILLIMETRES));
    }
}

/// The nearest multiple of one over `grains`.
pub(super) fn rounded(value: f64, grains: f64) -> f64 {
    (value * grains).round() / grains
}

/// For each frame the speed over a window around it.
fn speeds(floor: &[Vec3], rate: f64) -> Vec<f64> {
    let frames = floor.len();
    let window = ((SPEED_WINDOW * rate).round() as usize).clamp(1, frames.max(2) - 1);
    (0..frames)
        .map(|frame| {
            let first = frame.saturating_sub(window / 2).min(frames.saturating_sub(window + 1));
            let last = (first + window).min(frames - 1);
            let distance = (floor[last] - floor[first]).norm();
            if last == first { 0.0 } else { distance * rate / (last - first) as f64 }
        })
        .collect()
}

/// The heights of what carries a character in some of its frames, if it leaves the floor.
fn ground_below(animated: &AnimatedCharacter, step: usize) -> Vec<f64> {
    let heights = animated.support_heights();
    let is_level = heights.iter().all(|height| *height == 0.0);
    if is_level { Vec::new() } else { heights.into_iter().step_by(step).collect() }
}

/// Runs of frames in which a sole is planted, each with the frame after its last.
fn stances(animated: &AnimatedCharacter, sole: usize) -> Vec<[usize; 2]> {
    let mut spans: Vec<[usize; 2]> = Vec::new();
    for frame in (0..animated.frames()).filter(|&frame| animated.planted[frame][sole]) {
        match spans.last_mut().filter(|span| span[1] == frame) {
            Some(span) => span[1] += 1,
            None => spans.push([frame, frame + 1]),
        }
    }
    spans
}

/// Net rotation of the body about the vertical, in radians. How far apart the fronts of the first and the last frame are is
/// exact, but knows no whole turns; the sum of the rotations from frame to frame knows them, but drifts. A somersault turns the
/// front about and is no turn.
fn net_turn(animated: &AnimatedCharacter) -> f64 {
    let hips = animated.character.hips;
    let sum: f64 = animated
        .poses
        .windows(2)
        .map(|pair| (pair[1][hips].rotation * pair[0][hips].rotation.inverse()).scaled_axis().y)
        .sum();
    let (first, last) = (animated.facing(0), animated.facing(animated.frames() - 1));
    // Seen from above, from +Z to +X is to the left.
    let apart = atan2(first.z * last.x - first.x * last.z, first.dot(&last));
    apart + TAU * ((sum - apart) / TAU).round()
}

#[cfg(test)]
mod tests {
    use super::super::test_character::{ball, moved};
    use super::*;

    #[test]
    fn a_way_has_a_length_a_speed_and_a_stance() {
        let character = ball();
        let places: Vec<Vec3> = (0..21).map(|frame| Vec3::new(0.0, 0.0, 0.1 * f64::from(frame))).collect();
        let facts = PreviewFacts::of(&moved(&character, &places), Vec::new());
        assert!((facts.speed_legs - 2.0).abs() < 1e-9);
        assert!((facts.speed - 1.0).abs() < 1e-9 && (facts.top_speed - 1.0).abs() < 1e-9);
        assert!((facts.travel - 2.0).abs() < 1e-9 && facts.travels && facts.stances == 1);
        assert_eq!(facts.contacts, [vec![[0.0, 2.1]]]);
        assert_eq!((facts.airborne, facts.tags.as_slice()), (0.0, &[MotionTag::Walk][..]));
    }

    #[test]
    fn a_turn_adds_up_beyond_half_a_circle() {
        let character = ball();
        let mut animated = moved(&character, &[Vec3::zeros(); 19]);
        for (frame, poses) in animated.poses.iter_mut().enumerate() {
            poses[1] = nalgebra::Isometry3::rotation(Vec3::y() * (15.0 * frame as f64).to_radians());
        }
        let facts = PreviewFacts::of(&animated, Vec::new());
        assert!((facts.turn - 270.0).abs() < 1e-6 && facts.tags.contains(&MotionTag::Turn));
        assert_eq!(
            PreviewFacts::of(&moved(&character, &[Vec3::zeros()]), Vec::new()).speeds,
            [0.0],
            "one frame is enough"
        );
    }
}
