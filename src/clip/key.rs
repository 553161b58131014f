use crate::math::{Quat, Vec3, acos, sin};
use nalgebra::Quaternion;

/// Rotations with a larger cosine of their half angle are interpolated along the chord, which is the same there.
const CHORD: f64 = 1.0 - 1e-10;

/// A value that engines interpolate.
pub trait Key: Copy {
    /// The value between this one and another, for a share from 0 to 1.
    fn interpolate(&self, other: &Self, share: f64) -> Self;

    /// Whether it differs by no more than a tolerance: for rotations the least cosine of half the angle between them, for
    /// positions the longest distance.
    fn is_near(&self, other: &Self, tolerance: f64) -> bool;

    /// Whether engines interpolate between the two as meant.
    fn may_span(&self, other: &Self) -> bool;
}

impl Key for Quat {
    /// On the great circle; both lie in one hemisphere.
    fn interpolate(&self, other: &Quat, share: f64) -> Quat {
        if share == 0.0 {
            return *self;
        }
        let cosine = self.coords.dot(&other.coords).min(1.0);
        if cosine > CHORD {
            return Quat::new_normalize(Quaternion::from(self.coords.lerp(&other.coords, share)));
        }
        let angle = acos(cosine);
        let (from, to) = (sin((1.0 - share) * angle), sin(share * angle));
        Quat::new_normalize(Quaternion::from(self.coords * from + other.coords * to))
    }

    fn is_near(&self, other: &Quat, tolerance: f64) -> bool {
        self.coords.dot(&other.coords).abs() >= tolerance
    }

    /// Engines rotate by the smaller angle, so that keys must not be half a turn apart.
    fn may_span(&self, other: &Quat) -> bool {
        self.coords.dot(&other.coords) > 0.5
    }
}

impl Key for Vec3 {
    fn interpolate(&self, other: &Vec3, share: f64) -> Vec3 {
        self.lerp(other, share)
    }

    fn is_near(&self, other: &Vec3, tolerance: f64) -> bool {
        (self - other).norm() <= tolerance
    }

    fn may_span(&self, _: &Vec3) -> bool {
        true
    }
}
