//! A character that has joints already, as a surface with its weights: what pictures of it need.
//!
//! Whatever the file was, its document is read again as glTF, so that one way leads to all of them. The surface is the one that
//! was bound; what hangs on a joint without a skin, a hat or a sword, is moved to where that joint was bound.

use super::{Fault, Folder, Hold, Holds, LoadError, Problem, RiggedFile, gltf_read, read_rig};
use crate::Warning;
use crate::mesh::{Mesh, Part};
use crate::rig::{MaxInfluences, Rig, SkinWeights};
use std::path::Path;

/// A surface that hangs on joints.
pub struct BoundMesh {
    /// The joints as they were bound: upright, facing +Z.
    pub rig: Rig,
    /// The surface there. It has no normals, because those of a file may be of another pose, and is no document any more.
    pub mesh: Mesh,
    /// For each vertex of the mesh, by the joints of the rig.
    pub weights: SkinWeights,
}

/// Reads a character that has joints and a skin: glTF, GLB, VRM or FBX.
///
/// # Errors
/// A [`LoadError`] with the file's name, the place in it and the reason; [`Problem::NoSkin`] if it is a mesh without joints.
pub fn load_bound(path: &Path) -> Result<(BoundMesh, Vec<Warning>), LoadError> {
    let mut warnings = Vec::new();
    match read(path, &mut warnings) {
        Ok(bound) => Ok((bound, warnings)),
        Err(fault) => Err(LoadError { file: path.to_owned(), fault }),
    }
}

fn read(path: &Path, warnings: &mut Vec<Warning>) -> Result<BoundMesh, Fault> {
    let file = read_rig(path, None, warnings)?;
    if file.surface.is_empty() {
        return Err(Fault::whole(Problem::NoSkin));
    }
    let invalid = |why: String| Fault::whole(Problem::Invalid { what: "the character", why });
    let glb = file.character.glb().map_err(|error| invalid(error.to_string()))?;
    // What there was to be said was said above.
    let RiggedFile { rig, surface, holds, .. } =
        gltf_read::read_rigged(glb.clone(), &Folder::none(), None, &mut Vec::new())?;
    let mut mesh = gltf_read::read(glb, &Folder::none(), &mut Vec::new())?;
    if u16::try_from(rig.joints.len()).is_err() {
        return Err(Fault::whole(Problem::TooMany { what: "joints", limit: u16::MAX.into() }));
    }
    mesh.origin.carried = None;
    mesh.appearance.normals.clear();
    let mut lists: Vec<Vec<(u16, f64)>> = vec![Vec::new(); mesh.positions.len()];
    for part in &mesh.parts {
        match hold_of(part, &holds) {
            Some(Hold::Skin(run)) if run.len() == part.vertices.len() => {
                for (vertex, (place, weights)) in part.vertices.clone().zip(&surface[run.clone()]) {
                    mesh.positions[vertex] = *place;
                    lists[vertex] = weights.iter().map(|&(joint, share)| (joint as u16, share)).collect();
                }
            }
            Some(Hold::Joint(joint, moved)) => {
                for vertex in part.vertices.clone() {
                    let place = moved.transform_point(&mesh.positions[vertex].into());
                    mesh.positions[vertex] = place.coords;
                    lists[vertex] = vec![(*joint as u16, 1.0)];
                }
            }
            // Scenery stays with the root.
            _ => {}
        }
    }
    let weights = SkinWeights::of_lists(MaxInfluences::Four, lists.into_iter());
    Ok(BoundMesh { rig, mesh, weights })
}

/// How a part hangs on the joints. A mesh that a second node shows with the same skin stands where the first one does.
fn hold_of<'h>(part: &Part, holds: &'h Holds) -> Option<&'h Hold> {
    let place = part.place?;
    let same = holds.iter().find(|(other, _)| *other == place);
    let alike = || {
        holds.iter().find(|(other, hold)| {
            matches!(hold, Hold::Skin(_)) && (other.mesh, other.primitive) == (place.mesh, place.primitive)
        })
    };
    same.or_else(alike).map(|(_, hold)| hold)
}
