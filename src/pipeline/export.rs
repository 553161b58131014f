//! Files for a character and its clips, as bytes.

use super::{Animated, Character, Compact, Error, RigReport};
use crate::Warning;
use crate::clip::{Clip, bake};
use crate::io::{GltfCharacter, bvh};
use crate::retarget::human_bones;
use crate::rig::{Follows, Rig};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Choices of [`export`].
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ExportOptions {
    /// A file for each clip, with the name of the clip behind that of the file.
    pub split: bool,
    /// Joints and clips without the mesh.
    pub clips_only: bool,
    /// What is written in fewer bits.
    pub compact: Option<Compact>,
    /// What the document says about how the character was rigged.
    pub provenance: Option<RigReport>,
    /// Skeleton and weights as Pinocchio writes them, of a character that was rigged just now.
    pub pinocchio: Option<[String; 2]>,
}

/// A file to be written.
pub struct OutputFile {
    /// Its path.
    pub path: PathBuf,
    /// Its content.
    pub bytes: Vec<u8>,
    /// The document that it belongs to: itself, or the `.gltf` whose buffer or image it is.
    pub document: PathBuf,
    /// What of the character it cannot carry.
    pub warning: Option<Warning>,
}

/// What a file is, by its ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputKind {
    /// `.glb`
    Glb,
    /// `.gltf` with its buffer and images beside it
    Gltf,
    /// `.vrm`
    Vrm,
    /// `.vrma`: one clip
    Vrma,
    /// `.bvh`: one clip
    Bvh,
    /// `skeleton.out`
    JointList,
    /// `attachment.out`
    Attachment,
}

impl OutputKind {
    /// The kind that a path asks for; `None` if its ending says nothing.
    pub fn of(path: &Path) -> Option<OutputKind> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        Some(match ending.as_str() {
            "glb" => OutputKind::Glb,
            "gltf" => OutputKind::Gltf,
            "vrm" => OutputKind::Vrm,
            "vrma" => OutputKind::Vrma,
            "bvh" => OutputKind::Bvh,
            "out" if stem.ends_with("attachment") => OutputKind::Attachment,
            "out" => OutputKind::JointList,
            _ => return None,
        })
    }

    /// Whether a file of this kind holds one clip.
    fn is_single(self) -> bool {
        matches!(self, OutputKind::Bvh | OutputKind::Vrma)
    }
}

/// The files of a character with its clips, for a path whose ending tells the format. Formats that hold one clip give one file for
/// each.
///
/// # Errors
/// If the ending says nothing, or the format cannot hold the character.
pub fn export(
    character: &Character,
    clips: &[Animated],
    path: &Path,
    options: &ExportOptions,
) -> Result<Vec<OutputFile>, Error> {
    let Some(kind) = OutputKind::of(path) else {
        let reason = format!(
            "cannot write '{}': its ending says nothing; end it in .glb, .gltf, .vrm, .vrma, .bvh or .out, or give a \
             folder and end it in /",
            path.display()
        );
        return Err(Error::Format { reason });
    };
    let is_split = (options.split || kind.is_single()) && clips.len() > 1;
    if !is_split {
        return content(character, clips, path, kind, options);
    }
    let mut files = Vec::new();
    for clip in clips.chunks(1) {
        files.extend(content(character, clip, &with_clip_name(path, &clip[0].clip.name), kind, options)?);
    }
    Ok(files)
}

/// What a file says that cannot carry half joints and muscles, which the surface needs. Twist joints that stand still change nothing.
fn left_out_helpers(rig: &Rig, path: &Path, kind: OutputKind) -> Option<Warning> {
    let is_needed = rig.helpers.iter().any(|helper| !matches!(helper.follows, Follows::Twist { .. }));
    let ending = format!(".{}", path.extension().unwrap_or_default().to_string_lossy());
    (is_needed && kind.is_single()).then_some(Warning::HelpersLeftOut { ending })
}

fn content(
    character: &Character,
    clips: &[Animated],
    path: &Path,
    kind: OutputKind,
    options: &ExportOptions,
) -> Result<Vec<OutputFile>, Error> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = match kind {
        OutputKind::Bvh => {
            let motion = clips[0].clip.as_motion(&character.rig);
            bvh::write(&motion, bvh::RotationOrder::default()).into_bytes()
        }
        OutputKind::JointList | OutputKind::Attachment => {
            let Some([joints, weights]) = &options.pinocchio else {
                let reason = "Pinocchio's files are written for characters that are rigged here; give the mesh without its skin";
                return Err(Error::Format { reason: reason.to_owned() });
            };
            if kind == OutputKind::JointList { joints } else { weights }.clone().into_bytes()
        }
        OutputKind::Glb => with_clips(shown(character, options), character, clips, options).glb()?,
        OutputKind::Gltf => {
            let parts = with_clips(shown(character, options), character, clips, options).gltf(&stem)?;
            let parts = parts.into_iter();
            let document = path.to_owned();
            return Ok(parts
                .map(|(name, bytes)| OutputFile {
                    path: path.with_file_name(name),
                    bytes,
                    document: document.clone(),
                    warning: None,
                })
                .collect());
        }
        OutputKind::Vrm if options.clips_only => {
            let reason = "a VRM file is a character; end it in .vrma for clips alone".to_owned();
            return Err(Error::Format { reason });
        }
        OutputKind::Vrm => {
            let bones = human_bones(&character.rig)?;
            if !character.document.is_vrm() {
                faces_forward(character)?;
            }
            let document = quantized(character.in_t_pose(&bones), options);
            let mut document = with_clips(document, character, clips, options);
            if !document.is_vrm() {
                document.add_roll_constraints(&character.rig);
            }
            document.add_vrm(&stem, &bones);
            document.glb()?
        }
        OutputKind::Vrma => {
            let bones = human_bones(&character.rig)?;
            faces_forward(character)?;
            let joints = character.in_t_pose(&bones);
            let only_follows = character.rig.only_following();
            let joints = joints.without_joints(|joint| only_follows[joint]).without_mesh();
            // Only hips travel in this format.
            let clip = carried_by_hips(&clips[0].clip, character, bones[0].1);
            let mut document = with_provenance(joints, character, &[(&clip, clips[0].extras())], options);
            document.add_vrm_animation(&bones);
            document.glb()?
        }
    };
    let warning = left_out_helpers(&character.rig, path, kind);
    Ok(vec![OutputFile { path: path.to_owned(), bytes, document: path.to_owned(), warning }])
}

/// The cosine of a degree: rounding turns a character by less.
const FORWARD: f64 = 0.9998;

/// Refuses a character that does not face +Z in its file, as VRM 1.0 demands. One of VRM 0.x faces -Z.
fn faces_forward(character: &Character) -> Result<(), Error> {
    let front = character.document.front();
    if front.z > FORWARD {
        return Ok(());
    }
    let axis = ["X", "Y", "Z"][front.iamax()];
    let sign = if front.amax() == front.max() { '+' } else { '-' };
    let reason = format!(
        "VRM 1.0 and its animations face +Z, and this character faces {sign}{axis} in its file; turn it there, or write .glb"
    );
    Err(Error::Format { reason })
}

/// The character, or its joints alone.
fn shown(character: &Character, options: &ExportOptions) -> GltfCharacter {
    if !options.clips_only {
        return quantized(character.document.clone(), options);
    }
    let mut joints = character.document.without_mesh();
    joints.add_skeleton();
    joints
}

fn quantized(mut document: GltfCharacter, options: &ExportOptions) -> GltfCharacter {
    if options.compact == Some(Compact::Mesh) {
        document.quantize_mesh();
    }
    document
}

fn with_clips(
    document: GltfCharacter,
    character: &Character,
    clips: &[Animated],
    options: &ExportOptions,
) -> GltfCharacter {
    let clips: Vec<(&Clip, Value)> = clips.iter().map(|clip| (&clip.clip, clip.extras())).collect();
    with_provenance(document, character, &clips, options)
}

/// The clips, and a summary of how the character was made.
fn with_provenance(
    mut document: GltfCharacter,
    character: &Character,
    clips: &[(&Clip, Value)],
    options: &ExportOptions,
) -> GltfCharacter {
    document.add_clips(clips);
    let rig = &character.rig;
    let only_follows = rig.only_following();
    let is_there = |joint: &usize| !only_follows[*joint] || document.joints[*joint].node.is_some();
    let mut summary = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "clips": clips.iter().map(|(clip, _)| clip.name.as_str()).collect::<Vec<_>>(),
        "joints": (0..rig.joints.len()).filter(is_there).count(),
    });
    if let Some(report) = &options.provenance {
        summary["skeleton"] = json!(report.skeleton.name);
        summary["route"] = json!(report.route.name);
        summary["parts"] = json!(report.parts.route);
        summary["confidence"] = json!(report.confidence);
    }
    document.write_provenance(summary);
    document
}

/// The clip with everything above the hips at rest, whatever carried the path before.
fn carried_by_hips(clip: &Clip, character: &Character, hips: usize) -> Clip {
    let rig = &character.rig;
    let above: Vec<usize> =
        (0..rig.joints.len()).filter(|&joint| !rig.joints.is_below(joint, hips)).collect();
    if above.iter().all(|&joint| stands(clip, joint)) {
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
    clip.reduce(&character.extent, 0.0);
    clip
}

/// Whether a joint neither turns nor travels.
fn stands(clip: &Clip, joint: usize) -> bool {
    clip.rotations[joint].keys.len() == 1 && !clip.translations.iter().any(|(other, _)| *other == joint)
}

/// The path of the file of one clip.
fn with_clip_name(path: &Path, clip: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push("_");
    name.push(clip);
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}
