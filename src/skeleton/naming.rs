//! What the joints of the world's skeletons are called, and what their names mean.
//!
//! A name is cut into words, noise and side are taken off, and what is left is looked up. What a word means may
//! depend on its neighbours: Biovision's `LeftShoulder` is the upper arm, everybody else's is the collar bone.
//! [`super::roles`] decides that; this file knows words only.

use super::fingers::MOST_PHALANGES;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// A side of the body, the character's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Its left.
    Left,
    /// Its right.
    Right,
}

impl Side {
    /// The other side.
    pub fn other(self) -> Side {
        if self == Side::Left { Side::Right } else { Side::Left }
    }
}

/// A kind of limb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limb {
    /// Of anything that stands on two legs.
    Arm,
    /// The foreleg of an animal.
    FrontLeg,
    /// The leg of a person, or the hind leg of an animal.
    Leg,
}

/// A joint of a limb, from the trunk outwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Segment {
    /// Collar bone, shoulder blade, or the helper between the hips and a thigh.
    Girdle,
    /// Shoulder or hip.
    Upper,
    /// Elbow or knee.
    Lower,
    /// The heel of an animal, high above the ground, where its foot has a joint of its own below.
    Hock,
    /// Wrist or ankle; the paw of an animal.
    End,
    /// The ball of the foot, or the base of the fingers.
    Toes,
    /// The end of the last bone.
    Tip,
}

/// A finger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Finger {
    /// The one that is across the others.
    Thumb,
    /// Beside the thumb.
    Index,
    /// In the middle.
    Middle,
    /// Beside the middle one.
    Ring,
    /// The pinky.
    Little,
    /// All but the thumb together, as in a mitten.
    All,
}

impl Finger {
    /// Those of a hand, from the thumb.
    pub const OF_HAND: [Finger; 5] =
        [Finger::Thumb, Finger::Index, Finger::Middle, Finger::Ring, Finger::Little];
    /// Those that begin in a row at the end of the palm.
    pub const OF_PALM: [Finger; 4] = [Finger::Index, Finger::Middle, Finger::Ring, Finger::Little];
}

impl fmt::Display for Finger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Finger::All { f.write_str("Fingers") } else { write!(f, "{self:?}") }
    }
}

/// What a joint is in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The pelvis.
    Hips,
    /// A joint of the back, up to the chest.
    Spine,
    /// A joint of the neck.
    Neck,
    /// The skull.
    Head,
    /// The top of the head, or an animal's nose.
    HeadTip,
    /// A joint of the tail.
    Tail,
    /// A joint of a limb.
    Limb(Limb, Side, Segment),
    /// A joint of a finger, from 1 at the knuckle outwards; 0 is the bone in the palm. A thumb begins with 1 at the wrist.
    Finger(Side, Finger, u8),
}

impl Role {
    /// The same role on the other side of the body.
    pub fn mirrored(self) -> Role {
        match self {
            Role::Limb(limb, side, segment) => Role::Limb(limb, side.other(), segment),
            Role::Finger(side, finger, phalanx) => Role::Finger(side.other(), finger, phalanx),
            role => role,
        }
    }

    /// The limb and the side, if it is part of one.
    pub fn limb(self) -> Option<(Limb, Side, Segment)> {
        match self {
            Role::Limb(limb, side, segment) => Some((limb, side, segment)),
            _ => None,
        }
    }

    /// The side, the finger and its joint, if it is one of a finger.
    pub fn finger(self) -> Option<(Side, Finger, u8)> {
        match self {
            Role::Finger(side, finger, phalanx) => Some((side, finger, phalanx)),
            _ => None,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Role::Finger(side, finger, phalanx) = self {
            return write!(f, "{side:?}{finger}{phalanx}");
        }
        let Role::Limb(limb, side, segment) = self else { return write!(f, "{self:?}") };
        let front = if *limb == Limb::FrontLeg { "Front" } else { "" };
        let part = match (limb, segment) {
            (Limb::Arm | Limb::FrontLeg, Segment::Girdle) => "Shoulder",
            (Limb::Leg, Segment::Girdle) => "HipJoint",
            (Limb::Arm, Segment::Upper) => "UpperArm",
            (_, Segment::Upper) => "UpperLeg",
            (Limb::Arm, Segment::Lower) => "LowerArm",
            (_, Segment::Lower) => "LowerLeg",
            (_, Segment::Hock) => "Hock",
            (Limb::Arm, Segment::End) => "Hand",
            (_, Segment::End) => "Foot",
            (Limb::Arm, Segment::Toes) => "Fingers",
            (_, Segment::Toes) => "Toes",
            (Limb::Arm, Segment::Tip) => "HandTip",
            (_, Segment::Tip) => "FootTip",
        };
        write!(f, "{front}{side:?}{part}")
    }
}

impl FromStr for Role {
    type Err = ();

    /// A role as it is displayed: `Spine`, `LeftUpperArm`, `FrontRightFoot`, `LeftIndex2`.
    fn from_str(text: &str) -> Result<Role, ()> {
        use Segment::{End, Girdle, Hock, Lower, Tip, Toes, Upper};
        let trunk = [Role::Hips, Role::Spine, Role::Neck, Role::Head, Role::HeadTip, Role::Tail];
        // Legs first: arms have no hock, but would be displayed as the one of a leg.
        let limbs = [Limb::Leg, Limb::FrontLeg, Limb::Arm].into_iter().flat_map(|limb| {
            [Side::Left, Side::Right].into_iter().flat_map(move |side| {
                let segments = [Girdle, Upper, Lower, Hock, End, Toes, Tip].into_iter();
                segments.map(move |segment| Role::Limb(limb, side, segment))
            })
        });
        let fingers = Finger::OF_HAND.into_iter().chain([Finger::All]).flat_map(|finger| {
            [Side::Left, Side::Right].into_iter().flat_map(move |side| {
                (0..=MOST_PHALANGES).map(move |phalanx| Role::Finger(side, finger, phalanx))
            })
        });
        trunk.into_iter().chain(limbs).chain(fingers).find(|role| role.to_string() == text).ok_or(())
    }
}

/// What a name says; a table has the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Word {
    Hips,
    Spine,
    Neck,
    Head,
    Tail,
    Collar,
    /// The collar bone, or the upper arm beside a collar or an elbow.
    Shoulder,
    /// The upper arm, or one of a numbered chain.
    Arm,
    UpperArm,
    ForeArm,
    Hand,
    HipJoint,
    /// With a side: the thigh, or the helper above it.
    Hip,
    Thigh,
    /// The shank below a thigh, the thigh above a knee, or one of a numbered chain.
    Leg,
    Shank,
    Hock,
    Ankle,
    /// The toes below an ankle.
    Foot,
    Toes,
    /// The end of a limb: `toetip`, `headend`, `handend`.
    Tip,
    Finger,
}

/// A parsed name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameParts {
    /// What it says.
    pub word: Word,
    /// The side that it says.
    pub side: Option<Side>,
    /// For legs: `front` or `fore`.
    pub is_front: bool,
}

/// Words that say who made the skeleton, not what the joint is. The last three mark the middle, as other words mark the
/// sides, and bones that may stretch.
const NOISE: &str = "mixamorig valve bip biped valvebiped character cc base j c def org joint jnt sk rig bone bones \
                     skeleton skel b bn ik fk ctrl root bvh m x stretch";
/// Joints that follow others, or that are no part of a body plan.
pub(super) const HELPERS: &str = "twist roll eye eyes jaw tongue ear brow eyebrow lip mouth cheek hair ponytail breast prop weapon \
                                  attach socket camera pole target cape skirt teeth nose eyelid dummy share half muscle \
                                  corrective";
/// Words of the ends of bones.
pub(super) const TIPS: &str = "end tip nub top site effector";
const FINGERS: &str = "thumb index middle mid ring pinky little finger";
const LEFT: &str = "left l lft lt";
const RIGHT: &str = "right r rgt rt";

/// Whether a word is in a list.
fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// The words that most joints of a skeleton share: they say whose skeleton it is, and not what a joint is.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    shared: Vec<String>,
}

impl Vocabulary {
    /// Of the names of a whole skeleton: `Robot` of `Robot_LeftFoot`, `m` of `mKneeLeft`.
    pub fn of<'n>(names: impl Iterator<Item = &'n str>) -> Vocabulary {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut joints = 0;
        for name in names {
            joints += 1;
            let mut own = words(name);
            own.sort();
            own.dedup();
            own.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
        }
        // Half of all joints can have one side, and a long tail can be most of an animal.
        let says_nothing = |word: &str| {
            look_up(word).is_none() && ![LEFT, RIGHT, FINGERS, HELPERS].iter().any(|list| is_in(list, word))
        };
        let is_shared =
            |(word, count): &(String, usize)| joints >= 8 && 3 * count > 2 * joints && says_nothing(word);
        Vocabulary { shared: counts.into_iter().filter(is_shared).map(|(word, _)| word).collect() }
    }

    /// What a name of this skeleton says, if it says anything about a body.
    pub fn parse_name(&self, name: &str) -> Option<NameParts> {
        let mut own = words(name);
        if own.iter().any(|word| !self.shared.contains(word)) {
            own.retain(|word| !self.shared.contains(word));
        }
        // Old MakeHuman marks the helpers between real joints by underscores.
        if name.starts_with("__") { None } else { parse_words(own) }
    }
}

/// What a name says by itself, if it says anything about a body.
pub fn parse_name(name: &str) -> Option<NameParts> {
    Vocabulary::default().parse_name(name)
}

fn parse_words(mut words: Vec<String>) -> Option<NameParts> {
    // Character Creator's neck is called NeckTwist01; all other twists follow a joint that is there too.
    if words.iter().any(|word| word == "neck") {
        take(&mut words, &["twist"]);
    }
    if words.iter().any(|word| is_in(HELPERS, word)) {
        return None;
    }
    let is_tip = take(&mut words, &TIPS.split(' ').collect::<Vec<_>>());
    let had = words.len();
    words.retain(|word| !word.bytes().all(|byte| byte.is_ascii_digit()));
    // Vertebrae: L5, L3, T12, T8.
    let central = |word: Word| NameParts { word, side: None, is_front: false };
    if words.len() < had && (words == ["l"] || words == ["t"]) {
        return Some(central(Word::Spine));
    }
    let quiet: Vec<String> = words.iter().filter(|word| !is_in(NOISE, word)).cloned().collect();
    // A name of noise alone is the joint that the noise names: "Bip01" is the hips of its skeleton.
    if quiet.is_empty() {
        return words.iter().any(|word| word == "bip").then_some(central(Word::Hips));
    }
    words = quiet;
    let mut side = take_side(&mut words);
    let mut key: String = words.concat();
    if side.is_none() && look_up(&key).is_none() {
        // "leftarm", "armleft" and "lelbow", without a capital to cut at.
        for (start, found) in
            [("left", Side::Left), ("right", Side::Right), ("l", Side::Left), ("r", Side::Right)]
        {
            let rest = key.strip_prefix(start).or(key.strip_suffix(start));
            if let Some(rest) =
                rest.filter(|rest| !rest.is_empty() && (start.len() > 1 || look_up(rest).is_some()))
            {
                (side, key) = (Some(found), rest.to_owned());
                break;
            }
        }
    }
    if look_up(&key).is_none() && FINGERS.split(' ').any(|finger| key.contains(finger)) {
        return Some(NameParts { word: Word::Finger, side, is_front: false });
    }
    let mut is_front = false;
    let word = look_up(&key).or_else(|| {
        let (rest, front) =
            [("front", true), ("fore", true), ("hind", false), ("rear", false), ("back", false)]
                .into_iter()
                .find_map(|(mark, front)| {
                    Some((key.strip_prefix(mark).or(key.strip_suffix(mark))?, front))
                })?;
        is_front = front;
        look_up(rest).filter(|word| word.is_leg())
    })?;
    let word = match (word, side) {
        (Word::Hips, Some(_)) if key == "pelvis" => Word::HipJoint,
        (Word::Hip, None) => Word::Hips,
        (Word::Shoulder, None) if key == "shoulders" => Word::Spine,
        _ if is_tip => Word::Tip,
        (word, _) => word,
    };
    Some(NameParts { word, side, is_front })
}

impl Word {
    fn is_leg(self) -> bool {
        use Word::{Ankle, Collar, Foot, Hand, Hip, Hock, Leg, Shank, Shoulder, Thigh, Toes};
        [Thigh, Leg, Shank, Hock, Ankle, Foot, Toes, Shoulder, Collar, Hand, Hip].contains(&self)
    }
}

fn look_up(key: &str) -> Option<Word> {
    Some(match key {
        "hips" | "pelvis" | "hipz" | "pelvic" | "hipcenter" | "midhip" | "spinebase" => Word::Hips,
        "hip" => Word::Hip,
        "spine" | "lowerback" | "abdomen" | "waist" | "torso" | "back" | "body" | "chest" | "upperchest"
        | "lowerchest" | "ribs" | "ribcage" | "thorax" | "stomach" | "belly" | "trunk" | "lowerspine"
        | "upperspine" | "upperback" | "spinelower" | "spineupper" | "spinemid" | "lumbar" | "sternum"
        | "backbone" | "lowertorso" | "uppertorso" | "ab" | "abdomenlower" | "abdomenupper"
        | "chestlower" | "chestupper" | "spinechest" | "spinenavel" | "middlespine" | "shouldercenter"
        | "spineshoulder" => Word::Spine,
        "neck" | "necklower" | "neckupper" | "lowerneck" | "upperneck" => Word::Neck,
        "head" | "skull" => Word::Head,
        "tail" => Word::Tail,
        "collar" | "clavicle" | "clav" | "collarbone" | "scapula" | "shoulderblade" => Word::Collar,
        "shoulder" | "shoulders" | "shoulderjoint" => Word::Shoulder,
        "arm" => Word::Arm,
        "upperarm" | "uparm" | "uarm" | "armupper" | "armup" | "shldr" | "bicep" | "biceps" | "humerus"
        | "shldrbend" => Word::UpperArm,
        "forearm" | "lowerarm" | "loarm" | "lowarm" | "farm" | "armlower" | "elbow" | "radius" | "ulna"
        | "forearmbend" | "lowarmbend" => Word::ForeArm,
        "hand" | "wrist" | "palm" => Word::Hand,
        "hipjoint" | "buttock" | "legroot" => Word::HipJoint,
        "thigh" | "upleg" | "upperleg" | "legupper" | "legup" | "femur" | "thighbend" => Word::Thigh,
        "leg" => Word::Leg,
        "shin" | "calf" | "knee" | "lowerleg" | "loleg" | "lowleg" | "leglower" | "leglow" | "tibia"
        | "shank" => Word::Shank,
        "hock" | "horselink" | "metatarsus" | "cannon" | "metatarsal" => Word::Hock,
        "ankle" => Word::Ankle,
        "foot" | "paw" | "hoof" | "feet" => Word::Foot,
        "toe" | "toes" | "toebase" | "ball" | "ballofoot" | "forefoot" | "football" | "bigtoe" => Word::Toes,
        _ => return None,
    })
}

/// The name that the partner on the other side has, if the name says a side.
pub fn mirrored_name(name: &str) -> Option<String> {
    const PAIRS: [(&str, &str); 8] = [
        ("left", "right"),
        ("Left", "Right"),
        ("LEFT", "RIGHT"),
        ("l", "r"),
        ("L", "R"),
        ("lft", "rgt"),
        ("Lft", "Rgt"),
        ("lt", "rt"),
    ];
    for (start, word) in word_starts(name) {
        for (a, b) in PAIRS {
            if let Some((_, other)) = [(a, b), (b, a)].into_iter().find(|(own, _)| *own == word) {
                return Some(format!("{}{other}{}", &name[..start], &name[start + word.len()..]));
            }
        }
    }
    // "leftarm", without a capital to split at.
    let lower = name.to_ascii_lowercase();
    [("left", "right"), ("right", "left")].into_iter().find_map(|(a, b)| {
        let start = lower.find(a)?;
        Some(format!("{}{b}{}", &name[..start], &name[start + a.len()..]))
    })
}

/// Removes the words if any is there.
fn take(words: &mut Vec<String>, any: &[&str]) -> bool {
    let before = words.len();
    if before > 1 {
        words.retain(|word| !any.contains(&word.as_str()));
    }
    words.len() < before
}

/// Takes the side out of the words. A single letter counts at the beginning and at the end only.
fn take_side(words: &mut Vec<String>) -> Option<Side> {
    let last = words.len() - 1;
    for (index, word) in words.iter().enumerate() {
        let counts = word.len() > 2 || index == 0 || index == last;
        let side = [(LEFT, Side::Left), (RIGHT, Side::Right)].into_iter().find(|(list, _)| is_in(list, word));
        if let (Some((_, side)), true) = (side, counts && words.len() > 1) {
            words.remove(index);
            return Some(side);
        }
    }
    None
}

/// The words of a name in lower case: cut at separators, between letters and digits, and where capitals begin. What stands
/// in brackets behind a name is a short form of it.
pub(super) fn words(name: &str) -> Vec<String> {
    let start = name.rfind([':', '|']).map_or(0, |colon| colon + 1);
    let end = name[start..].find(" [").map_or(name.len(), |bracket| start + bracket);
    word_starts(&name[start..end]).into_iter().map(|(_, word)| word.to_lowercase()).collect()
}

/// The words of a name with the byte at which each begins.
fn word_starts(name: &str) -> Vec<(usize, &str)> {
    let letters: Vec<(usize, char)> = name.char_indices().collect();
    let mut starts = Vec::new();
    let mut start = None;
    for (index, &(byte, letter)) in letters.iter().enumerate() {
        let before = index.checked_sub(1).map(|index| letters[index].1);
        let behind = letters.get(index + 1).map(|&(_, letter)| letter);
        let is_cut = before.is_some_and(|before| {
            (before.is_lowercase() && letter.is_uppercase())
                || before.is_ascii_digit() != letter.is_ascii_digit()
                // The last capital of several begins the next word: "LHip".
                || (before.is_uppercase() && letter.is_uppercase() && behind.is_some_and(char::is_lowercase))
        });
        if (is_cut || !letter.is_alphanumeric())
            && let Some(start) = start.take()
        {
            starts.push((start, &name[start..byte]));
        }
        if letter.is_alphanumeric() && start.is_none() {
            start = Some(byte);
        }
    }
    if let Some(start) = start {
        starts.push((start, &name[start..]));
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_convention_are_understood() {
        use Word::*;
        let (l, r) = (Some(Side::Left), Some(Side::Right));
        for (name, word, side) in [
            ("mixamorig:LeftUpLeg", Thigh, l),
            ("mixamorig1_RightArm", Arm, r),
            ("LHipJoint", Hip, l),
            ("Bip01 L UpperArm", UpperArm, l),
            ("Bip001 R Toe0", Toes, r),
            ("ValveBiped.Bip01_R_Forearm", ForeArm, r),
            ("bip01", Hips, None),
            ("J_Bip_L_LowerLeg", Shank, l),
            ("J_Bip_C_UpperChest", Spine, None),
            ("thigh_r", Thigh, r),
            ("spine_03", Spine, None),
            ("rShldr", UpperArm, r),
            ("lButtock", HipJoint, l),
            ("LeftHip", Hip, l),
            ("Hip", Hips, None),
            ("hip", Hips, None),
            ("LeftPelvis", HipJoint, l),
            ("leftUpperLeg", Thigh, l),
            ("upper_arm.L", UpperArm, l),
            ("DEF-shin.R", Shank, r),
            ("CC_Base_L_Calf", Shank, l),
            ("UpArm_L", UpperArm, l),
            ("LoLeg_R", Shank, r),
            ("Character1_LeftForeArm", ForeArm, l),
            ("leg_joint_L_1", Leg, l),
            ("b_LeftFoot01_017", Foot, l),
            ("LeftToeBase", Toes, l),
            ("RightHandEnd", Tip, r),
            ("HeadTop_End", Tip, None),
            ("leftarm", Arm, l),
            ("LeftHandIndex1", Finger, l),
            ("Shoulders", Spine, None),
            ("LowerBack", Spine, None),
            ("T12", Spine, None),
            ("lelbow", ForeArm, l),
            ("ShoulderLeft", Shoulder, l),
            ("L_Wrist", Hand, l),
            ("lThighBend", Thigh, l),
            ("R_Ankle", Ankle, r),
            ("CC_Base_NeckTwist01", Neck, None),
            ("LUArm", UpperArm, l),
            ("RFArm", ForeArm, r),
            ("forearm_stretch.l", ForeArm, l),
            ("Chest_M", Spine, None),
            ("Bip01 L Thigh [LThg]", Thigh, l),
        ] {
            let found = parse_name(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!((found.word, found.side), (word, side), "{name}");
            assert!(!found.is_front, "{name}");
        }
        for name in ["FrontUpLeg.L", "FrontLeftUpperLeg", "foreleg_l", "FrontFoot.L", "FrontLeftShoulder"] {
            let found = parse_name(name).unwrap_or_else(|| panic!("{name}"));
            assert!(found.is_front && found.side == l, "{name}");
        }
        assert_eq!(parse_name("BackUpLeg.R"), Some(NameParts { word: Thigh, side: r, is_front: false }));
        for name in ["j17", "Object_4", "__UpLeg_L", "LeftUpLegRoll", "thigh_twist_01_l", "leftEye", "", "L"]
        {
            assert_eq!(parse_name(name), None, "{name}");
        }
    }

    #[test]
    fn words_that_all_joints_share_say_nothing() {
        let joints = ["Hips", "Spine", "Head", "L_Hip", "L_Knee", "R_Hip", "R_Knee", "R_Foot"];
        let names: Vec<String> = joints.iter().map(|joint| format!("f_avg_{joint}")).collect();
        assert_eq!(parse_name(&names[3]), None);
        let vocabulary = Vocabulary::of(names.iter().map(String::as_str));
        for (name, joint) in names.iter().zip(joints) {
            assert_eq!(vocabulary.parse_name(name), parse_name(joint), "{name}");
        }
        // A long tail shares a word that does say something.
        let tail: Vec<String> = (0..20).map(|joint| format!("tail_{joint}")).collect();
        let vocabulary = Vocabulary::of(tail.iter().map(String::as_str));
        assert_eq!(vocabulary.parse_name(&tail[3]).map(|parts| parts.word), Some(Word::Tail));
    }

    #[test]
    fn partners_are_called_by_the_other_side() {
        for (name, other) in [
            ("LeftArm", Some("RightArm")),
            ("rThigh", Some("lThigh")),
            ("hand_l", Some("hand_r")),
            ("Bip01 L Calf", Some("Bip01 R Calf")),
            ("FrontRightFoot", Some("FrontLeftFoot")),
            ("leftarm", Some("rightarm")),
            ("BackFoot.R", Some("BackFoot.L")),
            ("Spine", None),
            ("j7", None),
        ] {
            assert_eq!(mirrored_name(name).as_deref(), other, "{name}");
        }
    }
}
