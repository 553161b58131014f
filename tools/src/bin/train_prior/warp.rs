//! Smooth deformations of the space around a body, and fatter and thinner bodies: shapes that no artist of the collection has
//! made, with joints where they belong.

use super::body::Body;
use super::net::normal;
use nalgebra::Matrix3;
use puppetry::Vec3;
use puppetry::stages::embed::prior::points::SurfacePoint;
use puppetry::stages::math::Random;

/// A displacement that fades away from a center.
struct Bump {
    center: Vec3,
    reach: f64,
    shift: Vec3,
    /// Logarithm of the factor on the thickness.
    swell: f64,
}

/// Thickness up to which a swelling body grows, in heights: a ray from the crown to the soles is no thickness.
const LIMB: f64 = 0.15;

impl Bump {
    fn weight(&self, at: &Vec3) -> f64 {
        (-(at - self.center).norm_squared() / (2.0 * self.reach * self.reach)).exp()
    }

    fn mirrored(&self) -> Bump {
        let mirror = |p: &Vec3| Vec3::new(-p.x, p.y, p.z);
        Bump { center: mirror(&self.center), shift: mirror(&self.shift), ..*self }
    }
}

/// Deforms a body: a few bumps, mostly the same on both sides.
pub fn warp(body: &mut Body, random: &mut Random) {
    let strength = random.unit();
    let mut bumps = Vec::new();
    for _ in 0..2 + random.index(4) {
        let reach = random.between(0.12, 0.45);
        let center = body.points[random.index(body.points.len())].0.position;
        let shift = Vec3::from_fn(|_, _| normal(random)) * (0.22 * strength * reach);
        let bump = Bump { center, reach, shift, swell: 0.35 * strength * normal(random) };
        if random.unit() < 0.8 {
            bumps.push(bump.mirrored());
        }
        bumps.push(bump);
    }
    for (point, _) in &mut body.points {
        *point = deformed(point, &bumps);
    }
    body.joints.iter_mut().flatten().for_each(|joint| *joint = moved(joint, &bumps));
    body.settle();
}

fn moved(at: &Vec3, bumps: &[Bump]) -> Vec3 {
    at + bumps.iter().map(|bump| bump.shift * bump.weight(at)).sum::<Vec3>()
}

fn deformed(point: &SurfacePoint, bumps: &[Bump]) -> SurfacePoint {
    let at = point.position;
    let mut slope = Matrix3::identity();
    let mut swell = 0.0;
    for bump in bumps {
        let weight = bump.weight(&at);
        slope -= bump.shift * (at - bump.center).transpose() * (weight / (bump.reach * bump.reach));
        swell += bump.swell * weight;
    }
    let growth = point.thickness.min(LIMB) * (swell.exp() - 1.0);
    let through = (slope * point.normal).norm();
    let normal =
        slope.try_inverse().and_then(|inverse| (inverse.transpose() * point.normal).try_normalize(1e-9));
    let normal = normal.unwrap_or(point.normal);
    SurfacePoint {
        position: moved(&at, bumps) + normal * (0.5 * growth),
        normal,
        thickness: (point.thickness + growth).max(0.0) * through,
    }
}
