//! Animated WebP: lossy frames in the container of the WebP specification (VP8X, ANIM, ANMF chunks).

use super::frame_changes::{Frame, MILLISECONDS, changes};
use crate::Image;
use rayon::prelude::*;

/// Qualities to try, of libwebp's 0 to 100, until the animation is small enough; the last is taken as it is. Above 80 files
/// double for nothing that the eye sees at this size, below 18 faces fall into blocks.
const QUALITIES: [f32; 7] = [78.0, 66.0, 54.0, 42.0, 32.0, 24.0, 18.0];
/// Frames that are encoded to find the quality.
const SAMPLED_FRAMES: usize = 12;
/// Effort of libwebp, 0 to 6: 4 takes three times as long for 4 % fewer bytes, 1 gives 40 % more.
const METHOD: i32 = 2;

/// Boxes of changes lie on the grid of the blocks of VP8. What a lossy block smears around an edge stays within the block, and
/// is painted over with all of it when the edge moves; a box that cuts the block would leave specks behind.
const BLOCK: usize = 16;

/// An animation that repeats for ever, in at most `most_bytes` if its quality can be lowered so far.
///
/// # Panics
/// If there are no frames, or they differ in size, or a side is longer than 16,383 pixels.
pub(super) fn write_webp_animation(frames: &[Image], frames_per_second: f64, most_bytes: usize) -> Vec<u8> {
    let changes = changes(frames, BLOCK);
    let (&last, better) = QUALITIES.split_last().expect("there are qualities");
    let first = better
        .iter()
        .position(|&quality| most_bytes == usize::MAX || estimate(&changes, quality) <= most_bytes as f64)
        .unwrap_or(better.len());
    let mut file = Vec::new();
    for &quality in better[first..].iter().chain([&last]) {
        let encoded: Vec<Vec<u8>> =
            changes.par_iter().map(|change| encode(&change.image(), quality)).collect();
        file = container(frames, frames_per_second, &changes, &encoded);
        if file.len() <= most_bytes {
            break;
        }
    }
    file
}

/// Bytes of all frames, from those of a few: all are encoded only once, or rarely twice.
fn estimate(changes: &[Frame], quality: f32) -> f64 {
    let few: Vec<&Frame> = changes.iter().step_by(changes.len().div_ceil(SAMPLED_FRAMES)).collect();
    let bytes: usize = few.par_iter().map(|change| encode(&change.image(), quality).len()).sum();
    bytes as f64 * changes.len() as f64 / few.len() as f64
}

/// The chunks of one still image, without their RIFF header.
fn encode(image: &Image, quality: f32) -> Vec<u8> {
    let mut config = webp::WebPConfig::new().expect("the library fits its headers");
    config.quality = quality;
    config.method = METHOD;
    let (width, height) = (image.width as u32, image.height as u32);
    let encoder = webp::Encoder::from_rgba(image.pixels.as_flattened(), width, height);
    let file = encoder.encode_advanced(&config).expect("an image within the limits of the format");
    // RIFF header and, with alpha, an extended header of its own: the frame wants what follows.
    let after_header = if &file[12..16] == b"VP8X" { 30 } else { 12 };
    file[after_header..].to_vec()
}

fn container(frames: &[Image], frames_per_second: f64, changes: &[Frame], encoded: &[Vec<u8>]) -> Vec<u8> {
    let has_alpha = frames.iter().any(|frame| !frame.is_opaque());
    let mut body = b"WEBP".to_vec();
    let mut header = vec![0x02 | if has_alpha { 0x10 } else { 0 }, 0, 0, 0];
    header.extend(u24(frames[0].width - 1));
    header.extend(u24(frames[0].height - 1));
    chunk(&mut body, b"VP8X", &header);
    // Background colour, which players ignore, and loops without end.
    chunk(&mut body, b"ANIM", &[0, 0, 0, 0, 0, 0]);
    for (change, data) in changes.iter().zip(encoded) {
        let mut frame = Vec::with_capacity(16 + data.len());
        frame.extend(u24(change.left / 2));
        frame.extend(u24(change.top / 2));
        frame.extend(u24(change.width - 1));
        frame.extend(u24(change.height - 1));
        frame.extend(u24(change.ticks(MILLISECONDS, frames_per_second)));
        // Do not blend: the frame replaces what is there.
        frame.push(0x02);
        frame.extend_from_slice(data);
        chunk(&mut body, b"ANMF", &frame);
    }
    let mut file = b"RIFF".to_vec();
    file.extend((body.len() as u32).to_le_bytes());
    file.extend(body);
    file
}

fn u24(value: usize) -> [u8; 3] {
    let [a, b, c, _] = (value as u32).to_le_bytes();
    [a, b, c]
}

fn chunk(file: &mut Vec<u8>, name: &[u8; 4], content: &[u8]) {
    file.extend_from_slice(name);
    file.extend((content.len() as u32).to_le_bytes());
    file.extend_from_slice(content);
    if content.len() % 2 == 1 {
        file.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square that runs over a ramp.
    fn frames(count: usize) -> Vec<Image> {
        let frame = |index: usize| {
            let mut image = Image::filled(64, 48, [0; 4]);
            for (i, pixel) in image.pixels.iter_mut().enumerate() {
                *pixel = [200, (i / 64 * 4) as u8, 90, 255];
            }
            image.lay_over(&Image::filled(10, 10, [10, 10, 200, 255]), 3 * index, 20);
            image
        };
        (0..count).map(frame).collect()
    }

    #[test]
    fn an_animation_decodes_to_its_frames() {
        let frames = frames(6);
        let file = write_webp_animation(&frames, 25.0, usize::MAX);
        let decoded = webp::AnimDecoder::new(&file).decode().unwrap();
        assert_eq!(decoded.len(), 6);
        for (index, frame) in frames.iter().enumerate() {
            let shown = decoded.get_frame(index).unwrap();
            assert_eq!((shown.width(), shown.height()), (64, 48));
            let bytes = shown.get_image();
            let error: f64 = frame
                .pixels
                .as_flattened()
                .iter()
                .zip(bytes)
                .map(|(a, b)| f64::from(a.abs_diff(*b)))
                .sum::<f64>()
                / bytes.len() as f64;
            assert!(error < 4.0, "frame {index} is off by {error} levels on average");
        }
        assert_eq!(decoded.get_frame(5).unwrap().get_time_ms(), 240);
    }

    #[test]
    fn quality_falls_until_the_animation_fits_and_still_frames_cost_nothing() {
        let moving = frames(8);
        let large = write_webp_animation(&moving, 24.0, usize::MAX).len();
        assert!(write_webp_animation(&moving, 24.0, large - 1).len() < large);
        let still = vec![moving[0].clone(); 50];
        assert!(write_webp_animation(&still, 24.0, usize::MAX).len() < large);
    }
}
