use super::Rig;
use crate::math::{Quat, Vec3};
use crate::motion::Pose;

/// Bones that have a direction in a T-pose.
const STRAIGHT: [(&str, Vec3); 10] = [
    ("LeftUpperArm", Vec3::new(1.0, 0.0, 0.0)),
    ("LeftLowerArm", Vec3::new(1.0, 0.0, 0.0)),
    ("LeftHand", Vec3::new(1.0, 0.0, 0.0)),
    ("RightUpperArm", Vec3::new(-1.0, 0.0, 0.0)),
    ("RightLowerArm", Vec3::new(-1.0, 0.0, 0.0)),
    ("RightHand", Vec3::new(-1.0, 0.0, 0.0)),
    ("LeftUpperLeg", Vec3::new(0.0, -1.0, 0.0)),
    ("LeftLowerLeg", Vec3::new(0.0, -1.0, 0.0)),
    ("RightUpperLeg", Vec3::new(0.0, -1.0, 0.0)),
    ("RightLowerLeg", Vec3::new(0.0, -1.0, 0.0)),
];
/// Joints that stand as they do at rest, whatever the joint above does: soles stay flat.
const KEPT: [&str; 2] = ["LeftFoot", "RightFoot"];

impl Rig {
    /// The person standing with straight legs and arms stretched sideways, on the floor. Joints are known by their names; an
    /// animal, which has none of these, stands as it is.
    pub fn t_pose(&self) -> Pose {
        let mut turns: Vec<Quat> = Vec::new();
        let mut pose = Pose { positions: Vec::new(), rotations: Vec::new() };
        for (index, joint) in self.joints.iter().enumerate() {
            let above = joint.parent.map_or(Quat::identity(), |parent| turns[parent]);
            let wanted = STRAIGHT.iter().find(|(name, _)| *name == joint.name);
            let turn = match wanted {
                // +Y runs along the bone.
                Some((_, direction)) => {
                    let bone = above * (joint.rest.rotation * Vec3::y());
                    Quat::rotation_between(&bone, direction).unwrap_or_else(Quat::identity) * above
                }
                None if KEPT.contains(&joint.name.as_str()) => Quat::identity(),
                None => above,
            };
            let place = joint.rest.translation.vector;
            pose.positions.push(match joint.parent {
                Some(parent) => {
                    let bone = place - self.joints[parent].rest.translation.vector;
                    pose.positions[parent] + turns[parent] * bone
                }
                None => place,
            });
            pose.rotations.push(turn * joint.rest.rotation);
            turns.push(turn);
            debug_assert_eq!(turns.len(), index + 1);
        }
        self.put_on_floor(&mut pose);
        pose
    }

    /// Lifts or lowers everything below the root by what the soles are off the floor.
    fn put_on_floor(&self, pose: &mut Pose) {
        let height = |at: &dyn Fn(usize, &Vec3) -> Vec3| {
            let points = self.soles.iter().flat_map(|sole| &sole.points);
            let heights = points.map(|point| {
                point
                    .weights
                    .iter()
                    .map(|&(joint, weight)| weight * at(joint, &point.position).y)
                    .sum::<f64>()
            });
            heights.fold(f64::INFINITY, f64::min)
        };
        let at_rest = height(&|_, point| *point);
        let now = height(&|joint, point| {
            let own = self.joints[joint].rest.inverse() * nalgebra::Point3::from(*point);
            pose.positions[joint] + pose.rotations[joint] * own.coords
        });
        let lift = at_rest - now;
        if lift.is_finite() {
            pose.positions.iter_mut().skip(1).for_each(|place| place.y += lift);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{RigSole, SolePoint};

    #[test]
    fn arms_are_level_legs_are_straight_and_soles_on_the_floor() {
        let human = crate::io::skeleton_file::read(crate::skeleton::built_in()[0].text).unwrap();
        let mut positions: Vec<Vec3> = human.joints.iter().map(|joint| joint.position).collect();
        // Arms half down, one knee bent.
        for (joint, position) in human.joints.iter().zip(&mut positions) {
            if joint.name.contains("Arm") || joint.name.contains("Hand") {
                position.y -= 0.8 * (position.x.abs() - 0.1).max(0.0);
            } else if joint.name == "LeftLowerLeg" {
                position.z += 0.05;
            }
        }
        let rest = crate::skin::rest::rest_joints(&human, &positions);
        let foot = rest.joints.iter().position(|joint| joint.name == "LeftFoot").unwrap();
        let heel = rest.joints[foot].rest.translation.vector.component_mul(&Vec3::new(1.0, 0.0, 1.0));
        let point = SolePoint { position: heel, weights: vec![(foot, 1.0)] };
        let rig =
            Rig { joints: rest.joints, tips: Vec::new(), soles: vec![RigSole { foot, points: vec![point] }] };
        let pose = rig.t_pose();
        let at = |name: &str| pose.positions[rig.find(name).unwrap()];
        let arm = at("LeftHand") - at("LeftUpperArm");
        assert!(arm.x > 0.1 && arm.y.abs() < 1e-9 && arm.z.abs() < 1e-9, "{arm}");
        let leg = at("LeftFoot") - at("LeftUpperLeg");
        assert!(leg.x.abs() < 1e-9 && leg.z.abs() < 1e-9 && leg.y < -0.2, "{leg}");
        let own = rig.joints[foot].rest.inverse() * nalgebra::Point3::from(heel);
        let heel = pose.positions[foot] + pose.rotations[foot] * own.coords;
        assert!(heel.y.abs() < 1e-9, "{heel}");
        for joint in 1..rig.joints.len() {
            let parent = rig.joints[joint].parent.unwrap();
            let length = |places: [Vec3; 2]| (places[0] - places[1]).norm();
            let before = length([joint, parent].map(|j| rig.joints[j].rest.translation.vector));
            let after = length([joint, parent].map(|j| pose.positions[j]));
            // The hips alone are lifted off the root.
            assert!(parent == 0 || (before - after).abs() < 1e-9, "{}", rig.joints[joint].name);
        }
    }
}
