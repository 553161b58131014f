//! Libraries of body parts, version 1: a GLB that any viewer opens, with one skinned mesh for each character. The schema is described in
//! `docs/formats.md`.
//!
//! Everything in memory has the numbers of the file, so that what is read and written again has the same bytes.

use super::gltf_read::{self, GltfFile};
use super::gltf_write::{GltfWriteError, glb};
use super::json_item::Item;
use super::{Fault, Folder, LoadError, Problem, load_with};
use crate::bodyparts::{BodyPartLibrary, FinishedCharacter, FinishedJoint, SHARES, SelfTest};
use crate::mesh::SourceDocument;
use crate::rig::{MaxInfluences, SkinWeights};
use crate::skeleton::naming::Role;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The version that is written, and the newest that is read.
const VERSION: u64 = 1;
/// The object of `asset.extras` that makes a GLB a library.
const KEY: &str = "puppetry_parts";

/// Reads a library from the disk.
///
/// # Errors
/// If it cannot be read, is none, or is newer than this program.
pub fn load(path: &Path) -> Result<BodyPartLibrary, LoadError> {
    load_with(path, read)
}

// ---- writing ----

/// The bytes of a library.
///
/// # Errors
/// If they would be more than a GLB can have.
pub fn write(library: &BodyPartLibrary) -> Result<Vec<u8>, GltfWriteError> {
    let mut document = Document::default();
    let characters: Vec<Value> =
        library.characters.iter().map(|character| document.add_character(character)).collect();
    let test = library.self_test.map(
        |test| json!({ "shares": SHARES, "differences": test.differences, "best_share": test.best_share() }),
    );
    let about = json!({
        "version": VERSION, "name": library.name, "characters": characters, "self_test": test,
    });
    let json = json!({
        "asset": { "version": "2.0", "generator": "puppetry", "extras": { KEY: about } },
        "scene": 0,
        "scenes": [{ "nodes": document.roots }],
        "nodes": document.nodes,
        "meshes": document.meshes,
        "skins": document.skins,
        "accessors": document.accessors,
        "bufferViews": document.views,
        "buffers": [{ "byteLength": document.bytes.len() }],
    });
    glb(&serde_json::to_vec(&json)?, &document.bytes)
}

/// The lists of a document while they grow.
#[derive(Default)]
struct Document {
    roots: Vec<usize>,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    skins: Vec<Value>,
    accessors: Vec<Value>,
    views: Vec<Value>,
    bytes: Vec<u8>,
}

const FLOAT: u32 = 5126;
const U16: u32 = 5123;
const U32: u32 = 5125;

/// Components of an accessor.
struct Layout {
    component: u32,
    kind: &'static str,
    count: usize,
    normalized: bool,
}

impl Document {
    fn add_character(&mut self, character: &FinishedCharacter) -> Value {
        let first = self.nodes.len();
        for (joint, about) in character.joints.iter().enumerate() {
            let children: Vec<usize> =
                (0..character.joints.len()).filter(|&c| character.joints[c].parent == Some(joint)).collect();
            let mut node = json!({
                "name": about.name, "translation": about.translation, "rotation": about.rotation,
            });
            if !children.is_empty() {
                node["children"] = children.iter().map(|child| first + child).collect();
            }
            self.nodes.push(node);
        }
        let roots = (0..character.joints.len()).filter(|&joint| character.joints[joint].parent.is_none());
        self.roots.extend(roots.map(|joint| first + joint));
        let skin = self.add_skin(character, first);
        let mesh = self.add_mesh(character);
        let node = self.nodes.len();
        self.roots.push(node);
        self.nodes.push(json!({ "name": character.name, "mesh": mesh, "skin": skin }));
        let roles: Map<String, Value> = character
            .joints
            .iter()
            .enumerate()
            .filter_map(|(joint, about)| Some(((first + joint).to_string(), about.role?.to_string().into())))
            .collect();
        json!({
            "name": character.name, "licence": character.licence, "height": character.height, "node": node,
            "roles": roles,
        })
    }

    fn add_skin(&mut self, character: &FinishedCharacter, first: usize) -> usize {
        let mut bytes = Vec::new();
        for rest in character.rests() {
            let matrix = rest.inverse().to_homogeneous();
            matrix.iter().for_each(|x| bytes.extend((*x as f32).to_le_bytes()));
        }
        let count = character.joints.len();
        let layout = Layout { component: FLOAT, kind: "MAT4", count, normalized: false };
        let matrices = self.add_accessor(&bytes, layout);
        let joints: Vec<usize> = (first..first + count).collect();
        self.skins.push(json!({ "joints": joints, "inverseBindMatrices": matrices }));
        self.skins.len() - 1
    }

    fn add_mesh(&mut self, character: &FinishedCharacter) -> usize {
        let vertices = character.positions.len();
        let positions: Vec<u8> = character.positions.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let layout = Layout { component: FLOAT, kind: "VEC3", count: vertices, normalized: false };
        let mut attributes = Map::new();
        let position = self.add_accessor(&positions, layout);
        let extreme = |pick: fn(f32, f32) -> f32, start: f32| {
            [0, 1, 2].map(|axis| character.positions.iter().fold(start, |best, p| pick(best, p[axis])))
        };
        self.accessors[position]["min"] = json!(extreme(f32::min, f32::MAX));
        self.accessors[position]["max"] = json!(extreme(f32::max, f32::MIN));
        attributes.insert("POSITION".into(), position.into());
        let (joints, weights) = character.weights.lists();
        let slots = character.weights.slots();
        for set in 0..slots / 4 {
            for (name, list) in [("JOINTS", joints), ("WEIGHTS", weights)] {
                let rows = list.chunks_exact(slots).flat_map(|row| &row[4 * set..4 * set + 4]);
                let bytes: Vec<u8> = rows.flat_map(|x| x.to_le_bytes()).collect();
                let normalized = name == "WEIGHTS";
                let layout = Layout { component: U16, kind: "VEC4", count: vertices, normalized };
                attributes.insert(format!("{name}_{set}"), self.add_accessor(&bytes, layout).into());
            }
        }
        let corners: Vec<u8> = character.triangles.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        let count = 3 * character.triangles.len();
        let indices =
            self.add_accessor(&corners, Layout { component: U32, kind: "SCALAR", count, normalized: false });
        self.meshes.push(json!({ "primitives": [{ "attributes": attributes, "indices": indices }] }));
        self.meshes.len() - 1
    }

    fn add_accessor(&mut self, bytes: &[u8], layout: Layout) -> usize {
        let view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        self.views.push(view);
        self.bytes.extend(bytes);
        let Layout { component, kind, count, normalized } = layout;
        let mut accessor = json!({
            "bufferView": self.views.len() - 1, "componentType": component, "type": kind, "count": count,
        });
        if normalized {
            accessor["normalized"] = true.into();
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

// ---- reading ----

/// Reads a library.
///
/// # Errors
/// A `Fault` for what is no library, is broken, or is of a later version.
pub fn read(bytes: &[u8]) -> Result<BodyPartLibrary, Fault> {
    let file = GltfFile::parse(bytes.to_vec(), &Folder::none())?;
    let source = file.document();
    let root = Item::root(&source.json);
    let about = root.get("asset").and_then(|asset| asset.get("extras")).and_then(|extras| extras.get(KEY));
    let Some(about) = about else {
        let expected = "a library of body parts, as 'puppetry bodyparts build' makes it";
        return Err(Fault::whole(Problem::Syntax { expected, found: "another GLB or glTF".into() }));
    };
    let version = about.required_number("version")?;
    if version as u64 > VERSION {
        return Err(unsupported("a later version of libraries", "update puppetry"));
    }
    let listed = about.list("characters")?;
    let characters = listed.iter().map(|item| character(source, &root, item));
    let library = BodyPartLibrary {
        name: about.text("name").unwrap_or_default().to_owned(),
        characters: characters.collect::<Result<_, Fault>>()?,
        self_test: about.get("self_test").map(|test| self_test(&test)).transpose()?,
    };
    if library.characters.is_empty() {
        return Err(unsupported("a library without characters", "build it again"));
    }
    Ok(library)
}

fn unsupported(feature: &str, way_out: &'static str) -> Fault {
    Fault::whole(Problem::Unsupported { feature: feature.to_owned(), way_out })
}

fn self_test(item: &Item) -> Result<SelfTest, Fault> {
    let differences = item.required("differences")?;
    let differences = differences.as_numbers::<{ SHARES.len() }>("five numbers")?;
    Ok(SelfTest { differences })
}

fn character(source: &SourceDocument, root: &Item, item: &Item) -> Result<FinishedCharacter, Fault> {
    let node = item.required("node")?.target(root, "nodes", "node")?;
    let skin = node.required("skin")?.target(root, "skins", "skin")?;
    let mesh = node.required("mesh")?.target(root, "meshes", "mesh")?;
    let joints = joints(root, &skin, item)?;
    let primitives = mesh.list("primitives")?;
    let primitive = primitives.first().ok_or_else(|| mesh.expected("a mesh with triangles"))?;
    let attributes = primitive.required("attributes")?;
    let positions = gltf_read::floats::<3>(source, attributes.required("POSITION")?.value)?;
    if let Some(index) = positions.iter().position(|p| !p.iter().all(|x| x.abs() < FARTHEST)) {
        return Err(Fault::json(&attributes.pointer, Problem::NotFinite { what: "vertex", index }));
    }
    let triangles = gltf_read::primitive_triangles(source, primitive.value)?;
    let (_, triangles) = triangles.ok_or(Fault::whole(Problem::NoTriangles))?;
    let weights = weights(source, &attributes, positions.len(), joints.len())?;
    let height = item.get("height").and_then(|height| height.value.as_f64()).unwrap_or(1.0);
    Ok(FinishedCharacter {
        name: item.text("name").unwrap_or_default().to_owned(),
        licence: item.text("licence").unwrap_or_default().to_owned(),
        height: height as f32,
        joints: joints.into(),
        positions,
        triangles,
        weights,
    })
}

/// Farther from the origin, in heights, nothing of a character is: what is fitted there would overflow.
const FARTHEST: f32 = 1e6;

/// The joints of a skin, parents first.
fn joints(root: &Item, skin: &Item, item: &Item) -> Result<Vec<FinishedJoint>, Fault> {
    let listed = skin.list("joints")?;
    let indices = listed.iter().map(|joint| joint.as_whole_number()).collect::<Result<Vec<_>, _>>()?;
    if indices.is_empty() || u16::try_from(indices.len()).is_err() {
        return Err(skin.expected("a skin with 1 to 65535 joints"));
    }
    let mut joints: Vec<FinishedJoint> = Vec::with_capacity(indices.len());
    let mut parents = vec![None; indices.len()];
    let places: BTreeMap<usize, usize> =
        indices.iter().enumerate().map(|(place, node)| (*node, place)).collect();
    for (joint, reference) in listed.iter().enumerate() {
        let node = reference.target(root, "nodes", "node")?;
        for child in node.list("children")? {
            let child = child.as_whole_number()?;
            match places.get(&child).filter(|&&place| place > joint) {
                Some(&place) => parents[place] = Some(joint),
                None => return Err(node.expected("children that come later in the skin")),
            }
        }
        let role =
            item.get("roles").and_then(|roles| roles.text(&indices[joint].to_string()).map(str::to_owned));
        let translation = node.numbers::<3>("translation")?.unwrap_or_default().map(|x| x as f32);
        if !translation.iter().all(|x| x.abs() < FARTHEST) {
            return Err(Fault::json(&node.pointer, Problem::NotFinite { what: "joint", index: joint }));
        }
        let rotation = node.numbers::<4>("rotation")?.unwrap_or([0.0, 0.0, 0.0, 1.0]).map(|x| x as f32);
        if !rotation.iter().all(|x| x.is_finite()) {
            return Err(Fault::json(&node.pointer, Problem::NotFinite { what: "joint", index: joint }));
        }
        joints.push(FinishedJoint {
            name: node.text("name").unwrap_or_default().to_owned(),
            parent: parents[joint],
            role: role.and_then(|role| role.parse::<Role>().ok()),
            translation,
            rotation,
        });
    }
    Ok(joints)
}

fn weights(
    source: &SourceDocument,
    attributes: &Item,
    vertices: usize,
    joints: usize,
) -> Result<SkinWeights, Fault> {
    let is_eight = attributes.get("JOINTS_1").is_some();
    let mut lists: Vec<Vec<(u16, u16)>> = vec![Vec::new(); vertices];
    for set in 0..if is_eight { 2 } else { 1 } {
        let read = |name: &str| {
            let reference = attributes.member(&format!("{name}_{set}"))?;
            let list = gltf_read::floats::<4>(source, reference.value)?;
            if list.len() == vertices { Ok(list) } else { Err(reference.expected("a row for each vertex")) }
        };
        for (list, (own, shares)) in lists.iter_mut().zip(read("JOINTS")?.iter().zip(read("WEIGHTS")?)) {
            for (joint, share) in own.iter().zip(shares) {
                if share > 0.0 && (*joint as usize) >= joints {
                    return Err(attributes.expected("weights of joints of the skin"));
                }
                list.push((*joint as u16, (f64::from(share) * f64::from(SkinWeights::ONE)).round() as u16));
            }
        }
    }
    let max = if is_eight { MaxInfluences::Eight } else { MaxInfluences::Four };
    let lists = lists.into_iter().map(|list| list.into_iter().map(|(j, w)| (j, f64::from(w))).collect());
    Ok(SkinWeights::of_lists(max, lists))
}
