//! The frames: one stream of numbers, turned into quaternions and positions while it is read.

use super::broken_rows;
use super::half_angle::sin_cos;
use super::header::MotionHeader;
use super::hierarchy::{BvhHierarchy, Meaning};
use super::numbers::{Numbers, line_of_number, read_in_parallel};
use super::positions;
use super::spikes::{self, Spikes};
use super::{FARTHEST, repaired};
use crate::Warning;
use crate::io::text::{Text, shortened};
use crate::io::{Fault, Problem};
use crate::math::{Quat, Vec3, cos};
use crate::motion::{Motion, MotionJoint, Tracks};
use crate::warning::Repair;
use nalgebra::Quaternion;

/// Seconds for which numbers that are none keep the last value; a longer hole is refused.
pub(super) const LONGEST_HOLE: f64 = 0.1;
/// Frames that may be held at any rate: one, and rounding.
const ONE_FRAME: f64 = 1.5;

/// Reads what follows the word `MOTION`.
pub(super) fn read(
    hierarchy: BvhHierarchy,
    text: &mut Text,
    warnings: &mut Vec<Warning>,
) -> Result<Motion, Fault> {
    let header = MotionHeader::read(text, &hierarchy, warnings);
    let mut frames = Frames::new(&hierarchy, header.frame_seconds);
    let (line, bytes) = (text.line(), text.remaining());
    frames.reserve(&header, bytes.len());
    let mut frame_warnings = Vec::new();
    frames.read(bytes, line, &header, &mut frame_warnings)?;
    let is_whole = header.frames.is_none_or(|declared| declared == frames.count as u64);
    if !(is_whole && frame_warnings.is_empty())
        && let Some(mended) = broken_rows::mended(bytes, frames.width)
    {
        frames = Frames::new(&hierarchy, header.frame_seconds);
        frame_warnings = vec![repaired(line + mended.line, mended.repair)];
        frames.read(&mended.text, line, &header, &mut frame_warnings)?;
    }
    warnings.append(&mut frame_warnings);
    if let Some(declared) = header.frames
        && declared != frames.count as u64
        && hierarchy.has_motion
    {
        warnings.push(repaired(header.line, Repair::FrameCount { declared, found: frames.count }));
    } else if frames.count == 0 && hierarchy.has_motion {
        warnings.push(repaired(header.line, Repair::NoFrames));
    }
    if let Some(Held { line, frame, channel, count }) = frames.held {
        let joint = hierarchy.joints[hierarchy.channels[channel].joint].name.clone();
        warnings.push(repaired(line, Repair::Held { joint, frame, count }));
    }
    let (has_leaps, width) = (frames.has_leaps, frames.width);
    let mut motion = frames.into_motion(hierarchy.joints);
    positions::resolve(&mut motion, &hierarchy.lines, warnings);
    let mut spikes = Spikes::new(&motion);
    spikes.remove_translations(&mut motion);
    if has_leaps {
        spikes.remove_rotations(&mut motion);
    }
    if let Some((frame, repair)) = spikes.repair(&motion) {
        warnings.push(repaired(line_of_number(bytes, line, frame * width), repair));
    }
    Ok(motion)
}

/// One rotation of a joint: its channel in a frame and its axis.
#[derive(Clone, Copy)]
struct EulerRotation {
    channel: usize,
    axis: usize,
}

struct Frames {
    frame_seconds: f64,
    width: usize,
    count: usize,
    /// The rotations of all joints in the order of the file, and for each joint that has some the end of its own.
    euler: Vec<EulerRotation>,
    euler_ends: Vec<usize>,
    /// Sines and cosines of half the numbers of a frame; those of positions mean nothing.
    sin_cos: Vec<(f64, f64)>,
    rotations: Tracks<Quat>,
    /// For each joint with position channels: the channel of each axis, or the offset.
    position_channels: Vec<[Result<usize, f64>; 3]>,
    translations: Tracks<Vec3>,
    held: Option<Held>,
    /// The leap beyond which a rotation may be a spike, as the cosine of half of it.
    leap_cosine: f64,
    has_leaps: bool,
}

/// Values that kept that of the frame before: where the first one is, and how many.
struct Held {
    line: usize,
    frame: usize,
    channel: usize,
    count: usize,
}

impl Frames {
    fn new(hierarchy: &BvhHierarchy, frame_seconds: f64) -> Frames {
        let mut frames = Frames {
            frame_seconds,
            width: hierarchy.channels.len(),
            count: 0,
            euler: Vec::new(),
            euler_ends: Vec::new(),
            sin_cos: vec![(0.0, 1.0); hierarchy.channels.len()],
            rotations: Tracks { joints: Vec::new(), values: Vec::new() },
            position_channels: Vec::new(),
            translations: Tracks { joints: Vec::new(), values: Vec::new() },
            held: None,
            leap_cosine: cos(0.5 * spikes::leap(frame_seconds)),
            has_leaps: false,
        };
        for (index, channel) in hierarchy.channels.iter().enumerate() {
            match channel.meaning {
                Meaning::Skipped => {}
                Meaning::Rotation(axis) => {
                    if frames.rotations.joints.last() != Some(&channel.joint) {
                        frames.rotations.joints.push(channel.joint);
                        frames.euler_ends.push(frames.euler.len());
                    }
                    frames.euler.push(EulerRotation { channel: index, axis });
                    *frames.euler_ends.last_mut().expect("just made") += 1;
                }
                Meaning::Position(axis) => {
                    if frames.translations.joints.last() != Some(&channel.joint) {
                        frames.translations.joints.push(channel.joint);
                        let offset = hierarchy.joints[channel.joint].offset;
                        frames.position_channels.push([Err(offset.x), Err(offset.y), Err(offset.z)]);
                    }
                    frames.position_channels.last_mut().expect("just made")[axis] = Ok(index);
                }
            }
        }
        frames
    }

    /// Room for the frames that are declared, but not for more than the bytes can hold.
    fn reserve(&mut self, header: &MotionHeader, bytes: usize) {
        let most = bytes / (2 * self.width.max(1)) + 1;
        let frames = header.frames.map_or(0, |frames| frames.min(most as u64) as usize);
        self.rotations.values.reserve_exact(frames * self.euler_ends.len());
        self.translations.values.reserve_exact(frames * self.position_channels.len());
    }

    /// Reads the numbers, which start at a line.
    fn read(
        &mut self,
        bytes: &[u8],
        line: usize,
        header: &MotionHeader,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), Fault> {
        if self.width == 0 {
            return Ok(());
        }
        match read_in_parallel(bytes) {
            Some(blocks) => {
                let left = self.push_blocks(&blocks);
                if left > 0 {
                    let line = line + bytes.iter().filter(|&&byte| byte == b'\n').count();
                    let repair = Repair::PartialFrame { values: left, width: self.width };
                    warnings.push(repaired(line, repair));
                }
                Ok(())
            }
            None => self.read_one_by_one(&mut Numbers::new(bytes, line), header, warnings),
        }
    }

    /// Adds the frames of a stream of numbers in blocks; returns how many numbers are left. Rows lie within blocks but for the
    /// first and the last one of each.
    fn push_blocks(&mut self, blocks: &[Vec<f64>]) -> usize {
        let mut row = Vec::with_capacity(self.width);
        for block in blocks {
            let (begin, rest) = block.split_at(((self.width - row.len()) % self.width).min(block.len()));
            row.extend_from_slice(begin);
            if row.len() == self.width {
                self.push(&row);
                row.clear();
            }
            let rows = rest.chunks_exact(self.width);
            row.extend_from_slice(rows.remainder());
            rows.for_each(|row| self.push(row));
        }
        row.len()
    }

    fn read_one_by_one(
        &mut self,
        numbers: &mut Numbers,
        header: &MotionHeader,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), Fault> {
        let mut row = vec![0.0; self.width];
        let mut holes = vec![0u32; self.width];
        loop {
            for channel in 0..self.width {
                if let Some(value) = numbers.next_plain() {
                    row[channel] = value;
                    holes[channel] = 0;
                    continue;
                }
                match numbers.next() {
                    Ok(Some(value)) if value.abs() < FARTHEST => {
                        row[channel] = value;
                        holes[channel] = 0;
                    }
                    Ok(Some(_)) => {
                        holes[channel] += 1;
                        self.hold(holes[channel], channel, numbers.line)?;
                    }
                    // Whatever follows the frames that were declared is not part of the motion.
                    Err(_)
                        if channel == 0
                            && header.frames.is_some_and(|frames| frames <= self.count as u64) =>
                    {
                        let word = shortened(numbers.word());
                        warnings.push(repaired(numbers.line, Repair::UnknownWord { word }));
                        return Ok(());
                    }
                    Err(fault) => return Err(fault),
                    Ok(None) => {
                        if channel > 0 {
                            let repair = Repair::PartialFrame { values: channel, width: self.width };
                            warnings.push(repaired(numbers.line, repair));
                        }
                        return Ok(());
                    }
                }
            }
            self.push(&row);
        }
    }

    /// A number that is none keeps the value of the frame before, if that has not been done for too long.
    fn hold(&mut self, frames: u32, channel: usize, line: usize) -> Result<(), Fault> {
        if f64::from(frames) * self.frame_seconds > LONGEST_HOLE.max(ONE_FRAME * self.frame_seconds) {
            let problem = Problem::NotFinite { what: "the motion of frame", index: self.count };
            return Err(Fault::line(line, problem));
        }
        let frame = self.count;
        self.held.get_or_insert(Held { line, frame, channel, count: 0 }).count += 1;
        Ok(())
    }

    fn push(&mut self, row: &[f64]) {
        for (half, &value) in self.sin_cos.iter_mut().zip(row) {
            *half = sin_cos(value);
        }
        let before = self.rotations.values.len().wrapping_sub(self.euler_ends.len());
        let mut start = 0;
        for (track, &end) in self.euler_ends.iter().enumerate() {
            let mut rotation = compose(&self.euler[start..end], &self.sin_cos);
            start = end;
            if self.count > 0 {
                // The nearer of the two quaternions of a rotation, so that they can be blended.
                let dot = self.rotations.values[before + track].as_ref().dot(&rotation);
                if dot < 0.0 {
                    rotation = -rotation;
                }
                self.has_leaps |= dot.abs() < self.leap_cosine;
            }
            self.rotations.values.push(Quat::new_unchecked(rotation));
        }
        for channels in &self.position_channels {
            let [x, y, z] = channels.map(|axis| axis.map_or_else(|offset| offset, |channel| row[channel]));
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
fn compose(euler: &[EulerRotation], sin_cos: &[(f64, f64)]) -> Quaternion<f64> {
    let (mut w, mut x, mut y, mut z) = (1.0, 0.0, 0.0, 0.0);
    for &EulerRotation { channel, axis } in euler {
        let (s, c) = sin_cos[channel];
        (w, x, y, z) = match axis {
            0 => (w * c - x * s, x * c + w * s, y * c + z * s, z * c - y * s),
            1 => (w * c - y * s, x * c - z * s, y * c + w * s, z * c + x * s),
            _ => (w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s),
        };
    }
    Quaternion::new(w, x, y, z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_axis_turns_as_its_rotation_does() {
        let axes = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
        let row = [31.0, -140.0, 260.0];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [2, 2, 0]] {
            let euler: Vec<EulerRotation> = order
                .into_iter()
                .enumerate()
                .map(|(channel, axis)| EulerRotation { channel, axis })
                .collect();
            let expected = order.iter().zip(row).fold(Quat::identity(), |turn, (&axis, degrees)| {
                turn * Quat::from_axis_angle(&axes[axis], f64::to_radians(degrees))
            });
            let found = Quat::new_unchecked(compose(&euler, &row.map(sin_cos)));
            assert!(found.angle_to(&expected) < 1e-12, "{order:?}");
        }
    }
}
