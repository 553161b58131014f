//! Joints of a body on four legs.
//!
//! Legs are followed from the ground up to where they grow together; belly and back between them give the trunk,
//! and all joints of legs and trunk are fractions of these. Artists differ by a tenth of the height in where they
//! put hips, necks and knees of animals, so each fraction is a compromise that keeps the farthest rigs of the corpus
//! near. Fractions fitted without one family of animals (dogs, hoofed animals, cats, rats) are off by 4.9 % of the
//! height on that family, those below by 4.1 % on all.

mod head;
mod hind_leg;
mod legs;
mod trunk;

pub use legs::APART;

use super::body_plan::BodyPlan;
use super::{Doubt, Reading, Volumes, on_side};
use crate::embed::solid::Solid;
use crate::math::Vec3;
use head::Head;
use hind_leg::{Bend, HindBones};
use legs::{LegLine, Legs};
use trunk::Trunk;

/// The shoulder's height over that at which the forequarters are widest.
const SHOULDER: f64 = 0.93;
/// How far the shoulder lies behind the foot, in distances of the feet.
const SHOULDER_BEHIND: f64 = 0.03;
/// Hips over the middle of the haunches in height, and ahead of the foot in distances of the feet.
const HIPS: f64 = 1.115;
const HIPS_AHEAD: f64 = 0.155;

/// Fractions that differ between rigs with three and with four bones in the hind leg.
struct Fractions {
    /// Over the height of the belly.
    elbow: f64,
    /// In heights of the body.
    wrist: f64,
}

const THREE_BONES: Fractions = Fractions { elbow: 0.7, wrist: 0.022 };
const FOUR_BONES: Fractions = Fractions { elbow: 0.83, wrist: 0.077 };

/// Legs of three bones: hip and knee over the height of the croup.
const HIP_OVER_CROUP: f64 = 0.59;
const KNEE_OVER_CROUP: f64 = 0.32;
/// The knee over the height of the belly at least: on long legs it is nearer to the belly than to the ground.
const KNEE_OVER_BELLY: f64 = 0.75;
/// The hip is ahead of where the leg meets the belly by this part of what the rump hangs over behind the foot: a
/// thigh hidden in the trunk is as long before the foot as behind it.
const HIP_PER_OVERHANG: f64 = 0.48;
/// The knee on the way along the body from the foot to where the leg meets the belly.
const KNEE_WAY: f64 = 0.25;

/// Legs of four bones: the hip over the middle of the haunches in height, and its way from the foot to there.
const HIP_OVER_HAUNCHES: f64 = 1.055;
const HIP_WAY: f64 = 0.69;
/// The stifle over the belly, and its way from the foot to the middle of the haunches and beyond.
const STIFLE: f64 = 0.985;
const STIFLE_WAY: f64 = 1.3;

struct LegJoints {
    /// Shoulder, elbow, wrist, tip.
    fore: [Vec3; 4],
    /// Hip, knee, hock, foot, tip.
    hind: [Vec3; 5],
}

impl LegJoints {
    fn of(legs: &Legs, trunk: &Trunk, four: bool) -> LegJoints {
        let fractions = if four { &FOUR_BONES } else { &THREE_BONES };
        let fore = legs.fore.shin();
        // Legs lean sideways less than their sections say, which reach into the trunk higher up.
        let fore_at = |y: f64, z: f64| Vec3::new(fore.x, y, z);
        let fore = [
            fore_at(SHOULDER * trunk.shoulders, fore.z - SHOULDER_BEHIND * legs.span()),
            fore_at(fractions.elbow * trunk.belly, legs.fore.at(fractions.elbow * trunk.belly).z),
            fore_at(fractions.wrist, fore.z),
            tip(&legs.fore),
        ];
        let hind = if four { hind_of_four(&legs.hind, trunk) } else { hind_of_three(&legs.hind, trunk) };
        LegJoints { fore, hind }
    }
}

fn tip(line: &LegLine) -> Vec3 {
    Vec3::new(line.at(0.0).x, 0.0, line.edges(0.02)[1])
}

fn hind_of_three(line: &LegLine, trunk: &Trunk) -> [Vec3; 5] {
    let shin = line.shin();
    let at = |y: f64, z: f64| Vec3::new(shin.x, y, z);
    let joined = line.at(0.92 * trunk.belly).z;
    let overhang = (shin.z - trunk.rump).max(0.0);
    let foot = at(THREE_BONES.wrist, shin.z);
    let knee_z = shin.z + KNEE_WAY * (joined - shin.z);
    [
        at(HIP_OVER_CROUP * trunk.croup, joined + HIP_PER_OVERHANG * overhang),
        at((KNEE_OVER_CROUP * trunk.croup).max(KNEE_OVER_BELLY * trunk.belly), knee_z),
        foot,
        foot,
        tip(line),
    ]
}

fn hind_of_four(line: &LegLine, trunk: &Trunk) -> [Vec3; 5] {
    let shin = line.shin();
    let at = |y: f64, z: f64| Vec3::new(shin.x, y, z);
    let [haunch_y, haunch_z] = trunk.haunches;
    let ahead = haunch_z - shin.z;
    let hock_y = Bend::of(line, trunk.belly).height * trunk.belly;
    // The point of the hock is at the back of the leg.
    let hock_z = 0.5 * (line.at(hock_y).z + line.edges(hock_y)[0]);
    [
        at(HIP_OVER_HAUNCHES * haunch_y, shin.z + HIP_WAY * ahead),
        at(STIFLE * trunk.belly, shin.z + STIFLE_WAY * ahead),
        at(hock_y, hock_z),
        at(0.06, shin.z),
        tip(line),
    ]
}

/// The volume in which legs were looked for, and what was found.
pub struct Stand<'a> {
    solid: &'a Solid,
    /// Both sides are mirror images; only the left one was looked at.
    symmetric: bool,
    /// The legs of the left side and, if that is not the mirror image, of the right one.
    legs: Vec<Option<Legs>>,
    /// The trunk between the legs of each side.
    trunks: Vec<Option<Trunk>>,
}

/// Overlap with the mirror image from which on an animal is read as symmetric. A walking dog has 0.6.
const SYMMETRIC: f64 = 0.75;

impl Stand<'_> {
    pub fn of(volumes: &Volumes) -> Stand<'_> {
        let part = volumes.symmetric.as_ref().filter(|_| volumes.raw.mirror_overlap >= SYMMETRIC);
        let solid = part.unwrap_or(&volumes.raw);
        let sides: &[f64] = if part.is_some() { &[1.0] } else { &[1.0, -1.0] };
        let legs: Vec<Option<Legs>> = sides.iter().map(|&side| Legs::find(solid, side)).collect();
        let trunks = legs.iter().map(|legs| legs.as_ref().map(|legs| Trunk::of(solid, legs))).collect();
        Stand { solid, symmetric: part.is_some(), legs, trunks }
    }

    /// Distance of fore and hind feet along the body, where both sides have them.
    pub fn span(&self) -> Option<f64> {
        let spans: Option<Vec<f64>> = self.legs.iter().map(|legs| legs.as_ref().map(Legs::span)).collect();
        spans.map(|spans| spans.iter().copied().fold(f64::MAX, f64::min))
    }

    /// What the hind legs show of their bones.
    pub fn hind_bones(&self) -> HindBones {
        let sides = self.legs.iter().flatten().zip(self.trunks.iter().flatten());
        let shown = sides.map(|(legs, trunk)| HindBones::of(&legs.hind, trunk));
        let both = |a: HindBones, b: HindBones| HindBones {
            four: a.four && b.four,
            unclear: a.unclear || b.unclear || a.four != b.four,
        };
        shown.reduce(both).unwrap_or(HindBones { four: false, unclear: true })
    }
}

pub fn read<'a>(volumes: &Volumes, stand: &Stand<'a>, plan: BodyPlan) -> Reading<'a> {
    let (solid, symmetric) = (stand.solid, stand.symmetric);
    let mut doubts = Vec::new();
    let missing = stand.legs.iter().any(Option::is_none);
    if missing {
        doubts.push(Doubt::MissingLegs);
    }
    let legs: Vec<Legs> = stand
        .legs
        .iter()
        .zip([1.0, -1.0])
        .map(|(legs, side)| legs.clone().unwrap_or_else(|| Legs::guessed(solid, side)))
        .collect();
    let trunk = stand.trunks[0].unwrap_or_else(|| Trunk::of(solid, &legs[0]));
    if stand.hind_bones().unclear {
        doubts.push(Doubt::HindBones);
    }
    if trunk.belly < 0.33 * trunk.back || trunk.height() < 0.1 {
        doubts.push(Doubt::TrunkShape);
    }
    let four = plan == BodyPlan::Horse;
    let joints_of_legs: Vec<LegJoints> = legs.iter().map(|legs| LegJoints::of(legs, &trunk, four)).collect();
    let mean = |of: &dyn Fn(&Legs) -> f64| legs.iter().map(of).sum::<f64>() / legs.len() as f64;

    let middle = 0.5 * (trunk.belly + trunk.back);
    let (fore_z, hind_z) = (mean(&|legs| legs.fore.shin().z), mean(&|legs| legs.hind.shin().z));
    let chest = Vec3::new(0.0, middle, fore_z);
    let hips = Vec3::new(0.0, HIPS * trunk.haunches[0], hind_z + HIPS_AHEAD * (fore_z - hind_z));
    let head = Head::find(solid, &chest, trunk.belly, trunk.height()).unwrap_or_else(|| {
        doubts.push(Doubt::NoHead);
        let ahead = |t: f64| Vec3::new(0.0, trunk.back, chest.z + t);
        Head { neck: ahead(0.1), joint: ahead(0.25), tip: ahead(0.4), is_low: false }
    });
    if head.is_low {
        doubts.push(Doubt::HeadLowered);
    }
    let (tail, tail_tip) = find_tail(solid, &hips, &trunk, hind_z);
    let mut joints = vec![
        ("Hips", hips, 0.8),
        ("Spine", hips + (chest - hips) * 0.45, 0.8),
        ("Chest", chest, 0.8),
        ("Neck", head.neck, 0.6),
        ("Head", head.joint, 0.7),
        ("HeadTip", head.tip, 0.9),
    ];
    let of_side =
        |k: usize| if symmetric && k == 1 { (&joints_of_legs[0], -1.0) } else { (&joints_of_legs[k], 1.0) };
    let own = if missing { 0.3 } else { 1.0 };
    for (k, names) in FORE.iter().enumerate() {
        let (legs, sign) = of_side(k);
        for ((name, place), trust) in names.iter().zip(&legs.fore).zip([0.8, 0.7, 0.9, 1.0]) {
            joints.push((name, on_side(place, sign), trust * own));
        }
    }
    for (k, names) in HIND.iter().enumerate() {
        let (legs, sign) = of_side(k);
        for ((name, place), trust) in names.iter().zip(&legs.hind).zip([0.7, 0.6, 0.7, 0.9, 1.0]) {
            if four || !name.ends_with("Hock") {
                joints.push((name, on_side(place, sign), trust * own));
            }
        }
    }
    joints.push(("Tail", tail, 0.6));
    joints.push(("TailTip", tail_tip, 0.6));
    if volumes.raw.mirror_overlap < 0.8 {
        doubts.push(Doubt::Asymmetric);
    }
    Reading { solid, symmetric, joints, doubts }
}

const FORE: [[&str; 4]; 2] = [
    ["FrontLeftUpperLeg", "FrontLeftLowerLeg", "FrontLeftFoot", "FrontLeftFootTip"],
    ["FrontRightUpperLeg", "FrontRightLowerLeg", "FrontRightFoot", "FrontRightFootTip"],
];
const HIND: [[&str; 5]; 2] = [
    ["HindLeftUpperLeg", "HindLeftLowerLeg", "HindLeftHock", "HindLeftFoot", "HindLeftFootTip"],
    ["HindRightUpperLeg", "HindRightLowerLeg", "HindRightHock", "HindRightFoot", "HindRightFootTip"],
];

/// Base and tip of the tail: the hindmost of the trunk, and the farthest behind it on the plane.
fn find_tail(solid: &Solid, hips: &Vec3, trunk: &Trunk, foot_z: f64) -> (Vec3, Vec3) {
    let base = Vec3::new(0.0, trunk.belly + 0.7 * trunk.height(), 0.4 * hips.z + 0.6 * foot_z.min(hips.z));
    let tip = solid
        .cells()
        .map(|cell| solid.grid.center(cell))
        .filter(|center| center.x.abs() < 0.05 && center.z < base.z && center.y > 0.5 * trunk.belly)
        .max_by(|a, b| (a - base).norm_squared().total_cmp(&(b - base).norm_squared()))
        .unwrap_or(base);
    (base, Vec3::new(0.0, tip.y, tip.z))
}
