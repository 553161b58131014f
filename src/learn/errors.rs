//! How far joints are from the true ones, and whether that is good enough.

use super::Label;
use crate::math::Vec3;
use crate::skeleton::naming::{Limb, Role, Segment, Side};
use crate::skeleton::{Skeleton, Truth};

/// Every key joint within the first of these, in heights, and four of five within the second: then a rig passes.
const WITHIN: [f64; 2] = [0.12, 0.08];
/// An embedding is bad if it fails even with tolerances wider by this factor. In between it is neither good nor bad: its
/// joints are in the right limbs, and which of two such embeddings is nearer to an artist's habit is not for the penalties
/// to say.
const CLEARLY: f64 = 1.25;
/// Key joints without which nothing can be said.
const ENOUGH: usize = 5;

/// Distances of key joints from where they belong, in heights.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Errors(pub Vec<(String, f64)>);

impl Errors {
    /// Of the joints of a skeleton at positions in the coordinates of the character's file.
    pub fn of(skeleton: &Skeleton, positions: &[Vec3], truth: &Truth) -> Errors {
        let errors = positions.iter().enumerate().filter_map(|(joint, position)| {
            let name = canonical_name(skeleton, joint)?;
            let error = (position - truth.joints.get(&name)?).norm() / truth.height;
            Some((name, error))
        });
        Errors(errors.collect())
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.0.iter().map(|(_, error)| error).sum::<f64>() / self.0.len().max(1) as f64
    }

    /// The largest, and its joint.
    pub fn worst(&self) -> (&str, f64) {
        let all = self.0.iter().map(|(name, error)| (name.as_str(), *error));
        all.fold(("", 0.0), |a, b| if b.1 > a.1 { b } else { a })
    }

    /// Whether a rig with these errors is a good one.
    pub fn pass(&self) -> bool {
        self.pass_with(1.0)
    }

    /// What an embedding with these errors is an example of.
    pub fn label(&self) -> Label {
        match (self.pass(), self.pass_with(CLEARLY)) {
            _ if self.0.len() < ENOUGH => Label::Unsure,
            (true, _) => Label::Good,
            (false, true) => Label::Unsure,
            (false, false) => Label::Bad,
        }
    }

    fn pass_with(&self, factor: f64) -> bool {
        let near = self.0.iter().filter(|(_, error)| *error <= factor * WITHIN[1]).count();
        self.0.len() >= ENOUGH && self.worst().1 <= factor * WITHIN[0] && near * 5 >= self.0.len() * 4
    }
}

/// The canonical name of a key joint. Where the hind legs of a skeleton have hocks, these are the ankles.
pub fn canonical_name(skeleton: &Skeleton, joint: usize) -> Option<String> {
    let role = skeleton.joints[joint].role.filter(|&role| skeleton.find_role(role) == Some(joint))?;
    let Role::Limb(limb, side, segment) = role else {
        return matches!(role, Role::Hips | Role::Neck | Role::Head).then(|| role.to_string().to_lowercase());
    };
    let [has_forelegs, has_hocks] = [(Limb::FrontLeg, Segment::Upper), (Limb::Leg, Segment::Hock)]
        .map(|(limb, segment)| skeleton.find_role(Role::Limb(limb, side, segment)).is_some());
    let pair = match limb {
        Limb::Arm => "",
        Limb::FrontLeg => "front_",
        Limb::Leg if has_forelegs => "back_",
        Limb::Leg => "",
    };
    let name = match (limb, segment) {
        (Limb::Arm | Limb::FrontLeg, Segment::Upper) => "shoulder",
        (Limb::Arm | Limb::FrontLeg, Segment::Lower) => "elbow",
        (Limb::Arm | Limb::FrontLeg, Segment::End) => "wrist",
        (Limb::Leg, Segment::Upper) => "hip",
        (Limb::Leg, Segment::Lower) => "knee",
        (Limb::Leg, Segment::Hock) => "ankle",
        (Limb::Leg, Segment::End) if !has_hocks => "ankle",
        _ => return None,
    };
    let side = if side == Side::Left { "left" } else { "right" };
    Some(format!("{pair}{side}_{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    fn errors(all: &[f64]) -> Errors {
        Errors(all.iter().map(|&error| (String::new(), error)).collect())
    }

    #[test]
    fn the_rule_has_two_limits_and_a_zone_between_good_and_bad() {
        assert_eq!(errors(&[0.08, 0.08, 0.08, 0.08, 0.12]).label(), Label::Good);
        assert_eq!(errors(&[0.08, 0.08, 0.08, 0.08, 0.13]).label(), Label::Unsure);
        assert_eq!(errors(&[0.08, 0.08, 0.08, 0.09, 0.09]).label(), Label::Unsure);
        assert_eq!(errors(&[0.01, 0.01, 0.01, 0.01, 0.16]).label(), Label::Bad);
        assert_eq!(errors(&[0.01; 4]).label(), Label::Unsure, "too few joints say nothing");
        assert_eq!(errors(&[0.01, 0.03, 0.02]).worst().1, 0.03);
    }

    #[test]
    fn key_joints_have_canonical_names() {
        for (file, name, canonical) in [
            ("human", "Hips", Some("hips")),
            ("human", "LeftUpperArm", Some("left_shoulder")),
            ("human", "RightFoot", Some("right_ankle")),
            ("human", "LeftToes", None),
            ("horse", "FrontRightFoot", Some("front_right_wrist")),
            ("horse", "HindLeftHock", Some("back_left_ankle")),
            ("horse", "HindLeftFoot", None),
            ("quadruped", "HindLeftFoot", Some("back_left_ankle")),
            ("quadruped", "Tail", None),
            ("centaur", "LeftHand", Some("left_wrist")),
        ] {
            let text = built_in().iter().find(|skeleton| skeleton.name == file).unwrap().text;
            let skeleton = skeleton_file::read(text).unwrap();
            let joint = skeleton.find(name).unwrap();
            assert_eq!(canonical_name(&skeleton, joint).as_deref(), canonical, "{name}");
        }
    }
}
