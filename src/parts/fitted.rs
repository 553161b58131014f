//! The skeleton that was fitted to a character.

use crate::math::Vec3;
use crate::skeleton::naming::{Role, Segment};
use crate::skeleton::{Joint, Skeleton};

/// A skeleton whose joints are in a character.
#[derive(Debug, Clone, Copy)]
pub struct FittedSkeleton<'a> {
    /// The joints and their parents.
    pub skeleton: &'a Skeleton,
    /// Their positions in the character.
    pub joints: &'a [Vec3],
    /// The height of the character.
    pub height: f64,
    /// x of the plane between left and right, if the two sides are mirror images.
    pub plane: Option<f64>,
}

/// The mirror image of a point on the other side of the plane at x.
pub(super) fn mirrored(point: &Vec3, plane: f64) -> Vec3 {
    Vec3::new(2.0 * plane - point.x, point.y, point.z)
}

/// Whether a joint is a collar bone or the like, which lies in the trunk and is moved by it.
pub(super) fn is_girdle(joint: &Joint) -> bool {
    matches!(joint.role, Some(Role::Limb(_, _, Segment::Girdle)))
}

/// Whether a joint belongs to a limb of a pair.
pub(super) fn is_limb(joint: &Joint) -> bool {
    joint.partner.is_some() && !is_girdle(joint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    #[test]
    fn the_girdles_of_built_in_skeletons_are_their_collar_bones() {
        for file in built_in() {
            let skeleton = skeleton_file::read(file.text).unwrap();
            for joint in skeleton.joints.iter() {
                assert_eq!(is_girdle(joint), joint.name.ends_with("Shoulder"), "{}", joint.name);
            }
        }
    }
}
