//! The frames: one stream of numbers, turned into quaternions and places while it is read.

use super::half_angle::sin_cos;
use super::hierarchy::{Hierarchy, Kind};
use super::{FARTHEST, repaired};
use crate::Warning;
use crate::io::text::{Text, shortened};
use crate::io::{Fault, Problem};
use crate::math::{Quat, Vec3};
use crate::motion::{Joint, Motion, Repair, Tracks, snapped};
use nalgebra::Quaternion;

/// Frames a second where a file does not say it.
const ASSUMED_RATE: f64 = 30.0;
/// Numbers that are none are bridged for so long; a longer hole is no motion any more.
const LONGEST_HOLE: f64 = 0.1;
/// A rotation that changes faster and comes back in the next frame is an error of the capture: 90° in 8 ms.
const SPIKE_RADIANS_PER_SECOND: f64 = std::f64::consts::FRAC_PI_2 / 0.008;
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
    frames.read(&mut numbers, &header, warnings)?;
    if let Some(declared) = header.frames
        && declared != frames.count as u64
        && has_motion
    {
        warnings.push(repaired(header.line, Repair::FrameCount { declared, found: frames.count }));
    } else if frames.count == 0 && has_motion {
        warnings.push(repaired(header.line, Repair::NoFrames));
    }
    if frames.held.0 > 0 {
        warnings.push(repaired(frames.held.1, Repair::Held { count: frames.held.0 }));
    }
    let has_leaps = frames.has_leaps;
    let mut motion = frames.into_motion(hierarchy.joints);
    resolve_positions(&mut motion, &hierarchy.lines, warnings);
    if has_leaps {
        remove_spikes(&mut motion, warnings);
    }
    Ok(motion)
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

/// Turning channels of one joint: their places in a frame and their axes, in the order of the file.
struct Turns {
    channels: Vec<(usize, usize)>,
}

struct Frames {
    frame_seconds: f64,
    width: usize,
    count: usize,
    turns: Vec<Turns>,
    rotations: Tracks<Quat>,
    /// For each travelling joint: the place in a frame of each axis, or the offset.
    travels: Vec<[Result<usize, f64>; 3]>,
    translations: Tracks<Vec3>,
    /// How many values were held, and the line of the first.
    held: (usize, usize),
    has_leaps: bool,
}

impl Frames {
    fn new(hierarchy: &Hierarchy, frame_seconds: f64) -> Frames {
        let mut frames = Frames {
            frame_seconds,
            width: hierarchy.channels.len(),
            count: 0,
            turns: Vec::new(),
            rotations: Tracks { joints: Vec::new(), values: Vec::new() },
            travels: Vec::new(),
            translations: Tracks { joints: Vec::new(), values: Vec::new() },
            held: (0, 0),
            has_leaps: false,
        };
        for (place, channel) in hierarchy.channels.iter().enumerate() {
            match channel.kind {
                Kind::Skipped => {}
                Kind::Rotation(axis) => {
                    if frames.rotations.joints.last() != Some(&channel.joint) {
                        frames.rotations.joints.push(channel.joint);
                        frames.turns.push(Turns { channels: Vec::new() });
                    }
                    frames.turns.last_mut().expect("just made").channels.push((place, axis));
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
        self.rotations.values.reserve_exact(frames * self.turns.len());
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
        let mut holes = vec![0u32; self.width];
        // The leap beyond which a rotation may be a spike, as the cosine of half of it.
        let leap = (SPIKE_RADIANS_PER_SECOND * self.frame_seconds).min(std::f64::consts::PI);
        let leap_cosine = (0.5 * leap).cos();
        loop {
            for place in 0..self.width {
                match numbers.next() {
                    Ok(Some(value)) if value.abs() < FARTHEST => {
                        row[place] = value;
                        holes[place] = 0;
                    }
                    Ok(Some(_)) => {
                        holes[place] += 1;
                        let seconds = f64::from(holes[place]) * self.frame_seconds;
                        if seconds > LONGEST_HOLE.max(1.5 * self.frame_seconds) {
                            let problem =
                                Problem::NotFinite { what: "the motion of frame", index: self.count };
                            return Err(Fault::line(numbers.line, problem));
                        }
                        if self.held.0 == 0 {
                            self.held.1 = numbers.line;
                        }
                        self.held.0 += 1;
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

    fn push(&mut self, row: &[f64], leap_cosine: f64) {
        let before = self.rotations.values.len().wrapping_sub(self.turns.len());
        for (track, turns) in self.turns.iter().enumerate() {
            let mut rotation = compose(&turns.channels, row);
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

    fn into_motion(mut self, joints: Vec<Joint>) -> Motion {
        self.rotations.values.shrink_to_fit();
        self.translations.values.shrink_to_fit();
        Motion {
            joints,
            frames: self.count,
            frame_seconds: self.frame_seconds,
            rotations: self.rotations,
            translations: self.translations,
        }
    }
}

/// Rotations apply in the listed order about the turning axes: `R = R1 R2 R3`.
#[inline]
fn compose(channels: &[(usize, usize)], row: &[f64]) -> Quaternion<f64> {
    let (mut w, mut x, mut y, mut z) = (1.0, 0.0, 0.0, 0.0);
    for &(place, axis) in channels {
        let (s, c) = sin_cos(row[place]);
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
        if stretch > STRETCH && longest > SHORT_OFFSET * size {
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

/// A rotation that leaps away for one frame and comes back is replaced by the middle of its neighbours.
fn remove_spikes(motion: &mut Motion, warnings: &mut Vec<Warning>) {
    let leap = SPIKE_RADIANS_PER_SECOND * motion.frame_seconds;
    let tracks = motion.rotations.joints.len();
    let mut first = None;
    let mut count = 0;
    for frame in 1..motion.frames.saturating_sub(1) {
        for track in 0..tracks {
            let at = |frame: usize| motion.rotations.values[frame * tracks + track];
            let (before, here, behind) = (at(frame - 1), at(frame), at(frame + 1));
            if before.angle_to(&here) > leap
                && here.angle_to(&behind) > leap
                && before.angle_to(&behind) < 0.5 * leap
            {
                motion.rotations.values[frame * tracks + track] = before.nlerp(&behind, 0.5);
                first.get_or_insert((frame, motion.rotations.joints[track]));
                count += 1;
            }
        }
    }
    if let Some((frame, joint)) = first {
        let joint = motion.joints[joint].name.clone();
        warnings.push(repaired(0, Repair::Spikes { joint, frame, count }));
    }
}

/// Numbers between blanks and line ends.
struct Numbers<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

impl<'a> Numbers<'a> {
    /// The next number; `None` at the end of the file. Behind a fault the place is still in front of the word.
    #[inline]
    fn next(&mut self) -> Result<Option<f64>, Fault> {
        while let Some(&byte) = self.bytes.get(self.at) {
            if !is_blank(byte) {
                return self.plain_number().map_or_else(|| self.any_number(), |number| Ok(Some(number)));
            }
            // The line end of old Macintosh files is a lone carriage return.
            self.line +=
                usize::from(byte == b'\n' || byte == b'\r' && self.bytes.get(self.at + 1) != Some(&b'\n'));
            self.at += 1;
        }
        Ok(None)
    }

    /// Numbers as nearly all files write them: a sign, digits, a point. If the digits without the point are a whole
    /// number below 2⁵³, dividing by a power of ten rounds once and therefore right (Clinger 1990).
    #[inline]
    fn plain_number(&mut self) -> Option<f64> {
        let rest = &self.bytes[self.at..];
        let negative = rest[0] == b'-';
        let mut length = usize::from(negative);
        let mut mantissa = 0u64;
        let mut point = None;
        while let Some(&byte) = rest.get(length) {
            let digit = byte.wrapping_sub(b'0');
            if digit < 10 {
                mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
            } else if byte == b'.' && point.is_none() {
                point = Some(length);
            } else {
                break;
            }
            length += 1;
        }
        let digits = length - usize::from(negative) - usize::from(point.is_some());
        let ends = rest.get(length).is_none_or(|&byte| is_blank(byte));
        if !ends || digits == 0 || digits > 15 {
            return None;
        }
        self.at += length;
        let decimals = point.map_or(0, |point| length - point - 1);
        let value = mantissa as f64 / POWERS[decimals];
        Some(if negative { -value } else { value })
    }

    fn word(&self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        &rest[..rest.iter().position(|&byte| is_blank(byte)).unwrap_or(rest.len())]
    }

    /// Exponents, many digits, and the ways to write what is no number.
    #[cold]
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
        std::iter::from_fn(|| numbers.next().unwrap()).collect()
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        let text = "0 -0 1 -1 0.1 -.5 5. +2 123456789012345 12345678901234.5 0.123456789012345678901 1e3 -2.5E-3 \
                    179.999999 00012.50 99999999999999999999";
        for (number, word) in numbers(text).into_iter().zip(text.split_whitespace()) {
            assert_eq!(number.to_bits(), word.parse::<f64>().unwrap().to_bits(), "{word}");
        }
    }

    #[test]
    fn every_axis_turns_as_its_rotation_does() {
        let axes = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
        let row = [31.0, -140.0, 260.0];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [2, 2, 0]] {
            let channels: Vec<(usize, usize)> = order.into_iter().enumerate().collect();
            let expected = order.iter().zip(row).fold(Quat::identity(), |turn, (&axis, degrees)| {
                turn * Quat::from_axis_angle(&axes[axis], f64::to_radians(degrees))
            });
            let found = Quat::new_unchecked(compose(&channels, &row));
            assert!(found.angle_to(&expected) < 1e-12, "{order:?}");
        }
    }
}
