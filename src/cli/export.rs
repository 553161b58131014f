//! Which files are written for a character and its clips.

use super::args::{number, one_of};
use super::destination::{Destination, Outputs};
use super::save;
use crate::pipeline::{
    Animated, Character, ClipOptions, Compact, ExportOptions, OutputFile, OutputKind, export,
};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What is written.
#[derive(Debug, Args)]
#[command(next_help_heading = "What is written")]
pub struct ExportArgs {
    /// .glb, .gltf, .vrm, .vrma, .bvh, a folder (out/) or -; repeatable
    ///
    /// The ending says what is written: .glb, .gltf (separate files), .vrm, .vrma (one clip), .bvh (one clip), skeleton.out or
    /// attachment.out. A folder gets a .glb for each character.
    #[arg(short, long = "output", value_name = "OUT", required = true)]
    pub outputs: Vec<PathBuf>,
    /// What goes into folders and to standard output (-) [default: glb]
    #[arg(long, value_name = "ENDING", hide_short_help = true)]
    format: Option<String>,
    /// A file for each clip, with the clip's name behind its own
    #[arg(long)]
    split: bool,
    /// Joints and clips without the mesh
    #[arg(long, hide_short_help = true)]
    clips_only: bool,
    /// Drop keys as long as no point moves by more than this part of the height; 0 keeps all
    #[arg(long, value_name = "PART", default_value = "0.00002", hide_short_help = true)]
    #[arg(value_parser = number("a part of the height, from 0 to 0.1", |part| (0.0..=0.1).contains(&part)))]
    key_error: f64,
    /// Measure the error of dropped keys on the whole surface, not on its farthest points
    #[arg(long, hide_short_help = true)]
    pub verify: bool,
    /// Rotations as 16-bit numbers: half the size
    ///
    /// --compact=mesh also rounds normals and texture coordinates, by an extension that not every engine reads.
    #[arg(
        long,
        value_name = "keys|mesh",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "keys",
        value_parser = one_of(&[("keys", Compact::Keys), ("mesh", Compact::Mesh)]),
        hide_possible_values = true
    )]
    compact: Option<Compact>,
}

impl ExportArgs {
    /// Completes how clips are made by what is written of them.
    pub fn complete(&self, clips: &mut ClipOptions) {
        clips.key_error = self.key_error;
        clips.compact = self.compact;
    }

    /// How files are written.
    pub fn options(&self) -> ExportOptions {
        let mut options = ExportOptions::default();
        (options.split, options.clips_only, options.compact) = (self.split, self.clips_only, self.compact);
        options
    }

    /// The destinations of each character.
    ///
    /// # Errors
    /// If one cannot be written, is given twice, or is a character itself.
    pub fn destinations(&self, characters: &[PathBuf]) -> Result<Vec<Vec<Destination>>> {
        let outputs = Outputs {
            outputs: &self.outputs,
            format: self.format.as_deref(),
            is_known: |path| OutputKind::of(path).is_some(),
            endings: ".glb, .gltf, .vrm, .vrma, .bvh or .out",
        };
        outputs.of_all(characters)
    }

    /// Whether a file goes to standard output.
    pub fn streams(&self) -> bool {
        self.outputs.iter().any(|output| save::is_stdout(output))
    }
}

/// All files of a character and its clips, with their content.
///
/// # Errors
/// If one cannot be written, two have one name, or standard output would take several.
pub fn files(
    destinations: &[Destination],
    character: &Character,
    clips: &[Animated],
    options: &ExportOptions,
) -> Result<Vec<OutputFile>> {
    let mut files: Vec<OutputFile> = Vec::new();
    for destination in destinations {
        let path = &destination.path;
        let cannot = || format!("cannot write '{}'", destination.shown().display());
        let mut own = export(character, clips, path, options).with_context(cannot)?;
        if destination.is_stdout {
            let count = own.len();
            let [file] = own.as_mut_slice() else {
                bail!("cannot write {count} files to standard output; give one motion, or another --format");
            };
            file.path = destination.shown();
            files.extend(own);
            continue;
        }
        // The buffer and images of a .gltf have names that nobody typed: only a document that is replaced loses them.
        if let Some(other) = own.iter().find(|file| file.path.exists() && !file.document.exists()) {
            let other = other.path.display();
            return Err(anyhow!("it would replace '{other}', which is not its own; choose another name"))
                .with_context(cannot);
        }
        files.extend(own);
    }
    let mut names = BTreeSet::new();
    for file in &files {
        if !names.insert(&file.path) {
            bail!("two outputs would be written to '{}'; give one another name", file.path.display());
        }
    }
    Ok(files)
}
