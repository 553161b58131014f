//! Corners become vertices and polygons become triangles, part by part.

use super::statements::{NONE, Statements};
use crate::Warning;
use crate::io::Folder;
use crate::io::corners::CornerNumbers;
use crate::io::mtl::MaterialLibrary;
use crate::mesh::{Format, Mesh, Origin, Part, Triangulator};
use std::collections::HashMap;

impl Statements {
    /// The mesh, with the materials of its libraries.
    pub fn assemble(mut self, folder: &Folder, warnings: &mut Vec<Warning>) -> Mesh {
        let (colors, bad_colors) = std::mem::take(&mut self.colors).into_linear(self.positions.len());
        self.findings.bad_colors = bad_colors;
        self.findings.report(warnings);
        self.runs.sort_by_key(|run| run.part);
        let mut is_used = vec![false; self.positions.len()];
        for corner in &self.corners {
            is_used[corner[0] as usize] = true;
        }
        let mut builder = Builder::new(&self, &colors);
        let mut polygon = Vec::new();
        let mut triangulator = Triangulator::default();
        for runs in self.runs.chunk_by(|a, b| a.part == b.part) {
            let (first_vertex, first_triangle) = (builder.mesh.positions.len(), builder.mesh.triangles.len());
            for face in runs.iter().flat_map(|run| &self.faces[run.faces.clone()]) {
                polygon.clear();
                for &corner in &self.corners[face.corners.start as usize..face.corners.end as usize] {
                    polygon.push(builder.vertex(corner));
                }
                let mesh = &mut builder.mesh;
                triangulator.triangulate(&polygon, &mesh.positions, &mut mesh.triangles);
            }
            for position in runs.iter().flat_map(|run| run.positions.clone()) {
                if !is_used[position] {
                    builder.vertex([position as u32, NONE, NONE]);
                }
            }
            let mesh = &mut builder.mesh;
            mesh.parts.push(Part {
                name: self.parts[runs[0].part].name.clone(),
                vertices: first_vertex..mesh.positions.len(),
                triangles: first_triangle..mesh.triangles.len(),
                ..Part::default()
            });
        }
        let mut mesh = builder.mesh;
        self.add_materials(&mut mesh, folder, warnings);
        mesh
    }

    fn add_materials(&self, mesh: &mut Mesh, folder: &Folder, warnings: &mut Vec<Warning>) {
        let mut library = MaterialLibrary::load(&self.libraries, folder, warnings);
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (part, key) in mesh.parts.iter_mut().zip(&self.parts) {
            part.material = key.material.as_ref().map(|name| {
                *known.entry(name).or_insert_with(|| library.material(name, &mut mesh.appearance, warnings))
            });
        }
    }
}

/// The mesh while its vertices are numbered.
struct Builder<'s> {
    from: &'s Statements,
    colors: &'s [[f32; 4]],
    has_texcoords: bool,
    has_normals: bool,
    numbers: CornerNumbers,
    mesh: Mesh,
}

impl<'s> Builder<'s> {
    fn new(from: &'s Statements, colors: &'s [[f32; 4]]) -> Builder<'s> {
        let mut mesh =
            Mesh { origin: Origin { format: Format::Obj, ..Origin::default() }, ..Mesh::default() };
        mesh.positions.reserve(from.positions.len());
        mesh.triangles.reserve(from.corners.len() - 2 * from.faces.len());
        Builder {
            from,
            colors,
            has_texcoords: from.corners.iter().any(|corner| corner[1] != NONE),
            has_normals: from.corners.iter().any(|corner| corner[2] != NONE),
            numbers: CornerNumbers::new(from.positions.len()),
            mesh,
        }
    }

    /// The vertex of a corner, made at its first use in the part.
    #[inline]
    fn vertex(&mut self, corner: [u32; 3]) -> u32 {
        let mesh = &mut self.mesh;
        let number = self.numbers.vertex(corner, mesh.parts.len());
        if number as usize == mesh.positions.len() {
            let [position, texcoord, normal] = corner.map(|index| index as usize);
            mesh.positions.push(self.from.positions[position]);
            if self.has_texcoords {
                mesh.appearance
                    .texcoords
                    .push(self.from.texcoords.get(texcoord).copied().unwrap_or_default());
            }
            if self.has_normals {
                mesh.appearance.normals.push(self.from.normals.get(normal).copied().unwrap_or_default());
            }
            if let Some(&color) = self.colors.get(position) {
                mesh.appearance.colors.push(color);
            }
        }
        number
    }
}
