//! A rig and its motion for tests.

use crate::math::{Quat, Vec3};
use crate::motion::Pose;
use crate::rig::{Rig, RigJoint};
use nalgebra::Isometry3;

/// A root, hips a metre above it, and an arm of two bones, each turned against the one above.
pub fn arm() -> Rig {
    let joint = |name: &str, parent, position: [f64; 3], angle: f64| RigJoint {
        name: name.into(),
        parent,
        rest: Isometry3::from_parts(
            Vec3::from(position).into(),
            Quat::from_euler_angles(angle, 0.3 * angle, 0.0),
        ),
    };
    let joints = vec![
        joint("Root", None, [0.0; 3], 0.0),
        joint("Hips", Some(0), [0.0, 1.0, 0.0], 0.2),
        joint("Upper", Some(1), [0.2, 1.4, 0.0], -0.4),
        joint("Lower", Some(2), [0.5, 1.4, 0.1], 1.0),
    ];
    Rig::of_joints(joints, Vec::new())
}

/// The rig walking along +Z and waving, for a second.
pub fn waving(rig: &Rig) -> Vec<Pose> {
    (0..61)
        .map(|frame| {
            let time = f64::from(frame) / 60.0;
            let walk = Vec3::new(0.0, 0.02 * (9.0 * time).sin(), 1.3 * time);
            let mut pose = Pose::default();
            for (index, joint) in rig.joints.iter().enumerate() {
                let above = joint.parent.map_or(Isometry3::identity(), |parent| rig.joints[parent].rest);
                let local = above.inverse() * joint.rest;
                let angle = index as f64 * (6.0 * time + index as f64).sin();
                let rotation = local.rotation * Quat::from_axis_angle(&Vec3::x_axis(), angle);
                // The root is not rotated, so that the hips walk along its axes.
                let walk = if index == 1 { walk } else { Vec3::zeros() };
                pose.push(joint.parent, local.translation.vector + walk, Some(rotation));
            }
            pose
        })
        .collect()
}
