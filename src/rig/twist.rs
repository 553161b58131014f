//! The twist of a rotation about an axis (swing-twist decomposition), followed from frame to frame.

use crate::math::{Quat, Vec3, atan2};
use nalgebra::Unit;
use std::f64::consts::{PI, TAU};

/// Length of the twist part of a rotation, of at most 1, below which the last twist is kept: the rotation swings by more than 160
/// degrees, and twist means nothing. Below 0.1 arms thrown back spin.
const NO_TWIST: f64 = 0.17;
/// From here on the twist is taken as it is. People of the corpus stay above 0.48; above that arms would lag.
const SURE_TWIST: f64 = 0.35;

/// The twist about an axis, without jumps of whole turns.
#[derive(Debug, Clone)]
pub(super) struct Twist {
    axis: Unit<Vec3>,
    last: Option<f64>,
}

impl Twist {
    /// About an axis, without a frame before.
    pub fn about(axis: Unit<Vec3>) -> Twist {
        Twist { axis, last: None }
    }

    /// Forgets the frame before.
    pub fn restart(&mut self) {
        self.last = None;
    }

    /// The twist of the next frame's rotation in radians: the angle nearest to that of the frame before.
    pub fn follow(&mut self, rotation: &Quat) -> f64 {
        let Some(last) = self.last else {
            let first = wrapped(twist(rotation, &self.axis));
            self.last = Some(first);
            return first;
        };
        let sure = (twist_length(rotation, &self.axis) - NO_TWIST) / (SURE_TWIST - NO_TWIST);
        let next = last + sure.clamp(0.0, 1.0) * wrapped(twist(rotation, &self.axis) - last);
        self.last = Some(next);
        next
    }
}

/// τ(D, â) = 2 atan2(â · vec D, w). It is the same for D = swing · twist and D = twist · swing.
pub(super) fn twist(rotation: &Quat, axis: &Vec3) -> f64 {
    2.0 * atan2(rotation.imag().dot(axis), rotation.w)
}

/// How much of the rotation the twist part is: the cosine of half the swing.
fn twist_length(rotation: &Quat, axis: &Vec3) -> f64 {
    let along = rotation.imag().dot(axis);
    (rotation.w * rotation.w + along * along).sqrt()
}

/// The same angle between −π, exclusive, and π.
pub(super) fn wrapped(angle: f64) -> f64 {
    PI - (PI - angle).rem_euclid(TAU)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twist_is_what_was_turned_about_the_axis_in_either_order() {
        let axis = Unit::new_normalize(Vec3::new(1.0, 2.0, -0.5));
        let across = Unit::new_normalize(axis.cross(&Vec3::new(0.3, 0.1, 0.9)));
        for alpha in [-3.0, -1.2, 0.0, 0.4, 2.5] {
            for beta in [-2.9, -0.7, 0.0, 1.1, 2.9] {
                let (turn, swing) =
                    (Quat::from_axis_angle(&axis, alpha), Quat::from_axis_angle(&across, beta));
                for rotation in [turn * swing, swing * turn] {
                    assert!((wrapped(twist(&rotation, &axis)) - alpha).abs() < 1e-9, "{alpha} {beta}");
                    let other = Quat::new_unchecked(-rotation.into_inner());
                    assert!((wrapped(twist(&other, &axis)) - alpha).abs() < 1e-9, "{alpha} {beta}");
                }
            }
        }
        assert_eq!(twist(&Quat::identity(), &axis), 0.0);
    }

    #[test]
    fn near_the_pole_the_last_twist_is_kept() {
        let (axis, across) = (Vec3::y_axis(), Vec3::x_axis());
        let mut twist = Twist::about(axis);
        let rotation =
            |turn, swing| Quat::from_axis_angle(&across, swing) * Quat::from_axis_angle(&axis, turn);
        assert!((twist.follow(&rotation(0.5, 0.3)) - 0.5).abs() < 1e-9);
        assert!((twist.follow(&rotation(2.9, 3.1)) - 0.5).abs() < 1e-9);
        let between = twist.follow(&rotation(1.5, 2.6));
        assert!(between > 0.6 && between < 1.4, "{between}");
        assert!((twist.follow(&rotation(1.5, 1.0)) - 1.5).abs() < 1e-9);
    }
}
