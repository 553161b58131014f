//! Many characters on one sheet, each with its name.

use super::Image;
use super::lettering::{ADVANCE, HEIGHT, width, write};

/// Pixels along the side of a picture, and between two.
pub const CELL: usize = 240;
const GAP: usize = 6;
/// Pixels above, between and below the two lines of a caption.
const LEAD: usize = 5;
const STRIP: usize = 2 * HEIGHT + 3 * LEAD;
/// Sheets are about twice as wide as they are high.
const WIDE: f64 = 2.0;

const PAPER: [u8; 4] = [250, 250, 249, 255];
const INK: [u8; 3] = [40, 46, 56];
/// Behind the caption of a character that should be looked at.
const ALERT: [u8; 4] = [255, 214, 120, 255];

/// Where a picture is missing, and what is written there.
const BLANK: [u8; 4] = [222, 223, 225, 255];
const PALE_INK: [u8; 3] = [110, 115, 124];
/// Pixels around a text in place of a picture, and the lines and letters that fit there.
const MARGIN: usize = 12;
const LINES: usize = (CELL - 2 * MARGIN) / (HEIGHT + LEAD);
const LETTERS: usize = (CELL - 2 * MARGIN) / ADVANCE;

/// A picture of a character with what is said about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Portrait {
    /// At most [`CELL`] pixels wide and high.
    pub image: Image,
    /// Two lines below it.
    pub caption: [String; 2],
    /// It should be looked at.
    pub is_doubtful: bool,
}

impl Portrait {
    /// Of who cannot be shown, because of `reason`.
    pub fn missing(name: String, state: &str, reason: &str) -> Portrait {
        let mut image = Image::filled(CELL, CELL, BLANK);
        let lines = wrapped(reason);
        let above = (CELL - lines.len() * (HEIGHT + LEAD)) / 2;
        for (row, line) in lines.iter().enumerate() {
            write(&mut image, line, [MARGIN, above + row * (HEIGHT + LEAD)], PALE_INK);
        }
        Portrait { image, caption: [name, state.to_owned()], is_doubtful: false }
    }
}

/// The lines of a text that fit into a picture; long words are cut, and dots stand for what is left out.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let letters: Vec<char> = word.chars().collect();
        for part in letters.chunks(LETTERS) {
            let line = lines.last_mut().expect("there is a line");
            if !line.is_empty() && line.chars().count() + 1 + part.len() > LETTERS {
                lines.push(part.iter().collect());
            } else {
                let space = if line.is_empty() { "" } else { " " };
                line.extend(space.chars().chain(part.iter().copied()));
            }
        }
    }
    if lines.len() > LINES {
        lines.truncate(LINES - 1);
        lines.push("...".to_owned());
    }
    lines
}

/// Draws the sheet.
pub fn character_sheet(portraits: &[Portrait]) -> Image {
    let cells: Vec<Image> = portraits.iter().map(cell).collect();
    let columns = (WIDE * cells.len() as f64).sqrt().ceil() as usize;
    Image::sheet(&cells, columns, GAP, PAPER)
}

fn cell(portrait: &Portrait) -> Image {
    let mut cell = Image::filled(CELL, CELL + STRIP, PAPER);
    cell.lay_over(&portrait.image, 0, 0);
    if portrait.is_doubtful {
        cell.lay_over(&Image::filled(CELL, STRIP, ALERT), 0, CELL);
    }
    for (row, line) in portrait.caption.iter().enumerate() {
        let line = fitting(line);
        let place = [(CELL - width(line).min(CELL)) / 2, CELL + LEAD + row * (HEIGHT + LEAD)];
        write(&mut cell, line, place, INK);
    }
    cell
}

/// As much of a line as fits below a picture; names differ at their ends rather than at their beginnings.
fn fitting(line: &str) -> &str {
    let ends = line.char_indices().map(|(begin, _)| &line[begin..]);
    ends.into_iter().find(|end| width(end) <= CELL).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_has_a_cell_for_each_and_a_strip_that_alerts() {
        let portrait = |name: &str, is_doubtful| Portrait {
            image: Image::filled(CELL, CELL, [9, 9, 9, 255]),
            caption: [name.to_owned(), "0.99".to_owned()],
            is_doubtful,
        };
        let sheet = character_sheet(&[portrait("a", false), portrait("b", true)]);
        assert_eq!((sheet.width, sheet.height), (2 * (CELL + GAP) + GAP, CELL + STRIP + 2 * GAP));
        let strip = |column: usize| sheet.pixel(GAP + column * (CELL + GAP), GAP + CELL + 1);
        assert_eq!((strip(0), strip(1)), (PAPER, ALERT));
        let [r, g, b] = INK;
        let second_line = GAP + CELL + 2 * LEAD + HEIGHT;
        let is_inked = |x: &usize| (0..HEIGHT).any(|y| sheet.pixel(*x, second_line + y) == [r, g, b, 255]);
        assert!((GAP..GAP + CELL).any(|x| is_inked(&x)), "the second line is written");
        assert_eq!(character_sheet(&[]).width, 2 * GAP);
    }

    #[test]
    fn who_cannot_be_shown_is_a_grey_cell_with_the_reason() {
        let portrait = Portrait::missing("broken".to_owned(), "failed", "it ends after 12 of 20 bytes");
        assert_eq!((portrait.image.width, portrait.image.height), (CELL, CELL));
        assert_eq!(portrait.image.pixel(1, 1), BLANK);
        let [r, g, b] = PALE_INK;
        let is_inked = |y: usize| (0..CELL).any(|x| portrait.image.pixel(x, y) == [r, g, b, 255]);
        assert_eq!(wrapped("it ends after 12 of 20 bytes"), ["it ends after 12", "of 20 bytes"]);
        assert!(is_inked(CELL / 2 - HEIGHT) && is_inked(CELL / 2 + LEAD) && !is_inked(MARGIN));
    }

    #[test]
    fn a_reason_is_cut_into_lines_that_fit() {
        let long = "word ".repeat(200) + &"x".repeat(50);
        for text in [long.as_str(), &"x".repeat(50), "", "a b"] {
            let lines = wrapped(text);
            assert!(
                lines.len() <= LINES && lines.iter().all(|line| line.chars().count() <= LETTERS),
                "{lines:?}"
            );
        }
        assert_eq!(wrapped(&long).last().unwrap(), "...");
        assert_eq!(wrapped(&"x".repeat(50)).concat(), "x".repeat(50));
    }

    #[test]
    fn of_a_long_name_the_end_is_shown() {
        let name = "a_name_that_is_much_longer_than_its_picture_is_wide";
        let shown = fitting(name);
        assert!(name.ends_with(shown) && shown.len() < name.len() && width(shown) <= CELL);
        assert_eq!((fitting("short"), fitting("")), ("short", ""));
    }
}
