/// A set of spheres.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeSet(Vec<u64>);

impl NodeSet {
    /// The empty set for a graph of so many spheres.
    pub fn new(count: usize) -> NodeSet {
        NodeSet(vec![0; count.div_ceil(64)])
    }

    /// Whether the sphere is in the set.
    pub fn contains(&self, node: u32) -> bool {
        self.0[node as usize / 64] >> (node % 64) & 1 == 1
    }

    /// Adds a sphere; true if it was not there.
    pub fn insert(&mut self, node: u32) -> bool {
        let word = &mut self.0[node as usize / 64];
        let before = *word;
        *word |= 1 << (node % 64);
        *word != before
    }

    /// Takes a sphere out.
    pub fn remove(&mut self, node: u32) {
        self.0[node as usize / 64] &= !(1 << (node % 64));
    }
}
