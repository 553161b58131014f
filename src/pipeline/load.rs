//! What a file is: a mesh, a character that has a skin, or motions.

use super::{Character, Error};
use crate::Warning;
use crate::io::{NamedMotions, PartChoice, Problem, SourceFile};
use crate::mesh::Mesh;
use crate::mesh::normals::NormalOptions;
use std::path::Path;

/// Choices of [`load`].
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct LoadOptions {
    /// Which of several characters, by the name or the number of one of its skins.
    pub skin: Option<String>,
    /// What of a file is the character.
    pub parts: PartChoice,
    /// Normals of the surface of a character that has a skin.
    pub normals: NormalOptions,
}

/// What a file holds.
pub enum Loaded {
    /// A mesh without a skin.
    Mesh(Box<Mesh>),
    /// A character with joints and a skin, which it keeps.
    Character(Box<Character>),
    /// Motions with their names.
    Motions(NamedMotions),
}

/// Reads a file once: a character if it has a skin, else a mesh; a BVH file is a motion.
///
/// # Errors
/// If it is none of these, with the file's name, the place in it and the reason.
pub fn load(path: &Path, options: &LoadOptions) -> Result<(Loaded, Vec<Warning>), Error> {
    let source = SourceFile::open(path)?;
    if source.is_rigged() {
        match rigged(&source, options) {
            Ok((character, warnings)) => return Ok((Loaded::Character(Box::new(character)), warnings)),
            // Whatever else is wrong, the reader of meshes says it better.
            Err(Error::Load(error)) if !matches!(error.fault.problem, Problem::SeveralCharacters { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bvh")) {
        let (motions, warnings) = source.motions()?;
        return Ok((Loaded::Motions(motions), warnings));
    }
    let (mesh, warnings) = source.into_mesh(&options.parts)?;
    Ok((Loaded::Mesh(Box::new(mesh)), warnings))
}

/// Reads a character that has a skin.
///
/// # Errors
/// If it has none or cannot be read, with the file's name, the place in it and the reason.
pub fn load_character(path: &Path, options: &LoadOptions) -> Result<(Character, Vec<Warning>), Error> {
    rigged(&SourceFile::open(path)?, options)
}

fn rigged(source: &SourceFile, options: &LoadOptions) -> Result<(Character, Vec<Warning>), Error> {
    let (file, warnings) = source.rigged(options.skin.as_deref())?;
    let mut character = Character::of_rigged(file);
    character.document.add_normals(&options.normals)?;
    Ok((character, warnings))
}
