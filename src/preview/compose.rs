//! From samples to pixels.
//!
//! Three layers of samples lie over each other: solid surfaces, blended ones, and overlays. Each pixel is shaded once for
//! each triangle that its samples show, in the middle of those samples.

use super::camera::Camera;
use super::draw::{Stroke, strokes};
use super::ground::SeenGround;
use super::raster::{Batch, Grid, NOTHING, Plan, Points, Seen};
use super::scene::Scene;
use super::shade::{Pass, SeenSurface};
use super::{Background, Image, RenderOptions, opaque};
use crate::math::SrgbTable;
use rayon::prelude::*;
use std::ops::Range;

/// Rows of pixels that are drawn at a time: the samples of a band should fit into a core's cache.
const BAND: usize = 8;

/// A scene, ready to be drawn band by band.
pub(super) struct Drawing<'a> {
    grid: Grid,
    /// Samples along the side of a pixel.
    side: usize,
    background: Background,
    ground: Option<SeenGround>,
    surfaces: Vec<SeenSurface<'a>>,
    /// Number of the first triangle of each surface.
    firsts: Vec<u32>,
    /// Of each triangle of the overlays its colour, and what of it is seen through a surface.
    strokes: Vec<([f32; 3], f32)>,
    solid: Plan,
    blended: Option<Plan>,
    overlays: Option<Plan>,
}

/// The samples of a band, and room for the groups of a pixel; reused from band to band.
struct Band {
    solid: Vec<Seen>,
    blended: Vec<Seen>,
    overlays: Vec<Seen>,
    /// Columns of samples outside of which no layer shows anything.
    touched: Range<usize>,
    /// The floor of the current row of pixels.
    floor: Vec<[f32; 4]>,
    groups: Vec<Group>,
}

/// Samples of a pixel that are shaded together, at one point of a triangle.
struct Group {
    triangle: u32,
    /// Samples that show this triangle, and sums of their columns and rows in the pixel.
    own: u32,
    column: u32,
    row: u32,
    /// All samples of the group.
    count: u32,
}

impl<'a> Drawing<'a> {
    pub fn new(scene: &'a Scene<'a>, camera: &Camera, options: &RenderOptions) -> Drawing<'a> {
        let side = options.samples;
        let (columns, rows) = (options.width * side, options.height * side);
        let view = camera.view(columns, rows);
        let grid = Grid { columns, rows, band_rows: BAND * side };

        let surfaces: Vec<SeenSurface> =
            scene.surfaces.iter().map(|surface| SeenSurface::new(surface, &view)).collect();
        let mut count = 0;
        let mut firsts = Vec::with_capacity(surfaces.len());
        for surface in &surfaces {
            firsts.push(count as u32);
            count += surface.triangle_count();
        }
        assert!(count < NOTHING as usize, "a scene has fewer than 2³² triangles");

        let strokes = strokes(&scene.overlays, &view, side as f64);
        let has_blended = surfaces.iter().any(|surface| surface.has_blended());
        Drawing {
            solid: plan_surfaces(&surfaces, &firsts, grid, view.near(), Pass::Solid),
            blended: has_blended.then(|| plan_surfaces(&surfaces, &firsts, grid, view.near(), Pass::Blended)),
            overlays: (!strokes.is_empty()).then(|| plan_strokes(&strokes, grid, view.near())),
            ground: scene.ground.map(|ground| SeenGround::new(ground, scene, view, side as f64)),
            background: options.background,
            grid,
            side,
            surfaces,
            firsts,
            strokes: strokes.iter().map(|stroke| (stroke.color, stroke.through)).collect(),
        }
    }

    /// The whole image, in parallel over its bands.
    pub fn image(&self) -> Image {
        let width = self.grid.columns / self.side;
        let mut image = Image::filled(width, self.grid.rows / self.side, [0; 4]);
        image.pixels.par_chunks_mut(width * BAND).enumerate().for_each_init(
            || Band::new(self),
            |band, (index, pixels)| {
                self.draw(index, band);
                for (row, pixels) in pixels.chunks_exact_mut(width).enumerate() {
                    self.resolve(index, row, band, pixels);
                }
            },
        );
        image
    }

    /// Fills the samples of a band.
    fn draw(&self, index: usize, band: &mut Band) {
        for layer in [&mut band.solid, &mut band.blended, &mut band.overlays] {
            layer.fill(Seen::EMPTY);
        }
        band.touched = self.solid.draw(index, &mut band.solid, |number, column, row| {
            self.is_there(number, column, row, Pass::Solid)
        });
        if let Some(plan) = &self.blended {
            let touched = plan.draw(index, &mut band.blended, |number, column, row| {
                self.is_there(number, column, row, Pass::Blended)
            });
            band.touch(touched);
            for (front, back) in band.blended.iter_mut().zip(&band.solid) {
                if front.nearness <= back.nearness {
                    *front = Seen::EMPTY;
                }
            }
        }
        if let Some(plan) = &self.overlays {
            let touched = plan.draw(index, &mut band.overlays, |_, _, _| true);
            band.touch(touched);
        }
    }

    /// Whether a triangle of a material with alpha is there at a sample.
    fn is_there(&self, number: u32, column: f64, row: f64, pass: Pass) -> bool {
        let (surface, triangle) = self.locate(number);
        surface.is_there(triangle, column, row, pass)
    }

    /// Turns the samples of one row of a band into pixels.
    fn resolve(&self, index: usize, row_in_band: usize, band: &mut Band, pixels: &mut [[u8; 4]]) {
        let table = SrgbTable::get();
        let row = index * BAND + row_in_band;
        let behind = self.background.at((row * self.side) as f32 / self.grid.rows as f32);
        let empty = encode(behind, table);
        let Band { solid, blended, overlays, touched, floor, groups } = band;
        let touched = touched.start / self.side..touched.end.div_ceil(self.side);
        match &self.ground {
            Some(ground) => ground.row((row as f64 + 0.5) * self.side as f64, floor),
            None => floor.fill([0.0; 4]),
        }
        for (column, pixel) in pixels.iter_mut().enumerate() {
            let floor = floor[column];
            let block = Block { column, row, row_in_band, side: self.side, columns: self.grid.columns };
            let is_touched = touched.contains(&column);
            let seen = if is_touched { block.group(solid, groups) } else { 0 };
            if !is_touched || seen == 0 && self.overlays.is_none() && self.blended.is_none() {
                *pixel = if floor[3] > 0.0 { encode(over(floor, behind), table) } else { empty };
                continue;
            }
            let seen = seen as f32 * block.share();
            let mut color = over(floor, behind).map(|c| c * (1.0 - seen));
            self.merge(groups);
            for group in &*groups {
                let [r, g, b, _] = self.shade(&block, group);
                add(&mut color, [r, g, b, 1.0], group.count as f32 * block.share());
            }
            if self.blended.is_some() {
                block.group(blended, groups);
                color = self.blend(&block, groups, color);
            }
            if self.overlays.is_some() {
                color = over(self.overlay(&block, overlays, solid), color);
            }
            *pixel = encode(color, table);
        }
    }

    /// Blended surfaces over a colour.
    fn blend(&self, block: &Block, groups: &[Group], mut color: [f32; 4]) -> [f32; 4] {
        for group in groups {
            let [r, g, b, alpha] = self.shade(block, group);
            let mut front = [0.0; 4];
            add(&mut front, [r, g, b, 1.0], alpha * group.count as f32 * block.share());
            color = over(front, color);
        }
        color
    }

    /// The overlays of a pixel; behind a surface they shine through faintly.
    fn overlay(&self, block: &Block, overlays: &[Seen], solid: &[Seen]) -> [f32; 4] {
        let mut front = [0.0; 4];
        for (overlay, surface) in block.rows(overlays).flatten().zip(block.rows(solid).flatten()) {
            if overlay.triangle != NOTHING {
                let is_hidden = overlay.nearness < surface.nearness;
                let (color, through) = self.strokes[overlay.triangle as usize];
                let alpha = if is_hidden { through } else { 1.0 };
                add(&mut front, opaque(color), alpha * block.share());
            }
        }
        front
    }

    /// Joins groups of neighbours on a smooth surface: a pixel shows several triangles of a fine mesh, all alike.
    fn merge(&self, groups: &mut Vec<Group>) {
        let mut kept = 1;
        for index in 1..groups.len() {
            let (surface, triangle) = self.locate(groups[index].triangle);
            let count = groups[index].count;
            let alike = groups[..kept].iter_mut().find(|group| {
                let (other, neighbour) = self.locate(group.triangle);
                std::ptr::eq(surface, other) && surface.is_smooth_across(neighbour, triangle)
            });
            match alike {
                Some(group) => group.count += count,
                None => {
                    groups.swap(kept, index);
                    kept += 1;
                }
            }
        }
        groups.truncate(kept);
    }

    /// Linear RGBA of the triangle of a group.
    fn shade(&self, block: &Block, group: &Group) -> [f32; 4] {
        let (surface, triangle) = self.locate(group.triangle);
        let (column, row) = block.middle_of(group);
        surface.shade(triangle, column, row)
    }

    /// The surface of a triangle, and its number there.
    fn locate(&self, number: u32) -> (&SeenSurface<'a>, usize) {
        let surface = self.firsts.partition_point(|&first| first <= number) - 1;
        (&self.surfaces[surface], (number - self.firsts[surface]) as usize)
    }
}

/// The triangles of all surfaces that a pass draws.
fn plan_surfaces(surfaces: &[SeenSurface], firsts: &[u32], grid: Grid, near: f64, pass: Pass) -> Plan {
    let batches = surfaces.iter().zip(firsts).flat_map(|(surface, &first)| surface.batches(first, pass));
    Plan::new(grid, near, &batches.collect::<Vec<Batch>>())
}

fn plan_strokes(strokes: &[Stroke], grid: Grid, near: f64) -> Plan {
    let points = &Points::new(strokes.iter().flat_map(|stroke| stroke.corners).collect(), near);
    let triangles: Vec<[u32; 3]> =
        (0..strokes.len() as u32).map(|stroke| [0, 1, 2].map(|corner| 3 * stroke + corner)).collect();
    let batch = Batch { points, triangles: &triangles, first: 0, one_sided: false, tested: false };
    Plan::new(grid, near, &[batch])
}

impl Band {
    fn new(drawing: &Drawing) -> Band {
        let count = drawing.grid.columns * drawing.grid.band_rows;
        Band {
            solid: vec![Seen::EMPTY; count],
            blended: vec![Seen::EMPTY; if drawing.blended.is_some() { count } else { 0 }],
            overlays: vec![Seen::EMPTY; if drawing.overlays.is_some() { count } else { 0 }],
            touched: 0..0,
            floor: vec![[0.0; 4]; drawing.grid.columns / drawing.side],
            groups: Vec::new(),
        }
    }

    fn touch(&mut self, columns: Range<usize>) {
        self.touched = self.touched.start.min(columns.start)..self.touched.end.max(columns.end);
    }
}

/// The samples of one pixel.
#[derive(Clone, Copy)]
struct Block {
    column: usize,
    row: usize,
    row_in_band: usize,
    /// Samples along the side of a pixel.
    side: usize,
    /// Samples in a row of the image.
    columns: usize,
}

impl Block {
    /// The samples of this pixel in a layer of its band, row by row.
    fn rows<'s>(&self, layer: &'s [Seen]) -> impl Iterator<Item = &'s [Seen]> {
        let Block { column, row_in_band, side, columns, .. } = *self;
        let first = row_in_band * side * columns + column * side;
        (0..side).map(move |row| &layer[first + row * columns..][..side])
    }

    /// Sorts the samples of this pixel by their triangles and returns how many of them show any.
    fn group(&self, layer: &[Seen], groups: &mut Vec<Group>) -> u32 {
        groups.clear();
        let mut count = 0;
        for (row, samples) in (0..).zip(self.rows(layer)) {
            for (column, seen) in (0..).zip(samples) {
                if seen.triangle == NOTHING {
                    continue;
                }
                count += 1;
                match groups.iter_mut().find(|group| group.triangle == seen.triangle) {
                    None => groups.push(Group { triangle: seen.triangle, own: 1, column, row, count: 1 }),
                    Some(group) => {
                        group.own += 1;
                        group.count += 1;
                        group.column += column;
                        group.row += row;
                    }
                }
            }
        }
        count
    }

    /// The middle of the samples of a group's triangle, which is inside of it as they all are.
    fn middle_of(&self, group: &Group) -> (f64, f64) {
        let [column, row] = [group.column, group.row].map(|sum| f64::from(sum) / f64::from(group.own) + 0.5);
        ((self.column * self.side) as f64 + column, (self.row * self.side) as f64 + row)
    }

    /// What one sample is of the pixel.
    fn share(self) -> f32 {
        1.0 / (self.side * self.side) as f32
    }
}

/// One colour over another, both linear and multiplied by their alpha.
fn over(above: [f32; 4], below: [f32; 4]) -> [f32; 4] {
    std::array::from_fn(|c| above[c] + below[c] * (1.0 - above[3]))
}

fn add(sum: &mut [f32; 4], color: [f32; 4], share: f32) {
    for (sum, c) in sum.iter_mut().zip(color) {
        *sum += c * share;
    }
}

/// A linear colour multiplied by its alpha as sRGB with straight alpha.
fn encode([r, g, b, alpha]: [f32; 4], table: &SrgbTable) -> [u8; 4] {
    let straight = if alpha > 0.0 { 1.0 / alpha } else { 0.0 };
    let [r, g, b] = [r, g, b].map(|c| table.encode(c * straight));
    [r, g, b, (alpha * f32::from(u8::MAX) + 0.5) as u8]
}
