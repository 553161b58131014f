//! The floor: soft shadows and a grid.
//!
//! The scene is dropped along the key light onto the floor; each cell remembers the lowest thing above it. Low things
//! cast a sharp shadow and high ones a soft one: the cells are sorted into layers by height, and each layer is
//! blurred by a radius that grows with its height. That is not exact, but contact looks like contact.

use super::camera::View;
use super::raster::{Candidate, Grid, NOTHING, Plan, Seen};
use super::scene::{Ground, Scene};
use super::shade::key_direction;
use crate::math::{Bounds, Vec3};
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
/// picture.
const MOST_SLANT: f64 = 0.7;

/// The grid fades out between these distances from the middle, in parts of the scene's diagonal.
const GRID_FADE: [f64; 2] = [0.6, 1.6];
const GRID_COLOR: [f32; 3] = [0.16, 0.18, 0.22];
const GRID_ALPHA: f32 = 0.28;
/// Width of a grid line in pixels.
const GRID_LINE: f64 = 1.2;

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

    /// What the floor lays over the background at a place in the picture: linear colour times alpha, and alpha.
    pub fn at(&self, column: f64, row: f64) -> [f32; 4] {
        let Some(place) = self.place(column, row) else { return [0.0; 4] };
        let dark = self.shadow.as_ref().map_or(0.0, |shadow| shadow.at(&place) * self.ground.shadow);
        let line = self.ground.grid.map_or(0.0, |spacing| self.grid(&place, spacing, column, row));
        let under = line * (1.0 - dark);
        let [r, g, b] = GRID_COLOR.map(|c| c * under);
        [r, g, b, dark + under]
    }

    /// The point of the floor seen at a place in the picture.
    fn place(&self, column: f64, row: f64) -> Option<Vec3> {
        let (start, along) = self.view.ray(column, row);
        let t = (self.ground.height - start.y) / along.y;
        // Parallel rays start anywhere; those of a lens go forwards only, and a floor seen from below is not there.
        let forwards = self.view.near() == 0.0 || t > 0.0;
        (along.y < -1e-6 && forwards && t.is_finite()).then(|| start + along * t)
    }

    fn grid(&self, place: &Vec3, spacing: f64, column: f64, row: f64) -> f32 {
        let distance = (place - self.middle).xz().norm() / self.diagonal;
        let fade = 1.0 - ((distance - GRID_FADE[0]) / (GRID_FADE[1] - GRID_FADE[0])).clamp(0.0, 1.0);
        let neighbours = [self.place(column + self.samples, row), self.place(column, row + self.samples)];
        let [Some(right), Some(below)] = neighbours else { return 0.0 };
        let cover = |axis: usize| {
            // How far one pixel reaches across the lines of this axis, and what of it the nearest line covers.
            let pixel = (right[axis] - place[axis]).abs().max((below[axis] - place[axis]).abs());
            let to_line = (place[axis] / spacing - (place[axis] / spacing).round()).abs() * spacing;
            let near = (0.5 * (GRID_LINE + 1.0) - to_line / pixel).clamp(0.0, 1.0);
            // Lines closer than their own width are a haze and then nothing.
            near * (spacing / (GRID_LINE * pixel) * 0.25).clamp(0.0, 1.0)
        };
        (cover(0).max(cover(2)) * fade * fade) as f32 * GRID_ALPHA
    }
}

/// How much of the light each cell of the floor misses.
struct Shadow {
    columns: usize,
    rows: usize,
    cell: f64,
    corner: [f64; 2],
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
            let fallen: Vec<_> = surface.positions.par_iter().map(fall).collect();
            let plan = Plan::new(grid, 0.0, surface.triangles.len(), |triangle| {
                let corners = surface.triangles[triangle].map(|vertex| fallen[vertex as usize]);
                Some(Candidate { corners, one_sided: false, tested: false })
            });
            lowest
                .par_chunks_mut(columns * grid.band_rows)
                .enumerate()
                .for_each(|(band, samples)| plan.draw(band, samples, |_, _, _| true));
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
        let dark = (0..columns * rows).map(|cell| 1.0 - (-DENSITY * total(cell)).exp()).collect();
        Shadow { columns, rows, cell, corner, dark }
    }

    /// The darkness at a point of the floor, between cells.
    fn at(&self, place: &Vec3) -> f32 {
        let x = (place.x - self.corner[0]) / self.cell - 0.5;
        let z = (place.z - self.corner[1]) / self.cell - 0.5;
        let inside = x >= 0.0 && z >= 0.0 && x < (self.columns - 1) as f64 && z < (self.rows - 1) as f64;
        if !inside {
            return 0.0;
        }
        let (column, row) = (x as usize, z as usize);
        let (across, along) = ((x - column as f64) as f32, (z - row as f64) as f32);
        let at = |dx: usize, dz: usize| self.dark[(row + dz) * self.columns + column + dx];
        let near = at(0, 0) + (at(1, 0) - at(0, 0)) * across;
        let far = at(0, 1) + (at(1, 1) - at(0, 1)) * across;
        near + (far - near) * along
    }
}

/// Three running means in each direction, which is nearly a Gauss curve; what is outside is zero.
fn blur(values: &mut [f32], columns: usize, rows: usize, radius: f64) {
    let radius = (radius.round() as usize).max(1);
    let mut line = Vec::new();
    for row in values.chunks_exact_mut(columns) {
        line.clear();
        line.extend_from_slice(row);
        blur_line(&mut line, radius);
        row.copy_from_slice(&line);
    }
    for column in 0..columns {
        line.clear();
        line.extend((0..rows).map(|row| values[row * columns + column]));
        blur_line(&mut line, radius);
        for (row, &value) in line.iter().enumerate() {
            values[row * columns + column] = value;
        }
    }
}

fn blur_line(line: &mut [f32], radius: usize) {
    let mut before = Vec::with_capacity(line.len());
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
