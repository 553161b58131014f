//! Truth files: the joints of a character under canonical names, in the coordinates of its mesh file.

use super::json_text::{member, parse, unexpected};
use super::{Fault, LoadError, load_with};
use crate::math::Vec3;
use crate::skeleton::Truth;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Reads a truth file: JSON with `height`, `joints`, and where they are known `morphology`, `family` and `source`. A
/// character without a `family` belongs to its source up to the first comma or bracket: its artist.
///
/// # Errors
/// When it is no JSON, or lacks the height or the joints.
pub fn read(bytes: &[u8]) -> Result<Truth, Fault> {
    let value = parse(bytes)?;
    let height = member(&value, "height").map_err(|problem| Fault::json("", problem))?;
    let height = height
        .as_f64()
        .filter(|height| *height > 0.0 && height.is_finite())
        .ok_or_else(|| Fault::json("/height", unexpected("a height above zero", height)))?;
    let mut joints = BTreeMap::new();
    match member(&value, "joints").map_err(|problem| Fault::json("", problem))? {
        // They are not known.
        Value::Null => {}
        Value::Object(listed) => {
            for (name, position) in listed {
                let position = point(position).ok_or_else(|| {
                    Fault::json(format!("/joints/{name}"), unexpected("three numbers", position))
                })?;
                joints.insert(name.clone(), position);
            }
        }
        other => return Err(Fault::json("/joints", unexpected("an object of joints", other))),
    }
    let source = word(&value, "source").and_then(|source| source.split([',', '(']).next());
    let family = word(&value, "family").or(source.map(str::trim)).filter(|family| !family.is_empty());
    Ok(Truth {
        height,
        morphology: word(&value, "morphology").unwrap_or("other").to_owned(),
        family: family.unwrap_or("unknown").to_owned(),
        joints,
    })
}

fn word<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str).map(str::trim)
}

fn point(position: &Value) -> Option<Vec3> {
    let numbers: Vec<f64> = position.as_array()?.iter().map(Value::as_f64).collect::<Option<_>>()?;
    let [x, y, z] = numbers[..] else { return None };
    Some(Vec3::new(x, y, z))
}

/// Reads a truth file from the disk.
///
/// # Errors
/// A [`LoadError`] with the file, the location in it and the reason.
pub fn load(path: &Path) -> Result<Truth, LoadError> {
    load_with(path, read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_given_or_the_first_of_the_source() {
        let of = |more: &str| {
            read(format!(r#"{{"height": 1.5, "joints": {{"hips": [0, 1, 0]}}{more}}}"#).as_bytes()).unwrap()
        };
        assert_eq!(of("").family, "unknown");
        assert_eq!(of(r#", "source": "Somebody, a pack of things (2019)""#).family, "Somebody");
        assert_eq!(of(r#", "source": "a", "family": "troll""#).family, "troll");
        assert_eq!(of(r#", "morphology": "biped""#).morphology, "biped");
        assert_eq!(of("").joints["hips"], Vec3::y());
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("", "empty"),
            ("[]", "height"),
            (r#"{"height": 0, "joints": {}}"#, "above zero"),
            (r#"{"height": 1, "joints": []}"#, "an object"),
            (r#"{"height": 1, "joints": {"hips": [1, 2]}}"#, "three numbers"),
        ] {
            let fault = read(text.as_bytes()).unwrap_err();
            assert!(fault.problem.to_string().contains(part), "{text}: {}", fault.problem);
        }
    }
}
