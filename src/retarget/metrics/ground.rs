//! Soles in the ground and above it.

use super::{FootStances, Measurement};
use crate::motion::Pose;
use crate::retarget::target::{Target, TargetLeg};
use crate::rig::lowest;

/// A leg that is straighter than this part of its length is stretched.
const STRETCHED: f64 = 0.97;
/// A foot that floats by more than this part of a leg is seen to float.
const SEEN: f64 = 0.01;

/// What the soles of a character do, in its own unit.
pub(super) struct Ground<'a> {
    of: &'a Measurement<'a>,
    /// Units of the character for one of the source.
    scale: f64,
    depth: f64,
    deepest: f64,
    frames: usize,
    height: f64,
    highest: f64,
    planted: usize,
    pub shortfall: f64,
    pub out_of_reach: Vec<usize>,
}

impl<'a> Ground<'a> {
    pub fn new(of: &'a Measurement<'a>, scale: f64) -> Ground<'a> {
        Ground {
            of,
            scale,
            depth: 0.0,
            deepest: 0.0,
            frames: 0,
            height: 0.0,
            highest: 0.0,
            planted: 0,
            shortfall: 0.0,
            out_of_reach: Vec::new(),
        }
    }

    /// Adds a foot; `rises` is how far in each frame that of the source is above where it stands.
    pub fn add(&mut self, leg: &TargetLeg, foot: &FootStances, poses: &[Pose], rises: &[f64]) {
        let Measurement { target, motion, .. } = *self.of;
        let mut expected = vec![target.floor; poses.len()];
        let mut is_planted = vec![false; poses.len()];
        for stance in foot.heel.iter().chain(&foot.ball) {
            for level in &mut expected[stance.frames.clone()] {
                *level = level.max(target.floor + self.scale * stance.step);
            }
            is_planted[stance.core(motion.frame_seconds)].fill(true);
        }
        let sole = target.rig.soles.iter().find(|sole| sole.foot == leg.ankle);
        let sole = sole.map(|sole| sole.bound(&target.rig));
        for (frame, pose) in poses.iter().enumerate() {
            let lowest = sole.as_ref().map_or_else(|| lowest_of_leg(leg, pose), |sole| lowest(sole, pose));
            let above = lowest - expected[frame];
            self.depth += (-above).max(0.0);
            self.deepest = self.deepest.max(-above);
            self.frames += 1;
            if is_planted[frame] {
                self.add_planted(frame, leg, pose, [above, above - rises[frame]]);
            }
        }
        self.out_of_reach.sort_unstable();
        self.out_of_reach.dedup();
    }

    /// How far a planted foot is above the ground, and how much of that is not in the source.
    fn add_planted(&mut self, frame: usize, leg: &TargetLeg, pose: &Pose, [above, missing]: [f64; 2]) {
        self.height += above.max(0.0);
        self.highest = self.highest.max(above);
        self.planted += 1;
        let end = leg.hock.unwrap_or(leg.ankle);
        let extent = (pose.positions[end] - pose.positions[leg.hip]).norm();
        if extent > STRETCHED * (leg.lengths[0] + leg.lengths[1]) && !leg.is_foot_separate {
            self.shortfall = self.shortfall.max(missing);
            if missing > SEEN * self.of.target.leg_length {
                self.out_of_reach.push(frame);
            }
        }
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

/// Where the body, without its feet, is deepest in the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyDepth {
    /// The joint of the rig that moves what is deepest.
    pub joint: usize,
    /// Number of the frame in the file.
    pub frame: usize,
    /// In leg lengths.
    pub depth: f64,
}

impl BodyDepth {
    /// The deepest part of a character in some poses; `None` if all stays above the ground or the surface is not known.
    pub fn of(target: &Target, poses: &[Pose]) -> Option<BodyDepth> {
        let (leg_length, floor) = (target.leg_length.max(f64::MIN_POSITIVE), target.floor);
        let depths = target.rig.outline.iter().flat_map(|part| {
            let (joint, points, reach) = (part.joint, part.bound(&target.rig), part.reach(&target.rig));
            let near =
                poses.iter().enumerate().filter(move |(_, pose)| pose.positions[joint].y - floor < reach);
            near.map(move |(frame, pose)| BodyDepth {
                joint,
                frame,
                depth: (floor - lowest(&points, pose)) / leg_length,
            })
        });
        depths.filter(|part| part.depth > 0.0).max_by(|a, b| a.depth.total_cmp(&b.depth))
    }
}

/// The height of the lowest point of a foot whose sole is not known.
fn lowest_of_leg(leg: &TargetLeg, pose: &Pose) -> f64 {
    let toes = leg.toes.unwrap_or(leg.ankle);
    pose.positions[leg.ankle].y + leg.sole.lowest(&pose.rotations[leg.ankle], &pose.rotations[toes])
}
