//! The frames: one stream of numbers, turned into quaternions and places while it is read.

use super::broken_rows;
use super::half_angle::sin_cos;
use super::hierarchy::{Hierarchy, Kind};
use super::spikes;
use super::{FARTHEST, repaired};
use crate::Warning;
use crate::io::text::{Text, shortened};
use crate::io::{Fault, Problem};
use crate::math::{Quat, Vec3, cos};
use crate::motion::{Motion, MotionJoint, Repair, Tracks, snapped};
use crate::skeleton::naming::{Word, understand};
use nalgebra::Quaternion;
use rayon::prelude::*;

/// Frames a second where a file does not say it.
const ASSUMED_RATE: f64 = 30.0;
/// Numbers that are none are bridged for so long; a longer hole is no motion any more.
pub(super) const LONGEST_HOLE: f64 = 0.1;
/// Position channels of a joint are added to its offset if they stay below this part of it, and if the offset is not
/// itself next to nothing, in parts of the size of the hierarchy.
const NEAR_ZERO: f64 = 0.1;
const SHORT_OFFSET: f64 = 0.01;
/// Bones that change their length by less than this do so by rounding.
const STRETCH: f64 = 0.02;

/// Reads what follows the word `MOTION`.
pub(super) fn read(
    hierarchy: Hierarchy,
    text: &mut Text,
    warnings: &mut Vec<Warning>,
) -> Result<Motion, Fault> {
    let has_motion = hierarchy.has_motion;
    let header = Header::read(text, has_motion, warnings);
    let mut frames = Frames::new(&hierarchy, header.frame_seconds);
    let mut numbers = Numbers { bytes: text.remaining(), at: 0, line: text.line() };
    frames.reserve(&header, numbers.bytes.len());
    let (line, bytes) = (numbers.line, numbers.bytes);
    let mut frame_warnings = Vec::new();
    frames.read(&mut numbers, &header, &mut frame_warnings)?;
    let is_whole = header.frames.is_none_or(|declared| declared == frames.count as u64);
    if !(is_whole && frame_warnings.is_empty())
        && let Some(mended) = broken_rows::mended(bytes, frames.width)
    {
        frames = Frames::new(&hierarchy, header.frame_seconds);
        frame_warnings = vec![repaired(line + mended.line, mended.repair)];
        let mut numbers = Numbers { bytes: &mended.text, at: 0, line };
        frames.read(&mut numbers, &header, &mut frame_warnings)?;
    }
    warnings.append(&mut frame_warnings);
    if let Some(declared) = header.frames
        && declared != frames.count as u64
        && has_motion
    {
        warnings.push(repaired(header.line, Repair::FrameCount { declared, found: frames.count }));
    } else if frames.count == 0 && has_motion {
        warnings.push(repaired(header.line, Repair::NoFrames));
    }
    if let Some(Held { line, frame, place, count }) = frames.held {
        let joint = hierarchy.joints[hierarchy.channels[place].joint].name.clone();
        warnings.push(repaired(line, Repair::Held { joint, frame, count }));
    }
    let (has_leaps, width) = (frames.has_leaps, frames.width);
    let mut motion = frames.into_motion(hierarchy.joints);
    resolve_positions(&mut motion, &hierarchy.lines, warnings);
    if let Some((frame, spikes)) = spikes::remove(&mut motion, has_leaps) {
        warnings.push(repaired(line_of_number(bytes, line, frame * width), spikes));
    }
    Ok(motion)
}

/// The line of a number of the frames.
fn line_of_number(bytes: &[u8], first_line: usize, number: usize) -> usize {
    let mut numbers = Numbers { bytes, at: 0, line: first_line };
    (0..=number).take_while(|_| matches!(numbers.next(), Ok(Some(_)))).count();
    numbers.line
}

/// `Frames:` and `Frame Time:`, in any spelling and order.
struct Header {
    frames: Option<u64>,
    frame_seconds: f64,
    line: usize,
}

impl Header {
    fn read(text: &mut Text, has_motion: bool, warnings: &mut Vec<Warning>) -> Header {
        let mut header = Header { frames: None, frame_seconds: 0.0, line: text.line() };
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
        if has_motion && header.frames.is_none() {
            warnings.push(repaired(header.line, Repair::NoFrameCount));
        }
        let usable = |&seconds: &f64| seconds > 1e-6 && seconds < 1e4;
        header.frame_seconds = match seconds.filter(usable) {
            Some(seconds) => snapped(seconds),
            None => {
                if has_motion {
                    warnings.push(repaired(time_line.unwrap_or(text.line()), Repair::FrameTime));
                }
                1.0 / ASSUMED_RATE
            }
        };
        header
    }
}

/// The letters at this place, in lower case.
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

/// Whether the words `Frame Time` come next; `behind` is then the place behind them.
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

/// One rotation of a joint: its place in a frame and its axis.
#[derive(Clone, Copy)]
struct Turn {
    place: usize,
    axis: usize,
}

struct Frames {
    frame_seconds: f64,
    width: usize,
    count: usize,
    /// The rotations of all turning joints in the order of the file, and for each joint the end of its own.
    turns: Vec<Turn>,
    turn_ends: Vec<usize>,
    /// Sines and cosines of half the numbers of a frame; those of positions mean nothing.
    sin_cos: Vec<(f64, f64)>,
    rotations: Tracks<Quat>,
    /// For each travelling joint: the place in a frame of each axis, or the offset.
    travels: Vec<[Result<usize, f64>; 3]>,
    translations: Tracks<Vec3>,
    held: Option<Held>,
    has_leaps: bool,
}

/// Values that kept that of the frame before: where the first one is, and how many.
struct Held {
    line: usize,
    frame: usize,
    /// Its place in the frame.
    place: usize,
    count: usize,
}

impl Frames {
    fn new(hierarchy: &Hierarchy, frame_seconds: f64) -> Frames {
        let mut frames = Frames {
            frame_seconds,
            width: hierarchy.channels.len(),
            count: 0,
            turns: Vec::new(),
            turn_ends: Vec::new(),
            sin_cos: vec![(0.0, 1.0); hierarchy.channels.len()],
            rotations: Tracks { joints: Vec::new(), values: Vec::new() },
            travels: Vec::new(),
            translations: Tracks { joints: Vec::new(), values: Vec::new() },
            held: None,
            has_leaps: false,
        };
        for (place, channel) in hierarchy.channels.iter().enumerate() {
            match channel.kind {
                Kind::Skipped => {}
                Kind::Rotation(axis) => {
                    if frames.rotations.joints.last() != Some(&channel.joint) {
                        frames.rotations.joints.push(channel.joint);
                        frames.turn_ends.push(frames.turns.len());
                    }
                    frames.turns.push(Turn { place, axis });
                    *frames.turn_ends.last_mut().expect("just made") += 1;
                }
                Kind::Position(axis) => {
                    if frames.translations.joints.last() != Some(&channel.joint) {
                        frames.translations.joints.push(channel.joint);
                        let offset = hierarchy.joints[channel.joint].offset;
                        frames.travels.push([Err(offset.x), Err(offset.y), Err(offset.z)]);
                    }
                    frames.travels.last_mut().expect("just made")[axis] = Ok(place);
                }
            }
        }
        frames
    }

    /// Room for the frames that are declared, but not for more than the bytes can hold.
    fn reserve(&mut self, header: &Header, bytes: usize) {
        let most = bytes / (2 * self.width.max(1)) + 1;
        let frames = header.frames.map_or(0, |frames| frames.min(most as u64) as usize);
        self.rotations.values.reserve_exact(frames * self.turn_ends.len());
        self.translations.values.reserve_exact(frames * self.travels.len());
    }

    fn read(
        &mut self,
        numbers: &mut Numbers,
        header: &Header,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), Fault> {
        if self.width == 0 {
            return Ok(());
        }
        let mut row = vec![0.0; self.width];
        // The leap beyond which a rotation may be a spike, as the cosine of half of it.
        let leap_cosine = cos(0.5 * spikes::leap(self.frame_seconds));
        if let Some(blocks) = read_in_parallel(numbers.bytes) {
            // Rows lie within blocks but for the first and the last one of each.
            row.clear();
            for block in &blocks {
                let (begin, rest) = block.split_at(((self.width - row.len()) % self.width).min(block.len()));
                row.extend_from_slice(begin);
                if row.len() == self.width {
                    self.push(&row, leap_cosine);
                    row.clear();
                }
                let rows = rest.chunks_exact(self.width);
                row.extend_from_slice(rows.remainder());
                rows.for_each(|row| self.push(row, leap_cosine));
            }
            if !row.is_empty() {
                let line = numbers.line + numbers.bytes.iter().filter(|&&byte| byte == b'\n').count();
                let repair = Repair::PartialFrame { values: row.len(), width: self.width };
                warnings.push(repaired(line, repair));
            }
            return Ok(());
        }
        let mut holes = vec![0u32; self.width];
        loop {
            for place in 0..self.width {
                if let Some(value) = numbers.next_plain() {
                    row[place] = value;
                    holes[place] = 0;
                    continue;
                }
                match numbers.next() {
                    Ok(Some(value)) if value.abs() < FARTHEST => {
                        row[place] = value;
                        holes[place] = 0;
                    }
                    Ok(Some(_)) => {
                        holes[place] += 1;
                        self.hold(holes[place], place, numbers.line)?;
                    }
                    // Whatever follows the frames that were declared is not part of the motion.
                    Err(_)
                        if place == 0 && header.frames.is_some_and(|frames| frames <= self.count as u64) =>
                    {
                        let word = shortened(numbers.word());
                        warnings.push(repaired(numbers.line, Repair::UnknownWord { word }));
                        return Ok(());
                    }
                    Err(fault) => return Err(fault),
                    Ok(None) => {
                        if place > 0 {
                            let repair = Repair::PartialFrame { values: place, width: self.width };
                            warnings.push(repaired(numbers.line, repair));
                        }
                        return Ok(());
                    }
                }
            }
            self.push(&row, leap_cosine);
        }
    }

    /// A number that is none keeps the value of the frame before, if that has not been done for too long.
    fn hold(&mut self, frames: u32, place: usize, line: usize) -> Result<(), Fault> {
        if f64::from(frames) * self.frame_seconds > LONGEST_HOLE.max(1.5 * self.frame_seconds) {
            let problem = Problem::NotFinite { what: "the motion of frame", index: self.count };
            return Err(Fault::line(line, problem));
        }
        let frame = self.count;
        self.held.get_or_insert(Held { line, frame, place, count: 0 }).count += 1;
        Ok(())
    }

    fn push(&mut self, row: &[f64], leap_cosine: f64) {
        for (half, &value) in self.sin_cos.iter_mut().zip(row) {
            *half = sin_cos(value);
        }
        let before = self.rotations.values.len().wrapping_sub(self.turn_ends.len());
        let mut start = 0;
        for (track, &end) in self.turn_ends.iter().enumerate() {
            let mut rotation = compose(&self.turns[start..end], &self.sin_cos);
            start = end;
            if self.count > 0 {
                // The nearer of the two quaternions of a rotation, so that they can be blended.
                let dot = self.rotations.values[before + track].as_ref().dot(&rotation);
                if dot < 0.0 {
                    rotation = -rotation;
                }
                self.has_leaps |= dot.abs() < leap_cosine;
            }
            self.rotations.values.push(Quat::new_unchecked(rotation));
        }
        for travel in &self.travels {
            let [x, y, z] = travel.map(|axis| axis.map_or_else(|offset| offset, |place| row[place]));
            self.translations.values.push(Vec3::new(x, y, z));
        }
        self.count += 1;
    }

    fn into_motion(mut self, joints: Vec<MotionJoint>) -> Motion {
        self.rotations.values.shrink_to_fit();
        self.translations.values.shrink_to_fit();
        Motion {
            joints: joints.into(),
            rest: None,
            frames: self.count,
            frame_seconds: self.frame_seconds,
            rotations: self.rotations,
            translations: self.translations,
        }
    }
}

/// Rotations apply in the listed order about the turning axes: `R = R1 R2 R3`.
#[inline]
fn compose(turns: &[Turn], sin_cos: &[(f64, f64)]) -> Quaternion<f64> {
    let (mut w, mut x, mut y, mut z) = (1.0, 0.0, 0.0, 0.0);
    for &Turn { place, axis } in turns {
        let (s, c) = sin_cos[place];
        (w, x, y, z) = match axis {
            0 => (w * c - x * s, x * c + w * s, y * c + z * s, z * c - y * s),
            1 => (w * c - y * s, x * c - z * s, y * c + w * s, z * c + x * s),
            _ => (w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s),
        };
    }
    Quaternion::new(w, x, y, z)
}

/// Position channels replace the offset. Some programs write differences instead: those stay near zero while the
/// offset does not.
fn resolve_positions(motion: &mut Motion, lines: &[usize], warnings: &mut Vec<Warning>) {
    let size = motion.reach();
    let count = motion.translations.joints.len();
    let first_second = ((1.0 / motion.frame_seconds).ceil() as usize).clamp(1, motion.frames.max(1));
    let mut worst: Option<(usize, f64)> = None;
    let mut stretching = 0;
    for track in 0..count {
        let joint = motion.translations.joints[track];
        let offset = motion.joints[joint].offset;
        if motion.joints[joint].parent.is_none() || motion.frames == 0 {
            continue;
        }
        let values = motion.translations.values[track..].iter().step_by(count);
        let mean: f64 = values.take(first_second).map(|v| v.norm()).sum::<f64>() / first_second as f64;
        if mean < NEAR_ZERO * offset.norm() && offset.norm() > SHORT_OFFSET * size {
            motion.translations.values[track..].iter_mut().step_by(count).for_each(|v| *v += offset);
            let repair = Repair::AddedPositions { joint: motion.joints[joint].name.clone() };
            warnings.push(repaired(lines[joint], repair));
        }
        let lengths = motion.translations.values[track..].iter().step_by(count).map(|v| v.norm());
        let (shortest, longest) =
            lengths.fold((f64::INFINITY, 0.0f64), |(low, high), length| (low.min(length), high.max(length)));
        let stretch = (longest - shortest) / longest;
        // Hips that hang on a root on the floor travel over it; that is no bone.
        let is_hips = understand(&motion.joints[joint].name).is_some_and(|parts| parts.word == Word::Hips);
        if stretch > STRETCH && longest > SHORT_OFFSET * size && !is_hips {
            stretching += 1;
            if worst.is_none_or(|(_, most)| stretch > most) {
                worst = Some((joint, stretch));
            }
        }
    }
    if let Some((joint, stretch)) = worst {
        let name = motion.joints[joint].name.clone();
        let repair = Repair::Stretches { joint: name, percent: 100.0 * stretch, count: stretching };
        warnings.push(repaired(lines[joint], repair));
    }
}

/// Files of this size are read by several threads, in blocks of this size.
const LARGE: usize = 1 << 20;
const BLOCK: usize = 1 << 18;

/// The numbers of a large file in which all are sound: frames are one stream of numbers, which may be cut anywhere
/// between two. `None` for small files, and for files in which something must be mended or refused: that is done number by
/// number, with lines.
fn read_in_parallel(bytes: &[u8]) -> Option<Vec<Vec<f64>>> {
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
    let mut numbers = Numbers { bytes, at: 0, line: 0 };
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
struct Numbers<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
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
    /// The next number, if a blank at most and a plain number come next: a sign, up to fifteen characters of digits with
    /// a point among them, and more of the file behind them. Nearly all numbers of nearly all files are so.
    ///
    /// Many characters are looked at together, because where the next number begins must be known before anything can be
    /// done about it, and guessing wrong costs as much as reading a number. The digits without the point are a whole
    /// number below 2⁵³, and exact; the power of ten is rounded, so that the last bit may be off by one. Dividing would
    /// round right, and take a fifth of all the time.
    #[inline]
    fn next_plain(&mut self) -> Option<f64> {
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

    /// The next number, whatever it looks like; `None` at the end of the file. Behind a fault the place is still in front
    /// of the word.
    fn next(&mut self) -> Result<Option<f64>, Fault> {
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

    fn word(&self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        &rest[..rest.iter().position(|&byte| is_blank(byte)).unwrap_or(rest.len())]
    }

    /// Also exponents, many digits, and the ways to write what is no number.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<f64> {
        let mut numbers = Numbers { bytes: text.as_bytes(), at: 0, line: 1 };
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

    #[test]
    fn every_axis_turns_as_its_rotation_does() {
        let axes = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
        let row = [31.0, -140.0, 260.0];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [2, 2, 0]] {
            let turns: Vec<Turn> =
                order.into_iter().enumerate().map(|(place, axis)| Turn { place, axis }).collect();
            let expected = order.iter().zip(row).fold(Quat::identity(), |turn, (&axis, degrees)| {
                turn * Quat::from_axis_angle(&axes[axis], f64::to_radians(degrees))
            });
            let found = Quat::new_unchecked(compose(&turns, &row.map(sin_cos)));
            assert!(found.angle_to(&expected) < 1e-12, "{order:?}");
        }
    }
}
