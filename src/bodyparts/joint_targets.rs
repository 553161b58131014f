//! Which joint of the target takes the weight of a joint of the library, and which joints the target gets besides its own (section 8 of the
//! design: fingers, skirts, hair).

use super::fit::PosedSource;
use super::library::FinishedCharacter;
use super::pose::Affine;
use super::slots::{Body, Slot};
use crate::math::{Mat3, Vec3, rotation_of};
use crate::rig::RigJoint;
use crate::skeleton::is_follower;
use crate::skeleton::naming::{Limb, Role, Segment};
use nalgebra::Isometry3;

/// Joints that take a weight, with their shares.
pub(super) type Targets = Vec<(usize, f64)>;

/// For each joint of the source the joints of the target that have its role: by role; along the back and the neck by arc length. A joint
/// without one is of its parent's.
pub(super) fn by_role(source: &Body, target: &Body) -> Vec<Targets> {
    let mut all: Vec<Targets> = Vec::with_capacity(source.parents.len());
    for joint in 0..source.parents.len() {
        let own = source.roles[joint].and_then(|role| match role {
            Role::Spine | Role::Neck | Role::Tail => along_row(source, target, joint, role),
            role => target.find(role).filter(|_| is_of_body(role)).map(|found| vec![(found, 1.0)]),
        });
        let above = source.parents[joint].map(|parent| all[parent].clone());
        let hips = || vec![(target.find(Role::Hips).unwrap_or(0), 1.0)];
        all.push(own.or(above).unwrap_or_else(hips));
    }
    all
}

fn is_of_body(role: Role) -> bool {
    !matches!(
        role,
        Role::Finger(..)
            | Role::HeadTip
            | Role::Limb(_, _, Segment::Tip)
            | Role::Limb(Limb::Arm, _, Segment::Toes)
    )
}

/// The joints of a row at their shares of its length, from the joint above it to the one that follows it.
fn row(body: &Body, role: Role) -> Vec<(usize, f64)> {
    let joints: Vec<usize> = (0..body.roles.len()).filter(|&joint| body.roles[joint] == Some(role)).collect();
    let Some((&first, &last)) = joints.first().zip(joints.last()) else { return Vec::new() };
    let above = body.parents[first].unwrap_or(first);
    let next = |joint: &usize| body.parents[*joint] == Some(last) && body.roles[*joint].is_some();
    let end = (last + 1..body.roles.len())
        .filter(next)
        .find(|&joint| matches!(body.roles[joint], Some(Role::Neck | Role::Head)));
    let mut line = vec![above];
    line.extend(&joints);
    line.extend(end);
    let mut at = 0.0;
    let mut lengths = vec![0.0];
    for pair in line.windows(2) {
        at += (body.places[pair[1]] - body.places[pair[0]]).norm();
        lengths.push(at);
    }
    let total = at.max(f64::MIN_POSITIVE);
    let shares = line.iter().zip(&lengths).skip(1).take(joints.len());
    shares.map(|(joint, length)| (*joint, length / total)).collect()
}

fn along_row(source: &Body, target: &Body, joint: usize, role: Role) -> Option<Targets> {
    let places = row(target, role);
    let (_, share) = *row(source, role).iter().find(|(own, _)| *own == joint)?;
    let after = places.iter().position(|(_, place)| *place > share);
    Some(match after {
        None => vec![(places.last()?.0, 1.0)],
        Some(0) => vec![(places[0].0, 1.0)],
        Some(after) => {
            let ((before, from), (after, to)) = (places[after - 1], places[after]);
            let part = (share - from) / (to - from).max(f64::MIN_POSITIVE);
            vec![(before, 1.0 - part), (after, part)]
        }
    })
}

/// A joint that the target gets from a character of the library.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtraJoint {
    /// The joint; its parent is a joint of the target, or an extra one before it.
    pub joint: RigJoint,
    /// What it is, if the library says so.
    pub role: Option<Role>,
    /// The joint of the target with which it moves if nothing moves it.
    pub base: usize,
    /// The character that it comes from.
    pub source: String,
}

/// Adds the joints of a part that have no place among those of the target and carry weight, or bear some that do. From then on they take
/// their own weight.
pub(super) fn add_extra(
    (character, posed): (&FinishedCharacter, &PosedSource),
    (slot, map): (Slot, &Affine),
    targets: &mut [Targets],
    (base_joints, extra): (&[RigJoint], &mut Vec<ExtraJoint>),
) {
    let body = posed.body;
    let rests = character.rests();
    let carries = carrying(body);
    for joint in 0..body.parents.len() {
        let is_extra = body.segments[joint] != joint && body.slots[joint] == slot && carries[joint];
        // Nothing would drive them: the target has its own.
        let is_extra = is_extra && !is_follower(&character.joints[joint].name);
        let is_extra = is_extra && base_joints.len() + extra.len() < MOST_JOINTS;
        // What is above the hips is no part of the body.
        let (true, Some(above)) = (is_extra, body.parents[joint].filter(|_| body.segments[joint] < joint))
        else {
            continue;
        };
        let parent = heaviest(&targets[above]);
        let base = if parent < base_joints.len() { parent } else { extra[parent - base_joints.len()].base };
        let whole = map.after(&posed.maps[joint]);
        let place = whole.apply(&rests[joint].translation.vector);
        let turn = polar(&whole.linear);
        let rest = Isometry3::from_parts(place.into(), rotation_of(&turn) * rests[joint].rotation);
        let name = free_name(&character.joints[joint].name, base_joints, extra);
        targets[joint] = vec![(base_joints.len() + extra.len(), 1.0)];
        extra.push(ExtraJoint {
            joint: RigJoint { name, parent: Some(parent), rest },
            role: body.roles[joint],
            base,
            source: character.name.clone(),
        });
    }
}

/// Joints of a character at most; weights count them with 16 bits.
const MOST_JOINTS: usize = 60_000;

/// Joints that move vertices, or bear joints that do.
fn carrying(body: &Body) -> Vec<bool> {
    let mut carries = vec![false; body.parents.len()];
    let moved = (0..body.positions.len()).flat_map(|vertex| body.weights.of(vertex));
    moved.for_each(|(joint, _)| carries[joint] = true);
    for joint in (0..carries.len()).rev() {
        if let (true, Some(parent)) = (carries[joint], body.parents[joint]) {
            carries[parent] = true;
        }
    }
    carries
}

pub(super) fn heaviest(targets: &Targets) -> usize {
    let heavier = |best: (usize, f64), next: &(usize, f64)| if next.1 > best.1 { *next } else { best };
    targets.iter().fold((0, f64::NEG_INFINITY), heavier).0
}

/// The rotation part of a map.
fn polar(linear: &Mat3) -> Mat3 {
    if !linear.iter().all(|x| x.is_finite()) {
        return Mat3::identity();
    }
    let svd = linear.svd(true, true);
    match (svd.u, svd.v_t) {
        (Some(u), Some(v_t)) => {
            let flip = Vec3::new(1.0, 1.0, (u * v_t).determinant().signum());
            u * Mat3::from_diagonal(&flip) * v_t
        }
        _ => Mat3::identity(),
    }
}

/// The name, with a number behind it if somebody has it.
fn free_name(name: &str, base: &[RigJoint], extra: &[ExtraJoint]) -> String {
    let joints = || base.iter().chain(extra.iter().map(|extra| &extra.joint));
    let is_free = |name: &str| joints().all(|joint| joint.name != name);
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| is_free(name)).unwrap_or_default()
}
