//! Rigid skinning: Bharaj et al. 2012, sections 3.3 and 3.4. A piece moves with one joint, wholly.

use super::assign::Figure;
use super::kind::limbs;
use super::pieces::Piece;
use crate::math::{Vec3, sin_cos};
use crate::mesh::prepare::PreparedMesh;
use crate::rig::SkinWeights;
use crate::skin::bones::{Bone, bones};
use crate::skin::vertex_areas;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Accessories have at most this part of the surface. More makes a head without a neck one of them, which then comes off.
const ACCESSORY_AREA: f64 = 0.1;
/// And at most this part of their edges open: more are patches of cloth, or triangles that share no vertices.
const SOLID: f64 = 0.1;
/// And, if they are worn, this much of their weight on one joint. Much less makes shoes stiff.
const ACCESSORY_WEIGHT: f64 = 0.75;
/// And, if they are not, this much of their weight in one limb: the weights of Quaternius' king then differ from the artist's by 0.220 on
/// average, and by 0.285 if plates that cross a joint bend. A sword then stays straight although the thigh is near its hilt; with less a
/// thick skirt between the legs would go with one of them.
const MOUNTED_WEIGHT: f64 = 0.5;

/// Lets the vertices of each piece move with its joint.
pub fn hold_pieces<'a>(weights: &mut SkinWeights, pieces: impl Iterator<Item = (&'a Piece, usize)>) {
    for (piece, joint) in pieces {
        piece.vertices.iter().for_each(|&vertex| weights.set_rigid(vertex as usize, joint as u16));
    }
}

/// What decides whether pieces of a body that bends are worn or mounted.
pub struct Wearing {
    /// Whether each piece goes around a bone, as shoes and sleeves do.
    pub is_worn: Vec<bool>,
    /// The limb of each joint: the joint with which it begins, or the root for the trunk.
    pub limb_of_joint: Vec<usize>,
}

impl Wearing {
    /// Looks at the pieces of a character in which a skeleton stands.
    pub fn of(pieces: &[Piece], figure: &Figure) -> Wearing {
        let bones = bones(figure.skeleton, figure.joints);
        let is_worn = |piece: &Piece| bones.iter().any(|bone| surrounds(piece, bone));
        Wearing {
            is_worn: pieces.par_iter().map(is_worn).collect(),
            limb_of_joint: limbs(figure.skeleton, &vec![1.0; figure.joints.len()]),
        }
    }
}

/// Whether most ways out of a bone meet a piece.
fn surrounds(piece: &Piece, bone: &Bone) -> bool {
    const WAYS: usize = 8;
    let from = bone.nearest(&piece.center);
    let Some(along) = (bone.to - bone.from).try_normalize(0.0) else { return false };
    let u = along.cross(&Vec3::ith(along.iamin(), 1.0)).normalize();
    let v = along.cross(&u);
    let meets = |way: &usize| {
        let (sin, cos) = sin_cos(TAU * *way as f64 / WAYS as f64);
        piece.tree.ray(&from, &(u * cos + v * sin), 0.0..=f64::INFINITY).is_some()
    };
    2 * (0..WAYS).filter(meets).count() > WAYS
}

/// Small solid pieces on a body that bends (eyes, buttons, armour, weapons), each with the joint that moves most of it: worn ones
/// if that is nearly all of it, others if most of it is in one limb.
pub fn accessories(
    pieces: &[Piece],
    weights: &SkinWeights,
    mesh: &PreparedMesh,
    wearing: &Wearing,
) -> Vec<(usize, usize)> {
    let total: f64 = pieces.iter().map(|piece| piece.area).sum();
    let areas = vertex_areas(&mesh.positions, &mesh.triangles);
    let rides = |(number, piece): (usize, &Piece)| {
        if piece.open_edges > SOLID || piece.area > ACCESSORY_AREA * total {
            return None;
        }
        let mut shares = vec![0.0; wearing.limb_of_joint.len()];
        let mut limbs = vec![0.0; wearing.limb_of_joint.len()];
        for &vertex in &piece.vertices {
            for (joint, weight) in weights.of(vertex as usize) {
                let weight = weight * areas[vertex as usize];
                shares[joint] += weight;
                limbs[wearing.limb_of_joint[joint]] += weight;
            }
        }
        let whole: f64 = shares.iter().sum();
        let most = |shares: &[f64], among: &dyn Fn(usize) -> bool| {
            let among = (0..shares.len()).filter(|&index| among(index));
            among.max_by(|&a, &b| shares[a].total_cmp(&shares[b]).then(b.cmp(&a))).unwrap_or(0)
        };
        let limb = most(&limbs, &|_| true);
        let joint = most(&shares, &|joint| wearing.limb_of_joint[joint] == limb);
        let is_mounted = !wearing.is_worn[number] && limbs[limb] >= MOUNTED_WEIGHT * whole;
        (is_mounted || shares[joint] >= ACCESSORY_WEIGHT * whole).then_some((number, joint))
    };
    pieces.iter().enumerate().filter_map(rides).collect()
}

#[cfg(test)]
mod tests {
    use super::super::pieces::pieces;
    use super::*;
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::shapes;

    #[test]
    fn a_shell_around_a_bone_is_worn_and_a_plate_beside_it_is_not() {
        let mesh = prepare(&shapes::uv_sphere(8, 12), &PrepareOptions::default(), &mut Vec::new()).unwrap();
        let ball = &pieces(&mesh)[0];
        let bone = |x: f64| Bone { owner: 0, from: Vec3::new(x, 0.2, 0.5), to: Vec3::new(x, 0.8, 0.5) };
        assert!(surrounds(ball, &bone(0.5)) && surrounds(ball, &bone(0.6)));
        assert!(!surrounds(ball, &bone(1.2)));
    }
}
