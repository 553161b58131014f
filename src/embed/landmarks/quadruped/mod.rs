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
use super::{ASYMMETRIC, Diagnostic, Estimate, Landmark, Symmetry, Volumes, limb_joints};
use crate::embed::voxels::VoxelVolume;
use crate::math::Vec3;
use crate::skeleton::naming::{Limb, Role, Segment, Side};
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
/// The knee at this part of the distance along the body from the foot to where the leg meets the belly.
const KNEE_AHEAD: f64 = 0.25;
/// The leg meets the belly at this part of its height.
const MEETS_BELLY: f64 = 0.92;

/// Legs of four bones: the hip over the middle of the haunches in height, and its part of the distance from the foot to
/// there.
const HIP_OVER_HAUNCHES: f64 = 1.055;
const HIP_AHEAD: f64 = 0.69;
/// The stifle over the belly, and its part of the distance from the foot to the middle of the haunches.
const STIFLE: f64 = 0.985;
const STIFLE_AHEAD: f64 = 1.3;
/// The foot's height.
const FOOT: f64 = 0.06;

/// Height at which the front of a hoof or paw is seen.
const TOES: f64 = 0.02;

/// Bellies lower than the first part of the back, and trunks thinner than the second, are no animal's.
const LOW_BELLY: f64 = 0.33;
const THIN_TRUNK: f64 = 0.1;

/// The spine's joint at this part of the distance from hips to chest.
const SPINE: f64 = 0.45;

/// Neck, head and nose ahead of the chest where no head is seen.
const GUESSED_HEAD: [f64; 3] = [0.1, 0.25, 0.4];

/// The base of the tail: at this part of the trunk's height above the belly, and at this part of the distance from the hips
/// to the hind foot.
const TAIL_HEIGHT: f64 = 0.7;
const TAIL_BEHIND: f64 = 0.6;
/// Its tip is within this distance of the plane and above this part of the belly's height.
const TAIL_HALF_WIDTH: f64 = 0.05;
const LOWEST_TAIL: f64 = 0.5;

struct LegJoints {
    /// Shoulder, elbow, wrist, tip.
    fore: [Vec3; 4],
    /// Hip, knee, hock, foot, tip.
    hind: [Vec3; 5],
}

impl LegJoints {
    /// For a plan with three or four bones in the hind leg. All joints but the tips have the x of the shin: legs lean
    /// sideways less than their sections say, which reach into the trunk higher up.
    fn of(legs: &Legs, trunk: &Trunk, plan: BodyPlan) -> LegJoints {
        let (fractions, hind) = match plan {
            BodyPlan::Horse => (&FOUR_BONES, hind_of_four(&legs.hind, trunk)),
            BodyPlan::Biped | BodyPlan::Quadruped => (&THREE_BONES, hind_of_three(&legs.hind, trunk)),
        };
        let shin = legs.fore.shin();
        let elbow = fractions.elbow * trunk.belly;
        let [shoulder, elbow, wrist] = [
            [SHOULDER * trunk.shoulders, shin.z - SHOULDER_BEHIND * legs.span()],
            [elbow, legs.fore.at(elbow).z],
            [fractions.wrist, shin.z],
        ]
        .map(|[y, z]| Vec3::new(shin.x, y, z));
        LegJoints { fore: [shoulder, elbow, wrist, tip(&legs.fore)], hind }
    }
}

fn tip(line: &LegLine) -> Vec3 {
    Vec3::new(line.at(0.0).x, 0.0, line.edges(TOES)[1])
}

fn hind_of_three(line: &LegLine, trunk: &Trunk) -> [Vec3; 5] {
    let shin = line.shin();
    let joined = line.at(MEETS_BELLY * trunk.belly).z;
    let overhang = (shin.z - trunk.rump).max(0.0);
    let [hip, knee, foot] = [
        [HIP_OVER_CROUP * trunk.croup, joined + HIP_PER_OVERHANG * overhang],
        [
            (KNEE_OVER_CROUP * trunk.croup).max(KNEE_OVER_BELLY * trunk.belly),
            shin.z + KNEE_AHEAD * (joined - shin.z),
        ],
        [THREE_BONES.wrist, shin.z],
    ]
    .map(|[y, z]| Vec3::new(shin.x, y, z));
    [hip, knee, foot, foot, tip(line)]
}

fn hind_of_four(line: &LegLine, trunk: &Trunk) -> [Vec3; 5] {
    let shin = line.shin();
    let [haunch_y, haunch_z] = trunk.haunches;
    let ahead = haunch_z - shin.z;
    let hock_y = Bend::of(line, trunk.belly).height * trunk.belly;
    // The point of the hock is at the back of the leg.
    let hock_z = 0.5 * (line.at(hock_y).z + line.edges(hock_y)[0]);
    let [hip, stifle, hock, foot] = [
        [HIP_OVER_HAUNCHES * haunch_y, shin.z + HIP_AHEAD * ahead],
        [STIFLE * trunk.belly, shin.z + STIFLE_AHEAD * ahead],
        [hock_y, hock_z],
        [FOOT, shin.z],
    ]
    .map(|[y, z]| Vec3::new(shin.x, y, z));
    [hip, stifle, hock, foot, tip(line)]
}

/// The volume in which legs were looked for, and what was found.
pub struct Stand<'a> {
    voxels: &'a VoxelVolume,
    symmetry: Symmetry,
    /// The legs of the left side and, if that is not the mirror image, of the right one.
    legs: Vec<Option<Legs>>,
    /// The trunk between the legs of each side.
    trunks: Vec<Option<Trunk>>,
}

/// Overlap with the mirror image from which on an animal counts as symmetric. A walking dog has 0.6.
const SYMMETRIC: f64 = 0.75;

impl<'a> Stand<'a> {
    pub fn of(volumes: &'a Volumes<'a>) -> Stand<'a> {
        let part = volumes.symmetric.as_ref().filter(|_| volumes.raw.mirror_overlap >= SYMMETRIC);
        let voxels = part.unwrap_or(volumes.raw);
        let symmetry = if part.is_some() { Symmetry::Mirrored } else { Symmetry::PerSide };
        let legs: Vec<Option<Legs>> = symmetry.sides().iter().map(|&side| Legs::find(voxels, side)).collect();
        let trunks = legs.iter().map(|legs| legs.as_ref().map(|legs| Trunk::of(voxels, legs))).collect();
        Stand { voxels, symmetry, legs, trunks }
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
        let both = shown.reduce(|a, b| HindBones {
            four: a.four && b.four,
            unclear: a.unclear || b.unclear || a.four != b.four,
        });
        both.unwrap_or(HindBones { four: false, unclear: true })
    }
}

/// Estimates the joints.
pub fn estimate<'a>(volumes: &Volumes, stand: &Stand<'a>, plan: BodyPlan) -> Estimate<'a> {
    let (voxels, symmetry) = (stand.voxels, stand.symmetry);
    let mut diagnostics = Vec::new();
    let missing = stand.legs.iter().any(Option::is_none);
    if missing {
        diagnostics.push(Diagnostic::MissingLegs);
    }
    let legs: Vec<Legs> = stand
        .legs
        .iter()
        .zip([1.0, -1.0])
        .map(|(legs, side)| legs.clone().unwrap_or_else(|| Legs::guessed(voxels, side)))
        .collect();
    let trunk = stand.trunks[0].unwrap_or_else(|| Trunk::of(voxels, &legs[0]));
    if stand.hind_bones().unclear {
        diagnostics.push(Diagnostic::HindBones);
    }
    if trunk.belly < LOW_BELLY * trunk.back || trunk.height() < THIN_TRUNK {
        diagnostics.push(Diagnostic::TrunkShape);
    }
    let joints_of_legs: Vec<LegJoints> = legs.iter().map(|legs| LegJoints::of(legs, &trunk, plan)).collect();

    let middle = 0.5 * (trunk.belly + trunk.back);
    let fore_z = legs.iter().map(|legs| legs.fore.shin().z).sum::<f64>() / legs.len() as f64;
    let hind_z = legs.iter().map(|legs| legs.hind.shin().z).sum::<f64>() / legs.len() as f64;
    let chest = Vec3::new(0.0, middle, fore_z);
    let hips = Vec3::new(0.0, HIPS * trunk.haunches[0], hind_z + HIPS_AHEAD * (fore_z - hind_z));
    let head = Head::find(voxels, &chest, trunk.belly, trunk.height()).unwrap_or_else(|| {
        diagnostics.push(Diagnostic::NoHead);
        let [neck, joint, tip] = GUESSED_HEAD.map(|ahead| Vec3::new(0.0, trunk.back, chest.z + ahead));
        Head { neck, joint, tip, is_low: false }
    });
    if head.is_low {
        diagnostics.push(Diagnostic::HeadLowered);
    }
    let (tail, tail_tip) = find_tail(voxels, &hips, &trunk, hind_z);
    let trunk_joints = [
        (Role::Hips, 0, hips),
        (Role::Spine, 0, hips + (chest - hips) * SPINE),
        (Role::Spine, 1, chest),
        (Role::Neck, 0, head.neck),
        (Role::Head, 0, head.joint),
        (Role::HeadTip, 0, head.tip),
        (Role::Tail, 0, tail),
        (Role::Tail, 1, tail_tip),
    ];
    let mut joints: Vec<Landmark> =
        trunk_joints.into_iter().map(|(role, rank, position)| Landmark { role, rank, position }).collect();
    for side in [Side::Left, Side::Right] {
        let (Some(legs), sign) = symmetry.of_side(&joints_of_legs, side) else { continue };
        joints.extend(limb_joints((Limb::FrontLeg, side, FORE), legs.fore, sign));
        let hind = limb_joints((Limb::Leg, side, HIND), legs.hind, sign);
        let hock = Role::Limb(Limb::Leg, side, Segment::Hock);
        joints.extend(hind.filter(|joint| plan == BodyPlan::Horse || joint.role != hock));
    }
    if volumes.raw.mirror_overlap < ASYMMETRIC {
        diagnostics.push(Diagnostic::Asymmetric);
    }
    Estimate { voxels, symmetry, joints, diagnostics }
}

/// The joints of a fore and of a hind leg; of hind legs with three bones without the hock.
const FORE: [Segment; 4] = [Segment::Upper, Segment::Lower, Segment::End, Segment::Tip];
const HIND: [Segment; 5] = [Segment::Upper, Segment::Lower, Segment::Hock, Segment::End, Segment::Tip];

/// Base and tip of the tail: the hindmost of the trunk, and the farthest behind it on the plane.
fn find_tail(voxels: &VoxelVolume, hips: &Vec3, trunk: &Trunk, foot_z: f64) -> (Vec3, Vec3) {
    let z = (1.0 - TAIL_BEHIND) * hips.z + TAIL_BEHIND * foot_z.min(hips.z);
    let base = Vec3::new(0.0, trunk.belly + TAIL_HEIGHT * trunk.height(), z);
    let tip = voxels
        .cells()
        .map(|cell| voxels.grid.center(cell))
        .filter(|center| center.x.abs() < TAIL_HALF_WIDTH && center.z < base.z)
        .filter(|center| center.y > LOWEST_TAIL * trunk.belly)
        .max_by(|a, b| (a - base).norm_squared().total_cmp(&(b - base).norm_squared()))
        .unwrap_or(base);
    (base, Vec3::new(0.0, tip.y, tip.z))
}
