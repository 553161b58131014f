//! Flags that mean the same in each command that rigs a mesh.

use super::args::one_of;
use super::mesh_args::MeshArgs;
use super::refusal::{MIN_CONFIDENCE, refusal};
use super::save::{self, is_stdout};
use crate::embed::{EmbedOptions, FREE, NamedHint, Route};
use crate::io::{self, bodyparts_file};
use crate::math::Vec3;
use crate::parts::PartsChoice;
use crate::pipeline::{
    Attachment, Error, ExampleOptions, ExtraJoints, Jointed, RestPose, RigOptions, RigReport, SkeletonSource,
    load_examples,
};
use crate::rig::{HelperOptions, MaxInfluences, NameStyle, TwistJoints, VolumeJoints};
use crate::skeleton::{Skeleton, built_in, edit_distance, resolve_joint};
use crate::skin::examples::ExamplesRest;
use anyhow::{Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// How the joints are found.
#[derive(Debug, Args)]
#[command(next_help_heading = "How the joints are found")]
pub struct RigArgs {
    /// auto, free, a name ('puppetry skeletons') or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "auto")]
    skeleton: String,
    /// A joint is here (as in the mesh file); repeatable
    ///
    /// Joints go by their names or as people say: LeftElbow, "left knee". On symmetric characters a hint counts for both sides.
    #[arg(long = "hint", value_name = "JOINT=X,Y,Z")]
    hints: Vec<HintArg>,
    /// Hints count for their own side only, also on symmetric characters
    #[arg(long, hide_short_help = true)]
    no_mirror: bool,
    /// Take the joints from a JSON file, such as a rig file
    #[arg(long, value_name = "FILE.json", conflicts_with = "hints")]
    joints: Option<PathBuf>,
    // Hidden: for those who compare methods.
    /// One method alone finds the joints: landmarks, pinocchio (the search of the paper) or prior
    #[arg(long, value_name = "METHOD", value_parser = one_of(&METHODS), hide = true, conflicts_with = "joints")]
    method: Option<Route>,
    /// Refuse rigs that are less likely to be good [default: 0.3]
    ///
    /// With --hint nothing is refused unless this is given: who places joints by hand has looked.
    #[arg(long, value_name = "0..1", value_parser = probability)]
    min_confidence: Option<f64>,
    // The sentence that refuses names it.
    /// Write it all the same
    #[arg(long, hide_short_help = true)]
    force: bool,
    /// Whether separate pieces are rigid (robots) or bend
    #[arg(long, value_name = "auto|rigid|soft", default_value = "auto", value_parser = parts_choice)]
    #[arg(hide_short_help = true)]
    parts: PartsChoice,
    // Hidden: the sentence that refuses several characters names it.
    /// It is one character, even if it looks like several
    #[arg(long, hide_short_help = true)]
    one: bool,
    // Hidden: the warning about a floor names it.
    /// A floor under the character, or a case around it, is a part of it
    #[arg(long, hide_short_help = true)]
    keep_floor: bool,
    // Hidden: the warning about a prop that is left behind names it.
    /// This node moves with a joint, as a sword with a hand; repeatable
    #[arg(long = "attach", value_name = "NODE=JOINT", hide_short_help = true)]
    attachments: Vec<AttachArg>,
    /// The most joints that move a vertex: 4 (default) or 8, read by few
    #[arg(long, value_name = "4|8", default_value = "4", hide_default_value = true)]
    #[arg(value_parser = max_influences, hide_short_help = true)]
    max_influences: MaxInfluences,
    /// Joints that share the twist of arms and legs: auto (default), none, or 1 to 4 a bone
    ///
    /// They follow the joints beside them. Without them a forearm twisted by 150 degrees keeps a quarter of its radius, with them
    /// 0.88. auto: two for each bone of an arm, one for each of a leg, fewer on coarse meshes, none for animals and machines.
    #[arg(long, value_name = "auto|none|1-4", value_parser = one_of(&TWISTS))]
    #[arg(hide_possible_values = true, hide_short_help = true)]
    twist: Option<TwistJoints>,
    /// Joints that keep the volume of limbs that bend: none (default), half, at shoulders, elbows, hips and knees, or bulge
    ///
    /// An elbow bent by 120 degrees keeps 0.84 of its outer side instead of 0.46. Engines that retarget at run time do not drive them,
    /// and bend the surface worse than without them. bulge: those, and muscles of the upper arms, which become thicker as elbows bend.
    #[arg(long, value_name = "none|half|bulge", value_parser = one_of(&VOLUMES))]
    #[arg(hide_possible_values = true, hide_short_help = true)]
    volume: Option<VolumeJoints>,
    /// Learn the weights from this folder of meshes: the character in other poses
    ///
    /// One file for each pose, with the same vertices in the same order. A motion NAME.bvh, or a rig file NAME.json, beside NAME.glb says
    /// its pose; else it is looked for. Four to eight poses that bend and twist all limbs are enough.
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    examples: Option<PathBuf>,
    /// The surface at rest: keep (default) it, or fit it to the examples, too
    #[arg(long, value_name = "keep|fit", value_parser = one_of(&EXAMPLES_REST), requires = "examples")]
    #[arg(hide_possible_values = true, hide_short_help = true)]
    examples_rest: Option<ExamplesRest>,
    /// Rig it as the finished characters of this library, where their parts fit
    ///
    /// A library is made by 'puppetry bodyparts build'. Weights, joints and bones such as fingers come from it; where nothing fits, the
    /// weights are those without it.
    #[arg(long, value_name = "FILE.parts", hide_short_help = true)]
    bodyparts: Option<PathBuf>,
    /// Who of the library gives a part (trunk, head, left-arm, arms, legs, ...): a character, heat or auto; repeatable
    #[arg(long = "part", value_name = "PART=NAME", value_parser = part_giver, requires = "bodyparts")]
    #[arg(hide_short_help = true)]
    part_givers: Vec<(String, String)>,
    /// Joints that only the library has: all (default) come along, or roles, whose weights are those of our own
    #[arg(long, value_name = "all|roles", default_value = "all", value_parser = one_of(&EXTRA_JOINTS), requires = "bodyparts")]
    #[arg(hide_possible_values = true, hide_default_value = true, hide_short_help = true)]
    extra_joints: ExtraJoints,
    /// Names of joints: godot (default), vrm, unity, unreal, mixamo, plain
    #[arg(long, value_name = "STYLE", default_value = "godot", value_parser = one_of(&STYLES))]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    names: NameStyle,
    /// Pose of the joints in the file: bind (default) or t-pose
    #[arg(long, value_name = "POSE", default_value = "bind", value_parser = one_of(&POSES))]
    #[arg(hide_possible_values = true, hide_default_value = true, hide_short_help = true)]
    rest: RestPose,
}

/// Reports about how the joints were found.
#[derive(Debug, Args)]
#[command(next_help_heading = "What is written")]
pub struct ReportArgs {
    /// Write what was done and how good it is, as JSON
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
    /// Write an image of each stage into this folder, to see why
    #[arg(long, value_name = "DIR", conflicts_with = "joints")]
    pub stages: Option<PathBuf>,
}

impl ReportArgs {
    /// Before any slow work: whether the pictures can be written.
    pub fn check(&self, meshes: usize) -> Result<()> {
        let Some(folder) = &self.stages else { return Ok(()) };
        if meshes > 1 {
            bail!("--stages shows one character; give one mesh");
        }
        if is_stdout(folder) {
            bail!("--stages writes several pictures, and '-' takes one file; name a folder");
        }
        if folder.exists() && !folder.is_dir() {
            bail!("'{}' is not a folder; name a folder for the pictures of --stages", folder.display());
        }
        save::check_folder(folder)
    }
}

const METHODS: [(&str, Route); 3] =
    [("landmarks", Route::Landmarks), ("pinocchio", Route::Search), ("prior", Route::Prior)];
const STYLES: [(&str, NameStyle); 6] = [
    ("godot", NameStyle::Godot),
    ("vrm", NameStyle::Vrm),
    ("unity", NameStyle::Unity),
    ("unreal", NameStyle::Unreal),
    ("mixamo", NameStyle::Mixamo),
    ("plain", NameStyle::Plain),
];
const TWISTS: [(&str, TwistJoints); 6] = [
    ("auto", TwistJoints::Auto),
    ("none", TwistJoints::None),
    ("1", TwistJoints::Count(1)),
    ("2", TwistJoints::Count(2)),
    ("3", TwistJoints::Count(3)),
    ("4", TwistJoints::Count(4)),
];
const VOLUMES: [(&str, VolumeJoints); 3] =
    [("none", VolumeJoints::None), ("half", VolumeJoints::Half), ("bulge", VolumeJoints::Bulge)];
const EXAMPLES_REST: [(&str, ExamplesRest); 2] = [("keep", ExamplesRest::Keep), ("fit", ExamplesRest::Fit)];
const EXTRA_JOINTS: [(&str, ExtraJoints); 2] = [("all", ExtraJoints::All), ("roles", ExtraJoints::Roles)];
const POSES: [(&str, RestPose); 2] = [("bind", RestPose::Bind), ("t-pose", RestPose::TPose)];

/// The skeletons that `--skeleton auto` decides between.
const AUTO: [&str; 3] = ["human", "quadruped", "horse"];

impl RigArgs {
    /// The candidate skeletons. Between those of `auto` the shape decides, and then hints are joints of the one that fits.
    pub fn skeletons(&self) -> Result<Vec<Skeleton>> {
        if self.is_auto() || self.is_free() {
            return Ok(AUTO.iter().filter_map(|name| Skeleton::built_in(name)).collect());
        }
        let skeleton = load_skeleton(&self.skeleton, &["auto", FREE])?;
        self.hints.iter().try_for_each(|hint| resolve_joint(&skeleton, &hint.0.joint).map(|_| ()))?;
        Ok(vec![skeleton])
    }

    /// How a mesh is rigged.
    pub fn options(&self, mesh: &MeshArgs) -> Result<RigOptions> {
        if let (Some(_), PartsChoice::Rigid) = (&self.bodyparts, self.parts) {
            bail!("--bodyparts blends weights, and --parts rigid has no blends; leave one of them out");
        }
        if self.is_free() && (self.joints.is_some() || self.method.is_some()) {
            bail!(
                "--skeleton free makes joints of the limbs; leave --joints and --method out, or name a skeleton"
            );
        }
        let body_parts = self.bodyparts.as_deref().map(bodyparts_file::load).transpose()?;
        Ok(RigOptions {
            skeletons: self.skeletons()?,
            source: if self.is_free() { SkeletonSource::Shape } else { SkeletonSource::Template },
            joints: self.joints.as_deref().map(io::load_joints).transpose()?,
            hints: self.hints.iter().map(|hint| hint.0.clone()).collect(),
            parts: self.parts,
            one_character: self.one,
            keep_floor: self.keep_floor,
            attachments: self.attachments.iter().map(|attachment| attachment.0.clone()).collect(),
            max_influences: self.max_influences,
            helpers: HelperOptions {
                twist: self.twist.unwrap_or_default(),
                volume: self.volume.unwrap_or_default(),
            },
            examples: self.examples(mesh)?,
            body_parts: body_parts.map(Arc::new),
            part_givers: self.part_givers.clone(),
            extra_joints: self.extra_joints,
            names: self.names,
            rest: self.rest,
            normals: mesh.normals(),
            prepare: mesh.prepare_options(),
            embed: EmbedOptions {
                route: self.method,
                mirror_hints: !self.no_mirror,
                ..EmbedOptions::default()
            },
        })
    }

    /// The examples of the folder, if one is given.
    fn examples(&self, mesh: &MeshArgs) -> Result<ExampleOptions> {
        let Some(folder) = &self.examples else { return Ok(ExampleOptions::default()) };
        if self.parts == PartsChoice::Rigid {
            bail!(
                "--examples teaches weights, and rigid pieces have none; leave out --parts rigid or --examples"
            );
        }
        let (meshes, warnings) = load_examples(folder, &mesh.parts())?;
        Ok(ExampleOptions { meshes, rest: self.examples_rest.unwrap_or_default(), warnings })
    }

    /// Before any slow work: examples are of one character.
    pub fn check_examples(&self, meshes: usize) -> Result<()> {
        if self.examples.is_some() && meshes > 1 {
            bail!("--examples shows one character in other poses; give one mesh");
        }
        Ok(())
    }

    /// What could not be done, with the file that it is about.
    pub fn explain(&self, error: Error, mesh: &Path) -> anyhow::Error {
        let context = match (&error, &self.joints) {
            (
                Error::Hint { .. }
                | Error::UnknownJoint(_)
                | Error::UnclearJoint { .. }
                | Error::ManualJoints(_),
                Some(joints),
            ) => format!("cannot take the joints of '{}'", joints.display()),
            (Error::Hint { .. }, None) => return error.into(),
            (Error::UnknownJoint(_) | Error::UnclearJoint { .. }, None) => {
                format!("cannot take the hints for '{}'", mesh.display())
            }
            (Error::Write(_), _) => format!("cannot write '{}' as glTF", mesh.display()),
            _ => format!("cannot rig '{}'", mesh.display()),
        };
        anyhow::Error::from(error).context(context)
    }

    /// Refuses a rig that is less likely to be good than somebody wants.
    ///
    /// # Errors
    /// If it is, with what the character looks like and the ways out.
    pub fn check_confidence(&self, jointed: &Jointed, mesh: &Path) -> Result<()> {
        // Who places joints by hand has looked; with most of them pinned, little is left to be sure by.
        let usual = if self.hints.is_empty() { MIN_CONFIDENCE } else { 0.0 };
        let least = self.min_confidence.unwrap_or(usual);
        match refusal(jointed, least).filter(|_| !self.force) {
            Some(why) => bail!("'{}' is refused: {why}", mesh.display()),
            None => Ok(()),
        }
    }

    /// A report with hints as one types them, and with a skeleton that was named here.
    pub fn phrased(&self, mut report: RigReport) -> RigReport {
        for joint in &mut report.doubtful_joints {
            joint.hint.insert_str(0, "--hint ");
        }
        if !self.is_auto() {
            report.skeleton.why = "as told";
        }
        report
    }

    /// Whether the skeleton is made for the body.
    fn is_free(&self) -> bool {
        self.skeleton == FREE
    }

    /// Whether the skeleton was left to the program.
    fn is_auto(&self) -> bool {
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

fn part_giver(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((part, name)) if !part.is_empty() && !name.is_empty() => Ok((part.to_owned(), name.to_owned())),
        _ => Err("write it as PART=NAME, for example left-arm=hero or head=heat"),
    }
}

fn probability(text: &str) -> Result<f64, &'static str> {
    let value = text.parse().ok().filter(|value| (0.0..=1.0).contains(value));
    value.ok_or("a probability is a number from 0 to 1")
}

fn max_influences(text: &str) -> Result<MaxInfluences, &'static str> {
    match text {
        "4" => Ok(MaxInfluences::Four),
        "8" => Ok(MaxInfluences::Eight),
        _ => Err("glTF has sets of four: give 4 or 8"),
    }
}

/// A built-in skeleton by its name, or a skeleton from a file; `also` are other names that may be given.
pub fn load_skeleton(name: &str, also: &[&str]) -> Result<Skeleton> {
    if let Some(skeleton) = Skeleton::built_in(name) {
        return Ok(skeleton);
    }
    let path = Path::new(name);
    if !path.exists() {
        let names = also.iter().copied().chain(built_in().iter().map(|file| file.name));
        let names: Vec<&str> = names.collect();
        let closest = names.iter().find(|known| edit_distance(known, name) <= MISTAKES);
        let names = names.join(", ");
        match closest {
            Some(closest) => {
                bail!("there is no skeleton '{name}'; did you mean {closest}? There are {names}")
            }
            None => bail!("there is no skeleton '{name}'; give {names} or a skeleton file"),
        }
    }
    Ok(io::load_skeleton(path)?.0)
}

/// Mistakes in a word that are forgiven.
const MISTAKES: usize = 2;

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

/// A node and its joint, as typed.
#[derive(Debug, Clone, PartialEq)]
struct AttachArg(Attachment);

impl FromStr for AttachArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<AttachArg, &'static str> {
        match text.rsplit_once('=').map(|(part, joint)| (part.trim(), joint.trim())) {
            Some((part, joint)) if !part.is_empty() && !joint.is_empty() => {
                Ok(AttachArg(Attachment { part: part.to_owned(), joint: joint.to_owned() }))
            }
            _ => Err("write it as NODE=JOINT, for example Sword=RightHand"),
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
        assert!(load_skeleton("Human", &[]).unwrap().has_joint("lefthand"));
        for wrong in ["LeftHand", "=1,2,3", "a=1,2", "a=1,2,3,4", "a=1,2,x", "a=1,2,inf"] {
            assert!(wrong.parse::<HintArg>().is_err(), "{wrong}");
        }
    }
}
