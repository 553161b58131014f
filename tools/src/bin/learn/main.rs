//! The program `learn`: characters with known joints to the weights of a skeleton's penalties. See `docs/learning.md`.

mod characters;
mod console;
mod examples_file;
mod files;
mod overrides;
mod pictures;
mod report;
mod weight_lines;

use anyhow::{Context, Result, bail};
use characters::Characters;
use clap::Parser;
use console::Console;
use overrides::{FamilyArg, LabelArg};
use puppetry::stages::io::{self, skeleton_file};
use puppetry::stages::learn::no_regression::{Step, largest_safe_step, towards};
use puppetry::stages::learn::rounds::{collect, learn};
use puppetry::stages::learn::validation::{leave_one_family_out, outcomes};
use puppetry::stages::learn::{Dataset, Margins, MaximiseOptions, TrainingCharacter, inseparable};
use puppetry::stages::skeleton::{PENALTIES, PenaltyWeights, Skeleton, built_in};
use report::Report;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = Learn::parse();
    let mut console = Console::new(command.quiet);
    let result = command.run(&mut console);
    console.finish(result)
}

/// Learn the weights of a skeleton's penalties from characters whose joints are known
#[derive(Debug, Parser)]
#[command(
    max_term_width = 110,
    after_help = "Example:\n  learn characters/ --skeleton human -o human.skeleton --examples human.examples.txt\n  \
                  puppetry rig hero.glb -o rigged.glb --skeleton human.skeleton"
)]
struct Learn {
    /// Folders of characters, each a mesh with its joints in NAME.truth.json; or files that --examples wrote
    #[arg(value_name = "DIR", required = true)]
    inputs: Vec<PathBuf>,
    /// Whose weights are learned: a built-in skeleton or a skeleton file
    #[arg(long, value_name = "SKELETON")]
    skeleton: String,
    /// Skeleton file that gets the weights; everything else in it stays
    #[arg(short, long, value_name = "OUT.skeleton")]
    output: Option<PathBuf>,
    /// Write all embeddings with their penalties: learning from that file needs no meshes
    #[arg(long, value_name = "OUT.txt")]
    examples: Option<PathBuf>,
    /// Write the report as JSON
    #[arg(long, value_name = "OUT.json")]
    report: Option<PathBuf>,
    /// Draw the pairs of a good and a bad embedding that limit the margin, and what is neither good nor bad
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    /// Say what an embedding is: NAME/ID=good, bad or unsure, with the id of --pictures or --examples; repeatable
    #[arg(long = "label", value_name = "NAME/ID=LABEL")]
    labels: Vec<LabelArg>,
    /// Say which family a character belongs to [default: the truth file's family, or the beginning of its source]
    #[arg(long = "family", value_name = "NAME=FAMILY")]
    families: Vec<FamilyArg>,
    /// The characters of this folder, one of those learned from, must not get worse: the weights go only so far; repeatable
    #[arg(long = "guard", value_name = "DIR")]
    guards: Vec<PathBuf>,
    /// Learn without the characters that have no good embedding, instead of refusing
    #[arg(long)]
    set_aside: bool,
    /// Leave out a penalty, to see what it is worth; repeatable
    #[arg(long, value_name = "PENALTY")]
    without: Vec<String>,
    /// Decides all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Most rounds of learning and searching again
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=100))]
    rounds: u16,
    /// Worker threads; the result does not depend on it [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Print no summary
    #[arg(short, long)]
    quiet: bool,
}

impl Learn {
    fn run(&self, console: &mut Console) -> Result<()> {
        if let Some(threads) = self.threads {
            rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
        }
        self.check_paths()?;
        let (skeleton, text) = self.skeleton()?;
        let options = self.maximise_options(&skeleton)?;

        let (mut data, characters) = self.load(&skeleton, console)?;
        let Characters { mut training, others, folders } = characters;
        console.start(training.len())?;
        console.stage("proposing embeddings");
        collect(&mut data, &mut training, self.seed, |_| console.step());
        self.label(&mut data, &training)?;
        let set_aside = if self.set_aside { data.hopeless() } else { Vec::new() };
        data.characters.retain(|character| !set_aside.contains(&character.name));
        data.check()?;

        let (old, everybody) = (skeleton.weights, |_: &str| true);
        console.start(usize::from(self.rounds) + data.families().len() + 2)?;
        console.stage("searching with the weights so far");
        let before = outcomes(&data, &mut training, &old, everybody);
        console.step();
        console.stage("learning");
        let mut rounds = 0;
        let (learned, history) = learn(&mut data, &mut training, &options, self.rounds.into(), |round| {
            rounds += 1;
            console.step();
            console.stage(format_args!("round {rounds}, margin {:.4}", round.learned.margin));
        });
        let steps = self.guarded_steps(&old, &learned.weights, &mut training, &folders);
        let share = steps.last().map_or(1.0, |step| step.share);
        console.stage("leaving out one family after the other");
        let folds = leave_one_family_out(&data, &mut training, &options, (&old, share), |_| console.step());
        let reached = towards(&old, &learned.weights, share);
        let rounded = PenaltyWeights(reached.0.map(weight_lines::significant));
        let inseparable = inseparable(&data, &rounded, &options);
        let after = outcomes(&data, &mut training, &rounded, everybody);
        console.step();

        let margins = Margins::of(&data).explained(&rounded.0);
        let report = Report {
            skeleton: &skeleton,
            data: &data,
            old: &old,
            learned: &learned,
            weights: &rounded,
            history: &history,
            steps: &steps,
            inseparable: &inseparable,
            margins: &margins,
            before: &before,
            after: &after,
            folds: &folds,
            set_aside: &set_aside,
            others: &others,
            folders: &folders,
            seed: self.seed,
        };
        let mut files = Vec::new();
        files.extend(
            self.examples.iter().map(|path| (path.clone(), examples_file::write(&data).into_bytes())),
        );
        files.extend(self.report.iter().map(|path| (path.clone(), report.json().into_bytes())));
        if let Some(folder) = &self.pictures {
            files.extend(pictures::draw(folder, &data, &training, &report)?);
        }
        let refusal = self.refusal(&report, share);
        if let Some(path) = self.output.as_deref().filter(|_| refusal.is_none()) {
            let path = skeleton_path(path);
            let text = existing(&path, &skeleton)?.unwrap_or(text);
            files.push((path, weight_lines::with_weights(&text, &rounded, &report.remarks()).into_bytes()));
        }
        files::write_all(&files)?;
        console.summary(report.text().trim_end());
        for (path, _) in &files {
            console.summary(format_args!("  wrote         {}", path.display()));
        }
        match refusal {
            Some(refusal) => bail!(refusal),
            None => Ok(()),
        }
    }

    /// Why the skeleton file that was asked for is not written, if it is not.
    fn refusal(&self, report: &Report, share: f64) -> Option<String> {
        let path = skeleton_path(self.output.as_deref()?);
        let why = if share == 0.0 {
            "with every step towards the learned weights fewer characters pass, or a guarded one is worse"
        } else if report.is_worse() {
            "with the learned weights fewer characters pass than with those so far"
        } else {
            return None;
        };
        Some(format!("{why}, so '{}' was not written; give more or other characters", path.display()))
    }

    fn check_paths(&self) -> Result<()> {
        let output = self.output.as_deref().map(skeleton_path);
        let paths: Vec<&PathBuf> = output.iter().chain(&self.examples).chain(&self.report).collect();
        for (index, path) in paths.iter().enumerate() {
            files::check(path)?;
            if paths[..index].iter().any(|other| files::is_same(other, path)) {
                bail!("'{}' is given twice; give each output a name of its own", path.display());
            }
        }
        for guard in &self.guards {
            if !guard.is_dir() || !self.inputs.iter().any(|input| files::is_same(input, guard)) {
                bail!(
                    "'{}' is to be guarded, but is no folder that is learned from; give it as an input, too",
                    guard.display()
                );
            }
        }
        if let Some(folder) = self.pictures.as_ref().filter(|folder| folder.exists() && !folder.is_dir()) {
            bail!("'{}' is not a folder; name a folder for the pictures", folder.display());
        }
        Ok(())
    }

    /// How far to go so that no fewer characters pass, and nobody in the folders of --guard is worse.
    fn guarded_steps(
        &self,
        old: &PenaltyWeights,
        learned: &PenaltyWeights,
        training: &mut [TrainingCharacter],
        folders: &[(String, Vec<String>)],
    ) -> Vec<Step> {
        let is_guard =
            |folder: &str| self.guards.iter().any(|guard| files::is_same(guard, Path::new(folder)));
        let guarded = folders.iter().filter(|(folder, _)| is_guard(folder));
        let names: BTreeSet<&str> = guarded.flat_map(|(_, names)| names).map(String::as_str).collect();
        if training.is_empty() {
            return Vec::new();
        }
        largest_safe_step(old, learned, training, |name| names.contains(name))
    }

    /// The skeleton, and the text of its file.
    fn skeleton(&self) -> Result<(Skeleton, String)> {
        let name = &self.skeleton;
        let text = match built_in().iter().find(|file| file.name.eq_ignore_ascii_case(name)) {
            Some(file) => file.text.to_owned(),
            None => std::fs::read_to_string(name).with_context(|| {
                let names: Vec<&str> = built_in().iter().map(|file| file.name).collect();
                format!("cannot read the skeleton '{name}'; give {} or a skeleton file", names.join(", "))
            })?,
        };
        let skeleton =
            skeleton_file::read(&text).map_err(|fault| io::LoadError { file: name.into(), fault })?;
        Ok((skeleton, text))
    }

    /// What is varied. A penalty that the skeleton's file puts at zero stays out.
    fn maximise_options(&self, skeleton: &Skeleton) -> Result<MaximiseOptions> {
        let mut options = MaximiseOptions { seed: self.seed, ..MaximiseOptions::default() };
        for (fixed, weight) in options.fixed.iter_mut().zip(skeleton.weights.0) {
            *fixed = (weight == 0.0).then_some(0.0);
        }
        for name in &self.without {
            let Some(penalty) = PenaltyWeights::find(name) else {
                let names = PENALTIES.map(|penalty| penalty.name.replace(' ', "-"));
                bail!("there is no penalty '{name}'; they are {}", names.join(", "));
            };
            options.fixed[penalty] = Some(0.0);
        }
        Ok(options)
    }

    /// What is known already, and the characters to learn from.
    fn load(&self, skeleton: &Skeleton, console: &mut Console) -> Result<(Dataset, Characters)> {
        let (folders, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
            self.inputs.iter().partition(|path| path.is_dir());
        let mut data = Dataset { skeleton: skeleton.name.clone(), characters: Vec::new() };
        for file in files {
            let more = examples_file::load(file)?;
            if more.skeleton != data.skeleton {
                bail!(
                    "'{}' has embeddings of the skeleton {}, not of {}; learn that one, or leave the file out",
                    file.display(),
                    more.skeleton,
                    data.skeleton
                );
            }
            for character in more.characters {
                match data.characters.iter_mut().find(|known| known.name == character.name) {
                    Some(known) => {
                        known.add(character.examples);
                    }
                    None => data.characters.push(character),
                }
            }
        }
        let mut characters = Characters::load(&folders, skeleton, console)?;
        for FamilyArg { name, family } in &self.families {
            let training = characters.training.iter_mut().filter(|character| character.name == *name);
            let stored = data.characters.iter_mut().filter(|character| character.name == *name);
            let families = training.map(|character| &mut character.truth.family);
            families
                .chain(stored.map(|character| &mut character.family))
                .for_each(|own| *own = family.clone());
        }
        for LabelArg { name, id, label } in &self.labels {
            for character in characters.training.iter_mut().filter(|character| character.name == *name) {
                character.labels.insert(id.clone(), *label);
            }
        }
        Ok((data, characters))
    }

    /// What a person says counts more than the truth file; what speaks of nothing known is a mistake.
    fn label(&self, data: &mut Dataset, training: &[TrainingCharacter]) -> Result<()> {
        for (index, LabelArg { name, id, label }) in self.labels.iter().enumerate() {
            let said = &self.labels[..index];
            if said.iter().any(|other| other.name == *name && other.id == *id && other.label != *label) {
                bail!("--label says two things about {name}/{id}; say one of them");
            }
            let labelled = data.characters.iter_mut().find(|labelled| labelled.name == *name);
            let examples = labelled.into_iter().flat_map(|labelled| &mut labelled.examples);
            let is_seen = training.iter().any(|character| character.name == *name && character.has_seen(id));
            match examples.into_iter().find(|example| example.id == *id) {
                Some(example) => example.label = *label,
                None if is_seen => {}
                None => bail!(
                    "--label speaks of {name}/{id}, and there is no such embedding; take an id of --pictures or --examples"
                ),
            }
        }
        Ok(())
    }
}

/// `skeletons/human` means the file `skeletons/human.skeleton`.
fn skeleton_path(path: &Path) -> PathBuf {
    if path.extension().is_some() { path.to_owned() } else { path.with_extension("skeleton") }
}

/// The text of a skeleton file that is there already and has the same joints.
fn existing(path: &Path, skeleton: &Skeleton) -> Result<Option<String>> {
    if !path.is_file() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read '{}'", path.display()))?;
    let there = skeleton_file::read(&text).map_err(|fault| io::LoadError { file: path.to_owned(), fault })?;
    if there.joints != skeleton.joints {
        bail!(
            "'{}' is there and has other joints than {}; give another name, or learn with --skeleton '{0}'",
            path.display(),
            skeleton.name
        );
    }
    Ok(Some(text))
}
