//! Skeleton files, version 1. The format is described in `skeletons/README.md`.

use super::text_lines::{Words, lines_after};
use super::{Fault, Problem};
use crate::math::Vec3;
use crate::skeleton::naming::Role;
use crate::skeleton::{Hierarchy, Joint, PenaltyWeights, Skeleton};

const FIRST_LINE: &str = "puppetry-skeleton 1";
const NAME: &str = "one word as the name of the skeleton";
const JOINT_NAME: &str = "a joint's name";

/// Reads a skeleton file.
pub fn read(text: &str) -> Result<Skeleton, Fault> {
    let mut skeleton = Skeleton {
        name: String::new(),
        about: String::new(),
        joints: Hierarchy::default(),
        weights: PenaltyWeights::default(),
    };
    for (line, content) in lines_after(text, FIRST_LINE, "the first line 'puppetry-skeleton 1'")? {
        read_line(&mut skeleton, content).map_err(|problem| Fault::line(line, problem))?;
    }
    for (is_missing, why) in [
        (skeleton.name.is_empty(), "it has no line 'name'"),
        (skeleton.joints.is_empty(), "it has no joints"),
    ] {
        if is_missing {
            return Err(Fault::whole(Problem::Invalid { what: "the skeleton", why: why.into() }));
        }
    }
    skeleton.recognise_roles();
    Ok(skeleton)
}

fn read_line(skeleton: &mut Skeleton, line: &str) -> Result<(), Problem> {
    let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match keyword {
        "name" => {
            skeleton.name = Words::of(rest).next(NAME)?.to_owned();
            if skeleton.name != rest.trim() {
                return Err(Problem::syntax(NAME, rest.trim()));
            }
        }
        "about" => skeleton.about = rest.trim().to_owned(),
        "joint" => {
            let mut words = Words::of(rest);
            let name = words.next(JOINT_NAME)?;
            read_joint(skeleton, name, None, words)?;
        }
        "pair" => {
            let mut words = Words::of(rest);
            let (left, right) = (words.next(JOINT_NAME)?, words.next("the name of the right joint")?);
            read_joint(skeleton, left, Some(right), words)?;
        }
        "weight" => {
            let (penalty, weight) = read_weight(rest)?;
            skeleton.weights.0[penalty] = weight;
        }
        _ => return Err(Problem::syntax("'name', 'about', 'joint', 'pair' or 'weight'", keyword)),
    }
    Ok(())
}

/// Reads what follows the name of a joint, or the names of a pair.
fn read_joint(
    skeleton: &mut Skeleton,
    name: &str,
    other: Option<&str>,
    mut words: Words,
) -> Result<(), Problem> {
    let parent = match words.next("the parent's name, or - for the root")? {
        "-" => None,
        parent => {
            let expected = "a joint that stands above as the parent";
            Some(skeleton.find(parent).ok_or_else(|| Problem::syntax(expected, parent))?)
        }
    };
    if parent.is_none() != skeleton.joints.is_empty() {
        let why = "the first joint, and no other, has the parent '-'".into();
        return Err(Problem::Invalid { what: "the root", why });
    }
    let mut position = Vec3::zeros();
    for axis in 0..3 {
        position[axis] = words.number(["three coordinates", "a number"], f64::is_finite)?;
    }
    let mut joint = Joint { name: name.to_owned(), parent, position, ..Joint::default() };
    for tag in words.rest() {
        match tag {
            "foot" => joint.is_foot = true,
            // `fat` is the word of version 0.1.
            "torso" | "fat" => joint.is_torso = true,
            "tip" => joint.is_tip = true,
            _ => {
                let role = tag.strip_prefix("role=").and_then(|name| name.parse().ok());
                let expected = "one of the tags foot, torso, tip, or role= and a role such as LeftHand";
                joint.role = Some(role.ok_or_else(|| Problem::syntax(expected, tag))?);
            }
        }
    }
    for new in [Some(name), other].into_iter().flatten() {
        if skeleton.find(new).is_some() || other == Some(name) {
            return Err(Problem::syntax("a name that is not taken", new));
        }
    }
    let left = skeleton.joints.len();
    skeleton.joints.push(joint.clone());
    if let Some(other) = other {
        skeleton.joints[left].partner = Some(left + 1);
        let parent = parent.map(|parent| skeleton.joints[parent].partner.unwrap_or(parent));
        let position = Vec3::new(-position.x, position.y, position.z);
        skeleton.joints.push(Joint {
            name: other.to_owned(),
            parent,
            position,
            partner: Some(left),
            role: joint.role.map(Role::mirrored),
            ..joint
        });
    }
    Ok(())
}

/// Reads what follows `weight`: the index of the penalty, and its weight.
fn read_weight(rest: &str) -> Result<(usize, f64), Problem> {
    const PENALTY: &str = "a penalty as docs/learning.md lists them, such as bone-too-short";
    let mut words = Words::of(rest);
    let name = words.next(PENALTY)?;
    let penalty = PenaltyWeights::find(name).ok_or_else(|| Problem::syntax(PENALTY, name))?;
    let weight = words.number(["a number that is not negative"; 2], |x| x.is_finite() && x >= 0.0)?;
    Ok((penalty, weight))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Location;
    use crate::skeleton::built_in;

    #[test]
    fn built_in_skeletons_are_whole() {
        for file in built_in() {
            let skeleton = read(file.text)
                .unwrap_or_else(|fault| panic!("{}{}: {}", file.name, fault.at, fault.problem));
            assert_eq!(skeleton.name, file.name);
            assert!(!skeleton.about.is_empty());
            for (index, joint) in skeleton.joints.iter().enumerate() {
                assert!(joint.parent.is_none_or(|parent| parent < index));
                let Some(partner) = joint.partner else { continue };
                let mirrored = &skeleton.joints[partner];
                assert_eq!(mirrored.partner, Some(index));
                assert_eq!(mirrored.position.x, -joint.position.x);
                let parent_of = |joint: &Joint| joint.parent.map(|p| skeleton.joints[p].partner.unwrap_or(p));
                assert_eq!(
                    parent_of(mirrored).map(|p| skeleton.joints[p].partner.unwrap_or(p)),
                    parent_of(joint)
                );
                assert_eq!(joint.name.replace("Left", "Right"), mirrored.name.replace("Left", "Right"));
            }
            let children = skeleton.joints.children();
            for (leaf, _) in skeleton.joints.iter().zip(&children).filter(|(_, below)| below.is_empty()) {
                assert!(leaf.is_tip, "{} ends in {}", file.name, leaf.name);
            }
            // Root is added at the export.
            let exported = skeleton.joints.iter().filter(|joint| !joint.is_tip).count();
            assert!(file.name != "human" || exported == 22);
        }
    }

    #[test]
    fn built_in_joints_have_the_roles_of_their_names() {
        for file in built_in() {
            let skeleton = read(file.text).unwrap();
            for joint in &skeleton.joints {
                let role = joint.role.map(|role| role.to_string()).unwrap_or_default();
                let expected = match joint.name.as_str() {
                    "Chest" | "UpperChest" => "Spine".to_owned(),
                    "HeadTop" => "HeadTip".to_owned(),
                    "TailTip" => "Tail".to_owned(),
                    name => name.replace("ToeTip", "FootTip").replace("Hind", ""),
                };
                if file.name != "centaur" {
                    assert_eq!(role, expected, "{}", file.name);
                }
            }
        }
    }

    #[test]
    fn roles_may_be_told_where_names_say_nothing() {
        let human = built_in()[0].text;
        let (named, mut text) = (read(human).unwrap(), String::new());
        for line in human.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let joint =
                matches!(words.first(), Some(&("joint" | "pair"))).then(|| named.find(words[1]).unwrap());
            let role = joint.map(|joint| format!(" role={}", named.joints[joint].role.unwrap()));
            text.push_str(&format!("{line}{}\n", role.unwrap_or_default()));
        }
        for (number, joint) in named.joints.iter().enumerate() {
            text = text.replace(&format!(" {} ", joint.name), &format!(" j{number} "));
        }
        let anonymous = read(&text).unwrap();
        assert_eq!(anonymous.joints[1].name, "j1");
        let roles = |skeleton: &Skeleton| skeleton.joints.iter().map(|joint| joint.role).collect::<Vec<_>>();
        assert_eq!(roles(&anonymous), roles(&named));
    }

    #[test]
    fn tags_of_older_files_are_read() {
        for tag in ["torso", "fat"] {
            let text = format!("puppetry-skeleton 1\nname x\njoint a - 0 0 0 {tag}");
            assert!(read(&text).unwrap().joints[0].is_torso, "{tag}");
        }
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, line, part) in [
            ("", 0, "empty"),
            ("puppetry-skeleton 2", 1, "puppetry-skeleton 1"),
            ("puppetry-skeleton 1\nname x", 0, "no joints"),
            ("puppetry-skeleton 1\njoint a - 0 0 0", 0, "no line 'name'"),
            ("puppetry-skeleton 1\n\nname\njoint a - 0 0 0", 3, "one word"),
            ("puppetry-skeleton 1\nname my dog # c\njoint a - 0 0 0", 2, "found 'my dog'"),
            ("puppetry-skeleton 1\nbone a - 0 0 0", 2, "'joint'"),
            ("puppetry-skeleton 1\njoint a b 0 0 0", 2, "parent"),
            ("puppetry-skeleton 1\njoint a - 0 0 0\n\njoint b - 0 0 0", 4, "the root"),
            ("puppetry-skeleton 1\njoint a - 0 0", 2, "coordinates"),
            ("puppetry-skeleton 1\njoint a - 0 0 nan", 2, "a number"),
            ("puppetry-skeleton 1\njoint a - 0 0 0 thick", 2, "tags"),
            ("puppetry-skeleton 1\njoint a - 0 0 0\npair b b a 0 0 0", 3, "not taken"),
            ("puppetry-skeleton 1\njoint a - 0 0 0\njoint a a 0 0 0", 3, "not taken"),
            ("puppetry-skeleton 1\nweight beauty 1", 2, "a penalty"),
            ("puppetry-skeleton 1\nweight asymmetry -1", 2, "not negative"),
            ("puppetry-skeleton 1\nweight asymmetry", 2, "not negative"),
        ] {
            let fault = read(text).expect_err(text);
            let at = if line == 0 { Location::Whole } else { Location::Line(line) };
            assert_eq!(fault.at, at, "{text}");
            assert!(fault.problem.to_string().contains(part), "{text}: {}", fault.problem);
        }
    }
}
