use super::trim::frames;
use super::{Motion, Tracks};
use crate::math::{Quat, Vec3};

/// Nearer to a frame of the original than this part of a step, it is that frame.
const SAME: f64 = 1e-6;
/// Sine of half the angle between rotations that are blended linearly, because they are next to equal.
const SAME_ROTATION: f64 = 1e-9;

/// The same motion at another rate, in frames a second: rotations along the shortest arc, positions along a cubic with the
/// velocities of the original.
///
/// The time from the first to the last frame is kept to half of a new frame, and the last frame is the last pose. Where
/// frames of the two rates meet they are equal bit for bit. A rest pose keeps the time of one frame: what else was in the
/// time of the old one is the first pose of the motion.
///
/// # Panics
/// If the rate is not a number above zero.
#[must_use]
pub fn resample(motion: &Motion, fps: f64) -> Motion {
    assert!(fps > 0.0 && fps.is_finite(), "a rate is above zero");
    let frame_seconds = 1.0 / fps;
    if motion.frames <= 1 || (fps * motion.frame_seconds - 1.0).abs() < SAME {
        return Motion { frame_seconds, ..motion.clone() };
    }
    let (first, last) = (motion.number(0), motion.number(motion.frames - 1));
    let step = 1.0 / (fps * motion.frame_seconds);
    let steps = ((last as f64 / step).round() as usize).max(first);
    let mut resampled =
        Motion { frames: steps + 1 - first, frame_seconds, ..frames(motion, std::iter::empty()) };
    for index in first..steps {
        let number = (index as f64 * step).clamp(first as f64, last as f64);
        push_sample(motion, number - first as f64, &mut resampled);
    }
    push_sample(motion, (last - first) as f64, &mut resampled);
    keep_hemispheres(&mut resampled.rotations);
    resampled
}

/// Appends the values at a moment, in frames.
fn push_sample(motion: &Motion, at: f64, resampled: &mut Motion) {
    let (rotations, translations) = (&mut resampled.rotations.values, &mut resampled.translations.values);
    let near = at.round();
    if (at - near).abs() < SAME {
        rotations.extend_from_slice(motion.rotations.at(near as usize));
        translations.extend_from_slice(motion.translations.at(near as usize));
        return;
    }
    let below = at.floor() as usize;
    let t = at - below as f64;
    let (a, b) = (motion.rotations.at(below), motion.rotations.at(below + 1));
    rotations.extend(a.iter().zip(b).map(|(a, b)| arc(a, b, t)));
    for track in 0..motion.translations.joints.len() {
        let positions = [below, below + 1].map(|frame| motion.translations.at(frame)[track]);
        let velocities = [below, below + 1].map(|frame| velocity(motion, frame, track));
        translations.push(cubic(positions, velocities, t));
    }
}

/// How far a joint goes in a frame: the mean of the steps on both sides, or at the ends the only one.
fn velocity(motion: &Motion, frame: usize, track: usize) -> Vec3 {
    let last = motion.frames - 1;
    let [from, to] =
        [frame.saturating_sub(1), (frame + 1).min(last)].map(|at| motion.translations.at(at)[track]);
    (to - from) * if frame == 0 || frame == last { 1.0 } else { 0.5 }
}

/// Along the shorter of the two arcs.
fn arc(a: &Quat, b: &Quat, t: f64) -> Quat {
    let b = if a.coords.dot(&b.coords) < 0.0 { Quat::new_unchecked(-b.into_inner()) } else { *b };
    let mut blended = a.try_slerp(&b, t, SAME_ROTATION).unwrap_or_else(|| a.nlerp(&b, t));
    blended.renormalize();
    blended
}

/// Hermite's cubic between two points with their velocities.
fn cubic([a, b]: [Vec3; 2], [velocity_a, velocity_b]: [Vec3; 2], t: f64) -> Vec3 {
    let (tt, ttt) = (t * t, t * t * t);
    a * (2.0 * ttt - 3.0 * tt + 1.0)
        + velocity_a * (ttt - 2.0 * tt + t)
        + b * (3.0 * tt - 2.0 * ttt)
        + velocity_b * (ttt - tt)
}

/// Of the two quaternions of a rotation the one nearer to the frame before, so that they can be blended.
pub(super) fn keep_hemispheres(rotations: &mut Tracks<Quat>) {
    let tracks = rotations.joints.len();
    for index in tracks..rotations.values.len() {
        if rotations.values[index].coords.dot(&rotations.values[index - tracks].coords) < 0.0 {
            rotations.values[index] = Quat::new_unchecked(-rotations.values[index].into_inner());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_motions::{sliding, with_rest};
    use super::*;

    #[test]
    fn the_same_rate_is_the_same_motion() {
        let motion = sliding(10, 1.0 / 30.0);
        assert_eq!(resample(&motion, 30.0), motion);
    }

    /// A steady turn and a parabola are what they were between the frames.
    #[test]
    fn steady_turns_and_parabolas_are_exact() {
        let mut motion = sliding(13, 0.1);
        for (frame, position) in motion.translations.values.iter_mut().enumerate() {
            let time = frame as f64 * 0.1;
            *position = Vec3::new(time, 3.0 * time * time, 0.0);
        }
        for fps in [20.0, 25.0, 7.0, 120.0] {
            let other = resample(&motion, fps);
            assert_eq!(other.broken_invariant(), None);
            assert!(
                ((other.frames - 1) as f64 / fps - 1.2).abs() <= 0.5 / fps + 1e-9,
                "{fps}: {}",
                other.frames
            );
            for frame in 0..other.frames - 1 {
                let time = frame as f64 / fps;
                let turn = other.rotations.at(frame)[0];
                assert!(turn.angle_to(&Quat::new(Vec3::y() * 3.0 * time)) < 1e-7);
                let position = other.translations.at(frame)[0];
                assert!((position.x - time).abs() < 1e-9);
                // The first and the last step know the speed on one side only.
                if (0.1..1.1).contains(&time) {
                    assert!((position.y - 3.0 * time * time).abs() < 1e-9, "{fps} at {time}");
                }
            }
            assert_eq!(other.translations.at(other.frames - 1), motion.translations.at(12));
        }
        // Every fourth frame of the finer one is a frame of the original, bit for bit.
        let finer = resample(&motion, 40.0);
        for frame in 0..13 {
            assert_eq!(finer.translations.at(4 * frame), motion.translations.at(frame));
            assert!(finer.rotations.at(4 * frame)[0].angle_to(&motion.rotations.at(frame)[0]) == 0.0);
        }
    }

    #[test]
    fn opposite_quaternions_are_one_rotation() {
        let mut motion = sliding(3, 0.1);
        motion.rotations.values[1] = Quat::new_unchecked(-motion.rotations.values[1].into_inner());
        let finer = resample(&motion, 20.0);
        for (frame, turn) in finer.rotations.values.iter().enumerate() {
            assert!((turn.angle() - 0.15 * frame as f64).abs() < 1e-9);
        }
        assert!(finer.rotations.values.windows(2).all(|pair| pair[0].coords.dot(&pair[1].coords) > 0.0));
    }

    #[test]
    fn a_rest_pose_in_front_is_not_blended() {
        let motion = with_rest(&sliding(11, 0.1));
        let finer = resample(&motion, 20.0);
        assert_eq!((finer.frames, &finer.rest), (20, &motion.rest));
        for frame in 0..10 {
            assert_eq!(finer.rotations.at(2 * frame + 1), motion.rotations.at(frame));
        }
        assert_eq!(finer.rotations.at(0), motion.rotations.at(0));
        assert!((finer.translations.at(2)[0].x - 1.5).abs() < 1e-9);
        let coarser = resample(&motion, 5.0);
        assert_eq!(coarser.frames, 5);
        for frame in 0..5 {
            assert_eq!(coarser.rotations.at(frame), motion.rotations.at(2 * frame + 1));
        }
        // However few frames there are, one of them is of the motion.
        assert_eq!(resample(&motion, 0.1).rotations.at(0), motion.rotations.at(9));
    }
}
