//! The trunk of an animal: belly, back, and where its quarters are.

use super::super::median;
use super::legs::Legs;
use crate::embed::grid::Grid;
use crate::embed::voxels::VoxelVolume;
use crate::math::powi;
use std::ops::Range;

/// Heights, and positions along the body, between which the joints of trunk and legs lie.
#[derive(Debug, Clone, Copy)]
pub struct Trunk {
    /// Height of the belly between fore and hind legs.
    pub belly: f64,
    /// Height of the back there.
    pub back: f64,
    /// Height of the back above the hind legs.
    pub croup: f64,
    /// The hindmost of the thighs, beside the plane: tails do not count.
    pub rump: f64,
    /// Height at which the forequarters are widest.
    pub shoulders: f64,
    /// Height and position along the body of the middle of the hindquarters.
    pub haunches: [f64; 2],
}

/// Power of the width that weighs a column of the hindquarters: their flesh counts more than the loin before them.
const HAUNCHES: i32 = 3;

/// The same for the forequarters, where only the widest column says where the shoulder is: with 3 the height of the
/// withers moves it.
const SHOULDERS: i32 = 8;

/// Columns between the legs in which belly and back are measured.
const COLUMNS: i32 = 10;

/// Belly and back where no column is filled.
const HIDDEN_TRUNK: [f64; 2] = [0.4, 0.7];

/// Heights of the belly. Legs that were guessed may lie under anything; fractions need some height.
const BELLY: [f64; 2] = [0.05, 0.9];

/// Least height from belly to back.
const THINNEST: f64 = 0.05;

/// The croup is seen in the columns over the hind legs, up to this part of the span ahead, in steps.
const CROUP_STEP: f64 = 0.05;
const CROUP_STEPS: i32 = 6;

/// The croup rises above the back by at most this part of the trunk's height: tails carried over the back rise more.
const CROUP_RISE: f64 = 0.25;

/// Thighs lie between these multiples of the shin's distance from the plane, up to this part of the trunk's height.
const THIGH: [f64; 2] = [0.4, 1.2];
const THIGH_TOP: f64 = 0.6;

/// The rump is this far behind the shin where no thigh is seen.
const HIDDEN_RUMP: f64 = 0.1;

/// Quarters begin at this part of the belly's height; forequarters end this far ahead of the shin.
const QUARTERS_FROM: f64 = 0.8;
const AHEAD_OF_SHIN: f64 = 0.1;

/// Half the width around the plane in which belly and back are seen.
const HALF_WIDTH: f64 = 0.03;

impl Trunk {
    pub fn of(voxels: &VoxelVolume, legs: &Legs) -> Trunk {
        let profile = Profile::of(voxels);
        let grid = &voxels.grid;
        let (fore, hind) = (legs.fore.at(legs.merge).z, legs.hind.at(legs.merge).z);
        let columns = (1..COLUMNS)
            .filter_map(|k| profile.at(voxels, hind + (fore - hind) * f64::from(k) / f64::from(COLUMNS)));
        let (mut low, mut high): (Vec<f64>, Vec<f64>) = columns.unzip();
        if low.is_empty() {
            (low, high) = (vec![HIDDEN_TRUNK[0]], vec![HIDDEN_TRUNK[1]]);
        }
        let belly = median(&mut low).clamp(BELLY[0], BELLY[1]);
        let (fore, hind) = (legs.fore.shin(), legs.hind.shin());
        let span = legs.span();
        let over_hind =
            (0..=CROUP_STEPS).filter_map(|k| profile.at(voxels, hind.z + CROUP_STEP * f64::from(k) * span));
        let mut tops: Vec<f64> = over_hind.map(|(_, top)| top).collect();
        tops.extend(high.first().filter(|_| tops.is_empty()));
        let croup = median(&mut tops);
        // Of the heights of the back a low one counts, because saddles, packs and humps only add.
        high.sort_unstable_by(f64::total_cmp);
        let back = high[high.len() / 4].min(croup).max(belly + THINNEST);
        let croup = croup.clamp(back, back + CROUP_RISE * (back - belly));
        let thighs = grid.row_at(belly)..=grid.row_at(belly + THIGH_TOP * (back - belly));
        let mut ends: Vec<f64> = thighs.filter_map(|row| end_of_thigh(voxels, row, hind.x)).collect();
        let rump = if ends.is_empty() { hind.z - HIDDEN_RUMP } else { median(&mut ends) };

        let middle = 0.5 * (fore.z + hind.z);
        let [shoulders, haunches] = [(middle..fore.z + AHEAD_OF_SHIN, SHOULDERS), (rump..middle, HAUNCHES)]
            .map(|(along, power)| {
                let default = [0.5 * (belly + back), 0.5 * (along.start + along.end)];
                profile.middle(grid, QUARTERS_FROM * belly, along, power).unwrap_or(default)
            });
        Trunk { belly, back, croup, rump, shoulders: shoulders[0], haunches }
    }

    /// Height from belly to back.
    pub fn height(&self) -> f64 {
        self.back - self.belly
    }
}

/// Smallest z of a section beside the plane, as far from it as a thigh whose shin is at `shin_x`.
fn end_of_thigh(voxels: &VoxelVolume, row: usize, shin_x: f64) -> Option<f64> {
    let [inner, outer] = THIGH.map(|factor| factor * shin_x.abs());
    let centers = voxels.cells_of(row).map(|cell| voxels.grid.center(cell));
    let beside = centers.filter(|center| (inner..=outer).contains(&(center.x * shin_x.signum())));
    beside.map(|center| center.z).reduce(f64::min)
}

/// The body seen from the side.
struct Profile {
    /// Voxels across the body at each height and position along it.
    width: Vec<u32>,
    /// Whether any of them is near the mirror plane.
    central: Vec<bool>,
}

impl Profile {
    fn of(voxels: &VoxelVolume) -> Profile {
        let grid = &voxels.grid;
        let near: Vec<bool> = (0..grid.size[0])
            .map(|x| (grid.origin.x + (x as f64 + 0.5) * grid.voxel).abs() < HALF_WIDTH)
            .collect();
        let rows = voxels.filled.chunks(grid.size[0]).map(|row| {
            let width = row.iter().filter(|&&full| full).count() as u32;
            (width, row.iter().zip(&near).any(|(&full, &near)| full && near))
        });
        let (width, central) = rows.unzip();
        Profile { width, central }
    }

    /// Lowest and highest voxel near the plane at a position along the body.
    fn at(&self, voxels: &VoxelVolume, z: f64) -> Option<(f64, f64)> {
        let grid = &voxels.grid;
        let column = (((z - grid.origin.z) / grid.voxel).max(0.0) as usize).min(grid.size[2] - 1);
        let mut rows = (0..grid.size[1]).filter(|row| self.central[row * grid.size[2] + column]);
        let low = rows.next()?;
        let high = rows.next_back().unwrap_or(low);
        Some((grid.height_of(low), grid.height_of(high)))
    }

    /// Mean height and position along the body, from a height up and within a range, weighted by a power of the width.
    fn middle(&self, grid: &Grid, from: f64, along: Range<f64>, power: i32) -> Option<[f64; 2]> {
        let mut sum = [0.0; 3];
        for row in grid.row_at(from)..grid.size[1] {
            for column in 0..grid.size[2] {
                let z = grid.origin.z + (column as f64 + 0.5) * grid.voxel;
                let width = self.width[row * grid.size[2] + column];
                if z > along.start && z < along.end && width > 0 {
                    let weight = powi(f64::from(width) * grid.voxel, power);
                    sum[0] += weight;
                    sum[1] += weight * grid.height_of(row);
                    sum[2] += weight * z;
                }
            }
        }
        let [weight, y, z] = sum;
        (weight > 0.0).then(|| [y / weight, z / weight])
    }
}
