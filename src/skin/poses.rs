//! Poses that show what is wrong with a skin: bent elbows and knees, raised arms, a twist, a squat.

use crate::math::{Mat4, Quat, Similarity, Vec3, rotation_of};
use crate::rig::{HelperDriver, Rig, RigJoint, bind_pose};
use crate::skeleton::Skeleton;
use crate::skeleton::naming::{Limb, Role, Segment};
use nalgebra::{Isometry3, Unit};

/// A pose of a rig.
#[derive(Debug, Clone, PartialEq)]
pub struct TestPose {
    /// What it shows.
    pub name: &'static str,
    /// For each exported joint, from where the surface was bound to where it is now.
    pub posed_from_bound: Vec<Mat4>,
}

/// How a joint is rotated.
#[derive(Debug, Clone, Copy)]
enum Rotation {
    /// About its own X axis: as a muscle bends it, in degrees.
    Bend(f64),
    /// About the upright axis, in degrees.
    Twist(f64),
    /// Until its bone points to the sky, but for this part of the rotation.
    Raise(f64),
}

/// Joints of a body.
#[derive(Debug, Clone, Copy)]
enum BodyPart {
    /// A joint of both arms.
    Arms(Segment),
    /// A joint of all legs.
    Legs(Segment),
    /// The lowest joint of the back.
    LowerBack,
    /// At most three joints of the back, the lowest two and the highest: in a back of many joints the twists would add up.
    Back,
    /// The joints of a role.
    All(Role),
    /// The first joint of the tail.
    TailRoot,
}

/// What each pose rotates, on both sides, and in front and hind legs.
const POSES: [(&str, &[(BodyPart, Rotation)]); 6] = [
    ("elbows", &[(BodyPart::Arms(Segment::Lower), Rotation::Bend(90.0))]),
    ("knees", &[(BodyPart::Legs(Segment::Lower), Rotation::Bend(90.0))]),
    ("arms up", &[(BodyPart::Arms(Segment::Upper), Rotation::Raise(0.1))]),
    ("twist", &[(BodyPart::Back, Rotation::Twist(30.0)), (BodyPart::All(Role::Neck), Rotation::Twist(30.0))]),
    (
        "squat",
        &[
            (BodyPart::Legs(Segment::Upper), Rotation::Bend(90.0)),
            (BodyPart::Legs(Segment::Lower), Rotation::Bend(110.0)),
            (BodyPart::LowerBack, Rotation::Bend(30.0)),
        ],
    ),
    (
        "head and tail",
        &[
            (BodyPart::All(Role::Head), Rotation::Bend(40.0)),
            (BodyPart::All(Role::Neck), Rotation::Bend(20.0)),
            (BodyPart::TailRoot, Rotation::Twist(60.0)),
        ],
    ),
];

/// The test poses of a skeleton whose joints are at `positions`; those that rotate none of its joints are left out.
pub fn test_poses(skeleton: &Skeleton, positions: &[Vec3]) -> Vec<TestPose> {
    let bind = bind_pose(skeleton, positions);
    let mut poses = Vec::new();
    for (name, parts) in POSES {
        let mut rotations = vec![None; bind.joints.len()];
        for &(part, rotation) in parts {
            let joints = part.joints(skeleton).into_iter().filter(|&joint| !skeleton.joints[joint].is_tip);
            joints.for_each(|joint| rotations[usize::from(bind.exported[joint])] = Some(rotation));
        }
        if rotations.iter().any(Option::is_some) {
            poses.push(TestPose { name, posed_from_bound: posed_from_bound(&bind.joints, &rotations) });
        }
    }
    poses
}

impl TestPose {
    /// The same pose of a rig that has more joints behind those of the pose: helpers follow, all others move with their parents.
    #[must_use]
    pub fn on_rig(mut self, rig: &Rig, pose_from_rig: &Similarity) -> TestPose {
        for joint in &rig.joints[self.posed_from_bound.len()..] {
            let parent = joint.parent.unwrap_or_default();
            self.posed_from_bound.push(self.posed_from_bound[parent]);
        }
        let linear = |matrix: &Mat4| matrix.fixed_view::<3, 3>(0, 0).into_owned();
        let mut turns: Vec<Quat> = self.posed_from_bound.iter().map(|m| rotation_of(&linear(m))).collect();
        let mut driver = HelperDriver::of(rig);
        driver.turn(&mut turns);
        let scale = pose_from_rig.scaling();
        for helper in &rig.helpers {
            let place =
                pose_from_rig.transform_point(&rig.joints[helper.joint].rest.translation.vector.into());
            let matrix = &mut self.posed_from_bound[helper.joint];
            let by = driver
                .moved()
                .find(|(joint, _)| *joint == helper.joint)
                .map_or_else(Vec3::zeros, |(_, by)| by);
            let there = matrix.transform_point(&place).coords + by * scale;
            *matrix = Mat4::new_translation(&there)
                * turns[helper.joint].to_homogeneous()
                * Mat4::new_translation(&-place.coords);
        }
        self
    }
}

impl BodyPart {
    /// The joints of a skeleton that are meant.
    fn joints(self, skeleton: &Skeleton) -> Vec<usize> {
        match self {
            BodyPart::Arms(segment) => limb_joints(skeleton, &[Limb::Arm], segment),
            BodyPart::Legs(segment) => limb_joints(skeleton, &[Limb::Leg, Limb::FrontLeg], segment),
            BodyPart::LowerBack => skeleton.with_role(Role::Spine).take(1).collect(),
            BodyPart::Back => {
                let back: Vec<usize> = skeleton.with_role(Role::Spine).collect();
                back.iter().take(2).chain(back.last()).copied().collect()
            }
            BodyPart::All(role) => skeleton.with_role(role).collect(),
            BodyPart::TailRoot => skeleton.with_role(Role::Tail).take(1).collect(),
        }
    }
}

fn limb_joints(skeleton: &Skeleton, limbs: &[Limb], segment: Segment) -> Vec<usize> {
    let joints = skeleton.joints.iter().enumerate();
    let is_meant = joints.filter(|(_, joint)| {
        joint.role.and_then(Role::limb).is_some_and(|(limb, _, s)| limbs.contains(&limb) && s == segment)
    });
    is_meant.map(|(index, _)| index).collect()
}

/// Forward kinematics: joints are carried by their parents, then rotated about their own positions.
fn posed_from_bound(joints: &[RigJoint], rotations: &[Option<Rotation>]) -> Vec<Mat4> {
    let mut posed: Vec<Isometry3<f64>> = Vec::with_capacity(joints.len());
    for (joint, rotation) in joints.iter().zip(rotations) {
        let (above, above_rest) = match joint.parent {
            Some(parent) => (posed[parent], joints[parent].rest),
            None => (Isometry3::identity(), Isometry3::identity()),
        };
        let carried = above * above_rest.inverse() * joint.rest;
        let rotation = rotation.map_or_else(Quat::identity, |rotation| rotation.of(&carried));
        posed.push(Isometry3::from_parts(carried.translation, rotation * carried.rotation));
    }
    posed.iter().zip(joints).map(|(posed, joint)| (posed * joint.rest.inverse()).to_homogeneous()).collect()
}

impl Rotation {
    /// In the coordinates of the output, for a joint that is oriented as `carried`.
    fn of(self, carried: &Isometry3<f64>) -> Quat {
        match self {
            Rotation::Bend(degrees) => {
                let axis = Unit::new_normalize(carried.rotation * Vec3::x());
                Quat::from_axis_angle(&axis, degrees.to_radians())
            }
            Rotation::Twist(degrees) => Quat::from_axis_angle(&Vec3::y_axis(), degrees.to_radians()),
            Rotation::Raise(short) => {
                let whole = Quat::rotation_between(&(carried.rotation * Vec3::y()), &Vec3::y());
                whole.unwrap_or_else(Quat::identity).powf(1.0 - short)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    #[test]
    fn joints_rotate_where_they_are_and_carry_what_is_below() {
        let human = skeleton_file::read(built_in()[0].text).unwrap();
        let positions: Vec<Vec3> = human.joints.iter().map(|joint| joint.position).collect();
        let rest = bind_pose(&human, &positions);
        let poses = test_poses(&human, &positions);
        assert_eq!(poses.len(), 6);
        let goes_to = |pose: &str, joint: &str| {
            let pose = poses.iter().find(|other| other.name == pose).unwrap();
            let joint = human.find(joint).unwrap();
            let matrix = pose.posed_from_bound[usize::from(rest.exported[joint])];
            matrix.transform_point(&positions[joint].into()).coords
        };
        let at = |joint: &str| positions[human.find(joint).unwrap()];
        assert!((goes_to("knees", "LeftLowerLeg") - at("LeftLowerLeg")).norm() < 1e-12);
        let foot = goes_to("knees", "LeftFoot");
        assert!(
            (foot.y - at("LeftLowerLeg").y).abs() < 0.01 && foot.z < -0.2,
            "the shank lies level: {foot}"
        );
        let hand = goes_to("arms up", "RightHand");
        assert!(hand.y > at("Head").y && hand.x < 0.0, "{hand}");
        assert!(goes_to("squat", "LeftLowerLeg").z > 0.15, "thighs point to the front");
        assert!((goes_to("twist", "HeadTop") - at("HeadTop")).norm() < 1e-9, "a twist keeps the axis");
    }

    /// Names of the joints of built-in skeletons end like this.
    fn named(skeleton: &Skeleton, endings: &[&str]) -> Vec<usize> {
        let joints = skeleton.joints.iter().enumerate();
        let is_meant = joints.filter(|(_, joint)| endings.iter().any(|ending| joint.name.ends_with(ending)));
        is_meant.map(|(index, _)| index).collect()
    }

    #[test]
    fn body_parts_of_built_in_skeletons_are_what_their_names_say() {
        for file in built_in() {
            let skeleton = skeleton_file::read(file.text).unwrap();
            let parts = [
                (BodyPart::Arms(Segment::Upper), &["UpperArm"][..]),
                (BodyPart::Arms(Segment::Lower), &["LowerArm"]),
                (BodyPart::Legs(Segment::Upper), &["UpperLeg"]),
                (BodyPart::Legs(Segment::Lower), &["LowerLeg"]),
                (BodyPart::LowerBack, &["Spine"]),
                (BodyPart::Back, &["Spine", "Chest"]),
                (BodyPart::All(Role::Neck), &["Neck"]),
                (BodyPart::All(Role::Head), &["Head"]),
                (BodyPart::TailRoot, &["Tail"]),
            ];
            for (part, endings) in parts {
                let mut joints = part.joints(&skeleton);
                joints.dedup();
                assert_eq!(joints, named(&skeleton, endings), "{} {part:?}", skeleton.name);
            }
        }
    }
}
