//! Where and how large a character stands in the output: metres, +Y up, facing +Z, soles on y = 0.
//!
//! Nothing is changed without need. glTF is in metres by specification and FBX declares its unit; the other
//! formats have none and are scaled by the power of ten that brings the height nearest 1.7 m. The character is
//! rotated only if it stands or faces the wrong way, lifted only if its soles miss the floor by more than 1 % of
//! the height, and centred only if the origin's vertical misses its box.

use super::orientation::Orientation;
use super::origin::Conventions;
use crate::Warning;
use crate::math::{Axis, Bounds, Similarity, Vec3, log10, powi, rotation_of};
use std::fmt;

/// How the size in the output is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Size {
    /// By the unit that the file declares, else the power of ten nearest to a person.
    #[default]
    Auto,
    /// One unit of the file is one metre.
    Keep,
    /// By the unit that the file declares, unless the character has no usual height then: the power of ten nearest to a person.
    Usual,
    /// The character is this high, in metres.
    Height(f64),
    /// One unit of the file is this many metres.
    Unit(f64),
}

/// Why a character has its size in the output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SizeReason {
    /// The user said so.
    Given,
    /// The format or the file declares its unit.
    Declared,
    /// The file has no unit: the power of ten that brings the height nearest 1.7 m.
    PowerOfTen,
    /// The file has a unit in which nobody is as high: the same.
    Corrected,
}

impl fmt::Display for SizeReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SizeReason::Given => "as told",
            SizeReason::Declared => "the file's own unit",
            SizeReason::PowerOfTen => "the file has no unit, so the power of ten nearest to a person's 1.7 m",
            SizeReason::Corrected => {
                "the file's own unit is wrong, so the power of ten nearest to a person's 1.7 m"
            }
        })
    }
}

/// The map from the coordinates of a file to those of the output, and its reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// Scale, rotation and translation, in this order.
    pub output_from_input: Similarity,
    /// Up axis and front of the character in the file.
    pub orientation: Orientation,
    /// Why the scale is what it is.
    pub size_reason: SizeReason,
    /// Height of the character in the units of the file.
    pub height_in_file: f64,
    /// Height of the character in the output, in metres.
    pub height: f64,
    /// The upward shift, in metres, that puts the soles on the floor; zero if they are near enough.
    pub lift: f64,
    /// Whether the character was moved sideways to the origin.
    pub centered: bool,
}

impl Placement {
    /// Of a character of that height that stays where it is.
    pub fn unchanged(height: f64) -> Placement {
        Placement {
            output_from_input: Similarity::identity(),
            orientation: Orientation::given(Axis::PosY, Axis::PosZ),
            size_reason: SizeReason::Declared,
            height_in_file: height,
            height,
            lift: 0.0,
            centered: false,
        }
    }
}

/// Height of a person in metres, for files without a unit.
const PERSON: f64 = 1.7;
/// Outside of these heights in metres a character is probably in other units than it claims.
const USUAL_HEIGHTS: std::ops::RangeInclusive<f64> = 0.2..=5.0;
/// A height below this part of the longest side is none.
const FLAT: f64 = 1e-6;
/// Soles this far off the floor, in parts of the height, are on it.
const SOLE_TOLERANCE: f64 = 0.01;

impl Placement {
    /// Decides the placement of a character; `upright` is its box in the units of its file after it was rotated to
    /// stand on +Y and face +Z. `None` if the numbers overflow.
    pub(super) fn new(
        upright: &Bounds,
        orientation: Orientation,
        conventions: &Conventions,
        size: Size,
        warnings: &mut Vec<Warning>,
    ) -> Option<Placement> {
        let height_in_file = upright.extent().y;
        // A sheet that lies flat has no height; its longest side serves as its size.
        let longest = upright.extent().max();
        let reference = if height_in_file > FLAT * longest { height_in_file } else { longest };
        let (scale, size_reason) = match (size, conventions.meters_per_unit) {
            (Size::Keep, _) => (1.0, SizeReason::Given),
            (Size::Height(height), _) => (height / reference, SizeReason::Given),
            (Size::Unit(meters), _) => (meters, SizeReason::Given),
            (Size::Usual, Some(meters)) if !USUAL_HEIGHTS.contains(&(meters * reference)) => {
                let scale = nearest_power_of_ten(PERSON / reference);
                (scale, if scale == meters { SizeReason::Declared } else { SizeReason::Corrected })
            }
            (Size::Auto | Size::Usual, Some(meters)) => (meters, SizeReason::Declared),
            (Size::Auto | Size::Usual, None) => {
                (nearest_power_of_ten(PERSON / reference), SizeReason::PowerOfTen)
            }
        };
        let height = height_in_file * scale;
        // Who asks for a usual size has it as far as a power of ten can give it.
        if !USUAL_HEIGHTS.contains(&height) && size != Size::Usual {
            warnings.push(Warning::UnusualSize { height });
        }

        let (min, max) = (upright.min * scale, upright.max * scale);
        let lift = if min.y.abs() > SOLE_TOLERANCE * height { -min.y } else { 0.0 };
        let centered = [0, 2].iter().any(|&axis| min[axis] > 0.0 || max[axis] < 0.0);
        let shift = if centered { -(min + max) * 0.5 } else { Vec3::zeros() };
        let shift = Vec3::new(shift.x, lift, shift.z);
        if !scale.is_normal() || !shift.iter().chain([&height]).all(|x| x.is_finite()) {
            return None;
        }
        let rotation = rotation_of(&orientation.upright_from_input());
        let output_from_input = Similarity::from_parts(shift.into(), rotation, scale);
        Some(Placement {
            output_from_input,
            orientation,
            size_reason,
            height_in_file,
            height,
            lift,
            centered,
        })
    }

    /// Whether the output differs from the input in anything but rounding.
    pub fn is_identity(&self) -> bool {
        self.output_from_input.scaling() == 1.0
            && self.lift == 0.0
            && !self.centered
            && self.orientation.is_upright()
    }
}

fn nearest_power_of_ten(x: f64) -> f64 {
    powi(10.0, log10(x).round() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An upright box in units of so many metres.
    fn place(min: [f64; 3], max: [f64; 3], unit: Option<f64>, size: Size) -> (Placement, Vec<Warning>) {
        let bounds = Bounds { min: Vec3::from(min), max: Vec3::from(max) };
        let conventions = Conventions { meters_per_unit: unit, ..Conventions::default() };
        let mut warnings = Vec::new();
        let placement = Placement::new(&bounds, upright(), &conventions, size, &mut warnings);
        (placement.expect("numbers to reckon with"), warnings)
    }

    fn upright() -> Orientation {
        Orientation::given(Axis::PosY, Axis::PosZ)
    }

    #[test]
    fn a_well_placed_file_in_metres_is_not_touched() {
        let (placement, warnings) = place([-0.9, 0.01, -0.2], [0.9, 1.8, 0.2], Some(1.0), Size::Auto);
        assert!(placement.is_identity() && warnings.is_empty());
        let point = Vec3::new(0.3, 0.4, 0.5);
        assert_eq!(placement.output_from_input * nalgebra::Point3::from(point), point.into());
    }

    #[test]
    fn files_without_a_unit_take_the_power_of_ten_nearest_to_a_person() {
        for (height, scale) in
            [(1.7, 1.0), (180.0, 0.01), (1800.0, 0.001), (17.0, 0.1), (0.2, 10.0), (4.0, 1.0), (6.0, 0.1)]
        {
            let box_of = |size| place([0.0; 3], [1.0, height, 1.0], None, size).0;
            assert!((box_of(Size::Auto).output_from_input.scaling() / scale - 1.0).abs() < 1e-12, "{height}");
            assert_eq!(box_of(Size::Keep).height, height);
            assert!((box_of(Size::Height(1.5)).height - 1.5).abs() < 1e-12);
            assert!((box_of(Size::Unit(0.5)).height - 0.5 * height).abs() < 1e-12);
        }
    }

    #[test]
    fn a_giant_in_metres_keeps_its_size_with_a_warning() {
        let giant = ([-50.0, 0.0, -50.0], [50.0, 170.0, 50.0]);
        let (placement, warnings) = place(giant.0, giant.1, Some(1.0), Size::Auto);
        assert_eq!(placement.height, 170.0);
        assert_eq!(warnings, [Warning::UnusualSize { height: 170.0 }]);
    }

    #[test]
    fn a_sheet_on_the_floor_is_measured_by_its_longest_side_and_extremes_are_refused() {
        let sheet = |size| place([0.0; 3], [170.0, 0.0, 50.0], None, size).0;
        assert_eq!(sheet(Size::Auto).output_from_input.scaling(), 0.01);
        assert_eq!(sheet(Size::Height(3.4)).output_from_input.scaling(), 0.02);
        let bounds = Bounds { min: Vec3::zeros(), max: Vec3::repeat(1e150) };
        let (conventions, tiny) = (Conventions::default(), Size::Height(1e-300));
        assert_eq!(Placement::new(&bounds, upright(), &conventions, tiny, &mut Vec::new()), None);
    }
}
