//! Arms: hands that stand out from the body, and the limb from them to the shoulder.

use super::super::level_sets::LevelSets;
use super::super::sections::Section;
use super::super::{Symmetry, median, mirrored};
use super::trunk::Heights;
use crate::embed::limb_ends::LimbEnd;
use crate::embed::voxels::VoxelVolume;
use crate::math::Vec3;
use std::ops::RangeInclusive;

/// Area of a section over that of the arm at which the arm has ended and the trunk begun. Values from 1.7 to 3
/// lose none of the corpus; lower ones stop at wide sleeves, higher ones run into the chest.
const SHOULDER_WIDENING: f64 = 2.5;

/// The same for the last section that is certainly arm.
const ARM_WIDENING: f64 = 1.35;

/// Part of the largest section from which on a section is trunk.
const TRUNK_AREA: f64 = 0.3;

/// Part of the arm's own length from which on its centre line is fitted by the straight line that goes on into the trunk.
const STRAIGHT_FROM: f64 = 0.55;

/// Part of the arm's own length that is cut off to get the trunk alone.
const CUT: f64 = 0.97;

/// Hands without a narrow wrist: the wrist at this part of the distance from hand tip to shoulder.
const WRIST: f64 = 0.305;

/// The wrist is looked for between these parts of that distance: fingers end before, elbows lie behind.
const WRIST_RANGE: [f64; 2] = [0.17, 0.45];

/// A wrist is narrower than the hand before it by this factor.
const WRIST_NARROWING: f64 = 0.85;

/// A narrow section farther than this from [`WRIST`] counts half.
const UNUSUAL_WRIST: f64 = 0.1;

/// Weights of a section and of its two neighbours: the stairs of a slanted arm's voxels make its area flicker.
const SMOOTHING: [f64; 2] = [0.5, 0.25];

/// The elbow at this part of the distance from shoulder to wrist.
const ELBOW: f64 = 0.49;

/// Score from which on an end may be a hand.
const LIKELY: f64 = 0.25;

/// The score of a hand is its distance from the plane, at most this, ...
const FARTHEST_OUT: f64 = 0.6;
/// ... plus this part of the limb's length, which counts up to the second, ...
const LENGTH_SHARE: f64 = 0.6;
const LONGEST: f64 = 0.5;
/// ... minus what it is above this height, as ears are, ...
const AS_EARS: f64 = 0.85;
/// ... below this height, as feet are, ...
const AS_FEET: f64 = 0.2;
/// ... or behind the centre of mass by more than this, as wings are, each times its weight.
const AS_WINGS: f64 = 0.06;
const EARS_WEIGHT: f64 = 0.5;
const FEET_WEIGHT: f64 = 2.0;
const WINGS_WEIGHT: f64 = 3.0;

/// Shorter limbs do not end in hands.
const SHORTEST_LIMB: f64 = 0.08;

/// An arm is at least this long, and its shoulder at most this high.
const SHORTEST_ARM: f64 = 0.13;
const HIGHEST_SHOULDER: f64 = 0.9;

/// Toes end below this. The hands of trolls hang down nearly as far.
const ABOVE_FEET: f64 = 0.05;

/// Distance of one hand from the mirror image of the other, at most: arms of 0.6 that are held 16 degrees apart.
const MISMATCH: f64 = 0.17;

/// Lengths of arms over the height of their shoulders, generously: ears and horns are shorter.
const LENGTHS: RangeInclusive<f64> = 0.38..=1.2;

/// Sine of the angle below the horizontal from which on an arm hangs: its armpit is then lower than the shoulder.
const HANGING: f64 = 0.35;

/// Arms shorter than this have no direction.
const NO_LENGTH: f64 = 1e-9;

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
    /// It can be an arm: it is long enough, its shoulder is below the head, and it is no corner of a box.
    pub plausible: bool,
}

/// Pairs of ends that may be hands, the likeliest first, left before right: far out, long, not high up as ears, not behind
/// as wings. Where no two ends are mirror images, the best of either side are a pair.
pub fn hand_pairs(voxels: &VoxelVolume, ends: &[LimbEnd]) -> Vec<[LimbEnd; 2]> {
    let middle = voxels.center_of_mass();
    let [left, right] = [1.0, -1.0].map(|sign| possible_hands(ends, sign, middle.z));
    let mut pairs: Vec<(f64, [LimbEnd; 2])> = Vec::new();
    for (left_score, left) in &left {
        for (right_score, right) in &right {
            let mismatch = (left.position - mirrored(&right.position)).norm();
            let score = 0.5 * (left_score + right_score) - mismatch;
            if mismatch <= MISMATCH && score >= LIKELY {
                pairs.push((score, [*left, *right]));
            }
        }
    }
    if !pairs.is_empty() {
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        return pairs.into_iter().map(|(_, pair)| pair).collect();
    }
    best_hand(&left).zip(best_hand(&right)).map(|(left, right)| [left, right]).into_iter().collect()
}

/// The ends on one side that may be hands, with their scores.
fn possible_hands(ends: &[LimbEnd], sign: f64, middle_z: f64) -> Vec<(f64, LimbEnd)> {
    let ends = ends.iter().filter(|end| end.position.y >= ABOVE_FEET && end.length >= SHORTEST_LIMB);
    let ends = ends.filter(|end| end.position.x * sign > 0.0);
    ends.map(|end| (hand_score(end, middle_z), *end)).collect()
}

/// How much an end looks like a hand: far out, long, not high, low or behind.
fn hand_score(end: &LimbEnd, middle_z: f64) -> f64 {
    let (x, y, z) = (end.position.x, end.position.y, end.position.z);
    x.abs().min(FARTHEST_OUT) + LENGTH_SHARE * end.length.min(LONGEST)
        - EARS_WEIGHT * (y - AS_EARS).max(0.0)
        - FEET_WEIGHT * (AS_FEET - y).max(0.0)
        - WINGS_WEIGHT * (-AS_WINGS - (z - middle_z)).max(0.0)
}

fn best_hand(hands: &[(f64, LimbEnd)]) -> Option<LimbEnd> {
    let likely = hands.iter().filter(|(score, _)| *score >= LIKELY);
    likely.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, end)| *end)
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
        ((self.shoulder.y - self.tip.y) / (self.tip - self.shoulder).norm().max(NO_LENGTH)).max(0.0)
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
pub fn read_arm(voxels: &VoxelVolume, hand: &LimbEnd) -> Arm {
    let sets = LevelSets::around(voxels, &[hand.cell]);
    let largest = sets.area.iter().copied().fold(0.0, f64::max);
    let trunk = sets.area.iter().position(|&area| area > TRUNK_AREA * largest).unwrap_or(0).max(2);
    let before_trunk = &sets.area[..trunk.min(sets.area.len())];
    let first = last_below(before_trunk, SHOULDER_WIDENING * typical_area(&sets, trunk));
    let area = typical_area(&sets, first);
    let end = last_below(before_trunk, SHOULDER_WIDENING * area);
    let pure = last_below(before_trunk, ARM_WIDENING * area).min(end);

    let length = sets.length(end);
    let pure_length = sets.length(pure);
    let wrist_length = wrist(&sets, length);
    let elbow_length = length - ELBOW * (length - wrist_length);
    let [wrist, elbow, shoulder] = [wrist_length, elbow_length, length].map(|distance| {
        let is_arm = distance <= pure_length;
        if is_arm {
            sets.center_at(distance)
        } else {
            sets.extended(STRAIGHT_FROM * pure_length, pure_length, distance)
        }
    });
    let plausible = length >= SHORTEST_ARM && shoulder.y <= HIGHEST_SHOULDER && !is_cone(&sets, end);
    Arm {
        tip: hand.position,
        wrist,
        elbow,
        shoulder,
        length,
        pure: (CUT * pure_length) as f32,
        distance: sets.distance,
        plausible,
    }
}

/// The last section that is not larger than a limit.
fn last_below(areas: &[f64], limit: f64) -> usize {
    areas.iter().rposition(|&area| area <= limit).unwrap_or(0).max(1)
}

/// Median area of the sections up to one, without the first and the last fifth.
fn typical_area(sets: &LevelSets, end: usize) -> f64 {
    median(&mut sets.area[end / 5..(end * 4 / 5).max(end / 5 + 1)].to_vec())
}

/// Growth of a cone's sections: from a quarter to three quarters of its length, and over each quarter between. Arms grow by
/// up to 3, corners of boxes by 9.
const CONE: f64 = 4.5;
const CONE_QUARTER: f64 = 1.5;

/// Whether sections grow steadily from the tip on, as in the corner of a box. Arms of robots with thin fingers grow as
/// much, but not all along.
fn is_cone(sets: &LevelSets, end: usize) -> bool {
    let [thin, middle, thick] = [1, 2, 3].map(|quarter| sets.area[end * quarter / 4]);
    thick > CONE * thin && thick > CONE_QUARTER * middle && middle > CONE_QUARTER * thin
}

/// Path length from the tip to the wrist: the narrow section behind the hand if there is one.
fn wrist(sets: &LevelSets, arm: f64) -> f64 {
    let usual = WRIST * arm;
    let area = smoothed(&sets.area);
    let [from, to] = WRIST_RANGE.map(|part| sets.bin(part * arm));
    let narrow = (from.max(1)..=to)
        .filter(|&bin| bin + 1 < area.len())
        .filter(|&bin| area[bin] <= area[bin - 1] && area[bin] <= area[bin + 1])
        .filter(|&bin| {
            let bump = area[..bin].iter().copied().fold(0.0, f64::max);
            area[bin] < WRIST_NARROWING * bump
        })
        .min_by(|&a, &b| area[a].total_cmp(&area[b]));
    match narrow.map(|bin| sets.length(bin)) {
        Some(narrow) if (narrow - usual).abs() > UNUSUAL_WRIST * arm => 0.5 * (narrow + usual),
        Some(narrow) => narrow,
        None => usual,
    }
}

fn smoothed(area: &[f64]) -> Vec<f64> {
    let [center, side] = SMOOTHING;
    let last = area.len().saturating_sub(1);
    let bins = (0..area.len()).map(|bin| {
        side * area[bin.saturating_sub(1)] + center * area[bin] + side * area[(bin + 1).min(last)]
    });
    bins.collect()
}

/// The voxels that are not arm.
pub fn without_arms(voxels: &VoxelVolume, arms: &[Arm], symmetry: Symmetry) -> Vec<bool> {
    let mut trunk = voxels.filled.clone();
    for arm in arms {
        for (full, &distance) in trunk.iter_mut().zip(&arm.distance) {
            *full &= distance >= arm.pure;
        }
    }
    if symmetry == Symmetry::Mirrored && !arms.is_empty() {
        // The other arm is the mirror image of the one that was read.
        let width = voxels.grid.size[0];
        let sum = voxels.plane_sum();
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

/// Shoulder, elbow, wrist and tip of an arm that hangs down: distance from the plane in half widths of the trunk, and
/// distance below the shoulder in heights from hips to shoulders.
const HANGING_ARM: [[f64; 2]; 4] = [[0.75, 0.0], [0.85, 0.5], [0.9, 0.95], [0.9, 1.25]];

/// The width of the trunk counts this far below the shoulders.
const BELOW_SHOULDERS: f64 = 0.05;

/// Where no arm was found: hanging down at the sides of the trunk.
pub fn default_arm(voxels: &VoxelVolume, layers: &[Vec<Section>], heights: &Heights, side: f64) -> [Vec3; 4] {
    let row = voxels.grid.row_at(heights.shoulders - BELOW_SHOULDERS);
    let widest = layers[row].iter().map(|part| part.x[1].max(-part.x[0])).fold(0.0, f64::max);
    let z = voxels.center_of_mass().z;
    let trunk = heights.shoulders - heights.hips;
    HANGING_ARM.map(|[out, down]| Vec3::new(side * (out * widest), heights.shoulders - down * trunk, z))
}
