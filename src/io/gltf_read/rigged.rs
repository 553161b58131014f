//! Characters that have joints and a skin already.
//!
//! The joints of all skins on one skeleton are one rig. It stands as it was bound: the inverse bind matrices say how each
//! joint was turned, and the nodes how long its bones are, because the nodes are what is animated. Nodes between joints,
//! scaled ones among them, stand still and are kept as a transform of the joint below.

use super::GltfFile;
use super::accessor::Accessors;
use super::item::Item;
use super::scene::{self, Scene, local, node_references};
use super::skin::{Influences, Skin, inverse_binds};
use crate::Warning;
use crate::io::bound::{Attachment, Attachments};
use crate::io::gltf_character::{GltfCharacter, JointNode};
use crate::io::gltf_edit::Editor;
use crate::io::{Fault, Problem, RiggedFile};
use crate::math::{DisjointSets, Mat3, Mat4, Quat, Similarity, Vec3, cbrt, rotation_of};
use crate::mesh::{Carried, PrimitivePlace};
use crate::rig::{BoundVertex, Rig, RigJoint, Tip};
use crate::skeleton::{Branches, partners, standing};
use nalgebra::Isometry3;
use std::collections::{BTreeMap, BTreeSet};

impl GltfFile {
    /// Whether the scene shows a mesh with a skin that has joints.
    pub fn has_skin(&self) -> bool {
        let has_joints = |document: Document| Ok(!document.shown_skins()?.is_empty());
        Document::of(&self.carried).and_then(has_joints).unwrap_or(false)
    }

    /// The character of the document. Where there are several, `skin` says which: the name or the number of one of its skins.
    pub fn rigged(&self, skin: Option<&str>, warnings: &mut Vec<Warning>) -> Result<RiggedFile, Fault> {
        warnings.extend(self.missing.iter().cloned());
        let Rigged { rig, surface, joints, .. } = rigged_of(&self.carried, skin)?;
        let character = GltfCharacter { editor: Editor::of_carried(&self.carried), joints };
        Ok(RiggedFile { rig, surface, character })
    }
}

/// The joints of a document's character and what hangs on them.
pub(in crate::io) struct Rigged {
    pub rig: Rig,
    /// The node of each joint.
    pub joints: Vec<JointNode>,
    /// The vertices of the skins at rest, in the coordinates of the rig, with their weights.
    pub surface: Vec<BoundVertex>,
    /// How each primitive hangs on the joints.
    pub attachments: Attachments,
}

/// The character of a document, by [`GltfFile::rigged`].
pub(in crate::io) fn rigged_of(carried: &Carried, skin: Option<&str>) -> Result<Rigged, Fault> {
    let document = Document::of(carried)?;
    let accessors = Accessors::new(document.root.clone(), &carried.buffers);
    let skins = document.skins(&accessors)?;
    let chosen = choose(&skins, &document, skin)?;
    let skeleton = document.skeleton(&chosen)?;
    let (rig, joints, bind) = skeleton.rig(&document, &chosen)?;
    let (surface, mut attachments) = document.surface(&accessors, &chosen, &skeleton, &bind)?;
    attachments.extend(document.rigid_attachments(&skeleton, &rig)?);
    Ok(Rigged { rig, joints, surface, attachments })
}

/// The parts of a document that matter here.
struct Document<'a> {
    root: Item<'a>,
    nodes: Vec<Item<'a>>,
    parents: Vec<Option<usize>>,
    scene: Scene<'a>,
}

/// A skin that the scene shows.
struct ShownSkin<'a> {
    index: usize,
    item: Item<'a>,
    /// Nodes.
    joints: Vec<usize>,
    inverse_binds: Vec<Mat4>,
}

impl<'a> Document<'a> {
    fn of(carried: &'a Carried) -> Result<Document<'a>, Fault> {
        let root = Item::root(&carried.json);
        let scene = scene::read(&root)?;
        let nodes = root.list("nodes")?;
        let parents = scene::parents_of(&nodes)?;
        Ok(Document { root, nodes, parents, scene })
    }

    /// The number, the item and the joints of each skin that the scene shows, in the order of the document.
    fn shown_skins(&self) -> Result<Vec<(usize, Item<'a>, Vec<usize>)>, Fault> {
        let mut shown = BTreeMap::new();
        for instance in &self.scene.instances {
            if let Some(reference) = instance.node.get("skin") {
                let item = reference.target(&self.root, "skins", "skin")?;
                shown.insert(reference.as_whole_number()?, item);
            }
        }
        let mut skins = Vec::new();
        for (index, item) in shown {
            let joints = node_references(&item, "joints", self.nodes.len())?;
            if !joints.is_empty() {
                skins.push((index, item, joints));
            }
        }
        Ok(skins)
    }

    /// The same with their inverse bind matrices; at least one.
    fn skins(&self, accessors: &Accessors<'a>) -> Result<Vec<ShownSkin<'a>>, Fault> {
        let mut skins = Vec::new();
        for (index, item, joints) in self.shown_skins()? {
            let inverse_binds = inverse_binds(&item, accessors, joints.len())?;
            skins.push(ShownSkin { index, item, joints, inverse_binds });
        }
        if skins.is_empty() { Err(Fault::whole(Problem::NoSkin)) } else { Ok(skins) }
    }

    /// The nodes above a node, nearest first.
    fn above(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.parents[node], |&node| self.parents[node])
    }

    /// The joints of the skins, parents first.
    fn skeleton(&self, skins: &[&ShownSkin]) -> Result<Skeleton, Fault> {
        let joints: BTreeSet<usize> = skins.iter().flat_map(|skin| skin.joints.iter().copied()).collect();
        let is_top = |joint: &usize| !self.above(*joint).any(|node| joints.contains(&node));
        let tops: Vec<usize> = joints.iter().copied().filter(is_top).collect();
        // Several tops hang on the nearest node above all of them, and without one on a joint at the origin.
        let mut order: Vec<Option<usize>> = Vec::new();
        if tops.len() > 1 {
            let is_common =
                |node: &usize| tops.iter().all(|&top| self.above(top).any(|other| other == *node));
            order.push(self.above(tops[0]).find(is_common));
        }
        // Walks down from the tops in the order of the document.
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (node, parent) in self.parents.iter().enumerate() {
            if let Some(parent) = parent {
                children[*parent].push(node);
            }
        }
        let mut stack: Vec<usize> = tops.iter().rev().copied().collect();
        while let Some(node) = stack.pop() {
            if joints.contains(&node) {
                order.push(Some(node));
            }
            stack.extend(children[node].iter().rev());
        }
        Ok(Skeleton { order, children })
    }

    /// The vertices of the skins at rest, with their weights by the joints of the rig; and which primitive has which.
    fn surface(
        &self,
        accessors: &Accessors<'a>,
        skins: &[&ShownSkin<'a>],
        skeleton: &Skeleton,
        bind: &Bind,
    ) -> Result<(Vec<BoundVertex>, Attachments), Fault> {
        let (mut surface, mut attachments) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        for instance in &self.scene.instances {
            let Some(index) = instance.node.whole_number("skin")? else { continue };
            let Some(place) = skins.iter().position(|skin| skin.index == index) else { continue };
            if !seen.insert((instance.mesh_index, index)) {
                continue;
            }
            let skin = Skin::read(&skins[place].item, accessors, &self.scene.worlds)?;
            let joint_of: Vec<usize> = skins[place].joints.iter().map(|&node| skeleton.joint(node)).collect();
            for (number, primitive) in instance.mesh.list("primitives")?.iter().enumerate() {
                let Some(attributes) = primitive.get("attributes") else { continue };
                let Some(reference) = attributes.get("POSITION") else { continue };
                let positions = accessors.open(&reference)?.floats::<3>()?;
                let Some(influences) = Influences::read(&attributes, accessors, positions.len(), &skin)?
                else {
                    continue;
                };
                let first = surface.len();
                for (vertex, position) in positions.iter().enumerate() {
                    let point = Vec3::from(position.map(f64::from));
                    let point = bind.rig_from_mesh[place].transform_point(&point.into()).coords;
                    if point.iter().all(|x| x.is_finite()) {
                        let weights = influences.of(vertex).map(|(joint, share)| (joint_of[joint], share));
                        surface.push((point, weights.collect()));
                    }
                }
                let (node, mesh) = (instance.node_index, instance.mesh_index);
                let place = PrimitivePlace { node, mesh, primitive: number };
                attachments.push((place, Attachment::Skin(first..surface.len())));
            }
        }
        Ok((surface, attachments))
    }

    /// Meshes without a skin below joints, and the joints that carry them.
    fn rigid_attachments(&self, skeleton: &Skeleton, rig: &Rig) -> Result<Attachments, Fault> {
        let mut attachments = Vec::new();
        for instance in self.scene.instances.iter().filter(|instance| instance.node.get("skin").is_none()) {
            let node = instance.node_index;
            let mut here = std::iter::once(node).chain(self.above(node));
            let Some(joint) = here.find_map(|node| skeleton.order.iter().position(|&o| o == Some(node)))
            else {
                continue;
            };
            let stands = skeleton.order[joint].map_or_else(Mat4::identity, |node| self.scene.worlds[node]);
            let stands = similarity_of(&stands).isometry;
            let moved = Similarity::from_isometry(rig.joints[joint].rest * stands.inverse(), 1.0);
            for primitive in 0..instance.mesh.list("primitives")?.len() {
                let place = PrimitivePlace { node, mesh: instance.mesh_index, primitive };
                attachments.push((place, Attachment::Joint(joint, moved)));
            }
        }
        Ok(attachments)
    }
}

/// The skins of one character. Skins that share a joint, or of which one stands on the other, belong together.
fn choose<'s, 'a>(
    skins: &'s [ShownSkin<'a>],
    document: &Document,
    chosen: Option<&str>,
) -> Result<Vec<&'s ShownSkin<'a>>, Fault> {
    let mut sets = DisjointSets::new(document.nodes.len());
    let joints: BTreeSet<usize> = skins.iter().flat_map(|skin| skin.joints.iter().copied()).collect();
    for skin in skins {
        skin.joints.iter().for_each(|&joint| sets.union(skin.joints[0] as u32, joint as u32));
    }
    for &joint in &joints {
        if let Some(above) = document.above(joint).find(|node| joints.contains(node)) {
            sets.union(joint as u32, above as u32);
        }
    }
    let of: Vec<u32> = skins.iter().map(|skin| sets.find(skin.joints[0] as u32).0).collect();
    let name =
        |skin: &ShownSkin| skin.item.text("name").map_or_else(|| skin.index.to_string(), str::to_owned);
    let wanted = match chosen {
        Some(wanted) => {
            let is_it = |skin: &ShownSkin| name(skin) == wanted || skin.index.to_string() == wanted;
            match skins.iter().position(is_it) {
                Some(found) => of[found],
                None => {
                    let names = skins.iter().map(name).collect();
                    return Err(Fault::whole(Problem::NoSuchSkin { wanted: wanted.to_owned(), names }));
                }
            }
        }
        None if of.iter().all(|&set| set == of[0]) => of[0],
        None => {
            let firsts = (0..skins.len()).filter(|&skin| !of[..skin].contains(&of[skin]));
            let names = firsts.map(|skin| name(&skins[skin])).collect();
            return Err(Fault::whole(Problem::SeveralCharacters { names }));
        }
    };
    Ok(skins.iter().zip(of).filter(|(_, set)| *set == wanted).map(|(skin, _)| skin).collect())
}

/// The joints of a character in the order of its rig.
struct Skeleton {
    /// Nodes; `None` for a root that was added.
    order: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
}

/// How the rig stands in the document.
struct Bind {
    /// For each skin: from its mesh as it was bound to the rig.
    rig_from_mesh: Vec<Mat4>,
}

impl Skeleton {
    /// The joint of a node that is one.
    fn joint(&self, node: usize) -> usize {
        self.order.iter().position(|&other| other == Some(node)).unwrap_or(0)
    }

    fn rig(&self, document: &Document, skins: &[&ShownSkin]) -> Result<(Rig, Vec<JointNode>, Bind), Fault> {
        let worlds = &document.scene.worlds;
        let index: BTreeMap<usize, usize> =
            self.order.iter().enumerate().filter_map(|(joint, node)| Some(((*node)?, joint))).collect();

        // From meshes as they were bound to the scene: as most joints of the skin say.
        let scene_from_mesh: Vec<Mat4> =
            skins.iter().map(|skin| skin.scene_from_mesh(worlds, &self.order)).collect();
        let mut bound: BTreeMap<usize, Mat4> = BTreeMap::new();
        for (skin, scene_from_mesh) in skins.iter().zip(&scene_from_mesh) {
            for (&node, inverse_bind) in skin.joints.iter().zip(&skin.inverse_binds) {
                if let Some(bind) = inverse_bind.try_inverse() {
                    bound.entry(node).or_insert(scene_from_mesh * bind);
                }
            }
        }

        let mut joints: Vec<RigJoint> = Vec::new();
        let mut nodes: Vec<JointNode> = Vec::new();
        let mut stands_in_scene: Vec<bool> = Vec::new();
        let mut names = BTreeSet::new();
        for (joint, &node) in self.order.iter().enumerate() {
            let Some(node) = node else {
                let name = unique("Root".into(), &mut names);
                joints.push(RigJoint { name, parent: None, rest: Isometry3::identity() });
                nodes.push(JointNode { node: None, joint_from_node_above: Similarity::identity() });
                stands_in_scene.push(false);
                continue;
            };
            let above = document.above(node).find_map(|other| index.get(&other).copied());
            let parent = above.or((joint > 0).then_some(0));
            let own = local(&document.nodes[node])?;
            let matrix = match above {
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
            let joint_from_node_above = similarity_of(&matrix);
            let frame = parent.map_or_else(Isometry3::identity, |parent| joints[parent].rest);
            let turn = match bound.get(&node) {
                Some(bound) => turn_of(bound),
                None => frame.rotation * joint_from_node_above.isometry.rotation * turn_of(&own),
            };
            let place = match (above, bound.get(&node)) {
                (None, Some(bound)) => translation_of(bound),
                _ => (frame * joint_from_node_above.transform_point(&translation_of(&own).into())).coords,
            };
            if !place.iter().chain(turn.coords.iter()).all(|x| x.is_finite()) {
                let problem = Problem::NotFinite { what: "the bind pose of node", index: node };
                return Err(Fault::json(&document.nodes[node].pointer, problem));
            }
            let name = document.nodes[node].text("name").unwrap_or("joint");
            let name = unique(name.to_owned(), &mut names);
            let rest = Isometry3::from_parts(place.into(), turn);
            joints.push(RigJoint { name, parent, rest });
            nodes.push(JointNode { node: Some(node), joint_from_node_above });
            stands_in_scene.push(above.is_none());
        }
        let tips = self.tips(document, &joints, &mut names)?;
        let mut rig = Rig { joints: joints.into(), tips, soles: Vec::new() };

        // Motion is made for characters that face +Z.
        let turn = upright(&rig);
        if turn != Quat::identity() {
            let turn = Isometry3::from_parts(Vec3::zeros().into(), turn);
            rig.joints.iter_mut().for_each(|joint| joint.rest = turn * joint.rest);
            rig.tips.iter_mut().for_each(|tip| tip.position = turn.rotation * tip.position);
            for (node, _) in nodes.iter_mut().zip(&stands_in_scene).filter(|(_, stands)| **stands) {
                node.joint_from_node_above = turn * node.joint_from_node_above;
            }
            if self.order[0].is_none() {
                rig.joints[0].rest = Isometry3::identity();
            }
        }
        let rig_from_mesh = scene_from_mesh.iter().map(|matrix| turn.to_homogeneous() * matrix).collect();
        Ok((rig, nodes, Bind { rig_from_mesh }))
    }

    /// Nodes below a joint that are the end of its bone.
    fn tips(
        &self,
        document: &Document,
        joints: &[RigJoint],
        names: &mut BTreeSet<String>,
    ) -> Result<Vec<Tip>, Fault> {
        let mut tips = Vec::new();
        for (joint, node) in self.order.iter().enumerate() {
            let Some(node) = *node else { continue };
            for &child in &self.children[node] {
                let item = &document.nodes[child];
                let is_end = self.children[child].is_empty()
                    && !self.order.contains(&Some(child))
                    && item.get("mesh").is_none()
                    && item.get("camera").is_none();
                let offset = translation_of(&local(item)?) * scale_of(&document.scene.worlds[node]);
                if is_end && offset.norm() > 0.0 && offset.iter().all(|x| x.is_finite()) {
                    let position = (joints[joint].rest * nalgebra::Point3::from(offset)).coords;
                    let name = unique(item.text("name").unwrap_or("end").to_owned(), names);
                    tips.push(Tip { name, joint, position });
                }
            }
        }
        Ok(tips)
    }
}

impl ShownSkin<'_> {
    /// From the mesh as it was bound to the scene. Where all joints stand as they were bound, all say the same. In a file that was
    /// saved in some pose they do not, and most may be wrong: a turn of the spine turns arms, fingers and head. The highest
    /// joint decides, because all others hang on it, unless no other agrees; then the one that differs least from the others.
    /// `order` has the nodes of all joints, parents first.
    fn scene_from_mesh(&self, worlds: &[Mat4], order: &[Option<usize>]) -> Mat4 {
        /// Joints that are asked: enough for a vote, and few enough to compare all pairs.
        const VOTERS: usize = 64;
        /// Matrices are one if they differ by less than this part.
        const SAME: f64 = 1e-4;
        let step = self.joints.len().div_ceil(VOTERS);
        let said: Vec<Mat4> = self
            .joints
            .iter()
            .zip(&self.inverse_binds)
            .step_by(step.max(1))
            .map(|(&node, inverse_bind)| worlds[node] * inverse_bind)
            .collect();
        let differences = |one: &Mat4| said.iter().map(|other| (one - other).norm()).sum::<f64>();
        let best = said.iter().min_by(|a, b| differences(a).total_cmp(&differences(b)));
        let Some(best) = best.copied() else { return Mat4::identity() };
        let agreeing =
            |one: &Mat4| said.iter().filter(|other| (one - *other).norm() < SAME * one.norm()).count();
        let places = order
            .iter()
            .flatten()
            .take(VOTERS)
            .filter_map(|node| self.joints.iter().position(|other| other == node));
        let mut says = places.map(|place| worlds[self.joints[place]] * self.inverse_binds[place]);
        says.find(|one| agreeing(one) > 1).unwrap_or(best)
    }
}

/// The turn by quarters that makes a rig stand upright and face +Z.
fn upright(rig: &Rig) -> Quat {
    let joints =
        rig.joints.iter().map(|joint| (joint.name.as_str(), joint.parent, joint.rest.translation.vector));
    let tips = rig.tips.iter().map(|tip| (tip.name.as_str(), Some(tip.joint), tip.position));
    let all: Vec<(&str, Option<usize>, Vec3)> = joints.chain(tips).collect();
    let names: Vec<&str> = all.iter().map(|(name, ..)| *name).collect();
    let parents: Vec<Option<usize>> = all.iter().map(|(_, parent, _)| *parent).collect();
    let positions: Vec<Vec3> = all.iter().map(|(.., position)| *position).collect();
    let offsets: Vec<Vec3> = all
        .iter()
        .map(|(_, parent, position)| {
            parent.map_or(Vec3::zeros(), |parent: usize| position - positions[parent])
        })
        .collect();
    let branches = Branches::of(&parents, &positions);
    let partners = partners(&names, &parents, &offsets, &branches);
    let Some(standing) = standing(&names, &branches, &partners, &positions, None) else {
        return Quat::identity();
    };
    if !standing.is_upright {
        return Quat::identity();
    }
    let up = standing.up.vector();
    let front = nearest_axis(&standing.front);
    if front.dot(&up).abs() > 0.5 {
        return Quat::identity();
    }
    let scene_from_rig = Mat3::from_columns(&[up.cross(&front), up, front]);
    if scene_from_rig == Mat3::identity() {
        Quat::identity()
    } else {
        rotation_of(&scene_from_rig.transpose())
    }
}

fn nearest_axis(direction: &Vec3) -> Vec3 {
    let axis = direction.iamax();
    let mut nearest = Vec3::zeros();
    nearest[axis] = direction[axis].signum();
    nearest
}

/// A name that no other joint has.
fn unique(name: String, names: &mut BTreeSet<String>) -> String {
    let mut free = name.clone();
    for number in 2.. {
        if !names.contains(&free) {
            break;
        }
        free = format!("{name}_{number}");
    }
    names.insert(free.clone());
    free
}

fn translation_of(matrix: &Mat4) -> Vec3 {
    matrix.fixed_view::<3, 1>(0, 3).into_owned()
}

fn linear(matrix: &Mat4) -> Mat3 {
    matrix.fixed_view::<3, 3>(0, 0).into_owned()
}

/// The size of a cube after the transform, compared with before.
fn scale_of(matrix: &Mat4) -> f64 {
    let scale = cbrt(linear(matrix).determinant().abs());
    if scale > 0.0 && scale.is_finite() { scale } else { 1.0 }
}

/// The rotation of a transform whose axes are nearly perpendicular.
fn turn_of(matrix: &Mat4) -> Quat {
    let linear = linear(matrix);
    let x = linear.column(0).into_owned().try_normalize(1e-12);
    let y = x.and_then(|x| {
        let y = linear.column(1).into_owned();
        (y - x * x.dot(&y)).try_normalize(1e-12)
    });
    match (x, y) {
        (Some(x), Some(y)) => rotation_of(&Mat3::from_columns(&[x, y, x.cross(&y)])),
        _ => Quat::identity(),
    }
}

fn similarity_of(matrix: &Mat4) -> Similarity {
    Similarity::from_parts(translation_of(matrix).into(), turn_of(matrix), scale_of(matrix))
}
