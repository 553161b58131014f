//! The sRGB transfer curve (IEC 61966-2-1): files and screens hold sRGB, light adds up linearly.

use std::sync::LazyLock;

/// One sRGB component in 0..1 to linear.
pub fn srgb_to_linear(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// One linear component in 0..1 to sRGB.
pub fn linear_to_srgb(value: f32) -> f32 {
    if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }
}

/// Both directions for 8-bit sRGB as tables: a picture needs millions of either, and `powf` is slow.
pub struct SrgbTable {
    linear: [f32; 256],
    srgb: Vec<u8>,
}

/// Steps of the linear axis. Near black one step is 1/20 of an 8-bit level, so that every level survives the round
/// trip; a table of 4096 would lose some.
const STEPS: usize = 65_535;

static TABLE: LazyLock<SrgbTable> = LazyLock::new(|| SrgbTable {
    linear: std::array::from_fn(|level| srgb_to_linear(level as f32 / 255.0)),
    srgb: (0..=STEPS)
        .map(|step| (linear_to_srgb(step as f32 / STEPS as f32) * 255.0).round() as u8)
        .collect(),
});

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
        [self.decode(r), self.decode(g), self.decode(b), f32::from(a) / 255.0]
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
            let exact = linear_to_srgb(srgb_to_linear(f32::from(level) / 255.0)) * 255.0;
            assert!((exact - f32::from(level)).abs() < 1e-3);
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
