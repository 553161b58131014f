//! Limbs along chains of pieces, where the shape of the body misled the embedding: Bharaj et al. 2012, section 3.4.
//!
//! The legs of a walker leave its body at the side, and its arms are missing. Seen from outside, the thighs are then part of
//! a broad pelvis, or they are arms. The contact graph tells: a limb is the chain from the piece at its tip to where the chains of left
//! and right limbs meet, which is the trunk. Of two limbs that claim a chain the more certain one has it, and the other does not exist.
//! Joints are matched with the contacts of the chain, in order, by how far along the limb they are (K_Perc of equation 8).

use super::Parts;
use super::assign::{TreePiece, spanning_tree};
use super::fitted::{FittedSkeleton, is_girdle, is_limb, mirrored};
use crate::math::Vec3;
use crate::skeleton::Skeleton;
use std::iter::successors;

/// A limb whose first joint is more certain than this keeps the joints of the embedding.
const CERTAIN: f64 = 0.5;
/// A limb was misread if it seems to begin this part of its chain away from the trunk. Shoulder pads and hip joints take up to a sixth.
const MISREAD: f64 = 0.25;
/// The cost, in parts of the limb, of a joint without a contact of its own.
const UNMATCHED: f64 = 0.2;

/// What the contact graph says about limbs.
pub struct Limbs {
    /// The position of each joint.
    pub joints: Vec<Vec3>,
    /// Whether each joint has anything to move.
    pub exists: Vec<bool>,
}

/// One limb of a skeleton, and the pieces between its tip and the trunk.
struct Chain {
    /// Its joints from the first to the tip.
    joints: Vec<usize>,
    /// How certain the first is.
    confidence: f64,
    /// Whether it is the second of its pair.
    is_second: bool,
    /// The pieces from the tip to the trunk.
    pieces: Vec<usize>,
    /// Where each touches the next.
    contacts: Vec<Vec3>,
}

impl Limbs {
    /// Follows the pieces of all limbs that are uncertain.
    pub fn of(parts: &Parts, fitted: &FittedSkeleton, confidences: &[f64]) -> Limbs {
        let mut limbs = Limbs { joints: fitted.joints.to_vec(), exists: vec![true; fitted.joints.len()] };
        let mut chains = chains(parts, fitted, confidences);
        if chains.iter().all(|chain| chain.confidence >= CERTAIN) {
            return limbs;
        }
        // The most certain first: they keep what several claim.
        chains.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.joints.cmp(&b.joints)));
        let mut is_taken = vec![false; parts.pieces.len()];
        for chain in &chains {
            let is_free = chain.pieces.iter().all(|&piece| !is_taken[piece]);
            chain.pieces.iter().for_each(|&piece| is_taken[piece] = true);
            if chain.confidence >= CERTAIN {
                continue;
            }
            if chain.pieces.is_empty() || !is_free {
                limbs.drop(fitted.skeleton, &chain.joints);
            } else if chain.pieces.len() > 1 && chain.start_fraction(fitted) > MISREAD {
                for (joint, position) in chain.matched(fitted) {
                    limbs.joints[joint] = position;
                }
            }
        }
        limbs.make_symmetric(fitted);
        limbs
    }

    fn drop(&mut self, skeleton: &Skeleton, joints: &[usize]) {
        joints.iter().for_each(|&joint| self.exists[joint] = false);
        let above = skeleton.joints[joints[0]].parent;
        if let Some(girdle) = above.filter(|&joint| is_girdle(&skeleton.joints[joint])) {
            self.exists[girdle] = false;
        }
    }

    /// The two sides of a symmetric character are mirror images.
    fn make_symmetric(&mut self, fitted: &FittedSkeleton) {
        let Some(plane) = fitted.plane else { return };
        for (joint, data) in fitted.skeleton.joints.iter().enumerate() {
            let Some(partner) = data.partner.filter(|&partner| partner > joint) else { continue };
            let exists = self.exists[joint] && self.exists[partner];
            (self.exists[joint], self.exists[partner]) = (exists, exists);
            let position = (self.joints[joint] + mirrored(&self.joints[partner], plane)) * 0.5;
            (self.joints[joint], self.joints[partner]) = (position, mirrored(&position, plane));
        }
    }
}

/// The chains of all limbs that have a partner, without the trunk.
fn chains(parts: &Parts, fitted: &FittedSkeleton, confidences: &[f64]) -> Vec<Chain> {
    let mut parents: Vec<Option<(usize, Vec3)>> = vec![None; parts.pieces.len()];
    for TreePiece { piece, parent } in spanning_tree(parts.pieces.len(), &parts.contacts, parts.root) {
        parents[piece] = parent;
    }
    let starts = (0..fitted.joints.len()).filter(|&joint| is_start(fitted.skeleton, joint));
    let mut chains: Vec<Chain> =
        starts.map(|start| Chain::of(start, parts, &parents, fitted, confidences[start])).collect();
    // Pieces in the chains of left and right limbs are the trunk.
    let mut sides = vec![[false; 2]; parts.pieces.len()];
    for chain in &chains {
        chain.pieces.iter().for_each(|&piece| sides[piece][usize::from(chain.is_second)] = true);
    }
    for chain in &mut chains {
        let length = chain.pieces.iter().take_while(|&&piece| sides[piece] != [true; 2]).count();
        chain.pieces.truncate(length);
        chain.contacts.truncate(length);
    }
    chains
}

/// Whether a limb of a pair begins with a joint.
fn is_start(skeleton: &Skeleton, joint: usize) -> bool {
    let joint = &skeleton.joints[joint];
    is_limb(joint) && !joint.parent.is_some_and(|parent| is_limb(&skeleton.joints[parent]))
}

/// The piece whose surface is nearest to a point.
fn nearest_piece(parts: &Parts, point: &Vec3) -> usize {
    let mut best = (f64::INFINITY, parts.root);
    for (number, piece) in parts.pieces.iter().enumerate() {
        if let Some(near) = piece.tree.nearest_within(point, best.0)
            && near.distance < best.0
        {
            best = (near.distance, number);
        }
    }
    best.1
}

impl Chain {
    /// The chain of the limb that begins with a joint, up to the root of the tree.
    fn of(
        start: usize,
        parts: &Parts,
        parents: &[Option<(usize, Vec3)>],
        fitted: &FittedSkeleton,
        confidence: f64,
    ) -> Chain {
        let joints = &fitted.skeleton.joints;
        let joints: Vec<usize> = successors(Some(start), |&joint| joints.first_child(joint)).collect();
        let tip = nearest_piece(parts, &fitted.joints[joints[joints.len() - 1]]);
        let pieces: Vec<usize> =
            successors(Some(tip), |&piece| parents[piece].map(|(parent, _)| parent)).collect();
        let contacts =
            pieces.iter().filter_map(|&piece| parents[piece].map(|(_, contact)| contact)).collect();
        let is_second = fitted.skeleton.joints[start].partner.is_some_and(|partner| partner < start);
        Chain { joints, confidence, is_second, pieces, contacts }
    }

    /// The path along the chain: from the trunk over the contacts to the tip.
    fn path(&self, fitted: &FittedSkeleton) -> Path {
        let tip = fitted.joints[self.joints[self.joints.len() - 1]];
        Path::of(self.contacts.iter().rev().copied().chain([tip]).collect())
    }

    /// The part of the chain above where the embedding lets the limb begin.
    fn start_fraction(&self, fitted: &FittedSkeleton) -> f64 {
        self.path(fitted).nearest_fraction(&fitted.joints[self.joints[0]])
    }

    /// The joints of the limb but for its tip, at the contacts that are as far along: the first at the trunk, the others in
    /// order by dynamic programming.
    fn matched(&self, fitted: &FittedSkeleton) -> Vec<(usize, Vec3)> {
        let path = self.path(fitted);
        let rest = self.joints.iter().map(|&joint| fitted.skeleton.joints[joint].position);
        let wanted = Path::of(rest.collect()).fractions;
        let table = match_costs(&wanted, &path.fractions);
        let mut positions = vec![(self.joints[0], path.points[0])];
        let (mut j, mut c) = (wanted.len() - 1, path.points.len() - 1);
        while j > 1 {
            let joint = self.joints[j - 1];
            if table[j][c].1 {
                positions.push((joint, path.points[c - 1]));
                (j, c) = (j - 1, c - 1);
            } else if c > 1 && table[j][c - 1].0 <= table[j][c].0 {
                c -= 1;
            } else {
                positions.push((joint, path.at(wanted[j - 1])));
                j -= 1;
            }
        }
        positions
    }
}

/// The least cost of matching the first `j` joints with the first `c` contacts, and whether the last joint takes the last contact.
/// Joints and contacts are given by how far along they are; the tips at the end are not matched.
fn match_costs(joints: &[f64], contacts: &[f64]) -> Vec<Vec<(f64, bool)>> {
    let mut table = vec![vec![(0.0, false); contacts.len()]; joints.len()];
    for j in 2..joints.len() {
        table[j][1] = (table[j - 1][1].0 + UNMATCHED, false);
        for c in 2..contacts.len() {
            let other = (table[j - 1][c].0 + UNMATCHED).min(table[j][c - 1].0);
            let matched = table[j - 1][c - 1].0 + (contacts[c - 1] - joints[j - 1]).abs();
            table[j][c] = (other.min(matched), matched < other);
        }
    }
    table
}

/// A polyline.
struct Path {
    points: Vec<Vec3>,
    /// How far along each point is, 0 to 1.
    fractions: Vec<f64>,
}

impl Path {
    fn of(points: Vec<Vec3>) -> Path {
        let mut lengths = vec![0.0];
        for ends in points.windows(2) {
            lengths.push(lengths[lengths.len() - 1] + (ends[1] - ends[0]).norm());
        }
        let whole = lengths[lengths.len() - 1].max(f64::MIN_POSITIVE);
        Path { points, fractions: lengths.iter().map(|length| length / whole).collect() }
    }

    /// How far along the point of the path is that is nearest to a point.
    fn nearest_fraction(&self, point: &Vec3) -> f64 {
        let mut best = (f64::INFINITY, 0.0);
        for (ends, fractions) in self.points.windows(2).zip(self.fractions.windows(2)) {
            let side = ends[1] - ends[0];
            let t = (point - ends[0]).dot(&side) / side.norm_squared().max(f64::MIN_POSITIVE);
            let t = t.clamp(0.0, 1.0);
            let distance = (ends[0] + side * t - point).norm();
            if distance < best.0 {
                best = (distance, fractions[0] + (fractions[1] - fractions[0]) * t);
            }
        }
        best.1
    }

    /// The point that is so far along.
    fn at(&self, fraction: f64) -> Vec3 {
        let Path { points, fractions } = self;
        let next = fractions.iter().position(|&f| f >= fraction).unwrap_or(points.len() - 1).max(1);
        let t =
            (fraction - fractions[next - 1]) / (fractions[next] - fractions[next - 1]).max(f64::MIN_POSITIVE);
        points[next - 1].lerp(&points[next], t.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::skeleton_file;
    use crate::skeleton::built_in;

    #[test]
    fn joints_of_a_limb_take_the_contacts_that_are_as_far_along() {
        let human = skeleton_file::read(built_in()[0].text).unwrap();
        let mut joints: Vec<Vec3> = human.joints.iter().map(|joint| joint.position).collect();
        let find = |name: &str| human.find(name).unwrap();
        let names = ["LeftUpperLeg", "LeftLowerLeg", "LeftFoot", "LeftToes", "LeftToeTip"];
        let limb = names.map(find);
        // A leg straight down whose pieces touch at 0 (the trunk), 0.2, 0.5 and 0.8; it seems to begin at its knee.
        let at = |y: f64| Vec3::new(0.5, 1.0 - y, 0.0);
        joints[limb[4]] = at(1.0);
        joints[limb[0]] = at(0.5);
        let fitted = FittedSkeleton { skeleton: &human, joints: &joints, height: 1.0, plane: None };
        let mut chain = Chain {
            joints: limb.to_vec(),
            confidence: 0.1,
            is_second: false,
            pieces: vec![3, 2, 1, 0],
            contacts: [0.8, 0.5, 0.2, 0.0].map(at).to_vec(),
        };
        assert!((chain.start_fraction(&fitted) - 0.5).abs() < 1e-12);
        let mut positions = chain.matched(&fitted);
        positions.sort_by_key(|(joint, _)| *joint);
        let wanted = [(limb[0], 0.0), (limb[1], 0.5), (limb[2], 0.8)];
        for ((joint, position), (wanted, y)) in positions.iter().zip(wanted) {
            assert!(*joint == wanted && (position - at(y)).norm() < 1e-12, "{positions:?}");
        }
        // Without contacts along it, it is divided like a person's leg.
        chain.contacts = vec![at(0.0)];
        let positions = chain.matched(&fitted);
        let knee = positions.iter().find(|(joint, _)| *joint == limb[1]).unwrap().1;
        assert!((0.35..0.4).contains(&(1.0 - knee.y)), "{knee}");
    }
}
