//! Limbs along chains of pieces, where the shape of the body misled whoever looked for them: Bharaj et al. 2012, section 3.4.
//!
//! The legs of a walker leave its body at the side, and its arms are missing. Seen from outside, the thighs are then part of
//! a broad pelvis, or they are arms. The pieces know better: a limb is the chain from the piece at its tip to where the chains of left and
//! right limbs meet, which is the trunk. Of two limbs that claim a chain the surer one has it, and the other does not exist. Joints are matched
//! with the places where the pieces of the chain touch, in order, by how far along the limb they are (K_Perc of equation 8).

use super::Parts;
use super::assign::{Figure, Hanging, is_collar_bone, spanning_tree};
use crate::math::Vec3;
use crate::skeleton::Skeleton;

/// A limb whose first joint is surer than this stays where it was seen.
const DOUBTFUL: f64 = 0.5;
/// A limb was misread if it seems to begin this part of its chain away from the trunk. Shoulder pads and hip joints take up to a sixth.
const LOST: f64 = 0.25;
/// What it costs, in parts of the limb, that a joint has no contact of its own.
const UNMATCHED: f64 = 0.2;

/// What the pieces say about limbs.
pub struct Limbs {
    /// Where each joint is.
    pub joints: Vec<Vec3>,
    /// Whether each joint has anything to move.
    pub exists: Vec<bool>,
}

/// One limb of a skeleton, and the pieces that lead to its tip.
struct Chain {
    /// Its joints from the first to the tip.
    joints: Vec<usize>,
    /// How sure the first is.
    confidence: f64,
    /// Whether it is the second of its pair.
    is_second: bool,
    /// The pieces from the tip to the root of the tree, later to the trunk.
    pieces: Vec<usize>,
    /// Where each hangs on the next.
    places: Vec<Vec3>,
}

impl Limbs {
    /// Follows the pieces of all limbs that are in doubt.
    pub fn of(parts: &Parts, figure: &Figure, confidences: &[f64]) -> Limbs {
        let mut limbs = Limbs { joints: figure.joints.to_vec(), exists: vec![true; figure.joints.len()] };
        let mut chains = chains(parts, figure, confidences);
        if chains.iter().all(|chain| chain.confidence >= DOUBTFUL) {
            return limbs;
        }
        // The surest first: they keep what several claim.
        chains.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.joints.cmp(&b.joints)));
        let mut is_taken = vec![false; parts.pieces.len()];
        for chain in &chains {
            let is_free = chain.pieces.iter().all(|&piece| !is_taken[piece]);
            chain.pieces.iter().for_each(|&piece| is_taken[piece] = true);
            if chain.confidence >= DOUBTFUL {
                continue;
            }
            if chain.pieces.is_empty() || !is_free {
                limbs.drop(figure.skeleton, &chain.joints);
            } else if chain.pieces.len() > 1 && chain.lost(figure) > LOST {
                for (joint, place) in chain.matched(figure) {
                    limbs.joints[joint] = place;
                }
            }
        }
        limbs.mirror(figure);
        limbs
    }

    fn drop(&mut self, skeleton: &Skeleton, joints: &[usize]) {
        joints.iter().for_each(|&joint| self.exists[joint] = false);
        let above = skeleton.joints[joints[0]].parent;
        if let Some(collar_bone) = above.filter(|&joint| is_collar_bone(&skeleton.joints[joint])) {
            self.exists[collar_bone] = false;
        }
    }

    /// The two sides of a symmetric character are mirror images.
    fn mirror(&mut self, figure: &Figure) {
        let Some(plane) = figure.plane else { return };
        let mirrored = |place: Vec3| Vec3::new(2.0 * plane - place.x, place.y, place.z);
        for (joint, data) in figure.skeleton.joints.iter().enumerate() {
            let Some(partner) = data.partner.filter(|&partner| partner > joint) else { continue };
            let exists = self.exists[joint] && self.exists[partner];
            (self.exists[joint], self.exists[partner]) = (exists, exists);
            let place = (self.joints[joint] + mirrored(self.joints[partner])) * 0.5;
            (self.joints[joint], self.joints[partner]) = (place, mirrored(place));
        }
    }
}

/// The chains of all limbs that have a partner, without the trunk.
fn chains(parts: &Parts, figure: &Figure, confidences: &[f64]) -> Vec<Chain> {
    let tree = spanning_tree(parts.pieces.len(), &parts.contacts, parts.root);
    let mut on: Vec<Option<(usize, Vec3)>> = vec![None; tree.len()];
    tree.iter().for_each(|&Hanging { piece, on: above }| on[piece] = above);
    let skeleton = figure.skeleton;
    let starts = (0..skeleton.joints.len()).filter(|&joint| is_start(skeleton, joint));
    let mut chains: Vec<Chain> = starts
        .map(|start| {
            let below = |joint: &usize| {
                (0..skeleton.joints.len()).find(|&j| skeleton.joints[j].parent == Some(*joint))
            };
            let joints: Vec<usize> = std::iter::successors(Some(start), below).collect();
            let tip = nearest_piece(parts, &figure.joints[joints[joints.len() - 1]]);
            let pieces: Vec<usize> =
                std::iter::successors(Some(tip), |&piece| on[piece].map(|(above, _)| above)).collect();
            let places = pieces.iter().filter_map(|&piece| on[piece].map(|(_, place)| place)).collect();
            let is_second = skeleton.joints[start].partner.is_some_and(|partner| partner < start);
            Chain { joints, confidence: confidences[start], is_second, pieces, places }
        })
        .collect();
    // What is on the way of left and right limbs is the trunk.
    let mut sides = vec![[false; 2]; parts.pieces.len()];
    for chain in &chains {
        chain.pieces.iter().for_each(|&piece| sides[piece][usize::from(chain.is_second)] = true);
    }
    for chain in &mut chains {
        let length = chain.pieces.iter().take_while(|&&piece| sides[piece] != [true; 2]).count();
        chain.pieces.truncate(length);
        chain.places.truncate(length);
    }
    chains
}

/// Whether a limb of a pair begins with a joint.
fn is_start(skeleton: &Skeleton, joint: usize) -> bool {
    let is_limb = |joint: usize| {
        let data = &skeleton.joints[joint];
        data.partner.is_some() && !is_collar_bone(data)
    };
    is_limb(joint) && !skeleton.joints[joint].parent.is_some_and(is_limb)
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
    /// The way along the chain: from the trunk over the places of contact to the tip, and how far along each point of it is, 0 to 1.
    fn way(&self, figure: &Figure) -> (Vec<Vec3>, Vec<f64>) {
        let tip = figure.joints[self.joints[self.joints.len() - 1]];
        let points: Vec<Vec3> = self.places.iter().rev().copied().chain([tip]).collect();
        let along = fractions(&points);
        (points, along)
    }

    /// The part of the chain above where the limb was thought to begin.
    fn lost(&self, figure: &Figure) -> f64 {
        let (points, along) = self.way(figure);
        let start = figure.joints[self.joints[0]];
        let mut best = (f64::INFINITY, 0.0);
        for (ends, fractions) in points.windows(2).zip(along.windows(2)) {
            let side = ends[1] - ends[0];
            let t =
                ((start - ends[0]).dot(&side) / side.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            let distance = (ends[0] + side * t - start).norm();
            if distance < best.0 {
                best = (distance, fractions[0] + (fractions[1] - fractions[0]) * t);
            }
        }
        best.1
    }

    /// The joints of the limb but for its tip, where the pieces touch that are as far along: the first at the trunk, the others in
    /// order by dynamic programming.
    fn matched(&self, figure: &Figure) -> Vec<(usize, Vec3)> {
        let (points, along) = self.way(figure);
        let rest: Vec<Vec3> =
            self.joints.iter().map(|&joint| figure.skeleton.joints[joint].position).collect();
        let wanted = fractions(&rest);
        let (joints, contacts) = (self.joints.len() - 1, points.len() - 1);
        // The least cost of the first `j` joints with the first `c` contacts, and whether the last joint has the last contact.
        let mut table = vec![vec![(0.0, false); contacts + 1]; joints + 1];
        for j in 2..=joints {
            for c in 1..=contacts {
                let without = table[j - 1][c].0 + UNMATCHED;
                let skipped = if c > 1 { table[j][c - 1].0 } else { f64::INFINITY };
                let matched = if c > 1 {
                    table[j - 1][c - 1].0 + (along[c - 1] - wanted[j - 1]).abs()
                } else {
                    f64::INFINITY
                };
                table[j][c] = (without.min(skipped).min(matched), matched < without.min(skipped));
            }
        }
        let mut places = vec![(self.joints[0], points[0])];
        let (mut j, mut c) = (joints, contacts);
        while j > 1 {
            let joint = self.joints[j - 1];
            if table[j][c].1 {
                places.push((joint, points[c - 1]));
                (j, c) = (j - 1, c - 1);
            } else if c > 1 && table[j][c - 1].0 <= table[j][c].0 {
                c -= 1;
            } else {
                places.push((joint, point_at(&points, &along, wanted[j - 1])));
                j -= 1;
            }
        }
        places
    }
}

/// How far along a way each of its points is, 0 to 1.
fn fractions(points: &[Vec3]) -> Vec<f64> {
    let mut along = vec![0.0];
    for ends in points.windows(2) {
        along.push(along[along.len() - 1] + (ends[1] - ends[0]).norm());
    }
    let whole = along[along.len() - 1].max(f64::MIN_POSITIVE);
    along.iter().map(|length| length / whole).collect()
}

/// The point of a way that is so far along.
fn point_at(points: &[Vec3], along: &[f64], fraction: f64) -> Vec3 {
    let next = along.iter().position(|&a| a >= fraction).unwrap_or(points.len() - 1).max(1);
    let t = (fraction - along[next - 1]) / (along[next] - along[next - 1]).max(f64::MIN_POSITIVE);
    points[next - 1].lerp(&points[next], t.clamp(0.0, 1.0))
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
        let figure = Figure { skeleton: &human, joints: &joints, height: 1.0, plane: None };
        let mut chain = Chain {
            joints: limb.to_vec(),
            confidence: 0.1,
            is_second: false,
            pieces: vec![3, 2, 1, 0],
            places: [0.8, 0.5, 0.2, 0.0].map(at).to_vec(),
        };
        assert!((chain.lost(&figure) - 0.5).abs() < 1e-12);
        let mut places = chain.matched(&figure);
        places.sort_by_key(|(joint, _)| *joint);
        let wanted = [(limb[0], 0.0), (limb[1], 0.5), (limb[2], 0.8)];
        for ((joint, place), (wanted, y)) in places.iter().zip(wanted) {
            assert!(*joint == wanted && (place - at(y)).norm() < 1e-12, "{places:?}");
        }
        // Without contacts on its way it is divided like a person's leg.
        chain.places = vec![at(0.0)];
        let places = chain.matched(&figure);
        let knee = places.iter().find(|(joint, _)| *joint == limb[1]).unwrap().1;
        assert!((0.35..0.4).contains(&(1.0 - knee.y)), "{knee}");
    }
}
