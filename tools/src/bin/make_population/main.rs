//! Makes a population to learn from: `cargo run --release -p puppetry-tools --bin make_population -- DIR [COUNT [SEED]]`;
//! or, with `--trouble-for DIR`, other characters with one thing each that makes joints hard to find.
//!
//! The example characters in other proportions and poses, thicker and thinner, with hats, tails, skirts and saddles, and
//! the joints moved along with the flesh, so that the truth files stay true. Files are bare surfaces: nothing that
//! `learn` looks at is missing. The same numbers give the same bytes.

// Its files are made and used on one machine.
#![allow(clippy::disallowed_methods)]

mod flesh;
mod trouble;
mod wardrobe;

use anyhow::Context;
use clap::Parser;
use flesh::Flesh;
use puppetry::stages::io::{load_mesh, truth_file, write_glb};
use puppetry::stages::math::Random;
use puppetry_tools::families::family_of;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use trouble::Trouble;

/// The example characters, those with two legs first.
const BIPEDS: [&str; 6] = ["gingerbread", "slim", "child", "troll", "robot", "layers"];
const QUADRUPEDS: [&str; 2] = ["dog", "horse"];
/// Two of seven characters are animals: as many as it takes to have dozens of each.
const ANIMALS: f64 = 2.0 / 7.0;

/// Make characters whose joints are known
#[derive(Debug, Parser)]
struct Command {
    /// Where the characters go
    folder: PathBuf,
    /// How many
    #[arg(default_value_t = 210)]
    count: usize,
    /// Another seed, other characters
    #[arg(default_value_t = 1)]
    seed: u64,
    /// Instead: every person and animal of this folder with each kind of trouble, in a folder for each kind; repeatable
    #[arg(long, value_name = "DIR")]
    trouble_for: Vec<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let command = Command::parse();
    make_folder(&command.folder)?;
    match command.trouble_for.is_empty() {
        true => population(&command),
        false => command.trouble_for.iter().try_for_each(|folder| trouble(folder, &command)),
    }
}

fn make_folder(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder '{}'", folder.display()))
}

fn population(command: &Command) -> anyhow::Result<()> {
    let animals = (command.count as f64 * ANIMALS).round() as usize;
    for (cast, count) in [(&BIPEDS[..], command.count - animals), (&QUADRUPEDS[..], animals)] {
        for index in 0..count {
            let base = cast[index % cast.len()];
            let name = format!("{base}_{:02}", index / cast.len() + 1);
            let (what, flesh) = changed(base, Random::of_name(command.seed, &name))?;
            save(&command.folder, &name, base, &flesh).with_context(|| format!("cannot make '{name}'"))?;
            println!("{name}: {what}");
        }
    }
    Ok(())
}

const TRUTH: &str = ".truth.json";

/// Every character of a folder with each kind of trouble that can happen to it.
fn trouble(folder: &Path, command: &Command) -> anyhow::Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read '{}'", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(name) = file.strip_suffix(TRUTH) else { continue };
        let mesh = path.with_file_name(format!("{name}.glb"));
        let family = family_of(&serde_json::from_slice(&fs::read(&path)?)?);
        let truth = truth_file::load(&path)?;
        if !mesh.exists() || truth.joints.is_empty() {
            continue;
        }
        let (mesh, _) = load_mesh(&mesh)?;
        for trouble in Trouble::ALL {
            let truth = truth.clone();
            let (positions, triangles) = (mesh.positions.clone(), mesh.triangles.clone());
            let mut flesh = Flesh { positions, triangles, truth };
            if trouble.is_for(&flesh) {
                trouble.apply(&mut flesh, &mut Random::of_name(command.seed, name));
                let folder = command.folder.join(trouble.name);
                make_folder(&folder)?;
                save(&folder, name, &family, &flesh)?;
            }
        }
        println!("{name}");
    }
    Ok(())
}

/// One of the example characters, changed at random; and what was changed.
fn changed(base: &str, mut random: Random) -> anyhow::Result<(String, Flesh)> {
    let file = puppetry_tools::repository().join("examples/characters").join(format!("{base}.glb"));
    let (mesh, _) = load_mesh(&file)?;
    let truth = truth_file::load(&file.with_extension("truth.json"))?;
    let mut flesh = Flesh { positions: mesh.positions, triangles: mesh.triangles, truth };
    let mut said = Vec::new();
    let mut draw = |name: &str, low: f64, high: f64| {
        let value = random.between(low, high);
        said.push(format!("{name} {value:.2}"));
        value
    };
    if flesh.truth.morphology == "quadruped" {
        flesh.thicken(draw("girth", 0.85, 1.3));
        flesh.stretch_legs(draw("legs", 0.8, 1.3));
        flesh.scale([draw("width", 0.9, 1.2), 1.0, draw("length", 0.85, 1.25)]);
        flesh.turn_head(draw("head up", -30.0, 25.0));
        flesh.swing_legs(draw("stride", -12.0, 12.0));
    } else {
        flesh.thicken(draw("girth", 0.85, 1.35));
        flesh.stretch_legs(draw("legs", 0.7, 1.35));
        // Ears and plaits grow along: beyond this the child's would be longer than its arms.
        flesh.grow_head(draw("head", 0.8, 1.3));
        flesh.scale([draw("width", 0.9, 1.15), 1.0, draw("depth", 0.9, 1.15)]);
        let both = draw("arms up", -30.0, 30.0);
        let uneven = draw("uneven", -8.0, 8.0);
        flesh.lift_arms(both + uneven, both - uneven);
        flesh.spread_legs(draw("legs apart", 0.0, 12.0));
    }
    let worn = wardrobe::dress(&mut flesh, random.index(wardrobe::CHOICES));
    // As in all truth files: with what stands on the head.
    flesh.truth.height = flesh.bounds().extent().y;
    said.push(worn.to_owned());
    Ok((said.join(", "), flesh))
}

/// Writes the two files of a character.
fn save(folder: &Path, name: &str, base: &str, flesh: &Flesh) -> anyhow::Result<()> {
    let round = |x: f64| json!((x * 1e6).round() / 1e6);
    let joints: Map<String, Value> = flesh
        .truth
        .joints
        .iter()
        .map(|(name, at)| (name.clone(), at.iter().map(|&x| round(x)).collect::<Vec<_>>().into()))
        .collect();
    let truth = json!({
        "source": "generated by make_population of puppetry-tools",
        "licence": "MIT OR Apache-2.0",
        "family": base,
        "morphology": flesh.truth.morphology,
        "height": round(flesh.truth.height),
        "joints": joints,
    });
    fs::write(folder.join(format!("{name}.glb")), write_glb(&flesh.mesh())?)?;
    fs::write(folder.join(format!("{name}.truth.json")), serde_json::to_string_pretty(&truth)? + "\n")?;
    Ok(())
}
