//! Solids that share vertices in their file: boxes of a voxel figure whose author welded it.

use super::Mesh;
use super::separate::separate;
use super::weld::Weld;
use crate::math::Vec3;

/// A mesh whose solids have vertices of their own.
pub struct SolidsApart {
    /// The mesh. In each part all old vertices come first, then their copies.
    pub mesh: Mesh,
    /// The old vertex of each vertex.
    pub sources: Vec<usize>,
}

impl Mesh {
    /// The mesh with a vertex for each solid that used it, so that they can move apart; `None` if none was shared. `welded` has
    /// the vertex of each vertex that is the same point, and where it is.
    pub fn with_solids_apart(&self, welded: &[u32], positions: &[Vec3]) -> Option<SolidsApart> {
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
    fn with_copies(&self, points: &[Vec<u32>], point_of_corner: &[u32]) -> SolidsApart {
        let mut split = self.clone();
        let mut sources: Vec<usize> = Vec::with_capacity(self.positions.len());
        // The new vertices of each old one, in the order of its points.
        let mut copies: Vec<Vec<u32>> = vec![Vec::new(); points.len()];
        for part in &mut split.parts {
            let first = sources.len();
            for vertex in part.vertices.clone() {
                copies[vertex].push(sources.len() as u32);
                sources.push(vertex);
            }
            for vertex in part.vertices.clone() {
                for _ in 1..points[vertex].len() {
                    copies[vertex].push(sources.len() as u32);
                    sources.push(vertex);
                }
            }
            part.vertices = first..sources.len();
        }
        split.positions = sources.iter().map(|&vertex| self.positions[vertex]).collect();
        split.appearance.gather(&sources);
        let corners = split.triangles.iter_mut().flatten().zip(point_of_corner);
        for (corner, point) in corners {
            let vertex = *corner as usize;
            let copy = points[vertex].iter().position(|other| other == point).unwrap_or(0);
            *corner = copies[vertex][copy];
        }
        SolidsApart { mesh: split, sources }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::shapes;

    #[test]
    fn a_welded_tower_comes_apart() {
        let tower = shapes::welded_tower();
        let prepared = prepare(&tower, &PrepareOptions::default(), &mut Vec::new()).unwrap();
        assert_eq!((tower.positions.len(), prepared.topology.components.len()), (12, 1));
        let SolidsApart { mesh: split, sources } =
            tower.with_solids_apart(&prepared.welded, &prepared.positions).unwrap();
        assert!(sources[..12].iter().copied().eq(0..12), "copies come last");
        assert_eq!((split.broken_invariant(), split.positions.len()), (None, 16));
        let prepared = prepare(&split, &PrepareOptions::default(), &mut Vec::new()).unwrap();
        assert_eq!(prepared.topology.components.len(), 2);
        assert!(split.with_solids_apart(&prepared.welded, &prepared.positions).is_none());
    }
}
