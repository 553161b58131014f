//! What the prior looks at: points of the outer surface, with their normals and how thick the body is behind them.

use crate::embed::grid::Grid;
use crate::embed::voxels::VoxelVolume;
use crate::math::Vec3;
use crate::mesh::prepare::PreparedMesh;
use crate::mesh::samples::{Sample, sample_surface};

/// A point of the outer surface, in body space: lengths in heights, y = 0 at the soles, x = 0 in the mirror plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfacePoint {
    /// Its position.
    pub position: Vec3,
    /// Unit normal, away from the body.
    pub normal: Vec3,
    /// Length of the way through the body against the normal.
    pub thickness: f64,
}

impl SurfacePoint {
    /// Half way through the body: inside it, near its middle.
    pub fn medial(&self) -> Vec3 {
        self.position - self.normal * (0.5 * self.thickness)
    }
}

/// A ray through the body has left it where so many steps in a row are empty: layers of cloth are no gaps.
const LEFT: usize = 3;
/// Length of a step in voxels.
const STEP: f64 = 0.5;
/// A surface with more of the body than this on both sides, in voxels, lies inside of it.
const INSIDE: f64 = 3.0;

/// The points of the outer surface among `count` samples of the whole, with the number of each one's triangle.
pub fn surface_points(mesh: &PreparedMesh, voxels: &VoxelVolume, count: usize) -> Vec<(SurfacePoint, usize)> {
    let samples = sample_surface(&mesh.positions, &mesh.triangles, count);
    let outer: Vec<(SurfacePoint, usize)> =
        samples.iter().filter_map(|sample| Some((outer_point(sample, voxels)?, sample.triangle))).collect();
    if !outer.is_empty() {
        return outer;
    }
    // Nothing is outside of anything, as in a sheet folded many times: all points count.
    samples.iter().map(|sample| (point_of(sample, voxels), sample.triangle)).collect()
}

fn point_of(sample: &Sample, voxels: &VoxelVolume) -> SurfacePoint {
    let position = voxels.body_from_unit(&sample.position);
    SurfacePoint { position, normal: sample.normal, thickness: 0.0 }
}

/// The sample with its normal turned outwards; `None` if the body lies on both sides of it.
fn outer_point(sample: &Sample, voxels: &VoxelVolume) -> Option<SurfacePoint> {
    let point = point_of(sample, voxels);
    let [behind, before] = [-1.0, 1.0].map(|side| depth(voxels, &point.position, &(point.normal * side)));
    if behind.min(before) > INSIDE * voxels.grid.voxel {
        return None;
    }
    let normal = if before > behind { -point.normal } else { point.normal };
    Some(SurfacePoint { normal, thickness: behind.max(before), ..point })
}

/// Length of the way through the body from a point on its surface.
pub(super) fn depth(voxels: &VoxelVolume, from: &Vec3, direction: &Vec3) -> f64 {
    let step = STEP * voxels.grid.voxel;
    let (mut last, mut empty, mut count) = (0.0, 0, 0);
    while empty < LEFT {
        count += 1;
        let way = step * f64::from(count);
        match cell_at(&voxels.grid, &(from + direction * way)) {
            Some(cell) if voxels.filled[cell] => (last, empty) = (way, 0),
            Some(_) => empty += 1,
            None => break,
        }
    }
    last
}

fn cell_at(grid: &Grid, point: &Vec3) -> Option<usize> {
    let at = (point - grid.origin) / grid.voxel;
    let inside = (0..3).all(|axis| at[axis] >= 0.0 && at[axis] < grid.size[axis] as f64);
    inside.then(|| grid.index([at.x as usize, at.y as usize, at.z as usize]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;
    use crate::mesh::prepare::{PrepareOptions, prepare};
    use crate::mesh::shapes;

    #[test]
    fn a_ball_is_as_thick_as_its_diameter_and_what_it_hides_is_not_seen() {
        let ball = shapes::uv_sphere(24, 32);
        let mut both = ball.clone();
        let first = both.positions.len() as u32;
        both.positions.extend(ball.positions.iter().map(|p| p * 0.4));
        both.triangles.extend(ball.triangles.iter().map(|triangle| triangle.map(|v| v + first)));
        both.parts[0].vertices = 0..both.positions.len();
        both.parts[0].triangles = 0..both.triangles.len();
        let points = |mesh: &Mesh| {
            let mesh = prepare(mesh, &PrepareOptions::default(), &mut Vec::new()).unwrap();
            surface_points(&mesh, &VoxelVolume::of(&mesh), 500)
        };
        assert_eq!(points(&ball).len(), 500);
        for (point, _) in points(&both) {
            assert!((point.thickness - 1.0).abs() < 0.06, "{}", point.thickness);
            assert!((point.medial() - Vec3::y() * 0.5).norm() < 0.06);
        }
    }
}
