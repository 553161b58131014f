use super::{Motion, Tracks};
use crate::math::Vec3;

/// The motion carried along at a velocity, in the unit of the file and in a second.
///
/// Motions on a treadmill become walks over ground so, and walks over ground motions on a treadmill.
#[must_use]
pub fn with_path(motion: &Motion, velocity: &Vec3) -> Motion {
    let mut motion = motion.clone();
    if motion.translations.track_of(0).is_none() {
        add_root_track(&mut motion);
    }
    let tracks = motion.translations.joints.len();
    for frame in 0..motion.frames {
        let path = velocity * motion.time(frame);
        motion.translations.values[frame * tracks] += path;
    }
    motion
}

fn add_root_track(motion: &mut Motion) {
    let root = motion.joints[0].offset;
    let values = (0..motion.frames)
        .flat_map(|frame| std::iter::once(root).chain(motion.translations.at(frame).iter().copied()))
        .collect();
    let joints = std::iter::once(0).chain(motion.translations.joints.iter().copied()).collect();
    motion.translations = Tracks { joints, values };
}

#[cfg(test)]
mod tests {
    use super::super::test_motions::sliding;
    use super::*;

    #[test]
    fn the_way_is_velocity_times_time_and_goes_back() {
        let motion = sliding(6, 0.5);
        let carried = with_path(&motion, &Vec3::new(0.0, 0.0, 3.0));
        assert_eq!(carried.translations.at(4)[0], Vec3::new(4.0, 0.0, 6.0));
        assert_eq!(with_path(&carried, &Vec3::new(0.0, 0.0, -3.0)), motion);
    }

    #[test]
    fn a_root_that_does_not_travel_begins_to() {
        let mut motion = sliding(3, 1.0);
        motion.joints[0].offset = Vec3::y();
        motion.translations = Tracks { joints: vec![1], values: vec![Vec3::z(); 3] };
        let carried = with_path(&motion, &Vec3::x());
        assert_eq!(carried.broken_invariant(), None);
        assert_eq!(carried.pose(2).positions[0], Vec3::new(2.0, 1.0, 0.0));
        assert_eq!(carried.translations.at(2)[1], Vec3::z());
    }
}
