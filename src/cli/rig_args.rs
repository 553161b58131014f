//! Flags that mean the same in each command that rigs a mesh.

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use puppetry::embed::NamedHint;
use puppetry::io::{self, skeleton_file};
use puppetry::math::{Bounds, Vec3};
use puppetry::mesh::Mesh;
use puppetry::mesh::prepare::PreparedMesh;
use puppetry::parts::PartsChoice;
use puppetry::rig::{MaxInfluences, NameStyle};
use puppetry::skeleton::{Skeleton, built_in};
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
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["hints", "stages"])]
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
    /// Write what was done and how good it is, as JSON
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
    /// Write a picture of each stage into this folder, to see why
    #[arg(long, value_name = "DIR")]
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

/// Hints and joints farther outside of the character's box than this are in other coordinates, in parts of its longest side.
const FAR: f64 = 0.25;

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

    /// The skeletons that come into question: those that were asked for and have every joint of the hints.
    pub fn skeletons(&self) -> Result<Vec<Skeleton>> {
        let candidates = match self.skeleton.as_str() {
            "auto" => AUTO.iter().map(|name| load_skeleton(name)).collect::<Result<Vec<_>>>()?,
            name => vec![load_skeleton(name)?],
        };
        let fits = |skeleton: &&Skeleton| self.hints.iter().all(|hint| hint.find(skeleton).is_some());
        let fitting: Vec<Skeleton> = candidates.iter().filter(fits).cloned().collect();
        if fitting.is_empty() {
            self.explain_hints(&candidates)?;
        }
        Ok(fitting)
    }

    /// Says which hint rules out the last of the skeletons.
    fn explain_hints(&self, candidates: &[Skeleton]) -> Result<()> {
        for hint in &self.hints {
            if candidates.iter().all(|skeleton| hint.find(skeleton).is_none()) {
                let lists = candidates.iter().map(|skeleton| {
                    let names: Vec<&str> = skeleton.joints.iter().map(|joint| joint.name.as_str()).collect();
                    format!("{} has {}", skeleton.name, names.join(", "))
                });
                let lists: Vec<String> = lists.collect();
                bail!("there is no joint '{}' for --hint: the skeleton {}", hint.joint, lists.join("; "));
            }
        }
        bail!("no skeleton has all joints of the hints; give hints for one kind of character")
    }

    /// The hints in the unit cube, with the names as the skeletons spell them.
    pub fn hints(
        &self,
        mesh: &Mesh,
        prepared: &PreparedMesh,
        skeletons: &[Skeleton],
    ) -> Result<Vec<NamedHint>> {
        for (index, hint) in self.hints.iter().enumerate() {
            if self.hints[..index].iter().any(|other| other.joint.eq_ignore_ascii_case(&hint.joint)) {
                bail!("there are two hints for {}; a joint is in one place, so give one", hint.joint);
            }
        }
        let bounds = bounds_of(mesh);
        let hint = |hint: &HintArg| {
            check_near(&bounds, &hint.point, || format!("the hint {hint}"))?;
            let named =
                skeletons.iter().find_map(|skeleton| Some(&skeleton.joints[hint.find(skeleton)?].name));
            let point = prepared.unit_from_input.transform_point(&hint.point.into()).coords;
            Ok(NamedHint { joint: named.unwrap_or(&hint.joint).clone(), point })
        };
        self.hints.iter().map(hint).collect()
    }

    /// Whether a hint tells where a joint is.
    pub fn is_hinted(&self, joint: &str) -> bool {
        self.hints.iter().any(|hint| hint.joint.eq_ignore_ascii_case(joint))
    }

    /// Whether the skeleton was left to the program.
    pub fn is_auto(&self) -> bool {
        self.skeleton == "auto"
    }
}

/// Joints that were read from a file, in the unit cube.
pub fn placed(
    mut joints: Vec<(String, Vec3)>,
    mesh: &Mesh,
    prepared: &PreparedMesh,
) -> Result<Vec<(String, Vec3)>> {
    let bounds = bounds_of(mesh);
    for (name, position) in &mut joints {
        check_near(&bounds, position, || format!("the joint {name}"))?;
        *position = prepared.unit_from_input.transform_point(&(*position).into()).coords;
    }
    Ok(joints)
}

fn bounds_of(mesh: &Mesh) -> Bounds {
    Bounds::of(mesh.triangles.iter().flatten().map(|&v| &mesh.positions[v as usize]))
}

/// Refuses a point that must be in other coordinates than the mesh.
fn check_near(bounds: &Bounds, point: &Vec3, what: impl Fn() -> String) -> Result<()> {
    let outside = point - point.sup(&bounds.min).inf(&bounds.max);
    if outside.norm() > FAR * bounds.extent().max() {
        bail!(
            "{} is far outside of the character, which reaches from {} to {}; give it in the coordinates of the mesh \
             file",
            what(),
            point_text(&bounds.min),
            point_text(&bounds.max)
        );
    }
    Ok(())
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
    if let Some(skeleton) = load_built_in(name)? {
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

fn load_built_in(name: &str) -> Result<Option<Skeleton>> {
    let file = built_in().iter().find(|file| file.name.eq_ignore_ascii_case(name));
    let read = |text: &str| skeleton_file::read(text).map_err(|fault| fault.problem);
    file.map(|file| read(file.text).with_context(|| format!("the built-in skeleton {name} is broken")))
        .transpose()
}

/// A joint and its place, as typed.
#[derive(Debug, Clone, PartialEq)]
struct HintArg {
    joint: String,
    point: Vec3,
}

impl HintArg {
    /// The joint of a skeleton, whatever its capitals.
    fn find(&self, skeleton: &Skeleton) -> Option<usize> {
        let same = |name: &str| name.eq_ignore_ascii_case(&self.joint);
        skeleton.find(&self.joint).or_else(|| skeleton.joints.iter().position(|joint| same(&joint.name)))
    }
}

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
            (joint, Some(&[x, y, z])) => Ok(HintArg { joint: joint.to_owned(), point: Vec3::new(x, y, z) }),
            _ => Err(FORM),
        }
    }
}

impl std::fmt::Display for HintArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.joint, point_text(&self.point))
    }
}

/// A point as a hint wants it.
fn point_text(point: &Vec3) -> String {
    format!("{},{},{}", point.x as f32, point.y as f32, point.z as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_a_name_and_three_numbers() {
        let hint: HintArg = "lefthand = 0.5, -1e-1,2".parse().unwrap();
        assert_eq!(hint, HintArg { joint: "lefthand".into(), point: Vec3::new(0.5, -0.1, 2.0) });
        let human = load_skeleton("Human").unwrap();
        assert_eq!(hint.find(&human), human.find("LeftHand"));
        for wrong in ["LeftHand", "=1,2,3", "a=1,2", "a=1,2,3,4", "a=1,2,x", "a=1,2,inf"] {
            assert!(wrong.parse::<HintArg>().is_err(), "{wrong}");
        }
    }
}
