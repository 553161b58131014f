//! The trunk of an animal: belly, back, and where its quarters are.

use super::super::median;
use super::legs::Legs;
use crate::embed::solid::Solid;
use crate::math::powi;

/// Heights, and places along the body, between which the joints of trunk and legs lie.
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
    /// Height and place along the body of the middle of the hindquarters.
    pub haunches: [f64; 2],
}

/// Power of the width that weighs a place of the hindquarters: their flesh counts more than the loin before them.
const HAUNCHES: i32 = 3;

/// The same for the forequarters, where only the widest place says where the shoulder is: with 3 the height of the
/// withers moves it.
const SHOULDERS: i32 = 8;

impl Trunk {
    pub fn of(solid: &Solid, legs: &Legs) -> Trunk {
        let profile = Profile::of(solid);
        let grid = &solid.grid;
        let (fore, hind) = (legs.fore.at(legs.merge).z, legs.hind.at(legs.merge).z);
        let columns = (1..=9).filter_map(|k| profile.at(solid, hind + (fore - hind) * f64::from(k) / 10.0));
        let (mut low, mut high): (Vec<f64>, Vec<f64>) = columns.unzip();
        if low.is_empty() {
            (low, high) = (vec![0.4], vec![0.7]);
        }
        // Legs that were guessed may lie under anything; fractions need some height.
        let belly = median(&mut low).clamp(0.05, 0.9);
        let (fore, hind) = (legs.fore.shin(), legs.hind.shin());
        let span = legs.span();
        let over_hind = (0..=6).filter_map(|k| profile.at(solid, hind.z + 0.05 * f64::from(k) * span));
        let mut tops: Vec<f64> = over_hind.map(|(_, top)| top).collect();
        tops.extend(high.first().filter(|_| tops.is_empty()));
        let croup = median(&mut tops);
        // Of the heights of the back a low one counts, because saddles, packs and humps only add.
        high.sort_unstable_by(f64::total_cmp);
        let back = high[high.len() / 4].min(croup).max(belly + 0.05);
        // A tail that is carried over the back rises far above it.
        let croup = croup.clamp(back, back + 0.25 * (back - belly));

        let thigh = 0.4 * hind.x.abs()..=1.2 * hind.x.abs();
        let rows = grid.row_at(belly)..=grid.row_at(belly + 0.6 * (back - belly));
        let mut ends: Vec<f64> = rows
            .filter_map(|row| {
                let beside = solid.cells_of(row).map(|cell| grid.center(cell));
                beside
                    .filter(|center| thigh.contains(&(center.x * hind.x.signum())))
                    .map(|center| center.z)
                    .reduce(f64::min)
            })
            .collect();
        let rump = if ends.is_empty() { hind.z - 0.1 } else { median(&mut ends) };

        let middle = 0.5 * (fore.z + hind.z);
        let quarter = |from: f64, to: f64, power: i32| {
            let mut sum = [0.0; 3];
            for row in grid.row_at(0.8 * belly)..grid.size[1] {
                for place in 0..grid.size[2] {
                    let z = grid.origin.z + (place as f64 + 0.5) * grid.voxel;
                    let width = profile.width[row * grid.size[2] + place];
                    if z > from && z < to && width > 0 {
                        let weight = powi(f64::from(width) * grid.voxel, power);
                        sum[0] += weight;
                        sum[1] += weight * grid.height_of(row);
                        sum[2] += weight * z;
                    }
                }
            }
            let [weight, y, z] = sum;
            if weight > 0.0 { [y / weight, z / weight] } else { [0.5 * (belly + back), 0.5 * (from + to)] }
        };
        Trunk {
            belly,
            back,
            croup,
            rump,
            shoulders: quarter(middle, fore.z + 0.1, SHOULDERS)[0],
            haunches: quarter(rump, middle, HAUNCHES),
        }
    }

    /// Height from belly to back.
    pub fn height(&self) -> f64 {
        self.back - self.belly
    }
}

/// The body seen from the side.
struct Profile {
    /// Voxels across the body at each height and place along it.
    width: Vec<u32>,
    /// Whether any of them is near the mirror plane.
    central: Vec<bool>,
}

impl Profile {
    fn of(solid: &Solid) -> Profile {
        let grid = &solid.grid;
        let near = |x: usize| (grid.origin.x + (x as f64 + 0.5) * grid.voxel).abs() < 0.03;
        let near: Vec<bool> = (0..grid.size[0]).map(near).collect();
        let rows = solid.filled.chunks(grid.size[0]);
        let side = |row: &[bool]| {
            let width = row.iter().filter(|&&full| full).count() as u32;
            (width, row.iter().zip(&near).any(|(&full, &near)| full && near))
        };
        let (width, central) = rows.map(side).unzip();
        Profile { width, central }
    }

    /// Lowest and highest voxel near the plane at a place along the body.
    fn at(&self, solid: &Solid, z: f64) -> Option<(f64, f64)> {
        let grid = &solid.grid;
        let place = (((z - grid.origin.z) / grid.voxel).max(0.0) as usize).min(grid.size[2] - 1);
        let full = |row: &usize| self.central[row * grid.size[2] + place];
        let low = (0..grid.size[1]).find(full)?;
        let high = (0..grid.size[1]).rev().find(full)?;
        Some((grid.height_of(low), grid.height_of(high)))
    }
}
