//! Poses a character of the library as the target stands, with its proportions (sections 5.1 and 5.2 of the paper): an affine map for each
//! segment, blended by the character's own weights.

use super::slots::{Body, Slot};
use crate::math::{Mat3, Quat, Vec3};
use crate::skeleton::naming::{Limb, Role, Segment, Side};
use nalgebra::Quaternion;
use rayon::prelude::*;

/// x ↦ linear x + offset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Affine {
    pub linear: Mat3,
    pub offset: Vec3,
}

impl Affine {
    pub const IDENTITY: Affine = Affine {
        linear: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        offset: Vec3::new(0.0, 0.0, 0.0),
    };

    /// The map with that linear part that takes one point to another.
    pub fn taking(from: &Vec3, to: &Vec3, linear: Mat3) -> Affine {
        Affine { linear, offset: to - linear * from }
    }

    pub fn apply(&self, point: &Vec3) -> Vec3 {
        self.linear * point + self.offset
    }

    /// First `other`, then this.
    pub fn after(&self, other: &Affine) -> Affine {
        Affine { linear: self.linear * other.linear, offset: self.apply(&other.offset) }
    }
}

/// Whether the target's joints are where an artist would put them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointOrigin {
    /// Somebody placed them: limbs take the target's proportions.
    Given,
    /// They were found, 2 % of the height off on average: limbs keep the proportions of the character that they come from, whose joints then
    /// correct them (section 5.5).
    Found,
}

/// A bone gets at most this many times thicker or thinner than the trunk does; beyond it a chibi's limbs swallow the body.
const LIMB_RATIO: f64 = 2.5;
/// A bone of a limb gets at most this many times longer or shorter than the limb; beyond it joints in one place stretch it without end.
const BONE_RATIO: f64 = 3.0;
/// Hips and shoulders get at most this many times wider than the trunk gets high; a cape's joints are no shoulders.
const WIDTH_RATIO: f64 = 1.8;
/// Bones shorter than this, in heights, have no direction.
const SHORTEST: f64 = 1e-4;

/// What both bodies say about a part of the pose.
struct Proportions<'a> {
    source: &'a Body<'a>,
    target: &'a Body<'a>,
    origin: JointOrigin,
    /// The trunk's scale.
    scale: f64,
}

/// For each joint of the source the map of its segment.
pub(super) fn segment_maps(source: &Body, target: &Body, origin: JointOrigin) -> Vec<Affine> {
    let mut proportions = Proportions { source, target, origin, scale: 1.0 };
    let trunk = proportions.trunk();
    proportions.scale = trunk.as_ref().map_or(1.0, |trunk| trunk.scale);
    let mut maps: Vec<Option<Affine>> = vec![None; source.parents.len()];
    let fallback = proportions.whole();
    for joint in 0..source.parents.len() {
        let segment = source.segments[joint];
        let own = source.roles[segment].filter(|_| segment == joint);
        let own = own.and_then(|role| proportions.map_of(role, trunk.as_ref()));
        let above = source.parents[joint].and_then(|parent| maps[parent]);
        let of_segment = (segment < joint).then(|| maps[segment]).flatten();
        maps[joint] = own.or(of_segment).or(above);
    }
    // Above the hips all moves with them.
    let hips = source.find(Role::Hips).and_then(|hips| maps[hips]).unwrap_or(fallback);
    maps.into_iter().map(|map| map.unwrap_or(hips)).collect()
}

/// The surface of the source, posed: linear blend skinning with the maps.
pub(super) fn posed(source: &Body, maps: &[Affine]) -> Vec<Vec3> {
    let blend = |(vertex, position): (usize, &Vec3)| {
        let moved = source.weights.of(vertex).map(|(joint, weight)| weight * maps[joint].apply(position));
        moved.fold(Vec3::zeros(), |sum, moved| sum + moved)
    };
    source.positions.par_iter().enumerate().map(blend).collect()
}

/// Both trunks, each with its frame: across, up, and to the front.
struct TrunkFit {
    scale: f64,
    frames: [Mat3; 2],
    hips: [Vec3; 2],
    shoulders: [Vec3; 2],
    hip_width: f64,
    shoulder_width: f64,
}

impl Proportions<'_> {
    fn tag(&self, role: Role) -> Option<[Vec3; 2]> {
        Some([*self.source.tags.get(&role)?, *self.target.tags.get(&role)?])
    }

    fn limb_tag(&self, (limb, side): (Limb, Side), segment: Segment) -> Option<[Vec3; 2]> {
        self.tag(Role::Limb(limb, side, segment))
    }

    /// Begin of the left and of the right limb of a kind.
    fn roots(&self, limb: Limb) -> Option<[[Vec3; 2]; 2]> {
        let [left, right] = [Side::Left, Side::Right].map(|side| self.limb_tag((limb, side), Segment::Upper));
        Some([left?, right?])
    }

    fn trunk(&self) -> Option<TrunkFit> {
        let [left_hip, right_hip] = self.roots(Limb::Leg)?;
        let [left, right] = self.roots(Limb::Arm).or_else(|| self.roots(Limb::FrontLeg))?;
        let middle = |a: [Vec3; 2], b: [Vec3; 2]| [0, 1].map(|body| 0.5 * (a[body] + b[body]));
        let (hips, shoulders) = (middle(left_hip, right_hip), middle(left, right));
        let up = [0, 1].map(|body| shoulders[body] - hips[body]);
        let scale = up[1].norm() / up[0].norm().max(SHORTEST);
        let width = |a: [Vec3; 2], b: [Vec3; 2]| {
            let [source, target] = [0, 1].map(|body| (a[body] - b[body]).norm());
            (target / source.max(SHORTEST)).clamp(scale / WIDTH_RATIO, scale * WIDTH_RATIO)
        };
        let frame = |body: usize| frame(&(left[body] - right[body]), &up[body]);
        Some(TrunkFit {
            scale,
            frames: [frame(0)?, frame(1)?],
            hips,
            shoulders,
            hip_width: width(left_hip, right_hip),
            shoulder_width: width(left, right),
        })
    }

    /// By the heights of both, about the hips.
    fn whole(&self) -> Affine {
        let height = |body: &Body| crate::math::Bounds::of(&body.positions).extent().y;
        let scale = height(self.target) / height(self.source).max(SHORTEST);
        let hips = self.tag(Role::Hips).unwrap_or([Vec3::zeros(); 2]);
        Affine::taking(&hips[0], &hips[1], Mat3::identity() * scale)
    }

    fn map_of(&self, role: Role, trunk: Option<&TrunkFit>) -> Option<Affine> {
        match Slot::of_role(role) {
            Slot::Trunk => trunk.map(|trunk| trunk.map(role == Role::Hips)),
            Slot::Head => self.head(role),
            Slot::Tail => None,
            Slot::Limb(limb, side) => self.limb(role, (limb, side)),
        }
    }

    fn head(&self, role: Role) -> Option<Affine> {
        let (head, tip) = (self.tag(Role::Head)?, self.tag(Role::HeadTip)?);
        let length = |body: usize| (tip[body] - head[body]).norm();
        let size = length(1) / length(0).max(SHORTEST);
        let size = size.clamp(self.scale / BONE_RATIO, self.scale * BONE_RATIO);
        if role == Role::Head {
            return Some(Affine::taking(&head[0], &head[1], Mat3::identity() * size));
        }
        let neck = self.tag(Role::Neck)?;
        Some(bone_map(neck, head, (size * self.scale).sqrt()))
    }

    fn limb(&self, role: Role, limb: (Limb, Side)) -> Option<Affine> {
        use Segment::{End, Hock, Lower, Tip, Toes, Upper};
        let tags: Vec<(Segment, [Vec3; 2])> = [Upper, Lower, Hock, End, Toes, Tip]
            .into_iter()
            .filter_map(|segment| Some((segment, self.limb_tag(limb, segment)?)))
            .collect();
        let length = |body: usize| {
            let inner = tags.iter().filter(|(segment, _)| *segment <= End);
            let places: Vec<Vec3> = inner.map(|(_, tag)| tag[body]).collect();
            places.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum::<f64>()
        };
        let ratio = length(1) / length(0).max(SHORTEST);
        let ratio = ratio.clamp(self.scale / LIMB_RATIO, self.scale * LIMB_RATIO);
        if self.origin == JointOrigin::Found {
            let last = tags.iter().rev().find(|(segment, _)| *segment <= End)?;
            return Some(similarity(tags.first()?.1, last.1, ratio));
        }
        let own = tags.iter().position(|(segment, _)| role.limb().is_some_and(|(.., s)| s == *segment))?;
        match tags.get(own + 1) {
            Some((_, next)) => Some(bone_map(tags[own].1, *next, ratio)),
            None => Some(Affine::taking(&tags[own].1[0], &tags[own].1[1], Mat3::identity() * ratio)),
        }
    }
}

impl TrunkFit {
    fn map(&self, is_hips: bool) -> Affine {
        let (width, place) = match is_hips {
            true => (self.hip_width, self.hips),
            false => (self.shoulder_width, self.shoulders),
        };
        let scales = Mat3::from_diagonal(&Vec3::new(width, self.scale, self.scale));
        let linear = self.frames[1] * scales * self.frames[0].transpose();
        Affine::taking(&place[0], &place[1], linear)
    }
}

/// Columns: across, made perpendicular to up; up; to the front.
pub(super) fn frame(across: &Vec3, up: &Vec3) -> Option<Mat3> {
    let up = up.try_normalize(SHORTEST)?;
    let across = (across - up * across.dot(&up)).try_normalize(SHORTEST)?;
    Some(Mat3::from_columns(&[across, up, across.cross(&up)]))
}

/// The smallest rotation from one direction to another: nothing turns about its own axis. Turned about, any axis across will do.
pub(super) fn smallest_rotation(from: &Vec3, to: &Vec3) -> Quat {
    let (Some(from), Some(to)) = (from.try_normalize(0.0), to.try_normalize(0.0)) else {
        return Quat::identity();
    };
    let half = Quaternion::from_parts(1.0 + from.dot(&to), from.cross(&to));
    Quat::try_new(half, f64::EPSILON).unwrap_or_else(|| {
        let across = from.cross(&Vec3::x()).try_normalize(SHORTEST).unwrap_or_else(Vec3::y);
        Quat::from_quaternion(Quaternion::from_parts(0.0, across))
    })
}

/// The map of a bone between two tags, each of source and target: thicker by `ratio`, longer as the target's is.
fn bone_map(tag: [Vec3; 2], next: [Vec3; 2], ratio: f64) -> Affine {
    let [bone, to] = [0, 1].map(|body| next[body] - tag[body]);
    let Some(along) = bone.try_normalize(SHORTEST).filter(|_| to.norm() > SHORTEST) else {
        return Affine::taking(&tag[0], &tag[1], Mat3::identity() * ratio);
    };
    let length = (to.norm() / bone.norm()).clamp(ratio / BONE_RATIO, ratio * BONE_RATIO);
    let stretch = Mat3::identity() * ratio + along * along.transpose() * (length - ratio);
    Affine::taking(&tag[0], &tag[1], smallest_rotation(&bone, &to).to_rotation_matrix() * stretch)
}

/// The map of a whole limb from its first to its last tag.
fn similarity(first: [Vec3; 2], last: [Vec3; 2], ratio: f64) -> Affine {
    let [from, to] = [0, 1].map(|body| last[body] - first[body]);
    Affine::taking(
        &first[0],
        &first[1],
        smallest_rotation(&from, &to).to_rotation_matrix() * Mat3::identity() * ratio,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bone that is twice as long and 1.3 times as thick, and points elsewhere.
    #[test]
    fn a_bone_is_turned_stretched_and_thickened() {
        let tag = [Vec3::zeros(), Vec3::new(1.0, 2.0, 3.0)];
        let next = [Vec3::x() * 2.0, Vec3::new(1.0, 6.0, 3.0)];
        let map = bone_map(tag, next, 1.3);
        assert!((map.apply(&next[0]) - next[1]).norm() < 1e-12);
        assert!((map.apply(&tag[0]) - tag[1]).norm() < 1e-12);
        let side = map.apply(&Vec3::z()) - tag[1];
        assert!((side - Vec3::z() * 1.3).norm() < 1e-12, "nothing turns about the bone: {side}");
    }

    #[test]
    fn opposite_directions_are_half_a_turn_apart() {
        for direction in [Vec3::x(), Vec3::y(), Vec3::new(1.0, 2.0, -3.0)] {
            let turned = smallest_rotation(&direction, &-direction) * direction;
            assert!((turned + direction).norm() < 1e-9, "{direction}");
        }
    }
}
