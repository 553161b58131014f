//! The sRGB transfer curve (IEC 61966-2-1): files and screens hold sRGB, light adds up linearly.

use super::pow;
use std::sync::LazyLock;

/// Below this the curve is a straight line.
const LINE_END: f32 = 0.04045;
/// The slope of that line.
const LINE_SLOPE: f32 = 12.92;
/// Shift and exponent of the power above it.
const SHIFT: f64 = 0.055;
const EXPONENT: f64 = 2.4;
/// The highest level of 8 bits.
const WHITE: f32 = u8::MAX as f32;

/// One sRGB component in 0..1 to linear.
pub fn srgb_to_linear(value: f32) -> f32 {
    if value <= LINE_END {
        return value / LINE_SLOPE;
    }
    pow((f64::from(value) + SHIFT) / (1.0 + SHIFT), EXPONENT) as f32
}

/// Both directions for 8-bit sRGB as tables: a picture needs millions of either, and powers are slow.
pub struct SrgbTable {
    linear: [f32; 256],
    srgb: Vec<u8>,
}

/// Steps of the linear axis. Near black one step is 1/20 of an 8-bit level, so that every level survives the round
/// trip; a table of 4096 would lose some.
const STEPS: usize = 65_535;

static TABLE: LazyLock<SrgbTable> = LazyLock::new(|| SrgbTable {
    linear: std::array::from_fn(|level| srgb_to_linear(level as f32 / WHITE)),
    srgb: nearest_levels(),
});

/// The nearest level of each step: one power for a level instead of one for a step.
fn nearest_levels() -> Vec<u8> {
    let mut levels = Vec::with_capacity(STEPS + 1);
    for level in 0..u8::MAX {
        let upper_limit = srgb_to_linear((f32::from(level) + 0.5) / WHITE);
        levels.resize((upper_limit * STEPS as f32).ceil() as usize, level);
    }
    levels.resize(STEPS + 1, u8::MAX);
    levels
}

impl SrgbTable {
    /// The table, computed at the first use.
    pub fn get() -> &'static SrgbTable {
        &TABLE
    }

    /// An 8-bit sRGB level as linear value in 0..1.
    pub fn decode(&self, level: u8) -> f32 {
        self.linear[usize::from(level)]
    }

    /// The nearest 8-bit sRGB level of a linear value; what is outside of 0..1 is clamped, NaN is black.
    pub fn encode(&self, linear: f32) -> u8 {
        // A float to integer cast saturates and takes NaN to zero.
        self.srgb[((linear * STEPS as f32 + 0.5) as usize).min(STEPS)]
    }

    /// An sRGB colour with straight alpha as linear RGBA.
    pub fn decode_rgba(&self, [r, g, b, a]: [u8; 4]) -> [f32; 4] {
        [self.decode(r), self.decode(g), self.decode(b), f32::from(a) / WHITE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_survives_the_round_trip() {
        let table = SrgbTable::get();
        for level in 0..=255 {
            assert_eq!(table.encode(table.decode(level)), level);
        }
    }

    #[test]
    fn every_step_has_its_nearest_level() {
        for (step, level) in SrgbTable::get().srgb.iter().enumerate() {
            let linear = step as f64 / STEPS as f64;
            let srgb =
                if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
            assert!((srgb * 255.0 - f64::from(*level)).abs() < 0.5001, "{step}: {srgb} is not {level}");
        }
    }

    #[test]
    fn middle_grey_is_a_fifth_of_the_light() {
        assert!((srgb_to_linear(0.5) - 0.214_041).abs() < 1e-5);
        assert_eq!(SrgbTable::get().encode(0.215_861), 128);
    }

    #[test]
    fn anything_can_be_encoded() {
        let levels = [f32::NAN, -1.0, f32::NEG_INFINITY, 2.0, f32::INFINITY].map(|v| TABLE.encode(v));
        assert_eq!(levels, [0, 0, 0, 255, 255]);
    }
}
