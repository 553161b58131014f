use super::output::Output;
use crate::io::skeleton_file;
use crate::skeleton::built_in;
use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

/// List the skeletons that are built in
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  puppetry skeletons")]
pub struct Skeletons {
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl Skeletons {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        for file in built_in() {
            let skeleton = skeleton_file::read(file.text)
                .map_err(|fault| fault.problem)
                .with_context(|| format!("the built-in skeleton {} is broken", file.name))?;
            let (joints, tips): (Vec<_>, Vec<_>) = skeleton.joints.iter().partition(|joint| !joint.is_tip);
            if self.json {
                let names: Vec<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
                let tips: Vec<&str> = tips.iter().map(|joint| joint.name.as_str()).collect();
                output.result(
                    json!({ "name": skeleton.name, "about": skeleton.about, "joints": names, "tips": tips }),
                )?;
            } else {
                output.result(format_args!(
                    "{:<12}{:>3} joints   {}",
                    file.name,
                    joints.len(),
                    skeleton.about
                ))?;
            }
        }
        Ok(())
    }
}
