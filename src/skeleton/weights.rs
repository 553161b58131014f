//! How dear each penalty of the search for joints is. Each skeleton has weights of its own, in its file.

/// A penalty by its name in reports and, with hyphens, in skeleton files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PenaltyName {
    /// What a person reads.
    pub name: &'static str,
    /// The weight for a skeleton that says nothing.
    pub default: f64,
}

const fn penalty(name: &'static str, default: f64) -> PenaltyName {
    PenaltyName { name, default }
}

/// The first penalties compare a placement with the skeleton and with other joints: the nine of Baran & Popović 2007, with
/// the weights that they learned, and one of our own. The others compare it with the body.
pub const PLACEMENT_PENALTIES: usize = 10;
const PAPER_PENALTIES: usize = 9;

/// All penalties; `embed::penalty` and `embed::guide` say what they are.
pub const PENALTIES: [PenaltyName; 14] = [
    penalty("bone too short", 0.027),
    penalty("wrong direction", 0.023),
    penalty("asymmetry", 0.007),
    penalty("shared path", 0.046),
    penalty("foot off the ground", 0.014),
    penalty("bone of no length", 0.012),
    penalty("wrong bend", 0.072),
    penalty("limb not at its end", 0.005),
    penalty("limbs too close", 0.033),
    // Twice or half the length costs 0.01. At 0.01 hips slide into skirts, at 0.04 fat trolls, which are like no template, fail.
    penalty("another length", 0.02),
    // A wrong match costs 0.05 and more by the nine; these are as much for a position about a twentieth of the height away, or a
    // tenth from the middle.
    penalty("sole off the ground", 1.0),
    penalty("wrong side", 2.0),
    penalty("beside the middle", 0.5),
    // Less than the others, because hats have crowns, too; without it a pig of the corpus fails, and a cow gets worse.
    penalty("below the crown", 0.15),
];

/// One weight for each of [`PENALTIES`], finite and not negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PenaltyWeights(pub [f64; PENALTIES.len()]);

impl Default for PenaltyWeights {
    fn default() -> PenaltyWeights {
        PenaltyWeights(PENALTIES.map(|penalty| penalty.default))
    }
}

impl PenaltyWeights {
    /// The index of a penalty in the list, by its name with hyphens or blanks.
    pub fn find(name: &str) -> Option<usize> {
        PENALTIES.iter().position(|penalty| penalty.name == name || penalty.name.replace(' ', "-") == name)
    }

    /// The weights of the paper, and zero for everything else: what the original program finds.
    pub fn of_paper_alone() -> PenaltyWeights {
        let PenaltyWeights(defaults) = PenaltyWeights::default();
        PenaltyWeights(std::array::from_fn(|term| if term < PAPER_PENALTIES { defaults[term] } else { 0.0 }))
    }

    /// The weights of the penalties that compare a placement with the skeleton and with other joints.
    pub fn of_placement(&self) -> [f64; PLACEMENT_PENALTIES] {
        std::array::from_fn(|term| self.0[term])
    }

    /// The weights of the penalties that the body's own ground, sides and middle give.
    pub fn of_body(&self) -> [f64; PENALTIES.len() - PLACEMENT_PENALTIES] {
        std::array::from_fn(|term| self.0[PLACEMENT_PENALTIES + term])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_penalty_has_one_name() {
        for (index, penalty) in PENALTIES.iter().enumerate() {
            assert_eq!(PenaltyWeights::find(penalty.name), Some(index));
            assert_eq!(PenaltyWeights::find(&penalty.name.replace(' ', "-")), Some(index));
        }
        assert_eq!(PenaltyWeights::find("bone"), None);
    }
}
