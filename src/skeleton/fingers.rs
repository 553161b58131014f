//! Fingers: what the joints behind a hand are.
//!
//! A name says which finger it is, and the tree which of its joints: conventions count from 0, 1 or 2, by words or not at all. A
//! joint is one of a finger only behind a hand that is known.

use super::figure::Figure;
use super::naming::{Finger, HELPERS, Limb, Role, Segment, Side, TIPS, parse_name, words};
use super::roles::{Reason, Roles};

/// How sure a finger is that its name says.
const BY_NAME: f64 = 0.95;
/// Joints of a finger that have a role, its metacarpal not counted. Hands of people have three.
pub const MOST_PHALANGES: u8 = 4;
/// A fourth joint that ends a finger marks its tip: Mixamo has such ones.
const PHALANGES: u8 = 3;
/// Words of bones in the palm. Those of a thumb are its first phalanx in every convention.
const PALM: &str = "metacarpal meta carpal in palm";
/// Words of fingers that people do not have.
const MORE: &str = "extra sixth";
/// A finger from its first letters or its word: those that other words may contain are asked for as whole words.
const PARTS: [(&str, Finger); 5] = [
    ("thumb", Finger::Thumb),
    ("index", Finger::Index),
    ("middle", Finger::Middle),
    ("pinky", Finger::Little),
    ("little", Finger::Little),
];
const WHOLE: [(&str, Finger); 6] = [
    ("pointer", Finger::Index),
    ("mid", Finger::Middle),
    ("ring", Finger::Ring),
    ("pinkie", Finger::Little),
    ("pink", Finger::Little),
    ("small", Finger::Little),
];

/// What the name of a finger's joint says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FingerName {
    finger: Named,
    /// It names a bone of the palm.
    is_palm: bool,
    /// The number at its end.
    number: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Known(Finger),
    /// `finger`, with the number that follows.
    Numbered(Option<u32>),
}

impl FingerName {
    /// What a name says; `None` if it says nothing of fingers, or is that of a helper or a tip.
    fn of(name: &str) -> Option<FingerName> {
        let words = words(name);
        let has = |list: &str| words.iter().any(|word| list.split(' ').any(|listed| listed == word));
        if name.starts_with("__") || has(HELPERS) || has(TIPS) || has(MORE) {
            return None;
        }
        let finger = words.iter().find_map(|word| known_finger(word));
        // Character Creator begins every name with `CC_Base`.
        let is_base = words.iter().skip_while(|word| known_finger(word).is_none()).any(|word| word == "base");
        let finger = match finger {
            Some(finger) => Named::Known(finger),
            None => Named::Numbered(number_of_finger(&words)?),
        };
        let number = words.iter().rev().find_map(|word| word.parse().ok());
        Some(FingerName { finger, is_palm: is_base || has(PALM), number })
    }
}

/// The finger that a word names, with or without its side: `lthumb`, `mid`.
fn known_finger(word: &str) -> Option<Finger> {
    let part = PARTS.iter().find(|(part, _)| word.contains(part)).map(|(_, finger)| *finger);
    let bare = [word, word.get(1..).filter(|_| word.starts_with(['l', 'r'])).unwrap_or(word)];
    part.or_else(|| WHOLE.iter().find(|(whole, _)| bare.contains(whole)).map(|(_, finger)| *finger))
}

/// The number behind the word `finger`, if that is there: `finger2-1` and `Finger21` are of the second.
fn number_of_finger(words: &[String]) -> Option<Option<u32>> {
    let at = words.iter().position(|word| word.contains("finger"))?;
    Some(words.get(at + 1).and_then(|word| word.parse().ok()))
}

/// Gives joints behind hands the roles of fingers, as far as names say them. What has a role from elsewhere keeps it.
pub(super) fn find_fingers(figure: &Figure, roles: &mut Roles) {
    for side in [Side::Left, Side::Right] {
        let hand = Role::Limb(Limb::Arm, side, Segment::End);
        if let Some(hand) = roles.roles.iter().position(|role| *role == Some(hand)) {
            let behind = Behind { figure, side, hand };
            behind.name(roles);
        }
    }
}

/// What is behind a hand.
struct Behind<'a> {
    figure: &'a Figure,
    side: Side,
    hand: usize,
}

/// A joint of a finger in the tree.
#[derive(Debug, Clone, Copy)]
struct Knuckle {
    joint: usize,
    name: FingerName,
    /// The last joint of a finger above it, as a place in the list.
    above: Option<usize>,
}

impl Behind<'_> {
    fn name(&self, roles: &mut Roles) {
        let knuckles = self.knuckles();
        let fingers = self.fingers(&knuckles);
        let palms = palms(&knuckles, &fingers);
        for (place, knuckle) in knuckles.iter().enumerate() {
            let Some(finger) = fingers[place] else { continue };
            let above = || above(&knuckles, place).filter(|&other| fingers[other] == Some(finger));
            let phalanx = above().filter(|&other| !palms[other]).count() as u8 + 1;
            let is_tip = phalanx > PHALANGES && self.is_last(knuckle.joint);
            if palms[place] && phalanx == 1 {
                self.set(knuckle.joint, Role::Finger(self.side, finger, 0), roles);
            } else if phalanx <= MOST_PHALANGES && !is_tip {
                self.set(knuckle.joint, Role::Finger(self.side, finger, phalanx), roles);
            }
        }
        self.name_palms(roles);
    }

    /// A role for a joint that has none, or only that of the fingers as a whole; each role once.
    fn set(&self, joint: usize, role: Role, roles: &mut Roles) {
        let is_free = match roles.roles[joint] {
            None => true,
            Some(Role::Limb(Limb::Arm, side, Segment::Toes | Segment::Tip)) => side == self.side,
            Some(_) => false,
        };
        if is_free && !roles.roles.contains(&Some(role)) {
            roles.set(joint, role, Reason::Name, BY_NAME);
        }
    }

    /// The joints behind the hand whose names are those of fingers, parents first.
    fn knuckles(&self) -> Vec<Knuckle> {
        let figure = self.figure;
        let mut knuckles: Vec<Knuckle> = Vec::new();
        // For each joint behind the hand the knuckle at or above it.
        let mut nearest: Vec<Option<Option<usize>>> = vec![None; figure.names.len()];
        nearest[self.hand] = Some(None);
        for joint in self.hand + 1..figure.names.len() {
            let Some(above) = figure.parents[joint].and_then(|parent| nearest[parent]) else { continue };
            nearest[joint] = Some(above);
            let name = FingerName::of(&figure.names[joint]).filter(|name| self.is_own(joint, name));
            if let Some(name) = name.filter(|_| knuckles.len() < MOST_KNUCKLES) {
                nearest[joint] = Some(Some(knuckles.len()));
                knuckles.push(Knuckle { joint, name, above });
            }
        }
        knuckles
    }

    /// Whether a joint turns, is named on no other side, and is not the hand itself: what CMU's captures call the base of the fingers
    /// is in the wrist.
    fn is_own(&self, joint: usize, name: &FingerName) -> bool {
        let named = parse_name(&self.figure.names[joint]).and_then(|parts| parts.side);
        let is_hand = matches!(name.finger, Named::Numbered(_)) && self.figure.is_in_hand(self.hand, joint);
        !self.figure.is_end[joint] && named.is_none_or(|side| side == self.side) && !is_hand
    }

    /// Whether nothing but an end hangs on a joint.
    fn is_last(&self, joint: usize) -> bool {
        self.figure.branches.children[joint].iter().all(|&child| self.figure.is_end[child])
    }

    /// The finger of each knuckle: that of its name, else that of the joint above it, else by the numbers of all.
    fn fingers(&self, knuckles: &[Knuckle]) -> Vec<Option<Finger>> {
        let numbering = Numbering::of(knuckles);
        let mut fingers: Vec<Option<Finger>> = Vec::new();
        for knuckle in knuckles {
            let above = knuckle.above.map(|above| (fingers[above], knuckles[above].name.finger));
            fingers.push(match (knuckle.name.finger, above) {
                (Named::Known(finger), _) => Some(finger),
                (Named::Numbered(_), Some((finger, Named::Numbered(_)))) => finger,
                (Named::Numbered(number), _) => numbering.finger(number),
            });
        }
        fingers
    }

    /// A bone of the palm that carries one finger alone is of that finger, whatever it is called: `palm.01`, `carpal2`.
    fn name_palms(&self, roles: &mut Roles) {
        for finger in Finger::OF_PALM {
            let [first, palm] = [1, 0].map(|phalanx| Role::Finger(self.side, finger, phalanx));
            let Some(joint) = roles.roles.iter().position(|role| *role == Some(first)) else { continue };
            let Some(parent) = self.figure.parents[joint].filter(|&parent| parent != self.hand) else {
                continue;
            };
            let is_in_palm = self.figure.parents[parent] == Some(self.hand);
            let carries_one = self.figure.branches.children[parent].len() == 1;
            let words = words(&self.figure.names[parent]);
            let is_named = words.iter().any(|word| word.contains("palm") || word.contains("carpal"));
            if is_in_palm && carries_one && is_named {
                self.set(parent, palm, roles);
            }
        }
    }
}

/// A hand has two dozen joints; a file may call ten thousand so, and each is compared with those above it.
const MOST_KNUCKLES: usize = 64;

/// The knuckles above one, from the nearest.
fn above(knuckles: &[Knuckle], place: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(knuckles[place].above, |&other| knuckles[other].above)
}

/// Which knuckles are bones of the palm: by their words, or the first of four that is number 0.
fn palms(knuckles: &[Knuckle], fingers: &[Option<Finger>]) -> Vec<bool> {
    let is_first = |place: usize| above(knuckles, place).all(|other| fingers[other] != fingers[place]);
    let joints_of = |finger| fingers.iter().filter(|other| **other == finger).count();
    let is_palm = |place: usize| {
        let name = knuckles[place].name;
        let is_known = name.finger != Named::Numbered(None);
        let is_zero = matches!(name.finger, Named::Known(_)) && name.number == Some(0);
        let counts = fingers[place] != Some(Finger::Thumb) && is_first(place);
        // A palm without a finger behind it is the finger.
        let has_more = joints_of(fingers[place]) > 1;
        counts && has_more && is_known && (name.is_palm || is_zero && joints_of(fingers[place]) > 3)
    };
    (0..knuckles.len()).map(is_palm).collect()
}

/// How fingers are numbered that have no names.
#[derive(Debug, Clone, Copy)]
enum Numbering {
    /// There is one: all fingers together.
    One,
    /// The thumb has this number.
    FromThumb(u32),
    /// The index finger has this number; thumbs have a name.
    FromIndex(u32),
}

impl Numbering {
    fn of(knuckles: &[Knuckle]) -> Numbering {
        let is_root = |knuckle: &&Knuckle| {
            knuckle.above.is_none_or(|above| !matches!(knuckles[above].name.finger, Named::Numbered(_)))
        };
        let numbers = knuckles.iter().filter(is_root).filter_map(|knuckle| match knuckle.name.finger {
            Named::Numbered(number) => Some(number.unwrap_or(0)),
            Named::Known(_) => None,
        });
        let numbers: Vec<u32> = numbers.collect();
        let has_thumb = knuckles.iter().any(|knuckle| knuckle.name.finger == Named::Known(Finger::Thumb));
        match (numbers.len(), numbers.iter().min()) {
            (0 | 1, _) | (_, None) => Numbering::One,
            (_, Some(&least)) if has_thumb => Numbering::FromIndex(least),
            (_, Some(&least)) => Numbering::FromThumb(least),
        }
    }

    fn finger(self, number: Option<u32>) -> Option<Finger> {
        let place = match self {
            Numbering::One => return Some(Finger::All),
            Numbering::FromThumb(first) => number.unwrap_or(0).checked_sub(first)?,
            Numbering::FromIndex(first) => number.unwrap_or(0).checked_sub(first)?.checked_add(1)?,
        };
        Finger::OF_HAND.get(place as usize).copied()
    }
}

/// The role that a name means by itself: `left_index_2`, `LeftThumbProximal`, `right little finger`.
pub(super) fn finger_by_name(name: &str) -> Option<Role> {
    let FingerName { finger, is_palm, number } = FingerName::of(name)?;
    let side = parse_name(name)?.side?;
    let finger = match finger {
        Named::Known(finger) => finger,
        Named::Numbered(None) => Finger::All,
        Named::Numbered(Some(_)) => return None,
    };
    let is_thumb = finger == Finger::Thumb;
    let phalanx = match words(name).last().map(String::as_str) {
        Some("metacarpal") if is_thumb => 1,
        Some("proximal") => 1 + u8::from(is_thumb),
        Some("intermediate" | "medial") => 2,
        Some("distal") => 3,
        _ if is_palm && !is_thumb => 0,
        _ => u8::try_from(number.unwrap_or(1)).ok()?,
    };
    (phalanx <= MOST_PHALANGES).then_some(Role::Finger(side, finger, phalanx))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::skeleton::{FigureNode, Skeleton};

    /// The human with joints behind its left hand: names, each with the name that it hangs on, empty for the hand.
    pub(crate) fn with_fingers(joints: &[(&str, &str)]) -> Figure {
        let human = Figure::of_skeleton(&Skeleton::human());
        let hand = human.limb(Limb::Arm, Side::Left, Segment::End).unwrap();
        let count = human.names.len();
        let mut names = human.names.clone();
        let (mut parents, mut positions) = (human.parents.clone(), human.positions.clone());
        let mut is_end = human.is_end.clone();
        for (name, parent) in joints {
            let parent =
                names[count..].iter().position(|other| other == parent).map_or(hand, |at| count + at);
            names.push((*name).to_owned());
            positions.push(positions[parent] + Vec3::new(0.02, 0.0, 0.001 * names.len() as f64));
            parents.push(Some(parent));
            is_end.push(false);
        }
        let nodes = (0..names.len()).map(|joint| FigureNode {
            name: &names[joint],
            parent: parents[joint],
            position: positions[joint],
            is_end: is_end[joint],
        });
        Figure::bare(nodes).with_roles()
    }

    /// Chains of names, each behind the one before: `a>b c>d` are two.
    fn chains(text: &str) -> Vec<(&str, &str)> {
        let mut joints = Vec::new();
        for chain in text.split(' ') {
            let mut above = "";
            for name in chain.split('>') {
                if !joints.iter().any(|(other, _)| *other == name) {
                    joints.push((name, above));
                }
                above = name;
            }
        }
        joints
    }

    fn role_of(figure: &Figure, name: &str) -> Option<String> {
        let joint = figure.names.iter().position(|other| other == name).unwrap();
        figure.roles.roles[joint].map(|role| role.to_string())
    }

    /// Each line: who calls them so, the joints of a thumb and of the other fingers from the index on, each from the hand outwards.
    const CONVENTIONS: &str = "\
        Mixamo; mixamorig:LeftHandThumb1>mixamorig:LeftHandThumb2>mixamorig:LeftHandThumb3 mixamorig:LeftHandIndex1>mixamorig:LeftHandIndex2>mixamorig:LeftHandIndex3 mixamorig:LeftHandMiddle1>mixamorig:LeftHandMiddle2>mixamorig:LeftHandMiddle3 mixamorig:LeftHandRing1>mixamorig:LeftHandRing2>mixamorig:LeftHandRing3 mixamorig:LeftHandPinky1>mixamorig:LeftHandPinky2>mixamorig:LeftHandPinky3
        Unreal; thumb_01_l>thumb_02_l>thumb_03_l index_01_l>index_02_l>index_03_l middle_01_l>middle_02_l>middle_03_l ring_01_l>ring_02_l>ring_03_l pinky_01_l>pinky_02_l>pinky_03_l
        Unreal with a palm; thumb_01_l>thumb_02_l>thumb_03_l index_metacarpal_l>index_01_l>index_02_l>index_03_l middle_metacarpal_l>middle_01_l>middle_02_l>middle_03_l ring_metacarpal_l>ring_01_l>ring_02_l>ring_03_l pinky_metacarpal_l>pinky_01_l>pinky_02_l>pinky_03_l
        Godot; LeftThumbMetacarpal>LeftThumbProximal>LeftThumbDistal LeftIndexProximal>LeftIndexIntermediate>LeftIndexDistal LeftMiddleProximal>LeftMiddleIntermediate>LeftMiddleDistal LeftRingProximal>LeftRingIntermediate>LeftRingDistal LeftLittleProximal>LeftLittleIntermediate>LeftLittleDistal
        Unity; LeftThumbProximal>LeftThumbIntermediate>LeftThumbDistal LeftIndexProximal>LeftIndexIntermediate>LeftIndexDistal LeftMiddleProximal>LeftMiddleIntermediate>LeftMiddleDistal LeftRingProximal>LeftRingIntermediate>LeftRingDistal LeftLittleProximal>LeftLittleIntermediate>LeftLittleDistal
        VRM; leftThumbMetacarpal>leftThumbProximal>leftThumbDistal leftIndexProximal>leftIndexIntermediate>leftIndexDistal leftMiddleProximal>leftMiddleIntermediate>leftMiddleDistal leftRingProximal>leftRingIntermediate>leftRingDistal leftLittleProximal>leftLittleIntermediate>leftLittleDistal
        VRoid; J_Bip_L_Thumb1>J_Bip_L_Thumb2>J_Bip_L_Thumb3 J_Bip_L_Index1>J_Bip_L_Index2>J_Bip_L_Index3 J_Bip_L_Middle1>J_Bip_L_Middle2>J_Bip_L_Middle3 J_Bip_L_Ring1>J_Bip_L_Ring2>J_Bip_L_Ring3 J_Bip_L_Little1>J_Bip_L_Little2>J_Bip_L_Little3
        Rokoko; LeftFinger1Metacarpal>LeftFinger1Proximal>LeftFinger1Distal LeftFinger2Proximal>LeftFinger2Medial>LeftFinger2Distal LeftFinger3Proximal>LeftFinger3Medial>LeftFinger3Distal LeftFinger4Proximal>LeftFinger4Medial>LeftFinger4Distal LeftFinger5Proximal>LeftFinger5Medial>LeftFinger5Distal
        Character Creator; CC_Base_L_Thumb1>CC_Base_L_Thumb2>CC_Base_L_Thumb3 CC_Base_L_Index1>CC_Base_L_Index2>CC_Base_L_Index3 CC_Base_L_Mid1>CC_Base_L_Mid2>CC_Base_L_Mid3 CC_Base_L_Ring1>CC_Base_L_Ring2>CC_Base_L_Ring3 CC_Base_L_Pinky1>CC_Base_L_Pinky2>CC_Base_L_Pinky3
        Rigify; DEF-thumb.01.L>DEF-thumb.02.L>DEF-thumb.03.L DEF-palm.01.L>DEF-f_index.01.L>DEF-f_index.02.L>DEF-f_index.03.L DEF-palm.02.L>DEF-f_middle.01.L>DEF-f_middle.02.L>DEF-f_middle.03.L DEF-palm.03.L>DEF-f_ring.01.L>DEF-f_ring.02.L>DEF-f_ring.03.L DEF-palm.04.L>DEF-f_pinky.01.L>DEF-f_pinky.02.L>DEF-f_pinky.03.L
        Daz; lThumb1>lThumb2>lThumb3 lCarpal1>lIndex1>lIndex2>lIndex3 lCarpal2>lMid1>lMid2>lMid3 lCarpal3>lRing1>lRing2>lRing3 lCarpal4>lPinky1>lPinky2>lPinky3
        Poser; lThumb1>lThumb2>lThumb3 lIndex1>lIndex2>lIndex3 lMid1>lMid2>lMid3 lRing1>lRing2>lRing3 lPinky1>lPinky2>lPinky3
        MakeHuman; finger1-1.L>finger1-2.L>finger1-3.L metacarpal1.L>finger2-1.L>finger2-2.L>finger2-3.L metacarpal2.L>finger3-1.L>finger3-2.L>finger3-3.L metacarpal3.L>finger4-1.L>finger4-2.L>finger4-3.L metacarpal4.L>finger5-1.L>finger5-2.L>finger5-3.L
        old MakeHuman; __Thumb1_L>Thumb1_L>Thumb2_L>Thumb3_L __Index1_L>Index1_L>Index2_L>Index3_L Middle1_L>Middle2_L>Middle3_L __Ring1_L>Ring1_L>Ring2_L>Ring3_L __Pinky1_L>Pinky1_L>Pinky2_L>Pinky3_L
        Biped; Bip01_L_Finger0>Bip01_L_Finger01>Bip01_L_Finger02 Bip01_L_Finger1>Bip01_L_Finger11>Bip01_L_Finger12 Bip01_L_Finger2>Bip01_L_Finger21>Bip01_L_Finger22 Bip01_L_Finger3>Bip01_L_Finger31>Bip01_L_Finger32 Bip01_L_Finger4>Bip01_L_Finger41>Bip01_L_Finger42
        HumanIK; LeftHandThumb1>LeftHandThumb2>LeftHandThumb3 LeftInHandIndex>LeftHandIndex1>LeftHandIndex2>LeftHandIndex3 LeftInHandMiddle>LeftHandMiddle1>LeftHandMiddle2>LeftHandMiddle3 LeftInHandRing>LeftHandRing1>LeftHandRing2>LeftHandRing3 LeftInHandPinky>LeftHandPinky1>LeftHandPinky2>LeftHandPinky3
        SMPL-X; left_thumb1>left_thumb2>left_thumb3 left_index1>left_index2>left_index3 left_middle1>left_middle2>left_middle3 left_ring1>left_ring2>left_ring3 left_pinky1>left_pinky2>left_pinky3
        Auto-Rig Pro; c_thumb1.l>c_thumb2.l>c_thumb3.l index1_base.l>c_index1.l>c_index2.l>c_index3.l middle1_base.l>c_middle1.l>c_middle2.l>c_middle3.l ring1_base.l>c_ring1.l>c_ring2.l>c_ring3.l pinky1_base.l>c_pinky1.l>c_pinky2.l>c_pinky3.l
        Advanced Skeleton; ThumbFinger1_L>ThumbFinger2_L>ThumbFinger3_L IndexFinger1_L>IndexFinger2_L>IndexFinger3_L MiddleFinger1_L>MiddleFinger2_L>MiddleFinger3_L RingFinger1_L>RingFinger2_L>RingFinger3_L PinkyFinger1_L>PinkyFinger2_L>PinkyFinger3_L
        counted from two; Thumb2.L>Thumb3.L>Thumb4.L Index2.L>Index3.L>Index4.L Middle2.L>Middle3.L>Middle4.L Ring2.L>Ring3.L>Ring4.L Pinky2.L>Pinky3.L>Pinky4.L
        counted from zero; l_thumb_0>l_thumb_1>l_thumb_2 l_index_0>l_index_1>l_index_2>l_index_3 l_middle_0>l_middle_1>l_middle_2>l_middle_3 l_ring_0>l_ring_1>l_ring_2>l_ring_3 l_pinky_0>l_pinky_1>l_pinky_2>l_pinky_3";

    #[test]
    fn fingers_of_every_convention_are_known() {
        for line in CONVENTIONS.lines() {
            let (maker, fingers) = line.trim().split_once("; ").unwrap();
            let figure = with_fingers(&chains(fingers));
            assert_eq!(fingers.split(' ').count(), 5, "{maker}");
            for (chain, finger) in fingers.split(' ').zip(Finger::OF_HAND) {
                for (from_tip, name) in chain.split('>').rev().enumerate() {
                    let expected = match from_tip {
                        0..=2 => Some(format!("Left{finger:?}{}", 3 - from_tip)),
                        // A helper, which has at most the role of all fingers.
                        _ if name.starts_with("__") => continue,
                        _ => Some(format!("Left{finger:?}0")),
                    };
                    assert_eq!(role_of(&figure, name), expected, "{maker}: {name}");
                }
            }
        }
    }

    #[test]
    fn hands_that_are_not_as_hands_are() {
        let role = |figure: &Figure, name: &str| role_of(figure, name).unwrap_or_default();
        // A sixth finger, and tips.
        let figure = with_fingers(&chains(
            "LeftHandIndex1>LeftHandIndex2>LeftHandIndex3>LeftHandIndex4 LeftHandExtraFinger1>LeftHandExtraFinger2 LeftHandPinky1",
        ));
        assert_eq!(role(&figure, "LeftHandIndex3"), "LeftIndex3");
        for other in ["LeftHandIndex4", "LeftHandExtraFinger1", "LeftHandExtraFinger2"] {
            assert_eq!(role(&figure, other), "", "{other}");
        }
        assert_eq!(role(&figure, "LeftHandPinky1"), "LeftLittle1");
        // A mitten, CMU's, and one whose joints are numbered.
        let figure = with_fingers(&chains("lfingers lthumb"));
        assert_eq!(role(&figure, "lfingers"), "LeftFingers1");
        assert_eq!(role(&figure, "lthumb"), "LeftThumb1");
        let figure = with_fingers(&chains("LeftFingerBase>LeftHandIndex1 LThumb"));
        assert_eq!(role(&figure, "LeftFingerBase"), "LeftFingers1");
        assert_eq!(role(&figure, "LeftHandIndex1"), "LeftIndex1");
        let mut figure = figure;
        let at = |name: &str| figure.names.iter().position(|other| other == name).unwrap();
        let (hand, base) = (at("LeftHand"), at("LeftFingerBase"));
        figure.positions[base] = figure.positions[hand];
        let figure = figure.with_roles();
        assert!(!role(&figure, "LeftFingerBase").starts_with("LeftFingers1"));
        assert_eq!(
            (role(&figure, "LeftHandIndex1"), figure.palm(Side::Left)),
            ("LeftIndex1".into(), Some(base))
        );
        let figure =
            with_fingers(&chains("Finger_01>Finger_02>Finger_03 IndexFinger_01>IndexFinger_02 Thumb_01"));
        assert_eq!(role(&figure, "Finger_02"), "LeftFingers2");
        assert_eq!(role(&figure, "IndexFinger_02"), "LeftIndex2");
        // Two fingers of one name, and one of the other side.
        let figure = with_fingers(&chains("index_a_l index_b_l RightHandRing1"));
        assert_eq!(role(&figure, "index_a_l"), "LeftIndex1");
        assert_eq!(role(&figure, "index_b_l"), "");
        assert_eq!(role(&figure, "RightHandRing1"), "");
    }

    #[test]
    fn fingers_under_no_hand_have_no_role() {
        let human = Figure::of_skeleton(&Skeleton::human());
        let nodes = (0..human.names.len()).map(|joint| FigureNode {
            name: if human.roles.roles[joint] == Some(Role::HeadTip) {
                "LeftHandIndex1"
            } else {
                &human.names[joint]
            },
            parent: human.parents[joint],
            position: human.positions[joint],
            is_end: false,
        });
        let figure = Figure::bare(nodes).with_roles();
        assert!(!figure.roles.roles.iter().flatten().any(|role| matches!(role, Role::Finger(..))));
    }

    #[test]
    fn people_say_which_finger() {
        for (name, role) in [
            ("left_index_2", "LeftIndex2"),
            ("left thumb", "LeftThumb1"),
            ("LeftThumbProximal", "LeftThumb2"),
            ("rightLittleDistal", "RightLittle3"),
            ("right_ring_metacarpal", "RightRing0"),
            ("left fingers", "LeftFingers1"),
        ] {
            assert_eq!(finger_by_name(name).map(|role| role.to_string()).as_deref(), Some(role), "{name}");
        }
        for name in ["index", "left_index_9", "left_elbow", "left_finger_2"] {
            assert_eq!(finger_by_name(name), None, "{name}");
        }
    }

    #[test]
    fn roles_of_fingers_are_read_as_they_are_written() {
        for finger in Finger::OF_HAND.into_iter().chain([Finger::All]) {
            for phalanx in 0..=MOST_PHALANGES {
                let role = Role::Finger(Side::Right, finger, phalanx);
                assert_eq!(role.to_string().parse(), Ok(role));
            }
        }
    }
}
