use super::Mesh;
use crate::math::square;

/// How far the length of a unit normal may be from 1. Readers normalise, so only rounding to `f32` is left.
const UNIT: f64 = 1e-3;

impl Mesh {
    /// The first invariant of this type that does not hold, as a sentence; `None` for every mesh that a reader returns.
    ///
    /// For tests, and for meshes that are built field by field; [`Mesh::of_arrays`] checks while it builds.
    pub fn broken_invariant(&self) -> Option<String> {
        let (vertices, triangles) = (self.positions.len(), self.triangles.len());
        if vertices.max(triangles) > u32::MAX as usize {
            return Some(format!(
                "{vertices} vertices or {triangles} triangles cannot be counted with 32 bits"
            ));
        }
        if let Some(vertex) = self.positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            return Some(format!("vertex {vertex} is not finite"));
        }
        let (mut next_vertex, mut next_triangle) = (0, 0);
        for (index, part) in self.parts.iter().enumerate() {
            if part.vertices.start != next_vertex || part.triangles.start != next_triangle {
                return Some(format!("part {index} does not begin where the one before it ends"));
            }
            (next_vertex, next_triangle) = (part.vertices.end, part.triangles.end);
            if next_vertex < part.vertices.start || next_triangle < part.triangles.start {
                return Some(format!("part {index} ends before it begins"));
            }
            let Some(its_triangles) = self.triangles.get(part.triangles.clone()) else {
                return Some(format!("part {index} has triangles that do not exist"));
            };
            if its_triangles.iter().flatten().any(|&vertex| !part.vertices.contains(&(vertex as usize))) {
                return Some(format!("a triangle of part {index} uses a vertex outside of it"));
            }
            if part.material.is_some_and(|material| material >= self.appearance.materials.len()) {
                return Some(format!("part {index} has a material that does not exist"));
            }
        }
        if (next_vertex, next_triangle) != (vertices, triangles) {
            return Some(format!(
                "parts hold {next_vertex} of {vertices} vertices and {next_triangle} of {triangles} triangles"
            ));
        }
        self.broken_appearance()
    }

    fn broken_appearance(&self) -> Option<String> {
        let looks = &self.appearance;
        for (what, length) in [
            ("normals", looks.normals.len()),
            ("texture coordinates", looks.texcoords.len()),
            ("colours", looks.colors.len()),
        ] {
            if length != 0 && length != self.positions.len() {
                return Some(format!("there are {length} {what} for {} vertices", self.positions.len()));
            }
        }
        for (vertex, normal) in looks.normals.iter().enumerate() {
            let length = normal.iter().map(|&c| square(f64::from(c))).sum::<f64>().sqrt();
            let is_unit = (length - 1.0).abs() < UNIT;
            if *normal != [0.0; 3] && !is_unit {
                return Some(format!("the normal of vertex {vertex} has length {length}"));
            }
        }
        if looks.texcoords.iter().flatten().chain(looks.colors.iter().flatten()).any(|c| !c.is_finite()) {
            return Some("a texture coordinate or a colour is not finite".into());
        }
        let images =
            looks.materials.iter().flat_map(|m| [m.base_color_image, m.normal_image, m.emissive_image]);
        if images.flatten().any(|image| image >= looks.images.len()) {
            return Some("a material has an image that does not exist".into());
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::shapes;
    use super::*;
    use crate::math::Vec3;
    use crate::mesh::Material;

    #[test]
    fn every_broken_promise_is_named() {
        assert_eq!(shapes::cube().broken_invariant(), None);
        assert_eq!(Mesh::default().broken_invariant(), None);
        let cases: [(Change, &str); 11] = [
            (|m| m.positions[2].y = f64::NAN, "vertex 2 is not finite"),
            (|m| m.triangles[0][1] = 8, "a triangle of part 0 uses a vertex outside of it"),
            (|m| m.parts.clear(), "parts hold 0 of 8 vertices and 0 of 12 triangles"),
            (|m| m.positions.push(Vec3::zeros()), "parts hold 8 of 9 vertices and 12 of 12 triangles"),
            (|m| m.parts[0].vertices.start = 1, "part 0 does not begin where the one before it ends"),
            (|m| m.parts[0].triangles.end = 13, "part 0 has triangles that do not exist"),
            (|m| m.parts[0].material = Some(0), "part 0 has a material that does not exist"),
            (|m| m.appearance.normals.push([0.0; 3]), "there are 1 normals for 8 vertices"),
            (|m| m.appearance.normals = vec![[2.0, 0.0, 0.0]; 8], "the normal of vertex 0 has length 2"),
            (
                |m| m.appearance.texcoords = vec![[f32::INFINITY, 0.0]; 8],
                "a texture coordinate or a colour is not finite",
            ),
            (|m| m.appearance.materials.push(without_image()), "a material has an image that does not exist"),
        ];
        for (change, sentence) in cases {
            let mut mesh = shapes::cube();
            change(&mut mesh);
            assert_eq!(mesh.broken_invariant().as_deref(), Some(sentence));
        }
    }

    type Change = fn(&mut Mesh);

    fn without_image() -> Material {
        Material { normal_image: Some(0), ..Material::default() }
    }
}
