//! Whether a character is made of rigid parts, by what it is.

use super::fitted::{FittedSkeleton, is_limb};
use super::pieces::Piece;
use crate::skeleton::Skeleton;
use crate::skin::bones::{Bone, bones};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::fmt;

/// How the pieces of a character move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartsKind {
    /// Each piece moves with one joint.
    Rigid,
    /// The body bends, and rigid accessories follow it.
    Mixed,
    /// All of it bends.
    Soft,
}

impl fmt::Display for PartsKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PartsKind::Rigid => "rigid",
            PartsKind::Mixed => "mixed",
            PartsKind::Soft => "soft",
        })
    }
}

/// What speaks for rigid parts and against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// How many pieces there are.
    pub pieces: usize,
    /// Share of the surface in closed pieces, 0 to 1.
    pub closed_area: f64,
    /// Share of the surface that lies in another limb than most of its piece, and would stay behind if pieces were rigid.
    pub cross_limb_area: f64,
    /// Share of the limbs that have a piece of their own, 0 to 1.
    pub limb_coverage: f64,
}

/// Fewer pieces are a body with something on it.
const MIN_PIECES: usize = 3;
/// Largest cross-limb area, for each share of closed area, in a character of rigid parts. The robots of the corpus
/// and ours have 0 to 0.17, dressed people and plush animals with loose limbs from 0.25 on.
const MAX_CROSS_LIMB: f64 = 0.21;
/// Least limb coverage: below, nothing of a character would move but its hat and its eyes. A stout body in one
/// piece has hardly any cross-limb area.
const MIN_COVERAGE: f64 = 0.5;
/// Limbs of which a joint is less certain than this may not exist: they count as trunk.
const EXISTS: f64 = 0.15;
/// The part of a limb's first bone, from its upper end, that lies in no limb: the corners of a broad chest are nearest to it.
const ROOT_PART: f64 = 0.5;

impl Evidence {
    /// Measures the pieces of a character; `confidences` tells how certain each joint is.
    pub fn of(pieces: &[Piece], fitted: &FittedSkeleton, confidences: &[f64]) -> Evidence {
        let bones = bones(fitted.skeleton, fitted.joints);
        let limbs = limb_of_joint(fitted.skeleton, confidences);
        let shares: Vec<(usize, f64)> =
            pieces.par_iter().map(|piece| limb_of_piece(piece, &bones, &limbs)).collect();
        let crossing: f64 = pieces.iter().zip(&shares).map(|(piece, (_, others))| piece.area * others).sum();
        let area: f64 = pieces.iter().map(|piece| piece.area).sum();
        // From zero on: the sum of nothing is -0, and would be printed so.
        let closed = pieces.iter().filter(|piece| piece.is_closed).fold(0.0, |sum, piece| sum + piece.area);
        Evidence {
            pieces: pieces.len(),
            closed_area: closed / area,
            cross_limb_area: crossing / area,
            limb_coverage: coverage(&limbs, &shares),
        }
    }

    /// Whether the pieces are rigid parts.
    pub fn is_rigid(&self) -> bool {
        self.pieces >= MIN_PIECES
            && self.cross_limb_area <= MAX_CROSS_LIMB * self.closed_area
            && self.limb_coverage >= MIN_COVERAGE
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Evidence { pieces, closed_area, cross_limb_area, .. } = self;
        if *pieces == 1 {
            return f.write_str("it is one piece");
        }
        let (closed, crossing) = (100.0 * closed_area, 100.0 * cross_limb_area);
        write!(
            f,
            "{pieces} pieces, {closed:.0} % of the surface in closed ones, {crossing:.0} % of it across limbs"
        )
    }
}

/// The limb of every joint: the joint with which it begins, or the root for the trunk. Collar bones lie in the trunk.
pub(super) fn limb_of_joint(skeleton: &Skeleton, confidences: &[f64]) -> Vec<usize> {
    let mut limbs: Vec<usize> = Vec::with_capacity(skeleton.joints.len());
    for (index, joint) in skeleton.joints.iter().enumerate() {
        let above = joint.parent.map_or(0, |parent| limbs[parent]);
        limbs.push(match above {
            _ if !is_limb(joint) || confidences[index] < EXISTS => 0,
            0 => index,
            limb => limb,
        });
    }
    limbs
}

/// The limb in which most of a piece lies, and the share that lies in others.
fn limb_of_piece(piece: &Piece, bones: &[Bone], limbs: &[usize]) -> (usize, f64) {
    let mut counts = vec![0usize; limbs.len()];
    for sample in &piece.samples {
        let nearest = bones.iter().map(|bone| (bone, (sample - bone.nearest(sample)).norm_squared()));
        let Some((bone, _)) = nearest.min_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        let limb = limbs[bone.owner];
        let along = (bone.nearest(sample) - bone.from).norm();
        if limb == 0 || limb != bone.owner || along > ROOT_PART * (bone.to - bone.from).norm() {
            counts[limb] += 1;
        }
    }
    let limb = (0..counts.len()).max_by_key(|&limb| (counts[limb], Reverse(limb))).unwrap_or(0);
    let most = counts.get(limb).copied().unwrap_or(0);
    (limb, (counts.iter().sum::<usize>() - most) as f64 / piece.samples.len() as f64)
}

/// The share of limbs in which most of some piece lies; one if there are no limbs.
fn coverage(limbs: &[usize], limb_of_piece: &[(usize, f64)]) -> f64 {
    let mut has_piece = vec![false; limbs.len()];
    limb_of_piece.iter().for_each(|&(limb, _)| has_piece[limb] = true);
    let all: Vec<usize> = (1..limbs.len()).filter(|&joint| limbs[joint] == joint).collect();
    if all.is_empty() {
        return 1.0;
    }
    all.iter().filter(|&&limb| has_piece[limb]).count() as f64 / all.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_pieces_within_limbs_are_rigid_and_cloth_bodies_and_soup_are_not() {
        let is_rigid = |pieces, closed_area, cross_limb_area| {
            Evidence { pieces, closed_area, cross_limb_area, limb_coverage: 1.0 }.is_rigid()
        };
        assert!(is_rigid(60, 1.0, 0.1) && is_rigid(20, 0.2, 0.01));
        assert!(!is_rigid(60, 1.0, 0.3), "limbs in one piece");
        assert!(!is_rigid(30, 0.5, 0.15), "clothes");
        assert!(!is_rigid(2, 1.0, 0.0), "a ball with a hat");
        assert!(!is_rigid(5000, 0.0, 1e-6), "triangle soup");
        let stout = Evidence { pieces: 3, closed_area: 1.0, cross_limb_area: 0.19, limb_coverage: 0.0 };
        assert!(!stout.is_rigid(), "a stout body with a hat");
    }
}
