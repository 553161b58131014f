//! What the shape of a body says about its stance, in numbers.

use super::mirror::MirrorPlane;
use crate::math::{Axis, Bounds, Vec3, square, tanh};
use crate::mesh::samples::Sample;

/// A surface with what is measured on it.
pub struct Body<'a> {
    pub positions: &'a [Vec3],
    pub triangles: &'a [[u32; 3]],
    pub bounds: Bounds,
    pub samples: &'a [Sample],
}

/// A stretch along the front.
type Span = (f64, f64);

/// Heights of the soles and of the shins above them, in parts of the whole.
const SOLES: (f64, f64) = (0.0, 0.05);
const SHINS: (f64, f64) = (0.08, 0.16);
/// Soles over a longer stretch than this, in parts of the height, are those of four legs. The feet of the bipeds that
/// this was tried on take up to 0.22, animals stand on 0.47 and more.
const FOUR_LEGGED: f64 = 0.35;
/// Legs that part above this height are long enough to have knees.
const KNEES: f64 = 0.35;

impl Body<'_> {
    /// Height of a point above the lowest one, in parts of the total.
    fn height(&self, point: &Vec3, up: Axis) -> f64 {
        let (low, high) = (self.bounds.min[up.index()], self.bounds.max[up.index()]);
        let height = (point[up.index()] - low) / (high - low).max(f64::MIN_POSITIVE);
        if up.is_negative() { 1.0 - height } else { height }
    }

    /// The box of the points where the plane cuts the edges: all that is needed of the cut.
    pub fn cut(&self, plane: &MirrorPlane) -> Bounds {
        let beside: Vec<f64> = self.positions.iter().map(|p| plane.normal.dot(p) - plane.offset).collect();
        let mut cut = Bounds::EMPTY;
        for triangle in self.triangles {
            for k in 0..3 {
                let (a, b) = (triangle[k] as usize, triangle[(k + 1) % 3] as usize);
                if beside[a] * beside[b] <= 0.0 {
                    let t = if beside[a] == beside[b] { 0.0 } else { beside[a] / (beside[a] - beside[b]) };
                    cut.grow(&(self.positions[a] + (self.positions[b] - self.positions[a]) * t));
                }
            }
        }
        cut
    }

    /// Height of the lowest point of a cut through the middle: where the legs part.
    pub fn crotch(&self, up: Axis, cut: &Bounds) -> f64 {
        if cut.is_empty() { 1.0 } else { self.height(&cut.min, up).min(self.height(&cut.max, up)) }
    }

    /// How much speaks for `up`: the height of the crotch in parts of the whole, plus a tenth for each per cent
    /// of the surface that is a flat sole (at most 0.3), less 0.15 for standing on the thinnest side, less how far the
    /// middle of the surface is from above the feet, in parts of the body's length or width.
    pub fn up_evidence(&self, up: Axis, cut: &Bounds) -> f64 {
        let mut feet = Bounds::EMPTY;
        let (mut soles, mut sum) = (0, Vec3::zeros());
        for sample in self.samples {
            let height = self.height(&sample.position, up);
            if height < 0.04 {
                feet.grow(&sample.position);
            }
            soles += usize::from(height < 0.015 && sample.normal[up.index()].abs() > 0.8);
            sum += sample.position;
        }
        let count = self.samples.len() as f64;
        let sole = (10.0 * soles as f64 / count).min(0.3);
        let extent = self.bounds.extent();
        let level = (0..3).filter(|&axis| axis != up.index());
        let thinnest = level.clone().all(|axis| extent[up.index()] < extent[axis]);
        let middle = sum / count;
        let off_balance = level
            .map(|axis| {
                let beyond = (feet.min[axis] - middle[axis]).max(middle[axis] - feet.max[axis]);
                beyond.clamp(0.0, extent[axis]) / extent[axis].max(f64::MIN_POSITIVE)
            })
            .fold(0.0, f64::max);
        self.crotch(up, cut) + sole - if thinnest { 0.15 } else { 0.0 } - off_balance
    }

    /// How much speaks for `front` and, if negative, for its opposite. Each cue has a vote of at most 1, or 2 for the
    /// best one, that grows with how far it stands out from what it is on bodies where it says nothing.
    ///
    /// Two legs: feet reach ahead of the shins above them (2), the front of the upper half has more detail than the
    /// back (1), knees are ahead of hips and ankles (1). Four legs: the upper half, with the head, lies ahead of the
    /// middle of the feet (2), detail (1), feet (1).
    pub fn front_evidence(&self, up: Axis, plane: &MirrorPlane, front: &Vec3, cut: &Bounds) -> f64 {
        let height = self.bounds.extent()[up.index()].max(f64::MIN_POSITIVE);
        // Left and right apart: one foot may be ahead of the other.
        let (mut soles, mut shins) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        let mut finer = Vec::new();
        let mut whole = (f64::INFINITY, f64::NEG_INFINITY);
        for triangle in self.triangles {
            let corners = triangle.map(|v| self.positions[v as usize]);
            let heights = corners.map(|corner| self.height(&corner, up));
            let along = corners.map(|corner| corner.dot(front));
            let middle = (along[0] + along[1] + along[2]) / 3.0;
            whole = (whole.0.min(middle), whole.1.max(middle));
            if heights[0] + heights[1] + heights[2] > 1.5 {
                finer.push(middle);
            }
            if heights.iter().any(|&height| height < SHINS.1) {
                let beside = (corners[0] + corners[1] + corners[2]).dot(&plane.normal) - 3.0 * plane.offset;
                let side = usize::from(beside > 0.0);
                soles[side].extend(span_between(SOLES, &heights, &along));
                shins[side].extend(span_between(SHINS, &heights, &along));
            }
        }
        let soles = soles.map(|spans| merged(spans, 0.1 * height));
        let shins = shins.map(|spans| merged(spans, 0.05 * height));

        let upper: Vec<f64> = self.along(up, front, (0.5, 1.0)).collect();
        let (center, spread) = mean_and_deviation(&upper);
        let detail = (mean_and_deviation(&finer).0 - center) / spread.max(1e-3 * height);
        let detail = if finer.is_empty() || upper.is_empty() { 0.0 } else { vote(detail, 0.2) };
        let feet = vote(feet_ahead(&soles, &shins) / height, 0.025);

        let stand = soles
            .iter()
            .flatten()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |all, span| (all.0.min(span.0), all.1.max(span.1)));
        if stand.1 - stand.0 > FOUR_LEGGED * height && !upper.is_empty() {
            let ahead = (center - 0.5 * (stand.0 + stand.1)) / (whole.1 - whole.0).max(f64::MIN_POSITIVE);
            return 2.0 * vote(ahead, 0.06) + detail + feet;
        }
        let at = |low: f64, high: f64| {
            let level: Vec<f64> = self.along(up, front, (low, high)).collect();
            (!level.is_empty()).then(|| mean_and_deviation(&level).0)
        };
        let knees = match (at(0.08, 0.14), at(0.25, 0.33), at(0.44, 0.5)) {
            (Some(ankle), Some(knee), Some(hip)) if self.crotch(up, cut) > KNEES => {
                vote((knee - 0.5 * (ankle + hip)) / height, 0.02)
            }
            _ => 0.0,
        };
        2.0 * feet + detail + knees
    }

    /// Where the samples between two heights are along the front.
    fn along(&self, up: Axis, front: &Vec3, range: (f64, f64)) -> impl Iterator<Item = f64> {
        self.samples
            .iter()
            .filter(move |s| (range.0..=range.1).contains(&self.height(&s.position, up)))
            .map(|s| s.position.dot(front))
    }
}

/// From −1 to 1; half as much as the scale counts for about half.
fn vote(cue: f64, scale: f64) -> f64 {
    tanh(cue / scale)
}

/// How far the soles reach ahead of the shins above them, on average. A sole much shorter than its shin is thick is
/// the end of a peg or of a round leg and says little, from half the thickness down nothing.
fn feet_ahead(soles: &[Vec<Span>; 2], shins: &[Vec<Span>; 2]) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for (soles, shins) in soles.iter().zip(shins) {
        for sole in soles {
            count += 1;
            // The shin above this sole is the one that overlaps it most.
            let overlap = |shin: &Span| shin.1.min(sole.1) - shin.0.max(sole.0);
            let Some(shin) = shins.iter().max_by(|a, b| overlap(a).total_cmp(&overlap(b))) else { continue };
            if overlap(shin) > 0.0 {
                let length = (sole.1 - sole.0) / (shin.1 - shin.0).max(f64::MIN_POSITIVE);
                sum += (2.0 * length - 1.0).clamp(0.0, 1.0) * (sole.0 + sole.1 - shin.0 - shin.1) / 2.0;
            }
        }
    }
    sum / f64::from(count.max(1))
}

/// The stretch that a triangle covers between two heights.
fn span_between(range: (f64, f64), heights: &[f64; 3], along: &[f64; 3]) -> Option<Span> {
    let mut span = (f64::INFINITY, f64::NEG_INFINITY);
    let mut include = |along: f64| span = (span.0.min(along), span.1.max(along));
    for k in 0..3 {
        let next = (k + 1) % 3;
        if (range.0..=range.1).contains(&heights[k]) {
            include(along[k]);
        }
        for level in [range.0, range.1] {
            if (heights[k] - level) * (heights[next] - level) < 0.0 {
                let t = (level - heights[k]) / (heights[next] - heights[k]);
                include(along[k] + (along[next] - along[k]) * t);
            }
        }
    }
    (span.0 <= span.1).then_some(span)
}

/// Spans with gaps below `bridge` closed: one for each foot.
fn merged(mut spans: Vec<Span>, bridge: f64) -> Vec<Span> {
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.0 <= last.1 + bridge => last.1 = last.1.max(span.1),
            _ => merged.push(span),
        }
    }
    merged
}

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    (mean, (values.iter().map(|value| square(value - mean)).sum::<f64>() / count).sqrt())
}
