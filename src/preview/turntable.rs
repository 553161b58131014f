//! A character at rest on a turntable.

use super::animation::{AnimationOptions, GRID_PER_HEIGHT, draw};
use super::{Camera, Framing, Ground, Image, RenderCharacter};
use crate::math::{Bounds, Quat, Vec3};
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Radius of the cylinder that the camera frames, in parts of that of the character. Outstretched arms are near the viewer
/// only while they are narrow, so that a slimmer cylinder than theirs keeps them in the image.
const FRAMED_RADIUS: f64 = 0.75;
/// From the character towards the viewer at the first frame.
const TOWARDS_VIEWER: Vec3 = Vec3::new(0.0, 0.25, 1.0);

/// A character at rest, seen from all sides: `frames` images of one turn. The camera keeps its distance, or the character
/// would seem to breathe.
pub fn turntable(character: &RenderCharacter, frames: usize, options: &AnimationOptions) -> Vec<Image> {
    let posed = character.at_rest();
    let bounds = Bounds::of(&posed.positions);
    let radius = FRAMED_RADIUS * posed.positions.iter().map(|p| p.xz().norm()).fold(0.0, f64::max);
    let cylinder = Bounds {
        min: Vec3::new(-radius, bounds.min.y, -radius),
        max: Vec3::new(radius, bounds.max.y, radius),
    };
    let front = Camera::framing(&cylinder, &Framing::from(TOWARDS_VIEWER));
    let grid = Some(character.height() / GRID_PER_HEIGHT);
    let ground = Ground { height: bounds.min.y, grid, ..Ground::default() };
    (0..frames)
        .into_par_iter()
        .map(|frame| {
            let camera = around(&front, TAU * frame as f64 / frames as f64);
            draw(character, &posed, Vec::new(), ground, &camera, options)
        })
        .collect()
}

/// A camera moved around the vertical axis of the world.
fn around(camera: &Camera, angle: f64) -> Camera {
    let rotation = Quat::from_axis_angle(&Vec3::y_axis(), angle);
    let camera_from_world = camera.camera_from_world * rotation.inverse().to_rotation_matrix().matrix();
    Camera { eye: rotation * camera.eye, camera_from_world, ..*camera }
}

#[cfg(test)]
mod tests {
    use super::super::Background;
    use super::super::test_character::ball;
    use super::*;

    #[test]
    fn a_ball_on_a_turntable_keeps_its_size() {
        let character = ball();
        let options =
            AnimationOptions { size: 64, background: Background::Transparent, ..AnimationOptions::default() };
        let images = turntable(&character, 5, &options);
        let covered: Vec<usize> =
            images.iter().map(|image| image.pixels.iter().filter(|pixel| pixel[3] == 255).count()).collect();
        let (least, most) = (covered.iter().min().unwrap(), covered.iter().max().unwrap());
        assert!(images.len() == 5 && *least > 400 && most - least < most / 10, "{covered:?}");
    }
}
