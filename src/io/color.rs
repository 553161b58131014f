//! Colours as files write them, to the linear values of a mesh.

/// One sRGB component in 0..1 to linear (IEC 61966-2-1).
pub(super) fn srgb_to_linear(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Turns displayed (sRGB) colours of vertices into linear ones; alpha is linear already. Returns how many
/// were not numbers and are white now.
///
/// The text formats do not say whether a colour is written in 0..1 or in 0..255, but if any component of a
/// file is above 1 it must be the latter.
pub(super) fn vertex_colors_to_linear(colors: &mut [[f32; 4]]) -> usize {
    let bytes = colors.iter().flatten().any(|&c| c.is_finite() && c > 1.0);
    let scale = if bytes { 1.0 / 255.0 } else { 1.0 };
    let mut dropped = 0;
    for color in colors {
        if color.iter().all(|c| c.is_finite()) {
            let [r, g, b, a] = color.map(|c| (c * scale).clamp(0.0, 1.0));
            *color = [srgb_to_linear(r), srgb_to_linear(g), srgb_to_linear(b), a];
        } else {
            *color = [1.0; 4];
            dropped += 1;
        }
    }
    dropped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middle_grey_and_both_scales() {
        let mut unit = [[0.5, 0.0, 1.0, 0.5], [0.02, f32::NAN, 0.0, 1.0]];
        assert_eq!(vertex_colors_to_linear(&mut unit), 1);
        assert!((unit[0][0] - 0.21404).abs() < 1e-4);
        assert_eq!((&unit[0][1..], unit[1]), (&[0.0, 1.0, 0.5][..], [1.0; 4]));
        let mut bytes = [[127.5, 0.0, 255.0, 255.0]];
        vertex_colors_to_linear(&mut bytes);
        assert!((bytes[0][0] - 0.21404).abs() < 1e-4 && bytes[0][2..] == [1.0, 1.0]);
    }
}
