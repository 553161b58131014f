//! The ground under the whole body: who crawls, sits or turns a cartwheel touches it with more than feet.
//!
//! A part of the body is looked at while it is near the ground, the source's or the character's own. Hands then go where the scaled
//! source's are, as much further aside as the shoulders are by build, stay where they are put while the source's rest, and lie on the
//! ground with the lowest point of their skin, as soles do. What else would be in the ground lifts the pelvis, in time by a look-ahead
//! limiter, and raises it at once by what was not foreseen. A foot has a trajectory of its own ([`super::foot`]).

use super::Target;
use super::hands::Arm;
use super::inertializer::{Inertializer, Ramp, smootherstep};
use super::joint_map::RotationSource;
use super::limiter::Limiter;
use crate::math::Vec3;
use crate::motion::Pose;
use crate::rig::{BoundPoint, lowest};
use crate::skeleton::naming::{Limb, Role};

/// Leg lengths above the ground up to which a part of the source is near it, and from which on it is not. The knee of a walker is at
/// 0.5; a wrist whose hand lies flat is at 0.1, the hips of one who sits on the floor at 0.2.
const NEAR: f64 = 0.25;
const CLEAR: f64 = 0.4;
/// Leg lengths a second below which a hand on the ground rests, and above which it comes loose: those of feet.
const SLOW: f64 = 0.30;
const FAST: f64 = 0.55;
/// Seconds in which a hand settles on the ground, and in which it returns to the source's path.
const SETTLING: f64 = 0.1;
const RELEASE: f64 = 0.2;

/// How near a part is to the ground, from 0 to 1, by its height in leg lengths.
pub(super) fn nearness(height: f64) -> f64 {
    smootherstep((CLEAR - height) / (CLEAR - NEAR))
}

/// What of a character can touch the ground besides its feet.
pub(super) struct BodyGround {
    /// Trunk, head, thighs, shins and upper arms.
    parts: Vec<GroundPart>,
    /// For each arm what is below its elbow.
    arms: Vec<Forearm>,
    holds: Vec<HandHold>,
    limiter: Limiter,
}

/// The outline of what is below an elbow.
#[derive(Default)]
struct Forearm {
    /// Joints with how far their vertices are from them.
    reaches: Vec<(usize, f64)>,
    points: Vec<Vec<BoundPoint>>,
}

/// The outline of what a joint moves.
struct GroundPart {
    joint: usize,
    /// The joint of the source that moves it.
    source: usize,
    /// How far it reaches from its joint; `None` for thighs and shins, around which cloth hangs to the ground. They are looked at only
    /// while the source has its own near the ground.
    reach: Option<f64>,
    points: Vec<Vec<BoundPoint>>,
}

impl GroundPart {
    /// How near it is to the ground by its own height, from 0 to 1.
    fn nearness(&self, pose: &Pose, levels: &Levels) -> f64 {
        self.reach.map_or(0.0, |reach| {
            nearness((pose.positions[self.joint].y - reach - levels.floor) / levels.leg_length)
        })
    }
}

/// The ground of a character, and the length of its legs.
pub(super) struct Levels {
    pub floor: f64,
    pub leg_length: f64,
}

impl BodyGround {
    /// Of a character whose joints are moved by these of a source; so many frames are known ahead.
    pub fn of(target: &Target, origins: &[Option<RotationSource>], arms: &[Arm], ahead: usize) -> BodyGround {
        let rig = &target.rig;
        let below = |arm: &Arm| {
            let mut forearm = Forearm::default();
            for part in rig.outline.iter().filter(|part| rig.joints.is_below(part.joint, arm.lower())) {
                forearm.reaches.push((part.joint, part.reach(rig)));
                forearm.points.extend(part.bound(rig));
            }
            forearm
        };
        let is_of_arm = |joint: usize| arms.iter().any(|arm| rig.joints.is_below(joint, arm.lower()));
        let parts = rig.outline.iter().filter(|part| !is_of_arm(part.joint)).filter_map(|part| {
            let source = match origins[part.joint]? {
                RotationSource::Joint(joint) | RotationSource::Between(joint, ..) => joint,
            };
            let joint = part.joint;
            let is_leg =
                matches!(target.figure.roles.roles[joint], Some(Role::Limb(Limb::Leg | Limb::FrontLeg, ..)));
            let reach = (!is_leg).then(|| part.reach(rig));
            // The legs of animals bend close to the ground, and have feet that know it.
            (!is_leg || !target.figure.is_quadruped()).then(|| GroundPart {
                joint,
                source,
                reach,
                points: part.bound(rig),
            })
        });
        BodyGround {
            parts: parts.collect(),
            arms: arms.iter().map(below).collect(),
            holds: vec![HandHold::default(); arms.len()],
            limiter: Limiter::new(ahead),
        }
    }

    /// Says how near the source's parts are to the ground, from 0 to 1; `height` is that of a joint of the source in leg lengths.
    pub fn note(&self, height: impl Fn(usize) -> f64, near: &mut [f64]) {
        for (near, part) in near.iter_mut().zip(&self.parts) {
            *near = nearness(height(part.source));
        }
    }

    /// Number of parts besides feet, forearms and hands.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// How deep in the ground the parts are that are near it, there or in the source.
    pub fn depth(&self, pose: &Pose, levels: &Levels, near: &[f64]) -> f64 {
        let depths = self.parts.iter().zip(near).map(|(part, near)| {
            let near = near.max(part.nearness(pose, levels));
            if near > 0.0 { near * (levels.floor - lowest(&part.points, pose)) } else { 0.0 }
        });
        depths.fold(0.0, f64::max)
    }

    /// Height above the ground of the lowest point of trunk, head and upper arms.
    pub fn clearance(&self, pose: &Pose, floor: f64) -> f64 {
        let above = self.parts.iter().filter(|part| part.reach.is_some());
        above.map(|part| lowest(&part.points, pose) - floor).fold(f64::INFINITY, f64::min)
    }

    /// How far the pelvis is lifted in the next frame, if this is the largest depth within the look-ahead.
    pub fn lift(&mut self, deepest: f64) -> f64 {
        self.limiter.step(deepest)
    }

    /// How far the lowest point below the elbow of an arm is under a level; negative above it.
    pub fn arm_depth(&self, arm: usize, pose: &Pose, floor: f64) -> f64 {
        floor - lowest(&self.arms[arm].points, pose)
    }

    /// Whether anything below the elbow of an arm may be under a level.
    pub fn may_reach(&self, arm: usize, pose: &Pose, floor: f64) -> bool {
        self.arms[arm].reaches.iter().any(|(joint, reach)| pose.positions[*joint].y - reach < floor)
    }

    /// Whether the surface below an elbow is known.
    pub fn knows(&self, arm: usize) -> bool {
        !self.arms[arm].points.is_empty()
    }

    /// Is told how far from its goal a hand came to be.
    pub fn note_hand(&mut self, arm: usize, away: &Vec3) {
        self.holds[arm].keeps_off = Some(Vec3::new(away.x, 0.0, away.z));
    }

    /// The hold of a hand in the next frame.
    pub fn hold(&mut self, arm: usize, hand: &HandMotion, seconds: f64) -> HandHold {
        self.holds[arm].step(hand, seconds);
        self.holds[arm]
    }
}

/// What the source's hand does in a frame.
pub(super) struct HandMotion {
    /// Where the wrist goes if nothing holds it.
    pub path: Vec3,
    /// Leg lengths a second along the ground.
    pub speed: f64,
    /// How near it is to the ground.
    pub near: f64,
}

/// Where a hand goes if it is near the ground.
#[derive(Debug, Clone, Copy)]
pub(super) struct HandGoal {
    pub wrist: Vec3,
    /// How near the source's is to the ground, from 0 to 1.
    pub near: f64,
    /// How much it rests there, from 0 to 1.
    pub planted: f64,
}

/// A hand that is put on the ground stays where it is put.
#[derive(Debug, Clone, Copy)]
pub(super) struct HandHold {
    is_on: bool,
    planted: Ramp,
    anchor: Vec3,
    /// How far the body kept the hand from its goal when it was put down, and how far it did in the frame before; unknown in the first.
    kept_off: Vec3,
    keeps_off: Option<Vec3>,
    /// From the path to the hand in the last three frames, the newest first.
    offsets: [Vec3; 3],
    release: Inertializer,
    elapsed: f64,
}

impl Default for HandHold {
    fn default() -> HandHold {
        HandHold {
            is_on: false,
            planted: Ramp::resting(0.0),
            anchor: Vec3::zeros(),
            kept_off: Vec3::zeros(),
            keeps_off: None,
            offsets: [Vec3::zeros(); 3],
            release: Inertializer::default(),
            elapsed: RELEASE,
        }
    }
}

impl HandHold {
    /// From the path to where the hand is, along the ground.
    pub fn offset(&self) -> Vec3 {
        self.offsets[0]
    }

    /// How much it rests on the ground, from 0 to 1.
    pub fn planted(&self) -> f64 {
        self.planted.value()
    }

    fn step(&mut self, hand: &HandMotion, seconds: f64) {
        self.elapsed += seconds;
        let rests = match self.is_on {
            true => hand.speed < FAST && hand.near > 0.0,
            false => hand.speed < SLOW && hand.near >= 1.0 && self.keeps_off.is_some(),
        };
        if rests && !self.is_on {
            self.anchor = hand.path + self.release.at(self.elapsed);
            self.kept_off = self.keeps_off.unwrap_or_default();
        }
        if !rests && self.is_on {
            self.release = Inertializer::after(self.offsets, seconds, RELEASE);
            self.elapsed = seconds;
        }
        self.is_on = rests;
        self.planted.go(if rests { 1.0 } else { 0.0 }, SETTLING);
        self.planted.step(seconds);
        let offset = match rests {
            true => self.anchor + self.kept_off * self.planted.value() - hand.path,
            false => self.release.at(self.elapsed),
        };
        let [newest, before, _] = self.offsets;
        self.offsets = [Vec3::new(offset.x, 0.0, offset.z), newest, before];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_that_rests_stays_where_it_was_put_and_leaves_without_a_jump() {
        let mut hold = HandHold { keeps_off: Some(Vec3::zeros()), ..HandHold::default() };
        let (mut last, seconds) = (None::<Vec3>, 1.0 / 60.0);
        for frame in 0..120 {
            let time = f64::from(frame) * seconds;
            // It rests from 0.5 to 1.2 s, but for a slow drift, then goes on.
            let along =
                if time < 0.5 { time - 0.5 } else { 0.1 * (time - 0.5) + 2.0 * (time - 1.2).max(0.0) };
            let path = Vec3::new(along, 0.0, 0.0);
            let speed = if time < 0.5 {
                1.0
            } else if time < 1.2 {
                0.1
            } else {
                2.1
            };
            hold.step(&HandMotion { path, speed, near: 1.0 }, seconds);
            let hand = path + hold.offset();
            if let Some(last) = last {
                let step = (hand - last).norm();
                if (0.52..1.18).contains(&time) {
                    assert!(step < 1e-12, "{time}: {step}");
                }
                assert!(step < 2.8 * seconds, "{time}: {step}");
            }
            last = Some(hand);
        }
        assert!(hold.offset().norm() < 1e-12 && hold.planted() == 0.0);
    }

    #[test]
    fn what_the_source_has_in_the_air_is_not_looked_at() {
        assert_eq!([0.0, NEAR, CLEAR, 1.0].map(nearness), [1.0, 1.0, 0.0, 0.0]);
    }
}
