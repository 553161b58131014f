//! The plane between left and right, at any angle about a coordinate axis.
//!
//! Points of the surface are mirrored and compared with the surface. Planes at coarse angles show where the good ones
//! are; those are refined like a registration of the body with its mirror image, by point-to-plane steps (Chen and
//! Medioni 1992, "Object modelling by registration of multiple range images") for the angle and the offset.

use crate::math::{Bounds, Buckets, Vec3, acos, cos, median, sin, square};
use crate::mesh::samples::Sample;

/// A plane `normal · p = offset` that maps a body to itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MirrorPlane {
    /// Unit vector to the left or to the right.
    pub normal: Vec3,
    /// Of the plane along the normal.
    pub offset: f64,
    /// How the plane lies to the coordinate axes.
    pub lie: Lie,
}

/// How a plane lies to the coordinate axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    /// Its normal is this axis.
    Across(usize),
    /// It contains this axis and no other.
    Along(usize),
}

impl MirrorPlane {
    /// Whether a coordinate axis lies in the plane.
    pub fn contains(&self, axis: usize) -> bool {
        match self.lie {
            Lie::Across(normal) => normal != axis,
            Lie::Along(contained) => contained == axis,
        }
    }

    /// The mirrored position and normal of a sample.
    fn reflect(&self, sample: &Sample) -> (Vec3, Vec3) {
        let beside = self.normal.dot(&sample.position) - self.offset;
        let across = self.normal.dot(&sample.normal);
        (sample.position - self.normal * (2.0 * beside), sample.normal - self.normal * (2.0 * across))
    }

    /// The direction in which the normal moves when the plane rotates about the axis that it contains; zero if it may not.
    fn tangent(&self) -> Vec3 {
        match self.lie {
            Lie::Across(_) => Vec3::zeros(),
            Lie::Along(axis) => Vec3::ith(axis, 1.0).cross(&self.normal),
        }
    }

    /// The angle between two planes.
    fn angle(&self, other: &MirrorPlane) -> f64 {
        acos(self.normal.dot(&other.normal).abs().min(1.0))
    }
}

/// How far a mirrored point may be from the surface, in parts of the longest side; farther is all the same. Beyond a
/// tenth an arm meets the trunk instead of nothing, below a hundredth a low-poly body no longer meets itself.
const REACH: f64 = 0.05;
/// Cosine of the angle up to which normals are alike. Higher values leave round limbs of low-poly bodies without match.
const ALIKE: f64 = 0.7;
/// Planes that are tried about each axis: 10 degrees apart, which the refinement bridges.
const ANGLES: usize = 18;
/// So many of the best planes are refined: the right one and its rivals.
const REFINED: usize = 4;
/// Samples for the coarse search, and for refining and the final comparison.
const COARSE: usize = 200;
const FINE: usize = 500;
/// Steps of the refinement; it has settled after five or six.
const STEPS: usize = 8;
/// A plane counts as found if its error is below this part of any other's. The characters that this was tried on have
/// 0.01 to 0.3; a body in mid-stride nears 1.
const CLEAR: f64 = 0.5;
/// Errors below this are those of exact planes, and which is the least is chance: figures of a few boxes are their own mirror image from
/// left to right and from front to back, by up to 0.0015. The least of the two planes of a character is 0.0025, of the other 0.06.
const EXACT: f64 = 0.003;
/// Planes nearer than this are the same one.
const SAME: f64 = 30.0 * DEGREE;
/// Planes nearer than this to a coordinate plane are that plane. What it leaves moves the hand of a T-pose by 2 % of
/// the height; less would rotate files whose sides differ a little.
const ASKEW: f64 = 2.5 * DEGREE;
const DEGREE: f64 = std::f64::consts::PI / 180.0;
/// Steps to both sides of angle, and of offset in parts of the reach, that are tried before the fit: half of what is
/// between coarse planes, then half of that.
const NUDGES: [(f64, f64); 2] = [(5.0 * DEGREE, 0.5), (2.5 * DEGREE, 0.25)];
/// Most that a step of the fit rotates the plane, in radians: beyond, points meet other limbs.
const MOST_ROTATION: f64 = 0.2;
/// Damping of the fit for each sample. Flat shapes leave the angle or the offset open: then it stays.
const DAMPING: f64 = 1e-9;
/// Least scale of residuals, in parts of the reach: exactly symmetric meshes have none.
const LEAST_SCALE: f64 = 1e-3;

/// A body that can be compared with its mirror image.
pub struct Mirror<'a> {
    samples: &'a [Sample],
    centroid: Vec3,
    cells: Buckets,
    low: Vec3,
    reach: f64,
    size: [usize; 3],
}

impl<'a> Mirror<'a> {
    /// Needs at least one sample.
    pub fn new(samples: &'a [Sample]) -> Mirror<'a> {
        let bounds = Bounds::of(samples.iter().map(|sample| &sample.position));
        let reach = (REACH * bounds.extent().max()).max(f64::MIN_POSITIVE);
        // Two empty cells on each side: whoever is within reach of the box has neighbours on all sides.
        let low = bounds.min - Vec3::repeat(2.0 * reach);
        let size = std::array::from_fn(|axis| (bounds.extent()[axis] / reach) as usize + 5);
        let centroid = samples.iter().map(|s| s.position).sum::<Vec3>() / samples.len() as f64;
        let cells = samples
            .iter()
            .map(|sample| cell_of(&sample.position, &low, reach, size).map_or(0, |cell| cell as u32));
        let cells = Buckets::new(size.iter().product(), cells);
        Mirror { samples, centroid, cells, low, reach, size }
    }

    /// The plane that maps the body to itself, among those that contain one of the given axes; `None` if no plane is
    /// clearly better than all others. A plane askew to the axes must be clearly better than those along them, too.
    pub fn plane(&self, axes: &[usize]) -> Option<MirrorPlane> {
        let across: Vec<(MirrorPlane, f64)> = (0..3)
            .filter(|&axis| axes.iter().any(|&contained| contained != axis))
            .map(|axis| self.refined(self.plane_at(Vec3::ith(axis, 1.0), Lie::Across(axis))))
            .collect();
        let askew: Vec<(MirrorPlane, f64)> =
            self.promising(axes).into_iter().map(|plane| self.refined(plane)).collect();
        let straight = best_of(&across)?;
        let found = match best_of(&askew) {
            Some((plane, error)) if error < straight.1 => {
                match across.iter().find(|(other, _)| plane.angle(other) < ASKEW) {
                    Some((other, _)) => (*other, error),
                    None if error < CLEAR * straight.1 => (plane, error),
                    None => straight,
                }
            }
            _ => straight,
        };
        across
            .iter()
            .chain(&askew)
            .all(|(plane, error)| {
                found.0.angle(plane) < SAME || found.1.max(EXACT) < CLEAR * error.max(EXACT)
            })
            .then_some(found.0)
    }

    /// The best of the planes at coarse angles, each from another part of the circle.
    fn promising(&self, axes: &[usize]) -> Vec<MirrorPlane> {
        let mut all: Vec<(f64, MirrorPlane)> = Vec::new();
        for &axis in axes {
            for step in 0..ANGLES {
                // Not along the axes: those planes belong to two axes each, and only one would be kept.
                let angle = (step as f64 + 0.5) / ANGLES as f64 * std::f64::consts::PI;
                let normal = Vec3::ith((axis + 1) % 3, cos(angle)) + Vec3::ith((axis + 2) % 3, sin(angle));
                let plane = self.plane_at(normal, Lie::Along(axis));
                all.push((self.error(&plane, COARSE), plane));
            }
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut best: Vec<MirrorPlane> = Vec::new();
        for (_, plane) in all {
            if best.len() < REFINED && best.iter().all(|other| other.angle(&plane) > 0.5 * SAME) {
                best.push(plane);
            }
        }
        best
    }

    /// A plane that leaves half of the surface on each side: a sword in one hand hardly moves it.
    fn plane_at(&self, normal: Vec3, lie: Lie) -> MirrorPlane {
        let mut along: Vec<f64> = self.some(COARSE).map(|sample| normal.dot(&sample.position)).collect();
        let offset = median(&mut along).unwrap_or(0.0);
        MirrorPlane { normal, offset, lie }
    }

    /// The best plane nearby, within half a step between coarse angles: the fit takes it from there.
    fn nudged(&self, plane: MirrorPlane) -> MirrorPlane {
        let mut best = (self.error(&plane, COARSE), plane);
        let rotations: &[f64] = if matches!(plane.lie, Lie::Across(_)) { &[0.0] } else { &[-1.0, 0.0, 1.0] };
        // Both at once: with the wrong angle the best shift is another one, and the reverse.
        for (angle, shift) in NUDGES {
            let from = best.1;
            for (rotation, side) in rotations.iter().flat_map(|x| [-1.0, 0.0, 1.0].map(|side| (x, side))) {
                let plane = self.moved(&from, rotation * angle, side * shift * self.reach);
                let error = self.error(&plane, COARSE);
                if error < best.0 {
                    best = (error, plane);
                }
            }
        }
        best.1
    }

    /// The plane rotated about the vertical through the centroid and shifted along its normal.
    fn moved(&self, plane: &MirrorPlane, angle: f64, shift: f64) -> MirrorPlane {
        let beside = plane.offset - plane.normal.dot(&self.centroid) + shift;
        let normal = match plane.lie {
            Lie::Across(_) => plane.normal,
            Lie::Along(_) => (plane.normal * cos(angle) + plane.tangent() * sin(angle)).normalize(),
        };
        MirrorPlane { normal, offset: normal.dot(&self.centroid) + beside, lie: plane.lie }
    }

    /// Mean distance of mirrored points from the surface in parts of the reach. It is measured to the plane of the
    /// nearest sample, which on smooth parts does away with the distance between samples.
    fn error(&self, plane: &MirrorPlane, count: usize) -> f64 {
        let (mut sum, mut points) = (0.0, 0);
        for sample in self.some(count) {
            let (mirrored, normal) = plane.reflect(sample);
            let near = self.nearest(&mirrored, &normal);
            sum += near.map_or(self.reach, |near| (mirrored - near.position).dot(&near.normal).abs());
            points += 1;
        }
        sum / (self.reach * points as f64)
    }

    /// The plane after its angle and offset were fitted, and its error; a plane across an axis keeps its angle.
    fn refined(&self, plane: MirrorPlane) -> (MirrorPlane, f64) {
        let mut plane = self.nudged(plane);
        // Where sides differ residuals are large; they have no say: weights of Cauchy on the scale of the rest.
        let mut scale = self.reach;
        for _ in 0..STEPS {
            let tangent = plane.tangent();
            let (mut matrix, mut right) = (nalgebra::Matrix2::zeros(), nalgebra::Vector2::zeros());
            let (mut sum, mut points) = (0.0, 0.0);
            for sample in self.some(FINE) {
                let point = sample.position - self.centroid;
                let (mirrored, normal) = plane.reflect(sample);
                let Some(near) = self.nearest(&mirrored, &normal) else { continue };
                let residual = (mirrored - near.position).dot(&near.normal);
                let ahead = plane.normal.dot(&sample.position) - plane.offset;
                let by_angle = (plane.normal * tangent.dot(&point) + tangent * ahead) * -2.0;
                let row =
                    nalgebra::Vector2::new(by_angle.dot(&near.normal), 2.0 * plane.normal.dot(&near.normal));
                let weight = 1.0 / (1.0 + square(residual / scale));
                matrix += row * row.transpose() * weight;
                right -= row * (residual * weight);
                sum += residual.abs();
                points += 1.0;
            }
            let damping = nalgebra::Matrix2::identity() * (DAMPING * points + f64::MIN_POSITIVE);
            let Some(inverse) = (matrix + damping).try_inverse() else { break };
            let step: nalgebra::Vector2<f64> = inverse * right;
            let angle = step.x.clamp(-MOST_ROTATION, MOST_ROTATION);
            plane = self.moved(&plane, angle, step.y.clamp(-self.reach, self.reach));
            scale = (2.0 * sum / f64::max(points, 1.0)).max(LEAST_SCALE * self.reach);
        }
        (plane, self.error(&plane, FINE))
    }

    /// About `count` samples from all over the surface.
    fn some(&self, count: usize) -> impl Iterator<Item = &Sample> {
        self.samples.iter().step_by((self.samples.len() / count).max(1))
    }

    /// The sample nearest to a point where the surface has about this normal or its opposite, if there is one within
    /// reach. Around the corner of a box the surface goes elsewhere.
    fn nearest(&self, point: &Vec3, normal: &Vec3) -> Option<&Sample> {
        let middle = cell_of(point, &self.low, self.reach, self.size)?;
        let mut nearest = (self.reach * self.reach, None);
        for z in 0..3 {
            for y in 0..3 {
                let row = middle + (z * self.size[1] + y) * self.size[0];
                for &index in self.cells.run(row - (self.size[1] + 1) * self.size[0] - 1, 3) {
                    let sample = &self.samples[index as usize];
                    let distance = (sample.position - point).norm_squared();
                    if distance < nearest.0 && sample.normal.dot(normal).abs() > ALIKE {
                        nearest = (distance, Some(sample));
                    }
                }
            }
        }
        nearest.1
    }
}

/// The plane with the smallest error.
fn best_of(planes: &[(MirrorPlane, f64)]) -> Option<(MirrorPlane, f64)> {
    planes.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))
}

/// The cell of a point, if it is not one of the outermost.
fn cell_of(point: &Vec3, low: &Vec3, reach: f64, size: [usize; 3]) -> Option<usize> {
    let position = (point - low) / reach;
    let inside = (0..3).all(|axis| position[axis] >= 1.0 && position[axis] < size[axis] as f64 - 1.0);
    inside.then(|| (position.z as usize * size[1] + position.y as usize) * size[0] + position.x as usize)
}
