//! An image of the limbs of a body: each in its own colour, with its centre line, its base and its tip.

use super::stages::{Board, dot, line};
use super::{Image, Overlay, linear};
use crate::embed::census::{Census, CensusLimb};
use crate::math::Vec3;
use crate::mesh::prepare::PreparedMesh;
use crate::mesh::samples::sample_surface;

const INK: [u8; 3] = [38, 50, 66];
const PAPER: [u8; 3] = [248, 248, 246];
const SPINE: [u8; 3] = [110, 118, 130];
/// Limbs have one of these colours, partners different ones.
const COLORS: [[u8; 3]; 12] = [
    [31, 119, 180],
    [255, 127, 14],
    [44, 160, 44],
    [214, 39, 40],
    [148, 103, 189],
    [140, 86, 75],
    [227, 119, 194],
    [188, 160, 20],
    [23, 160, 170],
    [90, 90, 220],
    [120, 190, 40],
    [200, 60, 140],
];
/// Points of the surface that show whose it is.
const SAMPLES: usize = 9000;
/// Widths of lines and radii of dots, in pixels.
const SAMPLE_DOT: f64 = 1.8;
const CENTER_LINE: f64 = 2.4;
const SPINE_LINE: f64 = 2.0;
const BASE_DOT: f64 = 5.0;
const TIP_DOT: f64 = 3.4;
const RIM: f64 = 1.4;

/// The limbs of a prepared mesh, from the front and from the left.
pub fn draw_limbs(mesh: &PreparedMesh, census: &Census) -> Image {
    let samples = sample_surface(&mesh.positions, &mesh.triangles, SAMPLES);
    let surface = samples.iter().filter_map(|sample| {
        let limb = census.limb_near(&census.body_from_unit(&sample.position))?;
        Some(dot(sample.position, SAMPLE_DOT, color(limb)))
    });
    let mut layers = vec![surface.collect()];
    layers.push(polyline(census, &census.spine.line, linear(SPINE), SPINE_LINE));
    for (index, limb) in census.limbs.iter().enumerate() {
        layers.push(polyline(census, &limb.line, linear(INK), CENTER_LINE));
        layers.extend(ends(census, limb, color(index)));
    }
    Board::new(mesh, 1.0).draw(&layers)
}

fn color(limb: usize) -> [f32; 3] {
    linear(COLORS[limb % COLORS.len()])
}

fn polyline(census: &Census, points: &[Vec3], color: [f32; 3], width: f64) -> Vec<Overlay> {
    let points: Vec<Vec3> = points.iter().map(|point| census.unit_from_body(point)).collect();
    points.windows(2).map(|pair| line(pair[0], pair[1], width, color)).collect()
}

/// The base, large, and the tip, small.
fn ends(census: &Census, limb: &CensusLimb, color: [f32; 3]) -> [Vec<Overlay>; 2] {
    let [base, tip] = [&limb.base, &limb.tip].map(|point| census.unit_from_body(point));
    let rims = vec![dot(base, BASE_DOT + RIM, linear(INK)), dot(tip, TIP_DOT + RIM, linear(PAPER))];
    [rims, vec![dot(base, BASE_DOT, color), dot(tip, TIP_DOT, color)]]
}
