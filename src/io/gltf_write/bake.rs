//! Transforms of nodes and the placement, baked into the vertices of primitives.

use super::GltfWriteError;
use super::editor::Editor;
use super::replace::Users;
use super::skin::{SkinBinding, linear, moved};
use crate::io::assembly::normal_matrix;
use crate::io::gltf_read;
use crate::math::{Mat3, Mat4, Vec3};
use crate::mesh::{Mesh, Part, PrimitivePlace, SourceDocument, unit_or_zero};
use serde_json::{Value, json};

/// Where the vertices of a primitive go: a transform for each, and what is added to it, if anything is.
#[derive(Clone, Copy)]
struct Moves<'a> {
    output_from_own: &'a [Mat4],
    displacements: &'a [Vec3],
}

impl Editor {
    /// Moves the primitives of the character to where they are seen in the output.
    pub fn bake(
        &mut self,
        source: &SourceDocument,
        mesh: &Mesh,
        binding: &SkinBinding,
        own: &[(&Part, PrimitivePlace)],
    ) -> Result<(), GltfWriteError> {
        let SkinBinding { placement, displacements, .. } = *binding;
        let worlds = gltf_read::world_transforms(&source.json).map_err(GltfWriteError::Document)?;
        let output_from_input = match placement.is_identity() {
            true => Mat4::identity(),
            false => placement.output_from_input.to_homogeneous(),
        };
        let mut users = Users::of(&mut self.json);
        for primitive in own {
            let place = &primitive.1;
            let attributes = self.primitive(place)["attributes"].clone();
            let scene_from_own = gltf_read::vertex_transforms(source, &worlds, place.node, &attributes)
                .map_err(GltfWriteError::Document)?;
            let output_from_own: Vec<Mat4> = scene_from_own.iter().map(|m| output_from_input * m).collect();
            let displaced = displacements.get(primitive.0.vertices.clone()).unwrap_or_default();
            if !displaced.is_empty() || output_from_own.iter().any(|matrix| *matrix != Mat4::identity()) {
                let moves = Moves { output_from_own: &output_from_own, displacements: displaced };
                self.bake_part(source, mesh, primitive, moves, &mut users)?;
            }
        }
        Ok(())
    }

    /// Moves a primitive by one transform for each vertex: all the same, or different ones where it hung on joints already.
    /// Morph targets stay what they are, displacements, and are turned.
    fn bake_part(
        &mut self,
        source: &SourceDocument,
        mesh: &Mesh,
        (part, place): &(&Part, PrimitivePlace),
        Moves { output_from_own, displacements }: Moves,
        users: &mut Users,
    ) -> Result<(), GltfWriteError> {
        let matrices: Vec<Mat3> = output_from_own.iter().map(linear).collect();
        let attributes = self.primitive(place)["attributes"].clone();
        let positions = vectors(source, &attributes["POSITION"])?;
        let mut positions: Vec<Vec3> =
            output_from_own.iter().zip(&positions).map(|(m, p)| moved(m, p)).collect();
        positions.iter_mut().zip(displacements).for_each(|(position, by)| *position += by);
        let accessor =
            self.replace_positions(users, &attributes["POSITION"], &positions, part.vertices.start)?;
        self.primitive(place)["attributes"]["POSITION"] = json!(accessor);
        if matrices.iter().all(|matrix| *matrix == Mat3::identity()) {
            // Directions and displacements are what they were.
            return Ok(());
        }
        let normal_matrices: Vec<Mat3> = matrices.iter().map(normal_matrix).collect();
        if let Some(accessor) = attributes.get("NORMAL") {
            let normals = vectors(source, accessor)?;
            let unit: Vec<[f32; 3]> = normal_matrices
                .iter()
                .zip(&normals)
                .map(|(matrix, n)| unit_or_zero((matrix * n).into()))
                .collect();
            let replaced = self.replace_vectors(users, accessor, &unit);
            self.primitive(place)["attributes"]["NORMAL"] = json!(replaced);
        }
        if let Some(accessor) = attributes.get("TANGENT") {
            let tangents = gltf_read::floats::<4>(source, accessor).map_err(GltfWriteError::Document)?;
            let turned = matrices.iter().zip(&tangents).map(|(matrix, &[x, y, z, w])| {
                let [x, y, z] = unit_or_zero((matrix * Vec3::new(x.into(), y.into(), z.into())).into());
                [x, y, z, if matrix.determinant() < 0.0 { -w } else { w }]
            });
            let turned: Vec<[f32; 4]> = turned.collect();
            let replaced = self.replace_vectors(users, accessor, &turned);
            self.primitive(place)["attributes"]["TANGENT"] = json!(replaced);
        }
        let targets = self.primitive(place).get("targets").and_then(Value::as_array).cloned();
        for (index, target) in targets.unwrap_or_default().iter().enumerate() {
            for (name, matrices) in
                [("POSITION", &matrices), ("NORMAL", &normal_matrices), ("TANGENT", &matrices)]
            {
                let Some(accessor) = target.get(name) else { continue };
                let deltas = vectors(source, accessor)?;
                let moved: Vec<Vec3> = matrices.iter().zip(&deltas).map(|(m, delta)| m * delta).collect();
                let replaced = match name {
                    "POSITION" => self.replace_positions(users, accessor, &moved, part.vertices.start)?,
                    _ => {
                        let narrow: Vec<[f32; 3]> = moved.iter().map(|v| v.cast::<f32>().into()).collect();
                        self.replace_vectors(users, accessor, &narrow)
                    }
                };
                self.primitive(place)["targets"][index][name] = json!(replaced);
            }
        }
        // A mirrored node turns its triangles around; without the node the indices have to.
        if matrices.iter().any(|matrix| matrix.determinant() < 0.0) {
            let corners = mesh.triangles[part.triangles.clone()].iter().flatten();
            let corners: Vec<u32> = corners.map(|&v| v - part.vertices.start as u32).collect();
            let old = self.primitive(place).get("indices").cloned().unwrap_or_default();
            let indices = self.replace_indices(users, &old, &corners, part.vertices.len());
            let primitive = self.primitive(place);
            primitive["indices"] = json!(indices);
            primitive["mode"] = json!(4);
        }
        Ok(())
    }
}

fn vectors(source: &SourceDocument, accessor: &Value) -> Result<Vec<Vec3>, GltfWriteError> {
    let floats = gltf_read::floats::<3>(source, accessor).map_err(GltfWriteError::Document)?;
    Ok(floats.into_iter().map(|value| Vec3::from(value.map(f64::from))).collect())
}
