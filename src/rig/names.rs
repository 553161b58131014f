//! What joints are called by those who will use them.

use super::{Rig, RigJoint, Tip, TwistFrom};
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

    /// The name of a twist joint: the bone by the name of its joint, and its number of so many, counted from that joint.
    pub fn twist_name(self, bone: &str, [number, count]: [usize; 2], from: TwistFrom) -> String {
        let base = self.name(bone).unwrap_or_else(|| bone.to_owned());
        if self != NameStyle::Unreal {
            return format!("{base}Twist{number}");
        }
        // Counted from the end that twists.
        let number = if from == TwistFrom::Above { number } else { count + 1 - number };
        before_side(&base, &format!("_twist_{number:02}"))
    }

    /// The name of the muscle on a bone, by the name of its joint.
    pub fn muscle_name(self, bone: &str) -> String {
        let base = self.name(bone).unwrap_or_else(|| bone.to_owned());
        if self == NameStyle::Unreal { before_side(&base, "_muscle") } else { format!("{base}Muscle") }
    }

    /// The name of the half joint at a joint.
    pub fn half_name(self, joint: &str) -> String {
        let base = self.name(joint).unwrap_or_else(|| joint.to_owned());
        if self == NameStyle::Unreal { before_side(&base, "_half") } else { format!("{base}Half") }
    }
}

/// A name of Unreal with a word in front of its side.
fn before_side(name: &str, word: &str) -> String {
    match name.rfind("_l").or(name.rfind("_r")).filter(|&side| side + 2 == name.len()) {
        Some(side) => format!("{}{word}{}", &name[..side], &name[side..]),
        None => format!("{name}{word}"),
    }
}

impl Rig {
    /// Calls the joints of a person by another convention; animals, whose joints no convention names, keep theirs. Returns the
    /// convention that they have afterwards. Helpers come later, with names of their own.
    pub fn rename(&mut self, style: NameStyle) -> NameStyle {
        let names: Option<Vec<String>> = self.joints.iter().map(|joint| style.name(&joint.name)).collect();
        let Some(names) = names else { return NameStyle::Plain };
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
        style
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

    #[test]
    fn helpers_are_called_as_each_convention_does() {
        let twist = |style: NameStyle, bone, number, from| style.twist_name(bone, [number, 2], from);
        let (arm, forearm) = ("LeftUpperArm", "RightLowerArm");
        let (above, below) = (TwistFrom::Above, TwistFrom::Below);
        assert_eq!(twist(NameStyle::Godot, arm, 1, above), "LeftUpperArmTwist1");
        assert_eq!(twist(NameStyle::Vrm, arm, 2, above), "leftUpperArmTwist2");
        assert_eq!(twist(NameStyle::Mixamo, forearm, 1, below), "mixamorig:RightForeArmTwist1");
        assert_eq!(twist(NameStyle::Unreal, arm, 1, above), "upperarm_twist_01_l");
        assert_eq!(twist(NameStyle::Unreal, forearm, 1, below), "lowerarm_twist_02_r");
        assert_eq!(twist(NameStyle::Unreal, forearm, 2, below), "lowerarm_twist_01_r");
        assert_eq!(NameStyle::Unreal.half_name("LeftLowerArm"), "lowerarm_half_l");
        assert_eq!(NameStyle::Unity.half_name("LeftLowerArm"), "LeftLowerArmHalf");
        assert_eq!(NameStyle::Plain.half_name("FrontLeftLowerLeg"), "FrontLeftLowerLegHalf");
    }
}
