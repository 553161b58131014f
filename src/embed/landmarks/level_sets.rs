//! A limb seen along its length: sections of equal path length from its end.

use crate::embed::grid::{STEPS_PER_CELL, UNREACHED};
use crate::embed::voxels::VoxelVolume;
use crate::math::{Vec3, cube};

/// Thickness of a level set in voxels. Thinner ones flicker with the stairs of the voxels, thicker ones hide wrists.
const THICKNESS: f64 = 1.5;

/// Sections of a body at rising path length from one voxel: flat along a limb, exploding in the trunk.
pub struct LevelSets {
    /// Path length between two sections, in heights.
    pub step: f64,
    /// Area of each section.
    pub area: Vec<f64>,
    /// Centroid of each section: the centre line of the limb.
    pub center: Vec<Vec3>,
    /// Path length of every voxel in heights; infinite where there is no path.
    pub distance: Vec<f32>,
}

impl LevelSets {
    /// The sections around voxels.
    pub fn around(voxels: &VoxelVolume, sources: &[usize]) -> LevelSets {
        let to_heights = voxels.grid.voxel / STEPS_PER_CELL;
        let step = THICKNESS * voxels.grid.voxel;
        let distance: Vec<f32> = voxels
            .grid
            .geodesic(&voxels.filled, sources)
            .iter()
            .map(|&d| if d == UNREACHED { f32::INFINITY } else { (f64::from(d) * to_heights) as f32 })
            .collect();
        let mut area: Vec<f64> = Vec::new();
        let mut center: Vec<Vec3> = Vec::new();
        for cell in (0..distance.len()).filter(|&cell| distance[cell].is_finite()) {
            let bin = (f64::from(distance[cell]) / step) as usize;
            if bin >= area.len() {
                area.resize(bin + 1, 0.0);
                center.resize(bin + 1, Vec3::zeros());
            }
            area[bin] += 1.0;
            center[bin] += voxels.grid.center(cell);
        }
        for (area, center) in area.iter_mut().zip(&mut center) {
            *center /= f64::max(*area, 1.0);
            *area *= cube(voxels.grid.voxel) / step;
        }
        LevelSets { step, area, center, distance }
    }

    /// The section at a path length.
    pub fn bin(&self, distance: f64) -> usize {
        ((distance / self.step).max(0.0) as usize).min(self.area.len().saturating_sub(1))
    }

    /// The path length in the middle of a section.
    pub fn length(&self, bin: usize) -> f64 {
        (bin as f64 + 0.5) * self.step
    }

    /// The centre line at a path length, between the centroids.
    pub fn center_at(&self, distance: f64) -> Vec3 {
        if self.center.is_empty() {
            return Vec3::zeros();
        }
        let bin = (distance / self.step - 0.5).clamp(0.0, (self.center.len() - 1) as f64);
        let (low, t) = (bin as usize, bin.fract());
        let high = (low + 1).min(self.center.len() - 1);
        self.center[low] * (1.0 - t) + self.center[high] * t
    }

    /// The straight line that fits the centre line between two path lengths best: its point at a third one.
    pub fn extended(&self, from: f64, to: f64, at: f64) -> Vec3 {
        let bins = self.bin(from)..=self.bin(to).max(self.bin(from));
        let count = bins.clone().count() as f64;
        let mean_length = bins.clone().map(|bin| self.length(bin)).sum::<f64>() / count;
        let mean: Vec3 = bins.clone().map(|bin| self.center[bin]).sum::<Vec3>() / count;
        let (mut slope, mut spread) = (Vec3::zeros(), 0.0);
        for bin in bins {
            let offset = self.length(bin) - mean_length;
            slope += (self.center[bin] - mean) * offset;
            spread += offset * offset;
        }
        if spread > 0.0 { mean + slope / spread * (at - mean_length) } else { mean }
    }
}
