use std::collections::HashMap;

/// Numbers the vertices of a file whose polygon corners have an index of their own for each attribute.
///
/// A vertex of a mesh is a distinct combination of position and other attributes within one part; they are
/// numbered in the order of first use. Nearly all positions are used in a few combinations only, so these are
/// chained to their position and found without hashing.
pub(super) struct CornerNumbers {
    /// For each position the first vertex that uses it.
    first: Vec<u32>,
    /// For each vertex another one at the same position.
    next: Vec<u32>,
    /// The combination of each vertex.
    keys: Vec<[u32; 3]>,
    /// The combinations of positions whose chains are full.
    others: HashMap<[u32; 3], u32>,
    part: usize,
    /// Vertices below belong to earlier parts and do not count.
    part_start: u32,
}

/// The longest chain. A flat-shaded surface has about six combinations at each position; a file can be made
/// that has all of them at one, which without a limit would take quadratic time.
const LONGEST: usize = 16;

const NONE: u32 = u32::MAX;

impl CornerNumbers {
    /// For corners whose positions are below `positions`.
    pub fn new(positions: usize) -> CornerNumbers {
        CornerNumbers {
            first: vec![NONE; positions],
            next: Vec::with_capacity(positions),
            keys: Vec::with_capacity(positions),
            others: HashMap::new(),
            part: 0,
            part_start: 0,
        }
    }

    /// The vertex for a combination: the position's index, and anything that identifies the rest. A new
    /// vertex gets the next number. All corners of a part are asked for before those of the next.
    #[inline]
    pub fn vertex(&mut self, key: [u32; 3], part: usize) -> u32 {
        if part != self.part {
            (self.part, self.part_start) = (part, self.keys.len() as u32);
        }
        let first = self.first[key[0] as usize];
        if first == NONE || first < self.part_start {
            self.first[key[0] as usize] = self.keys.len() as u32;
            return self.push(key, NONE);
        }
        let mut at = first;
        for length in 1..=LONGEST {
            if self.keys[at as usize] == key {
                return at;
            }
            at = self.next[at as usize];
            if at == NONE && length < LONGEST {
                let second = self.next[first as usize];
                self.next[first as usize] = self.keys.len() as u32;
                return self.push(key, second);
            }
        }
        match self.others.get(&key) {
            Some(&vertex) if vertex >= self.part_start => vertex,
            _ => {
                self.others.insert(key, self.keys.len() as u32);
                self.push(key, NONE)
            }
        }
    }

    fn push(&mut self, key: [u32; 3], next: u32) -> u32 {
        self.keys.push(key);
        self.next.push(next);
        self.keys.len() as u32 - 1
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
    #[test]
    fn a_position_with_many_combinations_takes_linear_time() {
        let mut corners = CornerNumbers::new(1);
        for part in 0..2 {
            for _ in 0..2 {
                for i in 0..300_000 {
                    assert_eq!(corners.vertex([0, i, 7], part), 300_000 * part as u32 + i);
                }
            }
        }
    }
}
