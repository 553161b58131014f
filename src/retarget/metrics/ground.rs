//! Soles in the ground and above it.

use super::{FootStances, SEEN, STRETCHED};
use crate::math::Vec3;
use crate::motion::Pose;
use crate::retarget::target::{Target, TargetLeg};
use crate::rig::{Rig, RigSole};

/// What the soles of a character did, foot by foot, in its own unit.
#[derive(Default)]
pub(super) struct Ground {
    depth: f64,
    deepest: f64,
    frames: usize,
    height: f64,
    highest: f64,
    planted: usize,
    pub shortfall: f64,
    pub out_of_reach: Vec<usize>,
}

impl Ground {
    #[allow(clippy::too_many_arguments)]
    pub fn add(
        &mut self,
        rig: &Rig,
        target: &Target,
        leg: &TargetLeg,
        foot: &FootStances,
        poses: &[Pose],
        scale: f64,
        frame_seconds: f64,
    ) {
        let mut expected = vec![target.floor; poses.len()];
        let mut is_planted = vec![false; poses.len()];
        for stance in foot.heel.iter().chain(&foot.ball) {
            for level in &mut expected[stance.frames.clone()] {
                *level = level.max(target.floor + scale * stance.step);
            }
            is_planted[stance.core(frame_seconds)].fill(true);
        }
        let sole = rig.soles.iter().find(|sole| sole.foot == leg.ankle);
        let end = leg.hock.unwrap_or(leg.ankle);
        for (frame, pose) in poses.iter().enumerate() {
            let lowest = match sole {
                Some(sole) => lowest(sole, rig, pose),
                None => {
                    let toes = leg.toes.unwrap_or(leg.ankle);
                    let below = leg.sole.lowest(&pose.rotations[leg.ankle], &pose.rotations[toes]);
                    pose.positions[leg.ankle].y + below
                }
            };
            let above = lowest - expected[frame];
            self.depth += (-above).max(0.0);
            self.deepest = self.deepest.max(-above);
            self.frames += 1;
            if !is_planted[frame] {
                continue;
            }
            self.height += above.max(0.0);
            self.highest = self.highest.max(above);
            self.planted += 1;
            let extent = (pose.positions[end] - pose.positions[leg.hip]).norm();
            if extent > STRETCHED * (leg.lengths[0] + leg.lengths[1]) {
                self.shortfall = self.shortfall.max(above);
                if above > SEEN * target.leg_length && self.out_of_reach.last() != Some(&frame) {
                    self.out_of_reach.push(frame);
                }
            }
        }
        self.out_of_reach.sort_unstable();
        self.out_of_reach.dedup();
    }

    /// Mean and most, in leg lengths.
    pub fn penetration(&self, leg_length: f64) -> [f64; 2] {
        [self.depth / self.frames.max(1) as f64, self.deepest].map(|depth| depth / leg_length)
    }

    /// Mean and most, in leg lengths.
    pub fn floating(&self, leg_length: f64) -> [f64; 2] {
        [self.height / self.planted.max(1) as f64, self.highest].map(|height| height / leg_length)
    }
}

/// The height of the lowest vertex of a sole as its skin moves it.
fn lowest(sole: &RigSole, rig: &Rig, pose: &Pose) -> f64 {
    let height = |position: &Vec3, joint: usize| {
        let bound = rig.joints[joint].rest.inverse_transform_point(&(*position).into()).coords;
        (pose.rotations[joint] * bound + pose.positions[joint]).y
    };
    sole.points
        .iter()
        .map(|point| {
            point.weights.iter().map(|&(joint, weight)| weight * height(&point.position, joint)).sum()
        })
        .fold(f64::INFINITY, f64::min)
}
