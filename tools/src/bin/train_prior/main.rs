//! Trains the prior of joints: `train_prior CHARACTERS... -o prior.bin`.
//!
//! Characters whose joints and skins are known, in other proportions and poses, and bodies made from scratch, are shown to
//! the network of `puppetry::stages::embed::prior`, which learns where joints are. The same seed gives the same file.

// What it makes is a file that everybody shares; nobody repeats its sums on another processor.
#![allow(clippy::disallowed_methods)]

mod body;
mod character;
mod chimera;
mod generated;
mod loss;
mod net;
mod props;
mod sample;
mod variant;
mod warp;

use anyhow::{Context, Result, bail};
use character::Character;
use clap::Parser;
use indicatif::ProgressBar;
use loss::{Loss, Score};
use net::{Layers, Pass};
use puppetry::stages::math::Random;
use puppetry_tools::families::fold_of;
use rayon::prelude::*;
use sample::{Collection, Sample};
use std::path::PathBuf;

/// Train the prior: the network that expects joints where characters like this one have them
#[derive(Debug, Parser)]
#[command(max_term_width = 110)]
struct Train {
    /// Folders of characters, each a mesh with NAME.truth.json and NAME.skin.json
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// The network
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Leave out families whose name begins so; repeatable
    #[arg(long, value_name = "FAMILY")]
    without: Vec<String>,
    /// Leave out the families of fold I of N
    #[arg(long, value_name = "I/N", value_parser = parse_fold)]
    fold: Option<(usize, usize)>,
    /// Take only characters under these licences; repeatable
    #[arg(long, value_name = "LICENCE")]
    licence: Vec<String>,
    /// Steps of learning
    #[arg(long, default_value_t = 6000)]
    steps: usize,
    /// Samples of a step
    #[arg(long, default_value_t = 32)]
    batch: usize,
    /// Of all that is random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Go on from FILE.checkpoint
    #[arg(long)]
    resume: bool,
}

fn parse_fold(text: &str) -> Result<(usize, usize)> {
    let (fold, count) = text.split_once('/').context("write I/N, as in 0/3")?;
    let (fold, count): (usize, usize) = (fold.parse()?, count.parse()?);
    if fold >= count {
        bail!("folds are counted from 0 to {}", count.saturating_sub(1));
    }
    Ok((fold, count))
}

/// Samples that one thread takes at a time; sums do not depend on the number of threads.
const CHUNK: usize = 8;
/// Steps between two lines and checkpoints.
const REPORT: usize = 200;

fn main() -> Result<()> {
    let command = Train::parse();
    let characters = command.characters()?;
    let kept: Vec<&Character> = characters.iter().collect();
    println!("{} characters", kept.len());
    for plan in [character::Plan::Biped, character::Plan::Quadruped, character::Plan::Other] {
        println!("  {plan:?}: {}", kept.iter().filter(|character| character.plan == plan).count());
    }
    let collection = Collection::of(&kept);
    let mut trainer = Trainer::new(&command)?;
    let mut score = Score::default();
    while trainer.step < command.steps {
        score.add(&trainer.learn(&collection, &command));
        if trainer.step % REPORT == 0 || trainer.step == command.steps {
            println!(
                "step {:>6}  people {:.2} %  animals {:.2} %  plans {:.3}  segments {:.3}",
                trainer.step,
                100.0 * score.error[0] / score.count[0].max(1e-9),
                100.0 * score.error[1] / score.count[1].max(1e-9),
                score.plan_hits / score.samples.max(1.0),
                score.segment_hits / score.segments.max(1.0),
            );
            score = Score::default();
            trainer.save(&command)?;
        }
    }
    std::fs::remove_file(checkpoint(&command)).ok();
    Ok(())
}

impl Train {
    fn characters(&self) -> Result<Vec<Character>> {
        let mut paths = Vec::new();
        for folder in &self.folders {
            let entries =
                std::fs::read_dir(folder).with_context(|| format!("cannot read '{}'", folder.display()))?;
            for entry in entries {
                let path = entry?.path();
                if path.to_string_lossy().ends_with(".truth.json") && self.is_allowed(&path)? {
                    paths.push(path);
                }
            }
        }
        paths.sort();
        let progress = ProgressBar::new(paths.len() as u64);
        let loaded: Vec<Option<Character>> = paths
            .par_iter()
            .map(|path| {
                let loaded = Character::load(path);
                progress.inc(1);
                loaded
            })
            .collect::<Result<_>>()?;
        progress.finish_and_clear();
        let is_left_out = |character: &Character| {
            let family = character.family.as_str();
            self.without.iter().any(|left_out| family.starts_with(left_out.as_str()))
                || self.fold.is_some_and(|(fold, count)| fold_of(family, count) == fold)
        };
        let characters: Vec<Character> =
            loaded.into_iter().flatten().filter(|character| !is_left_out(character)).collect();
        if characters.is_empty() {
            bail!("there is nobody to learn from");
        }
        Ok(characters)
    }

    fn is_allowed(&self, truth: &std::path::Path) -> Result<bool> {
        let truth: serde_json::Value = serde_json::from_slice(&std::fs::read(truth)?)?;
        let licence = truth["licence"].as_str().unwrap_or_default();
        Ok(self.licence.is_empty() || self.licence.iter().any(|allowed| allowed == licence))
    }
}

/// Adam with decoupled weight decay: Loshchilov & Hutter 2019.
struct Trainer {
    layers: Layers,
    first: Layers,
    second: Layers,
    step: usize,
}

const RATE: f64 = 0.002;
/// Steps until the rate is reached, and what is left of it in the end.
const WARM_UP: f64 = 200.0;
const LAST_RATE: f64 = 0.02;
const DECAY: f64 = 1e-4;
const MOMENTS: [f64; 2] = [0.9, 0.999];
/// Longest gradient of a step.
const LONGEST: f64 = 1.0;

impl Trainer {
    fn new(command: &Train) -> Result<Trainer> {
        let layers = Layers::random(&mut Random::new(command.seed));
        let (first, second) = (layers.zeros(), layers.zeros());
        let mut trainer = Trainer { layers, first, second, step: 0 };
        if command.resume {
            let path = checkpoint(command);
            let bytes = std::fs::read(&path).with_context(|| format!("cannot read '{}'", path.display()))?;
            let mut numbers = bytes.chunks_exact(4).map(|b| [b[0], b[1], b[2], b[3]]);
            trainer.step = numbers.next().map_or(0, u32::from_le_bytes) as usize;
            for layers in [&mut trainer.layers, &mut trainer.first, &mut trainer.second] {
                layers
                    .numbers_mut()
                    .zip(numbers.by_ref())
                    .for_each(|(to, from)| *to = f32::from_le_bytes(from));
            }
        }
        Ok(trainer)
    }

    fn save(&self, command: &Train) -> Result<()> {
        let mut bytes = (self.step as u32).to_le_bytes().to_vec();
        for layers in [&self.layers, &self.first, &self.second] {
            bytes.extend(layers.numbers().flat_map(|number| number.to_le_bytes()));
        }
        std::fs::write(checkpoint(command), bytes)?;
        let network = self.layers.network().context("the training has diverged")?;
        std::fs::write(&command.output, network.to_bytes())?;
        Ok(())
    }

    fn learn(&mut self, collection: &Collection, command: &Train) -> Score {
        let first = self.step * command.batch;
        let samples: Vec<usize> = (first..first + command.batch).collect();
        let parts: Vec<(Layers, Score)> = samples
            .par_chunks(CHUNK)
            .map(|chunk| {
                let samples: Vec<Sample> = chunk
                    .iter()
                    .map(|&sample| {
                        Sample::draw(
                            collection,
                            &mut Random::of_name(command.seed, &format!("sample {sample}")),
                        )
                    })
                    .collect();
                let tokens: Vec<_> = samples.iter().map(|sample| &sample.tokens).collect();
                let pass = Pass::of(&self.layers, &tokens);
                let loss = Loss::of(&pass, &samples);
                (pass.gradients(&self.layers, loss.votes, loss.plans, loss.segments), loss.score)
            })
            .collect();
        let mut gradient = self.layers.zeros();
        let mut score = Score::default();
        for (part, own) in &parts {
            gradient.add(part);
            score.add(own);
        }
        self.step += 1;
        self.update(&gradient, command);
        score
    }

    fn update(&mut self, gradient: &Layers, command: &Train) {
        let scale = 1.0 / command.batch as f64;
        let length = gradient.numbers().map(|&g| f64::from(g) * f64::from(g)).sum::<f64>().sqrt() * scale;
        let scale = scale * (LONGEST / length.max(1e-12)).min(1.0);
        let step = self.step as f64;
        let part = step / command.steps as f64;
        let cosine = LAST_RATE + (1.0 - LAST_RATE) * 0.5 * (1.0 + (std::f64::consts::PI * part).cos());
        let rate = RATE * cosine * (step / WARM_UP).min(1.0);
        let corrections = MOMENTS.map(|moment| 1.0 - moment.powf(step));
        let moments = self.first.numbers_mut().zip(self.second.numbers_mut());
        for ((weight, (first, second)), gradient) in
            self.layers.numbers_mut().zip(moments).zip(gradient.numbers())
        {
            let gradient = f64::from(*gradient) * scale;
            *first = (MOMENTS[0] * f64::from(*first) + (1.0 - MOMENTS[0]) * gradient) as f32;
            *second = (MOMENTS[1] * f64::from(*second) + (1.0 - MOMENTS[1]) * gradient * gradient) as f32;
            let mean = f64::from(*first) / corrections[0];
            let spread = (f64::from(*second) / corrections[1]).sqrt();
            let old = f64::from(*weight);
            *weight = (old - rate * (mean / (spread + 1e-8) + DECAY * old)) as f32;
        }
    }
}

fn checkpoint(command: &Train) -> PathBuf {
    command.output.with_extension("checkpoint")
}
