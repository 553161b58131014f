//! The floor: soft shadows and a grid.
//!
//! The scene is projected along the key light onto the floor; each cell remembers the lowest triangle above it. Low
//! triangles cast a sharp shadow and high ones a soft one: the cells are sorted into layers by height, and each layer is
//! blurred by a radius that grows with its height. That is not exact, but contact looks like contact.

use super::camera::{Projected, View};
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
/// Rows of cells that one task draws.
const SHADOW_BAND: usize = 32;
/// The steepest slope of the light that casts shadows, as run over rise. A lower light would draw shadows out of the
/// image.
const MOST_SLANT: f64 = 0.7;

/// The grid fades out between these distances from the middle, in parts of the scene's diagonal.
const GRID_FADE: [f64; 2] = [0.6, 1.6];
const GRID_COLOR: [f32; 3] = [0.16, 0.18, 0.22];
const GRID_ALPHA: f32 = 0.28;
/// Width of a grid line in pixels.
const GRID_LINE: f32 = 1.2;
/// Lines become fainter where they are closer than four of their widths: a haze, and then nothing.
const DENSE_GRID: f32 = 0.25;
/// A ray that falls by less, for one unit along it, sees no floor.
const LEVEL: f32 = 1e-6;
/// Divisors are at least this.
const TINY: f64 = 1e-9;

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
            scene.overlays.iter().flat_map(|overlay| overlay.shape.ends()).for_each(|end| bounds.grow(&end));
        }
        let step = ground.height + ground.step;
        let casts = ground.shadow > 0.0 && bounds.max.y > step;
        SeenGround {
            shadow: casts.then(|| Shadow::new(step, scene, &bounds, &key_direction(&view))),
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
        let origin = Vec3::new(self.middle.x, self.ground.height, self.middle.z);
        let rays = RowRays::new(&self.view, self.samples, row, &origin);
        let on_step = origin + Vec3::y() * self.ground.step;
        let step_rays = RowRays::new(&self.view, self.samples, row, &on_step);
        let lines = self.ground.grid.map(|spacing| GridLines {
            spacing: spacing as f32,
            phase: [origin.x, origin.z].map(|x| (x / spacing).fract() as f32),
            fade: GRID_FADE.map(|distance| (distance * self.diagonal) as f32),
        });
        for (column, floor) in floor.iter_mut().enumerate() {
            let shadow = self.shadow.as_ref().zip(step_rays.hit(column as f32));
            let dark = shadow.map_or(0.0, |(shadow, hit)| shadow.at(hit.position)) * self.ground.shadow;
            let lines = lines.as_ref().zip(rays.hit(column as f32));
            let line = lines.map_or(0.0, |(lines, hit)| lines.alpha(&hit, &rays));
            let under = line * (1.0 - dark);
            let [r, g, b] = GRID_COLOR.map(|c| c * under);
            *floor = [r, g, b, dark + under];
        }
    }
}

/// The rays through the pixels of a row. Their start and direction change linearly along it. Measured from the middle of the
/// scene, `f32` is exact to a thousandth of a pixel wherever the grid is still visible.
struct RowRays {
    start: [f32; 3],
    direction: [f32; 3],
    /// Change of start and direction to the next pixel of the row, and to the next row.
    across: [[f32; 3]; 2],
    down: [[f32; 3]; 2],
    is_parallel: bool,
}

/// Where a ray meets the floor.
struct FloorHit {
    position: [f32; 2],
    direction: [f32; 3],
    /// From the start of the ray, in lengths of its direction.
    distance: f32,
}

impl RowRays {
    fn new(view: &View, samples: f64, row: f64, origin: &Vec3) -> RowRays {
        let (start, along) = view.ray(0.5 * samples, row);
        let (next_start, next_along) = view.ray((0.5 + 1.0) * samples, row);
        let (below_start, below_along) = view.ray(0.5 * samples, row + samples);
        RowRays {
            start: narrow(start - origin),
            direction: narrow(along),
            across: [narrow(next_start - start), narrow(next_along - along)],
            down: [narrow(below_start - start), narrow(below_along - along)],
            is_parallel: view.near() == 0.0,
        }
    }

    fn hit(&self, column: f32) -> Option<FloorHit> {
        let start = [0, 1, 2].map(|axis| self.start[axis] + self.across[0][axis] * column);
        let direction = [0, 1, 2].map(|axis| self.direction[axis] + self.across[1][axis] * column);
        let distance = -start[1] / direction[1];
        // Parallel rays start anywhere; those of a lens go forwards only, and a floor seen from below is not there.
        let is_seen = direction[1] < -LEVEL && (self.is_parallel || distance > 0.0) && distance.is_finite();
        is_seen.then(|| {
            let position = [start[0] + direction[0] * distance, start[2] + direction[2] * distance];
            FloorHit { position, direction, distance }
        })
    }
}

fn narrow(v: Vec3) -> [f32; 3] {
    v.cast().into()
}

impl FloorHit {
    /// How far the hit moves over the floor if the start and the direction of its ray change.
    fn moved_by(&self, [start, direction]: [[f32; 3]; 2]) -> [f32; 2] {
        let t = self.distance;
        let t_change = -(start[1] + direction[1] * t) / self.direction[1];
        [0, 2].map(|axis| start[axis] + direction[axis] * t + self.direction[axis] * t_change)
    }
}

/// The lines of a grid, which fade out with the distance from the middle of the scene.
struct GridLines {
    spacing: f32,
    /// Where the middle of the scene lies between two lines.
    phase: [f32; 2],
    /// Distances at which they begin to fade, and are gone.
    fade: [f32; 2],
}

impl GridLines {
    fn alpha(&self, hit: &FloorHit, rays: &RowRays) -> f32 {
        let [x, z] = hit.position;
        let squared = x * x + z * z;
        let [fade_from, fade_to] = self.fade;
        if !(squared < fade_to * fade_to) {
            return 0.0;
        }
        let (across, down) = (hit.moved_by(rays.across), hit.moved_by(rays.down));
        let [a, b] = [0, 1].map(|axis| self.cover(hit, axis, across[axis].abs().max(down[axis].abs())));
        let fade = 1.0 - ((squared.sqrt() - fade_from) / (fade_to - fade_from)).clamp(0.0, 1.0);
        a.max(b) * fade * fade * GRID_ALPHA
    }

    /// How much of a pixel the nearest line across an axis covers; `pixel` is the size of the pixel on the floor.
    fn cover(&self, hit: &FloorHit, axis: usize, pixel: f32) -> f32 {
        let lines = hit.position[axis] / self.spacing + self.phase[axis];
        let to_line = (lines - (lines + 0.5).floor()).abs() * self.spacing;
        let near = (0.5 * (GRID_LINE + 1.0) - to_line / pixel).clamp(0.0, 1.0);
        near * (self.spacing / (GRID_LINE * pixel) * DENSE_GRID).clamp(0.0, 1.0)
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
    /// The shadow of a scene on a level at the height of `step`.
    fn new(step: f64, scene: &Scene, bounds: &Bounds, key: &Vec3) -> Shadow {
        let height = bounds.max.y - step;
        let light = Slope::of(key, step);
        // The box of the shadow is that of the scene, drawn out along the light, and the widest blur.
        let (mut min, mut max) = (bounds.min.xz(), bounds.max.xz());
        for top in [Vec3::new(min.x, bounds.max.y, min.y), Vec3::new(max.x, bounds.max.y, max.y)] {
            let end = nalgebra::Vector2::from(light.dropped(&top));
            (min, max) = (min.inf(&end), max.sup(&end));
        }
        let border = 2.0 * LAYERS[LAYERS.len() - 1].1 * height;
        let size = (max - min).add_scalar(2.0 * border);
        let cell = (height / CELLS_PER_HEIGHT).max(size.max() / MOST_CELLS);
        let corner = [min.x - border, min.y - border];
        let [columns, rows] = [size.x, size.y].map(|side| (side / cell).ceil().max(1.0) as usize);
        let grid = Grid { columns, rows, band_rows: SHADOW_BAND };

        let heights = lowest_heights(scene, grid, |point| {
            let [x, z] = light.dropped(point);
            [(x - corner[0]) / cell, (z - corner[1]) / cell, -light.rise(point), 1.0]
        });
        let layers: Vec<Vec<f32>> = LAYERS
            .par_iter()
            .map(|&(below, radius, share)| {
                let mut layer: Vec<f32> = heights
                    .iter()
                    .map(|seen| if seen.is_below(below * height) { share } else { 0.0 })
                    .collect();
                blur(&mut layer, columns, rows, radius * height / cell);
                layer
            })
            .collect();
        let dark = (0..columns * rows)
            .map(|cell| layers.iter().map(|layer| layer[cell]).sum::<f32>())
            .map(|total| 1.0 - exp(f64::from(-DENSITY * total)) as f32)
            .collect();
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
        let [near, far] = [row, row + 1].map(|row| {
            let first = row * self.columns + column;
            self.dark[first] + (self.dark[first + 1] - self.dark[first]) * across
        });
        near + (far - near) * along
    }
}

/// The direction of the light that casts shadows.
struct Slope {
    ground: f64,
    /// How far the shadow of a point moves for each unit that it is above the floor.
    run: [f64; 2],
}

impl Slope {
    fn of(key: &Vec3, ground: f64) -> Slope {
        let flat = key.xz().norm();
        let slant = (flat / key.y.max(TINY)).min(MOST_SLANT) / flat.max(TINY);
        Slope { ground, run: [key.x * slant, key.z * slant] }
    }

    fn rise(&self, point: &Vec3) -> f64 {
        (point.y - self.ground).max(0.0)
    }

    /// Where the shadow of a point falls.
    fn dropped(&self, point: &Vec3) -> [f64; 2] {
        let rise = self.rise(point);
        [point.x - self.run[0] * rise, point.z - self.run[1] * rise]
    }
}

/// For each cell of the floor the lowest triangle above it, whose nearness is its height below zero.
fn lowest_heights(scene: &Scene, grid: Grid, cell_of: impl Fn(&Vec3) -> Projected + Sync) -> Vec<Seen> {
    let mut lowest = vec![Seen::EMPTY; grid.columns * grid.rows];
    for surface in &scene.surfaces {
        let cells = surface
            .positions
            .par_iter()
            .map(|position| cell_of(&(surface.world_from_own * Point3::from(*position)).coords))
            .collect();
        let points = &Points::new(cells, 0.0);
        let triangles = surface.triangles;
        let batch = Batch { points, triangles, first: 0, one_sided: false, tested: false };
        let plan = Plan::new(grid, 0.0, &[batch]);
        lowest
            .par_chunks_mut(grid.columns * grid.band_rows)
            .enumerate()
            .for_each(|(band, samples)| _ = plan.draw(band, samples, |_, _, _| true));
    }
    lowest
}

impl Seen {
    /// Whether a cell of the floor has something above it up to a height.
    fn is_below(&self, height: f64) -> bool {
        self.triangle != NOTHING && f64::from(-self.nearness) <= height
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
