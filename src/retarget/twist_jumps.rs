//! Twist that jumps about straight limbs.
//!
//! Where an elbow or a knee is straight, nothing in a capture says how the bone above it is twisted: the solvers of capture systems
//! leap by up to a half turn from one frame to the next, and take it back in the bone below. No bone changes its direction, and the
//! skin of a character is wrung. The leap is taken out of the upper bone and out of the one below it, so that everything from
//! there on is where and as it was. Where the limb is bent again, its hinge says what its twist is: what is left of the leaps by then is
//! spread over the frames in which the limb is straight.

use super::NO_DIRECTION;
use super::inertializer::smootherstep;
use super::reference::{Source, SourceOptions};
use crate::Warning;
use crate::math::{Quat, Vec3, atan2};
use crate::motion::{Motion, Pose};
use crate::skeleton::naming::{Limb, Segment, Side};
use crate::warning::Repair;
use std::f64::consts::{PI, TAU};

/// Degrees by which a twist changes from one frame to the next that no body can. Fast dancers reach 50 at 30 frames a second.
const LEAP: f64 = 60.0;
/// Degrees a second at least: in films of ten frames a second arms do turn by 60 degrees between two.
const FASTEST: f64 = 1000.0;
/// Degrees by which bones may change their direction at a leap. Turned about a bent joint they sweep.
const STEADY: f64 = 20.0;
/// Part of the leap that the next joint may be rotated: it goes on as if nothing had happened.
const KEPT: f64 = 1.0 / 3.0;
/// Degrees of its bend up to which the hinge of a joint says nothing.
const STRAIGHT: f64 = 35.0;
/// Seconds on each side of a leap over which what is left of it is spread: at least, and as long as the limb is straight.
const SHORTEST: f64 = 0.1;
const LONGEST: f64 = 1.0;

/// The motion without leaps of twist, and what was done; `None` if there are none.
pub fn without_twist_jumps(motion: &Motion) -> Option<(Motion, Vec<Warning>)> {
    if !may_leap(motion) {
        return None;
    }
    let source = Source::of(motion, &SourceOptions::default());
    let mut mended = motion.clone();
    let mut warnings = Vec::new();
    for limb in [Limb::Arm, Limb::Leg, Limb::FrontLeg] {
        for side in [Side::Left, Side::Right] {
            let joint = |segment| source.figure.limb(limb, side, segment);
            // From the outside: a shoulder is judged by a forearm that was put right.
            for [upper, lower] in [[Segment::Lower, Segment::End], [Segment::Upper, Segment::Lower]] {
                let (Some(upper), Some(lower)) = (joint(upper), joint(lower)) else { continue };
                let bone = TwistedBone::of(&mended, upper, lower);
                if let Some(leaps) = bone.and_then(|bone| bone.mend(&mut mended)) {
                    warnings.push(leaps.warning(motion, upper));
                }
            }
        }
    }
    (!warnings.is_empty()).then_some((mended, warnings))
}

/// Whether any joint turns fast enough at all; most motions need no second look.
fn may_leap(motion: &Motion) -> bool {
    let width = motion.rotations.joints.len();
    let least = 0.5 * LEAP.to_radians();
    let values = &motion.rotations.values;
    values.iter().zip(values.iter().skip(width)).any(|(before, after)| before.angle_to(after) > least)
}

/// A bone and the joint at its end, which takes back what the bone is twisted.
struct TwistedBone {
    upper: usize,
    lower: usize,
    /// Their rotations among the tracks.
    tracks: [usize; 2],
}

/// The leaps of a bone.
struct Leaps {
    /// Frames with the radians by which the twist changes as they begin.
    all: Vec<(usize, f64)>,
}

/// A bone in one frame.
struct Moment {
    /// World rotations of the bone and of what follows.
    upper: Quat,
    lower: Quat,
    /// Directions of both, and that of the bone in its own axes.
    directions: [Vec3; 2],
    axis: Vec3,
}

impl TwistedBone {
    /// `None` if the joint does not hang on the bone, or one of them does not turn.
    fn of(motion: &Motion, upper: usize, lower: usize) -> Option<TwistedBone> {
        let tracks = [motion.rotations.track_of(upper)?, motion.rotations.track_of(lower)?];
        (motion.joints[lower].parent == Some(upper)).then_some(TwistedBone { upper, lower, tracks })
    }

    /// Takes the leaps out of a motion.
    fn mend(&self, motion: &mut Motion) -> Option<Leaps> {
        let moments = self.moments(motion)?;
        let leaps = Leaps::of(&moments, motion.frame_seconds);
        if leaps.all.is_empty() {
            return None;
        }
        let turns = leaps.turns(&moments, motion.frame_seconds);
        let width = motion.rotations.joints.len();
        for (frame, (moment, turn)) in
            moments.iter().zip(turns).enumerate().filter(|(_, (_, turn))| *turn != 0.0)
        {
            let turn = Quat::from_axis_angle(&nalgebra::Unit::new_unchecked(moment.axis), turn);
            let [upper, lower] = self.tracks.map(|track| frame * width + track);
            let values = &mut motion.rotations.values;
            values[upper] = Quat::new_normalize((values[upper] * turn).into_inner());
            values[lower] = Quat::new_normalize((turn.inverse() * values[lower]).into_inner());
        }
        Some(leaps)
    }

    /// The bone over time; `None` if it has no length in a frame.
    fn moments(&self, motion: &Motion) -> Option<Vec<Moment>> {
        let next = motion.joints.first_child(self.lower);
        let mut pose = Pose::default();
        let moment = |frame: usize| {
            motion.pose_into(frame, &mut pose);
            let bone = pose.positions[self.lower] - pose.positions[self.upper];
            let direction = bone.try_normalize(NO_DIRECTION)?;
            // What ends here is as straight as can be.
            let end = next.and_then(|next| {
                (pose.positions[next] - pose.positions[self.lower]).try_normalize(NO_DIRECTION)
            });
            let [upper, lower] = [self.upper, self.lower].map(|joint| pose.rotations[joint]);
            let axis = upper.inverse() * direction;
            Some(Moment { upper, lower, directions: [direction, end.unwrap_or(direction)], axis })
        };
        (0..motion.frames).map(moment).collect()
    }
}

impl Moment {
    /// Radians by which the bone is twisted against an earlier moment, from minus to plus a half turn.
    fn twist_since(&self, before: &Moment) -> f64 {
        let swing = Quat::rotation_between(&before.directions[0], &self.directions[0]);
        let turned = (swing.unwrap_or_else(Quat::identity) * before.upper).inverse() * self.upper;
        within_half_turn(2.0 * atan2(turned.imag().dot(&self.axis), turned.w))
    }

    /// Whether no bone turns to the side since an earlier moment, and what hangs on this one does not turn with it.
    fn is_steady_since(&self, before: &Moment, leap: f64) -> bool {
        let swings = self.directions.iter().zip(&before.directions).map(|(now, then)| now.angle(then));
        swings.fold(0.0, f64::max) < STEADY.to_radians()
            && before.lower.angle_to(&self.lower) < KEPT * leap.abs()
    }

    fn is_straight(&self) -> bool {
        self.directions[0].angle(&self.directions[1]) < STRAIGHT.to_radians()
    }
}

fn within_half_turn(angle: f64) -> f64 {
    let turned = (angle + PI).rem_euclid(TAU) - PI;
    if turned <= -PI { turned + TAU } else { turned }
}

impl Leaps {
    fn of(moments: &[Moment], frame_seconds: f64) -> Leaps {
        let least = LEAP.max(FASTEST * frame_seconds).to_radians();
        let pairs = moments.windows(2).enumerate();
        let leaps = pairs.filter_map(|(before, pair)| {
            let leap = pair[1].twist_since(&pair[0]);
            let is_leap = leap.abs() >= least
                && pair.iter().all(Moment::is_straight)
                && pair[1].is_steady_since(&pair[0], leap);
            is_leap.then_some((before + 1, leap))
        });
        Leaps { all: leaps.collect() }
    }

    /// For each frame the radians by which the bone must be twisted further.
    fn turns(&self, moments: &[Moment], frame_seconds: f64) -> Vec<f64> {
        let mut turns = vec![0.0; moments.len()];
        let mut rest = self.all.as_slice();
        while let Some(first) = rest.first() {
            let mut stretch = stretch(first.0, moments, frame_seconds);
            // Leaps that are near share their stretch.
            let mut count = 1;
            while let Some(next) = rest.get(count).filter(|next| next.0 < stretch.1) {
                stretch.1 = stretch.1.max(self::stretch(next.0, moments, frame_seconds).1);
                count += 1;
            }
            spread(&rest[..count], stretch, &mut turns);
            rest = &rest[count..];
        }
        turns
    }

    fn warning(&self, motion: &Motion, joint: usize) -> Warning {
        let most = self.all.iter().map(|(_, leap)| leap.abs()).fold(0.0, f64::max);
        let repair = Repair::TwistJumps {
            joint: motion.joints[joint].name.clone(),
            frames: self.all.iter().map(|&(frame, _)| motion.number(frame)).collect(),
            degrees: most.to_degrees(),
        };
        Warning::Repaired { line: 0, repair }
    }
}

/// The frames around a leap over which it may be spread, the second one excluded.
fn stretch(leap: usize, moments: &[Moment], frame_seconds: f64) -> (usize, usize) {
    let frames = |seconds: f64| (seconds / frame_seconds).ceil().clamp(1.0, moments.len() as f64) as usize;
    let (least, most) = (frames(SHORTEST), frames(LONGEST));
    let is_straight = |distance: usize, at: usize| distance < least || moments[at].is_straight();
    let before = (0..leap).take_while(|back| is_straight(*back, leap - 1 - back)).count();
    let after = (0..moments.len() - leap).take_while(|ahead| is_straight(*ahead, leap + ahead)).count();
    // At the ends of the motion nothing says what the twist is: there is no need to come back to it.
    let start = if before == leap { 0 } else { leap - before.min(most) };
    let end = if leap + after == moments.len() { moments.len() } else { leap + after.min(most) };
    (start, end)
}

/// Takes some leaps out of a stretch; what they are together comes back over it, where the limb is bent on both sides.
fn spread(leaps: &[(usize, f64)], (start, end): (usize, usize), turns: &mut [f64]) {
    let all = leaps.iter().map(|(_, leap)| leap).sum::<f64>();
    let left = within_half_turn(all);
    let (is_start, is_end) = (start == 0, end == turns.len());
    let mut leapt = 0.0;
    let mut next = leaps.iter().peekable();
    for (frame, turn) in turns.iter_mut().enumerate().take(end).skip(start) {
        while let Some((_, leap)) = next.next_if(|(at, _)| *at <= frame) {
            leapt += leap;
        }
        let share = match (is_start, is_end) {
            // A motion that ends straight keeps the twist with which it came, and one that begins so has that of later.
            (_, true) => 0.0,
            (true, false) => 1.0,
            (false, false) => smootherstep((frame - start) as f64 / (end - start) as f64),
        };
        *turn = left * share - leapt;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAMES: usize = 170;

    /// The walk with straight arms, but where it is told to bend the left one; with the left upper arm and the joint.
    fn straight_arms(is_bent: impl Fn(usize) -> bool) -> (Motion, [usize; 2]) {
        let mut motion = Motion::built_in("walk").unwrap();
        let source = Source::of(&motion, &SourceOptions::default());
        let joints = [Segment::Upper, Segment::Lower]
            .map(|segment| source.figure.limb(Limb::Arm, Side::Left, segment).unwrap());
        let axis = motion.joints[motion.joints.first_child(joints[1]).unwrap()].offset.normalize();
        let across = nalgebra::Unit::new_normalize(axis.cross(&Vec3::new(0.3, 0.5, 0.8)));
        let bent = Quat::from_axis_angle(&across, 1.2);
        for frame in 0..motion.frames {
            set(&mut motion, frame, joints[1], |_| if is_bent(frame) { bent } else { Quat::identity() });
        }
        (motion, joints)
    }

    fn set(motion: &mut Motion, frame: usize, joint: usize, value: impl Fn(Quat) -> Quat) {
        let at = frame * motion.rotations.joints.len() + motion.rotations.track_of(joint).unwrap();
        motion.rotations.values[at] = value(motion.rotations.values[at]);
    }

    /// Twists the upper arm from a frame to another one, and takes it back in the forearm.
    fn leap(motion: &mut Motion, [upper, lower]: [usize; 2], frames: std::ops::Range<usize>, degrees: f64) {
        let axis = nalgebra::Unit::new_normalize(motion.joints[lower].offset);
        let turn = Quat::from_axis_angle(&axis, degrees.to_radians());
        for frame in frames {
            set(motion, frame, upper, |rotation| rotation * turn);
            set(motion, frame, lower, |rotation| turn.inverse() * rotation);
        }
    }

    /// The largest distance of joints, and the largest rotation between joints but one.
    fn difference(a: &Motion, b: &Motion, but: usize) -> [f64; 2] {
        let mut most = [0.0f64; 2];
        for frame in 0..a.frames {
            let (a, b) = (a.pose(frame), b.pose(frame));
            for joint in 0..a.positions.len() {
                most[0] = most[0].max((a.positions[joint] - b.positions[joint]).norm());
                if joint != but {
                    most[1] = most[1].max(a.rotations[joint].angle_to(&b.rotations[joint]));
                }
            }
        }
        most
    }

    /// The fastest twist of the upper arm, in degrees a frame.
    fn fastest(motion: &Motion, [upper, lower]: [usize; 2]) -> f64 {
        let moments = TwistedBone::of(motion, upper, lower).unwrap().moments(motion).unwrap();
        moments.windows(2).map(|pair| pair[1].twist_since(&pair[0]).abs()).fold(0.0, f64::max).to_degrees()
    }

    fn frames_of(warnings: &[Warning]) -> Vec<usize> {
        match warnings {
            [Warning::Repaired { repair: Repair::TwistJumps { frames, .. }, .. }] => frames.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_leap_of_a_straight_arm_is_taken_out() {
        let (sound, joints) = straight_arms(|_| false);
        let mut broken = sound.clone();
        leap(&mut broken, joints, 60..FRAMES.max(sound.frames), 140.0);
        assert!(fastest(&broken, joints) > 135.0);
        let (mended, warnings) = without_twist_jumps(&broken).unwrap();
        let number = sound.number(60);
        assert_eq!(frames_of(&warnings), [number]);
        assert!(warnings[0].to_string().contains("140"), "{}", warnings[0]);
        let [apart, turned] = difference(&mended, &broken, joints[0]);
        assert!(apart < 1e-9 * sound.reach() && turned < 1e-6, "{apart} {turned}");
        // What the arm itself turns in that frame goes with the leap.
        let [apart, turned] = difference(&mended, &sound, usize::MAX);
        assert!(apart < 1e-9 * sound.reach() && turned < 2e-3, "{apart} {turned}");
    }

    /// Where the elbow is bent its hinge says what the twist is: the leap is spread in between, and nothing else changes.
    #[test]
    fn leaps_between_bends_are_spread() {
        let is_bent = |frame: usize| !(40..110).contains(&frame);
        let (sound, joints) = straight_arms(is_bent);
        for (frames, expected) in [(70..sound.frames, vec![70]), (60..90, vec![60, 90])] {
            let mut broken = sound.clone();
            leap(&mut broken, joints, frames, 140.0);
            let (mended, warnings) = without_twist_jumps(&broken).unwrap();
            let numbers: Vec<usize> = expected.iter().map(|&frame| sound.number(frame)).collect();
            assert_eq!(frames_of(&warnings), numbers);
            let [apart, turned] = difference(&mended, &broken, joints[0]);
            assert!(apart < 1e-9 * sound.reach() && turned < 1e-6, "{apart} {turned}");
            assert!(fastest(&mended, joints) < 12.0, "{}", fastest(&mended, joints));
            for frame in (0..sound.frames).filter(|&frame| is_bent(frame)) {
                let [ours, theirs] = [&mended, &broken].map(|motion| motion.pose(frame).rotations[joints[0]]);
                assert!(ours.angle_to(&theirs) < 1e-6, "{frame}");
            }
        }
    }

    /// A hand that turns with the arm, and a leap about a bent elbow, are what was captured.
    #[test]
    fn what_a_body_does_is_no_leap() {
        let (straight, joints) = straight_arms(|_| false);
        let mut with_hand = straight.clone();
        let axis = nalgebra::Unit::new_normalize(straight.joints[joints[1]].offset);
        let turn = Quat::from_axis_angle(&axis, 2.4);
        for frame in 60..straight.frames {
            set(&mut with_hand, frame, joints[0], |rotation| rotation * turn);
        }
        let (mut bent, joints) = straight_arms(|_| true);
        leap(&mut bent, joints, 60..170, 140.0);
        for motion in [straight, with_hand, bent] {
            assert!(without_twist_jumps(&motion).is_none());
        }
    }

    #[test]
    fn built_in_motions_do_not_leap() {
        for known in crate::motion::built_in() {
            assert!(without_twist_jumps(&Motion::built_in(known.name).unwrap()).is_none(), "{}", known.name);
        }
    }
}
