//! Flags that mean the same in each command that rigs a mesh.

use super::mesh_args::MeshArgs;
use crate::embed::NamedHint;
use crate::io;
use crate::math::Vec3;
use crate::parts::PartsChoice;
use crate::pipeline::{Error, RestPose, RigOptions};
use crate::rig::{MaxInfluences, NameStyle};
use crate::skeleton::{Skeleton, built_in};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// How the joints are found.
#[derive(Debug, Args)]
#[command(next_help_heading = "How the joints are found")]
pub struct RigArgs {
    /// auto, a name (see 'puppetry skeletons') or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "auto")]
    skeleton: String,
    /// A joint is near this point (as in the mesh file); repeatable
    #[arg(long = "hint", value_name = "JOINT=X,Y,Z")]
    hints: Vec<HintArg>,
    /// Take the joints from a JSON file, such as a rig file
    #[arg(long, value_name = "FILE.json", conflicts_with = "hints")]
    pub joints: Option<PathBuf>,
    /// Whether separate pieces are rigid (robots) or bend
    #[arg(long, value_name = "auto|rigid|soft", default_value = "auto", value_parser = parts_choice)]
    pub parts: PartsChoice,
    /// The most joints that move a vertex; three.js and others read four
    #[arg(long, value_name = "4|8", default_value = "4", value_parser = max_influences)]
    pub max_influences: MaxInfluences,
    /// Names of joints: godot (default), vrm, unity, unreal, mixamo, plain
    #[arg(
        long,
        value_name = "STYLE",
        default_value = "godot",
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub names: NamesArg,
    /// Pose of the joints in the file: bind (default) or t-pose
    #[arg(
        long,
        value_name = "POSE",
        default_value = "bind",
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub rest: RestArg,
}

/// What is told about how the joints were found.
#[derive(Debug, Args)]
#[command(next_help_heading = "How the joints are found")]
pub struct ReportArgs {
    /// Write what was done and how good it is, as JSON
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
    /// Write a picture of each stage into this folder, to see why
    #[arg(long, value_name = "DIR", conflicts_with = "joints")]
    pub stages: Option<PathBuf>,
}

/// Conventions for names, as people type them.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum NamesArg {
    Godot,
    Vrm,
    Unity,
    Unreal,
    Mixamo,
    Plain,
}

impl NamesArg {
    pub fn style(self) -> NameStyle {
        match self {
            NamesArg::Godot => NameStyle::Godot,
            NamesArg::Vrm => NameStyle::Vrm,
            NamesArg::Unity => NameStyle::Unity,
            NamesArg::Unreal => NameStyle::Unreal,
            NamesArg::Mixamo => NameStyle::Mixamo,
            NamesArg::Plain => NameStyle::Plain,
        }
    }
}

/// How the joints of the file stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RestArg {
    Bind,
    TPose,
}

/// The skeletons that `--skeleton auto` decides between.
const AUTO: [&str; 3] = ["human", "quadruped", "horse"];

impl RigArgs {
    /// The flags that were given and have no meaning for a character that has a skin.
    pub fn given(&self) -> Vec<&'static str> {
        let flags = [
            ("--skeleton", !self.is_auto()),
            ("--hint", !self.hints.is_empty()),
            ("--joints", self.joints.is_some()),
            ("--parts", self.parts != PartsChoice::Auto),
            ("--max-influences", self.max_influences != MaxInfluences::Four),
            ("--names", self.names.style() != NameStyle::Godot),
            ("--rest", self.rest != RestArg::Bind),
        ];
        flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag).collect()
    }

    /// The flags that were given, as one types them.
    pub fn as_typed(&self) -> Vec<String> {
        let hint = |hint: &HintArg| {
            let NamedHint { joint, point } = &hint.0;
            format!("--hint {joint}={},{},{}", point.x, point.y, point.z)
        };
        let mut flags: Vec<String> = self.hints.iter().map(hint).collect();
        let others = [
            (!self.is_auto()).then(|| format!("--skeleton {}", self.skeleton)),
            self.joints.as_ref().map(|file| format!("--joints {}", file.display())),
            match self.parts {
                PartsChoice::Auto => None,
                PartsChoice::Rigid => Some("--parts rigid".to_owned()),
                PartsChoice::Soft => Some("--parts soft".to_owned()),
            },
            (self.max_influences == MaxInfluences::Eight).then(|| "--max-influences 8".to_owned()),
        ];
        flags.extend(others.into_iter().flatten());
        flags
    }

    /// The skeletons that come into question: those that were asked for and have every joint of the hints.
    pub fn skeletons(&self) -> Result<Vec<Skeleton>> {
        let candidates = match self.skeleton.as_str() {
            "auto" => AUTO.iter().map(|name| load_skeleton(name)).collect::<Result<Vec<_>>>()?,
            name => vec![load_skeleton(name)?],
        };
        let fits = |skeleton: &&Skeleton| self.hints.iter().all(|hint| skeleton.has_joint(&hint.0.joint));
        let fitting: Vec<Skeleton> = candidates.iter().filter(fits).cloned().collect();
        if fitting.is_empty() {
            self.explain_hints(&candidates)?;
        }
        Ok(fitting)
    }

    /// Says which hint rules out the last of the skeletons.
    fn explain_hints(&self, candidates: &[Skeleton]) -> Result<()> {
        for hint in &self.hints {
            if candidates.iter().all(|skeleton| !skeleton.has_joint(&hint.0.joint)) {
                let lists = candidates.iter().map(|skeleton| {
                    let names: Vec<&str> = skeleton.joints.iter().map(|joint| joint.name.as_str()).collect();
                    format!("{} has {}", skeleton.name, names.join(", "))
                });
                let lists: Vec<String> = lists.collect();
                bail!("there is no joint '{}' for --hint: the skeleton {}", hint.0.joint, lists.join("; "));
            }
        }
        bail!("no skeleton has all joints of the hints; give hints for one kind of character")
    }

    /// How a mesh is rigged.
    pub fn options(&self, understanding: &MeshArgs) -> Result<RigOptions> {
        Ok(RigOptions {
            skeletons: self.skeletons()?,
            joints: self.joints.as_deref().map(io::load_joints).transpose()?,
            hints: self.hints.iter().map(|hint| hint.0.clone()).collect(),
            parts: self.parts,
            max_influences: self.max_influences,
            names: self.names.style(),
            rest: match self.rest {
                RestArg::Bind => RestPose::Bind,
                RestArg::TPose => RestPose::TPose,
            },
            prepare: understanding.prepare_options(),
        })
    }

    /// What could not be done, with the file that it is about.
    pub fn explain(&self, error: Error, mesh: &Path) -> anyhow::Error {
        let context = match (&error, &self.joints) {
            (Error::Hint { .. } | Error::ManualJoints(_), Some(joints)) => {
                format!("cannot take the joints of '{}'", joints.display())
            }
            (Error::Hint { .. }, None) => return error.into(),
            (Error::Write(_), _) => format!("cannot write '{}' as glTF", mesh.display()),
            _ => format!("cannot rig '{}'", mesh.display()),
        };
        anyhow::Error::from(error).context(context)
    }

    /// Whether the skeleton was left to the program.
    pub fn is_auto(&self) -> bool {
        self.skeleton == "auto"
    }
}

fn parts_choice(text: &str) -> Result<PartsChoice, &'static str> {
    match text {
        "auto" => Ok(PartsChoice::Auto),
        "rigid" => Ok(PartsChoice::Rigid),
        "soft" => Ok(PartsChoice::Soft),
        _ => Err("pieces are rigid or soft, or auto decides"),
    }
}

fn max_influences(text: &str) -> Result<MaxInfluences, &'static str> {
    match text {
        "4" => Ok(MaxInfluences::Four),
        "8" => Ok(MaxInfluences::Eight),
        _ => Err("glTF has sets of four: give 4 or 8"),
    }
}

/// A built-in skeleton by its name, or a skeleton from a file.
pub fn load_skeleton(name: &str) -> Result<Skeleton> {
    if let Some(skeleton) = Skeleton::built_in(name) {
        return Ok(skeleton);
    }
    let path = Path::new(name);
    if !path.exists() {
        let names: Vec<&str> = built_in().iter().map(|file| file.name).collect();
        bail!("there is no skeleton '{name}'; give auto, {} or a skeleton file", names.join(", "));
    }
    let (skeleton, _) = io::load_skeleton(path)?;
    Ok(skeleton)
}

/// A joint and its position, as typed.
#[derive(Debug, Clone, PartialEq)]
struct HintArg(NamedHint);

impl FromStr for HintArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<HintArg, &'static str> {
        const FORM: &str = "write it as JOINT=x,y,z with three numbers, for example LeftHand=0.61,1.2,0.05";
        let (joint, numbers) = text.split_once('=').ok_or(FORM)?;
        let numbers: Option<Vec<f64>> = numbers
            .split(',')
            .map(|number| number.trim().parse().ok().filter(|x: &f64| x.is_finite()))
            .collect();
        match (joint.trim(), numbers.as_deref()) {
            ("", _) => Err(FORM),
            (joint, Some(&[x, y, z])) => {
                Ok(HintArg(NamedHint { joint: joint.to_owned(), point: Vec3::new(x, y, z) }))
            }
            _ => Err(FORM),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_a_name_and_three_numbers() {
        let hint: HintArg = "lefthand = 0.5, -1e-1,2".parse().unwrap();
        assert_eq!(hint.0, NamedHint { joint: "lefthand".into(), point: Vec3::new(0.5, -0.1, 2.0) });
        assert!(load_skeleton("Human").unwrap().has_joint("lefthand"));
        for wrong in ["LeftHand", "=1,2,3", "a=1,2", "a=1,2,3,4", "a=1,2,x", "a=1,2,inf"] {
            assert!(wrong.parse::<HintArg>().is_err(), "{wrong}");
        }
    }
}
