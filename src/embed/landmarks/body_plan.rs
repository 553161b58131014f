//! Two legs or four.

use super::quadruped::{APART, Stand};
use crate::skeleton::Skeleton;
use crate::skeleton::naming::{Limb, Role, Segment, Side};

/// What kind of body a character has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyPlan {
    /// Two legs, two arms: the skeleton `human`.
    Biped,
    /// Four legs of three bones: the skeleton `quadruped`.
    Quadruped,
    /// Four legs, the hind ones of four bones: the skeleton `horse`.
    Horse,
}

impl BodyPlan {
    /// The plan of a skeleton, by the roles of its joints; `None` if it is another one, as a centaur's.
    pub fn of_skeleton(skeleton: &Skeleton) -> Option<BodyPlan> {
        use Segment::{Hock, Upper};
        let limbs = [(Limb::Leg, Upper), (Limb::Arm, Upper), (Limb::FrontLeg, Upper), (Limb::Leg, Hock)];
        match limbs.map(|(limb, joint)| skeleton.find_role(Role::Limb(limb, Side::Left, joint)).is_some()) {
            [true, true, false, _] => Some(BodyPlan::Biped),
            [true, false, true, true] => Some(BodyPlan::Horse),
            [true, false, true, false] => Some(BodyPlan::Quadruped),
            _ => None,
        }
    }
}

/// Why a body plan was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanReason {
    /// The caller said so.
    Given,
    /// It looks like those that have this plan.
    Prior,
    /// Two pairs of legs stand on the ground, one before the other.
    TwoPairsOfLegs,
    /// One pair of legs stands on the ground.
    OnePairOfLegs,
}

pub struct Choice {
    pub plan: BodyPlan,
    pub reason: PlanReason,
    pub margin: f64,
}

/// Margins below this are worth a doubt.
pub const UNCLEAR: f64 = 0.15;

/// Four legs if two pairs of legs stand on the ground one before the other, else two.
pub fn choose(stand: &Stand, given: Option<BodyPlan>) -> Choice {
    if let Some(plan) = given {
        return Choice { plan, reason: PlanReason::Given, margin: 1.0 };
    }
    let Some(span) = stand.span() else {
        return Choice { plan: BodyPlan::Biped, reason: PlanReason::OnePairOfLegs, margin: 1.0 };
    };
    let plan = if stand.hind_bones().four { BodyPlan::Horse } else { BodyPlan::Quadruped };
    let margin = ((span - APART) / APART).clamp(0.0, 1.0);
    Choice { plan, reason: PlanReason::TwoPairsOfLegs, margin }
}
