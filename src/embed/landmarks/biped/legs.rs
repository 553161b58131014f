//! Legs of a body on two of them.

use super::super::sections::Section;
use super::trunk::Heights;
use crate::embed::voxels::VoxelVolume;
use crate::math::Vec3;

/// The knee at this part of the hip joint's height, and the sections around it that its position is the mean of.
const KNEE: f64 = 0.585;
const AROUND_KNEE: [f64; 2] = [0.95, 1.05];

/// The thigh is seen between these parts of the crotch's height, the shin between these parts of the hips'.
const THIGH: [f64; 2] = [0.82, 0.97];
const SHIN: [f64; 2] = [0.1, 0.28];

/// Steps between the sections of such a range.
const STEPS: i32 = 8;

/// Where no crotch is seen, it counts as at this part of the hips' height.
const NO_CROTCH: f64 = 0.8;

/// Distance from the plane of a leg that shows no section.
const HIDDEN_LEG: f64 = 0.07;

/// Heights of ankle and toes.
const ANKLE: f64 = 0.035;
const TOES: f64 = 0.012;

/// The foot is what is lower than the first and beside the ankle by less than the second.
const FOOT_HEIGHT: f64 = 0.05;
const FOOT_WIDTH: f64 = 0.15;

/// The ball of the foot at this part of the distance from the ankle to the front.
const BALL: f64 = 0.6;

/// The joints of one leg, from the hip down.
pub struct BipedLeg {
    pub hip: Vec3,
    pub knee: Vec3,
    pub ankle: Vec3,
    pub toe: Vec3,
    pub tip: Vec3,
}

/// The sections of one side of the body.
pub struct HalfSections<'a> {
    pub voxels: &'a VoxelVolume,
    pub layers: &'a [Vec<Section>],
    /// 1 for the left side, −1 for the right one.
    pub side: f64,
}

impl HalfSections<'_> {
    /// Estimates the leg; `middle` is the trunk's at the height of the hips.
    pub fn leg(&self, heights: &Heights, middle: &Vec3) -> BipedLeg {
        let hip_y = heights.hips;
        let fallback = Vec3::new(HIDDEN_LEG * self.side, hip_y, middle.z);
        let top = heights.crotch.unwrap_or(NO_CROTCH * hip_y).min(hip_y);
        let knee_y = KNEE * hip_y;
        let [thigh, shin, knee] = [(THIGH, top), (SHIN, hip_y), (AROUND_KNEE, knee_y)]
            .map(|(range, height)| self.mean_center(range.map(|part| part * height)).unwrap_or(fallback));
        let ankle = Vec3::new(shin.x, ANKLE, shin.z);
        let front = self.front_of_foot(&ankle);
        BipedLeg {
            hip: Vec3::new(thigh.x, hip_y, middle.z),
            knee: Vec3::new(knee.x, knee_y, knee.z),
            ankle,
            toe: Vec3::new(ankle.x, TOES, ankle.z + BALL * (front - ankle.z)),
            tip: Vec3::new(ankle.x, TOES, front),
        }
    }

    /// Mean of the leg's centres between two heights.
    fn mean_center(&self, [from, to]: [f64; 2]) -> Option<Vec3> {
        let heights = (0..=STEPS).map(|k| from + (to - from) * f64::from(k) / f64::from(STEPS));
        let centers: Vec<Vec3> = heights.filter_map(|y| self.center(y)).collect();
        (!centers.is_empty()).then(|| centers.iter().sum::<Vec3>() / centers.len() as f64)
    }

    /// Centroid of what is on this side at a height: of whole parts where the legs are apart, else of half the section.
    fn center(&self, y: f64) -> Option<Vec3> {
        let row = self.voxels.grid.row_at(y);
        let parts = self.layers[row].iter();
        let (mut sum, mut area) = (Vec3::zeros(), 0.0);
        for part in parts.filter(|part| !part.crosses_plane() && part.center.x * self.side > 0.0) {
            sum += part.center * part.area;
            area += part.area;
        }
        if area > 0.0 { Some(sum / area) } else { self.half_center(row) }
    }

    /// Centroid of the half of a section.
    fn half_center(&self, row: usize) -> Option<Vec3> {
        let (mut sum, mut count) = (Vec3::zeros(), 0.0);
        for cell in self.voxels.cells_of(row) {
            let center = self.voxels.grid.center(cell);
            if center.x * self.side > 0.0 {
                sum += center;
                count += 1.0;
            }
        }
        (count > 0.0).then(|| sum / count)
    }

    /// Largest z of the foot.
    fn front_of_foot(&self, ankle: &Vec3) -> f64 {
        (0..=self.voxels.grid.row_at(FOOT_HEIGHT))
            .flat_map(|row| self.voxels.cells_of(row))
            .map(|cell| self.voxels.grid.center(cell))
            .filter(|point| point.x * self.side > 0.0 && (point.x - ankle.x).abs() < FOOT_WIDTH)
            .map(|point| point.z)
            .fold(ankle.z, f64::max)
    }
}
