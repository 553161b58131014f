//! How far joints are from the true ones, and whether that is good enough.

use super::Label;
use crate::math::Vec3;
use crate::skeleton::{Skeleton, Truth, anatomical_name};

/// Every key joint within the first of these, in heights, and four of five within the second: then a rig passes.
const WITHIN: [f64; 2] = [0.12, 0.08];
/// An embedding is bad if it fails even with tolerances wider by this factor. In between it is neither good nor bad: its
/// joints are in the right limbs, and which of two such embeddings is nearer to an artist's habit is not for the penalties
/// to say.
const CLEARLY: f64 = 1.25;
/// Key joints without which nothing can be said.
const ENOUGH: usize = 5;

/// A leg reaches this part of the height below its lowest true joint.
const BELOW: f64 = 0.03;
/// The size of an animal: the larger of its height and this part of the diagonal of its joints' box.
const DIAGONAL: f64 = 0.8;

/// Distances of key joints from where they belong, in heights.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Errors(pub Vec<(String, f64)>);

impl Errors {
    /// Of the joints of a skeleton at positions in the coordinates of the character's file.
    pub fn of(skeleton: &Skeleton, positions: &[Vec3], truth: &Truth) -> Errors {
        let errors = positions.iter().enumerate().filter_map(|(joint, position)| {
            let name = anatomical_name(skeleton, joint)?;
            let error = (position - truth.joints.get(&name)?).norm() / truth.height;
            Some((name, error))
        });
        Errors(errors.collect())
    }

    /// Of an animal. Artists put hips, knees and hocks along the leg by habit: a joint of a leg is judged by its distance to
    /// the artist's chain of that leg, continued to the ground; lengths are in sizes of the animal.
    pub fn by_limb(skeleton: &Skeleton, positions: &[Vec3], truth: &Truth) -> Errors {
        let joints = truth.joints.values();
        let (low, high) = joints
            .fold((Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)), |(low, high), p| {
                (low.inf(p), high.sup(p))
            });
        let size = truth.height.max(DIAGONAL * (high - low).norm());
        let errors = positions.iter().enumerate().filter_map(|(joint, position)| {
            let name = anatomical_name(skeleton, joint)?;
            let own = truth.joints.get(&name)?;
            let distance = match leg_chain(&name, truth) {
                Some(mut chain) => {
                    let last = *chain.last()?;
                    chain.push(Vec3::new(last.x, low.y - BELOW * truth.height, last.z));
                    let distances =
                        chain.windows(2).map(|bone| distance_to_segment(position, &bone[0], &bone[1]));
                    distances.fold(f64::INFINITY, f64::min)
                }
                None => (position - own).norm(),
            };
            Some((name, distance / size))
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

/// The artist's joints of the leg of a joint, from the trunk down.
fn leg_chain(name: &str, truth: &Truth) -> Option<Vec<Vec3>> {
    let (leg, _) = name.rsplit_once('_')?;
    let parts: &[&str] = match name.split('_').next()? {
        "front" => &["shoulder", "elbow", "wrist"],
        "back" => &["hip", "knee", "ankle", "toe"],
        _ => return None,
    };
    let chain = parts.iter().filter_map(|part| truth.joints.get(&format!("{leg}_{part}")).copied());
    Some(chain.collect())
}

fn distance_to_segment(point: &Vec3, from: &Vec3, to: &Vec3) -> f64 {
    let along = to - from;
    let share =
        if along.norm_squared() > 0.0 { (point - from).dot(&along) / along.norm_squared() } else { 0.0 };
    (point - from - along * share.clamp(0.0, 1.0)).norm()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

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
    fn a_leg_is_judged_by_its_chain() {
        let joints = [
            ("back_left_hip", [0.1, 1.0, 0.0]),
            ("back_left_knee", [0.1, 0.5, 0.1]),
            ("hips", [0.0, 1.0, 0.0]),
        ];
        let joints: BTreeMap<String, Vec3> =
            joints.iter().map(|(name, position)| ((*name).to_owned(), Vec3::from(*position))).collect();
        let truth = Truth { height: 1.0, morphology: "quadruped".into(), family: String::new(), joints };
        let skeleton = Skeleton::quadruped();
        let positions: Vec<Vec3> = (0..skeleton.joints.len())
            .map(|joint| match anatomical_name(&skeleton, joint).as_deref() {
                Some("back_left_knee") => Vec3::new(0.1, 0.75, 0.05),
                Some("back_left_hip") => Vec3::new(0.1, 1.1, 0.0),
                _ => Vec3::new(0.0, 1.0, 0.0),
            })
            .collect();
        let by_limb: BTreeMap<String, f64> =
            Errors::by_limb(&skeleton, &positions, &truth).0.into_iter().collect();
        assert!(by_limb["back_left_knee"] < 1e-9, "along the thigh");
        assert!((by_limb["back_left_hip"] - 0.1).abs() < 1e-9, "above it");
        let strict = Errors::of(&skeleton, &positions, &truth);
        assert!(strict.0.iter().any(|(name, error)| name == "back_left_knee" && *error > 0.2));
    }
}
