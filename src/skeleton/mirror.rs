//! The two sides of a skeleton that does not name them.

use super::Skeleton;
use crate::math::{Bounds, Vec3};

/// Joints this near to the plane x = 0, in parts of the height, belong to the middle of the body.
pub const CENTRAL: f64 = 0.01;
/// A joint's mirror image is no farther than this from its partner, in parts of the height.
const NEAR: f64 = 0.02;
/// Leaves below this part of the height are feet.
const LOW: f64 = 0.12;

/// Finds partners and feet by the rest pose, in a skeleton none of whose joints has a partner: a list of joints says only
/// where they are.
pub fn find_sides(skeleton: &mut Skeleton) {
    if skeleton.joints.iter().any(|joint| joint.partner.is_some()) {
        return;
    }
    let joints = &skeleton.joints;
    let mut partners: Vec<Option<usize>> = vec![None; joints.len()];
    for joint in 0..joints.len() {
        let position = joints[joint].position;
        if partners[joint].is_some() || position.x.abs() < CENTRAL {
            continue;
        }
        let image = Vec3::new(-position.x, position.y, position.z);
        let parent = joints[joint].parent;
        let other_parent = parent.map(|parent| partners[parent].unwrap_or(parent));
        let distance = |other: usize| (joints[other].position - image).norm();
        let partner = (0..joints.len())
            .filter(|&other| other != joint && partners[other].is_none())
            .filter(|&other| joints[other].parent == other_parent && distance(other) < NEAR)
            .min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        if let Some(partner) = partner {
            (partners[joint], partners[partner]) = (Some(partner), Some(joint));
        }
    }
    let is_leaf: Vec<bool> = joints.children().iter().map(Vec::is_empty).collect();
    for (joint, data) in skeleton.joints.iter_mut().enumerate() {
        data.partner = partners[joint];
        data.is_foot |= is_leaf[joint] && partners[joint].is_some() && data.position.y < LOW;
    }
}

/// Whether the two sides are mirror images of each other where the joints stand at `positions`: about a plane across x, to a
/// ten-thousandth of the size, which is what files are rounded to. Not so for a skeleton without sides.
pub fn is_mirrored(skeleton: &Skeleton, positions: &[Vec3]) -> bool {
    let pairs = skeleton.joints.iter().enumerate().filter_map(|(joint, data)| Some((joint, data.partner?)));
    let pairs: Vec<(Vec3, Vec3)> = pairs.map(|(a, b)| (positions[a], positions[b])).collect();
    let plane = pairs.iter().map(|(a, b)| 0.5 * (a.x + b.x)).sum::<f64>() / pairs.len() as f64;
    let rounding = 1e-4 * Bounds::of(positions).diagonal();
    let is_image = |(a, b): &(Vec3, Vec3)| (Vec3::new(2.0 * plane - b.x, b.y, b.z) - a).norm() <= rounding;
    !pairs.is_empty() && pairs.iter().all(is_image)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    #[test]
    fn the_sides_of_the_built_in_skeletons_are_found_again() {
        for file in built_in() {
            let named = skeleton_file::read(file.text).unwrap();
            let mut bare = named.clone();
            for joint in &mut bare.joints {
                (joint.partner, joint.is_foot) = (None, false);
            }
            find_sides(&mut bare);
            assert_eq!(bare, named, "{}", file.name);
        }
    }

    #[test]
    fn one_sided_joints_stay_alone_and_named_sides_as_they_are() {
        let text = "puppetry-skeleton 1\nname a\njoint a - 0 0 0\njoint b a 0.3 0.5 0\njoint c a -0.3 0.8 0";
        let mut skeleton = skeleton_file::read(text).unwrap();
        find_sides(&mut skeleton);
        assert!(skeleton.joints.iter().all(|joint| joint.partner.is_none()));
        let mut human = Skeleton::human();
        let before = human.clone();
        human.joints[1].position.x = 0.3;
        find_sides(&mut human);
        assert_eq!(human.joints[1].partner, before.joints[1].partner);
    }

    #[test]
    fn sides_that_are_moved_alike_are_mirrored_and_one_that_is_dragged_is_not() {
        let human = Skeleton::human();
        let mut positions = human.positions();
        positions.iter_mut().for_each(|position| *position += Vec3::new(3.0, 1.0, 0.0));
        assert!(is_mirrored(&human, &positions));
        positions[human.find("LeftHand").unwrap()].z += 0.01;
        assert!(!is_mirrored(&human, &positions));
        assert!(!is_mirrored(&Skeleton { joints: Default::default(), ..human }, &[]));
    }
}
