//! Files for a character and its clips.

use super::character::Character;
use super::clips::Take;
use super::rig::is_same_file;
use super::save;
use anyhow::{Context, Result, bail};
use clap::Args;
use puppetry::clip::Clip;
use puppetry::io::{GltfCharacter, bvh};
use puppetry::retarget::human_bones;
use serde_json::{Value, json};
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
    /// Leave out keys as long as nothing moves by more than this part of the height; 0 keeps all
    #[arg(long, value_name = "PART", default_value = "0.00002", value_parser = part)]
    pub key_error: f64,
    /// Measure the error of left out keys on the whole surface, not on its farthest points
    #[arg(long)]
    pub verify: bool,
    /// Rotations as 16-bit numbers: half the size
    #[arg(long)]
    pub compact: bool,
}

/// What an output file is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Glb,
    Gltf,
    Vrm,
    Vrma,
    Bvh,
    JointList,
    Attachment,
}

impl Kind {
    fn of(path: &Path) -> Result<Kind> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        Ok(match ending.as_str() {
            "glb" => Kind::Glb,
            "gltf" => Kind::Gltf,
            "vrm" => Kind::Vrm,
            "vrma" => Kind::Vrma,
            "bvh" => Kind::Bvh,
            "out" if stem.ends_with("attachment") => Kind::Attachment,
            "out" => Kind::JointList,
            _ => bail!(
                "cannot write '{}': its ending says nothing; end it in .glb, .gltf, .vrm, .vrma, .bvh or .out, or give a \
                 folder and end it in /",
                path.display()
            ),
        })
    }
}

impl ExportArgs {
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
            Kind::of(&path)?;
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

    /// All files, with their content.
    pub fn files(
        &self,
        paths: &[PathBuf],
        character: &mut Character,
        takes: &[Take],
    ) -> Result<Vec<(PathBuf, Vec<u8>)>> {
        let mut files = Vec::new();
        for path in paths {
            let kind = Kind::of(path)?;
            // Formats that hold one clip are written once for each.
            let is_single = self.split || matches!(kind, Kind::Bvh | Kind::Vrma);
            let groups: Vec<(PathBuf, &[Take])> = match is_single && takes.len() > 1 {
                true => takes.chunks(1).map(|take| (named(path, &take[0].clip.name), take)).collect(),
                false => vec![(path.clone(), takes)],
            };
            for (path, takes) in groups {
                let cannot = || format!("cannot write '{}'", path.display());
                files.extend(self.content(kind, &path, character, takes).with_context(cannot)?);
            }
        }
        Ok(files)
    }

    fn content(
        &self,
        kind: Kind,
        path: &Path,
        character: &mut Character,
        takes: &[Take],
    ) -> Result<Vec<(PathBuf, Vec<u8>)>> {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let whole = |bytes: Vec<u8>| vec![(path.to_owned(), bytes)];
        Ok(match kind {
            Kind::Bvh => {
                let motion = takes[0].clip.as_motion(&character.rig);
                whole(bvh::write(&motion, bvh::RotationOrder::default()).into_bytes())
            }
            Kind::JointList | Kind::Attachment => {
                let Some([joints, weights]) = &character.pinocchio else {
                    bail!(
                        "Pinocchio's files are written for characters that are rigged here; give the mesh without its skin"
                    );
                };
                whole(if kind == Kind::JointList { joints } else { weights }.clone().into_bytes())
            }
            Kind::Glb => whole(self.document(character, takes).glb()?),
            Kind::Gltf => self
                .document(character, takes)
                .gltf(&stem)?
                .into_iter()
                .map(|(name, bytes)| (path.with_file_name(name), bytes))
                .collect(),
            Kind::Vrm => {
                let bones = human_bones(&character.rig)?;
                character.stretch(&bones);
                let mut document = self.document(character, takes);
                document.add_vrm(&stem, &bones);
                whole(document.glb()?)
            }
            Kind::Vrma => {
                let bones = human_bones(&character.rig)?;
                character.stretch(&bones);
                let mut document = with_clips(character.document.without_mesh(), takes);
                document.add_vrm_animation(&bones);
                whole(document.glb()?)
            }
        })
    }

    /// The character with its clips.
    fn document(&self, character: &Character, takes: &[Take]) -> GltfCharacter {
        let document =
            if self.clips_only { character.document.without_mesh() } else { character.document.clone() };
        with_clips(document, takes)
    }
}

fn with_clips(mut document: GltfCharacter, takes: &[Take]) -> GltfCharacter {
    let clips: Vec<(&Clip, Value)> = takes.iter().map(|take| (&take.clip, take.extras())).collect();
    document.add_clips(&clips);
    document.sign(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "clips": takes.iter().map(|take| take.clip.name.as_str()).collect::<Vec<_>>(),
    }));
    document
}

/// The path of the file of one clip.
fn named(path: &Path, clip: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push("_");
    name.push(clip);
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}

fn part(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=0.1).contains(&number) => Ok(number),
        _ => Err("it must be a part of the height, from 0 to 0.1".into()),
    }
}
