/// The numbers `0..n` sorted into buckets by a small key, by counting: linear time, and stable.
#[derive(Debug, Clone, PartialEq)]
pub struct Buckets {
    /// Where each bucket begins in `members`, and the end of the last.
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Buckets {
    /// Puts number `i` into the bucket that the `i`th key names; keys are below `count`.
    pub fn new(count: usize, keys: impl Iterator<Item = u32> + Clone) -> Buckets {
        // Counts, shifted by two: after summing up, entry b + 1 is where bucket b begins, and it becomes the
        // beginning of bucket b + 1 while the bucket is filled.
        let mut starts = vec![0u32; count + 2];
        let mut total = 0;
        for key in keys.clone() {
            starts[key as usize + 2] += 1;
            total += 1;
        }
        for bucket in 2..starts.len() {
            starts[bucket] += starts[bucket - 1];
        }
        let mut members = vec![0; total];
        for (member, key) in keys.enumerate() {
            let next = &mut starts[key as usize + 1];
            members[*next as usize] = member as u32;
            *next += 1;
        }
        starts.pop();
        Buckets { starts, members }
    }

    /// The members of `count` buckets from `first` on; buckets that do not exist are empty.
    pub fn run(&self, first: usize, count: usize) -> &[u32] {
        &self.members[self.start(first)..self.start(first + count)]
    }

    fn start(&self, bucket: usize) -> usize {
        self.starts[bucket.min(self.starts.len() - 1)] as usize
    }

    /// All buckets in the order of their keys, each with its members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|range| &self.members[range[0] as usize..range[1] as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order_and_empty_buckets_are_there() {
        let keys = [2, 0, 2, 4, 0, 2];
        let buckets = Buckets::new(5, keys.into_iter());
        let expected: [&[u32]; 5] = [&[1, 4], &[], &[0, 2, 5], &[], &[3]];
        assert!(buckets.iter().eq(expected));
        assert_eq!(buckets.run(2, 3), [0, 2, 5, 3]);
        assert!(buckets.run(7, 2).is_empty());
        assert_eq!(Buckets::new(0, std::iter::empty()).iter().count(), 0);
    }
}
