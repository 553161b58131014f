//! Normals for skinned surfaces of a document that have none.
//!
//! A vertex on a crease is split.

use super::copies::Copies;
use super::editor::{Editor, items, number};
use super::replace::Users;
use super::{GltfCharacter, GltfWriteError};
use crate::io::gltf_read;
use crate::math::Vec3;
use crate::mesh::normals::{NormalOptions, SmoothGroups};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ops::Range;

/// The extension of materials that are not lit and need no normals.
const UNLIT: &str = "/extensions/KHR_materials_unlit";

impl GltfCharacter {
    /// Gives normals to skinned surfaces, all of them as one, so that no seam shows between primitives.
    ///
    /// # Errors
    /// If the document contradicts itself.
    pub fn add_normals(&mut self, options: &NormalOptions) -> Result<(), GltfWriteError> {
        let surfaces = self.editor.skinned_primitives();
        let wanted: Vec<bool> =
            surfaces.iter().map(|(_, primitive)| self.editor.wants_normals(primitive, options)).collect();
        let Some(crease) = options.crease().filter(|_| wanted.contains(&true)) else { return Ok(()) };
        let source = self.editor.document();
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        let mut runs: Vec<[Range<usize>; 2]> = Vec::new();
        for (_, primitive) in &surfaces {
            let read =
                gltf_read::primitive_triangles(&source, primitive).map_err(GltfWriteError::Document)?;
            let (own, corners) = read.unwrap_or_default();
            let first = [positions.len(), triangles.len()];
            triangles.extend(corners.iter().map(|corners| corners.map(|vertex| vertex + first[0] as u32)));
            positions.extend(own);
            runs.push([first[0]..positions.len(), first[1]..triangles.len()]);
        }
        let groups = SmoothGroups::of(&positions, &triangles, crease);
        let mut users = Users::of(&mut self.editor.json);
        for ((((mesh, index), primitive), [vertices, own]), _) in
            surfaces.iter().zip(runs).zip(&wanted).filter(|(_, wanted)| **wanted)
        {
            let part = groups.split(&triangles, vertices.clone(), own);
            let primitive = primitive.clone();
            let copies = Copies {
                source: &source,
                vertices: vertices.len(),
                sources: &part.sources,
                corners: &part.corners,
            };
            let primitive = self.editor.split(primitive, &mut users, copies, &part.normals);
            let primitive = primitive.map_err(GltfWriteError::Document)?;
            self.editor.json["meshes"][*mesh]["primitives"][*index] = primitive;
        }
        self.editor.squeeze();
        Ok(())
    }
}

impl Editor {
    /// The primitives of all nodes with a skin that have triangles: mesh, number, and the primitive.
    fn skinned_primitives(&mut self) -> Vec<((usize, usize), Value)> {
        let nodes = items(&mut self.json, "nodes").filter(|node| node.get("skin").is_some());
        let meshes: BTreeSet<usize> = nodes.filter_map(|node| number(node, "mesh")).collect();
        let mut all = Vec::new();
        for mesh in meshes {
            let primitives =
                self.json.pointer(&format!("/meshes/{mesh}/primitives")).and_then(Value::as_array);
            let primitives = primitives.into_iter().flatten().enumerate();
            let surfaces = primitives.filter(|(_, primitive)| {
                number(primitive, "mode").is_none_or(|mode| (4..=6).contains(&mode))
                    && primitive.pointer("/attributes/POSITION").is_some()
            });
            all.extend(surfaces.map(|(index, primitive)| ((mesh, index), primitive.clone())));
        }
        all
    }

    fn wants_normals(&self, primitive: &Value, options: &NormalOptions) -> bool {
        let material = number(primitive, "material").map(|material| &self.json["materials"][material]);
        let is_lit = material.is_none_or(|material| material.pointer(UNLIT).is_none());
        is_lit && options.wants(primitive.pointer("/attributes/NORMAL").is_some())
    }

    /// The primitive with its new vertices and their normals.
    fn split(
        &mut self,
        mut primitive: Value,
        users: &mut Users,
        copies: Copies,
        normals: &[[f32; 3]],
    ) -> Result<Value, crate::io::Fault> {
        if copies.are_there() {
            self.add_copies(&mut primitive, users, copies, &["NORMAL", "TANGENT"])?;
        }
        let attributes = &mut primitive["attributes"];
        if let Some(accessor) = attributes.get("TANGENT").cloned() {
            let tangents = gltf_read::floats::<4>(copies.source, &accessor)?;
            let tangents: Vec<[f32; 4]> = copies
                .sources
                .iter()
                .zip(normals)
                .map(|(&source, normal)| perpendicular(tangents.get(source as usize), normal))
                .collect();
            attributes["TANGENT"] = json!(self.replace_vectors(users, &accessor, &tangents));
        }
        let old = attributes.get("NORMAL").cloned().unwrap_or_default();
        attributes["NORMAL"] = json!(self.replace_vectors(users, &old, normals));
        Ok(primitive)
    }
}

/// A tangent without its part along the normal, with the same handedness.
fn perpendicular(tangent: Option<&[f32; 4]>, normal: &[f32; 3]) -> [f32; 4] {
    let &[x, y, z, side] = tangent.unwrap_or(&[1.0, 0.0, 0.0, 1.0]);
    let normal = Vec3::from(normal.map(f64::from));
    let smallest = normal.iamin();
    let candidates = [Vec3::new(x.into(), y.into(), z.into()), Vec3::ith(smallest, 1.0)];
    let flat = candidates
        .into_iter()
        .find_map(|tangent| (tangent - normal * normal.dot(&tangent)).try_normalize(SHORTEST_TANGENT));
    let [x, y, z]: [f32; 3] = flat.unwrap_or_default().cast::<f32>().into();
    [x, y, z, if side < 0.0 { -1.0 } else { 1.0 }]
}

/// What is left of a tangent along the normal has no direction below this.
const SHORTEST_TANGENT: f64 = 1e-6;
