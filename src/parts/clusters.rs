//! From the contact graph to trees: Bharaj et al. 2012, section 3.3.
//!
//! Edges are collapsed, the cheapest first, until every edge is the only path between its ends. That is the high-resolution
//! tree. Going on with small pieces and short edges gives the low-resolution tree, whose branches are the limbs.
//!
//! Where we differ:
//! * An edge is collapsible at high resolution if there is another path between its ends (A.2). Criterion A.1 of the paper, "or
//!   one of them has more than two neighbours", would go on until a single chain is left: a trunk has five neighbours.
//! * The low resolution goes on from the high one instead of starting anew, so that its nodes are unions of those.
//! * The middle of a collapsed node is weighted by area: at the mean of the two (section 3.3), a button would pull the chest
//!   half way to itself.
//! * The sampling cost, equation 4, counts the edges at both ends, because an edge has no direction.

use super::contacts::Contact;
use super::pieces::Piece;
use crate::math::{Mat4, Vec3};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

/// w1 and w2 of equation 1.
const SHAPE: f64 = 1.0;
const SAMPLING: f64 = 0.1;

/// When nodes are too small to be limbs of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coarseness {
    /// Area below which a node is merged into its neighbour, in parts of the whole (criterion A.3).
    pub area: f64,
    /// Length below which an edge is collapsed, in heights of the character (criterion A.4).
    pub length: f64,
}

impl Coarseness {
    /// Only what is connected twice is merged.
    pub const HIGH_RESOLUTION: Coarseness = Coarseness { area: 0.0, length: 0.0 };
    /// Fingers, eyes and bolts are merged; a hand, a foot and a neck stay.
    pub const LOW_RESOLUTION: Coarseness = Coarseness { area: 0.01, length: 0.05 };
}

/// A graph whose nodes are sets of pieces.
#[derive(Debug, Clone)]
pub struct Clusters {
    nodes: Vec<Option<Node>>,
    /// For each node the edges to its neighbours.
    edges: Vec<BTreeMap<usize, Edge>>,
    /// For each piece the node that it is in.
    node_of_piece: Vec<usize>,
    total_area: f64,
    height: f64,
}

#[derive(Debug, Clone)]
struct Node {
    center: Vec3,
    area: f64,
    pieces: Vec<usize>,
    /// Q of equation 3.
    quadric: Mat4,
}

#[derive(Debug, Clone, Copy, Default)]
struct Edge {
    /// Of collapsing it.
    cost: f64,
    /// It is known to be the only path between its ends.
    is_bridge: bool,
}

impl Node {
    /// A node of one piece.
    fn of(piece: usize, center: Vec3, area: f64) -> Node {
        Node { center, area, pieces: vec![piece], quadric: Mat4::zeros() }
    }
}

impl Clusters {
    /// The contact graph itself: every piece a node.
    pub fn of(pieces: &[Piece], contacts: &[Contact], height: f64) -> Clusters {
        let nodes = pieces.iter().enumerate();
        let mut clusters = Clusters {
            nodes: nodes.map(|(piece, data)| Some(Node::of(piece, data.center, data.area))).collect(),
            edges: vec![BTreeMap::new(); pieces.len()],
            node_of_piece: (0..pieces.len()).collect(),
            total_area: pieces.iter().map(|piece| piece.area).sum(),
            height,
        };
        for contact in contacts {
            let [a, b] = contact.pieces;
            clusters.edges[a].insert(b, Edge::default());
            clusters.edges[b].insert(a, Edge::default());
            let line = line_quadric(&pieces[a].center, &pieces[b].center);
            for node in [a, b] {
                clusters.node_mut(node).quadric += line;
            }
        }
        for node in 0..pieces.len() {
            clusters.update_costs(node);
        }
        clusters
    }

    /// Collapses edges until none is collapsible.
    pub fn collapse(&mut self, coarseness: &Coarseness) {
        let mut queue = BinaryHeap::new();
        for (a, others) in self.edges.iter().enumerate() {
            queue.extend(others.range(a + 1..).map(|(&b, edge)| Reverse((sort_key(edge.cost), [a, b]))));
        }
        while let Some(Reverse((cost, [a, b]))) = queue.pop() {
            // An edge whose cost has changed is in the queue once more.
            if self.edges[a].get(&b).is_some_and(|edge| sort_key(edge.cost) == cost)
                && self.is_collapsible([a, b], coarseness)
            {
                let changed = self.merge(a, b);
                queue.extend(changed.into_iter().map(|(cost, edge)| Reverse((sort_key(cost), edge))));
            }
        }
    }

    fn is_collapsible(&mut self, [a, b]: [usize; 2], coarseness: &Coarseness) -> bool {
        let [one, other] = [self.node(a), self.node(b)];
        one.area.min(other.area) < coarseness.area * self.total_area
            || (one.center - other.center).norm() < coarseness.length * self.height
            || !self.is_bridge(a, b)
    }

    /// Whether an edge is the only path between its ends. It stays so, whatever is collapsed elsewhere.
    fn is_bridge(&mut self, a: usize, b: usize) -> bool {
        let is_bridge = self.edges[a][&b].is_bridge || !self.has_other_path(a, b);
        for [from, to] in [[a, b], [b, a]] {
            if let Some(edge) = self.edges[from].get_mut(&to) {
                edge.is_bridge = is_bridge;
            }
        }
        is_bridge
    }

    /// Whether there is a path from `a` to `b` that does not use their edge.
    fn has_other_path(&self, a: usize, b: usize) -> bool {
        let (mut is_seen, mut pending) = (vec![false; self.nodes.len()], VecDeque::from([a]));
        is_seen[a] = true;
        while let Some(node) = pending.pop_front() {
            for &next in self.edges[node].keys() {
                if next == b && node != a {
                    return true;
                }
                if next != b && !std::mem::replace(&mut is_seen[next], true) {
                    pending.push_back(next);
                }
            }
        }
        false
    }

    /// Makes one node of `a` and `b`; returns the edges that have a new cost.
    fn merge(&mut self, a: usize, b: usize) -> Vec<(f64, [usize; 2])> {
        let other = self.nodes[b].take().expect("an edge leads to a node");
        let node = self.node_mut(a);
        node.center = (node.center * node.area + other.center * other.area) / (node.area + other.area);
        node.area += other.area;
        node.quadric += other.quadric;
        node.pieces.extend(&other.pieces);
        other.pieces.iter().for_each(|&piece| self.node_of_piece[piece] = a);
        for (next, edge) in std::mem::take(&mut self.edges[b]) {
            self.edges[next].remove(&b);
            if next != a {
                self.edges[next].entry(a).or_insert(edge);
                self.edges[a].entry(next).or_insert(edge);
            }
        }
        self.update_costs(a)
    }

    /// Computes the cost of each edge of a node, equation 1, and returns it. Edges farther out keep their cost: of theirs, only the
    /// length of one edge nearby has changed.
    fn update_costs(&mut self, node: usize) -> Vec<(f64, [usize; 2])> {
        let own_length = self.edge_length(node);
        let neighbours = self.edges[node].keys();
        let costs: Vec<(f64, [usize; 2])> = neighbours
            .map(|&other| (self.cost(node, own_length, other), [node.min(other), node.max(other)]))
            .collect();
        for &(cost, [a, b]) in &costs {
            for [from, to] in [[a, b], [b, a]] {
                if let Some(edge) = self.edges[from].get_mut(&to) {
                    edge.cost = cost;
                }
            }
        }
        costs
    }

    /// The cost of collapsing the edge to a neighbour; `own_length` is that of all edges at the node.
    fn cost(&self, node: usize, own_length: f64, other: usize) -> f64 {
        let [one, two] = [self.node(node), self.node(other)];
        let middle = (one.center * one.area + two.center * two.area) / (one.area + two.area);
        let point = middle.push(1.0);
        // Equations 2 and 3.
        let shape = point.dot(&((one.quadric + two.quadric) * point));
        // Equation 4.
        let sampling = (one.center - two.center).norm() * (own_length + self.edge_length(other));
        SHAPE * shape + SAMPLING * sampling
    }

    /// Length of all edges at a node.
    fn edge_length(&self, node: usize) -> f64 {
        let neighbours = self.edges[node].keys();
        neighbours.map(|&next| (self.node(node).center - self.node(next).center).norm()).sum()
    }

    /// How many nodes there are.
    pub fn count(&self) -> usize {
        self.nodes.iter().flatten().count()
    }

    /// How many pieces there are.
    pub(super) fn piece_count(&self) -> usize {
        self.node_of_piece.len()
    }

    pub(super) fn node_of_piece(&self, piece: usize) -> usize {
        self.node_of_piece[piece]
    }

    pub(super) fn neighbours(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.edges[node].keys().copied()
    }

    /// Center of mass, area and pieces of a node.
    pub(super) fn facts(&self, node: usize) -> (Vec3, f64, &[usize]) {
        let Node { center, area, pieces, .. } = self.node(node);
        (*center, *area, pieces)
    }

    fn node(&self, node: usize) -> &Node {
        self.nodes[node].as_ref().expect("an edge leads to a node")
    }

    fn node_mut(&mut self, node: usize) -> &mut Node {
        self.nodes[node].as_mut().expect("an edge leads to a node")
    }
}

/// A cost as a number that sorts like it. Costs are not negative but for rounding.
fn sort_key(cost: f64) -> u64 {
    cost.max(0.0).to_bits()
}

/// KᵀK of equation 3: the squared distance to the line through two points, as a quadratic form.
fn line_quadric(from: &Vec3, to: &Vec3) -> Mat4 {
    let Some(a) = (from - to).try_normalize(0.0) else { return Mat4::zeros() };
    let b = a.cross(from);
    let k = nalgebra::Matrix3x4::new(
        0.0, -a.z, a.y, -b.x, //
        a.z, 0.0, -a.x, -b.y, //
        -a.y, a.x, 0.0, -b.z,
    );
    k.tr_mul(&k)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph of nodes on the x axis, all of the same area.
    fn graph(places: &[f64], edges: &[[usize; 2]]) -> Clusters {
        let node = |(number, &x): (usize, &f64)| Some(Node::of(number, Vec3::new(x, 0.0, 0.0), 1.0));
        let mut clusters = Clusters {
            nodes: places.iter().enumerate().map(node).collect(),
            edges: vec![BTreeMap::new(); places.len()],
            node_of_piece: (0..places.len()).collect(),
            total_area: places.len() as f64,
            height: 1.0,
        };
        for &[a, b] in edges {
            clusters.edges[a].insert(b, Edge::default());
            clusters.edges[b].insert(a, Edge::default());
        }
        for node in 0..places.len() {
            clusters.update_costs(node);
        }
        clusters
    }

    #[test]
    fn the_quadric_of_a_line_is_the_squared_distance_from_it() {
        let quadric = line_quadric(&Vec3::new(1.0, 2.0, 3.0), &Vec3::new(1.0, 2.0, 7.0));
        let point = Vec3::new(4.0, 6.0, -1.0).push(1.0);
        assert!((point.dot(&(quadric * point)) - 25.0).abs() < 1e-9);
    }

    #[test]
    fn rings_collapse_and_chains_and_stars_stay() {
        let mut star = graph(&[0.0, 1.0, 2.0, 3.0], &[[0, 1], [0, 2], [0, 3]]);
        star.collapse(&Coarseness::HIGH_RESOLUTION);
        assert_eq!(star.count(), 4);
        // A triangle with a tail: one edge of the triangle goes, the shortest, and then there is no ring.
        let mut kite = graph(&[0.0, 0.1, 1.0, 2.0], &[[0, 1], [0, 2], [1, 2], [2, 3]]);
        kite.collapse(&Coarseness::HIGH_RESOLUTION);
        assert_eq!(kite.count(), 3);
        assert_eq!(kite.node_of_piece(1), 0);
        assert_eq!(kite.facts(0).0, Vec3::new(0.05, 0.0, 0.0));
    }

    #[test]
    fn a_coarse_graph_merges_small_nodes_and_short_edges() {
        let chain = [[0, 1], [1, 2], [2, 3]];
        let mut short = graph(&[0.0, 1.0, 1.01, 2.0], &chain);
        short.collapse(&Coarseness { area: 0.0, length: 0.05 });
        assert_eq!((short.count(), short.node_of_piece(2)), (3, 1));
        let mut small = graph(&[0.0, 1.0, 2.0, 3.0], &chain);
        small.node_mut(3).area = 0.001;
        small.collapse(&Coarseness { area: 0.01, length: 0.0 });
        assert_eq!((small.count(), small.node_of_piece(3)), (3, 2));
    }
}
