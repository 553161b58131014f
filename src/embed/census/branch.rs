//! One limb followed through its voxels: sections of equal path length, their middles, areas and shapes.

use super::Field;
use crate::embed::grid::UNREACHED;
use crate::embed::limb_ends::neighbour_steps;
use crate::math::{Mat3, Vec3, cube, median};

/// Thickness of a section in voxels. Thinner ones flicker with the stairs of the voxels, thicker ones hide ankles.
const THICKNESS: f64 = 1.5;
/// The variance of points spread evenly over a voxel, in squared voxels: what a sheet of one voxel has across.
const OF_A_VOXEL: f64 = 1.0 / 12.0;

/// A limb in the voxels of a body.
#[derive(Debug, Clone)]
pub struct Branch {
    /// Its voxels.
    pub cells: Vec<u32>,
    /// The middles of its sections from the base to the tip, and the tip.
    pub line: Vec<Vec3>,
    /// For each section the radius of a disc of its area.
    pub radii: Vec<f64>,
    /// Their median.
    pub radius: f64,
    /// Width over thickness of the sections, their median.
    pub flatness: f64,
    /// Its outermost voxel.
    pub tip: Vec3,
    /// From the base to the tip, in heights.
    pub length: f64,
    /// How many fingers or toes it has.
    pub twigs: usize,
    /// The path length at which it begins.
    pub level: u32,
}

impl Branch {
    /// The part of a body around a peak that is farther away than `level`.
    pub fn new(field: &Field, peak: usize, level: u32) -> Branch {
        let cells = above(field, peak, level);
        let step = THICKNESS * field.grid.voxel;
        let length = field.heights(field.distance[peak] - level);
        let bins = ((length / step).ceil() as usize).max(1);
        let mut sections = vec![Section::default(); bins];
        let bin_of = |cell: u32| {
            let along = field.heights(field.distance[cell as usize] - level);
            ((along / step) as usize).min(bins - 1)
        };
        cells.iter().for_each(|&cell| sections[bin_of(cell)].add(&field.grid.center(cell as usize)));
        sections.retain(|section| section.count > 0.0);
        let volume = cube(field.grid.voxel);
        let radii: Vec<f64> = sections.iter().map(|section| section.radius(volume / step)).collect();
        let tip = field.grid.center(peak);
        let mut line: Vec<Vec3> = sections.iter().map(Section::middle).collect();
        line.push(tip);
        let flatness = sections.iter().enumerate();
        let flatness =
            flatness.map(|(k, section)| section.flatness(&(line[k + 1] - line[k]), field.grid.voxel));
        let mut flatness: Vec<f64> = flatness.collect();
        Branch {
            radius: median(&mut radii.clone()).unwrap_or_default(),
            flatness: median(&mut flatness).unwrap_or(1.0),
            cells,
            line,
            radii,
            tip,
            length,
            twigs: 0,
            level,
        }
    }

    /// Radius where it begins.
    pub fn base_radius(&self) -> f64 {
        self.radii[0]
    }
}

/// The connected cells around a peak with a path length above `level`.
fn above(field: &Field, peak: usize, level: u32) -> Vec<u32> {
    let steps = neighbour_steps(field.grid.size);
    let mut is_seen = vec![false; field.distance.len()];
    is_seen[peak] = true;
    let mut cells = vec![peak as u32];
    let mut next = 0;
    while let Some(&cell) = cells.get(next) {
        next += 1;
        for other in steps.map(|step| (cell as usize).wrapping_add_signed(step)) {
            let distance = field.distance[other];
            if distance > level && distance != UNREACHED && !is_seen[other] {
                is_seen[other] = true;
                cells.push(other as u32);
            }
        }
    }
    cells
}

/// The voxels at one path length.
#[derive(Debug, Clone, Default)]
struct Section {
    count: f64,
    sum: Vec3,
    squares: Mat3,
}

impl Section {
    fn add(&mut self, point: &Vec3) {
        self.count += 1.0;
        self.sum += point;
        self.squares += point * point.transpose();
    }

    fn middle(&self) -> Vec3 {
        self.sum / self.count.max(1.0)
    }

    fn radius(&self, area_of_voxel: f64) -> f64 {
        (self.count * area_of_voxel / std::f64::consts::PI).sqrt()
    }

    /// Width over thickness across a direction, from the two variances there.
    fn flatness(&self, along: &Vec3, voxel: f64) -> f64 {
        let middle = self.middle();
        let covariance = self.squares / self.count.max(1.0) - middle * middle.transpose();
        let Some(along) = along.try_normalize(0.0) else { return 1.0 };
        let across = Mat3::identity() - along * along.transpose();
        let spread = across * covariance * across;
        // Of the three eigenvalues the one along the limb is 0: the others follow from the trace and the sum of the minors.
        let trace = spread.trace();
        let minors = 0.5 * (trace * trace - (spread * spread).trace());
        let root = (0.25 * trace * trace - minors).max(0.0).sqrt();
        let least = OF_A_VOXEL * voxel * voxel;
        let [thin, wide] = [0.5 * trace - root, 0.5 * trace + root].map(|variance| variance.max(0.0) + least);
        (wide / thin).sqrt()
    }
}
