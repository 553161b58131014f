//! The graph whose nodes are packed spheres and whose edges are bones that stay inside the character.
//!
//! Baran & Popović 2007, section 3.1, "Graph Construction". Two spheres are connected if they overlap, or if no third
//! centre lies in the ball over the two (Gabriel) and the straight line between them stays deep inside. The original
//! leaves a character whose spheres fall apart without an embedding; here the pieces are joined through the smallest
//! gaps, and the gaps are reported.

use super::Sphere;
use crate::math::{DisjointSets, Vec3};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// How spheres are connected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConnectOptions {
    /// A line between two spheres that do not overlap must be deeper everywhere than this part of the smaller radius.
    /// Towards 0 edges cut across the gap between an arm and the trunk; towards 1 thin joints break the graph.
    pub depth: f64,
    /// Steps in which the depth of a line is examined.
    pub steps: usize,
    /// Whether pieces are joined; `false` is what the original does.
    pub repair: bool,
}

impl Default for ConnectOptions {
    fn default() -> ConnectOptions {
        ConnectOptions { depth: 0.5, steps: 100, repair: true }
    }
}

/// Spheres, edges, and the shortest path between any two spheres.
///
/// It keeps tables of the number of spheres squared: 12 bytes for each pair.
#[derive(Debug, Clone)]
pub struct MedialGraph {
    /// The nodes.
    pub spheres: Vec<Sphere>,
    /// Pairs of connected spheres, smaller index first, ascending; those that mended gaps included.
    pub edges: Vec<[u32; 2]>,
    /// The edges that joined separate pieces.
    pub gaps: Vec<Gap>,
    neighbors: Vec<Vec<u32>>,
    /// `distances[b * n + a]`: length of the shortest path from `a` to `b`.
    distances: Vec<f64>,
    /// `toward[b * n + a]`: the node that follows `a` on the path to `b`; `a` itself where there is no path.
    toward: Vec<u32>,
}

/// An edge that joins two pieces of the graph although nothing solid lies between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// The spheres at its ends.
    pub spheres: [u32; 2],
    /// The distance between their surfaces.
    pub length: f64,
}

/// Connects spheres. `signed_distance` is negative inside the character.
pub fn connect(
    spheres: Vec<Sphere>,
    signed_distance: impl Fn(&Vec3) -> f64 + Sync,
    options: &ConnectOptions,
) -> MedialGraph {
    let mut edges: Vec<[u32; 2]> = (0..spheres.len())
        .into_par_iter()
        .flat_map_iter(|i| edges_to_later(i, &spheres, &signed_distance, options))
        .collect();
    let gaps = if options.repair { smallest_gaps(&spheres, &edges) } else { Vec::new() };
    edges.extend(gaps.iter().map(|gap| gap.spheres));
    edges.sort_unstable();
    MedialGraph { gaps, ..MedialGraph::new(spheres, edges) }
}

/// The edges from sphere `i` to those with a greater index.
fn edges_to_later(
    i: usize,
    spheres: &[Sphere],
    signed_distance: &impl Fn(&Vec3) -> f64,
    options: &ConnectOptions,
) -> Vec<[u32; 2]> {
    let here = spheres[i];
    // A centre inside the ball over i and j is nearer to i than j is. So it is enough to look at those before j in the
    // order of distance, and one of the first few nearly always decides: no search structure would be faster for
    // the few hundred spheres of a character.
    let mut others: Vec<(f64, usize)> = (0..spheres.len())
        .filter(|&j| j != i)
        .map(|j| ((spheres[j].center - here.center).norm(), j))
        .collect();
    others.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let edges = others.iter().enumerate().filter(|&(rank, &(distance, j))| {
        let there = spheres[j];
        j > i
            && (distance < here.radius + there.radius
                || is_gabriel(&here, &there, others[..rank].iter().map(|&(_, k)| spheres[k].center))
                    && stays_deep(&here, &there, signed_distance, options))
    });
    edges.map(|(_, &(_, j))| [i as u32, j as u32]).collect()
}

/// Whether no centre lies strictly inside the ball over two spheres: none sees them under an obtuse angle.
fn is_gabriel(a: &Sphere, b: &Sphere, mut others: impl Iterator<Item = Vec3>) -> bool {
    others.all(|center| !((a.center - center).dot(&(b.center - center)) < 0.0))
}

/// Whether the line between two spheres stays deep inside.
fn stays_deep(
    a: &Sphere,
    b: &Sphere,
    signed_distance: &impl Fn(&Vec3) -> f64,
    options: &ConnectOptions,
) -> bool {
    let limit = -options.depth * a.radius.min(b.radius);
    (0..=options.steps).all(|step| {
        let t = step as f64 / options.steps.max(1) as f64;
        signed_distance(&(a.center + (b.center - a.center) * t)) < limit
    })
}

/// The edges with the smallest gaps that make the graph one piece.
fn smallest_gaps(spheres: &[Sphere], edges: &[[u32; 2]]) -> Vec<Gap> {
    let mut pieces = DisjointSets::new(spheres.len());
    edges.iter().for_each(|&[a, b]| pieces.union(a, b));
    let (labels, count) = pieces.labels();
    if count < 2 {
        return Vec::new();
    }
    let mut gaps = Vec::new();
    for b in 0..spheres.len() {
        for a in (0..b).filter(|&a| labels[a] != labels[b]) {
            let distance = (spheres[a].center - spheres[b].center).norm();
            let length = distance - spheres[a].radius - spheres[b].radius;
            gaps.push(Gap { spheres: [a as u32, b as u32], length });
        }
    }
    gaps.sort_unstable_by(|a, b| a.length.total_cmp(&b.length).then(a.spheres.cmp(&b.spheres)));
    gaps.retain(|&Gap { spheres: [a, b], .. }| {
        let is_between = pieces.find(a).0 != pieces.find(b).0;
        pieces.union(a, b);
        is_between
    });
    gaps
}

impl MedialGraph {
    /// A graph with given edges.
    ///
    /// # Panics
    /// If an edge names a sphere that does not exist.
    pub fn new(spheres: Vec<Sphere>, edges: Vec<[u32; 2]>) -> MedialGraph {
        let mut neighbors = vec![Vec::new(); spheres.len()];
        for &[a, b] in &edges {
            neighbors[a as usize].push(b);
            neighbors[b as usize].push(a);
        }
        for list in &mut neighbors {
            list.sort_unstable();
        }
        let trees: Vec<(Vec<f64>, Vec<u32>)> = (0..spheres.len() as u32)
            .into_par_iter()
            .map(|target| shortest_paths_to(target, &spheres, &neighbors))
            .collect();
        let mut distances = Vec::with_capacity(spheres.len() * spheres.len());
        let mut toward = Vec::with_capacity(spheres.len() * spheres.len());
        for (row, next) in trees {
            distances.extend(row);
            toward.extend(next);
        }
        MedialGraph { spheres, edges, gaps: Vec::new(), neighbors, distances, toward }
    }

    /// The spheres connected to one, ascending.
    pub fn neighbors(&self, node: u32) -> &[u32] {
        &self.neighbors[node as usize]
    }

    /// The centre of a sphere.
    pub fn center(&self, node: u32) -> Vec3 {
        self.spheres[node as usize].center
    }

    /// The radius of a sphere.
    pub fn radius(&self, node: u32) -> f64 {
        self.spheres[node as usize].radius
    }

    /// Length of the shortest path from `a` to `b`; infinite if there is none.
    pub fn distance(&self, a: u32, b: u32) -> f64 {
        self.distances[b as usize * self.spheres.len() + a as usize]
    }

    /// The nodes of the shortest path from `a` to `b`, both included; only `a` if there is none.
    pub fn path(&self, a: u32, b: u32) -> impl Iterator<Item = u32> {
        let row = &self.toward[b as usize * self.spheres.len()..][..self.spheres.len()];
        std::iter::successors(Some(a), move |&node| {
            let next = row[node as usize];
            (next != node).then_some(next)
        })
    }
}

/// A node of Dijkstra's queue: the nearest first, equal ones by index.
#[derive(PartialEq)]
struct Reached {
    distance: f64,
    node: u32,
}

impl Eq for Reached {}

impl Ord for Reached {
    fn cmp(&self, other: &Reached) -> Ordering {
        other.distance.total_cmp(&self.distance).then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Reached) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Dijkstra's tree with its root at `target`: for each node the distance, and the next node on the path.
fn shortest_paths_to(target: u32, spheres: &[Sphere], neighbors: &[Vec<u32>]) -> (Vec<f64>, Vec<u32>) {
    let mut distances = vec![f64::INFINITY; spheres.len()];
    let mut toward: Vec<u32> = (0..spheres.len() as u32).collect();
    distances[target as usize] = 0.0;
    let mut queue = BinaryHeap::from([Reached { distance: 0.0, node: target }]);
    while let Some(Reached { distance, node }) = queue.pop() {
        if distance > distances[node as usize] {
            continue;
        }
        for &next in &neighbors[node as usize] {
            let step = (spheres[next as usize].center - spheres[node as usize].center).norm();
            if distance + step < distances[next as usize] {
                distances[next as usize] = distance + step;
                toward[next as usize] = node;
                queue.push(Reached { distance: distance + step, node: next });
            }
        }
    }
    (distances, toward)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ball(x: f64, y: f64, radius: f64) -> Sphere {
        Sphere { center: Vec3::new(x, y, 0.0), radius }
    }

    #[test]
    fn overlap_connects_whatever_lies_between() {
        let graph =
            connect(vec![ball(0.0, 0.0, 0.6), ball(1.0, 0.0, 0.6)], |_| 1.0, &ConnectOptions::default());
        assert_eq!((graph.edges, graph.gaps.len()), (vec![[0, 1]], 0));
    }

    #[test]
    fn a_third_centre_in_the_ball_prevents_an_edge_and_one_on_it_does_not() {
        let edges = |y: f64| {
            let spheres = vec![ball(0.0, 0.0, 0.1), ball(2.0, 0.0, 0.1), ball(1.0, y, 0.1)];
            connect(spheres, |_| -1.0, &ConnectOptions::default()).edges
        };
        assert_eq!(edges(0.5), [[0, 2], [1, 2]]);
        assert_eq!(edges(1.0), [[0, 1], [0, 2], [1, 2]]);
    }

    #[test]
    fn a_line_must_stay_deep_and_repair_mends_the_smallest_gap() {
        let spheres = vec![ball(0.0, 0.0, 0.1), ball(1.0, 0.0, 0.2), ball(3.0, 0.0, 0.5)];
        // Half of the smaller radius is the limit: 0.05 on the first line, 0.1 on the second.
        let field = |p: &Vec3| if p.x < 1.0 { -0.06 } else { -0.09 };
        let options = ConnectOptions { repair: false, ..ConnectOptions::default() };
        let torn = connect(spheres.clone(), field, &options);
        assert_eq!(torn.edges, [[0, 1]]);
        assert_eq!(torn.distance(0, 2), f64::INFINITY);
        assert_eq!(torn.path(0, 2).collect::<Vec<_>>(), [0]);
        let mended = connect(spheres, field, &ConnectOptions::default());
        assert_eq!(mended.edges, [[0, 1], [1, 2]]);
        assert_eq!(mended.gaps, [Gap { spheres: [1, 2], length: 1.3 }]);
        assert_eq!(mended.path(0, 2).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(mended.distance(0, 2), 3.0);
    }

    #[test]
    fn nothing_at_all_is_a_graph() {
        assert!(connect(Vec::new(), |_| 0.0, &ConnectOptions::default()).edges.is_empty());
    }

    fn any_spheres() -> impl Strategy<Value = Vec<Sphere>> {
        let sphere = (0.0..1.0, 0.0..1.0, 0.0..1.0, 0.01..0.1)
            .prop_map(|(x, y, z, radius)| Sphere { center: Vec3::new(x, y, z), radius });
        prop::collection::vec(sphere, 1..25)
    }

    proptest! {
        #[test]
        fn edges_are_those_of_the_definition(spheres in any_spheres()) {
            let field = |p: &Vec3| (p - Vec3::repeat(0.5)).norm() - 0.6;
            let options = ConnectOptions { repair: false, ..ConnectOptions::default() };
            let graph = connect(spheres.clone(), field, &options);
            let mut expected = Vec::new();
            for (i, a) in spheres.iter().enumerate() {
                for (j, b) in spheres.iter().enumerate().skip(i + 1) {
                    let (middle, length) = ((a.center + b.center) * 0.5, (a.center - b.center).norm());
                    let is_free = |k: usize| k == i || k == j || (spheres[k].center - middle).norm() >= length * 0.5;
                    let deepest = (0..=100).map(|s| field(&a.center.lerp(&b.center, s as f64 / 100.0)));
                    let is_deep = deepest.fold(f64::MIN, f64::max) < -0.5 * a.radius.min(b.radius);
                    if length < a.radius + b.radius || ((0..spheres.len()).all(is_free) && is_deep) {
                        expected.push([i as u32, j as u32]);
                    }
                }
            }
            prop_assert_eq!(graph.edges, expected);
        }

        #[test]
        fn repair_connects_everything_and_paths_have_their_length(spheres in any_spheres()) {
            let count = spheres.len() as u32;
            // Nothing is inside, so that only overlaps connect.
            let graph = connect(spheres, |_| 1.0, &ConnectOptions::default());
            for a in 0..count {
                for b in 0..count {
                    let path: Vec<u32> = graph.path(a, b).collect();
                    prop_assert_eq!((path[0], path[path.len() - 1]), (a, b));
                    let length: f64 =
                        path.windows(2).map(|step| (graph.center(step[0]) - graph.center(step[1])).norm()).sum();
                    prop_assert!((length - graph.distance(a, b)).abs() < 1e-12);
                    prop_assert!(path.windows(2).all(|step| graph.neighbors(step[0]).contains(&step[1])));
                }
            }
        }
    }
}
