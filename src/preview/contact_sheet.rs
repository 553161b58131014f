//! A motion on one sheet: poses along time above, and below them the way with its footprints, seen from above.

use super::animation::{AnimationOptions, AnimationRenderer, FOOT_COLORS, Tracking, footprint};
use super::character::AnimatedCharacter;
use super::{Camera, Framing, Ground, Image, Overlay, OverlayShape, RenderOptions, Scene, render};
use crate::math::{Bounds, Vec3};
use rayon::prelude::*;

/// Poses on a sheet.
const POSES: usize = 8;
/// Pixels along the side of a pose, and between two.
const SIDE: usize = 176;
const GAP: usize = 4;
/// Height of the map below the poses.
const MAP_HEIGHT: usize = 150;
/// Height of the bar below every pose that fills up with time.
const BAR: usize = 5;

const PAPER: [u8; 4] = [250, 250, 249, 255];
const INK: [u8; 4] = [70, 78, 90, 255];
const PALE: [u8; 4] = [216, 220, 226, 255];
const PATH_COLOR: [f32; 3] = [0.05, 0.06, 0.08];

/// Draws the sheet.
pub fn contact_sheet(animated: &AnimatedCharacter) -> Image {
    let options = AnimationOptions { size: SIDE, tracking: Tracking::Follow, ..AnimationOptions::default() };
    let renderer = AnimationRenderer::new(animated, &options);
    let last = animated.frames() - 1;
    let frames: Vec<usize> = (0..POSES).map(|pose| last * pose / (POSES - 1)).collect();
    let cells: Vec<Image> = frames
        .par_iter()
        .map(|&frame| {
            let mut cell = Image::filled(SIDE, SIDE + BAR, PALE);
            cell.lay_over(&renderer.frame(frame), 0, 0);
            let done = (SIDE * frame).checked_div(last).unwrap_or(SIDE);
            cell.lay_over(&Image::filled(done, BAR, INK), 0, SIDE);
            cell
        })
        .collect();
    let poses = Image::sheet(&cells, POSES, GAP, PAPER);
    let map = footprint_map(animated, poses.width, MAP_HEIGHT);
    let mut sheet = Image::filled(poses.width, poses.height + MAP_HEIGHT, PAPER);
    sheet.lay_over(&poses, 0, 0);
    sheet.lay_over(&map, 0, poses.height);
    sheet
}

/// The floor from above: where the hips went and where feet stood. The longer way runs across the image.
fn footprint_map(animated: &AnimatedCharacter, width: usize, height: usize) -> Image {
    let frames = animated.frames();
    let floor = |p: Vec3| Vec3::new(p.x, 0.0, p.z);
    let mut overlays = Vec::new();
    let mut bounds = Bounds::of(animated.root.iter().map(|p| floor(*p)).collect::<Vec<_>>().iter());
    for sole in 0..animated.character.soles.len() {
        // A print where a stance begins; while it lasts only a foot that slides makes more of them.
        let mut stood: Option<Vec3> = None;
        for frame in 0..frames {
            if !animated.planted[frame][sole] {
                stood = None;
                continue;
            }
            let [heel, toe] = animated.sole(frame, sole).map(floor);
            if stood.is_none_or(|place| (place - heel).norm() > 0.5 * (toe - heel).norm()) {
                stood = Some(heel);
                bounds.grow(&heel);
                bounds.grow(&toe);
                overlays.push(footprint(animated, frame, sole));
            }
        }
    }
    let path = animated.root.windows(2).map(|pair| Overlay {
        shape: OverlayShape::Line { from: floor(pair[0]), to: floor(pair[1]), width: 1.6 },
        color: PATH_COLOR,
    });
    let ends = [(0, FOOT_COLORS[0]), (frames - 1, PATH_COLOR)].map(|(frame, color)| Overlay {
        shape: OverlayShape::Dot { center: floor(animated.root[frame]), radius: 3.5 },
        color,
    });
    overlays.splice(0..0, path.chain(ends).collect::<Vec<_>>());

    let border = 0.12 * animated.character.height();
    bounds.min -= Vec3::new(border, 0.0, border);
    bounds.max += Vec3::new(border, 0.0, border);
    // Seen from straight above +Z points down the image; a quarter turn lays it across.
    let extent = bounds.extent();
    let quarter = nalgebra::Rotation3::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2);
    let is_turned = extent.z > extent.x;
    let across = if is_turned { Vec3::new(extent.z, 0.0, extent.x) } else { extent };
    let framing =
        Framing { aspect: width as f64 / height as f64, margin: 0.03, ..Framing::parallel_from(Vec3::y()) };
    let fitted = Bounds { min: bounds.center() - across * 0.5, max: bounds.center() + across * 0.5 };
    let mut camera = Camera::framing(&fitted, &framing);
    if is_turned {
        camera.camera_from_world = quarter.matrix() * camera.camera_from_world;
    }
    let ground = Some(Ground { height: 0.0, shadow: 0.0, grid: Some(animated.character.height() / 3.5) });
    let [r, g, b, _] = PAPER;
    let options =
        RenderOptions { width, height, samples: 3, background: super::Background::Plain([r, g, b]) };
    render(&Scene { overlays, ground, ..Scene::default() }, &camera, &options)
}

#[cfg(test)]
mod tests {
    use super::super::test_character::{ball, flying, moved};
    use super::*;

    #[test]
    fn a_sheet_has_poses_bars_and_a_print_for_each_half_length_a_foot_slides() {
        let character = ball();
        let places: Vec<Vec3> = (0..9).map(|frame| Vec3::new(0.0, 0.0, 0.05 * f64::from(frame))).collect();
        let animated = moved(&character, &places);
        let sheet = contact_sheet(&animated);
        assert_eq!(sheet.width, POSES * (SIDE + GAP) + GAP);
        assert_eq!(sheet.height, SIDE + BAR + 2 * GAP + MAP_HEIGHT);
        let bar = |x: usize| sheet.pixel(x, GAP + SIDE + BAR / 2);
        assert_eq!((bar(GAP), bar(sheet.width - GAP - 1)), (PALE, INK));
        let map = footprint_map(&animated, 300, 100);
        assert!(map.pixels.iter().any(|&[r, _, b, _]| b > r.saturating_add(60)), "the left foot is blue");
        contact_sheet(&flying(&character, &places[..1]));
    }
}
