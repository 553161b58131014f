//! Solids as functions: negative inside, positive outside, zero on the surface.
//!
//! A [`Sculpture`] is a list of simple forms melted together, and a list of stamps that dip parts of its
//! surface into another ink. Both are described for the left half (x ≥ 0) only: space is folded at x = 0, so
//! that bodies are exactly symmetric and the two legs never melt into each other.
//!
//! The distances of the forms and the polynomial smooth minimum follow the articles of Inigo Quilez
//! (iquilezles.org, "3D signed distance functions" and "smooth minimum").

use puppetry::stages::math::{Bounds, Quat, Vec3};

/// A colour as 0xRRGGBB in sRGB.
pub type Ink = u32;

/// A simple solid.
#[derive(Debug, Clone)]
pub enum Form {
    /// Half axes along the axes of `turn`.
    Ellipsoid { center: Vec3, radii: Vec3, turn: Quat },
    /// A cone with round ends between two points: the shape of nearly everything that is alive. Its depth (z)
    /// is multiplied by `depth`.
    Limb { from: Vec3, to: Vec3, radii: [f64; 2], depth: f64 },
    /// Everything beyond a plane, on the side that the normal points to.
    Beyond { point: Vec3, normal: Vec3 },
}

/// A ball.
pub fn ball(center: Vec3, radius: f64) -> Form {
    egg(center, Vec3::repeat(radius))
}

/// An upright ellipsoid.
pub fn egg(center: Vec3, radii: Vec3) -> Form {
    Form::Ellipsoid { center, radii, turn: Quat::identity() }
}

/// A round cone.
pub fn limb(from: Vec3, to: Vec3, from_radius: f64, to_radius: f64) -> Form {
    Form::Limb { from, to, radii: [from_radius, to_radius], depth: 1.0 }
}

/// A round cone that is flatter (or deeper) than round.
pub fn flat_limb(from: Vec3, to: Vec3, radii: [f64; 2], depth: f64) -> Form {
    Form::Limb { from, to, radii, depth }
}

/// Everything on the side of a plane that the normal points to.
pub fn beyond(point: Vec3, normal: Vec3) -> Form {
    Form::Beyond { point, normal }
}

/// Everything below a height.
pub fn below(height: f64) -> Form {
    beyond(Vec3::y() * height, -Vec3::y())
}

impl Form {
    /// The same form turned about its centre; limbs and planes have their own direction and stay.
    pub fn turned(mut self, by: Quat) -> Form {
        if let Form::Ellipsoid { turn, .. } = &mut self {
            *turn = by * *turn;
        }
        self
    }

    /// Signed distance, exact near the surface and a fair estimate elsewhere.
    pub fn distance(&self, p: Vec3) -> f64 {
        match self {
            Form::Ellipsoid { center, radii, turn } => {
                let local = turn.inverse_transform_vector(&(p - center)).component_div(radii);
                let (reach, slope) = (local.norm(), local.component_div(radii).norm());
                if slope < 1e-9 { -radii.min() } else { reach * (reach - 1.0) / slope }
            }
            Form::Limb { from, to, radii, depth } => {
                let squash = |v: &Vec3| Vec3::new(v.x, v.y, v.z / depth);
                round_cone(squash(&p) - squash(from), squash(to) - squash(from), *radii) * depth.min(1.0)
            }
            Form::Beyond { point, normal } => (point - p).dot(normal),
        }
    }

    /// A box around it; none for what has no end.
    fn bounds(&self) -> Option<Bounds> {
        let around = |center: &Vec3, reach: f64| [center.add_scalar(-reach), center.add_scalar(reach)];
        let corners = match self {
            Form::Ellipsoid { center, radii, .. } => around(center, radii.max()).to_vec(),
            Form::Limb { from, to, radii, depth } => {
                let stretch = depth.max(1.0);
                [around(from, radii[0] * stretch), around(to, radii[1] * stretch)].concat()
            }
            Form::Beyond { .. } => return None,
        };
        Some(Bounds::of(&corners))
    }

    /// Length below which its shape or outline would be lost.
    fn finest(&self) -> f64 {
        match self {
            Form::Ellipsoid { radii, .. } => radii.min(),
            Form::Limb { radii, depth, .. } => radii[0].max(radii[1]) * depth.min(1.0),
            Form::Beyond { .. } => f64::INFINITY,
        }
    }
}

/// Distance to the hull of two balls, one at the origin and one at `axis`. In the plane through `p` and the
/// axis the side of the cone is a straight line; `tilt` is its sine against the axis.
fn round_cone(p: Vec3, axis: Vec3, [from_radius, to_radius]: [f64; 2]) -> f64 {
    let length = axis.norm();
    let tilt = (from_radius - to_radius) / length.max(1e-12);
    if tilt.abs() >= 1.0 {
        // One ball contains the other.
        return (p.norm() - from_radius).min((p - axis).norm() - to_radius);
    }
    let along = p.dot(&axis) / length;
    let aside = (p.norm_squared() - along * along).max(0.0).sqrt();
    let cosine = (1.0 - tilt * tilt).sqrt();
    let foot = along - aside * tilt / cosine;
    match foot {
        _ if foot < 0.0 => p.norm() - from_radius,
        _ if foot > length => (p - axis).norm() - to_radius,
        _ => aside * cosine + along * tilt - from_radius,
    }
}

/// Minimum of two distances, melted where they differ by less than `blend`.
fn melt(a: f64, b: f64, blend: f64) -> f64 {
    let overlap = (1.0 - (a - b).abs() / blend.max(1e-9)).max(0.0);
    a.min(b) - 0.25 * blend * overlap * overlap
}

/// One form of a sculpture.
struct Lump {
    form: Form,
    blend: f64,
    ink: Ink,
    hollow: bool,
}

/// A change of ink inside a form.
struct Stamp {
    form: Form,
    /// The ink it covers; all of them if none is named.
    over: Option<Ink>,
    ink: Ink,
}

/// Forms melted together in order, then stamped with inks.
#[derive(Default)]
pub struct Sculpture {
    lumps: Vec<Lump>,
    stamps: Vec<Stamp>,
    inflation: f64,
}

impl Sculpture {
    /// Adds a form, melted into what is there within `blend` metres.
    pub fn add(&mut self, ink: Ink, blend: f64, form: Form) -> &mut Self {
        self.lumps.push(Lump { form, blend, ink, hollow: false });
        self
    }

    /// Takes a form away; the wall of the hollow keeps the ink around it.
    pub fn carve(&mut self, blend: f64, form: Form) -> &mut Self {
        self.lumps.push(Lump { form, blend, ink: 0, hollow: true });
        self
    }

    /// Dips the surface inside the form into the ink. Later stamps cover earlier ones.
    pub fn stamp(&mut self, ink: Ink, form: Form) -> &mut Self {
        self.stamps.push(Stamp { form, over: None, ink });
        self
    }

    /// The same, only where the surface has the ink `over`: sleeves end at the wrist whatever lies beyond.
    pub fn stamp_over(&mut self, over: Ink, ink: Ink, form: Form) -> &mut Self {
        self.stamps.push(Stamp { form, over: Some(over), ink });
        self
    }

    /// Moves the whole surface outwards, as cloth lies on skin.
    pub fn inflate(&mut self, by: f64) -> &mut Self {
        self.inflation += by;
        self
    }

    /// A box around the left half.
    pub fn bounds(&self) -> Bounds {
        let solid = self.lumps.iter().filter(|lump| !lump.hollow);
        let boxes = solid.filter_map(|lump| lump.form.bounds());
        let corners: Vec<Vec3> = boxes.flat_map(|bounds| [bounds.min, bounds.max]).collect();
        let whole = Bounds::of(&corners);
        Bounds { min: whole.min.add_scalar(-self.inflation), max: whole.max.add_scalar(self.inflation) }
    }

    /// Signed distance to the surface.
    pub fn distance(&self, p: Vec3) -> f64 {
        let p = folded(p);
        let mut distance = f64::INFINITY;
        for lump in &self.lumps {
            let d = lump.form.distance(p);
            distance = match (distance.is_finite(), lump.hollow) {
                (false, _) => d,
                (true, false) => melt(distance, d, lump.blend),
                (true, true) => -melt(-distance, d, lump.blend),
            };
        }
        distance - self.inflation
    }

    /// Gradient of the distance, by central differences.
    pub fn gradient(&self, p: Vec3) -> Vec3 {
        let step = 1e-5;
        Vec3::from_fn(|axis, _| {
            let mut offset = Vec3::zeros();
            offset[axis] = step;
            (self.distance(p + offset) - self.distance(p - offset)) / (2.0 * step)
        })
    }

    /// The point moved onto the surface by Newton steps along the gradient, none longer than `reach`.
    pub fn project(&self, mut p: Vec3, reach: f64) -> Vec3 {
        for _ in 0..4 {
            let gradient = self.gradient(p);
            let step = gradient * (self.distance(p) / gradient.norm_squared().max(1e-6));
            p -= step * (reach / step.norm().max(reach));
        }
        p
    }

    /// The ink at a point of the surface: that of the nearest form, then the stamps in their order.
    pub fn ink(&self, p: Vec3) -> Ink {
        let p = folded(p);
        let solid = self.lumps.iter().filter(|lump| !lump.hollow);
        let nearest = solid.min_by(|a, b| a.form.distance(p).total_cmp(&b.form.distance(p)));
        self.stamps.iter().fold(nearest.map_or(0, |lump| lump.ink), |ink, stamp| {
            let covers = stamp.over.is_none_or(|over| over == ink) && stamp.form.distance(p) < 0.0;
            if covers { stamp.ink } else { ink }
        })
    }

    /// Length that triangle edges should have around a point: a part of the smallest form or stamp nearby,
    /// growing slowly with the distance from it, within the range of `detail`.
    pub fn edge_length(&self, p: Vec3, detail: &Detail) -> f64 {
        let p = folded(p);
        let solids = self
            .lumps
            .iter()
            .map(|lump| (lump.form.finest() * detail.per_radius, lump.form.distance(p).max(0.0)));
        let outlines = self
            .stamps
            .iter()
            .map(|stamp| (stamp.form.finest() * detail.per_outline, stamp.form.distance(p).abs()));
        let wanted =
            solids.chain(outlines).map(|(edge, away)| edge.max(detail.finest) + detail.gradation * away);
        wanted.fold(detail.coarsest, f64::min)
    }
}

/// How fine a mesh is, in metres.
#[derive(Debug, Clone, Copy)]
pub struct Detail {
    /// Cell of the grid on which the surface is found. Forms thinner than it fall to pieces, and narrower gaps
    /// close.
    pub cell: f64,
    /// Shortest edge asked for.
    pub finest: f64,
    /// Longest edge asked for.
    pub coarsest: f64,
    /// Edge length as a fraction of the radius of a form.
    pub per_radius: f64,
    /// Edge length as a fraction of the radius of a stamp: outlines need more than shapes.
    pub per_outline: f64,
    /// Growth of the edge length for each metre away from a fine form.
    pub gradation: f64,
}

impl Default for Detail {
    fn default() -> Self {
        Detail {
            cell: 0.01,
            finest: 0.008,
            coarsest: 0.045,
            per_radius: 0.55,
            per_outline: 0.38,
            gradation: 0.35,
        }
    }
}

fn folded(p: Vec3) -> Vec3 {
    Vec3::new(p.x.abs(), p.y, p.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_balls_and_limbs_are_exact() {
        let at = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
        assert!((ball(at(0.0, 1.0, 0.0), 0.5).distance(at(0.0, 3.0, 0.0)) - 1.5).abs() < 1e-12);
        let capsule = limb(at(0.0, 0.0, 0.0), at(0.0, 2.0, 0.0), 0.5, 0.5);
        assert!((capsule.distance(at(3.0, 1.0, 4.0)) - 4.5).abs() < 1e-12);
        // Balls of radius 3 and 1 at a distance of 4: the side rises by 30 degrees and starts at height 1.5.
        let cone = limb(at(0.0, 0.0, 0.0), at(0.0, 4.0, 0.0), 3.0, 1.0);
        let side = at(3.0 * 30f64.to_radians().cos(), 1.5, 0.0);
        assert!(cone.distance(side).abs() < 1e-12);
        let outwards = at(30f64.to_radians().cos(), 0.5, 0.0);
        assert!((cone.distance(side + outwards * 7.0) - 7.0).abs() < 1e-12);
        assert!((cone.distance(at(0.0, 9.0, 0.0)) - 4.0).abs() < 1e-12);
    }

    #[test]
    fn melting_fills_the_corner_by_a_quarter_of_the_blend_and_nothing_far_away() {
        assert_eq!(melt(1.0, 1.0, 0.4), 0.9);
        assert_eq!(melt(1.0, 1.4, 0.4), 1.0);
    }
}
