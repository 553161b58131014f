//! Truth files: the joints of a character under canonical names, in the coordinates of its mesh file.

use super::json_item::Item;
use super::json_text::parse;
use super::{Fault, LoadError, load_with};
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
    let root = Item::root(&value);
    let height = root.member("height")?;
    let is_height = |height: &f64| *height > 0.0 && height.is_finite();
    let meters = height.value.as_f64().filter(is_height);
    let listed = root.member("joints")?;
    let mut joints = BTreeMap::new();
    match listed.value {
        // They are not known.
        Value::Null => {}
        Value::Object(members) => {
            for name in members.keys() {
                let position = listed.member(name)?.as_numbers::<3>("three numbers")?;
                joints.insert(name.clone(), position.into());
            }
        }
        _ => return Err(listed.expected("an object of joints")),
    }
    let word = |key: &str| root.text(key).map(str::trim);
    let source = word("source").and_then(|source| source.split([',', '(']).next());
    let family = word("family").or(source.map(str::trim)).filter(|family| !family.is_empty());
    Ok(Truth {
        height: meters.ok_or_else(|| height.expected("a height above zero"))?,
        morphology: word("morphology").unwrap_or("other").to_owned(),
        family: family.unwrap_or("unknown").to_owned(),
        joints,
    })
}

/// Reads a truth file from the disk.
pub fn load(path: &Path) -> Result<Truth, LoadError> {
    load_with(path, read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;

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
