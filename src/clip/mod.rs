//! The second product: a motion of one character, ready to write.
//!
//! [`bake`] turns poses into a [`Clip`]: rotations relative to the parent for every joint, translations only for the joints
//! that travel. Before that, a [`RootPath`] takes the path over the floor from the hips; after it, [`Clip::reduce`] leaves out
//! keys and [`Clip::quantize`] rounds rotations, both with a bound on how far that moves the surface.

mod as_motion;
mod bake;
mod key;
mod quantize;
mod reduce;
mod root_motion;
mod sample;
mod short_path;
mod skin_extent;
#[cfg(test)]
mod test_rig;

pub use bake::bake;
pub use quantize::quantized;
pub use root_motion::{Playback, RootMotion, RootPath};
pub use skin_extent::SkinExtent;

use crate::math::{Quat, Vec3};

/// Values at some frames of a clip; between them engines interpolate.
#[derive(Debug, Clone, PartialEq)]
pub struct Track<T> {
    /// The frames that have a key, in increasing order; the first is 0.
    pub keys: Vec<u32>,
    /// One value for each key.
    pub values: Vec<T>,
}

/// The motion of the joints of one rig.
#[derive(Debug, Clone, PartialEq)]
pub struct Clip {
    /// What engines list.
    pub name: String,
    /// Time from one frame to the next.
    pub frame_seconds: f64,
    /// How many frames there are; at least one.
    pub frames: usize,
    /// For each joint its rotation relative to its parent; neighbouring keys lie in one hemisphere.
    pub rotations: Vec<Track<Quat>>,
    /// Joints that travel, in increasing order, with their positions relative to their parents. All others keep their rest.
    pub translations: Vec<(usize, Track<Vec3>)>,
    /// For each joint whether its rotations are written as 16-bit numbers.
    pub in_16_bits: Vec<bool>,
}

impl<T: PartialEq> Track<T> {
    /// A value for each frame.
    pub fn of_frames(values: Vec<T>) -> Track<T> {
        Track { keys: (0..values.len() as u32).collect(), values }
    }
}

/// Bytes of a rotation in a file.
fn rotation_bytes(is_in_16_bits: bool) -> usize {
    if is_in_16_bits { 8 } else { 16 }
}

/// Local values that differ by less, in parts of the value or of 1, differ by rounding only.
const ROUNDING: f64 = 1e-7;

impl Clip {
    /// Makes the last keys of a cycle equal to the first ones, bit for bit, where they differ by rounding only: what travels
    /// along the ground does not come back.
    pub fn close(&mut self) {
        for (_, track) in &mut self.translations {
            if let [first, .., last] = track.values.as_mut_slice() {
                for (last, first) in last.iter_mut().zip(first.iter()) {
                    if (*last - first).abs() < ROUNDING * first.abs().max(1.0) {
                        *last = *first;
                    }
                }
            }
        }
        for track in &mut self.rotations {
            if let [first, .., last] = track.values.as_mut_slice()
                && (last.coords - first.coords).norm() < ROUNDING
            {
                *last = *first;
            }
        }
    }

    /// Seconds from the first to the last frame.
    pub fn seconds(&self) -> f64 {
        self.frames.saturating_sub(1) as f64 * self.frame_seconds
    }

    /// Bytes of its keys, times included: with a key at each frame as 32-bit numbers, and as it is.
    pub fn bytes(&self) -> (usize, usize) {
        let before = self.frames * (16 * self.rotations.len() + 12 * self.translations.len() + 4);
        let tracks = self.rotations.iter().zip(&self.in_16_bits);
        let rotations: usize =
            tracks.map(|(track, is_short)| rotation_bytes(*is_short) * track.keys.len()).sum();
        let translations: usize = self.translations.iter().map(|(_, track)| 12 * track.keys.len()).sum();
        let mut times: Vec<&[u32]> = self.rotations.iter().map(|track| track.keys.as_slice()).collect();
        times.extend(self.translations.iter().map(|(_, track)| track.keys.as_slice()));
        times.sort_unstable();
        times.dedup();
        (before, rotations + translations + times.iter().map(|keys| 4 * keys.len()).sum::<usize>())
    }
}
