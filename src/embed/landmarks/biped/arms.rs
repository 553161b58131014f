//! Arms: hands that stand out from the body, and the limb from them to the shoulder.

use super::super::level_sets::LevelSets;
use super::super::limb_ends::LimbEnd;
use super::super::sections::Section;
use super::super::{median, mirrored};
use super::trunk::Heights;
use crate::embed::solid::Solid;
use crate::math::Vec3;
use std::ops::RangeInclusive;

/// Area of a section over that of the arm at which the arm has ended and the trunk begun. Values from 1.7 to 3
/// lose none of the corpus; lower ones stop at wide sleeves, higher ones run into the chest.
const SHOULDER_WIDENING: f64 = 2.5;

/// The same for the last section that is certainly arm.
const ARM_WIDENING: f64 = 1.35;

/// Hands without a narrow wrist: the wrist at this part of the way from hand tip to shoulder.
const WRIST: f64 = 0.305;

/// The elbow at this part of the way from shoulder to wrist.
const ELBOW: f64 = 0.49;

/// Score from which on an end may be a hand.
const LIKELY: f64 = 0.25;

/// Toes end below this. The hands of trolls hang down nearly as far.
const ABOVE_FEET: f64 = 0.05;

/// Distance of one hand from the mirror image of the other, at most: arms of 0.6 that are held 16 degrees apart.
const MISMATCH: f64 = 0.17;

/// Lengths of arms over the height of their shoulders, generously: ears and horns are shorter.
const LENGTHS: RangeInclusive<f64> = 0.38..=1.2;

/// Sine of the angle below the horizontal from which on an arm hangs: its armpit is then lower than the shoulder.
const HANGING: f64 = 0.35;

/// One arm.
pub struct Arm {
    pub tip: Vec3,
    pub wrist: Vec3,
    pub elbow: Vec3,
    pub shoulder: Vec3,
    /// Path length from the tip to the shoulder.
    pub length: f64,
    /// Path length from the tip to every voxel.
    distance: Vec<f32>,
    /// Voxels nearer to the tip than this are arm and nothing else.
    pure: f32,
    /// It can be an arm: it has a length, ends below the head, and is no corner of a box.
    pub plausible: bool,
}

/// Pairs of ends that may be hands, the likeliest first, left before right: far out, long, not high up as ears, not behind
/// as wings. Where no two ends are mirror images, the best of either side are a pair.
pub fn hand_pairs(solid: &Solid, ends: &[LimbEnd]) -> Vec<[LimbEnd; 2]> {
    let middle = solid.center_of_mass();
    let score = |end: &LimbEnd| {
        let (x, y, z) = (end.position.x, end.position.y, end.position.z);
        x.abs().min(0.6) + 0.6 * end.length.min(0.5)
            - 0.5 * (y - 0.85).max(0.0)
            - 2.0 * (0.2 - y).max(0.0)
            - 3.0 * (-0.06 - (z - middle.z)).max(0.0)
    };
    let able = |end: &&LimbEnd| end.position.y >= ABOVE_FEET && end.length >= 0.08;
    let side = |sign: f64| ends.iter().filter(able).filter(move |end| end.position.x * sign > 0.0);
    let mut pairs: Vec<(f64, [LimbEnd; 2])> = Vec::new();
    for left in side(1.0) {
        for right in side(-1.0) {
            let mismatch = (left.position - mirrored(&right.position)).norm();
            let value = 0.5 * (score(left) + score(right)) - mismatch;
            if mismatch <= MISMATCH && value >= LIKELY {
                pairs.push((value, [*left, *right]));
            }
        }
    }
    if !pairs.is_empty() {
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        return pairs.into_iter().map(|(_, pair)| pair).collect();
    }
    let single = |sign: f64| {
        side(sign)
            .map(|end| (score(end), *end))
            .filter(|(value, _)| *value >= LIKELY)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, end)| end)
    };
    single(1.0).zip(single(-1.0)).map(|(left, right)| [left, right]).into_iter().collect()
}

impl Arm {
    /// Moves the shoulder of an arm whose upper part is fused to the trunk up to where the neck says it is.
    pub fn lift_shoulder(&mut self, y: f64) {
        self.shoulder.y = y;
        let rest = self.wrist - self.shoulder;
        self.elbow = self.elbow * 0.5 + (self.shoulder + rest * ELBOW) * 0.5;
    }

    /// Sine of the angle below the horizontal; zero if the arm is raised.
    pub fn drop(&self) -> f64 {
        ((self.shoulder.y - self.tip.y) / (self.tip - self.shoulder).norm().max(1e-9)).max(0.0)
    }

    /// Whether it hangs down rather than being stretched out.
    pub fn hangs(&self) -> bool {
        self.drop() > HANGING
    }

    /// Whether it is as long as an arm, if the shoulders are at a height.
    pub fn suits(&self, shoulders: f64) -> bool {
        LENGTHS.contains(&(self.length / shoulders))
    }
}

/// Follows an arm from its hand to where it widens into the trunk.
pub fn read_arm(solid: &Solid, hand: &LimbEnd) -> Arm {
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
/// over that at one quarter. Arms have up to 3, corners 9; those of robots have more where the fingers are thin, but do not
/// grow all the way.
fn is_cone(sets: &LevelSets, end: usize) -> bool {
    let [thin, middle, thick] = [1, 2, 3].map(|quarter| sets.area[end * quarter / 4]);
    thick > 4.5 * thin && thick > 1.5 * middle && middle > 1.5 * thin
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
pub fn without_arms(solid: &Solid, arms: &[Arm], symmetric: bool) -> Vec<bool> {
    let mut trunk = solid.filled.clone();
    for arm in arms {
        for (full, &distance) in trunk.iter_mut().zip(&arm.distance) {
            *full &= distance >= arm.pure;
        }
    }
    if symmetric && !arms.is_empty() {
        // The other arm is the mirror image of the one that was read.
        let width = solid.grid.size[0];
        let sum = solid.plane_sum();
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

/// Where no arm was found: hanging down at the sides of the trunk.
pub fn default_arm(solid: &Solid, layers: &[Vec<Section>], heights: &Heights, side: f64) -> [Vec3; 4] {
    let shoulder_y = heights.shoulders;
    let row = solid.grid.row_at(shoulder_y - 0.05);
    let widest = layers[row].iter().map(|part| part.x[1].max(-part.x[0])).fold(0.0, f64::max);
    let z = solid.center_of_mass().z;
    let at = |x: f64, y: f64| Vec3::new(side * x, y, z);
    let reach = shoulder_y - heights.hips;
    [
        at(0.75 * widest, shoulder_y),
        at(0.85 * widest, shoulder_y - 0.5 * reach),
        at(0.9 * widest, shoulder_y - 0.95 * reach),
        at(0.9 * widest, shoulder_y - 1.25 * reach),
    ]
}
