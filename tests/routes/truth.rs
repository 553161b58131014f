//! The joints of the artists' own rigs, and how far ours are from them.

use puppetry::math::{Similarity, Vec3};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Joints under the names of the corpus, in the coordinates of the character's file.
#[derive(Debug, Clone)]
pub struct Truth {
    pub height: f64,
    pub is_quadruped: bool,
    pub joints: BTreeMap<String, Vec3>,
}

impl Truth {
    pub fn load(path: &Path) -> Truth {
        let text = std::fs::read_to_string(path).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let point = |value: &Value| {
            Vec3::from_iterator(value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()))
        };
        Truth {
            height: value["height"].as_f64().unwrap(),
            is_quadruped: value["morphology"] == "quadruped",
            joints: value["joints"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(name, at)| (name.clone(), point(at)))
                .collect(),
        }
    }
}

/// The folder of real characters, where it is there.
pub fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !folder.is_dir() {
        let _ =
            writeln!(std::io::stderr(), "skipped: there is no folder of real characters at ../shared/corpus");
        return None;
    }
    Some(folder)
}

/// Errors of the key joints in parts of the height.
pub struct Errors(pub Vec<(String, f64)>);

impl Errors {
    /// Of joints in the unit cube.
    pub fn of<'a>(
        joints: impl Iterator<Item = (&'a str, Vec3)>,
        skeleton: &str,
        truth: &Truth,
        unit_from_input: &Similarity,
    ) -> Errors {
        let input_from_unit = unit_from_input.inverse();
        let errors = joints.filter_map(|(name, position)| {
            let name = corpus_name(name, skeleton)?;
            let place = input_from_unit.transform_point(&position.into()).coords;
            let error = (place - truth.joints.get(&name)?).norm() / truth.height;
            Some((name, error))
        });
        Errors(errors.collect())
    }

    pub fn mean(&self) -> f64 {
        self.0.iter().map(|(_, error)| error).sum::<f64>() / self.0.len().max(1) as f64
    }

    pub fn worst(&self) -> (&str, f64) {
        self.0
            .iter()
            .map(|(name, error)| (name.as_str(), *error))
            .fold(("", 0.0), |a, b| if b.1 > a.1 { b } else { a })
    }

    /// The rule for rigs: every key joint within 12 % of the height, four of five within 8 %.
    pub fn pass(&self) -> bool {
        let good = self.0.iter().filter(|(_, error)| *error <= 0.08).count();
        self.0.len() >= 5 && self.worst().1 <= 0.12 && good * 5 >= self.0.len() * 4
    }
}

/// The corpus's name of a key joint of our skeletons.
fn corpus_name(name: &str, skeleton: &str) -> Option<String> {
    let (part, joint) = ["FrontLeft", "FrontRight", "HindLeft", "HindRight", "Left", "Right"]
        .iter()
        .find_map(|part| name.strip_prefix(part).map(|joint| (*part, joint)))
        .unwrap_or(("", name));
    let joint = match (part.starts_with("Front"), skeleton, joint) {
        (.., "Hips" | "Neck" | "Head") => return Some(name.to_lowercase()),
        (.., "UpperArm") | (true, _, "UpperLeg") => "shoulder",
        (.., "LowerArm") | (true, _, "LowerLeg") => "elbow",
        (.., "Hand") | (true, _, "Foot") => "wrist",
        (false, _, "UpperLeg") => "hip",
        (false, _, "LowerLeg") => "knee",
        (false, "horse", "Hock") | (false, "human" | "quadruped", "Foot") => "ankle",
        _ => return None,
    };
    let part = match part {
        "FrontLeft" => "front_left",
        "FrontRight" => "front_right",
        "HindLeft" => "back_left",
        "HindRight" => "back_right",
        "Left" => "left",
        _ => "right",
    };
    Some(format!("{part}_{joint}"))
}
