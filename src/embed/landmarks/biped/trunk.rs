//! The trunk of a body on two legs: where neck and crotch are, and the heights of shoulders and hips that follow.

use super::super::median;
use super::super::sections::Section;
use super::arms::Arm;
use crate::embed::slice_depth::squared_depth;
use crate::embed::voxels::VoxelVolume;
use crate::math::Vec3;
use std::ops::RangeInclusive;

/// The hip joints lie above the crotch by this part of the distance to the shoulders; at 0 two corpus characters fail.
const HIP_ABOVE_CROTCH: f64 = 0.17;

/// Hip joints over shoulders in height, by the proportions of the body alone.
const HIP_OVER_SHOULDER: f64 = 0.6;

/// Height from hip joints to shoulders in lengths of the arm up to the wrist.
const TRUNK_OVER_ARM: f64 = 1.07;

/// The shoulders' height below the narrowest section of the neck.
const SHOULDER_BELOW_NECK: f64 = 0.06;

/// Height of the shoulders where neither arms nor a neck show it.
const HIDDEN_SHOULDERS: f64 = 0.78;

/// The crotch is below this part of the shoulders' height.
const HIGHEST_CROTCH: f64 = 0.72;

/// Hips are between these heights.
const HIPS: [f64; 2] = [0.1, 0.8];

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
    pub fn of(
        voxels: &VoxelVolume,
        layers: &[Vec<Section>],
        arms: &[Arm],
        neck_shoulder: Option<f64>,
    ) -> Heights {
        let shoulders = if arms.is_empty() {
            neck_shoulder.unwrap_or(HIDDEN_SHOULDERS)
        } else {
            mean(arms, |arm| arm.shoulder.y)
        };
        let crotch = find_crotch(voxels, layers, HIGHEST_CROTCH * shoulders);
        let by_shoulder = HIP_OVER_SHOULDER * shoulders;
        let by_arm = shoulders - TRUNK_OVER_ARM * mean(arms, |arm| (arm.shoulder - arm.wrist).norm());
        let by_crotch = crotch.map(|y| y + HIP_ABOVE_CROTCH * (shoulders - y));
        let hips = match (by_crotch, arms.is_empty()) {
            (Some(by_crotch), false) => median(&mut [by_crotch, by_shoulder, by_arm]),
            (None, false) => 0.5 * (by_shoulder + by_arm),
            (Some(by_crotch), true) if by_crotch < by_shoulder => 0.5 * (by_crotch + by_shoulder),
            (Some(by_crotch), true) => by_crotch,
            (None, true) => by_shoulder,
        };
        Heights { shoulders, hips: hips.clamp(HIPS[0], HIPS[1]), crotch, by_crotch }
    }

    /// The height at a part of the distance from hips to shoulders.
    pub fn between(&self, t: f64) -> f64 {
        self.hips + t * (self.shoulders - self.hips)
    }
}

/// Mean of a value over the arms; zero without arms.
fn mean(arms: &[Arm], value: impl Fn(&Arm) -> f64) -> f64 {
    arms.iter().map(value).sum::<f64>() / arms.len().max(1) as f64
}

/// Height of the shoulders by the narrow section of the neck.
pub fn shoulders_by_neck(voxels: &VoxelVolume, layers: &[Vec<Section>], arms: &[Arm]) -> Option<f64> {
    find_neck(voxels, layers, arms).map(|y| y - SHOULDER_BELOW_NECK)
}

/// Height of the neck above the shoulders. Those of the corpus are 0.045 to 0.105 above.
const NECK_ABOVE_SHOULDER: RangeInclusive<f64> = 0.02..=0.14;

/// The shoulder of an arm that hangs down all the way is found too low by up to this.
const SHOULDER_TOO_LOW: f64 = 0.2;

/// Part of the volume that is above the neck at least: antennae and tufts have a five hundredth.
const HEAD: f64 = 0.01;

/// Heights between which a neck is looked for.
const NECK_RANGE: [f64; 2] = [0.3, 0.93];

/// A neck is the narrowest section within this distance up and down, and shoulders are this far below it.
const NECK_WINDOW: f64 = 0.025;
const SHOULDER_RANGE: f64 = 0.25;

/// The head is wider than the neck by the first factor in area, the shoulders by the second.
const HEAD_WIDENING: f64 = 1.3;
const SHOULDER_WIDENING: f64 = 1.8;

/// A narrow section with a head above and shoulders below. The narrowest, by what is above and below it, of those a little
/// above the arms: hats and antennae have such sections, too, and waists; without arms, the highest.
fn find_neck(voxels: &VoxelVolume, layers: &[Vec<Section>], arms: &[Arm]) -> Option<f64> {
    let central = layers.iter().map(|parts| parts.iter().filter(|part| part.crosses_plane()));
    let area: Vec<f64> = central.map(|parts| parts.map(|part| part.area).fold(0.0, f64::max)).collect();
    let total: f64 = area.iter().sum();
    let [window, below] = [NECK_WINDOW, SHOULDER_RANGE].map(|length| rows_in(voxels, length));
    let [low, high] = NECK_RANGE.map(|y| voxels.grid.row_at(y));
    let necks = (low..=high)
        .rev()
        .filter(|&row| row >= below && row + window < area.len() && area[row] > 0.0)
        .filter_map(|row| {
            let around = &area[row - window..=row + window];
            let up = largest(&area[row + 1..]) / area[row];
            let down = largest(&area[row - below..row]) / area[row];
            let is_neck = around.iter().all(|&a| a >= area[row])
                && up >= HEAD_WIDENING
                && down >= SHOULDER_WIDENING
                && area[row + 1..].iter().sum::<f64>() >= HEAD * total;
            is_neck.then_some((voxels.grid.height_of(row), up * down))
        });
    if arms.is_empty() {
        return necks.map(|(y, _)| y).next();
    }
    let (shoulders, drop) = (mean(arms, |arm| arm.shoulder.y), mean(arms, Arm::drop));
    let (low, high) = NECK_ABOVE_SHOULDER.into_inner();
    let able = shoulders + low..=shoulders + high + SHOULDER_TOO_LOW * drop;
    let necks = necks.filter(|(y, _)| able.contains(y));
    necks.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(y, _)| y)
}

fn largest(areas: &[f64]) -> f64 {
    areas.iter().copied().fold(0.0, f64::max)
}

/// How many sections a length holds, at least one.
fn rows_in(voxels: &VoxelVolume, length: f64) -> usize {
    (length / voxels.grid.voxel).round().max(1.0) as usize
}

/// Height over which legs must be apart below a crotch.
const SHORTEST_LEGS: f64 = 0.02;

/// The top of the highest run of sections in which the legs are apart.
fn find_crotch(voxels: &VoxelVolume, layers: &[Vec<Section>], below: f64) -> Option<f64> {
    let shortest = rows_in(voxels, SHORTEST_LEGS);
    let mut run = 0;
    for row in (0..=voxels.grid.row_at(below)).rev() {
        run = if are_legs_apart(&layers[row]) { run + 1 } else { 0 };
        if run == shortest {
            return Some(voxels.grid.height_of(row + shortest - 1));
        }
    }
    None
}

/// Whether less than half of a section crosses the plane.
fn are_legs_apart(parts: &[Section]) -> bool {
    let total: f64 = parts.iter().map(|part| part.area).sum();
    let middle: f64 = parts.iter().filter(|part| part.crosses_plane()).map(|part| part.area).sum();
    total > 0.0 && middle < 0.5 * total
}

/// Half the width around the plane in which the depth of the trunk, and the top of the head, are looked for.
const TRUNK_HALF_WIDTH: f64 = 0.12;
const CROWN_HALF_WIDTH: f64 = 0.03;

/// The middle of the trunk at a height. Its depth is the centroid near the plane, weighted by the squared distance to
/// the outline of the section so that tails, capes and packs weigh little.
pub fn central(voxels: &VoxelVolume, trunk: &[bool], y: f64) -> Vec3 {
    let row = voxels.grid.row_at(y);
    let start = voxels.grid.slice(row).start;
    let depth = squared_depth(&voxels.grid, trunk, row);
    let (mut sum, mut weight) = (0.0, 0.0);
    for (offset, depth) in depth.into_iter().enumerate().filter(|&(_, depth)| depth > 0.0) {
        let center = voxels.grid.center(start + offset);
        if center.x.abs() < TRUNK_HALF_WIDTH {
            sum += center.z * f64::from(depth);
            weight += f64::from(depth);
        }
    }
    let z = if weight > 0.0 { sum / weight } else { voxels.center_of_mass().z };
    Vec3::new(0.0, y, z)
}

/// The highest point of the head, near the plane if anything of it reaches as high as the head joint.
pub fn head_top(voxels: &VoxelVolume, head_y: f64) -> Vec3 {
    let grid = &voxels.grid;
    for row in (grid.row_at(head_y)..grid.size[1]).rev() {
        let (mut sum, mut count) = (0.0, 0.0);
        for cell in grid.slice(row).filter(|&cell| voxels.filled[cell]) {
            let center = grid.center(cell);
            if center.x.abs() < CROWN_HALF_WIDTH {
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
