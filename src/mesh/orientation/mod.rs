//! Orientation of a character: which way is up, and which way it faces.
//!
//! glTF fixes both by specification and FBX declares them; OBJ, PLY, STL and OFF say nothing, and exporters
//! disagree. The shape itself tells: bodies are mirror-symmetric left to right, they stand on flat soles below
//! legs that part at the crotch, toes point forward, faces have more detail than backs, and the head of a four-legged
//! animal is in front. Up is one of the six axes, a character that leans is left leaning; but it may face anywhere.

mod evidence;
mod mirror;

use super::origin::{Format, Origin};
use super::samples::sample_surface;
use crate::math::{Axis, Bounds, Mat3, Vec3, atan2, cos, sin};
use evidence::Body;
use mirror::{Lie, Mirror, MirrorPlane};
use std::fmt;

/// The orientation of a character in the coordinates of its file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Orientation {
    /// The direction from the soles to the head.
    pub up: Axis,
    /// Why `up` was chosen.
    pub up_reason: OrientationReason,
    /// The axis nearest to the direction of the gaze and the toes.
    pub front: Axis,
    /// The angle from `front` to the gaze, in radians, counter-clockwise seen from above; from −π/4 to π/4. Exactly
    /// zero unless the shape clearly shows another plane between left and right.
    pub yaw: f64,
    /// Why the character is taken to face there.
    pub front_reason: OrientationReason,
}

impl Orientation {
    /// The orientation that a user tells.
    pub fn given(up: Axis, front: Axis) -> Orientation {
        let reason = OrientationReason::Given;
        Orientation { up, up_reason: reason, front, yaw: 0.0, front_reason: reason }
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
    /// The format or the file says so, but the shape does not show it.
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
            OrientationReason::Unconfirmed => f.write_str("as the file says; the shape does not tell"),
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

/// Points on the surface. A foot is a hundredth of it and must still have its share.
const SAMPLES: usize = 4000;
/// By how much the shape must speak for another up axis before it overrules a declared one, in the units of
/// [`Body::up_evidence`]; right axes lead by 0.1 to 0.8. Lower values would rotate characters that stand on a robe
/// or a pedestal, higher ones would leave a Z-up export lying on its back.
const OVERRULE_UP: f64 = 0.15;
/// A lead below this is noise: then custom decides.
const FAINT_UP: f64 = 0.02;
/// Evidence for a front, in the units of [`Body::front_evidence`], below which it is a guess. Bodies without feet and
/// face have up to 0.5, either way; feet alone give 1.5, a detailed face alone 0.9.
const CLEAR_FRONT: f64 = 0.75;
/// Evidence that overrules a declared front: more than a single cue other than the feet can give, because hair may
/// have more detail than a face.
const OVERRULE_FRONT: f64 = 1.25;

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
    let samples = sample_surface(positions, triangles, SAMPLES);
    let bounds = Bounds::of(triangles.iter().flatten().map(|&v| &positions[v as usize]));
    let body = Body { positions, triangles, bounds, samples: &samples };
    let mirror = Mirror::new(&samples);
    let plane = match options.up {
        Some(up) => mirror.plane(&[up.index()]),
        None => mirror.plane(&[0, 1, 2]),
    };
    let cut = plane.map_or(Bounds::EMPTY, |plane| body.cut(&plane));

    let (declared, custom) = (origin.conventions.up, customary_up(origin.format));
    let (up, up_reason) = match (options.up, plane) {
        (Some(up), _) => (up, OrientationReason::Given),
        (None, Some(plane)) => choose_up(&body, &plane, &cut, declared, custom),
        (None, None) => unseen(declared, custom),
    };

    let known = Known {
        given: options.front,
        declared: origin.conventions.front.filter(|front| front.index() != up.index()),
        custom: customary_front(up),
    };
    let (front, yaw, front_reason) = match plane.filter(|plane| plane.contains(up.index())) {
        Some(plane) => {
            let ahead = plane.normal.cross(&up.vector());
            let evidence = body.front_evidence(up, &plane, &ahead, &cut);
            choose_front(&plane, up, &ahead, evidence, &known)
        }
        None => {
            let (front, reason) = match known.given {
                Some(front) => (front, OrientationReason::Given),
                None => unseen(known.declared, known.custom),
            };
            (front, 0.0, reason)
        }
    };
    Orientation { up, up_reason, front, yaw, front_reason }
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
fn unseen(declared: Option<Axis>, custom: Axis) -> (Axis, OrientationReason) {
    declared.map_or((custom, OrientationReason::Custom), |axis| (axis, OrientationReason::Unconfirmed))
}

/// The axis with the strongest evidence, unless the declared one is nearly as strong or all are faint.
fn choose_up(
    body: &Body,
    plane: &MirrorPlane,
    cut: &Bounds,
    declared: Option<Axis>,
    custom: Axis,
) -> (Axis, OrientationReason) {
    let expected = declared.unwrap_or(custom);
    // The expected axis takes part even if the plane does not contain it: the character may lean to one side.
    let leans = matches!(plane.lie, Lie::Along(_));
    let mut scored: Vec<(Axis, f64)> = Axis::ALL
        .into_iter()
        .filter(|up| plane.contains(up.index()) || (leans && *up == expected))
        .map(|up| (up, body.up_evidence(up, cut)))
        .collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (best, strength) = scored[0];
    let is_clear = strength - scored[1].1 >= FAINT_UP;
    let lead_over = |axis: Axis| scored.iter().find(|s| s.0 == axis).map(|s| strength - s.1);
    match (declared, declared.and_then(lead_over)) {
        (Some(declared), Some(lead)) if lead < FAINT_UP => (declared, OrientationReason::Declared),
        (Some(declared), Some(lead)) if lead < OVERRULE_UP => (declared, OrientationReason::Unconfirmed),
        (Some(declared), Some(_)) => (best, OrientationReason::ShapeContradicts { declared }),
        // The declared axis is out of the question: the body is symmetric along it.
        (Some(declared), None) if is_clear => (best, OrientationReason::ShapeContradicts { declared }),
        (None, _) if is_clear => (best, OrientationReason::Shape),
        (None, _) if lead_over(custom).is_some() => (custom, OrientationReason::Custom),
        _ => (best, OrientationReason::Guess),
    }
}

/// What is known about the front besides the shape.
struct Known {
    given: Option<Axis>,
    declared: Option<Axis>,
    custom: Axis,
}

/// The front axis, the yaw and the reason, of a character that faces along `ahead` or its opposite.
fn choose_front(
    plane: &MirrorPlane,
    up: Axis,
    ahead: &Vec3,
    evidence: f64,
    known: &Known,
) -> (Axis, f64, OrientationReason) {
    let gaze = if evidence < 0.0 { -ahead } else { *ahead };
    let sides = [gaze, -gaze].map(|gaze| facing(plane, up, &gaze));
    let seen = sides[0];
    let strength = evidence.abs();
    if let Some(given) = known.given {
        // Across the plane there is no side to choose: the user knows better.
        let (front, yaw) = sides.into_iter().find(|side| side.0 == given).unwrap_or((given, 0.0));
        return (front, yaw, OrientationReason::Given);
    }
    let is_straight = matches!(plane.lie, Lie::Across(_));
    let expected = known.declared.unwrap_or(known.custom);
    // A plane askew to the axes contradicts whatever axis was declared.
    let expected_side = sides.into_iter().find(|side| is_straight && side.0 == expected);
    let (side, reason) = match (known.declared, expected_side) {
        (Some(_), Some(side)) if side == seen && strength >= CLEAR_FRONT => {
            (side, OrientationReason::Declared)
        }
        (Some(_), Some(side)) if side == seen || strength < OVERRULE_FRONT => {
            (side, OrientationReason::Unconfirmed)
        }
        (Some(declared), _) if strength >= CLEAR_FRONT => {
            (seen, OrientationReason::ShapeContradicts { declared })
        }
        (None, _) if strength >= CLEAR_FRONT => (seen, OrientationReason::Shape),
        (None, Some(side)) => (side, OrientationReason::Custom),
        _ => (seen, OrientationReason::Guess),
    };
    (side.0, side.1, reason)
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
