//! What characters carry and wear, as points beside those of the body: the network must look past it.

use super::body::Body;
use puppetry::Vec3;
use puppetry::stages::embed::prior::channel;
use puppetry::stages::embed::prior::points::SurfacePoint;
use puppetry::stages::math::{Quat, Random};
use std::f64::consts::TAU;

/// A box with its own axes; flat ones are sheets.
struct Slab {
    center: Vec3,
    half: Vec3,
    turn: Quat,
}

impl Slab {
    fn point(&self, random: &mut Random) -> SurfacePoint {
        let [a, b, c] = [self.half.y * self.half.z, self.half.z * self.half.x, self.half.x * self.half.y];
        let pick = random.unit() * (a + b + c);
        let axis = if pick < a {
            0
        } else if pick < a + b {
            1
        } else {
            2
        };
        let sign = if random.unit() < 0.5 { 1.0 } else { -1.0 };
        let mut local = Vec3::from_fn(|_, _| random.between(-1.0, 1.0)).component_mul(&self.half);
        local[axis] = sign * self.half[axis];
        let mut normal = Vec3::zeros();
        normal[axis] = sign;
        let thickness = 2.0 * self.half[axis];
        SurfacePoint { position: self.center + self.turn * local, normal: self.turn * normal, thickness }
    }
}

fn egg_point(center: &Vec3, radii: &Vec3, random: &mut Random) -> SurfacePoint {
    let z = random.between(-1.0, 1.0);
    let (sin, cos) = (TAU * random.unit()).sin_cos();
    let r = (1.0 - z * z).sqrt();
    let direction = Vec3::new(r * cos, z, r * sin);
    let normal = direction.component_div(radii).normalize();
    let thickness = 2.0 * radii.component_mul(&direction).norm();
    SurfacePoint { position: center + direction.component_mul(radii), normal, thickness }
}

/// Cloth around the lower body: what is inside of it is not seen.
struct Skirt {
    /// In the middle of its upper rim.
    top: Vec3,
    length: f64,
    /// Half widths of the upper and the lower rim.
    radii: [f64; 2],
    /// Depth over width.
    flatness: f64,
    /// Part of the points that see the other side of the cloth behind them.
    solid: f64,
}

impl Skirt {
    fn of(hips: &Vec3, neck: &Vec3, random: &mut Random) -> Skirt {
        let is_robe = random.unit() < 0.4;
        let top =
            if is_robe { hips + (neck - hips) * random.between(0.2, 0.8) } else { hips + Vec3::y() * 0.03 };
        let reach = if random.unit() < 0.4 { random.between(0.85, 1.0) } else { random.between(0.3, 0.9) };
        let upper = random.between(0.06, 0.14);
        let radii = [upper, upper + random.between(0.0, 0.2)];
        let solid = if random.unit() < 0.8 { 0.95 } else { 0.3 };
        Skirt { top, length: (reach * top.y).max(0.05), radii, flatness: random.between(0.6, 1.1), solid }
    }

    fn radius(&self, share: f64) -> f64 {
        self.radii[0] + (self.radii[1] - self.radii[0]) * share
    }

    fn hides(&self, point: &Vec3) -> bool {
        let share = (self.top.y - point.y) / self.length;
        let across = Vec3::new(point.x - self.top.x, 0.0, (point.z - self.top.z) / self.flatness);
        (0.0..1.0).contains(&share) && across.norm() < self.radius(share)
    }

    fn points(&self, count: usize, random: &mut Random) -> Vec<SurfacePoint> {
        let points = (0..count).map(|_| {
            let share = random.unit();
            let (sin, cos) = (TAU * random.unit()).sin_cos();
            let radius = self.radius(share);
            let offset = Vec3::new(radius * cos, -self.length * share, self.flatness * radius * sin);
            let normal = Vec3::new(cos, 0.2, sin / self.flatness).normalize();
            let thickness =
                if random.unit() < self.solid { 2.0 * radius * random.between(0.7, 1.0) } else { 0.01 };
            SurfacePoint { position: self.top + offset, normal, thickness }
        });
        points.collect()
    }
}

/// Adds one to three things to a body.
pub fn add(body: &mut Body, random: &mut Random) {
    let things = 1 + random.index(3);
    for _ in 0..things {
        let count = (body.points.len() as f64 * random.between(0.04, 0.2)) as usize;
        if random.unit() < SKIRTS {
            wear(body, random);
            continue;
        }
        let points = thing(body, count, random);
        body.points.extend(points.into_iter().map(|point| (point, None)));
    }
}

/// Part of the things that are skirts, coats or robes.
const SKIRTS: f64 = 0.2;

/// A skirt instead of what it hides.
fn wear(body: &mut Body, random: &mut Random) {
    let at = |name: &str| channel::middle(name).and_then(|channel| body.joints[channel]);
    let (Some(hips), Some(neck)) = (at("hips"), at("neck")) else { return };
    let is_upright = neck.y - hips.y > (neck.z - hips.z).abs();
    if !is_upright {
        return;
    }
    let skirt = Skirt::of(&hips, &neck, random);
    let before = body.points.len();
    body.points.retain(|(point, _)| !skirt.hides(&point.position));
    // As many points as its surface deserves.
    let hidden = before - body.points.len();
    let points = skirt.points((hidden as f64 * random.between(0.7, 1.3)) as usize, random);
    body.points.extend(points.into_iter().map(|point| (point, None)));
}

fn thing(body: &Body, count: usize, random: &mut Random) -> Vec<SurfacePoint> {
    let middle = |name: &str| channel::middle(name).and_then(|channel| body.joints[channel]);
    let is_left = random.unit() < 0.5;
    let sided = |name: &str| channel::sided(name, is_left).and_then(|channel| body.joints[channel]);
    let hips = middle("hips").unwrap_or(Vec3::y() * 0.5);
    let head = middle("head").unwrap_or(Vec3::y() * 0.9);
    let neck = middle("neck").unwrap_or((hips + head) * 0.5);
    let highest = body.points.iter().map(|(point, _)| point.position.y).fold(0.0, f64::max);
    let turn = Quat::from_euler_angles(
        random.between(-0.5, 0.5),
        random.between(-3.0, 3.0),
        random.between(-0.5, 0.5),
    );
    let any = Quat::from_euler_angles(
        random.between(-3.0, 3.0),
        random.between(-3.0, 3.0),
        random.between(-3.0, 3.0),
    );
    let slab = |center: Vec3, half: [f64; 3], turn: Quat| Slab { center, half: Vec3::from(half), turn };
    let hand = sided("wrist").unwrap_or(neck);
    let solid = match random.index(8) {
        // A sword, a staff, a spear.
        0 => slab(hand, [0.012, random.between(0.15, 0.6), 0.015], any),
        // A shield or a bag.
        1 => slab(hand, [0.02, random.between(0.06, 0.18), random.between(0.06, 0.15)], turn),
        // A cape.
        2 => {
            let long = random.between(0.3, 1.0) * (neck.y - 0.02).max(0.1);
            let back = neck + Vec3::new(0.0, -0.5 * long, -random.between(0.06, 0.14));
            slab(
                back,
                [random.between(0.08, 0.22), 0.5 * long, 0.006],
                Quat::from_euler_angles(random.between(0.0, 0.3), 0.0, 0.0),
            )
        }
        // A backpack, a quiver, a saddle.
        3 => slab(
            (hips + neck) * 0.5 + Vec3::new(0.0, 0.1, -0.1),
            [random.between(0.04, 0.12), random.between(0.06, 0.15), random.between(0.03, 0.1)],
            Quat::identity(),
        ),
        // Wings.
        4 => {
            let wide = random.between(0.15, 0.5);
            let mut points = Vec::new();
            for sign in [1.0, -1.0] {
                let wing = slab(
                    (hips + neck) * 0.5 + Vec3::new(sign * (0.05 + wide * 0.5), 0.15, -0.12),
                    [wide * 0.5, random.between(0.05, 0.2), 0.008],
                    Quat::from_euler_angles(0.0, sign * 0.4, sign * random.between(-0.3, 0.8)),
                );
                points.extend((0..count / 2).map(|_| wing.point(random)));
            }
            return points;
        }
        // A hat or hair.
        5 => {
            let size = (highest - head.y).max(0.05);
            let center = Vec3::new(head.x, highest - 0.1 * size, head.z);
            let radii = Vec3::new(
                size * random.between(0.4, 1.0),
                size * random.between(0.1, 0.6),
                size * random.between(0.4, 1.0),
            );
            return (0..count).map(|_| egg_point(&center, &radii, random)).collect();
        }
        // A ponytail, a plait, a tail.
        6 => {
            let from = if random.unit() < 0.5 { head } else { hips };
            slab(from + Vec3::new(0.0, -0.05, -0.18), [0.02, random.between(0.05, 0.2), 0.03], turn)
        }
        // Something.
        _ => {
            let center = (hips + head) * 0.5 + Vec3::from_fn(|_, _| random.between(-0.3, 0.3));
            let radii = Vec3::from_fn(|_, _| random.between(0.02, 0.1));
            return (0..count).map(|_| egg_point(&center, &radii, random)).collect();
        }
    };
    (0..count).map(|_| solid.point(random)).collect()
}
