//! Hands that hang: fingers that nothing moves are bent a little, unless they are drawn so.

use super::palm::{Palm, directions, fingers_of};
use crate::math::{Quat, Vec3, atan2};
use crate::retarget::NO_DIRECTION;
use crate::skeleton::Figure;
use crate::skeleton::naming::{Finger, Side};

/// Degrees by which the joints of a hanging hand are bent, from the knuckle outwards, of each finger from the index to the little one.
/// Half of it looks flat, twice as much like a fist; hands that carry nothing close from the index to the little finger.
pub(super) const RELAXED: [[f64; 3]; 4] =
    [[12.0, 22.0, 14.0], [18.0, 26.0, 16.0], [22.0, 28.0, 18.0], [25.0, 28.0, 18.0]];
/// A hand that is bent by this part of it is drawn relaxed, and stays as it is.
const DRAWN_RELAXED: f64 = 0.6;
/// Degrees by which fingers may be bent backwards on average before the palm is not where it seems.
const BACKWARDS: f64 = 15.0;
/// Degrees between a thumb and the palm's length from which on it is spread, and by which a spread one comes nearer.
const SPREAD: f64 = 35.0;
const DRAWN_IN: f64 = 12.0;
/// How the joints of a hand are rotated that hangs; nothing if it is drawn so, or does not say where its palm is.
pub(super) fn relaxed(figure: &Figure, side: Side) -> Vec<(usize, Quat)> {
    let fingers = fingers_of(figure, side);
    let Some(palm) = Palm::of(figure, side, &fingers) else { return Vec::new() };
    let bent: Vec<BentFinger> =
        fingers.iter().filter(|f| **f != Finger::Thumb).map(|&f| BentFinger::of(figure, &palm, f)).collect();
    let count = bent.len() as f64;
    let drawn = bent.iter().map(|finger| finger.drawn.iter().sum::<f64>()).sum::<f64>() / count;
    let wanted = bent.iter().map(|finger| finger.wanted.iter().sum::<f64>()).sum::<f64>() / count;
    if bent.is_empty() || drawn > DRAWN_RELAXED * wanted || drawn < -BACKWARDS.to_radians() {
        return Vec::new();
    }
    bent.iter().flat_map(BentFinger::turns).chain(drawn_in(figure, &palm, side)).collect()
}

/// A finger, how it is drawn, and how it hangs.
struct BentFinger {
    joints: Vec<usize>,
    axis: Vec3,
    /// Radians by which each bone is bent against the one before it, and by which it should be.
    drawn: Vec<f64>,
    wanted: Vec<f64>,
}

impl BentFinger {
    fn of(figure: &Figure, palm: &Palm, finger: Finger) -> BentFinger {
        let joints = figure.phalanges(palm.side(), finger);
        let directions = directions(figure, &joints, &palm.ahead());
        // The axis is across the finger, wherever that is spread to.
        let along = directions.first().copied().unwrap_or_else(|| palm.ahead());
        let flexion = palm.flexion();
        let axis = (flexion - along * along.dot(&flexion)).try_normalize(NO_DIRECTION).unwrap_or(flexion);
        let before = std::iter::once(palm.ahead()).chain(directions.iter().copied());
        let drawn = before.zip(&directions).map(|(before, bone)| bend(&before, bone, &axis)).collect();
        let place = Finger::OF_PALM.iter().position(|&other| other == finger).unwrap_or(1);
        let wanted = divided(RELAXED[place], joints.len());
        BentFinger { joints, axis, drawn, wanted }
    }

    fn turns(&self) -> impl Iterator<Item = (usize, Quat)> + '_ {
        let mut angle = 0.0;
        self.joints.iter().enumerate().map(move |(place, &joint)| {
            angle += (self.wanted[place] - self.drawn[place]).max(0.0);
            (joint, Quat::from_axis_angle(&nalgebra::Unit::new_unchecked(self.axis), angle))
        })
    }
}

/// Radians from one direction to another about an axis.
fn bend(from: &Vec3, to: &Vec3, axis: &Vec3) -> f64 {
    atan2(axis.dot(&from.cross(to)), from.dot(to) - axis.dot(from) * axis.dot(to))
}

/// The bend of three joints, in radians, on any other number: the last one takes what is left.
fn divided(degrees: [f64; 3], joints: usize) -> Vec<f64> {
    let mut bends: Vec<f64> = degrees.iter().take(joints).map(|bend| bend.to_radians()).collect();
    let left: f64 = degrees.iter().skip(joints).map(|bend| bend.to_radians()).sum();
    if let Some(last) = bends.last_mut() {
        *last += 0.5 * left;
    }
    bends.resize(joints, 0.0);
    bends
}

/// A spread thumb comes nearer to the fingers, as it does when a hand hangs. Which way it bends is how its rig was drawn: its other
/// joints stay.
fn drawn_in(figure: &Figure, palm: &Palm, side: Side) -> Vec<(usize, Quat)> {
    let joints = figure.phalanges(side, Finger::Thumb);
    let ahead = palm.ahead();
    let Some(&first) = directions(figure, &joints, &ahead).first() else { return Vec::new() };
    let spread = first.angle(&ahead).to_degrees();
    let Some(axis) = nalgebra::Unit::try_new(first.cross(&ahead), NO_DIRECTION) else { return Vec::new() };
    let turn = Quat::from_axis_angle(&axis, (spread - SPREAD).clamp(0.0, DRAWN_IN).to_radians());
    joints.into_iter().map(|joint| (joint, turn)).collect()
}
