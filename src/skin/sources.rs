//! Which bone heats a vertex, and from how far.
//!
//! Baran & Popović 2007, section 4: the nearest bone heats a vertex with c/d², unless the straight way to it leaves the body.
//! There the original leaves the vertex without heat, and a surface without any such vertex without weights. Here
//! every bone heats every vertex, but a way through the air counts as longer than it is: the flank hears from the spine and
//! not from the arm that hangs beside it, and the hem of a skirt from the leg it is nearest to, faintly.

use super::bones::Bone;
use crate::embed::field::DistanceField;
use crate::math::Vec3;
use rayon::prelude::*;

/// The heat that a vertex receives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Source {
    /// Bones at the same distance share the heat.
    pub bones: [u16; MAX_TIED],
    /// How many of them there are.
    pub tied: u8,
    /// Length of the way from the bone, with the detour for air.
    pub distance: f64,
    /// Whether the way stays inside the body.
    pub is_visible: bool,
}

/// Bones that meet in a joint are equally far from what lies beyond it; more than these do not meet.
pub(super) const MAX_TIED: usize = 4;

impl Source {
    pub fn bones(&self) -> &[u16] {
        &self.bones[..self.tied as usize]
    }
}

/// Distances that differ by less than this part are equal, as in the original.
const TIE: f64 = 1e-4;
/// A place is air where the field exceeds this: its own tolerance.
const SKIN: f64 = 0.003;
/// The steps of a way through air, in parts of the unit cube.
const AIR_STEP: f64 = 0.01;
/// Ways end this far before the vertex: close to the surface the field says nothing that matters.
const ARRIVED: f64 = 0.006;

/// The sources of all vertices.
pub(super) fn sources(vertices: &[Vec3], bones: &[Bone], field: &DistanceField, air_detour: f64) -> Vec<Source> {
    vertices.par_iter().with_min_len(256).map(|vertex| source(vertex, bones, field, air_detour)).collect()
}

/// Finds the source of heat of a vertex. A unit of way through air counts as `1 + air_detour`.
fn source(vertex: &Vec3, bones: &[Bone], field: &DistanceField, air_detour: f64) -> Source {
    let mut nearest: Vec<(f64, u16, Vec3)> = bones
        .iter()
        .enumerate()
        .map(|(index, bone)| {
            let point = bone.nearest(vertex);
            ((vertex - point).norm(), index as u16, point)
        })
        .collect();
    nearest.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));

    let mut best = Source { bones: [0; MAX_TIED], tied: 0, distance: f64::INFINITY, is_visible: false };
    for &(distance, bone, point) in &nearest {
        if distance > best.distance * (1.0 + TIE) {
            break;
        }
        let limit = best.distance * (1.0 + TIE) - distance;
        let Some(air) = air_on_the_way(&point, vertex, field, limit / air_detour) else { continue };
        let way = distance + air_detour * air;
        if way < best.distance * (1.0 - TIE) {
            best = Source { bones: [0; MAX_TIED], tied: 0, distance: way, is_visible: air == 0.0 };
        }
        if usize::from(best.tied) < MAX_TIED && way <= best.distance * (1.0 + TIE) {
            best.bones[usize::from(best.tied)] = bone;
            best.tied += 1;
        }
    }
    best
}

/// How much of the straight way from a bone to a vertex is air; `None` if more than `limit`.
///
/// Inside, the distance to the surface is a step that cannot leave the body.
fn air_on_the_way(from: &Vec3, to: &Vec3, field: &DistanceField, limit: f64) -> Option<f64> {
    let length = (to - from).norm();
    let direction = (to - from) / length.max(f64::MIN_POSITIVE);
    let (mut at, mut air) = (0.0, 0.0);
    while at < length - ARRIVED {
        let value = field.value(&(from + direction * at));
        if value > SKIN {
            let step = AIR_STEP.max(value).min(length - at);
            air += step;
            at += step;
            if air > limit {
                return None;
            }
        } else {
            at += (-value).max(0.5 * ARRIVED);
        }
    }
    Some(air)
}
