//! Characters that have joints and a skin already.
//!
//! The joints of all skins on one skeleton are one rig, which `joint_tree` puts together.

use super::GltfFile;
use super::accessor::Accessors;
use super::joint_tree::{BoundRig, JointTree, similarity_of};
use super::scene::{self, NodeTree, node_references};
use super::skin::{Influences, SkinMatrices, inverse_binds};
use super::vrm::Vrm;
use crate::Warning;
use crate::io::bound::{Attachment, Attachments};
use crate::io::gltf_write::editor::Editor;
use crate::io::gltf_write::{GltfCharacter, JointNode};
use crate::io::json_item::Item;
use crate::io::{Fault, Problem, RiggedFile};
use crate::math::{DisjointSets, Mat4, Similarity, Vec3};
use crate::mesh::{PrimitivePlace, SourceDocument};
use crate::rig::{BoundVertex, Rig};
use std::collections::{BTreeMap, BTreeSet};

impl GltfFile {
    /// Whether the scene shows a mesh with a skin that has joints.
    pub fn has_skin(&self) -> bool {
        let skins = Document::of(&self.source).and_then(|document| Ok(document.shown_skins()?.len()));
        skins.is_ok_and(|count| count > 0)
    }

    /// The character of the document. Where there are several, `skin` says which: the name or the number of one of its skins.
    pub fn rigged(&self, skin: Option<&str>, warnings: &mut Vec<Warning>) -> Result<RiggedFile, Fault> {
        warnings.extend(self.missing.iter().cloned());
        let Rigged { rig, surface, joints, .. } = rigged_of(&self.source, skin)?;
        let character = GltfCharacter { editor: Editor::of_source(&self.source), joints };
        Ok(RiggedFile { rig, surface, character })
    }
}

/// The joints of a document's character and what is attached to them.
pub(crate) struct Rigged {
    pub rig: Rig,
    /// The node of each joint.
    pub joints: Vec<JointNode>,
    /// The vertices of the skins at rest, in the coordinates of the rig, with their weights.
    pub surface: Vec<BoundVertex>,
    /// How each primitive is attached to the joints.
    pub attachments: Attachments,
}

/// The character of a document, by [`GltfFile::rigged`].
pub(crate) fn rigged_of(source: &SourceDocument, skin: Option<&str>) -> Result<Rigged, Fault> {
    let document = Document::of(source)?;
    let accessors = Accessors::new(document.root.clone(), &source.buffers);
    let skins = document.skins(&accessors)?;
    let chosen = choose(&skins, &document, skin)?;
    let tree = JointTree::of(&document, &chosen);
    let BoundRig { rig, nodes: joints, rig_from_mesh } = tree.rig(&document, &chosen)?;
    let (surface, mut attachments) = document.surface(&accessors, &chosen, &tree, &rig_from_mesh)?;
    attachments.extend(document.rigid_attachments(&tree, &rig)?);
    Ok(Rigged { rig, joints, surface, attachments })
}

/// The parts of a document that matter here.
pub(super) struct Document<'a> {
    root: Item<'a>,
    pub nodes: Vec<Item<'a>>,
    pub parents: Vec<Option<usize>>,
    pub scene: NodeTree<'a>,
}

/// A skin that the scene shows.
pub(super) struct ShownSkin<'a> {
    index: usize,
    item: Item<'a>,
    /// Nodes.
    pub joints: Vec<usize>,
    pub inverse_binds: Vec<Mat4>,
}

impl<'a> Document<'a> {
    fn of(source: &'a SourceDocument) -> Result<Document<'a>, Fault> {
        let root = Item::root(&source.json);
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

    /// What VRM says about the character.
    pub fn vrm(&self) -> Option<Vrm<'a>> {
        Vrm::of(&self.root)
    }

    /// The nodes above a node, nearest first.
    pub fn above(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.parents[node], |&node| self.parents[node])
    }

    /// The vertices of the skins at rest, with their weights by the joints of the rig; and which primitive has which.
    fn surface(
        &self,
        accessors: &Accessors<'a>,
        skins: &[&ShownSkin<'a>],
        tree: &JointTree,
        rig_from_mesh: &[Mat4],
    ) -> Result<(Vec<BoundVertex>, Attachments), Fault> {
        let (mut surface, mut attachments) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        for instance in &self.scene.instances {
            let Some(index) = instance.node.whole_number("skin")? else { continue };
            let Some(number) = skins.iter().position(|skin| skin.index == index) else { continue };
            if !seen.insert((instance.mesh_index, index)) {
                continue;
            }
            let skin = SkinMatrices::read(&skins[number].item, accessors, &self.scene.worlds)?;
            let joint_of: Vec<usize> =
                skins[number].joints.iter().map(|&node| tree.joint(node).unwrap_or(0)).collect();
            for (primitive_index, primitive) in instance.mesh.list("primitives")?.iter().enumerate() {
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
                    let point = rig_from_mesh[number].transform_point(&point.into()).coords;
                    if point.iter().all(|x| x.is_finite()) {
                        let weights = influences.of(vertex).map(|(joint, share)| (joint_of[joint], share));
                        surface.push((point, weights.collect()));
                    }
                }
                let (node, mesh) = (instance.node_index, instance.mesh_index);
                let place = PrimitivePlace { node, mesh, primitive: primitive_index };
                attachments.push((place, Attachment::Skin(first..surface.len())));
            }
        }
        Ok((surface, attachments))
    }

    /// Meshes without a skin below joints, and the joints that carry them.
    fn rigid_attachments(&self, tree: &JointTree, rig: &Rig) -> Result<Attachments, Fault> {
        let mut attachments = Vec::new();
        for instance in self.scene.instances.iter().filter(|instance| instance.node.get("skin").is_none()) {
            let node = instance.node_index;
            let mut here = std::iter::once(node).chain(self.above(node));
            let Some((node_of_joint, joint)) = here.find_map(|node| Some((node, tree.joint(node)?))) else {
                continue;
            };
            let in_scene = similarity_of(&self.scene.worlds[node_of_joint]).isometry;
            let moved = Similarity::from_isometry(rig.joints[joint].rest * in_scene.inverse(), 1.0);
            for primitive in 0..instance.mesh.list("primitives")?.len() {
                let place = PrimitivePlace { node, mesh: instance.mesh_index, primitive };
                attachments.push((place, Attachment::Joint(joint, moved)));
            }
        }
        Ok(attachments)
    }
}

impl ShownSkin<'_> {
    /// Its name, or its number if it has none.
    fn name(&self) -> String {
        self.item.text("name").map_or_else(|| self.index.to_string(), str::to_owned)
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
    let wanted = match chosen {
        Some(wanted) => {
            let named =
                skins.iter().position(|skin| skin.name() == wanted || skin.index.to_string() == wanted);
            let Some(named) = named else {
                let names = skins.iter().map(ShownSkin::name).collect();
                return Err(Fault::whole(Problem::NoSuchSkin { wanted: wanted.to_owned(), names }));
            };
            of[named]
        }
        None if of.iter().all(|&set| set == of[0]) => of[0],
        None => {
            let firsts = (0..skins.len()).filter(|&skin| !of[..skin].contains(&of[skin]));
            let names = firsts.map(|skin| skins[skin].name()).collect();
            return Err(Fault::whole(Problem::SeveralCharacters { names }));
        }
    };
    Ok(skins.iter().zip(of).filter(|(_, set)| *set == wanted).map(|(skin, _)| skin).collect())
}
