//! A box of cubic cells, and paths through sets of cells.

use crate::math::Vec3;
use std::ops::Range;

/// Cells around the shape that stay empty, so that a neighbour of a filled cell always exists.
pub const PADDING: usize = 3;

/// Where the cells are. Cells are numbered along x first, then z, then y: a horizontal slice is one range.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Cells along x, y and z.
    pub size: [usize; 3],
    /// The corner of the first cell.
    pub origin: Vec3,
    /// Side of a cell.
    pub voxel: f64,
}

/// One value for each cell.
pub type Mask = Vec<bool>;

impl Grid {
    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.size[0] * self.size[1] * self.size[2]
    }

    /// The number of the cell at these coordinates.
    pub fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.size[0] * (z + self.size[2] * y)
    }

    /// The coordinates of a cell along x, y and z, in cells.
    pub fn coordinates(&self, index: usize) -> [usize; 3] {
        // Half the time of dividing words of 64 bits, and grids are far smaller.
        let (index, width, depth) = (index as u32, self.size[0] as u32, self.size[2] as u32);
        let row = index / width;
        [(index % width) as usize, (row / depth) as usize, (row % depth) as usize]
    }

    /// The middle of a cell.
    pub fn center(&self, index: usize) -> Vec3 {
        let [x, y, z] = self.coordinates(index);
        self.origin + Vec3::new(x as f64 + 0.5, y as f64 + 0.5, z as f64 + 0.5) * self.voxel
    }

    /// The cells of slice `y`.
    pub fn slice(&self, y: usize) -> Range<usize> {
        let layer = self.size[0] * self.size[2];
        y * layer..(y + 1) * layer
    }

    /// The slice at a height, inside the grid.
    pub fn row_at(&self, y: f64) -> usize {
        (((y - self.origin.y) / self.voxel).floor().max(0.0) as usize).min(self.size[1] - 1)
    }

    /// The height of the middle of a slice.
    pub fn height_of(&self, row: usize) -> f64 {
        self.origin.y + (row as f64 + 0.5) * self.voxel
    }

    /// Steps to all 26 neighbours with their lengths in [`STEPS_PER_CELL`]ths of a cell.
    fn all_steps(&self) -> Vec<(isize, u32)> {
        let (row, layer) = (self.size[0] as isize, (self.size[0] * self.size[2]) as isize);
        let mut steps = Vec::with_capacity(26);
        for y in -1..=1isize {
            for z in -1..=1isize {
                for x in -1..=1isize {
                    let length = [0, 12, 17, 21][(x.abs() + y.abs() + z.abs()) as usize];
                    if length > 0 {
                        steps.push((x + row * z + layer * y, length));
                    }
                }
            }
        }
        steps
    }

    /// Length of the shortest path inside `filled` from the nearest of the `sources` to every cell, over 26 neighbours, in
    /// [`STEPS_PER_CELL`]ths of a cell; [`UNREACHED`] where there is none.
    ///
    /// Dijkstra's method with a ring of buckets (Dial 1969): lengths are small whole numbers.
    pub fn geodesic(&self, filled: &[bool], sources: &[usize]) -> Vec<u32> {
        const LONGEST_STEP: usize = 21;
        let steps = self.all_steps();
        let mut distance = vec![UNREACHED; filled.len()];
        let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); LONGEST_STEP + 1];
        for &source in sources {
            distance[source] = 0;
            buckets[0].push(source as u32);
        }
        let (mut level, mut idle) = (0u32, 0);
        while idle <= LONGEST_STEP {
            let bucket = level as usize % buckets.len();
            let cells = std::mem::take(&mut buckets[bucket]);
            idle = if cells.is_empty() { idle + 1 } else { 0 };
            for cell in cells {
                if distance[cell as usize] != level {
                    continue;
                }
                for &(step, length) in &steps {
                    let next = (cell as usize).wrapping_add_signed(step);
                    let length = level + length;
                    if filled[next] && length < distance[next] {
                        distance[next] = length;
                        let bucket = length as usize % buckets.len();
                        buckets[bucket].push(next as u32);
                    }
                }
            }
            level += 1;
        }
        distance
    }
}

/// Units of [`Grid::geodesic`] in the side of a cell. Steps of 12, 17 and 21 are 1, √2 and √3 within 1.1 %.
pub const STEPS_PER_CELL: f64 = 12.0;

/// The geodesic distance of cells that no path reaches.
pub const UNREACHED: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_numbered_and_found_again() {
        let grid = Grid { size: [4, 5, 6], origin: Vec3::new(-1.0, 2.0, 0.0), voxel: 0.5 };
        for index in 0..grid.cells() {
            let coordinates = grid.coordinates(index);
            assert_eq!(grid.index(coordinates), index);
            assert!(grid.slice(coordinates[1]).contains(&index));
            assert_eq!(grid.row_at(grid.center(index).y), coordinates[1]);
        }
    }

    #[test]
    fn geodesic_goes_around_a_wall() {
        let grid = Grid { size: [11, 7, 11], origin: Vec3::zeros(), voxel: 1.0 };
        // One layer with a wall from z = 3 on between the two halves.
        let filled: Mask = (0..grid.cells())
            .map(|cell| {
                let [x, y, z] = grid.coordinates(cell);
                y == 3 && (1..10).contains(&x) && (1..10).contains(&z) && (x != 5 || z < 3)
            })
            .collect();
        let distance = grid.geodesic(&filled, &[grid.index([4, 3, 8])]);
        // Six cells back to z = 2 (one of them slantwise), and six to z = 8 again.
        assert_eq!(distance[grid.index([6, 3, 8])], 2 * (5 * 12 + 17));
        assert_eq!(distance[0], UNREACHED);
    }
}
