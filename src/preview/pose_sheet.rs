//! A skin in its test poses, to see where it folds, tears or bleeds.

use super::{Camera, Framing, RenderOptions, Scene, Shading, Surface, render};
use crate::Image;
use crate::math::{Vec3, cos};
use crate::mesh::prepare::PreparedMesh;
use crate::rig::SkinWeights;
use crate::skin::lbs;
use crate::skin::poses::TestPose;
use std::f64::consts::TAU;

/// The sides from which every pose is shown: from the front above, from the side below.
const VIEWS: [Vec3; 2] = [Vec3::new(0.5, 0.2, 1.0), Vec3::new(1.0, 0.1, -0.1)];
/// Pixels along the side of an image, and between two.
const SIDE: usize = 360;
const GAP: usize = 4;

/// The character at rest and its poses side by side, from the front above and from the side below, every joint in a colour
/// of its own. Weights and poses are of the same joints and in the space of the prepared mesh.
pub fn pose_sheet(prepared: &PreparedMesh, weights: &SkinWeights, poses: &[TestPose]) -> Image {
    let bound: Vec<[f32; 3]> = prepared.positions.iter().map(|p| p.cast::<f32>().into()).collect();
    let colors: Vec<[f32; 3]> = (0..weights.vertices()).map(|vertex| joint_color(weights, vertex)).collect();
    let options = RenderOptions { width: SIDE, height: SIDE, ..RenderOptions::default() };
    let mut images = Vec::new();
    for view in VIEWS {
        for pose in std::iter::once(None).chain(poses.iter().map(Some)) {
            let mut posed = bound.clone();
            if let Some(pose) = pose {
                lbs::deform(weights, &pose.posed_from_bound, &bound, &mut posed);
            }
            let posed: Vec<Vec3> = posed.iter().map(|p| Vec3::from(p.map(f64::from))).collect();
            let shading = Shading::VertexColors(&colors);
            let surface = Surface { shading, ..Surface::plain(&posed, &prepared.triangles, [1.0; 3]) };
            let camera = Camera::framing(&surface.bounds(), &Framing::from(view));
            let scene = Scene { surfaces: vec![surface], ..Scene::default() };
            images.push(render(&scene, &camera, &options));
        }
    }
    Image::sheet(&images, 1 + poses.len(), GAP, [255; 4])
}

/// Steps of the golden ratio around the colour circle: neighbours differ.
const HUE_STEP: f64 = 0.618_034;
/// How much a colour differs from grey.
const SATURATION: f64 = 0.4;

/// The colours of a vertex's joints, mixed by weight.
pub(super) fn joint_color(weights: &SkinWeights, vertex: usize) -> [f32; 3] {
    let mut mixed = [0.0; 3];
    for (joint, weight) in weights.of(vertex) {
        let hue = joint as f64 * HUE_STEP * TAU;
        for (channel, value) in mixed.iter_mut().enumerate() {
            let phase = channel as f64 * TAU / 3.0;
            *value += (weight * (0.5 + SATURATION * cos(hue + phase))) as f32;
        }
    }
    mixed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Mat4;
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::shapes;

    #[test]
    fn every_pose_is_seen_from_two_sides_in_the_colours_of_its_joints() {
        let prepared =
            prepare(&shapes::uv_sphere(8, 16), &PrepareOptions::default(), &mut Vec::new()).unwrap();
        let weights = SkinWeights::rigid(prepared.positions.len(), 1);
        let pose = TestPose { name: "still", posed_from_bound: vec![Mat4::identity(); 2] };
        let sheet = pose_sheet(&prepared, &weights, &[pose.clone(), pose]);
        let place = |index: usize| GAP + index * (SIDE + GAP);
        assert_eq!((sheet.width, sheet.height), (place(3), place(2)));
        let middle = |column: usize, row: usize| sheet.pixel(place(column) + SIDE / 2, place(row) + SIDE / 2);
        assert_eq!(middle(0, 0), middle(2, 0), "a pose that turns nothing looks like the rest");
        let [red, green, blue, _] = middle(1, 1);
        let [r, g, b] = joint_color(&weights, 0);
        assert_eq!((red < green, green < blue), (r < g, g < b), "{red} {green} {blue}, not {r} {g} {b}");
    }
}
