//! Animated PNG: nothing is lost, and every browser shows it, but files are several times larger than WebP.

use super::frame_changes::{MILLISECONDS, changes};
use super::png::{color_type, encoder, samples};
use crate::Image;
use png::{BlendOp, DisposeOp};

/// An animation that repeats for ever.
///
/// # Panics
/// If there are no frames, or they differ in size.
pub(super) fn write_apng_animation(frames: &[Image], frames_per_second: f64) -> Vec<u8> {
    let changes = changes(frames, 1);
    let color = color_type(frames);
    let mut bytes = Vec::new();
    let mut encoder = encoder(&mut bytes, &frames[0], color);
    encoder.set_animated(changes.len() as u32, 0).expect("there are frames");
    encoder.set_dispose_op(DisposeOp::None).expect("it is animated");
    encoder.set_blend_op(BlendOp::Source).expect("it is animated");
    let mut writer = encoder.write_header().expect("an image with pixels");
    for change in &changes {
        let delay = change.ticks(MILLISECONDS, frames_per_second).min(u16::MAX.into()) as u16;
        writer.set_frame_delay(delay, 1000).expect("it is animated");
        if change.start > 0 {
            // From the corner on, because a size is refused that does not fit at the place of the frame before.
            writer.set_frame_position(0, 0).expect("it is inside");
            writer.set_frame_dimension(change.width as u32, change.height as u32).expect("it is inside");
            writer.set_frame_position(change.left as u32, change.top as u32).expect("it is inside");
        }
        writer
            .write_image_data(&samples(&change.image(), color))
            .expect("as many samples as the header says");
    }
    writer.finish().expect("memory takes them");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn frames_survive_as_boxes_of_changes() {
        let plain = Image::filled(8, 6, [9, 9, 9, 255]);
        let dotted = |places: &[usize]| {
            let mut image = plain.clone();
            places.iter().for_each(|&place| image.pixels[place] = [255, 0, 0, 255]);
            image
        };
        // A small change far to the right, and then one too wide for its place.
        let frames = [plain.clone(), dotted(&[47]), dotted(&[47]), dotted(&[0, 47, 7])];
        let file = write_apng_animation(&frames, 20.0);
        let mut reader = png::Decoder::new(Cursor::new(&file)).read_info().unwrap();
        assert_eq!(reader.info().animation_control().unwrap().num_frames, 3);
        let mut samples = vec![0; reader.output_buffer_size().unwrap()];
        let mut next = || {
            reader.next_frame(&mut samples).unwrap();
            let control = reader.info().frame_control().unwrap();
            let place = [control.x_offset, control.y_offset, control.width, control.height];
            (place, (control.delay_num, control.delay_den), samples[..3].to_vec())
        };
        assert_eq!(next(), ([0, 0, 8, 6], (50, 1000), vec![9; 3]));
        assert_eq!(next(), ([7, 5, 1, 1], (100, 1000), vec![255, 0, 0]));
        assert_eq!(next(), ([0, 0, 8, 1], (50, 1000), vec![255, 0, 0]));
    }
}
