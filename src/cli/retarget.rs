use super::animate::run_all;
use super::character::Character;
use super::clip_args::ClipArgs;
use super::export::ExportArgs;
use super::output::Output;
use super::save;
use anyhow::Result;
use clap::Args;
use puppetry::io;
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
    clips: ClipArgs,
}

impl Retarget {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        self.report.as_deref().map(save::check).transpose()?;
        run_all(
            &self.characters,
            &self.export,
            &self.clips,
            self.report.as_deref(),
            "retarget",
            output,
            |file, clock, _| {
                let (rigged, warnings) = io::load_rig(file, self.skin.as_deref())?;
                clock.lap("read");
                Ok(Character::of_rigged(rigged, self.export.verify, warnings))
            },
        )
    }
}
