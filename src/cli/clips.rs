//! From motions to clips of one character.

use super::clip_args::{ClipArgs, edited};
use super::footage::Footage;
use anyhow::{Context, Result};
use puppetry::Warning;
use puppetry::clip::{Clip, bake};
use puppetry::motion::Override;
use puppetry::retarget::{Source, SourceOptions};
use puppetry::retarget_stand_in::{RetargetReport, retarget};
use puppetry::rig::Rig;
use rayon::prelude::*;

/// A motion on the character.
pub struct Take {
    pub clip: Clip,
    pub report: RetargetReport,
}

/// Moves every motion onto the rig. The order is that of the motions, whatever the number of threads.
pub fn takes(rig: &Rig, footage: &[Footage], overrides: &[Override], args: &ClipArgs) -> Result<Vec<Take>> {
    footage.par_iter().map(|footage| take(rig, footage, overrides, args)).collect()
}

fn take(rig: &Rig, footage: &Footage, overrides: &[Override], args: &ClipArgs) -> Result<Take> {
    let cannot = || format!("cannot move '{}' onto the character", footage.file.display());
    let motion = edited(footage, args)?;
    let source = Source::of(&motion, &SourceOptions::default());
    let performance =
        retarget(rig, &motion, &source, overrides, &args.retarget_options()).with_context(cannot)?;
    let clip = bake(rig, &footage.name, performance.frame_seconds, &performance.poses);
    Ok(Take { clip, report: performance.report })
}

/// Gives every clip a name that all engines take, and that no other clip has.
pub fn name_clips(footage: &mut [Footage]) {
    let mut taken: Vec<String> = Vec::new();
    for footage in footage {
        let clean = clean_name(&footage.name);
        let mut name = clean.clone();
        let mut reason = "engines take letters, digits and _ only";
        for number in 2.. {
            if !taken.contains(&name) {
                break;
            }
            reason = "another clip has that name";
            name = format!("{clean}_{number}");
        }
        if name != footage.name {
            let from = std::mem::replace(&mut footage.name, name.clone());
            footage.warnings.push(Warning::ClipRenamed { from, to: name.clone(), reason });
        }
        taken.push(name);
    }
}

/// Letters, digits and underscores; runs of anything else become one underscore.
fn clean_name(name: &str) -> String {
    let mut clean = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            clean.push(letter);
        } else if !clean.ends_with('_') {
            clean.push('_');
        }
    }
    let clean = clean.trim_matches('_');
    if clean.is_empty() { "clip".to_owned() } else { clean.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_digits_and_underscores() {
        for (name, clean) in
            [("walk_01", "walk_01"), ("walk (fast).v2", "walk_fast_v2"), ("…", "clip"), ("läuft", "l_uft")]
        {
            assert_eq!(clean_name(name), clean);
        }
    }
}
