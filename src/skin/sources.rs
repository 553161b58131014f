//! Which bone heats a vertex, and how much.
//!
//! Baran & Popović 2007, section 4: the nearest bone heats a vertex with c/d², unless the straight way to it leaves the body.
//! Two things are different here, and they are what keeps weights from bleeding:
//!
//! * The bone that counts is not the nearest one but the one that heats most, and heat arrives as light does, by Lambert's
//!   law: by the cosine between the way and the normal. The cheek of a large head is nearer to the shoulder than to the
//!   middle of the head, but it faces away from the shoulder.
//! * A way through the air counts as longer than it is, instead of as no way at all. The flank hears from the spine and not
//!   from the arm that hangs beside it, and the hem of a skirt from the leg that it is nearest to, faintly; no vertex
//!   is without a source.

use super::bones::Bone;
use crate::embed::field::DistanceField;
use crate::math::Vec3;
use rayon::prelude::*;

/// The bone that heats a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Source {
    /// Bones at the same distance share the heat.
    pub bones: [u16; MAX_TIED],
    /// How many of them there are.
    pub tied: u8,
    /// The heat that it brings for c = 1.
    pub heat: f64,
    /// Length of the way, with the detour for air.
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

/// Bones whose heat differs by less than this part are tied: those that meet in a joint, for all that lies beyond it, and
/// those between which a hair's breadth would decide. From a tenth on, bones that only pass by are tied too.
const TIE: f64 = 0.02;
/// Cosine below which a surface counts as seen edge-on. Larger values let the far side of a bone have its say, smaller ones
/// leave vertices in folds almost without heat.
const GRAZING: f64 = 0.02;
/// A place is air where the field exceeds this: its own tolerance.
const SKIN: f64 = 0.003;
/// The steps of a way through air, in parts of the unit cube.
const AIR_STEP: f64 = 0.01;
/// Ways end this far before the vertex: close to the surface the field says nothing that matters.
const ARRIVED: f64 = 0.006;
/// A bone no nearer than this, in parts of the unit cube, heats well enough.
const TOUCHING: f64 = 1e-3;

/// The sources of all vertices. A unit of way through air counts as `1 + air_detour`.
pub(super) fn sources(
    vertices: &[Vec3],
    normals: &[Vec3],
    bones: &[Bone],
    field: &DistanceField,
    air_detour: f64,
) -> Vec<Source> {
    let pairs = vertices.par_iter().zip(normals).with_min_len(256);
    pairs
        .map_init(Vec::new, |ways, (vertex, normal)| {
            ways.clear();
            ways.extend(bones.iter().enumerate().map(|(bone, segment)| Way::to(vertex, bone, segment)));
            source(vertex, normal, ways, field, air_detour)
        })
        .collect()
}

/// The straight way from a bone to a vertex.
struct Way {
    from: Vec3,
    length: f64,
    bone: u16,
}

impl Way {
    fn to(vertex: &Vec3, bone: usize, segment: &Bone) -> Way {
        let from = segment.nearest(vertex);
        Way { from, length: (vertex - from).norm().max(TOUCHING), bone: bone as u16 }
    }
}

fn source(vertex: &Vec3, normal: &Vec3, ways: &mut [Way], field: &DistanceField, air_detour: f64) -> Source {
    ways.sort_unstable_by(|a, b| a.length.total_cmp(&b.length).then(a.bone.cmp(&b.bone)));
    let mut best =
        Source { bones: [0; MAX_TIED], tied: 0, heat: 0.0, distance: f64::INFINITY, is_visible: false };
    let mut brightest = 0.0;
    for way in ways {
        // No air and straight from below: all that a bone at this distance could bring.
        if way.length.powi(-2) < brightest * (1.0 - TIE) {
            break;
        }
        let facing = ((vertex - way.from).dot(normal) / way.length).max(GRAZING);
        // Longer than this and the way brings less than the best so far.
        let longest = (facing / (brightest * (1.0 - TIE))).sqrt();
        let Some(air) = air_on_the_way(&way.from, vertex, field, (longest - way.length) / air_detour) else {
            continue;
        };
        let distance = way.length + air_detour * air;
        let brightness = facing / distance.powi(2);
        if brightness > brightest * (1.0 + TIE) {
            let heat = facing.sqrt() / distance.powi(2);
            best = Source { bones: [0; MAX_TIED], tied: 0, heat, distance, is_visible: air == 0.0 };
            brightest = brightness;
        }
        if usize::from(best.tied) < MAX_TIED && brightness >= brightest * (1.0 - TIE) {
            best.bones[usize::from(best.tied)] = way.bone;
            best.tied += 1;
        }
    }
    best
}

/// How much of the straight way from a bone to a vertex is air; `None` if more than `limit`.
///
/// Inside, the distance to the surface is a step that cannot leave the body.
fn air_on_the_way(from: &Vec3, to: &Vec3, field: &DistanceField, limit: f64) -> Option<f64> {
    if limit < 0.0 {
        return None;
    }
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
