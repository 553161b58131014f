use super::Mesh;

impl Mesh {
    /// The mesh with only those parts that are marked. Materials, images and the carried document stay whole.
    ///
    /// # Panics
    /// If there is not one mark for each part.
    #[must_use]
    pub fn keep_parts(self, is_kept: &[bool]) -> Mesh {
        assert_eq!(self.parts.len(), is_kept.len(), "every part is marked");
        let parts: Vec<_> =
            self.parts.into_iter().zip(is_kept).filter(|(_, kept)| **kept).map(|(part, _)| part).collect();
        let vertices: Vec<usize> = parts.iter().flat_map(|part| part.vertices.clone()).collect();
        let mut kept = Mesh { appearance: self.appearance, origin: self.origin, ..Mesh::default() };
        kept.appearance.gather(&vertices);
        for mut part in parts {
            let (vertex, triangle) = (kept.positions.len(), kept.triangles.len());
            kept.positions.extend_from_slice(&self.positions[part.vertices.clone()]);
            kept.triangles.extend(
                self.triangles[part.triangles.clone()]
                    .iter()
                    .map(|triangle| triangle.map(|v| (v as usize - part.vertices.start + vertex) as u32)),
            );
            part.vertices = vertex..kept.positions.len();
            part.triangles = triangle..kept.triangles.len();
            kept.parts.push(part);
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use crate::mesh::shapes;

    #[test]
    fn what_is_kept_stays_what_it_was() {
        let (first, second) = (shapes::cube(), shapes::uv_sphere(4, 6));
        let mut both = shapes::joined(&[first.clone(), second.clone()]);
        both.appearance.texcoords = (0..both.positions.len()).map(|v| [v as f32, 0.0]).collect();
        assert_eq!(both.broken_invariant(), None);
        let ball = both.clone().keep_parts(&[false, true]);
        assert_eq!(ball.broken_invariant(), None);
        assert_eq!((&ball.positions, &ball.triangles), (&second.positions, &second.triangles));
        assert_eq!(ball.appearance.texcoords[0], [8.0, 0.0]);
        assert_eq!(both.clone().keep_parts(&[true, true]).triangles, both.triangles);
    }
}
