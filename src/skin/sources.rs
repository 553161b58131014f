//! Which bones heat a vertex, and how much.
//!
//! Baran & Popović 2007, section 4: the nearest bone heats a vertex with c/d², unless the line of sight to it leaves the body.
//! Two things are different here, and they are what keeps weights from bleeding:
//!
//! * The bone that counts is not the nearest one but the one that heats most, and heat arrives as light does, by Lambert's
//!   law: by the cosine between the line of sight and the normal. The cheek of a large head is nearer to the shoulder than to
//!   the middle of the head, but it faces away from the shoulder.
//! * A line of sight through air counts as longer than it is, instead of as none at all. The flank is heated by the spine and
//!   not by the arm that hangs beside it, and the hem of a skirt by the leg that it is nearest to, faintly; no vertex
//!   is without a source.

use super::bones::Bone;
use crate::embed::field::DistanceField;
use crate::math::{Vec3, square};
use rayon::prelude::*;

/// What heats a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct HeatSource {
    /// Bones and the heat that each of them brings, for c = 1; the dominant one first.
    bones: [(u16, f64); MAX_TIED],
    /// Distance of the dominant bone, with the penalty for air.
    pub distance: f64,
    /// Whether the line of sight to it stays inside the body.
    pub is_visible: bool,
}

/// Bones that meet in a joint are equally far from what lies beyond it; more than these do not meet.
const MAX_TIED: usize = 4;

impl HeatSource {
    /// The bones that heat the vertex, and the heat that each of them brings.
    pub fn bones(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let used = self.bones.iter().filter(|(_, heat)| *heat > 0.0);
        used.map(|&(bone, heat)| (usize::from(bone), heat))
    }

    /// The heat of all bones together.
    pub fn total(&self) -> f64 {
        self.bones().map(|(_, heat)| heat).sum()
    }

    /// The bone that heats most.
    pub fn dominant_bone(&self) -> usize {
        usize::from(self.bones[0].0)
    }
}

/// A bone whose irradiance is below the dominant one's by this part, or more, does not count; between, it counts the more the
/// nearer it comes. Bones that meet in a joint are equals for all that lies beyond it. With a sharp border rounding would
/// decide on symmetric characters; from 0.1 on, bones that only pass by are let in.
const TIE: f64 = 0.04;
/// Smallest cosine between the line of sight and the normal. Larger values let bones on the far side heat a surface, smaller
/// ones leave vertices in folds almost without heat.
const GRAZING: f64 = 0.02;
/// A point is in air where the field exceeds its own tolerance, and wholly so from twice that on.
const SKIN: f64 = 0.003;
/// The shortest step along a line of sight, in parts of the unit cube.
const STEP: f64 = 0.005;
/// Lines of sight end this far before the vertex: close to the surface the field says nothing that matters.
const ARRIVED: f64 = 0.006;
/// Bones nearer than this, in parts of the unit cube, heat no better.
const TOUCHING: f64 = 1e-3;

/// The bones that heat a surface.
pub(super) struct BoneHeat<'a> {
    /// The bones.
    pub bones: &'a [Bone],
    /// The distance from the surface.
    pub field: &'a DistanceField,
    /// A unit of length through air counts as this much longer.
    pub air_penalty: f64,
}

impl BoneHeat<'_> {
    /// The sources of heat at points of the surface.
    pub fn sources(&self, points: &[Vec3], normals: &[Vec3]) -> Vec<HeatSource> {
        let pairs = points.par_iter().zip(normals).with_min_len(256);
        pairs
            .map_init(Vec::new, |sights, (point, normal)| {
                sights.clear();
                let bones = self.bones.iter().enumerate();
                sights.extend(bones.map(|(bone, segment)| Sight::between(segment, bone, point)));
                self.source(point, normal, sights)
            })
            .collect()
    }

    /// The nearest point of the dominant bone of a source.
    pub fn origin(&self, source: &HeatSource, point: &Vec3) -> Vec3 {
        self.bones[source.dominant_bone()].nearest(point)
    }

    /// The joint that owns the dominant bone of a source.
    pub fn owner(&self, source: &HeatSource) -> usize {
        self.bones[source.dominant_bone()].owner
    }

    fn source(&self, point: &Vec3, normal: &Vec3, sights: &mut Vec<Sight>) -> HeatSource {
        let mut brightest = Brightest::default();
        // Two or three are looked at; sorting all of them would take longer than that.
        while let Some(nearest) = nearest(sights) {
            let sight = sights.swap_remove(nearest);
            let least = brightest.irradiance[0] * (1.0 - TIE);
            // The most that a bone at this distance could bring: no air, and straight below the surface.
            if 1.0 / square(sight.length) < least {
                break;
            }
            let cosine = ((point - sight.from).dot(normal) / sight.length).max(GRAZING);
            let farthest = (cosine / least).sqrt();
            let limit = (farthest - sight.length) / self.air_penalty;
            if let Some(air) = occluded_length(&sight.from, point, self.field, limit) {
                brightest.insert(sight.bone, cosine, sight.length + self.air_penalty * air, air);
            }
        }
        brightest.into_source()
    }
}

/// The line of sight from a bone to a point.
struct Sight {
    from: Vec3,
    length: f64,
    bone: u16,
}

impl Sight {
    fn between(segment: &Bone, bone: usize, point: &Vec3) -> Sight {
        let from = segment.nearest(point);
        Sight { from, length: (point - from).norm().max(TOUCHING), bone: bone as u16 }
    }
}

fn nearest(sights: &[Sight]) -> Option<usize> {
    let all = sights.iter().enumerate();
    all.min_by(|(_, a), (_, b)| a.length.total_cmp(&b.length).then(a.bone.cmp(&b.bone)))
        .map(|(index, _)| index)
}

/// The bones with the highest irradiance, in falling order.
struct Brightest {
    irradiance: [f64; MAX_TIED],
    source: HeatSource,
}

impl Default for Brightest {
    fn default() -> Brightest {
        let source = HeatSource { bones: [(0, 0.0); MAX_TIED], distance: f64::INFINITY, is_visible: false };
        Brightest { irradiance: [0.0; MAX_TIED], source }
    }
}

impl Brightest {
    fn insert(&mut self, bone: u16, cosine: f64, distance: f64, air: f64) {
        let irradiance = cosine / square(distance);
        let Some(rank) = self.irradiance.iter().position(|&other| irradiance > other) else { return };
        self.irradiance[rank..].rotate_right(1);
        self.source.bones[rank..].rotate_right(1);
        self.irradiance[rank] = irradiance;
        self.source.bones[rank] = (bone, cosine.sqrt() / square(distance));
        if rank == 0 {
            (self.source.distance, self.source.is_visible) = (distance, air == 0.0);
        }
    }

    /// Fades out the bones that are not quite tied with the dominant one.
    fn into_source(mut self) -> HeatSource {
        for (bone, irradiance) in self.source.bones.iter_mut().zip(self.irradiance) {
            bone.1 *= ((irradiance / self.irradiance[0] - 1.0) / TIE + 1.0).max(0.0);
        }
        self.source
    }
}

/// Length of the part of a line of sight that runs through air; `None` if more than `limit`.
///
/// Sphere tracing: the distance to the surface is a step that cannot cross it.
fn occluded_length(from: &Vec3, to: &Vec3, field: &DistanceField, limit: f64) -> Option<f64> {
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

    fn bones_of(normal: Vec3, bones: &[Bone]) -> HeatSource {
        let heat = BoneHeat { bones, field: &trunk_and_arm(), air_penalty: 4.0 };
        heat.sources(&[Vec3::new(0.6, 0.5, 0.5)], &[normal])[0]
    }

    fn bones(source: &HeatSource) -> Vec<usize> {
        source.bones().map(|(bone, _)| bone).collect()
    }

    #[test]
    fn the_flank_is_heated_by_the_spine_although_the_arm_is_nearer() {
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
        assert_eq!(bones_of(Vec3::x(), &[beside, below]).dominant_bone(), 1);
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
