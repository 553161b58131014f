//! Names of joints as people and truth files have them: `left_elbow`, `back_right_knee`, `LeftForeArm`. Skeletons name a joint
//! after the bone that rotates about it.

use super::fingers::finger_by_name;
use super::naming::{Limb, NameParts, Role, Segment, Side, Word, parse_name, words};
use super::spelling::edit_distance;
use super::{Figure, Skeleton};

/// Names on a biped; the forelegs of an animal have those of arms.
const NAMES: [(&str, Limb, Segment); 7] = [
    ("shoulder", Limb::Arm, Segment::Upper),
    ("elbow", Limb::Arm, Segment::Lower),
    ("wrist", Limb::Arm, Segment::End),
    ("hip", Limb::Leg, Segment::Upper),
    ("knee", Limb::Leg, Segment::Lower),
    ("ankle", Limb::Leg, Segment::End),
    ("toe", Limb::Leg, Segment::Toes),
];

/// Names on an animal alone. Each says the pair of legs, too.
const ANIMAL_NAMES: [(&str, Limb, Segment); 4] = [
    ("carpus", Limb::FrontLeg, Segment::End),
    ("stifle", Limb::Leg, Segment::Lower),
    ("hock", Limb::Leg, Segment::Hock),
    ("tarsus", Limb::Leg, Segment::Hock),
];
/// The highest point of an animal's back, over the last joint of its spine.
const WITHERS: &str = "withers";

/// Joints that go by names: those of a skeleton, of a character or of a motion.
pub trait NamedJoints {
    /// How many there are.
    fn count(&self) -> usize;
    /// What a joint is called.
    fn name(&self, joint: usize) -> &str;
    /// What it is in the body.
    fn role(&self, joint: usize) -> Option<Role>;

    /// The joints of a role, parents first.
    fn all_of_role(&self, role: Role) -> impl Iterator<Item = usize> {
        (0..self.count()).filter(move |&joint| self.role(joint) == Some(role))
    }

    /// The first joint of a role.
    fn first_of_role(&self, role: Role) -> Option<usize> {
        self.all_of_role(role).next()
    }
}

impl NamedJoints for Skeleton {
    fn count(&self) -> usize {
        self.joints.len()
    }

    fn name(&self, joint: usize) -> &str {
        &self.joints[joint].name
    }

    fn role(&self, joint: usize) -> Option<Role> {
        self.joints[joint].role
    }
}

impl NamedJoints for Figure {
    fn count(&self) -> usize {
        self.names.len()
    }

    fn name(&self, joint: usize) -> &str {
        &self.names[joint]
    }

    fn role(&self, joint: usize) -> Option<Role> {
        self.roles.roles[joint]
    }
}

/// The joint of a skeleton that a name means: its own name, an anatomical one (`left_elbow`, `left knee`, `LeftAnkle`), or what
/// another skeleton calls such a joint (`LeftForeArm`, `thigh.L`). Capitals and what stands between words do not matter.
pub fn find_joint(skeleton: &impl NamedJoints, name: &str) -> Option<usize> {
    let named =
        |is_name: &dyn Fn(&str) -> bool| (0..skeleton.count()).find(|&joint| is_name(skeleton.name(joint)));
    let same_letters = || named(&|own| letters(own) == letters(name));
    None.or_else(|| named(&|own| own == name))
        .or_else(|| named(&|own| own.eq_ignore_ascii_case(name)))
        .or_else(|| find_anatomical(skeleton, &words(name).join("_")))
        .or_else(|| find_on_animal(skeleton, words(name)))
        .or_else(same_letters)
        .or_else(|| find_conventional(skeleton, name))
}

fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A foreleg may have knees and ankles, too.
fn find_anatomical(skeleton: &impl NamedJoints, name: &str) -> Option<usize> {
    let (limb_name, last) = name.rsplit_once('_')?;
    let &(_, limb, segment) = NAMES.iter().find(|(joint, ..)| *joint == last)?;
    let (pair, side) = limb_name.split_once('_').unwrap_or(("", limb_name));
    let side = [Side::Left, Side::Right].into_iter().find(|known| word(*known).eq_ignore_ascii_case(side))?;
    let limb = match (pair, limb) {
        ("front", _) => Limb::FrontLeg,
        ("back" | "hind", _) if has_forelegs(skeleton) => Limb::Leg,
        ("", Limb::Leg) if has_forelegs(skeleton) => return None,
        ("", limb) => limb,
        _ => return None,
    };
    skeleton.first_of_role(Role::Limb(limb, side, segment))
}

/// By a name that only animals have: `withers`, `left hock`, `hind_left_stifle`.
fn find_on_animal(skeleton: &impl NamedJoints, mut words: Vec<String>) -> Option<usize> {
    if !has_forelegs(skeleton) {
        return None;
    }
    if words == [WITHERS] {
        return skeleton.all_of_role(Role::Spine).last();
    }
    let &(_, limb, segment) =
        ANIMAL_NAMES.iter().find(|(name, ..)| words.last().is_some_and(|w| w == name))?;
    words.pop();
    let side = [Side::Left, Side::Right].into_iter().find(|side| words.iter().any(|w| w == word(*side)))?;
    words.retain(|other| other != word(side));
    let is_own_pair = match (words.as_slice(), limb) {
        ([], _) => true,
        ([pair], Limb::FrontLeg) => pair == "front",
        ([pair], _) => pair == "hind" || pair == "back",
        _ => false,
    };
    skeleton.first_of_role(Role::Limb(limb, side, segment)).filter(|_| is_own_pair)
}

/// What the joint of a leg is called that is, in an arm, called by a word.
pub(super) fn leg_word(of_arm: &str) -> &str {
    let same_segment = NAMES.iter().find(|(name, limb, _)| *name == of_arm && *limb == Limb::Arm);
    let of_leg = same_segment.and_then(|(_, _, segment)| {
        NAMES.iter().find(|(_, limb, other)| *limb == Limb::Leg && other == segment)
    });
    of_leg.map_or(of_arm, |(name, ..)| name)
}

/// By what a name says in the conventions of other skeletons. Of a spine it does not say which joint.
fn find_conventional(skeleton: &impl NamedJoints, name: &str) -> Option<usize> {
    let NameParts { word, side, is_front } = parse_name(name)?;
    let (limb, segment) = match word {
        Word::Hips => return skeleton.first_of_role(Role::Hips),
        Word::Neck => return skeleton.first_of_role(Role::Neck),
        Word::Head => return skeleton.first_of_role(Role::Head),
        Word::Tail => return skeleton.first_of_role(Role::Tail),
        Word::Collar => (Limb::Arm, Segment::Girdle),
        Word::Shoulder | Word::Arm | Word::UpperArm => (Limb::Arm, Segment::Upper),
        Word::ForeArm => (Limb::Arm, Segment::Lower),
        Word::Hand => (Limb::Arm, Segment::End),
        Word::HipJoint => (Limb::Leg, Segment::Girdle),
        Word::Hip | Word::Thigh => (Limb::Leg, Segment::Upper),
        Word::Leg | Word::Shank => (Limb::Leg, Segment::Lower),
        Word::Hock => (Limb::Leg, Segment::Hock),
        Word::Ankle | Word::Foot => (Limb::Leg, Segment::End),
        Word::Toes => (Limb::Leg, Segment::Toes),
        Word::Finger => return finger_by_name(name).and_then(|role| skeleton.first_of_role(role)),
        Word::Spine | Word::Tip => return None,
    };
    // Which pair of an animal is meant must be said, and a person has one.
    let says_pair =
        is_front || ["hind", "rear", "back"].iter().any(|pair| name.to_lowercase().contains(pair));
    let limb = if is_front { Limb::FrontLeg } else { limb };
    let is_clear = limb == Limb::Arm || says_pair == has_forelegs(skeleton);
    skeleton.first_of_role(Role::Limb(limb, side?, segment)).filter(|_| is_clear)
}

/// The name of a joint, its own or anatomical, that is spelled nearly so; `None` if none is.
pub fn closest_name(skeleton: &impl NamedJoints, name: &str) -> Option<String> {
    let joints = 0..skeleton.count();
    let anatomical = joints.clone().filter_map(|joint| anatomical_name(skeleton, joint));
    closest_word(joints.map(|joint| skeleton.name(joint).to_owned()).chain(anatomical), name)
}

/// The one of some names that is spelled nearly so; `None` if none is.
pub fn closest_word(names: impl Iterator<Item = String>, name: &str) -> Option<String> {
    let typed = letters(name);
    let distances = names.map(|known| (edit_distance(&letters(&known), &typed), known));
    let closest = distances.min_by_key(|(distance, _)| *distance)?;
    (closest.0 <= 1 + typed.chars().count() / LETTERS_A_MISTAKE).then_some(closest.1)
}

/// One mistake is always forgiven, and one more for so many letters. With 2 any word is a joint; with 8 `LftElbw` is none.
const LETTERS_A_MISTAKE: usize = 4;

/// Whether a name belongs to the anatomical vocabulary: one that a skeleton lacks is no mistake of the user.
pub fn is_anatomical(name: &str) -> bool {
    let last = name.rsplit('_').next().unwrap_or(name);
    ["hips", "spine", "chest", "neck", "head", "tail"].contains(&name)
        || NAMES.iter().any(|(joint, ..)| *joint == last)
}

/// The anatomical name of a key joint. Where the hind legs of a skeleton have hocks, these are the ankles.
pub fn anatomical_name(skeleton: &impl NamedJoints, joint: usize) -> Option<String> {
    let role = skeleton.role(joint).filter(|&role| skeleton.first_of_role(role) == Some(joint))?;
    let Role::Limb(limb, side, segment) = role else {
        return matches!(role, Role::Hips | Role::Neck | Role::Head).then(|| role.to_string().to_lowercase());
    };
    let has_hocks = skeleton.first_of_role(Role::Limb(Limb::Leg, side, Segment::Hock)).is_some();
    let segment = match (limb, segment) {
        (Limb::Leg, Segment::Hock) => Segment::End,
        (Limb::Leg, Segment::End) if has_hocks => return None,
        (_, Segment::Toes) => return None,
        _ => segment,
    };
    let (pair, limb) = match limb {
        Limb::FrontLeg => ("front_", Limb::Arm),
        Limb::Leg if has_forelegs(skeleton) => ("back_", limb),
        _ => ("", limb),
    };
    let (name, ..) = NAMES.iter().find(|(_, of, part)| (*of, *part) == (limb, segment))?;
    Some(format!("{pair}{}_{name}", word(side)))
}

pub(super) fn has_forelegs(skeleton: &impl NamedJoints) -> bool {
    has_limb(skeleton, Limb::FrontLeg)
}

/// Whether two skeletons are of one kind of body: both with arms or without, and with forelegs or without.
pub(super) fn are_one_body(a: &Skeleton, b: &Skeleton) -> bool {
    [Limb::Arm, Limb::FrontLeg].into_iter().all(|limb| has_limb(a, limb) == has_limb(b, limb))
}

fn has_limb(skeleton: &impl NamedJoints, limb: Limb) -> bool {
    skeleton.first_of_role(Role::Limb(limb, Side::Left, Segment::Upper)).is_some()
}

fn word(side: Side) -> &'static str {
    if side == Side::Left { "left" } else { "right" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_joints_have_anatomical_names_and_are_found_by_them() {
        let skeletons =
            ["human", "horse", "quadruped", "centaur"].map(|name| Skeleton::built_in(name).unwrap());
        for (file, joint, name) in [
            ("human", "Hips", "hips"),
            ("human", "LeftUpperArm", "left_shoulder"),
            ("human", "LeftLowerArm", "left_elbow"),
            ("human", "RightFoot", "right_ankle"),
            ("horse", "FrontRightFoot", "front_right_wrist"),
            ("quadruped", "HindLeftLowerLeg", "back_left_knee"),
            ("quadruped", "HindLeftFoot", "back_left_ankle"),
            ("centaur", "LeftHand", "left_wrist"),
        ] {
            let skeleton = skeletons.iter().find(|skeleton| skeleton.name == file).unwrap();
            let joint = skeleton.find(joint).unwrap();
            assert_eq!(anatomical_name(skeleton, joint).as_deref(), Some(name));
            assert_eq!(find_joint(skeleton, name), Some(joint), "{name}");
        }
        let [human, horse, quadruped, _] = &skeletons;
        for (skeleton, name, joint) in [
            (human, "LeftElbow", "LeftLowerArm"),
            (human, "left knee", "LeftLowerLeg"),
            (human, "Left Lower-Arm", "LeftLowerArm"),
            (human, "LeftShoulder", "LeftShoulder"),
            (human, "left shoulder", "LeftUpperArm"),
            (human, "mixamorig:RightForeArm", "RightLowerArm"),
            (human, "thigh.L", "LeftUpperLeg"),
            (human, "pelvis", "Hips"),
            (horse, "left front knee", "FrontLeftLowerLeg"),
            (quadruped, "HindLeftKnee", "HindLeftLowerLeg"),
            (horse, "withers", "Chest"),
            (horse, "left hock", "HindLeftHock"),
            (horse, "hind_right_hock", "HindRightHock"),
            (quadruped, "LeftStifle", "HindLeftLowerLeg"),
            (quadruped, "right carpus", "FrontRightFoot"),
        ] {
            assert_eq!(find_joint(skeleton, name), skeleton.find(joint), "{name}");
        }
        for (skeleton, name) in [
            (quadruped, "LeftLeg"),
            (quadruped, "left hock"),
            (horse, "front left hock"),
            (human, "withers"),
            (human, "left stifle"),
            (human, "ribs"),
            (human, "HindLeftUpperLeg"),
            (human, "Elbow"),
            (human, ""),
        ] {
            assert_eq!(find_joint(skeleton, name), None, "{name}");
        }
        assert_eq!(closest_name(human, "LftElbw").as_deref(), Some("left_elbow"));
        assert_eq!(closest_name(human, "RightHnad").as_deref(), Some("RightHand"));
        assert_eq!(closest_name(human, "wheel"), None);
        for (skeleton, joint) in
            [(human, "LeftToes"), (horse, "HindLeftFoot"), (quadruped, "Tail"), (human, "Spine")]
        {
            assert_eq!(anatomical_name(skeleton, skeleton.find(joint).unwrap()), None, "{joint}");
        }
        // Of a leg with a hock the ankle is named, and what is placed by that name is the foot.
        let hock = anatomical_name(horse, horse.find("HindLeftHock").unwrap());
        assert_eq!(hock.as_deref(), Some("back_left_ankle"));
        assert_eq!(find_joint(horse, "back_left_ankle"), horse.find("HindLeftFoot"));
        assert_eq!(find_joint(human, "right_toe"), human.find("RightToes"));
        assert_eq!((find_joint(quadruped, "left_hip"), find_joint(human, "front_left_elbow")), (None, None));
    }
}
