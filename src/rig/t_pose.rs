use super::{HelperDriver, Rig, lowest};
use crate::math::{Quat, Vec3};
use crate::motion::Pose;

const LEFT: Vec3 = Vec3::new(1.0, 0.0, 0.0);
const RIGHT: Vec3 = Vec3::new(-1.0, 0.0, 0.0);
const DOWN: Vec3 = Vec3::new(0.0, -1.0, 0.0);
/// Bones of the left that have a direction in a T-pose, by their names in VRM, and the bone at their end; hands end in their
/// tips.
const STRAIGHT: [(&str, &str, Vec3); 5] = [
    ("leftUpperArm", "leftLowerArm", LEFT),
    ("leftLowerArm", "leftHand", LEFT),
    ("leftHand", "", LEFT),
    ("leftUpperLeg", "leftLowerLeg", DOWN),
    ("leftLowerLeg", "leftFoot", DOWN),
];
/// Bones that stand as they do at rest, whatever the bone above does: soles stay flat.
const KEPT: [&str; 2] = ["leftFoot", "rightFoot"];

impl Rig {
    /// The person standing with straight legs and arms stretched sideways, on the floor. `bones` are its joints by their names
    /// in VRM; what has no bones stands as it is.
    pub fn t_pose(&self, bones: &[(&str, usize)]) -> Pose {
        let joint_of = |name: &str| bones.iter().find(|(bone, _)| *bone == name).map(|(_, joint)| *joint);
        let position = |joint: usize| self.joints[joint].rest.translation.vector;
        let mut wanted: Vec<Option<(Vec3, Vec3)>> = vec![None; self.joints.len()];
        for ((bone, next, direction), side) in STRAIGHT.iter().flat_map(|row| [(row, "left"), (row, "right")])
        {
            let Some(joint) = joint_of(&bone.replace("left", side)) else { continue };
            let tip = || self.tips.iter().find(|tip| tip.joint == joint).map(|tip| tip.position);
            if let Some(end) = joint_of(&next.replace("left", side)).map(position).or_else(tip) {
                let is_mirrored = side == "right" && *direction == LEFT;
                wanted[joint] = Some((end - position(joint), if is_mirrored { RIGHT } else { *direction }));
            }
        }
        let kept: Vec<usize> = KEPT.iter().filter_map(|bone| joint_of(bone)).collect();
        // From the rest to the T-pose.
        let mut rotations: Vec<Quat> = Vec::new();
        let mut pose = Pose::default();
        for (index, joint) in self.joints.iter().enumerate() {
            let above = joint.parent.map_or(Quat::identity(), |parent| rotations[parent]);
            let rotation = match wanted[index] {
                Some((bone, direction)) => {
                    let rotation = Quat::rotation_between(&(above * bone), &direction);
                    rotation.unwrap_or_else(Quat::identity) * above
                }
                None if kept.contains(&index) => Quat::identity(),
                None => above,
            };
            pose.positions.push(match joint.parent {
                Some(parent) => {
                    pose.positions[parent] + rotations[parent] * (position(index) - position(parent))
                }
                None => position(index),
            });
            pose.rotations.push(rotation * joint.rest.rotation);
            rotations.push(rotation);
        }
        HelperDriver::of(self).drive(&mut pose);
        self.put_on_floor(&mut pose);
        pose
    }

    /// Lifts or lowers everything below the root by what the soles are off the floor.
    fn put_on_floor(&self, pose: &mut Pose) {
        let points = self.soles.iter().flat_map(|sole| &sole.points);
        let at_rest = points
            .map(|point| point.weights.iter().map(|(_, weight)| weight * point.position.y).sum::<f64>());
        let at_rest = at_rest.fold(f64::INFINITY, f64::min);
        let now = self.soles.iter().map(|sole| lowest(&sole.bound(self), pose)).fold(f64::INFINITY, f64::min);
        let lift = at_rest - now;
        if lift.is_finite() {
            // A root that stands on the floor stays there.
            let first = usize::from(self.joints.len() > 1 && pose.positions[0].y.abs() < 1e-6);
            pose.positions.iter_mut().skip(first).for_each(|position| position.y += lift);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{NameStyle, RigSole, SolePoint};

    #[test]
    fn arms_are_level_legs_are_straight_and_soles_on_the_floor() {
        let human = crate::Skeleton::human();
        let mut positions = human.positions();
        // One knee bent; the arms hang half down as it is.
        let knee = human.find("LeftLowerLeg").unwrap();
        positions[knee].z += 0.05;
        let rest = crate::rig::bind_pose(&human, &positions);
        let foot = rest.joints.iter().position(|joint| joint.name == "LeftFoot").unwrap();
        let heel = rest.joints[foot].rest.translation.vector.component_mul(&Vec3::new(1.0, 0.0, 1.0));
        let point = SolePoint { position: heel, weights: vec![(foot, 1.0)] };
        let soles = vec![RigSole { foot, points: vec![point] }];
        let rig = Rig { tips: Vec::new(), soles, ..rest.into_rig() };
        let names: Vec<String> =
            rig.joints.iter().map(|joint| NameStyle::Vrm.name(&joint.name).unwrap()).collect();
        let bones: Vec<(&str, usize)> =
            names.iter().enumerate().map(|(joint, name)| (name.as_str(), joint)).collect();
        let pose = rig.t_pose(&bones);
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
