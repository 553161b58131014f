use super::output::Output;
use crate::motion::built_in;
use anyhow::Result;
use clap::Args;
use serde_json::json;

/// List the motions that are built in
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  puppetry motions")]
pub struct Motions {
    /// One JSON object a line
    #[arg(long, help_heading = "What is said")]
    json: bool,
}

impl Motions {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        for motion in built_in() {
            let seconds = motion.frames() as f64 / motion.frames_per_second();
            if self.json {
                output.result(json!({
                    "name": motion.name,
                    "about": motion.about,
                    "frames": motion.frames(),
                    "fps": motion.frames_per_second(),
                    "seconds": seconds,
                    "loops": motion.loops,
                }))?;
            } else {
                let loops = if motion.loops { "loop" } else { "" };
                output.result(format_args!(
                    "{:<14}{seconds:>5.2} s   {loops:<6}{}",
                    motion.name, motion.about
                ))?;
            }
        }
        Ok(())
    }
}
