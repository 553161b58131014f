//! Letters of five by seven dots, for what a picture must say by itself.

use crate::Image;

/// Pixels of a dot. With 1 nobody reads it on a screen of today; with 3 the joints of a person need more than the height.
const DOT: usize = 2;
const COLUMNS: usize = 5;
const ROWS: usize = 7;
/// From a letter to the next, in pixels.
pub(super) const ADVANCE: usize = (COLUMNS + 1) * DOT;
/// Height of a letter in pixels.
pub(super) const HEIGHT: usize = ROWS * DOT;

/// Writes a text with the upper left corner of its first letter at a column and row; what sticks out is cut off.
pub(super) fn write(image: &mut Image, text: &str, [left, top]: [usize; 2], color: [u8; 3]) {
    let [r, g, b] = color;
    let dot = Image::filled(DOT, DOT, [r, g, b, 255]);
    for (place, letter) in text.chars().enumerate() {
        for (row, dots) in rows(letter).into_iter().enumerate() {
            for column in (0..COLUMNS).filter(|column| dots >> (COLUMNS - 1 - column) & 1 == 1) {
                let (x, y) = (left + place * ADVANCE + column * DOT, top + row * DOT);
                if y < image.height {
                    image.lay_over(&dot, x, y);
                }
            }
        }
    }
}

/// Pixels that a text needs from left to right.
pub(super) fn width(text: &str) -> usize {
    text.chars().count() * ADVANCE
}

/// The rows of a letter from the top, each of five bits; a box for what has no letter here.
fn rows(letter: char) -> [u8; ROWS] {
    let bits: u64 = GLYPHS.iter().find(|(known, _)| *known == letter).map_or(UNKNOWN, |(_, bits)| *bits);
    std::array::from_fn(|row| (bits >> (8 * (ROWS - 1 - row))) as u8)
}

const UNKNOWN: u64 = 0x1F_11_11_11_11_11_1F;

/// One byte a row.
const GLYPHS: [(char, u64); 78] = [
    (' ', 0),
    ('A', 0x0E_11_11_1F_11_11_11),
    ('B', 0x1E_11_11_1E_11_11_1E),
    ('C', 0x0E_11_10_10_10_11_0E),
    ('D', 0x1E_11_11_11_11_11_1E),
    ('E', 0x1F_10_10_1E_10_10_1F),
    ('F', 0x1F_10_10_1E_10_10_10),
    ('G', 0x0E_11_10_17_11_11_0F),
    ('H', 0x11_11_11_1F_11_11_11),
    ('I', 0x0E_04_04_04_04_04_0E),
    ('J', 0x07_02_02_02_02_12_0C),
    ('K', 0x11_12_14_18_14_12_11),
    ('L', 0x10_10_10_10_10_10_1F),
    ('M', 0x11_1B_15_15_11_11_11),
    ('N', 0x11_19_15_13_11_11_11),
    ('O', 0x0E_11_11_11_11_11_0E),
    ('P', 0x1E_11_11_1E_10_10_10),
    ('Q', 0x0E_11_11_11_15_12_0D),
    ('R', 0x1E_11_11_1E_14_12_11),
    ('S', 0x0F_10_10_0E_01_01_1E),
    ('T', 0x1F_04_04_04_04_04_04),
    ('U', 0x11_11_11_11_11_11_0E),
    ('V', 0x11_11_11_11_11_0A_04),
    ('W', 0x11_11_11_15_15_1B_11),
    ('X', 0x11_11_0A_04_0A_11_11),
    ('Y', 0x11_11_0A_04_04_04_04),
    ('Z', 0x1F_01_02_04_08_10_1F),
    ('a', 0x00_00_0E_01_0F_11_0F),
    ('b', 0x10_10_1E_11_11_11_1E),
    ('c', 0x00_00_0E_11_10_11_0E),
    ('d', 0x01_01_0F_11_11_11_0F),
    ('e', 0x00_00_0E_11_1F_10_0E),
    ('f', 0x06_08_1C_08_08_08_08),
    ('g', 0x00_00_0F_11_0F_01_0E),
    ('h', 0x10_10_1E_11_11_11_11),
    ('i', 0x04_00_0C_04_04_04_0E),
    ('j', 0x02_00_06_02_02_12_0C),
    ('k', 0x10_10_12_14_18_14_12),
    ('l', 0x0C_04_04_04_04_04_0E),
    ('m', 0x00_00_1A_15_15_15_15),
    ('n', 0x00_00_1E_11_11_11_11),
    ('o', 0x00_00_0E_11_11_11_0E),
    ('p', 0x00_00_1E_11_1E_10_10),
    ('q', 0x00_00_0F_11_0F_01_01),
    ('r', 0x00_00_16_18_10_10_10),
    ('s', 0x00_00_0F_10_0E_01_1E),
    ('t', 0x08_08_1C_08_08_08_06),
    ('u', 0x00_00_11_11_11_11_0F),
    ('v', 0x00_00_11_11_11_0A_04),
    ('w', 0x00_00_11_11_15_15_0A),
    ('x', 0x00_00_11_0A_04_0A_11),
    ('y', 0x00_00_11_11_0F_01_0E),
    ('z', 0x00_00_1F_02_04_08_1F),
    ('0', 0x0E_11_13_15_19_11_0E),
    ('1', 0x04_0C_04_04_04_04_0E),
    ('2', 0x0E_11_01_06_08_10_1F),
    ('3', 0x1E_01_01_0E_01_01_1E),
    ('4', 0x02_06_0A_12_1F_02_02),
    ('5', 0x1F_10_1E_01_01_11_0E),
    ('6', 0x06_08_10_1E_11_11_0E),
    ('7', 0x1F_01_02_04_08_08_08),
    ('8', 0x0E_11_11_0E_11_11_0E),
    ('9', 0x0E_11_11_0F_01_02_0C),
    ('.', 0x00_00_00_00_00_0C_0C),
    (',', 0x00_00_00_00_0C_04_08),
    ('-', 0x00_00_00_1F_00_00_00),
    ('+', 0x00_04_04_1F_04_04_00),
    ('=', 0x00_00_1F_00_1F_00_00),
    ('_', 0x00_00_00_00_00_00_1F),
    ('(', 0x02_04_08_08_08_04_02),
    (')', 0x08_04_02_02_02_04_08),
    (':', 0x00_0C_0C_00_0C_0C_00),
    (';', 0x00_0C_0C_00_0C_04_08),
    ('%', 0x18_19_02_04_08_13_03),
    ('?', 0x0E_11_01_02_04_00_04),
    ('"', 0x0A_0A_00_00_00_00_00),
    ('/', 0x01_01_02_04_08_10_10),
    ('\'', 0x04_04_00_00_00_00_00),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_as_wide_as_it_says_and_what_sticks_out_is_cut_off() {
        let mut image = Image::filled(width("Il"), HEIGHT, [255; 4]);
        write(&mut image, "Ill", [0, 0], [0; 3]);
        let dark = |x: usize, y: usize| image.pixel(x, y)[0] == 0;
        // The stem of the capital, and the foot of the small letter.
        assert!(dark(2 * DOT, 3 * DOT) && !dark(0, 3 * DOT) && dark(ADVANCE + 3 * DOT, HEIGHT - 1));
        write(&mut image, "x", [0, 5 * HEIGHT], [0; 3]);
    }

    #[test]
    fn no_two_letters_look_alike() {
        for (place, (letter, bits)) in GLYPHS.iter().enumerate() {
            assert!(GLYPHS[..place].iter().all(|(other, own)| other != letter && own != bits), "{letter}");
            assert!((0..8).all(|row| bits >> (8 * row) & 0xFF <= 0x1F), "{letter}");
        }
    }
}
