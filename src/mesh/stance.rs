//! How a character stands: which way is up, and which way it faces.
//!
//! glTF fixes both by specification and FBX declares them; OBJ, PLY, STL and OFF say nothing, and exporters
//! disagree. The shape itself tells: bodies are mirror-symmetric left to right, they stand on flat soles below
//! legs that part at the crotch, toes point forward, and the head of a four-legged animal is in front. Only
//! the six coordinate axes are considered; a character that stands askew is left askew.

use super::origin::{Axis, Format, Origin};
use super::samples::{Sample, sample_surface};
use crate::math::{Bounds, Vec3};
use std::fmt;

/// How a character stands in the coordinates of its file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stance {
    /// The direction from the soles to the head.
    pub up: Axis,
    /// Why `up` was chosen.
    pub up_reason: StanceReason,
    /// The direction of the gaze and the toes.
    pub front: Axis,
    /// Why `front` was chosen.
    pub front_reason: StanceReason,
}

/// Why an axis was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StanceReason {
    /// The user said so.
    Given,
    /// The format or the file says so, and the shape does not contradict.
    Declared,
    /// The file says nothing; the shape shows it.
    Shape,
    /// The format or the file says otherwise, but the shape clearly contradicts.
    ShapeContradicts {
        /// What the file says.
        declared: Axis,
    },
    /// Neither the file nor the shape tells: what is customary for the format.
    Custom,
    /// The shape shows the line along which the character faces, but nothing tells which way.
    Guess,
}

impl fmt::Display for StanceReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StanceReason::Given => f.write_str("as told"),
            StanceReason::Declared => f.write_str("as the file says, and the shape does not contradict"),
            StanceReason::Shape => f.write_str("seen from the shape"),
            StanceReason::ShapeContradicts { declared } => {
                write!(f, "seen from the shape, though the file says {declared}")
            }
            StanceReason::Custom => {
                f.write_str("assumed, as is customary for this format; the shape does not tell")
            }
            StanceReason::Guess => f.write_str("a guess: the shape does not tell front from back"),
        }
    }
}

/// What the user knows about the stance; `None` where it is to be found out.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StanceOptions {
    /// The up axis.
    pub up: Option<Axis>,
    /// The axis that the character faces.
    pub front: Option<Axis>,
}

/// Points for the symmetry test. With a few hundred a robot of boxes is as symmetric front to back as left to
/// right; more than these change nothing but the time, a few milliseconds.
const SYMMETRY_SAMPLES: usize = 2000;
/// The mirror plane counts as found if its error is below this part of the next best one's. The 27 characters
/// that this was tried on have 0.01 to 0.18; a body in mid-stride nears 1.
const CLEAR_SYMMETRY: f64 = 0.5;
/// By how much the shape must speak for another up axis before it overrules a declared one, in the units of
/// [`up_evidence`]; right axes lead by 0.03 to 0.5. Lower values would turn characters that stand on a robe
/// or a pedestal, higher ones would leave a Z-up export lying on its back.
const OVERRULE_UP: f64 = 0.15;
/// The same for the front axis, in parts of the height. Toes lead by 0.03 to 0.14 over heels; feet like hooves
/// or boxes by −0.02 to 0.02.
const OVERRULE_FRONT: f64 = 0.04;
/// A lead below this is noise: then custom decides. In the units of [`up_evidence`] and in parts of the height.
const FAINT: f64 = 0.02;

/// Finds the stance of a welded surface with at least one triangle and no degenerate ones.
pub fn find_stance(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    origin: &Origin,
    options: &StanceOptions,
) -> Stance {
    let body = Body::new(positions, triangles);
    let lateral = body.lateral_axis();

    let (declared, custom) = (origin.conventions.up, customary_up(origin.format));
    let (up, up_reason) = match (options.up, lateral) {
        (Some(up), _) => (up, StanceReason::Given),
        (None, Some(lateral)) => {
            let candidates = Axis::ALL.into_iter().filter(|up| up.index() != lateral);
            choose(candidates, |up| body.up_evidence(up, lateral), declared, custom, OVERRULE_UP)
        }
        (None, None) => unseen(declared, custom),
    };

    // A front along the up axis is no front; if the user says so, `prepare` complains.
    let level = |front: &Axis| front.index() != up.index();
    let (declared, custom) = (origin.conventions.front.filter(level), customary_front(up));
    let (front, front_reason) = match (options.front.filter(level), lateral) {
        (Some(front), _) => (front, StanceReason::Given),
        (None, Some(lateral)) if lateral != up.index() => {
            let candidates = Axis::ALL.into_iter().filter(|front| level(front) && front.index() != lateral);
            choose(
                candidates,
                |front| body.front_evidence(up, front, lateral),
                declared,
                custom,
                OVERRULE_FRONT,
            )
        }
        _ => unseen(declared, custom),
    };
    Stance { up, up_reason, front, front_reason }
}

/// What exporters of a format mostly do: Z is up where printing is at home.
fn customary_up(format: Format) -> Axis {
    if format == Format::Stl { Axis::PosZ } else { Axis::PosY }
}

/// Where Y is up characters face +Z, where Z is up they face −Y.
fn customary_front(up: Axis) -> Axis {
    if up.index() == 2 { Axis::NegY } else { Axis::PosZ }
}

/// The axis when the shape does not tell.
fn unseen(declared: Option<Axis>, custom: Axis) -> (Axis, StanceReason) {
    declared.map_or((custom, StanceReason::Custom), |axis| (axis, StanceReason::Declared))
}

/// The candidate with the strongest evidence, unless the declared one is nearly as strong or all are faint.
fn choose(
    candidates: impl Iterator<Item = Axis>,
    evidence: impl Fn(Axis) -> f64,
    declared: Option<Axis>,
    custom: Axis,
    overrule: f64,
) -> (Axis, StanceReason) {
    let mut scored: Vec<(Axis, f64)> = candidates.map(|axis| (axis, evidence(axis))).collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (best, strength) = scored[0];
    let is_clear = strength - scored[1].1 >= FAINT;
    let lead_over = |axis: Axis| scored.iter().find(|s| s.0 == axis).map(|s| strength - s.1);
    match (declared, declared.and_then(lead_over)) {
        (Some(declared), Some(lead)) if lead < overrule => (declared, StanceReason::Declared),
        (Some(declared), Some(_)) => (best, StanceReason::ShapeContradicts { declared }),
        // The declared axis is out of the question: the body is symmetric along it.
        (Some(declared), None) if is_clear => (best, StanceReason::ShapeContradicts { declared }),
        (None, _) if is_clear => (best, StanceReason::Shape),
        (None, _) if lead_over(custom).is_some() => (custom, StanceReason::Custom),
        _ => (best, StanceReason::Guess),
    }
}

/// A surface with what is measured on it.
struct Body<'a> {
    positions: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    bounds: Bounds,
    /// Sorted along the longest side of the box.
    samples: Vec<Sample>,
    sorted_by: usize,
}

impl<'a> Body<'a> {
    fn new(positions: &'a [Vec3], triangles: &'a [[u32; 3]]) -> Body<'a> {
        let corners = triangles.iter().flatten().map(|&v| &positions[v as usize]);
        let bounds = Bounds::of(corners);
        let sorted_by = bounds.extent().imax();
        let mut samples = sample_surface(positions, triangles, SYMMETRY_SAMPLES);
        samples.sort_by(|a, b| a.position[sorted_by].total_cmp(&b.position[sorted_by]));
        Body { positions, triangles, bounds, samples, sorted_by }
    }

    /// The axis of left and right, if the body is clearly more symmetric along one than along the others.
    fn lateral_axis(&self) -> Option<usize> {
        let errors: [f64; 3] = std::array::from_fn(|axis| self.mirror_error(axis));
        let lateral = (0..3).min_by(|&a, &b| errors[a].total_cmp(&errors[b]))?;
        (0..3)
            .all(|axis| axis == lateral || errors[lateral] < CLEAR_SYMMETRY * errors[axis])
            .then_some(lateral)
    }

    /// Mean distance of mirrored samples from the surface. It is measured to the plane of the nearest sample,
    /// which on smooth parts does away with the distance between samples.
    fn mirror_error(&self, axis: usize) -> f64 {
        let center = self.bounds.center()[axis];
        let mean = self.samples.iter().map(|s| s.position[axis]).sum::<f64>() / self.samples.len() as f64;
        // A sword in one hand shifts the box but hardly the mean; a half-open mesh the reverse.
        [center, mean]
            .map(|plane| self.mirror_error_at(axis, plane))
            .into_iter()
            .fold(f64::INFINITY, f64::min)
    }

    fn mirror_error_at(&self, axis: usize, plane: f64) -> f64 {
        let sum: f64 = self
            .samples
            .iter()
            .map(|sample| {
                let mut mirrored = sample.position;
                mirrored[axis] = 2.0 * plane - mirrored[axis];
                let nearest = self.nearest_sample(&mirrored);
                (nearest.position - mirrored).dot(&nearest.normal).abs()
            })
            .sum();
        sum / self.samples.len() as f64
    }

    /// The sample nearest to a point: from the point's place in the sorted samples outwards, until even the
    /// difference along the sorting axis alone is larger than the distance found.
    fn nearest_sample(&self, point: &Vec3) -> &Sample {
        let start = self.samples.partition_point(|s| s.position[self.sorted_by] < point[self.sorted_by]);
        let (before, after) = self.samples.split_at(start);
        let mut nearest = (f64::INFINITY, &self.samples[0]);
        for side in [&mut before.iter().rev() as &mut dyn Iterator<Item = &Sample>, &mut after.iter()] {
            for sample in side {
                let step = sample.position - point;
                if step[self.sorted_by].powi(2) > nearest.0 {
                    break;
                }
                if step.norm_squared() < nearest.0 {
                    nearest = (step.norm_squared(), sample);
                }
            }
        }
        nearest.1
    }

    /// Height of a point above the lowest one, in parts of the total.
    fn height(&self, point: &Vec3, up: Axis) -> f64 {
        let (low, high) = (self.bounds.min[up.index()], self.bounds.max[up.index()]);
        let height = (point[up.index()] - low) / (high - low).max(f64::MIN_POSITIVE);
        if up.is_negative() { 1.0 - height } else { height }
    }

    /// How much speaks for `up`: the height of the crotch in parts of the whole, plus a tenth for each per cent
    /// of the surface that is a flat sole (at most 0.3), less 0.15 for standing on the thinnest side.
    fn up_evidence(&self, up: Axis, lateral: usize) -> f64 {
        let middle = self.bounds.center()[lateral];
        let mut crotch: f64 = 1.0;
        let (mut sole, mut whole) = (0.0, 0.0);
        for triangle in self.triangles {
            let corners = triangle.map(|v| self.positions[v as usize]);
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                let (from_a, from_b) = (a[lateral] - middle, b[lateral] - middle);
                if from_a * from_b <= 0.0 {
                    let t = if from_a == from_b { 0.0 } else { from_a / (from_a - from_b) };
                    crotch = crotch.min(self.height(&(a + (b - a) * t), up));
                }
            }
            let double_area = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
            whole += double_area.norm();
            let is_low = corners.iter().all(|corner| self.height(corner, up) < 0.015);
            if is_low && double_area.dot(&up.vector()).abs() > 0.8 * double_area.norm() {
                sole += double_area.norm();
            }
        }
        let extent = self.bounds.extent();
        let thinnest = (0..3).all(|axis| axis == up.index() || extent[up.index()] < extent[axis]);
        crotch + (10.0 * sole / whole).min(0.3) - if thinnest { 0.15 } else { 0.0 }
    }

    /// How much speaks for `front`, in parts of the height: how far the soles reach beyond the shins above
    /// them and, on bodies longer than wide, how far the upper half (the head) lies before the feet.
    fn front_evidence(&self, up: Axis, front: Axis, lateral: usize) -> f64 {
        let extent = self.bounds.extent();
        let height = extent[up.index()].max(f64::MIN_POSITIVE);
        let soles = self.spans(0.0, 0.05, up, front);
        let shins = self.spans(0.08, 0.16, up, front);
        let mut toes = 0.0;
        for sole in &soles {
            // The shin above this sole is the one that overlaps it most.
            let overlap = |shin: &&(f64, f64)| shin.1.min(sole.1) - shin.0.max(sole.0);
            if let Some(shin) = shins.iter().max_by(|a, b| overlap(a).total_cmp(&overlap(b))) {
                toes += (sole.0 + sole.1 - shin.0 - shin.1) / 2.0;
            }
        }
        toes /= soles.len().max(1) as f64 * height;
        if extent[front.index()] <= extent[lateral] {
            return toes;
        }
        let (Some(first), Some(last)) = (soles.first(), soles.last()) else { return toes };
        let feet = (first.0 + last.1) / 2.0;
        let upper: Vec<f64> = self
            .samples
            .iter()
            .filter(|s| self.height(&s.position, up) > 0.5)
            .map(|s| s.position.dot(&front.vector()) - feet)
            .collect();
        toes + 0.5 * upper.iter().sum::<f64>() / upper.len().max(1) as f64 / height
    }

    /// The stretches along `front` that the surface covers between two heights, with gaps below a tenth of the
    /// height closed: one for each foot or pair of feet.
    fn spans(&self, low: f64, high: f64, up: Axis, front: Axis) -> Vec<(f64, f64)> {
        let mut spans: Vec<(f64, f64)> = Vec::new();
        for triangle in self.triangles {
            let corners = triangle.map(|v| self.positions[v as usize]);
            let heights = corners.map(|corner| self.height(&corner, up));
            let mut span = (f64::INFINITY, f64::NEG_INFINITY);
            let mut include = |point: &Vec3| {
                let along = point.dot(&front.vector());
                span = (span.0.min(along), span.1.max(along));
            };
            for k in 0..3 {
                let next = (k + 1) % 3;
                if (low..=high).contains(&heights[k]) {
                    include(&corners[k]);
                }
                for level in [low, high] {
                    if (heights[k] - level) * (heights[next] - level) < 0.0 {
                        let t = (level - heights[k]) / (heights[next] - heights[k]);
                        include(&(corners[k] + (corners[next] - corners[k]) * t));
                    }
                }
            }
            if span.0 <= span.1 {
                spans.push(span);
            }
        }
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        let bridge = 0.1 * self.bounds.extent()[up.index()];
        let mut merged: Vec<(f64, f64)> = Vec::new();
        for span in spans {
            match merged.last_mut() {
                Some(last) if span.0 <= last.1 + bridge => last.1 = last.1.max(span.1),
                _ => merged.push(span),
            }
        }
        merged
    }
}
