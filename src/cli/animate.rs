use super::clip_args::{ClipArgs, MotionArgs};
use super::export::ExportArgs;
use super::mesh_args::MeshArgs;
use super::output::Output;
use super::performance::{Cast, Run};
use super::rig_args::{ReportArgs, RigArgs};
use super::save;
use crate::Warning;
use crate::io::Problem;
use crate::pipeline::{Error, Laps, LoadOptions, Loaded, Progress, RigReport, load, rig};
use anyhow::{Context, Result, bail};
use clap::Args;
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
    motions: MotionArgs,
    #[command(flatten)]
    clips: ClipArgs,
    #[command(flatten)]
    rig: RigArgs,
    #[command(flatten)]
    told: ReportArgs,
    #[command(flatten)]
    understanding: MeshArgs,
}

impl Animate {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        self.told.report.as_deref().map(save::check).transpose()?;
        if self.told.stages.is_some() {
            bail!("the stages of rigging are drawn by 'puppetry rig --stages DIR'; call it with this mesh");
        }
        let run = Run {
            command: "animate",
            files: &self.meshes,
            export: &self.export,
            motions: &self.motions,
            clips: &self.clips,
            report: self.told.report.as_deref(),
        };
        run.all(output, |file, output| self.character(file, output))
    }

    /// The character of a file: with the skin that it has, or rigged here.
    fn character(&self, file: &Path, output: &Output) -> Result<Cast> {
        output.begin("reading", 0.0);
        let mut laps = Laps::start();
        let load_options = LoadOptions { parts: self.understanding.parts(), ..LoadOptions::default() };
        let loaded = load(file, &load_options);
        laps.lap("read");
        let (mesh, mut warnings) = match loaded {
            Ok((Loaded::Character(character), mut warnings)) => {
                let flags = [self.rig.given(), self.understanding.given()].concat();
                if !flags.is_empty() {
                    warnings.push(Warning::SkinKept { flags });
                }
                return Ok(Cast { character: *character, rigging: None, pinocchio: None, warnings, laps });
            }
            Ok((Loaded::Mesh(mesh), warnings)) => (mesh, warnings),
            Ok((Loaded::Motions(_), _)) => bail!("'{}' is a motion; give it with --motion", file.display()),
            Err(Error::Load(error)) if matches!(error.fault.problem, Problem::SeveralCharacters { .. }) => {
                return Err(error).context("use 'puppetry retarget' for a character that has a skin");
            }
            Err(error) => return Err(error.into()),
        };
        let options = self.rig.options(&self.understanding)?;
        let mut rigged = rig(&mesh, &options, output).map_err(|error| self.rig.explain(error, file))?;
        warnings.append(&mut rigged.jointed.warnings);
        rigged.jointed.warnings = warnings;
        laps.seconds.extend(&rigged.jointed.laps.seconds);
        let report = RigReport::of(&rigged.jointed, Some(&rigged), None, self.rig.is_auto());
        let report = report.with_run(file, &[], &[], &rigged.jointed.joints);
        Ok(Cast::of_rigged(rigged, report, laps))
    }
}
