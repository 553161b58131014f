//! Rotations as 16-bit numbers, without letting their errors add up.
//!
//! Joints are rounded from the root outwards. Each is rotated relative to its parent as that one was rounded, so that its own
//! rounding is the only error of its direction.

use super::Clip;
use crate::math::Quat;
use crate::motion::Pose;
use crate::rig::Rig;

/// What stands for one.
const ONE: f64 = i16::MAX as f64;

impl Clip {
    /// Rounds all rotations to what 16 bits hold, so that the joints are rotated as in `poses`.
    ///
    /// `file_axes` says for each joint how its axes in the file are rotated against those of its parent joint; the numbers
    /// in the file are what is rounded.
    pub fn quantize(&mut self, rig: &Rig, file_axes: &[Quat], poses: &[Pose]) {
        let identity = vec![Quat::identity(); self.frames];
        let mut worlds: Vec<Vec<Quat>> = Vec::with_capacity(rig.joints.len());
        for (joint, (data, axes)) in rig.joints.iter().zip(file_axes).enumerate() {
            let above = data.parent.map_or(&identity, |parent| &worlds[parent]);
            let track = &mut self.rotations[joint];
            let is_constant = track.keys.len() == 1;
            let mut before: Option<Quat> = None;
            for (key, value) in track.keys.iter().zip(&mut track.values) {
                let frame = *key as usize;
                // A constant rotation is not disturbed by the rounding of those above.
                let wanted =
                    if is_constant { *value } else { above[frame].inverse() * poses[frame].rotations[joint] };
                let wanted = Quat::new_normalize(wanted.into_inner());
                let mut in_file = axes.inverse() * wanted;
                if before.is_some_and(|before| before.coords.dot(&in_file.coords) < 0.0) {
                    in_file = Quat::new_unchecked(-in_file.into_inner());
                }
                let rounded = rounded(&in_file);
                before = Some(rounded);
                *value = axes * rounded;
            }
            let track = &self.rotations[joint];
            let world = (0..).zip(above).map(|(frame, above)| above * track.at(frame));
            let world = world.map(|rotation| Quat::new_normalize(rotation.into_inner())).collect();
            worlds.push(world);
        }
        self.in_16_bits.fill(true);
    }

    /// Rounds the rotations that are written as 16-bit numbers, of joints on which nothing hangs that must not err with them.
    pub fn quantize_some(&mut self, file_axes: &[Quat]) {
        let tracks = self.rotations.iter_mut().zip(file_axes).zip(&self.in_16_bits);
        for ((track, axes), _) in tracks.filter(|(_, is_short)| **is_short) {
            for value in &mut track.values {
                *value = axes * rounded(&(axes.inverse() * *value));
            }
        }
    }
}

/// Components as 16-bit numbers.
pub fn quantized(rotation: &Quat) -> [i16; 4] {
    rotation.coords.map(|x| (x * ONE).round() as i16).into()
}

/// The rotation that the file holds: of the 16-bit numbers around the exact ones those nearest to them with a length nearest
/// to one, because not every player normalises.
fn rounded(rotation: &Quat) -> Quat {
    let exact = rotation.coords * ONE;
    let mut best = (f64::INFINITY, exact);
    for corner in 0..16 {
        let numbers = exact.map_with_location(|row, _, x| {
            let up = corner >> row & 1 == 1;
            (if up { x.ceil() } else { x.floor() }).clamp(-ONE, ONE)
        });
        let length = (numbers.norm() - ONE).abs();
        let off = (numbers - exact).norm();
        // A length error scales everything below, a direction error turns it: both move a point by their size.
        let cost = length.max(0.5 * off);
        if cost < best.0 {
            best = (cost, numbers);
        }
    }
    Quat::new_unchecked(nalgebra::Quaternion::from(best.1 / ONE))
}

#[cfg(test)]
mod tests {
    use super::super::bake;
    use super::super::test_rig::{arm, waving};
    use super::*;

    #[test]
    fn errors_do_not_add_up_along_a_limb() {
        let rig = arm();
        let poses = waving(&rig);
        let frames: Vec<Quat> =
            (0..4).map(|i| Quat::from_euler_angles(0.1 * f64::from(i), 0.0, 0.2)).collect();
        let mut clip = bake(&rig, "wave", 1.0 / 60.0, &poses);
        clip.quantize(&rig, &frames, &poses);
        for (pose, again) in poses.iter().zip(clip.poses(&rig)) {
            for joint in 0..rig.joints.len() {
                let off = pose.rotations[joint].angle_to(&again.rotations[joint]);
                // Two units of the last place in each of four numbers, twice because quaternions halve angles.
                assert!(off < 4.0 * 2.0 / ONE, "{joint}: {off}");
            }
        }
        for (track, turn) in clip.rotations.iter().zip(&frames) {
            for value in &track.values {
                let in_file = turn.inverse() * value;
                let numbers = quantized(&in_file).map(|number| f64::from(number) / ONE);
                assert!(
                    (in_file.coords - nalgebra::Vector4::from(numbers)).norm() < 1e-9,
                    "it is what 16 bits hold"
                );
                assert!((in_file.coords.norm() - 1.0).abs() < 1.0 / ONE);
            }
        }
    }
}
