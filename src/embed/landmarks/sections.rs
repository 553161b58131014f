//! Horizontal sections of a body and their connected parts.

use crate::embed::grid::Grid;
use crate::embed::voxels::VoxelVolume;
use crate::math::Vec3;
use rayon::prelude::*;

/// What ends at the plane may be beyond it by this.
const ROUNDING: f64 = 1e-9;

/// One connected part of a horizontal section.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// In heights squared.
    pub area: f64,
    /// Its centroid.
    pub center: Vec3,
    /// Smallest and largest x.
    pub x: [f64; 2],
    /// Smallest and largest z.
    pub z: [f64; 2],
}

impl Section {
    /// It lies on both sides of the mirror plane.
    pub fn crosses_plane(&self) -> bool {
        self.x[0] < -ROUNDING && self.x[1] > ROUNDING
    }
}

/// The parts of every horizontal section, from the bottom of the grid up.
pub fn sections(voxels: &VoxelVolume, filled: &[bool]) -> Vec<Vec<Section>> {
    (0..voxels.grid.size[1]).into_par_iter().map(|row| section(&voxels.grid, filled, row)).collect()
}

fn section(grid: &Grid, filled: &[bool], row: usize) -> Vec<Section> {
    let range = grid.slice(row);
    let start = range.start;
    let mut open: Vec<bool> = filled[range].to_vec();
    let mut parts = Vec::new();
    let mut stack = Vec::new();
    let width = grid.size[0] as isize;
    for first in 0..open.len() {
        if !open[first] {
            continue;
        }
        open[first] = false;
        stack.push(first);
        let mut part =
            Section { area: 0.0, center: Vec3::zeros(), x: [f64::MAX, f64::MIN], z: [f64::MAX, f64::MIN] };
        while let Some(cell) = stack.pop() {
            let center = grid.center(start + cell);
            part.area += 1.0;
            part.center += center;
            let half = 0.5 * grid.voxel;
            part.x = [part.x[0].min(center.x - half), part.x[1].max(center.x + half)];
            part.z = [part.z[0].min(center.z - half), part.z[1].max(center.z + half)];
            for step in [-1, 1, -width, width] {
                let next = cell.wrapping_add_signed(step);
                if next < open.len() && open[next] {
                    open[next] = false;
                    stack.push(next);
                }
            }
        }
        part.center /= part.area;
        part.area *= grid.voxel * grid.voxel;
        parts.push(part);
    }
    parts
}
