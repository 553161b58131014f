//! Where the joints of a character are known to be.

use puppetry::Vec3;
use serde_json::Value;
use std::path::Path;

/// The truth file beside a character.
pub fn truth(character: &Path) -> Value {
    let text = std::fs::read_to_string(character.with_extension("truth.json")).expect("a truth file");
    serde_json::from_str(&text).expect("JSON")
}

/// Mean and largest distance of the key joints from where they belong, in percent of the height.
pub fn joint_errors(joints: &[(String, Vec3)], truth: &Value) -> (f64, f64) {
    let height = truth["height"].as_f64().unwrap();
    let has_hocks = joints.iter().any(|(name, _)| name.ends_with("Hock"));
    let errors: Vec<f64> = joints
        .iter()
        .filter_map(|(name, found)| {
            let known = point(truth["joints"].get(key_joint(name, has_hocks)?)?)?;
            Some(100.0 * (found - known).norm() / height)
        })
        .collect();
    assert!(errors.len() >= 5, "{} joints are known", errors.len());
    (errors.iter().sum::<f64>() / errors.len() as f64, errors.iter().copied().fold(0.0, f64::max))
}

/// The joints of the report of `puppetry rig`.
pub fn reported_joints(report: &Value) -> Vec<(String, Vec3)> {
    let joints = report["joints"].as_object().unwrap().iter();
    joints.filter_map(|(name, joint)| Some((name.clone(), point(&joint["position"])?))).collect()
}

fn point(value: &Value) -> Option<Vec3> {
    let numbers: Option<Vec<f64>> = value.as_array()?.iter().map(Value::as_f64).collect();
    Some(Vec3::from_column_slice(&numbers?))
}

/// The name of a key joint in a truth file.
fn key_joint(name: &str, has_hocks: bool) -> Option<String> {
    let sides = [
        ("FrontLeft", "front_left"),
        ("FrontRight", "front_right"),
        ("HindLeft", "back_left"),
        ("HindRight", "back_right"),
        ("Left", "left"),
        ("Right", "right"),
    ];
    let side = sides.iter().find_map(|(ours, side)| Some((*side, name.strip_prefix(ours)?)));
    let Some((side, joint)) = side else {
        return matches!(name, "Hips" | "Neck" | "Head").then(|| name.to_lowercase());
    };
    let joint = match (side.starts_with("front"), joint) {
        (_, "UpperArm") | (true, "UpperLeg") => "shoulder",
        (_, "LowerArm") | (true, "LowerLeg") => "elbow",
        (_, "Hand") | (true, "Foot") => "wrist",
        (false, "UpperLeg") => "hip",
        (false, "LowerLeg") => "knee",
        (false, "Hock") => "ankle",
        (false, "Foot") if !has_hocks => "ankle",
        _ => return None,
    };
    Some(format!("{side}_{joint}"))
}
