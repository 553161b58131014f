//! Files for a character and its clips.

use super::character::Character;
use super::clips::Take;
use super::rig::is_same_file;
use super::save;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use puppetry::clip::{Clip, bake};
use puppetry::io::{GltfCharacter, bvh};
use puppetry::retarget::human_bones;
use serde_json::{Value, json};
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
    /// Leave out keys as long as nothing moves by more than this part of the height; 0 keeps all
    #[arg(long, value_name = "PART", default_value = "0.00002", value_parser = part)]
    pub key_error: f64,
    /// Measure the error of left out keys on the whole surface, not on its farthest points
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
        hide_possible_values = true
    )]
    compact: Option<Compact>,
}

/// What is written in fewer bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Compact {
    Keys,
    Mesh,
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
    /// Whether rotations are 16-bit numbers.
    pub fn is_compact(&self) -> bool {
        self.compact.is_some()
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
        character: &Character,
        takes: &[Take],
    ) -> Result<Vec<(PathBuf, Vec<u8>)>> {
        let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
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
        let mut names = BTreeSet::new();
        for (path, _) in &files {
            save::check(path)?;
            if !names.insert(path) {
                bail!("two outputs would be written to '{}'; give one another name", path.display());
            }
        }
        Ok(files)
    }

    fn content(
        &self,
        kind: Kind,
        path: &Path,
        character: &Character,
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
            Kind::Glb => whole(with_clips(self.shown(character), character, takes).glb()?),
            Kind::Gltf => {
                let parts = with_clips(self.shown(character), character, takes).gltf(&stem)?.into_iter();
                let files: Vec<_> = parts.map(|(name, bytes)| (path.with_file_name(name), bytes)).collect();
                // Its buffer and images have names that nobody typed: only a document that is replaced loses them.
                if let Some((other, _)) =
                    files.iter().find(|(file, _)| file.exists()).filter(|_| !path.exists())
                {
                    bail!(
                        "it would replace '{}', which is not its own; choose another name",
                        other.display()
                    );
                }
                files
            }
            Kind::Vrm if self.clips_only => {
                bail!("a VRM file is a character; end it in .vrma for clips alone")
            }
            Kind::Vrm => {
                let bones = human_bones(&character.rig)?;
                let mut document = with_clips(self.rounded(character.stretched(&bones)), character, takes);
                document.add_vrm(&stem, &bones);
                whole(document.glb()?)
            }
            Kind::Vrma => {
                let bones = human_bones(&character.rig)?;
                let joints = character.stretched(&bones).without_mesh();
                // Only hips travel in this format.
                let clip = carried_by_hips(&takes[0].clip, character, bones[0].1);
                let mut document = signed(joints, character, &[(&clip, takes[0].extras())]);
                document.add_vrm_animation(&bones);
                whole(document.glb()?)
            }
        })
    }

    /// The character, or its joints alone.
    fn shown(&self, character: &Character) -> GltfCharacter {
        if !self.clips_only {
            return self.rounded(character.document.clone());
        }
        let mut joints = character.document.without_mesh();
        joints.add_skeleton();
        joints
    }

    fn rounded(&self, mut document: GltfCharacter) -> GltfCharacter {
        if self.compact == Some(Compact::Mesh) {
            document.quantise_mesh();
        }
        document
    }
}

fn with_clips(document: GltfCharacter, character: &Character, takes: &[Take]) -> GltfCharacter {
    let clips: Vec<(&Clip, Value)> = takes.iter().map(|take| (&take.clip, take.extras())).collect();
    signed(document, character, &clips)
}

/// The clips, and the summary of the report.
fn signed(mut document: GltfCharacter, character: &Character, clips: &[(&Clip, Value)]) -> GltfCharacter {
    document.add_clips(clips);
    let mut summary = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "clips": clips.iter().map(|(clip, _)| clip.name.as_str()).collect::<Vec<_>>(),
        "joints": character.rig.joints.len(),
    });
    for (key, place) in [
        ("skeleton", "/skeleton/name"),
        ("route", "/route/name"),
        ("parts", "/parts/route"),
        ("confidence", "/confidence"),
    ] {
        if let Some(value) = character.rigging.pointer(place) {
            summary[key] = value.clone();
        }
    }
    document.sign(summary);
    document
}

/// The clip with everything above the hips at rest, whatever carried the way before.
fn carried_by_hips(clip: &Clip, character: &Character, hips: usize) -> Clip {
    let rig = &character.rig;
    let stands = |joint: usize| {
        clip.rotations[joint].keys.len() == 1 && !clip.translations.iter().any(|(other, _)| *other == joint)
    };
    let above: Vec<usize> =
        (0..rig.joints.len()).filter(|&joint| !rig.joints.is_below(joint, hips)).collect();
    if above.iter().all(|&joint| stands(joint)) {
        return clip.clone();
    }
    let mut poses = clip.poses(rig);
    for pose in &mut poses {
        for &joint in &above {
            let rest = &rig.joints[joint].rest;
            (pose.positions[joint], pose.rotations[joint]) = (rest.translation.vector, rest.rotation);
        }
    }
    let mut clip = bake(rig, &clip.name, clip.frame_seconds, &poses);
    clip.reduce(&character.reach, 0.0);
    clip
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
