//! The program `orientation`: what each cue for up and front is worth, and whether characters that are turned are found to be
//! the same.

// What it fits is written into the program; nobody repeats its sums on another processor.
#![allow(clippy::disallowed_methods)]

use anyhow::{Context, Result, bail};
use clap::Parser;
use indicatif::ProgressBar;
use nalgebra::{Point3, Rotation3};
use puppetry::stages::io::load_mesh;
use puppetry::stages::math::{Axis, Mat3};
use puppetry::stages::mesh::orientation::OrientationOptions;
use puppetry::stages::mesh::orientation::evidence::{Evidence, FRONT_CUES, UP_CUES};
use puppetry::stages::mesh::prepare::{PrepareOptions, prepare};
use puppetry::stages::mesh::shapes::surface;
use puppetry::stages::mesh::{Conventions, Mesh};
use puppetry::stages::pipeline::place_joints;
use puppetry::{RigOptions, Silent, Vec3, Warning};
use puppetry_tools::families::family_of;
use puppetry_tools::logistic::Examples;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Measure how well up and front are seen in characters that stand on +Y and face +Z
#[derive(Debug, Parser)]
#[command(max_term_width = 110)]
struct Command {
    /// Folders of characters, each a mesh with NAME.truth.json
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// Turn each character in several ways, and say how often its joints stay the same
    #[arg(long)]
    turned: bool,
}

/// A character that stands on +Y and faces +Z.
struct Character {
    name: String,
    family: String,
    mesh: Mesh,
}

fn main() -> Result<()> {
    let command = Command::parse();
    let characters = command.characters()?;
    println!("{} characters", characters.len());
    if command.turned {
        turned(&characters)
    } else {
        fit(&characters)
    }
    Ok(())
}

impl Command {
    fn characters(&self) -> Result<Vec<Character>> {
        let mut characters = Vec::new();
        for folder in &self.folders {
            let entries =
                std::fs::read_dir(folder).with_context(|| format!("cannot read '{}'", folder.display()))?;
            let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
            paths.sort();
            for path in paths {
                characters.extend(character(&path)?);
            }
        }
        if characters.is_empty() {
            bail!("no person and no animal has a truth file NAME.truth.json beside it");
        }
        Ok(characters)
    }
}

/// `None` for files that are no truth, and for what is neither a person nor an animal on four legs.
fn character(path: &Path) -> Result<Option<Character>> {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Some(name) = file.strip_suffix(".truth.json") else { return Ok(None) };
    let truth: serde_json::Value = serde_json::from_slice(&std::fs::read(path)?)?;
    let is_known = matches!(truth["morphology"].as_str(), Some("biped" | "quadruped"));
    let mesh = ["glb", "obj"].map(|ending| path.with_file_name(format!("{name}.{ending}")));
    let Some(mesh) = mesh.iter().find(|mesh| is_known && mesh.exists()) else { return Ok(None) };
    let (mesh, _) = load_mesh(mesh)?;
    Ok(Some(Character { name: name.to_owned(), family: family_of(&truth), mesh }))
}

/// The cues of a character for +Y against each other axis, and for +Z against −Z; none if it has no mirror plane.
fn cues(character: &Character) -> (Vec<Vec<f64>>, Option<Vec<f64>>) {
    let orientation = OrientationOptions { up: Some(Axis::PosY), front: Some(Axis::PosZ) };
    let options = PrepareOptions { orientation, ..PrepareOptions::default() };
    let Ok(prepared) = prepare(&character.mesh, &options, &mut Vec::new()) else { return Default::default() };
    let evidence = Evidence::of(&prepared.positions, &prepared.triangles, None);
    let axes = evidence.up(Axis::PosY);
    let Some((_, own)) = axes.iter().find(|(up, _)| *up == Axis::PosY) else { return Default::default() };
    let others = axes.iter().filter(|(up, _)| *up != Axis::PosY);
    let up = others.map(|(_, cues)| own.iter().zip(cues).map(|(own, other)| own - other).collect());
    let front = evidence.front(Axis::PosY).map(|(_, ahead, cues)| {
        let sign = if ahead.z > 0.0 { 1.0 } else { -1.0 };
        cues.map(|cue| sign * cue).to_vec()
    });
    (up.collect(), front)
}

/// Which of two axes is right, by the differences of their cues: each pair both ways round, so that nothing is preferred.
#[derive(Default)]
struct Pairs {
    examples: Examples,
    /// For each pair whose it is.
    of_character: Vec<usize>,
}

impl Pairs {
    fn push(&mut self, cues: &[f64], character: usize, family: &str) {
        for (sign, is_right) in [(1.0, true), (-1.0, false)] {
            let row: Vec<f64> = std::iter::once(1.0).chain(cues.iter().map(|cue| sign * cue)).collect();
            self.examples.push(&row, is_right, family);
        }
        self.of_character.push(character);
    }

    fn print(&self, title: &str, names: &[&str], characters: &[Character]) {
        let (ridge, loss) = self.examples.best_ridge();
        println!(
            "{title}: what each cue adds to the log odds (ridge {ridge}, loss {loss:.4} on families left out)"
        );
        let weights = self.examples.fit(ridge);
        for (name, weight) in names.iter().zip(weights.iter().skip(1)) {
            println!("  {weight:>7.2}  {name}");
        }
        // One of each pair: the right way round.
        let logits: Vec<f64> = self.examples.left_out(ridge).into_iter().step_by(2).collect();
        let mut seen: Vec<usize> = self.of_character.clone();
        seen.dedup();
        let wrong: Vec<&str> = seen
            .iter()
            .filter(|&&own| {
                logits.iter().zip(&self.of_character).any(|(logit, of)| of == &own && *logit <= 0.0)
            })
            .map(|&own| characters[own].name.as_str())
            .collect();
        println!(
            "  families left out: {} of {} right; wrong: {}",
            seen.len() - wrong.len(),
            seen.len(),
            wrong.join(", ")
        );
        for (low, high) in [(0.5, 0.75), (0.75, 0.9), (0.9, 0.97), (0.97, 1.0)] {
            let of_bin = logits.iter().map(|logit| (1.0 / (1.0 + (-logit.abs()).exp()), *logit > 0.0));
            let of_bin: Vec<bool> = of_bin
                .filter(|(p, _)| *p >= low && (*p < high || high == 1.0))
                .map(|(_, right)| right)
                .collect();
            let right = of_bin.iter().filter(|right| **right).count();
            println!("    said {low:.2} to {high:.2}: {right} of {} pairs", of_bin.len());
        }
        for odds in [0.0, 1.1, 2.2, 3.3, 4.4, 5.5] {
            let beyond = |sign: f64| logits.iter().filter(|logit| sign * **logit >= odds).count();
            println!(
                "    overrule a file at log odds of {odds}: {} of {} wrong files put right, {} right ones turned",
                beyond(1.0),
                logits.len(),
                beyond(-1.0)
            );
        }
    }
}

fn fit(characters: &[Character]) {
    let all: Vec<_> = characters.par_iter().map(cues).collect();
    let (mut up, mut front) = (Pairs::default(), Pairs::default());
    for (index, (own, (up_cues, front_cues))) in characters.iter().zip(&all).enumerate() {
        up_cues.iter().for_each(|cues| up.push(cues, index, &own.family));
        front_cues.iter().for_each(|cues| front.push(cues, index, &own.family));
    }
    up.print("up", &UP_CUES, characters);
    front.print("front", &FRONT_CUES, characters);
}

/// What became of a character that was turned.
#[derive(Debug, Clone, Copy)]
struct Again {
    /// Up and gaze are where they were turned.
    is_found: bool,
    /// A warning says that one of them is assumed.
    is_told: bool,
    is_same: bool,
}

/// The joints of a turned mesh, turned back.
struct Joints {
    joints: Vec<(String, Vec3)>,
    height: f64,
    again: Again,
}

impl Joints {
    fn is_same(&self, other: &Joints) -> bool {
        let pairs = self.joints.iter().zip(&other.joints);
        self.joints.len() == other.joints.len()
            && pairs.into_iter().all(|(a, b)| a.0 == b.0 && (a.1 - b.1).norm() <= SAME * self.height)
    }
}

fn joints(mesh: &Mesh, turn: &Mat3) -> Option<Joints> {
    let jointed = place_joints(mesh, &RigOptions::default(), &Silent).ok()?;
    let (embedding, _) = jointed.joints.found()?;
    let input_from_unit = jointed.prepared.unit_from_input.inverse();
    let back = turn.transpose();
    let joints = embedding.skeleton.joints.iter().zip(&embedding.positions);
    let joints =
        joints.map(|(joint, at)| (joint.name.clone(), back * (input_from_unit * Point3::from(*at)).coords));
    let orientation = &jointed.prepared.placement.orientation;
    let is_found = orientation.up.vector().dot(&(turn * Vec3::y())) > NEARLY
        && orientation.gaze().dot(&(turn * Vec3::z())) > NEARLY;
    let is_told =
        jointed.warnings.iter().any(|warning| matches!(warning, Warning::OrientationAssumed { .. }));
    let [low, high] = [f64::min, f64::max]
        .map(|pick| mesh.positions.iter().map(|p| (back * p).y).reduce(pick).unwrap_or_default());
    let again = Again { is_found, is_told, is_same: false };
    Some(Joints { joints: joints.collect(), height: high - low, again })
}

/// Cosine of the angle, 15 degrees, within which a direction is found.
const NEARLY: f64 = 0.966;
/// Joints that move less than this, in heights, stay the same.
const SAME: f64 = 0.02;

/// Ways of turning a character.
fn turns() -> [(&'static str, Mat3); 9] {
    let about = |axis: &nalgebra::UnitVector3<f64>, degrees: f64| {
        Rotation3::from_axis_angle(axis, degrees.to_radians()).into_inner()
    };
    let y = Vec3::y_axis();
    let z_up = Mat3::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0);
    let x_up = Mat3::new(0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0);
    [
        ("yaw 20", about(&y, 20.0)),
        ("yaw 90", Mat3::new(0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0)),
        ("yaw 137", about(&y, 137.0)),
        ("yaw 180", Mat3::new(-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0)),
        ("yaw 290", about(&y, 290.0)),
        ("Z up", z_up),
        ("Z up, yaw 63", z_up * about(&y, 63.0)),
        ("X up", x_up),
        ("upside down", Mat3::new(1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0)),
    ]
}

fn turned(characters: &[Character]) {
    let gltf = Conventions { meters_per_unit: Some(1.0), up: Some(Axis::PosY), front: Some(Axis::PosZ) };
    println!(
        "found: up and front are where they were turned; told: they are not, and a warning says that they are assumed; \
         same: no joint moves by more than 2 % of the height"
    );
    let files = [("a file that says nothing", Conventions::default()), ("a file that says +Y, +Z", gltf)];
    let progress = ProgressBar::new(characters.len() as u64);
    let tables: Vec<Vec<Option<Again>>> = characters
        .par_iter()
        .map(|character| {
            let upright = copy(&character.mesh, &Mat3::identity(), gltf);
            let before = joints(&upright, &Mat3::identity());
            let ways = files.iter().flat_map(|(_, conventions)| turns().map(|turn| (conventions, turn.1)));
            let again = ways.map(|(conventions, turn)| {
                let after = joints(&copy(&character.mesh, &turn, *conventions), &turn)?;
                Some(Again { is_same: before.as_ref()?.is_same(&after), ..after.again })
            });
            let again = again.collect();
            progress.inc(1);
            again
        })
        .collect();
    progress.finish_and_clear();
    let mut column = 0;
    for (says, _) in files {
        println!("{says}");
        for (name, _) in turns() {
            let own = || tables.iter().filter_map(|table| table[column]);
            let found = own().filter(|again| again.is_found).count();
            let told = own().filter(|again| !again.is_found && again.is_told).count();
            let same = own().filter(|again| again.is_same).count();
            let lost = characters
                .iter()
                .zip(&tables)
                .filter(|(_, table)| table[column].is_none_or(|again| !again.is_found && !again.is_told));
            let lost: Vec<&str> = lost.map(|(character, _)| character.name.as_str()).collect();
            println!(
                "  {name:<14} found {found:>4}  told {told:>4}  same {same:>4}  of {}; neither: {}",
                characters.len(),
                lost.join(", ")
            );
            column += 1;
        }
    }
}

/// The surface alone, turned, in a file with these conventions.
fn copy(mesh: &Mesh, turn: &Mat3, conventions: Conventions) -> Mesh {
    let mut copy = surface(mesh.positions.iter().map(|p| turn * p).collect(), mesh.triangles.clone());
    copy.origin.conventions = conventions;
    copy
}
