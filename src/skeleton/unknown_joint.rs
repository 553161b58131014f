//! What a person may have meant by a name that is no joint of a skeleton, or not clearly one.

use super::Skeleton;
use super::anatomy::{NamedJoints, closest_name, find_joint, has_forelegs, leg_word};
use super::naming::{parse_name, words};
use thiserror::Error;

/// A name that is no joint of a skeleton.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnknownJoint {
    /// It says too little: several joints could be meant.
    #[error("'{name}' is not clear on the skeleton '{skeleton}': {question}? Type {}", one_of(choices))]
    Unclear {
        /// The name.
        name: String,
        /// The skeleton.
        skeleton: String,
        /// What it does not say: the side, the pair of legs.
        question: &'static str,
        /// Names that do.
        choices: Vec<String>,
    },
    /// The skeleton has no such joint.
    #[error("the skeleton '{skeleton}' has no joint '{name}'; {known}")]
    Missing {
        /// The name.
        name: String,
        /// The skeleton.
        skeleton: String,
        /// The name that was probably meant, or those that it has, as a clause.
        known: String,
    },
}

impl UnknownJoint {
    fn of(skeleton: &Skeleton, name: &str) -> UnknownJoint {
        let choices = choices(skeleton, name);
        let (name, of_skeleton) = (name.to_owned(), skeleton.name.clone());
        match choices.as_slice() {
            [] => UnknownJoint::Missing { known: known_joints(skeleton, &name), name, skeleton: of_skeleton },
            [only] => {
                UnknownJoint::Missing { known: format!("did you mean {only}?"), name, skeleton: of_skeleton }
            }
            _ => {
                let question = question(&choices);
                UnknownJoint::Unclear { name, skeleton: of_skeleton, question, choices }
            }
        }
    }
}

/// A, B or C.
fn one_of(names: &[String]) -> String {
    match names {
        [names @ .., last] if !names.is_empty() => format!("{} or {last}", names.join(", ")),
        names => names.concat(),
    }
}

/// The joint of a skeleton that a name means.
///
/// # Errors
/// If it means none, or not clearly one.
pub fn resolve_joint(skeleton: &Skeleton, name: &str) -> Result<usize, UnknownJoint> {
    find_joint(skeleton, name).ok_or_else(|| UnknownJoint::of(skeleton, name))
}

/// The name that was probably meant, or those of all joints, as a clause.
fn known_joints(skeleton: &Skeleton, name: &str) -> String {
    if let Some(closest) = closest_name(skeleton, name) {
        return format!("did you mean {closest}?");
    }
    let names = skeleton.joints.iter().filter(|joint| !joint.is_tip).map(|joint| joint.name.as_str());
    format!("its joints are {}", names.collect::<Vec<_>>().join(", "))
}

const FRONT: &str = "front";
const HIND: &str = "hind";
/// Words that say which pair of legs.
const PAIRS: [&str; 5] = [FRONT, "fore", HIND, "back", "rear"];
const LEFT: &str = "left";
const RIGHT: &str = "right";

/// The joints that a name can mean if a side, or on an animal a pair of legs, is added: each as one can type it.
pub fn choices(skeleton: &impl NamedJoints, name: &str) -> Vec<String> {
    let typed = words(name);
    let has = |known: &[&str]| typed.iter().any(|word| known.contains(&word.as_str()));
    let has_side = has(&[LEFT, RIGHT]) || parse_name(name).is_some_and(|parts| parts.side.is_some());
    let sides: &[&str] = if has_side { &[""] } else { &[LEFT, RIGHT] };
    let is_paired = has_forelegs(skeleton) && !has(&PAIRS);
    let pairs: &[&str] = if is_paired { &["", FRONT, HIND] } else { &[""] };
    let mut found: Vec<(usize, String)> = Vec::new();
    for (pair, side) in pairs.iter().flat_map(|pair| sides.iter().map(move |side| (*pair, *side))) {
        let choice = with_words(&typed, pair, side);
        let joint = find_joint(skeleton, &choice);
        if let Some(joint) = joint.filter(|joint| found.iter().all(|(other, _)| other != joint)) {
            found.push((joint, choice));
        }
    }
    found.into_iter().map(|(_, choice)| choice).collect()
}

/// The words of a name behind a pair and a side. Hind legs have no elbows and wrists.
fn with_words(typed: &[String], pair: &str, side: &str) -> String {
    let own = typed.iter().map(|word| if pair == HIND { leg_word(word) } else { word });
    [pair, side].into_iter().filter(|word| !word.is_empty()).chain(own).collect::<Vec<_>>().join("_")
}

fn question(choices: &[String]) -> &'static str {
    let says = |word: &str| choices.iter().any(|choice| choice.split('_').any(|part| part == word));
    match (says(FRONT) && says(HIND), says(LEFT) && says(RIGHT)) {
        (true, true) => "front or hind, left or right",
        (true, false) => "front or hind",
        (false, true) => "left or right",
        (false, false) => "which of them",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_say_too_little_are_answered_by_a_question() {
        let [human, horse] = ["human", "horse"].map(|name| Skeleton::built_in(name).unwrap());
        for (skeleton, name, end) in [
            (&horse, "left knee", "front or hind? Type front_left_knee or hind_left_knee"),
            (&horse, "LeftFoot", "front or hind? Type front_left_foot or hind_left_foot"),
            (&horse, "left_elbow", "front or hind? Type front_left_elbow or hind_left_knee"),
            (&horse, "front foot", "left or right? Type left_front_foot or right_front_foot"),
            (&horse, "stifle", "left or right? Type left_stifle or right_stifle"),
            (&human, "elbow", "left or right? Type left_elbow or right_elbow"),
            (&human, "hand", "left or right? Type left_hand or right_hand"),
        ] {
            let unknown = resolve_joint(skeleton, name).unwrap_err();
            let UnknownJoint::Unclear { choices, .. } = &unknown else { panic!("{unknown}") };
            assert!(choices.iter().all(|choice| find_joint(skeleton, choice).is_some()), "{unknown}");
            let text = unknown.to_string();
            assert!(text.ends_with(end), "{text}");
        }
        let four = resolve_joint(&horse, "knee").unwrap_err().to_string();
        assert!(four.contains("front or hind, left or right?"), "{four}");
        assert_eq!(resolve_joint(&horse, "front_left_knee"), Ok(horse.find("FrontLeftLowerLeg").unwrap()));
    }

    #[test]
    fn what_a_skeleton_does_not_have_is_missing() {
        let human = Skeleton::human();
        for (name, end) in
            [("LftElbw", "did you mean left_elbow?"), ("Wheel", "LeftFoot, RightFoot, LeftToes, RightToes")]
        {
            let text = resolve_joint(&human, name).unwrap_err().to_string();
            assert!(text.starts_with(&format!("the skeleton 'human' has no joint '{name}'; ")), "{text}");
            assert!(text.ends_with(end), "{text}");
        }
    }
}
