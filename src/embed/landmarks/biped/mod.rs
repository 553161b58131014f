//! Joints of a body on two legs.
//!
//! Heights and lengths are parts of the body's height. The fractions between events are those that artists of
//! the corpus's characters use; perturbing all of them by 10 % at random loses none of these characters.

mod arms;
mod legs;
mod trunk;

use super::sections::sections;
use super::{ASYMMETRIC, Diagnostic, Estimate, Landmark, Symmetry, Volumes, limb_joints, mirrored};
use crate::embed::limb_ends::{LimbEnd, limb_ends};
use crate::embed::voxels::VoxelVolume;
use crate::math::Vec3;
use crate::skeleton::naming::{Limb, Role, Segment, Side};
use arms::{Arm, default_arm, hand_pairs, read_arm, without_arms};
use legs::{BipedLeg, HalfSections};
use trunk::{Heights, central, head_top, shoulders_by_neck};

/// A body counts as mirror-symmetric by overlap alone from here on; characters that hold nothing have 0.92 to
/// 0.99. Below it a pair of hands must be found in the symmetric part.
const SYMMETRIC: f64 = 0.93;

/// Distance of one shoulder from the mirror image of the other from which on the sides differ.
const DIFFERENT_SHOULDERS: f64 = 0.1;

/// Estimates the joints.
pub fn estimate<'a>(volumes: &'a Volumes<'a>) -> Estimate<'a> {
    let Limbs { voxels, symmetry, mut arms, mut diagnostics, .. } = Limbs::of(volumes);
    let trunk = without_arms(voxels, &arms, symmetry);
    if arms.iter().any(|arm| !arm.plausible) {
        diagnostics.push(Diagnostic::NoArmpit);
        arms.clear();
    }
    let layers = sections(voxels, &trunk);
    let by_neck = shoulders_by_neck(voxels, &layers, &arms);
    settle_shoulders(&mut arms, by_neck, &mut diagnostics);
    let heights = Heights::of(voxels, &layers, &arms, by_neck);
    check_proportions(&arms, &heights, &mut diagnostics);
    let middle = central(voxels, &trunk, heights.hips);
    let halves = symmetry.sides().iter().map(|&side| HalfSections { voxels, layers: &layers, side });
    let legs: Vec<BipedLeg> = halves.map(|half| half.leg(&heights, &middle)).collect();
    if volumes.raw.mirror_overlap < ASYMMETRIC {
        diagnostics.push(Diagnostic::Asymmetric);
    }
    if let [left, right] = &arms[..]
        && (mirrored(&left.shoulder) - right.shoulder).norm() > DIFFERENT_SHOULDERS
    {
        diagnostics.push(Diagnostic::SidesDiffer);
    }
    let mut joints = trunk_joints(voxels, &trunk, &heights);
    let chest = central(voxels, &trunk, heights.shoulders);
    joints.extend(arm_joints(&arms, symmetry, &chest, |side| default_arm(voxels, &layers, &heights, side)));
    joints.extend(leg_joints(&legs, symmetry));
    Estimate { voxels, symmetry, joints, diagnostics }
}

/// The volume that joints are estimated in, and the arms in it.
struct Limbs<'a> {
    voxels: &'a VoxelVolume,
    /// Mirrored if it is the symmetric part of the body.
    symmetry: Symmetry,
    hands: Option<[LimbEnd; 2]>,
    arms: Vec<Arm>,
    diagnostics: Vec<Diagnostic>,
}

/// Part of its reach that both arms must lose in the symmetric part for their hands to be lost: about a hand. Thick arms,
/// such as those of trolls, lose up to 0.14 and are read better there.
const HAND: f64 = 0.15;

/// Factor between arms of equal length at most; what is held makes one longer.
const EQUAL: f64 = 1.25;

/// Hands that show that the symmetric part is a body: their limbs are at least as long, and they as far out.
const CLEAR_HAND: f64 = 0.2;

/// Shorter limbs with hands are diagnosed.
const WEAK_HAND: f64 = 0.12;

/// Pairs of hands that are tried at most.
const PAIRS: usize = 3;

impl<'a> Limbs<'a> {
    /// In the symmetric part of the body if that is a body with both arms, else in all of it.
    fn of(volumes: &'a Volumes<'a>) -> Limbs<'a> {
        let Some(part) = &volumes.symmetric else { return Limbs::find(volumes.raw, Symmetry::PerSide) };
        let own = Limbs::find(part, Symmetry::Mirrored);
        let is_symmetric = volumes.raw.mirror_overlap >= SYMMETRIC;
        if is_symmetric && own.are_arms() {
            return own;
        }
        let all = Limbs::find(volumes.raw, Symmetry::PerSide);
        let is_body = is_symmetric || own.hands.is_some_and(|hands| hands.iter().all(is_clear_hand));
        let is_part_better = is_body && !(all.are_arms() && (!own.are_arms() || own.loses_hands_of(&all)));
        if is_part_better { own } else { all }
    }

    /// The arms of the likeliest hands; of the next ones, if theirs are no arms and those of the next ones are.
    fn find(voxels: &'a VoxelVolume, symmetry: Symmetry) -> Limbs<'a> {
        let mut pairs = hand_pairs(voxels, &limb_ends(voxels, &voxels.middle()));
        pairs.truncate(PAIRS);
        let mut tried = pairs.iter().map(|hands| {
            let sides = symmetry.sides().iter().zip(hands);
            let arms = sides.map(|(_, hand)| read_arm(voxels, hand)).collect();
            Limbs { voxels, symmetry, hands: Some(*hands), arms, diagnostics: Vec::new() }
        });
        let Some(first) = tried.next() else {
            return Limbs {
                voxels,
                symmetry,
                hands: None,
                arms: Vec::new(),
                diagnostics: vec![Diagnostic::NoArms],
            };
        };
        let mut limbs = if first.are_arms() { first } else { tried.find(Limbs::are_arms).unwrap_or(first) };
        if limbs.hands.is_some_and(|hands| hands.iter().any(|hand| hand.length < WEAK_HAND)) {
            limbs.diagnostics.push(Diagnostic::WeakHands);
        }
        limbs
    }

    /// Whether there are arms, and they look like arms.
    fn are_arms(&self) -> bool {
        !self.arms.is_empty() && self.arms.iter().all(|arm| arm.plausible && arm.suits(arm.shoulder.y))
    }

    /// Whether both arms end early in this symmetric part: they are held at different angles, and their mirror images part.
    fn loses_hands_of(&self, all: &Limbs) -> bool {
        let (Some(own), Some(whole)) = (self.hands, all.hands) else { return false };
        let [left, right] = whole.map(|hand| all.reach(&hand) / all.voxels.height_unit);
        let [own_left, own_right] = own.map(|hand| self.reach(&hand) / all.voxels.height_unit);
        let lost = f64::min(1.0 - own_left / left, 1.0 - own_right / right);
        lost > HAND && left < EQUAL * right && right < EQUAL * left
    }

    /// Distance of a hand from the centre of mass, in the unit cube.
    fn reach(&self, hand: &LimbEnd) -> f64 {
        (hand.position - self.voxels.center_of_mass()).norm() * self.voxels.height_unit
    }
}

fn is_clear_hand(hand: &LimbEnd) -> bool {
    hand.length >= CLEAR_HAND && hand.position.x.abs() >= CLEAR_HAND
}

/// A shoulder of an arm that hangs is lifted if it is lower than the neck says by more than this.
const LIFTED: f64 = 0.05;

/// Neck and arm disagree about the height of a shoulder from this difference on.
const DISAGREEMENT: f64 = 0.08;

/// A crotch is low if hips above it would be lower than they are by more than this.
const LOW_CROTCH: f64 = 0.1;

/// Lifts the shoulders of arms that hang along the trunk to where the neck has them.
fn settle_shoulders(arms: &mut [Arm], by_neck: Option<f64>, diagnostics: &mut Vec<Diagnostic>) {
    let Some(y) = by_neck else {
        diagnostics.push(Diagnostic::NoNeck);
        return;
    };
    let (mut lifted, mut disagree) = (false, false);
    for arm in arms {
        if arm.hangs() && y - arm.shoulder.y > LIFTED {
            arm.lift_shoulder(y);
            lifted = true;
        } else {
            disagree |= (y - arm.shoulder.y).abs() > DISAGREEMENT;
        }
    }
    diagnostics.extend(disagree.then_some(Diagnostic::NeckAndArmsDisagree));
    diagnostics.extend(lifted.then_some(Diagnostic::ShoulderLifted));
}

fn check_proportions(arms: &[Arm], heights: &Heights, diagnostics: &mut Vec<Diagnostic>) {
    if arms.iter().any(|arm| !arm.suits(heights.shoulders)) {
        diagnostics.push(Diagnostic::ArmLength);
    }
    match heights.by_crotch {
        None => diagnostics.push(Diagnostic::NoCrotch),
        Some(y) if y < heights.hips - LOW_CROTCH => diagnostics.push(Diagnostic::LowCrotch),
        Some(_) => {}
    }
}

/// Neck and head joint above the shoulders: a height, and a part of what is above the shoulders. Better than any narrow
/// section: chibi figures and helmets have none.
const NECK: [f64; 2] = [0.03, 0.05];
const HEAD: [f64; 2] = [0.05, 0.17];

/// The head joint is at least this far below the top of the head.
const BELOW_CROWN: f64 = 0.02;

/// The joints of the spine at these parts of the distance from hips to shoulders.
const SPINE: [f64; 3] = [0.22, 0.46, 0.72];

fn trunk_joints(voxels: &VoxelVolume, trunk: &[bool], heights: &Heights) -> Vec<Landmark> {
    let head_room = 1.0 - heights.shoulders;
    let [neck, head] = [NECK, HEAD].map(|[height, part]| heights.shoulders + height + part * head_room);
    let top = head_top(voxels, head);
    let [spine, chest, upper_chest] = SPINE.map(|part| heights.between(part));
    let joints = [
        (Role::Hips, 0, heights.hips),
        (Role::Spine, 0, spine),
        (Role::Spine, 1, chest),
        (Role::Spine, 2, upper_chest),
        (Role::Neck, 0, neck),
        (Role::Head, 0, head.min(top.y - BELOW_CROWN)),
    ];
    let joints = joints.into_iter().map(|(role, rank, y)| Landmark {
        role,
        rank,
        position: central(voxels, trunk, y),
    });
    joints.chain([Landmark { role: Role::HeadTip, rank: 0, position: top }]).collect()
}

/// The collar bone begins at this part of the shoulder's distance from the plane.
const COLLAR: f64 = 0.29;

/// The joints of both arms; `chest` is the middle of the trunk at the height of the shoulders.
fn arm_joints(
    arms: &[Arm],
    symmetry: Symmetry,
    chest: &Vec3,
    default_arm: impl Fn(f64) -> [Vec3; 4],
) -> Vec<Landmark> {
    use Segment::{End, Girdle, Lower, Tip, Upper};
    let mut joints = Vec::new();
    for side in [Side::Left, Side::Right] {
        let (arm, sign) = symmetry.of_side(arms, side);
        let [shoulder, elbow, wrist, tip] = match arm {
            Some(arm) => [arm.shoulder, arm.elbow, arm.wrist, arm.tip],
            None => default_arm(if side == Side::Right { -sign } else { sign }),
        };
        let collar = Vec3::new(COLLAR * shoulder.x, shoulder.y, 0.5 * (shoulder.z + chest.z));
        let roles = (Limb::Arm, side, [Girdle, Upper, Lower, End, Tip]);
        joints.extend(limb_joints(roles, [collar, shoulder, elbow, wrist, tip], sign));
    }
    joints
}

fn leg_joints(legs: &[BipedLeg], symmetry: Symmetry) -> Vec<Landmark> {
    use Segment::{End, Lower, Tip, Toes, Upper};
    let mut joints = Vec::new();
    for side in [Side::Left, Side::Right] {
        let (Some(leg), sign) = symmetry.of_side(legs, side) else { continue };
        let roles = (Limb::Leg, side, [Upper, Lower, End, Toes, Tip]);
        let positions = [leg.hip, leg.knee, leg.ankle, leg.toe, leg.tip];
        joints.extend(limb_joints(roles, positions, sign));
    }
    joints
}
