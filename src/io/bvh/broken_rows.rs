//! Rows that lost or gained a number.
//!
//! Frames are one stream of numbers, because some programs break their rows over lines. In a file that has one row a line a
//! number too few or too many would then shift everything behind it into other channels. There the lines say where it is.

use super::frames::is_blank;
use crate::motion::Repair;

/// The part of the lines that must be whole frames for a file to have one row a line.
const ROW_A_LINE: f64 = 0.9;

/// The text with every broken row replaced by the one before it, so that lines keep their numbers.
pub(super) struct Mended {
    pub text: Vec<u8>,
    /// Lines before the first broken row.
    pub line: usize,
    pub repair: Repair,
}

/// Mends the rows of a file that has one a line. `None` if it has not, or if no row but the last is broken: a file that
/// ends too early is no such file.
pub(super) fn mended(text: &[u8], width: usize) -> Option<Mended> {
    let words = |line: &[u8]| line.split(|&byte| is_blank(byte)).filter(|word| !word.is_empty()).count();
    let lines: Vec<(&[u8], usize)> =
        text.split(|&byte| byte == b'\n').map(|line| (line, words(line))).collect();
    let rows = lines.iter().filter(|(_, words)| *words > 0).count();
    let whole = lines.iter().filter(|(_, words)| *words == width).count();
    if (whole as f64) < ROW_A_LINE * rows as f64 {
        return None;
    }
    let last = lines.iter().rposition(|(_, words)| *words > 0)?;
    let is_broken = |index: usize| index != last && lines[index].1 > 0 && lines[index].1 != width;
    let first = (0..lines.len()).find(|&index| is_broken(index))?;
    // Before the first whole row there is none to hold, and the first whole one stands for it.
    let mut row = lines.iter().find(|(_, words)| *words == width)?.0;
    let mut mended = Vec::with_capacity(text.len() + width);
    let mut count = 0;
    for (index, &(line, words)) in lines.iter().enumerate() {
        if is_broken(index) {
            mended.extend_from_slice(row);
            count += 1;
        } else {
            mended.extend_from_slice(line);
        }
        if words == width {
            row = line;
        }
        mended.push(b'\n');
    }
    let frame = lines[..first].iter().filter(|(_, words)| *words > 0).count();
    let repair = Repair::BrokenRows { frame, values: lines[first].1, width, count };
    Some(Mended { text: mended, line: first, repair })
}
