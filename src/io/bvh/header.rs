//! What stands between the word `MOTION` and the numbers.

use super::hierarchy::BvhHierarchy;
use super::repaired;
use crate::Warning;
use crate::io::text::Text;
use crate::motion::snapped;
use crate::warning::Repair;
use std::ops::Range;

/// Frames a second where a file does not say it.
const ASSUMED_RATE: f64 = 30.0;
/// Times of a frame that are used, in seconds: others are those of no capture.
const FRAME_SECONDS: Range<f64> = 1e-6..1e4;

/// `Frames:` and `Frame Time:`, in any spelling and order.
pub(super) struct MotionHeader {
    pub frames: Option<u64>,
    pub frame_seconds: f64,
    pub line: usize,
}

impl MotionHeader {
    pub fn read(text: &mut Text, hierarchy: &BvhHierarchy, warnings: &mut Vec<Warning>) -> MotionHeader {
        let mut header = MotionHeader { frames: None, frame_seconds: 0.0, line: text.line() };
        let mut seconds = None;
        let mut time_line = None;
        loop {
            text.skip_to_word();
            let mut ahead = text.clone();
            if letters(&mut ahead).is_some_and(|word| word == "frames") {
                header.line = ahead.line();
                header.frames = value(&mut ahead).filter(|&frames| frames >= 0.0).map(|frames| frames as u64);
            } else if is_frame_time(text.clone(), &mut ahead) {
                time_line = Some(ahead.line());
                seconds = value(&mut ahead);
            } else {
                break;
            }
            *text = ahead;
        }
        if hierarchy.has_motion && header.frames.is_none() {
            warnings.push(repaired(header.line, Repair::NoFrameCount));
        }
        header.frame_seconds = match seconds.filter(|seconds| FRAME_SECONDS.contains(seconds)) {
            Some(seconds) => snapped(seconds),
            None => {
                if hierarchy.has_motion {
                    warnings.push(repaired(time_line.unwrap_or(text.line()), Repair::FrameTime));
                }
                1.0 / ASSUMED_RATE
            }
        };
        header
    }
}

/// The letters that come next, in lower case.
fn letters(text: &mut Text) -> Option<String> {
    text.skip_blanks();
    let word: String = text
        .remaining()
        .iter()
        .take(12)
        .take_while(|b| b.is_ascii_alphabetic())
        .map(|&b| b as char)
        .collect();
    word.bytes().for_each(|_| text.bump());
    (!word.is_empty()).then(|| word.to_ascii_lowercase())
}

/// Whether the words `Frame Time` come next; `behind` is then behind them.
fn is_frame_time<'a>(mut text: Text<'a>, behind: &mut Text<'a>) -> bool {
    let is_it = match letters(&mut text).as_deref() {
        Some("frametime") => true,
        Some("frame") => letters(&mut text).as_deref() == Some("time"),
        _ => false,
    };
    *behind = text;
    is_it
}

/// The number behind a colon; whatever else stands there is skipped with its line.
fn value(text: &mut Text) -> Option<f64> {
    text.skip_blanks();
    if text.peek() == b':' {
        text.bump();
    }
    let number = text.number().ok();
    if number.is_none() {
        text.rest_of_line();
    }
    number.filter(|number| number.is_finite())
}
