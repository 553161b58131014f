//! Orientation of a character: which way is up, and which way it faces.
//!
//! glTF fixes both by specification and FBX declares them; OBJ, PLY, STL and OFF say nothing, and exporters
//! disagree. The shape itself tells: bodies are mirror-symmetric left to right, they stand on flat soles below
//! legs that part at the crotch, toes point forward, faces have more detail than backs, and the head of a four-legged
//! animal is in front. Up is one of the six axes, a character that leans is left leaning; but it may face anywhere.
//!
//! Each of these cues votes. The votes, weighed as `tools/orientation` has measured them on characters that face a known way, are
//! log odds (a conditional logit, McFadden 1974, "Conditional logit analysis of qualitative choice behavior"); what the file says adds its own. The answer has a probability.

pub mod evidence;
mod mirror;

use super::origin::{Format, Origin};
use crate::math::{Axis, Mat3, Vec3, atan2, cos, exp, sin};
use evidence::{Evidence, FRONT_CUES, UP_CUES};
use mirror::{Lie, MirrorPlane};
use std::fmt;

/// The orientation of a character in the coordinates of its file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Orientation {
    /// The direction from the soles to the head.
    pub up: Axis,
    /// Why `up` was chosen.
    pub up_reason: OrientationReason,
    /// How probable `up` is.
    pub up_probability: f64,
    /// The axis nearest to the direction of the gaze and the toes.
    pub front: Axis,
    /// The angle from `front` to the gaze, in radians, counter-clockwise seen from above; from −π/4 to π/4. Exactly
    /// zero unless the shape clearly shows another plane between left and right.
    pub yaw: f64,
    /// Why the character is taken to face there.
    pub front_reason: OrientationReason,
    /// How probable it is that it faces there, given `up`.
    pub front_probability: f64,
}

impl Orientation {
    /// The orientation that a user tells.
    pub fn given(up: Axis, front: Axis) -> Orientation {
        let reason = OrientationReason::Given;
        Orientation {
            up,
            up_reason: reason,
            up_probability: 1.0,
            front,
            yaw: 0.0,
            front_reason: reason,
            front_probability: 1.0,
        }
    }

    /// The direction of the gaze: level, of unit length.
    pub fn gaze(&self) -> Vec3 {
        let (up, front) = (self.up.vector(), self.front.vector());
        front * cos(self.yaw) + up.cross(&front) * sin(self.yaw)
    }

    /// The rotation that takes `up` to +Y and the gaze to +Z. Without yaw it is made of zeros and ones, exact.
    pub fn upright_from_input(&self) -> Mat3 {
        let (up, gaze) = (self.up.vector(), self.gaze());
        Mat3::from_rows(&[up.cross(&gaze).transpose(), up.transpose(), gaze.transpose()])
    }

    /// Whether the character stands on +Y and faces +Z already.
    pub fn is_upright(&self) -> bool {
        (self.up, self.front, self.yaw) == (Axis::PosY, Axis::PosZ, 0.0)
    }

    /// Where the character faces, in words.
    pub fn facing(&self) -> String {
        if self.yaw == 0.0 {
            return self.front.to_string();
        }
        let left = self.up.vector().cross(&self.front.vector()) * self.yaw;
        format!(
            "{} turned by {:.1} degrees towards {}",
            self.front,
            self.yaw.abs().to_degrees(),
            nearest_axis(&left)
        )
    }
}

/// Why an axis was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OrientationReason {
    /// The user said so.
    Given,
    /// The format or the file says so, and the shape does not contradict.
    Declared,
    /// The format or the file says so; the shape rather shows another, but not clearly.
    Unconfirmed,
    /// The file says nothing; the shape shows it.
    Shape,
    /// The format or the file says otherwise, but the shape clearly contradicts.
    ShapeContradicts {
        /// What the file says.
        declared: Axis,
    },
    /// Neither the file nor the shape tells: what is customary for the format.
    Custom,
    /// The shape shows the line along which the character faces, but nothing tells which way.
    Guess,
}

impl fmt::Display for OrientationReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OrientationReason::Given => f.write_str("as told"),
            OrientationReason::Declared => f.write_str("as the file says, and the shape does not contradict"),
            OrientationReason::Unconfirmed => {
                f.write_str("as the file says, though the shape rather shows another")
            }
            OrientationReason::Shape => f.write_str("seen from the shape"),
            OrientationReason::ShapeContradicts { declared } => {
                write!(f, "seen from the shape, though the file says {declared}")
            }
            OrientationReason::Custom => {
                f.write_str("assumed, as is customary for this format; the shape does not tell")
            }
            OrientationReason::Guess => f.write_str("a guess: the shape does not tell front from back"),
        }
    }
}

/// What the user knows about the orientation; `None` where it is to be found out.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OrientationOptions {
    /// The up axis.
    pub up: Option<Axis>,
    /// The axis that the character faces, or the nearest one: the angle to it is still seen from the shape, unless
    /// both axes are given.
    pub front: Option<Axis>,
}

/// What each cue adds to the log odds of an axis, by `tools/orientation` on the characters of docs/orientation.md.
const UP_WEIGHTS: [f64; UP_CUES.len()] = [25.2, 6.0, -1.3, -7.4];
const FRONT_WEIGHTS: [f64; FRONT_CUES.len()] = [3.4, 3.6, 2.9, 2.7, 2.5, 2.3];
/// What the file's own word adds, or custom where it says nothing: three files of four. Together with `CLEAR`, an axis is overruled
/// from log odds of 2.2 by the shape: of 690 wrong axes up 677 and of 230 wrong fronts 219 are put right, and no right one is
/// turned (families left out). With 0 two right axes up and three right fronts are turned, with 3 a seventh of the wrong fronts stays.
const EXPECTED: f64 = 1.1;
/// The probability from which the shape is said to show an axis; below, it is told that it was assumed.
const SURE: f64 = 0.9;
/// The probability from which another axis than the declared one is taken.
const CLEAR: f64 = 0.75;

/// Finds the orientation of a welded surface with at least one triangle and no degenerate ones.
pub fn find_orientation(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    origin: &Origin,
    options: &OrientationOptions,
) -> Orientation {
    if let (Some(up), Some(front)) = (options.up, options.front) {
        return Orientation::given(up, front);
    }
    let evidence = Evidence::of(positions, triangles, options.up);
    let (declared, custom) = (origin.conventions.up, customary_up(origin.format));
    let (up, up_vote) = match options.up {
        Some(up) => (up, Vote::GIVEN),
        None => choose_up(&evidence, declared, custom),
    };
    // A file that is wrong about one axis says nothing about the other.
    let is_trusted = !matches!(up_vote.reason, OrientationReason::ShapeContradicts { .. });
    let known = Known {
        given: options.front,
        declared: origin.conventions.front.filter(|front| is_trusted && front.index() != up.index()),
        custom: customary_front(up),
    };
    let (front, yaw, front_vote) = choose_front(&evidence, up, &known);
    Orientation {
        up,
        up_reason: up_vote.reason,
        up_probability: up_vote.probability,
        front,
        yaw,
        front_reason: front_vote.reason,
        front_probability: front_vote.probability,
    }
}

/// The outcome of a vote: why, and how probable.
#[derive(Debug, Clone, Copy)]
struct Vote {
    reason: OrientationReason,
    probability: f64,
}

impl Vote {
    const GIVEN: Vote = Vote { reason: OrientationReason::Given, probability: 1.0 };
}

/// Which of several answers holds, by the log odds that the shape gives each. `expected` is the answer that is declared or,
/// where nothing is, customary; `None` if the shape rules it out. A wrong turn is worse than a question: what is declared
/// stays unless another answer is sure.
fn elect(log_odds: &[f64], expected: Option<usize>, declared: Option<Axis>) -> (usize, Vote) {
    let mut believed = log_odds.to_vec();
    if let Some(expected) = expected {
        believed[expected] += EXPECTED;
    }
    let (probabilities, shown) = (softmax(&believed), softmax(log_odds));
    let likeliest = first_largest(&probabilities);
    let elected = match (declared, expected) {
        (Some(_), Some(expected)) if probabilities[likeliest] < CLEAR => expected,
        _ => likeliest,
    };
    let probability = probabilities[elected];
    let is_expected = expected == Some(elected);
    let reason = match declared {
        Some(_) if is_expected && first_largest(&shown) == elected => OrientationReason::Declared,
        Some(_) if is_expected => OrientationReason::Unconfirmed,
        Some(declared) if probability >= CLEAR => OrientationReason::ShapeContradicts { declared },
        None if shown[elected] >= SURE => OrientationReason::Shape,
        None if is_expected => OrientationReason::Custom,
        _ => OrientationReason::Guess,
    };
    (elected, Vote { reason, probability })
}

/// Probabilities of answers that exclude each other.
fn softmax(log_odds: &[f64]) -> Vec<f64> {
    let most = log_odds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let odds: Vec<f64> = log_odds.iter().map(|own| exp(own - most)).collect();
    let sum: f64 = odds.iter().sum();
    odds.iter().map(|own| own / sum).collect()
}

fn first_largest(values: &[f64]) -> usize {
    (1..values.len()).fold(0, |best, index| if values[index] > values[best] { index } else { best })
}

fn weighed<const CUES: usize>(cues: &[f64; CUES], weights: &[f64; CUES]) -> f64 {
    cues.iter().zip(weights).map(|(cue, weight)| cue * weight).sum()
}

/// What exporters of a format mostly do: Z is up where printing is at home.
fn customary_up(format: Format) -> Axis {
    if format == Format::Stl { Axis::PosZ } else { Axis::PosY }
}

/// Where Y is up characters face +Z, where Z is up they face −Y.
fn customary_front(up: Axis) -> Axis {
    if up.index() == 2 { Axis::NegY } else { Axis::PosZ }
}

/// The axis when the shape does not tell.
fn unseen(declared: Option<Axis>, custom: Axis) -> (Axis, Vote) {
    let reason = declared.map_or(OrientationReason::Custom, |_| OrientationReason::Declared);
    (declared.unwrap_or(custom), Vote { reason, probability: softmax(&[EXPECTED, 0.0])[0] })
}

fn choose_up(evidence: &Evidence, declared: Option<Axis>, custom: Axis) -> (Axis, Vote) {
    let expected = declared.unwrap_or(custom);
    let possible = evidence.up(expected);
    if possible.is_empty() {
        return unseen(declared, custom);
    }
    let log_odds: Vec<f64> = possible.iter().map(|(_, cues)| weighed(cues, &UP_WEIGHTS)).collect();
    let expected = possible.iter().position(|(up, _)| *up == expected);
    let (elected, vote) = elect(&log_odds, expected, declared);
    (possible[elected].0, vote)
}

/// What is known about the front besides the shape.
struct Known {
    given: Option<Axis>,
    declared: Option<Axis>,
    custom: Axis,
}

/// The front axis and the yaw.
fn choose_front(evidence: &Evidence, up: Axis, known: &Known) -> (Axis, f64, Vote) {
    let Some((plane, ahead, cues)) = evidence.front(up) else {
        let (front, vote) =
            known.given.map_or_else(|| unseen(known.declared, known.custom), |front| (front, Vote::GIVEN));
        return (front, 0.0, vote);
    };
    let sides = [ahead, -ahead].map(|gaze| facing(&plane, up, &gaze));
    if let Some(given) = known.given {
        // Across the plane there is no side to choose: the user knows better.
        let (front, yaw) = sides.into_iter().find(|side| side.0 == given).unwrap_or((given, 0.0));
        return (front, yaw, Vote::GIVEN);
    }
    // A plane askew to the axes contradicts whatever axis was declared.
    let is_straight = matches!(plane.lie, Lie::Across(_));
    let expected = known.declared.unwrap_or(known.custom);
    let expected = sides.iter().position(|side| is_straight && side.0 == expected);
    let (elected, vote) = elect(&[weighed(&cues, &FRONT_WEIGHTS), 0.0], expected, known.declared);
    let (front, yaw) = sides[elected];
    (front, yaw, vote)
}

/// The axis nearest to a gaze, and the yaw from there.
fn facing(plane: &MirrorPlane, up: Axis, gaze: &Vec3) -> (Axis, f64) {
    let axis = nearest_axis(gaze);
    let front = axis.vector();
    match plane.lie {
        Lie::Across(_) => (axis, 0.0),
        Lie::Along(_) => (axis, atan2(up.vector().dot(&front.cross(gaze)), front.dot(gaze))),
    }
}

/// The axis that a vector points along most.
fn nearest_axis(vector: &Vec3) -> Axis {
    let along = Axis::ALL.map(|axis| (axis, axis.vector().dot(vector)));
    along.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(Axis::PosX, |(axis, _)| axis)
}

#[cfg(test)]
mod tests;
