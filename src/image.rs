use crate::math::SrgbTable;

/// Rows of pixels from the upper left corner: sRGB with straight alpha, 8 bits each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Image {
    /// Pixels in a row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Red, green, blue, alpha of each pixel; `width · height` of them.
    pub pixels: Vec<[u8; 4]>,
}

impl Image {
    /// An image of one colour.
    pub fn filled(width: usize, height: usize, color: [u8; 4]) -> Image {
        Image { width, height, pixels: vec![color; width * height] }
    }

    /// The pixel in a column and row.
    ///
    /// # Panics
    /// If it is outside.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 4] {
        assert!(x < self.width, "column {x} of an image {} wide", self.width);
        self.pixels[y * self.width + x]
    }

    /// True if nothing shines through.
    pub fn is_opaque(&self) -> bool {
        self.pixels.iter().all(|pixel| pixel[3] == 255)
    }

    /// Images in rows of `columns`, each in the middle of a cell as large as the largest of them, with `gap` pixels
    /// of `background` between and around the cells.
    pub fn sheet(images: &[Image], columns: usize, gap: usize, background: [u8; 4]) -> Image {
        let columns = columns.clamp(1, images.len().max(1));
        let cell_width = images.iter().map(|image| image.width).max().unwrap_or(0);
        let cell_height = images.iter().map(|image| image.height).max().unwrap_or(0);
        let rows = images.len().div_ceil(columns);
        let mut sheet =
            Image::filled(columns * (cell_width + gap) + gap, rows * (cell_height + gap) + gap, background);
        for (index, image) in images.iter().enumerate() {
            let left = gap + (index % columns) * (cell_width + gap) + (cell_width - image.width) / 2;
            let top = gap + (index / columns) * (cell_height + gap) + (cell_height - image.height) / 2;
            sheet.lay_over(image, left, top);
        }
        sheet
    }

    /// Draws `other` over this image with its upper left corner at a column and row; what sticks out is cut off.
    pub fn lay_over(&mut self, other: &Image, left: usize, top: usize) {
        let width = other.width.min(self.width.saturating_sub(left));
        if width == 0 {
            return;
        }
        let below = self.pixels.chunks_exact_mut(self.width).skip(top);
        for (row, other_row) in below.zip(other.pixels.chunks_exact(other.width)) {
            for (pixel, &over) in row[left..].iter_mut().zip(&other_row[..width]) {
                *pixel = blend(over, *pixel);
            }
        }
    }
}

/// One pixel over another, mixed as light.
fn blend(over: [u8; 4], under: [u8; 4]) -> [u8; 4] {
    match (over[3], under[3]) {
        (255, _) => over,
        (0, _) => under,
        _ => {
            let table = SrgbTable::get();
            let (over, under) = (table.decode_rgba(over), table.decode_rgba(under));
            let alpha = over[3] + under[3] * (1.0 - over[3]);
            let [r, g, b] = [0, 1, 2]
                .map(|c| table.encode((over[c] * over[3] + under[c] * under[3] * (1.0 - over[3])) / alpha));
            [r, g, b, (alpha * f32::from(u8::MAX)).round() as u8]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: [u8; 4] = [255, 0, 0, 255];
    const BLUE: [u8; 4] = [0, 0, 255, 255];
    const WHITE: [u8; 4] = [255; 4];

    #[test]
    fn a_sheet_has_gaps_around_centred_cells() {
        let sheet = Image::sheet(
            &[Image::filled(2, 3, RED), Image::filled(2, 1, BLUE), Image::filled(2, 3, BLUE)],
            2,
            1,
            WHITE,
        );
        assert_eq!((sheet.width, sheet.height), (7, 9));
        let column = |x: usize| (0..9).map(|y| sheet.pixel(x, y)).collect::<Vec<_>>();
        assert_eq!(column(1), [WHITE, RED, RED, RED, WHITE, BLUE, BLUE, BLUE, WHITE]);
        let mut second = [WHITE; 9];
        second[2] = BLUE;
        assert_eq!(column(5), second);
        assert_eq!(Image::sheet(&[], 3, 1, WHITE), Image::filled(2, 1, WHITE));
    }

    #[test]
    fn half_transparent_white_over_black_is_half_the_light() {
        assert_eq!(blend([255, 255, 255, 128], [0, 0, 0, 255]), [188, 188, 188, 255]);
        assert_eq!(blend([9, 9, 9, 0], BLUE), BLUE);
        assert_eq!(blend([200, 0, 0, 128], [0, 0, 0, 0]), [200, 0, 0, 128]);
    }

    #[test]
    fn what_sticks_out_is_cut_off() {
        let mut image = Image::filled(2, 2, WHITE);
        image.lay_over(&Image::filled(5, 5, RED), 1, 1);
        image.lay_over(&Image::filled(5, 5, RED), 2, 0);
        image.lay_over(&Image::default(), 0, 0);
        assert_eq!(image.pixels, [WHITE, WHITE, WHITE, RED]);
    }
}
