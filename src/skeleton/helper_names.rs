//! What names say of joints that follow others.

use super::naming::words;

/// How a joint follows others, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelperKind {
    /// It shares the twist of a bone.
    Twist,
    /// It rotates half as far as the joint at its place.
    Half,
}

/// What a name says: `upperarm_twist_01_l`, `LeftForeArmRoll`, `CC_Base_L_ElbowShareBone`.
pub fn helper_kind(name: &str) -> Option<HelperKind> {
    let words = words(name);
    let says = |any: &[&str]| words.iter().any(|word| any.contains(&word.as_str()));
    if says(&["twist", "roll"]) {
        return Some(HelperKind::Twist);
    }
    says(&["share", "half"]).then_some(HelperKind::Half)
}

/// Whether a joint only follows others, or is a muscle on them, as its name says.
pub fn is_follower(name: &str) -> bool {
    helper_kind(name).is_some() || words(name).iter().any(|word| word == "muscle")
}

/// Whether two joints are pieces of one bone: their names differ by a number only, as `DEF-forearm.L` and `DEF-forearm.L.001`.
pub fn is_piece_of(name: &str, whole: &str) -> bool {
    let said = |name: &str| -> Vec<String> {
        words(name).into_iter().filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit())).collect()
    };
    name != whole && said(name) == said(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_many_makers_are_understood() {
        let twists =
            ["upperarm_twist_01_l", "LeftForeArmRoll", "CC_Base_R_ForearmTwist02", "LeftUpperLegTwist1"];
        assert!(twists.iter().all(|name| helper_kind(name) == Some(HelperKind::Twist)));
        let halves = ["CC_Base_L_ElbowShareBone", "lowerarm_half_l", "mixamorig:LeftForeArmHalf"];
        assert!(halves.iter().all(|name| helper_kind(name) == Some(HelperKind::Half)));
        assert!(["LeftForeArm", "Controller", "thigh_l"].iter().all(|name| helper_kind(name).is_none()));
        assert!(is_piece_of("DEF-forearm.L.001", "DEF-forearm.L"));
        assert!(
            !is_piece_of("DEF-forearm.L", "DEF-forearm.L") && !is_piece_of("DEF-hand.L", "DEF-forearm.L")
        );
    }
}
