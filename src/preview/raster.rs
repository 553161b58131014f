//! Which triangle is seen at which sample.
//!
//! Corners are snapped to 1/256 of a sample and edges are evaluated in integers, so that a sample on the edge of
//! two triangles belongs to exactly one of them, without cracks or double cover (the top-left rule, as in Pineda
//! 1988, "A Parallel Algorithm for Polygon Rasterization", and in all graphics hardware since). Nothing is
//! interpolated here but nearness: a sample remembers its triangle, and shading happens once for each pixel and
//! triangle, after the last triangle.

use super::camera::Projected;
use rayon::prelude::*;
use std::ops::Range;

/// Steps of a snapped coordinate for each sample.
const SUBSTEPS: i32 = 256;
/// Triangles are cut off at this many samples from the origin of the picture: far outside of any picture (below
/// [`MAX_SIDE`](super::MAX_SIDE)), near enough for products of snapped coordinates to fit into 64 bits.
const GUARD: f64 = 131_072.0;
/// Triangles that one task sets up. Fixed, so that the order of things does not depend on the number of threads.
const CHUNK: usize = 4096;

/// The triangle that a sample shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Seen {
    /// Grows towards the viewer.
    pub nearness: f32,
    /// Number of the triangle, or [`NOTHING`].
    pub triangle: u32,
}

/// The number of no triangle.
pub(super) const NOTHING: u32 = u32::MAX;

impl Seen {
    pub const EMPTY: Seen = Seen { nearness: f32::NEG_INFINITY, triangle: NOTHING };
}

/// What the rasteriser must know about a triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub corners: [Projected; 3],
    /// Leave it out if it is seen from behind (clockwise).
    pub one_sided: bool,
    /// Ask for every sample whether the triangle is there at all.
    pub tested: bool,
}

/// A triangle in the plane of the picture.
#[derive(Debug, Clone, Copy)]
struct Flat {
    /// Snapped corners, clockwise as seen (the rows of a picture run down).
    corners: [[i32; 2]; 3],
    /// Nearness at the first corner and its change by column and row.
    nearness: [f32; 3],
    number: u32,
    tested: bool,
}

/// The grid of samples, cut into bands of rows that are drawn independently.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    pub columns: usize,
    pub rows: usize,
    pub band_rows: usize,
}

/// Triangles in the plane of the picture, sorted into bands.
pub(super) struct Plan {
    chunks: Vec<Chunk>,
    grid: Grid,
}

/// Up to [`CHUNK`] triangles in their order, and for each band those of them that touch it.
struct Chunk {
    flats: Vec<Flat>,
    /// `in_bands[starts[b]..starts[b + 1]]` are the indices for band `b`, ascending.
    starts: Vec<u32>,
    in_bands: Vec<u32>,
}

impl Plan {
    /// Clips, snaps and sorts the triangles `0..count`; `candidate` may leave some out. `near` is the smallest
    /// visible `w`.
    pub fn new(
        grid: Grid,
        near: f64,
        count: usize,
        candidate: impl Fn(usize) -> Option<Candidate> + Sync,
    ) -> Plan {
        let chunks = (0..count.div_ceil(CHUNK)).into_par_iter().map(|chunk| {
            let mut flats = Vec::with_capacity(CHUNK);
            for number in chunk * CHUNK..count.min((chunk + 1) * CHUNK) {
                if let Some(candidate) = candidate(number) {
                    flatten(&candidate, number as u32, near, &grid, &mut flats);
                }
            }
            Chunk::sorted(flats, &grid)
        });
        Plan { chunks: chunks.collect(), grid }
    }

    /// Draws all triangles of one band over what its samples show already. For a tested triangle `is_there` is asked
    /// with its number and the centre of the sample.
    pub fn draw(&self, band: usize, samples: &mut [Seen], is_there: impl Fn(u32, f64, f64) -> bool) {
        let first = band * self.grid.band_rows;
        let rows = first..(first + self.grid.band_rows).min(self.grid.rows);
        for chunk in &self.chunks {
            let (start, end) = (chunk.starts[band] as usize, chunk.starts[band + 1] as usize);
            for &index in &chunk.in_bands[start..end] {
                let flat = &chunk.flats[index as usize];
                if flat.tested {
                    flat.fill(&rows, self.grid.columns, samples, |x, y| is_there(flat.number, x, y));
                } else {
                    flat.fill(&rows, self.grid.columns, samples, |_, _| true);
                }
            }
        }
    }
}

impl Grid {
    pub fn bands(&self) -> usize {
        self.rows.div_ceil(self.band_rows)
    }
}

impl Chunk {
    fn sorted(flats: Vec<Flat>, grid: &Grid) -> Chunk {
        let bands = |flat: &Flat| {
            let rows = flat.rows(grid.rows);
            rows.start / grid.band_rows..(rows.end - 1) / grid.band_rows + 1
        };
        let mut starts = vec![0u32; grid.bands() + 1];
        for band in flats.iter().flat_map(bands) {
            starts[band + 1] += 1;
        }
        for band in 0..grid.bands() {
            starts[band + 1] += starts[band];
        }
        let mut next = starts.clone();
        let mut in_bands = vec![0; starts[grid.bands()] as usize];
        for (index, flat) in flats.iter().enumerate() {
            for band in bands(flat) {
                in_bands[next[band] as usize] = index as u32;
                next[band] += 1;
            }
        }
        Chunk { flats, starts, in_bands }
    }
}

/// Appends the visible part of a triangle, as one triangle or, if it must be clipped, as a fan.
fn flatten(candidate: &Candidate, number: u32, near: f64, grid: &Grid, flats: &mut Vec<Flat>) {
    let mut push = |corners: [Projected; 3]| {
        let flat = Flat::new(corners, candidate.one_sided, candidate.tested, number);
        flats.extend(
            flat.filter(|flat| !flat.rows(grid.rows).is_empty() && !flat.columns(grid.columns).is_empty()),
        );
    };
    let is_inside = |&[x, y, _, w]: &Projected| w >= near && x.abs().max(y.abs()) <= GUARD * w;
    if candidate.corners.iter().all(is_inside) {
        push(candidate.corners);
    } else {
        let all = candidate.corners.to_vec();
        let polygon = clip_planes(near).iter().fold(all, |polygon, plane| clip(&polygon, plane));
        for i in 2..polygon.len() {
            push([polygon[0], polygon[i - 1], polygon[i]]);
        }
    }
}

/// A plane in homogeneous coordinates, and a constant: inside is where `plane · point + constant ≥ 0`.
type ClipPlane = (Projected, f64);

/// The near plane and the guard band.
fn clip_planes(near: f64) -> [ClipPlane; 5] {
    [
        ([0.0, 0.0, 0.0, 1.0], -near),
        ([1.0, 0.0, 0.0, GUARD], 0.0),
        ([-1.0, 0.0, 0.0, GUARD], 0.0),
        ([0.0, 1.0, 0.0, GUARD], 0.0),
        ([0.0, -1.0, 0.0, GUARD], 0.0),
    ]
}

fn distance((plane, constant): &ClipPlane, point: &Projected) -> f64 {
    // NaN is outside of everything.
    plane.iter().zip(point).map(|(a, b)| a * b).sum::<f64>() + constant
}

/// The part of a convex polygon inside of a plane (Sutherland and Hodgman 1974).
fn clip(polygon: &[Projected], plane: &ClipPlane) -> Vec<Projected> {
    let mut inside = Vec::with_capacity(polygon.len() + 1);
    for (i, b) in polygon.iter().enumerate() {
        let a = &polygon[(i + polygon.len() - 1) % polygon.len()];
        let (da, db) = (distance(plane, a), distance(plane, b));
        if (da >= 0.0) != (db >= 0.0) {
            // The same two corners give the same point whichever way round a neighbour lists them.
            let (from, to, d_from, d_to) = if da >= 0.0 { (a, b, da, db) } else { (b, a, db, da) };
            let t = d_from / (d_from - d_to);
            inside.push(std::array::from_fn(|axis| from[axis] + (to[axis] - from[axis]) * t));
        }
        if db >= 0.0 {
            inside.push(*b);
        }
    }
    inside
}

impl Flat {
    /// Snaps a clipped triangle; nothing if it has no area or shows its back and has none.
    fn new(corners: [Projected; 3], one_sided: bool, tested: bool, number: u32) -> Option<Flat> {
        let points = corners.map(|[x, y, z, w]| {
            let inverse = 1.0 / w;
            [x * inverse, y * inverse, z * inverse]
        });
        let mut places = points.map(|[x, y, _]| [snapped(x), snapped(y)]);
        let mut nearness = points.map(|[.., z]| z);
        let area = cross(places[0], places[1], places[2]);
        if area == 0 || one_sided && area > 0 {
            return None;
        }
        if area < 0 {
            places.swap(1, 2);
            nearness.swap(1, 2);
        }
        let edge = |i: usize| {
            let step = |axis: usize| f64::from(places[i][axis] - places[0][axis]);
            (step(0), step(1), nearness[i] - nearness[0])
        };
        let ((bx, by, bz), (cx, cy, cz)) = (edge(1), edge(2));
        let per_sample = f64::from(SUBSTEPS) / (bx * cy - by * cx);
        let slope_x = (bz * cy - cz * by) * per_sample;
        let slope_y = (cz * bx - bz * cx) * per_sample;
        let nearness = [nearness[0] as f32, slope_x as f32, slope_y as f32];
        nearness.iter().all(|v| v.is_finite()).then_some(Flat { corners: places, nearness, number, tested })
    }

    fn range(&self, axis: usize, count: usize) -> Range<usize> {
        let values = self.corners.map(|corner| corner[axis]);
        let (min, max) = (values[0].min(values[1]).min(values[2]), values[0].max(values[1]).max(values[2]));
        // The first centre at or after `min`, and the first after `max`.
        let first = (min + SUBSTEPS / 2 - 1).div_euclid(SUBSTEPS).max(0) as usize;
        let end = ((max - SUBSTEPS / 2).div_euclid(SUBSTEPS) + 1).max(0) as usize;
        first..end.min(count)
    }

    /// Columns whose sample centres may be inside.
    fn columns(&self, count: usize) -> Range<usize> {
        self.range(0, count)
    }

    /// Rows whose sample centres may be inside.
    fn rows(&self, count: usize) -> Range<usize> {
        self.range(1, count)
    }

    /// Shows this triangle at the samples of some rows that are inside of it, where it is nearer than what they
    /// show, and `is_there` agrees.
    fn fill(
        &self,
        rows: &Range<usize>,
        columns: usize,
        samples: &mut [Seen],
        is_there: impl Fn(f64, f64) -> bool,
    ) {
        let own_columns = self.columns(columns);
        let own_rows = self.rows(rows.end);
        let own_rows = own_rows.start.max(rows.start)..own_rows.end;
        let [a, b, c] = self.corners;
        let edges = [Edge::new(a, b), Edge::new(b, c), Edge::new(c, a)];
        let mut at_start = edges.map(|edge| edge.at(own_columns.start, own_rows.start));
        let [base, slope_x, slope_y] = self.nearness;
        let offset = |sample: usize, corner: i32| {
            ((sample as i32 * SUBSTEPS + SUBSTEPS / 2) - corner) as f32 / SUBSTEPS as f32
        };
        let base = base + slope_x * offset(own_columns.start, a[0]);
        for row in own_rows {
            let mut inside = at_start;
            let mut nearness = base + slope_y * offset(row, a[1]);
            let start = (row - rows.start) * columns;
            let own = &mut samples[start + own_columns.start..start + own_columns.end];
            for (column, seen) in own.iter_mut().enumerate() {
                if (inside[0] | inside[1] | inside[2]) >= 0
                    && nearness > seen.nearness
                    && is_there((own_columns.start + column) as f64 + 0.5, row as f64 + 0.5)
                {
                    *seen = Seen { nearness, triangle: self.number };
                }
                inside = [0, 1, 2].map(|i| inside[i] + edges[i].step[0]);
                nearness += slope_x;
            }
            at_start = [0, 1, 2].map(|i| at_start[i] + edges[i].step[1]);
        }
    }
}

/// One side of a clockwise triangle: not negative at samples inside, and at samples exactly on it if it is an upper
/// or left side.
#[derive(Clone, Copy)]
struct Edge {
    from: [i32; 2],
    along: [i64; 2],
    bias: i64,
    /// Change from one column, and from one row, to the next.
    step: [i64; 2],
}

impl Edge {
    fn new(from: [i32; 2], to: [i32; 2]) -> Edge {
        let along = [i64::from(to[0] - from[0]), i64::from(to[1] - from[1])];
        let is_top_or_left = along[1] < 0 || along[1] == 0 && along[0] > 0;
        let bias = if is_top_or_left { 0 } else { -1 };
        let step = [-along[1], along[0]].map(|change| change * i64::from(SUBSTEPS));
        Edge { from, along, bias, step }
    }

    fn at(&self, column: usize, row: usize) -> i64 {
        let center = |sample: usize| sample as i64 * i64::from(SUBSTEPS) + i64::from(SUBSTEPS / 2);
        let x = center(column) - i64::from(self.from[0]);
        let y = center(row) - i64::from(self.from[1]);
        self.along[0] * y - self.along[1] * x + self.bias
    }
}

/// The nearest snapped coordinate. A cast truncates, and is several times faster than `round`, so it is made to work on
/// positive numbers: the guard band ends at half of the offset.
fn snapped(value: f64) -> i32 {
    const OFFSET: i32 = 1 << 26;
    (value * f64::from(SUBSTEPS) + (f64::from(OFFSET) + 0.5)) as i32 - OFFSET
}

/// Twice the area of a triangle, positive if it is clockwise as seen.
fn cross(a: [i32; 2], b: [i32; 2], c: [i32; 2]) -> i64 {
    let side = |p: [i32; 2], axis: usize| i64::from(p[axis]) - i64::from(a[axis]);
    side(b, 0) * side(c, 1) - side(b, 1) * side(c, 0)
}

/// Where a place in the picture lies in a triangle: the weight of each corner, summing to one, for quantities that
/// vary linearly over the triangle in space. Corners behind the eye are welcome (Olano and Greer 1997, "Triangle
/// Scan Conversion using 2D Homogeneous Coordinates"). Also the area of the triangle in the picture near there,
/// as far as it lies in front of the eye.
pub(super) fn weights_at(corners: &[Projected; 3], column: f64, row: f64) -> ([f32; 3], f32) {
    let [a, b, c] = corners.map(|[x, y, _, w]| [x - column * w, y - row * w]);
    let cross = |p: [f64; 2], q: [f64; 2]| p[0] * q[1] - p[1] * q[0];
    let parts = [cross(b, c), cross(c, a), cross(a, b)];
    let sum = parts[0] + parts[1] + parts[2];
    // Snapping moves the sides by up to 1/512 of a sample, so that a place may lie a little outside.
    let inverse = 1.0 / sum;
    let inside = parts.map(|part| (part * inverse).clamp(0.0, 1.0));
    let total = inside[0] + inside[1] + inside[2];
    if !(total > 0.0) {
        return ([1.0 / 3.0; 3], 0.0);
    }
    let inverse = 1.0 / total;
    let weights = inside.map(|part| part * inverse);
    let w = weights[0] * corners[0][3] + weights[1] * corners[1][3] + weights[2] * corners[2][3];
    (weights.map(|weight| weight as f32), (0.5 * sum / (w * w)).abs() as f32)
}
