//! BVH, the hierarchy and motion files of Biovision, as everybody writes them.
//!
//! There is no standard. The hierarchy (`hierarchy`) is read word by word, because files differ in line ends, braces
//! and capitals; the frames (`header`, `numbers`, `frames`) are one stream of numbers, because rows are broken over lines.
//! `broken_rows`, `positions` and `spikes` mend what files get wrong. Every file is read or refused; what was mended is a
//! [`Warning`] with its line.

mod broken_rows;
mod frames;
mod half_angle;
mod header;
mod hierarchy;
mod numbers;
mod positions;
mod spikes;
#[cfg(test)]
mod tests;
mod write;

pub use write::{RotationOrder, write};

use super::text::Text;
use super::{Fault, Problem};
use crate::Warning;
use crate::motion::Motion;
use crate::warning::Repair;

/// The farthest a joint may be from its parent, in the file's unit. Nothing real is near it, and sums of a million such
/// numbers are still finite.
const FARTHEST: f64 = 1e12;

/// Reads a BVH file. Axes and unit stay those of the file; the time of a frame is taken to the usual rate that it was
/// rounded from.
///
/// # Errors
/// A `Fault` with its line for what is no BVH file, for words where numbers must be, and for numbers that stay broken
/// for longer than a tenth of a second.
pub fn read(bytes: &[u8], warnings: &mut Vec<Warning>) -> Result<Motion, Fault> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        let problem = Problem::Unsupported { feature: "UTF-16 text".into(), way_out: "save it as UTF-8" };
        return Err(Fault::whole(problem));
    }
    let mut text = Text::new(bytes);
    let hierarchy = hierarchy::read(&mut text, warnings)?;
    Ok(frames::read(hierarchy, &mut text, warnings)?.with_rest_split_off())
}

/// Whether the bytes begin as a BVH file does.
pub(super) fn is_bvh(bytes: &[u8]) -> bool {
    let mut text = Text::new(bytes);
    text.skip_to_word();
    match text.word().to_ascii_uppercase().as_slice() {
        b"HIERARCHY" => true,
        b"ROOT" => text.remaining().iter().take(400).any(|&byte| byte == b'{'),
        _ => false,
    }
}

fn repaired(line: usize, repair: Repair) -> Warning {
    Warning::Repaired { line, repair }
}
