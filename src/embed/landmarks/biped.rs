//! Joints of a body on two legs.
//!
//! Heights and lengths are parts of the body's height. The fractions between events are those that artists of
//! the corpus's characters use; perturbing all of them by 10 % at random loses none of these characters.

use super::level_sets::LevelSets;
use super::limb_ends::{LimbEnd, limb_ends};
use super::sections::{Section, sections};
use super::{Doubt, Reading, Volumes, median, mirrored, on_side};
use crate::embed::solid::Solid;
use crate::math::Vec3;

/// A body counts as mirror-symmetric by overlap alone from here on; characters that hold nothing have 0.92 to
/// 0.99. Below it a pair of hands must be found in the symmetric part.
const SYMMETRIC: f64 = 0.93;

/// Area of a section over that of the arm at which the arm has ended and the trunk begun. Values from 1.7 to 3
/// lose none of the corpus; lower ones stop at wide sleeves, higher ones run into the chest.
const SHOULDER_WIDENING: f64 = 2.5;

/// The same for the last section that is certainly arm.
const ARM_WIDENING: f64 = 1.35;

/// Hands without a narrow wrist: the wrist at this part of the way from hand tip to shoulder.
const WRIST: f64 = 0.305;

/// The elbow at this part of the way from shoulder to wrist.
const ELBOW: f64 = 0.49;

/// The knee at this part of the hip joint's height.
const KNEE: f64 = 0.585;

/// The hip joints lie above the crotch by this part of the way to the shoulders; at 0 two corpus characters fail.
const HIP_ABOVE_CROTCH: f64 = 0.17;

/// Hip joints over shoulders in height, by the proportions of the body alone.
const HIP_OVER_SHOULDER: f64 = 0.6;

/// Height from hip joints to shoulders in lengths of the arm up to the wrist.
const TRUNK_OVER_ARM: f64 = 1.07;

/// The shoulders' height below the narrowest section of the neck.
const SHOULDER_BELOW_NECK: f64 = 0.06;

struct Arm {
    tip: Vec3,
    wrist: Vec3,
    elbow: Vec3,
    shoulder: Vec3,
    /// Path length from the tip to the shoulder.
    length: f64,
    /// Path length from the tip to every voxel.
    distance: Vec<f32>,
    /// Voxels nearer to the tip than this are arm and nothing else.
    pure: f32,
    /// It can be an arm: it has a length, ends below the head, and is no corner of a box.
    plausible: bool,
}

pub fn read(volumes: &Volumes) -> Reading<'_> {
    let (solid, ends, symmetric) = choose_volume(volumes);
    let mut doubts = Vec::new();
    let hands = find_hands(solid, &ends);
    if let Some(hands) = &hands
        && hands.iter().any(|hand| hand.length < 0.12)
    {
        doubts.push(Doubt::WeakHands);
    }
    // One side serves both where they are mirror images.
    let sides: &[f64] = if symmetric { &[1.0] } else { &[1.0, -1.0] };
    let mut arms: Vec<Arm> = Vec::new();
    if let Some(hands) = &hands {
        arms.extend(sides.iter().map(|&side| read_arm(solid, &hands[usize::from(side < 0.0)])));
    } else {
        doubts.push(Doubt::NoArms);
    }
    let trunk = without_arms(solid, &arms, symmetric);
    if arms.iter().any(|arm| !arm.plausible) {
        doubts.push(Doubt::NoArmpit);
        arms.clear();
    }
    let layers = sections(solid, &trunk);
    let neck = find_neck(solid, &layers);
    let neck_shoulder = neck.map(|y| y - SHOULDER_BELOW_NECK);
    if neck.is_none() {
        doubts.push(Doubt::NoNeck);
    }

    // Shoulders.
    let mut lifted = false;
    for arm in &mut arms {
        if let Some(y) = neck_shoulder {
            let hangs = arm.shoulder.y - arm.wrist.y > 0.55 * arm.length;
            if hangs && y - arm.shoulder.y > 0.06 {
                arm.shoulder.y = y;
                let rest = arm.wrist - arm.shoulder;
                arm.elbow = arm.elbow * 0.5 + (arm.shoulder + rest * ELBOW) * 0.5;
                lifted = true;
            } else if (y - arm.shoulder.y).abs() > 0.08 && !doubts.contains(&Doubt::NeckAndArmsDisagree) {
                doubts.push(Doubt::NeckAndArmsDisagree);
            }
        }
    }
    if lifted {
        doubts.push(Doubt::ShoulderLifted);
    }
    let shoulder_y = if arms.is_empty() {
        neck_shoulder.unwrap_or(0.78)
    } else {
        arms.iter().map(|arm| arm.shoulder.y).sum::<f64>() / arms.len() as f64
    };
    let arm_span =
        arms.iter().map(|arm| (arm.shoulder - arm.wrist).norm()).sum::<f64>() / arms.len().max(1) as f64;
    if !arms.is_empty() {
        let reach = arms.iter().map(|arm| arm.length).sum::<f64>() / arms.len() as f64 / shoulder_y;
        if !(0.38..=1.2).contains(&reach) {
            doubts.push(Doubt::ArmLength);
        }
    }

    // Hips.
    let crotch = find_crotch(solid, &layers, 0.72 * shoulder_y);
    let by_shoulder = HIP_OVER_SHOULDER * shoulder_y;
    let by_arm = shoulder_y - TRUNK_OVER_ARM * arm_span;
    let by_crotch = crotch.map(|y| y + HIP_ABOVE_CROTCH * (shoulder_y - y));
    let hip_y = match (by_crotch, arms.is_empty()) {
        (Some(by_crotch), false) => median(&mut [by_crotch, by_shoulder, by_arm]),
        (None, false) => 0.5 * (by_shoulder + by_arm),
        (Some(by_crotch), true) if by_crotch < by_shoulder => 0.5 * (by_crotch + by_shoulder),
        (Some(by_crotch), true) => by_crotch,
        (None, true) => by_shoulder,
    }
    .clamp(0.1, 0.8);
    match by_crotch {
        None => doubts.push(Doubt::NoCrotch),
        Some(y) if y < hip_y - 0.1 => doubts.push(Doubt::LowCrotch),
        Some(_) => {}
    }

    let depth = solid.grid.squared_depth(&trunk);
    let central = |y: f64| Vec3::new(0.0, y, central_depth(solid, &trunk, &depth, y));
    let legs: Vec<Leg> =
        sides.iter().map(|&side| read_leg(solid, &layers, side, hip_y, crotch, &central(hip_y))).collect();
    let hips = central(legs.iter().map(|leg| leg.hip.y).sum::<f64>() / legs.len() as f64);
    let trunk_at = |t: f64| central(hip_y + t * (shoulder_y - hip_y));
    let neck_y = shoulder_y + 0.03 + 0.05 * (1.0 - shoulder_y);
    let head_y = shoulder_y + 0.05 + 0.17 * (1.0 - shoulder_y);
    let top = head_top(solid, head_y);

    let default_arm = |side: f64| default_arm(solid, &layers, shoulder_y, hip_y, side);
    let mut joints = vec![
        ("Hips", hips, 0.9),
        ("Spine", trunk_at(0.22), 0.8),
        ("Chest", trunk_at(0.46), 0.8),
        ("UpperChest", trunk_at(0.72), 0.8),
        ("Neck", central(neck_y), 0.8),
        ("Head", central(head_y.min(top.y - 0.02)), 0.8),
        ("HeadTop", top, 1.0),
    ];
    const ARM: [[&str; 5]; 2] = [
        ["LeftShoulder", "LeftUpperArm", "LeftLowerArm", "LeftHand", "LeftHandTip"],
        ["RightShoulder", "RightUpperArm", "RightLowerArm", "RightHand", "RightHandTip"],
    ];
    const LEG: [[&str; 5]; 2] = [
        ["LeftUpperLeg", "LeftLowerLeg", "LeftFoot", "LeftToes", "LeftToeTip"],
        ["RightUpperLeg", "RightLowerLeg", "RightFoot", "RightToes", "RightToeTip"],
    ];
    let pick = |k: usize, turn: bool| if turn { (0, -1.0) } else { (k, 1.0) };
    for (k, names) in ARM.iter().enumerate() {
        let (from, sign) = pick(k, symmetric && k == 1);
        let places = match arms.get(from) {
            Some(arm) => [arm.shoulder, arm.elbow, arm.wrist, arm.tip],
            None => default_arm(if from == 0 { 1.0 } else { -1.0 }),
        };
        let upper = places[0];
        let collar = Vec3::new(0.29 * upper.x, upper.y, 0.5 * (upper.z + central(shoulder_y).z));
        let own = if arms.is_empty() { 0.3 } else { 1.0 };
        joints.push((names[0], on_side(&collar, sign), 0.7 * own));
        for ((name, place), trust) in names[1..].iter().zip(places).zip([0.7, 0.8, 0.9, 1.0]) {
            joints.push((name, on_side(&place, sign), trust * own));
        }
    }
    for (k, names) in LEG.iter().enumerate() {
        let (from, sign) = pick(k, symmetric && k == 1);
        let leg = &legs[from];
        let places = [leg.hip, leg.knee, leg.ankle, leg.toe, leg.tip];
        for ((name, place), trust) in names.iter().zip(places).zip([0.7, 0.8, 1.0, 0.9, 1.0]) {
            joints.push((name, on_side(&place, sign), trust));
        }
    }
    if volumes.raw.mirror_overlap < 0.8 {
        doubts.push(Doubt::Asymmetric);
    }
    if arms.len() == 2 && (mirrored(&arms[0].shoulder) - arms[1].shoulder).norm() > 0.1 {
        doubts.push(Doubt::SidesDiffer);
    }
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

/// The two ends that are most likely hands, left first: far out, long, not high up as ears, not behind as wings.
fn find_hands(solid: &Solid, ends: &[LimbEnd]) -> Option<[LimbEnd; 2]> {
    let middle = solid.center_of_mass();
    let score = |end: &LimbEnd| {
        let (x, y, z) = (end.position.x, end.position.y, end.position.z);
        x.abs().min(0.6) + 0.6 * end.length.min(0.5)
            - 0.5 * (y - 0.85).max(0.0)
            - 3.0 * (0.2 - y).max(0.0)
            - 3.0 * (-0.06 - (z - middle.z)).max(0.0)
    };
    let able = |end: &&LimbEnd| end.position.y >= 0.12 && end.length >= 0.08;
    let side = |sign: f64| ends.iter().filter(able).filter(move |end| end.position.x * sign > 0.0);
    let mut best: Option<(f64, [LimbEnd; 2])> = None;
    for left in side(1.0) {
        for right in side(-1.0) {
            let mismatch = (left.position - mirrored(&right.position)).norm();
            let value = 0.5 * (score(left) + score(right)) - mismatch;
            if mismatch <= 0.12 && best.is_none_or(|(top, _)| value > top) {
                best = Some((value, [*left, *right]));
            }
        }
    }
    if let Some((_, pair)) = best.filter(|(value, _)| *value >= 0.25) {
        return Some(pair);
    }
    let single = |sign: f64| {
        side(sign)
            .map(|end| (score(end), *end))
            .filter(|(value, _)| *value >= 0.25)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, end)| end)
    };
    Some([single(1.0)?, single(-1.0)?])
}

fn read_arm(solid: &Solid, hand: &LimbEnd) -> Arm {
    let sets = LevelSets::around(solid, &[hand.cell]);
    let largest = sets.area.iter().copied().fold(0.0, f64::max);
    let explosion = sets.area.iter().position(|&area| area > 0.3 * largest).unwrap_or(0).max(2);
    let last_below =
        |limit: f64| (0..explosion).rev().find(|&bin| sets.area[bin] <= limit).unwrap_or(0).max(1);
    let typical = |end: usize| median(&mut sets.area[end / 5..(end * 4 / 5).max(end / 5 + 1)].to_vec());
    let first = last_below(SHOULDER_WIDENING * typical(explosion));
    let area = typical(first);
    let end = last_below(SHOULDER_WIDENING * area);
    let pure = last_below(ARM_WIDENING * area).min(end);

    let length = sets.length(end);
    let pure_length = sets.length(pure);
    let line_at = |d: f64| {
        if d <= pure_length { sets.center_at(d) } else { sets.extended(0.55 * pure_length, pure_length, d) }
    };
    let shoulder = line_at(length);
    let wrist_length = wrist(&sets, length);
    let plausible = length >= 0.13 && shoulder.y <= 0.9 && !is_cone(&sets, end);
    Arm {
        tip: hand.position,
        wrist: line_at(wrist_length),
        elbow: line_at(length - ELBOW * (length - wrist_length)),
        shoulder,
        length,
        pure: (0.97 * pure_length) as f32,
        distance: sets.distance,
        plausible,
    }
}

/// Whether sections grow steadily from the tip on, as in the corner of a box: area at three quarters of the length
/// over that at one quarter. Arms have up to 3, corners 9.
fn is_cone(sets: &LevelSets, end: usize) -> bool {
    sets.area[end * 3 / 4] > 4.5 * sets.area[end / 4]
}

/// Path length from the tip to the wrist: the narrow section behind the hand if there is one.
fn wrist(sets: &LevelSets, arm: f64) -> f64 {
    let usual = WRIST * arm;
    // Smoothed, because the stairs of a slanted arm's voxels make its area flicker.
    let smooth = |bin: usize| {
        let at = |bin: usize| sets.area[bin.min(sets.area.len() - 1)];
        0.25 * at(bin.saturating_sub(1)) + 0.5 * at(bin) + 0.25 * at(bin + 1)
    };
    let area: Vec<f64> = (0..sets.area.len()).map(smooth).collect();
    let (from, to) = (sets.bin(0.17 * arm), sets.bin(0.45 * arm));
    let narrow = (from.max(1)..=to)
        .filter(|&bin| bin + 1 < area.len())
        .filter(|&bin| area[bin] <= area[bin - 1] && area[bin] <= area[bin + 1])
        .filter(|&bin| {
            let bump = area[..bin].iter().copied().fold(0.0, f64::max);
            area[bin] < 0.85 * bump
        })
        .min_by(|&a, &b| area[a].total_cmp(&area[b]));
    match narrow.map(|bin| sets.length(bin)) {
        Some(narrow) if (narrow - usual).abs() > 0.1 * arm => 0.5 * (narrow + usual),
        Some(narrow) => narrow,
        None => usual,
    }
}

/// The voxels that are not arm.
fn without_arms(solid: &Solid, arms: &[Arm], symmetric: bool) -> Vec<bool> {
    let mut trunk = solid.filled.clone();
    for arm in arms {
        for (full, &distance) in trunk.iter_mut().zip(&arm.distance) {
            *full &= distance >= arm.pure;
        }
    }
    if symmetric && !arms.is_empty() {
        // The other arm is the mirror image of the one that was read.
        let width = solid.grid.size[0];
        let sum = (-2.0 * solid.grid.origin.x / solid.grid.voxel - 1.0).round() as usize;
        for row in trunk.chunks_mut(width) {
            for x in 0..width.min(sum + 1) {
                let other = sum - x;
                if other < width && other > x {
                    let both = row[x] && row[other];
                    (row[x], row[other]) = (both, both);
                }
            }
        }
    }
    trunk
}

/// The highest narrow section with a head above and shoulders below.
fn find_neck(solid: &Solid, layers: &[Vec<Section>]) -> Option<f64> {
    let area: Vec<f64> = layers
        .iter()
        .map(|parts| {
            parts.iter().filter(|part| part.crosses_plane()).map(|part| part.area).fold(0.0, f64::max)
        })
        .collect();
    let rows = |length: f64| (length / solid.grid.voxel).round().max(1.0) as usize;
    let (window, below) = (rows(0.025), rows(0.25));
    let largest = |range: std::ops::Range<usize>| area[range].iter().copied().fold(0.0, f64::max);
    (solid.grid.row_at(0.3)..=solid.grid.row_at(0.93))
        .rev()
        .filter(|&row| row >= below && row + window < area.len() && area[row] > 0.0)
        .find(|&row| {
            let around = &area[row - window..=row + window];
            around.iter().all(|&a| a >= area[row])
                && largest(row + 1..area.len()) >= 1.3 * area[row]
                && largest(row - below..row) >= 1.8 * area[row]
        })
        .map(|row| solid.grid.height_of(row))
}

/// The top of the highest run of sections in which the legs are apart.
fn find_crotch(solid: &Solid, layers: &[Vec<Section>], below: f64) -> Option<f64> {
    let apart = |row: usize| {
        let total: f64 = layers[row].iter().map(|part| part.area).sum();
        let middle: f64 = layers[row].iter().filter(|part| part.crosses_plane()).map(|part| part.area).sum();
        total > 0.0 && middle < 0.5 * total
    };
    let shortest = (0.02 / solid.grid.voxel).round().max(1.0) as usize;
    let mut run = 0;
    for row in (0..=solid.grid.row_at(below)).rev() {
        run = if apart(row) { run + 1 } else { 0 };
        if run == shortest {
            return Some(solid.grid.height_of(row + shortest - 1));
        }
    }
    None
}

struct Leg {
    hip: Vec3,
    knee: Vec3,
    ankle: Vec3,
    toe: Vec3,
    tip: Vec3,
}

fn read_leg(
    solid: &Solid,
    layers: &[Vec<Section>],
    side: f64,
    hip_y: f64,
    crotch: Option<f64>,
    middle: &Vec3,
) -> Leg {
    // Centroid of what is on this side: of whole parts where the legs are apart.
    let line = |y: f64| -> Option<Vec3> {
        let row = solid.grid.row_at(y);
        let parts = layers[row].iter().filter(|part| !part.crosses_plane() && part.center.x * side > 0.0);
        let (mut sum, mut area) = (Vec3::zeros(), 0.0);
        for part in parts {
            sum += part.center * part.area;
            area += part.area;
        }
        if area > 0.0 {
            return Some(sum / area);
        }
        half_center(solid, row, side)
    };
    let mean = |from: f64, to: f64| -> Option<Vec3> {
        let count = 8;
        let points: Vec<Vec3> =
            (0..=count).filter_map(|k| line(from + (to - from) * f64::from(k) / f64::from(count))).collect();
        (!points.is_empty()).then(|| points.iter().sum::<Vec3>() / points.len() as f64)
    };
    let fallback = Vec3::new(0.07 * side, hip_y, middle.z);
    let top = crotch.unwrap_or(0.8 * hip_y).min(hip_y);
    let below_crotch = mean(0.82 * top, 0.97 * top).unwrap_or(fallback);
    let shin = mean(0.1 * hip_y, 0.28 * hip_y).unwrap_or(fallback);
    let knee_y = KNEE * hip_y;
    let knee = mean(0.95 * knee_y, 1.05 * knee_y).unwrap_or(fallback);
    let ankle = Vec3::new(shin.x, 0.035, shin.z);
    let front = (0..solid.filled.len())
        .take(solid.grid.slice(solid.grid.row_at(0.05)).end)
        .filter(|&cell| solid.filled[cell])
        .map(|cell| solid.grid.center(cell))
        .filter(|point| point.x * side > 0.0 && (point.x - ankle.x).abs() < 0.15)
        .map(|point| point.z)
        .fold(ankle.z, f64::max);
    Leg {
        hip: Vec3::new(below_crotch.x, hip_y, middle.z),
        knee: Vec3::new(knee.x, knee_y, knee.z),
        ankle,
        toe: Vec3::new(ankle.x, 0.012, ankle.z + 0.6 * (front - ankle.z)),
        tip: Vec3::new(ankle.x, 0.012, front),
    }
}

/// Centroid of a section's half on one side.
fn half_center(solid: &Solid, row: usize, side: f64) -> Option<Vec3> {
    let (mut sum, mut count) = (Vec3::zeros(), 0.0);
    for cell in solid.grid.slice(row).filter(|&cell| solid.filled[cell]) {
        let center = solid.grid.center(cell);
        if center.x * side > 0.0 {
            sum += center;
            count += 1.0;
        }
    }
    (count > 0.0).then(|| sum / count)
}

/// Depth z of the trunk at a height: the centroid near the plane, weighted by the squared distance to the surface
/// so that tails, capes and packs weigh little.
fn central_depth(solid: &Solid, trunk: &[bool], depth: &[f32], y: f64) -> f64 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for cell in solid.grid.slice(solid.grid.row_at(y)).filter(|&cell| trunk[cell]) {
        let center = solid.grid.center(cell);
        if center.x.abs() < 0.12 {
            sum += center.z * f64::from(depth[cell]);
            weight += f64::from(depth[cell]);
        }
    }
    if weight > 0.0 { sum / weight } else { solid.center_of_mass().z }
}

/// The highest point of the head, near the plane if anything of it reaches as high as the head joint.
fn head_top(solid: &Solid, head_y: f64) -> Vec3 {
    let grid = &solid.grid;
    for row in (grid.row_at(head_y)..grid.size[1]).rev() {
        let (mut sum, mut count) = (0.0, 0.0);
        for cell in grid.slice(row).filter(|&cell| solid.filled[cell]) {
            let center = grid.center(cell);
            if center.x.abs() < 0.03 {
                sum += center.z;
                count += 1.0;
            }
        }
        if count > 0.0 {
            return Vec3::new(0.0, grid.height_of(row) + 0.5 * grid.voxel, sum / count);
        }
    }
    Vec3::new(0.0, 1.0, 0.0)
}

/// Where no arm was found: hanging down at the sides of the trunk.
fn default_arm(solid: &Solid, layers: &[Vec<Section>], shoulder_y: f64, hip_y: f64, side: f64) -> [Vec3; 4] {
    let row = solid.grid.row_at(shoulder_y - 0.05);
    let widest = layers[row].iter().map(|part| part.x[1].max(-part.x[0])).fold(0.0, f64::max);
    let z = solid.center_of_mass().z;
    let at = |x: f64, y: f64| Vec3::new(side * x, y, z);
    let reach = shoulder_y - hip_y;
    [
        at(0.75 * widest, shoulder_y),
        at(0.85 * widest, shoulder_y - 0.5 * reach),
        at(0.9 * widest, shoulder_y - 0.95 * reach),
        at(0.9 * widest, shoulder_y - 1.25 * reach),
    ]
}
