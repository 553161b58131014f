//! Two legs or four.

use super::quadruped::{self, Legs};
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
}

pub struct Choice {
    pub plan: BodyPlan,
    pub reason: PlanReason,
    pub margin: f64,
}

/// Margins below this are worth a doubt.
pub const UNCLEAR: f64 = 0.15;

/// Four legs if two pairs of legs stand on the ground one before the other, else two.
pub fn choose(raw: &Solid, given: Option<BodyPlan>) -> Choice {
    if let Some(plan) = given {
        return Choice { plan, reason: PlanReason::Given, margin: 1.0 };
    }
    let (solid, symmetric) = quadruped::choose_volume(raw);
    let sides: &[f64] = if symmetric { &[1.0] } else { &[1.0, -1.0] };
    let legs: Option<Vec<Legs>> = sides.iter().map(|&side| quadruped::find_legs(&solid, side)).collect();
    let Some(legs) = legs else {
        return Choice { plan: BodyPlan::Biped, reason: PlanReason::OnePairOfLegs, margin: 1.0 };
    };
    let span = legs.iter().map(Legs::span).fold(f64::MAX, f64::min);
    let trunk = quadruped::trunk(&solid, &legs[0]);
    let plan = if quadruped::shows_hock(&legs[0], trunk) { BodyPlan::Horse } else { BodyPlan::Quadruped };
    let margin = ((span - quadruped::APART) / quadruped::APART).clamp(0.0, 1.0);
    Choice { plan, reason: PlanReason::TwoPairsOfLegs, margin }
}
