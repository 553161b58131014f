use super::output::Output;
use crate::skeleton::{Skeleton, built_in};
use anyhow::Result;
use clap::Args;
use serde_json::json;

/// List the skeletons that are built in
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  puppetry skeletons")]
pub struct Skeletons {
    /// One JSON object a line
    #[arg(long, help_heading = "What is said")]
    json: bool,
}

impl Skeletons {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        for skeleton in built_in().iter().filter_map(|file| Skeleton::built_in(file.name)) {
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
                    skeleton.name,
                    joints.len(),
                    skeleton.about
                ))?;
            }
        }
        Ok(())
    }
}
