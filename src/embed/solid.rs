//! Which triangles bound the solid that all shells of a character make up together.
//!
//! Characters are often put together: arms stuck into a torso, eyes into a head, a body that goes on under its
//! clothes. What lies inside another shell is surface, but not the surface of the whole; taken for it, it would cut the
//! inside into thin layers, and the middle of the character would not be found.

use crate::math::Vec3;
use crate::mesh::TriangleTree;
use rayon::prelude::*;

/// How far from the surface its two sides are looked at, in parts of the unit cube. Walls thinner than that count as
/// bounding, which does no harm; much below it the winding number is that of the surface itself, one half.
const ASIDE: f64 = 1e-3;

/// Triangles are looked at in places closer than this, so that those partly inside another shell are kept. Half of it
/// finds no more on any corpus character.
const SPACING: f64 = 0.03;

/// The most places along the edge of a triangle; larger triangles are no part of a character in the unit cube.
const MAX_STEPS: usize = 40;

/// The triangles that have an outside on at least one side, in the order given. `tree` holds all the triangles.
pub fn outer_triangles(positions: &[Vec3], triangles: &[[u32; 3]], tree: &TriangleTree) -> Vec<[u32; 3]> {
    let is_outer = |triangle: &[u32; 3]| {
        let corners = triangle.map(|index| positions[index as usize]);
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let aside = normal.try_normalize(0.0).unwrap_or_default() * ASIDE;
        // The outside is mostly where the normal points.
        places_on(&corners).any(|place| !tree.contains(&(place + aside)) || !tree.contains(&(place - aside)))
    };
    triangles.par_iter().with_min_len(64).copied().filter(is_outer).collect()
}

/// Points spread over a triangle: the middles of the triangles into which it is divided.
fn places_on([a, b, c]: &[Vec3; 3]) -> impl Iterator<Item = Vec3> {
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

    /// Several shapes as one mesh.
    fn joined(meshes: &[Mesh]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        for mesh in meshes {
            let base = positions.len() as u32;
            positions.extend(&mesh.positions);
            triangles.extend(mesh.triangles.iter().map(|triangle| triangle.map(|index| index + base)));
        }
        (positions, triangles)
    }

    fn outer_of(meshes: &[Mesh]) -> Vec<[u32; 3]> {
        let (positions, triangles) = joined(meshes);
        outer_triangles(&positions, &triangles, &TriangleTree::new(&positions, &triangles))
    }

    fn scaled(mut mesh: Mesh, scale: f64) -> Mesh {
        mesh.positions.iter_mut().for_each(|p| *p *= scale);
        mesh
    }

    #[test]
    fn a_shell_inside_another_is_no_boundary() {
        let outer = scaled(shapes::uv_sphere(10, 20), 0.4);
        let inner = scaled(shapes::cube(), 0.1);
        assert_eq!(outer_of(&[outer.clone(), inner]), outer.triangles);
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
