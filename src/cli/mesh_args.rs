//! Flags that mean the same in each command that reads a mesh.

use super::args::{number, one_of};
use super::length::{Height, height, unit};
use crate::io::PartChoice;
use crate::math::Axis;
use crate::mesh::normals::{NormalOptions, Normals};
use crate::mesh::orientation::OrientationOptions;
use crate::mesh::placement::Size;
use crate::mesh::prepare::PrepareOptions;
use clap::Args;

/// How the mesh is to be understood.
#[derive(Debug, Args)]
#[command(next_help_heading = "How the mesh is to be understood")]
pub struct MeshArgs {
    /// The character's height: 1.8 (metres), 180cm, 5ft11; auto
    ///
    /// auto takes the unit that the file declares, unless the character would be lower than 0.2 m or higher than 5 m: then it
    /// takes the power of ten that brings the height nearest to 1.7 m.
    #[arg(long, value_name = "H", value_parser = height, allow_negative_numbers = true, conflicts_with_all = ["unit", "keep_size"])]
    height: Option<Height>,
    /// The file's unit: 0.01 (metres), cm, in
    #[arg(long, value_name = "U", value_parser = unit, allow_negative_numbers = true, conflicts_with = "keep_size")]
    #[arg(hide_short_help = true)]
    unit: Option<f64>,
    /// One unit of the file is one metre
    #[arg(long, hide_short_help = true)]
    keep_size: bool,
    /// The file's up axis, x to -z [default: as found]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true, hide_possible_values = true)]
    #[arg(ignore_case = true, value_parser = one_of(&AXES))]
    up: Option<Axis>,
    /// The axis nearest to where it faces; with --up exactly there
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true, hide_possible_values = true)]
    #[arg(ignore_case = true, value_parser = one_of(&AXES))]
    front: Option<Axis>,
    /// The character is this node or object of the file; repeatable
    #[arg(long, value_name = "NODE")]
    node: Vec<String>,
    /// This node is a prop that stays where it is; repeatable
    #[arg(long, value_name = "NODE", hide_short_help = true)]
    exclude: Vec<String>,
    #[command(flatten)]
    normals: NormalArgs,
}

/// How the surface is shaded.
#[derive(Debug, Args)]
pub struct NormalArgs {
    /// Normals: smooth, flat or keep [default: smooth where there are none]
    #[arg(long, value_name = "HOW", hide_possible_values = true, hide_short_help = true)]
    #[arg(value_parser = one_of(&NORMALS))]
    normals: Option<Normals>,
    // Hidden: few need another angle, and docs/commands.md has it.
    /// Faces that meet at a larger angle keep a hard edge, in degrees
    #[arg(long, value_name = "ANGLE", default_value = "60", hide = true, allow_negative_numbers = true)]
    #[arg(value_parser = number("an angle from 0 to 180 degrees", |angle| (0.0..=180.0).contains(&angle)))]
    crease: f64,
}

impl MeshArgs {
    /// The parts of the file that are the character.
    pub fn parts(&self) -> PartChoice {
        PartChoice { only: self.node.clone(), without: self.exclude.clone() }
    }

    /// How the surface is shaded.
    pub fn normals(&self) -> NormalOptions {
        self.normals.options()
    }

    pub fn prepare_options(&self) -> PrepareOptions {
        let size = match (self.height, self.unit, self.keep_size) {
            (Some(Height::Meters(height)), ..) => Size::Height(height),
            (Some(Height::Auto), ..) => Size::Usual,
            (_, Some(unit), _) => Size::Unit(unit),
            (.., true) => Size::Keep,
            _ => Size::Auto,
        };
        let orientation = OrientationOptions { up: self.up, front: self.front };
        PrepareOptions { size, orientation, ..PrepareOptions::default() }
    }
}

impl NormalArgs {
    pub fn options(&self) -> NormalOptions {
        let mut options = NormalOptions::default();
        (options.normals, options.crease_degrees) = (self.normals.unwrap_or_default(), self.crease);
        options
    }
}

const NORMALS: [(&str, Normals); 3] =
    [("smooth", Normals::Smooth), ("flat", Normals::Flat), ("keep", Normals::Keep)];
const AXES: [(&str, Axis); 9] = [
    ("x", Axis::PosX),
    ("-x", Axis::NegX),
    ("y", Axis::PosY),
    ("-y", Axis::NegY),
    ("z", Axis::PosZ),
    ("-z", Axis::NegZ),
    ("+x", Axis::PosX),
    ("+y", Axis::PosY),
    ("+z", Axis::PosZ),
];
