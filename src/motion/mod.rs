//! Motions as data: a hierarchy of joints and how they turn over time.
//!
//! A [`Motion`] is what a file holds, in the axes and the unit of that file. Euler angles end where files are read:
//! rotations are quaternions. A [`Pose`] is where all joints are at one moment.

mod builtin;
mod joint_map_override;
mod kinematics;
mod looping;
mod mirror;
mod outside_feet;
mod path;
mod rate;
mod resample;
mod rest;
mod skeleton;
#[cfg(test)]
mod test_motions;
mod trim;

pub use builtin::{BuiltInMotion, built_in};
pub use joint_map_override::JointMapOverride;
pub use kinematics::Pose;
pub use looping::{Cycle, NoCycle, close_loop, find_cycle, loops};
pub use mirror::{exchange_sides, mirror};
pub use outside_feet::outside_feet;
pub use path::with_path;
pub use rate::snapped;
pub use resample::resample;
pub use skeleton::skeleton_of;
pub use trim::trim;

use crate::math::{Quat, Vec3};
use crate::skeleton::{Hierarchy, TreeJoint};

/// A hierarchy of joints with their rotations and translations over time.
///
/// Invariants: there is at least one joint, the first joint is the only root, parents come before their children,
/// names are unique, numbers are finite, quaternions have unit length, `frame_seconds` is above zero.
/// Readers end with [`Motion::with_rest_split_off`]: a rest pose in front of the frames is none of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// The joints, end sites among them.
    pub joints: Hierarchy<MotionJoint>,
    /// The rest pose with which the file begins, if it does. It is no motion and none of the frames.
    pub rest: Option<Pose>,
    /// Number of frames; may be zero.
    pub frames: usize,
    /// Time from one frame to the next.
    pub frame_seconds: f64,
    /// Rotations of the joints that turn, each relative to its parent.
    pub rotations: Tracks<Quat>,
    /// Positions of the joints that travel, each relative to its parent; they replace the offset.
    pub translations: Tracks<Vec3>,
}

/// A joint of a [`Motion`].
#[derive(Debug, Clone, PartialEq)]
pub struct MotionJoint {
    /// Unique name; an end site is called after its parent.
    pub name: String,
    /// Index of the parent; `None` for the root.
    pub parent: Option<usize>,
    /// Position relative to the parent where no translation track says otherwise.
    pub offset: Vec3,
    /// An end site: it marks the end of the last bone and never turns.
    pub is_end: bool,
}

#[cfg(test)]
impl MotionJoint {
    /// An end site if it is called `end` or `tip`.
    fn new(name: &str, parent: Option<usize>, offset: Vec3) -> MotionJoint {
        MotionJoint { name: name.into(), parent, offset, is_end: ["end", "tip"].contains(&name) }
    }
}

/// A value for each frame of some joints.
#[derive(Debug, Clone, PartialEq)]
pub struct Tracks<T> {
    /// The joints, in increasing order.
    pub joints: Vec<usize>,
    /// Frame by frame, in each frame one value for each of the joints.
    pub values: Vec<T>,
}

impl<T> Tracks<T> {
    /// The values of one frame.
    pub fn at(&self, frame: usize) -> &[T] {
        &self.values[frame * self.joints.len()..(frame + 1) * self.joints.len()]
    }

    /// The values of one frame, to be changed.
    fn at_mut(&mut self, frame: usize) -> &mut [T] {
        let width = self.joints.len();
        &mut self.values[frame * width..][..width]
    }

    /// The index of a joint among the tracks.
    pub fn track_of(&self, joint: usize) -> Option<usize> {
        self.joints.binary_search(&joint).ok()
    }
}

impl Motion {
    /// Seconds from the first to the last frame of the file and one step more; a rest pose counts.
    pub fn seconds(&self) -> f64 {
        self.time(self.frames)
    }

    /// When a frame is, in seconds from the first one of the file.
    pub fn time(&self, frame: usize) -> f64 {
        self.number(frame) as f64 * self.frame_seconds
    }

    /// The number of a frame in its file, for reports: a rest pose is number 0 there, and the first frame number 1.
    pub fn number(&self, frame: usize) -> usize {
        frame + usize::from(self.rest.is_some())
    }

    /// The index of the joint of that name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.find(name)
    }

    /// Where each joint is relative to its parent.
    pub(crate) fn offsets(&self) -> Vec<Vec3> {
        self.joints.iter().map(|joint| joint.offset).collect()
    }

    /// Length of the longest path from the root to a leaf along the offsets: a measure of the size in the file's unit.
    pub fn reach(&self) -> f64 {
        let mut lengths = vec![0.0; self.joints.len()];
        for (index, joint) in self.joints.iter().enumerate() {
            if let Some(parent) = joint.parent {
                lengths[index] = lengths[parent] + joint.offset.norm();
            }
        }
        lengths.into_iter().fold(0.0, f64::max)
    }

    /// What breaks the promises of this type, for the tests of the readers.
    pub fn broken_invariant(&self) -> Option<&'static str> {
        let count = self.joints.len();
        if let Some(broken) = self.joints.broken_invariant() {
            Some(broken)
        } else if ![&self.rotations.joints, &self.translations.joints].iter().all(|t| are_in_order(t, count))
        {
            Some("tracks are in order")
        } else if self.rotations.values.len() != self.frames * self.rotations.joints.len()
            || self.translations.values.len() != self.frames * self.translations.joints.len()
        {
            Some("every frame has a value for each track")
        } else if self.rest.as_ref().is_some_and(|rest| rest.positions.len() != self.joints.len()) {
            Some("the rest pose has all joints")
        } else if !self.joints.iter().all(|joint| is_finite(&joint.offset)) {
            Some("offsets are finite")
        } else if !self.translations.values.iter().all(is_finite) {
            Some("translations are finite")
        } else if !self.rotations.values.iter().all(|q| (q.norm() - 1.0).abs() < ROUNDING) {
            Some("quaternions have unit length")
        } else if !(self.frame_seconds > 0.0 && self.frame_seconds.is_finite()) {
            Some("time passes between frames")
        } else {
            None
        }
    }
}

/// Lengths of unit quaternions differ from 1 by less.
const ROUNDING: f64 = 1e-9;

/// Whether indices increase and are below a number.
fn are_in_order(joints: &[usize], count: usize) -> bool {
    joints.windows(2).all(|pair| pair[0] < pair[1]) && joints.last().is_none_or(|&last| last < count)
}

fn is_finite(v: &Vec3) -> bool {
    v.iter().all(|x| x.is_finite())
}

impl TreeJoint for MotionJoint {
    fn name(&self) -> &str {
        &self.name
    }

    fn parent(&self) -> Option<usize> {
        self.parent
    }
}
