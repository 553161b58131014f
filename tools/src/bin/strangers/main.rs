//! The program `strangers`: how well joints are found in characters whose joints are known, way by way.
//!
//! Whatever changes how joints are found is decided by its table, on families that were left out of what was fitted.

// What it fits is written into the program; nobody repeats its sums on another processor.
#![allow(clippy::disallowed_methods)]

mod calibration;
mod fit;
mod judge;
mod table;

use anyhow::{Context, Result, bail};
use clap::Parser;
use indicatif::ProgressBar;
use judge::Verdict;
use nalgebra::Point3;
use puppetry::stages::embed::confidence::{Assessment, Evidence, assess};
use puppetry::stages::embed::fusion::fuse;
use puppetry::stages::embed::prior::network::Network;
use puppetry::stages::embed::{Embedding, Route, Stages};
use puppetry::stages::io::{load_mesh, truth_file};
use puppetry::stages::pipeline::place_joints;
use puppetry::stages::skeleton::{Skeleton, Truth, anatomical_name};
use puppetry::{RigOptions, Silent, Vec3};
use puppetry_tools::families::{family_of, fold_of};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Say how well joints are found in characters whose joints are known, and by which way
#[derive(Debug, Parser)]
#[command(
    max_term_width = 110,
    after_help = "Example:\n  strangers characters/ more/ --against before.txt --save now.txt"
)]
struct Strangers {
    /// Folders of characters, each a mesh with its joints in NAME.truth.json
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// Leave out characters whose name begins so; repeatable
    #[arg(long, value_name = "PREFIX")]
    without: Vec<String>,
    /// Networks of the prior that were trained without the families of each fold, in the order of the folds; one network is
    /// taken for everybody. Without any it is the built-in one, which knows many of them
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    networks: Vec<PathBuf>,
    /// Only characters of the families of these folds; repeatable
    #[arg(long, value_name = "I", requires = "networks")]
    fold: Vec<usize>,
    /// Measure the spreads of the routes and the coefficients of the confidence on these characters
    #[arg(long, requires = "networks")]
    fit: bool,
    /// Draw the calibration of the confidence that is fitted
    #[arg(long, value_name = "FILE.svg", requires = "fit")]
    calibration: Option<PathBuf>,
    /// Write what is known about each joint and how far off it is, a line of JSON for each character
    #[arg(long, value_name = "FILE")]
    joints: Option<PathBuf>,
    /// Write what became of each character
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Say who is won and lost since that file was saved
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
}

/// A way of finding joints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Read off the shape.
    Landmarks,
    /// The search of the paper, and its refinement.
    Search,
    /// Where characters like this one have their joints.
    Prior,
    /// What the program does, before pieces move joints.
    Fusion,
    /// What the program does.
    Program,
}

impl Way {
    pub const ALL: [Way; 5] = [Way::Landmarks, Way::Search, Way::Prior, Way::Fusion, Way::Program];

    pub fn name(self) -> &'static str {
        match self {
            Way::Landmarks => "landmarks",
            Way::Search => "search",
            Way::Prior => "prior",
            Way::Fusion => "fusion",
            Way::Program => "program",
        }
    }
}

/// A character, and what each way makes of it.
pub struct Outcome {
    pub folder: String,
    pub name: String,
    pub truth: Truth,
    /// One for each of [`Way::ALL`]; `None` if that way has no answer.
    pub verdicts: [Option<Verdict>; 5],
    /// Of the program.
    pub confidence: f64,
    /// What it is made of; `None` if there is no answer.
    pub evidence: Option<Evidence>,
    /// For each joint of the program that is known its scatter, and whether it is within 5 % of the height.
    pub scatters: Vec<(f64, bool)>,
    /// For each joint its name, its scatter, the spread of the prior and the distances of landmarks, search and prior.
    pub joints: Vec<(String, [f64; 5])>,
}

impl Outcome {
    pub fn of(&self, way: Way) -> Option<&Verdict> {
        self.verdicts[Way::ALL.iter().position(|other| *other == way).unwrap_or(0)].as_ref()
    }
}

fn main() -> Result<()> {
    let command = Strangers::parse();
    let files = command.files()?;
    let networks = command.networks()?;
    let progress = ProgressBar::new(files.len() as u64);
    let outcomes: Vec<Outcome> = files
        .par_iter()
        .map(|(folder, truth)| {
            let outcome = outcome(folder, truth, &networks, &command.fold);
            progress.inc(1);
            outcome
        })
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .flatten()
        .collect();
    progress.finish_and_clear();
    println!("{}", table::of(&outcomes));
    if command.fit && outcomes.iter().filter(|outcome| !outcome.scatters.is_empty()).count() < FEWEST {
        bail!("fewer than {FEWEST} characters with known joints are too few to fit anything");
    }
    if command.fit {
        let (text, picture) = fit::report(&outcomes);
        println!("{text}");
        if let Some(path) = &command.calibration {
            std::fs::write(path, picture).with_context(|| format!("cannot write '{}'", path.display()))?;
        }
    }
    let lines = table::lines(&outcomes);
    if let Some(path) = &command.against {
        let before =
            std::fs::read_to_string(path).with_context(|| format!("cannot read '{}'", path.display()))?;
        println!("{}", table::changes(&before, &lines));
    }
    if let Some(path) = &command.joints {
        std::fs::write(path, table::joints(&outcomes))
            .with_context(|| format!("cannot write '{}'", path.display()))?;
    }
    if let Some(path) = &command.save {
        std::fs::write(path, lines).with_context(|| format!("cannot write '{}'", path.display()))?;
    }
    Ok(())
}

impl Strangers {
    fn networks(&self) -> Result<Vec<Network>> {
        let networks = self.networks.iter().map(|path| {
            let bytes = std::fs::read(path).with_context(|| format!("cannot read '{}'", path.display()))?;
            Network::from_bytes(&bytes).with_context(|| format!("'{}' is no network", path.display()))
        });
        let networks = networks.collect::<Result<Vec<_>>>()?;
        match self.fold.iter().find(|fold| **fold >= networks.len()) {
            Some(fold) => bail!("there is no fold {fold} of {}; folds are counted from 0", networks.len()),
            None => Ok(networks),
        }
    }

    /// The truth files with the names of their folders, sorted.
    fn files(&self) -> Result<Vec<(String, PathBuf)>> {
        let mut files = Vec::new();
        for folder in &self.folders {
            let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
            let entries =
                std::fs::read_dir(folder).with_context(|| format!("cannot read '{}'", folder.display()))?;
            for entry in entries {
                let path = entry?.path();
                let own = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let is_left_out = self.without.iter().any(|prefix| own.starts_with(prefix.as_str()));
                if own.ends_with(TRUTH) && !is_left_out {
                    files.push((name.clone(), path));
                }
            }
        }
        if files.is_empty() {
            bail!("no character has a truth file NAME{TRUTH} beside it");
        }
        files.sort();
        Ok(files)
    }
}

const TRUTH: &str = ".truth.json";
/// Characters without which nothing is fitted.
const FEWEST: usize = 20;

/// What becomes of a character; `None` if its joints are not known, or its family is of none of the folds that are asked for.
fn outcome(folder: &str, path: &Path, networks: &[Network], folds: &[usize]) -> Result<Option<Outcome>> {
    let mut truth = truth_file::load(path)?;
    if truth.joints.is_empty() {
        return Ok(None);
    }
    truth.family = family_of(&serde_json::from_slice(&std::fs::read(path)?)?);
    let name = path.file_name().unwrap_or_default().to_string_lossy().trim_end_matches(TRUTH).to_owned();
    let mesh =
        ["glb", "gltf", "obj", "fbx"].iter().map(|ending| path.with_file_name(format!("{name}.{ending}")));
    let Some(mesh) = mesh.into_iter().find(|mesh| mesh.exists()) else { return Ok(None) };
    let (mesh, _) = load_mesh(&mesh)?;
    let mut outcome = Outcome {
        folder: folder.to_owned(),
        name,
        truth,
        verdicts: [const { None }; 5],
        confidence: 0.0,
        evidence: None,
        scatters: Vec::new(),
        joints: Vec::new(),
    };
    let mut options = RigOptions::default();
    if !networks.is_empty() {
        let fold = fold_of(&outcome.truth.family, networks.len());
        if !folds.is_empty() && !folds.contains(&fold) {
            return Ok(None);
        }
        options.embed.network = Some(networks[fold].clone());
    }
    // What cannot be rigged has failed.
    let Ok(jointed) = place_joints(&mesh, &options, &Silent) else { return Ok(Some(outcome)) };
    outcome.confidence = jointed.rig_file.confidence;
    let Some((embedding, stages)) = jointed.joints.found() else { return Ok(Some(outcome)) };
    let input_from_unit = jointed.prepared.unit_from_input.inverse();
    let judge = |positions: &[Vec3]| {
        let positions: Vec<Vec3> =
            positions.iter().map(|position| (input_from_unit * Point3::from(*position)).coords).collect();
        Verdict::of(&embedding.skeleton, &positions, &outcome.truth)
    };
    let readings = stages.readings(&embedding.skeleton);
    let [landmarks, search, prior] = Route::ALL.map(|route| {
        let reading = readings.iter().find(|reading| reading.route == route);
        reading.map(|reading| judge(&reading.positions))
    });
    let fusion = fuse(&embedding.skeleton, stages, None);
    let verdicts =
        [landmarks, search, prior, Some(judge(&fusion.positions)), Some(judge(&embedding.positions))];
    let trust = assess(&embedding.skeleton, stages, &embedding.positions, &[]);
    // What is neither person nor animal has no right answer.
    if ["biped", "quadruped"].contains(&outcome.truth.morphology.as_str()) {
        outcome.scatters = scatters(&embedding.skeleton, &verdicts[4], &trust);
        outcome.verdicts = verdicts;
    }
    outcome.joints = joints(embedding, stages, &trust);
    outcome.evidence = Some(trust.evidence);
    Ok(Some(outcome))
}

/// What is known about the joints of an answer; what is not is NaN.
fn joints(embedding: &Embedding, stages: &Stages, trust: &Assessment) -> Vec<(String, [f64; 5])> {
    let skeleton = &embedding.skeleton;
    let readings = stages.readings(skeleton);
    let distance = |route: Route, joint: usize| {
        let reading = readings.iter().find(|reading| reading.route == route);
        reading.map_or(f64::NAN, |reading| (reading.positions[joint] - embedding.positions[joint]).norm())
            / stages.frame.height
    };
    let known =
        (0..skeleton.joints.len()).filter_map(|joint| Some((joint, anatomical_name(skeleton, joint)?)));
    known
        .map(|(joint, name)| {
            let spread = stages.expected.as_ref().map_or(f64::NAN, |expected| expected[joint].spread);
            let [landmarks, search, prior] = Route::ALL.map(|route| distance(route, joint));
            (name, [trust.scatters[joint], spread, landmarks, search, prior])
        })
        .collect()
}

/// A joint nearer than this, in heights, is in its place.
const IN_PLACE: f64 = 0.05;

fn scatters(skeleton: &Skeleton, verdict: &Option<Verdict>, trust: &Assessment) -> Vec<(f64, bool)> {
    let Some(verdict) = verdict else { return Vec::new() };
    let errors = verdict.fair();
    let joints = (0..skeleton.joints.len()).filter_map(|joint| {
        let name = anatomical_name(skeleton, joint)?;
        let (_, error) = errors.0.iter().find(|(own, _)| *own == name)?;
        Some((trust.scatters[joint], *error <= IN_PLACE))
    });
    joints.collect()
}
