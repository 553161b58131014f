//! The bones of an embedded skeleton as segments.

use crate::math::Vec3;
use crate::skeleton::Skeleton;

/// A segment between two joints.
///
/// Weights belong to bones, and glTF knows joints only: a bone rotates about its upper end, so its weight is that of the joint
/// there. Several bones that start at one joint move together and add up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bone {
    /// The joint at the upper end, which owns the weight.
    pub owner: usize,
    /// The upper end.
    pub from: Vec3,
    /// The lower end.
    pub to: Vec3,
}

impl Bone {
    /// The point of the segment that is nearest to `point`.
    pub fn nearest(&self, point: &Vec3) -> Vec3 {
        let along = self.to - self.from;
        let length_squared = along.norm_squared();
        if length_squared == 0.0 {
            return self.from;
        }
        self.from + along * ((point - self.from).dot(&along) / length_squared).clamp(0.0, 1.0)
    }
}

/// The bones of a skeleton whose joints are at `joints`, in the order of their lower ends. Bones without length move nothing
/// and are left out, unless there are no others.
///
/// # Panics
/// If there is not one position for each joint.
pub fn bones(skeleton: &Skeleton, joints: &[Vec3]) -> Vec<Bone> {
    assert_eq!(skeleton.joints.len(), joints.len(), "every joint has a position");
    let ends = skeleton.joints.iter().zip(joints).filter_map(|(joint, end)| Some((joint.parent?, *end)));
    let bones = ends.map(|(parent, to)| Bone { owner: parent, from: joints[parent], to });
    let mut bones: Vec<Bone> = bones.filter(|bone| bone.from != bone.to).collect();
    if bones.is_empty() {
        bones.push(Bone { owner: 0, from: joints[0], to: joints[0] });
    }
    bones
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_point_is_on_the_segment_or_at_its_ends() {
        let bone = Bone { owner: 0, from: Vec3::zeros(), to: Vec3::new(2.0, 0.0, 0.0) };
        assert_eq!(bone.nearest(&Vec3::new(0.5, 3.0, 0.0)), Vec3::new(0.5, 0.0, 0.0));
        assert_eq!(bone.nearest(&Vec3::new(-1.0, 3.0, 0.0)), bone.from);
        assert_eq!(bone.nearest(&Vec3::new(9.0, 3.0, 0.0)), bone.to);
        let point = Bone { to: bone.from, ..bone };
        assert_eq!(point.nearest(&Vec3::new(9.0, 3.0, 0.0)), bone.from);
    }
}
