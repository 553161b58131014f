//! The shift at which a set of cells overlaps its mirror image most.

use rayon::prelude::*;

/// Planes within this part of the width around the middle are tried: a sixth to either side.
const SHIFTS_IN_WIDTH: usize = 3;

/// The greatest number of cells that a set shares with its mirror image, and the shift of the image along x for which it
/// does: cells x and `width - 1 + shift - x` are mirror images. Among equals the smallest shift.
pub fn best_mirror_shift(filled: &[bool], width: usize) -> (usize, isize) {
    let rows: Vec<MirrorRow> =
        filled.par_chunks(width).filter(|row| row.contains(&true)).map(MirrorRow::of).collect();
    let reach = (width / SHIFTS_IN_WIDTH) as isize;
    let shifts: Vec<isize> = (-reach..=reach).collect();
    let best = shifts
        .par_iter()
        .map(|&shift| (rows.iter().map(|row| row.overlap(shift)).sum::<usize>(), -shift.abs(), shift))
        .max();
    best.map_or((0, 0), |(overlap, _, shift)| (overlap, shift))
}

/// A row of cells as bits, so that 64 of them are compared at a time.
struct MirrorRow {
    words: Vec<u64>,
    /// The row in reverse, after as many empty words as the row has.
    mirrored: Vec<u64>,
}

impl MirrorRow {
    fn of(cells: &[bool]) -> MirrorRow {
        let count = cells.len().div_ceil(64);
        let mut row = MirrorRow { words: vec![0; count], mirrored: vec![0; 2 * count + 1] };
        for x in (0..cells.len()).filter(|&x| cells[x]) {
            row.words[x / 64] |= 1 << (x % 64);
            let image = cells.len() - 1 - x;
            row.mirrored[count + image / 64] |= 1 << (image % 64);
        }
        row
    }

    /// How many cells the row shares with its mirror image, moved by a shift.
    fn overlap(&self, shift: isize) -> usize {
        let first = (self.words.len() * 64) as isize - shift;
        let (word, bit) = ((first / 64) as usize, (first % 64) as u32);
        let words = self.words.iter().enumerate().map(|(k, own)| {
            let low = self.mirrored.get(word + k).copied().unwrap_or(0) >> bit;
            let next = self.mirrored.get(word + k + 1).copied().unwrap_or(0);
            let high = if bit == 0 { 0 } else { next << (64 - bit) };
            (own & (low | high)).count_ones() as usize
        });
        words.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overlap_is_the_counted_one() {
        let cells: Vec<bool> = (0..150).map(|x| (x * 7919) % 11 > 5).collect();
        let row = MirrorRow::of(&cells);
        for shift in [-50, -1, 0, 1, 49] {
            let image = |x: usize| usize::try_from(149 + shift - x as isize).ok();
            let both = |&x: &usize| cells[x] && image(x).and_then(|x| cells.get(x)).copied().unwrap_or(false);
            assert_eq!(row.overlap(shift), (0..150).filter(both).count(), "{shift}");
        }
    }

    #[test]
    fn a_shifted_palindrome_overlaps_wholly() {
        let mut cells = vec![false; 30];
        [10, 12, 13, 15].iter().for_each(|&x| cells[x] = true);
        assert_eq!(best_mirror_shift(&cells, 30), (4, -4));
    }
}
