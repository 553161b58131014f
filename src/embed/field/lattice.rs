//! Cells of the octree while it is built, each with a lattice of 3×3×3 samples.

use super::{DistanceField, Leaf, trilinear};
use crate::math::{Vec3, powi};

/// The distance at a lattice point, and on which side of the surface it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub distance: f64,
    /// 1 outside, −1 inside, between them in the mouth of a hole.
    pub side: f64,
}

impl Sample {
    pub fn value(&self) -> f64 {
        self.distance * self.side
    }
}

/// The side of the surface that a winding number speaks of. Clear from a quarter away from one half on, far more than
/// the error of the number; only the mouths of holes lie between.
pub(super) fn side_of(winding_number: f64) -> f64 {
    (2.0 - 4.0 * winding_number).clamp(-1.0, 1.0)
}

/// A cell on its way to become a leaf or eight cells.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    /// Low corner, in units of the cell's side.
    pub low: [u32; 3],
    pub corners: [Sample; 8],
    /// Half-way between all corners; known from the second look on.
    pub middle: Sample,
    /// The side of the surface that all of it is on, if that is clear.
    pub side: Option<f64>,
}

impl Cell {
    /// Point `index` of the cell's lattice in the lattice of the next level, which is twice as fine.
    fn lattice_place(&self, index: usize) -> [u32; 3] {
        let [x, y, z] = self.low;
        let index = index as u32;
        [2 * x + index % 3, 2 * y + index / 3 % 3, 2 * z + index / 9]
    }

    pub fn lattice_point(&self, index: usize, side: f64) -> Vec3 {
        let [x, y, z] = self.lattice_place(index);
        Vec3::new(x.into(), y.into(), z.into()) * (0.5 * side)
    }

    /// The same for all cells that touch the point, at any depth.
    pub fn lattice_key(&self, index: usize, depth: u32) -> u64 {
        let shift = DistanceField::MAX_DEPTH - depth;
        let [x, y, z] = self.lattice_place(index).map(|x| u64::from(x << shift));
        x | y << 20 | z << 40
    }

    /// The side that the whole cell is on: all that was asked agrees, and the surface is not within the cell.
    pub fn common_side(&self, half_diagonal: f64) -> Option<f64> {
        let side = self.middle.side;
        let agrees = side.abs() == 1.0 && self.corners.iter().all(|corner| corner.side == side);
        (agrees && self.middle.distance >= half_diagonal).then_some(side)
    }

    /// What a leaf would say at point `index` of the lattice.
    pub fn interpolate(&self, index: usize) -> f64 {
        trilinear(&self.corners.map(|corner| corner.value()), &steps_to(index).map(|steps| 0.5 * steps))
    }

    /// The points on edges and faces, as bits, at which the interpolation could be wrong by more than `tolerance`, as
    /// far as the corners and the middle tell.
    pub fn doubtful_points(&self, side: f64, tolerance: f64) -> u32 {
        let known = (0..8).map(|corner| (2 * offset_of(corner), &self.corners[corner]));
        let known: Vec<_> = known.chain([(MIDDLE, &self.middle)]).collect();
        if known.iter().any(|(_, sample)| sample.side.abs() < 1.0) {
            return ON_EDGES_AND_FACES;
        }
        let doubtful = indices(ON_EDGES_AND_FACES).filter(|&index| {
            let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
            for (other, sample) in &known {
                let between = 0.5 * side * (steps_to(index) - steps_to(*other)).norm();
                least = least.max(sample.value() - between);
                most = most.min(sample.value() + between);
            }
            let interpolated = self.interpolate(index);
            interpolated - least > tolerance || most - interpolated > tolerance
        });
        doubtful.map(|index| 1 << index).sum()
    }

    pub fn child(&self, lattice: &[Sample; 27], child: usize) -> Cell {
        let origin = offset_of(child);
        Cell {
            low: std::array::from_fn(|axis| 2 * self.low[axis] + (child >> axis & 1) as u32),
            corners: std::array::from_fn(|corner| lattice[origin + offset_of(corner)]),
            middle: self.middle,
            side: self.side,
        }
    }

    pub fn leaf(&self, side: f64) -> Leaf {
        let [x, y, z] = self.low.map(f64::from);
        Leaf { low: Vec3::new(x, y, z) * side, side, values: self.corners.map(|corner| corner.value()) }
    }
}

/// A cell's lattice of 3×3×3 points is numbered with x fastest, then y, then z.
pub(super) const MIDDLE: usize = 13;

/// The step from point 0 of the lattice to the low corner of a child.
const fn offset_of(child: usize) -> usize {
    (child & 1) + (child >> 1 & 1) * 3 + (child >> 2 & 1) * 9
}

/// All points of the lattice but the middle and the corners, as bits.
pub(super) const ON_EDGES_AND_FACES: u32 = 0b010_111_010_111_101_111_010_111_010;

/// The numbers of the bits that are set.
pub(super) fn indices(bits: u32) -> impl Iterator<Item = usize> {
    (0..27).filter(move |index| bits >> index & 1 == 1)
}

/// From point 0 of the lattice to point `index`, in halves of the cell's side.
fn steps_to(index: usize) -> Vec3 {
    Vec3::new((index % 3) as f64, (index / 3 % 3) as f64, (index / 9) as f64)
}

/// The corner of the cell that is point `index` of its lattice.
pub(super) fn corner_of(index: usize) -> Option<usize> {
    (0..8).find(|&corner| 2 * offset_of(corner) == index)
}

/// Side of the cells at a depth.
pub(super) fn side_at(depth: u32) -> f64 {
    powi(0.5, depth as i32)
}

/// From the middle of a cube to its corners.
pub(super) fn half_diagonal(side: f64) -> f64 {
    const OF_UNIT_CUBE_SQUARED: f64 = 0.75;
    side * OF_UNIT_CUBE_SQUARED.sqrt()
}
