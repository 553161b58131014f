//! Nearest points of a surface that face as the one who asks: a sleeve never meets its lining, a hand never the far side of a finger.

use crate::math::Vec3;
use crate::mesh::TriangleTree;

/// Normals with a smaller dot product face apart. At 0 linings and far sides are taken (weights 0.084 from the artist's, with the gate
/// 0.081); from 0.6 on coarse meshes find no partner.
const FACING: f64 = 0.3;
/// A triangle is in the tree of a direction if its normal has so much of it. If normals have a dot product above [`FACING`], they share such
/// a direction: at least one of three products of components is above a third of it.
const SHARED: f64 = 0.1;

/// A point of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Contact {
    pub triangle: usize,
    pub barycentric: [f64; 3],
    pub point: Vec3,
    pub distance: f64,
}

/// A surface that is asked for its nearest points by position and normal.
pub(super) struct OrientedTree {
    all: TriangleTree,
    /// For each signed axis the triangles that face it.
    facing: Vec<(TriangleTree, Vec<u32>)>,
    normals: Vec<Vec3>,
}

impl OrientedTree {
    pub fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> OrientedTree {
        let normals: Vec<Vec3> = triangles.iter().map(|triangle| normal(positions, triangle)).collect();
        let facing = signed_axes().map(|axis| {
            let is_facing = |triangle: &u32| normals[*triangle as usize].dot(&axis) > SHARED;
            let own: Vec<u32> = (0..triangles.len() as u32).filter(is_facing).collect();
            let list: Vec<[u32; 3]> = own.iter().map(|&triangle| triangles[triangle as usize]).collect();
            (TriangleTree::new(positions, &list), own)
        });
        OrientedTree { all: TriangleTree::new(positions, triangles), facing: facing.collect(), normals }
    }

    /// The nearest point that faces as `normal`, not farther than `reach`. Where the nearest of all does not, the nearest ones of the
    /// triangles that share a direction with it are tried.
    pub fn nearest(&self, point: &Vec3, normal: &Vec3, reach: f64) -> Option<Contact> {
        let nearest = self.all.nearest_within(point, reach)?;
        let faces = |triangle: usize| self.normals[triangle].dot(normal) > FACING;
        let contact = |nearest: crate::mesh::Nearest, triangle| Contact {
            triangle,
            barycentric: nearest.barycentric,
            point: nearest.point,
            distance: nearest.distance,
        };
        if faces(nearest.triangle) {
            return Some(contact(nearest, nearest.triangle));
        }
        let mut best: Option<Contact> = None;
        for (axis, (tree, own)) in signed_axes().zip(&self.facing) {
            if axis.dot(normal) <= SHARED {
                continue;
            }
            let reach = best.map_or(reach, |best| best.distance);
            let Some(nearest) = tree.nearest_within(point, reach) else { continue };
            let triangle = own[nearest.triangle] as usize;
            if faces(triangle) && best.is_none_or(|best| nearest.distance < best.distance) {
                best = Some(contact(nearest, triangle));
            }
        }
        best
    }
}

fn signed_axes() -> impl Iterator<Item = Vec3> {
    [Vec3::x(), Vec3::y(), Vec3::z()].into_iter().flat_map(|axis| [axis, -axis])
}

/// The unit normal of a triangle; zero without area, so that it faces nobody.
fn normal(positions: &[Vec3], triangle: &[u32; 3]) -> Vec3 {
    let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
    (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::zeros)
}

/// The unit normal of each vertex, weighted by area, and a third of the area of the triangles around it.
pub(super) fn vertex_frames(positions: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<Vec3>, Vec<f64>) {
    let mut normals = vec![Vec3::zeros(); positions.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
        let doubled = (b - a).cross(&(c - a));
        triangle.iter().for_each(|&vertex| normals[vertex as usize] += doubled);
    }
    let areas = crate::skin::vertex_areas(positions, triangles);
    let unit = |normal: Vec3| normal.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
    (normals.into_iter().map(unit).collect(), areas)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two sheets, one above the other, that face each other.
    #[test]
    fn a_point_takes_the_sheet_that_faces_as_it_does() {
        let mut positions = Vec::new();
        for y in [0.0, 0.1] {
            positions.extend([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)].map(|(x, z)| Vec3::new(x, y, z)));
        }
        // The lower one faces down, the upper one up.
        let tree = OrientedTree::new(&positions, &[[0, 1, 2], [3, 5, 4]]);
        let at = Vec3::new(0.2, 0.02, 0.2);
        assert_eq!(tree.nearest(&at, &-Vec3::y(), 1.0).unwrap().triangle, 0);
        assert_eq!(tree.nearest(&at, &Vec3::y(), 1.0).unwrap().triangle, 1);
        assert_eq!(tree.nearest(&at, &Vec3::y(), 0.05), None, "it is out of reach");
        assert_eq!(tree.nearest(&at, &Vec3::x(), 1.0), None, "nothing faces so");
    }
}
