//! Numbers between blanks and line ends: most of the time of reading a BVH file.

use super::FARTHEST;
use crate::io::Fault;
use crate::io::text::Text;
use rayon::prelude::*;

/// Files of this size are read by several threads, in blocks of this size.
const LARGE: usize = 1 << 20;
const BLOCK: usize = 1 << 18;

/// The numbers of a large file in which all are sound: frames are one stream of numbers, which may be cut anywhere
/// between two. `None` for small files, and for files in which something must be mended or refused: that is done number by
/// number, with lines.
pub(super) fn read_in_parallel(bytes: &[u8]) -> Option<Vec<Vec<f64>>> {
    if bytes.len() < LARGE {
        return None;
    }
    let mut blocks = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let least = BLOCK.min(rest.len());
        let end =
            rest[least..].iter().position(|&byte| is_blank(byte)).map_or(rest.len(), |more| least + more);
        let (block, behind) = rest.split_at(end);
        blocks.push(block);
        rest = behind;
    }
    blocks.into_par_iter().map(sound_numbers).collect()
}

/// All numbers of a block, if all are sound.
fn sound_numbers(bytes: &[u8]) -> Option<Vec<f64>> {
    let mut numbers = Numbers::new(bytes, 0);
    // Real numbers take seven bytes and more.
    let mut values = Vec::with_capacity(bytes.len() / 7);
    loop {
        let value = match numbers.next_plain() {
            Some(value) => value,
            None => match numbers.next() {
                Ok(Some(value)) if value.abs() < FARTHEST => value,
                Ok(None) => return Some(values),
                _ => return None,
            },
        };
        values.push(value);
    }
}

/// Numbers between blanks and line ends.
pub(super) struct Numbers<'a> {
    bytes: &'a [u8],
    at: usize,
    pub line: usize,
}

/// Powers of ten for up to fourteen decimals.
const POWERS: [f64; 15] =
    [1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14];

/// The number that eight digits make, the first in the lowest byte. Neighbours are joined: digits to pairs, pairs to
/// fours, fours to the number.
#[inline]
fn eight_digits(digits: u64) -> u64 {
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff00ff00ff00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000ffff0000ffff;
    (fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffffffff
}

/// As the end of [`Numbers::next_plain`], for eight to fifteen characters: the digits without the point as a number, the
/// count of characters, and that of decimals.
#[inline]
fn long_number(bytes: &[u8; 16]) -> Option<(u64, usize, usize)> {
    const EACH: u128 = 0x01010101010101010101010101010101;
    let text = u128::from_le_bytes(*bytes);
    let values = text ^ (0x30 * EACH);
    let others = (values.wrapping_add(0x76 * EACH) | values) & (0x80 * EACH);
    let first = others.trailing_zeros() as usize / 8;
    if first > 14 {
        return None;
    }
    let point = usize::from(bytes[first] == b'.');
    let behind = others & others.wrapping_sub(1);
    let end = if point == 1 { behind.trailing_zeros() as usize / 8 } else { first };
    if end > 15 || end == point || !is_blank(bytes[end]) {
        return None;
    }
    let whole = values & ((1 << (8 * first)) - 1);
    let part = (values >> (8 * (first + 1))) << (8 * first);
    let all = (whole | part) << (8 * (16 - (end - point)));
    let number = eight_digits(all as u64) * 100_000_000 + eight_digits((all >> 64) as u64);
    Some((number, end, end - first - point))
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

impl<'a> Numbers<'a> {
    pub fn new(bytes: &'a [u8], line: usize) -> Numbers<'a> {
        Numbers { bytes, at: 0, line }
    }

    /// The next number, if a blank at most and a plain number come next: a sign, up to fifteen characters of digits with
    /// a point among them, and more of the file behind them. Nearly all numbers of nearly all files are so.
    ///
    /// Many characters are looked at together, because where the next number begins must be known before anything can be
    /// done about it, and guessing wrong costs as much as reading a number. The digits without the point are a whole
    /// number below 2⁵³, and exact; the power of ten is rounded, so that the last bit may be off by one. Dividing would
    /// round right, and take a fifth of all the time.
    #[inline]
    pub fn next_plain(&mut self) -> Option<f64> {
        const EACH: u64 = 0x0101010101010101;
        let rest = &self.bytes[self.at..];
        let blank = usize::from(*rest.first()? == b' ');
        let negative = *rest.get(blank)? == b'-';
        let begin = blank + usize::from(negative);
        let text = u64::from_le_bytes(*rest.get(begin..)?.first_chunk()?);
        let values = text ^ (0x30 * EACH);
        // Adding 0x76 takes values from 10 on to the high bit, without a carry from points and blanks.
        let others = (values.wrapping_add(0x76 * EACH) | values) & (0x80 * EACH);
        let first = others.trailing_zeros() as usize / 8;
        let behind = others & others.wrapping_sub(1);
        let point = usize::from((text >> (8 * (first & 7))) as u8 == b'.');
        // Multiplied, because a choice would be a branch: whole numbers stand among others in no order.
        let end = first + point * (behind.trailing_zeros() as usize / 8 - first);
        let (number, length, decimals) = if end < 8 {
            let count = end - point;
            if count == 0 || !is_blank((text >> (8 * end)) as u8) {
                return None;
            }
            // The digits without the point move to the high end, and zeros before them; what was behind them falls out.
            let whole = values & ((1 << (8 * first)) - 1);
            let part = (values >> (8 * first) >> 8) << (8 * first);
            (eight_digits((whole | part) << (8 * (8 - count))), end, count - first)
        } else {
            long_number(rest.get(begin..)?.first_chunk()?)?
        };
        self.at += begin + length;
        let value = number as i64 as f64 * POWERS[decimals];
        // Half of the numbers are negative, in no order that a processor could guess: no branch.
        Some(f64::from_bits(value.to_bits() | u64::from(negative) << 63))
    }

    /// The next number, whatever it looks like; `None` at the end of the file. After a fault the word is still ahead.
    pub fn next(&mut self) -> Result<Option<f64>, Fault> {
        while let Some(&byte) = self.bytes.get(self.at) {
            if !is_blank(byte) {
                return self.any_number();
            }
            // The line end of old Macintosh files is a lone carriage return.
            self.line +=
                usize::from(byte == b'\n' || byte == b'\r' && self.bytes.get(self.at + 1) != Some(&b'\n'));
            self.at += 1;
        }
        Ok(None)
    }

    /// The word that comes next.
    pub fn word(&self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        &rest[..rest.iter().position(|&byte| is_blank(byte)).unwrap_or(rest.len())]
    }

    /// Also exponents, many digits, and spellings of NaN.
    fn any_number(&mut self) -> Result<Option<f64>, Fault> {
        let word = self.word();
        let number = match Text::new(word).number() {
            Ok(number) => number,
            Err(fault) => return Err(Fault::line(self.line, fault.problem)),
        };
        self.at += word.len();
        Ok(Some(number))
    }
}

/// The line of a number of the frames.
pub(super) fn line_of_number(bytes: &[u8], first_line: usize, number: usize) -> usize {
    let mut numbers = Numbers::new(bytes, first_line);
    (0..=number).take_while(|_| matches!(numbers.next(), Ok(Some(_)))).count();
    numbers.line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<f64> {
        let mut numbers = Numbers::new(text.as_bytes(), 1);
        std::iter::from_fn(|| numbers.next_plain().map_or_else(|| numbers.next().unwrap(), Some)).collect()
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        let text = "0 -0 1 -1 0.1 -.5 5. +2 123456789012345 12345678901234.5 0.123456789012345678901 1e3 -2.5E-3 \
                    179.999999 00012.50 99999999999999999999 12345678.1234567 .00000000000001 1234567.12345678 -7 \
                    -123456789.12345 0.000000 1 2 3 4 5 6 7 8 9";
        for (number, word) in numbers(text).into_iter().zip(text.split_whitespace()) {
            let expected = word.parse::<f64>().unwrap();
            assert!((number - expected).abs() <= f64::EPSILON * expected.abs(), "{word}: {number}");
            assert_eq!(number.is_sign_negative(), expected.is_sign_negative(), "{word}");
        }
    }
}
