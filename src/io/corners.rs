use std::collections::HashMap;

/// Numbers the vertices of a file whose polygon corners have an index of their own for each attribute.
///
/// A vertex of a mesh is a distinct combination of position and other attributes within one part; they are
/// numbered in the order of first use. Nearly all positions are used in one combination only, so that one is
/// found without hashing; the seams are kept in a hash map, whose keyed hash no file can be made to collide.
pub(super) struct CornerNumbers {
    /// For each position the first vertex that uses it.
    first: Vec<u32>,
    /// All other combinations.
    others: HashMap<[u32; 3], u32>,
    /// The combination of each vertex.
    keys: Vec<[u32; 3]>,
    part: usize,
    /// Entries below belong to earlier parts and do not count.
    part_start: u32,
}

impl CornerNumbers {
    /// For corners whose positions are below `positions`.
    pub fn new(positions: usize) -> CornerNumbers {
        CornerNumbers {
            first: vec![u32::MAX; positions],
            others: HashMap::new(),
            keys: Vec::with_capacity(positions),
            part: 0,
            part_start: 0,
        }
    }

    /// The vertex for a combination: the position's index, and anything that identifies the rest. A new
    /// vertex gets the next number. All corners of a part are asked for before those of the next.
    #[inline]
    pub fn vertex(&mut self, key: [u32; 3], part: usize) -> u32 {
        let new = self.keys.len() as u32;
        if part != self.part {
            (self.part, self.part_start) = (part, new);
        }
        let first = &mut self.first[key[0] as usize];
        let found = if *first == u32::MAX || *first < self.part_start {
            *first = new;
            new
        } else if self.keys[*first as usize] == key {
            *first
        } else {
            let entry = self.others.entry(key).or_insert(new);
            if *entry < self.part_start {
                *entry = new;
            }
            *entry
        };
        if found == new {
            self.keys.push(key);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_numbered_by_first_use_and_anew_in_each_part() {
        let mut corners = CornerNumbers::new(2);
        let keys = [[1, 0, 0], [0, 0, 0], [1, 0, 0], [1, 5, 0], [1, 5, 0], [1, 0, 5]];
        assert_eq!(keys.map(|key| corners.vertex(key, 0)), [0, 1, 0, 2, 2, 3]);
        assert_eq!(keys.map(|key| corners.vertex(key, 1)), [4, 5, 4, 6, 6, 7]);
    }
}
