//! A character that has joints already, as a surface with its weights: what pictures of it need.
//!
//! Whatever the file was, its surface is read from the glTF document that takes its clips, so that one path serves all formats.
//! The surface is the one that was bound; a rigid accessory on a joint, a hat or a sword, moves to where that joint was bound.

use super::gltf_read::{self, Rigged};
use super::{Fault, GltfCharacter, Problem};
use crate::math::Similarity;
use crate::mesh::{Format, Mesh, Part, PrimitivePlace};
use crate::rig::{MaxInfluences, Rig, SkinWeights};
use std::ops::Range;

/// A mesh with skin weights.
pub struct BoundMesh {
    /// The joints as they were bound: upright, facing +Z.
    pub rig: Rig,
    /// The surface there. It has no normals, because those of a file may be of another pose, and is no document any more.
    pub mesh: Mesh,
    /// For each vertex of the mesh, by the joints of the rig.
    pub weights: SkinWeights,
}

/// How a primitive is attached to the joints of its document.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Attachment {
    /// By a skin: its run of vertices in the surface of the character.
    Skin(Range<usize>),
    /// Rigidly on a joint: from the scene to where that joint was bound.
    Joint(usize, Similarity),
}

/// The attachments of a document's primitives.
pub(super) type Attachments = Vec<(PrimitivePlace, Attachment)>;

impl GltfCharacter {
    /// The character as one mesh with weights.
    ///
    /// # Errors
    /// [`Problem::NoSkin`] if it has no surface, as a rig file; also if its mesh cannot be read.
    pub fn bound_mesh(&self) -> Result<BoundMesh, Fault> {
        let document = self.document();
        let rigged = gltf_read::rigged_of(&document, None)?;
        if rigged.surface.is_empty() {
            return Err(Fault::whole(Problem::NoSkin));
        }
        if u16::try_from(rigged.rig.joints.len()).is_err() {
            return Err(Fault::whole(Problem::TooMany { what: "joints", limit: u16::MAX.into() }));
        }
        // The reader of the rig has warned already.
        let mut mesh = gltf_read::mesh_of(document, Format::Glb, &mut Vec::new())?;
        mesh.origin.document = None;
        mesh.appearance.normals.clear();
        let weights = bind(&mut mesh, &rigged);
        Ok(BoundMesh { rig: rigged.rig, mesh, weights })
    }
}

/// Moves a mesh to where it was bound; returns its weights.
fn bind(mesh: &mut Mesh, rigged: &Rigged) -> SkinWeights {
    let mut lists: Vec<Vec<(u16, f64)>> = vec![Vec::new(); mesh.positions.len()];
    for part in &mesh.parts {
        match attachment_of(part, &rigged.attachments) {
            Some(Attachment::Skin(run)) if run.len() == part.vertices.len() => {
                for (vertex, (position, weights)) in part.vertices.clone().zip(&rigged.surface[run.clone()]) {
                    mesh.positions[vertex] = *position;
                    lists[vertex] = weights.iter().map(|&(joint, share)| (joint as u16, share)).collect();
                }
            }
            Some(Attachment::Joint(joint, bound_from_scene)) => {
                for vertex in part.vertices.clone() {
                    let position = bound_from_scene.transform_point(&mesh.positions[vertex].into());
                    mesh.positions[vertex] = position.coords;
                    lists[vertex] = vec![(*joint as u16, 1.0)];
                }
            }
            // Scenery stays with the root.
            _ => {}
        }
    }
    SkinWeights::of_lists(MaxInfluences::Four, lists.into_iter())
}

/// The attachment of a part. A second node that shows the same mesh with the same skin has that of the first.
fn attachment_of<'a>(part: &Part, attachments: &'a Attachments) -> Option<&'a Attachment> {
    let place = part.place?;
    let same = attachments.iter().find(|(other, _)| *other == place).or_else(|| {
        attachments.iter().find(|(other, attachment)| {
            matches!(attachment, Attachment::Skin(_))
                && (other.mesh, other.primitive) == (place.mesh, place.primitive)
        })
    });
    same.map(|(_, attachment)| attachment)
}
