//! Images of characters: a small software renderer.
//!
//! A [`Scene`] says what to draw, a [`Camera`] from where, and [`render`] makes an [`Image`] of it:
//! positions are **projected** (`camera`), triangles **rasterised** into samples that remember which triangle they
//! show (`raster`), and each pixel **shaded** once for each triangle in it (`shade`). Overlays such as bones
//! are triangles too (`draw`), in a layer of their own that shines through.
//!
//! ```
//! use puppetry::stages::mesh::shapes;
//! use puppetry::stages::preview::{Camera, Framing, Ground, RenderOptions, Scene, Surface, render};
//!
//! let mesh = shapes::torus(0.4, 24, 48);
//! let surface = Surface::of(&mesh, &[]);
//! let camera = Camera::framing(&surface.bounds(), &Framing::from(Framing::THREE_QUARTER));
//! let ground = Some(Ground { height: surface.bounds().min.y, ..Ground::default() });
//! let scene = Scene { surfaces: vec![surface], ground, ..Scene::default() };
//! let image = render(&scene, &camera, &RenderOptions { width: 64, height: 64, ..RenderOptions::default() });
//! let png = puppetry::stages::io::write_png(&image);
//! assert!(png.len() > 1000);
//! ```

mod animation;
mod camera;
mod character;
mod character_sheet;
mod compose;
mod contact_sheet;
mod draw;
mod embeddings;
mod facts;
pub mod gallery;
mod ground;
mod joint_sheet;
mod lettering;
mod limb_actions;
mod limbs;
mod motion_tags;
mod normals;
mod parts;
mod pose_sheet;
mod raster;
mod scene;
mod shade;
mod stages;
mod tag_words;
mod texture;
mod turntable;

pub use crate::image::Image;
pub use animation::{AnimationOptions, AnimationRenderer, Tracking};
pub use camera::{Camera, Framing, Lens};
pub use character::{AnimatedCharacter, BodyJoints, LimbJoints, PosedSurface, RenderCharacter};
pub use character_sheet::{CELL, Portrait, character_sheet};
pub use contact_sheet::contact_sheet;
pub use embeddings::draw_embeddings;
pub use facts::PreviewFacts;
pub use limbs::draw_limbs;
pub use motion_tags::MotionTag;
pub use normals::smooth_normals;
pub use parts::draw_parts;
pub use pose_sheet::pose_sheet;
pub use scene::{Ground, Overlay, OverlayShape, Scene, Shading, Surface};
pub use stages::{draw_joints, draw_stages};
pub use texture::Texture;
pub use turntable::turntable;

use crate::math::SrgbTable;
use compose::Drawing;

/// The most pixels along a side of an image.
pub const MAX_SIDE: usize = 16_384;
/// The most samples along the side of a pixel.
pub const MAX_SAMPLES: usize = 4;

/// How an image is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RenderOptions {
    /// Pixels in a row, from 1 to [`MAX_SIDE`].
    pub width: usize,
    /// Number of rows, from 1 to [`MAX_SIDE`].
    pub height: usize,
    /// Samples along the side of a pixel, from 1 to [`MAX_SAMPLES`]: 2 makes smooth edges of four samples, 4 is for print.
    pub samples: usize,
    /// What is behind everything.
    pub background: Background,
}

impl Default for RenderOptions {
    /// 640 × 640 pixels of 2 × 2 samples on nearly white.
    fn default() -> RenderOptions {
        RenderOptions { width: 640, height: 640, samples: 2, background: Background::Plain([244, 245, 247]) }
    }
}

/// What is behind everything, in sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// Nothing: the image has an alpha channel, also for its shadows.
    Transparent,
    /// One colour.
    Plain([u8; 3]),
    /// From one colour at the top to another at the bottom.
    Gradient([u8; 3], [u8; 3]),
}

impl Background {
    /// Linear RGBA at a height from 0 at the top to 1 at the bottom.
    fn at(&self, down: f32) -> [f32; 4] {
        match *self {
            Background::Transparent => [0.0; 4],
            Background::Plain(color) => opaque(linear(color)),
            Background::Gradient(top, bottom) => {
                let (top, bottom) = (linear(top), linear(bottom));
                opaque(std::array::from_fn(|c| top[c] + (bottom[c] - top[c]) * down))
            }
        }
    }
}

fn opaque([r, g, b]: [f32; 3]) -> [f32; 4] {
    [r, g, b, 1.0]
}

/// The linear values of an sRGB colour.
fn linear(color: [u8; 3]) -> [f32; 3] {
    color.map(|level| SrgbTable::get().decode(level))
}

/// Draws a scene. The same scene gives the same bytes, whatever the number of threads.
///
/// # Panics
/// If a size or the number of samples in the options is out of range, or if a list of a surface is neither empty nor
/// as long as its positions.
pub fn render(scene: &Scene, camera: &Camera, options: &RenderOptions) -> Image {
    for side in [options.width, options.height] {
        assert!(
            (1..=MAX_SIDE).contains(&side),
            "an image has 1 to {MAX_SIDE} pixels along a side, not {side}"
        );
    }
    assert!(
        (1..=MAX_SAMPLES).contains(&options.samples),
        "a pixel has 1 to {MAX_SAMPLES} samples along a side"
    );
    Drawing::new(scene, camera, options).image()
}

#[cfg(test)]
mod test_character;
#[cfg(test)]
mod tests;
