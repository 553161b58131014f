//! What changes from frame to frame of an animation, which is all that its file must hold.

use crate::Image;

/// Ticks a second of WebP and APNG.
pub(super) const MILLISECONDS: f64 = 1e3;

/// A part of the image that is shown from one frame to another.
pub(super) struct Frame<'f> {
    pub left: usize,
    pub top: usize,
    pub width: usize,
    pub height: usize,
    whole: &'f Image,
    /// The first frame it is shown in, and the first one it is no longer shown in.
    pub start: usize,
    pub end: usize,
}

impl Frame<'_> {
    /// The part itself. It is cut out when it is needed, because all of them together are as large as the animation.
    pub fn image(&self) -> Image {
        let rows = self.whole.pixels.chunks_exact(self.whole.width).skip(self.top).take(self.height);
        let pixels = rows.flat_map(|row| &row[self.left..self.left + self.width]).copied().collect();
        Image { width: self.width, height: self.height, pixels }
    }

    /// How long it is shown, in ticks of a format. Both ends are rounded, so that errors do not add up.
    pub fn ticks(&self, ticks_per_second: f64, frames_per_second: f64) -> usize {
        let [start, end] = [self.start, self.end]
            .map(|frame| (frame as f64 * ticks_per_second / frames_per_second).round() as usize);
        end - start
    }
}

/// The whole first frame, and the box around the differences of each frame to the one before. The sides of boxes lie on a
/// grid of `grain` pixels from the upper left corner, or on the border. Equal frames prolong the one before.
pub(super) fn changes(frames: &[Image], grain: usize) -> Vec<Frame<'_>> {
    let first = frames.first().expect("an animation has frames");
    let size = (first.width, first.height);
    assert!(frames.iter().all(|frame| (frame.width, frame.height) == size), "all frames are of one size");
    let (width, height) = size;
    let mut changes = vec![Frame { left: 0, top: 0, width, height, whole: first, start: 0, end: 1 }];
    for (index, pair) in frames.windows(2).enumerate() {
        let start = index + 1;
        match changed_box(&pair[0], &pair[1]) {
            None => changes.last_mut().expect("the first frame").end = start + 1,
            Some([left, top, right, bottom]) => {
                let (left, top) = (left / grain * grain, top / grain * grain);
                let width = right.next_multiple_of(grain).min(size.0) - left;
                let height = bottom.next_multiple_of(grain).min(size.1) - top;
                changes.push(Frame { left, top, width, height, whole: &pair[1], start, end: start + 1 });
            }
        }
    }
    changes
}

/// The box around differing pixels: left, top, and the column and row after the last.
fn changed_box(a: &Image, b: &Image) -> Option<[usize; 4]> {
    let mut found: Option<[usize; 4]> = None;
    for (y, (row, other)) in a.pixels.chunks_exact(a.width).zip(b.pixels.chunks_exact(b.width)).enumerate() {
        let Some(left) = row.iter().zip(other).position(|(p, q)| p != q) else { continue };
        let right = row.iter().zip(other).rposition(|(p, q)| p != q).map_or(left, |x| x) + 1;
        let [l, t, r, _] = found.unwrap_or([left, y, right, y]);
        found = Some([l.min(left), t, r.max(right), y + 1]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_the_box_around_what_differs() {
        let plain = Image::filled(9, 7, [1, 2, 3, 255]);
        let mut dotted = plain.clone();
        dotted.pixels[3 * 9 + 5] = [0; 4];
        dotted.pixels[4 * 9 + 7] = [0; 4];
        let frames = [plain.clone(), plain.clone(), dotted.clone(), plain];
        let boxes = |grain: usize| -> Vec<_> {
            let found = changes(&frames, grain);
            assert_eq!(found[1].image().pixel(5 - found[1].left, 3 - found[1].top), dotted.pixel(5, 3));
            let sides = |c: &Frame| (c.left, c.top, c.width, c.height, c.start, c.end);
            found.iter().map(sides).collect()
        };
        assert_eq!(boxes(1), [(0, 0, 9, 7, 0, 2), (5, 3, 3, 2, 2, 3), (5, 3, 3, 2, 3, 4)]);
        assert_eq!(boxes(4)[1], (4, 0, 4, 7, 2, 3));
        assert_eq!(boxes(16)[1], (0, 0, 9, 7, 2, 3));
    }
}
