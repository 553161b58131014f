//! Stanford PLY: ascii, binary little endian, binary big endian.
//!
//! Read are positions, normals, colours, texture coordinates of vertices or (as MeshLab writes them) of the
//! corners of faces, faces as lists of any type, triangle strips, and `comment TextureFile`. All other
//! elements and properties are stepped over. Colours are displayed (sRGB) ones, whatever their type.
//!
//! An own reader rather than the crate ply-rs-bw 4.0: that one takes 2.5 times as long for ascii and 1.3 times
//! for binary files (a sphere of 200,000 vertices), knows no byte offsets, and believes the header: a file of
//! 106 bytes that declares 40 million elements without properties makes it reserve 940 MB. Here each declared
//! count is held against the bytes that are left before anything is reserved.

use super::color::{OPAQUE, vertex_colors_to_linear};
use super::corners::CornerNumbers;
use super::images::Images;
use super::text::Text;
use super::{Fault, Folder, Place, Problem};
use crate::Warning;
use crate::math::Vec3;
use crate::mesh::{Format, Material, Mesh, Origin, Part, Triangulator, unit_or_zero};
use std::ops::Range;

/// Reads a PLY file; its texture comes from `folder`.
///
/// # Errors
/// A `Fault` with the line of an ascii file or the byte offset of a binary one: for broken headers, missing
/// data, vertices that do not exist or are not finite, and if there are no triangles.
pub fn read(bytes: &[u8], folder: &Folder, warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
    let mut text = Text::new(bytes);
    let header = Header::read(&mut text)?;
    let at = text.offset();
    let body = match header.encoding {
        Encoding::Ascii => Body::read(&header, text),
        Encoding::LittleEndian => Body::read(&header, Binary::<true> { bytes, at }),
        Encoding::BigEndian => Body::read(&header, Binary::<false> { bytes, at }),
    }?;
    body.assemble(&header, folder, warnings)
}

// === Header ========================================================================================

struct Header {
    encoding: Encoding,
    elements: Vec<Element>,
    textures: Vec<String>,
    vertex_count: u64,
}

#[derive(Clone, Copy)]
enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

struct Element {
    name: String,
    count: u64,
    properties: Vec<Property>,
}

struct Property {
    name: String,
    /// The type of the count, if this is a list.
    list: Option<Scalar>,
    scalar: Scalar,
}

#[derive(Clone, Copy)]
enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Header {
    /// Leaves `text` at the first byte of the content.
    fn read(text: &mut Text) -> Result<Header, Fault> {
        let start = text.clone();
        if text.word() != b"ply" {
            return Err(start.unexpected("'ply'"));
        }
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        let mut textures = Vec::new();
        loop {
            text.skip_line();
            if text.is_done() {
                return Err(text.unexpected("'end_header'"));
            }
            let line = text.clone();
            match text.word() {
                b"format" => encoding = Some(Encoding::read(text)?),
                b"element" => {
                    let name = name(text)?;
                    text.skip_blanks();
                    let count = text.count("a count")?;
                    elements.push(Element { name, count, properties: Vec::new() });
                }
                b"property" => {
                    let Some(element) = elements.last_mut() else {
                        return Err(line.unexpected("an element"));
                    };
                    element.properties.push(Property::read(text)?);
                }
                b"comment" | b"obj_info" => {
                    let mut ahead = text.clone();
                    if ahead.word() == b"TextureFile" {
                        textures.push(ahead.rest_of_line());
                    }
                }
                b"end_header" => break,
                b"" => {}
                _ => return Err(line.unexpected("a line of a PLY header")),
            }
        }
        let encoding = encoding.ok_or_else(|| text.unexpected("a format in the header"))?;
        text.skip_line();
        let vertex_count = vertices_of(&elements)?;
        Ok(Header { encoding, elements, textures, vertex_count })
    }
}

fn vertices_of(elements: &[Element]) -> Result<u64, Fault> {
    let mut vertices = elements.iter().filter(|element| element.name == "vertex");
    let invalid = |why: &str| Err(Fault::whole(Problem::Invalid { what: "the header", why: why.into() }));
    match (vertices.next(), vertices.next()) {
        (None, _) => invalid("there is no element 'vertex'"),
        (Some(_), Some(_)) => invalid("there are two elements 'vertex'"),
        (Some(vertex), None) => {
            let has = |name: &&str| vertex.properties.iter().any(|p| p.list.is_none() && p.name == **name);
            match ["x", "y", "z"].iter().find(|name| !has(name)) {
                Some(missing) => invalid(&format!("vertices have no property '{missing}'")),
                None => Ok(vertex.count),
            }
        }
    }
}

impl Encoding {
    fn read(text: &mut Text) -> Result<Encoding, Fault> {
        let line = text.clone();
        match text.word() {
            b"ascii" => Ok(Encoding::Ascii),
            b"binary_little_endian" => Ok(Encoding::LittleEndian),
            b"binary_big_endian" => Ok(Encoding::BigEndian),
            _ => Err(line.unexpected("'ascii', 'binary_little_endian' or 'binary_big_endian'")),
        }
    }
}

impl Property {
    fn read(text: &mut Text) -> Result<Property, Fault> {
        let mut ahead = text.clone();
        let is_list = ahead.word() == b"list";
        if is_list {
            *text = ahead;
        }
        let list = if is_list { Some(Scalar::read(text)?) } else { None };
        Ok(Property { list, scalar: Scalar::read(text)?, name: name(text)? })
    }
}

impl Scalar {
    fn read(text: &mut Text) -> Result<Scalar, Fault> {
        let line = text.clone();
        Ok(match text.word() {
            b"char" | b"int8" => Scalar::I8,
            b"uchar" | b"uint8" => Scalar::U8,
            b"short" | b"int16" => Scalar::I16,
            b"ushort" | b"uint16" => Scalar::U16,
            b"int" | b"int32" => Scalar::I32,
            b"uint" | b"uint32" => Scalar::U32,
            b"float" | b"float32" => Scalar::F32,
            b"double" | b"float64" => Scalar::F64,
            _ => return Err(line.unexpected("a type such as 'float' or 'uchar'")),
        })
    }

    fn size(self) -> u64 {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }

    /// The value that means full intensity of a colour. Colours in 32 bits are bytes in a wide type.
    fn white(self) -> f64 {
        match self {
            Scalar::I8 | Scalar::U8 | Scalar::I32 | Scalar::U32 => 255.0,
            Scalar::I16 | Scalar::U16 => 65535.0,
            Scalar::F32 | Scalar::F64 => 1.0,
        }
    }
}

fn name(text: &mut Text) -> Result<String, Fault> {
    let line = text.clone();
    match text.word() {
        b"" => Err(line.unexpected("a name")),
        word => Ok(String::from_utf8_lossy(word).into_owned()),
    }
}

// === Encodings =====================================================================================

/// A stream of numbers in one of the encodings.
trait Source {
    /// The next value.
    fn next(&mut self, scalar: Scalar) -> Result<f64, Fault>;
    /// The least number of bytes that a value takes.
    fn least_size(scalar: Scalar) -> u64;
    /// The blank behind the last number of a text may be missing.
    const LAST_IS_SHORTER_BY: u64;
    fn available(&self) -> u64;
    fn place(&self) -> Place;

    fn fault(&self, problem: Problem) -> Fault {
        Fault { at: self.place(), problem }
    }

    /// A fault unless `count` times `size` bytes can be there.
    fn require(&self, what: &'static str, count: u64, size: u64) -> Result<(), Fault> {
        let needed = count.saturating_mul(size).saturating_sub(Self::LAST_IS_SHORTER_BY);
        let available = self.available();
        if needed > available {
            return Err(self.fault(Problem::Truncated { what, needed, available }));
        }
        Ok(())
    }

    /// The number of values of a property: 1, or the length of its list. So many can be there.
    fn list_length(&mut self, property: &Property) -> Result<u64, Fault> {
        let Some(count) = property.list else { return Ok(1) };
        let length = self.next(count)?;
        if !(length >= 0.0 && length.fract() == 0.0) {
            let problem = Problem::Invalid { what: "the length of a list", why: format!("it is {length}") };
            return Err(self.fault(problem));
        }
        self.require("the values of a list", length as u64, Self::least_size(property.scalar))?;
        Ok(length as u64)
    }

    fn skip(&mut self, property: &Property) -> Result<(), Fault> {
        for _ in 0..self.list_length(property)? {
            self.next(property.scalar)?;
        }
        Ok(())
    }
}

impl Source for Text<'_> {
    fn next(&mut self, scalar: Scalar) -> Result<f64, Fault> {
        self.skip_to_word();
        if !matches!(scalar, Scalar::F32 | Scalar::F64) {
            // Twice as fast as decimals; what turns out to be one in spite of its type is read again.
            let mut ahead = self.clone();
            if let Some(value) = ahead.integer().filter(|_| ahead.at_word_end()) {
                *self = ahead;
                return Ok(value as f64);
            }
        }
        self.number()
    }

    /// A digit and a blank.
    fn least_size(_: Scalar) -> u64 {
        2
    }

    const LAST_IS_SHORTER_BY: u64 = 1;

    fn available(&self) -> u64 {
        self.remaining().len() as u64
    }

    fn place(&self) -> Place {
        Place::Line(self.line())
    }
}

struct Binary<'a, const LITTLE: bool> {
    bytes: &'a [u8],
    at: usize,
}

impl<const LITTLE: bool> Binary<'_, LITTLE> {
    fn take<const SIZE: usize>(&mut self) -> Result<[u8; SIZE], Fault> {
        let Some(&bytes) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<SIZE>()) else {
            let (needed, available) = (SIZE as u64, self.available());
            return Err(self.fault(Problem::Truncated { what: "values", needed, available }));
        };
        self.at += SIZE;
        Ok(bytes)
    }
}

impl<const LITTLE: bool> Source for Binary<'_, LITTLE> {
    #[inline]
    fn next(&mut self, scalar: Scalar) -> Result<f64, Fault> {
        macro_rules! take {
            ($type:ty) => {{
                let bytes = self.take()?;
                f64::from(if LITTLE { <$type>::from_le_bytes(bytes) } else { <$type>::from_be_bytes(bytes) })
            }};
        }
        Ok(match scalar {
            Scalar::I8 => take!(i8),
            Scalar::U8 => take!(u8),
            Scalar::I16 => take!(i16),
            Scalar::U16 => take!(u16),
            Scalar::I32 => take!(i32),
            Scalar::U32 => take!(u32),
            Scalar::F32 => take!(f32),
            Scalar::F64 => take!(f64),
        })
    }

    fn least_size(scalar: Scalar) -> u64 {
        scalar.size()
    }

    const LAST_IS_SHORTER_BY: u64 = 0;

    fn available(&self) -> u64 {
        (self.bytes.len() - self.at) as u64
    }

    fn place(&self) -> Place {
        Place::Offset(self.at)
    }
}

// === Content =======================================================================================

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
struct Body {
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
    fn read<S: Source>(header: &Header, mut source: S) -> Result<Body, Fault> {
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
        let has = |wanted: Range<usize>| wanted.into_iter().all(|slot| slots.contains(&Some(slot)));
        let (has_normals, has_texcoords, has_colors) = (has(3..6), has(6..8), has(8..11));
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
    /// it, turning the other way each time, until -1 starts anew.
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

    fn assemble(
        mut self,
        header: &Header,
        folder: &Folder,
        warnings: &mut Vec<Warning>,
    ) -> Result<Mesh, Fault> {
        if self.faces.is_empty() {
            return Err(Fault::whole(Problem::NoTriangles));
        }
        let bad_colors = vertex_colors_to_linear(&mut self.colors);
        for (what, count) in [
            ("normals", self.bad_normals),
            ("texture coordinates", self.bad_texcoords),
            ("vertex colours", bad_colors),
        ] {
            if count > 0 {
                warnings.push(Warning::Dropped { what, count, reason: "they are not finite numbers" });
            }
        }
        if self.small_faces > 0 {
            let what = "faces with fewer than three corners";
            warnings.push(Warning::Ignored { what, count: self.small_faces });
        }
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
        let mut vertex = |mesh: &mut Mesh, position: u32, texcoord: Option<[f32; 2]>| {
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
        };
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
                    polygon.push(vertex(&mut mesh, self.corners[corner], texcoord));
                }
                triangulator.triangulate(&polygon, &mesh.positions, &mut mesh.triangles);
            }
            let texture = faces[0].0;
            if Some(texture) == last_texture {
                for position in (0..self.positions.len()).filter(|&position| !is_used[position]) {
                    vertex(&mut mesh, position as u32, has_corner_texcoords.then_some([0.0; 2]));
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const TRIANGLE: &str = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

    fn header(format: &str, vertex: &str, rest: &str) -> String {
        format!("ply\nformat {format} 1.0\ncomment test\nelement vertex 3\n{vertex}{rest}end_header\n")
    }

    const XYZ: &str = "property float x\nproperty float y\nproperty float z\n";
    const FACE: &str = "element face 1\nproperty list uchar int vertex_indices\n";

    fn load_bytes(bytes: &[u8]) -> (Mesh, Vec<Warning>) {
        let mut warnings = vec![];
        let mesh = read(bytes, &Folder::none(), &mut warnings).unwrap_or_else(|fault| panic!("{fault:?}"));
        assert_eq!(mesh.broken_invariant(), None);
        (mesh, warnings)
    }

    fn load(text: &str) -> Mesh {
        load_bytes(text.as_bytes()).0
    }

    fn fault(bytes: impl AsRef<[u8]>) -> String {
        let fault = read(bytes.as_ref(), &Folder::none(), &mut vec![]).unwrap_err();
        format!("{}{}", fault.problem.without_general_way_out(), fault.at)
    }

    #[test]
    fn the_three_encodings_agree() {
        let ascii = load(&(header("ascii", XYZ, FACE) + "0 0.5 0\n1 0 0 0 1 0\n\n3 0 1 2\n"));
        assert_eq!(ascii.positions[0], Vec3::new(0.0, 0.5, 0.0));
        for little in [true, false] {
            let name = if little { "binary_little_endian" } else { "binary_big_endian" };
            let mut bytes = header(name, XYZ, FACE).into_bytes();
            for value in [0f32, 0.5, 0., 1., 0., 0., 0., 1., 0.] {
                bytes.extend(if little { value.to_le_bytes() } else { value.to_be_bytes() });
            }
            bytes.push(3);
            for value in [0i32, 1, 2] {
                bytes.extend(if little { value.to_le_bytes() } else { value.to_be_bytes() });
            }
            let (mesh, warnings) = load_bytes(&bytes);
            assert_eq!((&mesh.positions, &mesh.triangles), (&ascii.positions, &ascii.triangles));
            assert_eq!(warnings, []);
        }
    }

    #[test]
    fn every_scalar_type_is_read_in_both_orders() {
        for (name, value) in [
            ("char", vec![2u8]),
            ("uint8", vec![2]),
            ("int16", vec![0, 2]),
            ("ushort", vec![0, 2]),
            ("int", vec![0, 0, 0, 2]),
            ("uint32", vec![0, 0, 0, 2]),
            ("float32", 2f32.to_be_bytes().to_vec()),
            ("double", 2f64.to_be_bytes().to_vec()),
        ] {
            let vertex = format!("property {name} x\nproperty {name} y\nproperty {name} z\n");
            let face = format!("element face 1\nproperty list {name} {name} vertex_index\n");
            for little in [true, false] {
                let format = if little { "binary_little_endian" } else { "binary_big_endian" };
                let mut value = value.clone();
                if little {
                    value.reverse();
                }
                let zero = vec![0; value.len()];
                let mut bytes = header(format, &vertex, &face).into_bytes();
                bytes.extend(value.repeat(9));
                // A face with two corners is counted, not kept, so that nothing but 0 and 2 is needed.
                bytes.extend([value.clone(), zero, value].concat());
                assert!(fault(&bytes).starts_with("it contains no triangles"), "{name}");
            }
        }
    }

    #[test]
    fn vertices_have_normals_texture_coordinates_and_colours() {
        let vertex = "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty list uchar int junk\n\
            property float x\nproperty float y\nproperty float z\nproperty float nx\nproperty float ny\n\
            property float nz\nproperty float s\nproperty float t\nproperty double quality\n";
        let line = "255 0 188 2 7 7 0 0 0 0 0 2 0.25 0.25 9\n";
        let mesh = load(&(header("ascii", vertex, FACE) + &line.repeat(3) + "3 0 1 2"));
        let looks = &mesh.appearance;
        assert_eq!((looks.normals[0], looks.texcoords[0]), ([0.0, 0.0, 1.0], [0.25, 0.75]));
        assert_eq!((looks.colors[0][0], looks.colors[0][1], looks.colors[0][3]), (1.0, 0.0, 1.0));
        assert!((looks.colors[0][2] - 0.5029).abs() < 1e-3, "sRGB 188 is half the light");
        let floats =
            XYZ.to_owned() + "property float r\nproperty float g\nproperty float b\nproperty float a\n";
        let mesh = load(&(header("ascii", &floats, FACE) + &"0 0 0 1 0 0 0.5\n".repeat(3) + "3 0 1 2"));
        assert_eq!(mesh.appearance.colors[0], [1.0, 0.0, 0.0, 0.5]);
    }

    #[test]
    fn unusable_attributes_are_counted() {
        let vertex = XYZ.to_owned()
            + "property float nx\nproperty float ny\nproperty float nz\nproperty float u\nproperty float v\n";
        let text =
            header("ascii", &vertex, FACE) + "0 0 0 nan 0 0 0 0\n0 0 0 0 0 1 inf 0\n0 0 0 0 0 0 0 0\n3 0 1 2";
        let (mesh, warnings) = load_bytes(text.as_bytes());
        assert_eq!(mesh.appearance.normals, [[0.0; 3], [0.0, 0.0, 1.0], [0.0; 3]]);
        let sentences: Vec<String> = warnings.iter().map(|w| w.to_string()).collect();
        assert_eq!(
            sentences,
            [
                "normals were left out because they are not finite numbers: 1",
                "texture coordinates were left out because they are not finite numbers: 1"
            ]
        );
    }

    #[test]
    fn other_elements_are_stepped_over_and_faces_may_come_first() {
        let text = "ply\r\nformat ascii 1.0\r\nelement camera 1\r\nproperty float f\r\nproperty list uchar int l\r\n\
            element face 2\r\nproperty uchar flags\r\nproperty list uchar int vertex_index\r\nelement vertex 4\r\n\
            property float z\r\nproperty float y\r\nproperty float x\r\nelement edge 0\r\nproperty int a\r\n\
            element nothing 4000000000\r\nend_header\r\n\
            1 2 3 4\r\n0 4 0 1 2 3\r\n0 2 0 1\r\n0 0 0\r\n0 0 1\r\n0 1 1\r\n0 1 0\r\n";
        let (mesh, warnings) = load_bytes(text.as_bytes());
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(mesh.positions[1], Vec3::x());
        assert_eq!(
            warnings[0].to_string(),
            "faces with fewer than three corners were left out because they are not part of a surface: 1"
        );
    }

    #[test]
    fn strips_alternate_and_start_anew() {
        let strips = "element tristrips 1\nproperty list int int vertex_indices\n";
        let mesh = load(&(header("ascii", XYZ, strips) + "0 0 0\n1 0 0\n0 1 0\n9 0 1 2 0 -1 2 1 0 1"));
        assert_eq!(mesh.triangles, [[0, 1, 2], [2, 1, 0], [2, 1, 0], [0, 1, 1]]);
    }

    #[test]
    fn textures_come_from_comments_and_coordinates_from_corners() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("my skin.png"), b"\x89PNG").unwrap();
        let folder = Folder::of(&dir.path().join("a.ply"));
        let text = "ply\nformat ascii 1.0\ncomment TextureFile my skin.png\ncomment TextureFile gone.png\nelement vertex 5\n\
            property float x\nproperty float y\nproperty float z\nelement face 3\n\
            property list uchar int vertex_indices\nproperty list uchar float texcoord\nproperty int texnumber\nend_header\n\
            0 0 0\n1 0 0\n1 1 0\n0 1 0\n7 7 7\n\
            3 0 1 2 6 0 0 1 0 1 1 1\n3 0 1 2 6 0 0 1 0 1 1 0\n3 0 2 3 6 0.5 0 1 1 0 1 0\n";
        let mut warnings = vec![];
        let mesh = read(text.as_bytes(), &folder, &mut warnings).unwrap();
        assert_eq!(mesh.broken_invariant(), None);
        assert_eq!(mesh.triangles, [[0, 1, 2], [3, 2, 4], [5, 6, 7]]);
        assert_eq!(
            mesh.parts.iter().map(|p| (p.vertices.clone(), p.material)).collect::<Vec<_>>(),
            [(0..5, Some(0)), (5..9, Some(1))]
        );
        assert_eq!(mesh.appearance.texcoords[3], [0.5, 1.0]);
        assert_eq!(mesh.positions[8], Vec3::repeat(7.0));
        assert_eq!(mesh.appearance.materials[0].base_color_image, Some(0));
        assert_eq!(mesh.appearance.materials[1].base_color_image, None);
        assert!(warnings[0].to_string().starts_with("the image 'gone.png' was left out"));
        let plain = text.replace("comment TextureFile gone.png\n", "").replace(" texcoord", " junk");
        assert_eq!(load(&plain).parts[0].material, Some(0));
    }

    #[test]
    fn counts_that_the_file_cannot_hold_are_refused_after_the_header() {
        let text = header("ascii", XYZ, FACE).replace("vertex 3", "vertex 4000000000") + TRIANGLE;
        assert_eq!(
            fault(&text),
            "vertices need 23999999999 bytes but only 26 are left; the file is cut off, export or copy it again, line 11"
        );
        let text = header("binary_little_endian", XYZ, FACE).replace("face 1", "face 4000000000");
        let mut bytes = text.clone().into_bytes();
        bytes.resize(bytes.len() + 36, 0);
        let place = text.len() + 36;
        assert_eq!(
            fault(&bytes),
            format!(
                "faces need 4000000000 bytes but only 0 are left; the file is cut off, export or copy it again, byte {place}"
            )
        );
        let lists = FACE.replace("uchar int", "uint int");
        let mut bytes = header("binary_big_endian", XYZ, &lists).into_bytes();
        bytes.resize(bytes.len() + 36, 0);
        bytes.extend([255; 8]);
        assert!(fault(&bytes).starts_with("the values of a list need 17179869180 bytes but only 4 are left"));
    }

    #[test]
    fn faults_name_the_place() {
        let start = header("ascii", XYZ, FACE);
        assert_eq!(fault("plyx"), "expected 'ply', found 'plyx', line 1");
        assert_eq!(
            fault("ply\nformat ascii 1.0\n"),
            "expected 'end_header', found 'the end of the file', line 3"
        );
        assert_eq!(
            fault("ply\nformat binary 1.0\n"),
            "expected 'ascii', 'binary_little_endian' or 'binary_big_endian', found 'binary', line 2"
        );
        assert_eq!(
            fault("ply\nend_header\n"),
            "expected a format in the header, found 'the end of the line', line 2"
        );
        assert_eq!(fault("ply\nproperty int x\n"), "expected an element, found 'property', line 2");
        assert_eq!(fault("ply\nelement vertex -1\n"), "expected a count, found '-1', line 2");
        assert_eq!(fault("ply\nelement\n"), "expected a name, found 'the end of the line', line 2");
        assert_eq!(fault("ply\nhello\n"), "expected a line of a PLY header, found 'hello', line 2");
        assert_eq!(
            fault("ply\nelement vertex 1\nproperty half x"),
            "expected a type such as 'float' or 'uchar', found 'half', line 3"
        );
        assert_eq!(
            fault("ply\nformat ascii 1.0\nend_header\n"),
            "the header is invalid: there is no element 'vertex'"
        );
        assert_eq!(
            fault(start.replace("property float z\n", "")),
            "the header is invalid: vertices have no property 'z'"
        );
        assert_eq!(
            fault(start.replace("element face 1", "element vertex 1")),
            "the header is invalid: there are two elements 'vertex'"
        );
        assert_eq!(
            fault(format!("{start}0 0 0 0 nan 0 0 0 0 3 0 1 2")),
            "vertex 1 is not a finite number; delete or mend it in the program that made the file, line 11"
        );
        assert_eq!(
            fault(format!("{start}0 0 0\n1 0 0\n0 1 0\n3 0 1 3")),
            "vertex 3 does not exist, there are 3, line 14"
        );
        assert_eq!(
            fault(format!("{start}0 0 0\n1 0 0\n0 1 0\n3 0 1 -1")),
            "vertex -1 does not exist, there are 3, line 14"
        );
        assert_eq!(
            fault(format!("{start}0 0 0\n1 0 0\n0 1 0\n-3 0 1 2")),
            "the length of a list is invalid: it is -3, line 14"
        );
        assert_eq!(
            fault(format!("{start}0 0 0\n1 0 0\n0 1 0\n3 0 1")),
            "the values of a list need 5 bytes but only 4 are left; the file is cut off, export or copy it again, line 14"
        );
        let text = header("ascii", XYZ, "");
        assert!(fault(text + "0 0 0 0 0 0 0 0 0").starts_with("it contains no triangles"));
    }
}
