//! Skins in the pose of the file: linear blend skinning of their vertices.

use super::accessor::Accessors;
use super::scene::node_references;
use super::surface::Winding;
use crate::io::json_item::Item;
use crate::io::{Fault, Problem};
use crate::math::Mat4;

/// Sets of four influences that are looked at. Real files have one or two; each costs memory for every
/// vertex.
const SETS_LIMIT: usize = 8;

/// The joints of a skin as they stand in the scene.
pub(super) struct SkinMatrices {
    /// For each joint: from the mesh as it was bound to where the joint stands, in scene coordinates.
    matrices: Vec<Mat4>,
    /// Reversed if most joints mirror the surface, as a skeleton with a negative scale does.
    pub winding: Winding,
}

impl SkinMatrices {
    pub fn read(item: &Item, accessors: &Accessors, worlds: &[Mat4]) -> Result<SkinMatrices, Fault> {
        let joints = node_references(item, "joints", worlds.len())?;
        let inverse_binds = inverse_binds(item, accessors, joints.len())?;
        let matrices: Vec<Mat4> =
            joints.iter().zip(&inverse_binds).map(|(&joint, bind)| worlds[joint] * bind).collect();
        let inside_out = matrices.iter().filter(|m| m.fixed_view::<3, 3>(0, 0).determinant() < 0.0).count();
        let winding = if 2 * inside_out > matrices.len() { Winding::Reversed } else { Winding::Kept };
        Ok(SkinMatrices { winding, matrices })
    }
}

/// The inverse bind matrix of each of `joints` joints of a skin.
pub(super) fn inverse_binds(item: &Item, accessors: &Accessors, joints: usize) -> Result<Vec<Mat4>, Fault> {
    let Some(reference) = item.get("inverseBindMatrices") else { return Ok(vec![Mat4::identity(); joints]) };
    let accessor = accessors.open(&reference)?;
    let matrices = accessor.floats::<16>()?;
    if let Some(index) = matrices.iter().position(|m| !m.iter().all(|entry| entry.is_finite())) {
        let problem = Problem::NotFinite { what: "inverse bind matrix", index };
        return Err(Fault::json(accessor.pointer, problem));
    }
    if matrices.len() < joints {
        let why = format!("{joints} joints have {} inverse bind matrices", matrices.len());
        return Err(item.invalid("the skin", why));
    }
    Ok(matrices.iter().map(|matrix| Mat4::from_column_slice(&matrix.map(f64::from))).collect())
}

/// The joints and weights of the vertices of a primitive; all joints exist in the skin it was read for.
pub(super) struct Influences {
    sets: Vec<Vec<[(u16, f32); 4]>>,
}

impl Influences {
    /// `None` if the primitive has no joints: it then stands where its node stands.
    pub fn read<'a>(
        attributes: &Item<'a>,
        accessors: &Accessors<'a>,
        vertices: usize,
        skin: &SkinMatrices,
    ) -> Result<Option<Influences>, Fault> {
        let mut sets = Vec::new();
        for index in 0..SETS_LIMIT {
            let Some(joints) = attributes.get(&format!("JOINTS_{index}")) else { break };
            let Some(weights) = attributes.get(&format!("WEIGHTS_{index}")) else { break };
            let joints = accessors.open(&joints)?;
            let weights = accessors.open(&weights)?;
            joints.check_count(vertices)?;
            weights.check_count(vertices)?;
            sets.push(set(skin, joints.joints()?, weights.floats()?, &joints.pointer, &weights.pointer)?);
        }
        Ok((!sets.is_empty()).then_some(Influences { sets }))
    }

    /// The joints of a vertex, by their numbers in the skin, with their share of its weights. Where all weights are zero, the
    /// first joint alone moves the vertex, as renderers do it.
    pub fn of(&self, vertex: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let influences = self.sets.iter().flat_map(move |set| set[vertex]);
        let total: f64 = influences.clone().map(|(_, weight)| f64::from(weight)).sum();
        let first = (usize::from(self.sets[0][vertex][0].0), 1.0);
        let shares = influences
            .filter(move |(_, weight)| total != 0.0 && *weight != 0.0)
            .map(move |(joint, weight)| (usize::from(joint), f64::from(weight) / total));
        shares.chain((total == 0.0).then_some(first))
    }

    /// The blended transform of a vertex.
    pub fn matrix(&self, vertex: usize, skin: &SkinMatrices) -> Mat4 {
        self.of(vertex).map(|(joint, share)| skin.matrices[joint] * share).sum()
    }
}

fn set(
    skin: &SkinMatrices,
    joints: Vec<[f32; 4]>,
    weights: Vec<[f32; 4]>,
    joints_pointer: &str,
    weights_pointer: &str,
) -> Result<Vec<[(u16, f32); 4]>, Fault> {
    let count = skin.matrices.len();
    let mut set = Vec::with_capacity(joints.len());
    for (vertex, (joints, weights)) in joints.into_iter().zip(weights).enumerate() {
        let mut influences = [(0, 0.0); 4];
        for (slot, (influence, (joint, weight))) in
            influences.iter_mut().zip(joints.into_iter().zip(weights)).enumerate()
        {
            if !weight.is_finite() {
                let problem = Problem::NotFinite { what: "the skin weight of vertex", index: vertex };
                return Err(Fault::json(weights_pointer, problem));
            }
            // A joint without weight moves nothing and may be anything, but the first one is the last resort.
            let counts = weight != 0.0 || slot == 0;
            if counts && joint as usize >= count {
                let problem = Problem::IndexOutOfRange { what: "joint", index: joint as i64, count };
                return Err(Fault::json(joints_pointer, problem));
            }
            *influence = (if counts { joint as u16 } else { 0 }, weight);
        }
        set.push(influences);
    }
    Ok(set)
}
