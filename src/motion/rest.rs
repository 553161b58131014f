use super::Motion;

/// How many times the median step the first one must be. A walk that starts from standing grows slowly; a conversion that
/// puts a T-pose in front jumps by half a body.
const JUMP: f64 = 8.0;
/// Steps up to this part of the hierarchy's reach are no jump: a still motion has a median of zero, and rounding is above it.
const STILL: f64 = 1e-3;
/// Frames after which the median step is known.
const ENOUGH: usize = 240;

impl Motion {
    /// The motion with a rest pose in its first frame, if that is one, moved to [`Motion::rest`]. Every reader ends with this;
    /// whatever comes later takes the frames for motion.
    #[must_use]
    pub fn with_rest_split_off(mut self) -> Motion {
        if self.rest.is_none() && has_rest_frame(&self) {
            self.rest = Some(self.pose(0));
            self.frames -= 1;
            self.rotations.values.drain(..self.rotations.joints.len());
            self.translations.values.drain(..self.translations.joints.len());
        }
        self
    }

    /// The motion with its rest pose, if it has one, as its first frame again, as files hold it.
    #[must_use]
    pub fn with_rest_in_front(mut self) -> Motion {
        if let Some(rest) = self.rest.take() {
            let parent = |joint: usize| self.joints[joint].parent;
            let rotations =
                self.rotations.joints.iter().map(|&joint| rest.local_rotation(joint, parent(joint)));
            self.rotations.values.splice(..0, rotations);
            let translations =
                self.translations.joints.iter().map(|&joint| rest.offset(joint, parent(joint)));
            self.translations.values.splice(..0, translations);
            self.frames += 1;
        }
        self
    }
}

/// Whether the first frame is a rest pose that a conversion put in front of the motion.
///
/// Conversions of CMU's clips do so. The joints then move much further to the second frame than they do usually.
fn has_rest_frame(motion: &Motion) -> bool {
    let steps = step_speed(motion, ENOUGH);
    let Some((&first, others)) = steps.split_first() else { return false };
    let mut others = others.to_vec();
    if others.is_empty() {
        return false;
    }
    others.sort_by(f64::total_cmp);
    let median = others[others.len() / 2];
    first > JUMP * median && first > STILL * motion.reach()
}

/// Mean distance that the joints move against the root from each of the first frames to the next, in the file's unit.
/// Travel does not count: a runner moves all joints by as much as a leap into another pose does.
fn step_speed(motion: &Motion, frames: usize) -> Vec<f64> {
    let frames = frames.min(motion.frames);
    if frames < 2 {
        return Vec::new();
    }
    let mut last = motion.pose(0);
    let mut next = last.clone();
    (1..frames)
        .map(|frame| {
            motion.pose_into(frame, &mut next);
            let travel = next.positions[0] - last.positions[0];
            let moved: f64 =
                next.positions.iter().zip(&last.positions).map(|(a, b)| (a - b - travel).norm()).sum();
            std::mem::swap(&mut last, &mut next);
            moved / motion.joints.len() as f64
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::test_motions::{sliding, with_rest};
    use crate::math::{Quat, Vec3};

    #[test]
    fn a_jump_from_the_first_frame_is_a_rest_pose() {
        let motion = sliding(10, 0.1);
        assert_eq!(motion.clone().with_rest_split_off(), motion);
        let mut jumps = motion.clone();
        jumps.rotations.values[0] = Quat::new(Vec3::x() * 3.0);
        // Nothing but the root moves, and that by 0.3 rad in a frame.
        for (frame, rotation) in jumps.rotations.values.iter_mut().enumerate().skip(1) {
            *rotation = Quat::new(Vec3::z() * 0.01 * frame as f64);
        }
        let split = jumps.clone().with_rest_split_off();
        assert_eq!(split.broken_invariant(), None);
        assert_eq!((split.frames, split.rest.as_ref()), (9, Some(&jumps.pose(0))));
        assert_eq!((split.pose(0), split.seconds()), (jumps.pose(1), jumps.seconds()));
        assert_eq!((split.number(0), split.time(4)), (1, 0.5));
        // What is split off once is not again, and can be put back.
        assert_eq!(split.clone().with_rest_split_off(), split);
        assert_eq!(split.with_rest_in_front(), jumps);
        assert_eq!(with_rest(&motion).seconds(), motion.seconds());
    }
}
