//! Derived joints: joints without a motion of their own, whose rotations follow from those of other joints.
//!
//! Linear blending of two joints that turn about one axis by angles δ apart shrinks what lies between them to cos(δ/2) of its
//! radius. A joint in between that turns half as far keeps most of it. **Twist joints** stand along a bone and take shares of its
//! twist, **half joints** stand at a joint and rotate half as far as that. All rules are written with E, the rotation of a joint from
//! rest in the coordinates of the output, so that the axes of joints, their order and the parent of a helper do not matter.

use super::Rig;
use super::twist::Twist;
use crate::math::{Quat, Vec3, median};
use crate::motion::Pose;
use nalgebra::{Isometry3, Quaternion, Unit};
use std::f64::consts::TAU;

/// A joint that follows others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Helper {
    /// The joint.
    pub joint: usize,
    /// What it follows.
    pub follows: Follows,
}

/// What a derived joint follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Follows {
    /// A share of the twist along a bone, from 0 at its joint to 1 at the next.
    Twist {
        /// The joint of the bone.
        bone: usize,
        /// The next joint, where the bone ends.
        next: usize,
        /// Where it stands on the bone.
        share: f64,
        /// Where the twist comes from.
        from: TwistFrom,
    },
    /// Half of the rotation between two nodes, which may be twist joints.
    Half {
        /// The last node above.
        above: usize,
        /// The first node below.
        below: usize,
    },
    /// A muscle that keeps its volume: it goes with the middle of a bone, and away from it as the next joint bends.
    Bulge {
        /// The joint of the bone on which it lies.
        bone: usize,
        /// The joint that it bends, where that bone ends.
        next: usize,
        /// Where the bone below ends.
        end: usize,
        /// Where it moves to at rest, in the coordinates of the output: by so much for each doubling of its thickness.
        side: Vec3,
    },
}

/// Where the twist of a bone comes from, and which of its ends must not turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TwistFrom {
    /// From its own joint against the one above, as of upper arms and thighs: the surface at the shoulder stays.
    Above,
    /// From the next joint, as of forearms and shanks: the surface at the elbow stays.
    Below,
}

impl Helper {
    /// The same after a joint was put above all others.
    pub(crate) fn shift(&mut self) {
        self.joint += 1;
        match &mut self.follows {
            Follows::Twist { bone, next, .. } => (*bone, *next) = (*bone + 1, *next + 1),
            Follows::Half { above, below } => (*above, *below) = (*above + 1, *below + 1),
            Follows::Bulge { bone, next, end, .. } => (*bone, *next, *end) = (*bone + 1, *next + 1, *end + 1),
        }
    }
}

/// Turns helpers after the joints that they follow, frame by frame; it knows the frame before.
#[derive(Debug, Clone, Default)]
pub struct HelperDriver {
    /// The rotations from the coordinates of the output to the axes of each joint, at rest.
    axes_from_rest: Vec<Quat>,
    bones: Vec<BoneTwist>,
    /// Each behind those that it follows, with its parent and its offset from that, in the parent's axes.
    helpers: Vec<Driven>,
    /// The same in the order of their joints, parents first.
    by_joint: Vec<usize>,
    /// Joints that follow nothing themselves and hang on a helper, such as a watch on a twist joint, each with that helper.
    carried: Vec<(usize, usize)>,
}

/// A bone with helpers on it.
#[derive(Debug, Clone)]
struct BoneTwist {
    bone: usize,
    /// The joints of which the second twists against the first.
    ends: [Option<usize>; 2],
    twist: Twist,
    /// Whole turns that are taken off, so that a clip has as little twist as possible.
    shift: f64,
    /// The twist of the frame at hand.
    angle: f64,
}

#[derive(Debug, Clone)]
struct Driven {
    joint: usize,
    parent: Option<usize>,
    offset: Vec3,
    rule: Rule,
    /// How far it moves from its place on its parent in the frame at hand, in the coordinates of the output.
    moved: Vec3,
}

#[derive(Debug, Clone)]
enum Rule {
    /// So many parts of the twist of a bone about an axis, behind the bone's own joint.
    Twist { twist: usize, axis: Unit<Vec3>, factor: f64 },
    /// Half of a rotation, which was this one in the frame before.
    Half { above: usize, below: usize, before: Option<Quat> },
    /// Half of the twist of a bone, and a way off it that depends on how far the next joint bends.
    Bulge { twist: usize, axis: Unit<Vec3>, next: usize, muscle: Muscle },
}

/// A muscle over a joint, from the end of one bone to a point on the other.
#[derive(Debug, Clone, Copy)]
struct Muscle {
    /// The direction of the bone below at rest.
    below: Vec3,
    /// The lengths of its parts above and below the joint.
    lengths: [f64; 2],
    side: Vec3,
}

/// A muscle ends on the bone below at this part of it, as the biceps of a person does. At 0 it never bulges; at 0.5 it becomes 1.32
/// times as thick at an elbow bent by 120 degrees instead of 1.11.
const INSERTION: f64 = 0.15;
/// A muscle becomes at most so many times as thick, whatever the bend: a joint bent by 180 degrees has no length between.
const THICKEST: f64 = 1.5;

impl Muscle {
    /// How far it stands off, for a rotation of the bone below against the one above. A muscle keeps its volume π r² l: as its length
    /// l = √(a² + b² + 2 a b cos θ) falls, its radius grows by √(l₀ / l).
    fn stands_off(&self, bend: &Quat) -> Vec3 {
        let cosine = self.below.dot(&(bend * self.below)).clamp(-1.0, 1.0);
        self.side * (thickening(self.lengths, cosine) - 1.0)
    }
}

/// √(l₀ / l) of a muscle with parts of these lengths above and below a joint that is bent by an angle of this cosine.
fn thickening([above, below]: [f64; 2], cosine: f64) -> f64 {
    let bent = (above * above + below * below + 2.0 * above * below * cosine).max(0.0).sqrt();
    let ratio = if bent > 0.0 { (above + below) / bent } else { f64::INFINITY };
    ratio.sqrt().min(THICKEST)
}

/// Bones shorter than this have no direction.
const SHORTEST: f64 = 1e-9;

impl Rig {
    /// How many joints there are before the helpers at the end of the list: what a rig of the same character without them has.
    pub fn body_joints(&self) -> usize {
        let are_helpers = self.helper_flags();
        are_helpers.iter().rposition(|is_helper| !is_helper).map_or(0, |last| last + 1)
    }

    /// For each joint whether it follows others.
    fn helper_flags(&self) -> Vec<bool> {
        let mut flags = vec![false; self.joints.len()];
        self.helpers.iter().for_each(|helper| flags[helper.joint] = true);
        flags
    }

    /// For each joint whether it follows others and carries nothing that does not.
    pub fn only_following(&self) -> Vec<bool> {
        let mut only = self.helper_flags();
        for joint in (0..only.len()).rev().filter(|&joint| self.joints[joint].parent.is_some()) {
            if let (false, Some(parent)) = (only[joint], self.joints[joint].parent) {
                only[parent] = false;
            }
        }
        only
    }

    /// The same rig without the helpers at the end of its joints.
    #[must_use]
    pub fn without_helpers(&self) -> Rig {
        let count = self.body_joints();
        let mut rig = self.clone();
        rig.joints = self.joints[..count].to_vec().into();
        rig.helpers.retain(|helper| helper.joint < count);
        rig.tips.retain(|tip| tip.joint < count);
        rig.roles.retain(|(joint, _)| *joint < count);
        rig
    }

    /// For each joint itself; for a helper the joint that would move its part of the surface without it.
    pub fn movers(&self) -> Vec<usize> {
        let mut moves: Vec<usize> = (0..self.joints.len()).collect();
        for helper in &self.helpers {
            moves[helper.joint] = match helper.follows {
                Follows::Twist { bone, .. } | Follows::Bulge { bone, .. } => bone,
                Follows::Half { below, .. } => moves[below],
            };
        }
        moves
    }
}

impl HelperDriver {
    /// For the helpers of a rig. Those of bones without a length do not turn against their bone.
    pub fn of(rig: &Rig) -> HelperDriver {
        let mut driver = HelperDriver {
            axes_from_rest: rig.joints.iter().map(|joint| joint.rest.rotation.inverse()).collect(),
            ..HelperDriver::default()
        };
        for helper in &rig.helpers {
            let rule = driver.rule(rig, helper);
            let parent = rig.joints[helper.joint].parent;
            let rest = &rig.joints[helper.joint].rest;
            let offset = match parent {
                Some(parent) => (rig.joints[parent].rest.inverse() * rest).translation.vector,
                None => rest.translation.vector,
            };
            driver.helpers.push(Driven { joint: helper.joint, parent, offset, rule, moved: Vec3::zeros() });
        }
        driver.by_joint = (0..driver.helpers.len()).collect();
        driver.by_joint.sort_by_key(|&index| driver.helpers[index].joint);
        driver.carried = carried(rig);
        driver
    }

    /// The same without those helpers that something else moves.
    #[must_use]
    pub fn except(mut self, is_moved: impl Fn(usize) -> bool) -> HelperDriver {
        self.helpers.retain(|helper| !is_moved(helper.joint));
        self.carried.retain(|(joint, helper)| !is_moved(*joint) && !is_moved(*helper));
        self.by_joint = (0..self.helpers.len()).collect();
        self.by_joint.sort_by_key(|&index| self.helpers[index].joint);
        self
    }

    /// Whether there is nothing to turn.
    pub fn is_empty(&self) -> bool {
        self.helpers.is_empty()
    }

    fn rule(&mut self, rig: &Rig, helper: &Helper) -> Rule {
        match helper.follows {
            Follows::Twist { bone, next, share, from } => {
                let known = direction(rig, bone, next);
                let along = known.unwrap_or_else(Vec3::y_axis);
                let twist = self.twist_of(rig, [bone, next], from, &along);
                let axis = in_line(rig, helper.joint, next)
                    .and_then(|child| direction(rig, helper.joint, child))
                    .unwrap_or(along);
                let factor = match (known, from) {
                    (None, _) => 0.0,
                    (_, TwistFrom::Above) => share - 1.0,
                    (_, TwistFrom::Below) => share,
                };
                Rule::Twist { twist, axis, factor }
            }
            Follows::Half { above, below } => Rule::Half { above, below, before: None },
            Follows::Bulge { bone, next, end, side } => {
                let along = direction(rig, bone, next);
                let twist =
                    self.twist_of(rig, [bone, next], TwistFrom::Above, &along.unwrap_or_else(Vec3::y_axis));
                let below = direction(rig, next, end);
                let length = |a, b| rest_distance(rig, a, b);
                let lengths = [length(bone, next), INSERTION * length(next, end)];
                let side = if along.is_some() && below.is_some() { side } else { Vec3::zeros() };
                let below = below.map_or_else(Vec3::y, Unit::into_inner);
                let muscle = Muscle { below, lengths, side };
                Rule::Bulge { twist, axis: along.unwrap_or_else(Vec3::y_axis), next, muscle }
            }
        }
    }

    /// The twist of a bone, measured once for all helpers on it.
    fn twist_of(
        &mut self,
        rig: &Rig,
        [bone, next]: [usize; 2],
        from: TwistFrom,
        along: &Unit<Vec3>,
    ) -> usize {
        let ends = match from {
            TwistFrom::Above => [rig.joints[bone].parent, Some(bone)],
            TwistFrom::Below => [Some(bone), Some(next)],
        };
        let known = self.bones.iter().position(|other| other.bone == bone && other.ends == ends);
        known.unwrap_or_else(|| {
            self.bones.push(BoneTwist { bone, ends, twist: Twist::about(*along), shift: 0.0, angle: 0.0 });
            self.bones.len() - 1
        })
    }

    /// Turns the helpers of a pose, which may lack those at the end of the joints, as the other joints stand.
    pub fn drive(&mut self, pose: &mut Pose) {
        if self.is_empty() {
            return;
        }
        let count = self.axes_from_rest.len();
        let carried: Vec<Isometry3<f64>> = self
            .carried
            .iter()
            .map(|&(joint, on)| placed(pose, on).inverse() * placed(pose, joint))
            .collect();
        pose.positions.resize(count, Vec3::zeros());
        pose.rotations.resize(count, Quat::identity());
        let mut turns: Vec<Quat> =
            pose.rotations.iter().zip(&self.axes_from_rest).map(|(now, rest)| now * rest).collect();
        self.turn(&mut turns);
        for &index in &self.by_joint {
            let Driven { joint, parent, offset, moved, .. } = &self.helpers[index];
            pose.rotations[*joint] = turns[*joint] * self.axes_from_rest[*joint].inverse();
            pose.positions[*joint] = match parent {
                Some(parent) => pose.positions[*parent] + pose.rotations[*parent] * offset + moved,
                None => pose.positions[*joint],
            };
        }
        for (&(joint, on), on_helper) in self.carried.iter().zip(carried) {
            let there = placed(pose, on) * on_helper;
            (pose.positions[joint], pose.rotations[joint]) = (there.translation.vector, there.rotation);
        }
    }

    /// The same for rotations from rest, one for each joint.
    pub fn turn(&mut self, turns: &mut [Quat]) {
        for bone in &mut self.bones {
            let [above, below] = bone.ends.map(|end| end.map_or(Quat::identity(), |joint| turns[joint]));
            bone.angle = bone.twist.follow(&(above.inverse() * below)) + bone.shift;
        }
        for helper in &mut self.helpers {
            turns[helper.joint] = match &mut helper.rule {
                Rule::Twist { twist, axis, factor } => {
                    let BoneTwist { bone, angle, .. } = self.bones[*twist];
                    turns[bone] * Quat::from_axis_angle(axis, *factor * angle)
                }
                Rule::Half { above, below, before } => {
                    let upper = turns[*above];
                    upper * half(&(upper.inverse() * turns[*below]), before)
                }
                Rule::Bulge { twist, axis, next, muscle } => {
                    let BoneTwist { bone, angle, .. } = self.bones[*twist];
                    let own = turns[bone] * Quat::from_axis_angle(axis, -0.5 * angle);
                    helper.moved = own * muscle.stands_off(&(turns[bone].inverse() * turns[*next]));
                    own
                }
            };
        }
    }

    /// The joints that moved from their places on their parents when they were turned last, and how far in the coordinates of the
    /// output.
    pub fn moved(&self) -> impl Iterator<Item = (usize, Vec3)> + '_ {
        let moving = self.helpers.iter().filter(|helper| matches!(helper.rule, Rule::Bulge { .. }));
        moving.map(|helper| (helper.joint, helper.moved))
    }

    /// Turns the helpers in all poses of a clip, with as few whole turns as possible.
    pub fn drive_clip(mut self, poses: &mut [Pose]) {
        self.take_shift(poses);
        let start = HelperDriver::clone(&self).restarted();
        start.drive_all(poses);
    }

    /// The same for a cycle, whose last pose is its first one again: helpers come back to where they began.
    pub fn drive_cycle(mut self, poses: &mut [Pose]) {
        self.take_shift(poses);
        self.drive_all(poses);
    }

    fn drive_all(mut self, poses: &mut [Pose]) {
        poses.iter_mut().for_each(|pose| self.drive(pose));
    }

    /// Plays the poses once, and then chooses the whole turns that bring the median of each twist nearest to none.
    fn take_shift(&mut self, poses: &[Pose]) {
        let mut angles: Vec<Vec<f64>> = vec![Vec::with_capacity(poses.len()); self.bones.len()];
        for pose in poses {
            self.drive(&mut pose.clone());
            self.bones.iter().zip(&mut angles).for_each(|(bone, angles)| angles.push(bone.angle));
        }
        for (bone, mut angles) in self.bones.iter_mut().zip(angles) {
            let middle = median(&mut angles).unwrap_or(0.0);
            bone.shift -= TAU * (middle / TAU).round();
        }
    }

    /// Without a frame before.
    fn restarted(mut self) -> HelperDriver {
        self.bones.iter_mut().for_each(|bone| bone.twist.restart());
        for helper in &mut self.helpers {
            if let Rule::Half { before, .. } = &mut helper.rule {
                *before = None;
            }
        }
        self
    }
}

fn placed(pose: &Pose, joint: usize) -> Isometry3<f64> {
    Isometry3::from_parts(pose.positions[joint].into(), pose.rotations[joint])
}

/// The joints that hang on helpers and go with them. The chains from which helpers follow go their own ways: where a helper stands in
/// the line of a bone, what is below the bone does not turn with it.
fn carried(rig: &Rig) -> Vec<(usize, usize)> {
    let flags = rig.helper_flags();
    let mut leads = vec![false; rig.joints.len()];
    for helper in &rig.helpers {
        let led_by = match helper.follows {
            Follows::Twist { bone, next, .. } => [bone, next, next],
            Follows::Half { above, below } => [above, below, below],
            Follows::Bulge { bone, next, end, .. } => [bone, next, end],
        };
        led_by
            .into_iter()
            .flat_map(|joint| rig.joints.ancestors(joint))
            .for_each(|joint| leads[joint] = true);
    }
    // What is below such a chain is carried by it.
    let carrier = |joint: usize| {
        let mut way = rig.joints.ancestors(joint).skip_while(|&above| !flags[above] && !leads[above]);
        way.next().filter(|&above| flags[above])
    };
    let free = (0..rig.joints.len()).filter(|&joint| !flags[joint] && !leads[joint]);
    free.filter_map(|joint| Some((joint, carrier(joint)?))).collect()
}

fn rest_distance(rig: &Rig, from: usize, to: usize) -> f64 {
    let [from, to] = [from, to].map(|joint| rig.joints[joint].rest.translation.vector);
    (to - from).norm()
}

/// The direction from a joint to another at rest.
fn direction(rig: &Rig, from: usize, to: usize) -> Option<Unit<Vec3>> {
    let [from, to] = [from, to].map(|joint| rig.joints[joint].rest.translation.vector);
    Unit::try_new(to - from, SHORTEST)
}

/// The child of a helper on the way to the next joint, if it stands in the line between: it turns about the direction to that
/// child, so that what it carries stays where it is.
fn in_line(rig: &Rig, helper: usize, next: usize) -> Option<usize> {
    let mut way = rig.joints.ancestors(next);
    way.find(|&joint| rig.joints[joint].parent == Some(helper))
}

/// Lengths of 1 + D below which D is a whole turn the other way round, and no half of it is better than another.
const OPPOSITE: f64 = 1e-9;

/// D^{1/2} = normalise(1 + D), with the sign of D that is nearer to the frame before: half a turn more does not jump.
fn half(rotation: &Quat, before: &mut Option<Quat>) -> Quat {
    let reference = before.unwrap_or_else(Quat::identity);
    let is_far = rotation.coords.dot(&reference.coords) < 0.0;
    let near = if is_far { Quat::new_unchecked(-rotation.into_inner()) } else { *rotation };
    *before = Some(near);
    let sum = Quaternion::identity() + near.into_inner();
    Unit::try_new(sum, OPPOSITE).unwrap_or_else(Quat::identity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::twist::wrapped;
    use crate::rig::{RigJoint, Tip};
    use nalgebra::Translation3;

    /// A shoulder, an arm along X, an elbow and a hand, with two twist joints on either bone and a half joint at the elbow.
    fn arm() -> Rig {
        let joint = |name: &str, parent, x: f64| RigJoint {
            name: name.into(),
            parent,
            rest: Isometry3::from_parts(
                Translation3::new(x, 1.0, 0.0),
                Quat::from_euler_angles(0.3 * x, 0.2, -0.5 * x),
            ),
        };
        let mut rig = Rig::of_joints(
            vec![
                joint("Shoulder", None, 0.0),
                joint("UpperArm", Some(0), 1.0),
                joint("LowerArm", Some(1), 4.0),
                joint("Hand", Some(2), 7.0),
            ],
            Vec::new(),
        );
        for (bone, from) in [(1, TwistFrom::Above), (2, TwistFrom::Below)] {
            for share in [1.0 / 3.0, 2.0 / 3.0] {
                let x = if bone == 1 { 1.0 } else { 4.0 } + 3.0 * share;
                let twist = rig.joints.push(joint(&format!("Twist{bone}{share}"), Some(bone), x));
                let follows = Follows::Twist { bone, next: bone + 1, share, from };
                rig.helpers.push(Helper { joint: twist, follows });
            }
        }
        let half = rig.joints.push(joint("Half", Some(1), 4.0));
        rig.helpers.push(Helper { joint: half, follows: Follows::Half { above: 1, below: 2 } });
        rig
    }

    /// The pose in which the joints of the body turn from rest by these rotations.
    fn posed(rig: &Rig, turns: [Quat; 4]) -> Pose {
        let mut pose = Pose::default();
        for (joint, turn) in rig.joints.iter().zip(turns) {
            let place = |parent: usize| {
                let offset = (rig.joints[parent].rest.inverse() * joint.rest).translation.vector;
                pose.positions[parent] + pose.rotations[parent] * offset
            };
            let position = joint.parent.map_or(joint.rest.translation.vector, place);
            pose.positions.push(position);
            pose.rotations.push(turn * joint.rest.rotation);
        }
        pose
    }

    fn about_x(angle: f64) -> Quat {
        Quat::from_axis_angle(&Vec3::x_axis(), angle)
    }

    fn turned(rig: &Rig, pose: &Pose, joint: usize) -> Quat {
        pose.rotations[joint] * rig.joints[joint].rest.rotation.inverse()
    }

    #[test]
    fn joints_at_the_end_are_helpers_and_the_rest_is_the_body() {
        let mut rig = arm();
        assert_eq!((rig.body_joints(), rig.without_helpers().joints.len()), (4, 4));
        assert!(rig.without_helpers().helpers.is_empty());
        let end = |joint: usize| Tip { name: "end".into(), joint, position: Vec3::zeros() };
        rig.tips = vec![end(3), end(8)];
        assert_eq!(rig.without_helpers().tips.len(), 1);
        assert_eq!(rig.only_following(), [false, false, false, false, true, true, true, true, true]);
        assert_eq!(rig.movers(), [0, 1, 2, 3, 1, 1, 2, 2, 2]);
        let at_rest = posed(&rig, [Quat::identity(); 4]);
        let mut pose = at_rest.clone();
        HelperDriver::of(&rig).drive(&mut pose);
        for (joint, data) in rig.joints.iter().enumerate() {
            assert!((pose.positions[joint] - data.rest.translation.vector).norm() < 1e-12, "{joint}");
            assert!(pose.rotations[joint].angle_to(&data.rest.rotation) < 1e-12, "{joint}");
        }
    }

    #[test]
    fn helpers_take_their_share_from_the_end_that_must_not_turn() {
        let rig = arm();
        let whole = Quat::from_euler_angles(0.4, 1.1, -0.6);
        let bend = Quat::from_axis_angle(&Vec3::z_axis(), 0.7);
        let upper = about_x(0.9) * bend;
        let lower = upper * Quat::from_axis_angle(&Vec3::y_axis(), 0.5);
        let hand = lower * about_x(1.2);
        let mut pose = posed(&rig, [whole, whole * upper, whole * lower, whole * hand]);
        HelperDriver::of(&rig).drive(&mut pose);
        for (helper, share) in [(4, 1.0 / 3.0), (5, 2.0 / 3.0)] {
            let expected = whole * upper * about_x((share - 1.0) * 0.9);
            assert!(turned(&rig, &pose, helper).angle_to(&expected) < 1e-9, "{helper}");
            // The bone of an arm that twists goes where it goes.
            let along = turned(&rig, &pose, helper) * Vec3::x() - whole * upper * Vec3::x();
            assert!(along.norm() < 1e-9);
        }
        for (helper, share) in [(6, 1.0 / 3.0), (7, 2.0 / 3.0)] {
            let expected = whole * lower * about_x(share * 1.2);
            assert!(turned(&rig, &pose, helper).angle_to(&expected) < 1e-9, "{helper}");
        }
        let expected = whole * upper * Quat::from_axis_angle(&Vec3::y_axis(), 0.25);
        assert!(turned(&rig, &pose, 8).angle_to(&expected) < 1e-9);
    }

    #[test]
    fn a_twist_of_more_than_a_turn_goes_on_steadily() {
        let rig = arm();
        let frames = 81;
        let angle = |frame: usize| (400.0 * frame as f64 / 80.0).to_radians();
        let pose = |frame: usize, sign: f64| {
            let mut pose = posed(&rig, [about_x(0.0), about_x(0.0), about_x(0.0), about_x(angle(frame))]);
            let hand = &mut pose.rotations[3];
            *hand = Quat::new_unchecked(hand.into_inner() * sign);
            pose
        };
        let mut driver = HelperDriver::of(&rig);
        let (mut plain, mut signs): (Vec<Pose>, Vec<Pose>) = Default::default();
        for frame in 0..frames {
            plain.push(pose(frame, 1.0));
            driver.drive(plain.last_mut().unwrap());
            signs.push(pose(frame, if frame % 3 == 0 { -1.0 } else { 1.0 }));
        }
        let mut clip: Vec<Pose> = (0..frames).map(|frame| pose(frame, 1.0)).collect();
        HelperDriver::of(&rig).drive_clip(&mut clip);
        HelperDriver::of(&rig).drive_clip(&mut signs);
        for frame in 1..frames {
            for (helper, share) in [(6, 1.0 / 3.0), (7, 2.0 / 3.0)] {
                for poses in [&plain, &clip] {
                    let step = poses[frame].rotations[helper].angle_to(&poses[frame - 1].rotations[helper]);
                    assert!((step - share * 5.0f64.to_radians()).abs() < 1e-9, "{frame}: {step}");
                }
                let own = turned(&rig, &plain[frame], helper).angle_to(&about_x(share * angle(frame)));
                assert!(own < 1e-9, "{frame}: {own}");
                let apart = clip[frame].rotations[helper].angle_to(&signs[frame].rotations[helper]);
                assert!(apart < 1e-9, "{frame}: {apart}");
            }
        }
        // The middle of the clip is at 200 degrees: a whole turn less is nearer to none.
        let first = turned(&rig, &clip[0], 6).angle_to(&about_x(-120.0f64.to_radians()));
        assert!(first < 1e-9, "{first}");
    }

    #[test]
    fn a_cycle_ends_as_it_begins() {
        let rig = arm();
        let pose = |frame: usize| {
            let angle = 2.9 + 0.5 * crate::math::sin(TAU * frame as f64 / 40.0);
            posed(&rig, [about_x(0.0), about_x(0.1), about_x(0.1), about_x(0.1 + angle)])
        };
        let mut poses: Vec<Pose> = (0..=40).map(pose).collect();
        HelperDriver::of(&rig).drive_cycle(&mut poses);
        for helper in 4..9 {
            assert!(poses[0].rotations[helper].angle_to(&poses[40].rotations[helper]) < 1e-9, "{helper}");
            let steps = poses.windows(2);
            let largest = steps.map(|pair| pair[0].rotations[helper].angle_to(&pair[1].rotations[helper]));
            assert!(largest.fold(0.0, f64::max) < 0.08);
        }
    }

    #[test]
    fn half_of_a_rotation_twice_is_the_whole() {
        let mut before = None;
        let axis = Unit::new_normalize(Vec3::new(0.3, -0.5, 0.8));
        for step in 0..90 {
            let whole = Quat::from_axis_angle(&axis, 0.08 * f64::from(step));
            // The sign of a file's quaternion says nothing.
            let sign = if step % 2 == 0 { 1.0 } else { -1.0 };
            let half = half(&Quat::new_unchecked(whole.into_inner() * sign), &mut before);
            assert!((half * half).angle_to(&whole) < 1e-7, "{step}");
            if step < 78 {
                assert!((half.angle() - 0.04 * f64::from(step)).abs() < 1e-7, "{step}");
            }
        }
    }

    #[test]
    fn a_joint_in_line_leaves_what_it_carries_where_it_is() {
        let rest = |y: f64, z: f64| Isometry3::translation(0.0, y, z);
        let joint = |name: &str, parent, rest| RigJoint { name: name.into(), parent, rest };
        let mut rig = Rig::of_joints(
            vec![
                joint("Shoulder", None, rest(0.0, 0.0)),
                joint("Arm", Some(0), rest(1.0, 0.0)),
                joint("Twist", Some(1), rest(2.0, 0.1)),
                joint("Elbow", Some(2), rest(3.0, 0.0)),
            ],
            Vec::new(),
        );
        let follows = Follows::Twist { bone: 1, next: 3, share: 0.5, from: TwistFrom::Above };
        rig.helpers.push(Helper { joint: 2, follows });
        let turn = Quat::from_axis_angle(&Vec3::y_axis(), 1.5);
        let mut pose = posed(&rig, [Quat::identity(), turn, turn, turn]);
        let before = pose.clone();
        HelperDriver::of(&rig).drive(&mut pose);
        assert_eq!(pose.rotations[3], before.rotations[3]);
        assert!(pose.rotations[2].angle_to(&before.rotations[2]) > 0.7);
        let offset = rig.joints[3].rest.translation.vector - rig.joints[2].rest.translation.vector;
        let carried = pose.positions[2] + pose.rotations[2] * offset;
        assert!((carried - before.positions[3]).norm() < 1e-12);
    }

    #[test]
    fn a_watch_goes_with_the_twist_joint_on_which_it_hangs() {
        let mut rig = arm();
        let rest = Isometry3::translation(5.0, 1.2, 0.1);
        let watch = rig.joints.push(RigJoint { name: "Watch".into(), parent: Some(6), rest });
        let hand = RigJoint { name: "Buckle".into(), parent: Some(watch), rest };
        let buckle = rig.joints.push(hand);
        let lower = Quat::from_axis_angle(&Vec3::z_axis(), 0.7);
        let turns = [Quat::identity(), Quat::identity(), lower, lower * about_x(1.2)];
        let mut pose = posed(&rig, [turns[0], turns[1], turns[2], turns[3]]);
        for joint in 4..rig.joints.len() {
            let parent = rig.joints[joint].parent.unwrap();
            let on_parent = rig.joints[parent].rest.inverse() * rig.joints[joint].rest;
            let there = placed(&pose, parent) * on_parent;
            pose.positions.push(there.translation.vector);
            pose.rotations.push(there.rotation);
        }
        HelperDriver::of(&rig).drive(&mut pose);
        let twisted = placed(&pose, 6) * rig.joints[6].rest.inverse();
        assert!(twisted.rotation.angle_to(&(lower * about_x(0.4))) < 1e-9);
        for joint in [watch, buckle] {
            let expected = twisted * rig.joints[joint].rest;
            assert!((pose.positions[joint] - expected.translation.vector).norm() < 1e-9, "{joint}");
            assert!(pose.rotations[joint].angle_to(&expected.rotation) < 1e-9, "{joint}");
        }
    }

    #[test]
    fn a_muscle_keeps_its_volume() {
        for degrees in [0.0f64, 30.0, 60.0, 90.0, 110.0] {
            let cosine = crate::math::cos(degrees.to_radians());
            let expected = 1.0 / crate::math::cos(0.5 * degrees.to_radians()).sqrt();
            assert!((thickening([1.0, 1.0], cosine) - expected).abs() < 1e-12, "{degrees}");
        }
        assert!((thickening([1.0, INSERTION], crate::math::cos(120f64.to_radians())) - 1.11).abs() < 5e-3);
        assert_eq!(thickening([1.0, 1.0], -1.0), THICKEST);
    }

    #[test]
    fn a_muscle_stands_off_where_its_joint_bends() {
        let mut rig = arm();
        let muscle = rig.joints.push(RigJoint {
            name: "Muscle".into(),
            parent: Some(1),
            rest: Isometry3::translation(2.5, 1.0, 0.0),
        });
        let follows = Follows::Bulge { bone: 1, next: 2, end: 3, side: 0.2 * Vec3::z() };
        rig.helpers.push(Helper { joint: muscle, follows });
        let whole = Quat::from_euler_angles(0.4, 1.1, -0.6);
        let bend = Quat::from_axis_angle(&Vec3::y_axis(), -2.0);
        let mut pose = posed(&rig, [whole, whole, whole * bend, whole * bend]);
        HelperDriver::of(&rig).drive(&mut pose);
        let at_rest = pose.positions[0] + whole * Vec3::new(2.5, 0.0, 0.0);
        let expected = 0.2 * (thickening([3.0, INSERTION * 3.0], crate::math::cos(2.0)) - 1.0);
        assert!((whole.inverse() * (pose.positions[muscle] - at_rest) - expected * Vec3::z()).norm() < 1e-9);
        assert!(turned(&rig, &pose, muscle).angle_to(&whole) < 1e-9);
    }

    #[test]
    fn wrapping_keeps_an_angle_within_half_a_turn() {
        for angle in [-7.0, -3.2, 0.0, 3.2, 9.5] {
            let near = wrapped(angle);
            assert!(near.abs() <= 0.5 * TAU && ((angle - near) / TAU).fract().abs() < 1e-9, "{angle}");
        }
    }
}
