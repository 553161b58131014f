//! Characters of FBX files that have joints and a skin already.
//!
//! FBX is not written here: the character becomes a new glTF document with its surface, its joints as they were bound, and
//! its weights.

use super::{FbxFile, surface};
use crate::Warning;
use crate::io::gltf_rig::{Rigging, rigged_character};
use crate::io::{Fault, Folder, Problem, RiggedFile};
use crate::math::{Mat3, Quat, Vec3, rotation_of};
use crate::mesh::prepare::{PrepareOptions, prepare};
use crate::mesh::stance::StanceOptions;
use crate::rig::{MaxInfluences, Rig, RigJoint, SkinWeights, Tip};
use nalgebra::Isometry3;
use std::collections::{BTreeMap, BTreeSet, HashMap};

impl FbxFile {
    /// Whether the file has a skin that hangs on joints.
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
    let invalid = |why: String| Fault::whole(Problem::Invalid { what: "the character", why });
    // Whoever rigged it knew how it stands; shapes are asked where the file says nothing.
    let conventions = &mesh.origin.conventions;
    let stance = StanceOptions { up: conventions.up, front: conventions.front };
    let options = PrepareOptions { stance, ..PrepareOptions::default() };
    let prepared = prepare(&mesh, &options, warnings).map_err(|error| invalid(error.to_string()))?;
    let output_from_input = &prepared.placement.output_from_input;

    let bound = bound_nodes(scene);
    if bound.is_empty() {
        return Err(Fault::whole(Problem::NoSkin));
    }
    let skeleton = Skeleton::of(scene, &bound);
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
    let rigging = Rigging {
        placement: &prepared.placement,
        joints: &rig.joints,
        weights: &weights,
        welded: &prepared.welded,
    };
    let character = rigged_character(&mesh, &rigging).map_err(|error| invalid(error.to_string()))?;
    let output_from_unit = output_from_input * prepared.unit_from_input.inverse();
    let place = |place: &Vec3| output_from_unit.transform_point(&(*place).into()).coords;
    let surface = prepared.positions.iter().enumerate();
    let surface = surface.map(|(vertex, at)| (place(at), weights.of(vertex).collect())).collect();
    Ok(RiggedFile { rig, surface, character })
}

/// The nodes on which skins hang, by their number, with their axes as they were bound.
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
struct Skeleton {
    /// Nodes by their number.
    order: Vec<u32>,
    joint_of: HashMap<u32, usize>,
}

impl Skeleton {
    /// The nodes that are bound and all above them, so that there is one root.
    fn of(scene: &ufbx::Scene, bound: &BTreeMap<u32, ufbx::Matrix>) -> Skeleton {
        let parents: HashMap<u32, Option<u32>> = scene
            .nodes
            .as_ref()
            .iter()
            .map(|node| (node.element.typed_id, node.parent.as_ref().map(|parent| parent.element.typed_id)))
            .collect();
        let mut kept = BTreeSet::new();
        for &node in bound.keys() {
            let mut at = Some(node);
            while let Some(node) = at.filter(|&node| kept.insert(node)) {
                at = parents.get(&node).copied().flatten();
            }
        }
        // Depth first from the root of the scene; ufbx lists parents before their children.
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut stack = Vec::new();
        for &node in &kept {
            match parents.get(&node).copied().flatten() {
                Some(parent) => children.entry(parent).or_default().push(node),
                None => stack.push(node),
            }
        }
        let mut order = Vec::new();
        while let Some(node) = stack.pop() {
            order.push(node);
            stack.extend(children.get(&node).into_iter().flatten().rev());
        }
        // Nodes above that neither are bound nor branch carry nothing.
        let is_needed = |node: &u32| bound.contains_key(node) || children.get(node).map_or(0, Vec::len) > 1;
        let first = order.iter().position(is_needed).unwrap_or(0);
        let order = order.split_off(first);
        let joint_of = order.iter().enumerate().map(|(joint, &node)| (node, joint)).collect();
        Skeleton { order, joint_of }
    }

    fn rig(
        &self,
        scene: &ufbx::Scene,
        bound: &BTreeMap<u32, ufbx::Matrix>,
        output_from_input: &crate::math::Similarity,
    ) -> Result<Rig, Fault> {
        let mirror = surface::mirror(scene);
        let nodes: HashMap<u32, &ufbx::Node> =
            scene.nodes.as_ref().iter().map(|node| (node.element.typed_id, &**node)).collect();
        let mut names = BTreeSet::new();
        let mut unique = |name: &str| {
            let name = if name.is_empty() { "joint" } else { name };
            let numbered =
                |number: usize| if number == 1 { name.to_owned() } else { format!("{name}_{number}") };
            let free = (1..).map(numbered).find(|name| !names.contains(name)).unwrap_or_default();
            names.insert(free.clone());
            free
        };
        let mut joints: Vec<RigJoint> = Vec::new();
        let mut tips = Vec::new();
        for &number in &self.order {
            let node = nodes[&number];
            let parent =
                node.parent.as_ref().and_then(|parent| self.joint_of.get(&parent.element.typed_id).copied());
            let matrix = bound.get(&number).unwrap_or(&node.node_to_world);
            let (place, turn) = placed(matrix, &mirror);
            let rest = Isometry3::from_parts(
                output_from_input.transform_point(&place.into()).coords.into(),
                output_from_input.isometry.rotation * turn,
            );
            if !rest.translation.vector.iter().chain(rest.rotation.coords.iter()).all(|x| x.is_finite()) {
                let problem = Problem::NotFinite { what: "the bind pose of joint", index: joints.len() };
                return Err(Fault::whole(problem));
            }
            joints.push(RigJoint { name: unique(&node.element.name), parent, rest });
            for child in &node.children {
                let is_end = child.children.as_ref().is_empty() && child.mesh.is_none();
                if is_end && !self.joint_of.contains_key(&child.element.typed_id) {
                    let (end, _) = placed(&child.node_to_world, &mirror);
                    let (here, _) = placed(&node.node_to_world, &mirror);
                    // The bone is as long as in the scene, and points as it was bound.
                    let offset =
                        rest.rotation * (placed(&node.node_to_world, &mirror).1.inverse() * (end - here));
                    let position = rest.translation.vector + output_from_input.scaling() * offset;
                    if offset.norm() > 0.0 && position.iter().all(|x| x.is_finite()) {
                        tips.push(Tip {
                            name: unique(&child.element.name),
                            joint: joints.len() - 1,
                            position,
                        });
                    }
                }
            }
        }
        Ok(Rig { joints: joints.into(), tips, soles: Vec::new() })
    }

    /// The joints of a point of the mesh of a node.
    fn weights(&self, scene: &ufbx::Scene, node: u32, point: u32) -> Vec<(u16, f64)> {
        let mesh = scene.nodes.get(node as usize).and_then(|node| node.mesh.as_deref());
        let skin = mesh.and_then(|mesh| mesh.skin_deformers.as_ref().first());
        let Some(skin) = skin else {
            // What hangs on a joint without a skin moves with it.
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
        let joint = |weight: &ufbx::SkinWeight| {
            let cluster = skin.clusters.as_ref().get(weight.cluster_index as usize)?;
            let bone = cluster.bone_node.as_ref()?;
            Some((*self.joint_of.get(&bone.element.typed_id)? as u16, weight.weight))
        };
        weights.iter().filter_map(joint).collect()
    }
}

/// Place and turn of a transform, in right-handed axes.
fn placed(m: &ufbx::Matrix, mirror: &Mat3) -> (Vec3, Quat) {
    let place = mirror * Vec3::new(m.m03, m.m13, m.m23);
    let columns = [Vec3::new(m.m00, m.m10, m.m20), Vec3::new(m.m01, m.m11, m.m21)];
    // Both the axes of the joint and those of the world are mirrored, which leaves a rotation.
    let [x, y] = columns.map(|column| mirror * column);
    let [x, y] = [x * mirror[(0, 0)], y * mirror[(1, 1)]];
    let Some(x) = x.try_normalize(1e-12) else { return (place, Quat::identity()) };
    let Some(y) = (y - x * x.dot(&y)).try_normalize(1e-12) else { return (place, Quat::identity()) };
    (place, rotation_of(&Mat3::from_columns(&[x, y, x.cross(&y)])))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A column of 2 × 2 × 20 centimetres on two joints, Y up; the upper half hangs on the upper one, which a later pose has
    /// turned.
    pub const COLUMN: &str = r#"; FBX 7.4.0 project file
FBXHeaderExtension:  {
    FBXHeaderVersion: 1003
    FBXVersion: 7400
}
GlobalSettings:  {
    Version: 1000
    Properties70:  {
        P: "UpAxis", "int", "Integer", "",1
        P: "UpAxisSign", "int", "Integer", "",1
        P: "FrontAxis", "int", "Integer", "",2
        P: "FrontAxisSign", "int", "Integer", "",1
        P: "CoordAxis", "int", "Integer", "",0
        P: "CoordAxisSign", "int", "Integer", "",1
        P: "UnitScaleFactor", "double", "Number", "",1
    }
}
Objects:  {
    Geometry: 10, "Geometry::Column", "Mesh" {
        Vertices: *24 {
            a: -1,0,-1,1,0,-1,1,20,-1,-1,20,-1,-1,0,1,1,0,1,1,20,1,-1,20,1
        }
        PolygonVertexIndex: *24 {
            a: 0,3,2,-2,4,5,6,-8,0,1,5,-5,1,2,6,-6,2,3,7,-7,3,0,4,-8
        }
        GeometryVersion: 124
    }
    Model: 20, "Model::Body", "Mesh" {
        Version: 232
    }
    Model: 21, "Model::Lower", "LimbNode" {
        Version: 232
    }
    Model: 22, "Model::Upper", "LimbNode" {
        Version: 232
        Properties70:  {
            P: "Lcl Translation", "Lcl Translation", "", "A",0,10,0
            P: "Lcl Rotation", "Lcl Rotation", "", "A",0,0,30
        }
    }
    Model: 23, "Model::End", "LimbNode" {
        Version: 232
        Properties70:  {
            P: "Lcl Translation", "Lcl Translation", "", "A",0,10,0
        }
    }
    Deformer: 30, "Deformer::", "Skin" {
        Version: 101
        Link_DeformAcuracy: 50
    }
    Deformer: 31, "SubDeformer::", "Cluster" {
        Version: 100
        Indexes: *4 {
            a: 0,1,4,5
        }
        Weights: *4 {
            a: 1,1,1,1
        }
        Transform: *16 {
            a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1
        }
        TransformLink: *16 {
            a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1
        }
    }
    Deformer: 32, "SubDeformer::", "Cluster" {
        Version: 100
        Indexes: *4 {
            a: 2,3,6,7
        }
        Weights: *4 {
            a: 1,1,1,1
        }
        Transform: *16 {
            a: 1,0,0,0,0,1,0,0,0,0,1,0,0,-10,0,1
        }
        TransformLink: *16 {
            a: 1,0,0,0,0,1,0,0,0,0,1,0,0,10,0,1
        }
    }
}
Connections:  {
    C: "OO",20,0
    C: "OO",21,0
    C: "OO",22,21
    C: "OO",23,22
    C: "OO",10,20
    C: "OO",30,10
    C: "OO",31,30
    C: "OO",32,30
    C: "OO",21,31
    C: "OO",22,32
}
"#;

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
        assert!(file.has_mesh() && !file.has_skin());
        let fault = file.rigged(&Folder::none(), &mut Vec::new()).err();
        assert!(matches!(fault.unwrap().problem, Problem::NoSkin));
    }
}
