//! What files and pictures are made of a character that was just rigged.

use puppetry::Image;
use puppetry::autorig::{Joints, Skinned};
use puppetry::io::rig_file::RigFile;
use puppetry::io::{GltfCharacter, GltfWriteError, Rigging, pinocchio, rigged_character};
use puppetry::math::{Bounds, Similarity, Vec3};
use puppetry::mesh::Mesh;
use puppetry::mesh::prepare::PreparedMesh;
use puppetry::preview;
use puppetry::retarget::human_bones;
use puppetry::rig::{BoundVertex, NameStyle, Rig};
use puppetry::skeleton::{self, Skeleton, Sole, find_soles, is_mirrored};

/// A character that takes clips.
pub struct Ready {
    pub rig: Rig,
    pub surface: Vec<BoundVertex>,
    pub document: GltfCharacter,
}

/// Everything that it takes to move a character: its rig with names of a convention, and a document that takes clips, whose
/// joints stand with stretched arms if that is wanted.
pub fn ready(
    skinned: &Skinned,
    mesh: &Mesh,
    names: NameStyle,
    is_stretched: bool,
) -> Result<Ready, GltfWriteError> {
    let (mut rig, surface) = skinned.rig();
    rig.rename(names);
    let PreparedMesh { placement, welded, .. } = skinned.prepared;
    let rigging = Rigging { placement, joints: &rig.joints, weights: &skinned.weights, welded };
    let mut document = rigged_character(mesh, &rigging)?;
    if let (true, Ok(bones)) = (is_stretched, human_bones(&rig)) {
        document.stand(&rig, &rig.t_pose(&bones));
    }
    Ok(Ready { rig, surface, document })
}

/// The weights as Pinocchio writes them: a line for each vertex of the file with a number for each bone, from the second
/// joint of the joint list on. A bone has the weight of the joint at its upper end; where several start, the first has
/// it.
pub fn attachment(skinned: &Skinned) -> String {
    let skeleton = skinned.joints.skeleton();
    let exported = skinned.rest().exported;
    let bones: Vec<Option<usize>> = (1..skeleton.joints.len())
        .map(|joint| {
            let parent = skeleton.joints[joint].parent?;
            let first = skeleton.joints.iter().position(|other| other.parent == Some(parent));
            (first == Some(joint)).then_some(usize::from(exported[parent]))
        })
        .collect();
    pinocchio::write_attachment(&skinned.prepared.welded, &skinned.weights, &bones)
}

/// A picture of the test poses.
pub fn pose_sheet(skinned: &Skinned) -> Image {
    preview::pose_sheet(skinned.prepared, &skinned.weights, &skinned.poses())
}

/// The joints in the coordinates of the mesh file, with the soles below them.
pub fn rig_file(joints: &Joints, prepared: &PreparedMesh) -> RigFile {
    let input_from_unit = prepared.unit_from_input.inverse();
    let input = |point: &Vec3| moved(&input_from_unit, point);
    let surface = prepared.used_positions();
    let height = Bounds::of(&surface).extent().y;
    let soles = find_soles(joints.skeleton(), joints.positions(), &surface, height);
    let sole =
        |sole: Sole| Sole { heel: input(&sole.heel), ball: input(&sole.ball), toe: input(&sole.toe), ..sole };
    let embedding = joints.found().map(|(embedding, _)| embedding);
    let count = joints.positions().len();
    let symmetric = embedding
        .map_or_else(|| is_mirrored(joints.skeleton(), joints.positions()), |embedding| embedding.symmetric);
    let placed = joints.skeleton().joints.iter().zip(joints.positions());
    let placed =
        placed.map(|(joint, position)| skeleton::Joint { position: input(position), ..joint.clone() });
    RigFile {
        // What somebody gave is trusted, and as symmetric as it is.
        confidences: embedding.map_or_else(|| vec![1.0; count], |embedding| embedding.confidences.clone()),
        confidence: embedding.map_or(1.0, |embedding| embedding.confidence),
        symmetric,
        skeleton: Skeleton {
            name: joints.skeleton().name.clone(),
            about: String::new(),
            joints: placed.collect(),
            weights: joints.skeleton().weights,
        },
        soles: soles.into_iter().map(sole).collect(),
        output_from_input: prepared.placement.output_from_input,
    }
}

/// A point in another space.
pub fn moved(transform: &Similarity, point: &Vec3) -> Vec3 {
    transform.transform_point(&(*point).into()).coords
}
