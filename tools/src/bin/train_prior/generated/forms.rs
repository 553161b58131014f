//! Solids from which bodies are made, with joints by construction: unions of round cones, eggs and boxes.

use crate::body::Body;
use puppetry::Vec3;
use puppetry::stages::embed::prior::channel;
use puppetry::stages::embed::prior::network::CHANNELS;
use puppetry::stages::embed::prior::points::SurfacePoint;
use puppetry::stages::math::Random;
use std::f64::consts::TAU;

/// A solid.
pub enum Form {
    /// Two balls and the cone around them.
    Cone { from: Vec3, to: Vec3, radii: [f64; 2] },
    /// A ball scaled along the axes.
    Egg { center: Vec3, radii: Vec3 },
    /// A box along the axes.
    Block { center: Vec3, half: Vec3 },
    /// A box from one point to another, so thick.
    Beam { from: Vec3, to: Vec3, half: f64 },
}

impl Form {
    /// Signed distance, a fair estimate.
    fn distance(&self, p: &Vec3) -> f64 {
        match self {
            Form::Cone { from, to, radii } => {
                let axis = to - from;
                let t = ((p - from).dot(&axis) / axis.norm_squared().max(1e-12)).clamp(0.0, 1.0);
                (p - from - axis * t).norm() - (radii[0] + (radii[1] - radii[0]) * t)
            }
            Form::Egg { center, radii } => {
                let local = (p - center).component_div(radii);
                let (reach, slope) = (local.norm(), local.component_div(radii).norm());
                if slope < 1e-9 { -radii.min() } else { reach * (reach - 1.0) / slope }
            }
            Form::Block { center, half } => {
                let out = (p - center).abs() - half;
                out.sup(&Vec3::zeros()).norm() + out.max().min(0.0)
            }
            Form::Beam { from, to, half } => {
                let axis = (to - from).try_normalize(1e-9).unwrap_or(Vec3::y());
                let along = (p - (from + to) * 0.5).dot(&axis);
                let side = axis.cross(&Vec3::z()).try_normalize(1e-3).unwrap_or(Vec3::x());
                let other = axis.cross(&side);
                let local = Vec3::new(along, (p - from).dot(&side), (p - from).dot(&other));
                let out = local.abs() - Vec3::new((to - from).norm() * 0.5 + 0.3 * half, *half, *half);
                out.sup(&Vec3::zeros()).norm() + out.max().min(0.0)
            }
        }
    }

    /// A point near its surface, and about how large that is.
    fn seed(&self, random: &mut Random) -> Vec3 {
        let direction = direction(random);
        match self {
            Form::Cone { from, to, radii } => {
                let t = random.between(-0.1, 1.1).clamp(0.0, 1.0);
                from + (to - from) * t + direction * (radii[0] + (radii[1] - radii[0]) * t)
            }
            Form::Egg { center, radii } => center + direction.component_mul(radii),
            Form::Block { center, half } => {
                center + (direction * 2.0).map(|x| x.clamp(-1.0, 1.0)).component_mul(half)
            }
            Form::Beam { from, to, half } => from + (to - from) * random.unit() + direction * *half,
        }
    }

    fn area(&self) -> f64 {
        match self {
            Form::Cone { from, to, radii } => {
                (radii[0] + radii[1]) * ((to - from).norm() + radii[0] + radii[1]) * 3.0
            }
            Form::Egg { radii, .. } => 4.2 * (radii.x * radii.y + radii.y * radii.z + radii.z * radii.x),
            Form::Block { half, .. } => 8.0 * (half.x * half.y + half.y * half.z + half.z * half.x),
            Form::Beam { from, to, half } => 8.0 * half * (to - from).norm(),
        }
    }
}

fn direction(random: &mut Random) -> Vec3 {
    let z = random.between(-1.0, 1.0);
    let (sin, cos) = (TAU * random.unit()).sin_cos();
    let r = (1.0 - z * z).sqrt();
    Vec3::new(r * cos, z, r * sin)
}

/// Forms with the segment that each belongs to, melted together over a width.
pub struct Sculpture {
    pub forms: Vec<(Form, usize)>,
    pub melt: f64,
}

impl Sculpture {
    /// Distance, and the form nearest to a point.
    fn distance(&self, p: &Vec3) -> (f64, usize) {
        let mut best = (f64::INFINITY, 0);
        let mut sum = f64::INFINITY;
        for (index, (form, _)) in self.forms.iter().enumerate() {
            let d = form.distance(p);
            if d < best.0 {
                best = (d, index);
            }
            // The polynomial smooth minimum of Inigo Quilez.
            let h = (self.melt - (sum - d).abs()).max(0.0) / self.melt.max(1e-9);
            sum = sum.min(d) - if h.is_finite() { h * h * self.melt * 0.25 } else { 0.0 };
        }
        (sum, best.1)
    }

    /// By differences from the distance at `p`.
    fn gradient(&self, p: &Vec3, distance: f64) -> Vec3 {
        let step = 1e-4;
        Vec3::from_fn(|axis, _| {
            let mut e = Vec3::zeros();
            e[axis] = step;
            self.distance(&(p + e)).0 - distance
        }) / step
    }

    pub fn points(&self, count: usize, random: &mut Random) -> Vec<(SurfacePoint, Option<usize>)> {
        let areas: Vec<f64> = self.forms.iter().map(|(form, _)| form.area()).collect();
        let total: f64 = areas.iter().sum();
        let mut points = Vec::with_capacity(count);
        let mut tries = 0;
        while points.len() < count && tries < 6 * count {
            tries += 1;
            let mut share = random.unit() * total;
            let form = areas.iter().position(|area| {
                share -= area;
                share < 0.0
            });
            let mut p = self.forms[form.unwrap_or(0)].0.seed(random);
            for _ in 0..2 {
                let (d, _) = self.distance(&p);
                let g = self.gradient(&p, d);
                p -= g * (d / g.norm_squared().max(0.2));
            }
            let (d, nearest) = self.distance(&p);
            // What lies deep inside of others does not come back to the surface.
            if d.abs() > 0.004 {
                continue;
            }
            let Some(normal) = self.gradient(&p, d).try_normalize(1e-6) else { continue };
            let thickness = self.thickness(&p, &normal);
            let point = SurfacePoint { position: p, normal, thickness };
            points.push((point, Some(self.forms[nearest].1).filter(|&segment| segment != NONE)));
        }
        points
    }

    fn thickness(&self, p: &Vec3, normal: &Vec3) -> f64 {
        let mut way = 0.01;
        for _ in 0..40 {
            let (d, _) = self.distance(&(p - normal * way));
            if d > 0.0 {
                break;
            }
            way += (-d).max(0.01);
        }
        way
    }
}

/// The segment of what belongs to none.
pub const NONE: usize = usize::MAX;
/// Points of a body.
pub const POINTS: usize = 640;

pub fn sided(place: usize, is_left: bool) -> usize {
    5 + if is_left { place } else { 6 + place }
}

pub fn put(joints: &mut [Option<Vec3>], name: &str, is_left: Option<bool>, position: Vec3) {
    let channel = match is_left {
        None => channel::middle(name),
        Some(is_left) => channel::sided(name, is_left),
    };
    if let Some(channel) = channel {
        joints[channel] = Some(position);
    }
}

pub fn settled(points: Vec<(SurfacePoint, Option<usize>)>, joints: Vec<Option<Vec3>>) -> Body {
    let mut body = Body { points, joints, is_vague: vec![false; CHANNELS] };
    body.settle();
    body
}

/// A limb of cones, or of beams for machines.
pub fn limb(
    forms: &mut Vec<(Form, usize)>,
    joints: &[Vec3],
    radii: &[f64],
    segments: &[usize],
    is_boxy: bool,
) {
    for (index, pair) in joints.windows(2).enumerate() {
        let (from, to) = (pair[0], pair[1]);
        let form = if is_boxy {
            Form::Beam { from, to, half: 0.5 * (radii[index] + radii[index + 1]) * 0.9 }
        } else {
            Form::Cone { from, to, radii: [radii[index], radii[index + 1]] }
        };
        forms.push((form, segments[index]));
    }
}
