//! The lines of our own text files.

use super::{Fault, Problem};

/// The lines of a text with their numbers, without comments and without those that are empty. The first one must be
/// `first`.
pub(super) fn lines_after<'t>(
    text: &'t str,
    first: &'static str,
    expected: &'static str,
) -> Result<impl Iterator<Item = (usize, &'t str)>, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.split('#').next().unwrap_or("").trim()))
        .filter(|(_, line)| !line.is_empty());
    match lines.next() {
        Some((_, line)) if line == first => Ok(lines),
        Some((line, found)) => Err(Fault::line(line, Problem::syntax(expected, found))),
        None => Err(Fault::whole(Problem::Empty)),
    }
}

/// The words of a line.
pub(super) struct Words<'t>(std::str::SplitWhitespace<'t>);

impl<'t> Words<'t> {
    pub fn of(line: &'t str) -> Words<'t> {
        Words(line.split_whitespace())
    }

    /// The next word, which must be there.
    pub fn next(&mut self, expected: &'static str) -> Result<&'t str, Problem> {
        self.0.next().ok_or_else(|| Problem::syntax(expected, "the end of the line"))
    }

    /// The next word as a number that `is_allowed`; the two sentences are for a line that ends, and for another word.
    pub fn number(
        &mut self,
        [missing, expected]: [&'static str; 2],
        is_allowed: impl Fn(f64) -> bool,
    ) -> Result<f64, Problem> {
        let word = self.next(missing)?;
        let number = word.parse().ok().filter(|&number: &f64| is_allowed(number));
        number.ok_or_else(|| Problem::syntax(expected, word))
    }

    /// The words that are left.
    pub fn rest(self) -> impl Iterator<Item = &'t str> {
        self.0
    }
}
