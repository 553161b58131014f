//! From the pieces of a character to how they move.

use super::accessories::{AccessoryAttachment, bind_rigidly};
use super::evidence::{Evidence, PartsKind};
use super::limbs::Limbs;
use super::{FittedSkeleton, MAX_PIECES, Parts, PartsError};
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
pub struct Segmentation {
    /// How they move.
    pub kind: PartsKind,
    /// Why.
    pub reason: PartsReason,
    /// The pieces, where they were looked at.
    pub parts: Option<Parts>,
    /// For each of them the joint that moves it if it is rigid.
    pub joint_of_piece: Vec<usize>,
    /// Joints of rigid parts that rotate elsewhere than where they were embedded, and where.
    pub moved_joints: Vec<(usize, Vec3)>,
    /// How pieces are attached to a body that bends.
    attachment: Option<AccessoryAttachment>,
}

/// Why pieces move as they do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PartsReason {
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

impl fmt::Display for PartsReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PartsReason::Asked => f.write_str("as told"),
            PartsReason::Evidence(evidence) => evidence.fmt(f),
            PartsReason::Heap { pieces } => write!(f, "its {pieces} pieces are too many to be parts"),
        }
    }
}

impl Segmentation {
    /// Decides how the pieces of a character move; `confidences` tells how certain each joint is.
    ///
    /// # Errors
    /// If rigid parts are asked for, and there is one piece or too many.
    pub fn of(
        mesh: &PreparedMesh,
        choice: PartsChoice,
        fitted: &FittedSkeleton,
        confidences: &[f64],
    ) -> Result<Segmentation, PartsError> {
        if let Some(reason) = reason_to_bend(mesh, choice) {
            return Ok(Segmentation::without_parts(PartsKind::Soft, reason));
        }
        let parts = Parts::of(mesh)?;
        let (kind, reason) = match choice {
            PartsChoice::Rigid => (PartsKind::Rigid, PartsReason::Asked),
            PartsChoice::Auto | PartsChoice::Soft => {
                let evidence = Evidence::of(&parts.pieces, fitted, confidences);
                let kind = if evidence.is_rigid() { PartsKind::Rigid } else { PartsKind::Mixed };
                (kind, PartsReason::Evidence(evidence))
            }
        };
        let mut segmentation = Segmentation::without_parts(kind, reason);
        match kind {
            PartsKind::Rigid => segmentation.articulate(&parts, fitted, confidences),
            _ => segmentation.attachment = Some(AccessoryAttachment::of(&parts.pieces, fitted)),
        }
        segmentation.parts = Some(parts);
        Ok(segmentation)
    }

    fn without_parts(kind: PartsKind, reason: PartsReason) -> Segmentation {
        let (joint_of_piece, moved_joints) = (Vec::new(), Vec::new());
        Segmentation { kind, reason, parts: None, joint_of_piece, moved_joints, attachment: None }
    }

    /// Finds the joint of each rigid piece, and moves joints to where pieces touch.
    fn articulate(&mut self, parts: &Parts, fitted: &FittedSkeleton, confidences: &[f64]) {
        let limbs = Limbs::of(parts, fitted, confidences);
        let followed = FittedSkeleton { joints: &limbs.joints, ..*fitted };
        self.joint_of_piece = parts.assign(&followed, &limbs.exists);
        let contacts = parts.contact_positions(&self.joint_of_piece, &followed);
        let positions =
            contacts.into_iter().zip(&limbs.joints).map(|(contact, joint)| contact.unwrap_or(*joint));
        let moved = positions.enumerate().filter(|(joint, position)| *position != fitted.joints[*joint]);
        self.moved_joints = moved.collect();
    }

    /// The weights of a character whose pieces move like this; `soft` binds it as one body that bends. Also how many pieces are
    /// rigid.
    pub fn weights(&self, mesh: &PreparedMesh, soft: impl FnOnce() -> Skin) -> (Skin, usize) {
        match (&self.attachment, &self.parts) {
            (None, Some(parts)) => {
                let mut weights = SkinWeights::rigid(mesh.positions.len(), 0);
                bind_rigidly(&mut weights, parts.pieces.iter().zip(self.joint_of_piece.iter().copied()));
                let components = ComponentReport { count: parts.pieces.len(), ..ComponentReport::default() };
                let report = SkinReport { components, ..SkinReport::default() };
                (Skin { weights, report }, parts.pieces.len())
            }
            (Some(attachment), Some(parts)) => {
                let mut skin = soft();
                let rigid = attachment.rigid_accessories(&parts.pieces, &skin.weights, mesh);
                let pieces = rigid.iter().map(|&(piece, joint)| (&parts.pieces[piece], joint));
                bind_rigidly(&mut skin.weights, pieces);
                (skin, rigid.len())
            }
            _ => (soft(), 0),
        }
    }
}

/// Why a character bends whatever its pieces are like, if it does.
fn reason_to_bend(mesh: &PreparedMesh, choice: PartsChoice) -> Option<PartsReason> {
    let pieces = mesh.topology.components.len();
    match choice {
        PartsChoice::Soft => Some(PartsReason::Asked),
        PartsChoice::Auto if pieces > MAX_PIECES => Some(PartsReason::Heap { pieces }),
        PartsChoice::Auto if pieces < 2 => {
            let closed_area = f64::from(u8::from(mesh.topology.is_watertight()));
            let (cross_limb_area, limb_coverage) = (0.0, 0.0);
            Some(PartsReason::Evidence(Evidence { pieces, closed_area, cross_limb_area, limb_coverage }))
        }
        PartsChoice::Auto | PartsChoice::Rigid => None,
    }
}
