//! The bind pose: the joints of a skeleton as engines want them, with a root on the floor, tips that are no joints, and axes
//! that mean something. This is the only place where joints of a skeleton become joints of a rig.

use super::{Rig, RigJoint, Tip};
use crate::math::{Mat3, Quat, Vec3, rotation_of};
use crate::skeleton::Skeleton;
use crate::skeleton::naming::{Limb, Role, Segment};
use nalgebra::Isometry3;

/// The exported joints at rest.
#[derive(Debug, Clone, PartialEq)]
pub struct BindPose {
    /// Parents before children; the first one is the root.
    pub joints: Vec<RigJoint>,
    /// The tips of the skeleton, in its order.
    pub tips: Vec<Tip>,
    /// For each joint of the skeleton the exported joint that moves it: itself, or its parent if it is a tip.
    pub exported: Vec<u16>,
}

impl BindPose {
    /// The rig that stands so, without soles.
    pub fn into_rig(self) -> Rig {
        Rig::of_joints(self.joints, self.tips)
    }
}

/// Name of the joint on the floor that carries the whole character.
const ROOT: &str = "Root";

/// The bind pose of a skeleton whose joints are at `positions`, in the coordinates of the output.
///
/// A joint `Root` at the origin is added on top unless the skeleton has one. Axes are those of Godot's humanoid rests: +Y
/// runs to the next joint, and a rotation about +X bends the joint as a muscle would: knees backwards, everything else to the
/// front, feet upwards.
///
/// # Panics
/// If there is not one position for each joint.
pub fn bind_pose(skeleton: &Skeleton, positions: &[Vec3]) -> BindPose {
    assert_eq!(skeleton.joints.len(), positions.len(), "every joint has a position");
    let (mut joints, mut tips, mut exported) = (Vec::new(), Vec::new(), Vec::<u16>::new());
    if skeleton.joints[0].name != ROOT {
        joints.push(RigJoint { name: ROOT.into(), parent: None, rest: Isometry3::identity() });
    }
    for (index, joint) in skeleton.joints.iter().enumerate() {
        let (name, position) = (joint.name.clone(), positions[index]);
        let parent = joint.parent.map(|parent| usize::from(exported[parent]));
        if let (true, Some(parent)) = (joint.is_tip, parent) {
            exported.push(parent as u16);
            tips.push(Tip { name, joint: parent, position });
            continue;
        }
        exported.push(joints.len() as u16);
        let parent = parent.or((!joints.is_empty()).then_some(0));
        let rest = Isometry3::from_parts(position.into(), orientation(skeleton, positions, index));
        joints.push(RigJoint { name, parent, rest });
    }
    BindPose { joints, tips, exported }
}

/// The axes of a joint: +Y runs to its first child, or on from its parent.
fn orientation(skeleton: &Skeleton, positions: &[Vec3], index: usize) -> Quat {
    let joint = &skeleton.joints[index];
    if joint.name == ROOT {
        return Quat::identity();
    }
    let along = match (skeleton.joints.first_child(index), joint.parent) {
        (Some(next), _) => positions[next] - positions[index],
        (None, Some(parent)) => positions[index] - positions[parent],
        (None, None) => Vec3::y(),
    };
    axes(&along, &bend_direction(joint.role))
}

/// Where the bone of a joint goes when a muscle bends it.
fn bend_direction(role: Option<Role>) -> Vec3 {
    match role.and_then(Role::limb) {
        Some((Limb::Leg | Limb::FrontLeg, _, Segment::Lower)) => -Vec3::z(),
        Some((Limb::Leg | Limb::FrontLeg, _, Segment::End | Segment::Toes)) => Vec3::y(),
        _ => Vec3::z(),
    }
}

/// Bones shorter than this have no direction.
const SHORTEST: f64 = 1e-9;
/// Sine of the angle between a bone and its bend direction below which the bone has no preference; any axis across will do.
const PARALLEL: f64 = 1e-3;

/// The rotation that takes +Y to `along` and +Z as near as possible to `bend`.
fn axes(along: &Vec3, bend: &Vec3) -> Quat {
    let Some(y) = along.try_normalize(SHORTEST) else { return Quat::identity() };
    let other = if y.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
    let x = y.cross(bend).try_normalize(PARALLEL).unwrap_or_else(|| y.cross(&other).normalize());
    rotation_of(&Mat3::from_columns(&[x, y, x.cross(&y)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_about_x_bends_every_joint_as_a_muscle_does() {
        let human = Skeleton::human();
        let rest = bind_pose(&human, &human.positions());
        assert_eq!(rest.joints.len(), 23);
        assert_eq!((rest.joints[0].name.as_str(), rest.joints[1].parent), ("Root", Some(0)));
        let bent = |name: &str| {
            let joint = rest.joints.iter().find(|joint| joint.name == name).unwrap();
            let bend = Quat::from_axis_angle(&Vec3::x_axis(), 0.5);
            joint.rest.rotation * (bend * Vec3::y()) - joint.rest.rotation * Vec3::y()
        };
        assert!(bent("LeftLowerLeg").z < -0.3 && bent("RightLowerLeg").z < -0.3);
        assert!(bent("LeftUpperLeg").z > 0.3 && bent("Spine").z > 0.3);
        assert!(bent("LeftLowerArm").z > 0.3 && bent("RightLowerArm").z > 0.3);
        assert!(bent("LeftFoot").y > 0.3);
    }

    #[test]
    fn the_tip_of_a_limb_is_moved_by_the_joint_above_it() {
        let (human, positions) = (Skeleton::human(), Skeleton::human().positions());
        let rest = bind_pose(&human, &positions);
        let exported = |name: &str| &rest.joints[usize::from(rest.exported[human.find(name).unwrap()])].name;
        assert_eq!(
            (exported("HeadTop"), exported("LeftToeTip")),
            (&"Head".to_owned(), &"LeftToes".to_owned())
        );
        for (joint, position) in human.joints.iter().zip(&positions).filter(|(joint, _)| !joint.is_tip) {
            let rest = rest.joints.iter().find(|other| other.name == joint.name).unwrap();
            assert_eq!(rest.rest.translation.vector, *position);
        }
    }
}
