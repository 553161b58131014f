use super::super::media_type::media_type;
use super::jpeg::read_jpeg;
use super::png::read_png;
use crate::Image;
use crate::mesh::EncodedImage;

/// The pixels of an encoded image, or nothing if it is broken, out of proportion, or neither PNG nor JPEG.
pub fn decode_image(image: &EncodedImage) -> Option<Image> {
    // The content decides: files often declare one type and hold another.
    match media_type(&image.bytes, &image.name) {
        "image/png" => read_png(&image.bytes),
        "image/jpeg" => read_jpeg(&image.bytes),
        _ => None,
    }
}

/// The largest texture in pixels, 8192 squared.
const MOST_PIXELS: usize = 1 << 26;
/// A small file may always have so many pixels.
const FREE_PIXELS: usize = 1 << 20;
/// Pixels for each byte of a larger file. Both formats reach this with even colour only; a declared size beyond
/// it is a bomb, or an image of nothing.
const PIXELS_PER_BYTE: usize = 1000;

/// Whether the declared size of an image is in proportion to its bytes.
pub(super) fn is_justified(width: usize, height: usize, bytes: &[u8]) -> bool {
    let allowed = bytes.len().saturating_mul(PIXELS_PER_BYTE).clamp(FREE_PIXELS, MOST_PIXELS);
    (1..=allowed).contains(&width.saturating_mul(height))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::write_png;

    fn image(bytes: &[u8]) -> EncodedImage {
        EncodedImage { name: "a.jpg".into(), media_type: "image/jpeg".into(), bytes: bytes.into() }
    }

    #[test]
    fn the_content_decides_how_an_image_is_decoded() {
        let decoded = Image::filled(3, 2, [5, 6, 7, 255]);
        assert_eq!(decode_image(&image(&write_png(&decoded))), Some(decoded));
        assert_eq!(decode_image(&image(b"GIF89a")), None);
        assert_eq!(decode_image(&image(b"\xff\xd8\xff\xe0")), None);
    }

    #[test]
    fn sizes_out_of_proportion_are_refused() {
        assert!(is_justified(1024, 1024, &[]));
        assert!(!is_justified(1024, 1025, &[]));
        assert!(is_justified(4096, 4096, &[0; 20_000]));
        assert!(!is_justified(8192, 8193, &vec![0; 1 << 20]));
        assert!(!is_justified(0, 5, &[]) && !is_justified(usize::MAX, usize::MAX, &[]));
    }
}
