//! Fewer keys, with a bound on what that moves.
//!
//! An error of a rotation moves everything that hangs on the joint, by the angle times the distance. Every joint may
//! therefore err by an angle such that the errors of all joints above a point together move it by no more than what is
//! allowed: its share of the path from the root, divided by the distance of the farthest vertex that hangs on it.

use super::key::Key;
use super::{Clip, SkinExtent, Track, rotation_bytes};
use crate::math::cos;

/// Bytes of a position.
const POSITION_BYTES: usize = 12;
/// Bytes of a list of times of its own: for each key, and once. A track that saves less by leaving out keys keeps them all.
const TIME_BYTES: usize = 4;
const LIST_BYTES: usize = 200;
/// The least angle that rotations may err by, in radians; below is rounding.
const LEAST_ANGLE: f64 = 1e-7;

impl Clip {
    /// Leaves out keys as long as no point moves by more than `error` metres at any frame. Tracks that do not change have one
    /// key.
    pub fn reduce(&mut self, extent: &SkinExtent, error: f64) {
        for (joint, track) in self.rotations.iter_mut().enumerate() {
            let share = error / extent.links[joint].max(1) as f64;
            let angle = share / extent.distance[joint].max(f64::MIN_POSITIVE);
            // Half angles are compared by their cosines.
            let bytes = rotation_bytes(self.in_16_bits[joint]);
            thin(track, cos(0.5 * angle.clamp(LEAST_ANGLE, 3.0)), bytes);
        }
        for (joint, track) in &mut self.translations {
            thin(track, error / extent.links[*joint].max(1) as f64, POSITION_BYTES);
        }
        self.keep_length();
    }

    /// Players take the length of a clip from its last key, so that one in which nothing moves needs another.
    fn keep_length(&mut self) {
        let last = self.frames as u32 - 1;
        let rotations = self.rotations.iter().map(|track| track.keys.len());
        let translations = self.translations.iter().map(|(_, track)| track.keys.len());
        if last > 0 && rotations.chain(translations).all(|keys| keys == 1) {
            let track = &mut self.rotations[0];
            track.keys.push(last);
            track.values.push(track.values[0]);
        }
    }
}

/// Keeps the keys between which interpolation is near enough, if that makes the track smaller.
fn thin<T: Key>(track: &mut Track<T>, tolerance: f64, bytes: usize) {
    let values = &track.values;
    let frames = values.len();
    if values.iter().all(|value| value.is_near(&values[0], tolerance)) {
        track.keys.truncate(1);
        track.values.truncate(1);
        return;
    }
    let mut kept = vec![0];
    let mut from = 0;
    while from + 1 < frames {
        // As far as it goes: in doubling steps first, then by bisection.
        let (mut good, mut step) = (from + 1, 2);
        while from + step < frames && is_interpolated(&values[from..=from + step], tolerance) {
            good = from + step;
            step *= 2;
        }
        let mut bad = (from + step).min(frames);
        while bad - good > 1 {
            let middle = good.midpoint(bad);
            if is_interpolated(&values[from..=middle], tolerance) { good = middle } else { bad = middle }
        }
        kept.push(good);
        from = good;
    }
    if kept.len() * (bytes + TIME_BYTES) + LIST_BYTES < frames * bytes {
        track.values = kept.iter().map(|&frame| track.values[frame]).collect();
        track.keys = kept.into_iter().map(|frame| frame as u32).collect();
    }
}

/// Whether all values are near the interpolation between the first and the last.
fn is_interpolated<T: Key>(values: &[T], tolerance: f64) -> bool {
    let (first, last, count) = (&values[0], &values[values.len() - 1], values.len() - 1);
    first.may_span(last)
        && (1..count).all(|frame| {
            let share = frame as f64 / count as f64;
            values[frame].is_near(&first.interpolate(last, share), tolerance)
        })
}

#[cfg(test)]
mod tests {
    use super::super::bake;
    use super::super::test_rig::{arm, waving};
    use super::*;
    use crate::math::Vec3;
    use crate::rig::BoundVertex;

    fn surface() -> Vec<BoundVertex> {
        vec![
            (Vec3::new(0.0, 1.2, 0.1), vec![(1, 1.0)]),
            (Vec3::new(0.35, 1.5, 0.0), vec![(2, 0.6), (1, 0.4)]),
            (Vec3::new(0.9, 1.4, 0.1), vec![(3, 1.0)]),
        ]
    }

    #[test]
    fn nothing_moves_by_more_than_was_allowed() {
        let rig = arm();
        let poses = waving(&rig);
        let extent = SkinExtent::of(&rig, &surface());
        let mut before = usize::MAX;
        for error in [1e-4, 1e-3, 1e-2] {
            let mut clip = bake(&rig, "wave", 1.0 / 60.0, &poses);
            clip.reduce(&extent, error);
            let measured = extent.error(&rig, &poses, &clip);
            assert!(measured <= error, "{measured} {error}");
            let (all, bytes) = clip.bytes();
            assert!(bytes <= before && bytes < all, "{bytes} {all}");
            before = bytes;
            // What does not move has one key, and every track begins and ends with the clip.
            assert_eq!(clip.rotations[0].keys, [0]);
            for track in clip.rotations.iter().skip(1) {
                assert_eq!((track.keys[0], *track.keys.last().unwrap()), (0, 60));
                assert!(track.keys.windows(2).all(|pair| pair[0] < pair[1]));
            }
        }
    }

    #[test]
    fn a_clip_in_which_nothing_moves_keeps_its_length() {
        let rig = arm();
        let poses = vec![waving(&rig)[7].clone(); 61];
        let mut clip = bake(&rig, "stand", 1.0 / 60.0, &poses);
        clip.reduce(&SkinExtent::of(&rig, &surface()), 1e-4);
        assert_eq!(clip.rotations.iter().map(|track| track.keys.len()).collect::<Vec<_>>(), [2, 1, 1, 1]);
        assert_eq!(clip.rotations[0].keys, [0, 60]);
    }

    #[test]
    fn without_an_allowance_every_key_stays_where_something_moves() {
        let rig = arm();
        let poses = waving(&rig);
        let mut clip = bake(&rig, "wave", 1.0 / 60.0, &poses);
        clip.reduce(&SkinExtent::of(&rig, &surface()), 0.0);
        assert_eq!(clip.rotations[3].keys.len(), 61);
        assert_eq!(clip.rotations[0].keys.len(), 1);
    }
}
