//! A cursor over a text file that counts lines: words, numbers and names for the text formats.

use super::{Fault, Problem};

/// What lies between words of one line.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c)
}

/// Line ends are `\n`, `\r\n`, and the lone `\r` of old Macintosh files.
fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// A backslash ends a word only in front of a line end, but no number contains one.
fn ends_number(byte: Option<&u8>) -> bool {
    byte.is_none_or(|&b| is_blank(b) || is_line_end(b) || b == b'\\')
}

/// A cursor over the bytes of a text file. It is cheap to clone.
#[derive(Clone)]
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Text<'a> {
    /// Starts at the first byte, or behind a byte order mark.
    pub fn new(bytes: &'a [u8]) -> Text<'a> {
        Text { bytes, at: if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }, line: 1 }
    }

    /// The number of the current line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The next byte; 0 at the end.
    pub fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    /// Steps over one byte.
    pub fn bump(&mut self) {
        self.at = (self.at + 1).min(self.bytes.len());
    }

    /// Bytes before the cursor.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Everything from here on.
    pub fn remaining(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// True at the end of the file.
    pub fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Steps over blanks, and over line ends that a backslash hides.
    #[inline]
    pub fn skip_blanks(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            if is_blank(byte) {
                self.at += 1;
            } else if byte == b'\\' && self.bytes.get(self.at + 1).copied().is_some_and(is_line_end) {
                self.at += 1;
                self.step_over_line_end();
            } else {
                break;
            }
        }
    }

    /// True if a word ends here, or none begins.
    #[inline]
    pub fn at_word_end(&self) -> bool {
        ends_number(self.bytes.get(self.at))
    }

    /// Steps over blanks; true if the line, or what a comment leaves of it, ends here.
    #[inline]
    pub fn at_line_end(&mut self) -> bool {
        self.skip_blanks();
        match self.bytes.get(self.at) {
            None => true,
            Some(&byte) => is_line_end(byte) || byte == b'#',
        }
    }

    /// Steps over blanks, line ends and comments to the next word, wherever it is.
    pub fn skip_to_word(&mut self) {
        while self.at_line_end() && !self.is_done() {
            self.skip_line();
        }
    }

    fn step_over_line_end(&mut self) {
        let windows = self.remaining().starts_with(b"\r\n");
        self.at += if windows { 2 } else { 1 };
        self.line += 1;
    }

    /// Goes to the start of the next line. A backslash does not continue the line: comments end in folder
    /// names often enough.
    #[inline]
    pub fn skip_line(&mut self) {
        match self.remaining().iter().position(|&b| is_line_end(b)) {
            Some(length) => {
                self.at += length;
                self.step_over_line_end();
            }
            None => self.at = self.bytes.len(),
        }
    }

    /// Goes to the start of the next line that does not continue this one.
    pub fn skip_statement(&mut self) {
        loop {
            let start = self.at;
            self.skip_line();
            let line = self.bytes[start..self.at].trim_ascii_end();
            if line.last() != Some(&b'\\') || self.is_done() {
                return;
            }
        }
    }

    /// The next word of this line; empty at its end.
    pub fn word(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let rest = self.remaining();
        let length = rest.iter().position(|&b| is_blank(b) || is_line_end(b)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// What is left of this line, without blanks around it. Names may contain blanks, `#` and backslashes.
    pub fn rest_of_line(&mut self) -> String {
        let rest = self.remaining();
        let length = rest.iter().position(|&b| is_line_end(b)).unwrap_or(rest.len());
        self.at += length;
        String::from_utf8_lossy(rest[..length].trim_ascii()).into_owned()
    }

    /// The next number of this line.
    #[inline]
    pub fn number(&mut self) -> Result<f64, Fault> {
        self.skip_blanks();
        let rest = self.remaining();
        match lexical_core::parse_partial::<f64>(rest) {
            Ok((value, length)) if length > 0 && ends_number(rest.get(length)) => {
                self.at += length;
                Ok(value)
            }
            _ => self.strange_number(),
        }
    }

    /// The C library of Windows prints numbers that are none as `-1.#IND`, `1.#QNAN`, `-nan(ind)`.
    #[cold]
    fn strange_number(&mut self) -> Result<f64, Fault> {
        let mut ahead = self.clone();
        let word = ahead.word();
        let unsigned = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(word);
        let not_a_number = unsigned.starts_with(b"1.#")
            || unsigned.get(..3).is_some_and(|head| head.eq_ignore_ascii_case(b"nan"));
        if !not_a_number {
            return Err(self.unexpected("a number"));
        }
        *self = ahead;
        Ok(f64::NAN)
    }

    /// The next whole number, directly here: no blanks are skipped. Huge ones saturate.
    #[inline]
    pub fn integer(&mut self) -> Option<i64> {
        let negative = self.peek() == b'-';
        let start = self.at + usize::from(negative || self.peek() == b'+');
        let mut end = start;
        let mut value = 0i64;
        while let Some(digit) = self.bytes.get(end).map(|b| b.wrapping_sub(b'0')).filter(|&d| d < 10) {
            value = value.saturating_mul(10).saturating_add(i64::from(digit));
            end += 1;
        }
        (end > start).then(|| {
            self.at = end;
            if negative { -value } else { value }
        })
    }

    /// The next whole number, directly here, if it is not negative.
    pub fn count(&mut self, expected: &'static str) -> Result<u64, Fault> {
        let start = self.clone();
        self.integer().and_then(|count| u64::try_from(count).ok()).ok_or_else(|| start.unexpected(expected))
    }

    /// The fault that something else than `expected` comes next.
    #[cold]
    pub fn unexpected(&self, expected: &'static str) -> Fault {
        let mut ahead = self.clone();
        let found = if ahead.at_line_end() {
            let end = if ahead.is_done() { "the end of the file" } else { "the end of the line" };
            end.to_owned()
        } else {
            shortened(ahead.word())
        };
        Fault::line(ahead.line, Problem::Syntax { expected, found })
    }
}

/// A word for a message: no control characters, and not longer than a person wants to read.
pub(super) fn shortened(word: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(&word[..word.len().min(4 * LONGEST)]);
    let mut short: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_for_every_line_end() {
        let mut text = Text::new(b"\xef\xbb\xbfa\nb\r\nc\rd");
        for (line, word) in [(1, b"a"), (2, b"b"), (3, b"c"), (4, b"d")] {
            text.skip_to_word();
            assert_eq!((text.line(), text.word()), (line, &word[..]));
        }
        text.skip_to_word();
        assert!(text.is_done());
    }

    #[test]
    fn numbers_in_every_spelling() {
        let mut text = Text::new(b" 1 -2.5\t+3e2 .5 5. 1e400 nan -1.#IND00 -nan(ind) \\\r\n7");
        let numbers: Vec<f64> =
            std::iter::from_fn(|| (!text.at_line_end()).then(|| text.number().unwrap())).collect();
        assert_eq!(numbers[..6], [1.0, -2.5, 300.0, 0.5, 5.0, f64::INFINITY]);
        assert!(numbers[6..9].iter().all(|n| n.is_nan()));
        assert_eq!(numbers[9], 7.0);
        assert_eq!(text.line(), 2);
    }

    #[test]
    fn what_is_no_number_is_named_with_its_line() {
        for (input, message) in [
            ("\n0,5", "expected a number, found '0,5', line 2"),
            ("\n#c", "expected a number, found 'the end of the line', line 2"),
            ("\n", "expected a number, found 'the end of the file', line 2"),
            ("\n1.2.3", "expected a number, found '1.2.3', line 2"),
        ] {
            let mut text = Text::new(input.as_bytes());
            text.skip_line();
            assert_eq!(text.number().unwrap_err().without_way_out(), message);
        }
    }

    #[test]
    fn comments_are_not_continued_but_statements_are() {
        let mut text = Text::new(b"# C:\\models\\\ncurv 1 \\\n 2\nf");
        text.skip_line();
        assert_eq!(text.word(), b"curv");
        text.skip_statement();
        assert_eq!((text.line(), text.word()), (4, &b"f"[..]));
    }

    #[test]
    fn long_words_are_shortened_in_messages() {
        assert_eq!(shortened(&[b'x'; 1000]), format!("{}…", "x".repeat(40)));
        assert_eq!(shortened(b"a\x07b"), "a\\u{7}b");
    }
}
