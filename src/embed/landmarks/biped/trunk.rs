//! The trunk of a body on two legs: where neck and crotch are, and the heights of shoulders and hips that follow.

use super::super::median;
use super::super::sections::Section;
use super::arms::Arm;
use crate::embed::solid::Solid;
use crate::math::Vec3;
use std::ops::RangeInclusive;

/// The hip joints lie above the crotch by this part of the way to the shoulders; at 0 two corpus characters fail.
const HIP_ABOVE_CROTCH: f64 = 0.17;

/// Hip joints over shoulders in height, by the proportions of the body alone.
const HIP_OVER_SHOULDER: f64 = 0.6;

/// Height from hip joints to shoulders in lengths of the arm up to the wrist.
const TRUNK_OVER_ARM: f64 = 1.07;

/// The shoulders' height below the narrowest section of the neck.
const SHOULDER_BELOW_NECK: f64 = 0.06;

/// Heights of the trunk's joints.
pub struct Heights {
    pub shoulders: f64,
    pub hips: f64,
    /// Where the legs part.
    pub crotch: Option<f64>,
    /// The hips' height that the crotch alone speaks for.
    pub by_crotch: Option<f64>,
}

impl Heights {
    /// The median of three estimates of the hips' height that fail in different characters: coats and robes hide the
    /// crotch, large heads spoil the proportions, and robots have arms of any length.
    pub fn of(solid: &Solid, layers: &[Vec<Section>], arms: &[Arm], neck_shoulder: Option<f64>) -> Heights {
        let mean = |of: &dyn Fn(&Arm) -> f64| arms.iter().map(of).sum::<f64>() / arms.len().max(1) as f64;
        let shoulders =
            if arms.is_empty() { neck_shoulder.unwrap_or(0.78) } else { mean(&|arm| arm.shoulder.y) };
        let crotch = find_crotch(solid, layers, 0.72 * shoulders);
        let by_shoulder = HIP_OVER_SHOULDER * shoulders;
        let by_arm = shoulders - TRUNK_OVER_ARM * mean(&|arm| (arm.shoulder - arm.wrist).norm());
        let by_crotch = crotch.map(|y| y + HIP_ABOVE_CROTCH * (shoulders - y));
        let hips = match (by_crotch, arms.is_empty()) {
            (Some(by_crotch), false) => median(&mut [by_crotch, by_shoulder, by_arm]),
            (None, false) => 0.5 * (by_shoulder + by_arm),
            (Some(by_crotch), true) if by_crotch < by_shoulder => 0.5 * (by_crotch + by_shoulder),
            (Some(by_crotch), true) => by_crotch,
            (None, true) => by_shoulder,
        };
        Heights { shoulders, hips: hips.clamp(0.1, 0.8), crotch, by_crotch }
    }

    /// The height at a part of the way from hips to shoulders.
    pub fn between(&self, t: f64) -> f64 {
        self.hips + t * (self.shoulders - self.hips)
    }
}

/// Height of the shoulders by the narrow section of the neck.
pub fn shoulders_by_neck(solid: &Solid, layers: &[Vec<Section>], arms: &[Arm]) -> Option<f64> {
    find_neck(solid, layers, arms).map(|y| y - SHOULDER_BELOW_NECK)
}

/// Height of the neck above the shoulders. Those of the corpus are 0.045 to 0.105 above.
const NECK_ABOVE_SHOULDER: RangeInclusive<f64> = 0.02..=0.14;

/// The shoulder of an arm that hangs down all the way is found too low by up to this.
const SHOULDER_TOO_LOW: f64 = 0.2;

/// Part of the volume that is above the neck at least: antennae and tufts have a five hundredth.
const HEAD: f64 = 0.01;

/// A narrow section with a head above and shoulders below. The narrowest, by what is above and below it, of those a little
/// above the arms: hats and antennae have such sections, too, and waists; without arms, the highest.
fn find_neck(solid: &Solid, layers: &[Vec<Section>], arms: &[Arm]) -> Option<f64> {
    let area: Vec<f64> = layers
        .iter()
        .map(|parts| {
            parts.iter().filter(|part| part.crosses_plane()).map(|part| part.area).fold(0.0, f64::max)
        })
        .collect();
    let rows = |length: f64| (length / solid.grid.voxel).round().max(1.0) as usize;
    let (window, below) = (rows(0.025), rows(0.25));
    let largest = |range: std::ops::Range<usize>| area[range].iter().copied().fold(0.0, f64::max);
    let total: f64 = area.iter().sum();
    let narrow = |row: usize| {
        let around = &area[row - window..=row + window];
        let (up, down) = (largest(row + 1..area.len()) / area[row], largest(row - below..row) / area[row]);
        let is_neck = around.iter().all(|&a| a >= area[row])
            && up >= 1.3
            && down >= 1.8
            && area[row + 1..].iter().sum::<f64>() >= HEAD * total;
        is_neck.then_some((solid.grid.height_of(row), up * down))
    };
    let necks = (solid.grid.row_at(0.3)..=solid.grid.row_at(0.93))
        .rev()
        .filter(|&row| row >= below && row + window < area.len() && area[row] > 0.0)
        .filter_map(narrow);
    if arms.is_empty() {
        return necks.map(|(y, _)| y).next();
    }
    let mean = |of: &dyn Fn(&Arm) -> f64| arms.iter().map(of).sum::<f64>() / arms.len() as f64;
    let (shoulders, drop) = (mean(&|arm| arm.shoulder.y), mean(&Arm::drop));
    let (low, high) = NECK_ABOVE_SHOULDER.into_inner();
    let able = shoulders + low..=shoulders + high + SHOULDER_TOO_LOW * drop;
    let necks = necks.filter(|(y, _)| able.contains(y));
    necks.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(y, _)| y)
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

/// The middle of the trunk at a height. Its depth is the centroid near the plane, weighted by the squared distance to
/// the outline of the section so that tails, capes and packs weigh little.
pub fn central(solid: &Solid, trunk: &[bool], y: f64) -> Vec3 {
    let row = solid.grid.row_at(y);
    let start = solid.grid.slice(row).start;
    let depth = solid.grid.squared_depth_in_slice(trunk, row);
    let (mut sum, mut weight) = (0.0, 0.0);
    for (place, depth) in depth.into_iter().enumerate().filter(|&(_, depth)| depth > 0.0) {
        let center = solid.grid.center(start + place);
        if center.x.abs() < 0.12 {
            sum += center.z * f64::from(depth);
            weight += f64::from(depth);
        }
    }
    let z = if weight > 0.0 { sum / weight } else { solid.center_of_mass().z };
    Vec3::new(0.0, y, z)
}

/// The highest point of the head, near the plane if anything of it reaches as high as the head joint.
pub fn head_top(solid: &Solid, head_y: f64) -> Vec3 {
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
