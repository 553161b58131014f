//! Materials, textures and images, as far as previews need them. Nothing here is an error: what cannot be
//! understood is left at its default, and the source document keeps the original.

use super::accessor::Accessors;
use super::container::{decode_data_uri, is_data_uri};
use crate::Warning;
use crate::io::Fault;
use crate::io::json_item::Item;
use crate::io::left_out::dropped;
use crate::io::media_type::media_type;
use crate::math::sin_cos;
use crate::mesh::{AlphaMode, Appearance, EncodedImage, Material, SourceDocument};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// The texture coordinates that the base colour texture of a material asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Texcoords {
    /// `n` of the attribute `TEXCOORD_n`.
    pub set: usize,
    /// `KHR_texture_transform`: rows of the 2×3 matrix that maps the coordinates.
    transform: [[f32; 3]; 2],
}

impl Default for Texcoords {
    fn default() -> Self {
        Texcoords { set: 0, transform: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] }
    }
}

impl Texcoords {
    pub fn map(&self, [u, v]: [f32; 2]) -> [f32; 2] {
        self.transform.map(|[a, b, c]| a * u + b * v + c)
    }
}

/// The extension that was the material model before the core had one.
const GLOSSINESS: &str = "KHR_materials_pbrSpecularGlossiness";

/// Fills `materials` and `images`, and returns the texture coordinates of each material.
pub(super) fn read(
    root: &Item,
    source: &SourceDocument,
    accessors: &Accessors,
    appearance: &mut Appearance,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Texcoords>, Fault> {
    let images = images(root, source, accessors, appearance, warnings)?;
    let textures: Vec<Option<usize>> = root.list("textures")?.iter().map(|t| image_of(t, &images)).collect();
    let materials = root.list("materials")?;
    appearance.materials = materials.iter().map(|item| material(item, &textures)).collect();
    Ok(materials.iter().map(texcoords).collect())
}

/// Fetches the images; the result maps each entry of the document to one in `appearance`, if it can be had.
fn images(
    root: &Item,
    source: &SourceDocument,
    accessors: &Accessors,
    appearance: &mut Appearance,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Option<usize>>, Fault> {
    let mut views: HashMap<usize, Arc<[u8]>> = HashMap::new();
    // Views may overlap, so that a small file could name an immense amount of images.
    let mut bytes_left = accessors.total_bytes();
    let mut unusable = 0;
    let mut slots = Vec::new();
    for (item, file) in root.list("images")?.iter().zip(&source.image_files) {
        let uri = item.text("uri");
        let mut declared = item.text("mimeType");
        let bytes: Option<Arc<[u8]>> = if let Some(view) = item.get("bufferView") {
            let index = view.as_whole_number()?;
            let bytes = accessors.view_bytes(&view).ok();
            let known = views.get(&index).cloned();
            known.or_else(|| {
                let bytes = bytes.filter(|bytes| bytes.len() as u64 <= bytes_left)?;
                bytes_left -= bytes.len() as u64;
                Some(views.entry(index).or_insert_with(|| bytes.into()).clone())
            })
        } else if let Some(uri) = uri.filter(|uri| is_data_uri(uri)) {
            decode_data_uri(uri).map(|(media_type, bytes)| {
                declared = declared.or(Some(media_type).filter(|media_type| !media_type.is_empty()));
                bytes.into()
            })
        } else {
            file.as_deref().map(Arc::from)
        };
        let file_name = uri.filter(|uri| !is_data_uri(uri)).unwrap_or_default();
        unusable += usize::from(bytes.is_none() && file_name.is_empty());
        slots.push(bytes.map(|bytes| {
            let media_type = declared.unwrap_or_else(|| media_type(&bytes, file_name)).to_owned();
            let name = item.text("name").unwrap_or(file_name).to_owned();
            appearance.images.push(EncodedImage { name, media_type, bytes });
            appearance.images.len() - 1
        }));
    }
    dropped(warnings, "images", unusable, "their bytes are not in the file");
    Ok(slots)
}

/// The image of a texture. PNG or JPEG of the core specification are preferred to what extensions offer.
fn image_of(texture: &Item, images: &[Option<usize>]) -> Option<usize> {
    const OFFERS: [&str; 4] =
        ["EXT_texture_webp", "KHR_texture_basisu", "EXT_texture_avif", "MSFT_texture_dds"];
    let source = index_at(texture, "source")
        .or_else(|| OFFERS.iter().find_map(|name| index_at(&texture.extension(name)?, "source")));
    *images.get(source?)?
}

fn index_at(item: &Item, key: &str) -> Option<usize> {
    item.whole_number(key).ok().flatten()
}

/// The image of a texture of `parent`.
fn image(parent: Option<&Item>, key: &str, textures: &[Option<usize>]) -> Option<usize> {
    *textures.get(index_at(&parent?.get(key)?, "index")?)?
}

fn number(parent: Option<&Item>, key: &str, default: f32) -> f32 {
    parent.and_then(|parent| parent.value.get(key)?.as_f64()).map_or(default, |number| number as f32)
}

fn color(parent: Option<&Item>, key: &str) -> [f32; 4] {
    let numbers = parent.and_then(|parent| parent.numbers::<4>(key).ok().flatten());
    numbers.map_or([1.0; 4], |numbers| numbers.map(|number| number as f32))
}

fn material(item: &Item, textures: &[Option<usize>]) -> Material {
    let pbr = item.get("pbrMetallicRoughness");
    let glossiness = item.extension(GLOSSINESS);
    let (base_color, base_color_image, metallic, roughness) = match (&pbr, &glossiness) {
        (None, parent @ Some(_)) => {
            let parent = parent.as_ref();
            let roughness = 1.0 - number(parent, "glossinessFactor", 1.0);
            (color(parent, "diffuseFactor"), image(parent, "diffuseTexture", textures), 0.0, roughness)
        }
        (parent, _) => {
            let parent = parent.as_ref();
            let (metallic, roughness) =
                (number(parent, "metallicFactor", 1.0), number(parent, "roughnessFactor", 1.0));
            let base_color_image = image(parent, "baseColorTexture", textures);
            (color(parent, "baseColorFactor"), base_color_image, metallic, roughness)
        }
    };
    let strength =
        number(item.extension("KHR_materials_emissive_strength").as_ref(), "emissiveStrength", 1.0);
    let emissive = item.numbers::<3>("emissiveFactor").ok().flatten().unwrap_or_default();
    let alpha = match item.text("alphaMode") {
        Some("MASK") => AlphaMode::Mask(number(Some(item), "alphaCutoff", 0.5)),
        Some("BLEND") => AlphaMode::Blend,
        _ => AlphaMode::Opaque,
    };
    Material {
        name: item.text("name").unwrap_or_default().to_owned(),
        base_color,
        base_color_image,
        normal_image: image(Some(item), "normalTexture", textures),
        metallic,
        roughness,
        emissive: emissive.map(|number| number as f32 * strength),
        emissive_image: image(Some(item), "emissiveTexture", textures),
        alpha,
        double_sided: item.value.get("doubleSided").and_then(Value::as_bool).unwrap_or(false),
    }
}

fn texcoords(material: &Item) -> Texcoords {
    let texture = material.get("pbrMetallicRoughness").and_then(|pbr| pbr.get("baseColorTexture"));
    let texture = texture.or_else(|| material.extension(GLOSSINESS)?.get("diffuseTexture"));
    let Some(texture) = texture else { return Texcoords::default() };
    let own = index_at(&texture, "texCoord").unwrap_or(0);
    let Some(extension) = texture.extension("KHR_texture_transform") else {
        return Texcoords { set: own, ..Texcoords::default() };
    };
    let [offset_u, offset_v] = extension.numbers::<2>("offset").ok().flatten().unwrap_or([0.0, 0.0]);
    let [scale_u, scale_v] = extension.numbers::<2>("scale").ok().flatten().unwrap_or([1.0, 1.0]);
    let (sin, cos) = sin_cos(extension.value.get("rotation").and_then(Value::as_f64).unwrap_or(0.0));
    // Scale, then a rotation counter-clockwise seen with v downwards, then the offset.
    let rows = [[cos * scale_u, sin * scale_v, offset_u], [-sin * scale_u, cos * scale_v, offset_v]];
    Texcoords {
        set: index_at(&extension, "texCoord").unwrap_or(own),
        transform: rows.map(|row| row.map(|entry| entry as f32)),
    }
}
