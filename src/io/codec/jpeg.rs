//! JPEG, for textures.

use super::decode::is_justified;
use crate::Image;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// The image in the bytes of a JPEG file, or nothing if they are broken.
pub(super) fn read_jpeg(bytes: &[u8]) -> Option<Image> {
    let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGBA);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().ok()?;
    let info = decoder.info()?;
    let (width, height) = (usize::from(info.width), usize::from(info.height));
    if !is_justified(width, height, bytes) {
        return None;
    }
    let samples = decoder.decode().ok()?;
    let pixels = samples.as_chunks::<4>().0.to_vec();
    (pixels.len() == width * height).then_some(Image { width, height, pixels })
}
