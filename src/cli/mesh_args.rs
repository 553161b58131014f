//! Flags that mean the same in each command that reads a mesh.

use crate::io::PartChoice;
use crate::math::Axis;
use crate::mesh::orientation::OrientationOptions;
use crate::mesh::placement::Size;
use crate::mesh::prepare::PrepareOptions;
use clap::{Args, ValueEnum};

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
    /// Take one unit of the file for one metre
    #[arg(long)]
    keep_size: bool,
    /// The file's up axis, x to -z [default: as found]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true, hide_possible_values = true)]
    up: Option<AxisName>,
    /// The axis nearest to where it faces; with --up exactly there
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true, hide_possible_values = true)]
    front: Option<AxisName>,
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

    /// The flags that were given and concern the surface, which has no say once there is a skin.
    pub fn given(&self) -> Vec<&'static str> {
        let flags = [
            ("--height", self.height.is_some()),
            ("--unit", self.unit.is_some()),
            ("--keep-size", self.keep_size),
            ("--up", self.up.is_some()),
            ("--front", self.front.is_some()),
            ("--node", !self.node.is_empty()),
            ("--exclude", !self.exclude.is_empty()),
        ];
        flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag).collect()
    }

    pub fn prepare_options(&self) -> PrepareOptions {
        let size = match (self.height, self.unit, self.keep_size) {
            (Some(height), ..) => Size::Height(height),
            (_, Some(unit), _) => Size::Unit(unit),
            (.., true) => Size::Keep,
            _ => Size::Auto,
        };
        let orientation =
            OrientationOptions { up: self.up.map(AxisName::axis), front: self.front.map(AxisName::axis) };
        PrepareOptions { size, orientation, ..PrepareOptions::default() }
    }

    /// The flags that were given, as one types them.
    pub fn as_typed(&self) -> Vec<String> {
        let axis = |flag: &str, axis: Option<AxisName>| {
            Some(format!("{flag} {}", axis?.to_possible_value()?.get_name()))
        };
        let flags = [
            self.height.map(|height| format!("--height {height}")),
            self.unit.map(|unit| format!("--unit {unit}")),
            self.keep_size.then(|| "--keep-size".to_owned()),
            axis("--up", self.up),
            axis("--front", self.front),
        ];
        flags.into_iter().flatten().collect()
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("it must be a number above zero".into()),
    }
}

/// Axes as people type them.
#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "verbatim")]
enum AxisName {
    #[value(name = "x", alias = "+x", alias = "X", alias = "+X")]
    PosX,
    #[value(name = "-x", alias = "-X")]
    NegX,
    #[value(name = "y", alias = "+y", alias = "Y", alias = "+Y")]
    PosY,
    #[value(name = "-y", alias = "-Y")]
    NegY,
    #[value(name = "z", alias = "+z", alias = "Z", alias = "+Z")]
    PosZ,
    #[value(name = "-z", alias = "-Z")]
    NegZ,
}

impl AxisName {
    fn axis(self) -> Axis {
        match self {
            AxisName::PosX => Axis::PosX,
            AxisName::NegX => Axis::NegX,
            AxisName::PosY => Axis::PosY,
            AxisName::NegY => Axis::NegY,
            AxisName::PosZ => Axis::PosZ,
            AxisName::NegZ => Axis::NegZ,
        }
    }
}
