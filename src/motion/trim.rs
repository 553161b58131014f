use super::{Motion, Tracks};

/// Times are sums of rounded steps: less than this part of a frame is no time.
const SLACK: f64 = 1e-3;

/// The part of a motion between two times, both included, each counted from the first frame of the file ([`Motion::time`]).
///
/// At least one frame is kept, the nearest one, if there is any. The rest pose stays.
#[must_use]
pub fn trim(motion: &Motion, start_seconds: f64, end_seconds: f64) -> Motion {
    if motion.frames == 0 {
        return motion.clone();
    }
    let start = with_number(motion, (start_seconds / motion.frame_seconds - SLACK).ceil());
    let end = with_number(motion, (end_seconds / motion.frame_seconds + SLACK).floor()).max(start);
    frames(motion, start..=end)
}

/// The frame with this number in the file ([`Motion::number`]), or the nearest one.
fn with_number(motion: &Motion, number: f64) -> usize {
    (number as usize).saturating_sub(motion.number(0)).min(motion.frames - 1)
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
        rest: motion.rest.clone(),
        frames: list.clone().count(),
        frame_seconds: motion.frame_seconds,
        rotations: chosen(&motion.rotations, list.clone()),
        translations: chosen(&motion.translations, list),
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_motions::{sliding, with_rest};
    use super::*;

    /// Where the root is in each frame; frame `k` of the original is at `k`.
    fn xs(motion: &Motion) -> Vec<f64> {
        assert_eq!(motion.broken_invariant(), None);
        motion.translations.values.iter().map(|position| position.x).collect()
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
            assert_eq!(xs(&trim(&motion, start, end)), expected, "{start} to {end}");
        }
        let still = Motion { frames: 0, ..trim(&motion, 0.0, 0.0) };
        let still = Motion {
            translations: Tracks { values: vec![], ..still.translations },
            rotations: Tracks { values: vec![], ..still.rotations },
            ..still
        };
        assert_eq!(trim(&still, 0.0, 1.0), still);
    }

    #[test]
    fn a_rest_pose_stays_and_keeps_its_time() {
        let motion = with_rest(&sliding(10, 0.1));
        let cut = trim(&motion, 0.5, 0.6);
        assert_eq!((cut.frames, &cut.rest), (2, &motion.rest));
        assert_eq!(cut.rotations.at(0), motion.rotations.at(4));
    }
}
