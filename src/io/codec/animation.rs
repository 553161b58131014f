use super::apng::write_apng_animation;
use super::gif::write_gif_animation;
use crate::Image;

/// A file format of animations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnimationFormat {
    /// Lossy WebP: small files, good colours. Needs the feature `webp`.
    Webp,
    /// Animated PNG: lossless, several times larger.
    Apng,
    /// GIF: 256 colours.
    Gif,
}

/// This build has no encoder for WebP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this build cannot write WebP animations (its feature `webp` is off); choose APNG or GIF")]
pub struct NoEncoder;

impl AnimationFormat {
    /// The ending of its files that browsers know.
    pub fn extension(self) -> &'static str {
        match self {
            AnimationFormat::Webp => "webp",
            AnimationFormat::Apng => "png",
            AnimationFormat::Gif => "gif",
        }
    }

    /// Whether this build can write it, to be asked before the frames are rendered.
    ///
    /// # Errors
    /// WebP without the feature `webp`.
    pub fn check(self) -> Result<(), NoEncoder> {
        if self == AnimationFormat::Webp && cfg!(not(feature = "webp")) { Err(NoEncoder) } else { Ok(()) }
    }

    /// The bytes of an animation that repeats for ever. WebP lowers its quality until it has at most `most_bytes`; the
    /// other formats ignore them. The same frames give the same bytes.
    ///
    /// # Errors
    /// WebP without the feature `webp`.
    ///
    /// # Panics
    /// If there are no frames, they differ in size, or a side is longer than the format allows: 16,383 pixels for WebP,
    /// 65,535 for GIF.
    pub fn encode(
        self,
        frames: &[Image],
        frames_per_second: f64,
        most_bytes: usize,
    ) -> Result<Vec<u8>, NoEncoder> {
        match self {
            #[cfg(feature = "webp")]
            AnimationFormat::Webp => {
                Ok(super::webp::write_webp_animation(frames, frames_per_second, most_bytes))
            }
            #[cfg(not(feature = "webp"))]
            AnimationFormat::Webp => {
                let _ = most_bytes;
                Err(NoEncoder)
            }
            AnimationFormat::Apng => Ok(write_apng_animation(frames, frames_per_second)),
            AnimationFormat::Gif => Ok(write_gif_animation(frames, frames_per_second)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_without_an_encoder_is_refused_before_and_after_rendering() {
        let frames = [Image::filled(4, 4, [9, 9, 9, 255])];
        for format in [AnimationFormat::Webp, AnimationFormat::Apng, AnimationFormat::Gif] {
            let encoded = format.encode(&frames, 24.0, usize::MAX);
            assert_eq!(format.check().is_ok(), encoded.is_ok());
            assert_eq!(encoded.is_ok(), format != AnimationFormat::Webp || cfg!(feature = "webp"));
        }
    }
}
