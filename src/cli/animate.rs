use super::args::Given;
use super::batch::{Batch, BatchArgs};
use super::clip_args::{ClipArgs, MotionArgs};
use super::export::ExportArgs;
use super::mesh_args::MeshArgs;
use super::meshes::find_meshes;
use super::output::Output;
use super::rig_args::{ReportArgs, RigArgs};
use super::rig_summary;
use super::rigging::{Made, Rigging, Wanted, save_stages};
use super::run::{Input, InputCharacter, Run};
use crate::Warning;
use crate::io::Problem;
use crate::mesh::Mesh;
use crate::pipeline::{Error, Laps, LoadOptions, Loaded, Progress, RigReport, Rigged, load};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use std::path::{Path, PathBuf};

/// Rig a character, move motions onto it, and write it with an animation for each
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  puppetry animate hero.glb --motion walk --motion mocap/ -o hero_animated.glb\n  puppetry animate *.obj --motion run -o animated/"
)]
pub struct Animate {
    /// Meshes, or folders of them; those that have a skin keep it
    ///
    /// GLB, glTF, OBJ, PLY, STL, OFF or FBX.
    #[arg(value_name = "MESH|DIR", required = true)]
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
    batch: BatchArgs,
    #[command(flatten)]
    mesh_args: Given<MeshArgs>,
}

impl Animate {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        let meshes = find_meshes(&self.meshes, &self.export.outputs)?;
        self.reports.check(meshes.len())?;
        self.rig.check_examples(meshes.len())?;
        let run = Run {
            command: "animate",
            batch: Batch { files: &meshes, args: &self.batch, report: self.reports.report.as_deref() },
            export: &self.export,
            motions: &self.motions,
            clips: &self.clips,
            how_rigged: format!(
                "{:?} {:?} {:?}",
                self.rig,
                self.rig.options(&self.mesh_args)?,
                self.mesh_args
            ),
        };
        run.all(output, |file, output| self.character(file, output))
    }

    /// The character of a file: with the skin that it has, or rigged here.
    fn character(&self, file: &Path, output: &Output) -> Result<Input> {
        output.begin("reading", 0.0);
        let mut laps = Laps::start();
        let mut load_options = LoadOptions { parts: self.mesh_args.parts(), ..LoadOptions::default() };
        load_options.normals = self.mesh_args.normals();
        let loaded = load(file, &load_options);
        laps.lap("read");
        match loaded {
            Ok((Loaded::Character(character), mut warnings)) => {
                let mut options = [self.rig.flags(), self.mesh_args.flags()].concat();
                options.retain(|flag| !matches!(flag.as_str(), "--normals" | "--crease"));
                options.extend(self.reports.stages.iter().map(|_| "--stages".to_owned()));
                if !options.is_empty() {
                    warnings.push(Warning::SkinKept { options });
                }
                Ok(Input::rigged(*character, warnings, laps))
            }
            Ok((Loaded::Mesh(mesh), warnings)) => self.rigged(file, &mesh, warnings, laps, output),
            Ok((Loaded::Motions(_), _)) => bail!("'{}' is a motion; give it with --motion", file.display()),
            Err(Error::Load(error)) if matches!(error.fault.problem, Problem::SeveralCharacters { .. }) => {
                Err(error).context("use 'puppetry retarget' for a character that has a skin")
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The character that a mesh becomes.
    fn rigged(
        &self,
        file: &Path,
        mesh: &Mesh,
        warnings: Vec<Warning>,
        mut laps: Laps,
        output: &Output,
    ) -> Result<Input> {
        let options = self.rig.options(&self.mesh_args)?;
        let Rigging { mut made, refusal } = self.rig.rig((file, mesh), &options, Wanted::Skin, output)?;
        made.jointed_mut().warnings.splice(0..0, warnings);
        laps.seconds.extend(&made.jointed().laps.seconds);
        let report = RigReport::of(made.jointed(), made.rigged(), None).with_run(file, &[], &[]);
        let report = self.rig.phrased(report);
        if let Some(folder) = &self.reports.stages {
            save_stages(folder, made.jointed())?;
        }
        let confidence = made.jointed().confidence();
        let picture = refusal.as_ref().and_then(|_| self.batch.picture_of_refused(made.jointed()));
        let rigged = match (made, refusal) {
            (Made::Rigged(rigged), None) => *rigged,
            (made, refusal) => {
                let warnings = made.into_jointed().warnings;
                let why = refusal.unwrap_or_else(|| anyhow!("'{}' has no skin", file.display()));
                return Ok(Input::Refused { rigging: Box::new(report), confidence, picture, warnings, why });
            }
        };
        let (pinocchio, is_doubtful) = (Some(rigged.pinocchio()), rigged.jointed.is_doubtful());
        let how_rigged = Some(rig_summary::summary(&report, &rigged.jointed, Some(&rigged)));
        let Rigged { character, jointed, .. } = rigged;
        let (rigging, warnings) = (Some(report), jointed.warnings);
        Ok(Input::Character(Box::new(InputCharacter {
            character,
            rigging,
            how_rigged,
            pinocchio,
            warnings,
            confidence,
            is_doubtful,
            laps,
        })))
    }
}
