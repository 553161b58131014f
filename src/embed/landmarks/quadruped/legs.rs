//! Legs of an animal: the pieces of each half of the body that stand on the ground, followed up to the height at
//! which fore and hind leg become one.

use crate::embed::limb_ends::neighbour_steps;
use crate::embed::voxels::VoxelVolume;
use crate::math::{DisjointSets, Vec3};

/// Legs are told from each other in the section at this height. Lower, and heels and toes are pieces of their
/// own; higher, and a body with short legs already rests on its belly.
pub const SHIN: f64 = 0.1;

/// Heights at which the shin is seen: its position is the mean of the three.
const SHIN_HEIGHTS: [f64; 3] = [0.1, 0.12, 0.14];

/// Guessed legs: hind and fore leg at these parts of the body's length, this far from the plane, as thick as this, up to
/// this height.
const GUESSED_LEGS: [f64; 2] = [0.25, 0.7];
const GUESSED_X: f64 = 0.1;
const GUESSED_RADIUS: f64 = 0.05;
const GUESSED_MERGE: f64 = 0.4;

/// Distance of fore and hind feet along the body at least.
pub const APART: f64 = 0.2;

/// Mean distance of a leg's voxels from the mirror plane at least. Legs of horses have 0.07, the tail of a rat 0.025.
const OFF_PLANE: f64 = 0.035;

/// Part of a piece's voxels at the mirror plane from which on it is a tail and not a leg.
const CENTRAL: f64 = 0.05;

/// Shift of a section's middle along the body over two voxels at which the belly has joined the leg. The shanks of
/// dogs shift by up to 0.025; at 0.05 the fore legs of a pug reach into its belly.
const JUMP: f64 = 0.035;

/// The centre line of one leg, from the ground up to where it reaches the mirror plane as part of the trunk.
#[derive(Debug, Clone)]
pub struct LegLine {
    low: f64,
    step: f64,
    points: Vec<Vec3>,
    /// Smallest and largest z of each section.
    edges: Vec<[f64; 2]>,
}

impl LegLine {
    fn row(&self, y: f64) -> usize {
        (((y - self.low) / self.step).round().max(0.0) as usize).min(self.points.len() - 1)
    }

    /// The line at a height; above its end, its last point.
    pub fn at(&self, y: f64) -> Vec3 {
        self.points[self.row(y)]
    }

    /// The middle of the shin: where the leg is sure to be leg, and thin.
    pub fn shin(&self) -> Vec3 {
        let [a, b, c] = SHIN_HEIGHTS.map(|y| self.at(y));
        (a + b + c) / 3.0
    }

    /// Smallest and largest z at a height.
    pub fn edges(&self, y: f64) -> [f64; 2] {
        self.edges[self.row(y)]
    }

    /// Height of its last point.
    pub fn top(&self) -> f64 {
        self.low + self.step * (self.points.len() - 1) as f64
    }

    /// Where no leg was found: a vertical line.
    fn vertical(x: f64, z: f64) -> LegLine {
        let edges = vec![[z - GUESSED_RADIUS, z + GUESSED_RADIUS]];
        LegLine { low: 0.0, step: GUESSED_MERGE, points: vec![Vec3::new(x, 0.5 * GUESSED_MERGE, z)], edges }
    }
}

/// A fore and a hind leg of one side.
#[derive(Debug, Clone)]
pub struct Legs {
    /// The leg in front.
    pub fore: LegLine,
    /// The leg behind.
    pub hind: LegLine,
    /// Height at which the two grow together.
    pub merge: f64,
}

impl Legs {
    /// Distance of the feet along the body.
    pub fn span(&self) -> f64 {
        self.fore.at(SHIN).z - self.hind.at(SHIN).z
    }

    /// Legs under a body that shows none.
    pub fn guessed(voxels: &VoxelVolume, side: f64) -> Legs {
        let depths = voxels.cells().map(|cell| voxels.grid.center(cell).z);
        let (low, high) = depths.fold((f64::MAX, f64::MIN), |(low, high), z| (low.min(z), high.max(z)));
        let [hind, fore] =
            GUESSED_LEGS.map(|part| LegLine::vertical(GUESSED_X * side, low + part * (high - low)));
        Legs { fore, hind, merge: GUESSED_MERGE }
    }

    /// Fore and hind leg of one side.
    pub fn find(voxels: &VoxelVolume, side: f64) -> Option<Legs> {
        let grid = &voxels.grid;
        let shin_row = grid.row_at(SHIN);
        let mut half = Half::new(voxels, side);
        for row in 0..=shin_row {
            half.raise(row);
        }
        let feet = half.feet(shin_row);
        let fore = feet.iter().max_by(|a, b| a.z.total_cmp(&b.z))?;
        let hind = feet.iter().min_by(|a, b| a.z.total_cmp(&b.z))?;
        if fore.z - hind.z < APART {
            return None;
        }
        let mut lines = [fore, hind].map(|foot| Tracer::new(voxels, foot.member));
        for row in 0..=shin_row {
            lines.iter_mut().for_each(|line| line.trace(&mut half, row));
        }
        for row in shin_row + 1..grid.size[1] {
            half.raise(row);
            if half.sets.find(fore.member).0 == half.sets.find(hind.member).0 {
                let [fore, hind] = lines.map(|tracer| tracer.line);
                return Some(Legs { fore, hind, merge: grid.height_of(row) });
            }
            lines.iter_mut().for_each(|line| line.trace(&mut half, row));
        }
        None
    }
}

/// One half of the body, built up from the ground row by row; touching voxels are one piece.
struct Half<'a> {
    voxels: &'a VoxelVolume,
    /// Filled voxels of this half, from the ground up.
    cells: Vec<u32>,
    /// The range of `cells` that each row holds.
    rows: Vec<usize>,
    /// The index in `cells` of every voxel that was raised.
    index: Vec<u32>,
    sets: DisjointSets,
}

/// A piece of one half of the body that stands on the ground: one of its voxels, and its middle along z.
struct Foot {
    member: u32,
    z: f64,
}

impl Half<'_> {
    fn new(voxels: &VoxelVolume, side: f64) -> Half<'_> {
        let grid = &voxels.grid;
        let mut cells = Vec::new();
        let mut rows = vec![0];
        for row in 0..grid.size[1] {
            cells.extend(
                voxels.cells_of(row).filter(|&cell| grid.center(cell).x * side > 0.0).map(|cell| cell as u32),
            );
            rows.push(cells.len());
        }
        let sets = DisjointSets::new(cells.len());
        Half { voxels, cells, rows, index: vec![u32::MAX; grid.cells()], sets }
    }

    fn members(&self, row: usize) -> std::ops::Range<usize> {
        self.rows[row]..self.rows[row + 1]
    }

    fn raise(&mut self, row: usize) {
        let neighbours = neighbour_steps(self.voxels.grid.size);
        for member in self.members(row) {
            let cell = self.cells[member] as usize;
            self.index[cell] = member as u32;
            for step in neighbours {
                let other = self.index[cell.wrapping_add_signed(step)];
                if other != u32::MAX {
                    self.sets.union(member as u32, other);
                }
            }
        }
    }

    /// The pieces that reach from the ground up to the shin and are no tail.
    fn feet(&mut self, shin_row: usize) -> Vec<Foot> {
        #[derive(Default, Clone, Copy)]
        struct Piece {
            member: u32,
            count: f64,
            x: f64,
            z: f64,
            central: f64,
            reaches_shin: bool,
        }
        let grid = &self.voxels.grid;
        let raised = 0..self.rows[shin_row + 1];
        let mut pieces = vec![Piece::default(); raised.len()];
        for member in raised {
            let center = grid.center(self.cells[member] as usize);
            let piece = &mut pieces[self.sets.find(member as u32).0 as usize];
            piece.count += 1.0;
            piece.x += center.x.abs();
            piece.z += center.z;
            piece.central += f64::from(u8::from(center.x.abs() < grid.voxel));
            if member >= self.rows[shin_row] {
                piece.reaches_shin = true;
                piece.member = member as u32;
            }
        }
        pieces
            .iter()
            .filter(|piece| piece.reaches_shin)
            .filter(|piece| piece.central < CENTRAL * piece.count && piece.x > OFF_PLANE * piece.count)
            .map(|piece| Foot { member: piece.member, z: piece.z / piece.count })
            .collect()
    }
}

/// Follows one piece upwards.
struct Tracer {
    member: u32,
    line: LegLine,
    ended: bool,
}

impl Tracer {
    fn new(voxels: &VoxelVolume, member: u32) -> Tracer {
        let line = LegLine { low: 0.0, step: voxels.grid.voxel, points: Vec::new(), edges: Vec::new() };
        Tracer { member, line, ended: false }
    }

    /// Adds the section of a row to the line, unless the leg has become trunk.
    fn trace(&mut self, half: &mut Half, row: usize) {
        if self.ended {
            return;
        }
        let grid = &half.voxels.grid;
        let piece = half.sets.find(self.member).0;
        let (mut sum, mut count) = (Vec3::zeros(), 0.0);
        let mut edges = [f64::MAX, f64::MIN];
        let mut in_trunk = false;
        for member in half.members(row) {
            if half.sets.find(member as u32).0 != piece {
                continue;
            }
            let center = grid.center(half.cells[member] as usize);
            in_trunk |= center.x.abs() < grid.voxel;
            sum += center;
            count += 1.0;
            edges = [edges[0].min(center.z), edges[1].max(center.z)];
        }
        let line = &mut self.line;
        if count == 0.0 {
            self.ended = !line.points.is_empty();
            return;
        }
        let center = sum / count;
        let jumped = line.points.len() > 2 && (center.z - line.points[line.points.len() - 2].z).abs() > JUMP;
        if (in_trunk || jumped) && grid.height_of(row) > 2.0 * SHIN {
            self.ended = true;
            return;
        }
        if line.points.is_empty() {
            line.low = grid.height_of(row);
        }
        line.points.push(center);
        line.edges.push(edges);
    }
}
