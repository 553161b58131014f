//! What the joints of a free skeleton are called: as people, engines and our own reader understand it.

use super::limbs::LimbJoints;
use crate::embed::census::{Census, EndRole};
use crate::skeleton::LimbKind;
use crate::skeleton::naming::{Role, Side};

/// The root.
pub const HIPS: &str = "Hips";
/// Joints of the spine, numbered from the second on.
pub const SPINE: &str = "Spine";
/// Where the foremost limbs hang.
pub const CHEST: &str = "Chest";
/// Joints of the neck, numbered from the second on.
pub const NECK: &str = "Neck";
/// The head, and its end.
pub const HEAD: &str = "Head";
/// The end of the head.
pub const HEAD_TIP: &str = "HeadTip";
/// Joints of a tail, numbered from the first on.
pub const TAIL: &str = "Tail";
/// The end of a tail.
pub const TAIL_TIP: &str = "TailTip";
/// How the names of ends end.
pub const TIP: &str = "Tip";

/// A name, with a number from the second on.
pub fn from_second(name: &str, number: usize) -> String {
    if number > 1 { format!("{name}{number}") } else { name.to_owned() }
}

/// Names the limbs of a body.
pub struct Namer<'a> {
    census: &'a Census,
    leg_pairs: usize,
}

/// Pairs of legs from which they are numbered.
const NUMBERED: usize = 3;

impl<'a> Namer<'a> {
    /// Of a body.
    pub fn of(census: &'a Census) -> Namer<'a> {
        let leg_pairs = census.pairs_of(EndRole::Limb(LimbKind::Leg));
        Namer { census, leg_pairs }
    }

    /// The names of the joints of a limb and of its tip.
    pub fn of_limb(&self, index: usize, joints: &LimbJoints) -> Vec<String> {
        let limb = &self.census.limbs[index];
        let side = match limb.side {
            Some(Side::Left) => "Left",
            Some(Side::Right) => "Right",
            None => "",
        };
        let EndRole::Limb(kind) = limb.role else { return Vec::new() };
        let bones = joints.positions.len() - 1;
        match kind {
            LimbKind::Leg => self.leg(side, limb.rank, bones),
            LimbKind::Arm => arm(side, limb.rank, bones),
            LimbKind::Wing => chain(&ranked(side, "Wing", limb.rank), &["Upper", "Lower", "Tip"], bones),
            LimbKind::Tail => numbered(&ranked(side, "Tail", limb.rank), bones),
            LimbKind::Feeler => numbered(&format!("{side}Feeler{}_", limb.rank + 1), bones),
        }
    }

    /// One pair: a person's; two: front and hind; more: by number. A leg without a partner is numbered.
    fn leg(&self, side: &str, rank: usize, bones: usize) -> Vec<String> {
        match (self.leg_pairs, rank) {
            (NUMBERED.., _) | (0, _) => numbered_leg(side, rank, bones),
            (1, 0) => shared_leg(side, bones),
            (2, 0) => shared_leg(&format!("Front{side}"), bones),
            (2, 1) => shared_leg(&format!("Hind{side}"), bones),
            _ => numbered_leg(side, rank, bones),
        }
    }
}

fn numbered_leg(side: &str, rank: usize, bones: usize) -> Vec<String> {
    let stem = format!("{side}Leg{}", rank + 1);
    let mut names = chain(&stem, &["Upper", "Middle", "Lower", "Shank"], bones);
    if bones == 3 {
        names[1] = format!("{stem}Lower");
    }
    if bones >= 2 {
        names[bones - 1] = format!("{stem}Foot");
        names[bones] = format!("{stem}Tip");
    }
    names
}

/// Of one or two pairs.
fn shared_leg(stem: &str, bones: usize) -> Vec<String> {
    let inner = ["UpperLeg", "LowerLeg", "Hock", "Shank"];
    let mut names: Vec<String> =
        inner[..(bones - 1).min(inner.len())].iter().map(|name| format!("{stem}{name}")).collect();
    names.extend(["Foot", "FootTip"].map(|name| format!("{stem}{name}")));
    names
}

/// The first pair has a person's names.
fn arm(side: &str, rank: usize, bones: usize) -> Vec<String> {
    if rank == 0 && bones == 3 {
        return ["UpperArm", "LowerArm", "Hand", "HandTip"].map(|name| format!("{side}{name}")).to_vec();
    }
    let stem = format!("{side}Arm{}", rank + 1);
    chain(&stem, &["Upper", "Lower", "Hand"], bones)
}

/// `LeftWing`, `LeftWing2`.
fn ranked(side: &str, what: &str, rank: usize) -> String {
    if rank == 0 { format!("{side}{what}") } else { format!("{side}{what}{}", rank + 1) }
}

/// Names of parts, numbers where there are more bones than names, and the end.
fn chain(stem: &str, parts: &[&str], bones: usize) -> Vec<String> {
    let part =
        |k: usize| parts.get(k).map_or_else(|| format!("{stem}{}", k + 1), |part| format!("{stem}{part}"));
    let mut names: Vec<String> = (0..bones).map(part).collect();
    names.push(format!("{stem}End"));
    names
}

fn numbered(stem: &str, bones: usize) -> Vec<String> {
    let mut names: Vec<String> = (1..=bones).map(|k| format!("{stem}{k}")).collect();
    names.push(format!("{stem}Tip"));
    names
}

/// The role that a name of a free skeleton stands for; `None` where persons and animals have no such joint.
pub fn role_of(name: &str) -> Option<Role> {
    let name = name.strip_prefix("Hind").unwrap_or(name);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match stem {
        CHEST => Some(Role::Spine),
        TAIL_TIP => Some(Role::Tail),
        SPINE | NECK | TAIL => stem.parse().ok(),
        _ => name.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::naming::{Limb, Segment};

    #[test]
    fn names_that_persons_and_animals_share_have_their_roles() {
        for (name, role) in [
            (HIPS, Some(Role::Hips)),
            ("Spine3", Some(Role::Spine)),
            (CHEST, Some(Role::Spine)),
            ("Tail4", Some(Role::Tail)),
            ("HindLeftUpperLeg", Some(Role::Limb(Limb::Leg, Side::Left, Segment::Upper))),
            ("FrontRightHock", Some(Role::Limb(Limb::FrontLeg, Side::Right, Segment::Hock))),
            ("RightHand", Some(Role::Limb(Limb::Arm, Side::Right, Segment::End))),
            ("LeftLeg2Upper", None),
            ("LeftFeeler1_2", None),
        ] {
            assert_eq!(role_of(name), role, "{name}");
        }
    }
}
