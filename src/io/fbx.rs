//! FBX 5000 to 7700, binary and ASCII, through the library ufbx.
//!
//! ufbx sees the bytes only: it opens no files and has bounded memory. Geometry stays in the unit and the
//! axes of the file, which [`Conventions`] states; only a left-handed file is mirrored.

use super::assembly::{normal_matrix, pad};
use super::images::{Images, image};
use super::{Fault, Folder, Problem};
use crate::Warning;
use crate::math::{Mat3, Vec3};
use crate::mesh::{
    AlphaMode, Appearance, Axis, Conventions, Format, Material, Mesh, Origin, Part, unit_or_zero,
};
use std::collections::HashMap;
use std::sync::OnceLock;
use ufbx::{AllocatorOpts, CoordinateAxis, FileFormat, IndexErrorHandling, LoadOpts};

/// Memory that ufbx may take: arrays are stored deflated, so that the content is larger than the file, but by
/// far less than this. The constant part is for its own tables.
const MEMORY_FLOOR: usize = 256 << 20;
const MEMORY_PER_BYTE: usize = 64;
/// Corners of polygons, counted for each node that shows them, that even the smallest file may have.
const CORNERS_FLOOR: usize = 8 << 20;
const CORNERS_PER_BYTE: usize = 16;
/// Polygons with more corners are cut as a fan. The time of a good triangulation grows with the square: a
/// star of 10,000 corners takes a quarter of a second, and a file could hold hundreds. No character has a
/// concave face of even a hundred corners.
const LARGEST_POLYGON: u32 = 1_000;

/// An FBX file. Its surface is parsed at the first question and kept; its animation is parsed apart from it.
pub struct FbxFile {
    pub(super) bytes: Vec<u8>,
    surface: OnceLock<ufbx::SceneRoot>,
}

impl FbxFile {
    /// A file that is not parsed yet.
    pub fn new(bytes: Vec<u8>) -> FbxFile {
        FbxFile { bytes, surface: OnceLock::new() }
    }

    /// The scene without its animation.
    pub(super) fn surface(&self) -> Result<&ufbx::Scene, Fault> {
        if let Some(scene) = self.surface.get() {
            return Ok(scene);
        }
        let scene = load(&self.bytes, Wanted::Surface)?;
        Ok(self.surface.get_or_init(|| scene))
    }

    /// Whether a node shows a mesh.
    pub fn has_mesh(&self) -> bool {
        self.surface().is_ok_and(|scene| scene.nodes.as_ref().iter().any(|node| node.mesh.is_some()))
    }

    /// Reads the surface. Textures that are not embedded are looked up in `folder`.
    ///
    /// A skinned mesh is read as it was modelled, without its skeleton. Vertex colours are taken as linear, since
    /// FBX does not say what they are.
    pub fn mesh(&self, folder: &Folder, warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
        Ok(read_scene(self.surface()?, self.bytes.len(), folder, warnings)?.0)
    }
}

/// Reads the mesh of an FBX file by [`FbxFile::mesh`].
pub fn read(bytes: &[u8], folder: &Folder, warnings: &mut Vec<Warning>) -> Result<Mesh, Fault> {
    FbxFile::new(bytes.to_vec()).mesh(folder, warnings)
}

/// The node and the point of its mesh that each vertex comes from.
pub(super) type Origins = Vec<(u32, u32)>;

/// The surface of a scene that a file of that size holds, and where its vertices come from.
pub(super) fn read_scene(
    scene: &ufbx::Scene,
    file_size: usize,
    folder: &Folder,
    warnings: &mut Vec<Warning>,
) -> Result<(Mesh, Origins), Fault> {
    let axes = Axes::of(scene);
    let mut mesh = Mesh::default();
    let mut origins = Origins::new();
    read_materials(scene, folder, &mut mesh.appearance, warnings);
    read_nodes(scene, &axes, file_size, &mut mesh, &mut origins, warnings)?;
    if mesh.triangles.is_empty() {
        return Err(Fault::whole(Problem::NoTriangles));
    }
    if let Some(axis) = axes.mirrored {
        warnings.push(Warning::Mirrored { axis });
    }
    let unit = scene.settings.unit_meters;
    let meters_per_unit = (unit.is_finite() && unit > 0.0).then_some(unit);
    let conventions = Conventions { meters_per_unit, up: axes.up, front: axes.front };
    mesh.origin = Origin { format: Format::Fbx, conventions, carried: None };
    Ok((mesh, origins))
}

/// The linear map that makes the coordinates of a scene right-handed.
pub(super) fn mirror(scene: &ufbx::Scene) -> Mat3 {
    Axes::of(scene).mirror()
}

/// What of a file is parsed.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Wanted {
    Surface,
    Animation,
}

/// The scene of a file.
pub(super) fn load(bytes: &[u8], wanted: Wanted) -> Result<ufbx::SceneRoot, Fault> {
    if bytes.is_empty() {
        return Err(Fault::whole(Problem::Empty));
    }
    let memory = || AllocatorOpts {
        memory_limit: bytes.len().saturating_mul(MEMORY_PER_BYTE).saturating_add(MEMORY_FLOOR),
        ..AllocatorOpts::default()
    };
    let options = LoadOpts {
        file_format: FileFormat::Fbx,
        temp_allocator: memory(),
        result_allocator: memory(),
        ignore_animation: wanted == Wanted::Surface,
        ignore_geometry: wanted == Wanted::Animation,
        index_error_handling: IndexErrorHandling::NoIndex,
        ..LoadOpts::default()
    };
    ufbx::load_memory(bytes, options).map_err(|error| {
        let text = [&*error.description, error.info()].map(str::trim);
        Fault::whole(Problem::Fbx(text.join(" ").trim_end().to_owned()))
    })
}

/// The axes that the file declares.
#[derive(Default)]
struct Axes {
    up: Option<Axis>,
    /// Where a character faces: towards the viewer.
    front: Option<Axis>,
    /// The axis along which a left-handed file is mirrored.
    mirrored: Option<Axis>,
}

impl Axes {
    fn of(scene: &ufbx::Scene) -> Axes {
        let axes = &scene.settings.axes;
        let [Some(right), Some(up), Some(front)] = [axes.right, axes.up, axes.front].map(axis) else {
            return Axes::default();
        };
        let handedness = right.vector().cross(&up.vector()).dot(&front.vector());
        match handedness {
            1.0 => Axes { up: Some(up), front: Some(front), mirrored: None },
            -1.0 => Axes { up: Some(up), front: Some(front), mirrored: Some(right) },
            _ => Axes::default(),
        }
    }

    fn mirror(&self) -> Mat3 {
        let direction = self.mirrored.map_or(Vec3::zeros(), Axis::vector);
        Mat3::identity() - direction * direction.transpose() * 2.0
    }
}

fn axis(axis: CoordinateAxis) -> Option<Axis> {
    Some(match axis {
        CoordinateAxis::PositiveX => Axis::PosX,
        CoordinateAxis::NegativeX => Axis::NegX,
        CoordinateAxis::PositiveY => Axis::PosY,
        CoordinateAxis::NegativeY => Axis::NegY,
        CoordinateAxis::PositiveZ => Axis::PosZ,
        CoordinateAxis::NegativeZ => Axis::NegZ,
        CoordinateAxis::Unknown => return None,
    })
}

fn read_nodes(
    scene: &ufbx::Scene,
    axes: &Axes,
    file_size: usize,
    mesh: &mut Mesh,
    origins: &mut Origins,
    warnings: &mut Vec<Warning>,
) -> Result<(), Fault> {
    let limit = file_size.saturating_mul(CORNERS_PER_BYTE).clamp(CORNERS_FLOOR, u32::MAX as usize);
    let mirror = axes.mirror();
    let (mut corners, mut hidden, mut points, mut lines) = (0, 0, 0, 0);
    for node in &scene.nodes {
        let Some(source) = node.mesh.as_deref() else { continue };
        if !node.visible {
            hidden += 1;
            continue;
        }
        corners += source.num_indices.max(1);
        if corners > limit {
            let what = "corners, each use of a mesh counted";
            return Err(Fault::whole(Problem::TooMany { what, limit: limit as u64 }));
        }
        points += source.num_point_faces;
        lines += source.num_line_faces;
        let placement = Placement::of(&node.geometry_to_world, &mirror);
        for part in &source.material_parts {
            let material =
                node.materials.get(part.index as usize).or(source.materials.get(part.index as usize));
            let material = material.map(|material| material.element.typed_id as usize);
            let material = material.filter(|&material| material < mesh.appearance.materials.len());
            let mut reader = PartReader::new(mesh, source, &placement);
            reader.read(part, &node.element.name, material)?;
            origins.extend(reader.points.iter().map(|&point| (node.element.typed_id, point)));
        }
    }
    for (what, count) in [("points", points), ("lines", lines)] {
        if count > 0 {
            warnings.push(Warning::Ignored { what, count });
        }
    }
    if hidden > 0 {
        let reason = "their nodes are invisible";
        warnings.push(Warning::Dropped { what: "meshes", count: hidden, reason });
    }
    pad(&mut mesh.appearance.normals, mesh.positions.len(), [0.0; 3]);
    pad(&mut mesh.appearance.texcoords, mesh.positions.len(), [0.0; 2]);
    pad(&mut mesh.appearance.colors, mesh.positions.len(), [1.0; 4]);
    Ok(())
}

/// From the coordinates of a geometry to those of the scene.
struct Placement {
    linear: Mat3,
    translation: Vec3,
    normals: Mat3,
    turned_inside_out: bool,
}

impl Placement {
    fn of(m: &ufbx::Matrix, mirror: &Mat3) -> Placement {
        let columns = [
            Vec3::new(m.m00, m.m10, m.m20),
            Vec3::new(m.m01, m.m11, m.m21),
            Vec3::new(m.m02, m.m12, m.m22),
            Vec3::new(m.m03, m.m13, m.m23),
        ];
        let [x, y, z, translation] = columns.map(|column| mirror * column);
        let linear = Mat3::from_columns(&[x, y, z]);
        let turned_inside_out = linear.determinant() < 0.0;
        Placement { linear, translation, normals: normal_matrix(&linear), turned_inside_out }
    }
}

/// What makes two corners of polygons the same vertex: the point and the bits of normal, texture coordinates,
/// colour.
type Corner = (u32, [u32; 3], [u32; 2], [u32; 4]);

/// Appends one material of one mesh of one node.
struct PartReader<'r> {
    mesh: &'r mut Mesh,
    source: &'r ufbx::Mesh,
    placement: &'r Placement,
    vertices: HashMap<Corner, u32>,
    /// The point of each vertex.
    points: Vec<u32>,
}

impl<'r> PartReader<'r> {
    fn new(mesh: &'r mut Mesh, source: &'r ufbx::Mesh, placement: &'r Placement) -> Self {
        PartReader { mesh, source, placement, vertices: HashMap::new(), points: Vec::new() }
    }

    fn read(&mut self, part: &ufbx::MeshPart, name: &str, material: Option<usize>) -> Result<(), Fault> {
        let first_vertex = self.mesh.positions.len();
        let first_triangle = self.mesh.triangles.len();
        let mut corners = Vec::new();
        for &face in &part.face_indices {
            let Some(&face) = self.source.faces.get(face as usize) else { continue };
            triangulate(self.source, face, &mut corners);
            for &[a, b, c] in corners.as_chunks::<3>().0 {
                let (b, c) = if self.placement.turned_inside_out { (c, b) } else { (b, c) };
                let triangle = [self.vertex(a)?, self.vertex(b)?, self.vertex(c)?];
                self.mesh.triangles.push(triangle);
            }
        }
        if self.mesh.triangles.len() > first_triangle {
            self.mesh.parts.push(Part {
                name: name.to_owned(),
                vertices: first_vertex..self.mesh.positions.len(),
                triangles: first_triangle..self.mesh.triangles.len(),
                material,
                place: None,
            });
        }
        Ok(())
    }

    /// The vertex of a corner, made if no earlier corner of this part is equal.
    fn vertex(&mut self, corner: u32) -> Result<u32, Fault> {
        let corner = corner as usize;
        let source = self.source;
        let count = source.vertices.len();
        let point = source.vertex_position.indices.get(corner).copied().unwrap_or(u32::MAX);
        let Some(position) = source.vertex_position.values.get(point as usize) else {
            let problem = Problem::IndexOutOfRange { what: "vertex", index: point.into(), count };
            return Err(Fault::whole(problem));
        };
        let normal = value(&source.vertex_normal.values, &source.vertex_normal.indices, corner);
        let texcoord = value(&source.vertex_uv.values, &source.vertex_uv.indices, corner);
        let color = value(&source.vertex_color.values, &source.vertex_color.indices, corner);
        let normal = normal.map(|n| self.placement.normals * Vec3::new(n.x, n.y, n.z));
        let normal = normal.map_or([0.0; 3], |normal| unit_or_zero(normal.into()));
        let texcoord =
            texcoord.map(|t| [t.x as f32, 1.0 - t.y as f32]).filter(all_finite).unwrap_or_default();
        let color = color.map(|c| [c.x, c.y, c.z, c.w].map(|c| c as f32)).filter(all_finite);
        let color = color.unwrap_or([1.0; 4]);

        let key = (point, normal.map(f32::to_bits), texcoord.map(f32::to_bits), color.map(f32::to_bits));
        if let Some(&vertex) = self.vertices.get(&key) {
            return Ok(vertex);
        }
        let vertex = self.mesh.positions.len();
        let position = Vec3::new(position.x, position.y, position.z);
        let position = self.placement.linear * position + self.placement.translation;
        if !position.iter().all(|coordinate| coordinate.is_finite()) {
            return Err(Fault::whole(Problem::NotFinite { what: "vertex", index: point as usize }));
        }
        self.mesh.positions.push(position);
        self.points.push(point);
        let appearance = &mut self.mesh.appearance;
        put(&mut appearance.normals, source.vertex_normal.exists, vertex, [0.0; 3], normal);
        put(&mut appearance.texcoords, source.vertex_uv.exists, vertex, [0.0; 2], texcoord);
        put(&mut appearance.colors, source.vertex_color.exists, vertex, [1.0; 4], color);
        self.vertices.insert(key, vertex as u32);
        Ok(vertex as u32)
    }
}

/// An attribute of a corner, if the mesh has it there.
fn value<T: Copy>(values: &[T], indices: &[u32], corner: usize) -> Option<T> {
    values.get(*indices.get(corner)? as usize).copied()
}

fn all_finite<const N: usize>(values: &[f32; N]) -> bool {
    values.iter().all(|value| value.is_finite())
}

/// Sets the value of the newest vertex; vertices before the first one that has a value get the filler.
fn put<T: Copy>(list: &mut Vec<T>, exists: bool, vertex: usize, filler: T, value: T) {
    if exists {
        list.resize(vertex, filler);
        list.push(value);
    }
}

/// The triangles of a polygon as corners of the mesh, three by three.
fn triangulate(source: &ufbx::Mesh, face: ufbx::Face, corners: &mut Vec<u32>) {
    corners.clear();
    if face.num_indices < 3 {
        return;
    }
    if face.num_indices > LARGEST_POLYGON {
        let first = face.index_begin;
        corners.extend((1..face.num_indices - 1).flat_map(|i| [first, first + i, first + i + 1]));
        return;
    }
    corners.resize((face.num_indices as usize - 2) * 3, 0);
    let triangles = ufbx::triangulate_face(corners, source, face);
    corners.truncate(triangles as usize * 3);
}

fn read_materials(
    scene: &ufbx::Scene,
    folder: &Folder,
    appearance: &mut Appearance,
    warnings: &mut Vec<Warning>,
) {
    let mut textures =
        Textures { scene, images: Images::new(folder), slots: HashMap::new(), appearance, warnings };
    let materials = scene.materials.as_ref().iter().map(|source| material(source, &mut textures)).collect();
    appearance.materials = materials;
}

/// ufbx brings all shading models to its PBR maps, Phong and Lambert included; transparency alone stays
/// apart.
fn material(source: &ufbx::Material, textures: &mut Textures) -> Material {
    let pbr = &source.pbr;
    let number = |map: &ufbx::MaterialMap, default: f64| {
        let value = if map.has_value { map.value_vec4.x } else { default };
        if value.is_finite() { value as f32 } else { default as f32 }
    };
    let color = |map: &ufbx::MaterialMap, factor: &ufbx::MaterialMap, default: f64| {
        let value = map.value_vec4;
        let color = if map.has_value { [value.x, value.y, value.z] } else { [default; 3] };
        let factor = number(factor, 1.0);
        let scaled = color.map(|channel| channel as f32 * factor);
        if all_finite(&scaled) { scaled } else { [default as f32; 3] }
    };
    let base_color_image = textures.image(&pbr.base_color);
    // A texture replaces the colour in FBX; the factor of glTF would darken it.
    let [r, g, b] =
        if base_color_image.is_some() { [1.0; 3] } else { color(&pbr.base_color, &pbr.base_factor, 1.0) };
    let opacity = opacity(source);
    let cut_out = source.fbx.transparency_color.texture.is_some() || pbr.opacity.texture.is_some();
    let emissive_image = textures.image(&pbr.emission_color);
    Material {
        name: source.element.name.to_string(),
        base_color: [r, g, b, opacity],
        base_color_image,
        normal_image: textures.image(&pbr.normal_map),
        metallic: if source.features.pbr.enabled { number(&pbr.metalness, 0.0).clamp(0.0, 1.0) } else { 0.0 },
        roughness: number(&pbr.roughness, 1.0).clamp(0.0, 1.0),
        emissive: color(&pbr.emission_color, &pbr.emission_factor, 0.0),
        emissive_image,
        alpha: match (opacity < 1.0, cut_out) {
            (true, _) => AlphaMode::Blend,
            (false, true) => AlphaMode::Mask(0.5),
            (false, false) => AlphaMode::Opaque,
        },
        double_sided: source.features.double_sided.enabled,
    }
}

/// Phong and Lambert state a transparent colour and its factor. Exporters disagree about their meaning so
/// much that "fully transparent" usually means opaque, and nobody models an invisible character.
fn opacity(source: &ufbx::Material) -> f32 {
    let opacity = if source.features.pbr.enabled {
        let map = &source.pbr.opacity;
        if map.has_value { map.value_vec4.x } else { 1.0 }
    } else {
        let (color, factor) = (&source.fbx.transparency_color, &source.fbx.transparency_factor);
        let mean = (color.value_vec4.x + color.value_vec4.y + color.value_vec4.z) / 3.0;
        let factor = if factor.has_value { factor.value_vec4.x } else { 1.0 };
        if color.has_value { 1.0 - mean * factor } else { 1.0 }
    };
    if opacity > 0.0 && opacity < 1.0 { opacity as f32 } else { 1.0 }
}

/// Fetches the images of textures, each file once.
struct Textures<'t> {
    scene: &'t ufbx::Scene,
    images: Images<'t>,
    /// Which image a texture file of the scene became, if it could be had.
    slots: HashMap<u32, Option<usize>>,
    appearance: &'t mut Appearance,
    warnings: &'t mut Vec<Warning>,
}

impl Textures<'_> {
    fn image(&mut self, map: &ufbx::MaterialMap) -> Option<usize> {
        let texture = map.texture.as_deref().filter(|_| map.texture_enabled)?;
        // Layers and shaders lead to files in the end; the first one stands for all.
        let texture = texture.file_textures.as_ref().first().map_or(texture, |first| first);
        if !texture.has_file {
            return None;
        }
        if let Some(&slot) = self.slots.get(&texture.file_index) {
            return slot;
        }
        let slot = self.load(texture.file_index);
        self.slots.insert(texture.file_index, slot);
        slot
    }

    fn load(&mut self, file_index: u32) -> Option<usize> {
        let file = self.scene.texture_files.get(file_index as usize)?;
        let spellings = [&file.relative_filename, &file.filename, &file.absolute_filename];
        let names: Vec<&str> = spellings.into_iter().map(|name| &**name).filter(|n| !n.is_empty()).collect();
        let images = &mut self.appearance.images;
        if file.content.is_empty() {
            return self.images.load_any(&names, images, self.warnings);
        }
        images.push(image(names.first().unwrap_or(&""), file.content.to_vec()));
        Some(images.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube from −1 to 1, quads with their own texture coordinates, in Z-up centimetres, standing at (0, 0,
    /// 5).
    const CUBE: &str = r#"; FBX 7.4.0 project file
FBXHeaderExtension:  {
    FBXHeaderVersion: 1003
    FBXVersion: 7400
}
GlobalSettings:  {
    Version: 1000
    Properties70:  {
        P: "UpAxis", "int", "Integer", "",2
        P: "UpAxisSign", "int", "Integer", "",1
        P: "FrontAxis", "int", "Integer", "",1
        P: "FrontAxisSign", "int", "Integer", "",-1
        P: "CoordAxis", "int", "Integer", "",0
        P: "CoordAxisSign", "int", "Integer", "",1
        P: "UnitScaleFactor", "double", "Number", "",1
    }
}
Objects:  {
    Geometry: 10, "Geometry::Cube", "Mesh" {
        Vertices: *24 {
            a: -1,-1,-1,1,-1,-1,1,1,-1,-1,1,-1,-1,-1,1,1,-1,1,1,1,1,-1,1,1
        }
        PolygonVertexIndex: *24 {
            a: 0,3,2,-2,4,5,6,-8,0,1,5,-5,1,2,6,-6,2,3,7,-7,3,0,4,-8
        }
        GeometryVersion: 124
        LayerElementUV: 0 {
            Version: 101
            Name: "UVMap"
            MappingInformationType: "ByPolygonVertex"
            ReferenceInformationType: "IndexToDirect"
            UV: *8 {
                a: 0,0,1,0,1,1,0,0.75
            }
            UVIndex: *24 {
                a: 0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3
            }
        }
        LayerElementMaterial: 0 {
            Version: 101
            Name: ""
            MappingInformationType: "AllSame"
            ReferenceInformationType: "IndexToDirect"
            Materials: *1 {
                a: 0
            }
        }
        Layer: 0 {
            Version: 100
            LayerElement:  {
                Type: "LayerElementUV"
                TypedIndex: 0
            }
            LayerElement:  {
                Type: "LayerElementMaterial"
                TypedIndex: 0
            }
        }
    }
    Model: 20, "Model::Body", "Mesh" {
        Version: 232
        Properties70:  {
            P: "Lcl Translation", "Lcl Translation", "", "A",0,0,5
            P: "Lcl Scaling", "Lcl Scaling", "", "A",1,1,1
        }
    }
    Material: 30, "Material::Skin", "" {
        Version: 102
        ShadingModel: "phong"
        Properties70:  {
            P: "DiffuseColor", "Color", "", "A",0.5,0.25,0.125
            P: "EmissiveColor", "Color", "", "A",0.1,0.2,0.3
            P: "TransparentColor", "Color", "", "A",0.5,0.5,0.5
            P: "TransparencyFactor", "Number", "", "A",0.5
            P: "ShininessExponent", "Number", "", "A",25
        }
    }
    Texture: 40, "Texture::Face", "" {
        Type: "TextureVideoClip"
        Version: 202
        TextureName: "Texture::Face"
        FileName: "C:\art\face.png"
        RelativeFilename: "face.png"
    }
}
Connections:  {
    C: "OO",20,0
    C: "OO",10,20
    C: "OO",30,20
}
"#;

    fn load(text: &str) -> Result<(Mesh, Vec<Warning>), Fault> {
        let mut warnings = Vec::new();
        Ok((read(text.as_bytes(), &Folder::none(), &mut warnings)?, warnings))
    }

    /// Six times the enclosed volume; positive if the triangles face outwards.
    fn volume(mesh: &Mesh) -> f64 {
        let corner = |v: u32| mesh.positions[v as usize];
        mesh.triangles.iter().map(|&[a, b, c]| corner(a).cross(&corner(b)).dot(&corner(c))).sum()
    }

    #[test]
    fn a_cube_comes_with_its_place_unit_axes_and_material() {
        let (mesh, warnings) = load(CUBE).unwrap();
        assert_eq!(warnings, []);
        assert_eq!(mesh.triangles.len(), 12);
        assert_eq!(mesh.parts.len(), 1);
        assert_eq!(mesh.parts[0].name, "Body");
        assert_eq!(mesh.origin.conventions.meters_per_unit, Some(0.01));
        assert_eq!(mesh.origin.conventions.up, Some(Axis::PosZ));
        assert_eq!(mesh.origin.conventions.front, Some(Axis::NegY));
        let heights = mesh.positions.iter().map(|p| p.z);
        assert_eq!(heights.clone().fold(f64::MAX, f64::min), 4.0);
        assert_eq!(heights.fold(f64::MIN, f64::max), 6.0);
        assert!((volume(&mesh) - 48.0).abs() < 1e-12);
        let material = &mesh.appearance.materials[mesh.parts[0].material.unwrap()];
        assert_eq!(material.name, "Skin");
        assert_eq!(material.base_color, [0.5, 0.25, 0.125, 0.75]);
        assert_eq!(material.emissive, [0.1, 0.2, 0.3]);
        assert_eq!((material.alpha, material.metallic), (AlphaMode::Blend, 0.0));
        assert!(material.roughness > 0.0 && material.roughness < 1.0);
    }

    #[test]
    fn vertices_are_split_only_where_texture_coordinates_differ() {
        let (mesh, _) = load(CUBE).unwrap();
        // Each of the 8 points has 3 corners; the pairs of point and texture coordinates are counted by hand.
        let mut pairs: Vec<(String, String)> = Vec::new();
        for (p, t) in mesh.positions.iter().zip(&mesh.appearance.texcoords) {
            pairs.push((format!("{p:?}"), format!("{t:?}")));
        }
        let all = pairs.len();
        pairs.sort();
        pairs.dedup();
        assert_eq!(pairs.len(), all, "equal corners must share a vertex");
        assert!((8..24).contains(&all), "{all}");
        assert!(mesh.appearance.texcoords.contains(&[0.0, 0.25]), "v is flipped");
    }

    #[test]
    fn mirrored_nodes_still_face_outwards() {
        let text = CUBE.replace("\"A\",1,1,1\n", "\"A\",-2,1,1\n");
        let (mesh, _) = load(&text).unwrap();
        assert!((volume(&mesh) - 96.0).abs() < 1e-12);
    }

    #[test]
    fn left_handed_files_are_mirrored_and_say_so() {
        let text = CUBE.replace(
            "\"CoordAxisSign\", \"int\", \"Integer\", \"\",1",
            "\"CoordAxisSign\", \"int\", \"Integer\", \"\",-1",
        );
        let (mesh, warnings) = load(&text).unwrap();
        assert_eq!(warnings, [Warning::Mirrored { axis: Axis::NegX }]);
        assert!(volume(&mesh) > 0.0);
        assert_eq!(mesh.origin.conventions.up, Some(Axis::PosZ));
    }

    #[test]
    fn textures_come_from_the_folder_or_are_reported_missing() {
        let text = CUBE
            .replace("    C: \"OO\",30,20\n", "    C: \"OO\",30,20\n    C: \"OP\",40,30, \"DiffuseColor\"\n");
        let (mesh, warnings) = load(&text).unwrap();
        assert!(
            matches!(&warnings[..], [Warning::FileMissing { what: "image", name, .. }] if name == "face.png")
        );
        assert_eq!(mesh.appearance.materials[0].base_color_image, None);

        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("face.png"), b"\x89PNG").unwrap();
        let mut warnings = Vec::new();
        let mesh = read(text.as_bytes(), &Folder::of(&folder.path().join("a.fbx")), &mut warnings).unwrap();
        assert_eq!(warnings, []);
        let image = &mesh.appearance.images[mesh.appearance.materials[0].base_color_image.unwrap()];
        assert_eq!((image.name.as_str(), image.media_type.as_str()), ("face.png", "image/png"));
        assert_eq!(mesh.appearance.materials[0].base_color[..3], [1.0; 3]);
    }

    #[test]
    fn a_mesh_shown_twice_gives_two_parts() {
        let model = "    Model: 21, \"Model::Twin\", \"Mesh\" {\n        Version: 232\n    }\n";
        let text = CUBE.replace("    Material: 30", &format!("{model}    Material: 30"));
        let text = text.replace(
            "    C: \"OO\",30,20\n",
            "    C: \"OO\",30,20\n    C: \"OO\",21,0\n    C: \"OO\",10,21\n",
        );
        let (mesh, _) = load(&text).unwrap();
        assert_eq!(mesh.parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>(), ["Body", "Twin"]);
        assert_eq!(mesh.triangles.len(), 24);
        assert_eq!(mesh.parts[1].material, Some(0), "a node without materials takes those of the mesh");
    }

    #[test]
    fn broken_files_are_refused() {
        let problem = |text: &str| load(text).unwrap_err().problem;
        assert!(matches!(problem(""), Problem::Empty));
        assert!(matches!(problem("not an FBX file"), Problem::Fbx(_)));
        assert!(matches!(problem(&CUBE.replace("C: \"OO\",10,20", "")), Problem::NoTriangles));
        assert!(matches!(problem(&CUBE.replace("0,3,2,-2", "0,99,2,-2")), Problem::Fbx(_)));
        assert!(matches!(
            problem(
                &CUBE
                    .replace("-1,-1,-1,1,-1,-1", "1e308,-1,-1,1,-1,-1")
                    .replace("\"A\",1,1,1\n", "\"A\",99,1,1\n")
            ),
            Problem::NotFinite { .. }
        ));
    }
}
