//! Where limbs end: peaks of the path length from the middle of the body, and how far each stands out.
//!
//! The superlevel sets of the geodesic distance are merged as the level falls (the merge tree of Morse theory). A
//! peak that meets a higher one ends there; how far the level has fallen since the peak is its persistence: the
//! length of the limb up to where it joins the rest.

use crate::embed::grid::{Grid, STEPS_PER_CELL, UNREACHED};
use crate::embed::voxels::VoxelVolume;
use crate::math::{Buckets, DisjointSets, Vec3};

/// The end of a limb.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimbEnd {
    /// The voxel of the peak.
    pub cell: usize,
    /// Its middle, in body space.
    pub position: Vec3,
    /// Length of the limb, in heights.
    pub length: f64,
    /// The voxel at which a longer limb is met; `None` for the farthest end of the body, which meets none.
    pub saddle: Option<usize>,
    /// The voxel of the peak of that limb.
    pub into: Option<usize>,
}

/// Shorter limbs are bumps of the surface: fingers, noses and folds of cloth. With 0.1 the feet of a body whose
/// shoes touch are lost.
const SHORTEST: f64 = 0.05;

/// All limb ends seen from `sources`, longest first.
pub fn limb_ends(voxels: &VoxelVolume, sources: &[usize]) -> Vec<LimbEnd> {
    let distance = voxels.grid.geodesic(&voxels.filled, sources);
    merge_tree(&voxels.grid, &distance, SHORTEST)
}

/// The ends of all limbs at least as long as `shortest` in a field of path lengths, longest first.
pub fn merge_tree(grid: &Grid, distance: &[u32], shortest: f64) -> Vec<LimbEnd> {
    let reached: Vec<u32> =
        (0..distance.len() as u32).filter(|&cell| distance[cell as usize] != UNREACHED).collect();
    let highest = reached.iter().map(|&cell| distance[cell as usize]).max().unwrap_or(0);
    let falling = reached.iter().map(|&cell| highest - distance[cell as usize]);
    let levels = Buckets::new(highest as usize + 1, falling);

    let mut member_of = vec![u32::MAX; distance.len()];
    let mut sets = DisjointSets::new(reached.len());
    // The highest voxel of each set, under its representative.
    let mut peak: Vec<u32> = (0..reached.len() as u32).collect();
    // Peaks with the voxel at which they met a higher one, and that one.
    let mut ended: Vec<(u32, Option<[u32; 2]>)> = Vec::new();
    let neighbours = neighbour_steps(grid.size);
    for group in levels.iter() {
        for &member in group {
            let cell = reached[member as usize] as usize;
            member_of[cell] = member;
            let mut a = member;
            for step in neighbours {
                let other = member_of[cell.wrapping_add_signed(step)];
                if other == u32::MAX {
                    continue;
                }
                let b = sets.find(other).0;
                if a == b {
                    continue;
                }
                let (pa, pb) = (peak[a as usize], peak[b as usize]);
                let [rank_a, rank_b] =
                    [pa, pb].map(|peak| rank(grid, distance, reached[peak as usize] as usize));
                let (high, low) = if rank_a >= rank_b { (pa, pb) } else { (pb, pa) };
                ended.push((low, Some([member, high])));
                sets.union(a, b);
                a = sets.find(a).0;
                peak[a as usize] = high;
            }
        }
    }
    if let Some(top) = (!reached.is_empty()).then(|| sets.find(0).0) {
        ended.push((peak[top as usize], None));
    }
    let to_heights = grid.voxel / STEPS_PER_CELL;
    let ends = ended.into_iter().map(|(peak, met)| {
        let [saddle, into] = [0, 1].map(|which| met.map(|met| reached[met[which] as usize] as usize));
        let cell = reached[peak as usize] as usize;
        let level = saddle.map_or(0, |saddle| distance[saddle]);
        let length = f64::from(distance[cell] - level) * to_heights;
        LimbEnd { cell, position: grid.center(cell), length, saddle, into }
    });
    let mut ends: Vec<LimbEnd> = ends.filter(|end| end.length >= shortest).collect();
    ends.sort_by(|a, b| b.length.total_cmp(&a.length).then(a.cell.cmp(&b.cell)));
    ends
}

/// Order of peaks: by distance, then the outermost, so that mirror images have mirrored peaks.
fn rank(grid: &Grid, distance: &[u32], cell: usize) -> (u32, u32, usize, usize) {
    let [_, y, z] = grid.coordinates(cell);
    (distance[cell], (grid.center(cell).x.abs() / grid.voxel).round() as u32, y, z)
}

/// Steps in cell numbers to all 26 neighbours.
pub fn neighbour_steps(size: [usize; 3]) -> [isize; 26] {
    let (row, layer) = (size[0] as isize, (size[0] * size[2]) as isize);
    let mut steps = [0; 26];
    let all = (0..27isize).filter(|&k| k != 13);
    for (step, k) in steps.iter_mut().zip(all) {
        *step = (k % 3 - 1) + row * (k / 3 % 3 - 1) + layer * (k / 9 - 1);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_y_has_three_ends_with_the_lengths_of_its_arms() {
        let grid = Grid { size: [90, 90, 9], origin: Vec3::zeros(), voxel: 0.01 };
        let joint = Vec3::new(0.45, 0.45, 0.045);
        let arms = [
            (Vec3::new(0.45, 0.05, 0.045), 0.4),
            (Vec3::new(0.8, 0.45, 0.045), 0.35),
            (Vec3::new(0.45, 0.65, 0.045), 0.2),
        ];
        let near = |point: &Vec3, end: &Vec3| {
            let t = ((point - joint).dot(&(end - joint)) / (end - joint).norm_squared()).clamp(0.0, 1.0);
            (point - joint - (end - joint) * t).norm() < 0.02
        };
        let filled =
            (0..grid.cells()).map(|cell| arms.iter().any(|(end, _)| near(&grid.center(cell), end))).collect();
        let voxels = VoxelVolume {
            grid,
            filled,
            origin_unit: Vec3::zeros(),
            height_unit: 1.0,
            kept: 1.0,
            mirror_overlap: 1.0,
        };
        let source = voxels.grid.index([45, 45, 4]);
        let ends = limb_ends(&voxels, &[source]);
        assert_eq!(ends.len(), 3);
        for (end, (position, length)) in ends.iter().zip(arms) {
            assert!((end.position - position).norm() < 0.04, "{end:?}");
            assert!((end.length - length).abs() < 0.05, "{end:?}");
        }
    }
}
