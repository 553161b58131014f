//! What limbs do: kicks, punches and waves, told by where feet and hands go, and how fast.

use super::character::{AnimatedCharacter, LimbJoints};
use crate::math::Vec3;
use std::ops::RangeInclusive;

/// Limbs in motion, measured in hip heights and seconds.
pub(super) struct LimbActions<'a> {
    animated: &'a AnimatedCharacter<'a>,
    hip_height: f64,
}

/// The least height of a kicking foot above where it stands, in hip heights: the knee. Runners lift their feet as high, but
/// bent and behind them.
const KICK_HEIGHT: f64 = 0.45;
/// How straight a kicking leg is, in parts of its length.
const KICK_REACH: f64 = 0.85;
/// The least speed of a kicking foot around the hips, in hip heights a second. With less one who lifts a leg slowly kicks, with
/// more only masters do.
const KICK_SPEED: f64 = 4.5;
/// How far a punching arm is bent before, and how straight it becomes, in parts of its length. Captured elbows stay short of
/// straight, and a loose guard is more open than a right angle.
const PUNCH_REACH: [f64; 2] = [0.75, 0.88];
/// The least speed of a punching hand out along its arm, in hip heights a second, on average over so many seconds: a single frame
/// would be as fast as the noise of a capture. One who points comes to 1.2, one who punches without effort to 1.8.
const PUNCH_SPEED: f64 = 1.5;
const PUNCH_SECONDS: f64 = 0.1;
/// How much of the way of a punching hand goes out along its arm, as a cosine: from a guard 0.9. Arms that swing open have 0.7.
const PUNCH_STRAIGHT: f64 = 0.8;
/// How much of a punching arm points to where the hips face, as a cosine: boxers stand half sideways. At 0.4 somebody punches
/// who flings an arm aside to wave.
const PUNCH_AHEAD: f64 = 0.5;
/// The most fall and rise of a punch over its length: bellies are hit at -0.5, chins of taller people at 0.25. With more, who
/// throws his arms up or down punches.
const PUNCH_SLOPE: [f64; 2] = [-0.5, 0.3];
/// Seconds from the beginning to the end of a kick or punch.
const STROKE: f64 = 0.35;
/// How often a waving hand turns back without being lowered, over which distance in hip heights, and within how many seconds
/// each time.
const WAVE_TURNS: usize = 4;
const WAVE_WIDTH: f64 = 0.07;
const WAVE_TURN_SECONDS: f64 = 0.7;

impl<'a> LimbActions<'a> {
    pub fn new(animated: &'a AnimatedCharacter<'a>, hip_height: f64) -> LimbActions<'a> {
        LimbActions { animated, hip_height }
    }

    /// Whether a stretched leg swings up.
    pub fn kicks(&self) -> bool {
        self.animated.character.legs.iter().any(|leg| self.kicks_with(leg))
    }

    fn kicks_with(&self, leg: &LimbJoints) -> bool {
        let speeds = self.speeds(leg.end);
        let rest = self.animated.character.joints[leg.end].rest.translation.vector.y;
        (0..self.animated.frames()).any(|frame| {
            let height = (self.animated.joint(frame, leg.end).y - rest) / self.hip_height;
            height >= KICK_HEIGHT
                && self.reach(frame, leg) >= KICK_REACH
                && self.around(frame).any(|near| speeds[near] >= KICK_SPEED)
        })
    }

    /// Whether a bent arm shoots out on the level.
    pub fn punches(&self) -> bool {
        self.animated.character.arms.iter().any(|arm| self.punches_with(arm))
    }

    fn punches_with(&self, arm: &LimbJoints) -> bool {
        let [bent, straight] = PUNCH_REACH;
        let reaches: Vec<f64> = (0..self.animated.frames()).map(|frame| self.reach(frame, arm)).collect();
        let bent_before = |frame: &usize| self.around(*frame).rev().find(|&before| reaches[before] <= bent);
        let strokes = (0..reaches.len())
            .filter(|&frame| reaches[frame] >= straight)
            .filter_map(|frame| bent_before(&frame).map(|before| before..=frame));
        strokes.into_iter().any(|stroke| self.is_thrust(arm, stroke))
    }

    /// Whether a hand shoots out on the level, ahead and along its arm.
    fn is_thrust(&self, arm: &LimbJoints, stroke: RangeInclusive<usize>) -> bool {
        let (first, last) = stroke.into_inner();
        let out = self.along(last, arm).normalize();
        let place = |frame: usize| self.animated.joint(frame, arm.end) - self.animated.root[frame];
        let way = place(last) - place(first);
        let window = self.frames_in(PUNCH_SECONDS).min(last - first);
        let farthest = (first + window..=last)
            .map(|frame| out.dot(&(place(frame) - place(frame - window))))
            .fold(0.0, f64::max);
        let speed = farthest / window as f64 * self.animated.frames_per_second / self.hip_height;
        let [low, high] = PUNCH_SLOPE;
        let is_ahead = (low..=high).contains(&out.y) && out.dot(&self.animated.facing(last)) >= PUNCH_AHEAD;
        is_ahead && out.dot(&way) >= PUNCH_STRAIGHT * way.norm() && speed >= PUNCH_SPEED
    }

    /// Whether a raised hand goes to and fro.
    pub fn waves(&self) -> bool {
        self.animated.character.arms.iter().any(|arm| self.waves_with(arm))
    }

    fn waves_with(&self, arm: &LimbJoints) -> bool {
        let mut swing = Swing::default();
        (0..self.animated.frames()).any(|frame| {
            let along = self.along(frame, arm);
            if along.y < 0.0 {
                swing = Swing::default();
                return false;
            }
            let left = Vec3::y().cross(&self.animated.facing(frame));
            swing.goes_to(along.dot(&left) / self.hip_height, frame, self.frames_in(WAVE_TURN_SECONDS));
            swing.turns >= WAVE_TURNS
        })
    }

    /// From where a limb begins to where it ends.
    fn along(&self, frame: usize, limb: &LimbJoints) -> Vec3 {
        self.animated.joint(frame, limb.end) - self.animated.joint(frame, limb.upper)
    }

    /// How straight a limb is, in parts of its length.
    fn reach(&self, frame: usize, limb: &LimbJoints) -> f64 {
        self.along(frame, limb).norm() / self.length(limb)
    }

    /// The length of a limb, which is nearly straight at rest.
    fn length(&self, limb: &LimbJoints) -> f64 {
        let [end, upper] =
            [limb.end, limb.upper].map(|j| self.animated.character.joints[j].rest.translation.vector);
        (end - upper).norm().max(f64::MIN_POSITIVE)
    }

    /// The speed of a joint around the hips for each frame.
    fn speeds(&self, joint: usize) -> Vec<f64> {
        let place = |frame: usize| self.animated.joint(frame, joint) - self.animated.root[frame];
        let rate = self.animated.frames_per_second / self.hip_height;
        (0..self.animated.frames())
            .map(|frame| (place(frame) - place(frame.saturating_sub(1))).norm() * rate)
            .collect()
    }

    /// The frames of a stroke that ends about a frame.
    fn around(&self, frame: usize) -> RangeInclusive<usize> {
        frame.saturating_sub(self.frames_in(STROKE))..=frame
    }

    fn frames_in(&self, seconds: f64) -> usize {
        (seconds * self.animated.frames_per_second).round().max(1.0) as usize
    }
}

/// Something that goes to and fro.
#[derive(Default)]
struct Swing {
    /// How often it has turned back, one time soon after the other.
    turns: usize,
    /// Its farthest place since it turned, and when that was; 1 or -1 where it is going, 0 before it goes anywhere.
    extreme: Option<(f64, usize)>,
    direction: f64,
}

impl Swing {
    /// It turns back once it is `WAVE_WIDTH` from its farthest place.
    fn goes_to(&mut self, place: f64, frame: usize, most_frames: usize) {
        let Some((extreme, when)) = self.extreme else {
            self.extreme = Some((place, frame));
            return;
        };
        let way = place - extreme;
        if frame - when > most_frames {
            *self = Swing { extreme: Some((place, frame)), ..Swing::default() };
        } else if way * self.direction > 0.0 {
            self.extreme = Some((place, frame));
        } else if way.abs() >= WAVE_WIDTH {
            self.turns += usize::from(self.direction != 0.0);
            self.direction = way.signum();
            self.extreme = Some((place, frame));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::RenderCharacter;
    use super::super::test_character::{ball, moved};
    use super::*;
    use crate::rig::RigJoint;
    use nalgebra::Isometry3;

    const SHOULDER: Vec3 = Vec3::new(0.2, 1.5, 0.0);
    const HIP: Vec3 = Vec3::new(0.1, 1.0, 0.0);

    /// A body with hips at 1 m, an arm of 0.6 m and a leg of 0.9 m.
    fn body() -> RenderCharacter {
        let mut character = ball();
        let ends = [SHOULDER, SHOULDER + Vec3::x() * 0.6, HIP, HIP - Vec3::y() * 0.9];
        character.joints.extend(ends.map(|place| RigJoint {
            name: String::new(),
            parent: Some(1),
            rest: Isometry3::translation(place.x, place.y, place.z),
        }));
        character.arms = vec![LimbJoints { upper: 2, end: 3 }];
        character.legs = vec![LimbJoints { upper: 4, end: 5 }];
        character
    }

    /// Asks what a body does whose joint goes to places, at thirty frames a second.
    fn does(joint: usize, places: &[Vec3], what: fn(&LimbActions) -> bool) -> bool {
        let character = body();
        let mut animated = moved(&character, &vec![Vec3::zeros(); places.len()]);
        animated.frames_per_second = 30.0;
        for (pose, place) in animated.poses.iter_mut().zip(places) {
            let way = place - character.joints[joint].rest.translation.vector;
            pose.resize(6, Isometry3::identity());
            pose[joint] = Isometry3::translation(way.x, way.y, way.z);
        }
        what(&LimbActions::new(&animated, 1.0))
    }

    /// From one place to another in some frames.
    fn way(from: Vec3, to: Vec3, frames: usize) -> Vec<Vec3> {
        (0..=frames).map(|frame| from + (to - from) * frame as f64 / frames as f64).collect()
    }

    #[test]
    fn a_kick_is_high_straight_and_fast() {
        let (standing, high, bent) =
            (HIP - Vec3::y() * 0.9, HIP + Vec3::new(0.0, -0.2, 0.85), HIP + Vec3::new(0.0, -0.3, 0.3));
        assert!(does(5, &way(standing, high, 5), |limbs| limbs.kicks()));
        assert!(!does(5, &way(standing, high, 30), |limbs| limbs.kicks()), "a dancer lifts a leg slowly");
        assert!(!does(5, &way(standing, bent, 3), |limbs| limbs.kicks()), "a runner lifts a bent leg");
    }

    #[test]
    fn a_punch_shoots_out_on_the_level_from_a_bent_arm() {
        let [bent, ahead, up] =
            [Vec3::z() * 0.25, Vec3::z() * 0.58, Vec3::y() * 0.58].map(|along| SHOULDER + along);
        assert!(does(3, &way(bent, ahead, 3), |limbs| limbs.punches()));
        assert!(!does(3, &way(bent, ahead, 20), |limbs| limbs.punches()), "one who points takes his time");
        assert!(!does(3, &way(bent, up, 3), |limbs| limbs.punches()), "one who reaches up does not box");
        let straight = SHOULDER + Vec3::x() * 0.58;
        assert!(!does(3, &way(straight, ahead, 3), |limbs| limbs.punches()), "a straight arm swings");
        let [beside, aside] = [0.25, 0.58].map(|along| SHOULDER + Vec3::x() * along);
        assert!(!does(3, &way(beside, aside, 3), |limbs| limbs.punches()), "a dancer opens his arms");
        let low = SHOULDER + Vec3::new(0.0, -0.35, 0.1);
        assert!(
            !does(3, &way(low, ahead + Vec3::y() * 0.2, 3), |limbs| limbs.punches()),
            "an arm is thrown up"
        );
    }

    #[test]
    fn a_captured_punch_starts_and_ends_slowly() {
        // Over 0.25 s, with the smoothest course between two places at rest.
        let eased = |time: f64| time * time * time * (10.0 - 15.0 * time + 6.0 * time * time);
        let [guard, hit] = [0.6 * 0.6, 0.92 * 0.6].map(|along| SHOULDER + Vec3::new(0.0, -0.05, along));
        let of_frame = |frame: usize| {
            // The shoulder comes along as the trunk turns; every other frame is off by a millimetre.
            let noise = Vec3::z() * if frame.is_multiple_of(2) { 0.001 } else { -0.001 };
            guard + (hit + Vec3::z() * 0.06 - guard) * eased((frame as f64 / 7.0).min(1.0)) + noise
        };
        let places: Vec<Vec3> = (0..12).map(of_frame).collect();
        assert!(does(3, &places, |limbs| limbs.punches()));
    }

    #[test]
    fn a_wave_is_raised_and_goes_to_and_fro() {
        let to_and_fro = |height: f64| {
            let side = |frame: usize| if (frame / 6).is_multiple_of(2) { 0.15 } else { -0.15 };
            (0..60).map(|frame| SHOULDER + Vec3::new(side(frame), height, 0.2)).collect::<Vec<_>>()
        };
        assert!(does(3, &to_and_fro(0.4), |limbs| limbs.waves()));
        assert!(!does(3, &to_and_fro(-0.4), |limbs| limbs.waves()), "arms swing beside a walker");
        assert!(
            !does(3, &[SHOULDER + Vec3::y() * 0.5; 60], |limbs| limbs.waves()),
            "one who holds his hand up"
        );
    }

    fn turns(places: impl Iterator<Item = f64>) -> usize {
        let mut swing = Swing::default();
        places.enumerate().for_each(|(frame, place)| swing.goes_to(place, frame, 6));
        swing.turns
    }

    #[test]
    fn a_swing_counts_turns_that_are_wide_and_follow_each_other() {
        let to_and_fro = |width: f64, frames: usize| {
            (0..40).map(move |frame| if (frame / frames).is_multiple_of(2) { 0.0 } else { width })
        };
        assert!(turns(to_and_fro(2.0 * WAVE_WIDTH, 4)) >= 8);
        assert_eq!(turns(to_and_fro(0.5 * WAVE_WIDTH, 4)), 0, "a tremor is no wave");
        assert!(
            turns(to_and_fro(2.0 * WAVE_WIDTH, 10)) <= 1,
            "one who lifts his hand now and then does not wave"
        );
        assert_eq!(turns((0..40).map(|frame| 0.1 * frame as f64)), 0);
    }
}
