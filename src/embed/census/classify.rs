//! What each limb is for: the first rule that holds.

use super::{Census, CensusLimb, TRUNK};
use crate::skeleton::LimbKind;

use std::fmt;

/// What an end of the body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EndRole {
    /// A limb.
    Limb(LimbKind),
    /// The head, or a neck with it.
    Head,
    /// Part of the trunk that stands out a little.
    Lobe,
    /// Something on one side only, or cloth: it rides.
    Prop,
}

impl fmt::Display for EndRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EndRole::Head => f.write_str("head"),
            EndRole::Limb(kind) => kind.fmt(f),
            EndRole::Lobe => f.write_str("lobe"),
            EndRole::Prop => f.write_str("prop"),
        }
    }
}

/// Ends shorter than this, in S, that stand on nothing are lobes: corners, teeth, spikes.
const SHORT: f64 = 0.08;
/// Ends shorter than this many of their radii are lobes of the trunk.
const STUMPY: f64 = 2.0;
/// And in the middle, if they are not thinner than where they begin: tails taper.
const ABDOMEN: f64 = 3.0;
/// Width over thickness of a wing. At 2.5 the hands of frogs make wings of their arms, at 4 wings with thick leading edges are arms.
const FLAT: f64 = 3.0;
/// And of a fin.
const FIN: f64 = 2.0;
/// A shorter sheet, in S, is a plate or an ear.
const SHORTEST_WING: f64 = 0.2;
/// Width over thickness of cloth.
const CLOTH: f64 = 4.0;
/// A limb thinner than this part of the thinnest leg feels.
const THIN: f64 = 0.3;
/// Palps: in front of three pairs of legs or more, and shorter than this part of the shortest leg.
const PALP: f64 = 0.6;
/// They may begin this far, in S, behind the foremost leg, which is thicker.
const BESIDE: f64 = 0.02;
/// Cosine of the largest angle to straight back of tails side by side.
const STRAIGHT: f64 = 0.7;
/// Pairs of legs from which limbs in front of them are palps, or claws.
const MANY_PAIRS: usize = 3;
/// What begins this far above the spine, in radii of the trunk, and rises by more than this part of its length stands on the back.
const ON_BACK: f64 = 0.3;
/// What begins this far above it does so in any direction: the tines of antlers.
const OVER: f64 = 1.0;
const UPWARDS: f64 = 0.5;
/// The neck is thinner than this part of the trunk behind it and of the head before it.
const NARROW: [f64; 2] = [0.7, 0.85];

/// Gives each limb a role and a rank, and sorts them.
pub fn classify(census: &mut Census) {
    let legs: Vec<bool> = (0..census.limbs.len()).map(|limb| is_leg(census, limb)).collect();
    let body = Body::of(census, &legs);
    let roles: Vec<EndRole> =
        (0..census.limbs.len()).map(|limb| if legs[limb] { LEG } else { body.role(census, limb) }).collect();
    census.limbs.iter_mut().zip(&roles).for_each(|(limb, role)| limb.role = *role);
    agree(census);
    rank(census);
    sort(census);
}

const LEG: EndRole = EndRole::Limb(LimbKind::Leg);

/// It stands on the ground at one side, or its partner does, or it is the only one that stands.
fn is_leg(census: &Census, index: usize) -> bool {
    let limb = &census.limbs[index];
    let stands = |limb: &CensusLimb| limb.grounded && limb.length > 0.0;
    let is_lifted = limb.partner.is_some_and(|partner| stands(&census.limbs[partner]));
    match limb.side {
        Some(_) => (stands(limb) || is_lifted) && limb.host.is_none(),
        None => stands(limb) && census.limbs.iter().filter(|other| stands(other)).count() == 1,
    }
}

/// What the rules ask about the whole.
struct Body {
    /// Radius of the thinnest leg, length of the shortest, how far ahead the base of the foremost is and that of the rearmost.
    legs: Option<[f64; 4]>,
    leg_pairs: usize,
    /// Where on the spine the head begins.
    neck: f64,
}

impl Body {
    fn of(census: &Census, is_leg: &[bool]) -> Body {
        let legs = || census.limbs.iter().zip(is_leg).filter(|(_, is_leg)| **is_leg).map(|(limb, _)| limb);
        let least = |of: fn(&CensusLimb) -> f64| legs().map(of).fold(f64::INFINITY, f64::min);
        let foremost = legs().map(|leg| leg.share).fold(0.0, f64::max);
        let has_legs = legs().next().is_some();
        Body {
            legs: has_legs.then(|| {
                let ahead = -least(|leg| -leg.base.z);
                [least(|leg| leg.radius), least(|leg| leg.length), ahead, least(|leg| leg.base.z)]
            }),
            leg_pairs: legs().filter(|leg| leg.partner.is_some()).count() / 2,
            neck: match (census.spine.lies, has_legs) {
                (true, true) => neck(census, foremost),
                (false, _) => neck(census, arms(census, is_leg)),
                // A fish.
                (true, false) => 1.0,
            },
        }
    }

    fn role(&self, census: &Census, index: usize) -> EndRole {
        let limb = &census.limbs[index];
        if census.spine.head == Some(index) {
            return EndRole::Head;
        }
        // A heel on a leg.
        let is_spur = limb.host.is_some() && limb.host != census.spine.head;
        let is_abdomen = limb.length < ABDOMEN * limb.radius && limb.radius >= limb.base_radius;
        let is_stumpy = limb.length < STUMPY * limb.radius || limb.side.is_none() && is_abdomen;
        if is_spur || is_stumpy || limb.length < SHORT * census.size {
            return EndRole::Lobe;
        }
        EndRole::Limb(match limb.side {
            None if is_cloth(census, limb) => return EndRole::Prop,
            None if census.spine.tail == Some(index) || limb.share < 0.5 => LimbKind::Tail,
            None => LimbKind::Feeler,
            Some(_) if self.is_of_head(census, limb) => LimbKind::Feeler,
            Some(_) if limb.partner.is_none() => return EndRole::Prop,
            Some(_) if self.is_wing(census, limb) => LimbKind::Wing,
            Some(_) if self.trails(census, limb) => LimbKind::Tail,
            Some(_) if self.feels(census, limb) || is_on_back(census, limb) => LimbKind::Feeler,
            Some(_) => LimbKind::Arm,
        })
    }

    fn is_of_head(&self, census: &Census, limb: &CensusLimb) -> bool {
        let sits = limb.host.is_some() && limb.host == census.spine.head;
        sits || limb.share > self.neck
    }

    /// A long sheet; of a body without legs a fin, which is thicker.
    fn is_wing(&self, census: &Census, limb: &CensusLimb) -> bool {
        let least = if self.legs.is_some() { FLAT } else { FIN };
        limb.flatness >= least && limb.length >= SHORTEST_WING * census.size
    }

    /// Behind the legs of a trunk that lies, and backwards: tails side by side.
    fn trails(&self, census: &Census, limb: &CensusLimb) -> bool {
        let Some([.., rearmost]) = self.legs else { return false };
        census.spine.lies && limb.base.z < rearmost && limb.direction().z < -STRAIGHT
    }

    fn feels(&self, census: &Census, limb: &CensusLimb) -> bool {
        let Some([thinnest, shortest, ahead, _]) = self.legs else { return false };
        let is_in_front = limb.base.z >= ahead - BESIDE * census.size;
        let is_palp = self.leg_pairs >= MANY_PAIRS && is_in_front && limb.length < PALP * shortest;
        is_palp || limb.radius < THIN * thinnest
    }
}

/// Sheets that hang down from a standing trunk.
fn is_cloth(census: &Census, limb: &CensusLimb) -> bool {
    !census.spine.lies && limb.flatness >= CLOTH && limb.tip.y < limb.base.y
}

/// Spikes and plates that stand up from a back.
fn is_on_back(census: &Census, limb: &CensusLimb) -> bool {
    let spine = &census.spine;
    let at = spine.nearest(&limb.base);
    let height = limb.base.y - spine.line[at].y;
    let is_over = height > OVER * spine.radii[at];
    spine.lies && (is_over || limb.direction().y > UPWARDS && height > ON_BACK * spine.radii[at])
}

/// Where on the spine of a trunk that stands its longest pair of arms is attached; 0 if it has none.
fn arms(census: &Census, is_leg: &[bool]) -> f64 {
    let limbs = census.limbs.iter().zip(is_leg);
    let arms = limbs.filter(|(limb, is_leg)| !**is_leg && limb.partner.is_some() && limb.host.is_none());
    let longest = arms.max_by(|a, b| a.0.length.total_cmp(&b.0.length));
    longest.map_or(0.0, |(limb, _)| limb.share)
}

/// The share of the spine at which the narrowest place between the head and the foremost legs is; 1 if there is none.
fn neck(census: &Census, foremost: f64) -> f64 {
    let spine = &census.spine;
    let chest = (0..spine.line.len()).rev().find(|&at| spine.share(at) >= foremost).unwrap_or(0);
    let before = |at: usize| spine.radii[..at].iter().copied().fold(0.0, f64::max);
    let behind = |at: usize| spine.radii[at + 1..=chest].iter().copied().fold(0.0, f64::max);
    let is_narrow =
        |at: usize| spine.radii[at] <= NARROW[0] * behind(at) && spine.radii[at] <= NARROW[1] * before(at);
    let narrow = (1..chest).filter(|&at| is_narrow(at));
    let neck = narrow.min_by(|&a, &b| spine.radii[a].total_cmp(&spine.radii[b]));
    neck.map_or(1.0, |at| spine.share(at))
}

/// Partners have one role: that of the longer one.
fn agree(census: &mut Census) {
    for limb in 0..census.limbs.len() {
        let Some(partner) = census.limbs[limb].partner.filter(|&partner| partner > limb) else { continue };
        let is_shorter = census.limbs[limb].length < census.limbs[partner].length;
        let (from, to) = if is_shorter { (partner, limb) } else { (limb, partner) };
        census.limbs[to].role = census.limbs[from].role;
    }
}

/// Numbers limbs of a role and side from the front; partners have the number of their pair.
fn rank(census: &mut Census) {
    let place = |limb: &CensusLimb| {
        let partner = limb.partner.map_or(limb, |partner| &census.limbs[partner]);
        // Neighbours may share a section of the spine.
        (limb.share + partner.share, limb.base.z + partner.base.z)
    };
    let places: Vec<(f64, f64)> = census.limbs.iter().map(place).collect();
    let is_before = |a: usize, b: usize| places[a] > places[b] || (places[a] == places[b] && a < b);
    let same = |a: &CensusLimb, b: &CensusLimb| a.role == b.role && a.side == b.side;
    let ranks = (0..census.limbs.len()).map(|own| {
        let others = (0..census.limbs.len()).filter(|&other| other != own);
        others
            .filter(|&other| same(&census.limbs[own], &census.limbs[other]) && is_before(other, own))
            .count()
    });
    let ranks: Vec<usize> = ranks.collect();
    census.limbs.iter_mut().zip(ranks).for_each(|(limb, rank)| limb.rank = rank);
}

/// Limbs of a role together, from the front, the left one first.
fn sort(census: &mut Census) {
    let mut order: Vec<usize> = (0..census.limbs.len()).collect();
    order.sort_by_key(|&limb| (census.limbs[limb].role, census.limbs[limb].rank, census.limbs[limb].side));
    let mut number = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| number[old] = new);
    let renumbered = |old: Option<usize>| old.map(|old| number[old]);
    census.limbs = order.iter().map(|&old| census.limbs[old].clone()).collect();
    for limb in &mut census.limbs {
        (limb.partner, limb.host) = (renumbered(limb.partner), renumbered(limb.host));
    }
    census.spine.head = renumbered(census.spine.head);
    census.spine.tail = renumbered(census.spine.tail);
    for owner in census.owner.iter_mut().filter(|owner| **owner != TRUNK) {
        *owner = number[usize::from(*owner)] as u8;
    }
}

/// The limbs in words.
pub fn summary(census: &Census) -> String {
    let mut told = Vec::new();
    for kind in LimbKind::ALL {
        let limbs = || census.limbs.iter().filter(move |limb| limb.role == EndRole::Limb(kind));
        let pairs = limbs().filter(|limb| limb.partner.is_some()).count() / 2;
        let single = limbs().filter(|limb| limb.partner.is_none()).count();
        told.extend((pairs > 0).then(|| pairs_of(pairs, kind)));
        told.extend((single > 0).then(|| counted(single, kind)));
    }
    told.extend(census.spine.head.map(|_| "a head".to_owned()));
    if told.is_empty() { "none".to_owned() } else { told.join(", ") }
}

fn pairs_of(count: usize, kind: LimbKind) -> String {
    let pairs = if count == 1 { "pair" } else { "pairs" };
    format!("{count} {pairs} of {}", kind.plural())
}

fn counted(count: usize, kind: LimbKind) -> String {
    if count == 1 { format!("1 {kind}") } else { format!("{count} {}", kind.plural()) }
}
