use super::output::{Lines, Output, counted};
use super::save;
use crate::bodyparts::{Assembly, BodyPartLibrary, PartReport};
use crate::io::bodyparts_file;
use crate::pipeline::build_body_parts;
use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};

/// Make libraries of body parts out of finished characters
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  puppetry bodyparts build hero.glb villain.glb -o studio.parts\n  puppetry inspect studio.parts\n  puppetry rig newcomer.obj --bodyparts studio.parts -o newcomer.glb"
)]
pub struct BodyParts {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Build(Build),
}

/// Make a library of characters with joints and skins, and try it on them
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  puppetry bodyparts build hero.glb villain.glb -o studio.parts")]
struct Build {
    /// Characters that somebody rigged (GLB, glTF, VRM or FBX)
    #[arg(required = true, value_name = "RIGGED")]
    files: Vec<PathBuf>,
    /// The library
    #[arg(short, long, value_name = "OUT.parts", help_heading = "What is written")]
    output: PathBuf,
    /// What it is called [default: as the file]
    #[arg(long, help_heading = "What is written")]
    name: Option<String>,
    /// The licence of the characters, to be kept in the library
    #[arg(long, value_name = "TEXT", help_heading = "What is written")]
    licence: Option<String>,
}

impl BodyParts {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        let Action::Build(build) = &self.action;
        build.run(output)
    }
}

impl Build {
    fn run(&self, output: &mut Output) -> Result<()> {
        save::check(&self.output)?;
        let stem = self.output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = self.name.clone().unwrap_or(stem);
        let mut library = build_body_parts(&name, &self.files, output)?;
        for character in &mut library.characters {
            character.licence = self.licence.clone().unwrap_or_default();
        }
        let bytes = bodyparts_file::write(&library).context("cannot write the library")?;
        output.save(&[(&self.output, bytes)])?;
        let mut lines = lines(&self.output, &library);
        lines.add("wrote", self.output.display());
        output.summary(lines)
    }
}

/// Shares are shown in percent.
const PERCENT: f64 = 100.0;

/// What a library holds, and how well its characters rig each other.
pub fn lines(file: &Path, library: &BodyPartLibrary) -> Lines {
    let mut lines = Lines::about(file.display());
    lines
        .add("library", format_args!("{}, {}", library.name, counted(library.characters.len(), "character")));
    for character in &library.characters {
        let roles = character.joints.iter().filter(|joint| joint.role.is_some()).count();
        let licence =
            if character.licence.is_empty() { String::new() } else { format!(", {}", character.licence) };
        lines.add(
            &character.name,
            format_args!(
                "{} with {roles} roles, {} vertices, {:.2} m high{licence}",
                counted(character.joints.len(), "joint"),
                character.positions.len(),
                character.height
            ),
        );
    }
    lines.add("self-test", self_test(library));
    lines
}

/// How far characters that the others rig are from their own weights.
fn self_test(library: &BodyPartLibrary) -> String {
    let Some(test) = library.self_test else {
        return "none, which takes two characters; all of its weights are used where they fit".to_owned();
    };
    let [heat, .., parts] = test.differences;
    let used = PERCENT * test.best_share();
    format!(
        "{parts:.3} from the artist's weights, without the library {heat:.3}; {used:.0} % of its weights are used"
    )
}

/// Lines about the parts of a character that a library rigged.
pub fn part_lines(assembly: &Assembly) -> Vec<String> {
    let lines = assembly.parts.iter().map(|part| {
        let next: Vec<String> =
            part.next.iter().map(|(name, distance)| format!("{name} {:.1} %", PERCENT * distance)).collect();
        let next = if next.is_empty() { String::new() } else { format!("; next: {}", next.join(", ")) };
        let who = if part.confidence < PartReport::HEAT { "heat" } else { &part.source };
        format!(
            "{:<11} {who:<12} {:.1} % of the height away, {:.0} % covered, confidence {:.2}{next}",
            part.slot.to_string(),
            PERCENT * part.distance,
            PERCENT * part.covered,
            part.confidence
        )
    });
    lines.collect()
}
