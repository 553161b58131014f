//! Builds the octree level by level.

use super::lattice::{
    Cell, MIDDLE, ON_EDGES_AND_FACES, Sample, corner_of, half_diagonal, indices, side_at, side_of,
};
use super::{DistanceField, FieldOptions, LEAF, TABLE_DEPTH};
use crate::math::Vec3;
use crate::mesh::TriangleTree;
use rayon::prelude::*;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The surface may be beyond where the triangle inequality puts it by the rounding of distances: a factor and a length.
const ROUNDING_FACTOR: f64 = 1.0 + 1e-9;
const ROUNDING: f64 = 1e-12;

/// What becomes of a cell.
enum Fate {
    /// The interpolation is right.
    Leaf,
    /// It is wrong.
    Split,
    /// That depends on these points of the lattice.
    Open(u32),
}

pub(super) struct Builder<'a> {
    boundary: &'a TriangleTree,
    solids: &'a [&'a TriangleTree],
    options: &'a FieldOptions,
    /// Samples on the edges and faces of cells by lattice key: neighbours share them.
    shared: HashMap<u64, u32, BuildHasherDefault<KeyHasher>>,
    samples: Vec<Sample>,
    queries: usize,
}

impl Builder<'_> {
    /// `solids` say what is inside, `boundary` how far away the surface is.
    pub fn new<'a>(
        boundary: &'a TriangleTree,
        solids: &'a [&'a TriangleTree],
        options: &'a FieldOptions,
    ) -> Builder<'a> {
        Builder { boundary, solids, options, shared: HashMap::default(), samples: Vec::new(), queries: 0 }
    }

    pub fn run(mut self) -> DistanceField {
        let corners = std::array::from_fn(|corner| {
            let [x, y, z] = [0, 1, 2].map(|axis| f64::from(corner as u32 >> axis & 1));
            self.sample(&Vec3::new(x, y, z), None, f64::INFINITY)
        });
        self.queries += 8;
        let mut cells = vec![Cell { low: [0; 3], corners, middle: corners[0], side: None }];
        let mut nodes = Vec::new();
        let mut leaves = Vec::new();
        let max_depth = self.options.max_depth.min(DistanceField::MAX_DEPTH);
        for depth in 0..=max_depth {
            let mut lattices =
                if depth < max_depth { self.split(&mut cells, depth) } else { vec![None; cells.len()] };
            let splits = lattices.iter().flatten().count();
            if depth > 0 && leaves.len() + cells.len() + 7 * splits > self.options.max_leaves {
                lattices.fill(None);
            }
            let first_child = nodes.len() + cells.len();
            let mut children = Vec::with_capacity(8 * splits);
            for (cell, lattice) in cells.iter().zip(&lattices) {
                if let Some(lattice) = lattice {
                    nodes.push((first_child + children.len()) as u32);
                    children.extend((0..8).map(|child| cell.child(lattice, child)));
                } else {
                    nodes.push(LEAF | leaves.len() as u32);
                    leaves.push(cell.leaf(side_at(depth)));
                }
            }
            cells = children;
        }
        let table = (0..1 << (3 * TABLE_DEPTH)).map(|cell| descend(&nodes, cell)).collect();
        DistanceField { nodes, leaves, table, queries: self.queries }
    }

    /// For each cell of a level that must be split, the samples of its lattice.
    fn split(&mut self, cells: &mut [Cell], depth: u32) -> Vec<Option<Box<[Sample; 27]>>> {
        let side = side_at(depth);
        let half_diagonal = half_diagonal(side);
        let tolerance = self.options.tolerance;

        // The middles first: most of space is outside, and there that is all we need to know.
        cells.par_iter_mut().with_min_len(64).for_each(|cell| {
            let reach = cell.corners[0].distance + half_diagonal;
            cell.middle = self.sample(&cell.lattice_point(MIDDLE, side), cell.side, reach);
            cell.side = cell.side.or_else(|| cell.common_side(half_diagonal));
        });
        self.queries += cells.len();

        // Then the points on edges and faces that could be missed by more than the tolerance. Distances differ by no
        // more than the points do, so on the finest levels next to none can.
        let mut fates: Vec<Fate> = cells
            .par_iter()
            .with_min_len(64)
            .map(|cell| match cell.middle.value() {
                _ if depth == 0 => Fate::Split,
                value if value > half_diagonal => Fate::Leaf,
                value if (cell.interpolate(MIDDLE) - value).abs() > tolerance => Fate::Split,
                _ => Fate::Open(cell.doubtful_points(side, tolerance)),
            })
            .collect();
        let doubtful = fates.iter().map(|fate| if let Fate::Open(points) = fate { *points } else { 0 });
        self.ask(cells, doubtful, depth);
        fates.par_iter_mut().with_min_len(64).zip(&*cells).for_each(|(fate, cell)| {
            let Fate::Open(points) = *fate else { return };
            let is_missed = indices(points).any(|index| {
                (cell.interpolate(index) - self.shared_sample(cell, index, depth).value()).abs() > tolerance
            });
            *fate = if is_missed { Fate::Split } else { Fate::Leaf };
        });

        // And all others where cells are split.
        let all = fates.iter().map(|fate| if let Fate::Split = fate { ON_EDGES_AND_FACES } else { 0 });
        self.ask(cells, all, depth);
        let cells = cells.par_iter().with_min_len(64).zip(&fates);
        let lattices =
            cells.map(|(cell, fate)| matches!(fate, Fate::Split).then(|| self.lattice(cell, depth)));
        lattices.collect()
    }

    /// All samples of a cell.
    fn lattice(&self, cell: &Cell, depth: u32) -> Box<[Sample; 27]> {
        Box::new(std::array::from_fn(|index| match corner_of(index) {
            Some(corner) => cell.corners[corner],
            None if index == MIDDLE => cell.middle,
            None => *self.shared_sample(cell, index, depth),
        }))
    }

    /// A sample on an edge or a face of a cell that was asked for.
    fn shared_sample(&self, cell: &Cell, index: usize, depth: u32) -> &Sample {
        &self.samples[self.shared[&cell.lattice_key(index, depth)] as usize]
    }

    /// Samples those `points` of the cells' lattices that were not sampled before, once for all cells that share them.
    fn ask(&mut self, cells: &[Cell], points: impl Iterator<Item = u32>, depth: u32) {
        let side = side_at(depth);
        let half_diagonal = half_diagonal(side);
        let mut wanted: Vec<(Vec3, Option<f64>, f64)> = Vec::new();
        for (cell, points) in cells.iter().zip(points) {
            for index in indices(points) {
                let next = (self.samples.len() + wanted.len()) as u32;
                let sample = *self.shared.entry(cell.lattice_key(index, depth)).or_insert(next);
                if sample == next {
                    let reach = cell.middle.distance + half_diagonal;
                    wanted.push((cell.lattice_point(index, side), cell.side, reach));
                }
            }
        }
        self.queries += wanted.len();
        let wanted = wanted.par_iter().with_min_len(64);
        let answers: Vec<Sample> =
            wanted.map(|(point, side, reach)| self.sample(point, *side, *reach)).collect();
        self.samples.extend(answers);
    }

    /// The signed distance at a point. The surface is known to lie within `reach`; `side` is given where it is known.
    fn sample(&self, point: &Vec3, side: Option<f64>, reach: f64) -> Sample {
        let nearest = self.boundary.nearest_within(point, reach * ROUNDING_FACTOR + ROUNDING);
        match nearest.or_else(|| self.boundary.nearest(point)) {
            Some(nearest) => {
                Sample { distance: nearest.distance, side: side.unwrap_or_else(|| self.side(point)) }
            }
            // Without any surface everything is outside, further than any point of the cube is from another.
            None => Sample { distance: 2.0, side: 1.0 },
        }
    }

    fn side(&self, point: &Vec3) -> f64 {
        let mut side = 1.0f64;
        for solid in self.solids {
            side = side.min(side_of(solid.winding_number(point)));
            if side == -1.0 {
                break;
            }
        }
        side
    }
}

/// The node that holds a cell of the grid at [`TABLE_DEPTH`].
fn descend(nodes: &[u32], cell: u32) -> u32 {
    let mut node = 0;
    for bit in (0..TABLE_DEPTH).rev() {
        if nodes[node as usize] & LEAF != 0 {
            break;
        }
        let child = (0..3).map(|axis| (cell >> (axis * TABLE_DEPTH + bit) & 1) << axis).sum::<u32>();
        node = nodes[node as usize] + child;
    }
    node
}

/// Mixes lattice keys by one multiplication; they are not chosen by an adversary, only by the shape.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, _: &[u8]) {
        unreachable!("lattice keys are u64");
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = (key ^ key >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 29;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
