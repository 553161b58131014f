//! The line of a trunk, from the head to the end of the tail.

use super::{Census, TRUNK};
use crate::embed::grid::{STEPS_PER_CELL, UNREACHED};
use crate::embed::voxels::VoxelVolume;
use crate::math::{Vec3, cbrt, cube};
use std::f64::consts::PI;

/// Thickness of a section in voxels.
const THICKNESS: f64 = 1.5;
/// What thickness adds to the score of a head, for one as thick as the trunk.
const THICK: f64 = 0.5;
/// A head is ahead of the middle of the body, or above it, by at least this, in S.
const AHEAD: f64 = 0.1;

/// The line of a trunk.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spine {
    /// From the head to the end of the tail.
    pub line: Vec<Vec3>,
    /// The radius of a disc as large as the section at each point.
    pub radii: Vec<f64>,
    /// The middle of the trunk without limbs.
    pub core: Vec3,
    /// The trunk lies rather than stands.
    pub lies: bool,
    /// The end of the body that is the head, if one stands out.
    pub head: Option<usize>,
    /// The end of the body that is the tail, if one stands out.
    pub tail: Option<usize>,
}

impl Spine {
    /// The point of the line nearest to a point.
    pub fn nearest(&self, point: &Vec3) -> usize {
        let distance = |at: usize| (self.line[at] - point).norm_squared();
        (0..self.line.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    }

    /// The part of the line between the end of the tail and a point of it: 1 at the head.
    pub fn share(&self, at: usize) -> f64 {
        1.0 - at as f64 / self.line.len().saturating_sub(1).max(1) as f64
    }
}

/// Finds the ends of the spine, its line, and where limbs are attached to it.
pub fn find(census: &mut Census, voxels: &VoxelVolume, extent: &Vec3) {
    let body = Body::of(census, voxels, extent);
    let lies = body.lies(census);
    let forward = if lies { Vec3::z() } else { Vec3::y() };
    let head = body.head(census, &forward);
    let tail = body.tail(census, &forward, head);
    let (line, radii) = body.line(census, voxels, head, &forward);
    census.spine = Spine { line, radii, core: body.core, lies, head, tail };
    for limb in 0..census.limbs.len() {
        let at = census.spine.nearest(&census.limbs[limb].base);
        census.limbs[limb].share = census.spine.share(at);
    }
}

struct Body {
    center: Vec3,
    core: Vec3,
    extent: Vec3,
    /// Radius of a ball as large as the trunk.
    radius: f64,
}

impl Body {
    fn of(census: &Census, voxels: &VoxelVolume, extent: &Vec3) -> Body {
        let trunk = || voxels.cells().filter(|&cell| census.owner[cell] == TRUNK);
        let count = trunk().count().max(1) as f64;
        let volume = count * cube(voxels.grid.voxel);
        let core = trunk().map(|cell| voxels.grid.center(cell)).sum::<Vec3>() / count;
        Body {
            center: voxels.center_of_mass(),
            core,
            extent: *extent,
            radius: cbrt(volume / (4.0 / 3.0 * PI)),
        }
    }

    /// Whether the trunk lies: on two pairs of legs or more, or with a head that is farther ahead than up.
    fn lies(&self, census: &Census) -> bool {
        let limbs = &census.limbs;
        let pairs = limbs.iter().filter(|limb| limb.grounded && limb.partner.is_some()).count() / 2;
        let ends = limbs.iter().filter(|limb| limb.side.is_none());
        match (pairs, ends.max_by(|a, b| a.tip.y.total_cmp(&b.tip.y))) {
            (2.., _) => true,
            (1, Some(highest)) => highest.tip.z - self.center.z > highest.tip.y - self.center.y,
            (1, None) => false,
            _ => self.extent.z > self.extent.y,
        }
    }

    fn head(&self, census: &Census, forward: &Vec3) -> Option<usize> {
        let score = |limb: usize| {
            let end = &census.limbs[limb];
            let ahead = (end.tip - self.center).dot(forward) / census.size;
            (ahead > AHEAD && end.side.is_none())
                .then_some(ahead + THICK * (end.radius / self.radius).min(1.0))
        };
        let scored = (0..census.limbs.len()).filter_map(|limb| Some((limb, score(limb)?)));
        scored.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(limb, _)| limb)
    }

    /// The end in the middle that is farthest behind.
    fn tail(&self, census: &Census, forward: &Vec3, head: Option<usize>) -> Option<usize> {
        let behind = |limb: usize| {
            let end = &census.limbs[limb];
            let is_end = end.side.is_none() && Some(limb) != head;
            let base = (end.base - self.center).dot(forward).min((end.base - self.center).z);
            (is_end && base < 0.0).then(|| (end.tip - self.center).z)
        };
        let ends = (0..census.limbs.len()).filter_map(|limb| Some((limb, behind(limb)?)));
        ends.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(limb, _)| limb)
    }

    /// Sections of equal distance from the head, over all voxels that belong to no limb at the side.
    fn line(
        &self,
        census: &Census,
        voxels: &VoxelVolume,
        head: Option<usize>,
        forward: &Vec3,
    ) -> (Vec<Vec3>, Vec<f64>) {
        let is_spine = |owner: u8| {
            owner == TRUNK
                || Some(usize::from(owner)) == head
                || census.limbs[usize::from(owner)].side.is_none()
        };
        let spine: Vec<bool> = (0..voxels.filled.len())
            .map(|cell| voxels.filled[cell] && is_spine(census.owner[cell]))
            .collect();
        let start = match head {
            Some(head) => voxels.nearest(&census.limbs[head].tip),
            None => self.foremost(&spine, voxels, forward),
        };
        let start: Vec<usize> = start.into_iter().filter(|&cell| spine[cell]).collect();
        let distance = voxels.grid.geodesic(&spine, &start);
        let (mut counts, mut sums) = (Vec::new(), Vec::new());
        for cell in (0..distance.len()).filter(|&cell| distance[cell] != UNREACHED) {
            let bin = (f64::from(distance[cell]) / STEPS_PER_CELL / THICKNESS) as usize;
            if bin >= counts.len() {
                counts.resize(bin + 1, 0.0);
                sums.resize(bin + 1, Vec3::zeros());
            }
            counts[bin] += 1.0;
            sums[bin] += voxels.grid.center(cell);
        }
        let line = sums.iter().zip(&counts).map(|(sum, count)| sum / f64::max(*count, 1.0)).collect();
        let voxel = voxels.grid.voxel;
        let area = |count: &f64| count * voxel * voxel / THICKNESS;
        (line, counts.iter().map(|count| (area(count) / PI).sqrt()).collect())
    }

    /// The foremost voxel near the plane.
    fn foremost(&self, spine: &[bool], voxels: &VoxelVolume, forward: &Vec3) -> Vec<usize> {
        let far = |cell: usize| {
            let offset = voxels.grid.center(cell) - self.center;
            offset.dot(forward) - (offset - forward * offset.dot(forward)).norm()
        };
        let cells = (0..spine.len()).filter(|&cell| spine[cell]);
        let best = cells.max_by(|&a, &b| far(a).total_cmp(&far(b)));
        best.map_or(Vec::new(), |cell| voxels.with_mirror_image(cell))
    }
}
