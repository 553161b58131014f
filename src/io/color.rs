//! Colours as files write them, to the linear values of a mesh.

pub(super) use crate::math::srgb_to_linear;

/// The alpha of a colour that has none, whatever the scale of its components.
pub(super) const OPAQUE: f32 = f32::INFINITY;

/// Turns displayed (sRGB) colours of vertices into linear ones; alpha is linear already. Returns how many
/// were not numbers and are white now.
///
/// The text formats do not say whether a colour is written in 0..1 or in 0..255, but if any component of a
/// file is above 1 it must be the latter.
pub(super) fn vertex_colors_to_linear(colors: &mut [[f32; 4]]) -> usize {
    let is_bytes = colors.iter().flatten().any(|&c| c.is_finite() && c > 1.0);
    let white = if is_bytes { f32::from(u8::MAX) } else { 1.0 };
    let mut dropped = 0;
    for color in colors {
        if color[..3].iter().all(|c| c.is_finite()) && !color[3].is_nan() {
            let [r, g, b, a] = color.map(|c| (c / white).clamp(0.0, 1.0));
            *color = [srgb_to_linear(r), srgb_to_linear(g), srgb_to_linear(b), a];
        } else {
            *color = [1.0; 4];
            dropped += 1;
        }
    }
    dropped
}

/// Displayed colours of some of the vertices, as they are read.
#[derive(Default)]
pub(super) struct SomeColors {
    vertices: Vec<u32>,
    colors: Vec<[f32; 4]>,
}

impl SomeColors {
    /// Three components are an opaque colour, four have alpha; any other number is no colour.
    pub fn push(&mut self, vertex: usize, components: &[f64]) {
        let color = match *components {
            [r, g, b] => [r as f32, g as f32, b as f32, OPAQUE],
            [r, g, b, a] => [r, g, b, a].map(|c| c as f32),
            _ => return,
        };
        self.vertices.push(vertex as u32);
        self.colors.push(color);
    }

    /// A linear colour for each of `count` vertices, white where there is none, or an empty list if no vertex
    /// has one; and how many were not numbers.
    pub fn into_linear(mut self, count: usize) -> (Vec<[f32; 4]>, usize) {
        if self.colors.is_empty() {
            return (Vec::new(), 0);
        }
        let dropped = vertex_colors_to_linear(&mut self.colors);
        let mut all = vec![[1.0; 4]; count];
        for (&vertex, &color) in self.vertices.iter().zip(&self.colors) {
            all[vertex as usize] = color;
        }
        (all, dropped)
    }
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

    #[test]
    fn colours_of_some_vertices() {
        let mut some = SomeColors::default();
        some.push(0, &[255.0, 0.0, 0.0]);
        some.push(2, &[0.0, 0.0, 255.0, 51.0]);
        some.push(3, &[7.0]);
        some.push(3, &[0.0, f64::NAN, 0.0]);
        let (all, dropped) = some.into_linear(4);
        assert_eq!(all, [[1.0, 0.0, 0.0, 1.0], [1.0; 4], [0.0, 0.0, 1.0, 0.2], [1.0; 4]]);
        assert_eq!(dropped, 1);
        assert_eq!(SomeColors::default().into_linear(4), (vec![], 0));
    }
}
