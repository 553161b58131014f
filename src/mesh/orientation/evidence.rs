//! Evidence for the orientation of a body, measured on its shape: cues, each of which votes.

use super::mirror::{Lie, Mirror, MirrorPlane};
use crate::math::{Axis, Bounds, Vec3, square, tanh};
use crate::mesh::samples::{Sample, sample_surface};

/// What the shape of a body shows about its orientation.
pub struct Evidence<'a> {
    body: Body<'a>,
    plane: Option<MirrorPlane>,
    cut: Bounds,
}

/// The cues for an up axis.
pub const UP_CUES: [&str; 4] = ["legs part", "flat soles", "on the thinnest side", "off balance"];
/// The cues for a front; those of two legs are zero on four, and the other way round.
pub const FRONT_CUES: [&str; 6] = [
    "two legs: feet reach ahead of shins",
    "two legs: detail of the upper half",
    "two legs: knees",
    "four legs: head ahead of the feet",
    "four legs: detail of the upper half",
    "four legs: feet reach ahead of shins",
];

/// Points on the surface. A foot is a hundredth of it and must still have its share.
const SAMPLES: usize = 4000;

impl Evidence<'_> {
    /// Of a welded surface with at least one triangle and no degenerate ones; the mirror plane contains `up`, if it is known.
    pub fn of<'a>(positions: &'a [Vec3], triangles: &'a [[u32; 3]], up: Option<Axis>) -> Evidence<'a> {
        let samples = sample_surface(positions, triangles, SAMPLES);
        let plane = {
            let mirror = Mirror::new(&samples);
            up.map_or_else(|| mirror.plane(&[0, 1, 2]), |up| mirror.plane(&[up.index()]))
        };
        let bounds = Bounds::of(triangles.iter().flatten().map(|&v| &positions[v as usize]));
        let body = Body { positions, triangles, bounds, samples };
        let cut = plane.map_or(Bounds::EMPTY, |plane| body.cut(&plane));
        Evidence { body, plane, cut }
    }

    /// The axes that may be up and their cues; none if the body has no mirror plane. The expected axis takes part even if
    /// the plane does not contain it: the character may lean to one side.
    pub fn up(&self, expected: Axis) -> Vec<(Axis, [f64; UP_CUES.len()])> {
        let Some(plane) = &self.plane else { return Vec::new() };
        let leans = matches!(plane.lie, Lie::Along(_));
        let possible =
            Axis::ALL.into_iter().filter(|up| plane.contains(up.index()) || (leans && *up == expected));
        possible.map(|up| (up, self.body.up_cues(up, &self.cut))).collect()
    }

    /// The mirror plane through an up axis, a direction along it that may be the front, and the cues for that and against its
    /// opposite.
    pub fn front(&self, up: Axis) -> Option<(MirrorPlane, Vec3, [f64; FRONT_CUES.len()])> {
        let plane = self.plane.filter(|plane| plane.contains(up.index()))?;
        let ahead = plane.normal.cross(&up.vector());
        Some((plane, ahead, self.body.front_cues(up, &plane, &ahead, &self.cut)))
    }
}

/// A surface with what is measured on it.
struct Body<'a> {
    positions: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    bounds: Bounds,
    samples: Vec<Sample>,
}

/// Heights in parts of the whole: the soles, and the shins above them.
const SOLES: Span = Span { low: 0.0, high: 0.05 };
const SHINS: Span = Span { low: 0.08, high: 0.16 };
/// The upper half, with the head.
const UPPER_HALF: Span = Span { low: 0.5, high: 1.0 };
/// Heights of the leg on two legs: above the ankle, about the knee, below the hip.
const ANKLES: Span = Span { low: 0.08, high: 0.14 };
const KNEES: Span = Span { low: 0.25, high: 0.33 };
const HIPS: Span = Span { low: 0.44, high: 0.5 };
/// Legs that part above this height are long enough to have knees.
const LONG_LEGS: f64 = 0.35;
/// Soles over a longer stretch than this, in parts of the height, are those of four legs. The feet of the bipeds that
/// this was tried on take up to 0.22, animals stand on 0.47 and more.
const FOUR_LEGGED: f64 = 0.35;

/// Points below this height are feet: the balance is measured above them.
const FEET: f64 = 0.04;
/// Points below this height whose normal is at most 37° (this cosine) from the vertical are flat soles. Higher, and the top
/// of a foot counts; steeper, and round limbs that lie on the floor count.
const FLAT_SOLE: f64 = 0.015;
const LEVEL: f64 = 0.8;
/// Flat soles of this share of the surface have a whole vote, and more do not have more: a pedestal is no better than two
/// feet.
const WHOLE_SOLE: f64 = 0.03;

/// Gaps along the front, in parts of the height, up to which spans belong to one sole or one shin. Less splits the foot
/// of a coarse mesh; more joins the feet of a stride.
const SOLE_GAP: f64 = 0.1;
const SHIN_GAP: f64 = 0.05;
/// Least spread of a body along the front, in parts of the height: flat figures have none to divide by.
const LEAST_SPREAD: f64 = 1e-3;

/// How strong each cue must be for a vote of 0.76. Detail: by how much of its spread the mean of the triangles of the upper
/// half is ahead of its surface. Others in parts of the height or, for the head, of the length.
const DETAIL_SCALE: f64 = 0.2;
const FEET_SCALE: f64 = 0.025;
const HEAD_SCALE: f64 = 0.06;
const KNEE_SCALE: f64 = 0.02;

impl Body<'_> {
    /// Height of a point above the lowest one, in parts of the total.
    fn height(&self, point: &Vec3, up: Axis) -> f64 {
        let (low, high) = (self.bounds.min[up.index()], self.bounds.max[up.index()]);
        let height = (point[up.index()] - low) / (high - low).max(f64::MIN_POSITIVE);
        if up.is_negative() { 1.0 - height } else { height }
    }

    /// The box of the points where the plane cuts the edges: all that is needed of the cut.
    fn cut(&self, plane: &MirrorPlane) -> Bounds {
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
    fn crotch(&self, up: Axis, cut: &Bounds) -> f64 {
        if cut.is_empty() { 1.0 } else { self.height(&cut.min, up).min(self.height(&cut.max, up)) }
    }

    /// [`UP_CUES`]: the height at which the legs part in parts of the whole; flat soles, from 0 to 1; 1 for standing on the
    /// thinnest side, as bodies lie and rarely stand; how far the middle of the surface is from above the feet, in parts of
    /// the body's length or width.
    fn up_cues(&self, up: Axis, cut: &Bounds) -> [f64; UP_CUES.len()] {
        let mut feet = Bounds::EMPTY;
        let (mut soles, mut sum) = (0, Vec3::zeros());
        for sample in &self.samples {
            let height = self.height(&sample.position, up);
            if height < FEET {
                feet.grow(&sample.position);
            }
            soles += usize::from(height < FLAT_SOLE && sample.normal[up.index()].abs() > LEVEL);
            sum += sample.position;
        }
        let count = self.samples.len() as f64;
        let sole = (soles as f64 / (WHOLE_SOLE * count)).min(1.0);
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
        [self.crotch(up, cut), sole, f64::from(u8::from(thinnest)), off_balance]
    }

    /// [`FRONT_CUES`], from −1 (against `front`) to 1, growing with how far each stands out from what it is on bodies where it
    /// says nothing. Two legs: feet reach ahead of the shins above them, the front of the upper half has more detail than
    /// the back, knees are ahead of hips and ankles. Four legs: the upper half, with the head, lies ahead of the middle
    /// of the feet, detail, feet.
    fn front_cues(
        &self,
        up: Axis,
        plane: &MirrorPlane,
        front: &Vec3,
        cut: &Bounds,
    ) -> [f64; FRONT_CUES.len()] {
        let height = self.bounds.extent()[up.index()].max(f64::MIN_POSITIVE);
        let profile = self.profile(up, plane, front);
        let soles = profile.soles.map(|spans| merged(spans, SOLE_GAP * height));
        let shins = profile.shins.map(|spans| merged(spans, SHIN_GAP * height));

        let upper: Vec<f64> = self.along(up, front, UPPER_HALF).collect();
        let (center, spread) = mean_and_deviation(&upper);
        let finer = &profile.upper_triangles;
        let detail = (mean_and_deviation(finer).0 - center) / spread.max(LEAST_SPREAD * height);
        let detail = if finer.is_empty() || upper.is_empty() { 0.0 } else { vote(detail, DETAIL_SCALE) };
        let feet = vote(feet_ahead(&soles, &shins) / height, FEET_SCALE);

        let mut stand = Span::EMPTY;
        for span in soles.iter().flatten() {
            stand.include(span.low);
            stand.include(span.high);
        }
        if stand.length() > FOUR_LEGGED * height && !upper.is_empty() {
            let ahead = (center - stand.middle()) / profile.whole.length().max(f64::MIN_POSITIVE);
            return [0.0, 0.0, 0.0, vote(ahead, HEAD_SCALE), detail, feet];
        }
        let leg = [ANKLES, KNEES, HIPS].map(|level| self.mean_along(up, front, level));
        let knees = match leg {
            [Some(ankle), Some(knee), Some(hip)] if self.crotch(up, cut) > LONG_LEGS => {
                vote((knee - 0.5 * (ankle + hip)) / height, KNEE_SCALE)
            }
            _ => 0.0,
        };
        [feet, detail, knees, 0.0, 0.0, 0.0]
    }

    fn profile(&self, up: Axis, plane: &MirrorPlane, front: &Vec3) -> Profile {
        let mut profile = Profile::default();
        for triangle in self.triangles {
            let corners = triangle.map(|v| self.positions[v as usize]);
            let heights = corners.map(|corner| self.height(&corner, up));
            let along = corners.map(|corner| corner.dot(front));
            let middle = (along[0] + along[1] + along[2]) / 3.0;
            profile.whole.include(middle);
            if heights[0] + heights[1] + heights[2] > 3.0 * UPPER_HALF.low {
                profile.upper_triangles.push(middle);
            }
            if heights.iter().any(|&height| height < SHINS.high) {
                let beside = (corners[0] + corners[1] + corners[2]).dot(&plane.normal) - 3.0 * plane.offset;
                let side = usize::from(beside > 0.0);
                profile.soles[side].extend(span_between(SOLES, &heights, &along));
                profile.shins[side].extend(span_between(SHINS, &heights, &along));
            }
        }
        profile
    }

    /// Positions along the front of the samples between two heights.
    fn along(&self, up: Axis, front: &Vec3, heights: Span) -> impl Iterator<Item = f64> {
        self.samples
            .iter()
            .filter(move |s| heights.contains(self.height(&s.position, up)))
            .map(|s| s.position.dot(front))
    }

    fn mean_along(&self, up: Axis, front: &Vec3, heights: Span) -> Option<f64> {
        let level: Vec<f64> = self.along(up, front, heights).collect();
        (!level.is_empty()).then(|| mean_and_deviation(&level).0)
    }
}

/// Triangles along the front.
#[derive(Default)]
struct Profile {
    /// All of them, by their middles.
    whole: Span,
    /// Middles of those in the upper half.
    upper_triangles: Vec<f64>,
    /// What soles and shins cover, left and right apart: one foot may be ahead of the other.
    soles: [Vec<Span>; 2],
    shins: [Vec<Span>; 2],
}

/// A range of positions along the front, or of heights.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    low: f64,
    high: f64,
}

impl Span {
    const EMPTY: Span = Span { low: f64::INFINITY, high: f64::NEG_INFINITY };

    fn include(&mut self, x: f64) {
        (self.low, self.high) = (self.low.min(x), self.high.max(x));
    }

    fn contains(&self, x: f64) -> bool {
        (self.low..=self.high).contains(&x)
    }

    fn length(&self) -> f64 {
        self.high - self.low
    }

    fn middle(&self) -> f64 {
        0.5 * (self.low + self.high)
    }

    /// Length of what both cover; negative if there is a gap between them.
    fn overlap(&self, other: &Span) -> f64 {
        self.high.min(other.high) - self.low.max(other.low)
    }
}

impl Default for Span {
    fn default() -> Span {
        Span::EMPTY
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
            let shin = shins.iter().max_by(|a, b| a.overlap(sole).total_cmp(&b.overlap(sole)));
            let Some(shin) = shin.filter(|shin| shin.overlap(sole) > 0.0) else { continue };
            let length = sole.length() / shin.length().max(f64::MIN_POSITIVE);
            sum += (2.0 * length - 1.0).clamp(0.0, 1.0) * (sole.low + sole.high - shin.low - shin.high) / 2.0;
        }
    }
    sum / f64::from(count.max(1))
}

/// What a triangle covers between two heights.
fn span_between(range: Span, heights: &[f64; 3], along: &[f64; 3]) -> Option<Span> {
    let mut span = Span::EMPTY;
    for k in 0..3 {
        let next = (k + 1) % 3;
        if range.contains(heights[k]) {
            span.include(along[k]);
        }
        for level in [range.low, range.high] {
            if (heights[k] - level) * (heights[next] - level) < 0.0 {
                let t = (level - heights[k]) / (heights[next] - heights[k]);
                span.include(along[k] + (along[next] - along[k]) * t);
            }
        }
    }
    (span.low <= span.high).then_some(span)
}

/// Spans with gaps below `gap` closed: one for each foot.
fn merged(mut spans: Vec<Span>, gap: f64) -> Vec<Span> {
    spans.sort_by(|a, b| a.low.total_cmp(&b.low));
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.low <= last.high + gap => last.high = last.high.max(span.high),
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
