//! What a motion is, in numbers and words, for people who look for one.

use super::character::AnimatedCharacter;
use crate::math::{Bounds, Vec3, atan2, square};

/// What is known about the motion of a character. Lengths are in metres of the character.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewFacts {
    /// How long it takes.
    pub seconds: f64,
    /// How far from its start it ends, over the floor.
    pub travel: f64,
    /// Whether it goes anywhere.
    pub travels: bool,
    /// Mean speed over the floor, a second; of the floor under a motion that stays in place as on a treadmill.
    pub speed: f64,
    /// The most speed over a quarter of a second.
    pub top_speed: f64,
    /// By how much its front turns in total, in degrees, positive to its left.
    pub turn: f64,
    /// Share of the time without a planted foot, from 0 to 1.
    pub airborne: f64,
    /// How far a planted foot moves from the middle of its stance, on average over the stances.
    pub slide: f64,
    /// The same for the worst stance.
    pub worst_slide: f64,
    /// How many stances there are.
    pub stances: usize,
    /// The way of the hips over the floor, x and z.
    pub path: Vec<[f64; 2]>,
    /// Speed over the floor along time.
    pub speeds: Vec<f64>,
    /// For each foot its stances: begin and end in seconds.
    pub contacts: Vec<Vec<[f64; 2]>>,
    /// What kind of motion it seems to be.
    pub tags: Vec<MotionTag>,
}

/// A guess at the kind of a motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MotionTag {
    /// It goes on foot, with a foot on the ground.
    Walk,
    /// It goes faster than one walks.
    Run,
    /// It leaves the ground upwards.
    Jump,
    /// It ends facing elsewhere.
    Turn,
    /// It sits or crouches.
    Sit,
    /// It lies or crawls.
    Lie,
    /// It steps on the spot.
    Dance,
    /// It stands and moves its arms or trunk.
    Gesture,
    /// It stands and hardly moves.
    Idle,
}

impl MotionTag {
    /// As people search for it.
    pub fn name(self) -> &'static str {
        match self {
            MotionTag::Walk => "walk",
            MotionTag::Run => "run",
            MotionTag::Jump => "jump",
            MotionTag::Turn => "turn",
            MotionTag::Sit => "sit",
            MotionTag::Lie => "lie",
            MotionTag::Dance => "dance",
            MotionTag::Gesture => "gesture",
            MotionTag::Idle => "idle",
        }
    }
}

/// Points of a path or curve that a page draws.
const POINTS: usize = 96;
/// Seconds over which speed is measured.
const SPEED_WINDOW: f64 = 0.25;
/// Seconds over which a way counts: one who sways or dances comes back within them.
const WAY_WINDOW: f64 = 1.0;
/// Gravity over the height of the hips, in a second squared, of people: their motions are of people's time, whatever the size
/// of the character. Animals are taken as large as their characters are.
const GRAVITY: f64 = 9.81;
const PERSON_HIPS: f64 = 0.95;
/// Froude numbers, v² / (g · hip height), at which people and animals of all sizes change their gait: from standing
/// about to walking, and from walking to running (Alexander 1989, "Optimization and gaits in the locomotion of
/// vertebrates").
const WALKS: f64 = 0.01;
const RUNS: f64 = 0.5;
/// Share of the time that one must go to be one who goes, and how steady the course must be, as seen from the body, from 0
/// to 1: one who turns round while drifting, a dancer, has none.
const GOES: f64 = 0.4;
const STEADY: f64 = 0.5;
/// The shortest flight of a jump in seconds, and its least rise in parts of the height of the hips: runners fly for less
/// than half as long and rise by a tenth.
const FLIGHT: f64 = 0.2;
const RISE: f64 = 0.06;
/// In a flight the body falls: the least part of gravity that it shows. Feet that leave the ground while the body is
/// carried, on stairs or by a bad capture, show none.
const FALLS: f64 = 0.4;
/// Net degrees of a turn.
const TURNS: f64 = 60.0;
/// Height of the hips, in parts of their height at rest, below which a character sits or crouches, and lies or crawls, for
/// at least a quarter of the time.
const SITS: f64 = 0.7;
const LIES: f64 = 0.35;
const LONG: f64 = 0.25;
/// Mean speed of the liveliest joint around the hips, in heights a second: slower is idle. A hand that waves has a quarter
/// of a height, those of one who breathes and looks around a twentieth.
const LIVELY: f64 = 0.12;
/// Stances in a second of one who dances on the spot: a slow dancer has one, one who stands and waves half of that.
const STEPS: f64 = 0.7;
/// Of a gait in place no foot is ever still, and each swings to and fro by more than this part of the height of the hips.
const SWINGS: f64 = 0.35;

impl PreviewFacts {
    /// Measures an animated character.
    pub fn of(animated: &AnimatedCharacter) -> PreviewFacts {
        let frames = animated.frames();
        let level: Vec<Vec3> = animated.root.iter().map(|p| Vec3::new(p.x, 0.0, p.z)).collect();
        let rate = animated.frames_per_second;
        let travel = (level[frames - 1] - level[0]).norm();
        let window = ((SPEED_WINDOW * rate).round() as usize).clamp(1, frames.max(2) - 1);
        let speed_at = |frame: usize| {
            let first = frame.saturating_sub(window / 2).min(frames.saturating_sub(window + 1));
            let last = (first + window).min(frames - 1);
            if last == first {
                0.0
            } else {
                (level[last] - level[first]).norm() * rate / (last - first) as f64
            }
        };
        let all_speeds: Vec<f64> = (0..frames).map(speed_at).collect();
        let height = animated.character.height();
        let stances: Vec<Vec<[usize; 2]>> =
            (0..animated.character.soles.len()).map(|sole| stances(animated, sole)).collect();
        let in_air = |frame: usize| !animated.planted[frame].iter().any(|planted| *planted);
        let airborne = if stances.is_empty() {
            0.0
        } else {
            (0..frames).filter(|&frame| in_air(frame)).count() as f64 / frames as f64
        };
        let sampled = || (0..frames).step_by(frames.div_ceil(POINTS).max(1));
        let mut facts = PreviewFacts {
            seconds: animated.seconds(),
            travel,
            travels: Bounds::of(&level).extent().norm() > 0.5 * height,
            speed: if animated.in_place_speed > 0.0 {
                animated.in_place_speed
            } else {
                all_speeds.iter().sum::<f64>() / frames as f64
            },
            top_speed: all_speeds.iter().copied().fold(0.0, f64::max),
            turn: net_turn(animated).to_degrees(),
            airborne,
            slide: animated.slide[0],
            worst_slide: animated.slide[1],
            stances: stances.iter().map(Vec::len).sum(),
            path: sampled().map(|frame| [level[frame].x, level[frame].z]).collect(),
            speeds: sampled().map(|frame| all_speeds[frame]).collect(),
            contacts: stances
                .iter()
                .map(|spans| spans.iter().map(|span| span.map(|frame| frame as f64 / rate)).collect())
                .collect(),
            tags: Vec::new(),
        };
        facts.tags = tags(animated, &facts, height);
        facts
    }
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

/// The sum of all turns of the front, in radians.
fn net_turn(animated: &AnimatedCharacter) -> f64 {
    let step = |frame: usize| {
        let (a, b) = (animated.facing(frame - 1), animated.facing(frame));
        // Seen from above, from +Z to +X is to the left.
        atan2(a.z * b.x - a.x * b.z, a.dot(&b))
    };
    (1..animated.frames()).map(step).sum()
}

fn tags(animated: &AnimatedCharacter, facts: &PreviewFacts, height: f64) -> Vec<MotionTag> {
    let frames = animated.frames();
    let hips = animated.character.hips;
    let at_rest = animated.character.joints[hips].rest.translation.vector.y.max(0.05 * height);
    let falling = GRAVITY / if animated.character.soles.len() > 2 { at_rest } else { PERSON_HIPS };
    let share_below =
        |part: f64| animated.root.iter().filter(|p| p.y < part * at_rest).count() as f64 / frames as f64;
    let (low, flat) = (share_below(SITS), share_below(LIES));
    let mut tags = Vec::new();
    if let Some(speed) = going(animated, facts, at_rest, falling) {
        let froude = square(speed / at_rest) / falling;
        if froude >= RUNS {
            tags.push(MotionTag::Run);
        } else if flat < LONG {
            tags.push(MotionTag::Walk);
        }
    }
    if !tags.contains(&MotionTag::Run) && jumps(animated, at_rest, falling) {
        tags.push(MotionTag::Jump);
    }
    if flat >= LONG {
        tags.push(MotionTag::Lie);
    } else if low >= LONG && tags.is_empty() {
        tags.push(MotionTag::Sit);
    }
    let lively = liveliness(animated, hips) / height;
    if facts.turn.abs() >= TURNS {
        tags.push(MotionTag::Turn);
    }
    let only_turns = tags == [MotionTag::Turn] && lively < 2.0 * LIVELY;
    if tags.iter().all(|tag| *tag == MotionTag::Turn) && !only_turns {
        tags.push(if lively < LIVELY {
            MotionTag::Idle
        } else if facts.stances as f64 >= STEPS * facts.seconds && facts.stances > 3 {
            MotionTag::Dance
        } else {
            MotionTag::Gesture
        });
    }
    tags
}

/// The speed of one who goes somewhere, or would if the ground were still.
fn going(animated: &AnimatedCharacter, facts: &PreviewFacts, hip_height: f64, falling: f64) -> Option<f64> {
    if animated.in_place_speed > 0.0 {
        return Some(animated.in_place_speed);
    }
    if let Some(speed) = swinging(animated, facts, hip_height) {
        return Some(speed);
    }
    let frames = animated.frames();
    let window = ((WAY_WINDOW * animated.frames_per_second).round() as usize).clamp(1, frames.max(2) - 1);
    let fast = (WALKS * falling).sqrt() * hip_height;
    let (mut count, mut speeds, mut course) = (0.0, 0.0, Vec3::zeros());
    for frame in 0..frames.saturating_sub(window) {
        let way = animated.root[frame + window] - animated.root[frame];
        let velocity = Vec3::new(way.x, 0.0, way.z) * animated.frames_per_second / window as f64;
        if velocity.norm() > fast {
            let front = animated.facing(frame + window / 2);
            let left = Vec3::y().cross(&front);
            course += Vec3::new(velocity.dot(&left), 0.0, velocity.dot(&front)).normalize();
            speeds += velocity.norm();
            count += 1.0;
        }
    }
    let is_long = count > 0.0 && count >= GOES * frames.saturating_sub(window) as f64;
    let goes = facts.travels && is_long && course.norm() >= STEADY * count;
    goes.then_some(speeds / count)
}

/// The speed of a gait in place whose feet follow no ground: all of them swing, none is ever still.
fn swinging(animated: &AnimatedCharacter, facts: &PreviewFacts, hip_height: f64) -> Option<f64> {
    let (frames, soles) = (animated.frames(), animated.character.soles.len());
    if facts.travels || !animated.loops || facts.airborne < 0.5 || soles < 2 {
        return None;
    }
    let mut speeds = 0.0;
    for sole in 0..soles {
        let forth = |frame: usize| {
            (animated.sole(frame, sole)[1] - animated.root[frame]).dot(&animated.facing(frame))
        };
        let places: Vec<f64> = (0..frames).map(forth).collect();
        let most = places.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = places.iter().copied().fold(f64::INFINITY, f64::min);
        if most - least < SWINGS * hip_height {
            return None;
        }
        // A foot that goes back stays with the ground.
        let back: Vec<f64> =
            places.windows(2).map(|pair| pair[0] - pair[1]).filter(|way| *way > 0.0).collect();
        speeds += back.iter().sum::<f64>() / back.len().max(1) as f64 * animated.frames_per_second;
    }
    Some(speeds / soles as f64)
}

/// Whether there is a flight long and high enough, in which the body falls.
fn jumps(animated: &AnimatedCharacter, hip_height: f64, falling: f64) -> bool {
    let least = (FLIGHT * animated.frames_per_second).max(2.0) as usize;
    let in_air = |planted: &&Vec<bool>| !planted.is_empty() && planted.iter().all(|planted| !planted);
    let mut frame = 0;
    while frame < animated.frames() {
        let length = animated.planted[frame..].iter().take_while(in_air).count();
        if length >= least {
            let heights: Vec<f64> =
                animated.root[frame..frame + length].iter().map(|p| p.y / hip_height).collect();
            let top = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let fall = -curvature(&heights) * square(animated.frames_per_second);
            if top - heights[0] >= RISE && top >= 1.0 + RISE && fall >= FALLS * falling {
                return true;
            }
        }
        frame += length + 1;
    }
    false
}

/// The second derivative, a frame squared, of the parabola that fits values best.
fn curvature(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let middle = 0.5 * (count - 1.0);
    let at = |index: usize| index as f64 - middle;
    // The quadratic polynomial that is orthogonal to constants and straight lines on these places.
    let mean_square = (0..values.len()).map(|i| square(at(i))).sum::<f64>() / count;
    let basis = |index: usize| square(at(index)) - mean_square;
    let length: f64 = (0..values.len()).map(|i| square(basis(i))).sum();
    if length > 0.0 {
        2.0 * values.iter().enumerate().map(|(i, value)| basis(i) * value).sum::<f64>() / length
    } else {
        0.0
    }
}

/// Mean speed of the liveliest joint as seen from the hips.
fn liveliness(animated: &AnimatedCharacter, hips: usize) -> f64 {
    let joints = animated.character.joints.len();
    let place = |frame: usize, joint: usize| animated.joint(frame, joint) - animated.root[frame];
    let way = |joint: usize| -> f64 {
        (1..animated.frames()).map(|frame| (place(frame, joint) - place(frame - 1, joint)).norm()).sum()
    };
    let longest = (hips..joints).map(way).fold(0.0, f64::max);
    longest / animated.frames().saturating_sub(1).max(1) as f64 * animated.frames_per_second
}

#[cfg(test)]
mod tests {
    use super::super::character::tests::{ball, moved};
    use super::*;

    #[test]
    fn a_way_has_a_length_a_speed_and_a_stance() {
        let character = ball();
        let places: Vec<Vec3> = (0..21).map(|frame| Vec3::new(0.0, 0.0, 0.1 * f64::from(frame))).collect();
        let facts = PreviewFacts::of(&moved(&character, &places, true));
        assert!((facts.speed - 1.0).abs() < 1e-9 && (facts.top_speed - 1.0).abs() < 1e-9);
        assert!((facts.travel - 2.0).abs() < 1e-9 && facts.travels && facts.stances == 1);
        assert_eq!(facts.contacts, [vec![[0.0, 2.1]]]);
        assert_eq!((facts.airborne, facts.tags.as_slice()), (0.0, &[MotionTag::Walk][..]));
    }

    #[test]
    fn one_who_comes_back_within_a_second_goes_nowhere_and_one_on_a_treadmill_goes() {
        let character = ball();
        let sway =
            |frame: i32| Vec3::new(1.5 * (0.2 * std::f64::consts::PI * f64::from(frame)).sin(), 0.0, 0.0);
        let mut animated = moved(&character, &(0..40).map(sway).collect::<Vec<_>>(), true);
        let facts = PreviewFacts::of(&animated);
        assert!(facts.travels && facts.speed > 1.0 && !facts.tags.contains(&MotionTag::Walk), "{facts:?}");
        animated = moved(&character, &[Vec3::zeros(); 20], true);
        animated.in_place_speed = 1.2;
        let facts = PreviewFacts::of(&animated);
        assert_eq!((facts.tags, facts.travels, facts.speed), (vec![MotionTag::Walk], false, 1.2));
    }

    #[test]
    fn a_parabola_has_its_curvature() {
        let values: Vec<f64> = (0..9).map(|i| 3.0 - 2.0 * f64::from(i) + 0.7 * f64::from(i * i)).collect();
        assert!((curvature(&values) - 1.4).abs() < 1e-12);
        assert_eq!(curvature(&[1.0]), 0.0);
    }

    #[test]
    fn speed_by_the_height_of_the_hips_tells_walking_from_running() {
        let character = ball();
        let at = |speed: f64| {
            let places: Vec<Vec3> =
                (0..30).map(|frame| Vec3::new(0.1 * speed * f64::from(frame), 0.0, 0.0)).collect();
            PreviewFacts::of(&moved(&character, &places, true)).tags
        };
        // The change of one whose hips are at 1 m is at v² = 0.5 · 9.81 / 0.95, 2.3 metres a second.
        assert_eq!((at(1.9), at(2.5)), (vec![MotionTag::Walk], vec![MotionTag::Run]));
        assert_eq!(at(0.0), [MotionTag::Idle]);
    }

    #[test]
    fn a_flight_is_a_jump_and_a_seat_is_low() {
        let character = ball();
        let flight = |frame: i32| {
            if (5..10).contains(&frame) { 0.2 - 0.05 * f64::from((frame - 7).pow(2)) } else { 0.0 }
        };
        let places: Vec<Vec3> = (0..20).map(|frame| Vec3::new(0.0, flight(frame), 0.0)).collect();
        let mut animated = moved(&character, &places, true);
        (5..10).for_each(|frame| animated.planted[frame] = vec![false]);
        let facts = PreviewFacts::of(&animated);
        assert_eq!((facts.tags, facts.stances), (vec![MotionTag::Jump], 2));
        assert!((facts.airborne - 0.25).abs() < 1e-9);
        let low = moved(&character, &vec![Vec3::new(0.0, -0.5, 0.0); 10], true);
        assert_eq!(PreviewFacts::of(&low).tags, [MotionTag::Sit]);
    }

    #[test]
    fn a_turn_adds_up_beyond_half_a_circle() {
        let character = ball();
        let mut animated = moved(&character, &[Vec3::zeros(); 19], true);
        for (frame, poses) in animated.poses.iter_mut().enumerate() {
            poses[1] = nalgebra::Isometry3::rotation(Vec3::y() * (15.0 * frame as f64).to_radians());
        }
        let facts = PreviewFacts::of(&animated);
        assert!((facts.turn - 270.0).abs() < 1e-6 && facts.tags.contains(&MotionTag::Turn));
        assert_eq!(
            PreviewFacts::of(&moved(&character, &[Vec3::zeros()], true)).speeds,
            [0.0],
            "one frame is enough"
        );
    }
}
