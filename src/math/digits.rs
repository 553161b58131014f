//! Coordinates with the digits that a person types.

use super::{Vec3, log10, powi};

/// Digits of the size of what is measured: a millimetre on a person.
const DIGITS: i32 = 4;

/// A point of something so large, with about four digits of its size.
pub fn typed(point: &Vec3, size: f64) -> [f32; 3] {
    let grains = powi(10.0, DIGITS - log10(size.max(f64::MIN_POSITIVE)).ceil() as i32);
    point
        .map(|x| if grains.is_normal() { ((x * grains).round() / grains + 0.0) as f32 } else { x as f32 })
        .into()
}
