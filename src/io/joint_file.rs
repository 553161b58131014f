//! Manual joint positions: a JSON document whose object `joints` maps names to `[x, y, z]`, in the
//! coordinates of the mesh file.
//!
//! Rig files have that object too, and a second one, `tips`, with the ends of limbs, so that a joint can be dragged in one
//! and read again. Everything else in the document is ignored.

use super::json_item::Item;
use super::json_text::parse;
use super::rig_file::point;
use super::{Fault, Problem};
use crate::math::Vec3;
use serde_json::Value;

/// Reads the joints in the order of the file, and then the tips.
///
/// # Errors
/// A `Fault` for what is not JSON, without joints, or has positions that are not three finite numbers. A joint that is
/// `null` counts as absent.
pub fn read(bytes: &[u8]) -> Result<Vec<(String, Vec3)>, Fault> {
    let document = parse(bytes)?;
    let root = Item::root(&document);
    let Some(joints) = root.get("joints").filter(|joints| joints.value.is_object()) else {
        let expected = "an object \"joints\" of names and positions";
        return Err(Fault::json("", Problem::Syntax { expected, found: kind(&document).into() }));
    };
    let mut manual = Vec::new();
    for list in [Some(joints), root.get("tips")].into_iter().flatten() {
        for name in list.value.as_object().into_iter().flat_map(|members| members.keys()) {
            if let Some(position) = list.get(name) {
                manual.push((name.clone(), point(&position)?));
            }
        }
    }
    Ok(manual)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "an object without it",
        Value::Array(_) => "a list",
        _ => "a single value",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_are_read_and_the_rest_is_ignored() {
        let joints = read(br#"{"height": 2, "joints": {"hips": [0, 1.5, -2e-1], "toe": null}}"#).unwrap();
        assert_eq!(joints, [("hips".to_owned(), Vec3::new(0.0, 1.5, -0.2))]);
        let with_tips = read(br#"{"tips": {"HeadTop": [0, 2, 0]}, "joints": {}}"#).unwrap();
        assert_eq!(with_tips, [("HeadTop".to_owned(), Vec3::new(0.0, 2.0, 0.0))]);
    }

    #[test]
    fn every_fault_says_where() {
        for (text, place) in [
            ("{", ", line 1"),
            ("[]", ", at the top level"),
            (r#"{"joints": 3}"#, ", at the top level"),
            (r#"{"joints": {"hips": [1, 2]}}"#, ", at /joints/hips"),
            (r#"{"joints": {"hips": [1, 2, "x"]}}"#, ", at /joints/hips"),
            (r#"{"joints": {}, "tips": {"toe": 1}}"#, ", at /tips/toe"),
        ] {
            assert_eq!(read(text.as_bytes()).unwrap_err().at.to_string(), place, "{text}");
        }
    }
}
