//! Legs of a body on two of them.

use super::super::sections::Section;
use super::trunk::Heights;
use crate::embed::solid::Solid;
use crate::math::Vec3;

/// The knee at this part of the hip joint's height.
const KNEE: f64 = 0.585;

/// The joints of one leg, from the hip down.
pub struct Leg {
    pub hip: Vec3,
    pub knee: Vec3,
    pub ankle: Vec3,
    pub toe: Vec3,
    pub tip: Vec3,
}

/// Reads the leg of one side off the sections; `middle` is the trunk's at the height of the hips.
pub fn read_leg(solid: &Solid, layers: &[Vec<Section>], side: f64, heights: &Heights, middle: &Vec3) -> Leg {
    let hip_y = heights.hips;
    // Centroid of what is on this side: of whole parts where the legs are apart.
    let line = |y: f64| -> Option<Vec3> {
        let row = solid.grid.row_at(y);
        let parts = layers[row].iter().filter(|part| !part.crosses_plane() && part.center.x * side > 0.0);
        let (mut sum, mut area) = (Vec3::zeros(), 0.0);
        for part in parts {
            sum += part.center * part.area;
            area += part.area;
        }
        if area > 0.0 {
            return Some(sum / area);
        }
        half_center(solid, row, side)
    };
    let mean = |from: f64, to: f64| -> Option<Vec3> {
        let count = 8;
        let points: Vec<Vec3> =
            (0..=count).filter_map(|k| line(from + (to - from) * f64::from(k) / f64::from(count))).collect();
        (!points.is_empty()).then(|| points.iter().sum::<Vec3>() / points.len() as f64)
    };
    let fallback = Vec3::new(0.07 * side, hip_y, middle.z);
    let top = heights.crotch.unwrap_or(0.8 * hip_y).min(hip_y);
    let below_crotch = mean(0.82 * top, 0.97 * top).unwrap_or(fallback);
    let shin = mean(0.1 * hip_y, 0.28 * hip_y).unwrap_or(fallback);
    let knee_y = KNEE * hip_y;
    let knee = mean(0.95 * knee_y, 1.05 * knee_y).unwrap_or(fallback);
    let ankle = Vec3::new(shin.x, 0.035, shin.z);
    let front = (0..=solid.grid.row_at(0.05))
        .flat_map(|row| solid.cells_of(row))
        .map(|cell| solid.grid.center(cell))
        .filter(|point| point.x * side > 0.0 && (point.x - ankle.x).abs() < 0.15)
        .map(|point| point.z)
        .fold(ankle.z, f64::max);
    Leg {
        hip: Vec3::new(below_crotch.x, hip_y, middle.z),
        knee: Vec3::new(knee.x, knee_y, knee.z),
        ankle,
        toe: Vec3::new(ankle.x, 0.012, ankle.z + 0.6 * (front - ankle.z)),
        tip: Vec3::new(ankle.x, 0.012, front),
    }
}

/// Centroid of a section's half on one side.
fn half_center(solid: &Solid, row: usize, side: f64) -> Option<Vec3> {
    let (mut sum, mut count) = (Vec3::zeros(), 0.0);
    for cell in solid.cells_of(row) {
        let center = solid.grid.center(cell);
        if center.x * side > 0.0 {
            sum += center;
            count += 1.0;
        }
    }
    (count > 0.0).then(|| sum / count)
}
