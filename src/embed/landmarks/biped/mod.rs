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
use arms::{Arm, default_arm, hand_pairs, read_arm, without_arms};
use legs::{Leg, read_leg};
use trunk::{Heights, central, head_top, shoulders_by_neck};

/// A body counts as mirror-symmetric by overlap alone from here on; characters that hold nothing have 0.92 to
/// 0.99. Below it a pair of hands must be found in the symmetric part.
const SYMMETRIC: f64 = 0.93;

pub fn read(volumes: &Volumes) -> Reading<'_> {
    let Limbs { solid, symmetric, mut arms, mut doubts, .. } = Limbs::of(volumes);
    // One side serves both where they are mirror images.
    let sides: &[f64] = if symmetric { &[1.0] } else { &[1.0, -1.0] };
    let trunk = without_arms(solid, &arms, symmetric);
    if arms.iter().any(|arm| !arm.plausible) {
        doubts.push(Doubt::NoArmpit);
        arms.clear();
    }
    let layers = sections(solid, &trunk);
    let by_neck = shoulders_by_neck(solid, &layers, &arms);
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

/// The volume that joints are read off, and the arms in it.
struct Limbs<'a> {
    solid: &'a Solid,
    /// It is the symmetric part of the body: its left side serves both.
    symmetric: bool,
    hands: Option<[LimbEnd; 2]>,
    arms: Vec<Arm>,
    doubts: Vec<Doubt>,
}

/// Part of its reach that both arms must lose in the symmetric part for their hands to be lost: about a hand. Thick arms,
/// such as those of trolls, lose up to 0.14 and are read better there.
const HAND: f64 = 0.15;

/// Arms of equal length are no farther from it than this factor; what is held makes one longer.
const EQUAL: f64 = 1.25;

/// Pairs of hands that are tried at most.
const PAIRS: usize = 3;

impl Limbs<'_> {
    /// In the symmetric part of the body if that is a body with both arms, else in all of it.
    fn of(volumes: &Volumes) -> Limbs<'_> {
        let all = || Limbs::read(&volumes.raw, false);
        let Some(part) = &volumes.symmetric else { return all() };
        let own = Limbs::read(part, true);
        let good = |hand: &LimbEnd| hand.length >= 0.2 && hand.position.x.abs() >= 0.2;
        let is_body =
            volumes.raw.mirror_overlap >= SYMMETRIC || own.hands.is_some_and(|hands| hands.iter().all(good));
        if !is_body {
            return all();
        }
        if volumes.raw.mirror_overlap >= SYMMETRIC && own.are_arms() {
            return own;
        }
        let all = all();
        if all.are_arms() && (!own.are_arms() || own.loses_hands_of(&all)) { all } else { own }
    }

    /// The arms of the likeliest hands; of the next ones, if theirs are no arms and those of the next ones are.
    fn read(solid: &Solid, symmetric: bool) -> Limbs<'_> {
        let sides: &[f64] = if symmetric { &[1.0] } else { &[1.0, -1.0] };
        let mut pairs = hand_pairs(solid, &limb_ends(solid, &solid.middle()));
        pairs.truncate(PAIRS);
        let mut tried = pairs.iter().map(|hands| {
            let arms = sides.iter().map(|&side| read_arm(solid, &hands[usize::from(side < 0.0)])).collect();
            Limbs { solid, symmetric, hands: Some(*hands), arms, doubts: Vec::new() }
        });
        let Some(first) = tried.next() else {
            return Limbs { solid, symmetric, hands: None, arms: Vec::new(), doubts: vec![Doubt::NoArms] };
        };
        let mut limbs = if first.are_arms() { first } else { tried.find(Limbs::are_arms).unwrap_or(first) };
        if limbs.hands.is_some_and(|hands| hands.iter().any(|hand| hand.length < 0.12)) {
            limbs.doubts.push(Doubt::WeakHands);
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
        let reach = |solid: &Solid, hand: &LimbEnd| {
            (hand.position - solid.center_of_mass()).norm() * solid.height_unit / all.solid.height_unit
        };
        let [left, right] = whole.map(|hand| reach(all.solid, &hand));
        let lost =
            f64::min(1.0 - reach(self.solid, &own[0]) / left, 1.0 - reach(self.solid, &own[1]) / right);
        lost > HAND && left < EQUAL * right && right < EQUAL * left
    }
}

/// A shoulder of an arm that hangs is too low if it is lower than the neck says by more than this.
const LIFTED: f64 = 0.05;

/// Lifts the shoulders of arms that hang along the trunk to where the neck has them.
fn settle_shoulders(arms: &mut [Arm], by_neck: Option<f64>, doubts: &mut Vec<Doubt>) {
    let Some(y) = by_neck else {
        doubts.push(Doubt::NoNeck);
        return;
    };
    let (mut lifted, mut disagree) = (false, false);
    for arm in arms {
        if arm.hangs() && y - arm.shoulder.y > LIFTED {
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
    if arms.iter().any(|arm| !arm.suits(heights.shoulders)) {
        doubts.push(Doubt::ArmLength);
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
