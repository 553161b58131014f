//! Joints of a body on two legs.
//!
//! Heights and lengths are parts of the body's height. The fractions between events are those that artists of
//! the corpus's characters use; perturbing all of them by 10 % at random loses none of these characters.

mod arms;
mod legs;
mod trunk;

use super::limb_ends::{LimbEnd, limb_ends};
use super::sections::{Section, sections};
use super::{Doubt, Reading, Volumes, mirrored, on_side};
use crate::embed::solid::Solid;
use crate::math::Vec3;
use arms::{Arm, default_arm, find_hands, read_arm, without_arms};
use legs::{Leg, read_leg};
use trunk::{Heights, central, head_top, shoulders_by_neck};

/// A body counts as mirror-symmetric by overlap alone from here on; characters that hold nothing have 0.92 to
/// 0.99. Below it a pair of hands must be found in the symmetric part.
const SYMMETRIC: f64 = 0.93;

pub fn read(volumes: &Volumes) -> Reading<'_> {
    let (solid, ends, symmetric) = choose_volume(volumes);
    let mut doubts = Vec::new();
    // One side serves both where they are mirror images.
    let sides: &[f64] = if symmetric { &[1.0] } else { &[1.0, -1.0] };
    let mut arms = read_arms(solid, &ends, sides, &mut doubts);
    let trunk = without_arms(solid, &arms, symmetric);
    if arms.iter().any(|arm| !arm.plausible) {
        doubts.push(Doubt::NoArmpit);
        arms.clear();
    }
    let layers = sections(solid, &trunk);
    let by_neck = shoulders_by_neck(solid, &layers);
    settle_shoulders(&mut arms, by_neck, &mut doubts);
    let heights = Heights::of(solid, &layers, &arms, by_neck);
    doubt_proportions(&arms, &heights, &mut doubts);
    let middle = central(solid, &trunk, heights.hips);
    let legs: Vec<Leg> =
        sides.iter().map(|&side| read_leg(solid, &layers, side, &heights, &middle)).collect();
    if volumes.raw.mirror_overlap < 0.8 {
        doubts.push(Doubt::Asymmetric);
    }
    if let [left, right] = &arms[..]
        && (mirrored(&left.shoulder) - right.shoulder).norm() > 0.1
    {
        doubts.push(Doubt::SidesDiffer);
    }
    let mut joints = trunk_joints(solid, &trunk, &heights);
    joints.extend(arm_joints(solid, &trunk, &layers, &heights, &arms, symmetric));
    joints.extend(leg_joints(&legs, symmetric));
    Reading { solid, symmetric, joints, doubts }
}

/// The symmetric part of the body if that is a body, else all of it; and its limb ends.
fn choose_volume(volumes: &Volumes) -> (&Solid, Vec<LimbEnd>, bool) {
    let ends_of = |solid: &Solid| limb_ends(solid, &solid.middle());
    if let Some(part) = &volumes.symmetric {
        let ends = ends_of(part);
        let good = |hand: &LimbEnd| hand.length >= 0.2 && hand.position.x.abs() >= 0.2;
        let has_hands = || find_hands(part, &ends).is_some_and(|hands| hands.iter().all(good));
        if volumes.raw.mirror_overlap >= SYMMETRIC || has_hands() {
            return (part, ends, true);
        }
    }
    (&volumes.raw, ends_of(&volumes.raw), false)
}

fn read_arms(solid: &Solid, ends: &[LimbEnd], sides: &[f64], doubts: &mut Vec<Doubt>) -> Vec<Arm> {
    let Some(hands) = find_hands(solid, ends) else {
        doubts.push(Doubt::NoArms);
        return Vec::new();
    };
    if hands.iter().any(|hand| hand.length < 0.12) {
        doubts.push(Doubt::WeakHands);
    }
    sides.iter().map(|&side| read_arm(solid, &hands[usize::from(side < 0.0)])).collect()
}

/// Lifts the shoulders of arms that hang along the trunk to where the neck has them.
fn settle_shoulders(arms: &mut [Arm], by_neck: Option<f64>, doubts: &mut Vec<Doubt>) {
    let Some(y) = by_neck else {
        doubts.push(Doubt::NoNeck);
        return;
    };
    let (mut lifted, mut disagree) = (false, false);
    for arm in arms {
        if arm.hangs() && y - arm.shoulder.y > 0.06 {
            arm.lift_shoulder(y);
            lifted = true;
        } else {
            disagree |= (y - arm.shoulder.y).abs() > 0.08;
        }
    }
    doubts.extend(disagree.then_some(Doubt::NeckAndArmsDisagree));
    doubts.extend(lifted.then_some(Doubt::ShoulderLifted));
}

fn doubt_proportions(arms: &[Arm], heights: &Heights, doubts: &mut Vec<Doubt>) {
    if !arms.is_empty() {
        let length = arms.iter().map(|arm| arm.length).sum::<f64>() / arms.len() as f64;
        if !(0.38..=1.2).contains(&(length / heights.shoulders)) {
            doubts.push(Doubt::ArmLength);
        }
    }
    match heights.by_crotch {
        None => doubts.push(Doubt::NoCrotch),
        Some(y) if y < heights.hips - 0.1 => doubts.push(Doubt::LowCrotch),
        Some(_) => {}
    }
}

/// A joint's name, its place, and how far to trust it.
type Joint = (&'static str, Vec3, f64);

fn trunk_joints(solid: &Solid, trunk: &[bool], heights: &Heights) -> Vec<Joint> {
    let at = |y: f64| central(solid, trunk, y);
    let head_room = 1.0 - heights.shoulders;
    // Better than any narrow section: chibi figures and helmets have none.
    let neck = heights.shoulders + 0.03 + 0.05 * head_room;
    let head = heights.shoulders + 0.05 + 0.17 * head_room;
    let top = head_top(solid, head);
    vec![
        ("Hips", at(heights.hips), 0.9),
        ("Spine", at(heights.between(0.22)), 0.8),
        ("Chest", at(heights.between(0.46)), 0.8),
        ("UpperChest", at(heights.between(0.72)), 0.8),
        ("Neck", at(neck), 0.8),
        ("Head", at(head.min(top.y - 0.02)), 0.8),
        ("HeadTop", top, 1.0),
    ]
}

/// The reading of a side, and the sign that turns it to that side.
fn of_side<T>(readings: &[T], side: usize, symmetric: bool) -> (Option<&T>, f64) {
    if symmetric && side == 1 { (readings.first(), -1.0) } else { (readings.get(side), 1.0) }
}

fn arm_joints(
    solid: &Solid,
    trunk: &[bool],
    layers: &[Vec<Section>],
    heights: &Heights,
    arms: &[Arm],
    symmetric: bool,
) -> Vec<Joint> {
    const NAMES: [[&str; 5]; 2] = [
        ["LeftShoulder", "LeftUpperArm", "LeftLowerArm", "LeftHand", "LeftHandTip"],
        ["RightShoulder", "RightUpperArm", "RightLowerArm", "RightHand", "RightHandTip"],
    ];
    let own = if arms.is_empty() { 0.3 } else { 1.0 };
    let spine = central(solid, trunk, heights.shoulders);
    let mut joints = Vec::new();
    for (side, names) in NAMES.iter().enumerate() {
        let (arm, sign) = of_side(arms, side, symmetric);
        let places = match arm {
            Some(arm) => [arm.shoulder, arm.elbow, arm.wrist, arm.tip],
            None => default_arm(solid, layers, heights, if side == 1 { -sign } else { sign }),
        };
        let upper = places[0];
        let collar = Vec3::new(0.29 * upper.x, upper.y, 0.5 * (upper.z + spine.z));
        joints.push((names[0], on_side(&collar, sign), 0.7 * own));
        for ((name, place), trust) in names[1..].iter().zip(places).zip([0.7, 0.8, 0.9, 1.0]) {
            joints.push((*name, on_side(&place, sign), trust * own));
        }
    }
    joints
}

fn leg_joints(legs: &[Leg], symmetric: bool) -> Vec<Joint> {
    const NAMES: [[&str; 5]; 2] = [
        ["LeftUpperLeg", "LeftLowerLeg", "LeftFoot", "LeftToes", "LeftToeTip"],
        ["RightUpperLeg", "RightLowerLeg", "RightFoot", "RightToes", "RightToeTip"],
    ];
    let mut joints = Vec::new();
    for (side, names) in NAMES.iter().enumerate() {
        let (Some(leg), sign) = of_side(legs, side, symmetric) else { continue };
        let places = [leg.hip, leg.knee, leg.ankle, leg.toe, leg.tip];
        for ((name, place), trust) in names.iter().zip(places).zip([0.7, 0.8, 1.0, 0.9, 1.0]) {
            joints.push((*name, on_side(&place, sign), trust));
        }
    }
    joints
}
