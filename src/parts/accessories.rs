//! Rigid skinning: Bharaj et al. 2012, sections 3.3 and 3.4. A piece moves with one joint, wholly.

use super::evidence::limb_of_joint;
use super::fitted::FittedSkeleton;
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
/// And, if they are worn, this much of their weight on one joint. Much less makes shoes rigid.
const WORN_WEIGHT: f64 = 0.75;
/// And, if they are not, this much of their weight in one limb: the weights of Quaternius' king then differ from the artist's by 0.220 on
/// average, and by 0.285 if plates that cross a joint bend. A sword then stays straight although the thigh is near its hilt; with less a
/// thick skirt between the legs would go with one of them.
const MOUNTED_WEIGHT: f64 = 0.5;
/// Directions across a bone in which a piece around it is looked for.
const DIRECTIONS: usize = 8;

/// Binds the vertices of each piece to its joint.
pub fn bind_rigidly<'a>(weights: &mut SkinWeights, pieces: impl Iterator<Item = (&'a Piece, usize)>) {
    for (piece, joint) in pieces {
        piece.vertices.iter().for_each(|&vertex| weights.set_rigid(vertex as usize, joint as u16));
    }
}

/// How the pieces of a body that bends are attached to it.
pub(super) struct AccessoryAttachment {
    /// Whether each piece is worn: goes around a bone, as shoes and sleeves do.
    is_worn: Vec<bool>,
    /// The limb of each joint: the joint with which it begins, or the root for the trunk.
    limb_of_joint: Vec<usize>,
}

impl AccessoryAttachment {
    /// Looks at the pieces of a character.
    pub fn of(pieces: &[Piece], fitted: &FittedSkeleton) -> AccessoryAttachment {
        let bones = bones(fitted.skeleton, fitted.joints);
        AccessoryAttachment {
            is_worn: pieces.par_iter().map(|piece| bones.iter().any(|bone| surrounds(piece, bone))).collect(),
            limb_of_joint: limb_of_joint(fitted.skeleton, &vec![1.0; fitted.joints.len()]),
        }
    }

    /// Small solid pieces (eyes, buttons, armour, weapons), each with the joint that moves most of it: worn ones
    /// if that is nearly all of it, others if most of it is in one limb.
    pub fn rigid_accessories(
        &self,
        pieces: &[Piece],
        weights: &SkinWeights,
        mesh: &PreparedMesh,
    ) -> Vec<(usize, usize)> {
        let total: f64 = pieces.iter().map(|piece| piece.area).sum();
        let areas = vertex_areas(&mesh.positions, &mesh.triangles);
        let numbered = pieces.iter().enumerate();
        numbered
            .filter(|(_, piece)| piece.open_edges <= SOLID && piece.area <= ACCESSORY_AREA * total)
            .filter_map(|(number, piece)| Some((number, self.joint_of(number, piece, weights, &areas)?)))
            .collect()
    }

    /// The joint that moves an accessory, unless it bends.
    fn joint_of(&self, number: usize, piece: &Piece, weights: &SkinWeights, areas: &[f64]) -> Option<usize> {
        let mut joints = vec![0.0; self.limb_of_joint.len()];
        let mut limbs = vec![0.0; self.limb_of_joint.len()];
        for &vertex in &piece.vertices {
            for (joint, weight) in weights.of(vertex as usize) {
                let weight = weight * areas[vertex as usize];
                joints[joint] += weight;
                limbs[self.limb_of_joint[joint]] += weight;
            }
        }
        let whole: f64 = joints.iter().sum();
        let limb = heaviest(&limbs, 0..limbs.len());
        let joint = heaviest(&joints, (0..joints.len()).filter(|&joint| self.limb_of_joint[joint] == limb));
        let is_mounted = !self.is_worn[number] && limbs[limb] >= MOUNTED_WEIGHT * whole;
        (is_mounted || joints[joint] >= WORN_WEIGHT * whole).then_some(joint)
    }
}

/// The first of the indices with the largest weight.
fn heaviest(weights: &[f64], indices: impl Iterator<Item = usize>) -> usize {
    indices.max_by(|&a, &b| weights[a].total_cmp(&weights[b]).then(b.cmp(&a))).unwrap_or(0)
}

/// Whether a piece lies in most directions across a bone.
fn surrounds(piece: &Piece, bone: &Bone) -> bool {
    let from = bone.nearest(&piece.center);
    let Some(along) = (bone.to - bone.from).try_normalize(0.0) else { return false };
    let u = along.cross(&Vec3::ith(along.iamin(), 1.0)).normalize();
    let v = along.cross(&u);
    let hits = (0..DIRECTIONS).filter(|&direction| {
        let (sin, cos) = sin_cos(TAU * direction as f64 / DIRECTIONS as f64);
        piece.tree.ray(&from, &(u * cos + v * sin), 0.0..=f64::INFINITY).is_some()
    });
    2 * hits.count() > DIRECTIONS
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
