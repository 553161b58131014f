//! A tree of clusters, its root, and its branches: Bharaj et al. 2012, section 3.3, "Tree extraction".

use super::clusters::Clusters;
use super::contacts::Contact;
use crate::math::Vec3;
use rayon::prelude::*;
use std::collections::VecDeque;

/// A tree whose nodes are sets of pieces; parents come before their children.
#[derive(Debug, Clone, PartialEq)]
pub struct PartsTree {
    /// The nodes; the first is the root.
    pub nodes: Vec<TreeNode>,
    /// For each piece its node.
    pub node_of_piece: Vec<usize>,
}

/// A node of a [`PartsTree`].
#[derive(Debug, Clone, PartialEq)]
pub struct TreeNode {
    /// The parent; `None` for the root.
    pub parent: Option<usize>,
    /// Center of mass of its pieces.
    pub center: Vec3,
    /// Area of its pieces.
    pub area: f64,
    /// How many neighbours it has.
    pub degree: usize,
    /// Its pieces.
    pub pieces: Vec<usize>,
}

impl PartsTree {
    /// The clusters as a tree that hangs on the node of `root_piece`.
    ///
    /// # Panics
    /// If the clusters are not a tree.
    pub fn of(clusters: &Clusters, root_piece: usize) -> PartsTree {
        let root = clusters.node_of_piece(root_piece);
        let mut nodes: Vec<TreeNode> = Vec::new();
        let mut node_of_piece = vec![0; clusters.piece_count()];
        let mut pending: VecDeque<(usize, Option<(usize, usize)>)> = VecDeque::from([(root, None)]);
        while let Some((node, above)) = pending.pop_front() {
            let number = nodes.len();
            let (center, area, pieces) = clusters.facts(node);
            pieces.iter().for_each(|&piece| node_of_piece[piece] = number);
            let neighbours: Vec<usize> = clusters.neighbours(node).collect();
            let degree = neighbours.len();
            let parent = above.map(|(number, _)| number);
            nodes.push(TreeNode { parent, center, area, degree, pieces: pieces.to_vec() });
            let from = above.map(|(_, node)| node);
            let below = neighbours.into_iter().filter(|&next| Some(next) != from);
            pending.extend(below.map(|next| (next, Some((number, node)))));
        }
        assert_eq!(nodes.len(), clusters.count(), "clusters without cycles are a tree");
        PartsTree { nodes, node_of_piece }
    }

    /// How many branches lead from the root to a leaf.
    pub fn branch_count(&self) -> usize {
        let mut is_leaf = vec![true; self.nodes.len()];
        self.nodes.iter().filter_map(|node| node.parent).for_each(|parent| is_leaf[parent] = false);
        is_leaf.iter().filter(|&&is_leaf| is_leaf).count()
    }
}

/// With more pieces, shortest paths from a sample of so many are enough (Brandes and Pich 2007).
const MAX_SOURCES: usize = 1024;
/// Sources of one task.
const SOURCES_OF_TASK: usize = 64;

/// Betweenness centrality of every piece in the contact graph (Freeman 1977), by Brandes' algorithm of 2001: the share of
/// shortest paths between others that lead through it, 0 to 1.
pub fn betweenness(pieces: usize, contacts: &[Contact]) -> Vec<f64> {
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); pieces];
    for Contact { pieces: [a, b], .. } in contacts {
        neighbours[*a].push(*b);
        neighbours[*b].push(*a);
    }
    let step = pieces.div_ceil(MAX_SOURCES).max(1);
    let sources: Vec<usize> = (0..pieces).step_by(step).collect();
    let chunks: Vec<Vec<f64>> = sources
        .par_chunks(SOURCES_OF_TASK)
        .map(|sources| {
            let mut sum = vec![0.0; pieces];
            sources.iter().for_each(|&source| add_dependencies(source, &neighbours, &mut sum));
            sum
        })
        .collect();
    let paths = sources.len() as f64 * pieces.saturating_sub(2).max(1) as f64;
    (0..pieces).map(|piece| chunks.iter().map(|chunk| chunk[piece]).sum::<f64>() / paths).collect()
}

/// Adds for each piece the share of shortest paths from `source` that lead through it.
fn add_dependencies(source: usize, neighbours: &[Vec<usize>], sum: &mut [f64]) {
    let count = neighbours.len();
    let (mut distance, mut paths) = (vec![usize::MAX; count], vec![0.0; count]);
    (distance[source], paths[source]) = (0, 1.0);
    let mut order = vec![source];
    let mut next = 0;
    while next < order.len() {
        let piece = order[next];
        next += 1;
        for &other in &neighbours[piece] {
            if distance[other] == usize::MAX {
                distance[other] = distance[piece] + 1;
                order.push(other);
            }
            if distance[other] == distance[piece] + 1 {
                paths[other] += paths[piece];
            }
        }
    }
    let mut dependency = vec![0.0; count];
    for &piece in order.iter().rev() {
        for &before in neighbours[piece].iter().filter(|&&n| distance[n] < distance[piece]) {
            dependency[before] += paths[before] / paths[piece] * (1.0 + dependency[piece]);
        }
        if piece != source {
            sum[piece] += dependency[piece];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(pieces: [usize; 2]) -> Contact {
        Contact { pieces, position: Vec3::zeros(), area: 1.0, gap: 0.0 }
    }

    #[test]
    fn the_middle_of_a_star_lies_on_every_path_and_a_ring_has_no_middle() {
        let star: Vec<Contact> = (1..5).map(|leaf| contact([0, leaf])).collect();
        // From each leaf, 3 of 3 others are reached through the middle; from the middle itself nothing is.
        assert_eq!(betweenness(5, &star), [0.8, 0.0, 0.0, 0.0, 0.0]);
        let ring = [[0, 1], [1, 2], [2, 3], [0, 3]].map(contact);
        let between = betweenness(4, &ring);
        assert!(between.iter().all(|b| (b - between[0]).abs() < 1e-12), "{between:?}");
    }

    #[test]
    fn every_leaf_ends_a_branch() {
        let node = |parent| TreeNode { parent, center: Vec3::zeros(), area: 1.0, degree: 0, pieces: vec![] };
        let tree = |parents: &[Option<usize>]| PartsTree {
            nodes: parents.iter().copied().map(node).collect(),
            node_of_piece: vec![],
        };
        assert_eq!(tree(&[None, Some(0), Some(0), Some(2)]).branch_count(), 2);
        assert_eq!(tree(&[None]).branch_count(), 1);
    }
}
