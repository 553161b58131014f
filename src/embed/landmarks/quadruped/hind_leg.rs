//! Whether a hind leg shows three bones or four.
//!
//! Artists give animals whose hind legs show a hock four bones there, and those on straighter or shorter legs three.
//! The shape tells them apart where it can: a leg with a hock leads forward from the foot, and bends at mid-height.

use super::legs::LegLine;
use super::trunk::Trunk;

/// Height of the belly over that of the back from which on legs are long enough to show a shank: pigs, rats and cats
/// have 0.3 to 0.44, foxes, dogs and horses 0.5 to 0.6.
const LONG_LEGS: f64 = 0.46;

/// How far the leg is ahead of its foot at the belly, in heights of the belly. Rigs with four bones have 0.14 and
/// more, zebras with three 0.09.
const AHEAD: f64 = 0.115;

/// Height of the bend in heights of the belly. Rigs with four bones have 0.41 and more, zebras with three 0.34.
const BEND: f64 = 0.38;

/// How a leg departs from a straight one.
#[derive(Debug, Clone, Copy)]
pub struct Bend {
    /// Height of the point farthest behind the chord, over that of the belly.
    pub height: f64,
    /// How far the leg is ahead of its foot where it meets the belly, over the height of the belly.
    ahead: f64,
}

impl Bend {
    pub fn of(hind: &LegLine, belly: f64) -> Bend {
        let low = 0.1 * belly;
        let high = (0.92 * belly).min(hind.top()).max(low + 0.05 * belly);
        let (from, to) = (hind.at(low).z, hind.at(high).z);
        let steps = 60;
        let behind = |t: f64| from + t * (to - from) - hind.at(low + t * (high - low)).z;
        let place = (0..=steps)
            .map(|k| f64::from(k) / f64::from(steps))
            .max_by(|&a, &b| behind(a).total_cmp(&behind(b)))
            .unwrap_or(0.5);
        Bend { height: (low + place * (high - low)) / belly, ahead: (to - from) / belly }
    }
}

/// How many bones a hind leg shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HindBones {
    /// Four rather than three.
    pub four: bool,
    /// The shape is near the border: artists make three bones of some such legs and four of others.
    pub unclear: bool,
}

impl HindBones {
    pub fn of(hind: &LegLine, trunk: &Trunk) -> HindBones {
        let bend = Bend::of(hind, trunk.belly);
        // One unit of each is about what differs between rigs of the same number of bones.
        let score = (bend.ahead - AHEAD) / 0.05 + (bend.height - BEND) / 0.1;
        let long = (trunk.belly / trunk.back - LONG_LEGS) / 0.05;
        HindBones { four: score > 0.0 && long > 0.0, unclear: score.min(long).abs() < 1.0 }
    }
}
