//! A box of cubic cells, and the few operations on sets of cells that the shape is read with.

use crate::math::{DisjointSets, Vec3, square};
use rayon::prelude::*;
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

    /// The number of the cell at these places along x, y and z.
    pub fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.size[0] * (z + self.size[2] * y)
    }

    /// The places along x, y and z of a cell.
    pub fn place(&self, index: usize) -> [usize; 3] {
        // Half the time of dividing words of 64 bits, and grids are far smaller.
        let (index, width, depth) = (index as u32, self.size[0] as u32, self.size[2] as u32);
        let row = index / width;
        [(index % width) as usize, (row / depth) as usize, (row % depth) as usize]
    }

    /// The middle of a cell.
    pub fn center(&self, index: usize) -> Vec3 {
        let [x, y, z] = self.place(index);
        self.origin + Vec3::new(x as f64 + 0.5, y as f64 + 0.5, z as f64 + 0.5) * self.voxel
    }

    /// The cells of the slice at place `y`.
    pub fn slice(&self, y: usize) -> Range<usize> {
        let layer = self.size[0] * self.size[2];
        y * layer..(y + 1) * layer
    }

    /// The place along y of a height, inside the grid.
    pub fn row_at(&self, y: f64) -> usize {
        (((y - self.origin.y) / self.voxel).floor().max(0.0) as usize).min(self.size[1] - 1)
    }

    /// The height of the middle of a slice.
    pub fn height_of(&self, row: usize) -> f64 {
        self.origin.y + (row as f64 + 0.5) * self.voxel
    }

    /// Steps in cell numbers to the six neighbours that share a face.
    pub fn face_steps(&self) -> [isize; 6] {
        let (row, layer) = (self.size[0] as isize, (self.size[0] * self.size[2]) as isize);
        [-1, 1, -row, row, -layer, layer]
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

    /// The cells that a path over shared faces through cells that are not `blocked` reaches from the corner of the box.
    pub fn outside(&self, blocked: &[bool]) -> Mask {
        let pieces = self.pieces_where(blocked, false, 0);
        let mut outside = vec![false; self.cells()];
        pieces.fill(0, &mut outside);
        outside
    }

    /// The connected pieces of `filled` (26 neighbours).
    pub fn pieces(&self, filled: &[bool]) -> Pieces {
        self.pieces_where(filled, true, 1)
    }

    /// The pieces of the cells with `value`. Runs along x are connected if they share a face, or with a `reach` of 1
    /// also an edge or a corner.
    fn pieces_where(&self, mask: &[bool], value: bool, reach: u32) -> Pieces {
        let runs = Runs::of(mask, self.size[0], value);
        let mut sets = DisjointSets::new(runs.ranges.len());
        let depth = self.size[2];
        for row in 0..runs.rows() {
            let (y, z) = (row / depth, row % depth);
            if z > 0 {
                runs.connect(row, row - 1, reach, &mut sets);
            }
            if y > 0 {
                let below = row - depth;
                runs.connect(row, below, reach, &mut sets);
                if reach > 0 && z > 0 {
                    runs.connect(row, below - 1, reach, &mut sets);
                }
                if reach > 0 && z + 1 < depth {
                    runs.connect(row, below + 1, reach, &mut sets);
                }
            }
        }
        let (piece_of, count) = sets.labels();
        let mut sizes = vec![0; count];
        for (range, &piece) in runs.ranges.iter().zip(&piece_of) {
            sizes[piece as usize] += (range[1] - range[0]) as usize;
        }
        Pieces { runs, piece_of, sizes }
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

    /// Square of the distance from every cell of a slice to the nearest one of that slice outside `filled`, in cells.
    pub fn squared_depth_in_slice(&self, filled: &[bool], y: usize) -> Vec<f32> {
        let [nx, _, nz] = self.size;
        let far = (nx * nx + nz * nz) as f32;
        let mut squared: Vec<f32> =
            filled[self.slice(y)].iter().map(|&full| if full { far } else { 0.0 }).collect();
        Envelope::default().transform_slice(&mut squared, nx);
        squared
    }

    /// Square of the distance from every cell to the nearest cell outside `filled`, in cells.
    ///
    /// Exact, one axis after the other: Felzenszwalb & Huttenlocher 2012, Distance transforms of sampled functions.
    pub fn squared_depth(&self, filled: &[bool]) -> Vec<f32> {
        let [nx, ny, nz] = self.size;
        let far = (nx * nx + ny * ny + nz * nz) as f32;
        let mut squared: Vec<f32> = filled.iter().map(|&full| if full { far } else { 0.0 }).collect();
        // x and z inside each slice, then y over columns of one z.
        squared.par_chunks_mut(nx * nz).for_each(|slice| Envelope::default().transform_slice(slice, nx));
        let columns: Vec<Vec<f32>> = (0..nz)
            .into_par_iter()
            .map(|z| {
                let mut envelope = Envelope::default();
                let mut wall = vec![0.0; nx * ny];
                for x in 0..nx {
                    let line = &mut wall[x * ny..(x + 1) * ny];
                    for y in 0..ny {
                        line[y] = squared[x + nx * (z + nz * y)];
                    }
                    envelope.transform(line);
                }
                wall
            })
            .collect();
        squared.par_chunks_mut(nx * nz).enumerate().for_each(|(y, slice)| {
            for z in 0..nz {
                for x in 0..nx {
                    slice[x + nx * z] = columns[z][x * ny + y];
                }
            }
        });
        squared
    }
}

/// Connected sets of cells.
pub struct Pieces {
    runs: Runs,
    /// The piece of each run.
    piece_of: Vec<u32>,
    /// How many cells each piece has.
    pub sizes: Vec<usize>,
}

impl Pieces {
    /// Sets the cells of one piece.
    pub fn fill(&self, piece: u32, mask: &mut [bool]) {
        for row in 0..self.runs.rows() {
            let start = row * self.runs.width;
            for run in self.runs.of_row(row).filter(|&run| self.piece_of[run] == piece) {
                let [from, to] = self.runs.ranges[run];
                mask[start + from as usize..start + to as usize].fill(true);
            }
        }
    }
}

/// Cells of one value in a row along x: far fewer than cells, so that pieces are found in a fraction of the time
/// of a flood fill.
struct Runs {
    width: usize,
    /// First place along x, and the one after the last.
    ranges: Vec<[u32; 2]>,
    /// The first run of each row, and the end.
    first: Vec<usize>,
}

impl Runs {
    fn of(mask: &[bool], width: usize, value: bool) -> Runs {
        let (mut ranges, mut first) = (Vec::new(), vec![0]);
        for row in mask.chunks(width) {
            let mut x = 0;
            while let Some(start) = row[x..].iter().position(|&full| full == value) {
                let start = x + start;
                x = row[start..]
                    .iter()
                    .position(|&full| full != value)
                    .map_or(width, |length| start + length);
                ranges.push([start as u32, x as u32]);
            }
            first.push(ranges.len());
        }
        Runs { width, ranges, first }
    }

    fn rows(&self) -> usize {
        self.first.len() - 1
    }

    fn of_row(&self, row: usize) -> Range<usize> {
        self.first[row]..self.first[row + 1]
    }

    /// Unites the runs of two rows that overlap, or come within `reach` of it.
    fn connect(&self, row: usize, other: usize, reach: u32, sets: &mut DisjointSets) {
        let (mut a, mut b) = (self.first[row], self.first[other]);
        while a < self.first[row + 1] && b < self.first[other + 1] {
            let (left, right) = (self.ranges[a], self.ranges[b]);
            if left[0] < right[1] + reach && right[0] < left[1] + reach {
                sets.union(a as u32, b as u32);
            }
            if left[1] < right[1] {
                a += 1;
            } else {
                b += 1;
            }
        }
    }
}

/// Units of [`Grid::geodesic`] in the side of a cell. Steps of 12, 17 and 21 are 1, √2 and √3 within 1.1 %.
pub const STEPS_PER_CELL: f64 = 12.0;

/// The geodesic distance of cells that no path reaches.
pub const UNREACHED: u32 = u32::MAX;

/// The lower envelope of parabolas, one rooted at each sample.
#[derive(Default)]
struct Envelope {
    roots: Vec<usize>,
    starts: Vec<f32>,
    values: Vec<f32>,
}

impl Envelope {
    /// Transforms the rows and then the columns of a slice.
    fn transform_slice(&mut self, slice: &mut [f32], width: usize) {
        for row in slice.chunks_mut(width) {
            self.transform(row);
        }
        let depth = slice.len() / width;
        let mut line = vec![0.0; depth];
        for x in 0..width {
            for z in 0..depth {
                line[z] = slice[x + width * z];
            }
            self.transform(&mut line);
            for z in 0..depth {
                slice[x + width * z] = line[z];
            }
        }
    }

    /// Replaces each value f(q) by the smallest f(p) + (p − q)².
    fn transform(&mut self, line: &mut [f32]) {
        if line.iter().all(|&value| value == 0.0) {
            return;
        }
        self.values.clear();
        self.values.extend_from_slice(line);
        self.roots.clear();
        self.starts.clear();
        let f = &self.values;
        for q in 0..f.len() {
            let mut start = f32::NEG_INFINITY;
            while let Some(&p) = self.roots.last() {
                start = ((f[q] + (q * q) as f32) - (f[p] + (p * p) as f32)) / (2 * (q - p)) as f32;
                if start > *self.starts.last().unwrap_or(&f32::NEG_INFINITY) {
                    break;
                }
                self.roots.pop();
                self.starts.pop();
                start = f32::NEG_INFINITY;
            }
            self.roots.push(q);
            self.starts.push(start);
        }
        let mut k = 0;
        for (q, value) in line.iter_mut().enumerate() {
            while k + 1 < self.roots.len() && self.starts[k + 1] < q as f32 {
                k += 1;
            }
            let p = self.roots[k];
            *value = square((q as f32) - (p as f32)) + f[p];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball(radius: f64) -> (Grid, Mask) {
        let side = 2 * radius.ceil() as usize + 2 * PADDING + 1;
        let grid = Grid { size: [side, side, side], origin: Vec3::repeat(-(side as f64) / 2.0), voxel: 1.0 };
        let filled = (0..grid.cells()).map(|cell| grid.center(cell).norm() <= radius).collect();
        (grid, filled)
    }

    #[test]
    fn cells_are_numbered_and_found_again() {
        let grid = Grid { size: [4, 5, 6], origin: Vec3::new(-1.0, 2.0, 0.0), voxel: 0.5 };
        for index in 0..grid.cells() {
            let place = grid.place(index);
            assert_eq!(grid.index(place), index);
            assert!(grid.slice(place[1]).contains(&index));
            assert_eq!(grid.row_at(grid.center(index).y), place[1]);
        }
    }

    #[test]
    fn depth_of_a_ball_falls_with_the_radius() {
        let (grid, filled) = ball(9.0);
        let depth = grid.squared_depth(&filled);
        for cell in (0..grid.cells()).filter(|&cell| filled[cell]) {
            let expected = 9.5 - grid.center(cell).norm();
            assert!((f64::from(depth[cell]).sqrt() - expected).abs() < 0.9);
        }
    }

    #[test]
    fn depth_equals_the_dense_answer() {
        let grid = Grid { size: [7, 8, 9], origin: Vec3::zeros(), voxel: 1.0 };
        let filled: Mask = (0..grid.cells()).map(|cell| (cell * 7919) % 11 > 2).collect();
        let depth = grid.squared_depth(&filled);
        for (a, &found) in depth.iter().enumerate() {
            let nearest = (0..grid.cells())
                .filter(|&b| !filled[b])
                .map(|b| (grid.center(a) - grid.center(b)).norm_squared())
                .fold(f64::INFINITY, f64::min);
            assert_eq!(f64::from(found), nearest);
        }
    }

    #[test]
    fn geodesic_goes_around_a_wall() {
        let grid = Grid { size: [11, 7, 11], origin: Vec3::zeros(), voxel: 1.0 };
        // One layer with a wall from z = 3 on between the two halves.
        let filled: Mask = (0..grid.cells())
            .map(|cell| {
                let [x, y, z] = grid.place(cell);
                y == 3 && (1..10).contains(&x) && (1..10).contains(&z) && (x != 5 || z < 3)
            })
            .collect();
        let distance = grid.geodesic(&filled, &[grid.index([4, 3, 8])]);
        // Six cells back to z = 2 (one of them slantwise), and six to z = 8 again.
        assert_eq!(distance[grid.index([6, 3, 8])], 2 * (5 * 12 + 17));
        assert_eq!(distance[0], UNREACHED);
    }

    #[test]
    fn a_hollow_ball_has_an_inside_and_pieces_are_counted() {
        let (grid, filled) = ball(8.0);
        let depth = grid.squared_depth(&filled);
        let shell: Mask = depth.iter().map(|&d| d > 0.0 && d <= 4.0).collect();
        let outside = grid.outside(&shell);
        let solid = outside.iter().filter(|&&out| !out).count();
        assert_eq!(solid, filled.iter().filter(|&&full| full).count());
        let core: Mask = depth.iter().map(|&d| d > 16.0).collect();
        let both: Mask = (0..grid.cells()).map(|cell| shell[cell] || core[cell]).collect();
        assert_eq!(grid.pieces(&both).sizes.len(), 2);
    }
}
