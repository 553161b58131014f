//! From a mesh to a character, or to a refusal: what `rig`, `animate` and `preview` have in common.

use super::rig_args::RigArgs;
use crate::mesh::Mesh;
use crate::pipeline::{Jointed, Progress, RigOptions, Rigged, place_joints};
use anyhow::{Error, Result};
use std::path::Path;

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
    /// Rigs a mesh. One that is refused has its joints, which show why, and is not bound unless binding it was what made it doubtful.
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
        if refusal.is_some() || wanted == Wanted::Joints {
            return Ok(Rigging { made: Made::Jointed(Box::new(jointed)), refusal });
        }
        // Pieces that come apart make it less certain.
        let rigged = jointed.bind(mesh, options, progress).map_err(explain)?;
        let refusal = self.check_confidence(&rigged.jointed, file).err();
        Ok(Rigging { made: Made::Rigged(Box::new(rigged)), refusal })
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
