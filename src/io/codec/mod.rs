//! Image files: PNG in both directions, JPEG in, animations out.

mod animation;
mod apng;
mod decode;
mod frame_changes;
mod gif;
mod jpeg;
mod png;
#[cfg(feature = "webp")]
mod webp;

pub use animation::{AnimationFormat, NoEncoder};
pub use decode::decode_image;
pub use png::write_png;
