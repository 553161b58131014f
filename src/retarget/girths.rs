//! Which parts of a body hands can meet, and what of the arms can meet them.

use crate::math::Vec3;
use crate::rig::{Girth, Rig};
use crate::skeleton::Figure;
use crate::skeleton::naming::{Limb, Role, Segment};

/// Vertices that stand for the skin of a forearm or a hand. With half as many bellies come through between them.
const SAMPLES: usize = 32;
/// A vertex belongs to all parts that have so much of its weight. At one half nothing is left between hips and thighs, where skins bend.
const OWN: f64 = 0.3;

/// How thick trunk, head, thighs and arms are. Vertices come at rest with their weights.
pub(super) fn girths<W: IntoIterator<Item = (usize, f64)>>(
    rig: &Rig,
    figure: &Figure,
    vertices: impl Iterator<Item = (Vec3, W)>,
) -> Vec<Girth> {
    let owners: Vec<Option<usize>> = (0..rig.joints.len()).map(|joint| owner(rig, figure, joint)).collect();
    let mut skins: Vec<Vec<Vec3>> = vec![Vec::new(); rig.joints.len()];
    for (position, weights) in vertices {
        for (owner, share) in shares(weights, &owners) {
            if share >= OWN {
                skins[owner].push(position);
            }
        }
    }
    let of = |(joint, skin): (usize, &Vec<Vec3>)| {
        let role = figure.roles.roles[joint]?;
        let girth = Girth::of(joint, &along(rig, figure, joint)?, role == Role::Head, skin)?;
        let is_sampled = matches!(role, Role::Limb(Limb::Arm, _, Segment::Lower | Segment::End));
        Some(if is_sampled { girth.with_samples(skin, SAMPLES) } else { girth })
    };
    skins.iter().enumerate().filter_map(of).collect()
}

/// The parts that move a vertex, and how much.
fn shares(weights: impl IntoIterator<Item = (usize, f64)>, owners: &[Option<usize>]) -> Vec<(usize, f64)> {
    let mut shares: Vec<(usize, f64)> = Vec::new();
    for (joint, weight) in weights {
        let Some(owner) = owners[joint] else { continue };
        match shares.iter_mut().find(|(known, _)| *known == owner) {
            Some((_, share)) => *share += weight,
            None => shares.push((owner, weight)),
        }
    }
    shares
}

/// Whether a joint has a part of its own.
fn is_part(role: Role) -> bool {
    match role {
        Role::Hips | Role::Spine | Role::Neck | Role::Head | Role::Limb(Limb::Leg, _, Segment::Upper) => true,
        Role::Limb(Limb::Arm, _, segment) => {
            matches!(segment, Segment::Upper | Segment::Lower | Segment::End)
        }
        _ => false,
    }
}

/// The joint to whose part belongs what a joint moves: collar bones are of the chest, fingers of the hand, and what twists in a limb
/// is of it. What else hangs on a trunk or a head, such as hair, is of nothing.
fn owner(rig: &Rig, figure: &Figure, joint: usize) -> Option<usize> {
    let role = |joint: usize| figure.roles.roles[joint];
    if role(joint).is_some_and(is_part) {
        return Some(joint);
    }
    let part = rig.joints.ancestors(joint).find(|&above| role(above).is_some_and(is_part))?;
    let is_collar = matches!(role(joint), Some(Role::Limb(Limb::Arm, _, Segment::Girdle)));
    let is_of_limb = matches!(role(part), Some(Role::Limb(..))) && role(joint).is_none_or(is_of_arm);
    (is_collar || is_of_limb).then_some(part)
}

fn is_of_arm(role: Role) -> bool {
    matches!(role, Role::Limb(Limb::Arm, ..) | Role::Finger(..))
}

/// The direction of the bone of a joint: to the next joint of its trunk or limb, or on from the one before.
fn along(rig: &Rig, figure: &Figure, joint: usize) -> Option<Vec3> {
    let is_next = |child: usize| match (figure.roles.roles[joint], figure.roles.roles[child]) {
        (Some(Role::Limb(limb, side, _)), Some(Role::Limb(other, same, _))) => (limb, side) == (other, same),
        (Some(Role::Limb(Limb::Arm, ..)), Some(Role::Finger(..))) => {
            figure.branches.heir[joint] == Some(child)
        }
        (Some(Role::Hips | Role::Spine | Role::Neck), Some(Role::Spine | Role::Neck | Role::Head)) => true,
        _ => false,
    };
    let next = (joint + 1..rig.joints.len())
        .find(|&child| rig.joints[child].parent == Some(joint) && is_next(child));
    let [from, to] = match next {
        Some(child) => [joint, child],
        None => [rig.joints[joint].parent?, joint],
    };
    let at = |joint: usize| rig.joints[joint].rest.translation.vector;
    (at(to) - at(from)).try_normalize(super::NO_DIRECTION)
}
