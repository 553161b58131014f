//! A motion on one sheet: poses along time above, and below them the path with its footprints, seen from above.

use super::animation::{
    AnimationOptions, AnimationRenderer, FOOT_COLORS, GRID_PER_HEIGHT, Tracking, footprint,
};
use super::character::{AnimatedCharacter, on_floor};
use super::{
    Background, Camera, Framing, Ground, Image, Overlay, OverlayShape, RenderOptions, Scene, render,
};
use crate::math::{Bounds, Vec3};
use rayon::prelude::*;
use std::f64::consts::FRAC_PI_2;

/// Poses on a sheet.
const POSES: usize = 8;
/// Pixels along the side of a pose, and between two.
const SIDE: usize = 176;
const GAP: usize = 4;
/// Height of the map below the poses.
const MAP_HEIGHT: usize = 150;
/// Height of the bar below every pose that fills up with time.
const BAR: usize = 5;

/// Border around the map in heights of the character, and margin in parts of the image.
const BORDER: f64 = 0.12;
const MARGIN: f64 = 0.03;
/// Width of the path and radius of its ends, in pixels.
const PATH_LINE: f64 = 1.6;
const END_DOT: f64 = 3.5;

const PAPER: [u8; 4] = [250, 250, 249, 255];
const INK: [u8; 4] = [70, 78, 90, 255];
const PALE: [u8; 4] = [216, 220, 226, 255];
const PATH_COLOR: [f32; 3] = [0.05, 0.06, 0.08];

/// Draws the sheet: on paper, its poses on a background; all of it on none if that is transparent.
pub fn contact_sheet(animated: &AnimatedCharacter, background: Background) -> Image {
    let paper = if background == Background::Transparent { [0; 4] } else { PAPER };
    let options = AnimationOptions {
        size: SIDE,
        tracking: Tracking::Follow,
        background,
        ..AnimationOptions::default()
    };
    let renderer = AnimationRenderer::new(animated, &options);
    let last = animated.frames() - 1;
    let frames: Vec<usize> = (0..POSES).map(|pose| last * pose / (POSES - 1)).collect();
    let cells: Vec<Image> = frames
        .par_iter()
        .map(|&frame| {
            let mut cell = Image::filled(SIDE, SIDE + BAR, paper);
            cell.lay_over(&renderer.frame(frame), 0, 0);
            cell.lay_over(&Image::filled(SIDE, BAR, PALE), 0, SIDE);
            let done = (SIDE * frame).checked_div(last).unwrap_or(SIDE);
            cell.lay_over(&Image::filled(done, BAR, INK), 0, SIDE);
            cell
        })
        .collect();
    let poses = Image::sheet(&cells, POSES, GAP, paper);
    let map = footprint_map(animated, poses.width, MAP_HEIGHT, background);
    let mut sheet = Image::filled(poses.width, poses.height + MAP_HEIGHT, paper);
    sheet.lay_over(&poses, 0, 0);
    sheet.lay_over(&map, 0, poses.height);
    sheet
}

/// The floor from above: the path of the hips, and footprints. The longer side runs across the image.
fn footprint_map(animated: &AnimatedCharacter, width: usize, height: usize, background: Background) -> Image {
    let root: Vec<Vec3> = animated.root.iter().map(on_floor).collect();
    let mut bounds = Bounds::of(&root);
    let mut overlays = path_overlays(&root);
    for sole in 0..animated.character.soles.len() {
        for frame in printed_frames(animated, sole) {
            animated.sole(frame, sole).iter().for_each(|end| bounds.grow(&on_floor(end)));
            overlays.push(footprint(animated, frame, sole));
        }
    }
    let border = BORDER * animated.character.height();
    bounds.min -= Vec3::new(border, 0.0, border);
    bounds.max += Vec3::new(border, 0.0, border);
    let camera = camera_above(&bounds, width as f64 / height as f64);
    let grid = Some(animated.character.height() / GRID_PER_HEIGHT);
    let ground = Some(Ground { shadow: 0.0, grid, ..Ground::default() });
    let [r, g, b, _] = PAPER;
    let background =
        if background == Background::Transparent { background } else { Background::Plain([r, g, b]) };
    let options = RenderOptions { width, height, samples: 3, background };
    render(&Scene { overlays, ground, ..Scene::default() }, &camera, &options)
}

/// The path of the hips, with a dot at its beginning and its end.
fn path_overlays(root: &[Vec3]) -> Vec<Overlay> {
    let steps = root.windows(2).map(|pair| Overlay {
        shape: OverlayShape::Line { from: pair[0], to: pair[1], width: PATH_LINE },
        color: PATH_COLOR,
    });
    let ends = [(root[0], FOOT_COLORS[0]), (root[root.len() - 1], PATH_COLOR)]
        .map(|(center, color)| Overlay { shape: OverlayShape::Dot { center, radius: END_DOT }, color });
    steps.chain(ends).collect()
}

/// Frames with a footprint of a sole: the first of each stance, and one for each half length that the foot slides.
fn printed_frames(animated: &AnimatedCharacter, sole: usize) -> Vec<usize> {
    let mut frames = Vec::new();
    let mut stood: Option<Vec3> = None;
    for frame in 0..animated.frames() {
        if !animated.planted[frame][sole] {
            stood = None;
            continue;
        }
        let [heel, toe] = animated.sole(frame, sole).map(|end| on_floor(&end));
        if stood.is_none_or(|before| (before - heel).norm() > 0.5 * (toe - heel).norm()) {
            stood = Some(heel);
            frames.push(frame);
        }
    }
    frames
}

/// A camera that sees the floor from straight above, where +Z points down the image; a quarter turn lays the longer side
/// across.
fn camera_above(bounds: &Bounds, aspect: f64) -> Camera {
    let extent = bounds.extent();
    let is_turned = extent.z > extent.x;
    let across = if is_turned { Vec3::new(extent.z, 0.0, extent.x) } else { extent };
    let framing = Framing { aspect, margin: MARGIN, ..Framing::parallel_from(Vec3::y()) };
    let fitted = Bounds { min: bounds.center() - across * 0.5, max: bounds.center() + across * 0.5 };
    let mut camera = Camera::framing(&fitted, &framing);
    if is_turned {
        let quarter = nalgebra::Rotation3::from_axis_angle(&Vec3::z_axis(), FRAC_PI_2);
        camera.camera_from_world = quarter.matrix() * camera.camera_from_world;
    }
    camera
}

#[cfg(test)]
mod tests {
    use super::super::animation::STAGE;
    use super::super::test_character::{ball, flying, moved};
    use super::*;

    #[test]
    fn a_sheet_has_poses_bars_and_a_print_for_each_half_length_a_foot_slides() {
        let character = ball();
        let places: Vec<Vec3> = (0..9).map(|frame| Vec3::new(0.0, 0.0, 0.05 * f64::from(frame))).collect();
        let animated = moved(&character, &places);
        let sheet = contact_sheet(&animated, STAGE);
        assert_eq!(sheet.width, POSES * (SIDE + GAP) + GAP);
        assert_eq!(sheet.height, SIDE + BAR + 2 * GAP + MAP_HEIGHT);
        let bar = |x: usize| sheet.pixel(x, GAP + SIDE + BAR / 2);
        assert_eq!((bar(GAP), bar(sheet.width - GAP - 1)), (PALE, INK));
        let map = footprint_map(&animated, 300, 100, STAGE);
        assert!(map.pixels.iter().any(|&[r, _, b, _]| b > r.saturating_add(60)), "the left foot is blue");
        contact_sheet(&flying(&character, &places[..1]), STAGE);
        let bare = contact_sheet(&animated, Background::Transparent);
        assert_eq!((bare.pixel(0, 0)[3], bare.width), (0, sheet.width));
    }
}
