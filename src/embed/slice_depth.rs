//! How deep the cells of a slice are inside it.
//!
//! Exact, one axis after the other: Felzenszwalb & Huttenlocher 2012, "Distance Transforms of Sampled Functions".

use super::grid::Grid;
use crate::math::square;

/// Square of the distance from every cell of slice `y` to the nearest one of that slice outside `filled`, in cells.
pub fn squared_depth(grid: &Grid, filled: &[bool], y: usize) -> Vec<f32> {
    let [nx, _, nz] = grid.size;
    let far = (nx * nx + nz * nz) as f32;
    let mut squared: Vec<f32> =
        filled[grid.slice(y)].iter().map(|&full| if full { far } else { 0.0 }).collect();
    Parabolas::default().transform_slice(&mut squared, nx);
    squared
}

/// The lower envelope of parabolas, one rooted at each sample.
#[derive(Default)]
struct Parabolas {
    roots: Vec<usize>,
    starts: Vec<f32>,
    values: Vec<f32>,
}

impl Parabolas {
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
    use crate::math::Vec3;

    #[test]
    fn depth_equals_the_dense_answer() {
        let grid = Grid { size: [7, 8, 9], origin: Vec3::zeros(), voxel: 1.0 };
        let filled: Vec<bool> = (0..grid.cells()).map(|cell| (cell * 7919) % 11 > 2).collect();
        for y in 0..grid.size[1] {
            let depth = squared_depth(&grid, &filled, y);
            for (a, &found) in grid.slice(y).zip(&depth) {
                let nearest = grid
                    .slice(y)
                    .filter(|&b| !filled[b])
                    .map(|b| (grid.center(a) - grid.center(b)).norm_squared())
                    .fold(f64::INFINITY, f64::min);
                assert_eq!(f64::from(found), nearest);
            }
        }
    }
}
