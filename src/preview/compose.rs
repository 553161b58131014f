//! From samples to pixels.
//!
//! Three layers of samples lie over each other: solid surfaces, blended ones, and overlays. Each pixel is shaded once for
//! each triangle that its samples show, in the middle of those samples.

use super::camera::Camera;
use super::draw::strokes;
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

/// Samples of a pixel that are shaded together, at a place of one triangle.
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

        let plan = |pass: Pass| {
            let batches =
                surfaces.iter().zip(&firsts).flat_map(|(surface, &first)| surface.batches(first, pass));
            Plan::new(grid, view.near(), &batches.collect::<Vec<Batch>>())
        };
        let strokes = strokes(&scene.overlays, &view, side as f64);
        Drawing {
            solid: plan(Pass::Solid),
            blended: surfaces.iter().any(|surface| surface.has_blended()).then(|| plan(Pass::Blended)),
            overlays: (!strokes.is_empty()).then(|| {
                let corners = strokes.iter().flat_map(|stroke| stroke.corners).collect();
                let triangles: Vec<[u32; 3]> = (0..strokes.len() as u32)
                    .map(|stroke| [0, 1, 2].map(|corner| 3 * stroke + corner))
                    .collect();
                let points = &Points::new(corners, view.near());
                let batch =
                    Batch { points, triangles: &triangles, first: 0, one_sided: false, tested: false };
                Plan::new(grid, view.near(), &[batch])
            }),
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
        let is_there = |pass: Pass| {
            move |number: u32, column: f64, row: f64| {
                let (surface, triangle) = locate(&self.surfaces, &self.firsts, number);
                surface.is_there(triangle, column, row, pass)
            }
        };
        band.touched = self.solid.draw(index, &mut band.solid, is_there(Pass::Solid));
        let mut touch = |columns: Range<usize>| {
            band.touched = band.touched.start.min(columns.start)..band.touched.end.max(columns.end);
        };
        if let Some(plan) = &self.blended {
            touch(plan.draw(index, &mut band.blended, is_there(Pass::Blended)));
            for (front, back) in band.blended.iter_mut().zip(&band.solid) {
                if front.nearness <= back.nearness {
                    *front = Seen::EMPTY;
                }
            }
        }
        if let Some(plan) = &self.overlays {
            touch(plan.draw(index, &mut band.overlays, |_, _, _| true));
        }
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
            let bare = || if floor[3] > 0.0 { encode(over(floor, behind), table) } else { empty };
            if !touched.contains(&column) {
                *pixel = bare();
                continue;
            }
            let block = Block { column, row, row_in_band, side: self.side, columns: self.grid.columns };
            let seen = block.group(solid, groups);
            if seen == 0 && self.overlays.is_none() && self.blended.is_none() {
                *pixel = bare();
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
                for group in &*groups {
                    let [r, g, b, alpha] = self.shade(&block, group);
                    let mut front = [0.0; 4];
                    add(&mut front, [r, g, b, 1.0], alpha * group.count as f32 * block.share());
                    color = over(front, color);
                }
            }
            if self.overlays.is_some() {
                let mut front = [0.0; 4];
                for (overlay, surface) in block.rows(overlays).flatten().zip(block.rows(solid).flatten()) {
                    if overlay.triangle != NOTHING {
                        let is_hidden = overlay.nearness < surface.nearness;
                        let (color, through) = self.strokes[overlay.triangle as usize];
                        let alpha = if is_hidden { through } else { 1.0 };
                        add(&mut front, opaque(color), alpha * block.share());
                    }
                }
                color = over(front, color);
            }
            *pixel = encode(color, table);
        }
    }

    /// Lets neighbours on a smooth surface be shaded together: of a fine mesh a pixel shows several triangles, all alike.
    fn merge(&self, groups: &mut Vec<Group>) {
        let mut kept = 1;
        for index in 1..groups.len() {
            let (surface, triangle) = locate(&self.surfaces, &self.firsts, groups[index].triangle);
            let is_alike = |group: &&mut Group| {
                let (other, neighbour) = locate(&self.surfaces, &self.firsts, group.triangle);
                std::ptr::eq(surface, other) && surface.is_smooth_across(neighbour, triangle)
            };
            let count = groups[index].count;
            match groups[..kept].iter_mut().find(is_alike) {
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
        let (surface, triangle) = locate(&self.surfaces, &self.firsts, group.triangle);
        let (column, row) = block.middle_of(group);
        surface.shade(triangle, column, row)
    }
}

impl Band {
    fn new(drawing: &Drawing) -> Band {
        let count = drawing.grid.columns * drawing.grid.band_rows;
        let samples = |used: bool| vec![Seen::EMPTY; if used { count } else { 0 }];
        Band {
            solid: samples(true),
            blended: samples(drawing.blended.is_some()),
            overlays: samples(drawing.overlays.is_some()),
            touched: 0..0,
            floor: vec![[0.0; 4]; drawing.grid.columns / drawing.side],
            groups: Vec::new(),
        }
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
        let mean = |sum: u32| f64::from(sum) / f64::from(group.own) + 0.5;
        (
            (self.column * self.side) as f64 + mean(group.column),
            (self.row * self.side) as f64 + mean(group.row),
        )
    }

    /// What one sample is of the pixel.
    fn share(self) -> f32 {
        1.0 / (self.side * self.side) as f32
    }
}

/// The surface of a triangle, and its number there.
fn locate<'s, 'a>(
    surfaces: &'s [SeenSurface<'a>],
    firsts: &[u32],
    number: u32,
) -> (&'s SeenSurface<'a>, usize) {
    let surface = firsts.partition_point(|&first| first <= number) - 1;
    (&surfaces[surface], (number - firsts[surface]) as usize)
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
    [r, g, b, (alpha * 255.0 + 0.5) as u8]
}
