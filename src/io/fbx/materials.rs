//! Materials and textures of a scene, as far as previews need them.

use super::surface::all_finite;
use crate::Warning;
use crate::io::Folder;
use crate::io::images::{Images, image};
use crate::mesh::{AlphaMode, Appearance, Material};
use std::collections::HashMap;

/// Fills the materials and images of `appearance`.
pub(super) fn read(
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

fn number(map: &ufbx::MaterialMap, default: f64) -> f32 {
    let value = if map.has_value { map.value_vec4.x } else { default };
    if value.is_finite() { value as f32 } else { default as f32 }
}

fn color(map: &ufbx::MaterialMap, factor: &ufbx::MaterialMap, default: f64) -> [f32; 3] {
    let value = map.value_vec4;
    let color = if map.has_value { [value.x, value.y, value.z] } else { [default; 3] };
    let factor = number(factor, 1.0);
    let scaled = color.map(|channel| channel as f32 * factor);
    if all_finite(&scaled) { scaled } else { [default as f32; 3] }
}

/// Phong and Lambert state a transparent colour and its factor. Exporters disagree about their meaning so
/// much that "fully transparent" usually means opaque.
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
        // Of layered textures and shaders the first file is taken.
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
