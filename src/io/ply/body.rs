//! Vertices and faces.

use super::header::{Element, Header};
use super::source::Source;
use crate::Warning;
use crate::io::color::{OPAQUE, vertex_colors_to_linear};
use crate::io::corners::CornerNumbers;
use crate::io::images::Images;
use crate::io::left_out::{NOT_FINITE, SMALL_FACES, dropped, ignored};
use crate::io::{Fault, Folder, Problem};
use crate::math::Vec3;
use crate::mesh::{Format, Material, Mesh, Origin, Part, Triangulator, unit_or_zero};
use std::ops::Range;

/// The values of a vertex that are of use, in this order.
const VERTEX_PROPERTIES: [&[&str]; 12] = [
    &["x"],
    &["y"],
    &["z"],
    &["nx", "normal_x"],
    &["ny", "normal_y"],
    &["nz", "normal_z"],
    &["s", "u", "texture_u", "texcoord_u"],
    &["t", "v", "texture_v", "texcoord_v"],
    &["red", "r", "diffuse_red"],
    &["green", "g", "diffuse_green"],
    &["blue", "b", "diffuse_blue"],
    &["alpha", "a", "diffuse_alpha"],
];

const INDEX_LISTS: [&str; 2] = ["vertex_indices", "vertex_index"];

/// The most corners of all faces together, so that they can be counted with 32 bits.
const LIMIT: u64 = u32::MAX as u64 - 1;

#[derive(Default)]
pub(super) struct Body {
    positions: Vec<Vec3>,
    /// These three are empty or as long as the positions.
    normals: Vec<[f32; 3]>,
    texcoords: Vec<[f32; 2]>,
    colors: Vec<[f32; 4]>,
    corners: Vec<u32>,
    /// Empty or as long as the corners.
    corner_texcoords: Vec<[f32; 2]>,
    faces: Vec<Face>,
    small_faces: usize,
    bad_normals: usize,
    bad_texcoords: usize,
}

struct Face {
    corners_end: u32,
    texture: u32,
}

impl Body {
    pub(super) fn read<S: Source>(header: &Header, mut source: S) -> Result<Body, Fault> {
        let mut body = Body::default();
        for element in &header.elements {
            let (name, count) = (element.name.as_str(), element.count);
            let what = match name {
                "vertex" => "vertices",
                "face" => "faces",
                "tristrips" => "triangle strips",
                _ => "elements",
            };
            let least = element.properties.iter().map(|p| S::least_size(p.list.unwrap_or(p.scalar))).sum();
            source.require(what, count, least)?;
            let indices =
                element.properties.iter().position(|p| p.list.is_some() && INDEX_LISTS.contains(&&*p.name));
            match (name, indices) {
                ("vertex", _) => body.read_vertices(element, &mut source)?,
                ("face", Some(indices)) => {
                    body.read_faces(element, indices, header.vertex_count, &mut source)?
                }
                ("tristrips", Some(indices)) => {
                    body.read_strips(element, indices, header.vertex_count, &mut source)?;
                }
                _ if element.properties.is_empty() => {}
                _ => {
                    for _ in 0..count {
                        element.properties.iter().try_for_each(|property| source.skip(property))?;
                    }
                }
            }
        }
        if !body.corner_texcoords.is_empty() {
            body.corner_texcoords.resize(body.corners.len(), [0.0; 2]);
        }
        Ok(body)
    }

    fn read_vertices<S: Source>(&mut self, element: &Element, source: &mut S) -> Result<(), Fault> {
        if element.count > LIMIT {
            return Err(source.fault(Problem::TooMany { what: "vertices", limit: LIMIT }));
        }
        let slots: Vec<Option<usize>> = element
            .properties
            .iter()
            .map(|p| VERTEX_PROPERTIES.iter().position(|names| p.list.is_none() && names.contains(&&*p.name)))
            .collect();
        let [has_normals, has_texcoords, has_colors] = [3..6, 6..8, 8..11]
            .map(|mut wanted: Range<usize>| wanted.all(|slot| slots.contains(&Some(slot))));
        let count = element.count as usize;
        self.positions.reserve_exact(count);
        for index in 0..count {
            let mut values = [0.0; VERTEX_PROPERTIES.len()];
            values[11] = f64::from(OPAQUE);
            for (property, &slot) in element.properties.iter().zip(&slots) {
                match slot {
                    Some(slot @ 8..) => {
                        values[slot] = source.next(property.scalar)? / property.scalar.white()
                    }
                    Some(slot) => values[slot] = source.next(property.scalar)?,
                    None => source.skip(property)?,
                }
            }
            let [x, y, z, nx, ny, nz, s, t, r, g, b, a] = values;
            if !(x.is_finite() && y.is_finite() && z.is_finite()) {
                return Err(source.fault(Problem::NotFinite { what: "vertex", index }));
            }
            self.positions.push(Vec3::new(x, y, z));
            if has_normals {
                self.bad_normals += usize::from(!(nx.is_finite() && ny.is_finite() && nz.is_finite()));
                self.normals.push(unit_or_zero([nx, ny, nz]));
            }
            if has_texcoords {
                let texcoord = self.usable_texcoord(s, t);
                self.texcoords.push(texcoord);
            }
            if has_colors {
                self.colors.push([r, g, b, a].map(|c| c as f32));
            }
        }
        Ok(())
    }

    /// PLY has the image's lower edge at 0, glTF the upper one.
    fn usable_texcoord(&mut self, s: f64, t: f64) -> [f32; 2] {
        let texcoord = [s as f32, (1.0 - t) as f32];
        if texcoord.iter().all(|c| c.is_finite()) {
            return texcoord;
        }
        self.bad_texcoords += 1;
        [0.0; 2]
    }

    fn read_faces<S: Source>(
        &mut self,
        element: &Element,
        indices: usize,
        vertex_count: u64,
        source: &mut S,
    ) -> Result<(), Fault> {
        let properties = &element.properties;
        let texcoords = properties.iter().position(|p| p.list.is_some() && p.name == "texcoord");
        let texture = properties.iter().position(|p| p.list.is_none() && p.name == "texnumber");
        let (mut polygon, mut coordinates) = (Vec::new(), Vec::new());
        // A face takes at least a byte, and most are triangles; an index takes a byte at least.
        self.faces.reserve(element.count as usize);
        self.corners.reserve(element.count.saturating_mul(3).min(source.available()) as usize);
        for _ in 0..element.count {
            let mut its_texture = 0;
            for (index, property) in properties.iter().enumerate() {
                if index == indices {
                    polygon.clear();
                    for _ in 0..source.list_length(property)? {
                        polygon.push(vertex_index(source.next(property.scalar)?, vertex_count, source)?);
                    }
                } else if Some(index) == texcoords {
                    coordinates.clear();
                    for _ in 0..source.list_length(property)? {
                        coordinates.push(source.next(property.scalar)?);
                    }
                } else if Some(index) == texture {
                    its_texture = source.next(property.scalar)? as u32;
                } else {
                    source.skip(property)?;
                }
            }
            if polygon.len() < 3 {
                self.small_faces += 1;
                continue;
            }
            if texcoords.is_some() {
                self.corner_texcoords.resize(self.corners.len(), [0.0; 2]);
                coordinates.resize(2 * polygon.len(), 0.0);
                for pair in coordinates.chunks_exact(2) {
                    let texcoord = self.usable_texcoord(pair[0], pair[1]);
                    self.corner_texcoords.push(texcoord);
                }
            }
            self.push_face(&polygon, its_texture, source)?;
        }
        Ok(())
    }

    /// Strips as Stanford's scanner software writes them: each vertex makes a triangle with the two before
    /// it, with alternating winding, until -1 starts a new strip.
    fn read_strips<S: Source>(
        &mut self,
        element: &Element,
        indices: usize,
        vertex_count: u64,
        source: &mut S,
    ) -> Result<(), Fault> {
        for _ in 0..element.count {
            for (index, property) in element.properties.iter().enumerate() {
                if index != indices {
                    source.skip(property)?;
                    continue;
                }
                let (mut last, mut length) = ([0; 2], 0usize);
                for _ in 0..source.list_length(property)? {
                    let value = source.next(property.scalar)?;
                    if value == -1.0 {
                        length = 0;
                        continue;
                    }
                    let vertex = vertex_index(value, vertex_count, source)?;
                    if length >= 2 {
                        let [a, b] = if length % 2 == 0 { last } else { [last[1], last[0]] };
                        self.push_face(&[a, b, vertex], 0, source)?;
                    }
                    last = [last[1], vertex];
                    length += 1;
                }
            }
        }
        Ok(())
    }

    fn push_face<S: Source>(&mut self, polygon: &[u32], texture: u32, source: &S) -> Result<(), Fault> {
        self.corners.extend_from_slice(polygon);
        if (self.corners.len() + self.positions.len()) as u64 > LIMIT {
            return Err(source.fault(Problem::TooMany { what: "vertices and polygon corners", limit: LIMIT }));
        }
        self.faces.push(Face { corners_end: self.corners.len() as u32, texture });
        Ok(())
    }

    pub(super) fn assemble(
        mut self,
        header: &Header,
        folder: &Folder,
        warnings: &mut Vec<Warning>,
    ) -> Result<Mesh, Fault> {
        if self.faces.is_empty() {
            return Err(Fault::whole(Problem::NoTriangles));
        }
        let bad_colors = vertex_colors_to_linear(&mut self.colors);
        dropped(warnings, "normals", self.bad_normals, NOT_FINITE);
        dropped(warnings, "texture coordinates", self.bad_texcoords, NOT_FINITE);
        dropped(warnings, "vertex colours", bad_colors, NOT_FINITE);
        ignored(warnings, SMALL_FACES, self.small_faces);
        let textures = header.textures.len();
        let mut mesh = if self.corner_texcoords.is_empty() && textures < 2 {
            self.into_one_part((textures == 1).then_some(0))
        } else {
            self.into_parts(textures)
        };
        mesh.origin = Origin { format: Format::Ply, ..Origin::default() };
        let mut images = Images::new(folder);
        for name in &header.textures {
            let base_color_image = images.load(name, &mut mesh.appearance.images, warnings);
            mesh.appearance.materials.push(Material {
                name: name.clone(),
                base_color_image,
                ..Material::default()
            });
        }
        Ok(mesh)
    }

    /// Vertices are split where texture coordinates of corners differ and between textures. Those that no face
    /// uses go to the end of the last part.
    fn into_parts(self, textures: usize) -> Mesh {
        let mut is_used = vec![false; self.positions.len()];
        for &corner in &self.corners {
            is_used[corner as usize] = true;
        }
        let mut start = 0;
        let mut faces: Vec<(usize, Range<usize>)> = Vec::with_capacity(self.faces.len());
        for face in &self.faces {
            let end = face.corners_end as usize;
            faces.push((textures.min(face.texture as usize), start..end));
            start = end;
        }
        faces.sort_by_key(|face| face.0);

        let mut mesh = Mesh::default();
        let mut numbers = CornerNumbers::new(self.positions.len());
        let mut polygon = Vec::new();
        let mut triangulator = Triangulator::default();
        let has_corner_texcoords = !self.corner_texcoords.is_empty();
        let last_texture = faces.last().map(|face| face.0);
        for faces in faces.chunk_by(|a, b| a.0 == b.0) {
            let (first_vertex, first_triangle) = (mesh.positions.len(), mesh.triangles.len());
            for corners in faces.iter().map(|face| face.1.clone()) {
                polygon.clear();
                for corner in corners {
                    let texcoord = self.corner_texcoords.get(corner).copied();
                    polygon.push(self.vertex(&mut numbers, &mut mesh, self.corners[corner], texcoord));
                }
                triangulator.triangulate(&polygon, &mesh.positions, &mut mesh.triangles);
            }
            let texture = faces[0].0;
            if Some(texture) == last_texture {
                for position in (0..self.positions.len()).filter(|&position| !is_used[position]) {
                    let texcoord = has_corner_texcoords.then_some([0.0; 2]);
                    self.vertex(&mut numbers, &mut mesh, position as u32, texcoord);
                }
            }
            mesh.parts.push(Part {
                vertices: first_vertex..mesh.positions.len(),
                triangles: first_triangle..mesh.triangles.len(),
                material: (texture < textures).then_some(texture),
                ..Part::default()
            });
        }
        mesh
    }

    /// The vertex of a corner, made at its first use in the part.
    #[inline]
    fn vertex(
        &self,
        numbers: &mut CornerNumbers,
        mesh: &mut Mesh,
        position: u32,
        texcoord: Option<[f32; 2]>,
    ) -> u32 {
        let [u, v] = texcoord.unwrap_or_default().map(f32::to_bits);
        let number = numbers.vertex([position, u, v], mesh.parts.len());
        if number as usize == mesh.positions.len() {
            let position = position as usize;
            mesh.positions.push(self.positions[position]);
            mesh.appearance.normals.extend(self.normals.get(position));
            mesh.appearance.colors.extend(self.colors.get(position));
            mesh.appearance.texcoords.extend(texcoord.as_ref().or(self.texcoords.get(position)));
        }
        number
    }

    /// The vertices stay as they are.
    fn into_one_part(self, material: Option<usize>) -> Mesh {
        let mut mesh = Mesh { positions: self.positions, ..Mesh::default() };
        mesh.triangles.reserve_exact(self.corners.len() - 2 * self.faces.len());
        let mut triangulator = Triangulator::default();
        let mut start = 0;
        for face in &self.faces {
            let end = face.corners_end as usize;
            triangulator.triangulate(&self.corners[start..end], &mesh.positions, &mut mesh.triangles);
            start = end;
        }
        (mesh.appearance.normals, mesh.appearance.texcoords) = (self.normals, self.texcoords);
        mesh.appearance.colors = self.colors;
        mesh.parts.push(Part {
            vertices: 0..mesh.positions.len(),
            triangles: 0..mesh.triangles.len(),
            material,
            ..Part::default()
        });
        mesh
    }
}

/// A vertex index as the file writes it, in whatever type.
fn vertex_index<S: Source>(value: f64, vertex_count: u64, source: &S) -> Result<u32, Fault> {
    if value >= 0.0 && value < vertex_count as f64 && value.fract() == 0.0 {
        return Ok(value as u32);
    }
    let count = usize::try_from(vertex_count).unwrap_or(usize::MAX);
    Err(source.fault(Problem::IndexOutOfRange { what: "vertex", index: value as i64, count }))
}
