//! PNG, both ways.

use super::decode::is_justified;
use crate::Image;
use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Filter, Transformations};
use std::io::Cursor;

/// An image as the bytes of a PNG file, without an alpha channel if it needs none. The same image gives the
/// same bytes.
///
/// # Panics
/// If it has no pixels, which PNG cannot express.
pub fn write_png(image: &Image) -> Vec<u8> {
    let mut bytes = Vec::new();
    let color = color_type(std::slice::from_ref(image));
    let mut writer = encoder(&mut bytes, image, color).write_header().expect("an image with pixels");
    writer.write_image_data(&samples(image, color)).expect("as many samples as the header says");
    writer.finish().expect("memory takes them");
    bytes
}

/// Without an alpha channel if no image needs one.
pub(super) fn color_type(images: &[Image]) -> ColorType {
    if images.iter().all(Image::is_opaque) { ColorType::Rgb } else { ColorType::Rgba }
}

/// An encoder for files of the size of an image.
pub(super) fn encoder<'b>(
    bytes: &'b mut Vec<u8>,
    image: &Image,
    color: ColorType,
) -> Encoder<'b, &'b mut Vec<u8>> {
    let mut encoder = Encoder::new(bytes, image.width as u32, image.height as u32);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_color(color);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.set_compression(Compression::High);
    encoder.set_filter(Filter::Adaptive);
    encoder
}

pub(super) fn samples(image: &Image, color: ColorType) -> Vec<u8> {
    match color {
        ColorType::Rgb => image.pixels.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect(),
        _ => image.pixels.as_flattened().to_vec(),
    }
}

/// The image in the bytes of a PNG file, or nothing if they are broken.
pub(super) fn read_png(bytes: &[u8]) -> Option<Image> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
    let header = decoder.read_header_info().ok()?;
    let (width, height) = (header.width as usize, header.height as usize);
    if !is_justified(width, height, bytes) {
        return None;
    }
    let mut reader = decoder.read_info().ok()?;
    let mut samples = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut samples).ok()?;
    let pixels: Vec<[u8; 4]> = match frame.color_type {
        ColorType::Rgba => samples.as_chunks::<4>().0.to_vec(),
        ColorType::GrayscaleAlpha => {
            samples.as_chunks::<2>().0.iter().map(|&[grey, alpha]| [grey, grey, grey, alpha]).collect()
        }
        _ => return None,
    };
    (pixels.len() == width * height).then_some(Image { width, height, pixels })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_survive_with_and_without_alpha() {
        for alpha in [255, 77] {
            let mut image = Image::filled(7, 5, [10, 200, 30, alpha]);
            image.pixels[11] = [1, 2, 3, 255];
            let bytes = write_png(&image);
            assert_eq!(read_png(&bytes).as_ref(), Some(&image));
            assert_eq!(bytes, write_png(&image));
            assert_eq!(bytes[25], if alpha == 255 { 2 } else { 6 }, "the colour type of the header");
        }
    }

    #[test]
    fn grey_and_palette_become_rgba() {
        let encode = |color: ColorType, depth: BitDepth, palette: &'static [u8], data: &[u8]| {
            let mut bytes = Vec::new();
            let mut encoder = Encoder::new(&mut bytes, 2, 1);
            encoder.set_color(color);
            encoder.set_depth(depth);
            if !palette.is_empty() {
                encoder.set_palette(palette);
            }
            encoder.write_header().unwrap().write_image_data(data).unwrap();
            read_png(&bytes).unwrap().pixels
        };
        let grey = encode(ColorType::Grayscale, BitDepth::Sixteen, &[], &[0x80, 0xff, 0, 0]);
        assert_eq!(grey, [[0x80, 0x80, 0x80, 255], [0, 0, 0, 255]]);
        let indexed = encode(ColorType::Indexed, BitDepth::One, &[1, 2, 3, 4, 5, 6], &[0b0100_0000]);
        assert_eq!(indexed, [[1, 2, 3, 255], [4, 5, 6, 255]]);
    }

    #[test]
    fn broken_files_and_bombs_are_nothing() {
        let bytes = write_png(&Image::filled(64, 64, [1, 2, 3, 4]));
        for end in 0..bytes.len() - 16 {
            assert_eq!(read_png(&bytes[..end]), None, "cut after {end} bytes");
        }
        let mut bomb = Vec::new();
        Encoder::new(&mut bomb, 60_000, 60_000).write_header().map(drop).ok();
        assert_eq!(read_png(&bomb), None);
    }
}
