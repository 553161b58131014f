//! Hands and forearms that stay out of the body.
//!
//! Rotations are copied from a source that is slimmer, or has longer arms: the hands of a stout character go through its belly.
//! Choi & Ko leave self-intersection to future work. Here the girth of trunk, head, thighs and upper arms is known, and the arm is taken
//! out of them by the least rotations: shoulder and elbow turn, the wrist only where they do not suffice. Each frame is solved by itself as
//! soon as it is pushed; what comes out is above what all frames need by a look-ahead limiter for each coordinate, so that an arm begins
//! to give way before it meets anything, and no arm pops.
//!
//! What is under the skin of another part at rest may be so deep for ever: sleeves in robes, arms that are drawn at the flanks.

use super::hands::{self, Arm};
use super::limiter::Limiter;
use super::target::Target;
use crate::math::{Quat, Vec3, exp};
use crate::motion::Pose;
use crate::rig::Girth;
use crate::skeleton::naming::{Limb, Role, Segment};
use nalgebra::{Isometry3, Point3, Translation3};

/// Parts of the height that skin may go into skin: flesh gives way, and a profile is no more exact. Without it the hands of slender walkers
/// go around their thighs.
const TOUCHING: f64 = 0.0005;
/// Parts of the height that are left when an arm is out. Less takes twice the time for nothing that is seen.
const ENOUGH: f64 = 0.001;
/// Times that the deepest point of an arm is taken out, at most. A hand between thigh and belly takes 6.
const STEPS: usize = 8;
/// How readily shoulder, elbow and wrist turn.
const MOBILITY: [f64; 3] = [1.0, 2.0, 0.15];
/// Damping of the least squares, in squares of arm lengths: a hand that points at the body would turn far for little.
const DAMPING: f64 = 0.003;
/// Radians of one step, and of shoulder and wrist in all.
const MOST_STEP: f64 = 0.3;
const MOST_SWING: f64 = 1.0;
const MOST_WRIST: f64 = 0.6;
/// Seconds in which an arm for which nothing is in the way any more returns to a third. It begins where it was in the frame before, so
/// that a hand which came round a belly on one side stays on that side.
const RETURNING: f64 = 0.15;
/// Coordinates of a way out.
const COORDINATES: usize = 7;

/// How an arm gives way: rotation vectors of the shoulder, in the axes of what carries it, and of the wrist, in those of the forearm, and
/// between them the bend of the elbow, in radians.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct ArmOffset([f64; COORDINATES]);

impl ArmOffset {
    fn shoulder(&self) -> Vec3 {
        Vec3::new(self.0[0], self.0[1], self.0[2])
    }

    fn elbow(&self) -> f64 {
        self.0[3]
    }

    fn wrist(&self) -> Vec3 {
        Vec3::new(self.0[4], self.0[5], self.0[6])
    }

    pub(super) fn scaled(&self, factor: f64) -> ArmOffset {
        ArmOffset(self.0.map(|coordinate| coordinate * factor))
    }

    fn is_none(&self) -> bool {
        self.0 == [0.0; COORDINATES]
    }
}

/// A part of the body that hands can meet.
struct Obstacle {
    girth: Girth,
    /// From the axes of the profile to those of its joint.
    in_joint: Isometry3<f64>,
    centre: Vec3,
    reach: f64,
}

/// The skin of a forearm or a hand.
struct FeelerBone {
    /// The bone of the arm: 1 the forearm, 2 the hand.
    bone: usize,
    /// Vertices in the axes of its joint, and a sphere around them.
    samples: Vec<Vec3>,
    centre: Vec3,
    reach: f64,
    meetings: Vec<CollisionPair>,
}

/// An obstacle that a bone can meet.
struct CollisionPair {
    obstacle: usize,
    /// How deep each sample may be in it.
    allowed: Vec<f64>,
}

/// What of an arm can meet what.
struct ArmSkin {
    bones: Vec<FeelerBone>,
    limiters: [[Limiter; 2]; COORDINATES],
    /// How the arm got out of the frame that was looked at last.
    last: ArmOffset,
}

/// What keeps the arms of a character out of its body.
pub(super) struct Collisions {
    obstacles: Vec<Obstacle>,
    arms: Vec<ArmSkin>,
    /// What is left of the way out of a frame in the next one, if nothing is in the way there.
    kept: f64,
    /// Less depth is none.
    enough: f64,
    /// From the axes of each profile to those of the figure, in the frame that is looked at.
    placed: Vec<Isometry3<f64>>,
    /// The middle of each obstacle then.
    centres: Vec<Vec3>,
    /// What of an arm is near something.
    near: Vec<Near>,
}

/// A sample that is in an obstacle, or close to it.
#[derive(Clone, Copy)]
struct Near {
    /// Among the bones of the arm, and among their meetings and samples.
    bone: usize,
    meeting: usize,
    sample: usize,
}

/// How deep an arm is in a part of its own body.
pub(super) struct Overlap {
    /// The joint that moves what is deepest, and the one in whose part it is.
    pub arm: usize,
    pub body: usize,
    pub depth: f64,
}

/// The deepest point of an arm.
struct Deepest {
    obstacle: usize,
    depth: f64,
    outward: Vec3,
    point: Vec3,
    bone: usize,
}

/// Shoulder, elbow and wrist of an arm that gives way.
#[derive(Clone, Copy)]
struct Bent {
    joints: [Vec3; 3],
    rotations: [Quat; 3],
    /// The axis about which the elbow bends.
    hinge: Vec3,
}

impl Collisions {
    /// Of a character with these arms; so many frames are known ahead.
    pub fn of(target: &Target, arms: &[Arm], ahead: usize, frame_seconds: f64) -> Collisions {
        let obstacles: Vec<Obstacle> = target
            .rig
            .girths
            .iter()
            .filter(|girth| is_obstacle(target, girth.joint))
            .map(|girth| Obstacle::of(girth, target))
            .collect();
        let mut collisions = Collisions {
            placed: vec![Isometry3::identity(); obstacles.len()],
            centres: vec![Vec3::zeros(); obstacles.len()],
            arms: Vec::new(),
            near: Vec::new(),
            enough: ENOUGH * target.height(),
            kept: exp(-frame_seconds / RETURNING),
            obstacles,
        };
        let at_rest = target.at_rest();
        collisions.place(&at_rest);
        collisions.arms = arms.iter().map(|arm| collisions.feelers(target, arm, &at_rest, ahead)).collect();
        let pairs = |feeler: &FeelerBone| feeler.samples.len() * feeler.meetings.len();
        let most = collisions.arms.iter().map(|arm| arm.bones.iter().map(pairs).sum::<usize>());
        collisions.near.reserve(most.max().unwrap_or(0));
        collisions
    }

    fn feelers(&self, target: &Target, arm: &Arm, at_rest: &Pose, ahead: usize) -> ArmSkin {
        let [_, lower, hand] = arm.joints();
        let bones = [(1, lower), (2, hand)].into_iter().filter_map(|(bone, joint)| {
            let girth = target.rig.girths.iter().find(|girth| girth.joint == joint)?;
            let inverse = target.rig.joints[joint].rest.inverse();
            let samples: Vec<Vec3> =
                girth.samples.iter().map(|point| (inverse * Point3::from(*point)).coords).collect();
            let centre = samples.iter().sum::<Vec3>() / samples.len().max(1) as f64;
            let reach = samples.iter().map(|sample| (sample - centre).norm()).fold(0.0, f64::max);
            let mut feeler = FeelerBone { bone, samples, centre, reach, meetings: Vec::new() };
            feeler.meetings = self.meetings(target, arm, at_rest, &feeler);
            Some(feeler)
        });
        let limiters = std::array::from_fn(|_| [Limiter::new(ahead), Limiter::new(ahead)]);
        ArmSkin { bones: bones.collect(), limiters, last: ArmOffset::default() }
    }

    /// What the skin of a bone can meet, and how deep it is in that at rest.
    fn meetings(
        &self,
        target: &Target,
        arm: &Arm,
        at_rest: &Pose,
        feeler: &FeelerBone,
    ) -> Vec<CollisionPair> {
        let upper = arm.joints()[0];
        let touching = TOUCHING * target.height();
        let bent = Bent::of(arm, at_rest);
        let others = (0..self.obstacles.len())
            .filter(|&obstacle| !target.rig.joints.is_below(self.obstacles[obstacle].girth.joint, upper));
        let depth = |obstacle: usize, sample: &Vec3| {
            let own = self.placed[obstacle].inverse() * Point3::from(bent.place(feeler.bone, sample));
            self.obstacles[obstacle].girth.depth(&own.coords).map_or(0.0, |found| found.depth)
        };
        let meeting = |obstacle: usize| CollisionPair {
            obstacle,
            allowed: feeler.samples.iter().map(|sample| depth(obstacle, sample) + touching).collect(),
        };
        others.map(meeting).collect()
    }

    /// Puts the obstacles where they are in a pose.
    pub fn place(&mut self, pose: &Pose) {
        for (index, obstacle) in self.obstacles.iter().enumerate() {
            let joint = obstacle.girth.joint;
            let placed =
                Isometry3::from_parts(Translation3::from(pose.positions[joint]), pose.rotations[joint])
                    * obstacle.in_joint;
            self.placed[index] = placed;
            self.centres[index] = placed.rotation * obstacle.centre + placed.translation.vector;
        }
    }

    /// How an arm gets out of the obstacles where they were placed last.
    pub fn way_out(&mut self, index: usize, arm: &Arm, target: &Target, pose: &Pose) -> ArmOffset {
        let as_it_comes = Bent::of(arm, pose);
        let mut way = ArmTurns::of(&self.arms[index].last.scaled(self.kept), arm, target, pose);
        let mut bent = way.applied(&as_it_comes);
        let limits = arm.elbow_limits(pose, &bent.hinge);
        let mut near = std::mem::take(&mut self.near);
        let mut deepest = self.look_everywhere(index, &bent, &mut near);
        for _ in 0..STEPS {
            let Some(found) = deepest.filter(|found| found.depth > self.enough) else { break };
            way.step(&found, &bent, arm, limits);
            bent = way.applied(&as_it_comes);
            deepest = self.deepest(index, &bent, &near);
        }
        self.near = near;
        let [upper, lower, _] = arm.joints();
        let aside = way.aside(&carrier(target, upper, pose), &pose.rotations[lower]);
        self.arms[index].last = aside;
        aside
    }

    /// How deep an arm is in the obstacles where they were placed last, beyond what it is at rest.
    pub fn overlap(&self, index: usize, arm: &Arm, pose: &Pose) -> Option<Overlap> {
        let Deepest { obstacle, depth, bone, .. } =
            self.look_everywhere(index, &Bent::of(arm, pose), &mut Vec::new())?;
        Some(Overlap { arm: arm.joints()[bone], body: self.obstacles[obstacle].girth.joint, depth })
    }

    /// The point of an arm that is deepest in an obstacle, beyond what is allowed; notes those that are in any at all.
    fn look_everywhere(&self, index: usize, bent: &Bent, near: &mut Vec<Near>) -> Option<Deepest> {
        near.clear();
        for (bone, feeler) in self.arms[index].bones.iter().enumerate() {
            let middle = bent.place(feeler.bone, &feeler.centre);
            for (meeting, CollisionPair { obstacle, .. }) in feeler.meetings.iter().enumerate() {
                let reach = feeler.reach + self.obstacles[*obstacle].reach;
                if (self.centres[*obstacle] - middle).norm_squared() < reach * reach {
                    self.note([bone, meeting], feeler, bent, near);
                }
            }
        }
        self.deepest(index, bent, near)
    }

    /// Notes the samples of a bone that are in an obstacle.
    fn note(&self, [bone, meeting]: [usize; 2], feeler: &FeelerBone, bent: &Bent, near: &mut Vec<Near>) {
        let obstacle = feeler.meetings[meeting].obstacle;
        let placed = &self.placed[obstacle];
        // From the axes of the bone to those of the profile.
        let back = placed.rotation.inverse();
        let turn = (back * bent.rotations[feeler.bone]).to_rotation_matrix();
        let from = back * (bent.joints[feeler.bone] - placed.translation.vector);
        let girth = &self.obstacles[obstacle].girth;
        let samples = feeler.samples.iter().enumerate();
        let inside = samples.filter(|(_, position)| girth.may_contain(&(turn * *position + from)));
        near.extend(inside.map(|(sample, _)| Near { bone, meeting, sample }));
    }

    /// The deepest of some points.
    fn deepest(&self, index: usize, bent: &Bent, near: &[Near]) -> Option<Deepest> {
        let mut deepest: Option<Deepest> = None;
        for Near { bone, meeting, sample } in near {
            let feeler = &self.arms[index].bones[*bone];
            let CollisionPair { obstacle, allowed } = &feeler.meetings[*meeting];
            let point = bent.place(feeler.bone, &feeler.samples[*sample]);
            let placed = &self.placed[*obstacle];
            let own = placed.rotation.inverse() * (point - placed.translation.vector);
            let Some(found) = self.obstacles[*obstacle].girth.depth(&own) else { continue };
            let depth = found.depth - allowed[*sample];
            if depth > deepest.as_ref().map_or(0.0, |deepest| deepest.depth) {
                let outward = placed.rotation * found.outward;
                deepest = Some(Deepest { obstacle: *obstacle, depth, outward, point, bone: feeler.bone });
            }
        }
        deepest
    }

    /// How an arm gives way in the next frame, if the frames within the look-ahead need these.
    pub fn smoothed(&mut self, arm: usize, needed: impl Iterator<Item = ArmOffset>) -> ArmOffset {
        let mut peaks = [[0.0_f64; 2]; COORDINATES];
        for ArmOffset(coordinates) in needed {
            for (peak, coordinate) in peaks.iter_mut().zip(coordinates) {
                *peak = [peak[0].max(coordinate), peak[1].max(-coordinate)];
            }
        }
        let mut aside = ArmOffset::default();
        let limiters = self.arms[arm].limiters.iter_mut().zip(peaks);
        for (coordinate, ([up, down], [most, least])) in aside.0.iter_mut().zip(limiters) {
            *coordinate = up.step(most) - down.step(least);
        }
        aside
    }
}

/// Turns an arm out of the way.
pub(super) fn give_way(arm: &Arm, aside: &ArmOffset, target: &Target, pose: &mut Pose) {
    if aside.is_none() {
        return;
    }
    hands::turn(arm, &ArmTurns::of(aside, arm, target, pose).turns(), target, pose);
}

/// The axes of what carries a joint.
fn carrier(target: &Target, joint: usize, pose: &Pose) -> Quat {
    target.figure.parents[joint].map_or(Quat::identity(), |parent| pose.rotations[parent])
}

fn is_obstacle(target: &Target, joint: usize) -> bool {
    match target.figure.roles.roles[joint] {
        Some(Role::Hips | Role::Spine | Role::Neck | Role::Head) => true,
        Some(Role::Limb(limb, _, segment)) => {
            matches!(limb, Limb::Arm | Limb::Leg) && segment == Segment::Upper
        }
        _ => false,
    }
}

impl Obstacle {
    fn of(girth: &Girth, target: &Target) -> Obstacle {
        let in_joint = target.rig.joints[girth.joint].rest.inverse() * girth.at_rest;
        let (centre, reach) = girth.sphere();
        Obstacle { girth: girth.clone(), in_joint, centre, reach }
    }
}

impl Bent {
    fn of(arm: &Arm, pose: &Pose) -> Bent {
        let joints = arm.joints();
        Bent {
            joints: joints.map(|joint| pose.positions[joint]),
            rotations: joints.map(|joint| pose.rotations[joint]),
            hinge: arm.elbow_hinge(pose),
        }
    }

    /// Where a point in the axes of a bone is.
    fn place(&self, bone: usize, point: &Vec3) -> Vec3 {
        self.joints[bone] + self.rotations[bone] * point
    }
}

/// The turns of shoulder, elbow and wrist by which an arm gives way, in the axes of the figure; those further out come first.
#[derive(Clone, Copy)]
struct ArmTurns {
    /// The axis of the elbow before they are made.
    hinge: Vec3,
    shoulder: Quat,
    elbow: f64,
    wrist: Quat,
}

impl ArmTurns {
    fn of(aside: &ArmOffset, arm: &Arm, target: &Target, pose: &Pose) -> ArmTurns {
        let [upper, lower, _] = arm.joints();
        ArmTurns {
            hinge: arm.elbow_hinge(pose),
            shoulder: Quat::from_scaled_axis(carrier(target, upper, pose) * aside.shoulder()),
            elbow: aside.elbow(),
            wrist: Quat::from_scaled_axis(pose.rotations[lower] * aside.wrist()),
        }
    }

    /// How upper arm, forearm and hand turn.
    fn turns(&self) -> [Quat; 3] {
        let lower = self.shoulder * Quat::from_scaled_axis(self.hinge * self.elbow);
        [self.shoulder, lower, lower * self.wrist]
    }

    fn applied(&self, bent: &Bent) -> Bent {
        let turns = self.turns();
        let [shoulder, elbow, wrist] = bent.joints;
        let elbow_after = shoulder + turns[0] * (elbow - shoulder);
        let wrist_after = elbow_after + turns[1] * (wrist - elbow);
        Bent {
            joints: [shoulder, elbow_after, wrist_after],
            rotations: [0, 1, 2].map(|bone| turns[bone] * bent.rotations[bone]),
            hinge: turns[0] * bent.hinge,
        }
    }

    /// Takes the deepest point out by the least turns.
    fn step(&mut self, deepest: &Deepest, bent: &Bent, arm: &Arm, [least, most]: [f64; 2]) {
        let Deepest { depth, outward, point, bone, .. } = deepest;
        let [by_shoulder, by_elbow, by_wrist] = bent.joints.map(|joint| (point - joint).cross(outward));
        let by_wrist = if *bone == 2 { by_wrist } else { Vec3::zeros() };
        let along = bent.hinge.dot(&by_elbow);
        let [shoulder, elbow, wrist] = MOBILITY;
        // One that is stretched gives way no further.
        let is_stopped = if along > 0.0 { self.elbow >= most } else { self.elbow <= least };
        let elbow = if is_stopped { 0.0 } else { elbow };
        let stiffness = shoulder * by_shoulder.norm_squared()
            + elbow * along * along
            + wrist * by_wrist.norm_squared()
            + DAMPING * arm.length() * arm.length();
        let force = depth / stiffness;
        let swing = capped(by_shoulder * (shoulder * force), MOST_STEP);
        self.shoulder = Quat::from_scaled_axis(capped(
            (Quat::from_scaled_axis(swing) * self.shoulder).scaled_axis(),
            MOST_SWING,
        ));
        self.elbow = (self.elbow + (elbow * force * along).clamp(-MOST_STEP, MOST_STEP)).clamp(least, most);
        // In the axes from which the arm came.
        let back = self.turns()[1].inverse();
        let turn = back * capped(by_wrist * (wrist * force), MOST_STEP);
        self.wrist = Quat::from_scaled_axis(capped(
            (Quat::from_scaled_axis(turn) * self.wrist).scaled_axis(),
            MOST_WRIST,
        ));
    }

    fn aside(&self, carrier: &Quat, forearm: &Quat) -> ArmOffset {
        let shoulder = carrier.inverse() * self.shoulder.scaled_axis();
        let wrist = forearm.inverse() * self.wrist.scaled_axis();
        ArmOffset([shoulder.x, shoulder.y, shoulder.z, self.elbow, wrist.x, wrist.y, wrist.z])
    }
}

fn capped(vector: Vec3, most: f64) -> Vec3 {
    let norm = vector.norm();
    if norm > most { vector * (most / norm) } else { vector }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{cos, sin};
    use crate::rig::{Rig, bind_pose};
    use crate::skeleton::naming::Side;

    /// Vertices of a tube of a radius around the Y axis, between two heights, about a middle.
    fn tube(middle: &Vec3, [low, high]: [f64; 2], radius: f64) -> Vec<Vec3> {
        let rings = (0..=16).map(|ring| low + (high - low) * f64::from(ring) / 16.0);
        let around = |height: f64| {
            (0..24)
                .map(move |side| std::f64::consts::TAU * f64::from(side) / 24.0)
                .map(move |angle| Vec3::new(radius * sin(angle), height, radius * cos(angle)))
        };
        rings.flat_map(around).map(|offset| middle + offset).collect()
    }

    /// A person whose hips are a barrel of a radius, with ends so far below and above them, and the skin of its left forearm.
    fn barrel(radius: f64, ends: [f64; 2]) -> Target {
        let human = crate::Skeleton::human();
        let mut rig: Rig = bind_pose(&human, &human.positions()).into_rig();
        let at = |name: &str| rig.joints[rig.find(name).unwrap()].rest.translation.vector;
        let (hips, elbow, hand) = (at("Hips"), at("LeftLowerArm"), at("LeftHand"));
        let belly = tube(&hips, ends, radius);
        let forearm: Vec<Vec3> =
            (0..=16).map(|step| elbow + (hand - elbow) * (f64::from(step) / 16.0)).collect();
        let skin: Vec<Vec3> = forearm.iter().flat_map(|middle| tube(middle, [-0.01, 0.01], 0.01)).collect();
        let arm = rig.find("LeftLowerArm").unwrap();
        let barrel = Girth::of(rig.find("Hips").unwrap(), &Vec3::y(), false, &belly).unwrap();
        let sleeve = Girth::of(arm, &(hand - elbow), false, &skin).unwrap().with_samples(&skin, 40);
        rig.girths = vec![barrel, sleeve];
        Target::of(&rig)
    }

    /// An arm that is so much of the way down from where it is at rest.
    fn lowered(target: &Target, arm: &Arm, share: f64) -> Pose {
        let mut pose = target.at_rest();
        let along = hands::hand(arm, &pose) - hands::shoulder(arm, &pose);
        let down = Quat::from_scaled_axis(
            Quat::rotation_between(&along, &-Vec3::y()).unwrap().scaled_axis() * share,
        );
        hands::turn(arm, &[down; 3], target, &mut pose);
        pose
    }

    #[test]
    fn an_arm_is_taken_out_of_a_barrel_and_left_alone_outside() {
        let target = barrel(0.25, [-0.1, 0.25]);
        let arms = hands::arms(&target, &target.figure);
        let arm = &arms[0];
        assert_eq!(arm.joints()[0], target.figure.limb(Limb::Arm, Side::Left, Segment::Upper).unwrap());
        let mut collisions = Collisions::of(&target, &arms, 0, 1.0 / 60.0);
        for (share, is_in) in [(0.0, false), (1.0, true)] {
            let mut pose = lowered(&target, arm, share);
            collisions.place(&pose);
            assert_eq!(collisions.overlap(0, arm, &pose).is_some(), is_in, "{share}");
            let mut aside = ArmOffset::default();
            // What a frame leaves, the next one takes up.
            for _ in 0..4 {
                aside = collisions.way_out(0, arm, &target, &pose);
            }
            assert_eq!(aside.is_none(), !is_in, "{share}");
            give_way(arm, &aside, &target, &mut pose);
            let left = collisions.overlap(0, arm, &pose).map_or(0.0, |overlap| overlap.depth);
            assert!(left < 0.003, "{share}: {left}");
        }
    }

    #[test]
    fn what_is_inside_at_rest_may_stay_there() {
        let target = barrel(0.9, [-0.5, 0.5]);
        let arms = hands::arms(&target, &target.figure);
        let mut collisions = Collisions::of(&target, &arms, 0, 1.0 / 60.0);
        let pose = target.at_rest();
        collisions.place(&pose);
        assert!(collisions.way_out(0, &arms[0], &target, &pose).is_none());
        let meetings = collisions.arms[0].bones.iter().flat_map(|feeler| &feeler.meetings);
        let allowed = meetings.flat_map(|meeting| &meeting.allowed).copied().fold(0.0, f64::max);
        assert!(allowed > 0.1, "the arm is inside: {allowed}");
    }
}
