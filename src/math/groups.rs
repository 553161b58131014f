/// The numbers `0..n` sorted into groups by a small key, by counting: linear time, and stable.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    /// Where each group begins in `members`, and the end of the last.
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Groups {
    /// Puts number `i` into the group that the `i`th key names; keys are below `count`.
    pub fn new(count: usize, keys: impl Iterator<Item = u32> + Clone) -> Groups {
        // Counts, shifted by two: after summing up, entry g + 1 is where group g begins, and it becomes the
        // beginning of group g + 1 while the group is filled.
        let mut starts = vec![0u32; count + 2];
        let mut total = 0;
        for key in keys.clone() {
            starts[key as usize + 2] += 1;
            total += 1;
        }
        for group in 2..starts.len() {
            starts[group] += starts[group - 1];
        }
        let mut members = vec![0; total];
        for (member, key) in keys.enumerate() {
            let place = &mut starts[key as usize + 1];
            members[*place as usize] = member as u32;
            *place += 1;
        }
        starts.pop();
        Groups { starts, members }
    }

    /// The members of `count` groups from `first` on; groups that do not exist are empty.
    pub fn run(&self, first: usize, count: usize) -> &[u32] {
        let start = |group: usize| self.starts[group.min(self.starts.len() - 1)] as usize;
        &self.members[start(first)..start(first + count)]
    }

    /// All groups in the order of their keys, each with its members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|range| &self.members[range[0] as usize..range[1] as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order_and_empty_groups_are_there() {
        let keys = [2, 0, 2, 4, 0, 2];
        let groups = Groups::new(5, keys.into_iter());
        let expected: [&[u32]; 5] = [&[1, 4], &[], &[0, 2, 5], &[], &[3]];
        assert!(groups.iter().eq(expected));
        assert_eq!(groups.run(2, 3), [0, 2, 5, 3]);
        assert!(groups.run(7, 2).is_empty());
        assert_eq!(Groups::new(0, std::iter::empty()).iter().count(), 0);
    }
}
