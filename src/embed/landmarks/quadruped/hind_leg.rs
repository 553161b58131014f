//! Whether a hind leg shows three bones or four.
//!
//! Artists give animals whose hind legs show a hock four bones there, and those on straighter or shorter legs three.
//! The shape tells them apart where it can: a leg with a hock bends backwards at mid-height. Where the foot stands says
//! nothing, because a leg swings: a bend is measured from the chord of the leg, which swings with it.

use super::legs::LegLine;
use super::trunk::Trunk;

/// Height of the belly over that of the back from which on legs are long enough to show a shank. Of the animals with three
/// bones whose legs bend like those with four, pigs, pugs and cows have 0.35 to 0.42; a fat dog has 0.45, foxes and horses
/// 0.5 to 0.6.
const LONG_LEGS: f64 = 0.435;

/// Height of the bend in heights of the belly. Rigs with four bones have 0.4 and more; cats, zebras and dogs with three
/// have 0.34 to 0.37: what bends there is the foot.
const BEND: f64 = 0.387;

/// How far the bend is behind the chord, in heights of the belly. Rigs with four bones have 0.11 and more; straight legs
/// have less than 0.05, somewhere.
const DEPTH: f64 = 0.08;

/// One unit of each measure is what differs between legs of the same kind, or what voxels make of it.
const LONG_LEGS_UNIT: f64 = 0.02;
const BEND_UNIT: f64 = 0.03;
const DEPTH_UNIT: f64 = 0.02;

/// The chord of a leg reaches between these parts of the belly's height, over at least the third.
const CHORD: [f64; 2] = [0.1, 0.92];
const SHORTEST_CHORD: f64 = 0.05;

/// Steps along it.
const STEPS: i32 = 60;

/// How a leg departs from a straight one.
#[derive(Debug, Clone, Copy)]
pub struct Bend {
    /// Height of the point farthest behind the chord, over that of the belly.
    pub height: f64,
    /// How far behind the chord it is, over the height of the belly.
    depth: f64,
}

impl Bend {
    pub fn of(hind: &LegLine, belly: f64) -> Bend {
        let low = CHORD[0] * belly;
        let high = (CHORD[1] * belly).min(hind.top()).max(low + SHORTEST_CHORD * belly);
        let (from, to) = (hind.at(low).z, hind.at(high).z);
        let behind = (0..=STEPS).map(|k| f64::from(k) / f64::from(STEPS)).map(|t| {
            let y = low + t * (high - low);
            (y, from + t * (to - from) - hind.at(y).z)
        });
        let (y, depth) = behind.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((low, 0.0));
        Bend { height: y / belly, depth: depth / belly }
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
        let score = [
            (trunk.belly / trunk.back - LONG_LEGS) / LONG_LEGS_UNIT,
            (bend.height - BEND) / BEND_UNIT,
            (bend.depth - DEPTH) / DEPTH_UNIT,
        ];
        let least = score.into_iter().fold(f64::INFINITY, f64::min);
        HindBones { four: least > 0.0, unclear: least.abs() < 1.0 }
    }
}
