//! What each joint of a figure is: by its name, checked against the tree, or by geometry.
//!
//! Names are trusted where they make a body: hips and two legs of three joints, the lower below the upper, sides not
//! mixed. What names leave open (a helper, the end of a limb, a spine of numbered joints) follows from the
//! tree. Where they do not make a body, the figure is matched against known bodies ([`super::chains`]).

use super::chains;
use super::figure::Figure;
use super::fingers::find_fingers;
use super::separate_feet::find_separate_feet;
use crate::skeleton::naming::{Limb, NameParts, Role, Segment, Side, Vocabulary, Word};
use std::collections::BTreeMap;

/// Why a joint has its role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Its name says so, and the tree does not contradict.
    Name,
    /// It lies where a joint of that role lies between others that are known.
    Tree,
    /// The shape of the body.
    Geometry,
    /// The file says so, in a table of bones.
    File,
    /// The user said so.
    User,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Reason::Name => "name",
            Reason::Tree => "tree",
            Reason::Geometry => "geometry",
            Reason::File => "as the file says",
            Reason::User => "as told",
        })
    }
}

/// The roles of the joints of a figure, with how sure they are and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Roles {
    /// The role of each joint.
    pub roles: Vec<Option<Role>>,
    /// From 0 to 1; 0 for a joint without a role.
    pub confidence: Vec<f64>,
    /// Why; meaningless for a joint without a role.
    pub reasons: Vec<Reason>,
    /// The naming convention, if it is a known one.
    pub convention: Option<&'static str>,
}

/// Joints of one limb and of the trunk that names are looked at for. Bodies have a dozen; a file may call ten thousand
/// joints `LeftLeg`, and each is compared with each.
const MOST_NAMED: usize = 32;

/// How sure a role is that follows from the tree between named joints.
pub(crate) const BY_TREE: f64 = 0.8;

impl Roles {
    /// No joint has a role.
    pub fn none(count: usize) -> Roles {
        Roles {
            roles: vec![None; count],
            confidence: vec![0.0; count],
            reasons: vec![Reason::Name; count],
            convention: None,
        }
    }

    pub(crate) fn set(&mut self, joint: usize, role: Role, reason: Reason, confidence: f64) {
        self.roles[joint] = Some(role);
        self.reasons[joint] = reason;
        self.confidence[joint] = confidence;
    }

    /// How many joints have a role.
    pub fn count(&self) -> usize {
        self.roles.iter().flatten().count()
    }

    /// Mean confidence over the joints that have a role.
    pub fn mean_confidence(&self) -> f64 {
        self.confidence.iter().sum::<f64>() / (self.count() as f64).max(1.0)
    }
}

/// The roles of a figure.
pub fn recognise(figure: &Figure) -> Roles {
    let named = by_names(figure);
    let mut roles = if is_body(&named) {
        named
    } else if let Some(roles) = chains::by_geometry(figure) {
        roles
    } else if is_bust(&named) {
        named
    } else {
        Roles::none(figure.names.len())
    };
    if roles.count() > 0 {
        fill_in(figure, &mut roles);
        name_forelegs(figure, &mut roles);
        find_separate_feet(figure, &mut roles);
        find_fingers(figure, &mut roles);
    }
    roles.convention = convention(figure);
    roles
}

/// The roles of a figure of which some are known. If those make no body, they count for nothing.
pub fn complete(figure: &Figure, known: &[(usize, Role)]) -> Roles {
    let mut roles = Roles::none(figure.names.len());
    for &(joint, role) in known {
        roles.set(joint, role, Reason::File, 1.0);
    }
    if !is_body(&roles) {
        return recognise(figure);
    }
    fill_in(figure, &mut roles);
    find_fingers(figure, &mut roles);
    roles.convention = convention(figure);
    roles
}

/// Names that occur in one convention only, the telling ones first.
const CONVENTIONS: [(&str, &str); 27] = [
    ("mixamorig", "Mixamo"),
    ("ValveBiped", "Source engine"),
    ("CC_Base_", "Character Creator"),
    ("J_Bip_", "VRoid"),
    ("Bip0", "3ds Max Biped"),
    ("LHipJoint", "CMU, MotionBuilder"),
    ("T8", "Xsens MVN"),
    ("thigh_l", "Unreal"),
    ("leftUpperLeg", "VRM"),
    ("rShldr", "Poser, DAZ"),
    ("r_metatarsals", "DAZ"),
    ("LeftThigh", "Rokoko"),
    ("InHand", "Perception Neuron"),
    ("LUArm", "OptiTrack"),
    ("L_Collar", "SMPL"),
    ("HipCenter", "Kinect"),
    ("SpineBase", "Kinect"),
    ("lfemur", "Acclaim, Vicon"),
    ("Root_M", "Advanced Skeleton"),
    ("thigh_stretch", "Auto-Rig Pro"),
    ("DEF-", "Rigify"),
    ("UpLeg_L", "MakeHuman"),
    ("FrontUpLeg", "animator's rig"),
    ("LeftToeBase", "MotionBuilder, Mixamo"),
    ("LeftUpLeg", "LAFAN1, MotionBuilder"),
    ("LeftUpperLeg", "Godot, puppetry"),
    ("LeftKnee", "Biovision, Xsens"),
];

fn convention(figure: &Figure) -> Option<&'static str> {
    CONVENTIONS
        .into_iter()
        .find(|(sign, _)| {
            figure.names.iter().any(|name| if sign.len() < 3 { name == sign } else { name.contains(sign) })
        })
        .map(|(_, convention)| convention)
}

// ---- names ----

/// A joint with a word of a limb.
#[derive(Debug, Clone, Copy)]
struct Named {
    joint: usize,
    word: Word,
}

/// The roles that names give, whether or not they make a body.
fn by_names(figure: &Figure) -> Roles {
    let count = figure.names.len();
    let mut roles = Roles::none(count);
    let mut limbs: BTreeMap<(Limb, Side), Vec<Named>> = BTreeMap::new();
    let mut middle: Vec<Named> = Vec::new();
    let mut tips: Vec<usize> = Vec::new();
    let joints = || (0..count).filter(|&joint| !figure.is_end[joint]);
    let vocabulary = Vocabulary::of(joints().map(|joint| figure.names[joint].as_str()));
    for joint in joints() {
        let Some(NameParts { word, side, is_front }) = vocabulary.parse_name(&figure.names[joint]) else {
            continue;
        };
        let limb = match word {
            Word::Collar | Word::Shoulder | Word::Arm | Word::UpperArm | Word::ForeArm | Word::Hand => {
                Limb::Arm
            }
            Word::Hips | Word::Spine | Word::Neck | Word::Head | Word::Tail => {
                if middle.len() < 8 * MOST_NAMED {
                    middle.push(Named { joint, word });
                }
                continue;
            }
            Word::Tip => {
                tips.push(joint);
                continue;
            }
            Word::Finger => continue,
            _ => Limb::Leg,
        };
        let limb = if is_front { Limb::FrontLeg } else { limb };
        if let Some(side) = side {
            let named = limbs.entry((limb, side)).or_default();
            if named.len() < MOST_NAMED {
                named.push(Named { joint, word });
            }
        }
    }
    // A shoulder without an arm is that of a foreleg.
    for side in [Side::Left, Side::Right] {
        let is_girdle = |n: &Named| matches!(n.word, Word::Collar | Word::Shoulder);
        if limbs.contains_key(&(Limb::FrontLeg, side))
            && limbs.get(&(Limb::Arm, side)).is_some_and(|named| named.iter().all(is_girdle))
        {
            let shoulder = limbs.remove(&(Limb::Arm, side)).unwrap_or_default();
            limbs.entry((Limb::FrontLeg, side)).or_default().extend(shoulder);
        }
    }
    for (&(limb, side), named) in &limbs {
        for (joint, segment) in limb_by_names(figure, limb, named) {
            roles.set(joint, Role::Limb(limb, side, segment), Reason::Name, 0.95);
        }
    }
    drop_crossed_sides(figure, &mut roles);
    trunk_by_names(figure, &middle, &mut roles);
    if !roles.roles.contains(&Some(Role::Head)) {
        head_by_tree(figure, &tips, &mut roles);
    }
    roles
}

/// Hips and two legs of three joints, or four legs of two: feet of animals may be missing.
fn is_body(roles: &Roles) -> bool {
    let has = |role: Role| roles.roles.contains(&Some(role));
    let leg = |limb: Limb, least: &[Segment]| {
        [Side::Left, Side::Right]
            .iter()
            .all(|&side| least.iter().all(|&segment| has(Role::Limb(limb, side, segment))))
    };
    let (upper, lower) = (Segment::Upper, Segment::Lower);
    has(Role::Hips)
        && (leg(Limb::Leg, &[upper, lower, Segment::End])
            || (leg(Limb::Leg, &[upper, lower]) && leg(Limb::FrontLeg, &[upper, lower])))
}

/// What is captured of somebody who sits at a desk: arms, and something that they hang on.
fn is_bust(roles: &Roles) -> bool {
    let has = |role: Role| roles.roles.contains(&Some(role));
    let arm = |side: Side| {
        [Segment::Upper, Segment::Lower].iter().all(|&segment| has(Role::Limb(Limb::Arm, side, segment)))
    };
    arm(Side::Left) && arm(Side::Right) && (has(Role::Hips) || has(Role::Spine))
}

/// A helper between hips and thigh is level with the thigh; what is above it by more than this part of the thigh is a bone.
const ABOVE_THIGH: f64 = 0.3;

/// Whether a leg has a bone called so above a thigh and a shank.
fn has_three_bones(figure: &Figure, named: &[Named]) -> bool {
    let below = |joint: usize, word: Word| {
        named.iter().find(|n| n.word == word && is_above(figure, joint, n.joint)).map(|n| n.joint)
    };
    named.iter().filter(|n| n.word == Word::Leg).any(|leg| {
        let Some(thigh) = below(leg.joint, Word::Thigh) else { return false };
        let Some(shank) = below(thigh, Word::Shank) else { return false };
        let [leg, thigh, shank] = [leg.joint, thigh, shank].map(|joint| figure.positions[joint]);
        leg.y - thigh.y > ABOVE_THIGH * (shank - thigh).norm()
    })
}

/// The segments of one limb from the words of its joints.
fn limb_by_names(figure: &Figure, limb: Limb, named: &[Named]) -> Vec<(usize, Segment)> {
    let has = |words: &[Word]| named.iter().any(|n| words.contains(&n.word));
    let is_above_a =
        |joint: usize, word: Word| named.iter().any(|n| n.word == word && is_above(figure, joint, n.joint));
    // How many joints of a word are above a joint.
    let nth = |joint: usize, word: Word| {
        named.iter().filter(|n| n.word == word && is_above(figure, n.joint, joint)).count()
    };
    let how_many = |word: Word| named.iter().filter(|n| n.word == word).count();
    // Above the upper bone of a foreleg is the shoulder blade.
    let has_three_bones = limb == Limb::Leg && has_three_bones(figure, named);
    let mut found: Vec<(usize, Segment)> = Vec::new();
    for &Named { joint, word } in named {
        let segment = match word {
            Word::Collar | Word::HipJoint => Segment::Girdle,
            // Biovision's shoulder is the upper arm, everybody else's the collar bone above it.
            Word::Shoulder if has(&[Word::Arm, Word::UpperArm, Word::Thigh, Word::Leg]) => Segment::Girdle,
            Word::Shoulder => Segment::Upper,
            // A hind leg's leg, upper leg and lower leg are its thigh, its shank and what stands on the paw.
            Word::Leg if has_three_bones && is_above_a(joint, Word::Thigh) => Segment::Upper,
            Word::Thigh if has_three_bones => Segment::Lower,
            Word::Shank if has_three_bones => Segment::Hock,
            Word::UpperArm | Word::Thigh => Segment::Upper,
            Word::Hip if has(&[Word::Thigh]) => Segment::Girdle,
            Word::Hip => Segment::Upper,
            Word::ForeArm | Word::Shank => Segment::Lower,
            // A metatarsal of a person is in the foot.
            Word::Hock if nth(joint, Word::Foot) + nth(joint, Word::Ankle) > 0 => continue,
            Word::Hock => Segment::Hock,
            Word::Arm if is_above_a(joint, Word::UpperArm) => Segment::Girdle,
            // Numbered chains go by depth.
            Word::Arm if how_many(Word::Arm) > 1 => {
                let starts_with_collar =
                    how_many(Word::Arm) >= if has(&[Word::Hand]) || has(&[Word::ForeArm]) { 3 } else { 4 };
                let order = [Segment::Girdle, Segment::Upper, Segment::Lower, Segment::End];
                let index = nth(joint, Word::Arm) + usize::from(!starts_with_collar);
                let Some(&segment) = order.get(index) else { continue };
                segment
            }
            Word::Arm => Segment::Upper,
            Word::Leg if is_above_a(joint, Word::Thigh) => Segment::Girdle,
            Word::Leg if how_many(Word::Leg) > 1 && !has(&[Word::Thigh, Word::Hip]) => {
                let order = [Segment::Upper, Segment::Lower, Segment::End, Segment::Toes];
                let Some(&segment) = order.get(nth(joint, Word::Leg)) else { continue };
                segment
            }
            Word::Leg if has(&[Word::Thigh, Word::Hip]) => Segment::Lower,
            Word::Leg => Segment::Upper,
            Word::Hand if nth(joint, Word::Hand) > 0 => Segment::Toes,
            Word::Foot if nth(joint, Word::Ankle) + nth(joint, Word::Foot) > 0 => Segment::Toes,
            Word::Hand | Word::Ankle | Word::Foot => Segment::End,
            Word::Toes => Segment::Toes,
            _ => continue,
        };
        // Of two joints with one role the one nearer to the trunk has it: the other is a twist or a second toe. One that
        // hangs on no other joint of the limb is the goal of an animator's rig.
        let is_in_limb = |joint: usize| named.iter().any(|n| is_above(figure, n.joint, joint));
        match found.iter_mut().find(|(_, other)| *other == segment) {
            None => found.push((joint, segment)),
            Some((other, _)) if segment > Segment::Upper && !is_in_limb(*other) && is_in_limb(joint) => {
                *other = joint;
            }
            Some(_) => {}
        }
    }
    found.sort_by_key(|&(joint, segment)| (segment, joint));
    // A girdle beside the limb, such as the pelvis bones of a rig, is not part of it.
    if let [(girdle, Segment::Girdle), (next, _), ..] = found[..]
        && !is_above(figure, girdle, next)
    {
        found.remove(0);
    }
    // Each must be below the one before it; a foot may be outside of its leg.
    let mut kept: Vec<(usize, Segment)> = Vec::new();
    for (joint, segment) in found {
        let hangs_beside = |parent: usize| {
            figure.parents[parent].is_none()
                || kept.first().is_some_and(|&(first, _)| is_above(figure, parent, first))
        };
        let is_outside_foot = segment >= Segment::End && figure.parents[joint].is_none_or(hangs_beside);
        if kept.last().is_none_or(|&(above, _)| is_above(figure, above, joint)) || is_outside_foot {
            kept.push((joint, segment));
        }
    }
    kept
}

/// A joint of one side below a joint of the other: names that cannot be right.
fn drop_crossed_sides(figure: &Figure, roles: &mut Roles) {
    let side = |joint: usize, roles: &Roles| roles.roles[joint].and_then(Role::limb).map(|(_, side, _)| side);
    let crossed: Vec<usize> = (0..figure.names.len())
        .filter(|&joint| {
            let own = side(joint, roles);
            own.is_some()
                && ancestors(figure, joint).any(|above| side(above, roles).is_some_and(|s| Some(s) != own))
        })
        .collect();
    for joint in crossed {
        roles.roles[joint] = None;
        roles.confidence[joint] = 0.0;
    }
}

fn trunk_by_names(figure: &Figure, middle: &[Named], roles: &mut Roles) {
    let thighs = limb_starts(roles, &[Limb::Leg]);
    let named = |word: Word| middle.iter().filter(move |n| n.word == word).map(|n| n.joint);
    let Some(pelvis) = common_ancestor(figure, &thighs).or_else(|| named(Word::Hips).next()) else { return };
    let hips = named(Word::Hips)
        .filter(|&hips| hips == pelvis || is_above(figure, hips, pelvis))
        .max_by_key(|&hips| depth(figure, hips));
    let head = named(Word::Head).find(|&head| !thighs.contains(&head));
    let necks: Vec<usize> =
        named(Word::Neck).filter(|&neck| head.is_none_or(|head| is_above(figure, neck, head))).collect();
    match hips {
        Some(hips) => roles.set(hips, Role::Hips, Reason::Name, 0.95),
        None => roles.set(pelvis, Role::Hips, Reason::Tree, BY_TREE),
    }
    let necks = necks.into_iter().map(|neck| (neck, Role::Neck));
    let tails = named(Word::Tail).map(|tail| (tail, Role::Tail));
    for (joint, role) in necks.chain(head.map(|head| (head, Role::Head))).chain(tails) {
        roles.set(joint, role, Reason::Name, 0.95);
    }
    let named_spine: Vec<usize> = named(Word::Spine).collect();
    for joint in spine_path(figure, roles) {
        if roles.roles[joint].is_none() {
            let is_named = named_spine.contains(&joint);
            let (reason, confidence) = if is_named { (Reason::Name, 0.95) } else { (Reason::Tree, BY_TREE) };
            roles.set(joint, Role::Spine, reason, confidence);
        }
    }
}

/// Where no name says head, what goes on in the middle behind the arms or the neck is neck and head: Rigify's spine ends
/// in the skull.
fn head_by_tree(figure: &Figure, tips: &[usize], roles: &mut Roles) {
    let last_neck = roles.roles.iter().rposition(|role| *role == Some(Role::Neck));
    let arms = limb_starts(roles, &[Limb::Arm, Limb::FrontLeg]);
    let Some(start) = last_neck.or_else(|| common_ancestor(figure, &arms)) else { return };
    let next = |joint: usize| {
        figure.branches.body_children(joint).find(|&child| {
            figure.partners[child].is_none()
                && !figure.is_end[child]
                && !tips.contains(&child)
                && !matches!(roles.roles[child], Some(Role::Limb(..) | Role::Tail | Role::Hips))
        })
    };
    let chain: Vec<usize> = std::iter::successors(next(start), |&joint| next(joint)).collect();
    // Behind a neck that is named the first joint is the head; more of them are a face.
    let head = if last_neck.is_some() { 0 } else { chain.len().saturating_sub(1) };
    for (index, &joint) in chain.iter().enumerate().take(head + 1) {
        let role = if index == head { Role::Head } else { Role::Neck };
        roles.set(joint, role, Reason::Tree, BY_TREE);
    }
}

// ---- what follows from the tree ----

/// The shoulders or hips of some kinds of limbs.
pub(super) fn limb_starts(roles: &Roles, limbs: &[Limb]) -> Vec<usize> {
    let limb = |joint: usize| roles.roles[joint].and_then(Role::limb);
    let is_start = |joint: &usize| {
        limb(*joint).is_some_and(|(limb, _, segment)| limbs.contains(&limb) && segment == Segment::Upper)
    };
    (0..roles.roles.len()).filter(is_start).collect()
}

/// The joints between hips and neck, from below: those that the neck, the head or the arms hang on.
pub(crate) fn spine_path(figure: &Figure, roles: &Roles) -> Vec<usize> {
    let position =
        |wanted: &dyn Fn(Role) -> bool| roles.roles.iter().position(|role| role.is_some_and(wanted));
    let Some(hips) = position(&|role| role == Role::Hips) else { return Vec::new() };
    let neck = position(&|role| role == Role::Neck).or(position(&|role| role == Role::Head));
    let arms = || common_ancestor(figure, &limb_starts(roles, &[Limb::Arm, Limb::FrontLeg]));
    let Some(top) = neck.and_then(|neck| figure.parents[neck]).or_else(arms) else { return Vec::new() };
    // The hips may hang beside the spine.
    let base = common_ancestor(figure, &[hips, top]).unwrap_or(0);
    let above = std::iter::once(top).chain(ancestors(figure, top)).take_while(|&joint| joint != base);
    let mut path: Vec<usize> = above.filter(|&joint| joint != hips).collect();
    path.reverse();
    path
}

/// Ends of limbs, necks between chest and head, tails behind their first joint.
fn fill_in(figure: &Figure, roles: &mut Roles) {
    // Joints between the last neck, or the chest, and the head.
    if let Some(head) = roles.roles.iter().position(|role| *role == Some(Role::Head)) {
        let between: Vec<usize> =
            ancestors(figure, head).take_while(|&above| roles.roles[above].is_none()).collect();
        let next = ancestors(figure, head).nth(between.len());
        if next.is_some_and(|above| roles.roles[above] == Some(Role::Neck)) {
            between.into_iter().for_each(|joint| roles.set(joint, Role::Neck, Reason::Tree, BY_TREE));
        }
        let is_tip =
            |&child: &usize| roles.roles[child].is_none() && figure.branches.children[child].is_empty();
        if let Some(tip) = figure.branches.body_children(head).find(is_tip) {
            roles.set(tip, Role::HeadTip, Reason::Tree, BY_TREE);
        }
    }
    for joint in 0..figure.names.len() {
        let Some(parent) = figure.parents[joint].filter(|_| roles.roles[joint].is_none()) else { continue };
        match roles.roles[parent] {
            Some(Role::Tail) => roles.set(joint, Role::Tail, Reason::Tree, BY_TREE),
            // The end of a limb: the heir of its last joint.
            Some(Role::Limb(limb, side, segment))
                if segment >= Segment::Lower && figure.branches.heir[parent] == Some(joint) =>
            {
                let has = |s: Segment| roles.roles.contains(&Some(Role::Limb(limb, side, s)));
                let is_leaf = figure.branches.children[joint].is_empty();
                let next = match segment {
                    Segment::Tip => continue,
                    Segment::Lower | Segment::Hock if !has(Segment::End) && !figure.is_end[joint] => {
                        Segment::End
                    }
                    Segment::End if !has(Segment::Toes) && !is_leaf => Segment::Toes,
                    Segment::End | Segment::Toes | Segment::Hock if is_leaf && !has(Segment::Tip) => {
                        Segment::Tip
                    }
                    _ => continue,
                };
                let reason =
                    if roles.reasons[parent] == Reason::Geometry { Reason::Geometry } else { Reason::Tree };
                roles.set(joint, Role::Limb(limb, side, next), reason, BY_TREE.min(roles.confidence[parent]));
            }
            _ => {}
        }
    }
}

/// Arms that stand on the ground below a level back are forelegs.
fn name_forelegs(figure: &Figure, roles: &mut Roles) {
    let at = |role: Role| {
        roles.roles.iter().position(|found| *found == Some(role)).map(|joint| figure.positions[joint])
    };
    let arm = |segment: Segment| at(Role::Limb(Limb::Arm, Side::Left, segment));
    let (Some(hips), Some(shoulder)) = (at(Role::Hips), arm(Segment::Upper)) else { return };
    let Some(hand) = arm(Segment::Tip).or(arm(Segment::End)).or(arm(Segment::Lower)) else { return };
    let Some(thigh) = at(Role::Limb(Limb::Leg, Side::Left, Segment::Upper)) else { return };
    let lowest = figure.positions.iter().map(|position| position.y).fold(f64::INFINITY, f64::min);
    let back = shoulder - hips;
    let is_level = back.y.abs() < back.xz().norm();
    let is_low = hand.y - lowest < 0.35 * (thigh.y - lowest);
    if is_level && is_low {
        for role in roles.roles.iter_mut().flatten() {
            if let Role::Limb(limb @ Limb::Arm, ..) = role {
                *limb = Limb::FrontLeg;
            }
        }
    }
}

// ---- walking the tree ----

pub(super) fn ancestors(figure: &Figure, joint: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(figure.parents[joint], |&above| figure.parents[above])
}

pub(crate) fn is_above(figure: &Figure, above: usize, joint: usize) -> bool {
    // Parents have smaller numbers, so that the walk ends early.
    ancestors(figure, joint).take_while(|&at| at >= above).any(|at| at == above)
}

fn depth(figure: &Figure, joint: usize) -> usize {
    ancestors(figure, joint).count()
}

/// The lowest joint that is above all of these, or one of them.
pub(super) fn common_ancestor(figure: &Figure, joints: &[usize]) -> Option<usize> {
    let (&first, others) = joints.split_first()?;
    let mut common = first;
    for &joint in others {
        let mut other = joint;
        while common != other {
            if common > other {
                common = figure.parents[common]?;
            } else {
                other = figure.parents[other]?;
            }
        }
    }
    // Of a single limb its own start is no ancestor.
    if others.is_empty() { figure.parents[common] } else { Some(common) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::skeleton::{FigureNode, Skeleton};

    /// The human skeleton with the names of a convention; `?` stands for a side, spelled as the pair says.
    fn renamed(names: &[(&str, &str)], sides: [&str; 2]) -> Figure {
        let mut skeleton = Skeleton::human();
        for joint in &mut skeleton.joints {
            let (side, plain) = match (joint.name.strip_prefix("Left"), joint.name.strip_prefix("Right")) {
                (Some(plain), _) => (sides[0], plain.to_owned()),
                (_, Some(plain)) => (sides[1], plain.to_owned()),
                _ => ("", joint.name.clone()),
            };
            joint.name = match names.iter().find(|(ours, _)| *ours == plain) {
                Some((_, theirs)) => theirs.replace('?', side),
                None => format!("x{side}{plain}"),
            };
        }
        Figure::of_skeleton(&skeleton)
    }

    /// Names as the makers of skeletons give them: maker; sides; names in the order of [`OURS`], in which `?` is the side.
    const CONVENTIONS_OF_THE_WORLD: &str = "\
        Rokoko; Left Right; Hips Spine1 Spine2 Spine3 Neck Head ?Shoulder ?Arm ?ForeArm ?Hand ?Thigh ?Shin ?Foot ?Toe
        Xsens MVN; Left Right; Pelvis L5 L3 T8 Neck Head ?Shoulder ?UpperArm ?ForeArm ?Hand ?UpperLeg ?LowerLeg ?Foot ?Toe
        Perception Neuron; Left Right; Hips Spine Spine1 Spine2 Neck Head ?Shoulder ?Arm ?ForeArm ?Hand ?UpLeg ?Leg ?Foot ?Toe
        SMPL; L R; Pelvis Spine1 Spine2 Spine3 Neck Head ?_Collar ?_Shoulder ?_Elbow ?_Wrist ?_Hip ?_Knee ?_Ankle ?_Foot
        Daz; l r; hip abdomenLower abdomen chest neck head ?Collar ?ShldrBend ?ForearmBend ?Hand ?ThighBend ?Shin ?Foot ?Toe
        Kinect; Left Right; Hip Spine Chest Spine2 Neck Head Collar? Shoulder? Elbow? Wrist? Hip? Knee? Ankle? Foot?
        Pinocchio; l r; hips spine chest back neck head ?collar ?shoulder ?elbow ?hand ?hip ?knee ?ankle ?foot
        Rigify; L R; DEF-spine DEF-spine.001 DEF-spine.002 DEF-spine.003 DEF-neck DEF-head DEF-shoulder.? DEF-upper_arm.? DEF-forearm.? DEF-hand.? DEF-thigh.? DEF-shin.? DEF-foot.? DEF-toe.?
        Character Creator; L R; CC_Base_Pelvis CC_Base_Waist CC_Base_Spine01 CC_Base_Spine02 CC_Base_Neck CC_Base_Head CC_Base_?_Clavicle CC_Base_?_Upperarm CC_Base_?_Forearm CC_Base_?_Hand CC_Base_?_Thigh CC_Base_?_Calf CC_Base_?_Foot CC_Base_?_ToeBase
        VRoid; L R; J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_UpperChest J_Bip_C_Neck J_Bip_C_Head J_Bip_?_Shoulder J_Bip_?_UpperArm J_Bip_?_LowerArm J_Bip_?_Hand J_Bip_?_UpperLeg J_Bip_?_LowerLeg J_Bip_?_Foot J_Bip_?_ToeBase
        Source engine; L R; ValveBiped.Bip01_Pelvis ValveBiped.Bip01_Spine ValveBiped.Bip01_Spine1 ValveBiped.Bip01_Spine2 ValveBiped.Bip01_Neck1 ValveBiped.Bip01_Head1 ValveBiped.Bip01_?_Clavicle ValveBiped.Bip01_?_UpperArm ValveBiped.Bip01_?_Forearm ValveBiped.Bip01_?_Hand ValveBiped.Bip01_?_Thigh ValveBiped.Bip01_?_Calf ValveBiped.Bip01_?_Foot ValveBiped.Bip01_?_Toe0
        OptiTrack; L R; Hip Ab Chest Chest1 Neck Head ?Shoulder ?UArm ?FArm ?Hand ?Thigh ?Shin ?Foot ?Toe
        Advanced Skeleton; L R; Root_M Spine1_M Spine2_M Chest_M Neck_M Head_M Scapula_? Shoulder_? Elbow_? Wrist_? Hip_? Knee_? Ankle_? Toes_?
        Auto-Rig Pro; l r; root.x spine_01.x spine_02.x spine_03.x neck.x head.x shoulder.? arm_stretch.? forearm_stretch.? hand.? thigh_stretch.? leg_stretch.? foot.? toes_01.?
        a prefix of its own; L R; f_avg_Pelvis f_avg_Spine1 f_avg_Spine2 f_avg_Spine3 f_avg_Neck f_avg_Head f_avg_?_Collar f_avg_?_Shoulder f_avg_?_Elbow f_avg_?_Wrist f_avg_?_Hip f_avg_?_Knee f_avg_?_Ankle f_avg_?_Foot
        Blender's metarig; L R; spine spine.001 spine.002 spine.003 spine.004 spine.005 shoulder.? upper_arm.? forearm.? hand.? thigh.? shin.? foot.? toe.?
        numbered; L R; pelvis spine_1 spine_2 spine_3 neck head arm_joint_?_1 arm_joint_?_2 arm_joint_?_3 arm_joint_?_4 leg_joint_?_1 leg_joint_?_2 leg_joint_?_3 leg_joint_?_4";
    const OURS: &str =
        "Hips Spine Chest UpperChest Neck Head Shoulder UpperArm LowerArm Hand UpperLeg LowerLeg Foot Toes";

    #[test]
    fn conventions_of_the_world_are_understood() {
        let expected = Figure::of_skeleton(&Skeleton::human());
        for line in CONVENTIONS_OF_THE_WORLD.lines() {
            let [maker, sides, theirs] = line.trim().split("; ").collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            let [left, right] = sides.split(' ').collect::<Vec<_>>()[..] else { panic!("{maker}") };
            assert_eq!(theirs.split(' ').count(), OURS.split(' ').count(), "{maker}");
            let names: Vec<(&str, &str)> = OURS.split(' ').zip(theirs.split(' ')).collect();
            let figure = renamed(&names, [left, right]);
            for joint in (0..figure.names.len()).filter(|&joint| !figure.is_end[joint]) {
                let (name, ours) = (&figure.names[joint], &expected.names[joint]);
                let (role, reason) = (figure.roles.roles[joint], figure.roles.reasons[joint]);
                assert_eq!(role, expected.roles.roles[joint], "{maker}: {name} is {ours}");
                assert!(role.and_then(Role::limb).is_none() || reason == Reason::Name, "{maker}: {name}");
            }
        }
    }

    /// Joints along a bone that share its twist, pelvis bones beside the legs, goals on the ground, a root on the floor and no
    /// ends: with names and without.
    #[test]
    fn rigs_of_games_are_understood_with_and_without_names() {
        let human = Figure::of_skeleton(&Skeleton::human());
        let mut joints = vec![("root".to_owned(), None, Vec3::zeros(), None)];
        let mut indices = vec![usize::MAX; human.names.len()];
        let mut goals = Vec::new();
        for joint in (0..human.names.len()).filter(|&joint| !human.is_end[joint]) {
            indices[joint] = joints.len();
            let (name, position, role) =
                (&human.names[joint], human.positions[joint], human.roles.roles[joint]);
            let parent = human.parents[joint].map_or(0, |parent| indices[parent]);
            joints.push((name.clone(), Some(parent), position, role));
            let Some(Role::Limb(_, side, segment)) = role else { continue };
            let next = (0..human.names.len()).find(|&child| human.parents[child] == Some(joint));
            if matches!(segment, Segment::Upper | Segment::Lower)
                && let Some(next) = next
            {
                let between = position.lerp(&human.positions[next], 0.6);
                joints.push((format!("{name}_twist"), Some(indices[joint]), between, None));
            } else if name.contains("Foot") {
                goals.push((format!("ik_foot_{side:?}"), Some(0), position, None));
            }
        }
        joints.extend(goals);
        let numbers: Vec<String> = (0..joints.len()).map(|joint| format!("j{joint}")).collect();
        let names: Vec<String> = joints.iter().map(|(name, ..)| name.clone()).collect();
        for (names, reason) in [(names, Reason::Name), (numbers, Reason::Geometry)] {
            let nodes = names.iter().zip(&joints).map(|(name, &(_, parent, position, _))| FigureNode {
                name,
                parent,
                position,
                is_end: false,
            });
            let figure = Figure::bare(nodes).with_roles();
            for (joint, (.., expected)) in joints.iter().enumerate() {
                let counts = |role: &Role| match role {
                    Role::Limb(_, _, segment) => *segment != Segment::Girdle && *segment < Segment::Toes,
                    role => matches!(role, Role::Hips | Role::Head),
                };
                let found = figure.roles.roles[joint];
                if expected.is_some_and(|role| counts(&role)) || found.is_some_and(|role| counts(&role)) {
                    assert_eq!(found, *expected, "{}", figure.names[joint]);
                    assert_eq!(figure.roles.reasons[joint], reason, "{}", figure.names[joint]);
                }
            }
        }
    }

    /// Names that contradict the tree are not believed: geometry decides.
    #[test]
    fn shuffled_names_are_not_believed() {
        let mut skeleton = Skeleton::human();
        let expected = Figure::of_skeleton(&skeleton);
        let names: Vec<String> = skeleton.joints.iter().map(|joint| joint.name.clone()).collect();
        let count = names.len();
        for (index, joint) in skeleton.joints.iter_mut().enumerate() {
            joint.name = names[(index * 10 + 3) % count].clone();
        }
        let figure = Figure::of_skeleton(&skeleton);
        for (joint, role) in expected.roles.roles.iter().enumerate() {
            if let Some(Role::Limb(_, _, Segment::Upper | Segment::Lower | Segment::End)) = role {
                assert_eq!(figure.roles.roles[joint], *role, "{}", names[joint]);
                assert_eq!(figure.roles.reasons[joint], Reason::Geometry);
            }
        }
    }
}
