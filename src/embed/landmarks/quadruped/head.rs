//! Head and neck of an animal, along the line from its nose to its chest.

use super::super::level_sets::LevelSets;
use crate::embed::solid::Solid;
use crate::math::{Vec3, atan2};

/// The joints of neck and head, and the end of the head.
pub struct Head {
    pub neck: Vec3,
    pub joint: Vec3,
    pub tip: Vec3,
    /// It is carried no higher than the chest.
    pub is_low: bool,
}

/// The head's joint on the way from the nose to the chest, for a neck that is carried level and for one that rises
/// straight up.
const HEAD_LEVEL: f64 = 0.66;
const HEAD_RAISED: f64 = 0.445;

/// The neck's joint between chest and head: height, and way along the body for a neck that rises at least as much as
/// it reaches forward. Level necks begin at the shoulders. Artists differ most in this joint, so both fractions are
/// such that the farthest of the corpus's rigs are equally far.
const NECK_HEIGHT: f64 = 0.33;
const NECK_WAY: f64 = 0.37;

/// The head's joint is looked for nearby where the centre line is highest: a bend of the line is where skull and
/// neck meet. Rise that makes up for being off by the whole way; smaller, and ears pull the joint; larger, and the
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

/// Shorter ways from chest to nose are no neck and head.
const SHORTEST: f64 = 0.15;

impl Head {
    pub fn find(solid: &Solid, chest: &Vec3, belly: f64, trunk_height: f64) -> Option<Head> {
        let grid = &solid.grid;
        // Only the fore part matters, and it is a third of the work.
        let fore_part = solid.part(|center| center.z > chest.z - 0.1);
        let from_chest = LevelSets::around(&fore_part, &fore_part.nearest(chest));
        // Near the plane: ears and horns are longer than some muzzles.
        // A grazing head hangs lower than the belly, but farther ahead than any foot.
        let able = |center: &Vec3| {
            let ahead = center.z - chest.z;
            center.x.abs() < 0.05 && ahead > if center.y > belly { 0.0 } else { BEYOND_FEET }
        };
        let reach = |cell: usize| f64::from(from_chest.distance[cell]) + 0.5 * grid.center(cell).z;
        let nose = fore_part
            .cells()
            .filter(|&cell| from_chest.distance[cell].is_finite() && able(&grid.center(cell)))
            .max_by(|&a, &b| reach(a).total_cmp(&reach(b)))?;
        let way = f64::from(from_chest.distance[nose]);
        if way < SHORTEST {
            return None;
        }
        let from_nose = LevelSets::around(&fore_part, &fore_part.with_mirror_image(nose));
        let line = |t: f64| from_nose.center_at(t * way);
        let rise = line(0.45) - chest;
        let rise = atan2(rise.y, rise.z) / std::f64::consts::FRAC_PI_2;
        if rise < LOWERED {
            return Some(lowered(chest, &line, &grid.center(nose), trunk_height));
        }
        let rise = rise.clamp(0.0, 1.2);
        let usual = HEAD_LEVEL + rise * (HEAD_RAISED - HEAD_LEVEL);
        let steps = 20;
        let bend = (0..=steps)
            .map(|k| f64::max(usual - 0.2, 0.2) + 0.4 * f64::from(k) / f64::from(steps))
            .filter(|&t| t <= usual + 0.2)
            .max_by(|&a, &b| {
                let value = |t: f64| line(t).y - RISE * (t - usual).abs();
                value(a).total_cmp(&value(b))
            })?;
        let joint = on_plane(line(bend)) + Vec3::y() * ABOVE_LINE * trunk_height;
        let (up, ahead) = (joint.y - chest.y, (joint.z - chest.z).max(0.0));
        let steep = (up / ahead.max(1e-6)).clamp(0.0, 1.0);
        let neck = chest + Vec3::new(0.0, NECK_HEIGHT * up, NECK_WAY * steep * ahead);
        Some(Head { neck, joint, tip: on_plane(grid.center(nose)), is_low: rise < LOW })
    }
}

/// The joints of a head that hangs down: no bend of the line shows where it begins, and above is where the crest is.
fn lowered(chest: &Vec3, line: &impl Fn(f64) -> Vec3, nose: &Vec3, trunk_height: f64) -> Head {
    let towards_nose = on_plane(line(HEAD_LEVEL - 0.1) - line(HEAD_LEVEL + 0.1));
    let crest = Vec3::new(0.0, towards_nose.z, -towards_nose.y).try_normalize(1e-9).unwrap_or(Vec3::y());
    let joint = on_plane(line(HEAD_LEVEL)) + crest * ABOVE_LINE * trunk_height;
    let ahead = (joint.z - chest.z).max(0.0);
    let neck = chest + Vec3::new(0.0, LOWERED_NECK * trunk_height, NECK_WAY * ahead);
    Head { neck, joint, tip: on_plane(*nose), is_low: true }
}

fn on_plane(point: Vec3) -> Vec3 {
    Vec3::new(0.0, point.y, point.z)
}
