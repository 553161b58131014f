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
        match source.rigged(options.skin.as_deref()) {
            Ok((file, warnings)) => {
                let mut character = Character::of_rigged(file);
                character.document.add_normals(&options.normals)?;
                return Ok((Loaded::Character(Box::new(character)), warnings));
            }
            Err(error) if matches!(error.fault.problem, Problem::SeveralCharacters { .. }) => {
                return Err(error.into());
            }
            // Whatever is wrong, the reader of meshes says it better.
            Err(_) => {}
        }
    }
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bvh")) {
        let (motions, warnings) = source.motions()?;
        return Ok((Loaded::Motions(motions), warnings));
    }
    let (mesh, warnings) = source.into_mesh(&options.parts)?;
    Ok((Loaded::Mesh(Box::new(mesh)), warnings))
}
