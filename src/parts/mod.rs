//! Characters made of many rigid pieces, such as robots and toys: bending their steel like rubber is wrong.
//!
//! After Bharaj, Thormählen, Seidel and Theobalt 2012, "Automatically Rigging Multi-component Characters", one file for each step, in
//! this order: [`pieces`], [`contacts`] (with [`oriented_box`]), [`clusters`] and [`tree`] make the **contact graph** and two trees of it;
//! [`limbs`] corrects limbs that the shape hid, [`mod@assign`] says which joint moves which piece, [`joints`] where it rotates.
//! [`classify`] tells what each piece is and whether the character is a machine at all, by the bones ([`segments`]) that it lies around
//! ([`enclosure`]); [`segmentation`] runs all steps.
//!
//! The paper makes a skeleton of its own out of the tree and maps a motion's skeleton to it. Here the skeleton that was embedded in
//! the body is taken, because its limbs are right more often, and so are its names: a rig of parts is a rig like any other. What
//! the parts know better is where limbs rotate, and which piece belongs to which limb.

pub mod assign;
pub mod classify;
pub mod clusters;
pub mod contacts;
pub mod enclosure;
mod fitted;
pub mod joints;
pub mod limbs;
pub mod oriented_box;
pub mod parting;
pub mod pieces;
pub mod segmentation;
pub mod segments;
pub mod tree;

pub use classify::{PieceClass, PieceClasses, PieceReason};
pub use fitted::FittedSkeleton;
pub use segmentation::{PartsChoice, PartsKind, PartsReason, Segmentation};

use crate::Remedy;
use crate::math::Vec3;
use clusters::{Clusters, Coarseness};
use contacts::Contact;
use pieces::Piece;
use thiserror::Error;
use tree::{PartsTree, betweenness};

/// More pieces than this are a heap and not a character.
pub const MAX_PIECES: usize = 10_000;

/// The pieces of a character and how they touch.
pub struct Parts {
    /// Its pieces.
    pub pieces: Vec<Piece>,
    /// Where they touch, or are bridged.
    pub contacts: Vec<Contact>,
    /// The piece that most shortest paths between others lead through.
    pub root: usize,
    /// The high-resolution tree: what is connected twice is one node.
    pub high: PartsTree,
    /// The low-resolution tree: its branches are limbs.
    pub low: PartsTree,
}

/// A character cannot be segmented into rigid parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PartsError {
    /// There are too many pieces.
    #[error(
        "it has {pieces} separate pieces, more than the {MAX_PIECES} that rigid parts may be; join them, or {}",
        Remedy::SoftParts
    )]
    TooMany {
        /// How many.
        pieces: usize,
    },
    /// There is only one piece.
    #[error(
        "it is one piece, which would not move at all as a rigid part; {}, or separate its parts",
        Remedy::SoftParts
    )]
    One,
}

impl PartsError {
    /// What would help.
    pub fn remedy(&self) -> Remedy {
        Remedy::SoftParts
    }
}

impl Parts {
    /// How the pieces of a character touch.
    ///
    /// # Errors
    /// If there is one piece only, or more than [`MAX_PIECES`].
    pub fn of(pieces: Vec<Piece>) -> Result<Parts, PartsError> {
        match pieces.len() {
            ..2 => return Err(PartsError::One),
            2..=MAX_PIECES => {}
            pieces => return Err(PartsError::TooMany { pieces }),
        }
        let contacts = contacts::contacts(&pieces);
        let between = betweenness(pieces.len(), &contacts);
        let numbers = 0..pieces.len();
        let root = numbers.max_by(|&a, &b| between[a].total_cmp(&between[b]).then(b.cmp(&a))).unwrap_or(0);
        let height = height(&pieces);
        let mut clusters = Clusters::of(&pieces, &contacts, height);
        clusters.collapse(&Coarseness::HIGH_RESOLUTION);
        let high = PartsTree::of(&clusters, root);
        clusters.collapse(&Coarseness::LOW_RESOLUTION);
        let low = PartsTree::of(&clusters, root);
        Ok(Parts { pieces, contacts, root, high, low })
    }

    /// How many contacts only bridge a gap.
    pub fn gaps(&self) -> usize {
        self.contacts.iter().filter(|contact| contact.gap > 0.0).count()
    }

    /// The joint that moves each piece, among those that exist; see [`assign::assign`].
    pub fn assign(&self, fitted: &FittedSkeleton, exists: &[bool]) -> Vec<usize> {
        assign::assign(&self.pieces, &self.contacts, fitted, exists)
    }

    /// Where the joints rotate; see [`joints::contact_positions`].
    pub fn contact_positions(&self, joint_of_piece: &[usize], fitted: &FittedSkeleton) -> Vec<Option<Vec3>> {
        let pivots = joints::pivots(&self.pieces, &self.contacts, joint_of_piece);
        joints::contact_positions(&self.contacts, joint_of_piece, &pivots, fitted)
    }
}

fn height(pieces: &[Piece]) -> f64 {
    let low = pieces.iter().map(|piece| piece.bounds.min.y).fold(f64::INFINITY, f64::min);
    let high = pieces.iter().map(|piece| piece.bounds.max.y).fold(f64::NEG_INFINITY, f64::max);
    (high - low).max(0.0)
}
