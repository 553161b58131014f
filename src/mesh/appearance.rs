use std::sync::Arc;

/// How a mesh looks, as far as previews and the export of formats other than glTF need it.
///
/// The three per-vertex lists are either empty or as long as the positions.
#[derive(Debug, Clone, Default)]
pub struct Appearance {
    /// Unit normals; a zero vector where the file has none for a vertex.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates in glTF's convention: the origin is the image's upper left corner.
    pub texcoords: Vec<[f32; 2]>,
    /// Linear RGBA; white where the file has none for a vertex.
    pub colors: Vec<[f32; 4]>,
    /// Materials that parts refer to.
    pub materials: Vec<Material>,
    /// Images that materials refer to.
    pub images: Vec<EncodedImage>,
}

impl Appearance {
    /// Keeps the values of these vertices, in this order; one may occur several times.
    pub(super) fn gather(&mut self, vertices: &[usize]) {
        self.normals = gathered(&self.normals, vertices);
        self.texcoords = gathered(&self.texcoords, vertices);
        self.colors = gathered(&self.colors, vertices);
    }
}

/// The values of some vertices; none if there are none at all.
fn gathered<T: Copy>(values: &[T], vertices: &[usize]) -> Vec<T> {
    if values.is_empty() { Vec::new() } else { vertices.iter().map(|&vertex| values[vertex]).collect() }
}

/// A metallic-roughness material as in glTF; readers convert other models.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Name in the file; may be empty.
    pub name: String,
    /// Linear RGBA factor of the base colour.
    pub base_color: [f32; 4],
    /// Index into [`Appearance::images`] of the base colour texture (sRGB).
    pub base_color_image: Option<usize>,
    /// Index into [`Appearance::images`] of a tangent-space normal map.
    pub normal_image: Option<usize>,
    /// 0 for a dielectric, 1 for a metal.
    pub metallic: f32,
    /// 0 for a mirror, 1 for a matt surface.
    pub roughness: f32,
    /// Linear RGB of emitted light.
    pub emissive: [f32; 3],
    /// Index into [`Appearance::images`] of the emissive texture (sRGB).
    pub emissive_image: Option<usize>,
    /// What the alpha channel means.
    pub alpha: AlphaMode,
    /// Whether back faces are drawn.
    pub double_sided: bool,
}

impl Default for Material {
    /// A white, matt, opaque dielectric.
    fn default() -> Self {
        Material {
            name: String::new(),
            base_color: [1.0; 4],
            base_color_image: None,
            normal_image: None,
            metallic: 0.0,
            roughness: 1.0,
            emissive: [0.0; 3],
            emissive_image: None,
            alpha: AlphaMode::Opaque,
            double_sided: false,
        }
    }
}

/// What the alpha channel of a material means.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum AlphaMode {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// Visible where alpha is at least this cutoff.
    Mask(f32),
    /// Blended over what is behind.
    Blend,
}

/// An image as its file's bytes, not decoded.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodedImage {
    /// Name or file name; may be empty.
    pub name: String,
    /// `image/png`, `image/jpeg`, or whatever the file declares.
    pub media_type: String,
    /// The encoded image.
    pub bytes: Arc<[u8]>,
}

/// The direction of a normal that a file gives; zero, which means none, if it has no direction.
pub(crate) fn unit_or_zero(normal: [f64; 3]) -> [f32; 3] {
    // Squares of very small or large numbers leave the range, so the largest component becomes 1 first.
    let largest = normal.iter().fold(0.0, |largest: f64, c| largest.max(c.abs()));
    if !(normal.iter().all(|c| c.is_finite()) && largest > 0.0) {
        return [0.0; 3];
    }
    let scaled = normal.map(|c| c / largest);
    let length = scaled.iter().map(|c| c * c).sum::<f64>().sqrt();
    scaled.map(|c| (c / length) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_of_any_length_become_unit_or_zero() {
        for scale in [5e-324, 1e-162, 1.0, 1e300] {
            assert_eq!(unit_or_zero([0.0, -scale, 0.0]), [0.0, -1.0, 0.0]);
        }
        let [x, y, z] = unit_or_zero([3e-200, 0.0, 4e-200]);
        assert!((x - 0.6).abs() < 1e-6 && y == 0.0 && (z - 0.8).abs() < 1e-6);
        for none in [[0.0; 3], [f64::NAN, 1.0, 0.0], [f64::INFINITY, 0.0, 0.0]] {
            assert_eq!(unit_or_zero(none), [0.0; 3]);
        }
    }
}
