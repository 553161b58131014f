use super::args::Given;
use super::clip_args::{ClipArgs, MotionArgs};
use super::export::ExportArgs;
use super::mesh_args::MeshArgs;
use super::output::Output;
use super::rig_args::{ReportArgs, RigArgs};
use super::rig_summary;
use super::run::{InputCharacter, Run};
use crate::Warning;
use crate::io::Problem;
use crate::pipeline::{Error, Laps, LoadOptions, Loaded, Progress, RigReport, Rigged, load, rig};
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
    rig: Given<RigArgs>,
    #[command(flatten)]
    reports: ReportArgs,
    #[command(flatten)]
    mesh_args: Given<MeshArgs>,
}

impl Animate {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        if self.reports.stages.is_some() {
            bail!("the stages of rigging are drawn by 'puppetry rig --stages DIR'; call it with this mesh");
        }
        let run = Run {
            command: "animate",
            files: &self.meshes,
            export: &self.export,
            motions: &self.motions,
            clips: &self.clips,
            report: self.reports.report.as_deref(),
        };
        run.all(output, |file, output| self.character(file, output))
    }

    /// The character of a file: with the skin that it has, or rigged here.
    fn character(&self, file: &Path, output: &Output) -> Result<InputCharacter> {
        output.begin("reading", 0.0);
        let mut laps = Laps::start();
        let load_options = LoadOptions { parts: self.mesh_args.parts(), ..LoadOptions::default() };
        let loaded = load(file, &load_options);
        laps.lap("read");
        let (mesh, warnings) = match loaded {
            Ok((Loaded::Character(character), mut warnings)) => {
                let options = [self.rig.flags(), self.mesh_args.flags()].concat();
                if !options.is_empty() {
                    warnings.push(Warning::SkinKept { options });
                }
                let character = *character;
                return Ok(InputCharacter {
                    character,
                    rigging: None,
                    how_rigged: None,
                    pinocchio: None,
                    warnings,
                    laps,
                });
            }
            Ok((Loaded::Mesh(mesh), warnings)) => (mesh, warnings),
            Ok((Loaded::Motions(_), _)) => bail!("'{}' is a motion; give it with --motion", file.display()),
            Err(Error::Load(error)) if matches!(error.fault.problem, Problem::SeveralCharacters { .. }) => {
                return Err(error).context("use 'puppetry retarget' for a character that has a skin");
            }
            Err(error) => return Err(error.into()),
        };
        let options = self.rig.options(&self.mesh_args)?;
        let mut rigged = rig(&mesh, &options, output).map_err(|error| self.rig.explain(error, file))?;
        self.rig.check_confidence(&rigged.jointed, file)?;
        rigged.jointed.warnings.splice(0..0, warnings);
        laps.seconds.extend(&rigged.jointed.laps.seconds);
        let report = RigReport::of(&rigged.jointed, Some(&rigged), None).with_run(file, &[], &[]);
        let report = self.rig.phrased(report);
        let pinocchio = Some(rigged.pinocchio());
        let how_rigged = Some(rig_summary::summary(&report, &rigged.jointed, Some(&rigged)));
        let Rigged { character, jointed, .. } = rigged;
        let (rigging, warnings) = (Some(report), jointed.warnings);
        Ok(InputCharacter { character, rigging, how_rigged, pinocchio, warnings, laps })
    }
}
