//! Where joints take the points of a surface in a pose that is not of a clip: rotations from rest, and the place of the root.

use crate::math::{Mat3, Quat, Vec3};
use crate::rig::{HelperDriver, Rig};

/// A rotation and a displacement: where a joint takes a point at rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rigid {
    pub turn: Mat3,
    pub by: Vec3,
}

impl Rigid {
    pub fn apply(&self, point: &Vec3) -> Vec3 {
        self.turn * point + self.by
    }
}

/// A pose: how far each joint has turned from rest, and where the root is. What it says of derived joints counts nothing.
#[derive(Debug, Clone)]
pub(super) struct TurnPose {
    pub turns: Vec<Quat>,
    pub place: Vec3,
}

/// The joints of a rig, ready to be posed.
pub(super) struct Posable<'a> {
    pub rig: &'a Rig,
    pub root: usize,
    /// Whether each joint is the root or below it.
    pub is_carried: Vec<bool>,
    driver: HelperDriver,
}

impl<'a> Posable<'a> {
    pub fn of(rig: &'a Rig, root: usize) -> Posable<'a> {
        let is_carried = (0..rig.joints.len()).map(|joint| rig.joints.is_below(joint, root)).collect();
        Posable { rig, root, is_carried, driver: HelperDriver::of(rig) }
    }

    pub fn at_rest(&self, joint: usize) -> Vec3 {
        self.rig.joints[joint].rest.translation.vector
    }

    /// Where each joint takes the surface. Joints that the root does not carry stay at rest.
    pub fn transforms(&self, pose: &TurnPose) -> Vec<Rigid> {
        let mut turns = pose.turns.clone();
        turns.resize(self.rig.joints.len(), Quat::identity());
        for joint in (0..turns.len()).filter(|&joint| !self.is_carried[joint]) {
            turns[joint] = Quat::identity();
        }
        let mut driver = self.driver.clone();
        driver.turn(&mut turns);
        let mut moved = vec![Vec3::zeros(); turns.len()];
        driver.moved().for_each(|(joint, by)| moved[joint] = by);
        let mut placed: Vec<Rigid> = Vec::with_capacity(turns.len());
        for (joint, turn) in turns.iter().enumerate() {
            let rest = self.at_rest(joint);
            let place = match self.rig.joints[joint].parent {
                _ if joint == self.root => pose.place,
                Some(parent) => placed[parent].apply(&rest) + moved[joint],
                None => rest,
            };
            let turn = *turn.to_rotation_matrix().matrix();
            placed.push(Rigid { turn, by: place - turn * rest });
        }
        placed
    }
}

/// A point that joints move by their weights.
pub(super) fn blended(point: &Vec3, list: &[(usize, f64)], transforms: &[Rigid]) -> Vec3 {
    list.iter().map(|&(joint, weight)| transforms[joint].apply(point) * weight).sum()
}
