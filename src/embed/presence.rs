//! Whether the limbs of an answer are there.
//!
//! Every route places all joints of its skeleton, also those of an arm that was cut off: beside the stump, in the air, or
//! squeezed into what is left. So each limb is compared with the surface: how far along its bones there is surface that they see
//! from inside and that is nearer to them than to other bones, how far its partner has it, how much of the bones lies
//! outside of the body, and whether two legs are two. A logistic regression on characters with and without their limbs makes a
//! probability of it. What is held in a hand reaches farther than the hand and does not count.

use super::Stages;
use super::fusion::{BodyPart, limbs};
use super::landmarks::BodyPlan;
use super::readings::is_animal;
use crate::math::{Vec3, exp, ln};
use crate::skeleton::Skeleton;
use crate::skeleton::naming::{Limb, Role, Segment, Side};
use std::collections::BTreeMap;
use std::fmt;

/// Whether a limb is there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Presence {
    /// The limb.
    pub part: BodyPart,
    /// The probability that all of it is there.
    pub probability: f64,
    /// What is missing if it is not.
    pub lack: Lack,
}

/// What a body lacks. Its `Display` is a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// The head.
    Head,
    /// A limb from the bone on that starts at the segment.
    Limb(Limb, Side, Segment),
    /// The same of an animal.
    AnimalLeg(Limb, Side, Segment),
    /// The second leg.
    SecondLeg,
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (side, [whole, lower, end]) = match self {
            Lack::Head => return f.write_str("the head is missing"),
            Lack::SecondLeg => return f.write_str("one leg, a tail or a skirt is where two legs should be"),
            Lack::Limb(Limb::Arm, side, _) => (side, ["arm", "forearm", "hand"]),
            Lack::Limb(_, side, _) => (side, ["leg", "lower leg", "foot"]),
            Lack::AnimalLeg(Limb::FrontLeg, side, _) => (side, ["foreleg", "lower foreleg", "front paw"]),
            Lack::AnimalLeg(_, side, _) => (side, ["hind leg", "lower hind leg", "hind paw"]),
        };
        let side = if *side == Side::Left { "left" } else { "right" };
        let (Lack::Limb(_, _, segment) | Lack::AnimalLeg(_, _, segment)) = self else { return Ok(()) };
        let what = match segment {
            Segment::Girdle | Segment::Upper => whole,
            Segment::Lower | Segment::Hock => lower,
            Segment::End | Segment::Toes | Segment::Tip => end,
        };
        write!(f, "the {side} {what} is missing")
    }
}

/// Whether each limb of a person or an animal is there. Of other bodies nothing is known.
pub fn presences(skeleton: &Skeleton, stages: &Stages, positions: &[Vec3]) -> Vec<Presence> {
    if BodyPlan::of_skeleton(skeleton).is_none() {
        return Vec::new();
    }
    let chains: BTreeMap<BodyPart, Chain> = limbs(skeleton)
        .into_iter()
        .filter_map(|(part, joints)| Some((part, Chain::of(skeleton, positions, part, &joints)?)))
        .collect();
    let body = Body { skeleton, stages, positions, chains: &chains };
    let own = body.own_surface();
    let presence = |&part: &BodyPart| {
        let evidence = body.evidence(part, &own);
        let probability = evidence.probability(part, is_animal(skeleton));
        Presence { part, probability, lack: body.lack(part, &evidence) }
    };
    chains.keys().map(presence).collect()
}

/// What speaks for and against a limb.
#[derive(Debug, Clone, Copy, PartialEq)]
struct LimbEvidence {
    /// Part of the way from its first to its last joint along which it has no surface of its own.
    bare: f64,
    /// Part of that way which lies outside of the body.
    outside: f64,
    /// Logarithm of how much farther its partner reaches.
    shorter: f64,
    /// Logarithm of how much more surface its partner has.
    thinner: f64,
    /// Logarithm of how far it reaches, in heights.
    reach: f64,
    /// The same of the one that reaches farther, it or its partner.
    longest: f64,
    /// Part of the way between knee and ankle on which the body fills what lies between it and its partner.
    fused: f64,
    /// Logarithm of the distance of the ends of both, in heights.
    apart: f64,
}

/// A limb as bones, from its first joint to its tip.
struct Chain {
    joints: Vec<usize>,
    /// How far each joint is from the first along the bones.
    along: Vec<f64>,
    /// Joints up to the wrist, the ankle or the top of the head.
    main: usize,
}

/// Parts of a limb that are looked at one by one. With more than this thin arms have too few samples for each.
const SLOTS: usize = 12;
/// Surface of a bone is seen through the body: a point halfway is at most so far outside, in heights. Less, and shells that are
/// open lose their surface; more, and a bone in the air sees the trunk.
const SEEN: f64 = 0.004;
/// A part of a bone farther outside than this, in heights, is in the air.
const OUTSIDE: f64 = 0.01;
/// Between fused legs the body is at least so deep, in heights.
const DEEP: f64 = 0.004;
/// The samples that are farthest out do not count as the reach: noise.
const FARTHEST: usize = 3;
/// A forearm of which less than this part is left is missing; with more it is the hand.
const FOREARM: f64 = 0.8;
/// Logarithms of less than this, in heights, mean nothing.
const LEAST: f64 = 0.003;

/// Arms of whole people reach at least so far, as the logarithm of heights; with less the forearms of short arms that were cut
/// off go unnoticed.
const SHORTEST_ARM: f64 = -1.4;
/// The same for heads above necks. Whole heads of tall people reach to -1.88, and to -2.07 below a sword that is held up; at -1.95
/// such a man has no head, and with less stumps of necks are heads.
const SHORTEST_HEAD: f64 = -2.1;
/// Ankles of two legs that are one volume are at least so far apart, as the logarithm of heights. The tails of five mermaids have
/// them at -2.7 to -3.8.
const CLOSEST: f64 = -2.4;

/// Coefficients of one, of the part of a limb that is bare or outside, and of how much shorter than its partner, shorter than any,
/// and closer to its partner it is. By whole characters and cut ones, of 31 families: with families left out 10 of 84 limbs that
/// were cut off in a way that shows are missed, and of 418 whole ones four are called missing, of animals and a soldier that lack
/// another limb. Where both shins or both arms of a short body are cut off, nothing shows.
const OF_LIMB: [f64; 5] = [4.73, -7.7, -17.73, -18.75, -19.31];
/// Four slots of a whole head may be bare: a neck that is hidden between shoulders, a visor, the neck of a figure of boxes, which is inside
/// of the trunk.
const USUALLY_BARE: f64 = 0.34;
/// Coefficients of one, of the part of a head that is bare beyond the usual, and of how much shorter than any it is: with families
/// left out 7 of 12 are missed, and none of 117 whole ones is called missing.
const OF_HEAD: [f64; 3] = [3.24, -23.31, -26.22];

impl LimbEvidence {
    /// The probability that all of a limb is there, compared with one against which nothing speaks.
    fn probability(&self, part: BodyPart, is_animal: bool) -> f64 {
        let stub = self.stub(part, is_animal);
        let in_air = 0.5 * (self.bare + self.outside);
        let limb = [1.0, in_air, self.less(), stub, self.tail()];
        let head = [1.0, (self.bare - USUALLY_BARE).max(0.0), stub];
        if part == BodyPart::Head { compared(&head, &OF_HEAD) } else { compared(&limb, &OF_LIMB) }
    }

    /// How much less there is of it than of its partner. A bent arm may be found shorter than a straight one but has as much
    /// surface, and one without a sword has less surface but is as long.
    fn less(&self) -> f64 {
        self.shorter.min(self.thinner)
    }

    /// How much shorter than ever a head of a person is, or the longer arm: one that is bent may be found too short.
    fn stub(&self, part: BodyPart, is_animal: bool) -> f64 {
        let least = match part {
            BodyPart::Head if !is_animal => SHORTEST_HEAD,
            BodyPart::Limb(Limb::Arm, _) => SHORTEST_ARM,
            _ => return 0.0,
        };
        (least - self.longest).max(0.0)
    }

    /// How much closer two legs are that are one volume than they ever are.
    fn tail(&self) -> f64 {
        self.fused * (CLOSEST - self.apart).max(0.0)
    }
}

impl Chain {
    fn of(skeleton: &Skeleton, positions: &[Vec3], part: BodyPart, joints: &[usize]) -> Option<Chain> {
        let role = |joint: usize| skeleton.joints[joint].role;
        let is_on = |joint: usize| match (part, role(joint)) {
            (BodyPart::Head, _) => true,
            (BodyPart::Limb(..), Some(Role::Limb(_, _, segment))) => segment >= Segment::Upper,
            _ => false,
        };
        let joints: Vec<usize> = joints.iter().copied().filter(|&joint| is_on(joint)).collect();
        let is_main = |joint: usize| match role(joint) {
            Some(Role::Limb(_, _, segment)) => segment <= Segment::End,
            // Heads of boxes have no neck: all of the head counts, up to its top.
            _ => true,
        };
        let main = joints.iter().filter(|&&joint| is_main(joint)).count();
        let mut along = vec![0.0];
        for pair in joints.windows(2) {
            along.push(along[along.len() - 1] + (positions[pair[1]] - positions[pair[0]]).norm());
        }
        (main >= 2).then_some(Chain { joints, along, main })
    }

    /// Length from the first joint to the wrist, the ankle or the top of the head.
    fn length(&self) -> f64 {
        self.along[self.main - 1]
    }

    /// The point so far along the bones.
    fn point(&self, positions: &[Vec3], along: f64) -> Vec3 {
        let end = self.along.partition_point(|&at| at < along).clamp(1, self.joints.len() - 1);
        let (from, to) = (self.along[end - 1], self.along[end]);
        let t = if to > from { (along - from) / (to - from) } else { 0.0 };
        positions[self.joints[end - 1]].lerp(&positions[self.joints[end]], t)
    }
}

struct Body<'a> {
    skeleton: &'a Skeleton,
    stages: &'a Stages,
    positions: &'a [Vec3],
    chains: &'a BTreeMap<BodyPart, Chain>,
}

impl Body<'_> {
    /// For each limb how far along its bones each sample of its own surface is.
    fn own_surface(&self) -> BTreeMap<BodyPart, Vec<f64>> {
        let mut own: BTreeMap<BodyPart, Vec<f64>> = BTreeMap::new();
        for sample in &self.stages.surface {
            if let Some((part, along)) = self.owner(sample) {
                own.entry(part).or_default().push(along);
            }
        }
        own.values_mut().for_each(|along| along.sort_by(f64::total_cmp));
        own
    }

    /// The limb of the nearest bone, and how far along it a sample of the surface is, if that bone sees it from inside.
    fn owner(&self, sample: &Vec3) -> Option<(BodyPart, f64)> {
        let joints = &self.skeleton.joints;
        let bones = (0..joints.len()).filter_map(|joint| Some((joint, joints[joint].parent?)));
        let nearest = bones
            .map(|(joint, parent)| {
                let t = parameter(sample, &self.positions[parent], &self.positions[joint]);
                let foot = self.positions[parent].lerp(&self.positions[joint], t.clamp(0.0, 1.0));
                (joint, t, foot, (foot - sample).norm_squared())
            })
            .min_by(|a, b| a.3.total_cmp(&b.3))?;
        let (joint, t, foot, _) = nearest;
        let (part, chain) = self.chains.iter().find(|(_, chain)| chain.joints[1..].contains(&joint))?;
        let end = chain.joints.iter().position(|&other| other == joint)?;
        let halfway = (sample + foot) * 0.5;
        let is_seen = self.stages.field.value(&halfway) <= SEEN * self.stages.frame.height;
        is_seen.then(|| {
            (*part, chain.along[end - 1] + t.clamp(0.0, 1.0) * (chain.along[end] - chain.along[end - 1]))
        })
    }

    fn evidence(&self, part: BodyPart, own: &BTreeMap<BodyPart, Vec<f64>>) -> LimbEvidence {
        let height = self.stages.frame.height;
        let chain = &self.chains[&part];
        let reach = |part: BodyPart| own.get(&part).map_or(0.0, |along| reach(along)) / height;
        let log = |value: f64| ln(value.max(LEAST));
        let surface = |part: BodyPart| own.get(&part).map_or(0, Vec::len) as f64;
        let [farther, wider] = part.partner().map_or([0.0; 2], |partner| [reach(partner), surface(partner)]);
        let none = Vec::new();
        let along = own.get(&part).unwrap_or(&none);
        let slots =
            (0..SLOTS).map(|slot| [slot, slot + 1].map(|end| end as f64 / SLOTS as f64 * chain.length()));
        let bare = slots.clone().filter(|[from, to]| {
            along.partition_point(|at| at < from) == along.partition_point(|at| at <= to)
        });
        let outside = slots.clone().filter(|[from, to]| {
            let point = chain.point(self.positions, 0.5 * (from + to));
            self.stages.field.value(&point) > OUTSIDE * height
        });
        let (fused, apart) = self.between(part).unwrap_or((0.0, 1.0));
        LimbEvidence {
            bare: bare.count() as f64 / SLOTS as f64,
            outside: outside.count() as f64 / SLOTS as f64,
            shorter: (log(farther) - log(reach(part))).max(0.0),
            thinner: (ln(wider + 1.0) - ln(surface(part) + 1.0)).max(0.0),
            reach: log(reach(part)),
            longest: log(reach(part).max(farther)),
            fused,
            apart: log(apart),
        }
    }

    /// What is missing if a limb is not all there.
    fn lack(&self, part: BodyPart, evidence: &LimbEvidence) -> Lack {
        let BodyPart::Limb(limb, side) = part else { return Lack::Head };
        if evidence.tail() > 0.0 && evidence.bare < 0.5 {
            return Lack::SecondLeg;
        }
        // The bones of a stump are squeezed into it; those of its partner are as long as they should be.
        let whole =
            part.partner().and_then(|partner| self.chains.get(&partner)).unwrap_or(&self.chains[&part]);
        let reach = exp(evidence.reach) * self.stages.frame.height;
        let knee = whole.along
            [whole.joints.iter().take_while(|&&joint| !self.is_lower(joint)).count().min(whole.main - 1)];
        let segment = match reach {
            reach if reach < 0.5 * knee => Segment::Upper,
            reach if reach < knee + FOREARM * (whole.length() - knee) => Segment::Lower,
            _ => Segment::End,
        };
        if is_animal(self.skeleton) {
            Lack::AnimalLeg(limb, side, segment)
        } else {
            Lack::Limb(limb, side, segment)
        }
    }

    fn is_lower(&self, joint: usize) -> bool {
        matches!(self.skeleton.joints[joint].role, Some(Role::Limb(_, _, Segment::Lower)))
    }

    /// How much of the way from knee to ankle is fused with the partner of a person's leg, and how far the ankles are apart.
    fn between(&self, part: BodyPart) -> Option<(f64, f64)> {
        let BodyPart::Limb(Limb::Leg, _) = part else { return None };
        if is_animal(self.skeleton) {
            return None;
        }
        let (own, other) = (&self.chains[&part], self.chains.get(&part.partner()?)?);
        let height = self.stages.frame.height;
        let middle = |slot: usize| {
            let t = 0.5 + 0.5 * (slot as f64 + 0.5) / SLOTS as f64;
            let [a, b] = [own, other].map(|chain| chain.point(self.positions, t * chain.length()));
            (a + b) * 0.5
        };
        let fused =
            (0..SLOTS).filter(|&slot| self.stages.field.value(&middle(slot)) < -DEEP * height).count();
        let [a, b] = [own, other].map(|chain| chain.point(self.positions, chain.length()));
        Some((fused as f64 / SLOTS as f64, (a - b).norm() / height))
    }
}

/// The probability of a logistic model, compared with that where all terms but the first are zero.
fn compared(terms: &[f64], coefficients: &[f64]) -> f64 {
    let logit: f64 = terms.iter().zip(coefficients).map(|(term, coefficient)| term * coefficient).sum();
    (1.0 + exp(-coefficients[0])) / (1.0 + exp(-logit))
}

/// How far along its bones a limb has surface.
fn reach(along: &[f64]) -> f64 {
    along.len().checked_sub(FARTHEST).map_or(0.0, |index| along[index])
}

/// Where on the line through two points the nearest one is: 0 at the first, 1 at the second.
fn parameter(point: &Vec3, from: &Vec3, to: &Vec3) -> f64 {
    let bone = to - from;
    let squared = bone.norm_squared();
    if squared > 0.0 { (point - from).dot(&bone) / squared } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: LimbEvidence = LimbEvidence {
        bare: 0.0,
        outside: 0.0,
        shorter: 0.0,
        thinner: 0.0,
        reach: -1.0,
        longest: -1.0,
        fused: 0.0,
        apart: -2.0,
    };
    const ARM: BodyPart = BodyPart::Limb(Limb::Arm, Side::Left);
    const LEG: BodyPart = BodyPart::Limb(Limb::Leg, Side::Left);

    fn person(part: BodyPart, evidence: LimbEvidence) -> f64 {
        evidence.probability(part, false)
    }

    #[test]
    fn a_limb_against_which_nothing_speaks_is_there() {
        assert_eq!(person(ARM, WHOLE), 1.0);
        assert_eq!(person(BodyPart::Head, WHOLE), 1.0);
        // A bent arm, and one that holds no sword as its partner does.
        assert_eq!(person(ARM, LimbEvidence { shorter: 0.7, ..WHOLE }), 1.0);
        assert_eq!(person(ARM, LimbEvidence { thinner: 0.7, ..WHOLE }), 1.0);
        // Fused legs that are apart, as in a skirt.
        assert_eq!(person(LEG, LimbEvidence { fused: 1.0, ..WHOLE }), 1.0);
    }

    #[test]
    fn stumps_bones_in_the_air_and_tails_speak_against_it() {
        assert!(person(ARM, LimbEvidence { shorter: 0.7, thinner: 0.6, ..WHOLE }) < 0.2);
        assert!(person(ARM, LimbEvidence { longest: -2.0, ..WHOLE }) < 0.1);
        assert!(person(LEG, LimbEvidence { bare: 0.8, outside: 0.8, ..WHOLE }) < 0.5);
        assert!(person(LEG, LimbEvidence { fused: 1.0, apart: -3.0, ..WHOLE }) < 0.1);
        assert!(person(BodyPart::Head, LimbEvidence { longest: -2.5, ..WHOLE }) < 0.1);
    }

    #[test]
    fn what_is_missing_has_a_name() {
        let named = |lack: Lack, name: &str| assert_eq!(lack.to_string(), name);
        named(Lack::Limb(Limb::Arm, Side::Left, Segment::Lower), "the left forearm is missing");
        named(Lack::Limb(Limb::Leg, Side::Right, Segment::Upper), "the right leg is missing");
        named(Lack::AnimalLeg(Limb::FrontLeg, Side::Left, Segment::End), "the left front paw is missing");
        named(Lack::Head, "the head is missing");
    }
}
