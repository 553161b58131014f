//! The floor: soft shadows and a grid.
//!
//! The scene is dropped along the key light onto the floor; each cell remembers the lowest thing above it. Low things
//! cast a sharp shadow and high ones a soft one: the cells are sorted into layers by height, and each layer is
//! blurred by a radius that grows with its height. That is not exact, but contact looks like contact.

use super::camera::View;
use super::raster::{Batch, Grid, NOTHING, Plan, Points, Seen};
use super::scene::{Ground, Scene};
use super::shade::key_direction;
use crate::math::{Bounds, Vec3, exp};
use nalgebra::Point3;
use rayon::prelude::*;

/// Upper end of each layer, blur radius (both in parts of the scene's height) and share of the shadow.
const LAYERS: [(f64, f64, f32); 4] =
    [(0.04, 0.022, 0.40), (0.12, 0.045, 0.28), (0.40, 0.09, 0.20), (f64::INFINITY, 0.16, 0.16)];
/// How fast overlapping layers reach full darkness. With 1 small feet cast hardly a shadow, as the blur thins it out;
/// above 4 the soft rims vanish.
const DENSITY: f32 = 3.5;
/// Cells for the height of the scene. The sharpest blur is about one cell; more cells cost time and show nothing.
const CELLS_PER_HEIGHT: f64 = 96.0;
/// Most cells along a side, for scenes that are very wide.
const MOST_CELLS: f64 = 1024.0;
/// The steepest slope of the light that casts shadows, as run over rise. A lower light would draw shadows out of the
/// image.
const MOST_SLANT: f64 = 0.7;

/// The grid fades out between these distances from the middle, in parts of the scene's diagonal.
const GRID_FADE: [f64; 2] = [0.6, 1.6];
const GRID_COLOR: [f32; 3] = [0.16, 0.18, 0.22];
const GRID_ALPHA: f32 = 0.28;
/// Width of a grid line in pixels.
const GRID_LINE: f32 = 1.2;

/// A ground as one view sees it.
pub(super) struct SeenGround {
    ground: Ground,
    view: View,
    /// Samples along the side of a pixel.
    samples: f64,
    shadow: Option<Shadow>,
    middle: Vec3,
    diagonal: f64,
}

impl SeenGround {
    pub fn new(ground: Ground, scene: &Scene, view: View, samples: f64) -> SeenGround {
        let mut bounds = Bounds::EMPTY;
        for own in scene.surfaces.iter().map(|surface| surface.bounds()).filter(|own| !own.is_empty()) {
            bounds.grow(&own.min);
            bounds.grow(&own.max);
        }
        if bounds.is_empty() {
            // Overlays alone on a floor.
            scene.overlays.iter().flat_map(|overlay| overlay.shape.ends()).for_each(|end| bounds.grow(&end));
        }
        let casts = ground.shadow > 0.0 && bounds.max.y > ground.height;
        SeenGround {
            shadow: casts.then(|| Shadow::new(&ground, scene, &bounds, &key_direction(&view))),
            middle: bounds.center(),
            diagonal: bounds.diagonal().max(f64::MIN_POSITIVE),
            ground,
            view,
            samples,
        }
    }

    /// What the floor lays over the background along a row of the image, in the middles of its pixels: linear colour
    /// times alpha, and alpha. `row` counts samples.
    pub fn row(&self, row: f64, floor: &mut [[f32; 4]]) {
        // Along a row both the start and the direction of the rays are straight lines. Measured from the middle of the
        // scene, `f32` is exact to a thousandth of a pixel wherever the grid is still visible.
        let pixel = self.samples;
        let (start, along) = self.view.ray(0.5 * pixel, row);
        let (next_start, next_along) = self.view.ray(1.5 * pixel, row);
        let (below_start, below_along) = self.view.ray(0.5 * pixel, row + pixel);
        let origin = Vec3::new(self.middle.x, self.ground.height, self.middle.z);
        let narrow = |v: Vec3| -> [f32; 3] { v.cast().into() };
        let (from, way) = (narrow(start - origin), narrow(along));
        let (from_step, way_step) = (narrow(next_start - start), narrow(next_along - along));
        let (from_down, way_down) = (narrow(below_start - start), narrow(below_along - along));
        let is_parallel = self.view.near() == 0.0;
        let phase =
            self.ground.grid.map(|spacing| [origin.x, origin.z].map(|x| (x / spacing).fract() as f32));
        let spacing = self.ground.grid.unwrap_or(1.0) as f32;
        let [fade_from, fade_to] = GRID_FADE.map(|distance| (distance * self.diagonal) as f32);
        let reach = if phase.is_some() { fade_to * fade_to } else { 0.0 };
        for (column, floor) in floor.iter_mut().enumerate() {
            *floor = [0.0; 4];
            let column = column as f32;
            let from = [0, 1, 2].map(|axis| from[axis] + from_step[axis] * column);
            let way = [0, 1, 2].map(|axis| way[axis] + way_step[axis] * column);
            let t = -from[1] / way[1];
            // Parallel rays start anywhere; those of a lens go forwards only, and a floor seen from below is not there.
            if !(way[1] < -1e-6 && (is_parallel || t > 0.0) && t.is_finite()) {
                continue;
            }
            let place = [from[0] + way[0] * t, from[2] + way[2] * t];
            let dark = self.shadow.as_ref().map_or(0.0, |shadow| shadow.at(place)) * self.ground.shadow;
            let mut line = 0.0;
            let squared = place[0] * place[0] + place[1] * place[1];
            if let Some(phase) = phase.filter(|_| squared < reach) {
                // How far one pixel reaches across the lines, by the derivatives of `place`.
                let change = |from_change: [f32; 3], way_change: [f32; 3]| {
                    let t_change = -(from_change[1] + way_change[1] * t) / way[1];
                    [0, 2].map(|axis| from_change[axis] + way_change[axis] * t + way[axis] * t_change)
                };
                let (across, down) = (change(from_step, way_step), change(from_down, way_down));
                let cover = |axis: usize| {
                    let pixel = across[axis].abs().max(down[axis].abs());
                    let lines = place[axis] / spacing + phase[axis];
                    let to_line = (lines - (lines + 0.5).floor()).abs() * spacing;
                    let near = (0.5 * (GRID_LINE + 1.0) - to_line / pixel).clamp(0.0, 1.0);
                    // Lines closer than their own width are a haze and then nothing.
                    near * (spacing / (GRID_LINE * pixel) * 0.25).clamp(0.0, 1.0)
                };
                let fade = 1.0 - ((squared.sqrt() - fade_from) / (fade_to - fade_from)).clamp(0.0, 1.0);
                line = cover(0).max(cover(1)) * fade * fade * GRID_ALPHA;
            }
            let under = line * (1.0 - dark);
            let [r, g, b] = GRID_COLOR.map(|c| c * under);
            *floor = [r, g, b, dark + under];
        }
    }
}

/// How much of the light each cell of the floor misses.
struct Shadow {
    columns: usize,
    rows: usize,
    cells_per_unit: f32,
    /// Measured from the middle of the scene.
    corner: [f32; 2],
    dark: Vec<f32>,
}

impl Shadow {
    fn new(ground: &Ground, scene: &Scene, bounds: &Bounds, key: &Vec3) -> Shadow {
        let height = bounds.max.y - ground.height;
        let flat = key.xz().norm();
        let slant = (flat / key.y.max(1e-9)).min(MOST_SLANT) / flat.max(1e-9);
        let dropped = |point: &Vec3| {
            let rise = (point.y - ground.height).max(0.0);
            [point.x - key.x * slant * rise, point.z - key.z * slant * rise]
        };
        // The box of the shadow is that of the scene, drawn out along the light, and the widest blur.
        let (mut min, mut max) = (bounds.min.xz(), bounds.max.xz());
        for top in [Vec3::new(min.x, bounds.max.y, min.y), Vec3::new(max.x, bounds.max.y, max.y)] {
            let end = nalgebra::Vector2::from(dropped(&top));
            (min, max) = (min.inf(&end), max.sup(&end));
        }
        let border = 2.0 * LAYERS[LAYERS.len() - 1].1 * height;
        let size = (max - min).add_scalar(2.0 * border);
        let cell = (height / CELLS_PER_HEIGHT).max(size.max() / MOST_CELLS);
        let corner = [min.x - border, min.y - border];
        let [columns, rows] = [size.x, size.y].map(|side| (side / cell).ceil().max(1.0) as usize);

        let grid = Grid { columns, rows, band_rows: 32 };
        let mut lowest = vec![Seen::EMPTY; columns * rows];
        for surface in &scene.surfaces {
            let fall = |position: &Vec3| {
                let point = (surface.world_from_own * Point3::from(*position)).coords;
                let [x, z] = dropped(&point);
                [(x - corner[0]) / cell, (z - corner[1]) / cell, -(point.y - ground.height).max(0.0), 1.0]
            };
            let points = &Points::new(surface.positions.par_iter().map(fall).collect(), 0.0);
            let triangles = surface.triangles;
            let batch = Batch { points, triangles, first: 0, one_sided: false, tested: false };
            let plan = Plan::new(grid, 0.0, &[batch]);
            lowest
                .par_chunks_mut(columns * grid.band_rows)
                .enumerate()
                .for_each(|(band, samples)| _ = plan.draw(band, samples, |_, _, _| true));
        }
        let layers = LAYERS.par_iter().map(|&(below, radius, share)| {
            let covers =
                |seen: &Seen| seen.triangle != NOTHING && f64::from(-seen.nearness) <= below * height;
            let mut layer: Vec<f32> =
                lowest.iter().map(|seen| if covers(seen) { share } else { 0.0 }).collect();
            blur(&mut layer, columns, rows, radius * height / cell);
            layer
        });
        let layers: Vec<Vec<f32>> = layers.collect();
        let total = |cell: usize| layers.iter().map(|layer| layer[cell]).sum::<f32>();
        let dark =
            (0..columns * rows).map(|cell| 1.0 - exp(f64::from(-DENSITY * total(cell))) as f32).collect();
        let middle = bounds.center();
        let corner = [(corner[0] - middle.x) as f32, (corner[1] - middle.z) as f32];
        Shadow { columns, rows, cells_per_unit: (1.0 / cell) as f32, corner, dark }
    }

    /// The darkness at a point of the floor, measured from the middle of the scene, between cells.
    fn at(&self, place: [f32; 2]) -> f32 {
        let [x, z] = [0, 1].map(|axis| (place[axis] - self.corner[axis]) * self.cells_per_unit - 0.5);
        let inside = x >= 0.0 && z >= 0.0 && x < (self.columns - 1) as f32 && z < (self.rows - 1) as f32;
        if !inside {
            return 0.0;
        }
        let (column, row) = (x as usize, z as usize);
        let (across, along) = (x - column as f32, z - row as f32);
        let at = |dx: usize, dz: usize| self.dark[(row + dz) * self.columns + column + dx];
        let near = at(0, 0) + (at(1, 0) - at(0, 0)) * across;
        let far = at(0, 1) + (at(1, 1) - at(0, 1)) * across;
        near + (far - near) * along
    }
}

/// Three running means in each direction, which is nearly a Gauss curve; what is outside is zero.
fn blur(values: &mut [f32], columns: usize, rows: usize, radius: f64) {
    let radius = (radius.round() as usize).max(1);
    let mut before = Vec::with_capacity(values.len());
    for row in values.chunks_exact_mut(columns) {
        blur_line(row, radius, &mut before);
    }
    // Downwards, whole rows at a time.
    let width = 1.0 / (2 * radius + 1) as f32;
    let mut sums = vec![0.0; columns];
    for _ in 0..3 {
        before.clear();
        before.extend_from_slice(values);
        let rows_before: Vec<&[f32]> = before.chunks_exact(columns).collect();
        sums.fill(0.0);
        rows_before[..radius.min(rows)].iter().for_each(|row| add(&mut sums, row, 1.0));
        for (index, row) in values.chunks_exact_mut(columns).enumerate() {
            if let Some(entering) = rows_before.get(index + radius) {
                add(&mut sums, entering, 1.0);
            }
            row.iter_mut().zip(&sums).for_each(|(value, sum)| *value = (sum * width).max(0.0));
            if index >= radius {
                add(&mut sums, rows_before[index - radius], -1.0);
            }
        }
    }
}

fn add(sums: &mut [f32], row: &[f32], sign: f32) {
    sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += sign * value);
}

fn blur_line(line: &mut [f32], radius: usize, before: &mut Vec<f32>) {
    let width = 1.0 / (2 * radius + 1) as f32;
    for _ in 0..3 {
        before.clear();
        before.extend_from_slice(line);
        let mut sum: f32 = before.iter().take(radius).sum();
        for (i, value) in line.iter_mut().enumerate() {
            sum += before.get(i + radius).copied().unwrap_or(0.0);
            *value = (sum * width).max(0.0);
            sum -= if i >= radius { before[i - radius] } else { 0.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blur_keeps_the_light_and_spreads_it_evenly() {
        let (columns, rows) = (41, 31);
        let mut values = vec![0.0; columns * rows];
        values[15 * columns + 20] = 1.0;
        blur(&mut values, columns, rows, 3.0);
        assert!((values.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        let at = |x: usize, y: usize| values[y * columns + x];
        assert!((at(17, 15) - at(23, 15)).abs() < 1e-6 && (at(20, 12) - at(23, 15)).abs() < 1e-6);
        assert!(at(20, 15) > at(22, 15) && at(22, 15) > at(26, 15) && at(26, 15) > 0.0 && at(31, 15) < 1e-7);
    }
}
