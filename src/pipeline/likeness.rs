//! What a body looks like, where that is not what its skeleton is of.

use crate::embed::Stages;
use crate::embed::landmarks::BodyPlan;
use crate::skeleton::Skeleton;
use std::fmt;

/// What a body looks like. Its `Display` is a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likeness {
    /// A person.
    Person,
    /// An animal on four legs.
    Animal,
    /// Neither of them.
    Neither,
    /// Nothing that the prior was trained on.
    Unknown,
}

impl Likeness {
    /// What a body looks like; `None` if it looks like what the skeleton is of, or nothing is known about such skeletons.
    pub(super) fn of(stages: &Stages, skeleton: &Skeleton) -> Option<Likeness> {
        let [two_legs, four_legs, neither] = stages.prior.plans;
        let plan = BodyPlan::of_skeleton(skeleton)?;
        if neither > two_legs.max(four_legs) {
            return Some(Likeness::Neither);
        }
        match plan {
            BodyPlan::Biped if four_legs > two_legs => Some(Likeness::Animal),
            BodyPlan::Quadruped | BodyPlan::Horse if two_legs > four_legs => Some(Likeness::Person),
            _ => None,
        }
    }

    /// Whether it may be no character at all.
    pub fn is_nobody(self) -> bool {
        matches!(self, Likeness::Neither | Likeness::Unknown)
    }
}

impl fmt::Display for Likeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Likeness::Person => "it looks like a person",
            Likeness::Animal => "it looks like a four-legged animal",
            Likeness::Neither => "it looks like neither a person nor a four-legged animal",
            Likeness::Unknown => "it looks like no character that is known",
        })
    }
}
