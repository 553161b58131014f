use super::figure_of;
use super::girths::girths;
use crate::math::Vec3;
use crate::rig::{BoundVertex, OutlinePart, Rig, find_sole, vertices_of_joints, without_cloth};
use crate::skeleton::Figure;
use crate::skeleton::naming::{Limb, Role, Segment};

/// The rig with what of it can touch the ground, found on the skinned surface: the soles of its feet, the outline of all else,
/// and how thick its parts are.
/// Vertices come at rest with their weights.
pub fn with_soles<W: IntoIterator<Item = (usize, f64)>>(
    rig: Rig,
    vertices: impl Iterator<Item = (Vec3, W)> + Clone,
) -> Rig {
    if rig.helpers.is_empty() {
        return with_surface(rig, vertices);
    }
    // What joints that follow others move is of the joints that they follow.
    let movers = rig.movers();
    let merged: Vec<BoundVertex> =
        vertices.map(|(position, weights)| (position, merged(weights, &movers))).collect();
    let vertices = merged.iter().map(|(position, weights)| (*position, weights.iter().copied()));
    let Rig { soles, outline, girths, .. } = with_surface(rig.without_helpers(), vertices);
    Rig { soles, outline, girths, ..rig }
}

fn merged(weights: impl IntoIterator<Item = (usize, f64)>, movers: &[usize]) -> Vec<(usize, f64)> {
    let mut merged: Vec<(usize, f64)> = Vec::new();
    for (joint, weight) in weights {
        match merged.iter_mut().find(|(other, _)| *other == movers[joint]) {
            Some((_, sum)) => *sum += weight,
            None => merged.push((movers[joint], weight)),
        }
    }
    merged
}

fn with_surface<W: IntoIterator<Item = (usize, f64)>>(
    mut rig: Rig,
    vertices: impl Iterator<Item = (Vec3, W)> + Clone,
) -> Rig {
    let figure = figure_of(&rig);
    let leg_length = figure.leg_length();
    let feet = figure.legs().into_iter().filter_map(|(limb, side)| {
        // A leg without a foot stands on what hangs on its shin.
        figure.limb(limb, side, Segment::End).or(figure.limb(limb, side, Segment::Lower))
    });
    rig.soles = feet
        .filter_map(|foot| {
            find_sole(foot, |joint| rig.joints.is_below(joint, foot), leg_length, vertices.clone())
        })
        .collect();
    let feet: Vec<usize> = rig.soles.iter().map(|sole| sole.foot).collect();
    let touches = (0..rig.joints.len()).filter(|&joint| {
        is_body(&figure, joint) && !feet.iter().any(|&foot| rig.joints.is_below(joint, foot))
    });
    let girths = girths(&rig, &figure, vertices.clone());
    let mut children = rig.joints.children();
    let only_follows = rig.only_following();
    children.iter_mut().for_each(|children| children.retain(|&child| !only_follows[child]));
    let mut own = vertices_of_joints(rig.joints.len(), vertices);
    rig.outline = touches
        .filter_map(|joint| {
            let own = &mut own[joint];
            if !is_bare(figure.roles.roles[joint]) {
                without_cloth(own, &bone(&rig, &children[joint], joint));
            }
            OutlinePart::of(joint, own)
        })
        .collect();
    rig.girths = girths;
    rig
}

/// Whether all that a joint moves is body: heads and hands with whatever is on them.
fn is_bare(role: Option<Role>) -> bool {
    matches!(role, Some(Role::Head | Role::Finger(..) | Role::Limb(Limb::Arm, _, Segment::End)))
}

/// The bone around which the vertices of a joint are; where several begin, none is the joint's own.
fn bone(rig: &Rig, children: &[usize], joint: usize) -> [Vec3; 2] {
    let end = if let [child] = *children { child } else { joint };
    [joint, end].map(|joint| rig.joints[joint].rest.translation.vector)
}

/// Whether a joint is one of a body: tails, ears and capes lie on the ground as they like.
fn is_body(figure: &Figure, joint: usize) -> bool {
    match figure.roles.roles[joint] {
        Some(Role::Hips | Role::Spine | Role::Neck | Role::Head) => true,
        Some(Role::Limb(limb, _, segment)) => {
            matches!(limb, Limb::Arm | Limb::Leg | Limb::FrontLeg) && segment != Segment::Tip
        }
        Some(Role::Finger(..)) => true,
        _ => false,
    }
}
