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
/// Triangles are cut off at this many samples from the origin of the image: far outside of any image (below
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

/// Points in the image, each prepared once for all the triangles around it.
pub(super) struct Points {
    pub projected: Vec<Projected>,
    placed: Vec<Placed>,
}

/// A point snapped to the grid, 12 bytes that every triangle around it reads.
#[derive(Debug, Clone, Copy)]
struct Placed {
    /// In steps of a sample, or [`OUTSIDE`] if its triangles must be clipped.
    position: [i32; 2],
    nearness: f32,
}

/// The column of a point behind the eye or beyond the guard band.
const OUTSIDE: i32 = i32::MIN;

impl Points {
    /// `near` is the smallest visible `w`.
    pub fn new(projected: Vec<Projected>, near: f64) -> Points {
        let placed = projected.par_iter().map(|point| Placed::of(point, near)).collect();
        Points { projected, placed }
    }
}

/// Triangles that the rasteriser treats alike.
pub(super) struct Batch<'a> {
    pub points: &'a Points,
    pub triangles: &'a [[u32; 3]],
    /// The number of the first one; the others follow.
    pub first: u32,
    /// Leave out those that are seen from behind (clockwise).
    pub one_sided: bool,
    /// Ask for every sample whether the triangle is there at all.
    pub tested: bool,
}

/// A triangle in the plane of the image.
#[derive(Debug, Clone, Copy)]
struct Flat {
    /// Snapped corners, clockwise as seen (the rows of an image run down).
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

/// Triangles in the plane of the image, sorted into bands.
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
    /// Clips and sorts triangles; `near` is the smallest visible `w`.
    pub fn new(grid: Grid, near: f64, batches: &[Batch]) -> Plan {
        let starts: Vec<(&Batch, usize)> = batches
            .iter()
            .flat_map(|batch| (0..batch.triangles.len()).step_by(CHUNK).map(move |start| (batch, start)))
            .collect();
        let chunks = starts.into_par_iter().map(|(batch, start)| Chunk::new(batch, start, near, &grid));
        Plan { chunks: chunks.collect(), grid }
    }

    /// Draws all triangles of one band over what its samples show already. For a tested triangle `is_there` is asked
    /// with its number and the centre of the sample. Returns the columns outside of which nothing was drawn.
    pub fn draw(
        &self,
        band: usize,
        samples: &mut [Seen],
        is_there: impl Fn(u32, f64, f64) -> bool,
    ) -> Range<usize> {
        let first = band * self.grid.band_rows;
        let rows = first..(first + self.grid.band_rows).min(self.grid.rows);
        let mut touched = self.grid.columns..0;
        for chunk in &self.chunks {
            let (start, end) = (chunk.starts[band] as usize, chunk.starts[band + 1] as usize);
            for &index in &chunk.in_bands[start..end] {
                let flat = &chunk.flats[index as usize];
                let columns = flat.columns(self.grid.columns);
                touched = touched.start.min(columns.start)..touched.end.max(columns.end);
                if flat.tested {
                    flat.fill(&rows, columns, self.grid.columns, samples, |x, y| is_there(flat.number, x, y));
                } else {
                    flat.fill(&rows, columns, self.grid.columns, samples, |_, _| true);
                }
            }
        }
        touched
    }
}

impl Grid {
    pub fn bands(&self) -> usize {
        self.rows.div_ceil(self.band_rows)
    }
}

impl Chunk {
    /// The triangles of a batch from `start` on.
    fn new(batch: &Batch, start: usize, near: f64, grid: &Grid) -> Chunk {
        let triangles = &batch.triangles[start..batch.triangles.len().min(start + CHUNK)];
        let mut flats = Vec::with_capacity(triangles.len());
        for (number, &triangle) in (batch.first + start as u32..).zip(triangles) {
            let corners = triangle.map(|point| batch.points.placed[point as usize]);
            if corners.iter().all(|corner| corner.position[0] != OUTSIDE) {
                flats.extend(Flat::new(corners, batch, number, grid));
            } else {
                clip_flats(batch, triangle, number, near, grid, &mut flats);
            }
        }
        Chunk::sorted(flats, grid)
    }

    fn sorted(flats: Vec<Flat>, grid: &Grid) -> Chunk {
        let mut starts = vec![0u32; grid.bands() + 1];
        for band in flats.iter().flat_map(|flat| flat.bands(grid)) {
            starts[band + 1] += 1;
        }
        for band in 0..grid.bands() {
            starts[band + 1] += starts[band];
        }
        let mut next = starts.clone();
        let mut in_bands = vec![0; starts[grid.bands()] as usize];
        for (index, flat) in flats.iter().enumerate() {
            for band in flat.bands(grid) {
                in_bands[next[band] as usize] = index as u32;
                next[band] += 1;
            }
        }
        Chunk { flats, starts, in_bands }
    }
}

/// Appends the visible part of a triangle that reaches behind the eye or beyond the guard band, as a fan.
fn clip_flats(batch: &Batch, triangle: [u32; 3], number: u32, near: f64, grid: &Grid, flats: &mut Vec<Flat>) {
    let all = triangle.map(|point| batch.points.projected[point as usize]).to_vec();
    let polygon = clip_planes(near).iter().fold(all, |polygon, plane| clip(&polygon, plane));
    // What lies on a clipping plane counts as inside of it, whatever rounding says.
    let corners: Vec<Placed> = polygon.iter().map(Placed::snapped).collect();
    for i in 2..corners.len() {
        flats.extend(Flat::new([corners[0], corners[i - 1], corners[i]], batch, number, grid));
    }
}

impl Placed {
    fn of(point: &Projected, near: f64) -> Placed {
        let &[x, y, _, w] = point;
        if w >= near && x.abs().max(y.abs()) <= GUARD * w {
            Placed::snapped(point)
        } else {
            Placed { position: [OUTSIDE; 2], nearness: 0.0 }
        }
    }

    fn snapped(&[x, y, z, w]: &Projected) -> Placed {
        let inverse = 1.0 / w;
        Placed { position: [snapped(x * inverse), snapped(y * inverse)], nearness: (z * inverse) as f32 }
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
    /// Nothing if the triangle shows its back and has none, or lies between the samples.
    fn new(corners: [Placed; 3], batch: &Batch, number: u32, grid: &Grid) -> Option<Flat> {
        let mut positions = corners.map(|corner| corner.position);
        let mut nearness = corners.map(|corner| corner.nearness);
        let area = cross(positions[0], positions[1], positions[2]);
        if area == 0 || batch.one_sided && area > 0 {
            return None;
        }
        if area < 0 {
            positions.swap(1, 2);
            nearness.swap(1, 2);
        }
        let mut flat = Flat { corners: positions, nearness: [nearness[0]; 3], number, tested: batch.tested };
        if flat.rows(grid.rows).is_empty() || flat.columns(grid.columns).is_empty() {
            return None;
        }
        let [[bx, by, bz], [cx, cy, cz]] = [1, 2].map(|i| {
            let [x, y] = [0, 1].map(|axis| f64::from(positions[i][axis] - positions[0][axis]));
            [x, y, f64::from(nearness[i]) - f64::from(nearness[0])]
        });
        let per_sample = f64::from(SUBSTEPS) / (bx * cy - by * cx);
        flat.nearness[1] = ((bz * cy - cz * by) * per_sample) as f32;
        flat.nearness[2] = ((cz * bx - bz * cx) * per_sample) as f32;
        flat.nearness.iter().all(|v| v.is_finite()).then_some(flat)
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

    /// Bands that its rows lie in.
    fn bands(&self, grid: &Grid) -> Range<usize> {
        let rows = self.rows(grid.rows);
        rows.start / grid.band_rows..(rows.end - 1) / grid.band_rows + 1
    }

    /// Shows this triangle at the samples of some rows that are inside of it, where it is nearer than what they
    /// show, and `is_there` agrees.
    fn fill(
        &self,
        rows: &Range<usize>,
        own_columns: Range<usize>,
        columns: usize,
        samples: &mut [Seen],
        is_there: impl Fn(f64, f64) -> bool,
    ) {
        let own_rows = self.rows(rows.end);
        let own_rows = own_rows.start.max(rows.start)..own_rows.end;
        let [a, b, c] = self.corners;
        let edges = [Edge::new(a, b), Edge::new(b, c), Edge::new(c, a)];
        let mut at_start = edges.map(|edge| edge.at(own_columns.start, own_rows.start));
        let [base, slope_x, slope_y] = self.nearness;
        let base = base + slope_x * samples_from(a[0], own_columns.start);
        for row in own_rows {
            let mut inside = at_start;
            let mut nearness = base + slope_y * samples_from(a[1], row);
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

/// From a snapped coordinate to the centre of a sample, in samples.
fn samples_from(corner: i32, sample: usize) -> f32 {
    ((sample as i32 * SUBSTEPS + SUBSTEPS / 2) - corner) as f32 / SUBSTEPS as f32
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
        let [x, y] = [(column, self.from[0]), (row, self.from[1])].map(|(sample, from)| {
            sample as i64 * i64::from(SUBSTEPS) + i64::from(SUBSTEPS / 2) - i64::from(from)
        });
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
    let [[bx, by], [cx, cy]] = [b, c].map(|p| [0, 1].map(|axis| i64::from(p[axis]) - i64::from(a[axis])));
    bx * cy - by * cx
}

/// Barycentric coordinates of a position in the image: the weight of each corner, summing to one, for quantities that
/// vary linearly over the triangle in space. Corners behind the eye are welcome (Olano and Greer 1997, "Triangle
/// Scan Conversion using 2D Homogeneous Coordinates"). Also the area of the triangle in the image near there,
/// as far as it lies in front of the eye.
pub(super) fn weights_at(corners: &[Projected; 3], column: f64, row: f64) -> ([f32; 3], f32) {
    let [a, b, c] = corners.map(|[x, y, _, w]| [x - column * w, y - row * w]);
    let parts = [(b, c), (c, a), (a, b)].map(|(p, q)| p[0] * q[1] - p[1] * q[0]);
    let sum = parts[0] + parts[1] + parts[2];
    // Snapping moves the sides by up to 1/512 of a sample, so that a position may lie a little outside.
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
