/// Sets of the numbers `0..n` that are merged and compared (union by size, path halving).
///
/// Each element also has a side relative to its set's representative, so that "same side" and "other side" relations can
/// be merged as well; plain merging puts all on one side.
#[derive(Debug, Clone)]
pub struct DisjointSets {
    parent: Vec<u32>,
    size: Vec<u32>,
    /// Whether the element is on the other side of its parent.
    odd: Vec<bool>,
}

/// How two elements of [`DisjointSets`] lie to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// Both on one side.
    Same,
    /// On opposite sides.
    Opposite,
}

impl DisjointSets {
    /// `count` sets of one element each.
    pub fn new(count: usize) -> DisjointSets {
        DisjointSets { parent: (0..count as u32).collect(), size: vec![1; count], odd: vec![false; count] }
    }

    /// The representative of the set of `element`, and whether the element is on its other side.
    pub fn find(&mut self, element: u32) -> (u32, bool) {
        let (mut at, mut odd) = (element as usize, false);
        while self.parent[at] as usize != at {
            let up = self.parent[at] as usize;
            // Path halving: point to the grandparent, with the sides of both steps.
            self.odd[at] ^= self.odd[up] & (self.parent[up] as usize != up);
            self.parent[at] = self.parent[up];
            odd ^= self.odd[at];
            at = self.parent[at] as usize;
        }
        (at as u32, odd)
    }

    /// Merges the sets of `a` and `b`.
    pub fn union(&mut self, a: u32, b: u32) {
        self.union_with_sides(a, b, Sides::Same);
    }

    /// Merges the sets of `a` and `b`, which lie to each other as said. Returns whether that agrees with what was known.
    pub fn union_with_sides(&mut self, a: u32, b: u32, sides: Sides) -> bool {
        let ((a, odd_a), (b, odd_b)) = (self.find(a), self.find(b));
        let between = odd_a ^ odd_b ^ (sides == Sides::Opposite);
        if a == b {
            return !between;
        }
        let (small, large) = if self.size[a as usize] < self.size[b as usize] { (a, b) } else { (b, a) };
        self.parent[small as usize] = large;
        self.odd[small as usize] = between;
        self.size[large as usize] += self.size[small as usize];
        true
    }

    /// Numbers the sets `0..count` in the order of their first elements: the set of every element, and the count.
    pub fn labels(&mut self) -> (Vec<u32>, usize) {
        let mut label_of_root = vec![u32::MAX; self.parent.len()];
        let mut count = 0;
        let labels = (0..self.parent.len() as u32)
            .map(|element| {
                let label = &mut label_of_root[self.find(element).0 as usize];
                if *label == u32::MAX {
                    *label = count;
                    count += 1;
                }
                *label
            })
            .collect();
        (labels, count as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_merge_and_labels_follow_first_elements() {
        let mut sets = DisjointSets::new(6);
        sets.union(5, 3);
        sets.union(3, 1);
        sets.union(0, 4);
        assert_eq!(sets.labels(), (vec![0, 1, 2, 1, 0, 1], 3));
    }

    fn sides(is_opposite: bool) -> Sides {
        if is_opposite { Sides::Opposite } else { Sides::Same }
    }

    #[test]
    fn parity_adds_up_along_any_path() {
        let mut sets = DisjointSets::new(100);
        for i in 0..99 {
            assert!(sets.union_with_sides(i, i + 1, sides(i % 3 == 0)));
        }
        let parity = |n: u32| (0..n).filter(|i| i % 3 == 0).count() % 2 == 1;
        let (root, at_zero) = sets.find(0);
        for n in 0..100 {
            assert_eq!(sets.find(n), (root, at_zero ^ parity(n)));
        }
        assert!(!sets.union_with_sides(0, 99, sides(!parity(99))), "an odd cycle is a contradiction");
    }
}
