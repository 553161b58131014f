//! A new document for a mesh that came with none.

use super::quantize::unsigned_short;
use super::{GltfWriteError, glb};
use crate::math::Vec3;
use crate::mesh::{self, AlphaMode, Mesh, Part, PrimitivePlace};
use gltf_json::accessor::{ComponentType, GenericComponentType, Type};
use gltf_json::buffer::{self, Target};
use gltf_json::mesh::{Mode, Semantic};
use gltf_json::validation::{Checked, USize64};
use gltf_json::{self as json, Index};
use std::collections::BTreeMap;

/// The mesh as one GLB file: positions, triangles and appearance; its source document is not looked at.
///
/// Consecutive parts of the same name become the primitives of one glTF mesh on a node of that name, which is
/// how readers name parts in the first place.
pub fn write_glb(mesh: &Mesh) -> Result<Vec<u8>, GltfWriteError> {
    Document::of(mesh)?.0.into_glb()
}

/// The document of [`write_glb`] as JSON and the content of its buffer, with the primitive of each part that has triangles.
pub(crate) fn new_document(
    mesh: &Mesh,
) -> Result<(serde_json::Value, Vec<u8>, Vec<PrimitivePlace>), GltfWriteError> {
    let (mut document, places) = Document::of(mesh)?;
    document.close_buffer();
    Ok((serde_json::to_value(&document.root)?, document.bytes, places))
}

/// glTF objects and the one buffer that they refer to, while they are being collected.
struct Document {
    root: json::Root,
    bytes: Vec<u8>,
}

impl Document {
    fn new() -> Document {
        let asset = json::Asset { generator: Some("puppetry".into()), ..Default::default() };
        Document { root: json::Root { asset, ..Default::default() }, bytes: Vec::new() }
    }

    /// The positions, triangles and appearance of a mesh, with the primitive of each part that has triangles.
    fn of(mesh: &Mesh) -> Result<(Document, Vec<PrimitivePlace>), GltfWriteError> {
        let mut document = Document::new();
        let mut places = Vec::new();
        let materials = document.add_materials(mesh)?;
        let mut nodes = Vec::new();
        for group in mesh.parts.chunk_by(|a, b| a.name == b.name) {
            let parts = group.iter().filter(|part| !part.triangles.is_empty());
            let primitives: Vec<_> =
                parts.map(|part| document.add_primitive(mesh, part, &materials)).collect::<Result<_, _>>()?;
            if primitives.is_empty() {
                continue;
            }
            let name = named(&group[0].name);
            let mesh = document.root.push(json::Mesh {
                name: name.clone(),
                primitives,
                extensions: None,
                extras: None,
                weights: None,
            });
            let node = document.root.push(json::Node { name, mesh: Some(mesh), ..Default::default() });
            let count = document.root.meshes[mesh.value()].primitives.len();
            places.extend((0..count).map(|primitive| PrimitivePlace {
                node: node.value(),
                mesh: mesh.value(),
                primitive,
            }));
            nodes.push(node);
        }
        if nodes.is_empty() {
            return Err(GltfWriteError::NoTriangles);
        }
        let scene = json::Scene { nodes, name: None, extensions: None, extras: None };
        document.root.scene = Some(document.root.push(scene));
        Ok((document, places))
    }

    /// Closes the buffer and packs everything into a file.
    fn into_glb(mut self) -> Result<Vec<u8>, GltfWriteError> {
        self.close_buffer();
        glb(&self.root.to_vec()?, &self.bytes)
    }

    fn close_buffer(&mut self) {
        self.root.buffers.push(json::Buffer {
            byte_length: USize64::from(self.bytes.len()),
            name: None,
            uri: None,
            extensions: None,
            extras: None,
        });
    }

    /// Materials, and the textures and images that they use, in their order.
    ///
    /// Without texture coordinates a texture has no meaning, and validators refuse it: then it is left out.
    fn add_materials(&mut self, mesh: &Mesh) -> Result<Vec<Index<json::Material>>, GltfWriteError> {
        let look = &mesh.appearance;
        let mut textures = Vec::new();
        if !look.texcoords.is_empty() {
            for image in &look.images {
                textures.push(self.add_texture(image)?);
            }
        }
        let mut indices = Vec::new();
        for material in &look.materials {
            let mut maps = [None; 3];
            let images = [material.base_color_image, material.normal_image, material.emissive_image];
            for (map, image) in maps.iter_mut().zip(images).filter(|_| !look.texcoords.is_empty()) {
                *map = image.map(|image| checked("image", image, &textures).copied()).transpose()?;
            }
            indices.push(self.root.push(converted(material, maps)));
        }
        Ok(indices)
    }

    fn add_texture(&mut self, image: &mesh::EncodedImage) -> Result<Index<json::Texture>, GltfWriteError> {
        if !matches!(image.media_type.as_str(), "image/png" | "image/jpeg") {
            let (name, media_type) = (image.name.clone(), image.media_type.clone());
            return Err(GltfWriteError::ImageFormat { name, media_type });
        }
        let view = self.add_view(&image.bytes, None);
        let source = self.root.push(json::Image {
            buffer_view: Some(view),
            mime_type: Some(json::image::MimeType(image.media_type.clone())),
            name: named(&image.name),
            uri: None,
            extensions: None,
            extras: None,
        });
        Ok(self.root.push(json::Texture {
            source,
            name: None,
            sampler: None,
            extensions: None,
            extras: None,
        }))
    }

    /// One part with its own accessors, so that its indices are small and it can be loaded alone.
    fn add_primitive(
        &mut self,
        mesh: &Mesh,
        part: &Part,
        materials: &[Index<json::Material>],
    ) -> Result<json::mesh::Primitive, GltfWriteError> {
        let look = &mesh.appearance;
        let vertices = part.vertices.clone();
        let positions = positions_f32(&mesh.positions[vertices.clone()])
            .map_err(|vertex| GltfWriteError::BeyondF32 { vertex: vertices.start + vertex })?;
        let mut attributes =
            BTreeMap::from([(Checked::Valid(Semantic::Positions), self.add_positions(&positions))]);
        if let Some(normals) = look.normals.get(vertices.clone()).and_then(unit_normals) {
            attributes.insert(Checked::Valid(Semantic::Normals), self.add_floats(&normals, Type::Vec3));
        }
        if let Some(texcoords) = look.texcoords.get(vertices.clone()) {
            let accessor = self.add_floats(texcoords, Type::Vec2);
            attributes.insert(Checked::Valid(Semantic::TexCoords(0)), accessor);
        }
        if let Some(colors) = look.colors.get(vertices.clone()) {
            attributes.insert(Checked::Valid(Semantic::Colors(0)), self.add_colors(colors));
        }
        let corners = mesh.triangles[part.triangles.clone()].iter().flatten();
        let indices = self.add_indices(corners.map(|&v| v - vertices.start as u32), vertices.len());
        let material = part.material.map(|index| checked("material", index, materials)).transpose()?;
        Ok(json::mesh::Primitive {
            attributes,
            indices: Some(indices),
            material: material.copied(),
            mode: Checked::Valid(Mode::Triangles),
            targets: None,
            extensions: None,
            extras: None,
        })
    }

    /// Positions are the one attribute whose box glTF demands.
    fn add_positions(&mut self, positions: &[[f32; 3]]) -> Index<json::Accessor> {
        let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for position in positions {
            for axis in 0..3 {
                min[axis] = min[axis].min(position[axis]);
                max[axis] = max[axis].max(position[axis]);
            }
        }
        let index = self.add_floats(positions, Type::Vec3);
        let accessor = &mut self.root.accessors[index.value()];
        (accessor.min, accessor.max) = (Some(min.to_vec().into()), Some(max.to_vec().into()));
        index
    }

    fn add_floats<const N: usize>(&mut self, values: &[[f32; N]], shape: Type) -> Index<json::Accessor> {
        let bytes: Vec<u8> = values.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        let view = self.add_view(&bytes, Some(Target::ArrayBuffer));
        self.add_accessor(view, values.len(), ComponentType::F32, shape)
    }

    /// Colours as normalised 16-bit numbers: half the size of floats, and unlike 8 bits they hold the dark
    /// tones, because glTF's vertex colours are linear (8-bit sRGB 13 and 14 are both 1/255 there).
    fn add_colors(&mut self, colors: &[[f32; 4]]) -> Index<json::Accessor> {
        let values = colors.iter().flatten().map(|value| unsigned_short(value.clamp(0.0, 1.0)));
        let bytes: Vec<u8> = values.flat_map(u16::to_le_bytes).collect();
        let view = self.add_view(&bytes, Some(Target::ArrayBuffer));
        let index = self.add_accessor(view, colors.len(), ComponentType::U16, Type::Vec4);
        self.root.accessors[index.value()].normalized = true;
        index
    }

    /// 16-bit indices where they suffice; 65535 itself is reserved by glTF as the primitive restart value.
    fn add_indices(&mut self, indices: impl Iterator<Item = u32>, vertices: usize) -> Index<json::Accessor> {
        let (component, bytes): (_, Vec<u8>) = if vertices <= usize::from(u16::MAX) {
            (ComponentType::U16, indices.flat_map(|index| (index as u16).to_le_bytes()).collect())
        } else {
            (ComponentType::U32, indices.flat_map(u32::to_le_bytes).collect())
        };
        let count = bytes.len() / component.size();
        let view = self.add_view(&bytes, Some(Target::ElementArrayBuffer));
        self.add_accessor(view, count, component, Type::Scalar)
    }

    fn add_accessor(
        &mut self,
        view: Index<buffer::View>,
        count: usize,
        component: ComponentType,
        shape: Type,
    ) -> Index<json::Accessor> {
        self.root.push(json::Accessor {
            buffer_view: Some(view),
            byte_offset: None,
            count: USize64::from(count),
            component_type: Checked::Valid(GenericComponentType(component)),
            type_: Checked::Valid(shape),
            min: None,
            max: None,
            name: None,
            normalized: false,
            sparse: None,
            extensions: None,
            extras: None,
        })
    }

    /// Appends bytes as a view of their own. Views start at multiples of four, which suits every component
    /// type.
    fn add_view(&mut self, bytes: &[u8], target: Option<Target>) -> Index<buffer::View> {
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.root.push(buffer::View {
            buffer: Index::new(0),
            byte_length: USize64::from(bytes.len()),
            byte_offset: Some(USize64::from(offset)),
            byte_stride: None,
            name: None,
            target: target.map(Checked::Valid),
            extensions: None,
            extras: None,
        })
    }
}

/// A material with the textures of its base colour, its normals and its emission.
fn converted(
    material: &mesh::Material,
    [base, normal, emissive]: [Option<Index<json::Texture>>; 3],
) -> json::Material {
    let (mode, cutoff) = match material.alpha {
        AlphaMode::Opaque => (json::material::AlphaMode::Opaque, None),
        AlphaMode::Mask(cutoff) => (json::material::AlphaMode::Mask, Some(cutoff)),
        AlphaMode::Blend => (json::material::AlphaMode::Blend, None),
    };
    json::Material {
        name: named(&material.name),
        alpha_mode: Checked::Valid(mode),
        alpha_cutoff: cutoff.map(json::material::AlphaCutoff),
        double_sided: material.double_sided,
        pbr_metallic_roughness: json::material::PbrMetallicRoughness {
            base_color_factor: json::material::PbrBaseColorFactor(material.base_color),
            base_color_texture: base.map(texture_info),
            metallic_factor: json::material::StrengthFactor(material.metallic),
            roughness_factor: json::material::StrengthFactor(material.roughness),
            ..Default::default()
        },
        normal_texture: normal.map(|index| json::material::NormalTexture {
            index,
            scale: 1.0,
            tex_coord: 0,
            extensions: None,
            extras: None,
        }),
        emissive_texture: emissive.map(texture_info),
        emissive_factor: json::material::EmissiveFactor(material.emissive),
        ..Default::default()
    }
}

fn texture_info(index: Index<json::Texture>) -> json::texture::Info {
    json::texture::Info { index, tex_coord: 0, extensions: None, extras: None }
}

/// The positions, or the first vertex that is infinite as an `f32`.
fn positions_f32(positions: &[Vec3]) -> Result<Vec<[f32; 3]>, usize> {
    let narrow = positions.iter().map(|position| <[f32; 3]>::from(position.cast::<f32>()));
    let checked = narrow.enumerate().map(|(vertex, position)| {
        if position.iter().all(|value| value.is_finite()) { Ok(position) } else { Err(vertex) }
    });
    checked.collect()
}

/// Normals of length one, or none at all: glTF has no word for a vertex without a normal.
fn unit_normals(normals: &[[f32; 3]]) -> Option<Vec<[f32; 3]>> {
    let units = normals.iter().map(|normal| Vec3::from(normal.map(f64::from)).try_normalize(SHORTEST_NORMAL));
    units.map(|unit| Some(unit?.cast::<f32>().into())).collect()
}

/// Shorter normals have no direction.
const SHORTEST_NORMAL: f64 = 1e-12;

fn checked<'a, T>(what: &'static str, index: usize, items: &'a [T]) -> Result<&'a T, GltfWriteError> {
    items.get(index).ok_or(GltfWriteError::IndexOutOfRange { what, index, count: items.len() })
}

fn named(name: &str) -> Option<String> {
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Appearance, EncodedImage, Material};

    /// Two triangles of three vertices each, in two parts.
    fn two_parts(names: [&str; 2]) -> Mesh {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]].map(Vec3::from);
        let part = |at: usize| Part {
            name: names[at].into(),
            vertices: 3 * at..3 * at + 3,
            triangles: at..at + 1,
            material: Some(at),
            place: None,
        };
        Mesh {
            positions: [corners, corners.map(|corner| corner + Vec3::z())].concat(),
            triangles: vec![[0, 1, 2], [3, 4, 5]],
            parts: vec![part(0), part(1)],
            appearance: Appearance {
                normals: vec![[0.0, 0.0, 2.0]; 6],
                texcoords: vec![[0.25, 0.75]; 6],
                colors: vec![[0.004, 0.5, 1.5, 1.0]; 6],
                materials: vec![
                    Material { name: "skin".into(), base_color_image: Some(0), ..Material::default() },
                    Material { alpha: AlphaMode::Mask(0.25), double_sided: true, ..Material::default() },
                ],
                images: vec![EncodedImage {
                    name: "dot".into(),
                    media_type: "image/png".into(),
                    bytes: DOT.into(),
                }],
            },
            ..Mesh::default()
        }
    }

    /// Images are kept as they are, never decoded.
    const DOT: &[u8] = b"seventeen bytes !";

    fn read(glb: &[u8]) -> (gltf::Document, Vec<u8>) {
        let read = gltf::Gltf::from_slice(glb).unwrap();
        (read.document, read.blob.unwrap())
    }

    #[test]
    fn a_mesh_comes_back_as_it_was() {
        let mesh = two_parts(["body", "hat"]);
        let (document, blob) = read(&write_glb(&mesh).unwrap());
        let nodes: Vec<_> = document.default_scene().unwrap().nodes().collect();
        assert_eq!(nodes.iter().map(|node| node.name().unwrap()).collect::<Vec<_>>(), ["body", "hat"]);
        for (part, node) in mesh.parts.iter().zip(nodes) {
            let primitive = node.mesh().unwrap().primitives().next().unwrap();
            let reader = primitive.reader(|_| Some(&blob));
            let positions: Vec<Vec3> =
                reader.read_positions().unwrap().map(|p| Vec3::from(p.map(f64::from))).collect();
            assert_eq!(positions, mesh.positions[part.vertices.clone()]);
            assert_eq!(reader.read_indices().unwrap().into_u32().collect::<Vec<_>>(), [0, 1, 2]);
            assert!(reader.read_normals().unwrap().all(|normal| normal == [0.0, 0.0, 1.0]));
            assert!(reader.read_tex_coords(0).unwrap().into_f32().all(|uv| uv == [0.25, 0.75]));
            for color in reader.read_colors(0).unwrap().into_rgba_f32() {
                let error = (0..4).map(|c| (color[c] - [0.004, 0.5, 1.0, 1.0][c]).abs()).fold(0.0, f32::max);
                assert!(error < 1e-5, "{color:?}");
            }
            assert_eq!(primitive.material().index(), part.material);
        }
        let skin = document.materials().next().unwrap();
        let texture = skin.pbr_metallic_roughness().base_color_texture().unwrap().texture();
        let gltf::image::Source::View { view, mime_type } = texture.source().source() else { panic!() };
        assert_eq!((mime_type, &blob[view.offset()..][..view.length()]), ("image/png", DOT));
        let hat = document.materials().nth(1).unwrap();
        assert_eq!((hat.alpha_cutoff(), hat.double_sided()), (Some(0.25), true));
    }

    #[test]
    fn parts_of_one_name_share_a_node() {
        let (document, _) = read(&write_glb(&two_parts(["body", "body"])).unwrap());
        assert_eq!(document.nodes().count(), 1);
        assert_eq!(document.meshes().next().unwrap().primitives().count(), 2);
    }

    #[test]
    fn what_gltf_cannot_say_is_left_out() {
        let mut mesh = two_parts(["a", "b"]);
        mesh.appearance.normals[4] = [0.0; 3];
        mesh.appearance.texcoords.clear();
        let (document, _) = read(&write_glb(&mesh).unwrap());
        let has_normals =
            |mesh: gltf::Mesh| mesh.primitives().all(|p| p.get(&gltf::Semantic::Normals).is_some());
        assert_eq!(document.meshes().map(has_normals).collect::<Vec<_>>(), [true, false]);
        assert_eq!((document.textures().count(), document.images().count()), (0, 0));
    }

    #[test]
    fn indices_are_16_bits_wide_up_to_65535_vertices() {
        for (vertices, wanted) in
            [(65535, gltf::accessor::DataType::U16), (65536, gltf::accessor::DataType::U32)]
        {
            let mesh = Mesh {
                positions: vec![Vec3::zeros(); vertices],
                triangles: vec![[0, 1, vertices as u32 - 1]],
                parts: vec![Part { vertices: 0..vertices, triangles: 0..1, ..Part::default() }],
                ..Mesh::default()
            };
            let (document, _) = read(&write_glb(&mesh).unwrap());
            let primitive = document.meshes().next().unwrap().primitives().next().unwrap();
            assert_eq!(primitive.indices().unwrap().data_type(), wanted);
        }
    }

    #[test]
    fn chunks_are_padded_to_four_bytes() {
        let file = glb(b"{\"a\":1}", &[1, 2, 3, 4, 5]).unwrap();
        assert_eq!(file.len(), 12 + 8 + 8 + 8 + 8);
        assert_eq!(&file[8..12], 44u32.to_le_bytes());
        assert_eq!(&file[20..28], b"{\"a\":1} ");
        assert_eq!(&file[36..], [1, 2, 3, 4, 5, 0, 0, 0]);
    }

    #[test]
    fn refuses_what_would_be_a_broken_file() {
        assert!(matches!(write_glb(&Mesh::default()), Err(GltfWriteError::NoTriangles)));
        let broken = |spoil: fn(&mut Mesh)| {
            let mut mesh = two_parts(["a", "b"]);
            spoil(&mut mesh);
            write_glb(&mesh).unwrap_err().to_string()
        };
        assert!(broken(|mesh| mesh.positions[4].x = 1e39).starts_with("vertex 4 lies beyond"));
        assert_eq!(broken(|mesh| mesh.parts[1].material = Some(2)), "material 2 does not exist, there are 2");
        let image = broken(|mesh| mesh.appearance.materials[0].normal_image = Some(7));
        assert_eq!(image, "image 7 does not exist, there are 1");
        assert!(
            broken(|mesh| mesh.appearance.images[0].media_type = "image/webp".into()).contains("image/webp")
        );
    }
}
