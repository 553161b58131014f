use super::clip_args::{ClipArgs, MotionArgs};
use super::export::ExportArgs;
use super::output::Output;
use super::run::{InputCharacter, Run};
use crate::io;
use crate::pipeline::{Character, Laps, Progress};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// Move motions onto a character that already has a skeleton and a skin
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  puppetry retarget avatar.vrm --motion walk -o avatar_walks.vrm")]
pub struct Retarget {
    /// Characters with joints and a skin: GLB, glTF, VRM or FBX; or a rig file
    #[arg(value_name = "RIGGED", required = true)]
    characters: Vec<PathBuf>,
    /// Which character, by the name or the number of one of its skins
    #[arg(long, value_name = "SKIN")]
    skin: Option<String>,
    /// Write what was done and how good it is, as JSON
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
    #[command(flatten)]
    export: ExportArgs,
    #[command(flatten)]
    motions: MotionArgs,
    #[command(flatten)]
    clips: ClipArgs,
}

impl Retarget {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        let run = Run {
            command: "retarget",
            files: &self.characters,
            export: &self.export,
            motions: &self.motions,
            clips: &self.clips,
            report: self.report.as_deref(),
        };
        run.all(output, |file, output| {
            output.begin("reading", 0.0);
            let mut laps = Laps::start();
            let (rigged, warnings) = io::load_rig(file, self.skin.as_deref())?;
            laps.lap("read");
            let character = Character::of_rigged(rigged);
            Ok(InputCharacter { character, rigging: None, how_rigged: None, pinocchio: None, warnings, laps })
        })
    }
}
