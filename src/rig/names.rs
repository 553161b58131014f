//! What joints are called by those who will use them.

use super::{Rig, RigJoint, Tip};
use nalgebra::Isometry3;

/// A convention for the names of a person's joints. Animals have the same names in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NameStyle {
    /// Godot's humanoid profile, which is also what skeleton files use here.
    #[default]
    Godot,
    /// VRM: lowerCamelCase.
    Vrm,
    /// Unity's human body bones.
    Unity,
    /// Unreal's mannequin.
    Unreal,
    /// Mixamo, with its prefix and its end joints.
    Mixamo,
    /// The names of the skeleton file.
    Plain,
}

/// Our name, VRM, Unreal, Mixamo; sides are `Left` and `Right` in front of ours.
const CENTRAL: [[&str; 4]; 7] = [
    ["Root", "root", "root", "Root"],
    ["Hips", "hips", "pelvis", "Hips"],
    ["Spine", "spine", "spine_01", "Spine"],
    ["Chest", "chest", "spine_02", "Spine1"],
    ["UpperChest", "upperChest", "spine_03", "Spine2"],
    ["Neck", "neck", "neck_01", "Neck"],
    ["Head", "head", "head", "Head"],
];
const PAIRED: [[&str; 3]; 8] = [
    ["Shoulder", "clavicle", "Shoulder"],
    ["UpperArm", "upperarm", "Arm"],
    ["LowerArm", "lowerarm", "ForeArm"],
    ["Hand", "hand", "Hand"],
    ["UpperLeg", "thigh", "UpLeg"],
    ["LowerLeg", "calf", "Leg"],
    ["Foot", "foot", "Foot"],
    ["Toes", "ball", "ToeBase"],
];
/// Ends of bones that are joints in Mixamo.
const MIXAMO_ENDS: [(&str, &str); 3] =
    [("HeadTop", "HeadTop_End"), ("LeftToeTip", "LeftToe_End"), ("RightToeTip", "RightToe_End")];

impl NameStyle {
    /// The name of a joint in this convention; `None` for one that it does not know.
    pub fn name(self, joint: &str) -> Option<String> {
        let column = match self {
            NameStyle::Godot | NameStyle::Unity | NameStyle::Plain => return Some(joint.to_owned()),
            NameStyle::Vrm => 1,
            NameStyle::Unreal => 2,
            NameStyle::Mixamo => 3,
        };
        let prefix = if self == NameStyle::Mixamo { "mixamorig:" } else { "" };
        if let Some(row) = CENTRAL.iter().find(|row| row[0] == joint) {
            return Some(format!("{prefix}{}", row[column]));
        }
        let (is_left, rest) = match (joint.strip_prefix("Left"), joint.strip_prefix("Right")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return None,
        };
        let row = PAIRED.iter().find(|row| row[0] == rest)?;
        let side = if is_left { "Left" } else { "Right" };
        Some(match self {
            NameStyle::Vrm => format!("{}{rest}", side.to_lowercase()),
            NameStyle::Unreal => format!("{}_{}", row[1], if is_left { "l" } else { "r" }),
            _ => format!("{prefix}{side}{}", row[2]),
        })
    }
}

impl Rig {
    /// Calls the joints of a person by another convention; animals, whose joints no convention names, keep theirs.
    pub fn rename(&mut self, style: NameStyle) {
        let names: Option<Vec<String>> = self.joints.iter().map(|joint| style.name(&joint.name)).collect();
        let Some(names) = names else { return };
        for (joint, name) in self.joints.iter_mut().zip(names) {
            joint.name = name;
        }
        if style == NameStyle::Mixamo {
            let mixamo = |tip: &Tip| MIXAMO_ENDS.iter().find(|(ours, _)| *ours == tip.name);
            for (tip, (_, name)) in self.tips.iter().filter_map(|tip| Some((tip, mixamo(tip)?))) {
                let rotation = self.joints[tip.joint].rest.rotation;
                let rest = Isometry3::from_parts(tip.position.into(), rotation);
                let (name, parent) = (format!("mixamorig:{name}"), Some(tip.joint));
                self.joints.push(RigJoint { name, parent, rest });
            }
            self.tips.retain(|tip| mixamo(tip).is_none());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_joint_of_a_person_has_a_name_of_its_own_everywhere() {
        let human = crate::Skeleton::human();
        let joints = human.joints.iter().filter(|joint| !joint.is_tip);
        let ours: Vec<String> =
            std::iter::once("Root".to_owned()).chain(joints.map(|joint| joint.name.clone())).collect();
        for style in [NameStyle::Vrm, NameStyle::Unreal, NameStyle::Mixamo, NameStyle::Unity] {
            let mut names: Vec<String> = ours.iter().map(|name| style.name(name).unwrap()).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), 23, "{style:?}");
        }
        assert_eq!(NameStyle::Unreal.name("LeftToes").unwrap(), "ball_l");
        assert_eq!(NameStyle::Mixamo.name("RightLowerLeg").unwrap(), "mixamorig:RightLeg");
        assert_eq!(NameStyle::Vrm.name("RightUpperArm").unwrap(), "rightUpperArm");
        assert_eq!(NameStyle::Vrm.name("FrontLeftFoot"), None);
    }
}
