//! Partial embeddings.

use crate::embed::graph::MedialGraph;
use crate::embed::penalty::{JointPlacement, NodeSet, Penalty};

/// The spheres of the first joints.
pub(super) struct Partial {
    pub matched: Vec<u32>,
    taken: NodeSet,
    /// The spheres that became taken, and for each joint where its own begin.
    trail: Vec<u32>,
    begins: Vec<usize>,
}

impl Partial {
    pub fn new(graph: &MedialGraph) -> Partial {
        Partial {
            matched: Vec::new(),
            taken: NodeSet::new(graph.spheres.len()),
            trail: Vec::new(),
            begins: Vec::new(),
        }
    }

    pub fn of(penalty: &Penalty, nodes: &[u32]) -> Partial {
        let mut partial = Partial::new(penalty.graph);
        partial.set(penalty, nodes);
        partial
    }

    /// A joint that could be placed now.
    pub fn placement(&self, penalty: &Penalty, joint: usize, node: u32) -> JointPlacement<'_> {
        let parent = penalty.skeleton.joints[joint].parent;
        let parent_node = parent.map_or(node, |parent| self.matched[parent]);
        JointPlacement { joint, node, parent_node, matched: &self.matched, taken: &self.taken }
    }

    /// Places the next joint.
    pub fn push(&mut self, penalty: &Penalty, node: u32) {
        self.begins.push(self.trail.len());
        if let Some(parent) = penalty.skeleton.joints[self.matched.len()].parent {
            for passed in penalty.graph.path(node, self.matched[parent]) {
                if self.taken.insert(passed) {
                    self.trail.push(passed);
                }
            }
        }
        self.matched.push(node);
    }

    /// Takes the last joint back.
    fn pop(&mut self) {
        let begin = self.begins.pop().expect("a joint is placed");
        self.matched.pop();
        for node in self.trail.drain(begin..) {
            self.taken.remove(node);
        }
    }

    pub fn set(&mut self, penalty: &Penalty, nodes: &[u32]) {
        while !self.matched.is_empty() && !nodes.starts_with(&self.matched) {
            self.pop();
        }
        for &node in &nodes[self.matched.len()..] {
            self.push(penalty, node);
        }
    }
}
