use super::character::{Character, Rigging};
use super::clip_args::ClipArgs;
use super::export::ExportArgs;
use super::footage;
use super::mesh_args::MeshArgs;
use super::output::Output;
use super::performance::{Performance, report_text};
use super::rig::Clock;
use super::rig_args::RigArgs;
use super::save;
use anyhow::{Context, Result, bail};
use clap::Args;
use puppetry::Warning;
use puppetry::io::{self, Problem, SourceFile, map_file};
use std::path::{Path, PathBuf};

/// Rig a character, move motions onto it, and write it with an animation for each
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  puppetry animate hero.glb --motion walk --motion mocap/ -o hero_animated.glb\n  puppetry animate *.obj --motion run -o animated/"
)]
pub struct Animate {
    /// Mesh files: GLB, glTF, OBJ, PLY, STL, OFF or FBX; those that have a skin keep it
    #[arg(value_name = "MESH", required = true)]
    meshes: Vec<PathBuf>,
    #[command(flatten)]
    export: ExportArgs,
    #[command(flatten)]
    clips: ClipArgs,
    #[command(flatten)]
    rig: RigArgs,
    #[command(flatten)]
    understanding: MeshArgs,
}

impl Animate {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        self.rig.report.as_deref().map(save::check).transpose()?;
        if self.rig.stages.is_some() {
            bail!("the stages of rigging are drawn by 'puppetry rig --stages DIR'; call it with this mesh");
        }
        run_all(
            &self.meshes,
            &self.export,
            &self.clips,
            self.rig.report.as_deref(),
            "animate",
            output,
            |file, clock, output| self.character(file, clock, output),
        )
    }

    fn character(&self, file: &Path, clock: &mut Clock, output: &Output) -> Result<Character> {
        let source = SourceFile::open(file);
        match source.as_ref().ok().filter(|source| source.is_rigged()).map(|source| source.rigged(None)) {
            Some(Ok((rigged, warnings))) => {
                clock.lap("read");
                let mut character = Character::of_rigged(rigged, self.export.verify, warnings);
                let flags = [self.rig.given(), self.understanding.given()].concat();
                if !flags.is_empty() {
                    character.warnings.push(Warning::SkinKept { flags });
                }
                return Ok(character);
            }
            Some(Err(error)) if matches!(error.fault.problem, Problem::SeveralCharacters { .. }) => {
                return Err(error).context("use 'puppetry retarget' for a character that has a skin");
            }
            // Whatever is wrong, the reader of meshes says it better.
            None | Some(Err(_)) => {}
        }
        let skeletons = self.rig.skeletons()?;
        let given = self.rig.joints.as_deref().map(io::load_joints).transpose()?;
        let how = Rigging {
            args: &self.rig,
            understanding: &self.understanding,
            skeletons: &skeletons,
            given: given.as_deref(),
            verify: self.export.verify,
        };
        Character::of_mesh(file, source?, &how, clock, output)
    }
}

/// Steps of the progress of a character.
const STEPS: usize = 6;

/// Moves the motions onto one character after the other. One that cannot be done does not stop the others.
pub fn run_all(
    files: &[PathBuf],
    export: &ExportArgs,
    clips: &ClipArgs,
    report: Option<&Path>,
    command: &'static str,
    output: &mut Output,
    mut character: impl FnMut(&Path, &mut Clock, &Output) -> Result<Character>,
) -> Result<()> {
    let mut paths: Vec<Vec<PathBuf>> = Vec::new();
    for file in files {
        let own = export.paths(file, files.len())?;
        if let Some(twice) = own.iter().find(|path| paths.iter().flatten().any(|other| other == *path)) {
            bail!("two characters would be written to '{}'; rename one of them", twice.display());
        }
        paths.push(own);
    }
    let overrides = clips.map.as_deref().map(map_file::load).transpose()?.unwrap_or_default();
    output.start(STEPS * files.len());
    output.stage("reading motions");
    let (footage, unreadable) = footage::load(&clips.motions, &clips.clip_names)?;
    for (file, warning) in &unreadable {
        output.warnings(file, std::slice::from_ref(warning));
    }
    let is_reported = report.is_some();
    let performance = Performance {
        command,
        footage: &footage,
        overrides: &overrides,
        clips,
        export,
        unreadable: &unreadable,
        is_reported,
    };
    let mut reports = Vec::new();
    for (file, paths) in files.iter().zip(&paths) {
        let mut clock = Clock::start();
        let done = character(file, &mut clock, output)
            .and_then(|character| performance.run(file, paths, character, clock, output));
        match done {
            Ok(report) => reports.push(report),
            Err(error) if files.len() > 1 => output.failure(&error),
            Err(error) => return Err(error),
        }
    }
    if let Some(path) = report {
        save::save_all(&[(path.to_owned(), report_text(reports).into_bytes())])?;
    }
    Ok(())
}
