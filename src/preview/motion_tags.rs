//! What kind of motion it is, by speed, height, contacts, liveliness and what the limbs do.

use super::character::{AnimatedCharacter, on_floor};
use super::facts::PreviewFacts;
use super::limb_actions::LimbActions;
use crate::math::{Parabola, Vec3, square};
use serde::{Deserialize, Serialize};

/// The kind of a motion, as its name says or as it moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum MotionTag {
    /// It is one pose, no motion.
    Pose,
    /// It goes on foot, with a foot on the ground.
    Walk,
    /// It goes faster than one walks.
    Run,
    /// It leaves the ground upwards.
    Jump,
    /// It steps up or down.
    Climb,
    /// It turns upside down: somersaults, cartwheels, handstands.
    Acrobatics,
    /// A stretched leg swings up.
    Kick,
    /// A bent arm shoots out.
    Punch,
    /// It fights in another way, as its name says.
    Fight,
    /// It throws or catches, as its name says.
    Throw,
    /// It falls or dies, as its name says.
    Fall,
    /// It swims, as its name says.
    Swim,
    /// It ends facing elsewhere.
    Turn,
    /// It sits or crouches.
    Sit,
    /// It lies.
    Lie,
    /// It goes on hands and knees or on its belly.
    Crawl,
    /// It steps on the spot.
    Dance,
    /// It waves a raised hand.
    Wave,
    /// It stands and moves its arms or trunk.
    Gesture,
    /// It stands and hardly moves.
    Idle,
}

/// Seconds over which a displacement counts as travel: who sways or dances comes back within them.
const TRAVEL_WINDOW: f64 = 1.0;
/// Gravity in metres a second squared.
const GRAVITY: f64 = 9.81;
/// Height of a person's hips in metres, for characters on two legs: their motions have the timing of people, whatever the
/// size of the character. Animals are as large as their characters.
const PERSON_HIPS: f64 = 0.95;
/// The lowest hips in parts of the character's height: a skeleton whose root lies on the floor has no hips there.
const LEAST_HIPS: f64 = 0.05;
/// Froude numbers, v² / (g · hip height), at which people and animals of all sizes change their gait: from standing
/// to walking, and from walking to running (Alexander 1989, "Optimization and gaits in the locomotion of vertebrates").
const WALKS: f64 = 0.01;
const RUNS: f64 = 0.5;
/// The least share of the time in motion of a gait, and the least steadiness of its direction as seen from the body, from
/// 0 to 1: a dancer who turns while drifting has none.
const GOES: f64 = 0.4;
const STEADY: f64 = 0.5;
/// The shortest flight of a jump in seconds, and its least rise in hip heights: runners fly for less than half as long and
/// rise by a tenth.
const FLIGHT: f64 = 0.2;
const RISE: f64 = 0.06;
/// The least part of gravity that a body in flight shows. Feet that leave the ground while the body is carried, on stairs
/// or by a bad capture, show none.
const FALLS: f64 = 0.4;
/// Net degrees of a turn.
const TURNS: f64 = 60.0;
/// Heights of the hips, in parts of their height at rest, below which a character sits or crouches, and lies or crawls; and
/// the share of the time that it must be there.
const SITS: f64 = 0.7;
const LIES: f64 = 0.35;
const LONG: f64 = 0.25;
/// Mean speed of the liveliest joint around the hips, in heights a second, below which a motion is idle. A waving hand has
/// 0.25, the hands of one who breathes and looks around 0.05.
const LIVELY: f64 = 0.12;
/// Stances a second of a dance on the spot: a slow dancer has 1, one who stands and waves 0.5.
const STEPS: f64 = 0.7;
/// The least swing of each foot of a gait in place, in hip heights.
const SWINGS: f64 = 0.35;

/// The upward part of the hips' axis below which a body is upside down: one who touches his toes tilts his hips by less than a
/// right angle.
const UPSIDE_DOWN: f64 = -0.5;
/// The least height of hips upside down, in hip heights. A roll over the ground lifts them to 0.65, one who swings his legs back
/// to get up to 0.48.
const SOMERSAULT: f64 = 0.55;
/// The share of the time with the front of the hips to the ground in which one crawls, the least downward part of that front,
/// and how far one comes then, in heights of the character.
const MOSTLY: f64 = 0.7;
const PRONE: f64 = 0.5;
const CRAWLS: f64 = 0.25;
/// Seconds of a gait beside which it is worth a word in a jump, kick or somersault: less is its run-up.
const RUN_UP: f64 = 4.0;
/// How much the heights of two stances of climbing differ, in hip heights. A step of stairs is 0.19; ramps and the soles of a
/// bad capture differ by less.
const CLIMBS: f64 = 0.15;

/// The kinds that a motion seems to be by how it moves.
pub(super) fn motion_tags(animated: &AnimatedCharacter, facts: &PreviewFacts) -> Vec<MotionTag> {
    if is_still(animated) {
        return vec![MotionTag::Pose];
    }
    let movement = Movement::of(animated);
    let mut tags = movement.actions();
    let gait = movement.gait(facts).filter(|_| !movement.crawls(facts));
    if tags.is_empty() || gait.is_some_and(|gait| gait.seconds >= RUN_UP) {
        tags.extend(gait.map(|gait| gait.tag));
    }
    tags.extend(movement.low(facts, &tags));
    if facts.turn.abs() >= TURNS {
        tags.push(MotionTag::Turn);
    }
    let lively = liveliness(animated) / animated.character.height();
    let only_turns = tags == [MotionTag::Turn] && lively < 2.0 * LIVELY;
    if tags.iter().all(|tag| *tag == MotionTag::Turn) && !only_turns {
        tags.insert(0, movement.on_the_spot(facts, lively));
    }
    tags
}

/// The farthest that a joint of a pose goes, in heights of the character, and rotates, in radians: files hold one pose twice, or
/// with rounding.
const STILL: f64 = 1e-3;

/// Whether it is one pose.
fn is_still(animated: &AnimatedCharacter) -> bool {
    let height = animated.character.height();
    let moves = |frame: usize, joint: usize| {
        let way = (animated.joint(frame, joint) - animated.joint(0, joint)).norm() / height;
        let [now, first] = [frame, 0].map(|frame| animated.poses[frame][joint].rotation);
        way.max(now.angle_to(&first)) > STILL
    };
    let joints = animated.character.joints.len();
    (1..animated.frames()).all(|frame| !(0..joints).any(|joint| moves(frame, joint)))
}

/// A motion and the measures by which it is judged.
struct Movement<'a> {
    animated: &'a AnimatedCharacter<'a>,
    hip_height: f64,
    /// In hip heights a second squared.
    gravity: f64,
}

/// A gait, and for how long.
#[derive(Clone, Copy)]
struct Gait {
    tag: MotionTag,
    seconds: f64,
}

impl<'a> Movement<'a> {
    fn of(animated: &'a AnimatedCharacter<'a>) -> Movement<'a> {
        let character = animated.character;
        let rest_height = character.joints[character.hips].rest.translation.vector.y;
        let hip_height = rest_height.max(LEAST_HIPS * character.height());
        let gravity = GRAVITY / if character.soles.len() > 2 { hip_height } else { PERSON_HIPS };
        Movement { animated, hip_height, gravity }
    }

    /// What it does beside standing and going, the most telling first.
    fn actions(&self) -> Vec<MotionTag> {
        let limbs = LimbActions::new(self.animated, self.hip_height);
        if self.is_upside_down() {
            return vec![MotionTag::Acrobatics];
        }
        let is_low = self.share_below(SITS) >= LONG;
        let actions = [
            (MotionTag::Kick, limbs.kicks()),
            (MotionTag::Punch, !is_low && limbs.punches()),
            (MotionTag::Jump, jumps(self.animated, self.hip_height, self.gravity)),
            (MotionTag::Climb, self.climbs()),
            (MotionTag::Wave, !is_low && limbs.waves()),
        ];
        actions.into_iter().filter(|(_, does)| *does).map(|(tag, _)| tag).collect()
    }

    fn is_upside_down(&self) -> bool {
        let least = SOMERSAULT * self.hip_height;
        let frames = 0..self.animated.frames();
        frames
            .filter(|&frame| self.animated.root[frame].y >= least)
            .any(|frame| self.of_hips(frame, Vec3::y()).y < UPSIDE_DOWN)
    }

    /// Whether it goes with its belly to the ground. Animals do so on their feet.
    fn crawls(&self, facts: &PreviewFacts) -> bool {
        let frames = self.animated.frames();
        let prone = (0..frames).filter(|&frame| self.of_hips(frame, Vec3::z()).y < -PRONE).count();
        prone as f64 >= MOSTLY * frames as f64 && facts.travel >= CRAWLS * self.animated.character.height()
    }

    /// A direction of the hips at rest in a frame.
    fn of_hips(&self, frame: usize, direction: Vec3) -> Vec3 {
        self.animated.poses[frame][self.animated.character.hips].rotation * direction
    }

    /// Whether the body goes up or down with the ground under its feet.
    fn climbs(&self) -> bool {
        let stances = self.stance_heights();
        let span = |values: &mut dyn Iterator<Item = f64>| {
            let (low, high) =
                values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
            high - low
        };
        let [feet, hips] = [0, 1].map(|which| span(&mut stances.iter().map(|heights| heights[which])));
        feet.min(hips) >= CLIMBS * self.hip_height
    }

    /// The heights of the foot and the hips for each frame and planted foot of an upright body.
    fn stance_heights(&self) -> Vec<[f64; 2]> {
        let animated = self.animated;
        let planted = |frame: usize| {
            let soles =
                (0..animated.character.soles.len()).filter(move |&sole| animated.planted[frame][sole]);
            soles.map(move |sole| {
                let [heel, toe] = animated.sole(frame, sole);
                [heel.y.min(toe.y), animated.root[frame].y]
            })
        };
        let heights = (0..animated.frames()).flat_map(planted);
        heights.filter(|[foot, hips]| hips - foot >= UPRIGHT * self.hip_height).collect()
    }

    /// Walking or running.
    fn gait(&self, facts: &PreviewFacts) -> Option<Gait> {
        let Speed { speed, seconds } = gait_speed(self.animated, facts, self.hip_height, self.gravity)?;
        let froude = square(speed / self.hip_height) / self.gravity;
        if froude >= RUNS {
            Some(Gait { tag: MotionTag::Run, seconds })
        } else {
            (self.share_below(LIES) < LONG).then_some(Gait { tag: MotionTag::Walk, seconds })
        }
    }

    /// Whether it is down on the ground or on a seat.
    fn low(&self, facts: &PreviewFacts, others: &[MotionTag]) -> Option<MotionTag> {
        if others.contains(&MotionTag::Acrobatics) {
            return None;
        }
        if self.crawls(facts) {
            return Some(MotionTag::Crawl);
        }
        if self.share_below(LIES) >= LONG {
            return Some(MotionTag::Lie);
        }
        (others.is_empty() && self.share_below(SITS) >= LONG).then_some(MotionTag::Sit)
    }

    /// What one does who stands.
    fn on_the_spot(&self, facts: &PreviewFacts, lively: f64) -> MotionTag {
        if lively < LIVELY {
            MotionTag::Idle
        } else if facts.stances as f64 >= STEPS * facts.seconds && facts.stances > 3 {
            MotionTag::Dance
        } else {
            MotionTag::Gesture
        }
    }

    /// Share of the time in which the hips are below a part of their height at rest.
    fn share_below(&self, part: f64) -> f64 {
        let low = self.animated.root.iter().filter(|p| p.y < part * self.hip_height).count();
        low as f64 / self.animated.frames() as f64
    }
}

/// The least height of the hips above a foot that carries them, in hip heights.
const UPRIGHT: f64 = 0.6;

/// A speed of a gait, and for how long.
struct Speed {
    speed: f64,
    seconds: f64,
}

/// The speed of a gait, over the ground or over a ground that would move under a gait in place.
fn gait_speed(
    animated: &AnimatedCharacter,
    facts: &PreviewFacts,
    hip_height: f64,
    gravity: f64,
) -> Option<Speed> {
    let in_place = Some(animated.in_place_speed).filter(|speed| *speed > 0.0);
    if let Some(speed) = in_place.or_else(|| swing_speed(animated, facts, hip_height)) {
        return Some(Speed { speed, seconds: animated.seconds() });
    }
    let frames = animated.frames();
    let window = ((TRAVEL_WINDOW * animated.frames_per_second).round() as usize).clamp(1, frames.max(2) - 1);
    let walks = (WALKS * gravity).sqrt() * hip_height;
    let (mut count, mut speeds, mut direction) = (0.0, 0.0, Vec3::zeros());
    for frame in 0..frames.saturating_sub(window) {
        let travel = on_floor(&(animated.root[frame + window] - animated.root[frame]));
        let velocity = travel * animated.frames_per_second / window as f64;
        if velocity.norm() > walks {
            let front = animated.facing(frame + window / 2);
            let left = Vec3::y().cross(&front);
            direction += Vec3::new(velocity.dot(&left), 0.0, velocity.dot(&front)).normalize();
            speeds += velocity.norm();
            count += 1.0;
        }
    }
    let is_long = count > 0.0 && count >= GOES * frames.saturating_sub(window) as f64;
    let goes = facts.travels && is_long && direction.norm() >= STEADY * count;
    goes.then_some(Speed { speed: speeds / count, seconds: count / animated.frames_per_second })
}

/// The speed of a gait in place without contacts: all feet swing, none is ever still.
fn swing_speed(animated: &AnimatedCharacter, facts: &PreviewFacts, hip_height: f64) -> Option<f64> {
    let (frames, soles) = (animated.frames(), animated.character.soles.len());
    if facts.travels || !animated.loops || facts.airborne < 0.5 || soles < 2 {
        return None;
    }
    let mut speeds = 0.0;
    for sole in 0..soles {
        let forwards: Vec<f64> = (0..frames)
            .map(|frame| (animated.sole(frame, sole)[1] - animated.root[frame]).dot(&animated.facing(frame)))
            .collect();
        let most = forwards.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = forwards.iter().copied().fold(f64::INFINITY, f64::min);
        if most - least < SWINGS * hip_height {
            return None;
        }
        // A foot that goes back stays with the ground.
        let back: Vec<f64> =
            forwards.windows(2).map(|pair| pair[0] - pair[1]).filter(|step| *step > 0.0).collect();
        speeds += back.iter().sum::<f64>() / back.len().max(1) as f64 * animated.frames_per_second;
    }
    Some(speeds / soles as f64)
}

/// Whether there is a flight long and high enough, in which the body falls.
fn jumps(animated: &AnimatedCharacter, hip_height: f64, gravity: f64) -> bool {
    let least = (FLIGHT * animated.frames_per_second).max(2.0) as usize;
    let mut frame = 0;
    while frame < animated.frames() {
        let length = (frame..animated.frames()).take_while(|&frame| animated.is_airborne(frame)).count();
        if length >= least {
            let heights: Vec<f64> =
                animated.root[frame..frame + length].iter().map(|p| p.y / hip_height).collect();
            let top = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let fall = -Parabola::through(&heights).curvature() * square(animated.frames_per_second);
            if top - heights[0] >= RISE && top >= 1.0 + RISE && fall >= FALLS * gravity {
                return true;
            }
        }
        frame += length + 1;
    }
    false
}

/// Mean speed of the fastest joint relative to the hips.
fn liveliness(animated: &AnimatedCharacter) -> f64 {
    let joints = animated.character.hips..animated.character.joints.len();
    let longest = joints.map(|joint| distance_around_hips(animated, joint)).fold(0.0, f64::max);
    longest / animated.frames().saturating_sub(1).max(1) as f64 * animated.frames_per_second
}

/// Length of the path of a joint relative to the hips.
fn distance_around_hips(animated: &AnimatedCharacter, joint: usize) -> f64 {
    let from_hips: Vec<Vec3> =
        (0..animated.frames()).map(|frame| animated.joint(frame, joint) - animated.root[frame]).collect();
    from_hips.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum()
}

#[cfg(test)]
mod tests {
    use super::super::test_character::{ball, moved};
    use super::*;

    #[test]
    fn one_who_comes_back_within_a_second_goes_nowhere_and_one_on_a_treadmill_goes() {
        let character = ball();
        let sway =
            |frame: i32| Vec3::new(1.5 * (0.2 * std::f64::consts::PI * f64::from(frame)).sin(), 0.0, 0.0);
        let mut animated = moved(&character, &(0..40).map(sway).collect::<Vec<_>>());
        let facts = PreviewFacts::of(&animated, Vec::new());
        assert!(facts.travels && facts.speed > 1.0 && !facts.tags.contains(&MotionTag::Walk), "{facts:?}");
        let bob = |frame: i32| Vec3::new(0.0, 0.01 * f64::from(frame % 2), 0.0);
        animated = moved(&character, &(0..20).map(bob).collect::<Vec<_>>());
        animated.in_place_speed = 1.2;
        let facts = PreviewFacts::of(&animated, Vec::new());
        assert_eq!((facts.tags, facts.travels, facts.speed), (vec![MotionTag::Walk], false, 1.2));
    }

    #[test]
    fn speed_by_the_height_of_the_hips_tells_walking_from_running() {
        let character = ball();
        let at = |speed: f64| {
            let places: Vec<Vec3> =
                (0..30).map(|frame| Vec3::new(0.1 * speed * f64::from(frame), 0.0, 0.0)).collect();
            PreviewFacts::of(&moved(&character, &places), Vec::new()).tags
        };
        // The change of one whose hips are at 1 m is at v² = 0.5 · 9.81 / 0.95, 2.3 metres a second.
        assert_eq!((at(1.9), at(2.5)), (vec![MotionTag::Walk], vec![MotionTag::Run]));
        assert_eq!(at(0.0), [MotionTag::Pose]);
    }

    #[test]
    fn a_flight_is_a_jump_and_a_seat_is_low() {
        let character = ball();
        let flight = |frame: i32| {
            if (5..10).contains(&frame) { 0.2 - 0.05 * f64::from((frame - 7).pow(2)) } else { 0.0 }
        };
        let places: Vec<Vec3> = (0..20).map(|frame| Vec3::new(0.0, flight(frame), 0.0)).collect();
        let mut animated = moved(&character, &places);
        (5..10).for_each(|frame| animated.planted[frame] = vec![false]);
        let facts = PreviewFacts::of(&animated, Vec::new());
        assert_eq!((facts.tags, facts.stances), (vec![MotionTag::Jump], 2));
        assert!((facts.airborne - 0.25).abs() < 1e-9);
        let seat = |frame: i32| Vec3::new(0.0, -0.5 + 0.01 * f64::from(frame % 2), 0.0);
        let low = moved(&character, &(0..10).map(seat).collect::<Vec<_>>());
        assert_eq!(PreviewFacts::of(&low, Vec::new()).tags, [MotionTag::Sit]);
    }

    #[test]
    fn a_somersault_is_acrobatics_and_no_turn_and_a_body_on_its_belly_crawls() {
        let character = ball();
        let mut animated = moved(&character, &[Vec3::y() * 0.3; 25]);
        for (frame, pose) in animated.poses.iter_mut().enumerate() {
            let about = Vec3::x() * (15.0 * frame as f64).to_radians();
            pose[1] = nalgebra::Isometry3::rotation(about);
        }
        let facts = PreviewFacts::of(&animated, Vec::new());
        assert_eq!((facts.tags, facts.turn), (vec![MotionTag::Acrobatics], 0.0));
        let places: Vec<Vec3> = (0..25).map(|frame| Vec3::new(0.0, -0.5, 0.05 * f64::from(frame))).collect();
        let mut animated = moved(&character, &places);
        let prone = nalgebra::UnitQuaternion::from_axis_angle(&Vec3::x_axis(), std::f64::consts::FRAC_PI_2);
        animated.poses.iter_mut().for_each(|pose| pose[1].rotation = prone);
        assert_eq!(PreviewFacts::of(&animated, Vec::new()).tags, [MotionTag::Crawl]);
    }
}
