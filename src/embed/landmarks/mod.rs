//! Joints from events of the shape: where limbs end, where they merge with the trunk, where sections are narrow.
//!
//! Nearly every character shows these events whatever its style, and artists place joints at similar fractions
//! between them. There is no search and no template pose, so there is always an answer; how far to trust it is
//! part of the answer.

mod biped;
mod body_plan;
mod level_sets;
mod limb_ends;
mod quadruped;
mod sections;

pub use body_plan::{BodyPlan, PlanReason};

use super::solid::Solid;
use crate::math::Vec3;
use crate::mesh::prepare::PreparedMesh;
use std::fmt;

/// Joints read off the shape of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Landmarks {
    /// What kind of body it is taken for.
    pub plan: BodyPlan,
    /// What decided between two legs and four.
    pub plan_reason: PlanReason,
    /// How far the decision was from the other one, 0 to 1.
    pub plan_margin: f64,
    /// One for each joint of the plan's skeleton, tips included, in its order.
    pub joints: Vec<Landmark>,
    /// How far to trust the whole, 0 to 1.
    pub confidence: f64,
    /// What speaks against it.
    pub doubts: Vec<Doubt>,
    /// Both sides are mirror images; otherwise each was read by itself.
    pub symmetric: bool,
    /// The plane between left and right.
    pub plane: MirrorPlane,
}

/// The place of one joint.
#[derive(Debug, Clone, PartialEq)]
pub struct Landmark {
    /// Name of the joint in the skeleton.
    pub name: &'static str,
    /// In the unit cube of the prepared mesh.
    pub position: Vec3,
    /// How far to trust it, 0 to 1.
    pub confidence: f64,
}

/// The plane x = const that maps a body to its mirror image best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MirrorPlane {
    /// In the unit cube.
    pub x: f64,
    /// Volume shared with the mirror image over the volume of the union, 0 to 1.
    pub overlap: f64,
}

/// Why joints may be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// No pair of hands stands out from the body.
    NoArms,
    /// The arms are too short or too long for the height of the shoulders.
    ArmLength,
    /// Left and right differ.
    SidesDiffer,
    /// The body is far from its mirror image.
    Asymmetric,
    /// The hands hardly stand out.
    WeakHands,
    /// The arm hangs down along the trunk; the shoulder was taken from the neck.
    ShoulderLifted,
    /// The arm has no merging place that can be a shoulder.
    NoArmpit,
    /// The legs do not part.
    NoCrotch,
    /// The neck and the arms give different heights of the shoulders.
    NeckAndArmsDisagree,
    /// The legs part far below where hips are usual, as under a coat.
    LowCrotch,
    /// There is no narrow section between trunk and head.
    NoNeck,
    /// Fewer than two pairs of legs stand on the ground.
    MissingLegs,
    /// No head stands out in front of the fore legs.
    NoHead,
    /// The hind legs may have three bones or four.
    HindBones,
    /// Trunk and legs do not have the proportions of an animal.
    TrunkShape,
    /// The shape speaks for two legs about as much as for four.
    UnclearPlan,
}

impl Doubt {
    /// What it takes from the confidence of the whole. Set by hand so that, of the variants of the example
    /// characters, those that fail rank below those that pass.
    fn weight(self) -> f64 {
        match self {
            Doubt::NoArms | Doubt::MissingLegs => 0.45,
            Doubt::ArmLength | Doubt::TrunkShape => 0.3,
            Doubt::SidesDiffer | Doubt::Asymmetric | Doubt::NoHead => 0.25,
            Doubt::WeakHands
            | Doubt::ShoulderLifted
            | Doubt::NoArmpit
            | Doubt::NoCrotch
            | Doubt::HindBones
            | Doubt::UnclearPlan
            | Doubt::NeckAndArmsDisagree => 0.2,
            Doubt::LowCrotch => 0.15,
            Doubt::NoNeck => 0.1,
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Doubt::NoArms => "no pair of hands stands out from the body",
            Doubt::ArmLength => "the arms are too short or too long for the shoulders",
            Doubt::SidesDiffer => "left and right differ",
            Doubt::Asymmetric => "the body is far from its mirror image",
            Doubt::WeakHands => "the hands hardly stand out",
            Doubt::ShoulderLifted => "the arms hang along the trunk; the shoulders were taken from the neck",
            Doubt::NoArmpit => "the arms have no merging place that can be a shoulder",
            Doubt::NoCrotch => "the legs do not part",
            Doubt::NeckAndArmsDisagree => "neck and arms give different heights of the shoulders",
            Doubt::LowCrotch => "the legs part far below where hips are usual",
            Doubt::NoNeck => "there is no narrow section between trunk and head",
            Doubt::MissingLegs => "fewer than two pairs of legs stand on the ground",
            Doubt::NoHead => "no head stands out in front of the fore legs",
            Doubt::HindBones => "the hind legs may have three bones or four",
            Doubt::TrunkShape => "trunk and legs do not have the proportions of an animal",
            Doubt::UnclearPlan => "the shape speaks for two legs about as much as for four",
        })
    }
}

/// Joints of one body plan in body space, before they are placed in the unit cube.
struct Reading<'a> {
    solid: &'a Solid,
    symmetric: bool,
    joints: Vec<(&'static str, Vec3, f64)>,
    doubts: Vec<Doubt>,
}

/// A body as it is, and the part that it shares with its mirror image.
struct Volumes {
    raw: Solid,
    /// In units of its own height; `None` if that part does not stand on the same ground or is little of the body.
    symmetric: Option<Solid>,
}

/// Part of the volume that the symmetric part must keep. Less is left of poses that are not symmetric at all.
const KEPT: f64 = 0.45;

/// Height above the ground up to which the symmetric part must reach down: feet that stand side by side.
const FLOOR: f64 = 0.05;

impl Volumes {
    fn of(raw: Solid) -> Volumes {
        let part = raw.symmetric_part();
        let stands = part.vertical_range().0 <= FLOOR && part.volume() >= KEPT * raw.volume();
        Volumes { symmetric: stands.then(|| part.rescaled()), raw }
    }
}

/// Reads the joints off a body; `plan` is what the caller knows about it.
pub fn find_landmarks(mesh: &PreparedMesh, plan: Option<BodyPlan>) -> Landmarks {
    let volumes = Volumes::of(Solid::of(mesh));
    let stand = quadruped::Stand::of(&volumes);
    let choice = body_plan::choose(&stand, plan);
    let mut reading = match choice.plan {
        BodyPlan::Biped => biped::read(&volumes),
        BodyPlan::Quadruped | BodyPlan::Horse => quadruped::read(&volumes, &stand, choice.plan),
    };
    if choice.margin < body_plan::UNCLEAR {
        reading.doubts.push(Doubt::UnclearPlan);
    }
    let lost: f64 = reading.doubts.iter().map(|doubt| doubt.weight()).sum();
    let confidence = (1.0 - lost).max(0.0);
    let solid = reading.solid;
    let landmark = |&(name, position, own): &(&'static str, Vec3, f64)| Landmark {
        name,
        position: solid.unit_from_body(&position),
        confidence: own * confidence,
    };
    Landmarks {
        plan: choice.plan,
        plan_reason: choice.reason,
        plan_margin: choice.margin,
        joints: reading.joints.iter().map(landmark).collect(),
        confidence,
        symmetric: reading.symmetric,
        plane: MirrorPlane { x: solid.origin_unit.x, overlap: volumes.raw.mirror_overlap },
        doubts: reading.doubts,
    }
}

/// A vector with x turned to the other side.
fn mirrored(point: &Vec3) -> Vec3 {
    Vec3::new(-point.x, point.y, point.z)
}

/// A vector with x on the side of `sign`: reading of one side serves both.
fn on_side(point: &Vec3, sign: f64) -> Vec3 {
    Vec3::new(sign * point.x, point.y, point.z)
}

/// The middle value; the mean of the two middle ones of an even number. Zero for none.
fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n => 0.5 * (values[(n - 1) / 2] + values[n / 2]),
    }
}
