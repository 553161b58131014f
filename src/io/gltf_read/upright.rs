//! The orientation of a rig.

use crate::math::{Mat3, Quat, Vec3, rotation_of};
use crate::rig::Rig;
use crate::skeleton::{Branches, offsets, partners, standing};

/// The rotation by quarters that makes a rig stand upright and face +Z.
pub(super) fn upright(rig: &Rig) -> Quat {
    let names: Vec<&str> = rig.nodes().map(|node| node.name).collect();
    let parents: Vec<Option<usize>> = rig.nodes().map(|node| node.parent).collect();
    let positions: Vec<Vec3> = rig.nodes().map(|node| node.position).collect();
    let branches = Branches::of(&parents, &positions);
    let partners = partners(&names, &parents, &offsets(&parents, &positions), &branches);
    let standing = standing(&names, &branches, &partners, &positions, None);
    let Some(standing) = standing.filter(|standing| standing.is_upright) else { return Quat::identity() };
    let up = standing.up.vector();
    let front = nearest_axis(&standing.front);
    if front.dot(&up) != 0.0 {
        return Quat::identity();
    }
    let scene_from_rig = Mat3::from_columns(&[up.cross(&front), up, front]);
    if scene_from_rig == Mat3::identity() {
        Quat::identity()
    } else {
        rotation_of(&scene_from_rig.transpose())
    }
}

fn nearest_axis(direction: &Vec3) -> Vec3 {
    let axis = direction.iamax();
    Vec3::ith(axis, direction[axis].signum())
}
