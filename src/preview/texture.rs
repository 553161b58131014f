use crate::Image;
use crate::math::SrgbTable;
use rayon::prelude::*;

/// An image to be laid onto a surface, with smaller copies of itself for when it is seen from afar (Williams 1983,
/// "Pyramidal Parametrics"). It repeats in both directions.
#[derive(Debug, Clone)]
pub struct Texture {
    /// Each half as wide and high as the one before; the last is one pixel.
    levels: Vec<Image>,
}

impl Texture {
    /// Nothing if the image has no pixels.
    pub fn new(image: Image) -> Option<Texture> {
        if image.pixels.is_empty() {
            return None;
        }
        let mut levels = vec![image];
        while let Some(last) = levels.last().filter(|last| last.pixels.len() > 1) {
            levels.push(halved(last));
        }
        Some(Texture { levels })
    }

    /// Pixels of the whole image.
    pub(super) fn area(&self) -> f32 {
        self.levels[0].pixels.len() as f32
    }

    /// Linear RGBA at a position in the image, which is the unit square with its origin in the upper left corner;
    /// `footprint` is the area in pixels of the image that the position stands for.
    pub(super) fn sample(&self, [u, v]: [f32; 2], footprint: f32) -> [f32; 4] {
        // The nearest whole number to log4 of the footprint, from the exponent of the float.
        let log2 = (footprint.max(1.0).to_bits() >> (f32::MANTISSA_DIGITS - 1)) - 127;
        let level = log2.div_ceil(2) as usize;
        let image = &self.levels[level.min(self.levels.len() - 1)];
        let (left, right, across) = neighbours(u, image.width);
        let (top, bottom, down) = neighbours(v, image.height);
        let table = SrgbTable::get();
        let [upper, lower] = [top, bottom].map(|y| {
            let [a, b] = [left, right].map(|x| table.decode_rgba(image.pixels[y * image.width + x]));
            mix(a, b, across)
        });
        mix(upper, lower, down)
    }
}

/// The two pixels around a coordinate of a repeated row, and the share of the second. The middle of the first pixel is at
/// 0.5. Casts saturate and take NaN to zero.
fn neighbours(coordinate: f32, count: usize) -> (usize, usize, f32) {
    let x = (coordinate - coordinate.floor()) * count as f32 - 0.5;
    let below = x.floor();
    let index = if below < 0.0 { count - 1 } else { (below as usize).min(count - 1) };
    let next = if index + 1 == count { 0 } else { index + 1 };
    (index, next, x - below)
}

fn mix(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
    std::array::from_fn(|c| a[c] + (b[c] - a[c]) * t)
}

/// The mean of each 2 × 2 pixels, as light.
fn halved(image: &Image) -> Image {
    let (width, height) = (image.width.div_ceil(2), image.height.div_ceil(2));
    let table = SrgbTable::get();
    let mut pixels = vec![[0; 4]; width * height];
    pixels.par_chunks_exact_mut(width).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            let mut sum = [0.0; 4];
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let (x, y) = ((2 * x + dx).min(image.width - 1), (2 * y + dy).min(image.height - 1));
                let part = table.decode_rgba(image.pixels[y * image.width + x]);
                sum = std::array::from_fn(|c| sum[c] + part[c] / 4.0);
            }
            let [r, g, b] = [0, 1, 2].map(|c| table.encode(sum[c]));
            *pixel = [r, g, b, (sum[3] * f32::from(u8::MAX)).round() as u8];
        }
    });
    Image { width, height, pixels }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: [u8; 4] = [0, 0, 0, 255];
    const WHITE: [u8; 4] = [255; 4];

    fn texture(width: usize, pixels: &[[u8; 4]]) -> Texture {
        let pixels = pixels.to_vec();
        Texture::new(Image { width, height: pixels.len() / width, pixels }).unwrap()
    }

    #[test]
    fn v_runs_down() {
        let column = texture(1, &[WHITE, BLACK]);
        assert_eq!((column.sample([0.5, 0.25], 1.0)[0], column.sample([0.5, 0.75], 1.0)[0]), (1.0, 0.0));
    }

    #[test]
    fn places_between_pixels_and_beyond_the_border_blend_as_light() {
        let row = texture(2, &[WHITE, BLACK]);
        for (u, expected) in [(0.25, 1.0), (0.5, 0.5), (0.75, 0.0), (0.0, 0.5), (1.25, 1.0), (-0.75, 1.0)] {
            assert!((row.sample([u, 0.5], 1.0)[0] - expected).abs() < 1e-6, "at {u}");
        }
        for odd in [f32::NAN, f32::INFINITY, 1e30, -1e-30] {
            row.sample([odd, odd], 1.0);
        }
    }

    #[test]
    fn from_afar_a_checkerboard_is_half_the_light_and_not_half_the_level() {
        let board = texture(2, &[WHITE, BLACK, BLACK, WHITE]);
        let afar = board.sample([0.1, 0.1], 4.0);
        assert!((afar[0] - 0.5).abs() < 0.005 && afar[3] == 1.0);
        assert_eq!(board.levels[1].pixels, [[188, 188, 188, 255]]);
        assert_eq!(board.sample([0.1, 0.1], f32::INFINITY), afar);
    }

    #[test]
    fn odd_sizes_shrink_to_one_pixel() {
        let sizes: Vec<_> = texture(5, &[WHITE; 15]).levels.iter().map(|l| (l.width, l.height)).collect();
        assert_eq!(sizes, [(5, 3), (3, 2), (2, 1), (1, 1)]);
        assert!(Texture::new(Image::default()).is_none());
    }
}
