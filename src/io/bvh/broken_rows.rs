//! Rows that lost or gained a number.
//!
//! Frames are one stream of numbers, because some programs break their rows over lines. In a file that has one row a line a
//! number too few or too many would then shift everything behind it into other channels. There the lines say where it is.

use super::numbers::is_blank;
use crate::warning::Repair;

/// The share of the lines that must be whole frames for a file to have one row a line.
const ROW_A_LINE: f64 = 0.9;

/// The text with every broken row replaced by the one before it, so that lines keep their numbers.
pub(super) struct Mended {
    pub text: Vec<u8>,
    /// Lines before the first broken row.
    pub line: usize,
    pub repair: Repair,
}

fn words_of(line: &[u8]) -> usize {
    line.split(|&byte| is_blank(byte)).filter(|word| !word.is_empty()).count()
}

/// Mends the rows of a file that has one a line. `None` if it has not, or if no row but the last is broken: a file that
/// ends too early is no such file.
pub(super) fn mended(text: &[u8], width: usize) -> Option<Mended> {
    let lines: Vec<(&[u8], usize)> =
        text.split(|&byte| byte == b'\n').map(|line| (line, words_of(line))).collect();
    let rows = lines.iter().filter(|(_, words)| *words > 0).count();
    let whole = lines.iter().filter(|(_, words)| *words == width).count();
    if (whole as f64) < ROW_A_LINE * rows as f64 {
        return None;
    }
    let last = lines.iter().rposition(|(_, words)| *words > 0)?;
    let is_broken: Vec<bool> =
        lines[..last].iter().map(|&(_, words)| words > 0 && words != width).chain([false]).collect();
    let first = is_broken.iter().position(|is_broken| *is_broken)?;
    // Rows before the first whole one are replaced by that one.
    let mut row = lines.iter().find(|(_, words)| *words == width)?.0;
    let mut mended = Vec::with_capacity(text.len() + width);
    let mut count = 0;
    for (index, &(line, words)) in lines.iter().enumerate() {
        if is_broken.get(index) == Some(&true) {
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
