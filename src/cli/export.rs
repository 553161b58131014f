//! Which files are written for a character and its clips.

use super::args::{number, one_of};
use super::save::{self, is_same_file};
use crate::pipeline::{
    Animated, Character, ClipOptions, Compact, ExportOptions, OutputFile, OutputKind, export,
};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What is written.
#[derive(Debug, Args)]
#[command(next_help_heading = "What is written")]
pub struct ExportArgs {
    /// .glb, .gltf, .vrm, .vrma (clips alone), .bvh, skeleton.out or attachment.out; a folder gets a .glb for each
    /// character; repeatable
    #[arg(short, long = "output", value_name = "OUT", required = true)]
    pub outputs: Vec<PathBuf>,
    /// A file for each clip, with the name of the clip behind that of the file
    #[arg(long)]
    split: bool,
    /// Joints and clips without the mesh
    #[arg(long)]
    clips_only: bool,
    /// Drop keys as long as no point moves by more than this part of the height; 0 keeps all
    #[arg(long, value_name = "PART", default_value = "0.00002")]
    #[arg(value_parser = number("a part of the height, from 0 to 0.1", |part| (0.0..=0.1).contains(&part)))]
    key_error: f64,
    /// Measure the error of dropped keys on the whole surface, not on its farthest points
    #[arg(long)]
    pub verify: bool,
    /// Rotations as 16-bit numbers: half the size; --compact=mesh also rounds normals and texture coordinates, by an
    /// extension that not every engine reads
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

    /// The outputs for one of `count` characters.
    ///
    /// # Errors
    /// If one cannot be written, is given twice, or is the character itself.
    pub fn paths(&self, character: &Path, count: usize) -> Result<Vec<PathBuf>> {
        let mut paths: Vec<PathBuf> = Vec::new();
        for output in &self.outputs {
            let is_folder = output.is_dir() || output.to_string_lossy().ends_with(['/', '\\']);
            if !is_folder && count > 1 {
                bail!(
                    "cannot write {count} characters to '{}'; give a folder, as in -o {}/",
                    output.display(),
                    output.with_extension("").display()
                );
            }
            let path = match is_folder {
                true => output.join(character.file_stem().unwrap_or_default()).with_extension("glb"),
                false => output.clone(),
            };
            save::check(&path)?;
            if OutputKind::of(&path).is_none() {
                bail!(
                    "cannot write '{}': its ending says nothing; end it in .glb, .gltf, .vrm, .vrma, .bvh or .out, or give a \
                     folder and end it in /",
                    path.display()
                );
            }
            if paths.iter().any(|other| is_same_file(other, &path)) {
                bail!("'{}' is given twice; give each output a name of its own", path.display());
            }
            if is_same_file(&path, character) {
                bail!("'{}' is the character itself; give the output another name", path.display());
            }
            paths.push(path);
        }
        Ok(paths)
    }
}

/// All files of a character and its clips, with their content.
///
/// # Errors
/// If one cannot be written, or two have one name.
pub fn files(
    paths: &[PathBuf],
    character: &Character,
    clips: &[Animated],
    options: &ExportOptions,
) -> Result<Vec<OutputFile>> {
    let mut files: Vec<OutputFile> = Vec::new();
    for path in paths {
        let cannot = || format!("cannot write '{}'", path.display());
        let own = export(character, clips, path, options).with_context(cannot)?;
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
        save::check(&file.path)?;
        if !names.insert(&file.path) {
            bail!("two outputs would be written to '{}'; give one another name", file.path.display());
        }
    }
    Ok(files)
}
