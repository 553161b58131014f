//! Legs: inverse kinematics from where a foot must be to the bones that bring it there.

use super::Retargeter;
use crate::math::{Quat, Vec3, acos, atan2, exp, hypot};
use crate::retarget::NO_DIRECTION;
use crate::retarget::foot::FootPose;
use crate::retarget::ik_dls::{self, Link};
use crate::retarget::ik_two_bone;
use crate::retarget::target::{Bone, TargetLeg};

/// A leg is at most so straight before it reaches softly: as straight as the source's own, within these bounds. At 0.93 the knees
/// of a walker at 60 frames a second and at 120 are 3 % of a leg apart, at 0.98 those of wide hips jerk.
const LEAST_STRAIGHT: f64 = 0.97;
const MOST_STRAIGHT: f64 = 0.996;
/// Leg lengths from the hip up to which a foot that is a bone of its own may leave its leg: what is farther tears the skin.
const MOST_APART: f64 = 1.25;
/// Degrees by which the heel of a planted foot rises at most because the leg is too short.
const MOST_RISE: f64 = 35.0;
/// Sines of the bend of a knee between which its own axis fades in.
const BENT: [f64; 2] = [0.05, 0.20];
/// Stiffness of hip, knee and hock: an animal's hock moves least.
const STIFFNESS: [f64; 3] = [1.0, 1.0, 2.0];

/// How far a leg reaches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    /// The length up to which it does so exactly, and which it never exceeds.
    pub from: f64,
    pub most: f64,
}

impl Retargeter {
    /// How far a leg reaches.
    pub(super) fn reach(&self, leg: usize, frame: usize) -> Reach {
        let extension = self.frame(frame).feet[leg].extension;
        let (leg, _) = &self.legs[leg];
        // A foot that is a bone of its own goes where the source's goes, whether or not the leg follows.
        let stretch = if leg.is_foot_separate { extension.clamp(1.0, MOST_APART) } else { 1.0 };
        let most = stretch * leg.lengths.iter().sum::<f64>();
        Reach { from: most * extension.clamp(LEAST_STRAIGHT, MOST_STRAIGHT), most }
    }

    /// A planted foot that the leg does not reach any more is left on its ball: its heel rises until it is within reach.
    pub(super) fn raise_heel(&mut self, index: usize, goal: &mut FootPose, reach: Reach) {
        let (leg, _) = &self.legs[index];
        let planted = self.carries(index, self.feet[index].planted.value());
        let hip = self.pose.positions[leg.hip];
        let distance = (goal.ankle - hip).norm();
        let ahead = goal.rotation * leg.ball;
        let Some(axis) = nalgebra::Unit::try_new(Vec3::y().cross(&ahead), NO_DIRECTION) else { return };
        if planted <= 0.0 || distance <= reach.from {
            return;
        }
        // |hip - ankle| = wanted, with the part of the foot across the axis turning about the ball.
        let wanted = soft_reach(distance, reach.from, reach.most);
        let ball = goal.ankle + ahead;
        let (away, along) = (hip - ball, axis.scale(axis.dot(&ahead)));
        let across = along - ahead;
        let (a, b) = (away.dot(&across), away.dot(&axis.cross(&across)));
        let c = 0.5 * (away.norm_squared() + ahead.norm_squared() - wanted * wanted) + away.dot(&along);
        let radius = hypot(a, b);
        if !(radius > 0.0) {
            return;
        }
        let rise = atan2(b, a) - acos((c / radius).clamp(-1.0, 1.0));
        if rise <= 0.0 {
            return;
        }
        let most = MOST_RISE.to_radians();
        let rise = planted * soft_reach(rise, 0.5 * most, most);
        goal.rotation = Quat::from_axis_angle(&axis, rise) * goal.rotation;
        goal.ankle = ball - goal.rotation * leg.ball;
        self.feet[index].correct(goal);
    }

    /// A planted foot that is out of reach is dragged along the ground, not lifted off it. Hips that are wide for their legs
    /// leave a foot behind when they turn.
    pub(super) fn drag(&mut self, index: usize, goal: &mut FootPose, reach: Reach) {
        let (leg, _) = &self.legs[index];
        let planted = self.feet[index].planted.value();
        if planted <= 0.0 {
            return;
        }
        let away = goal.ankle - self.pose.positions[leg.hip];
        let most = MOST_STRAIGHT * reach.most;
        let (level, most) = (hypot(away.x, away.z), (most * most - away.y * away.y).max(0.0).sqrt());
        if level > most {
            let drag = Vec3::new(away.x, 0.0, away.z) * (planted * (most / level - 1.0));
            goal.ankle += drag;
            self.feet[index].drag(&drag);
        }
    }

    /// Bends a leg so that its foot is where it must be.
    pub(super) fn bend_leg(&mut self, index: usize, goal: &FootPose, reach: Reach) {
        let (leg, _) = &self.legs[index];
        let [hip, knee, ankle, hock] = [leg.hip, leg.knee, leg.ankle, leg.hock.unwrap_or(leg.ankle)]
            .map(|joint| self.pose.positions[joint]);
        let away = goal.ankle - hip;
        let distance = away.norm();
        let soft = soft_reach(distance, reach.from, reach.most);
        let reached = if distance > 0.0 { hip + away * (soft / distance) } else { goal.ankle };
        let hinge = self.hinge(leg, &hip, &knee, &hock);
        let rotations = if leg.hock.is_some() {
            let (positions, hinges) = ([hip, knee, hock], [None, Some(hinge), Some(-hinge)]);
            let links = [0, 1, 2].map(|link| Link {
                position: positions[link],
                stiffness: STIFFNESS[link],
                hinge: hinges[link],
            });
            let [upper, lower, metatarsal, ..] = ik_dls::solve(&links, &ankle, &reached);
            [upper, lower, metatarsal]
        } else {
            let rotations = ik_two_bone::solve(&hip, &knee, &ankle, &reached, &hinge);
            [rotations.upper, rotations.lower, rotations.lower]
        };
        let foot = goal.rotation * self.pose.rotations[leg.ankle].inverse();
        let toes = leg.toes.map(|toes| goal.toes * self.pose.rotations[toes].inverse());
        let [upper, lower, metatarsal] = rotations;
        let rotations = [upper, lower, metatarsal, foot, toes.unwrap_or_else(Quat::identity)];
        for &(joint, bone) in &leg.parts {
            self.pose.rotations[joint] = rotations[bone as usize] * self.pose.rotations[joint];
            if joint != leg.hip {
                self.pose.positions[joint] = self.target.attached(&self.pose, joint);
            }
        }
        if leg.is_foot_separate {
            let apart = reached - self.pose.positions[leg.ankle];
            for &(joint, _) in leg.parts.iter().filter(|(_, bone)| matches!(bone, Bone::Foot | Bone::Toes)) {
                self.pose.positions[joint] += apart;
            }
        }
    }

    /// The axis of a knee: its own where it is bent, else that of the rest pose carried along. Taken from a leg that is nearly
    /// straight it would flip.
    fn hinge(&self, leg: &TargetLeg, hip: &Vec3, knee: &Vec3, ankle: &Vec3) -> Vec3 {
        let carried = self.pose.rotations[leg.hip] * leg.hinge;
        let (thigh, shank) = ((knee - hip).normalize(), (ankle - knee).normalize());
        let own = thigh.cross(&shank);
        let sine = own.norm();
        let x = ((sine - BENT[0]) / (BENT[1] - BENT[0])).clamp(0.0, 1.0);
        let share = x * x * (3.0 - 2.0 * x);
        let own = if own.dot(&carried) < 0.0 { -own } else { own };
        let blended = carried * (1.0 - share) + own * (share / sine.max(NO_DIRECTION));
        blended.try_normalize(NO_DIRECTION).unwrap_or(carried)
    }
}

/// Distances up to `from` are kept; beyond they approach `most` and never reach it.
pub(super) fn soft_reach(distance: f64, from: f64, most: f64) -> f64 {
    let room = most - from;
    if distance <= from || room <= 0.0 {
        return distance.min(most);
    }
    from + room * (1.0 - exp(-(distance - from) / room))
}
