//! The shape of the tree: which triangles share a node, eight children each.
//!
//! Wald 2007, "On fast Construction of SAH-based Bounding Volume Hierarchies": splits are chosen by the surface
//! area heuristic over binned centroids. The wide node is grown directly, by splitting its dearest group until
//! there are eight, in the manner of Wald, Benthin & Boulos 2008, "Getting Rid of Packets". Two differences:
//! a group costs its number of *leaves*, not of triangles, because a leaf of one triangle takes as long as a full
//! one; and the depth is bounded by splitting at medians where the heuristic would run out of levels.

use super::lanes::{Lanes, WIDTH, larger, smaller};
use rayon::prelude::*;
use std::ops::Range;

/// Most inner nodes on a path from the root. Eight to this power, times a leaf, is far more triangles than an
/// index can count, and 108k triangles need five levels, so medians take over
/// only in extreme cases.
const MAX_LEVELS: u32 = 14;

/// Entries that a walk may have pending: each level leaves at most seven siblings behind.
pub(super) const MAX_PENDING: usize = (WIDTH - 1) * MAX_LEVELS as usize + 1;

/// Candidate planes per axis, plus one. Near the surface of 108k triangles a query visits 8.9 nodes and 6.3 leaves; with
/// 4 bins 9.3 and 6.5, and there are a tenth more leaves; 32 or 64 bins gain nothing more.
const BINS: usize = 16;

/// Buckets above this size are built as tasks of their own: small enough to share the work out, large enough that
/// handing it over is cheap beside it. Not tuned.
const PARALLEL_ABOVE: usize = 2048;

/// How far boxes reach beyond their triangles, in tree-local units (the mesh spans −1 to 1): covers the
/// rounding of corners, of query points inside the box and of ray directions to `f32`.
const BOX_SLACK: f32 = 1.0 / (1 << 20) as f32;

/// Marks a child that is a leaf.
const LEAF_BIT: u32 = 1 << 31;

/// The triangle as the heuristic sees it: its box in tree-local coordinates.
#[derive(Clone, Copy)]
pub(super) struct Boxed {
    pub(super) bounds: Box32,
    pub(super) triangle: u32,
}

/// An axis-aligned box in tree-local coordinates.
#[derive(Clone, Copy)]
pub(super) struct Box32 {
    min: [f32; 3],
    max: [f32; 3],
}

impl Box32 {
    pub(super) const EMPTY: Box32 = Box32 { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    pub(super) fn union(&self, other: &Box32) -> Box32 {
        let mut union = *self;
        for axis in 0..3 {
            union.min[axis] = smaller(union.min[axis], other.min[axis]);
            union.max[axis] = larger(union.max[axis], other.max[axis]);
        }
        union
    }

    pub(super) fn around(points: &[[f32; 3]]) -> Box32 {
        points.iter().fold(Box32::EMPTY, |bounds, &point| bounds.union(&Box32 { min: point, max: point }))
    }

    fn of(boxed: &[Boxed]) -> Box32 {
        boxed.iter().fold(Box32::EMPTY, |bounds, item| bounds.union(&item.bounds))
    }

    /// Twice the centre: saves a product wherever only the order matters.
    fn doubled_center(&self, axis: usize) -> f32 {
        self.min[axis] + self.max[axis]
    }

    /// Half the surface area; zero for the empty box.
    fn half_area(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|axis| larger(self.max[axis] - self.min[axis], 0.0));
        x * y + y * z + z * x
    }
}

/// An inner node: the boxes of eight children, transposed so that a query tests them side by side. Boxes of
/// absent children are empty and no query enters them.
pub(super) struct Node {
    pub(super) min: [Lanes; 3],
    pub(super) max: [Lanes; 3],
    pub(super) children: [Child; WIDTH],
}

/// An inner node or a leaf, by index.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(super) struct Child(u32);

impl Child {
    /// The root is always an inner node, if need be with no children at all.
    pub(super) const ROOT: Child = Child(0);

    pub(super) fn leaf(self) -> Option<usize> {
        (self.0 & LEAF_BIT != 0).then_some((self.0 & !LEAF_BIT) as usize)
    }

    pub(super) fn node(self) -> usize {
        self.0 as usize
    }
}

/// A tree whose leaves are runs of the reordered triangles.
pub(super) struct Layout {
    /// Inner nodes, parents before children; there is always a root.
    pub(super) nodes: Vec<Node>,
    /// For each node the run of triangles below each of its children, in order.
    pub(super) runs: Vec<Vec<Range<usize>>>,
    /// The run of at most [`WIDTH`] triangles in each leaf.
    pub(super) leaves: Vec<Range<usize>>,
    /// The triangle at each index of the runs.
    pub(super) order: Vec<u32>,
}

impl Layout {
    pub(super) fn of(mut boxed: Vec<Boxed>) -> Layout {
        let mut root = grow(&mut boxed, 0, MAX_LEVELS);
        if root.children.is_empty() && !boxed.is_empty() {
            root = Branch { bounds: root.bounds, run: root.run.clone(), children: vec![root] };
        }
        let order = boxed.iter().map(|item| item.triangle).collect();
        let mut layout = Layout { nodes: Vec::new(), runs: Vec::new(), leaves: Vec::new(), order };
        layout.add(&root);
        layout
    }

    /// Lays out a branch with everything below it, depth first, and returns the index of its node.
    fn add(&mut self, branch: &Branch) -> u32 {
        let index = self.nodes.len();
        self.nodes.push(Node {
            min: [Lanes::all(f32::INFINITY); 3],
            max: [Lanes::all(f32::NEG_INFINITY); 3],
            children: Default::default(),
        });
        self.runs.push(branch.children.iter().map(|child| child.run.clone()).collect());
        for (lane, child) in branch.children.iter().enumerate() {
            let reference = if child.children.is_empty() {
                self.leaves.push(child.run.clone());
                LEAF_BIT | (self.leaves.len() - 1) as u32
            } else {
                self.add(child)
            };
            let node = &mut self.nodes[index];
            node.children[lane] = Child(reference);
            for axis in 0..3 {
                node.min[axis][lane] = child.bounds.min[axis] - BOX_SLACK;
                node.max[axis][lane] = child.bounds.max[axis] + BOX_SLACK;
            }
        }
        index as u32
    }
}

/// The tree while it grows; without children it is a leaf.
struct Branch {
    bounds: Box32,
    run: Range<usize>,
    children: Vec<Branch>,
}

/// The most triangles that fit below a node with so many levels left.
fn capacity(levels: u32) -> usize {
    WIDTH << (3 * levels)
}

/// Reorders `boxed`, which begins at index `start` of the whole, into a branch of at most `levels` inner levels.
fn grow(boxed: &mut [Boxed], start: usize, levels: u32) -> Branch {
    let bounds = Box32::of(boxed);
    let run = start..start + boxed.len();
    if boxed.len() <= WIDTH {
        return Branch { bounds, run, children: Vec::new() };
    }
    let mut groups = group(boxed, Rule::Area);
    if groups.iter().any(|group| group.len() > capacity(levels - 1)) {
        groups = group(boxed, Rule::Median);
    }

    let mut rest = boxed;
    let mut slices = Vec::with_capacity(WIDTH);
    for group in groups {
        let (slice, after) = rest.split_at_mut(group.len());
        slices.push((slice, start + group.start));
        rest = after;
    }
    let grow_child = |(slice, start)| grow(slice, start, levels - 1);
    let children = if run.len() > PARALLEL_ABOVE {
        slices.into_par_iter().map(grow_child).collect()
    } else {
        slices.into_iter().map(grow_child).collect()
    };
    Branch { bounds, run, children }
}

/// How groups are cut.
#[derive(Clone, Copy)]
enum Rule {
    /// Where queries become cheapest.
    Area,
    /// Into halves of equal size, so that eight groups hold an eighth each.
    Median,
}

/// Cuts the dearest group in two until there are eight or all fit into leaves.
fn group(boxed: &mut [Boxed], rule: Rule) -> Vec<Range<usize>> {
    let mut groups = vec![(0..boxed.len(), Box32::of(boxed))];
    while groups.len() < WIDTH {
        let mut dearest = None;
        let mut highest = f32::NEG_INFINITY;
        for (at, (group, bounds)) in groups.iter().enumerate() {
            let price = match rule {
                Rule::Area => cost(bounds.half_area(), group.len()),
                Rule::Median => group.len() as f32,
            };
            if group.len() > WIDTH && price > highest {
                (dearest, highest) = (Some(at), price);
            }
        }
        let Some(at) = dearest else { break };
        let (whole, bounds) = groups[at].clone();
        let part = &mut boxed[whole.clone()];
        let middle = whole.start
            + match rule {
                Rule::Area => cut_by_area(part, &bounds),
                Rule::Median => cut_at_median(part, &bounds),
            };
        let halves = [whole.start..middle, middle..whole.end];
        groups.splice(at..=at, halves.map(|half| (half.clone(), Box32::of(&boxed[half]))));
    }
    groups.into_iter().map(|(group, _)| group).collect()
}

/// What visiting a group costs, up to constants: the chance to enter its box times the leaves to look at.
fn cost(half_area: f32, triangles: usize) -> f32 {
    half_area * triangles.div_ceil(WIDTH) as f32
}

/// Part of the extent that the bins cover: the highest centre must still fall into the last bin.
const COVERED: f32 = 1.0 - 1e-6;

/// The bins of the centres of boxes, along each axis.
struct Binning {
    low: [f32; 3],
    per_unit: [f32; 3],
}

impl Binning {
    fn of(boxed: &[Boxed]) -> Binning {
        let mut low = [f32::INFINITY; 3];
        let mut high = [f32::NEG_INFINITY; 3];
        for item in boxed {
            for axis in 0..3 {
                let center = item.bounds.doubled_center(axis);
                low[axis] = smaller(low[axis], center);
                high[axis] = larger(high[axis], center);
            }
        }
        Binning { low, per_unit: [0, 1, 2].map(|axis| BINS as f32 * COVERED / (high[axis] - low[axis])) }
    }

    fn bin(&self, item: &Boxed, axis: usize) -> usize {
        let along = (item.bounds.doubled_center(axis) - self.low[axis]) * self.per_unit[axis];
        (along as usize).min(BINS - 1)
    }
}

/// Partitions a group by the cheapest binned plane and returns where its second half begins.
fn cut_by_area(boxed: &mut [Boxed], bounds: &Box32) -> usize {
    let binning = Binning::of(boxed);
    let mut bins = [[(Box32::EMPTY, 0usize); BINS]; 3];
    for item in boxed.iter() {
        for (axis, bins) in bins.iter_mut().enumerate() {
            let (bounds, count) = &mut bins[binning.bin(item, axis)];
            *bounds = bounds.union(&item.bounds);
            *count += 1;
        }
    }

    let mut best = None;
    let mut lowest = f32::INFINITY;
    for (axis, bins) in bins.iter().enumerate() {
        // Costs of everything above each plane, then swept from below.
        let mut above = [0.0; BINS];
        let mut sum = (Box32::EMPTY, 0);
        for plane in (1..BINS).rev() {
            sum = (sum.0.union(&bins[plane].0), sum.1 + bins[plane].1);
            above[plane] = cost(sum.0.half_area(), sum.1);
        }
        sum = (Box32::EMPTY, 0);
        for plane in 1..BINS {
            sum = (sum.0.union(&bins[plane - 1].0), sum.1 + bins[plane - 1].1);
            let price = cost(sum.0.half_area(), sum.1) + above[plane];
            if sum.1 > 0 && sum.1 < boxed.len() && price < lowest {
                (best, lowest) = (Some((axis, plane)), price);
            }
        }
    }
    match best {
        Some((axis, plane)) => partition(boxed, |item| binning.bin(item, axis) < plane),
        None => cut_at_median(boxed, bounds),
    }
}

/// Moves what belongs below to the front and returns how many there are.
fn partition(boxed: &mut [Boxed], is_below: impl Fn(&Boxed) -> bool) -> usize {
    let mut below = 0;
    for at in 0..boxed.len() {
        if is_below(&boxed[at]) {
            boxed.swap(below, at);
            below += 1;
        }
    }
    below
}

/// Halves a group at the median of its longest axis.
fn cut_at_median(boxed: &mut [Boxed], bounds: &Box32) -> usize {
    let extent = [0, 1, 2].map(|axis| bounds.max[axis] - bounds.min[axis]);
    // Of equals the first.
    let axis = (0..3).rev().max_by(|&a, &b| extent[a].total_cmp(&extent[b])).unwrap_or(0);
    let middle = boxed.len() / 2;
    boxed.select_nth_unstable_by(middle, |a, b| {
        let [a_center, b_center] = [a, b].map(|item| item.bounds.doubled_center(axis));
        a_center.total_cmp(&b_center).then(a.triangle.cmp(&b.triangle))
    });
    middle
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(branch: &Branch) -> u32 {
        branch.children.iter().map(|child| 1 + levels(child)).max().unwrap_or(0)
    }

    #[test]
    fn medians_keep_the_depth_where_the_heuristic_would_not() {
        // Each box a fifth nearer to zero than the one before: planes at even distances cut off a few at a time.
        let boxed = |at: u32| {
            let x = 0.8f32.powi(at as i32);
            Boxed { bounds: Box32::around(&[[x, 0.0, 0.0], [x * 1.1, x, x]]), triangle: at }
        };
        let mut all: Vec<Boxed> = (0..400).map(boxed).collect();
        assert!(group(&mut all, Rule::Area).iter().any(|group| group.len() > capacity(1)));
        assert_eq!(levels(&grow(&mut all, 0, 2)), 2);
        let mut triangles: Vec<u32> = all.iter().map(|item| item.triangle).collect();
        triangles.sort_unstable();
        assert!(triangles.iter().copied().eq(0..400));
    }
}
