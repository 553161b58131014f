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
use crate::math::{Vec3, square};
use rayon::prelude::*;

/// What heats a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Source {
    /// Bones and the heat that each of them brings, for c = 1; the brightest first.
    bones: [(u16, f64); MAX_TIED],
    /// Length of the way from the brightest one, with the detour for air.
    pub distance: f64,
    /// Whether that way stays inside the body.
    pub is_visible: bool,
}

/// Bones that meet in a joint are equally far from what lies beyond it; more than these do not meet.
const MAX_TIED: usize = 4;

impl Source {
    /// The bones that heat the vertex, and the heat that each of them brings.
    pub fn bones(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let used = self.bones.iter().filter(|(_, heat)| *heat > 0.0);
        used.map(|&(bone, heat)| (usize::from(bone), heat))
    }

    /// The bone that heats most.
    pub fn brightest(&self) -> usize {
        usize::from(self.bones[0].0)
    }
}

/// A bone that brings less heat than the brightest one by this part, or more, counts nothing; between, the more the nearer it
/// comes. Bones that meet in a joint are equals for all that lies beyond it. With a sharp border rounding would
/// decide on symmetric characters; from a tenth on, bones that only pass by are let in.
const TIE: f64 = 0.04;
/// Cosine below which a surface counts as seen edge-on. Larger values let the far side of a bone have its say, smaller ones
/// leave vertices in folds almost without heat.
const GRAZING: f64 = 0.02;
/// A place is air where the field exceeds its own tolerance, and wholly so from twice that on.
const SKIN: f64 = 0.003;
/// The shortest step of a way, in parts of the unit cube.
const STEP: f64 = 0.005;
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

fn source(
    vertex: &Vec3,
    normal: &Vec3,
    ways: &mut Vec<Way>,
    field: &DistanceField,
    air_detour: f64,
) -> Source {
    let mut source = Source { bones: [(0, 0.0); MAX_TIED], distance: f64::INFINITY, is_visible: false };
    // The brightest bones, in falling order.
    let mut brightness = [0.0; MAX_TIED];
    // Two or three are looked at; sorting all of them would take longer than that.
    while let Some(next) = shortest(ways) {
        let way = ways.swap_remove(next);
        let dimmest = brightness[0] * (1.0 - TIE);
        // No air and straight from below: all that a bone at this distance could bring.
        if 1.0 / square(way.length) < dimmest {
            break;
        }
        let facing = ((vertex - way.from).dot(normal) / way.length).max(GRAZING);
        let longest = (facing / dimmest).sqrt();
        let Some(air) = air_on_the_way(&way.from, vertex, field, (longest - way.length) / air_detour) else {
            continue;
        };
        let distance = way.length + air_detour * air;
        let bright = facing / square(distance);
        let Some(place) = brightness.iter().position(|&other| bright > other) else { continue };
        brightness[place..].rotate_right(1);
        source.bones[place..].rotate_right(1);
        brightness[place] = bright;
        source.bones[place] = (way.bone, facing.sqrt() / square(distance));
        if place == 0 {
            (source.distance, source.is_visible) = (distance, air == 0.0);
        }
    }
    for (bone, bright) in source.bones.iter_mut().zip(brightness) {
        bone.1 *= ((bright / brightness[0] - 1.0) / TIE + 1.0).max(0.0);
    }
    source
}

fn shortest(ways: &[Way]) -> Option<usize> {
    let order = |a: &Way, b: &Way| a.length.total_cmp(&b.length).then(a.bone.cmp(&b.bone));
    ways.iter().enumerate().min_by(|(_, a), (_, b)| order(a, b)).map(|(index, _)| index)
}

/// How much of the straight way from a bone to a vertex is air; `None` if more than `limit`.
///
/// The distance to the surface is a step that cannot cross it.
fn air_on_the_way(from: &Vec3, to: &Vec3, field: &DistanceField, limit: f64) -> Option<f64> {
    if limit < 0.0 {
        return None;
    }
    let length = (to - from).norm();
    let direction = (to - from) / length.max(f64::MIN_POSITIVE);
    let (mut at, mut air) = (0.0, 0.0);
    while at < length - ARRIVED {
        let value = field.value(&(from + direction * at));
        let step = value.abs().max(STEP).min(length - at);
        air += step * ((value - SKIN) / SKIN).clamp(0.0, 1.0);
        if air > limit {
            return None;
        }
        at += step;
    }
    Some(air)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::field::FieldOptions;
    use crate::mesh::{TriangleTree, shapes};

    /// A trunk and an arm beside it, as boxes with a gap of 0.04 between them.
    fn trunk_and_arm() -> DistanceField {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        for (low, high) in [([0.3, 0.1, 0.4], [0.6, 0.9, 0.6]), ([0.64, 0.1, 0.4], [0.74, 0.9, 0.6])] {
            let (low, high) = (Vec3::from(low), Vec3::from(high));
            let cube = shapes::cube();
            let first = positions.len() as u32;
            positions.extend(
                cube.positions.iter().map(|p| (low + high) * 0.5 + p.component_mul(&(high - low)) * 0.5),
            );
            triangles.extend(cube.triangles.iter().map(|triangle| triangle.map(|v| v + first)));
        }
        DistanceField::new(&TriangleTree::new(&positions, &triangles), &FieldOptions::default())
    }

    fn upright(x: f64) -> Bone {
        Bone { owner: 0, from: Vec3::new(x, 0.2, 0.5), to: Vec3::new(x, 0.8, 0.5) }
    }

    fn bones_of(normal: Vec3, bones: &[Bone]) -> Source {
        let flank = [Vec3::new(0.6, 0.5, 0.5)];
        sources(&flank, &[normal], bones, &trunk_and_arm(), 4.0)[0]
    }

    fn bones(source: &Source) -> Vec<usize> {
        source.bones().map(|(bone, _)| bone).collect()
    }

    #[test]
    fn the_flank_hears_from_the_spine_although_the_arm_is_nearer() {
        let arm_and_spine = [upright(0.69), upright(0.45)];
        // By the air between them alone, without a normal; and by the normal.
        for normal in [Vec3::zeros(), Vec3::x()] {
            let source = bones_of(normal, &arm_and_spine);
            assert_eq!((bones(&source), source.is_visible), (vec![1], true));
            assert!((source.distance - 0.15).abs() < 1e-12);
        }
    }

    #[test]
    fn a_surface_is_heated_from_below_and_not_from_the_side() {
        // The nearer bone is seen at a grazing angle.
        let beside = Bone { owner: 0, from: Vec3::new(0.595, 0.55, 0.5), to: Vec3::new(0.595, 0.56, 0.5) };
        let below = Bone { owner: 0, from: Vec3::new(0.5, 0.5, 0.5), to: Vec3::new(0.5, 0.51, 0.5) };
        assert_eq!(bones_of(Vec3::x(), &[beside, below]).brightest(), 1);
    }

    #[test]
    fn bones_that_meet_are_tied_and_a_bone_in_the_air_is_better_than_none() {
        let middle = Vec3::new(0.45, 0.5, 0.5);
        let one = Bone { owner: 0, from: Vec3::new(0.45, 0.1, 0.5), to: middle };
        let other = Bone { owner: 1, from: middle, to: Vec3::new(0.45, 0.9, 0.5) };
        let tied = bones_of(Vec3::x(), &[one, other]);
        assert_eq!(bones(&tied), [0, 1]);
        let far = bones_of(Vec3::x(), &[upright(0.98)]);
        assert!(bones(&far) == [0] && !far.is_visible);
    }
}
