//! Which triangles bound the solid that all shells of a character make up together.
//!
//! Characters are often put together: arms stuck into a torso, eyes into a head, a body that goes on under its
//! clothes. What lies inside another shell is surface, but not the surface of the whole; taken for it, it would cut the
//! inside into thin layers, and the middle of the character would not be found.

use crate::math::{Bounds, Vec3};
use crate::mesh::TriangleTree;
use rayon::prelude::*;
use std::collections::HashMap;

/// How far from the surface its two sides are looked at, in parts of the unit cube. Walls thinner than that count as
/// bounding, which does no harm; much below it the winding number is that of the surface itself, one half.
const ASIDE: f64 = 1e-3;

/// Triangles are looked at in points closer than this, so that those partly inside another shell are kept.
const SPACING: f64 = 0.03;

/// The most points along the edge of a triangle; larger triangles are no part of a character in the unit cube.
const MAX_STEPS: usize = 40;

/// Small triangles of one shell in the same cell of a grid of this spacing that face the same way share the answer, so
/// that the time depends on the shape and not on the tessellation.
const CELL: f64 = 0.01;

/// The triangles that have an outside on at least one side, in the order given. `tree` holds all the triangles;
/// `shells` says for each which connected piece it belongs to.
///
/// # Panics
/// If there are not as many shells as triangles.
pub fn outer_triangles(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    shells: &[u32],
    tree: &TriangleTree,
) -> Vec<[u32; 3]> {
    assert_eq!(triangles.len(), shells.len(), "one shell for every triangle");
    let corners: Vec<[Vec3; 3]> =
        triangles.iter().map(|triangle| triangle.map(|index| positions[index as usize])).collect();
    let mut group_by_key: HashMap<_, u32> = HashMap::new();
    let mut first_of_group: Vec<usize> = Vec::new();
    let mut group_of: Vec<u32> = Vec::with_capacity(triangles.len());
    for (triangle, &shell) in shells.iter().enumerate() {
        let next = first_of_group.len() as u32;
        let group = match cell_and_facing(&corners[triangle]) {
            Some(key) => *group_by_key.entry((shell, key)).or_insert(next),
            None => next,
        };
        if group == next {
            first_of_group.push(triangle);
        }
        group_of.push(group);
    }

    let first = first_of_group.par_iter().with_min_len(64);
    let is_outer: Vec<bool> = first.map(|&triangle| is_outer(&corners[triangle], tree)).collect();
    let kept = triangles.iter().zip(&group_of).filter(|(_, group)| is_outer[**group as usize]);
    kept.map(|(triangle, _)| *triangle).collect()
}

/// Whether a triangle has an outside on at least one side.
fn is_outer(corners: &[Vec3; 3], tree: &TriangleTree) -> bool {
    let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
    let aside = normal.try_normalize(0.0).unwrap_or_default() * ASIDE;
    // The outside is mostly where the normal points.
    points_on(corners).any(|point| !tree.contains(&(point + aside)) || !tree.contains(&(point - aside)))
}

/// The cell of the grid that a small triangle lies in, and the octant that it faces; `None` for large ones.
fn cell_and_facing(corners: &[Vec3; 3]) -> Option<([i32; 3], [bool; 3])> {
    let extent = Bounds::of(corners).extent();
    if extent.max() > CELL {
        return None;
    }
    let middle = (corners[0] + corners[1] + corners[2]) / (3.0 * CELL);
    let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
    Some((middle.map(|x| x.floor() as i32).into(), normal.map(|x| x > 0.0).into()))
}

/// Points spread over a triangle: the middles of the triangles into which it is divided.
fn points_on([a, b, c]: &[Vec3; 3]) -> impl Iterator<Item = Vec3> {
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    let steps = ((longest / SPACING).ceil() as usize).clamp(1, MAX_STEPS);
    let (ab, ac) = ((b - a) / steps as f64, (c - a) / steps as f64);
    let a = *a;
    (0..steps).flat_map(move |i| {
        (0..steps - i).map(move |j| a + ab * (i as f64 + 1.0 / 3.0) + ac * (j as f64 + 1.0 / 3.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Mesh, shapes};

    /// The outer triangles of several shapes taken as one mesh.
    fn outer_of(meshes: &[Mesh]) -> Vec<[u32; 3]> {
        let (mut positions, mut triangles, mut shells) = (Vec::new(), Vec::new(), Vec::new());
        for (shell, mesh) in meshes.iter().enumerate() {
            let base = positions.len() as u32;
            positions.extend(&mesh.positions);
            shells.extend(mesh.triangles.iter().map(|_| shell as u32));
            triangles.extend(mesh.triangles.iter().map(|triangle| triangle.map(|index| index + base)));
        }
        let tree = TriangleTree::new(&positions, &triangles);
        outer_triangles(&positions, &triangles, &shells, &tree)
    }

    fn scaled(mut mesh: Mesh, scale: f64) -> Mesh {
        mesh.positions.iter_mut().for_each(|p| *p *= scale);
        mesh
    }

    #[test]
    fn a_shell_inside_another_is_no_boundary() {
        let outer = scaled(shapes::uv_sphere(10, 20), 0.4);
        // Of small triangles and of large ones.
        for inner in [scaled(shapes::uv_sphere(80, 160), 0.1), scaled(shapes::cube(), 0.1)] {
            assert_eq!(outer_of(&[outer.clone(), inner]), outer.triangles);
        }
        let fine = scaled(shapes::uv_sphere(150, 300), 0.3);
        assert_eq!(outer_of(&[fine.clone(), scaled(shapes::cube(), 0.1)]), fine.triangles);
    }

    #[test]
    fn single_shells_open_sheets_and_partly_hidden_triangles_are_kept() {
        let cube = scaled(shapes::cube(), 0.3);
        assert_eq!(outer_of(std::slice::from_ref(&cube)), cube.triangles);
        let mut open = cube.clone();
        open.triangles.truncate(4);
        assert_eq!(outer_of(&[open.clone()]), open.triangles);
        // One cube half inside the other: a face of each is hidden, those across are not.
        let mut shifted = cube.clone();
        shifted.positions.iter_mut().for_each(|p| *p = *p * 0.5 + Vec3::new(0.3, 0.0, 0.0));
        assert_eq!(outer_of(&[cube, shifted]).len(), 24 - 2);
    }
}
