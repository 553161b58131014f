//! Whether a character is made of rigid parts, by what it is.

use super::assign::{Figure, is_collar_bone};
use super::pieces::Piece;
use crate::skeleton::Skeleton;
use crate::skin::bones::{Bone, bones};
use rayon::prelude::*;
use std::fmt;

/// How the pieces of a character move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Each piece moves with one joint.
    Rigid,
    /// The body bends, and small solid pieces ride on it.
    Mixed,
    /// All of it bends.
    Soft,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Rigid => "rigid",
            Kind::Mixed => "mixed",
            Kind::Soft => "soft",
        })
    }
}

/// What speaks for rigid parts and against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// How many pieces there are.
    pub pieces: usize,
    /// Share of the surface in pieces without holes, 0 to 1.
    pub closed: f64,
    /// Share of the surface that lies in another limb than the rest of its piece, and would stay behind if pieces were rigid.
    pub torn: f64,
    /// Share of the limbs that have a piece of their own, 0 to 1.
    pub led: f64,
}

/// Fewer pieces are a body with something on it.
const MIN_PIECES: usize = 3;
/// Largest share of torn surface, for each share of closed surface, in a character of rigid parts. The robots of the corpus
/// and ours have 0 to 0.17, dressed people and plush animals with loose limbs from 0.25 on.
const MAX_TORN: f64 = 0.21;
/// Least share of limbs with a piece of their own: without, nothing of a character would move but its hat and its eyes. A stout body in one
/// piece is hardly torn.
const MIN_LED: f64 = 0.5;
/// Limbs of which a joint is less certain than this may not exist: nothing is torn off them.
const EXISTS: f64 = 0.15;

impl Evidence {
    /// Weighs the pieces of a character in which a skeleton stands; `confidences` tells how far each joint is to be trusted.
    pub fn of(pieces: &[Piece], figure: &Figure, confidences: &[f64]) -> Evidence {
        let bones = bones(figure.skeleton, figure.joints);
        let limbs = limbs(figure.skeleton, confidences);
        let shares: Vec<(usize, f64)> =
            pieces.par_iter().map(|piece| limb_of(piece, &bones, &limbs)).collect();
        let torn: f64 = pieces.iter().zip(&shares).map(|(piece, (_, torn))| piece.area * torn).sum();
        let area: f64 = pieces.iter().map(|piece| piece.area).sum();
        let mut has_piece = vec![false; limbs.len()];
        shares.iter().for_each(|&(limb, _)| has_piece[limb] = true);
        let all: Vec<usize> = (1..limbs.len()).filter(|&joint| limbs[joint] == joint).collect();
        let led = all.iter().filter(|&&limb| has_piece[limb]).count() as f64 / all.len().max(1) as f64;
        // From zero on: the sum of nothing is -0, and would be printed so.
        let closed = pieces.iter().filter(|piece| piece.is_closed).fold(0.0, |sum, piece| sum + piece.area);
        let led = if all.is_empty() { 1.0 } else { led };
        Evidence { pieces: pieces.len(), closed: closed / area, torn: torn / area, led }
    }

    /// Whether the pieces are rigid parts.
    pub fn is_rigid(&self) -> bool {
        self.pieces >= MIN_PIECES && self.torn <= MAX_TORN * self.closed && self.led >= MIN_LED
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Evidence { pieces, closed, torn, .. } = self;
        if *pieces == 1 {
            return f.write_str("it is one piece");
        }
        let (closed, torn) = (100.0 * closed, 100.0 * torn);
        write!(
            f,
            "{pieces} pieces, {closed:.0} % of the surface in closed ones, {torn:.0} % of it across limbs"
        )
    }
}

/// The limb of every joint: the joint with which it begins, or the root for the trunk. Collar bones lie in the trunk.
pub(super) fn limbs(skeleton: &Skeleton, confidences: &[f64]) -> Vec<usize> {
    let mut limbs: Vec<usize> = Vec::with_capacity(skeleton.joints.len());
    for (index, joint) in skeleton.joints.iter().enumerate() {
        let above = joint.parent.map_or(0, |parent| limbs[parent]);
        let is_trunk = joint.partner.is_none() || is_collar_bone(joint) || confidences[index] < EXISTS;
        limbs.push(match above {
            _ if is_trunk => 0,
            0 => index,
            limb => limb,
        });
    }
    limbs
}

/// The limb in which most of a piece lies, and the share that lies in others. The upper half of a limb's first bone is in no limb: the corners
/// of a broad chest are nearest to it.
fn limb_of(piece: &Piece, bones: &[Bone], limbs: &[usize]) -> (usize, f64) {
    let mut counts = vec![0usize; limbs.len()];
    for sample in &piece.samples {
        let distance = |bone: &Bone| (sample - bone.nearest(sample)).norm_squared();
        let nearest = bones.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let Some(bone) = nearest else { continue };
        let limb = limbs[bone.owner];
        let along = (bone.nearest(sample) - bone.from).norm();
        if limb == 0 || limb != bone.owner || along > 0.5 * (bone.to - bone.from).norm() {
            counts[limb] += 1;
        }
    }
    let limb = (0..counts.len()).max_by_key(|&limb| (counts[limb], std::cmp::Reverse(limb))).unwrap_or(0);
    let most = counts.get(limb).copied().unwrap_or(0);
    (limb, (counts.iter().sum::<usize>() - most) as f64 / piece.samples.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_pieces_within_limbs_are_rigid_and_cloth_bodies_and_soup_are_not() {
        let is_rigid = |pieces, closed, torn| Evidence { pieces, closed, torn, led: 1.0 }.is_rigid();
        assert!(is_rigid(60, 1.0, 0.1) && is_rigid(20, 0.2, 0.01));
        assert!(!is_rigid(60, 1.0, 0.3), "limbs in one piece");
        assert!(!is_rigid(30, 0.5, 0.15), "clothes");
        assert!(!is_rigid(2, 1.0, 0.0), "a ball with a hat");
        assert!(!is_rigid(5000, 0.0, 1e-6), "triangle soup");
        assert!(
            !Evidence { pieces: 3, closed: 1.0, torn: 0.19, led: 0.0 }.is_rigid(),
            "a stout body with a hat"
        );
    }
}
