use crate::math::{Bounds, Vec3};
use crate::mesh::normals::weighted_normals;
use crate::mesh::weld::weld;

/// Coinciding vertices of a seam share their normal if their own normals differ by less than this (a cosine: 50°).
/// At 30° the rings of a coarse ball become visible in a file without shared vertices; at 80° the edges of a box
/// whose file keeps them apart become round.
const CREASE: f64 = 0.64;
/// Vertices closer than this part of the diagonal coincide.
const SEAM: f64 = 1e-6;
/// Coinciding vertices that are compared with each other; a larger crowd shares one normal. Fans of real meshes are
/// smaller; without a limit a mesh at one point would take quadratic time.
const CROWD: usize = 64;

/// A unit normal for each vertex as it is, none split: the mean over its triangles. Seams are smooth too. Zero where a vertex has no triangle with an area.
pub fn smooth_normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    let mut own = vec![Vec3::zeros(); positions.len()];
    for triangle in triangles {
        let corners = triangle.map(|vertex| positions[vertex as usize]);
        for (&vertex, normal) in triangle.iter().zip(weighted_normals(corners).into_iter().flatten()) {
            own[vertex as usize] += normal;
        }
    }
    let joined = join_seams(positions, &own);
    joined
        .iter()
        .map(|sum| sum.try_normalize(0.0).map_or([0.0; 3], |n| [n.x as f32, n.y as f32, n.z as f32]))
        .collect()
}

/// Adds up the normals of coinciding vertices that do not form a crease.
fn join_seams(positions: &[Vec3], own: &[Vec3]) -> Vec<Vec3> {
    let welded = weld(positions, SEAM * Bounds::of(positions).diagonal());
    let mut joined = own.to_vec();
    if welded.positions.len() == positions.len() {
        return joined;
    }
    let mut places: Vec<Vec<u32>> = vec![Vec::new(); welded.positions.len()];
    for (vertex, &place) in welded.welded.iter().enumerate() {
        places[place as usize].push(vertex as u32);
    }
    for place in places.iter().filter(|place| place.len() > 1) {
        for &vertex in place {
            let direction = own[vertex as usize].try_normalize(0.0).unwrap_or_default();
            let shares_all = place.len() > CROWD || direction == Vec3::zeros();
            joined[vertex as usize] = place
                .iter()
                .map(|&other| own[other as usize])
                .filter(|other| shares_all || other.dot(&direction) > CREASE * other.norm())
                .sum();
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    /// The same triangles with three vertices of their own each, as in an STL file.
    fn soup(positions: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let corners = triangles.iter().flatten().map(|&vertex| positions[vertex as usize]).collect();
        (corners, (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
    }

    fn error(normals: &[[f32; 3]], expected: impl Fn(usize) -> Vec3) -> f64 {
        let difference = |(i, n): (usize, &[f32; 3])| (Vec3::from(n.map(f64::from)) - expected(i)).norm();
        normals.iter().enumerate().map(difference).fold(0.0, f64::max)
    }

    #[test]
    fn normals_of_a_sphere_point_outwards_with_shared_and_with_split_vertices() {
        let sphere = shapes::uv_sphere(24, 48);
        let normals = smooth_normals(&sphere.positions, &sphere.triangles);
        assert!(error(&normals, |i| sphere.positions[i]) < 0.01);
        let (positions, triangles) = soup(&sphere.positions, &sphere.triangles);
        assert!(error(&smooth_normals(&positions, &triangles), |i| positions[i]) < 0.01);
    }

    #[test]
    fn a_shared_corner_of_a_cube_is_its_diagonal_and_a_split_one_keeps_its_faces() {
        let cube = shapes::cube();
        let diagonal = |i: usize| cube.positions[i].normalize();
        // Faces cut into one or two triangles at a corner count the same.
        assert!(error(&smooth_normals(&cube.positions, &cube.triangles), diagonal) < 1e-6);
        let (positions, triangles) = soup(&cube.positions, &cube.triangles);
        let face = |i: usize| {
            let [a, b, c] = triangles[i / 3].map(|v| positions[v as usize]);
            (b - a).cross(&(c - a)).normalize()
        };
        assert!(error(&smooth_normals(&positions, &triangles), face) < 1e-6);
    }

    #[test]
    fn vertices_without_area_have_no_normal_and_crowds_take_no_time() {
        let positions = vec![Vec3::zeros(); 30_000];
        let triangles: Vec<[u32; 3]> = (0..10_000).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        assert!(smooth_normals(&positions, &triangles).iter().all(|n| *n == [0.0; 3]));
        assert!(smooth_normals(&[], &[]).is_empty());
    }
}
