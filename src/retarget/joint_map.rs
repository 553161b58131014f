//! Which joint of a motion moves which joint of a character, and why.
//!
//! Limbs map by role. Spines, necks and tails of different numbers of joints map by arc length: a joint at a share of
//! the length takes the rotation between the two joints around that share, so that both ends are exact and bend is spread.
//! Fingers map by their names, their joints one by one or, where hands have other numbers of them, by arc length.
//! Legs of animals, whose makers count their bones differently, map by arc length too, each joint to one joint.

use crate::math::Vec3;
use crate::motion::JointMapOverride;
use crate::skeleton::chains::{align, arc};
use crate::skeleton::naming::{Finger, Limb, Role, Segment, Side};
use crate::skeleton::roles::{Reason, Roles};
use crate::skeleton::{Figure, choices, closest_name, closest_word, find_joint};
use thiserror::Error;

/// Where a joint of the character gets its rotation from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RotationSource {
    /// One joint of the motion.
    Joint(usize),
    /// Between two joints of the motion, from 0 at the first to 1 at the second.
    Between(usize, usize, f64),
}

/// A joint of the character with its origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Where it gets its rotation from.
    pub origin: RotationSource,
    /// From 0 to 1.
    pub confidence: f64,
    /// Why.
    pub reason: Reason,
}

/// For each joint of a character where it gets its rotation from.
#[derive(Debug, Clone, PartialEq)]
pub struct JointMap {
    /// For each joint of the character.
    pub matches: Vec<Option<Match>>,
    /// Joints of the character that are not moved; those that only mark an end are not counted.
    pub unmatched_targets: Vec<usize>,
    /// Joints of the motion that move nothing; end sites are not counted.
    pub unmatched_sources: Vec<usize>,
    /// The legs that both have.
    pub legs: Vec<LegPair>,
}

/// A leg of the character and the leg of the motion that moves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LegPair {
    /// Kind and side on the character.
    pub target: (Limb, Side),
    /// Kind and side on the motion.
    pub source: (Limb, Side),
}

/// Maps the joints of a character to those of a motion.
pub fn map_joints(target: &Figure, source: &Figure) -> JointMap {
    let mut matches: Vec<Option<Match>> = vec![None; target.names.len()];
    for role in [Role::Hips, Role::Head] {
        if let (Some(joint), Some(from)) = (target.find(role), source.find(role)) {
            matches[joint] = Some(directly(source, from));
        }
    }
    for role in [Role::Spine, Role::Neck, Role::Tail] {
        map_row(target, source, role, &mut matches);
    }
    let mut legs = Vec::new();
    for limb in [Limb::Arm, Limb::FrontLeg, Limb::Leg] {
        for side in [Side::Left, Side::Right] {
            let Some(from) = source_limb(target, source, limb, side) else { continue };
            map_limb(target, source, (limb, side), from, &mut matches);
            if target.legs().contains(&(limb, side)) && source.legs().contains(&from) {
                legs.push(LegPair { target: (limb, side), source: from });
            }
        }
    }
    for side in [Side::Left, Side::Right] {
        map_fingers(target, source, side, &mut matches);
    }
    let mut map = JointMap { matches, unmatched_targets: Vec::new(), unmatched_sources: Vec::new(), legs };
    map.find_unmatched(target, source);
    map
}

/// A joint that one joint of the motion moves.
fn directly(source: &Figure, from: usize) -> Match {
    matched(source, RotationSource::Joint(from), from)
}

fn matched(source: &Figure, origin: RotationSource, from: usize) -> Match {
    let Roles { confidence, reasons, .. } = &source.roles;
    Match { origin, confidence: confidence[from], reason: reasons[from] }
}

/// The limb of the motion for a limb of the character: its namesake, or arms for forelegs and the other way round.
fn source_limb(target: &Figure, source: &Figure, limb: Limb, side: Side) -> Option<(Limb, Side)> {
    let other = match limb {
        Limb::Arm => Limb::FrontLeg,
        Limb::FrontLeg => Limb::Arm,
        Limb::Leg => Limb::Leg,
    };
    if !has_limb(target, limb, side) {
        None
    } else if has_limb(source, limb, side) {
        Some((limb, side))
    } else {
        // A centaur's arms take the arms; its forelegs must not take them too.
        (has_limb(source, other, side) && !has_limb(target, other, side)).then_some((other, side))
    }
}

fn has_limb(figure: &Figure, limb: Limb, side: Side) -> bool {
    figure.limb(limb, side, Segment::Upper).is_some()
}

fn map_limb(
    target: &Figure,
    source: &Figure,
    to: (Limb, Side),
    from: (Limb, Side),
    matches: &mut [Option<Match>],
) {
    let (ours, theirs) = (inner_joints(target, to), inner_joints(source, from));
    let is_animal = target.is_quadruped() && source.is_quadruped();
    if is_animal && !ours.iter().map(|&j| target.segment(j)).eq(theirs.iter().map(|&j| source.segment(j))) {
        // Every joint of the character that can be moved is; the motion may have joints to spare.
        let (our_shares, their_shares) = (shares(target, &ours), shares(source, &theirs));
        for (a, b) in align(&our_shares, &their_shares, [1.0, 0.0]).1 {
            matches[ours[a]] = Some(directly(source, theirs[b]));
        }
        if let (Some(&first), Some(&from)) = (ours.first(), theirs.first()) {
            matches[first] = Some(directly(source, from));
        }
    } else {
        for &joint in &ours {
            let Some(segment) = target.segment(joint) else { continue };
            if let Some(from) = source.limb(from.0, from.1, segment) {
                matches[joint] = Some(directly(source, from));
            }
        }
    }
    let girdles = (target.limb(to.0, to.1, Segment::Girdle), source.limb(from.0, from.1, Segment::Girdle));
    if let (Some(joint), Some(from)) = girdles {
        matches[joint] = Some(directly(source, from));
    }
}

/// The joints of a limb without its girdle and its tip.
fn inner_joints(figure: &Figure, (limb, side): (Limb, Side)) -> Vec<usize> {
    let segments = [Segment::Upper, Segment::Lower, Segment::Hock, Segment::End, Segment::Toes];
    segments.iter().filter_map(|&segment| figure.limb(limb, side, segment)).collect()
}

/// For each joint its share of the length from the first to the last one, however their makers call them: 0 to 1.
fn shares(figure: &Figure, joints: &[usize]) -> Vec<f64> {
    let points: Vec<Vec3> = joints.iter().map(|&joint| figure.positions[joint]).collect();
    std::iter::once(0.0).chain(arc(&points)).collect()
}

/// Each finger takes its namesake, or the one that is nearest to it in a hand with fewer.
fn map_fingers(target: &Figure, source: &Figure, side: Side, matches: &mut [Option<Match>]) {
    let (Some(_), Some(their_hand)) = (target.palm(side), source.palm(side)) else { return };
    for finger in Finger::OF_HAND.into_iter().chain([Finger::All]) {
        let Some(from) = source_finger(source, side, finger) else { continue };
        map_finger(target, source, [(side, finger), (side, from)], their_hand, matches);
        let palm = |figure: &Figure, finger: Finger| figure.find(Role::Finger(side, finger, 0));
        if let (Some(joint), Some(palm)) =
            (palm(target, finger), palm(source, from).filter(|_| finger == from))
        {
            matches[joint] = Some(directly(source, palm));
        }
    }
}

/// The finger of the motion that moves one of the character. Without a thumb nothing moves a thumb.
fn source_finger(source: &Figure, side: Side, finger: Finger) -> Option<Finger> {
    let has = |finger: &Finger| source.find(Role::Finger(side, *finger, 1)).is_some();
    let place = |finger: Finger| finger as usize;
    let mut others = Finger::OF_PALM;
    match finger {
        Finger::Thumb => return Some(finger).filter(has),
        Finger::All => others.sort_by_key(|&other| place(other).abs_diff(place(Finger::Middle))),
        _ => others.sort_by_key(|&other| place(other).abs_diff(place(finger))),
    }
    std::iter::once(finger).chain(others).chain([Finger::All]).find(has)
}

/// One finger by another. Fingers with as many joints take them one by one; else each bone is rotated as the other finger is where
/// its middle is, from the hand outwards.
fn map_finger(
    target: &Figure,
    source: &Figure,
    [to, from]: [(Side, Finger); 2],
    their_hand: usize,
    matches: &mut [Option<Match>],
) {
    let (ours, theirs) = (target.phalanges(to.0, to.1), source.phalanges(from.0, from.1));
    if ours.len() == theirs.len() {
        for (&joint, &from) in ours.iter().zip(&theirs) {
            matches[joint] = Some(directly(source, from));
        }
        return;
    }
    let joints: Vec<usize> = std::iter::once(their_hand).chain(theirs.iter().copied()).collect();
    let shares: Vec<f64> = std::iter::once(0.0).chain(middles(source, &theirs)).collect();
    for (&joint, share) in ours.iter().zip(middles(target, &ours)) {
        let above = shares.partition_point(|&other| other < share).min(theirs.len());
        matches[joint] = Some(matched(source, origin_at(share, &shares, &joints), joints[above]));
    }
}

/// Where the middle of each bone of a finger is, in parts of its length. The last bone is as long as the one before it where its
/// end is not known.
fn middles(figure: &Figure, joints: &[usize]) -> Vec<f64> {
    let length = |from: usize, to: usize| (figure.positions[to] - figure.positions[from]).norm();
    let mut lengths: Vec<f64> = joints.windows(2).map(|pair| length(pair[0], pair[1])).collect();
    let end = joints.last().and_then(|&last| Some(length(last, figure.branches.heir[last]?)));
    lengths.push(end.or(lengths.last().copied()).unwrap_or(1.0));
    let total: f64 = lengths.iter().sum();
    if !(total > 0.0) {
        return (0..joints.len()).map(|place| (place as f64 + 0.5) / joints.len() as f64).collect();
    }
    let mut along = 0.0;
    let middle = |length: f64| {
        along += length / total;
        along - 0.5 * length / total
    };
    lengths.into_iter().map(middle).collect()
}

/// Spines, necks and tails: any number of joints to any other.
fn map_row(target: &Figure, source: &Figure, role: Role, matches: &mut [Option<Match>]) {
    let (ours, theirs) = (row(target, role), row(source, role));
    if ours.is_empty() || theirs.is_empty() {
        // Without such joints in the motion a neck follows the chest or the hips.
        return;
    }
    let (target_base, source_base) = (base_of_row(target, role, &ours), base_of_row(source, role, &theirs));
    let to: Vec<usize> = target_base.into_iter().chain(ours).collect();
    let from: Vec<usize> = source_base.into_iter().chain(theirs).collect();
    let (our_shares, their_shares) = (shares(target, &to), shares(source, &from));
    for (&joint, &share) in to.iter().zip(&our_shares) {
        if target_base == Some(joint) {
            continue;
        }
        let origin = origin_at(share, &their_shares, &from);
        let nearest = match origin {
            RotationSource::Joint(joint) => joint,
            RotationSource::Between(a, _, share) if share < 0.5 => a,
            RotationSource::Between(_, b, _) => b,
        };
        matches[joint] = Some(matched(source, origin, nearest));
    }
}

/// The joints with a role, but for ends.
fn row(figure: &Figure, role: Role) -> Vec<usize> {
    let joints = 0..figure.names.len();
    joints.filter(|&joint| figure.roles.roles[joint] == Some(role) && !figure.is_end[joint]).collect()
}

/// Where a row of joints begins: a spine at the hips, a neck at the chest. Their rotations are the other end of the blend.
fn base_of_row(figure: &Figure, role: Role, joints: &[usize]) -> Option<usize> {
    let base = match role {
        Role::Spine => figure.find(Role::Hips),
        Role::Neck => joints.first().and_then(|&first| figure.parents[first]),
        _ => None,
    };
    base.filter(|base| !joints.contains(base))
}

/// Shares that differ by less are equal.
const SAME_SHARE: f64 = 1e-3;

/// The origin at a share of the length along some joints.
fn origin_at(share: f64, shares: &[f64], joints: &[usize]) -> RotationSource {
    let above = shares.partition_point(|&other| other < share - SAME_SHARE);
    if above >= joints.len() {
        return RotationSource::Joint(joints[joints.len() - 1]);
    }
    if above == 0 || (shares[above] - share).abs() <= SAME_SHARE {
        // Of several joints in one place the last one carries what is above it.
        let last = shares.partition_point(|&other| other <= share + SAME_SHARE).max(above + 1) - 1;
        return RotationSource::Joint(joints[last]);
    }
    let (low, high) = (shares[above - 1], shares[above]);
    RotationSource::Between(joints[above - 1], joints[above], (share - low) / (high - low))
}

/// A map file names a joint that does not exist.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("the {whose} has no joint '{name}'{}; correct the map", meant(suggestions))]
pub struct NoSuchJoint {
    /// `character` or `motion`.
    pub whose: &'static str,
    /// The name.
    pub name: String,
    /// Names that were probably meant.
    pub suggestions: Vec<String>,
}

fn meant(suggestions: &[String]) -> String {
    let names: Vec<String> = suggestions.iter().map(|name| format!("'{name}'")).collect();
    if names.is_empty() { String::new() } else { format!(" (did you mean {}?)", names.join(" or ")) }
}

impl JointMap {
    /// Lets a user's map have the last word, joint by joint. Joints of the character also go by friendly names.
    ///
    /// # Errors
    /// If it names a joint that does not exist.
    pub fn apply(
        &mut self,
        overrides: &[JointMapOverride],
        target: &Figure,
        source: &Figure,
    ) -> Result<(), NoSuchJoint> {
        for JointMapOverride { target: to, source: from } in overrides {
            let joint = find_of_character(target, to)?;
            self.matches[joint] = match from {
                None => None,
                Some(from) => {
                    let from = find_of_motion(source, from)?;
                    Some(Match { origin: RotationSource::Joint(from), confidence: 1.0, reason: Reason::User })
                }
            };
        }
        self.find_unmatched(target, source);
        Ok(())
    }

    /// The map as a user would write it: one line for each joint that a joint of the motion moves.
    pub fn overrides(&self, target: &Figure, source: &Figure) -> Vec<JointMapOverride> {
        (0..target.names.len())
            .filter(|&joint| !target.is_end[joint])
            .filter_map(|joint| {
                let source = match self.matches[joint].map(|found| found.origin) {
                    None => None,
                    Some(RotationSource::Joint(from)) => Some(source.names[from].clone()),
                    // Blends follow from the ends; writing one of the two would change them.
                    Some(RotationSource::Between(..)) => return None,
                };
                Some(JointMapOverride { target: target.names[joint].clone(), source })
            })
            .collect()
    }

    fn find_unmatched(&mut self, target: &Figure, source: &Figure) {
        self.unmatched_targets = (0..target.names.len())
            .filter(|&joint| self.matches[joint].is_none() && !target.is_end[joint])
            .collect();
        let mut is_used = vec![false; source.names.len()];
        for found in self.matches.iter().flatten() {
            match found.origin {
                RotationSource::Joint(from) => is_used[from] = true,
                RotationSource::Between(a, b, _) => (is_used[a], is_used[b]) = (true, true),
            }
        }
        self.unmatched_sources =
            (0..source.names.len()).filter(|&joint| !is_used[joint] && !source.is_end[joint]).collect();
    }

    /// Mean confidence over the joints that are moved.
    pub fn confidence(&self) -> f64 {
        let found: Vec<f64> = self.matches.iter().flatten().map(|found| found.confidence).collect();
        // Adding zero, because the sum of nothing is -0.
        found.iter().sum::<f64>() / (found.len() as f64).max(1.0) + 0.0
    }
}

fn find_of_character(figure: &Figure, name: &str) -> Result<usize, NoSuchJoint> {
    find_joint(figure, name).ok_or_else(|| {
        let mut suggestions = choices(figure, name);
        if suggestions.is_empty() {
            suggestions.extend(closest_name(figure, name));
        }
        NoSuchJoint { whose: "character", name: name.to_owned(), suggestions }
    })
}

/// A joint of a motion goes by the name in its file alone, which may say anything.
fn find_of_motion(figure: &Figure, name: &str) -> Result<usize, NoSuchJoint> {
    let joint = figure.names.iter().position(|other| other == name);
    joint.ok_or_else(|| {
        let suggestions = closest_word(figure.names.iter().cloned(), name).into_iter().collect();
        NoSuchJoint { whose: "motion", name: name.to_owned(), suggestions }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::Skeleton;

    fn figure(name: &str) -> Figure {
        Figure::of_skeleton(&Skeleton::built_in(name).unwrap())
    }

    fn at(figure: &Figure, name: &str) -> usize {
        find_of_motion(figure, name).unwrap()
    }

    #[test]
    fn every_built_in_skeleton_maps_to_itself() {
        for name in ["human", "quadruped", "horse", "centaur"] {
            let figure = figure(name);
            let map = map_joints(&figure, &figure);
            for joint in (0..figure.names.len()).filter(|&joint| !figure.is_end[joint]) {
                // The waist of a centaur is between its two chests, where no role is.
                if figure.names[joint] == "Waist" && map.matches[joint].is_none() {
                    continue;
                }
                let origin = map.matches[joint].map(|found| found.origin);
                assert_eq!(origin, Some(RotationSource::Joint(joint)), "{name}: {}", figure.names[joint]);
            }
        }
    }

    #[test]
    fn arms_move_forelegs_and_forelegs_arms() {
        let (human, dog) = (figure("human"), figure("quadruped"));
        for (target, source, to, from) in [
            (&dog, &human, "FrontLeftUpperLeg", "LeftUpperArm"),
            (&dog, &human, "HindRightFoot", "RightFoot"),
            (&human, &dog, "RightLowerArm", "FrontRightLowerLeg"),
            (&human, &dog, "LeftUpperLeg", "HindLeftUpperLeg"),
        ] {
            let map = map_joints(target, source);
            let origin = map.matches[at(target, to)].map(|found| found.origin);
            assert_eq!(origin, Some(RotationSource::Joint(at(source, from))), "{to}");
        }
    }

    #[test]
    fn spines_of_any_length_end_together() {
        let human = figure("human");
        let mut long = Skeleton::human();
        // A vertebra between Chest and UpperChest.
        let (chest, upper) = (long.find("Chest").unwrap(), long.find("UpperChest").unwrap());
        let mut extra = long.joints[upper].clone();
        extra.name = "Spine7".into();
        extra.position = (long.joints[chest].position + long.joints[upper].position) / 2.0;
        let mut joints = long.joints.to_vec();
        joints.insert(upper, extra);
        long.joints = joints.into();
        for joint in &mut long.joints[upper + 1..] {
            for link in [&mut joint.parent, &mut joint.partner] {
                if link.is_some_and(|at| at >= upper) {
                    *link = link.map(|at| at + 1);
                }
            }
        }
        long.joints[upper + 1].parent = Some(upper);
        let long = Figure::of_skeleton(&long);
        for (target, source) in [(&human, &long), (&long, &human)] {
            let map = map_joints(target, source);
            let origin = map.matches[at(target, "UpperChest")].map(|found| found.origin);
            assert_eq!(origin, Some(RotationSource::Joint(at(source, "UpperChest"))));
            assert!(map.unmatched_targets.is_empty());
        }
        let blended = map_joints(&long, &human).matches[at(&long, "Spine7")];
        let Some(Match { origin: RotationSource::Between(a, b, share), .. }) = blended else {
            panic!("{blended:?}")
        };
        assert_eq!([a, b], ["Chest", "UpperChest"].map(|name| at(&human, name)));
        assert!((share - 0.5).abs() < 1e-9);
    }

    #[test]
    fn users_have_the_last_word() {
        let human = figure("human");
        let mut map = map_joints(&human, &human);
        let line = |target: &str, source: Option<&str>| JointMapOverride {
            target: target.into(),
            source: source.map(str::to_owned),
        };
        map.apply(&[line("LeftHand", Some("RightHand")), line("Neck", None)], &human, &human).unwrap();
        let at = |name: &str| at(&human, name);
        let found = map.matches[at("LeftHand")].unwrap();
        assert_eq!((found.origin, found.reason), (RotationSource::Joint(at("RightHand")), Reason::User));
        assert_eq!(map.unmatched_targets, [at("Neck")]);
        assert_eq!(map.unmatched_sources, [at("Neck"), at("LeftHand")]);
        let again = map.overrides(&human, &human);
        let mut other = map_joints(&human, &human);
        other.apply(&again, &human, &human).unwrap();
        assert_eq!(other.unmatched_targets, map.unmatched_targets);
        for (map_line, error) in [
            (line("LeftHnad", None), "character has no joint 'LeftHnad' (did you mean 'LeftHand'?)"),
            (line("knee", None), "character has no joint 'knee' (did you mean 'left_knee' or 'right_knee'?)"),
            (line("Neck", Some("lefthand")), "motion has no joint 'lefthand' (did you mean 'LeftHand'?)"),
            (line("Neck", Some("Wheel")), "motion has no joint 'Wheel'"),
        ] {
            let text = map.apply(&[map_line], &human, &human).unwrap_err().to_string();
            assert_eq!(text, format!("the {error}; correct the map"));
        }
    }

    #[test]
    fn joints_of_the_character_go_by_friendly_names() {
        let human = figure("human");
        let mut map = map_joints(&human, &human);
        for name in ["left elbow", "left_elbow", "LeftForeArm", "leftlowerarm"] {
            let line = JointMapOverride { target: name.into(), source: Some("RightLowerArm".into()) };
            map.apply(&[line], &human, &human).unwrap();
            let found = map.matches[at(&human, "LeftLowerArm")].unwrap();
            assert_eq!(found.origin, RotationSource::Joint(at(&human, "RightLowerArm")), "{name}");
        }
    }
}
