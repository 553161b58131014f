//! A character with its skin.

use super::Error;
use crate::clip::{RootMotion, SkinExtent};
use crate::io::{BoundMesh, GltfCharacter, RiggedFile};
use crate::math::{Bounds, Similarity, Vec3};
use crate::mesh::Mesh;
use crate::retarget::{figure_of, with_helpers, with_soles};
use crate::rig::{BoundVertex, Rig, SkinWeights};
use crate::skeleton::naming::Role;
use std::borrow::Cow;

/// A character that can be moved: joints, skin, and the document that takes its clips.
#[derive(Clone)]
pub struct Character {
    /// Its joints at rest, the ends of its bones and its soles, in the coordinates of the output.
    pub rig: Rig,
    /// The vertices of its surface at rest there, with their weights.
    pub surface: Vec<BoundVertex>,
    /// The file that it came in, or a new one, with its skin.
    pub document: GltfCharacter,
    /// Whether the nodes of the document stand in a T-pose already.
    pub(super) is_t_pose: bool,
    /// The mesh as it was before it was placed; read from the document when it is asked for and not here.
    pub(super) skinned: Option<SkinnedMesh>,
    /// How far the surface reaches from each joint, by which keys are left out.
    pub(super) extent: SkinExtent,
}

/// A mesh with weights for each of its vertices.
#[derive(Clone)]
pub struct SkinnedMesh {
    /// The mesh, in coordinates of its own.
    pub mesh: Mesh,
    /// From those to the coordinates of the rig.
    pub rig_from_mesh: Similarity,
    /// For each vertex of the mesh, by the joints of the rig.
    pub weights: SkinWeights,
}

impl Character {
    /// A character that had joints and a skin in its file.
    pub fn of_rigged(file: RiggedFile) -> Character {
        let RiggedFile { rig, surface, character: document, .. } = file;
        let rig = with_helpers(rig);
        let vertices = surface.iter().map(|(position, weights)| (*position, weights.iter().copied()));
        let rig = if surface.is_empty() { rig } else { with_soles(rig, vertices) };
        let extent = SkinExtent::of(&rig, &surface);
        // A VRM file stands so already.
        let is_t_pose = document.is_vrm();
        Character { rig, surface, document, is_t_pose, skinned: None, extent }
    }

    /// Its mesh with weights, for images.
    ///
    /// # Errors
    /// If the document holds no surface.
    pub fn skinned_mesh(&self) -> Result<Cow<'_, SkinnedMesh>, Error> {
        if let Some(skinned) = &self.skinned {
            return Ok(Cow::Borrowed(skinned));
        }
        let BoundMesh { mesh, weights, .. } = self.document.bound_mesh().map_err(|fault| fault.problem)?;
        Ok(Cow::Owned(SkinnedMesh { mesh, rig_from_mesh: Similarity::identity(), weights }))
    }

    /// From now on errors of dropped keys are measured on the whole surface, not on its farthest points.
    pub fn measure_whole_surface(&mut self) {
        self.extent = self.extent.clone().on_surface(&self.surface);
    }

    /// Makes room for a joint that carries the path over the floor: a character whose first joint are its hips gets a root above
    /// them. `false` if it has several roots, so that none can carry it.
    pub fn ensure_root(&mut self, root_motion: RootMotion) -> bool {
        if root_motion == RootMotion::Keep {
            return true;
        }
        if !self.document.has_root() {
            return false;
        }
        if self.hips() == 0 {
            self.document.add_root(&mut self.rig);
            self.extent.add_root();
            let joints = self.surface.iter_mut().flat_map(|(_, weights)| weights);
            joints.for_each(|(joint, _)| *joint += 1);
            self.skinned = None;
        }
        true
    }

    /// The joint that is the pelvis; the first one where none is.
    pub fn hips(&self) -> usize {
        figure_of(&self.rig).find(Role::Hips).unwrap_or(0)
    }

    /// Height of the joints and the ends of bones at rest, in metres.
    pub fn height(&self) -> f64 {
        let positions: Vec<Vec3> = self.rig.nodes().map(|node| node.position).collect();
        Bounds::of(&positions).extent().y
    }

    /// Its document with nodes that stand in a T-pose, as VRM demands.
    pub(super) fn in_t_pose(&self, bones: &[(&str, usize)]) -> GltfCharacter {
        let mut document = self.document.clone();
        if !self.is_t_pose {
            document.set_pose(&self.rig, &self.rig.t_pose(bones));
        }
        document
    }
}
