//! Poses that show what is wrong with a skin: bent elbows and knees, raised arms, a twist, a squat.

use crate::math::{Mat4, Quat, Vec3};
use crate::rig::RigJoint;
use nalgebra::{Isometry3, Unit};

/// A pose of a rig.
#[derive(Debug, Clone, PartialEq)]
pub struct TestPose {
    /// What it shows.
    pub name: &'static str,
    /// For each joint, from where the surface was bound to where it is now.
    pub posed_from_bound: Vec<Mat4>,
}

/// How a joint is turned.
#[derive(Debug, Clone, Copy)]
enum Turn {
    /// About its own X axis: as a muscle bends it, in degrees.
    Bend(f64),
    /// About the upright axis, in degrees.
    Twist(f64),
    /// Until its bone points to the sky, but for this part of the way.
    Raise(f64),
}

/// Names of the joints that are turned, by their ends: both sides, and front and hind legs.
const POSES: [(&str, &[(&str, Turn)]); 6] = [
    ("elbows", &[("LowerArm", Turn::Bend(90.0))]),
    ("knees", &[("LowerLeg", Turn::Bend(90.0))]),
    ("arms up", &[("UpperArm", Turn::Raise(0.1))]),
    ("twist", &[("Spine", Turn::Twist(30.0)), ("Chest", Turn::Twist(30.0)), ("Neck", Turn::Twist(30.0))]),
    (
        "squat",
        &[("UpperLeg", Turn::Bend(90.0)), ("LowerLeg", Turn::Bend(110.0)), ("Spine", Turn::Bend(30.0))],
    ),
    ("head and tail", &[("Head", Turn::Bend(40.0)), ("Neck", Turn::Bend(20.0)), ("Tail", Turn::Twist(60.0))]),
];

/// The test poses of a rig; those that turn none of its joints are left out.
pub fn test_poses(joints: &[RigJoint]) -> Vec<TestPose> {
    let turns_of = |joint: &RigJoint, turns: &[(&str, Turn)]| {
        let turn = turns.iter().find(|(name, _)| joint.name.ends_with(name));
        // "Chest" also ends the name of the upper chest, which twists along.
        turn.map(|(_, turn)| *turn)
    };
    let mut poses = Vec::new();
    for (name, turns) in POSES {
        if !joints.iter().any(|joint| turns_of(joint, turns).is_some()) {
            continue;
        }
        let mut posed: Vec<Isometry3<f64>> = Vec::with_capacity(joints.len());
        for joint in joints {
            let (above, above_rest) = match joint.parent {
                Some(parent) => (posed[parent], joints[parent].rest),
                None => (Isometry3::identity(), Isometry3::identity()),
            };
            // As the parent carries it, and then turned about its own place.
            let carried = above * above_rest.inverse() * joint.rest;
            let turn = turns_of(joint, turns).map_or_else(Quat::identity, |turn| rotation(turn, &carried));
            posed.push(Isometry3::from_parts(carried.translation, turn * carried.rotation));
        }
        let posed_from_bound = posed
            .iter()
            .zip(joints)
            .map(|(posed, joint)| (posed * joint.rest.inverse()).to_homogeneous())
            .collect();
        poses.push(TestPose { name, posed_from_bound });
    }
    poses
}

/// The rotation in the coordinates of the output for a joint that stands as `carried`.
fn rotation(turn: Turn, carried: &Isometry3<f64>) -> Quat {
    match turn {
        Turn::Bend(degrees) => {
            Quat::from_axis_angle(&Unit::new_normalize(carried.rotation * Vec3::x()), degrees.to_radians())
        }
        Turn::Twist(degrees) => Quat::from_axis_angle(&Vec3::y_axis(), degrees.to_radians()),
        Turn::Raise(short) => {
            let whole = Quat::rotation_between(&(carried.rotation * Vec3::y()), &Vec3::y());
            whole.unwrap_or_else(Quat::identity).powf(1.0 - short)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::rig::bind_pose;
    use crate::skeleton::built_in;

    #[test]
    fn joints_turn_where_they_are_and_carry_what_is_below() {
        let human = skeleton_file::read(built_in()[0].text).unwrap();
        let positions: Vec<Vec3> = human.joints.iter().map(|joint| joint.position).collect();
        let rest = bind_pose(&human, &positions);
        let poses = test_poses(&rest.joints);
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
}
