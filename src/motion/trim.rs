use super::{Motion, Tracks};

/// The part of a motion between two times, both included; frame `k` is at `k · frame_seconds`.
///
/// At least one frame is kept, the nearest one, if there is any. A rest pose in frame 0, if there is one
/// ([`super::has_rest_frame`] of the whole motion), is no motion and stays in front, so that what is known of the motion at rest stays true.
#[must_use]
pub fn trim(motion: &Motion, rest_frame: bool, start_seconds: f64, end_seconds: f64) -> Motion {
    let first = usize::from(rest_frame && motion.frames > 1);
    if motion.frames <= first {
        return motion.clone();
    }
    // Times are sums of rounded steps: a thousandth of a frame is no time.
    let frame = |seconds: f64, round: fn(f64) -> f64, slack: f64| {
        let frame = round(seconds / motion.frame_seconds + slack);
        (frame.max(first as f64) as usize).min(motion.frames - 1)
    };
    let start = frame(start_seconds, f64::ceil, -1e-3);
    let end = frame(end_seconds, f64::floor, 1e-3).max(start);
    frames(motion, (0..first).chain(start..=end))
}

/// The frames of a motion that are listed, in that order.
pub(super) fn frames(motion: &Motion, list: impl Iterator<Item = usize> + Clone) -> Motion {
    fn chosen<T: Clone>(tracks: &Tracks<T>, list: impl Iterator<Item = usize>) -> Tracks<T> {
        Tracks {
            joints: tracks.joints.clone(),
            values: list.flat_map(|frame| tracks.at(frame)).cloned().collect(),
        }
    }
    Motion {
        joints: motion.joints.clone(),
        frames: list.clone().count(),
        frame_seconds: motion.frame_seconds,
        rotations: chosen(&motion.rotations, list.clone()),
        translations: chosen(&motion.translations, list),
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_motions::{sliding, with_rest_frame};
    use super::*;

    /// Where the root is in each frame; frame `k` of the original is at `k`.
    fn places(motion: &Motion) -> Vec<f64> {
        assert_eq!(motion.broken_invariant(), None);
        motion.translations.values.iter().map(|place| place.x).collect()
    }

    #[test]
    fn frames_at_both_times_are_kept() {
        let motion = sliding(10, 0.1);
        for (start, end, expected) in [
            (0.0, 0.9, (0..10).collect::<Vec<_>>()),
            (0.2, 0.4, vec![2, 3, 4]),
            (0.21, 0.49, vec![3, 4]),
            (-5.0, 0.1, vec![0, 1]),
            (0.8, f64::INFINITY, vec![8, 9]),
            (7.0, 9.0, vec![9]),
            (0.5, 0.1, vec![5]),
        ] {
            let expected: Vec<f64> = expected.into_iter().map(f64::from).collect();
            assert_eq!(places(&trim(&motion, false, start, end)), expected, "{start} to {end}");
        }
        let still = Motion { frames: 0, ..trim(&motion, false, 0.0, 0.0) };
        let still = Motion {
            translations: Tracks { values: vec![], ..still.translations },
            rotations: Tracks { values: vec![], ..still.rotations },
            ..still
        };
        assert_eq!(trim(&still, false, 0.0, 1.0), still);
    }

    #[test]
    fn a_rest_pose_in_front_stays_there() {
        let motion = with_rest_frame(&sliding(10, 0.1));
        let cut = trim(&motion, true, 0.5, 0.6);
        assert_eq!(cut.frames, 3);
        assert_eq!(cut.rotations.at(0), motion.rotations.at(0));
        assert_eq!(cut.rotations.at(1), motion.rotations.at(5));
    }
}
