//! Characters of FBX files that have joints and a skin already.
//!
//! FBX is not written here: the character becomes a new glTF document with its surface, its joints as they were bound, and
//! its weights.

use super::{FbxFile, surface};
use crate::Warning;
use crate::io::assembly::{UniqueNames, rotation_of_axes};
use crate::io::gltf_write::{SkinBinding, rigged_character};
use crate::io::{Fault, Folder, Problem, RiggedFile};
use crate::math::{Mat3, Quat, Vec3};
use crate::mesh::orientation::OrientationOptions;
use crate::mesh::prepare::{PrepareOptions, prepare};
use crate::rig::{MaxInfluences, Rig, RigJoint, SkinWeights, Tip};
use nalgebra::Isometry3;
use std::collections::{BTreeMap, BTreeSet, HashMap};

impl FbxFile {
    /// Whether the file has a skin with joints.
    pub fn has_skin(&self) -> bool {
        self.surface().is_ok_and(|scene| !bound_nodes(scene).is_empty())
    }

    /// Reads the character. Textures that are not embedded are looked up in `folder`.
    pub fn rigged(&self, folder: &Folder, warnings: &mut Vec<Warning>) -> Result<RiggedFile, Fault> {
        read_rigged(self.surface()?, self.bytes.len(), folder, warnings)
    }
}

fn read_rigged(
    scene: &ufbx::Scene,
    file_size: usize,
    folder: &Folder,
    warnings: &mut Vec<Warning>,
) -> Result<RiggedFile, Fault> {
    let (mesh, origins) = surface::read(scene, file_size, folder, warnings)?;
    // The axes that the file declares count; the shape decides where it declares none.
    let conventions = &mesh.origin.conventions;
    let orientation = OrientationOptions { up: conventions.up, front: conventions.front };
    let options = PrepareOptions { orientation, ..PrepareOptions::default() };
    let prepared = prepare(&mesh, &options, warnings).map_err(|error| invalid(&error))?;
    let output_from_input = &prepared.placement.output_from_input;

    let bound = bound_nodes(scene);
    if bound.is_empty() {
        return Err(Fault::whole(Problem::NoSkin));
    }
    let skeleton = JointTree::of(scene, &bound);
    let rig = skeleton.rig(scene, &bound, output_from_input)?;
    let count = u16::try_from(rig.joints.len());
    count.map_err(|_| Fault::whole(Problem::TooMany { what: "joints", limit: u16::MAX.into() }))?;

    // The weights of a vertex are those of the point of the mesh that it comes from.
    let mut lists: Vec<Option<Vec<(u16, f64)>>> = vec![None; prepared.positions.len()];
    for (&(node, point), &welded) in origins.iter().zip(&prepared.welded) {
        lists[welded as usize].get_or_insert_with(|| skeleton.weights(scene, node, point));
    }
    let weights =
        SkinWeights::of_lists(MaxInfluences::Four, lists.into_iter().map(Option::unwrap_or_default));
    let binding = SkinBinding {
        placement: &prepared.placement,
        joints: &rig.joints,
        weights: &weights,
        welded: &prepared.welded,
        displacements: &[],
    };
    let character = rigged_character(&mesh, &binding).map_err(|error| invalid(&error))?;
    let output_from_unit = output_from_input * prepared.unit_from_input.inverse();
    let positions =
        prepared.positions.iter().map(|&position| output_from_unit.transform_point(&position.into()).coords);
    let surface = positions.enumerate().map(|(vertex, position)| (position, weights.of(vertex).collect()));
    Ok(RiggedFile { rig, surface: surface.collect(), character })
}

fn invalid(error: &dyn std::error::Error) -> Fault {
    Fault::whole(Problem::Invalid { what: "the character", why: error.to_string() })
}

/// The nodes that are joints of skins, by their number, with their bind matrices.
pub(super) fn bound_nodes(scene: &ufbx::Scene) -> BTreeMap<u32, ufbx::Matrix> {
    let mut bound = BTreeMap::new();
    for skin in &scene.skin_deformers {
        for cluster in &skin.clusters {
            if let Some(bone) = &cluster.bone_node {
                bound.entry(bone.element.typed_id).or_insert(cluster.bind_to_world);
            }
        }
    }
    bound
}

/// The joints of a character, parents first.
struct JointTree {
    /// Nodes by their number.
    order: Vec<u32>,
    joint_of: HashMap<u32, usize>,
}

impl JointTree {
    /// The nodes that are bound and all above them, so that there is one root.
    fn of(scene: &ufbx::Scene, bound: &BTreeMap<u32, ufbx::Matrix>) -> JointTree {
        let mut kept = BTreeSet::new();
        for &node in bound.keys() {
            let mut at = Some(node);
            while let Some(node) = at.filter(|&node| kept.insert(node)) {
                at = parent_of(scene, node);
            }
        }
        // Depth first from the root of the scene; ufbx lists parents before their children.
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut stack = Vec::new();
        for &node in &kept {
            match parent_of(scene, node) {
                Some(parent) => children.entry(parent).or_default().push(node),
                None => stack.push(node),
            }
        }
        let mut order = Vec::new();
        while let Some(node) = stack.pop() {
            order.push(node);
            stack.extend(children.get(&node).into_iter().flatten().rev());
        }
        // Nodes above that neither are bound nor branch are left out.
        let first = order.iter().position(|node| {
            bound.contains_key(node) || children.get(node).is_some_and(|below| below.len() > 1)
        });
        let order = order.split_off(first.unwrap_or(0));
        let joint_of = order.iter().enumerate().map(|(joint, &node)| (node, joint)).collect();
        JointTree { order, joint_of }
    }

    fn rig(
        &self,
        scene: &ufbx::Scene,
        bound: &BTreeMap<u32, ufbx::Matrix>,
        output_from_input: &crate::math::Similarity,
    ) -> Result<Rig, Fault> {
        let mirror = surface::mirror(scene);
        let mut names = UniqueNames::default();
        let mut joints: Vec<RigJoint> = Vec::new();
        let mut tips = Vec::new();
        for &number in &self.order {
            let node: &ufbx::Node = &scene.nodes[number as usize];
            let parent = parent_of(scene, number).and_then(|parent| self.joint_of.get(&parent).copied());
            let matrix = bound.get(&number).unwrap_or(&node.node_to_world);
            let (position, rotation) = position_and_rotation(matrix, &mirror);
            let rest = Isometry3::from_parts(
                output_from_input.transform_point(&position.into()).coords.into(),
                output_from_input.isometry.rotation * rotation,
            );
            if !rest.translation.vector.iter().chain(rest.rotation.coords.iter()).all(|x| x.is_finite()) {
                let problem = Problem::NotFinite { what: "the bind pose of joint", index: joints.len() };
                return Err(Fault::whole(problem));
            }
            joints.push(RigJoint { name: names.take(name_of(node)), parent, rest });
            for child in &node.children {
                let is_end = child.children.as_ref().is_empty() && child.mesh.is_none();
                if is_end && !self.joint_of.contains_key(&child.element.typed_id) {
                    let (end, _) = position_and_rotation(&child.node_to_world, &mirror);
                    let (here, rotation) = position_and_rotation(&node.node_to_world, &mirror);
                    // The bone is as long as in the scene, and points as it was bound.
                    let offset = rest.rotation * (rotation.inverse() * (end - here));
                    let position = rest.translation.vector + output_from_input.scaling() * offset;
                    if offset.norm() > 0.0 && position.iter().all(|x| x.is_finite()) {
                        let name = names.take(name_of(child));
                        tips.push(Tip { name, joint: joints.len() - 1, position });
                    }
                }
            }
        }
        Ok(Rig::of_joints(joints, tips))
    }

    /// The weights of a point of the mesh of a node.
    fn weights(&self, scene: &ufbx::Scene, node: u32, point: u32) -> Vec<(u16, f64)> {
        let mesh = scene.nodes.get(node as usize).and_then(|node| node.mesh.as_deref());
        let skin = mesh.and_then(|mesh| mesh.skin_deformers.as_ref().first());
        let Some(skin) = skin else {
            // A rigid accessory moves with the joint above it.
            let mut at = scene.nodes.get(node as usize).map(|node| &**node);
            while let Some(node) = at {
                if let Some(&joint) = self.joint_of.get(&node.element.typed_id) {
                    return vec![(joint as u16, 1.0)];
                }
                at = node.parent.as_deref();
            }
            return Vec::new();
        };
        let Some(vertex) = skin.vertices.get(point as usize) else { return Vec::new() };
        let begin = vertex.weight_begin as usize;
        let weights = skin.weights.get(begin..begin + vertex.num_weights as usize).unwrap_or_default();
        let known = weights.iter().filter_map(|weight| {
            let cluster = skin.clusters.as_ref().get(weight.cluster_index as usize)?;
            let bone = cluster.bone_node.as_ref()?;
            Some((*self.joint_of.get(&bone.element.typed_id)? as u16, weight.weight))
        });
        known.collect()
    }
}

/// The number of the node above a node. It is its place among the nodes of the scene.
fn parent_of(scene: &ufbx::Scene, node: u32) -> Option<u32> {
    Some(scene.nodes.get(node as usize)?.parent.as_ref()?.element.typed_id)
}

fn name_of(node: &ufbx::Node) -> &str {
    if node.element.name.is_empty() { "joint" } else { &node.element.name }
}

/// Position and rotation of a transform, in right-handed axes.
fn position_and_rotation(m: &ufbx::Matrix, mirror: &Mat3) -> (Vec3, Quat) {
    let position = mirror * Vec3::new(m.m03, m.m13, m.m23);
    let columns = [Vec3::new(m.m00, m.m10, m.m20), Vec3::new(m.m01, m.m11, m.m21)];
    // Both the axes of the joint and those of the world are mirrored, which leaves a rotation.
    let [x, y] = columns.map(|column| mirror * column);
    (position, rotation_of_axes(&(x * mirror[(0, 0)]), &(y * mirror[(1, 1)])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::fbx::COLUMN;

    #[test]
    fn a_skin_is_read_as_it_was_bound() {
        let file = FbxFile::new(COLUMN.into());
        assert!(file.has_skin());
        let file = file.rigged(&Folder::none(), &mut Vec::new()).unwrap();
        let names: Vec<&str> = file.rig.joints.iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!(names, ["Lower", "Upper"]);
        assert_eq!(file.rig.joints[1].parent, Some(0));
        let upper = &file.rig.joints[1].rest;
        assert!((upper.translation.vector - Vec3::new(0.0, 0.1, 0.0)).norm() < 1e-9, "{upper}");
        assert!(upper.rotation.angle() < 1e-9, "not as the pose of the file has it");
        assert_eq!(file.rig.tips.len(), 1);
        assert!((file.rig.tips[0].position - Vec3::new(0.0, 0.2, 0.0)).norm() < 1e-9);
        for (place, weights) in &file.surface {
            assert_eq!(weights.as_slice(), [(usize::from(place.y > 0.1), 1.0)]);
        }
        assert_eq!(file.surface.len(), 8);
        let glb = file.character.glb().unwrap();
        let document = gltf::Gltf::from_slice(&glb).unwrap().document;
        assert_eq!(document.skins().next().unwrap().joints().count(), 2);
    }

    #[test]
    fn without_a_skin_there_is_no_character() {
        let bare = COLUMN.replace("C: \"OO\",30,10", "");
        let bare = bare.replace("C: \"OO\",21,31", "").replace("C: \"OO\",22,32", "");
        let file = FbxFile::new(bare.into());
        assert!(file.mesh(&Folder::none(), &mut Vec::new()).is_ok() && !file.has_skin());
        let fault = file.rigged(&Folder::none(), &mut Vec::new()).err();
        assert!(matches!(fault.unwrap().problem, Problem::NoSkin));
    }
}
