//! Connected sets of cells.

use super::grid::{Grid, Mask};
use crate::math::DisjointSets;
use std::ops::Range;

/// Connected sets of cells.
pub struct Pieces {
    runs: Runs,
    /// The piece of each run.
    piece_of: Vec<u32>,
    /// How many cells each piece has.
    pub sizes: Vec<usize>,
}

/// Which cells are neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Neighbours {
    /// The 6 that share a face.
    Faces,
    /// The 26 that share a face, an edge or a corner.
    All,
}

/// The cells that a path over shared faces through cells that are not `blocked` reaches from the corner of the box.
pub fn outside(grid: &Grid, blocked: &[bool]) -> Mask {
    let pieces = Pieces::of_runs(grid, Runs::of(blocked, grid.size[0], |full| !full), Neighbours::Faces);
    let mut outside = vec![false; grid.cells()];
    pieces.fill(0, &mut outside);
    outside
}

impl Pieces {
    /// The connected pieces of `filled`, over 26 neighbours.
    pub fn of(grid: &Grid, filled: &[bool]) -> Pieces {
        Pieces::of_runs(grid, Runs::of(filled, grid.size[0], |full| full), Neighbours::All)
    }

    fn of_runs(grid: &Grid, runs: Runs, neighbours: Neighbours) -> Pieces {
        let mut sets = DisjointSets::new(runs.ranges.len());
        let depth = grid.size[2];
        for row in 0..runs.rows() {
            let (y, z) = (row / depth, row % depth);
            if z > 0 {
                runs.connect(row, row - 1, neighbours, &mut sets);
            }
            if y > 0 {
                let below = row - depth;
                runs.connect(row, below, neighbours, &mut sets);
                if neighbours == Neighbours::All && z > 0 {
                    runs.connect(row, below - 1, neighbours, &mut sets);
                }
                if neighbours == Neighbours::All && z + 1 < depth {
                    runs.connect(row, below + 1, neighbours, &mut sets);
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

/// Cells in a row along x: far fewer than cells, so that pieces are found in a fraction of the time
/// of a flood fill.
struct Runs {
    width: usize,
    /// First x, and the one after the last.
    ranges: Vec<[u32; 2]>,
    /// The first run of each row, and the end.
    first: Vec<usize>,
}

impl Runs {
    fn of(mask: &[bool], width: usize, is_in: impl Fn(bool) -> bool) -> Runs {
        let (mut ranges, mut first) = (Vec::new(), vec![0]);
        for row in mask.chunks(width) {
            let mut x = 0;
            while let Some(start) = row[x..].iter().position(|&full| is_in(full)) {
                let start = x + start;
                x = row[start..].iter().position(|&full| !is_in(full)).map_or(width, |length| start + length);
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

    /// Unites the runs of two rows that are neighbours.
    fn connect(&self, row: usize, other: usize, neighbours: Neighbours, sets: &mut DisjointSets) {
        let reach = u32::from(neighbours == Neighbours::All);
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

#[cfg(test)]
mod tests {
    use super::super::grid::PADDING;
    use super::*;
    use crate::math::Vec3;

    #[test]
    fn a_hollow_ball_has_an_inside_and_pieces_are_counted() {
        let side = 16 + 2 * PADDING + 1;
        let grid = Grid { size: [side, side, side], origin: Vec3::repeat(-(side as f64) / 2.0), voxel: 1.0 };
        let within = |least: f64, most: f64| -> Mask {
            (0..grid.cells()).map(|cell| (least..=most).contains(&grid.center(cell).norm())).collect()
        };
        let (shell, core, ball) = (within(6.0, 8.0), within(0.0, 4.0), within(0.0, 8.0));
        let inside = outside(&grid, &shell).iter().filter(|&&out| !out).count();
        assert_eq!(inside, ball.iter().filter(|&&full| full).count());
        let both: Mask = (0..grid.cells()).map(|cell| shell[cell] || core[cell]).collect();
        assert_eq!(Pieces::of(&grid, &both).sizes.len(), 2);
    }
}
