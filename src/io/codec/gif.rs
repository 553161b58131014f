//! GIF, for where nothing else is shown: 256 colours a frame, no half transparency, times in hundredths of a second.

use super::frame_changes::changes;
use crate::Image;
use gif::{DisposalMethod, Encoder, Repeat};
use rayon::prelude::*;

/// How coarsely colours are sampled for a palette, 1 to 30: 10 is where bands begin to show at smaller values of no
/// visible gain.
const SPEED: i32 = 10;
/// Ticks a second.
const HUNDREDTHS: f64 = 1e2;

/// An animation that repeats for ever. Half-transparent pixels become opaque.
///
/// # Panics
/// If there are no frames, they differ in size, or a side is longer than 65,535 pixels.
pub(super) fn write_gif_animation(frames: &[Image], frames_per_second: f64) -> Vec<u8> {
    let changes = changes(frames, 1);
    let (width, height) = (side(frames[0].width), side(frames[0].height));
    let encoded: Vec<gif::Frame> = changes
        .par_iter()
        .map(|change| {
            let mut pixels = change.image().pixels.as_flattened().to_vec();
            let (width, height) = (side(change.width), side(change.height));
            let mut frame = gif::Frame::from_rgba_speed(width, height, &mut pixels, SPEED);
            frame.left = side(change.left);
            frame.top = side(change.top);
            frame.delay = change.ticks(HUNDREDTHS, frames_per_second).min(u16::MAX.into()) as u16;
            frame.dispose = DisposalMethod::Keep;
            frame
        })
        .collect();
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height, &[]).expect("memory takes it");
    encoder.set_repeat(Repeat::Infinite).expect("memory takes it");
    for frame in &encoded {
        encoder.write_frame(frame).expect("memory takes it");
    }
    drop(encoder);
    bytes
}

/// A length in pixels as the format holds it.
fn side(pixels: usize) -> u16 {
    u16::try_from(pixels).expect("a side of at most 65,535 pixels")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_animation_has_its_frames_and_times() {
        let plain = Image::filled(8, 6, [9, 9, 9, 255]);
        let mut dotted = plain.clone();
        dotted.pixels[2 * 8 + 3] = [255, 0, 0, 255];
        let file = write_gif_animation(&[plain, dotted], 25.0);
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(file.as_slice()).unwrap();
        let first = decoder.read_next_frame().unwrap().unwrap().clone();
        assert_eq!((first.width, first.height, first.delay), (8, 6, 4));
        let second = decoder.read_next_frame().unwrap().unwrap().clone();
        assert_eq!((second.left, second.top, second.width, second.height), (3, 2, 1, 1));
        assert_eq!(second.buffer[..4], [255, 0, 0, 255]);
        assert!(decoder.read_next_frame().unwrap().is_none());
    }
}
