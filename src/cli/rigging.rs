//! From a mesh to a character, or to a refusal: what `rig`, `animate` and `preview` have in common.

use super::refusal::forget_assumptions;
use super::rig_args::RigArgs;
use super::save;
use crate::Image;
use crate::embed::census::Census;
use crate::embed::voxels::VoxelVolume;
use crate::io;
use crate::mesh::Mesh;
use crate::parts::PartsKind;
use crate::pipeline::{Jointed, Progress, RigOptions, Rigged, place_joints};
use crate::preview::{draw_limbs, draw_parts, draw_stages};
use anyhow::{Error, Result};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// What is made of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    Joints,
    Skin,
}

/// A mesh with joints, bound where a skin was wanted and nothing spoke against it.
pub enum Made {
    Jointed(Box<Jointed>),
    Rigged(Box<Rigged>),
}

/// What became of a mesh, and why it must not be written, if it must not.
pub struct Rigging {
    pub made: Made,
    pub refusal: Option<Error>,
}

impl RigArgs {
    /// Rigs a mesh. One that is refused has its joints, which show why.
    pub fn rig(
        &self,
        (file, mesh): (&Path, &Mesh),
        options: &RigOptions,
        wanted: Wanted,
        progress: &dyn Progress,
    ) -> Result<Rigging> {
        let explain = |error| self.explain(error, file);
        let jointed = place_joints(mesh, options, progress).map_err(explain)?;
        let refusal = self.check_confidence(&jointed, file).err();
        // Pieces that come apart when they are bound make it less certain, whatever is written.
        let is_whole = jointed.parts.parts.is_none();
        // A library moves joints.
        let is_done = wanted == Wanted::Joints && options.body_parts.is_none();
        if is_whole && (refusal.is_some() || is_done) {
            return Ok(Rigging::of(Made::Jointed(Box::new(jointed)), refusal));
        }
        let rigged = jointed.bind(mesh, options, progress).map_err(explain)?;
        let refusal = self.check_confidence(&rigged.jointed, file).err();
        let made = match wanted {
            Wanted::Joints => Made::Jointed(Box::new(rigged.jointed)),
            Wanted::Skin => Made::Rigged(Box::new(rigged)),
        };
        Ok(Rigging::of(made, refusal))
    }
}

impl Rigging {
    fn of(mut made: Made, refusal: Option<Error>) -> Rigging {
        if refusal.is_some() {
            forget_assumptions(made.jointed_mut());
        }
        Rigging { made, refusal }
    }
}

impl Made {
    pub fn jointed(&self) -> &Jointed {
        match self {
            Made::Jointed(jointed) => jointed,
            Made::Rigged(rigged) => &rigged.jointed,
        }
    }

    pub fn jointed_mut(&mut self) -> &mut Jointed {
        match self {
            Made::Jointed(jointed) => jointed,
            Made::Rigged(rigged) => &mut rigged.jointed,
        }
    }

    pub fn into_jointed(self) -> Jointed {
        match self {
            Made::Jointed(jointed) => *jointed,
            Made::Rigged(rigged) => rigged.jointed,
        }
    }

    pub fn rigged(&self) -> Option<&Rigged> {
        match self {
            Made::Jointed(_) => None,
            Made::Rigged(rigged) => Some(rigged),
        }
    }
}

/// Writes an image of each stage of the embedding, of the contact graph of rigid parts, and of the limbs that the shape shows.
pub fn save_stages(folder: &Path, jointed: &Jointed) -> Result<()> {
    let mut images: Vec<(&str, Image)> = match jointed.joints.found() {
        Some((embedding, stages)) => draw_stages(&jointed.prepared, stages, embedding),
        None if jointed.joints.made().is_some() => Vec::new(),
        None => return Ok(()),
    };
    if let (PartsKind::Rigid, Some(parts)) = (jointed.parts.kind, &jointed.parts.parts) {
        images.extend(draw_parts(&jointed.prepared, parts, &jointed.parts.joint_of_piece));
    }
    let census = Census::of(&VoxelVolume::of(&jointed.prepared));
    images.push(("12-limbs", draw_limbs(&jointed.prepared, &census)));
    let files = images.into_par_iter();
    let files = files.map(|(name, image)| (folder.join(format!("{name}.png")), io::write_png(&image)));
    let files: Vec<(PathBuf, Vec<u8>)> = files.collect();
    save::make_folder(folder)?;
    save::save_all(&files)
}
