//! Flags that mean the same in each command that reads a mesh.

use super::args::{one_of, positive};
use crate::io::PartChoice;
use crate::math::Axis;
use crate::mesh::orientation::OrientationOptions;
use crate::mesh::placement::Size;
use crate::mesh::prepare::PrepareOptions;
use clap::Args;

/// How the mesh is to be understood.
#[derive(Debug, Args)]
#[command(next_help_heading = "How the mesh is to be understood")]
pub struct MeshArgs {
    /// The character's height in metres
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true, conflicts_with_all = ["unit", "keep_size"])]
    height: Option<f64>,
    /// The file's unit in metres (0.01 for centimetres)
    #[arg(long, value_name = "U", value_parser = positive, allow_negative_numbers = true, conflicts_with = "keep_size")]
    unit: Option<f64>,
    /// One unit of the file is one metre
    #[arg(long)]
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
    #[arg(long, value_name = "NODE")]
    exclude: Vec<String>,
}

impl MeshArgs {
    /// The parts of the file that are the character.
    pub fn parts(&self) -> PartChoice {
        PartChoice { only: self.node.clone(), without: self.exclude.clone() }
    }

    pub fn prepare_options(&self) -> PrepareOptions {
        let size = match (self.height, self.unit, self.keep_size) {
            (Some(height), ..) => Size::Height(height),
            (_, Some(unit), _) => Size::Unit(unit),
            (.., true) => Size::Keep,
            _ => Size::Auto,
        };
        let orientation = OrientationOptions { up: self.up, front: self.front };
        PrepareOptions { size, orientation, ..PrepareOptions::default() }
    }
}

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
