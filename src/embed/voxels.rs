//! The body as a volume of voxels: shells, holes and crossing parts no longer matter.
//!
//! **Body space** is used throughout: +Y up, facing +Z, lengths in parts of the body's height, y = 0 at the
//! soles, x = 0 in the mirror plane, z = 0 in the middle of the box.

use super::grid::{Grid, Mask, PADDING};
use super::mirror_shift::best_mirror_shift;
use super::pieces::{Pieces, outside};
use crate::math::{Bounds, Vec3, cube};
use crate::mesh::prepare::PreparedMesh;
use rayon::prelude::*;

/// Voxels in the height. With 50 a character with thin arms loses them, from 133 on nothing improves but the
/// time grows with the cube.
const VOXELS_IN_HEIGHT: f64 = 100.0;

/// Voxels along the longest side at most, which bounds time and memory for bodies far longer than high.
const VOXELS_ALONG: f64 = 220.0;

/// Distance of samples on a triangle in voxels. Above 0.5 the shell gets holes, below nothing improves.
const SAMPLE_STEP: f64 = 0.45;

/// Samples of the whole surface at most: meshes whose triangles cross the box many times over are sampled more
/// thinly instead of taking minutes.
const MOST_SAMPLES: f64 = 2e7;

/// Part of the volume that the largest piece must hold before the rest is left out. Lower, and robots of loose
/// parts lose limbs; higher, and a pair of eyes that floats makes arms grow to the trunk.
const ONE_PIECE: f64 = 0.985;

/// Closing of gaps between pieces goes up to this many voxels.
const WIDEST_GAP: usize = 8;

/// A body as a set of filled voxels.
#[derive(Debug, Clone)]
pub struct VoxelVolume {
    /// Where the voxels are, in body space.
    pub grid: Grid,
    /// Whether each voxel belongs to the body.
    pub filled: Mask,
    /// The point of the unit cube at the origin of body space.
    pub origin_unit: Vec3,
    /// The body's height in the unit cube.
    pub height_unit: f64,
    /// Part of the volume that hangs together, after gaps were closed; the rest was left out.
    pub kept: f64,
    /// How well the body fits its mirror image: volume of what both share over that of their union, 0 to 1.
    pub mirror_overlap: f64,
}

impl VoxelVolume {
    /// Fills a surface. Open surfaces count as filled where most directions see them.
    pub fn of(mesh: &PreparedMesh) -> VoxelVolume {
        let used = mesh.triangles.iter().flatten().map(|&vertex| &mesh.positions[vertex as usize]);
        let bounds = Bounds::of(used);
        let (grid, origin_unit, height_unit) = frame(&bounds);
        let shell = voxelise(mesh, &grid, &origin_unit, height_unit);
        let mut filled = fill(&grid, shell);
        let kept = keep_one_piece(&grid, &mut filled);
        let mut voxels = VoxelVolume { grid, filled, origin_unit, height_unit, kept, mirror_overlap: 0.0 };
        voxels.find_mirror_plane();
        voxels
    }

    /// A point of body space in the unit cube of the prepared mesh.
    pub fn unit_from_body(&self, point: &Vec3) -> Vec3 {
        self.origin_unit + point * self.height_unit
    }

    /// A point of the unit cube in body space.
    pub fn body_from_unit(&self, point: &Vec3) -> Vec3 {
        (point - self.origin_unit) / self.height_unit
    }

    /// The filled voxels, slice by slice from the bottom up.
    pub fn cells(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.filled.len()).filter(|&cell| self.filled[cell])
    }

    /// The filled voxels of one slice.
    pub fn cells_of(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        self.grid.slice(row).filter(|&cell| self.filled[cell])
    }

    /// The voxels whose middle `keep`s, in the same space.
    pub fn part(&self, keep: impl Fn(&Vec3) -> bool) -> VoxelVolume {
        let filled = (0..self.filled.len()).map(|cell| self.filled[cell] && keep(&self.grid.center(cell)));
        VoxelVolume { filled: filled.collect(), grid: self.grid.clone(), ..*self }
    }

    /// The filled voxel nearest to a point of the mirror plane and, where that is filled, its mirror image: paths from
    /// both are as long on either side.
    pub fn nearest(&self, point: &Vec3) -> Vec<usize> {
        let distances = self.cells().map(|cell| (cell, (self.grid.center(cell) - point).norm_squared()));
        let nearest = distances.min_by(|a, b| a.1.total_cmp(&b.1));
        nearest.map_or(Vec::new(), |(cell, _)| self.with_mirror_image(cell))
    }

    /// The voxels on the mirror plane nearest to the centre of mass.
    pub fn middle(&self) -> Vec<usize> {
        let middle = self.center_of_mass();
        self.nearest(&Vec3::new(0.0, middle.y, middle.z))
    }

    /// A voxel, and its mirror image if that is another one and filled.
    pub fn with_mirror_image(&self, cell: usize) -> Vec<usize> {
        let [x, y, z] = self.grid.coordinates(cell);
        let image = self.plane_sum().checked_sub(x).filter(|&image| image < self.grid.size[0]);
        let image = image.map(|image| self.grid.index([image, y, z]));
        let image = image.filter(|&image| image != cell && self.filled[image]);
        [Some(cell), image].into_iter().flatten().collect()
    }

    /// Volume in heights cubed.
    pub fn volume(&self) -> f64 {
        self.filled.iter().filter(|&&full| full).count() as f64 * cube(self.grid.voxel)
    }

    /// Mean of all filled voxels.
    pub fn center_of_mass(&self) -> Vec3 {
        let (mut sum, mut count) = (Vec3::zeros(), 0.0);
        for cell in self.cells() {
            sum += self.grid.center(cell);
            count += 1.0;
        }
        sum / f64::max(count, 1.0)
    }

    /// Lowest and highest filled height.
    pub fn vertical_range(&self) -> (f64, f64) {
        let rows = 0..self.grid.size[1];
        let mut rows = rows.filter(|&row| self.filled[self.grid.slice(row)].contains(&true));
        let half = 0.5 * self.grid.voxel;
        let low = rows.clone().next().map_or(0.0, |row| self.grid.height_of(row) - half);
        let high = rows.next_back().map_or(0.0, |row| self.grid.height_of(row) + half);
        (low, high)
    }

    /// The part of the body that its mirror image shares: what is carried in one hand vanishes.
    pub fn symmetric_part(&self) -> VoxelVolume {
        let sum = self.plane_sum();
        let size = self.grid.size[0];
        let mut filled = vec![false; self.filled.len()];
        filled.par_chunks_mut(size).zip(self.filled.par_chunks(size)).for_each(|(both, row)| {
            for x in 0..size {
                both[x] = row[x] && sum.checked_sub(x).is_some_and(|other| other < size && row[other]);
            }
        });
        keep_largest(&self.grid, &mut filled);
        VoxelVolume { filled, grid: self.grid.clone(), ..*self }
    }

    /// The same body in units of the height from its own lowest to its own highest voxel.
    pub fn rescaled(mut self) -> VoxelVolume {
        let (low, high) = self.vertical_range();
        let height = (high - low).max(self.grid.voxel);
        self.origin_unit.y += low * self.height_unit;
        self.height_unit *= height;
        self.grid.origin.y -= low;
        self.grid.origin /= height;
        self.grid.voxel /= height;
        self
    }

    /// Cells with x-coordinates i and j are mirror images if i + j is this.
    pub fn plane_sum(&self) -> usize {
        (-2.0 * self.grid.origin.x / self.grid.voxel - 1.0).round().max(0.0) as usize
    }

    /// Moves x = 0 to the plane, at a whole or half cell, whose mirror image overlaps most.
    fn find_mirror_plane(&mut self) {
        let width = self.grid.size[0];
        let total = self.filled.iter().filter(|&&full| full).count();
        let (overlap, shift) = best_mirror_shift(&self.filled, width);
        self.mirror_overlap = overlap as f64 / (2 * total - overlap).max(1) as f64;
        let plane = (width as isize + shift) as f64 * 0.5 * self.grid.voxel + self.grid.origin.x;
        self.grid.origin.x -= plane;
        self.origin_unit.x += plane * self.height_unit;
    }
}

/// Least height over the longest side: a sheet on the ground has no height to measure by.
const FLATTEST: f64 = 0.05;

/// Body space for a box: the grid around it, the unit-cube point at its origin, and the height.
fn frame(bounds: &Bounds) -> (Grid, Vec3, f64) {
    let extent = bounds.extent();
    let height = extent.y.max(FLATTEST * extent.max());
    let voxel = (1.0 / VOXELS_IN_HEIGHT).max(extent.max() / height / VOXELS_ALONG);
    let size = [extent.x, extent.y, extent.z]
        .map(|length| (length / height / voxel).ceil().max(1.0) as usize + 2 * PADDING);
    let center = bounds.center();
    // Centred in x and z, so that a mirrored body has the mirrored voxels; from the soles up in y.
    let [x, z] = [size[0], size[2]].map(|count| -(count as f64) * 0.5 * voxel);
    let origin = Vec3::new(x, -(PADDING as f64) * voxel, z);
    (Grid { size, origin, voxel }, Vec3::new(center.x, bounds.min.y, center.z), height)
}

/// The voxels that the surface passes through.
fn voxelise(mesh: &PreparedMesh, grid: &Grid, origin_unit: &Vec3, height_unit: f64) -> Mask {
    let positions: Vec<Vec3> = mesh
        .positions
        .par_iter()
        .map(|point| ((point - origin_unit) / height_unit - grid.origin) / grid.voxel)
        .collect();
    let corners = |triangle: &[u32; 3]| triangle.map(|vertex| positions[vertex as usize]);
    let chunks = mesh.triangles.par_chunks(4096);
    let areas: Vec<f64> = chunks
        .clone()
        .map(|triangles| triangles.iter().map(|triangle| area(corners(triangle))).sum())
        .collect();
    let step = SAMPLE_STEP.max((areas.iter().sum::<f64>() / MOST_SAMPLES).sqrt());
    let touched: Vec<Vec<u32>> = chunks
        .map(|triangles| {
            let mut cells = Touched { grid, cells: Vec::new() };
            for triangle in triangles {
                cells.add_triangle(corners(triangle), step);
            }
            cells.cells
        })
        .collect();
    let mut shell = vec![false; grid.cells()];
    for &cell in touched.iter().flatten() {
        shell[cell as usize] = true;
    }
    shell
}

fn area([a, b, c]: [Vec3; 3]) -> f64 {
    0.5 * (b - a).cross(&(c - a)).norm()
}

/// The cells that samples of a surface lie in.
struct Touched<'a> {
    grid: &'a Grid,
    cells: Vec<u32>,
}

impl Touched<'_> {
    fn add_triangle(&mut self, corners: [Vec3; 3], step: f64) {
        let lengths = [0, 1, 2].map(|k| (corners[(k + 1) % 3] - corners[k]).norm_squared());
        let longest = (0..3).max_by(|&a, &b| lengths[a].total_cmp(&lengths[b])).unwrap_or(0);
        if lengths[longest] <= step * step {
            corners.iter().for_each(|corner| self.add(corner));
            return;
        }
        // Rows of samples parallel to the longest side.
        let [a, b, apex] = [0, 1, 2].map(|k| corners[(longest + k) % 3]);
        let rise = (b - a).cross(&(apex - a)).norm() / lengths[longest].sqrt();
        let rows = (rise / step).ceil().max(1.0) as usize;
        for row in 0..=rows {
            let t = row as f64 / rows as f64;
            let (from, to) = (a + (apex - a) * t, b + (apex - b) * t);
            let count = ((to - from).norm() / step).ceil().max(1.0) as usize;
            for k in 0..=count {
                self.add(&(from + (to - from) * (k as f64 / count as f64)));
            }
        }
    }

    /// Adds the cell of a point; both cells of one between two along x, so that a mirrored surface has the mirrored cells.
    fn add(&mut self, point: &Vec3) {
        const BETWEEN: f64 = 1e-6;
        let x = self.coordinate(0, point.x - BETWEEN);
        let cell = self.grid.index([x, self.coordinate(1, point.y), self.coordinate(2, point.z)]) as u32;
        if self.cells.last() != Some(&cell) {
            self.cells.push(cell);
        }
        if self.coordinate(0, point.x + BETWEEN) != x {
            self.cells.push(cell + 1);
        }
    }

    /// The cell at a position along an axis, inside the padding.
    fn coordinate(&self, axis: usize, position: f64) -> usize {
        (position.max(0.0) as usize).min(self.grid.size[axis] - 1 - PADDING).max(PADDING)
    }
}

/// Adds the inside of a shell: what is enclosed, also where the shell has holes of up to four voxels, and then
/// what sees the body in at least five of the six axis directions, as the inside of a skirt or a hollow head does.
fn fill(grid: &Grid, shell: Mask) -> Mask {
    let mut filled: Mask = outside(grid, &shell).iter().map(|&out| !out).collect();
    for radius in 1..=2 {
        let thick = dilate(grid, shell.clone(), radius);
        let mut cavity: Mask =
            outside(grid, &thick).iter().zip(&thick).map(|(&out, &full)| !out && !full).collect();
        // The cavity grows back to the shell; the closing itself would glue lowered arms to the trunk.
        for _ in 0..radius {
            cavity = dilate(grid, cavity, 1);
            cavity.iter_mut().zip(&shell).for_each(|(inside, &surface)| *inside &= !surface);
        }
        filled.iter_mut().zip(&cavity).for_each(|(full, &inside)| *full |= inside);
    }
    let seen = directions_that_see(grid, &filled);
    filled.iter_mut().zip(&seen).for_each(|(full, &count)| *full |= count >= 5);
    filled
}

/// Grows a set by its face neighbours, `radius` times. Sets on the border grow on at the opposite side.
fn dilate(grid: &Grid, mut mask: Mask, radius: usize) -> Mask {
    let layer = grid.size[0] * grid.size[2];
    for _ in 0..radius {
        let mut grown = mask.clone();
        for step in [1, grid.size[0], layer] {
            let count = mask.len() - step;
            grown[step..].iter_mut().zip(&mask[..count]).for_each(|(full, &near)| *full |= near);
            grown[..count].iter_mut().zip(&mask[step..]).for_each(|(full, &near)| *full |= near);
        }
        mask = grown;
    }
    mask
}

/// In how many of the six axis directions each cell sees a filled one.
fn directions_that_see(grid: &Grid, filled: &[bool]) -> Vec<u8> {
    let [nx, ny, nz] = grid.size;
    let mut seen = vec![0u8; filled.len()];
    seen.par_chunks_mut(nx * nz).zip(filled.par_chunks(nx * nz)).for_each(|(seen, filled)| {
        for z in 0..nz {
            sweep(filled, seen, z * nx..(z + 1) * nx);
            sweep(filled, seen, (z * nx..(z + 1) * nx).rev());
        }
        for x in 0..nx {
            sweep(filled, seen, (0..nz).map(|z| x + nx * z));
            sweep(filled, seen, (0..nz).rev().map(|z| x + nx * z));
        }
    });
    let layer = nx * nz;
    for upwards in [true, false] {
        let mut met = vec![false; layer];
        for k in 0..ny {
            let y = if upwards { k } else { ny - 1 - k };
            for cell in 0..layer {
                met[cell] |= filled[y * layer + cell];
                seen[y * layer + cell] += u8::from(met[cell]);
            }
        }
    }
    seen
}

/// Counts the cells of a line that come after a filled one, itself included.
fn sweep(filled: &[bool], seen: &mut [u8], line: impl Iterator<Item = usize>) {
    let mut met = false;
    for cell in line {
        met |= filled[cell];
        seen[cell] += u8::from(met);
    }
}

/// Joins loose pieces by closing gaps until one piece holds nearly all, keeps that one, and returns its part.
fn keep_one_piece(grid: &Grid, filled: &mut Mask) -> f64 {
    let mut joined = filled.clone();
    let mut kept = keep_largest(grid, &mut joined);
    if kept < ONE_PIECE {
        let mut thick = filled.clone();
        for radius in 1..=WIDEST_GAP {
            thick = dilate(grid, thick, 1);
            clear_border(grid, &mut thick);
            let around: Mask = thick.iter().map(|&full| !full).collect();
            let around = dilate(grid, around, radius);
            joined = around.iter().zip(filled.iter()).map(|(&out, &full)| !out || full).collect();
            kept = keep_largest(grid, &mut joined);
            if kept >= ONE_PIECE {
                break;
            }
        }
    }
    *filled = joined;
    kept
}

/// Empties the outermost cells, where growth would go on at the opposite side.
fn clear_border(grid: &Grid, mask: &mut [bool]) {
    let [nx, ny, nz] = grid.size;
    mask[grid.slice(0)].fill(false);
    mask[grid.slice(ny - 1)].fill(false);
    for slice in mask.chunks_mut(nx * nz) {
        slice[..nx].fill(false);
        slice[(nz - 1) * nx..].fill(false);
        for row in slice.chunks_mut(nx) {
            row[0] = false;
            row[nx - 1] = false;
        }
    }
}

/// Keeps the largest piece and returns its part of the whole.
fn keep_largest(grid: &Grid, filled: &mut Mask) -> f64 {
    let pieces = Pieces::of(grid, filled);
    let sizes = &pieces.sizes;
    let largest = (0..sizes.len()).rev().max_by_key(|&piece| sizes[piece]).unwrap_or(0);
    if sizes.len() > 1 {
        filled.fill(false);
        pieces.fill(largest as u32, filled);
    }
    sizes.get(largest).map_or(0.0, |&size| size as f64 / sizes.iter().sum::<usize>() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::shapes;

    fn voxels(mesh: &Mesh) -> VoxelVolume {
        VoxelVolume::of(&prepare(mesh, &PrepareOptions::default(), &mut Vec::new()).unwrap())
    }

    #[test]
    fn a_sphere_has_its_volume_and_is_symmetric() {
        let ball = voxels(&shapes::uv_sphere(32, 64));
        // Diameter 1 and half a voxel of shell all around.
        let expected = std::f64::consts::PI / 6.0 * (1.0 + ball.grid.voxel).powi(3);
        assert!((ball.volume() / expected - 1.0).abs() < 0.02, "{}", ball.volume());
        assert!(ball.mirror_overlap > 0.99);
        assert!(ball.center_of_mass().x.abs() < 1e-3);
        assert!((ball.unit_from_body(&ball.center_of_mass()) - Vec3::repeat(0.5)).norm() < 0.01);
    }

    #[test]
    fn a_sphere_without_a_cap_is_filled() {
        let mut open = shapes::uv_sphere(32, 64);
        let positions = open.positions.clone();
        open.triangles.retain(|triangle| triangle.iter().all(|&v| positions[v as usize].z < 0.7));
        open.parts[0].triangles = 0..open.triangles.len();
        let full = voxels(&shapes::uv_sphere(32, 64));
        assert!(voxels(&open).volume() > 0.85 * full.volume());
    }

    #[test]
    fn what_one_side_carries_is_not_in_the_symmetric_part() {
        let mut mesh = shapes::uv_sphere(16, 32);
        let sword = Mesh {
            positions: shapes::cube()
                .positions
                .iter()
                .map(|p| Vec3::new(1.2 + 0.3 * p.x, 0.05 * p.y, 0.05 * p.z))
                .collect(),
            ..shapes::cube()
        };
        let first = mesh.positions.len() as u32;
        mesh.positions.extend(&sword.positions);
        mesh.triangles.extend(sword.triangles.iter().map(|t| t.map(|v| v + first)));
        mesh.parts[0].vertices = 0..mesh.positions.len();
        mesh.parts[0].triangles = 0..mesh.triangles.len();
        let voxels = voxels(&mesh);
        let center = voxels.unit_from_body(&Vec3::new(0.0, 0.5, 0.0));
        // The ball spans 2 of the 2.5 units, 0.9 of the cube; its middle is a quarter unit off the box's.
        assert!((center.x - (0.5 - 0.25 * 0.9 / 2.5)).abs() < 0.01, "{}", center.x);
        let both = voxels.symmetric_part();
        assert!(both.volume() < voxels.volume());
        let widest = (0..both.filled.len()).filter(|&c| both.filled[c]).map(|c| both.grid.center(c).x.abs());
        assert!(widest.fold(0.0, f64::max) < 0.53);
    }
}
