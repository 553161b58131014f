//! Solids that share vertices in their file: boxes of a voxel figure whose author welded it.

use super::Mesh;
use super::separate::separate;
use super::weld::Weld;
use crate::math::Vec3;

impl Mesh {
    /// The mesh with a vertex for each solid that used it, so that they can move apart; `None` if none was shared. `welded` has
    /// the vertex of each vertex that is the same point, and where it is.
    pub fn with_solids_apart(&self, welded: &[u32], positions: &[Vec3]) -> Option<Mesh> {
        // As if every triangle had vertices of its own.
        let corners: Vec<u32> = self.triangles.iter().flatten().copied().collect();
        let mut weld = Weld {
            welded: corners.iter().map(|&vertex| welded[vertex as usize]).collect(),
            positions: positions.to_vec(),
        };
        let exploded: Vec<[u32; 3]> = (0..self.triangles.len() as u32)
            .map(|triangle| [3 * triangle, 3 * triangle + 1, 3 * triangle + 2])
            .collect();
        if !separate(&mut weld, &exploded) {
            return None;
        }
        // The points that each vertex of the file has become.
        let mut points: Vec<Vec<u32>> = vec![Vec::new(); self.positions.len()];
        for (&vertex, &point) in corners.iter().zip(&weld.welded) {
            let own = &mut points[vertex as usize];
            if !own.contains(&point) {
                own.push(point);
            }
        }
        points.iter().any(|own| own.len() > 1).then(|| self.with_copies(&points, &weld.welded))
    }

    /// Every vertex as often as it has points; `point_of_corner` says which copy a corner of a triangle takes.
    fn with_copies(&self, points: &[Vec<u32>], point_of_corner: &[u32]) -> Mesh {
        let mut first = Vec::with_capacity(points.len() + 1);
        let mut count = 0;
        for own in points {
            first.push(count);
            count += own.len().max(1);
        }
        first.push(count);
        let source: Vec<usize> = points
            .iter()
            .enumerate()
            .flat_map(|(vertex, own)| std::iter::repeat_n(vertex, own.len().max(1)))
            .collect();
        let mut split = self.clone();
        split.positions = source.iter().map(|&vertex| self.positions[vertex]).collect();
        split.appearance.gather(&source);
        let corners = split.triangles.iter_mut().flatten().zip(point_of_corner);
        for (corner, point) in corners {
            let vertex = *corner as usize;
            let copy = points[vertex].iter().position(|other| other == point).unwrap_or(0);
            *corner = (first[vertex] + copy) as u32;
        }
        for part in &mut split.parts {
            part.vertices = first[part.vertices.start]..first[part.vertices.end];
        }
        split
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::shapes;

    /// Two cubes that share a face, with one vertex for each corner, as one part.
    fn welded_tower() -> Mesh {
        let (cube, mut tower) = (shapes::cube(), shapes::cube());
        let bounds = crate::math::Bounds::of(&cube.positions);
        let number = |position: Vec3, tower: &mut Mesh| {
            let same = tower.positions.iter().position(|other| (other - position).norm() < 1e-9);
            same.unwrap_or_else(|| {
                tower.positions.push(position);
                tower.positions.len() - 1
            }) as u32
        };
        for triangle in &cube.triangles {
            let above = triangle.map(|v| {
                let position = cube.positions[v as usize] + Vec3::y() * bounds.extent().y;
                number(position, &mut tower)
            });
            tower.triangles.push(above);
        }
        tower.appearance = Default::default();
        tower.parts[0].material = None;
        tower.parts[0].vertices = 0..tower.positions.len();
        tower.parts[0].triangles = 0..tower.triangles.len();
        tower
    }

    #[test]
    fn a_welded_tower_comes_apart() {
        let tower = welded_tower();
        let prepared = prepare(&tower, &PrepareOptions::default(), &mut Vec::new()).unwrap();
        assert_eq!((tower.positions.len(), prepared.topology.components.len()), (12, 1));
        let split = tower.with_solids_apart(&prepared.welded, &prepared.positions).unwrap();
        assert_eq!((split.broken_invariant(), split.positions.len()), (None, 16));
        let prepared = prepare(&split, &PrepareOptions::default(), &mut Vec::new()).unwrap();
        assert_eq!(prepared.topology.components.len(), 2);
        assert!(split.with_solids_apart(&prepared.welded, &prepared.positions).is_none());
    }
}
