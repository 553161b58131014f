use super::Mesh;
use std::ops::Range;

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
        let ranges: Vec<Range<usize>> = parts.iter().map(|part| part.vertices.clone()).collect();
        let mut kept = Mesh { appearance: self.appearance, origin: self.origin, ..Mesh::default() };
        let looks = &mut kept.appearance;
        looks.normals = gathered(&looks.normals, &ranges);
        looks.texcoords = gathered(&looks.texcoords, &ranges);
        looks.colors = gathered(&looks.colors, &ranges);
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

/// The values of some vertices; none if there are none at all.
fn gathered<T: Copy>(values: &[T], ranges: &[Range<usize>]) -> Vec<T> {
    if values.is_empty() {
        return Vec::new();
    }
    ranges.iter().flat_map(|range| values[range.clone()].iter().copied()).collect()
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
