//! The rig of a character: its joints as they were bound.
//!
//! The inverse bind matrices give the rotation of each joint, and the nodes the length of its bones, because the nodes are what
//! is animated. Nodes between joints, scaled ones among them, stand still and are kept as a transform of the joint below.

use super::rigged::{Document, ShownSkin};
use super::scene::local;
use super::upright::upright;
use crate::io::assembly::{UniqueNames, linear, rotation_of_axes, translation};
use crate::io::gltf_write::JointNode;
use crate::io::{Fault, Problem};
use crate::math::{Axis, Mat4, Quat, Similarity, Vec3, cbrt};
use crate::rig::{Rig, RigJoint, Tip};
use nalgebra::{Isometry3, Point3};
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::PI;

/// The joints of a character in the order of its rig.
pub(super) struct JointTree {
    /// Nodes; `None` for a root that was added.
    order: Vec<Option<usize>>,
    /// The joint of each node that is one.
    joints: BTreeMap<usize, usize>,
    /// The nodes below each node.
    children: Vec<Vec<usize>>,
}

/// A rig as it was bound.
pub(super) struct BoundRig {
    pub rig: Rig,
    /// The node of each joint.
    pub nodes: Vec<JointNode>,
    /// For each skin: from its mesh as it was bound to the rig.
    pub rig_from_mesh: Vec<Mat4>,
}

impl JointTree {
    /// The joints of the skins, parents first.
    pub fn of(document: &Document, skins: &[&ShownSkin]) -> JointTree {
        let joints: BTreeSet<usize> = skins.iter().flat_map(|skin| skin.joints.iter().copied()).collect();
        let tops = joints.iter().filter(|joint| !document.above(**joint).any(|node| joints.contains(&node)));
        let tops: Vec<usize> = tops.copied().collect();
        // Several tops get the nearest node above all of them as their parent, or else a new joint at the origin.
        let mut order: Vec<Option<usize>> = Vec::new();
        if tops.len() > 1 {
            let mut above = document.above(tops[0]);
            order.push(above.find(|node| tops.iter().all(|&top| document.above(top).any(|o| o == *node))));
        }
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); document.nodes.len()];
        for (node, parent) in document.parents.iter().enumerate() {
            if let Some(parent) = parent {
                children[*parent].push(node);
            }
        }
        // Walks down from the tops in the order of the document.
        let mut stack: Vec<usize> = tops.iter().rev().copied().collect();
        while let Some(node) = stack.pop() {
            if joints.contains(&node) {
                order.push(Some(node));
            }
            stack.extend(children[node].iter().rev());
        }
        let joints = order.iter().enumerate().filter_map(|(joint, node)| Some(((*node)?, joint))).collect();
        JointTree { order, joints, children }
    }

    /// The joint of a node.
    pub fn joint(&self, node: usize) -> Option<usize> {
        self.joints.get(&node).copied()
    }

    /// The nearest joint above a node.
    fn joint_above(&self, document: &Document, node: usize) -> Option<usize> {
        document.above(node).find_map(|other| self.joint(other))
    }

    pub fn rig(&self, document: &Document, skins: &[&ShownSkin]) -> Result<BoundRig, Fault> {
        let worlds = &document.scene.worlds;
        let scene_from_mesh: Vec<Mat4> =
            skins.iter().map(|skin| skin.scene_from_mesh(worlds, &self.order)).collect();
        let bound = scene_from_joints(skins, &scene_from_mesh);
        let mut names = UniqueNames::default();
        let (mut joints, mut nodes): (Vec<RigJoint>, Vec<JointNode>) = (Vec::new(), Vec::new());
        for &node in &self.order {
            let Some(node) = node else {
                joints.push(RigJoint { name: names.take("Root"), parent: None, rest: Isometry3::identity() });
                nodes.push(JointNode { node: None, joint_from_node_above: Similarity::identity() });
                continue;
            };
            let joint_from_node_above = self.joint_from_node_above(document, node)?;
            let parent = self.joint_above(document, node).or((!joints.is_empty()).then_some(0));
            let rest = self.rest(document, node, &joint_from_node_above, bound.get(&node), &joints)?;
            let name = names.take(document.nodes[node].text("name").unwrap_or("joint"));
            joints.push(RigJoint { name, parent, rest });
            nodes.push(JointNode { node: Some(node), joint_from_node_above });
        }
        let tips = self.tips(document, &joints, &mut names)?;
        let mut bound = BoundRig { rig: Rig::of_joints(joints, tips), nodes, rig_from_mesh: scene_from_mesh };
        let vrm = document.vrm();
        if let Some(vrm) = &vrm {
            let roles = vrm.roles().into_iter();
            bound.rig.roles = roles.filter_map(|(node, role)| Some((self.joint(node)?, role))).collect();
        }
        let rotation = match vrm.map(|vrm| vrm.front()) {
            Some(Axis::NegZ) => Quat::from_axis_angle(&Vec3::y_axis(), PI),
            Some(_) => Quat::identity(),
            None => upright(&bound.rig),
        };
        self.turn(document, rotation, &mut bound);
        Ok(bound)
    }

    /// The transform of the nodes between a joint and the joint above it, or the scene.
    fn joint_from_node_above(&self, document: &Document, node: usize) -> Result<Similarity, Fault> {
        let worlds = &document.scene.worlds;
        let matrix = match self.joint_above(document, node) {
            Some(above) => {
                let between: Vec<usize> =
                    document.above(node).take_while(|&other| self.order[above] != Some(other)).collect();
                let mut matrix = Mat4::new_scaling(scale_of(&worlds[self.order[above].unwrap_or(0)]));
                for &other in between.iter().rev() {
                    matrix *= local(&document.nodes[other])?;
                }
                matrix
            }
            None => document.parents[node].map_or_else(Mat4::identity, |parent| worlds[parent]),
        };
        Ok(similarity_of(&matrix))
    }

    /// A joint as it was bound. Its rotation, and the position of one without a joint above, are those of `bound`, where a skin
    /// has it. `joints` are those before it.
    fn rest(
        &self,
        document: &Document,
        node: usize,
        joint_from_node_above: &Similarity,
        bound: Option<&Mat4>,
        joints: &[RigJoint],
    ) -> Result<Isometry3<f64>, Fault> {
        let own = local(&document.nodes[node])?;
        let above = self.joint_above(document, node);
        let parent = above.or((!joints.is_empty()).then_some(0));
        let frame = parent.map_or_else(Isometry3::identity, |parent| joints[parent].rest);
        let rotation = match bound {
            Some(bound) => rotation_in(bound),
            None => frame.rotation * joint_from_node_above.isometry.rotation * rotation_in(&own),
        };
        let position = match (above, bound) {
            (None, Some(bound)) => translation(bound),
            _ => (frame * joint_from_node_above.transform_point(&translation(&own).into())).coords,
        };
        if !position.iter().chain(rotation.coords.iter()).all(|x| x.is_finite()) {
            let problem = Problem::NotFinite { what: "the bind pose of node", index: node };
            return Err(Fault::json(&document.nodes[node].pointer, problem));
        }
        Ok(Isometry3::from_parts(position.into(), rotation))
    }

    /// Nodes below a joint that are the end of its bone.
    fn tips(
        &self,
        document: &Document,
        joints: &[RigJoint],
        names: &mut UniqueNames,
    ) -> Result<Vec<Tip>, Fault> {
        let mut tips = Vec::new();
        for (joint, node) in self.order.iter().enumerate() {
            let Some(node) = *node else { continue };
            for &child in &self.children[node] {
                let item = &document.nodes[child];
                let is_end = self.children[child].is_empty()
                    && self.joint(child).is_none()
                    && item.get("mesh").is_none()
                    && item.get("camera").is_none();
                let offset = translation(&local(item)?) * scale_of(&document.scene.worlds[node]);
                if is_end && offset.norm() > 0.0 && offset.iter().all(|x| x.is_finite()) {
                    let position = (joints[joint].rest * Point3::from(offset)).coords;
                    tips.push(Tip { name: names.take(item.text("name").unwrap_or("end")), joint, position });
                }
            }
        }
        Ok(tips)
    }

    /// Turns a rig that stands sideways or faces elsewhere: motion is made for characters that face +Z.
    fn turn(&self, document: &Document, rotation: Quat, bound: &mut BoundRig) {
        bound.rig_from_mesh.iter_mut().for_each(|matrix| *matrix = rotation.to_homogeneous() * *matrix);
        if rotation == Quat::identity() {
            return;
        }
        let rotation = Isometry3::from_parts(Vec3::zeros().into(), rotation);
        bound.rig.joints.iter_mut().for_each(|joint| joint.rest = rotation * joint.rest);
        bound.rig.tips.iter_mut().for_each(|tip| tip.position = rotation.rotation * tip.position);
        for joint in &mut bound.nodes {
            if joint.node.is_some_and(|node| self.joint_above(document, node).is_none()) {
                joint.joint_from_node_above = rotation * joint.joint_from_node_above;
            }
        }
        if self.order[0].is_none() {
            bound.rig.joints[0].rest = Isometry3::identity();
        }
    }
}

/// Where the nodes of joints stood in the scene when they were bound.
fn scene_from_joints(skins: &[&ShownSkin], scene_from_mesh: &[Mat4]) -> BTreeMap<usize, Mat4> {
    let mut bound: BTreeMap<usize, Mat4> = BTreeMap::new();
    for (skin, scene_from_mesh) in skins.iter().zip(scene_from_mesh) {
        for (&node, inverse_bind) in skin.joints.iter().zip(&skin.inverse_binds) {
            if let Some(bind) = inverse_bind.try_inverse() {
                bound.entry(node).or_insert(scene_from_mesh * bind);
            }
        }
    }
    bound
}

impl ShownSkin<'_> {
    /// From the mesh as it was bound to the scene. Where all joints stand as they were bound, all say the same. In a file that was
    /// saved in another pose they do not, and most may be wrong: a turn of the spine turns arms, fingers and head. The highest
    /// joint decides, because all others are below it, unless no other agrees; then the one that differs least from the others.
    /// `order` has the nodes of all joints, parents first.
    fn scene_from_mesh(&self, worlds: &[Mat4], order: &[Option<usize>]) -> Mat4 {
        /// Joints that are asked: enough for a vote, and few enough to compare all pairs.
        const VOTERS: usize = 64;
        let step = self.joints.len().div_ceil(VOTERS);
        let votes = self.joints.iter().zip(&self.inverse_binds).step_by(step.max(1));
        let votes: Vec<Mat4> = votes.map(|(&node, inverse_bind)| worlds[node] * inverse_bind).collect();
        let best =
            votes.iter().min_by(|a, b| total_difference(a, &votes).total_cmp(&total_difference(b, &votes)));
        let Some(best) = best.copied() else { return Mat4::identity() };
        let highest = order
            .iter()
            .flatten()
            .take(VOTERS)
            .filter_map(|node| self.joints.iter().position(|other| other == node))
            .map(|joint| worlds[self.joints[joint]] * self.inverse_binds[joint])
            .find(|vote| agreeing(vote, &votes) > 1);
        highest.unwrap_or(best)
    }
}

fn total_difference(one: &Mat4, votes: &[Mat4]) -> f64 {
    votes.iter().map(|other| (one - other).norm()).sum()
}

/// How many votes say the same as `one`.
fn agreeing(one: &Mat4, votes: &[Mat4]) -> usize {
    /// Matrices are one if they differ by less than this share.
    const SAME: f64 = 1e-4;
    votes.iter().filter(|other| (one - *other).norm() < SAME * one.norm()).count()
}

/// The size of a cube after the transform, compared with before.
fn scale_of(matrix: &Mat4) -> f64 {
    let scale = cbrt(linear(matrix).determinant().abs());
    if scale > 0.0 && scale.is_finite() { scale } else { 1.0 }
}

/// The rotation of a transform whose axes are nearly perpendicular.
fn rotation_in(matrix: &Mat4) -> Quat {
    let linear = linear(matrix);
    rotation_of_axes(&linear.column(0).into_owned(), &linear.column(1).into_owned())
}

pub(super) fn similarity_of(matrix: &Mat4) -> Similarity {
    Similarity::from_parts(translation(matrix).into(), rotation_in(matrix), scale_of(matrix))
}
