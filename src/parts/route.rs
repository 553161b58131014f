//! From the pieces of a character to how they move.

use super::kind::{Evidence, Kind};
use super::limbs::Limbs;
use super::skin::{Wearing, accessories, hold_pieces};
use super::{Figure, MAX_PIECES, Parts, PartsError};
use crate::math::Vec3;
use crate::mesh::prepare::PreparedMesh;
use crate::rig::SkinWeights;
use crate::skin::{ComponentReport, Skin, SkinReport};
use std::fmt;

/// What the caller wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartsChoice {
    /// What the mesh is decides.
    #[default]
    Auto,
    /// Every piece moves with one joint.
    Rigid,
    /// Everything bends.
    Soft,
}

/// How the pieces of a character move, and why.
pub struct PartsRoute {
    /// How they move.
    pub kind: Kind,
    /// Why.
    pub reason: Reason,
    /// The pieces, where they were looked at.
    pub parts: Option<Parts>,
    /// For each of them the joint that moves it if it is rigid.
    pub joint_of_piece: Vec<usize>,
    /// Joints of rigid parts that turn elsewhere than where the skeleton stands, and where.
    pub places: Vec<(usize, Vec3)>,
    /// How the pieces of a body that bends are worn.
    wearing: Option<Wearing>,
}

/// Why pieces move as they do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reason {
    /// The caller asked for it.
    Asked,
    /// What the pieces are like.
    Evidence(Evidence),
    /// There are so many pieces that they are a heap.
    Heap {
        /// How many.
        pieces: usize,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Asked => f.write_str("as told"),
            Reason::Evidence(evidence) => evidence.fmt(f),
            Reason::Heap { pieces } => write!(f, "its {pieces} pieces are too many to be parts"),
        }
    }
}

impl PartsRoute {
    /// Decides how the pieces of a character move in which a skeleton stands. `confidences` tells how far each joint is to be
    /// trusted.
    ///
    /// # Errors
    /// If rigid parts are asked for, and there is one piece or too many.
    pub fn of(
        mesh: &PreparedMesh,
        choice: PartsChoice,
        figure: &Figure,
        confidences: &[f64],
    ) -> Result<PartsRoute, PartsError> {
        let count = mesh.topology.components.len();
        let soft = |reason| PartsRoute {
            kind: Kind::Soft,
            reason,
            parts: None,
            joint_of_piece: Vec::new(),
            places: Vec::new(),
            wearing: None,
        };
        match choice {
            PartsChoice::Soft => return Ok(soft(Reason::Asked)),
            PartsChoice::Auto if count > MAX_PIECES => return Ok(soft(Reason::Heap { pieces: count })),
            PartsChoice::Auto if count < 2 => {
                let closed = f64::from(u8::from(mesh.topology.is_watertight()));
                return Ok(soft(Reason::Evidence(Evidence { pieces: count, closed, torn: 0.0, led: 0.0 })));
            }
            PartsChoice::Auto | PartsChoice::Rigid => {}
        }
        let parts = Parts::of(mesh)?;
        let (kind, reason) = if choice == PartsChoice::Rigid {
            (Kind::Rigid, Reason::Asked)
        } else {
            let evidence = parts.evidence(figure, confidences);
            (if evidence.is_rigid() { Kind::Rigid } else { Kind::Mixed }, Reason::Evidence(evidence))
        };
        let mut route = PartsRoute { kind, ..soft(reason) };
        if kind == Kind::Mixed {
            route.wearing = Some(Wearing::of(&parts.pieces, figure));
        }
        if kind == Kind::Rigid {
            let limbs = Limbs::of(&parts, figure, confidences);
            let followed = Figure { joints: &limbs.joints, ..*figure };
            route.joint_of_piece = parts.assign(&followed, &limbs.exists);
            let touching = parts.contact_places(&route.joint_of_piece, &followed);
            let places =
                touching.into_iter().zip(&limbs.joints).map(|(place, joint)| place.unwrap_or(*joint));
            let moved = places.enumerate().filter(|(joint, place)| *place != figure.joints[*joint]);
            route.places = moved.collect();
        }
        route.parts = Some(parts);
        Ok(route)
    }

    /// The weights of a character whose pieces move like this; `soft` binds it as one body that bends. Also how many pieces ride
    /// rigidly.
    pub fn weights(&self, mesh: &PreparedMesh, soft: impl FnOnce() -> Skin) -> (Skin, usize) {
        match (&self.wearing, &self.parts) {
            (None, Some(parts)) => {
                let mut weights = SkinWeights::rigid(mesh.positions.len(), 0);
                hold_pieces(&mut weights, parts.pieces.iter().zip(self.joint_of_piece.iter().copied()));
                let components = ComponentReport { count: parts.pieces.len(), ..ComponentReport::default() };
                let report = SkinReport { components, ..SkinReport::default() };
                (Skin { weights, report }, parts.pieces.len())
            }
            (Some(wearing), Some(parts)) => {
                let mut skin = soft();
                let riding = accessories(&parts.pieces, &skin.weights, mesh, wearing);
                let held = riding.iter().map(|&(piece, joint)| (&parts.pieces[piece], joint));
                hold_pieces(&mut skin.weights, held);
                (skin, riding.len())
            }
            _ => (soft(), 0),
        }
    }
}
