//! What VRM says about a character: which node is which bone of a person, and where that faces.

use crate::io::json_item::Item;
use crate::math::Axis;
use crate::skeleton::human_bones::{human_role, human_role_of_old};
use crate::skeleton::naming::Role;

/// The extension of a VRM file.
pub(super) struct Vrm<'a> {
    extension: Item<'a>,
    version: Version,
}

/// Versions differ in the direction of the character and in how the table of bones is written.
#[derive(Clone, Copy, PartialEq)]
enum Version {
    /// 0.x
    Zero,
    /// 1.0
    One,
}

impl<'a> Vrm<'a> {
    /// `None` for other glTF files.
    pub fn of(root: &Item<'a>) -> Option<Vrm<'a>> {
        let versions = [("VRMC_vrm", Version::One), ("VRM", Version::Zero)];
        versions
            .into_iter()
            .find_map(|(name, version)| root.extension(name).map(|extension| Vrm { extension, version }))
    }

    /// Where the character faces.
    pub fn front(&self) -> Axis {
        match self.version {
            Version::Zero => Axis::NegZ,
            Version::One => Axis::PosZ,
        }
    }

    /// Nodes with their roles. What is wrong in the table counts as absent: names and shape tell it too.
    pub fn roles(&self) -> Vec<(usize, Role)> {
        let Some(bones) = self.extension.get("humanoid").and_then(|humanoid| humanoid.get("humanBones"))
        else {
            return Vec::new();
        };
        let named: Vec<(&str, Item)> = match bones.value.as_object() {
            Some(members) => {
                members.keys().filter_map(|name| Some((name.as_str(), bones.get(name)?))).collect()
            }
            None => {
                let list = bones.value.as_array().into_iter().flatten();
                list.filter_map(|bone| Some((bone.get("bone")?.as_str()?, Item::root(bone)))).collect()
            }
        };
        let role = match self.version {
            Version::Zero => human_role_of_old,
            Version::One => human_role,
        };
        let roles = named.into_iter();
        roles.filter_map(|(name, bone)| Some((bone.whole_number("node").ok()??, role(name)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::naming::{Finger, Limb, Segment, Side};
    use serde_json::{Value, json};

    fn roles(document: &Value) -> Vec<(usize, Role)> {
        Vrm::of(&Item::root(document)).unwrap().roles()
    }

    #[test]
    fn both_versions_have_a_table_of_bones() {
        let hand = Role::Limb(Limb::Arm, Side::Left, Segment::End);
        let one = json!({ "extensions": { "VRMC_vrm": { "humanoid": { "humanBones": {
            "hips": { "node": 3 }, "leftHand": { "node": 7 }, "leftEye": { "node": 8 },
            "leftThumbProximal": { "node": 9 },
        } } } } });
        let thumb = |phalanx| Role::Finger(Side::Left, Finger::Thumb, phalanx);
        assert_eq!(roles(&one), [(3, Role::Hips), (7, hand), (9, thumb(2))]);
        let zero = json!({ "extensions": { "VRM": { "humanoid": { "humanBones": [
            { "bone": "hips", "node": 3 }, { "bone": "leftHand", "node": 7 }, { "node": 1 }, { "bone": "head", "node": -1 },
            { "bone": "leftThumbProximal", "node": 9 },
        ] } } } });
        assert_eq!(roles(&zero), [(3, Role::Hips), (7, hand), (9, thumb(1))]);
        assert!(roles(&json!({ "extensions": { "VRM": 7 } })).is_empty());
        let front = |document: &Value| Vrm::of(&Item::root(document)).map(|vrm| vrm.front());
        assert_eq!(
            [front(&zero), front(&one), front(&json!({}))],
            [Some(Axis::NegZ), Some(Axis::PosZ), None]
        );
    }
}
