//! Makes one answer of what the routes say about the joints.
//!
//! Landmarks, search and prior err in different ways: the landmarks know where limbs end, the search which branch of the
//! body is which, the prior where artists put shoulders and hips. Each limb of the answer is their [`consensus`]: the
//! likeliest one, given how far off each route usually is ([`Reading`]).

use super::Stages;
use super::bones::UsualBones;
use super::confidence::assess;
use super::consensus::{Measurement, consensus};
use super::hints::corrected;
use super::landmarks::{Landmarks, SymmetryPlane};
use super::presence::Lack;
use super::readings::{Reading, Route};
use crate::math::Vec3;
use crate::skeleton::naming::{Limb, Role, Side};
use crate::skeleton::{CENTRAL, Skeleton};
use std::collections::BTreeMap;
use std::fmt;

/// A position for every joint of a skeleton.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    /// The skeleton that was chosen.
    pub skeleton: Skeleton,
    /// For each joint its position in the unit cube.
    pub positions: Vec<Vec3>,
    /// For each joint how far to trust its position, 0 to 1.
    pub confidences: Vec<f64>,
    /// How far to trust the whole, 0 to 1.
    pub confidence: f64,
    /// What lowers that, each a clause.
    pub doubts: Vec<&'static str>,
    /// Limbs that the skeleton has and the body has not.
    pub lacks: Vec<Lack>,
    /// The routes that were used.
    pub routes: Vec<RouteDistance>,
    /// Why they were.
    pub reason: RouteReason,
    /// Left and right are mirror images.
    pub symmetric: bool,
}

/// A route that was used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RouteDistance {
    /// The route.
    pub route: Route,
    /// Mean distance of its joints from the answer, in heights.
    pub distance: f64,
}

/// Why routes were used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteReason {
    /// Several answered.
    Consensus,
    /// The only one that has an answer: others know people and animals on four legs alone, or find no place for the skeleton.
    OnlyAnswer,
    /// The caller asked for this route.
    Asked,
}

impl fmt::Display for RouteReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RouteReason::Consensus => "where they agree best, limb by limb",
            RouteReason::OnlyAnswer => "the only one that has an answer for this skeleton",
            RouteReason::Asked => "as told",
        })
    }
}

impl Embedding {
    /// Mean distance of the routes from the answer, in heights; `None` if only one was used.
    pub fn disagreement(&self) -> Option<f64> {
        let sum: f64 = self.routes.iter().map(|used| used.distance).sum();
        (self.routes.len() > 1).then(|| sum / self.routes.len() as f64)
    }
}

/// The consensus of all routes, or the answer of the one that is asked for if it has one.
///
/// # Panics
/// If the stages are those of another skeleton, or no route has an answer for this one: then [`super::embed`] gives an error.
pub fn fuse(skeleton: &Skeleton, stages: &Stages, asked: Option<Route>) -> Embedding {
    let height = stages.frame.height;
    let mut readings = stages.readings(skeleton);
    let is_asked = asked.is_some_and(|asked| readings.iter().any(|reading| reading.route == asked));
    readings.retain(|reading| !is_asked || Some(reading.route) == asked);
    assert!(!readings.is_empty(), "a route has an answer");
    let plane = is_body_symmetric(stages, skeleton).then_some(stages.plane.x);
    let mut positions = agree(skeleton, &readings, height);
    if let Some(plane) = plane {
        make_symmetric(skeleton, &mut positions, plane);
    }
    // Hints for one side alone, or beside the plane, are no mirror images.
    let positions = corrected(skeleton, positions, &stages.hints);
    let certain = stages.hinted();
    let bones = UsualBones::of(skeleton, stages);
    let positions = bones.settled(skeleton, positions, &joint_spreads(&readings, height), &certain);
    let routes = readings.iter().map(|reading| RouteDistance {
        route: reading.route,
        distance: mean_distance(&reading.positions, &positions) / height,
    });
    let trust = assess(skeleton, stages, &positions, &certain);
    Embedding {
        skeleton: skeleton.clone(),
        confidences: trust.joints,
        confidence: trust.whole,
        doubts: trust.evidence.doubts(),
        lacks: trust.lacks,
        routes: routes.collect(),
        reason: match readings.len() {
            _ if is_asked => RouteReason::Asked,
            0 | 1 => RouteReason::OnlyAnswer,
            _ => RouteReason::Consensus,
        },
        symmetric: plane.is_some_and(|plane| is_symmetric(skeleton, &positions, plane)),
        positions,
    }
}

/// The joints where the readings agree best, limb by limb.
fn agree(skeleton: &Skeleton, readings: &[Reading], height: f64) -> Vec<Vec3> {
    let mut positions = vec![Vec3::zeros(); skeleton.joints.len()];
    for joints in limbs(skeleton).values() {
        let measurements: Vec<Measurement> = readings
            .iter()
            .map(|reading| Measurement {
                positions: joints.iter().map(|&joint| reading.positions[joint]).collect(),
                spreads: joints.iter().map(|&joint| reading.spreads[joint] * height).collect(),
            })
            .collect();
        if let Some(answer) = consensus(&measurements) {
            joints.iter().zip(answer.positions).for_each(|(&joint, position)| positions[joint] = position);
        }
    }
    positions
}

/// How far off each joint of the consensus usually is, in the unit cube.
fn joint_spreads(readings: &[Reading], height: f64) -> Vec<f64> {
    let precision = |joint: usize| -> f64 {
        readings.iter().map(|reading| 1.0 / (reading.spreads[joint] * reading.spreads[joint])).sum()
    };
    (0..readings[0].spreads.len()).map(|joint| height / precision(joint).sqrt()).collect()
}

/// Limbs about which a route is right or wrong as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BodyPart {
    /// Hips, spine, and what has no role.
    Trunk,
    /// Neck and head.
    Head,
    /// The tail.
    Tail,
    /// An arm or a leg.
    Limb(Limb, Side),
}

impl BodyPart {
    /// The same limb on the other side.
    pub fn partner(self) -> Option<BodyPart> {
        match self {
            BodyPart::Limb(limb, side) => Some(BodyPart::Limb(limb, side.other())),
            _ => None,
        }
    }
}

/// The joints of each limb.
pub(super) fn limbs(skeleton: &Skeleton) -> BTreeMap<BodyPart, Vec<usize>> {
    let mut limbs: BTreeMap<BodyPart, Vec<usize>> = BTreeMap::new();
    for (joint, data) in skeleton.joints.iter().enumerate() {
        let part = match data.role {
            Some(Role::Neck | Role::Head | Role::HeadTip) => BodyPart::Head,
            Some(Role::Tail) => BodyPart::Tail,
            Some(Role::Limb(limb, side, _)) => BodyPart::Limb(limb, side),
            _ => BodyPart::Trunk,
        };
        limbs.entry(part).or_default().push(joint);
    }
    limbs
}

fn mean_distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).sum::<f64>() / a.len().max(1) as f64
}

/// Whether left and right of the body are mirror images, also in what a person says about them.
pub(crate) fn is_body_symmetric(stages: &Stages, skeleton: &Skeleton) -> bool {
    let is_hinted = |joint: usize| stages.hints.iter().any(|hint| hint.full == joint);
    let mut partners = stages.hints.iter().filter_map(|hint| skeleton.joints[hint.full].partner);
    is_mirror_image(stages.landmarks.as_ref(), &stages.plane) && partners.all(is_hinted)
}

/// The same, before there are stages.
pub(super) fn is_mirror_image(landmarks: Option<&Landmarks>, plane: &SymmetryPlane) -> bool {
    landmarks.map_or(plane.overlap >= SYMMETRIC, |landmarks| landmarks.symmetric)
}

/// Overlap with the mirror image from which a body is symmetric, where no landmarks say so.
const SYMMETRIC: f64 = 0.9;

/// Puts partners at mirror images of each other and the others on the plane x = `plane`.
pub(crate) fn make_symmetric(skeleton: &Skeleton, joints: &mut [Vec3], plane: f64) {
    for (joint, data) in skeleton.joints.iter().enumerate() {
        match data.partner {
            None if data.position.x.abs() < CENTRAL => joints[joint].x = plane,
            None => {}
            Some(partner) if partner > joint => {
                let middle = (joints[joint] + mirrored(&joints[partner], plane)) * 0.5;
                joints[joint] = middle;
                joints[partner] = mirrored(&middle, plane);
            }
            Some(_) => {}
        }
    }
}

/// Distance from the mirror image up to which it is one: rounding.
const MIRRORED: f64 = 1e-6;

/// Whether partners are mirror images of each other.
fn is_symmetric(skeleton: &Skeleton, joints: &[Vec3], plane: f64) -> bool {
    let mut pairs =
        skeleton.joints.iter().enumerate().filter_map(|(joint, data)| Some((joint, data.partner?)));
    pairs.all(|(joint, partner)| (mirrored(&joints[partner], plane) - joints[joint]).norm() < MIRRORED)
}

pub(super) fn mirrored(point: &Vec3, plane: f64) -> Vec3 {
    Vec3::new(2.0 * plane - point.x, point.y, point.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    fn human() -> (Skeleton, Vec<Vec3>) {
        let skeleton = skeleton_file::read(built_in()[0].text).unwrap();
        let positions = skeleton.joints.iter().map(|joint| joint.position + Vec3::x() * 0.5).collect();
        (skeleton, positions)
    }

    #[test]
    fn partners_become_mirror_images_and_the_others_central() {
        let (skeleton, mut joints) = human();
        let before = joints.clone();
        let hand = skeleton.find("LeftHand").unwrap();
        let other = skeleton.joints[hand].partner.unwrap();
        joints[hand].y += 0.1;
        joints[0].x += 0.05;
        make_symmetric(&skeleton, &mut joints, 0.5);
        assert!((joints[0].x - 0.5).abs() < 1e-12);
        assert!((joints[hand].y - before[hand].y - 0.05).abs() < 1e-12);
        assert!((mirrored(&joints[other], 0.5) - joints[hand]).norm() < 1e-12);
    }
}
