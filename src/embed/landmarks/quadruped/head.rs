//! Head and neck of an animal, along the line from its nose to its chest.

use super::super::level_sets::LevelSets;
use crate::embed::voxels::VoxelVolume;
use crate::math::{Vec3, atan2};

/// The joints of neck and head, and the end of the head.
pub struct Head {
    pub neck: Vec3,
    pub joint: Vec3,
    pub tip: Vec3,
    /// It is carried no higher than the chest.
    pub is_low: bool,
}

/// The head's joint as a part of the distance from the nose to the chest, for a neck that is carried level and for one that rises
/// straight up.
const HEAD_LEVEL: f64 = 0.66;
const HEAD_RAISED: f64 = 0.445;

/// The neck's joint between chest and head: height, and distance along the body for a neck that rises at least as much as
/// it reaches forward. Level necks begin at the shoulders. Artists differ most in this joint, so both fractions are
/// such that the farthest of the corpus's rigs are equally far.
const NECK_HEIGHT: f64 = 0.33;
const NECK_AHEAD: f64 = 0.37;

/// The head's joint is looked for nearby where the centre line is highest: a bend of the line is where skull and
/// neck meet. Rise that makes up for being off by the whole distance; smaller, and ears pull the joint; larger, and the
/// small heads on long necks get it in the middle of the neck.
const RISE: f64 = 0.5;

/// The head's joint lies above the centre line, which muzzle and throat pull down: in heights of the trunk.
const ABOVE_LINE: f64 = 0.095;

/// Feet reach at most this far ahead of their leg.
const BEYOND_FEET: f64 = 0.15;

/// A neck that falls by more than this part of a right angle is lowered to feed or to drink. Rats and pigs, whose
/// heads are carried lowest, have -0.1.
const LOWERED: f64 = -0.2;

/// Heads that are carried this low are easily taken wrong.
const LOW: f64 = 0.05;

/// The neck's joint above the chest where the head is lowered: in heights of the trunk.
const LOWERED_NECK: f64 = 0.12;

/// Shorter paths from chest to nose are no neck and head.
const SHORTEST: f64 = 0.15;

/// The fore part of the body begins this far behind the chest: a third of the work, and all that matters.
const FORE_PART: f64 = 0.1;

/// Half the width around the plane in which the nose is looked for: ears and horns are longer than some muzzles.
const NOSE_HALF_WIDTH: f64 = 0.05;

/// What the position along the body counts beside the path length from the chest when the nose is chosen.
const AHEAD_SHARE: f64 = 0.5;

/// The rise of the neck is seen at this part of the path from the nose to the chest, and counts up to the second.
const RISE_AT: f64 = 0.45;
const STEEPEST: f64 = 1.2;

/// The bend between skull and neck is looked for within this part of the path before and behind the usual joint, in steps.
const BEND_RANGE: f64 = 0.2;
const BEND_STEPS: i32 = 20;

/// Around the usual joint of a lowered head, the part of the path whose direction is that of the head.
const HEAD_PART: f64 = 0.1;

/// Lengths that have no direction.
const NO_LENGTH: f64 = 1e-9;
/// A head joint at least this far ahead of the chest gives the slope of the neck.
const LEAST_AHEAD: f64 = 1e-6;

impl Head {
    /// Finds the head in front of the chest; `None` where no neck shows.
    pub fn find(voxels: &VoxelVolume, chest: &Vec3, belly: f64, trunk_height: f64) -> Option<Head> {
        let grid = &voxels.grid;
        let fore_part = voxels.part(|center| center.z > chest.z - FORE_PART);
        let from_chest = LevelSets::around(&fore_part, &fore_part.nearest(chest));
        // A grazing head hangs lower than the belly, but farther ahead than any foot.
        let nose = fore_part
            .cells()
            .filter(|&cell| from_chest.distance[cell].is_finite())
            .map(|cell| (cell, grid.center(cell)))
            .filter(|(_, center)| {
                let least = if center.y > belly { 0.0 } else { BEYOND_FEET };
                center.x.abs() < NOSE_HALF_WIDTH && center.z - chest.z > least
            })
            .map(|(cell, center)| (cell, f64::from(from_chest.distance[cell]) + AHEAD_SHARE * center.z))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(cell, _)| cell)?;
        let length = f64::from(from_chest.distance[nose]);
        if length < SHORTEST {
            return None;
        }
        let sets = LevelSets::around(&fore_part, &fore_part.with_mirror_image(nose));
        let line = NeckLine { sets, length };
        let rise = line.at(RISE_AT) - chest;
        let rise = atan2(rise.y, rise.z) / std::f64::consts::FRAC_PI_2;
        if rise < LOWERED {
            return Some(lowered(chest, &line, &grid.center(nose), trunk_height));
        }
        let rise = rise.clamp(0.0, STEEPEST);
        let bend = line.bend(HEAD_LEVEL + rise * (HEAD_RAISED - HEAD_LEVEL))?;
        let joint = on_plane(line.at(bend)) + Vec3::y() * ABOVE_LINE * trunk_height;
        let (up, ahead) = (joint.y - chest.y, (joint.z - chest.z).max(0.0));
        let steep = (up / ahead.max(LEAST_AHEAD)).clamp(0.0, 1.0);
        let neck = chest + Vec3::new(0.0, NECK_HEIGHT * up, NECK_AHEAD * steep * ahead);
        Some(Head { neck, joint, tip: on_plane(grid.center(nose)), is_low: rise < LOW })
    }
}

/// The centre line from the nose to the chest.
struct NeckLine {
    sets: LevelSets,
    /// Path length from the nose to the chest.
    length: f64,
}

impl NeckLine {
    /// The line at a part of its length.
    fn at(&self, part: f64) -> Vec3 {
        self.sets.center_at(part * self.length)
    }

    /// The part of the length where the line is highest, near the usual part.
    fn bend(&self, usual: f64) -> Option<f64> {
        let first = f64::max(usual - BEND_RANGE, BEND_RANGE);
        let parts = (0..=BEND_STEPS).map(|k| first + 2.0 * BEND_RANGE * f64::from(k) / f64::from(BEND_STEPS));
        let heights = parts
            .filter(|&part| part <= usual + BEND_RANGE)
            .map(|part| (part, self.at(part).y - RISE * (part - usual).abs()));
        heights.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(part, _)| part)
    }
}

/// The joints of a head that hangs down: no bend of the line shows where it begins, and above is where the crest is.
fn lowered(chest: &Vec3, line: &NeckLine, nose: &Vec3, trunk_height: f64) -> Head {
    let towards_nose = on_plane(line.at(HEAD_LEVEL - HEAD_PART) - line.at(HEAD_LEVEL + HEAD_PART));
    let crest = Vec3::new(0.0, towards_nose.z, -towards_nose.y).try_normalize(NO_LENGTH).unwrap_or(Vec3::y());
    let joint = on_plane(line.at(HEAD_LEVEL)) + crest * ABOVE_LINE * trunk_height;
    let ahead = (joint.z - chest.z).max(0.0);
    let neck = chest + Vec3::new(0.0, LOWERED_NECK * trunk_height, NECK_AHEAD * ahead);
    Head { neck, joint, tip: on_plane(*nose), is_low: true }
}

fn on_plane(point: Vec3) -> Vec3 {
    Vec3::new(0.0, point.y, point.z)
}
