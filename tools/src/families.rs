//! Families of characters: those of one artist or one rig, which are left out of what is fitted together.

use puppetry::stages::math::Random;
use serde_json::Value;

/// Packs by words of their source, for characters that name no family.
const PACKS: [(&str, &str); 12] = [
    ("Animal Pack Vol.2", "vol2"),
    ("Animated Men 2019", "men2019"),
    ("Animated Women 2019", "women2019"),
    ("Cyberpunk", "cyberpunk"),
    ("Easy Animated Enemies", "enemies"),
    ("Farm Animals", "farm2018"),
    ("Ultimate Animated Animals", "uaa"),
    ("Ultimate Modular Men", "modular_men"),
    ("Platformer Game Kit", "platformer"),
    ("Knight Character", "knight2018"),
    ("RobotExpressive", "robot_expressive"),
    ("Khronos", "khronos"),
];

/// The family of a character, by its truth file.
pub fn family_of(truth: &Value) -> String {
    let source = truth["source"].as_str().unwrap_or_default();
    let pack = PACKS.iter().find(|(words, _)| source.contains(words)).map(|(_, family)| *family);
    truth["family"].as_str().or(pack).unwrap_or(source).to_owned()
}

/// Families with the same first word have the same artist or rig.
fn group(family: &str) -> &str {
    family.split('_').next().unwrap_or(family)
}

/// Which of `count` folds a family is left out of.
pub fn fold_of(family: &str, count: usize) -> usize {
    Random::of_name(FOLDS, group(family)).index(count)
}

/// Seed of the folds: with it three folds have about as many people and animals each.
const FOLDS: u64 = 199;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_of_one_artist_are_left_out_together() {
        let truth = serde_json::json!({ "source": "Quaternius, Ultimate Modular Men (files)" });
        assert_eq!(family_of(&truth), "modular_men");
        assert_eq!(fold_of("modular_men", 3), fold_of("modular_women", 3));
    }
}
