//! Two legs or four.

use crate::embed::solid::Solid;

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
    /// The legs do not tell; the body is longer than high, or not.
    Proportions,
}

pub struct Choice {
    pub plan: BodyPlan,
    pub reason: PlanReason,
    pub margin: f64,
}

/// Margins below this are worth a doubt.
pub const UNCLEAR: f64 = 0.15;

pub fn choose(raw: &Solid, given: Option<BodyPlan>) -> Choice {
    if let Some(plan) = given {
        return Choice { plan, reason: PlanReason::Given, margin: 1.0 };
    }
    super::quadruped::looks_like(raw)
}
