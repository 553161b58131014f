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
use crate::rig::{Depth, Girth};
use crate::skeleton::naming::{Limb, Role, Segment};
use nalgebra::{Isometry3, Point3, Translation3};

/// Parts of the height that skin may go into skin: flesh gives way, and a profile is no more exact. Without it the hands of slender walkers
/// go around their thighs.
const TOUCHING: f64 = 0.001;
/// Times that the deepest point of an arm is taken out, at most. A hand between thigh and belly takes 6.
const STEPS: usize = 8;
/// How readily shoulder, elbow and wrist turn.
const MOBILITY: [f64; 3] = [1.0, 0.7, 0.15];
/// Squares of arm lengths that keep a hand that points at the body from turning far for little.
const STUBBORN: f64 = 0.003;
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
pub(super) struct Aside([f64; COORDINATES]);

impl Aside {
    fn shoulder(&self) -> Vec3 {
        Vec3::new(self.0[0], self.0[1], self.0[2])
    }

    fn elbow(&self) -> f64 {
        self.0[3]
    }

    fn wrist(&self) -> Vec3 {
        Vec3::new(self.0[4], self.0[5], self.0[6])
    }

    fn scaled(&self, factor: f64) -> Aside {
        Aside(self.0.map(|coordinate| coordinate * factor))
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

/// A vertex of a forearm or a hand.
struct Sample {
    /// The bone of the arm that moves it: 1 the forearm, 2 the hand.
    bone: usize,
    /// Where it is in the axes of the joint of that bone.
    position: Vec3,
}

/// What of an arm can meet what.
struct Feelers {
    samples: Vec<Sample>,
    /// The obstacles that it can meet.
    obstacles: Vec<usize>,
    /// How deep each sample may be in each of them, one sample after the other.
    allowed: Vec<f64>,
    limiters: [[Limiter; 2]; COORDINATES],
    /// How the arm got out of the frame that was looked at last.
    last: Aside,
}

/// What keeps the arms of a character out of its body.
pub(super) struct Collisions {
    obstacles: Vec<Obstacle>,
    arms: Vec<Feelers>,
    /// What is left of the way out of a frame in the next one, if nothing is in the way there.
    kept: f64,
    /// From the axes of each profile to those of the figure, in the frame that is looked at.
    placed: Vec<Isometry3<f64>>,
    /// The middle of each obstacle then.
    centres: Vec<Vec3>,
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
            kept: exp(-frame_seconds / RETURNING),
            obstacles,
        };
        let at_rest = target.at_rest();
        collisions.place(&at_rest);
        collisions.arms = arms.iter().map(|arm| collisions.feelers(target, arm, &at_rest, ahead)).collect();
        collisions
    }

    fn feelers(&self, target: &Target, arm: &Arm, at_rest: &Pose, ahead: usize) -> Feelers {
        let rig = &target.rig;
        let [upper, lower, hand] = arm.joints();
        let mut samples = Vec::new();
        for (bone, joint) in [(1, lower), (2, hand)] {
            let own = rig.girths.iter().filter(|girth| girth.joint == joint);
            let inverse = rig.joints[joint].rest.inverse();
            let points = own.flat_map(|girth| &girth.samples);
            samples.extend(
                points.map(|point| Sample { bone, position: (inverse * Point3::from(*point)).coords }),
            );
        }
        let of_other = |joint: usize| !rig.joints.is_below(joint, upper);
        let obstacles: Vec<usize> =
            (0..self.obstacles.len()).filter(|&index| of_other(self.obstacles[index].girth.joint)).collect();
        let touching = TOUCHING * target.height();
        let bent = Bent::of(arm, at_rest);
        let depth = |obstacle: usize, sample: &Sample| {
            self.depth(obstacle, &bent.place(sample)).map_or(0.0, |found| found.depth) + touching
        };
        let allowed = samples
            .iter()
            .flat_map(|sample| obstacles.iter().map(move |&obstacle| (obstacle, sample)))
            .map(|(obstacle, sample)| depth(obstacle, sample))
            .collect();
        let limiters = std::array::from_fn(|_| [Limiter::new(ahead), Limiter::new(ahead)]);
        Feelers { samples, obstacles, allowed, limiters, last: Aside::default() }
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

    /// How deep a point is in an obstacle, and the direction out of it.
    fn depth(&self, obstacle: usize, point: &Vec3) -> Option<Depth> {
        let placed = &self.placed[obstacle];
        let own = placed.rotation.inverse() * (point - placed.translation.vector);
        let Depth { depth, outward } = self.obstacles[obstacle].girth.depth(&own)?;
        Some(Depth { depth, outward: placed.rotation * outward })
    }

    /// How an arm gets out of the obstacles where they were placed last.
    pub fn way_out(&mut self, index: usize, arm: &Arm, target: &Target, pose: &Pose) -> Aside {
        let as_it_comes = Bent::of(arm, pose);
        let mut way = Way::of(&self.arms[index].last.scaled(self.kept), arm, target, pose);
        let mut bent = way.applied(&as_it_comes);
        let limits = arm.elbow_limits(pose, &bent.hinge);
        for _ in 0..STEPS {
            let Some(deepest) = self.deepest(index, &bent) else { break };
            way.step(&deepest, &bent, arm, limits);
            bent = way.applied(&as_it_comes);
        }
        let [upper, lower, _] = arm.joints();
        let aside = way.aside(&carrier(target, upper, pose), &pose.rotations[lower]);
        self.arms[index].last = aside;
        aside
    }

    /// How deep an arm is in the obstacles where they were placed last, beyond what it is at rest.
    pub fn overlap(&self, index: usize, arm: &Arm, pose: &Pose) -> Option<Overlap> {
        let Deepest { obstacle, depth, bone, .. } = self.deepest(index, &Bent::of(arm, pose))?;
        Some(Overlap { arm: arm.joints()[bone], body: self.obstacles[obstacle].girth.joint, depth })
    }

    /// The point of an arm that is deepest in an obstacle, beyond what is allowed.
    fn deepest(&self, index: usize, bent: &Bent) -> Option<Deepest> {
        let Feelers { samples, obstacles, allowed, .. } = &self.arms[index];
        let mut deepest: Option<Deepest> = None;
        for (sample, allowed) in samples.iter().zip(allowed.chunks(obstacles.len().max(1))) {
            let point = bent.place(sample);
            for (&obstacle, allowed) in obstacles.iter().zip(allowed) {
                let reach = self.obstacles[obstacle].reach;
                if (point - self.centres[obstacle]).norm_squared() >= reach * reach {
                    continue;
                }
                let Some(Depth { depth, outward }) = self.depth(obstacle, &point) else { continue };
                let depth = depth - allowed;
                if depth > deepest.as_ref().map_or(0.0, |deepest| deepest.depth) {
                    deepest = Some(Deepest { obstacle, depth, outward, point, bone: sample.bone });
                }
            }
        }
        deepest
    }

    /// How an arm gives way in the next frame, if the frames within the look-ahead need these.
    pub fn smoothed(&mut self, arm: usize, needed: impl Iterator<Item = Aside>) -> Aside {
        let mut peaks = [[0.0_f64; 2]; COORDINATES];
        for Aside(coordinates) in needed {
            for (peak, coordinate) in peaks.iter_mut().zip(coordinates) {
                *peak = [peak[0].max(coordinate), peak[1].max(-coordinate)];
            }
        }
        let mut aside = Aside::default();
        let limiters = self.arms[arm].limiters.iter_mut().zip(peaks);
        for (coordinate, ([up, down], [most, least])) in aside.0.iter_mut().zip(limiters) {
            *coordinate = up.step(most) - down.step(least);
        }
        aside
    }
}

/// Turns an arm out of the way.
pub(super) fn give_way(arm: &Arm, aside: &Aside, target: &Target, pose: &mut Pose) {
    if aside.is_none() {
        return;
    }
    hands::turn(arm, &Way::of(aside, arm, target, pose).turns(), target, pose);
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

    fn place(&self, sample: &Sample) -> Vec3 {
        self.joints[sample.bone] + self.rotations[sample.bone] * sample.position
    }
}

/// The turns of shoulder, elbow and wrist by which an arm gives way, in the axes of the figure; those further out come first.
#[derive(Clone, Copy)]
struct Way {
    /// The axis of the elbow before they are made.
    hinge: Vec3,
    shoulder: Quat,
    elbow: f64,
    wrist: Quat,
}

impl Way {
    fn of(aside: &Aside, arm: &Arm, target: &Target, pose: &Pose) -> Way {
        let [upper, lower, _] = arm.joints();
        Way {
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
        let stiffness = shoulder * by_shoulder.norm_squared()
            + elbow * along * along
            + wrist * by_wrist.norm_squared()
            + STUBBORN * arm.length() * arm.length();
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

    fn aside(&self, carrier: &Quat, forearm: &Quat) -> Aside {
        let shoulder = carrier.inverse() * self.shoulder.scaled_axis();
        let wrist = forearm.inverse() * self.wrist.scaled_axis();
        Aside([shoulder.x, shoulder.y, shoulder.z, self.elbow, wrist.x, wrist.y, wrist.z])
    }
}

fn capped(vector: Vec3, most: f64) -> Vec3 {
    let norm = vector.norm();
    if norm > most { vector * (most / norm) } else { vector }
}
