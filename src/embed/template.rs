//! Rest poses and proportions in which a skeleton is tried.
//!
//! The original has one rest pose and one scale. Characters have arms stretched out, half lowered or hanging, and are
//! adults, children or chibis; costs are comparable across templates of the same joints and size, so the cheapest match
//! of several tells which one the character is. The best template is the one that [`landmarks`](super::landmarks) read
//! off the character itself. Not what the [`prior`](super::prior) expects: the search would find more by it (147 of 162 people
//! instead of 142, 31 of 69 animals instead of 25), but err where the prior errs, and their consensus with the landmarks finds
//! fewer (151 instead of 154, 37 instead of 39).

use super::body::{BodyFrame, HEIGHT};
use super::landmarks::Landmarks;
use crate::math::{Vec3, cos, sin};
use crate::skeleton::Skeleton;
use crate::skeleton::naming::{Limb, Role, Segment, Side};
use nalgebra::{Rotation3, Unit};

/// A skeleton in one of its poses, in body space.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    /// What a person reads in a report.
    pub name: String,
    /// The skeleton with other rest positions.
    pub skeleton: Skeleton,
}

/// Templates are smaller than the characters, because bones that are too short are punished and bones that are too
/// long are not. Between 0.45 and 1 the same characters of the corpus are found.
pub(super) const SIZE: f64 = 0.65;

/// Heights of hips, chest and neck in parts of the body's height, beside those of an adult.
const PROPORTIONS: [(&str, [f64; 3]); 2] = [("child", [0.36, 0.62, 0.68]), ("chibi", [0.20, 0.40, 0.46])];

/// Arms shorter than this, in heights, have no direction.
const NO_LENGTH: f64 = 1e-9;

/// How far the arms point below the horizontal, in degrees.
const ARMS: [f64; 3] = [0.0, 40.0, 75.0];

/// The templates of a skeleton that are to be tried on a character.
pub fn templates(skeleton: &Skeleton, frame: &BodyFrame, landmarks: Option<&Landmarks>) -> Vec<Template> {
    let mut templates = Vec::new();
    if let Some(skeleton) = landmarks.and_then(|landmarks| at_landmarks(skeleton, frame, landmarks)) {
        templates.push(Template { name: "as the landmarks".into(), skeleton });
    }
    if landmarks.is_some_and(|landmarks| landmarks.diagnostics.is_empty()) {
        // They are only checked: all ten searches take as long as everything else together.
        templates.push(Template { name: "as given".into(), skeleton: skeleton.clone() });
    } else {
        templates.extend(poses_and_proportions(skeleton));
    }
    for template in &mut templates {
        template.skeleton.joints.iter_mut().for_each(|joint| joint.position *= SIZE * HEIGHT);
    }
    templates
}

fn poses_and_proportions(skeleton: &Skeleton) -> Vec<Template> {
    let mut templates = Vec::new();
    let mut bodies = vec![(String::new(), skeleton.clone())];
    for (name, heights) in PROPORTIONS {
        bodies.extend(with_proportions(skeleton, heights).map(|body| (format!(", {name}"), body)));
    }
    for (proportions, body) in bodies {
        let poses: Vec<(String, Skeleton)> = ARMS
            .iter()
            .filter_map(|&degrees| {
                Some((format!("arms {degrees}° down{proportions}"), with_arms(&body, degrees)?))
            })
            .collect();
        if poses.is_empty() {
            templates.push(Template { name: format!("as given{proportions}"), skeleton: body });
        } else {
            templates.extend(poses.into_iter().map(|(name, skeleton)| Template { name, skeleton }));
        }
    }
    templates
}

/// The skeleton with its joints where the landmarks are; `None` if they are those of another skeleton.
fn at_landmarks(skeleton: &Skeleton, frame: &BodyFrame, landmarks: &Landmarks) -> Option<Skeleton> {
    let mut posed = skeleton.clone();
    for (joint, position) in posed.joints.iter_mut().zip(landmarks.positions(skeleton)?) {
        joint.position = frame.body_from_unit(&position) / HEIGHT;
    }
    Some(posed)
}

/// The skeleton of a standing person with other heights of hips, chest and neck; `None` for other skeletons.
fn with_proportions(skeleton: &Skeleton, heights: [f64; 3]) -> Option<Skeleton> {
    let hips = skeleton.find_role(Role::Hips)?;
    let chest = skeleton.with_role(Role::Spine).last()?;
    let neck = skeleton.find_role(Role::Neck)?;
    let mut knots = vec![(0.0, 0.0)];
    knots.extend(
        [hips, chest, neck].iter().zip(heights).map(|(&joint, y)| (skeleton.joints[joint].position.y, y)),
    );
    knots.push((1.0, 1.0));
    // A centaur's hips lie behind its chest, not below it.
    if skeleton.joints[hips].position.z != skeleton.joints[chest].position.z
        || !knots.is_sorted_by(|a, b| a.0 < b.0)
    {
        return None;
    }
    let mut body = skeleton.clone();
    for joint in &mut body.joints {
        let y = joint.position.y.clamp(0.0, 1.0);
        let above = knots.iter().position(|knot| y <= knot.0).unwrap_or(knots.len() - 1).max(1);
        let ((y0, to0), (y1, to1)) = (knots[above - 1], knots[above]);
        joint.position.y = to0 + (to1 - to0) * (y - y0) / (y1 - y0);
    }
    // Arms keep their lengths: what was said about heights is about the trunk.
    for side in [Side::Left, Side::Right] {
        let upper = skeleton.find_role(Role::Limb(Limb::Arm, side, Segment::Upper))?;
        let shift = body.joints[upper].position - skeleton.joints[upper].position;
        for joint in below(skeleton, upper) {
            body.joints[joint].position = skeleton.joints[joint].position + shift;
        }
    }
    Some(body)
}

/// The skeleton with its arms stretched out at an angle below the horizontal; `None` if it has no arms.
fn with_arms(skeleton: &Skeleton, degrees: f64) -> Option<Skeleton> {
    let mut posed = skeleton.clone();
    for (side, sign) in [(Side::Left, 1.0), (Side::Right, -1.0)] {
        let upper = skeleton.find_role(Role::Limb(Limb::Arm, side, Segment::Upper))?;
        let hand = skeleton.find_role(Role::Limb(Limb::Arm, side, Segment::End))?;
        let shoulder = skeleton.joints[upper].position;
        let angle = degrees.to_radians();
        let wanted = Vec3::new(sign * cos(angle), -sin(angle), 0.0);
        let now = Unit::try_new(skeleton.joints[hand].position - shoulder, NO_LENGTH)?;
        let rotation = Rotation3::rotation_between(&now, &wanted)?;
        for joint in below(skeleton, upper) {
            posed.joints[joint].position = shoulder + rotation * (skeleton.joints[joint].position - shoulder);
        }
    }
    Some(posed)
}

/// The joints below one.
fn below(skeleton: &Skeleton, top: usize) -> Vec<usize> {
    let mut is_below = vec![false; skeleton.joints.len()];
    for (index, joint) in skeleton.joints.iter().enumerate() {
        is_below[index] = joint.parent.is_some_and(|parent| parent == top || is_below[parent]);
    }
    (0..is_below.len()).filter(|&joint| is_below[joint]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    fn skeleton(name: &str) -> Skeleton {
        skeleton_file::read(built_in().iter().find(|file| file.name == name).unwrap().text).unwrap()
    }

    fn of(name: &str) -> Vec<Template> {
        templates(&skeleton(name), &BodyFrame { origin: Vec3::zeros(), height: 0.9 }, None)
    }

    #[test]
    fn a_person_is_tried_in_nine_ways_and_an_animal_in_one() {
        assert_eq!(of("human").len(), 9);
        assert_eq!(of("quadruped").len(), 1);
        assert_eq!(of("centaur").len(), 3);
    }

    #[test]
    fn arms_keep_their_length_and_point_where_they_should() {
        for template in of("human") {
            let at = |name: &str| template.skeleton.joints[template.skeleton.find(name).unwrap()].position;
            let arm = at("LeftHand") - at("LeftUpperArm");
            let expected: f64 = template.name.split(['°', ' ']).nth(1).unwrap().parse().unwrap();
            assert!((arm.y.atan2(arm.x).to_degrees() + expected).abs() < 1e-6, "{}", template.name);
            let mirrored = at("RightHandTip").component_mul(&Vec3::new(-1.0, 1.0, 1.0));
            assert!((mirrored - at("LeftHandTip")).norm() < 1e-12);
            let human = skeleton("human");
            let given = |name: &str| human.joints[human.find(name).unwrap()].position;
            let length = (given("LeftHand") - given("LeftUpperArm")).norm();
            assert!((arm.norm() - length * SIZE * HEIGHT).abs() < 1e-9);
        }
    }

    #[test]
    fn a_chibi_is_mostly_head() {
        let chibi = &of("human")[8].skeleton;
        let y = |name: &str| chibi.joints[chibi.find(name).unwrap()].position.y / (SIZE * HEIGHT);
        assert!((y("Hips") - 0.2).abs() < 1e-12 && (y("Neck") - 0.46).abs() < 1e-12 && y("HeadTop") == 1.0);
        assert!(y("LeftFoot") < 0.02 && y("LeftUpperLeg") < y("Hips"));
    }
}
