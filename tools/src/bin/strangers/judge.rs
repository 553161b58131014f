//! Whether a rig is good, by the two readings of the independent evaluators.

use puppetry::Vec3;
use puppetry::stages::learn::Errors;
use puppetry::stages::skeleton::{Skeleton, Truth, anatomical_name};

/// How far the key joints of a rig are from where an artist put them.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// In heights.
    pub errors: Errors,
    /// By limb, in sizes of the body; `None` for people.
    pub by_limb: Option<Errors>,
}

impl Verdict {
    /// Of joints in the coordinates of the character's file.
    pub fn of(skeleton: &Skeleton, positions: &[Vec3], truth: &Truth) -> Verdict {
        let by_limb = (truth.morphology == "quadruped").then(|| limb_errors(skeleton, positions, truth));
        Verdict { errors: Errors::of(skeleton, positions, truth), by_limb }
    }

    /// Whether it passes, joint by joint.
    pub fn is_strict_pass(&self) -> bool {
        self.errors.pass()
    }

    /// Whether it passes by the fair reading: by limb for animals.
    pub fn is_pass(&self) -> bool {
        self.by_limb.as_ref().unwrap_or(&self.errors).pass()
    }

    /// The mean error of the fair reading.
    pub fn mean(&self) -> f64 {
        self.by_limb.as_ref().unwrap_or(&self.errors).mean()
    }
}

/// A leg reaches this part of the height below its lowest true joint.
const BELOW: f64 = 0.03;
/// The size of an animal: the larger of its height and this part of the diagonal of its joints' box.
const DIAGONAL: f64 = 0.8;

/// Artists put hips, knees and hocks of animals along the leg by habit: a joint of a leg is judged by its distance to the artist's chain
/// of that leg, continued to the ground.
fn limb_errors(skeleton: &Skeleton, positions: &[Vec3], truth: &Truth) -> Errors {
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
        let verdict = Verdict::of(&skeleton, &positions, &truth);
        let by_limb: BTreeMap<String, f64> = verdict.by_limb.unwrap().0.into_iter().collect();
        assert!(by_limb["back_left_knee"] < 1e-9, "along the thigh");
        assert!((by_limb["back_left_hip"] - 0.1).abs() < 1e-9, "above it");
        assert!(verdict.errors.0.iter().any(|(name, error)| name == "back_left_knee" && *error > 0.2));
    }
}
