//! Characters of a preview: rigged when they are needed.

use super::super::mesh_args::MeshArgs;
use super::super::output::Output;
use super::super::rig_args::RigArgs;
use super::super::rigging::{Made, Rigging, Wanted};
use crate::Warning;
use crate::io::{self, Folder, Problem, SkinBinding, rigged_character};
use crate::math::Bounds;
use crate::mesh::Mesh;
use crate::mesh::placement::Placement;
use crate::motion::Motion;
use crate::pipeline::{
    Character, ClipOptions, Error, LoadOptions, Loaded, MotionSource, RigOptions, Silent, animate, drawn,
    in_motion, load,
};
use crate::preview::{AnimatedCharacter, RenderCharacter, smooth_normals};
use anyhow::{Context, Result, anyhow, bail};
use std::borrow::Cow;
use std::path::Path;
use std::sync::OnceLock;

/// A character that can be moved, and drawn.
pub struct DrawnCharacter {
    pub character: Character,
    pub drawn: RenderCharacter,
    /// It at rest, as a file.
    pub glb: Vec<u8>,
    /// Whether its joints should be looked at.
    pub is_doubtful: bool,
    /// What was found when it was rigged.
    pub warnings: Vec<Warning>,
}

/// Who may be moved: the character that was named, or a person and an animal.
pub struct Characters<'a> {
    /// The file of the character that was named.
    file: Option<&'a Path>,
    sources: Vec<Loaded>,
    drawn: [OnceLock<DrawnCharacter>; 2],
    rig: &'a RigArgs,
    options: RigOptions,
    clips: ClipOptions,
    /// The bytes of the character's file; empty for the built-in ones.
    pub content: Vec<u8>,
}

const PERSON: &[u8] = include_bytes!("../../../examples/characters/slim.glb");
const ANIMAL: &[u8] = include_bytes!("../../../examples/characters/dog.glb");

impl<'a> Characters<'a> {
    pub fn new(
        file: Option<&'a Path>,
        rig: &'a RigArgs,
        mesh_args: &MeshArgs,
        clips: ClipOptions,
        output: &mut Output,
    ) -> Result<Characters<'a>> {
        let (sources, content) = match file {
            // It is read once more for its bytes, by which a page knows whether it has changed.
            Some(path) => (vec![read(path, mesh_args, output)?], std::fs::read(path).unwrap_or_default()),
            None => (vec![built_in(PERSON)?, built_in(ANIMAL)?], Vec::new()),
        };
        let options = rig.options(mesh_args)?;
        let drawn = [OnceLock::new(), OnceLock::new()];
        Ok(Characters { file, sources, drawn, rig, options, clips, content })
    }

    /// The number of the character for a motion on two or on four legs.
    pub fn number(&self, is_quadruped: bool) -> usize {
        usize::from(is_quadruped).min(self.sources.len() - 1)
    }

    /// The character for a motion on two or on four legs.
    pub fn for_motion(&self, is_quadruped: bool) -> Result<&DrawnCharacter> {
        self.by_number(self.number(is_quadruped))
    }

    /// What is shown of a motion: what `animate` moves onto the character that was named.
    pub fn suited(&self, source: &MotionSource) -> Result<MotionSource> {
        match (self.file, source) {
            (Some(_), MotionSource::BuiltIn(_)) => {
                Ok(source.clone().suited_to(&self.by_number(0)?.character, &self.clips))
            }
            _ => Ok(source.clone()),
        }
    }

    /// A character by its number.
    pub fn by_number(&self, number: usize) -> Result<&DrawnCharacter> {
        let number = number.min(self.sources.len() - 1);
        if let Some(drawn) = self.drawn[number].get() {
            return Ok(drawn);
        }
        let (mut character, is_doubtful, warnings) = match &self.sources[number] {
            Loaded::Mesh(mesh) => self.rigged_mesh(mesh)?,
            Loaded::Character(character) => ((**character).clone(), false, Vec::new()),
            Loaded::Motions(_) => bail!("a motion is no character"),
        };
        character.ensure_root(self.clips.root_motion);
        let drawn = DrawnCharacter::of(character).context("cannot draw the character")?;
        Ok(self.drawn[number].get_or_init(|| DrawnCharacter { is_doubtful, warnings, ..drawn }))
    }

    /// A mesh as `animate` rigs it, whether that is doubtful, and what was found.
    fn rigged_mesh(&self, mesh: &Mesh) -> Result<(Character, bool, Vec<Warning>)> {
        let file = self.file.unwrap_or(Path::new("the built-in character"));
        let Rigging { made, refusal } = self
            .rig
            .rig((file, mesh), &self.options, Wanted::Skin, &Silent)
            .context("cannot rig the character")?;
        match (made, refusal) {
            (Made::Rigged(rigged), None) => {
                let is_doubtful = rigged.jointed.is_doubtful();
                Ok((rigged.character, is_doubtful, rigged.jointed.warnings))
            }
            (_, refusal) => Err(refusal.unwrap_or_else(|| anyhow!("'{}' has no skin", file.display()))),
        }
    }

    /// Says what was found when the character that was named was rigged, once it was.
    pub fn tell(&self, output: &mut Output) {
        let Some(file) = self.file else { return };
        for (_, character) in self.rigged() {
            output.warnings(file, &character.warnings);
            if character.is_doubtful {
                output.doubtful();
            }
        }
    }

    /// The characters that were needed, with their numbers.
    pub fn rigged(&self) -> impl Iterator<Item = (usize, &DrawnCharacter)> {
        self.drawn.iter().enumerate().filter_map(|(number, drawn)| Some((number, drawn.get()?)))
    }
}

/// Reads a character, with its skin if it has one.
fn read(path: &Path, mesh_args: &MeshArgs, output: &mut Output) -> Result<Loaded> {
    let options =
        LoadOptions { parts: mesh_args.parts(), normals: mesh_args.normals(), ..LoadOptions::default() };
    match load(path, &options) {
        Ok((Loaded::Motions(_), _)) => bail!("'{}' is a motion; a character has a surface", path.display()),
        Ok((loaded, warnings)) => {
            output.warnings(path, &warnings);
            Ok(loaded)
        }
        Err(Error::Load(error)) if matches!(error.fault.problem, Problem::SeveralCharacters { .. }) => {
            Err(error).context("a preview shows one character; save it in a file of its own")
        }
        Err(error) => Err(error.into()),
    }
}

fn built_in(bytes: &[u8]) -> Result<Loaded> {
    let mesh = io::gltf_read::read(bytes.to_vec(), &Folder::none(), &mut Vec::new());
    let mesh = mesh.map_err(|fault| fault.problem).context("a built-in character is broken")?;
    Ok(Loaded::Mesh(Box::new(mesh)))
}

impl DrawnCharacter {
    fn of(character: Character) -> Result<DrawnCharacter> {
        let skinned = character.skinned_mesh()?;
        let is_rigged_here = matches!(skinned, Cow::Borrowed(_));
        let mut skinned = skinned.into_owned();
        let glb = if is_rigged_here {
            character.document.clone().glb()?
        } else {
            // The normals of a file may be of another pose than the one that was bound.
            let (mesh, weights) = (&mut skinned.mesh, &skinned.weights);
            mesh.appearance.normals = smooth_normals(&mesh.positions, &mesh.triangles);
            let welded: Vec<u32> = (0..mesh.positions.len() as u32).collect();
            let placement = Placement::unchanged(Bounds::of(&mesh.positions).extent().y);
            let (placement, joints) = (&placement, &character.rig.joints);
            rigged_character(
                mesh,
                &SkinBinding { placement, joints, weights, welded: &welded, displacements: &[] },
            )?
            .glb()?
        };
        let drawn = drawn(skinned, &character);
        Ok(DrawnCharacter { character, drawn, glb, is_doubtful: false, warnings: Vec::new() })
    }

    /// It with a motion as `animate` bakes it, and what a person should know about that.
    pub fn animated(
        &self,
        motion: &Motion,
        options: &ClipOptions,
    ) -> Result<(AnimatedCharacter<'_>, Vec<Warning>), Error> {
        let clip = animate(&self.character, "clip", motion, options)?;
        let animated = in_motion(&self.drawn, &self.character.rig, &clip);
        Ok((animated, clip.retargeted.warnings))
    }
}
