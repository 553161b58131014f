use super::batch::{Batch, BatchArgs};
use super::clip_args::{ClipArgs, MotionArgs};
use super::export::ExportArgs;
use super::mesh_args::NormalArgs;
use super::output::Output;
use super::run::{Input, Run};
use crate::pipeline::{Laps, LoadOptions, Progress, load_character};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// Move motions onto a character that already has a skeleton and a skin
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  puppetry retarget avatar.vrm --motion walk -o avatar_walks.vrm\n  puppetry retarget characters/*.glb --motion run -o running/"
)]
pub struct Retarget {
    /// Characters with joints and a skin: GLB, glTF, VRM or FBX; or a rig file
    #[arg(value_name = "RIGGED", required = true)]
    characters: Vec<PathBuf>,
    #[command(flatten)]
    export: ExportArgs,
    #[command(flatten)]
    motions: MotionArgs,
    #[command(flatten)]
    clips: ClipArgs,
    /// Write what was done and how good it is, as JSON
    #[arg(long, value_name = "FILE.json", help_heading = "What is written")]
    report: Option<PathBuf>,
    #[command(flatten)]
    batch: BatchArgs,
    /// Which of several characters, by the name or the number of one of its skins
    #[arg(long, value_name = "SKIN", help_heading = "How the mesh is to be understood")]
    skin: Option<String>,
    #[command(flatten, next_help_heading = "How the mesh is to be understood")]
    normals: NormalArgs,
}

impl Retarget {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        let run = Run {
            command: "retarget",
            batch: Batch { files: &self.characters, args: &self.batch, report: self.report.as_deref() },
            export: &self.export,
            motions: &self.motions,
            clips: &self.clips,
            how_rigged: format!("{:?} {:?}", self.skin, self.normals),
        };
        run.all(output, |file, output| {
            output.begin("reading", 0.0);
            let mut laps = Laps::start();
            let (skin, normals) = (self.skin.clone(), self.normals.options());
            let options = LoadOptions { skin, normals, ..LoadOptions::default() };
            let (character, warnings) = load_character(file, &options)?;
            laps.lap("read");
            Ok(Input::rigged(character, warnings, laps))
        })
    }
}
