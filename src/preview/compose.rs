//! From samples to pixels.
//!
//! Three layers of samples lie over each other: solid surfaces, blended ones, and marks. Each pixel is shaded once for
//! each triangle that its samples show, in the middle of those samples.

use super::camera::{Camera, View};
use super::draw::{Stroke, strokes};
use super::ground::SeenGround;
use super::raster::{Candidate, Grid, NOTHING, Plan, Seen};
use super::scene::Scene;
use super::shade::{Pass, SeenSurface};
use super::{Background, Picture, RenderOptions, opaque};
use crate::math::SrgbTable;
use crate::mesh::AlphaMode;
use rayon::prelude::*;

/// What remains of a mark behind a surface.
const THROUGH_SURFACE: f32 = 0.35;
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
    strokes: Vec<Stroke>,
    solid: Plan,
    blended: Option<Plan>,
    marks: Option<Plan>,
}

/// The samples of a band, and room for the groups of a pixel; reused from band to band.
struct Band {
    solid: Vec<Seen>,
    blended: Vec<Seen>,
    marks: Vec<Seen>,
    groups: Vec<Group>,
}

/// The samples of a pixel that show one triangle.
struct Group {
    triangle: u32,
    count: u32,
    /// Sums of the columns and rows of the samples in the pixel.
    column: u32,
    row: u32,
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

        let plan = |pass: Pass| plan_surfaces(&surfaces, &firsts, count, pass, grid, &view);
        let strokes = strokes(&scene.marks, &view, side as f64);
        let marks = (!strokes.is_empty()).then(|| {
            Plan::new(grid, view.near(), strokes.len(), |stroke| {
                Some(Candidate { corners: strokes[stroke].corners, one_sided: false, tested: false })
            })
        });
        Drawing {
            solid: plan(Pass::Solid),
            blended: surfaces.iter().any(|surface| surface.has_blended()).then(|| plan(Pass::Blended)),
            ground: scene.ground.map(|ground| SeenGround::new(ground, scene, view, side as f64)),
            background: options.background,
            grid,
            side,
            surfaces,
            firsts,
            strokes,
            marks,
        }
    }

    /// The whole picture, in parallel over its bands.
    pub fn picture(&self) -> Picture {
        let width = self.grid.columns / self.side;
        let mut picture = Picture::filled(width, self.grid.rows / self.side, [0; 4]);
        picture.pixels.par_chunks_mut(width * BAND).enumerate().for_each_init(
            || Band::new(self),
            |band, (index, pixels)| {
                self.draw(index, band);
                for (row, pixels) in pixels.chunks_exact_mut(width).enumerate() {
                    self.resolve(index, row, band, pixels);
                }
            },
        );
        picture
    }

    /// Fills the samples of a band.
    fn draw(&self, index: usize, band: &mut Band) {
        for layer in [&mut band.solid, &mut band.blended, &mut band.marks] {
            layer.fill(Seen::EMPTY);
        }
        let is_there = |pass: Pass| {
            move |number: u32, column: f64, row: f64| {
                let (surface, triangle) = locate(&self.surfaces, &self.firsts, number);
                surface.is_there(triangle, column, row, pass)
            }
        };
        self.solid.draw(index, &mut band.solid, is_there(Pass::Solid));
        if let Some(plan) = &self.blended {
            plan.draw(index, &mut band.blended, is_there(Pass::Blended));
            for (front, back) in band.blended.iter_mut().zip(&band.solid) {
                if front.nearness <= back.nearness {
                    *front = Seen::EMPTY;
                }
            }
        }
        if let Some(plan) = &self.marks {
            plan.draw(index, &mut band.marks, |_, _, _| true);
        }
    }

    /// Turns the samples of one row of a band into pixels.
    fn resolve(&self, index: usize, row_in_band: usize, band: &mut Band, pixels: &mut [[u8; 4]]) {
        let table = SrgbTable::get();
        let row = index * BAND + row_in_band;
        let behind = self.background.at((row * self.side) as f32 / self.grid.rows as f32);
        let empty = encode(behind, table);
        let Band { solid, blended, marks, groups } = band;
        let is_plain = self.ground.is_none() && self.marks.is_none() && self.blended.is_none();
        for (column, pixel) in pixels.iter_mut().enumerate() {
            let block = Block { column, row, row_in_band, side: self.side, columns: self.grid.columns };
            let seen = block.group(solid, groups);
            if seen == 0.0 && is_plain {
                *pixel = empty;
                continue;
            }
            let mut color = [0.0; 4];
            if seen < 1.0 {
                let (column, row) = block.middle();
                let floor = self.ground.as_ref().map_or([0.0; 4], |ground| ground.at(column, row));
                color = over(floor, behind).map(|c| c * (1.0 - seen));
            }
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
            if self.marks.is_some() {
                let mut front = [0.0; 4];
                for (mark, surface) in block.rows(marks).flatten().zip(block.rows(solid).flatten()) {
                    if mark.triangle != NOTHING {
                        let is_hidden = mark.nearness < surface.nearness;
                        let alpha = if is_hidden { THROUGH_SURFACE } else { 1.0 };
                        let stroke = &self.strokes[mark.triangle as usize];
                        add(&mut front, opaque(stroke.color), alpha * block.share());
                    }
                }
                color = over(front, color);
            }
            *pixel = encode(color, table);
        }
    }

    /// Linear RGBA of the triangle of a group.
    fn shade(&self, block: &Block, group: &Group) -> [f32; 4] {
        let (surface, triangle) = locate(&self.surfaces, &self.firsts, group.triangle);
        let (column, row) = block.middle_of(group);
        surface.shade(triangle, column, row)
    }
}

/// The triangles of all surfaces that take part in a pass.
fn plan_surfaces(
    surfaces: &[SeenSurface],
    firsts: &[u32],
    count: usize,
    pass: Pass,
    grid: Grid,
    view: &View,
) -> Plan {
    Plan::new(grid, view.near(), count, |number| {
        let (surface, triangle) = locate(surfaces, firsts, number as u32);
        let finish = surface.finish(triangle);
        (pass == Pass::Solid || finish.alpha == AlphaMode::Blend).then(|| Candidate {
            corners: surface.corners(triangle),
            one_sided: finish.one_sided,
            tested: finish.alpha != AlphaMode::Opaque,
        })
    })
}

impl Band {
    fn new(drawing: &Drawing) -> Band {
        let count = drawing.grid.columns * drawing.grid.band_rows;
        let samples = |used: bool| vec![Seen::EMPTY; if used { count } else { 0 }];
        Band {
            solid: samples(true),
            blended: samples(drawing.blended.is_some()),
            marks: samples(drawing.marks.is_some()),
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
    /// Samples in a row of the picture.
    columns: usize,
}

impl Block {
    /// The samples of this pixel in a layer of its band, row by row.
    fn rows<'s>(&self, layer: &'s [Seen]) -> impl Iterator<Item = &'s [Seen]> {
        let Block { column, row_in_band, side, columns, .. } = *self;
        let first = row_in_band * side * columns + column * side;
        (0..side).map(move |row| &layer[first + row * columns..][..side])
    }

    /// Sorts the samples of this pixel by their triangles and returns the share of them that show any.
    fn group(&self, layer: &[Seen], groups: &mut Vec<Group>) -> f32 {
        groups.clear();
        let mut count = 0;
        for (row, samples) in self.rows(layer).enumerate() {
            for (column, seen) in samples.iter().enumerate() {
                if seen.triangle == NOTHING {
                    continue;
                }
                count += 1;
                let (column, row) = (column as u32, row as u32);
                match groups.iter_mut().find(|group| group.triangle == seen.triangle) {
                    None => groups.push(Group { triangle: seen.triangle, count: 1, column, row }),
                    Some(group) => {
                        group.count += 1;
                        group.column += column;
                        group.row += row;
                    }
                }
            }
        }
        count as f32 * self.share()
    }

    /// The middle of the samples of a group, which is inside its triangle as they all are.
    fn middle_of(&self, group: &Group) -> (f64, f64) {
        let mean = |sum: u32| f64::from(sum) / f64::from(group.count) + 0.5;
        (
            (self.column * self.side) as f64 + mean(group.column),
            (self.row * self.side) as f64 + mean(group.row),
        )
    }

    /// Column and row of the centre of the pixel.
    fn middle(self) -> (f64, f64) {
        let side = self.side as f64;
        ((self.column as f64 + 0.5) * side, (self.row as f64 + 0.5) * side)
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
