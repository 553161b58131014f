//! Two legs or four.

use super::quadruped::{APART, Stand};

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
    /// The plan of a skeleton of that name.
    pub fn of_skeleton(name: &str) -> Option<BodyPlan> {
        [BodyPlan::Biped, BodyPlan::Quadruped, BodyPlan::Horse]
            .into_iter()
            .find(|plan| plan.skeleton() == name)
    }

    /// The name of its skeleton.
    pub fn skeleton(self) -> &'static str {
        match self {
            BodyPlan::Biped => "human",
            BodyPlan::Quadruped => "quadruped",
            BodyPlan::Horse => "horse",
        }
    }
}

/// Why a body plan was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanReason {
    /// The caller said so.
    Given,
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
