//! The joints of a limb: where it turns in the trunk, where it bends, its foot or hand, and its tip.

use super::polyline::{Polyline, fit, resampled};
use super::trunk::Trunk;
use crate::embed::census::{Census, CensusLimb, EndRole};
use crate::math::{Vec3, acos};
use crate::skeleton::LimbKind;

/// The joints of a limb, from the trunk outwards; the last is its tip.
#[derive(Debug, Clone, PartialEq)]
pub struct LimbJoints {
    /// In body space.
    pub positions: Vec<Vec3>,
    /// How far to trust each.
    pub confidences: Vec<f64>,
    /// How far its line is from straight bones, over its length.
    pub deviation: f64,
    /// It ends in a foot on the ground.
    pub stands: bool,
    /// It ends in a foot or a hand of its own joint.
    pub has_end: bool,
}

impl LimbJoints {
    /// The same on the other side.
    pub fn mirrored(&self) -> LimbJoints {
        let image = |p: &Vec3| Vec3::new(-p.x, p.y, p.z);
        LimbJoints { positions: self.positions.iter().map(image).collect(), ..self.clone() }
    }
}

/// The most bones of a leg without its foot.
const MOST_BONES: usize = 4;
/// Breaks that turn by less, in degrees, are none.
const STRAIGHT: f64 = 12.0;
/// Breaks that turn by this much, in degrees, are certain.
const SHARP: f64 = 30.0;
/// Breaks move to the narrowest section within this part of the length.
const SNAP: f64 = 0.06;
/// A straight leg bends at the narrowest section of this part of its length, else at its middle.
const KNEE: [f64; 2] = [0.42, 0.62];
const USUAL_KNEE: f64 = 0.52;
/// From straight up to level, in degrees.
const UPRIGHT: f64 = 90.0;
/// A foot lies within this angle of level, in degrees, and turns by at least as much.
const LEVEL: f64 = 35.0;
const FOOT_TURN: f64 = 40.0;
/// The shortest and the longest foot, in the length of its leg.
const FOOT: [f64; 2] = [0.06, 0.4];
/// A leg that does not bend before this part of its length bends at the ankle first.
const LOWEST_KNEE: f64 = 0.62;
/// A leg without a foot has a tarsus: its last part.
const TARSUS: f64 = 0.88;
/// The wrist is the thinnest section of this part of an arm, else it is here.
const WRIST: [f64; 2] = [0.6, 0.85];
const USUAL_WRIST: f64 = 0.72;
/// An elbow lies in this part of the way to the wrist, else at its middle.
const ELBOW: [f64; 2] = [0.3, 0.75];
const USUAL_ELBOW: f64 = 0.52;
/// Joints of a wing where it does not bend.
const WING: [f64; 2] = [0.33, 0.66];
/// A bone of a tail is so many radii long.
const TAIL_BONE: f64 = 4.0;
const TAIL_BONES: [usize; 2] = [2, 8];
/// A leg within this angle of straight down, in degrees, turns inside the trunk, this part of the way up to the spine.
const DOWN: f64 = 45.0;
const UP_TO_SPINE: f64 = 0.9;
/// Other limbs turn this part of the trunk's radius inside their base.
const INSIDE: f64 = 0.5;
/// Trust in joints that are put where they usually are, and in those of which the shape shows something.
const USUAL: f64 = 0.4;
const SEEN: f64 = 0.7;

/// The joints of a limb, read from its line and that of its partner, if both are to be mirror images.
pub fn place(census: &Census, limb: &CensusLimb, partner: Option<&CensusLimb>, trunk: &Trunk) -> LimbJoints {
    let line = averaged(limb, partner);
    let kind = match limb.role {
        EndRole::Limb(kind) => kind,
        _ => LimbKind::Feeler,
    };
    let most = if matches!(kind, LimbKind::Leg | LimbKind::Arm | LimbKind::Wing) { MOST_BONES } else { 1 };
    let polyline = fit(&line, most);
    let profile = Profile::of(limb, partner);
    let mut breaks = match kind {
        LimbKind::Leg => leg(&polyline, &profile),
        LimbKind::Arm => arm(&polyline, &profile),
        LimbKind::Wing => wing(&polyline, &profile),
        LimbKind::Tail | LimbKind::Feeler => evenly(limb),
    };
    breaks.retain(|(part, _)| (0.0..1.0).contains(part));
    let first = turning_point(census, limb, kind, &line, trunk);
    let mut positions = vec![first];
    let mut confidences = vec![SEEN];
    for (part, confidence) in breaks {
        positions.push(polyline.at(part));
        confidences.push(confidence);
    }
    positions.push(line[line.len() - 1]);
    confidences.push(1.0);
    let deviation = if most > 1 { polyline.deviation } else { 0.0 };
    let (stands, has_end) = (kind == LimbKind::Leg, matches!(kind, LimbKind::Leg | LimbKind::Arm));
    LimbJoints { positions, confidences, deviation, stands, has_end }
}

/// Points of averaged lines.
const POINTS: usize = 97;

/// The mean of a line and the mirror image of its partner's.
fn averaged(limb: &CensusLimb, partner: Option<&CensusLimb>) -> Vec<Vec3> {
    let own = resampled(&limb.line, POINTS);
    let Some(partner) = partner else { return own };
    let other = resampled(&partner.line, POINTS);
    own.iter().zip(other).map(|(a, b)| (a + Vec3::new(-b.x, b.y, b.z)) * 0.5).collect()
}

/// Radii along a limb.
struct Profile {
    radii: Vec<f64>,
}

impl Profile {
    fn of(limb: &CensusLimb, partner: Option<&CensusLimb>) -> Profile {
        let at = |radii: &[f64], k: usize| radii[(k * radii.len() / POINTS).min(radii.len() - 1)];
        let radius = |k: usize| {
            let own = at(&limb.radii, k);
            partner.map_or(own, |partner| 0.5 * (own + at(&partner.radii, k)))
        };
        Profile { radii: (0..POINTS).map(radius).collect() }
    }

    /// The narrowest place between two parts of the length, if it is narrower than both ends of that range.
    fn narrowest(&self, from: f64, to: f64) -> Option<f64> {
        let [low, high] =
            [from, to].map(|part| (part.clamp(0.0, 1.0) * (POINTS - 1) as f64).round() as usize);
        let narrowest = (low..=high).min_by(|&a, &b| self.radii[a].total_cmp(&self.radii[b]))?;
        let is_inside = narrowest > low && narrowest < high;
        is_inside.then_some(narrowest as f64 / (POINTS - 1) as f64)
    }

    /// A break moved to the narrowest place near it.
    fn snapped(&self, part: f64) -> f64 {
        self.narrowest(part - SNAP, part + SNAP).unwrap_or(part)
    }
}

/// The breaks of a polyline that turn enough: the part of the length at each, and its angle in degrees.
fn bends(polyline: &Polyline) -> Vec<(usize, f64)> {
    let mut breaks = polyline.breaks.clone();
    let last = polyline.points.len() - 1;
    loop {
        let turn = |k: usize| {
            let before = if k > 0 { breaks[k - 1] } else { 0 };
            let behind = breaks.get(k + 1).copied().unwrap_or(last);
            polyline.turn(before, breaks[k], behind).to_degrees()
        };
        let turns: Vec<f64> = (0..breaks.len()).map(turn).collect();
        let least = (0..breaks.len()).min_by(|&a, &b| turns[a].total_cmp(&turns[b]));
        match least.filter(|&k| turns[k] < STRAIGHT) {
            Some(k) => drop(breaks.remove(k)),
            None => return breaks.into_iter().zip(turns).collect(),
        }
    }
}

fn trust(degrees: f64) -> f64 {
    (degrees / SHARP).clamp(USUAL, 1.0)
}

/// Knees, and the ankle.
fn leg(polyline: &Polyline, profile: &Profile) -> Vec<(f64, f64)> {
    let bends = bends(polyline);
    // Of a straight leg the first bend is the ankle.
    let is_straight = bends.first().is_some_and(|&(at, _)| polyline.part(at) > LOWEST_KNEE);
    let foot = match bends.last() {
        _ if is_straight => bends.first().copied(),
        last => last.copied().filter(|&(at, turn)| is_foot(polyline, at, turn)),
    };
    let count = if is_straight { 0 } else { bends.len() - usize::from(foot.is_some()) };
    let knees = &bends[..count];
    let mut breaks: Vec<(f64, f64)> =
        knees.iter().map(|&(at, turn)| (profile.snapped(polyline.part(at)), trust(turn))).collect();
    let ankle = match foot {
        Some((at, turn)) => (polyline.part(at), trust(turn)),
        None => (TARSUS.max(breaks.last().map_or(0.0, |last| 0.5 + 0.5 * last.0)), USUAL),
    };
    if breaks.is_empty() {
        let scale = ankle.0;
        let narrow = profile.narrowest(KNEE[0] * scale, KNEE[1] * scale);
        breaks.push((narrow.unwrap_or(USUAL_KNEE * scale), USUAL));
    }
    breaks.push(ankle);
    breaks
}

/// Whether what is beyond a break is a foot that lies on the ground.
fn is_foot(polyline: &Polyline, at: usize, turn: f64) -> bool {
    let last = polyline.points.len() - 1;
    let bone = polyline.points[last] - polyline.points[at];
    let rise = (bone.y / bone.norm().max(f64::MIN_POSITIVE)).clamp(-1.0, 1.0);
    let from_level = (UPRIGHT - acos(rise).to_degrees()).abs();
    let length = 1.0 - polyline.part(at);
    turn >= FOOT_TURN && from_level <= LEVEL && (FOOT[0]..=FOOT[1]).contains(&length)
}

/// The elbow and the wrist.
fn arm(polyline: &Polyline, profile: &Profile) -> Vec<(f64, f64)> {
    let wrist = profile.narrowest(WRIST[0], WRIST[1]);
    let at = wrist.unwrap_or(USUAL_WRIST);
    let range = ELBOW[0] * at..ELBOW[1] * at;
    let elbow = bends(polyline).into_iter().map(|(k, turn)| (polyline.part(k), turn));
    let elbow = elbow.filter(|(part, _)| range.contains(part)).max_by(|a, b| a.1.total_cmp(&b.1));
    let elbow = elbow.map_or((USUAL_ELBOW * at, USUAL), |(part, turn)| (profile.snapped(part), trust(turn)));
    vec![elbow, (at, if wrist.is_some() { SEEN } else { USUAL })]
}

/// Two joints beyond the base.
fn wing(polyline: &Polyline, _: &Profile) -> Vec<(f64, f64)> {
    let bends = bends(polyline);
    let near = |usual: f64| {
        let bend = bends.iter().map(|&(k, turn)| (polyline.part(k), turn));
        let bend = bend.filter(|(part, _)| (part - usual).abs() < 0.5 * (WING[1] - WING[0]));
        let sharpest = bend.max_by(|a, b| a.1.total_cmp(&b.1));
        sharpest.map_or((usual, USUAL), |(part, turn)| (part, trust(turn)))
    };
    WING.map(near).to_vec()
}

/// Joints at equal steps.
fn evenly(limb: &CensusLimb) -> Vec<(f64, f64)> {
    let bones = (limb.length / (TAIL_BONE * limb.radius.max(f64::MIN_POSITIVE))).round() as usize;
    let bones = bones.clamp(TAIL_BONES[0], TAIL_BONES[1]);
    (1..bones).map(|k| (k as f64 / bones as f64, USUAL)).collect()
}

/// Where a limb turns against the trunk.
fn turning_point(census: &Census, limb: &CensusLimb, kind: LimbKind, line: &[Vec3], trunk: &Trunk) -> Vec3 {
    let base = line[0];
    let at = census.spine.nearest(&base);
    let spine = trunk.line(census, at);
    let early = line[line.len() / 3] - base;
    let is_down = early.norm() > 0.0 && -early.y / early.norm() > crate::math::cos(DOWN.to_radians());
    match kind {
        LimbKind::Leg if is_down && base.y < spine.y => {
            let rise = UP_TO_SPINE * (spine - base);
            Vec3::new(base.x, base.y + rise.y, base.z + rise.z)
        }
        LimbKind::Tail => base,
        _ => {
            let out = (line[line.len() / 8] - base).try_normalize(0.0).unwrap_or_else(|| limb.direction());
            let inwards =
                (INSIDE * census.spine.radii.get(at).copied().unwrap_or(0.0)).min((spine - base).norm());
            base - out * inwards
        }
    }
}
