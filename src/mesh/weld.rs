//! Merging vertices at the same position.
//!
//! glTF and STL store a vertex once for each normal, texture seam or triangle that meets there. The methods
//! need the surface, so vertices closer than a tolerance become one. The result is exact: two vertices are
//! merged if and only if a chain of steps, none longer than the tolerance, leads from one to the other. It
//! therefore does not depend on the order of the vertices. (The one exception is a crowd, see `CROWD`.)

use crate::math::{Bounds, DisjointSets, Vec3};

/// Merged vertices, and the map to them from the original ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Weld {
    /// One position for each merged vertex, in the order of first appearance; of the positions merged into
    /// one, the smallest by x, then y, then z.
    pub positions: Vec<Vec3>,
    /// The merged vertex of every original vertex.
    pub welded: Vec<u32>,
}

/// Side of a hash cell in tolerances. Larger cells hold more points that must be compared; smaller ones make
/// more points lie within reach of a neighbouring cell, which must then be searched as well.
const CELL: f64 = 4.0;

/// A point with so many others within the tolerance is not stored, because what is near it is near one of
/// them too, or the mesh is a speck beside an outlier and everything merges anyway. Without a limit such a speck
/// would take quadratic time; a limit of a few would lose merges in ordinary meshes.
const CROWD: usize = 16;

/// Side of a hash cell without a tolerance, in parts of the mesh's longest side (or of 1, if that is larger). Any size
/// does: only equal positions are merged.
const CELL_OF_EQUALS: f64 = 1e-6;

/// Merges vertices closer than `tolerance`, an absolute length. Positions must be finite.
pub fn weld(positions: &[Vec3], tolerance: f64) -> Weld {
    let bounds = Bounds::of(positions);
    let cell = match tolerance > 0.0 {
        true => CELL * tolerance,
        false => bounds.extent().max().max(1.0) * CELL_OF_EQUALS,
    };
    let mut grid = Grid::new(positions.len());
    let mut sets = DisjointSets::new(positions.len());
    for (vertex, position) in positions.iter().enumerate() {
        let in_cells = (position - bounds.min) / cell;
        let home = in_cells.map(f64::floor);
        // The cells within reach: along each axis the own one, and the neighbour if it is closer than the tolerance.
        let reach = tolerance / cell;
        let low = (in_cells - home).map(|f| if f <= reach { -1.0 } else { 0.0 });
        let high = (in_cells - home).map(|f| if f >= 1.0 - reach { 1.0 } else { 0.0 });
        let mut known = false;
        let mut near = 0;
        for_cells(home + low, home + high, |corner| {
            for other in grid.points_in(corner) {
                let step = (positions[other as usize] - position).norm_squared();
                if step <= tolerance * tolerance {
                    sets.union(vertex as u32, other);
                    near += 1;
                    known |= step == 0.0 || near > CROWD;
                }
                if known {
                    return false;
                }
            }
            true
        });
        if !known {
            grid.insert(home, vertex as u32);
        }
    }

    let (welded, count) = sets.labels();
    let mut merged = vec![Vec3::repeat(f64::INFINITY); count];
    for (position, &to) in positions.iter().zip(&welded) {
        let smallest = &mut merged[to as usize];
        if position.as_slice() < smallest.as_slice() {
            *smallest = *position;
        }
    }
    Weld { positions: merged, welded }
}

/// Calls `visit` for each cell of the block from `low` to `high` until it returns false.
fn for_cells(low: Vec3, high: Vec3, mut visit: impl FnMut(Vec3) -> bool) {
    let mut cell = low;
    loop {
        if !visit(cell) {
            return;
        }
        let Some(axis) = (0..3).find(|&axis| cell[axis] < high[axis]) else { return };
        for before in 0..axis {
            cell[before] = low[before];
        }
        cell[axis] += 1.0;
    }
}

/// Points hashed by their cell. Points of other cells with the same hash may be met; callers compare positions anyway.
struct Grid {
    first: Vec<u32>,
    next: Vec<u32>,
    /// Leaves as many upper bits of a hash as number the buckets.
    shift: u32,
}

const NONE: u32 = u32::MAX;

impl Grid {
    fn new(capacity: usize) -> Grid {
        let buckets = (2 * capacity).next_power_of_two().max(2);
        Grid { first: vec![NONE; buckets], next: vec![NONE; capacity], shift: 64 - buckets.trailing_zeros() }
    }

    fn bucket(&self, cell: Vec3) -> usize {
        let mut hash = 0u64;
        for axis in 0..3 {
            // Fibonacci hashing: the upper bits of a product with 2⁶⁴ / golden ratio are well mixed.
            hash = (hash.rotate_left(21) ^ cell[axis] as i64 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        (hash >> self.shift) as usize
    }

    fn insert(&mut self, cell: Vec3, point: u32) {
        let bucket = self.bucket(cell);
        self.next[point as usize] = self.first[bucket];
        self.first[bucket] = point;
    }

    fn points_in(&self, cell: Vec3) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.first[self.bucket(cell)];
        std::iter::from_fn(move || {
            let point = at;
            at = *self.next.get(point as usize)?;
            Some(point)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// The definition itself, in quadratic time.
    fn weld_slowly(positions: &[Vec3], tolerance: f64) -> Vec<u32> {
        let mut sets = DisjointSets::new(positions.len());
        for a in 0..positions.len() {
            for b in 0..a {
                if (positions[a] - positions[b]).norm() <= tolerance {
                    sets.union(a as u32, b as u32);
                }
            }
        }
        sets.labels().0
    }

    /// Points of a cube that is `size` wide.
    fn scattered(count: usize, size: f64) -> Vec<Vec3> {
        let mut random = Random::new(1);
        (0..count).map(|_| Vec3::from_fn(|_, _| random.between(0.0, size))).collect()
    }

    #[test]
    fn merges_exactly_the_chains_of_short_steps() {
        let mut points = scattered(600, 1.0);
        points.iter_mut().for_each(|point| point.z *= 0.2);
        for tolerance in [0.0, 0.003, 0.02, 0.05] {
            let weld = weld(&points, tolerance);
            assert_eq!(weld.welded, weld_slowly(&points, tolerance), "tolerance {tolerance}");
        }
    }

    #[test]
    fn equal_positions_merge_also_without_tolerance_and_signed_zeros_are_equal() {
        let points = [Vec3::new(0.0, 1.0, 2.0), Vec3::zeros(), Vec3::new(-0.0, 1.0, 2.0), Vec3::zeros()];
        assert_eq!(weld(&points, 0.0).welded, [0, 1, 0, 1]);
    }

    #[test]
    fn a_speck_beside_an_outlier_takes_linear_time() {
        let mut points = scattered(200_000, 1e-4);
        points.push(Vec3::new(100.0, 0.0, 0.0));
        let weld = weld(&points, 1e-3);
        assert_eq!(weld.positions.len(), 2);
    }

    #[test]
    fn an_outlier_does_not_crowd_the_others_into_one_cell() {
        let mut points = scattered(50_000, 1.0);
        points.push(Vec3::new(1e30, 0.0, 0.0));
        assert_eq!(weld(&points, 1e-5).positions.len(), 50_001);
    }

    #[test]
    fn nothing_in_nothing_out() {
        assert!(weld(&[], 1e-3).positions.is_empty());
    }
}
